/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/gboa/solve/options.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "algorithms/gboa/rungs.h"
#include "datasets/recognise.h"
#include "harness/base/flags.h"

const char boa_default_problem[] = "trap5";

static const char *const model_words[] = { "pboa", "sboa", "hboa", NULL };
static const char *const replacement_words[] = { "worst", "all", NULL };
static const char *const smoothing_words[] = { "none", "laplace", NULL };
static const char *const merges_words[] = { "off", "on", NULL };
static const char *const stop_words[] = { "either", "optimum", "converged", "generations", NULL };

void boa_solve_defaults(void *options)
{
	struct boa_solve_options *o = options;

	o->max_parents = o->generations = o->block_threads = -1;
	o->tournament = o->window = -1;
	o->population = o->selected = o->runs = o->needed = -1;
}

int boa_parse_share(void *value, const char *text, struct err *e)
{
	struct boa_share *share = value;

	if (flag_parse_real(&share->value, text, NULL) || !(share->value >= 0) || share->value > 1)
		return err_set(e, ERR_USAGE, "'%s' is not a number between 0 and 1", text);
	share->given = true;
	return 0;
}

/* ---- flags that would be ignored ---- */

/* True if the engine divides the work between the host and devices. AUTO may choose one that does
 * not. */
static bool shares_with_host(const struct boa_solve_options *o, enum solve_variant v)
{
	return v == SOLVE_PUBLISHED ||
	       (v == SOLVE_TUNED && o->engine && strcmp(o->engine, "batch") == 0);
}

static int refuse_flags(const struct boa_solve_options *o, enum boa_model model, struct err *e)
{
	enum solve_variant v = o->common.variant;
	bool trees = model == BOA_TREES;
	const struct flag_refusal flags[] = {
		{ o->common.rung && model != BOA_PERMUTED, "rung", "only for --model pboa" },
		{ o->engine && o->common.rung, "engine", "--rung chooses the engine" },
		{ o->engine && (v != SOLVE_TUNED || trees), "engine",
		  "only for --variant tuned with --model pboa" },
		{ o->host_share.given && (!shares_with_host(o, v) || trees), "host-share",
		  "only for --model pboa with --variant published, or tuned and --engine batch" },
		{ o->common.devices.count > 1 && v == SOLVE_PUBLISHED, "gpus",
		  "--variant published uses one device: --gpus 1" },
		{ model == BOA_SEARCHED && v != SOLVE_SERIAL, "model",
		  "sboa is sequential: it requires --variant serial" },
		{ o->block_shared && (v != SOLVE_PUBLISHED || trees), "block-shared",
		  "only for --variant published with --model pboa" },
		{ o->block_threads >= 0 && (v != SOLVE_PUBLISHED || trees), "block-threads",
		  "only for --variant published with --model pboa" },
		{ o->max_parents >= 0 && trees, "max-parents",
		  "only for pboa and sboa: a decision graph grows while it gains" },
		{ o->tournament >= 0 && !trees, "tournament", "only for --model hboa" },
		{ o->window >= 0 && !trees, "window", "only for --model hboa" },
		{ o->merges && !trees, "merges", "only for --model hboa" },
		{ o->gpus_per_rank > 0, "gpus-per-rank", "needs mpirun (docs/CLUSTER.md)" },
	};

	return FLAGS_REFUSE(flags, e);
}

/* ---- options ---- */

/* Stores the value of a flag in *out if it was given (value >= 0). ERR_USAGE if it does not fit. */
static int take(int32_t *out, const char *flag, int64_t value, struct err *e)
{
	if (value > INT32_MAX)
		return err_set(e, ERR_USAGE, "--%s %" PRId64 ": at most %d", flag, value,
			       INT32_MAX);
	if (value >= 0)
		*out = (int32_t)value;
	return 0;
}

static int choose_words(const struct boa_solve_options *o, struct boa_options *b, struct err *e)
{
	int model, replacement, smoothing, merges, stop;
	int status = flag_choose(&model, "model", o->model, model_words, e);

	if (!status)
		status = flag_choose(&replacement, "replacement", o->replacement, replacement_words,
				     e);
	if (!status)
		status = flag_choose(&smoothing, "smoothing", o->smoothing, smoothing_words, e);
	if (!status)
		status = flag_choose(&merges, "merges", o->merges, merges_words, e);
	if (!status)
		status = flag_choose(&stop, "stop", o->stop, stop_words, e);
	if (status)
		return status;
	b->model = (enum boa_model)model;
	b->replacement = (enum boa_replacement)replacement;
	b->smoothing = (enum boa_smoothing)smoothing;
	b->merges = merges == 1;
	b->stop_at_optimum = stop == 0 || stop == 1;
	b->stop_converged = stop == 0 || stop == 2;
	return 0;
}

