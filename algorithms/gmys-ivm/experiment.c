#include "algorithms/gmys-ivm/experiment.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/stats.h"
#include "algorithms/tree-search/checkpoint.h"
#include "algorithms/tree-search/flowshop/fsp_verify.h"
#include "algorithms/tree-search/labels.h"
#include "algorithms/tree-search/nqueens/queens_verify.h"
#include "algorithms/tree-search/search_case.h"
#include "algorithms/gmys-ivm/measured.h"
#include "algorithms/gmys-ivm/solve.h"

enum { RUNS_MAX = 1000, SIMULATED_NODES = 20000, SMOKE_IVMS = 64 };

struct experiment {
	struct search_case search;  /* its request and outcome are those that count */
	struct ivm_request request; /* what else the search takes */
	struct ivm_outcome outcome; /* what else the last run gave */
	int runs;
	double seconds[RUNS_MAX]; /* of each run */
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
	};
	x->search.request = (struct search_request){
		.bound = p->bound,
		.branching = p->branching,
		.ub = SEARCH_NO_UB,
		.half_board = true,
		.threads = device && x->search.variant == SOLVE_PUBLISHED ? p->explorers :
									    bench_threads(c),
		.devices = device ? bench_devices(c) : NULL,
		.gpus = (int)bench_int(c, "gpus"),
		.stop = bench_stop(c),
		.time_limit = p->stop_after,
		.seed = 1,
	};
	if (p->checkpoint > 0) {
		snprintf(x->checkpoint_file, sizeof(x->checkpoint_file), "/tmp/copra-checkpoint-%d",
			 (int)getpid());
		x->plan = (struct checkpoint_plan){ .write = x->checkpoint_file,
						    .period = p->checkpoint };
		x->search.request.checkpoint = &x->plan;
	}
}

/* Decomposed nodes of the tree; 0: not known. */
static uint64_t tree_of(const struct search_request *q, const char *label)
{
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

	r.common = x->search.request;
	r.common.time_limit = 0;
	r.common.checkpoint = NULL;
	status = ivm_search_serial(&r, &o, e);
	x->search.tree = o.common.decomposed;
	ivm_outcome_free(&o);
	return status;
}

static int search(void *context, const struct search_request *q, struct search_outcome *o,
		  struct err *e)
{
	struct experiment *x = context;
	int status;

	ivm_outcome_free(&x->outcome);
	x->outcome = (struct ivm_outcome){ 0 };
	x->request.common = *q;
	status = ivm_search(x->search.variant)(&x->request, &x->outcome, e);
	*o = x->outcome.common;
	x->outcome.common.order = NULL; /* now owned by *o */
	return status;
}

static int prepare(struct experiment *x, const struct bench_case *c, const struct ivm_case *p,
		   struct err *e)
{
	struct search_case *s = &x->search;
	int status;

	s->variant = bench_variant(c);
	s->target = (struct search_target){ .context = x, .search = search };
	s->by_decomposed = true;
	s->part = p->stop_after > 0;
	s->from_scratch = p->from_scratch;
	x->runs = p->runs < 1 ? 1 : p->runs < RUNS_MAX ? p->runs : RUNS_MAX;
	make_request(x, c, p);
	status = search_case_load(s, p->instance, e);
	if (status || p->from_scratch > 0)
		return status;
	if (p->ub > 0)
		s->request.ub = p->ub;
	s->tree = tree_of(&s->request, p->instance);
	return label_is_random(p->instance) && s->variant != SOLVE_SERIAL ? count_tree(x, e) : 0;
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
	if (x->checkpoint_file[0])
		unlink(x->checkpoint_file);
	search_case_free(&x->search);
	free(x);
	bench_set_data(c, NULL);
}

/* ---- the measurement ---- */

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
	const struct search_case *s = &x->search;
	bool part = search_case_is_part(s);

	bench_output_hash(c, search_case_hash(s));
	bench_set_seconds(c, s->start_seconds + (part ? search_case_extend(c, s, "part") : mean));
	bench_work(c, part && s->tree ? (double)s->tree : (double)s->outcome.decomposed, "nodes");
	ivm_counters(c, &x->request, &x->outcome, s->variant);
	if (!part)
		ivm_floor(c, s);
	if (x->runs > 1)
		report_runs(c, x, mean);
	if (x->request.trace)
		report_trace(c, &x->outcome);
	if (s->from_scratch > 0)
		search_case_scratch(c, s);
}

/* Several runs: each but the last is checked here, the last by the runner. */
int ivm_case_run(struct bench_case *c, struct err *e)
{
	struct experiment *x = bench_data(c);
	struct search_case *s = &x->search;
	int status = search_case_start(s, e);
	double sum = 0;

	for (int i = 0; i < x->runs && !status; i++) {
		status = search_case_run(s, e);
		if (!status && i + 1 < x->runs)
			status = search_case_check(s, e);
		x->seconds[i] = s->outcome.seconds_search;
		sum += x->seconds[i];
		s->request.seed++;
	}
	if (!status)
		report(c, x, sum / x->runs);
	return status;
}

int ivm_case_check(struct bench_case *c, struct err *e)
{
	const struct experiment *x = bench_data(c);

	return search_case_check(&x->search, e);
}
