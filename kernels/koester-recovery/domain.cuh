/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Makes the kernels of a domain from its functions (algorithms/koester-recovery/states/domain.h),
 * with one thread per state, as in section IV of the paper.
 *
 *     #include "kernels/<folder>/mine.h"
 *     #include "kernels/koester-recovery/domain.cuh"
 *     TRACK_DOMAIN_KERNELS(mine)
 *
 * defines the table mine_ops_cuda (mine_ops_sim in builds for the simulator) from struct mine,
 * which kernels receive by value, and the functions mine_execute, mine_assign, mine_rate,
 * mine_expand and mine_successor. rate_children is NULL: children are made and then rated. With
 * TRACK_SMALL_DOMAIN_KERNELS(mine), children are rated on a copy of their parent in shared memory
 * instead, for states of at most TRACK_SMALL_STATE bytes (ERR_UNSUPPORTED above).
 *
 * A domain with faster code for some operations (one warp per state, rating without making
 * children) writes the table by hand, with its own launch functions and those of
 * track_kernels<mine_domain> for the rest:
 *
 *     TRACK_DOMAIN_TYPE(mine)                                  // defines mine_domain
 *     typedef track_kernels<mine_domain> plain;
 *     extern "C" const struct track_ops BACKEND_SYMBOL(mine_ops) DEV_TABLE = {
 *             plain::execute, plain::assign, plain::rate, plain::expand, nullptr, my_advance,
 *             my_replay, nullptr, nullptr, nullptr };
 *
 * (successors is nullptr where child k is successor k.) */
#ifndef COPRA_KERNELS_KOESTER_RECOVERY_DOMAIN_CUH
#define COPRA_KERNELS_KOESTER_RECOVERY_DOMAIN_CUH

#include "kernels/koester-recovery/ops.h"
#include "kernels/common/gpu.cuh"

enum { TRACK_BLOCK = 128, TRACK_SMALL_STATE = 3072, TRACK_SHARED_ROOM = 96 * 1024 };

/* ---- one state ---- */

/* The last parent whose first child is not after `child`. Children are numbered parent by parent; a
 * parent without children has the same first child as the next one. parents >= 1. */
static __device__ __forceinline__ uint32_t track_parent_of(const uint32_t *first, uint32_t parents,
							   uint32_t child)
{
	uint32_t low = 0;

	for (uint32_t size = parents; size > 1;) {
		uint32_t half = size / 2;

		if (first[low + half] <= child)
			low += half;
		size -= half;
	}
	return low;
}

/* The same. If `each` is not 0, every parent has that many children, and division finds it. */
static __device__ __forceinline__ uint32_t track_parent_of(const uint32_t *first, uint32_t each,
							   uint32_t parents, uint32_t child)
{
	return each ? child / each : track_parent_of(first, parents, child);
}

static __device__ __forceinline__ track_state track_batch_state(const track_batch &b, uint32_t i)
{
	return track_state_at(b.states, b.slots, b.layout, b.slot ? b.slot[i] : i);
}

static __device__ __forceinline__ track_step track_batch_step(const track_batch &b, uint32_t i,
							      uint32_t phase)
{
	track_step at;

	at.seed = b.seed;
	at.iteration = b.iteration;
	at.source = b.source ? b.source[i] : 0;
	at.successor = b.successor ? b.successor[i] : 0;
	at.step = b.step;
	at.phase = phase;
	return at;
}

template <class D>
static __device__ __forceinline__ void
track_assign_one(const typename D::parameters *d, track_state s, track_step *at, uint32_t step)
{
	at->step = step;
	at->phase = TRACK_ASSIGN;
	D::assign(d, s, at);
}

/* Makes `steps` steps of one state independently, assigned as the flags say (ops.h). */
template <class D>
static __device__ __forceinline__ void
track_advance_one(const typename D::parameters *d, track_state s, track_step *at, uint32_t steps,
		  uint32_t flags, uint32_t breaks)
{
	if (flags & TRACK_ASSIGN_FIRST)
		track_assign_one<D>(d, s, at, 0);
	for (uint32_t k = 0; k < steps; k++) {
		at->step = k;
		at->phase = TRACK_EXECUTE;
		bool assign = D::execute(d, s, at) != 0;

		if (flags & TRACK_ASSIGN_FIXED)
			assign = k < 32 && breaks >> k & 1;
		if (assign || (k + 1 == steps && flags & TRACK_ASSIGN_LAST))
			track_assign_one<D>(d, s, at, k + 1);
	}
}

