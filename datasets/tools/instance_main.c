/* copra-instance: writes a known instance to a file, for other people's solvers. */
#include <stdio.h>
#include <string.h>

#include "datasets/flowshop.h"
#include "datasets/knapsack.h"
#include "harness/flags.h"

struct options {
	const char *instance, *output, *problem;
};

static const struct flag flags[] = {
	FLAG("instance", FLAG_TEXT, struct options, instance, "NAME|FILE", "see below"),
	FLAG("output", FLAG_TEXT, struct options, output, "FILE", "where it goes"),
	FLAG("problem", FLAG_TEXT, struct options, problem, "knapsack|flowshop",
	     "of what; known names tell it, a file is a knapsack unless this says otherwise"),
	FLAG_END,
};

static const char names[] =
	"knapsack  boyer:N[:SEED], hard:N:C:G:F:EPS:S[:SEED], correlation:CLASS:N[:SEED],\n"
	"          or a file; written as n, then n lines \"index profit weight\", then the capacity\n"
	"flowshop  ta001 ... ta120, taillard:JOBSxMACHINES:SEED,\n"
	"          random:JOBSxMACHINES:MAXTIME[:SEED], or a file; written in Taillard's format";

static int write_knapsack(const struct options *o, struct err *e)
{
	struct knapsack k;
	int status = knapsack_load(&k, o->instance, e);

	if (status)
		return status;
	status = knapsack_write(&k, o->output, e);
	knapsack_free(&k);
	return status;
}

static int write_flowshop(const struct options *o, struct err *e)
{
	struct flowshop f;
	int status = flowshop_load(&f, o->instance, e);

	if (status)
		return status;
	status = flowshop_write(&f, o->output, e);
	flowshop_free(&f);
	return status;
}

static int write_instance(const struct options *o, struct err *e)
{
	const char *problem = o->problem;

	if (!o->instance || !o->output)
		return err_set(e, ERR_USAGE, "--instance and --output are needed; see --help");
	if (!problem)
		problem = flowshop_is_name(o->instance) ? "flowshop" : "knapsack";
	if (strcmp(problem, "flowshop") == 0)
		return write_flowshop(o, e);
	if (strcmp(problem, "knapsack") == 0)
		return write_knapsack(o, e);
	return err_set(e, ERR_USAGE, "--problem is knapsack or flowshop, not '%s'", problem);
}

int main(int argc, char **argv)
{
	const struct flag *const tables[] = { flags, NULL };
	struct options o = { 0 };
	struct err e = { 0 };
	bool help = false;
	int status = flags_parse(tables, &o, argc - 1, argv + 1, &help, &e);

	if (!status && help) {
		puts("usage: copra-instance --instance NAME --output FILE\n"
		     "Writes a knapsack or flowshop instance to a file.");
		flags_print(stdout, flags);
		puts(names);
		return 0;
	}
	if (!status)
		status = write_instance(&o, &e);
	if (status)
		fprintf(stderr, "copra-instance: %s\n", e.text);
	return err_exit_code(status);
}
