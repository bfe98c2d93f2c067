/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/compare/comparison.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/json_file.h"
#include "harness/base/progress.h"
#include "harness/compare/baseline.h"
#include "harness/compare/family.h"
#include "harness/compare/folders.h"
#include "harness/compare/result.h"
#include "harness/compare/rows.h"

enum { LAUNCHES = 40, LEAST_LAUNCHES = 10, A_BLOCK = 2 /* launches per build */ };

/* A comparison of builds while it runs. */
struct comparison {
	struct settings *s;
	const struct environment *env;
	const volatile sig_atomic_t *stop;
	struct baseline baseline;
	struct family *family;
	size_t families;
	char old_bin[PATH_MAX]; /* the old programs */
	char out[PATH_MAX],
		work[PATH_MAX]; /* results; copies of the programs, removed at the end */
	struct gate_result result;
	struct progress *progress;
	double done;
};

/* ---- the builds ---- */

static void set_revision(struct gate_side *side, const json_t *context)
{
	bool dirty = json_integer_value(json_object_get(context, "copra_dirty")) != 0;

	if (context)
		snprintf(side->revision, sizeof(side->revision), "%.12s%s",
			 json_text(context, "copra_revision"), dirty ? " with changes" : "");
}

/* Notes a driver or kernel that has changed since the baseline was made. */
static void compare_systems(struct comparison *r)
{
	const char *then = json_text(r->baseline.json, "driver"), *now = r->env->gpu_driver;
	const char *kernel = json_text(r->baseline.json, "kernel");
	const char *old = then, *new = now;

	if (!strcmp(then, now)) {
		old = kernel;
		new = r->env->kernel;
	}
	if (*old && strcmp(old, new) != 0)
		snprintf(r->result.remark, sizeof(r->result.remark),
			 "The baseline was made under %s, this machine now runs %s%s", old, new,
			 r->result.control == GATE_OLD_AGAIN ? ": both builds ran under the new "
							       "one; --rows compares with "
							       "the recorded times." :
							       ".");
}

static int use_baseline(struct comparison *r, struct err *e)
{
	struct settings *s = r->s;
	int status = baseline_load(&r->baseline, s, r->env, e);

	if (status == 0)
		status = baseline_complete(&r->baseline, s, e);
	if (status == 0)
		status = text_path(r->old_bin, e, "%s/bin", r->baseline.folder);
	if (status)
		return status;
	snprintf(r->result.old.what, sizeof(r->result.old.what), "baseline '%s' of %.10s", s->name,
		 json_text(r->baseline.json, "date"));
	return 0;
}

static int find_builds(struct comparison *r, struct err *e)
{
	struct settings *s = r->s;
	int status;

	snprintf(r->result.new.what, sizeof(r->result.new.what), "%s", s->bin);
	if (!s->old)
		return use_baseline(r, e);
	if (s->rows)
		return err_set(e, ERR_USAGE, "--rows needs a baseline, not --old");
	settings_complete(s);
	snprintf(r->result.old.what, sizeof(r->result.old.what), "%s", s->old);
	status = text_path(r->old_bin, e, "%s", s->old);
	if (status == 0 && access(s->old, X_OK) != 0)
		status = err_set(e, ERR_USAGE, "--old: %s is not an accessible folder", s->old);
	return status;
}

/* ---- the targets ---- */

/* Drops the targets that the baseline lacks; an error if they were asked for by name. */
static int keep_families(struct comparison *r, struct err *e)
{
	const char *filter;
	size_t kept = 0;

	for (size_t i = 0; i < r->families; i++) {
		struct family f = r->family[i];

		if (baseline_family(&r->baseline, f.target, &filter)) {
			r->family[kept++] = f;
			continue;
		}
		if (r->s->targets && *r->s->targets)
			return err_set(e, ERR_USAGE, "the baseline does not contain the target %s",
				       f.target);
		free(f.target);
		free(f.filter);
	}
	r->families = kept;
	return kept ? 0 : err_set(e, ERR_USAGE, "the baseline contains none of the targets");
}

