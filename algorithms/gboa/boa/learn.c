#include "algorithms/gboa/boa/learn.h"

#include <stdlib.h>
#include <string.h>

#include "algorithms/gboa/boa/learn_counts.h"
#include "algorithms/gboa/boa/learn_plain.h"

/* Variables learned together; they share the candidates' words. */
enum { TARGETS = 4 };

/* The packed learner: see learn.h. */
struct packed {
	struct boa_options options;
	int32_t n, count;
	struct team *team;
	struct boa_k2_table table;
	struct boa_pack pack;
	int32_t kept;
	int32_t *kept_from; /* n + 1: kept_from[r] is the number of kept variables of ranks below r
			     */
	uint32_t *variable; /* of the kept variables, padded to whole tiles */
	uint32_t *ones; /* number of individuals with a one in each kept variable, padded as well */
	struct block **block;          /* one for each thread */
	const struct boa_limit *limit; /* NULL: none */
};

/* The work of one call, shared by the threads. */
struct call {
	struct packed *l;
	const struct boa_data *d;
	const int32_t *order;
	struct boa_network *b;
	int32_t first_kept, kept, blocks;
};

static size_t whole_tiles(int32_t variables)
{
	return ((size_t)variables + BOA_PACK_TILE - 1) / BOA_PACK_TILE * BOA_PACK_TILE;
}

static const uint32_t *row_of(const struct boa_data *d, int32_t variable)
{
	return d->words + (size_t)variable * d->stride;
}

/* ---- a few variables together ---- */

/* A variable being learned. */
struct target {
	int32_t variable, kept;
	int parents;
	int32_t parent[BOA_PARENTS_MAX];
	bool grows; /* may get another parent */
	uint32_t score;
	uint32_t total[2 << BOA_PARENTS_MAX];      /* of sets S, see boa_pack_choose() */
	const uint32_t *set[1 << BOA_PARENTS_MAX]; /* individuals of S */
	uint32_t *counts[1 << BOA_PARENTS_MAX];    /* of S with each candidate */
};

struct block {
	struct target target[TARGETS];
	uint32_t *sets, *counts; /* of all targets */
	struct boa_pack_job *jobs;
};

static void block_destroy(struct block *s)
{
	if (!s)
		return;
	free(s->sets);
	free(s->counts);
	free(s->jobs);
	free(s);
}

static int block_create(struct block **out, const struct packed *l, struct err *e)
{
	size_t sets = (size_t)1 << l->options.max_parents, room = whole_tiles(l->n);
	struct block *s = *out = calloc(1, sizeof(*s));

	if (!s)
		return err_set(e, ERR_MEMORY, "no memory for the variables being learned");
	s->sets = malloc(TARGETS * sets * l->pack.words * sizeof(*s->sets));
	s->counts = malloc(TARGETS * sets * room * sizeof(*s->counts));
	s->jobs = malloc(TARGETS * sets * sizeof(*s->jobs));
	if (s->sets && s->counts && s->jobs)
		return 0;
	block_destroy(s);
	*out = NULL;
	return err_set(e, ERR_MEMORY, "no memory for counts with %d candidates", l->n);
}

static void begin_target(const struct call *p, struct block *s, int which, int32_t kept)
{
	const struct packed *l = p->l;
	struct target *t = &s->target[which];
	size_t sets = (size_t)1 << l->options.max_parents, room = whole_tiles(l->n);

	t->kept = kept;
	t->variable = (int32_t)l->variable[kept];
	t->parents = 0;
	t->grows = l->options.max_parents > 0 && kept > 0;
	t->total[0] = (uint32_t)l->count;
	t->total[1] = l->ones[kept];
	t->score = boa_k2_cell(l->table.at, t->total[0] - t->total[1], t->total[1]);
	t->counts[0] = l->ones;
	for (size_t i = 1; i < sets; i++)
		t->counts[i] = s->counts + ((size_t)which * sets + i) * room;
}

/* Makes the individuals of a set that contains the newest parent: the intersection of those of
 * `rest` and of that parent. */
static const uint32_t *make_set(const struct call *p, uint32_t *to, const struct target *t,
				uint32_t rest)
{
	const uint32_t *newest = row_of(p->d, t->parent[t->parents - 1]);

	if (rest == 0)
		return newest;
	for (size_t w = 0; w < p->l->pack.words; w++)
		to[w] = t->set[rest][w] & newest[w];
	return to;
}

/* Adds jobs for the sets that the next parent needs and that are not counted yet. */
static int add_jobs(const struct call *p, struct block *s, int which, size_t candidates, int jobs)
{
	struct target *t = &s->target[which];
	size_t sets = (size_t)1 << p->l->options.max_parents;
	uint32_t first = UINT32_C(1) << t->parents;

	for (uint32_t i = first; i < 2 * first; i++) {
		uint32_t *to = s->sets + ((size_t)which * sets + i) * p->l->pack.words;

		t->set[i] =
			t->parents == 0 ? row_of(p->d, t->variable) : make_set(p, to, t, i - first);
		memset(t->counts[i], 0, candidates * sizeof(*t->counts[i]));
		s->jobs[jobs++] = (struct boa_pack_job){ t->set[i], t->counts[i] };
	}
	return jobs;
}

