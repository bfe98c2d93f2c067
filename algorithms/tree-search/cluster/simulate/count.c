/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Counts what the ranks of a real search send, through MPI's profiling interface: a shared object
 * for LD_PRELOAD. When MPI ends, rank 0 writes one line to the file that COPRA_COUNTS names: the
 * sums over all ranks of messages with work (gifts) and of the units in them. Compared with a
 * simulated run by scripts/simulate.py. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/tree-search/cluster/message.h"

static unsigned long long counts[2]; /* gifts, units */

int MPI_Isend(const void *bytes, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
	      MPI_Request *request)
{
	struct cluster_head head;

	/* an announcement of a large message is shorter than a head; its first piece has one */
	if (type == MPI_BYTE && count >= (int)sizeof(head)) {
		memcpy(&head, bytes, sizeof(head));
		if (head.magic == CLUSTER_MAGIC && head.kind == CLUSTER_WORK && head.work_size) {
			counts[0]++;
			counts[1] += head.amount;
		}
	}
	return PMPI_Isend(bytes, count, type, to, tag, comm, request);
}

int MPI_Finalize(void)
{
	unsigned long long sums[2] = { 0 };
	const char *path = getenv("COPRA_COUNTS");
	FILE *out;
	int rank;

	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	PMPI_Reduce(counts, sums, 2, MPI_UNSIGNED_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
	out = rank == 0 && path ? fopen(path, "w") : NULL;
	if (out) {
		fprintf(out, "%llu %llu\n", sums[0], sums[1]);
		fclose(out);
	}
	return PMPI_Finalize();
}
