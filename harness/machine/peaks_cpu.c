/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Measures the peak rates of a processor. Each piece of work runs on one core and then on all cores
 * at once, between barriers. The best of several rounds counts; its result is checked. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/checked.h"
#include "harness/base/clock.h"
#include "harness/base/rng.h"
#include "harness/base/team.h"
#include "harness/machine/peaks_measure.h"

#define VEC_CELL int32_t
#include "harness/base/simd.h"

/* The compiler must assume that memory was read and written here. */
#define MEMORY_USED() __asm__ volatile("" ::: "memory")

enum { CHAINS = 12 }; /* enough to hide the latency of add, max and FMA */

static uint64_t work_word(size_t i)
{
	return rng_at(7, i);
}

void peaks_work_prepare(struct peaks_state *s)
{
	for (size_t i = 0; i < s->bytes / sizeof(*s->a); i++)
		s->a[i] = work_word(i);
	memset(s->b, 0, s->bytes);
	s->result = 0;
	memset(s->words, 0, sizeof(s->words));
}

/* ---- copies ---- */

static size_t memory_bytes(const struct peaks_sizes *z)
{
	return z->memory;
}

static size_t l1_bytes(const struct peaks_sizes *z)
{
	return z->l1;
}

static size_t l2_bytes(const struct peaks_sizes *z)
{
	return z->l2;
}

/* memcpy is the fastest copy of arrays that exceed the caches. */
static void run_copy(struct peaks_state *s, long steps)
{
	for (long step = 0; step < steps; step++) {
		memcpy(s->b, s->a, s->bytes);
		MEMORY_USED();
	}
}

typedef uint64_t line __attribute__((vector_size(64), aligned(64)));

/* Within a cache the start-up time of memcpy is significant, so this moves eight cache lines at a
 * time with vectors. */
static void run_cached_copy(struct peaks_state *s, long steps)
{
	const size_t lines = s->bytes / sizeof(line);
	const line *from = (const line *)s->a;
	line *to = (line *)s->b;

	for (long step = 0; step < steps; step++) {
		for (size_t i = 0; i < lines; i += 8) {
			line v[8];

			for (int k = 0; k < 8; k++)
				v[k] = from[i + (size_t)k];
			for (int k = 0; k < 8; k++)
				to[i + (size_t)k] = v[k];
		}
		MEMORY_USED();
	}
}

static int check_copy(const struct peaks_state *s, long steps, struct err *e)
{
	for (size_t i = 0; i < s->bytes / sizeof(*s->b); i++)
		if (s->b[i] != (steps > 0 ? work_word(i) : 0))
			return err_set(e, ERR_FAILED, "copy: word %zu is wrong", i);
	return 0;
}

static double copy_amount(size_t bytes)
{
	return 2 * (double)bytes;
}

/* ---- arithmetic ---- */

static int32_t chain_start(int chain, int lane)
{
	return (chain * 37 + lane * 11) & 1023;
}

static void run_add_max(struct peaks_state *s, long steps)
{
	int32_t lanes[CHAINS][VEC_LANES], up[VEC_LANES], down[VEC_LANES];
	vec x[CHAINS], a, b;

	for (int lane = 0; lane < VEC_LANES; lane++) {
		up[lane] = 1 + lane % 3;
		down[lane] = -2 - lane % 3;
		for (int k = 0; k < CHAINS; k++)
			lanes[k][lane] = chain_start(k, lane);
	}
	memcpy(x, lanes, sizeof(x));
	memcpy(&a, up, sizeof(a));
	memcpy(&b, down, sizeof(b));
	for (long step = 0; step < steps; step++) {
		for (int k = 0; k < CHAINS; k++)
			x[k] = vec_max(x[k] + a, x[(k + 5) % CHAINS]);
		for (int k = 0; k < CHAINS; k++)
			x[k] = vec_max(x[k] + b, x[(k + 7) % CHAINS]);
	}
	memcpy(lanes, x, sizeof(lanes));
	memcpy(s->words, lanes, sizeof(lanes));
}

