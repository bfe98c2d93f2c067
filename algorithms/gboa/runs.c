/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/gboa/runs.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/gboa/boa/engines.h"
#include "algorithms/gboa/boa/large_device.h"
#include "algorithms/gboa/hboa/hboa.h"
#include "algorithms/tree-search/cluster/world.h"
#include "harness/base/build.h"
#include "harness/base/checked.h"
#include "harness/base/clock.h"
#include "harness/base/hash.h"

/* ---- the variant ---- */

/* The largest population, in bits, for engines other than large. */
static const double SMALL_BITS = 3e7;

static double bits_of(const struct boa_setup *s)
{
	return (double)s->landscape->n * s->options->population;
}

/* True if the batch engine (a few blocks for each run) is expected to be faster than the grid
 * engine (one run at a time on a whole device). The thresholds were measured on one H200. On the
 * simulated device a cluster for one run gains nothing. */
static bool batch_pays(const struct boa_setup *s, int count, double bits)
{
	if (count > 8 || dev_backend_of(s->devices->dev[0]) == DEV_SIM)
		return count > 8;
	return bits <= (count > 1 ? 2e6 : 7e5);
}

/* Whether AUTO tries the engine batch first. */
static bool tries_batch(const struct boa_setup *s, int count)
{
	double bits = bits_of(s);

	return bits <= SMALL_BITS && batch_pays(s, count, bits);
}

/* Whether AUTO takes the engine grid where batch is not tried or refuses; else large. */
static bool takes_grid(const struct boa_setup *s)
{
	return bits_of(s) <= SMALL_BITS && boa_grid_fits(s, NULL) != ERR_UNSUPPORTED;
}

static int auto_runs(const struct boa_setup *s, struct boa_run *runs, int count,
		     struct boa_times *times, struct err *e)
{
	int status = ERR_UNSUPPORTED; /* if a size does not fit, the next engine is tried */

	if (tries_batch(s, count))
		status = boa_batch_runs(s, runs, count, times, e);
	if (status == ERR_UNSUPPORTED && takes_grid(s))
		status = boa_grid_runs(s, runs, count, times, e);
	if (status == ERR_UNSUPPORTED)
		status = boa_large_runs(s, runs, count, times, e);
	return status;
}

static boa_runs_function *tuned_engine(const struct boa_setup *s)
{
	switch (s->engine) {
	case BOA_GRID:
		return boa_grid_runs;
	case BOA_BATCH:
		return boa_batch_runs;
	case BOA_LARGE:
		return boa_large_runs;
	default:
		return auto_runs;
	}
}

int boa_run(const struct boa_setup *s, struct boa_run *runs, int count, struct boa_times *times,
	    struct err *e)
{
	int status = boa_check_options(s->options, s->landscape->n, e);

	if (status)
		return status;
	*times = (struct boa_times){ 0 };
	if (s->options->model == BOA_TREES)
		return hboa_runs(s, runs, count, times, e);
	if (s->options->model == BOA_SEARCHED && s->variant != SOLVE_SERIAL)
		return err_set(e, ERR_USAGE, "sBOA is sequential: it requires --variant serial");
	if (s->variant == SOLVE_SERIAL || s->variant == SOLVE_CPU)
		return boa_host_runs(s, runs, count, times, e);
	if (!s->devices || s->devices->count < 1)
		return err_set(e, ERR_DEVICE, "published and tuned need a device");
	if (s->variant == SOLVE_PUBLISHED)
		return boa_published_runs(s, runs, count, times, e);
	return tuned_engine(s)(s, runs, count, times, e);
}

/* ---- the devices that pay ---- */

/* What it takes to open the others, all at once: measured on two H100s
 * (docs/lab-notes/koester-recovery.md). */
static const double OPENING_SECONDS = 0.12;

