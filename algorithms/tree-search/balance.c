/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/tree-search/balance.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

enum { PLACE_MAX = 96 }; /* characters */

static uint64_t plus(uint64_t modulus, uint64_t a, uint64_t b)
{
	return modulus ? (a % modulus + b % modulus) % modulus : a + b;
}

void balance_add(struct balance *sum, const struct balance *b)
{
	uint64_t m = sum->modulus;

	sum->initial = plus(m, sum->initial, b->initial);
	sum->pushed = plus(m, sum->pushed, b->pushed);
	sum->received = plus(m, sum->received, b->received);
	sum->popped = plus(m, sum->popped, b->popped);
	sum->dropped = plus(m, sum->dropped, b->dropped);
	sum->given = plus(m, sum->given, b->given);
	sum->left = plus(m, sum->left, b->left);
}

static const char *unit_of(const struct balance_name *name)
{
	return name->unit ? name->unit : "nodes";
}

/* "helbecque-pool published: device 1" */
static void place_of(const struct balance_name *name, char text[PLACE_MAX])
{
	if (!name->part)
		snprintf(text, PLACE_MAX, "%s: all parts together", name->engine);
	else if (name->number < 0)
		snprintf(text, PLACE_MAX, "%s: %s", name->engine, name->part);
	else
		snprintf(text, PLACE_MAX, "%s: %s %d", name->engine, name->part, name->number);
}

/* Modulo a number, neither side is known to be the larger one. */
static const char *verdict(uint64_t modulus, uint64_t in, uint64_t out)
{
	if (modulus)
		return "lost or searched twice";
	return in > out ? "lost" : "searched twice";
}

int balance_equal(const struct balance_name *name, const char *in, uint64_t in_count,
		  const char *out, uint64_t out_count, struct err *e)
{
	char place[PLACE_MAX];

	if (in_count == out_count)
		return 0;
	place_of(name, place);
	return err_set(e, ERR_FAILED,
		       "%s: %" PRIu64 " %s %s, %" PRIu64 " %s: %s were %s; please report this",
		       place, in_count, unit_of(name), in, out_count, out, unit_of(name),
		       verdict(0, in_count, out_count));
}

static int unbalanced(const struct balance *b, const struct balance_name *name, uint64_t in,
		      uint64_t out, struct err *e)
{
	char place[PLACE_MAX], modulus[48] = "";

	place_of(name, place);
	if (b->modulus)
		snprintf(modulus, sizeof(modulus), " (modulo %" PRIu64 ")", b->modulus);
	return err_set(e, ERR_FAILED,
		       "%s took in %" PRIu64 " %s and accounts for %" PRIu64 "%s (initial %" PRIu64
		       ", pushed %" PRIu64 ", received %" PRIu64 "; popped %" PRIu64
		       ", dropped %" PRIu64 ", given %" PRIu64 ", left %" PRIu64
		       "): %s were %s; please report this",
		       place, in, unit_of(name), out, modulus, b->initial, b->pushed, b->received,
		       b->popped, b->dropped, b->given, b->left, unit_of(name),
		       verdict(b->modulus, in, out));
}

int balance_check(const struct balance *b, const struct balance_name *name, bool complete,
		  struct err *e)
{
	uint64_t m = b->modulus;
	uint64_t in = plus(m, plus(m, b->initial, b->pushed), b->received);
	uint64_t out = plus(m, plus(m, b->popped, b->dropped), plus(m, b->given, b->left));

	if (in != out)
		return unbalanced(b, name, in, out, e);
	if (!name->part && plus(m, b->received, 0) != plus(m, b->given, 0))
		return balance_equal(name, "given", b->given, "received", b->received, e);
	if (complete && plus(m, b->left, 0))
		return balance_equal(name, "left", b->left, "expected in a complete search", 0, e);
	return 0;
}

int balance_check_all(const struct balance *b, int count, const struct balance *host,
		      const struct balance_name *name, bool complete, struct err *e)
{
	struct balance total = { .modulus = count ? b->modulus : 0 };
	struct balance_name part = *name;
	int status = 0;

	for (int i = 0; i < count && !status; i++) {
		part.number = i;
		status = balance_check(&b[i], &part, complete, e);
		balance_add(&total, &b[i]);
	}
	if (!status && host) {
		part.part = "host";
		part.number = -1;
		status = balance_check(host, &part, complete, e);
		balance_add(&total, host);
	}
	part.part = NULL;
	return status ? status : balance_check(&total, &part, complete, e);
}