/* ---- kernels ---- */

static __device__ __forceinline__ uint32_t track_thread(void)
{
	return blockIdx.x * blockDim.x + threadIdx.x;
}

/* A warp handles one word of bits, so all its threads take part in the votes. */
template <class D>
static __global__ void track_execute(const __grid_constant__ typename D::parameters d,
				     const __grid_constant__ track_batch b)
{
	uint32_t i = track_thread();
	bool waits = false;
	uint32_t bits = 0;

	if (i < b.count) {
		if (b.waiting)
			bits = b.waiting[i / 32];
		if (!(bits >> i % 32 & 1)) {
			track_step at = track_batch_step(b, i, TRACK_EXECUTE);

			waits = D::execute(&d, track_batch_state(b, i), &at) != 0;
		}
	}
	if (!b.waiting)
		return;
	uint32_t fresh = __ballot_sync(~0u, waits);

	if (fresh && i % 32 == 0) {
		b.waiting[i / 32] = bits | fresh;
		atomicAdd(b.waiting_count, (uint32_t)__popc(fresh));
	}
}

template <class D>
static __global__ void track_assign(const __grid_constant__ typename D::parameters d,
				    const __grid_constant__ track_batch b)
{
	uint32_t i = track_thread();

	if (i >= b.count || (b.waiting && !(b.waiting[i / 32] >> i % 32 & 1)))
		return;
	track_step at = track_batch_step(b, i, TRACK_ASSIGN);

	D::assign(&d, track_batch_state(b, i), &at);
}

template <class D>
static __global__ void track_rate(const __grid_constant__ typename D::parameters d,
				  const __grid_constant__ track_batch b, uint32_t *rating)
{
	uint32_t i = track_thread();

	if (i < b.count)
		rating[i] = D::rate(&d, track_batch_state(b, i));
}

template <class D>
static __global__ void track_expand(const __grid_constant__ typename D::parameters d,
				    const __grid_constant__ track_batch b, uint32_t *number)
{
	uint32_t i = track_thread();

	if (i < b.count)
		number[i] = D::expand(&d, track_batch_state(b, i));
}

/* A thread a child. */
template <class D>
static __global__ void track_successors(const __grid_constant__ typename D::parameters d,
					const __grid_constant__ track_batch b,
					const __grid_constant__ track_children c,
					uint32_t *successor)
{
	uint32_t child = track_thread();

	if (child >= c.total)
		return;
	uint32_t parent = track_parent_of(c.first, b.count, child);

	successor[child] = D::successor(&d, track_batch_state(b, parent), child - c.first[parent]);
}

template <class D>
static __global__ void track_advance(const __grid_constant__ typename D::parameters d,
				     const __grid_constant__ track_batch b, uint32_t steps,
				     uint32_t flags)
{
	uint32_t i = track_thread();

	if (i >= b.count)
		return;
	track_step at = track_batch_step(b, i, TRACK_ASSIGN);

	track_advance_one<D>(&d, track_batch_state(b, i), &at, steps, flags, 0);
}

template <class D>
static __global__ void track_replay(const __grid_constant__ typename D::parameters d,
				    const __grid_constant__ track_batch b,
				    const __grid_constant__ track_path path, uint32_t steps,
				    uint32_t flags)
{
	uint32_t i = track_thread();

	if (i >= b.count)
		return;
	track_state s = track_batch_state(b, i);
	track_step at = track_batch_step(b, i, TRACK_ASSIGN);

	for (uint32_t r = 0; r < path.rounds; r++) {
		size_t here = (size_t)r * path.count + i;

		at.successor = path.successor[here];
		if (at.successor == TRACK_NO_STEP)
			continue;
		at.source = path.source[here];
		at.iteration = path.iteration[r];
		track_advance_one<D>(&d, s, &at, steps, flags, 0);
	}
}

/* This thread's copy of a state, in shared memory. The words w of all threads of the block are
 * contiguous. */
