/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "datasets/landscape/landscape_exact.h"

#include <stdlib.h>
#include <string.h>

#include "datasets/landscape/landscape_make.h"

/* ---- variable elimination ---- */

enum { ROOM_BITS = 22, SCOPE_MAX = ROOM_BITS, TERMS_MAX = 1 << 14 };
enum { VARIABLES = 1024, SET_WORDS = VARIABLES / 64 };

/* A function of some variables (in ascending order): bit i of the index of a value is variable[i].
 */
struct factor {
	int32_t count;
	int32_t variable[SCOPE_MAX];
	int32_t *value; /* NULL: merged into another factor */
};

struct elimination {
	int32_t n, factors;
	int64_t room;          /* number of table values that may still be allocated */
	struct factor *factor; /* the terms, then one for each eliminated variable */
	uint64_t (*neighbours)[SET_WORDS];
	uint64_t (*planned)[SET_WORDS]; /* neighbours during planning */
	uint64_t gone[SET_WORDS];
	int32_t *order;
	int32_t *sum; /* the sum of factors */
	uint32_t *row;
};

static bool has(const uint64_t *set, int32_t v)
{
	return set[v / 64] >> v % 64 & 1;
}

static void put(uint64_t *set, int32_t v)
{
	set[v / 64] |= UINT64_C(1) << v % 64;
}

static void drop(uint64_t *set, int32_t v)
{
	set[v / 64] &= ~(UINT64_C(1) << v % 64);
}

static int32_t size_of(const uint64_t *set)
{
	int32_t size = 0;

	for (int i = 0; i < SET_WORDS; i++)
		size += __builtin_popcountll(set[i]);
	return size;
}

static int too_large(struct err *e)
{
	return err_set(e, ERR_LIMIT,
		       "too many variables depend on each other for variable elimination");
}

/* Appends a factor: a table of zeros over the variables of a set. */
static int new_factor(struct elimination *x, const uint64_t *scope, struct err *e)
{
	struct factor *f = &x->factor[x->factors];
	int32_t size = size_of(scope);

	if (size > SCOPE_MAX || (x->room -= INT64_C(1) << size) < 0)
		return too_large(e);
	f->count = 0;
	for (int32_t v = 0; v < x->n; v++)
		if (has(scope, v))
			f->variable[f->count++] = v;
	f->value = calloc((size_t)1 << size, sizeof(*f->value));
	if (!f->value)
		return err_set(e, ERR_MEMORY, "no memory to eliminate variables");
	x->factors++;
	for (int32_t i = 0; i < f->count; i++) {
		uint64_t *mine = x->neighbours[f->variable[i]];

		for (int j = 0; j < SET_WORDS; j++)
			mine[j] |= scope[j];
		drop(mine, f->variable[i]);
	}
	return 0;
}

static int32_t place_in(const struct factor *f, int32_t variable)
{
	int32_t i = 0;

	while (f->variable[i] != variable)
		i++;
	return i;
}

static int add_table(struct elimination *x, const struct landscape *l, int32_t t, struct err *e)
{
	const int32_t *term = l->data + landscape_additive_term(l->parameter, t);
	uint64_t scope[SET_WORDS] = { 0 };
	int status;

	for (int32_t i = 0; i < l->parameter; i++)
		put(scope, term[1 + i]);
	if ((status = new_factor(x, scope, e)))
		return status;
	for (uint32_t row = 0; row < UINT32_C(1) << l->parameter; row++) {
		const struct factor *f = &x->factor[x->factors - 1];
		uint32_t mine = 0;

		for (int32_t i = 0; i < l->parameter; i++)
			mine |= (row >> i & 1) << place_in(f, term[1 + i]);
		f->value[mine] = l->data[(uint32_t)term[0] + row];
	}
	return 0;
}

/* A table with the weight everywhere except where all literals are false. A clause with both
 * literals of a variable has no such entry. */
