#include "algorithms/gmys-ivm/experiment.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/hash.h"
#include "harness/base/stats.h"
#include "algorithms/tree-search/checkpoint.h"
#include "algorithms/tree-search/flowshop/flowshop_trees.h"
#include "algorithms/tree-search/labels.h"
#include "algorithms/tree-search/nqueens/queens_known.h"
#include "algorithms/tree-search/search_bench.h"
#include "algorithms/gmys-ivm/measured.h"
#include "algorithms/gmys-ivm/solve.h"
#include "algorithms/gmys-ivm/verify.h"

enum { RUNS_MAX = 1000, SIMULATED_NODES = 20000, SMOKE_IVMS = 64 };

struct experiment {
	struct flowshop f;
	struct atsp a;
	bool has_atsp;
	struct ivm_request request;
	struct ivm_outcome outcome; /* of the last run */
	enum solve_variant variant;
	int runs;
	double seconds[RUNS_MAX]; /* of each run */
	bool part;                /* runs may stop early */
	bool trace;
	struct scratch scratch; /* limit 0: the optimum is given, start an optimal tour */
	int64_t optimum;
	uint64_t tree; /* decomposed nodes that are expected; 0: not known */
	struct checkpoint_plan plan;
	char checkpoint_file[64];
};

/* ---- set-up ---- */

struct ivm_case ivm_case_default(const struct bench_case *c)
{
	const char *instance = bench_text(c, "instance");
	bool flowshop = !label_queens(instance) && !label_is_atsp(instance);
	int ivms = bench_scale(c) == BENCH_SMOKE ? SMOKE_IVMS : IVM_PAPER_T;

	return (struct ivm_case){
		.instance = instance,
		.bound = FSP_LB2,
		.branching = FSP_MAXSUM,
		.ivms = ivms,
		.mode = flowshop ? IVM_PTE_PEB : IVM_PTE,
		.victims = IVM_HYPERCUBE,
		.trigger = ivms / 5,
		.runs = 1,
		.stop_after = ivm_case_stop_after(c),
	};
}

static int check_machine(struct bench_case *c, const struct ivm_case *p, struct err *e)
{
	int status = bench_need_machine(c, bench_int(c, "gpus"),
					ivm_case_nodes(p->instance) > SIMULATED_NODES, e);

	if (status || p->from_scratch > 0)
		return status;
	return bench_need_time(c,
			       p->stop_after > 0 ? p->stop_after :
			       p->predicted > 0  ? p->predicted :
						   ivm_case_estimate(c),
			       e);
}

static void make_request(struct experiment *x, const struct bench_case *c, const struct ivm_case *p)
{
	bool device = ivm_case_uses_device(c);

	x->request = (struct ivm_request){
		.mode = p->mode,
		.ivms = p->ivms,
		.victims = p->victims,
		.trigger = p->mode == IVM_PTE_PEB ? 0 : p->trigger,
		.hybrid = p->hybrid,
		.steal_parts = p->steal_parts,
		.trace = p->trace,
		.common = { .bound = p->bound,
			    .branching = p->branching,
			    .ub = SEARCH_NO_UB,
			    .queens = label_queens(p->instance),
			    .half_board = true,
			    .threads = device && x->variant == SOLVE_PUBLISHED ? p->explorers :
										 bench_threads(c),
			    .devices = device ? bench_devices(c) : NULL,
			    .gpus = (int)bench_int(c, "gpus"),
			    .stop = bench_stop(c),
			    .time_limit = p->stop_after,
			    .seed = 1 },
	};
	if (p->checkpoint > 0) {
		snprintf(x->checkpoint_file, sizeof(x->checkpoint_file), "/tmp/copra-checkpoint-%d",
			 (int)getpid());
		x->plan = (struct checkpoint_plan){ .write = x->checkpoint_file,
						    .period = p->checkpoint };
		x->request.common.checkpoint = &x->plan;
	}
}

static int load(struct experiment *x, const struct ivm_case *p, struct err *e)
{
	struct search_request *q = &x->request.common;
	size_t items;
	int status;

	if (q->queens > 0)
		return 0;
	if (label_is_atsp(p->instance)) {
		status = label_atsp(&x->a, p->instance, e);
		if (status)
			return status;
		x->has_atsp = true;
		q->atsp = &x->a;
	} else {
		status = label_flowshop(&x->f, p->instance, e);
		if (status)
			return status;
		q->flowshop = &x->f;
	}
	items = (size_t)(q->atsp ? x->a.cities : x->f.jobs);
	x->scratch.start = malloc(items * sizeof(*x->scratch.start));
	if (!x->scratch.start)
		return err_set(e, ERR_MEMORY, "no memory for a first solution");
	if (q->flowshop)
		return label_optimum(&x->f, p->instance, &x->optimum, e);
	q->start = x->scratch.start;
	return atsp_held_karp(&x->a, NULL, &x->optimum, x->scratch.start, e);
}

