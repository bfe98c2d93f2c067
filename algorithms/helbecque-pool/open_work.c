/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/helbecque-pool/open_work.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- records ---- */

static size_t record_bytes(const struct pool_open *l)
{
	return checkpoint_stride(CHECKPOINT_NODES, l->items) * sizeof(*l->work);
}

static bool reserve(struct pool_open *l, uint64_t count)
{
	uint64_t room = 2 * l->room > count ? 2 * l->room : count;
	uint16_t *more;

	if (count <= l->room)
		return true;
	more = realloc(l->work, (size_t)room * record_bytes(l));
	if (!more)
		return false;
	l->work = more;
	l->room = room;
	return true;
}

uint16_t *pool_open_add(struct pool_open *l)
{
	uint16_t *record;

	if (!reserve(l, l->count + 1))
		return NULL;
	record = pool_open_at(l, l->count++);
	memset(record, 0, record_bytes(l));
	return record;
}

bool pool_open_append(struct pool_open *l, const struct pool_open *from, uint64_t first)
{
	uint64_t more = from->count - first;

	if (!more)
		return true;
	if (!reserve(l, l->count + more))
		return false;
	memcpy(pool_open_at(l, l->count), pool_open_at(from, first), more * record_bytes(l));
	l->count += more;
	return true;
}

uint64_t pool_open_nodes(const struct pool_open *l, uint64_t first)
{
	uint64_t nodes = 0;

	for (uint64_t i = first; i < l->count; i++)
		nodes += (uint64_t)record_nodes(pool_open_at(l, i));
	return nodes;
}

void pool_open_free(struct pool_open *l)
{
	free(l->work);
	*l = (struct pool_open){ .items = l->items };
}

/* ---- nodes of the published algorithm ---- */

static bool are_siblings(const struct pool_node_format *f, const unsigned char *a,
			 const unsigned char *b)
{
	int depth = pool_node_depth(a);

	return depth > 0 && pool_node_depth(b) == depth &&
	       memcmp(a + f->ids, b + f->ids, (size_t)(depth - 1) * (size_t)f->id_bytes) == 0;
}

/* Writes the record of `count` siblings, or of the root. */
static void put_siblings(const struct pool_node_format *f, const unsigned char *nodes, size_t count,
			 uint16_t *record)
{
	int depth = pool_node_depth(nodes), prefix = depth ? depth - 1 : 0, at = prefix;
	bool open[FLOWSHOP_MAX_JOBS] = { false };

	record[RECORD_PREFIX] = (uint16_t)prefix;
	record[RECORD_OPEN] = depth ? (uint16_t)count : 0;
	record += RECORD_ITEMS;
	for (int i = 0; i < prefix; i++)
		record[i] = (uint16_t)pool_node_id(f, nodes, i);
	for (size_t i = 0; depth && i < count; i++) {
		int child = pool_node_id(f, nodes + i * f->bytes, prefix);

		open[child] = true;
		record[at++] = (uint16_t)child;
	}
	for (int i = prefix; i < f->n; i++) {
		int id = pool_node_id(f, nodes, i);

		if (!open[id])
			record[at++] = (uint16_t)id;
	}
}

bool pool_open_add_nodes(struct pool_open *l, const struct pool_node_format *f,
			 const unsigned char *nodes, size_t count)
{
	for (size_t first = 0, end; first < count; first = end) {
		const unsigned char *node = nodes + first * f->bytes;
		uint16_t *record = pool_open_add(l);

		if (!record)
			return false;
		end = first + 1;
		while (end < count && are_siblings(f, node, nodes + end * f->bytes))
			end++;
		put_siblings(f, node, end - first, record);
	}
	return true;
}

static void put_id(const struct pool_node_format *f, unsigned char *node, int place, uint16_t id)
{
	if (f->id_bytes == 1)
		node[f->ids + place] = (unsigned char)id;
	else
		memcpy(node + f->ids + f->id_bytes * place, &id, sizeof(id));
}

void pool_open_node(const struct pool_node_format *f, const uint16_t *record, int i,
		    unsigned char *node)
{
	int prefix = record[RECORD_PREFIX], child = record[RECORD_OPEN] ? prefix + i : prefix;
	uint16_t depth = (uint16_t)(prefix + (record[RECORD_OPEN] > 0));

	memset(node, 0, f->bytes);
	memcpy(node, &depth, sizeof(depth));
	for (int k = 0; k < f->n; k++)
		put_id(f, node, k, record[RECORD_ITEMS + k]);
	put_id(f, node, prefix, record[RECORD_ITEMS + child]);
	if (child != prefix)
		put_id(f, node, child, record[RECORD_ITEMS + prefix]);
}