static int add_clause(struct elimination *x, const struct landscape *l, int32_t t, struct err *e)
{
	const int32_t *from = l->data + l->data[t], *end = l->data + l->data[t + 1];
	uint64_t scope[SET_WORDS] = { 0 }, negated[SET_WORDS] = { 0 }, plain[SET_WORDS] = { 0 };
	struct factor *f = &x->factor[x->factors];
	uint32_t falsified = 0;
	bool always = false;
	int status;

	for (const int32_t *literal = from + 1; literal < end; literal++) {
		put(scope, *literal >> 1);
		put(*literal & 1 ? negated : plain, *literal >> 1);
	}
	if ((status = new_factor(x, scope, e)))
		return status;
	for (int32_t i = 0; i < f->count; i++) {
		falsified |= (uint32_t)has(negated, f->variable[i]) << i;
		always |= has(negated, f->variable[i]) && has(plain, f->variable[i]);
	}
	for (uint32_t row = 0; row < UINT32_C(1) << f->count; row++)
		f->value[row] = row != falsified || always ? *from : 0;
	return 0;
}

/* The variable with the fewest neighbours; the lowest one of several. */
static int32_t choose(const struct elimination *x)
{
	int32_t best = -1, fewest = 0;

	for (int32_t v = 0; v < x->n; v++) {
		int32_t size;

		if (has(x->gone, v))
			continue;
		size = size_of(x->planned[v]);
		if (best < 0 || size < fewest) {
			best = v;
			fewest = size;
		}
	}
	return best;
}

/* Plans to eliminate a variable: all its neighbours become neighbours of each other. */
static void plan_without(struct elimination *x, int32_t v)
{
	const uint64_t *scope = x->planned[v];

	put(x->gone, v);
	for (int32_t u = 0; u < x->n; u++) {
		if (!has(scope, u))
			continue;
		for (int j = 0; j < SET_WORDS; j++)
			x->planned[u][j] |= scope[j];
		drop(x->planned[u], u);
		drop(x->planned[u], v);
	}
}

/* Plans the order from sets alone, so exceeding the limits is detected before any table is
 * computed. */
static int plan(struct elimination *x, struct err *e)
{
	int64_t room = x->room;

	memcpy(x->planned, x->neighbours, (size_t)x->n * sizeof(*x->planned));
	for (int32_t i = 0; i < x->n; i++) {
		int32_t v = choose(x), size = size_of(x->planned[v]);

		if (size >= SCOPE_MAX || (room -= INT64_C(1) << size) < 0)
			return too_large(e);
		x->order[i] = v;
		plan_without(x, v);
	}
	return 0;
}

/* Adds f to x->sum, a table over the variables of `all`, which include those of f. */
static void add_factor(struct elimination *x, const struct factor *f, const struct factor *all)
{
	uint32_t bit[SCOPE_MAX] = { 0 };

	for (int32_t i = 0; i < f->count; i++)
		bit[place_in(all, f->variable[i])] = UINT32_C(1) << i;
	x->row[0] = 0;
	x->sum[0] += f->value[0];
	for (uint32_t row = 1; row < UINT32_C(1) << all->count; row++) {
		x->row[row] = x->row[row & (row - 1)] | bit[__builtin_ctz(row)];
		x->sum[row] += f->value[x->row[row]];
	}
}

/* Adds all factors with variable v to x->sum and frees them. */
static void gather(struct elimination *x, int32_t v, const struct factor *all)
{
	memset(x->sum, 0, sizeof(*x->sum) << all->count);
	for (int32_t i = 0; i < x->factors; i++) {
		struct factor *f = &x->factor[i];
		bool mine = false;

		for (int32_t j = 0; f->value && j < f->count; j++)
			mine |= f->variable[j] == v;
		if (!mine)
			continue;
		add_factor(x, f, all);
		free(f->value);
		f->value = NULL;
	}
}

/* Replaces the factors with v by one without it: the better of v = 0 and v = 1. */
static int eliminate(struct elimination *x, int32_t v, struct err *e)
{
	uint64_t scope[SET_WORDS];
	struct factor all = { 0 }, *f = &x->factor[x->factors];
	uint32_t bit, low;
	int status;

	memcpy(scope, x->neighbours[v], sizeof(scope));
	put(scope, v);
	for (int32_t u = 0; u < x->n; u++)
		if (has(scope, u))
			all.variable[all.count++] = u;
	gather(x, v, &all);
	drop(scope, v);
	if ((status = new_factor(x, scope, e)))
		return status;
	bit = UINT32_C(1) << place_in(&all, v);
	for (uint32_t row = 0; row < UINT32_C(1) << f->count; row++) {
		low = (row & ~(bit - 1)) << 1 | (row & (bit - 1));
		f->value[row] = x->sum[low] > x->sum[low | bit] ? x->sum[low] : x->sum[low | bit];
	}
	for (int32_t i = 0; i < f->count; i++)
		drop(x->neighbours[f->variable[i]], v);
	return 0;
}

