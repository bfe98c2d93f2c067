/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/helbecque-pool/published.h"

#include <sched.h>
#include <string.h>

#include "algorithms/tree-search/flowshop/fsp_tables.h"
#include "harness/base/host.h"
#include "harness/base/team.h"

/* By default most of the free memory. (Linux grants more memory than it has, and kills the process
 * when it is used.) */
static uint64_t memory_limit(const struct search_request *r)
{
	return (uint64_t)(r->memory > 0 ? r->memory : host_memory_available() / 5 * 4);
}

/* The time limit, the stop flag, or an error of another worker: 0 or ERR_LIMIT. */
static int check_stop(struct pool_run *run, struct err *e)
{
	if (interrupt_due(&run->interrupt))
		return interrupt_status(&run->interrupt, e);
	return atomic_load(&run->failed) ? err_set(e, ERR_LIMIT, "another worker failed") : 0;
}

/* The same for a host thread, which also returns when the file is due. */
static int check_worker(struct pool_worker *w)
{
	struct pool_run *run = w->run;
	int status = check_stop(run, &w->error);

	if (!status && pool_saver_due(&run->saver))
		atomic_store(&run->paused, true);
	if (!status && atomic_load_explicit(&run->paused, memory_order_relaxed))
		return err_set(&w->error, ERR_LIMIT, "a checkpoint is due");
	return status;
}

/* ---- branching ---- */

/* Handles a node without children that enter the pool: a complete board, or a node whose only child
 * is a complete schedule. */
static void end_of_path(struct pool_run *run, struct pool_counts *n, struct pool_incumbent *best,
			const unsigned char *node, uint32_t *mask)
{
	const struct pool_evaluator *v = &run->evaluator;
	int32_t front[FLOWSHOP_MAX_MACHINES], makespan;

	if (v->queens) {
		n->solutions++;
		n->decomposed--; /* the caller has counted it, but it has nothing to decompose */
		return;
	}
	for (int w = 0; w < v->format.words; w++) {
		if (!mask[w])
			continue;
		makespan = pool_evaluator_makespan(v, node, front);
		if (pool_incumbent_offer(best, &v->format, node, makespan)) {
			n->leaves++;
			watch_incumbent(run->request->watch, makespan);
		}
		mask[w] = 0;
	}
}

/* The step of Algorithm 1 after bounding, for `count` parents: counts, improves the incumbent by
 * leaves, and pushes the surviving children. Clears the masks of leaves. */
static int branch(struct pool_run *run, struct pool_counts *n, struct pool_incumbent *best,
		  struct pool_deque *pool, const unsigned char *parents, uint32_t *masks,
		  size_t count, struct err *e)
{
	const struct pool_node_format *f = &run->evaluator.format;
	uint64_t depths = 0, checks = 0;

	for (size_t i = 0; i < count; i++) {
		int depth = pool_node_depth(parents + i * f->bytes);

		depths += (uint64_t)depth;
		checks += (uint64_t)depth * (uint64_t)(f->n - depth);
		if (depth >= f->last)
			end_of_path(run, n, best, parents + i * f->bytes,
				    masks + i * (size_t)f->words);
	}
	n->decomposed += count;
	n->evaluated += count * (uint64_t)f->n - depths;
	n->checks += checks;
	n->explored += pool_node_children(f, masks, count);
	return pool_deque_branch(pool, parents, masks, count, e);
}

/* The nodes that a watch is told: decomposed ones, or placements of N-Queens. */
static uint64_t nodes_of(const struct pool_run *run, const struct pool_counts *n)
{
	return run->evaluator.queens ? n->explored : n->decomposed;
}

/* ---- balance: no node is lost (balance.h) ---- */

static const char ENGINE[] = "helbecque-pool published";

/* The nodes in flight at a stop: taken from the pool but not returned. */
static uint64_t under_way(const struct pool_worker *w)
{
	uint64_t nodes = 0;

	for (int i = 0; i < w->offload.chunks; i++)
		nodes += w->offload.chunk[i].count;
	return nodes;
}

