/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/tree-search/depth-first/dfs_cpu.h"

#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/tree-search/balance.h"
#include "algorithms/tree-search/checkpoint.h"
#include "algorithms/tree-search/depth-first/dfs_checkpoint.h"
#include "algorithms/tree-search/depth-first/dfs_levels.h"
#include "algorithms/tree-search/exchange.h"
#include "algorithms/tree-search/flowshop/fsp_pair_tests.h"
#include "algorithms/tree-search/flowshop/fsp_tables.h"
#include "harness/base/clock.h"

enum { CLOSED = -1, NOBODY = 0 }; /* a request is the id of the asking member + 1 */
enum { LOOKS_TO_SHOW = 16 };      /* polls between two estimates of what is left */
enum reply { WAITING, GIVEN, REFUSED };

struct child {
	uint16_t job;
	int32_t bound;
};

/* A node and its open children, those still to be visited, the most promising last. */
struct frame {
	struct dfs_cpu_node node;
	bool at_end; /* children go before the suffix */
	int open;
	struct child *child;
};

struct dfs_cpu_member {
	struct dfs_cpu_search *search;
	struct task_member *m;
	struct frame *frame; /* by the number of jobs placed; [jobs] */
	struct child *child_block;
	int base, depth; /* frames base .. depth are in use; depth < base: none */
	uint16_t *order; /* of the path: the prefix at the front, the suffix at the end */
	void *scratch;
	struct dfs_cpu_bounds bounds;
	struct fsp_pair_tests *pairs; /* that nodes are tested with; NULL: none */
	int64_t ub;                   /* the member's own, if incumbents are private */
	uint64_t explored, decomposed, leaves, evaluated, nodes;
	uint64_t cut;   /* nodes that machine pairs pruned */
	uint64_t looks; /* polls so far: one in LOOKS_TO_SHOW shows what is left */
	uint64_t by_children[SEARCH_PROFILE + 1]; /* see struct search_outcome */
	uint64_t steals_tried, steals_done, nodes_stolen;
	struct balance balance; /* of the children in its frames */
	int64_t open_bound;     /* least bound of the nodes left open by a stop */
	bool asking;            /* for work; `reply` may say that frame `given` is its own */
	/* written by other members */
	_Alignas(64) _Atomic int request;
	_Atomic int reply;
	int given; /* depth of the frame that was handed over */
};

struct dfs_cpu_search {
	struct task_team team;
	struct fsp_tables tables;
	const struct dfs_cpu_kernel *kernel;
	void *kernel_tables;
	struct dfs_cpu_member *member;
	_Atomic int active; /* members with work, including work in transit */
	_Atomic int64_t ub;
	int64_t initial_ub;
	double records_due; /* clock_wall(): when the records left are estimated again */
	pthread_mutex_t best_lock;
	int64_t best;
	int64_t *order;
	bool found;
	uint64_t member_bytes;
	struct checkpoint_past past;
	struct dfs_gauge gauge;
	_Atomic uint64_t next; /* the first record of `past` that no member has taken */
};

const struct dfs_cpu_kernel *dfs_cpu_kernel_of(const struct flowshop *f)
{
	return fsp_fits_16_bits(f) ? &dfs_cpu_kernel_16 : &dfs_cpu_kernel_32;
}

/* ---- incumbent ---- */

static int64_t current_ub(const struct dfs_cpu_member *d)
{
	return d->search->team.request->private_incumbent ?
		       d->ub :
		       atomic_load_explicit(&d->search->ub, memory_order_relaxed);
}

/* Records the schedule that the member's path and its last job form; its makespan is below the
 * member's bound. */
static void improve(struct dfs_cpu_member *d, const struct dfs_cpu_node *node, int job,
		    int64_t makespan)
{
	struct dfs_cpu_search *s = d->search;

	d->ub = makespan;
	d->leaves++;
	d->order[node->prefix] = (uint16_t)job;
	pthread_mutex_lock(&s->best_lock);
	if (makespan < s->best) {
		s->best = makespan;
		s->found = true;
		for (int i = 0; i < s->tables.jobs; i++)
			s->order[i] = d->order[i];
		atomic_store(&s->ub, makespan);
		watch_incumbent(s->team.request->watch, makespan);
		exchange_offer(s->team.request->exchange, EXCHANGE_SEARCH, makespan, s->order);
	}
	pthread_mutex_unlock(&s->best_lock);
}

