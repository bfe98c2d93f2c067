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

#include "algorithms/tree-search/cluster/mpi_shim.h"
#include "harness/base/error.h"

struct target;

/* The main() of a tree search: copra_main(), on every rank. With several ranks only `solve` runs.
 * Rank 0 prints and writes files. The others get no flags that write files, limit the search or
 * resume it, and print nothing, except that a rank which fails alone names itself and its node on
 * stderr and ends all ranks. A rank uses its share of the node's GPUs: `--gpus-per-rank`, or those
 * of the node divided by its ranks, and its share of the cores unless the launcher has bound it.
 * Returns the exit code of rank 0, on the other ranks 0. */
int world_main(int argc, char **argv, const struct target *t);

/* The ranks; NULL: this process is alone. */
const struct cluster_mpi_place *world_place(void);
/* Whether this process is a rank other than 0. */
bool world_is_helper(void);

/* Messages between ranks. ERR_FAILED: MPI failed, or (receive) rank 0 has given up. */
int world_send(int to, unsigned char *bytes, size_t size, struct err *e);
int world_take_message(int *from, unsigned char **bytes, size_t *size, struct err *e);
/* All ranks have agreed that the search is over, so they end together. */
void world_finished(void);

#endif