/* How large the tree is, where it is known. */
static uint64_t tree_of(const struct experiment *x, const char *label)
{
	const struct search_request *q = &x->request.common;
	const struct queens_known *queens = q->queens ? queens_known(q->queens) : NULL;
	const struct fsp_tree *tree;

	if (q->queens)
		return queens ? queens->half : 0;
	if (q->atsp)
		return label_atsp_tree(label);
	tree = fsp_tree(label, q->bound, q->branching, q->ub);
	return tree ? tree->decomposed : 0;
}

/* By the paper's serial algorithm, of instances that are made to be small. */
static int count_tree(struct experiment *x, struct err *e)
{
	struct ivm_outcome o = { 0 };
	struct ivm_request r = x->request;
	int status;

	r.common.time_limit = 0;
	r.common.checkpoint = NULL;
	status = ivm_search_serial(&r, &o, e);
	x->tree = o.common.decomposed;
	ivm_outcome_free(&o);
	return status;
}

static int prepare(struct experiment *x, const struct bench_case *c, const struct ivm_case *p,
		   struct err *e)
{
	struct search_request *q = &x->request.common;
	int status;

	x->variant = bench_variant(c);
	x->runs = p->runs < 1 ? 1 : p->runs < RUNS_MAX ? p->runs : RUNS_MAX;
	x->trace = p->trace;
	x->part = p->stop_after > 0;
	x->scratch.limit = p->from_scratch;
	make_request(x, c, p);
	status = load(x, p, e);
	if (status || p->from_scratch > 0)
		return status;
	if (!q->queens && !x->optimum)
		return err_set(e, ERR_USAGE, "%s: its optimum is not known", p->instance);
	if (!q->queens)
		q->ub = p->ub > 0 ? p->ub : x->optimum;
	x->tree = tree_of(x, p->instance);
	return label_is_random(p->instance) && x->variant != SOLVE_SERIAL ? count_tree(x, e) : 0;
}

int ivm_case_setup(struct bench_case *c, const struct ivm_case *p, struct err *e)
{
	struct experiment *x;
	int status = check_machine(c, p, e);

	if (status)
		return status;
	x = bench_new_data(c, sizeof(*x), e);
	if (!x)
		return ERR_MEMORY;
	status = prepare(x, c, p, e);
	if (status)
		ivm_case_teardown(c);
	return status;
}

void ivm_case_teardown(struct bench_case *c)
{
	struct experiment *x = bench_data(c);

	ivm_outcome_free(&x->outcome);
	if (x->request.common.flowshop)
		flowshop_free(&x->f);
	if (x->has_atsp)
		atsp_free(&x->a);
	if (x->checkpoint_file[0])
		unlink(x->checkpoint_file);
	free(x->scratch.start);
	free(x);
	bench_set_data(c, NULL);
}

/* ---- is it right? ---- */

static int check_count(const struct experiment *x, struct err *e)
{
	const struct search_outcome *o = &x->outcome.common;

	if (!o->complete && !x->part)
		return err_set(e, ERR_FAILED, "the search did not end");
	if (!x->tree || (o->complete ? o->decomposed == x->tree : o->decomposed <= x->tree))
		return 0;
	return err_set(e, ERR_FAILED, "%" PRIu64 " nodes decomposed, the tree has %" PRIu64,
		       o->decomposed, x->tree);
}

static int check(const struct experiment *x, struct err *e)
{
	const struct search_request *q = &x->request.common;
	const struct search_outcome *o = &x->outcome.common;
	int64_t expected = q->ub < x->optimum ? q->ub : x->optimum;
	bool verified;
	int status = ivm_verify(q, o, &verified, e);

	if (status)
		return status;
	if (x->optimum && o->complete && o->best != expected)
		return err_set(e, ERR_FAILED, "found %" PRId64 ", the optimum is %" PRId64, o->best,
			       expected);
	if (x->scratch.limit > 0)
		return verified ? 0 : err_set(e, ERR_FAILED, "no schedule was returned");
	return check_count(x, e);
}

int ivm_case_check(struct bench_case *c, struct err *e)
{
	return check(bench_data(c), e);
}

/* ---- the measurement ---- */

