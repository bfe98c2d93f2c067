/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/tree-search/by-set/sets_device.h"

#include <stdlib.h>
#include <string.h>

#include "algorithms/tree-search/flowshop/fsp_tables.h"
#include "harness/base/arena.h"
#include "harness/device/device.h"

/* ---- tables: numbers of sets, Johnson's orders as steps ---- */

enum { NARROW_UB = 4096 };

static uint32_t choose(int n, int k)
{
	uint64_t c = 1;

	if (k < 0 || k > n)
		return 0;
	for (int i = 1; i <= k; i++)
		c = c * (uint64_t)(n - k + i) / (uint64_t)i;
	return (uint32_t)c;
}

/* Sets of a level are ordered by their high parts, then by their low parts. */
static void fill_numbers(struct sets_tables *t)
{
	uint32_t used[SETS_JOBS + 1] = { 0 };

	for (int d = 0; d <= t->jobs; d++) {
		uint32_t sets = choose(t->jobs, d), number = t->level_first[d];

		t->level_first[d + 1] = number + sets;
		t->widest = sets > t->widest ? sets : t->widest;
		for (uint32_t high = 0; high < 1u << t->high_bits; high++) {
			t->high[((uint32_t)d << t->high_bits) + high] = number;
			number += choose(t->low_bits, d - __builtin_popcount(high));
		}
	}
	for (uint32_t low = 0; low < 1u << t->low_bits; low++)
		t->low[low] = used[__builtin_popcount(low)]++;
}

static void fill_steps(struct sets_tables *t, const struct fsp_tables *p)
{
	for (int pair = 0; pair < p->pairs; pair++) {
		int u = p->pair_u[pair], v = p->pair_v[pair];
		struct sets_step *step = t->step + (u * SETS_MACHINES + v) * t->jobs;

		for (int i = 0; i < t->jobs; i++) {
			int j = p->johnson[pair * p->jobs + i];
			const int32_t *time = p->time + j * p->machines;

			step[i].what = (uint32_t)(32 * j) |
				       (uint32_t)(time[u] + p->lag[pair * p->jobs + j]) << 16;
			step[i].drift = (uint32_t)(time[u] - time[v]);
		}
	}
}

static void fill_times(struct sets_tables *t, const struct fsp_tables *p)
{
	for (int j = 0; j < t->jobs; j++)
		for (int k = 0; k < p->machines; k++)
			t->time[j * SETS_MACHINES + k] = (uint32_t)p->time[j * p->machines + k];
	for (int k = 0; k < p->machines; k++)
		t->tail[k] = (uint32_t)p->tail[k];
}

/* Heads and tails. Padding machines come after the last one and have its head. */
static void fill_root(struct sets_tables *t, const struct fsp_tables *p)
{
	for (int k = 0; k < SETS_MACHINES; k++) {
		int at = SETS_MACHINES - 1 - k;
		uint32_t head = (uint32_t)p->head[k < p->machines ? k : p->machines - 1];

		t->root[k / 2] |= head << k % 2 * 16;
		t->root[SETS_MACHINES / 2 + at / 2] |= t->tail[k] << at % 2 * 16;
	}
}

static void choose_form(struct sets_tables *t, const struct search_request *r, int64_t ub)
{
	t->rule = r->branching;
	t->forms = r->forms;
	t->first_ub = (uint32_t)ub;
	t->two_sided = t->rule != FSP_FORWARD;
	t->wide = !t->two_sided && ub > NARROW_UB;
	t->row_words = t->two_sided ? TWOSIDED_ROW_WORDS :
		       t->wide      ? SETS_WIDE_WORDS :
				      SETS_NARROW_WORDS;
	t->bound_words = t->two_sided ? TWOSIDED_BOUND_WORDS : SETS_MACHINES / 2;
}

int sets_tables_make(struct sets_tables *t, const struct search_request *r, int64_t ub,
		     struct err *e)
{
	const struct flowshop *f = r->flowshop;
	struct fsp_tables p;
	int status = fsp_tables_make(&p, f, FSP_ALL_PAIRS, e);