/* Checks that every node taken from the pool has come back. */
static int check_returned(const struct balance_name *name, const struct balance *pool,
			  uint64_t returned, uint64_t left, struct err *e)
{
	return balance_equal(name, "taken from the pool", pool->popped, "returned or in flight",
			     returned + left, e);
}

static uint64_t explored(const struct pool_run *run)
{
	uint64_t nodes = run->counts.explored;

	for (int i = 0; i < run->workers; i++)
		nodes += run->worker[i].counts.explored;
	return nodes;
}

/* Checks that no node was lost: in a pool, on the way from a pool to its device and back, or
 * between two pools. If `complete`, none may be left. ERR_FAILED. */
static int check_balance(struct pool_run *run, bool complete, struct err *e)
{
	static const struct balance_name host = { ENGINE, "host", -1, NULL };
	static const struct balance_name all = { ENGINE, NULL, -1, NULL };
	struct balance_name name = { ENGINE, "device", 0, NULL };
	struct balance b[SEARCH_WORKERS_MAX];
	struct balance initial = pool_deque_balance(&run->pool);
	uint64_t pushed = initial.pushed;
	int status = check_returned(&host, &initial, run->initial_returned, 0, e);

	for (int i = 0; i < run->workers && !status; i++) {
		struct pool_worker *w = &run->worker[i];
		uint64_t left = under_way(w);

		b[i] = pool_deque_balance(&w->pool);
		pushed += b[i].pushed;
		name.number = i;
		status = check_returned(&name, &b[i], w->returned, left, e);
		if (!status && complete)
			status = balance_equal(&name, "in flight", left,
					       "expected in a complete search", 0, e);
	}
	if (!status)
		status = balance_check_all(b, run->workers, &initial, &name, complete, e);
	/* the nodes at the start are pushed and not counted */
	if (status)
		return status;
	return balance_equal(&all, "counted as children, and at the start",
			     explored(run) + run->begun, "pushed", pushed, e);
}

/* ---- what is open, and the file ---- */

/* The best schedule, or NULL. */
static int64_t *known_order(const struct pool_run *run)
{
	return run->shared.found || run->request->start ? run->shared.order : NULL;
}

static void add(struct search_outcome *o, const struct pool_counts *n)
{
	o->explored += n->explored;
	o->decomposed += n->decomposed;
	o->leaves += n->leaves;
	o->evaluated += n->evaluated;
	o->solutions += n->solutions;
}

static void sum_counts(const struct pool_run *run, struct search_outcome *o)
{
	add(o, &run->counts);
	for (int i = 0; i < run->workers; i++)
		add(o, &run->worker[i].counts);
}

static bool add_pool(const struct pool_run *run, struct pool_deque *pool, struct pool_open *open)
{
	return pool_open_add_nodes(open, &run->evaluator.format, pool_deque_nodes(pool),
				   pool_deque_size(pool));
}

/* The nodes of all pools, and those on devices. */
static int open_nodes(struct pool_run *run, struct pool_open *open, struct err *e)
{
	const struct pool_node_format *f = &run->evaluator.format;
	bool room = add_pool(run, &run->pool, open);

	for (int i = 0; i < run->workers && room; i++) {
		struct pool_worker *w = &run->worker[i];

		room = add_pool(run, &w->pool, open);
		for (int k = 0; k < w->offload.chunks && room; k++) {
			const struct pool_offload_chunk *c = &w->offload.chunk[k];

			room = pool_open_add_nodes(open, f, c->nodes, c->count);
		}
	}
	return room ? 0 : err_set(e, ERR_MEMORY, "no memory for a copy of the open nodes");
}

/* Writes the state. No worker runs. */
static int save(struct pool_run *run, struct err *e)
{
	struct pool_open open = { .items = run->evaluator.format.n };
	struct search_outcome o = { .best = pool_incumbent_best(&run->shared) };
	int status = check_balance(run, false, e);

	if (!status)
		status = open_nodes(run, &open, e);
	sum_counts(run, &o);
	if (!status)
		status = pool_saver_write(&run->saver, &o, known_order(run), &open, e);
	pool_open_free(&open);
	return status;
}

/* ---- the search on the host, before and after the threads ---- */

