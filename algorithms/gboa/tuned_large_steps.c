/* A generation of a large run, step by step on all devices.
 *
 * A device may hand something to another one that has not yet done with what it had there from the
 * generation before? No: before it does, it has itself received what the other one handed out after
 * that: every device waits for the others' models before it samples, and for their offspring before
 * it selects. */
#include "harness/device/settle.h"
#include "algorithms/gboa/tuned_large.h"

/* Which of a pair is the present generation's, or the next one's. Where none stay there is only
 * one. */
static int side(const struct large *l, bool next)
{
	return l->kept ? l->now ^ (int)next : 0;
}

static struct large_population population_of(const struct large *l, const struct large_device *d)
{
	struct large_population p = { .n = l->n,
				      .kept = l->kept,
				      .selected = d->x[side(l, false)],
				      .stride = l->stride,
				      .rank = d->rank[l->now],
				      .parts = l->devices };

	for (int i = 0; i < l->devices; i++)
		p.part[i] = d->part[i];
	return p;
}

static int judge(struct large *l, struct large_device *d, struct err *e)
{
	struct large_population p = population_of(l, d);

	return d->sample->judge(d->stream, &p, l->setup->options->population,
				d->rating[side(l, false)], d->status, d->bits, e);
}

/* All wait for what all have handed out. */
static int meet(struct large *l, struct err *e)
{
	int status = 0;

	for (int i = 0; !status && l->devices > 1 && i < l->devices; i++)
		status = dev_event_record(l->device[i].sent, l->device[i].stream, e);
	for (int i = 0; i < l->devices; i++)
		for (int j = 0; !status && j < l->devices; j++)
			if (i != j)
				status = dev_stream_wait(l->device[i].stream, l->device[j].sent, e);
	return status;
}

static int hand(struct large_device *from, struct large_device *to, void *dst, const void *src,
		size_t bytes, struct err *e)
{
	return bytes ? dev_copy_peer(from->stream, to->dev, dst, from->dev, src, bytes, e) : 0;
}

/* ---- population 0 ---- */

/* Individuals that stay are the first, in rows by variable as yet: the rank of each is its number.
 */
static int first_words(struct large *l, struct large_device *d, const int32_t *numbers,
		       struct err *e)
{
	int32_t kept = l->kept / 32;
	int status = d->select->first(d->stream, l->seed, l->n, 0, kept, d->x[0], l->stride, e);

	if (!status)
		status = dev_copy_to(d->stream, d->rank[0], numbers,
				     (size_t)l->n * sizeof(*numbers), e);
	for (int i = 0; !status && i < l->devices; i++)
		status = d->select->first(d->stream, l->seed, l->n, kept + d->part[i].first,
					  d->part[i].count, d->part[i].words,
					  (size_t)d->part[i].count, e);
	return status;
}

static int first_ratings(struct large *l, struct large_device *d, struct err *e)
{
	int status = d->sample->evaluate(d->stream, &d->fitness, d->x[0], l->stride, l->kept / 32,
					 d->rating[0], e);

	for (int i = 0; !status && i < l->devices; i++)
		status = d->sample->evaluate(d->stream, &d->fitness, d->part[i].words,
					     (size_t)d->part[i].count, d->part[i].count,
					     d->rating[0] + l->kept + 32 * d->part[i].first, e);
	return status;
}

int large_begin(struct large *l, const int32_t *numbers, struct err *e)
{
	const struct large_status none = { .top = UINT64_MAX, .best_rating = UINT32_MAX };
	int status = 0;

	l->now = 0;
	for (int i = 0; !status && i < l->devices; i++) {
		struct large_device *d = &l->device[i];

		status = dev_copy_to(d->stream, d->status, &none, sizeof(none), e);
		if (!status)
			status = first_words(l, d, numbers, e);
		if (!status)
			status = first_ratings(l, d, e);
		if (!status)
			status = judge(l, d, e);
		status = dev_settle(d->stream, status, e); /* `none` and `numbers` end */
	}
	return status;
}

/* ---- selection ---- */

