/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* ATSP on all cores. The team's tasks are the paths of the first few cities. A thread goes through
 * the subtree of a task depth first, nearest cities first, down to paths that leave ATSP_SUB
 * cities. The subtree below such a path is searched with vectors. */
#include "algorithms/tree-search/atsp/atsp_cpu.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/tree-search/atsp/atsp_start.h"
#include "algorithms/tree-search/balance.h"
#include "algorithms/tree-search/task_team.h"
#include "datasets/atsp/atsp.h"

#define VEC_CELL uint32_t
#include "algorithms/tree-search/simd_pack.h"

/* ---- the subtree below a path that leaves few cities ----
 *
 * A node consists of its room (the cost of the best tour minus the cost of the path), the set of
 * remaining cities and the last city of the path. A lane is a child. One comparison with a row of
 * costs shows which children are kept. Another shows which of these can have children themselves
 * (fertile children), based on the cheapest arc from each city. Kept children are counted and
 * fertile ones are packed on a stack; the others, most of the tree, are never visited. Several
 * nodes are popped at once, so that their latencies overlap. The only branches are for the end of
 * the stack and for the last two cities. */

enum {
	ATSP_SUB = 16,    /* maximum number of remaining cities; lanes */
	ATSP_AT_ONCE = 8, /* nodes taken from the stack at once */
	/* Nodes of one depth that are pushed together have at most ATSP_AT_ONCE parents, and all of
	 * them are popped before others of their depth are pushed. */
	ATSP_STACK = ATSP_AT_ONCE * ATSP_SUB * ATSP_SUB / 2 + 2 * ATSP_SUB,
};

/* The best tour, as known to the team and its members. */
struct atsp_best {
	bool private; /* members do not share their best tours */
	_Atomic int32_t shared;
};

struct atsp_subtree {
	/* The remaining cities are numbered 0 .. count - 1, 2 <= count <= ATSP_SUB. The last row is
	 * that of the last city of the path. */
	int count;
	uint32_t cost[ATSP_SUB + 1][ATSP_SUB];
	uint32_t back[ATSP_SUB]; /* to city 0 */
	int32_t path;            /* its cost */
	int32_t best;            /* in: known to the member; out: the same or better, found here */
	bool tour_found;         /* a tour of this cost was found; its cities are not known */
	bool any_tour;           /* in: a tour as good as the best is wanted too */
	uint64_t decomposed, leaves; /* added to; the root of the subtree is not counted here */
	uint64_t pushed, popped;     /* nodes on the stack, added to; includes the root */
	uint64_t left;               /* on the stack at a stop, added to */
	uint64_t before;             /* in: nodes that the member decomposed before */

	/* internal to the search */
	uint32_t slack; /* decrease of `best` since the search began */
	/* least room of a node for that child to be kept, and to have children */
	alignas(64) uint32_t keep[ATSP_SUB + 1][ATSP_SUB];
	alignas(64) uint32_t fertile[ATSP_SUB + 1][ATSP_SUB];
	/* the stack; a packed store writes a whole vector */
	alignas(64) uint32_t room[ATSP_STACK + ATSP_SUB];
	alignas(64)
		uint32_t tag[ATSP_STACK + ATSP_SUB]; /* remaining cities; last city << ATSP_SUB */
};

enum { PARTS = ATSP_SUB / VEC_LANES, SET = (1 << ATSP_SUB) - 1 };

/* The cheapest arc from a city to another remaining one. */
static uint32_t cheapest_from(const struct atsp_subtree *s, int city)
{
	uint32_t least = UINT32_MAX;

	for (int to = 0; to < s->count; to++)
		if (to != city && s->cost[city][to] < least)
			least = s->cost[city][to];
	return least;
}

/* Rooms always refer to the best tour at the beginning. A better tour raises these thresholds
 * instead. No sum overflows: costs of tours fit 31 bits. */
static void make_thresholds(struct atsp_subtree *s)
{
	for (int city = 0; city < s->count; city++) {
		uint32_t least = cheapest_from(s, city);

		for (int from = 0; from <= ATSP_SUB; from++) {
			s->keep[from][city] = s->cost[from][city] + s->slack;
			s->fertile[from][city] = s->keep[from][city] + least;
		}
	}
}

