#include "algorithms/tree-search/by-set/sets_cpu.h"

#include <stdlib.h>
#include <string.h>

static uint64_t share_from(uint64_t count, const struct task_member *m)
{
	return count * (uint64_t)m->id / (uint64_t)m->team->threads;
}

static uint64_t share_end(uint64_t count, const struct task_member *m)
{
	return count * (uint64_t)(m->id + 1) / (uint64_t)m->team->threads;
}

/* What the members before this one counted; *total: all of them. */
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

/* Where the member's words of the parents' bit map begin: shares of about as many segments. */
static uint64_t word_from(const struct sets_cpu_piece *p, const struct task_member *m, int id)
{
	if (!id)
		return 0;
	if (id == m->team->threads)
		return p->words;
	return p->segment[p->segments * (uint64_t)id / (uint64_t)m->team->threads].set / 64;
}

/* These words of the parents' bit map; returns how many sets, *nodes: of all of them. */
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

/* Sets of one word of the bit map that are a parent's set less one job. */
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
		for (uint64_t bits = p->child[word]; bits; bits &= bits - 1)
			p->child_set[at++] =
				(uint32_t)(word * 64 + (uint64_t)__builtin_ctzll(bits));
	}
}

/* The most sets of one size that n jobs have. */
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

int sets_cpu_layer_make(struct sets_cpu_search *s, struct err *e)
{
	struct sets_cpu_piece *p = &s->piece;
	int jobs = s->tables.jobs;
	size_t words = jobs > 6 ? (size_t)1 << (jobs - 6) : 1;
	size_t sets = (size_t)sets_of_half(jobs);

	p->words = words;
	p->parent = malloc(words * sizeof(*p->parent));
	p->child = malloc(words * sizeof(*p->child));
	p->rank = malloc(words * sizeof(*p->rank));
	p->first = malloc((sets + 1) * sizeof(*p->first));
	p->child_set = malloc(sets * sizeof(*p->child_set));
	s->batch = malloc((size_t)batches_of(s, sets) * sizeof(*s->batch));
	if (!p->parent || !p->child || !p->rank || !p->first || !p->child_set || !s->batch)
		return err_set(e, ERR_MEMORY, "no memory for the sets of %d jobs", jobs);
	return 0;
}

void sets_cpu_index(struct task_member *m)
{
	struct sets_cpu_search *s = m->team->work_context;
	struct sets_cpu_piece *p = &s->piece;
	uint64_t from = share_from(p->words, m), end = share_end(p->words, m), total, before;
	uint64_t from_parents = word_from(p, m, m->id), end_parents = word_from(p, m, m->id + 1);

	s->member_count[COUNT_PARENTS][m->id] =
		mark_parents(p, from_parents, end_parents, &s->worker[m->id].parents);
	task_team_meet(m->team);
	before = counted_before(m, COUNT_PARENTS, &total);
	rank_parents(p, from_parents, end_parents, before);
	if (m->id == 0)
		p->first[total] = (uint32_t)p->segments;
	s->member_count[COUNT_CHILDREN][m->id] = mark_children(p, from, end);
	task_team_meet(m->team);
	before = counted_before(m, COUNT_CHILDREN, &total);
	list_children(p, from, end, before);
	if (m->id == 0) {
		p->children = total;
		task_team_divide(m->team, batches_of(s, total));
	}
	task_team_meet(m->team);
}

/* Room for what all members made; member 0. */
static void make_layer(struct sets_cpu_search *s, struct sets_cpu_layer *l)
{
	uint64_t count = 0;

	for (int i = 0; i < s->team.threads; i++)
		count += s->worker[i].outs;
	if (count > l->room) {
		free(l->segment);
		l->room = count + count / 2; /* so that it seldom grows */
		l->segment = malloc((size_t)l->room * sizeof(*l->segment));
	}
	s->collect_failed = count && !l->segment;
	l->count = s->collect_failed ? 0 : count;
	l->done = 0;
	for (int i = 0; i < s->team.threads; i++)
		sets_cpu_chunks_move(&l->chunks, &s->worker[i].chunks);
}

static uint64_t segments_of(const struct sets_cpu_search *s, uint64_t from, uint64_t end)
{
	uint64_t count = 0;

	for (uint64_t b = from; b < end; b++)
		count += s->batch[b].count;
	return count;
}

void sets_cpu_collect(struct task_member *m)
{
	struct sets_cpu_search *s = m->team->work_context;
	struct sets_cpu_worker *w = &s->worker[m->id];
	struct sets_cpu_layer *below = &s->layer[s->piece.left - 1];
	uint64_t batches = batches_of(s, s->piece.children), total;
	uint64_t from = share_from(batches, m), end = share_end(batches, m), at;

	w->decomposed += w->parents;
	w->children += w->parents * (uint64_t)s->piece.left;
	s->member_count[COUNT_SEGMENTS][m->id] = segments_of(s, from, end);
	if (m->id == 0)
		make_layer(s, below);
	task_team_meet(m->team);
	at = counted_before(m, COUNT_SEGMENTS, &total);
	for (uint64_t b = from; b < end && below->count; b++) {
		const struct sets_cpu_batch *k = &s->batch[b];

		if (k->count)
			memcpy(below->segment + at, s->worker[k->worker].out + k->from,
			       (size_t)k->count * sizeof(*below->segment));
		at += k->count;
	}
	task_team_meet(m->team); /* the others' lists have been read */
	w->outs = 0;
}
