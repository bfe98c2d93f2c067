/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/helbecque-pool/tuner.h"

#include "harness/base/clock.h"

enum { OFFLOADS_MEASURED = 3 };

void pool_tuner_open(struct pool_tuner *t, int64_t fixed, size_t start, size_t most)
{
	size_t M = fixed > 0 ? (size_t)fixed : start;

	M = M < most ? M : most;
	*t = (struct pool_tuner){ .M = M,
				  .present = M,
				  .least = M,
				  .most = M,
				  .patience = POOL_TUNER_PATIENCE,
				  .up = true };
	if (fixed > 0)
		return;
	t->most = most;
	t->least = POOL_TUNER_SMALLEST < M ? POOL_TUNER_SMALLEST : M;
}

size_t pool_tuner_limit(const struct pool_evaluator *problem, enum dev_backend backend)
{
	bool real = dev_backend_is_gpu(backend);
	const struct fsp_tables *t = &problem->bounder.tables;
	int64_t n = problem->format.n, passes = problem->bounder.step ? t->pairs : 1;
	int64_t steps, limit, least;

	if (problem->queens)
		return real ? POOL_TUNER_GREATEST : POOL_TUNER_START;
	steps = n * (n * passes + t->machines);
	limit = (real ? POOL_TUNER_STEPS : POOL_TUNER_STEPS_SIM) / steps;
	least = real ? POOL_TUNER_LIMIT_LEAST : 1;
	return (size_t)(limit < least               ? least :
			limit < POOL_TUNER_GREATEST ? limit :
						      POOL_TUNER_GREATEST);
}

static size_t neighbour_of(const struct pool_tuner *t)
{
	size_t M = t->up ? 2 * t->present : t->present / 2;

	return M < t->least ? t->least : M < t->most ? M : t->most;
}

/* Whether a window of the neighbour fits into its share. `lasted`: seconds of the last window of
 * the current size. */
static bool may_try(const struct pool_tuner *t, double now, double lasted)
{
	double longer = (double)neighbour_of(t) / (double)t->present;

	return t->trying + lasted * (longer > 1 ? longer : 1) <=
	       POOL_TUNER_SHARE * (now - t->opened + POOL_TUNER_CREDIT_SECONDS);
}

static void forget(struct pool_tuner *t)
{
	t->neighbour = 0;
	t->duel = (struct duel){ .pairs = 0 };
}

/* Continues with the other neighbour, or rests after both have lost. */
static void lose(struct pool_tuner *t)
{
	forget(t);
	t->M = t->present;
	t->up = !t->up;
	if (++t->failed < 2)
		return;
	t->failed = 0;
	t->wait = t->patience;
	t->patience =
		t->patience < POOL_TUNER_PATIENCE_MOST ? 2 * t->patience : POOL_TUNER_PATIENCE_MOST;
}

static void win(struct pool_tuner *t)
{
	t->present = neighbour_of(t);
	t->M = neighbour_of(t); /* the next one */
	t->rate = t->neighbour;
	t->failed = 0;
	t->patience = POOL_TUNER_PATIENCE;
	forget(t);
	if (t->M == t->present)
		lose(t);
}

/* Evaluates a window of the current size after one of the neighbour. Returns whether the neighbour
 * won. */
static bool compare(struct pool_tuner *t, double rate)
{
	enum duel_verdict v = duel_pair(&t->duel, t->rate, t->neighbour, rate, POOL_TUNER_CLEAR);

	if (v == DUEL_WON)
		win(t);
	else if (v == DUEL_LOST)
		lose(t);
	t->neighbour = 0;
	return v == DUEL_WON;
}

/* Handles the end of a window of the size t->M. */
static void step(struct pool_tuner *t, double now)
{
	double seconds = now - t->begin, rate = t->work / seconds;

	if (t->M != t->present) {
		t->neighbour = rate;
		t->M = t->present;
		return;
	}
	if (t->neighbour > 0 && compare(t, rate))
		return;
	t->rate = rate;
	if (t->wait > 0) {
		t->wait--;
		return;
	}
	if (!may_try(t, now, seconds))
		return;
	t->M = neighbour_of(t);
	if (t->M == t->present)
		lose(t);
}

static void begin_window(struct pool_tuner *t, double now)
{
	t->begin = now;
	t->work = 0;
	t->chunks = 0;
}

void pool_tuner_chunk(struct pool_tuner *t, size_t count, uint64_t work, double now)
{
	if (t->least == t->most)
		return;
	if (t->opened == 0)
		t->opened = t->last = now;
	if (t->M != t->present)
		t->trying += now - t->last;
	t->last = now;
	if (count != t->M) {
		begin_window(t, now);
		if (t->M != t->present && ++t->others > POOL_OFFLOAD_CHUNKS + POOL_TUNER_CHUNKS)
			lose(t); /* the pool does not fill such a chunk */
		return;
	}
	t->others = 0;
	t->chunks++;
	t->work += (double)work;
	if (t->chunks < POOL_TUNER_CHUNKS || now - t->begin < POOL_TUNER_SECONDS)
		return;
	step(t, now);
	begin_window(t, now);
}

int pool_tuner_least(struct pool_offload *o, struct pool_evaluator *v, int32_t ub, size_t *m,
		     struct err *e)
{
	struct pool_offload_chunk *c = &o->chunk[0];
	uint32_t mask[FLOWSHOP_MAX_JOBS / 32 + 1];
	double offload = 0, host = 0;
	int status = 0;

	for (int i = 0; i < OFFLOADS_MEASURED && !status; i++) {
		double begin = clock_wall();

		pool_node_root(&v->format, c->nodes);
		status = pool_offload_start(o, c, 1, ub, e);
		if (!status)
			status = pool_offload_wait(c, e);
		c->count = 0;
		double middle = clock_wall();

		pool_evaluator_children(v, c->nodes, ub, mask);
		double end = clock_wall();

		offload = i == 0 || middle - begin < offload ? middle - begin : offload;
		host = i == 0 || end - middle < host ? end - middle : host;
	}
	double even = offload / (host + 1e-9);

	*m = even < POOL_TUNER_LEAST      ? POOL_TUNER_LEAST :
	     even < POOL_TUNER_LEAST_MOST ? (size_t)even :
					    POOL_TUNER_LEAST_MOST;
	return status;
}
