#include "queens_roots.h"

#include <stdlib.h>
#include <string.h>

#include "../problems/queens.h"

/* A node with no row placed: the next row is the middle one, then the one above it. */
static struct queens_node empty_board(int queens)
{
	return (struct queens_node){ .taken = ~qn_full(queens),
				     .open = qn_full(queens) | UINT32_C(1) << QUEENS_SPAN_SHIFT };
}

static uint32_t later_of(const struct queens_node *n)
{
	return ~(n->taken | n->up2 | n->down2);
}

static uint32_t span_of(const struct queens_node *n)
{
	return n->open >> QUEENS_SPAN_SHIFT;
}

static uint32_t open_of(const struct queens_node *n)
{
	return n->open & ((UINT32_C(1) << QUEENS_SPAN_SHIFT) - 1);
}

/* ---- the middle rows, one of each orbit ---- */

enum { MIDDLE_MAX = 3 };

struct middle {
	struct queens_roots *roots;
	int rows, room[QUEENS_WEIGHTS];
	int column[MIDDLE_MAX]; /* in the order of placing */
};

/* column[] reflected: bit 0 left and right, bit 1 top and bottom. The outer two rows are the last two placed. */
static void reflected(const struct middle *m, int how, int *column)
{
	for (int i = 0; i < m->rows; i++) {
		int from = how & 2 && i >= m->rows - 2 ? 2 * m->rows - 3 - i : i;

		column[i] = how & 1 ? m->roots->queens - 1 - m->column[from] : m->column[from];
	}
}

