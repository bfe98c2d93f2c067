/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Algorithm 1 (section 2.1) on one core, depth first.
 *
 * Flowshop: the pool is kept as the path to the current node and the open children of each node on
 * it. Children are visited last in, first out.
 *
 * N-Queens: a node is the permutation of the published code. The published code checks clashes on
 * diagonals row by row; here they are kept as bits along the path. */
#include <stdlib.h>
#include <string.h>

#include "algorithms/helbecque-pool/evaluator.h"
#include "algorithms/helbecque-pool/open_work.h"
#include "algorithms/helbecque-pool/pool_search.h"
#include "algorithms/tree-search/balance.h"
#include "algorithms/tree-search/depth-first/dfs_levels.h"
#include "algorithms/tree-search/flowshop/fsp_tables.h"
#include "algorithms/tree-search/search.h"
#include "kernels/gmys-ivm/factoradic.h"
#include "kernels/tree-search/queens.h"

static const struct balance_name name = { "helbecque-pool serial", NULL, -1, NULL };

#define SHOW_SECONDS 0.1

/* ---- slices: a path is left when the search is stopped, or when a file is due ---- */

struct slices {
	struct pool_saver saver;
	struct interrupt interrupt;
	struct pool_open todo;  /* records, the next one first */
	struct pool_open rest;  /* what is open when the path is left, in the same order */
	uint64_t at;            /* of todo: the first record that was not begun */
	bool halted;            /* the path is left */
	bool stopped;           /* by a limit or signal */
	bool failed;            /* there was no memory for a record */
	struct dfs_gauge gauge; /* of what is left, if progress is shown */
	double show_next;       /* when that is told; clock_wall */
};

static int open_slices(struct slices *l, const struct search_request *r, struct err *e)
{
	int status = pool_saver_open(&l->saver, r, NULL, e);

	if (!status)
		status = pool_saver_source(&l->saver, &l->todo, e);
	l->rest.items = l->todo.items;
	if (!status)
		dfs_gauge_open(&l->gauge, r, l->saver.key.first_ub, 1,
			       r->flowshop ? l->saver.past.state.decomposed :
					     l->saver.past.state.explored);
	return status;
}

static void close_slices(struct slices *l)
{
	dfs_gauge_close(&l->gauge);
	pool_open_free(&l->todo);
	pool_open_free(&l->rest);
	pool_saver_close(&l->saver);
}

/* Returns the sizes of subtrees, or NULL if they are unknown or the next report is not due. */
static const struct dfs_levels *levels_due(struct slices *l, int64_t best)
{
	double now;

	if (!l->gauge.request || (now = clock_wall()) < l->show_next)
		return NULL;
	l->show_next = now + SHOW_SECONDS;
	return dfs_gauge_levels(&l->gauge, best);
}

/* The estimated nodes below the records that were not begun. */
static double left_in_records(const struct slices *l, const struct dfs_levels *levels)
{
	return dfs_levels_records(levels, l->todo.work, l->at, l->todo.count);
}

static void look_up(struct slices *l)
{
	l->stopped |= interrupt_due(&l->interrupt);
	l->halted = l->stopped || pool_saver_due(&l->saver);
}

/* A new record of what is open; NULL if none is wanted or there is no memory. */
static uint16_t *new_record(struct slices *l)
{
	uint16_t *record = pool_saver_keeps(&l->saver) ? pool_open_add(&l->rest) : NULL;

	l->failed |= pool_saver_keeps(&l->saver) && !record;
	return record;
}

/* At the end of a slice: the records that were not begun are open, too. */
static int end_slice(struct slices *l, struct err *e)
{
	if (pool_saver_keeps(&l->saver))
		l->failed |= !pool_open_append(&l->rest, &l->todo, l->at);
	return l->failed ? err_set(e, ERR_MEMORY, "no memory for the open nodes of a path") : 0;
}

