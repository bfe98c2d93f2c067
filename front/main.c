/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* copra: one command for all programs. It runs the program of a command, from its own folder, in
 * place of this process. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/nearest.h"
#include "front/instance.h"
#include "front/programs.h"
#include "front/reproduce.h"
#include "front/solve.h"
#include "front/verify.h"
#include "harness/base/build.h"
#include "harness/base/host.h"

static int fail(int status, const struct err *e)
{
	fprintf(stderr, "copra: %s\n", e->text);
	return err_exit_code(status);
}

/* Runs `program` with the first word `command` (or none) and then the arguments. */
static int become(const char *program, const char *command, int argc, char **argv)
{
	char **words = calloc((size_t)argc + 3, sizeof(*words));
	struct err e = { 0 };
	int status, count = 0;

	if (!words)
		return fail(err_set(&e, ERR_MEMORY, "out of memory"), &e);
	words[count++] = (char *)program;
	if (command)
		words[count++] = (char *)command;
	memcpy(words + count, argv, (size_t)argc * sizeof(*argv));
	status = programs_run(words, &e);
	free(words);
	return fail(status, &e);
}

/* ---- the commands ---- */

/* `copra bench TARGET ...` and `copra list TARGET`. */
static int of_target(const char *command, int argc, char **argv)
{
	struct err e = { 0 };

	if (argc < 1 || argv[0][0] == '-')
		return fail(
			err_set(&e, ERR_USAGE, "%s needs a target; copra list shows them", command),
			&e);
	if (!programs_is_target(argv[0]))
		return fail(programs_unknown_target(argv[0], &e), &e);
	return become(argv[0], command, argc - 1, argv + 1);
}

static int bench(int argc, char **argv)
{
	return of_target("bench", argc, argv);
}

/* Prints "NAME: SUMMARY", the first line of the help of a target. */
static int print_summary(const char *target, struct err *e)
{
	char line[512] = "";
	FILE *help;
	int status = programs_open(&help, target, "--help", e);

	if (status)
		return status;
	if (!fgets(line, sizeof(line), help))
		status = err_set(e, ERR_FAILED, "%s --help prints nothing", target);
	while (fgetc(help) != EOF)
		;
	pclose(help);
	if (!status)
		printf("%-18s%s", target, strchr(line, ':') ? strchr(line, ':') + 1 : "\n");
	return status;
}

/* A knapsack is estimated by its target, a flowshop by copra-estimate, which also reads what is
 * recognised only with --format. */
static int estimate(int argc, char **argv)
{
	char word[] = "--instance", *words[64] = { word };
	struct instance x;
	struct err e = { 0 };
	int status;

	if (argc < 1 || argc >= 64 || argv[0][0] == '-')
		return become("copra-estimate", NULL, argc, argv);
	status = instance_identify(&x, argv[0], NULL, NULL, &e);
	if (status && access(argv[0], F_OK))
		return fail(status, &e);
	if (!status && x.problem != INSTANCE_FLOWSHOP && x.problem != INSTANCE_KNAPSACK)
		return fail(err_set(&e, ERR_USAGE,
				    "only flowshops and knapsacks are estimated; %s is: %s",
				    argv[0], x.what),
			    &e);
	if (status || x.problem == INSTANCE_FLOWSHOP)
		return become("copra-estimate", NULL, argc, argv);
	memcpy(words + 1, argv, (size_t)argc * sizeof(*argv));
	return become("dp-knapsack", "estimate", argc + 1, words);
}

static int list(int argc, char **argv)
{
	struct err e = { 0 };
	int status = 0;

	if (argc > 0)
		return of_target("list", argc, argv);
	for (const char *const *t = programs_targets(); *t && !status; t++)
		status = print_summary(*t, &e);
	if (!status)
		puts("copra list TARGET shows its instances, variants and experiments");
	if (!status && (fflush(stdout) || ferror(stdout)))
		status = err_set(&e, ERR_IO, "cannot write to standard output");
	return status ? fail(status, &e) : 0;
}

