/* copra-instance: writes a known instance to a file, for other people's solvers. */
#include <stdio.h>

#include "datasets/knapsack.h"
#include "harness/flags.h"

struct options {
	const char *instance, *output;
};

static const struct flag flags[] = {
	FLAG("instance", FLAG_TEXT, struct options, instance, "NAME|FILE",
	     "boyer:N[:SEED], hard:N:C:G:F:EPS:S[:SEED], or a file"),
	FLAG("output", FLAG_TEXT, struct options, output, "FILE",
	     "where it goes: n, then n lines \"index profit weight\", then the capacity"),
	FLAG_END,
};

static int write_instance(const struct options *o, struct err *e)
{
	struct knapsack k;
	if (!o->instance || !o->output)
		return err_set(e, ERR_USAGE, "--instance and --output are needed; see --help");
	int status = knapsack_load(&k, o->instance, e);
	if (status)
		return status;
	status = knapsack_write(&k, o->output, e);
	knapsack_free(&k);
	return status;
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
		     "Writes a knapsack instance to a file.");
		flags_print(stdout, flags);
		return 0;
	}
	if (!status)
		status = write_instance(&o, &e);
	if (status)
		fprintf(stderr, "copra-instance: %s\n", e.text);
	return err_exit_code(status);
}
