/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* copra-compare: finds benchmarks that have become slower. */
#include <stdio.h>
#include <string.h>

#include "harness/base/host.h"
#include "harness/base/stop.h"
#include "harness/base/build.h"
#include "harness/compare/baseline.h"
#include "harness/compare/comparison.h"
#include "harness/compare/gate_study.h"

static const char usage[] =
	"usage: copra-compare COMMAND [flags], or copra-compare --version\n"
	"  baseline  measure the programs in --bin and keep a copy of them\n"
	"  compare   run the baseline's programs beside those in --bin: what became slower?\n"
	"  files     compare the rows of two result files (weaker, and says so); each file needs\n"
	"            at least %zu rows of a benchmark, preferably 20\n"
	"            (--benchmark_repetitions=20)\n"
	"  study     measure how often the verdicts are right, on simulated noise or on this\n"
	"            machine\n"
	"Each benchmark is SAME, FASTER, SLOWER or AMBIGUOUS (too noisy, too few samples, or the\n"
	"A/A control failed: the old build differs from itself). A sample is a process launch. "
	"Both\n"
	"builds and the control are launched in turns until a change of --detect is found or "
	"ruled\n"
	"out.\n"
	"exit codes: 0 nothing became slower; 1 something became slower or fails; 2 bad usage, no\n"
	"baseline for this machine and these parameters, or files with too few rows; 3 "
	"interrupted,\n"
	"the measurements so far are kept; 4 no such device\n";

static int start(struct environment *env, const volatile sig_atomic_t **stop, struct err *e)
{
	int status = stop_install(stop, e);

	if (status == 0)
		env_capture(env);
	return status;
}

static int run_baseline(struct settings *s, struct err *e)
{
	const volatile sig_atomic_t *stop;
	struct gate_rule rule;
	struct environment env;
	int status;

	settings_complete(s);
	status = settings_check(s, &rule, e);
	if (status == 0)
		status = start(&env, &stop, e);
	return status ? status : baseline_make(s, &env, stop, e);
}

static int run_compare(struct settings *s, struct err *e)
{
	const volatile sig_atomic_t *stop;
	struct environment env;
	int status = start(&env, &stop, e);

	return status ? status : compare_builds(s, &env, stop, e);
}

static int run_study(struct settings *s, struct err *e)
{
	const volatile sig_atomic_t *stop;
	struct environment env;
	int status = start(&env, &stop, e);

	return status ? status : study_run(s, &env, stop, e);
}

static const struct command {
	const char *name;
	const struct flag *flags;
	bool common;
	int (*run)(struct settings *s, struct err *e);
} commands[] = {
	{ "baseline", settings_baseline, true, run_baseline },
	{ "compare", settings_compare, true, run_compare },
	{ "files", settings_files, false, compare_files },
	{ "study", settings_study, false, run_study },
};

static const struct command *find(const char *name)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

static void help_on(const struct command *c)
{
	printf("usage: copra-compare %s [flags]\n", c->name);
	flags_print(stdout, c->flags);
	if (c->common)
		flags_print(stdout, settings_common);
}

static int run(int argc, char **argv, struct err *e)
{
	const struct command *c = argc > 1 ? find(argv[1]) : NULL;
	struct settings s;
	bool help = false;
	int status;

	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		printf(usage, gate_samples_needed(&(struct gate_rule)GATE_RULE));
		return 0;
	}
	if (!c)
		return err_set(e, ERR_USAGE,
			       "%s%s%s: baseline, compare, files or study; see --help",
			       argc > 1 ? "'" : "", argc > 1 ? argv[1] : "no command given",
			       argc > 1 ? "' is not a command" : "");
	status = settings_parse(&s, c->flags, argc - 2, argv + 2, &help, e);
	if (status)
		return status;
	if (help) {
		help_on(c);
		return 0;
	}
	return c->run(&s, e);
}

int main(int argc, char **argv)
{
	struct err e = { 0 };
	int status;

	host_streams_guard();
	if (build_version_asked(argc, argv))
		return build_version_print("copra-compare");
	status = run(argc, argv, &e);
	if (fflush(stdout) || ferror(stdout))
		status = status ? status : err_set(&e, ERR_IO, "standard output: write error");
	if (status)
		fprintf(stderr, "copra-compare: %s\n", e.text);
	return err_exit_code(status);
}
