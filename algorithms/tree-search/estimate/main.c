/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* copra-estimate: how many nodes a search will decompose. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/tree-search/estimate/tree_estimate.h"
#include "algorithms/tree-search/flowshop/fsp_start.h"
#include "algorithms/tree-search/flowshop/fsp_tables.h"
#include "harness/base/build.h"
#include "harness/base/flags.h"
#include "harness/base/host.h"
#include "harness/base/json_file.h"

struct options {
	const char *format, *bound, *branching, *ub, *json;
	int64_t samples;
	uint64_t seed;
	double seconds;
};

static const struct flag flags[] = {
	FLAG("ub", FLAG_TEXT, struct options, ub, "opt|VALUE",
	     "the makespan that the search starts from (default: the known value of the instance, "
	     "else that of NEH and iterated greedy)"),
	FLAG("bound", FLAG_TEXT, struct options, bound, "lb1|lb2", "lower bound (default lb1)"),
	FLAG("branching", FLAG_TEXT, struct options, branching, "forward|maxsum|minbranch",
	     "branching (default minbranch)"),
	FLAG("samples", FLAG_COUNT, struct options, samples, "N",
	     "number of independent samples (default 64, at most 4096)"),
	FLAG("seconds", FLAG_REAL, struct options, seconds, "S",
	     "take no new sample after S seconds (default 10)"),
	FLAG("seed", FLAG_U64, struct options, seed, "N", "seed of the samples (default 1)"),
	FLAG("format", FLAG_TEXT, struct options, format, "auto|jobs-by-machines|machines-by-jobs",
	     "the file is a plain matrix of times, with one row per job or machine"),
	FLAG("json", FLAG_TEXT, struct options, json, "FILE|-", "write the estimate as JSON"),
	FLAG_END,
};

static const char *const bounds[] = { "lb1", "lb2", NULL };
static const char *const branchings[] = { "minbranch", "forward", "maxsum", NULL };
static const enum fsp_branching branching_of[] = { FSP_MINBRANCH, FSP_FORWARD, FSP_MAXSUM };

struct job {
	struct options o;
	struct flowshop f;
	struct search_request r;
	int bound, branching;
	int64_t root; /* the bound of the root */
	const char *ub_from;
	struct tree_estimate x;
};

/* The upper bound: given, known, or that of a heuristic. */
static int find_ub(struct job *j, struct err *e)
{
	const struct flowshop_known *k = flowshop_known_of(&j->f);
	bool optimum = j->o.ub && strcmp(j->o.ub, "opt") == 0;
	struct fsp_start_effort effort = { .threads = 1, .seed = j->r.seed };
	int64_t *order;
	int status;

	j->ub_from = optimum || !j->o.ub ? "known" : "given";
	if (j->o.ub && !optimum) {
		if (flag_parse_int(&j->r.ub, j->o.ub, NULL) || j->r.ub < 1 ||
		    j->r.ub > SEARCH_NO_UB)
			return err_set(e, ERR_USAGE, "--ub must be opt or a makespan, not '%s'",
				       j->o.ub);
		return 0;
	}
	j->r.ub = k ? k->upper : 0;
	if (!k && optimum)
		return err_set(e, ERR_USAGE, "--ub opt: no makespan is known for %s", j->f.name);
	if (k)
		return 0;
	j->ub_from = "heuristic";
	order = malloc((size_t)j->f.jobs * sizeof(*order));
	if (!order)
		return err_set(e, ERR_MEMORY, "no memory for a schedule");
	status = fsp_start(FSP_START_IG, &j->f, &effort, order, &j->r.ub, e);
	free(order);
	return status;
}

static int find_root(struct job *j, struct err *e)
{
	struct fsp_tables t;
	int status = fsp_tables_make(&t, &j->f, FSP_ALL_PAIRS, e);

	if (status)
		return status;
	j->root = fsp_root_bound(&t, j->r.bound);
	fsp_tables_free(&t);
	return 0;
}

