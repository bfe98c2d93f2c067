/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/tree-search/nqueens/queens_verify.h"

#include <inttypes.h>
#include <stddef.h>

/* Solutions: OEIS A000170 (https://oeis.org/A000170). N up to 20 were also counted by copra's
 * searches. N = 26 and 27 are from the FPGA searches of Preusser and Engelhardt ("Putting queens in
 * carry chains", J. Signal Processing Systems 88, 2017). N = 21 to 25 are only in that list.
 * Explored: N = 15..17 are Table 2 of Helbecque et al. 2025. The tests count N <= 13 with queens.h.
 * No paper prints the others: 14 and 18..20 are our own searches' counts; half of the non-final
 * nodes of 18 is the 29,350 million of Gmys et al. 2017, Table 2.
 * Half boards: for even N by symmetry, half of the explored nodes less the solutions; for odd N up
 * to 15 counted with queens.h (the tests count N <= 12), 17 and 19 by our own searches. Table 2 of
 * Gmys et al. has 15..19 to the million. */
static const struct queens_known known[] = {
	{ 1, 1, 1, 0 },
	{ 2, 0, 2, 1 },
	{ 3, 0, 5, 3 },
	{ 4, 2, 16, 7 },
	{ 5, 10, 53, 25 },
	{ 6, 4, 152, 74 },
	{ 7, 40, 551, 292 },
	{ 8, 92, 2056, 982 },
	{ 9, 352, 8393, 4500 },
	{ 10, 724, 35538, 17407 },
	{ 11, 2680, 166925, 89877 },
	{ 12, 14200, 856188, 420994 },
	{ 13, 73712, 4674889, 2490837 },
	{ 14, 365596, 27358552, 13496478 },
	{ 15, 2279184, 171129071, 90634737 },
	{ 16, 14772512, 1141190302, 563208895 },
	{ 17, 95815104, 8017021931, 4224112370 },
	{ 18, 666090624, 59365844490, 29349876933 },
	{ 19, 4968057848, 461939618823, 242419099082 },
	{ 20, 39029188884, 3769977745908, 1865474278512 },
	{ 21, 314666222712, 0, 0 },
	{ 22, 2691008701644, 0, 0 },
	{ 23, 24233937684440, 0, 0 },
	{ 24, 227514171973736, 0, 0 },
	{ 25, 2207893435808352, 0, 0 },
	{ 26, 22317699616364044, 0, 0 },
	{ 27, 234907967154122528, 0, 0 },
};

const struct queens_known *queens_known(int n)
{
	size_t count = sizeof(known) / sizeof(known[0]);

	return n >= 1 && (size_t)n <= count ? &known[n - 1] : NULL;
}

/* Whether no search of ours and no paper confirms the number of solutions. */
static bool only_listed(const struct queens_known *k)
{
	return !k->explored && k->n < 26;
}

bool queens_agrees(const struct queens_known *k, bool complete, uint64_t solutions)
{
	return complete ? solutions == k->solutions : solutions <= k->solutions;
}

/* ERR_FAILED if the number differs from the known one, unless that is only listed. */
static int check_solutions(const struct queens_known *k, bool complete, uint64_t solutions,
			   struct err *e)
{
	if (queens_agrees(k, complete, solutions) || only_listed(k))
		return 0;
	return err_set(e, ERR_FAILED,
		       "%d queens: %" PRIu64 " solutions found, but the known number is %" PRIu64,
		       k->n, solutions, k->solutions);
}

static int check_nodes(const struct queens_known *k, const struct search_request *q,
		       const struct search_outcome *o, struct err *e)
{
	uint64_t expected = q->half_board ? k->half : q->solutions_only ? 0 : k->explored;
	uint64_t counted = q->half_board ? o->decomposed : o->explored;

	if (!expected || counted == expected)
		return 0;
	return err_set(e, ERR_FAILED,
		       "%d queens: %" PRIu64 " nodes %s, but the known number is %" PRIu64,
		       q->queens, counted,
		       q->half_board ? "decomposed on half the board" : "explored", expected);
}

int queens_verify(const struct search_request *q, const struct search_outcome *o, bool *verified,
		  struct err *e)
{
	const struct queens_known *k = queens_known(q->queens);
	int status = k ? check_solutions(k, o->complete, o->solutions, e) : 0;

	if (!status && k && o->complete)
		status = check_nodes(k, q, o, e);
	*verified = !status && k && o->complete && queens_agrees(k, true, o->solutions);
	return status;
}