static void note_tour(struct atsp_best *b, struct atsp_subtree *s, uint32_t left_over)
{
	int32_t value = s->best - (int32_t)(left_over - s->slack);
	int32_t known = atomic_load(&b->shared);

	if (value == s->best && !s->any_tour)
		return;
	s->any_tour = false;
	s->tour_found = true;
	s->best = value;
	s->slack = left_over;
	make_thresholds(s);
	while (!b->private && value < known &&
	       !atomic_compare_exchange_weak(&b->shared, &known, value))
		;
}

/* Two cities are left: counts the children; below each there is one tour. */
static void pair(struct atsp_best *b, struct atsp_subtree *s, uint32_t room, uint32_t left,
		 uint32_t last)
{
	for (uint32_t bits = left; bits; bits &= bits - 1) {
		int city = __builtin_ctz(bits), other = __builtin_ctz(left & ~(bits & (0 - bits)));
		uint32_t rest = room - s->cost[last][city];
		uint32_t tour = s->cost[city][other] + s->back[other];

		if (room < s->keep[last][city])
			continue;
		s->decomposed++;
		if (rest < tour + s->slack)
			continue;
		s->leaves++;
		note_tour(b, s, rest - tour);
	}
}

/* Counts a node's children and pushes the fertile ones. Returns the new height of the stack. */
static inline __attribute__((always_inline)) uint32_t expand(struct atsp_subtree *s, uint32_t room,
							     uint32_t tag, uint32_t height,
							     const struct vec_packing *packing,
							     const vec *child_tag)
{
	uint32_t last = tag >> ATSP_SUB, left = tag & SET;
	vec rooms = vec_all(room), lefts = vec_all(left);

	for (int p = 0; p < PARTS; p++) {
		int at = p * VEC_LANES;
		uint32_t lanes = (left >> at) & (uint32_t)((UINT64_C(1) << VEC_LANES) - 1);
		uint32_t kept = lanes & ~vec_below(rooms, vec_load(&s->keep[last][at]));
		uint32_t fertile = lanes & ~vec_below(rooms, vec_load(&s->fertile[last][at]));

		s->decomposed += (uint32_t)__builtin_popcount(kept);
		vec_pack(&s->room[height], rooms - vec_load(&s->cost[last][at]), fertile, packing);
		vec_pack(&s->tag[height], lefts + child_tag[p], fertile, packing);
		height += (uint32_t)__builtin_popcount(fertile);
	}
	return height;
}

static void make_child_tags(vec *child_tag)
{
	for (int p = 0; p < PARTS; p++)
		for (int i = 0; i < VEC_LANES; i++) {
			uint32_t city = (uint32_t)(p * VEC_LANES + i);

			/* the child's last city; the city leaves the set */
			child_tag[p][i] = (city << ATSP_SUB) - (UINT32_C(1) << city);
		}
}

/* Adopts a better bound from another member. */
static void see_shared_best(const struct atsp_best *b, struct atsp_subtree *s)
{
	int32_t shared = atomic_load_explicit(&b->shared, memory_order_relaxed);

	if (b->private || shared >= s->best)
		return;
	s->slack += (uint32_t)(s->best - shared);
	s->best = shared;
	s->tour_found = s->any_tour = false;
	make_thresholds(s);
}

/* Searches the subtree; false if the team stopped. */
static bool search_below(struct task_member *m, struct atsp_best *b, struct atsp_subtree *s)
{
	enum { ROUNDS = 1 << 12 }; /* about 0.1 ms */
	struct vec_packing packing;
	vec child_tag[PARTS];
	uint32_t height = 1;

	vec_packing_make(&packing);
	make_child_tags(child_tag);
	s->slack = 0;
	s->tour_found = false;
	make_thresholds(s);
	s->room[0] = (uint32_t)(s->best - s->path);
	s->tag[0] = (uint32_t)ATSP_SUB << ATSP_SUB | ((UINT32_C(1) << s->count) - 1);
	s->pushed++;
	for (unsigned round = 1; height; round++) {
		uint32_t room[ATSP_AT_ONCE], tag[ATSP_AT_ONCE];
		uint32_t count = height < ATSP_AT_ONCE ? height : ATSP_AT_ONCE, below;

		height -= count;
		s->popped += count;
		below = height;
		memcpy(room, &s->room[height], sizeof(room));
		memcpy(tag, &s->tag[height], sizeof(tag));
		for (uint32_t i = 0; i < count; i++) {
			uint32_t left = tag[i] & SET, more = left & (left - 1);

			if (more & (more - 1))
				height = expand(s, room[i], tag[i], height, &packing, child_tag);
			else
				pair(b, s, room[i], left, tag[i] >> ATSP_SUB);
		}
		s->pushed += height - below;
		if (round % ROUNDS)
			continue;
		see_shared_best(b, s);
		watch_count(m->team->request->watch, m->id, s->before + s->decomposed);
		if (task_team_stops(m->team)) {
			s->left += height;
			return false;
		}
	}
	return true;
}

