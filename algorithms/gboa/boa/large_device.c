/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/gboa/boa/large_device.h"

#include <stdlib.h>
#include <string.h>

#include "algorithms/gboa/boa/steps.h"

static const size_t MIB = 1 << 20;

static int64_t area(int32_t first, int32_t last)
{
	return boa_large_tiles(last) - boa_large_tiles(first);
}

/* The probability that a row has at least `parents` parents, if it depends on four others, and a
 * share `above` of all rows is above it. */
static double has_parents(int parents, double above)
{
	const int others = 4;
	double no = (1 - above) * (1 - above), exactly = no * no, fewer = 0;

	for (int i = 0; i < parents && i <= others; i++) {
		fewer += exactly;
		exactly *= (double)(others - i) / (i + 1) * above / (1 - above);
	}
	return 1 - fewer;
}

/* Expected work of tile row t, in chunks of a product with one tile. Lower rows have more
 * candidates and more parents. To compute the gains of a tile takes as long as some chunks. */
static double row_work(int32_t t, int32_t tile_rows, int k, size_t chunks)
{
	const double gains = 64;
	double work = (double)chunks + gains;

	for (int parents = 1; parents < k; parents++)
		work += (boa_large_products(parents) * (double)chunks + gains) *
			has_parents(parents, (t + 0.5) / tile_rows);
	return (t + 1) * work;
}

/* Divides `tile_rows` rows of a triangle among `devices`, with work as equal as possible: share d
 * is first[d] .. first[d + 1] - 1 and may be empty. */
static void share_rows(int32_t tile_rows, int k, size_t chunks, int devices, int32_t *first)
{
	double all = 0, before = 0;
	int32_t t = 0;

	for (int32_t i = 0; i < tile_rows; i++)
		all += row_work(i, tile_rows, k, chunks);
	for (int d = 0; d < devices; d++) {
		for (; t < tile_rows; t++) {
			double next = row_work(t, tile_rows, k, chunks);

			if (2 * (all * d / devices - before) <= next)
				break;
			before += next;
		}
		first[d] = t;
	}
	first[devices] = tile_rows;
}

/* ---- memory ---- */

struct piece {
	void **to;
	size_t bytes;
};

#define PIECE(pointer, bytes_)                                                                     \
	{                                                                                          \
		(void **)&(pointer), bytes_                                                        \
	}

static int take(struct boa_large_device *d, const struct piece *p, size_t pieces, struct err *e)
{
	int status = 0;

	for (size_t i = 0; !status && i < pieces; i++)
		if (p[i].bytes)
			status = dev_alloc(d->dev, p[i].to, p[i].bytes, e);
	return status;
}

/* Allocates everything except the products, which get the remaining memory. */
static int take_base(const struct boa_large *l, struct boa_large_device *d, struct err *e)
{
	const struct boa_options *o = l->setup->options;
	size_t n = (size_t)l->n, k = (size_t)o->max_parents, word = sizeof(uint32_t);
	size_t rows = (size_t)l->tile_rows * BOA_LARGE_TILE, x = rows * l->stride * word;
	size_t population = (size_t)o->population * word;
	const struct piece pieces[] = {
		PIECE(d->landscape, l->setup->landscape->data_count * word),
		PIECE(d->ln_factorial, ((size_t)l->table.count + 2) * word),
		PIECE(d->x[0], x),
		PIECE(d->x[1], l->kept ? x : 0),
		PIECE(d->rating[0], population),
		PIECE(d->rating[1], l->kept ? population : 0),
		PIECE(d->rank[0], n * word),
		PIECE(d->rank[1], n * word),
		PIECE(d->order, n * word),
		PIECE(d->position, (size_t)o->selected * word),
		PIECE(d->choice, d->select->choose_scratch()),
		PIECE(d->pairs, (size_t)area(0, d->last_tile) * BOA_LARGE_CELLS * word),
		PIECE(d->totals, (n << (k + 1)) * word),
		PIECE(d->records, n * (size_t)boa_large_record_words(o->max_parents) * word),
		PIECE(d->parent_count, n * word),
		PIECE(d->parents, n * (k ? k : 1) * word),
		PIECE(d->place, n * word),
		PIECE(d->where, k > 1 ? (k - 1) * n * sizeof(int64_t) : 0),
		PIECE(d->layout, sizeof(struct boa_large_layout)),
		PIECE(d->levels.level_count, word),
		PIECE(d->levels.end, n * word),
		PIECE(d->levels.sequence, n * word),
		PIECE(d->levels.scratch, n * (k ? k : 1) * sizeof(uint16_t)),
		PIECE(d->status, sizeof(struct boa_large_status)),
		PIECE(d->bits, n),
	};
	int status = take(d, pieces, sizeof(pieces) / sizeof(*pieces), e);

	for (int i = 0; !status && i < l->devices; i++)
		if (d->part[i].count)
			status = dev_alloc(d->dev, (void **)&d->part[i].words,
					   n * (size_t)d->part[i].count * word, e);
	return status;
}