	if (status)
		return status;
	*t = (struct sets_tables){ .jobs = f->jobs,
				   .low_bits = (f->jobs + 1) / 2,
				   .high_bits = f->jobs / 2 };
	choose_form(t, r, ub);
	t->low_count = (size_t)1 << t->low_bits;
	t->high_count = (size_t)(t->jobs + 1) << t->high_bits;
	t->low = calloc(t->low_count, sizeof(*t->low));
	t->high = calloc(t->high_count, sizeof(*t->high));
	t->time = calloc((size_t)t->jobs * SETS_MACHINES, sizeof(*t->time));
	t->step = calloc((size_t)t->jobs * SETS_MACHINES * SETS_MACHINES, sizeof(*t->step));
	if (t->low && t->high && t->time && t->step) {
		fill_numbers(t);
		fill_steps(t, &p);
		fill_times(t, &p);
		if (t->two_sided)
			fill_root(t, &p);
		t->root_bound = fsp_root_bound(&p, FSP_LB2);
	} else {
		sets_tables_free(t);
		status = err_set(e, ERR_MEMORY, "no memory for the tables of %s", f->name);
	}
	fsp_tables_free(&p);
	return status;
}

void sets_tables_free(struct sets_tables *t)
{
	free(t->low);
	free(t->high);
	free(t->time);
	free(t->step);
	memset(t, 0, sizeof(*t));
}

/* ---- a device ---- */

enum {
	SMALL_MEMORY = 16 << 20, /* for open nodes on a simulated device, by default */
	PARCEL = 1 << 22,        /* maximum number of rows moved at once */
	CHUNK_NODES = 512,
	SIM_CHUNK_NODES = 16, /* so that small trees take all code paths */
	SIM_QUOTA = 3000,
	DEAL_LEVEL = 5, /* the level whose nodes are distributed among devices; all devices search
			   the levels above */
};
/* Evaluations per launch: about 10 ms on a GPU, less if nodes may be moved between launches.
 * In two-sided branching evaluations take longer, so a launch has 1/TWOSIDED_SLOWER as many. */
static const uint64_t QUOTA = 4000000000, SHARED_QUOTA = 2000000000, TWOSIDED_SLOWER = 6;
static const int64_t MEMORY = (int64_t)32 << 30; /* for open nodes on a GPU; more is not faster */

size_t sets_row_bytes(int row_words)
{
	return (size_t)row_words * sizeof(uint32_t) + 3 * sizeof(uint32_t) +
	       sizeof(struct sets_chunk);
}

static size_t own_row_bytes(const struct sets_search *q)
{
	return (size_t)q->row_words * sizeof(uint32_t);
}

static size_t bound_bytes(const struct sets_search *q)
{
	return (size_t)q->bound_words * sizeof(uint32_t);
}

static size_t built_bytes(const struct sets_tables *t)
{
	return (((size_t)1 << t->jobs) + 31) / 32 * sizeof(uint32_t);
}

static size_t lay_out_tables(struct sets_search *q, const struct sets_tables *t, void *base)
{
	size_t sets = (size_t)1 << t->jobs, jobs = (size_t)t->jobs;
	struct arena l = { base, 0 };

	q->low = arena_take(&l, t->low_count * sizeof(uint32_t));
	q->high = arena_take(&l, t->high_count * sizeof(uint32_t));
	q->time = arena_take(&l, jobs * SETS_MACHINES * sizeof(uint32_t));
	q->step = arena_take(&l, jobs * SETS_MACHINES * SETS_MACHINES * sizeof(struct sets_step));
	q->tail = arena_take(&l, sizeof(t->tail));
	q->set_of = arena_take(&l, sets * sizeof(uint32_t));
	q->bound = arena_take(&l, sets * bound_bytes(q));
	q->built = arena_take(&l, built_bytes(t));
	q->missing = arena_take(&l, t->widest * sizeof(uint32_t));
	q->count = arena_take(&l, t->widest * sizeof(uint32_t));
	q->cursor = arena_take(&l, t->widest * sizeof(uint32_t));
	q->state = arena_take(&l, sizeof(struct sets_state));
	return l.used;
}

static size_t lay_out_arena(struct sets_search *q, void *base)
{
	size_t rows = q->capacity;
	struct arena l = { base, 0 };

	q->row = arena_take(&l, rows * own_row_bytes(q));
	q->key = arena_take(&l, rows * sizeof(uint32_t));
	q->parent = arena_take(&l, rows * sizeof(uint32_t));
	q->list = arena_take(&l, rows * sizeof(uint32_t));
	q->chunk = arena_take(&l, (rows + 2 * SETS_JOBS) * sizeof(struct sets_chunk));
	return l.used;
}

/* The rows of a parcel: the device's outgoing rows, and the orders of those it received. */
static size_t lay_out_parcel(struct sets_device *d, void *base)
{
	size_t rows = d->parcel, jobs = (size_t)d->search.jobs;
	struct arena l = { base, 0 };

	d->search.order = arena_take(&l, rows * jobs);
	d->pack.row = arena_take(&l, rows * own_row_bytes(&d->search));
	d->pack.key = arena_take(&l, rows * sizeof(uint32_t));
	d->pack.order = arena_take(&l, rows * jobs);
	return l.used;
}

