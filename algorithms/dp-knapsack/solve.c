/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/dp-knapsack/solve.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "datasets/knapsack/knapsack.h"
#include "datasets/recognise.h"
#include "algorithms/dp-knapsack/plan.h"
#include "harness/base/clock.h"

struct options {
	struct solve_options common;
	enum dp_form form;
	int64_t memory;
	bool value_only, pinned;
};

static int parse_form(void *value, const char *text, struct err *e)
{
	enum dp_form *form = value;

	for (int f = 0; dp_form_words[f]; f++) {
		if (strcmp(text, dp_form_words[f]) == 0) {
			*form = (enum dp_form)f;
			return 0;
		}
	}
	return err_set(e, ERR_USAGE,
		       "form '%s' is not one of auto, fused, class, merged, reachable", text);
}

const char *const dp_transfer_words[] = { "pageable", "pinned", NULL };

static int parse_transfers(void *value, const char *text, struct err *e)
{
	bool *pinned = value;

	*pinned = strcmp(text, dp_transfer_words[1]) == 0;
	if (*pinned || strcmp(text, dp_transfer_words[0]) == 0)
		return 0;
	return err_set(e, ERR_USAGE, "'%s' is not pageable or pinned", text);
}

/* ---- the ladder ---- */

enum { LITERAL, SWAP, PINNED, ONE_LAUNCH, TRIM, FUSED, CLASS, PAIRS, MERGED, RUNGS };

#define RUNG(rung_name, rung_variant, rung_idea)                                                   \
	{                                                                                          \
		.name = rung_name, .variant = rung_variant, .idea = rung_idea                      \
	}
const struct solve_rung dp_rungs[RUNGS + 1] = {
	[LITERAL] = RUNG("literal", SOLVE_PUBLISHED,
			 "Algorithms 2 and 3: a kernel and a copy of f per item"),
	[SWAP] = RUNG("swap", SOLVE_PUBLISHED, "the two arrays change places, no copy of f"),
	[PINNED] = RUNG("pinned", SOLVE_PUBLISHED, "exchanges through pinned memory"),
	[ONE_LAUNCH] = RUNG("one-launch", SOLVE_TUNED,
			    "all items in one launch, exchanges by the kernels over NVLink"),
	[TRIM] =
		RUNG("trim", SOLVE_TUNED, "cells above the sum of the weights so far are left out"),
	[FUSED] = RUNG("fused", SOLVE_TUNED, "several items per pass, in shared memory"),
	[CLASS] = RUNG("class", SOLVE_TUNED, "all items of one weight per pass, in registers"),
	[PAIRS] = RUNG("pairs", SOLVE_TUNED, "two cells of 16 bits in a register"),
	[MERGED] = RUNG("merged", SOLVE_TUNED, "identical items become one operation"),
};

void dp_rung_apply(const struct solve_rung *rung, struct dp_request *r)
{
	int ideas = (int)(rung - dp_rungs);

	r->swap_arrays = ideas >= SWAP;
	r->pinned = ideas >= PINNED;
	r->constant_cells = ideas < TRIM;
	r->single_items = ideas < FUSED;
	r->single_cells = ideas < PAIRS;
	r->form = ideas < CLASS ? DP_FUSED : ideas < MERGED ? DP_CLASS : DP_MERGED;
	r->want_items = false;
}

int dp_solve(enum solve_variant v, const struct dp_request *r, struct dp_answer *a, struct err *e)
{
	switch (v) {
	case SOLVE_SERIAL:
		return dp_solve_serial(r, a, e);
	case SOLVE_CPU:
		return dp_solve_cpu(r, a, e);
	case SOLVE_PUBLISHED:
		return dp_solve_published(r, a, e);
	default:
		return dp_solve_tuned(r, a, e);
	}
}

/* ---- the result of a stopped run: a greedy solution and a bound ---- */

struct ranked {
	double efficiency;
	int64_t item;
};

static int by_efficiency(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->efficiency != y->efficiency)
		return x->efficiency > y->efficiency ? -1 : 1;
	return x->item < y->item ? -1 : x->item > y->item;
}

static int greedy(const struct knapsack *k, uint8_t *taken, struct err *e)
{
	struct ranked *order = malloc((size_t)k->n * sizeof(*order));
	int64_t room = k->capacity;

	if (!order)
		return err_set(e, ERR_MEMORY, "no memory for a greedy solution");
	for (int64_t i = 0; i < k->n; i++)
		order[i] =
			(struct ranked){ (double)k->profit[i] / ((double)k->weight[i] + 1e-9), i };
	qsort(order, (size_t)k->n, sizeof(*order), by_efficiency);
	for (int64_t j = 0; j < k->n; j++) {
		int64_t i = order[j].item;

		if (k->weight[i] > room)
			continue;
		taken[i] = 1;
		room -= k->weight[i];
	}
	free(order);
	return 0;
}

/* ---- the result ---- */

