/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/gboa/boa/learn.h"

#include <stdlib.h>
#include <string.h>

#include "algorithms/gboa/boa/learn_counts.h"
#include "harness/base/checked.h"

/* ERR_LIMIT if the limit (may be NULL) has been reached, else 0. */
static int check_limit(const struct boa_limit *l, struct err *e)
{
	return l && boa_limit_reached(l) ?
		       err_set(e, ERR_LIMIT, "stopped while learning a network") :
		       0;
}

/* ==== the plain learner ==== */

/* Learning as in the paper, for serial: the data is stored as bytes, and each family is counted in
 * a pass over all individuals. */
struct plain {
	int32_t n, count;
	uint8_t *value; /* variable v of individual i at i n + v */
	struct boa_k2_table table;
	const struct boa_limit *limit; /* NULL: none */
};

/* ---- memory and counting ---- */

static int plain_create(struct plain *l, int32_t n, int32_t count, struct err *e)
{
	size_t bytes;

	*l = (struct plain){ .n = n, .count = count };
	if (checked_mul_size((size_t)n, (size_t)count, &bytes))
		l->value = malloc(bytes);
	if (!l->value)
		return err_set(e, ERR_MEMORY, "no memory for %d variables of %d individuals", n,
			       count);
	return boa_k2_table_create(&l->table, count, e);
}

static void plain_destroy(struct plain *l)
{
	free(l->value);
	boa_k2_table_destroy(&l->table);
}

static void plain_unpack(struct plain *l, const struct boa_data *d)
{
	for (int32_t i = 0; i < d->count; i++)
		for (int32_t v = 0; v < d->n; v++)
			l->value[(size_t)i * (size_t)d->n + (size_t)v] = (uint8_t)boa_bit(d, v, i);
}

/* Inlined with a constant number of parents, so that the inner loop disappears. */
__attribute__((always_inline)) static inline void count_family(const struct plain *l, int32_t v,
							       const int32_t *parent,
							       int32_t parents,
							       uint32_t (*number)[2])
{
	for (int32_t i = 0; i < l->count; i++) {
		const uint8_t *individual = l->value + (size_t)i * (size_t)l->n;
		uint32_t a = 0;

		for (int32_t r = 0; r < parents; r++)
			a |= (uint32_t)individual[parent[r]] << r;
		number[a][individual[v]]++;
	}
}

/* The K2 score of v with `parents` parents, modulo 2^32. */
static uint32_t plain_score(const struct plain *l, int32_t v, const int32_t *parent,
			    int32_t parents)
{
	uint32_t number[1 << BOA_PARENTS_MAX][2], score = 0;

	memset(number, 0, sizeof(number[0]) << parents);
	switch (parents) {
	case 1:
		count_family(l, v, parent, 1, number);
		break;
	case 2:
		count_family(l, v, parent, 2, number);
		break;
	case 3:
		count_family(l, v, parent, 3, number);
		break;
	default:
		count_family(l, v, parent, parents, number);
	}
	for (int32_t a = 0; a < 1 << parents; a++)
		score += boa_k2_cell(l->table.at, number[a][0], number[a][1]);
	return score;
}

/* ---- pBOA: parents of lower rank ---- */

/* Returns the variable of order[0 .. rank - 1] with the greatest gain; *gain is 0 if no variable
 * gains. */
static int32_t best_parent(const struct plain *l, const int32_t *order, int32_t rank,
			   const int32_t *parent, int32_t parents, int32_t *gain)
{
	int32_t family[BOA_PARENTS_MAX], best = -1, v = order[rank];
	uint32_t before = plain_score(l, v, parent, parents);

	*gain = 0;
	for (int32_t r = 0; r < parents; r++)
		family[r] = parent[r];
	for (int32_t c = 0; c < rank; c++) {
		int32_t u = order[c], g;

		/* for a variable that is already a parent, the gain is at most 0 */
		family[parents] = u;
		g = (int32_t)(plain_score(l, v, family, parents + 1) - before);
		if (g > *gain || (g == *gain && g > 0 && u < best)) {
			*gain = g;
			best = u;
		}
	}
	return best;
}

