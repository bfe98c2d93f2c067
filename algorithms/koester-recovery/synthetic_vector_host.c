/* The synthetic model on the host by vectors: a state stays in the first-level cache over all its
 * steps. */
#include <stdbool.h>

#include "synthetic_host.h"
#include "synthetic_state.h"
#include "synthetic_vector.h"
#include "track_pool.h"

/* The same parameters, as a domain of its own. */
struct synthetic_vector {
	struct synthetic plain;
};

/* Does a row lie without gaps, and the next one behind it? */
static inline bool contiguous(const struct synthetic *d)
{
	return (uint64_t)d->rows * d->columns <= (uint64_t)d->unit_mask + 1;
}

static void products(const struct synthetic *d, struct track_state s, const float *w,
		     uint32_t times)
{
	if (contiguous(d) &&
	    synthetic_vector_products((float *)(void *)s.first, d->rows, d->columns, w, times))
		return;
	for (uint32_t i = 0; i < times; i++)
		synthetic_product(d, s, w);
}

static inline int synthetic_vector_execute(const struct synthetic_vector *v,
					   struct track_state s, const struct track_step *at)
{
	products(&v->plain, s, v->plain.weights, 1);
	return synthetic_waits(&v->plain, at);
}

static inline void synthetic_vector_assign(const struct synthetic_vector *v,
					   struct track_state s, const struct track_step *at)
{
	const struct synthetic *d = &v->plain;

	products(d, s, d->weights + d->columns * d->columns, d->load);
	synthetic_choose(d, s, at);
}

static inline uint32_t synthetic_vector_rate(const struct synthetic_vector *v,
					     struct track_state s)
{
	return synthetic_rate(&v->plain, s);
}

static inline uint32_t synthetic_vector_expand(const struct synthetic_vector *v,
					       struct track_state s)
{
	return synthetic_expand(&v->plain, s);
}

static inline uint32_t synthetic_vector_successor(const struct synthetic_vector *v,
						  struct track_state s, uint32_t k)
{
	return synthetic_successor(&v->plain, s, k);
}

#define TRACK_DOMAIN synthetic_vector
#include "domain_host.h"
