#include <stdlib.h>
#include <string.h>

#include "datasets/landscape/landscape_exact.h"

/* The first row is fixed, LANES first rows at a time, side by side: value[state * LANES + lane] is
 * the most couplings satisfied so far with the last row, as far as it is swept, in that state. */
enum { LANES = 32 };

struct sweep {
	int32_t side;
	uint64_t seed;
	uint32_t states;
	uint8_t *within; /* couplings satisfied within each row, for each state of it */
	uint16_t *value;
};

static uint8_t unequal(const struct sweep *s, int32_t row, int32_t column, int down)
{
	return landscape_ising_unequal(s->seed, 2 * ((int64_t)row * s->side + column) + down);
}

static void fill_within(struct sweep *s, int32_t row)
{
	for (uint32_t state = 0; state < s->states; state++) {
		int sum = 0;

		for (int32_t column = 0; column < s->side; column++) {
			uint32_t a = state >> column & 1, b = state >> (column + 1) % s->side & 1;

			sum += (a ^ b) == unequal(s, row, column, 0);
		}
		s->within[(size_t)row * s->states + state] = (uint8_t)sum;
	}
}

/* A lane begins at its own first row alone, so far ahead that no other state of it catches up. */
static void start(struct sweep *s, uint32_t first)
{
	uint16_t ahead = (uint16_t)(4 * s->side * s->side);

	memset(s->value, 0, (size_t)s->states * LANES * sizeof(*s->value));
	for (uint32_t lane = 0; lane < LANES && first + lane < s->states; lane++)
		s->value[(size_t)(first + lane) * LANES + lane] =
			(uint16_t)(ahead + s->within[first + lane]);
}

/* The spin at `column` goes one row down, from `row` to the next. */
static void step_down(struct sweep *s, int32_t row, int32_t column)
{
	uint16_t differ = unequal(s, row, column, 1), same = 1 - differ;
	size_t bit = (size_t)1 << column;

	for (size_t state = 0; state < s->states; state++) {
		uint16_t *down = s->value + state * LANES, *up = down + bit * LANES;

		if (state & bit)
			continue;
		for (int lane = 0; lane < LANES; lane++) {
			uint16_t a = down[lane], b = up[lane];
			uint16_t a_same = a + same, a_differ = a + differ;
			uint16_t b_same = b + same, b_differ = b + differ;

			down[lane] = a_same > b_differ ? a_same : b_differ;
			up[lane] = b_same > a_differ ? b_same : a_differ;
		}
	}
}

static void add_row(struct sweep *s, int32_t row)
{
	for (size_t state = 0; state < s->states; state++) {
		uint16_t more = s->within[(size_t)row * s->states + state];

		for (size_t lane = 0; lane < LANES; lane++)
			s->value[state * LANES + lane] += more;
	}
}

/* The last row joined with the first again. */
static int64_t close_torus(const struct sweep *s, uint32_t first)
{
	int64_t best = 0;
	uint32_t mask = 0;

	for (int32_t column = 0; column < s->side; column++)
		mask |= (uint32_t)unequal(s, s->side - 1, column, 1) << column;
	for (uint32_t state = 0; state < s->states; state++)
		for (uint32_t lane = 0; lane < LANES && first + lane < s->states; lane++) {
			uint32_t broken = state ^ (first + lane) ^ mask;
			int64_t sum = s->value[(size_t)state * LANES + lane] + s->side -
				      __builtin_popcount(broken);

			best = sum > best ? sum : best;
		}
	return best - 4 * s->side * s->side;
}

static int64_t best_from(struct sweep *s, uint32_t first)
{
	start(s, first);
	for (int32_t row = 1; row < s->side; row++) {
		for (int32_t column = 0; column < s->side; column++)
			step_down(s, row - 1, column);
		add_row(s, row);
	}
	return close_torus(s, first);
}

int landscape_ising_transfer(int32_t side, uint64_t seed, int64_t *optimum, struct err *e)
{
	struct sweep s = { .side = side, .seed = seed, .states = UINT32_C(1) << side };

	*optimum = 0;
	s.within = malloc((size_t)side * s.states * sizeof(*s.within));
	s.value = malloc((size_t)s.states * LANES * sizeof(*s.value));
	if (s.within && s.value) {
		for (int32_t row = 0; row < side; row++)
			fill_within(&s, row);
		/* with all spins turned the same is satisfied: the last of the first row is 0 */
		for (uint32_t first = 0; first < s.states / 2; first += LANES) {
			int64_t best = best_from(&s, first);

			*optimum = best > *optimum ? best : *optimum;
		}
	}
	free(s.within);
	free(s.value);
	return *optimum ? 0 : err_set(e, ERR_MEMORY, "no memory for %u states", s.states);
}
