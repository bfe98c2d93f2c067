/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* copra-report: writes the report on local and recorded measurements. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/build.h"
#include "harness/base/data.h"
#include "harness/base/flags.h"
#include "harness/base/outfile.h"
#include "harness/base/host.h"
#include "harness/report/data/comparator.h"
#include "harness/report/export.h"
#include "harness/report/page/page.h"
#include "harness/report/wanted.h"

static const char usage[] =
	"usage: copra-report [data|html] [flags]\n  data  write tables, claims, and the data and "
	"gnuplot scripts of the plots\n  html  write report.html and README.md with the plots "
	"drawn so far\n  Without a command, both are written; --draw runs a program in "
	"between.\nusage: copra-report comparator [flags]\n  Add the run times of whole processes "
	"to a result file (see scripts/comparator.sh and\n  scripts/process.sh). Without "
	"--hyperfine: exit code 0 if the file has them, else 1.\nusage: copra-report wanted "
	"--target NAME [--gpus N --cores N --nodes N] <NAMES\n  Print the rows that claims, tables "
	"and figures read, most valuable first, out of those\n  named on standard input. A line is "
	"RANK REPETITIONS NAME (see bench --copra_rows).\nusage: copra-report --version\n";

struct options {
	bool data, html, comparator, wanted, recorded;
	int64_t has[CLAIM_NEEDS];
	const char *results, *out, *plots, *target, *draw;
	/* without flags: the data folder (harness/base/data.h) and COPRA_RESULTS; see complete() */
	char local[PATH_MAX], data_results[PATH_MAX], data_plots[PATH_MAX], data_draw[PATH_MAX];
	const char *hyperfine, *benchmark, *label, *identity;
};

static const struct flag flags[] = {
	FLAG("results", FLAG_TEXT, struct options, results, "DIR",
	     "folder with local/, recorded/ and papers/ (default: results; of an installed copra: "
	     "its data, and local/ in results/local or COPRA_RESULTS)"),
	FLAG("out", FLAG_TEXT, struct options, out, "DIR",
	     "output folder (default: report in the folder of local results); comparator: the "
	     "result file"),
	FLAG("plots", FLAG_TEXT, struct options, plots, "DIR",
	     "folder of the figures' gnuplot scripts (default: plots, or of an installed copra)"),
	FLAG("draw", FLAG_TEXT, struct options, draw, "COMMAND",
	     "command to run between data and html, with the output folder as argument; if it "
	     "fails, the report is still written and the exit code is 1 (default: none; "
	     "installed, "
	     "a script that calls gnuplot)"),
	FLAG("recorded", FLAG_BOOL, struct options, recorded, "true|false",
	     "use only recorded results, so that the report is the same on any machine"),
	FLAG("target", FLAG_TEXT, struct options, target, "NAME", "report only on this target"),
	FLAG("hyperfine", FLAG_TEXT, struct options, hyperfine, "FILE",
	     "comparator: the file of hyperfine's --export-json"),
	FLAG("benchmark", FLAG_TEXT, struct options, benchmark, "NAME",
	     "comparator: the name of the rows"),
	FLAG("label", FLAG_TEXT, struct options, label, "TEXT",
	     "comparator: the command that was timed"),
	FLAG("identity", FLAG_TEXT, struct options, identity, "TEXT",
	     "comparator: the build that was timed; rows of other builds are dropped"),
	FLAG("gpus", FLAG_COUNT, struct options, has[NEED_GPUS], "N",
	     "wanted: the GPUs that the machine has; claims that need more are left out (default "
	     "0)"),
	FLAG("cores", FLAG_COUNT, struct options, has[NEED_CORES], "N",
	     "wanted: its cores (default 1)"),
	FLAG("nodes", FLAG_COUNT, struct options, has[NEED_NODES], "N",
	     "wanted: its compute nodes (default 1)"),
	FLAG_END,
};

/* Sets the folders that no flag gives. */
static int complete(struct options *o, struct err *e)
{
	const char *given = getenv("COPRA_RESULTS");
	char folder[PATH_MAX];
	int status = 0;
	if (o->results)
		status = text_path(o->local, e, "%s/local", o->results);
	else
		status = text_path(o->local, e, "%s", given && *given ? given : "results/local");
	if (!status && !o->results)
		status = data_path(o->data_results, sizeof(o->data_results), "results", e);
	o->results = o->results ? o->results : o->data_results;
	if (!status && !o->plots)
		status = data_path(o->data_plots, sizeof(o->data_plots), "plots", e);
	o->plots = o->plots ? o->plots : o->data_plots;
	if (!status && !o->draw && o->data && o->html && data_installed(folder, sizeof(folder))) {
		status = data_path(o->data_draw, sizeof(o->data_draw), "scripts/draw-plots.sh", e);
		o->draw = o->data_draw;
	}
	return status;
}