static int choose_capacity(struct sets_device *d, int64_t memory, struct err *e)
{
	const size_t row = sets_row_bytes(d->search.row_words);
	const int64_t least = (int64_t)d->search.jobs * (d->search.jobs + 1) / 2 + 2;
	struct dev_info info;
	int64_t rows;
	int status = dev_get_info(d->device, &info, e);

	if (status)
		return status;
	if (memory <= 0) {
		memory = info.backend == DEV_SIM ? SMALL_MEMORY : MEMORY;
		if (memory > (int64_t)(info.memory_free / 4 * 3))
			memory = (int64_t)(info.memory_free / 4 * 3);
	}
	rows = memory / (int64_t)row;
	if (rows < least)
		return err_set(
			e, ERR_MEMORY,
			"%lld bytes for open nodes are too few: a search of %d jobs needs %lld",
			(long long)memory, d->search.jobs, (long long)least * (long long)row);
	d->search.capacity = rows < INT32_MAX ? (uint32_t)rows : INT32_MAX;
	return 0;
}

/* The evaluations of a launch. */
static void set_quota(struct sets_device *d)
{
	d->search.quota = dev_backend_of(d->device) == DEV_SIM ? SIM_QUOTA :
			  d->parcel                            ? SHARED_QUOTA :
								 QUOTA;
	if (d->search.rule != FSP_FORWARD)
		d->search.quota /= TWOSIDED_SLOWER;
}

int sets_device_share(struct sets_device *d, struct err *e)
{
	int status;

	if (d->parcel)
		return 0;
	d->parcel = d->search.capacity / 4 < PARCEL ? d->search.capacity / 4 : PARCEL;
	set_quota(d);
	status = dev_alloc(d->device, &d->outgoing, lay_out_parcel(d, NULL), e);
	if (!status)
		lay_out_parcel(d, d->outgoing);
	return status;
}

static int allocate(struct sets_device *d, const struct sets_tables *t, struct err *e)
{
	int status = dev_alloc(d->device, &d->tables, lay_out_tables(&d->search, t, NULL), e);

	if (!status)
		status = dev_host_alloc(d->device, (void **)&d->state, sizeof(*d->state), e);
	/* a device that is cancelled before its start has found nothing */
	if (!status)
		memset(d->state, 0, sizeof(*d->state));
	if (!status)
		status = dev_alloc(d->device, &d->arena, lay_out_arena(&d->search, NULL), e);
	if (status)
		return status;
	lay_out_tables(&d->search, t, d->tables);
	lay_out_arena(&d->search, d->arena);
	return 0;
}

static int upload(struct sets_device *d, const struct sets_tables *t, struct err *e)
{
	const struct sets_search *q = &d->search;
	struct dev_stream *s = d->stream;
	size_t jobs = (size_t)t->jobs, last = t->level_first[t->jobs];
	int status = dev_copy_to(s, (void *)q->low, t->low, t->low_count * sizeof(uint32_t), e);

	if (!status)
		status = dev_copy_to(s, (void *)q->high, t->high, t->high_count * sizeof(uint32_t),
				     e);
	if (!status)
		status = dev_copy_to(s, (void *)q->time, t->time,
				     jobs * SETS_MACHINES * sizeof(uint32_t), e);
	if (!status)
		status = dev_copy_to(
			s, (void *)q->step, t->step,
			jobs * SETS_MACHINES * SETS_MACHINES * sizeof(struct sets_step), e);
	if (!status)
		status = dev_copy_to(s, (void *)q->tail, t->tail, sizeof(t->tail), e);
	if (!status)
		status = dev_fill(s, q->built, 0, built_bytes(t), e);
	if (!status)
		status = dev_fill(s, q->count, 0, t->widest * sizeof(uint32_t), e);
	if (!status)
		status =
			dev_fill(s, q->bound + last * (size_t)q->bound_words, 0, bound_bytes(q), e);
	if (!status)
		status = d->kernels->number_sets(s, q, e);
	return status ? status : dev_stream_sync(s, e);
}

/* As many blocks as are resident at once. On the simulator a thread costs much more than its work,
 * so few are used. */
