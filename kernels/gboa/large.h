/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The steps of a generation of a large run on one device; algorithms/gboa/boa/large.c calls them.
 *
 * Individuals are matrices of words as in struct boa_data (algorithms/gboa/boa.h). The selected are
 * kept in the order of the ranks of their generation: row r is the variable of rank r, so only the
 * rows above a row may be its parents. Offspring are rows by variable, in parts: each device
 * samples the columns of one part. Instead of a fitness f, the devices hold its rating, greatest -
 * f: the least rating is the best.
 *
 * Learning. Let x be a row, p1, p2, ... its parents so far, and u a candidate. The gain of u
 * follows by inclusion and exclusion from two counts for each set S of parents: the individuals
 * with ones in u and in all of S, and those of them with a one in x as well. For S = {}, and for
 * one parent without x, these are counts of pairs of rows, which are known. The t-th parent adds
 * 2^t - 1 products of rows with rows: p_t x; p_t p_1, p_t p_1 x; ... Each product is a matrix of
 * counts, rows by candidates. Its lower triangle is computed, in tiles.
 *
 * All functions launch on the stream and return without waiting. */
#ifndef COPRA_KERNELS_GBOA_LARGE_H
#define COPRA_KERNELS_GBOA_LARGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/gboa/arithmetic.h"
#include "kernels/gboa/fitness.h"
#include "harness/device/device.h"
#include "harness/base/hd.h"

enum {
	BOA_LARGE_TILE = 128, /* rows and columns of a tile of counts */
	BOA_LARGE_CELLS = BOA_LARGE_TILE * BOA_LARGE_TILE,
	BOA_LARGE_CHUNK = 32, /* words of a row in one step of a product */
};

/* Tiles before tile row t of a lower triangle, its diagonal included. */
HD int64_t boa_large_tiles(int64_t t)
{
	return t * (t + 1) / 2;
}

/* The number of products that parent number `parents` adds, and the number that the earlier parents
 * have added. */
HD int boa_large_products(int parents)
{
	return (1 << parents) - 1;
}

HD int boa_large_products_before(int parents)
{
	return (1 << parents) - parents - 1;
}

/* Words of a row's model: the number of parents, the parents (variables in the order they were
 * added), and thresholds as boa_large_spread makes them. Absent ones are 0. */
HD int boa_large_record_words(int k)
{
	return 1 + k + (1 << k);
}

/* A threshold in a bit order from which one instruction (which fills a word with the highest bit of
 * a byte) takes a digit: digit 4 q + d, q = 0 .. 3, d = 0 .. 3, is bit 8 q + 7 - d, and BOA_ONE is
 * bit 0. */
HD uint32_t boa_large_spread(uint32_t threshold)
{
	uint32_t t = 0;

	for (uint32_t q = 0; q < 4; q++)
		t |= (threshold >> (12 - 4 * q) & 15) << (8 * q + 4);
	return t | threshold >> 16;
}

struct boa_large_status {
	uint64_t top;         /* least rating << 32 | position, of the individuals judged last */
	uint64_t edges;       /* number of edges of the rows of this device */
	uint32_t best_rating; /* so far */
	uint32_t differ;      /* the selected are not all alike */
	uint32_t tickets;     /* blocks of judge that have finished */
	uint32_t unused;
};

struct boa_large_part {
	uint32_t *words; /* n rows of `count` words */
	int32_t first;   /* position of its first word among the words of the offspring */
	int32_t count;
};

/* The individuals of the population. The first `kept` are the selected of the previous generation,
 * in rows by rank. The offspring follow, in parts. */
struct boa_large_population {
	int32_t n, kept;
	const uint32_t *selected;
	size_t stride;
	const int32_t *rank;
	struct boa_large_part part[DEV_MAX];
	int32_t parts;
	int32_t first, last; /* variables first .. last - 1 are present */
};

struct boa_large_gather {
	struct boa_large_population from;
	const uint32_t *position; /* of the selected, ascending */
	int32_t selected;
	const int32_t *rank;   /* of each variable */
	uint32_t *to[DEV_MAX]; /* rows by rank: of this device, and of the peers */
	int32_t copies;
	size_t to_stride;
	const uint32_t *rating;
	uint32_t *to_rating; /* may be NULL */
	struct boa_large_status *status;
	bool compare; /* set status->differ if they are not all alike */
};

struct boa_large_select_kernels {
	/* Words first .. first + count - 1 of population 0, rows by variable. */
	int (*first)(struct dev_stream *s, uint64_t seed, int32_t n, int32_t first, int32_t count,
		     uint32_t *words, size_t stride, struct err *e);
	/* Positions of the `selected` least ratings, ascending; ties: the lowest position. */
	size_t (*choose_scratch)(void);
	int (*choose)(struct dev_stream *s, const uint32_t *rating, int32_t count, int32_t selected,
		      uint32_t *position, void *scratch, struct err *e);
	/* The permutation of a generation: the rank of each variable, the variable of each rank. */
	int (*order)(struct dev_stream *s, uint64_t seed, uint32_t generation, int32_t n,
		     int32_t *rank, int32_t *order, struct err *e);
	/* The rows of the variables that are present, of the selected, and their ratings. Sets
	 * status->differ. */
	int (*gather)(struct dev_stream *s, const struct boa_large_gather *g, struct err *e);
};

