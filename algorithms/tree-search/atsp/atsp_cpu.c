/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* ATSP on all cores. The team's tasks are the paths of the first few cities. A thread goes through
 * the subtree of a task depth first, nearest cities first, down to paths that leave ATSP_SUB
 * cities. The subtree below such a path is searched with vectors.
 *
 * Checkpoints hold intervals of paths, numbered as in kernels/gmys-ivm/ivm.h: item c is city c + 1,
 * and a digit is the rank of a city among those that the path has not visited. A member describes
 * its open work by the children of its path that it has not tried, and by the nodes on the stack of
 * its subtree (see `keep`). */
#include "algorithms/tree-search/atsp/atsp_cpu.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/tree-search/atsp/atsp_start.h"
#include "algorithms/tree-search/balance.h"
#include "algorithms/tree-search/checkpoint.h"
#include "algorithms/tree-search/task_team.h"
#include "datasets/atsp/atsp.h"
#include "harness/base/clock.h"
#include "kernels/gmys-ivm/factoradic.h"

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
	ATSP_KEEP = 10, /* remaining cities of nodes that a pause leaves on the stack, at least */
};

/* The best tour, as known to the team and its members. */
struct atsp_best {
	bool private; /* members do not share their best tours */
	_Atomic int32_t shared;
};

enum { PAGE = 4096 };
struct atsp_subtree {
	/* The stack. A packed store writes a whole vector. The lower part of both arrays is within
	 * a page: stores that cross the end of a page take several times as long. */
	alignas(PAGE) uint32_t room[ATSP_STACK + ATSP_SUB];
	alignas(64)
		uint32_t tag[ATSP_STACK + ATSP_SUB]; /* remaining cities; last city << ATSP_SUB */

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

	/* in a pause and after a stop: the open nodes, of at least ATSP_KEEP cities; the others
	 * have been searched. 0 if the subtree is done */
	uint32_t kept, kept_room[ATSP_STACK], kept_tag[ATSP_STACK];
	uint32_t whole_room; /* of the root of the subtree */
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

/* Sets the nodes aside that stay open in a pause. Returns the new height of the stack: the others
 * are searched first, which takes milliseconds. */
static uint32_t keep(struct atsp_subtree *s, uint32_t height)
{
	uint32_t others = 0;

	s->kept = 0;
	for (uint32_t i = 0; i < height; i++) {
		uint32_t room = s->room[i], tag = s->tag[i];
		bool kept = __builtin_popcount(tag & SET) >= ATSP_KEEP;

		*(kept ? &s->kept_room[s->kept] : &s->room[others]) = room;
		*(kept ? &s->kept_tag[s->kept] : &s->tag[others]) = tag;
		s->kept += kept;
		others += !kept;
	}
	return others;
}

/* Puts the nodes back on the empty stack. Returns its height. */
static uint32_t put_back(struct atsp_subtree *s)
{
	uint32_t height = s->kept;

	memcpy(s->room, s->kept_room, height * sizeof(*s->room));
	memcpy(s->tag, s->kept_tag, height * sizeof(*s->tag));
	s->kept = 0;
	return height;
}

struct atsp_member;
/* A pause point in the subtree: all nodes except the kept ones have been searched. */
static void pause_in_subtree(struct atsp_member *d);

/* What to do between two rounds. */
enum look { GO_ON, PAUSE, STOP };

static enum look look_up(const struct task_member *m, struct atsp_best *b, struct atsp_subtree *s)
{
	see_shared_best(b, s);
	watch_count(m->team->request->watch, m->id, s->before + s->decomposed);
	return task_team_stops(m->team) ? STOP : task_team_pauses(m->team) ? PAUSE : GO_ON;
}

/* Searches the nodes on the stack, until it is empty or, if looks > 0, it is time to pause or stop:
 * looks up after that many rounds. *height: of the stack. */
static __attribute__((noinline)) enum look search_stack(const struct task_member *m,
							struct atsp_best *b, struct atsp_subtree *s,
							uint32_t *stack, unsigned looks)
{
	struct vec_packing packing;
	vec child_tag[PARTS];
	uint32_t height = *stack;
	enum look look = GO_ON;

	vec_packing_make(&packing);
	make_child_tags(child_tag);
	for (unsigned left = looks; height;) {
		uint32_t room[ATSP_AT_ONCE], tag[ATSP_AT_ONCE];
		uint32_t count = height < ATSP_AT_ONCE ? height : ATSP_AT_ONCE, below;

		height -= count;
		s->popped += count;
		below = height;
		memcpy(room, &s->room[height], sizeof(room));
		memcpy(tag, &s->tag[height], sizeof(tag));
		for (uint32_t i = 0; i < count; i++) {
			uint32_t set = tag[i] & SET, more = set & (set - 1);

			if (more & (more - 1))
				height = expand(s, room[i], tag[i], height, &packing, child_tag);
			else
				pair(b, s, room[i], set, tag[i] >> ATSP_SUB);
		}
		s->pushed += height - below;
		if (--left)
			continue;
		left = looks;
		look = looks ? look_up(m, b, s) : GO_ON;
		if (look != GO_ON)
			break;
	}
	*stack = height;
	return look;
}

/* Searches the subtree; false if the team stopped. Then the kept nodes are those that are open, if
 * the request wants them. */
static bool search_below(struct atsp_member *d, struct task_member *m, struct atsp_best *b,
			 struct atsp_subtree *s)
{
	enum { ROUNDS = 1 << 12 }; /* about 0.1 ms; fewer before a node limit */
	struct watch *watch = m->team->request->watch;
	enum look look = GO_ON;
	uint32_t height = 1;

