/* How learning is divided over the blocks of a grid.
 *
 * With the variables in the order of ranks, group g (16 ranks) has the candidates of groups 0 .. g:
 * as many pieces of work for a warp, 16 variables against 16 candidates. Two neighbouring groups
 * are cut into tasks of `most` pieces, candidates ascending; what is left over of two such pairs
 * makes a task together where it fits. */
#include "algorithms/gboa/tuned_grid.h"

#include <stdlib.h>

struct planner {
	struct grid_task *task; /* NULL: they are counted only */
	int count, most, groups;
	int spare[GRID_WARPS + 1]; /* left over so far: the task of so many pieces that has room */
};

static void clear_task(struct grid_task *t)
{
	for (int i = 0; i < GRID_TASK_GROUPS; i++)
		t->group[i] = -1;
	for (int i = 0; i < GRID_WARPS; i++)
		t->slot[i] = t->against[i] = -1;
}

static int begin_task(struct planner *p)
{
	if (p->task)
		clear_task(&p->task[p->count]);
	return p->count++;
}

/* Pieces first .. last - 1 of a pair of groups become pieces at .. of a task. */
static void put(struct planner *p, int number, int at, int pair, int first, int last)
{
	int slots = at ? 2 : 0, groups[2] = { 2 * pair, 2 * pair + 1 };

	if (!p->task)
		return;
	struct grid_task *t = &p->task[number];

	for (int piece = first; piece < last; piece++) {
		/* candidates' groups 0, 0, 1, 1, ...: the lower group, the higher one, and at the
		 * end the higher one alone with itself */
		bool both = groups[1] < p->groups;
		int against = both ? piece / 2 : piece;
		int of = both && (piece % 2 || against > groups[0]) ? 1 : 0;

		t->group[slots + of] = (int16_t)groups[of];
		t->slot[at + piece - first] = (int16_t)(slots + of);
		t->against[at + piece - first] = (int16_t)against;
	}
}

static void put_rest(struct planner *p, int pair, int first, int last)
{
	int pieces = last - first;

	for (int used = p->most - pieces; used > 0; used--)
		if (p->spare[used] >= 0) {
			put(p, p->spare[used], used, pair, first, last);
			p->spare[used] = -1;
			return;
		}
	int number = begin_task(p);

	put(p, number, 0, pair, first, last);
	if (p->spare[pieces] < 0)
		p->spare[pieces] = number;
}

static void plan(struct planner *p)
{
	p->count = 0;
	for (int i = 0; i <= GRID_WARPS; i++)
		p->spare[i] = -1;
	for (int pair = (p->groups + 1) / 2 - 1; pair >= 0; pair--) {
		bool both = 2 * pair + 1 < p->groups;
		int pieces = both ? 4 * pair + 3 : 2 * pair + 1, at = 0;

		for (; at + p->most <= pieces; at += p->most)
			put(p, begin_task(p), 0, pair, at, at + p->most);
		if (at < pieces)
			put_rest(p, pair, at, pieces);
	}
}

static int count_tasks(int groups, int most)
{
	struct planner p = { .groups = groups, .most = most };

	plan(&p);
	return p.count;
}

int grid_plan_create(struct grid_plan *g, int32_t n, int blocks, struct err *e)
{
	int groups = (n + GRID_GROUP - 1) / GRID_GROUP, most = 1;

	while (most < GRID_WARPS && count_tasks(groups, most) > blocks)
		most++;
	struct planner p = { .groups = groups, .most = most };

	*g = (struct grid_plan){ .tasks = count_tasks(groups, most), .groups = groups };
	g->task = malloc((size_t)g->tasks * sizeof(*g->task));
	if (!g->task)
		return err_set(e, ERR_MEMORY, "no memory for the plan of %d groups", groups);
	p.task = g->task;
	plan(&p);
	return 0;
}

void grid_plan_destroy(struct grid_plan *g)
{
	free(g->task);
	*g = (struct grid_plan){ 0 };
}