/* Recomputes the first, a middle and the last lane in 64-bit scalars. */
static int check_add_max(const struct peaks_state *s, long steps, struct err *e)
{
	for (int i = 0; i < 3; i++) {
		int lane = i * (VEC_LANES - 1) / 2;
		int64_t x[CHAINS], shift[2] = { 1 + lane % 3, -2 - lane % 3 };

		for (int k = 0; k < CHAINS; k++)
			x[k] = chain_start(k, lane);
		for (long half = 0; half < 2 * steps; half++)
			for (int k = 0; k < CHAINS; k++) {
				int64_t other = x[(k + (half % 2 ? 7 : 5)) % CHAINS];
				int64_t sum = x[k] + shift[half % 2];

				x[k] = sum > other ? sum : other;
			}
		for (int k = 0; k < CHAINS; k++)
			if ((int32_t)s->words[k * VEC_LANES + lane] != x[k])
				return err_set(e, ERR_FAILED, "add-max: chain %d, lane %d is wrong",
					       k, lane);
	}
	return 0;
}

static double add_max_amount(size_t bytes)
{
	(void)bytes;
	return 2.0 * CHAINS * VEC_LANES;
}

static void run_fma(struct peaks_state *s, long steps)
{
	float lanes[CHAINS][VEC_LANES], factors[VEC_LANES], terms[VEC_LANES];
	vec_floats x[CHAINS], factor, term;

	for (int lane = 0; lane < VEC_LANES; lane++) {
		factors[lane] = lane % 2 ? 0.75f : 0.5f;
		terms[lane] = 1 + 0.125f * (float)lane;
		for (int k = 0; k < CHAINS; k++)
			lanes[k][lane] = (float)chain_start(k, lane);
	}
	memcpy(x, lanes, sizeof(x));
	memcpy(&factor, factors, sizeof(factor));
	memcpy(&term, terms, sizeof(term));
	for (long step = 0; step < steps; step++)
		for (int k = 0; k < CHAINS; k++)
			x[k] = vec_fma(x[k], factor, term);
	memcpy(s->words, x, sizeof(x));
}

static int check_fma(const struct peaks_state *s, long steps, struct err *e)
{
	long enough = steps < 1000 ? steps : 1000; /* the fixed point is reached long before */

	for (int lane = 0; lane < VEC_LANES; lane++)
		for (int k = 0; k < CHAINS; k++) {
			float x = (float)chain_start(k, lane), found;

			for (long step = 0; step < enough; step++)
				x = fmaf(x, lane % 2 ? 0.75f : 0.5f, 1 + 0.125f * (float)lane);
			memcpy(&found, &s->words[k * VEC_LANES + lane], sizeof(found));
			if (found != x)
				return err_set(e, ERR_FAILED, "FMA: chain %d, lane %d is wrong", k,
					       lane);
		}
	return 0;
}

static double fma_amount(size_t bytes)
{
	(void)bytes;
	return (double)CHAINS * VEC_LANES;
}

/* Counts the bits of an array in L1, the typical use of bit sets. The compiler vectorises it where
 * it can. */
static void run_popcount(struct peaks_state *s, long steps)
{
	const size_t words = s->bytes / sizeof(*s->a);
	uint64_t total = 0;

	for (long step = 0; step < steps; step++) {
		uint64_t bits = 0;

		for (size_t i = 0; i < words; i++)
			bits += (uint64_t)__builtin_popcountll(s->a[i]);
		total += bits;
		MEMORY_USED();
	}
	s->result = total;
}

static int check_popcount(const struct peaks_state *s, long steps, struct err *e)
{
	uint64_t bits = 0;

	for (size_t i = 0; i < s->bytes / sizeof(*s->a); i++)
		for (uint64_t word = work_word(i); word; word &= word - 1)
			bits++;
	if (s->result != bits * (uint64_t)steps)
		return err_set(e, ERR_FAILED, "popcount: %llu bits, not %llu",
			       (unsigned long long)s->result,
			       (unsigned long long)(bits * (uint64_t)steps));
	return 0;
}

static double popcount_amount(size_t bytes)
{
	return (double)bytes / 8;
}

