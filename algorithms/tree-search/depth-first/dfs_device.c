/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/tree-search/depth-first/dfs_device.h"

#include <stdlib.h>
#include <string.h>

#include "algorithms/tree-search/flowshop/fsp_tables.h"
#include "harness/base/checked.h"
#include "harness/base/clock.h"
#include "harness/base/arena.h"
#include "harness/device/device.h"

/* ---- the job: data common to all devices ---- */

/* ---- the form of rows ---- */

static int32_t longest_job(const struct fsp_tables *t)
{
	int32_t longest = 0;

	for (int j = 0; j < t->jobs; j++) {
		int32_t sum = 0;

		for (int k = 0; k < t->machines; k++)
			sum += t->time[j * t->machines + k];
		longest = sum > longest ? sum : longest;
	}
	return longest;
}

/* Whether all values fit 16-bit lanes. Every node on a stack except the root has LB1 < first_ub.
 * Adding a job raises a sum of front, rem and back by at most the job's own times. By Johnson's
 * rule, C_uv is at most the larger of the sums of u and v plus one job's times (before a job of the
 * first group, the sum of u is below that of v; after one of the second group, the sum of v is
 * below that of u). So the values of LB2 are bounded by those of LB1 and one more job. */
static bool fits_16_bits(const struct dfs_job *j)
{
	int64_t most = j->first_ub > j->root_bound ? j->first_ub : j->root_bound + 1;

	return most + 2 * (int64_t)longest_job(&j->tables) <= INT16_MAX;
}

static bool pair_supports(const struct dfs_job *j)
{
	return !j->lb2 && j->narrow && j->tables.jobs <= DFS_PAIR_MAX_JOBS &&
	       j->tables.machines <= DFS_PAIR_MAX_MACHINES;
}

static void lay_out_row(struct dfs_job *j)
{
	int n = j->tables.jobs, m = j->tables.machines, words;

	if (j->pair) {
		int padded = dfs_pair_machines(m);

		j->mask_words = dfs_pair_mask_words(n);
		words = j->mask_words + padded + padded / 2;
	} else {
		j->mask_words = (n + 31) / 32;
		words = j->mask_words + 3 * m;
	}
	words = (words + 3) / 4 * 4; /* rows and moves begin at multiples of 16 bytes */
	j->moves_at = j->orders ? words : 0;
	j->move_bytes = dfs_move_bytes(n);
	words += j->orders ? (n * j->move_bytes + 3) / 4 : 0;
	j->row_words = (words + 3) / 4 * 4;
}

/* ---- tables ---- */

static uint32_t two(int32_t low, int32_t high)
{
	return (uint32_t)low | (uint32_t)high << 16;
}

/* The time on machine k of an instance padded with machines of zero time. */
static int32_t padded(const int32_t *row, int k, int machines)
{
	return k < machines ? row[k] : 0;
}

static void fill_pair_time(const struct dfs_job *j)
{
	const struct fsp_tables *t = &j->tables;
	int all = dfs_pair_machines(t->machines);

	for (int job = 0; job < t->jobs; job++) {
		const int32_t *p = &t->time[job * t->machines];

		for (int k = 0; k < all; k++)
			j->pair_time[job * all + k] =
				two(padded(p, k, t->machines), padded(p, all - 1 - k, t->machines));
	}
}

static void fill_step(const struct dfs_job *j, size_t at, int32_t job, int32_t first, int32_t lag,
		      int32_t second)
{
	int32_t *step = &j->johnson[at * (j->narrow ? 2 : 4)];

	if (j->narrow) {
		step[0] = (int32_t)two(job, first);
		step[1] = (int32_t)two(lag, second);
		return;
	}
	step[0] = job;
	step[1] = first;
	step[2] = lag;
	step[3] = second;
}

