/* The operations of struct track_common on the host: loops over the thread team. Results do not
 * depend on the number of threads. */
#include <string.h>

#include "harness/base/team.h"
#include "kernels/koester-recovery/ops.h"

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
	uint32_t *source, *successor, *rating;
};

/* The parent of a child: the last one whose first child is not after it. Parents without children
 * are skipped. */
static uint32_t parent_of(const struct children *w, uint32_t child)
{
	uint32_t low = 0, high = w->parents;

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
		uint32_t child = w->child[i];
		uint32_t parent = parent_of(w, child);

		w->source[i] = w->c.first_source + parent;
		w->successor[i] =
			w->child_successor ? w->child_successor[child] : child - w->c.first[parent];
		w->rating[i] = w->child_rating[child];
	}
}

static int children(struct track_place *p, const struct track_children *c, uint32_t parents,
		    const uint32_t *child_successor, const uint32_t *child_rating,
		    const uint32_t *child, uint32_t count, uint32_t *source, uint32_t *successor,
		    uint32_t *rating, struct err *e)
{
	struct children w = { *c,    parents, child_successor, child_rating,
			      child, source,  successor,       rating };

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
