/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The kernel of dfs_cpu.h that looks LB2 up by job set: cells of 16 bits, up to DFS_CPU_SETS_JOBS
 * jobs.
 *
 * The bound of a child is max over machines u <= v of f_u + C_uv(V) + b_v. f and b are its front
 * and back, V is its set of unscheduled jobs, C_uv is as in fsp.h, and C_uu is the sum of the times
 * of V on u. A row holds C_uv(V) for all u <= v; a lane is a pair of machines. Both children of a
 * job, at the beginning and at the end, use the same row. So a child costs a few operations for
 * each vector of the row (7 for 20 machines and 32 lanes) and no pass over jobs.
 *
 * The member that first needs the row of a set computes it, for all pairs together. Rows are stored
 * in the order of their computation: a tree reaches only some of the 2^n sets, and rows that are
 * needed together are then close together. */
#define VEC_CELL uint16_t
#include "algorithms/tree-search/depth-first/dfs_cpu.h"

#include <stdalign.h>
#include <string.h>
#include <sys/mman.h>

#include "harness/base/host.h"
#include "algorithms/tree-search/flowshop/fsp_cpu.h"
#include "algorithms/tree-search/simd_pack.h"

enum {
	PAIRS_MAX = FLOWSHOP_MAX_MACHINES * (FLOWSHOP_MAX_MACHINES + 1) / 2,
	VECTORS_MAX = (PAIRS_MAX + VEC_LANES - 1) / VEC_LANES,
	ROW = (VECTORS_MAX + 1) * VEC_LANES,          /* a whole vector may be written anywhere */
	EDGE = FLOWSHOP_MAX_MACHINES + 2 * VEC_LANES, /* and read */
	PAGE = 1 << 21,
	AHEAD = 6, /* children whose rows are being prefetched */
};
/* The state of a set's row; values from READY on include its number. */
enum state { ABSENT, IN_WORK, READY };
enum edge { FRONT, BACK, EDGES };

/* One job in the Johnson order of each lane's pair. */
struct step {
	vec low, high; /* its bit in a set, in two cells */
	vec first, lag, second;
};

/* Indexed by the position in an edge, see `flipped`. */
struct job {
	alignas(64) VEC_CELL time[EDGES][EDGE];
	alignas(64)
		VEC_CELL before[EDGES][EDGE]; /* `offset` minus the times of the positions before */
	alignas(64) VEC_CELL
		after[EDGES][EDGE]; /* the times up to and including a position, minus `offset` */
};

struct tables {
	int jobs, machines, vectors;
	bool flipped;    /* backs have the machines in reverse order, so that both edges grow in the
			    same direction */
	VEC_CELL offset; /* large enough that no value of `before` is negative */
	alignas(64) VEC_CELL place[EDGES][ROW];  /* positions of the lane's machines in the edges */
	alignas(64) VEC_CELL reverse[VEC_LANES]; /* the machines of a flipped edge */
	struct job job[DFS_CPU_SETS_JOBS];
	_Atomic uint32_t *state;           /* [set] */
	VEC_CELL *row;                     /* [number][vectors * VEC_LANES] */
	struct step *step;                 /* [vector * jobs + position] */
	uint32_t at_once;                  /* rows_at_once */
	alignas(64) _Atomic uint32_t rows; /* reserved by members */
	char apart[64];
};

static int vectors_of(const struct fsp_tables *t)
{
	return (t->machines * (t->machines + 1) / 2 + VEC_LANES - 1) / VEC_LANES;
}

static size_t row_bytes(const struct fsp_tables *t)
{
	return (size_t)vectors_of(t) * sizeof(vec);
}

/* Rows that a member reserves at once: about a page. If several members touched the same fresh page
 * at once, each of them would clear a page, and only one of these would be kept. */
static uint32_t rows_at_once(const struct fsp_tables *t)
{
	size_t page = PAGE / row_bytes(t), few = ((size_t)1 << t->jobs) / SEARCH_WORKERS_MAX;

	return (uint32_t)(few < page ? few + 1 : page);
}

static size_t rows_bytes(const struct fsp_tables *t)
{
	size_t sets = (size_t)1 << t->jobs, rows = sets + SEARCH_WORKERS_MAX * rows_at_once(t);

	return (rows * row_bytes(t) + PAGE - 1) / PAGE * PAGE;
}