static void fill_wide(const struct dfs_job *j)
{
	const struct fsp_tables *t = &j->tables;
	int n = t->jobs, m = t->machines;

	for (int job = 0; job < n; job++) {
		for (int k = 0; k < m; k++)
			j->time[k * n + job] = t->time[job * m + k];
	}
	for (int pair = 0; j->lb2 && pair < t->pairs; pair++) {
		int u = t->pair_u[pair], v = t->pair_v[pair];

		j->pair_uv[pair] = u | v << 16;
		for (int i = 0; i < n; i++) {
			int job = t->johnson[pair * n + i];

			fill_step(j, (size_t)i * (size_t)t->pairs + (size_t)pair, job,
				  t->time[job * m + u], t->lag[pair * n + job],
				  t->time[job * m + v]);
		}
	}
}

static void *zeroed(size_t count, size_t *bytes)
{
	*bytes = count * sizeof(int32_t);
	return calloc(count ? count : 1, sizeof(int32_t));
}

static int make_tables(struct dfs_job *j, struct err *e)
{
	const struct fsp_tables *t = &j->tables;
	size_t n = (size_t)t->jobs, m = (size_t)t->machines, pairs = j->lb2 ? (size_t)t->pairs : 0;
	size_t all = (size_t)dfs_pair_machines(t->machines);

	j->pair_time = zeroed(j->pair ? (n + 1) * all : 0, &j->pair_time_bytes);
	j->time = zeroed(j->pair ? 0 : n * m, &j->time_bytes);
	j->pair_uv = zeroed(pairs, &j->pair_uv_bytes);
	j->johnson = zeroed((j->narrow ? 2 : 4) * n * pairs, &j->johnson_bytes);
	if (!j->pair_time || !j->time || !j->pair_uv || !j->johnson)
		return err_set(e, ERR_MEMORY, "no memory for the tables of %s",
			       j->request->flowshop->name);
	if (j->pair)
		fill_pair_time(j);
	else
		fill_wide(j);
	return 0;
}

void dfs_job_row(const struct dfs_job *j, uint32_t *row, const int32_t *front, const int32_t *back,
		 const int32_t *rem)
{
	int m = j->tables.machines, all = dfs_pair_machines(m);
	uint32_t *values = row + j->mask_words;

	for (int k = 0; j->pair && k < all; k++) {
		values[k] = two(padded(front, k, m), padded(back, all - 1 - k, m));
		if (k < all / 2)
			values[all + k] = two(padded(rem, k, m), padded(rem, all - 1 - k, m));
	}
	for (int k = 0; !j->pair && k < m; k++) {
		values[k] = (uint32_t)front[k];
		values[m + k] = (uint32_t)back[k];
		values[2 * m + k] = (uint32_t)rem[k];
	}
}

int dfs_job_make(struct dfs_job *j, const struct search_request *r, int64_t first_ub, bool orders,
		 struct err *e)
{
	int status;

	*j = (struct dfs_job){ .request = r, .lb2 = r->bound == FSP_LB2, .orders = orders };
	status = fsp_tables_make(&j->tables, r->flowshop, FSP_ALL_PAIRS, e);
	if (!status)
		status = search_start(r, &j->ub, &j->start, e);
	j->first_ub = first_ub ? first_ub : j->ub;
	if (status)
		return status;
	j->root_bound = fsp_root_bound(&j->tables, FSP_LB1);
	j->narrow = fits_16_bits(j);
	j->pair = pair_supports(j);
	lay_out_row(j);
	return make_tables(j, e);
}

void dfs_job_free(struct dfs_job *j)
{
	fsp_tables_free(&j->tables);
	free(j->start);
	free(j->pair_time);
	free(j->time);
	free(j->pair_uv);
	free(j->johnson);
}

/* ---- a device ---- */

static const double ROUND_SECONDS = 0.05;
static const int32_t LEAST_BATCHES = 4;
static const int32_t FIRST_BATCHES = 64;
static const int32_t FIRST_FAR_BATCHES = 1; /* for nodes so large that a few take a whole round */
static const int32_t PATIENCE = 64;
static const int32_t PAIR_BATCH = 64; /* entries that the pair kernel pops at most */

