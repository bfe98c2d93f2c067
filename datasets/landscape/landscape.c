/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "datasets/landscape/landscape.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "datasets/knapsack/knapsack.h"
#include "datasets/landscape/landscape_exact.h"
#include "datasets/landscape/landscape_make.h"
#include "harness/base/rng.h"

/* ---- traps and onemax ---- */

/* Concatenated deceptive traps (Deb, Goldberg, "Analyzing deception in trap functions", FOGA 2,
 * 1993), and the number of ones. */

/* The value of a block of k bits with u ones: k if u = k, else k - 1 - u. All ones are best, but
 * from anywhere else every improving step leads towards all zeros, with value k - 1. */
static int32_t trap_block_value(const uint8_t *bits, int32_t k)
{
	int32_t ones = 0;

	for (int32_t i = 0; i < k; i++)
		ones += bits[i];
	return ones == k ? k : k - 1 - ones;
}

static int64_t trap_evaluate(const struct landscape *l, const uint8_t *bits)
{
	int64_t sum = 0;

	for (int32_t b = 0; b < l->terms; b++)
		sum += trap_block_value(bits + (size_t)b * (size_t)l->parameter, l->parameter);
	return sum;
}

static int32_t trap_solved_terms(const struct landscape *l, const uint8_t *bits)
{
	int32_t solved = 0;

	for (int32_t b = 0; b < l->terms; b++)
		solved += trap_block_value(bits + (size_t)b * (size_t)l->parameter, l->parameter) ==
			  l->parameter;
	return solved;
}

static const struct landscape_oracle trap_oracle = { trap_evaluate, trap_solved_terms, NULL, NULL };

static int trap_make(struct landscape *l, int32_t k, const char *instance, struct err *e)
{
	int64_t n;
	int status;

	if (landscape_numbers(instance, &n, 1) != 1)
		return err_set(e, ERR_INPUT, "expected a number of variables");
	if ((status = landscape_check_variables(n, e)))
		return status;
	if (n % k)
		return err_set(e, ERR_INPUT, "%" PRId64 " variables are not a multiple of %d", n,
			       k);
	l->kind = LANDSCAPE_TRAP;
	l->n = (int32_t)n;
	l->parameter = k;
	l->terms = l->n / k;
	l->greatest = l->n; /* least is 0: k - 1 ones in each block */
	landscape_set_optimum(l, l->n, "definition");
	return landscape_new_source(l, sizeof(struct landscape_source), &trap_oracle, e);
}

static int load_trap(struct landscape *l, int32_t order, const char *instance, struct err *e)
{
	if (order < 2 || order > 8)
		return err_set(e, ERR_USAGE, "traps have 2 to 8 bits");
	return trap_make(l, order, instance, e);
}

/* The value of a trap of one bit is that bit, so fast evaluation of traps counts ones too. */
static int load_onemax(struct landscape *l, int32_t order, const char *instance, struct err *e)
{
	(void)order;
	return trap_make(l, 1, instance, e);
}

/* ---- hierarchical traps ---- */

/* Hierarchical traps of order 3 (Pelikan, Goldberg, "Escaping hierarchical traps with competent
 * genetic algorithms", GECCO 2001; Pelikan, "Hierarchical Bayesian Optimization Algorithm", 2005).
 *
 * n = 3^l variables, l levels. A block of level 1 has three bits. Block 000 becomes symbol 0 of the
 * next level, 111 becomes 1, and all others become "-"; a block of the next level has three
 * symbols. The value of a block with u ones and no "-" is high if u = 3, else low (1 - u / 2); with
 * a "-" it is 0. Blocks of level i have weight 3^i, so all levels have the same total weight. At
 * the top, low = 0.9 and high = 1. Below the top,
 *     htrap (or htrap1)  low = high = 1: only the top prefers ones to zeros
 *     htrap2             low = 1 + 0.1 / l: every level except the top prefers zeros
 * All ones are the only optimum, with value l 3^l. Values are multiplied by 20 (htrap2: 20
 * l), which makes them integers. */

enum { LEVELS_MAX = 10, NO_SYMBOL = 2 };

