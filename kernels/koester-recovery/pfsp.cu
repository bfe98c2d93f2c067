/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Kernels of the flowshop domain: one thread per state; children are rated from their parent
 * without being made.
 *
 * A block takes several neighbouring parents. It reads their states once, machine by machine across
 * the parents, and stores in shared memory what children need of a machine: front, rest (time left
 * and after it), and the two factors of w. Then every thread rates EACH children of one parent:
 * four operations per machine and child (two add-and-max, two multiply-add), one shared read of 16
 * bytes for all EACH, one read of a time from the cache. Children are numbered across the parents
 * of the block, so that no thread idles when few jobs are left. */
#include "kernels/koester-recovery/pfsp.h"
#include "kernels/koester-recovery/domain.cuh"

enum { BLOCK = 256, MOST_PARENTS = 32, JOBS_ROOM = 4096, ROWS_ROOM = 1280 };

/* Contents of the block's shared memory; P parents. */
struct board {
	int4 *row;       /* [i * P + parent]: front, rest, by_wait, by_time */
	uint32_t *share; /* [P] w minus the terms that the rows multiply; guide by idle time: that
			    time */
	uint32_t *set;   /* [word * P + parent] */
	int32_t *left;   /* [P] jobs left; 0 for parents beyond the last */
	uint32_t *begin; /* [P + 1] start of its jobs in `job` */
	uint32_t *group; /* [P + 1] start of its groups of EACH children */
	uint16_t *job;   /* [P * jobs] */
};

static size_t board_bytes(const struct track_pfsp *d, int parents)
{
	size_t p = (size_t)parents, words = 3 * p + (size_t)d->words * p + 2;

	return (size_t)d->machines * p * sizeof(int4) + 4 * words + 2 * p * (size_t)d->jobs + 4 * p;
}

static __device__ __forceinline__ board board_in(unsigned char *memory, const track_pfsp &d,
						 int parents)
{
	board b;

	b.row = (int4 *)memory;
	b.share = (uint32_t *)(b.row + d.machines * parents);
	b.set = b.share + parents;
	b.left = (int32_t *)(b.set + d.words * parents);
	b.begin = (uint32_t *)(b.left + parents);
	b.group = b.begin + parents + 1;
	b.job = (uint16_t *)(b.group + parents + 1);
	return b;
}

/* Counts the jobs left of every parent, and reads the w of the side that gets no job. */
static __device__ void count_jobs(const track_pfsp &d, const track_batch &b, uint32_t first,
				  int parents, const board &o)
{
	int rest = track_pfsp_row(&d, TRACK_PFSP_ROWS);

	for (int a = threadIdx.x; a < parents; a += BLOCK) {
		int left = 0;

		for (int i = 0; i < d.words; i++) {
			uint32_t bits = 0;

			if (first + a < b.count)
				bits = *track_pfsp_word(track_batch_state(b, first + a),
							rest + TRACK_PFSP_SET + i);
			o.set[i * parents + a] = bits;
			left += __popc(bits);
		}
		o.left[a] = left;
		o.share[a] = 0;
	}
}

/* Computes where each parent's jobs and groups begin. */
template <int EACH> static __device__ void lay_out(int parents, const board &o)
{
	for (int a = threadIdx.x; a <= parents; a += BLOCK) {
		uint32_t jobs = 0, groups = 0;

		for (int i = 0; i < a; i++) {
			jobs += o.left[i];
			groups += (o.left[i] + EACH - 1) / EACH;
		}
		o.begin[a] = jobs;
		o.group[a] = groups;
	}
}

static __device__ void list_jobs(const track_pfsp &d, int parents, const board &o)
{
	for (int n = threadIdx.x; n < parents * d.words; n += BLOCK) {
		int a = n % parents, word = n / parents;
		uint32_t at = o.begin[a];

		for (int i = 0; i < word; i++)
			at += __popc(o.set[i * parents + a]);
		for (uint32_t bits = o.set[n]; bits; bits &= bits - 1)
			o.job[at++] = (uint16_t)(word * 32 + __ffs(bits) - 1);
	}
}

/* Reads the values of one parent on one machine. */
static __device__ void read_row(const track_pfsp &d, track_state s, int i, int side, bool by_idle,
				int4 *row, uint32_t *share)
{
	int k = side ? d.machines - 1 - i : i, x[TRACK_PFSP_ROWS];

	for (int u = 0; u < TRACK_PFSP_ROWS; u++)
		x[u] = track_pfsp_get(s, track_pfsp_row(&d, u) + k);
	int front = x[side], idle = x[TRACK_PFSP_FRONT_IDLE + side];
	int rest = x[1 - side] + track_pfsp_remaining(&d, k, x[TRACK_PFSP_FRONT],
						      x[TRACK_PFSP_BACK], x[TRACK_PFSP_FRONT_IDLE],
						      x[TRACK_PFSP_BACK_IDLE]);

	if (by_idle) {
		*row = make_int4(front, rest, 1, 0);
		atomicAdd(share,
			  (uint32_t)(x[TRACK_PFSP_FRONT_IDLE] + x[TRACK_PFSP_BACK_IDLE] - front));
		return;
	}
	track_pfsp_slope w = track_pfsp_slope_of(&d, i, front, idle);

	*row = make_int4(front, rest, (int)w.by_wait, (int)w.by_time);
	w.share -= w.by_wait * (uint32_t)front + w.by_time * (uint32_t)d.mean;
	if (i == 0)
		w.share += *track_pfsp_word(s, track_pfsp_row(&d, TRACK_PFSP_ROWS) +
						       TRACK_PFSP_FRONT_SHARE + 1 - side);
	atomicAdd(share, w.share);
}