/* Takes a better schedule of the heuristics beside the search. */
static void take_exchanged(struct dfs_cpu_search *s)
{
	struct exchange *x = s->team.request->exchange;

	if (exchange_value(x) >= atomic_load_explicit(&s->ub, memory_order_relaxed))
		return;
	pthread_mutex_lock(&s->best_lock);
	if (exchange_value(x) < s->best) {
		s->best = exchange_take(x, s->best, s->order);
		s->found = true;
		atomic_store(&s->ub, s->best);
	}
	pthread_mutex_unlock(&s->best_lock);
}

/* ---- branching ---- */

bool dfs_cpu_at_end(enum fsp_branching rule, int64_t first_ub, const struct dfs_cpu_bounds *b)
{
	int64_t sum = 0, more = 0;

	if (rule == FSP_FORWARD)
		return false;
	for (int i = 0; i < b->count; i++) {
		sum += b->begin[i] - b->end[i];
		more += (b->begin[i] >= first_ub) - (b->end[i] >= first_ub);
	}
	if (rule == FSP_MINBRANCH)
		return more < 0 || (more == 0 && sum < 0);
	return sum <= 0;
}

static int compare_children(const void *a, const void *b)
{
	const struct child *x = a, *y = b;

	if (x->bound != y->bound)
		return x->bound < y->bound ? 1 : -1;
	return (x->job < y->job) - (x->job > y->job);
}

/* Sorts by descending bounds. Most lists are short. */
static void sort_children(struct child *c, int count)
{
	enum { SHORT = 32 };

	if (count > SHORT) {
		qsort(c, (size_t)count, sizeof(*c), compare_children);
		return;
	}
	for (int i = 1; i < count; i++) {
		struct child x = c[i];
		int j = i;

		for (; j > 0 && compare_children(&c[j - 1], &x) > 0; j--)
			c[j] = c[j - 1];
		c[j] = x;
	}
}

/* With a static distribution all members expand the first two levels, and each keeps its share of
 * the root's grandchildren. The first member counts what all of them do. */
static bool is_mine(const struct dfs_cpu_member *d, const struct dfs_cpu_node *node, int job)
{
	const struct search_request *r = d->search->team.request;
	int placed = node->prefix + node->suffix, first;

	if (!r->no_stealing || placed != 1)
		return true;
	first = d->order[node->prefix ? 0 : d->search->tables.jobs - 1];
	return (first * d->search->tables.jobs + job) % d->search->team.threads == d->m->id;
}

static bool counts_here(const struct dfs_cpu_member *d, const struct dfs_cpu_node *node, int level)
{
	return !d->search->team.request->no_stealing || node->prefix + node->suffix > level ||
	       d->m->id == 0;
}

static void keep_children(struct dfs_cpu_member *d, struct frame *f)
{
	const struct dfs_cpu_bounds *b = &d->bounds;
	const int32_t *bound = f->at_end ? b->end : b->begin;

	f->open = 0;
	for (int i = 0; i < b->count; i++) {
		if (bound[i] < current_ub(d) && is_mine(d, &f->node, b->job[i]))
			f->child[f->open++] = (struct child){ b->job[i], bound[i] };
	}
	sort_children(f->child, f->open);
	d->balance.pushed += (uint64_t)f->open;
	if (counts_here(d, &f->node, 0))
		d->explored += (uint64_t)f->open;
}

/* Bounds the children of the deepest frame's node. */
static void decompose(struct dfs_cpu_member *d)
{
	struct dfs_cpu_search *s = d->search;
	struct frame *f = &d->frame[d->depth];
	const struct search_request *r = s->team.request;
	bool end = r->branching != FSP_FORWARD;
	int64_t ub = current_ub(d);
	int32_t stop_at = end || ub > INT32_MAX ? INT32_MAX : (int32_t)ub;

	s->kernel->bound(&s->tables, s->kernel_tables, d->scratch, &f->node, r->bound, end, stop_at,
			 &d->bounds);
	if (counts_here(d, &f->node, 1)) {
		d->decomposed++;
		d->evaluated += (uint64_t)d->bounds.count << end;
		if (d->bounds.count <= SEARCH_PROFILE)
			d->by_children[d->bounds.count]++;
	}
	f->at_end = dfs_cpu_at_end(r->branching, s->initial_ub, &d->bounds);
	f->open = 0;
	if (f->node.left > 1)
		keep_children(d, f);
	else if (d->bounds.begin[0] < ub)
		improve(d, &f->node, d->bounds.job[0], d->bounds.begin[0]);
}

/* ---- the path ---- */

