/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The kernel of sets_cpu.h with cells of VEC_CELL. The including file defines VEC_CELL and KERNEL.
 * All values are non-negative and fit a cell, because sets_cpu.c chooses the cell by the largest
 * possible makespan. */
#include <stdalign.h>
#include <string.h>

#include "harness/base/clock.h"
#include "algorithms/tree-search/by-set/sets_cpu.h"
#include "algorithms/tree-search/simd_pack.h"
#include "algorithms/tree-search/flowshop/fsp_johnson.h"

enum {
	JOBS_A_CELL = (int)sizeof(VEC_CELL) * 8 / SETS_CPU_JOB_BITS,
	PATH_CELLS = (SETS_CPU_JOBS_MAX + JOBS_A_CELL - 1) / JOBS_A_CELL,
	OUT_WIDTH = 2 * VEC_LANES, /* a packed store writes a whole vector */
};

/* ---- tables of the instance, for all members ---- */

struct tables {
	vec *time;         /* [job * machines + machine], the same in all lanes */
	struct step *step; /* [pair * jobs + position] */
};

static size_t tables_bytes(const struct fsp_tables *t)
{
	return (size_t)(t->jobs * t->machines) * sizeof(vec) +
	       (size_t)(t->pairs * t->jobs) * sizeof(struct step) + 64;
}

static struct tables tables_of(const struct fsp_tables *t, void *block)
{
	vec *time = block;

	return (struct tables){ time, (struct step *)(time + t->jobs * t->machines) };
}

static void tables_make(const struct fsp_tables *t, void *block)
{
	struct tables k = tables_of(t, block);

	for (int i = 0; i < t->jobs * t->machines; i++)
		k.time[i] = vec_all((VEC_CELL)t->time[i]);
	steps_make(t, k.step);
}

/* ---- a member's working memory ---- */

struct scratch {
	struct vec_packing packing;
	alignas(64) VEC_CELL
		row[FLOWSHOP_MAX_MACHINES][VEC_LANES]; /* rows of a batch: E[set][machine] */
	alignas(64) vec bound[FLOWSHOP_MAX_MACHINES];  /* one row, the same in all lanes */
	vec front[FLOWSHOP_MAX_MACHINES];
	uint64_t segments[VEC_LANES]; /* to be read for the sets before each one, and for itself */
	vec present[SETS_CPU_JOBS_MAX];                      /* all ones if the set has the job */
	vec time[FLOWSHOP_MAX_MACHINES * SETS_CPU_JOBS_MAX]; /* of fsp_johnson.h */
	alignas(64) VEC_CELL out[FLOWSHOP_MAX_MACHINES + PATH_CELLS][OUT_WIDTH];
	int outs;
};

static size_t scratch_bytes(const struct fsp_tables *t)
{
	(void)t;
	return sizeof(struct scratch);
}

static void scratch_make(const struct fsp_tables *t, void *block)
{
	struct scratch *c = block;

	(void)t;
	memset(c, 0, sizeof(*c));
	vec_packing_make(&c->packing);
}

/* ---- rows of a batch of sets, one set per lane ---- */

static void mark_jobs(struct scratch *c, const struct fsp_tables *t, const uint32_t *set, int count)
{
	for (int j = 0; j < t->jobs; j++) {
		for (int lane = 0; lane < VEC_LANES; lane++)
			c->present[j][lane] =
				lane < count && (set[lane] >> j & 1) ? (VEC_CELL)-1 : 0;
		set_job(t, j, c->present[j], c->time);
	}
}

static void make_rows(struct scratch *c, const struct fsp_tables *t, const struct tables *k,
		      const uint32_t *set, int count)
{
	int m = t->machines;

	mark_jobs(c, t, set, count);
	for (int u = 0; u < m; u++) {
		vec x = vec_all((VEC_CELL)t->tail[u]);

		for (int j = 0; j < t->jobs; j++)
			x += c->time[u * t->jobs + j];
		vec_store(c->row[u], x);
	}
	for (int pair = 0; pair < t->pairs; pair++) {
		int u = t->pair_u[pair], v = t->pair_v[pair];
		vec x = johnson_pass(t, k->step, pair, c->present, c->time) + (VEC_CELL)t->tail[v];

		vec_store(c->row[u], vec_max(vec_load(c->row[u]), x));
	}
}

/* ---- bounds, one parent per lane ---- */

