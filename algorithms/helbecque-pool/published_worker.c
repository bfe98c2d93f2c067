/* A host thread of section 3.1: while its pool holds m nodes, it offloads min(size, M) of them from
 * the back and pushes the children that survive; two chunks are under way. (Figure 4's text says
 * max(Q, M); min is meant and is what the authors' code does.) */
#include "algorithms/helbecque-pool/published_run.h"

enum { BRANCH_AT_ONCE = 1024 }; /* parents: the pool's lock is held for some microseconds only */

int published_check(struct published_run *run, struct err *e)
{
	if (interrupt_due(&run->interrupt))
		return interrupt_status(&run->interrupt, e);
	return atomic_load(&run->failed) ? err_set(e, ERR_LIMIT, "another worker failed") : 0;
}

/* A node without children that enter the pool: a complete board, or one whose only child is a
 * complete schedule. */
static void end_of_path(struct published_run *run, struct published_counts *n,
			struct incumbent *best, const unsigned char *node, uint32_t *mask)
{
	const struct evaluator *v = &run->evaluator;
	int32_t front[FLOWSHOP_MAX_MACHINES], makespan;

	if (v->queens) {
		n->solutions++;
		n->decomposed--; /* counted by the caller: it has nothing to decompose */
		return;
	}
	for (int w = 0; w < v->format.words; w++) {
		if (!mask[w])
			continue;
		makespan = evaluator_makespan(v, node, front);
		n->leaves += incumbent_offer(best, &v->format, node, makespan);
		mask[w] = 0;
	}
}

int published_branch(struct published_run *run, struct published_counts *n, struct incumbent *best,
		     struct node_pool *pool, const unsigned char *parents, uint32_t *masks,
		     size_t count, struct err *e)
{
	const struct node_format *f = &run->evaluator.format;
	uint64_t depths = 0;

	for (size_t i = 0; i < count; i++) {
		int depth = node_depth(parents + i * f->bytes);

		depths += (uint64_t)depth;
		if (depth >= f->last)
			end_of_path(run, n, best, parents + i * f->bytes,
				    masks + i * (size_t)f->words);
	}
	n->decomposed += count;
	n->evaluated += count * (uint64_t)f->n - depths;
	n->explored += node_children(f, masks, count);
	return node_pool_branch(pool, parents, masks, count, e);
}

static int start(struct published_worker *w, struct offload_chunk *c)
{
	size_t size = node_pool_size(&w->pool), M = w->tuner.M;
	int status = 0;

	if (size < w->m)
		return 0;
	status = offload_reserve(&w->offload, c, size < M ? size : M, &w->error);
	if (status)
		return status;
	size_t count =
		node_pool_pop_back(&w->pool, w->m, M < c->capacity ? M : c->capacity, c->nodes);

	if (!count)
		return 0;
	w->offloads++;
	return offload_start(&w->offload, c, count, incumbent_best(w->incumbent), &w->error);
}

static int finish(struct published_worker *w, struct offload_chunk *c)
{
	const struct node_format *f = &w->run->evaluator.format;
	uint64_t before = w->counts.explored;
	int status = offload_wait(c, &w->error);

	for (size_t i = 0; i < c->count && !status; i += BRANCH_AT_ONCE) {
		size_t left = c->count - i, some = left < BRANCH_AT_ONCE ? left : BRANCH_AT_ONCE;

		status = published_branch(w->run, &w->counts, w->incumbent, &w->pool,
					  c->nodes + i * f->bytes, c->masks + i * (size_t)f->words,
					  some, &w->error);
		w->returned += some;
	}
	tuner_chunk(&w->tuner, c->count, c->count + w->counts.explored - before, clock_wall());
	c->count = 0;
	return status;
}

int published_work(struct published_worker *w)
{
	struct offload_chunk *c = w->offload.chunk;
	int status = 0;

	for (int turn = 0; !status; turn = (turn + 1) % OFFLOAD_CHUNKS) {
		status = published_check(w->run, &w->error);
		if (!status && c[turn].count)
			status = finish(w, &c[turn]);
		if (!status)
			status = start(w, &c[turn]);
		if (!status && !c[0].count && !c[1].count && !published_acquire(w, &status))
			break;
	}
	return status;
}
