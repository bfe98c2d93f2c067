/* Evaluation of many individuals: traps in words, with sums that stand upright: plane j of a sum
 * holds bit j of the sums of 32 individuals a lane. All else for 32 individuals at a time, in loops
 * over them that become vectors. */
#include "algorithms/gboa/steps_parts.h"
#include "algorithms/gboa/steps_vector.h"

enum { PLANES = 17 }; /* sums up to BOA_VARIABLES_MAX */

struct upright {
	vec plane[PLANES];
	int planes;   /* that may be other than 0 */
	int32_t most; /* a bound of the sums */
};

static inline void add(struct upright *u, vec bits)
{
	u->most++;
	u->planes += u->most >> u->planes != 0;
	for (int j = 0; j < u->planes; j++) {
		vec carry = u->plane[j] & bits;

		u->plane[j] ^= bits;
		bits = carry;
	}
}

/* The sums of the 32 individuals of a lane. */
static void lay_down(const struct upright *u, size_t lane, int32_t sum[32])
{
	for (int b = 0; b < 32; b++)
		sum[b] = 0;
	for (int j = 0; j < u->planes; j++) {
		uint32_t plane = u->plane[j][lane];

		for (int b = 0; b < 32; b++)
			sum[b] += (int32_t)(plane >> b & 1) << j;
	}
}

/* A block of k bits, u of them 1, adds k - 1 - u, and k + 1 more if all are. */
static void trap_lanes(const struct boa_evaluation *v, size_t from, size_t lanes)
{
	int32_t n = v->view.n, k = v->view.parameter, flat = n / k * (k - 1);
	struct upright ones = { .planes = 0 }, full = { .planes = 0 };

	for (int32_t block = 0; block < n; block += k) {
		vec all = vec_all(~0u);

		for (int32_t i = block; i < block + k; i++) {
			vec bits = vec_load(v->words + (size_t)i * v->stride + from, lanes);

			add(&ones, bits);
			all &= bits;
		}
		add(&full, all);
	}
	for (size_t lane = 0; lane < lanes; lane++) {
		int32_t ones_of[32], full_of[32], first = (int32_t)(from + lane) * 32;

		lay_down(&ones, lane, ones_of);
		lay_down(&full, lane, full_of);
		for (int32_t b = 0; b < 32 && first + b < v->count; b++)
			v->fitness[first + b] = flat - ones_of[b] + (k + 1) * full_of[b];
	}
}

static void trap_part(void *context, uint64_t from, uint64_t to, int thread)
{
	const struct boa_evaluation *v = context;

	(void)thread;
	for (uint64_t w = from; w < to; w += VEC_LANES)
		trap_lanes(v, w, to - w < VEC_LANES ? to - w : VEC_LANES);
}

/* f of the 32 individuals of a word. */
typedef void word_function(const struct boa_evaluation *v, const uint32_t *column, int32_t sum[32]);

static void additive_word(const struct boa_evaluation *v, const uint32_t *column, int32_t sum[32])
{
	const struct fitness_view *f = &v->view;
	int32_t k = f->parameter;

	memset(sum, 0, 32 * sizeof(*sum));
	for (int32_t t = 0; t < f->terms; t++) {
		const int32_t *term = f->data + landscape_additive_term(k, t);
		const int32_t *table = f->data + *term;
		uint32_t row[32] = { 0 };

		for (int32_t i = 0; i < k; i++) {
			uint32_t bits = column[(size_t)term[1 + i] * v->stride];

			for (int b = 0; b < 32; b++)
				row[b] |= (bits >> b & 1) << i;
		}
		for (int b = 0; b < 32; b++)
			sum[b] += table[row[b]];
	}
}

