/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The messages of a cluster over MPI. mpi_shim.c is compiled once for each MPI library into a
 * shared object that exports `cluster_mpi`, and world.c loads the one whose mpirun started the
 * program. Programs therefore need no MPI to be built or to run on one node, and this header
 * includes none.
 *
 * Two-sided messages only. One thread calls these functions (MPI_THREAD_FUNNELED); other threads of
 * the process may run. Functions return 0, or -1 with one line in `text` (CLUSTER_MPI_TEXT bytes).
 * */
#ifndef COPRA_TREE_SEARCH_CLUSTER_MPI_SHIM_H
#define COPRA_TREE_SEARCH_CLUSTER_MPI_SHIM_H

#include <stddef.h>

enum { CLUSTER_MPI_VERSION = 2, CLUSTER_MPI_TEXT = 256, CLUSTER_MPI_HOST = 128 };

struct cluster_mpi_place {
	int rank, ranks;
	int local, locals;           /* rank among the ranks of the same node, and their number */
	int nodes;                   /* that have ranks */
	char host[CLUSTER_MPI_HOST]; /* name of the node */
};

struct cluster_mpi {
	int version; /* CLUSTER_MPI_VERSION */
	const char *library;
	int (*start)(struct cluster_mpi_place *place, char *text);
	/* Sends a message of any size. `bytes` was allocated by malloc and is freed once it is
	 * sent, also after an error. */
	int (*send)(int to, unsigned char *bytes, size_t size, char *text);
	/* *bytes: a message from rank *from, allocated by malloc; NULL: none has arrived. Also
	 * makes sends progress. */
	int (*receive)(int *from, unsigned char **bytes, size_t *size, char *text);
	/* Drops what arrives until all ranks have sent their messages and called it, and ends MPI.
	 * */
	int (*stop)(char *text);
	/* Ends all ranks. Does not return. */
	void (*abort)(int code);
};

#endif