void dfs_cpu_place(const struct fsp_tables *t, const struct dfs_cpu_node *from, bool at_end,
		   int job, struct dfs_cpu_node *to)
{
	static const int32_t zeros[FLOWSHOP_MAX_MACHINES];
	const int32_t *time = t->time + job * t->machines;
	size_t bytes = (size_t)t->machines * sizeof(int32_t);

	to->prefix = from->prefix + !at_end;
	to->suffix = from->suffix + at_end;
	to->left = from->left - 1;
	memcpy(to->set, from->set, sizeof(to->set));
	to->set[job / 64] &= ~(UINT64_C(1) << job % 64);
	for (int k = 0; k < t->machines; k++)
		to->rem[k] = from->rem[k] - time[k];
	if (at_end) {
		memcpy(to->front, from->front, bytes);
		fsp_prepend(time, from->suffix ? from->back : zeros, to->back, t->machines);
	} else {
		memcpy(to->back, from->back, bytes);
		fsp_append(time, from->prefix ? from->front : zeros, to->front, t->machines);
	}
}

static void note_path(struct dfs_cpu_member *d, const struct frame *f, int job)
{
	int n = d->search->tables.jobs;

	d->order[f->at_end ? n - 1 - f->node.suffix : f->node.prefix] = (uint16_t)job;
}

/* Whether machine pairs prune a node that was taken. */
static bool is_cut(struct dfs_cpu_member *d, const struct dfs_cpu_node *node)
{
	struct fsp_pair_tests *p = d->pairs;

	if (!p)
		return false;
	fsp_pair_tests_see(p, node->set[0], node->front, node->back);
	if (!fsp_pair_tests_prune(p, node->set[0], node->front, node->back, current_ub(d)))
		return false;
	d->cut++;
	return true;
}

/* Visits the next open child of the path. Returns false if there is none. */
static bool step(struct dfs_cpu_member *d)
{
	while (d->depth >= d->base) {
		struct frame *f = &d->frame[d->depth];

		if (f->open) {
			struct child c = f->child[--f->open];
			struct dfs_cpu_node *node = &d->frame[d->depth + 1].node;

			if (c.bound >= current_ub(d)) {
				d->balance.dropped += (uint64_t)f->open + 1;
				f->open = 0; /* sorted: the bounds of the others are not below ub
						either */
				continue;
			}
			d->balance.popped++;
			note_path(d, f, c.job);
			dfs_cpu_place(&d->search->tables, &f->node, f->at_end, c.job, node);
			if (!is_cut(d, node)) {
				d->depth++;
				decompose(d);
			}
			return true;
		}
		d->depth--;
	}
	return false;
}

/* ---- what is left ---- */

/* The estimated nodes below the open ones in frames first .. last. */
static double nodes_below(const struct dfs_cpu_member *d, const struct dfs_levels *l, int first,
			  int last)
{
	double left = 0;

	for (int i = first; i <= last && i + 1 < l->jobs; i++) {
		const struct frame *f = &d->frame[i];

		for (int c = 0; c < f->open; c++)
			left += l->by_class[i + 1][dfs_levels_class(l, f->child[c].bound)];
	}
	return left;
}

/* Between two estimates of the records that are left, of which there can be millions. */
static const double RECORDS_SECONDS = 1;

/* Tells what is left to this member, and by member 0, in the records of earlier runs. */
static void show_left(struct dfs_cpu_member *d)
{
	struct dfs_cpu_search *s = d->search;
	struct watch *watch = s->team.request->watch;
	const struct dfs_levels *l =
		dfs_gauge_levels_with(&s->gauge, atomic_load(&s->ub), d->pairs);

	if (!l)
		return;
	watch_left(watch, d->m->id, nodes_below(d, l, d->base, d->depth));
	if (d->m->id != 0 || !s->past.resumed || clock_wall() < s->records_due)
		return;
	watch_left(watch, WATCH_HOST,
		   dfs_levels_records(l, s->past.state.work, atomic_load(&s->next),
				      s->past.state.count));
	s->records_due = clock_wall() + RECORDS_SECONDS;
}

/* ---- work stealing ---- */

static bool reply_to(struct dfs_cpu_member *d, int request, enum reply reply)
{
	if (request > NOBODY)
		atomic_store(&d->search->member[request - 1].reply, (int)reply);
	return reply == GIVEN;
}

static void refuse(struct dfs_cpu_member *d)
{
	int request = atomic_load(&d->request);

	if (request > NOBODY) {
		atomic_store(&d->request, NOBODY);
		reply_to(d, request, REFUSED);
	}
}

