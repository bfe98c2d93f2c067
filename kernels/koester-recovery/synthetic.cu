/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/common/gpu.cuh"

#include "kernels/koester-recovery/synthetic.h"
#include "kernels/koester-recovery/domain.cuh"

/* ---- rows in registers ---- */

/* Steps of the synthetic model with matrices in registers.
 *
 * The rows of a state's matrix are independent of each other, and all states are multiplied by the
 * same two matrices. So a thread keeps R rows of one state in registers from the first product to
 * the last, over all steps and all rounds of a path. T threads of one warp (a power of two) process
 * a state. The two matrices are broadcast from shared memory, 16 bytes for 4 R multiply-adds. Rows
 * beyond R * T are processed in further turns. */

/* Arguments of a launch on `count` states. */
struct track_synthetic_job {
	struct track_synthetic d;
	struct track_layout layout;
	void *states;
	uint32_t slots;
	const uint32_t *slot; /* slot of the state or parent; NULL: its number */
	uint32_t count;
	bool writes; /* false: states are only read */
	/* rating children: child i belongs to the parent p with first[p] <= i < first[p] +
	 * number[p] */
	const uint32_t *first;                /* NULL: states, not children */
	uint32_t parents, first_source, each; /* as in struct track_children */
	const uint32_t *source, *successor;
	/* rounds of paths, arrays of stride `path_stride`; NULL: one round, for layer `iteration`
	 */
	const uint32_t *path_iteration;
	uint32_t rounds, path_stride, iteration;
	uint64_t seed;
	uint32_t steps;
	bool assign_first, assign_last;
	bool ask; /* assign states that wait; if false, assign all states after the steps in
		     `breaks` */
	uint32_t breaks;
	uint64_t assigned; /* of track_synthetic_run_same: bit s, after step s; bit 0, before the
			      first; at most 63 steps */
	uint32_t *rating;  /* [count]; NULL: not needed */
	uint32_t threads;  /* T */
	/* of track_synthetic_run_same: blocks with R rows per thread; threads per state in the
	 * others */
	uint32_t whole, thin;
};

/* The R rows of a matrix that one thread holds. */
template <int C, int R> struct track_synthetic_rows {
	float x[R][C];
};

template <int C, int R>
static __device__ __forceinline__ void rows_product(track_synthetic_rows<C, R> &rows,
						    const float4 *w)
{
	track_synthetic_rows<C, R> y;

#pragma unroll
	for (int k = 0; k < C; k++) {
#pragma unroll
		for (int j = 0; j < C; j += 4) {
			float4 v = w[(k * C + j) / 4];
			float one[4] = { v.x, v.y, v.z, v.w };
#pragma unroll
			for (int i = 0; i < 4; i++) {
#pragma unroll
				for (int n = 0; n < R; n++) {
					/* there and back: the last row read is kept for the next
					 * element */
					int r = i & 1 ? R - 1 - n : n;
					y.x[r][j + i] =
						k ? fmaf(rows.x[r][k], one[i], y.x[r][j + i]) :
						    rows.x[r][0] * one[i];
				}
			}
		}
	}
	rows = y;
}

/* The matrices as an argument of a kernel. A GPU has arguments in constant memory, and reads them
 * into registers that a warp shares if all its threads want the same element. */
template <int C> struct track_synthetic_weights {
	float w[2 * C * C]; /* E, then A */
};

/* The same product with w in such an argument, the same for all threads of the warp. Row by row,
 * because then x[r][k] is read once for C multiply-adds. */
template <int C, int R>
static __device__ __forceinline__ void rows_product(track_synthetic_rows<C, R> &rows,
						    const float *w)
{
	track_synthetic_rows<C, R> y;

#pragma unroll
	for (int k = 0; k < C; k++) {
#pragma unroll
		for (int r = 0; r < R; r++) {
#pragma unroll
			for (int j = 0; j < C; j++)
				y.x[r][j] = k ? fmaf(rows.x[r][k], w[k * C + j], y.x[r][j]) :
						rows.x[r][0] * w[j];
		}
	}
	rows = y;
}

static __device__ __forceinline__ void set_vector(float *x, float4 v)
{
	x[0] = v.x;
	x[1] = v.y;
	x[2] = v.z;
	x[3] = v.w;
}

static __device__ __forceinline__ float4 vector_of(const float *x)
{
	return make_float4(x[0], x[1], x[2], x[3]);
}

/* Whether a state is one unit, so that its rows follow each other: then addresses take no
 * instructions of their own. */
static __host__ __device__ __forceinline__ bool rows_together(const struct track_synthetic &d)
{
	return d.vectors && d.unit_shift == 31;
}

/* The same, with matrices in shared memory or, for such states only, in constant memory. */
static __device__ __forceinline__ bool rows_together(const struct track_synthetic &d,
						     const float4 *)
{
	return rows_together(d);
}

static __device__ __forceinline__ bool rows_together(const struct track_synthetic &, const float *)
{
	return true;
}

template <int C, int R>
static __device__ __forceinline__ void
rows_load(track_synthetic_rows<C, R> &rows, const struct track_synthetic &d,
	  const unsigned char *state, size_t stride, uint32_t row, bool together)
{
	if (together) {
		const float4 *from = (const float4 *)(state + (size_t)row * C * 4);

#pragma unroll
		for (int r = 0; r < R; r++) {
#pragma unroll
			for (int j = 0; j < C / 4; j++) {
				float4 v = make_float4(0, 0, 0, 0);
				if (row + r < d.rows)
					v = from[r * C / 4 + j];
				set_vector(&rows.x[r][4 * j], v);
			}
		}
		return;
	}
	if (d.vectors) {
#pragma unroll
		for (int r = 0; r < R; r++) {
#pragma unroll
			for (int j = 0; j < C; j += 4) {
				uint32_t word = (row + r) * C + j;
				float4 v = make_float4(0, 0, 0, 0);
				if (row + r < d.rows)
					v = *(const float4 *)(state + track_synthetic_word_offset(
									      &d, stride, word));
				set_vector(&rows.x[r][j], v);
			}
		}
		return;
	}
#pragma unroll
	for (int r = 0; r < R; r++) {
#pragma unroll
		for (int j = 0; j < C; j++)
			rows.x[r][j] =
				row + r < d.rows ?
					*(const float *)(state +
							 track_synthetic_word_offset(
								 &d, stride, (row + r) * C + j)) :
					0.0f;
	}
}

template <int C, int R>
static __device__ __forceinline__ void
rows_store(const track_synthetic_rows<C, R> &rows, const struct track_synthetic &d,
	   unsigned char *state, size_t stride, uint32_t row, bool together)
{
	if (together) {
		float4 *to = (float4 *)(state + (size_t)row * C * 4);

#pragma unroll
		for (int r = 0; r < R; r++) {
#pragma unroll
			for (int j = 0; j < C / 4; j++) {
				if (row + r < d.rows)
					to[r * C / 4 + j] = vector_of(&rows.x[r][4 * j]);
			}
		}
		return;
	}
#pragma unroll
	for (int r = 0; r < R; r++) {
		if (row + r >= d.rows)
			break;
		if (d.vectors) {
#pragma unroll
			for (int j = 0; j < C; j += 4)
				*(float4 *)(state + track_synthetic_word_offset(
							    &d, stride, (row + r) * C + j)) =
					vector_of(&rows.x[r][j]);
		} else {
#pragma unroll
			for (int j = 0; j < C; j++)
				*(float *)(state + track_synthetic_word_offset(&d, stride,
									       (row + r) * C + j)) =
					rows.x[r][j];
		}
	}
}

/* Changes the sign of rows whose bit in `signs` is set. */
template <int C, int R>
static __device__ __forceinline__ void rows_turn(track_synthetic_rows<C, R> &rows, uint32_t row,
						 uint32_t signs)
{
#pragma unroll
	for (int r = 0; r < R; r++) {
		uint32_t sign = signs >> ((row + r) & 31) << 31;
#pragma unroll
		for (int j = 0; j < C; j++)
			rows.x[r][j] = __int_as_float(__float_as_int(rows.x[r][j]) ^ (int)sign);
	}
}

template <int C, int R>
static __device__ __forceinline__ uint32_t rows_rate(const track_synthetic_rows<C, R> &rows,
						     uint32_t row, uint32_t height)
{
	uint32_t best = UINT32_MAX;

#pragma unroll
	for (int r = 0; r < R; r++) {
#pragma unroll
		for (int j = 0; j < C; j++) {
			if (row + r < height)
				best = min(best, track_synthetic_order(rows.x[r][j]));
		}
	}
	return best;
}