/* Writes the file and goes on from what is open. */
static int next_slice(struct slices *l, const struct search_outcome *o, const int64_t *order,
		      struct err *e)
{
	int status = pool_saver_write(&l->saver, o, order, &l->rest, e);

	pool_open_free(&l->todo);
	l->todo = l->rest;
	l->rest = (struct pool_open){ .items = l->todo.items };
	l->at = 0;
	l->halted = false;
	return status;
}

/* Searches in slices until nothing is open or the search is stopped. */
static int run_slices(struct slices *l, int (*slice)(void *search, struct err *e), void *search,
		      const struct search_outcome *o, struct err *e)
{
	int status;

	l->stopped = l->halted = interrupt_due(&l->interrupt);
	status = slice(search, e);
	while (!status && l->halted && !l->stopped) {
		status = next_slice(l, o, o->order, e);
		if (!status)
			status = slice(search, e);
	}
	if (!status && pool_saver_keeps(&l->saver))
		status = pool_saver_end(&l->saver, o, o->order, &l->rest, e);
	return status;
}

/* ---- flowshop ---- */

enum { STEPS_BETWEEN_CHECKS = 1 << 22 }; /* of bounds: about 10 ms */

struct child {
	int32_t bound;
	int16_t index; /* in perm */
	bool back;
};

struct path {
	const struct search_request *r;
	struct search_outcome *o;
	struct slices slices;
	struct pool_bounder b;
	int n, m, until_check, nodes_between_checks;
	int32_t best, initial;  /* the incumbent; its initial value */
	int32_t open;           /* least bound of a node left open by a stop */
	struct balance balance; /* of the open children */
	int64_t *order;         /* of the outcome if it is known */
	int *perm;              /* prefix, unscheduled, suffix */
	int32_t *times;         /* [placed][front, back, rem][machine] */
	int32_t *bounds;        /* scratch: [front end, back end][unscheduled] */
	struct child *child;    /* open children; those of a node are adjacent */
	int base;               /* jobs placed in the first node of the path */
	const struct node **at; /* the nodes of the path, by jobs placed; from `base` on */
};

struct node {
	int from, to; /* perm[from, to) is unscheduled */
	int32_t bound;
	int32_t *front, *back, *rem;
	int children;
	struct child *child;
};

static struct node node_at(const struct path *s, int from, int to, int32_t bound,
			   struct child *child)
{
	size_t m = (size_t)s->m, placed = (size_t)(s->n - (to - from));
	int32_t *front = s->times + 3 * m * placed;

	return (struct node){ from, to, bound, front, front + m, front + 2 * m, 0, child };
}

static void swap(int *a, int *b)
{
	int t = *a;

	*a = *b;
	*b = t;
}

/* The times that the next job is appended to. A first job starts at time 0. */
static const int32_t *front_base(const struct path *s, const struct node *x)
{
	return x->from ? x->front : s->b.zero;
}

static const int32_t *back_base(const struct path *s, const struct node *x)
{
	return x->to < s->n ? x->back : s->b.zero;
}

/* Computes the bounds of all children on one side. Sums need exact bounds (stop_at INT32_MAX). */
static void bound_side(struct path *s, const struct node *x, bool back, int32_t stop_at)
{
	int32_t *out = s->bounds + (back ? s->n : 0);

	for (int i = x->from; i < x->to; i++)
		*out++ = back ? pool_bounder_prepend(&s->b, s->perm[i], x->front, x->rem,
						     back_base(s, x), stop_at) :
				pool_bounder_append(&s->b, s->perm[i], front_base(s, x), x->rem,
						    x->back, stop_at);
	s->o->evaluated += (uint64_t)(x->to - x->from);
}

/* The side to branch on. If sums are equal, MaxSum takes the back and MinBranch the front, in
 * accordance with the published counts. */