static __device__ __forceinline__ track_state track_private_copy(track_state from, track_layout l,
								 unsigned char *shared)
{
	track_state own;

	own.first = shared + threadIdx.x * l.unit_bytes;
	own.stride = (size_t)blockDim.x * l.unit_bytes;
	for (uint32_t u = 0; u < l.units; u++) {
		unsigned char *to = (unsigned char *)track_unit(own, u);
		const unsigned char *of = (const unsigned char *)track_unit(from, u);

		if (l.unit_bytes % 4 == 0)
			for (uint32_t k = 0; k < l.unit_bytes; k += 4)
				*(uint32_t *)(to + k) = *(const uint32_t *)(of + k);
		else
			for (uint32_t k = 0; k < l.unit_bytes; k++)
				to[k] = of[k];
	}
	return own;
}

/* A thread a child. */
template <class D>
static __global__ void track_rate_children(const __grid_constant__ typename D::parameters d,
					   const __grid_constant__ track_batch b,
					   const __grid_constant__ track_children c,
					   const uint32_t *successor, uint32_t steps,
					   uint32_t flags, uint32_t breaks, uint32_t *rating)
{
	SHARED_MEMORY(unsigned char, shared);
	uint32_t child = track_thread();

	if (child >= c.total)
		return;
	uint32_t parent = track_parent_of(c.first, b.count, child);
	track_state s = track_private_copy(track_batch_state(b, parent), b.layout, shared);
	track_step at;

	at.seed = b.seed;
	at.iteration = b.iteration;
	at.source = c.first_source + parent;
	at.successor = successor ? successor[child] : child - c.first[parent];
	track_advance_one<D>(&d, s, &at, steps, flags, breaks);
	rating[child] = D::rate(&d, s);
}

/* ---- launches: the table's functions ---- */

static inline unsigned track_blocks(uint64_t threads, unsigned block)
{
	return (unsigned)((threads + block - 1) / block);
}

/* ERR_UNSUPPORTED if there are more children than 32 bits can number. */
static inline int track_check_children(const track_children *c, struct err *e)
{
	if (c->total <= UINT32_MAX - TRACK_BLOCK)
		return 0;
	return err_set(e, ERR_UNSUPPORTED, "%llu children at once: at most %u can be numbered",
		       (unsigned long long)c->total, UINT32_MAX - TRACK_BLOCK);
}

/* The linker merges equally named instances of a class template from all object files. A name for
 * each backend keeps them apart. */
#define track_kernels BACKEND_SYMBOL(track_kernels)

template <class D> struct track_kernels {
	typedef typename D::parameters parameters;

	static const parameters &of(const void *p)
	{
		return *(const parameters *)p;
	}

	static int execute(struct track_place *p, const void *d, const struct track_batch *b,
			   struct err *e)
	{
		if (!b->count)
			return 0;
		return LAUNCH(e, track_execute<D>, track_blocks(b->count, TRACK_BLOCK), TRACK_BLOCK,
			      0, p->stream, of(d), *b);
	}

	static int assign(struct track_place *p, const void *d, const struct track_batch *b,
			  struct err *e)
	{
		if (!b->count)
			return 0;
		return LAUNCH(e, track_assign<D>, track_blocks(b->count, TRACK_BLOCK), TRACK_BLOCK,
			      0, p->stream, of(d), *b);
	}

	static int rate(struct track_place *p, const void *d, const struct track_batch *b,
			uint32_t *rating, struct err *e)
	{
		if (!b->count)
			return 0;
		return LAUNCH(e, track_rate<D>, track_blocks(b->count, TRACK_BLOCK), TRACK_BLOCK, 0,
			      p->stream, of(d), *b, rating);
	}

	static int expand(struct track_place *p, const void *d, const struct track_batch *b,
			  uint32_t *number, struct err *e)
	{
		if (!b->count)
			return 0;
		return LAUNCH(e, track_expand<D>, track_blocks(b->count, TRACK_BLOCK), TRACK_BLOCK,
			      0, p->stream, of(d), *b, number);
	}

	static int successors(struct track_place *p, const void *d, const struct track_batch *b,
			      const struct track_children *c, uint32_t *successor, struct err *e)
	{
		int status = track_check_children(c, e);

		if (status || !c->total)
			return status;
		return LAUNCH(e, track_successors<D>, track_blocks(c->total, TRACK_BLOCK),
			      TRACK_BLOCK, 0, p->stream, of(d), *b, *c, successor);
	}

	static int advance(struct track_place *p, const void *d, const struct track_batch *b,
			   uint32_t steps, uint32_t flags, struct err *e)
	{
		if (!b->count)
			return 0;
		return LAUNCH(e, track_advance<D>, track_blocks(b->count, TRACK_BLOCK), TRACK_BLOCK,
			      0, p->stream, of(d), *b, steps, flags);
	}

	static int replay(struct track_place *p, const void *d, const struct track_batch *b,
			  const struct track_path *path, uint32_t steps, uint32_t flags,
			  struct err *e)
	{
		if (!b->count || !path->rounds)
			return 0;
		return LAUNCH(e, track_replay<D>, track_blocks(b->count, TRACK_BLOCK), TRACK_BLOCK,
			      0, p->stream, of(d), *b, *path, steps, flags);
	}

	static int rate_children(struct track_place *p, const void *d, const struct track_batch *b,
				 const struct track_children *c, const uint32_t *successor,
				 uint32_t steps, uint32_t flags, uint32_t breaks, uint32_t *rating,
				 struct err *e)
	{
		size_t bytes = track_state_bytes(b->layout);
		unsigned block = TRACK_BLOCK;
		int status = track_check_children(c, e);

		if (status || !c->total)
			return status;
		if (bytes > TRACK_SMALL_STATE)
			return err_set(e, ERR_UNSUPPORTED,
				       "children are rated on copies of at most %d bytes; these "
				       "states have %zu",
				       TRACK_SMALL_STATE, bytes);
		while (block > 32 && block * bytes > TRACK_SHARED_ROOM / 4)
			block /= 2;
		return LAUNCH(e, track_rate_children<D>, track_blocks(c->total, block), block,
			      block * bytes, p->stream, of(d), *b, *c, successor, steps, flags,
			      breaks, rating);
	}
};