/* One step of Algorithm 1. `node` was taken from the pool. */
static int decompose(struct pool_run *run, struct pool_deque *pool, const unsigned char *node,
		     uint32_t *mask, struct err *e)
{
	pool_evaluator_children(&run->evaluator, node, pool_incumbent_best(&run->shared), mask);
	return branch(run, &run->counts, &run->shared, pool, node, mask, 1, e);
}

/* Searches breadth first until the pool holds `enough` nodes, or (0) depth first until it is empty.
 * Adds the decomposed nodes to *returned. */
static int search_on_host(struct pool_run *run, struct pool_deque *pool, size_t enough,
			  uint64_t *returned, struct err *e)
{
	struct pool_node_room node;
	uint32_t mask[FLOWSHOP_MAX_JOBS / 32 + 1];
	int status = 0;

	while (!status) {
		size_t size = pool_deque_size(pool);

		if (size == 0 || (enough && size >= enough))
			break;
		status = check_stop(run, e);
		if (!status && pool_saver_due(&run->saver))
			status = save(run, e);
		if (status)
			break;
		if (!(enough ? pool_deque_pop_front(pool, node.bytes) :
			       pool_deque_pop_back(pool, 1, 1, node.bytes)))
			break;
		status = decompose(run, pool, node.bytes, mask, e);
		watch_count(run->request->watch, WATCH_HOST, nodes_of(run, &run->counts));
		++*returned;
	}
	return status;
}

/* Figure 5: node i goes to locale i mod L, and there to the next thread in turn. */
static uint64_t thread_in_turn(const struct pool_run *run, uint64_t i)
{
	const struct pool_termination *t = &run->termination;
	uint64_t locales = (uint64_t)t->locales, per = (uint64_t)t->per_locale;

	return i % locales * per + i / locales % per;
}

static int distribute(struct pool_run *run, struct pool_deque *pool, struct err *e)
{
	bool moved = true;
	int status = 0;

	for (uint64_t i = 0; !status && moved; i++)
		status =
			pool_deque_give(pool, &run->worker[thread_in_turn(run, i)].pool, &moved, e);
	return status;
}

static int push_root(struct pool_run *run, struct err *e)
{
	struct pool_node_room root;

	run->begun = 1;
	pool_node_root(&run->evaluator.format, root.bytes);
	return pool_deque_push(&run->pool, root.bytes, 1, e);
}

/* Pushes the open nodes of a record of earlier runs; `out`: the pool of all, or NULL, the workers'
 * in turn. */
static int push_record(struct pool_run *run, const uint16_t *record, struct pool_deque *out,
		       struct err *e)
{
	const struct pool_node_format *f = &run->evaluator.format;
	struct pool_node_room node;
	int status = 0;

	if (record[RECORD_SUFFIX] || record[RECORD_SIDE])
		return err_set(e, ERR_INPUT, "an open node of forward branching has a suffix");
	for (int i = 0; i < record_nodes(record) && !status; i++) {
		struct pool_deque *turn = &run->worker[thread_in_turn(run, run->begun)].pool;

		pool_open_node(f, record, i, node.bytes);
		status = pool_deque_push(out ? out : turn, node.bytes, 1, e);
		run->begun += !status;
	}
	return status;
}

/* Pushes the root, or the nodes of earlier runs. If these are at least `enough`, they go to the
 * workers at once, else to the pool of the initial search. */
static int push_start(struct pool_run *run, size_t enough, struct err *e)
{
	const struct checkpoint *past = &run->saver.past.state;
	const struct pool_open open = { .items = run->evaluator.format.n,
					.count = past->count,
					.work = past->work };
	struct pool_deque *out = &run->pool;
	int status = 0;

	if (!run->saver.past.resumed)
		return push_root(run, e);
	if (pool_open_nodes(&open, 0) >= enough)
		out = NULL;
	for (uint64_t i = 0; i < open.count && !status; i++)
		status = push_record(run, pool_open_at(&open, i), out, e);
	return status;
}

static int initial_search(struct pool_run *run, struct err *e)
{
	size_t enough = run->worker[0].m * (size_t)run->workers;
	int status = push_start(run, enough, e);

	if (!status)
		status = search_on_host(run, &run->pool, enough, &run->initial_returned, e);
	if (!status)
		status = distribute(run, &run->pool, e);
	if (!status)
		pool_deque_close(&run->pool);
	return status;
}