/* The generations of all runs. One that may end early takes about 3 sqrt(n). */
static double generations_of(const struct boa_setup *s, int count)
{
	const struct boa_options *o = s->options;
	double generations = o->generations;

	if (o->stop_at_optimum || o->stop_converged)
		generations = fmin(generations, 3 * sqrt(s->landscape->n));
	return generations * count;
}

/* The number of devices with which the engine large is predicted to end first. */
static int paying_for_large(const struct boa_setup *s, int count)
{
	double n = s->landscape->n, population = s->options->population;
	double generations = generations_of(s, count);
	double least = generations * boa_large_seconds(n, population, 1);
	int best = 1;

	for (int d = 2; d <= s->devices->count; d++) {
		double seconds =
			OPENING_SECONDS + generations * boa_large_seconds(n, population, d);

		if (seconds < least) {
			least = seconds;
			best = d;
		}
	}
	return best;
}

int boa_paying_devices(const struct boa_setup *s, int count)
{
	int all = s->devices->count;
	bool large = s->options->model != BOA_TREES &&
		     (s->engine == BOA_LARGE ||
		      (s->engine == BOA_AUTO && !tries_batch(s, count) && !takes_grid(s)));

	if (large)
		return paying_for_large(s, count);
	return count < all ? count : all;
}

/* ---- several runs ---- */

int boa_trials_create(struct boa_trials *t, int32_t n, int count, struct err *e)
{
	size_t bytes;

	*t = (struct boa_trials){ .n = n, .count = count };
	if (checked_mul_size((size_t)n, (size_t)count, &bytes)) {
		t->runs = calloc((size_t)count, sizeof(*t->runs));
		t->bits = calloc(bytes, 1);
	}
	if (!t->runs || !t->bits) {
		boa_trials_destroy(t);
		return err_set(e, ERR_MEMORY, "no memory for %d runs of %d variables", count, n);
	}
	for (int r = 0; r < count; r++)
		t->runs[r].bits = t->bits + (size_t)r * (size_t)n;
	return 0;
}

void boa_trials_destroy(struct boa_trials *t)
{
	free(t->runs);
	free(t->bits);
	*t = (struct boa_trials){ .n = 0 };
}

static void begin(struct boa_trials *t)
{
	for (int r = 0; r < t->count; r++) {
		uint8_t *bits = t->runs[r].bits;

		memset(bits, 0, (size_t)t->n);
		t->runs[r] = (struct boa_run){ .bits = bits, .best = INT32_MIN };
	}
	t->times = (struct boa_times){ .total = 0 };
}

int boa_trials_run(struct boa_trials *t, const struct boa_setup *s, struct err *e)
{
	begin(t);
	return boa_run(s, t->runs, t->count, &t->times, e);
}

/* ---- several ranks ---- */

/* A run as other ranks get it; the bits follow. */
struct record {
	int64_t edges;
	int32_t best, generations, optimum;
};

static size_t record_bytes(const struct boa_trials *t)
{
	return sizeof(struct record) + (size_t)t->n;
}

static void pack_runs(const struct boa_trials *t, unsigned char *all, int from, int to)
{
	for (int r = from; r < to; r++) {
		const struct boa_run *run = &t->runs[r];
		struct record own = { .edges = run->edges,
				      .best = run->best,
				      .generations = run->generations,
				      .optimum = run->optimum };
		unsigned char *at = all + (size_t)r * record_bytes(t);

		memcpy(at, &own, sizeof(own));
		memcpy(at + sizeof(own), run->bits, (size_t)t->n);
	}
}

static void unpack_runs(struct boa_trials *t, const unsigned char *all)
{
	for (int r = 0; r < t->count; r++) {
		const unsigned char *at = all + (size_t)r * record_bytes(t);
		struct boa_run *run = &t->runs[r];
		struct record other;

		memcpy(&other, at, sizeof(other));
		run->edges = other.edges;
		run->best = other.best;
		run->generations = other.generations;
		run->optimum = other.optimum != 0;
		memcpy(run->bits, at + sizeof(other), (size_t)t->n);
	}
}

