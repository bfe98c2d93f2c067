/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Version, errors and settings. */
#include <stdlib.h>
#include <string.h>

#include "harness/base/build.h"
#include "harness/base/flags.h"
#include "harness/machine/environment.h"
#include "library/internal.h"

const char *copra_version(void)
{
	return build_info()->version;
}

int library_error(copra_error *out, int status, const struct err *e)
{
	if (out) {
		out->code = status;
		strncpy(out->text, status ? e->text : "", sizeof(out->text) - 1);
		out->text[sizeof(out->text) - 1] = '\0';
	}
	return status;
}

int library_given(const void *argument, const char *what, struct err *e)
{
	return argument ? 0 : err_set(e, ERR_USAGE, "%s is NULL", what);
}

/* ---- settings ---- */

static int parse_text(void *value, const char *text, struct err *e)
{
	if (strlen(text) >= LIBRARY_TEXT)
		return err_set(e, ERR_USAGE, "'%s' is too long", text);
	strcpy(value, text);
	return 0;
}

static int parse_word(void *value, const char *text, const char *const *words, struct err *e)
{
	for (int i = 0; words[i]; i++)
		if (strcmp(words[i], text) == 0)
			return parse_text(value, text, e);
	return err_set(e, ERR_USAGE, "'%s' is not a value of this key", text);
}

static int parse_bound(void *value, const char *text, struct err *e)
{
	return parse_word(value, text, (const char *const[]){ "lb1", "lb1-pairs", "lb2", NULL }, e);
}

static int parse_branching(void *value, const char *text, struct err *e)
{
	return parse_word(value, text,
			  (const char *const[]){ "forward", "maxsum", "minbranch", NULL }, e);
}

static int parse_recovery(void *value, const char *text, struct err *e)
{
	return parse_word(value, text,
			  (const char *const[]){ "replay", "host", "checkpoint", "adaptive", NULL },
			  e);
}

static int parse_ub(void *value, const char *text, struct err *e)
{
	int64_t number;
	int status = flag_parse_int(&number, text, e);

	return status ? status : parse_text(value, text, e);
}

#define KEY(name_, type_, member_)                                                                 \
	{                                                                                          \
		.name = name_, .type = type_, .offset = offsetof(struct copra_settings, member_)   \
	}
#define KEY_PARSED(name_, member_, parse_)                                                         \
	{                                                                                          \
		.name = name_, .type = FLAG_PARSED,                                                \
		.offset = offsetof(struct copra_settings, member_), .parse = parse_                \
	}
static const struct flag keys[] = {
	KEY_PARSED("device", device, parse_text),
	KEY("gpus", FLAG_COUNT, gpus),
	KEY("threads", FLAG_COUNT, threads),
	KEY("seed", FLAG_U64, seed),
	KEY("time-limit", FLAG_REAL, time_limit),
	KEY("memory", FLAG_BYTES, memory),
	KEY_PARSED("ub", ub, parse_ub),
	KEY_PARSED("bound", bound, parse_bound),
	KEY_PARSED("branching", branching, parse_branching),
	KEY("population", FLAG_COUNT, population),
	KEY("generations", FLAG_COUNT, generations),
	KEY("runs", FLAG_COUNT, runs),
	KEY("beam", FLAG_COUNT, beam),
	KEY("slots", FLAG_COUNT, slots),
	KEY("look-ahead", FLAG_COUNT, look_ahead),
	KEY_PARSED("recovery", recovery, parse_recovery),
	KEY("distance", FLAG_COUNT, distance),
	FLAG_END,
};

struct copra_settings library_defaults(void)
{
	return (struct copra_settings){
		.device = "auto",
		.seed = 1,
		.population = -1,
		.generations = -1,
		.runs = -1,
		.beam = 1024,
		.slots = 16384,
		.look_ahead = 8,
		.recovery = "replay",
		.distance = 8,
	};
}

struct copra_settings library_settings(const copra_settings *settings)
{
	return settings ? *settings : library_defaults();
}

int library_threads(const struct copra_settings *s, int most)
{
	int64_t threads = s->threads > 0 ? s->threads : env_usable_cpus();

	return threads < most ? (int)threads : most;
}

int copra_settings_create(copra_settings **out, copra_error *error)
{
	struct err e = { 0 };
	int status = 0;

	*out = malloc(sizeof(**out));
	if (*out)
		**out = library_defaults();
	else
		status = err_set(&e, ERR_MEMORY, "no memory for settings");
	return library_error(error, status, &e);
}

int copra_settings_set(copra_settings *settings, const char *key, const char *value,
		       copra_error *error)
{
	struct copra_settings changed; /* a refused value changes nothing */
	struct err e = { 0 };
	int status = library_given(settings, "settings", &e);

	if (!status)
		status = library_given(key, "key", &e);
	if (!status)
		status = library_given(value, "value", &e);
	if (status)
		return library_error(error, status, &e);
	changed = *settings;
	for (const struct flag *k = keys; k->name; k++) {
		if (strcmp(k->name, key) != 0)
			continue;
		status = flag_store(k, &changed, value, &e);
		if (status)
			err_prefix(&e, "%s", key);
		else
			*settings = changed;
		return library_error(error, status, &e);
	}
	status = err_set(&e, ERR_USAGE, "no setting is named '%s' (see copra.h)", key);
	return library_error(error, status, &e);
}

void copra_settings_stop(copra_settings *settings, const volatile sig_atomic_t *stop)
{
	settings->stop = stop;
}

void copra_settings_destroy(copra_settings *settings)
{
	free(settings);
}
