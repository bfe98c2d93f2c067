/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#define VEC_CELL uint32_t
#define KERNEL sets_cpu_kernel_32
#include "algorithms/tree-search/by-set/sets_cpu_lanes.h"