struct htrap_source {
	struct landscape_source base;
	int64_t scale, low, top_low; /* times scale */
};

/* The value of a block, and its symbol on the next level. */
static int64_t htrap_block_value(const uint8_t *block, int64_t low, int64_t high, uint8_t *symbol)
{
	int ones = block[0] + block[1] + block[2];

	*symbol = NO_SYMBOL;
	for (int i = 0; i < 3; i++)
		if (block[i] == NO_SYMBOL)
			return 0;
	if (ones == 0)
		*symbol = 0;
	if (ones == 3)
		*symbol = 1;
	return ones == 3 ? high : low - low * ones / 2;
}

/* The value of a level of `count` symbols. Replaces them by the symbols of the next level. */
static int64_t level_value(const struct htrap_source *s, uint8_t *level, int32_t count,
			   int32_t *solved)
{
	int64_t low = count == 3 ? s->top_low : s->low, sum = 0;

	for (int32_t b = 0; b < count / 3; b++) {
		uint8_t symbol;

		sum += htrap_block_value(level + 3 * b, low, s->scale, &symbol);
		level[b] = symbol;
		*solved += symbol == 1;
	}
	return sum;
}

static int64_t climb(const struct landscape *l, const uint8_t *bits, int32_t *solved)
{
	static const int32_t powers[] = { 3, 9, 27, 81, 243, 729, 2187, 6561, 19683, 59049 };
	uint8_t level[59049];
	int64_t sum = 0;

	*solved = 0;
	for (int32_t v = 0; v < l->n; v++)
		level[v] = bits[v];
	for (int32_t i = 0; i < l->parameter; i++)
		sum += powers[i] *
		       level_value(l->source, level, powers[l->parameter - 1 - i], solved);
	return sum;
}

static int64_t htrap_evaluate(const struct landscape *l, const uint8_t *bits)
{
	int32_t solved;

	return climb(l, bits, &solved);
}

static int32_t htrap_solved_terms(const struct landscape *l, const uint8_t *bits)
{
	int32_t solved;

	climb(l, bits, &solved);
	return solved;
}

static const struct landscape_oracle htrap_oracle = { htrap_evaluate, htrap_solved_terms, NULL,
						      NULL };

static int htrap_fill(struct landscape *l, struct err *e)
{
	const struct htrap_source *s = l->source;
	int status = landscape_new_data(l, 2 * LANDSCAPE_HTRAP_VALUES, e);

	for (int i = 0; i < 2 && !status; i++) {
		int64_t low = i ? s->top_low : s->low;
		int32_t *values = l->data + i * LANDSCAPE_HTRAP_VALUES;

		values[0] = (int32_t)low;
		values[1] = (int32_t)(low / 2);
		values[3] = (int32_t)s->scale;
	}
	return status;
}

static int load_htrap(struct landscape *l, int32_t order, const char *instance, struct err *e)
{
	int64_t n, size = 1;
	struct htrap_source *s;
	int status;

	if (order > 2)
		return err_set(e, ERR_USAGE, "there are htrap, htrap1 and htrap2");
	if (landscape_numbers(instance, &n, 1) != 1)
		return err_set(e, ERR_INPUT, "expected a number of variables");
	while (size < n && l->parameter < LEVELS_MAX) {
		size *= 3;
		l->parameter++;
	}
	if (size != n || n < 3)
		return err_set(e, ERR_INPUT, "%" PRId64 " variables are not 3, 9, 27, ... 59049",
			       n);
	l->kind = LANDSCAPE_HTRAP;
	l->n = (int32_t)n;
	l->terms = (l->n - 1) / 2;
	if ((status = landscape_new_source(l, sizeof(*s), &htrap_oracle, e)))
		return status;
	s = l->source;
	s->scale = order == 2 ? 20 * l->parameter : 20;
	s->low = s->scale + (order == 2 ? 2 : 0);
	s->top_low = s->scale * 9 / 10;
	landscape_set_optimum(l, s->scale * l->parameter * n, "definition");
	l->greatest = l->optimum;
	return htrap_fill(l, e);
}

