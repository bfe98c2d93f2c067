/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/gboa/boa/engines.h"

#include <stdlib.h>

#include "harness/base/clock.h"
#include "harness/device/device.h"
#include "algorithms/gboa/boa/large_device.h"

/* ---- the steps of a generation ---- */

/* Transfers between devices need no further synchronisation: before a device overwrites another
 * device's data of the previous generation, it has received what that device sent after its last
 * use of them. Every device waits for all models before it samples, and for all offspring before it
 * selects. */

/* The index of the present (or the next) generation in a pair. If no individuals stay in the
 * population, a pair has only one member. */
static int side(const struct boa_large *l, bool next)
{
	return l->kept ? l->now ^ (int)next : 0;
}

static struct boa_large_population population_of(const struct boa_large *l,
						 const struct boa_large_device *d)
{
	struct boa_large_population p = { .n = l->n,
					  .kept = l->kept,
					  .selected = d->x[side(l, false)],
					  .stride = l->stride,
					  .rank = d->rank[l->now],
					  .parts = l->devices,
					  .first = d->first_variable,
					  .last = d->last_variable };

	for (int i = 0; i < l->devices; i++)
		p.part[i] = d->part[i];
	return p;
}

static int judge(struct boa_large *l, struct boa_large_device *d, struct err *e)
{
	struct boa_large_population p = population_of(l, d);

	return d->sample->judge(d->stream, &p, l->setup->options->population,
				d->rating[side(l, false)], d->status, d->bits, e);
}

/* Makes every device wait for all that has been queued on the others. */
static int sync_devices(struct boa_large *l, struct err *e)
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

static int send(struct boa_large_device *from, struct boa_large_device *to, void *dst,
		const void *src, size_t bytes, struct err *e)
{
	return bytes ? dev_copy_peer(from->stream, to->dev, dst, from->dev, src, bytes, e) : 0;
}

/* ---- population 0 ---- */

/* The individuals that stay come first. Their rows are in the order of the variables, so the rank
 * of a variable is its number. */
