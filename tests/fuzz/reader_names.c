/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Names of generated instances ("random:5x3:99", "trap5:60", "nk" with "12:3"). Numbers of medium
 * size are left out: they are valid and only cost time and memory. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/tree-search/labels.h"
#include "datasets/atsp/atsp.h"
#include "datasets/flowshop/flowshop.h"
#include "datasets/knapsack/knapsack.h"
#include "datasets/landscape/landscape.h"
#include "datasets/samegame/samegame.h"
#include "tests/fuzz/fuzz.h"

/* Whether every run of digits has at most `few` or at least 10 digits: small, or to be refused. */
static bool quick(const char *text, size_t few)
{
	for (size_t length; *text; text += length ? length : 1) {
		length = strspn(text, "0123456789");
		if (length > few && length < 10)
			return false;
	}
	return true;
}

static void flowshop(const char *name, struct err *e)
{
	struct flowshop f;

	if (fuzz_status(flowshop_load(&f, name, e), e)) {
		FUZZ_CHECK(f.jobs >= 1 && f.machines >= 1);
		flowshop_free(&f);
	}
}

static void knapsack(const char *name, struct err *e)
{
	struct knapsack k;

	if (fuzz_status(knapsack_load(&k, name, e), e)) {
		FUZZ_CHECK(k.n >= 1 && k.sum_profit >= 0 && k.sum_weight >= 0);
		knapsack_free(&k);
	}
}

static void atsp(const char *name, struct err *e)
{
	struct atsp a;

	if (fuzz_status(atsp_load(&a, name, e), e)) {
		FUZZ_CHECK(a.cities >= 2);
		atsp_free(&a);
	}
}

static void samegame(const char *name, struct err *e)
{
	struct samegame g;

	if (fuzz_status(samegame_load(&g, name, e), e))
		FUZZ_CHECK(g.rows >= 1 && g.columns >= 1);
}

static void landscape(const char *problem, const char *instance, struct err *e)
{
	struct landscape l;

	if (!fuzz_status(landscape_load(&l, problem, instance, e), e)) {
		FUZZ_CHECK(!l.data && !l.source);
		return;
	}
	uint8_t *bits = calloc((size_t)l.n, 1);
	FUZZ_CHECK(bits != NULL);
	int64_t value = landscape_evaluate(&l, bits);
	FUZZ_CHECK(value >= l.least && value <= l.greatest);
	FUZZ_CHECK(!l.optimum_known || value <= l.optimum);
	free(bits);
	landscape_free(&l);
}

/* Names of files are excluded: they would read whatever file has that name. */
static bool of_knapsack(const char *name)
{
	return strncmp(name, "boyer:", 6) == 0 || strncmp(name, "hard:", 5) == 0 ||
	       strncmp(name, "correlation:", 12) == 0;
}

static bool no_file(const char *problem, const char *instance)
{
	if (strcmp(problem, "maxsat") == 0)
		return strncmp(instance, "random:", 7) == 0 ||
		       strncmp(instance, "planted:", 8) == 0;
	return strcmp(problem, "knapsack") != 0 || of_knapsack(instance);
}

FUZZ_READER(names)
{
	struct err e = { 0 };
	char *name = fuzz_text(data, size), *space = strchr(name, ' ');

	if (quick(name, 2)) {
		label_queens(name);
		label_is_random(name);
		label_atsp_tree(name);
		if (flowshop_is_name(name))
			flowshop(name, &e);
		if (atsp_is_name(name))
			atsp(name, &e);
		if (samegame_is_name(name))
			samegame(name, &e);
		if (of_knapsack(name))
			knapsack(name, &e);
	}
	if (space && quick(name, 1)) {
		*space = '\0';
		if (no_file(name, space + 1))
			landscape(name, space + 1, &e);
	}
	free(name);
}
