/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/gmys-ivm/intervals/tuned_dealer.h"

#include <stdlib.h>
#include <string.h>

#include "algorithms/gmys-ivm/interval_list.h"
#include "algorithms/tree-search/checkpoint.h"
#include "harness/base/clock.h"
#include "harness/base/rng.h"
#include "kernels/tree-search/atsp.h"
#include "kernels/tree-search/queens.h"

/* ---- the tree, node by node as in the kernels (kernels/gmys-ivm/intervals.h) ---- */

static uint32_t all_items(int n)
{
	return UINT32_MAX >> (32 - n);
}

static struct ivm_interval_node root_of(const struct ivm_tree *t)
{
	if (t->atsp)
		return (struct ivm_interval_node){ all_items(t->n), IVM_INTERVAL_START, 0, 0 };
	return (struct ivm_interval_node){ ~all_items(t->n), 0, 0, 0 };
}

/* The open items as bits. In ascending order they are the digits of the next row. */
static uint32_t open_items(const struct ivm_tree *t, const struct ivm_interval_node *node)
{
	return t->atsp ? node->a : ~node->a;
}

static bool atsp_tree_child(const struct ivm_tree *t, int64_t best,
			    const struct ivm_interval_node *node, int item,
			    struct ivm_interval_node *child)
{
	int32_t cost = atsp_child(t->atsp->cost, t->atsp->cities, (int32_t)node->c,
				  ivm_interval_city((int)node->b), ivm_interval_city(item),
				  __builtin_popcount(node->a));

	*child = (struct ivm_interval_node){ node->a & ~(UINT32_C(1) << item), (uint32_t)item,
					     (uint32_t)cost, node->d };
	return cost <= best;
}

/* Makes the child that takes `item`. Returns whether it is kept. The cost of a child with the last
 * item is that of the tour. */
static bool make_child(const struct ivm_tree *t, int64_t best, const struct ivm_interval_node *node,
		       int item, struct ivm_interval_node *child)
{
	uint32_t bit = UINT32_C(1) << item;
	struct queens_masks q = { node->a, node->b, node->c };

	if (t->atsp)
		return atsp_tree_child(t, best, node, item, child);
	if (!(queens_open_columns(q, all_items(t->n)) & bit))
		return false;
	q = queens_put(q, bit);
	*child = (struct ivm_interval_node){ q.columns, q.up, q.down, 0 };
	return true;
}

static void one_descent(const struct ivm_tree *t, int64_t best, struct rng *random, double *nodes)
{
	struct ivm_interval_node node = root_of(t);
	double weight = 1;

	for (int depth = 0; depth < t->n; depth++) {
		struct ivm_interval_node kept[IVM_INTERVAL_ITEMS];
		uint64_t count = 0;
		int columns = depth || t->atsp ? t->n : (t->n + 1) / 2;

		nodes[depth] += weight;
		for (int item = 0; item < columns; item++)
			if (open_items(t, &node) >> item & 1)
				count += make_child(t, best, &node, item, &kept[count]);
		if (!count)
			return;
		weight *= (double)count;
		node = kept[rng_below(random, count)];
	}
	nodes[t->n] += weight;
}

/* Estimates the nodes of each depth by random descents (Knuth 1975). N-Queens: of the half board.
 */
static void estimate_levels(const struct ivm_tree *t, int64_t best,
			    double nodes[IVM_INTERVAL_ITEMS + 1])
{
	enum { DESCENTS = 1024 };
	struct rng random = rng_seeded(1);

	for (int i = 0; i <= t->n; i++)
		nodes[i] = 0;
	for (int i = 0; i < DESCENTS; i++)
		one_descent(t, best, &random, nodes);
	for (int i = 0; i <= t->n; i++)
		nodes[i] /= DESCENTS;
}

/* ---- walking through an interval ---- */

