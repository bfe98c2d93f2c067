/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/tree-search/by-set/sets_cpu.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "algorithms/tree-search/balance.h"
#include "algorithms/tree-search/exchange.h"
#include "algorithms/tree-search/flowshop/fsp_tables.h"
#include "harness/base/clock.h"
#include "harness/base/host.h"

/* ---- memory ---- */

/* A vector may extend beyond the last cell. */
enum { SLACK = 64, ALIGNMENT = 64, HUGE_PAGE = 2 << 20 };

static size_t header_bytes(void)
{
	return (sizeof(struct sets_cpu_chunk) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Bytes of one node. */
static uint64_t node_bytes(const struct sets_cpu_search *s)
{
	uint64_t path = (uint64_t)(s->tables.jobs / s->kernel->jobs_a_cell + 1);

	return ((uint64_t)s->tables.machines + path) * s->kernel->cell;
}

/* A power of two that holds any segment. */
static size_t choose_chunk_bytes(const struct sets_cpu_search *s)
{
	enum { LARGEST = 256 << 10, CHUNKS_A_THREAD = 64 };
	uint64_t least = SETS_CPU_SEGMENT_MAX * node_bytes(s) + header_bytes() + SLACK;
	uint64_t share = s->budget / (uint64_t)(s->team.threads * CHUNKS_A_THREAD);
	size_t bytes = LARGEST;

	while (bytes > share && bytes / 2 >= least)
		bytes /= 2;
	return bytes;
}

/* Uses large pages if there is memory for at least one per thread. */
static void choose_pages(struct sets_cpu_search *s)
{
	enum { PAGES_A_THREAD = 16 };
	uint64_t threads = (uint64_t)s->team.threads, row;

	s->abreast = 1;
	s->page_bytes = s->chunk_bytes;
	if (s->budget / HUGE_PAGE >= threads * PAGES_A_THREAD) {
		s->abreast = threads;
		s->page_bytes = HUGE_PAGE;
	}
	row = s->abreast * s->page_bytes;
	s->chunks = s->budget / row * (row / s->chunk_bytes);
}

/* Segments are read in the order of their sets, not of their addresses. With small pages every
 * second segment would miss the TLB, and filling fresh pages would take a fifth of the time. */
/* Maps the arena: r->memory bytes or half of the free memory. */
static int make_memory(struct sets_cpu_search *s, const struct search_request *r, struct err *e)
{
	s->budget = (uint64_t)(r->memory > 0 ? r->memory : host_memory_available() / 2);
	s->chunk_bytes = choose_chunk_bytes(s);
	choose_pages(s);
	s->mapped = s->budget + HUGE_PAGE;
	s->arena = mmap(NULL, s->mapped, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (s->arena == MAP_FAILED) {
		s->arena = NULL;
		return err_set(e, ERR_MEMORY, "cannot map %" PRIu64 " bytes for open nodes",
			       s->budget);
	}
	if (s->page_bytes == HUGE_PAGE)
		madvise(s->arena, s->mapped, MADV_HUGEPAGE); /* may fail */
	return 0;
}

/* Bytes that no worker or layer uses. Called between barriers. */
static uint64_t free_bytes(const struct sets_cpu_search *s)
{
	return (s->chunks - s->fresh + s->free_chunks.count) * s->chunk_bytes;
}

/* Moves all chunks of `from` to the front of `to`. */
static void move_chunks(struct sets_cpu_chunks *to, struct sets_cpu_chunks *from)
{
	if (!from->count)
		return;
	from->last->next = to->first;
	to->first = from->first;
	to->last = to->count ? to->last : from->last;
	to->count += from->count;
	*from = (struct sets_cpu_chunks){ 0 };
}

/* Consecutive fresh chunks lie in different pages. If several threads touched the same fresh page
 * at once, each of them would clear a page, and only one of these would be kept. */
static struct sets_cpu_chunk *fresh_chunk(struct sets_cpu_search *s)
{
	uint64_t a_page = s->page_bytes / s->chunk_bytes, row = s->fresh / (s->abreast * a_page);
	uint64_t at = s->fresh++ % (s->abreast * a_page);
	uint64_t page = row * s->abreast + at % s->abreast;
	uintptr_t begin = ((uintptr_t)s->arena + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;

	return (struct sets_cpu_chunk *)(s->arena + (begin - (uintptr_t)s->arena) +
					 page * s->page_bytes + at / s->abreast * s->chunk_bytes);
}

static struct sets_cpu_chunk *take_chunk(struct sets_cpu_search *s)
{
	struct sets_cpu_chunk *c = NULL;

	pthread_mutex_lock(&s->memory_lock);
	if (s->free_chunks.count) {
		c = s->free_chunks.first;
		s->free_chunks.first = c->next;
		s->free_chunks.count--;
	} else if (s->fresh < s->chunks) {
		c = fresh_chunk(s);
	}
	pthread_mutex_unlock(&s->memory_lock);
	return c;
}

void *sets_cpu_reserve(struct sets_cpu_worker *w, size_t bytes)
{
	size_t size = w->search->chunk_bytes - header_bytes();
	struct sets_cpu_chunk *c = w->chunks.first;
	void *room;

	if (!c || size - c->used < bytes + SLACK) {
		c = take_chunk(w->search);
		if (!c)
			return NULL;
		c->used = 0;
		move_chunks(&w->chunks, &(struct sets_cpu_chunks){ c, c, 1 });
	}
	room = (char *)c + header_bytes() + c->used;
	c->used += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	return room;
}

bool sets_cpu_add_segment(struct sets_cpu_worker *w, uint32_t set, uint32_t count, void *rows)
{
	if (w->outs == w->outs_room) {
		uint64_t room = 2 * w->outs_room + 1024;
		struct sets_cpu_segment *out = realloc(w->out, (size_t)room * sizeof(*out));

		if (!out)
			return false;
		w->out = out;
		w->outs_room = room;
	}
	w->out[w->outs++] = (struct sets_cpu_segment){ set, count, rows };
	return true;
}

static void free_memory(struct sets_cpu_search *s)
{
	for (int i = 0; s->worker && i < s->team.members; i++) {
		free(s->worker[i].out);
		free(s->worker[i].scratch);
	}
	for (int left = 0; left <= SETS_CPU_JOBS_MAX; left++)
		free(s->layer[left].segment);
	if (s->arena)
		munmap(s->arena, s->mapped);
	free(s->piece.parent);
	free(s->piece.rank);
	free(s->piece.first);
	free(s->piece.child);
	free(s->piece.child_set);
	free(s->piece.child_rank);
	free(s->piece.row);
	free(s->piece.place);
	free(s->part);
	free(s->worker);
	free(s->kernel_tables);
}

/* ---- the steps of an expansion, by all members together ---- */

static uint64_t share_from(uint64_t count, const struct task_member *m)
{
	return count * (uint64_t)m->id / (uint64_t)m->team->threads;
}

static uint64_t share_end(uint64_t count, const struct task_member *m)
{
	return count * (uint64_t)(m->id + 1) / (uint64_t)m->team->threads;
}

/* Returns the sum of the counts of the members before this one; *total: the sum over all members.
 */
static uint64_t counted_before(const struct task_member *m, enum sets_cpu_count which,
			       uint64_t *total)
{
	const struct sets_cpu_search *s = m->team->work_context;
	const uint64_t *count = s->member_count[which];
	uint64_t before = 0;

	*total = 0;
	for (int i = 0; i < m->team->threads; i++) {
		before += i < m->id ? count[i] : 0;
		*total += count[i];
	}
	return before;
}

/* The first segment whose set is in this word of the bit map or a later one. */
static uint64_t first_segment(const struct sets_cpu_piece *p, uint64_t word)
{
	uint64_t low = 0, high = p->segments;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (p->segment[middle].set / 64 < word)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Returns the first word of the member's share of the parents' bit map. All shares have about the
 * same number of segments. */
static uint64_t word_from(const struct sets_cpu_piece *p, const struct task_member *m, int id)
{
	if (!id)
		return 0;
	if (id == m->team->threads)
		return p->words;
	return p->segment[p->segments * (uint64_t)id / (uint64_t)m->team->threads].set / 64;
}

/* Marks the sets of these words of the parents' bit map. Returns the number of sets; *nodes: of
 * their nodes. */
static uint64_t mark_parents(struct sets_cpu_piece *p, uint64_t from, uint64_t end, uint64_t *nodes)
{
	uint64_t sets = 0;

	*nodes = 0;
	memset(p->parent + from, 0, (size_t)(end - from) * sizeof(*p->parent));
	for (uint64_t i = first_segment(p, from); i < p->segments && p->segment[i].set / 64 < end;
	     i++) {
		uint32_t set = p->segment[i].set;

		*nodes += p->segment[i].count;
		sets += !(p->parent[set / 64] >> set % 64 & 1);
		p->parent[set / 64] |= UINT64_C(1) << set % 64;
	}
	return sets;
}

static void rank_parents(struct sets_cpu_piece *p, uint64_t from, uint64_t end, uint64_t rank)
{
	uint64_t i = first_segment(p, from);

	for (uint64_t word = from; word < end; word++) {
		p->rank[word] = (uint32_t)rank;
		while (i < p->segments && p->segment[i].set / 64 == word) {
			uint32_t set = p->segment[i].set;

			p->first[rank++] = (uint32_t)i;
			while (i < p->segments && p->segment[i].set == set)
				i++;
		}
	}
}

/* The sets of one word of the bit map that are a parent's set less one job. */
static uint64_t children_of_word(const struct sets_cpu_piece *p, uint64_t word)
{
	/* which of 64 consecutive sets have job 0, 1, ... 5 */
	static const uint64_t has[6] = {
		UINT64_C(0xaaaaaaaaaaaaaaaa), UINT64_C(0xcccccccccccccccc),
		UINT64_C(0xf0f0f0f0f0f0f0f0), UINT64_C(0xff00ff00ff00ff00),
		UINT64_C(0xffff0000ffff0000), UINT64_C(0xffffffff00000000),
	};
	uint64_t sets = 0;

	for (int j = 0; j < 6; j++)
		sets |= (p->parent[word] & has[j]) >> (1 << j);
	for (uint64_t absent = ~word & (p->words - 1); absent; absent &= absent - 1)
		sets |= p->parent[word | (absent & (0 - absent))];
	return sets;
}

static uint64_t mark_children(struct sets_cpu_piece *p, uint64_t from, uint64_t end)
{
	uint64_t sets = 0;

	for (uint64_t word = from; word < end; word++) {
		p->child[word] = children_of_word(p, word);
		sets += (uint64_t)__builtin_popcountll(p->child[word]);
	}
	return sets;
}

static void list_children(struct sets_cpu_piece *p, uint64_t from, uint64_t end, uint64_t at)
{
	for (uint64_t word = from; word < end; word++) {
		p->child_rank[word] = (uint32_t)at;
		for (uint64_t bits = p->child[word]; bits; bits &= bits - 1)
			p->child_set[at++] =
				(uint32_t)(word * 64 + (uint64_t)__builtin_ctzll(bits));
	}
}

/* The largest number of sets of one size among n jobs. */
static uint64_t sets_of_half(int n)
{
	uint64_t sets = 1;

	for (int i = 1; i <= n / 2; i++)
		sets = sets * (uint64_t)(n - i + 1) / (uint64_t)i;
	return sets;
}

static uint64_t batches_of(const struct sets_cpu_search *s, uint64_t children)
{
	uint64_t lanes = (uint64_t)s->kernel->lanes;

	return (children + lanes - 1) / lanes;
}

/* Parts of all batches. */
static uint64_t parts_of(const struct sets_cpu_search *s)
{
	return batches_of(s, s->piece.children) * s->piece.parts;
}

/* From the parents' side, PUSH_SEGMENTS are expanded at a time, while they are in the L2 cache.
 * This is done if the parents' sets have PUSH_NODES on average and there are few child sets. */
enum { PUSH_SEGMENTS = 128, PUSH_NODES = 256, PUSH_CHILDREN = 1 << 15 };

static uint64_t tasks_of(const struct sets_cpu_search *s)
{
	return s->piece.push ? (s->piece.segments + PUSH_SEGMENTS - 1) / PUSH_SEGMENTS :
			       parts_of(s);
}

/* sets: number of the parents' sets. */
static bool choose_push(const struct sets_cpu_search *s, uint64_t sets)
{
	uint64_t nodes = 0;

	for (int i = 0; i < s->team.threads; i++)
		nodes += s->worker[i].parents;
	return nodes >= sets * PUSH_NODES && s->piece.children <= PUSH_CHILDREN;
}

/* The largest batches of a piece can have many times the segments of the others. Parts are small,
 * so that no thread waits long for the one that expands the last of them. */
enum { PARTS_A_THREAD = 512, PART_SEGMENTS = 256 };

/* The number of parts of each batch. Every segment is read once for each job left in its set. On
 * average a part reads at least PART_SEGMENTS, because the last segment that it makes of a set is
 * partly filled. */
static uint64_t choose_parts(const struct sets_cpu_search *s, uint64_t batches)
{
	uint64_t threads = (uint64_t)s->team.threads, most = threads * PARTS_A_THREAD;
	uint64_t parts = s->piece.segments * (uint64_t)s->piece.left / PART_SEGMENTS;

	parts = parts < most ? parts : most;
	return threads == 1 || parts <= batches ? 1 : parts / batches;
}

/* Allocates tables for any piece. */
static int make_layers(struct sets_cpu_search *s, struct err *e)
{
	struct sets_cpu_piece *p = &s->piece;
	int jobs = s->tables.jobs;
	size_t words = jobs > 6 ? (size_t)1 << (jobs - 6) : 1;
	size_t sets = (size_t)sets_of_half(jobs);
	size_t parts = (size_t)batches_of(s, sets) + (size_t)s->team.members * PARTS_A_THREAD;
	size_t pushed = sets < PUSH_CHILDREN ? sets : PUSH_CHILDREN;
	size_t lanes = (size_t)s->kernel->lanes, row = (size_t)s->tables.machines * s->kernel->cell;

	p->words = words;
	p->parent = malloc(words * sizeof(*p->parent));
	p->child = malloc(words * sizeof(*p->child));
	p->rank = malloc(words * sizeof(*p->rank));
	p->first = malloc((sets + 1) * sizeof(*p->first));
	p->child_set = malloc(sets * sizeof(*p->child_set));
	p->child_rank = malloc(words * sizeof(*p->child_rank));
	p->row = task_team_alloc((pushed + lanes) * row);
	p->place = malloc(pushed * sizeof(*p->place));
	s->part = malloc(parts * sizeof(*s->part));
	if (!p->parent || !p->child || !p->rank || !p->first || !p->child_set || !p->child_rank ||
	    !p->row || !p->place || !s->part)
		return err_set(e, ERR_MEMORY, "no memory for the sets of %d jobs", jobs);
	return 0;
}

/* For expansion from the parents' side. */
static void make_rows(struct task_member *m)
{
	struct sets_cpu_search *s = m->team->work_context;
	struct sets_cpu_piece *p = &s->piece;
	uint64_t batches = batches_of(s, p->children), lanes = (uint64_t)s->kernel->lanes;

	for (uint64_t b = share_from(batches, m); b < share_end(batches, m); b++) {
		uint64_t from = b * lanes, left = p->children - from;
		uint64_t count = left < lanes ? left : lanes;

		s->kernel->rows(&s->worker[m->id], from, (int)count);
		for (uint64_t i = 0; i < count; i++)
			atomic_store_explicit(&p->place[from + i], 0, memory_order_relaxed);
	}
	task_team_barrier(m->team);
}

/* Makes the piece's bit maps, ranks and list of children's sets. */
static void index_piece(struct task_member *m)
{
	struct sets_cpu_search *s = m->team->work_context;
	struct sets_cpu_piece *p = &s->piece;
	uint64_t from = share_from(p->words, m), end = share_end(p->words, m), total, before, sets;
	uint64_t from_parents = word_from(p, m, m->id), end_parents = word_from(p, m, m->id + 1);

	s->member_count[COUNT_PARENTS][m->id] =
		mark_parents(p, from_parents, end_parents, &s->worker[m->id].parents);
	task_team_barrier(m->team);
	before = counted_before(m, COUNT_PARENTS, &sets);
	rank_parents(p, from_parents, end_parents, before);
	if (m->id == 0)
		p->first[sets] = (uint32_t)p->segments;
	s->member_count[COUNT_CHILDREN][m->id] = mark_children(p, from, end);
	task_team_barrier(m->team);
	before = counted_before(m, COUNT_CHILDREN, &total);
	list_children(p, from, end, before);
	if (m->id == 0) {
		p->children = total;
		p->push = choose_push(s, sets);
		p->parts = choose_parts(s, batches_of(s, total));
		task_team_divide(m->team, tasks_of(s));
	}
	task_team_barrier(m->team);
	if (p->push)
		make_rows(m);
}

/* The places of the first segments of all child sets. */
static void place_children(struct sets_cpu_piece *p)
{
	uint32_t at = 0;

	for (uint64_t i = 0; i < p->children; i++) {
		uint32_t count = atomic_load_explicit(&p->place[i], memory_order_relaxed);

		atomic_store_explicit(&p->place[i], at, memory_order_relaxed);
		at += count;
	}
}

/* Makes room for the segments of all members. Called by member 0. */
static void make_layer(struct sets_cpu_search *s, struct sets_cpu_layer *l)
{
	uint64_t count = 0;

	for (int i = 0; i < s->team.threads; i++)
		count += s->worker[i].outs;
	if (count > l->room) {
		free(l->segment);
		l->room = count + count / 2; /* so that it rarely grows */
		l->segment = malloc((size_t)l->room * sizeof(*l->segment));
	}
	s->collect_failed = count && !l->segment;
	l->count = s->collect_failed ? 0 : count;
	l->done = 0;
	for (int i = 0; i < s->team.threads; i++)
		move_chunks(&l->chunks, &s->worker[i].chunks);
	if (s->piece.push)
		place_children(&s->piece);
}

static uint64_t segments_of(const struct sets_cpu_search *s, uint64_t from, uint64_t end)
{
	uint64_t count = 0;

	for (uint64_t i = from; i < end; i++)
		count += s->part[i].count;
	return count;
}

/* Copies the segments of the member's share of the parts. */
static void copy_parts(struct task_member *m, struct sets_cpu_layer *below)
{
	struct sets_cpu_search *s = m->team->work_context;
	uint64_t parts = parts_of(s), total, at = counted_before(m, COUNT_SEGMENTS, &total);
	uint64_t from = share_from(parts, m), end = share_end(parts, m);

	for (uint64_t i = from; i < end && below->count; i++) {
		const struct sets_cpu_part *k = &s->part[i];

		if (k->count)
			memcpy(below->segment + at, s->worker[k->worker].out + k->from,
			       (size_t)k->count * sizeof(*below->segment));
		at += k->count;
	}
}

/* Copies the member's segments to the places of their sets. */
static void copy_pushed(struct sets_cpu_piece *p, const struct sets_cpu_worker *w,
			struct sets_cpu_layer *below)
{
	for (uint64_t i = 0; i < w->outs && below->count; i++) {
		uint32_t child = sets_cpu_child(p, w->out[i].set);

		below->segment[atomic_fetch_add_explicit(&p->place[child], 1,
							 memory_order_relaxed)] = w->out[i];
	}
}

/* Makes the members' segments the layer below. */
static void collect_layer(struct task_member *m)
{
	struct sets_cpu_search *s = m->team->work_context;
	struct sets_cpu_worker *w = &s->worker[m->id];
	struct sets_cpu_layer *below = &s->layer[s->piece.left - 1];
	uint64_t parts = parts_of(s);

	w->decomposed += w->parents;
	w->children += w->parents * (uint64_t)s->piece.left;
	if (!s->piece.push)
		s->member_count[COUNT_SEGMENTS][m->id] =
			segments_of(s, share_from(parts, m), share_end(parts, m));
	if (m->id == 0)
		make_layer(s, below);
	task_team_barrier(m->team);
	if (s->piece.push)
		copy_pushed(&s->piece, w, below);
	else
		copy_parts(m, below);
	task_team_barrier(m->team); /* the lists of the others have been read */
	w->outs = 0;
}

/* ---- incumbent ---- */

void sets_cpu_improve(struct sets_cpu_worker *w, int64_t makespan, const int64_t *order)
{
	struct sets_cpu_search *s = w->search;

	w->ub = makespan;
	pthread_mutex_lock(&s->best_lock);
	if (makespan < s->best) {
		s->best = makespan;
		s->found = true;
		for (int i = 0; i < s->tables.jobs; i++)
			s->order[i] = s->label[order[i]];
		atomic_store(&s->ub, makespan);
		watch_incumbent(s->team.request->watch, makespan);
		exchange_offer(s->team.request->exchange, EXCHANGE_SEARCH, makespan, s->order);
	}
	pthread_mutex_unlock(&s->best_lock);
}

/* Takes a better schedule of the heuristics beside the search. The other members wait. */
static void take_exchanged(struct sets_cpu_search *s)
{
	struct exchange *x = s->team.request->exchange;

	if (exchange_value(x) >= s->best)
		return;
	s->best = exchange_take(x, s->best, s->order);
	s->found = true;
	atomic_store(&s->ub, s->best);
}

/* ---- pieces; called by member 0 between barriers ---- */

static struct sets_cpu_layer *deepest_open(struct sets_cpu_search *s, int *left)
{
	for (*left = 1; *left <= s->tables.jobs; (*left)++) {
		if (s->layer[*left].done < s->layer[*left].count)
			return &s->layer[*left];
	}
	return NULL;
}

/* Returns the number of segments that can be expanded such that half of the free memory holds all
 * their children. If this is certain even for full segments, their sizes are not read, because all
 * other members are waiting. */
static uint64_t fitting(const struct sets_cpu_search *s, const struct sets_cpu_piece *p)
{
	uint64_t nodes = free_bytes(s) / 2 / ((uint64_t)p->left * node_bytes(s));
	uint64_t segments = 0;

	if (nodes / (uint64_t)s->kernel->lanes >= p->segments)
		return p->segments;
	while (segments < p->segments && p->segment[segments].count <= nodes)
		nodes -= p->segment[segments++].count;
	return segments ? segments : 1;
}

/* A dive is complete: the next may be wider, unless schedules are still improving. */
static void next_dive(struct sets_cpu_search *s)
{
	enum { FIRST = 1 << 14, WIDEST = 1 << 18, WIDER = 4 };

	if (!s->dive || s->best < s->dive_ub)
		s->dive = FIRST;
	else if (s->dive < WIDEST)
		s->dive *= WIDER;
	s->dive_ub = s->best;
}

static void choose_piece(struct sets_cpu_search *s)
{
	struct sets_cpu_piece *p = &s->piece;
	struct sets_cpu_layer *l = deepest_open(s, &p->left);

	take_exchanged(s);
	if (s->collect_failed)
		atomic_store(&s->out_of_memory, true);
	s->finished = !l || atomic_load(&s->out_of_memory) || task_team_stops(&s->team);
	if (s->finished)
		return;
	p->segment = l->segment + l->done;
	p->segments = l->count - l->done < s->dive ? l->count - l->done : s->dive;
	p->segments = fitting(s, p);
	l->nodes -= l->nodes * (double)p->segments / (double)(l->count - l->done);
	l->done += p->segments;
}

/* Tells what is left. All nodes of a layer have the same depth. */
static void show_left(struct sets_cpu_search *s)
{
	const struct dfs_levels *l = dfs_gauge_levels(&s->gauge, s->best);
	double nodes = 0;

	for (int left = 1; l && left <= s->tables.jobs; left++)
		nodes += s->layer[left].nodes * l->below[s->tables.jobs - left];
	if (l)
		watch_left(s->team.request->watch, 0, nodes);
}

/* The children of the piece are the layer below, if there are any. */
static void count_layer(struct sets_cpu_search *s)
{
	uint64_t made = 0;

	for (int i = 0; i < s->team.threads; i++)
		made += s->worker[i].explored;
	if (s->piece.left > 1)
		s->layer[s->piece.left - 1].nodes = (double)(made - s->made);
	s->made = made;
	show_left(s);
}

/* The piece has been expanded. After the last piece of a layer, frees its nodes. */
static void next_piece(struct sets_cpu_search *s)
{
	struct sets_cpu_layer *l = &s->layer[s->piece.left];

	if (l->done == l->count)
		move_chunks(&s->free_chunks, &l->chunks);
	count_layer(s);
	if (s->piece.left == 1 || !s->layer[s->piece.left - 1].count)
		next_dive(s);
	choose_piece(s);
}

/* ---- the members ---- */

/* Returns false if there is no memory. */
static bool expand_part(struct sets_cpu_worker *w, uint64_t i, uint32_t member)
{
	struct sets_cpu_search *s = w->search;
	uint64_t lanes = (uint64_t)s->kernel->lanes, parts = s->piece.parts;
	uint64_t from = i / parts * lanes, left = s->piece.children - from, outs = w->outs;

	if (!s->kernel->expand(w, from, (int)(left < lanes ? left : lanes), i % parts))
		return false;
	s->part[i] = (struct sets_cpu_part){ member, outs, w->outs - outs };
	return true;
}

static bool push_segments(struct sets_cpu_worker *w, uint64_t i)
{
	struct sets_cpu_piece *p = &w->search->piece;
	uint64_t from = i * PUSH_SEGMENTS, end = from + PUSH_SEGMENTS, outs = w->outs;

	if (!w->search->kernel->push(w, from, end < p->segments ? end : p->segments))
		return false;
	for (; outs < w->outs; outs++)
		atomic_fetch_add_explicit(&p->place[sets_cpu_child(p, w->out[outs].set)], 1,
					  memory_order_relaxed);
	return true;
}

static void expand_tasks(struct task_member *m)
{
	struct sets_cpu_search *s = m->team->work_context;
	struct sets_cpu_worker *w = &s->worker[m->id];
	uint64_t i;

	w->batch = UINT64_MAX; /* none */
	while (task_team_take(m, 1, &i)) {
		if (!(s->piece.push ? push_segments(w, i) : expand_part(w, i, (uint32_t)m->id))) {
			atomic_store(&s->out_of_memory, true);
			return;
		}
		watch_count(m->team->request->watch, m->id, w->decomposed);
		if (task_team_stops(m->team) ||
		    atomic_load_explicit(&s->out_of_memory, memory_order_relaxed))
			return;
	}
}

/* Returns false if the search stopped or is out of memory; then the members' output is not
 * collected. */
static bool expand_piece(struct task_member *m)
{
	struct sets_cpu_search *s = m->team->work_context;

	index_piece(m);
	expand_tasks(m);
	task_team_barrier(m->team);
	if (atomic_load(&s->team.stopped) || atomic_load(&s->out_of_memory)) {
		if (m->id == 0)
			s->aborted = true;
		return false;
	}
	collect_layer(m);
	if (m->id == 0)
		next_piece(s);
	task_team_barrier(m->team);
	return true;
}

static void finish_piece(struct task_member *m)
{
	struct sets_cpu_search *s = m->team->work_context;

	task_team_barrier(m->team); /* all members know that this is the last job */
	if (m->id == 0) {
		s->kernel->finish(&s->worker[0]);
		next_piece(s);
	}
	task_team_barrier(m->team);
}

static void work(struct task_member *m)
{
	struct sets_cpu_search *s = m->team->work_context;

	if (m->id == 0)
		choose_piece(s);
	task_team_barrier(m->team);
	while (!s->finished) {
		if (s->piece.left == 1)
			finish_piece(m);
		else if (!expand_piece(m))
			return;
	}
}

/* ---- set up ---- */

bool sets_cpu_supports(const struct search_request *r)
{
	return r->flowshop && r->branching == FSP_FORWARD && r->bound == FSP_LB2 &&
	       r->flowshop->jobs <= SETS_CPU_JOBS_MAX;
}

static int make_worker(struct sets_cpu_search *s, struct sets_cpu_worker *w, struct err *e)
{
	w->search = s;
	w->ub = s->best;
	w->scratch = task_team_alloc(s->kernel->scratch_bytes(&s->tables));
	if (!w->scratch)
		return err_set(e, ERR_MEMORY, "no memory for a thread's tables");
	s->kernel->scratch_make(&s->tables, w->scratch);
	return 0;
}

static int make_tables(struct sets_cpu_search *s, struct err *e)
{
	s->kernel_tables = task_team_alloc(s->kernel->tables_bytes(&s->tables));
	s->worker = task_team_alloc((size_t)s->team.members * sizeof(*s->worker));
	if (!s->kernel_tables || !s->worker)
		return err_set(e, ERR_MEMORY, "no memory for tables of %d jobs", s->tables.jobs);
	memset(s->worker, 0, (size_t)s->team.members * sizeof(*s->worker));
	s->kernel->tables_make(&s->tables, s->kernel_tables);
	return make_layers(s, e);
}

/* All jobs are unscheduled and the front is zero: the first job is not appended to the heads. */
static int make_root(struct sets_cpu_search *s, struct err *e)
{
	struct sets_cpu_layer *l = &s->layer[s->tables.jobs];
	size_t bytes = (size_t)s->tables.machines * 4 * s->kernel->cell;
	void *rows = sets_cpu_reserve(&s->worker[0], bytes);

	l->segment = malloc(sizeof(*l->segment));
	if (!rows || !l->segment)
		return err_set(e, ERR_MEMORY, "no memory for open nodes in %" PRIu64 " bytes",
			       s->budget);
	memset(rows, 0, bytes);
	l->segment[0] = (struct sets_cpu_segment){ (uint32_t)((UINT64_C(1) << s->tables.jobs) - 1),
						   1, rows };
	l->count = l->room = 1;
	l->nodes = 1;
	move_chunks(&l->chunks, &s->worker[0].chunks);
	return 0;
}

/* Palmer's slope index: large for jobs that should be placed early. */
static int64_t slope(const struct flowshop *f, int job)
{
	int64_t sum = 0;

	for (int k = 0; k < f->machines; k++)
		sum += (int64_t)(2 * k - f->machines + 1) * f->time[k * f->jobs + job];
	return sum;
}

/* Gives late jobs the low numbers. Most sets of the largest layers then differ only in low bits,
 * and the parents of consecutive sets lie close together. */
static void number_jobs(struct sets_cpu_search *s, const struct flowshop *f)
{
	for (int j = 0; j < f->jobs; j++) {
		int at = j;

		for (; at > 0 && slope(f, s->label[at - 1]) > slope(f, j); at--)
			s->label[at] = s->label[at - 1];
		s->label[at] = j;
	}
}

static int make_instance_tables(struct sets_cpu_search *s, const struct flowshop *f, struct err *e)
{
	struct flowshop numbered = { .jobs = f->jobs, .machines = f->machines };
	int status;

	number_jobs(s, f);
	numbered.time = malloc((size_t)(f->jobs * f->machines) * sizeof(*numbered.time));
	if (!numbered.time)
		return err_set(e, ERR_MEMORY, "no memory for the times of %s", f->name);
	for (int i = 0; i < f->jobs * f->machines; i++)
		numbered.time[i] = f->time[i / f->jobs * f->jobs + s->label[i % f->jobs]];
	status = fsp_tables_make(&s->tables, &numbered, FSP_ALL_PAIRS, e);
	free(numbered.time);
	return status;
}

static int make_search(void *search, const struct search_request *r, struct err *e)
{
	struct sets_cpu_search *s = search;
	int n = r->flowshop->jobs, status;

	pthread_mutex_init(&s->best_lock, NULL);
	pthread_mutex_init(&s->memory_lock, NULL);
	status = make_instance_tables(s, r->flowshop, e);
	if (status)
		return status;
	s->kernel = fsp_fits_16_bits(r->flowshop) ? &sets_cpu_kernel_16 : &sets_cpu_kernel_32;
	s->best = r->ub;
	atomic_init(&s->ub, r->ub);
	s->order = malloc((size_t)n * sizeof(*s->order));
	if (!s->order)
		return err_set(e, ERR_MEMORY, "no memory for a schedule");
	if (r->start) {
		memcpy(s->order, r->start, (size_t)n * sizeof(*s->order));
		s->found = true;
	}
	if ((status = make_memory(s, r, e)) || (status = make_tables(s, e)))
		return status;
	for (int i = 0; i < s->team.members && !status; i++)
		status = make_worker(s, &s->worker[i], e);
	next_dive(s);
	dfs_gauge_open(&s->gauge, r, r->ub, 1, 0);
	return status ? status : make_root(s, e);
}

static void release(void *search)
{
	struct sets_cpu_search *s = search;

	free_memory(s);
	fsp_tables_free(&s->tables);
	dfs_gauge_close(&s->gauge);
	pthread_mutex_destroy(&s->best_lock);
	pthread_mutex_destroy(&s->memory_lock);
	free(s->order);
}

/* ---- the outcome ---- */

static uint64_t nodes_of(const struct sets_cpu_segment *segment, uint64_t count)
{
	uint64_t nodes = 0;

	for (uint64_t i = 0; i < count; i++)
		nodes += segment[i].count;
	return nodes;
}

/* Counts the nodes in the layers, in a piece that was not completely expanded, and among the
 * children made from that piece. */
static uint64_t nodes_left(const struct sets_cpu_search *s)
{
	uint64_t nodes = 0;

	for (int left = 1; left <= s->tables.jobs; left++) {
		const struct sets_cpu_layer *l = &s->layer[left];

		nodes += nodes_of(l->segment + l->done, l->count - l->done);
	}
	if (!s->aborted)
		return nodes;
	nodes += nodes_of(s->piece.segment, s->piece.segments);
	for (int i = 0; i < s->team.threads; i++)
		nodes += nodes_of(s->worker[i].out, s->worker[i].outs);
	return nodes;
}

/* Nodes move between members in segments, so there is one balance for all members. */
static int check_balance(const struct sets_cpu_search *s, const struct search_outcome *o,
			 struct err *e)
{
	static const struct balance_name all = { "flowshop on cores by sets", NULL, -1, NULL };
	struct balance b = {
		.initial = 1, .pushed = o->explored, .popped = o->decomposed, .left = nodes_left(s)
	};
	uint64_t children = 0;
	int status = task_team_check(&s->team, all.engine, o->complete, e);

	if (!status)
		status = balance_check(&b, &all, o->complete, e);
	if (status || !o->complete)
		return status;
	for (int i = 0; i < s->team.threads; i++)
		children += s->worker[i].children;
	return balance_equal(&all, "are children", children, "evaluated", o->evaluated, e);
}

static int report(void *search, struct search_outcome *o, struct err *e)
{
	struct sets_cpu_search *s = search;
	bool memory = atomic_load(&s->out_of_memory);

	task_team_report(&s->team, o);
	for (int i = 0; i < s->team.threads; i++) {
		const struct sets_cpu_worker *w = &s->worker[i];

		o->worker_explored[i] = w->explored;
		o->explored += w->explored;
		o->decomposed += w->decomposed;
		o->leaves += w->leaves;
		o->evaluated += w->evaluated;
		o->seconds_tables += w->seconds_rows / s->team.threads;
	}
	o->memory_peak = s->fresh * s->chunk_bytes;
	o->complete = !memory && !atomic_load(&s->team.stopped);
	o->best = s->best;
	o->lower_bound = s->best;
	if (!o->complete) { /* until the last node is done, only the bound of the root is proved */
		int64_t root = fsp_root_bound(&s->tables, FSP_LB2);

		o->lower_bound = root < s->best ? root : s->best;
	}
	if (s->found) {
		o->order = s->order;
		s->order = NULL;
	}
	if (!memory && check_balance(s, o, e)) {
		o->complete = false;
		return ERR_FAILED;
	}
	if (o->complete)
		return 0;
	return memory ? err_set(e, ERR_MEMORY, "the open nodes do not fit in %" PRIu64 " bytes",
				s->budget) :
			interrupt_status(&s->team.interrupt, e);
}

int sets_cpu(const struct search_request *r, struct search_outcome *o, struct err *e)
{
	static const struct task_team_search search = {
		.size = sizeof(struct sets_cpu_search),
		.make = make_search,
		.work = work,
		.report = report,
		.release = release,
	};

	return task_team_search(&search, r, o, e);
}
