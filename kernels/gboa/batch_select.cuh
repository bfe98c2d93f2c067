/* Selection and gathering of batch.h. */
#ifndef COPRA_GBOA_BATCH_SELECT_CUH
#define COPRA_GBOA_BATCH_SELECT_CUH

#include "kernels/gboa/batch_block.cuh"

/* One warp: of words first .. last - 1 of the population, in `alive`, those whose fitness is the
 * need-th greatest; returns that fitness above the least. need becomes how many of them are needed.
 * Those above are added to `above`, if it is not NULL. A lane touches its own words alone. */
template <bool MANY>
static __device__ uint32_t nth_greatest(const batch_block<MANY> &b, uint32_t *alive,
					uint32_t *above, unsigned first, unsigned last,
					uint32_t *need)
{
	uint32_t value = 0;

	for (unsigned w = first + b.lane; w < last; w += 32)
		alive[w] = 0xffffffff;
	for (int plane = b.p.planes; plane-- > 0;) {
		const uint32_t *row = b.planes() + plane * b.p.population;
		uint32_t ones = 0;

		for (unsigned w = first + b.lane; w < last; w += 32)
			ones += (uint32_t)__popc(alive[w] & row[w]);
		ones = __reduce_add_sync(BATCH_ALL_LANES, ones);
		bool take = ones >= *need;

		for (unsigned w = first + b.lane; w < last; w += 32) {
			uint32_t a = alive[w], x = row[w];

			if (above && !take)
				above[w] |= a & x;
			alive[w] = take ? a & x : a & ~x;
		}
		value = 2 * value + take;
		*need -= take ? 0 : ones;
	}
	return value;
}

static __device__ __forceinline__ uint32_t sum_before(uint32_t value, unsigned lane)
{
	uint32_t sum = value;

	for (unsigned step = 1; step < 32; step *= 2) {
		uint32_t other = __shfl_up_sync(BATCH_ALL_LANES, sum, step);

		sum += lane >= step ? other : 0;
	}
	return sum - value;
}

/* The lowest `count` bits that are set. */
static __device__ uint32_t lowest_bits(uint32_t bits, uint32_t count)
{
	for (uint32_t more = (uint32_t)__popc(bits) - count; more > 0; more--)
		bits &= ~(0x80000000u >> __clz((int)bits));
	return bits;
}

/* One warp: the selected as a mask, and in alive() how many there are before each word. */
template <bool MANY> static __device__ void choose(const batch_block<MANY> &b)
{
	const unsigned words = (unsigned)b.p.population;
	uint32_t need = (uint32_t)b.p.individuals, taken = 0;

	for (unsigned w = b.lane; w < words; w += 32)
		b.chosen()[w] = 0;
	nth_greatest(b, b.alive(), b.chosen(), 0, words, &need);
	for (unsigned first = 0; first < words; first += 32) {
		unsigned w = first + b.lane;
		uint32_t equal = w < words ? b.alive()[w] : 0, above = w < words ? b.chosen()[w] : 0;
		uint32_t equals = (uint32_t)__popc(equal), before = sum_before(equals, b.lane);
		uint32_t mine = min(equals, need - min(need, before));
		uint32_t mask = above | lowest_bits(equal, mine);
		uint32_t here = (uint32_t)__popc(mask), place = taken + sum_before(here, b.lane);

		if (w < words) {
			b.chosen()[w] = mask;
			b.alive()[w] = place;
		}
		taken = __shfl_sync(BATCH_ALL_LANES, place + here, 31);
		need -= min(need, __shfl_sync(BATCH_ALL_LANES, before + equals, 31));
	}
}

