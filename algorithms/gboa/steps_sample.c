/* Sampling in words: a lane of a vector is 32 individuals, whose numbers are compared with their
 * thresholds digit by digit, from the last to the first:
 *
 *   u < t  where  u's digit is 0 and t's is 1, or they are equal and it is so for the digits below
 *
 * which is `below = t's digit ? ~u | below : ~u & below`. A configuration's threshold is the same for
 * all individuals, so its digit is a vector of all ones or zeros; configurations are compared one by
 * one, each on all individuals, and those that have it keep the result. */
#include "steps_digits.h"
#include "steps_parts.h"

enum { CONFIGURATIONS_MAX = 1 << BOA_PARENTS_MAX, THRESHOLD_DIGITS = BOA_DIGITS + 1 };

/* What sampling of a variable needs, the same for all individuals. */
struct family {
	uint32_t variable;
	int32_t parents;
	const int32_t *parent;
	bool certain; /* all thresholds are 0 or BOA_ONE: no number is needed */
	/* mask[d][a]: all ones where bit d of the threshold of configuration a is set. */
	uint32_t mask[THRESHOLD_DIGITS][CONFIGURATIONS_MAX];
};

static void make_family(const struct boa_sampling *s, int32_t variable, struct family *f)
{
	const struct boa_network *b = s->network;
	const uint32_t *threshold = b->thresholds + ((size_t)variable << b->k);

	f->variable = (uint32_t)variable;
	f->parents = b->parent_count[variable];
	f->parent = b->parents + (size_t)variable * (size_t)b->k;
	f->certain = true;
	for (int32_t a = 0; a < 1 << f->parents; a++)
		f->certain &= threshold[a] % BOA_ONE == 0;
	for (int d = 0; d < THRESHOLD_DIGITS; d++)
		for (int32_t a = 0; a < 1 << f->parents; a++)
			f->mask[d][a] = -(threshold[a] >> d & 1);
}

/* Individuals below the threshold of configuration a. */
static inline vec below(const struct family *f, uint32_t a, const vec not_digit[BOA_DIGITS])
{
	vec less = { 0 };

#pragma GCC unroll 16
	for (int d = 0; d < BOA_DIGITS; d++) {
		vec t = vec_all(f->mask[d][a]), u = not_digit[BOA_DIGITS - 1 - d];

		less = (u & (less | t)) | (less & t);
	}
	return less | vec_all(f->mask[BOA_DIGITS][a]);
}

/* The variable's words `from` to `from + lanes - 1`. */
static inline __attribute__((always_inline)) void
sample_lanes(const struct boa_sampling *s, const struct family *f, size_t from, size_t lanes,
	     const int32_t parents)
{
	vec value[BOA_PARENTS_MAX], not_digit[BOA_DIGITS], ones = { 0 };
	struct vec_draws digits;

	for (int32_t r = 0; r < parents; r++)
		value[r] = vec_load(s->words + (size_t)f->parent[r] * s->stride + from, lanes);
	if (!f->certain)
		vec_draw_begin(&digits, s->seed, s->generation, f->variable, (uint32_t)from);
	for (uint32_t q = 0; q < BOA_DIGITS / 4 && !f->certain; q++) {
		vec_draw(&digits, q, not_digit + 4 * q);
		for (uint32_t i = 0; i < 4; i++)
			not_digit[4 * q + i] = ~not_digit[4 * q + i];
	}
	for (uint32_t a = 0; a < 1u << parents; a++) {
		vec has = f->certain ? vec_all(f->mask[BOA_DIGITS][a]) : below(f, a, not_digit);

		for (int32_t r = 0; r < parents; r++)
			has &= a >> r & 1 ? value[r] : ~value[r];
		ones |= has;
	}
	vec_store(s->words + f->variable * s->stride + from, ones, lanes);
}

static void sample_family(const struct boa_sampling *s, const struct family *f, size_t from,
			  size_t to)
{
	for (size_t w = from; w < to; w += LANES) {
		size_t lanes = to - w < LANES ? to - w : LANES;

		switch (f->parents) {
		case 0:
			sample_lanes(s, f, w, lanes, 0);
			break;
		case 1:
			sample_lanes(s, f, w, lanes, 1);
			break;
		case 2:
			sample_lanes(s, f, w, lanes, 2);
			break;
		case 3:
			sample_lanes(s, f, w, lanes, 3);
			break;
		default:
			sample_lanes(s, f, w, lanes, f->parents);
		}
	}
}

static void sample_part(void *context, uint64_t from, uint64_t to, int thread)
{
	const struct boa_sampling *s = context;
	struct family f;

	(void)thread;
	for (int32_t r = 0; r < s->network->n; r++) {
		make_family(s, s->order[r], &f);
		sample_family(s, &f, (size_t)from, (size_t)to);
	}
}

void boa_sample_wide(struct boa_sampling *s, struct workers *w)
{
	workers_run(w, s->row, LANES, sample_part, s);
}
