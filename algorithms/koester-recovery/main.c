#include "algorithms/koester-recovery/solve.h"

int main(int argc, char **argv)
{
	return copra_main(argc, argv, &track_target);
}
