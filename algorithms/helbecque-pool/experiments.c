/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The experiments of helbecque-pool, and the measured case that they share: its set-up, run and
 * check are the hooks of a benchmark. Every benchmark has the axes instance, variant and gpus.
 *
 * Instances: ta029 and the like; 15Q for 15 queens; r9x5 for a random flowshop of 9 jobs on 5
 * machines, whose optimum is found by brute force and whose tree is counted by `serial` before
 * anything is timed. The time is seconds_search of the outcome (search.h); the counter
 * total_seconds is the time of the whole call. A wrong count, proof or schedule turns the row into
 * an error. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "algorithms/helbecque-pool/ladder.h"
#include "algorithms/helbecque-pool/pool_search.h"
#include "algorithms/helbecque-pool/published.h"
#include "algorithms/tree-search/flowshop/fsp_verify.h"
#include "algorithms/tree-search/flowshop/fsp_cpu.h"
#include "algorithms/tree-search/by-set/sets_search.h"
#include "algorithms/tree-search/labels.h"
#include "algorithms/tree-search/nqueens/queens_verify.h"
#include "algorithms/tree-search/search_case.h"
#include "algorithms/tree-search/search_work.h"
#include "harness/base/stats.h"
#include "harness/base/team.h"

/* ---- counters ---- */

static void shares(struct bench_case *c, const struct search_outcome *o)
{
	static const char *const names[] = { "share_min", "share_q1", "share_median", "share_q3",
					     "share_max" };
	double share[SEARCH_WORKERS_MAX], total = 0;

	if (o->workers < 1 || o->workers > SEARCH_WORKERS_MAX)
		return;
	for (int i = 0; i < o->workers; i++)
		total += (double)o->worker_explored[i];
	for (int i = 0; i < o->workers; i++)
		share[i] = total > 0 ? (double)o->worker_explored[i] / total : 0;
	for (int i = 0; i < 5 && total > 0; i++)
		bench_counter(c, names[i], stat_quantile(share, (size_t)o->workers, i / 4.0),
			      BENCH_COUNT);
}

/* Counters of a benchmark row: counts, times, stealing, memory, and how the explored nodes were
 * shared between several GPUs: share_min, share_q1, share_median, share_q3, share_max (Figure 11).
 */
static void counters(struct bench_case *c, const struct search_request *r,
		     const struct search_outcome *o)
{
	struct measure figures[POOL_FIGURES];

	if (!r->solutions_only) {
		bench_counter(c, "explored", (double)o->explored, BENCH_COUNT);
		if (pool_decomposed(r, o))
			bench_counter(c, "decomposed", (double)pool_decomposed(r, o), BENCH_COUNT);
	}
	if (r->flowshop)
		bench_counter(c, "leaves", (double)o->leaves, BENCH_COUNT);
	else
		bench_counter(c, "solutions", (double)o->solutions, BENCH_COUNT);
	if (o->evaluated)
		bench_counter(c, "evaluated", (double)o->evaluated, BENCH_COUNT);
	bench_counter(c, "total_seconds", o->seconds_total, BENCH_MEAN);
	pool_figures(o, figures);
	bench_measures(c, figures, POOL_FIGURES);
	if (r->gpus > 1)
		shares(c, o);
}

/* ---- the measured case ---- */

struct experiment {
	struct search_case search;
	double operations; /* published, flowshop: of its kernels; 0: not counted */
	bool placed; /* N-Queens, tuned with a rung or serial: `placements` has their counts */
	uint64_t placements[SEARCH_PROFILE + 1]; /* by number of queens */
};

/* ---- what the bounds demand of the machine (search_work.h) ---- */

/* Tuned, all placements. Without a rung, the least number of population counts: one of up to four
 * reflected placements is decomposed, and the free columns of its next row are counted. */