/* Uses the baseline's rows if its programs are gone, or if --rows asks for them. */
static int set_control(struct comparison *r, struct err *e)
{
	struct gate_result *result = &r->result;
	bool gone = false;

	for (size_t i = 0; i < r->families && !gone; i++) {
		char program[PATH_MAX];

		if (text_path(program, e, "%s/%s", r->old_bin, r->family[i].target))
			return ERR_IO;
		gone = access(program, X_OK) != 0;
		if (gone && r->s->old)
			return err_set(e, ERR_USAGE, "--old: %s is not a program", program);
	}
	if (!gone && !r->s->rows)
		return 0;
	result->control = GATE_NEW_AGAIN;
	snprintf(result->weaker, sizeof(result->weaker),
		 "WEAKER: %s, so new launches were compared with times recorded earlier. Any "
		 "change of the machine since then looks like a change of the program.",
		 gone ? "the baseline's programs are gone" : "--rows was given");
	return 0;
}

static int copy_programs(struct comparison *r, struct gate_target *t, struct err *e)
{
	/* of equal length, because the length of a program's path shifts its stack */
	static const char *const folders[GATE_BUILDS] = { "old", "two", "new" };
	int status = 0;

	for (int build = 0; build < GATE_BUILDS && status == 0; build++) {
		bool old = build == GATE_OLD ||
			   (build == GATE_AGAIN && r->result.control == GATE_OLD_AGAIN);
		char from[PATH_MAX];

		status = text_path(t->program[build], e, "%s/%s/%s", r->work, folders[build],
				   t->name);
		if (status == 0)
			status = text_path(from, e, "%s/%s", old ? r->old_bin : r->s->bin, t->name);
		if (status == 0 && !(build == GATE_OLD && r->result.control == GATE_NEW_AGAIN))
			status = folder_copy_program(from, t->program[build], e);
	}
	return status;
}

static void show_progress(void *ctx, const struct gate_target *t)
{
	struct comparison *r = ctx;
	char what[160];
	size_t settled = 0;

	for (size_t i = 0; i < t->session.count; i++)
		settled += t->session.bench[i].settled;
	snprintf(what, sizeof(what), "%s: %d launches of each build, %zu of %zu benchmarks settled",
		 t->name, A_BLOCK * t->session.blocks, settled, t->session.count);
	progress_update(r->progress, r->done + t->session.blocks, what);
}

static void set_blocks(const struct comparison *r, struct gate_session *session)
{
	int64_t launches = r->s->launches ? r->s->launches : LAUNCHES;

	session->most = (int)((launches + A_BLOCK - 1) / A_BLOCK);
	session->least = LEAST_LAUNCHES / A_BLOCK;
	if (session->least > session->most)
		session->least = session->most;
}

static int set_target(struct comparison *r, size_t index, struct gate_target *t, struct err *e)
{
	const struct family *f = &r->family[index];
	char path[PATH_MAX];
	int status = 0;

	*t = (struct gate_target){ .name = f->target,
				   .filter = f->filter,
				   .parameters = &r->s->launch,
				   .folder = r->out,
				   .after_block = show_progress,
				   .ctx = r };
	t->session.control = r->result.control;
	t->session.rule = r->result.rule;
	t->session.seed = r->s->seed + index;
	t->session.stop = r->stop;
	set_blocks(r, &t->session);
	if (r->baseline.json && !r->s->filter)
		baseline_family(&r->baseline, f->target, &t->filter);
	status = copy_programs(r, t, e);
	if (status == 0 && r->result.control == GATE_NEW_AGAIN) {
		status = text_path(path, e, "%s/%s.rows.json", r->baseline.folder, f->target);
		if (status == 0)
			status = rows_load(&t->build[GATE_OLD], path, e);
	}
	return status;
}