static int parse(int argc, char **argv, struct options *o, bool *help, struct err *e)
{
	const struct flag *const tables[] = { flags, NULL };
	int first = 1, status;
	*o = (struct options){ .has = { 0, 1, 1 } };
	if (argc > 1 && argv[1][0] != '-') {
		o->data = !strcmp(argv[1], "data");
		o->html = !strcmp(argv[1], "html");
		o->comparator = !strcmp(argv[1], "comparator");
		o->wanted = !strcmp(argv[1], "wanted");
		if (!o->data && !o->html && !o->comparator && !o->wanted)
			return err_set(e, ERR_USAGE,
				       "unknown command '%s' (data, html, comparator or wanted)",
				       argv[1]);
		first = 2;
	} else {
		o->data = o->html = true;
	}
	status = flags_parse(tables, o, argc - first, argv + first, help, e);
	return status ? status : complete(o, e);
}

/* Evaluates every paper of <results>/papers. */
static int load_papers(const struct options *o, const struct results *r, struct paper **papers,
		       size_t *count, struct err *e)
{
	char folder[PATH_MAX];
	struct dirent **targets;
	int status = text_path(folder, e, "%s/papers", o->results);
	int found = status ? 0 : scandir(folder, &targets, host_visible, alphasort);
	if (status)
		return status;
	if (found < 0)
		return err_set(e, ERR_INPUT, "%s: no such folder", folder);
	for (int i = 0; i < found; i++) {
		if (!status && (!o->target || !strcmp(o->target, targets[i]->d_name))) {
			status = array_grow((void **)papers, *count, sizeof(**papers), e);
			if (!status)
				status = paper_load(&(*papers)[*count], folder, targets[i]->d_name,
						    r, e);
			*count += !status;
		}
		free(targets[i]);
	}
	free(targets);
	if (!status && !*count)
		status = err_set(e, ERR_INPUT, "%s: no paper%s%s", folder,
				 o->target ? " named " : "", o->target ? o->target : "");
	return status;
}

/* Prints how many measured claims have each verdict on the machine, and, with `all`, one line per
 * decided claim. */
static void print_machine(const struct paper *paper, const struct paper_machine *m, bool all)
{
	const size_t *verdicts = m->verdicts[CLAIM_MEASURED];
	const char *between = ":";
	struct text origin = { 0 };
	results_origin(m->set, &origin);
	printf("%s, %s", paper->target, text_get(&origin));
	for (int v = 0; v < VERDICTS; v++)
		if (verdicts[v]) {
			printf("%s %zu %s", between, verdicts[v], verdict_names[v]);
			between = ",";
		}
	putchar('\n');
	for (size_t i = 0; i < paper->claims.count && all; i++) {
		const struct claim *c = &paper->claims.claim[i];
		enum verdict v = m->judgement[i].verdict;
		if (c->kind != CLAIM_ARITHMETIC && v != VERDICT_NOT_TESTED)
			printf("  %-19s  %-5s %s%s\n", verdict_names[v], c->id, c->says,
			       c->kind == CLAIM_OURS ? " (ours)" : "");
	}
	text_free(&origin);
}

/* Lists claims only for local measurements. The report lists those of recorded ones. */
static void print_verdicts(const struct paper *paper)
{
	for (size_t m = 0; m < paper->machines; m++)
		print_machine(paper, &paper->machine[m], !paper->machine[m].set->recorded);
}

/* Returns ERR_FAILED if the command fails. The command prints the names of the figures that failed,
 * and the page says that they are missing. */
static int draw(const char *command, const char *out, struct err *e)
{
	const char *const arguments[] = { command, out, NULL };
	pid_t child;
	int code = 0;
	int error =
		posix_spawnp(&child, command, NULL, NULL, (char **)(uintptr_t)arguments, environ);
	if (error)
		return err_set(e, ERR_INPUT, "--draw %s: %s", command, strerror(error));
	while (waitpid(child, &code, 0) < 0)
		if (errno != EINTR)
			return err_set(e, ERR_FAILED, "--draw %s: %s", command, strerror(errno));
	if (code)
		return err_set(e, ERR_FAILED, "%s failed: figures are missing from the report",
			       command);
	return 0;
}

