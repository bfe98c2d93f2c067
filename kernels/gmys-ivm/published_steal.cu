/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Stealing between the IVMs of a device, and between two devices (sections 3.3 and 3.5). */
#include "kernels/gmys-ivm/published.cuh"

static const int BLOCK = 128, WARPS = BLOCK / WARP;
static const int STEAL_BLOCKS = 1056; /* limit; the blocks loop over further thieves */
static const int SELECT_BLOCK = 1024; /* limit of the threads that select victims */

/* computeIntervalLengths, one thread per IVM. The length of an empty IVM is NOT_EXPLORING. */
static const double NOT_EXPLORING = -1;

template <bool FLAGS> static __global__ void interval_lengths(struct ivm_fleet f)
{
	int t = global_thread();

	if (t >= f.ivms)
		return;
	struct ivm v = ivm_of(f, t);
	if (FLAGS) {
		f.flag[t] = 0;
		f.victim[t] = -1;
	}
	if (f.state[t] == IVM_EMPTY) {
		length_end(f, t, v);
		f.length[t] = NOT_EXPLORING;
	} else {
		f.length[t] = ivm_factoradic_fraction(v.position, v.end, f.n);
	}
}

/* ---- selectVictim: one block ---- */

/* In shared memory, followed by a bit for each IVM: exploring, long enough and not taken. */
struct census {
	double length[SELECT_BLOCK / WARP];
	int active[SELECT_BLOCK / WARP];
	double mean;
	int thieves, actives;
	int open; /* possible victims not taken yet */
	struct ivm_victim_window window;
};

/* Appends the empty IVMs of a warp to the list of thieves. */
static __device__ void list_thieves(const struct ivm_fleet &f, census *c, int t, bool empty)
{
	unsigned all = __ballot_sync(WARP_ALL, empty);
	int lane = threadIdx.x % WARP, first = 0;

	if (!all)
		return;
	if (lane == 0)
		first = atomicAdd(&c->thieves, __popc(all));
	first = __shfl_sync(WARP_ALL, first, 0) + __popc(all & ((1u << lane) - 1));
	if (empty) {
		f.thief[first] = t;
		f.victim[first] = -1;
	}
}

/* Lists the empty IVMs, and counts the others and adds up their lengths. */
static __device__ void take_census(const struct ivm_fleet &f, census *c)
{
	int active = 0, lane = threadIdx.x % WARP, warps = (int)blockDim.x / WARP;
	double length = 0;

#pragma unroll 4
	for (int t = (int)threadIdx.x; t - lane < f.ivms; t += (int)blockDim.x) {
		double mine = t < f.ivms ? f.length[t] : 0;
		bool exploring = t < f.ivms && mine >= 0;

		list_thieves(f, c, t, t < f.ivms && !exploring);
		active += exploring;
		length += exploring ? mine : 0;
	}
	for (int d = WARP / 2; d; d /= 2) {
		active += __shfl_down_sync(WARP_ALL, active, (unsigned)d);
		length += __shfl_down_sync(WARP_ALL, length, (unsigned)d);
	}
	if (lane == 0) {
		c->active[threadIdx.x / WARP] = active;
		c->length[threadIdx.x / WARP] = length;
	}
	__syncthreads();
	if (threadIdx.x)
		return;
	c->actives = 0;
	c->mean = 0;
	for (int w = 0; w < warps; w++) {
		c->actives += c->active[w];
		c->mean += c->length[w];
	}
	c->mean /= f.ivms;
}

static __device__ void update_control(const struct ivm_fleet &f, const struct ivm_victim_rule &v,
				      census *c)
{
	struct ivm_control *k = f.control;

	k->expansions++;
	k->busy += (uint64_t)(k->working / 2 + (c->actives + 1) / 2);
	k->active = k->working = c->actives;
	k->thieves = c->thieves;
	k->mean = c->mean;
	k->trigger = 0;
	if (c->thieves && c->actives) {
		k->phases++;
		ivm_victims_move(&v, &k->window, c->thieves);
	}
	c->window = k->window;
}

