/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Vectorised host operations of the synthetic model. A state stays in the first-level cache over
 * all its steps. */
#include <stdbool.h>
#include <string.h>

#include "harness/base/simd.h"
#include "harness/base/team.h"
#include "algorithms/koester-recovery/problems/synthetic.h"
#include "kernels/koester-recovery/synthetic.h"

/* ---- products by vectors; the same bits as track_synthetic_product ---- */

#if defined(__FMA__)

/* Number of rows that are multiplied together. Their sums are independent, which hides the latency
 * of a multiply-add. There are enough registers for two vectors per row. */
#if defined(__AVX512VL__)
enum { ROWS = 8 };
#else
enum { ROWS = 4 };
#endif

#define PASTE2(a, b) a##b
#define PASTE(a, b) PASTE2(a, b)

#define LANES 4
#define FMA vec_fma4
#include "algorithms/koester-recovery/problems/synthetic_vector_body.h"
#undef FMA
#undef LANES

#define LANES 8
#define FMA vec_fma8
#include "algorithms/koester-recovery/problems/synthetic_vector_body.h"
#undef FMA
#undef LANES

#if defined(__AVX512F__)
#define LANES 16
#define FMA vec_fma16
#include "algorithms/koester-recovery/problems/synthetic_vector_body.h"
#undef FMA
#undef LANES
#else
#define products_16 products_8
#endif

/* Replaces x by x w, `times` times. x has rows x columns elements, w has columns x columns, both
 * row by row without gaps. Returns false, and does nothing, if this build has no vectors for that
 * number of columns. */
static __attribute__((noinline)) bool vector_products(float *x, uint32_t rows, uint32_t columns,
						      const float *w, uint32_t times)
{
	switch (columns) {
	case 8:
		products_8(x, rows, 8, w, times);
		return true;
	case 12:
		products_4(x, rows, 12, w, times);
		return true;
	case 16:
		products_16(x, rows, 16, w, times);
		return true;
	case 24:
		products_8(x, rows, 24, w, times);
		return true;
	case 32:
		products_16(x, rows, 32, w, times);
		return true;
	default:
		return false;
	}
}

#else

static bool vector_products(float *x, uint32_t rows, uint32_t columns, const float *w,
			    uint32_t times)
{
	return (void)x, (void)rows, (void)columns, (void)w, (void)times, false;
}

#endif

/* ---- the domain ---- */

/* The parameters of the second domain of this model, whose operations use vectors. */
struct track_synthetic_vector {
	struct track_synthetic plain;
};

/* True if the matrix is contiguous. */
static inline bool contiguous(const struct track_synthetic *d)
{
	return (uint64_t)d->rows * d->columns <= (uint64_t)d->unit_mask + 1;
}

static void products(const struct track_synthetic *d, struct track_state s, const float *w,
		     uint32_t times)
{
	if (contiguous(d) &&
	    vector_products((float *)(void *)s.first, d->rows, d->columns, w, times))
		return;
	for (uint32_t i = 0; i < times; i++)
		track_synthetic_product(d, s, w);
}

static inline int track_synthetic_vector_execute(const struct track_synthetic_vector *v,
						 struct track_state s, const struct track_step *at)
{
	products(&v->plain, s, v->plain.weights, 1);
	return track_synthetic_waits(&v->plain, at);
}

static inline void track_synthetic_vector_assign(const struct track_synthetic_vector *v,
						 struct track_state s, const struct track_step *at)
{
	const struct track_synthetic *d = &v->plain;

	products(d, s, d->weights + d->columns * d->columns, d->load);
	track_synthetic_choose(d, s, at);
}

static inline uint32_t track_synthetic_vector_rate(const struct track_synthetic_vector *v,
						   struct track_state s)
{
	return track_synthetic_rate(&v->plain, s);
}

static inline uint32_t track_synthetic_vector_expand(const struct track_synthetic_vector *v,
						     struct track_state s)
{
	return track_synthetic_expand(&v->plain, s);
}

static inline uint32_t track_synthetic_vector_successor(const struct track_synthetic_vector *v,
							struct track_state s, uint32_t k)
{
	return track_synthetic_successor(&v->plain, s, k);
}

static int rate_children(struct track_place *p, const void *parameters,
			 const struct track_batch *parents, const struct track_children *c,
			 const uint32_t *successor, uint32_t steps, uint32_t flags, uint32_t breaks,
			 uint32_t *rating, struct err *e);

#define TRACK_DOMAIN track_synthetic_vector
#define TRACK_DOMAIN_RATE_CHILDREN rate_children
#include "algorithms/koester-recovery/states/domain_host.h"

/* Copies the matrix only: the context has no effect on the rating of a child. */
static void copy_matrix(const struct track_synthetic *d, struct track_state from, float *to)
{
	for (uint32_t word = 0; word < d->rows * d->columns; word++)
		to[word] = *(const float *)track_synthetic_word(d, from, word);
}

static struct track_synthetic_vector without_context(const struct track_synthetic_vector *v)
{
	struct track_synthetic_vector matrix = *v;

	matrix.plain.variables = 0;
	matrix.plain.unit_shift = 31;
	matrix.plain.unit_mask = ((uint32_t)1 << 31) - 1;
	return matrix;
}

static void rate_children_part(void *context, uint64_t from, uint64_t to, int thread)
{
	struct domain_loop *all = context;
	struct track_synthetic_vector v = without_context(all->d);
	struct domain_loop l = *all;
	float *child = malloc((size_t)v.plain.rows * v.plain.columns * sizeof(*child));
	struct track_state s = { (unsigned char *)child, 0 };

	(void)thread;
	if (!child) {
		__atomic_store_n(&all->no_memory, 1, __ATOMIC_RELAXED);
		return;
	}
	l.d = &v;
	for (uint64_t i = from; i < to; i++) {
		struct track_step at = domain_step(l.b, i);

		at.source = l.children->first_source + (uint32_t)i;
		for (uint32_t k = 0; k < l.children->number[i] && !domain_stops(all); k++) {
			uint32_t number = l.children->first[i] + k;

			copy_matrix(&all->d->plain, domain_state(l.b, i), child);
			at.successor = l.successor ? l.successor[number] : k;
			domain_advance_state(&l, s, at);
			l.out[number] = track_synthetic_rate(&v.plain, s);
		}
	}
	free(child);
}

static int rate_children(struct track_place *p, const void *parameters,
			 const struct track_batch *parents, const struct track_children *c,
			 const uint32_t *successor, uint32_t steps, uint32_t flags, uint32_t breaks,
			 uint32_t *rating, struct err *e)
{
	struct track_batch by_number = *parents;
	struct domain_loop l = { .d = parameters,
				 .b = &by_number,
				 .children = c,
				 .successor = successor,
				 .steps = steps,
				 .flags = flags,
				 .breaks = breaks,
				 .out = rating,
				 .stop = p->stop };

	by_number.source = by_number.successor = NULL;
	team_for(p->pool, parents->count, 1, rate_children_part, &l);
	if (l.no_memory)
		return err_set(e, ERR_MEMORY, "no memory for a matrix of %u x %u", l.d->plain.rows,
			       l.d->plain.columns);
	return domain_ended(&l, e);
}