static bool choose_back(const struct path *s, const struct node *x)
{
	const int32_t *f = s->bounds, *b = s->bounds + s->n;
	int64_t sum = 0;
	int pruned = 0;

	for (int i = 0; i < x->to - x->from; i++) {
		sum += (int64_t)f[i] - b[i];
		pruned += (f[i] >= s->initial) - (b[i] >= s->initial);
	}
	if (s->r->branching == FSP_MINBRANCH && pruned)
		return pruned < 0;
	return s->r->branching == FSP_MINBRANCH ? sum < 0 : sum <= 0;
}

/* Records a complete schedule. The only unscheduled job is already in place. */
static void leaf(struct path *s, int32_t makespan)
{
	s->o->leaves++;
	s->best = makespan;
	for (int i = 0; i < s->n; i++)
		s->order[i] = s->perm[i];
	s->o->order = s->order;
	s->o->best = makespan;
	watch_incumbent(s->r->watch, makespan);
}

/* Bounds the children and keeps those below the incumbent. */
static void decompose(struct path *s, struct node *x)
{
	bool back = false, leaves = x->to - x->from == 1;

	s->o->decomposed++;
	if (s->r->branching == FSP_FORWARD) {
		bound_side(s, x, false, s->best);
	} else {
		bound_side(s, x, false, INT32_MAX);
		bound_side(s, x, true, INT32_MAX);
		back = choose_back(s, x);
	}
	for (int i = 0; i < x->to - x->from; i++) {
		int32_t lb = s->bounds[(back ? s->n : 0) + i];

		if (lb >= s->best)
			continue;
		if (leaves)
			leaf(s, lb);
		else
			x->child[x->children++] =
				(struct child){ lb, (int16_t)(x->from + i), back };
	}
	s->o->explored += (uint64_t)x->children;
	s->balance.popped++;
}

static struct node enter(struct path *s, const struct node *x, const struct child *c)
{
	int job = s->perm[c->index];
	const int32_t *p = pool_bounder_times(&s->b, job);
	struct node y =
		node_at(s, x->from + !c->back, x->to - c->back, c->bound, x->child + x->children);
	size_t bytes = (size_t)s->m * sizeof(int32_t);

	memcpy(y.front, x->front, 3 * bytes);
	if (c->back)
		fsp_prepend(p, back_base(s, x), y.back, s->m);
	else
		fsp_append(p, front_base(s, x), y.front, s->m);
	for (int k = 0; k < s->m; k++)
		y.rem[k] -= p[k];
	return y;
}

static void leave_open(struct path *s, int32_t bound)
{
	s->open = bound < s->open ? bound : s->open;
	s->balance.left++;
}

/* Records a node that is left open, with its open children. These are in the order of perm. */
static void put_record(struct path *s, const struct node *x)
{
	uint16_t *to = new_record(&s->slices);
	int child = 0, open = x->from, other = x->from + x->children;

	if (!to)
		return;
	to[RECORD_PREFIX] = (uint16_t)x->from;
	to[RECORD_SUFFIX] = (uint16_t)(s->n - x->to);
	to[RECORD_OPEN] = (uint16_t)x->children;
	to[RECORD_SIDE] = x->children && x->child[0].back;
	for (int i = 0; i < s->n; i++) {
		bool listed = child < x->children && x->child[child].index == i;
		int place = i < x->from || i >= x->to ? i : listed ? open++ : other++;

		child += listed;
		to[RECORD_ITEMS + place] = (uint16_t)s->perm[i];
	}
}

static int placed(const struct path *s, const struct node *x)
{
	return s->n - (x->to - x->from);
}

/* Tells the estimated nodes below the open ones of the path to x, x included. */
static void show_left(struct path *s, const struct node *x)
{
	const struct dfs_levels *l = levels_due(&s->slices, s->best);
	int depth = placed(s, x);
	double left;

	if (!l)
		return;
	left = left_in_records(&s->slices, l) + l->by_class[depth][dfs_levels_class(l, x->bound)];
	for (int i = s->base; i < depth; i++) {
		const struct node *y = s->at[i];

		for (int c = 0; c < y->children; c++)
			left += l->by_class[i + 1][dfs_levels_class(l, y->child[c].bound)];
	}
	watch_left(s->r->watch, 0, left);
}