struct walk {
	struct ivm_dealer *dealer;
	struct ivm_piece *piece;
	struct ivm_interval in; /* the interval */
	int depth;              /* of roots */
	int most;               /* roots at most */
	int visited;            /* nodes */
	uint16_t at[IVM_INTERVAL_ITEMS];
	uint8_t path[IVM_INTERVAL_ITEMS];
};

enum { WALK_MOST = 1 << 16 }; /* nodes visited in one walk */

static void add_root(struct walk *w, const struct ivm_interval_node *node, int depth)
{
	struct ivm_piece *p = w->piece;
	struct ivm_interval_node *root = &p->root[p->count];

	*root = *node;
	if (w->dealer->tree.atsp)
		root->d = (uint32_t)p->count;
	memcpy(p->path[p->count], w->path, (size_t)depth);
	p->depth = p->count && p->depth < depth ? p->depth : depth;
	p->count++;
}

static void count_node(struct walk *w, const struct ivm_interval_node *node, int depth)
{
	struct ivm_piece *p = w->piece;

	if (depth < w->dealer->tree.n) {
		p->counts.decomposed++;
		return;
	}
	p->counts.leaves++;
	p->counts.solutions += (uint64_t)p->weight;
	if (w->dealer->tree.atsp && (int64_t)node->c < p->best) {
		p->best = (int64_t)node->c;
		memcpy(p->tour, w->path, (size_t)depth);
	}
}

/* Whether the piece ends with the subtree of the current node at `depth`: it has enough roots, or
 * (N-Queens) the weight of solutions changes here. */
static bool ends(const struct walk *w, int depth)
{
	int n = w->dealer->tree.n;

	if (w->piece->count >= w->most || w->visited >= WALK_MOST)
		return true;
	return !w->dealer->tree.atsp && depth == 1 && n % 2 && w->at[0] == n / 2 - 1;
}

/* Walks through the subtree of `node`. `low`, `high`: whether its digits equal those of the first
 * or last number. Returns false if the piece ends before the interval; then `at` is the last number
 * of the piece. */
static bool walk(struct walk *w, const struct ivm_interval_node *node, int depth, bool low,
		 bool high)
{
	const struct ivm_tree *t = &w->dealer->tree;
	uint32_t open = open_items(t, node);

	for (int digit = 0; open; digit++, open &= open - 1) {
		int item = __builtin_ctz(open), left = t->n - depth - 1;
		bool l = low && digit == w->in.first[depth], h = high && digit == w->in.last[depth];
		struct ivm_interval_node child;

		if ((low && digit < w->in.first[depth]) || (high && digit > w->in.last[depth]))
			continue;
		w->at[depth] = (uint16_t)digit;
		w->path[depth] = (uint8_t)item;
		w->visited++;
		if (make_child(t, w->piece->best, node, item, &child)) {
			bool own = !l || ivm_factoradic_is_first(w->in.first + depth + 1, left);
			bool whole =
				own && (!h || ivm_factoradic_is_last(w->in.last + depth + 1, left));

			if (own)
				count_node(w, &child, depth + 1);
			if (whole && depth + 1 >= w->depth && left >= IVM_INTERVAL_LEAST_LEFT)
				add_root(w, &child, depth + 1);
			else if (left && !walk(w, &child, depth + 1, l, h))
				return false;
		}
		if (!h && ends(w, depth + 1)) {
			ivm_factoradic_last(w->at + depth + 1, left);
			return false;
		}
	}
	return true;
}

/* ---- the size of a piece ---- */

/* The average number of nodes below a node of depth `depth`. */
static double below(const struct ivm_dealer *f, int depth)
{
	double sum = 0;

	for (int i = depth + 1; i <= f->tree.n; i++)
		sum += f->level[i];
	return f->level[depth] > 0 ? sum / f->level[depth] : 0;
}

static void estimate(struct ivm_dealer *f)
{
	estimate_levels(&f->tree, f->origin.best, f->level);
	f->all = 0;
	for (int i = 1; i <= f->tree.n; i++)
		f->all += f->level[i];
}