/* Finds the parents of the variables of ranks first .. last - 1. order[r] is the variable of rank
 * r. */
static int plain_permuted(const struct plain *l, const int32_t *order, struct boa_network *b,
			  int32_t first, int32_t last, struct err *e)
{
	for (int32_t rank = first; rank < last; rank++) {
		int32_t v = order[rank], *count = &b->parent_count[v], gain;
		int32_t *parent = b->parents + (size_t)v * (size_t)b->k;

		for (*count = 0; *count < b->k; ++*count) {
			int status = check_limit(l->limit, e);

			if (status)
				return status;
			int32_t best = best_parent(l, order, rank, parent, *count, &gain);

			if (gain <= 0)
				break;
			parent[*count] = best;
		}
	}
	return 0;
}

/* ---- sBOA: the best of all edges ---- */

struct searched {
	const struct plain *l;
	struct boa_network *b;
	int32_t *gain;  /* of edge (u, v) at v n + u; 0: must not be added */
	int32_t *best;  /* [v]: the lowest u with the greatest gain */
	int32_t *stack; /* n */
	uint8_t *seen;  /* n */
};

static int32_t *gains_of(const struct searched *s, int32_t v)
{
	return s->gain + (size_t)v * (size_t)s->b->n;
}

static int32_t *parents_of(const struct boa_network *b, int32_t v)
{
	return b->parents + (size_t)v * (size_t)b->k;
}

static void find_best(struct searched *s, int32_t v)
{
	const int32_t *gain = gains_of(s, v);

	s->best[v] = 0;
	for (int32_t u = 1; u < s->b->n; u++)
		if (gain[u] > gain[s->best[v]])
			s->best[v] = u;
}

/* Computes the gains of all edges into v that have not been removed. */
static void compute_gains(struct searched *s, int32_t v, bool first)
{
	int32_t family[BOA_PARENTS_MAX], count = s->b->parent_count[v], *gain = gains_of(s, v);
	uint32_t before;

	if (count == s->b->k) {
		memset(gain, 0, (size_t)s->b->n * sizeof(*gain));
		return;
	}
	memcpy(family, parents_of(s->b, v), (size_t)count * sizeof(*family));
	before = plain_score(s->l, v, family, count);
	for (int32_t u = 0; u < s->b->n; u++) {
		/* an edge without a gain may gain after another parent was added, so only INT32_MIN
		 * is final */
		if (first ? u == v : gain[u] == INT32_MIN) {
			gain[u] = INT32_MIN;
			continue;
		}
		family[count] = u;
		gain[u] = (int32_t)(plain_score(s->l, v, family, count + 1) - before);
	}
}

/* True if v is u or an ancestor of u: then u -> v closes a cycle. */
static bool closes_cycle(struct searched *s, int32_t u, int32_t v)
{
	int32_t depth = 0;

	memset(s->seen, 0, (size_t)s->b->n);
	s->stack[depth++] = u;
	s->seen[u] = 1;
	while (depth > 0) {
		int32_t w = s->stack[--depth];

		if (w == v)
			return true;
		for (int32_t r = 0; r < s->b->parent_count[w]; r++) {
			int32_t p = parents_of(s->b, w)[r];

			if (!s->seen[p])
				s->stack[depth++] = p;
			s->seen[p] = 1;
		}
	}
	return false;
}

static int add_edges(struct searched *s, struct err *e)
{
	int32_t n = s->b->n;

	for (;;) {
		int32_t v = 0, u;
		int status = check_limit(s->l->limit, e);

		if (status)
			return status;

		for (int32_t w = 1; w < n; w++)
			if (gains_of(s, w)[s->best[w]] > gains_of(s, v)[s->best[v]])
				v = w;
		u = s->best[v];
		if (gains_of(s, v)[u] <= 0)
			return 0;
		if (closes_cycle(s, u, v)) {
			gains_of(s, v)[u] = INT32_MIN;
		} else {
			parents_of(s->b, v)[s->b->parent_count[v]++] = u;
			compute_gains(s, v, false);
		}
		find_best(s, v);
	}
}

