/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/compare/settings.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "harness/base/data.h"
#include "harness/report/text.h"
#include "harness/compare/folders.h"

#define OPT(name, type, member, argument, help)                                                    \
	FLAG(name, type, struct settings, member, argument, help)

const struct flag settings_common[] = {
	OPT("bin", FLAG_TEXT, bin, "DIR",
	    "folder of the programs to measure (build/bin; installed: the folder of this program)"),
	OPT("name", FLAG_TEXT, name, "NAME", "name of the baseline (default)"),
	OPT("targets", FLAG_TEXT, targets, "LIST",
	    "only these targets, for example dp-knapsack,gboa"),
	OPT("filter", FLAG_TEXT, filter, "REGEX",
	    "benchmarks to use instead of those in results/papers/<target>/gate.txt"),
	OPT("scale", FLAG_TEXT, launch.scale, "SCALE", "smoke, quick or paper (smoke)"),
	OPT("device", FLAG_TEXT, launch.device, "DEVICE", "device, as for the targets (auto)"),
	OPT("threads", FLAG_COUNT, threads, "N", "CPU threads (all cores)"),
	OPT("min-time", FLAG_TEXT, launch.min_time, "0.001s|10x",
	    "minimum time of a repetition (0.001s)"),
	OPT("repetitions", FLAG_COUNT, repetitions, "N",
	    "repetitions per launch; the fastest counts (30)"),
	OPT("arguments", FLAG_TEXT, launch.arguments, "FLAGS", "further flags of the targets"),
	OPT("launches", FLAG_COUNT, launches, "N",
	    "process launches per build: a maximum for compare (40), exact for baseline (10)"),
	OPT("papers", FLAG_TEXT, papers, "DIR", "folder with the gate.txt files (results/papers)"),
	OPT("quiet", FLAG_BOOL, quiet, NULL, "show no progress"),
	FLAG_END,
};
const struct flag settings_baseline[] = { FLAG_END };
const struct flag settings_compare[] = {
	OPT("old", FLAG_TEXT, old, "DIR",
	    "folder with the old build's programs, instead of a baseline"),
	OPT("rows", FLAG_BOOL, rows, NULL,
	    "compare with the baseline's recorded times, not its programs: weaker, but shows the "
	    "effect of a new driver or system"),
	OPT("out", FLAG_TEXT, out, "DIR", "folder for the result files"),
	OPT("junit", FLAG_TEXT, junit, "FILE", "also write the verdicts as JUnit XML"),
	OPT("floor", FLAG_REAL, floor_percent, "PERCENT",
	    "smallest change reported as SLOWER or FASTER (3)"),
	OPT("detect", FLAG_REAL, detect_percent, "PERCENT",
	    "SAME requires that a change this large is ruled out (5)"),
	OPT("seed", FLAG_U64, seed, "N", "seed for the order of launches (1)"),
	FLAG_END,
};
const struct flag settings_files[] = {
	OPT("old", FLAG_TEXT, old, "FILE", "old rows: Google Benchmark JSON"),
	OPT("new", FLAG_TEXT, new_file, "FILE", "new rows"),
	OPT("out", FLAG_TEXT, out, "DIR", "folder for the result files (none)"),
	OPT("junit", FLAG_TEXT, junit, "FILE", "also write the verdicts as JUnit XML"),
	OPT("filter", FLAG_TEXT, filter, "REGEX", "only benchmarks with matching names"),
	OPT("floor", FLAG_REAL, floor_percent, "PERCENT",
	    "smallest change reported as SLOWER or FASTER (3)"),
	OPT("detect", FLAG_REAL, detect_percent, "PERCENT",
	    "SAME requires that a change this large is ruled out (5)"),
	FLAG_END,
};
const struct flag settings_study[] = {
	OPT("trials", FLAG_COUNT, trials, "N", "comparisons of each kind (100)"),
	OPT("program", FLAG_TEXT, program, "FILE",
	    "program to launch; COPRA_DEMO_EXTRA=5 makes it the slower build (default: simulated "
	    "noise)"),
	OPT("filter", FLAG_TEXT, filter, "REGEX", "its benchmark (^demo/steps/)"),
	OPT("launches", FLAG_COUNT, launches, "N", "maximum number of launches per build (40)"),
	OPT("min-time", FLAG_TEXT, launch.min_time, "0.001s|10x",
	    "minimum time of a repetition (0.001s)"),
	OPT("repetitions", FLAG_COUNT, repetitions, "N",
	    "repetitions per launch; the fastest counts (30)"),
	OPT("seed", FLAG_U64, seed, "N", "seed for noise and order (1)"),
	OPT("out", FLAG_TEXT, out, "FILE", "write the study to this JSON file"),
	OPT("quiet", FLAG_BOOL, quiet, NULL, "show no progress"),
	FLAG_END,
};

