/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/compare/target.h"

#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "harness/compare/folders.h"
#include "harness/compare/rows.h"

static const char *const build_files[GATE_BUILDS] = { "old", "again", "new" };

static int omit(struct gate_target *t, const char *name, const char *reason, bool failed,
		struct err *e)
{
	struct gate_omitted *o;
	int status = array_grow((void **)&t->omitted, t->omitted_count, sizeof(*t->omitted), e);

	if (status)
		return status;
	o = &t->omitted[t->omitted_count++];
	*o = (struct gate_omitted){ .failed = failed };
	status = text_copy(&o->name, name, e);
	return status ? status : text_copy(&o->reason, reason, e);
}

static int add_bench(struct gate_session *s, const char *name, struct err *e)
{
	int status = array_grow((void **)&s->bench, s->count, sizeof(*s->bench), e);

	if (status)
		return status;
	s->bench[s->count] = (struct gate_bench){ .now = GATE_UNTESTED };
	status = text_copy(&s->bench[s->count].name, name, e);
	s->count += status == 0;
	return status;
}

static bool has(const char *const *names, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

/* old_failed, new_failed: the message of a build in which a case failed, else NULL. */
static int match(struct gate_target *t, const struct build_rows *older, const char *old_failed,
		 const struct build_rows *newer, const char *new_failed, struct err *e)
{
	const char **olds = NULL, **news = NULL;
	size_t old_count = 0, new_count = 0;
	int status = rows_names(older, &olds, &old_count, e);

	if (status == 0)
		status = rows_names(newer, &news, &new_count, e);
	for (size_t i = 0; i < new_count && status == 0; i++)
		status = has(olds, old_count, news[i]) ?
				 add_bench(&t->session, news[i], e) :
				 omit(t, news[i],
				      old_failed ? old_failed : "not present in the old build",
				      false, e);
	for (size_t i = 0; i < old_count && status == 0; i++)
		if (!has(news, new_count, olds[i]))
			status = omit(t, olds[i],
				      new_failed ? new_failed : "not present in the new build",
				      new_failed != NULL, e);
	free(olds);
	free(news);
	return status;
}

static struct build_launch launch_of(const struct gate_target *t, enum gate_build build,
				     const char *filter, int block)
{
	return (struct build_launch){
		.launch = { .program = t->program[build],
			    .filter = filter,
			    .parameters = t->parameters,
			    .stop = t->session.stop },
		.block = block,
	};
}

/* Launches each build once to find its benchmarks. This warms the machine and gives no sample. */
static int find_benchmarks(struct gate_target *t, struct err *e)
{
	bool old_runs = t->session.control == GATE_OLD_AGAIN;
	struct build_rows older = { 0 }, newer = { 0 };
	struct build_launch of_old = launch_of(t, GATE_OLD, t->filter, -1);
	struct build_launch of_new = launch_of(t, GATE_NEW, t->filter, -1);
	int status = old_runs ? rows_launch(&older, &of_old, e) : 0;

	if (status)
		err_prefix(e, "the old build");
	if (status == 0) {
		status = rows_launch(&newer, &of_new, e);
		if (status)
			err_prefix(e, "the new build");
	}
	if (status == 0)
		status = match(t, old_runs ? &older : &t->build[GATE_OLD],
			       of_old.failed ? of_old.message : NULL, &newer,
			       of_new.failed ? of_new.message : NULL, e);
	rows_free(&older);
	rows_free(&newer);
	return status;
}

static void drop_bench(struct gate_session *s, size_t index)
{
	free(s->bench[index].name);
	gate_samples_free(&s->bench[index].samples);
	s->bench[index] = s->bench[--s->count];
}

int target_match(struct gate_target *t, const char *filter, struct err *e)
{
	regex_t regex;
	int status;

	if (filter && regcomp(&regex, filter, REG_EXTENDED | REG_NOSUB))
		return err_set(e, ERR_USAGE, "'%s' is not a valid regular expression", filter);
	status = match(t, &t->build[GATE_OLD], NULL, &t->build[GATE_NEW], NULL, e);
	for (size_t i = t->session.count; filter && i-- > 0;)
		if (regexec(&regex, t->session.bench[i].name, 0, NULL, 0))
			drop_bench(&t->session, i);
	if (filter)
		regfree(&regex);
	return status;
}

static int use_recorded_value(struct gate_target *t, const char *name, struct gate_value value,
			      struct err *e)
{
	int status = 0;

	for (size_t i = 0; i < t->session.count && status == 0; i++)
		if (!strcmp(t->session.bench[i].name, name))
			status = gate_samples_add(&t->session.bench[i].samples, value, e);
	return status;
}

/* Uses recorded rows as samples of the old build, all in one block. */
static int use_recorded_rows(struct gate_target *t, struct err *e)
{
	json_t *row;
	size_t k;
	int status = 0;

	json_array_foreach(t->build[GATE_OLD].rows, k, row)
	{
		struct gate_value value = { row_seconds(row), 0, GATE_OLD };

		if (value.seconds > 0)
			status = status ? status : use_recorded_value(t, row_name(row), value, e);
	}
	return status;
}

struct times {
	const struct gate_session *session;
	double *seconds;
};

static void store_time(void *ctx, const char *name, double seconds)
{
	struct times *t = ctx;

	for (size_t i = 0; i < t->session->count; i++)
		if (!strcmp(t->session->bench[i].name, name))
			t->seconds[i] = seconds;
}

static bool is_omitted(const struct gate_target *t, const char *name)
{
	for (size_t i = 0; i < t->omitted_count; i++)
		if (!strcmp(t->omitted[i].name, name))
			return true;
	return false;
}

/* A new build that works in one launch and fails in a later one must not pass on the times of its
 * successful launches. */
static int note_failures(struct gate_target *t, const double *seconds, const char *message,
			 struct err *e)
{
	const struct gate_session *s = &t->session;
	int status = 0;

	for (size_t i = 0; i < s->count && status == 0; i++)
		if (!s->bench[i].settled && isnan(seconds[i]) && !is_omitted(t, s->bench[i].name))
			status = omit(t, s->bench[i].name, message, true, e);
	return status;
}

static char *filter_of_unsettled(const struct gate_session *s)
{
	const char **names = calloc(s->count + 1, sizeof(*names));
	size_t count = 0;
	char *filter;

	for (size_t i = 0; names && i < s->count; i++)
		if (!s->bench[i].settled)
			names[count++] = s->bench[i].name;
	filter = names ? rows_filter(names, count) : NULL;
	free(names);
	return filter;
}

static int sample(void *ctx, const struct gate_session *s, enum gate_build build, int block,
		  double *seconds, struct err *e)
{
	struct gate_target *t = ctx;
	struct times times = { s, seconds };
	bool is_new = build == GATE_NEW || (build == GATE_AGAIN && s->control == GATE_NEW_AGAIN);
	struct build_launch l;
	char *filter = filter_of_unsettled(s);
	int status;

	if (!filter)
		return err_set(e, ERR_MEMORY, "no memory for the benchmarks' names");
	l = launch_of(t, build, filter, block);
	l.found = store_time;
	l.ctx = &times;
	status = rows_launch(&t->build[build], &l, e);
	free(filter);
	if (status)
		err_prefix(e, "the %s build", is_new ? "new" : "old");
	return status || !l.failed || !is_new ? status : note_failures(t, seconds, l.message, e);
}

static int save(const struct gate_target *t, struct err *e)
{
	int status = 0;

	for (int build = 0; build < GATE_BUILDS && status == 0 && t->folder; build++)
		status = rows_save(&t->build[build], t->folder, t->name, build_files[build], e);
	return status;
}

int target_remove(const char *folder, const char *name, struct err *e)
{
	char file[PATH_MAX];
	int status = 0;

	for (int build = 0; build < GATE_BUILDS && status == 0; build++) {
		status = text_path(file, e, "%s.%s.json", name, build_files[build]);
		if (status == 0)
			status = folder_remove_file(folder, file, e);
	}
	return status;
}

/* Ignores errors: a full disk must not end the comparison. The last save reports them. */
static void after_block(void *ctx, const struct gate_session *s, int block)
{
	struct gate_target *t = ctx;
	struct err ignored;

	(void)s;
	(void)block;
	save(t, &ignored);
	if (t->after_block)
		t->after_block(t->ctx, t);
}

int target_compare(struct gate_target *t, struct err *e)
{
	int status = find_benchmarks(t, e), saved;
	struct err later;

	if (status == 0 && t->session.control == GATE_NEW_AGAIN)
		status = use_recorded_rows(t, e);
	t->session.sample = sample;
	t->session.after_block = after_block;
	t->session.ctx = t;
	if (status == 0)
		status = gate_session_run(&t->session, e);
	saved = save(t, status ? &later : e);
	return status ? status : saved;
}

void target_free(struct gate_target *t)
{
	for (int build = 0; build < GATE_BUILDS; build++)
		rows_free(&t->build[build]);
	for (size_t i = 0; i < t->session.count; i++) {
		free(t->session.bench[i].name);
		gate_samples_free(&t->session.bench[i].samples);
	}
	free(t->session.bench);
	for (size_t i = 0; i < t->omitted_count; i++) {
		free(t->omitted[i].name);
		free(t->omitted[i].reason);
	}
	free(t->omitted);
}
