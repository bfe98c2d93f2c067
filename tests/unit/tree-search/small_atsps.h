/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* ATSP instances for tests. Include after <cmocka.h>. */
#ifndef COPRA_TESTS_UNIT_TREE_SEARCH_SMALL_ATSPS_H
#define COPRA_TESTS_UNIT_TREE_SEARCH_SMALL_ATSPS_H

#include <stdio.h>

#include "datasets/atsp/atsp.h"

static inline struct atsp loaded_atsp(const char *name)
{
	struct atsp a;
	struct err e = { 0 };

	if (atsp_load(&a, name, &e))
		fail_msg("%s", e.text);
	return a;
}

static inline struct atsp random_atsp(int cities, int most, int seed)
{
	char name[64];

	snprintf(name, sizeof(name), "random:%d:%d:%d", cities, most, seed);
	return loaded_atsp(name);
}

#endif