static void queens_demands(struct bench_case *c, const struct experiment *x)
{
	const struct search_case *s = &x->search;
	double decomposed = (double)pool_decomposed(&s->request, &s->outcome);

	if (x->placed)
		search_case_device_demands(
			c, s, PEAK_GPU_ADD_MAX,
			search_work_pairs(s->request.queens, x->placements, s->request.forms),
			s->outcome.bytes);
	else
		search_case_device_demands(c, s, PEAK_GPU_POPCOUNT, decomposed / 4,
					   s->outcome.bytes);
}

/* LB2 with forward branching. Searches depth first, and published ones that were not counted,
 * compute at least the front and the bound of every explored node. */
static void flowshop_demands(struct bench_case *c, const struct experiment *x)
{
	const struct search_case *s = &x->search;
	const struct search_request *r = &s->request;

	if (s->variant == SOLVE_SERIAL || r->bound != FSP_LB2 || r->branching != FSP_FORWARD)
		return;
	if (s->variant == SOLVE_CPU && fsp_cpu_operations(r, &s->outcome) > 0)
		search_case_cores_demands(c, s, fsp_cpu_operations(r, &s->outcome) / 2);
	else if (s->variant == SOLVE_PUBLISHED && x->operations > 0)
		search_case_device_demands(c, s, PEAK_GPU_ADD_MAX, x->operations, s->outcome.bytes);
	else if (s->variant == SOLVE_TUNED && !(r->forms & SEARCH_DEPTH_FIRST) &&
		 sets_search_supports(r, false))
		search_case_sets_demands(c, s);
	else
		search_case_least_demand(c, s, s->outcome.explored);
}

static void demands(struct bench_case *c, const struct experiment *x)
{
	const struct search_case *s = &x->search;

	if (s->request.flowshop)
		flowshop_demands(c, x);
	else if (s->variant == SOLVE_PUBLISHED)
		search_case_device_demands(c, s, PEAK_GPU_ADD_MAX, s->outcome.operations,
					   s->outcome.bytes);
	else if (s->variant == SOLVE_CPU)
		search_case_cores_demands(c, s, s->outcome.operations);
	else if (s->variant == SOLVE_SERIAL && x->placed)
		search_case_cores_demands(
			c, s, search_work_ivm_queens(s->request.queens, x->placements, true) / 2);
	else if (s->variant == SOLVE_TUNED && !s->request.solutions_only)
		queens_demands(c, x);
}

/* ---- instances by their label ---- */

/* Table 1 of the paper. */
static const struct fsp_tree *tree_of(const char *label)
{
	return fsp_tree_at_best(label, FSP_LB2, FSP_FORWARD);
}

/* The explored nodes of the tree, or an estimate. */
static double nodes_of(const char *label)
{
	const struct fsp_tree *tree = tree_of(label);
	int n = label_queens(label);
	const struct queens_known *k = n ? queens_known(n < 20 ? n : 20) : NULL;

	if (k)
		return (double)k->explored * pow(8.5, n > 20 ? n - 20 : 0);
	return tree ? (double)tree->decomposed : 1e4;
}

/* ---- predicted times, and trees that are too large ---- */

/* Nodes/s of one core or one GPU, from slow machines. */
static const double rates[][2] = {
	/* flowshop, N-Queens */
	[SOLVE_SERIAL] = { 30e3, 20e6 },
	[SOLVE_CPU] = { 7e6, 1e9 },
	[SOLVE_PUBLISHED] = { 6e6, 35e6 },
	[SOLVE_TUNED] = { 8e9, 1e12 },
};

static double seconds_of_all(const struct bench_case *c)
{
	enum solve_variant v = bench_variant(c);
	const char *instance = bench_text(c, "instance");
	double many = v == SOLVE_SERIAL ? 1 :
		      v == SOLVE_CPU    ? bench_setting(c)->threads :
					  (double)bench_int(c, "gpus");

	return 0.2 + nodes_of(instance) / rates[v][label_queens(instance) > 0] / many;
}

/* Seconds after which a search on one core stops early if it would take too long; its time is then
 * extrapolated to all nodes. 0: it finishes. */
