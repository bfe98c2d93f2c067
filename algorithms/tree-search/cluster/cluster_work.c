/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/tree-search/cluster/cluster_work.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/checked.h"
#include "kernels/gmys-ivm/factoradic.h"

static bool has_nodes(const struct cluster_open *w)
{
	return w->c.form == CHECKPOINT_NODES;
}

static size_t stride_of(const struct cluster_open *w)
{
	return checkpoint_stride(w->c.form, w->c.key.items);
}

static uint16_t *unit_at(const struct cluster_open *w, uint64_t i)
{
	return w->c.work + i * stride_of(w);
}

/* Nodes that a unit stands for: open children, or the node itself. An interval counts as one. */
static uint64_t nodes_of(const struct cluster_open *w, uint64_t i)
{
	return has_nodes(w) ? (uint64_t)record_nodes(unit_at(w, i)) : 1;
}

static uint64_t amount(void *context, const void *work)
{
	const struct cluster_open *w = work;
	uint64_t sum = w->whole;

	(void)context;
	for (uint64_t i = 0; i < w->c.count; i++)
		sum += nodes_of(w, i);
	return sum;
}

static void free_work(void *context, void *work)
{
	struct cluster_open *w = work;

	(void)context;
	free(w->c.work);
	free(w);
}

/* Work of the kind of `like`, with room for `units` units. */
static struct cluster_open *new_work(const struct cluster_open *like, uint64_t units, struct err *e)
{
	struct cluster_open *w = calloc(1, sizeof(*w));

	if (w) {
		w->c.form = like->c.form;
		w->c.key = like->c.key;
		w->c.work = malloc((units ? units : 1) * stride_of(w) * sizeof(*w->c.work));
	}
	if (w && w->c.work)
		return w;
	free(w);
	err_set(e, ERR_MEMORY, "no memory for %" PRIu64 " units of open work", units);
	return NULL;
}

static void append(struct cluster_open *to, const uint16_t *unit)
{
	memcpy(unit_at(to, to->c.count++), unit, stride_of(to) * sizeof(*unit));
}

/* ---- split ---- */

/* A record lists prefix, open children, other jobs, suffix. Both halves of a divided node keep it,
 * and the open children of one are other jobs of the other. `given`: how many children `part` gets,
 * the first ones; the last are the most promising. */
static void split_node(uint16_t *unit, uint16_t *part, int items, uint16_t given)
{
	uint16_t *open = unit + RECORD_ITEMS + unit[RECORD_PREFIX];
	uint16_t kept = (uint16_t)(unit[RECORD_OPEN] - given), moved[CHECKPOINT_MAX_ITEMS];

	memcpy(part, unit, (size_t)(items + RECORD_ITEMS) * sizeof(*part));
	part[RECORD_OPEN] = given;
	memcpy(moved, open, given * sizeof(*moved));
	memmove(open, open + given, kept * sizeof(*open));
	memcpy(open + kept, moved, given * sizeof(*moved));
	unit[RECORD_OPEN] = kept;
}

/* Cuts an interval; `part` gets the upper share. */
static bool split_interval(uint16_t *unit, uint16_t *part, int items, double fraction)
{
	enum { PARTS = 1024 };
	int kept = (int)((1 - fraction) * PARTS);
	size_t bytes = (size_t)items * sizeof(*unit);
	uint16_t first[CHECKPOINT_MAX_ITEMS], owner_last[CHECKPOINT_MAX_ITEMS];

	kept = kept < 1 ? 1 : kept >= PARTS ? PARTS - 1 : kept;
	if (!ivm_factoradic_split(unit, unit + items, items, kept, PARTS, owner_last, first))
		return false;
	memcpy(part, first, bytes);
	memcpy(part + items, unit + items, bytes);
	memcpy(unit + items, owner_last, bytes);
	return true;
}

/* Divides the only unit. */
static int split_one(struct cluster_open *w, double fraction, struct cluster_open *part)
{
	uint16_t *unit = unit_at(w, 0), *to = unit_at(part, 0);
	int items = w->c.key.items;
	int given = (int)(fraction * (has_nodes(w) ? unit[RECORD_OPEN] : 0) + 0.5);

	if (!has_nodes(w))
		return split_interval(unit, to, items, fraction);
	if (unit[RECORD_OPEN] < 2)
		return 0;
	given = given < 1 ? 1 : given >= unit[RECORD_OPEN] ? unit[RECORD_OPEN] - 1 : given;
	split_node(unit, to, items, (uint16_t)given);
	return 1;
}

/* Gives every unit at which the running sum of `fraction` passes a whole number. */
static void split_many(struct cluster_open *w, double fraction, struct cluster_open *part)
{
	uint64_t kept = 0, count = w->c.count;

	for (uint64_t i = 0; i < count; i++) {
		bool give = (uint64_t)((double)(i + 1) * fraction + 1e-9) >
			    (uint64_t)((double)i * fraction + 1e-9);

		if (i + 1 == count && kept == 0)
			give = false;
		else if (i + 1 == count && part->c.count == 0)
			give = true;
		if (give)
			append(part, unit_at(w, i));
		else
			memmove(unit_at(w, kept++), unit_at(w, i), stride_of(w) * sizeof(uint16_t));
	}
	w->c.count = kept;
}

