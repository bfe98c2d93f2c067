/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/dp-knapsack/tuned.h"

#include <stdlib.h>
#include <string.h>

enum {
	FUSED_HALO = 36, /* percent of the window */
	ZONES = 64,      /* most zones per pass and device */
	COLUMNS = 32,
	LIMIT_CELLS = 1 << 30, /* limit of any index into a tile, halo and overhang included */
};

static int64_t fused_width(const struct dp_tuned_shape *shape)
{
	return (int64_t)shape->threads *
	       (shape->cells_64 ? DP_TUNED_FUSED_CELLS_64 : DP_TUNED_FUSED_CELLS);
}

static int most_rows(const struct dp_tuned_shape *shape)
{
	return shape->cells_64 ? 48 : 96;
}

/* The most items of a class or merged pass, so that the halo stays within a quarter of a tile. */
static int64_t step_items(const struct dp_tuned_shape *shape)
{
	int64_t items = shape->threads / COLUMNS * most_rows(shape) / 4;

	return items < DP_TUNED_ITEMS / 2 ? items : DP_TUNED_ITEMS / 2;
}

bool dp_tuned_fits(const struct dp_plan *p, enum dp_form form, const struct dp_tuned_shape *shape)
{
	/* rows that a tile spans or skips past its end */
	int64_t rows = (int64_t)shape->threads * most_rows(shape) + DP_TUNED_ITEMS;

	if (p->capacity >= LIMIT_CELLS)
		return false;
	if (form == DP_FUSED)
		return p->max_weight <= fused_width(shape) / 3;
	return p->max_weight <= LIMIT_CELLS / (rows / COLUMNS + DP_TUNED_ITEMS);
}

/* ---- steps ---- */

struct steps {
	struct dp_tuned_step *step;
	int64_t count;
};

static void emit(struct steps *s, int64_t first, int64_t count, int64_t unit, int64_t weight)
{
	if (count > 0)
		s->step[s->count++] = (struct dp_tuned_step){ first, count, unit, weight };
}

/* Makes steps of the runs of equal weight among items begin .. end - 1; runs that are too long are
 * divided evenly. */
static void class_steps(const struct dp_plan *p, int64_t most, int64_t begin, int64_t end,
			struct steps *out)
{
	for (int64_t first = begin, next; first < end; first = next) {
		next = first + 1;
		while (next < end && p->weight[next] == p->weight[first])
			next++;
		int64_t parts = (next - first + most - 1) / most;

		for (int64_t i = 0; i < parts; i++) {
			int64_t from = (next - first) * i / parts;
			int64_t to = (next - first) * (i + 1) / parts;

			emit(out, first + from, to - from, 1, p->weight[first]);
		}
	}
}

/* A run of more identical items than a pass holds. Some are applied singly, so that an even number
 * remains. These form pairs, of which some are applied as pairs, so that an even number of pairs
 * remains, and so on. */
static void bundle_steps(const struct dp_step *kind, int64_t most, struct steps *out)
{
	int64_t first = kind->first, left = kind->count, unit = 1;

	while (left > most) {
		int64_t now = (left - most) % 2 ? most - 1 : most;

		emit(out, first, now, unit, kind->weight * unit);
		first += now * unit;
		left = (left - now) / 2;
		unit *= 2;
	}
	emit(out, first, left, unit, kind->weight * unit);
}

/* Kinds of one weight share a pass if they fit. */
static void merged_steps(const struct dp_plan *p, int64_t most, struct steps *out)
{
	int64_t first = 0, count = 0, weight = 0;

	for (int64_t k = 0; k < p->kind_count; k++) {
		const struct dp_step *kind = &p->kinds[k];
		bool joins = kind->weight == weight && count + kind->count <= most;

		if (!joins) {
			emit(out, first, count, 1, weight);
			first = kind->first;
			count = 0;
			weight = kind->weight;
		}
		if (kind->count > most) {
			bundle_steps(kind, most, out);
			weight = 0; /* the next kind starts a new pass */
			count = 0;
		} else {
			count += kind->count;
		}
	}
	emit(out, first, count, 1, weight);
}

/* Makes groups whose total weight leaves most of the window to the cells that are written. */
static void fused_steps(const struct dp_plan *p, const struct dp_tuned_shape *shape,
			struct steps *out)
{
	int64_t window = fused_width(shape), first = 0;

