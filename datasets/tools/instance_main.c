/* copra-instance: writes a known instance to a file or to standard output, for other solvers. */
#include <stdio.h>
#include <string.h>

#include "datasets/atsp.h"
#include "datasets/flowshop.h"
#include "datasets/knapsack.h"
#include "harness/flags.h"
#include "harness/std_streams.h"
#include "harness/version.h"

struct options {
	const char *instance, *output, *problem, *format;
};

static const struct flag flags[] = {
	FLAG("instance", FLAG_TEXT, struct options, instance, "NAME|FILE", "see below"),
	FLAG("output", FLAG_TEXT, struct options, output, "FILE|-",
	     "where to write it; - is standard output"),
	FLAG("problem", FLAG_TEXT, struct options, problem, "knapsack|flowshop|atsp",
	     "of what; known names tell it, a file is a knapsack unless this says otherwise"),
	FLAG("format", FLAG_TEXT, struct options, format, "auto|jobs-by-machines|machines-by-jobs",
	     "flowshop: the file is a plain matrix of times, a row a job or a row a machine"),
	FLAG_END,
};

static const char names[] =
	"knapsack  boyer:N[:SEED], hard:N:C:G:F:EPS:S[:SEED], correlation:CLASS:N[:SEED],\n"
	"          or a file; written as n, then n lines \"index profit weight\", then the capacity\n"
	"flowshop  ta001 ... ta120, taillard:JOBSxMACHINES:SEED,\n"
	"          random:JOBSxMACHINES:MAXTIME[:SEED], or a file; written in Taillard's format\n"
	"atsp      crane:CITIES:SEED, tsmat:CITIES:SEED, random:CITIES:MAX[:SEED] (with --problem),\n"
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

/* The header of a file has room for bounds, but not for their basis. stderr, since stdout may be
 * the instance. */
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

/* Names of two problems begin with random: those are of a flowshop unless the user says more. */
static const char *problem_of(const char *instance)
{
	if (flowshop_is_name(instance))
		return "flowshop";
	return atsp_is_name(instance) ? "atsp" : "knapsack";
}

static int write_instance(const struct options *o, struct err *e)
{
	static const struct {
		const char *problem;
		int (*write)(const struct options *o, struct err *e);
	} writers[] = { { "knapsack", write_knapsack },
			{ "flowshop", write_flowshop },
			{ "atsp", write_atsp } };
	const char *problem = o->problem;

	if (!o->instance || !o->output)
		return err_set(e, ERR_USAGE, "--instance and --output are needed; see --help");
	if (!problem)
		problem = o->format ? "flowshop" : problem_of(o->instance);
	if (o->format && strcmp(problem, "flowshop") != 0)
		return err_set(e, ERR_USAGE, "--format is not supported by --problem %s", problem);
	for (size_t i = 0; i < sizeof(writers) / sizeof(writers[0]); i++)
		if (strcmp(problem, writers[i].problem) == 0)
			return writers[i].write(o, e);
	return err_set(e, ERR_USAGE, "--problem is knapsack, flowshop or atsp, not '%s'", problem);
}

int main(int argc, char **argv)
{
	const struct flag *const tables[] = { flags, NULL };
	struct options o = { 0 };
	struct err e = { 0 };
	bool help = false;
	int status;

	std_streams_guard();
	if (version_asked(argc, argv))
		return version_print("copra-instance");
	status = flags_parse(tables, &o, argc - 1, argv + 1, &help, &e);
	if (!status && help) {
		puts("usage: copra-instance --instance NAME|FILE --output FILE|-\n"
		     "       copra-instance --version\n"
		     "Writes a knapsack, flowshop or ATSP instance to a file or to stdout. Of Taillard's\n"
		     "instances it prints the known makespan and its basis on stderr.");
		flags_print(stdout, flags);
		puts(names);
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
