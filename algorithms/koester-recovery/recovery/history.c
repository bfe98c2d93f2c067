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

/* ---- memory of layers ---- */

/* Layers are removed in the reverse order, so their memory is a stack of blocks. Every layer is new
 * memory: with pages of 4 KiB, the first access to each would take longer than filling it. */
struct track_history_block {
	struct track_history_block *below;
	unsigned char *memory;
	size_t bytes, used;
	size_t accessed; /* from here on, the memory has not been accessed */
};

enum {
	FIRST_BLOCK = 1 << 16,
	MOST_BLOCK = 1 << 26, /* unless a layer is larger */
	LAYERS_A_BLOCK = 8,
	ALIGNMENT = 64,
	HUGE_PAGE = 1 << 21,
	AHEAD = 4 * HUGE_PAGE, /* to be accessed before it is needed */
};

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

static size_t aligned(size_t bytes)
{
	return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static void *allocate_memory(size_t bytes)
{
	void *memory;

	if (posix_memalign(&memory, bytes < HUGE_PAGE ? ALIGNMENT : HUGE_PAGE, bytes))
		return NULL;
	/* not its last part, of which a huge page would take more than it needs; may fail */
	if (bytes >= HUGE_PAGE)
		madvise(memory, bytes - bytes % HUGE_PAGE, MADV_HUGEPAGE);
	return memory;
}

/* Puts a block with room for `bytes` on the stack. */
static bool add_block(struct track_history *h, size_t bytes)
{
	struct track_history_block *b = calloc(1, sizeof(*b));
	size_t twice = h->top ? 2 * h->top->bytes : FIRST_BLOCK;

	if (!b)
		return false;
	b->bytes = bytes;
	if (bytes <= MOST_BLOCK / 2)
		b->bytes = smaller(larger(twice, LAYERS_A_BLOCK * bytes), MOST_BLOCK);
	b->memory = allocate_memory(b->bytes);
	if (!b->memory && b->bytes > bytes)
		b->memory = allocate_memory(b->bytes = bytes);
	if (!b->memory) {
		free(b);
		return false;
	}
	b->below = h->top;
	h->top = b;
	return true;
}

static void remove_block(struct track_history *h)
{
	struct track_history_block *b = h->top;

	h->top = b->below;
	free(b->memory);
	free(b);
}

/* Makes room for `bytes`, at least 1, in the upper block. */
static bool make_room(struct track_history *h, size_t bytes)
{
	struct track_history_block *b = h->top;

	if (b && b->bytes - b->used >= bytes)
		return true;
	if (b && b->used == 0)
		remove_block(h);
	return add_block(h, bytes);
}

static void *push(struct track_history *h, size_t bytes)
{
	struct track_history_block *b;
	void *memory;

	bytes = aligned(bytes);
	if (!make_room(h, bytes))
		return NULL;
	b = h->top;
	memory = b->memory + b->used;
	b->used += bytes;
	b->accessed = larger(b->accessed, b->used);
	return memory;
}

/* Takes the memory of the last layer off the stack. */
static void pop(struct track_history *h, size_t bytes)
{
	while (h->top->used == 0)
		remove_block(h);
	h->top->used -= aligned(bytes);
}

void *track_history_prepare(struct track_history *h, uint32_t count, size_t *bytes)
{
	size_t layer = aligned((size_t)count * entry_bytes(h)), end;
	struct track_history_block *b;
	void *memory;

	*bytes = 0;
	if ((h->limit && layer > h->limit - h->bytes) || !make_room(h, layer))
		return NULL;
	b = h->top;
	if (b->used + layer <= b->accessed)
		return NULL;
	end = b->accessed + AHEAD;
	if (h->limit)
		end = smaller(end, b->used + (h->limit - h->bytes));
	end = smaller(larger(end, b->used + layer), b->bytes);
	memory = b->memory + b->accessed;
	*bytes = end - b->accessed;
	b->accessed = end;
	return memory;
}

void track_history_destroy(struct track_history *h)
{
	if (!h)
		return;
	while (h->top)
		remove_block(h);
	free(h->layer);
	free(h);
}

/* ---- layers ---- */

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
	l.entries = push(h, bytes);
	if (!l.entries) {
		h->bytes -= bytes;
		return err_set(e, ERR_MEMORY, "no memory for %zu bytes of history", bytes);
	}
	if (jump)
		l.from = (uint32_t *)((char *)l.entries + count * entry_bytes(h));
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
		pop(h, layer_bytes(h, l));
	}
}