/* ---- memory ---- */

static size_t lay_out(struct dfs_world *w, const struct dfs_job *j, void *base)
{
	struct arena l = { base, 0 };
	size_t warps = (size_t)w->warps, n = (size_t)w->jobs, row = (size_t)w->row_words * 4;
	size_t counts = warps * sizeof(int32_t);

	w->rows = arena_take(&l, warps * (size_t)w->row_capacity * row);
	w->entries = arena_take(&l, warps * (size_t)w->entry_capacity * sizeof(*w->entries));
	w->packets = arena_take(&l, (size_t)w->packet_capacity * (row + 16));
	w->tally = arena_take(&l, warps * sizeof(*w->tally));
	w->control = arena_take(&l, sizeof(*w->control));
	w->row_count = arena_take(&l, counts);
	w->entry_count = arena_take(&l, counts);
	w->entry_first = arena_take(&l, counts);
	w->ask = arena_take(&l, counts);
	w->answer = arena_take(&l, counts);
	w->leaf_value = arena_take(&l, counts);
	w->leaf_order = arena_take(&l, j->orders ? warps * n * sizeof(*w->leaf_order) : 0);
	w->give_first = arena_take(&l, counts);
	w->give_count = arena_take(&l, counts);
	w->take_first = arena_take(&l, counts);
	w->take_count = arena_take(&l, counts);
	w->depths = arena_take(&l, n * sizeof(*w->depths));
	w->pair_time = arena_take(&l, j->pair_time_bytes);
	w->time = arena_take(&l, j->time_bytes);
	w->pair_uv = arena_take(&l, j->pair_uv_bytes);
	w->johnson = arena_take(&l, j->johnson_bytes);
	w->test_step = arena_take(&l, (size_t)w->most_tests * n * sizeof(*w->test_step));
	w->scratch = arena_take(&l, warps * w->scratch_bytes);
	return l.used;
}

/* Sets the capacities of a stack with `rows` rows above the reserve, and entries in proportion.
 * Returns the bytes of one warp: its stack and scratch. */
static int64_t set_capacity(struct dfs_world *w, int64_t rows, int64_t entries_a_row)
{
	int64_t most = DFS_ROWS_MAX;

	rows = rows + w->row_reserve > most ? most - w->row_reserve : rows;
	w->row_capacity = (int32_t)(w->row_reserve + rows);
	w->entry_capacity = (int32_t)(w->entry_reserve + rows * entries_a_row);
	return (int64_t)w->row_capacity * w->row_words * 4 + (int64_t)w->entry_capacity * 8 +
	       (int64_t)w->scratch_bytes;
}

/* Chooses the number of stacks (as many as run at once) and their size (as large as stacks grew in
 * any of our measurements). If memory is short, first the size is reduced, then the number. */
static int choose_stacks(struct dfs_world *w, const struct dfs_job *j, int64_t memory,
			 struct err *e)
{
	/* half of the jobs survive on average if no good schedule is known */
	int64_t n = w->jobs, entries_a_row = 4 + n / 2;
	/* a batch adds at most one row per popped entry */
	int64_t wish = (j->pair ? 64 * n : 8 * n) + 1024, least = 64;
	int64_t room = wish;

	w->row_reserve = (int32_t)(n + 2);
	w->entry_reserve = (int32_t)(n * (n + 3) / 2);
	while (room > least && w->warps * set_capacity(w, room, entries_a_row) > memory)
		room /= 2;
	while (w->warps > 0 && w->warps * set_capacity(w, room, entries_a_row) > memory)
		w->warps -= DFS_BLOCK_WARPS;
	if (w->warps <= 0)
		return err_set(e, ERR_MEMORY,
			       "%lld bytes are too few for %d stacks of %lld bytes (%d jobs)",
			       (long long)memory, (int)DFS_BLOCK_WARPS,
			       (long long)set_capacity(w, room, entries_a_row), w->jobs);
	room = w->row_capacity - w->row_reserve;
	w->packet_capacity = (int32_t)(room * w->warps < 65536 ? room * w->warps : 65536);
	return 0;
}