static void grow(const struct call *p, struct target *t)
{
	const struct packed *l = p->l;
	uint32_t total[2 << BOA_PARENTS_MAX], sets = UINT32_C(2) << t->parents;
	struct boa_pack_choice best;

	memcpy(total, t->total, sets * sizeof(*total));
	boa_pack_configurations(total, t->parents + 1);
	best = boa_pack_choose(&l->table, l->variable, t->parents, t->kept, t->counts, total,
			       t->score);
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

static void finish_target(const struct call *p, struct target *t)
{
	int32_t v = t->variable, k = p->b->k;
	uint32_t *thresholds = p->b->thresholds + ((size_t)v << k);

	p->b->parent_count[v] = t->parents;
	memcpy(p->b->parents + (size_t)v * (size_t)k, t->parent,
	       (size_t)t->parents * sizeof(*t->parent));
	boa_pack_configurations(t->total, t->parents + 1);
	for (uint32_t a = 0; a < UINT32_C(1) << t->parents; a++)
		thresholds[a] =
			boa_threshold(t->total[2 * a + 1], t->total[2 * a] + t->total[2 * a + 1],
				      p->l->options.smoothing);
}

static void block_learn(const struct call *p, struct block *s, int32_t first, int32_t last)
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
		boa_pack_count(&p->l->pack, last - 1, s->jobs, jobs);
		for (int i = 0; i < targets; i++)
			if (s->target[i].grows)
				grow(p, &s->target[i]);
	}
	for (int i = 0; i < targets; i++)
		finish_target(p, &s->target[i]);
}
/* ---- all variables ---- */

/* ---- memory ---- */

static int create_parts(struct packed *l, struct err *e)
{
	size_t room = whole_tiles(l->n);
	int threads = team_threads(l->team);

	l->pack.tiles = aligned_alloc(64, room * l->pack.words * sizeof(*l->pack.tiles));
	l->kept_from = malloc(((size_t)l->n + 1) * sizeof(*l->kept_from));
	l->variable = calloc(room, sizeof(*l->variable));
	l->ones = calloc(room, sizeof(*l->ones));
	l->block = calloc((size_t)threads, sizeof(struct block *));
	if (!l->pack.tiles || !l->kept_from || !l->variable || !l->ones || !l->block)
		return err_set(e, ERR_MEMORY, "no memory to learn %d variables from %d individuals",
			       l->n, l->count);
	for (int t = 0; t < threads; t++) {
		int status = block_create(&l->block[t], l, e);

		if (status)
			return status;
	}
	return 0;
}

static int packed_create(struct packed *l, int32_t n, int32_t count, const struct boa_options *o,
			 struct team *w, struct err *e)
{
	int status;

	*l = (struct packed){ .options = *o,
			      .n = n,
			      .count = count,
			      .team = w,
			      .pack = { .words = boa_words(count) } };
	status = boa_k2_table_create(&l->table, count, e);
	return status ? status : create_parts(l, e);
}

static void packed_destroy(struct packed *l)
{
	for (int t = 0; l->block && t < team_threads(l->team); t++)
		block_destroy(l->block[t]);
	free(l->block);
	free(l->pack.tiles);
	free(l->kept_from);
	free(l->variable);
	free(l->ones);
	boa_k2_table_destroy(&l->table);
}

/* ---- candidates ---- */

/* Counts the ones of each variable, stored at its rank for now. */
static void count_ones(void *context, uint64_t from, uint64_t to, int thread)
{
	const struct call *p = context;

	(void)thread;
	for (uint64_t r = from; r < to; r++) {
		const uint32_t *x = row_of(p->d, p->order[r]);
		uint32_t sum = 0;

		for (size_t w = 0; w < p->l->pack.words; w++)
			sum += (uint32_t)__builtin_popcount(x[w]);
		p->l->ones[r] = sum;
	}
}

static void keep_variables(struct call *p, int32_t ranks)
{
	struct packed *l = p->l;
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
	const struct call *p = context;
	const struct boa_pack *k = &p->l->pack;

	(void)thread;
	for (uint64_t t = from; t < to; t++) {
		uint32_t *tile = k->tiles + t * BOA_PACK_TILE * k->words;

		for (uint64_t c = t * BOA_PACK_TILE; c < (t + 1) * BOA_PACK_TILE; c++) {
			bool there = c < (uint64_t)p->kept;
			const uint32_t *x = there ? row_of(p->d, (int32_t)p->l->variable[c]) : NULL;

			for (size_t w = 0; w < k->words; w++)
				tile[w * BOA_PACK_TILE + c % BOA_PACK_TILE] = there ? x[w] : 0;
		}
	}
}

/* ---- the packed learner ---- */

