/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* N-Queens on all cores. The team's tasks are the placements of the first rows on one half of the
 * board. */
#include "algorithms/tree-search/nqueens/queens_cpu.h"

#include <inttypes.h>
#include <stdlib.h>

#include "harness/base/clock.h"
#include "algorithms/tree-search/balance.h"
#include "algorithms/tree-search/search_work.h"

/* The two parts of the search, up to reflection. LEFT: the queen of the first row is in a column
 * 0 .. N/2 - 1. MIDDLE, for odd N: it is in the middle column, and the queen of the second row is
 * in one of these columns (it cannot be in the middle). Every placement in these parts has a
 * different mirror image, except the single queen in the middle. */
enum part { LEFT = 1, MIDDLE = 2 };

#define ENGINE "N-Queens on cores"

struct queens {
	struct task_team team;
	int n;
	unsigned parts; /* the parts that the tasks cover */
	struct queens_cpu_tasks tasks;
	struct queens_cpu_counts counts[SEARCH_WORKERS_MAX], above; /* of these parts */
};

static int make_first_row(struct queens *s, struct err *e)
{
	struct queens_cpu_tasks *t = &s->tasks;
	int n = s->n;
	uint32_t full = queens_full(n), half = queens_full(n / 2);

	t->n = n;
	t->depth = 1;
	t->count = 0;
	t->node = malloc((size_t)n * sizeof(*t->node));
	if (!t->node)
		return err_set(e, ERR_MEMORY, "no memory for the first row");
	for (int c = 0; c < n - n / 2; c++) {
		struct queens_cpu_node node = { .q = queens_put((struct queens_masks){ 0, 0, 0 },
								UINT32_C(1) << c) };
		enum part part = 2 * c + 1 == n ? MIDDLE : LEFT;

		node.open = queens_open_columns(node.q, full) & (part == MIDDLE ? half : full);
		if (node.open && s->parts & part)
			t->node[t->count++] = node;
	}
	return 0;
}

/* Replaces the tasks by their children. */
static int descend(struct queens *s, struct err *e)
{
	struct queens_cpu_tasks *t = &s->tasks;
	struct queens_cpu_node *next;
	uint64_t room = 0, count = 0;

	for (uint64_t i = 0; i < t->count; i++)
		room += (uint64_t)__builtin_popcount(t->node[i].open);
	next = malloc((size_t)(room + 1) * sizeof(*next));
	if (!next)
		return err_set(e, ERR_MEMORY, "no memory for %" PRIu64 " tasks", room);
	for (uint64_t i = 0; i < t->count; i++) {
		for (uint32_t set = t->node[i].open; set; set &= set - 1) {
			next[count].q = queens_put(t->node[i].q, set & (0 - set));
			next[count].open = queens_open_columns(next[count].q, queens_full(t->n));
			count += next[count].open != 0;
		}
	}
	free(t->node);
	t->node = next;
	t->count = count;
	t->depth++;
	s->above.nodes += room;
	return 0;
}

static int make_tasks(struct queens *s, struct err *e)
{
	enum { TASKS_A_THREAD = 2048 };
	uint64_t enough = (uint64_t)s->team.threads * TASKS_A_THREAD;
	int status = make_first_row(s, e);

	while (!status && s->tasks.count && s->tasks.count < enough && s->tasks.depth < s->n - 2)
		status = descend(s, e);
	return status;
}

static void work(struct task_member *m)
{
	struct queens *s = m->team->work_context;

	if (m->id == 0)
		task_team_divide(m->team, s->tasks.count);
	task_team_barrier(m->team);
	if (s->tasks.n <= 16)
		queens_cpu_search_16(m, &s->tasks, &s->counts[m->id]);
	else
		queens_cpu_search_32(m, &s->tasks, &s->counts[m->id]);
}

/* Checks the balance of each member's stacks, and that all tasks were begun. */
static int check_balance(const struct queens *s, struct err *e)
{
	static const struct balance_name name = { ENGINE, "thread", 0, NULL };
	static const struct balance_name all = { ENGINE, NULL, -1, "tasks" };
	struct balance b[SEARCH_WORKERS_MAX];
	bool complete = !atomic_load(&s->team.stopped);
	uint64_t begun = 0;
	int status;

	for (int i = 0; i < s->team.threads; i++) {
		const struct queens_cpu_counts *c = &s->counts[i];

		b[i] = (struct balance){
			.initial = c->begun, .pushed = c->made, .popped = c->done, .left = c->left
		};
		begun += c->begun;
	}
	status = balance_check_all(b, s->team.threads, NULL, &name, complete, e);
	if (status || !complete)
		return status;
	return balance_equal(&all, "made", s->tasks.count, "begun", begun, e);
}

static uint64_t nodes_of(const struct queens *s, int i)
{
	return s->counts[i].nodes + (i ? 0 : s->above.nodes);
}

