/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The flags that `solve` and `size` share, and the run that they describe. */
#ifndef COPRA_GBOA_SOLVE_OPTIONS_H
#define COPRA_GBOA_SOLVE_OPTIONS_H

#include "algorithms/gboa/boa.h"
#include "harness/base/flags.h"
#include "harness/bench/solve.h"

/* The default of --problem. Its address tells it apart from the same word given by the user. */
extern const char boa_default_problem[];

struct boa_share { /* 0 to 1 */
	double value;
	bool given;
};

/* Not given: -1 for numbers, NULL for texts. */
struct boa_solve_options {
	struct solve_options common;
	const char *model, *replacement, *smoothing, *engine;
	int64_t max_parents, generations, block_threads;
	int64_t gpus_per_rank; /* taken by world_main() under mpirun */
	uint64_t block_shared; /* 0: not given */
	/* hboa */
	int64_t tournament, window;
	const char *merges;
	struct boa_share host_share;
	/* solve */
	const char *stop;
	int64_t population, selected, runs;
	/* size */
	int64_t sample, needed, repeats, from, to;
	struct boa_share precision;
};

void boa_solve_defaults(void *options);

/* The shared flags, for the tables of both commands. */
#define BOA_FLAG(name_, type_, member_, argument_, help_)                                          \
	FLAG(name_, type_, struct boa_solve_options, member_, argument_, help_)
#define BOA_PARSED(name_, member_, argument_, help_, parse_)                                       \
	{                                                                                          \
		.name = name_, .type = FLAG_PARSED, .argument = argument_, .help = help_,          \
		.offset = offsetof(struct boa_solve_options, member_), .parse = parse_             \
	}
#define BOA_COMMON_FLAGS                                                                           \
	BOA_FLAG("model", FLAG_TEXT, model, "pboa|sboa|hboa",                                      \
		 "network along permutations (default), by search (serial), or decision graphs"),  \
		BOA_FLAG("max-parents", FLAG_COUNT, max_parents, "K",                              \
			 "pboa, sboa: maximum number of parents of a variable, 0..6 (3)"),         \
		BOA_FLAG("generations", FLAG_COUNT, generations, "G",                              \
			 "maximum number of generations (200)"),                                   \
		BOA_FLAG("replacement", FLAG_TEXT, replacement, "worst|all",                       \
			 "replace those not selected (default), or all"),                          \
		BOA_FLAG("smoothing", FLAG_TEXT, smoothing, "none|laplace",                        \
			 "of conditional probabilities (none)"),                                   \
		BOA_FLAG("engine", FLAG_TEXT, engine, "auto|grid|batch|large",                     \
			 "tuned, pboa: one run per device, many at once, or one on all devices"),  \
		BOA_FLAG("tournament", FLAG_COUNT, tournament, "T",                                \
			 "hboa: size of the selection tournaments (2)"),                           \
		BOA_FLAG("window", FLAG_COUNT, window, "W",                                        \
			 "hboa: an offspring competes with the most similar of W (least of n and " \
			 "N / "                                                                    \
			 "20)"),                                                                   \
		BOA_FLAG("merges", FLAG_TEXT, merges, "off|on",                                    \
			 "hboa: leaves may be merged: graphs, not trees (off)"),                   \
		BOA_PARSED("host-share", host_share, "F",                                          \
			   "pboa, published or --engine batch: (most) share for the cores (0)",    \
			   boa_parse_share),                                                       \
		BOA_FLAG("block-shared", FLAG_BYTES, block_shared, "BYTES",                        \
			 "pboa, published: shared memory per block (16K on the paper's GPU; "      \
			 "all)"),                                                                  \
		BOA_FLAG("block-threads", FLAG_COUNT, block_threads, "T",                          \
			 "pboa, published: threads per block, 32, 64, .. 1024 (480, as in the "    \
			 "paper)"),                                                                \
		BOA_FLAG("gpus-per-rank", FLAG_COUNT, gpus_per_rank, "N",                          \
			 "under mpirun: GPUs of each rank (default: those of the node, divided "   \
			 "by its ranks)")

int boa_parse_share(void *value, const char *text, struct err *e);

/* A problem and how to run it. `setup` points into the struct and into `o`, so neither may move.
 * Population and selected are those of `solve`. */
struct boa_task {
	struct landscape landscape;
	struct boa_options options;
	struct boa_setup setup;
	char problem[32]; /* if --instance names it, else "" */
};

/* Flags that the problem, the model or the variant would ignore are rejected with ERR_USAGE. */
int boa_task_open(struct boa_task *t, const struct boa_solve_options *o, struct err *e);
void boa_task_close(struct boa_task *t);

#endif
