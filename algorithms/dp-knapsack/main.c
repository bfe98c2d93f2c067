/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stddef.h>

#include "algorithms/dp-knapsack/estimate.h"
#include "algorithms/dp-knapsack/solve.h"
#include "harness/bench/bench.h"

int main(int argc, char **argv)
{
	static const struct subcommand commands[] = {
		{ "estimate", "the work of an instance before it is solved", dp_estimate_main },
		{ NULL, NULL, NULL },
	};
	static const struct target target = {
		.name = "dp-knapsack",
		.summary =
			"0-1 knapsack by dense dynamic programming (Boyer, El Baz, Elkihel 2011)",
		.solve = &dp_solve_spec,
		.list = dp_list,
		.commands = commands,
	};

	return copra_main(argc, argv, &target);
}