/* Size of the orbit; 0 where another placement stands for it. */
static int orbit(const struct middle *m)
{
	int same = 0;

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

/* Adds a node of even depth with what it counts; false where memory is out. */
static bool add_root(struct middle *m, const struct queens_child *c, int weight)
{
	struct queens_roots *r = m->roots;
	int w = weight / 2; /* 1, 2, 4 -> 0, 1, 2 */

	r->explored += (uint64_t)weight;
	r->halves += (uint64_t)weight * c->halves;
	if (!c->alive)
		return true;
	if (r->count[w] == m->room[w]) {
		m->room[w] = m->room[w] ? m->room[w] * 2 : 64;
		struct queens_node *more =
		    realloc(r->node[w], (size_t)m->room[w] * sizeof(struct queens_node));

		if (!more)
			return false;
		r->node[w] = more;
	}
	r->node[w][r->count[w]++] = c->node;
	return true;
}

static bool place_middle(struct middle *m, const struct queens_node *n, uint32_t later, int row)
{
	bool ok = true;

	for (uint32_t open = open_of(n); ok && open; open &= open - 1) {
		uint32_t bit = open & (0 - open);
		struct queens_child c = queens_place(n, later, span_of(n), bit, m->roots->queens,
						     m->roots->solutions_only);

		m->column[row] = __builtin_ctz(bit);
		if (row + 1 < m->rows && row + 1 < MIDDLE_MAX) {
			m->roots->explored++;
			ok = place_middle(m, &c.node, c.later, row + 1);
			continue;
		}
		int weight = orbit(m);

		ok = !weight || add_root(m, &c, weight);
	}
	return ok;
}

/* ---- more rows ---- */

static int descend(struct queens_roots *r, int w, struct err *e)
{
	struct queens_node *in = r->node[w], *out;
	uint64_t weight = (uint64_t)1 << w;
	int64_t count = 0, room = 1;

	for (int64_t i = 0; i < r->count[w]; i++)
		room += __builtin_popcount(open_of(&in[i]));
	out = malloc((size_t)room * sizeof(*out));
	if (!out)
		return err_set(e, ERR_MEMORY, "no memory for %lld roots", (long long)room);
	for (int64_t i = 0; i < r->count[w]; i++) {
		uint32_t later = later_of(&in[i]);

		for (uint32_t open = open_of(&in[i]); open; open &= open - 1) {
			struct queens_child c = queens_place(&in[i], later, span_of(&in[i]),
							     open & (0 - open), r->queens,
							     r->solutions_only);

			r->halves += weight * c.halves;
			r->solutions += weight * c.solution;
			out[count] = c.node;
			count += c.alive;
		}
	}
	free(in);
	r->node[w] = out;
	r->count[w] = count;
	return 0;
}

static int64_t all_roots(const struct queens_roots *r)
{
	return r->count[0] + r->count[1] + r->count[2];
}

int queens_roots_make(struct queens_roots *r, int queens, bool solutions_only, int depth, int64_t enough,
		      struct err *e)
{
	struct queens_node empty = empty_board(queens);
	struct middle m = { .roots = r, .rows = queens % 2 ? 3 : 2 };
	int status = 0;

	memset(r, 0, sizeof(*r));
	r->queens = queens;
	r->solutions_only = solutions_only;
	r->depth = m.rows;
	if (!place_middle(&m, &empty, later_of(&empty), 0))
		status = err_set(e, ERR_MEMORY, "no memory for the roots of %d queens", queens);
	for (; !status && r->depth < depth && all_roots(r) < enough; r->depth++)
		for (int w = 0; !status && w < QUEENS_WEIGHTS; w++)
			status = descend(r, w, e);
	if (status)
		queens_roots_free(r);
	return status;
}

void queens_roots_free(struct queens_roots *r)
{
	for (int w = 0; w < QUEENS_WEIGHTS; w++)
		free(r->node[w]);
	memset(r, 0, sizeof(*r));
}

/* ---- small boards ---- */

static void count_below(struct qn_masks q, int row, int queens, uint64_t *explored, uint64_t *solutions)
{
	for (uint32_t set = qn_children(q, qn_full(queens)); set; set &= set - 1) {
		++*explored;
		if (row + 1 == queens)
			++*solutions;
		else
			count_below(qn_place(q, set & (0 - set)), row + 1, queens, explored,
				    solutions);
	}
}

void queens_small(int queens, uint64_t *explored, uint64_t *solutions)
{
	*explored = *solutions = 0;
	count_below((struct qn_masks){ 0, 0, 0 }, 0, queens, explored, solutions);
}

/* ---- dealing ---- */

/* Where share `share` of `count` roots begins. */
static int64_t share_start(int64_t count, int share, int shares)
{
	int64_t longer = count % shares; /* the first shares have one more */

	return count / shares * share + (share < longer ? share : longer);
}

int queens_roots_share(struct queens_roots *r, int shares, struct err *e)
{
	for (int w = 0; w < QUEENS_WEIGHTS; w++) {
		int64_t count = r->count[w];
		struct queens_node *to = malloc((size_t)(count + 1) * sizeof(*to));

		if (!to)
			return err_set(e, ERR_MEMORY, "no memory to share out %lld roots",
				       (long long)count);
		for (int64_t i = 0; i < count; i++)
			to[share_start(count, (int)(i % shares), shares) + i / shares] =
			    r->node[w][i];
		free(r->node[w]);
		r->node[w] = to;
	}
	return 0;
}

void queens_dealer_open(struct queens_dealer *d, const struct queens_roots *r, int share, int shares,
			int takers)
{
	pthread_mutex_init(&d->lock, NULL);
	d->roots = r;
	d->takers = takers;
	for (int w = 0; w < QUEENS_WEIGHTS; w++) {
		d->next[w] = share_start(r->count[w], share, shares);
		d->end[w] = share_start(r->count[w], share + 1, shares);
	}
}

void queens_dealer_close(struct queens_dealer *d)
{
	pthread_mutex_destroy(&d->lock);
}

/* Parts shrink with what is left, so that all takers end at the same time; but a launch is no use for less
 * than a small share of all, and up to SHORT queens none for a part of a device's share. */
static int64_t part_size(const struct queens_dealer *d, int w, int64_t most)
{
	enum { PARTS_A_TAKER = 8, SMALLEST = 128, SHORT = 13 };
	int64_t parts = d->roots->queens > SHORT ? PARTS_A_TAKER : 1;
	int64_t left = d->end[w] - d->next[w], size = (left + parts * d->takers - 1) / (parts * d->takers);
	int64_t least = d->roots->count[w] / (SMALLEST * d->takers) + 1;

	size = size > least ? size : least;
	size = size < left ? size : left;
	return size < most ? size : most;
}

bool queens_deal(struct queens_dealer *d, int64_t most, struct queens_part *p)
{
	bool found = false;

	pthread_mutex_lock(&d->lock);
	for (int w = QUEENS_WEIGHTS - 1; w >= 0 && !found; w--) {
		if (d->next[w] == d->end[w])
			continue;
		*p = (struct queens_part){ w, d->next[w], part_size(d, w, most), false };
		d->next[w] += p->count;
		p->last = w < QUEENS_WEIGHTS - 1 || d->end[w] - d->next[w] < d->roots->count[w] / 8;
		found = true;
	}
	pthread_mutex_unlock(&d->lock);
	return found;
}
