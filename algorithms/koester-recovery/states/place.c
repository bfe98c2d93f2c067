/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Memory, copies and streams of a place; the places of a run; the operations of struct track_common
 * on the host. */
#include "algorithms/koester-recovery/states/place.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/checked.h"
#include "harness/base/host.h"
#include "kernels/koester-recovery/ops.h"

enum { ALIGN = 256 };

int track_place_open(struct track_place *p, struct dev *d, struct team *pool, uint64_t limit,
		     struct err *e)
{
	struct dev_info info;
	int status = 0;

	*p = (struct track_place){ .device = d, .pool = pool, .limit = limit };
	p->common = d ? track_common_for(d) : &track_common_host;
	if (!d)
		return 0;
	if ((status = dev_get_info(d, &info, e)))
		return status;
	p->shared = info.shared_per_block;
	p->processors = (uint32_t)info.sm_count;
	if ((status = dev_stream_create(d, &p->stream, e)) ||
	    (status = dev_stream_create(d, &p->copies, e)))
		track_place_close(p);
	return status;
}

void track_place_close(struct track_place *p)
{
	track_place_release(p);
	if (p->copies)
		dev_stream_destroy(p->copies);
	if (p->stream)
		dev_stream_destroy(p->stream);
	*p = (struct track_place){ 0 };
}

static int host_alloc(void **out, size_t bytes, struct err *e)
{
	int status = host_memory_check((double)bytes, "a buffer of states", e);

	if (status)
		return status;
	*out = aligned_alloc(ALIGN, bytes);
	return *out ? 0 : err_set(e, ERR_MEMORY, "no memory for a buffer of %zu bytes", bytes);
}

/* ---- reserved memory ---- */

struct span {
	size_t at, bytes;
};

/* Spans in use, in ascending order. There are tens of them. */
struct track_reserve {
	unsigned char *memory;
	size_t bytes;
	struct span *span;
	size_t spans, room;
};

static int reserve(struct track_reserve **out, struct dev *d, bool pinned, uint64_t bytes,
		   struct err *e)
{
	struct track_reserve *r;
	int status;

	if (bytes > SIZE_MAX || !(r = calloc(1, sizeof(*r))))
		return err_set(e, ERR_MEMORY, "no memory to reserve %" PRIu64 " bytes", bytes);
	r->bytes = (size_t)bytes;
	status = pinned ? dev_host_alloc(d, (void **)&r->memory, r->bytes, e) :
			  dev_alloc(d, (void **)&r->memory, r->bytes, e);
	if (status)
		free(r);
	else
		*out = r;
	return status;
}

int track_place_reserve(struct track_place *p, uint64_t bytes, uint64_t pinned, struct err *e)
{
	int status = 0;

	if (!p->device || p->reserve || p->pinned)
		return 0;
	if (pinned)
		status = reserve(&p->pinned, p->device, true, pinned, e);
	return status || !bytes ? status : reserve(&p->reserve, p->device, false, bytes, e);
}

void track_place_release(struct track_place *p)
{
	if (p->reserve) {
		dev_free(p->device, p->reserve->memory);
		free(p->reserve->span);
		free(p->reserve);
	}
	if (p->pinned) {
		dev_host_free(p->device, p->pinned->memory);
		free(p->pinned->span);
		free(p->pinned);
	}
	p->reserve = p->pinned = NULL;
}

/* The first gap that is large enough; NULL: there is none. */
static void *take_span(struct track_reserve *r, size_t bytes)
{
	size_t at = 0, i = 0;

	for (; i < r->spans && r->span[i].at - at < bytes; i++)
		at = r->span[i].at + r->span[i].bytes;
	if (i == r->spans && r->bytes - at < bytes)
		return NULL;
	if (r->spans == r->room) {
		size_t room = r->room ? 2 * r->room : 64;
		struct span *more = realloc(r->span, room * sizeof(*more));

		if (!more)
			return NULL;
		r->span = more;
		r->room = room;
	}
	memmove(r->span + i + 1, r->span + i, (r->spans++ - i) * sizeof(*r->span));
	r->span[i] = (struct span){ at, bytes };
	return r->memory + at;
}

/* False if the memory is not part of the reserve. */
static bool give_span(struct track_reserve *r, const void *memory)
{
	uintptr_t at = (uintptr_t)memory - (uintptr_t)r->memory;
	size_t i = 0;

	if ((uintptr_t)memory < (uintptr_t)r->memory || at >= r->bytes)
		return false;
	while (i < r->spans && r->span[i].at != at)
		i++;
	if (i < r->spans)
		memmove(r->span + i, r->span + i + 1, (--r->spans - i) * sizeof(*r->span));
	return true;
}

