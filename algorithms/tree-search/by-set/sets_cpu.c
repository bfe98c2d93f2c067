#include "algorithms/tree-search/by-set/sets_cpu.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/clock.h"
#include "algorithms/tree-search/balance.h"
#include "algorithms/tree-search/flowshop/fsp_tables.h"

/* ---- incumbent ---- */

void sets_cpu_improve(struct sets_cpu_worker *w, int64_t makespan, const int64_t *order)
{
	struct sets_cpu_search *s = w->search;

	w->ub = makespan;
	pthread_mutex_lock(&s->best_lock);
	if (makespan < s->best) {
		s->best = makespan;
		s->found = true;
		for (int i = 0; i < s->tables.jobs; i++)
			s->order[i] = s->label[order[i]];
		atomic_store(&s->ub, makespan);
	}
	pthread_mutex_unlock(&s->best_lock);
}

/* ---- pieces; member 0 between meetings ---- */

static struct sets_cpu_layer *deepest_open(struct sets_cpu_search *s, int *left)
{
	for (*left = 1; *left <= s->tables.jobs; (*left)++) {
		if (s->layer[*left].done < s->layer[*left].count)
			return &s->layer[*left];
	}
	return NULL;
}

/* Half of the free memory could take all children of these segments. Where that is sure for full
 * ones nobody has to look at them: all others wait for member 0. */
static uint64_t fitting(const struct sets_cpu_search *s, const struct sets_cpu_piece *p)
{
	uint64_t nodes =
		sets_cpu_memory_free_bytes(s) / 2 / ((uint64_t)p->left * sets_cpu_node_bytes(s));
	uint64_t segments = 0;

	if (nodes / (uint64_t)s->kernel->lanes >= p->segments)
		return p->segments;
	while (segments < p->segments && p->segment[segments].count <= nodes)
		nodes -= p->segment[segments++].count;
	return segments ? segments : 1;
}

/* A dive has reached its end: the next may be wider, unless schedules still get better. */
static void next_dive(struct sets_cpu_search *s)
{
	enum { FIRST = 1 << 14, WIDEST = 1 << 18, WIDER = 4 };

	if (!s->dive || s->best < s->dive_ub)
		s->dive = FIRST;
	else if (s->dive < WIDEST)
		s->dive *= WIDER;
	s->dive_ub = s->best;
}

static void choose_piece(struct sets_cpu_search *s)
{
	struct sets_cpu_piece *p = &s->piece;
	struct sets_cpu_layer *l = deepest_open(s, &p->left);

	if (s->collect_failed)
		atomic_store(&s->out_of_memory, true);
	s->finished = !l || atomic_load(&s->out_of_memory) || task_team_stops(&s->team);
	if (s->finished)
		return;
	p->segment = l->segment + l->done;
	p->segments = l->count - l->done < s->dive ? l->count - l->done : s->dive;
	p->segments = fitting(s, p);
	l->done += p->segments;
}

/* The piece has been expanded; with the last piece of a layer its nodes go. */
static void next_piece(struct sets_cpu_search *s)
{
	struct sets_cpu_layer *l = &s->layer[s->piece.left];

	if (l->done == l->count)
		sets_cpu_chunks_move(&s->free_chunks, &l->chunks);
	if (s->piece.left == 1 || !s->layer[s->piece.left - 1].count)
		next_dive(s);
	choose_piece(s);
}

/* ---- the members ---- */

static void expand_batches(struct task_member *m)
{
	struct sets_cpu_search *s = m->team->work_context;
	struct sets_cpu_worker *w = &s->worker[m->id];
	uint64_t lanes = (uint64_t)s->kernel->lanes, batch;

	while (task_team_take(m, 1, &batch)) {
		uint64_t from = batch * lanes, left = s->piece.children - from;
		uint64_t outs = w->outs;

		if (!s->kernel->expand(w, from, (int)(left < lanes ? left : lanes))) {
			atomic_store(&s->out_of_memory, true);
			return;
		}
		s->batch[batch] = (struct sets_cpu_batch){ (uint32_t)m->id, outs, w->outs - outs };
		if (task_team_stops(m->team) ||
		    atomic_load_explicit(&s->out_of_memory, memory_order_relaxed))
			return;
	}
}

/* False: stopped, or out of memory; what was made stays uncollected. */
static bool expand_piece(struct task_member *m)
{
	struct sets_cpu_search *s = m->team->work_context;

	sets_cpu_index(m);
	expand_batches(m);
	task_team_meet(m->team);
	if (atomic_load(&s->team.stopped) || atomic_load(&s->out_of_memory)) {
		if (m->id == 0)
			s->aborted = true;
		return false;
	}
	sets_cpu_collect(m);
	if (m->id == 0)
		next_piece(s);
	task_team_meet(m->team);
	return true;
}

