/* The other steps of a generation on the host, bit by bit as random.h and boa.h say. `plain`: an
 * individual after the other, one thread, as a user would write it (serial, published); otherwise
 * in words and vectors by the threads of `w` (NULL: the caller alone). */
#ifndef COPRA_GBOA_STEPS_H
#define COPRA_GBOA_STEPS_H

#include "harness/base/team.h"
#include "algorithms/gboa/boa.h"
#include "algorithms/gboa/data.h"
#include "algorithms/gboa/network.h"

/* n x words(count) words of population 0, rows `stride` apart. */
void boa_first_population(uint64_t seed, int32_t n, int32_t count, size_t stride, uint32_t *words);

/* Positions of the `selected` fittest of `count`, of equal ones the lowest, ascending. */
void boa_select(const int32_t *fitness, int32_t count, int32_t selected, int32_t *positions);

/* Columns of `from` at `positions`, which ascend, go to the first columns of `to`, rows `to_stride`
 * apart. */
void boa_gather(const struct boa_data *from, const int32_t *positions, int32_t count, uint32_t *to,
		size_t to_stride, bool plain, struct team *w);

/* The offspring of a generation, `count` of them, a multiple of 32, rows `stride` apart.
 * ERR_MEMORY. */
int boa_sample(const struct boa_network *b, uint64_t seed, uint32_t generation, int32_t count,
	       uint32_t *words, size_t stride, bool plain, struct team *w, struct err *e);

/* Fitness of `count` individuals. */
void boa_evaluate(const struct landscape *l, const uint32_t *words, size_t stride, int32_t count,
		  int32_t *fitness, bool plain, struct team *w);

/* Every variable has one value in all individuals? */
bool boa_all_alike(const struct boa_data *d);

#endif