static int run(struct elimination *x, const struct landscape *l, struct err *e)
{
	int status = 0;

	for (int32_t t = 0; t < l->terms && !status; t++)
		status = l->kind == LANDSCAPE_MAXSAT ? add_clause(x, l, t, e) :
						       add_table(x, l, t, e);
	if (!status)
		status = plan(x, e);
	for (int32_t i = 0; i < x->n && !status; i++)
		status = eliminate(x, x->order[i], e);
	return status;
}

/* ERR_LIMIT if the landscape exceeds the limits. */
static int find_optimum(const struct landscape *l, int64_t *optimum, struct err *e)
{
	struct elimination x = { .n = l->n, .room = INT64_C(1) << ROOM_BITS };
	int status;

	if (l->n > VARIABLES || l->terms > TERMS_MAX)
		return too_large(e);
	x.factor = calloc((size_t)l->terms + (size_t)l->n, sizeof(*x.factor));
	x.neighbours = calloc((size_t)l->n, sizeof(*x.neighbours));
	x.planned = malloc((size_t)l->n * sizeof(*x.planned));
	x.order = malloc((size_t)l->n * sizeof(*x.order));
	x.sum = malloc(sizeof(*x.sum) << SCOPE_MAX);
	x.row = malloc(sizeof(*x.row) << SCOPE_MAX);
	if (x.factor && x.neighbours && x.planned && x.order && x.sum && x.row)
		status = run(&x, l, e);
	else
		status = err_set(e, ERR_MEMORY, "no memory to eliminate variables");
	/* the remaining factors are constants */
	*optimum = 0;
	for (int32_t i = 0; i < x.factors; i++) {
		if (x.factor[i].value)
			*optimum += x.factor[i].value[0];
		free(x.factor[i].value);
	}
	free(x.factor);
	free(x.neighbours);
	free(x.planned);
	free(x.order);
	free(x.sum);
	free(x.row);
	return status;
}

int landscape_try_elimination(struct landscape *l, struct err *e)
{
	int64_t optimum = 0;
	struct err own = { 0 };
	int status = find_optimum(l, &optimum, &own);

	if (status == ERR_LIMIT)
		return 0;
	if (status)
		return err_set(e, status, "%s", own.text);
	landscape_set_optimum(l, optimum, "variable elimination");
	return 0;
}

/* ---- transfer matrix of a torus ---- */

/* The first row is fixed, and LANES first rows are processed at a time. value[state * LANES + lane]
 * is the largest number of couplings satisfied so far if the current row, swept column by column,
 * is in that state. */
enum { LANES = 32 };

struct sweep {
	int32_t side;
	uint64_t seed;
	uint32_t states;
	uint8_t *within; /* satisfied couplings within each row, for each state of the row */
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

/* Each lane starts at a different first row, with so large a lead that no other state can catch up.
 */
static void start_sweep(struct sweep *s, uint32_t first)
{
	uint16_t ahead = (uint16_t)(4 * s->side * s->side);

	memset(s->value, 0, (size_t)s->states * LANES * sizeof(*s->value));
	for (uint32_t lane = 0; lane < LANES && first + lane < s->states; lane++)
		s->value[(size_t)(first + lane) * LANES + lane] =
			(uint16_t)(ahead + s->within[first + lane]);
}

/* Moves the sweep at `column` from `row` to the next row. */
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

/* Adds the couplings between the last and the first row. */
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
	start_sweep(s, first);
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
		/* flipping all spins changes nothing: fix the last spin of the first row at 0 */
		for (uint32_t first = 0; first < s.states / 2; first += LANES) {
			int64_t best = best_from(&s, first);

			*optimum = best > *optimum ? best : *optimum;
		}
	}
	free(s.within);
	free(s.value);
	return *optimum ? 0 : err_set(e, ERR_MEMORY, "no memory for %u states", s.states);
}