/* The least number of the threads of a state. */
static __device__ __forceinline__ uint32_t rows_least(uint32_t number, uint32_t threads)
{
	for (uint32_t apart = threads / 2; apart; apart /= 2)
		number = min(number, __shfl_xor_sync(UINT32_MAX, number, (int)apart));
	return number;
}

/* Bit s: the state waits after step base + s, for `steps` <= 32. The T threads of the state compute
 * different steps and exchange results; all threads of the warp take part. */
static __device__ __forceinline__ uint32_t rows_waits(const struct track_synthetic_job &job,
						      struct track_step at, uint32_t base,
						      uint32_t steps)
{
	uint32_t part = threadIdx.x & (job.threads - 1), group = (threadIdx.x & 31) - part;
	uint32_t mine = job.threads < 32 ? (1u << job.threads) - 1 : UINT32_MAX;
	uint32_t waits = 0;

	at.phase = TRACK_EXECUTE;
	for (uint32_t s = 0; s < steps; s += job.threads) {
		at.step = base + s + part;
		bool w = s + part < steps && track_synthetic_waits(&job.d, &at);
		waits |= (__ballot_sync(UINT32_MAX, w) >> group & mine) << s;
	}
	return waits;
}

/* Bits of the `steps` <= 32 steps from `base` on after which the state is assigned. */
static __device__ __forceinline__ uint32_t rows_breaks(const struct track_synthetic_job &job,
						       const struct track_step &at, uint32_t base,
						       uint32_t steps)
{
	bool last = job.assign_last && base + steps == job.steps;
	uint32_t breaks = base ? 0 : job.breaks & (UINT32_MAX >> (32 - steps));

	if (job.ask && !(last && steps == 1))
		breaks = rows_waits(job, at, base, steps);
	return last ? breaks | 1u << (steps - 1) : breaks;
}

/* Makes the random choice at the end of an assignment. */
template <int C, int R>
static __device__ __forceinline__ void
rows_choose(track_synthetic_rows<C, R> &rows, uint32_t row, const struct track_synthetic &d,
	    struct track_step at, struct track_state to, bool writes)
{
	at.phase = TRACK_ASSIGN;
	struct philox4 v = track_random_block(&at, 0);
	rows_turn(rows, row, v.word[1]);
	if (writes)
		track_synthetic_store_variable(&d, to, &v);
}

/* The products of at most 32 steps from `base` on, as one loop: states of a warp that are assigned
 * after different steps multiply by different matrices in the same turn. Bit s of `assigned`: after
 * step base + s - 1; bit 0: before the first. */
template <int C, int R>
static __device__ __forceinline__ void
rows_products(track_synthetic_rows<C, R> &rows, uint32_t row, const struct track_synthetic &d,
	      const float4 *w, struct track_step at, struct track_state to, uint32_t steps,
	      uint64_t assigned, bool writes)
{
	uint32_t products = steps + (uint32_t)__popcll(assigned) * d.load;
	uint32_t left = assigned & 1 ? d.load : 0; /* of the current assignment */

#pragma unroll 1
	for (uint32_t k = 0; k < products; k++) {
		rows_product(rows, w + (left ? C * C / 4 : 0));
		if (!left) {
			at.step++;
			assigned >>= 1;
			left = assigned & 1 ? d.load : 0;
		} else if (!--left) {
			rows_choose(rows, row, d, at, to, writes);
		}
	}
}

/* What a thread does besides, after each product: nothing. */
struct track_synthetic_nothing {
	__device__ __forceinline__ void go_on()
	{
	}
};

/* Makes the steps of one round. `moves` is false for a state that has no step in this round. */
template <int C, int R>
static __device__ __forceinline__ void
rows_steps(track_synthetic_rows<C, R> &rows, uint32_t row, const struct track_synthetic_job &job,
	   const float4 *w, struct track_step at, struct track_state to, bool moves, bool there,
	   track_synthetic_nothing &)
{
	bool writes = there && job.writes && !row;

	for (uint32_t base = 0; base < job.steps; base += 32) {
		uint32_t steps = min(32u, job.steps - base);
		uint32_t breaks = rows_breaks(job, at, base, steps);
		uint64_t assigned = (uint64_t)breaks << 1 | (!base && job.assign_first);

		at.step = base;
		if (moves)
			rows_products(rows, row, job.d, w, at, to, steps, assigned, writes);
	}
}

/* The same if all states of the launch are assigned after the same steps, job.assigned. The loop
 * has no branch that only some threads of a warp take, because the compiler then reads w into
 * registers of each thread. So rows without a step are multiplied, too; the true ones are meanwhile
 * in memory, which only a replay needs. */
template <int C, int R, class Beside>
static __device__ __forceinline__ void
rows_steps(track_synthetic_rows<C, R> &rows, uint32_t row, const struct track_synthetic_job &job,
	   const float *w, struct track_step at, struct track_state to, bool moves, bool there,
	   Beside &beside)
{
	uint32_t products = job.steps + (uint32_t)__popcll(job.assigned) * job.d.load;
	uint64_t assigned = job.assigned;
	uint32_t left = assigned & 1 ? job.d.load : 0, matrix = left ? C * C : 0;

	if (there && !moves)
		rows_store(rows, job.d, to.first, to.stride, row, true);
#pragma unroll 1
	for (uint32_t k = 0; k < products; k++) {
		rows_product(rows, w + matrix);
		beside.go_on();
		if (!left) {
			at.step++;
			assigned >>= 1;
			left = assigned & 1 ? job.d.load : 0;
		} else if (!--left) {
			rows_choose(rows, row, job.d, at, to, there && moves && job.writes && !row);
		}
		matrix = left ? C * C : 0;
	}
	if (there && !moves)
		rows_load(rows, job.d, to.first, to.stride, row, true);
}

static __device__ __forceinline__ struct track_step rows_at(const struct track_synthetic_job &job,
							    uint32_t i, uint32_t parent)
{
	struct track_step at;

	at.seed = job.seed;
	at.iteration = job.iteration;
	at.step = at.phase = 0;
	if (job.first) {
		at.source = job.first_source + parent;
		at.successor = job.successor ? job.successor[i] : i - job.first[parent];
	} else {
		at.source = job.source ? job.source[i] : 0;
		at.successor = job.successor ? job.successor[i] : 0;
	}
	return at;
}

/* The slot of state or parent i. */
static __device__ __forceinline__ uint32_t rows_slot(const struct track_synthetic_job &job,
						     uint32_t i)
{
	return job.slot ? job.slot[i] : i;
}

/* Sets `at` to the step of state i in a round. Returns false if it has none there. */
static __device__ __forceinline__ bool rows_round(const struct track_synthetic_job &job, uint32_t i,
						  uint32_t round, struct track_step &at)
{
	size_t k = (size_t)round * job.path_stride + i;

	if (!job.path_iteration)
		return true;
	at.iteration = job.path_iteration[round];
	at.successor = job.successor[k];
	if (at.successor == TRACK_NO_STEP)
		return false;
	at.source = job.source[k];
	return true;
}

/* Processes the states of a block from state `first` on, with `threads` threads each. */
template <int C, int R, class Matrices>
static __device__ __forceinline__ void rows_run(const struct track_synthetic_job &job, Matrices w,
						uint32_t first, uint32_t threads)
{
	uint32_t number = first + threadIdx.x / threads, part = threadIdx.x & (threads - 1);
	bool there = number < job.count;
	uint32_t i = there ? number : job.count - 1; /* all threads take part in the votes */
	uint32_t parent = job.first ? track_parent_of(job.first, job.each, job.parents, i) : i;
	uint32_t best = UINT32_MAX;
	bool together = rows_together(job.d, w);
	struct track_state state =
		track_state_at(job.states, job.slots, job.layout, rows_slot(job, parent));
	struct track_step at = rows_at(job, i, parent);
	track_synthetic_nothing nothing;
	for (uint32_t turn = 0; turn < job.d.rows; turn += R * threads) {
		uint32_t row = turn + part * R;
		track_synthetic_rows<C, R> rows;

		rows_load(rows, job.d, state.first, state.stride, row, together);
		for (uint32_t round = 0; round < job.rounds; round++) {
			bool moves = rows_round(job, i, round, at);
			rows_steps(rows, row, job, w, at, state, moves, there, nothing);
		}
		best = min(best, rows_rate(rows, row, job.d.rows));
		if (job.writes && there)
			rows_store(rows, job.d, state.first, state.stride, row, together);
	}
	if (!job.rating)
		return;
	best = rows_least(best, threads);
	if (there && !part)
		job.rating[i] = best;
}

