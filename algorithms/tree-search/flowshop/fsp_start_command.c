/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/tree-search/flowshop/fsp_start_command.h"

#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "algorithms/tree-search/flowshop/fsp_start.h"
#include "harness/base/clock.h"
#include "harness/base/outfile.h"

extern char **environ;

enum { LARGEST_REPORT = 1 << 20 };

/* Files in memory for what the command writes. */
struct outputs {
	int answer, report; /* descriptors; -1: none */
};

static int start(pid_t *child, const char *command, const struct outputs *o, struct err *e)
{
	char shell[] = "sh", option[] = "-c", *argv[] = { shell, option, (char *)command, NULL };
	posix_spawn_file_actions_t actions;
	int error = posix_spawn_file_actions_init(&actions);

	if (error)
		return err_set(e, ERR_MEMORY, "no memory to start a command");
	error = posix_spawn_file_actions_adddup2(&actions, o->answer, STDOUT_FILENO);
	if (!error)
		error = posix_spawn_file_actions_adddup2(&actions, o->report, STDERR_FILENO);
	if (!error)
		error = posix_spawn(child, "/bin/sh", &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return error ? err_set(e, ERR_FAILED, "cannot start /bin/sh: %s", strerror(error)) : 0;
}

/* Waits for the end of the command. Returns its status as waitpid() does; 0 if it is not known
 * because SIGCHLD is ignored. */
static int wait_for(pid_t child, const volatile sig_atomic_t *stop)
{
	bool told = false;
	int status = 0;

	while (waitpid(child, &status, WNOHANG) == 0) {
		if (stop && *stop && !told) {
			told = true;
			kill(child, SIGTERM);
		}
		clock_sleep(0.01);
	}
	return status;
}

static void descriptor_path(int descriptor, char *path, size_t size)
{
	snprintf(path, size, "/proc/self/fd/%d", descriptor);
}

static void print_report(const struct outputs *o)
{
	char path[40], *text;
	size_t length;

	descriptor_path(o->report, path, sizeof(path));
	if (outfile_read(path, LARGEST_REPORT, &text, &length, NULL))
		return;
	fputs(text, stderr);
	free(text);
}

static int check(int status, const struct outputs *o, struct err *e)
{
	struct stat answer;
	int code = WEXITSTATUS(status);

	if (WIFSIGNALED(status))
		return err_set(e, ERR_FAILED, "killed by signal %d", WTERMSIG(status));
	if (code != 0 && code != err_exit_code(ERR_LIMIT)) {
		print_report(o);
		return err_set(e, ERR_FAILED, "exit code %d", code);
	}
	if (code != 0 && fstat(o->answer, &answer) == 0 && answer.st_size == 0)
		return err_set(e, ERR_LIMIT, "stopped before it had a schedule");
	return 0;
}

int fsp_start_command(const char *command, const struct flowshop *f,
		      const volatile sig_atomic_t *stop, int64_t *order, int64_t *makespan,
		      struct err *e)
{
	struct outputs o = { memfd_create("answer", MFD_CLOEXEC),
			     memfd_create("report", MFD_CLOEXEC) };
	char path[40];
	pid_t child;
	int status = 0;

	if (o.answer < 0 || o.report < 0)
		status = err_set(e, ERR_FAILED, "no file in memory for an answer: %m");
	if (!status)
		status = start(&child, command, &o, e);
	if (!status)
		status = check(wait_for(child, stop), &o, e);
	if (!status) {
		descriptor_path(o.answer, path, sizeof(path));
		status = fsp_start_read(path, f, order, makespan, e);
	}
	if (o.answer >= 0)
		close(o.answer);
	if (o.report >= 0)
		close(o.report);
	return status;
}