/* Sets the bits of the possible victims. */
static __device__ void mark_eligible(const struct ivm_fleet &f, const struct ivm_victim_rule &v,
				     census *c, uint32_t *eligible)
{
	double least = ivm_victims_by_length(&v) ? c->mean : NOT_EXPLORING;
	int lane = threadIdx.x % WARP;

#pragma unroll 4
	for (int t = (int)threadIdx.x; t - lane < f.ivms; t += (int)blockDim.x) {
		unsigned bits = __ballot_sync(WARP_ALL, t < f.ivms && f.length[t] > least);

		if (lane == 0) {
			eligible[t / WARP] = bits;
			atomicAdd(&c->open, __popc(bits));
		}
	}
}

/* Rounds end early when all thieves are served or no possible victim is left. */
static __device__ void match(const struct ivm_fleet &f, const struct ivm_victim_rule &v, census *c,
			     uint32_t *eligible)
{
	int rounds = ivm_victims_rounds(&v, &c->window), round;

	for (round = 0; round < rounds; round++) {
		bool unserved = false;

		for (int i = (int)threadIdx.x; i < c->thieves; i += (int)blockDim.x) {
			if (f.victim[i] >= 0)
				continue;
			int from = ivm_victims_try(&v, &c->window, round, f.thief[i]);
			uint32_t bit = 1u << from % WARP;

			/* no other thread tries this bit in this round */
			if (eligible[from / WARP] & bit) {
				atomicAnd(&eligible[from / WARP], ~bit);
				atomicSub(&c->open, 1);
				f.victim[i] = from;
			} else {
				unserved = true;
			}
		}
		/* a late decrement of `open` costs only one more round */
		if (!__syncthreads_or(unserved && atomicAdd(&c->open, 0) > 0))
			break;
	}
	if (threadIdx.x == 0)
		f.control->rounds += (uint64_t)(round < rounds ? round + 1 : rounds);
}

static __global__ void select_victims(struct ivm_fleet f, struct ivm_victim_rule v)
{
	SHARED_MEMORY(census, c);
	uint32_t *eligible = (uint32_t *)(c + 1);

	if (threadIdx.x == 0)
		c->thieves = c->open = 0;
	__syncthreads();
	take_census(f, c);
	if (threadIdx.x == 0)
		update_control(f, v, c);
	__syncthreads();
	if (!c->thieves || !c->actives)
		return;
	mark_eligible(f, v, c, eligible);
	__syncthreads();
	match(f, v, c, eligible);
}

/* ---- stealWorkIntraGPU, one warp per thief ---- */

/* ivm_share, done by a warp. */
static __device__ bool share(const struct ivm &victim, const struct ivm &thief, int parts)
{
	int lane = threadIdx.x % WARP, n = victim.n, ok = 0;
	struct ivm_cut cut = { 0, 0 };

	if (lane == 0)
		ok = ivm_select(&victim) && ivm_find_cut(&victim, 1, parts, &cut);
	__syncwarp();
	ok = __shfl_sync(WARP_ALL, ok, 0);
	cut.level = __shfl_sync(WARP_ALL, cut.level, 0);
	cut.cell = __shfl_sync(WARP_ALL, cut.cell, 0);
	if (!ok)
		return false;
	for (int i = lane; i < n; i += WARP) {
		thief.end[i] = victim.end[i];
		thief.position[i] = i < cut.level  ? victim.position[i] :
				    i == cut.level ? (uint16_t)cut.cell :
						     (uint16_t)0;
		victim.end[i] = i < cut.level  ? victim.position[i] :
				i == cut.level ? (uint16_t)(cut.cell - 1) :
						 (uint16_t)(n - 1 - i);
		if (i <= cut.level)
			thief.side[i] = victim.side[i];
	}
	for (int i = lane; i < (cut.level + 1) * n; i += WARP)
		thief.matrix[i] = victim.matrix[i];
	if (lane == 0)
		*thief.level = cut.level;
	__syncwarp();
	return true;
}

static __global__ void steal_work(struct ivm_fleet f, int parts)
{
	int thieves = f.control->thieves;

	for (int i = (int)(blockIdx.x * WARPS + threadIdx.x / WARP); i < thieves;
	     i += (int)gridDim.x * WARPS) {
		int t = f.thief[i], from = f.victim[i];

		if (from < 0 || !share(ivm_of(f, from), ivm_of(f, t), parts))
			continue;
		if (threadIdx.x % WARP == 0)
			count_steal(f, t);
	}
}