/* Sets the number of warps that a multiprocessor runs at once. If a node does not fit the shared
 * memory of a block, the scratch is placed in device memory. */
static int warps_at_once(struct dfs_device *d, int *warps, struct err *e)
{
	const struct dfs_kernels *k = d->kernels;
	int status;

	if (d->job->pair)
		return k->pair_warps(d->stream, &d->world, warps, e);
	status = k->wide_warps(d->stream, &d->world, warps, e);
	if (status || *warps)
		return status;
	d->world.scratch_bytes = k->wide_scratch(&d->world);
	return k->wide_warps(d->stream, &d->world, warps, e);
}

static int count_warps(struct dfs_device *d, struct err *e)
{
	struct dev_info info;
	int warps = 0, status = dev_get_info(d->dev, &info, e);

	if (!status)
		status = warps_at_once(d, &warps, e);
	if (status)
		return status;
	warps *= info.sm_count;
	if (warps < DFS_BLOCK_WARPS)
		return err_set(e, ERR_UNSUPPORTED, "%s cannot run a block of the search kernel",
			       info.name);
	if (info.backend == DEV_SIM && warps > 2 * DFS_BLOCK_WARPS)
		warps = 2 * DFS_BLOCK_WARPS; /* more would only be slower */
	d->world.warps = warps / DFS_BLOCK_WARPS * DFS_BLOCK_WARPS;
	return 0;
}

static int memory_limit(const struct dfs_device *d, int64_t *limit, struct err *e)
{
	struct dev_info info;
	int status = dev_get_info(d->dev, &info, e);
	int64_t most = status ? 0 : (int64_t)(info.memory_free / 10 * 8);
	int64_t asked = d->job->request->memory;

	*limit = asked && asked < most ? asked : most;
	return status;
}

static int copy_tables(struct dfs_device *d, struct err *e)
{
	const struct dfs_job *j = d->job;
	const struct {
		const void *to, *from;
		size_t bytes;
	} copies[] = {
		{ d->world.pair_time, j->pair_time, j->pair_time_bytes },
		{ d->world.time, j->time, j->time_bytes },
		{ d->world.pair_uv, j->pair_uv, j->pair_uv_bytes },
		{ d->world.johnson, j->johnson, j->johnson_bytes },
	};
	int status = 0;

	for (size_t i = 0; !status && i < sizeof(copies) / sizeof(copies[0]); i++) {
		if (copies[i].bytes)
			status = dev_copy_to(d->stream, (void *)(uintptr_t)copies[i].to,
					     copies[i].from, copies[i].bytes, e);
	}
	return status;
}

/* Empties the stacks and forgets leaves. */
static int clear(struct dfs_device *d, struct err *e)
{
	struct dfs_world *w = &d->world;
	size_t counts = (size_t)w->warps * sizeof(int32_t);
	int status = dev_fill(d->stream, w->tally, 0, (size_t)w->warps * sizeof(*w->tally), e);

	if (!status)
		status = dev_fill(d->stream, w->row_count, 0, counts, e);
	if (!status)
		status = dev_fill(d->stream, w->entry_count, 0, counts, e);
	if (!status)
		status = dev_fill(d->stream, w->entry_first, 0, counts, e);
	if (!status)
		status = dev_fill(d->stream, w->ask, 0xff, counts, e); /* closed */
	if (!status)
		status = dev_fill(d->stream, w->answer, 0, counts, e);
	if (!status)
		status = dev_fill(d->stream, w->leaf_value, 0x7f, counts, e);
	*d->seen = (struct dfs_control){ .best = (int32_t)d->job->ub, .open_bound = INT32_MAX };
	if (!status)
		status = dev_copy_to(d->stream, w->control, d->seen, sizeof(*d->seen), e);
	return dev_drain(d->stream, status, e);
}

