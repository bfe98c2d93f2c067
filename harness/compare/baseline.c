/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/compare/baseline.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/build.h"
#include "harness/base/json_file.h"
#include "harness/base/progress.h"
#include "harness/compare/rows.h"
#include "harness/compare/family.h"
#include "harness/compare/folders.h"

enum { SCHEMA = 1, LAUNCHES = 10 };

/* A baseline that is being made. */
struct making {
	const struct settings *s;
	const struct environment *env;
	const volatile sig_atomic_t *stop;
	char folder[PATH_MAX]; /* <name>.partial until it is complete */
	struct family *family;
	size_t families;
	int launches;
	json_t *json;
	struct progress *progress;
};

static json_t *describe(const struct making *m)
{
	const struct launch_parameters *p = &m->s->launch;
	const struct build_info *build = build_info();
	char date[40];

	rows_date(date, sizeof(date));
	return json_pack("{si ss ss ss ss ss ss ss sb ss ss sI ss sI ss si s[]}", "schema", SCHEMA,
			 "name", m->s->name, "date", date, "machine", m->env->machine, "host",
			 m->env->host_hash, "cpu", m->env->cpu_model, "driver", m->env->gpu_driver,
			 "revision", build->revision, "dirty", (int)build->dirty, "scale", p->scale,
			 "device", p->device, "threads", (json_int_t)p->threads, "min_time",
			 p->min_time, "repetitions", (json_int_t)p->repetitions, "arguments",
			 p->arguments, "launches", m->launches, "targets");
}

/* Takes the facts about the build from the target's own output: this tool may be from another
 * revision. */
static int note_target(struct making *m, const struct family *f, const struct build_rows *a,
		       struct err *e)
{
	static const char *const facts[][2] = { { "copra_revision", "revision" },
						{ "copra_dirty", "dirty" },
						{ "copra_build", "build" },
						{ "compiler", "compiler" },
						{ "kernel", "kernel" } };
	json_t *target = json_pack("{ss ss*}", "target", f->target, "filter", f->filter);
	int bad =
		!target || json_array_append_new(json_object_get(m->json, "targets"), target) != 0;

	for (size_t i = 0; i < sizeof(facts) / sizeof(*facts) && !bad; i++) {
		json_t *fact = json_object_get(a->context, facts[i][0]);

		if (fact)
			bad = json_object_set(m->json, facts[i][1], fact) != 0;
	}
	return bad ? err_set(e, ERR_MEMORY, "no memory for the baseline") : 0;
}

static int sample_target(struct making *m, size_t index, struct build_rows *a, struct err *e)
{
	const struct family *f = &m->family[index];
	char program[PATH_MAX];
	struct build_launch l = { .launch = { .program = program,
					      .filter = f->filter,
					      .parameters = &m->s->launch,
					      .stop = m->stop },
				  .block = -1 };
	int status = text_path(program, e, "%s/bin/%s", m->folder, f->target);

	for (int i = 0; i < m->launches && status == 0; i++) {
		status = rows_launch(a, &l, e);
		if (status == 0 && l.failed && i == 0)
			fprintf(stderr, "baseline: %s: %s; failed cases are left out\n", f->target,
				l.message);
		progress_update(m->progress, (double)(index * (size_t)m->launches) + i + 1,
				f->target);
	}
	return status;
}

static int make_target(struct making *m, size_t index, struct err *e)
{
	const struct family *f = &m->family[index];
	char from[PATH_MAX], to[PATH_MAX];
	struct build_rows a = { 0 };
	struct err later;
	int status = text_path(from, e, "%s/%s", m->s->bin, f->target), saved;

	if (status == 0)
		status = text_path(to, e, "%s/bin/%s", m->folder, f->target);
	if (status == 0)
		status = folder_copy_program(from, to, e);
	if (status == 0)
		status = sample_target(m, index, &a, e);
	saved = rows_save(&a, m->folder, f->target, "rows", status ? &later : e);
	status = status ? status : saved;
	if (status == 0)
		status = note_target(m, f, &a, e);
	if (status == 0)
		status = rows_remember(&a, "baseline", &m->s->launch, e);
	if (status == 0 && json_array_size(a.rows) == 0)
		status = err_set(e, ERR_FAILED, "%s: no benchmark was measured", f->target);
	rows_free(&a);
	return status ? err_prefix(e, "%s", f->target) : 0;
}

static int finish(const struct making *m, const char *gate, struct err *e)
{
	char path[PATH_MAX], final[PATH_MAX];
	int status = text_path(path, e, "%s/baseline.json", m->folder);

	if (status == 0)
		status = json_file_save(m->json, path, e);
	if (status == 0)
		status = text_path(final, e, "%s/%s", gate, m->s->name);
	if (status == 0)
		status = folder_replace(m->folder, final, e);
	if (status == 0)
		printf("baseline: '%s', %zu targets, revision %.12s%s, in %s\n", m->s->name,
		       m->families, json_text(m->json, "revision"),
		       json_is_true(json_object_get(m->json, "dirty")) ||
				       json_integer_value(json_object_get(m->json, "dirty")) ?
			       " with changes" :
			       "",
		       final);
	return status;
}

