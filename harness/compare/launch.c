/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/compare/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/clock.h"

/* ---- a program and its output ---- */

enum { MOST_OUTPUT = 256 << 20, POLL_MS = 200 };
static const double kill_after = 10; /* seconds between SIGTERM and SIGKILL */

struct child {
	pid_t pid;
	int out, err; /* read ends of its pipes; -1 once closed */
};

/* Runs in the new process and never returns. */
static void become(char *const *arguments, const char *setting, const int *out, const int *err)
{
	char *copy = setting ? strdup(setting) : NULL;

	if ((!setting || (copy && putenv(copy) == 0)) && dup2(out[1], STDOUT_FILENO) >= 0 &&
	    dup2(err[1], STDERR_FILENO) >= 0)
		execv(arguments[0], arguments);
	dprintf(STDERR_FILENO, "cannot run %s: %s\n", arguments[0], strerror(errno));
	_exit(127);
}

static int start(struct child *c, char *const *arguments, const char *setting, struct err *e)
{
	int out[2], err[2];

	if (pipe2(out, O_CLOEXEC))
		return err_set(e, ERR_FAILED, "cannot create a pipe: %s", strerror(errno));
	if (pipe2(err, O_CLOEXEC)) {
		close(out[0]);
		close(out[1]);
		return err_set(e, ERR_FAILED, "cannot create a pipe: %s", strerror(errno));
	}
	c->pid = fork();
	if (c->pid == 0)
		become(arguments, setting, out, err);
	close(out[1]);
	close(err[1]);
	c->out = out[0];
	c->err = err[0];
	if (c->pid > 0)
		return 0;
	close(c->out);
	close(c->err);
	return err_set(e, ERR_FAILED, "cannot start a process: %s", strerror(errno));
}

/* Reads what is available. At the end of the stream closes *fd and sets it to -1. */
static void take(int *fd, struct text *to)
{
	char bytes[16384];
	ssize_t n = read(*fd, bytes, sizeof(bytes));

	if (n > 0 && to->length < MOST_OUTPUT)
		text_add_n(to, bytes, (size_t)n);
	else if (n > 0)
		to->failed = true;
	if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN)) {
		close(*fd);
		*fd = -1;
	}
}

static bool has_ended(const struct child *c)
{
	siginfo_t info = { 0 };

	return waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid;
}

/* Reads until both pipes are closed. If a process that the program has started keeps them open,
 * reads until the program has ended and the pipes are empty. */
static int read_outputs(struct child *c, struct launch_output *to, double limit,
			const volatile sig_atomic_t *stop, struct err *e)
{
	double end = clock_wall() + limit, kill_at = 0;
	int status = 0;

	while (c->out >= 0 || c->err >= 0) {
		struct pollfd fds[2] = { { .fd = c->out, .events = POLLIN },
					 { .fd = c->err, .events = POLLIN } };

		int ready = poll(fds, 2, POLL_MS);

		if (ready > 0 && fds[0].revents)
			take(&c->out, &to->out);
		if (ready > 0 && fds[1].revents)
			take(&c->err, &to->err);
		if (ready == 0 && has_ended(c))
			break;
		if (status == 0 && stop && *stop)
			status = err_set(e, ERR_LIMIT, "interrupted");
		else if (status == 0 && clock_wall() > end)
			status = err_set(e, ERR_FAILED, "did not end within %.0f s", limit);
		else if (status == 0 || clock_wall() < kill_at)
			continue;
		kill(c->pid, kill_at > 0 ? SIGKILL : SIGTERM);
		kill_at = clock_wall() + kill_after;
	}
	return status;
}

int launch_program(struct launch_output *c, char *const *arguments, const char *setting,
		   double limit, const volatile sig_atomic_t *stop, struct err *e)
{
	struct child child;
	int status, code = 0;

	*c = (struct launch_output){ 0 };
	status = start(&child, arguments, setting, e);
	if (status)
		return status;
	status = read_outputs(&child, c, limit, stop, e);
	if (child.out >= 0)
		close(child.out);
	if (child.err >= 0)
		close(child.err);
	while (waitpid(child.pid, &code, 0) < 0 && errno == EINTR)
		;
	c->exit = WIFEXITED(code) ? WEXITSTATUS(code) : 128 + WTERMSIG(code);
	if (status == 0 && (c->out.failed || c->err.failed))
		status = err_set(e, ERR_FAILED, "more than %d MiB of output, or no memory for it",
				 MOST_OUTPUT >> 20);
	return status ? err_prefix(e, "%s", arguments[0]) : 0;
}

void launch_output_free(struct launch_output *c)
{
	text_free(&c->out);
	text_free(&c->err);
}

/* ---- a launch of benchmarks ---- */

enum { MOST_ARGUMENTS = 64 };
static const double launch_limit = 1800; /* seconds; a longer launch is taken to hang */

struct words {
	char *word[MOST_ARGUMENTS];
	int count;
	bool failed;
};

