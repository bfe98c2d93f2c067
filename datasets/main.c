/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* copra-instance: writes an instance to a file or to standard output, for use by other solvers. */
#include <stdio.h>
#include <string.h>

#include "datasets/atsp/atsp.h"
#include "datasets/flowshop/flowshop.h"
#include "datasets/knapsack/knapsack.h"
#include "datasets/recognise.h"
#include "harness/base/text_reader.h"
#include "harness/base/flags.h"
#include "harness/base/host.h"
#include "harness/base/build.h"

struct options {
	const char *instance, *output, *problem, *format;
};

static const struct flag flags[] = {
	FLAG("instance", FLAG_TEXT, struct options, instance, "NAME|FILE",
	     "the instance (see below)"),
	FLAG("output", FLAG_TEXT, struct options, output, "FILE|-",
	     "output file; - is standard output"),
	FLAG("problem", FLAG_TEXT, struct options, problem, "knapsack|flowshop|atsp",
	     "problem (default: from the name or the file's format, else knapsack)"),
	FLAG("format", FLAG_TEXT, struct options, format, "auto|jobs-by-machines|machines-by-jobs",
	     "flowshop: the file is a plain matrix of times, with one row per job or machine"),
	FLAG_END,
};

static const char names[] =
	"knapsack  boyer:N[:SEED], hard:N:C:G:F:EPS:S[:SEED], correlation:CLASS:N[:SEED],\n"
	"          or a file; written as n, then n lines \"index profit weight\", then the "
	"capacity\n"
	"flowshop  ta001 ... ta120, taillard:JOBSxMACHINES:SEED,\n"
	"          random:JOBSxMACHINES:MAXTIME[:SEED], or a file; written in Taillard's format\n"
	"atsp      crane:CITIES:SEED, tsmat:CITIES:SEED, random:CITIES:MAX[:SEED] (with "
	"--problem),\n"
	"          or a file; written in TSPLIB's format, a full matrix";

static bool to_stdout(const struct options *o)
{
	return strcmp(o->output, "-") == 0;
}

static int write_knapsack(const struct options *o, struct err *e)
{
	struct knapsack k;
	int status = knapsack_load(&k, o->instance, e);

	if (status)
		return status;
	if (to_stdout(o))
		knapsack_print(&k, stdout);
	else
		status = knapsack_write(&k, o->output, e);
	knapsack_free(&k);
	return status;
}

static int flush_stdout(struct err *e)
{
	if (fflush(stdout) || ferror(stdout))
		return err_set(e, ERR_IO, "cannot write to standard output");
	return 0;
}

/* Prints the basis of the bounds, for which a file's header has no room. It goes to stderr because
 * stdout may be the instance. */
static void print_basis(const struct flowshop *f)
{
	const struct flowshop_known *k = flowshop_known_of(f);

	if (k)
		fprintf(stderr, "%s: makespan %d, %s: %s\n", k->name, (int)k->upper,
			flowshop_basis_name(k->basis), k->source);
}

static int write_flowshop(const struct options *o, struct err *e)
{
	struct flowshop f;
	int format, status = flag_choose(&format, "format", o->format, flowshop_format_words, e);

	if (!status)
		status = flowshop_load_as(&f, o->instance, (enum flowshop_format)format, e);
	if (status)
		return status;
	if (to_stdout(o))
		flowshop_print(&f, stdout);
	else
		status = flowshop_write(&f, o->output, e);
	if (!status)
		status = flush_stdout(e);
	if (!status)
		print_basis(&f);
	flowshop_free(&f);
	return status;
}

static int write_atsp(const struct options *o, struct err *e)
{
	struct atsp a;
	int status = atsp_load(&a, o->instance, e);

	if (status)
		return status;
	if (to_stdout(o))
		atsp_print(&a, stdout);
	else
		status = atsp_write(&a, o->output, e);
	atsp_free(&a);
	return status;
}

/* ---- the problem ---- */

static const struct writer {
	const char *problem;
	unsigned forms;
	int (*write)(const struct options *o, struct err *e);
} writers[] = {
	{ "knapsack", FORMS_KNAPSACK, write_knapsack },
	{ "flowshop", FORMS_FLOWSHOP, write_flowshop },
	{ "atsp", FORMS_ATSP, write_atsp },
};
enum { WRITERS = sizeof(writers) / sizeof(writers[0]) };

static const struct writer *writer_of(const char *problem)
{
	for (int i = 0; i < WRITERS; i++)
		if (strcmp(problem, writers[i].problem) == 0)
			return &writers[i];
	return NULL;
}

