/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/tree-search/labels.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { RANDOM_MAX_TIME = 99, RANDOM_SEED = 5 };

/* Optima of random flowshops that are too large for brute force, found by several searches. */
static const struct {
	const char *label;
	int64_t optimum;
} randoms[] = {
	{ "r12x8", 1058 },
	{ "r12x10", 1228 },
};

/* Sizes of trees from the optimum, counted by several searches; 0: not counted. */
static const struct {
	const char *label;
	uint64_t seed, decomposed;
} atsps[] = {
	{ "crane8", 1, 2621 },          { "crane14", 1, 6323522 },
	{ "crane15", 14, 216949175 },   { "crane16", 11, 1316017025 },
	{ "crane17", 15, 10288667999 }, { "crane18", 39, 42462605466 },
	{ "crane19", 39, 0 },           { "tsmat8", 1, 4724 },
	{ "tsmat13", 1, 6035413 },      { "tsmat14", 10, 95413691 },
	{ "tsmat15", 18, 6313694564 },  { "tsmat16", 26, 4508571027 },
	{ "tsmat17", 16, 0 },
};

int label_queens(const char *label)
{
	int n = 0, end = 0;

	return sscanf(label, "%dQ%n", &n, &end) == 1 && !label[end] && n > 0 ? n : 0;
}

bool label_is_random(const char *label)
{
	int jobs, machines, end = 0;

	return sscanf(label, "r%dx%d%n", &jobs, &machines, &end) == 2 && !label[end];
}

bool label_is_atsp(const char *label)
{
	return strncmp(label, "crane", 5) == 0 || strncmp(label, "tsmat", 5) == 0;
}

int label_flowshop(struct flowshop *f, const char *label, struct err *e)
{
	char name[64];

	snprintf(name, sizeof(name), "random:%s:%d:%d", label + 1, RANDOM_MAX_TIME, RANDOM_SEED);
	return flowshop_load(f, label_is_random(label) ? name : label, e);
}

static int find_atsp(const char *label)
{
	int count = (int)(sizeof(atsps) / sizeof(atsps[0]));

	for (int i = 0; i < count; i++) {
		if (strcmp(atsps[i].label, label) == 0)
			return i;
	}
	return -1;
}

int label_atsp(struct atsp *a, const char *label, struct err *e)
{
	int at = find_atsp(label);
	char name[64];

	snprintf(name, sizeof(name), "%.5s:%s:%" PRIu64, label, label + 5,
		 at < 0 ? 1 : atsps[at].seed);
	return atsp_load(a, name, e);
}

int label_optimum(const struct flowshop *f, const char *label, int64_t *optimum, struct err *e)
{
	const struct flowshop_known *k = flowshop_known_of(f);

	for (size_t i = 0; i < sizeof(randoms) / sizeof(randoms[0]); i++) {
		*optimum = randoms[i].optimum;
		if (strcmp(randoms[i].label, label) == 0)
			return 0;
	}
	if (label_is_random(label))
		return flowshop_brute_force(f, optimum, NULL, e);
	*optimum = k && flowshop_is_proved(k) ? k->upper : 0;
	return 0;
}

uint64_t label_atsp_tree(const char *label)
{
	int at = find_atsp(label);

	return at < 0 ? 0 : atsps[at].decomposed;
}
