/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Measures the peak rates of a GPU: runs each kernel of probes.h for some milliseconds, checks its
 * result, and keeps the best of several runs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/clock.h"
#include "harness/machine/peaks_measure.h"

/* ---- expected results of the kernels, computed one thread at a time ---- */

uint32_t probe_pattern(uint64_t index)
{
	return (uint32_t)(index & 0xffffffff) * UINT32_C(2654435761) + (uint32_t)(index >> 32);
}

/* Piece i of shared memory holds i, 3i, 5i, 7i. */
static uint32_t shared_read(uint32_t in_block, int steps)
{
	uint32_t sum = 0;

	for (int step = 0; step < steps; step++)
		for (uint32_t k = 0; k < PROBE_UNROLL; k++)
			sum += 16 * (in_block +
				     PROBE_BLOCK * (k + (step % 2 ? (uint32_t)PROBE_UNROLL : 0)));
	return sum;
}

/* Each half holds what its last step stored. */
static uint32_t shared_write(uint32_t in_block, int steps)
{
	uint32_t sum = 0;

	for (int half = 0; half < 2; half++) {
		int last = steps - 1 - ((steps - 1) % 2 != half);

		if (last < 0)
			continue;
		for (uint32_t k = 0; k < PROBE_UNROLL; k++)
			sum += (k + 1 + (half ? (uint32_t)PROBE_UNROLL : 0)) * 4 *
			       ((uint32_t)last + in_block);
	}
	return sum;
}

static uint32_t digest(const uint32_t *x)
{
	uint32_t sum = 0;

	for (int k = 0; k < PROBE_CHAINS; k++)
		sum = sum * 31 + x[k];
	return sum;
}

static uint32_t add_max_32(uint32_t thread, int steps)
{
	int64_t x[PROBE_CHAINS], up = 2 + thread % 2, down = -up - 1;
	uint32_t words[PROBE_CHAINS];

	for (uint32_t k = 0; k < PROBE_CHAINS; k++)
		x[k] = (thread + 37 * k) & UINT32_C(0x03ff03ff);
	for (int step = 0; step < steps; step++) {
		for (int k = 0; k < PROBE_CHAINS; k++) {
			int64_t other = x[(k + 3) % PROBE_CHAINS];

			x[k] = x[k] + up > other ? x[k] + up : other;
		}
		for (int k = 0; k < PROBE_CHAINS; k++) {
			int64_t other = x[(k + 5) % PROBE_CHAINS];

			x[k] = x[k] + down > other ? x[k] + down : other;
		}
	}
	for (int k = 0; k < PROBE_CHAINS; k++)
		words[k] = (uint32_t)x[k];
	return digest(words);
}

/* One half of the pairs: sums wrap in 16 bits. */
static void add_max_half(uint16_t *x, int steps, int up, int down)
{
	for (int step = 0; step < steps; step++) {
		for (int k = 0; k < PROBE_CHAINS; k++) {
			int16_t sum = (int16_t)(uint16_t)(x[k] + up);
			int16_t other = (int16_t)x[(k + 3) % PROBE_CHAINS];

			x[k] = (uint16_t)(sum > other ? sum : other);
		}
		for (int k = 0; k < PROBE_CHAINS; k++) {
			int16_t sum = (int16_t)(uint16_t)(x[k] + down);
			int16_t other = (int16_t)x[(k + 5) % PROBE_CHAINS];

			x[k] = (uint16_t)(sum > other ? sum : other);
		}
	}
}

static uint32_t add_max_16(uint32_t thread, int steps)
{
	uint16_t low[PROBE_CHAINS], high[PROBE_CHAINS];
	uint32_t words[PROBE_CHAINS];

	for (uint32_t k = 0; k < PROBE_CHAINS; k++) {
		uint32_t start = (thread + 37 * k) & UINT32_C(0x03ff03ff);

		low[k] = (uint16_t)(start & 0xffff);
		high[k] = (uint16_t)(start >> 16);
	}
	add_max_half(low, steps, 2, -3);
	add_max_half(high, steps, 1, -2);
	for (int k = 0; k < PROBE_CHAINS; k++)
		words[k] = (uint32_t)high[k] << 16 | low[k];
	return digest(words);
}