/* Bytes for the products of tile rows first .. last - 1. */
static size_t panel_bytes(const struct boa_large *l, int32_t first, int32_t last)
{
	int k = l->setup->options->max_parents;
	size_t rows = (size_t)(last - first) * BOA_LARGE_TILE;

	if (k < 2)
		return 0;
	return (size_t)area(first, last) * BOA_LARGE_CELLS * (size_t)boa_large_products_before(k) *
		       sizeof(int32_t) +
	       rows * l->stride * (size_t)boa_large_products(k - 1) * sizeof(uint32_t);
}

/* Divides the tile rows into panels, which are learned one after another. Panels are as large as
 * memory allows and, except for the last, have equal numbers of rows. The memory is sized for
 * the panel at the end of the triangle, which is the widest. */
static int take_products(const struct boa_large *l, struct boa_large_device *d, struct err *e)
{
	int k = l->setup->options->max_parents;
	int32_t rows = d->last_tile - d->first_tile, panels = 1;
	struct dev_info info;
	int status = dev_get_info(d->dev, &info, e);
	size_t reserve = info.memory_total / 64 + MIB, most = l->setup->panel_bytes;

	if (status || rows == 0 || k < 2)
		return status;
	if (!most)
		most = info.memory_free > reserve ? info.memory_free - reserve : 0;
	do
		d->panel = (rows + panels - 1) / panels;
	while (panel_bytes(l, d->last_tile - d->panel, d->last_tile) > most && panels++ < rows);
	size_t bytes = panel_bytes(l, d->last_tile - d->panel, d->last_tile);

	if (bytes > most)
		return err_set(e, ERR_MEMORY,
			       "%d variables, %d selected: the products of %d variables need %zu "
			       "MB beside "
			       "the population, %zu MB are free",
			       l->n, l->setup->options->selected, BOA_LARGE_TILE, bytes / MIB,
			       most / MIB);
	d->counts_step = (size_t)area(d->last_tile - d->panel, d->last_tile) * BOA_LARGE_CELLS;
	d->y_step = (size_t)d->panel * BOA_LARGE_TILE * l->stride;
	const struct piece pieces[] = {
		PIECE(d->counts,
		      d->counts_step * (size_t)boa_large_products_before(k) * sizeof(int32_t)),
		PIECE(d->y, d->y_step * (size_t)boa_large_products(k - 1) * sizeof(uint32_t)),
	};
	status = take(d, pieces, 2, e);
	/* unused rows of y are multiplied as well */
	return status ? status : dev_fill(d->stream, d->y, 0, pieces[1].bytes, e);
}

/* ---- devices ---- */

static void share(struct boa_large *l)
{
	int32_t first[DEV_MAX + 1], words = l->offspring / 32;

	share_rows(l->tile_rows, l->setup->options->max_parents, l->stride / BOA_LARGE_CHUNK,
		   l->devices, first);
	for (int i = 0; i < l->devices; i++) {
		struct boa_large_device *d = &l->device[i];

		d->first_variable = l->peers ? (int32_t)((int64_t)l->n * i / l->devices) : 0;
		d->last_variable =
			l->peers ? (int32_t)((int64_t)l->n * (i + 1) / l->devices) : l->n;
		d->first_tile = first[i];
		d->last_tile = first[i + 1];
		for (int j = 0; j < l->devices; j++) {
			d->part[j].first = (int32_t)((int64_t)words * j / l->devices);
			d->part[j].count =
				(int32_t)((int64_t)words * (j + 1) / l->devices) - d->part[j].first;
		}
	}
}

/* Clears the rows: words past the last individual, and rows past the last variable, must be 0. */
static int clear_rows(const struct boa_large *l, struct boa_large_device *d, struct err *e)
{
	size_t bytes = (size_t)l->tile_rows * BOA_LARGE_TILE * l->stride * sizeof(uint32_t);
	int status = dev_fill(d->stream, d->x[0], 0, bytes, e);

	if (!status && l->kept)
		status = dev_fill(d->stream, d->x[1], 0, bytes, e);
	return status;
}

static int fill_tables(const struct boa_large *l, struct boa_large_device *d, struct err *e)
{
	const struct landscape *f = l->setup->landscape;
	int status = dev_copy_to(d->stream, d->ln_factorial, l->table.at,
				 ((size_t)l->table.count + 2) * sizeof(uint32_t), e);

	if (!status && f->data_count)
		status = dev_copy_to(d->stream, d->landscape, f->data,
				     f->data_count * sizeof(int32_t), e);
	d->fitness = boa_landscape_fitness(f, d->landscape);
	return status;
}

/* Enables peer access. Without it, copies go through host memory, which is slower but correct. */
static int open_peers(struct boa_large *l, struct err *e)
{
	int status = 0;

	l->peers = l->devices > 1 && !l->setup->gather_all;
	for (int i = 0; i < l->devices; i++)
		for (int j = 0; !status && j < l->devices; j++) {
			if (i != j)
				status = dev_enable_peer(l->device[i].dev, l->device[j].dev, e);
			if (status == ERR_UNSUPPORTED) {
				l->peers = false;
				status = 0;
			}
		}
	return status;
}

