#include "tuner.h"

#include "../../harness/clock.h"

enum { OFFLOADS_MEASURED = 3 };

void tuner_open(struct tuner *t, int64_t fixed, size_t most)
{
	size_t M = fixed > 0 ? (size_t)fixed : TUNER_START;

	M = M < most ? M : most;
	*t = (struct tuner){ .M = M, .present = M, .least = M, .most = M, .patience = TUNER_PATIENCE };
	if (fixed > 0)
		return;
	t->most = most < TUNER_GREATEST ? most : TUNER_GREATEST;
	t->least = TUNER_SMALLEST < M ? TUNER_SMALLEST : M;
}

static size_t neighbour_of(const struct tuner *t)
{
	size_t M = t->up ? 2 * t->present : t->present / 2;

	return M < t->least ? t->least : M < t->most ? M : t->most;
}

/* The neighbour was no better: the other one next; after both, a rest. */
static void fail(struct tuner *t)
{
	t->neighbour = 0;
	t->M = t->present;
	t->up = !t->up;
	if (++t->failed < 2)
		return;
	t->failed = 0;
	t->wait = t->patience;
	t->patience = t->patience < TUNER_PATIENCE_MOST ? 2 * t->patience : TUNER_PATIENCE_MOST;
}

/* It was. */
static void move(struct tuner *t)
{
	t->present = t->M = neighbour_of(t);
	t->neighbour = 0;
	t->failed = 0;
	t->patience = TUNER_PATIENCE;
}

/* A window has ended at the size t->M. */
static void step(struct tuner *t, double rate)
{
	if (t->M != t->present) {
		t->neighbour = rate;
		t->M = t->present;
		return;
	}
	if (t->neighbour > 0 && t->neighbour > TUNER_GAIN * (t->rate + rate) / 2) {
		move(t);
		return;
	}
	if (t->neighbour > 0)
		fail(t);
	if (t->wait > 0) {
		t->wait--;
		return;
	}
	t->rate = rate;
	t->M = neighbour_of(t);
	if (t->M == t->present)
		fail(t);
}

static void begin_window(struct tuner *t, double now)
{
	t->begin = now;
	t->children = 0;
	t->chunks = 0;
}

void tuner_chunk(struct tuner *t, size_t count, uint64_t children, double now)
{
	if (t->least == t->most)
		return;
	if (count != t->M) {
		begin_window(t, now);
		if (t->M != t->present && ++t->others > OFFLOAD_CHUNKS + TUNER_CHUNKS)
			fail(t); /* the pool does not fill it */
		return;
	}
	t->others = 0;
	t->chunks++;
	t->children += (double)children;
	if (t->chunks < TUNER_CHUNKS || now - t->begin < TUNER_SECONDS)
		return;
	step(t, t->children / (now - t->begin));
	begin_window(t, now);
}

int tuner_least(struct offload *o, struct evaluator *v, int32_t ub, size_t *m, struct err *e)
{
	struct offload_chunk *c = &o->chunk[0];
	double offload = 0, host = 0;
	int status = 0;

	for (int i = 0; i < OFFLOADS_MEASURED && !status; i++) {
		double begin = clock_wall();

		node_root(&v->format, c->nodes);
		status = offload_start(o, c, 1, ub, e);
		if (!status)
			status = offload_wait(c, e);
		c->count = 0;
		double middle = clock_wall();

		evaluator_children(v, c->nodes, ub, c->masks);
		double end = clock_wall();

		offload = i == 0 || middle - begin < offload ? middle - begin : offload;
		host = i == 0 || end - middle < host ? end - middle : host;
	}
	double even = offload / (host + 1e-9);

	*m = even < TUNER_LEAST ? TUNER_LEAST : even < TUNER_LEAST_MOST ? (size_t)even :
									  TUNER_LEAST_MOST;
	return status;
}