/* Makes the runs from `from` to `to` - 1; run r has the seed of the options plus r. */
static int run_part(struct boa_trials *t, const struct boa_setup *s, int from, int to,
		    struct err *e)
{
	struct boa_options o = *s->options;
	struct boa_setup own = *s;

	if (from == to)
		return 0;
	o.seed += (uint64_t)from;
	own.options = &o;
	return boa_run(&own, t->runs + from, to - from, &t->times, e);
}

/* A hash of what the runs follow from: the build, the fitness, the options and their number. The
 * variant may differ. */
static uint64_t identity(const struct boa_trials *t, const struct boa_setup *s)
{
	const struct landscape *l = s->landscape;
	const struct boa_options *o = s->options;
	const int64_t numbers[] = {
		t->count,         l->kind,           l->n,         l->parameter,
		l->terms,         l->optimum,        l->hard,      l->hard_weight,
		o->model,         o->population,     o->selected,  o->max_parents,
		o->generations,   o->replacement,    o->smoothing, o->stop_at_optimum,
		o->tournament,    o->stop_converged, o->window,    o->merges,
		(int64_t)o->seed,
	};
	uint64_t h = hash_text(hash_text(HASH_INIT, build_info()->version), build_info()->revision);

	h = hash_bytes(hash_text(h, l->name), numbers, sizeof(numbers));
	return hash_bytes(h, l->data, l->data ? l->data_count * sizeof(*l->data) : 0);
}

int boa_trials_share(struct boa_trials *t, const struct boa_setup *s, struct err *e)
{
	const struct cluster_mpi_place *p = world_place();
	double start = clock_wall();
	struct world_result result = { .unit = record_bytes(t), .identity = identity(t, s) };
	unsigned char *all;
	int *first, status;

	if (!p)
		return boa_trials_run(t, s, e);
	begin(t);
	all = calloc((size_t)t->count, record_bytes(t));
	first = calloc((size_t)p->ranks + 1, sizeof(*first));
	if (!all || !first) {
		free(all);
		free(first);
		return err_set(e, ERR_MEMORY, "no memory for the runs of %d ranks", p->ranks);
	}
	for (int r = 0; r <= p->ranks; r++)
		first[r] = (int)((int64_t)t->count * r / p->ranks);
	status = run_part(t, s, first[p->rank], first[p->rank + 1], e);
	pack_runs(t, all, first[p->rank], first[p->rank + 1]);
	result.all = all;
	result.first = first;
	status = world_share(&result, status, e);
	if (status == 0 || status == ERR_LIMIT)
		unpack_runs(t, all);
	/* the steps of one rank are not those of all runs */
	t->times = (struct boa_times){ .total = clock_wall() - start };
	free(all);
	free(first);
	return status;
}

int boa_trials_run_singly(struct boa_trials *t, const struct boa_setup *s, struct err *e)
{
	int status = 0;

	begin(t);
	for (int r = 0; r < t->count && status == 0; r++) {
		struct boa_options o = *s->options;
		struct boa_setup own = *s;
		struct boa_times times;

		o.seed += (uint64_t)r;
		own.options = &o;
		status = boa_run(&own, &t->runs[r], 1, &times, e);
		if (status == 0 || status == ERR_LIMIT)
			boa_times_add(&t->times, &times);
	}
	return status;
}

static bool has_begun(const struct boa_run *r)
{
	return r->best != INT32_MIN;
}

void boa_trials_sum_up(const struct boa_trials *t, const struct landscape *l,
		       const struct boa_options *o, struct boa_summary *s)
{
	double most = l->terms > 0 ? l->terms : 1;

	*s = (struct boa_summary){ .best = -1 };
	for (int r = 0; r < t->count; r++) {
		const struct boa_run *run = &t->runs[r];

		if (!has_begun(run))
			continue;
		s->began++;
		s->successes += run->optimum;
		s->feasible += landscape_feasible(l, run->bits);
		s->generations += run->generations;
		s->edges += (double)run->edges;
		s->solved += landscape_solved_terms(l, run->bits) / most;
		if (s->best < 0 || run->best > t->runs[s->best].best)
			s->best = r;
	}
	s->success = stat_wilson(s->successes, s->began, 0.95);
	if (s->began == 0)
		return;
	s->generations /= s->began;
	s->edges /= s->began;
	s->solved /= s->began;
	s->evaluations = o->population + s->generations * boa_offspring(o);
}