template <int C> static __device__ __forceinline__ void rows_matrices(float4 *w, const float *from)
{
	for (uint32_t k = threadIdx.x; k < C * C / 2; k += blockDim.x)
		w[k] = ((const float4 *)from)[k];
	__syncthreads();
}

/* B threads per block, at least M blocks per multiprocessor. */
template <int C, int R, int B, int M>
static __global__ void __launch_bounds__(B, M)
	track_synthetic_run(const __grid_constant__ struct track_synthetic_job job)
{
	SHARED_MEMORY(float4, w);

	rows_matrices<C>(w, job.d.weights);
	rows_run<C, R>(job, w, blockIdx.x * (B / job.threads), job.threads);
}

/* The same for states that are all assigned after the same steps. The last blocks process one row
 * per thread. */
template <int C, int R, int B, int M>
static __global__ void __launch_bounds__(B, M)
	track_synthetic_run_same(const __grid_constant__ struct track_synthetic_job job,
				 const __grid_constant__ track_synthetic_weights<C> weights)
{
	uint32_t states = B / job.threads;

	if (R > 1 && blockIdx.x < job.whole)
		rows_run<C, R>(job, weights.w, blockIdx.x * states, job.threads);
	else
		rows_run<C, 1>(job, weights.w,
			       job.whole * states + (blockIdx.x - job.whole) * (B / job.thin),
			       job.thin);
}

/* ---- replay from other states ---- */

/* The states of a launch start as copies of others. A warp copies what follows their matrices
 * beside the products, in pieces of 512 bytes, and in the end writes the matrices and variables.
 * There are four threads per state, and all states are assigned after the same steps. */
struct track_synthetic_load {
	const unsigned char *from;
	const uint32_t *slot; /* [count] where state i starts */
	uint32_t turns;       /* for each product: copies of four pieces */
};

enum { LOAD_STATES = 8, LOAD_PIECE = 512, LOAD_PIECES = 4 };

/* The copy by one warp. */
struct track_synthetic_copy {
	const unsigned char *from; /* this thread's part of the first piece in slot 0 */
	unsigned char *to;
	size_t bytes;            /* of a state */
	uint32_t source, target; /* slots of state `lane` % LOAD_STATES; target UINT32_MAX: none */
	uint32_t done, all, turns;

	__device__ __forceinline__ void go_on()
	{
#pragma unroll 1
		for (uint32_t k = 0; k < turns && done < all; k++, done++) {
			size_t at = (size_t)(done / (LOAD_STATES / LOAD_PIECES)) * LOAD_PIECE;
			int first = (int)(done % (LOAD_STATES / LOAD_PIECES)) * LOAD_PIECES;
			float4 held[LOAD_PIECES];

#pragma unroll
			for (int j = 0; j < LOAD_PIECES; j++) {
				uint32_t slot = __shfl_sync(UINT32_MAX, source, first + j);
				held[j] = *(const float4 *)(from + slot * bytes + at);
			}
#pragma unroll
			for (int j = 0; j < LOAD_PIECES; j++) {
				uint32_t slot = __shfl_sync(UINT32_MAX, target, first + j);
				if (slot != UINT32_MAX)
					*(float4 *)(to + slot * bytes + at) = held[j];
			}
		}
	}
};

/* `first`: of the warp's states. */
static __device__ __forceinline__ track_synthetic_copy
rows_copy(const struct track_synthetic_job &job, const struct track_synthetic_load &load,
	  uint32_t first)
{
	uint32_t lane = threadIdx.x & 31, i = first + lane % LOAD_STATES;
	size_t bytes = job.layout.unit_bytes, matrix = (size_t)job.d.rows * job.d.columns * 4;
	track_synthetic_copy copy;

	copy.from = load.from + matrix + lane * 16;
	copy.to = (unsigned char *)job.states + matrix + lane * 16;
	copy.bytes = bytes;
	copy.source = load.slot[min(i, job.count - 1)];
	copy.target = i < job.count ? rows_slot(job, i) : UINT32_MAX;
	copy.done = 0;
	copy.all = (uint32_t)((bytes - matrix) / LOAD_PIECE) * (LOAD_STATES / LOAD_PIECES);
	copy.turns = load.turns;
	return copy;
}

/* Stores the variables of all assignments of a path. */
static __device__ __forceinline__ void rows_variables(const struct track_synthetic_job &job,
						      uint32_t i, struct track_step at,
						      struct track_state to)
{
	at.phase = TRACK_ASSIGN;
	for (uint32_t round = 0; round < job.rounds; round++) {
		if (!rows_round(job, i, round, at))
			continue;
		for (at.step = 0; at.step <= job.steps; at.step++) {
			if (job.assigned >> at.step & 1) {
				struct philox4 v = track_random_block(&at, 0);
				track_synthetic_store_variable(&job.d, to, &v);
			}
		}
	}
}

template <int C, int R, int B, int M>
static __global__ void __launch_bounds__(B, M)
	track_synthetic_replay_from(const __grid_constant__ struct track_synthetic_job job,
				    const __grid_constant__ struct track_synthetic_load load,
				    const __grid_constant__ track_synthetic_weights<C> weights)
{
	uint32_t number = (blockIdx.x * B + threadIdx.x) / 4, row = (threadIdx.x & 3) * R;
	bool there = number < job.count;
	uint32_t i = there ? number : job.count - 1;
	struct track_state from =
		track_state_at((void *)load.from, job.slots, job.layout, load.slot[i]);
	struct track_state to =
		track_state_at(job.states, job.slots, job.layout, rows_slot(job, i));
	struct track_step at = rows_at(job, i, i);
	track_synthetic_copy copy =
		rows_copy(job, load, (blockIdx.x * B + threadIdx.x) / 32 * LOAD_STATES);
	track_synthetic_rows<C, R> rows;

	rows_load(rows, job.d, from.first, from.stride, row, true);
	for (uint32_t round = 0; round < job.rounds; round++) {
		bool moves = rows_round(job, i, round, at);
		rows_steps(rows, row, job, weights.w, at, to, moves, there, copy);
	}
	if (there)
		rows_store(rows, job.d, to.first, to.stride, row, true);
	__syncwarp(); /* variables follow the copy */
	if (there && !row)
		rows_variables(job, i, at, to);
}

/* ---- one line of Algorithm 2 ---- */

struct track_synthetic_line {
	struct track_synthetic d;
	struct track_batch b;
	uint32_t threads; /* T */
	bool assign;      /* line 12, else line 7 */
};

/* Sets the bits of states that now wait. All threads of the warp take part. */
static __device__ __forceinline__ void line_wait(const struct track_batch &b, uint32_t i,
						 bool waits)
{
	uint32_t all = __ballot_sync(UINT32_MAX, waits);

	if (waits)
		atomicOr(&b.waiting[i / 32], 1u << (i & 31));
	if (all && !(threadIdx.x & 31))
		atomicAdd(b.waiting_count, (uint32_t)__popc(all));
}

template <int C, int R, int B, int M>
static __global__ void __launch_bounds__(B, M)
	track_synthetic_step(const __grid_constant__ struct track_synthetic_line line)
{
	SHARED_MEMORY(float4, w);
	const struct track_batch &b = line.b;
	uint32_t number =
		(uint32_t)(((uint64_t)blockIdx.x * blockDim.x + threadIdx.x) / line.threads);
	uint32_t part = threadIdx.x & (line.threads - 1);
	bool there = number < b.count;
	uint32_t i = there ? number : b.count - 1;
	struct track_state s = track_state_at(b.states, b.slots, b.layout, b.slot ? b.slot[i] : i);
	struct track_step at;

	rows_matrices<C>(w, line.d.weights);
	at.seed = b.seed;
	at.iteration = b.iteration;
	at.source = b.source ? b.source[i] : 0;
	at.successor = b.successor ? b.successor[i] : 0;
	at.step = b.step;
	at.phase = line.assign ? TRACK_ASSIGN : TRACK_EXECUTE;
	bool works = there;
	if (b.waiting) {
		bool waits = ld_acquire_gpu(&b.waiting[i / 32]) >> (i & 31) & 1;
		works = there && waits == line.assign;
		if (!line.assign)
			line_wait(b, i, works && !part && track_synthetic_waits(&line.d, &at));
	}
	for (uint32_t row = part * R; works && row < line.d.rows; row += R * line.threads) {
		track_synthetic_rows<C, R> rows;

		rows_load(rows, line.d, s.first, s.stride, row, rows_together(line.d));
#pragma unroll 1
		for (uint32_t k = 0; k < (line.assign ? line.d.load : 1); k++)
			rows_product(rows, w + (line.assign ? C * C / 4 : 0));
		if (line.assign)
			rows_choose(rows, row, line.d, at, s, !row);
		rows_store(rows, line.d, s.first, s.stride, row, rows_together(line.d));
	}
}