/* ---- a search and its plan ---- */

int pool_saver_open(struct pool_saver *s, const struct search_request *r, const char *rule,
		    struct err *e)
{
	int status;

	*s = (struct pool_saver){ .request = r, .begin = clock_wall() };
	checkpoint_key_of(r, r->flowshop ? r->ub : 0, &s->key);
	if (rule)
		snprintf(s->key.rule, sizeof(s->key.rule), "%s", rule);
	status = checkpoint_past_open_as(&s->past, r, &s->key, CHECKPOINT_NODES, e);
	if (!status && s->past.state.key.first_ub)
		s->key.first_ub = s->past.state.key.first_ub;
	if (!status && r->checkpoint && r->checkpoint->write)
		s->next = s->begin + checkpoint_period(r->checkpoint);
	return status;
}

void pool_saver_close(struct pool_saver *s)
{
	checkpoint_past_close(&s->past);
}

void pool_saver_start_from(const struct pool_saver *s, struct search_request *r)
{
	if (!s->past.resumed || r->ub < s->past.state.best)
		return;
	r->ub = s->past.state.best;
	r->start = s->past.state.order;
}

int pool_saver_source(const struct pool_saver *s, struct pool_open *to, struct err *e)
{
	const struct pool_open past = { .items = s->key.items,
					.count = s->past.state.count,
					.work = s->past.state.work };
	uint16_t *root;

	*to = (struct pool_open){ .items = s->key.items };
	if (s->past.resumed && pool_open_append(to, &past, 0))
		return 0;
	root = s->past.resumed ? NULL : pool_open_add(to);
	if (!root)
		return err_set(e, ERR_MEMORY, "no memory for %" PRIu64 " open nodes", past.count);
	for (int i = 0; i < to->items; i++)
		root[RECORD_ITEMS + i] = (uint16_t)i;
	return 0;
}

/* Whether explored and evaluated nodes of earlier runs are unknown. */
static bool is_partial(const struct checkpoint *past)
{
	return past->decomposed && !past->explored;
}

/* The state, without its open nodes. */
static int make_state(const struct pool_saver *s, const struct search_outcome *run,
		      const int64_t *order, struct checkpoint *c, struct err *e)
{
	const struct checkpoint *past = &s->past.state;
	size_t bytes = (size_t)s->key.items * sizeof(*order);

	*c = (struct checkpoint){ .key = s->key,
				  .form = CHECKPOINT_NODES,
				  .best = s->request->flowshop ? run->best : 0,
				  .solutions = past->solutions + run->solutions,
				  .explored = past->explored + run->explored,
				  .decomposed = past->decomposed + run->decomposed,
				  .leaves = past->leaves + run->leaves,
				  .evaluated = past->evaluated + run->evaluated,
				  .seconds = past->seconds + clock_wall() - s->begin };
	if (is_partial(past))
		c->explored = c->evaluated = 0;
	c->order = order ? malloc(bytes) : NULL;
	if (order && !c->order)
		return err_set(e, ERR_MEMORY, "no memory for an order of %d jobs", s->key.items);
	if (order)
		memcpy(c->order, order, bytes);
	return 0;
}

int pool_saver_write(struct pool_saver *s, const struct search_outcome *run, const int64_t *order,
		     const struct pool_open *open, struct err *e)
{
	static const double most_writing = 0.02;
	const struct checkpoint_plan *plan = s->request->checkpoint;
	double begin = clock_wall(), period;
	struct checkpoint c;
	int status = make_state(s, run, order, &c, e);

	if (!status) {
		c.work = open->work;
		c.count = open->count;
		status = checkpoint_store(&c, s->request, e);
		c.work = NULL;
	}
	checkpoint_free(&c);
	period = (clock_wall() - begin) / most_writing;
	if (period < checkpoint_period(plan))
		period = checkpoint_period(plan);
	s->next = clock_wall() + period;
	return status;
}

int pool_saver_end(struct pool_saver *s, const struct search_outcome *run, const int64_t *order,
		   struct pool_open *open, struct err *e)
{
	struct checkpoint c;
	int status = make_state(s, run, order, &c, e);

	if (status)
		return status;
	c.work = open->work;
	c.count = open->count;
	*open = (struct pool_open){ .items = open->items };
	return checkpoint_end(&c, s->request, e);
}

void pool_saver_add_past(const struct pool_saver *s, struct search_outcome *o)
{
	const struct checkpoint *past = &s->past.state;

	o->solutions += past->solutions;
	o->explored += past->explored;
	o->decomposed += past->decomposed;
	o->leaves += past->leaves;
	o->evaluated += past->evaluated;
	if (is_partial(past))
		o->explored = o->evaluated = 0;
}