/* The shallowest frame with open children, if the path has at least two of them in all; else -1. */
static int frame_to_share(const struct dfs_cpu_member *d)
{
	int open = 0, shallowest = -1;

	for (int i = d->base; i <= d->depth; i++) {
		open += d->frame[i].open;
		if (shallowest < 0 && d->frame[i].open)
			shallowest = i;
		if (open > 1)
			return shallowest;
	}
	return -1;
}

/* Gives every second child, so that both members get promising and unpromising ones. */
static void hand_over(struct dfs_cpu_member *d, struct dfs_cpu_member *to, int at)
{
	struct frame *from = &d->frame[at], *f = &to->frame[at];
	int n = d->search->tables.jobs, kept = 0;

	f->node = from->node;
	f->at_end = from->at_end;
	f->open = 0;
	for (int i = 0; i < from->open; i++) {
		if ((from->open - i) % 2)
			f->child[f->open++] = from->child[i];
		else
			from->child[kept++] = from->child[i];
	}
	from->open = kept;
	for (int i = 0; i < f->node.prefix; i++)
		to->order[i] = d->order[i];
	for (int i = n - f->node.suffix; i < n; i++)
		to->order[i] = d->order[i];
	to->given = at;
	to->nodes_stolen += (uint64_t)f->open;
	to->balance.received += (uint64_t)f->open;
	d->balance.given += (uint64_t)f->open;
}

static void serve(struct dfs_cpu_member *d)
{
	struct dfs_cpu_member *to;
	const struct dfs_levels *l;
	int request = atomic_load_explicit(&d->request, memory_order_relaxed), at;

	if (request <= NOBODY)
		return;
	request = atomic_load(&d->request);
	at = frame_to_share(d);
	if (at < 0) {
		refuse(d);
		return;
	}
	to = &d->search->member[request - 1];
	hand_over(d, to, at);
	l = dfs_gauge_levels_with(&d->search->gauge, atomic_load(&d->search->ub), d->pairs);
	if (l) {
		watch_left(d->search->team.request->watch, to->m->id, nodes_below(to, l, at, at));
		show_left(d);
	}
	atomic_fetch_add(&d->search->active, 1);
	atomic_store(&d->request, NOBODY);
	reply_to(d, request, GIVEN);
}

/* Asks one member; returns true if it gave work. Refuses requests of others while it waits. */
static bool ask(struct dfs_cpu_member *d, struct dfs_cpu_member *victim)
{
	int nobody = NOBODY, reply;

	d->steals_tried++;
	atomic_store(&d->reply, (int)WAITING);
	if (!atomic_compare_exchange_strong(&victim->request, &nobody, d->m->id + 1))
		return false;
	d->asking = true;
	while ((reply = atomic_load(&d->reply)) == WAITING) {
		refuse(d);
		task_team_pause(&d->search->team);
		sched_yield();
	}
	d->asking = false;
	if (reply == REFUSED)
		return false;
	d->base = d->depth = d->given;
	d->steals_done++;
	return true;
}

/* Called without work: asks members until one gives some. Returns false if no member has work or
 * the team stops. */
static bool find_work(struct dfs_cpu_member *d)
{
	struct dfs_cpu_search *s = d->search;
	int threads = s->team.threads;

	watch_left(s->team.request->watch, d->m->id, 0);
	atomic_fetch_sub(&s->active, 1);
	while (!s->team.request->no_stealing && atomic_load(&s->active) > 0 &&
	       !task_team_stops(&s->team)) {
		int other = (int)rng_below(&d->m->rng, (uint64_t)threads);

		if (other != d->m->id && ask(d, &s->member[other]))
			return true;
		refuse(d);
		task_team_pause(&s->team);
		sched_yield();
	}
	return false;
}

/* ---- open nodes of earlier runs ---- */

/* The fields of a record (checkpoint.h) before its jobs. */
enum { PREFIX, SUFFIX, OPEN, SIDE, JOBS };

static size_t stride_of(const struct dfs_cpu_search *s)
{
	return checkpoint_stride(CHECKPOINT_NODES, s->tables.jobs);
}

static uint64_t children_of(const uint16_t *record)
{
	return record[OPEN] ? record[OPEN] : 1; /* the node itself */
}

/* The nodes of the records from `from` on. */
static uint64_t nodes_from(const struct dfs_cpu_search *s, uint64_t from)
{
	uint64_t nodes = 0;

	for (uint64_t i = from; i < s->past.state.count; i++)
		nodes += children_of(s->past.state.work + i * stride_of(s));
	return nodes;
}

