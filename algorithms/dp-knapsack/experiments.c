/* The experiments: Table I, Figure 5, the chosen items, the correlation classes, and instances that
 * are hard for branch and bound. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/dp-knapsack/plan.h"
#include "algorithms/dp-knapsack/solve.h"
#include "datasets/knapsack/knapsack.h"
#include "harness/base/flags.h"
#include "harness/base/hash.h"
#include "harness/bench/bench.h"
#include "harness/machine/peaks.h"

/* ---- one measured solve: the hooks that all experiments share ----
 *
 * The hooks read the axes instance, variant, form, n, seed and gpus where present. */

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
static bool case_exists(const struct bench_case *c)
{
	bool item = strcmp(bench_text(c, "form"), "item") == 0;
	enum solve_variant v = bench_variant(c);

	return bench_gpus_fit(c) && item == (v == SOLVE_SERIAL || v == SOLVE_PUBLISHED);
}

/* ---- set-up ---- */

/* serial performs at most this many cell updates of Algorithm 1. The time of the rest is
 * extrapolated in proportion. The experiment "linearity" shows how accurate that is. */
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

/* Finds the optimum that the answer must equal: that of the first items if only those are run. */
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

static void case_teardown(struct bench_case *c)
{
	struct experiment *x = bench_data(c);

	dp_answer_free(&x->answer);
	knapsack_free(&x->k);
	free(x);
}

/* `share`, from 0 to 1, is the fraction of the cell updates that serial runs, on the first items;
 * the time is extrapolated to all items. 0 chooses the fraction according to the scale. */
static int case_setup(struct bench_case *c, const char *instance, bool want_items, double share,
		      struct err *e)
{
	struct experiment *x = bench_new_data(c, sizeof(*x), e);
	const char *form = bench_text(c, "form");
	int status, choice = DP_AUTO;

	if (!x)
		return ERR_MEMORY;
	x->variant = bench_variant(c);
	x->request = (struct dp_request){ .instance = &x->k,
					  .want_items = want_items,
					  .threads = bench_setting(c)->threads,
					  .devices = &bench_setting(c)->devices,
					  .gpus = (int)bench_int(c, "gpus"),
					  .stop = bench_setting(c)->stop };
	status = strcmp(form, "item") ? flag_choose(&choice, "form", form, dp_form_words, e) : 0;
	x->request.form = (enum dp_form)choice;
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
		case_teardown(c);
	return status;
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
	double floor = peaks_lower_bound(bench_setting(c)->peaks, demand, 2, &limit);

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
		bench_label(c, "form %s", dp_form_words[a->form]);
}

static int case_run(struct bench_case *c, struct err *e)
{
	struct experiment *x = bench_data(c);
	int status;

	dp_answer_free(&x->answer);
	status = dp_solve(x->variant, &x->request, &x->answer, e);
	if (!status)
		report(c, x);
	return status;
}

static int case_check(struct bench_case *c, struct err *e)
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