static void finish_piece(struct task_member *m)
{
	struct sets_cpu_search *s = m->team->work_context;

	task_team_meet(m->team); /* all know that it is the last job */
	if (m->id == 0) {
		s->kernel->finish(&s->worker[0]);
		next_piece(s);
	}
	task_team_meet(m->team);
}

static void work(struct task_member *m)
{
	struct sets_cpu_search *s = m->team->work_context;

	if (m->id == 0)
		choose_piece(s);
	task_team_meet(m->team);
	while (!s->finished) {
		if (s->piece.left == 1)
			finish_piece(m);
		else if (!expand_piece(m))
			return;
	}
}

/* ---- set up ---- */

bool sets_cpu_takes(const struct search_request *r)
{
	return r->flowshop && r->branching == FSP_FORWARD && r->bound == FSP_LB2 &&
	       r->flowshop->jobs <= SETS_CPU_JOBS_MAX;
}

static int make_worker(struct sets_cpu_search *s, struct sets_cpu_worker *w, struct err *e)
{
	w->search = s;
	w->ub = s->best;
	w->scratch = task_team_alloc(s->kernel->scratch_bytes(&s->tables));
	if (!w->scratch)
		return err_set(e, ERR_MEMORY, "no memory for a thread's tables");
	s->kernel->scratch_make(&s->tables, w->scratch);
	return 0;
}

static int make_tables(struct sets_cpu_search *s, struct err *e)
{
	s->kernel_tables = task_team_alloc(s->kernel->tables_bytes(&s->tables));
	s->worker = task_team_alloc((size_t)s->team.members * sizeof(*s->worker));
	if (!s->kernel_tables || !s->worker)
		return err_set(e, ERR_MEMORY, "no memory for tables of %d jobs", s->tables.jobs);
	memset(s->worker, 0, (size_t)s->team.members * sizeof(*s->worker));
	s->kernel->tables_make(&s->tables, s->kernel_tables);
	return sets_cpu_layer_make(s, e);
}

/* All jobs left, and a front of zeros: the first job is not appended to the heads. */
static int make_root(struct sets_cpu_search *s, struct err *e)
{
	struct sets_cpu_layer *l = &s->layer[s->tables.jobs];
	size_t bytes = (size_t)s->tables.machines * 4 * s->kernel->cell;
	void *rows = sets_cpu_room(&s->worker[0], bytes);

	l->segment = malloc(sizeof(*l->segment));
	if (!rows || !l->segment)
		return err_set(e, ERR_MEMORY, "no memory for open nodes in %" PRIu64 " bytes",
			       s->budget);
	memset(rows, 0, bytes);
	l->segment[0] = (struct sets_cpu_segment){ (uint32_t)((UINT64_C(1) << s->tables.jobs) - 1),
						   1, rows };
	l->count = l->room = 1;
	sets_cpu_chunks_move(&l->chunks, &s->worker[0].chunks);
	return 0;
}

/* Palmer's slope: large for jobs that gain by being early. */
static int64_t slope(const struct flowshop *f, int job)
{
	int64_t sum = 0;

	for (int k = 0; k < f->machines; k++)
		sum += (int64_t)(2 * k - f->machines + 1) * f->time[k * f->jobs + job];
	return sum;
}

/* Late jobs get the low numbers: most sets of the crowded layers then differ in low bits only, and
 * the parents of consecutive sets are near each other. */
static void number_jobs(struct sets_cpu_search *s, const struct flowshop *f)
{
	for (int j = 0; j < f->jobs; j++) {
		int at = j;

		for (; at > 0 && slope(f, s->label[at - 1]) > slope(f, j); at--)
			s->label[at] = s->label[at - 1];
		s->label[at] = j;
	}
}

static int make_instance_tables(struct sets_cpu_search *s, const struct flowshop *f, struct err *e)
{
	struct flowshop numbered = { .jobs = f->jobs, .machines = f->machines };
	int status;

	number_jobs(s, f);
	numbered.time = malloc((size_t)(f->jobs * f->machines) * sizeof(*numbered.time));
	if (!numbered.time)
		return err_set(e, ERR_MEMORY, "no memory for the times of %s", f->name);
	for (int i = 0; i < f->jobs * f->machines; i++)
		numbered.time[i] = f->time[i / f->jobs * f->jobs + s->label[i % f->jobs]];
	status = fsp_tables_make(&s->tables, &numbered, FSP_ALL_PAIRS, e);
	free(numbered.time);
	return status;
}