static __device__ void read_rows(const track_pfsp &d, const track_batch &b, uint32_t first,
				 int parents, bool by_idle, const board &o)
{
	for (int n = threadIdx.x; n < parents * d.machines; n += BLOCK) {
		int a = n % parents, i = n / parents;

		if (first + a < b.count)
			read_row(d, track_batch_state(b, first + a), i,
				 track_pfsp_side(&d, d.jobs - o.left[a]), by_idle, &o.row[n],
				 &o.share[a]);
	}
}

/* Rates up to EACH children of a parent. */
template <int EACH> struct children {
	const int32_t *time[EACH];
	int start[EACH], p[EACH], bound[EACH];
	uint32_t share[EACH];

	__device__ __forceinline__ void pass(const int4 &row, int step)
	{
#pragma unroll
		for (int c = 0; c < EACH; c++) {
			start[c] = __viaddmax_s32(start[c], p[c], row.x);
			bound[c] = __viaddmax_s32(start[c], row.y, bound[c]);
			p[c] = __ldg(time[c]);
			time[c] += step;
			share[c] += (uint32_t)row.z * (uint32_t)start[c] +
				    (uint32_t)row.w * (uint32_t)p[c];
		}
	}
};

template <int EACH>
static __device__ void rate_group(const track_pfsp &d, const track_pfsp_guidance &g, int parents,
				  int a, int k, const board &o, uint32_t *rating)
{
	int placed = d.jobs - o.left[a], side = track_pfsp_side(&d, placed), step = d.jobs;
	const int32_t *time = d.time;
	children<EACH> c;

	if (side) {
		time += (d.machines - 1) * d.jobs;
		step = -step;
	}
#pragma unroll
	for (int e = 0; e < EACH; e++) {
		int n = k + e < o.left[a] ? k + e : k;

		c.time[e] = time + o.job[o.begin[a] + n];
		c.start[e] = c.p[e] = c.bound[e] = 0;
		c.share[e] = o.share[a];
	}
#pragma unroll 4
	for (int i = 0; i < d.machines; i++)
		c.pass(o.row[i * parents + a], step);
#pragma unroll
	for (int e = 0; e < EACH; e++)
		if (k + e < o.left[a])
			rating[k + e] = track_pfsp_rating(&d, &g, placed + 1, c.bound[e],
							  c.share[e], c.share[e]);
}

template <int EACH>
static __global__ void __launch_bounds__(BLOCK)
	rate_children(const __grid_constant__ track_pfsp d, const __grid_constant__ track_batch b,
		      const uint32_t *first_child, int parents, uint32_t *rating)
{
	SHARED_MEMORY(unsigned char, memory);
	board o = board_in(memory, d, parents);
	uint32_t first = blockIdx.x * (uint32_t)parents;
	track_pfsp_guidance g = *d.guidance;
	int a = 0;

	count_jobs(d, b, first, parents, o);
	__syncthreads();
	lay_out<EACH>(parents, o);
	read_rows(d, b, first, parents, g.kind == TRACK_PFSP_BY_IDLE, o);
	__syncthreads();
	list_jobs(d, parents, o);
	__syncthreads();
	for (uint32_t n = threadIdx.x; n < o.group[parents]; n += BLOCK) {
		while (o.group[a + 1] <= n)
			a++;
		rate_group<EACH>(d, g, parents, a, (int)(n - o.group[a]) * EACH, o,
				 rating + first_child[first + a]);
	}
}

/* ---- launches ---- */

/* Parents of a block: enough to read whole sectors of 32 bytes, if the shared memory suffices. */
static int parents_a_block(const struct track_pfsp *d)
{
	int parents = MOST_PARENTS;

	while (parents > 1 && (parents * d->jobs > JOBS_ROOM || parents * d->machines > ROWS_ROOM))
		parents /= 2;
	return parents;
}

static int track_pfsp_rate_children(struct track_place *p, const void *parameters,
				    const struct track_batch *b, const struct track_children *c,
				    const uint32_t *successor, uint32_t steps, uint32_t flags,
				    uint32_t breaks, uint32_t *rating, struct err *e)
{
	const struct track_pfsp *d = (const struct track_pfsp *)parameters;
	int parents = parents_a_block(d), status = track_check_children(c, e);

	(void)successor;
	(void)breaks;
	if (status || !c->total)
		return status;
	if (!(flags & TRACK_ASSIGN_FIRST) || steps < 1)
		return err_set(e, ERR_USAGE,
			       "pfsp: a child needs an assignment and at least one step");
	return LAUNCH(e, rate_children<2>, track_blocks(b->count, (unsigned)parents), BLOCK,
		      board_bytes(d, parents), p->stream, *d, *b, c->first, parents, rating);
}

TRACK_DOMAIN_TYPE(track_pfsp)
typedef track_kernels<track_pfsp_domain> plain;

extern "C" const struct track_ops BACKEND_SYMBOL(track_pfsp_ops) DEV_TABLE = {
	plain::execute, plain::assign,  plain::rate,   plain::expand,
	nullptr,        plain::advance, plain::replay, track_pfsp_rate_children,
	nullptr,        nullptr
};