/* Redistributes the stacks by `plan` and reads the control block. */
static int deal(struct dfs_device *d, enum dfs_plan plan, int32_t amount, struct err *e)
{
	int status = d->kernels->plan(d->stream, &d->world, plan, amount, e);

	if (!status && plan != DFS_IMPORT)
		status = d->kernels->give(d->stream, &d->world, e);
	if (!status && plan != DFS_EXPORT)
		status = d->kernels->take(d->stream, &d->world, e);
	if (!status)
		status = dev_copy_from(d->stream, d->seen, d->world.control, sizeof(*d->seen), e);
	return status;
}

_Static_assert((int)DFS_TESTS == (int)FSP_PAIR_TESTS_MOST, "pairs in use");
_Static_assert((int)DFS_TESTS_MAX_JOBS == (int)FSP_PAIR_TESTS_JOBS, "jobs");

static bool may_test(const struct dfs_job *j)
{
	return j->request->pairs && !j->lb2 && fsp_pair_tests_support(&j->tables);
}

int dfs_device_open(struct dfs_device *d, struct dev *dev, const struct dfs_job *job,
		    struct dfs_mail *mail, int devices, int self, struct err *e)
{
	const struct search_request *r = job->request;
	bool alone = r->private_incumbent, tests = may_test(job);
	int64_t memory = 0;
	bool far;
	int status;

	*d = (struct dfs_device){ .job = job, .dev = dev, .kernels = dfs_kernels_for(dev) };
	d->world = (struct dfs_world){
		.jobs = job->tables.jobs,
		.machines = job->tables.machines,
		.mask_words = job->mask_words,
		.moves_at = job->moves_at,
		.move_bytes = job->move_bytes,
		.row_words = job->row_words,
		.narrow = job->narrow,
		.pairs = job->lb2 ? job->tables.pairs : 0,
		.most_tests = tests ? DFS_TESTS : 0,
		.mail = alone ? mail + self : mail,
		.devices = alone ? 1 : devices,
		.self = alone ? 0 : self,
	};
	status = dev_stream_create(dev, &d->stream, e);
	if (!status && tests)
		status = fsp_pair_tests_create(&d->pairs, &job->tables, r->pairs_seconds, e);
	if (!status)
		status = dev_host_alloc(dev, (void **)&d->seen, sizeof(*d->seen), e);
	if (!status)
		status = count_warps(d, e);
	if (!status)
		status = memory_limit(d, &memory, e);
	if (!status)
		status = choose_stacks(&d->world, job, memory, e);
	if (!status)
		status = dev_alloc(dev, &d->block, lay_out(&d->world, job, NULL), e);
	if (status)
		return status;
	lay_out(&d->world, job, d->block);
	far = d->world.scratch_bytes != 0;
	d->round = (struct dfs_round){
		.rule = (int32_t)r->branching,
		.first_ub = (int32_t)job->first_ub,
		.one = 1,
		.least_batches = far ? FIRST_FAR_BATCHES : LEAST_BATCHES,
		.most_batches = far ? FIRST_FAR_BATCHES : FIRST_BATCHES,
		.idle_limit = d->world.warps / 12 > 1 ? d->world.warps / 12 : 1,
		.patience = PATIENCE,
		.least_shared = job->pair ? 64 : 8,
		.most_shared = 64,
	};
	d->room = (int64_t)(d->world.row_capacity - d->world.row_reserve) * d->world.warps / 2;
	status = copy_tables(d, e);
	if (!status)
		status = clear(d, e);
	/* kernels are loaded by their first launch: before the search, not in it */
	if (!status)
		status = deal(d, DFS_BALANCE, 0, e);
	return dev_drain(d->stream, status, e);
}