/* Searches the parts; `counts` and `above` hold their counts. */
static int search_parts(struct queens *s, unsigned parts, struct search_outcome *o, struct err *e)
{
	double start = clock_wall(), ready;
	double left = (s->n - 1.0) / (s->n + 1); /* of the first row of an odd half board */
	int status;

	s->parts = parts;
	for (int i = 0; i < s->team.members; i++)
		s->tasks.before[i] +=
			(uint64_t)s->tasks.weight * (s->counts[i].nodes + s->counts[i].solutions);
	s->tasks.weight = parts == LEFT ? 1 : 2;
	s->team.share_from = parts == MIDDLE ? left : 0;
	s->team.share_to = parts == LEFT && s->n % 2 ? left : 1;
	s->above = (struct queens_cpu_counts){ 0 };
	for (int i = 0; i < s->team.threads; i++)
		s->counts[i] = (struct queens_cpu_counts){ 0 };
	status = make_tasks(s, e);
	ready = clock_wall();
	if (!status && s->n > 2) {
		task_team_run(&s->team, work, s);
		status = check_balance(s, e);
	}
	free(s->tasks.node);
	s->tasks.node = NULL;
	for (int i = 0; i < s->team.threads; i++)
		o->operations += search_work_cores_queens(s->n, (double)nodes_of(s, i));
	o->seconds_setup += ready - start;
	o->seconds_search += clock_wall() - ready;
	return status;
}

/* Every placement counts for itself and its mirror image, except those of one queen. */
static int whole_board(struct queens *s, struct search_outcome *o, struct err *e)
{
	int status = search_parts(s, LEFT | MIDDLE, o, e);

	for (int i = 0; i < s->team.threads; i++) {
		o->worker_explored[i] =
			2 * (nodes_of(s, i) + s->counts[i].solutions) + (i ? 0 : (uint64_t)s->n);
		o->explored += o->worker_explored[i];
		o->solutions += 2 * s->counts[i].solutions;
	}
	o->leaves = o->solutions;
	if (!status && !atomic_load(&s->team.stopped))
		o->decomposed = 1 + o->explored - o->solutions;
	return status;
}

/* Every placement found counts for `boards` placements of the half board and two of the whole
 * board. */
static void add_half(const struct queens *s, uint64_t boards, struct search_outcome *o)
{
	for (int i = 0; i < s->team.threads; i++) {
		uint64_t nodes = boards * nodes_of(s, i);
		uint64_t solutions = boards * s->counts[i].solutions;

		o->worker_explored[i] += nodes + solutions;
		o->explored += nodes + solutions;
		o->leaves += solutions;
		o->solutions += 2 * s->counts[i].solutions;
	}
}

/* The half board holds both placements of a pair if the first queen is in the middle, else one. */
static int half_board(struct queens *s, struct search_outcome *o, struct err *e)
{
	uint64_t first_row = (uint64_t)(s->n + 1) / 2;
	int status = search_parts(s, LEFT, o, e);

	add_half(s, 1, o);
	if (!status && s->n % 2 && !atomic_load(&s->team.stopped)) {
		status = search_parts(s, MIDDLE, o, e);
		add_half(s, 2, o);
	}
	o->worker_explored[0] += first_row;
	o->explored += first_row;
	if (!status && !atomic_load(&s->team.stopped))
		o->decomposed = o->explored - o->leaves;
	return status;
}

/* The placement of one queen, the only one without a different mirror image. */
static void one_queen(bool half, struct search_outcome *o)
{
	*o = (struct search_outcome){ .complete = true,
				      .solutions = 1,
				      .explored = 1,
				      .leaves = 1,
				      .decomposed = half ? 0 : 1,
				      .workers = 1,
				      .worker_explored = { 1 } };
}

static int count(const struct search_request *r, bool half, struct search_outcome *o, struct err *e)
{
	struct queens *s;
	int status;

	*o = (struct search_outcome){ 0 };
	if (r->queens < 1 || r->queens > QUEENS_MAX_COUNTED)
		return err_set(e, ERR_UNSUPPORTED, "%d queens: 1 to %d can be counted in 64 bits",
			       r->queens, QUEENS_MAX_COUNTED);
	if (r->queens == 1) {
		one_queen(half, o);
		return 0;
	}
	s = calloc(1, sizeof(*s));
	if (!s)
		return err_set(e, ERR_MEMORY, "no memory for the search");
	s->n = r->queens;
	status = task_team_create(&s->team, r, e);
	if (!status)
		status = half ? half_board(s, o, e) : whole_board(s, o, e);
	if (!status) {
		task_team_report(&s->team, o);
		o->complete = !atomic_load(&s->team.stopped);
		status = task_team_check(&s->team, ENGINE, o->complete, e);
		if (!status && !o->complete)
			status = interrupt_status(&s->team.interrupt, e);
		o->complete = o->complete && !status;
	}
	o->seconds_total = clock_wall() - s->team.interrupt.begin;
	task_team_destroy(&s->team);
	free(s);
	return status;
}

int queens_cpu(const struct search_request *r, struct search_outcome *o, struct err *e)
{
	return count(r, false, o, e);
}

int queens_cpu_half(const struct search_request *r, struct search_outcome *o, struct err *e)
{
	return count(r, true, o, e);
}
