/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The measured case; see case.h. */
#include "algorithms/gmys-ivm/case.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "algorithms/gmys-ivm/ivm_search.h"
#include "algorithms/gmys-ivm/ladder.h"
#include "algorithms/tree-search/checkpoint.h"
#include "algorithms/tree-search/by-set/sets_search.h"
#include "algorithms/tree-search/flowshop/fsp_cpu.h"
#include "algorithms/tree-search/flowshop/fsp_verify.h"
#include "algorithms/tree-search/labels.h"
#include "algorithms/tree-search/nqueens/queens_verify.h"
#include "algorithms/tree-search/search_work.h"
#include "harness/base/stats.h"
#include "harness/base/team.h"
#include "kernels/gmys-ivm/ivm.h"

/* ---- the figures of an outcome ---- */

static int common_figures(const struct search_outcome *o, struct measure *f)
{
	const struct measure all[] = {
		{ "setup_seconds", o->seconds_setup, true },
		{ "table_seconds", o->seconds_tables, true },
		{ "workers", o->workers, false },
		{ "memory_peak", (double)o->memory_peak, false },
	};

	memcpy(f, all, sizeof(all));
	return sizeof(all) / sizeof(all[0]);
}

static int published_figures(const struct ivm_outcome *o, struct measure *f)
{
	const struct measure all[] = {
		{ "ivms", o->ivms, false },
		{ "mode", o->mode, false },
		{ "trigger", o->trigger > 0 ? (double)o->trigger : 0, false },
		{ "busy", o->busy, false },
		{ "expansions", (double)o->expansions, false },
		{ "inside_phases", (double)o->inside_phases, false },
		{ "inside_steals", (double)o->inside_steals, false },
		{ "inside_rounds", (double)o->inside_rounds, false },
		{ "h2h_steals", (double)o->steal_done[IVM_H2H], false },
		{ "d2d_steals", (double)o->steal_done[IVM_D2D], false },
		{ "h2d_steals", (double)o->steal_done[IVM_H2D], false },
		{ "d2h_steals", (double)o->steal_done[IVM_D2H], false },
		{ "expand_seconds", o->seconds_expand, true },
		{ "bound_seconds", o->seconds_bound, true },
		{ "inside_seconds", o->seconds_inside, true },
		{ "wait_seconds", o->seconds_wait, true },
		{ "other_seconds", o->seconds_other, true },
		{ "device_decomposed", (double)o->device_decomposed, false },
		{ "host_decomposed", (double)o->host_decomposed, false },
	};

	memcpy(f, all, sizeof(all));
	return sizeof(all) / sizeof(all[0]);
}

int ivm_figures(const struct ivm_outcome *o, bool published, struct measure figures[IVM_FIGURES])
{
	int count = common_figures(&o->common, figures);

	return published ? count + published_figures(o, figures + count) : count;
}

/* Counters of a benchmark row: decomposed, leaves or solutions, evaluated, total_seconds, and the
 * figures above. */
static void counters(struct bench_case *c, const struct ivm_request *r, const struct ivm_outcome *o,
		     enum solve_variant v)
{
	const struct search_outcome *all = &o->common;
	struct measure figures[IVM_FIGURES];
	int count = ivm_figures(o, v == SOLVE_PUBLISHED, figures);

	if (all->complete)
		bench_counter(c, "decomposed", (double)all->decomposed, BENCH_COUNT);
	if (r->common.queens)
		bench_counter(c, "solutions", (double)all->solutions, BENCH_COUNT);
	else
		bench_counter(c, "leaves", (double)all->leaves, BENCH_COUNT);
	if (all->evaluated)
		bench_counter(c, "evaluated", (double)all->evaluated, BENCH_COUNT);
	bench_counter(c, "total_seconds", all->seconds_total, BENCH_MEAN);
	if (!r->trace)
		bench_measures(c, figures, count);
}

/* ---- the case ---- */

static double stop_after(const struct bench_case *c);

enum { RUNS_MAX = 1000, SIMULATED_NODES = 20000, SMOKE_IVMS = 64 };

