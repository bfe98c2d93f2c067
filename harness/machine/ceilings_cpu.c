/* Measures a processor's ceilings: each piece of work on one core, then on all at once, between
 * barriers; the best of several rounds counts, their result is checked. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/machine/ceilings_parts.h"
#include "harness/machine/ceilings_work.h"
#include "harness/base/checked.h"
#include "harness/base/clock.h"
#include "harness/base/team.h"

#define ROUND_SECONDS 0.02
enum { ROUNDS = 8, PASSES = 3, PAGE = 4096, MOST_THREADS = 1024 };
#define MOST_STEPS (1L << 30)

struct run {
	const struct work *work;
	size_t bytes;
	long steps;
	int threads;
	struct team_barrier barrier;
	double best; /* seconds of a round of all threads; written by member 0 */
};

struct member {
	struct run *run;
	int index;
	int status;
	struct err error;
};

/* Array a, then b, each 64-byte aligned; first touched by the thread that uses them. */
static int allocate(struct work_state *s, size_t bytes, struct err *e)
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
	struct work_state s;

	m->status = allocate(&s, t->bytes, &m->error);
	if (!m->status)
		work_prepare(&s);
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

/* Steps that make a round long against the barriers. */
static int calibrate(const struct work *work, size_t bytes, long *steps, struct err *e)
{
	struct work_state s;
	int status = allocate(&s, bytes, e);

	if (status)
		return status;
	work_prepare(&s);
	for (*steps = 1; *steps < MOST_STEPS; *steps *= 2) {
		double from = clock_wall();

		work->run(&s, *steps);
		if (clock_wall() - from >= ROUND_SECONDS)
			break;
	}
	free(s.a);
	return 0;
}

static int measure(const struct work *work, const struct work_sizes *sizes, int threads,
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

/* Two arrays fill a half of their cache; in memory they are beyond any cache, but a quarter of what
 * is free at most. */
static struct work_sizes choose_sizes(const struct environment *env, int threads)
{
	struct work_sizes z = {
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
	enum work_kind kind;
	enum ceiling single, all; /* CEILINGS: not of all */
} plan[] = {
	{ WORK_COPY, CEILING_CPU_COPY_1, CEILING_CPU_COPY },
	{ WORK_COPY_L1, CEILING_CPU_L1_COPY_1, CEILINGS },
	{ WORK_COPY_L2, CEILING_CPU_L2_COPY_1, CEILING_CPU_L2_COPY },
	{ WORK_ADD_MAX, CEILING_CPU_ADD_MAX_1, CEILING_CPU_ADD_MAX },
	{ WORK_POPCOUNT, CEILING_CPU_POPCOUNT_1, CEILING_CPU_POPCOUNT },
	{ WORK_FMA, CEILING_CPU_FMA_1, CEILING_CPU_FMA },
};

struct best {
	double single, all;
};

/* All cores can do what one can: they may leave the others idle. */
static int improve(struct best *b, const struct piece *p, const struct environment *env,
		   int threads, struct err *e)
{
	const struct work *work = &ceilings_works[p->kind];
	struct work_sizes alone = choose_sizes(env, 1), together = choose_sizes(env, threads);
	double single, all = 0;
	int status = measure(work, &alone, 1, &single, e);

	if (!status && p->all != CEILINGS)
		status = measure(work, &together, threads, &all, e);
	if (status)
		return status;
	b->single = fmax(b->single, single);
	b->all = fmax(b->all, fmax(b->single, all));
	return 0;
}

static int keep(struct ceilings *c, const struct piece *p, const struct best *b, FILE *log,
		struct err *e)
{
	int status = ceilings_set(c, p->single, b->single, log, e);

	if (!status && p->all != CEILINGS)
		status = ceilings_set(c, p->all, b->all, log, e);
	return status;
}

/* Everything several times over: where cores and clocks are shared, one moment may be a bad one. */
int ceilings_measure_cpu(struct ceilings *c, const struct environment *env, int threads, FILE *log,
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
				status = keep(c, &plan[i], &best[i], log, e);
		}
	return status;
}
