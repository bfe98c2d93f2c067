#include "kernels/gboa/grid.h"

#include "kernels/gboa/grid_learn.cuh"
#include "kernels/gboa/grid_sample.cuh"
#include "kernels/gboa/grid_select.cuh"

static __device__ void grid_fill_table(const grid_block *b)
{
	const boa_grid_arguments *a = b->a;
	uint32_t copies = (1u << a->shift) / 4, all = ((uint32_t)a->selected + 2) * copies;

	for (uint32_t i = threadIdx.x; i < all; i += BOA_GRID_BLOCK)
		((uint32_t *)grid_table())[i] = a->factorial[i / copies];
}

static __device__ void grid_load(const boa_grid_arguments *a, grid_block *b)
{
	const boa_grid_state *s = a->state;

	b->generation = s->generation;
	b->kept = s->kept;
	b->side = s->side;
	b->best = s->best;
}

static __device__ void grid_store(const grid_block *b, int64_t edges, bool converged)
{
	boa_grid_state *s = b->a->state;

	s->generation = b->generation;
	s->kept = b->kept;
	s->side = b->side;
	s->best = b->best;
	s->optimum = b->a->optimum_known && b->best == b->a->optimum;
	s->converged = converged;
	s->edges += edges;
}

static __device__ __forceinline__ void grid_learn(const grid_block *b)
{
	if (b->a->parents >= 1)
		learn_round<1>(b);
	if (b->a->parents >= 2)
		learn_round<2>(b);
	if (b->a->parents >= 3)
		learn_round<3>(b);
}

/* Learns and samples a generation whose selected individuals are in place. */
static __device__ __forceinline__ void grid_generation(grid_block *b)
{
	const boa_grid_arguments *a = b->a;

	uint32_t digit[BOA_DIGITS] = {};

	grid_learn(b);
	sample_draw(b, threadIdx.x, blockIdx.x, digit);
	b->past++;
	learn_wait(b);
	grid_lap(a, BOA_GRID_LEARN);
	sample_offspring(b, digit);
	grid_lap(a, BOA_GRID_EVALUATE);
	b->side ^= a->replace_all ? 0 : 1;
	b->kept = a->replace_all ? 0 : a->selected_words;
	b->generation++;
}

static __global__ void __launch_bounds__(BOA_GRID_BLOCK, 1)
	grid_run(const __grid_constant__ boa_grid_arguments arguments)
{
	const boa_grid_arguments *a = &arguments;
	grid_block b = { a, 0, 0, 0, 0, 0, 0, 0 };
	uint32_t threshold, need;
	int64_t edges = 0;
	bool converged = false;

	grid_load(a, &b);
	grid_fill_table(&b);
	grid_take_task(a, (int32_t)blockIdx.x);
	grid_lap(a, -1);
	if (b.generation == 0 && b.kept == 0)
		sample_first(&b);
	for (;;) {
		grid_arrive(&b);
		select_prepare(&b);
		grid_wait(&b);
		grid_lap(a, BOA_GRID_WAIT);
		bool ended = select_look(&b, &threshold, &need);

		grid_lap(a, BOA_GRID_LOOK);
		if (ended)
			break;
		select_take(&b, threshold, need);
		grid_arrive(&b);
		grid_wait(&b);
		grid_lap(a, BOA_GRID_MEET);
		converged = a->stop_converged &&
			    ld_acquire_gpu(&a->counters->varied) != (uint32_t)b.generation + 1;
		if (converged)
			break;
		grid_generation(&b);
		edges += b.edges;
	}
	select_hand_out(&b);
	copy_async_wait<0>();
	if (blockIdx.x == 0 && threadIdx.x == 0)
		grid_store(&b, edges, converged);
}

/* ---- launches ---- */

static int blocks(struct dev_stream *s, size_t shared_bytes, int *count, struct err *e)
{
	return GPU_RESIDENT(e, count, grid_run, BOA_GRID_BLOCK, shared_bytes, s);
}

static int run(struct dev_stream *s, int count, size_t shared_bytes,
	       const struct boa_grid_arguments *a, struct err *e)
{
	return LAUNCH_COOPERATIVE(e, grid_run, count, BOA_GRID_BLOCK, shared_bytes, s, *a);
}

static size_t region_bytes(const struct boa_grid_arguments *a)
{
	select_shared select;
	sample_shared sample;
	size_t most = sizeof(struct learn_shared), other = select_carve(a, NULL, &select);

	most = other > most ? other : most;
	other = sample_carve(a, NULL, &sample);
	return other > most ? other : most;
}

extern "C" const struct boa_grid_kernels BACKEND_SYMBOL(boa_grid_kernels) = { blocks, run,
									      region_bytes };
