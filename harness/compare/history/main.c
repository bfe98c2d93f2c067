/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* copra-history: shows how benchmarks changed over commits. `make history` runs it through
 * scripts/history.sh. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "harness/base/flags.h"
#include "harness/bench/samples.h"
#include "harness/report/text.h"
#include "harness/base/host.h"
#include "harness/base/build.h"
#include "harness/compare/history/entries.h"
#include "harness/compare/history/show.h"
#include "harness/compare/history/series.h"

static const char usage[] =
	"usage: copra-history [show] [flags]\n  Show what changed; with --out, also write "
	"history.html, history.md and plots/.\nusage: copra-history add --source WORD --file "
	"FILE... [flags]\n  Add the benchmarks of result files (Google Benchmark JSON) that the "
	"history lacks.\nusage: copra-history sql [flags]\n  Write SQL statements that create a "
	"database: copra-history sql | sqlite3 FILE\nusage: copra-history --version\n";

struct options {
	const char *history, *out, *filter, *commits, *source, *sampling;
	struct flag_list files;
	double floor, level;
	uint64_t seed;
	bool all, all_commits, dirty;
};

static const struct flag flags[] = {
	FLAG("history", FLAG_TEXT, struct options, history, "FILE",
	     "the history file (default: results/local/history/history.jsonl)"),
	FLAG("filter", FLAG_TEXT, struct options, filter, "REGEX",
	     "show: only benchmarks whose names match"),
	FLAG("out", FLAG_TEXT, struct options, out, "DIR",
	     "show: folder for history.html, history.md and plots/"),
	FLAG("all", FLAG_BOOL, struct options, all, NULL,
	     "show: print the table of all benchmarks, even if it is long"),
	FLAG("commits", FLAG_TEXT, struct options, commits, "FILE",
	     "show: commits, oldest first (git log --reverse --format=%H); runs are shown in this "
	     "order, and runs of other commits are left out. Default: by date"),
	FLAG("all-commits", FLAG_BOOL, struct options, all_commits, NULL,
	     "show: all runs by date; --commits is ignored"),
	FLAG("dirty", FLAG_BOOL, struct options, dirty, NULL,
	     "show: include runs of builds with uncommitted changes"),
	FLAG("floor", FLAG_REAL, struct options, floor, "X",
	     "show: smallest change shown (default: 0.03, that is, 3 %)"),
	FLAG("level", FLAG_REAL, struct options, level, "P",
	     "show: significance level of the change test (default: 0.01)"),
	FLAG("seed", FLAG_U64, struct options, seed, "N",
	     "show: seed of its permutations (default: 1)"),
	FLAG("source", FLAG_TEXT, struct options, source, "WORD",
	     "add: the command that measured (reproduce, recorded, ...)"),
	FLAG("sampling", FLAG_TEXT, struct options, sampling, "WORD",
	     "add: the kind of sample: repetition (default), or launch (of a process)"),
	FLAG("file", FLAG_LIST, struct options, files, "FILE",
	     "add: a result file; may be given several times"),
	FLAG_END,
};

static int show_series(const struct options *o, const struct entries *all,
		       const struct commits *commits, struct err *e)
{
	struct series_setting setting = { .filter = o->filter,
					  .commits = commits,
					  .dirty = o->dirty,
					  .floor = o->floor,
					  .test = change_test_default };
	struct series_list list;
	struct text t = { 0 };
	int status;

	setting.test.level = o->level;
	setting.test.seed = o->seed;
	status = series_build(&list, all, &setting, e);
	if (status == 0 && !list.count && list.strangers) {
		printf("No run belongs to a commit of this git history: all are shown, by date.\n");
		series_free(&list);
		setting.commits = NULL;
		status = series_build(&list, all, &setting, e);
	}
	if (status)
		return status;
	if (o->out)
		status = show_files(&list, &setting, o->out, e);
	if (status == 0)
		status = show_print(&list, o->all, &t, e);
	if (status == 0)
		fputs(text_get(&t), stdout);
	text_free(&t);
	series_free(&list);
	return status;
}

static int show(const struct options *o, const struct entries *all, struct err *e)
{
	struct commits commits = { 0 };
	bool in_order = o->commits && !o->all_commits;
	int status = 0;

	if (all->count == 0) {
		puts("The history is empty: copra history add --source WORD --file FILE adds to "
		     "it.");
		return 0;
	}
	if (in_order)
		status = commits_load(&commits, o->commits, e);
	if (status == 0)
		status = show_series(o, all, in_order && commits.count ? &commits : NULL, e);
	commits_free(&commits);
	return status;
}

static int read_history(const struct options *o, bool sql, struct err *e)
{
	struct entries all;
	int status = entries_load(&all, o->history, e);

	if (status)
		return status;
	status = sql ? entries_write_sql(stdout, &all, e) : show(o, &all, e);
	if (status == 0)
		status = text_print_problems(&all.problems, "copra-history", "line", e);
	entries_free(&all);
	return status;
}

/* A file that cannot be read is reported at the end; the others are still added. */
static int add(const struct options *o, struct err *e)
{
	int worst = 0;

	if (!o->source || !o->files.count)
		return err_set(e, ERR_USAGE, "add needs --source and --file");
	for (int i = 0; i < o->files.count; i++) {
		struct err one = { 0 };
		size_t added;
		int status = entries_import(o->history, o->files.values[i], o->source, o->sampling,
					    &added, &one);

		if (status == 0) {
			printf("history: %zu of %s\n", added, o->files.values[i]);
			continue;
		}
		if (worst)
			fprintf(stderr, "copra-history: %s\n", e->text);
		worst = err_set(e, status, "%s", one.text);
	}
	return worst;
}

static int parse(int argc, char **argv, struct options *o, const char **command, bool *help,
		 struct err *e)
{
	const struct flag *const tables[] = { flags, NULL };
	static char path[PATH_MAX];
	int first = 1, status = samples_path(path, sizeof(path), e);

	*o = (struct options){ .history = path,
			       .sampling = "repetition",
			       .floor = 0.03,
			       .level = change_test_default.level,
			       .seed = change_test_default.seed };
	*command = "show";
	if (argc > 1 && argv[1][0] != '-')
		*command = argv[first++];
	if (strcmp(*command, "show") && strcmp(*command, "add") && strcmp(*command, "sql"))
		return err_set(e, ERR_USAGE, "unknown command '%s' (show, add or sql)", *command);
	if (status == 0)
		status = flags_parse(tables, o, argc - first, argv + first, help, e);
	if (status == 0 && !(o->level > 0 && o->level < 1))
		status = err_set(e, ERR_USAGE, "--level must be between 0 and 1");
	return status;
}

int main(int argc, char **argv)
{
	struct options o;
	struct err e = { 0 };
	const char *command;
	bool help = false;
	int status;

	host_streams_guard();
	if (build_version_asked(argc, argv))
		return build_version_print("copra-history");
	status = parse(argc, argv, &o, &command, &help, &e);
	if (status == 0 && help) {
		fputs(usage, stdout);
		flags_print(stdout, flags);
		puts("exit codes: 0 done; 1 failed; 2 bad usage or input");
		return 0;
	}
	if (status == 0)
		status = strcmp(command, "add") == 0 ?
				 add(&o, &e) :
				 read_history(&o, strcmp(command, "sql") == 0, &e);
	if (status == 0 && (fflush(stdout) != 0 || ferror(stdout)))
		status = err_set(&e, ERR_IO, "standard output: write error");
	if (status)
		fprintf(stderr, "copra-history: %s\n", e.text);
	return err_exit_code(status);
}