	for (int64_t i = 0; i < p->n; i++) {
		int64_t halo = p->sum_weight[i + 1] - p->sum_weight[first];

		if (i > first &&
		    (halo * 100 > window * FUSED_HALO || i - first >= shape->fused_items)) {
			emit(out, first, i - first, 1, 0);
			first = i;
		}
	}
	emit(out, first, p->n - first, 1, 0);
}

int dp_tuned_steps(const struct dp_plan *p, enum dp_form form, const struct dp_tuned_shape *shape,
		   int64_t begin, int64_t end, struct dp_tuned_step **out, int64_t *count,
		   struct err *e)
{
	/* there are never more steps than items, except for the last bundle of a run */
	int64_t most = end - begin + (form == DP_MERGED ? p->kind_count : 0);
	struct steps s = { malloc((size_t)(most + 1) * sizeof(*s.step)), 0 };

	if (!s.step)
		return err_set(e, ERR_MEMORY, "no memory for the passes of %lld items",
			       (long long)(end - begin));
	if (form == DP_FUSED)
		fused_steps(p, shape, &s);
	else if (form == DP_CLASS)
		class_steps(p, step_items(shape), begin, end, &s);
	else
		merged_steps(p, step_items(shape), &s);
	*out = s.step;
	*count = s.count;
	return 0;
}

/* ---- operations ---- */

static int reserve(void **list, int64_t *room, int64_t need, size_t size, struct err *e)
{
	int64_t more = *room ? *room : 256;
	void *grown;

	if (need <= *room)
		return 0;
	while (more < need)
		more *= 2;
	grown = realloc(*list, (size_t)more * size);
	if (!grown)
		return err_set(e, ERR_MEMORY, "no memory for a list of %lld passes or operations",
			       (long long)more);
	*list = grown;
	*room = more;
	return 0;
}

static int add_op(struct dp_schedule *s, int64_t gain, int64_t shift, struct err *e)
{
	int64_t room = s->op_room;
	int status = reserve((void **)&s->gain, &room, s->op_count + 1, sizeof(*s->gain), e);

	if (!status)
		status = reserve((void **)&s->shift, &s->op_room, s->op_count + 1,
				 sizeof(*s->shift), e);
	if (status)
		return status;
	s->gain[s->op_count] = gain;
	s->shift[s->op_count++] = (int32_t)shift;
	return 0;
}

/* Adds the operations for m identical units: steps 1, 2, 4, ... and then the rest, always the
 * largest step that leaves no gap. */
static int add_merged_ops(struct dp_schedule *s, int64_t m, int64_t profit, struct err *e)
{
	int64_t reach = 0;
	int status = 0;

	while (!status && reach < m) {
		int k = 0;

		while (k < DP_TUNED_SHIFT && 2LL << k <= m - reach && 2LL << k <= reach + 1)
			k++;
		status = add_op(s, profit * (1LL << k), k, e);
		reach += 1LL << k;
	}
	return status;
}

static int add_ops(struct dp_schedule *s, const struct dp_tuned_step *step, struct err *e)
{
	const struct dp_plan *p = s->plan;
	int status = 0;

	for (int64_t i = 0, run; !status && i < step->count; i += run) {
		int64_t item = step->first + i * step->unit;

		run = 1;
		if (s->form == DP_MERGED) {
			while (i + run < step->count &&
			       p->profit[item + run * step->unit] == p->profit[item])
				run++;
			status = add_merged_ops(s, run, p->profit[item] * step->unit, e);
		} else {
			status = add_op(s, p->profit[item],
					s->form == DP_FUSED ? p->weight[item] : 0, e);
		}
	}
	return status;
}

/* ---- geometry ---- */

/* Whether the gains of the operations from `first` on fit into 16 bits. */
static bool gains_fit(const struct dp_schedule *s, int64_t first)
{
	for (int64_t i = first; i < s->op_count; i++) {
		if (s->gain[i] > INT16_MAX)
			return false;
	}
	return true;
}