static int list_taken(const struct knapsack *k, const uint8_t *taken, struct solve_result *r,
		      struct err *e)
{
	r->solution = malloc((size_t)k->n * sizeof(*r->solution));
	if (!r->solution)
		return err_set(e, ERR_MEMORY, "no memory for the list of chosen items");
	for (int64_t i = 0; i < k->n; i++) {
		if (taken[i])
			r->solution[r->solution_length++] = i;
	}
	r->solution_unit = "items";
	return 0;
}

/* Recomputes value and weight from the instance. Checks the optimum with the sparse oracle if that
 * finds it within a second or, where the items already show the value, within the time that the
 * answer took. */
static int verify(const struct knapsack *k, const struct dp_answer *a, struct solve_result *r,
		  struct err *e)
{
	enum { STATES = 1 << 18 };
	const char *source = "sparse oracle";
	double seconds = a->taken ? fmin(fmax(a->seconds_total, 0.1), 1.0) : 1.0;
	int64_t value, weight, optimum = 0;
	bool known = knapsack_known_optimum(k, &optimum, &source) ||
		     knapsack_oracle(k, STATES, seconds, &optimum, NULL) == 0;

	if (a->taken) {
		knapsack_evaluate(k, a->taken, &value, &weight);
		if (value != a->value || weight > k->capacity)
			return err_set(e, ERR_FAILED,
				       "the chosen items have value %" PRId64 " and weight %" PRId64
				       "; expected value %" PRId64 " and at most weight %" PRId64,
				       value, weight, a->value, k->capacity);
		r->verified = true;
	}
	if (known && optimum != a->value)
		return err_set(e, ERR_FAILED,
			       "the answer is %" PRId64 ", but the optimum is %" PRId64 " (%s)",
			       a->value, optimum, source);
	r->verified = r->verified || known;
	if (known)
		solve_extra_figure(r, "oracle_optimum", (double)optimum);
	return 0;
}

static int partial(const struct knapsack *k, struct solve_result *r, struct err *e)
{
	uint8_t *taken = calloc((size_t)k->n, 1);
	int64_t value, weight, bound;
	int status = taken ? greedy(k, taken, e) : err_set(e, ERR_MEMORY, "no memory");

	if (!status)
		status = dp_value_bound(k, 0, &bound, e);
	if (!status)
		status = list_taken(k, taken, r, e);
	if (!status) {
		knapsack_evaluate(k, taken, &value, &weight);
		r->status = SOLVE_LIMIT;
		r->has_objective = true;
		r->objective = value;
		r->has_bound = true;
		r->bound = bound;
		r->verified = weight <= k->capacity;
		solve_extra_figure(r, "upper_bound", (double)bound);
		snprintf(r->note, sizeof(r->note),
			 "stopped: greedy solution, at most %" PRId64 " below the optimum",
			 bound - value);
	}
	free(taken);
	return status ? status : ERR_LIMIT;
}

static int complete(const struct knapsack *k, const struct dp_answer *a, int64_t divisor,
		    struct solve_result *r, struct err *e)
{
	char divided[96] = "";
	double begin = clock_wall();
	int status = a->taken ? list_taken(k, a->taken, r, e) : 0;

	if (!status)
		status = verify(k, a, r, e);
	if (status)
		return status;
	r->status = SOLVE_OPTIMAL; /* exact: the value is that of a solution and also the bound */
	r->has_objective = r->has_bound = true;
	r->objective = r->bound = a->value;
	solve_node_figure(r, "cells", a->cells);
	solve_node_figure(r, "cells_done", a->cells_done);
	if (a->seconds_prepare > 0)
		solve_extra_figure(r, "prepare_seconds", a->seconds_prepare);
	solve_extra_figure(r, "items_seconds", a->seconds_items);
	solve_extra_figure(r, "verify_seconds", clock_wall() - begin);
	solve_extra_figure(r, "memory_peak", (double)a->memory_peak);
	if (divisor > 1)
		snprintf(divided, sizeof(divided),
			 "\nweights have the common factor %" PRId64
			 ": solved with capacity %" PRId64,
			 divisor, k->capacity / divisor);
	snprintf(r->note, sizeof(r->note), "form %s, %.3g cell updates of Algorithm 1, %.3g done%s",
		 dp_form_words[a->form], a->cells, a->cells_done, divided);
	return 0;
}

/* Notes in the error message that capacities in it are divided ones. */
static void say_divided(int status, int64_t divisor, struct err *e)
{
	struct err said = *e;

	err_set(e, status, "%s (weights and capacity divided by %" PRId64 ")", said.text, divisor);
}