void dfs_device_close(struct dfs_device *d)
{
	if (d->stream)
		(void)dev_stream_sync(d->stream, NULL);
	if (d->dev) {
		dev_free(d->dev, d->block);
		dev_host_free(d->dev, d->seen);
	}
	if (d->stream)
		dev_stream_destroy(d->stream);
	fsp_pair_tests_destroy(d->pairs);
	*d = (struct dfs_device){ .job = NULL };
}

/* ---- rounds ---- */

static int search(struct dfs_device *d, struct err *e)
{
	return (d->job->pair ? d->kernels->pair : d->kernels->wide)(d->stream, &d->world, &d->round,
								    e);
}

static void note_memory(struct dfs_device *d)
{
	uint64_t bytes =
		d->seen->most_rows * (uint64_t)d->world.row_words * 4 + d->seen->most_entries * 8;

	d->memory_peak = bytes > d->memory_peak ? bytes : d->memory_peak;
}

/* After an import: checks that all packets found a stack. */
static int count_received(struct dfs_device *d, int32_t amount, struct err *e)
{
	d->received += (uint64_t)d->seen->packets;
	if (d->seen->packets == amount)
		return 0;
	return err_set(e, ERR_FAILED, "only %d of %d nodes fit on the stacks", d->seen->packets,
		       amount);
}

int dfs_device_put(struct dfs_device *d, const uint32_t *packets, int32_t amount, struct err *e)
{
	size_t bytes = ((size_t)d->world.row_words + 4) * 4 * (size_t)amount;
	int status = dev_copy_to(d->stream, d->world.packets, packets, bytes, e);

	if (!status)
		status = deal(d, DFS_IMPORT, amount, e);
	status = dev_drain(d->stream, status, e);
	return status ? status : count_received(d, amount, e);
}

/* Sets the budget of the next round by the time that this one took. A round that ended for another
 * reason says nothing about its budget. */
static void pace(struct dfs_round *r, double seconds, bool spent)
{
	if (spent && seconds < ROUND_SECONDS / 2 && r->most_batches < INT32_MAX / 8)
		r->most_batches *= seconds < ROUND_SECONDS / 16 ? 8 : 2;
	else if (seconds > ROUND_SECONDS && r->most_batches > r->least_batches)
		r->most_batches /= 2;
}

int dfs_device_round(struct dfs_device *d, int32_t best, struct err *e)
{
	double begin = clock_wall();
	int status = 0;

	if (best < d->seen->best) {
		d->seen->best = best;
		status = dev_copy_to(d->stream, &d->world.control->best, &d->seen->best,
				     sizeof(best), e);
	}
	if (!status)
		status = search(d, e);
	if (!status)
		status = deal(d, DFS_BALANCE, 0, e);
	status = dev_drain(d->stream, status, e);
	note_memory(d);
	pace(&d->round, clock_wall() - begin, d->seen->spent);
	return status;
}

int dfs_device_give(struct dfs_device *from, struct dfs_device *to, int64_t amount, int64_t *moved,
		    struct err *e)
{
	int32_t most = to->world.packet_capacity < from->world.packet_capacity ?
			       to->world.packet_capacity :
			       from->world.packet_capacity;
	size_t bytes = ((size_t)from->world.row_words + 4) * 4;
	int status;

	*moved = 0;
	amount = amount < most ? amount : most;
	status = deal(from, DFS_EXPORT, (int32_t)amount, e);
	if (!status)
		status = dev_stream_sync(from->stream, e);
	if (status || !from->seen->packets)
		return status;
	from->given += (uint64_t)from->seen->packets;
	status = dev_copy_peer(from->stream, to->dev, to->world.packets, from->dev,
			       from->world.packets, bytes * (size_t)from->seen->packets, e);
	if (!status)
		status = dev_stream_sync(from->stream, e);
	if (!status)
		status = deal(to, DFS_IMPORT, from->seen->packets, e);
	if (!status)
		status = dev_stream_sync(to->stream, e);
	if (!status)
		status = count_received(to, from->seen->packets, e);
	*moved = from->seen->packets;
	return status;
}

