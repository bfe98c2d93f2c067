#include "harness/bench/bench.h"
#include "algorithms/koester-recovery/solve.h"

int main(int argc, char **argv)
{
	static const struct target target = {
		.name = "koester-recovery",
		.summary =
			"states tracked and rebuilt from a compact history (Koester et al. 2019)",
		.solve = &track_solve_spec,
		.list = track_list,
	};

	return copra_main(argc, argv, &target);
}