/* Estimates the time of a pass with `rows` registers of cells per thread, in units of one add-max
 * of a warp scheduler: waves of tiles, each with its items, its exchange with neighbours and its
 * traffic.
 *
 * Tiles of two lanes whose values do not fit into 16 bits are computed one lane after the other.
 * Most passes have some, and the next pass waits for them. So the estimate for a pass of two lanes
 * is at least shape.path times the time of such a tile. */
static double chain_cost(const struct dp_schedule *s, const struct dp_tuned_pass *p, int64_t cells,
			 int64_t ops, int rows)
{
	enum { EXCHANGE = 30, TRAFFIC = 250, PAIR = 20, TILE = 6000 };
	int64_t fresh = (int64_t)p->segments * rows - p->halo;
	int64_t chain = (cells + p->weight - 1) / p->weight;
	double waves, items, tile, path = 0;
	int traffic = p->lanes * TRAFFIC + (p->lanes - 1) * PAIR;
	int warps = s->shape.threads / 128 ? s->shape.threads / 128 : 1;

	if (fresh <= p->halo / 2 || fresh < 1)
		return -1;
	/* an incomplete band costs only its share: idle threads leave their time to the others */
	waves = (double)chain / (double)fresh * p->groups / s->shape.blocks;
	waves = waves < 1 ? 1 : waves + 0.1;
	items = (double)ops * (2.0 * rows * warps + EXCHANGE);
	tile = items + (double)traffic * rows + TILE;
	if (p->lanes == 2)
		path = s->shape.path * (2 * (items + TRAFFIC * rows + TILE) + TRAFFIC * rows);
	return waves * tile > path ? waves * tile : path;
}

/* The columns and groups of a pass with 1 or 2 cells in a register. */
static void chain_columns(const struct dp_schedule *s, struct dp_tuned_pass *p, int lanes)
{
	int across = (p->weight + lanes - 1) / lanes;

	p->lanes = lanes;
	p->columns = across < COLUMNS ? across : COLUMNS;
	p->segments = s->shape.threads / p->columns;
	p->groups = (across + p->columns - 1) / p->columns;
}

static void chain_geometry(const struct dp_schedule *s, struct dp_tuned_pass *p,
			   const struct dp_tuned_step *step, int64_t cells, int64_t ops, int lanes)
{
	static const int choice[] = { 8, 16, 32, 48, 64, 80, 96 };
	int choices = s->shape.cells_64 ? 4 : 7, best_lanes = 1;
	double best = -1;

	p->weight = (int32_t)step->weight;
	p->halo = (int32_t)step->count;
	for (int l = 1; l <= lanes; l++) {
		chain_columns(s, p, l);
		for (int i = 0; i < choices; i++) {
			double cost = chain_cost(s, p, cells, ops, choice[i]);

			if (cost >= 0 && (best < 0 || cost < best)) {
				best = cost;
				best_lanes = l;
				p->rows = choice[i];
			}
		}
	}
	chain_columns(s, p, best_lanes);
	p->band_cells = (p->segments * p->rows - p->halo) * p->weight;
}

/* Pairs if single windows take the blocks more than fused_rounds rounds. In fewer rounds, pairs
 * leave too many blocks without work (docs/lab-notes/dp-knapsack.md). */
static void fused_geometry(const struct dp_schedule *s, struct dp_tuned_pass *p,
			   const struct dp_tuned_step *step, int64_t cells, int lanes)
{
	const struct dp_plan *plan = s->plan;
	int64_t window = fused_width(&s->shape), most;

	p->weight = p->columns = p->segments = p->groups = 1;
	p->halo = (int32_t)(plan->sum_weight[step->first + step->count] -
			    plan->sum_weight[step->first]);
	p->rows = (int32_t)window;
	most = s->shape.fused_rounds * s->shape.blocks * (window - p->halo);
	p->lanes = cells > most ? lanes : 1;
	p->band_cells = p->lanes * (p->rows - p->halo);
}

/* The number of devices that share a pass over this many cells. */
static int sharing(const struct dp_schedule *s, int64_t cells)
{
	int64_t many = cells / s->shape.cells_a_device;

	return many < 1 ? 1 : many < s->shape.devices ? (int)many : s->shape.devices;
}

static void end_rows(struct dp_schedule *s)
{
	struct dp_tuned_pass *row = s->pass + s->pass_count * s->shape.devices;

	for (int d = 0; d < s->shape.devices; d++)
		row[d] = (struct dp_tuned_pass){ .tile_first = (int32_t)s->tiles[d] };
}