/* ---- allocations ---- */

int track_host_alloc(struct track_place *p, void **out, size_t bytes, struct err *e)
{
	size_t padded;

	*out = NULL;
	if (!p->device) {
		*out = malloc(bytes);
		return *out ? 0 :
			      err_set(e, ERR_MEMORY, "no memory for %zu bytes on the host", bytes);
	}
	if (p->pinned && bytes && checked_add_size(bytes, (ALIGN - bytes % ALIGN) % ALIGN, &padded))
		*out = take_span(p->pinned, padded);
	return *out ? 0 : dev_host_alloc(p->device, out, bytes, e);
}

void track_host_free(struct track_place *p, void *memory)
{
	if (!p->device)
		free(memory);
	else if (memory && (!p->pinned || !give_span(p->pinned, memory)))
		dev_host_free(p->device, memory);
}

static int alloc_on_device(struct track_place *p, void **out, size_t bytes, struct err *e)
{
	*out = p->reserve ? take_span(p->reserve, bytes) : NULL;
	return *out ? 0 : dev_alloc(p->device, out, bytes, e);
}

int track_alloc(struct track_place *p, void **out, size_t bytes, struct err *e)
{
	uint64_t used;
	size_t padded;
	int status;

	*out = NULL;
	if (!checked_add_u64(p->used, bytes, &used) || (p->limit && used > p->limit))
		return err_set(e, ERR_MEMORY,
			       "%zu more bytes exceed the limit of %" PRIu64 ": %" PRIu64
			       " are allocated",
			       bytes, p->limit, p->used);
	if (!checked_add_size(bytes, bytes ? (ALIGN - bytes % ALIGN) % ALIGN : ALIGN, &padded))
		return err_set(e, ERR_MEMORY, "a buffer of %zu bytes is too large", bytes);
	status = p->device ? alloc_on_device(p, out, padded, e) : host_alloc(out, padded, e);
	if (status)
		return status;
	p->used = used;
	if (p->peak < used)
		p->peak = used;
	return 0;
}

void track_free(struct track_place *p, void *memory, size_t bytes)
{
	if (!memory)
		return;
	if (!p->device)
		free(memory);
	else if (!p->reserve || !give_span(p->reserve, memory))
		dev_free(p->device, memory);
	p->used -= bytes;
}

int track_to(struct track_place *p, void *there, const void *host, size_t bytes, struct err *e)
{
	if (bytes == 0)
		return 0;
	if (p->device)
		return dev_copy_to(p->stream, there, host, bytes, e);
	memcpy(there, host, bytes);
	return 0;
}

int track_from(struct track_place *p, void *host, const void *there, size_t bytes, struct err *e)
{
	if (bytes == 0)
		return 0;
	if (p->device)
		return dev_copy_from(p->stream, host, there, bytes, e);
	memcpy(host, there, bytes);
	return 0;
}

int track_fill(struct track_place *p, void *there, int byte, size_t bytes, struct err *e)
{
	if (bytes == 0)
		return 0;
	if (p->device)
		return dev_fill(p->stream, there, byte, bytes, e);
	memset(there, byte, bytes);
	return 0;
}

int track_sync(struct track_place *p, struct err *e)
{
	return p->device ? dev_stream_sync(p->stream, e) : 0;
}

int track_place_budget(const struct track_place *p, uint64_t wanted, uint64_t *bytes, struct err *e)
{
	struct dev_info info;
	int status;

	*bytes = wanted;
	if (!*bytes && !p->device) {
		int64_t host = host_memory_available();

		*bytes = host > 0 ? (uint64_t)host / 2 : 0;
	}
	if (!*bytes && p->device) {
		if ((status = dev_get_info(p->device, &info, e)))
			return status;
		*bytes = info.memory_free / 2;
	}
	if (p->limit && p->limit < *bytes)
		*bytes = p->limit;
	return 0;
}

/* ---- the places of a run ---- */

static int open_one(struct track_places *p, struct dev *d, uint64_t limit, struct err *e)
{
	int status = track_place_open(&p->place[p->opened], d, p->pool, limit, e);

	if (!status)
		p->opened++;
	return status;
}