static double part_seconds(const struct bench_case *c)
{
	bool paper = bench_scale(c) == BENCH_PAPER;

	if (bench_variant(c) != SOLVE_SERIAL || !tree_of(bench_text(c, "instance")) ||
	    seconds_of_all(c) <= (paper ? 600 : 20))
		return 0;
	return paper ? 60 : 10;
}

/* Predicted seconds of a search until it ends or stops early. */
static double pool_case_estimate(const struct bench_case *c)
{
	double part = part_seconds(c);

	return part > 0 ? part : seconds_of_all(c);
}

/* Published searches of larger flowshop trees are not counted. */
static const double most_nodes_counted = 2e7;

/* The same with the search that counts the operations (count_operations). */
static double counted_case_estimate(const struct bench_case *c)
{
	const char *instance = bench_text(c, "instance");
	bool counted = bench_variant(c) == SOLVE_PUBLISHED && !label_queens(instance) &&
		       nodes_of(instance) <= most_nodes_counted;

	return pool_case_estimate(c) + (counted ? 2 * seconds_of_all(c) : 0);
}

/* The largest trees: quick ends within minutes, paper within hours. */
static const double most_nodes[][2][2] = {
	/* flowshop quick, paper; N-Queens quick, paper */
	[SOLVE_SERIAL] = { { 1.5e7, 4e9 }, { 2e8, 2e8 } },
	[SOLVE_CPU] = { { 2.4e8, 4e9 }, { 1e10, 5e11 } },
	[SOLVE_PUBLISHED] = { { 6e7, 4e9 }, { 2e8, 1e10 } },
	[SOLVE_TUNED] = { { 4e9, 4e9 }, { 6e10, 4e12 } },
};

/* The variants on devices need gpus > 0, the others gpus = 0. No variant gets a tree that would
 * take hours. */
static bool pool_case_exists(const struct bench_case *c)
{
	const char *instance = bench_text(c, "instance");
	double most = most_nodes[bench_variant(c)][label_queens(instance) > 0]
				[bench_scale(c) == BENCH_PAPER];

	return bench_gpus_fit(c) && nodes_of(instance) <= most;
}

/* ---- set-up ---- */

enum { SIMULATED_NODES = 40000 };

struct pool_case {
	const char *instance, *rung; /* rung: NULL: the variant as it is */
	enum fsp_bound bound;
	enum fsp_branching branching;
	bool no_stealing, solutions_only;
	bool counted; /* published, flowshop: count the operations, if the tree is not too large */
	int64_t m, M; /* 0: the paper's; SEARCH_MEASURED */
	int64_t memory; /* bytes for open nodes, 0: chosen by the search; if too few, the case is
			   skipped */
	double from_scratch; /* time limit in seconds of a search without an incumbent, including
				its heuristic start; 0: the search is given the optimum */
};

/* The paper's settings: LB2, forward branching, and its m and M for the published variant. */
static struct pool_case pool_case_default(const struct bench_case *c)
{
	const char *instance = bench_text(c, "instance");
	bool tiny = nodes_of(instance) < 1e6;

	/* a tiny tree must still be offloaded in several chunks */
	return (struct pool_case){ .instance = instance,
				   .bound = FSP_LB2,
				   .branching = FSP_FORWARD,
				   .m = tiny ? 5 : 0,
				   .M = tiny ? 100 : 0 };
}

static int check_machine(struct bench_case *c, const struct pool_case *p, struct err *e)
{
	bool real = !label_queens(p->instance) && !label_is_random(p->instance);
	int status = bench_need_machine(c, bench_int(c, "gpus"),
					real || nodes_of(p->instance) > SIMULATED_NODES, e);

	if (!status && p->memory > 0)
		status = search_case_refuse_ranks(c, "the memory is that of one process", e);
	if (status || p->from_scratch > 0)
		return status;
	return bench_need_time(c, pool_case_estimate(c), e);
}

static int search(void *context, const struct search_request *q, struct search_outcome *o,
		  struct err *e)
{
	const struct search_case *x = context;

	return pool_search(x->variant)(q, o, e);
}

