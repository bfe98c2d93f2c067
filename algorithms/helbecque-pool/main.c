#include "../../harness/bench.h"

int main(int argc, char **argv)
{
	static const struct target target = {
		.name = "helbecque-pool",
		.summary = "pool-based multi-GPU branch-and-bound (Helbecque et al. 2025)",
	};

	return copra_main(argc, argv, &target);
}
