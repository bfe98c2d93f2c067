/* Spin glass on a two-dimensional torus, couplings +1 or -1 with equal probability (Toulouse 1977;
 * Edwards, Anderson 1975). Variable row * side + column is a spin, 1 or 0 for up and down; f is the
 * number of couplings that are satisfied: the energy is 2 side^2 - 2 f. */
#include <inttypes.h>

#include "harness/base/rng.h"
#include "datasets/landscape/landscape_data.h"
#include "datasets/landscape/landscape_exact.h"
#include "datasets/landscape/landscape_parts.h"

/* Beyond this the transfer matrix takes more than a fraction of a second. */
enum { SIDE_MAX = 256, SIDE_EXACT = 12 };

struct source {
	struct landscape_source base;
	int32_t side;
	uint64_t seed;
};

uint8_t landscape_ising_unequal(uint64_t seed, int64_t coupling)
{
	return (uint8_t)(rng_at(seed, (uint64_t)coupling) >> 63);
}

static int32_t satisfied(const struct landscape *l, const uint8_t *bits)
{
	const struct source *s = l->source;
	int32_t sum = 0;

	for (int32_t row = 0; row < s->side; row++)
		for (int32_t column = 0; column < s->side; column++) {
			int32_t v = row * s->side + column;
			int32_t right = row * s->side + (column + 1) % s->side;
			int32_t below = (row + 1) % s->side * s->side + column;

			sum += (bits[v] != bits[right]) == landscape_ising_unequal(s->seed, 2 * v);
			sum += (bits[v] != bits[below]) ==
			       landscape_ising_unequal(s->seed, 2 * v + 1);
		}
	return sum;
}

static int64_t evaluate(const struct landscape *l, const uint8_t *bits)
{
	return satisfied(l, bits);
}

static const struct landscape_oracle oracle = { evaluate, satisfied, NULL, NULL };

/* Two tables for all couplings, the one for equal spins first. */
static int fill(struct landscape *l, int32_t side, uint64_t seed, struct err *e)
{
	static const int32_t tables[2][4] = { { 1, 0, 0, 1 }, { 0, 1, 1, 0 } };
	size_t at = landscape_additive_term(2, l->terms);
	int status = landscape_new_data(l, (int64_t)at + 8, e);

	if (status)
		return status;
	for (int32_t c = 0; c < l->terms; c++) {
		int32_t *term = l->data + landscape_additive_term(2, c);
		int32_t v = c / 2, row = v / side, column = v % side;

		term[0] = (int32_t)at + 4 * landscape_ising_unequal(seed, c);
		term[1] = v;
		term[2] =
			c % 2 ? (row + 1) % side * side + column : row * side + (column + 1) % side;
	}
	for (size_t i = 0; i < 8; i++)
		l->data[at + i] = tables[i / 4][i % 4];
	return 0;
}

int landscape_ising(struct landscape *l, int32_t order, const char *instance, struct err *e)
{
	int64_t given[2] = { 0, 1 }, optimum;
	struct source *s;
	int status;

	(void)order;
	if (landscape_numbers(instance, given, 2) < 1)
		return err_set(e, ERR_INPUT, "expected SIDE[:SEED]");
	if (given[0] < 2 || given[0] > SIDE_MAX)
		return err_set(e, ERR_INPUT, "a side of %" PRId64 " is not in 2..%d", given[0],
			       SIDE_MAX);
	l->kind = LANDSCAPE_ADDITIVE;
	l->parameter = 2;
	l->n = (int32_t)(given[0] * given[0]);
	l->terms = l->greatest = 2 * l->n;
	if ((status = landscape_new_source(l, sizeof(*s), &oracle, e)))
		return status;
	s = l->source;
	s->side = (int32_t)given[0];
	s->seed = (uint64_t)given[1];
	if ((status = fill(l, s->side, s->seed, e)) || s->side > SIDE_EXACT)
		return status;
	if ((status = landscape_ising_transfer(s->side, s->seed, &optimum, e)))
		return status;
	landscape_set_optimum(l, optimum, "transfer matrix");
	return 0;
}