/* Counts the explored nodes of a tree without a published count, by the serial algorithm. */
static int count_tree(struct search_case *x, struct err *e)
{
	struct search_outcome o = { 0 };
	int status = pool_search(SOLVE_SERIAL)(&x->request, &o, e);

	x->tree = o.explored;
	search_outcome_free(&o);
	return status;
}

/* Counts the operations of the kernels by a search that takes about twice as long. */
static int count_operations(struct experiment *x, struct err *e)
{
	struct search_request r = x->search.request;
	struct search_outcome o = { 0 };
	int status;

	r.count_operations = true;
	status = pool_search(SOLVE_PUBLISHED)(&r, &o, e);
	x->operations = o.operations;
	search_outcome_free(&o);
	return status;
}

static int count_placements(struct experiment *x, const struct bench_case *c, struct err *e)
{
	struct team *team = NULL;
	int status = team_create(&team, bench_setting(c)->threads, e);

	if (!status)
		search_work_placements(x->search.request.queens, false, team, x->placements);
	team_destroy(team);
	x->placed = !status;
	return status;
}

/* For serial up to 15 queens, which takes a core two seconds. */
static bool counts_placements(const struct search_case *s, const struct pool_case *p)
{
	enum { MOST = 15 };

	return (s->variant == SOLVE_TUNED && p->rung) ||
	       (s->variant == SOLVE_SERIAL && s->request.queens <= MOST);
}

static int count_work(struct search_case *s, const struct bench_case *c, const struct pool_case *p,
		      struct err *e)
{
	struct experiment *x = (struct experiment *)s;

	if (s->request.queens)
		return counts_placements(s, p) ? count_placements(x, c, e) : 0;
	if (p->counted && s->variant == SOLVE_PUBLISHED &&
	    nodes_of(p->instance) <= most_nodes_counted)
		return count_operations(x, e);
	return 0;
}

static int prepare(struct search_case *x, const struct bench_case *c, const void *settings,
		   struct err *e)
{
	const struct pool_case *p = settings;
	const struct fsp_tree *tree = tree_of(p->instance);
	int status;

	x->variant = bench_variant(c);
	x->target = (struct search_target){ .context = x, .search = search };
	if (x->variant == SOLVE_PUBLISHED)
		x->target.paper_stealing = p->m > 0 ? p->m : POOL_PAPER_M;
	x->from_scratch = p->from_scratch;
	x->request = (struct search_request){
		.bound = p->bound,
		.branching = p->branching,
		.ub = SEARCH_NO_UB,
		.no_stealing = p->no_stealing,
		.solutions_only = p->solutions_only,
		.m = p->m,
		.M = p->M,
		.memory = p->memory,
		.threads = bench_setting(c)->threads,
		.devices = &bench_setting(c)->devices,
		.gpus = (int)bench_int(c, "gpus"),
		.stop = bench_setting(c)->stop,
		.seed = 1,
	};
	status = search_case_load(x, p->instance, e);
	if (!status && p->rung)
		status = pool_rung_request(p->rung, &x->request, e);
	if (!status && !bench_setting(c)->ranks)
		status = count_work(x, c, p, e);
	if (status || x->request.queens || p->from_scratch > 0)
		return status;
	x->request.time_limit = part_seconds(c);
	x->part = x->request.time_limit > 0;
	x->tree = tree ? tree->decomposed - 1 : 0;
	return label_is_random(p->instance) && search_case_needs_count(x) ? count_tree(x, e) : 0;
}

static int pool_case_setup(struct bench_case *c, const struct pool_case *p, struct err *e)
{
	int status = check_machine(c, p, e);

	return status ? status : search_case_setup(c, sizeof(struct experiment), prepare, p, e);
}

/* ---- the measurement ---- */

static void report_scratch(struct bench_case *c, const struct search_case *x)
{
	const struct search_outcome *o = &x->outcome;

	search_case_scratch(c, x);
	if (o->complete)
		bench_label(c, "optimum %" PRId64 ", start %" PRId64, o->best, x->start_makespan);
	else
		bench_label(c, "between %" PRId64 " and %" PRId64 ", start %" PRId64,
			    o->lower_bound, o->best, x->start_makespan);
}