/* ---- Algorithm 2 in one launch ---- */

/* A block owns a range of states and makes all their steps. Only the number of waiting states
 * crosses blocks: a barrier of the grid follows every step, and then each block decides by itself
 * as line 8 does. In one turn a state is assigned, if its step before was the last of an inner
 * loop, and makes its next step, so it is loaded and stored once. Turns go through the range
 * forwards and backwards alternately, because the caches hold what was stored last. */

/* States of a range that are listed at once. Fewer on sim, so that ranges of tests need several
 * lists. */
#if defined(COPRA_SIM)
enum { LISTED = 64 };
#else
enum { LISTED = 1024 };
#endif

struct track_synthetic_together {
	struct track_synthetic d;
	/* waiting_count[s]: states that wait since step s; 0 before the launch */
	struct track_batch b;
	uint32_t steps;
	bool assign_first;
	uint64_t enough; /* waiting states that end the inner loop */
	struct track_together *done;
	uint32_t threads; /* T */
	/* where states are before the first turn, if staged; NULL: in their slots */
	const void *from;
	const uint32_t *from_slot; /* of each state; NULL: its number */
	uint32_t *rating;          /* of each state, if staged */
};

/* The states that take part in a turn. Those that are assigned are listed from the front, those
 * that only make a step from the end, so that few warps have both. */
struct track_synthetic_list {
	uint32_t assigned, others;
	uint16_t state[LISTED];
};

static __device__ __forceinline__ struct track_step
together_at(const struct track_batch &b, uint32_t i, uint32_t step, uint32_t phase)
{
	return { b.seed, b.iteration, b.source ? b.source[i] : 0, b.successor ? b.successor[i] : 0,
		 step,   phase };
}

/* Lists the states of words from .. to - 1 of the bits for the turn of `step` (job.steps: only
 * assignments), and sets the bits to those after it. `left`: the inner loop was left before.
 * Returns the number of states of this warp that wait since this turn. All threads of the block
 * call it. */
static __device__ __forceinline__ uint32_t together_list(const struct track_synthetic_together &job,
							 track_synthetic_list *list, uint32_t from,
							 uint32_t to, uint32_t step, bool left)
{
	uint32_t lane = threadIdx.x & 31, below = (1u << lane) - 1, fresh = 0;

	__syncthreads(); /* the list has been used */
	if (threadIdx.x == 0)
		list->assigned = list->others = 0;
	__syncthreads();
	for (uint32_t word = from + threadIdx.x / 32; word < to; word += blockDim.x / 32) {
		uint32_t i = word * 32 + lane, front = 0, back = 0;
		uint32_t bits = step ? job.b.waiting[word] : job.assign_first ? UINT32_MAX : 0;
		bool waits = bits >> lane & 1, there = i < job.b.count;
		bool assigned = there && left && waits;
		bool executed = there && step < job.steps && (left || !waits);
		bool now = false;

		if (executed) {
			struct track_step at = together_at(job.b, i, step, TRACK_EXECUTE);
			now = track_synthetic_waits(&job.d, &at);
		}
		uint32_t waiting = __ballot_sync(UINT32_MAX, now);
		uint32_t first = __ballot_sync(UINT32_MAX, assigned);
		uint32_t other = __ballot_sync(UINT32_MAX, executed && !assigned);
		if (lane == 0) {
			job.b.waiting[word] = left ? waiting : bits | waiting;
			front = atomicAdd(&list->assigned, (uint32_t)__popc(first));
			back = atomicAdd(&list->others, (uint32_t)__popc(other));
		}
		front = __shfl_sync(UINT32_MAX, front, 0) + (uint32_t)__popc(first & below);
		back = __shfl_sync(UINT32_MAX, back, 0) + (uint32_t)__popc(other & below);
		if (assigned)
			list->state[front] = (uint16_t)(i - from * 32);
		else if (executed)
			list->state[LISTED - 1 - back] = (uint16_t)(i - from * 32);
		fresh += (uint32_t)__popc(waiting);
	}
	__syncthreads();
	return fresh;
}

/* States are loaded and stored by the threads that multiply them. */
struct track_synthetic_no_stage {
};

/* Lines 12 and 7 for the states of a list, whose first word of bits is `from`. */
template <int C, int R>
static __device__ __forceinline__ void
together_work(const struct track_synthetic_together &job, const track_synthetic_list *list,
	      const float4 *w, uint32_t from, uint32_t step, bool backwards,
	      struct track_synthetic_no_stage)
{
	const struct track_batch &b = job.b;
	uint32_t part = threadIdx.x & (job.threads - 1), assigned = list->assigned;
	uint32_t listed = assigned + list->others;
	bool together = rows_together(job.d, w);

	for (uint32_t k = threadIdx.x / job.threads; k < listed; k += blockDim.x / job.threads) {
		uint32_t at_k = backwards ? listed - 1 - k : k;
		bool assign = at_k < assigned;
		uint32_t i =
			from * 32 + list->state[assign ? at_k : LISTED - 1 - (at_k - assigned)];
		struct track_state s =
			track_state_at(b.states, b.slots, b.layout, b.slot ? b.slot[i] : i);
		struct track_step at = together_at(b, i, step, TRACK_ASSIGN);

		for (uint32_t row = part * R; row < job.d.rows; row += R * job.threads) {
			track_synthetic_rows<C, R> rows;

			rows_load(rows, job.d, s.first, s.stride, row, together);
			rows_products(rows, row, job.d, w, at, s, step < job.steps, assign, !row);
			rows_store(rows, job.d, s.first, s.stride, row, together);
		}
	}
}

/* 0, but the compiler does not move what depends on it out of a loop: a matrix does not fit into
 * registers. */
static __device__ __forceinline__ uint32_t zero_here(void)
{
	uint32_t zero = 0;

#if defined(__CUDA_ARCH__)
	asm volatile("mov.u32 %0, 0;" : "=r"(zero));
#endif
	return zero;
}

/* The same with the matrices in constant memory: all states of a warp are assigned, or none. */
template <int C, int R>
static __device__ __forceinline__ void
together_work(const struct track_synthetic_together &job, const track_synthetic_list *list,
	      const float *w, uint32_t from, uint32_t step, bool backwards,
	      struct track_synthetic_no_stage)
{
	const struct track_batch &b = job.b;
	uint32_t part = threadIdx.x & (job.threads - 1), each = 32 / job.threads;
	uint32_t assigned = list->assigned, others = list->others;
	bool together = rows_together(job.d, w);
	uint32_t first = (assigned + each - 1) / each, groups = first + (others + each - 1) / each;

	for (uint32_t g = threadIdx.x / 32; g < groups; g += blockDim.x / 32) {
		uint32_t group = backwards ? groups - 1 - g : g;
		bool assign = group < first;
		uint32_t k =
			(assign ? group : group - first) * each + (threadIdx.x & 31) / job.threads;
		uint32_t last = (assign ? assigned : others) - 1;
		bool there = k <= last;
		uint32_t at_k = min(k, last);
		uint32_t i = from * 32 + list->state[assign ? at_k : LISTED - 1 - at_k];
		struct track_state s =
			track_state_at(b.states, b.slots, b.layout, b.slot ? b.slot[i] : i);
		struct track_step at = together_at(b, i, step, TRACK_ASSIGN);

		for (uint32_t row = part * R; row < job.d.rows; row += R * job.threads) {
			track_synthetic_rows<C, R> rows;

			rows_load(rows, job.d, s.first, s.stride, row, together);
			if (assign) {
#pragma unroll 1
				for (uint32_t p = 0; p < job.d.load; p++)
					rows_product(rows, w + C * C + zero_here());
				rows_choose(rows, row, job.d, at, s, there && !row);
			}
			if (step < job.steps)
				rows_product(rows, w + zero_here());
			if (there)
				rows_store(rows, job.d, s.first, s.stride, row, together);
		}
	}
}

/* The same for states of 4 R rows, with rows through shared memory: the warp copies its states as
 * they are, each load or store 512 bytes, and the next ones while it multiplies. A thread that
 * loads its own rows would touch a line of its own each time. */
