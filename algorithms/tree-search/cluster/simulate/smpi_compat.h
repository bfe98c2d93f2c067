/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Included before mpi_shim.c when it is compiled for SimGrid's SMPI, which does not implement
 * matched probes (3.32). A rank has one thread there, so a probe and the receive that follows it
 * are the same. For the same reason it offers no threads, and the ranks need none. */
#ifndef COPRA_TREE_SEARCH_CLUSTER_SIMULATE_SMPI_COMPAT_H
#define COPRA_TREE_SEARCH_CLUSTER_SIMULATE_SMPI_COMPAT_H

#include <mpi.h>

static MPI_Status probed;

static inline int probe_matched(int from, int tag, MPI_Comm comm, int *there, MPI_Status *s)
{
	int status = MPI_Iprobe(from, tag, comm, there, s);

	probed = *s;
	return status;
}

static inline int receive_matched(void *to, int count, MPI_Datatype type, MPI_Status *s)
{
	return MPI_Recv(to, count, type, probed.MPI_SOURCE, probed.MPI_TAG, MPI_COMM_WORLD, s);
}

#undef MPI_THREAD_FUNNELED
#define MPI_THREAD_FUNNELED MPI_THREAD_SINGLE
#undef MPI_Improbe
#undef MPI_Mrecv
#define MPI_Improbe(from, tag, comm, there, message, s)                                            \
	((void)(message), probe_matched(from, tag, comm, there, s))
#define MPI_Mrecv(to, count, type, message, s)                                                     \
	((void)(message), receive_matched(to, count, type, s))

#endif