/* ---- overlapping traps ---- */

/* Block b has the bits (k - 1) b .. (k - 1) b + k - 1, so neighbours share one. All ones are still
 * the best value of every block. */

static int32_t overlap_value_of(int32_t ones, int32_t k)
{
	return ones == k ? k : k - 1 - ones;
}

static int32_t block_ones(const struct landscape *l, const uint8_t *bits, int32_t block)
{
	int32_t ones = 0;

	for (int32_t i = 0; i < l->parameter; i++)
		ones += bits[block * (l->parameter - 1) + i];
	return ones;
}

static int64_t overlap_evaluate(const struct landscape *l, const uint8_t *bits)
{
	int64_t sum = 0;

	for (int32_t b = 0; b < l->terms; b++)
		sum += overlap_value_of(block_ones(l, bits, b), l->parameter);
	return sum;
}

static int32_t overlap_solved_terms(const struct landscape *l, const uint8_t *bits)
{
	int32_t solved = 0;

	for (int32_t b = 0; b < l->terms; b++)
		solved += block_ones(l, bits, b) == l->parameter;
	return solved;
}

static const struct landscape_oracle overlap_oracle = { overlap_evaluate, overlap_solved_terms,
							NULL, NULL };

/* One table for all blocks. */
static int overlap_fill(struct landscape *l, struct err *e)
{
	int32_t k = l->parameter;
	size_t table = landscape_additive_term(k, l->terms);
	int status = landscape_new_data(l, (int64_t)table + (1 << k), e);

	if (status)
		return status;
	for (int32_t b = 0; b < l->terms; b++) {
		int32_t *term = l->data + landscape_additive_term(k, b);

		term[0] = (int32_t)table;
		for (int32_t i = 0; i < k; i++)
			term[1 + i] = b * (k - 1) + i;
	}
	for (int32_t row = 0; row < 1 << k; row++)
		l->data[table + (size_t)row] =
			overlap_value_of(__builtin_popcount((unsigned)row), k);
	return 0;
}

static int load_overlap(struct landscape *l, int32_t order, const char *instance, struct err *e)
{
	int64_t n;
	int status;

	if (order < 2 || order > 8)
		return err_set(e, ERR_USAGE, "traps have 2 to 8 bits");
	if (landscape_numbers(instance, &n, 1) != 1)
		return err_set(e, ERR_INPUT, "expected a number of variables");
	if ((status = landscape_check_variables(n, e)))
		return status;
	if (n < order || (n - 1) % (order - 1))
		return err_set(e, ERR_INPUT,
			       "%" PRId64 " variables are not %d times a number of "
			       "blocks, plus 1",
			       n, order - 1);
	l->kind = LANDSCAPE_ADDITIVE;
	l->n = (int32_t)n;
	l->parameter = order;
	l->terms = (l->n - 1) / (order - 1);
	l->greatest = l->terms * order;
	landscape_set_optimum(l, l->greatest, "definition");
	status = overlap_fill(l, e);
	return status ?
		       status :
		       landscape_new_source(l, sizeof(struct landscape_source), &overlap_oracle, e);
}

/* ---- knapsack ---- */

/* The 0-1 knapsack problem as a function of bit strings: the profit of the items taken if they fit,
 * else minus the weight above the capacity. Every feasible string is better than every infeasible
 * one, and infeasible strings improve towards feasibility. Nothing is repaired: the bits are the
 * solution. */

/* Limits of the exact method. There is none on time, so the result is the same on every machine. */
enum { STATES = 100000, ITEMS_EXACT = 20000 };

struct items_source {
	struct landscape_source base;
	struct knapsack k;
};

static void items_release(void *source)
{
	knapsack_free(&((struct items_source *)source)->k);
}

static int64_t items_evaluate(const struct landscape *l, const uint8_t *bits)
{
	const struct items_source *s = l->source;
	int64_t profit, weight;

	knapsack_evaluate(&s->k, bits, &profit, &weight);
	return weight <= s->k.capacity ? profit : s->k.capacity - weight;
}

