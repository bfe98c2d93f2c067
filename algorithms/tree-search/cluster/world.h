/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The ranks of a program that was started by mpirun or srun.
 *
 * The MPI library is that of the launcher, known by its environment variables. It is loaded when
 * the program starts, from build/lib (or the installed folder of libraries), so that programs run
 * without MPI where there is none. MPI exists once per process, so the world is the only state that
 * is not passed as an argument. */
#ifndef COPRA_TREE_SEARCH_CLUSTER_WORLD_H
#define COPRA_TREE_SEARCH_CLUSTER_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "algorithms/tree-search/cluster/mpi_shim.h"
#include "harness/base/error.h"

struct target;

/* The main() of a target that runs on several ranks: copra_main(), on every rank, for `solve`,
 * `bench` (harness/bench/ranks.h) and the target's own commands. Rank 0 prints and writes files.
 * The others get no flags that write files, limit the nodes or resume a search, and print nothing,
 * except that a rank which fails alone names itself and its node on stderr and ends all ranks. A
 * rank uses its share of the node's GPUs: `--gpus-per-rank`, or those of the node divided by its
 * ranks, and its share of the cores unless the launcher has bound it. Returns the exit code of rank
 * 0, on the other ranks 0. */
int world_main(int argc, char **argv, const struct target *t);

/* The ranks; NULL: this process is alone. */
const struct cluster_mpi_place *world_place(void);
/* The number of ranks and of the machines that have any; both 0: this process is alone. */
void world_size(int *ranks, int *machines);
/* Whether this process is a rank other than 0. */
bool world_is_helper(void);

/* A search begins, on every rank. Messages of earlier searches are dropped from now on; those of
 * later ones wait until this function was called as often as on their sender. */
void world_begin(void);
/* Messages between the ranks of a search. `bytes` were allocated by malloc and are freed once they
 * are sent. *bytes is allocated for the caller; NULL: no message has arrived. ERR_FAILED: MPI
 * failed, or (receive) rank 0 has given up the search. */
int world_send(int to, unsigned char *bytes, size_t size, struct err *e);
int world_take_message(int *from, unsigned char **bytes, size_t *size, struct err *e);

/* The records of work that is divided before it begins. */
struct world_result {
	unsigned char *all; /* of all ranks; each has `unit` bytes */
	size_t unit;
	const int *first;  /* of each rank, and their number; the same on all ranks */
	uint64_t identity; /* of all that the records follow from */
};

/* Every rank calls this when it has made the records from first[rank] to first[rank + 1] - 1, with
 * the status of that. Afterwards every rank has all records, if the result is 0 or ERR_LIMIT, and
 * all have the same result: the one that takes precedence (err_merge). The text of a failure names
 * the rank, if it is not 0, and its node. ERR_INPUT: a rank has another identity. ERR_FAILED: MPI
 * failed, or rank 0 has given up. */
int world_share(const struct world_result *r, int status, struct err *e);
/* All ranks have agreed that the search is over, so they end together. */
void world_finished(void);
/* Rank 0, in a search, often: asks the other ranks for a sign of life. If one that gave signs
 * before has given none for `COPRA_LOST_SECONDS` (default 30), one line names it and its node, and
 * all ranks end: does not return. `hurry`: a signal was received, which may be mpirun's after the
 * death of a rank and then ends what is left. Ranks that are silent for half a second are then also
 * named, once, and the search goes on. ERR_FAILED, ERR_MEMORY. */
int world_find_lost(bool hurry, struct err *e);
/* Signals reach rank 0, too, which stops all ranks. A helper that a second one ends would take open
 * work with it that is not yet saved: helpers ignore them from now on. */
void world_ignore_signals(void);

#endif