static int choose_grid(struct sets_device *d, struct err *e)
{
	struct dev_info info;
	int status = dev_get_info(d->device, &info, e), per_sm = 0;

	if (status)
		return status;
	d->threads = info.backend == DEV_SIM ? 64 : d->kernels->threads;
	while (!status && per_sm < 1 && d->threads >= 64) {
		status = d->kernels->blocks(d->stream, &d->search, d->threads, &per_sm, e);
		d->threads -= per_sm < 1 ? 32 : 0;
	}
	if (status)
		return status;
	if (per_sm < 1)
		return err_set(e, ERR_UNSUPPORTED,
			       "%s: the search by job set does not fit on a multiprocessor",
			       info.name);
	d->blocks = info.backend == DEV_SIM ? 3 : per_sm * info.sm_count;
	d->search.chunk_nodes = info.backend == DEV_SIM ? SIM_CHUNK_NODES : CHUNK_NODES;
	d->clock_hz = info.clock_khz * 1e3;
	set_quota(d);
	return 0;
}

int sets_device_open(struct sets_device *d, struct dev *device, const struct sets_tables *t,
		     int64_t memory, int devices, struct err *e)
{
	int status;

	memset(d, 0, sizeof(*d));
	d->device = device;
	d->kernels = t->two_sided ? twosided_kernels_for(device) : sets_kernels_for(device);
	d->search.jobs = t->jobs;
	d->search.low_bits = t->low_bits;
	d->search.high_bits = t->high_bits;
	d->search.wide = t->wide;
	d->search.lane_nodes = t->forms & SEARCH_NODES_ALONE ? SETS_ALONE :
			       t->forms & SEARCH_ONE_NODE    ? 1 :
							       SETS_LANE_NODES;
	d->search.rule = t->rule;
	d->search.first_ub = t->first_ub;
	d->search.row_words = t->row_words;
	d->search.bound_words = t->bound_words;
	memcpy(d->search.level_first, t->level_first, sizeof(t->level_first));
	status = choose_capacity(d, memory, e);
	if (!status)
		status = dev_stream_create(device, &d->stream, e);
	if (!status)
		status = allocate(d, t, e);
	if (!status && devices > 1)
		status = sets_device_share(d, e);
	if (!status)
		status = choose_grid(d, e);
	if (!status)
		status = upload(d, t, e);
	if (status)
		sets_device_close(d);
	return status;
}

void sets_device_close(struct sets_device *d)
{
	if (!d->device)
		return;
	dev_host_free(d->device, d->state);
	dev_free(d->device, d->outgoing);
	dev_free(d->device, d->arena);
	dev_free(d->device, d->tables);
	if (d->stream)
		dev_stream_destroy(d->stream);
	memset(d, 0, sizeof(*d));
}

static void clear_state(struct sets_device *d, int64_t ub)
{
	memset(d->state, 0, sizeof(*d->state));
	d->state->best = UINT64_MAX;
	d->state->control.depth = -1;
	d->state->control.ub = ub;
}

int sets_device_await(struct sets_device *d, int64_t ub, struct err *e)
{
	clear_state(d, ub);
	d->state->control.enter = -1;
	d->search.shares = 1;
	return dev_stream_sync(d->stream, e);
}

int sets_device_start(struct sets_device *d, const struct sets_tables *t, int64_t ub, int share,
		      int shares, struct err *e)
{
	const struct sets_search *q = &d->search;
	int status;

	clear_state(d, ub);
	d->began = true;
	d->state->control.entering = 1;
	d->search.share = share;
	d->search.shares = shares;
	d->search.deal_level = shares < 2 ? 0 : q->jobs < DEAL_LEVEL + 2 ? q->jobs - 2 : DEAL_LEVEL;
	status = dev_copy_to(d->stream, q->row, t->root, own_row_bytes(q), e);
	if (!status)
		status = dev_fill(d->stream, q->key, 0, sizeof(uint32_t), e);
	if (!status)
		status = dev_fill(d->stream, q->parent, 0xff, sizeof(uint32_t), e);
	if (!status)
		status = d->kernels->count_rows(d->stream, q, 0, 1, e);
	return status ? status : dev_stream_sync(d->stream, e);
}

int sets_device_run(struct sets_device *d, int64_t ub, struct err *e)
{
	struct sets_state *state = d->state;
	int status;

	if (ub < state->control.ub)
		state->control.ub = ub;
	memset(state->counter, 0, sizeof(state->counter));
	status = dev_copy_to(d->stream, d->search.state, state, sizeof(*state), e);
	if (!status)
		status = d->kernels->search(d->stream, &d->search, d->blocks, d->threads, e);
	if (!status)
		status = dev_copy_from(d->stream, state, d->search.state, sizeof(*state), e);
	d->launches++;
	return status ? status : dev_stream_sync(d->stream, e);
}

/* The shallowest level with at least two open chunks, below those that are distributed; -1:
 * none. */