/* ---- all cores ---- */

enum { TASK_CITIES = 8, TASKS_A_THREAD = 256 };

struct task {
	int32_t cost;
	uint16_t path[TASK_CITIES]; /* from city 0 */
};

struct atsp_member {
	struct atsp_search *search;
	struct task_member *m;
	int32_t best;   /* as known to this member */
	bool any_tour;  /* the member knows of no tour of cost `best` yet */
	int depth;      /* cities in the path */
	uint16_t *path; /* [cities] */
	int32_t *cost;  /* [cities + 1] cost of the path, by the number of its cities */
	uint16_t *next; /* [cities + 1] rank of the next city to try, by path length */
	bool *visited;  /* [cities] */
	uint64_t decomposed, leaves;
	uint64_t paths;         /* paths done, to know when to read the clock */
	struct balance balance; /* of paths; initial: the tasks */
	struct atsp_subtree *subtree;
};

struct atsp_search {
	struct task_team team;
	const struct atsp *atsp;
	uint16_t *nearest; /* [city * (cities - 1)] the other cities by cost */
	struct task *task;
	uint64_t tasks;
	int task_depth;
	uint64_t above; /* nodes that became tasks or their parents, including the root */
	struct atsp_best best;
	struct atsp_member *member;
	pthread_mutex_t lock; /* of the fields below */
	bool order_known;
	int32_t order_value;
	int64_t *order;
};

static int32_t arc(const struct atsp_search *s, int from, int to)
{
	return s->atsp->cost[from * s->atsp->cities + to];
}

/* ---- tours ---- */

/* The member's path is a tour that it keeps. */
static void note_order(struct atsp_member *d)
{
	struct atsp_search *s = d->search;
	int32_t known = atomic_load(&s->best.shared);
	int32_t value = arc(s, d->path[s->atsp->cities - 1], 0);

	for (int i = 1; i < s->atsp->cities; i++)
		value += arc(s, d->path[i - 1], d->path[i]);
	while (!s->best.private && value < known &&
	       !atomic_compare_exchange_weak(&s->best.shared, &known, value))
		;
	d->best = value;
	d->any_tour = false;
	pthread_mutex_lock(&s->lock);
	if (!s->order_known || value < s->order_value) {
		s->order_known = true;
		s->order_value = value;
		for (int i = 0; i < s->atsp->cities; i++)
			s->order[i] = d->path[i];
		watch_incumbent(s->team.request->watch, value);
	}
	pthread_mutex_unlock(&s->lock);
}

/* Completes the first `depth` cities of the path, of that cost, to a tour of at most `value`. */
static bool find_tour(struct atsp_member *d, int depth, int32_t cost, int32_t value)
{
	const struct atsp_search *s = d->search;
	int n = s->atsp->cities, last = d->path[depth - 1];

	if (depth == n)
		return cost + arc(s, last, 0) <= value;
	for (int i = 0; i < n - 1; i++) {
		int city = s->nearest[last * (n - 1) + i];
		bool found;

		if (cost + arc(s, last, city) > value)
			break;
		if (d->visited[city])
			continue;
		d->visited[city] = true;
		d->path[depth] = (uint16_t)city;
		found = find_tour(d, depth + 1, cost + arc(s, last, city), value);
		d->visited[city] = false;
		if (found)
			return true;
	}
	return false;
}

static void look_around(struct atsp_member *d)
{
	int32_t shared = atomic_load_explicit(&d->search->best.shared, memory_order_relaxed);

	if (!d->search->best.private && shared < d->best) {
		d->best = shared;
		d->any_tour = false;
	}
}

/* ---- the end of a path ---- */