/* Appends the job to the fronts at `front`, whose machines are `stride` cells apart. Returns the
 * lanes whose bound is below ub. */
static inline __attribute__((always_inline)) uint32_t bound_lanes(const VEC_CELL *front,
								  size_t stride, const vec *time,
								  const vec *row, vec ub, vec *next,
								  int m)
{
	vec t = vec_load(front) + time[0], lb = t + row[0];

	next[0] = t;
#pragma GCC unroll 20
	for (int k = 1; k < m; k++) {
		t = vec_max(t, vec_load(front + (size_t)k * stride)) + time[k];
		lb = vec_max(lb, t + row[k]);
		next[k] = t;
	}
	return vec_below(lb, ub);
}

/* A segment and the job to be appended to its nodes. */
struct parents {
	const VEC_CELL *rows;
	size_t stride;
	int count, depth; /* depth: jobs in their paths */
	int job;
};

static struct parents parents_of(const struct sets_cpu_piece *p, const struct fsp_tables *t,
				 uint64_t i, int job)
{
	const struct sets_cpu_segment *g = &p->segment[i];

	return (struct parents){ g->rows, (g->count + 3) / 4 * 4, (int)g->count, t->jobs - p->left,
				 job };
}

static inline int path_cells(int depth)
{
	return (depth + JOBS_A_CELL - 1) / JOBS_A_CELL;
}

/* Stores past the caches, at a multiple of 64 bytes. Other threads see it after stream_end(). */
static inline void stream(VEC_CELL *to, vec v)
{
#if VEC_BYTES == 64
	_mm512_stream_si512((__m512i *)(void *)to, (__m512i)v);
#else
	vec_store(to, v);
#endif
}

static inline void stream_end(void)
{
#if VEC_BYTES == 64
	_mm_sfence();
#endif
}

/* Writes the collected nodes as a full segment of a piece whose children do not fit the caches:
 * storing them there would first read the old contents from memory. */
static void stream_full(const struct scratch *c, int rows, VEC_CELL *to)
{
	for (int k = 0; k < rows; k++)
		stream(to + (size_t)k * VEC_LANES, vec_load(c->out[k]));
}

/* Writes the first `count` nodes collected for a set as a segment. The others move to the front. */
static bool flush(struct sets_cpu_worker *w, struct scratch *c, uint32_t set, int rows, int count)
{
	size_t stride = (size_t)(count + 3) / 4 * 4;
	VEC_CELL *to = sets_cpu_reserve(w, (size_t)rows * stride * sizeof(VEC_CELL));

	if (!to || !sets_cpu_add_segment(w, set, (uint32_t)count, to))
		return false;
	if (count == VEC_LANES && w->search->piece.push) {
		stream_full(c, rows, to);
	} else {
		for (int k = 0; k < rows; k++)
			vec_store(to + (size_t)k * stride, vec_load(c->out[k]));
	}
	c->outs -= count;
	for (int k = 0; k < rows && c->outs; k++)
		vec_store(c->out[k], vec_load(&c->out[k][VEC_LANES]));
	w->explored += (uint64_t)count;
	return true;
}

/* Packs the lanes of `keep` behind the collected nodes: fronts, then paths with the job added. */
static inline __attribute__((always_inline)) void collect(struct scratch *c,
							  const struct parents *p, size_t stride,
							  uint32_t keep, const vec *next, int m)
{
	int cell = p->depth / JOBS_A_CELL;
	VEC_CELL job = (VEC_CELL)((unsigned)p->job << (p->depth % JOBS_A_CELL * SETS_CPU_JOB_BITS));
	VEC_CELL *out = &c->out[0][c->outs];
	const VEC_CELL *path = p->rows + (size_t)m * stride;
	vec newest = vec_all(job);
	vec_order order = vec_order_of(keep);

#pragma GCC unroll 20
	for (int k = 0; k < m; k++, out += OUT_WIDTH)
		vec_pack_as(out, next[k], order, &c->packing);
	for (int i = 0; i < cell; i++, out += OUT_WIDTH, path += stride)
		vec_pack_as(out, vec_load(path), order, &c->packing);
	if (p->depth % JOBS_A_CELL)
		newest |= vec_load(path);
	vec_pack_as(out, newest, order, &c->packing);
	c->outs += __builtin_popcount(keep);
}

