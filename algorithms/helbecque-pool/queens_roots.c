/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/helbecque-pool/queens_roots.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/rng.h"
#include "kernels/tree-search/queens.h"

/* The node without queens: the next row is the middle one, then the one above it. */
static struct pool_queens_node empty_board(int queens)
{
	return (struct pool_queens_node){ .taken = ~queens_full(queens),
					  .open = queens_full(queens) |
						  UINT32_C(1) << POOL_QUEENS_SPAN_SHIFT };
}

/* ---- the middle rows, one of each orbit ---- */

enum { MIDDLE_MAX = 3 };

struct middle {
	struct pool_queens_roots *roots;
	int rows;
	int column[MIDDLE_MAX]; /* in the order in which they are placed */
};

/* Reflects column[]. Bit 0 of `how` swaps left and right, bit 1 top and bottom. The two rows placed
 * last are the outermost. */
static void reflected(const struct middle *m, int how, int *column)
{
	for (int i = 0; i < m->rows; i++) {
		int from = how & 2 && i >= m->rows - 2 ? 2 * m->rows - 3 - i : i;

		column[i] = how & 1 ? m->roots->queens - 1 - m->column[from] : m->column[from];
	}
}

/* The size of the orbit, or 0 if another placement represents it. */
static int orbit(const struct middle *m)
{
	int same = 0;

	if (m->roots->no_symmetry)
		return 1;
	for (int how = 0; how < 4; how++) {
		int other[MIDDLE_MAX], d = 0;

		reflected(m, how, other);
		for (int i = 0; i < m->rows && !d; i++)
			d = other[i] - m->column[i];
		if (d < 0)
			return 0;
		same += d == 0;
	}
	return 4 / same;
}

/* The distance of the middle row's queen from the middle column. */
static int distance(const struct middle *m)
{
	return abs(m->column[0] - m->roots->queens / 2);
}

/* Whether the reflections in the diagonals are used for this queen of the middle row. They are used
 * only if only solutions are counted and N is odd. */
static bool by_diagonals(const struct middle *m)
{
	return m->roots->solutions_only && m->roots->queens % 2 && distance(m) > 0;
}

static struct pool_queens_rule rule_of(const struct middle *m)
{
	return (struct pool_queens_rule){ m->roots->queens,
					  by_diagonals(m) ? 2 * (uint32_t)distance(m) + 1 : 0 };
}

/* Adds a node of even depth and what it counts. Returns false if there is no memory. */
static bool add_root(struct middle *m, const struct pool_queens_child *c, int weight)
{
	struct pool_queens_roots *r = m->roots;
	struct pool_queens_group *g =
		&r->group[3 * (by_diagonals(m) ? distance(m) : 0) + weight / 2];

	r->explored += (uint64_t)weight;
	r->halves += (uint64_t)weight * c->halves;
	g->rule = rule_of(m);
	g->weight = (uint64_t)weight << by_diagonals(m);
	if (!c->alive)
		return true;
	if (g->count == g->room) {
		g->room = g->room ? g->room * 2 : 64;
		struct pool_queens_node *more = realloc(g->node, (size_t)g->room * sizeof(*more));

		if (!more)
			return false;
		g->node = more;
	}
	g->node[g->count++] = c->node;
	r->count++;
	return true;
}

/* Marks the middle column as taken, as the rule requires. Returns false if that would hold for all
 * rows. */
static bool begin_rule(const struct middle *m, struct pool_queens_node *n)
{
	struct pool_queens_rule rule = rule_of(m);

	if (!rule.release)
		return true;
	n->taken |= UINT32_C(1) << rule.queens / 2;
	n->open &= ~(UINT32_C(1) << rule.queens / 2);
	return rule.release < (uint32_t)rule.queens;
}