/* Searches the nodes left in pools that hold fewer than m. */
static int finish_on_host(struct pool_run *run, struct err *e)
{
	int status = 0;

	for (int i = 0; i < run->workers && !status; i++)
		status = search_on_host(run, &run->worker[i].pool, 0, &run->worker[i].returned, e);
	return status;
}

/* ---- what is left, for the watch: only reads ---- */

#define SHOW_SECONDS 0.1 /* between two surveys of a pool */

/* Tells the estimated nodes below those of this worker, in its pool and on its device, from a part
 * of them. */
static void show_left(struct pool_worker *w)
{
	enum { SURVEYED = 1024 };
	struct pool_run *run = w->run;
	const struct pool_node_format *f = &run->evaluator.format;
	double open[FLOWSHOP_MAX_JOBS + 1] = { 0 }, left = 0, now;
	const struct dfs_levels *l;

	if (!run->gauge.request || (now = clock_wall()) < w->show_next)
		return;
	l = dfs_gauge_levels(&run->gauge, pool_incumbent_best(&run->shared));
	w->show_next = now + SHOW_SECONDS;
	if (!l)
		return;
	pool_deque_depths(&w->pool, SURVEYED, open);
	for (int i = 0; i < w->offload.chunks; i++)
		pool_node_depths(f, w->offload.chunk[i].nodes, w->offload.chunk[i].count, SURVEYED,
				 open);
	for (int depth = 0; depth < l->jobs; depth++)
		left += open[depth] * l->below[depth];
	watch_left(run->request->watch, w->id, left);
}

/* ---- work stealing ---- */

/* Until the thief has told what it has got, nothing is known. */
static size_t steal_nodes(struct pool_worker *w, int victim)
{
	struct watch *watch = w->run->request->watch;
	size_t taken;

	watch_left(watch, w->id, -1);
	taken = pool_deque_steal(&w->pool, &w->run->worker[victim].pool, 2 * w->m);
	w->show_next = 0;
	if (taken)
		show_left(w);
	else
		watch_left(watch, w->id, 0);
	return taken;
}

static bool steal_from(struct pool_worker *w, int victim)
{
	size_t taken = steal_nodes(w, victim);

	w->steals_tried++;
	w->steals_done += taken > 0;
	w->nodes_stolen += taken;
	return taken > 0;
}

static bool steal_in(struct pool_worker *w, int locale)
{
	int order[SEARCH_WORKERS_MAX], per = w->run->termination.per_locale;
	int thief = w->id - locale * per; /* out of range in another locale */
	int n = pool_permute_victims(&w->rng, thief, per, order);

	for (int i = 0; i < n; i++) {
		if (steal_from(w, locale * per + order[i]))
			return true;
	}
	return false;
}

static bool steal(struct pool_worker *w)
{
	const struct pool_termination *t = &w->run->termination;
	int order[SEARCH_WORKERS_MAX], own = w->id / t->per_locale, n;

	if (steal_in(w, own))
		return true;
	n = pool_permute_victims(&w->rng, own, t->locales, order);
	for (int i = 0; i < n; i++) {
		if (steal_in(w, order[i]))
			return true;
	}
	return false;
}

static bool somebody_is_rich(struct pool_worker *w)
{
	for (int i = 0; i < w->run->workers; i++) {
		if (i != w->id && pool_deque_size(&w->run->worker[i].pool) >= 2 * w->m)
			return true;
	}
	return false;
}

static void show_busy(const struct pool_run *run)
{
	int busy = 0;

	for (int i = 0; run->request->watch && i < run->workers; i++)
		busy += atomic_load_explicit(&run->termination.thread[i], memory_order_relaxed);
	watch_devices(run->request->watch, busy, run->workers);
}

bool pool_acquire(struct pool_worker *w, int *status)
{
	struct pool_termination *t = &w->run->termination;

	if (w->run->request->no_stealing)
		return false;
	while (!steal(w)) {
		pool_termination_idle(t, w->id);
		show_busy(w->run);
		while (!somebody_is_rich(w)) {
			*status = check_worker(w);
			if (*status || pool_termination_reached(t, w->id))
				return false;
			sched_yield();
		}
		pool_termination_wake(t, w->id);
		show_busy(w->run);
	}
	return true;
}

