/* Sampling in words: a lane of a vector is 32 individuals, whose numbers u are compared with their
 * thresholds t digit by digit. Digits of t are those of each individual's own configuration, chosen
 * by its parents. Four digits are drawn at a time, and no more when no individual is left whose
 * digits so far are equal: of 512, seven times in eight the last four are not needed. */
#include "algorithms/gboa/steps_digits.h"
#include "algorithms/gboa/steps_parts.h"

enum { CONFIGURATIONS_MAX = 1 << BOA_PARENTS_MAX };
enum { ROW_CERTAIN = BOA_DIGITS, ROW_OPEN, ROWS };

/* What sampling of a variable needs, the same for all individuals. */
struct family {
	uint32_t variable;
	int32_t parents;
	const int32_t *parent;
	/* row[d][a]: all ones where digit d, 0 the first, of the threshold of configuration a is
	 * set; ROW_CERTAIN: where it is BOA_ONE; ROW_OPEN: where it is neither that nor 0. */
	uint32_t row[ROWS][CONFIGURATIONS_MAX];
};

static void make_family(const struct boa_sampling *s, int32_t variable, struct family *f)
{
	const struct boa_network *b = s->network;
	const uint32_t *threshold = b->thresholds + ((size_t)variable << b->k);
	int32_t configurations = 1 << b->parent_count[variable];

	f->variable = (uint32_t)variable;
	f->parents = b->parent_count[variable];
	f->parent = b->parents + (size_t)variable * (size_t)b->k;
	for (int d = 0; d < BOA_DIGITS; d++)
		for (int32_t a = 0; a < configurations; a++)
			f->row[d][a] = -(threshold[a] >> (BOA_DIGITS - 1 - d) & 1);
	for (int32_t a = 0; a < configurations; a++) {
		f->row[ROW_CERTAIN][a] = -(threshold[a] >> BOA_DIGITS);
		f->row[ROW_OPEN][a] = -(uint32_t)(threshold[a] % BOA_ONE != 0);
	}
}

/* Of a row what each individual's configuration has. */
static inline __attribute__((always_inline)) vec choose(const uint32_t *row, const vec *value,
							const int32_t parents)
{
	vec of[CONFIGURATIONS_MAX];

	for (int32_t a = 0; a < 1 << parents; a++)
		of[a] = vec_all(row[a]);
	for (int32_t r = 0; r < parents; r++)
		for (int32_t a = 0; a < 1 << (parents - r - 1); a++)
			of[a] = vec_select(value[r], of[2 * a + 1], of[2 * a]);
	return of[0];
}

/* Those of the open individuals, of which there are some, whose number is below their threshold. */
static inline __attribute__((always_inline)) vec
below_threshold(const struct boa_sampling *s, const struct family *f, size_t from, vec open,
		const vec *value, const int32_t parents)
{
	vec all = { 0 };
	struct vec_draws draws;
	uint32_t q = 0;

	vec_draw_begin(&draws, s->seed, s->generation, f->variable, (uint32_t)from);
	do {
		vec digit[4], below = { 0 }, differ = { 0 };

		vec_draw(&draws, q, digit);
		for (int i = 3; i >= 0; i--) { /* the last first: earlier ones count more */
			vec t = choose(f->row[4 * q + (uint32_t)i], value, parents);

			below = vec_majority(~digit[i], t, below);
			differ |= t ^ digit[i];
		}
		all |= open & below;
		open &= ~differ;
	} while (++q < BOA_DIGITS / 4 && vec_any(open));
	return all;
}

/* The variable's words `from` to `from + lanes - 1`. */
static inline __attribute__((always_inline)) void sample_lanes(const struct boa_sampling *s,
							       const struct family *f, size_t from,
							       size_t lanes, const int32_t parents)
{
	vec value[BOA_PARENTS_MAX], ones, open;

	for (int32_t r = 0; r < parents; r++)
		value[r] = vec_load(s->words + (size_t)f->parent[r] * s->stride + from, lanes);
	ones = choose(f->row[ROW_CERTAIN], value, parents);
	open = vec_first(choose(f->row[ROW_OPEN], value, parents), lanes);
	if (vec_any(open))
		ones |= below_threshold(s, f, from, open, value, parents);
	vec_store(s->words + f->variable * s->stride + from, ones, lanes);
}

static void sample_family(const struct boa_sampling *s, const struct family *f, size_t from,
			  size_t to)
{
	for (size_t w = from; w < to; w += VEC_LANES) {
		size_t lanes = to - w < VEC_LANES ? to - w : VEC_LANES;

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
		case 4:
			sample_lanes(s, f, w, lanes, 4);
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

void boa_sample_wide(struct boa_sampling *s, struct team *w)
{
	team_for(w, s->row, VEC_LANES, sample_part, s);
}
