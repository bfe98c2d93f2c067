/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include <unistd.h>

#include "algorithms/tree-search/cluster/world.h"
#include "harness/bench/bench.h"
#include "algorithms/helbecque-pool/solve.h"

int main(int argc, char **argv)
{
	static const struct target target = {
		.name = "helbecque-pool",
		.summary = "pool-based multi-GPU branch-and-bound (Helbecque et al. 2025)",
		.solve = &pool_solve_spec,
		.leave = _exit,
		.list = pool_list,
	};

	return world_main(argc, argv, &target);
}
