#include "queens_known.h"

#include <stddef.h>

/* Solutions: OEIS A000170 (https://oeis.org/A000170); N = 26 and 27 from Preusser and Engelhardt's
 * searches on FPGAs, N = 27 confirmed on GPUs since.
 * Explored: N = 15..17 are Table 2 of Helbecque et al. 2025. The tests count N <= 13 with queens.h.
 * No paper prints the rest: 14 and 18..20 are our own searches' counts; half of 18's non-final
 * nodes is the 29,350 million of Gmys et al. 2017, Table 2. */
static const struct queens_known known[] = {
	{ 1, 1, 1 },
	{ 2, 0, 2 },
	{ 3, 0, 5 },
	{ 4, 2, 16 },
	{ 5, 10, 53 },
	{ 6, 4, 152 },
	{ 7, 40, 551 },
	{ 8, 92, 2056 },
	{ 9, 352, 8393 },
	{ 10, 724, 35538 },
	{ 11, 2680, 166925 },
	{ 12, 14200, 856188 },
	{ 13, 73712, 4674889 },
	{ 14, 365596, 27358552 },
	{ 15, 2279184, 171129071 },
	{ 16, 14772512, 1141190302 },
	{ 17, 95815104, 8017021931 },
	{ 18, 666090624, 59365844490 },
	{ 19, 4968057848, 461939618823 },
	{ 20, 39029188884, 3769977745908 },
	{ 21, 314666222712, 0 },
	{ 22, 2691008701644, 0 },
	{ 23, 24233937684440, 0 },
	{ 24, 227514171973736, 0 },
	{ 25, 2207893435808352, 0 },
	{ 26, 22317699616364044, 0 },
	{ 27, 234907967154122528, 0 },
};

const struct queens_known *queens_known(int n)
{
	size_t count = sizeof(known) / sizeof(known[0]);

	return n >= 1 && (size_t)n <= count ? &known[n - 1] : NULL;
}
