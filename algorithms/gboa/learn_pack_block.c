/* A few variables learned together, a parent of each at a time. */
#include <stdlib.h>
#include <string.h>

#include "algorithms/gboa/learn_packed.h"

/* A variable that is being learned. */
struct target {
	int32_t variable, kept;
	int parents;
	int32_t parent[BOA_PARENTS_MAX];
	bool grows; /* may get one more */
	uint32_t score;
	uint32_t total[2 << BOA_PARENTS_MAX];      /* of sets S, pack_choose() */
	const uint32_t *set[1 << BOA_PARENTS_MAX]; /* individuals of S */
	uint32_t *counts[1 << BOA_PARENTS_MAX];    /* of S with each candidate */
};

struct pack_block {
	struct target target[PACK_TARGETS];
	uint32_t *sets, *counts; /* of all targets */
	struct pack_job *jobs;
};

int pack_block_create(struct pack_block **out, const struct learn_packed *l, struct err *e)
{
	size_t sets = (size_t)1 << l->options.max_parents, room = pack_whole_tiles(l->n);
	struct pack_block *s = *out = calloc(1, sizeof(*s));

	if (!s)
		return err_set(e, ERR_MEMORY, "no memory for the variables being learned");
	s->sets = malloc(PACK_TARGETS * sets * l->pack.words * sizeof(*s->sets));
	s->counts = malloc(PACK_TARGETS * sets * room * sizeof(*s->counts));
	s->jobs = malloc(PACK_TARGETS * sets * sizeof(*s->jobs));
	if (s->sets && s->counts && s->jobs)
		return 0;
	pack_block_destroy(s);
	*out = NULL;
	return err_set(e, ERR_MEMORY, "no memory for counts with %d candidates", l->n);
}

void pack_block_destroy(struct pack_block *s)
{
	if (!s)
		return;
	free(s->sets);
	free(s->counts);
	free(s->jobs);
	free(s);
}

static void begin_target(const struct pack_call *p, struct pack_block *s, int which, int32_t kept)
{
	const struct learn_packed *l = p->l;
	struct target *t = &s->target[which];
	size_t sets = (size_t)1 << l->options.max_parents, room = pack_whole_tiles(l->n);

	t->kept = kept;
	t->variable = (int32_t)l->variable[kept];
	t->parents = 0;
	t->grows = l->options.max_parents > 0 && kept > 0;
	t->total[0] = (uint32_t)l->count;
	t->total[1] = l->ones[kept];
	t->score = k2_cell(l->table.at, t->total[0] - t->total[1], t->total[1]);
	t->counts[0] = l->ones;
	for (size_t i = 1; i < sets; i++)
		t->counts[i] = s->counts + ((size_t)which * sets + i) * room;
}

/* Individuals of a set that has the newest parent in it: of the rest and that parent. */
static const uint32_t *make_set(const struct pack_call *p, uint32_t *to, const struct target *t,
				uint32_t rest)
{
	const uint32_t *newest = pack_row(p->d, t->parent[t->parents - 1]);

	if (rest == 0)
		return newest;
	for (size_t w = 0; w < p->l->pack.words; w++)
		to[w] = t->set[rest][w] & newest[w];
	return to;
}

/* The sets whose counts the next parent needs and that are not counted yet. */
static int add_jobs(const struct pack_call *p, struct pack_block *s, int which, size_t candidates,
		    int jobs)
{
	struct target *t = &s->target[which];
	size_t sets = (size_t)1 << p->l->options.max_parents;
	uint32_t first = UINT32_C(1) << t->parents;

	for (uint32_t i = first; i < 2 * first; i++) {
		uint32_t *to = s->sets + ((size_t)which * sets + i) * p->l->pack.words;

		t->set[i] = t->parents == 0 ? pack_row(p->d, t->variable) :
					      make_set(p, to, t, i - first);
		memset(t->counts[i], 0, candidates * sizeof(*t->counts[i]));
		s->jobs[jobs++] = (struct pack_job){ t->set[i], t->counts[i] };
	}
	return jobs;
}

static void grow(const struct pack_call *p, struct target *t)
{
	const struct learn_packed *l = p->l;
	uint32_t total[2 << BOA_PARENTS_MAX], sets = UINT32_C(2) << t->parents;
	struct pack_choice best;

	memcpy(total, t->total, sets * sizeof(*total));
	pack_configurations(total, t->parents + 1);
	best = pack_choose(l, t->parents, t->kept, t->counts, total, t->score);
	if (best.gain == 0) {
		t->grows = false;
		return;
	}
	for (uint32_t i = 0; i < sets; i++)
		t->total[i | sets] = t->counts[i][best.candidate];
	t->score += (uint32_t)best.gain;
	t->parent[t->parents++] = (int32_t)l->variable[best.candidate];
	t->grows = t->parents < l->options.max_parents;
}

static void finish_target(const struct pack_call *p, struct target *t)
{
	int32_t v = t->variable, k = p->b->k;
	uint32_t *thresholds = p->b->thresholds + ((size_t)v << k);

	p->b->parent_count[v] = t->parents;
	memcpy(p->b->parents + (size_t)v * (size_t)k, t->parent,
	       (size_t)t->parents * sizeof(*t->parent));
	pack_configurations(t->total, t->parents + 1);
	for (uint32_t a = 0; a < UINT32_C(1) << t->parents; a++)
		thresholds[a] =
			boa_threshold(t->total[2 * a + 1], t->total[2 * a] + t->total[2 * a + 1],
				      p->l->options.smoothing);
}

void pack_block_learn(const struct pack_call *p, struct pack_block *s, int32_t first, int32_t last)
{
	int targets = last - first, jobs;

	for (int i = 0; i < targets; i++)
		begin_target(p, s, i, first + i);
	for (;;) {
		jobs = 0;
		for (int i = 0; i < targets; i++)
			if (s->target[i].grows)
				jobs = add_jobs(p, s, i, pack_whole_tiles(last - 1), jobs);
		if (jobs == 0)
			break;
		pack_count(&p->l->pack, last - 1, s->jobs, jobs);
		for (int i = 0; i < targets; i++)
			if (s->target[i].grows)
				grow(p, &s->target[i]);
	}
	for (int i = 0; i < targets; i++)
		finish_target(p, &s->target[i]);
}