/* The layout of the products of a round. Only the rows that got a parent in the previous round take
 * part. In their order they fill tile rows; the first tile row may begin with unused rows. The last
 * row of a tile row determines its width. first[t]: tiles before tile row t. The last rows of
 * different tile rows also lie in different tile rows of the triangle of all rows, so the layout
 * never has more tiles than that triangle. */
enum { BOA_LARGE_TILE_ROWS = BOA_VARIABLES_MAX / BOA_LARGE_TILE };
struct boa_large_layout {
	int32_t rows;
	int32_t first[BOA_LARGE_TILE_ROWS + 1];
};

/* Shared memory that a block takes to count, in bytes; a third of it where there is less. */
enum { BOA_LARGE_COUNT_BYTES = 99072 };

/* Products of rows with rows: out[product] holds tiles of counts, row by row. */
struct boa_large_count {
	const uint32_t *left;  /* row 0 is the first of the first tile row */
	size_t left_step;      /* words from the rows of a product to those of the next product */
	const uint32_t *right; /* the selected */
	size_t stride; /* of all rows, a multiple of BOA_LARGE_CHUNK; words beyond the individuals
			  are 0 in `right` */
	/* NULL: a lower triangle, its tile rows first_tile .. last_tile - 1 */
	const struct boa_large_layout *layout;
	int32_t first_tile, last_tile, products;
	int32_t *out;
	size_t out_step; /* counts from one product to the next */
	int32_t processors;
	int32_t shares; /* shares of the individuals, counted by different blocks; 0: by the size */
	bool popcounts; /* multiply by population counts, not by tensor cores */
	bool narrow;    /* a block has less than BOA_LARGE_COUNT_BYTES of shared memory */
};

/* Rows first .. last - 1 of the network, and all arrays that learning them uses. */
struct boa_large_rows {
	int32_t n, k, selected; /* individuals */
	int32_t first, last;
	int32_t smoothing;
	const int32_t *rank, *order;
	const uint32_t *x; /* the selected */
	size_t stride;
	const int32_t *pairs;  /* counts of pairs: the whole triangle from tile row 0 on */
	const int32_t *counts; /* of the products */
	size_t counts_step;
	uint32_t *y; /* left sides of the products of a round */
	size_t y_step;
	int32_t *place; /* n: the row of y of each row */
	int64_t *where; /* (k - 1) x n: where[(t - 1) n + r] is the index of the first count of row
			   r in the products of round t */
	struct boa_large_layout *layout;
	const uint32_t *ln_factorial;
	int32_t *parent_count; /* n, by rank */
	int32_t *parents;      /* n x k ranks */
	/* totals[r << (k + 1) | S << 1 | with]: the number of individuals with ones in all of the
	 * set S of parents and, if with = 1, a one in x as well. Those of S = {} are in `pairs`. */
	uint32_t *totals;
	uint32_t *records;
	struct boa_large_status *status;
};

struct boa_large_learn_kernels {
	int (*count)(struct dev_stream *s, const struct boa_large_count *c, struct err *e);
	/* Adds one more parent to each row that has `parents` and gains by it. */
	int (*gain)(struct dev_stream *s, const struct boa_large_rows *r, int parents,
		    struct err *e);
	/* Computes the totals of the rows that have `parents` > 0; if products are wanted, also
	 * their layout and left sides. */
	int (*prepare)(struct dev_stream *s, const struct boa_large_rows *r, int parents,
		       bool products, struct err *e);
	int (*records)(struct dev_stream *s, const struct boa_large_rows *r, struct err *e);
};

/* An order of the ranks in which every rank comes after its parents. Those of level l are
 * sequence[end[l - 1]] .. sequence[end[l] - 1] (from 0 for l = 0); all their parents are of lower
 * levels. */
struct boa_large_levels {
	int32_t *level_count; /* one value */
	int32_t *end;         /* n */
	int32_t *sequence;    /* n */
	uint16_t *scratch;    /* n x (k > 0 ? k : 1) */
};

struct boa_large_sample {
	int32_t n, k;
	uint64_t seed;
	uint32_t generation;
	const int32_t *order;
	const uint32_t *records;
	struct boa_large_levels levels;
	struct boa_large_part to;
	int32_t processors; /* of the device */
};

struct boa_large_sample_kernels {
	int (*levels)(struct dev_stream *s, const struct boa_large_levels *l, int32_t n, int32_t k,
		      const int32_t *rank, const uint32_t *records, struct err *e);
	int (*sample)(struct dev_stream *s, const struct boa_large_sample *p, struct err *e);
	/* Ratings of 32 x `count` individuals, rows by variable. */
	int (*evaluate)(struct dev_stream *s, const struct boa_fitness *f, const uint32_t *words,
			size_t stride, int32_t count, uint32_t *rating, struct err *e);
	/* Writes the bits, of the variables that are present, of the best of `count` individuals if
	 * it is better than the best so far.
	 * status->top is UINT64_MAX and tickets 0 before and after. */
	int (*judge)(struct dev_stream *s, const struct boa_large_population *p, int32_t count,
		     const uint32_t *rating, struct boa_large_status *status, uint8_t *bits,
		     struct err *e);
};

DEV_KERNELS(struct boa_large_select_kernels, boa_large_select_kernels);
DEV_KERNELS(struct boa_large_learn_kernels, boa_large_learn_kernels);
DEV_KERNELS(struct boa_large_sample_kernels, boa_large_sample_kernels);

#endif