void dfs_cpu_root(const struct fsp_tables *t, struct dfs_cpu_node *root)
{
	size_t bytes = (size_t)t->machines * sizeof(int32_t);

	memset(root, 0, sizeof(*root));
	root->left = t->jobs;
	for (int j = 0; j < t->jobs; j++)
		root->set[j / 64] |= UINT64_C(1) << j % 64;
	memcpy(root->front, t->head, bytes);
	memcpy(root->back, t->tail, bytes);
	memcpy(root->rem, t->total, bytes);
}

/* Makes the node of a record in `f`, and its jobs in the order of the member's path. */
static void make_node(struct dfs_cpu_member *d, const uint16_t *record, struct frame *f)
{
	const struct fsp_tables *t = &d->search->tables;
	const uint16_t *job = record + JOBS;
	struct dfs_cpu_node node[2];
	int at = 0, n = t->jobs;

	dfs_cpu_root(t, &node[0]);
	for (int i = 0; i < record[PREFIX]; i++, at = !at) {
		d->order[i] = job[i];
		dfs_cpu_place(t, &node[at], false, job[i], &node[!at]);
	}
	for (int i = n - 1; i >= n - record[SUFFIX]; i--, at = !at) {
		d->order[i] = job[i];
		dfs_cpu_place(t, &node[at], true, job[i], &node[!at]);
	}
	f->node = node[at];
}

/* Bounds the open children of a record once more, which counts as no node. */
static void load_children(struct dfs_cpu_member *d, const uint16_t *record, struct frame *f)
{
	const struct dfs_cpu_search *s = d->search;
	const uint16_t *job = record + JOBS + record[PREFIX];
	const int32_t *bound = record[SIDE] ? d->bounds.end : d->bounds.begin;
	uint64_t open[DFS_CPU_WORDS] = { 0 };

	for (int i = 0; i < record[OPEN]; i++)
		open[job[i] / 64] |= UINT64_C(1) << job[i] % 64;
	s->kernel->bound(&s->tables, s->kernel_tables, d->scratch, &f->node, s->team.request->bound,
			 record[SIDE], INT32_MAX, &d->bounds);
	for (int i = 0; i < d->bounds.count; i++) {
		int j = d->bounds.job[i];

		if (!(open[j / 64] >> j % 64 & 1))
			continue;
		if (bound[i] < current_ub(d))
			f->child[f->open++] = (struct child){ (uint16_t)j, bound[i] };
		else
			d->balance.dropped++;
	}
	sort_children(f->child, f->open);
}

/* Takes the next record of earlier runs. Returns false if none is left. */
static bool next_record(struct dfs_cpu_member *d)
{
	struct dfs_cpu_search *s = d->search;
	const struct checkpoint *past = &s->past.state;
	const uint16_t *record;
	struct frame *f;
	uint64_t at;

	if (atomic_load_explicit(&s->next, memory_order_relaxed) >= past->count)
		return false;
	at = atomic_fetch_add(&s->next, 1);
	if (at >= past->count)
		return false;
	record = past->work + at * stride_of(s);
	d->base = d->depth = record[PREFIX] + record[SUFFIX];
	d->balance.received += children_of(record);
	f = &d->frame[d->depth];
	make_node(d, record, f);
	f->at_end = record[SIDE];
	f->open = 0;
	if (record[OPEN]) {
		load_children(d, record, f);
	} else {
		d->balance.popped++;
		decompose(d);
	}
	show_left(d);
	return true;
}

/* ---- the members ---- */

static void note_open(struct dfs_cpu_member *d)
{
	for (int i = d->base; i <= d->depth; i++) {
		d->balance.left += (uint64_t)d->frame[i].open;
		for (int c = 0; c < d->frame[i].open; c++) {
			if (d->frame[i].child[c].bound < d->open_bound)
				d->open_bound = d->frame[i].child[c].bound;
		}
	}
}

static void make_root(struct dfs_cpu_member *d)
{
	dfs_cpu_root(&d->search->tables, &d->frame[0].node);
	d->base = d->depth = 0;
	decompose(d);
}

/* Not inlined: the loop around it is hot. */
static __attribute__((noinline)) bool stops(struct dfs_cpu_member *d)
{
	watch_count(d->search->team.request->watch, d->m->id, d->decomposed);
	take_exchanged(d->search);
	if (++d->looks % LOOKS_TO_SHOW == 0) {
		if (d->pairs)
			fsp_pair_tests_choose(d->pairs, current_ub(d));
		show_left(d);
	}
	task_team_pause(&d->search->team);
	return task_team_stops(&d->search->team);
}