static size_t tables_bytes(const struct fsp_tables *t)
{
	return sizeof(struct tables) + (size_t)(vectors_of(t) * t->jobs) * sizeof(struct step) +
	       (sizeof(uint32_t) << t->jobs) + rows_bytes(t) + PAGE;
}

bool dfs_cpu_sets_supports(const struct search_request *r)
{
	const struct flowshop *f = r->flowshop;
	int64_t longest = 0, most = r->memory > 0 ? r->memory : host_memory_available() / 2, pairs;

	if (r->bound != FSP_LB2 || f->jobs > DFS_CPU_SETS_JOBS)
		return false;
	for (int i = 0; i < f->jobs * f->machines; i++)
		longest = f->time[i] > longest ? f->time[i] : longest;
	pairs = (int64_t)f->machines * (f->machines + 1) / 2 + VEC_LANES;
	return longest * (f->jobs + 2 * f->machines) < UINT16_MAX &&
	       (pairs * (int64_t)sizeof(VEC_CELL) + 4) << f->jobs < most;
}

/* ---- tables ---- */

static int place_of(const struct tables *k, enum edge e, int machine)
{
	return e == BACK && k->flipped ? k->machines - 1 - machine : machine;
}

static void make_job(struct tables *k, const int32_t *time, struct job *j)
{
	for (int e = 0; e < EDGES; e++) {
		VEC_CELL sum = 0;

		for (int i = 0; i < k->machines; i++)
			j->time[e][place_of(k, e, i)] = (VEC_CELL)time[i];
		for (int i = 0; i < k->machines; i++) {
			j->before[e][i] = (VEC_CELL)(k->offset - sum);
			sum = (VEC_CELL)(sum + j->time[e][i]);
			j->after[e][i] = (VEC_CELL)(sum - k->offset);
		}
	}
}

/* Fills lane `lane` of a vector's steps for the pair u <= v. On a single machine its jobs follow
 * each other. */
static void make_steps(const struct fsp_tables *t, struct step *step, int lane, int u, int v)
{
	int pair = 0;

	while (u < v && (t->pair_u[pair] != u || t->pair_v[pair] != v))
		pair++;
	for (int i = 0; i < t->jobs; i++) {
		int job = u < v ? t->johnson[pair * t->jobs + i] : i;
		const int32_t *time = t->time + job * t->machines;

		step[i].low[lane] = (VEC_CELL)(1U << job);
		step[i].high[lane] = (VEC_CELL)(1U << job >> 16);
		step[i].first[lane] = (VEC_CELL)(u < v ? time[u] : 0);
		step[i].lag[lane] = (VEC_CELL)(u < v ? t->lag[pair * t->jobs + job] : 0);
		step[i].second[lane] = (VEC_CELL)time[v];
	}
}

static void tables_make(const struct fsp_tables *t, void *block)
{
	struct tables *k = block;
	int at = 0;
	char *next = (char *)(k + 1);

	memset(k, 0, sizeof(*k));
	k->jobs = t->jobs;
	k->machines = t->machines;
	k->vectors = vectors_of(t);
	k->at_once = rows_at_once(t);
#if VEC_BYTES == 64
	k->flipped = t->machines <= VEC_LANES;
#endif
	k->step = (struct step *)next;
	memset(k->step, 0, (size_t)(k->vectors * t->jobs) * sizeof(struct step));
	next += (size_t)(k->vectors * t->jobs) * sizeof(struct step);
	k->state = (_Atomic uint32_t *)(void *)next;
	memset(next, ABSENT, sizeof(uint32_t) << t->jobs);
	next += sizeof(uint32_t) << t->jobs;
	next += PAGE - (uintptr_t)next % PAGE;
	k->row = (VEC_CELL *)(void *)next;
	/* may fail; with small pages most rows would miss the TLB */
	madvise(next, rows_bytes(t), MADV_HUGEPAGE);
	for (int i = 0; i < t->jobs * t->machines; i++)
		k->offset = (VEC_CELL)(k->offset > t->time[i] ? k->offset : t->time[i]);
	k->offset = (VEC_CELL)(k->offset * t->machines);
	for (int j = 0; j < t->jobs; j++)
		make_job(k, t->time + j * t->machines, &k->job[j]);
	for (int i = 0; k->flipped && i < t->machines; i++)
		k->reverse[i] = (VEC_CELL)place_of(k, BACK, i);
	for (int u = 0; u < t->machines; u++)
		for (int v = u; v < t->machines; v++, at++) {
			k->place[FRONT][at] = (VEC_CELL)place_of(k, FRONT, u);
			k->place[BACK][at] = (VEC_CELL)place_of(k, BACK, v);
			make_steps(t, k->step + at / VEC_LANES * t->jobs, at % VEC_LANES, u, v);
		}
}

