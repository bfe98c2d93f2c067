#include "harness/compare/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/clock.h"

enum { MOST_OUTPUT = 256 << 20, LOOK_MS = 200 };
static const double patience = 10; /* seconds between SIGTERM and SIGKILL */

struct child {
	pid_t pid;
	int out, err; /* what it writes; -1 once at its end */
};

/* In the new process: never returns. */
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
		return err_set(e, ERR_FAILED, "cannot make a pipe: %s", strerror(errno));
	if (pipe2(err, O_CLOEXEC)) {
		close(out[0]);
		close(out[1]);
		return err_set(e, ERR_FAILED, "cannot make a pipe: %s", strerror(errno));
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

/* Reads what is there; *fd is closed and -1 at the end. */
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

/* Until both pipes are closed, which the end of the process does; or until it has ended and they
 * are empty, where a process that it has started holds them open. */
static int listen_to(struct child *c, struct capture *to, double limit,
		     const volatile sig_atomic_t *stop, struct err *e)
{
	double end = clock_wall() + limit, kill_at = 0;
	int status = 0;

	while (c->out >= 0 || c->err >= 0) {
		struct pollfd fds[2] = { { .fd = c->out, .events = POLLIN },
					 { .fd = c->err, .events = POLLIN } };

		int ready = poll(fds, 2, LOOK_MS);

		if (ready > 0 && fds[0].revents)
			take(&c->out, &to->out);
		if (ready > 0 && fds[1].revents)
			take(&c->err, &to->err);
		if (ready == 0 && has_ended(c))
			break;
		if (status == 0 && stop && *stop)
			status = err_set(e, ERR_LIMIT, "interrupted");
		else if (status == 0 && clock_wall() > end)
			status = err_set(e, ERR_FAILED, "no end after %.0f s", limit);
		else if (status == 0 || clock_wall() < kill_at)
			continue;
		kill(c->pid, kill_at > 0 ? SIGKILL : SIGTERM);
		kill_at = clock_wall() + patience;
	}
	return status;
}

int capture_run(struct capture *c, char *const *arguments, const char *setting, double limit,
		const volatile sig_atomic_t *stop, struct err *e)
{
	struct child child;
	int status, code = 0;

	*c = (struct capture){ 0 };
	status = start(&child, arguments, setting, e);
	if (status)
		return status;
	status = listen_to(&child, c, limit, stop, e);
	if (child.out >= 0)
		close(child.out);
	if (child.err >= 0)
		close(child.err);
	while (waitpid(child.pid, &code, 0) < 0 && errno == EINTR)
		;
	c->exit = WIFEXITED(code) ? WEXITSTATUS(code) : 128 + WTERMSIG(code);
	if (status == 0 && (c->out.failed || c->err.failed))
		status = err_set(e, ERR_FAILED, "%s: its output does not fit in memory",
				 arguments[0]);
	return status ? err_prefix(e, "%s", arguments[0]) : 0;
}

void capture_free(struct capture *c)
{
	text_free(&c->out);
	text_free(&c->err);
}
