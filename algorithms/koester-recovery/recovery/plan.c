/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Makes recovery plans.
 *
 * Plans are made from the highest layer down. Every slot requests one node at a time: first its
 * target, then, if it is the slot that makes the node, the node's parent. In plans with `shared`,
 * the first of several slots that request the same node makes it. The others are idle and receive a
 * copy as soon as it is made, before anything is made from it, so copies overwrite nothing.
 *
 * A node of a jump layer that is not kept stands for the node that it was copied from. */
#include "algorithms/koester-recovery/recovery/plan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Sizes of blocks, in words. Large blocks are reused by the allocator for the next plan. Fresh
 * pages would cost more than making the plan. */
enum { CHUNK_LEAST = 1 << 12, CHUNK_MOST = 7 << 20 };
#define NONE UINT32_MAX

/* The arrays of a plan are in a chain of blocks. */
struct chunk {
	struct chunk *next;
	size_t used, words;
	uint32_t word[];
};

/* A linked list of the slots that request nodes of one layer. */
struct askers {
	uint32_t head, tail, number; /* head: NONE if the list is empty */
};

/* Records which slot makes a node of the current layer. */
struct mark {
	uint32_t layer, slot; /* layer: `layer` is the layer number + 1; 0: no slot */
};

enum { UNKNOWN, KEPT, NOT_KEPT };

struct maker {
	const struct track_history *h;
	struct track_plan *plan;
	bool shared;
	bool (*kept)(const void *context, uint32_t layer);
	const void *context;
	uint32_t top;           /* highest layer of a target */
	struct askers *layer;   /* [top + 1] */
	unsigned char *is_kept; /* [top + 1] KEPT, NOT_KEPT, or UNKNOWN if not asked yet */
	struct mark *mark;      /* [slots of the largest layer]; shared */
	uint32_t *at, *next; /* [targets] slot of the requested node; the next slot in the list */
	uint32_t loads_allocated, rounds_allocated;
	size_t chunk_words;
};

static bool is_kept(struct maker *m, uint32_t layer)
{
	if (layer == 0)
		return true;
	if (m->is_kept[layer] == UNKNOWN)
		m->is_kept[layer] = m->kept && m->kept(m->context, layer) ? KEPT : NOT_KEPT;
	return m->is_kept[layer] == KEPT;
}

/* True if nodes of this layer are copies of nodes of earlier layers, which are rebuilt instead. */
static bool passed_on(struct maker *m, uint32_t layer)
{
	return layer > 0 && m->h->layer[layer].jump && !is_kept(m, layer);
}

static void ask(struct maker *m, uint32_t slot, struct track_node n)
{
	struct askers *a;

	while (passed_on(m, n.layer))
		n = track_history_parent(m->h, n);
	a = &m->layer[n.layer];
	m->at[slot] = n.slot;
	m->next[slot] = NONE;
	if (a->head == NONE)
		a->head = slot;
	else
		m->next[a->tail] = slot;
	a->tail = slot;
	a->number++;
}

/* ---- the plan's memory ---- */

static int no_memory(const struct maker *m, struct err *e)
{
	return err_set(e, ERR_MEMORY, "no memory for a plan to recover %" PRIu32 " states",
		       m->plan->targets);
}

/* NULL: no memory. */
static uint32_t *take_words(struct maker *m, size_t words)
{
	struct track_plan *p = m->plan;
	struct chunk *c = p->block;

	if (!c || c->words - c->used < words) {
		size_t size = words < m->chunk_words ? m->chunk_words : words;

		c = malloc(sizeof(*c) + size * sizeof(uint32_t));
		if (!c)
			return NULL;
		*c = (struct chunk){ p->block, 0, size };
		p->block = c;
	}
	c->used += words;
	return c->word + c->used - words;
}

static int grow(void **array, uint32_t *allocated, uint32_t used, size_t size)
{
	uint32_t more = *allocated ? 2 * *allocated : 32;
	void *a;

	if (used < *allocated)
		return 0;
	a = realloc(*array, more * size);
	if (!a)
		return -1;
	*array = a;
	*allocated = more;
	return 0;
}

static struct track_plan_round *new_round(struct maker *m, uint32_t layer)
{
	struct track_plan *p = m->plan;

	if (grow((void **)&p->round, &m->rounds_allocated, p->rounds, sizeof(*p->round)))
		return NULL;
	p->round[p->rounds] = (struct track_plan_round){ .layer = layer };
	return &p->round[p->rounds++];
}

