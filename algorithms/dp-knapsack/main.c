/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/bench/bench.h"
#include "algorithms/dp-knapsack/solve.h"

int main(int argc, char **argv)
{
	static const struct target target = {
		.name = "dp-knapsack",
		.summary =
			"0-1 knapsack by dense dynamic programming (Boyer, El Baz, Elkihel 2011)",
		.solve = &dp_solve_spec,
		.list = dp_list,
	};

	return copra_main(argc, argv, &target);
}