template <int C, int R> struct track_synthetic_stage {
	static_assert(R * C == 64, "16 elements a thread");
	float4 in[32 * 16], out[32 * 16];
};

/* Element c of a stage is at c ^ (c / 16 & 7), so that eight threads that access their x-th
 * elements use different banks. This is for element x of a thread, and for element `lane` of 32
 * neighbours. */
static __device__ __forceinline__ uint32_t stage_own(uint32_t lane, uint32_t x)
{
	return 16 * lane + (x & 8) + ((x ^ lane) & 7);
}

static __device__ __forceinline__ uint32_t stage_copied(uint32_t block, uint32_t lane)
{
	return 32 * block + (lane ^ lane >> 4 ^ (2 * block & 7));
}

/* The states that a warp works on together. */
struct track_synthetic_group {
	bool assign, there; /* there: this thread has rows of a state of its own */
	uint32_t i, slot;   /* the state of this thread */
	uint32_t from_slot; /* where it is before this turn */
	uint32_t states;
};

static __device__ __forceinline__ struct track_synthetic_group
together_group(const struct track_synthetic_together &job, const track_synthetic_list *list,
	       uint32_t from, uint32_t group, uint32_t first, bool moved)
{
	struct track_synthetic_group g;
	uint32_t each = 32 / job.threads, lane = threadIdx.x & 31;

	g.assign = group < first;
	uint32_t k = (g.assign ? group : group - first) * each;
	uint32_t end = g.assign ? list->assigned : list->others;
	g.states = min(each, end - k);
	g.there = lane / job.threads < g.states;
	k += min(lane / job.threads, g.states - 1);
	g.i = from * 32 + list->state[g.assign ? k : LISTED - 1 - k];
	g.slot = job.b.slot ? job.b.slot[g.i] : g.i;
	g.from_slot = !moved ? g.slot : job.from_slot ? job.from_slot[g.i] : g.i;
	return g;
}

/* The rows of state s of the group, where `slot` is the slot of each thread's state. */
static __device__ __forceinline__ float4 *group_state(const struct track_synthetic_together &job,
						      const void *states, uint32_t slot, uint32_t s)
{
	slot = __shfl_sync(UINT32_MAX, slot, (int)(4 * s));
	return (float4 *)((char *)states + (size_t)slot * job.b.layout.unit_bytes);
}

template <int C, int R>
static __device__ __forceinline__ void
stage_fetch(track_synthetic_stage<C, R> *stage, const struct track_synthetic_together &job,
	    const struct track_synthetic_group &g, const void *from)
{
	uint32_t lane = threadIdx.x & 31;

#pragma unroll
	for (uint32_t s = 0; s < 8; s++) {
		const float4 *state = group_state(job, from, g.from_slot, s);
#pragma unroll
		for (uint32_t half = 0; half < 2; half++)
			copy_async_16(&stage->in[stage_copied(2 * s + half, lane)],
				      &state[32 * half + lane]);
	}
	copy_async_commit();
}

template <int C, int R>
static __device__ __forceinline__ void
stage_store(track_synthetic_stage<C, R> *stage, const track_synthetic_rows<C, R> &rows,
	    const struct track_synthetic_together &job, const struct track_synthetic_group &g)
{
	uint32_t lane = threadIdx.x & 31;

#pragma unroll
	for (uint32_t x = 0; x < 16; x++)
		stage->out[stage_own(lane, x)] = vector_of(&rows.x[4 * x / C][4 * x % C]);
	__syncwarp();
#pragma unroll
	for (uint32_t s = 0; s < 8; s++) {
		float4 *state = group_state(job, job.b.states, g.slot, s);
#pragma unroll
		for (uint32_t half = 0; half < 2; half++) {
			if (s < g.states)
				state[32 * half + lane] =
					stage->out[stage_copied(2 * s + half, lane)];
		}
	}
}

template <int C, int R>
static __device__ __forceinline__ void
together_work(const struct track_synthetic_together &job, const track_synthetic_list *list,
	      const float *w, uint32_t from, uint32_t step, bool backwards,
	      track_synthetic_stage<C, R> *stage)
{
	uint32_t lane = threadIdx.x & 31, warps = blockDim.x / 32;
	uint32_t first = (list->assigned + 7) / 8, groups = first + (list->others + 7) / 8;
	uint32_t g = threadIdx.x / 32;
	bool moved = step == 0 && job.from;
	const void *source = moved ? job.from : job.b.states;
	struct track_synthetic_group now, next;

	if (g < groups) {
		next = together_group(job, list, from, backwards ? groups - 1 - g : g, first,
				      moved);
		stage_fetch(stage, job, next, source);
	}
	for (; g < groups; g += warps) {
		track_synthetic_rows<C, R> rows;

		now = next;
		copy_async_wait<0>();
		__syncwarp();
#pragma unroll
		for (uint32_t x = 0; x < 16; x++)
			set_vector(&rows.x[4 * x / C][4 * x % C], stage->in[stage_own(lane, x)]);
		__syncwarp();
		if (g + warps < groups) {
			uint32_t after = g + warps;
			next = together_group(job, list, from,
					      backwards ? groups - 1 - after : after, first, moved);
			stage_fetch(stage, job, next, source);
		}
		if (now.assign) {
			struct track_step at = together_at(job.b, now.i, step, TRACK_ASSIGN);
			struct track_state s =
				track_state_at(job.b.states, job.b.slots, job.b.layout, now.slot);
			uint32_t row = (lane & 3) * R;
#pragma unroll 1
			for (uint32_t p = 0; p < job.d.load; p++)
				rows_product(rows, w + C * C + zero_here());
			rows_choose(rows, row, job.d, at, s, now.there && !row);
		}
		if (step < job.steps)
			rows_product(rows, w + zero_here());
		/* those that wait are rated again in the last turn */
		if (step + 1 >= job.steps) {
			uint32_t best = rows_least(rows_rate(rows, 0, R), 4);

			if (now.there && !(lane & 3))
				job.rating[now.i] = best;
		}
		stage_store(stage, rows, job, now);
	}
}

/* A turn of the states of this block. Returns what together_list does, for the whole range. */
template <int C, int R, class Matrices, class Stage>
static __device__ __forceinline__ uint32_t together_turn(const struct track_synthetic_together &job,
							 track_synthetic_list *list, Matrices w,
							 uint32_t step, bool left, Stage stage)
{
	const uint32_t each = LISTED / 32;
	uint64_t words = (job.b.count + 31ull) / 32;
	uint32_t from = (uint32_t)(words * blockIdx.x / gridDim.x);
	uint32_t to = (uint32_t)(words * (blockIdx.x + 1) / gridDim.x);
	uint32_t lists = (to - from + each - 1) / each, fresh = 0;

	for (uint32_t l = 0; l < lists; l++) {
		uint32_t first = from + (step & 1 ? lists - 1 - l : l) * each;

		fresh += together_list(job, list, first, min(to, first + each), step, left);
		together_work<C, R>(job, list, w, first, step, step & 1, stage);
	}
	return fresh;
}

template <int C, int R, class Matrices, class Stage>
static __device__ __forceinline__ void together_run(const struct track_synthetic_together &job,
						    track_synthetic_list *list, Matrices w,
						    Stage stage)
{
	struct track_together done = { 0, job.assign_first ? job.b.count : 0, 0 };
	uint32_t waiting = 0;
	bool left = true;

	for (uint32_t step = 0;; step++) {
		uint32_t fresh = together_turn<C, R>(job, list, w, step, left, stage);

		if (step == job.steps)
			break;
		if (fresh && !(threadIdx.x & 31))
			atomicAdd(&job.b.waiting_count[step], fresh);
		grid_sync();
		if (left)
			waiting = 0;
		done.executions += job.b.count - waiting;
		waiting += ld_acquire_gpu(&job.b.waiting_count[step]);
		left = waiting >= job.enough || step + 1 == job.steps;
		done.breaks += left;
		done.assignments += left ? waiting : 0;
	}
	if (blockIdx.x == 0 && threadIdx.x == 0)
		*job.done = done;
}

template <int C, int R, int B, int M>
static __global__ void __launch_bounds__(B, M)
	track_synthetic_algorithm2(const __grid_constant__ struct track_synthetic_together job)
{
	SHARED_MEMORY(float4, w);

	rows_matrices<C>(w, job.d.weights);
	together_run<C, R>(job, (track_synthetic_list *)(w + C * C / 2), (const float4 *)w,
			   track_synthetic_no_stage());
}

