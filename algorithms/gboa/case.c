/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/gboa/case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/gboa/boa/network.h"
#include "algorithms/gboa/rungs.h"
#include "harness/base/hash.h"
#include "harness/bench/ranks.h"
#include "harness/machine/peaks.h"

struct boa_case {
	struct boa_plan plan;
	struct landscape landscape;
	struct boa_options options;
	struct boa_setup setup;
	struct boa_trials trials;
	struct boa_summary summary;
	uint64_t candidates[BOA_PARENTS_MAX]; /* of the last call; see boa_setup */
};

/* ---- plans ---- */

static bool is_variant(const struct bench_case *c, const char *word)
{
	return strcmp(bench_text(c, "variant"), word) == 0;
}

struct boa_plan boa_plan_default(const struct bench_case *c)
{
	return (struct boa_plan){
		.problem = "trap5",
		.variant = bench_variant(c),
		.model = is_variant(c, "sboa") ? BOA_SEARCHED : BOA_PERMUTED,
		.engine = BOA_AUTO,
		.population = 4800,
		.max_parents = 3,
		.generations = bench_scale(c) == BENCH_SMOKE ? 8 : 200,
		.runs = 1,
		.time_of = BOA_TIME_RUN,
	};
}

void boa_plan_trap(struct boa_plan *p, int64_t n)
{
	snprintf(p->instance, sizeof(p->instance), "%lld", (long long)n);
}

/* ---- predicted times ---- */

/* The approximate number of variables: the first number of the instance (on a torus, its
 * square). */
static double variables(const struct boa_plan *p)
{
	const char *digit = p->instance + strcspn(p->instance, "0123456789");
	double n = atof(digit);

	return strcmp(p->problem, "ising") == 0 ? n * n : n;
}

static double plan_generation(const struct boa_plan *p, int threads, int gpus)
{
	double n = variables(p), size = p->population / 4800.0, one;
	double pairs = n * n * size * fmax(1, p->max_parents) / 3;

	switch (p->variant) {
	case SOLVE_SERIAL:
		one = (n > 400 ? 2e-5 : 1e-5) * pairs + 3e-5 * n * size;
		one *= p->model == BOA_SEARCHED ? 2.3 : 1;
		break;
	case SOLVE_CPU:
		one = (7e-8 * pairs + 3e-6 * n * size) / threads;
		break;
	case SOLVE_PUBLISHED:
		return 2e-4 + 5e-9 * pairs + 3e-5 * n * size;
	default:
		one = 4e-5 + (6e-12 * pairs + 4e-8 * n * size) / gpus;
		break;
	}
	return p->model == BOA_TREES ? 4 * one : one;
}

double boa_plan_run(const struct boa_plan *p, int threads, int gpus)
{
	double usual = 3 * sqrt(variables(p));
	double generations = p->stop ? fmin(usual, p->generations) : p->generations;

	return generations * plan_generation(p, threads, gpus);
}

double boa_plan_seconds(const struct boa_plan *p, int threads, int gpus)
{
	const double at_once = 64; /* a device makes 64 runs in little more time than one */
	double seconds = p->runs * boa_plan_run(p, threads, gpus);

	return p->variant == SOLVE_TUNED && p->runs >= at_once && !p->singly ?
		       seconds / at_once / gpus :
		       seconds;
}

double boa_case_estimate(const struct bench_case *c, const struct boa_plan *p)
{
	int gpus = (int)bench_int(c, "gpus");

	return 0.05 + boa_plan_seconds(p, p->threads ? p->threads : bench_setting(c)->threads,
				       gpus ? gpus : 1);
}

/* ---- set-up ---- */