/* The number of items taken. */
static int32_t items_solved_terms(const struct landscape *l, const uint8_t *bits)
{
	int32_t taken = 0;

	for (int32_t i = 0; i < l->n; i++)
		taken += bits[i];
	return taken;
}

static const struct landscape_oracle items_oracle = { items_evaluate, items_solved_terms,
						      items_release, NULL };

static int items_fill(struct landscape *l, const struct knapsack *k, struct err *e)
{
	int64_t capacity = k->capacity < k->sum_weight ? k->capacity : k->sum_weight;
	int status;

	if (k->sum_weight > INT32_MAX)
		return err_set(e, ERR_INPUT,
			       "weights of %" PRId64 " together do not fit in 32 bits",
			       k->sum_weight);
	if ((status = landscape_set_bounds(l, capacity - k->sum_weight, k->sum_profit, e)) ||
	    (status = landscape_new_data(l, (int64_t)landscape_knapsack_item(l->n), e)))
		return status;
	l->data[0] = (int32_t)capacity;
	for (int32_t i = 0; i < l->n; i++) {
		int32_t *item = l->data + landscape_knapsack_item(i);

		item[0] = (int32_t)k->profit[i];
		item[1] = (int32_t)k->weight[i];
	}
	return 0;
}

/* Computes the optimum instead of using knapsack_known_optimum: see landscape.h. */
static int items_find_optimum(struct landscape *l, const struct knapsack *k, struct err *e)
{
	struct err own = { 0 };
	int64_t optimum;
	int status;

	if (k->n > ITEMS_EXACT)
		return 0;
	status = knapsack_oracle(k, STATES, 0, &optimum, &own);
	if (status && status != ERR_LIMIT)
		return err_set(e, status, "%s", own.text);
	if (!status)
		landscape_set_optimum(l, optimum, "sparse dynamic programming");
	return 0;
}

static int load_knapsack(struct landscape *l, int32_t order, const char *instance, struct err *e)
{
	struct items_source *s;
	int status;

	(void)order;
	l->kind = LANDSCAPE_KNAPSACK;
	if ((status = landscape_new_source(l, sizeof(*s), &items_oracle, e)))
		return status;
	s = l->source;
	if ((status = knapsack_load(&s->k, instance, e)))
		return status;
	if ((status = landscape_check_variables(s->k.n, e)))
		return status;
	snprintf(l->name, sizeof(l->name), "knapsack:%.100s", s->k.name);
	l->n = l->terms = (int32_t)s->k.n;
	status = items_fill(l, &s->k, e);
	return status ? status : items_find_optimum(l, &s->k, e);
}

/* ---- NK landscapes ---- */

/* Kauffman, "Adaptation on rugged fitness landscapes", 1989: a term for each variable, with a
 * random table over that variable and K others.
 *
 * The K others of variable 0, 1, ... are distinct and drawn uniformly from one sequence. On a ring
 * they are the next K, and the optimum can be computed for many variables too (Pelikan, Sastry,
 * Butz, Goldberg, "Performance of evolutionary algorithms on random decomposable problems", PPSN
 * 2006, and Pelikan et al. on nearest neighbours, GECCO 2009). Table values are counter-based
 * random numbers, so the oracle needs no table. */

enum { K_MAX = 20, VALUES = 1000000 };

struct nk_source {
	struct landscape_source base;
	uint64_t tables;     /* seed of the values */
	int32_t *neighbours; /* K of each variable */
};

static void nk_release(void *source)
{
	free(((struct nk_source *)source)->neighbours);
}

static int32_t table_value(const struct nk_source *s, int32_t k, int32_t term, uint32_t row)
{
	uint64_t place = ((uint64_t)term << (k + 1)) + row;

	return (int32_t)((rng_at(s->tables, place) >> 32) * VALUES >> 32);
}

/* Bit 0 of a row is the variable of the term; bits 1 .. K are its neighbours. */
static uint32_t row_of(const struct landscape *l, const uint8_t *bits, int32_t term)
{
	const struct nk_source *s = l->source;
	int32_t k = l->parameter - 1;
	uint32_t row = bits[term];

	for (int32_t i = 0; i < k; i++)
		row |= (uint32_t)bits[s->neighbours[(size_t)term * (size_t)k + (size_t)i]]
		       << (i + 1);
	return row;
}

