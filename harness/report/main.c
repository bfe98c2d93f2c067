/* copra-report: see usage below. */
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../outfile.h"
#include "comparator.h"
#include "emit.h"
#include "page.h"

static const char usage[] =
	"copra-report [data|html] [--results DIR] [--out DIR] [--plots DIR] [--target NAME]\n"
	"  data   write tables, claims and the plots' data and gnuplot scripts\n"
	"  html   write report.html with the plots that were drawn from them\n"
	"         (neither: both; scripts/report.sh runs gnuplot in between)\n"
	"  --results DIR   where results/{local,recorded,papers} lie (results)\n"
	"  --out DIR       where the report goes (<results>/local/report)\n"
	"  --plots DIR     the figures' gnuplot scripts (plots)\n"
	"  --target NAME   only this target\n"
	"copra-report comparator --hyperfine FILE --benchmark NAME --label TEXT --out FILE\n"
	"  adds the run times of another solver (hyperfine's JSON) to a result file\n";

struct options {
	bool data, html;
	const char *results, *out, *plots, *target;
	const char *hyperfine, *benchmark, *label;
};

static int read_option(int argc, char **argv, int *i, struct options *o, struct err *e)
{
	const struct {
		const char *name;
		const char **value;
	} flags[] = {
		{ "--results", &o->results },     { "--out", &o->out },
		{ "--plots", &o->plots },         { "--target", &o->target },
		{ "--hyperfine", &o->hyperfine }, { "--benchmark", &o->benchmark },
		{ "--label", &o->label },
	};
	for (size_t k = 0; k < sizeof(flags) / sizeof(flags[0]); k++) {
		size_t length = strlen(flags[k].name);
		if (strncmp(argv[*i], flags[k].name, length) != 0)
			continue;
		if (argv[*i][length] == '=') {
			*flags[k].value = argv[*i] + length + 1;
			return 0;
		}
		if (argv[*i][length] == '\0' && *i + 1 < argc) {
			*flags[k].value = argv[++*i];
			return 0;
		}
	}
	return err_set(e, ERR_USAGE, "'%s' is no option, or lacks its value; see --help", argv[*i]);
}

static int parse(int argc, char **argv, int first, struct options *o, struct err *e)
{
	int status = 0;
	*o = (struct options){ .results = "results", .plots = "plots" };
	for (int i = first; i < argc && !status; i++) {
		if (!strcmp(argv[i], "data"))
			o->data = true;
		else if (!strcmp(argv[i], "html"))
			o->html = true;
		else
			status = read_option(argc, argv, &i, o, e);
	}
	if (!o->data && !o->html)
		o->data = o->html = true;
	return status;
}

static int by_hand(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

/* Evaluates every paper of <results>/papers. */
static int load_studies(const struct options *o, const struct results *r, struct study **studies,
			size_t *count, struct err *e)
{
	char papers[PATH_MAX];
	struct dirent **targets;
	int status = text_path(papers, e, "%s/papers", o->results);
	int found = status ? 0 : scandir(papers, &targets, by_hand, alphasort);
	if (status)
		return status;
	if (found < 0)
		return err_set(e, ERR_INPUT, "%s: no such folder", papers);
	for (int i = 0; i < found; i++) {
		if (!status && (!o->target || !strcmp(o->target, targets[i]->d_name))) {
			status = array_grow((void **)studies, *count, sizeof(**studies), e);
			if (!status)
				status = study_load(&(*studies)[*count], papers, targets[i]->d_name, r, e);
			*count += !status;
		}
		free(targets[i]);
	}
	free(targets);
	if (!status && !*count)
		status = err_set(e, ERR_INPUT, "%s: no paper%s%s", papers, o->target ? " named " : "",
				 o->target ? o->target : "");
	return status;
}

/* Verdicts to the terminal, one line a claim and machine. */
static void print_verdicts(const struct study *s)
{
	for (size_t m = 0; m < s->machines; m++) {
		struct text origin = { 0 };
		machine_origin(s->machine[m].set, &origin);
		printf("%s, %s\n", s->target, text_get(&origin));
		for (size_t i = 0; i < s->claims.count; i++)
			printf("  %-10s  %-4s %s\n", verdict_names[s->machine[m].judgement[i].verdict],
			       s->claims.claim[i].id, s->claims.claim[i].text);
		text_free(&origin);
	}
}

static int write_report(const struct options *o, const struct results *r, struct err *e)
{
	char out[PATH_MAX];
	struct study *studies = NULL;
	size_t count = 0;
	int status = text_path(out, e, "%s%s", o->out ? o->out : o->results,
			       o->out ? "" : "/local/report");
	if (!status)
		status = load_studies(o, r, &studies, &count, e);
	if (!status)
		status = outfile_make_directories(out, e);
	for (size_t i = 0; i < count && !status && o->data; i++)
		status = emit_files(&studies[i], out, o->plots, e);
	if (!status && o->html) {
		status = page_write(studies, count, r, out, e);
		for (size_t i = 0; i < count && !status; i++)
			print_verdicts(&studies[i]);
		if (!status)
			printf("report: %s/report.html\n", out);
	}
	for (size_t i = 0; i < count; i++)
		study_free(&studies[i]);
	free(studies);
	return status;
}

/* What could not be read is told, and fails the run after all the rest was written. */
static int tell_problems(const struct results *r, struct err *e)
{
	for (size_t i = 0; i < r->problems; i++)
		fprintf(stderr, "copra-report: %s\n", r->problem[i]);
	return r->problems ? err_set(e, ERR_INPUT, "%zu result file%s left out", r->problems,
				     r->problems == 1 ? "" : "s")
			   : 0;
}

static int report(int argc, char **argv, struct err *e)
{
	struct options o;
	struct results r;
	int status = parse(argc, argv, 1, &o, e);
	if (!status)
		status = results_load(&r, o.results, e);
	if (status)
		return status;
	status = write_report(&o, &r, e);
	if (!status)
		status = tell_problems(&r, e);
	results_free(&r);
	return status;
}

static int comparator(int argc, char **argv, struct err *e)
{
	struct options o;
	int status = parse(argc, argv, 2, &o, e);
	if (status)
		return status;
	if (!o.hyperfine || !o.benchmark || !o.label || !o.out)
		return err_set(e, ERR_USAGE, "comparator needs --hyperfine --benchmark --label --out");
	return comparator_add(o.out, o.hyperfine, o.benchmark, o.label, e);
}

int main(int argc, char **argv)
{
	struct err e = { 0 };
	int status;
	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		fputs(usage, stdout);
		return 0;
	}
	status = argc > 1 && !strcmp(argv[1], "comparator") ? comparator(argc, argv, &e)
							     : report(argc, argv, &e);
	if (!status && (fflush(stdout) != 0 || ferror(stdout)))
		status = err_set(&e, ERR_IO, "standard output: write error");
	if (status)
		fprintf(stderr, "copra-report: %s\n", e.text);
	return err_exit_code(status);
}