/* One city is left: the children are tours. */
static void last_city(struct atsp_member *d)
{
	const struct atsp_search *s = d->search;
	int last = d->path[d->depth - 1];

	for (int city = 1; city < s->atsp->cities; city++) {
		int32_t value;

		if (d->visited[city])
			continue;
		value = d->cost[d->depth] + arc(s, last, city) + arc(s, city, 0);
		if (value > d->best)
			return;
		d->leaves++;
		d->path[d->depth] = (uint16_t)city;
		if (value < d->best || d->any_tour)
			note_order(d);
	}
}

/* Numbers the remaining cities and copies their costs. */
static void make_subtree(const struct atsp_member *d, struct atsp_subtree *t)
{
	const struct atsp_search *s = d->search;
	uint16_t city[ATSP_SUB + 1];

	t->count = 0;
	for (int c = 1; c < s->atsp->cities; c++)
		if (!d->visited[c])
			city[t->count++] = (uint16_t)c;
	for (int to = 0; to < t->count; to++) {
		t->cost[ATSP_SUB][to] = (uint32_t)arc(s, d->path[d->depth - 1], city[to]);
		t->back[to] = (uint32_t)arc(s, city[to], 0);
		for (int from = 0; from < t->count; from++)
			t->cost[from][to] = (uint32_t)arc(s, city[from], city[to]);
	}
	t->path = d->cost[d->depth];
	t->best = d->best;
	t->any_tour = d->any_tour;
}

static bool search_subtree(struct atsp_member *d)
{
	struct atsp_subtree *t = d->subtree;
	bool whole;

	make_subtree(d, t);
	if (t->count == 1) {
		last_city(d);
		return true;
	}
	t->decomposed = t->leaves = 0;
	t->before = d->decomposed;
	whole = search_below(d->m, &d->search->best, t);
	d->decomposed += t->decomposed;
	d->leaves += t->leaves;
	d->best = t->best;
	d->any_tour = t->any_tour;
	/* if the search was stopped, this tour may even be better than `best` */
	if (t->tour_found && find_tour(d, d->depth, t->path, t->best))
		note_order(d);
	return whole;
}

/* ---- the paths above ---- */

/* Appends the nearest city that has not been tried yet; false if there is none. */
static bool append(struct atsp_member *d)
{
	const struct atsp_search *s = d->search;
	int n = s->atsp->cities, last = d->path[d->depth - 1];

	while (d->next[d->depth] < n - 1) {
		int city = s->nearest[last * (n - 1) + d->next[d->depth]++];
		int32_t cost = d->cost[d->depth] + arc(s, last, city);

		if (cost > d->best)
			return false;
		if (d->visited[city])
			continue;
		d->visited[city] = true;
		d->path[d->depth++] = (uint16_t)city;
		d->cost[d->depth] = cost;
		d->next[d->depth] = 0;
		d->decomposed++;
		d->balance.pushed++;
		return true;
	}
	return false;
}

static bool is_due(struct atsp_member *d)
{
	enum { PATHS = 256 };

	if (++d->paths % PATHS)
		return false;
	watch_count(d->m->team->request->watch, d->m->id, d->decomposed);
	return task_team_stops(d->m->team);
}

/* Returns false if the team stopped. */
static bool search_task(struct atsp_member *d, const struct task *task)
{
	const struct atsp_search *s = d->search;
	int n = s->atsp->cities;
	bool goes_on = true;

	memset(d->visited, 0, (size_t)n * sizeof(*d->visited));
	for (int i = 0; i < s->task_depth; i++) {
		d->path[i] = task->path[i];
		d->visited[task->path[i]] = true;
	}
	d->depth = s->task_depth;
	d->cost[d->depth] = task->cost;
	d->next[d->depth] = 0;
	look_around(d);
	d->balance.initial++;
	if (task->cost > d->best) {
		d->balance.dropped++;
		return true;
	}
	while (goes_on && d->depth >= s->task_depth) {
		if (n - d->depth > ATSP_SUB && append(d))
			continue;
		if (n - d->depth <= ATSP_SUB) {
			goes_on = search_subtree(d);
			look_around(d);
		}
		goes_on = goes_on && !is_due(d);
		d->visited[d->path[--d->depth]] = false;
		d->balance.popped++;
	}
	d->balance.left += (uint64_t)(d->depth + 1 - s->task_depth);
	return goes_on;
}