static inline __attribute__((always_inline)) bool
bound_parents(struct sets_cpu_worker *w, struct scratch *c, const struct parents *p, size_t stride,
	      const vec *time, uint32_t set, VEC_CELL ub, int m)
{
	vec next[FLOWSHOP_MAX_MACHINES];
	uint32_t keep = bound_lanes(p->rows, stride, time, c->bound, vec_all(ub), next, m);

	keep &= (uint32_t)((UINT64_C(1) << p->count) - 1);
	if (!keep)
		return true;
	collect(c, p, stride, keep, next, m);
	return c->outs < VEC_LANES || flush(w, c, set, m + path_cells(p->depth + 1), VEC_LANES);
}

/* The loops are unrolled for the most common numbers of machines, and for a constant stride if a
 * segment is full. */
static bool bound_any(struct sets_cpu_worker *w, struct scratch *c, const struct parents *p,
		      const vec *time, uint32_t set, VEC_CELL ub)
{
	int m = w->search->tables.machines;

	if (m == 20 && p->stride == VEC_LANES)
		return bound_parents(w, c, p, VEC_LANES, time, set, ub, 20);
	if (m == 20)
		return bound_parents(w, c, p, p->stride, time, set, ub, 20);
	if (m == 10)
		return bound_parents(w, c, p, p->stride, time, set, ub, 10);
	return bound_parents(w, c, p, p->stride, time, set, ub, m);
}

static inline bool has_parent(const struct sets_cpu_piece *p, uint32_t set)
{
	return p->parent[set / 64] >> set % 64 & 1;
}

static inline uint32_t rank_of(const struct sets_cpu_piece *p, uint32_t set)
{
	uint64_t below = p->parent[set / 64] & ((UINT64_C(1) << set % 64) - 1);

	return p->rank[set / 64] + (uint32_t)__builtin_popcountll(below);
}

/* The ranks of the parents of a set that have nodes, and the jobs by which they differ from it. */
static int parents_of_set(const struct sets_cpu_piece *p, int jobs, uint32_t set, uint32_t *rank,
			  uint32_t *job)
{
	int n = 0;

	for (uint32_t j = 0; j < (uint32_t)jobs; j++) {
		uint32_t parent = set | UINT32_C(1) << j;

		if (parent != set && has_parent(p, parent)) {
			rank[n] = rank_of(p, parent);
			job[n++] = j;
		}
	}
	return n;
}

static VEC_CELL cell_ub(const struct sets_cpu_worker *w)
{
	int64_t ub = sets_cpu_ub(w);

	return ub < (VEC_CELL)-1 ? (VEC_CELL)ub : (VEC_CELL)-1;
}

enum { AHEAD = 3 }; /* segments */

/* The parents of a set lie all over the layer. The first of the next job are prefetched while those
 * of this job are bounded, and of many of one job, those that are bounded shortly after. */
static void fetch(const struct sets_cpu_piece *p, const struct fsp_tables *t, uint64_t i)
{
	enum { LINE = 64 };
	struct parents g = parents_of(p, t, i, 0);
	size_t bytes = (size_t)(t->machines + path_cells(g.depth)) * g.stride * sizeof(VEC_CELL);

	for (size_t at = 0; at < bytes; at += LINE)
		__builtin_prefetch((const char *)g.rows + at);
}

static inline uint32_t least(uint64_t a, uint32_t b)
{
	return a < b ? (uint32_t)a : b;
}

/* The children of `set` that `job` makes of the segments begin .. end - 1 of the piece. */
static inline __attribute__((always_inline)) bool bound_segments(struct sets_cpu_worker *w,
								 uint64_t begin, uint64_t end,
								 int job, const vec *time,
								 uint32_t set, VEC_CELL ub)
{
	const struct sets_cpu_piece *p = &w->search->piece;
	const struct fsp_tables *t = &w->search->tables;

	for (uint64_t i = begin; i < end; i++) {
		struct parents g = parents_of(p, t, i, job);

		if (i + AHEAD < end)
			fetch(p, t, i + AHEAD);
		w->evaluated += (uint64_t)g.count;
		if (!bound_any(w, w->scratch, &g, time, set, ub))
			return false;
	}
	return true;
}

/* Writes the nodes of the set that do not fill a segment. */
static bool flush_rest(struct sets_cpu_worker *w, struct scratch *c, uint32_t set)
{
	const struct fsp_tables *t = &w->search->tables;
	int depth = t->jobs - w->search->piece.left + 1;

	return !c->outs || flush(w, c, set, t->machines + path_cells(depth), c->outs);
}