	s->slack = 0;
	s->kept = 0;
	s->tour_found = false;
	make_thresholds(s);
	s->room[0] = s->whole_room = (uint32_t)(s->best - s->path);
	s->tag[0] = (uint32_t)ATSP_SUB << ATSP_SUB | ((UINT32_C(1) << s->count) - 1);
	s->pushed++;
	watch_count(watch, m->id, s->before);
	while (height) {
		look = search_stack(m, b, s, &height, (unsigned)watch_stride(watch, ROUNDS));
		if (look == GO_ON)
			break;
		if (look == STOP && !checkpoint_is_kept(m->team->request->checkpoint))
			break;
		height = keep(s, height);
		search_stack(m, b, s, &height, 0);
		if (look == STOP)
			break;
		pause_in_subtree(d);
		height = put_back(s);
		look = GO_ON;
	}
	s->left += height + s->kept;
	return look != STOP;
}

/* ---- all cores ---- */

enum { TASK_CITIES = 8, TASKS_A_THREAD = 256 };

struct task {
	int32_t cost;
	int depth;                  /* cities in the path */
	double nodes;               /* below it, estimated; only if the request has a watch */
	uint16_t path[TASK_CITIES]; /* from city 0, if the depth is at most TASK_CITIES */
	uint64_t deep;              /* else the number of its path in `deep` of the search */
};

struct atsp_member {
	struct atsp_search *search;
	struct task_member *m;
	int32_t best;   /* as known to this member */
	bool any_tour;  /* the member knows of no tour of cost `best` yet */
	int base;       /* cities in the path of the task */
	int depth;      /* cities in the path */
	int below;      /* cities in the path to the subtree being searched; 0: none */
	uint16_t *path; /* [cities] */
	int32_t *cost;  /* [cities + 1] cost of the path, by the number of its cities */
	uint16_t *next; /* [cities + 1] rank of the next city to try, by path length */
	bool *visited;  /* [cities] */
	uint64_t decomposed, leaves;
	double done;            /* share of the tasks done in all nodes; see estimate_tasks */
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
	uint16_t *deep; /* [deep_count][cities] paths of deep tasks of earlier runs */
	uint64_t deep_count, deep_room;
	double nodes;   /* in all, estimated */
	uint64_t above; /* nodes that became tasks or their parents, including the root */
	struct checkpoint_past past;
	int32_t start_value; /* the bound or the cost of the tour that the search starts from */
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

/* The cities that a path of `depth` cities has not visited, at most ATSP_SUB; their index is their
 * number in the subtree below. */
static void remaining_cities(const struct atsp_search *s, const uint16_t *path, int depth,
			     uint16_t city[ATSP_SUB])
{
	bool visited[ATSP_MAX_CITIES] = { false };
	int count = 0;

	for (int i = 0; i < depth; i++)
		visited[path[i]] = true;
	for (int c = 1; c < s->atsp->cities; c++)
		if (!visited[c])
			city[count++] = (uint16_t)c;
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
	t->decomposed = t->leaves = 0;
	t->before = d->decomposed;
}

/* Takes over the counts and the best tour of the subtree. */
static void take_counts(struct atsp_member *d)
{
	struct atsp_subtree *t = d->subtree;

	d->decomposed += t->decomposed;
	d->leaves += t->leaves;
	t->decomposed = t->leaves = 0;
	t->before = d->decomposed;
	d->best = t->best;
	d->any_tour = t->any_tour;
	/* if the search was stopped, this tour may even be better than `best` */
	if (t->tour_found && find_tour(d, d->depth, t->path, t->best))
		note_order(d);
	t->tour_found = false;
}

static void pause_in_subtree(struct atsp_member *d)
{
	take_counts(d);
	task_team_pause(&d->search->team);
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
	d->below = d->depth;
	whole = search_below(d, d->m, &d->search->best, t);
	take_counts(d);
	d->below = t->kept ? d->below : 0;
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
	task_team_pause(d->m->team);
	return task_team_stops(d->m->team);
}

static const uint16_t *path_of(const struct atsp_search *s, const struct task *task)
{
	return task->depth <= TASK_CITIES ? task->path :
					    s->deep + task->deep * (uint64_t)s->atsp->cities;
}

/* Returns false if the team stopped. */
static bool search_task(struct atsp_member *d, const struct task *task)
{
	const struct atsp_search *s = d->search;
	const uint16_t *path = path_of(s, task);
	int n = s->atsp->cities;
	bool goes_on = true;

	memset(d->visited, 0, (size_t)n * sizeof(*d->visited));
	for (int i = 0; i < task->depth; i++) {
		d->path[i] = path[i];
		d->visited[path[i]] = true;
	}
	d->base = d->depth = task->depth;
	d->cost[d->depth] = task->cost;
	d->next[d->depth] = 0;
	look_around(d);
	d->balance.initial++;
	if (task->cost > d->best) {
		d->balance.dropped++;
		d->depth--;
		return true;
	}
	while (goes_on && d->depth >= d->base) {
		if (n - d->depth > ATSP_SUB && append(d))
			continue;
		if (n - d->depth <= ATSP_SUB) {
			goes_on = search_subtree(d);
			look_around(d);
		}
		d->visited[d->path[--d->depth]] = false;
		d->balance.popped++;
		goes_on = goes_on && !is_due(d);
	}
	d->balance.left += (uint64_t)(d->depth + 1 - d->base);
	return goes_on;
}

static void finish_task(struct atsp_member *d, const struct task *task)
{
	struct watch *watch = d->m->team->request->watch;

	d->done += d->search->nodes > 0 ? task->nodes / d->search->nodes : 0;
	watch_part(watch, d->m->id, d->done);
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
		finish_task(d, &s->task[at]);
}

/* ---- the tasks ---- */

static bool in_path(const struct task *t, int depth, int city)
{
	for (int i = 0; i < depth; i++)
		if (t->path[i] == city)
			return true;
	return false;
}

/* Appends the children of a task with nearest cities first. Returns their number. */
static uint64_t put_children(const struct atsp_search *s, const struct task *t, struct task *to)
{
	int n = s->atsp->cities, depth = t->depth, last = t->path[depth - 1];
	uint64_t count = 0;

	for (int c = 0; c < n - 1; c++) {
		int city = s->nearest[last * (n - 1) + c];
		int32_t cost = t->cost + arc(s, last, city);

		if (cost > atomic_load(&s->best.shared) || in_path(t, depth, city))
			continue;
		to[count] = *t;
		to[count].cost = cost;
		to[count].depth++;
		to[count++].path[depth] = (uint16_t)city;
	}
	return count;
}

/* Replaces the tasks of one depth by their children. */
static int descend(struct atsp_search *s, int depth, struct err *e)
{
	uint64_t room = s->tasks, count = 0, made = 0;
	struct task *next;

	for (uint64_t i = 0; i < s->tasks; i++)
		room += s->task[i].depth == depth ? (uint64_t)(s->atsp->cities - depth) : 0;
	next = malloc((size_t)(room + 1) * sizeof(*next));
	if (!next)
		return err_set(e, ERR_MEMORY, "no memory for the children of %" PRIu64 " paths",
			       s->tasks);
	for (uint64_t i = 0; i < s->tasks; i++) {
		if (s->task[i].depth != depth) {
			next[count++] = s->task[i];
			continue;
		}
		made = put_children(s, &s->task[i], next + count);
		count += made;
		s->above += made;
	}
	free(s->task);
	s->task = next;
	s->tasks = count;
	return 0;
}

/* Makes many tasks, but none so small that building its tables takes longer than searching it. */
static int make_tasks(struct atsp_search *s, struct err *e)
{
	int n = s->atsp->cities, deepest = n - 6 < TASK_CITIES ? n - 6 : TASK_CITIES;
	uint64_t enough = (uint64_t)s->team.threads * TASKS_A_THREAD;
	int status = 0;

	for (int depth = 1; !status && s->tasks && s->tasks < enough && depth < deepest; depth++)
		status = descend(s, depth, e);
	return status;
}

/* ---- intervals of earlier runs ---- */

/* The walk through an interval. */
struct intake {
	struct atsp_search *s;
	const uint16_t *first, *last;
	uint16_t path[ATSP_MAX_CITIES];
	bool visited[ATSP_MAX_CITIES];
	uint64_t room; /* tasks */
};

/* Makes room for one more element. Returns false if there is no memory. */
static bool grow(void **array, uint64_t count, uint64_t *room, size_t size)
{
	uint64_t wanted = *room ? 2 * *room : 64;
	void *larger;

	if (count < *room)
		return true;
	larger = realloc(*array, (size_t)wanted * size);
	if (!larger)
		return false;
	*array = larger;
	*room = wanted;
	return true;
}

/* Makes the first `depth` cities of the path a task. Returns false if there is no memory. */
static bool add_task(struct intake *w, int depth, int32_t cost)
{
	struct atsp_search *s = w->s;
	size_t bytes = (size_t)depth * sizeof(*w->path), n = (size_t)s->atsp->cities;
	struct task *t;

	if (!grow((void **)&s->task, s->tasks, &w->room, sizeof(*s->task)) ||
	    !grow((void **)&s->deep, s->deep_count, &s->deep_room, n * sizeof(*s->deep)))
		return false;
	t = &s->task[s->tasks++];
	*t = (struct task){ .cost = cost, .depth = depth };
	if (depth <= TASK_CITIES) {
		memcpy(t->path, w->path, bytes);
	} else {
		t->deep = s->deep_count++;
		memcpy(s->deep + t->deep * n, w->path, bytes);
	}
	return true;
}

/* Takes the node of the first `depth` cities of the path: counts it if the interval contains its
 * number, makes it a task if the interval contains its subtree, else takes its children. `low`,
 * `high`: its digits equal those of the first or last number. */
static bool take_node(struct intake *w, int depth, int32_t cost, bool low, bool high)
{
	const struct atsp_search *s = w->s;
	int left = s->atsp->cities - depth, at = depth - 1, digit = 0;
	bool own = !low || ivm_factoradic_is_first(w->first + at, left), room = true;

	w->s->above += own;
	if (own && (!high || ivm_factoradic_is_last(w->last + at, left)))
		return add_task(w, depth, cost);
	for (int city = 1; city < s->atsp->cities && room; city++) {
		int32_t longer = cost + arc(s, w->path[at], city);
		bool outside = (low && digit < w->first[at]) || (high && digit > w->last[at]);

		if (w->visited[city])
			continue;
		if (!outside && longer <= atomic_load(&s->best.shared)) {
			w->visited[city] = true;
			w->path[depth] = (uint16_t)city;
			room = take_node(w, depth + 1, longer, low && digit == w->first[at],
					 high && digit == w->last[at]);
			w->visited[city] = false;
		}
		digit++;
	}
	return room;
}

/* Makes tasks of the root, or of the intervals of earlier runs. The subtree of a node whose last
 * city is determined is one number, so a path never becomes a tour here. */
static int take_intervals(struct atsp_search *s, struct err *e)
{
	const struct checkpoint *past = &s->past.state;
	size_t items = (size_t)s->atsp->cities - 1;
	uint16_t all[2][ATSP_MAX_CITIES] = { { 0 } };
	struct intake *w = calloc(1, sizeof(*w));
	bool room = w;

	ivm_factoradic_last(all[1], (int)items);
	for (uint64_t i = 0; room && i < (s->past.resumed ? past->count : 1); i++) {
		w->s = s;
		w->first = s->past.resumed ? past->work + 2 * items * i : all[0];
		w->last = s->past.resumed ? w->first + items : all[1];
		room = take_node(w, 1, 0, true, true);
	}
	free(w);
	return room ? 0 : err_set(e, ERR_MEMORY, "no memory for the open paths");
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
		.search = s,
		.m = &s->team.member[id],
		.best = best,
		.any_tour = !s->order_known,
		.base = 1,
	};
	d->path = calloc(n, sizeof(*d->path));
	d->cost = calloc(n + 1, sizeof(*d->cost));
	d->next = calloc(n + 1, sizeof(*d->next));
	d->visited = calloc(n, sizeof(*d->visited));
	d->subtree = aligned_alloc(PAGE, sizeof(*d->subtree));
	if (!d->path || !d->cost || !d->next || !d->visited || !d->subtree)
		return err_set(e, ERR_MEMORY, "no memory for a path of %zu cities", n);
	memset(d->subtree, 0, sizeof(*d->subtree));
	return 0;
}

/* Takes the best tour of earlier runs, unless that of the request is better. */
static void take_past(struct atsp_search *s)
{
	const struct checkpoint *past = &s->past.state;

	if (!s->past.resumed || past->best > s->start_value ||
	    (past->best == s->start_value && (s->order_known || !past->order)))
		return;
	s->start_value = s->order_value = (int32_t)past->best;
	s->order_known = past->order;
	s->order[0] = 0;
	for (int i = 1; s->order_known && i < s->atsp->cities; i++)
		s->order[i] = past->order[i - 1] + 1;
}

/* The known tour: that of the request or of earlier runs, or the cities in the order of their
 * numbers. */
static void find_start(struct atsp_search *s, const struct search_request *r)
{
	int n = s->atsp->cities;

	if (r->ub != SEARCH_NO_UB && !r->start) {
		/* no tour costs as much as the largest bound */
		s->start_value = (int32_t)(r->ub < INT32_MAX ? r->ub : INT32_MAX);
		take_past(s);
		return;
	}
	for (int i = 0; i < n; i++)
		s->order[i] = r->ub != SEARCH_NO_UB ? r->start[i] : i;
	s->order_known = true;
	s->order_value =
		r->ub != SEARCH_NO_UB ? (int32_t)r->ub : (int32_t)atsp_tour_cost(s->atsp, s->order);
	s->start_value = s->order_value;
	take_past(s);
}

/* ---- the share that is done ---- */

/* Knuth's estimate of the number of nodes below a task, from one random path. */
static double dive(const struct atsp_search *s, const struct task *task, struct rng *rng)
{
	int n = s->atsp->cities, last = path_of(s, task)[task->depth - 1];
	bool visited[ATSP_MAX_CITIES] = { false };
	double width = 1, nodes = 1;
	int32_t cost = task->cost;

	for (int i = 0; i < task->depth; i++)
		visited[path_of(s, task)[i]] = true;
	for (int depth = task->depth; depth < n; depth++) {
		const uint16_t *near = s->nearest + last * (n - 1);
		uint16_t child[ATSP_MAX_CITIES];
		uint64_t children = 0;

		for (int i = 0; i < n - 1 && cost + arc(s, last, near[i]) <= s->start_value; i++) {
			if (!visited[near[i]])
				child[children++] = near[i];
		}
		if (!children)
			break;
		width *= (double)children;
		nodes += width;
		children = rng_below(rng, children);
		cost += arc(s, last, child[children]);
		last = child[children];
		visited[last] = true;
	}
	return nodes;
}

/* Estimates the nodes below each task, in a few milliseconds. Those that time is not left for get
 * the mean. The nodes of earlier runs are done. */
static void estimate_tasks(struct atsp_search *s, const struct search_request *r)
{
	enum { MOST_DIVES = 64, BETWEEN_CLOCKS = 16 };
	double end = clock_wall() + 0.005, sum = 0, past = (double)s->past.state.decomposed;
	uint64_t dives = 0, most = MOST_DIVES * s->tasks;
	struct rng rng = rng_seeded(r->seed);

	for (; dives < most && (dives % BETWEEN_CLOCKS || clock_wall() < end); dives++) {
		struct task *t = &s->task[dives % s->tasks];
		double nodes = dive(s, t, &rng);

		t->nodes += nodes;
		sum += nodes;
	}
	for (uint64_t i = 0; i < s->tasks && dives; i++) {
		uint64_t own = dives / s->tasks + (i < dives % s->tasks);

		s->task[i].nodes = own ? s->task[i].nodes / (double)own : sum / (double)dives;
		s->nodes += s->task[i].nodes;
	}
	s->nodes += past;
	if (s->nodes > 0)
		watch_share(r->watch, past / s->nodes);
}

static int make_search(void *search, const struct search_request *r, struct err *e)
{
	struct atsp_search *s = search;
	size_t n = (size_t)r->atsp->cities, members = (size_t)s->team.members;
	int status;

	pthread_mutex_init(&s->lock, NULL);
	s->atsp = r->atsp;
	status = checkpoint_past_open(&s->past, r, CHECKPOINT_INTERVALS, e);
	if (status)
		return status;
	s->order = calloc(n, sizeof(*s->order));
	s->nearest = calloc(n * (n - 1), sizeof(*s->nearest));
	s->member = calloc(members, sizeof(*s->member));
	if (!s->order || !s->nearest || !s->member)
		return err_set(e, ERR_MEMORY, "no memory for the search of %zu cities", n);
	for (size_t from = 0; from < n; from++)
		sort_nearest(s, (int)from, s->nearest + from * (n - 1));
	find_start(s, r);
	s->best.private = r->private_incumbent;
	atomic_init(&s->best.shared, s->start_value);
	for (int i = 0; i < s->team.members && !status; i++)
		status = make_member(s, i, s->start_value, e);
	if (!status)
		status = take_intervals(s, e);
	if (!status)
		status = make_tasks(s, e);
	if (!status && r->watch)
		estimate_tasks(s, r);
	return status;
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
	free(s->deep);
	free(s->order);
	checkpoint_past_close(&s->past);
	pthread_mutex_destroy(&s->lock);
}

/* ---- the state for a checkpoint, in a pause or at the end ---- */

/* Open work under construction. */
struct open_work {
	const struct atsp_search *s;
	struct checkpoint *c;
	size_t room;
	struct err *e;
	/* of the current node: its path, and the rank of a city among those not in the path; by
	 * depth, the digits of the path */
	uint16_t path[ATSP_MAX_CITIES], rank[ATSP_MAX_CITIES], digit[ATSP_MAX_CITIES];
	bool open[ATSP_MAX_CITIES]; /* children by rank */
	uint64_t again;             /* nodes that the next owners count again */
};

/* Sets the digits of the path of `depth` cities, and the ranks behind it. Cities of the path get
 * the rank of the next one. */
static void number_path(struct open_work *w, int depth)
{
	int n = w->s->atsp->cities;

	for (int city = 1; city < n; city++)
		w->rank[city] = (uint16_t)(city - 1);
	for (int i = 1; i < depth; i++) {
		w->digit[i - 1] = w->rank[w->path[i]];
		for (int city = w->path[i] + 1; city < n; city++)
			w->rank[city]--;
	}
	memset(w->open, 0, (size_t)n * sizeof(*w->open));
}

/* Adds the open children of the node: an interval for each run of adjacent ones. */
static int put_open(struct open_work *w, int depth)
{
	int items = w->s->atsp->cities - 1, at = depth - 1, count = items - at;
	size_t bytes = (size_t)at * sizeof(*w->digit);

	for (int from = 0, to; from < count; from = to + 1) {
		uint16_t *first;

		for (to = from; to < count && w->open[to]; to++)
			;
		if (to == from)
			continue;
		first = checkpoint_add(w->c, &w->room, w->e);
		if (!first)
			return ERR_MEMORY;
		memset(first, 0, (size_t)items * sizeof(*first));
		memcpy(first, w->digit, bytes);
		first[at] = (uint16_t)from;
		memcpy(first + items, w->digit, bytes);
		ivm_factoradic_last(first + items + at, count);
		first[items + at] = (uint16_t)(to - 1);
		/* the nodes of the path that have the number `first` */
		for (int i = at; i >= 0 && !first[i]; i--)
			w->again++;
	}
	return 0;
}

/* Adds a node whose children are all open. */
static int put_node(struct open_work *w, int depth)
{
	number_path(w, depth);
	memset(w->open, 1, (size_t)(w->s->atsp->cities - depth) * sizeof(*w->open));
	return put_open(w, depth);
}

/* Adds the children of the paths of a member that it has not tried. */
static int put_paths(struct open_work *w, const struct atsp_member *d)
{
	const struct atsp_search *s = w->s;
	int n = s->atsp->cities, deepest = d->below ? d->below - 1 : d->depth, status = 0;
	bool in[ATSP_MAX_CITIES] = { false };

	memcpy(w->path, d->path, (size_t)n * sizeof(*w->path));
	for (int depth = 1; depth <= deepest && !status; depth++) {
		int last = d->path[depth - 1];

		in[last] = true;
		if (depth < d->base)
			continue;
		number_path(w, depth);
		for (int i = d->next[depth]; i < n - 1; i++) {
			int city = s->nearest[last * (n - 1) + i];

			if (!in[city] && d->cost[depth] + arc(s, last, city) <= d->best)
				w->open[w->rank[city]] = true;
		}
		status = put_open(w, depth);
	}
	return status;
}

/* ---- nodes on the stack of a subtree ----
 *
 * A node on the stack does not know its path, only its remaining cities, its last city and the room
 * that the cost of its path leaves. Nodes with the same three have equal subtrees. So it does not
 * matter which of the paths with these properties is called open, as long as the open nodes are
 * different and none is above another one. Shallow nodes choose first. The true paths show that
 * deeper nodes can choose, too: if a node takes the path of an equal one, the nodes below can be
 * exchanged with it. */

enum { KEPT_CITIES = ATSP_SUB - ATSP_KEEP }; /* at most in the path from the subtree's root */

struct way {
	int count;
	uint8_t city[KEPT_CITIES]; /* numbers in the subtree */
};

struct ways {
	const struct atsp_subtree *t;
	struct way chosen[ATSP_STACK];
	uint32_t count;
	struct way now;
	uint32_t last; /* city of the node */
};

/* Whether a chosen node is on the way or at its end. */
static bool is_taken(const struct ways *w)
{
	for (uint32_t i = 0; i < w->count; i++) {
		const struct way *c = &w->chosen[i];

		if (c->count <= w->now.count &&
		    memcmp(c->city, w->now.city, (size_t)c->count * sizeof(*c->city)) == 0)
			return true;
	}
	return false;
}

/* Extends the way from `from` by all cities of `set`, at exactly that cost. */
static bool find_way(struct ways *w, uint32_t set, uint32_t from, uint32_t cost)
{
	if (!set)
		return !cost && !is_taken(w);
	for (uint32_t bits = set; bits; bits &= bits - 1) {
		uint32_t city = (uint32_t)__builtin_ctz(bits), arc = w->t->cost[from][city];

		if (arc > cost || (city == w->last && set != (UINT32_C(1) << city)))
			continue;
		w->now.city[w->now.count++] = (uint8_t)city;
		if (find_way(w, set & ~(UINT32_C(1) << city), city, cost - arc))
			return true;
		w->now.count--;
	}
	return false;
}

/* Adds the node of the way found, below the first `depth` cities of the path. */
static int put_way(struct open_work *w, struct ways *ways, int depth, const uint16_t *city)
{
	for (int i = 0; i < ways->now.count; i++)
		w->path[depth + i] = city[ways->now.city[i]];
	ways->chosen[ways->count++] = ways->now;
	return put_node(w, depth + ways->now.count);
}

/* Adds the kept nodes of a member's subtree, the shallow ones first. */
static int put_kept(struct open_work *w, const struct atsp_member *d, struct ways *ways)
{
	const struct atsp_subtree *t = d->subtree;
	uint16_t city[ATSP_SUB];
	int status = 0;

	ways->t = t;
	ways->count = 0;
	memcpy(w->path, d->path, (size_t)w->s->atsp->cities * sizeof(*w->path));
	remaining_cities(w->s, w->path, d->below, city);
	for (int left = t->count; left >= ATSP_KEEP && !status; left--) {
		for (uint32_t i = 0; i < t->kept && !status; i++) {
			uint32_t set = t->kept_tag[i] & SET;

			if (__builtin_popcount(set) != left)
				continue;
			ways->now.count = 0;
			ways->last = t->kept_tag[i] >> ATSP_SUB;
			if (!find_way(ways, ((UINT32_C(1) << t->count) - 1) & ~set, ATSP_SUB,
				      t->whole_room - t->kept_room[i]))
				return err_set(w->e, ERR_FAILED,
					       "an open node of an ATSP search has no path");
			status = put_way(w, ways, d->below, city);
		}
	}
	return status;
}

static int put_member(struct open_work *w, int id, struct ways *ways)
{
	const struct atsp_member *d = &w->s->member[id];
	uint64_t from, end;
	int status = put_paths(w, d);

	if (!status && d->below)
		status = put_kept(w, d, ways);
	task_team_untaken(&w->s->team, id, &from, &end);
	for (; from < end && !status; from++) {
		const struct task *t = &w->s->task[from];

		memcpy(w->path, path_of(w->s, t), (size_t)t->depth * sizeof(*w->path));
		status = put_node(w, t->depth);
	}
	return status;
}

/* ---- counts ---- */

static int64_t best_value(const struct atsp_search *s)
{
	return s->order_known ? s->order_value : s->start_value;
}

/* The counts of all runs. */
static void add_counts(const struct atsp_search *s, uint64_t *decomposed, uint64_t *leaves)
{
	*decomposed = s->past.state.decomposed + s->above;
	*leaves = s->past.state.leaves;
	for (int i = 0; i < s->team.threads; i++) {
		*decomposed += s->member[i].decomposed;
		*leaves += s->member[i].leaves;
	}
}

static int state(void *search, struct checkpoint *c, struct err *e)
{
	struct atsp_search *s = search;
	struct open_work w = { .s = s, .c = c, .e = e };
	struct ways *ways = malloc(sizeof(*ways));
	int items = s->atsp->cities - 1, status = 0;

	*c = (struct checkpoint){ .form = CHECKPOINT_INTERVALS, .best = best_value(s) };
	checkpoint_key_of(s->team.request, s->team.request->ub, &c->key);
	add_counts(s, &c->decomposed, &c->leaves);
	c->seconds = s->past.state.seconds + clock_wall() - s->team.interrupt.begin;
	c->order = s->order_known ? malloc((size_t)items * sizeof(*c->order)) : NULL;
	if (!ways || (s->order_known && !c->order))
		status = err_set(e, ERR_MEMORY, "no memory for a checkpoint");
	for (int i = 0; c->order && i < items; i++)
		c->order[i] = s->order[i + 1] - 1;
	for (int i = 0; i < s->team.threads && !status; i++)
		status = put_member(&w, i, ways);
	c->decomposed -= w.again;
	free(ways);
	if (status)
		checkpoint_free(c);
	return status;
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
	o->best = best_value(s);
	for (int i = 0; i < s->team.threads; i++) {
		const struct atsp_member *d = &s->member[i];

		o->worker_explored[i] = d->decomposed + (i ? 0 : s->above - !s->past.resumed);
	}
	add_counts(s, &o->decomposed, &o->leaves);
	o->explored = o->decomposed ? o->decomposed - 1 : 0; /* without the root */
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
		.state = state,
		.report = report,
		.release = release,
	};

	return task_team_search(&search, r, o, e);
}