static int select_on(struct large *l, struct large_device *d, uint32_t generation, struct err *e)
{
	const struct boa_options *o = l->setup->options;
	int next = side(l, true);
	struct large_gather g = {
		.from = population_of(l, d),
		.position = d->position,
		.selected = o->selected,
		.order = d->order,
		.to = d->x[next],
		.to_stride = l->stride,
		.rating = d->rating[side(l, false)],
		.status = d->status,
		.to_rating = l->kept ? d->rating[next] : NULL,
		.compare = o->stop_converged,
	};
	int status = d->select->choose(d->stream, g.rating, o->population, o->selected, d->position,
				       d->choice, e);

	if (!status)
		status = d->select->order(d->stream, l->seed, generation, l->n, d->rank[!l->now],
					  d->order, e);
	return status ? status : d->select->gather(d->stream, &g, e);
}

int large_select(struct large *l, uint32_t generation, struct err *e)
{
	int status = 0;

	for (int i = 0; !status && i < l->devices; i++)
		status = select_on(l, &l->device[i], generation, e);
	return status;
}

/* ---- learning ---- */

static int32_t first_row(const struct large *l, int32_t tile)
{
	int32_t row = tile * LARGE_TILE;

	return row < l->n ? row : l->n;
}

static struct large_rows rows_of(const struct large *l, const struct large_device *d, int32_t first,
				 int32_t last)
{
	const struct boa_options *o = l->setup->options;
	struct large_rows r = {
		.n = l->n,
		.k = o->max_parents,
		.selected = o->selected,
		.first = first_row(l, first),
		.last = first_row(l, last),
		.smoothing = (int32_t)o->smoothing,
		.rank = d->rank[!l->now],
		.order = d->order,
		.x = d->x[side(l, true)],
		.stride = l->stride,
		.pairs = d->pairs,
		.counts = d->counts,
		.counts_step = d->counts_step,
		.y = d->y,
		.y_step = d->y_step,
		.place = d->place,
		.where = d->where,
		.layout = d->layout,
		.ln_factorial = d->ln_factorial,
		.parent_count = d->parent_count,
		.parents = d->parents,
		.totals = d->totals,
		.records = d->records,
		.status = d->status,
	};

	return r;
}

/* Counts of pairs of a device's rows; the devices after it need them too. */
static int count_pairs(struct large *l, int i, struct err *e)
{
	struct large_device *d = &l->device[i];
	size_t before = (size_t)large_tiles(d->first_tile) * LARGE_CELLS;
	size_t own = (size_t)large_tiles(d->last_tile) * LARGE_CELLS - before;
	const uint32_t *x = d->x[side(l, true)];
	struct large_count c = {
		.left = x + (size_t)d->first_tile * LARGE_TILE * l->stride,
		.right = x,
		.stride = l->stride,
		.first_tile = d->first_tile,
		.last_tile = d->last_tile,
		.products = 1,
		.out = d->pairs + before,
	};
	int status = d->learn->count(d->stream, &c, e);

	for (int j = i + 1; !status && j < l->devices; j++) {
		struct large_device *to = &l->device[j];

		if (to->first_tile < to->last_tile)
			status = hand(d, to, to->pairs + before, d->pairs + before,
				      own * sizeof(int32_t), e);
	}
	return status;
}

/* What the parents that the rows have so far add to what is known of them. */
static int add_counts(struct large *l, struct large_device *d, const struct large_rows *r,
		      int32_t first, int32_t last, int parents, struct err *e)
{
	struct large_count c = {
		.left = d->y,
		.left_step = d->y_step,
		.right = r->x,
		.stride = l->stride,
		.layout = d->layout,
		.first_tile = first,
		.last_tile = last,
		.products = large_products(parents),
		.out = d->counts + (size_t)large_products_before(parents) * d->counts_step,
		.out_step = d->counts_step,
	};
	bool wanted = parents < r->k;
	int status = d->learn->prepare(d->stream, r, parents, wanted, e);

	return status || !wanted ? status : d->learn->count(d->stream, &c, e);
}

static int learn_panel(struct large *l, struct large_device *d, int32_t first, int32_t last,
		       struct err *e)
{
	struct large_rows r = rows_of(l, d, first, last);
	int status = 0;

	for (int parents = 0; !status && parents < r.k; parents++) {
		status = d->learn->gain(d->stream, &r, parents, e);
		if (!status)
			status = add_counts(l, d, &r, first, last, parents + 1, e);
	}
	return status ? status : d->learn->records(d->stream, &r, e);
}

