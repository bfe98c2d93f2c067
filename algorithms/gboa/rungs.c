/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/gboa/rungs.h"

const struct solve_rung boa_rungs[] = {
	{ "literal", NULL, SOLVE_PUBLISHED,
	  "Figure 6: one candidate after the other, a byte per bit" },
	{ "groups", NULL, SOLVE_PUBLISHED, "an individual is read once for all candidates" },
	{ "words", NULL, SOLVE_PUBLISHED, "32 individuals in a word; population counts" },
	{ "host-words", NULL, SOLVE_PUBLISHED, "the host's steps by words too" },
	{ "cores", NULL, SOLVE_PUBLISHED, "the host's steps on all cores" },
	{ "device", NULL, SOLVE_TUNED, "all steps on the device; counts that follow are not made" },
	{ "tensor-cores", NULL, SOLVE_TUNED, "counts as binary matrix products" },
	{ "one-kernel", NULL, SOLVE_TUNED, "one cooperative launch per generation" },
	{ "tuned", NULL, SOLVE_TUNED, "one launch per run; small runs by a cluster of blocks" },
	{ NULL, NULL, SOLVE_SERIAL, NULL },
};

/* Engine and form of each rung. */
static const struct {
	enum boa_engine engine;
	struct boa_form form;
} forms[] = {
	{ BOA_AUTO, { .groups = false } },
	{ BOA_AUTO, { .groups = true } },
	{ BOA_AUTO, { .groups = true, .words = true } },
	{ BOA_AUTO, { .groups = true, .words = true, .host_words = true } },
	{ BOA_AUTO, { .groups = true, .words = true, .host_words = true, .cores = true } },
	{ BOA_LARGE, { .popcounts = true } },
	{ BOA_LARGE, { .popcounts = false } },
	{ BOA_GRID, { .launch = 1 } },
	{ BOA_AUTO, { .launch = 0 } },
};
_Static_assert(sizeof(forms) / sizeof(*forms) + 1 == sizeof(boa_rungs) / sizeof(*boa_rungs),
	       "every rung has a form");

void boa_rung_apply(const struct solve_rung *r, struct boa_setup *s)
{
	s->variant = r->variant;
	s->engine = (int)forms[r - boa_rungs].engine;
	s->form = forms[r - boa_rungs].form;
}
