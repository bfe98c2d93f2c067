/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/koester-recovery/recovery/history.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "harness/base/checked.h"

enum { NARROW_MOST = UINT16_MAX, FIRST_LAYERS = 64 };
/* The largest 32-bit numbers are reserved: a successor for TRACK_NO_STEP, a layer for "none". */
static const uint32_t wide_most = UINT32_MAX - 1, layers_most = UINT32_MAX - 1;

static size_t entry_bytes(const struct track_history *h)
{
	return h->wide ? sizeof(struct track_wide_entry) : sizeof(struct track_entry);
}

static size_t layer_bytes(const struct track_history *h, const struct track_history_layer *l)
{
	return l->count * (entry_bytes(h) + (l->jump ? sizeof(*l->from) : 0));
}

/* Adds `more` bytes to the total; ERR_MEMORY above the limit. */
static int count_bytes(struct track_history *h, size_t more, struct err *e)
{
	uint64_t bytes;

	if (!checked_add_u64(h->bytes, more, &bytes) || (h->limit && bytes > h->limit))
		return err_set(e, ERR_MEMORY,
			       "the history holds %" PRIu64 " bytes in %" PRIu32
			       " layers; %zu more exceed its limit of %" PRIu64,
			       h->bytes, h->layers, more, h->limit);
	h->bytes = bytes;
	return 0;
}

/* Makes room for one more layer. */
static int grow(struct track_history *h, struct err *e)
{
	uint32_t allocated = h->allocated < layers_most / 2 ? 2 * h->allocated : UINT32_MAX;
	struct track_history_layer *layer;
	size_t more;
	int status;

	if (h->layers >= layers_most)
		return err_set(e, ERR_FAILED, "the history has %" PRIu32 " layers, the maximum",
			       h->layers);
	if (h->layers + 1 < h->allocated)
		return 0;
	more = (size_t)(allocated - h->allocated) * sizeof(*layer);
	if ((status = count_bytes(h, more, e)))
		return status;
	layer = realloc(h->layer, (size_t)allocated * sizeof(*layer));
	if (!layer) {
		h->bytes -= more;
		return err_set(e, ERR_MEMORY, "no memory for %" PRIu32 " layers of history",
			       allocated);
	}
	h->layer = layer;
	h->allocated = allocated;
	return 0;
}

int track_history_create(struct track_history **out, uint32_t inputs, bool wide, uint64_t limit,
			 struct err *e)
{
	struct track_history *h = calloc(1, sizeof(*h));
	int status = 0;

	*out = NULL;
	if (!h || !(h->layer = calloc(FIRST_LAYERS, sizeof(*h->layer))))
		status = err_set(e, ERR_MEMORY, "no memory for a history");
	if (!status) {
		h->wide = wide;
		h->inputs = inputs;
		h->allocated = FIRST_LAYERS;
		h->limit = limit;
		status = count_bytes(h, FIRST_LAYERS * sizeof(*h->layer), e);
	}
	if (status) {
		track_history_destroy(h);
		return status;
	}
	*out = h;
	return 0;
}

void track_history_destroy(struct track_history *h)
{
	if (!h)
		return;
	track_history_cut(h, 0);
	free(h->prepared);
	free(h->layer);
	free(h);
}

enum { HUGE_PAGE = 1 << 21 };

/* Memory for the entries of a layer, to be freed with free(). Every layer is new memory: with pages
 * of 4 KiB, the first access to each would take longer than filling it. NULL if there is none. */
static void *allocate_entries(size_t bytes)
{
	void *entries;

	if (bytes < HUGE_PAGE)
		return malloc(bytes);
	if (posix_memalign(&entries, HUGE_PAGE, bytes))
		return NULL;
	/* not its last part, of which a huge page would take more than it needs; may fail */
	madvise(entries, bytes - bytes % HUGE_PAGE, MADV_HUGEPAGE);
	return entries;
}

void *track_history_prepare(struct track_history *h, uint32_t count, size_t *bytes)
{
	*bytes = (size_t)count * entry_bytes(h);
	if (h->limit && *bytes > h->limit - h->bytes)
		return NULL;
	free(h->prepared);
	h->prepared = allocate_entries(*bytes);
	h->prepared_count = count;
	return h->prepared;
}

static void *take_prepared(struct track_history *h, uint32_t count)
{
	void *entries = h->prepared;

	if (!entries || h->prepared_count != count)
		return allocate_entries((size_t)count * entry_bytes(h));
	h->prepared = NULL;
	return entries;
}

static int add_layer(struct track_history *h, uint32_t count, bool jump, struct err *e)
{
	struct track_history_layer l = { .count = count, .jump = jump };
	size_t bytes = layer_bytes(h, &l);
	int status;

	if (count == 0)
		return err_set(e, ERR_FAILED, "layer %" PRIu32 " would have no states",
			       h->layers + 1);
	if ((status = grow(h, e)) || (status = count_bytes(h, bytes, e)))
		return status;
	l.entries = take_prepared(h, count);
	if (jump)
		l.from = malloc((size_t)count * sizeof(*l.from));
	if (!l.entries || (jump && !l.from)) {
		free(l.entries);
		free(l.from);
		h->bytes -= bytes;
		return err_set(e, ERR_MEMORY, "no memory for %zu bytes of history", bytes);
	}
	h->layer[++h->layers] = l;
	return 0;
}

static void put(struct track_history *h, struct track_node n, uint32_t source, uint32_t successor,
		uint32_t rating)
{
	struct track_history_layer *l = &h->layer[n.layer];

	if (h->wide)
		((struct track_wide_entry *)l->entries)[n.slot] =
			(struct track_wide_entry){ source, successor, rating };
	else
		((struct track_entry *)l->entries)[n.slot] =
			(struct track_entry){ (uint16_t)source, (uint16_t)successor, rating };
}

