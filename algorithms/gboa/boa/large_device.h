/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The devices of a large run: their shares of the work, memory and tables. kernels/gboa/large.h
 * describes the layout of individuals and counts on a device.
 *
 * Every device knows all ratings, and chooses the selected and permutes the variables on its own.
 * Each holds the rows of its own variables of the whole population; it gathers those of the
 * selected, and writes them to all devices (without peer access, every device holds and gathers
 * all rows). The ranks are divided: each device learns the parents of a contiguous range. Later
 * devices need the counts of pairs of the earlier ones. Then each device sends its rows of the
 * model to all others. Finally it samples and evaluates its columns of the offspring, and sends
 * them to all others: the ratings, and the rows of their variables. */
#ifndef COPRA_GBOA_BOA_LARGE_DEVICE_H
#define COPRA_GBOA_BOA_LARGE_DEVICE_H

#include "algorithms/gboa/boa/network.h"
#include "kernels/gboa/large.h"

/* Events on the first device. The times of the steps of a generation are the times between them. */
enum boa_large_mark {
	BOA_LARGE_BEGIN,
	BOA_LARGE_SELECTED,
	BOA_LARGE_LEARNED,
	BOA_LARGE_SAMPLED,
	BOA_LARGE_EVALUATED,
	BOA_LARGE_MARKS
};

struct boa_large_device {
	struct dev *dev;
	struct dev_stream *stream;
	struct dev_event *sent; /* after the last transfer to other devices */
	/* With several devices, the offspring are copied while they are evaluated. */
	struct dev_stream *copies;
	struct dev_event *sampled, *copied;
	const struct boa_large_select_kernels *select;
	const struct boa_large_learn_kernels *learn;
	const struct boa_large_sample_kernels *sample;
	int32_t first_variable, last_variable; /* its own: first .. last - 1 */
	int32_t first_tile, last_tile;         /* tile rows whose parents it learns */
	int32_t panel;                         /* tile rows that it learns at a time */
	int32_t processors;
	bool narrow; /* see struct boa_large_count */
	struct boa_fitness fitness;
	/* Device memory. In each pair, one belongs to the present generation and the other to the
	 * next. */
	int32_t *landscape;
	uint32_t *ln_factorial;
	uint32_t *x[2], *rating[2];
	int32_t *rank[2], *order;
	uint32_t *position;
	void *choice;
	struct boa_large_part part[DEV_MAX];
	int32_t *pairs, *counts;
	size_t counts_step, y_step;
	uint32_t *y, *totals, *records;
	int32_t *parent_count, *parents, *place;
	int64_t *where;
	struct boa_large_layout *layout;
	struct boa_large_levels levels;
	struct boa_large_status *status;
	uint8_t *bits;
};

struct boa_large {
	const struct boa_setup *setup;
	int32_t n, kept; /* variables; individuals that stay in the population */
	int32_t offspring;
	int32_t tile_rows;
	size_t stride; /* words of a row of selected individuals */
	struct boa_k2_table table;
	int devices;
	bool peers; /* every device writes its variables to all others */
	struct boa_large_device device[DEV_MAX];
	struct boa_large_status *status; /* pinned: of each device */
	struct dev_event *fetched;       /* after the copy of the first device's status */
	/* Events of this generation and of the previous one. */
	struct dev_event *mark[2][BOA_LARGE_MARKS];
	int now; /* index of the present generation in each pair */
	uint64_t seed;
	struct boa_limit limit;
};

/* Predicted seconds of a generation: the steps as measured on one H200, the exchanges by their
 * bytes. The times of several devices have not been measured. */
double boa_large_seconds(double n, double population, int devices);

/* Opens the devices of the setup, with their shares, memory and tables. After an error,
 * boa_large_destroy() must not be called. */
int boa_large_create(struct boa_large *l, const struct boa_setup *s, struct err *e);
void boa_large_destroy(struct boa_large *l);

#endif