static void search_path(struct dfs_cpu_member *d)
{
	/* reading the clock costs a quarter of a small node with LB1; large nodes take up to a
	 * second */
	bool quick = d->search->team.request->bound == FSP_LB1 ||
		     d->search->kernel == &dfs_cpu_kernel_sets;
	unsigned check = quick ? 16 : 1;

	while (step(d)) {
		serve(d);
		if (++d->nodes % check == 0 && stops(d))
			return;
	}
}

/* Refuses all requests, so that nobody waits for a member that has ended. */
static void close_requests(struct dfs_cpu_member *d)
{
	reply_to(d, atomic_exchange(&d->request, CLOSED), REFUSED);
}

static void work(struct task_member *m)
{
	struct dfs_cpu_search *s = m->team->work_context;
	struct dfs_cpu_member *d = &s->member[m->id];
	bool all = m->team->request->no_stealing || s->past.resumed, starts = m->id == 0 || all;

	if (m->id == 0) {
		atomic_store(&s->active, all ? m->team->threads : 1);
		take_exchanged(s);
	}
	task_team_barrier(m->team);
	if (!starts)
		atomic_fetch_add(&s->active, 1); /* find_work subtracts it again */
	else if (!s->past.resumed)
		make_root(d);
	do {
		search_path(d);
		if (task_team_stops(m->team))
			break;
	} while (next_record(d) || find_work(d));
	show_left(d);
	close_requests(d);
	note_open(d);
}

/* ---- set up ---- */

static int make_member(struct dfs_cpu_search *s, int id, struct err *e)
{
	struct dfs_cpu_member *d = &s->member[id];
	size_t n = (size_t)s->tables.jobs, at = 0;

	d->search = s;
	d->m = &s->team.member[id];
	d->depth = -1;
	d->ub = d->open_bound = s->best;
	d->frame = calloc(n, sizeof(*d->frame));
	d->child_block = malloc(n * (n + 1) / 2 * sizeof(*d->child_block));
	d->order = calloc(n, sizeof(*d->order));
	d->scratch = task_team_alloc(s->kernel->scratch_bytes(&s->tables));
	if (!d->frame || !d->child_block || !d->order || !d->scratch)
		return err_set(e, ERR_MEMORY, "no memory for a path of %zu jobs", n);
	for (size_t i = 0; i < n; i++) {
		d->frame[i].child = d->child_block + at;
		at += n - i;
	}
	s->kernel->scratch_make(&s->tables, d->scratch);
	if (s->team.request->pairs && fsp_pair_tests_support(&s->tables) &&
	    fsp_pair_tests_create(&d->pairs, &s->tables, s->team.request->pairs_seconds, e))
		return ERR_MEMORY;
	s->member_bytes = n * sizeof(*d->frame) + at * sizeof(*d->child_block);
	return 0;
}

/* The bound and schedule to start from. Checkpoints need a schedule for every bound: without a
 * bound search_start gives one. The earlier runs' solution replaces the start if it is better. */
static int make_start(struct dfs_cpu_search *s, const struct search_request *r, struct err *e)
{
	const struct checkpoint *past = &s->past.state;
	size_t bytes = (size_t)r->flowshop->jobs * sizeof(*s->order);
	int64_t *start = NULL;
	int status = 0;

	s->best = r->ub;
	if (r->checkpoint)
		status = search_start(r, &s->best, &start, e);
	if (status)
		return status;
	s->initial_ub = s->past.resumed ? past->key.first_ub : s->best;
	s->found = start || r->start;
	if (s->found)
		memcpy(s->order, start ? start : r->start, bytes);
	free(start);
	if (s->past.resumed && (past->best < s->best || (past->best == s->best && past->order))) {
		s->best = past->best;
		s->found = past->order;
		if (s->found)
			memcpy(s->order, past->order, bytes);
	}
	atomic_init(&s->ub, s->best);
	return 0;
}

static int make_search(void *search, const struct search_request *r, struct err *e)
{
	struct dfs_cpu_search *s = search;
	size_t n = (size_t)r->flowshop->jobs;
	int status;

	pthread_mutex_init(&s->best_lock, NULL);
	if (r->checkpoint && r->no_stealing)
		return err_set(e, ERR_UNSUPPORTED,
			       "a static distribution on cores does not support checkpoints");
	status = checkpoint_past_open(&s->past, r, CHECKPOINT_NODES, e);
	if (!status)
		status = fsp_tables_make(&s->tables, r->flowshop, FSP_ALL_PAIRS, e);
	if (status)
		return status;
	s->kernel =
		dfs_cpu_sets_supports(r) ? &dfs_cpu_kernel_sets : dfs_cpu_kernel_of(r->flowshop);
	s->order = malloc(n * sizeof(*s->order));
	s->kernel_tables = task_team_alloc(s->kernel->tables_bytes(&s->tables));
	s->member = task_team_alloc((size_t)s->team.members * sizeof(*s->member));
	if (!s->order || !s->kernel_tables || !s->member)
		return err_set(e, ERR_MEMORY, "no memory for the search of %zu jobs", n);
	memset(s->member, 0, (size_t)s->team.members * sizeof(*s->member));
	s->kernel->tables_make(&s->tables, s->kernel_tables);
	status = make_start(s, r, e);
	if (!r->no_stealing)
		dfs_gauge_open(&s->gauge, r, s->initial_ub, s->team.members,
			       s->past.state.decomposed);
	for (int i = 0; i < s->team.members && !status; i++)
		status = make_member(s, i, e);
	return status;
}

