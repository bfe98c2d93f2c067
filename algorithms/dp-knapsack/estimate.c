/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/dp-knapsack/estimate.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "algorithms/dp-knapsack/plan.h"
#include "algorithms/dp-knapsack/reachable.h"
#include "datasets/knapsack/knapsack.h"
#include "harness/base/flags.h"
#include "harness/base/json_file.h"
#include "harness/machine/environment.h"
#include "harness/machine/peaks.h"

struct options {
	const char *instance, *json;
	double seconds;
};

static const struct flag flags[] = {
	FLAG("instance", FLAG_TEXT, struct options, instance, "NAME|FILE",
	     "known instance or file, as for solve"),
	FLAG("seconds", FLAG_REAL, struct options, seconds, "S",
	     "give up the sets of reachable capacities after S seconds (default 10)"),
	FLAG("json", FLAG_TEXT, struct options, json, "FILE|-", "write the estimate as JSON"),
	FLAG_END,
};

struct estimate {
	struct knapsack k;
	struct dp_divided divided; /* as `solve` does */
	double cells;              /* of Algorithm 1 */
	bool known;                /* the sets were computed in time, in the memory that there is */
	struct dp_reach_work reach;
	double cores, device; /* seconds, at the rates of copies; 0: not measured */
};

/* The sets are computed once to measure the work, and again beside it. */
static double about_seconds(const struct estimate *x, const struct peaks *p, enum peak rate)
{
	const struct peak_demand bytes = { rate, x->reach.moved_bytes };

	if (!peaks_known(p, rate))
		return 0;
	return x->reach.seconds + fmax(x->reach.seconds, peaks_lower_bound(p, &bytes, 1, NULL));
}

static int find(struct estimate *x, double seconds, struct err *e)
{
	struct dp_request r = { .instance = &x->divided.k, .threads = 1, .time_limit = seconds };
	struct environment env;
	struct peaks p;
	int status = dp_reach_estimate(&r, &x->reach, e);

	x->cells = dp_toth_cells(&x->divided.k);
	x->known = !status;
	if (status == ERR_LIMIT || status == ERR_MEMORY)
		return 0;
	if (status)
		return status;
	env_capture(&env);
	if (peaks_load(&p, &env, NULL))
		return 0;
	x->cores = about_seconds(x, &p, PEAK_CPU_COPY);
	x->device = about_seconds(x, &p, PEAK_GPU_COPY);
	return 0;
}

static void print_text(const struct estimate *x)
{
	printf("%s: %" PRId64 " items, capacity %" PRId64 "\n"
	       "dense recursion: %.3g cell updates, a table of %.3g bytes\n",
	       x->k.name, x->k.n, x->k.capacity, x->cells, 8 * (double)x->divided.k.capacity);
	if (!x->known) {
		puts("few reachable capacities: not known, the sets take too much time or memory");
		return;
	}
	printf("few reachable capacities: at least %.3g cell updates, arrays of %.3g bytes, %.3g "
	       "bytes for the items\n",
	       x->reach.cells, x->reach.array_bytes, x->reach.bit_bytes);
	if (x->cores > 0)
		printf("about %.2g s on the cores of this machine\n", x->cores);
	if (x->device > 0)
		printf("about %.2g s on its GPU\n", x->device);
}

/* A number, or null if it is not known. */
static json_t *number(bool known, double value)
{
	return known ? json_real(value) : json_null();
}

static int write_json(const struct estimate *x, const char *path, struct err *e)
{
	json_t *v = json_pack(
		"{ss ss sI sI sf so so so so so sf}", "problem", "knapsack", "instance", x->k.name,
		"items", (json_int_t)x->k.n, "capacity", (json_int_t)x->k.capacity, "cells",
		x->cells, "reachable_cells", number(x->known, x->reach.cells), "array_bytes",
		number(x->known, x->reach.array_bytes), "item_bytes",
		number(x->known, x->reach.bit_bytes), "seconds_cores",
		number(x->cores > 0, x->cores), "seconds_device", number(x->device > 0, x->device),
		"nodes", x->known ? fmin(x->reach.cells, x->cells) : x->cells);
	int status = json_file_write(v, path, e);

	json_decref(v);
	return status;
}

static int estimate(const struct options *o, struct err *e)
{
	static struct estimate x;
	int status;

	if (!o->instance)
		return err_set(e, ERR_USAGE, "--instance is missing");
	if (o->seconds <= 0)
		return err_set(e, ERR_USAGE, "--seconds must be above 0");
	status = knapsack_load(&x.k, o->instance, e);
	if (status)
		return status;
	status = dp_divide(&x.divided, &x.k, e);
	if (!status)
		status = find(&x, o->seconds, e);
	if (!status && !(o->json && strcmp(o->json, "-") == 0))
		print_text(&x);
	if (!status && o->json)
		status = write_json(&x, o->json, e);
	if (!status && (fflush(stdout) || ferror(stdout)))
		status = err_set(e, ERR_IO, "cannot write to standard output");
	dp_divided_free(&x.divided);
	knapsack_free(&x.k);
	return status;
}

static void print_help(void)
{
	puts("usage: dp-knapsack estimate --instance NAME|FILE [flags]\n"
	     "Estimates the work of a knapsack: the cell updates of the dense recursion, and\n"
	     "those of the first round of the form reachable, from its sets. A further round\n"
	     "costs about as much. Seconds need the peak rates of this machine (copra peaks).");
	flags_print(stdout, flags);
	puts("exit codes: 0 done; 1 failed; 2 bad usage or input");
}

int dp_estimate_main(int argc, char **argv)
{
	const struct flag *const tables[] = { flags, NULL };
	struct options o = { .seconds = 10 };
	struct err e = { 0 };
	bool help = false;
	int status = flags_parse(tables, &o, argc, argv, &help, &e);

	if (!status && help) {
		print_help();
		return 0;
	}
	if (!status)
		status = estimate(&o, &e);
	if (status)
		fprintf(stderr, "dp-knapsack: %s\n", e.text);
	return err_exit_code(status);
}
