#include "algorithms/gboa/learn_packed.h"

#include <stdlib.h>
#include <string.h>

/* ---- memory ---- */

static int create_parts(struct learn_packed *l, struct err *e)
{
	size_t room = pack_whole_tiles(l->n);
	int threads = team_threads(l->workers);

	l->pack.tiles = aligned_alloc(64, room * l->pack.words * sizeof(*l->pack.tiles));
	l->kept_from = malloc(((size_t)l->n + 1) * sizeof(*l->kept_from));
	l->variable = calloc(room, sizeof(*l->variable));
	l->ones = calloc(room, sizeof(*l->ones));
	l->block = calloc((size_t)threads, sizeof(struct pack_block *));
	if (!l->pack.tiles || !l->kept_from || !l->variable || !l->ones || !l->block)
		return err_set(e, ERR_MEMORY, "no memory to learn %d variables from %d individuals",
			       l->n, l->count);
	for (int t = 0; t < threads; t++) {
		int status = pack_block_create(&l->block[t], l, e);

		if (status)
			return status;
	}
	return 0;
}

int learn_packed_create(struct learn_packed *l, int32_t n, int32_t count,
			const struct boa_options *o, struct team *w, struct err *e)
{
	int status;

	*l = (struct learn_packed){ .options = *o,
				    .n = n,
				    .count = count,
				    .workers = w,
				    .pack = { .words = boa_words(count) } };
	status = k2_table_create(&l->table, count, e);
	return status ? status : create_parts(l, e);
}

void learn_packed_destroy(struct learn_packed *l)
{
	for (int t = 0; l->block && t < team_threads(l->workers); t++)
		pack_block_destroy(l->block[t]);
	free(l->block);
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
	const struct pack_call *p = context;

	(void)thread;
	for (uint64_t r = from; r < to; r++) {
		const uint32_t *x = pack_row(p->d, p->order[r]);
		uint32_t sum = 0;

		for (size_t w = 0; w < p->l->pack.words; w++)
			sum += (uint32_t)__builtin_popcount(x[w]);
		p->l->ones[r] = sum;
	}
}

static void keep_variables(struct pack_call *p, int32_t ranks)
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
	for (size_t c = (size_t)kept; c < pack_whole_tiles(kept); c++) {
		l->variable[c] = 0;
		l->ones[c] = 0;
	}
}

static void fill_tiles(void *context, uint64_t from, uint64_t to, int thread)
{
	const struct pack_call *p = context;
	const struct pack *k = &p->l->pack;

	(void)thread;
	for (uint64_t t = from; t < to; t++) {
		uint32_t *tile = k->tiles + t * PACK_TILE * k->words;

		for (uint64_t c = t * PACK_TILE; c < (t + 1) * PACK_TILE; c++) {
			bool there = c < (uint64_t)p->kept;
			const uint32_t *x =
				there ? pack_row(p->d, (int32_t)p->l->variable[c]) : NULL;

			for (size_t w = 0; w < k->words; w++)
				tile[w * PACK_TILE + c % PACK_TILE] = there ? x[w] : 0;
		}
	}
}

/* ---- all of them ---- */

/* Later variables have more candidates: long and short blocks by turns, so that equal parts are
 * equal work. */
static void learn_blocks(void *context, uint64_t from, uint64_t to, int thread)
{
	const struct pack_call *p = context;

	for (uint64_t i = from; i < to; i++) {
		int32_t turn = (int32_t)(i / 2), block = i % 2 ? turn : p->blocks - 1 - turn;
		int32_t first = p->first_kept + block * PACK_TARGETS;
		int32_t last = first + PACK_TARGETS;

		if (learn_look(p->l->limit, NULL))
			return;
		pack_block_learn(p, p->l->block[thread], first, last < p->kept ? last : p->kept);
	}
}

/* A variable that has one value in all individuals has no parents. */
static void finish_constant(const struct pack_call *p, int32_t v)
{
	uint32_t ones = *pack_row(p->d, v) & 1 ? (uint32_t)p->l->count : 0;

	p->b->parent_count[v] = 0;
	p->b->thresholds[(size_t)v << p->b->k] =
		boa_threshold(ones, (uint32_t)p->l->count, p->l->options.smoothing);
}

int learn_packed_some(struct learn_packed *l, const struct boa_data *d, const int32_t *order,
		      struct boa_network *b, int32_t first, int32_t last, struct err *e)
{
	struct pack_call p = { .l = l, .d = d, .order = order, .b = b };
	int32_t targets;

	team_for(l->workers, (uint64_t)last, 16, count_ones, &p);
	keep_variables(&p, last);
	team_for(l->workers, pack_whole_tiles(p.kept) / PACK_TILE, 1, fill_tiles, &p);
	p.first_kept = l->kept_from[first];
	targets = p.kept - p.first_kept;
	p.blocks = (targets + PACK_TARGETS - 1) / PACK_TARGETS;
	team_for(l->workers, (uint64_t)p.blocks, 1, learn_blocks, &p);
	for (int32_t r = first; r < last; r++)
		if (l->kept_from[r + 1] == l->kept_from[r])
			finish_constant(&p, order[r]);
	return learn_look(l->limit, e); /* blocks after it were left out */
}