static uint32_t popcount(uint32_t thread, int steps)
{
	uint32_t x[PROBE_CHAINS];

	for (uint32_t k = 0; k < PROBE_CHAINS; k++) {
		x[k] = thread + 37 * k;
		for (int step = 0; step < steps; step++)
			for (uint32_t bits = x[k]; bits; bits &= bits - 1)
				x[k]++;
	}
	return digest(x);
}

/* The ones that row m of the left side and row n of the right side of a warp's product share. */
static uint32_t shared_ones(uint32_t warp, uint32_t m, uint32_t n)
{
	uint32_t first = warp * PROBE_FRAGMENT, ones = 0;

	for (uint32_t word = 0; word < 8; word++)
		ones += (uint32_t)__builtin_popcount(probe_pattern(first + 8 * m + word) &
						     probe_pattern(first + 8 * (16 + n) + word));
	return ones;
}

/* A thread holds the sums of two neighbouring columns in two rows, 8 apart. */
static uint32_t binary(uint32_t thread, int steps)
{
	uint32_t row = thread % 32 / 4, column = thread % 4 * 2, sum = 0;

	for (uint32_t k = 0; k < PROBE_PRODUCTS; k++)
		for (uint32_t i = 0; i < 4; i++)
			sum = sum * 31 + 37 * k + i +
			      (uint32_t)steps *
				      shared_ones(thread / 32, row + i / 2 * 8, column + i % 2);
	return sum;
}

static uint32_t multiply_add(uint32_t thread, int steps)
{
	const float factor = thread % 2 ? 0.75f : 0.5f;
	const float term = 1.0f + 0.125f * (float)(thread % 8);
	float sum = 0;

	for (uint32_t k = 0; k < PROBE_CHAINS; k++) {
		float x = (float)((thread + 37 * k) % 1024);

		for (int step = 0; step < steps; step++)
			x = fmaf(x, factor, term);
		sum += x;
	}
	return (uint32_t)(sum * 1024);
}

static uint32_t expected_word(enum probe_rate rate, uint32_t thread, int steps)
{
	switch (rate) {
	case PROBE_SHARED_READ:
		return shared_read(thread % PROBE_BLOCK, steps);
	case PROBE_SHARED_WRITE:
		return shared_write(thread % PROBE_BLOCK, steps);
	case PROBE_ADD_MAX:
		return add_max_32(thread, steps);
	case PROBE_ADD_MAX_16:
		return add_max_16(thread, steps);
	case PROBE_POPCOUNT:
		return popcount(thread, steps);
	case PROBE_BINARY:
		return binary(thread, steps);
	case PROBE_FMA:
		return multiply_add(thread, steps);
	case PROBE_RATES:
		break;
	}
	return 0;
}

static double amount(enum probe_rate rate, int blocks, int steps)
{
	static const double per_step[PROBE_RATES] = {
		[PROBE_SHARED_READ] = 16 * PROBE_UNROLL,
		[PROBE_SHARED_WRITE] = 16 * PROBE_UNROLL,
		[PROBE_ADD_MAX] = 2 * PROBE_CHAINS,
		[PROBE_ADD_MAX_16] = 4 * PROBE_CHAINS,
		[PROBE_POPCOUNT] = PROBE_CHAINS,
		/* a warp's product: 16 x 8 pairs of rows of 8 words */
		[PROBE_BINARY] = PROBE_PRODUCTS * 16 * 8 * 8 / 32,
		[PROBE_FMA] = PROBE_CHAINS,
	};

	return per_step[rate] * steps * blocks * PROBE_BLOCK;
}

/* ---- measuring ---- */

#define WARM_SECONDS 0.3     /* time for the clocks to rise */
#define LAUNCH_SECONDS 0.005 /* much longer than the overhead of a launch */
enum {
	REPEATS = 8,
	TICKS = 2000,
	LATENCY_COPIES = 200,
	LATENCY_BYTES = 4 << 10,
	MOST_STEPS = 1 << 20,
};
#define DEVICE_COPY_BYTES ((size_t)1 << 30)
#define L2_COPY_BYTES ((size_t)8 << 20)
#define TRANSFER_BYTES ((size_t)256 << 20)
#define WINDOW_BYTES ((size_t)1 << 20)