static void release(void *search)
{
	struct dfs_cpu_search *s = search;

	for (int i = 0; s->member && i < s->team.members; i++) {
		free(s->member[i].frame);
		free(s->member[i].child_block);
		free(s->member[i].order);
		free(s->member[i].scratch);
		fsp_pair_tests_destroy(s->member[i].pairs);
	}
	free(s->member);
	free(s->kernel_tables);
	dfs_gauge_close(&s->gauge);
	free(s->order);
	fsp_tables_free(&s->tables);
	checkpoint_past_close(&s->past);
	pthread_mutex_destroy(&s->best_lock);
}

/* ---- the state for a checkpoint, in a pause or at the end ---- */

/* The frames of a member: first .. *last. */
static int first_frame(const struct dfs_cpu_member *d, int *last)
{
	bool given = d->asking && atomic_load(&d->reply) == GIVEN;

	*last = given ? d->given : d->depth;
	return given ? d->given : d->base;
}

/* Writes the record of a frame with open children. */
static void put_record(const struct dfs_cpu_member *d, const struct frame *f, uint16_t *to)
{
	int n = d->search->tables.jobs, at = f->node.prefix;
	uint64_t rest[DFS_CPU_WORDS];

	to[PREFIX] = (uint16_t)f->node.prefix;
	to[SUFFIX] = (uint16_t)f->node.suffix;
	to[OPEN] = (uint16_t)f->open;
	to[SIDE] = f->at_end;
	to += JOBS;
	memcpy(to, d->order, (size_t)n * sizeof(*to));
	memcpy(rest, f->node.set, sizeof(rest));
	for (int i = 0; i < f->open; i++) {
		int job = f->child[i].job;

		rest[job / 64] &= ~(UINT64_C(1) << job % 64);
		to[at++] = (uint16_t)job;
	}
	for (int word = 0; word < DFS_CPU_WORDS; word++) {
		for (uint64_t bits = rest[word]; bits; bits &= bits - 1)
			to[at++] = (uint16_t)(word * 64 + __builtin_ctzll(bits));
	}
}

/* Returns the number of records of a member's frames, and writes them unless `work` is NULL. */
static uint64_t member_records(const struct dfs_cpu_member *d, uint16_t *work)
{
	uint64_t records = 0;
	int last, first = first_frame(d, &last);

	for (int i = first; i <= last; i++) {
		if (!d->frame[i].open)
			continue;
		if (work)
			put_record(d, &d->frame[i], work + records * stride_of(d->search));
		records++;
	}
	return records;
}

static int state_work(const struct dfs_cpu_search *s, struct checkpoint *c, struct err *e)
{
	const struct checkpoint *past = &s->past.state;
	uint64_t next = atomic_load(&s->next), rest = next < past->count ? past->count - next : 0;
	size_t stride = stride_of(s);

	c->form = CHECKPOINT_NODES;
	c->count = rest;
	for (int i = 0; i < s->team.threads; i++)
		c->count += member_records(&s->member[i], NULL);
	c->work = malloc((size_t)c->count * stride * sizeof(*c->work) + 1);
	if (!c->work)
		return err_set(e, ERR_MEMORY, "no memory for a checkpoint of %" PRIu64 " nodes",
			       c->count);
	c->count = rest;
	if (rest)
		memcpy(c->work, past->work + next * stride, rest * stride * sizeof(*c->work));
	for (int i = 0; i < s->team.threads; i++)
		c->count += member_records(&s->member[i], c->work + c->count * stride);
	return 0;
}