static int write_document(const struct page *p, enum text_kind kind, struct err *e)
{
	struct doc *d;
	int status = doc_create(&d, kind, p->out, e);
	if (status)
		return status;
	status = page_overview(p, d, e);
	for (size_t i = 0; i < p->count && !status; i++)
		status = page_chapter(p, &p->papers[i], d, e);
	if (!status)
		status = page_proofs(p, d, e);
	if (!status)
		status = page_solved(p, d, e);
	if (!status)
		status = page_gate(p, d, e);
	for (size_t i = 0; i < p->count && !status; i++)
		status = page_appendix(&p->papers[i], d, e);
	return doc_finish(d, status, e);
}

static int write_pages(const struct page *p, struct err *e)
{
	static const enum text_kind kinds[] = { TEXT_HTML, TEXT_MARKDOWN };
	int status = 0;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && !status; i++)
		status = write_document(p, kinds[i], e);
	return status;
}

static int write_report(const struct options *o, const struct results *r, struct err *e)
{
	char out[PATH_MAX];
	struct paper *papers = NULL;
	size_t count = 0;
	int drawn = 0; /* status of drawing; the report is written even if it fails */
	int status = text_path(out, e, "%s%s", o->out ? o->out : o->local, o->out ? "" : "/report");
	if (!status)
		status = load_papers(o, r, &papers, &count, e);
	if (!status)
		status = outfile_make_directories(out, e);
	for (size_t i = 0; i < count && !status && o->data; i++)
		status = export_files(&papers[i], out, o->plots, e);
	const struct page page = { papers, count, r, o->results, o->local, out, !o->recorded };
	if (!status && o->data)
		status = gain_export(&page, o->plots, e);
	if (!status && o->data)
		status = proofs_export(&page, o->plots, e);
	if (!status && o->draw)
		drawn = draw(o->draw, out, e);
	if (!status && o->html) {
		status = write_pages(&page, e);
		for (size_t i = 0; i < count && !status; i++)
			print_verdicts(&papers[i]);
		if (!status)
			printf("report: %s/report.html\n", out);
	}
	for (size_t i = 0; i < count; i++)
		paper_free(&papers[i]);
	free(papers);
	return status ? status : drawn;
}

static int report(const struct options *o, struct err *e)
{
	struct results r;
	char recorded[PATH_MAX];
	int status = text_path(recorded, e, "%s/recorded", o->results);
	if (!status)
		status = results_load(&r, o->recorded ? NULL : o->local, recorded, e);
	if (status)
		return status;
	status = write_report(o, &r, e);
	if ((!status || status == ERR_FAILED) && o->html) {
		struct err problem = { 0 };
		int unread =
			text_print_problems(&r.problems, "copra-report", "result file", &problem);
		if (!status && unread)
			*e = problem;
		status = status ? status : unread;
	}
	results_free(&r);
	return status;
}

static int comparator(const struct options *o, struct err *e)
{
	const struct comparator c = { o->out, o->benchmark, o->label, o->identity };
	if (!o->benchmark || !o->out || (o->hyperfine && !o->label))
		return err_set(e, ERR_USAGE,
			       "comparator needs --hyperfine --benchmark --label --out");
	return comparator_add(&c, o->hyperfine, e);
}

static int wanted(const struct options *o, struct err *e)
{
	static const struct results nothing = { 0 };
	char folder[PATH_MAX];
	struct paper paper;
	long has[CLAIM_NEEDS];
	int status = o->target ? text_path(folder, e, "%s/papers", o->results) :
				 err_set(e, ERR_USAGE, "wanted needs --target");
	if (!status)
		status = paper_load(&paper, folder, o->target, &nothing, e);
	if (status)
		return status;
	for (int i = 0; i < CLAIM_NEEDS; i++)
		has[i] = (long)o->has[i];
	status = wanted_write(&paper, has, stdin, stdout, e);
	paper_free(&paper);
	return status;
}

int main(int argc, char **argv)
{
	struct options o;
	struct err e = { 0 };
	bool help = false;
	int status;

	host_streams_guard();
	if (build_version_asked(argc, argv))
		return build_version_print("copra-report");
	status = parse(argc, argv, &o, &help, &e);
	if (!status && help) {
		fputs(usage, stdout);
		flags_print(stdout, flags);
		puts("exit codes: 0 done; 1 failed; 2 bad usage or input");
		return 0;
	}
	if (!status)
		status = o.comparator ? comparator(&o, &e) :
			 o.wanted     ? wanted(&o, &e) :
					report(&o, &e);
	if (!status && (fflush(stdout) != 0 || ferror(stdout)))
		status = err_set(&e, ERR_IO, "standard output: write error");
	if (status)
		fprintf(stderr, "copra-report: %s\n", e.text);
	return err_exit_code(status);
}
