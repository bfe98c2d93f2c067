#include "algorithms/dp-knapsack/case.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "datasets/knapsack/knapsack_oracle.h"
#include "harness/machine/peaks.h"
#include "harness/base/hash.h"
#include "algorithms/dp-knapsack/solve.h"

struct experiment {
	struct knapsack k;
	struct dp_request request;
	struct dp_answer answer;
	enum solve_variant variant;
	int64_t optimum;
	bool extrapolated;
	double part_cells; /* Toth cells of the part that serial runs */
	uint64_t data;     /* hash of the instance: detects a changed generator */
};

enum { SIMULATED_ITEMS = 500 };

/* serial and published have one form, "item"; cpu and tuned have the others. */
bool dp_case_exists(const struct bench_case *c)
{
	bool item = strcmp(bench_text(c, "form"), "item") == 0;
	enum solve_variant v = bench_variant(c);

	return bench_gpus_fit(c) && item == (v == SOLVE_SERIAL || v == SOLVE_PUBLISHED);
}

/* ---- set-up ---- */

/* The number of cell updates of Algorithm 1 that serial may spend. The rest is extrapolated in
 * proportion. The experiment "linearity" shows how well the first items represent all. */
static double serial_cells(const struct bench_case *c)
{
	switch (bench_scale(c)) {
	case BENCH_SMOKE:
		return 2e9;
	case BENCH_QUICK:
		return 3e9;
	default:
		return 4e9;
	}
}

/* Limits serial to the first items if running all would take too long. */
static void choose_part(struct experiment *x, double most)
{
	double cells = 0;
	int64_t after = x->k.sum_weight, i = 0, c = x->k.capacity;

	for (; i < x->k.n && cells < most; i++) {
		int64_t low;

		after -= x->k.weight[i];
		low = c > after ? c - after : 0;
		low = low > x->k.weight[i] ? low : x->k.weight[i];
		cells += low <= c ? (double)(c - low + 1) : 0;
	}
	x->part_cells = cells;
	x->extrapolated = i < x->k.n;
	x->request.part_items = x->extrapolated ? i : 0;
}

/* Finds the optimum that the answer must have; that of the first items if only those are run. */
static int find_optimum(struct experiment *x, struct err *e)
{
	enum { STATES = 1 << 26 };
	struct knapsack part = x->k;

	if (!x->extrapolated && knapsack_known_optimum(&x->k, &x->optimum, NULL))
		return 0;
	if (x->extrapolated)
		part.n = x->request.part_items;
	return knapsack_oracle(&part, STATES, 120, &x->optimum, e);
}

static uint64_t instance_hash(const struct knapsack *k)
{
	uint64_t hash = hash_u64(HASH_INIT, (uint64_t)k->capacity);

	hash = hash_bytes(hash, k->weight, (size_t)k->n * sizeof(*k->weight));
	return hash_bytes(hash, k->profit, (size_t)k->n * sizeof(*k->profit));
}

/* `share` is the share of the cell updates that serial runs; 0 chooses it by the scale. */
static int setup_case(struct bench_case *c, const char *instance, bool want_items, double share,
		      struct err *e)
{
	struct experiment *x = bench_new_data(c, sizeof(*x), e);
	const char *form = bench_text(c, "form");
	int status;

	if (!x)
		return ERR_MEMORY;
	x->variant = bench_variant(c);
	x->request = (struct dp_request){ .instance = &x->k,
					  .want_items = want_items,
					  .threads = bench_threads(c),
					  .devices = bench_devices(c),
					  .gpus = (int)bench_int(c, "gpus"),
					  .stop = bench_stop(c) };
	status = strcmp(form, "item") ? dp_form_parse(&x->request.form, form, e) : 0;
	if (!status)
		status = knapsack_load(&x->k, instance, e);
	if (!status)
		status = bench_need_machine(c, x->request.gpus, x->k.n > SIMULATED_ITEMS, e);
	if (!status && x->variant == SOLVE_SERIAL)
		choose_part(x, share > 0 ? share * dp_toth_cells(&x->k) : serial_cells(c));
	if (!status)
		status = find_optimum(x, e);
	if (!status)
		x->data = instance_hash(&x->k);
	if (status)
		dp_case_teardown(c);
	return status;
}

int dp_case_setup(struct bench_case *c, const char *instance, bool want_items, struct err *e)
{
	return setup_case(c, instance, want_items, 0, e);
}

int dp_case_setup_part(struct bench_case *c, const char *instance, double share, struct err *e)
{
	return setup_case(c, instance, false, share, e);
}

void dp_case_teardown(struct bench_case *c)
{
	struct experiment *x = bench_data(c);

	dp_answer_free(&x->answer);
	knapsack_free(&x->k);
	free(x);
	bench_set_data(c, NULL);
}

/* ---- the measurement ---- */