static int64_t nk_evaluate(const struct landscape *l, const uint8_t *bits)
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

static int32_t nk_solved_terms(const struct landscape *l, const uint8_t *bits)
{
	int32_t solved = 0;

	for (int32_t t = 0; t < l->n; t++)
		solved += table_value(l->source, l->parameter - 1, t, row_of(l, bits, t)) ==
			  greatest_of(l, t);
	return solved;
}

static const struct landscape_oracle nk_oracle = { nk_evaluate, nk_solved_terms, nk_release, NULL };

static bool among(int32_t x, const int32_t *values, int32_t count)
{
	for (int32_t i = 0; i < count; i++)
		if (values[i] == x)
			return true;
	return false;
}

/* Draws a neighbour of variable v that differs from v and from its first `count` neighbours. */
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
	struct nk_source *s = l->source;
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

static int nk_fill(struct landscape *l, struct err *e)
{
	const struct nk_source *s = l->source;
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

static int load_nk(struct landscape *l, int32_t order, const char *instance, struct err *e)
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
	if ((status = landscape_new_source(l, sizeof(struct nk_source), &nk_oracle, e)) ||
	    (status = make_neighbours(l, ring, (uint64_t)given[2], e)) || (status = nk_fill(l, e)))
		return status;
	return landscape_try_elimination(l, e);
}

/* ---- Ising spin glasses ---- */

/* Spin glass on a two-dimensional torus with couplings +1 or -1 of equal probability (Toulouse
 * 1977; Edwards, Anderson 1975). Variable row * side + column is a spin, 1 for up and 0 for down. f
 * is the number of satisfied couplings; the energy is 2 side^2 - 2 f. */

/* Above SIDE_EXACT the transfer matrix takes more than a fraction of a second. */
enum { SIDE_MAX = 256, SIDE_EXACT = 12 };

struct ising_source {
	struct landscape_source base;
	int32_t side;
	uint64_t seed;
};