/* Assigns each rank to the lowest variable whose parents all have one. */
static void order_topologically(struct searched *s)
{
	struct boa_network *b = s->b;

	memset(s->seen, 0, (size_t)b->n);
	for (int32_t rank = 0, v = 0; rank < b->n; v++) {
		bool ready = !s->seen[v];

		for (int32_t r = 0; ready && r < b->parent_count[v]; r++)
			ready = s->seen[parents_of(b, v)[r]];
		if (!ready)
			continue;
		s->seen[v] = 1;
		b->rank[v] = rank++;
		v = -1;
	}
}

static void release(struct searched *s)
{
	free(s->gain);
	free(s->best);
	free(s->stack);
	free(s->seen);
}

/* Finds parents and ranks of the whole network. */
static int plain_searched(const struct plain *l, struct boa_network *b, struct err *e)
{
	size_t n = (size_t)b->n, edges;
	struct searched s = { .l = l, .b = b };

	memset(b->parent_count, 0, n * sizeof(*b->parent_count));
	if (checked_mul_size(n * n, sizeof(*s.gain), &edges))
		s.gain = malloc(edges);
	s.best = malloc(n * sizeof(*s.best));
	s.stack = malloc(n * sizeof(*s.stack));
	s.seen = malloc(n);
	if (!s.gain || !s.best || !s.stack || !s.seen) {
		release(&s);
		return err_set(e, ERR_MEMORY,
			       "no memory for the gains of all edges of %d variables", b->n);
	}
	int status = 0;

	for (int32_t v = 0; !status && v < b->n; v++) {
		compute_gains(&s, v, true);
		find_best(&s, v);
		status = check_limit(l->limit, e);
	}
	if (!status)
		status = add_edges(&s, e);
	if (!status)
		order_topologically(&s);
	release(&s);
	return status;
}

/* ==== the packed learner ==== */

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

/* ---- all variables ---- */

/* Later variables have more candidates. Long and short blocks alternate, so that equal numbers of
 * blocks are equal amounts of work. */
static void learn_blocks(void *context, uint64_t from, uint64_t to, int thread)
{
	const struct call *p = context;

	for (uint64_t i = from; i < to; i++) {
		int32_t turn = (int32_t)(i / 2), block = i % 2 ? turn : p->blocks - 1 - turn;
		int32_t first = p->first_kept + block * TARGETS;
		int32_t last = first + TARGETS;

		if (check_limit(p->l->limit, NULL))
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
	return check_limit(l->limit, e); /* blocks after the limit were skipped */
}

/* ==== learners ==== */

struct boa_learner {
	struct boa_options options;
	int32_t *order;
	bool packed; /* which of the two learners is used */
	struct plain bytes;
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
		status = plain_create(&made->bytes, n, count, e);
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
		plain_destroy(&l->bytes);
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

static int learn_ranks(struct boa_learner *l, const struct boa_data *d, struct boa_network *b,
		       int32_t first, int32_t last, struct err *e)
{
	int status;

	order_of(b->rank, b->n, l->order);
	if (l->packed)
		return packed_some(&l->words, d, l->order, b, first, last, e);
	plain_unpack(&l->bytes, d);
	status = plain_permuted(&l->bytes, l->order, b, first, last, e);
	for (int32_t r = first; !status && r < last; r++)
		boa_fill_thresholds(d, l->options.smoothing, true, b, l->order[r]);
	return status;
}

int boa_learn(struct boa_learner *l, const struct boa_data *d, struct boa_network *b, int32_t first,
	      int32_t last, const struct boa_limit *limit, struct err *e)
{
	int status;

	set_limit(l, limit);
	if (l->options.model == BOA_PERMUTED)
		return learn_ranks(l, d, b, first, last, e);
	plain_unpack(&l->bytes, d);
	status = plain_searched(&l->bytes, b, e);
	for (int32_t v = 0; !status && v < b->n; v++)
		boa_fill_thresholds(d, l->options.smoothing, true, b, v);
	return status;
}