/* ---- a host thread ---- */

static int start(struct pool_worker *w, struct pool_offload_chunk *c)
{
	size_t size = pool_deque_size(&w->pool), M = w->tuner.M;
	int status = 0;

	if (size < w->m)
		return 0;
	status = pool_offload_reserve(&w->offload, c, size < M ? size : M, &w->error);
	if (status)
		return status;
	size_t count =
		pool_deque_pop_back(&w->pool, w->m, M < c->capacity ? M : c->capacity, c->nodes);

	if (!count)
		return 0;
	w->offloads++;
	w->offloaded += count;
	return pool_offload_start(&w->offload, c, count, pool_incumbent_best(w->incumbent),
				  &w->error);
}

static int finish(struct pool_worker *w, struct pool_offload_chunk *c)
{
	const struct pool_node_format *f = &w->run->evaluator.format;
	uint64_t before = w->counts.explored;
	int status = pool_offload_wait(c, &w->error);

	if (status)
		return status; /* the nodes stay open */
	for (size_t i = 0; i < c->count && !status; i += POOL_OFFLOAD_BRANCH) {
		size_t left = c->count - i,
		       some = left < POOL_OFFLOAD_BRANCH ? left : POOL_OFFLOAD_BRANCH;
		uint32_t *masks = pool_offload_masks(&w->offload, c, i, some,
						     pool_incumbent_best(w->incumbent));

		status = branch(w->run, &w->counts, w->incumbent, &w->pool, c->nodes + i * f->bytes,
				masks, some, &w->error);
		w->returned += some;
	}
	watch_count(w->run->request->watch, w->id, nodes_of(w->run, &w->counts));
	pool_tuner_chunk(&w->tuner, c->count, c->count + w->counts.explored - before, clock_wall());
	if (!status)
		c->count = 0;
	if (!status)
		show_left(w);
	return status;
}

/* The body of a host thread. With one chunk it waits for the chunk that it has just offloaded. */
static int work_loop(struct pool_worker *w)
{
	struct pool_offload_chunk *c = w->offload.chunk;
	int status = 0;

	for (int turn = 0; !status; turn = (turn + 1) % w->offload.chunks) {
		status = check_worker(w);
		if (!status && c[turn].count)
			status = finish(w, &c[turn]);
		if (!status)
			status = start(w, &c[turn]);
		if (!status && !c[0].count && !c[1].count && !pool_acquire(w, &status))
			break;
	}
	return status;
}

static void work(void *argument)
{
	struct pool_worker *w = argument;

	w->status = work_loop(w);
	watch_left(w->run->request->watch, w->id, 0);
	if (!w->status)
		w->status = pool_offload_operations(&w->offload, &w->operations, &w->error);
	pool_termination_idle(&w->run->termination, w->id);
	show_busy(w->run);
	if (w->status)
		atomic_store(&w->run->failed, 1);
}

/* ---- the threads ---- */

static int run_workers(struct pool_run *run, struct err *e)
{
	int status;

	show_busy(run);
	status = team_run_all(work, run->worker, sizeof(*run->worker), run->workers, e);

	if (status)
		return status;
	for (int i = 0; run->request->private_incumbent && i < run->workers; i++)
		pool_incumbent_merge(&run->shared, &run->worker[i].own, run->evaluator.format.n);
	for (int i = 0; i < run->workers; i++)
		status = err_merge(status, run->worker[i].status, &run->worker[i].error, e);
	return status;
}

/* Whether the workers returned only because the file is due. */
static bool is_pause(struct pool_run *run, int status)
{
	return status == ERR_LIMIT && atomic_load(&run->paused) &&
	       !interrupt_due(&run->interrupt) && !dev_set_cancelled(run->request->devices);
}

