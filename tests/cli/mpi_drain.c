/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Ends MPI while a large message is under way that nobody has asked for: rank 1 sends it, as a rank
 * that gives work, and rank 0 stops at once, as one that failed. Compiled by test_cluster.sh with
 * the compiler of the MPI library. */
#include "algorithms/tree-search/cluster/mpi_shim.c"

int main(void)
{
	enum { LARGE = 10000000 };
	struct cluster_mpi_place p;
	char text[CLUSTER_MPI_TEXT];

	if (start(&p, text))
		return 1;
	if (p.rank == 1 && send_message(0, calloc(1, LARGE), LARGE, text))
		return 1;
	return stop(text) ? 1 : 0;
}
