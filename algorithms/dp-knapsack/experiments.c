/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The experiments: Table I, Figure 5, the serial baseline, the ladder, the kinds of transfers, the
 * chosen items, the correlation classes, and instances that are hard for branch and bound. */
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
	uint64_t data; /* hash of the instance: detects a changed generator */
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

/* serial times about this many cell updates, spread over the recursion, and extends their time to
 * all. The experiment "parts" shows how accurate that is. */
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

/* Lets serial time a sample if timing all would take too long. With `sampled`, the sample is in any
 * case much less than all. */
static void choose_sample(struct experiment *x, double most, bool sampled)
{
	double all = dp_toth_cells(&x->k);

	if (sampled)
		most = fmin(most, all / 4);
	x->request.sample_cells = most < all / 2 ? most : 0;
}

/* Finds the optimum that the answer must equal. */
static int find_optimum(struct experiment *x, struct err *e)
{
	enum { STATES = 1 << 26 };

	if (knapsack_known_optimum(&x->k, &x->optimum, NULL))
		return 0;
	return knapsack_oracle(&x->k, STATES, 120, &x->optimum, e);
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

/* What serial times: all cell updates, a sample, or what suits the scale. */
enum serial_part { SERIAL_AUTO, SERIAL_SAMPLED, SERIAL_WHOLE };

/* An axis may be missing: `form` and `rung` may be NULL. */
static int case_setup(struct bench_case *c, const char *instance, const char *form,
		      const char *rung, bool want_items, enum serial_part part, struct err *e)
{
	struct experiment *x = bench_new_data(c, sizeof(*x), e);
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
	status = form && strcmp(form, "item") ?
			 flag_choose(&choice, "form", form, dp_form_words, e) :
			 0;
	x->request.form = (enum dp_form)choice;
	if (rung)
		dp_rung_apply(solve_rung_find(dp_rungs, NULL, rung), &x->request);
	if (!status)
		status = knapsack_load(&x->k, instance, e);
	if (!status)
		status = bench_need_machine(c, x->request.gpus, x->k.n > SIMULATED_ITEMS, e);
	if (!status && x->variant == SOLVE_SERIAL && part != SERIAL_WHOLE)
		choose_sample(x, serial_cells(c), part == SERIAL_SAMPLED);
	if (!status)
		status = find_optimum(x, e);
	if (!status)
		x->data = instance_hash(&x->k);
	if (status)
		case_teardown(c);
	return status;
}

/* ---- the measurement ---- */

/* A cell update is one add-max: f(c) = max(f(c - w) + p, f(c)). All forms count those that they
 * make, halos included; `merged` needs fewer, because its chains cover several equal items. */
static void report_demands(struct bench_case *c, const struct experiment *x)
{
	bool gpu = x->variant >= SOLVE_PUBLISHED,
	     one = x->variant == SOLVE_SERIAL || x->request.threads == 1;
	double share = gpu ? x->request.gpus : 1;
	const struct peak_demand demand[] = {
		{ gpu ? PEAK_GPU_ADD_MAX :
		  one ? PEAK_CPU_ADD_MAX_1 :
			PEAK_CPU_ADD_MAX,
		  (x->answer.cells_done - x->answer.cells_paired) / share },
		{ PEAK_GPU_ADD_MAX_16, x->answer.cells_paired / share },
		{ gpu ? PEAK_GPU_COPY :
		  one ? PEAK_CPU_COPY_1 :
			PEAK_CPU_COPY,
		  x->answer.bytes_floor / share },
	};

	bench_demands(c, demand, sizeof(demand) / sizeof(*demand));
}

static void report(struct bench_case *c, const struct experiment *x)
{
	const struct dp_answer *a = &x->answer;
	bool sampled = x->variant == SOLVE_SERIAL && a->cells_timed < a->cells;
	uint64_t hash = hash_u64(HASH_INIT, (uint64_t)a->value);

	if (a->taken)
		hash = hash_bytes(hash, a->taken, (size_t)x->k.n);
	bench_set_seconds(c, a->seconds_search + a->seconds_items);
	bench_work(c, a->cells, "cells");
	bench_output_hash(c, hash);
	bench_counter(c, "instance_hash", (double)(x->data & 0xfffffffffffff), BENCH_COUNT);
	bench_counter(c, "cells", a->cells, BENCH_COUNT);
	bench_counter(c, "cells_done", a->cells_done, BENCH_COUNT);
	bench_counter(c, "total_seconds", sampled ? a->seconds_search : a->seconds_total,
		      BENCH_MEAN);
	bench_counter(c, "memory_peak", (double)a->memory_peak, BENCH_COUNT);
	bench_counter(c, "exchanges", a->exchanges, BENCH_COUNT);
	bench_counter(c, "extrapolated", sampled, BENCH_COUNT);
	if (x->variant == SOLVE_SERIAL)
		bench_counter(c, "thread_seconds", a->seconds_thread, BENCH_MEAN);
	if (x->request.want_items) {
		bench_counter(c, "items_seconds", a->seconds_items, BENCH_MEAN);
		bench_counter(c, "overhead", a->seconds_items / a->seconds_search, BENCH_MEAN);
	}
	report_demands(c, x);
	if (sampled)
		bench_label(c, "extended from %.3g %% of the cell updates, in 32 blocks",
			    100 * a->cells_timed / a->cells);
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
static double case_estimate(const struct bench_case *c, const char *form, double n, double capacity)
{
	double cells = 0.75 * n * capacity, threads = bench_setting(c)->threads,
	       gpus = (double)bench_int(c, "gpus");

	switch (bench_variant(c)) {
	case SOLVE_SERIAL:
		/* a sample also needs the engine of cpu for all cells */
		return 0.1 + fmin(cells, serial_cells(c) / 1e9 + cells / 10e9 / threads);
	case SOLVE_CPU:
		if (strcmp(form, "merged") == 0)
			return 0.1 + cells / 60e9 / threads;
		return 0.1 + cells / (strcmp(form, "class") ? 20e9 : 30e9) / threads;
	case SOLVE_PUBLISHED:
		return 0.2 + n * 20e-6 * gpus + cells / 0.15e12 / gpus;
	default:
		return 0.2 + cells / 3e12 / gpus;
	}
}

/* ---- the experiments ---- */

/* The members that all experiments share. */
#define DP_CASE_WITHOUT_FORM                                                                       \
	.manual_time = true, .unit = "ms", .run = case_run, .check = case_check,                   \
	.teardown = case_teardown, .uses_device = bench_uses_device
#define DP_CASE DP_CASE_WITHOUT_FORM, .exists = case_exists

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

	return case_setup(c, boyer_name(c, name), bench_text(c, "form"), NULL, false, SERIAL_AUTO,
			  e);
}

static int setup_items(struct bench_case *c, struct err *e)
{
	char name[NAME_BYTES];

	return case_setup(c, boyer_name(c, name), bench_text(c, "form"), NULL, true, SERIAL_AUTO,
			  e);
}

/* Weights are 500 on average and C is half of their sum. */
static double estimate_boyer(const struct bench_case *c)
{
	double n = (double)bench_int(c, "n");

	return case_estimate(c, bench_text(c, "form"), n, 250 * n);
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

/* ---- the serial baseline ---- */

static int setup_parts(struct bench_case *c, struct err *e)
{
	bool sampled = strcmp(bench_text(c, "part"), "sampled") == 0;
	char name[NAME_BYTES];

	return case_setup(c, boyer_name(c, name), NULL, NULL, false,
			  sampled ? SERIAL_SAMPLED : SERIAL_WHOLE, e);
}

/* At the rate of a slow core. */
static double estimate_whole(const struct bench_case *c)
{
	double n = (double)bench_int(c, "n");

	return 0.1 + 0.75 * n * 250 * n / 1.5e9;
}

static double estimate_parts(const struct bench_case *c)
{
	double n = (double)bench_int(c, "n"), whole = estimate_whole(c);

	if (strcmp(bench_text(c, "part"), "whole") == 0)
		return whole;
	return fmin(whole / 4, case_estimate(c, NULL, n, 250 * n));
}

static const struct bench_axis parts_axes[] = { BOYER,
						BENCH_VARIANTS("serial"),
						BENCH_AXIS_INT(
							"n", BENCH_INTS(600), BENCH_INTS(10000),
							BENCH_INTS(10000, 20000, 30000, 40000)),
						ONE_SEED,
						BENCH_FIXED_NAMED("part", "sampled", "whole"),
						BENCH_GPUS(0),
						BENCH_AXIS_END };
BENCHMARK(parts) = {
	.name = "dp-knapsack/parts",
	.summary = "Serial times in full, and extended from a sample of the cell updates",
	.axes = parts_axes,
	.setup = setup_parts,
	DP_CASE_WITHOUT_FORM,
	.estimate = estimate_parts,
	.repetitions = { 1, 3, 5 },
	.min_time = { 1e-3, 1e-3, 1e-3 },
};

static int setup_whole(struct bench_case *c, struct err *e)
{
	char name[NAME_BYTES];

	return case_setup(c, boyer_name(c, name), NULL, NULL, false, SERIAL_WHOLE, e);
}

static const struct bench_axis whole_axes[] = {
	BOYER,
	BENCH_VARIANTS("serial"),
	BENCH_AXIS_INT("n", BENCH_INTS(400), BENCH_INTS(5000),
		       BENCH_INTS(50000, 60000, 70000, 80000, 90000, 100000)),
	ONE_SEED,
	BENCH_GPUS(0),
	BENCH_AXIS_END
};
BENCHMARK(whole) = {
	.name = "dp-knapsack/whole",
	.summary = "Serial times in full, for the sizes that \"parts\" leaves out",
	.axes = whole_axes,
	.setup = setup_whole,
	DP_CASE_WITHOUT_FORM,
	.estimate = estimate_whole,
	.min_time = { 1e-3, 1e-3, 1e-3 },
};

/* ---- the ladder and the transfers ---- */

/* An instance whose name must not contain colons because it is part of a benchmark's. */
struct named_instance {
	const char *label, *name;
	double n, capacity;
};

static const struct named_instance *named(const struct named_instance *list,
					  const struct bench_case *c)
{
	while (strcmp(list->label, bench_text(c, "instance")) != 0)
		list++;
	return list;
}

static const struct named_instance ladder_instances[] = {
	{ "boyer-400", "boyer:400:1", 400, 1e5 },
	{ "boyer-50000", "boyer:50000:1", 50000, 12.5e6 },
};

static int setup_ladder(struct bench_case *c, struct err *e)
{
	return case_setup(c, named(ladder_instances, c)->name, NULL, bench_text(c, "rung"), false,
			  SERIAL_AUTO, e);
}

static bool ladder_exists(const struct bench_case *c)
{
	return solve_rung_find(dp_rungs, NULL, bench_text(c, "rung"))->variant == bench_variant(c);
}

static double estimate_ladder(const struct bench_case *c)
{
	const struct named_instance *one = named(ladder_instances, c);

	return case_estimate(c, NULL, one->n, one->capacity) + 0.5;
}

static const struct bench_axis ladder_axes[] = {
	BENCH_AXIS_TEXT("instance", BENCH_TEXTS("boyer-400"), BENCH_TEXTS("boyer-50000"),
			BENCH_SAME),
	BENCH_VARIANTS("published", "tuned"),
	BENCH_FIXED_NAMED("rung", "literal", "swap", "pinned", "one-launch", "trim", "fused",
			  "class", "pairs", "merged"),
	BENCH_AXIS_INT("gpus", BENCH_INTS(1), BENCH_INTS(1, 2), BENCH_SAME), BENCH_AXIS_END
};
BENCHMARK(ladder) = {
	.name = "dp-knapsack/ladder",
	.summary = "From Algorithms 2 and 3 to our code, one idea at a time",
	.axes = ladder_axes,
	.setup = setup_ladder,
	DP_CASE_WITHOUT_FORM,
	.exists = ladder_exists,
	.estimate = estimate_ladder,
	.repetitions = { 1, 3, 5 },
};

static int setup_transfers(struct bench_case *c, struct err *e)
{
	int status = setup_value(c, e);
	struct experiment *x = bench_data(c);

	if (!status)
		x->request.pinned = strcmp(bench_text(c, "memory"), dp_transfer_words[1]) == 0;
	return status;
}

static const struct bench_axis transfers_axes[] = {
	BOYER,
	BENCH_VARIANTS("published"),
	BENCH_FIXED_NAMED("form", "item"),
	BENCH_AXIS_INT("n", BENCH_INTS(300), BENCH_INTS(10000, 20000),
		       BENCH_INTS(10000, 30000, 60000, 90000)),
	BENCH_AXIS_INT("seed", BENCH_INTS(1), BENCH_INTS(1, 2, 3), BENCH_SAME),
	BENCH_FIXED_NAMED("memory", "pageable", "pinned"),
	BENCH_AXIS_INT("gpus", BENCH_INTS(2), BENCH_INTS(1, 2), BENCH_SAME),
	BENCH_AXIS_END
};
BENCHMARK(transfers) = {
	.name = "dp-knapsack/transfers",
	.summary = "The exchange of published through pageable and through pinned memory",
	.axes = transfers_axes,
	.setup = setup_transfers,
	DP_CASE_WITHOUT_FORM,
	.exists = bench_gpus_fit,
	.estimate = estimate_boyer,
	.repetitions = { 1, 3, 5 },
};

/* ---- one GPU and two ---- */

/* The most items of a form, where a second GPU should save more than it takes to open
 * (dp_tuned_pays), and its cell updates/s. */
struct two_gpus_form {
	const char *form;
	int64_t most;
	double rate;
};

static const struct two_gpus_form *two_gpus_form(const struct bench_case *c)
{
	static const struct two_gpus_form forms[] = { { "fused", 200000, 4e12 },
						      { "class", 400000, 1.5e13 },
						      { "merged", 800000, 5e13 } };
	size_t i = 0;

	while (strcmp(forms[i].form, bench_text(c, "form")) != 0)
		i++;
	return &forms[i];
}

static bool two_gpus_exists(const struct bench_case *c)
{
	return bench_int(c, "n") <= two_gpus_form(c)->most;
}

static double estimate_two_gpus(const struct bench_case *c)
{
	double n = (double)bench_int(c, "n");

	return 0.3 + 187 * n * n / two_gpus_form(c)->rate;
}

static const struct bench_axis two_gpus_axes[] = {
	BOYER,
	BENCH_VARIANTS("tuned"),
	BENCH_FIXED_NAMED("form", "fused", "class", "merged"),
	BENCH_AXIS_INT(
		"n", BENCH_INTS(300), BENCH_INTS(10000, 50000),
		BENCH_INTS(5000, 10000, 20000, 40000, 60000, 100000, 200000, 400000, 800000)),
	ONE_SEED,
	BENCH_GPUS(1, 2),
	BENCH_AXIS_END
};
BENCHMARK(two_gpus) = {
	.name = "dp-knapsack/two-gpus",
	.summary = "The same instance on one GPU and on two: from which size the second pays",
	.axes = two_gpus_axes,
	.setup = setup_value,
	DP_CASE_WITHOUT_FORM,
	.exists = two_gpus_exists,
	.estimate = estimate_two_gpus,
	.min_time = { 0, 0.2, 0.2 },
};

/* ---- our own experiments ---- */

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
	return case_setup(c, name, bench_text(c, "form"), NULL, false, SERIAL_AUTO, e);
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

/* Jooken's generator. */
static const struct named_instance hard_instances[] = {
	{ "n60-c1e4", "hard:60:10000:4:0.3:0.01:50", 60, 1e4 },
	{ "n400-c1e6", "hard:400:1000000:10:0.3:0.0001:300", 400, 1e6 },
	{ "n600-c1e7", "hard:600:10000000:10:0.3:0.0001:300", 600, 1e7 },
	{ "n400-c1e8", "hard:400:100000000:10:0.3:0:300", 400, 1e8 },
	{ "n1200-c1e8", "hard:1200:100000000:10:0.3:1e-5:100", 1200, 1e8 },
};

static int setup_hard(struct bench_case *c, struct err *e)
{
	return case_setup(c, named(hard_instances, c)->name, bench_text(c, "form"), NULL, true,
			  SERIAL_AUTO, e);
}

/* The form reachable takes one device. */
static bool hard_exists(const struct bench_case *c)
{
	bool reachable = strcmp(bench_text(c, "form"), "reachable") == 0;

	return case_exists(c) && !(reachable && bench_int(c, "gpus") > 1);
}

static double estimate_hard(const struct bench_case *c)
{
	enum { SHARE = 8 }; /* of the cells of the dense recursion, at most */

	if (strcmp(bench_text(c, "form"), "reachable") == 0)
		return 0.2 + named(hard_instances, c)->n * named(hard_instances, c)->capacity /
				     SHARE / 1e9;
	return case_estimate(c, bench_text(c, "form"), named(hard_instances, c)->n,
			     6 * named(hard_instances, c)->capacity);
}

static const struct bench_axis hard_axes[] = {
	BENCH_AXIS_TEXT("instance", BENCH_TEXTS("n60-c1e4"), BENCH_TEXTS("n400-c1e6", "n600-c1e7"),
			BENCH_TEXTS("n400-c1e6", "n600-c1e7", "n400-c1e8", "n1200-c1e8")),
	BENCH_VARIANTS("cpu", "tuned"), BENCH_FIXED_NAMED("form", "fused", "reachable"),
	BENCH_AXIS_INT("gpus", BENCH_INTS(0, 1), BENCH_INTS(0, 1, 2, 4), BENCH_SAME), BENCH_AXIS_END
};
BENCHMARK(hard) = {
	.name = "dp-knapsack/hard",
	.summary = "Instances hard for branch and bound (Jooken et al. 2022), large capacities",
	.axes = hard_axes,
	.setup = setup_hard,
	DP_CASE_WITHOUT_FORM,
	.exists = hard_exists,
	.estimate = estimate_hard,
};
