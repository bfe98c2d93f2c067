/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#define VEC_CELL uint16_t
#define KERNEL dfs_cpu_kernel_16
#include "algorithms/tree-search/depth-first/dfs_cpu_lanes.h"
