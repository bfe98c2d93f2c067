#include "tests/faults/command.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/bench/bench_main.h"
#include "tests/faults/inject_copies.h"

/* SECONDS: a run takes milliseconds; one that waits for ever ends by SIGALRM. */
enum { WORDS = 32, SECONDS = 120, FOLDER_TEXT = 512 };

struct shared {
	int64_t calls[FAULT_KINDS], leaked, torn;
	char torn_place[96];
};

static const char *folder(void)
{
	static char path[FOLDER_TEXT];
	const char *base = getenv("COPRA_TEST_FOLDER");

	snprintf(path, sizeof(path), "%s/file", base ? base : "/tmp");
	return path;
}

static int split(char *text, char **argv)
{
	int argc = 0;

	for (char *one; argc < WORDS && (one = strsep(&text, " ")) != NULL;)
		argv[argc++] = strcmp(one, "@") == 0 ? (char *)(uintptr_t)folder() : one;
	return argc;
}

/* What main() does after it knew its sub-command. */
static int call(const struct fault_command *c)
{
	char text[1024], *argv[WORDS];
	int argc;

	snprintf(text, sizeof(text), "%s", c->arguments);
	argc = split(text, argv);
	return c->spec ? solve_main(c->target, c->spec, argc, argv) :
			 bench_main(c->target, c->target, argc, argv);
}

static void child(const struct fault_command *c, const struct fault_plan *plan, struct shared *s,
		  int errors)
{
	int nothing = open("/dev/null", O_WRONLY), code;
	int64_t before = inject_blocks();

	for (int number = 1; number < 32; number++) /* cmocka's handlers end a test, not this */
		signal(number, SIG_DFL);
	dup2(nothing, STDOUT_FILENO);
	dup2(errors, STDERR_FILENO);
	alarm(SECONDS);
	inject_begin(plan);
	code = call(c);
	fflush(stderr);
	for (int i = 0; i < FAULT_KINDS; i++)
		s->calls[i] = inject_calls((enum fault_kind)i);
	s->leaked = inject_blocks() - before;
	s->torn = copies_torn(s->torn_place, sizeof(s->torn_place));
	_exit(code);
}

static void read_errors(int fd, struct fault_outcome *out)
{
	ssize_t length = pread(fd, out->text, sizeof(out->text) - 1, 0);

	out->text[length > 0 ? length : 0] = '\0';
	for (const char *p = out->text; *p; p++)
		out->lines += *p == '\n';
}

void fault_run(const struct fault_command *c, const struct fault_plan *plan,
	       struct fault_outcome *out)
{
	struct shared *s =
		mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int errors = memfd_create("errors", 0), status = 0;
	pid_t pid;

	*out = (struct fault_outcome){ .code = -1 };
	fflush(NULL);
	pid = fork();
	if (pid == 0)
		child(c, plan, s, errors);
	if (pid > 0)
		waitpid(pid, &status, 0);
	out->code = pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	out->signal = pid > 0 && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	memcpy(out->calls, s->calls, sizeof(out->calls));
	out->leaked = s->leaked;
	out->torn = s->torn;
	memcpy(out->torn_place, s->torn_place, sizeof(out->torn_place));
	read_errors(errors, out);
	close(errors);
	munmap(s, sizeof(*s));
}
