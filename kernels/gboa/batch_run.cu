/* Batched runs (batch.h): a run from its first to its last population. */
#include "kernels/gboa/batch.h"

#include "kernels/common/cluster.cuh"
#include "kernels/gboa/batch_learn.cuh"
#include "kernels/gboa/batch_sample.cuh"
#include "kernels/gboa/batch_select.cuh"

/* Measures where a block's time goes, on request. */
struct batch_clock {
	unsigned long long *sums;
	long long last;

	__device__ explicit batch_clock(unsigned long long *s)
	    : sums(threadIdx.x ? NULL : s), last(0)
	{
		last = sums ? clock64() : 0;
	}
	__device__ void mark(boa_batch_phase phase)
	{
		if (sums) {
			long long now = clock64();

			atomicAdd(sums + phase, (unsigned long long)(now - last));
			last = now;
		}
	}
};

/* Reads the host's stop flag, by one thread. A read goes over the bus, which serves about a million
 * reads/s for all blocks together; one read in 10 ms is enough. */
struct batch_stop_flag {
	const unsigned *halt; /* NULL: none */
	long long last;
	bool set;

	__device__ explicit batch_stop_flag(const unsigned *h) : halt(h), last(0), set(false)
	{
		last = clock64() - PERIOD; /* the first read is immediate */
	}
	__device__ bool is_set()
	{
		if (halt && !set && clock64() - last >= PERIOD) {
			last = clock64();
			set = ld_acquire_sys(halt) != 0;
		}
		return set;
	}

      private:
	static constexpr long long PERIOD = 20000000; /* clocks */
};

/* The state of a run; the same in all threads. */
struct batch_state {
	unsigned run;
	int32_t best, generations;
	bool halted;
};

template <bool MANY> static __device__ void load_table(const batch_block<MANY> &b)
{
	unsigned values = (unsigned)b.p.individuals + 2, log = (unsigned)b.p.copies_log;

	for (unsigned i = b.thread; i < values << log; i += b.threads)
		b.table()[i] = b.m.ln_factorial[i >> log];
}

/* Clears words that are counted but hold no individual. */
template <bool MANY> static __device__ void clear_padding(const batch_block<MANY> &b)
{
	unsigned stride = (unsigned)b.p.selected_stride, used = (unsigned)b.p.selected;

	for (unsigned v = b.warp; v < (unsigned)b.p.n; v += b.warps)
		for (unsigned w = used + b.lane; w < stride; w += 32)
			b.selected()[v * stride + w] = 0;
}

/* Draws the next run for all threads of the block or cluster; p.runs or more: there is none. */
template <bool MANY>
static __device__ unsigned draw_run(const batch_block<MANY> &b, batch_stop_flag &flag)
{
	if (b.rank == 0 && b.thread == 0) {
		unsigned run = atomicAdd(b.m.ticket, 1);

		if (flag.is_set())
			run = (unsigned)b.p.runs;
		for (unsigned i = 0; i < b.blocks; i++) {
			b.at(b.control(), i)[CONTROL_RUN] = run;
			b.at(b.control(), i)[CONTROL_HALT] = 0;
		}
	}
	if (b.thread == 0)
		b.control()[CONTROL_EDGES] = 0;
	clear_sums(b);
	b.sync_run();
	return b.control()[CONTROL_RUN];
}

/* One thread of a run reads the stop flag; all blocks see the result after sampling. */
template <bool MANY>
static __device__ void poll_stop_flag(const batch_block<MANY> &b, batch_stop_flag &flag)
{
	if (b.rank == 0 && b.thread == b.threads - 1 && flag.is_set())
		for (unsigned i = 0; i < b.blocks; i++)
			b.at(b.control(), i)[CONTROL_HALT] = 1;
}

/* Selects, and keeps the best individual. False if the run ends here. */
template <bool MANY>
static __device__ bool select(const batch_block<MANY> &b, batch_state &s, uint32_t &stamp)
{
	unsigned first_new = s.generations ? (unsigned)b.p.kept : 0;

	draw_keys(b, (uint32_t)s.generations);
	unsigned top_at;
	int32_t top = (int32_t)((uint32_t)b.p.fitness.least + select_and_top(b, first_new, top_at));

	if (s.generations == 0 || top > s.best) {
		s.best = top;
		keep_bits(b, s.run, top_at);
		__syncthreads(); /* gathering overwrites the words just read */
	}
	if (s.generations >= b.p.generations || (b.p.stop_at_optimum && s.best == b.p.optimum))
		return false;
	s.halted = b.control()[CONTROL_HALT] != 0;
	return !s.halted && !(b.p.stop_converged && all_alike(b, ++stamp));
}

/* Learns a network from the selected and makes its records. */
template <bool MANY>
static __device__ void learn(const batch_block<MANY> &b, batch_stop_flag &flag, batch_clock &clock)
{
	count_singles(b);
	__syncthreads();
	clock.mark(BOA_BATCH_SINGLES);
	poll_stop_flag(b, flag);
	learn_parents(b);
	clock.mark(BOA_BATCH_LEARN);
	make_records(b);
	clock.mark(BOA_BATCH_TABLES);
	b.sync_run();
	clock.mark(BOA_BATCH_LEARNED);
}