static void explore(struct path *s, struct node *x);

/* Explores the open children. Those that are left when the path is left stay open. */
static void descend(struct path *s, struct node *x)
{
	s->at[placed(s, x)] = x;
	while (x->children > 0 && !s->slices.halted) {
		const struct child c = x->child[--x->children];

		if (c.bound >= s->best) {
			s->balance.dropped++;
			continue;
		}
		int *place = &s->perm[c.back ? x->to - 1 : x->from], *from = &s->perm[c.index];
		struct node y = enter(s, x, &c);

		pool_bounder_flip(&s->b, *from);
		swap(place, from);
		explore(s, &y);
		swap(place, from);
		pool_bounder_flip(&s->b, *from);
	}
	for (int i = 0; i < x->children; i++)
		leave_open(s, x->child[i].bound);
	if (x->children)
		put_record(s, x);
}

static void explore(struct path *s, struct node *x)
{
	if (--s->until_check == 0) {
		watch_count(s->r->watch, 0, s->o->decomposed);
		s->until_check = watch_stride(s->r->watch, s->nodes_between_checks);
		show_left(s, x);
		look_up(&s->slices);
	}
	if (s->slices.halted) {
		leave_open(s, x->bound);
		put_record(s, x);
		return;
	}
	decompose(s, x);
	descend(s, x);
}

/* ---- records ---- */

/* Makes the node of a record, without children. */
static struct node node_of(struct path *s, const uint16_t *record)
{
	const struct fsp_tables *t = &s->b.tables;
	struct node x =
		node_at(s, record[RECORD_PREFIX], s->n - record[RECORD_SUFFIX], 0, s->child);
	size_t bytes = (size_t)s->m * sizeof(int32_t);

	memcpy(x.front, x.from ? s->b.zero : t->head, bytes);
	memcpy(x.back, x.to < s->n ? s->b.zero : t->tail, bytes);
	memcpy(x.rem, t->total, bytes);
	memset(s->b.left, 0, (size_t)s->b.words * sizeof(*s->b.left));
	for (int i = 0; i < s->n; i++)
		s->perm[i] = record[RECORD_ITEMS + i];
	for (int i = 0; i < x.from; i++)
		fsp_append(pool_bounder_times(&s->b, s->perm[i]), x.front, x.front, s->m);
	for (int i = s->n - 1; i >= x.to; i--)
		fsp_prepend(pool_bounder_times(&s->b, s->perm[i]), x.back, x.back, s->m);
	for (int i = 0; i < s->n; i++) {
		const int32_t *p = pool_bounder_times(&s->b, s->perm[i]);

		if (i >= x.from && i < x.to)
			pool_bounder_flip(&s->b, s->perm[i]);
		else
			for (int k = 0; k < s->m; k++)
				x.rem[k] -= p[k];
	}
	return x;
}

/* Continues with a record. The bounds of its children are not in it. */
static void continue_record(struct path *s, const uint16_t *record)
{
	struct node x = node_of(s, record);
	bool back = record[RECORD_SIDE];

	s->base = placed(s, &x);
	x.bound = pool_bounder_value(&s->b, x.front, x.rem, x.back, INT32_MAX);
	if (!record[RECORD_OPEN]) {
		explore(s, &x);
		return;
	}
	for (int i = x.from; i < x.from + record[RECORD_OPEN]; i++) {
		int32_t bound = back ? pool_bounder_prepend(&s->b, s->perm[i], x.front, x.rem,
							    back_base(s, &x), INT32_MAX) :
				       pool_bounder_append(&s->b, s->perm[i], front_base(s, &x),
							   x.rem, x.back, INT32_MAX);

		x.child[x.children++] = (struct child){ bound, (int16_t)i, back };
	}
	descend(s, &x);
}