static int level_to_divide(const struct sets_device *d)
{
	const struct sets_control *c = &d->state->control;

	for (int i = d->search.deal_level; i <= c->depth; i++)
		if (c->level[i].chunk_end - c->level[i].chunk_next >= 2)
			return i;
	return -1;
}

/* Removes the last chunks of a level: half of them, but at most as many nodes as a parcel holds. */
static int cut(struct sets_device *d, struct sets_level *l, uint32_t room, uint32_t *first,
	       uint32_t *nodes, struct err *e)
{
	uint32_t middle = l->chunk_next + (l->chunk_end - l->chunk_next) / 2;
	struct sets_chunk edge, end;
	int status = dev_copy_from(d->stream, &end, d->search.chunk + l->chunk_end, sizeof(end), e);

	for (;;) {
		if (!status)
			status = dev_copy_from(d->stream, &edge, d->search.chunk + middle,
					       sizeof(edge), e);
		if (!status)
			status = dev_stream_sync(d->stream, e);
		if (status)
			return status;
		if (end.first - edge.first <= room || middle == l->chunk_end)
			break;
		middle += (l->chunk_end - middle + 1) / 2;
	}
	*first = edge.first;
	*nodes = end.first - edge.first;
	l->chunk_end = middle;
	return 0;
}

static int send(struct sets_device *from, struct sets_device *to, uint32_t nodes, struct err *e)
{
	const struct sets_search *p = &from->pack, *q = &to->search;
	struct dev *a = from->device, *b = to->device;
	int status = dev_copy_peer(from->stream, b, q->row, a, p->row, nodes * own_row_bytes(q), e);

	if (!status)
		status = dev_copy_peer(from->stream, b, q->key, a, p->key, nodes * sizeof(uint32_t),
				       e);
	if (!status)
		status = dev_copy_peer(from->stream, b, (void *)q->order, a, p->order,
				       nodes * (size_t)q->jobs, e);
	return status ? status : dev_stream_sync(from->stream, e);
}

int sets_device_give(struct sets_device *from, struct sets_device *to, uint32_t *nodes,
		     struct err *e)
{
	const int level = level_to_divide(from);
	uint32_t first, room = from->parcel < to->parcel ? from->parcel : to->parcel;
	int status;

	*nodes = 0;
	if (level < 0)
		return 0;
	status = cut(from, &from->state->control.level[level], room, &first, nodes, e);
	if (status || !*nodes)
		return status;
	status = from->kernels->pack(from->stream, &from->search, &from->pack, level, first, *nodes,
				     e);
	if (!status)
		status = send(from, to, *nodes, e);
	if (!status)
		status =
			dev_fill(to->stream, to->search.parent, 0xff, *nodes * sizeof(uint32_t), e);
	if (!status)
		status = to->kernels->count_rows(to->stream, &to->search, level, *nodes, e);
	to->state->control.depth = -1;
	to->state->control.enter = level;
	to->state->control.entering = *nodes;
	from->given += *nodes;
	to->received += *nodes;
	return status;
}

/* Counts the nodes of a level that are still to be expanded. */
static int count_open(struct sets_device *d, const struct sets_level *l, uint64_t *open,
		      struct err *e)
{
	struct sets_chunk next, end;
	int status;

	if (l->chunk_next >= l->chunk_end)
		return 0;
	status = dev_copy_from(d->stream, &next, d->search.chunk + l->chunk_next, sizeof(next), e);
	if (!status)
		status = dev_copy_from(d->stream, &end, d->search.chunk + l->chunk_end, sizeof(end),
				       e);
	status = dev_drain(d->stream, status, e);
	if (!status)
		*open += end.first - next.first;
	return status;
}

int sets_device_depths(struct sets_device *d, uint32_t *open, struct err *e)
{
	const struct sets_control *c = &d->state->control;
	int status = 0;

	if (c->enter >= 0)
		open[c->enter] += c->entering;
	for (int i = 0; !status && i <= c->depth; i++) {
		uint64_t nodes = 0;

		status = count_open(d, &c->level[i], &nodes, e);
		open[i] += (uint32_t)nodes;
	}
	return status;
}

int sets_device_balance(struct sets_device *d, struct balance *b, struct err *e)
{
	const struct sets_control *c = &d->state->control;
	int status = 0;

	*b = (struct balance){ .initial = d->began,
			       .pushed = c->pushed,
			       .received = d->received,
			       .popped = c->popped,
			       .given = d->given,
			       .left = c->enter >= 0 ? c->entering : 0 };
	for (int i = 0; !status && i <= c->depth; i++)
		status = count_open(d, &c->level[i], &b->left, e);
	return status;
}
