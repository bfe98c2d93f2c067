/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/dp-knapsack/cpu_engine.h"

#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "harness/base/clock.h"
#include "harness/base/host.h"
#include "harness/base/team.h"

/* ---- fields ---- */

int dp_field_create(struct dp_field *f, const struct dp_cells *cells, int64_t last, int64_t guard,
		    struct err *e)
{
	enum { HUGE_PAGE = 1 << 21 };
	size_t bytes, align;
	int status = host_memory_check((double)(last + 1 + guard) * (double)cells->bytes,
				       "the table", e);

	if (status)
		return status;
	bytes = (size_t)dp_field_bytes(cells, last, guard);
	align = bytes >= 4 * HUGE_PAGE ? HUGE_PAGE : 64;
	bytes = (bytes + align - 1) / align * align;
	*f = (struct dp_field){ .cells = cells, .last = last, .guard = guard };
	f->g = aligned_alloc(align, bytes);
	if (!f->g)
		return err_set(e, ERR_MEMORY, "no memory for %" PRId64 " cells (%zu bytes)",
			       last + 1, bytes);
	if (align == HUGE_PAGE)
		madvise(f->g, bytes,
			MADV_HUGEPAGE); /* a hint; strided walks then miss the TLB less often */
	cells->fill(f->g, last + 1, last + 1 + guard, cells->lowest);
	return 0;
}

void dp_field_destroy(struct dp_field *f)
{
	free(f->g);
	f->g = NULL;
}

/* ---- running the passes ---- */

enum { GROUP_ROWS = 16, JOB_GROUPS = 8, JOB_PASSES = GROUP_ROWS * JOB_GROUPS };
static const int64_t EVERYTHING = INT64_MAX;

/* A job: passes begin .. end - 1. Each of its groups is run in small tiles, the job in large ones.
 */
struct job {
	int64_t begin, end;
	int64_t group[JOB_PASSES + 1]; /* the boundaries of its groups; group[0] = begin */
	int groups;
	int64_t tile;         /* cells per tile in the first pass of the job */
	int64_t group_tile;   /* cells per tile in the first pass of a group */
	_Atomic int64_t done; /* all passes have finished the cells below; EVERYTHING at the end */
};

struct run {
	const struct dp_engine *engine;
	const struct dp_field *field;
	const struct dp_pass *pass;
	bool from_nothing;
	int64_t pass_count, job_count;
	struct job *job;
	int64_t *cursor; /* the next cell of each pass */
	_Atomic int64_t next_job;
	atomic_bool stopped;
	int64_t split;           /* the passes from here on are divided among the threads */
	_Atomic int64_t stop_at; /* they end before this pass */
	pthread_barrier_t barrier;
	int threads;
};

struct worker {
	struct run *run;
	int id;
	_Alignas(64) char scratch[DP_SCRATCH_BYTES];
};

/* ---- one pass ---- */

/* Chains and windows advance by whole periods. */
static int64_t period(const struct dp_pass *a)
{
	return a->kind == DP_PASS_CHAIN || a->kind == DP_PASS_WINDOW ? a->weight : 1;
}

/* The number of cells above those updated that a pass may access. */
static int64_t margin(const struct dp_pass *a)
{
	return a->reach + period(a) + DP_CELL_SLACK;
}

/* Defines the cells between the low end of the pass and that of the one before it: they are
 * constant. */
static void fill_new(const struct run *r, int64_t i)
{
	const struct dp_pass *a = &r->pass[i];
	int64_t above = i ? r->pass[i - 1].low : r->field->last + 1;

	if (r->from_nothing && a->low < above)
		r->field->cells->fill(r->field->g, a->low, above,
				      r->engine->plan->sum_profit[a->first]);
}