static bool place_middle(struct middle *m, const struct pool_queens_node *n, int row)
{
	bool ok = true;

	for (uint32_t open = pool_queens_open(n); ok && open; open &= open - 1) {
		struct pool_queens_rule rule = { m->roots->queens, 0 };

		m->column[row] = __builtin_ctz(open);
		if (row > 0)
			rule = rule_of(m);
		struct pool_queens_child c = pool_queens_place(n, open & (0 - open), &rule);

		if (row == 0 && !begin_rule(m, &c.node))
			continue;
		if (row + 1 < m->rows && row + 1 < MIDDLE_MAX) {
			m->roots->explored++;
			ok = place_middle(m, &c.node, row + 1);
			continue;
		}
		int weight = orbit(m);

		ok = !weight || add_root(m, &c, weight);
	}
	return ok;
}

/* ---- more rows ---- */

static int descend(struct pool_queens_roots *r, struct pool_queens_group *g, struct err *e)
{
	struct pool_queens_node *in = g->node, *out;
	int64_t count = 0;

	g->room = 1;
	for (int64_t i = 0; i < g->count; i++)
		g->room += __builtin_popcount(pool_queens_open(&in[i]));
	out = malloc((size_t)g->room * sizeof(*out));
	if (!out)
		return err_set(e, ERR_MEMORY, "no memory for %lld roots", (long long)g->room);
	for (int64_t i = 0; i < g->count; i++) {
		for (uint32_t open = pool_queens_open(&in[i]); open; open &= open - 1) {
			struct pool_queens_child c =
				pool_queens_place(&in[i], open & (0 - open), &g->rule);

			r->halves += g->weight * c.halves;
			r->solutions += g->weight * c.solution;
			out[count] = c.node;
			count += c.alive;
		}
	}
	r->count += count - g->count;
	free(in);
	g->node = out;
	g->count = count;
	return 0;
}

int pool_queens_roots_make(struct pool_queens_roots *r, const struct search_request *q, int depth,
			   int64_t enough, struct err *e)
{
	struct pool_queens_node empty = empty_board(q->queens);
	struct middle m = { .roots = r, .rows = q->queens % 2 ? 3 : 2 };
	int status = 0;

	memset(r, 0, sizeof(*r));
	r->queens = q->queens;
	r->solutions_only = q->solutions_only;
	r->no_symmetry = q->forms & SEARCH_NO_SYMMETRY;
	r->depth = m.rows;
	if (!place_middle(&m, &empty, 0))
		status = err_set(e, ERR_MEMORY, "no memory for the roots of %d queens", q->queens);
	for (; !status && r->depth < depth && r->count < enough; r->depth++)
		for (int g = 0; !status && g < POOL_QUEENS_GROUPS; g++)
			status = descend(r, &r->group[g], e);
	if (status)
		pool_queens_roots_free(r);
	return status;
}

void pool_queens_roots_free(struct pool_queens_roots *r)
{
	for (int g = 0; g < POOL_QUEENS_GROUPS; g++)
		free(r->group[g].node);
	memset(r, 0, sizeof(*r));
}

/* One random descent from a root: the product of the numbers of living children. */
static double one_descent(const struct pool_queens_roots *r, struct pool_queens_node node,
			  const struct pool_queens_rule *rule, int depth, struct rng *random)
{
	double nodes = 1;

	for (int d = r->depth; d < depth; d++) {
		struct pool_queens_node alive[POOL_QUEENS_MAX];
		uint64_t count = 0;

		for (uint32_t open = pool_queens_open(&node); open; open &= open - 1) {
			struct pool_queens_child c =
				pool_queens_place(&node, open & (0 - open), rule);

			alive[count] = c.node;
			count += c.alive;
		}
		if (!count)
			return 0;
		nodes *= (double)count;
		node = alive[rng_below(random, count)];
	}
	return nodes;
}

double pool_queens_roots_growth(const struct pool_queens_roots *r, int depth)
{
	enum { DESCENTS = 512 };
	struct rng random = rng_seeded(1);
	double sum = 0;

	for (const struct pool_queens_group *g = r->group; g < r->group + POOL_QUEENS_GROUPS; g++) {
		int64_t samples = g->count ? DESCENTS * g->count / r->count + 1 : 0;
		double some = 0;

		for (int64_t i = 0; i < samples; i++)
			some += one_descent(r, g->node[rng_below(&random, (uint64_t)g->count)],
					    &g->rule, depth, &random);
		sum += samples ? some / (double)samples * (double)g->count : 0;
	}
	return sum > (double)r->count ? sum / (double)r->count : 1;
}