/* Pieces shrink with the remaining work, so that all takers end at the same time. */
static double piece_size(const struct ivm_dealer *f)
{
	double left = 0, size;

	for (size_t i = 0; i < f->opened; i++)
		left += ivm_factoradic_fraction(f->open[i].first, f->open[i].last, f->tree.n);
	if (!f->tree.atsp) /* the half board is the whole tree */
		left *= (double)f->tree.n / ((f->tree.n + 1) / 2);
	left *= f->all * f->ratio;
	size = left / (2 * f->takers);
	size = size < f->piece_most ? size : f->piece_most;
	return size > f->piece_least ? size : f->piece_least;
}

/* Chooses the depth and number of the roots. Their subtrees are small, so that a piece can be cut
 * at any root and the sum varies little. */
static void choose_roots(const struct ivm_dealer *f, struct walk *w)
{
	enum { ROOTS_A_PIECE = 64 };
	double size = piece_size(f) / f->ratio, roots;

	w->depth = 1;
	while (w->depth < f->tree.n - IVM_INTERVAL_LEAST_LEFT &&
	       below(f, w->depth) * ROOTS_A_PIECE > size)
		w->depth++;
	roots = size / (below(f, w->depth) + 1) + 1;
	w->most = roots < IVM_PIECE_ROOTS ? (int)roots : IVM_PIECE_ROOTS;
}

/* ---- taking and finishing ---- */

/* The length of an interval, modulo IVM_FACTORADIC_MODULUS. */
static uint64_t length_of(const struct ivm_interval *in, int n)
{
	return ivm_factoradic_length(in->first, in->last, n);
}

static void count_dropped(struct ivm_dealer *f, uint64_t length)
{
	const struct balance more = { .dropped = length };

	balance_add(&f->balance, &more);
}

/* Drops the part beyond the half board. Returns false if nothing remains. */
static bool half_board(struct ivm_dealer *f, struct ivm_interval *in)
{
	int middle = (f->tree.n + 1) / 2 - 1, n = f->tree.n;
	uint64_t length = length_of(in, n);

	if (in->first[0] > middle) {
		count_dropped(f, length);
		return false;
	}
	if (in->last[0] > middle) {
		ivm_factoradic_last(in->last, n);
		in->last[0] = (uint16_t)middle;
		count_dropped(f, ivm_factoradic_distance(length_of(in, n), length));
	}
	return true;
}

static void cut_piece(struct ivm_dealer *f, struct ivm_piece *p)
{
	struct walk w = { .dealer = f, .piece = p, .in = f->open[0] };
	struct ivm_interval_node root = root_of(&f->tree);
	bool whole;

	choose_roots(f, &w);
	p->count = 0;
	p->depth = f->tree.n;
	p->counts = (struct ivm_counts){ 0 };
	p->best = f->origin.best;
	p->weight = f->tree.atsp ? 0 : 2 * w.in.first[0] + 1 == f->tree.n ? 1 : 2;
	if (f->tree.atsp && ivm_factoradic_is_first(w.in.first, f->tree.n))
		p->counts.decomposed++;
	whole = walk(&w, &root, 0, true, true);
	p->interval = w.in;
	memcpy(p->level, f->level, sizeof(p->level));
	p->ratio = f->ratio;
	p->nodes = p->count * below(f, w.depth) * f->ratio;
	if (whole) {
		memmove(f->open, f->open + 1, --f->opened * sizeof(*f->open));
		return;
	}
	memcpy(p->interval.last, w.at, sizeof(w.at));
	memcpy(f->open[0].first, w.at, sizeof(w.at));
	ivm_factoradic_next(f->open[0].first, f->tree.n);
}

bool ivm_dealer_take(struct ivm_dealer *f, struct ivm_piece *p)
{
	bool found = false;

	pthread_mutex_lock(&f->lock);
	while (f->opened && !found) {
		found = f->tree.atsp || half_board(f, &f->open[0]);
		if (!found)
			memmove(f->open, f->open + 1, --f->opened * sizeof(*f->open));
	}
	if (found) {
		cut_piece(f, p);
		f->taken[f->under_way++] = p->interval;
	}
	pthread_mutex_unlock(&f->lock);
	return found;
}