static const struct command {
	const char *name, *arguments, *summary;
	const char *more;                  /* for its own help; NULL: none */
	int (*run)(int argc, char **argv); /* NULL: the program copra-NAME */
} commands[] = {
	{ "solve", "FILE|NAME [flags]", "recognise an instance, choose how to solve it, and do so",
	  NULL, front_solve },
	{ "verify", "FILE [FILE|NAME]", "evaluate the solution in an answer, or check a proof",
	  NULL, front_verify },
	{ "estimate", "FILE|NAME [flags]", "estimate the work of a flowshop or a knapsack",
	  "Flowshops: the nodes of a search (copra-estimate --help). Knapsacks: the cell\n"
	  "updates of dynamic programming (dp-knapsack estimate --help).\n"
	  "examples: copra estimate ta056 --ub 3679; copra estimate boyer:1000 --json -",
	  estimate },
	{ "prove", "ANSWER --out FILE", "write a proof that a flowshop schedule is optimal", NULL,
	  NULL },
	{ "campaign", "SET|FILE [flags]", "solve a list of instances, the smallest tree first",
	  NULL, front_campaign },
	{ "reproduce", "[--estimate|--merge]", "run the experiments of all papers",
	  "Settings, from the environment, as of make reproduce: PAPER=TARGET\n"
	  "SCALE=smoke|quick|paper DEVICE=auto|cpu|cuda MINUTES=N LONGEST=SECONDS SHARD=I/N.\n"
	  "Results and the report go to results/local in the current folder, or to\n"
	  "COPRA_RESULTS. The same command continues an interrupted run. --estimate prints what\n"
	  "would run; --merge first joins what the shards have measured.\n"
	  "example: SCALE=smoke copra reproduce",
	  front_reproduce },
	{ "bench", "TARGET [flags]", "measure the experiments of a paper",
	  "copra bench TARGET --help shows the flags, those of Google Benchmark and others.\n"
	  "copra list shows the targets, copra list TARGET the experiments.\n"
	  "examples: copra bench gboa --copra_scale=smoke\n"
	  "          copra bench gboa --benchmark_filter=table1 --benchmark_out=results.json",
	  bench },
	{ "list", "[TARGET]", "the targets; or the instances and experiments of one",
	  "Without a target: the names of the targets and their papers. With one: its\n"
	  "experiments, for bench --benchmark_filter, and its instances and variants, for solve.",
	  list },
	{ "report", "[flags]", "tables, plots and verdicts from result files", NULL, NULL },
	{ "compare", "[flags]", "has a build become slower?", NULL, NULL },
	{ "history", "[flags]", "benchmarks over commits", NULL, NULL },
	{ "peaks", "[flags]", "measure the peak rates of this machine", NULL, NULL },
	{ "instance", "[flags]", "write an instance to a file", NULL, NULL },
};
enum { COMMANDS = sizeof(commands) / sizeof(commands[0]) };

static const struct command *find(const char *name)
{
	for (int i = 0; i < COMMANDS; i++)
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	return NULL;
}

static int run(const struct command *c, int argc, char **argv)
{
	char program[32];

	if (c->run)
		return c->run(argc, argv);
	snprintf(program, sizeof(program), "copra-%s", c->name);
	return become(program, NULL, argc, argv);
}

static int unknown_command(const char *name)
{
	struct nearest n = { .wanted = name };
	struct err e = { 0 };
	int status = err_set(&e, ERR_USAGE, "unknown command '%s'", name);

	for (int i = 0; i < COMMANDS; i++)
		nearest_offer(&n, commands[i].name);
	for (const char *const *t = programs_targets(); *t; t++)
		nearest_offer(&n, *t);
	if (n.count == 0)
		status = err_set(&e, ERR_USAGE, "unknown command '%s'; copra --help lists them",
				 name);
	nearest_say(&n, e.text, sizeof(e.text));
	return fail(status, &e);
}

/* ---- help ---- */

static void print_usage(const struct command *c)
{
	printf("usage: copra %s %s\n%s\n%s\n", c->name, c->arguments, c->summary, c->more);
}

static int print_help(void)
{
	puts("copra: combinatorial optimisation papers, reproduced and accelerated");
	for (int i = 0; i < COMMANDS; i++) {
		char words[40];

		snprintf(words, sizeof(words), "%s %s", commands[i].name, commands[i].arguments);
		printf("%s copra %-26s %s\n", i ? "      " : "usage:", words, commands[i].summary);
	}
	puts("       copra help COMMAND\n"
	     "       copra --version\n"
	     "exit codes: 0 done; 1 failed or wrong answer; 2 bad usage or input; 3 stopped at a "
	     "limit or\n"
	     "by a signal, with a valid partial result; 4 no such device or program\n"
	     "examples: copra solve my.fsp; copra solve ta056 --time-limit 60 --json answer.json;\n"
	     "          copra solve 18Q; copra list gmys-ivm");
	return 0;
}

/* `copra help COMMAND`: what `copra COMMAND --help` prints. */
static int help(int argc, char **argv)
{
	char flag[] = "--help", *words[] = { flag };
	const struct command *c = argc > 0 ? find(argv[0]) : NULL;

	if (argc == 0)
		return print_help();
	if (programs_is_target(argv[0]))
		return become(argv[0], NULL, 1, words);
	if (!c)
		return unknown_command(argv[0]);
	if (!c->run)
		return run(c, 1, words);
	if (c->run == front_solve)
		front_solve_help();
	else if (c->run == front_verify)
		front_verify_help();
	else if (c->run == front_campaign)
		return front_campaign_help();
	else
		print_usage(c);
	return 0;
}

static bool asks_help(int argc, char **argv)
{
	return argc > 0 && (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0);
}

int main(int argc, char **argv)
{
	const struct command *c;
	struct err e = { 0 };

	host_streams_guard();
	if (build_version_asked(argc, argv))
		return build_version_print("copra");
	if (argc < 2) {
		print_help();
		return err_exit_code(ERR_USAGE);
	}
	if (asks_help(argc - 1, argv + 1))
		return print_help();
	if (strcmp(argv[1], "help") == 0)
		return help(argc - 2, argv + 2);
	c = find(argv[1]);
	if (c && c->run && asks_help(argc - 2, argv + 2))
		return help(1, argv + 1);
	if (c)
		return run(c, argc - 2, argv + 2);
	if (programs_is_target(argv[1]))
		return fail(err_set(&e, ERR_USAGE,
				    "%s is a target, not a command: copra solve --target, copra "
				    "bench %s or copra list %s",
				    argv[1], argv[1], argv[1]),
			    &e);
	return unknown_command(argv[1]);
}
