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

/* Makes room for `room` roots. Returns false if there is no memory. */
static bool reserve(struct pool_queens_roots *r, struct pool_queens_group *g, int64_t room)
{
	struct pool_queens_node *node = realloc(g->node, (size_t)room * sizeof(*node));
	struct pool_queens_path *path = NULL;

	if (node)
		g->node = node;
	if (node && r->with_paths)
		path = realloc(g->path, (size_t)room * sizeof(*path));
	if (path)
		g->path = path;
	if (!node || (r->with_paths && !path))
		return false;
	g->room = room;
	return true;
}

/* Adds a root whose middle rows are those of `m`. path: NULL if paths are not kept. */
static bool add_to_group(struct middle *m, const struct pool_queens_node *node, int weight,
			 const struct pool_queens_path *path)
{
	struct pool_queens_roots *r = m->roots;
	struct pool_queens_group *g =
		&r->group[3 * (by_diagonals(m) ? distance(m) : 0) + weight / 2];

	g->rule = rule_of(m);
	g->weight = (uint64_t)weight << by_diagonals(m);
	if (g->count == g->room && !reserve(r, g, g->room ? g->room * 2 : 64))
		return false;
	if (path && r->with_paths)
		g->path[g->count] = *path;
	g->node[g->count++] = *node;
	r->count++;
	return true;
}