__attribute__((format(printf, 2, 3))) static void add_word(struct words *w, const char *format, ...)
{
	va_list values;
	char *text = NULL;

	va_start(values, format);
	if (w->count + 1 >= MOST_ARGUMENTS || vasprintf(&text, format, values) < 0)
		w->failed = true;
	else
		w->word[w->count++] = text;
	va_end(values);
	w->word[w->count] = NULL;
}

static void free_words(struct words *w)
{
	for (int i = 0; i < w->count; i++)
		free(w->word[i]);
}

static void add_arguments(struct words *w, const char *arguments)
{
	char *copy = strdup(arguments), *rest = copy;

	w->failed = w->failed || !copy;
	for (char *one; copy && (one = strsep(&rest, " \t")) != NULL;)
		if (*one)
			add_word(w, "%s", one);
	free(copy);
}

static void command_line(struct words *w, const struct launch *l)
{
	const struct launch_parameters *p = l->parameters;

	*w = (struct words){ 0 };
	add_word(w, "%s", l->program);
	add_word(w, "bench");
	if (l->filter)
		add_word(w, "--benchmark_filter=%s", l->filter);
	add_word(w, "--copra_scale=%s", p->scale);
	add_word(w, "--device=%s", p->device);
	add_word(w, "--threads=%lld", p->threads);
	add_word(w, "--benchmark_min_time=%s", p->min_time);
	add_word(w, "--benchmark_repetitions=%lld", p->repetitions);
	add_word(w, "--benchmark_enable_random_interleaving=false");
	add_arguments(w, p->arguments);
	add_word(w, "--benchmark_format=json");
}

/* The last line that is not blank. */
static void last_line(const char *text, char *line, size_t size)
{
	line[0] = '\0';
	while (*text) {
		size_t length = strcspn(text, "\n");

		if (length)
			snprintf(line, size, "%.*s", (int)(length < size ? length : size - 1),
				 text);
		text += length + (text[length] == '\n');
	}
}

static int parse(const struct launch_output *c, const char *program, json_t **document,
		 struct err *e)
{
	json_error_t error;

	*document = json_loadb(text_get(&c->out), c->out.length, JSON_REJECT_DUPLICATES, &error);
	if (!*document)
		return err_set(e, ERR_FAILED, "%s wrote no results: %s", program, error.text);
	if (json_is_array(json_object_get(*document, "benchmarks")) &&
	    json_is_object(json_object_get(*document, "context")))
		return 0;
	json_decref(*document);
	*document = NULL;
	return err_set(e, ERR_FAILED, "%s wrote no results: no context or benchmarks", program);
}

static int parse_outcome(const struct launch_output *c, const char *program, json_t **document,
			 bool *failed, char *message, struct err *e)
{
	int status;

	last_line(text_get(&c->err), message, 512);
	if (c->exit == 2 || c->exit == 4)
		return err_set(e, c->exit == 2 ? ERR_USAGE : ERR_DEVICE, "%s", message);
	if (c->exit == 3) /* the program received the same signal as this one */
		return err_set(e, ERR_LIMIT, "interrupted");
	*failed = c->exit != 0;
	if (c->exit > 1)
		return err_set(e, ERR_FAILED, "%s ended with %s %d%s%s", program,
			       c->exit > 128 ? "signal" : "exit code",
			       c->exit > 128 ? c->exit - 128 : c->exit, *message ? ": " : "",
			       message);
	status = parse(c, program, document, e);
	if (status && *failed)
		err_set(e, ERR_FAILED, "%s", message);
	return status;
}

int launch_matches(const struct launch *l, bool *any, struct err *e)
{
	struct launch_output c = { 0 };
	struct words w;
	char message[512];
	int status = 0;

	*any = true;
	command_line(&w, l);
	add_word(&w, "--benchmark_list_tests=true");
	if (w.failed)
		status = err_set(e, ERR_USAGE, "too many arguments for %s", l->program);
	if (status == 0)
		status = launch_program(&c, w.word, l->setting, launch_limit, l->stop, e);
	last_line(text_get(&c.err), message, sizeof(message));
	/* exit code 2 alone may be caused by any bad flag */
	if (status == 0 && c.exit == 2 && strstr(message, "no case matches"))
		*any = false;
	else if (status == 0 && c.exit != 0)
		status = err_set(e, c.exit == 2 ? ERR_USAGE : ERR_FAILED, "%s", message);
	launch_output_free(&c);
	free_words(&w);
	return status;
}

int launch_run(const struct launch *l, json_t **document, bool *failed, char *message,
	       struct err *e)
{
	struct launch_output c = { 0 };
	struct words w;
	int status = 0;

	*document = NULL;
	*failed = false;
	command_line(&w, l);
	if (w.failed)
		status = err_set(e, ERR_USAGE, "too many arguments for %s", l->program);
	if (status == 0)
		status = launch_program(&c, w.word, l->setting, launch_limit, l->stop, e);
	if (status == 0)
		status = parse_outcome(&c, l->program, document, failed, message, e);
	launch_output_free(&c);
	free_words(&w);
	return status;
}