/* The children of one set whose parents are in segments from .. end - 1 of all its parents. */
static bool expand_set(struct sets_cpu_worker *w, struct scratch *c, const struct tables *k,
		       uint32_t set, uint64_t from, uint64_t end)
{
	const struct sets_cpu_piece *p = &w->search->piece;
	const struct fsp_tables *t = &w->search->tables;
	uint32_t rank[SETS_CPU_JOBS_MAX], job[SETS_CPU_JOBS_MAX];
	int parents = parents_of_set(p, t->jobs, set, rank, job);
	VEC_CELL ub = cell_ub(w);

	c->outs = 0;
	for (int a = 0; a < parents && end; a++) {
		const uint32_t *first = &p->first[rank[a]];
		uint32_t begin = first[0] + least(from, first[1] - first[0]);
		uint32_t stop = first[0] + least(end, first[1] - first[0]);

		from -= begin - first[0];
		end -= stop - first[0];
		if (a + 1 < parents)
			fetch(p, t, p->first[rank[a + 1]]);
		if (!bound_segments(w, begin, stop, (int)job[a],
				    k->time + (int)job[a] * t->machines, set, ub))
			return false;
	}
	return flush_rest(w, c, set);
}

/* Counts the segments of the parents of each set. */
static void count_segments(struct scratch *c, const struct sets_cpu_piece *p, int jobs,
			   const uint32_t *set, int count)
{
	uint32_t rank[SETS_CPU_JOBS_MAX], job[SETS_CPU_JOBS_MAX];
	uint64_t segments = 0;

	for (int lane = 0; lane < count; lane++) {
		int parents = parents_of_set(p, jobs, set[lane], rank, job);

		for (int a = 0; a < parents; a++)
			segments += p->first[rank[a] + 1] - p->first[rank[a]];
		c->segments[lane] = segments;
	}
}

/* Prepares a batch, unless its last part was expanded by this member too. */
static void prepare(struct sets_cpu_worker *w, const struct tables *k, uint64_t from, int count)
{
	const struct sets_cpu_piece *p = &w->search->piece;
	const struct fsp_tables *t = &w->search->tables;
	double start;

	if (w->batch == from)
		return;
	start = clock_wall();
	make_rows(w->scratch, t, k, p->child_set + from, count);
	if (p->parts > 1)
		count_segments(w->scratch, p, t->jobs, p->child_set + from, count);
	w->seconds_rows += clock_wall() - start;
	w->batch = from;
}

static bool expand_lane(struct sets_cpu_worker *w, const struct tables *k, uint32_t set, int lane,
			uint64_t from, uint64_t end)
{
	struct scratch *c = w->scratch;

	for (int u = 0; u < w->search->tables.machines; u++)
		c->bound[u] = vec_all(c->row[u][lane]);
	return expand_set(w, c, k, set, from, end);
}

/* The sets of a batch that have segments from .. end - 1 of all its sets. */
static bool expand_some(struct sets_cpu_worker *w, const struct tables *k, const uint32_t *set,
			uint64_t from, uint64_t end)
{
	const uint64_t *segments = ((const struct scratch *)w->scratch)->segments;

	for (int lane = 0; from < end; lane++) {
		uint64_t before = lane ? segments[lane - 1] : 0;
		uint64_t stop = segments[lane] < end ? segments[lane] : end;

		if (from >= stop)
			continue;
		if (!expand_lane(w, k, set[lane], lane, from - before, stop - before))
			return false;
		from = stop;
	}
	return true;
}

static bool expand(struct sets_cpu_worker *w, uint64_t from, int count, uint64_t part)
{
	const struct sets_cpu_piece *p = &w->search->piece;
	const uint32_t *set = p->child_set + from;
	struct tables k = tables_of(&w->search->tables, w->search->kernel_tables);
	uint64_t segments;

	prepare(w, &k, from, count);
	if (p->parts > 1) {
		segments = ((const struct scratch *)w->scratch)->segments[count - 1];
		return expand_some(w, &k, set, segments * part / p->parts,
				   segments * (part + 1) / p->parts);
	}
	for (int lane = 0; lane < count; lane++) {
		if (!expand_lane(w, &k, set[lane], lane, 0, UINT64_MAX))
			return false;
	}
	return true;
}

/* ---- from the parents' side ---- */

/* Where the rows of a batch are. */
static VEC_CELL *rows_of(const struct sets_cpu_piece *p, int machines, uint64_t batch)
{
	return (VEC_CELL *)p->row + batch * (uint64_t)machines * VEC_LANES;
}