template <int C, int R, int B, int M>
static __global__ void __launch_bounds__(B, M)
	track_synthetic_algorithm2_same(const __grid_constant__ struct track_synthetic_together job,
					const __grid_constant__ track_synthetic_weights<C> weights)
{
	SHARED_MEMORY(track_synthetic_list, list);

	together_run<C, R>(job, list, weights.w, track_synthetic_no_stage());
}

template <int C, int R, int B, int M>
static __global__ void __launch_bounds__(B, M) track_synthetic_algorithm2_staged(
	const __grid_constant__ struct track_synthetic_together job,
	const __grid_constant__ track_synthetic_weights<C> weights)
{
	typedef track_synthetic_stage<C, R> stage;
	SHARED_MEMORY(stage, stages);

	together_run<C, R>(job, (track_synthetic_list *)(stages + B / 32), weights.w,
			   stages + threadIdx.x / 32);
}

/* ---- one thread per state ---- */

TRACK_DOMAIN_TYPE(track_synthetic)

typedef track_kernels<track_synthetic_domain> plain;

template <class W> static __device__ __forceinline__ W *unit_of(track_state s, uint32_t unit)
{
	return (W *)(s.first + unit * s.stride);
}

/* The product X <- X w in memory, row by row, in units of one word: one element after the other. */
template <int C> struct by_elements {
	enum { COLUMNS = C };
	static __device__ __forceinline__ void product(uint32_t rows, track_state s, const float *w)
	{
		for (uint32_t first = 0; first < rows * C; first += C) {
			float x[C];

#pragma unroll
			for (int k = 0; k < C; k++)
				x[k] = *unit_of<float>(s, first + k);
			for (int j = 0; j < C; j++) {
				float sum = x[0] * w[j];

#pragma unroll
				for (int k = 1; k < C; k++)
					sum = fmaf(x[k], w[k * C + j], sum);
				*unit_of<float>(s, first + j) = sum;
			}
		}
	}
};

/* All elements of a row together: their sums do not wait for each other, and no store stands
 * between the loads. */
template <int C> struct by_sums {
	enum { COLUMNS = C };
	static __device__ __forceinline__ void product(uint32_t rows, track_state s, const float *w)
	{
		for (uint32_t first = 0; first < rows * C; first += C) {
			float x[C], sum[C];

#pragma unroll
			for (int k = 0; k < C; k++)
				x[k] = *unit_of<float>(s, first + k);
#pragma unroll
			for (int k = 0; k < C; k++) {
#pragma unroll
				for (int j = 0; j < C; j++)
					sum[j] = k ? fmaf(x[k], w[k * C + j], sum[j]) : x[0] * w[j];
			}
#pragma unroll
			for (int j = 0; j < C; j++)
				*unit_of<float>(s, first + j) = sum[j];
		}
	}
};

/* The same in units of 16 bytes. */
template <int C> struct by_vectors {
	enum { COLUMNS = C };
	static __device__ __forceinline__ void product(uint32_t rows, track_state s, const float *w)
	{
		for (uint32_t first = 0; first < rows * C / 4; first += C / 4) {
			track_synthetic_rows<C, 1> row;

#pragma unroll
			for (int k = 0; k < C / 4; k++)
				set_vector(&row.x[0][4 * k], *unit_of<float4>(s, first + k));
			rows_product(row, (const float4 *)w);
#pragma unroll
			for (int j = 0; j < C / 4; j++)
				*unit_of<float4>(s, first + j) = vector_of(&row.x[0][4 * j]);
		}
	}
};

/* The domain with a product of a number of columns that is known when it is compiled. */
template <class P> struct sized_domain : track_synthetic_domain {
	static __device__ __forceinline__ int execute(const parameters *d, track_state s,
						      const track_step *at)
	{
		P::product(d->rows, s, d->weights);
		return track_synthetic_waits(d, at);
	}
	static __device__ __forceinline__ void assign(const parameters *d, track_state s,
						      const track_step *at)
	{
		for (uint32_t i = 0; i < d->load; i++)
			P::product(d->rows, s, d->weights + P::COLUMNS * P::COLUMNS);
		track_synthetic_choose(d, s, at);
	}
};

template <class D> static const struct track_ops *ops_of(void)
{
	typedef track_kernels<D> k;
	static const struct track_ops ops = { k::execute, k::assign,  plain::rate, plain::expand,
					      NULL,       k::advance, k::replay,   NULL,
					      NULL,       NULL };

	return &ops;
}

template <int C> static const struct track_ops *sized_ops(const struct track_synthetic &d)
{
	if (d.unit_shift == 2 && d.form == TRACK_SYNTHETIC_VECTORS)
		return ops_of<sized_domain<by_vectors<C>>>();
	if (d.unit_shift == 0 && d.form == TRACK_SYNTHETIC_SUMS)
		return ops_of<sized_domain<by_sums<C>>>();
	if (d.unit_shift == 0)
		return ops_of<sized_domain<by_elements<C>>>();
	return ops_of<track_synthetic_domain>();
}

/* Other numbers of columns and other units have the plain loops of synthetic.h. */
static const struct track_ops *ops_for(const void *parameters)
{
	const struct track_synthetic &d = plain::of(parameters);

	switch (d.columns) {
	case 8:
		return sized_ops<8>(d);
	case 12:
		return sized_ops<12>(d);
	case 16:
		return sized_ops<16>(d);
	case 24:
		return sized_ops<24>(d);
	case 32:
		return sized_ops<32>(d);
	default:
		return ops_of<track_synthetic_domain>();
	}
}

static int plain_execute(struct track_place *p, const void *d, const struct track_batch *b,
			 struct err *e)
{
	return ops_for(d)->execute(p, d, b, e);
}

static int plain_assign(struct track_place *p, const void *d, const struct track_batch *b,
			struct err *e)
{
	return ops_for(d)->assign(p, d, b, e);
}

static int plain_advance(struct track_place *p, const void *d, const struct track_batch *b,
			 uint32_t steps, uint32_t flags, struct err *e)
{
	return ops_for(d)->advance(p, d, b, steps, flags, e);
}

static int plain_replay(struct track_place *p, const void *d, const struct track_batch *b,
			const struct track_path *path, uint32_t steps, uint32_t flags,
			struct err *e)
{
	return ops_for(d)->replay(p, d, b, path, steps, flags, e);
}

extern "C" const struct track_ops BACKEND_SYMBOL(track_synthetic_ops) DEV_TABLE = {
	plain_execute, plain_assign, plain::rate, plain::expand, plain::successors,
	plain_advance, plain_replay, NULL,        NULL,          NULL
};

/* ---- launches of rows in registers ---- */

enum { BLOCK = 128 };

/* Threads per state: a power of two, at most a warp. */
static uint32_t threads_for(uint32_t rows, uint32_t rows_of_thread)
{
	uint32_t threads = 1;

	while (threads < 32 && threads * rows_of_thread < rows)
		threads *= 2;
	return threads;
}

static unsigned blocks_for(uint32_t count, uint32_t threads)
{
	return (unsigned)(((uint64_t)count * threads + BLOCK - 1) / BLOCK);
}

/* With fewer threads than this, R rows per thread leave most of the device idle: one row per thread
 * is used. Smaller on sim, so that tests use both. */
#if defined(COPRA_SIM)
enum { FEW = 100 };
#else
enum { FEW = 8192 };
#endif

/* Sets job->assigned and returns true if all states are assigned after the same steps and their
 * rows follow each other. */
static bool same_steps(struct track_synthetic_job *job)
{
	uint32_t steps = job->steps;

	if (steps > 32 || !rows_together(job->d) ||
	    (job->ask && steps && !(job->assign_last && steps == 1)))
		return false;
	job->assigned = (uint64_t)(steps ? job->breaks & (UINT32_MAX >> (32 - steps)) : 0) << 1;
	if (job->assign_first && steps)
		job->assigned |= 1;
	if (job->assign_last && steps)
		job->assigned |= UINT64_C(1) << steps;
	return true;
}

template <int C> static track_synthetic_weights<C> weights_of(const struct track_synthetic &d)
{
	track_synthetic_weights<C> weights;

	memcpy(weights.w, d.host_weights, sizeof(weights.w));
	return weights;
}

/* How many blocks of a launch have R rows per thread, and the time that all take. The unit is an
 * eighth of the time of a block on a multiprocessor that has enough others. */
struct track_synthetic_plan {
	uint32_t whole;
	uint64_t time;
};

static uint32_t states_of(uint32_t blocks, uint32_t threads, uint32_t count)
{
	return (uint32_t)min((uint64_t)blocks * (BLOCK / threads), (uint64_t)count);
}

