/* N-Queens on all cores: the team's tasks are the placements of the first rows on one half of the
 * board. */
#include "cpu_queens.h"

#include <inttypes.h>
#include <stdlib.h>

#include "../../harness/clock.h"
#include "cpu_search.h"

struct queens {
	struct cpu_team team;
	struct cpu_queens_tasks tasks;
	struct cpu_queens_counts counts[SEARCH_WORKERS_MAX], above; /* half the board */
};

/* The first row's queens whose mirror images are different ones; and for odd N the one in the
 * middle, with the second row's queens on one side (none is in the middle there). All placements
 * but that one in the middle come in pairs from here on. */
static int make_first_row(struct queens *s, int n, struct err *e)
{
	struct cpu_queens_tasks *t = &s->tasks;
	uint32_t full = qn_full(n), half = qn_full(n / 2);

	t->n = n;
	t->depth = 1;
	t->node = malloc((size_t)n * sizeof(*t->node));
	if (!t->node)
		return err_set(e, ERR_MEMORY, "no memory for the first row");
	for (int c = 0; c < n - n / 2; c++) {
		struct cpu_queens_node node = { .q = qn_place((struct qn_masks){ 0, 0, 0 },
							      UINT32_C(1) << c) };

		node.open = qn_children(node.q, full) & (2 * c + 1 == n ? half : full);
		if (node.open)
			t->node[t->count++] = node;
	}
	return 0;
}

/* The tasks' children become the tasks. */
static int descend(struct queens *s, struct err *e)
{
	struct cpu_queens_tasks *t = &s->tasks;
	struct cpu_queens_node *next;
	uint64_t room = 0, count = 0;

	for (uint64_t i = 0; i < t->count; i++)
		room += (uint64_t)__builtin_popcount(t->node[i].open);
	next = malloc((size_t)(room + 1) * sizeof(*next));
	if (!next)
		return err_set(e, ERR_MEMORY, "no memory for %" PRIu64 " tasks", room);
	for (uint64_t i = 0; i < t->count; i++) {
		for (uint32_t set = t->node[i].open; set; set &= set - 1) {
			next[count].q = qn_place(t->node[i].q, set & (0 - set));
			next[count].open = qn_children(next[count].q, qn_full(t->n));
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

static int make_tasks(struct queens *s, int n, struct err *e)
{
	enum { TASKS_A_THREAD = 2048 };
	uint64_t enough = (uint64_t)s->team.threads * TASKS_A_THREAD;
	int status = make_first_row(s, n, e);

	while (!status && s->tasks.count && s->tasks.count < enough && s->tasks.depth < n - 2)
		status = descend(s, e);
	return status;
}

static void work(struct cpu_member *m)
{
	struct queens *s = m->team->work_context;

	if (m->id == 0)
		cpu_team_divide(m->team, s->tasks.count);
	cpu_team_meet(m->team);
	if (s->tasks.n <= 16)
		cpu_queens_search_16(m, &s->tasks, &s->counts[m->id]);
	else
		cpu_queens_search_32(m, &s->tasks, &s->counts[m->id]);
}

/* Each placement found stands for itself and its mirror image, except those of one queen. */
static void report(const struct queens *s, struct search_outcome *o)
{
	cpu_team_report(&s->team, o);
	for (int i = 0; i < s->team.threads; i++) {
		uint64_t mine = s->counts[i].nodes + s->counts[i].solutions;

		o->worker_explored[i] = 2 * (mine + (i ? 0 : s->above.nodes)) +
					(i ? 0 : (uint64_t)s->tasks.n);
		o->explored += o->worker_explored[i];
		o->solutions += 2 * s->counts[i].solutions;
	}
	o->leaves = o->solutions;
	o->complete = !atomic_load(&s->team.stopped);
	if (o->complete)
		o->decomposed = 1 + o->explored - o->solutions;
}

static int solve(struct queens *s, const struct search_request *r, struct search_outcome *o,
		 struct err *e)
{
	int status = make_tasks(s, r->queens, e);

	if (status)
		return status;
	o->seconds_setup = clock_wall() - s->team.interrupt.begin;
	if (r->queens > 2)
		cpu_team_run(&s->team, work, s);
	report(s, o);
	o->seconds_search = clock_wall() - s->team.interrupt.begin - o->seconds_setup;
	return o->complete ? 0 : interrupt_status(&s->team.interrupt, e);
}

int cpu_queens(const struct search_request *r, struct search_outcome *o, struct err *e)
{
	struct queens *s;
	int status;

	*o = (struct search_outcome){ 0 };
	if (r->queens < 1 || r->queens > QN_MAX_COUNTED)
		return err_set(e, ERR_UNSUPPORTED, "%d queens: 1 to %d can be counted in 64 bits",
			       r->queens, QN_MAX_COUNTED);
	if (r->queens == 1) { /* the one placement without a different mirror image */
		*o = (struct search_outcome){ .complete = true, .solutions = 1, .explored = 1,
					      .leaves = 1, .decomposed = 1, .workers = 1,
					      .worker_explored = { 1 } };
		return 0;
	}
	s = calloc(1, sizeof(*s));
	if (!s)
		return err_set(e, ERR_MEMORY, "no memory for the search");
	status = cpu_team_create(&s->team, r, e);
	if (!status)
		status = solve(s, r, o, e);
	o->seconds_total = clock_wall() - s->team.interrupt.begin;
	free(s->tasks.node);
	cpu_team_destroy(&s->team);
	free(s);
	return status;
}
