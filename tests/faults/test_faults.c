/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Commands of all targets with failing allocations, thread creations and device calls. A command
 * must print one line of error and exit with code 1, without a crash, an endless wait or a leak; or
 * it works without the resource, with a correct answer.
 *
 * By default some of the calls fail, spread evenly. COPRA_FAULTS=all makes each of them fail
 * (takes minutes), COPRA_FAULTS=text each of the commands that contain the text, and with
 * COPRA_FAULT_AT=N only the Nth. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "algorithms/dp-knapsack/solve.h"
#include "harness/bench/bench.h"
#include "harness/bench/solve.h"
#include "tests/faults/inject.h"

/* ---- a command in a separate process ---- */

struct fault_command {
	const char *target;
	const struct solve_spec *spec; /* NULL: bench */
	const char *arguments;         /* separated by spaces; "@" stands for a file */
};

struct fault_outcome {
	int code; /* exit code of the process; -1: ended by `signal` */
	int signal;
	int64_t calls[FAULT_KINDS];
	int64_t leaked;      /* blocks not freed at its end */
	int64_t torn;        /* blocks freed while a copy to or from them was in flight */
	char torn_place[96]; /* file and line that queued that copy */
	int lines;           /* lines on stderr */
	char text[2048];     /* beginning of the text on stderr */
};

/* SECONDS: a run takes milliseconds; one that hangs is ended by SIGALRM. */
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

/* Calls the sub-command as main() would. */
static int call(const struct fault_command *c)
{
	const struct target target = { .name = c->target };
	char text[1024], *argv[WORDS + 1];
	int argc;

	snprintf(text, sizeof(text), "%s", c->arguments);
	argv[0] = (char *)(uintptr_t)c->target;
	argc = split(text, argv + 1);
	return c->spec ? solve_main(c->target, c->spec, NULL, argc, argv + 1) :
			 copra_main(argc + 1, argv, &target);
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
	s->torn = inject_torn_copies(s->torn_place, sizeof(s->torn_place));
	_exit(code);
}

static void read_errors(int fd, struct fault_outcome *out)
{
	ssize_t length = pread(fd, out->text, sizeof(out->text) - 1, 0);

	out->text[length > 0 ? length : 0] = '\0';
	for (const char *p = out->text; *p; p++)
		out->lines += *p == '\n';
}

