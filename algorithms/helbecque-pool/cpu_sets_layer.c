#include "cpu_sets.h"

#include <stdlib.h>
#include <string.h>

static uint64_t share_from(uint64_t count, const struct cpu_member *m)
{
	return count * (uint64_t)m->id / (uint64_t)m->team->threads;
}

static uint64_t share_end(uint64_t count, const struct cpu_member *m)
{
	return count * (uint64_t)(m->id + 1) / (uint64_t)m->team->threads;
}

/* What the members before this one counted; *total: all of them. */
static uint64_t counted_before(const struct sets_search *s, const struct cpu_member *m,
			       uint64_t *total)
{
	uint64_t before = 0;

	*total = 0;
	for (int i = 0; i < m->team->threads; i++) {
		before += i < m->id ? s->member_count[i] : 0;
		*total += s->member_count[i];
	}
	return before;
}

/* The first segment whose set is in this word of the bit map or a later one. */
static uint64_t first_segment(const struct sets_piece *p, uint64_t word)
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

/* The member's words of the parents' bit map; returns how many sets. */
static uint64_t mark_parents(struct sets_piece *p, uint64_t from, uint64_t end)
{
	uint64_t sets = 0;

	memset(p->parent + from, 0, (size_t)(end - from) * sizeof(*p->parent));
	for (uint64_t i = first_segment(p, from); i < p->segments && p->segment[i].set / 64 < end;
	     i++) {
		uint32_t set = p->segment[i].set;

		sets += !(p->parent[set / 64] >> set % 64 & 1);
		p->parent[set / 64] |= UINT64_C(1) << set % 64;
	}
	return sets;
}

static void rank_parents(struct sets_piece *p, uint64_t from, uint64_t end, uint64_t rank)
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

/* Sets of one word of the bit map that are a parent's set less one job. */
static uint64_t children_of_word(const struct sets_piece *p, uint64_t word)
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

static uint64_t mark_children(struct sets_piece *p, uint64_t from, uint64_t end)
{
	uint64_t sets = 0;

	for (uint64_t word = from; word < end; word++) {
		p->child[word] = children_of_word(p, word);
		sets += (uint64_t)__builtin_popcountll(p->child[word]);
	}
	return sets;
}

static void list_children(struct sets_piece *p, uint64_t from, uint64_t end, uint64_t at)
{
	for (uint64_t word = from; word < end; word++) {
		for (uint64_t bits = p->child[word]; bits; bits &= bits - 1)
			p->child_set[at++] = (uint32_t)(word * 64 +
							(uint64_t)__builtin_ctzll(bits));
	}
}

/* Room for the list of children and for their batches; member 0 between meetings. */
static void make_room(struct sets_search *s, uint64_t children)
{
	uint64_t lanes = (uint64_t)s->kernel->lanes, batches = (children + lanes - 1) / lanes;

	if (children > s->child_room) {
		free(s->piece.child_set);
		s->piece.child_set = malloc((size_t)children * sizeof(*s->piece.child_set));
		s->child_room = s->piece.child_set ? children : 0;
	}
	if (batches > s->batch_room) {
		free(s->batch);
		s->batch = malloc((size_t)batches * sizeof(*s->batch));
		s->batch_room = s->batch ? batches : 0;
	}
	s->piece.children = children <= s->child_room && batches <= s->batch_room ? children : 0;
	if (s->piece.children < children)
		atomic_store(&s->out_of_memory, true);
	cpu_team_divide(&s->team, (s->piece.children + lanes - 1) / lanes);
}

void sets_index(struct cpu_member *m)
{
	struct sets_search *s = m->team->work_context;
	struct sets_piece *p = &s->piece;
	uint64_t from = share_from(p->words, m), end = share_end(p->words, m), total, before;

	s->member_count[m->id] = mark_parents(p, from, end);
	cpu_team_meet(m->team);
	before = counted_before(s, m, &total);
	rank_parents(p, from, end, before);
	if (m->id == 0)
		p->first[total] = (uint32_t)p->segments;
	cpu_team_meet(m->team); /* all have read the counts */
	s->member_count[m->id] = mark_children(p, from, end);
	cpu_team_meet(m->team);
	before = counted_before(s, m, &total);
	if (m->id == 0)
		make_room(s, total);
	cpu_team_meet(m->team);
	if (p->children)
		list_children(p, from, end, before);
	cpu_team_meet(m->team);
}

/* Where each batch's segments go; member 0. */
static void place_batches(struct sets_search *s, uint64_t batches)
{
	struct sets_layer *below = &s->layer[s->piece.left - 1];
	uint64_t total = 0;

	for (uint64_t b = 0; b < batches; b++)
		total += s->batch[b].count;
	free(below->segment);
	*below = (struct sets_layer){ .segment = malloc((size_t)(total + 1) *
							sizeof(*below->segment)) };
	for (int i = 0; i < s->team.threads; i++) {
		struct sets_worker *w = &s->worker[i];
		struct sets_chunk **last = &w->chunk;

		while (*last)
			last = &(*last)->next;
		*last = below->chunk;
		below->chunk = w->chunk;
		w->chunk = NULL;
	}
	if (below->segment)
		below->count = total;
	else
		s->collect_failed = true;
}

void sets_collect(struct cpu_member *m)
{
	struct sets_search *s = m->team->work_context;
	uint64_t lanes = (uint64_t)s->kernel->lanes;
	uint64_t batches = (s->piece.children + lanes - 1) / lanes, at = 0;
	uint64_t from = share_from(batches, m), end = share_end(batches, m);
	struct sets_layer *below = &s->layer[s->piece.left - 1];

	if (m->id == 0)
		place_batches(s, batches);
	cpu_team_meet(m->team);
	for (uint64_t b = 0; b < end && below->count; b++) {
		const struct sets_batch *k = &s->batch[b];

		if (b >= from && k->count)
			memcpy(below->segment + at, s->worker[k->worker].out + k->from,
			       (size_t)k->count * sizeof(*below->segment));
		at += k->count;
	}
	cpu_team_meet(m->team); /* the others' lists have been read */
	s->worker[m->id].outs = 0;
}