/* Takes account of the records that were not begun. Their bound is LB1. */
static void leave_rest(struct path *s)
{
	const struct slices *l = &s->slices;

	for (uint64_t i = l->at; i < l->todo.count; i++) {
		const struct node x = node_of(s, pool_open_at(&l->todo, i));
		int32_t bound = fsp_lb1(x.front, x.rem, x.back, s->m);

		s->open = bound < s->open ? bound : s->open;
	}
	s->balance.left += pool_open_nodes(&l->todo, l->at);
}

static int path_open(struct path *s, struct err *e)
{
	size_t n = (size_t)s->n, m = (size_t)s->m;
	int status = pool_bounder_open(&s->b, s->r->flowshop, s->r->bound, e);

	if (status)
		return status;
	s->perm = malloc(n * sizeof(*s->perm));
	s->times = malloc(3 * m * (n + 1) * sizeof(*s->times));
	s->bounds = malloc(2 * n * sizeof(*s->bounds));
	s->child = malloc((n * (n + 1) / 2 + 1) * sizeof(*s->child));
	s->order = calloc(n, sizeof(*s->order));
	s->at = calloc(n + 1, sizeof(*s->at));
	if (!s->perm || !s->times || !s->bounds || !s->child || !s->order || !s->at)
		return err_set(e, ERR_MEMORY, "no memory for a path of %d jobs on %d machines",
			       s->n, s->m);
	int64_t steps = (int64_t)s->n * (s->b.step ? s->n * s->b.tables.pairs : s->m);

	s->nodes_between_checks = (int)(STEPS_BETWEEN_CHECKS / steps) + 1;
	return 0;
}

static void path_close(struct path *s)
{
	pool_bounder_close(&s->b);
	free(s->perm);
	free(s->times);
	free(s->bounds);
	free(s->child);
	free(s->at);
}

/* Searches until nothing is open, or the path is left. */
static int search(void *path, struct err *e)
{
	struct path *s = path;
	struct slices *l = &s->slices;
	int status;

	s->open = INT32_MAX;
	s->balance.left = 0;
	while (l->at < l->todo.count && !l->halted)
		continue_record(s, pool_open_at(&l->todo, l->at++));
	leave_rest(s);
	s->balance.pushed = s->o->explored;
	status = end_slice(l, e);
	return status ? status : balance_check(&s->balance, &name, !l->halted, e);
}

static int run_path(struct path *s, struct err *e)
{
	int32_t root = fsp_root_bound(&s->b.tables, s->b.bound);
	struct search_outcome *o = s->o;
	int status;

	for (int i = 0; s->r->start && i < s->n; i++)
		s->order[i] = s->r->start[i];
	o->order = s->r->start ? s->order : NULL;
	s->balance.initial = pool_open_nodes(&s->slices.todo, 0);
	status = run_slices(&s->slices, search, s, o, e);
	if (s->open < root)
		s->open = root;
	o->complete = !status && !s->slices.stopped;
	o->lower_bound = !o->complete && s->open < s->best ? s->open : s->best;
	if (!status && !o->complete)
		status = interrupt_status(&s->slices.interrupt, e);
	return status;
}

static int serial_flowshop(const struct search_request *r, struct search_outcome *o, struct err *e)
{
	struct search_request mine = *r;
	struct path s = { .r = &mine,
			  .o = o,
			  .slices = { .interrupt = interrupt_from(r) },
			  .n = r->flowshop->jobs,
			  .m = r->flowshop->machines,
			  .until_check = 1 };
	int status = open_slices(&s.slices, r, e);
	int64_t first_ub = s.slices.saver.key.first_ub;

	if (!status) {
		pool_saver_start_from(&s.slices.saver, &mine);
		status = path_open(&s, e);
	}
	s.best = mine.ub < SEARCH_NO_UB ? (int32_t)mine.ub : SEARCH_NO_UB;
	s.initial = first_ub < SEARCH_NO_UB ? (int32_t)first_ub : SEARCH_NO_UB;
	o->best = s.best;
	o->seconds_setup = clock_wall() - s.slices.interrupt.begin;
	if (!status)
		status = run_path(&s, e);
	if (!o->order)
		free(s.order);
	pool_saver_add_past(&s.slices.saver, o);
	close_slices(&s.slices);
	path_close(&s);
	return status;
}