static struct track_plan_load *new_load(struct maker *m, uint32_t layer)
{
	struct track_plan *p = m->plan;

	if (grow((void **)&p->load, &m->loads_allocated, p->loads, sizeof(*p->load)))
		return NULL;
	p->load[p->loads] = (struct track_plan_load){ .layer = layer };
	return &p->load[p->loads++];
}

/* ---- one layer ---- */

/* Splits the list of requests. Slots that make a node stay in it; each other slot becomes a copy
 * from the slot that makes its node. */
static void split(struct maker *m, uint32_t layer, struct track_plan_round *r)
{
	struct askers *a = &m->layer[layer];
	struct askers makers = { NONE, NONE, 0 };

	for (uint32_t slot = a->head; slot != NONE; slot = m->next[slot]) {
		struct mark *k = &m->mark[m->at[slot]];

		if (k->layer == layer + 1) {
			r->copy_from[r->copies] = k->slot;
			r->copy_to[r->copies++] = slot;
			continue;
		}
		*k = (struct mark){ layer + 1, slot };
		if (makers.head == NONE)
			makers.head = slot;
		else
			m->next[makers.tail] = slot;
		makers.tail = slot;
		makers.number++;
	}
	m->next[makers.tail] = NONE;
	*a = makers;
}

/* Makes the round of a layer, with its copies if states are shared. Returns NULL if there is no
 * memory. */
static struct track_plan_round *open_round(struct maker *m, uint32_t layer)
{
	struct track_plan_round *r = new_round(m, layer);
	uint32_t number = m->layer[layer].number;

	if (!r || !m->shared)
		return r;
	r->copy_from = take_words(m, 2 * (size_t)number);
	if (!r->copy_from)
		return NULL;
	r->copy_to = r->copy_from + number;
	split(m, layer, r);
	memmove(r->copy_from + r->copies, r->copy_to, r->copies * sizeof(*r->copy_to));
	r->copy_to = r->copy_from + r->copies;
	((struct chunk *)m->plan->block)->used -= 2 * (size_t)(number - r->copies);
	return r;
}

/* Loads a layer. If targets share nodes, adds a round of copies without a step. */
static int load_layer(struct maker *m, uint32_t layer, struct err *e)
{
	struct track_plan_load *l;

	if (m->shared) {
		struct track_plan_round *r = open_round(m, layer);

		if (!r)
			return no_memory(m, e);
		if (r->copies == 0)
			m->plan->rounds--;
	}
	l = new_load(m, layer);
	if (!l || !(l->from_slot = take_words(m, 2 * (size_t)m->layer[layer].number)))
		return no_memory(m, e);
	l->to_slot = l->from_slot + m->layer[layer].number;
	for (uint32_t slot = m->layer[layer].head; slot != NONE; slot = m->next[slot]) {
		l->from_slot[l->count] = m->at[slot];
		l->to_slot[l->count++] = slot;
	}
	return 0;
}

/* Moves the whole list to the layer below, which contains all parents. */
static void ask_below(struct maker *m, uint32_t layer, const uint32_t *slot, const uint32_t *source)
{
	struct askers *a = &m->layer[layer], *below = &m->layer[layer - 1];

	for (uint32_t i = 0; i < a->number; i++)
		m->at[slot[i]] = source[i];
	if (below->head == NONE)
		below->head = a->head;
	else
		m->next[below->tail] = a->head;
	below->tail = a->tail;
	below->number += a->number;
}

static void ask_parents(struct maker *m, uint32_t layer, const struct track_plan_round *r)
{
	if (!passed_on(m, layer - 1)) {
		ask_below(m, layer, r->slot, r->source);
		return;
	}
	for (uint32_t i = 0; i < r->count; i++)
		ask(m, r->slot[i], (struct track_node){ layer - 1, r->source[i] });
}

static void read_entries(const struct maker *m, uint32_t layer, struct track_plan_round *r)
{
	const struct track_entry *narrow = m->h->layer[layer].entries;
	const struct track_wide_entry *wide = m->h->layer[layer].entries;
	uint32_t i = 0;

	for (uint32_t slot = m->layer[layer].head; slot != NONE; slot = m->next[slot], i++) {
		r->slot[i] = slot;
		if (m->h->wide) {
			r->source[i] = wide[m->at[slot]].source;
			r->successor[i] = wide[m->at[slot]].successor;
		} else {
			r->source[i] = narrow[m->at[slot]].source;
			r->successor[i] = narrow[m->at[slot]].successor;
		}
	}
	r->count = i;
}

