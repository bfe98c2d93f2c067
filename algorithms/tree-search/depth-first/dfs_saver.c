/* Writes the state of a deep search, beside it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/clock.h"
#include "algorithms/tree-search/depth-first/dfs_device.h"

/* A copy of the stacks, while which devices stand still, takes this part of the time at most. */
static const double MOST_COPYING = 0.02;

static void free_parts(struct dfs_saver *s)
{
	for (int i = 0; i < s->parts; i++)
		dfs_part_free(&s->part[i]);
}

/* Counts, and the best schedule of any. */
static int add_found(struct checkpoint *c, const struct dfs_findings *f, struct err *e)
{
	int n = c->key.items;

	c->explored += f->tally.explored;
	c->decomposed += f->tally.decomposed;
	c->leaves += f->tally.leaves;
	c->evaluated += f->tally.evaluated;
	if (f->best >= c->best || !f->order)
		return 0;
	c->best = f->best;
	if (!c->order)
		c->order = malloc((size_t)n * sizeof(*c->order));
	if (!c->order)
		return err_set(e, ERR_MEMORY, "no memory for an order of %d jobs", n);
	for (int i = 0; i < n; i++)
		c->order[i] = f->order[i];
	return 0;
}

static int copy_order(struct checkpoint *c, const int64_t *order, struct err *e)
{
	size_t bytes = (size_t)c->key.items * sizeof(*order);

	c->order = order ? malloc(bytes) : NULL;
	if (order && !c->order)
		return err_set(e, ERR_MEMORY, "no memory for an order of %d jobs", c->key.items);
	if (order)
		memcpy(c->order, order, bytes);
	return 0;
}

static int gather(const struct dfs_saver *s, struct checkpoint *c, struct err *e)
{
	size_t stride = checkpoint_stride(CHECKPOINT_NODES, c->key.items);
	int status = copy_order(c, s->base.order, e);

	c->form = CHECKPOINT_NODES;
	c->seconds += clock_wall() - s->begin;
	c->count = dfs_reserve_records(&s->reserve, s->job, NULL);
	for (int i = 0; !status && i < s->parts; i++) {
		c->count += dfs_part_records(s->job, &s->part[i], NULL);
		status = add_found(c, &s->part[i].found, e);
	}
	if (status)
		return status;
	if (dfs_counts_in_part(&s->base))
		c->explored = c->evaluated = 0;
	c->work = malloc((size_t)c->count * stride * sizeof(*c->work) + 1);
	if (!c->work)
		return err_set(e, ERR_MEMORY, "no memory for a checkpoint of %llu nodes",
			       (unsigned long long)c->count);
	c->count = dfs_reserve_records(&s->reserve, s->job, c->work);
	for (int i = 0; i < s->parts; i++)
		c->count += dfs_part_records(s->job, &s->part[i], c->work + c->count * stride);
	return 0;
}

int dfs_saver_write(struct dfs_saver *s, struct err *e)
{
	struct checkpoint c = s->base;
	int status;

	c.order = NULL;
	status = gather(s, &c, e);
	free_parts(s);
	if (!status)
		status = checkpoint_write(&c, s->path, e);
	checkpoint_free(&c);
	return status;
}

static void *write_aside(void *argument)
{
	struct dfs_saver *s = argument;

	s->status = dfs_saver_write(s, &s->error);
	__atomic_store_n(&s->written, true, __ATOMIC_RELEASE);
	return NULL;
}

bool dfs_saver_due(struct dfs_saver *s)
{
	return s->path && clock_wall() >= s->next &&
	       (!s->writing || __atomic_load_n(&s->written, __ATOMIC_ACQUIRE));
}

int dfs_saver_start(struct dfs_saver *s, struct err *e)
{
	double copying = 0;

	for (int i = 0; i < s->parts; i++)
		copying = fmax(copying, s->part[i].seconds);
	s->next = clock_wall() + fmax(s->period, copying / MOST_COPYING);
	s->written = false;
	if (pthread_create(&s->writer, NULL, write_aside, s))
		return err_set(e, ERR_FAILED, "cannot start a thread for a checkpoint");
	s->writing = true;
	return 0;
}

int dfs_saver_finish(struct dfs_saver *s, struct err *e)
{
	if (s->writing)
		pthread_join(s->writer, NULL);
	else
		free_parts(s);
	s->writing = false;
	if (s->status && e)
		*e = s->error;
	return s->status;
}
