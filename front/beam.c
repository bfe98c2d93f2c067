/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "front/beam.h"

#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "front/programs.h"
#include "harness/base/clock.h"
#include "harness/base/json_file.h"
#include "harness/base/outfile.h"

enum { LARGEST = 16 << 20 };

/* ---- running ---- */

/* Only in the child. */
static void become(char *const argv[], const struct beam *b, const sigset_t *mask)
{
	struct err e = { 0 };

	if (dup2(b->answer, STDOUT_FILENO) >= 0 && dup2(b->report, STDERR_FILENO) >= 0 &&
	    sigprocmask(SIG_SETMASK, mask, NULL) == 0)
		programs_run(argv, &e);
	fprintf(stderr, "copra: %s\n", e.text);
	fflush(stderr);
	_exit(4);
}

/* Waits for the end of the child, and passes signals on to it. Those of `waited` are blocked. */
static int wait_for(struct beam *b, pid_t child, const sigset_t *waited)
{
	int status;

	while (waitpid(child, &status, WNOHANG) == 0) {
		int signal = sigwaitinfo(waited, NULL);

		if (signal > 0 && signal != SIGCHLD) {
			b->signal = signal;
			kill(child, signal);
		}
	}
	return status;
}

static int run_child(struct beam *b, char *const argv[], struct err *e)
{
	struct sigaction normal = { .sa_handler = SIG_DFL };
	sigset_t waited, mask;
	int status;
	pid_t child;

	sigemptyset(&waited);
	sigaddset(&waited, SIGINT);
	sigaddset(&waited, SIGTERM);
	sigaddset(&waited, SIGHUP);
	sigaddset(&waited, SIGCHLD);
	sigaction(SIGCHLD, &normal,
		  NULL); /* it may be ignored, and then nothing can be waited for */
	sigprocmask(SIG_BLOCK, &waited, &mask);
	fflush(NULL);
	child = fork();
	if (child == 0)
		become(argv, b, &mask);
	status = child > 0 ? wait_for(b, child, &waited) : 0;
	sigprocmask(SIG_SETMASK, &mask, NULL);
	if (child < 0)
		return err_set(e, ERR_FAILED, "cannot start %s: %m", argv[0]);
	if (WIFSIGNALED(status))
		return err_set(e, ERR_FAILED, "%s was killed by signal %d", argv[0],
			       WTERMSIG(status));
	b->exit_code = WEXITSTATUS(status);
	return 0;
}

void beam_path(const struct beam *b, char path[BEAM_PATH])
{
	snprintf(path, BEAM_PATH, "/proc/self/fd/%d", b->answer);
}

/* A program that failed has written nothing, and then there is no schedule. */
static void read_answer(struct beam *b)
{
	char path[BEAM_PATH];
	json_t *answer;

	beam_path(b, path);
	if (json_file_read(&answer, path, NULL))
		return;
	b->has_schedule = json_is_array(json_object_get(answer, "solution"));
	b->makespan = json_integer_value(json_object_get(answer, "objective"));
	json_decref(answer);
}

int beam_run(struct beam *b, char *const argv[], struct err *e)
{
	double began = clock_wall();
	int status;

	*b = (struct beam){ .answer = memfd_create("answer", 0),
			    .report = memfd_create("report", MFD_CLOEXEC) };
	if (b->answer < 0 || b->report < 0)
		return err_set(e, ERR_FAILED, "no file in memory for an answer: %m");
	status = run_child(b, argv, e);
	if (!status)
		read_answer(b);
	b->seconds = clock_wall() - began;
	return status;
}

void beam_close(struct beam *b)
{
	if (b->answer >= 0)
		close(b->answer);
	if (b->report >= 0)
		close(b->report);
}

/* ---- after it ---- */

void beam_print_report(const struct beam *b)
{
	char path[BEAM_PATH], *text;
	size_t length;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", b->report);
	if (outfile_read(path, LARGEST, &text, &length, NULL))
		return;
	fputs(text, stderr);
	free(text);
}

void beam_leave_signal(const struct beam *b)
{
	sigset_t left;

	if (!b->signal)
		return;
	sigemptyset(&left);
	sigaddset(&left, b->signal);
	sigprocmask(SIG_BLOCK, &left, NULL);
	kill(getpid(), b->signal);
}