/* ---- N-Queens ---- */

enum { NODES_BETWEEN_CHECKS = 1 << 16 };

struct queens {
	const struct search_request *r;
	struct search_outcome *o;
	struct slices slices;
	int n, until_check;
	uint64_t initial, left; /* open nodes at the start, and when the path is left */
	uint8_t board[QUEENS_MAX];
	const uint16_t *record; /* that the path began with */
};

static void swap_columns(uint8_t *a, uint8_t *b)
{
	uint8_t t = *a;

	*a = *b;
	*b = t;
}

/* The place of the search as a factoradic number: by depth, the place of the current child among
 * the columns not used, for a path of `depth` queens. The swaps that led there are repeated.
 * Children of the first node that the record does not list count as searched. */
static void place_of(const struct queens *q, int depth, uint16_t *at)
{
	const int base = q->record[RECORD_PREFIX], open = q->record[RECORD_OPEN];
	uint8_t board[QUEENS_MAX];

	memset(at, 0, (size_t)q->n * sizeof(*at));
	for (int i = 0; i < q->n; i++)
		board[i] = (uint8_t)q->record[RECORD_ITEMS + i];
	for (int i = 0; i < depth; i++) {
		int j = i;

		while (board[j] != q->board[i])
			j++;
		swap_columns(&board[j], &board[i]);
		at[i] = (uint16_t)(i < base ? q->n - 1 - i : j - i);
	}
	if (open && base < depth)
		at[base] = (uint16_t)(at[base] + q->n - base - open);
}

/* Tells the estimated nodes from a node of this depth on. */
static void show_left_boards(struct queens *q, int depth)
{
	const struct dfs_levels *l = levels_due(&q->slices, 0);
	uint16_t at[QUEENS_MAX], last[QUEENS_MAX];

	if (!l)
		return;
	place_of(q, depth, at);
	ivm_factoradic_last(last, q->n);
	watch_left(q->r->watch, 0,
		   left_in_records(&q->slices, l) + dfs_levels_interval(l, at, last));
}

/* Records the node of the first `depth` queens and its open children. */
static void put_board(struct queens *q, int depth, uint32_t open)
{
	uint16_t *to = new_record(&q->slices);
	int place = depth, other = depth + __builtin_popcount(open);

	q->left += (uint64_t)__builtin_popcount(open);
	if (!to)
		return;
	to[RECORD_PREFIX] = (uint16_t)depth;
	to[RECORD_OPEN] = (uint16_t)(other - depth);
	for (int i = 0; i < q->n; i++) {
		bool listed = i >= depth && open >> q->board[i] & 1;

		to[RECORD_ITEMS + (i < depth ? i : listed ? place++ : other++)] = q->board[i];
	}
}

/* If the path is left, a node whose children are not all tried counts as decomposed, and the others
 * are left open. */