static int make_options(const struct boa_solve_options *o, struct boa_options *b, struct err *e)
{
	int status;

	boa_defaults(b);
	status = choose_words(o, b, e);
	if (status)
		return status;
	b->seed = o->common.seed;
	status = take(&b->population, "population", o->population, e);
	b->selected = b->population / 2;
	if (!status)
		status = take(&b->selected, "selected", o->selected, e);
	if (!status)
		status = take(&b->max_parents, "max-parents", o->max_parents, e);
	if (!status)
		status = take(&b->generations, "generations", o->generations, e);
	if (!status)
		status = take(&b->tournament, "tournament", o->tournament, e);
	if (!status)
		status = take(&b->window, "window", o->window, e);
	return status ? status : refuse_flags(o, b->model, e);
}

/* ---- the problem ---- */

/* Improves the message for an instance that was rejected: suggests the problem of the file, or
 * --problem if the instance looks like the name of a problem. */
static int suggest_problem(int status, const struct solve_options *o, struct err *e)
{
	unsigned own = strcmp(o->problem, "maxsat") == 0   ? FORMS_MAXSAT :
		       strcmp(o->problem, "knapsack") == 0 ? FORMS_KNAPSACK :
							     0;
	struct err said = *e;

	if (recognise_hint(o->target, o->instance, own, e) || o->problem != boa_default_problem ||
	    isdigit((unsigned char)o->instance[0]))
		return status;
	return err_set(e, status, "%s; for another problem see --problem", said.text);
}

/* An instance such as "trap5:60" names the problem as well. */
static int load_landscape(struct boa_task *t, const struct solve_options *o, struct err *e)
{
	bool is_default = o->problem == boa_default_problem;
	const char *colon = strchr(o->instance, ':');
	size_t length = colon ? (size_t)(colon - o->instance) : 0;

	t->problem[0] = '\0';
	if (length > 0 && length < sizeof(t->problem)) {
		memcpy(t->problem, o->instance, length);
		t->problem[length] = '\0';
	}
	if (!landscape_is_problem(t->problem)) {
		int status = landscape_load(&t->landscape, o->problem, o->instance, e);

		t->problem[0] = '\0';
		return status ? suggest_problem(status, o, e) : 0;
	}
	if (!is_default && strcmp(o->problem, t->problem) != 0)
		return err_set(e, ERR_USAGE, "--instance %s is not an instance of --problem %s",
			       o->instance, o->problem);
	return landscape_load(&t->landscape, t->problem, colon + 1, e);
}

static int make_setup(struct boa_task *t, const struct boa_solve_options *o, struct err *e)
{
	const struct solve_options *c = &o->common;
	int engine, status = flag_choose(&engine, "engine", o->engine, boa_engine_words, e);

	if (status)
		return status;
	if (o->block_threads >= 0 &&
	    (o->block_threads < 32 || o->block_threads > 1024 || o->block_threads % 32))
		return err_set(e, ERR_USAGE,
			       "--block-threads must be a multiple of 32, 32 to 1024");
	t->setup = (struct boa_setup){
		.landscape = &t->landscape,
		.options = &t->options,
		.variant = c->variant,
		.threads = c->variant == SOLVE_SERIAL ? 1 : (int)c->threads,
		.devices = &c->devices,
		.gpus = (int)c->gpus,
		.stop = c->stop,
		.time_limit = solve_time_left(c),
		.engine = engine,
		.host_share = o->host_share.value,
		.block_shared = o->block_shared,
		.block_threads = o->block_threads > 0 ? (int)o->block_threads : 0,
	};
	if (c->rung)
		boa_rung_apply(c->rung, &t->setup);
	return 0;
}

int boa_task_open(struct boa_task *t, const struct boa_solve_options *o, struct err *e)
{
	int status;

	*t = (struct boa_task){ .problem = "" };
	status = make_options(o, &t->options, e);
	if (!status)
		status = load_landscape(t, &o->common, e);
	if (!status)
		status = boa_check_options(&t->options, t->landscape.n, e);
	if (!status)
		status = make_setup(t, o, e);
	if (status)
		boa_task_close(t);
	return status;
}

void boa_task_close(struct boa_task *t)
{
	landscape_free(&t->landscape);
}
