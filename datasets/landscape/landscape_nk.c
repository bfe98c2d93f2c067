/* NK landscapes (Kauffman, "Adaptation on rugged fitness landscapes", 1989): a term for each
 * variable, of that variable and K others, its table random.
 *
 * The K others of variable 0, 1, ... are drawn uniformly, distinct, one after the other from one
 * sequence; or, on a ring, they are the K next, and the optimum can be had for many variables too
 * (Pelikan, Sastry, Butz, Goldberg, "Performance of evolutionary algorithms on random decomposable
 * problems", PPSN 2006, and Pelikan et al. on nearest neighbours, GECCO 2009). Table values are
 * numbers by counter, so the oracle needs no table. */
#include <inttypes.h>
#include <stdlib.h>

#include "harness/base/rng.h"
#include "datasets/landscape/landscape_data.h"
#include "datasets/landscape/landscape_exact.h"
#include "datasets/landscape/landscape_parts.h"

enum { K_MAX = 20, VALUES = 1000000 };

struct source {
	struct landscape_source base;
	uint64_t tables;     /* seed of the values */
	int32_t *neighbours; /* K of each variable */
};

static void release(void *source)
{
	free(((struct source *)source)->neighbours);
}

static int32_t table_value(const struct source *s, int32_t k, int32_t term, uint32_t row)
{
	uint64_t place = ((uint64_t)term << (k + 1)) + row;

	return (int32_t)((rng_at(s->tables, place) >> 32) * VALUES >> 32);
}

/* Bit 0 of a row is the variable of the term, bit 1 .. K are its neighbours. */
static uint32_t row_of(const struct landscape *l, const uint8_t *bits, int32_t term)
{
	const struct source *s = l->source;
	int32_t k = l->parameter - 1;
	uint32_t row = bits[term];

	for (int32_t i = 0; i < k; i++)
		row |= (uint32_t)bits[s->neighbours[(size_t)term * (size_t)k + (size_t)i]]
		       << (i + 1);
	return row;
}

static int64_t evaluate(const struct landscape *l, const uint8_t *bits)
{
	int64_t sum = 0;

	for (int32_t t = 0; t < l->n; t++)
		sum += table_value(l->source, l->parameter - 1, t, row_of(l, bits, t));
	return sum;
}

static int32_t greatest_of(const struct landscape *l, int32_t term)
{
	int32_t most = 0;

	for (uint32_t row = 0; row < UINT32_C(1) << l->parameter; row++) {
		int32_t value = table_value(l->source, l->parameter - 1, term, row);

		most = value > most ? value : most;
	}
	return most;
}

static int32_t solved_terms(const struct landscape *l, const uint8_t *bits)
{
	int32_t solved = 0;

	for (int32_t t = 0; t < l->n; t++)
		solved += table_value(l->source, l->parameter - 1, t, row_of(l, bits, t)) ==
			  greatest_of(l, t);
	return solved;
}

static const struct landscape_oracle oracle = { evaluate, solved_terms, release, NULL };

static bool among(int32_t x, const int32_t *values, int32_t count)
{
	for (int32_t i = 0; i < count; i++)
		if (values[i] == x)
			return true;
	return false;
}

/* Behind the neighbours that variable v has already. */
static int32_t draw_one(struct rng *r, const struct landscape *l, int32_t v, const int32_t *mine,
			int32_t count)
{
	int32_t drawn;

	do {
		drawn = (int32_t)rng_below(r, (uint64_t)l->n);
	} while (drawn == v || among(drawn, mine, count));
	return drawn;
}

static int make_neighbours(struct landscape *l, bool ring, uint64_t seed, struct err *e)
{
	struct source *s = l->source;
	int32_t k = l->parameter - 1;
	struct rng r = rng_seeded(rng_at(seed, 0));

	s->tables = rng_at(seed, 1);
	s->neighbours = malloc(((size_t)l->n * (size_t)k + 1) * sizeof(*s->neighbours));
	if (!s->neighbours)
		return err_set(e, ERR_MEMORY, "no memory for %d neighbours each", k);
	for (int32_t v = 0; v < l->n; v++) {
		int32_t *mine = s->neighbours + (size_t)v * (size_t)k;

		for (int32_t i = 0; i < k; i++)
			mine[i] = ring ? (v + 1 + i) % l->n : draw_one(&r, l, v, mine, i);
	}
	return 0;
}

static int fill(struct landscape *l, struct err *e)
{
	const struct source *s = l->source;
	int32_t arity = l->parameter, k = arity - 1;
	int64_t tables = (int64_t)landscape_additive_term(arity, l->n), rows = INT64_C(1) << arity;
	int64_t greatest = 0, least = 0;
	int status = landscape_new_data(l, tables + l->n * rows, e);

	for (int32_t t = 0; t < l->n && !status; t++) {
		int32_t *term = l->data + landscape_additive_term(arity, t);
		int32_t lowest = VALUES, highest = 0;

		term[0] = (int32_t)(tables + t * rows);
		term[1] = t;
		for (int32_t i = 0; i < k; i++)
			term[2 + i] = s->neighbours[(size_t)t * (size_t)k + (size_t)i];
		for (uint32_t row = 0; row < rows; row++) {
			int32_t value = table_value(s, k, t, row);

			l->data[(uint32_t)term[0] + row] = value;
			lowest = value < lowest ? value : lowest;
			highest = value > highest ? value : highest;
		}
		least += lowest;
		greatest += highest;
	}
	return status ? status : landscape_set_bounds(l, least, greatest, e);
}

int landscape_nk(struct landscape *l, int32_t order, const char *instance, struct err *e)
{
	const char *ring = landscape_after(instance, "ring:");
	int64_t given[3] = { 0, 0, 1 };
	int status;

	(void)order;
	if (landscape_numbers(ring ? ring : instance, given, 3) < 2)
		return err_set(e, ERR_INPUT, "expected N:K[:SEED] or ring:N:K[:SEED]");
	if ((status = landscape_check_variables(given[0], e)))
		return status;
	if (given[1] >= given[0] || given[1] > K_MAX)
		return err_set(e, ERR_INPUT, "K = %" PRId64 " is not below N and at most %d",
			       given[1], K_MAX);
	l->kind = LANDSCAPE_ADDITIVE;
	l->n = l->terms = (int32_t)given[0];
	l->parameter = (int32_t)given[1] + 1;
	if ((status = landscape_new_source(l, sizeof(struct source), &oracle, e)) ||
	    (status = make_neighbours(l, ring, (uint64_t)given[2], e)) || (status = fill(l, e)))
		return status;
	return landscape_try_elimination(l, e);
}