static int place(struct dp_schedule *s, struct dp_tuned_pass *p, int device, struct err *e)
{
	int64_t bands = (p->cells + (int64_t)p->band_cells - 1) / p->band_cells;

	p->bands = (int32_t)bands;
	p->zone_bands = (int32_t)((bands + ZONES - 1) / ZONES);
	p->zone_bands += p->zone_bands == 0;
	p->zone_first = (int32_t)s->zones[device];
	p->tile_first = (int32_t)s->tiles[device];
	s->zones[device] += (bands + p->zone_bands - 1) / p->zone_bands;
	s->tiles[device] += bands * p->groups;
	if (s->tiles[device] > INT32_MAX / 2 || s->zones[device] > INT32_MAX / 2)
		return err_set(e, ERR_UNSUPPORTED, "more tiles than a launch can count");
	return 0;
}

void dp_schedule_destroy(struct dp_schedule *s)
{
	free(s->pass);
	free(s->gain);
	free(s->shift);
	*s = (struct dp_schedule){ .plan = NULL };
}

static void account(struct dp_schedule *s, const struct dp_tuned_step *step,
		    const struct dp_tuned_pass *p, int64_t ops)
{
	double tile =
		s->form == DP_FUSED ? (double)p->rows : (double)p->rows * p->segments * p->columns;
	double cells = (double)p->bands * p->groups * tile * p->lanes *
		       (double)(s->form == DP_CLASS ? step->count : ops);

	s->cells_done += cells;
	s->cells_paired += p->lanes == 2 ? cells : 0;
	s->bytes += 2.0 * p->cells * (s->shape.cells_64 ? 8 : 4);
}

int dp_schedule_resume(struct dp_schedule *s, const struct dp_tuned_pass *rows, struct err *e)
{
	int devices = s->shape.devices;
	int status = reserve((void **)&s->pass, &s->pass_room, 2 * devices, sizeof(*s->pass), e);

	if (status)
		return status;
	for (int d = 0; d < devices; d++) {
		s->pass[d] = rows[d];
		s->pass[d].tile_first = 0;
	}
	s->pass_count = 1;
	end_rows(s);
	return 0;
}

int dp_schedule_add(struct dp_schedule *s, const struct dp_tuned_step *step, int64_t low,
		    int64_t high, struct dp_tuned_pass **rows, struct err *e)
{
	const struct dp_plan *plan = s->plan;
	int64_t ops = s->op_count;
	int64_t saturated = s->constant_cells ? plan->capacity : plan->sum_weight[step->first];
	int64_t count = high - low + 1;
	int devices = s->shape.devices, share = sharing(s, count), lanes;
	struct dp_tuned_pass common = { .op_first = (int32_t)ops };
	int status = reserve((void **)&s->pass, &s->pass_room, (s->pass_count + 2) * devices,
			     sizeof(*s->pass), e);

	if (!status)
		status = add_ops(s, step, e);
	if (status)
		return status;
	common.op_count = (int32_t)(s->op_count - ops);
	common.saturated = (int32_t)(saturated < plan->capacity ? saturated : plan->capacity);
	common.saturated_value = plan->sum_profit[step->first];
	if (step->first == 0)
		common.saturated = -1; /* f_0 is 0 everywhere */
	lanes = s->shape.pairs && gains_fit(s, ops) ? 2 : 1;
	if (s->form == DP_FUSED)
		fused_geometry(s, &common, step, (count + share - 1) / share, lanes);
	else
		chain_geometry(s, &common, step, (count + share - 1) / share, common.op_count,
			       lanes);
	*rows = s->pass + s->pass_count * devices;
	for (int d = 0; !status && d < devices; d++) {
		struct dp_tuned_pass *p = *rows + d;
		int64_t from = count * (d < share ? d : share) / share;
		int64_t to = count * (d + 1 < share ? d + 1 : share) / share;

		*p = common;
		p->low = (int32_t)(low + from);
		p->cells = (int32_t)(to - from);
		status = place(s, p, d, e);
		account(s, step, p, common.op_count);
	}
	s->pass_count++;
	if (!status)
		end_rows(s);
	return status;
}