static int verify_run(const struct boa_run *r, int index, const struct landscape *l, struct err *e)
{
	int64_t f;

	for (int32_t v = 0; v < l->n; v++)
		if (r->bits[v] > 1)
			return err_set(e, ERR_FAILED, "%s, run %d: variable %d is %d", l->name,
				       index, v, r->bits[v]);
	f = landscape_evaluate(l, r->bits);
	if (f != r->best)
		return err_set(e, ERR_FAILED,
			       "%s, run %d: the best string has fitness %" PRId64
			       ", but the run reports %d",
			       l->name, index, f, r->best);
	if (l->optimum_known && r->best > l->optimum)
		return err_set(e, ERR_FAILED, "%s, run %d: fitness %d is above the optimum, %d",
			       l->name, index, r->best, l->optimum);
	if (r->optimum != (l->optimum_known && r->best == l->optimum))
		return err_set(e, ERR_FAILED, "%s, run %d: fitness %d is%s reported as the optimum",
			       l->name, index, r->best, r->optimum ? "" : " not");
	if (r->optimum && !landscape_feasible(l, r->bits))
		return err_set(e, ERR_FAILED, "%s, run %d: the optimum is not feasible", l->name,
			       index);
	return 0;
}

int boa_trials_verify(const struct boa_trials *t, const struct landscape *l, struct err *e)
{
	int status = 0;

	for (int r = 0; r < t->count && status == 0; r++)
		if (has_begun(&t->runs[r]))
			status = verify_run(&t->runs[r], r, l, e);
	return status;
}

int boa_run_compare(const struct boa_run *r, const struct boa_run *other, int32_t n,
		    const char *variant, struct err *e)
{
	if (r->generations != other->generations)
		return err_set(e, ERR_FAILED, "%d generations, but %s has %d", r->generations,
			       variant, other->generations);
	if (r->edges != other->edges)
		return err_set(e, ERR_FAILED, "%" PRId64 " edges, but %s has %" PRId64, r->edges,
			       variant, other->edges);
	if (r->best != other->best || r->optimum != other->optimum)
		return err_set(e, ERR_FAILED, "fitness %d, but %s has %d", r->best, variant,
			       other->best);
	if (memcmp(r->bits, other->bits, (size_t)n) != 0)
		return err_set(e, ERR_FAILED, "the best string differs from that of %s", variant);
	return 0;
}

uint64_t boa_run_hash(const struct boa_run *r, int32_t n)
{
	uint64_t hash = hash_u64(HASH_INIT, (uint64_t)(int64_t)r->best);

	hash = hash_u64(hash_u64(hash, (uint64_t)r->generations), (uint64_t)r->edges);
	return hash_bytes(hash, r->bits, (size_t)n);
}

/* ---- times ---- */

int boa_measures(const struct boa_times *t, double divisor, struct measure out[BOA_MEASURES])
{
	const struct measure all[] = {
		{ "select_seconds", t->select / divisor, true },
		{ "learn_seconds", t->learn / divisor, true },
		{ "sample_seconds", t->sample / divisor, true },
		{ "evaluate_seconds", t->evaluate / divisor, true },
		{ "transfer_seconds", t->transfer / divisor, true },
		{ "set_up_seconds", t->set_up / divisor, true },
		{ "count_seconds", t->count / divisor, true },
		{ "gain_seconds", t->gain / divisor, true },
		{ "max_seconds", t->max / divisor, true },
	};
	int count = 0;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i].value > 0)
			out[count++] = all[i];
	return count;
}