struct experiment {
	struct search_case search;  /* with the common request and the common outcome */
	struct ivm_request request; /* the other fields of the request */
	struct ivm_outcome outcome; /* the other fields of the last outcome */
	int runs;
	bool rung, profiled;
	/* If profiled: decomposed nodes by their number of children (flowshop), placements by their
	 * number of queens (search_work.h). */
	uint64_t profile[SEARCH_PROFILE + 1];
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
		.stop_after = stop_after(c),
	};
}

static int check_machine(struct bench_case *c, const struct ivm_case *p, struct err *e)
{
	int status = bench_need_machine(c, bench_int(c, "gpus"),
					ivm_case_nodes(p->instance) > SIMULATED_NODES, e);

	if (!status && p->trace)
		status = search_case_refuse_ranks(c, "it shows the IVMs of one process", e);
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
		.threads = device && x->search.variant == SOLVE_PUBLISHED ?
				   p->explorers :
				   bench_setting(c)->threads,
		.devices = device ? &bench_setting(c)->devices : NULL,
		.gpus = (int)bench_int(c, "gpus"),
		.stop = bench_setting(c)->stop,
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

/* The number of decomposed nodes of the tree; 0: not known. */
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

/* Counts the tree of a small generated instance by the paper's serial algorithm. */
static int count_tree(struct experiment *x, struct err *e)
{
	struct ivm_outcome o = { 0 };
	struct ivm_request r = x->request;
	int status;

	r.common = x->search.request;
	r.common.time_limit = 0;
	r.common.checkpoint = NULL;
	status = ivm_search(SOLVE_SERIAL, &r, &o, e);
	x->search.tree = o.common.decomposed;
	ivm_outcome_free(&o);
	return status;
}

/* Counts what the operations of all rungs follow from, by the vectorised search on all cores. */
static int count_profile(struct experiment *x, const struct bench_case *c, struct err *e)
{
	struct search_request r = x->search.request;
	struct search_outcome o = { 0 };
	struct team *team = NULL;
	int status;

	r.threads = bench_setting(c)->threads;
	if (r.queens) {
		status = team_create(&team, r.threads, e);
		if (!status)
			search_work_placements(r.queens, r.half_board, team, x->profile);
		team_destroy(team);
		return status;
	}
	r.forms = 0;
	status = fsp_cpu(&r, &o, e);
	memcpy(x->profile, o.by_children, sizeof(x->profile));
	search_outcome_free(&o);
	return status;
}

/* Without a rung, the published and serial searches of N-Queens are profiled up to 15 queens, which
 * takes a core about a second. */
static bool is_profiled(const struct search_case *s)
{
	enum { MOST = 15 };

	return s->request.queens && s->request.queens <= MOST && !s->part &&
	       (s->variant == SOLVE_SERIAL ||
		(s->variant == SOLVE_PUBLISHED && s->request.devices));
}

static int search(void *context, const struct search_request *q, struct search_outcome *o,
		  struct err *e)
{
	struct experiment *x = context;
	int status;

	ivm_outcome_free(&x->outcome);
	x->outcome = (struct ivm_outcome){ 0 };
	x->request.common = *q;
	status = ivm_search(x->search.variant, &x->request, &x->outcome, e);
	*o = x->outcome.common;
	x->outcome.common.order = NULL; /* now owned by *o */
	return status;
}

static void release(struct search_case *s)
{
	struct experiment *x = (struct experiment *)s;

	ivm_outcome_free(&x->outcome);
	if (x->checkpoint_file[0])
		unlink(x->checkpoint_file);
}

static int prepare(struct search_case *s, const struct bench_case *c, const void *settings,
		   struct err *e)
{
	struct experiment *x = (struct experiment *)s;
	const struct ivm_case *p = settings;
	int status;

	s->variant = bench_variant(c);
	s->target = (struct search_target){ .context = x, .search = search };
	s->release = release;
	s->by_decomposed = true;
	s->part = p->stop_after > 0;
	s->from_scratch = p->from_scratch;
	x->runs = p->runs < 1 ? 1 : p->runs < RUNS_MAX ? p->runs : RUNS_MAX;
	make_request(x, c, p);
	status = search_case_load(s, p->instance, e);
	x->rung = p->rung != NULL;
	x->profiled = !bench_setting(c)->ranks && (x->rung || (!status && is_profiled(s)));
	if (!status && x->rung)
		status = ivm_rung_request(p->rung, &s->request, e);
	if (!status && x->profiled)
		status = count_profile(x, c, e);
	if (status || p->from_scratch > 0)
		return status;
	if (p->ub > 0)
		s->request.ub = p->ub;
	s->tree = tree_of(&s->request, p->instance);
	return label_is_random(p->instance) && search_case_needs_count(s) ? count_tree(x, e) : 0;
}

int ivm_case_setup(struct bench_case *c, const struct ivm_case *p, struct err *e)
{
	int status = check_machine(c, p, e);

	return status ? status : search_case_setup(c, sizeof(struct experiment), prepare, p, e);
}

/* ---- the measurement ---- */

/* The mean share of active IVMs in each twentieth of the time. */
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

/* ---- what the bounds demand of the machine (search_work.h) ---- */

/* Of LB2 without tables by job set only the least work is known, because the search does not count
 * its passes. */
static void flowshop_demands(struct bench_case *c, const struct search_case *s)
{
	const struct search_request *q = &s->request;

	if (s->variant == SOLVE_CPU && fsp_cpu_operations(q, &s->outcome) > 0)
		search_case_cores_demands(c, s, fsp_cpu_operations(q, &s->outcome) / 2);
	else if (s->variant == SOLVE_TUNED && sets_search_supports(q, true))
		search_case_sets_demands(c, s);
	else if (s->variant == SOLVE_TUNED && q->bound == FSP_LB1)
		search_case_device_demands(
			c, s, PEAK_GPU_ADD_MAX_16,
			2.0 * q->flowshop->machines * (double)s->outcome.evaluated, 0);
	else if (s->variant == SOLVE_CPU || s->variant == SOLVE_TUNED)
		search_case_least_demand(c, s, s->outcome.evaluated);
}

/* The least bytes of mode PTE. Where kernels work on copies of the IVMs, an expansion copies all of
 * them, each written once and read once. */
static double queens_bytes(const struct experiment *x)
{
	const struct search_request *q = &x->search.request;
	double rows = search_work_ivm_queens_bytes(q->queens, x->profile);
	double copies =
		2 * (double)x->outcome.expansions * x->outcome.ivms * (double)ivm_bytes(q->queens);

	return q->forms & SEARCH_STAGED ? fmin(rows, copies) : rows;
}

/* Published, serial. Of a search that the host has a part in, only the operations of all are known.
 */
static void queens_demands(struct bench_case *c, const struct experiment *x)
{
	const struct search_case *s = &x->search;
	const struct search_request *q = &s->request;
	double operations =
		search_work_ivm_queens(q->queens, x->profile, q->forms & SEARCH_ONE_PASS);

	if (s->variant == SOLVE_SERIAL)
		search_case_cores_demands(c, s, operations / 2);
	else if (!x->outcome.host_decomposed)
		search_case_device_demands(c, s, PEAK_GPU_ADD_MAX, operations, queens_bytes(x));
}

static void demands(struct bench_case *c, const struct experiment *x)
{
	const struct search_case *s = &x->search;

	if (s->request.flowshop)
		flowshop_demands(c, s);
	else if (!s->request.queens)
		return;
	else if (s->variant == SOLVE_CPU)
		search_case_cores_demands(c, s, s->outcome.operations);
	else if (s->variant == SOLVE_TUNED)
		search_case_device_demands(c, s, PEAK_GPU_ADD_MAX, search_work_lanes(&s->outcome),
					   s->outcome.bytes);
	else if (x->profiled)
		queens_demands(c, x);
}

static void rung_demands(struct bench_case *c, const struct experiment *x)
{
	const struct search_case *s = &x->search;
	const struct search_request *q = &s->request;

	if (q->queens || (s->variant == SOLVE_TUNED && !(q->forms & SEARCH_DEPTH_FIRST)))
		demands(c, x);
	else if (q->forms & SEARCH_DEPTH_FIRST)
		search_case_device_demands(c, s, PEAK_GPU_ADD_MAX,
					   search_work_deep(q->flowshop, x->profile), 0);
	else
		search_case_device_demands(
			c, s, PEAK_GPU_ADD_MAX,
			search_work_ivm(q->flowshop, x->profile, q->forms & SEARCH_PACKED_LB2),
			search_work_ivm_bytes(q->flowshop, x->profile));
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

/* What only a search of one process tells. */
static void report_figures(struct bench_case *c, const struct experiment *x, bool part)
{
	counters(c, &x->request, &x->outcome, x->search.variant);
	if (x->rung)
		rung_demands(c, x);
	else if (!part)
		demands(c, x);
}

static void report(struct bench_case *c, const struct experiment *x, double mean)
{
	const struct search_case *s = &x->search;
	bool part = search_case_report(c, s, mean, "part"), ranks = bench_setting(c)->ranks;

	bench_work(c, part && s->tree ? (double)s->tree : (double)s->outcome.decomposed, "nodes");
	if (ranks)
		search_case_ranks(c, s);
	else
		report_figures(c, x, part);
	if (x->runs > 1)
		report_runs(c, x, mean);
	if (x->request.trace)
		report_trace(c, &x->outcome);
	if (s->from_scratch > 0)
		search_case_scratch(c, s);
}

/* With several runs, all except the last are checked here; the runner checks the last one. */
int ivm_case_run(struct bench_case *c, struct err *e)
{
	struct experiment *x = bench_data(c);
	struct search_case *s = &x->search;
	double sum = 0;
	int status = 0;

	for (int i = 0; i < x->runs && !status; i++) {
		status = search_case_run(s, e);
		if (!status && i + 1 < x->runs)
			status = search_case_check(c, e);
		x->seconds[i] = s->outcome.seconds_search;
		sum += x->seconds[i];
		s->request.seed++;
	}
	if (!status)
		report(c, x, sum / x->runs);
	return status;
}

bool ivm_case_uses_device(const struct bench_case *c)
{
	return bench_int(c, "gpus") > 0;
}

/* ATSP: one more city makes the tree about 5.7 times larger, as in the paper. */
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

/* ---- predicted times ---- */

enum { FLOWSHOP, QUEENS, ATSP, KINDS };

static int kind_of(const char *instance)
{
	return label_queens(instance) ? QUEENS : label_is_atsp(instance) ? ATSP : FLOWSHOP;
}

/* Nodes/s of one core or one GPU, from slow machines. */
static const double rates[][KINDS] = {
	[SOLVE_SERIAL] = { 3e4, 1e7, 8e6 },
	[SOLVE_CPU] = { 8e5, 3e8, 1e8 },
	[SOLVE_PUBLISHED] = { 6e6, 5e8, 8e8 },
	[SOLVE_TUNED] = { 2e9, 2e11, 1.5e10 },
};

static double rate_of(const struct bench_case *c)
{
	enum solve_variant v = bench_variant(c);
	int kind = kind_of(bench_text(c, "instance"));
	double gpus = (double)bench_int(c, "gpus"), threads = bench_setting(c)->threads;

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

/* Seconds after which a search on cores that would take too long stops early; 0: it finishes. */
static double stop_after(const struct bench_case *c)
{
	bool slow = bench_variant(c) == SOLVE_SERIAL ||
		    (bench_variant(c) == SOLVE_PUBLISHED && !ivm_case_uses_device(c));
	bool paper = bench_scale(c) == BENCH_PAPER;

	return slow && seconds_of_all(c) > (paper ? 30 : 5) ? (paper ? 10 : 3) : 0;
}

double ivm_case_estimate(const struct bench_case *c)
{
	double stop = stop_after(c);

	return stop > 0 ? stop + 0.1 : seconds_of_all(c);
}

/* ---- trees that are too large ---- */

/* The largest trees: quick ends within minutes, paper within hours. */
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