/* A target that fails does not stop the comparison of the others. */
static int compare_target(struct comparison *r, size_t index, struct err *e)
{
	struct gate_target *t = &r->result.target[index];
	struct err problem = { 0 };
	int status = target_compare(t, &problem);

	set_revision(&r->result.old, t->build[GATE_OLD].context);
	set_revision(&r->result.new, t->build[GATE_NEW].context);
	r->done += t->session.most;
	progress_update(r->progress, r->done, t->name);
	if (status == 0)
		status = rows_remember(&t->build[GATE_NEW], "compare", &r->s->launch, &problem);
	if (status == 0)
		return 0;
	r->result.complete = false;
	err_prefix(&problem, "%s", r->family[index].target);
	if (status != ERR_LIMIT) {
		progress_clear(r->progress);
		fprintf(stderr, "compare: %s\n", problem.text);
	}
	if (e->code == 0 || status == ERR_LIMIT)
		*e = problem;
	return status;
}

/* Copies all programs before the first is launched: they may be rebuilt in the meantime. */
static int set_targets(struct comparison *r, struct err *e)
{
	int status = 0;

	r->result.target = calloc(r->families, sizeof(*r->result.target));
	if (!r->result.target)
		return err_set(e, ERR_MEMORY, "no memory for the targets");
	for (size_t i = 0; i < r->families && status == 0; i++) {
		r->result.targets = i + 1;
		status = set_target(r, i, &r->result.target[i], e);
	}
	return status;
}

/* Keeps the first error. An interruption ends the loop. */
static int compare_targets(struct comparison *r, struct err *e)
{
	int status = 0, one = 0;

	r->result.complete = true;
	for (size_t i = 0; i < r->families && one != ERR_LIMIT; i++) {
		one = compare_target(r, i, e);
		status = one == ERR_LIMIT || status == 0 ? one : status;
	}
	return status;
}

/* ---- verdicts ---- */

/* Judges the benchmarks of all targets as one family. */
static int judge(struct gate_result *r, struct err *e)
{
	struct gate_judgement *all;
	size_t count = 0, at = 0;
	int status;

	for (size_t t = 0; t < r->targets; t++)
		count += r->target[t].session.count;
	all = calloc(count + 1, sizeof(*all));
	if (!all)
		return err_set(e, ERR_MEMORY, "no memory for the verdicts");
	for (size_t t = 0; t < r->targets; t++)
		for (size_t i = 0; i < r->target[t].session.count; i++)
			all[at++] = r->target[t].session.bench[i].now;
	status = gate_judge(all, count, &r->rule, e);
	at = 0;
	for (size_t t = 0; t < r->targets; t++) {
		for (size_t i = 0; i < r->target[t].session.count; i++) {
			r->target[t].session.bench[i].now = all[at];
			r->verdicts[all[at++].verdict]++;
		}
		for (size_t i = 0; i < r->target[t].omitted_count; i++)
			r->failed += r->target[t].omitted[i].failed;
	}
	r->compared = count;
	free(all);
	return status;
}

/* Whether any benchmark of the files has enough rows for a verdict. */
static bool enough_rows(const struct gate_result *r)
{
	for (size_t t = 0; t < r->targets; t++)
		for (size_t i = 0; i < r->target[t].session.count; i++)
			if (gate_enough_samples(&r->target[t].session.bench[i].now.test, &r->rule))
				return true;
	return false;
}

static int conclude(const struct gate_result *r, struct err *e)
{
	if (r->verdicts[GATE_SLOWER])
		return err_set(e, ERR_FAILED, "%zu of %zu benchmarks SLOWER",
			       r->verdicts[GATE_SLOWER], r->compared);
	if (r->failed)
		return err_set(e, ERR_FAILED, "%zu benchmark%s failed in the new build", r->failed,
			       r->failed == 1 ? "" : "s");
	if (r->compared == 0)
		return err_set(e, ERR_USAGE, "no benchmark to compare");
	if (!r->parameters && !enough_rows(r))
		return err_set(
			e, ERR_USAGE,
			"nothing was compared: a benchmark needs at least %zu rows in each file, "
			"preferably 20 (--benchmark_repetitions=20)",
			gate_samples_needed(&r->rule));
	return 0;
}

