/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* COPRA_TARGETS: the quoted names of the targets, each followed by a comma, from the Makefile. */
#include "front/programs.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/nearest.h"

#ifndef COPRA_TARGETS
#error "compile this file with the rule of the Makefile, which defines COPRA_TARGETS"
#endif

const char *const *programs_targets(void)
{
	static const char *const names[] = { COPRA_TARGETS NULL };

	return names;
}

bool programs_is_target(const char *name)
{
	for (const char *const *t = programs_targets(); *t; t++)
		if (strcmp(*t, name) == 0)
			return true;
	return false;
}

int programs_unknown_target(const char *name, struct err *e)
{
	struct nearest n = { .wanted = name };
	int status = err_set(e, ERR_USAGE, "unknown target '%s'", name);

	for (const char *const *t = programs_targets(); *t; t++)
		nearest_offer(&n, *t);
	nearest_say(&n, e->text, sizeof(e->text));
	if (n.count == 0)
		status = err_set(e, ERR_USAGE, "unknown target '%s'; copra list shows them", name);
	return status;
}

int programs_path(char path[PATH_MAX], const char *name, struct err *e)
{
	ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
	char *slash;

	if (length < 0)
		return err_set(e, ERR_UNSUPPORTED, "/proc/self/exe: %m");
	path[length] = '\0';
	slash = strrchr(path, '/');
	if (!slash || (size_t)(slash + 1 - path) + strlen(name) >= PATH_MAX)
		return err_set(e, ERR_UNSUPPORTED, "the path of this program is too long");
	memcpy(slash + 1, name, strlen(name) + 1);
	if (access(path, X_OK) != 0)
		return err_set(e, ERR_UNSUPPORTED, "%s: %m; is it built?", path);
	return 0;
}

int programs_open(FILE **help, const char *name, const char *arguments, struct err *e)
{
	char path[PATH_MAX], command[PATH_MAX + 64];
	int status = programs_path(path, name, e);

	if (status)
		return status;
	if (strchr(path, '\''))
		return err_set(e, ERR_UNSUPPORTED, "%s: a quote in the name of the folder", path);
	snprintf(command, sizeof(command), "'%s' %s", path, arguments);
	fflush(NULL);
	*help = popen(command, "r");
	return *help ? 0 : err_set(e, ERR_FAILED, "cannot start %s: %m", path);
}

int programs_run(char *const argv[], struct err *e)
{
	char path[PATH_MAX];
	int status = programs_path(path, argv[0], e);

	if (status)
		return status;
	fflush(stdout);
	execv(path, argv);
	return err_set(e, ERR_UNSUPPORTED, "%s: %m", path);
}