/* Defines the type name_domain, whose members call the functions of the domain. */
#define TRACK_DOMAIN_TYPE(name)                                                                    \
	struct name##_domain {                                                                     \
		typedef struct name parameters;                                                    \
		static __device__ __forceinline__ int execute(const parameters *d, track_state s,  \
							      const track_step *at)                \
		{                                                                                  \
			return name##_execute(d, s, at);                                           \
		}                                                                                  \
		static __device__ __forceinline__ void assign(const parameters *d, track_state s,  \
							      const track_step *at)                \
		{                                                                                  \
			name##_assign(d, s, at);                                                   \
		}                                                                                  \
		static __device__ __forceinline__ uint32_t rate(const parameters *d,               \
								track_state s)                     \
		{                                                                                  \
			return name##_rate(d, s);                                                  \
		}                                                                                  \
		static __device__ __forceinline__ uint32_t expand(const parameters *d,             \
								  track_state s)                   \
		{                                                                                  \
			return name##_expand(d, s);                                                \
		}                                                                                  \
		static __device__ __forceinline__ uint32_t successor(const parameters *d,          \
								     track_state s, uint32_t k)    \
		{                                                                                  \
			return name##_successor(d, s, k);                                          \
		}                                                                                  \
	};                                                                                         \
	static_assert(sizeof(struct name) <= 2048, "parameters are passed by value");

#define TRACK_DOMAIN_TABLE(name, last)                                                             \
	TRACK_DOMAIN_TYPE(name)                                                                    \
	extern "C" const struct track_ops BACKEND_SYMBOL(name##_ops)                               \
		DEV_TABLE = { track_kernels<name##_domain>::execute,                               \
			      track_kernels<name##_domain>::assign,                                \
			      track_kernels<name##_domain>::rate,                                  \
			      track_kernels<name##_domain>::expand,                                \
			      track_kernels<name##_domain>::successors,                            \
			      track_kernels<name##_domain>::advance,                               \
			      track_kernels<name##_domain>::replay,                                \
			      last,                                                                \
			      nullptr,                                                             \
			      nullptr };

#define TRACK_DOMAIN_KERNELS(name) TRACK_DOMAIN_TABLE(name, nullptr)
#define TRACK_SMALL_DOMAIN_KERNELS(name)                                                           \
	TRACK_DOMAIN_TABLE(name, track_kernels<name##_domain>::rate_children)

#endif
