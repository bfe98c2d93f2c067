/* main() of every target. */
#include <stdio.h>
#include <string.h>

#include "harness/bench/bench.h"
#include "harness/bench/bench_main.h"
#include "harness/bench/plan.h"
#include "harness/bench/solve.h"
#include "harness/base/host.h"
#include "harness/base/build.h"

static void print_help(const struct target *t)
{
	printf("%s: %s\n"
	       "usage: %s [bench] [flags]   measure the experiments of the paper\n"
	       "       %s solve [flags]     solve one instance\n"
	       "       %s list              experiments, instances and variants\n",
	       t->name, t->summary, t->name, t->name, t->name);
	for (const struct subcommand *c = t->commands; c && c->name; c++) {
		char words[32];

		snprintf(words, sizeof(words), "%s [flags]", c->name);
		printf("       %s %-17s %s\n", t->name, words, c->summary);
	}
	printf("       %s SUB-COMMAND --help\n"
	       "       %s --version\n\n",
	       t->name, t->name);
	bench_print_flags(stdout);
}

static bool is_help(const char *argument)
{
	return strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0 ||
	       strcmp(argument, "help") == 0;
}

static int usage(const struct target *t, const char *message, const char *argument)
{
	fprintf(stderr, "%s: %s '%s' (see --help)\n", t->name, message, argument);
	return err_exit_code(ERR_USAGE);
}

static void list_experiments(void)
{
	puts("experiments (bench --benchmark_filter=NAME):");
	for (int i = 0; i < bench_registered(); i++) {
		const struct bench *b = bench_registered_at(i);

		if (b)
			printf("  %-28s %s\n", b->name, b->summary ? b->summary : "");
	}
}

static int list(const struct target *t, int argc, char **argv)
{
	struct err e = { 0 };
	int status;

	if (argc > 0 && is_help(argv[0])) {
		printf("usage: %s list\nprints the experiments of bench, and the instances and "
		       "variants of solve\n",
		       t->name);
		return 0;
	}
	if (argc > 0)
		return usage(t, "list takes no arguments, but got", argv[0]);
	list_experiments();
	status = t->list ? t->list(&e) : 0;
	if (status == 0 && (fflush(stdout) || ferror(stdout)))
		status = err_set(&e, ERR_IO, "cannot write to standard output");
	if (status)
		fprintf(stderr, "%s: %s\n", t->name, e.text);
	return err_exit_code(status);
}

int copra_main(int argc, char **argv, const struct target *t)
{
	const char *first = argc > 1 ? argv[1] : "";

	host_streams_guard();
	if (build_version_asked(argc, argv))
		return build_version_print(t->name);
	if (is_help(first)) {
		print_help(t);
		return 0;
	}
	if (*first == '-' || argc <= 1)
		return bench_main(t->name, argv[0], argc - 1, argv + 1);
	if (strcmp(first, "bench") == 0)
		return bench_main(t->name, argv[0], argc - 2, argv + 2);
	if (strcmp(first, "list") == 0)
		return list(t, argc - 2, argv + 2);
	if (strcmp(first, "solve") == 0) {
		if (t->solve)
			return solve_main(t->name, t->solve, argc - 2, argv + 2);
		fprintf(stderr, "%s: this target has no solve\n", t->name);
		return err_exit_code(ERR_USAGE);
	}
	for (const struct subcommand *c = t->commands; c && c->name; c++)
		if (strcmp(first, c->name) == 0)
			return c->run(argc - 2, argv + 2);
	return usage(t, "unknown sub-command", first);
}