static int parallel_search(struct pool_run *run, struct err *e)
{
	const struct pool_termination *t = &run->termination;
	int status = run_workers(run, e);

	while (is_pause(run, status)) {
		status = save(run, e);
		if (status)
			return status;
		atomic_store(&run->paused, false);
		atomic_store(&run->failed, 0);
		pool_termination_open(&run->termination, t->locales, t->per_locale);
		status = run_workers(run, e);
	}
	if (status == ERR_LIMIT && atomic_load(&run->paused))
		return interrupt_status(&run->interrupt, e); /* instead of the file */
	return status;
}

static int worker_open(struct pool_run *run, int id, struct err *e)
{
	const struct search_request *r = run->request;
	struct pool_worker *w = &run->worker[id];

	w->run = run;
	w->id = id;
	w->rng = rng_seeded(rng_at(r->seed, (uint64_t)id));
	w->incumbent = &run->shared;
	pool_deque_open(&w->pool, &run->evaluator.format, &run->budget);
	if (r->private_incumbent) {
		w->incumbent = &w->own;
		if (!pool_incumbent_open(&w->own, run->evaluator.format.n,
					 pool_incumbent_best(&run->shared)))
			return err_set(e, ERR_MEMORY, "no memory for a schedule");
	}
	struct dev *d = r->devices->dev[id];
	size_t most =
		r->M > 0 ? (size_t)r->M : pool_tuner_limit(&run->evaluator, dev_backend_of(d));
	int64_t fixed = r->M == SEARCH_MEASURED ? 0 : r->M ? r->M : POOL_PAPER_MOST;

	if (!r->M && most > POOL_PAPER_MOST)
		most = POOL_PAPER_MOST;
	int status = pool_offload_open(&w->offload, d, &run->evaluator, most, e);

	pool_tuner_open(&w->tuner, fixed,
			run->evaluator.bounder.step ? POOL_TUNER_START_PAIRS : POOL_TUNER_START,
			w->offload.most);
	return status;
}

static void worker_close(struct pool_worker *w)
{
	if (w->offload.dev)
		pool_offload_close(&w->offload);
	pool_deque_close(&w->pool);
	free(w->own.order);
}

/* All workers have the same m, so 2m means the same to a thief and its victim. */
static int choose_least(struct pool_run *run, struct err *e)
{
	size_t m = run->request->m ? (size_t)run->request->m : POOL_PAPER_M;
	int status = 0;

	if (run->request->m == SEARCH_MEASURED)
		status = pool_tuner_least(&run->worker[0].offload, &run->evaluator,
					  pool_incumbent_best(&run->shared), &m, e);
	for (int i = 0; i < run->workers; i++)
		run->worker[i].m = m;
	return status;
}

static int open_workers(struct pool_run *run, int *opened, struct err *e)
{
	const struct search_request *r = run->request;
	int status = 0;

	run->worker = calloc((size_t)run->workers, sizeof(*run->worker));
	if (!run->worker ||
	    !pool_incumbent_open(&run->shared, run->evaluator.format.n,
				 r->flowshop && r->ub < SEARCH_NO_UB ? (int32_t)r->ub :
								       SEARCH_NO_UB))
		return err_set(e, ERR_MEMORY, "no memory for %d workers", run->workers);
	for (int i = 0; r->flowshop && r->start && i < r->flowshop->jobs; i++)
		run->shared.order[i] = r->start[i];
	while (!status && *opened < run->workers)
		status = worker_open(run, (*opened)++, e);
	return status ? status : choose_least(run, e);
}

/* ---- the whole search ---- */

static int search(struct pool_run *run, struct err *e)
{
	const struct checkpoint *past = &run->saver.past.state;
	int status;

	dfs_gauge_open(&run->gauge, run->request, run->saver.key.first_ub, run->workers,
		       run->evaluator.queens ? past->explored : past->decomposed);
	status = initial_search(run, e);
	if (!status)
		status = parallel_search(run, e);
	if (!status)
		status = finish_on_host(run, e);
	if ((!status || status == ERR_LIMIT) && check_balance(run, !status, e))
		return ERR_FAILED;
	return status;
}

/* Keeps the state at the end; `searched`: else devices were cancelled before the search. Returns
 * `ended`, or an error; 0 if a stopped search has nothing left. */