static void report(struct bench_case *c, const struct search_case *x)
{
	const struct search_outcome *o = &x->outcome;
	bool counted = !x->request.solutions_only;

	bench_work(c, counted ? (double)o->explored : (double)o->solutions,
		   counted ? "nodes" : "solutions");
	if (bench_setting(c)->ranks) {
		search_case_ranks(c, x);
	} else {
		counters(c, &x->request, o);
		demands(c, (const struct experiment *)x);
	}
	if (x->from_scratch > 0)
		report_scratch(c, x);
}

static int pool_case_run(struct bench_case *c, struct err *e)
{
	struct search_case *x = bench_data(c);
	int status = search_case_run(x, e);

	if (status == ERR_MEMORY && x->request.memory > 0)
		return err_set(e, ERR_UNSUPPORTED,
			       "the open nodes do not fit into the given memory");
	if (status)
		return status;
	if (search_case_report(c, x, x->outcome.seconds_search, "explored_part"))
		bench_work(c, (double)x->tree, "nodes");
	else
		report(c, x);
	return 0;
}

/* The fields that all experiments have in common. */
#define POOL_CASE                                                                                  \
	.manual_time = true, .unit = "ms", .run = pool_case_run, .check = search_case_check,       \
	.teardown = search_case_teardown, .uses_device = bench_uses_device

/* ---- our own: the ladder from the paper's algorithm to tuned ---- */

static const struct solve_rung *rung_of(const struct bench_case *c)
{
	bool queens = label_queens(bench_text(c, "instance")) > 0;

	return solve_rung_find(pool_rungs, queens ? "nqueens" : "flowshop", bench_text(c, "rung"));
}

static bool ladder_exists(const struct bench_case *c)
{
	const struct solve_rung *rung = rung_of(c);

	return rung && rung->variant == bench_variant(c) && pool_case_exists(c);
}

static int setup_ladder(struct bench_case *c, struct err *e)
{
	struct pool_case p = pool_case_default(c);

	p.rung = bench_text(c, "rung");
	p.counted = true;
	return pool_case_setup(c, &p, e);
}

static const struct bench_axis ladder_axes[] = {
	BENCH_AXIS_TEXT("instance", BENCH_TEXTS("r9x5", "8Q"), BENCH_TEXTS("ta029", "15Q"),
			BENCH_SAME),
	BENCH_VARIANTS("published", "tuned"),
	BENCH_FIXED_NAMED("rung", "literal", "pinned", "two-chunks", "lb1-first", "bit-masks",
			  "steps", "packed", "device-tree", "by-set", "set-at-once", "lane-nodes",
			  "depth-first", "refill", "symmetry"),
	BENCH_AXIS_INT("gpus", BENCH_INTS(1), BENCH_INTS(1, 2), BENCH_SAME), BENCH_AXIS_END
};
BENCHMARK(ladder) = {
	.name = "helbecque-pool/ladder",
	.summary = "From the paper's algorithm to tuned, one idea at a time, on the same trees",
	.axes = ladder_axes,
	.exists = ladder_exists,
	.setup = setup_ladder,
	POOL_CASE,
	.estimate = counted_case_estimate,
	.repetitions = { 1, 3, 5 },
};

/* ---- our own: symmetry of the board ---- */

static int setup_symmetry(struct bench_case *c, struct err *e)
{
	struct pool_case p = pool_case_default(c);

	p.solutions_only = true;
	return pool_case_setup(c, &p, e);
}

