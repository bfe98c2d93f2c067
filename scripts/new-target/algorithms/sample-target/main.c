/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/bench/bench.h"
#include "algorithms/sample-target/solve.h"

int main(int argc, char **argv)
{
	static const struct target target = {
		.name = "sample-target",
		.summary = "two heaps of numbers with almost equal sums (author, year)",
		.solve = &sample_target_solve_spec,
		.list = sample_target_list,
	};

	return copra_main(argc, argv, &target);
}