static void maxsat_word(const struct boa_evaluation *v, const uint32_t *column, int32_t sum[32])
{
	const struct fitness_view *f = &v->view;

	memset(sum, 0, 32 * sizeof(*sum));
	for (int32_t t = 0; t < f->terms; t++) {
		const int32_t *clause = f->data + f->data[t], *end = f->data + f->data[t + 1];
		int32_t weight = *clause;
		uint32_t satisfied = 0;

		for (const int32_t *literal = clause + 1; literal < end; literal++)
			satisfied |= column[(size_t)(*literal >> 1) * v->stride] ^
				     -(uint32_t)(*literal & 1);
		for (int b = 0; b < 32; b++)
			sum[b] += weight & -(int32_t)(satisfied >> b & 1);
	}
}

static void knapsack_word(const struct boa_evaluation *v, const uint32_t *column, int32_t sum[32])
{
	const struct fitness_view *f = &v->view;
	int32_t weight[32] = { 0 }, capacity = f->data[0];

	memset(sum, 0, 32 * sizeof(*sum));
	for (int32_t i = 0; i < f->n; i++) {
		const int32_t *item = f->data + landscape_knapsack_item(i);
		uint32_t bits = column[(size_t)i * v->stride];

		for (int b = 0; b < 32; b++) {
			int32_t taken = -(int32_t)(bits >> b & 1);

			sum[b] += item[0] & taken;
			weight[b] += item[1] & taken;
		}
	}
	for (int b = 0; b < 32; b++)
		sum[b] = weight[b] <= capacity ? sum[b] : capacity - weight[b];
}

/* What a block hands up: neither where it has no symbol. */
struct symbol {
	uint32_t zero, one;
};

/* Adds the values of the block of 3^level variables from `first` on and of all blocks in it. */
static struct symbol htrap_block(const struct boa_evaluation *v, const uint32_t *column,
				 int32_t level, int32_t first, int32_t size, int32_t sum[32])
{
	if (level == 0) {
		uint32_t bits = column[(size_t)first * v->stride];

		return (struct symbol){ ~bits, bits };
	}
	int32_t top = level == v->view.parameter ? LANDSCAPE_HTRAP_VALUES : 0, third = size / 3;
	const int32_t *value = v->view.data + top;
	uint32_t whole = ~0u, odd = 0, two = 0;

	for (int32_t i = 0; i < 3; i++) {
		struct symbol s = htrap_block(v, column, level - 1, first + i * third, third, sum);

		whole &= s.zero | s.one;
		two |= odd & s.one; /* two or three */
		odd ^= s.one;
	}
	for (int b = 0; b < 32; b++) {
		uint32_t ones = (odd >> b & 1) + 2 * (two >> b & 1);

		sum[b] += size * value[ones] & -(int32_t)(whole >> b & 1);
	}
	return (struct symbol){ whole & ~odd & ~two, whole & odd & two };
}

static void htrap_word(const struct boa_evaluation *v, const uint32_t *column, int32_t sum[32])
{
	memset(sum, 0, 32 * sizeof(*sum));
	htrap_block(v, column, v->view.parameter, 0, v->view.n, sum);
}

static word_function *word_of(int32_t kind)
{
	switch (kind) {
	case LANDSCAPE_ADDITIVE:
		return additive_word;
	case LANDSCAPE_MAXSAT:
		return maxsat_word;
	case LANDSCAPE_KNAPSACK:
		return knapsack_word;
	default:
		return htrap_word;
	}
}

static void word_part(void *context, uint64_t from, uint64_t to, int thread)
{
	const struct boa_evaluation *v = context;
	word_function *f = word_of(v->view.kind);

	(void)thread;
	for (uint64_t w = from; w < to; w++) {
		size_t left = (size_t)v->count - 32 * w;
		int32_t sum[32];

		f(v, v->words + w, sum);
		memcpy(v->fitness + 32 * w, sum, (left < 32 ? left : 32) * sizeof(*sum));
	}
}

void boa_evaluate_wide(struct boa_evaluation *v, struct team *w)
{
	if (v->view.kind == LANDSCAPE_TRAP)
		team_for(w, boa_words(v->count), VEC_LANES, trap_part, v);
	else
		team_for(w, boa_words(v->count), 1, word_part, v);
}