/* After full rounds of `resident` blocks on each multiprocessor, the rest is processed in the same
 * way or with one row per thread, whichever takes less. Alone on a multiprocessor, a block takes as
 * long as two that share it. A block with one row per thread takes 3/8 of the time (425 instead of
 * 1,154 instructions for a product of 16 columns; 8 and 12 columns are taken for the same). Alone,
 * it takes nearly as long as three such blocks, so at least 8 eighths are counted. */
static struct track_synthetic_plan plan_for(const struct track_place *p,
					    const struct track_synthetic_job *job,
					    uint32_t rows_of_thread, uint32_t resident)
{
	uint32_t threads = threads_for(job->d.rows, rows_of_thread);
	uint32_t thin = threads_for(job->d.rows, 1);
	uint32_t blocks = blocks_for(job->count, threads), n = p->processors;
	uint32_t full = blocks / (n * resident) * n * resident;
	uint32_t rest = job->count - states_of(full, threads, job->count);
	uint64_t time = (uint64_t)full / n * 8;
	uint32_t fat_end = 8 * max(2u, (blocks - full + n - 1) / n);
	uint32_t thin_end = max(8u, 3 * ((blocks_for(rest, thin) + n - 1) / n));

	if (!rest)
		return { full, time };
	if (full && thin_end < fat_end && job->d.rows <= thin)
		return { full, time + thin_end };
	return { blocks, time + fat_end };
}

template <int C, int R, int M>
static int launch_same(struct track_place *p, struct track_synthetic_job *job, uint32_t whole,
		       struct err *e)
{
	uint32_t rest;

	job->threads = threads_for(job->d.rows, R);
	job->thin = threads_for(job->d.rows, 1);
	job->whole = whole;
	rest = job->count - states_of(whole, job->threads, job->count);
	return LAUNCH(e, (track_synthetic_run_same<C, R, BLOCK, M>),
		      whole + blocks_for(rest, job->thin), BLOCK, 0, p->stream, *job,
		      weights_of<C>(job->d));
}

static bool many(const struct track_synthetic_job *job, uint32_t rows_of_thread)
{
	return (uint64_t)job->count * threads_for(job->d.rows, rows_of_thread) > FEW;
}

/* Rows per thread and blocks per multiprocessor for each number of columns, as measured on an H200:
 * 2 R C registers for the rows before and after, and enough others to read the matrix ahead. */
template <int C, int R, int M>
static int launch_job(struct track_place *p, struct track_synthetic_job *job, struct err *e)
{
	size_t shared = 2 * C * C * sizeof(float);

	job->threads = threads_for(job->d.rows, R);
	if (job->d.form == TRACK_SYNTHETIC_TUNED && many(job, R))
		return LAUNCH(e, (track_synthetic_run<C, R, BLOCK, M>),
			      blocks_for(job->count, job->threads), BLOCK, shared, p->stream, *job);
	job->threads = job->d.form == TRACK_SYNTHETIC_REGISTERS ? 1 : threads_for(job->d.rows, 1);
	return LAUNCH(e, (track_synthetic_run<C, 1, BLOCK, 4>),
		      blocks_for(job->count, job->threads), BLOCK, shared, p->stream, *job);
}

/* The same with both matrices in constant memory, if they fit into its cache of 2 KiB: no registers
 * for the matrix. There are S blocks per multiprocessor or, with fewer registers and some words in
 * memory, F. */
template <int C, int R, int M, int S, int F>
static int launch_small(struct track_place *p, struct track_synthetic_job *job, struct err *e)
{
	struct track_synthetic_plan some, more;

	if (job->d.form != TRACK_SYNTHETIC_TUNED || !same_steps(job))
		return launch_job<C, R, M>(p, job, e);
	if (!many(job, R))
		return launch_same<C, 1, 4>(p, job, 0, e);
	some = plan_for(p, job, R, S);
	more = plan_for(p, job, R, F);
	return some.time <= more.time ? launch_same<C, R, S>(p, job, some.whole, e) :
					launch_same<C, R, F>(p, job, more.whole, e);
}

static int no_rows(uint32_t columns, struct err *e)
{
	return err_set(e, ERR_UNSUPPORTED, "no kernel for rows of %u columns in registers",
		       columns);
}

static int run(struct track_place *p, struct track_synthetic_job *job, struct err *e)
{
	switch (job->d.columns) {
	case 8:
		return launch_small<8, 4, 4, 5, 5>(p, job, e);
	case 12:
		return launch_small<12, 6, 2, 3, 3>(p, job, e);
	case 16:
		return launch_small<16, 4, 2, 3, 4>(p, job, e);
	case 24:
		return launch_job<24, 3, 2>(p, job, e);
	case 32:
		return launch_job<32, 2, 2>(p, job, e);
	default:
		return no_rows(job->d.columns, e);
	}
}

template <int C, int R, int M>
static int launch_line(struct track_place *p, struct track_synthetic_line *line, struct err *e)
{
	line->threads = threads_for(line->d.rows, R);
	return LAUNCH(e, (track_synthetic_step<C, R, BLOCK, M>),
		      blocks_for(line->b.count, line->threads), BLOCK, 2 * C * C * sizeof(float),
		      p->stream, *line);
}

static int step(struct track_place *p, const struct track_synthetic &d, const struct track_batch *b,
		bool assign, struct err *e)
{
	struct track_synthetic_line line = { d, *b, 0, assign };

	if (!b->count)
		return 0;
	switch (d.columns) {
	case 8:
		return launch_line<8, 4, 4>(p, &line, e);
	case 12:
		return launch_line<12, 6, 2>(p, &line, e);
	case 16:
		return launch_line<16, 4, 2>(p, &line, e);
	case 24:
		return launch_line<24, 3, 2>(p, &line, e);
	case 32:
		return launch_line<32, 2, 2>(p, &line, e);
	default:
		return no_rows(d.columns, e);
	}
}

static int execute(struct track_place *p, const void *d, const struct track_batch *b, struct err *e)
{
	return step(p, plain::of(d), b, false, e);
}

static int assign(struct track_place *p, const void *d, const struct track_batch *b, struct err *e)
{
	return step(p, plain::of(d), b, true, e);
}

/* The fewest waiting states that are more than a share F of all, computed as line by line. If all
 * are not more, there is no such number, and the result is one more than all. */