static int make_search(void *search, const struct search_request *r, struct err *e)
{
	struct sets_cpu_search *s = search;
	int n = r->flowshop->jobs, status;

	pthread_mutex_init(&s->best_lock, NULL);
	pthread_mutex_init(&s->memory_lock, NULL);
	status = make_instance_tables(s, r->flowshop, e);
	if (status)
		return status;
	s->kernel = fsp_fits_16_bits(r->flowshop) ? &sets_cpu_kernel_16 : &sets_cpu_kernel_32;
	s->best = r->ub;
	atomic_init(&s->ub, r->ub);
	s->order = malloc((size_t)n * sizeof(*s->order));
	if (!s->order)
		return err_set(e, ERR_MEMORY, "no memory for a schedule");
	if (r->start) {
		memcpy(s->order, r->start, (size_t)n * sizeof(*s->order));
		s->found = true;
	}
	if ((status = sets_cpu_memory_make(s, r, e)) || (status = make_tables(s, e)))
		return status;
	for (int i = 0; i < s->team.members && !status; i++)
		status = make_worker(s, &s->worker[i], e);
	next_dive(s);
	return status ? status : make_root(s, e);
}

static void release(void *search)
{
	struct sets_cpu_search *s = search;

	sets_cpu_memory_free(s);
	fsp_tables_free(&s->tables);
	pthread_mutex_destroy(&s->best_lock);
	pthread_mutex_destroy(&s->memory_lock);
	free(s->order);
}

/* ---- the answer ---- */

static uint64_t nodes_of(const struct sets_cpu_segment *segment, uint64_t count)
{
	uint64_t nodes = 0;

	for (uint64_t i = 0; i < count; i++)
		nodes += segment[i].count;
	return nodes;
}

/* In the layers, and where a piece was not expanded to its end: it and what was made of it. */
static uint64_t nodes_left(const struct sets_cpu_search *s)
{
	uint64_t nodes = 0;

	for (int left = 1; left <= s->tables.jobs; left++) {
		const struct sets_cpu_layer *l = &s->layer[left];

		nodes += nodes_of(l->segment + l->done, l->count - l->done);
	}
	if (!s->aborted)
		return nodes;
	nodes += nodes_of(s->piece.segment, s->piece.segments);
	for (int i = 0; i < s->team.threads; i++)
		nodes += nodes_of(s->worker[i].out, s->worker[i].outs);
	return nodes;
}

/* Nodes wander between members in segments, so that the balance is that of all together. */
static int check_balance(const struct sets_cpu_search *s, const struct search_outcome *o,
			 struct err *e)
{
	static const struct balance_name all = { "flowshop on cores by sets", NULL, -1, NULL };
	struct balance b = {
		.initial = 1, .pushed = o->explored, .popped = o->decomposed, .left = nodes_left(s)
	};
	uint64_t children = 0;
	int status = task_team_check(&s->team, all.engine, o->complete, e);

	if (!status)
		status = balance_check(&b, &all, o->complete, e);
	if (status || !o->complete)
		return status;
	for (int i = 0; i < s->team.threads; i++)
		children += s->worker[i].children;
	return balance_equal(&all, "are children", children, "evaluated", o->evaluated, e);
}

static int report(void *search, struct search_outcome *o, struct err *e)
{
	struct sets_cpu_search *s = search;
	bool memory = atomic_load(&s->out_of_memory);

	task_team_report(&s->team, o);
	for (int i = 0; i < s->team.threads; i++) {
		const struct sets_cpu_worker *w = &s->worker[i];

		o->worker_explored[i] = w->explored;
		o->explored += w->explored;
		o->decomposed += w->decomposed;
		o->leaves += w->leaves;
		o->evaluated += w->evaluated;
		o->seconds_tables += w->seconds_rows / s->team.threads;
	}
	o->memory_peak = s->fresh * s->chunk_bytes;
	o->complete = !memory && !atomic_load(&s->team.stopped);
	o->best = s->best;
	o->lower_bound = s->best;
	if (!o->complete) { /* until the last node is done the bound of the root is all that is
			       proved */
		int64_t root = fsp_root_bound(&s->tables, FSP_LB2);

		o->lower_bound = root < s->best ? root : s->best;
	}
	if (s->found) {
		o->order = s->order;
		s->order = NULL;
	}
	if (!memory && check_balance(s, o, e)) {
		o->complete = false;
		return ERR_FAILED;
	}
	if (o->complete)
		return 0;
	return memory ? err_set(e, ERR_MEMORY, "the open nodes do not fit in %" PRIu64 " bytes",
				s->budget) :
			interrupt_status(&s->team.interrupt, e);
}

int sets_cpu(const struct search_request *r, struct search_outcome *o, struct err *e)
{
	static const struct task_team_search search = {
		.size = sizeof(struct sets_cpu_search),
		.make = make_search,
		.work = work,
		.report = report,
		.release = release,
	};

	return task_team_search(&search, r, o, e);
}
