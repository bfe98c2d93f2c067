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
#include "algorithms/helbecque-pool/pool_search.h"
#include "algorithms/tree-search/balance.h"
#include "algorithms/tree-search/search.h"
#include "kernels/tree-search/queens.h"

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
	struct interrupt interrupt;
	struct pool_bounder b;
	int n, m, until_check, nodes_between_checks;
	bool stopped;
	int32_t best, initial;  /* the incumbent; its initial value */
	int32_t open;           /* least bound of a node left open by a stop */
	struct balance balance; /* of the open children */
	int *perm;              /* prefix, unscheduled, suffix */
	int32_t *times;         /* [placed][front, back, rem][machine] */
	int32_t *bounds;        /* scratch: [front end, back end][unscheduled] */
	struct child *child;    /* open children; those of a node are adjacent */
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
		s->o->order[i] = s->perm[i];
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

static void explore(struct path *s, struct node *x)
{
	if (--s->until_check == 0) {
		watch_count(s->r->watch, 0, s->o->decomposed);
		s->until_check = watch_stride(s->r->watch, s->nodes_between_checks);
		s->stopped |= interrupt_due(&s->interrupt);
	}
	if (!s->stopped)
		decompose(s, x);
	else
		leave_open(s, x->bound);
	while (x->children > 0 && !s->stopped) {
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
	s->o->order = calloc(n, sizeof(*s->o->order));
	if (!s->perm || !s->times || !s->bounds || !s->child || !s->o->order)
		return err_set(e, ERR_MEMORY, "no memory for a path of %d jobs on %d machines",
			       s->n, s->m);
	for (int i = 0; i < s->n; i++) {
		s->perm[i] = i;
		pool_bounder_flip(&s->b, i);
	}
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
}

static void search(struct path *s)
{
	const struct fsp_tables *t = &s->b.tables;
	struct node root = node_at(s, 0, s->n, 0, s->child);
	size_t bytes = (size_t)s->m * sizeof(int32_t);

	memcpy(root.front, t->head, bytes);
	memcpy(root.back, t->tail, bytes);
	memcpy(root.rem, t->total, bytes);
	root.bound = pool_bounder_value(&s->b, root.front, root.rem, root.back, INT32_MAX);
	s->open = INT32_MAX;
	explore(s, &root);
	if (s->open < root.bound)
		s->open = root.bound;
	s->o->complete = !s->stopped;
	s->o->lower_bound = s->stopped && s->open < s->best ? s->open : s->best;
}

static int serial_flowshop(const struct search_request *r, struct search_outcome *o,
			   struct balance *b, struct err *e)
{
	struct path s = { .r = r,
			  .o = o,
			  .interrupt = interrupt_from(r),
			  .n = r->flowshop->jobs,
			  .m = r->flowshop->machines,
			  .until_check = 1,
			  .best = r->ub < SEARCH_NO_UB ? (int32_t)r->ub : SEARCH_NO_UB };
	int status = path_open(&s, e);

	s.initial = s.best;
	o->best = s.best;
	o->seconds_setup = clock_wall() - s.interrupt.begin;
	if (!status) {
		for (int i = 0; r->start && i < s.n; i++)
			o->order[i] = r->start[i];
		s.stopped = interrupt_due(&s.interrupt);
		search(&s);
		s.balance.initial = 1;
		s.balance.pushed = o->explored;
		*b = s.balance;
		status = s.stopped ? interrupt_status(&s.interrupt, e) : 0;
	}
	if (!r->start && !o->leaves) {
		free(o->order);
		o->order = NULL;
	}
	path_close(&s);
	return status;
}

/* ---- N-Queens ---- */

enum { NODES_BETWEEN_CHECKS = 1 << 16 };

struct queens {
	const struct search_request *r;
	struct search_outcome *o;
	struct interrupt interrupt;
	int n, until_check;
	bool stopped;
	uint64_t left; /* nodes entered but not finished when the search was stopped */
	uint8_t board[QUEENS_MAX];
};

static void swap_columns(uint8_t *a, uint8_t *b)
{
	uint8_t t = *a;

	*a = *b;
	*b = t;
}

static void decompose_board(struct queens *q, int depth, struct queens_masks masks)
{
	uint32_t attacked = masks.up | masks.down;

	if (--q->until_check == 0) {
		watch_count(q->r->watch, 0, q->o->explored);
		q->until_check = watch_stride(q->r->watch, NODES_BETWEEN_CHECKS);
		q->stopped |= interrupt_due(&q->interrupt);
	}
	for (int j = depth; j < q->n && !q->stopped; j++) {
		uint32_t bit = UINT32_C(1) << q->board[j];

		if (attacked & bit)
			continue;
		q->o->explored++;
		if (depth + 1 == q->n) {
			q->o->solutions++;
			continue;
		}
		swap_columns(&q->board[j], &q->board[depth]);
		decompose_board(q, depth + 1, queens_put(masks, bit));
		swap_columns(&q->board[j], &q->board[depth]);
	}
	q->o->decomposed += !q->stopped;
	q->left += q->stopped;
}

/* Every node except complete boards is entered and left once. */
static int serial_queens(const struct search_request *r, struct search_outcome *o,
			 struct balance *b, struct err *e)
{
	struct queens q = { .r = r,
			    .o = o,
			    .interrupt = interrupt_from(r),
			    .n = r->queens,
			    .until_check = watch_stride(r->watch, NODES_BETWEEN_CHECKS) };

	if (r->queens < 1 || r->queens > QUEENS_MAX)
		return err_set(e, ERR_UNSUPPORTED, "%d queens: the number must be between 1 and %d",
			       r->queens, QUEENS_MAX);
	for (int i = 0; i < q.n; i++)
		q.board[i] = (uint8_t)i;
	q.stopped = interrupt_due(&q.interrupt);
	if (!q.stopped)
		decompose_board(&q, 0, (struct queens_masks){ 0, 0, 0 });
	else
		q.left = 1;
	*b = (struct balance){ .initial = 1,
			       .pushed = o->explored - o->solutions,
			       .popped = o->decomposed,
			       .left = q.left };
	o->complete = !q.stopped;
	return q.stopped ? interrupt_status(&q.interrupt, e) : 0;
}

/* ---- the variant ---- */

int pool_search_serial(const struct search_request *r, struct search_outcome *o, struct err *e)
{
	static const struct balance_name name = { "helbecque-pool serial", NULL, -1, NULL };
	double begin = clock_wall();
	struct balance b = { 0 };

	memset(o, 0, sizeof(*o));
	int status = r->flowshop ? serial_flowshop(r, o, &b, e) : serial_queens(r, o, &b, e);

	if ((!status || status == ERR_LIMIT) && balance_check(&b, &name, o->complete, e)) {
		status = ERR_FAILED;
		o->complete = false;
	}

	o->workers = 1;
	o->worker_explored[0] = o->explored;
	o->seconds_total = clock_wall() - begin;
	o->seconds_search = o->seconds_total - o->seconds_setup;
	return status;
}