static const struct bench_axis symmetry_axes[] = {
	BENCH_AXIS_TEXT("instance", BENCH_TEXTS("8Q", "10Q"),
			BENCH_TEXTS("14Q", "15Q", "17Q", "18Q"),
			BENCH_TEXTS("15Q", "16Q", "17Q", "18Q", "19Q", "20Q")),
	BENCH_VARIANTS("cpu", "tuned"),
	BENCH_AXIS_INT("gpus", BENCH_INTS(0, 1), BENCH_INTS(0, 1, 2, 4, 8), BENCH_SAME),
	BENCH_AXIS_END
};
BENCHMARK(symmetry) = {
	.name = "helbecque-pool/symmetry",
	.summary = "N-Queens, solutions only: gain from the symmetry of the board",
	.axes = symmetry_axes,
	.exists = pool_case_exists,
	.setup = setup_symmetry,
	POOL_CASE,
	.estimate = pool_case_estimate,
};

/* ---- our own: little memory ---- */

/* On CPU cores, the larger trees would take an hour per budget. */
static bool memory_exists(const struct bench_case *c)
{
	return pool_case_exists(c) &&
	       (bench_uses_device(c) || strncmp(bench_text(c, "instance"), "ta02", 4) != 0);
}

static int setup_memory(struct bench_case *c, struct err *e)
{
	struct pool_case p = pool_case_default(c);

	p.memory = bench_int(c, "mib") << 20;
	return pool_case_setup(c, &p, e);
}

static const struct bench_axis memory_axes[] = {
	BENCH_AXIS_TEXT("instance", BENCH_TEXTS("r9x5"), BENCH_TEXTS("ta030", "ta024"),
			BENCH_TEXTS("ta030", "ta024", "ta021")),
	BENCH_VARIANTS("cpu", "tuned"),
	BENCH_AXIS_INT("mib", BENCH_INTS(0, 1), BENCH_INTS(0, 16, 64, 256, 1024, 8192), BENCH_SAME),
	BENCH_GPUS(0, 1), BENCH_AXIS_END
};
BENCHMARK(memory) = {
	.name = "helbecque-pool/memory",
	.summary = "Flowshop with a given amount of memory for open nodes in MiB (0: chosen)",
	.axes = memory_axes,
	.exists = memory_exists,
	.setup = setup_memory,
	POOL_CASE,
	.estimate = pool_case_estimate,
};

/* ---- our own: from scratch to a proof, or to the time limit ---- */

static bool is_of_paper(const struct bench_case *c)
{
	return strncmp(bench_text(c, "instance"), "ta02", 4) == 0 ||
	       strcmp(bench_text(c, "instance"), "ta030") == 0;
}

/* 20 x 20 uses the paper's bound. 50 and 100 jobs use one-machine bounds and branching from both
 * ends, which are more efficient for these instances (Gmys, Mezmaz, Melab, Tuyttens 2020). */
static int setup_solving(struct bench_case *c, struct err *e)
{
	struct pool_case p = pool_case_default(c);

	p.from_scratch = (double)bench_int(c, "limit");
	if (!is_of_paper(c)) {
		p.bound = FSP_LB1;
		p.branching = FSP_MINBRANCH;
	}
	return pool_case_setup(c, &p, e);
}

static double estimate_solving(const struct bench_case *c)
{
	double limit = (double)bench_int(c, "limit");

	return is_of_paper(c) ? fmin(limit, 1 + 2 * pool_case_estimate(c)) : limit;
}

static const struct bench_axis solving_axes[] = {
	BENCH_AXIS_TEXT("instance", BENCH_TEXTS("r9x5"),
			BENCH_TEXTS("ta029", "ta030", "ta042", "ta071", "ta073"),
			BENCH_TEXTS("ta021", "ta022", "ta023", "ta024", "ta025", "ta026", "ta027",
				    "ta028", "ta029", "ta030", "ta041", "ta042", "ta043", "ta044",
				    "ta045", "ta046", "ta047", "ta048", "ta049", "ta050", "ta071",
				    "ta072", "ta073", "ta074", "ta075", "ta076", "ta077", "ta078",
				    "ta079", "ta080")),
	BENCH_VARIANTS("cpu", "tuned"),
	BENCH_AXIS_INT("limit", BENCH_INTS(2), BENCH_INTS(5), BENCH_INTS(60)), BENCH_GPUS(0, 1),
	BENCH_AXIS_END
};
BENCHMARK(solving) = {
	.name = "helbecque-pool/solving",
	.summary = "Flowshop from scratch, 20x20, 50x10, 100x10: proofs, or bounds at a time limit",
	.axes = solving_axes,
	.exists = bench_gpus_fit,
	.setup = setup_solving,
	POOL_CASE,
	.estimate = estimate_solving,
};

