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
	bool same;              /* the placements that queens.h calls "same" */
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

/* ---- the reflections in the diagonals ---- */

/* The distance of the i-th queen from the middle column. For even N the two middle columns have
 * distance 0. */
static int distance(const struct middle *m, int i)
{
	int right = m->column[i] - m->roots->queens / 2;

	return right < 0 && m->roots->queens % 2 == 0 ? -1 - right : abs(right);
}

static bool odd_rule(const struct middle *m)
{
	return m->roots->solutions_only && m->roots->queens % 2 && distance(m, 0) > 0;
}

static bool even_rule(const struct middle *m)
{
	const struct pool_queens_roots *r = m->roots;

	return r->solutions_only && r->queens % 2 == 0 && !r->no_symmetry;
}

/* Even N: the distance d of queens.h, or e if d = 0. *columns: the middle columns without a queen,
 * bit 0 for the left one and bit 1 for the right one. */
static uint32_t even_distance(const struct middle *m, uint32_t *columns)
{
	int a = distance(m, 0), b = distance(m, 1);

	*columns = 3;
	if (a > 0 && b > 0)
		return (uint32_t)(a < b ? a : b);
	*columns = m->column[a > 0] < m->roots->queens / 2 ? 2 : 1;
	return (uint32_t)(a + b);
}

/* The rule of queens.h for placements that represent an orbit of `weight` (1, 2, 4). */
static uint32_t rule_of(const struct middle *m, int weight)
{
	uint32_t columns = 0, release = 0, log2 = (uint32_t)weight / 2;

	if (odd_rule(m)) {
		columns = 2;
		release = 2 * (uint32_t)distance(m, 0) + 1;
		log2++;
	} else if (even_rule(m)) {
		release = 2 * even_distance(m, &columns) + (m->same ? 0 : 2);
		log2 += !m->same;
	}
	return columns | release << POOL_QUEENS_RELEASE_SHIFT |
	       (uint32_t)m->same << POOL_QUEENS_FORCED_SHIFT | log2 << POOL_QUEENS_WEIGHT_SHIFT;
}

/* ---- roots ---- */

/* Makes room for `room` roots. Returns false if there is no memory. */
static bool reserve(struct pool_queens_roots *r, int64_t room)
{
	struct pool_queens_node *node = realloc(r->node, (size_t)room * sizeof(*node));
	struct pool_queens_path *path = NULL;

	if (node)
		r->node = node;
	if (node && r->with_paths)
		path = realloc(r->path, (size_t)room * sizeof(*path));
	if (path)
		r->path = path;
	if (!node || (r->with_paths && !path))
		return false;
	r->room = room;
	return true;
}

/* Returns false if there is no memory. */
static bool add_root(struct pool_queens_roots *r, const struct pool_queens_node *node,
		     const struct pool_queens_path *path)
{
	if (r->count == r->room && !reserve(r, r->room ? r->room * 2 : 64))
		return false;
	if (r->with_paths)
		r->path[r->count] = *path;
	r->node[r->count++] = *node;
	return true;
}

/* Begins the rule in a node of depth `depth`: the middle columns count as taken. Returns false if
 * that would hold for all rows, or if nothing is open. */
static bool begin_rule(const struct middle *m, int depth, int weight, struct pool_queens_node *n)
{
	uint32_t rule = rule_of(m, weight), release = pool_queens_release(rule);
	uint32_t middle = pool_queens_middle(rule, m->roots->queens);

	n->rule = rule;
	if (release > (uint32_t)depth) {
		n->taken |= middle;
		n->open &= ~middle;
	}
	return release < (uint32_t)m->roots->queens && pool_queens_open(n) &&
	       ~(n->taken | n->up2 | n->down2);
}

/* Adds a placement of all middle rows, and what it counts, as a root of the kind m->same. Returns
 * false if there is no memory. */
static bool add_kind(struct middle *m, const struct pool_queens_child *c, int weight)
{
	struct pool_queens_node node = c->node;
	struct pool_queens_path path = { { 0 } };

	if (!c->alive)
		return true;
	if (even_rule(m) && !begin_rule(m, m->rows, weight, &node))
		return true;
	node.rule = rule_of(m, weight);
	for (int i = 0; i < m->rows; i++)
		path.column[i] = (uint8_t)m->column[i];
	return add_root(m->roots, &node, &path);
}

static bool add_middle(struct middle *m, const struct pool_queens_child *c, int weight)
{
	bool ok;

	m->roots->explored += (uint64_t)weight;
	m->roots->halves += (uint64_t)weight * c->halves;
	m->same = false;
	ok = add_kind(m, c, weight);
	if (!even_rule(m))
		return ok;
	m->same = true;
	ok = ok && add_kind(m, c, weight);
	m->same = false;
	return ok;
}

