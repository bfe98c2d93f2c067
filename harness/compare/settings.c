#include "harness/compare/settings.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "harness/report/text.h"
#include "harness/compare/folders.h"

#define OPT(name, type, member, argument, help)                                                    \
	FLAG(name, type, struct settings, member, argument, help)

const struct flag settings_common[] = {
	OPT("bin", FLAG_TEXT, bin, "DIR", "the programs to measure (build/bin)"),
	OPT("name", FLAG_TEXT, name, "NAME", "of the baseline (default)"),
	OPT("targets", FLAG_TEXT, targets, "LIST", "only these, as dp-knapsack,gboa"),
	OPT("filter", FLAG_TEXT, filter, "REGEX",
	    "benchmarks to take instead of the family in results/papers/<target>/gate.txt"),
	OPT("scale", FLAG_TEXT, launch.scale, "SCALE", "smoke, quick or paper (smoke)"),
	OPT("device", FLAG_TEXT, launch.device, "DEVICE", "as the targets take it (auto)"),
	OPT("threads", FLAG_COUNT, threads, "N", "processor cores (all)"),
	OPT("min-time", FLAG_TEXT, launch.min_time, "0.001s|10x", "of a repetition (0.001s)"),
	OPT("repetitions", FLAG_COUNT, repetitions, "N",
	    "in a launch, which counts with the fastest of them (30)"),
	OPT("arguments", FLAG_TEXT, launch.arguments, "FLAGS", "further flags of the targets"),
	OPT("launches", FLAG_COUNT, launches, "N",
	    "process launches of each build: compare: at most (40); baseline: exactly (10)"),
	OPT("papers", FLAG_TEXT, papers, "DIR", "folder of the families (results/papers)"),
	OPT("quiet", FLAG_BOOL, quiet, NULL, "no progress"),
	FLAG_END,
};
const struct flag settings_baseline[] = { FLAG_END };
const struct flag settings_compare[] = {
	OPT("old", FLAG_TEXT, old, "DIR", "programs of an old build, instead of a baseline's"),
	OPT("rows", FLAG_BOOL, rows, NULL,
	    "against the times that the baseline recorded, not its programs: weaker, but the way "
	    "to see a new driver or system"),
	OPT("out", FLAG_TEXT, out, "DIR", "where the result goes"),
	OPT("floor", FLAG_REAL, floor_percent, "PERCENT",
	    "least change that is SLOWER or FASTER (3)"),
	OPT("detect", FLAG_REAL, detect_percent, "PERCENT",
	    "SAME only where a change as large is ruled out (5)"),
	OPT("seed", FLAG_U64, seed, "N", "of the order of launches (1)"),
	FLAG_END,
};
const struct flag settings_files[] = {
	OPT("old", FLAG_TEXT, old, "FILE", "old rows: Google Benchmark JSON"),
	OPT("new", FLAG_TEXT, new_file, "FILE", "new rows"),
	OPT("out", FLAG_TEXT, out, "DIR", "where the result goes (nowhere)"),
	OPT("filter", FLAG_TEXT, filter, "REGEX", "only benchmarks whose name matches"),
	OPT("floor", FLAG_REAL, floor_percent, "PERCENT",
	    "least change that is SLOWER or FASTER (3)"),
	OPT("detect", FLAG_REAL, detect_percent, "PERCENT",
	    "SAME only where a change as large is ruled out (5)"),
	FLAG_END,
};
const struct flag settings_study[] = {
	OPT("trials", FLAG_COUNT, trials, "N", "of each kind (100)"),
	OPT("program", FLAG_TEXT, program, "FILE",
	    "launch this one, with COPRA_DEMO_EXTRA=5 as the slower build; else simulated noise"),
	OPT("filter", FLAG_TEXT, filter, "REGEX", "its benchmark"),
	OPT("launches", FLAG_COUNT, launches, "N", "of each build, at most (40)"),
	OPT("min-time", FLAG_TEXT, launch.min_time, "0.001s|10x", "of a repetition (0.001s)"),
	OPT("repetitions", FLAG_COUNT, repetitions, "N",
	    "in a launch, which counts with the fastest of them (30)"),
	OPT("seed", FLAG_U64, seed, "N", "of noise and order (1)"),
	OPT("out", FLAG_TEXT, out, "FILE", "write the study there (JSON)"),
	OPT("quiet", FLAG_BOOL, quiet, NULL, "no progress"),
	FLAG_END,
};

int settings_parse(struct settings *s, const struct flag *own, int argc, char **argv, bool *help,
		   struct err *e)
{
	bool alone = own == settings_files || own == settings_study;
	const struct flag *const tables[] = { own, alone ? NULL : settings_common, NULL };

	*s = (struct settings){ .bin = "build/bin",
				.papers = "results/papers",
				.floor_percent = 3,
				.detect_percent = 5,
				.seed = 1,
				.trials = 100 };
	return flags_parse(tables, s, argc, argv, help, e);
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

/* What lies beside the baselines, and what one of another name is until it is whole, or replaced.
 */
static bool is_taken(const char *name)
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
		return err_set(e, ERR_USAGE, "--name: letters, digits, '.', '_' and '-' only");
	if (s->name && is_taken(s->name))
		return err_set(e, ERR_USAGE, "--name: 'compare', .partial and .old are taken");
	if (s->launches > 10000 || s->repetitions > 10000 || s->trials > 100000)
		return err_set(e, ERR_USAGE, "too many launches, repetitions or trials");
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