/* ---- a member's working memory ---- */

struct scratch {
	alignas(64) VEC_CELL edge[EDGES][EDGE];  /* of the node, as in its bounds */
	alignas(64) VEC_CELL near[EDGES][EDGE];  /* to which jobs are added */
	alignas(64) VEC_CELL spread[EDGES][ROW]; /* `edge` spread to the lanes of a row */
	alignas(64) VEC_CELL moved[EDGE];
	alignas(64) VEC_CELL moved_spread[ROW];
	alignas(64) VEC_CELL own[ROW]; /* a row that only this member uses */
	uint32_t next_row, rows_left;
};

static size_t scratch_bytes(const struct fsp_tables *t)
{
	(void)t;
	return sizeof(struct scratch);
}

static void scratch_make(const struct fsp_tables *t, void *block)
{
	(void)t;
	memset(block, 0, sizeof(struct scratch));
}

/* ---- rows ---- */

static void make_row(const struct tables *k, uint32_t set, VEC_CELL *row)
{
	vec low = vec_all((VEC_CELL)set), high = vec_all((VEC_CELL)(set >> 16));

	for (int p = 0; p < k->vectors; p++) {
		const struct step *s = k->step + p * k->jobs, *end = s + k->jobs;
		vec t0 = { 0 }, t1 = { 0 };

		for (; s < end; s++) {
			vec present = (vec)(((s->low & low) | (s->high & high)) != 0);

			t0 += s->first & present;
			t1 = vec_max(t1, (t0 + s->lag) & present) + (s->second & present);
		}
		vec_store(row + p * VEC_LANES, t1);
	}
}

static VEC_CELL *row_at(const struct tables *k, uint32_t number)
{
	return k->row + (size_t)number * (size_t)(k->vectors * VEC_LANES);
}

/* Reserves a row. */
static uint32_t new_row(struct tables *k, struct scratch *c)
{
	if (c->rows_left == 0) {
		c->next_row = atomic_fetch_add(&k->rows, k->at_once);
		c->rows_left = k->at_once;
	}
	c->rows_left--;
	return c->next_row++;
}

/* Computes the row of a set whose row was missing when its state was read. If another member is
 * computing it at the moment, returns a private copy. */
static __attribute__((noinline)) const VEC_CELL *make_row_of(struct tables *k, struct scratch *c,
							     uint32_t set)
{
	uint32_t state = ABSENT, number;

	if (atomic_compare_exchange_strong(&k->state[set], &state, IN_WORK)) {
		number = new_row(k, c);
		make_row(k, set, row_at(k, number));
		atomic_store_explicit(&k->state[set], READY + number, memory_order_release);
		return row_at(k, number);
	}
	if (state >= READY)
		return row_at(k, state - READY);
	make_row(k, set, c->own);
	return c->own;
}

/* Returns the row of a child's set. `state`: the state of the set's row when it was last read. */
static inline const VEC_CELL *row_of(struct tables *k, struct scratch *c,
				     const struct dfs_cpu_node *node, int job, uint32_t state)
{
	if (state >= READY)
		return row_at(k, state - READY);
	return make_row_of(k, c, (uint32_t)node->set[0] & ~(UINT32_C(1) << job));
}

static uint32_t state_of(const struct tables *k, uint32_t set)
{
	return atomic_load_explicit(&k->state[set], memory_order_acquire);
}

static void fetch(const struct tables *k, uint32_t state)
{
	const char *row;

	if (state < READY)
		return;
	row = (const char *)row_at(k, state - READY);
	for (int p = 0; p < k->vectors * (int)sizeof(vec); p += 64)
		__builtin_prefetch(row + p);
}

/* ---- bounds ---- */

static inline VEC_CELL greatest(vec x)
{
#if VEC_BYTES == 64
	__m256i half = _mm256_max_epu16(_mm512_castsi512_si256((__m512i)x),
					_mm512_extracti64x4_epi64((__m512i)x, 1));
	__m128i quarter =
		_mm_max_epu16(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));

	/* the instruction finds the minimum */
	quarter = _mm_minpos_epu16(_mm_xor_si128(quarter, _mm_set1_epi16(-1)));
	return (VEC_CELL)~_mm_cvtsi128_si32(quarter);