static void decompose_board(struct queens *q, int depth, struct queens_masks masks)
{
	uint32_t attacked = masks.up | masks.down, open = 0;

	if (--q->until_check == 0) {
		watch_count(q->r->watch, 0, q->o->explored);
		q->until_check = watch_stride(q->r->watch, NODES_BETWEEN_CHECKS);
		show_left_boards(q, depth);
		look_up(&q->slices);
	}
	for (int j = depth; j < q->n; j++) {
		uint32_t bit = UINT32_C(1) << q->board[j];

		if (attacked & bit)
			continue;
		q->o->explored++;
		if (depth + 1 == q->n) {
			q->o->solutions++;
			continue;
		}
		if (q->slices.halted) {
			open |= bit;
			continue;
		}
		swap_columns(&q->board[j], &q->board[depth]);
		decompose_board(q, depth + 1, queens_put(masks, bit));
		swap_columns(&q->board[j], &q->board[depth]);
	}
	q->o->decomposed++;
	if (open)
		put_board(q, depth, open);
}

static void continue_board(struct queens *q, const uint16_t *record)
{
	int depth = record[RECORD_PREFIX], end = depth + record[RECORD_OPEN];
	struct queens_masks masks = { 0, 0, 0 };
	uint32_t open = 0;

	for (int i = 0; i < q->n; i++)
		q->board[i] = (uint8_t)record[RECORD_ITEMS + i];
	for (int i = 0; i < depth; i++)
		masks = queens_put(masks, UINT32_C(1) << q->board[i]);
	q->record = record;
	if (end == depth)
		decompose_board(q, depth, masks);
	for (int j = depth; j < end; j++) {
		uint32_t bit = UINT32_C(1) << q->board[j];

		if (depth + 1 == q->n) {
			q->o->solutions++;
			continue;
		}
		if (q->slices.halted) {
			open |= bit;
			continue;
		}
		swap_columns(&q->board[j], &q->board[depth]);
		decompose_board(q, depth + 1, queens_put(masks, bit));
		swap_columns(&q->board[j], &q->board[depth]);
	}
	if (open)
		put_board(q, depth, open);
}

/* Every node enters the search once, counted as explored except at the start, and leaves it as a
 * decomposed node or a solution. */
static int search_boards(void *queens, struct err *e)
{
	struct queens *q = queens;
	struct slices *l = &q->slices;
	struct balance b = { .initial = q->initial };
	int status;

	q->left = 0;
	while (l->at < l->todo.count && !l->halted)
		continue_board(q, pool_open_at(&l->todo, l->at++));
	b.pushed = q->o->explored;
	b.popped = q->o->decomposed + q->o->solutions;
	q->left += pool_open_nodes(&l->todo, l->at);
	b.left = q->left;
	status = end_slice(l, e);
	return status ? status : balance_check(&b, &name, !l->halted, e);
}

static int serial_queens(const struct search_request *r, struct search_outcome *o, struct err *e)
{
	struct queens q = { .r = r,
			    .o = o,
			    .slices = { .interrupt = interrupt_from(r) },
			    .n = r->queens,
			    .until_check = watch_stride(r->watch, NODES_BETWEEN_CHECKS) };
	int status;

	if (r->queens < 1 || r->queens > QUEENS_MAX)
		return err_set(e, ERR_UNSUPPORTED, "%d queens: the number must be between 1 and %d",
			       r->queens, QUEENS_MAX);
	status = open_slices(&q.slices, r, e);
	q.initial = pool_open_nodes(&q.slices.todo, 0);
	if (!status)
		status = run_slices(&q.slices, search_boards, &q, o, e);
	o->complete = !status && !q.left;
	if (!status && !o->complete)
		status = interrupt_status(&q.slices.interrupt, e);
	pool_saver_add_past(&q.slices.saver, o);
	close_slices(&q.slices);
	return status;
}

/* ---- the variant ---- */

int pool_search_serial(const struct search_request *r, struct search_outcome *o, struct err *e)
{
	double begin = clock_wall();

	memset(o, 0, sizeof(*o));
	pool_saver_none(r);
	int status = r->flowshop ? serial_flowshop(r, o, e) : serial_queens(r, o, e);

	o->workers = 1;
	o->worker_explored[0] = o->explored;
	o->seconds_total = clock_wall() - begin;
	o->seconds_search = o->seconds_total - o->seconds_setup;
	return status;
}