static void write_rows(struct sets_cpu_worker *w, uint64_t from, int count)
{
	struct scratch *c = w->scratch;
	const struct sets_cpu_piece *p = &w->search->piece;
	const struct fsp_tables *t = &w->search->tables;
	struct tables k = tables_of(t, w->search->kernel_tables);
	VEC_CELL *to = rows_of(p, t->machines, from / VEC_LANES);
	double start = clock_wall();

	make_rows(c, t, &k, p->child_set + from, count);
	for (int u = 0; u < t->machines; u++)
		vec_store(to + (size_t)u * VEC_LANES, vec_load(c->row[u]));
	w->seconds_rows += clock_wall() - start;
}

/* All children of some segments of one set that one job makes. */
static bool push_job(struct sets_cpu_worker *w, uint64_t from, uint64_t end, int job)
{
	struct scratch *c = w->scratch;
	const struct sets_cpu_piece *p = &w->search->piece;
	const struct fsp_tables *t = &w->search->tables;
	const vec *time = tables_of(t, w->search->kernel_tables).time + job * t->machines;
	uint32_t set = p->segment[from].set & ~(UINT32_C(1) << job), child = sets_cpu_child(p, set);
	const VEC_CELL *row = rows_of(p, t->machines, child / VEC_LANES) + child % VEC_LANES;

	for (int u = 0; u < t->machines; u++)
		c->bound[u] = vec_all(row[(size_t)u * VEC_LANES]);
	c->outs = 0;
	return bound_segments(w, from, end, job, time, set, cell_ub(w)) && flush_rest(w, c, set);
}

static bool push(struct sets_cpu_worker *w, uint64_t from, uint64_t end)
{
	const struct sets_cpu_segment *segment = w->search->piece.segment;

	while (from < end) {
		uint64_t stop = from + 1;

		while (stop < end && segment[stop].set == segment[from].set)
			stop++;
		for (uint32_t jobs = segment[from].set; jobs; jobs &= jobs - 1) {
			if (!push_job(w, from, stop, __builtin_ctz(jobs)))
				return false;
		}
		from = stop;
	}
	stream_end();
	return true;
}

/* ---- the last job ---- */

static void finish_node(struct sets_cpu_worker *w, const struct parents *p, int node,
			VEC_CELL makespan)
{
	int64_t order[SETS_CPU_JOBS_MAX];
	const VEC_CELL *path = p->rows + (size_t)w->search->tables.machines * p->stride;

	for (int i = 0; i < p->depth; i++) {
		VEC_CELL cell = path[(size_t)(i / JOBS_A_CELL) * p->stride + (size_t)node];

		order[i] = cell >> (i % JOBS_A_CELL * SETS_CPU_JOB_BITS) &
			   ((1 << SETS_CPU_JOB_BITS) - 1);
	}
	order[p->depth] = p->job;
	w->leaves++;
	sets_cpu_improve(w, makespan, order);
}

/* Plain code, because there are few of these: at most n sets. */
static void finish(struct sets_cpu_worker *w)
{
	const struct sets_cpu_piece *p = &w->search->piece;
	const struct fsp_tables *t = &w->search->tables;

	for (uint64_t i = 0; i < p->segments; i++) {
		struct parents g = parents_of(p, t, i, __builtin_ctz(p->segment[i].set));
		const int32_t *time = t->time + g.job * t->machines;

		w->decomposed += (uint64_t)g.count;
		w->children += (uint64_t)g.count;
		w->evaluated += (uint64_t)g.count;
		for (int node = 0; node < g.count; node++) {
			int32_t x = 0;

			for (int k = 0; k < t->machines; k++) {
				int32_t f = (int32_t)g.rows[(size_t)k * g.stride + (size_t)node];

				x = (x > f ? x : f) + time[k];
			}
			if (x < sets_cpu_ub(w))
				finish_node(w, &g, node, (VEC_CELL)x);
		}
	}
}

const struct sets_cpu_kernel KERNEL = {
	.cell = sizeof(VEC_CELL),
	.lanes = VEC_LANES,
	.jobs_a_cell = JOBS_A_CELL,
	.tables_bytes = tables_bytes,
	.tables_make = tables_make,
	.scratch_bytes = scratch_bytes,
	.scratch_make = scratch_make,
	.expand = expand,
	.rows = write_rows,
	.push = push,
	.finish = finish,
};