/* Applies pass i to the cells lo .. hi - 1. Chains and windows do whole periods. */
static void apply(struct worker *k, int64_t i, int64_t lo, int64_t hi)
{
	const struct dp_pass *a = &k->run->pass[i];
	const struct dp_cells *c = k->run->field->cells;
	const int64_t *profit = &k->run->engine->plan->profit[a->first];
	int64_t periods = (hi - lo + period(a) - 1) / period(a);
	void *g = k->run->field->g;

	switch (a->kind) {
	case DP_PASS_ROW:
		if (a->bits)
			c->row_bits(g, lo, hi, a->weight, profit[0], a->bits, a->low);
		else
			c->row(g, lo, hi, a->weight, profit[0]);
		break;
	case DP_PASS_CHAIN:
		if (lo == a->low)
			c->chain_start(g, lo, a->weight, profit, (int)a->count);
		c->chain(g, lo, periods, a->weight, profit, (int)a->count);
		break;
	case DP_PASS_WINDOW:
		c->window(g, lo, periods, a->weight, profit[0], a->count, k->scratch);
		break;
	case DP_PASS_SAVE:
		memcpy((char *)a->save + (size_t)(lo - a->low) * c->bytes,
		       dp_field_at(k->run->field, lo), (size_t)(hi - lo) * c->bytes);
		break;
	}
}

/* The cell up to which the pass may go if the cells below `input` are ready; at most `most` cells
 * beyond its cursor. Unless that is its end, it is a multiple of the period or of a cache line. */
static int64_t reachable(const struct run *r, int64_t i, int64_t input, int64_t most)
{
	const struct dp_pass *a = &r->pass[i];
	int64_t at = r->cursor[i], end = a->high + 1, hi = end, grain = 16;

	if (input != EVERYTHING)
		hi = dp_min(hi, input - margin(a));
	if (most != EVERYTHING)
		hi = dp_min(hi, at + dp_max(most, period(a)));
	if (hi >= end)
		return dp_max(at, end);
	if (period(a) > 1)
		return hi <= at ? at : at + (hi - at) / period(a) * period(a);
	return dp_max(at, hi - hi % grain);
}

/* The cells below this one are final once pass i is at its cursor, given `input` for the pass
 * before it. A finished pass adds nothing; it may end below cells that earlier passes still update.
 */
static int64_t ready_below(const struct run *r, int64_t i, int64_t input)
{
	return r->cursor[i] > r->pass[i].high ? input : r->cursor[i];
}

/* Advances the passes begin .. end - 1 as far as `input` allows, by `tile` cells of the first one
 * at a time. */
static void advance(struct worker *k, int64_t begin, int64_t end, int64_t input, int64_t tile)
{
	const struct run *r = k->run;
	bool moved;

	do {
		int64_t ready = input;

		moved = false;
		for (int64_t i = begin; i < end; i++) {
			int64_t hi = reachable(r, i, ready, i == begin ? tile : EVERYTHING);

			if (hi > r->cursor[i]) {
				apply(k, i, r->cursor[i], hi);
				r->cursor[i] = hi;
				moved = true;
			}
			ready = ready_below(r, i, ready);
		}
	} while (moved && tile != EVERYTHING);
}

/* ---- one job ---- */

static bool must_stop(struct run *r)
{
	const struct dp_engine *n = r->engine;

	if (atomic_load_explicit(&r->stopped, memory_order_relaxed))
		return true;
	if (!(n->stop && *n->stop) && !(n->deadline > 0 && clock_wall() > n->deadline))
		return false;
	atomic_store(&r->stopped, true);
	return true;
}

/* Waits until the previous job has finished the cells below `need`. Returns the first cell that it
 * has not finished. */
static int64_t await_input(struct run *r, const struct job *before, int64_t need)
{
	enum { SPINS = 1000 };
	int64_t done;

	for (int spin = 0;
	     (done = atomic_load_explicit(&before->done, memory_order_acquire)) < need; spin++) {
		if (spin > SPINS) {
			sched_yield();
			if (must_stop(r))
				return done;
		}
	}
	return done;
}