static int learn_rows(struct large *l, struct large_device *d, struct err *e)
{
	int32_t panel = d->panel ? d->panel : d->last_tile - d->first_tile;
	int status = dev_fill(d->stream, d->parent_count, 0, (size_t)l->n * sizeof(int32_t), e);

	for (int32_t t = d->first_tile; !status && t < d->last_tile; t += panel)
		status = learn_panel(l, d, t, t + panel < d->last_tile ? t + panel : d->last_tile,
				     e);
	return status;
}

/* A device's rows of the model go to all others. */
static int hand_records(struct large *l, int i, struct err *e)
{
	struct large_device *d = &l->device[i];
	size_t width = (size_t)large_record_words(l->setup->options->max_parents);
	size_t first = (size_t)first_row(l, d->first_tile) * width;
	size_t words = (size_t)first_row(l, d->last_tile) * width - first;
	int status = 0;

	for (int j = 0; !status && j < l->devices; j++)
		if (j != i)
			status = hand(d, &l->device[j], l->device[j].records + first,
				      d->records + first, words * sizeof(uint32_t), e);
	return status;
}

int large_learn(struct large *l, struct err *e)
{
	int status = 0;

	for (int i = 0; !status && i < l->devices; i++)
		status = count_pairs(l, i, e);
	if (!status)
		status = meet(l, e);
	for (int i = 0; !status && i < l->devices; i++)
		status = learn_rows(l, &l->device[i], e);
	for (int i = 0; !status && i < l->devices; i++)
		status = hand_records(l, i, e);
	return status ? status : meet(l, e);
}

/* ---- sampling and evaluation ---- */

int large_sample(struct large *l, uint32_t generation, struct err *e)
{
	int32_t k = l->setup->options->max_parents;
	int status = 0;

	for (int i = 0; !status && i < l->devices; i++) {
		struct large_device *d = &l->device[i];
		struct large_sample p = { .n = l->n,
					  .k = k,
					  .seed = l->seed,
					  .generation = generation,
					  .order = d->order,
					  .records = d->records,
					  .levels = d->levels,
					  .to = d->part[i],
					  .processors = d->processors };

		status = d->sample->levels(d->stream, &d->levels, l->n, k, d->rank[!l->now],
					   d->records, e);
		if (!status)
			status = d->sample->sample(d->stream, &p, e);
	}
	return status;
}

/* A device's offspring and their ratings go to all others. */
static int hand_offspring(struct large *l, int i, struct err *e)
{
	struct large_device *d = &l->device[i];
	const struct large_part *own = &d->part[i];
	size_t words = (size_t)l->n * (size_t)own->count;
	size_t at = (size_t)l->kept + 32 * (size_t)own->first;
	int next = side(l, true), status = 0;

	for (int j = 0; !status && j < l->devices; j++) {
		struct large_device *to = &l->device[j];

		if (j == i)
			continue;
		status = hand(d, to, to->part[i].words, own->words, words * sizeof(uint32_t), e);
		if (!status)
			status = hand(d, to, to->rating[next] + at, d->rating[next] + at,
				      32 * (size_t)own->count * sizeof(uint32_t), e);
	}
	return status;
}

int large_evaluate(struct large *l, struct err *e)
{
	int next = side(l, true), status = 0;

	for (int i = 0; !status && i < l->devices; i++) {
		struct large_device *d = &l->device[i];
		const struct large_part *own = &d->part[i];

		status = d->sample->evaluate(d->stream, &d->fitness, own->words, (size_t)own->count,
					     own->count,
					     d->rating[next] + l->kept + 32 * own->first, e);
		if (!status)
			status = hand_offspring(l, i, e);
	}
	if (!status)
		status = meet(l, e);
	l->now = !l->now;
	for (int i = 0; !status && i < l->devices; i++)
		status = judge(l, &l->device[i], e);
	return status;
}

int large_wait(struct large *l, struct err *e)
{
	int status = 0;

	for (int i = 0; i < l->devices; i++) {
		struct err own = { 0 };
		int rc = dev_stream_sync(l->device[i].stream, &own);

		if (rc && !status)
			status = err_set(e, rc, "%s", own.text);
	}
	return status;
}