/* The counts of all runs. */
static void add_counts(const struct dfs_cpu_search *s, struct checkpoint *c)
{
	const struct checkpoint *past = &s->past.state;

	*c = (struct checkpoint){ .explored = past->explored,
				  .decomposed = past->decomposed,
				  .leaves = past->leaves,
				  .evaluated = past->evaluated,
				  .seconds = past->seconds };
	for (int i = 0; i < s->team.threads; i++) {
		const struct dfs_cpu_member *d = &s->member[i];

		c->explored += d->explored;
		c->decomposed += d->decomposed;
		c->leaves += d->leaves;
		c->evaluated += d->evaluated;
	}
	if (dfs_counts_are_partial(past))
		c->explored = c->evaluated = 0;
}

static int state(void *search, struct checkpoint *c, struct err *e)
{
	struct dfs_cpu_search *s = search;
	size_t bytes = (size_t)s->tables.jobs * sizeof(*c->order);
	int status;

	add_counts(s, c);
	checkpoint_key_of(s->team.request, s->initial_ub, &c->key);
	c->seconds += clock_wall() - s->team.interrupt.begin;
	c->best = s->best;
	c->order = s->found ? malloc(bytes) : NULL;
	if (c->order)
		memcpy(c->order, s->order, bytes);
	status = s->found && !c->order ? err_set(e, ERR_MEMORY, "no memory for an order") :
					 state_work(s, c, e);
	if (status)
		checkpoint_free(c);
	return status;
}

/* ---- the outcome ---- */

/* Without a static distribution every node that was taken is decomposed and counted once, or pruned
 * by a machine pair, and the root is decomposed. */
static int check_balance(const struct dfs_cpu_search *s, const struct search_outcome *o,
			 struct err *e)
{
	static const struct balance_name name = { "flowshop on cores, depth first", "thread", 0,
						  NULL };
	static const struct balance_name all = { "flowshop on cores, depth first", NULL, -1, NULL };
	struct balance b[SEARCH_WORKERS_MAX], host = { .initial = nodes_from(s, 0) };
	uint64_t popped = !s->past.resumed, next = atomic_load(&s->next);
	int status;

	host.left = nodes_from(s, next);
	host.given = host.initial - host.left;
	for (int i = 0; i < s->team.threads; i++) {
		b[i] = s->member[i].balance;
		popped += b[i].popped;
	}
	status = balance_check_all(b, s->team.threads, &host, &name, o->complete, e);
	if (status || s->team.request->no_stealing)
		return status;
	return balance_equal(&all, "taken, the root included", popped, "decomposed or pruned",
			     o->decomposed - s->past.state.decomposed + o->cut, e);
}

/* The proved bound of a search that was stopped. `open`: the least bound of the members' open
 * nodes. The bounds of records that nobody has taken are not known: they are at least the root's.
 * */
static int64_t open_bound(const struct dfs_cpu_search *s, int64_t open)
{
	int64_t root = fsp_root_bound(&s->tables, s->team.request->bound);

	if (atomic_load(&s->next) >= s->past.state.count)
		return open;
	return root < open ? root : open;
}

static int report(void *search, struct search_outcome *o, struct err *e)
{
	struct dfs_cpu_search *s = search;
	int64_t open = s->best;
	struct checkpoint counts;

	task_team_report(&s->team, o);
	add_counts(s, &counts);
	o->explored = counts.explored;
	o->decomposed = counts.decomposed;
	o->leaves = counts.leaves;
	o->evaluated = counts.evaluated;
	for (int i = 0; i < s->team.threads; i++) {
		const struct dfs_cpu_member *d = &s->member[i];

		o->cut += d->cut;
		o->worker_explored[i] = d->explored;
		for (int k = 0; k <= SEARCH_PROFILE && s->tables.jobs <= SEARCH_PROFILE; k++)
			o->by_children[k] += d->by_children[k];
		o->steals_tried += d->steals_tried;
		o->steals_done += d->steals_done;
		o->nodes_stolen += d->nodes_stolen;
		open = d->open_bound < open ? d->open_bound : open;
	}
	o->memory_peak = s->member_bytes * (uint64_t)s->team.members;
	o->complete = !atomic_load(&s->team.stopped);
	o->best = s->best;
	o->lower_bound = o->complete ? s->best : open_bound(s, open);
	if (s->found) {
		o->order = s->order;
		s->order = NULL;
	}
	if (check_balance(s, o, e)) {
		o->complete = false;
		return ERR_FAILED;
	}
	return o->complete ? 0 : interrupt_status(&s->team.interrupt, e);
}

int dfs_cpu(const struct search_request *r, struct search_outcome *o, struct err *e)
{
	static const struct task_team_search search = {
		.size = sizeof(struct dfs_cpu_search),
		.make = make_search,
		.work = work,
		.state = state,
		.report = report,
		.release = release,
	};

	return task_team_search(&search, r, o, e);
}