/* ---- small boards ---- */

static void count_below(struct queens_masks q, int row, int queens, uint64_t *explored,
			uint64_t *solutions)
{
	for (uint32_t set = queens_open_columns(q, queens_full(queens)); set; set &= set - 1) {
		++*explored;
		if (row + 1 == queens)
			++*solutions;
		else
			count_below(queens_put(q, set & (0 - set)), row + 1, queens, explored,
				    solutions);
	}
}

void pool_queens_small(int queens, uint64_t *explored, uint64_t *solutions)
{
	*explored = *solutions = 0;
	count_below((struct queens_masks){ 0, 0, 0 }, 0, queens, explored, solutions);
}

/* ---- dealing ---- */

/* The first root of share `share` of `count` roots. */
static int64_t share_start(int64_t count, int share, int shares)
{
	int64_t longer = count % shares; /* the first shares have one more */

	return count / shares * share + (share < longer ? share : longer);
}

int pool_queens_roots_share(struct pool_queens_roots *r, int shares, struct err *e)
{
	for (struct pool_queens_group *g = r->group; g < r->group + POOL_QUEENS_GROUPS; g++) {
		struct pool_queens_node *to = malloc((size_t)(g->count + 1) * sizeof(*to));

		if (!to)
			return err_set(e, ERR_MEMORY, "no memory to share out %lld roots",
				       (long long)g->count);
		for (int64_t i = 0; i < g->count; i++)
			to[share_start(g->count, (int)(i % shares), shares) + i / shares] =
				g->node[i];
		free(g->node);
		g->node = to;
	}
	return 0;
}

void pool_queens_dealer_open(struct pool_queens_dealer *d, const struct pool_queens_roots *r,
			     int share, int shares, int takers)
{
	pthread_mutex_init(&d->lock, NULL);
	d->roots = r;
	d->takers = takers;
	d->all = 0;
	for (int g = 0; g < POOL_QUEENS_GROUPS; g++) {
		d->next[g] = share_start(r->group[g].count, share, shares);
		d->end[g] = share_start(r->group[g].count, share + 1, shares);
		d->all += d->end[g] - d->next[g];
	}
	d->left = d->all;
}

void pool_queens_dealer_close(struct pool_queens_dealer *d)
{
	pthread_mutex_destroy(&d->lock);
}

/* The minimum number of parts per device: one up to 16 queens, which take milliseconds; more for
 * longer searches. */
static int64_t parts_a_taker(int queens)
{
	return queens <= 16 ? 1 : queens < 19 ? 2 << (queens - 17) : 8;
}

/* Parts shrink with the remaining roots, so that all takers end at the same time, but they stay
 * large enough to fill a device. */
static int64_t part_size(const struct pool_queens_dealer *d, int64_t most)
{
	int64_t parts = parts_a_taker(d->roots->queens) * d->takers;
	int64_t size = (d->left + parts - 1) / parts, least = d->all / (4 * parts) + 1;

	size = size > least ? size : least;
	return size < most ? size : most;
}

bool pool_queens_deal(struct pool_queens_dealer *d, int64_t most, struct pool_queens_part *p)
{
	bool found = false;

	pthread_mutex_lock(&d->lock);
	for (int g = POOL_QUEENS_GROUPS - 1; g >= 0 && !found; g--) {
		int64_t left = d->end[g] - d->next[g], size = part_size(d, most);

		if (!left)
			continue;
		size = size < left ? size : left;
		*p = (struct pool_queens_part){ &d->roots->group[g], d->next[g], size };
		d->next[g] += size;
		d->left -= size;
		found = true;
	}
	pthread_mutex_unlock(&d->lock);
	return found;
}
