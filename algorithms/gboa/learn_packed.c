#include "learn_packed.h"

#include <stdlib.h>
#include <string.h>

/* A variable that is being learned. */
struct target {
	int32_t variable, kept;
	int parents;
	int32_t parent[BOA_PARENTS_MAX];
	bool grows; /* may get one more */
	uint32_t score;
	uint32_t total[2 << BOA_PARENTS_MAX];           /* of sets S, pack_choose() */
	const uint32_t *set[1 << BOA_PARENTS_MAX];      /* individuals of S */
	uint32_t *counts[1 << BOA_PARENTS_MAX];         /* of S with each candidate */
};

struct packed_scratch {
	struct target target[PACK_TARGETS];
	uint32_t *sets, *counts; /* of all targets */
	struct pack_job *jobs;
};

/* A call's work, for the threads. */
struct packing {
	struct learn_packed *l;
	const struct boa_data *d;
	const int32_t *order;
	struct boa_network *b;
	int32_t first_kept, kept, blocks;
};

static size_t whole_tiles(int32_t variables)
{
	return ((size_t)variables + PACK_TILE - 1) / PACK_TILE * PACK_TILE;
}

static const uint32_t *row(const struct boa_data *d, int32_t variable)
{
	return d->words + (size_t)variable * d->stride;
}

/* ---- memory ---- */

static int create_scratch(struct learn_packed *l, struct packed_scratch *s)
{
	size_t sets = (size_t)1 << l->options.max_parents, room = whole_tiles(l->n);

	s->sets = malloc(PACK_TARGETS * sets * l->pack.words * sizeof(*s->sets));
	s->counts = malloc(PACK_TARGETS * sets * room * sizeof(*s->counts));
	s->jobs = malloc(PACK_TARGETS * sets * sizeof(*s->jobs));
	return s->sets && s->counts && s->jobs;
}

static bool create_parts(struct learn_packed *l)
{
	size_t room = whole_tiles(l->n);
	int threads = workers_threads(l->workers);

	l->pack.tiles = aligned_alloc(64, room * l->pack.words * sizeof(*l->pack.tiles));
	l->kept_from = malloc(((size_t)l->n + 1) * sizeof(*l->kept_from));
	l->variable = calloc(room, sizeof(*l->variable));
	l->ones = calloc(room, sizeof(*l->ones));
	l->scratch = calloc((size_t)threads, sizeof(*l->scratch));
	if (!l->pack.tiles || !l->kept_from || !l->variable || !l->ones || !l->scratch)
		return false;
	for (int t = 0; t < threads; t++)
		if (!create_scratch(l, &l->scratch[t]))
			return false;
	return true;
}

int learn_packed_create(struct learn_packed *l, int32_t n, int32_t count,
			const struct boa_options *o, struct workers *w, struct err *e)
{
	int status;

	*l = (struct learn_packed){ .options = *o, .n = n, .count = count, .workers = w,
				    .pack = { .words = boa_words(count) } };
	status = k2_table_create(&l->table, count, e);
	if (!status && !create_parts(l))
		status = err_set(e, ERR_MEMORY, "no memory to learn %d variables from %d individuals",
				 n, count);
	return status;
}

void learn_packed_destroy(struct learn_packed *l)
{
	for (int t = 0; l->scratch && t < workers_threads(l->workers); t++) {
		free(l->scratch[t].sets);
		free(l->scratch[t].counts);
		free(l->scratch[t].jobs);
	}
	free(l->scratch);
	free(l->pack.tiles);
	free(l->kept_from);
	free(l->variable);
	free(l->ones);
	k2_table_destroy(&l->table);
}

/* ---- candidates ---- */

/* Ones of each variable, for now at its rank. */
static void count_ones(void *context, uint64_t from, uint64_t to, int thread)
{
	const struct packing *p = context;

	(void)thread;
	for (uint64_t r = from; r < to; r++) {
		const uint32_t *x = row(p->d, p->order[r]);
		uint32_t sum = 0;

		for (size_t w = 0; w < p->l->pack.words; w++)
			sum += (uint32_t)__builtin_popcount(x[w]);
		p->l->ones[r] = sum;
	}
}

static void keep_variables(struct packing *p, int32_t ranks)
{
	struct learn_packed *l = p->l;
	int32_t kept = 0;

	for (int32_t r = 0; r < ranks; r++) {
		l->kept_from[r] = kept;
		if (l->ones[r] == 0 || l->ones[r] == (uint32_t)l->count)
			continue;
		l->variable[kept] = (uint32_t)p->order[r];
		l->ones[kept++] = l->ones[r];
	}
	l->kept_from[ranks] = kept;
	p->kept = kept;
	for (size_t c = (size_t)kept; c < whole_tiles(kept); c++) {
		l->variable[c] = 0;
		l->ones[c] = 0;
	}
}