static int write_json(const struct job *j, struct err *e)
{
	json_t *v = json_pack("{ss ss si si ss ss sI ss sI sf sf sf si sf}", "problem", "flowshop",
			      "instance", j->f.name, "jobs", j->f.jobs, "machines", j->f.machines,
			      "bound", bounds[j->bound], "branching", branchings[j->branching],
			      "ub", (json_int_t)j->r.ub, "ub_from", j->ub_from, "root_bound",
			      (json_int_t)j->root, "nodes", j->x.nodes, "low", j->x.low, "high",
			      j->x.high, "samples", j->x.samples, "seconds", j->x.seconds);
	int status = json_file_write(v, j->o.json, e);

	json_decref(v);
	return status;
}

static void print_text(const struct job *j)
{
	printf("%s: %d jobs on %d machines, %s %s from %" PRId64
	       " (%s); the root has bound %" PRId64 "\n"
	       "about %.2g nodes (%.2g to %.2g) by %d samples in %.1f s; large trees usually have "
	       "more\n",
	       j->f.name, j->f.jobs, j->f.machines, bounds[j->bound], branchings[j->branching],
	       j->r.ub, j->ub_from, j->root, j->x.nodes, j->x.low, j->x.high, j->x.samples,
	       j->x.seconds);
}

static int prepare(struct job *j, struct err *e)
{
	const struct options *o = &j->o;
	int status = flag_choose(&j->bound, "bound", o->bound, bounds, e);

	if (!status)
		status = flag_choose(&j->branching, "branching", o->branching, branchings, e);
	if (!status && (o->samples < 1 || o->samples > TREE_ESTIMATE_SAMPLES_MAX))
		status = err_set(e, ERR_USAGE, "--samples must be 1 to %d",
				 TREE_ESTIMATE_SAMPLES_MAX);
	if (!status && o->seconds <= 0)
		status = err_set(e, ERR_USAGE, "--seconds must be above 0");
	j->r = (struct search_request){ .flowshop = &j->f,
					.bound = j->bound ? FSP_LB2 : FSP_LB1,
					.branching = branching_of[j->branching],
					.seed = o->seed };
	if (!status)
		status = find_ub(j, e);
	if (!status)
		status = find_root(j, e);
	return status;
}

static int estimate(struct job *j, const char *instance, struct err *e)
{
	int format, status = flag_choose(&format, "format", j->o.format, flowshop_format_words, e);

	if (!status)
		status = flowshop_load_as(&j->f, instance, (enum flowshop_format)format, e);
	if (status)
		return status;
	status = prepare(j, e);
	if (!status)
		status = tree_estimate(&j->x, &j->r, (int)j->o.samples, j->o.seconds, e);
	if (!status && !(j->o.json && strcmp(j->o.json, "-") == 0))
		print_text(j);
	if (!status && j->o.json)
		status = write_json(j, e);
	if (!status && (fflush(stdout) || ferror(stdout)))
		status = err_set(e, ERR_IO, "cannot write to standard output");
	flowshop_free(&j->f);
	return status;
}

static void print_help(void)
{
	puts("usage: copra-estimate FILE|NAME [flags]\n"
	     "       copra-estimate --version\n"
	     "Estimates how many nodes a flowshop search decomposes, from samples of its tree. "
	     "The\n"
	     "estimate is usually too low: most samples miss the few subtrees that have most of\n"
	     "the nodes. The range is that of the means of eight groups of samples.");
	flags_print(stdout, flags);
	puts("exit codes: 0 done; 1 failed; 2 bad usage or input");
}

int main(int argc, char **argv)
{
	const struct flag *const tables[] = { flags, NULL };
	static struct job j = { .o = { .samples = 64, .seed = 1, .seconds = 10 } };
	bool named = argc > 1 && argv[1][0] != '-', help = false;
	struct err e = { 0 };
	int status;

	host_streams_guard();
	if (build_version_asked(argc, argv))
		return build_version_print("copra-estimate");
	status = flags_parse(tables, &j.o, argc - 1 - named, argv + 1 + named, &help, &e);
	if (!status && help) {
		print_help();
		return 0;
	}
	if (!status && !named)
		status = err_set(&e, ERR_USAGE,
				 "the instance must come first: copra estimate FILE|NAME [flags]");
	if (!status)
		status = estimate(&j, argv[1], &e);
	if (status)
		fprintf(stderr, "copra-estimate: %s\n", e.text);
	return err_exit_code(status);
}
