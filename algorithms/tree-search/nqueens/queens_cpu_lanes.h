/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The search of queens_cpu.h with lanes of VEC_CELL. The including file defines VEC_CELL and
 * SEARCH.
 *
 * One lane is one node. The open nodes of a depth form a stack, with one array per field: columns,
 * diagonals, children still to be placed. A step takes VEC_LANES nodes from a stack, places one
 * queen in each, puts back the nodes with children left, and pushes the new nodes that have
 * children on the stack of the next depth; both are packed. Every lane does useful work, whatever
 * the shape of the tree. The stacks of all depths together fit in the L1 cache. Several steps are
 * done at the same depth in a row, so that choosing the depth costs little.
 *
 * A node of depth n - 1 with a child is a solution: the last row is counted, not visited.
 *
 * A walk through the interval of a task (queens_walk.h) puts nodes on the stacks whose subtrees
 * take less than a millisecond. So the stacks can be emptied quickly, for a checkpoint or a stop.
 * Then what is left of the interval is all the open work of the member. */
#include "algorithms/tree-search/nqueens/queens_cpu.h"
#include "algorithms/tree-search/simd_pack.h"

enum { ROOM = 8 * VEC_LANES, FIELDS = 4, DEPTHS = 32 };
enum { COLUMNS, UP, DOWN, OPEN };

struct stack {
	VEC_CELL field[FIELDS][ROOM + VEC_LANES]; /* a packed store writes a whole vector */
	int count;
};

struct searcher {
	struct stack stack[DEPTHS];
	struct vec_packing packing;
	const struct queens_cpu_tasks *tasks;
	VEC_CELL full;
	unsigned rounds;
	bool stopped; /* the team stops */
	struct queens_cpu_counts counts;
	struct queens_walk *walk;
};

/* One step on the top `lanes` nodes, at most VEC_LANES, of depth d. */
static inline __attribute__((always_inline)) void step(struct searcher *s, int d, int lanes,
						       bool last)
{
	struct stack *from = &s->stack[d], *to = &s->stack[d + 1];
	int at = from->count - lanes;
	VEC_CELL *f0 = &from->field[0][at];
	enum { WIDTH = ROOM + VEC_LANES };
	vec columns = vec_load(f0 + COLUMNS * WIDTH), up = vec_load(f0 + UP * WIDTH);
	vec down = vec_load(f0 + DOWN * WIDTH), open = vec_load(f0 + OPEN * WIDTH);
	vec bit = open & -open, rest = open & (open - 1), children;
	vec next_columns = columns | bit, next_up = (up | bit) << 1, next_down = (down | bit) >> 1;
	uint32_t valid = (uint32_t)((UINT64_C(1) << lanes) - 1), again, fertile;

	children = ~(next_columns | next_up | next_down) & s->full;
	again = vec_nonzero(rest) & valid;
	fertile = vec_nonzero(children) & valid;
	s->counts.found.nodes += (uint64_t)lanes;
	vec_pack(f0 + COLUMNS * WIDTH, columns, again, &s->packing);
	vec_pack(f0 + UP * WIDTH, up, again, &s->packing);
	vec_pack(f0 + DOWN * WIDTH, down, again, &s->packing);
	vec_pack(f0 + OPEN * WIDTH, rest, again, &s->packing);
	from->count = at + __builtin_popcount(again);
	if (last) {
		s->counts.found.solutions += (uint64_t)__builtin_popcount(fertile);
		return;
	}
	vec_pack(&to->field[COLUMNS][to->count], next_columns, fertile, &s->packing);
	vec_pack(&to->field[UP][to->count], next_up, fertile, &s->packing);
	vec_pack(&to->field[DOWN][to->count], next_down, fertile, &s->packing);
	vec_pack(&to->field[OPEN][to->count], children, fertile, &s->packing);
	to->count += __builtin_popcount(fertile);
}

/* Counts the nodes of several steps at depth d, which had `here` nodes there and `below` one deeper
 * when they began. */
static void count_steps(struct searcher *s, int d, int here, int below)
{
	s->counts.done += (uint64_t)(here - s->stack[d].count);
	s->counts.made += (uint64_t)(s->stack[d + 1].count - below);
}