/* ---- machine pairs ---- */

/* The values of a node's row: the inverse of dfs_job_row. */
static void row_values(const struct dfs_job *j, const uint32_t *row, int32_t *front, int32_t *back)
{
	int m = j->tables.machines, all = dfs_pair_machines(m);
	const uint32_t *values = row + j->mask_words;

	for (int k = 0; k < m; k++) {
		front[k] = (int32_t)(j->pair ? values[k] & 0xffff : values[k]);
		back[k] = (int32_t)(j->pair ? values[all - 1 - k] >> 16 : values[m + k]);
	}
}

/* Adds the node of a packet to the sample. */
static void keep_packet(struct dfs_device *d, const uint32_t *packet)
{
	const struct dfs_job *j = d->job;
	const struct fsp_tables *t = &j->tables;
	uint32_t entry = packet[j->row_words];
	int job = (int)(entry & DFS_NO_JOB);
	uint64_t left = packet[0] | (j->mask_words > 1 ? (uint64_t)packet[1] << 32 : 0);
	int32_t front[FLOWSHOP_MAX_MACHINES], back[FLOWSHOP_MAX_MACHINES];
	const int32_t *time = t->time + job * t->machines;

	row_values(j, packet, front, back);
	if (job != DFS_NO_JOB) {
		left &= ~(UINT64_C(1) << job);
		if (entry >> DFS_JOB_BITS & 1)
			fsp_prepend(time, back, back, t->machines);
		else
			fsp_append(time, front, front, t->machines);
	}
	fsp_pair_tests_keep(d->pairs, left, front, back);
}

/* Takes a sample of the nodes that will be popped soon. */
static int sample_nodes(struct dfs_device *d, struct err *e)
{
	size_t words = (size_t)d->world.row_words + 4;
	int32_t amount = d->world.packet_capacity < FSP_PAIR_TESTS_SAMPLE ?
				 d->world.packet_capacity :
				 FSP_PAIR_TESTS_SAMPLE;
	uint32_t *packets = malloc((size_t)amount * words * sizeof(*packets));
	int status = packets ? 0 : err_set(e, ERR_MEMORY, "no memory for a sample of the tree");

	if (!status)
		status = d->kernels->sample(d->stream, &d->world, amount,
					    d->job->pair ? PAIR_BATCH : 1, e);
	if (!status)
		status = dev_copy_from(d->stream, packets, d->world.packets,
				       (size_t)amount * words * sizeof(*packets), e);
	status = dev_drain(d->stream, status, e);
	for (int32_t i = 0; !status && i < amount; i++)
		if (packets[(size_t)i * words + words - 4] != (uint32_t)DFS_NO_NODE)
			keep_packet(d, packets + (size_t)i * words);
	free(packets);
	return status;
}

int dfs_device_use_pairs(struct dfs_device *d, struct err *e)
{
	const struct fsp_pair_tests *p = d->pairs;
	size_t jobs = (size_t)d->world.jobs;
	int status = 0;

	d->round.tests = p->count;
	d->round.test_u = d->round.test_v = 0;
	for (int i = 0; i < p->count && !status; i++) {
		const struct fsp_pair *use = &p->use[i];

		d->round.test_u |= (uint32_t)use->u << 8 * i;
		d->round.test_v |= (uint32_t)use->v << 8 * i;
		status = dev_copy_to(d->stream, d->world.test_step + (size_t)i * jobs, use->step,
				     jobs * sizeof(*use->step), e);
	}
	return dev_drain(d->stream, status, e);
}