struct probe {
	struct dev *dev;
	struct dev_stream *stream;
	struct dev_event *start, *stop;
	const struct probe_kernels *kernels;
	struct dev_info info;
	uint32_t *a, *b; /* device memory of `bytes` each */
	size_t bytes;
	uint32_t *host; /* WINDOW_BYTES */
};

static void probe_close(struct probe *p)
{
	free(p->host);
	dev_free(p->dev, p->a);
	dev_free(p->dev, p->b);
	if (p->start)
		dev_event_destroy(p->start);
	if (p->stop)
		dev_event_destroy(p->stop);
	if (p->stream)
		dev_stream_destroy(p->stream);
}

static int probe_open(struct probe *p, struct dev *d, struct err *e)
{
	int status;

	memset(p, 0, sizeof(*p));
	p->dev = d;
	p->kernels = probe_kernels_for(d);
	p->host = malloc(WINDOW_BYTES);
	if (!p->host)
		return err_set(e, ERR_MEMORY, "no memory to check the results");
	status = dev_get_info(d, &p->info, e);
	p->bytes = DEVICE_COPY_BYTES;
	while (!status && p->bytes > p->info.memory_free / 4 && p->bytes > WINDOW_BYTES)
		p->bytes /= 2;
	if (!status)
		status = dev_alloc(d, (void **)&p->a, p->bytes, e);
	if (!status)
		status = dev_alloc(d, (void **)&p->b, p->bytes, e);
	if (!status)
		status = dev_stream_create(d, &p->stream, e);
	if (!status)
		status = dev_event_create(d, &p->start, e);
	if (!status)
		status = dev_event_create(d, &p->stop, e);
	if (status)
		probe_close(p);
	return status;
}

/* Compares words of device memory with the pattern of fill. */
static int check_pattern(struct probe *p, const uint32_t *device, size_t bytes, const char *what,
			 struct err *e)
{
	size_t window = bytes < WINDOW_BYTES ? bytes : WINDOW_BYTES;
	size_t starts[3] = { 0, (bytes - window) / 8 * 4, bytes - window };

	for (int w = 0; w < 3; w++) {
		size_t first = starts[w] / 4;
		int status = dev_copy_from(p->stream, p->host, device + first, window, e);

		if (!status)
			status = dev_stream_sync(p->stream, e);
		if (status)
			return status;
		for (size_t i = 0; i < window / 4; i++)
			if (p->host[i] != probe_pattern(first + i))
				return err_set(e, ERR_FAILED, "%s: word %zu is wrong", what,
					       first + i);
	}
	return 0;
}

static int elapsed(struct probe *p, double *seconds, struct err *e)
{
	int status = dev_event_record(p->stop, p->stream, e);

	return status ? status : dev_event_elapsed(p->start, p->stop, seconds, e);
}

/* ---- arithmetic and shared memory ---- */

static int time_rate(struct probe *p, enum probe_rate rate, int steps, int blocks, double *seconds,
		     struct err *e)
{
	int status = dev_event_record(p->start, p->stream, e);

	if (!status)
		status = p->kernels->rate[rate](p->stream, p->a, steps, blocks, e);
	return status ? status : elapsed(p, seconds, e);
}

int probe_check(const uint32_t *words, enum probe_rate rate, int steps, size_t threads,
		struct err *e)
{
	size_t stride = threads / 64 + 1;

	for (size_t i = 0; i < threads; i += i < 32 || i + 33 > threads ? 1 : stride) {
		uint32_t expected = expected_word(rate, (uint32_t)i, steps);

		if (words[i] != expected)
			return err_set(e, ERR_FAILED,
				       "rate kernel %d, %d steps: thread %zu left %u, not %u",
				       (int)rate, steps, i, words[i], expected);
	}
	return 0;
}

static int check_launch(struct probe *p, enum probe_rate rate, int steps, int blocks, struct err *e)
{
	size_t threads = (size_t)blocks * PROBE_BLOCK;
	uint32_t *words = malloc(threads * sizeof(*words));
	int status;

	if (!words)
		return err_set(e, ERR_MEMORY, "no memory to check the results");
	status = dev_copy_from(p->stream, words, p->a, threads * sizeof(*words), e);
	if (!status)
		status = dev_stream_sync(p->stream, e);
	if (!status)
		status = probe_check(words, rate, steps, threads, e);
	free(words);
	return status;
}