/* ---- between devices ---- */

static __global__ void split(struct ivm_fleet f, struct ivm_parcel to, int first, int count)
{
	int i = (int)(blockIdx.x * WARPS + threadIdx.x / WARP);

	if (i >= count)
		return;
	struct ivm v = ivm_at(f.n, to.memory + (size_t)i * f.bytes);
	bool full = f.state[first + i] == IVM_EXPLORING && share(ivm_of(f, first + i), v, 2);
	if (threadIdx.x % WARP)
		return;
	to.full[i] = full;
	if (full)
		add_length(&f.control->parted, ivm_factoradic_length(v.position, v.end, f.n));
}

static __global__ void accept(struct ivm_fleet f, struct ivm_parcel from, int first, int count)
{
	int i = (int)(blockIdx.x * WARPS + threadIdx.x / WARP);
	size_t words = f.bytes / sizeof(uint32_t);

	if (i >= count || !from.full[i])
		return;
	struct ivm v = ivm_of(f, first + i);
	if (threadIdx.x % WARP == 0)
		length_end(f, first + i, v);
	__syncwarp();
	const uint32_t *x = (const uint32_t *)(from.memory + (size_t)i * f.bytes);
	uint32_t *y = (uint32_t *)(f.memory + (size_t)(first + i) * f.bytes);
	for (size_t w = threadIdx.x % WARP; w < words; w += WARP)
		y[w] = x[w];
	__syncwarp();
	if (threadIdx.x % WARP == 0) {
		f.state[first + i] = IVM_EXPLORING;
		length_begin(f, first + i, v);
		add_length(&f.control->accepted, ivm_factoradic_length(v.position, v.end, f.n));
		atomicAdd(&f.control->working, 1);
		atomicAdd(&f.control->moved, 1);
	}
}

/* ---- launches ---- */

static unsigned thread_blocks(int threads)
{
	return ((unsigned)threads + (unsigned)BLOCK - 1) / (unsigned)BLOCK;
}

static unsigned warp_blocks(int warps)
{
	return ((unsigned)warps + (unsigned)WARPS - 1) / (unsigned)WARPS;
}

int BACKEND_SYMBOL(ivm_lengths)(struct dev_stream *s, const struct ivm_fleet *f, bool flags,
				struct err *e)
{
	if (flags)
		return LAUNCH(e, interval_lengths<true>, thread_blocks(f->ivms), BLOCK, 0, s, *f);
	return LAUNCH(e, interval_lengths<false>, thread_blocks(f->ivms), BLOCK, 0, s, *f);
}

int BACKEND_SYMBOL(ivm_victims)(struct dev_stream *s, const struct ivm_fleet *f,
				const struct ivm_victim_rule *v, struct err *e)
{
	int threads = f->ivms < SELECT_BLOCK ? (f->ivms + WARP - 1) / WARP * WARP : SELECT_BLOCK;

	size_t words = ((size_t)f->ivms + WARP - 1) / WARP;

	return LAUNCH(e, select_victims, 1, threads, sizeof(census) + words * sizeof(uint32_t), s,
		      *f, *v);
}

int BACKEND_SYMBOL(ivm_steal)(struct dev_stream *s, const struct ivm_fleet *f, int parts,
			      struct err *e)
{
	unsigned blocks = warp_blocks(f->ivms);

	if (blocks > (unsigned)STEAL_BLOCKS)
		blocks = (unsigned)STEAL_BLOCKS;
	return LAUNCH(e, steal_work, blocks, BLOCK, 0, s, *f, parts);
}

int BACKEND_SYMBOL(ivm_split)(struct dev_stream *s, const struct ivm_fleet *f, struct ivm_parcel to,
			      int first, int count, struct err *e)
{
	return LAUNCH(e, split, warp_blocks(count), BLOCK, 0, s, *f, to, first, count);
}

int BACKEND_SYMBOL(ivm_accept)(struct dev_stream *s, const struct ivm_fleet *f,
			       struct ivm_parcel from, int first, int count, struct err *e)
{
	return LAUNCH(e, accept, warp_blocks(count), BLOCK, 0, s, *f, from, first, count);
}