enum { TELLING_ROOTS = 16 }; /* too few roots to predict the other pieces */

static void learn(struct ivm_dealer *f, double seen)
{
	double least = f->ratio / 8, most = f->ratio * 8;

	seen = seen < least ? least : seen > most ? most : seen;
	f->ratio = (f->ratio + seen) / 2;
}

static void keep_tour(struct ivm_origin *o, const struct ivm_piece *p)
{
	o->best = (int32_t)p->best;
	o->known = true;
	for (int i = 0; i < o->n; i++)
		o->order[i] = p->tour[i];
}

static void add_piece(struct ivm_dealer *f, const struct ivm_piece *p, double nodes)
{
	const struct balance more = { .popped = length_of(&p->interval, f->tree.n) };
	int i = 0;

	balance_add(&f->balance, &more);
	while (memcmp(&f->taken[i], &p->interval, sizeof(p->interval)))
		i++;
	f->taken[i] = f->taken[--f->under_way];
	ivm_counts_add(&f->counts, &p->counts);
	if (p->count >= TELLING_ROOTS && p->nodes > 0)
		learn(f, nodes / p->nodes * p->ratio);
	if (f->tree.atsp && p->best < f->origin.best) {
		keep_tour(&f->origin, p);
		watch_incumbent(f->request->watch, p->best);
		estimate(f);
	}
}

static bool write_due(const struct ivm_dealer *f, double now)
{
	const struct checkpoint_plan *plan = f->request->checkpoint;

	if (!plan || !plan->write || f->status)
		return false;
	return now - f->written >= checkpoint_period(plan);
}

static int write_now(struct ivm_dealer *f, bool ends, struct err *e);

/* Tells the estimated nodes below what is open or in progress. */
static void show_left(struct ivm_dealer *f)
{
	const struct dfs_levels *l = dfs_gauge_levels(&f->gauge, f->origin.best);
	double left = 0;

	if (!l)
		return;
	for (size_t i = 0; i < f->opened; i++)
		left += dfs_levels_interval(l, f->open[i].first, f->open[i].last);
	for (int i = 0; i < f->under_way; i++)
		left += dfs_levels_interval(l, f->taken[i].first, f->taken[i].last);
	watch_left(f->request->watch, 0, left);
}

void ivm_dealer_finish(struct ivm_dealer *f, const struct ivm_piece *p, double nodes)
{
	pthread_mutex_lock(&f->lock);
	add_piece(f, p, nodes);
	watch_count(f->request->watch, 0, f->counts.decomposed);
	show_left(f);
	if (write_due(f, clock_wall()))
		f->status = write_now(f, false, &f->error);
	pthread_mutex_unlock(&f->lock);
}

struct balance ivm_dealer_balance(const struct ivm_dealer *f)
{
	struct balance b = f->balance;

	for (size_t i = 0; i < f->opened; i++)
		b.left = (b.left + length_of(&f->open[i], f->tree.n)) % b.modulus;
	for (int i = 0; i < f->under_way; i++)
		b.left = (b.left + length_of(&f->taken[i], f->tree.n)) % b.modulus;
	return b;
}

/* ---- opening ---- */

/* Copies the origin's intervals to arrays with a fixed number of digits. */
static int take_intervals(struct ivm_dealer *f, struct err *e)
{
	struct ivm_origin *o = &f->origin;
	size_t n = (size_t)o->n, digits = n * sizeof(*o->interval);
	const struct ivm_interval_list all = { .n = o->n,
					       .count = o->count,
					       .digits = o->interval };

	f->open = calloc((size_t)o->count + 1, sizeof(*f->open));
	if (!f->open)
		return err_set(e, ERR_MEMORY, "no memory for %llu intervals",
			       (unsigned long long)o->count);
	for (f->opened = 0; f->opened < o->count; f->opened++) {
		memcpy(f->open[f->opened].first, o->interval + 2 * n * f->opened, digits);
		memcpy(f->open[f->opened].last, o->interval + 2 * n * f->opened + n, digits);
	}
	f->balance = (struct balance){ .modulus = IVM_FACTORADIC_MODULUS,
				       .initial = ivm_interval_list_length(&all) };
	ivm_origin_taken(o);
	return 0;
}

