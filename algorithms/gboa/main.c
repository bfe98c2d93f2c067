#include "harness/bench/bench.h"
#include "algorithms/gboa/solve.h"

int main(int argc, char **argv)
{
	static const struct subcommand commands[] = {
		{ "size", "the population that a problem needs", boa_size_main },
		{ NULL, NULL, NULL },
	};
	static const struct target target = {
		.name = "gboa",
		.summary = "the Bayesian Optimization Algorithm (Munawar et al. 2009)",
		.solve = &boa_solve_spec,
		.list = boa_list,
		.commands = commands,
	};

	return copra_main(argc, argv, &target);
}
