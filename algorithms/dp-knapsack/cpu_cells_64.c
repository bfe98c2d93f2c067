/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#define CELL int64_t
#define CELLS_TABLE dp_cells_64
#define CELL_LOWEST (INT64_MIN / 2)
#include "algorithms/dp-knapsack/cpu_cells_body.h"