static void fill_tiles(void *context, uint64_t from, uint64_t to, int thread)
{
	const struct packing *p = context;
	const struct pack *k = &p->l->pack;

	(void)thread;
	for (uint64_t t = from; t < to; t++) {
		uint32_t *tile = k->tiles + t * PACK_TILE * k->words;

		for (uint64_t c = t * PACK_TILE; c < (t + 1) * PACK_TILE; c++) {
			bool there = c < (uint64_t)p->kept;
			const uint32_t *x = there ? row(p->d, (int32_t)p->l->variable[c]) : NULL;

			for (size_t w = 0; w < k->words; w++)
				tile[w * PACK_TILE + c % PACK_TILE] = there ? x[w] : 0;
		}
	}
}

/* ---- one variable ---- */

static void begin_target(const struct packing *p, struct packed_scratch *s, int which,
			 int32_t kept)
{
	const struct learn_packed *l = p->l;
	struct target *t = &s->target[which];
	size_t sets = (size_t)1 << l->options.max_parents, room = whole_tiles(l->n);

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
static const uint32_t *make_set(const struct packing *p, uint32_t *to, const struct target *t,
				uint32_t rest)
{
	const uint32_t *newest = row(p->d, t->parent[t->parents - 1]);

	if (rest == 0)
		return newest;
	for (size_t w = 0; w < p->l->pack.words; w++)
		to[w] = t->set[rest][w] & newest[w];
	return to;
}

/* The sets whose counts the next parent needs and that are not counted yet. */
static int add_jobs(const struct packing *p, struct packed_scratch *s, int which,
		    size_t candidates, int jobs)
{
	struct target *t = &s->target[which];
	size_t sets = (size_t)1 << p->l->options.max_parents;
	uint32_t first = UINT32_C(1) << t->parents;

	for (uint32_t i = first; i < 2 * first; i++) {
		uint32_t *to = s->sets + ((size_t)which * sets + i) * p->l->pack.words;

		t->set[i] = t->parents == 0 ? row(p->d, t->variable)
					    : make_set(p, to, t, i - first);
		memset(t->counts[i], 0, candidates * sizeof(*t->counts[i]));
		s->jobs[jobs++] = (struct pack_job){ t->set[i], t->counts[i] };
	}
	return jobs;
}

static void grow(const struct packing *p, struct target *t)
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

static void finish_target(const struct packing *p, struct target *t)
{
	int32_t v = t->variable, k = p->b->k;
	uint32_t *thresholds = p->b->thresholds + ((size_t)v << k);

	p->b->parent_count[v] = t->parents;
	memcpy(p->b->parents + (size_t)v * (size_t)k, t->parent,
	       (size_t)t->parents * sizeof(*t->parent));
	pack_configurations(t->total, t->parents + 1);
	for (uint32_t a = 0; a < UINT32_C(1) << t->parents; a++)
		thresholds[a] = boa_threshold(t->total[2 * a + 1],
					      t->total[2 * a] + t->total[2 * a + 1],
					      p->l->options.smoothing);
}

/* ---- all of them ---- */

static void learn_block(const struct packing *p, struct packed_scratch *s, int32_t first,
			int32_t last)
{
	int targets = last - first, jobs;

	for (int i = 0; i < targets; i++)
		begin_target(p, s, i, first + i);
	for (;;) {
		jobs = 0;
		for (int i = 0; i < targets; i++)
			if (s->target[i].grows)
				jobs = add_jobs(p, s, i, whole_tiles(last - 1), jobs);
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

/* Later variables have more candidates: long and short blocks by turns, so that equal parts are
 * equal work. */
static void learn_blocks(void *context, uint64_t from, uint64_t to, int thread)
{
	const struct packing *p = context;

	for (uint64_t i = from; i < to; i++) {
		int32_t turn = (int32_t)(i / 2), block = i % 2 ? turn : p->blocks - 1 - turn;
		int32_t first = p->first_kept + block * PACK_TARGETS;
		int32_t last = first + PACK_TARGETS;

		learn_block(p, &p->l->scratch[thread], first, last < p->kept ? last : p->kept);
	}
}

/* A variable that has one value in all individuals has no parents. */
static void finish_constant(const struct packing *p, int32_t v)
{
	uint32_t ones = *row(p->d, v) & 1 ? (uint32_t)p->l->count : 0;

	p->b->parent_count[v] = 0;
	p->b->thresholds[(size_t)v << p->b->k] =
		boa_threshold(ones, (uint32_t)p->l->count, p->l->options.smoothing);
}

void learn_packed_some(struct learn_packed *l, const struct boa_data *d, const int32_t *order,
		       struct boa_network *b, int32_t first, int32_t last)
{
	struct packing p = { .l = l, .d = d, .order = order, .b = b };
	int32_t targets;

	workers_run(l->workers, (uint64_t)last, 16, count_ones, &p);
	keep_variables(&p, last);
	workers_run(l->workers, whole_tiles(p.kept) / PACK_TILE, 1, fill_tiles, &p);
	p.first_kept = l->kept_from[first];
	targets = p.kept - p.first_kept;
	p.blocks = (targets + PACK_TARGETS - 1) / PACK_TARGETS;
	workers_run(l->workers, (uint64_t)p.blocks, 1, learn_blocks, &p);
	for (int32_t r = first; r < last; r++)
		if (l->kept_from[r + 1] == l->kept_from[r])
			finish_constant(&p, order[r]);
}