int boa_case_check_machine(struct bench_case *c, const struct boa_plan *p, struct err *e)
{
	const double most = 1e8;
	double n = variables(p), work = n * n * p->population * p->generations * p->runs;
	const struct bench_ranks *ranks = bench_setting(c)->ranks;

	if (ranks && (p->singly || p->runs < ranks->ranks))
		return bench_skip(c, (struct skip){ .reason = SKIP_UNSUPPORTED }, e,
				  "not on several ranks: it makes %s",
				  p->singly ? "one run at a time" :
					      "fewer runs than there are ranks");
	return bench_need_machine(c, bench_int(c, "gpus"), work > most, e);
}

static void make_options(struct boa_case *x)
{
	const struct boa_plan *p = &x->plan;

	boa_defaults(&x->options);
	x->options.model = p->model;
	x->options.population = p->population;
	x->options.selected = p->population / 2;
	x->options.max_parents = p->max_parents;
	x->options.generations = p->generations;
	x->options.stop_at_optimum = x->options.stop_converged = p->stop;
}

static void make_setup(struct boa_case *x, const struct bench_case *c)
{
	const struct boa_plan *p = &x->plan;
	int threads = p->threads ? p->threads : bench_setting(c)->threads;

	x->setup = (struct boa_setup){
		.landscape = &x->landscape,
		.options = &x->options,
		.variant = p->variant,
		.threads = p->variant == SOLVE_SERIAL ? 1 : threads,
		.devices = &bench_setting(c)->devices,
		.gpus = (int)bench_int(c, "gpus"),
		.stop = bench_setting(c)->stop,
		.engine = p->engine,
		.host_share = p->host_share,
		.block_threads = p->block_threads,
		.candidates = x->candidates,
	};
	if (p->rung)
		boa_rung_apply(p->rung, &x->setup);
}

int boa_case_setup(struct bench_case *c, const struct boa_plan *p, struct err *e)
{
	struct boa_case *x;
	int status = boa_case_check_machine(c, p, e);

	if (status)
		return status;
	x = bench_new_data(c, sizeof(*x), e);
	if (!x)
		return ERR_MEMORY;
	x->plan = *p;
	make_options(x);
	make_setup(x, c);
	status = landscape_load(&x->landscape, p->problem, p->instance, e);
	if (!status && x->landscape.infeasible)
		status = err_set(e, ERR_INPUT, "%s: no assignment satisfies all hard clauses",
				 x->landscape.name);
	if (!status)
		status = boa_trials_create(&x->trials, x->landscape.n, p->runs, e);
	if (status)
		boa_case_teardown(c);
	return status;
}

void boa_case_teardown(struct bench_case *c)
{
	struct boa_case *x = bench_data(c);

	boa_trials_destroy(&x->trials);
	landscape_free(&x->landscape);
	free(x);
}

/* ---- what a row demands ---- */

/* The least number of passes over words for each candidate of a variable with `parents` parents:
 * one in the first round, and 2^q - 1 in the round after q parents. (In that round, the sets that
 * contain the newest parent are counted with the candidate. The set of the newest parent only is a
 * pair, whose count is known.) A mean that is not an integer is interpolated linearly; that is a
 * lower bound, because the function is convex. */
static double passes(double parents)
{
	double sum = 0, width = 1;

	for (int q = 0; q < parents; q++, width *= 2)
		sum += fmin(1, parents - q) * (q == 0 ? 1 : width - 1);
	return sum;
}

/* For a decision graph, only the first split is certain to read all individuals. */
double boa_least_popcounts(const struct boa_work *w)
{
	double pairs = 0.5 * w->n * (w->n - 1.0), parents = w->edges / w->n;

	if (w->options->model == BOA_TREES)
		parents = fmin(1, parents);
	return w->generations * pairs * passes(parents) * w->options->selected / 64;
}

double boa_least_products(const struct boa_work *w)
{
	double pairs = 0.5 * w->n * (w->n - 1.0);
	double all = w->options->max_parents > 0 ? fmax(1, passes(w->edges / w->n)) : 0;

	return w->generations * pairs * all * w->options->selected / 32;
}