/* Steps with whole vectors at depth d until it has less than a vector or the next depth is full. */
static void steps(struct searcher *s, int d)
{
	int here = s->stack[d].count, below = s->stack[d + 1].count;

	if (d + 2 == s->tasks->n) {
		while (s->stack[d].count >= VEC_LANES)
			step(s, d, VEC_LANES, true);
	} else {
		while (s->stack[d].count >= VEC_LANES && s->stack[d + 1].count <= ROOM - VEC_LANES)
			step(s, d, VEC_LANES, false);
	}
	count_steps(s, d, here, below);
}

static __attribute__((noinline)) void look_up(struct searcher *s, struct task_member *m)
{
	const struct queens_walk_counts *c = &s->counts.found;

	watch_count(m->team->request->watch, m->id,
		    s->tasks->before[m->id] +
			    (uint64_t)s->tasks->weight * (c->first_row + c->nodes + c->solutions));
	s->stopped = task_team_stops(m->team);
}

/* Steps until every depth has less than a vector. */
static void descend(struct searcher *s, struct task_member *m)
{
	enum { ROUNDS = 1 << 14 }; /* less than a millisecond */
	int top = s->tasks->whole, d = s->tasks->n - 2;

	while (d >= top) {
		if (++s->rounds % ROUNDS == 0)
			look_up(s, m);
		if (s->stack[d].count < VEC_LANES) {
			d--;
			continue;
		}
		steps(s, d);
		if (d + 2 < s->tasks->n && s->stack[d + 1].count >= VEC_LANES)
			d++;
	}
}

static bool next_task(struct searcher *s, struct task_member *m)
{
	uint64_t at;

	if (!task_team_take(m, 1, &at))
		return false;
	queens_walk_start(s->walk, s->tasks->n, s->tasks->whole, &s->tasks->all.item[at]);
	s->counts.tasks++;
	return true;
}

/* Puts the nodes of up to one vector on the stacks. Returns false if the team has no more tasks. */
static bool refill(struct searcher *s, struct task_member *m)
{
	for (int i = 0; i < VEC_LANES;) {
		struct queens_masks q;
		uint32_t open;
		int depth =
			s->walk->open ? queens_walk_next(s->walk, &s->counts.found, &q, &open) : 0;
		struct stack *k = &s->stack[depth];

		if (!depth) {
			if (!next_task(s, m))
				return false;
			continue;
		}
		k->field[COLUMNS][k->count] = (VEC_CELL)q.columns;
		k->field[UP][k->count] = (VEC_CELL)q.up;
		k->field[DOWN][k->count] = (VEC_CELL)q.down;
		k->field[OPEN][k->count++] = (VEC_CELL)open;
		s->counts.begun++;
		i++;
	}
	return true;
}

/* Searches what is left when no depth has a whole vector. The shallowest depth comes first, because
 * it fills the deeper ones. */
static void finish(struct searcher *s, struct task_member *m)
{
	int deepest = s->tasks->n - 2;

	for (int d = s->tasks->whole; d <= deepest; d++) {
		while (s->stack[d].count > 0) {
			int here = s->stack[d].count, below = s->stack[d + 1].count;

			step(s, d, here, d == deepest);
			count_steps(s, d, here, below);
			descend(s, m);
		}
	}
}

void SEARCH(struct task_member *m, const struct queens_cpu_tasks *t, struct queens_cpu_member *d)
{
	struct searcher s = { .tasks = t,
			      .full = (VEC_CELL)queens_full(t->n),
			      .counts = d->counts,
			      .walk = &d->walk };
	bool goes_on = true;

	vec_packing_make(&s.packing);
	while (goes_on && !s.stopped) {
		goes_on = refill(&s, m);
		descend(&s, m);
		look_up(&s, m);
		if (goes_on && task_team_pauses(m->team)) {
			finish(&s, m);
			d->counts = s.counts;
			task_team_pause(m->team);
		}
	}
	finish(&s, m);
	d->counts = s.counts;
}