/* One warp: the greatest fitness of words first and on, and the first individual that has it. */
template <bool MANY> static __device__ void find_top(const batch_block<MANY> &b, unsigned first)
{
	uint32_t need = 1, *top = b.top();
	unsigned words = (unsigned)b.p.population;
	uint32_t value = nth_greatest(b, top, (uint32_t *)NULL, first, words, &need);

	for (unsigned w = first + b.lane;; w += 32) {
		uint32_t bits = w < words ? top[w] : 0;
		unsigned have = __ballot_sync(BATCH_ALL_LANES, bits != 0);

		if (!have)
			continue;
		if (b.lane == (unsigned)__ffs((int)have) - 1) {
			b.control()[CONTROL_TOP] = value;
			b.control()[CONTROL_TOP_AT] = 32 * w + (unsigned)__ffs((int)bits) - 1;
		}
		return;
	}
}

template <bool MANY>
static __device__ void select_and_top(const batch_block<MANY> &b, unsigned first_new)
{
	if (b.warp == 0)
		choose(b);
	else if (b.warp == 1)
		find_top(b, first_new);
	__syncthreads();
}

/* Bits of the best found so far go to the host, those that this block has. */
template <bool MANY>
static __device__ void keep_bits(const batch_block<MANY> &b, unsigned run, unsigned individual)
{
	unsigned w = individual / 32, kept = (unsigned)b.p.kept;

	for (unsigned v = b.thread; v < (unsigned)b.p.n; v += b.threads)
		if (b.owns(v)) {
			uint32_t word = w < kept ? b.selected()[v * (unsigned)b.p.selected_stride + w]
						 : b.own_row(v)[w - kept];

			b.m.bits[(size_t)run * (unsigned)b.p.n + v] =
			    (uint8_t)(word >> individual % 32 & 1);
		}
}

/* Is any variable of this block not alike in all that are selected? */
template <bool MANY> static __device__ bool any_mixed(const batch_block<MANY> &b)
{
	unsigned words = (unsigned)b.p.population, kept = (unsigned)b.p.kept;
	int mixed = 0;

	for (unsigned v = b.warp; v < (unsigned)b.p.n; v += b.warps) {
		bool zeros = true, ones = true;

		if (!b.owns(v))
			continue;
		for (unsigned w = b.lane; w < words; w += 32) {
			uint32_t mask = b.chosen()[w];
			uint32_t x = mask &
				     (w < kept ? b.selected()[v * (unsigned)b.p.selected_stride + w]
					       : b.own_row(v)[w - kept]);

			zeros &= x == 0;
			ones &= x == mask;
		}
		mixed |= !__all_sync(BATCH_ALL_LANES, zeros) && !__all_sync(BATCH_ALL_LANES, ones);
	}
	return __syncthreads_or(mixed) != 0;
}

/* All blocks of the cluster come to the same answer. `stamp` differs from call to call. */
template <bool MANY> static __device__ bool all_alike(const batch_block<MANY> &b, uint32_t stamp)
{
	bool mixed = any_mixed(b);

	if constexpr (MANY) {
		if (mixed && b.thread < b.blocks)
			*b.at(b.control() + CONTROL_MIXED, b.thread) = stamp;
		cluster_sync();
		mixed = b.control()[CONTROL_MIXED] == stamp;
	}
	return !mixed;
}

template <bool MANY> static __device__ void list_places(const batch_block<MANY> &b)
{
	for (unsigned w = b.warp; w < (unsigned)b.p.population; w += b.warps) {
		uint32_t mask = b.chosen()[w];

		if (mask >> b.lane & 1)
			b.places()[b.alive()[w] + (unsigned)__popc(mask & ((1u << b.lane) - 1))] =
			    (uint16_t)(32 * w + b.lane);
	}
}

/* Rows that are gathered: word w of row r is at low + r * low_step + w where w < kept, at high + r *
 * high_step + w elsewhere; word w of what is gathered at low + r * low_step + w. In place: no word is
 * written before those that come to lie behind it are read. */
struct batch_rows {
	uint32_t *low, *high;
	unsigned low_step, high_step, kept, count;
};