int dfs_device_choose_pairs(struct dfs_device *d, struct err *e)
{
	int status;

	if (!d->pairs || !fsp_pair_tests_due(d->pairs))
		return 0;
	status = sample_nodes(d, e);
	if (status)
		return status;
	fsp_pair_tests_choose(d->pairs, d->seen->best);
	return dfs_device_use_pairs(d, e);
}

/* ---- results ---- */

int dfs_device_survey(struct dfs_device *d, int32_t *bound, struct err *e)
{
	int status;

	d->round.survey = 1;
	status = search(d, e);
	d->round.survey = 0;
	if (!status)
		status = dev_copy_from(d->stream, d->seen, d->world.control, sizeof(*d->seen), e);
	status = dev_drain(d->stream, status, e);
	*bound = d->seen->open_bound;
	return status;
}

static void *read_array(struct dfs_device *d, const void *from, size_t bytes, int *status,
			struct err *e)
{
	void *to = malloc(bytes ? bytes : 1);

	if (!to && !*status)
		*status = err_set(e, ERR_MEMORY, "no memory for %zu bytes of results", bytes);
	if (!*status)
		*status = dev_copy_from(d->stream, to, from, bytes, e);
	if (!*status)
		*status = dev_stream_sync(d->stream, e);
	return to;
}

int dfs_device_findings(struct dfs_device *d, struct dfs_findings *f, struct err *e)
{
	struct dfs_world *w = &d->world;
	size_t warps = (size_t)w->warps, best = 0, order = (size_t)w->jobs * sizeof(*f->order);
	int status = 0;
	struct dfs_tally *tally = read_array(d, w->tally, warps * sizeof(*tally), &status, e);
	int32_t *leaf = read_array(d, w->leaf_value, warps * sizeof(*leaf), &status, e);

	*f = (struct dfs_findings){ .best = INT32_MAX };
	for (size_t i = 0; !status && i < warps; i++) {
		f->tally.explored += tally[i].explored;
		f->tally.decomposed += tally[i].decomposed;
		f->tally.leaves += tally[i].leaves;
		f->tally.evaluated += tally[i].evaluated;
		f->tally.cut += tally[i].cut;
		f->tally.pruned += tally[i].pruned;
		best = leaf[i] < leaf[best] ? i : best;
	}
	if (!status && leaf[best] < d->job->ub) {
		f->best = leaf[best];
		if (d->job->orders)
			f->order = read_array(d, w->leaf_order + best * (size_t)w->jobs, order,
					      &status, e);
	}
	free(tally);
	free(leaf);
	return status;
}

int dfs_device_decomposed(struct dfs_device *d, uint64_t *nodes, struct err *e)
{
	size_t warps = (size_t)d->world.warps;
	int status = 0;
	struct dfs_tally *tally = read_array(d, d->world.tally, warps * sizeof(*tally), &status, e);

	*nodes = 0;
	for (size_t i = 0; !status && i < warps; i++)
		*nodes += tally[i].decomposed;
	free(tally);
	return status;
}

int dfs_device_depths(struct dfs_device *d, uint32_t *open, struct err *e)
{
	size_t bytes = (size_t)d->world.jobs * sizeof(*open);
	int status = dev_fill(d->stream, d->world.depths, 0, bytes, e);

	if (!status)
		status = d->kernels->count_depths(d->stream, &d->world, e);
	if (!status)
		status = dev_copy_from(d->stream, open, d->world.depths, bytes, e);
	return dev_drain(d->stream, status, e);
}

int dfs_device_left(struct dfs_device *d, uint64_t *left, struct err *e)
{
	size_t warps = (size_t)d->world.warps;
	int status = 0;
	int32_t *count = read_array(d, d->world.entry_count, warps * sizeof(*count), &status, e);

	*left = 0;
	for (size_t i = 0; !status && i < warps; i++)
		*left += (uint64_t)count[i];
	free(count);
	return status;
}