static uint64_t enough(double fill_rate, uint32_t states)
{
	uint64_t low = 0, high = states + UINT64_C(1);

	while (low < high) {
		uint64_t middle = (low + high) / 2;

		if ((double)middle / (double)states > fill_rate)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* A block for each word of bits, but no more than are resident at once. */
static unsigned blocks_together(const struct track_synthetic_together *job, int resident)
{
	uint64_t words = (job->b.count + UINT64_C(31)) / 32;

	return words < (uint64_t)resident ? (unsigned)words : (unsigned)resident;
}

template <int C, int R, int M>
static int launch_together(struct track_place *p, struct track_synthetic_together *job,
			   struct err *e)
{
	size_t shared = 2 * C * C * sizeof(float) + sizeof(track_synthetic_list);
	int resident;
	int status = GPU_RESIDENT(e, &resident, (track_synthetic_algorithm2<C, R, BLOCK, M>), BLOCK,
				  shared, p->stream);

	if (status)
		return status;
	job->threads = threads_for(job->d.rows, R);
	return LAUNCH_COOPERATIVE(e, (track_synthetic_algorithm2<C, R, BLOCK, M>),
				  blocks_together(job, resident), BLOCK, shared, p->stream, *job);
}

/* The same with both matrices in constant memory. */
template <int C, int R, int M>
static int launch_together_same(struct track_place *p, struct track_synthetic_together *job,
				struct err *e)
{
	size_t shared = sizeof(track_synthetic_list);
	int resident;
	int status = GPU_RESIDENT(e, &resident, (track_synthetic_algorithm2_same<C, R, BLOCK, M>),
				  BLOCK, shared, p->stream);

	if (status)
		return status;
	job->threads = threads_for(job->d.rows, R);
	return LAUNCH_COOPERATIVE(e, (track_synthetic_algorithm2_same<C, R, BLOCK, M>),
				  blocks_together(job, resident), BLOCK, shared, p->stream, *job,
				  weights_of<C>(job->d));
}

/* The same with states of 4 R rows staged in shared memory. */
template <int C, int R, int M>
static int launch_together_staged(struct track_place *p, struct track_synthetic_together *job,
				  size_t shared, struct err *e)
{
	int resident, status;

	job->threads = 4;
	GPU_KERNEL_MAX_SHARED((track_synthetic_algorithm2_staged<C, R, BLOCK, M>), shared);
	status = GPU_RESIDENT(e, &resident, (track_synthetic_algorithm2_staged<C, R, BLOCK, M>),
			      BLOCK, shared, p->stream);
	if (status)
		return status;
	return LAUNCH_COOPERATIVE(e, (track_synthetic_algorithm2_staged<C, R, BLOCK, M>),
				  blocks_together(job, resident), BLOCK, shared, p->stream, *job,
				  weights_of<C>(job->d));
}

template <int C, int R, int M, int S>
static int launch_together_small(struct track_place *p, struct track_synthetic_together *job,
				 struct err *e)
{
	return rows_together(job->d) ? launch_together_same<C, R, S>(p, job, e) :
				       launch_together<C, R, M>(p, job, e);
}

/* The bytes of shared memory for states of 16 x 16 that are staged; 0: they are not. */
static size_t bytes_staged(const struct track_place *p, const struct track_synthetic &d)
{
	const size_t bytes =
		BLOCK / 32 * sizeof(track_synthetic_stage<16, 4>) + sizeof(track_synthetic_list);

	return d.columns == 16 && d.rows == 16 && rows_together(d) && bytes <= p->shared ? bytes :
											   0;
}

/* Whether staged states can be read from elsewhere in the first turn: they are matrices alone. */
static bool moves_staged(const struct track_gather *g, const struct track_synthetic &d)
{
	return g->sources == 1 && g->from_repeat <= 1 &&
	       g->layout.unit_bytes == (size_t)d.rows * d.columns * sizeof(float);
}

/* In launches of other kernels, states are in place and not rated. */
static int launch_together_rows(struct track_place *p, struct track_synthetic_together *job,
				struct err *e)
{
	switch (job->d.columns) {
	case 8:
		return launch_together_small<8, 4, 4, 4>(p, job, e);
	case 12:
		return launch_together_small<12, 6, 2, 2>(p, job, e);
	case 16:
		return launch_together_small<16, 4, 2, 3>(p, job, e);
	case 24:
		return launch_together<24, 3, 2>(p, job, e);
	case 32:
		return launch_together<32, 2, 2>(p, job, e);
	default:
		return no_rows(job->d.columns, e);
	}
}

/* Arguments for one round without steps for the states of a batch. */
static struct track_synthetic_job job_of(const struct track_synthetic &d,
					 const struct track_batch *b)
{
	struct track_synthetic_job job = {};

	job.d = d;
	job.layout = b->layout;
	job.states = b->states;
	job.slots = b->slots;
	job.slot = b->slot;
	job.count = b->count;
	job.source = b->source;
	job.successor = b->successor;
	job.rounds = 1;
	job.iteration = b->iteration;
	job.seed = b->seed;
	job.ask = true;
	return job;
}

static void with_steps(struct track_synthetic_job *job, uint32_t steps, uint32_t flags)
{
	job->steps = steps;
	job->assign_first = flags & TRACK_ASSIGN_FIRST;
	job->assign_last = flags & TRACK_ASSIGN_LAST;
}

static int rate(struct track_place *p, const void *d, const struct track_batch *b, uint32_t *rating,
		struct err *e)
{
	struct track_synthetic_job job = job_of(plain::of(d), b);

	job.rating = rating;
	return b->count ? run(p, &job, e) : 0;
}

static int together(struct track_place *p, const void *d, const struct track_gather *from,
		    const struct track_batch *b, uint32_t steps, uint32_t flags, double fill_rate,
		    uint32_t *rating, struct track_together *done, struct err *e)
{
	struct track_synthetic_together job = {};
	const size_t staged = bytes_staged(p, plain::of(d));
	int status;

	job.d = plain::of(d);
	job.b = *b;
	job.steps = steps;
	job.assign_first = flags & TRACK_ASSIGN_FIRST;
	job.enough = enough(fill_rate, b->count);
	job.done = done;
	job.rating = rating;
	if (from && staged && moves_staged(from, job.d)) {
		job.from = from->from[0];
		job.from_slot = from->from_slot;
	} else if (from && (status = p->common->gather(p, from, e))) {
		return status;
	}
	status = dev_fill(p->stream, b->waiting_count, 0, steps * sizeof(uint32_t), e);
	if (status)
		return status;
	if (staged)
		return launch_together_staged<16, 4, 2>(p, &job, staged, e);
	status = launch_together_rows(p, &job, e);
	return status ? status : rate(p, d, b, rating, e);
}

static int advance(struct track_place *p, const void *d, const struct track_batch *b,
		   uint32_t steps, uint32_t flags, struct err *e)
{
	struct track_synthetic_job job = job_of(plain::of(d), b);

	with_steps(&job, steps, flags);
	job.writes = true;
	return b->count ? run(p, &job, e) : 0;
}

static void with_path(struct track_synthetic_job *job, const struct track_path *path)
{
	job->path_iteration = path->iteration;
	job->source = path->source;
	job->successor = path->successor;
	job->rounds = path->rounds;
	job->path_stride = path->count;
}

static int replay(struct track_place *p, const void *d, const struct track_batch *b,
		  const struct track_path *path, uint32_t steps, uint32_t flags, struct err *e)
{
	struct track_synthetic_job job = job_of(plain::of(d), b);

	with_steps(&job, steps, flags);
	job.writes = true;
	with_path(&job, path);
	return b->count && path->rounds ? run(p, &job, e) : 0;
}

/* Sets load->turns and returns true if the kernel can make the copy and is faster: there are enough
 * products to hide it, and more than two blocks per multiprocessor. */
static bool copies_beside(const struct track_place *p, struct track_synthetic_job *job,
			  const struct track_gather *g, struct track_synthetic_load *load)
{
	enum { MOST_TURNS = 8 };
	const struct track_synthetic &d = job->d;
	size_t rest, turns, products;

	if (d.form != TRACK_SYNTHETIC_TUNED || !same_steps(job) || d.columns != 16 ||
	    d.rows != 16 || !d.load || g->sources != 1 || !g->from_slot || g->from_repeat > 1 ||
	    blocks_for(job->count, 4) <= 2 * p->processors)
		return false;
	rest = job->layout.unit_bytes - (size_t)d.rows * d.columns * 4;
	if (rest % LOAD_PIECE)
		return false;
	products = (size_t)job->rounds *
		   (job->steps + (size_t)__builtin_popcountll(job->assigned) * d.load);
	turns = rest / LOAD_PIECE * (LOAD_STATES / LOAD_PIECES);
	if (turns > MOST_TURNS * products)
		return false;
	load->from = (const unsigned char *)g->from[0];
	load->slot = g->from_slot;
	load->turns = (uint32_t)((turns + products - 1) / products);
	return true;
}

static int replay_from(struct track_place *p, const void *d, const struct track_gather *from,
		       const struct track_batch *b, const struct track_path *path, uint32_t steps,
		       uint32_t flags, struct err *e)
{
	struct track_synthetic_job job = job_of(plain::of(d), b);
	struct track_synthetic_load load;
	int status;

	with_steps(&job, steps, flags);
	with_path(&job, path);
	if (b->count && path->rounds && steps && copies_beside(p, &job, from, &load))
		return LAUNCH(e, (track_synthetic_replay_from<16, 4, BLOCK, 4>),
			      blocks_for(job.count, 4), BLOCK, 0, p->stream, job, load,
			      weights_of<16>(job.d));
	status = p->common->gather(p, from, e);
	return status ? status : replay(p, d, b, path, steps, flags, e);
}

static int rate_children(struct track_place *p, const void *d, const struct track_batch *parents,
			 const struct track_children *c, const uint32_t *successor, uint32_t steps,
			 uint32_t flags, uint32_t breaks, uint32_t *rating, struct err *e)
{
	struct track_synthetic_job job = job_of(plain::of(d), parents);
	int status = track_check_children(c, e);

	if (status || !c->total)
		return status;
	with_steps(&job, steps, flags);
	job.first = c->first;
	job.parents = parents->count;
	job.first_source = c->first_source;
	job.each = c->each;
	job.successor = successor;
	job.count = (uint32_t)c->total;
	job.ask = !(flags & TRACK_ASSIGN_FIXED);
	job.breaks = breaks;
	job.rating = rating;
	return run(p, &job, e);
}

extern "C" const struct track_ops BACKEND_SYMBOL(track_synthetic_rows_ops) DEV_TABLE = {
	execute, assign, rate,          plain::expand, NULL,
	advance, replay, rate_children, together,      replay_from
};