static int first_words(struct boa_large *l, struct boa_large_device *d, const int32_t *numbers,
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

/* Sends ratings `at` .. `at` + `count` - 1 of `side` to all other devices. */
static int send_ratings(struct boa_large *l, int i, int side, size_t at, size_t count,
			struct err *e)
{
	struct boa_large_device *d = &l->device[i];
	int status = 0;

	for (int j = 0; !status && j < l->devices; j++)
		if (j != i)
			status = send(d, &l->device[j], l->device[j].rating[side] + at,
				      d->rating[side] + at, count * sizeof(uint32_t), e);
	return status;
}

/* Each device evaluates its part of the offspring and a share of the others. */
static int first_ratings(struct boa_large *l, int i, struct err *e)
{
	struct boa_large_device *d = &l->device[i];
	const struct boa_large_part *own = &d->part[i];
	int64_t kept = l->kept / 32;
	int32_t first = (int32_t)(kept * i / l->devices);
	int32_t count = (int32_t)(kept * (i + 1) / l->devices) - first;
	int status = d->sample->evaluate(d->stream, &d->fitness, d->x[0] + first, l->stride, count,
					 d->rating[0] + 32 * first, e);

	if (!status)
		status = d->sample->evaluate(d->stream, &d->fitness, own->words, (size_t)own->count,
					     own->count, d->rating[0] + l->kept + 32 * own->first,
					     e);
	if (!status)
		status = send_ratings(l, i, 0, 32 * (size_t)first, 32 * (size_t)count, e);
	return status ? status :
			send_ratings(l, i, 0, (size_t)l->kept + 32 * (size_t)own->first,
				     32 * (size_t)own->count, e);
}

static int wait_for_all(struct boa_large *l, struct err *e)
{
	int status = 0;

	for (int i = 0; i < l->devices; i++) {
		struct err own = { 0 };
		int own_status = dev_stream_sync(l->device[i].stream, &own);

		status = err_merge(status, own_status, &own, e);
	}
	return status;
}

static int begin_run(struct boa_large *l, const int32_t *numbers, struct err *e)
{
	const struct boa_large_status none = { .top = UINT64_MAX, .best_rating = UINT32_MAX };
	int status = 0;

	l->now = 0;
	for (int i = 0; !status && i < l->devices; i++) {
		struct boa_large_device *d = &l->device[i];

		status = dev_copy_to(d->stream, d->status, &none, sizeof(none), e);
		if (!status)
			status = first_words(l, d, numbers, e);
		if (!status)
			status = first_ratings(l, i, e);
	}
	if (!status)
		status = sync_devices(l, e);
	for (int i = 0; !status && i < l->devices; i++)
		status = judge(l, &l->device[i], e);
	struct err own = { 0 };
	int waited = wait_for_all(l, &own); /* `none` and `numbers` go out of scope */

	return err_merge(status, waited, &own, e);
}

/* ---- selection ---- */

static int select_on(struct boa_large *l, struct boa_large_device *d, uint32_t generation,
		     struct err *e)
{
	const struct boa_options *o = l->setup->options;
	int next = side(l, true);
	struct boa_large_gather g = {
		.from = population_of(l, d),
		.position = d->position,
		.selected = o->selected,
		.rank = d->rank[!l->now],
		.to = { d->x[next] },
		.copies = 1,
		.to_stride = l->stride,
		.rating = d->rating[side(l, false)],
		.status = d->status,
		.to_rating = l->kept ? d->rating[next] : NULL,
		.compare = o->stop_converged,
	};

	for (int i = 0; l->peers && i < l->devices; i++)
		if (&l->device[i] != d)
			g.to[g.copies++] = l->device[i].x[next];
	int status = d->select->choose(d->stream, g.rating, o->population, o->selected, d->position,
				       d->choice, e);

	if (!status)
		status = d->select->order(d->stream, l->seed, generation, l->n, d->rank[!l->now],
					  d->order, e);
	return status ? status : d->select->gather(d->stream, &g, e);
}

static int fetch_status(struct boa_large *l, int i, struct err *e)
{
	struct boa_large_device *d = &l->device[i];

	return dev_copy_from(d->stream, &l->status[i], d->status, sizeof(*d->status), e);
}

/* With peers, each device writes the rows of its own variables to all devices, which wait for
 * them. */
static int select_all(struct boa_large *l, uint32_t generation, struct err *e)
{
	int status = 0;

	for (int i = 0; !status && i < l->devices; i++) {
		struct boa_large_device *d = &l->device[i];

		status = select_on(l, d, generation, e);
		if (!status && l->setup->options->stop_converged)
			status = fetch_status(l, i, e);
	}
	return status || !l->peers ? status : sync_devices(l, e);
}

/* ---- learning ---- */

static int32_t first_row(const struct boa_large *l, int32_t tile)
{
	int32_t row = tile * BOA_LARGE_TILE;

	return row < l->n ? row : l->n;
}

static struct boa_large_rows rows_of(const struct boa_large *l, const struct boa_large_device *d,
				     int32_t first, int32_t last)
{
	const struct boa_options *o = l->setup->options;
	struct boa_large_rows r = {
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

/* Counts the pairs of a device's rows, and sends them to the later devices. */
static int count_pairs(struct boa_large *l, int i, struct err *e)
{
	struct boa_large_device *d = &l->device[i];
	size_t before = (size_t)boa_large_tiles(d->first_tile) * BOA_LARGE_CELLS;
	size_t own = (size_t)boa_large_tiles(d->last_tile) * BOA_LARGE_CELLS - before;
	const uint32_t *x = d->x[side(l, true)];
	struct boa_large_count c = {
		.left = x + (size_t)d->first_tile * BOA_LARGE_TILE * l->stride,
		.right = x,
		.stride = l->stride,
		.first_tile = d->first_tile,
		.last_tile = d->last_tile,
		.products = 1,
		.out = d->pairs + before,
		.processors = d->processors,
		.shares = l->setup->count_shares,
		.popcounts = l->setup->form.popcounts,
		.narrow = d->narrow,
	};
	int status = d->learn->count(d->stream, &c, e);

	for (int j = i + 1; !status && j < l->devices; j++) {
		struct boa_large_device *to = &l->device[j];

		if (to->first_tile < to->last_tile)
			status = send(d, to, to->pairs + before, d->pairs + before,
				      own * sizeof(int32_t), e);
	}
	return status;
}

/* Computes the products that the newest parents of the rows add. */
static int add_counts(struct boa_large *l, struct boa_large_device *d,
		      const struct boa_large_rows *r, int32_t first, int32_t last, int parents,
		      struct err *e)
{
	struct boa_large_count c = {
		.left = d->y,
		.left_step = d->y_step,
		.right = r->x,
		.stride = l->stride,
		.layout = d->layout,
		.first_tile = first,
		.last_tile = last,
		.products = boa_large_products(parents),
		.out = d->counts + (size_t)boa_large_products_before(parents) * d->counts_step,
		.out_step = d->counts_step,
		.processors = d->processors,
		.shares = l->setup->count_shares,
		.popcounts = l->setup->form.popcounts,
		.narrow = d->narrow,
	};
	bool wanted = parents < r->k;
	int status = d->learn->prepare(d->stream, r, parents, wanted, e);

	return status || !wanted ? status : d->learn->count(d->stream, &c, e);
}

static int learn_panel(struct boa_large *l, struct boa_large_device *d, int32_t first, int32_t last,
		       struct err *e)
{
	struct boa_large_rows r = rows_of(l, d, first, last);
	int status = 0;

	for (int parents = 0; !status && parents < r.k; parents++) {
		status = d->learn->gain(d->stream, &r, parents, e);
		if (!status)
			status = add_counts(l, d, &r, first, last, parents + 1, e);
	}
	return status ? status : d->learn->records(d->stream, &r, e);
}

static int learn_rows(struct boa_large *l, struct boa_large_device *d, struct err *e)
{
	int32_t panel = d->panel ? d->panel : d->last_tile - d->first_tile;
	int status = dev_fill(d->stream, d->parent_count, 0, (size_t)l->n * sizeof(int32_t), e);

	for (int32_t t = d->first_tile; !status && t < d->last_tile; t += panel)
		status = learn_panel(l, d, t, t + panel < d->last_tile ? t + panel : d->last_tile,
				     e);
	return status;
}

/* Sends a device's rows of the model to all others. */
static int send_records(struct boa_large *l, int i, struct err *e)
{
	struct boa_large_device *d = &l->device[i];
	size_t width = (size_t)boa_large_record_words(l->setup->options->max_parents);
	size_t first = (size_t)first_row(l, d->first_tile) * width;
	size_t words = (size_t)first_row(l, d->last_tile) * width - first;
	int status = 0;

	for (int j = 0; !status && j < l->devices; j++)
		if (j != i)
			status = send(d, &l->device[j], l->device[j].records + first,
				      d->records + first, words * sizeof(uint32_t), e);
	return status;
}

static int learn_all(struct boa_large *l, struct err *e)
{
	int status = 0;

	for (int i = 0; !status && i < l->devices; i++)
		status = count_pairs(l, i, e);
	if (!status)
		status = sync_devices(l, e);
	for (int i = 0; !status && i < l->devices; i++)
		status = learn_rows(l, &l->device[i], e);
	for (int i = 0; !status && i < l->devices; i++)
		status = send_records(l, i, e);
	return status ? status : sync_devices(l, e);
}

/* ---- sampling and evaluation ---- */

static int sample_all(struct boa_large *l, uint32_t generation, struct err *e)
{
	int32_t k = l->setup->options->max_parents;
	int status = 0;

	for (int i = 0; !status && i < l->devices; i++) {
		struct boa_large_device *d = &l->device[i];
		struct boa_large_sample p = { .n = l->n,
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

/* Sends to each other device the rows of its variables, beside the work of the stream. */
static int send_offspring(struct boa_large *l, int i, struct err *e)
{
	struct boa_large_device *d = &l->device[i];
	const struct boa_large_part *own = &d->part[i];
	int status;

	if (l->devices == 1)
		return 0;
	status = dev_event_record(d->sampled, d->stream, e);
	if (!status)
		status = dev_stream_wait(d->copies, d->sampled, e);
	for (int j = 0; !status && j < l->devices; j++) {
		struct boa_large_device *to = &l->device[j];
		size_t first = (size_t)to->first_variable * (size_t)own->count;
		size_t words = (size_t)to->last_variable * (size_t)own->count - first;

		if (j != i && words)
			status =
				dev_copy_peer(d->copies, to->dev, to->part[i].words + first, d->dev,
					      own->words + first, words * sizeof(uint32_t), e);
	}
	return status ? status : dev_event_record(d->copied, d->copies, e);
}

static int wait_for_offspring(struct boa_large *l, struct err *e)
{
	int status = 0;

	for (int i = 0; i < l->devices; i++)
		for (int j = 0; !status && j < l->devices; j++)
			if (i != j)
				status = dev_stream_wait(l->device[i].stream, l->device[j].copied,
							 e);
	return status;
}

static int evaluate_all(struct boa_large *l, struct err *e)
{
	int next = side(l, true), status = 0;

	for (int i = 0; !status && i < l->devices; i++) {
		struct boa_large_device *d = &l->device[i];
		const struct boa_large_part *own = &d->part[i];
		size_t at = (size_t)l->kept + 32 * (size_t)own->first;

		status = send_offspring(l, i, e);
		if (!status)
			status = d->sample->evaluate(d->stream, &d->fitness, own->words,
						     (size_t)own->count, own->count,
						     d->rating[next] + at, e);
		if (!status)
			status = send_ratings(l, i, next, at, 32 * (size_t)own->count, e);
	}
	if (!status)
		status = sync_devices(l, e);
	if (!status)
		status = wait_for_offspring(l, e);
	l->now = !l->now;
	for (int i = 0; !status && i < l->devices; i++)
		status = judge(l, &l->device[i], e);
	return status;
}

/* ---- times ---- */

static int mark(struct boa_large *l, int32_t generation, enum boa_large_mark m, struct err *e)
{
	return dev_event_record(l->mark[generation & 1][m], l->device[0].stream, e);
}

static int add_seconds(struct boa_large *l, int32_t generation, enum boa_large_mark from,
		       enum boa_large_mark to, double *sum, struct err *e)
{
	double seconds = 0;
	int status = dev_event_elapsed(l->mark[generation & 1][from], l->mark[generation & 1][to],
				       &seconds, e);

	*sum += seconds;
	return status;
}

/* Adds the seconds of a generation that has ended. */
static int add_generation(struct boa_large *l, int32_t generation, struct boa_times *t,
			  struct err *e)
{
	int status = add_seconds(l, generation, BOA_LARGE_BEGIN, BOA_LARGE_SELECTED, &t->select, e);

	if (!status)
		status = add_seconds(l, generation, BOA_LARGE_SELECTED, BOA_LARGE_LEARNED,
				     &t->learn, e);
	if (!status)
		status = add_seconds(l, generation, BOA_LARGE_LEARNED, BOA_LARGE_SAMPLED,
				     &t->sample, e);
	if (!status)
		status = add_seconds(l, generation, BOA_LARGE_SAMPLED, BOA_LARGE_EVALUATED,
				     &t->evaluate, e);
	return status;
}

/* ---- one run ---- */

/* Selects, and waits for the values in l->status that the stopping rules need. The best individual
 * is known before the selection, so the host does not wait for the selection unless it needs to
 * know whether the selected are alike. */
static int select_and_fetch_status(struct boa_large *l, int32_t generation, bool last,
				   struct boa_times *t, struct err *e)
{
	struct boa_large_device *d = &l->device[0];
	bool late = !last && l->setup->options->stop_converged;
	int status = fetch_status(l, 0, e);

	if (!status)
		status = dev_event_record(l->fetched, d->stream, e);
	if (!status)
		status = mark(l, generation, BOA_LARGE_BEGIN, e);
	if (!status && !last)
		status = select_all(l, (uint32_t)generation, e);
	if (!status)
		status = mark(l, generation, BOA_LARGE_SELECTED, e);
	if (!status && !late)
		status = dev_event_sync(l->fetched, e);
	for (int i = 0; !status && late && i < l->devices; i++)
		status = dev_stream_sync(l->device[i].stream, e);
	if (!status && generation > 0)
		status = add_generation(l, generation - 1, t, e);
	return status;
}

/* Steps 4 to 7 of boa.h. */
static int make_offspring(struct boa_large *l, int32_t generation, struct err *e)
{
	int status = learn_all(l, e);

	if (!status)
		status = mark(l, generation, BOA_LARGE_LEARNED, e);
	if (!status)
		status = sample_all(l, (uint32_t)generation, e);
	if (!status)
		status = mark(l, generation, BOA_LARGE_SAMPLED, e);
	if (!status)
		status = evaluate_all(l, e);
	return status ? status : mark(l, generation, BOA_LARGE_EVALUATED, e);
}

static int32_t best_of(const struct boa_large *l)
{
	return (int32_t)((uint32_t)l->setup->landscape->greatest - l->status[0].best_rating);
}

static bool selected_differ(const struct boa_large *l)
{
	bool differ = false;

	for (int i = 0; i < l->devices; i++)
		differ |= l->status[i].differ != 0;
	return differ;
}

static int generations(struct boa_large *l, struct boa_run *run, int number, struct boa_times *t,
		       struct err *e)
{
	const struct boa_options *o = l->setup->options;
	const struct landscape *f = l->setup->landscape;

	for (int32_t g = 0;; g++) {
		bool last = g == o->generations;
		int status = select_and_fetch_status(l, g, last, t, e);

		run->generations = g;
		if (status)
			return status;
		run->best = best_of(l);
		run->optimum = f->optimum_known && run->best == f->optimum;
		if (last || (o->stop_at_optimum && run->optimum))
			return 0;
		if (boa_limit_reached(&l->limit))
			return err_set(e, ERR_LIMIT, "stopped after %d generations of run %d", g,
				       number + 1);
		if (o->stop_converged && !selected_differ(l))
			return 0;
		status = make_offspring(l, g, e);
		if (status)
			return status;
	}
}

/* ---- results ---- */

static int add_edges(struct boa_large *l, struct boa_run *run, struct err *e)
{
	int status = 0;

	run->edges = 0;
	for (int i = 0; !status && i < l->devices; i++) {
		status = fetch_status(l, i, e);
		status = dev_drain(l->device[i].stream, status, e);
		run->edges += (int64_t)l->status[i].edges;
	}
	return status;
}

/* Each device has the bits of its variables. */
static int copy_bits(struct boa_large *l, struct boa_run *run, struct err *e)
{
	int status = 0;

	for (int i = 0; !status && i < l->devices; i++) {
		struct boa_large_device *d = &l->device[i];
		int32_t first = d->first_variable, count = d->last_variable - first;

		if (count)
			status = dev_copy_from(d->stream, run->bits + first, d->bits + first,
					       (size_t)count, e);
		status = dev_drain(d->stream, status, e);
	}
	return status;
}

static int copy_fitness(struct boa_large *l, struct boa_run *run, struct err *e)
{
	struct boa_large_device *d = &l->device[0];
	size_t count = (size_t)l->setup->options->population;
	uint32_t greatest = (uint32_t)l->setup->landscape->greatest;
	int status = dev_copy_from(d->stream, run->fitness, d->rating[l->kept ? l->now : 0],
				   count * sizeof(int32_t), e);

	status = dev_drain(d->stream, status, e);
	for (size_t i = 0; !status && i < count; i++)
		run->fitness[i] = (int32_t)(greatest - (uint32_t)run->fitness[i]);
	return status;
}

/* Copies rows of `words` words (row rank[v], or v, holds variable v) to the first columns of `to`.
 */
static void place_rows(const struct boa_large *l, const uint32_t *from, size_t stride, size_t words,
		       const int32_t *rank, uint32_t *to)
{
	size_t row = (size_t)l->setup->options->population / 32;

	for (size_t v = 0; v < (size_t)l->n; v++)
		for (size_t w = 0; w < words; w++)
			to[v * row + w] = from[(rank ? (size_t)rank[v] : v) * stride + w];
}

static int copy_kept(struct boa_large *l, struct boa_run *run, uint32_t *room, int32_t *rank,
		     struct err *e)
{
	struct boa_large_device *d = &l->device[0];
	size_t n = (size_t)l->n;
	int status = dev_copy_from(d->stream, room, d->x[l->now], n * l->stride * sizeof(*room), e);

	if (!status)
		status = dev_copy_from(d->stream, rank, d->rank[l->now], n * sizeof(*rank), e);
	status = dev_drain(d->stream, status, e);
	if (!status)
		place_rows(l, room, l->stride, (size_t)l->kept / 32, rank, run->words);
	return status;
}

/* The device that sampled a part has all of its rows. */
static int copy_part(struct boa_large *l, struct boa_run *run, uint32_t *room, int i, struct err *e)
{
	struct boa_large_device *d = &l->device[i];
	const struct boa_large_part *part = &d->part[i];
	size_t words = (size_t)part->count;
	int status = 0;

	if (!words)
		return 0;
	status = dev_copy_from(d->stream, room, part->words, (size_t)l->n * words * sizeof(*room),
			       e);
	status = dev_drain(d->stream, status, e);
	if (!status)
		place_rows(l, room, words, words, NULL, run->words + l->kept / 32 + part->first);
	return status;
}

static int copy_words(struct boa_large *l, struct boa_run *run, struct err *e)
{
	size_t most = l->stride > (size_t)l->offspring / 32 ? l->stride : (size_t)l->offspring / 32;
	uint32_t *room = malloc((size_t)l->n * most * sizeof(*room));
	int32_t *rank = malloc((size_t)l->n * sizeof(*rank));
	int status = 0;

	if (!room || !rank)
		status = err_set(e, ERR_MEMORY, "no memory for a population of %d individuals",
				 l->setup->options->population);
	if (!status && l->kept)
		status = copy_kept(l, run, room, rank, e);
	for (int i = 0; !status && i < l->devices; i++)
		status = copy_part(l, run, room, i, e);
	free(room);
	free(rank);
	return status;
}

static int copy_results(struct boa_large *l, struct boa_run *run, struct err *e)
{
	int status = add_edges(l, run, e);

	if (!status)
		status = copy_bits(l, run, e);
	if (!status && run->fitness)
		status = copy_fitness(l, run, e);
	if (!status && run->words)
		status = copy_words(l, run, e);
	return status;
}

static int one_run(struct boa_large *l, struct boa_run *run, int number, const int32_t *numbers,
		   struct boa_times *t, struct err *e)
{
	struct err limit = { 0 };

	l->seed = l->setup->options->seed + (uint64_t)number;
	double begin = clock_wall();
	int ended = begin_run(l, numbers, &limit);

	if (!ended)
		ended = generations(l, run, number, t, &limit);
	int status = ended && ended != ERR_LIMIT ? err_set(e, ended, "%s", limit.text) :
						   wait_for_all(l, e);

	t->total += clock_wall() - begin;
	if (!status)
		status = copy_results(l, run, e);
	if (status) /* its best string was on the device and is lost */
		boa_not_begun(l->setup->landscape, run);
	return status || !ended ? status : err_set(e, ended, "%s", limit.text);
}

/* ---- all runs ---- */

static int check(const struct boa_setup *s, struct err *e)
{
	const struct landscape *f = s->landscape;

	if (!s->devices || s->devices->count == 0)
		return err_set(e, ERR_DEVICE, "tuned needs a device");
	if ((int64_t)f->greatest - f->least >= UINT32_MAX)
		return err_set(e, ERR_UNSUPPORTED,
			       "%s: the range of values, %d to %d, is too large", f->name, f->least,
			       f->greatest);
	return 0;
}

int boa_large_runs(const struct boa_setup *s, struct boa_run *runs, int count,
		   struct boa_times *times, struct err *e)
{
	struct boa_large l;
	double begin = clock_wall();
	int status = check(s, e);

	if (!status)
		status = boa_large_create(&l, s, e);
	if (status)
		return status;
	int32_t *numbers = malloc((size_t)l.n * sizeof(*numbers));

	if (!numbers)
		status = err_set(e, ERR_MEMORY, "no memory for %d numbers", l.n);
	for (int32_t v = 0; !status && v < l.n; v++)
		numbers[v] = v;
	times->set_up = clock_wall() - begin;
	l.limit = boa_limit_from(s, clock_wall());
	for (int r = 0; r < count; r++) {
		if (status)
			boa_not_begun(s->landscape, &runs[r]);
		else
			status = one_run(&l, &runs[r], r, numbers, times, e);
	}
	free(numbers);
	boa_large_destroy(&l);
	return status;
}