/* ---- the experiments of the paper that one machine can run ----
 *
 * Figures 9, 10 and 11 are computed from the rows of table1 and table2, and of table5 and table7.
 */

#define FLOWSHOPS                                                                                  \
	"ta029", "ta030", "ta022", "ta027", "ta023", "ta028", "ta025", "ta026", "ta024", "ta021"
#define SEVERAL_GPUS BENCH_AXIS_INT("gpus", BENCH_INTS(2), BENCH_INTS(2, 4, 8), BENCH_SAME)

static int setup_default(struct bench_case *c, struct err *e)
{
	struct pool_case p = pool_case_default(c);

	p.counted = true;
	return pool_case_setup(c, &p, e);
}

static const struct bench_axis table1_axes[] = {
	BENCH_AXIS_TEXT("instance", BENCH_TEXTS("r9x5", "r9x8"), BENCH_TEXTS(FLOWSHOPS),
			BENCH_SAME),
	BENCH_ALL_VARIANTS, BENCH_GPUS(0, 1), BENCH_AXIS_END
};
BENCHMARK(table1) = {
	.name = "helbecque-pool/table1",
	.summary = "Table 1 and Figure 10: flowshop from the optimum: exact trees and times",
	.axes = table1_axes,
	.exists = pool_case_exists,
	.setup = setup_default,
	POOL_CASE,
	.estimate = counted_case_estimate,
};

static const struct bench_axis table2_axes[] = {
	BENCH_AXIS_TEXT("instance", BENCH_TEXTS("8Q", "10Q"),
			BENCH_TEXTS("12Q", "13Q", "14Q", "15Q", "16Q", "17Q", "18Q"),
			BENCH_TEXTS("15Q", "16Q", "17Q", "18Q", "19Q")),
	BENCH_ALL_VARIANTS, BENCH_GPUS(0, 1), BENCH_AXIS_END
};
BENCHMARK(table2) = {
	.name = "helbecque-pool/table2",
	.summary = "Table 2 and Figure 9: N-Queens: exact trees, solutions and times",
	.axes = table2_axes,
	.exists = pool_case_exists,
	.setup = setup_default,
	POOL_CASE,
	.estimate = counted_case_estimate,
};

/* ---- Table 4 ---- */

/* m:0 with M:0 is the automatic choice. */
static bool sweep_exists(const struct bench_case *c)
{
	return pool_case_exists(c) && (bench_int(c, "m") == 0) == (bench_int(c, "M") == 0);
}

static int setup_sweep(struct bench_case *c, struct err *e)
{
	struct pool_case p = pool_case_default(c);

	p.m = bench_int(c, "m") ? bench_int(c, "m") : SEARCH_MEASURED;
	p.M = bench_int(c, "M") ? bench_int(c, "M") : SEARCH_MEASURED;
	return pool_case_setup(c, &p, e);
}

static const struct bench_axis table4_axes[] = {
	BENCH_AXIS_TEXT("instance", BENCH_TEXTS("r9x5"), BENCH_TEXTS("ta030"), BENCH_SAME),
	BENCH_VARIANTS("published"),
	BENCH_AXIS_INT("m", BENCH_INTS(0, 5, 20), BENCH_INTS(0, 10, 50, 100),
		       BENCH_INTS(0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100)),
	BENCH_AXIS_INT("M", BENCH_INTS(0, 50, 500), BENCH_INTS(0, 50000, 200000, 500000),
		       BENCH_INTS(0, 50000, 100000, 200000, 300000, 400000, 500000, 600000)),
	BENCH_GPUS(1),
	BENCH_AXIS_END
};
BENCHMARK(table4) = {
	.name = "helbecque-pool/table4",
	.summary =
		"Table 4: the paper's algorithm for given m and M; m:0/M:0 is the automatic choice",
	.axes = table4_axes,
	.exists = sweep_exists,
	.setup = setup_sweep,
	POOL_CASE,
	.estimate = pool_case_estimate,
};

