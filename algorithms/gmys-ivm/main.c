/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include <unistd.h>

#include "algorithms/tree-search/cluster/world.h"
#include "harness/bench/bench.h"
#include "algorithms/gmys-ivm/solve.h"

int main(int argc, char **argv)
{
	static const struct target target = {
		.name = "gmys-ivm",
		.summary =
			"IVM branch-and-bound with hierarchical work stealing (Gmys et al. 2017)",
		.solve = &ivm_solve_spec,
		.leave = _exit,
		.list = ivm_list,
	};

	return world_main(argc, argv, &target);
}
