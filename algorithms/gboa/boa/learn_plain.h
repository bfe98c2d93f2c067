/* Learning as in the paper, for serial: the data is stored as bytes, and each family is counted in
 * a pass over all individuals. learn.h defines the resulting network. */
#ifndef COPRA_GBOA_BOA_LEARN_PLAIN_H
#define COPRA_GBOA_BOA_LEARN_PLAIN_H

#include "algorithms/gboa/boa/network.h"

struct boa_plain {
	int32_t n, count;
	uint8_t *value; /* variable v of individual i at i n + v */
	struct boa_k2_table table;
	const struct boa_limit *limit; /* NULL: none */
};

/* Memory for data of n variables and `count` individuals, and the table of factorials.
 * ERR_MEMORY. */
int boa_plain_create(struct boa_plain *l, int32_t n, int32_t count, struct err *e);
void boa_plain_destroy(struct boa_plain *l);

/* Stores the data as bytes. d has the n and `count` of the learner. */
void boa_plain_unpack(struct boa_plain *l, const struct boa_data *d);

/* The K2 score of v with `parents` parents, modulo 2^32. */
uint32_t boa_plain_score(const struct boa_plain *l, int32_t v, const int32_t *parent,
			 int32_t parents);

/* Finds the parents of the variables of ranks first .. last - 1 (pBOA). order[r]: the variable of
 * rank r. ERR_LIMIT. */
int boa_plain_permuted(const struct boa_plain *l, const int32_t *order, struct boa_network *b,
		       int32_t first, int32_t last, struct err *e);
/* Finds parents and ranks of the whole network (sBOA). ERR_LIMIT, ERR_MEMORY. */
int boa_plain_searched(const struct boa_plain *l, struct boa_network *b, struct err *e);

#endif