static bool place_middle(struct middle *m, const struct pool_queens_node *n, int row)
{
	bool ok = true;

	for (uint32_t open = pool_queens_open(n); ok && open; open &= open - 1) {
		struct pool_queens_child c =
			pool_queens_place(n, open & (0 - open), m->roots->queens);

		m->column[row] = __builtin_ctz(open);
		if (row == 0 && odd_rule(m) && !begin_rule(m, 1, 1, &c.node))
			continue;
		if (row + 1 < m->rows && row + 1 < MIDDLE_MAX) {
			m->roots->explored++;
			ok = place_middle(m, &c.node, row + 1);
			continue;
		}
		int weight = orbit(m);

		ok = !weight || add_middle(m, &c, weight);
	}
	return ok;
}

/* ---- more rows ---- */

/* Adds the living children of root `i` of `r` to `out`, and counts them. */
static bool descend_root(struct pool_queens_roots *r, int64_t i, struct pool_queens_roots *out)
{
	const struct pool_queens_node *n = &r->node[i];
	uint32_t weight = pool_queens_weight(n->rule);
	bool ok = true;

	for (uint32_t open = pool_queens_open(n); ok && open; open &= open - 1) {
		struct pool_queens_child c = pool_queens_place(n, open & (0 - open), r->queens);
		struct pool_queens_path path = { { 0 } };

		r->halves += (uint64_t)c.halves << weight;
		r->solutions += (uint64_t)c.solution << weight;
		if (r->with_paths) {
			path = r->path[i];
			path.column[r->depth] = (uint8_t)__builtin_ctz(open);
		}
		ok = !c.alive || add_root(out, &c.node, &path);
	}
	return ok;
}

/* Frees the roots of `r` and gives it those of `from`. */
static void replace_roots(struct pool_queens_roots *r, const struct pool_queens_roots *from)
{
	free(r->node);
	free(r->path);
	r->node = from->node;
	r->path = from->path;
	r->count = from->count;
	r->room = from->room;
}

/* Replaces all roots by their children. */
static int descend(struct pool_queens_roots *r, struct err *e)
{
	struct pool_queens_roots out = { .with_paths = r->with_paths };
	bool ok = true;

	for (int64_t i = 0; ok && i < r->count; i++)
		ok = descend_root(r, i, &out);
	if (!ok) {
		pool_queens_roots_free(&out);
		return err_set(e, ERR_MEMORY, "no memory for the roots of %d queens", r->queens);
	}
	replace_roots(r, &out);
	r->depth++;
	return 0;
}

/* ---- records ---- */

/* Places `depth` queens. Returns false if that is no node of the search: queens attack each other,
 * or another placement represents it. */
static bool follow(struct middle *m, const struct pool_queens_path *path, int depth,
		   struct pool_queens_child *c)
{
	struct pool_queens_node n = empty_board(m->roots->queens);
	int known = even_rule(m) ? 2 : 1; /* the depth at which the rule is known */
	int weight;

	for (int row = 0; row < depth; row++) {
		uint32_t bit = UINT32_C(1) << path->column[row];

		if (row < m->rows)
			m->column[row] = path->column[row];
		if (!(pool_queens_open(&n) & bit))
			return false;
		*c = pool_queens_place(&n, bit, m->roots->queens);
		if (row + 1 == known && !begin_rule(m, known, 1, &c->node))
			return false;
		n = c->node;
	}
	weight = orbit(m);
	c->node.rule = rule_of(m, weight);
	return weight > 0;
}

/* Adds the roots of a record of depth r->depth. */
static int add_record(struct pool_queens_roots *r, const uint16_t *record, struct err *e)
{
	struct middle m = { .roots = r,
			    .rows = r->queens % 2 ? 3 : 2,
			    .same = record[RECORD_SIDE] != 0 };
	struct pool_queens_path path = { { 0 } };
	int prefix = record[RECORD_PREFIX];

	for (int i = 0; i < prefix; i++)
		path.column[i] = (uint8_t)record[RECORD_ITEMS + i];
	for (int i = 0; i < record_nodes(record); i++) {
		struct pool_queens_child c = { .alive = false };

		if (record[RECORD_OPEN])
			path.column[prefix] = (uint8_t)record[RECORD_ITEMS + prefix + i];
		if (!follow(&m, &path, r->depth, &c))
			return err_set(e, ERR_INPUT,
				       "an open node is not a node of this search of %d queens",
				       r->queens);
		if (c.alive && !add_root(r, &c.node, &path))
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
		status = descend(r, e);
	}
}