static int finish(struct gate_result *r, const char *folder, const char *junit, struct err *e)
{
	int status = judge(r, e);

	if (status == 0)
		result_print(r);
	if (status == 0 && folder)
		status = result_save(r, folder, e);
	if (status == 0 && folder)
		printf("written: %s/compare.md, %s/compare.json\n", folder, folder);
	if (status == 0 && junit)
		status = result_save_junit(r, junit, e);
	return status;
}

static void free_targets(struct gate_result *r)
{
	for (size_t i = 0; i < r->targets; i++)
		target_free(&r->target[i]);
	free(r->target);
}

/* ---- builds ---- */

/* Removes the results of an earlier comparison, and nothing else: the user may have named a folder
 * that holds other files. */
static int clear_results(const struct comparison *r, struct err *e)
{
	int status = folder_remove_file(r->out, "compare.json", e);

	if (status == 0)
		status = folder_remove_file(r->out, "compare.md", e);
	if (status == 0 && r->s->junit && unlink(r->s->junit) && errno != ENOENT)
		status = err_set(e, ERR_IO, "cannot replace %s: %s", r->s->junit, strerror(errno));
	for (size_t i = 0; i < r->families && status == 0; i++)
		status = target_remove(r->out, r->family[i].target, e);
	return status ? status : folder_remove(r->work, e);
}

static int prepare(struct comparison *r, struct err *e)
{
	struct settings *s = r->s;
	char gate[PATH_MAX];
	int status = settings_check(s, &r->result.rule, e);

	if (status == 0)
		status = find_builds(r, e);
	if (status == 0)
		status = settings_folder(gate, r->env, e);
	if (status == 0)
		status = s->out ? text_path(r->out, e, "%s", s->out) :
				  text_path(r->out, e, "%s/compare", gate);
	if (status == 0)
		status = text_path(r->work, e, "%s/.copra-programs", r->out);
	if (status == 0)
		status = family_find(&r->family, &r->families, s->papers, s->bin, s->targets,
				     s->filter, e);
	if (status == 0 && r->baseline.json)
		status = keep_families(r, e);
	if (status == 0 && (s->filter || s->old) && !(s->targets && *s->targets))
		status = family_match(r->family, &r->families, s->bin, &s->launch, r->stop, e);
	if (status == 0)
		status = settings_lock(r->env, e);
	if (status == 0)
		status = set_control(r, e);
	if (status == 0 && r->baseline.json)
		compare_systems(r);
	if (status == 0)
		status = clear_results(r, e);
	return status;
}

int compare_builds(struct settings *s, const struct environment *env,
		   const volatile sig_atomic_t *stop, struct err *e)
{
	struct comparison *r = calloc(1, sizeof(*r));
	struct err later;
	int status, one;

	if (!r)
		return err_set(e, ERR_MEMORY, "no memory");
	r->s = s;
	r->env = env;
	r->stop = stop;
	r->result.machine = env->machine;
	r->result.host = env->host_hash;
	r->result.cpu = env->cpu_model;
	r->result.parameters = &s->launch;
	status = prepare(r, e);
	if (status == 0)
		status = set_targets(r, e);
	if (status == 0) {
		double launches = (double)(s->launches ? s->launches : LAUNCHES);

		status = progress_create(&r->progress, s->quiet ? NULL : stderr, "compare",
					 ceil(launches / A_BLOCK) * (double)r->families, e);
		if (status == 0)
			status = compare_targets(r, e);
		progress_destroy(r->progress);
		one = finish(&r->result, r->out, s->junit, status ? &later : e);
		status = status ? status : one ? one : conclude(&r->result, e);
	}
	if (*r->work)
		folder_remove(r->work, &later);
	free_targets(&r->result);
	family_free(r->family, r->families);
	baseline_free(&r->baseline);
	free(r);
	return status;
}

/* ---- files ---- */

/* Each row is a sample. The rows are repetitions of one process and have no blocks. */
static int take_rows(struct gate_session *s, const struct build_rows *a, enum gate_build build,
		     struct err *e)
{
	json_t *row;
	size_t k, seen = 0;
	int status = 0;

