#include "algorithms/tree-search/by-set/sets_cpu.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "harness/base/host_memory.h"

/* A vector may end behind the last cell. */
enum { SLACK = 64, ALIGNMENT = 64, HUGE_PAGE = 2 << 20 };

static size_t header_bytes(void)
{
	return (sizeof(struct sets_cpu_chunk) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

uint64_t sets_cpu_node_bytes(const struct sets_cpu_search *s)
{
	uint64_t path = (uint64_t)(s->tables.jobs / s->kernel->jobs_a_cell + 1);

	return ((uint64_t)s->tables.machines + path) * s->kernel->cell;
}

/* A power of two that takes any segment. */
static size_t choose_chunk_bytes(const struct sets_cpu_search *s)
{
	enum { LARGEST = 256 << 10, CHUNKS_A_THREAD = 64 };
	uint64_t least = SETS_CPU_SEGMENT_MAX * sets_cpu_node_bytes(s) + header_bytes() + SLACK;
	uint64_t share = s->budget / (uint64_t)(s->team.threads * CHUNKS_A_THREAD);
	size_t bytes = LARGEST;

	while (bytes > share && bytes / 2 >= least)
		bytes /= 2;
	return bytes;
}

/* Large pages where there is memory for one a thread and more. */
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

/* Segments are read in the order of their sets, not of their addresses: with small pages every
 * other one would miss the translation buffer, and filling fresh ones would take a fifth of the
 * time. */
int sets_cpu_memory_make(struct sets_cpu_search *s, const struct search_request *r, struct err *e)
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
		madvise(s->arena, s->mapped, MADV_HUGEPAGE); /* a wish: it may fail */
	return 0;
}

uint64_t sets_cpu_memory_free_bytes(const struct sets_cpu_search *s)
{
	return (s->chunks - s->fresh + s->free_chunks.count) * s->chunk_bytes;
}

/* Consecutive ones lie in different pages: threads that ask at the same time would all clear the
 * same page, for one of them to keep it. */
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

void *sets_cpu_room(struct sets_cpu_worker *w, size_t bytes)
{
	size_t size = w->search->chunk_bytes - header_bytes();
	struct sets_cpu_chunk *c = w->chunks.first;
	void *room;

	if (!c || size - c->used < bytes + SLACK) {
		c = take_chunk(w->search);
		if (!c)
			return NULL;
		c->used = 0;
		sets_cpu_chunks_move(&w->chunks, &(struct sets_cpu_chunks){ c, c, 1 });
	}
	room = (char *)c + header_bytes() + c->used;
	c->used += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	return room;
}

bool sets_cpu_note_segment(struct sets_cpu_worker *w, uint32_t set, uint32_t count, void *rows)
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

void sets_cpu_chunks_move(struct sets_cpu_chunks *to, struct sets_cpu_chunks *from)
{
	if (!from->count)
		return;
	from->last->next = to->first;
	to->first = from->first;
	to->last = to->count ? to->last : from->last;
	to->count += from->count;
	*from = (struct sets_cpu_chunks){ 0 };
}

void sets_cpu_memory_free(struct sets_cpu_search *s)
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
	free(s->batch);
	free(s->worker);
	free(s->kernel_tables);
}