static int check_step(const struct track_history *h, uint32_t layer, uint32_t slot, uint32_t source,
		      uint32_t successor, struct err *e)
{
	if (source >= track_history_count(h, layer - 1))
		return err_set(e, ERR_FAILED,
			       "history: state %" PRIu32 " of layer %" PRIu32 " comes from state "
			       "%" PRIu32 ", but layer %" PRIu32 " has %" PRIu32,
			       slot, layer, source, layer - 1, track_history_count(h, layer - 1));
	if (h->wide ? successor > wide_most : (source > NARROW_MOST || successor > NARROW_MOST))
		return err_set(e, ERR_FAILED,
			       "history: source %" PRIu32 ", successor %" PRIu32 " of state "
			       "%" PRIu32 " in layer %" PRIu32 " do not fit%s",
			       source, successor, slot, layer,
			       h->wide ? "" : " in 16 bits: the wide history is needed");
	return 0;
}

int track_history_add(struct track_history *h, uint32_t count, const uint32_t *source,
		      const uint32_t *successor, const uint32_t *rating, struct err *e)
{
	uint32_t layer = h->layers + 1;
	int status;

	for (uint32_t i = 0; i < count; i++)
		if ((status = check_step(h, layer, i, source[i], successor[i], e)))
			return status;
	if ((status = add_layer(h, count, false, e)))
		return status;
	for (uint32_t i = 0; i < count; i++)
		put(h, (struct track_node){ layer, i }, source[i], successor[i], rating[i]);
	return 0;
}

static int check_jump(const struct track_history *h, uint32_t slot, struct track_node from,
		      struct err *e)
{
	if (from.layer > h->layers || from.slot >= track_history_count(h, from.layer))
		return err_set(e, ERR_FAILED,
			       "history: state %" PRIu32 " of layer %" PRIu32 " does not exist",
			       from.slot, from.layer);
	if (!h->wide && from.slot > NARROW_MOST)
		return err_set(e, ERR_FAILED,
			       "history: source %" PRIu32 " of state %" PRIu32 " of a jump does "
			       "not fit in 16 bits: the wide history is needed",
			       from.slot, slot);
	return 0;
}

int track_history_jump(struct track_history *h, uint32_t count, const struct track_node *from,
		       struct err *e)
{
	int status;

	for (uint32_t i = 0; i < count; i++)
		if ((status = check_jump(h, i, from[i], e)))
			return status;
	if ((status = add_layer(h, count, true, e)))
		return status;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t rating;

		track_history_get(h, from[i], NULL, NULL, &rating);
		put(h, (struct track_node){ h->layers, i }, from[i].slot, 0, rating);
		h->layer[h->layers].from[i] = from[i].layer;
	}
	return 0;
}

int track_history_reserve(struct track_history *h, uint32_t count, void **entries, struct err *e)
{
	int status = add_layer(h, count, false, e);

	*entries = status ? NULL : h->layer[h->layers].entries;
	return status;
}

uint32_t track_history_count(const struct track_history *h, uint32_t layer)
{
	return layer == 0 ? h->inputs : h->layer[layer].count;
}

void track_history_get(const struct track_history *h, struct track_node n, uint32_t *source,
		       uint32_t *successor, uint32_t *rating)
{
	struct track_wide_entry w = { n.slot, 0, 0 };

	if (n.layer > 0 && h->wide) {
		w = ((const struct track_wide_entry *)h->layer[n.layer].entries)[n.slot];
	} else if (n.layer > 0) {
		struct track_entry s =
			((const struct track_entry *)h->layer[n.layer].entries)[n.slot];

		w = (struct track_wide_entry){ s.source, s.successor, s.rating };
	}
	if (source)
		*source = w.source;
	if (successor)
		*successor = w.successor;
	if (rating)
		*rating = w.rating;
}

struct track_node track_history_parent(const struct track_history *h, struct track_node n)
{
	const struct track_history_layer *l = &h->layer[n.layer];
	uint32_t source;

	if (n.layer == 0)
		return n;
	track_history_get(h, n, &source, NULL, NULL);
	return (struct track_node){ l->jump ? l->from[n.slot] : n.layer - 1, source };
}

uint32_t track_history_trace(const struct track_history *h, struct track_node n, uint32_t down_to,
			     struct track_node *path, uint32_t room)
{
	uint32_t count = 0, written;

	while (n.layer >= down_to) {
		if (count < room)
			path[room - 1 - count] = n;
		count++;
		if (n.layer == 0)
			break;
		n = track_history_parent(h, n);
	}
	written = count < room ? count : room;
	if (written)
		memmove(path, path + (room - written), written * sizeof(*path));
	return count;
}

int track_history_nodes(const struct track_history *h, uint32_t layer, struct track_node **nodes,
			struct err *e)
{
	uint32_t count = track_history_count(h, layer);
	struct track_node *all = malloc(count * sizeof(*all));

	*nodes = all;
	if (!all)
		return err_set(e, ERR_MEMORY, "no memory to list %" PRIu32 " states", count);
	for (uint32_t i = 0; i < count; i++)
		all[i] = (struct track_node){ layer, i };
	return 0;
}

void track_history_cut(struct track_history *h, uint32_t layers)
{
	while (h->layers > layers) {
		struct track_history_layer *l = &h->layer[h->layers--];

		h->bytes -= layer_bytes(h, l);
		free(l->entries);
		free(l->from);
	}
}