const struct peaks_work peaks_works[WORKS] = {
	[WORK_COPY] = { "copy", memory_bytes, run_copy, check_copy, copy_amount },
	[WORK_COPY_L1] = { "L1 copy", l1_bytes, run_cached_copy, check_copy, copy_amount },
	[WORK_COPY_L2] = { "L2 copy", l2_bytes, run_cached_copy, check_copy, copy_amount },
	[WORK_ADD_MAX] = { "add-max", l1_bytes, run_add_max, check_add_max, add_max_amount },
	[WORK_POPCOUNT] = { "popcount", l1_bytes, run_popcount, check_popcount, popcount_amount },
	[WORK_FMA] = { "FMA", l1_bytes, run_fma, check_fma, fma_amount },
};

/* ---- timing ---- */

#define ROUND_SECONDS 0.02
enum { ROUNDS = 8, PASSES = 3, PAGE = 4096, MOST_THREADS = 1024 };
#define MOST_STEPS (1L << 30)

struct run {
	const struct peaks_work *work;
	size_t bytes;
	long steps;
	int threads;
	struct team_barrier barrier;
	double best; /* seconds of a round of all threads; written by thread 0 */
};

struct member {
	struct run *run;
	int index;
	int status;
	struct err error;
};

/* Array a, then b, each 64-byte aligned; first touched by the thread that uses them. */
static int allocate(struct peaks_state *s, size_t bytes, struct err *e)
{
	size_t both;
	void *memory;

	memset(s, 0, sizeof(*s));
	if (!checked_mul_size(bytes, 2, &both) || posix_memalign(&memory, PAGE, both) != 0)
		return err_set(e, ERR_MEMORY, "no memory for %zu bytes to copy", bytes);
	s->bytes = bytes;
	s->a = memory;
	s->b = s->a + bytes / sizeof(*s->a);
	return 0;
}

static void play(void *argument)
{
	struct member *m = argument;
	struct run *t = m->run;
	struct peaks_state s;

	m->status = allocate(&s, t->bytes, &m->error);
	if (!m->status)
		peaks_work_prepare(&s);
	for (int round = 0; round < ROUNDS; round++) {
		double from;

		team_barrier_wait(&t->barrier);
		from = clock_wall();
		if (!m->status)
			t->work->run(&s, t->steps);
		team_barrier_wait(&t->barrier);
		if (m->index == 0 && (round == 0 || clock_wall() - from < t->best))
			t->best = clock_wall() - from;
	}
	if (!m->status)
		m->status = t->work->check(&s, t->steps, &m->error);
	free(s.a);
}

static int play_together(struct run *t, struct member *members, struct err *e)
{
	int status;

	for (int i = 0; i < t->threads; i++)
		members[i] = (struct member){ .run = t, .index = i };
	status = team_run_all(play, members, sizeof(*members), t->threads, e);
	for (int i = 0; !status && i < t->threads; i++)
		status = err_merge(status, members[i].status, &members[i].error, e);
	return status;
}

static int run_threads(struct run *t, struct err *e)
{
	struct member *members = calloc((size_t)t->threads, sizeof(*members));
	int status;

	if (!members)
		return err_set(e, ERR_MEMORY, "no memory for %d threads", t->threads);
	team_barrier_init(&t->barrier, t->threads);
	status = play_together(t, members, e);
	free(members);
	return status;
}

/* Finds a number of steps such that a round is much longer than the barriers. */
static int calibrate(const struct peaks_work *work, size_t bytes, long *steps, struct err *e)
{
	struct peaks_state s;
	int status = allocate(&s, bytes, e);

	if (status)
		return status;
	peaks_work_prepare(&s);
	for (*steps = 1; *steps < MOST_STEPS; *steps *= 2) {
		double from = clock_wall();

		work->run(&s, *steps);
		if (clock_wall() - from >= ROUND_SECONDS)
			break;
	}
	free(s.a);
	return 0;
}

static int measure(const struct peaks_work *work, const struct peaks_sizes *sizes, int threads,
		   double *per_second, struct err *e)
{
	struct run t = { .work = work, .bytes = work->bytes(sizes), .threads = threads };
	int status = calibrate(work, t.bytes, &t.steps, e);

	if (!status)
		status = run_threads(&t, e);
	*per_second = t.best > 0 ? work->amount(t.bytes) * (double)t.steps * threads / t.best : 0;
	return status;
}

