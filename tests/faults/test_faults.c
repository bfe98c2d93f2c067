/* Whatever runs out, when it does: one clear line, exit code 1, no crash, nothing for ever, nothing
 * left allocated. Or it does without, and the answer is right all the same.
 *
 * `make test` makes some of the calls fail, spread evenly; COPRA_FAULTS=all every one of them
 * (minutes), COPRA_FAULTS=text every one of the commands that hold the text, and with COPRA_FAULT_AT=N
 * only the Nth. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../algorithms/dp-knapsack/solve.h"
#include "command.h"

extern const struct solve_spec boa_solve_spec, ivm_solve_spec, pool_solve_spec, track_solve_spec;

enum { SOME = 6, MOST_FAILURES = 40 };

#define SMALL_KNAPSACK "--instance boyer:40:1 --threads 2 --variant "
#define SMALL_SHOP "--instance random:6x3:20:1 --threads 2 --variant "
#define SMALL_TOUR "--problem atsp --instance random:6:30:1 --threads 2 --variant "
#define SMALL_BOARD "--problem nqueens --instance 6 --threads 2 --variant "
#define SMALL_TRAP "--problem trap5 --instance 15 --population 128 --threads 2 --variant "
#define SMALL_BEAM "--instance random:6x3:20:1 --beam 8 --threads 2 --variant "
#define TWO_SIMS " --device sim:0,1"

static const struct fault_command commands[] = {
	{ "dp-knapsack", &kp_solve_spec, SMALL_KNAPSACK "serial --json @" },
	{ "dp-knapsack", &kp_solve_spec, SMALL_KNAPSACK "cpu" },
	{ "dp-knapsack", &kp_solve_spec, SMALL_KNAPSACK "published" TWO_SIMS },
	{ "dp-knapsack", &kp_solve_spec, SMALL_KNAPSACK "tuned" TWO_SIMS },
	{ "helbecque-pool", &pool_solve_spec, SMALL_SHOP "serial" },
	{ "helbecque-pool", &pool_solve_spec, SMALL_SHOP "cpu" },
	{ "helbecque-pool", &pool_solve_spec, SMALL_SHOP "published" TWO_SIMS },
	{ "helbecque-pool", &pool_solve_spec, SMALL_SHOP "tuned --bound lb1" TWO_SIMS },
	{ "helbecque-pool", &pool_solve_spec, SMALL_SHOP "tuned --bound lb2" TWO_SIMS },
	{ "helbecque-pool", &pool_solve_spec, SMALL_BOARD "cpu" },
	{ "helbecque-pool", &pool_solve_spec, SMALL_BOARD "published" TWO_SIMS },
	{ "helbecque-pool", &pool_solve_spec, SMALL_BOARD "tuned" TWO_SIMS },
	{ "gmys-ivm", &ivm_solve_spec, SMALL_SHOP "serial --checkpoint @" },
	{ "gmys-ivm", &ivm_solve_spec, SMALL_SHOP "cpu" },
	{ "gmys-ivm", &ivm_solve_spec, SMALL_SHOP "published --checkpoint @" TWO_SIMS },
	{ "gmys-ivm", &ivm_solve_spec, SMALL_SHOP "tuned --checkpoint @" TWO_SIMS },
	{ "gmys-ivm", &ivm_solve_spec, SMALL_TOUR "serial" },
	{ "gmys-ivm", &ivm_solve_spec, SMALL_TOUR "cpu" },
	{ "gmys-ivm", &ivm_solve_spec, SMALL_TOUR "tuned" TWO_SIMS },
	{ "gmys-ivm", &ivm_solve_spec, SMALL_BOARD "cpu" },
	{ "gmys-ivm", &ivm_solve_spec, SMALL_BOARD "published" TWO_SIMS },
	{ "gmys-ivm", &ivm_solve_spec, SMALL_BOARD "tuned" TWO_SIMS },
	{ "koester-recovery", &track_solve_spec, SMALL_BEAM "serial" },
	{ "koester-recovery", &track_solve_spec, SMALL_BEAM "cpu" },
	{ "koester-recovery", &track_solve_spec, SMALL_BEAM "tuned" TWO_SIMS },
	{ "koester-recovery", &track_solve_spec,
	  "--problem samegame --instance random:4x4:2:1 --beam 4 --threads 2 --variant published" TWO_SIMS },
	{ "koester-recovery", &track_solve_spec,
	  "--problem samegame --instance random:4x4:2:1 --beam 4 --threads 2 --variant cpu" },
	{ "gboa", &boa_solve_spec, SMALL_TRAP "serial" },
	{ "gboa", &boa_solve_spec, SMALL_TRAP "cpu" },
	{ "gboa", &boa_solve_spec, SMALL_TRAP "published --device sim" },
	{ "gboa", &boa_solve_spec, SMALL_TRAP "tuned" TWO_SIMS },
	{ "gboa", &boa_solve_spec, SMALL_TRAP "cpu --model hboa" },
	{ "gboa", &boa_solve_spec, SMALL_TRAP "tuned --model hboa" TWO_SIMS },
	{ "dp-knapsack", NULL, "--benchmark_filter=table1/boyer/(serial|published)/form:item/n:50/seed:1 "
	  "--copra_axis=n=50 --benchmark_dry_run --threads=2 --benchmark_format=json --benchmark_out @ --device=sim" },
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static const char *const kind_names[] = { "allocation", "thread", "device call" };

/* NULL where it is as it should be. A run without a failure may have a note. */
static const char *fault_of(const struct fault_outcome *o)
{
	if (o->signal)
		return "ended by a signal";
	if (o->code != 0 && o->code != 1)
		return "another exit code than 0 and 1";
	if (o->code != 0 && o->lines != 1)
		return "not one line";
	if (o->code == 0 && o->lines > 1)
		return "more than a note";
	if (o->leaked)
		return "blocks were not freed";
	return NULL;
}