/* The operations of sampling. A word of 32 offspring needs four calls of Philox and two logical
 * operations for each digit. A call of Philox has 7 rounds of two wide multiplications, two
 * three-input logical operations and two additions to the key. */
static double sampling_operations(const struct boa_work *w)
{
	double word = 4 * 7 * 6 + 2 * BOA_DIGITS;

	return w->generations * w->n * boa_offspring(w->options) / 32.0 * word;
}

/* The operations of a round of the published kernel, for a candidate and one of the selected, when
 * the variable has `parents` parents. Candidate by candidate, the bits of the variable and of the
 * parents are shifted and merged for each candidate, the candidate's bit is added, and so is one to
 * the count. In groups, the known bits serve all candidates. */
static double published_operations(bool groups, int parents)
{
	return groups ? 2 : parents + 1 + 2;
}

/* By words, the kernel counts the individuals of every configuration of the variable and its
 * parents, all of them and those with the candidate's bit: population counts for each word. */
static double published_popcounts(int parents)
{
	return 2 * (double)(2 << parents) / 32;
}

static size_t published_demands(const struct boa_work *w, const struct boa_setup *s, double share,
				struct peak_demand *demand)
{
	double row = s->form.words ? w->options->selected / 8.0 : w->options->selected;
	double sum = 0;

	for (int p = 0; p < w->options->max_parents && w->candidates; p++)
		sum += w->candidates[p] * (s->form.words ? published_popcounts(p) :
							   published_operations(s->form.groups, p));
	demand[0] = (struct peak_demand){
		s->form.words ? PEAK_GPU_POPCOUNT : PEAK_GPU_ADD_MAX,
		sum * w->options->selected / share,
	};
	demand[1] = (struct peak_demand){ PEAK_GPU_COPY, w->generations * 2 * w->n * row / share };
	return 2;
}

static size_t tuned_demands(const struct boa_work *w, const struct boa_setup *s, double share,
			    struct peak_demand *demand)
{
	double bits = (double)w->n * (w->options->selected + boa_offspring(w->options));
	enum peak products = s->form.popcounts ? PEAK_GPU_POPCOUNT : PEAK_GPU_BINARY;

	demand[0] = (struct peak_demand){ products, boa_least_products(w) * share };
	demand[1] = (struct peak_demand){ PEAK_GPU_ADD_MAX, sampling_operations(w) * share };
	if (s->engine != BOA_LARGE && s->engine != BOA_GRID)
		return 2;
	demand[2] = (struct peak_demand){ PEAK_GPU_COPY, w->generations * 2 * bits / 8 * share };
	return 3;
}

size_t boa_device_demands(const struct boa_work *w, const struct boa_setup *s, int gpus,
			  struct peak_demand demand[BOA_DEMANDS], bool *part)
{
	double share = gpus > 1 ? gpus : 1;

	*part = false;
	if (s->variant == SOLVE_PUBLISHED)
		return published_demands(w, s, share, demand);
	if (w->options->model == BOA_TREES) {
		*part = true;
		demand[0] =
			(struct peak_demand){ PEAK_GPU_ADD_MAX, sampling_operations(w) / share };
		return 1;
	}
	*part = s->host_share > 0;
	return tuned_demands(w, s, (1 - s->host_share) / share, demand);
}

static void report_demands(struct bench_case *c, const struct boa_work *w,
			   const struct boa_setup *s)
{
	struct peak_demand demand[BOA_DEMANDS] = {
		{ s->variant == SOLVE_SERIAL ? PEAK_CPU_POPCOUNT_1 : PEAK_CPU_POPCOUNT,
		  boa_least_popcounts(w) },
	};
	size_t count = 1;
	bool part = false;

	if (s->variant >= SOLVE_PUBLISHED)
		count = boa_device_demands(w, s, (int)bench_int(c, "gpus"), demand, &part);
	if (part)
		bench_least_demands(c, demand, count);
	else
		bench_demands(c, demand, count);
}

/* ---- a run ---- */