static size_t cache_bytes(const struct environment *env, int level, size_t fallback)
{
	for (int i = 0; i < env->cache_count; i++)
		if (env->caches[i].level == level && env->caches[i].bytes > 0 &&
		    strcmp(env->caches[i].type, "Instruction") != 0)
			return (size_t)env->caches[i].bytes;
	return fallback;
}

static size_t whole_pages(size_t bytes)
{
	return bytes < PAGE ? PAGE : bytes / PAGE * PAGE;
}

/* Two arrays fill half of their cache. In memory they exceed any cache, but use at most a quarter
 * of the available memory. */
static struct peaks_sizes choose_sizes(const struct environment *env, int threads)
{
	struct peaks_sizes z = {
		.memory = (size_t)64 << 20,
		.l1 = whole_pages(cache_bytes(env, 1, 32 << 10) / 4),
		.l2 = whole_pages(cache_bytes(env, 2, 256 << 10) / 4),
	};
	size_t available = (size_t)env->memory_available;

	while (z.memory < 2 * cache_bytes(env, 3, 0) / (size_t)threads)
		z.memory *= 2;
	while (available > 0 && z.memory > PAGE && 2 * z.memory * (size_t)threads > available / 4)
		z.memory /= 2;
	z.memory = whole_pages(z.memory);
	return z;
}

static const struct piece {
	enum peaks_work_kind kind;
	enum peak single, all; /* PEAKS: none for all cores */
} plan[] = {
	{ WORK_COPY, PEAK_CPU_COPY_1, PEAK_CPU_COPY },
	{ WORK_COPY_L1, PEAK_CPU_L1_COPY_1, PEAKS },
	{ WORK_COPY_L2, PEAK_CPU_L2_COPY_1, PEAK_CPU_L2_COPY },
	{ WORK_ADD_MAX, PEAK_CPU_ADD_MAX_1, PEAK_CPU_ADD_MAX },
	{ WORK_POPCOUNT, PEAK_CPU_POPCOUNT_1, PEAK_CPU_POPCOUNT },
	{ WORK_FMA, PEAK_CPU_FMA_1, PEAK_CPU_FMA },
};

struct best {
	double single, all;
};

/* The rate of all cores is at least that of one core, because the others may idle. */
static int improve(struct best *b, const struct piece *p, const struct environment *env,
		   int threads, struct err *e)
{
	const struct peaks_work *work = &peaks_works[p->kind];
	struct peaks_sizes alone = choose_sizes(env, 1), together = choose_sizes(env, threads);
	double single, all = 0;
	int status = measure(work, &alone, 1, &single, e);

	if (!status && p->all != PEAKS)
		status = measure(work, &together, threads, &all, e);
	if (status)
		return status;
	b->single = fmax(b->single, single);
	b->all = fmax(b->all, fmax(b->single, all));
	return 0;
}

static int keep(struct peaks *peaks, const struct piece *p, const struct best *b, FILE *log,
		struct err *e)
{
	int status = peaks_set(peaks, p->single, b->single, log, e);

	if (!status && p->all != PEAKS)
		status = peaks_set(peaks, p->all, b->all, log, e);
	return status;
}

/* Measures everything in several passes, because shared cores or low clocks may slow down one of
 * them. */
int peaks_measure_cpu(struct peaks *peaks, const struct environment *env, int threads, FILE *log,
		      struct err *e)
{
	enum { PIECES = sizeof(plan) / sizeof(*plan) };
	int count = threads < 1 ? 1 : threads > MOST_THREADS ? MOST_THREADS : threads;
	struct best best[PIECES] = { 0 };
	int status = 0;

	for (int pass = 0; pass < PASSES; pass++)
		for (int i = 0; !status && i < PIECES; i++) {
			status = improve(&best[i], &plan[i], env, count, e);
			if (!status && pass == PASSES - 1)
				status = keep(peaks, &plan[i], &best[i], log, e);
		}
	return status;
}