bool pool_queens_roots_tell(const struct pool_queens_roots *r, int64_t first, int64_t count,
			    struct pool_open *open)
{
	for (int64_t i = first; i < first + count; i++) {
		const uint8_t *column = r->path[i].column;
		uint16_t *record = pool_open_add(open);
		uint32_t placed = 0;
		int at = RECORD_ITEMS;

		if (!record)
			return false;
		record[RECORD_PREFIX] = (uint16_t)r->depth;
		record[RECORD_SIDE] = pool_queens_forced(r->node[i].rule) > 0;
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
		status = descend(r, e);
	if (status)
		pool_queens_roots_free(r);
	return status;
}

void pool_queens_roots_free(struct pool_queens_roots *r)
{
	free(r->node);
	free(r->path);
	memset(r, 0, sizeof(*r));
}

/* One random descent from a root: the product of the numbers of living children. */
static double one_descent(const struct pool_queens_roots *r, struct pool_queens_node node,
			  int depth, struct rng *random)
{
	double nodes = 1;

	for (int d = r->depth; d < depth; d++) {
		struct pool_queens_node alive[POOL_QUEENS_MAX];
		uint64_t count = 0;

		for (uint32_t open = pool_queens_open(&node); open; open &= open - 1) {
			struct pool_queens_child c =
				pool_queens_place(&node, open & (0 - open), r->queens);

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

	for (int64_t i = 0; i < DESCENTS && r->count; i++) {
		int64_t first = i * r->count / DESCENTS, end = (i + 1) * r->count / DESCENTS;
		uint64_t choice = end > first ? rng_below(&random, (uint64_t)(end - first)) : 0;

		sum += one_descent(r, r->node[first + (int64_t)choice], depth, &random);
	}
	sum /= DESCENTS;
	return sum > 1 ? sum : 1;
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
	struct pool_queens_roots to = { .with_paths = r->with_paths, .count = r->count };

	if (!reserve(&to, r->count + 1)) {
		pool_queens_roots_free(&to);
		return err_set(e, ERR_MEMORY, "no memory to share out %lld roots",
			       (long long)r->count);
	}
	for (int64_t i = 0; i < r->count; i++) {
		int64_t at = share_start(r->count, (int)(i % shares), shares) + i / shares;

		to.node[at] = r->node[i];
		if (r->with_paths)
			to.path[at] = r->path[i];
	}
	replace_roots(r, &to);
	return 0;
}

void pool_queens_dealer_open(struct pool_queens_dealer *d, const struct pool_queens_roots *r,
			     int share, int shares, int takers)
{
	pthread_mutex_init(&d->lock, NULL);
	d->roots = r;
	d->takers = takers;
	d->next = share_start(r->count, share, shares);
	d->end = share_start(r->count, share + 1, shares);
	d->all = d->end - d->next;
}

void pool_queens_dealer_close(struct pool_queens_dealer *d)
{
	pthread_mutex_destroy(&d->lock);
}

/* The number of parts per device if all had the same size. part_size() begins with larger parts for
 * several devices, and ends with parts of a quarter of this size. One up to 16 queens, which take
 * milliseconds; more for longer searches, so that several devices end at the same time. A device
 * alone loses 2 to 5 % by the last lanes of eight parts. */
static int64_t parts_a_taker(int queens, int takers)
{
	if (queens <= 16)
		return 1;
	if (takers == 1)
		return 2;
	return queens < 19 ? 2 << (queens - 17) : 8;
}

/* Parts shrink with the remaining roots, so that all takers end at the same time, but they stay
 * large enough to fill a device. Each part loses the time of its last lanes, so several takers get
 * few: the first one is two thirds of an equal share. */
static int64_t part_size(const struct pool_queens_dealer *d, int64_t most)
{
	int64_t takers = d->takers, left = pool_queens_left(d);
	int64_t parts = parts_a_taker(d->roots->queens, d->takers) * takers;
	int64_t size = takers > 1 ? 2 * left / (3 * takers) + 1 : (left + parts - 1) / parts,
		least = d->all / (4 * parts) + 1;

	size = size > least ? size : least;
	size = size < most ? size : most;
	return size < left ? size : left;
}

bool pool_queens_deal(struct pool_queens_dealer *d, int64_t most, struct pool_queens_part *p)
{
	pthread_mutex_lock(&d->lock);
	*p = (struct pool_queens_part){ d->next, part_size(d, most) };
	d->next += p->count;
	pthread_mutex_unlock(&d->lock);
	return p->count > 0;
}
