/* What the files of the learners share; see learn.h. */
#ifndef COPRA_GBOA_LEARN_PARTS_H
#define COPRA_GBOA_LEARN_PARTS_H

#include "algorithms/gboa/learn.h"

/* Variables in the order of a permutation: order[r] is the one of rank r. */
void boa_order_of(const int32_t *rank, int32_t n, int32_t *order);

/* Threshold of each configuration of v's parents, from the counts of data. */
void boa_fill_row(const struct boa_data *d, enum boa_smoothing smoothing, struct boa_network *b,
		  int32_t v);

/* The paper's way of counting: the data as bytes, an individual after the other, and for each
 * family a walk through all of them. */
struct learn_bytes {
	int32_t n, count;
	uint8_t *value; /* individual i's variable v at i n + v */
	struct k2_table table;
	const struct boa_limit *limit; /* NULL: none */
};

int learn_bytes_create(struct learn_bytes *l, int32_t n, int32_t count, struct err *e);
void learn_bytes_destroy(struct learn_bytes *l);
void learn_bytes_unpack(struct learn_bytes *l, const struct boa_data *d);
/* The score of v with `parents` parents, modulo 2^32 (k2.h). */
uint32_t learn_bytes_score(const struct learn_bytes *l, int32_t v, const int32_t *parent,
			   int32_t parents);

/* Of a learner whose limit is reached: ERR_LIMIT, else 0. */
int learn_look(const struct boa_limit *limit, struct err *e);

/* pBOA: the variables of ranks first .. last - 1. */
int learn_permuted(const struct learn_bytes *l, const int32_t *order, struct boa_network *b,
		   int32_t first, int32_t last, struct err *e);
/* sBOA: the whole network, its ranks too. */
int learn_searched(const struct learn_bytes *l, struct boa_network *b, struct err *e);

#endif