/* Runs all groups of the job on one large tile. */
static void job_tile(struct worker *k, struct job *j, int64_t input)
{
	for (int g = 0; g < j->groups; g++) {
		advance(k, j->group[g], j->group[g + 1], input, j->group_tile);
		for (int64_t i = j->group[g]; i < j->group[g + 1]; i++)
			input = ready_below(k->run, i, input);
	}
	atomic_store_explicit(&j->done, input, memory_order_release);
}

static void do_job(struct worker *k, struct job *j)
{
	struct run *r = k->run;
	const struct dp_pass *a = &r->pass[j->begin];

	for (int64_t i = j->begin; i < j->end; i++) {
		fill_new(r, i);
		r->cursor[i] = r->pass[i].low;
	}
	do {
		int64_t at = r->cursor[j->begin];
		int64_t need = at > a->high ? EVERYTHING :
					      at + dp_max(j->tile, period(a)) + margin(a) + 16;

		if (j > r->job)
			await_input(r, j - 1, need);
		if (must_stop(r))
			return;
		job_tile(k, j, need);
	} while (atomic_load_explicit(&j->done, memory_order_relaxed) != EVERYTHING);
}

/* ---- heavy items ---- */

/* No pass can follow closely behind a pass whose weight spans many tiles. But a stretch of cells no
 * longer than the weight reads only cells above it, so the threads divide each stretch. */
static void divided_pass(struct worker *k, int64_t i)
{
	struct run *r = k->run;
	const struct dp_pass *a = &r->pass[i];
	int64_t stretch = a->kind == DP_PASS_ROW ? a->weight : a->high - a->low + 1;

	if (k->id == 0) {
		fill_new(r, i);
		if (must_stop(r))
			atomic_store(&r->stop_at, i + 1);
	}
	pthread_barrier_wait(&r->barrier);
	for (int64_t lo = a->low; lo <= a->high; lo += stretch) {
		int64_t hi = dp_min(lo + stretch, a->high + 1);
		int64_t share = ((hi - lo) / r->threads + 16) / 16 * 16;
		int64_t from = k->id ? dp_min(hi, (lo + k->id * share) / 16 * 16) : lo;
		int64_t to = k->id + 1 < r->threads ?
				     dp_min(hi, (lo + (k->id + 1) * share) / 16 * 16) :
				     hi;

		if (from < to)
			apply(k, i, from, to);
		pthread_barrier_wait(&r->barrier);
	}
}

static void divided_passes(struct worker *k)
{
	struct run *r = k->run;

	pthread_barrier_wait(&r->barrier);
	for (int64_t i = r->split; i < r->pass_count && i < atomic_load(&r->stop_at); i++)
		divided_pass(k, i);
}

static bool divisible(const struct dp_pass *a)
{
	enum { HEAVY = 1 << 16 };

	return a->kind == DP_PASS_SAVE || (a->kind == DP_PASS_ROW && a->weight >= HEAVY);
}

static void work(void *worker)
{
	struct worker *k = worker;
	struct run *r = k->run;
	int64_t i;

	while ((i = atomic_fetch_add(&r->next_job, 1)) < r->job_count && !must_stop(r))
		do_job(k, &r->job[i]);
	if (r->split < r->pass_count)
		divided_passes(k);
}

/* ---- planning the jobs ---- */

/* Whether the pass fits into the current group of the job. Rows share a group, and so a small tile,
 * as long as the sum of their reaches fits in the first-level cache. Every other pass forms a group
 * by itself. */
static bool same_group(const struct run *r, const struct job *j, int64_t i)
{
	int64_t begin = j->group[j->groups - 1], reach = 0;
	int64_t room = r->engine->cache_first / (int64_t)r->field->cells->bytes;

	if (i - begin >= GROUP_ROWS)
		return false;
	for (int64_t b = begin; b <= i; b++) {
		if (r->pass[b].kind != DP_PASS_ROW)
			return false;
		reach += r->pass[b].reach;
	}
	return reach <= room / 2;
}