#else
	VEC_CELL most = 0;

	for (int i = 0; i < VEC_LANES; i++)
		most = x[i] > most ? x[i] : most;
	return most;
#endif
}

/* Spreads an edge's values to the lanes of a row, for any number of machines and any vectors. */
static void spread(const struct tables *k, enum edge e, const VEC_CELL *edge, VEC_CELL *to)
{
	for (int u = 0; u < k->machines; u++) {
		for (int v = u; v < k->machines; v += VEC_LANES)
			vec_store(to + v - u, e == FRONT ? vec_all(edge[u]) : vec_load(edge + v));
		to += k->machines - u;
	}
}

static VEC_CELL bound_side(const struct tables *k, struct scratch *c, enum edge e, int job,
			   const VEC_CELL *row)
{
	const VEC_CELL *time = k->job[job].time[e], *near = c->near[e];
	int m = k->machines;
	VEC_CELL t = 0;
	vec lb = { 0 };

	for (int i = 0; i < m; i++) {
		int at = e == BACK ? m - 1 - i : i;

		t = (VEC_CELL)((t > near[at] ? t : near[at]) + time[at]);
		c->moved[at] = t;
	}
	spread(k, e, c->moved, c->moved_spread);
	for (int i = 0; i < k->vectors * VEC_LANES; i += VEC_LANES)
		lb = vec_max(lb, vec_load(row + i) + vec_load(c->spread[!e] + i) +
					 vec_load(c->moved_spread + i));
	return greatest(lb);
}

/* Bounds the children b->job[0 .. b->count - 1] for any number of machines. state[i]: of child i's
 * set. */
static void bound_any(struct tables *k, struct scratch *c, const struct dfs_cpu_node *node,
		      bool end, const uint32_t *state, struct dfs_cpu_bounds *b)
{
	for (int i = 0; i < k->machines; i++) {
		c->edge[FRONT][i] = (VEC_CELL)node->front[i];
		c->edge[BACK][i] = (VEC_CELL)node->back[i];
		/* a first job is added to zero */
		c->near[FRONT][i] = node->prefix ? (VEC_CELL)node->front[i] : 0;
		c->near[BACK][i] = node->suffix ? (VEC_CELL)node->back[i] : 0;
	}
	for (int e = 0; e < EDGES; e++)
		spread(k, e, c->edge[e], c->spread[e]);
	for (int i = 0; i < b->count; i++) {
		const VEC_CELL *row = row_of(k, c, node, b->job[i], state[i]);

		fetch(k, state[i + AHEAD]);
		b->begin[i] = bound_side(k, c, FRONT, b->job[i], row);
		if (end)
			b->end[i] = bound_side(k, c, BACK, b->job[i], row);
	}
}

#if VEC_BYTES == 64
/* The first 32 of an array of machines, reversed for a back; zero after the last. */
static inline vec edge_of(const struct tables *k, enum edge e, const int32_t *x)
{
	__m256i low = _mm512_cvtepi32_epi16(_mm512_loadu_si512(x));
	__m256i high = _mm512_cvtepi32_epi16(_mm512_loadu_si512(x + VEC_LANES / 2));
	__m512i all = _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
	uint32_t there = UINT32_MAX >> (VEC_LANES - k->machines);

	if (e == FRONT)
		return (vec)_mm512_maskz_mov_epi16(there, all);
	return (vec)_mm512_maskz_permutexvar_epi16(there, (__m512i)vec_load(k->reverse), all);
}

static inline vec spread_to(vec place, vec edge)
{
	return (vec)_mm512_permutexvar_epi16((__m512i)place, (__m512i)edge);
}

/* x shifted up by `lanes` lanes, zeros in the lowest ones. */
static inline vec behind(vec x, int lanes)
{
	static const VEC_CELL number[VEC_LANES] = { 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
						    11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
						    22, 23, 24, 25, 26, 27, 28, 29, 30, 31 };
	vec from = vec_load(number) - (VEC_CELL)lanes;

	return (vec)_mm512_maskz_permutexvar_epi16(UINT32_MAX << lanes, (__m512i)from, (__m512i)x);
}

