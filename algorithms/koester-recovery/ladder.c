/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/koester-recovery/ladder.h"

#define SYNTHETIC "synthetic"

const struct solve_rung track_rungs[] = {
	{ "literal", SYNTHETIC, SOLVE_PUBLISHED,
	  "the paper's algorithm: a thread per state, a launch per line, plans on the host" },
	{ "independent-sums", SYNTHETIC, SOLVE_PUBLISHED,
	  "the elements of a row are summed at the same time" },
	{ "vectors", SYNTHETIC, SOLVE_PUBLISHED,
	  "states and matrices are read 16 bytes at a time" },
	{ "whole-steps", SYNTHETIC, SOLVE_TUNED,
	  "a launch per step, and no count of waiting states for the host" },
	{ "device-paths", SYNTHETIC, SOLVE_TUNED,
	  "the device traces the paths, a launch per recovery" },
	{ "registers", SYNTHETIC, SOLVE_TUNED,
	  "a row stays in registers for a whole path, the matrices in shared memory" },
	{ "thread-per-row", SYNTHETIC, SOLVE_TUNED, "16 threads per state, states contiguous" },
	{ "four-rows", SYNTHETIC, SOLVE_TUNED, "four rows per thread: one read for 16 sums" },
	{ NULL, NULL, SOLVE_SERIAL, NULL },
};

/* Of the rung with the same index. */
static const struct {
	enum track_synthetic_form form;
	bool plans;
} settings[] = {
	{ TRACK_SYNTHETIC_ELEMENTS, true }, { TRACK_SYNTHETIC_SUMS, true },
	{ TRACK_SYNTHETIC_VECTORS, true },  { TRACK_SYNTHETIC_VECTORS, true },
	{ TRACK_SYNTHETIC_VECTORS, false }, { TRACK_SYNTHETIC_REGISTERS, false },
	{ TRACK_SYNTHETIC_ROWS, false },    { TRACK_SYNTHETIC_TUNED, false },
};

_Static_assert(sizeof(settings) / sizeof(*settings) + 1 ==
		       sizeof(track_rungs) / sizeof(*track_rungs),
	       "each rung has its settings");

void track_rung_apply(const struct solve_rung *r, struct track_synthetic_setup *s)
{
	s->engine = r->variant == SOLVE_PUBLISHED ? TRACK_PUBLISHED : TRACK_TUNED;
	s->model.form = settings[r - track_rungs].form;
	s->plans = settings[r - track_rungs].plans;
}