/* One warp, up to ROWS rows from `first` on, of one block alone. */
template <int ROWS>
static __device__ void gather_rows(const batch_rows &r, const uint16_t *places, unsigned words,
				   unsigned first, unsigned lane)
{
	unsigned rows = min((unsigned)ROWS, r.count - first);

	for (unsigned w = 0; w < words; w++) {
		unsigned place = places[32 * w + lane], from = place / 32;
		uint32_t bit = 1u << place % 32, mine = 0;
		bool is_low = from < r.kept;
		unsigned step = is_low ? r.low_step : r.high_step;
		const uint32_t *source = (is_low ? r.low : r.high) + first * step + from;

#pragma unroll
		for (int i = 0; i < ROWS; i++)
			if ((unsigned)i < rows) {
				uint32_t word = __ballot_sync(BATCH_ALL_LANES,
							      (source[(unsigned)i * step] & bit) != 0);

				mine = lane == (unsigned)i ? word : mine;
			}
		__syncwarp();
		if (lane < rows)
			r.low[(first + lane) * r.low_step + w] = mine;
		__syncwarp();
	}
}

/* 32 words of a row by one warp, a word a lane. */
static __device__ uint32_t gather_words(const batch_rows &r, const uint16_t *places, unsigned words,
					unsigned row, unsigned first, unsigned lane)
{
	uint32_t mine = 0;

	for (unsigned i = 0; i < min(32u, words - first); i++) {
		unsigned place = places[32 * (first + i) + lane], from = place / 32;
		const uint32_t *source = from < r.kept ? r.low + row * r.low_step
						       : r.high + row * r.high_step;
		uint32_t word = __ballot_sync(BATCH_ALL_LANES, source[from] >> place % 32 & 1);

		mine = lane == i ? word : mine;
	}
	return mine;
}

/* All blocks: rows of variables go to the whole cluster, planes each block gathers for itself. */
template <bool MANY>
static __device__ void gather_cluster(const batch_block<MANY> &b, const batch_rows &variables,
				      const batch_rows &planes)
{
	unsigned words = (unsigned)b.p.selected, chunks = (words + 31) / 32;
	unsigned tasks = (variables.count + planes.count) * chunks;

	for (unsigned begin = 0; begin < tasks; begin += b.warps) {
		unsigned task = begin + b.warp, row = task / chunks, first = task % chunks * 32;
		bool is_plane = row >= variables.count;
		unsigned own = is_plane ? row - variables.count : row;
		const batch_rows &r = is_plane ? planes : variables;
		uint32_t mine = 0;

		if (task < tasks)
			mine = gather_words(r, b.places(), words, own, first, b.lane);
		__syncthreads();
		if (task >= tasks || first + b.lane >= words)
			continue;
		uint32_t *to = r.low + own * r.low_step + first + b.lane;

		for (unsigned i = 0; i < (is_plane ? 1 : b.blocks); i++)
			*(is_plane ? to : b.at(to, (b.rank + i) % b.blocks)) = mine;
	}
}

template <bool MANY> static __device__ void gather(const batch_block<MANY> &b)
{
	const batch_plan &p = b.p;
	unsigned words = (unsigned)p.population, stride = (unsigned)p.selected_stride;
	unsigned kept = (unsigned)p.kept;
	batch_rows variables = { b.selected() + b.rank * stride, b.offspring() - kept,
				 b.blocks * stride, (unsigned)p.offspring_stride, kept,
				 b.own_rows() };
	batch_rows planes = { b.planes(), b.planes(), words, words, words,
			      kept ? (unsigned)p.planes : 0 };
	const int rows = 8;
	unsigned first_planes = (variables.count + rows - 1) / rows,
		 tasks = first_planes + (planes.count + rows - 1) / rows;

	if (MANY) {
		gather_cluster(b, variables, planes);
		return;
	}
	for (unsigned task = b.warp; task < tasks; task += b.warps) {
		bool is_plane = task >= first_planes;

		gather_rows<rows>(is_plane ? planes : variables, b.places(), (unsigned)p.selected,
				  (is_plane ? task - first_planes : task) * rows, b.lane);
	}
}

#endif