static int keep_state(struct pool_run *run, bool searched, int ended, struct err *e)
{
	struct pool_open open = { .items = run->evaluator.format.n };
	struct search_outcome o = { .best = pool_incumbent_best(&run->shared) };
	uint64_t left;
	int status = 0;

	if (!pool_saver_keeps(&run->saver) || (ended && ended != ERR_LIMIT))
		return ended;
	if (!searched)
		status = push_start(run, SIZE_MAX, e);
	if (!status)
		status = open_nodes(run, &open, e);
	left = open.count;
	sum_counts(run, &o);
	if (!status)
		status = pool_saver_end(&run->saver, &o, known_order(run), &open, e);
	pool_open_free(&open);
	return status || !left ? status : ended;
}

static void collect(struct pool_run *run, struct search_outcome *o)
{
	const struct pool_bounder *b = &run->evaluator.bounder;

	sum_counts(run, o);
	pool_saver_add_past(&run->saver, o);
	o->workers = run->workers;
	for (int i = 0; i < run->workers; i++) {
		const struct pool_worker *w = &run->worker[i];

		o->worker_explored[i] = w->counts.explored;
		o->steals_tried += w->steals_tried;
		o->steals_done += w->steals_done;
		o->nodes_stolen += w->nodes_stolen;
		o->offloads += w->offloads;
		/* two comparisons with each queen, see queens_safe */
		o->operations +=
			run->evaluator.queens ? 2 * (double)w->counts.checks : w->operations;
		o->bytes += (double)w->offloaded * (double)pool_offload_bytes(&w->offload);
		o->memory_peak += w->pool.peak * w->pool.format.bytes;
	}
	o->m = (int64_t)run->worker[0].m;
	o->M = (int64_t)run->worker[0].tuner.present;
	if (run->evaluator.queens)
		return;
	o->best = pool_incumbent_best(&run->shared);
	o->lower_bound = o->best;
	if (!o->complete) {
		int32_t root = fsp_root_bound(&b->tables, b->bound);

		o->lower_bound = root < o->best ? root : o->best;
	}
	o->order = known_order(run);
	if (o->order)
		run->shared.order = NULL;
}

static int run_on(struct pool_run *run, struct search_outcome *o, struct err *e)
{
	int opened = 0, status = open_workers(run, &opened, e);

	bool searched = !status;

	o->seconds_setup = clock_wall() - run->interrupt.begin;
	if (searched) {
		status = search(run, e);
		o->seconds_search = clock_wall() - run->interrupt.begin - o->seconds_setup;
	}
	status = keep_state(run, searched, status, e);
	o->complete = !status;
	/* if devices are cancelled before the search, the outcome has the root's bound */
	if (searched || status == ERR_LIMIT)
		collect(run, o);
	while (opened > 0)
		worker_close(&run->worker[--opened]);
	dfs_gauge_close(&run->gauge);
	pool_deque_close(&run->pool);
	free(run->worker);
	free(run->shared.order);
	return status;
}

int pool_search_published(const struct search_request *r, int locales, struct search_outcome *o,
			  struct err *e)
{
	int available = r->devices ? r->devices->count : 0,
	    gpus = r->gpus > 0 ? r->gpus : available;
	struct search_request mine = *r;
	struct pool_run run = { .request = &mine, .interrupt = interrupt_from(r), .workers = gpus };

	memset(o, 0, sizeof(*o));
	pool_saver_none(r);
	if (gpus < 1 || gpus > available || gpus % locales)
		return err_set(e, ERR_DEVICE, "%d GPUs requested on %d nodes, %d available", gpus,
			       locales, available);
	int status = pool_evaluator_open(&run.evaluator, r, e);

	if (status)
		return status;
	status = pool_saver_open(&run.saver, r, NULL, e);
	if (!status) {
		pool_saver_start_from(&run.saver, &mine);
		run.budget.limit = memory_limit(r);
		pool_deque_open(&run.pool, &run.evaluator.format, &run.budget);
		pool_termination_open(&run.termination, locales, gpus / locales);
		status = run_on(&run, o, e);
	}
	pool_saver_close(&run.saver);
	pool_evaluator_close(&run.evaluator);
	o->seconds_total = clock_wall() - run.interrupt.begin;
	return status;
}