/* As many blocks as fit at once, so that there is no incomplete last wave. */
static int full_grid(const struct probe *p, enum probe_rate rate)
{
	enum { RESERVED = 1 << 10 }; /* bytes per block that the system reserves */
	int fit = 2048 / PROBE_BLOCK;

	if (rate == PROBE_SHARED_READ || rate == PROBE_SHARED_WRITE) {
		int room = (int)(p->info.shared_per_sm / (PROBE_SHARED_BYTES + RESERVED));

		fit = room < 1 ? 1 : room < fit ? room : fit;
	}
	return fit * p->info.sm_count;
}

static int warm_up(struct probe *p, struct err *e)
{
	double from = clock_wall(), seconds;
	int status = 0;

	while (!status && clock_wall() - from < WARM_SECONDS)
		status = time_rate(p, PROBE_ADD_MAX, 1 << 14, full_grid(p, PROBE_ADD_MAX), &seconds,
				   e);
	return status;
}

static int measure_rate(struct probe *p, enum probe_rate rate, double *per_second, struct err *e)
{
	int steps = 1 << 8, blocks = full_grid(p, rate), status;
	double seconds = 0, best = 0;

	for (;;) {
		status = time_rate(p, rate, steps, blocks, &seconds, e);
		if (status || seconds >= LAUNCH_SECONDS || steps >= MOST_STEPS)
			break;
		steps *= 2;
	}
	for (int i = 0; !status && i < REPEATS; i++) {
		status = time_rate(p, rate, steps, blocks, &seconds, e);
		if (i == 0 || seconds < best)
			best = seconds;
	}
	if (!status)
		status = check_launch(p, rate, steps, blocks, e);
	*per_second = best > 0 ? amount(rate, blocks, steps) / best : 0;
	return status;
}

static int measure_rates(struct probe *p, struct peaks *peaks, FILE *log, struct err *e)
{
	static const enum peak ids[PROBE_RATES] = {
		[PROBE_SHARED_READ] = PEAK_GPU_SHARED_READ,
		[PROBE_SHARED_WRITE] = PEAK_GPU_SHARED_WRITE,
		[PROBE_ADD_MAX] = PEAK_GPU_ADD_MAX,
		[PROBE_ADD_MAX_16] = PEAK_GPU_ADD_MAX_16,
		[PROBE_POPCOUNT] = PEAK_GPU_POPCOUNT,
		[PROBE_BINARY] = PEAK_GPU_BINARY,
		[PROBE_FMA] = PEAK_GPU_FMA,
	};
	int status = warm_up(p, e);

	for (int r = 0; !status && r < PROBE_RATES; r++) {
		double per_second = 0;

		status = measure_rate(p, (enum probe_rate)r, &per_second, e);
		if (!status)
			status = peaks_set(peaks, ids[r], per_second, log, e);
	}
	return status;
}

/* ---- device memory ---- */

/* *best: the shortest time of a copy a -> b by the kernel with `blocks` blocks, or by the copy
 * engine if 0. */
static int time_copy(struct probe *p, size_t bytes, int passes, int blocks, double *best,
		     struct err *e)
{
	int status = 0;

	for (int i = 0; !status && i < REPEATS; i++) {
		double seconds = 0;

		status = dev_event_record(p->start, p->stream, e);
		if (status)
			break;
		if (blocks)
			status = p->kernels->copy(p->stream, p->a, p->b, bytes / 16, passes, blocks,
						  e);
		else
			status = dev_copy_on(p->stream, p->b, p->a, bytes, e);
		if (!status)
			status = elapsed(p, &seconds, e);
		if (!status && seconds > 0 && (*best <= 0 || seconds < *best))
			*best = seconds;
	}
	return status;
}

static int measure_copy(struct probe *p, size_t bytes, int passes, double *per_second,
			struct err *e)
{
	const int per_sm[] = { 0, 4, 8, 16, 64 };
	double best = 0;
	int status = p->kernels->fill(p->stream, p->a, bytes / 4, full_grid(p, PROBE_FMA), e);