/* Sets the folders that no flag gives. */
static int complete_folders(struct settings *s, struct err *e)
{
	int status = s->papers ?
			     0 :
			     data_path(s->own_papers, sizeof(s->own_papers), "results/papers", e);

	s->papers = s->papers ? s->papers : s->own_papers;
	if (!s->bin && !data_installed(s->own_bin, sizeof(s->own_bin)))
		strcpy(s->own_bin, "build/bin");
	s->bin = s->bin ? s->bin : s->own_bin;
	return status;
}

int settings_parse(struct settings *s, const struct flag *own, int argc, char **argv, bool *help,
		   struct err *e)
{
	bool alone = own == settings_files || own == settings_study;
	const struct flag *const tables[] = { own, alone ? NULL : settings_common, NULL };
	int status;

	*s = (struct settings){ .floor_percent = 3, .detect_percent = 5, .seed = 1, .trials = 100 };
	status = flags_parse(tables, s, argc, argv, help, e);
	return status ? status : complete_folders(s, e);
}

void settings_complete(struct settings *s)
{
	struct launch_parameters *p = &s->launch;

	p->scale = p->scale ? p->scale : "smoke";
	p->device = p->device ? p->device : "auto";
	p->min_time = p->min_time ? p->min_time : "0.001s";
	p->arguments = p->arguments ? p->arguments : "";
	p->repetitions = s->repetitions ? s->repetitions : 30;
	p->threads = s->threads;
	s->name = s->name ? s->name : "default";
}

/* The folder beside the baselines, and the names of incomplete and replaced baselines. */
static bool is_reserved(const char *name)
{
	const char *end = strrchr(name, '.');

	return !strcmp(name, "compare") ||
	       (end && (!strcmp(end, ".partial") || !strcmp(end, ".old")));
}

int settings_check(const struct settings *s, struct gate_rule *rule, struct err *e)
{
	static const struct gate_rule usual = GATE_RULE;
	static const char good[] = "abcdefghijklmnopqrstuvwxyz"
				   "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

	*rule = usual;
	rule->floor = s->floor_percent / 100;
	rule->detect = s->detect_percent / 100;
	if (s->name && (!*s->name || *s->name == '.' || s->name[strspn(s->name, good)]))
		return err_set(e, ERR_USAGE,
			       "--name: only letters, digits, '.', '_' and '-' are allowed");
	if (s->name && is_reserved(s->name))
		return err_set(
			e, ERR_USAGE,
			"--name: 'compare' and names that end in .partial or .old are reserved");
	if (s->launches > 10000 || s->repetitions > 10000 || s->trials > 100000)
		return err_set(
			e, ERR_USAGE,
			"at most 10000 launches, 10000 repetitions and 100000 trials are allowed");
	return gate_rule_check(rule, e);
}

int settings_folder(char *path, const struct environment *env, struct err *e)
{
	char machine[PATH_MAX];

	env_results_folder(env, machine, sizeof(machine));
	return text_path(path, e, "%s/gate", machine);
}

int settings_lock(const struct environment *env, struct err *e)
{
	char gate[PATH_MAX], path[PATH_MAX];
	int status = settings_folder(gate, env, e);

	if (status == 0)
		status = text_path(path, e, "%s/.lock", gate);
	return status ? status : folder_lock(path, e);
}