/* The time of a part of the tree, extended to all of it. Where nobody knows how large it is, the
 * row tells the part alone. */
static double extended(struct bench_case *c, const struct experiment *x)
{
	const struct search_outcome *o = &x->outcome.common;
	double part = (double)o->decomposed, all = x->tree ? (double)x->tree : part;

	bench_counter(c, "extrapolated", 1, BENCH_COUNT);
	bench_counter(c, "part", part, BENCH_COUNT);
	bench_label(c, "extrapolated from %.3g of %.3g nodes", part, all);
	return part > 0 ? o->seconds_search * all / part : o->seconds_search;
}

/* Mean active IVMs, as a share of all, in each twentieth of the time. */
static void report_trace(struct bench_case *c, const struct ivm_outcome *o)
{
	double active[IVM_SLICES] = { 0 }, samples[IVM_SLICES] = { 0 };
	double length = o->common.seconds_search;
	char name[24];

	for (int i = 0; i < o->samples; i++) {
		double at = length > 0 ? o->sample[i].seconds / length * IVM_SLICES : 0;
		int slice = at < 0 ? 0 : at < IVM_SLICES ? (int)at : IVM_SLICES - 1;

		active[slice] += o->sample[i].active;
		samples[slice]++;
	}
	for (int i = 0; i < IVM_SLICES; i++) {
		snprintf(name, sizeof(name), "active_%d", i);
		if (samples[i] > 0 && o->ivms > 0)
			bench_counter(c, name, active[i] / samples[i] / o->ivms, BENCH_COUNT);
	}
}

static void report_runs(struct bench_case *c, const struct experiment *x, double mean)
{
	double least = x->seconds[0], most = x->seconds[0], squares = 0;

	for (int i = 0; i < x->runs; i++) {
		least = fmin(least, x->seconds[i]);
		most = fmax(most, x->seconds[i]);
		squares += (x->seconds[i] - mean) * (x->seconds[i] - mean);
	}
	bench_counter(c, "runs", x->runs, BENCH_COUNT);
	bench_counter(c, "least_seconds", least, BENCH_COUNT);
	bench_counter(c, "most_seconds", most, BENCH_COUNT);
	bench_counter(c, "spread", x->runs > 1 ? sqrt(squares / (x->runs - 1)) / mean : 0,
		      BENCH_COUNT);
}

static void report(struct bench_case *c, const struct experiment *x, double mean)
{
	const struct search_outcome *o = &x->outcome.common;
	bool part = x->part && !o->complete;
	uint64_t hash = hash_u64(hash_u64(HASH_INIT, o->solutions), (uint64_t)o->best);

	if (!part && x->scratch.limit == 0) /* else the tree depends on when schedules are found */
		hash = hash_u64(hash, o->decomposed);
	bench_output_hash(c, part ? hash_u64(HASH_INIT, (uint64_t)x->optimum) : hash);
	bench_set_seconds(c, x->scratch.start_seconds + (part ? extended(c, x) : mean));
	bench_work(c, part && x->tree ? (double)x->tree : (double)o->decomposed, "nodes");
	ivm_counters(c, &x->request, &x->outcome, x->variant);
	if (!part)
		ivm_floor(c, &x->request.common, o, x->variant);
	if (x->runs > 1)
		report_runs(c, x, mean);
	if (x->trace)
		report_trace(c, &x->outcome);
	if (x->scratch.limit > 0)
		scratch_report(c, &x->scratch, o);
}

static int search_once(struct experiment *x, const struct bench_case *c, struct err *e)
{
	int status;

	ivm_outcome_free(&x->outcome);
	x->outcome = (struct ivm_outcome){ 0 };
	status = ivm_search(x->variant)(&x->request, &x->outcome, e);
	if (status == ERR_LIMIT && x->request.common.time_limit > 0 && !*bench_stop(c))
		status = 0;
	return status;
}

/* The last run is checked by the runner. */
int ivm_case_run(struct bench_case *c, struct err *e)
{
	struct experiment *x = bench_data(c);
	int status = x->scratch.limit > 0 ? scratch_start(&x->scratch, &x->request.common, e) : 0;
	double sum = 0;

	for (int i = 0; i < x->runs && !status; i++) {
		status = search_once(x, c, e);
		if (!status && i + 1 < x->runs)
			status = check(x, e);
		x->seconds[i] = x->outcome.common.seconds_search;
		sum += x->seconds[i];
		x->request.common.seed++;
	}
	if (!status)
		report(c, x, sum / x->runs);
	return status;
}