static void plan_tiles(const struct run *r, struct job *j, int64_t reach)
{
	int64_t bytes = (int64_t)r->field->cells->bytes;
	int64_t cells = r->field->last + 1;
	int64_t second = r->engine->cache_second / bytes / 2;

	j->group_tile = dp_max(256, r->engine->cache_first / bytes / 2);
	/* If the total reach of the passes exceeds the cache, larger tiles lose less at their
	 * edges. But every thread needs several tiles, so that it can follow the thread before it.
	 */
	j->tile = dp_max(second, 2 * reach);
	if (r->engine->threads > 1)
		j->tile = dp_min(j->tile, dp_max(4096, cells / (4 * r->engine->threads)));
	for (int64_t i = j->begin; i < j->end; i++) {
		if (r->pass[i].kind != DP_PASS_ROW)
			j->group_tile = EVERYTHING;
	}
}

static void plan_job(const struct run *r, struct job *j, int64_t begin)
{
	int64_t bytes = (int64_t)r->field->cells->bytes, reach = 0, i = begin;
	int64_t second = r->engine->cache_second / bytes;

	j->begin = begin;
	j->groups = 0;
	do {
		if (j->groups == 0 || !same_group(r, j, i))
			j->group[j->groups++] = i;
		reach += margin(&r->pass[i]);
		i++;
	} while (i < r->split && i - begin < JOB_PASSES &&
		 reach + r->pass[i].reach <= dp_max(second / 2, 0));
	j->end = i;
	j->group[j->groups] = i;
	plan_tiles(r, j, reach);
	atomic_init(&j->done, INT64_MIN);
}

static int plan_jobs(struct run *r, struct err *e)
{
	r->job = malloc((size_t)(r->pass_count + 1) * sizeof(*r->job));
	r->cursor = malloc((size_t)(r->pass_count + 1) * sizeof(*r->cursor));
	if (!r->job || !r->cursor)
		return err_set(e, ERR_MEMORY, "no memory for %" PRId64 " passes", r->pass_count);
	r->split = r->pass_count;
	while (r->threads > 1 && r->split > 0 && divisible(&r->pass[r->split - 1]))
		r->split--;
	for (int64_t i = 0; i < r->split; i = r->job[r->job_count++].end)
		plan_job(r, &r->job[r->job_count], i);
	return 0;
}

/* With fewer threads than requested the run is slower but still correct. */
static void granted(void *run, int number)
{
	struct run *r = run;

	r->threads = number;
	pthread_barrier_init(&r->barrier, NULL, (unsigned)number);
}

static int run_threads(struct run *r, struct err *e)
{
	struct worker *k = aligned_alloc(64, (size_t)r->threads * sizeof(*k));

	if (!k)
		return err_set(e, ERR_MEMORY, "no memory for %d threads", r->threads);
	for (int i = 0; i < r->threads; i++) {
		k[i].id = i;
		k[i].run = r;
	}
	atomic_init(&r->stop_at, r->pass_count);
	team_run(work, k, sizeof(*k), r->threads, granted, r);
	pthread_barrier_destroy(&r->barrier);
	free(k);
	if (atomic_load(&r->stopped))
		return err_set(e, ERR_LIMIT, "stopped before all items were processed");
	return 0;
}

int dp_engine_run(const struct dp_engine *n, struct dp_field *f, const struct dp_pass *passes,
		  int64_t count, bool from_nothing, struct err *e)
{
	enum { CELLS_A_THREAD = 1 << 15 };
	struct run r = { .engine = n,
			 .field = f,
			 .pass = passes,
			 .pass_count = count,
			 .from_nothing = from_nothing };
	int status;

	if (count == 0)
		return 0;
	r.threads = (int)dp_min(n->threads, 1 + f->last / CELLS_A_THREAD);
	status = plan_jobs(&r, e);
	if (r.split == count)
		r.threads = (int)dp_min(r.threads, r.job_count);
	if (!status)
		status = run_threads(&r, e);
	free(r.job);
	free(r.cursor);
	return status;
}
