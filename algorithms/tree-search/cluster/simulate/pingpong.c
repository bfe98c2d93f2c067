/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Measures the network between two ranks: prints the one-way latency of a message of 8 bytes in
 * seconds and the bandwidth of messages of 4 MiB in bytes/s, each the best of several rounds. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { LARGE = 1 << 22, ROUNDS = 7 };

/* Seconds of one message, by `times` round trips. */
static double one_way(char *bytes, int size, int times, int rank)
{
	double begin = MPI_Wtime();

	for (int i = 0; i < times; i++) {
		if (rank == 0)
			MPI_Send(bytes, size, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
		MPI_Recv(bytes, size, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (rank == 1)
			MPI_Send(bytes, size, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
	}
	return (MPI_Wtime() - begin) / (2.0 * times);
}

int main(int argc, char **argv)
{
	double small = 1, large = 1;
	int rank, ranks;
	char *bytes = calloc(LARGE, 1);

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (!bytes || ranks != 2)
		MPI_Abort(MPI_COMM_WORLD, 2);
	for (int i = 0; i < ROUNDS; i++) {
		double a = one_way(bytes, 8, 1000, rank), b = one_way(bytes, LARGE, 20, rank);

		small = a < small ? a : small;
		large = b < large ? b : large;
	}
	if (rank == 0)
		printf("%.9g %.9g\n", small, LARGE / large);
	MPI_Finalize();
	free(bytes);
	return 0;
}