static int open_device(struct boa_large *l, struct boa_large_device *d, struct err *e)
{
	struct dev_info info = { 0 };
	int status = dev_get_info(d->dev, &info, e);

	d->processors = info.sm_count;
	d->narrow = info.shared_per_block < BOA_LARGE_COUNT_BYTES;
	if (!status)
		status = dev_stream_create(d->dev, &d->stream, e);
	if (!status)
		status = dev_event_create(d->dev, &d->sent, e);
	if (!status && l->devices > 1)
		status = dev_stream_create(d->dev, &d->copies, e);
	if (!status)
		status = dev_event_create(d->dev, &d->sampled, e);
	if (!status)
		status = dev_event_create(d->dev, &d->copied, e);
	if (!status)
		status = take_base(l, d, e);
	if (!status)
		status = take_products(l, d, e);
	if (!status)
		status = clear_rows(l, d, e);
	if (!status)
		status = fill_tables(l, d, e);
	return status ? status : dev_stream_sync(d->stream, e);
}

static int open_first(struct boa_large *l, struct err *e)
{
	struct dev *dev = l->device[0].dev;
	int status = dev_host_alloc(dev, (void **)&l->status, sizeof(*l->status) * DEV_MAX, e);

	if (!status)
		status = dev_event_create(dev, &l->fetched, e);
	for (int g = 0; g < 2; g++)
		for (int m = 0; !status && m < BOA_LARGE_MARKS; m++)
			status = dev_event_create(dev, &l->mark[g][m], e);
	return status;
}

double boa_large_seconds(double n, double population, int devices)
{
	double bits = n * population;
	double one = 0.92e-12 * bits + 4.3e-16 * n * bits + 35e-12 * n * n;

	return 1.2e-4 + one / devices + 4e-5 * (devices - 1) +
	       0.1e-12 * bits * (devices - 1) / devices;
}

int boa_large_create(struct boa_large *l, const struct boa_setup *s, struct err *e)
{
	const struct boa_options *o = s->options;
	int32_t words = o->selected / 32;
	int all = s->devices->count;

	*l = (struct boa_large){ .setup = s, .n = s->landscape->n };
	l->kept = o->replacement == BOA_REPLACE_WORST ? o->selected : 0;
	l->offspring = boa_offspring(o);
	l->tile_rows = (l->n + BOA_LARGE_TILE - 1) / BOA_LARGE_TILE;
	l->stride = (size_t)((words + BOA_LARGE_CHUNK - 1) / BOA_LARGE_CHUNK * BOA_LARGE_CHUNK);
	l->devices = s->gpus > 0 && s->gpus < all ? s->gpus : all;
	for (int i = 0; i < l->devices; i++) {
		struct dev *dev = s->devices->dev[i];

		l->device[i].dev = dev;
		l->device[i].select = boa_large_select_kernels_for(dev);
		l->device[i].learn = boa_large_learn_kernels_for(dev);
		l->device[i].sample = boa_large_sample_kernels_for(dev);
	}
	int status = open_peers(l, e);

	share(l);
	if (!status)
		status = boa_k2_table_create(&l->table, o->selected, e);
	for (int i = 0; !status && i < l->devices; i++)
		status = open_device(l, &l->device[i], e);
	if (!status)
		status = open_first(l, e);
	if (status)
		boa_large_destroy(l);
	return status;
}

static void close_device(const struct boa_large *l, struct boa_large_device *d)
{
	void *const pieces[] = { d->landscape,
				 d->ln_factorial,
				 d->x[0],
				 d->x[1],
				 d->rating[0],
				 d->rating[1],
				 d->rank[0],
				 d->rank[1],
				 d->order,
				 d->position,
				 d->choice,
				 d->pairs,
				 d->totals,
				 d->records,
				 d->parent_count,
				 d->parents,
				 d->place,
				 d->where,
				 d->layout,
				 d->levels.level_count,
				 d->levels.end,
				 d->levels.sequence,
				 d->levels.scratch,
				 d->status,
				 d->bits,
				 d->counts,
				 d->y };

	dev_event_destroy(d->sent);
	dev_event_destroy(d->sampled);
	dev_event_destroy(d->copied);
	for (size_t i = 0; i < sizeof(pieces) / sizeof(*pieces); i++)
		dev_free(d->dev, pieces[i]);
	for (int i = 0; i < l->devices; i++)
		dev_free(d->dev, d->part[i].words);
}

void boa_large_destroy(struct boa_large *l)
{
	/* waits: after an error, a device may still write to memory of the others */
	for (int i = 0; i < l->devices; i++) {
		dev_stream_destroy(l->device[i].stream);
		dev_stream_destroy(l->device[i].copies);
	}
	for (int i = 0; i < l->devices; i++)
		close_device(l, &l->device[i]);
	for (int g = 0; g < 2; g++)
		for (int m = 0; m < BOA_LARGE_MARKS; m++)
			dev_event_destroy(l->mark[g][m]);
	dev_event_destroy(l->fetched);
	if (l->status)
		dev_host_free(l->device[0].dev, l->status);
	boa_k2_table_destroy(&l->table);
	memset(l, 0, sizeof(*l));
}
