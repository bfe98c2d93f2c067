#include <string.h>

#include "harness/base/team.h"
#include "harness/base/host_memory.h"
#include "algorithms/helbecque-pool/published_run.h"
#include "algorithms/tree-search/flowshop/fsp_tables.h"

/* Most of what is free: Linux hands out more than it has and kills later. */
static uint64_t memory_limit(const struct search_request *r)
{
	return (uint64_t)(r->memory > 0 ? r->memory : host_memory_available() / 5 * 4);
}

/* ---- the search on the host, before and after the threads ---- */

/* One step of Algorithm 1; `node` came from the pool. */
static int decompose(struct published_run *run, struct node_pool *pool, const unsigned char *node,
		     uint32_t *mask, struct err *e)
{
	evaluator_children(&run->evaluator, node, incumbent_best(&run->shared), mask);
	return published_branch(run, &run->counts, &run->shared, pool, node, mask, 1, e);
}

/* Breadth first until the pool holds `enough` nodes (0: depth first until it is empty). Adds the
 * nodes decomposed to *returned. */
static int search_on_host(struct published_run *run, struct node_pool *pool, size_t enough,
			  uint64_t *returned, struct err *e)
{
	struct node_room node;
	uint32_t mask[FLOWSHOP_MAX_JOBS / 32 + 1];
	int status = 0;

	while (!status) {
		size_t size = node_pool_size(pool);

		if (size == 0 || (enough && size >= enough))
			break;
		status = published_check(run, e);
		if (status)
			break;
		if (!(enough ? node_pool_pop_front(pool, node.bytes) :
			       node_pool_pop_back(pool, 1, 1, node.bytes)))
			break;
		status = decompose(run, pool, node.bytes, mask, e);
		++*returned;
	}
	return status;
}

/* Figure 5: node i goes to locale i mod L, and there to the next of its threads. */
static int distribute(struct published_run *run, struct node_pool *pool, struct err *e)
{
	const struct termination *t = &run->termination;
	bool moved = true;
	int status = 0;

	for (int i = 0; !status && moved; i++) {
		int locale = i % t->locales, thread = i / t->locales % t->per_locale;

		status = node_pool_give(pool, &run->worker[locale * t->per_locale + thread].pool,
					&moved, e);
	}
	return status;
}

static int initial_search(struct published_run *run, struct err *e)
{
	const struct node_format *f = &run->evaluator.format;
	struct node_room root;
	struct node_pool pool;
	size_t enough = run->worker[0].m * (size_t)run->workers;

	node_pool_open(&pool, f, &run->budget);
	node_root(f, root.bytes);
	int status = node_pool_push(&pool, root.bytes, 1, e);

	if (!status)
		status = search_on_host(run, &pool, enough, &run->initial_returned, e);
	if (!status)
		status = distribute(run, &pool, e);
	run->initial = node_pool_balance(&pool);
	node_pool_close(&pool);
	return status;
}

/* ---- the threads ---- */

static void work(void *argument)
{
	struct published_worker *w = argument;

	w->status = published_work(w);
	termination_idle(&w->run->termination, w->id);
	if (w->status)
		atomic_store(&w->run->failed, 1);
}

/* An error of one before the limit that it made the others stop at. */
static int worst(const struct published_run *run, struct err *e)
{
	const struct published_worker *found = NULL;

	for (int i = 0; i < run->workers; i++) {
		const struct published_worker *w = &run->worker[i];

		if (w->status && (!found || found->status == ERR_LIMIT))
			found = w;
	}
	return found ? err_set(e, found->status, "%s", found->error.text) : 0;
}

static int parallel_search(struct published_run *run, struct err *e)
{
	int status = team_run_all(work, run->worker, sizeof(*run->worker), run->workers, e);

	if (status)
		return status;
	for (int i = 0; run->request->private_incumbent && i < run->workers; i++)
		incumbent_merge(&run->shared, &run->worker[i].own, run->evaluator.format.n);
	return worst(run, e);
}

/* The nodes that no pool has m of. */
static int finish_on_host(struct published_run *run, struct err *e)
{
	int status = 0;

	for (int i = 0; i < run->workers && !status; i++)
		status = search_on_host(run, &run->worker[i].pool, 0, &run->worker[i].returned, e);
	return status;
}

/* ---- the frame ---- */

static int worker_open(struct published_run *run, int id, struct err *e)
{
	const struct search_request *r = run->request;
	struct published_worker *w = &run->worker[id];

	w->run = run;
	w->id = id;
	w->rng = rng_seeded(rng_at(r->seed, (uint64_t)id));
	w->incumbent = &run->shared;
	node_pool_open(&w->pool, &run->evaluator.format, &run->budget);
	if (r->private_incumbent) {
		w->incumbent = &w->own;
		if (!incumbent_open(&w->own, run->evaluator.format.n, incumbent_best(&run->shared)))
			return err_set(e, ERR_MEMORY, "no memory for a schedule");
	}
	struct dev *d = r->devices->dev[id];
	size_t most = r->M > 0 ? (size_t)r->M : tuner_limit(&run->evaluator, dev_backend_of(d));
	int status = offload_open(&w->offload, d, &run->evaluator, most, e);

	tuner_open(&w->tuner, r->M, run->evaluator.bounder.step ? TUNER_START_PAIRS : TUNER_START,
		   w->offload.most);
	return status;
}