/* Rates of slow machines, in cells/s. */
static double case_estimate(const struct bench_case *c, double n, double capacity)
{
	const char *form = bench_text(c, "form");
	double cells = 0.75 * n * capacity, threads = bench_setting(c)->threads,
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

/* ---- the experiments ---- */

/* The members that all experiments share. */
#define DP_CASE                                                                                    \
	.manual_time = true, .unit = "ms", .exists = case_exists, .run = case_run,                 \
	.check = case_check, .teardown = case_teardown, .uses_device = bench_uses_device

#define FORMS BENCH_FIXED_NAMED("form", "item", "fused", "class", "merged")
#define GPUS BENCH_AXIS_INT("gpus", BENCH_INTS(0, 1, 2), BENCH_INTS(0, 1, 2, 4), BENCH_SAME)
#define SEEDS                                                                                      \
	BENCH_AXIS_INT("seed", BENCH_INTS(1), BENCH_INTS(1, 2, 3),                                 \
		       BENCH_INTS(1, 2, 3, 4, 5, 6, 7, 8, 9, 10))
#define ONE_SEED BENCH_FIXED_INT("seed", 1)
#define BOYER BENCH_FIXED_TEXT("instance", "boyer")

enum { NAME_BYTES = 64 };

static const char *boyer_name(const struct bench_case *c, char name[NAME_BYTES])
{
	snprintf(name, NAME_BYTES, "boyer:%lld:%lld", (long long)bench_int(c, "n"),
		 (long long)bench_int(c, "seed"));
	return name;
}

static int setup_value(struct bench_case *c, struct err *e)
{
	char name[NAME_BYTES];

	return case_setup(c, boyer_name(c, name), false, 0, e);
}

static int setup_items(struct bench_case *c, struct err *e)
{
	char name[NAME_BYTES];

	return case_setup(c, boyer_name(c, name), true, 0, e);
}

/* Weights are 500 on average and C is half of their sum. */
static double estimate_boyer(const struct bench_case *c)
{
	double n = (double)bench_int(c, "n");

	return case_estimate(c, n, 250 * n);
}

static const struct bench_axis table1_axes[] = {
	BOYER,
	BENCH_ALL_VARIANTS,
	FORMS,
	BENCH_AXIS_INT("n", BENCH_INTS(200, 400), BENCH_INTS(10000, 20000),
		       BENCH_INTS(10000, 20000, 30000, 40000, 50000, 60000, 70000, 80000, 90000)),
	SEEDS,
	GPUS,
	BENCH_AXIS_END
};
BENCHMARK(table1) = {
	.name = "dp-knapsack/table1",
	.summary = "Table I: speed-up over one core against the number of items",
	.axes = table1_axes,
	.setup = setup_value,
	DP_CASE,
	.estimate = estimate_boyer,
};

static const struct bench_axis fig5_axes[] = {
	BOYER,
	BENCH_ALL_VARIANTS,
	FORMS,
	BENCH_AXIS_INT("n", BENCH_INTS(300), BENCH_INTS(30000), BENCH_INTS(100000)),
	BENCH_AXIS_INT("seed", BENCH_INTS(1), BENCH_SAME,
		       BENCH_INTS(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)),
	GPUS,
	BENCH_AXIS_END
};
BENCHMARK(fig5) = {
	.name = "dp-knapsack/fig5",
	.summary = "Figure 5: processing time, for the size that Table I leaves out",
	.axes = fig5_axes,
	.setup = setup_value,
	DP_CASE,
	.estimate = estimate_boyer,
};

static int setup_linearity(struct bench_case *c, struct err *e)
{
	char name[NAME_BYTES];

	return case_setup(c, boyer_name(c, name), false, (double)bench_int(c, "percent") / 100, e);
}

static double estimate_linearity(const struct bench_case *c)
{
	return estimate_boyer(c) * (double)bench_int(c, "percent") / 100;
}

static const struct bench_axis linearity_axes[] = {
	BOYER,
	BENCH_VARIANTS("serial"),
	BENCH_FIXED_NAMED("form", "item"),
	BENCH_AXIS_INT("n", BENCH_INTS(400), BENCH_INTS(5000), BENCH_INTS(10000)),
	BENCH_FIXED_INT("percent", 10, 25, 50, 100),
	ONE_SEED,
	BENCH_GPUS(0),
	BENCH_AXIS_END
};
BENCHMARK(linearity) = {
	.name = "dp-knapsack/linearity",
	.summary = "Whether serial times can be extrapolated from a part of the items",
	.axes = linearity_axes,
	.setup = setup_linearity,
	DP_CASE,
	.estimate = estimate_linearity,
	.repetitions = { 1, 3, 3 },
};

static const struct bench_axis items_axes[] = {
	BOYER,
	BENCH_VARIANTS("cpu", "tuned"),
	BENCH_FIXED_NAMED("form", "fused", "class", "merged"),
	BENCH_AXIS_INT("n", BENCH_INTS(200, 400), BENCH_INTS(10000, 20000),
		       BENCH_INTS(10000, 50000, 100000)),
	ONE_SEED,
	BENCH_GPUS(0, 1),
	BENCH_AXIS_END
};
BENCHMARK(items) = {
	.name = "dp-knapsack/items",
	.summary = "Returning the chosen items: the cost of the reconstruction",
	.axes = items_axes,
	.setup = setup_items,
	DP_CASE,
	.estimate = estimate_boyer,
};

static int setup_correlation(struct bench_case *c, struct err *e)
{
	char name[96];

	snprintf(name, sizeof(name), "correlation:%s:%lld:%lld", bench_text(c, "class"),
		 (long long)bench_int(c, "n"), (long long)bench_int(c, "seed"));
	return case_setup(c, name, false, 0, e);
}

static const struct bench_axis correlation_axes[] = {
	BENCH_FIXED_TEXT("class", "strong", "weak", "uncorrelated", "inverse", "subset-sum"),
	BENCH_ALL_VARIANTS,
	BENCH_FIXED_NAMED("form", "item", "fused", "class"),
	BENCH_AXIS_INT("n", BENCH_INTS(200), BENCH_INTS(10000), BENCH_INTS(10000)),
	ONE_SEED,
	BENCH_GPUS(0, 1),
	BENCH_AXIS_END
};
BENCHMARK(correlation) = {
	.name = "dp-knapsack/correlation",
	.summary =
		"Section IV: the type of correlation does not matter to dense dynamic programming",
	.axes = correlation_axes,
	.setup = setup_correlation,
	DP_CASE,
	.estimate = estimate_boyer,
	.repetitions = { 1, 3, 3 },
};

/* Jooken's generator. Labels replace the instances' names because a benchmark's name must not
 * contain colons. */
static const struct hard_instance {
	const char *label, *name;
	double n, capacity;
} hard_instances[] = {
	{ "n60-c1e4", "hard:60:10000:4:0.3:0.01:50", 60, 1e4 },
	{ "n400-c1e6", "hard:400:1000000:10:0.3:0.0001:300", 400, 1e6 },
	{ "n600-c1e7", "hard:600:10000000:10:0.3:0.0001:300", 600, 1e7 },
	{ "n400-c1e8", "hard:400:100000000:10:0.3:0:300", 400, 1e8 },
	{ "n1200-c1e8", "hard:1200:100000000:10:0.3:1e-5:100", 1200, 1e8 },
};

static const struct hard_instance *hard_of(const struct bench_case *c)
{
	const struct hard_instance *h = hard_instances;

	while (strcmp(h->label, bench_text(c, "instance")) != 0)
		h++;
	return h;
}

static int setup_hard(struct bench_case *c, struct err *e)
{
	return case_setup(c, hard_of(c)->name, true, 0, e);
}

static double estimate_hard(const struct bench_case *c)
{
	return case_estimate(c, hard_of(c)->n, 6 * hard_of(c)->capacity);
}

static const struct bench_axis hard_axes[] = {
	BENCH_AXIS_TEXT("instance", BENCH_TEXTS("n60-c1e4"), BENCH_TEXTS("n400-c1e6", "n600-c1e7"),
			BENCH_TEXTS("n400-c1e6", "n600-c1e7", "n400-c1e8", "n1200-c1e8")),
	BENCH_VARIANTS("cpu", "tuned"), BENCH_FIXED_NAMED("form", "fused"),
	BENCH_AXIS_INT("gpus", BENCH_INTS(0, 1), BENCH_INTS(0, 1, 2, 4), BENCH_SAME), BENCH_AXIS_END
};
BENCHMARK(hard) = {
	.name = "dp-knapsack/hard",
	.summary = "Instances hard for branch and bound (Jooken et al. 2022), large capacities",
	.axes = hard_axes,
	.setup = setup_hard,
	DP_CASE,
	.estimate = estimate_hard,
};