	for (size_t i = 0; !status && i < sizeof(per_sm) / sizeof(*per_sm); i++) {
		if (per_sm[i] == 0 && passes > 1)
			continue; /* the copy engine makes one pass */
		status = dev_fill(p->stream, p->b, 0xff, bytes, e);
		if (!status)
			status =
				time_copy(p, bytes, passes, per_sm[i] * p->info.sm_count, &best, e);
		if (!status)
			status = check_pattern(p, p->b, bytes, "device copy", e);
	}
	*per_second = best > 0 ? 2.0 * (double)bytes * passes / best : 0;
	return status;
}

static int measure_memory(struct probe *p, struct peaks *peaks, FILE *log, struct err *e)
{
	size_t l2_bytes = p->bytes < L2_COPY_BYTES ? p->bytes : L2_COPY_BYTES;
	double per_second;
	int status;

	/* a quarter of L2 per array, which leaves room for other cached data */
	while (p->info.l2_bytes > 0 && l2_bytes > p->info.l2_bytes / 4 && l2_bytes > 65536)
		l2_bytes /= 2;
	status = measure_copy(p, p->bytes, 1, &per_second, e);
	if (!status)
		status = peaks_set(peaks, PEAK_GPU_COPY, per_second, log, e);
	if (!status)
		status = measure_copy(p, l2_bytes, 200, &per_second, e);
	return status ? status : peaks_set(peaks, PEAK_GPU_L2_COPY, per_second, log, e);
}

/* ---- launches ---- */

static int measure_launch(struct probe *p, struct peaks *peaks, FILE *log, struct err *e)
{
	double best = 0;
	int status = 0;

	for (int round = 0; !status && round < 3; round++) {
		uint32_t count = 0;
		double from, seconds;

		status = dev_fill(p->stream, p->a, 0, sizeof(count), e);
		if (!status)
			status = dev_stream_sync(p->stream, e);
		from = clock_wall();
		for (int i = 0; !status && i < TICKS; i++)
			status = p->kernels->tick(p->stream, p->a, e);
		if (!status)
			status = dev_stream_sync(p->stream, e);
		seconds = (clock_wall() - from) / TICKS;
		if (round == 0 || seconds < best)
			best = seconds;
		if (!status)
			status = dev_copy_from(p->stream, &count, p->a, sizeof(count), e);
		if (!status)
			status = dev_stream_sync(p->stream, e);
		if (!status && count != TICKS)
			status = err_set(e, ERR_FAILED, "%u of %d launches ran", count, TICKS);
	}
	return status ? status : peaks_set(peaks, PEAK_GPU_LAUNCH, best, log, e);
}

/* ---- to and from the host ---- */

static int time_transfer(struct probe *p, uint32_t *host, size_t bytes, bool to_device,
			 double *per_second, struct err *e)
{
	double best = 0;
	int status = 0;

	for (int i = 0; !status && i < 4; i++) {
		double from = clock_wall(), seconds;

		status = to_device ? dev_copy_to(p->stream, p->a, host, bytes, e) :
				     dev_copy_from(p->stream, host, p->a, bytes, e);
		if (!status)
			status = dev_stream_sync(p->stream, e);
		seconds = clock_wall() - from;
		if (i == 0 || seconds < best)
			best = seconds;
	}
	*per_second = best > 0 ? (double)bytes / best : 0;
	return status;
}

static int measure_host_memory(struct probe *p, uint32_t *host, size_t bytes, enum peak to,
			       enum peak from, struct peaks *peaks, FILE *log, struct err *e)
{
	double per_second = 0;
	int status;

	for (size_t i = 0; i < bytes / 4; i++)
		host[i] = probe_pattern(i);
	status = time_transfer(p, host, bytes, true, &per_second, e);
	if (!status)
		status = check_pattern(p, p->a, bytes, "copy to the device", e);
	if (!status)
		status = peaks_set(peaks, to, per_second, log, e);
	memset(host, 0xff, bytes);
	if (!status)
		status = time_transfer(p, host, bytes, false, &per_second, e);
	for (size_t i = 0; !status && i < bytes / 4; i++)
		if (host[i] != probe_pattern(i))
			status = err_set(e, ERR_FAILED, "copy from the device: word %zu is wrong",
					 i);
	return status ? status : peaks_set(peaks, from, per_second, log, e);
}

