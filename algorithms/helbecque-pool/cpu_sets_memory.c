#include "cpu_sets.h"

#include <stdlib.h>
#include <sys/mman.h>

/* A vector may end behind the last cell. */
enum { SLACK = 64, ALIGNMENT = 64, HUGE_PAGE = 2 << 20 };

static size_t header_bytes(void)
{
	return (sizeof(struct sets_chunk) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Segments are read in the order of their sets, not of their addresses: with small pages every
 * other one would miss the translation buffer, and filling fresh ones would take a fifth of the
 * time. */
static struct sets_chunk *new_chunk(size_t bytes)
{
	bool huge = bytes % HUGE_PAGE == 0;
	struct sets_chunk *c = aligned_alloc(huge ? HUGE_PAGE : ALIGNMENT, bytes);

	if (c && huge)
		madvise(c, bytes, MADV_HUGEPAGE); /* a wish: what it returns does not matter */
	return c;
}

static struct sets_chunk *take_chunk(struct sets_search *s)
{
	struct sets_chunk *c = NULL;

	pthread_mutex_lock(&s->memory_lock);
	if (s->free_chunk) {
		c = s->free_chunk;
		s->free_chunk = c->next;
		s->held += s->chunk_bytes;
	} else if (s->held + s->chunk_bytes <= s->budget) {
		c = new_chunk(s->chunk_bytes);
		s->held += c ? s->chunk_bytes : 0;
	}
	s->peak = s->held > s->peak ? s->held : s->peak;
	pthread_mutex_unlock(&s->memory_lock);
	return c;
}

void *sets_room(struct sets_worker *w, size_t bytes)
{
	struct sets_chunk *c = w->chunk;
	void *room;

	if (!c || c->size - c->used < bytes + SLACK) {
		c = take_chunk(w->search);
		if (!c)
			return NULL;
		c->next = w->chunk;
		c->size = w->search->chunk_bytes - header_bytes();
		c->used = 0;
		w->chunk = c;
	}
	room = (char *)c + header_bytes() + c->used;
	c->used += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	return room;
}

bool sets_note_segment(struct sets_worker *w, uint32_t set, uint32_t count, void *rows)
{
	if (w->outs == w->outs_room) {
		uint64_t room = 2 * w->outs_room + 1024;
		struct sets_segment *out = realloc(w->out, (size_t)room * sizeof(*out));

		if (!out)
			return false;
		w->out = out;
		w->outs_room = room;
	}
	w->out[w->outs++] = (struct sets_segment){ set, count, rows };
	return true;
}

void sets_chunks_give_back(struct sets_search *s, struct sets_chunk *list)
{
	pthread_mutex_lock(&s->memory_lock);
	while (list) {
		struct sets_chunk *next = list->next;

		list->next = s->free_chunk;
		s->free_chunk = list;
		s->held -= s->chunk_bytes;
		list = next;
	}
	pthread_mutex_unlock(&s->memory_lock);
}

static void free_list(struct sets_chunk *list)
{
	while (list) {
		struct sets_chunk *next = list->next;

		free(list);
		list = next;
	}
}

void sets_memory_free(struct sets_search *s)
{
	for (int i = 0; s->worker && i < s->team.threads; i++) {
		free_list(s->worker[i].chunk);
		free(s->worker[i].out);
		free(s->worker[i].scratch);
	}
	for (int left = 0; left <= SETS_JOBS_MAX; left++) {
		free_list(s->layer[left].chunk);
		free(s->layer[left].segment);
	}
	free_list(s->free_chunk);
	free(s->piece.parent);
	free(s->piece.rank);
	free(s->piece.first);
	free(s->piece.child);
	free(s->piece.child_set);
	free(s->batch);
	free(s->worker);
	free(s->kernel_tables);
}
