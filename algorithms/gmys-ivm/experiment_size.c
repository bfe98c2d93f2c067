#include <math.h>
#include <stdlib.h>

#include "harness/bench/solve.h"
#include "algorithms/tree-search/flowshop/fsp_verify.h"
#include "algorithms/tree-search/labels.h"
#include "algorithms/tree-search/nqueens/queens_verify.h"
#include "algorithms/gmys-ivm/experiment.h"

bool ivm_case_uses_device(const struct bench_case *c)
{
	return bench_int(c, "gpus") > 0;
}

/* ATSP: a city more makes the tree some 5.7 times larger, as in the paper. */
double ivm_case_nodes(const char *instance)
{
	const struct fsp_tree *tree = fsp_tree_at_best(instance, FSP_LB2, FSP_MAXSUM);
	uint64_t paths = label_is_atsp(instance) ? label_atsp_tree(instance) : 0;
	int n = label_queens(instance);

	if (n)
		return 90634737 * pow(6.8, n - 15);
	if (label_is_atsp(instance))
		return paths ? (double)paths : 2.2e8 * pow(5.7, atoi(instance + 5) - 15);
	if (label_is_random(instance))
		return 1e3;
	return tree ? (double)tree->decomposed : 1e12;
}

/* ---- how long it takes ---- */

enum { FLOWSHOP, QUEENS, ATSP, KINDS };

static int kind_of(const char *instance)
{
	return label_queens(instance) ? QUEENS : label_is_atsp(instance) ? ATSP : FLOWSHOP;
}

/* Nodes a second of one core or one GPU, from slow machines. */
static const double rates[][KINDS] = {
	[SOLVE_SERIAL] = { 3e4, 1e7, 8e6 },
	[SOLVE_CPU] = { 8e5, 3e8, 1e8 },
	[SOLVE_PUBLISHED] = { 1.2e7, 1e9, 1.2e9 },
	[SOLVE_TUNED] = { 2e9, 2e11, 1.5e10 },
};

static double rate_of(const struct bench_case *c)
{
	enum solve_variant v = bench_variant(c);
	int kind = kind_of(bench_text(c, "instance"));
	double gpus = (double)bench_int(c, "gpus"), threads = bench_threads(c);

	if (gpus > 0)
		return rates[v][kind] * gpus;
	return v == SOLVE_SERIAL ? rates[v][kind] :
	       v == SOLVE_CPU    ? rates[v][kind] * threads :
				   rates[SOLVE_SERIAL][kind] * threads;
}

static double seconds_of_all(const struct bench_case *c)
{
	return 0.1 + ivm_case_nodes(bench_text(c, "instance")) / rate_of(c);
}

double ivm_case_stop_after(const struct bench_case *c)
{
	bool slow = bench_variant(c) == SOLVE_SERIAL ||
		    (bench_variant(c) == SOLVE_PUBLISHED && !ivm_case_uses_device(c));
	bool paper = bench_scale(c) == BENCH_PAPER;

	return slow && seconds_of_all(c) > (paper ? 30 : 5) ? (paper ? 10 : 3) : 0;
}

double ivm_case_estimate(const struct bench_case *c)
{
	double stop = ivm_case_stop_after(c);

	return stop > 0 ? stop + 0.1 : seconds_of_all(c);
}

/* ---- what is too large ---- */

/* The largest tree: quick ends within minutes, paper within hours. */
static const double most_nodes[][KINDS][2] = {
	/* quick, paper */
	[SOLVE_SERIAL] = { { 4e7, 1e12 }, { 6e8, 1e12 }, { 3e8, 1e12 } },
	[SOLVE_CPU] = { { 2.5e7, 1e12 }, { 5e9, 1e12 }, { 1.5e9, 1e12 } },
	[SOLVE_PUBLISHED] = { { 6e7, 1e12 }, { 5e9, 1e12 }, { 2e9, 1e12 } },
	[SOLVE_TUNED] = { { 2e8, 1e12 }, { 3e11, 1e14 }, { 5e10, 1e13 } },
};

bool ivm_case_exists(const struct bench_case *c)
{
	enum solve_variant v = bench_variant(c);
	const char *instance = bench_text(c, "instance");
	double most = most_nodes[v][kind_of(instance)][bench_scale(c) == BENCH_PAPER];

	if (v != SOLVE_PUBLISHED && ivm_case_uses_device(c) != (v == SOLVE_TUNED))
		return false;
	return ivm_case_nodes(instance) <= most;
}