static int open_all(struct track_places *p, const struct dev_set *devices, int gpus, bool peer,
		    uint64_t limit, struct err *e)
{
	int all = gpus + (peer && gpus > 0), status = 0;

	for (int i = 0; !status && i < (gpus > 0 ? all : 1); i++)
		status = open_one(p, gpus > 0 ? devices->dev[i] : NULL, limit, e);
	if (status)
		return status;
	p->count = gpus > 0 ? gpus : 1;
	for (int i = 0; i < p->count; i++)
		p->at[i] = &p->place[i];
	p->peer = all > gpus ? &p->place[gpus] : NULL;
	return 0;
}

int track_places_open(struct track_places *p, const struct dev_set *devices, int gpus, bool peer,
		      int threads, uint64_t limit, struct err *e)
{
	int need = gpus + (peer && gpus > 0), given = devices ? devices->count : 0, status;

	*p = (struct track_places){ 0 };
	if (need > given)
		return err_set(e, ERR_UNSUPPORTED, "needs %d devices%s, %d given", need,
			       peer ? ", one of them to store states" : "", given);
	status = team_create(&p->pool, threads, e);
	if (status)
		return status;
	status = open_all(p, devices, gpus, peer, limit, e);
	if (status)
		track_places_close(p);
	return status;
}

void track_places_close(struct track_places *p)
{
	for (int i = 0; i < p->opened; i++)
		track_place_close(&p->place[i]);
	if (p->pool)
		team_destroy(p->pool);
	*p = (struct track_places){ 0 };
}

uint64_t track_places_peak(const struct track_places *p)
{
	uint64_t most = 0;

	for (int i = 0; i < p->opened; i++) {
		if (p->place[i].peak > most)
			most = p->place[i].peak;
	}
	return most;
}

/* ==== operations on the host ==== */

/* Loops over the thread team. Results do not depend on the number of threads. */

/* Indices per chunk. Sums do not depend on which thread processes a chunk. */
enum { CHUNK = 16384 };

static uint32_t chunks_of(uint32_t count)
{
	return count / CHUNK + (count % CHUNK != 0);
}

/* ---- gather ---- */

enum { GATHER_BLOCK = 128 };

static void copy_units_4(const struct track_gather *g, const struct track_state *from, uint64_t i,
			 uint32_t n)
{
	for (uint32_t u = 0; u < g->layout.units; u++) {
		uint32_t *to = (uint32_t *)g->to + (size_t)u * g->to_slots;

		for (uint32_t k = 0; k < n; k++)
			to[g->to_slot ? g->to_slot[i + k] : i + k] =
				*(const uint32_t *)track_unit(from[k], u);
	}
}

static void copy_units(const struct track_gather *g, const struct track_state *from, uint64_t i,
		       uint32_t n)
{
	for (uint32_t k = 0; k < n; k++) {
		uint32_t slot = g->to_slot ? g->to_slot[i + k] : (uint32_t)(i + k);
		struct track_state to = track_state_at(g->to, g->to_slots, g->layout, slot);

		for (uint32_t u = 0; u < g->layout.units; u++)
			memcpy(track_unit(to, u), track_unit(from[k], u), g->layout.unit_bytes);
	}
}

static struct track_state source_state(const struct track_gather *g, uint64_t i)
{
	uint64_t index = g->from_repeat > 1 ? i / g->from_repeat : i;
	uint32_t slot = g->from_slot ? g->from_slot[index] : (uint32_t)index;
	int k = g->sources - 1;

	while (k > 0 && slot < g->first[k])
		k--;
	/* the caller only reads it; track_state_at takes a pointer to non-const */
	return track_state_at((void *)(uintptr_t)g->from[k], g->from_slots[k], g->layout,
			      slot - g->first[k]);
}

static void gather_part(void *context, uint64_t from, uint64_t to, int thread)
{
	const struct track_gather *g = context;
	struct track_state state[GATHER_BLOCK];

	(void)thread;
	for (uint64_t i = from; i < to; i += GATHER_BLOCK) {
		uint32_t n = (uint32_t)(to - i < GATHER_BLOCK ? to - i : GATHER_BLOCK);

		for (uint32_t k = 0; k < n; k++)
			state[k] = source_state(g, i + k);
		if (g->layout.unit_bytes == 4)
			copy_units_4(g, state, i, n);
		else
			copy_units(g, state, i, n);
	}
}

static int gather(struct track_place *p, const struct track_gather *g, struct err *e)
{
	struct track_gather copy = *g;

	(void)e;
	team_for(p->pool, g->count, GATHER_BLOCK, gather_part, &copy);
	return 0;
}

/* ---- scan: sums of chunks, start of each chunk, then the elements of each ---- */