int ivm_dealer_open(struct ivm_dealer *f, const struct ivm_tree *t, const struct search_request *r,
		    int64_t best, const int64_t *tour, int takers, struct err *e)
{
	int status;

	memset(f, 0, sizeof(*f));
	f->tree = *t;
	f->request = r;
	f->takers = takers;
	f->ratio = 1;
	f->written = clock_wall();
	pthread_mutex_init(&f->lock, NULL);
	f->taken = calloc((size_t)takers, sizeof(*f->taken));
	if (!f->taken)
		return err_set(e, ERR_MEMORY, "no memory for %d intervals", takers);
	status = ivm_problem_make(&f->problem, r, e);
	if (!status)
		status = ivm_origin_open(&f->origin, &f->problem, r, NULL, e);
	if (!status)
		status = take_intervals(f, e);
	if (status)
		return status;
	if (tour)
		ivm_origin_offer(&f->origin, &f->problem, best, tour);
	estimate(f);
	dfs_gauge_open(&f->gauge, r, 0, 1, f->origin.counts.decomposed);
	return 0;
}

void ivm_dealer_close(struct ivm_dealer *f)
{
	dfs_gauge_close(&f->gauge);
	ivm_origin_close(&f->origin);
	ivm_problem_free(&f->problem);
	free(f->open);
	free(f->taken);
	pthread_mutex_destroy(&f->lock);
}

/* ---- checkpoints ---- */

static int by_first(const void *a, const void *b)
{
	const struct ivm_interval *x = a, *y = b;

	return ivm_factoradic_compare(x->first, y->first, IVM_INTERVAL_ITEMS);
}

static void fill(const struct ivm_dealer *f, uint16_t *work, size_t count, struct ivm_interval *all)
{
	size_t n = (size_t)f->tree.n, digits = n * sizeof(*work);

	memcpy(all, f->taken, (size_t)f->under_way * sizeof(*all));
	memcpy(all + f->under_way, f->open, f->opened * sizeof(*all));
	qsort(all, count, sizeof(*all), by_first);
	for (size_t i = 0; i < count; i++) {
		memcpy(work + 2 * n * i, all[i].first, digits);
		memcpy(work + 2 * n * i + n, all[i].last, digits);
	}
}

/* `ends`: the search ends with this checkpoint. */
static int write_now(struct ivm_dealer *f, bool ends, struct err *e)
{
	static const struct balance_name name = { "gmys-ivm tuned", "checkpoint", -1,
						  "lengths of intervals" };
	const struct balance b = ivm_dealer_balance(f);
	size_t count = f->opened + (size_t)f->under_way;
	struct ivm_interval *all = malloc((count + 1) * sizeof(*all));
	uint16_t *work = malloc((count + 1) * 2 * (size_t)f->tree.n * sizeof(*work));
	int status =
		all && work ? 0 : err_set(e, ERR_MEMORY, "no memory to write %zu intervals", count);

	if (!status)
		status = balance_check(&b, &name, false, e);
	if (!status) {
		fill(f, work, count, all);
		status = (ends ? ivm_origin_end : ivm_origin_write)(&f->origin, f->request,
								    f->counts, work, count, e);
	}
	f->written = clock_wall();
	free(all);
	free(work);
	return status;
}

int ivm_dealer_write_last(struct ivm_dealer *f, struct err *e)
{
	if (f->status)
		return err_set(e, f->status, "%s", f->error.text);
	return checkpoint_is_kept(f->request->checkpoint) ? write_now(f, true, e) : 0;
}
