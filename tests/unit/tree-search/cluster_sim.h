/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Ranks of a search (cluster.h) in one process: a transport with random delays, which also changes
 * the order between two ranks, and engines of different speeds that search a hashed tree, in
 * simulated time. Everything follows from the seed. */
#ifndef COPRA_TESTS_UNIT_TREE_SEARCH_CLUSTER_SIM_H
#define COPRA_TESTS_UNIT_TREE_SEARCH_CLUSTER_SIM_H

#include "algorithms/tree-search/cluster/cluster.h"
#include "algorithms/tree-search/cluster/message.h"
#include "tests/unit/tree-search/hashed_tree.h"

enum { SIM_CUTS = 4 };

enum sim_fault { SIM_INTACT, SIM_DROP, SIM_DUPLICATE, SIM_CORRUPT, SIM_FORGE, SIM_LIE };
enum sim_lie { SIM_LIE_RECEIVED, SIM_LIE_VALUE, SIM_LIE_COUNT };

struct sim_plan {
	const struct tree *tree;
	uint64_t seed;
	int ranks;
	enum cluster_victims victims;
	uint64_t least;
	bool deal;
	bool incumbents; /* solutions are passed on; else every solution is only counted */
	int64_t bound;   /* at the beginning; TREE_NO_BOUND: none */

	/* the start: the root, or a state that is continued */
	const struct cluster_state *resume;
	bool spread; /* its work is divided among the ranks before they start */

	/* The nodes of the tree, if engines shall tell the exact number of nodes below what they
	 * leave open, seven times of eight; 0: they do not. */
	uint64_t estimate;

	double cut[SIM_CUTS]; /* times of requests; 0: none */
	double stop;          /* time of a stop; 0: none */

	/* A fault: the message number `victim` (from 0) of kind `kind` is dropped, is delivered
	 * twice, is preceded by damaged copies, which must be refused, or by copies of which
	 * fields were changed and that are sealed again; or all reports have a wrong field. */
	enum sim_fault fault;
	enum cluster_kind kind; /* CORRUPT, FORGE: all kinds */
	int victim;
	enum sim_lie lie;
};

struct sim_outcome {
	bool ended; /* all ranks are done, no message is left, and there was no error */
	bool stuck; /* nothing happened for long */
	struct err error;
	bool faulty; /* the fault took place */
	int refused; /* damaged copies, or forged ones */
	double time;
	bool complete;
	struct tree_counts counts;
	bool has_value;
	int64_t value;
	unsigned char path[TREE_DEPTH_MAX];
	size_t path_size;
	int cuts;
	struct cluster_state cut[SIM_CUTS + 1];
	/* with `estimate`: whether rank 0 knew what is left, and the largest and the last part of
	 * the tree by which nodes counted and left were too few */
	bool known;
	double missing, last_missing;
	uint64_t given, received; /* units, over all ranks */
	uint64_t messages, bests; /* sent; those with incumbents */
	double efficiency;        /* nodes, divided by what all engines could search in the time */
};

/* Only the state machines call malloc and calloc, so that a test can make these fail. (The engines
 * and the transport call reallocarray: compilers turn realloc(NULL, size) into malloc.) */
void sim_run(const struct sim_plan *p, struct sim_outcome *o);
void sim_free(struct sim_outcome *o);

#endif
