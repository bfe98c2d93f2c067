/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Roofline plots, of two kinds.
 *
 * In the first, each row that has a lower bound on its time is a point: the horizontal axis is the
 * lower bound, and the vertical axis is the share of the machine's peak rate that the row reached.
 * The launch latency is the slanted roof on the left; 100 % is the flat roof.
 *
 * The second has the axes of Williams, Waterman and Patterson (2009): operations per byte against
 * operations per second. A row is in it if it has the counters `operations` and `bytes`, of one
 * iteration and one GPU. Its label names the peak rates that bound them: "operations: gpu_add_max;
 * bytes: gpu_copy". Each such rate of bytes is a slanted roof, each rate of operations a flat
 * one. */
#ifndef COPRA_REPORT_TABLE_ROOFLINE_H
#define COPRA_REPORT_TABLE_ROOFLINE_H

#include "harness/machine/peaks.h"
#include "harness/report/data/results.h"
#include "harness/report/table/tables.h"

struct roof_point {
	size_t bench; /* index in the set */
	double bound; /* lower bound on the time, in seconds */
	double share; /* of the peak rate; 1 means that the row reached it */
	enum variant variant;
	char peak[24]; /* the peak rate that the bound comes from: "gpu_copy" */
};

/* A row with the counters `operations` and `bytes`. */
struct work_point {
	size_t bench;     /* index in the set */
	double intensity; /* operations per byte */
	double rate;      /* operations per second: of the median time of an iteration */
	enum variant variant;
	enum peak operations, bytes; /* the peak rates that bound it; PEAKS if it names none */
};

struct roofline {
	size_t count;
	struct roof_point *point;
	size_t works;
	struct work_point *work;
	size_t points_of[VARIANTS], works_of[VARIANTS]; /* by variant */
	double peak[PEAKS];                             /* the machine's peak rates, 0 if unknown */
	double launch; /* launch latency in seconds, 0 if unknown */
	/* the rows with a share above 1: those whose peak rate counts bytes, and the others */
	size_t above_bytes, above_others;
};

/* Finds the rows of a set that have a lower bound, or both counters. Fails only if memory runs out.
 */
int roofline_find(struct roofline *r, const struct result_set *set, struct err *e);
void roofline_free(struct roofline *r);

/* Appends the gnuplot data, one block per variant, and the script that draws them with
 * plots/roofline.gp. */
void roofline_plot(const struct roofline *r, const struct plot_paths *paths, struct text *data,
		   struct text *script);
/* The same for the second kind, with plots/intensity.gp. Needs a point. */
void roofline_plot_intensity(const struct roofline *r, const struct plot_paths *paths,
			     struct text *data, struct text *script);

#endif