/* The number of units (runs, generations) that the time is divided by. */
static double units(const struct boa_case *x)
{
	switch (x->plan.time_of) {
	case BOA_TIME_RUN:
		return x->plan.runs;
	case BOA_TIME_GENERATION:
		return fmax(1, x->summary.generations * x->summary.began);
	default:
		return 1;
	}
}

static void report_times(struct bench_case *c, const struct boa_case *x)
{
	const struct boa_times *t = &x->trials.times;
	struct measure all[BOA_MEASURES];
	double divisor = units(x), generations = x->summary.generations * x->summary.began;
	double candidates[BOA_PARENTS_MAX];
	struct boa_work work = { &x->options, x->landscape.n, generations / divisor,
				 x->summary.edges / fmax(1, x->summary.generations), candidates };

	for (int p = 0; p < BOA_PARENTS_MAX; p++)
		candidates[p] = (double)x->candidates[p] / divisor;
	bench_set_seconds(c, t->total / divisor);
	bench_work(c, generations / divisor, "generations");
	if (!bench_setting(c)->ranks)
		report_demands(c, &work, &x->setup);
	bench_measures(c, all, boa_measures(t, divisor, all));
	if (t->learn > 0 &&
	    (x->plan.runs == 1 || x->plan.singly)) /* the steps of concurrent runs overlap */
		bench_counter(c, "learn_share", (t->learn + t->transfer) / t->total, BENCH_MEAN);
	bench_counter(c, "generation_seconds", t->total / fmax(1, generations), BENCH_MEAN);
	bench_counter(c, "runs_a_second", x->plan.runs / t->total, BENCH_MEAN);
}

/* Hashes all runs if their number is part of the case. Otherwise hashes run 0 only, because slow
 * variants make fewer runs. */
static uint64_t hash_of(const struct boa_case *x)
{
	int count = x->plan.time_of == BOA_TIME_ALL ? x->plan.runs : 1;
	uint64_t hash = HASH_INIT;

	for (int r = 0; r < count; r++)
		hash = hash_u64(hash, boa_run_hash(&x->trials.runs[r], x->landscape.n));
	return hash;
}

/* Reports the objective of the best string if it is feasible and, for problems with hard clauses,
 * the number that it violates. */
static void report_best(struct bench_case *c, const struct boa_case *x)
{
	const struct landscape *l = &x->landscape;
	const struct boa_run *best = &x->trials.runs[x->summary.best];
	struct landscape_clauses clauses;

	if (landscape_feasible(l, best->bits))
		bench_counter(c, "best", (double)landscape_objective(l, best->best), BENCH_COUNT);
	if (l->hard && landscape_count_clauses(l, best->bits, &clauses))
		bench_counter(c, "hard_violated", clauses.hard_violated, BENCH_COUNT);
}

static void report_answers(struct bench_case *c, const struct boa_case *x)
{
	const struct boa_summary *s = &x->summary;

	bench_output_hash(c, hash_of(x));
	bench_counter(c, "runs", s->began, BENCH_COUNT);
	report_best(c, x);
	bench_counter(c, "generations", s->generations, BENCH_COUNT);
	bench_counter(c, "evaluations", s->evaluations, BENCH_COUNT);
	bench_counter(c, "edges", s->edges, BENCH_COUNT);
	bench_counter(c, "blocks_solved", s->solved, BENCH_COUNT);
	if (!x->landscape.optimum_known)
		return;
	bench_counter(c, "success", (double)s->successes / s->began, BENCH_COUNT);
	bench_counter(c, "success_low", s->success.low, BENCH_COUNT);
	bench_counter(c, "success_high", s->success.high, BENCH_COUNT);
	bench_label(c, "%d of %d runs solved, %.1f generations", s->successes, s->began,
		    s->generations);
}

