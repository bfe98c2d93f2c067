/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "front/reproduce.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "front/programs.h"
#include "harness/base/data.h"

/* Sets an environment variable to the absolute form of its value, or of `fallback`. */
static int set_absolute(const char *variable, const char *fallback, struct err *e)
{
	const char *given = getenv(variable);
	char folder[PATH_MAX], path[2 * PATH_MAX];

	if (!given || !*given)
		given = fallback;
	if (!getcwd(folder, sizeof(folder)))
		return err_set(e, ERR_FAILED, "the current folder: %m");
	snprintf(path, sizeof(path), "%s/%s", folder, given);
	if (strlen(given) >= PATH_MAX || setenv(variable, given[0] == '/' ? given : path, 1) != 0)
		return err_set(e, ERR_USAGE, "%s: the path is too long", variable);
	return 0;
}

/* What the script does not find out in an installed copra: the folder of the programs, and the
 * targets, separated by spaces. */
static int set_programs(struct err *e)
{
	char folder[PATH_MAX], names[1024] = "";
	int status = programs_path(folder, "copra-peaks", e);

	if (status)
		return status;
	*strrchr(folder, '/') = '\0';
	for (const char *const *t = programs_targets(); *t; t++) {
		size_t length = strlen(names);

		snprintf(names + length, sizeof(names) - length, "%s%s", length ? " " : "", *t);
	}
	if (setenv("BIN", folder, 1) != 0 || setenv("TARGETS", names, 0) != 0)
		return err_set(e, ERR_MEMORY, "out of memory");
	return 0;
}

/* Runs a script of the data folder in place of this process. */
static int start(const char *name, int argc, char **argv, struct err *e)
{
	char script[PATH_MAX];
	char **words = calloc((size_t)argc + 2, sizeof(*words));
	int status = words ? 0 : err_set(e, ERR_MEMORY, "out of memory");

	if (!status)
		status = set_programs(e);
	if (!status)
		status = set_absolute("COPRA_RESULTS", "results/local", e);
	if (!status && getenv("ROWS") && *getenv("ROWS"))
		status = set_absolute("ROWS", "", e);
	if (!status)
		status = data_path(script, sizeof(script), name, e);
	if (!status) {
		words[0] = script;
		memcpy(words + 1, argv, (size_t)argc * sizeof(*argv));
		fflush(stdout);
		execv(script, words);
		status = err_set(e, ERR_UNSUPPORTED, "%s: %m", script);
	}
	free(words);
	return status;
}

static int fail(int status, const struct err *e)
{
	fprintf(stderr, "copra: %s\n", e->text);
	return err_exit_code(status);
}

int front_reproduce(int argc, char **argv)
{
	struct err e = { 0 };
	int status = start("scripts/reproduce.sh", argc, argv, &e);

	return fail(status, &e);
}

int front_campaign(int argc, char **argv)
{
	struct err e = { 0 };
	int status = start("scripts/campaign.sh", argc, argv, &e);

	return fail(status, &e);
}

int front_campaign_help(void)
{
	char flag[] = "--help", *words[] = { flag };

	return front_campaign(1, words);
}