/* Adds a node of even depth and what it counts. Returns false if there is no memory. */
static bool add_root(struct middle *m, const struct pool_queens_child *c, int weight)
{
	struct pool_queens_roots *r = m->roots;
	struct pool_queens_path path = { { 0 } };

	r->explored += (uint64_t)weight;
	r->halves += (uint64_t)weight * c->halves;
	if (!c->alive)
		return true;
	for (int i = 0; i < m->rows; i++)
		path.column[i] = (uint8_t)m->column[i];
	return add_to_group(m, &c->node, weight, &path);
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

/* Adds the living children of root `i` of a group to `out`, and counts them. */
static void descend_root(struct pool_queens_roots *r, const struct pool_queens_group *g, int64_t i,
			 struct pool_queens_group *out)
{
	const struct pool_queens_node *n = &g->node[i];

	for (uint32_t open = pool_queens_open(n); open; open &= open - 1) {
		struct pool_queens_child c = pool_queens_place(n, open & (0 - open), &g->rule);

		r->halves += g->weight * c.halves;
		r->solutions += g->weight * c.solution;
		if (!c.alive)
			continue;
		if (r->with_paths) {
			out->path[out->count] = g->path[i];
			out->path[out->count].column[r->depth] = (uint8_t)__builtin_ctz(open);
		}
		out->node[out->count++] = c.node;
	}
}

static int descend(struct pool_queens_roots *r, struct pool_queens_group *g, struct err *e)
{
	struct pool_queens_group out = { .rule = g->rule, .weight = g->weight };
	int64_t room = 1;

	for (int64_t i = 0; i < g->count; i++)
		room += __builtin_popcount(pool_queens_open(&g->node[i]));
	if (!reserve(r, &out, room)) {
		free(out.node);
		return err_set(e, ERR_MEMORY, "no memory for %lld roots", (long long)room);
	}
	for (int64_t i = 0; i < g->count; i++)
		descend_root(r, g, i, &out);
	r->count += out.count - g->count;
	free(g->node);
	free(g->path);
	*g = out;
	return 0;
}

/* All groups. */
static int descend_all(struct pool_queens_roots *r, struct err *e)
{
	int status = 0;

	for (int g = 0; !status && g < POOL_QUEENS_GROUPS; g++)
		status = descend(r, &r->group[g], e);
	r->depth++;
	return status;
}

/* ---- records ---- */

/* Places `depth` queens. Returns false if that is no node of the search: queens attack each other,
 * or another placement represents it. *weight: of its orbit. */
static bool follow(struct middle *m, const struct pool_queens_path *path, int depth,
		   struct pool_queens_child *c, int *weight)
{
	struct pool_queens_node n = empty_board(m->roots->queens);

	for (int row = 0; row < depth; row++) {
		struct pool_queens_rule rule = { m->roots->queens, 0 };
		uint32_t bit = UINT32_C(1) << path->column[row];

		if (row < m->rows)
			m->column[row] = path->column[row];
		if (row > 0)
			rule = rule_of(m);
		if (!(pool_queens_open(&n) & bit))
			return false;
		*c = pool_queens_place(&n, bit, &rule);
		if (row == 0 && !begin_rule(m, &c->node))
			return false;
		n = c->node;
	}
	*weight = orbit(m);
	return *weight > 0;
}

/* Adds the roots of a record of depth r->depth. */
static int add_record(struct pool_queens_roots *r, const uint16_t *record, struct err *e)
{
	struct middle m = { .roots = r, .rows = r->queens % 2 ? 3 : 2 };
	struct pool_queens_path path = { { 0 } };
	int prefix = record[RECORD_PREFIX];

	for (int i = 0; i < prefix; i++)
		path.column[i] = (uint8_t)record[RECORD_ITEMS + i];
	for (int i = 0; i < record_nodes(record); i++) {
		struct pool_queens_child c;
		int weight;

		if (record[RECORD_OPEN])
			path.column[prefix] = (uint8_t)record[RECORD_ITEMS + prefix + i];
		if (!follow(&m, &path, r->depth, &c, &weight))
			return err_set(e, ERR_INPUT,
				       "an open node is not a node of this search of %d queens",
				       r->queens);
		if (c.alive && !add_to_group(&m, &c.node, weight, &path))
			return err_set(e, ERR_MEMORY, "no memory for the roots of %d queens",
				       r->queens);
	}
	return 0;
}

static int depth_of(const uint16_t *record)
{
	return record[RECORD_PREFIX] + (record[RECORD_OPEN] > 0);
}

/* Adds the records, which may have different depths: those with fewer queens get more rows. */
static int add_records(struct pool_queens_roots *r, const struct pool_open *from, struct err *e)
{
	int deepest = r->depth, status = 0;

	for (uint64_t i = 0; i < from->count; i++) {
		int depth = depth_of(pool_open_at(from, i));

		if (depth < r->depth || depth > r->queens - 2)
			return err_set(e, ERR_INPUT, "an open node has %d queens, not %d to %d",
				       depth, r->depth, r->queens - 2);
		deepest = depth > deepest ? depth : deepest;
	}
	for (;;) {
		for (uint64_t i = 0; !status && i < from->count; i++) {
			if (depth_of(pool_open_at(from, i)) == r->depth)
				status = add_record(r, pool_open_at(from, i), e);
		}
		if (status || r->depth == deepest)
			return status;
		status = descend_all(r, e);
	}
}

bool pool_queens_roots_tell(const struct pool_queens_roots *r, const struct pool_queens_group *g,
			    int64_t first, int64_t count, struct pool_open *open)
{
	for (int64_t i = first; i < first + count; i++) {
		const uint8_t *column = g->path[i].column;
		uint16_t *record = pool_open_add(open);
		uint32_t placed = 0;
		int at = RECORD_ITEMS;

		if (!record)
			return false;
		record[RECORD_PREFIX] = (uint16_t)r->depth;
		for (int k = 0; k < r->depth; k++) {
			placed |= UINT32_C(1) << column[k];
			record[at++] = column[k];
		}
		for (int k = 0; k < r->queens; k++)
			if (!(placed >> k & 1))
				record[at++] = (uint16_t)k;
	}
	return true;
}

int pool_queens_roots_make(struct pool_queens_roots *r, const struct search_request *q,
			   const struct pool_open *from, int depth, int64_t enough, struct err *e)
{
	struct pool_queens_node empty = empty_board(q->queens);
	struct middle m = { .roots = r, .rows = q->queens % 2 ? 3 : 2 };
	int status = 0;

	memset(r, 0, sizeof(*r));
	r->queens = q->queens;
	r->solutions_only = q->solutions_only;
	r->no_symmetry = q->forms & SEARCH_NO_SYMMETRY;
	r->with_paths = checkpoint_is_kept(q->checkpoint);
	r->depth = m.rows;
	if (from)
		status = add_records(r, from, e);
	else if (!place_middle(&m, &empty, 0))
		status = err_set(e, ERR_MEMORY, "no memory for the roots of %d queens", q->queens);
	while (!status && r->depth < depth && r->count < enough)
		status = descend_all(r, e);
	if (status)
		pool_queens_roots_free(r);
	return status;
}

void pool_queens_roots_free(struct pool_queens_roots *r)
{
	for (int g = 0; g < POOL_QUEENS_GROUPS; g++) {
		free(r->group[g].node);
		free(r->group[g].path);
	}
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
		struct pool_queens_group to = { .rule = g->rule,
						.weight = g->weight,
						.count = g->count };

		if (!reserve(r, &to, g->count + 1)) {
			free(to.node);
			return err_set(e, ERR_MEMORY, "no memory to share out %lld roots",
				       (long long)g->count);
		}
		for (int64_t i = 0; i < g->count; i++) {
			int64_t at = share_start(g->count, (int)(i % shares), shares) + i / shares;

			to.node[at] = g->node[i];
			if (r->with_paths)
				to.path[at] = g->path[i];
		}
		free(g->node);
		free(g->path);
		*g = to;
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