int boa_case_run(struct bench_case *c, struct err *e)
{
	struct boa_case *x = bench_data(c);

	memset(x->candidates, 0, sizeof(x->candidates));
	int status = x->plan.singly ? boa_trials_run_singly(&x->trials, &x->setup, e) :
				      boa_trials_share(&x->trials, &x->setup, e);

	if (status)
		return status;
	boa_trials_sum_up(&x->trials, &x->landscape, &x->options, &x->summary);
	if (x->summary.began != x->plan.runs)
		return err_set(e, ERR_FAILED, "%d of %d runs did not start",
			       x->plan.runs - x->summary.began, x->plan.runs);
	report_times(c, x);
	report_answers(c, x);
	return 0;
}

/* ---- the check of sBOA ---- */

/* Properties of the network of a run of one generation. */
struct findings {
	int64_t edges;
	double score;  /* sum of ln K2 over all variables */
	int32_t wrong; /* a variable with too many parents or a parent of no lower rank; -1: none */
};

/* Sum of ln (N_0! N_1! / (N_0 + N_1 + 1)!) over the configurations of the parents. */
static double score_of(const struct boa_data *d, const struct boa_network *b, int32_t v)
{
	int32_t ones[1 << BOA_PARENTS_MAX] = { 0 }, all[1 << BOA_PARENTS_MAX] = { 0 };
	const int32_t *parents = b->parents + (size_t)v * (size_t)b->k;
	double score = 0;

	for (int32_t i = 0; i < d->count; i++) {
		int a = 0;

		for (int32_t r = 0; r < b->parent_count[v]; r++)
			a |= boa_bit(d, parents[r], i) << r;
		all[a]++;
		ones[a] += boa_bit(d, v, i);
	}
	for (int a = 0; a < 1 << b->parent_count[v]; a++)
		score += lgamma(ones[a] + 1.0) + lgamma(all[a] - ones[a] + 1.0) -
			 lgamma(all[a] + 2.0);
	return score;
}

/* There is no cycle if ranks increase along each edge. */
static bool is_wrong(const struct boa_network *b, int32_t v)
{
	if (b->parent_count[v] < 0 || b->parent_count[v] > b->k)
		return true;
	for (int32_t r = 0; r < b->parent_count[v]; r++) {
		int32_t u = b->parents[(size_t)v * (size_t)b->k + (size_t)r];

		if (u < 0 || u >= b->n || b->rank[u] >= b->rank[v])
			return true;
	}
	return false;
}

static void inspect(void *context, const struct boa_generation *g)
{
	struct findings *o = context;

	*o = (struct findings){ .wrong = -1 };
	for (int32_t v = 0; v < g->network->n; v++) {
		if (is_wrong(g->network, v)) {
			o->wrong = v;
			return;
		}
		o->edges += g->network->parent_count[v];
		o->score += score_of(g->selected, g->network, v);
	}
}

static int learn_once(const struct boa_setup *s, enum boa_model model, struct findings *findings,
		      struct err *e)
{
	struct boa_options o = *s->options;
	struct boa_setup setup = { .landscape = s->landscape,
				   .options = &o,
				   .threads = 1,
				   .variant = SOLVE_SERIAL,
				   .stop = s->stop,
				   .watch = inspect,
				   .watch_context = findings };
	struct boa_trials trials;
	int status = boa_trials_create(&trials, s->landscape->n, 1, e);

	o.model = model;
	o.generations = 1;
	if (!status)
		status = boa_trials_run(&trials, &setup, e);
	if (!status && trials.runs[0].generations != 1)
		status = err_set(e, ERR_FAILED, "%s: the run ended before the first generation",
				 s->landscape->name);
	boa_trials_destroy(&trials);
	return status;
}

