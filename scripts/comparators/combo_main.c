/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* A main function for combo, the knapsack solver of Martello, Pisinger and Toth, which is a
 * function without a program. combo.h and combo.c are not part of copra: docs/COMPARATORS.md says
 * where they are and how to build this file with them.
 * Reads a knapsack file (n, lines "index profit weight", capacity), solves it once and prints
 * the optimum and the time of the call. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "combo.h"

static item *read_items(FILE *in, long *n, long *capacity)
{
	item *items = NULL;
	if (fscanf(in, "%ld", n) != 1 || *n < 1 || *n > 100000000)
		return NULL;
	items = calloc((size_t)*n, sizeof(*items));
	for (long i = 0; items && i < *n; i++) {
		long p, w;
		if (fscanf(in, "%*d %ld %ld", &p, &w) != 2)
			return NULL;
		items[i].p = p;
		items[i].w = w;
	}
	return items && fscanf(in, "%ld", capacity) == 1 ? items : NULL;
}

static double seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
	long n, capacity, optimum;
	FILE *in = argc == 2 ? fopen(argv[1], "r") : NULL;
	item *items = in ? read_items(in, &n, &capacity) : NULL;
	if (!items) {
		fprintf(stderr, "usage: combo FILE (n, lines \"index profit weight\", capacity)\n");
		return 2;
	}
	double before = seconds();
	optimum = combo(items, items + n - 1, capacity, 0, 0, 1, 0);
	double after = seconds();
	printf("optimum %ld\nseconds %.9f\n", optimum, after - before);
	free(items);
	fclose(in);
	return 0;
}
