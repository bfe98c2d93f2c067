#include "../../harness/bench.h"
#include "solve.h"

int main(int argc, char **argv)
{
	static const struct target target = {
		.name = "gboa",
		.summary = "the Bayesian Optimization Algorithm (Munawar et al. 2009)",
	};

	return copra_main(argc, argv, &target);
}