static void tell(const struct fault_command *c, const struct fault_plan *p,
		 const struct fault_outcome *o, const char *what)
{
	print_error("%s %s %s\n   %s %lld%s fails: %s: code %d, signal %d, %lld blocks, \"%s\"\n",
		    c->target, c->spec ? "solve" : "bench", c->arguments, kind_names[p->kind],
		    (long long)p->at, p->for_good ? " and all behind it" : "", what, o->code,
		    o->signal, (long long)o->leaked, o->text);
}

static int fail_at(const struct fault_command *c, const struct fault_plan *plan)
{
	struct fault_outcome o;
	const char *what;

	fault_run(c, plan, &o);
	what = fault_of(&o);
	if (what)
		tell(c, plan, &o, what);
	return what != NULL;
}

static bool all(void)
{
	return getenv("COPRA_FAULTS") != NULL;
}

static bool wanted(const struct fault_command *c)
{
	const char *text = getenv("COPRA_FAULTS");

	return !text || strcmp(text, "all") == 0 || strstr(c->arguments, text) ||
	       strstr(c->target, text);
}

static int fail_each(const struct fault_command *c, enum fault_kind kind, int64_t calls)
{
	const char *only = getenv("COPRA_FAULT_AT");
	int64_t step = all() || calls < SOME ? 1 : calls / SOME;
	/* of the steps another one in each command, so that together they see more */
	int64_t at = all() ? 1 : 1 + (c - commands) % step;
	int bad = 0;

	for (; at <= calls && bad < MOST_FAILURES; at += step)
		if (!only || at == atoll(only))
			bad += fail_at(c, &(struct fault_plan){ kind, at, at / step % 2 == 1 });
	return bad;
}

static void fails(void **state)
{
	const struct fault_command *c = *state;
	struct fault_plan none = { 0 };
	struct fault_outcome o;
	int bad = 0;

	if (!wanted(c))
		skip();
	fault_run(c, &none, &o);
	if (o.code != 0 || o.leaked || o.calls[FAULT_MEMORY] < 3)
		tell(c, &none, &o, "nothing was made to fail");
	assert_int_equal(o.code, 0);
	assert_int_equal(o.leaked, 0);
	assert_true(o.calls[FAULT_MEMORY] >= 3);
	for (int kind = 0; kind < FAULT_KINDS; kind++)
		bad += fail_each(c, (enum fault_kind)kind, o.calls[kind]);
	if (all())
		print_message("%s: %lld allocations, %lld threads, %lld device calls\n", c->arguments,
			      (long long)o.calls[0], (long long)o.calls[1], (long long)o.calls[2]);
	assert_int_equal(bad, 0);
}

int main(void)
{
	struct CMUnitTest tests[COMMANDS];
	char folder[] = "/tmp/copra-faults-XXXXXX", command[64];
	int failed;

	if (!mkdtemp(folder) || setenv("COPRA_TEST_FOLDER", folder, 1))
		return 1;
	for (int i = 0; i < COMMANDS; i++)
		tests[i] = (struct CMUnitTest){ .name = commands[i].arguments, .test_func = fails,
						.initial_state = (void *)(uintptr_t)&commands[i] };
	failed = _cmocka_run_group_tests("faults", tests, COMMANDS, NULL, NULL);
	snprintf(command, sizeof command, "rm -rf %s", folder);
	return system(command) || failed;
}