static int make(struct making *m, struct err *e)
{
	int status = folder_remove(m->folder, e);

	if (status == 0)
		status = progress_create(&m->progress, m->s->quiet ? NULL : stderr, "baseline",
					 (double)m->families * m->launches, e);
	for (size_t i = 0; i < m->families && status == 0; i++)
		status = make_target(m, i, e);
	progress_destroy(m->progress);
	return status;
}

int baseline_make(const struct settings *s, const struct environment *env,
		  const volatile sig_atomic_t *stop, struct err *e)
{
	struct making m = { .s = s,
			    .env = env,
			    .stop = stop,
			    .launches = s->launches ? (int)s->launches : LAUNCHES };
	char gate[PATH_MAX];
	int status = settings_folder(gate, env, e);

	if (status == 0)
		status = text_path(m.folder, e, "%s/%s.partial", gate, s->name);
	if (status == 0)
		status = settings_lock(env, e);
	if (status == 0)
		status = family_find(&m.family, &m.families, s->papers, s->bin, s->targets,
				     s->filter, e);
	if (status == 0 && !(s->targets && *s->targets))
		status = family_match(m.family, &m.families, s->bin, &s->launch, stop, e);
	m.json = status == 0 ? describe(&m) : NULL;
	if (status == 0 && !m.json)
		status = err_set(e, ERR_USAGE, "a parameter is not valid UTF-8");
	if (status == 0)
		status = make(&m, e);
	if (status == 0)
		status = finish(&m, gate, e);
	else if (status == ERR_LIMIT && m.json)
		err_set(e, ERR_LIMIT,
			"interrupted; an existing baseline is kept, the samples so far are in %s",
			m.folder);
	json_decref(m.json);
	family_free(m.family, m.families);
	return status;
}

int baseline_load(struct baseline *b, const struct settings *s, const struct environment *env,
		  struct err *e)
{
	const char *name = s->name ? s->name : "default";
	char gate[PATH_MAX], path[PATH_MAX];
	int status = settings_folder(gate, env, e);

	*b = (struct baseline){ 0 };
	if (status == 0)
		status = text_path(b->folder, e, "%s/%s", gate, name);
	if (status == 0)
		status = text_path(path, e, "%s/baseline.json", b->folder);
	if (status)
		return status;
	if (access(path, F_OK) != 0)
		return err_set(
			e, ERR_USAGE,
			"no baseline '%s' for this machine (%s); run 'copra compare baseline'",
			name, env->machine);
	status = json_file_read(&b->json, path, e);
	if (status == 0 && json_integer_value(json_object_get(b->json, "schema")) != SCHEMA)
		status = err_set(
			e, ERR_INPUT,
			"%s: a baseline of another format; run 'copra compare baseline' again",
			path);
	if (status == 0 && (strcmp(json_text(b->json, "machine"), env->machine) != 0 ||
			    strcmp(json_text(b->json, "host"), env->host_hash) != 0))
		status = err_set(
			e, ERR_USAGE,
			"the baseline '%s' belongs to another machine (%s, host %.8s; this is "
			"%s, host %.8s); run 'copra compare baseline'",
			name, json_text(b->json, "machine"), json_text(b->json, "host"),
			env->machine, env->host_hash);
	return status;
}

void baseline_free(struct baseline *b)
{
	json_decref(b->json);
	b->json = NULL;
}

static int differs(const char *what, const char *given, const char *kept, struct err *e)
{
	return err_set(e, ERR_USAGE,
		       "%s is %s, but the baseline used %s: give that value, or run "
		       "'copra compare baseline' again",
		       what, given, kept);
}

static int complete_text(const struct baseline *b, const char *key, const char **value,
			 struct err *e)
{
	const char *kept = json_text(b->json, key);

	if (*value && strcmp(*value, kept) != 0)
		return differs(key, *value, kept, e);
	*value = kept;
	return 0;
}

static int complete_number(const struct baseline *b, const char *key, int64_t *value, struct err *e)
{
	json_int_t kept = json_integer_value(json_object_get(b->json, key));
	char given[24], was[24];

	snprintf(given, sizeof(given), "%lld", (long long)*value);
	snprintf(was, sizeof(was), "%lld", (long long)kept);
	if (*value && *value != kept)
		return differs(key, given, was, e);
	*value = kept;
	return 0;
}

int baseline_complete(const struct baseline *b, struct settings *s, struct err *e)
{
	int status;

	if ((status = complete_text(b, "scale", &s->launch.scale, e)) ||
	    (status = complete_text(b, "device", &s->launch.device, e)) ||
	    (status = complete_text(b, "min_time", &s->launch.min_time, e)) ||
	    (status = complete_text(b, "arguments", &s->launch.arguments, e)) ||
	    (status = complete_number(b, "threads", &s->threads, e)) ||
	    (status = complete_number(b, "repetitions", &s->repetitions, e)))
		return status;
	settings_complete(s);
	return 0;
}

bool baseline_family(const struct baseline *b, const char *target, const char **filter)
{
	const json_t *targets = json_object_get(b->json, "targets"), *one;
	size_t i;

	json_array_foreach(targets, i, one)
	{
		if (strcmp(json_text(one, "target"), target))
			continue;
		*filter = json_string_value(json_object_get(one, "filter"));
		return true;
	}
	return false;
}