struct scan {
	const uint32_t *number;
	uint32_t *first;
	uint64_t *chunk; /* sum, then start */
	uint32_t count;
};

static uint32_t chunk_end(uint64_t chunk, uint32_t count)
{
	uint64_t end = (chunk + 1) * CHUNK;

	return end < count ? (uint32_t)end : count;
}

static void scan_sums(void *context, uint64_t from, uint64_t to, int thread)
{
	struct scan *s = context;

	(void)thread;
	for (uint64_t c = from; c < to; c++) {
		uint64_t sum = 0;

		for (uint32_t i = (uint32_t)(c * CHUNK); i < chunk_end(c, s->count); i++)
			sum += s->number[i];
		s->chunk[c] = sum;
	}
}

static void scan_insides(void *context, uint64_t from, uint64_t to, int thread)
{
	struct scan *s = context;

	(void)thread;
	for (uint64_t c = from; c < to; c++) {
		uint64_t sum = s->chunk[c];

		for (uint32_t i = (uint32_t)(c * CHUNK); i < chunk_end(c, s->count); i++) {
			uint32_t number = s->number[i];

			s->first[i] = (uint32_t)sum;
			sum += number;
		}
	}
}

static size_t scan_scratch(struct track_place *p, uint32_t count)
{
	(void)p;
	return chunks_of(count) * sizeof(uint64_t);
}

static int scan(struct track_place *p, const uint32_t *number, uint32_t *first, uint64_t *total,
		uint32_t count, void *scratch, struct err *e)
{
	struct scan s = { number, first, scratch, count };
	uint64_t sum = 0;

	(void)e;
	team_for(p->pool, chunks_of(count), 1, scan_sums, &s);
	for (uint32_t c = 0; c < chunks_of(count); c++) {
		uint64_t here = s.chunk[c];

		s.chunk[c] = sum;
		sum += here;
	}
	team_for(p->pool, chunks_of(count), 1, scan_insides, &s);
	*total = sum;
	return 0;
}

/* ---- select: find the threshold rating digit by digit, then collect ---- */

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS, PASSES = 3 };

struct chosen {
	uint32_t below, equal; /* counts of the chunk, later of all chunks before it */
};

struct select {
	const uint32_t *rating;
	uint32_t count, keep;
	uint32_t *index;
	uint32_t *histogram; /* [threads][DIGITS] */
	struct chosen *chunk;
	uint32_t prefix;     /* higher digits of the threshold, and finally the threshold */
	int shift, bits;     /* position of the current digit */
	uint32_t equal_kept; /* how many states with the threshold's rating are kept */
};

static void select_count(void *context, uint64_t from, uint64_t to, int thread)
{
	struct select *s = context;
	uint32_t *histogram = s->histogram + (size_t)thread * DIGITS;
	uint64_t end = to * CHUNK < s->count ? to * CHUNK : s->count;
	int above = s->shift + s->bits;

	for (uint64_t i = from * CHUNK; i < end; i++) {
		uint32_t r = s->rating[i];

		if (above == 32 || r >> above == s->prefix)
			histogram[r >> s->shift & ((1u << s->bits) - 1)]++;
	}
}

/* Finds the next digit of the threshold. *left is the number of states to keep among those whose
 * higher digits equal the threshold's. */
static void select_digit(struct select *s, struct track_place *p, uint32_t *left)
{
	int threads = team_threads(p->pool);
	uint32_t d = 0;

	memset(s->histogram, 0, (size_t)threads * DIGITS * sizeof(*s->histogram));
	team_for(p->pool, chunks_of(s->count), 1, select_count, s);
	for (int t = 1; t < threads; t++)
		for (uint32_t k = 0; k < DIGITS; k++)
			s->histogram[k] += s->histogram[(size_t)t * DIGITS + k];
	while (*left > s->histogram[d])
		*left -= s->histogram[d++];
	s->prefix = s->prefix << s->bits | d;
}

static void select_sums(void *context, uint64_t from, uint64_t to, int thread)
{
	struct select *s = context;

	(void)thread;
	for (uint64_t c = from; c < to; c++) {
		struct chosen n = { 0, 0 };

		for (uint32_t i = (uint32_t)(c * CHUNK); i < chunk_end(c, s->count); i++) {
			n.below += s->rating[i] < s->prefix;
			n.equal += s->rating[i] == s->prefix;
		}
		s->chunk[c] = n;
	}
}