static void worker_close(struct published_worker *w)
{
	if (w->offload.dev)
		offload_close(&w->offload);
	node_pool_close(&w->pool);
	free(w->own.order);
}

/* One value for all: a thief's 2m is then its victim's. */
static int choose_least(struct published_run *run, struct err *e)
{
	size_t m = (size_t)run->request->m;
	int status = 0;

	if (run->request->m <= 0)
		status = tuner_least(&run->worker[0].offload, &run->evaluator,
				     incumbent_best(&run->shared), &m, e);
	for (int i = 0; i < run->workers; i++)
		run->worker[i].m = m;
	return status;
}

static int open_workers(struct published_run *run, int *opened, struct err *e)
{
	const struct search_request *r = run->request;
	int status = 0;

	run->worker = calloc((size_t)run->workers, sizeof(*run->worker));
	if (!run->worker ||
	    !incumbent_open(&run->shared, run->evaluator.format.n,
			    r->flowshop && r->ub < SEARCH_NO_UB ? (int32_t)r->ub : SEARCH_NO_UB))
		return err_set(e, ERR_MEMORY, "no memory for %d workers", run->workers);
	for (int i = 0; r->flowshop && r->start && i < r->flowshop->jobs; i++)
		run->shared.order[i] = r->start[i];
	while (!status && *opened < run->workers)
		status = worker_open(run, (*opened)++, e);
	return status ? status : choose_least(run, e);
}

static int search(struct published_run *run, struct err *e)
{
	int status = initial_search(run, e);

	if (!status)
		status = parallel_search(run, e);
	if (!status)
		status = finish_on_host(run, e);
	if ((!status || status == ERR_LIMIT) && published_check_balance(run, !status, e))
		return ERR_FAILED;
	return status;
}

static void add(struct search_outcome *o, const struct published_counts *n)
{
	o->explored += n->explored;
	o->decomposed += n->decomposed;
	o->leaves += n->leaves;
	o->evaluated += n->evaluated;
	o->solutions += n->solutions;
}

static void collect(struct published_run *run, struct search_outcome *o)
{
	const struct bounder *b = &run->evaluator.bounder;

	add(o, &run->counts);
	o->workers = run->workers;
	for (int i = 0; i < run->workers; i++) {
		const struct published_worker *w = &run->worker[i];

		add(o, &w->counts);
		o->worker_explored[i] = w->counts.explored;
		o->steals_tried += w->steals_tried;
		o->steals_done += w->steals_done;
		o->nodes_stolen += w->nodes_stolen;
		o->offloads += w->offloads;
		o->memory_peak += w->pool.peak * w->pool.format.bytes;
	}
	o->m = (int64_t)run->worker[0].m;
	o->M = (int64_t)run->worker[0].tuner.present;
	if (run->evaluator.queens)
		return;
	o->best = incumbent_best(&run->shared);
	o->lower_bound = o->best;
	if (!o->complete) {
		int32_t root = fsp_root_bound(&b->tables, b->bound);

		o->lower_bound = root < o->best ? root : o->best;
	}
	if (run->shared.found || run->request->start) {
		o->order = run->shared.order;
		run->shared.order = NULL;
	}
}

static int run_on(struct published_run *run, struct search_outcome *o, struct err *e)
{
	int opened = 0, status = open_workers(run, &opened, e);

	o->seconds_setup = clock_wall() - run->interrupt.begin;
	if (!status) {
		status = search(run, e);
		o->complete = !status;
		o->seconds_search = clock_wall() - run->interrupt.begin - o->seconds_setup;
		collect(run, o);
	}
	while (opened > 0)
		worker_close(&run->worker[--opened]);
	free(run->worker);
	free(run->shared.order);
	return status;
}

int published_search(const struct search_request *r, int locales, struct search_outcome *o,
		     struct err *e)
{
	int there = r->devices ? r->devices->count : 0, gpus = r->gpus > 0 ? r->gpus : there;
	struct published_run run = { .request = r,
				     .interrupt = interrupt_from(r),
				     .workers = gpus };

	memset(o, 0, sizeof(*o));
	if (gpus < 1 || gpus > there || gpus % locales)
		return err_set(e, ERR_DEVICE, "%d GPUs asked for on %d nodes, %d there", gpus,
			       locales, there);
	int status = evaluator_open(&run.evaluator, r, e);

	if (status)
		return status;
	run.budget.limit = memory_limit(r);
	termination_open(&run.termination, locales, gpus / locales);
	status = run_on(&run, o, e);
	evaluator_close(&run.evaluator);
	o->seconds_total = clock_wall() - run.interrupt.begin;
	return status;
}

int pool_search_published(const struct search_request *r, struct search_outcome *o, struct err *e)
{
	return published_search(r, 1, o, e);
}
