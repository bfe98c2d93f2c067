/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* A schedule of ta081 with makespan 6231, the best found by copra's beam search (koester-recovery
 * solve --instance ta081 --memory 40G --rounds 1, one H200). */
#ifndef COPRA_TESTS_UNIT_TREE_SEARCH_TA081_SCHEDULE_H
#define COPRA_TESTS_UNIT_TREE_SEARCH_TA081_SCHEDULE_H

#include <stdint.h>

enum { TA081_MAKESPAN = 6231 };

static const int64_t ta081_schedule[100] = {
	53, 77, 81, 73, 82, 78, 34, 54, 39, 5,  32, 80, 30, 27, 62, 98, 20, 89, 61, 50,
	9,  47, 11, 21, 31, 38, 19, 69, 60, 75, 76, 8,  41, 36, 79, 92, 43, 55, 2,  24,
	22, 84, 59, 0,  10, 49, 91, 88, 58, 71, 99, 23, 93, 44, 56, 97, 52, 66, 70, 57,
	83, 17, 85, 3,  35, 45, 15, 90, 26, 65, 4,  95, 28, 13, 37, 1,  51, 67, 63, 46,
	68, 14, 18, 16, 29, 87, 96, 25, 86, 33, 42, 12, 64, 74, 94, 6,  48, 72, 7,  40,
};

#endif