	for (size_t i = 0; i < s->count && status == 0; i++) {
		seen = 0;
		json_array_foreach(a->rows, k, row)
		{
			/* every other old row is the control */
			enum gate_build as = build == GATE_OLD && seen % 2 ? GATE_AGAIN : build;

			if (status || strcmp(s->bench[i].name, row_name(row)) ||
			    !(row_seconds(row) > 0))
				continue;
			seen++;
			status =
				gate_samples_add(&s->bench[i].samples,
						 (struct gate_value){ row_seconds(row), 0, as }, e);
		}
	}
	return status;
}

static int same_fact(const json_t *a, const json_t *b, const char *key, struct err *e)
{
	json_t *x = json_object_get(a, key), *y = json_object_get(b, key);
	char *left, *right;
	int status = 0;

	if (!x || !y || json_equal(x, y))
		return 0;
	left = json_dumps(x, JSON_ENCODE_ANY);
	right = json_dumps(y, JSON_ENCODE_ANY);
	status = err_set(e, ERR_USAGE, "not comparable: %s differs: %.80s and %.80s", key,
			 left ? left : "?", right ? right : "?");
	free(left);
	free(right);
	return status;
}

static int same_conditions(const json_t *a, const json_t *b, struct err *e)
{
	static const char *const facts[] = { "copra_machine",     "host_name",     "cpu_model",
					     "num_cpus",          "gpu_0_name",    "gpu_count",
					     "copra_scale",       "copra_threads", "copra_device",
					     "library_build_type" };
	int status = 0;

	for (size_t i = 0; i < sizeof(facts) / sizeof(*facts) && status == 0; i++)
		status = same_fact(a, b, facts[i], e);
	return status;
}

static int compare_rows(struct gate_result *r, const char *filter, struct err *e)
{
	struct gate_target *t = r->target;
	int status = same_conditions(t->build[GATE_OLD].context, t->build[GATE_NEW].context, e);

	if (status == 0)
		status = target_match(t, filter, e);
	if (status == 0)
		status = take_rows(&t->session, &t->build[GATE_OLD], GATE_OLD, e);
	if (status == 0)
		status = take_rows(&t->session, &t->build[GATE_NEW], GATE_NEW, e);
	return status ? status : gate_session_test(&t->session, e);
}

int compare_files(struct settings *s, struct err *e)
{
	struct gate_target target = { .name = "" };
	struct gate_result r = { .target = &target, .targets = 1, .complete = true };
	int status = settings_check(s, &r.rule, e);

	if (status == 0 && (!s->old || !s->new_file))
		status = err_set(e, ERR_USAGE, "files needs --old=FILE and --new=FILE");
	target.session.rule = r.rule;
	if (status == 0)
		status = rows_load(&target.build[GATE_OLD], s->old, e);
	if (status == 0)
		status = rows_load(&target.build[GATE_NEW], s->new_file, e);
	if (status == 0)
		status = compare_rows(&r, s->filter, e);
	if (status == 0) {
		r.machine = json_text(target.build[GATE_OLD].context, "copra_machine");
		r.host = json_text(target.build[GATE_OLD].context, "host_name");
		r.cpu = json_text(target.build[GATE_OLD].context, "cpu_model");
		snprintf(r.old.what, sizeof(r.old.what), "%s", s->old);
		snprintf(r.new.what, sizeof(r.new.what), "%s", s->new_file);
		set_revision(&r.old, target.build[GATE_OLD].context);
		set_revision(&r.new, target.build[GATE_NEW].context);
		snprintf(r.weaker, sizeof(r.weaker),
			 "WEAKER: the rows of the two files were measured at different times, and "
			 "repetitions of one process are not independent. The control is every "
			 "other old row against the rest.");
		status = finish(&r, s->out, s->junit, e);
	}
	if (status == 0)
		status = conclude(&r, e);
	target_free(&target);
	return status;
}
