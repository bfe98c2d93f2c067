#include "../../harness/bench.h"

int main(int argc, char **argv)
{
	static const struct target target = {
		.name = "gmys-ivm",
		.summary = "IVM branch-and-bound with hierarchical work stealing (Gmys et al. 2017)",
	};

	return copra_main(argc, argv, &target);
}