static int measure_transfers(struct probe *p, struct peaks *peaks, FILE *log, struct err *e)
{
	size_t bytes = p->bytes < TRANSFER_BYTES ? p->bytes : TRANSFER_BYTES;
	void *pinned;
	uint32_t *pageable;
	int status = dev_host_alloc(p->dev, &pinned, bytes, e);

	if (status)
		return status;
	status = measure_host_memory(p, pinned, bytes, PEAK_PINNED_TO, PEAK_PINNED_FROM, peaks, log,
				     e);
	dev_host_free(p->dev, pinned);
	if (status)
		return status;
	pageable = malloc(bytes);
	if (!pageable)
		return err_set(e, ERR_MEMORY, "no memory for %zu bytes to copy", bytes);
	status = measure_host_memory(p, pageable, bytes, PEAK_PAGEABLE_TO, PEAK_PAGEABLE_FROM,
				     peaks, log, e);
	free(pageable);
	return status;
}

/* ---- to another GPU ---- */

static int time_peer(struct probe *p, struct probe *peer, size_t bytes, int copies, double *seconds,
		     struct err *e)
{
	double from = clock_wall();
	int status = 0;

	for (int i = 0; !status && i < copies; i++) {
		status = dev_copy_peer(p->stream, peer->dev, peer->a, p->dev, p->a, bytes, e);
		if (!status)
			status = dev_stream_sync(p->stream, e);
	}
	*seconds = (clock_wall() - from) / copies;
	return status;
}

static int best_peer(struct probe *p, struct probe *peer, size_t bytes, int copies, double *best,
		     struct err *e)
{
	int status = dev_fill(peer->stream, peer->a, 0xff, bytes, e);

	if (!status)
		status = dev_stream_sync(peer->stream, e);
	for (int i = 0; !status && i < REPEATS; i++) {
		double seconds;

		status = time_peer(p, peer, bytes, copies, &seconds, e);
		if (i == 0 || seconds < *best)
			*best = seconds;
	}
	return status ? status : check_pattern(peer, peer->a, bytes, "copy to a peer", e);
}

static int measure_peer(struct probe *p, struct dev *other, struct peaks *peaks, FILE *log,
			struct err *e)
{
	struct err why;
	struct probe peer;
	size_t bytes;
	double best = 0;
	int status;

	if (dev_enable_peer(p->dev, other, &why) || dev_enable_peer(other, p->dev, &why)) {
		if (log)
			fprintf(log, "  no peer copies: %s\n", why.text);
		return 0; /* two GPUs without peer access are not an error */
	}
	status = probe_open(&peer, other, e);
	if (status)
		return status;
	bytes = p->bytes < peer.bytes ? p->bytes : peer.bytes;
	status = p->kernels->fill(p->stream, p->a, bytes / 4, full_grid(p, PROBE_FMA), e);
	if (!status)
		status = best_peer(p, &peer, bytes, 1, &best, e);
	if (!status)
		status = peaks_set(peaks, PEAK_PEER, (double)bytes / best, log, e);
	if (!status)
		status = best_peer(p, &peer, LATENCY_BYTES, LATENCY_COPIES, &best, e);
	if (!status)
		status = peaks_set(peaks, PEAK_PEER_LATENCY, best, log, e);
	probe_close(&peer);
	return status;
}

int peaks_measure_gpu(struct peaks *peaks, const struct dev_set *devices, FILE *log, struct err *e)
{
	struct probe p;
	int status = probe_open(&p, devices->dev[0], e);

	if (status)
		return status;
	status = measure_rates(&p, peaks, log, e);
	if (!status)
		status = measure_memory(&p, peaks, log, e);
	if (!status)
		status = measure_launch(&p, peaks, log, e);
	if (!status)
		status = measure_transfers(&p, peaks, log, e);
	if (!status && devices->count > 1)
		status = measure_peer(&p, devices->dev[1], peaks, log, e);
	probe_close(&p);
	return status;
}