/* Runs a command in a separate process with the failures of `plan`. */
static void fault_run(const struct fault_command *c, const struct fault_plan *plan,
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

/* ---- the commands ---- */

extern const struct solve_spec boa_solve_spec, ivm_solve_spec, pool_solve_spec, track_solve_spec;

enum { SOME = 4, MOST_FAILURES = 40 };

#define ITEMS "--instance boyer:40:1 --threads 2 --variant "
#define SHOP "--instance random:5x3:20:1 --threads 2 --variant "
#define TOUR "--problem atsp --instance random:6:30:1 --threads 2 --variant "
#define BOARD "--problem nqueens --instance 6 --threads 2 --variant "
#define TRAP                                                                                       \
	"--problem trap5 --instance 10 --population 64 --generations 1 --stop generations "        \
	"--threads 2 --variant "
#define BEAM "--instance random:6x3:20:1 --beam 4 --threads 2 --variant "
#define STONES "--problem samegame --instance random:3x3:2:1 --beam 2 --threads 2 --variant "
#define SIM " --device sim"
#define SIMS " --device sim:0,1"

/* `always`: run by default; one fast command of each kind. */
static const struct {
	struct fault_command command;
	bool always;
} commands[] = {
	{ { "dp-knapsack", &dp_solve_spec, ITEMS "serial --json @" }, true },
	{ { "dp-knapsack", &dp_solve_spec, ITEMS "cpu" }, true },
	{ { "dp-knapsack", &dp_solve_spec, ITEMS "published" SIMS }, false },
	{ { "dp-knapsack", &dp_solve_spec, ITEMS "tuned" SIMS }, true },
	{ { "dp-knapsack", NULL,
	    "--benchmark_filter=table1/boyer/serial/form:item/n:50/seed:1 "
	    "--copra_axis=n=50 --benchmark_dry_run --threads=2 --benchmark_format=json "
	    "--benchmark_out @ --device=sim" },
	  true },
	{ { "dp-knapsack", NULL,
	    "--benchmark_filter=table1/boyer/published/form:item/n:50/seed:1 "
	    "--copra_axis=n=50 --benchmark_dry_run --threads=2 --benchmark_format=json "
	    "--benchmark_out @ --device=sim" },
	  false },
	{ { "helbecque-pool", &pool_solve_spec, SHOP "serial" }, false },
	{ { "helbecque-pool", &pool_solve_spec, SHOP "cpu" }, true },
	{ { "helbecque-pool", &pool_solve_spec, SHOP "published" SIMS }, true },
	{ { "helbecque-pool", &pool_solve_spec, SHOP "tuned --bound lb1" SIMS }, true },
	{ { "helbecque-pool", &pool_solve_spec, SHOP "tuned --bound lb2" SIMS }, false },
	{ { "helbecque-pool", &pool_solve_spec, BOARD "cpu" }, false },
	{ { "helbecque-pool", &pool_solve_spec, BOARD "published" SIMS }, false },
	{ { "helbecque-pool", &pool_solve_spec, BOARD "tuned" SIMS }, false },
	{ { "gmys-ivm", &ivm_solve_spec, SHOP "serial --checkpoint @" }, true },
	{ { "gmys-ivm", &ivm_solve_spec, SHOP "cpu" }, false },
	{ { "gmys-ivm", &ivm_solve_spec, SHOP "published --ivms 8 --checkpoint @" SIMS }, true },
	{ { "gmys-ivm", &ivm_solve_spec, SHOP "tuned --checkpoint @" SIMS }, false },
	{ { "gmys-ivm", &ivm_solve_spec, TOUR "serial" }, false },
	{ { "gmys-ivm", &ivm_solve_spec, TOUR "cpu" }, true },
	{ { "gmys-ivm", &ivm_solve_spec, TOUR "tuned" SIMS }, true },
	{ { "gmys-ivm", &ivm_solve_spec, BOARD "cpu" }, false },
	{ { "gmys-ivm", &ivm_solve_spec, BOARD "published --ivms 8" SIMS }, false },
	{ { "gmys-ivm", &ivm_solve_spec, BOARD "tuned" SIMS }, false },
	{ { "koester-recovery", &track_solve_spec, BEAM "serial" }, false },
	{ { "koester-recovery", &track_solve_spec, BEAM "cpu" }, true },
	{ { "koester-recovery", &track_solve_spec, BEAM "tuned" SIMS }, false },
	{ { "koester-recovery", &track_solve_spec, STONES "published" SIMS }, true },
	{ { "koester-recovery", &track_solve_spec, STONES "cpu" }, false },
	{ { "gboa", &boa_solve_spec, TRAP "serial" }, false },
	{ { "gboa", &boa_solve_spec, TRAP "cpu" }, true },
	{ { "gboa", &boa_solve_spec, TRAP "published" SIM }, false },
	{ { "gboa", &boa_solve_spec, TRAP "tuned --engine grid" SIM }, true },
	{ { "gboa", &boa_solve_spec, TRAP "tuned --engine large" SIMS }, false },
	{ { "gboa", &boa_solve_spec, TRAP "tuned --engine batch --runs 3" SIMS }, false },
	{ { "gboa", &boa_solve_spec, TRAP "cpu --model hboa" }, false },
	{ { "gboa", &boa_solve_spec, TRAP "tuned --model hboa" SIMS }, false },
};
enum { COMMANDS = sizeof(commands) / sizeof(*commands) };

static const char *const kind_names[] = { "allocation", "thread", "device call" };

/* Returns NULL if the run is correct. A run without a failure may print a note. */
static const char *fault_of(const struct fault_outcome *o)
{
	if (o->signal)
		return "ended by a signal";
	if (o->code != 0 && o->code != 1)
		return "an exit code other than 0 and 1";
	if (o->code != 0 && o->lines != 1)
		return "not one line of text";
	if (o->code == 0 && o->lines > 1)
		return "more than one line of text";
	if (o->leaked)
		return "blocks were not freed";
	if (o->torn)
		return "memory was freed while it was copied";
	return NULL;
}

static void report(const struct fault_command *c, const struct fault_plan *p,
		   const struct fault_outcome *o, const char *what)
{
	print_error("%s %s %s\n   %s %lld%s fails: %s: code %d, signal %d, %lld blocks, copy %s, "
		    "\"%s\"\n",
		    c->target, c->spec ? "solve" : "bench", c->arguments, kind_names[p->kind],
		    (long long)p->at, p->for_good ? " and all later ones" : "", what, o->code,
		    o->signal, (long long)o->leaked, o->torn_place, o->text);
}

static int fail_at(const struct fault_command *c, const struct fault_plan *plan)
{
	struct fault_outcome o;
	const char *what;

	fault_run(c, plan, &o);
	what = fault_of(&o);
	if (what)
		report(c, plan, &o, what);
	return what != NULL;
}

static bool all(void)
{
	return getenv("COPRA_FAULTS") != NULL;
}

static bool wanted(int command)
{
	const char *text = getenv("COPRA_FAULTS");
	const struct fault_command *c = &commands[command].command;

	if (!text)
		return commands[command].always;
	return strcmp(text, "all") == 0 || strstr(c->arguments, text) || strstr(c->target, text);
}

/* Makes some of the calls fail, different ones in each command; or all, in a spread order. */
static int fail_each(int command, enum fault_kind kind, int64_t calls)
{
	enum { PRIME = 7919 };
	const char *only = getenv("COPRA_FAULT_AT");
	int64_t times = all() || calls < SOME ? calls : SOME;
	int bad = 0;

	for (int64_t i = 0; i < times && bad < MOST_FAILURES; i++) {
		int64_t at = 1 + ((all() ? 0 : command) + i * PRIME) % calls;
		struct fault_plan plan = { kind, at, at % 2 == 0 };

		if (!only || at == atoll(only))
			bad += fail_at(&commands[command].command, &plan);
	}
	return bad;
}

static void fails(void **state)
{
	int command = *(const int *)*state, bad = 0;
	const struct fault_command *c = &commands[command].command;
	struct fault_plan none = { 0 };
	struct fault_outcome o;

	fault_run(c, &none, &o);
	if (o.code != 0 || o.leaked || o.torn || o.calls[FAULT_MEMORY] < 1)
		report(c, &none, &o, "no failure was injected");
	assert_int_equal(o.code, 0);
	assert_int_equal(o.leaked, 0);
	assert_int_equal(o.torn, 0);
	assert_true(o.calls[FAULT_MEMORY] >= 1);
	assert_true(o.calls[FAULT_DEVICE] >= 1 || !strstr(c->arguments, SIM));
	for (int kind = 0; kind < FAULT_KINDS; kind++)
		bad += fail_each(command, (enum fault_kind)kind, o.calls[kind]);
	if (all())
		print_message("%s: %lld allocations, %lld threads, %lld device calls\n",
			      c->arguments, (long long)o.calls[FAULT_MEMORY],
			      (long long)o.calls[FAULT_THREAD], (long long)o.calls[FAULT_DEVICE]);
	assert_int_equal(bad, 0);
}

int main(void)
{
	struct CMUnitTest tests[COMMANDS];
	size_t count = 0;
	int number[COMMANDS];
	char folder[] = "/tmp/copra-faults-XXXXXX", command[64];
	int failed;

	/* commands neither write nor read results where the test was started */
	if (!mkdtemp(folder) || setenv("COPRA_TEST_FOLDER", folder, 1) || chdir(folder) ||
	    unsetenv("COPRA_RESULTS"))
		return 1;
	for (int i = 0; i < COMMANDS; i++) {
		number[i] = i;
		if (wanted(i))
			tests[count++] = (struct CMUnitTest){ .name = commands[i].command.arguments,
							      .test_func = fails,
							      .initial_state = &number[i] };
	}
	failed = _cmocka_run_group_tests("faults", tests, count, NULL, NULL);
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command) || failed;
}
