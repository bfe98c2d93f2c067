/* From flags to a run. */
#include <stdio.h>
#include <string.h>

#include "solve_options.h"

static const char *const model_words[] = { "pboa", "sboa", "hboa", NULL };
static const char *const replacement_words[] = { "worst", "all", NULL };
static const char *const smoothing_words[] = { "none", "laplace", NULL };
static const char *const merges_words[] = { "off", "on", NULL };
static const char *const stop_words[] = { "either", "optimum", "converged", "generations", NULL };

void boa_solve_defaults(void *options)
{
	struct boa_solve_options *o = options;

	o->max_parents = -1;
}

int boa_parse_share(void *value, const char *text, struct err *e)
{
	struct boa_share *share = value;

	if (flag_parse_real(&share->value, text, NULL) || !(share->value >= 0) ||
	    share->value > 1)
		return err_set(e, ERR_USAGE, "'%s' is no share from 0 to 1", text);
	share->given = true;
	return 0;
}

/* ---- what would be ignored ---- */

static int refuse_flags(const struct boa_solve_options *o, enum boa_model model, struct err *e)
{
	enum solve_variant v = o->common.variant;
	bool trees = model == BOA_TREES;
	const struct {
		bool wrong;
		const char *flag, *why;
	} flags[] = {
		{ o->common.ub != NULL, "ub", "this target has no use for it" },
		{ o->common.checkpoint != NULL, "checkpoint", "this target has no use for it" },
		{ o->common.resume != NULL, "resume", "this target has no use for it" },
		{ o->engine && (v != SOLVE_TUNED || trees), "engine",
		  "for --variant tuned of pboa alone" },
		{ o->host_share.given && (v < SOLVE_PUBLISHED || trees), "host-share",
		  "for --variant published and tuned of pboa alone" },
		{ o->block_threads && (v != SOLVE_PUBLISHED || trees), "block-threads",
		  "for --variant published of pboa alone" },
		{ o->max_parents >= 0 && trees, "max-parents",
		  "for pboa and sboa: a decision graph grows while it gains" },
		{ o->tournament && !trees, "tournament", "for --model hboa alone" },
		{ o->window && !trees, "window", "for --model hboa alone" },
		{ o->merges && !trees, "merges", "for --model hboa alone" },
	};

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (flags[i].wrong)
			return err_set(e, ERR_USAGE, "--%s: %s", flags[i].flag, flags[i].why);
	return 0;
}

/* ---- options ---- */

static int32_t clamp(int64_t value)
{
	return value > INT32_MAX ? INT32_MAX : (int32_t)value;
}

static int choose_words(const struct boa_solve_options *o, struct boa_options *b, struct err *e)
{
	int model, replacement, smoothing, merges, stop;
	int status = flag_choose(&model, "model", o->model, model_words, e);

	if (!status)
		status = flag_choose(&replacement, "replacement", o->replacement,
				     replacement_words, e);
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
	if (o->population)
		b->population = clamp(o->population);
	b->selected = o->selected ? clamp(o->selected) : b->population / 2;
	if (o->max_parents >= 0)
		b->max_parents = clamp(o->max_parents);
	if (o->generations)
		b->generations = clamp(o->generations);
	if (o->tournament)
		b->tournament = clamp(o->tournament);
	b->window = clamp(o->window);
	b->seed = o->common.seed;
	return refuse_flags(o, b->model, e);
}

/* ---- the problem ---- */

/* "trap5:60" names the problem too. */
static int load_landscape(struct boa_task *t, const struct solve_options *o, struct err *e)
{
	bool is_default = strcmp(o->problem, boa_solve_spec.problem) == 0;
	const char *colon = strchr(o->instance, ':');
	size_t length = colon ? (size_t)(colon - o->instance) : 0;

	t->problem[0] = '\0';
	if (length > 0 && length < sizeof(t->problem)) {
		memcpy(t->problem, o->instance, length);
		t->problem[length] = '\0';
	}
	if (!landscape_is_problem(t->problem)) {
		t->problem[0] = '\0';
		return landscape_load(&t->landscape, o->problem, o->instance, e);
	}
	if (!is_default && strcmp(o->problem, t->problem) != 0)
		return err_set(e, ERR_USAGE, "--instance %s is none of --problem %s", o->instance,
			       o->problem);
	return landscape_load(&t->landscape, t->problem, colon + 1, e);
}

static int make_setup(struct boa_task *t, const struct boa_solve_options *o, struct err *e)
{
	const struct solve_options *c = &o->common;
	int engine, status = flag_choose(&engine, "engine", o->engine, boa_engine_words, e);

	if (status)
		return status;
	if (o->block_threads && (o->block_threads < 32 || o->block_threads > 1024))
		return err_set(e, ERR_USAGE, "--block-threads: 32 to 1024");
	t->setup = (struct boa_setup){
		.landscape = &t->landscape, .options = &t->options, .variant = c->variant,
		.threads = c->variant == SOLVE_SERIAL ? 1 : (int)c->threads,
		.devices = &c->devices, .gpus = (int)c->gpus, .stop = c->stop,
		.time_limit = c->time_limit, .engine = engine,
		.host_share = o->host_share.value, .block_threads = (int)o->block_threads,
	};
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