/* Solves `divided`, which is k with smaller weights; reports and verifies the answer for k. */
static int solve_divided(const struct options *o, const struct knapsack *k,
			 const struct dp_divided *divided, struct solve_result *r, struct err *e)
{
	struct dp_answer a = { .value = 0 };
	struct dp_request q = {
		.instance = &divided->k,
		.form = o->form,
		.want_items = !o->value_only,
		.pinned = o->pinned,
		.memory_budget = o->memory,
		.threads = (int)o->common.threads,
		.devices = &o->common.devices,
		.gpus = (int)o->common.gpus,
		.as_pays = o->common.as_pays,
		.time_limit = solve_time_left(&o->common),
		.stop = o->common.stop,
	};
	int status;

	/* the paper's parallel algorithm returns only the value */
	if (o->common.variant == SOLVE_PUBLISHED)
		q.want_items = false;
	if (o->common.rung)
		dp_rung_apply(o->common.rung, &q);
	status = dp_solve(o->common.variant, &q, &a, e);
	if (q.as_pays) /* a stop may come before any device is used */
		r->devices_used = (1u << (a.devices ? a.devices : 1)) - 1;
	r->seconds_total = a.seconds_total;
	r->seconds_search = a.seconds_search;
	solve_extra_figure(r, "weight_divisor", (double)divided->divisor);
	if (status == ERR_LIMIT)
		status = partial(k, r, e);
	else if (status && divided->divisor > 1)
		say_divided(status, divided->divisor, e);
	else if (!status)
		status = complete(k, &a, divided->divisor, r, e);
	dp_answer_free(&a);
	return status;
}

static int check_rung(const struct options *o, struct err *e)
{
	if (!o->common.rung || (o->form == DP_AUTO && !o->pinned))
		return 0;
	return err_set(e, ERR_USAGE,
		       "--rung %s chooses the form and the transfers: leave out --form and "
		       "--transfers",
		       o->common.rung->name);
}

/* Divides by a common factor of the weights, if there is one: that is exact and saves time and
 * memory. */
static int solve_instance(const struct options *o, const struct knapsack *k, struct solve_result *r,
			  struct err *e)
{
	struct dp_divided divided;
	int status = dp_divide(&divided, k, e);

	if (!status)
		status = solve_divided(o, k, &divided, r, e);
	dp_divided_free(&divided);
	return status;
}

int dp_solve_instance(const struct solve_options *common, int64_t memory, const struct knapsack *k,
		      struct solve_result *r, struct err *e)
{
	const struct options o = { .common = *common, .memory = memory };

	return solve_instance(&o, k, r, e);
}

static int run(const struct solve_options *common, struct solve_result *r, struct err *e)
{
	const struct options *o = (const struct options *)common;
	struct knapsack k;
	int status;

	if (strcmp(common->problem, "knapsack") != 0)
		return err_set(e, ERR_USAGE, "--problem must be knapsack, not '%s'",
			       common->problem);
	status = check_rung(o, e);
	if (status)
		return status;
	status = knapsack_load(&k, common->instance, e);
	if (status) {
		recognise_hint(common->target, common->instance, FORMS_KNAPSACK, e);
		return status;
	}
	snprintf(r->instance, sizeof(r->instance), "%s", k.name);
	status = solve_await_devices(&common->devices, r, e);
	if (!status)
		status = solve_instance(o, &k, r, e);
	knapsack_free(&k);
	return status;
}

static const struct flag flags[] = { { .name = "form",
				       .type = FLAG_PARSED,
				       .offset = offsetof(struct options, form),
				       .argument = "auto|fused|class|merged|reachable",
				       .parse = parse_form,
				       .help = "what cpu and tuned may exploit: nothing (fused), "
					       "equal weights (class), identical items (merged), "
					       "few reachable capacities (reachable)" },
				     FLAG("memory", FLAG_BYTES, struct options, memory, "BYTES",
					  "memory for reconstructing the items, for example 512M "
					  "(default: half of the free memory)"),
				     { .name = "transfers",
				       .type = FLAG_PARSED,
				       .offset = offsetof(struct options, pinned),
				       .argument = "pageable|pinned",
				       .parse = parse_transfers,
				       .help = "CPU memory through which the devices of published "
					       "exchange cells (default pageable)" },
				     FLAG("value-only", FLAG_BOOL, struct options, value_only, NULL,
					  "do not reconstruct the chosen items"),
				     FLAG_END };

const struct solve_spec dp_solve_spec = {
	.problem = "knapsack",
	.instances =
		"boyer:N[:SEED], hard:N:C:G:F:EPS:S[:SEED], correlation:CLASS:N[:SEED], or a file",
	.flags = flags,
	.options_size = sizeof(struct options),
	.begins_on_one = true,
	.rungs = dp_rungs,
	.run = run,
};

int dp_list(struct err *e)
{
	(void)e;
	puts("instances:\n"
	     "  boyer:N[:SEED]                  weights 1..1000, profit = weight + 50, C = half "
	     "(the paper's)\n"
	     "  hard:N:C:G:F:EPS:S[:SEED]       Jooken, Leyman, De Causmaecker 2022\n"
	     "  correlation:CLASS:N[:SEED]      strong, weak, uncorrelated, inverse, subset-sum\n"
	     "  FILE                            n / index profit weight / C, or n C / profit "
	     "weight\n"
	     "variants:\n"
	     "  serial     Algorithm 1 on one core\n"
	     "  cpu        vectorised, cache-blocked, all cores   --form "
	     "fused|class|merged|reachable\n"
	     "  published  Algorithms 2 and 3 on the GPU, one kernel per item (value only)\n"
	     "  tuned      ours on the GPU                        --form "
	     "fused|class|merged|reachable");
	return 0;
}