static void work(struct task_member *m)
{
	struct atsp_search *s = m->team->work_context;
	struct atsp_member *d = &s->member[m->id];
	uint64_t at;

	if (m->id == 0)
		task_team_divide(m->team, s->tasks);
	task_team_barrier(m->team);
	while (task_team_take(m, 1, &at) && search_task(d, &s->task[at]))
		;
}

/* ---- the tasks ---- */

static bool in_path(const struct task *t, int depth, int city)
{
	for (int i = 0; i < depth; i++)
		if (t->path[i] == city)
			return true;
	return false;
}

/* Replaces the tasks by their children. */
static int descend(struct atsp_search *s, struct err *e)
{
	int n = s->atsp->cities, depth = s->task_depth;
	struct task *next = malloc((size_t)(s->tasks * (uint64_t)(n - depth) + 1) * sizeof(*next));
	uint64_t count = 0;

	if (!next)
		return err_set(e, ERR_MEMORY, "no memory for the children of %" PRIu64 " paths",
			       s->tasks);
	for (uint64_t i = 0; i < s->tasks; i++) {
		int last = s->task[i].path[depth - 1];

		for (int c = 0; c < n - 1; c++) {
			int city = s->nearest[last * (n - 1) + c];
			int32_t cost = s->task[i].cost + arc(s, last, city);

			if (cost > atomic_load(&s->best.shared) ||
			    in_path(&s->task[i], depth, city))
				continue;
			next[count] = s->task[i];
			next[count].cost = cost;
			next[count++].path[depth] = (uint16_t)city;
		}
	}
	free(s->task);
	s->task = next;
	s->tasks = count;
	s->task_depth++;
	s->above += count;
	return 0;
}

/* Makes many tasks, but none so small that building its tables takes longer than searching it. */
static int make_tasks(struct atsp_search *s, struct err *e)
{
	int n = s->atsp->cities, deepest = n - 6 < TASK_CITIES ? n - 6 : TASK_CITIES;
	uint64_t enough = (uint64_t)s->team.threads * TASKS_A_THREAD;
	int status = 0;

	s->task = calloc(1, sizeof(*s->task));
	if (!s->task)
		return err_set(e, ERR_MEMORY, "no memory for the first path");
	s->tasks = s->above = 1;
	s->task_depth = 1;
	while (!status && s->tasks && s->tasks < enough && s->task_depth < deepest)
		status = descend(s, e);
	return status;
}

/* ---- set up ---- */

static void sort_nearest(const struct atsp_search *s, int from, uint16_t *list)
{
	int n = s->atsp->cities, count = 0;

	for (int to = 0; to < n; to++) {
		int at = count;

		if (to == from)
			continue;
		for (; at > 0 && arc(s, from, list[at - 1]) > arc(s, from, to); at--)
			list[at] = list[at - 1];
		list[at] = (uint16_t)to;
		count++;
	}
}

static int make_member(struct atsp_search *s, int id, int32_t best, struct err *e)
{
	struct atsp_member *d = &s->member[id];
	size_t n = (size_t)s->atsp->cities;

	*d = (struct atsp_member){
		.search = s, .m = &s->team.member[id], .best = best, .any_tour = !s->order_known
	};
	d->path = calloc(n, sizeof(*d->path));
	d->cost = calloc(n + 1, sizeof(*d->cost));
	d->next = calloc(n + 1, sizeof(*d->next));
	d->visited = calloc(n, sizeof(*d->visited));
	d->subtree = task_team_alloc(sizeof(*d->subtree));
	if (!d->path || !d->cost || !d->next || !d->visited || !d->subtree)
		return err_set(e, ERR_MEMORY, "no memory for a path of %zu cities", n);
	memset(d->subtree, 0, sizeof(*d->subtree));
	return 0;
}

/* The known tour: that of the request, or the cities in the order of their numbers. */
static int32_t first_best(struct atsp_search *s, const struct search_request *r)
{
	int n = s->atsp->cities;

	if (r->ub != SEARCH_NO_UB && !r->start) /* no tour costs as much as the largest bound */
		return (int32_t)(r->ub < INT32_MAX ? r->ub : INT32_MAX);
	for (int i = 0; i < n; i++)
		s->order[i] = r->ub != SEARCH_NO_UB ? r->start[i] : i;
	s->order_known = true;
	s->order_value =
		r->ub != SEARCH_NO_UB ? (int32_t)r->ub : (int32_t)atsp_tour_cost(s->atsp, s->order);
	return s->order_value;
}