/* Adds the job to an edge: x_k = sum of its times up to k + max over i <= k of (near_i - sum of its
 * times before i). The maximum takes five steps. */
static inline vec add_job(const struct job *j, enum edge e, vec near)
{
	vec x = near + vec_load(j->before[e]);

	x = vec_max(x, behind(x, 1));
	x = vec_max(x, behind(x, 2));
	x = vec_max(x, behind(x, 4));
	x = vec_max(x, behind(x, 8));
	x = vec_max(x, behind(x, 16));
	return x + vec_load(j->after[e]);
}

/* For at most one machine per lane and one vector per edge. The row is read once for both sides. */
static inline __attribute__((always_inline)) void bound_lanes(struct tables *k, struct scratch *c,
							      const struct dfs_cpu_node *node,
							      bool end, const uint32_t *state,
							      struct dfs_cpu_bounds *b, int vectors)
{
	vec front = edge_of(k, FRONT, node->front), back = edge_of(k, BACK, node->back);
	/* a first job is added to zero */
	vec near_front = node->prefix ? front : (vec){ 0 };
	vec near_back = node->suffix ? back : (vec){ 0 };

	for (int p = 0; p < vectors; p++) {
		vec_store(c->spread[FRONT] + p * VEC_LANES,
			  spread_to(vec_load(k->place[FRONT] + p * VEC_LANES), front));
		vec_store(c->spread[BACK] + p * VEC_LANES,
			  spread_to(vec_load(k->place[BACK] + p * VEC_LANES), back));
	}
	for (int i = 0; i < b->count; i++) {
		const struct job *job = &k->job[b->job[i]];
		const VEC_CELL *row = row_of(k, c, node, b->job[i], state[i]);
		vec f = add_job(job, FRONT, near_front), lb = { 0 };
		vec g = end ? add_job(job, BACK, near_back) : (vec){ 0 }, lb_end = { 0 };

		fetch(k, state[i + AHEAD]);
#pragma GCC unroll 7
		for (int p = 0; p < vectors; p++) {
			int at = p * VEC_LANES;
			vec x = vec_load(row + at);

			lb = vec_max(lb, x + vec_load(c->spread[BACK] + at) +
						 spread_to(vec_load(k->place[FRONT] + at), f));
			if (end)
				lb_end = vec_max(
					lb_end,
					x + vec_load(c->spread[FRONT] + at) +
						spread_to(vec_load(k->place[BACK] + at), g));
		}
		b->begin[i] = greatest(lb);
		if (end)
			b->end[i] = greatest(lb_end);
	}
}

static void bound_children(struct tables *k, struct scratch *c, const struct dfs_cpu_node *node,
			   bool end, const uint32_t *state, struct dfs_cpu_bounds *b)
{
	if (k->machines > VEC_LANES)
		bound_any(k, c, node, end, state, b);
	else if (k->vectors == 7 && end) /* 20 machines, two-sided */
		bound_lanes(k, c, node, true, state, b, 7);
	else
		bound_lanes(k, c, node, end, state, b, k->vectors);
}
#else
static void bound_children(struct tables *k, struct scratch *c, const struct dfs_cpu_node *node,
			   bool end, const uint32_t *state, struct dfs_cpu_bounds *b)
{
	bound_any(k, c, node, end, state, b);
}
#endif

static void bound(const struct fsp_tables *t, void *tables, void *scratch,
		  const struct dfs_cpu_node *node, enum fsp_bound kind, bool end, int32_t stop_at,
		  struct dfs_cpu_bounds *b)
{
	struct tables *k = tables;
	uint32_t set = (uint32_t)node->set[0], state[DFS_CPU_SETS_JOBS + AHEAD];

	(void)t, (void)kind, (void)stop_at;
	b->count = 0;
	for (uint32_t bits = set; bits; bits &= bits - 1) {
		b->job[b->count] = (uint16_t)__builtin_ctz(bits);
		state[b->count++] = state_of(k, set & ~(bits & (0 - bits)));
	}
	for (int i = 0; i < AHEAD; i++) {
		state[b->count + i] = ABSENT;
		fetch(k, state[i]);
	}
	bound_children(k, scratch, node, end, state, b);
}

const struct dfs_cpu_kernel dfs_cpu_kernel_sets = {
	.tables_bytes = tables_bytes,
	.tables_make = tables_make,
	.scratch_bytes = scratch_bytes,
	.scratch_make = scratch_make,
	.bound = bound,
};