static void report_floor(struct bench_case *c, const struct experiment *x, double cells)
{
	bool gpu = x->variant >= SOLVE_PUBLISHED,
	     one = x->variant == SOLVE_SERIAL || x->request.threads == 1;
	double share = gpu ? x->request.gpus : 1;
	const struct peak_demand demand[] = {
		{ gpu ? PEAK_GPU_ADD_MAX :
		  one ? PEAK_CPU_ADD_MAX_1 :
			PEAK_CPU_ADD_MAX,
		  cells / share },
		{ gpu ? PEAK_GPU_COPY :
		  one ? PEAK_CPU_COPY_1 :
			PEAK_CPU_COPY,
		  x->variant == SOLVE_SERIAL ? 0 : x->answer.bytes_floor / share },
	};
	enum peak limit;
	double floor = peaks_lower_bound(bench_peaks(c), demand, 2, &limit);

	if (floor > 0)
		bench_lower_bound(c, floor, peaks_name(limit));
}

static void report(struct bench_case *c, const struct experiment *x)
{
	const struct dp_answer *a = &x->answer;
	double scale = x->extrapolated ? a->cells / x->part_cells : 1;
	double done = a->cells_done * scale;
	uint64_t hash = hash_u64(HASH_INIT, (uint64_t)a->value);

	if (a->taken)
		hash = hash_bytes(hash, a->taken, (size_t)x->k.n);
	bench_set_seconds(c, a->seconds_search * scale + a->seconds_items);
	bench_work(c, a->cells, "cells");
	bench_output_hash(c, hash);
	bench_counter(c, "instance_hash", (double)(x->data & 0xfffffffffffff), BENCH_COUNT);
	bench_counter(c, "cells", a->cells, BENCH_COUNT);
	bench_counter(c, "cells_done", done, BENCH_COUNT);
	bench_counter(c, "total_seconds", a->seconds_total * scale, BENCH_MEAN);
	bench_counter(c, "memory_peak", (double)a->memory_peak, BENCH_COUNT);
	bench_counter(c, "exchanges", a->exchanges, BENCH_COUNT);
	bench_counter(c, "extrapolated", x->extrapolated, BENCH_COUNT);
	if (x->request.want_items) {
		bench_counter(c, "items_seconds", a->seconds_items, BENCH_MEAN);
		bench_counter(c, "overhead", a->seconds_items / a->seconds_search, BENCH_MEAN);
	}
	report_floor(c, x, done);
	if (x->extrapolated)
		bench_label(c, "extrapolated from %" PRId64 " of %" PRId64 " items",
			    x->request.part_items, x->k.n);
	else if (x->variant == SOLVE_CPU || x->variant == SOLVE_TUNED)
		bench_label(c, "form %s", dp_form_name(a->form));
}

int dp_case_run(struct bench_case *c, struct err *e)
{
	struct experiment *x = bench_data(c);
	int status;

	dp_answer_free(&x->answer);
	status = dp_solve(x->variant, &x->request, &x->answer, e);
	if (!status)
		report(c, x);
	return status;
}

int dp_case_check(struct bench_case *c, struct err *e)
{
	const struct experiment *x = bench_data(c);
	int64_t value, weight;

	if (x->answer.value != x->optimum)
		return err_set(e, ERR_FAILED, "%s: value %" PRId64 ", the optimum is %" PRId64,
			       x->k.name, x->answer.value, x->optimum);
	if (!x->request.want_items)
		return 0;
	if (!x->answer.taken)
		return err_set(e, ERR_FAILED, "%s: no items were returned", x->k.name);
	knapsack_evaluate(&x->k, x->answer.taken, &value, &weight);
	if (value != x->optimum || weight > x->k.capacity)
		return err_set(e, ERR_FAILED,
			       "%s: the items have value %" PRId64 " and weight %" PRId64
			       ", capacity %" PRId64,
			       x->k.name, value, weight, x->k.capacity);
	return 0;
}

/* The rates were seen on slow machines, in cells/s. */
double dp_case_estimate(const struct bench_case *c, double n, double capacity)
{
	const char *form = bench_text(c, "form");
	double cells = 0.75 * n * capacity, threads = bench_threads(c),
	       gpus = (double)bench_int(c, "gpus"), most = serial_cells(c);

	switch (bench_variant(c)) {
	case SOLVE_SERIAL:
		return 0.1 + fmin(cells, most) / 1e9;
	case SOLVE_CPU:
		if (strcmp(form, "merged") == 0)
			return 0.1 + cells / 60e9 / threads;
		return 0.1 + cells / (strcmp(form, "class") ? 20e9 : 30e9) / threads;
	case SOLVE_PUBLISHED:
		return 0.2 + n * 20e-6 * gpus + cells / 0.25e12 / gpus;
	default:
		return 0.2 + cells / 3e12 / gpus;
	}
}
