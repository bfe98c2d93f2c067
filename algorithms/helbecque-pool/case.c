/* The measured case; see case.h. */
#include "algorithms/helbecque-pool/case.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/tree-search/flowshop/fsp_verify.h"
#include "algorithms/tree-search/labels.h"
#include "algorithms/tree-search/nqueens/queens_verify.h"
#include "algorithms/tree-search/search_case.h"
#include "algorithms/helbecque-pool/pool_search.h"
#include "harness/base/stats.h"

/* ---- the figures of an outcome ---- */

uint64_t pool_decomposed(const struct search_request *r, const struct search_outcome *o)
{
	if (r->solutions_only)
		return 0;
	if (o->decomposed || r->flowshop || !o->complete || !o->explored)
		return o->decomposed;
	return o->explored - o->solutions + 1;
}

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

void pool_figures(const struct search_outcome *o, struct measure figures[POOL_FIGURES])
{
	const struct measure all[POOL_FIGURES] = {
		{ "setup_seconds", o->seconds_setup, true },
		{ "table_seconds", o->seconds_tables, true },
		{ "workers", o->workers, false },
		{ "steals_tried", (double)o->steals_tried, false },
		{ "steals_done", (double)o->steals_done, false },
		{ "nodes_stolen", (double)o->nodes_stolen, false },
		{ "offloads", (double)o->offloads, false },
		{ "offload_least", (double)o->m, false },
		{ "offload_most", (double)o->M, false },
		{ "memory_peak", (double)o->memory_peak, false },
	};

	memcpy(figures, all, sizeof(all));
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

/* Lower bound on the time of LB2 by set, forward: the front of every explored node and its bound, 2
 * add-max operations per machine on 16-bit lanes. No bound for other searches. */
static void time_bound(struct bench_case *c, const struct search_case *x)
{
	const struct search_request *r = &x->request;

	if (r->flowshop && r->bound == FSP_LB2 && r->branching == FSP_FORWARD)
		search_case_time_bound(c, x,
				       2.0 * r->flowshop->machines * (double)x->outcome.explored);
}

/* ---- the case ---- */

enum { SIMULATED_NODES = 40000 };

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

double pool_case_estimate(const struct bench_case *c)
{
	double part = part_seconds(c);

	return part > 0 ? part : seconds_of_all(c);
}

/* The largest trees: quick ends within minutes, paper within hours. */
static const double most_nodes[][2][2] = {
	/* flowshop quick, paper; N-Queens quick, paper */
	[SOLVE_SERIAL] = { { 1.5e7, 4e9 }, { 2e8, 2e8 } },
	[SOLVE_CPU] = { { 2.4e8, 4e9 }, { 1e10, 5e11 } },
	[SOLVE_PUBLISHED] = { { 6e7, 4e9 }, { 2e8, 1e10 } },
	[SOLVE_TUNED] = { { 4e9, 4e9 }, { 6e10, 4e12 } },
};

bool pool_case_exists(const struct bench_case *c)
{
	const char *instance = bench_text(c, "instance");
	double most = most_nodes[bench_variant(c)][label_queens(instance) > 0]
				[bench_scale(c) == BENCH_PAPER];

	return bench_gpus_fit(c) && nodes_of(instance) <= most;
}

/* ---- set-up ---- */

struct pool_case pool_case_default(const struct bench_case *c)
{
	const char *instance = bench_text(c, "instance");
	bool paper = bench_variant(c) == SOLVE_PUBLISHED, tiny = nodes_of(instance) < 1e6;

	/* a tiny tree must still be offloaded in several chunks */
	return (struct pool_case){ .instance = instance,
				   .bound = FSP_LB2,
				   .branching = FSP_FORWARD,
				   .m = !paper ? 0 :
					tiny   ? 5 :
						 POOL_PAPER_M,
				   .M = !paper ? 0 :
					tiny   ? 100 :
						 POOL_PAPER_MOST };
}

static int check_machine(struct bench_case *c, const struct pool_case *p, struct err *e)
{
	bool real = !label_queens(p->instance) && !label_is_random(p->instance);
	int status = bench_need_machine(c, bench_int(c, "gpus"),
					real || nodes_of(p->instance) > SIMULATED_NODES, e);

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
	int status = pool_search_serial(&x->request, &o, e);

	x->tree = o.explored;
	search_outcome_free(&o);
	return status;
}

static int prepare(struct search_case *x, const struct bench_case *c, const struct pool_case *p,
		   struct err *e)
{
	const struct fsp_tree *tree = tree_of(p->instance);
	int status;

	x->variant = bench_variant(c);
	x->target = (struct search_target){ .context = x, .search = search };
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
	if (status || x->request.queens || p->from_scratch > 0)
		return status;
	x->request.time_limit = part_seconds(c);
	x->part = x->request.time_limit > 0;
	x->tree = tree ? tree->decomposed - 1 : 0;
	return label_is_random(p->instance) && x->variant != SOLVE_SERIAL ? count_tree(x, e) : 0;
}

int pool_case_setup(struct bench_case *c, const struct pool_case *p, struct err *e)
{
	struct search_case *x;
	int status = check_machine(c, p, e);

	if (status)
		return status;
	x = bench_new_data(c, sizeof(*x), e);
	if (!x)
		return ERR_MEMORY;
	status = prepare(x, c, p, e);
	if (status)
		pool_case_teardown(c);
	return status;
}

void pool_case_teardown(struct bench_case *c)
{
	struct search_case *x = bench_data(c);

	search_case_free(x);
	free(x);
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

	bench_set_seconds(c, x->start_seconds + o->seconds_search);
	bench_work(c, counted ? (double)o->explored : (double)o->solutions,
		   counted ? "nodes" : "solutions");
	counters(c, &x->request, o);
	time_bound(c, x);
	if (x->from_scratch > 0)
		report_scratch(c, x);
}

int pool_case_run(struct bench_case *c, struct err *e)
{
	struct search_case *x = bench_data(c);
	int status = search_case_start(x, e);

	if (!status)
		status = search_case_run(x, e);
	if (status == ERR_MEMORY && x->request.memory > 0)
		return err_set(e, ERR_UNSUPPORTED,
			       "the open nodes do not fit into the given memory");
	if (status)
		return status;
	bench_output_hash(c, search_case_hash(x));
	if (search_case_is_part(x)) {
		bench_set_seconds(c, search_case_extrapolate(c, x, "explored_part"));
		bench_work(c, (double)x->tree, "nodes");
	} else {
		report(c, x);
	}
	return 0;
}

int pool_case_check(struct bench_case *c, struct err *e)
{
	return search_case_check(bench_data(c), e);
}