/* Writes the last population and its fitness. */
template <bool MANY>
static __device__ void write_population(const batch_block<MANY> &b, unsigned run)
{
	unsigned words = (unsigned)b.p.population, n = (unsigned)b.p.n, kept = (unsigned)b.p.kept;

	if (b.m.words)
		for (unsigned v = b.warp; v < n; v += b.warps)
			for (unsigned w = b.lane; b.owns(v) && w < words; w += 32)
				b.m.words[((size_t)run * n + v) * words + w] =
					w < kept ? b.selected()[v * (unsigned)b.p.selected_stride +
								w] :
						   b.own_row(v)[w - kept];
	if (!b.m.fitness || b.rank != 0)
		return;
	for (unsigned i = b.thread; i < 32 * words; i += b.threads) {
		uint32_t value = 0;

		for (int plane = 0; plane < b.p.planes; plane++)
			value |= (b.planes()[(unsigned)plane * words + i / 32] >> i % 32 & 1)
				 << plane;
		b.m.fitness[(size_t)run * 32 * words + i] =
			(int32_t)((uint32_t)b.p.fitness.least + value);
	}
}

template <bool MANY>
static __device__ void end_run(const batch_block<MANY> &b, const batch_state &s)
{
	boa_batch_result *r = b.m.results + s.run;

	write_population(b, s.run);
	if (b.thread == 0)
		atomicAdd((unsigned long long *)&r->edges,
			  (unsigned long long)b.control()[CONTROL_EDGES]);
	if (b.thread == 0 && b.rank == 0) {
		r->best = s.best;
		r->generations = s.generations;
		r->halted = s.halted;
		r->begun = 1;
	}
	b.sync_run();
}

template <bool MANY>
static __device__ void do_run(const batch_block<MANY> &b, unsigned run, uint32_t &stamp,
			      batch_stop_flag &flag, batch_clock &clock)
{
	batch_state s = { run, INT32_MIN, 0, false };

	first_population(b);
	b.sync_run();
	clock.mark(BOA_BATCH_FIRST);
	while (select(b, s, stamp)) {
		clock.mark(BOA_BATCH_SELECT);
		clear_sums(b);
		sort_keys(b);
		clock.mark(BOA_BATCH_SORT);
		gather(b);
		clock.mark(BOA_BATCH_GATHER);
		b.sync_run();
		clock.mark(BOA_BATCH_GATHERED);
		learn(b, flag, clock);
		sample(b, (uint32_t)s.generations);
		clock.mark(BOA_BATCH_SAMPLE);
		b.sync_run();
		clock.mark(BOA_BATCH_SAMPLED);
		s.generations++;
	}
	end_run(b, s);
	clock.mark(BOA_BATCH_END);
}

template <bool MANY>
static __device__ void do_runs(const boa_batch_plan &p, const boa_batch_memory &m, uint32_t *shared)
{
	batch_block<MANY> b(p, m, shared);
	batch_clock clock(m.clocks);
	batch_stop_flag flag(m.halt);
	uint32_t stamp = 0;

	load_table(b);
	clear_padding(b);
	if (b.thread == 0)
		b.control()[CONTROL_MIXED] = 0;
	b.sync_run();
	for (;;) {
		unsigned run = draw_run(b, flag);

		if (run >= (unsigned)p.runs)
			break;
		/* uniform over the lanes; the reduction makes this known to the compiler */
		b.seed = p.seed + __reduce_max_sync(WARP_ALL, run);
		do_run(b, run, stamp, flag, clock);
	}
	b.sync_run(); /* the shared memory of a block that has exited is gone */
}

__global__ static void __launch_bounds__(1024)
	run_in_blocks(const __grid_constant__ boa_batch_plan p,
		      const __grid_constant__ boa_batch_memory m)
{
	SHARED_MEMORY(uint32_t, shared);
	do_runs<false>(p, m, shared);
}

__global__ static void __launch_bounds__(1024)
	run_in_clusters(const __grid_constant__ boa_batch_plan p,
			const __grid_constant__ boa_batch_memory m)
{
	SHARED_MEMORY(uint32_t, shared);
	do_runs<true>(p, m, shared);
}

static int resident(struct dev_stream *s, const struct boa_batch_plan *p, int threads,
		    int *clusters, struct err *e)
{
	return p->cluster > 1 ?
		       GPU_CLUSTERS(e, clusters, run_in_clusters, p->cluster, threads,
				    p->shared_bytes, s) :
		       GPU_RESIDENT(e, clusters, run_in_blocks, threads, p->shared_bytes, s);
}

static int run(struct dev_stream *s, const struct boa_batch_plan *p,
	       const struct boa_batch_memory *m, int threads, int clusters, struct err *e)
{
	return p->cluster > 1 ?
		       LAUNCH_CLUSTERS(e, run_in_clusters, p->cluster, clusters, threads,
				       p->shared_bytes, s, *p, *m) :
		       LAUNCH(e, run_in_blocks, clusters, threads, p->shared_bytes, s, *p, *m);
}

extern "C" const struct boa_batch_kernels BACKEND_SYMBOL(boa_batch_kernels) = { resident, run };