/* Finds the problem of an instance. Names that begin with "random" exist for two problems and mean
 * a flowshop by default. A file that fits exactly one problem belongs to it; any other is read as a
 * knapsack. */
static const char *problem_of(const char *instance)
{
	struct recognised r;

	if (flowshop_is_name(instance))
		return "flowshop";
	if (atsp_is_name(instance))
		return "atsp";
	if (recognise(&r, instance, NULL) == 0)
		for (int i = 0; i < WRITERS; i++)
			if (r.forms && !(r.forms & ~writers[i].forms))
				return writers[i].problem;
	return "knapsack";
}

/* ---- hints for a file that was refused: what it looks like, and which flags accept it ---- */

static void advise_matrix(struct recognise_message *m, const char *between, const struct options *o,
			  const struct recognised *r, const struct writer *w)
{
	bool flowshop = w->forms & FORMS_FLOWSHOP;

	recognise_add(m, "%s", between);
	recognise_advise(m, r,
			 flowshop   ? "add" :
			 o->problem ? "for a flowshop use --problem flowshop" :
				      "for a flowshop add");
}

static void advise(struct recognise_message *m, const struct options *o, const struct recognised *r,
		   const struct writer *w)
{
	const char *between = "; ";
	const char *lacks = w->forms & FORMS_ATSP ? recognise_atsp_advice(r) : NULL;

	if (lacks) {
		recognise_add(m, "%s%s", between, lacks);
		between = ", or ";
	}
	for (int i = 0; i < WRITERS; i++) {
		if (!(r->forms & writers[i].forms))
			continue;
		if (&writers[i] == w)
			recognise_add(m, "%sleave out --format", between);
		else
			recognise_add(m, "%suse --problem %s", between, writers[i].problem);
		if (&writers[i] != w && o->format)
			recognise_add(m, " without --format");
		between = ", or ";
	}
	if (r->forms & FORMS_MATRIX)
		advise_matrix(m, between, o, r, w);
	else if (!(r->forms & (FORMS_KNAPSACK | FORMS_FLOWSHOP | FORMS_ATSP)))
		recognise_add(m, "; only knapsack, flowshop and ATSP instances can be written");
}

static void hint(const struct options *o, const struct writer *w, struct err *e)
{
	bool matrix = o->format && strcmp(o->format, "auto") != 0;
	struct recognise_message m = { .used = 0 };
	struct recognised r;

	if (recognise(&r, o->instance, NULL) || !r.forms ||
	    (r.forms & (matrix ? FORMS_MATRIX : w->forms)))
		return;
	recognise_add(&m, "%s; %s looks like ", e->text, text_base_name(o->instance));
	recognise_describe(&m, &r, w->forms & FORMS_FLOWSHOP ? "times" : "numbers");
	advise(&m, o, &r, w);
	if (!m.full)
		memcpy(e->text, m.text, m.used + 1);
}

static int write_instance(const struct options *o, struct err *e)
{
	const char *problem = o->problem;
	const struct writer *w;
	int status;

	if (!o->instance || !o->output)
		return err_set(e, ERR_USAGE, "--instance and --output are required; see --help");
	if (!problem)
		problem = o->format ? "flowshop" : problem_of(o->instance);
	if (o->format && strcmp(problem, "flowshop") != 0)
		return err_set(e, ERR_USAGE, "--format is not supported by --problem %s", problem);
	w = writer_of(problem);
	if (!w)
		return err_set(e, ERR_USAGE,
			       "--problem must be knapsack, flowshop or atsp, not '%s'", problem);
	status = w->write(o, e);
	if (status == ERR_INPUT)
		hint(o, w, e);
	return status;
}

int main(int argc, char **argv)
{
	const struct flag *const tables[] = { flags, NULL };
	struct options o = { 0 };
	struct err e = { 0 };
	bool help = false;
	int status;

	host_streams_guard();
	if (build_version_asked(argc, argv))
		return build_version_print("copra-instance");
	status = flags_parse(tables, &o, argc - 1, argv + 1, &help, &e);
	if (!status && help) {
		puts("usage: copra-instance --instance NAME|FILE --output FILE|-\n"
		     "       copra-instance --version\n"
		     "Writes a knapsack, flowshop or ATSP instance to a file or to stdout. For "
		     "Taillard's\n"
		     "instances it prints the known makespan and its basis on stderr.");
		flags_print(stdout, flags);
		puts(names);
		puts("exit codes: 0 written; 1 failed; 2 bad usage or input");
		return 0;
	}
	if (!status)
		status = write_instance(&o, &e);
	if (!status)
		status = flush_stdout(&e);
	if (status)
		fprintf(stderr, "copra-instance: %s\n", e.text);
	return err_exit_code(status);
}