/* Tests whether the paper's choice also holds for other instances. Only M varies; m is that of the
 * paper. */
static int setup_calibration(struct bench_case *c, struct err *e)
{
	struct pool_case p = pool_case_default(c);

	p.M = bench_int(c, "M");
	if (!p.M)
		p.m = p.M = SEARCH_MEASURED;
	return pool_case_setup(c, &p, e);
}

static const struct bench_axis calibration_axes[] = {
	BENCH_AXIS_TEXT("instance", BENCH_TEXTS("r9x5"), BENCH_TEXTS("ta029", "14Q"),
			BENCH_TEXTS("ta029", "ta022", "15Q")),
	BENCH_VARIANTS("published"),
	BENCH_AXIS_INT("M", BENCH_INTS(0, 50, 500),
		       BENCH_INTS(0, 10000, 50000, 200000, 500000, 1000000), BENCH_SAME),
	BENCH_GPUS(1), BENCH_AXIS_END
};
BENCHMARK(calibration) = {
	.name = "helbecque-pool/calibration",
	.summary = "The automatic choice of m and M (M:0) against the best of a sweep",
	.axes = calibration_axes,
	.exists = pool_case_exists,
	.setup = setup_calibration,
	POOL_CASE,
	.estimate = pool_case_estimate,
	.repetitions = { 1, 3, 5 },
};

/* ---- several GPUs ---- */

#define SCALING_INSTANCES                                                                          \
	BENCH_AXIS_TEXT("instance", BENCH_TEXTS("r9x5", "8Q"),                                     \
			BENCH_TEXTS("15Q", "17Q", "18Q", "ta029", "ta030", "ta022", "ta027",       \
				    "ta026", "ta024", "ta021"),                                    \
			BENCH_TEXTS("15Q", "16Q", "17Q", "18Q", "19Q", FLOWSHOPS))

static const struct bench_axis table5_axes[] = { SCALING_INSTANCES,
						 BENCH_VARIANTS("published", "tuned"), SEVERAL_GPUS,
						 BENCH_AXIS_END };
BENCHMARK(table5) = {
	.name = "helbecque-pool/table5",
	.summary = "Table 5: scaling over GPUs; its base, one GPU, is in table1 and table2",
	.axes = table5_axes,
	.exists = pool_case_exists,
	.setup = setup_default,
	POOL_CASE,
	.estimate = counted_case_estimate,
};

/* Runs only with all GPUs of the machine, as in the paper: 8, 4 or 2. */
static int setup_no_stealing(struct bench_case *c, struct err *e)
{
	struct pool_case p = pool_case_default(c);
	int64_t gpus = bench_int(c, "gpus"), given = bench_setting(c)->devices.count;

	if (2 * gpus <= given && 2 * gpus <= 8)
		return bench_skip(c, (struct skip){ SKIP_FEWER_GPUS, (double)gpus, (double)given },
				  e, "measured with more of the %d GPUs given", (int)given);
	p.no_stealing = true;
	return pool_case_setup(c, &p, e);
}

static const struct bench_axis table7_axes[] = { SCALING_INSTANCES,
						 BENCH_VARIANTS("published", "tuned"),
						 BENCH_FIXED_NAMED("stealing", "off"), SEVERAL_GPUS,
						 BENCH_AXIS_END };
BENCHMARK(table7) = {
	.name = "helbecque-pool/table7",
	.summary = "Table 7 and Figure 11: without work stealing; with it see table5",
	.axes = table7_axes,
	.exists = pool_case_exists,
	.setup = setup_no_stealing,
	POOL_CASE,
	.estimate = pool_case_estimate,
};