/* Later variables have more candidates. Long and short blocks alternate, so that equal numbers of
 * blocks are equal amounts of work. */
static void learn_blocks(void *context, uint64_t from, uint64_t to, int thread)
{
	const struct call *p = context;

	for (uint64_t i = from; i < to; i++) {
		int32_t turn = (int32_t)(i / 2), block = i % 2 ? turn : p->blocks - 1 - turn;
		int32_t first = p->first_kept + block * TARGETS;
		int32_t last = first + TARGETS;

		if (boa_limit_check(p->l->limit, NULL))
			return;
		block_learn(p, p->l->block[thread], first, last < p->kept ? last : p->kept);
	}
}

/* Completes a variable that has the same value in all individuals: it has no parents. */
static void finish_constant(const struct call *p, int32_t v)
{
	uint32_t ones = *row_of(p->d, v) & 1 ? (uint32_t)p->l->count : 0;

	p->b->parent_count[v] = 0;
	p->b->thresholds[(size_t)v << p->b->k] =
		boa_threshold(ones, (uint32_t)p->l->count, p->l->options.smoothing);
}

static int packed_some(struct packed *l, const struct boa_data *d, const int32_t *order,
		       struct boa_network *b, int32_t first, int32_t last, struct err *e)
{
	struct call p = { .l = l, .d = d, .order = order, .b = b };
	int32_t targets;

	team_for(l->team, (uint64_t)last, 16, count_ones, &p);
	keep_variables(&p, last);
	team_for(l->team, whole_tiles(p.kept) / BOA_PACK_TILE, 1, fill_tiles, &p);
	p.first_kept = l->kept_from[first];
	targets = p.kept - p.first_kept;
	p.blocks = (targets + TARGETS - 1) / TARGETS;
	team_for(l->team, (uint64_t)p.blocks, 1, learn_blocks, &p);
	for (int32_t r = first; r < last; r++)
		if (l->kept_from[r + 1] == l->kept_from[r])
			finish_constant(&p, order[r]);
	return boa_limit_check(l->limit, e); /* blocks after the limit were skipped */
}

/* ---- learners ---- */

struct boa_learner {
	struct boa_options options;
	int32_t *order;
	bool packed; /* which of the two learners is used */
	struct boa_plain bytes;
	struct packed words;
};

static void order_of(const int32_t *rank, int32_t n, int32_t *order)
{
	for (int32_t v = 0; v < n; v++)
		order[rank[v]] = v;
}

int boa_learner_create(struct boa_learner **l, int32_t n, int32_t count,
		       const struct boa_options *o, bool plain, struct team *team, struct err *e)
{
	struct boa_learner *made = calloc(1, sizeof(*made));
	int status;

	*l = NULL;
	if (!made)
		return err_set(e, ERR_MEMORY, "no memory for a learner");
	made->options = *o;
	made->packed = !plain && o->model == BOA_PERMUTED;
	made->order = malloc((size_t)n * sizeof(*made->order));
	if (!made->order)
		status = err_set(e, ERR_MEMORY, "no memory for an order of %d variables", n);
	else if (made->packed)
		status = packed_create(&made->words, n, count, o, team, e);
	else
		status = boa_plain_create(&made->bytes, n, count, e);
	if (status) {
		boa_learner_destroy(made);
		return status;
	}
	*l = made;
	return 0;
}

void boa_learner_destroy(struct boa_learner *l)
{
	if (!l)
		return;
	if (l->packed)
		packed_destroy(&l->words);
	else
		boa_plain_destroy(&l->bytes);
	free(l->order);
	free(l);
}

static void set_limit(struct boa_learner *l, const struct boa_limit *limit)
{
	if (l->packed)
		l->words.limit = limit;
	else
		l->bytes.limit = limit;
}

int boa_learn_some(struct boa_learner *l, const struct boa_data *d, struct boa_network *b,
		   int32_t first, int32_t last, const struct boa_limit *limit, struct err *e)
{
	int status;

	set_limit(l, limit);
	order_of(b->rank, b->n, l->order);
	if (l->packed)
		return packed_some(&l->words, d, l->order, b, first, last, e);
	boa_plain_unpack(&l->bytes, d);
	status = boa_plain_permuted(&l->bytes, l->order, b, first, last, e);
	for (int32_t r = first; !status && r < last; r++)
		boa_fill_thresholds_of(d, l->options.smoothing, b, l->order[r]);
	return status;
}

int boa_learn(struct boa_learner *l, const struct boa_data *d, struct boa_network *b,
	      const struct boa_limit *limit, struct err *e)
{
	int status;

	if (l->options.model == BOA_PERMUTED)
		return boa_learn_some(l, d, b, 0, b->n, limit, e);
	set_limit(l, limit);
	boa_plain_unpack(&l->bytes, d);
	status = boa_plain_searched(&l->bytes, b, e);
	if (!status)
		boa_fill_thresholds(d, l->options.smoothing, b);
	return status;
}