static void select_write(void *context, uint64_t from, uint64_t to, int thread)
{
	struct select *s = context;

	(void)thread;
	for (uint64_t c = from; c < to; c++) {
		struct chosen n = s->chunk[c];
		uint32_t equal = n.equal < s->equal_kept ? n.equal : s->equal_kept;
		uint32_t at = n.below + equal;

		for (uint32_t i = (uint32_t)(c * CHUNK); i < chunk_end(c, s->count); i++) {
			if (s->rating[i] < s->prefix) {
				s->index[at++] = i;
			} else if (s->rating[i] == s->prefix && equal < s->equal_kept) {
				s->index[at++] = i;
				equal++;
			}
		}
	}
}

static size_t select_scratch(struct track_place *p, uint32_t count)
{
	size_t histograms = (size_t)team_threads(p->pool) * DIGITS * sizeof(uint32_t);

	return histograms + chunks_of(count) * sizeof(struct chosen);
}

static int select_best(struct track_place *p, const uint32_t *rating, uint32_t count, uint32_t keep,
		       uint32_t *index, uint32_t *kept, void *scratch, struct err *e)
{
	struct select s = { .rating = rating, .count = count, .index = index };
	struct chosen before = { 0, 0 };
	uint32_t left;

	(void)e;
	s.keep = *kept = keep < count ? keep : count;
	if (s.keep == 0)
		return 0;
	s.histogram = scratch;
	s.chunk = (void *)(s.histogram + (size_t)team_threads(p->pool) * DIGITS);
	s.shift = 32;
	left = s.keep;
	for (int pass = 0; pass < PASSES; pass++) {
		s.bits = s.shift < DIGIT_BITS ? s.shift : DIGIT_BITS;
		s.shift -= s.bits;
		select_digit(&s, p, &left);
	}
	/* ratings equal to TRACK_DROPPED are never kept */
	s.equal_kept = s.prefix == TRACK_DROPPED ? 0 : left;
	team_for(p->pool, chunks_of(count), 1, select_sums, &s);
	for (uint32_t c = 0; c < chunks_of(count); c++) {
		struct chosen here = s.chunk[c];

		s.chunk[c] = before;
		before.below += here.below;
		before.equal += here.equal;
	}
	if (s.prefix == TRACK_DROPPED)
		*kept = before.below;
	team_for(p->pool, chunks_of(count), 1, select_write, &s);
	return 0;
}

/* ---- children ---- */

struct children {
	struct track_children c;
	uint32_t parents;
	const uint32_t *child_successor, *child_rating, *child;
	uint32_t kept;
	struct track_selected before;
	uint32_t *source, *successor, *rating;
};

/* The parent of a child: the last one whose first child is not after it. Parents without children
 * are skipped. */
static uint32_t parent_of(const struct children *w, uint32_t child)
{
	uint32_t low = 0, high = w->parents;

	if (w->c.each)
		return child / w->c.each;
	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (w->c.first[middle] <= child)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static void children_part(void *context, uint64_t from, uint64_t to, int thread)
{
	const struct children *w = context;

	(void)thread;
	for (uint64_t i = from; i < to; i++) {
		uint32_t child = i < w->kept ? w->child[i] : 0, parent;

		if (child < w->before.count) {
			w->source[i] = w->before.source[child];
			w->successor[i] = w->before.successor[child];
			w->rating[i] = w->before.rating[child];
			continue;
		}
		child -= w->before.count;
		parent = parent_of(w, child);
		w->source[i] = w->c.first_source + parent;
		w->successor[i] =
			w->child_successor ? w->child_successor[child] : child - w->c.first[parent];
		w->rating[i] = w->child_rating[child];
	}
}

static int children(struct track_place *p, const struct track_children *c, uint32_t parents,
		    const uint32_t *child_successor, const uint32_t *child_rating,
		    const struct track_selected *before, const uint32_t *child,
		    const uint32_t *kept, uint32_t count, uint32_t *source, uint32_t *successor,
		    uint32_t *rating, struct err *e)
{
	struct children w = { *c,
			      parents,
			      child_successor,
			      child_rating,
			      child,
			      kept ? *kept : count,
			      before ? *before : (struct track_selected){ 0 },
			      source,
			      successor,
			      rating };

	(void)e;
	team_for(p->pool, count, 4096, children_part, &w);
	return 0;
}

const struct track_common track_common_host = {
	.gather = gather,
	.scan_scratch = scan_scratch,
	.scan = scan,
	.select_scratch = select_scratch,
	.select = select_best,
	.children = children,
};
