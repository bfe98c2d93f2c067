/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#define VEC_CELL uint16_t
#define SEARCH queens_cpu_search_16
#include "algorithms/tree-search/nqueens/queens_cpu_lanes.h"
