/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Flowshop instances for tests. Include after <cmocka.h>. */
#ifndef COPRA_TESTS_UNIT_TREE_SEARCH_SMALL_FLOWSHOPS_H
#define COPRA_TESTS_UNIT_TREE_SEARCH_SMALL_FLOWSHOPS_H

#include <stdio.h>

#include "datasets/flowshop/flowshop.h"

static inline struct flowshop loaded_flowshop(const char *name)
{
	struct flowshop f;
	struct err e = { 0 };

	if (flowshop_load(&f, name, &e))
		fail_msg("%s", e.text);
	return f;
}

static inline struct flowshop random_flowshop(int jobs, int machines, int most, int seed)
{
	char name[64];

	snprintf(name, sizeof(name), "random:%dx%d:%d:%d", jobs, machines, most, seed);
	return loaded_flowshop(name);
}

#endif