static int step_layer(struct maker *m, uint32_t layer, struct err *e)
{
	struct track_plan_round *r = open_round(m, layer);
	uint32_t number = m->layer[layer].number;

	if (!r || !(r->slot = take_words(m, 3 * (size_t)number)))
		return no_memory(m, e);
	r->source = r->slot + number;
	r->successor = r->source + number;
	read_entries(m, layer, r);
	m->plan->steps += r->count;
	ask_parents(m, layer, r);
	return 0;
}

/* ---- the whole ---- */

static int check_targets(const struct track_history *h, const struct track_node *targets,
			 uint32_t count, uint32_t *top, struct err *e)
{
	*top = 0;
	for (uint32_t i = 0; i < count; i++) {
		if (targets[i].layer > h->layers ||
		    targets[i].slot >= track_history_count(h, targets[i].layer))
			return err_set(e, ERR_FAILED,
				       "cannot recover state %" PRIu32 " of layer "
				       "%" PRIu32,
				       targets[i].slot, targets[i].layer);
		if (*top < targets[i].layer)
			*top = targets[i].layer;
	}
	return 0;
}

static int open_maker(struct maker *m, struct err *e)
{
	size_t layers = (size_t)m->top + 1, slots = 0;
	double words = (m->shared ? 5.0 : 3.0) * m->plan->targets * (double)layers;

	m->chunk_words = words < CHUNK_LEAST ? CHUNK_LEAST :
			 words > CHUNK_MOST  ? CHUNK_MOST :
					       (size_t)words;

	for (uint32_t l = 0; l <= m->top; l++)
		if (slots < track_history_count(m->h, l))
			slots = track_history_count(m->h, l);
	m->layer = malloc(layers * sizeof(*m->layer));
	m->is_kept = calloc(layers, 1);
	m->at = malloc(m->plan->targets * sizeof(*m->at));
	m->next = malloc(m->plan->targets * sizeof(*m->next));
	if (m->shared)
		m->mark = calloc(slots, sizeof(*m->mark));
	if (!m->layer || !m->is_kept || !m->at || !m->next || (m->shared && !m->mark))
		return no_memory(m, e);
	for (size_t l = 0; l < layers; l++)
		m->layer[l] = (struct askers){ NONE, NONE, 0 };
	return 0;
}

static void close_maker(struct maker *m)
{
	free(m->layer);
	free(m->is_kept);
	free(m->at);
	free(m->next);
	free(m->mark);
}

/* Reverses the order of loads and rounds. */
static void reverse(struct track_plan *p)
{
	for (uint32_t i = 0, k = p->loads; i + 1 < k; i++) {
		struct track_plan_load l = p->load[i];

		p->load[i] = p->load[--k];
		p->load[k] = l;
	}
	for (uint32_t i = 0, k = p->rounds; i + 1 < k; i++) {
		struct track_plan_round r = p->round[i];

		p->round[i] = p->round[--k];
		p->round[k] = r;
	}
}

int track_plan_make(struct track_plan *plan, const struct track_history *h,
		    const struct track_node *targets, uint32_t count, bool shared,
		    bool (*kept)(const void *context, uint32_t layer), const void *context,
		    struct err *e)
{
	struct maker m = {
		.h = h, .plan = plan, .shared = shared, .kept = kept, .context = context
	};
	int status;

	*plan = (struct track_plan){ .targets = count };
	if ((status = check_targets(h, targets, count, &m.top, e)) || count == 0)
		return status;
	status = open_maker(&m, e);
	for (uint32_t i = 0; !status && i < count; i++)
		ask(&m, i, targets[i]);
	for (uint32_t l = m.top + 1; !status && l-- > 0;)
		if (m.layer[l].head != NONE)
			status = is_kept(&m, l) ? load_layer(&m, l, e) : step_layer(&m, l, e);
	close_maker(&m);
	if (status)
		track_plan_free(plan);
	else
		reverse(plan);
	return status;
}

void track_plan_free(struct track_plan *plan)
{
	struct chunk *c = plan->block;

	while (c) {
		struct chunk *next = c->next;

		free(c);
		c = next;
	}
	free(plan->load);
	free(plan->round);
	*plan = (struct track_plan){ 0 };
}