static int32_t ising_satisfied(const struct landscape *l, const uint8_t *bits)
{
	const struct ising_source *s = l->source;
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

static int64_t ising_evaluate(const struct landscape *l, const uint8_t *bits)
{
	return ising_satisfied(l, bits);
}

static const struct landscape_oracle ising_oracle = { ising_evaluate, ising_satisfied, NULL, NULL };

/* Two tables for all couplings, the one for equal spins first. */
static int ising_fill(struct landscape *l, int32_t side, uint64_t seed, struct err *e)
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

static int load_ising(struct landscape *l, int32_t order, const char *instance, struct err *e)
{
	int64_t given[2] = { 0, 1 }, optimum;
	struct ising_source *s;
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
	if ((status = landscape_new_source(l, sizeof(*s), &ising_oracle, e)))
		return status;
	s = l->source;
	s->side = (int32_t)given[0];
	s->seed = (uint64_t)given[1];
	if ((status = ising_fill(l, s->side, s->seed, e)) || s->side > SIDE_EXACT)
		return status;
	if ((status = landscape_ising_transfer(s->side, s->seed, &optimum, e)))
		return status;
	landscape_set_optimum(l, optimum, "transfer matrix");
	return 0;
}

/* ---- problems by name ---- */

/* In the order of `list`. */
static const struct problem {
	const char *name;
	bool ordered; /* a digit follows the name */
	landscape_loader *load;
	const char *instance, *what;
} problems[] = {
	{ "trap", true, load_trap, "N",
	  "deceptive traps of K = 2..8 successive bits; N a multiple of K" },
	{ "onemax", false, load_onemax, "N", "number of ones" },
	{ "overlap", true, load_overlap, "N",
	  "traps that share their last bit with the next one; N = (K - 1) blocks + 1" },
	{ "htrap", false, load_htrap, "27, 81, 243...", "hierarchical trap of order 3" },
	{ "htrap", true, load_htrap, "27, 81, 243...",
	  "the same; in htrap2 the lower levels prefer zeros too" },
	{ "nk", false, load_nk, "N:K[:SEED]", "NK landscape, random neighbours" },
	{ "nk", false, load_nk, "ring:N:K[:SEED]", "the same, the neighbours are the next K" },
	{ "ising", false, load_ising, "SIDE[:SEED]",
	  "spin glass on a torus, couplings +-1: number of satisfied ones" },
	{ "maxsat", false, landscape_maxsat, "FILE, random:V:C[:SEED]",
	  "DIMACS cnf or wcnf: weight of satisfied clauses; hard ones must hold" },
	{ "maxsat", false, landscape_maxsat, "planted:V:C[:SEED]",
	  "random 3-clauses that one assignment satisfies" },
	{ "knapsack", false, load_knapsack, "FILE, boyer:N[:SEED]...",
	  "profit, or minus the weight above the capacity" },
};

enum { PROBLEMS = sizeof(problems) / sizeof(problems[0]) };

static const struct problem *find_problem(const char *name, int32_t *order)
{
	for (size_t i = 0; i < PROBLEMS; i++) {
		const struct problem *p = &problems[i];
		size_t length = strlen(p->name);

		*order = 0;
		if (strncmp(name, p->name, length) != 0)
			continue;
		if (p->ordered && isdigit((unsigned char)name[length]))
			*order = name[length++] - '0';
		if (name[length] == '\0' && p->ordered == (*order != 0))
			return p;
	}
	return NULL;
}

bool landscape_is_problem(const char *name)
{
	int32_t order;

	return find_problem(name, &order) != NULL;
}

int landscape_load(struct landscape *l, const char *problem, const char *instance, struct err *e)
{
	int32_t order;
	const struct problem *p = find_problem(problem, &order);
	int status;

	*l = (struct landscape){ .n = 0 };
	if (!p)
		return err_set(e, ERR_USAGE, "%s is not a known problem; see `list`", problem);
	snprintf(l->name, sizeof(l->name), "%s:%s", problem, instance);
	status = p->load(l, order, instance, e);
	if (!status)
		return 0;
	if (e && (!*instance || strncmp(e->text, instance, strlen(instance)) != 0))
		err_prefix(e, "%s:%s", problem, instance);
	landscape_free(l);
	return status;
}

void landscape_free(struct landscape *l)
{
	struct landscape_source *s = l->source;

	if (s && s->oracle->release)
		s->oracle->release(s);
	free(s);
	free(l->data);
	*l = (struct landscape){ .n = 0 };
}

static const struct landscape_oracle *oracle_of(const struct landscape *l)
{
	return ((const struct landscape_source *)l->source)->oracle;
}

int64_t landscape_evaluate(const struct landscape *l, const uint8_t *bits)
{
	return oracle_of(l)->evaluate(l, bits);
}

int32_t landscape_solved_terms(const struct landscape *l, const uint8_t *bits)
{
	return oracle_of(l)->solved_terms(l, bits);
}

bool landscape_count_clauses(const struct landscape *l, const uint8_t *bits,
			     struct landscape_clauses *c)
{
	const struct landscape_oracle *oracle = oracle_of(l);

	*c = (struct landscape_clauses){ .hard_violated = 0 };
	if (oracle->count_clauses)
		oracle->count_clauses(l, bits, c);
	return oracle->count_clauses != NULL;
}

bool landscape_feasible(const struct landscape *l, const uint8_t *bits)
{
	struct landscape_clauses c;

	if (landscape_count_clauses(l, bits, &c))
		return c.hard_violated == 0;
	return l->kind != LANDSCAPE_KNAPSACK || landscape_evaluate(l, bits) >= 0;
}

void landscape_print_problems(void)
{
	for (size_t i = 0; i < PROBLEMS; i++) {
		const struct problem *p = &problems[i];
		char name[32];

		snprintf(name, sizeof(name), "%s%s", p->name, p->ordered ? "K" : "");
		printf("  %-10s %-28s %s\n", name, p->instance, p->what);
	}
}