static int make_search(void *search, const struct search_request *r, struct err *e)
{
	struct atsp_search *s = search;
	size_t n = (size_t)r->atsp->cities, members = (size_t)s->team.members;
	int32_t best;
	int status = 0;

	pthread_mutex_init(&s->lock, NULL);
	s->atsp = r->atsp;
	s->order = calloc(n, sizeof(*s->order));
	s->nearest = calloc(n * (n - 1), sizeof(*s->nearest));
	s->member = calloc(members, sizeof(*s->member));
	if (!s->order || !s->nearest || !s->member)
		return err_set(e, ERR_MEMORY, "no memory for the search of %zu cities", n);
	for (size_t from = 0; from < n; from++)
		sort_nearest(s, (int)from, s->nearest + from * (n - 1));
	best = first_best(s, r);
	s->team.share_to = 1;
	s->best.private = r->private_incumbent;
	atomic_init(&s->best.shared, best);
	for (int i = 0; i < s->team.members && !status; i++)
		status = make_member(s, i, best, e);
	return status ? status : make_tasks(s, e);
}

static void release(void *search)
{
	struct atsp_search *s = search;

	for (int i = 0; s->member && i < s->team.members; i++) {
		free(s->member[i].path);
		free(s->member[i].cost);
		free(s->member[i].next);
		free(s->member[i].visited);
		free(s->member[i].subtree);
	}
	free(s->member);
	free(s->nearest);
	free(s->task);
	free(s->order);
	pthread_mutex_destroy(&s->lock);
}

/* ---- the outcome ---- */

/* Checks the balances of the paths above the subtrees, of the subtrees' nodes and of the tasks, and
 * that every task became a path. */
static int check_balance(const struct atsp_search *s, const struct search_outcome *o, struct err *e)
{
	static const struct balance_name name = { "ATSP on cores", "thread", 0, "paths" };
	static const struct balance_name below = { "ATSP on cores", "thread", 0,
						   "nodes of subtrees" };
	static const struct balance_name all = { "ATSP on cores", NULL, -1, "tasks" };
	struct balance path[SEARCH_WORKERS_MAX], node[SEARCH_WORKERS_MAX];
	uint64_t begun = 0;
	int status = task_team_check(&s->team, all.engine, o->complete, e);

	for (int i = 0; i < s->team.threads; i++) {
		const struct atsp_subtree *t = s->member[i].subtree;

		path[i] = s->member[i].balance;
		node[i] = (struct balance){ .pushed = t->pushed,
					    .popped = t->popped,
					    .left = t->left };
		begun += path[i].initial;
	}
	if (!status)
		status = balance_check_all(path, s->team.threads, NULL, &name, o->complete, e);
	if (!status)
		status = balance_check_all(node, s->team.threads, NULL, &below, o->complete, e);
	if (status || !o->complete)
		return status;
	return balance_equal(&all, "made", s->tasks, "begun", begun, e);
}

static int report(void *search, struct search_outcome *o, struct err *e)
{
	struct atsp_search *s = search;

	task_team_report(&s->team, o);
	o->best = s->order_known ? s->order_value : s->team.request->ub;
	for (int i = 0; i < s->team.threads; i++) {
		const struct atsp_member *d = &s->member[i];

		o->worker_explored[i] = d->decomposed + (i ? 0 : s->above - 1);
		o->explored += o->worker_explored[i];
		o->leaves += d->leaves;
	}
	o->decomposed = o->explored + 1;
	o->complete = !atomic_load(&s->team.stopped);
	o->lower_bound = o->complete ? o->best : atsp_root_bound(s->atsp->cost, s->atsp->cities);
	if (o->lower_bound > o->best)
		o->lower_bound = o->best;
	if (s->order_known) {
		o->order = s->order;
		s->order = NULL;
	}
	if (check_balance(s, o, e)) {
		o->complete = false;
		return ERR_FAILED;
	}
	return o->complete ? 0 : interrupt_status(&s->team.interrupt, e);
}

int atsp_cpu(const struct search_request *r, struct search_outcome *o, struct err *e)
{
	static const struct task_team_search search = {
		.size = sizeof(struct atsp_search),
		.make = make_search,
		.work = work,
		.report = report,
		.release = release,
	};

	return task_team_search(&search, r, o, e);
}