static int compare(const struct boa_setup *s, struct err *e)
{
	const char *name = s->landscape->name;
	struct findings searched = { .wrong = 0 }, permuted = { .wrong = 0 };
	int status = learn_once(s, BOA_SEARCHED, &searched, e);

	if (!status)
		status = learn_once(s, BOA_PERMUTED, &permuted, e);
	if (status)
		return status;
	if (searched.wrong >= 0)
		return err_set(e, ERR_FAILED, "%s: sBOA: variable %d has invalid parents", name,
			       searched.wrong);
	if (searched.edges == 0)
		return err_set(e, ERR_FAILED, "%s: sBOA: the network has no edges", name);
	if (searched.score < permuted.score)
		return err_set(e, ERR_FAILED,
			       "%s: sBOA: the score %.3f is below that of pBOA, %.3f", name,
			       searched.score, permuted.score);
	return 0;
}

static int check_searched(const struct boa_setup *s, struct err *e)
{
	struct landscape small = { .n = 0 };
	struct boa_setup setup = *s;
	int status = 0;

	if (s->landscape->n > 50) {
		status = landscape_load(&small, "trap5", "50", e);
		setup.landscape = &small;
	}
	if (!status)
		status = compare(&setup, e);
	landscape_free(&small);
	return status;
}

/* ---- the check of the other models ---- */

/* The variant that shares the least code with the one that ran. */
enum solve_variant boa_plan_reference(const struct boa_plan *p)
{
	return p->variant == SOLVE_CPU ? SOLVE_SERIAL : SOLVE_CPU;
}

static int repeat_run(const struct bench_case *c, const struct boa_case *x, int index,
		      enum solve_variant v, struct err *e)
{
	struct boa_trials other;
	struct boa_options o = x->options;
	struct boa_setup s = x->setup;
	int status = boa_trials_create(&other, x->landscape.n, 1, e);

	if (status)
		return status;
	o.seed += (uint64_t)index;
	s.options = &o;
	s.variant = v;
	s.threads = v == SOLVE_SERIAL ? 1 : bench_setting(c)->threads;
	s.devices = NULL;
	s.gpus = 0;
	status = boa_trials_run(&other, &s, e);
	if (!status)
		status = boa_run_compare(&x->trials.runs[index], &other.runs[0], x->landscape.n,
					 solve_variant_name(v), e);
	if (status == ERR_FAILED)
		err_prefix(e, "%s, run %d", x->landscape.name, index);
	boa_trials_destroy(&other);
	return status;
}

/* Rows of large runs get more time, because there are few of them and few other tests of such
 * sizes. */
int boa_case_repeatable(const struct bench_case *c, const struct boa_plan *p, int most)
{
	static const double seconds[] = { 0.2, 1, 3 };
	struct boa_plan other = *p;
	double fit;

	other.variant = boa_plan_reference(p);
	fit = (p->engine == BOA_LARGE ? 5 : 1) * seconds[bench_scale(c)] /
	      boa_plan_run(&other, bench_setting(c)->threads, 1);
	return fit < most ? (int)fit : most;
}

/* Repeats runs at equal distances from the first to the last. */
static int compare_runs(struct bench_case *c, const struct boa_case *x, struct err *e)
{
	enum { SPREAD = 16 };
	int last = x->plan.runs - 1, wanted = x->plan.time_of == BOA_TIME_ALL ? SPREAD : 1;
	int status = 0, count = wanted < x->plan.runs ? wanted : x->plan.runs;

	count = boa_case_repeatable(c, &x->plan, count);
	for (int i = 0; i < count && !status; i++) {
		int64_t index = count == 1 ? 0 : (int64_t)i * last / (count - 1);

		status = repeat_run(c, x, (int)index, boa_plan_reference(&x->plan), e);
	}
	bench_counter(c, "compared", count, BENCH_COUNT);
	return status;
}

int boa_case_check(struct bench_case *c, struct err *e)
{
	const struct boa_case *x = bench_data(c);
	int status = boa_trials_verify(&x->trials, &x->landscape, e);

	if (status)
		return status;
	if (x->plan.model != BOA_SEARCHED)
		return compare_runs(c, x, e);
	bench_counter(c, "compared", 0, BENCH_COUNT);
	return check_searched(&x->setup, e);
}