static int split(void *context, void *work, double fraction, void **out, struct err *e)
{
	struct cluster_open *w = work, *part;

	(void)context;
	*out = NULL;
	if (w->whole)
		return 0;
	part = new_work(w, w->c.count, e);
	if (!part)
		return ERR_MEMORY;
	if (w->c.count > 1)
		split_many(w, fraction, part);
	else
		part->c.count = (uint64_t)split_one(w, fraction, part);
	if (part->c.count)
		*out = part;
	else
		free_work(context, part);
	return 0;
}

/* ---- merge ---- */

static bool same_tree(const struct checkpoint_key *a, const struct checkpoint_key *b)
{
	return a->hash == b->hash && a->first_ub == b->first_ub && strcmp(a->rule, b->rule) == 0;
}

static int merge(void *context, void *into, void *from, struct err *e)
{
	struct cluster_open *to = into, *w = from;
	size_t unit = stride_of(to) * sizeof(uint16_t), bytes;
	uint16_t *work;

	if (to->whole || w->whole || to->c.form != w->c.form || !same_tree(&to->c.key, &w->c.key))
		return err_set(e, ERR_FAILED, "open work of two kinds");
	if (!checked_mul_size((size_t)(to->c.count + w->c.count), unit, &bytes) ||
	    !(work = realloc(to->c.work, bytes)))
		return err_set(e, ERR_MEMORY, "no memory for %" PRIu64 " units of open work",
			       to->c.count + w->c.count);
	to->c.work = work;
	memcpy(unit_at(to, to->c.count), w->c.work, w->c.count * unit);
	to->c.count += w->c.count;
	free_work(context, w);
	return 0;
}

/* ---- messages ---- */

struct head {
	uint64_t count;
	struct checkpoint_key key;
	uint16_t whole, nodes;
};

static int pack(void *context, const void *work, unsigned char **bytes, size_t *size, struct err *e)
{
	const struct cluster_open *w = work;
	struct head head = { w->c.count, w->c.key, w->whole, has_nodes(w) };
	size_t units = w->whole ? 0 : w->c.count * stride_of(w) * sizeof(uint16_t);

	(void)context;
	*size = sizeof(head) + units;
	*bytes = malloc(*size);
	if (!*bytes)
		return err_set(e, ERR_MEMORY, "no memory for a message of %zu bytes", *size);
	memcpy(*bytes, &head, sizeof(head));
	if (units)
		memcpy(*bytes + sizeof(head), w->c.work, units);
	return 0;
}

/* Checks what no message of a correct rank breaks. `units`: the bytes behind the head. */
static bool head_is_valid(const struct head *h, int items, size_t units)
{
	size_t unit = checkpoint_stride(h->nodes ? CHECKPOINT_NODES : CHECKPOINT_INTERVALS, items) *
		      sizeof(uint16_t);

	if (h->key.items != items || h->key.problem[sizeof(h->key.problem) - 1] ||
	    h->key.instance[sizeof(h->key.instance) - 1] || h->key.rule[sizeof(h->key.rule) - 1] ||
	    h->whole > 1 || h->nodes > 1)
		return false;
	return h->whole ? units == 0 && h->count == 0 :
			  h->count > 0 && units % unit == 0 && h->count == units / unit;
}

static int unpack(void *context, const unsigned char *bytes, size_t size, void **out, struct err *e)
{
	int items = *(const int *)context;
	struct cluster_open like = { .c.key.items = items }, *w;
	struct head head;
	bool valid = size >= sizeof(head);

	*out = NULL;
	if (valid)
		memcpy(&head, bytes, sizeof(head));
	if (!valid || !head_is_valid(&head, items, size - sizeof(head)))
		return err_set(e, ERR_INPUT, "malformed open work");
	like.c.form = head.nodes ? CHECKPOINT_NODES : CHECKPOINT_INTERVALS;
	like.c.key = head.key;
	w = new_work(&like, head.count, e);
	if (!w)
		return ERR_MEMORY;
	w->whole = head.whole;
	w->c.count = head.count;
	memcpy(w->c.work, bytes + sizeof(head), size - sizeof(head));
	for (uint64_t i = 0; i < w->c.count && valid; i++)
		valid = checkpoint_check_unit(&w->c.key, w->c.form, unit_at(w, i), NULL) == 0;
	if (!valid) {
		free_work(context, w);
		return err_set(e, ERR_INPUT, "malformed open work");
	}
	*out = w;
	return 0;
}

const struct cluster_work_ops cluster_work_ops = { split, merge, amount, pack, unpack, free_work };

/* ---- between engines and the cluster ---- */

struct cluster_open *cluster_open_whole(const struct checkpoint_key *key)
{
	struct cluster_open *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->whole = true;
	w->c.key = *key;
	return w;
}

int cluster_open_take(struct cluster_open **out, struct checkpoint *c, struct err *e)
{
	*out = NULL;
	if (c->count) {
		*out = calloc(1, sizeof(**out));
		if (!*out) {
			free(c->work);
			c->work = NULL;
			c->count = 0;
			return err_set(e, ERR_MEMORY, "no memory for open work");
		}
		(*out)->c = (struct checkpoint){
			.key = c->key, .form = c->form, .count = c->count, .work = c->work
		};
		c->work = NULL;
		c->count = 0;
	}
	return 0;
}
