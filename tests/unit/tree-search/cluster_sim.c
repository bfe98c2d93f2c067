/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/tree-search/cluster_sim.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "harness/base/rng.h"

enum { CHUNK_MOST = 8 }; /* nodes between two polls of an engine */
#define STUCK_AFTER 1500.0

enum event_kind { MAIL, TIMER, ENGINE, CUT, STOP };

struct event {
	double time;
	uint64_t order; /* among events of the same time */
	enum event_kind kind;
	int rank, from;
	unsigned char *bytes;
	size_t size;
};

struct engine {
	struct cluster *c;
	double rate, timer; /* nodes per unit of time; time of the pending timer */
	struct pile *work;
	bool running, pause, done;
	struct tree_counts counts;
	struct tree_node best;
	bool found;
};

struct sim {
	const struct sim_plan *plan;
	struct sim_outcome *o;
	struct rng rng;
	double now, progress, delay;
	struct event *heap;
	size_t events, room;
	uint64_t order;
	int mails, seen; /* in transit; messages of the kind of the fault */
	struct engine *engine;
};

/* ---- events, the earliest first: a binary heap ---- */

static bool earlier(const struct event *a, const struct event *b)
{
	return a->time < b->time || (a->time == b->time && a->order < b->order);
}

static void swap(struct sim *s, size_t i, size_t j)
{
	struct event x = s->heap[i];

	s->heap[i] = s->heap[j];
	s->heap[j] = x;
}

static void post(struct sim *s, struct event x)
{
	if (s->events == s->room) {
		s->room = 2 * s->room + 64;
		s->heap = reallocarray(s->heap, s->room, sizeof(*s->heap));
		assert_non_null(s->heap);
	}
	x.order = s->order++;
	s->heap[s->events++] = x;
	for (size_t i = s->events - 1; i && earlier(&s->heap[i], &s->heap[(i - 1) / 2]);
	     i = (i - 1) / 2)
		swap(s, i, (i - 1) / 2);
}

static struct event next_event(struct sim *s)
{
	struct event x = s->heap[0];
	size_t i = 0;

	s->heap[0] = s->heap[--s->events];
	for (;;) {
		size_t least = i;

		for (size_t j = 2 * i + 1; j <= 2 * i + 2 && j < s->events; j++)
			least = earlier(&s->heap[j], &s->heap[least]) ? j : least;
		if (least == i)
			return x;
		swap(s, i, least);
		i = least;
	}
}

/* ---- the transport ---- */

/* Exponential, and now and then ten times as long. */
static double random_delay(struct sim *s)
{
	double delay = -log(1 - rng_unit(&s->rng)) * s->delay;

	return rng_below(&s->rng, 20) ? delay : 10 * delay;
}

static void deliver_later(struct sim *s, int from, int to, unsigned char *bytes, size_t size)
{
	s->mails++;
	s->o->messages++;
	post(s, (struct event){ .time = s->now + random_delay(s),
				.kind = MAIL,
				.rank = to,
				.from = from,
				.bytes = bytes,
				.size = size });
}

static unsigned char *copy_of(const unsigned char *bytes, size_t size)
{
	unsigned char *copy = reallocarray(NULL, size ? size : 1, 1);

	assert_non_null(copy);
	memcpy(copy, bytes, size);
	return copy;
}

/* Changes a field of a report. */
static void lie(struct sim *s, struct cluster_mail *m)
{
	struct cluster_head head;
	uint64_t count;

	memcpy(&head, m->bytes, sizeof(head));
	if (head.kind != CLUSTER_REPORT)
		return;
	memcpy(&count, m->bytes + sizeof(head), sizeof(count));
	head.received += s->plan->lie == SIM_LIE_RECEIVED;
	head.value -= s->plan->lie == SIM_LIE_VALUE;
	count += s->plan->lie == SIM_LIE_COUNT;
	memcpy(m->bytes, &head, sizeof(head));
	memcpy(m->bytes + sizeof(head), &count, sizeof(count));
	cluster_message_seal(m->bytes, m->size);
}

static void transmit(struct sim *s, int from, struct cluster_mail *m)
{
	const struct sim_plan *p = s->plan;
	struct cluster_head head;
	bool hit;

	memcpy(&head, m->bytes, sizeof(head));
	s->o->bests += head.kind == CLUSTER_BEST;
	if (p->fault == SIM_LIE)
		lie(s, m);
	hit = (p->fault == SIM_DROP || p->fault == SIM_DUPLICATE) && head.kind == p->kind &&
	      s->seen++ == p->victim;
	s->o->faulty = s->o->faulty || hit;
	if (hit && p->fault == SIM_DUPLICATE)
		deliver_later(s, from, m->to, copy_of(m->bytes, m->size), m->size);
	if (hit && p->fault == SIM_DROP)
		free(m->bytes);
	else
		deliver_later(s, from, m->to, m->bytes, m->size);
}

static void note(struct sim *s, const struct err *e)
{
	if (!s->o->error.code)
		s->o->error = *e;
}

/* Changes a few bytes, or the size. A forged copy is sealed again. */
static void offer_copy(struct sim *s, const struct event *x, bool forge)
{
	size_t size = x->size;
	unsigned char *copy = copy_of(x->bytes, size);
	struct err e = { 0 };
	int changes = 1 + (int)rng_below(&s->rng, 3), status;

	if (!forge && rng_below(&s->rng, 3) == 0)
		size = (size_t)rng_below(&s->rng, size);
	for (int i = 0; size && i < changes; i++)
		copy[rng_below(&s->rng, size)] ^= (unsigned char)(1 + rng_below(&s->rng, 255));
	if (forge)
		cluster_message_seal(copy, size);
	/* an exact allocation, so that a sanitizer finds reads behind its end */
	copy = reallocarray(copy, size ? size : 1, 1);
	assert_non_null(copy);
	if (size != x->size || memcmp(copy, x->bytes, size) != 0) {
		status = cluster_receive(s->engine[x->rank].c, x->from, copy, size, s->now, &e);
		s->o->faulty = true;
		s->o->refused += status == ERR_INPUT;
		if (!forge)
			assert_int_equal(status, ERR_INPUT);
		else if (status && status != ERR_INPUT)
			note(s, &e);
	}
	free(copy);
}

static void receive(struct sim *s, struct event *x)
{
	struct cluster_head head;
	struct err e = { 0 };

	s->mails--;
	memcpy(&head, x->bytes, sizeof(head));
	if (head.kind == CLUSTER_WORK || head.kind == CLUSTER_DEPOSIT || head.kind == CLUSTER_BEST)
		s->progress = s->now;
	if (s->plan->fault == SIM_CORRUPT || s->plan->fault == SIM_FORGE)
		offer_copy(s, x, s->plan->fault == SIM_FORGE);
	if (cluster_receive(s->engine[x->rank].c, x->from, x->bytes, x->size, s->now, &e))
		note(s, &e);
	free(x->bytes);
}

/* ---- engines ---- */

static int64_t bound_of(const struct sim *s, const struct engine *g)
{
	const unsigned char *path;
	int64_t value = TREE_NO_BOUND;
	size_t size;

	if (!s->plan->incumbents && s->plan->bound == TREE_NO_BOUND)
		return TREE_NO_BOUND;
	cluster_best(g->c, &value, &path, &size);
	return g->found && g->best.cost < value ? g->best.cost : value;
}

static void search_node(struct sim *s, struct engine *g, const struct tree_node *n)
{
	const struct tree *t = s->plan->tree;
	int64_t bound = bound_of(s, g);

	if (n->cost >= bound)
		return;
	tree_count_node(t, n, &g->counts);
	if (n->depth == t->depth && s->plan->incumbents) {
		g->best = *n;
		g->found = true;
	}
	for (int i = 0; i < tree_children(t, n); i++) {
		struct tree_node child = tree_child_of(n, i);

		if (child.cost < bound)
			pile_push(g->work, &child);
	}
}

static void next_chunk(struct sim *s, int rank)
{
	double nodes = (double)(1 + rng_below(&s->rng, CHUNK_MOST));

	post(s, (struct event){ .time = s->now + nodes / s->engine[rank].rate,
				.kind = ENGINE,
				.rank = rank,
				.size = (size_t)nodes });
}

/* The nodes below what an engine leaves open; 0: not told. */
static double nodes_below(struct sim *s, const struct pile *work)
{
	struct tree_counts sum = { { 0 } };

	if (!s->plan->estimate || rng_below(&s->rng, 8) == 0)
		return 0;
	for (size_t i = 0; i < work->count; i++)
		tree_enumerate(s->plan->tree, &work->node[i], s->plan->bound, &sum);
	return (double)sum.of[0];
}

/* What rank 0 knows of the whole tree. */
static void note_left(struct sim *s)
{
	double left = cluster_left(s->engine[0].c), whole = (double)s->plan->estimate;
	struct tree_counts counts;
	bool complete;

	if (left < 0)
		return;
	cluster_totals(s->engine[0].c, counts.of, &complete);
	s->o->last_missing = (whole - (double)counts.of[0] - left) / whole;
	s->o->missing = fmax(s->o->missing, s->o->last_missing);
	s->o->known = true;
}

static void end_slice(struct sim *s, struct engine *g)
{
	struct cluster_slice slice = { .work = g->work,
				       .left = nodes_below(s, g->work),
				       .counts = g->counts.of,
				       .has_value = g->found,
				       .value = g->best.cost,
				       .solution = g->best.path,
				       .solution_size = g->found ? (size_t)g->best.depth : 0 };
	struct err e = { 0 };

	if (!g->work->count) {
		pile_free(NULL, g->work);
		slice.work = NULL;
	}
	g->work = NULL;
	g->running = g->pause = false;
	if (cluster_return(g->c, &slice, s->now, &e))
		note(s, &e);
	g->counts = (struct tree_counts){ { 0 } };
	g->found = false;
}

static void search(struct sim *s, int rank, size_t nodes)
{
	struct engine *g = &s->engine[rank];
	struct err e = { 0 };

	s->progress = s->now;
	for (size_t i = 0; i < nodes && g->work->count; i++) {
		struct tree_node n = g->work->node[--g->work->count];

		search_node(s, g, &n);
	}
	if (g->pause || !g->work->count) {
		end_slice(s, g);
		return;
	}
	if (g->found && rng_below(&s->rng, 2) &&
	    cluster_found(g->c, g->best.cost, g->best.path, (size_t)g->best.depth, s->now, &e))
		note(s, &e);
	next_chunk(s, rank);
}

/* ---- the drivers ---- */

static void act(struct sim *s, int rank)
{
	struct engine *g = &s->engine[rank];
	enum cluster_action action;
	struct err e = { 0 };
	void *work;

	if (cluster_act(g->c, s->now, &action, &e)) {
		note(s, &e);
		return;
	}
	if (action == CLUSTER_PAUSE) {
		assert_true(g->running);
		g->pause = true;
	} else if (action == CLUSTER_RUN) {
		assert_false(g->running);
		if (cluster_take(g->c, s->now, &work, &e)) {
			note(s, &e);
			return;
		}
		g->work = work;
		g->running = true;
		next_chunk(s, rank);
	}
	g->done = action == CLUSTER_DONE;
}

static void drive(struct sim *s, int rank)
{
	struct engine *g = &s->engine[rank];
	struct cluster_mail m;
	double wake;

	act(s, rank);
	if (rank == 0)
		note_left(s);
	while (cluster_next(g->c, &m))
		transmit(s, rank, &m);
	if (rank == 0 && s->o->cuts <= SIM_CUTS && cluster_take_cut(g->c, &s->o->cut[s->o->cuts]))
		s->o->cuts++;
	wake = cluster_wake(g->c);
	if (wake < g->timer) {
		g->timer = wake;
		post(s, (struct event){ .time = fmax(wake, s->now), .kind = TIMER, .rank = rank });
	}
}

static void command(struct sim *s, bool stop)
{
	struct err e = { 0 };
	struct cluster *c = s->engine[0].c;

	if (stop ? cluster_stop(c, s->now, &e) : cluster_cut(c, s->now, &e))
		note(s, &e);
}

static void happen(struct sim *s, struct event *x)
{
	s->now = x->time;
	switch (x->kind) {
	case MAIL:
		receive(s, x);
		break;
	case TIMER:
		s->engine[x->rank].timer = INFINITY;
		break;
	case ENGINE:
		search(s, x->rank, x->size);
		break;
	default:
		command(s, x->kind == STOP);
	}
	if (!s->o->error.code)
		drive(s, x->rank);
}

static bool all_done(const struct sim *s)
{
	for (int i = 0; i < s->plan->ranks; i++) {
		if (!s->engine[i].done)
			return false;
	}
	return true;
}

/* ---- the beginning and the end ---- */

static struct pile *copy_pile(const struct tree *t, const struct pile *p)
{
	unsigned char *bytes;
	void *copy;
	size_t size;

	if (!p)
		return NULL;
	assert_int_equal(pile_ops.pack((void *)t, p, &bytes, &size, NULL), 0);
	assert_int_equal(pile_ops.unpack((void *)t, bytes, size, &copy, NULL), 0);
	free(bytes);
	return copy;
}

/* The share of a rank, if the start is divided among them; else all of it for rank 0. */
static struct pile *share_of(struct sim *s, struct pile **left, int rank)
{
	const struct sim_plan *p = s->plan;
	struct pile *part = NULL;
	void *split = NULL;

	if (rank == 0) {
		part = *left;
		*left = NULL;
	} else if (p->spread && *left) {
		pile_ops.split((void *)p->tree, *left, 1.0 / (rank + 1), &split, NULL);
		part = split;
	}
	return part;
}

static struct cluster_rules random_rules(struct sim *s)
{
	const struct sim_plan *p = s->plan;

	return (struct cluster_rules){ .ranks = p->ranks,
				       .identity = p->tree->seed,
				       .victims = p->victims,
				       .tries = (int)rng_below(&s->rng, 4),
				       .least = p->least,
				       .deal = p->deal,
				       .seed = p->seed,
				       .slice = rng_below(&s->rng, 4) ? 4 * rng_unit(&s->rng) : 0,
				       .period = 0.5 + 8 * rng_unit(&s->rng),
				       .estimate = p->estimate > 0,
				       .counters = TREE_COUNTERS,
				       .solution_most = TREE_DEPTH_MAX };
}

static void create(struct sim *s)
{
	const struct sim_plan *p = s->plan;
	const struct cluster_state *old = p->resume;
	struct tree_node root = tree_root(p->tree);
	struct pile *left = old ? copy_pile(p->tree, old->work) : pile_of(&root);
	struct cluster_rules rules = random_rules(s);
	struct err e = { 0 };

	for (int rank = p->ranks - 1; rank >= 0 && !s->o->error.code; rank--) {
		struct cluster_slice start = { .work = share_of(s, &left, rank),
					       .has_value = p->bound != TREE_NO_BOUND,
					       .value = p->bound };

		if (old && rank == 0)
			start.counts = old->counts;
		if (old && rank == 0 && old->has_value) {
			start.has_value = true;
			start.value = old->value;
			start.solution = old->solution;
			start.solution_size = old->solution_size;
		}
		rules.rank = rank;
		s->engine[rank].timer = INFINITY;
		s->engine[rank].rate = exp(3 * rng_unit(&s->rng)) / 2;
		if (cluster_create(&s->engine[rank].c, &rules, &pile_ops, (void *)p->tree, &start,
				   0, &e))
			note(s, &e);
		post(s, (struct event){ .kind = TIMER, .rank = rank });
	}
	if (left)
		pile_free(NULL, left);
	for (int i = 0; i < SIM_CUTS; i++) {
		if (p->cut[i] > 0)
			post(s, (struct event){ .time = p->cut[i], .kind = CUT });
	}
	if (p->stop > 0)
		post(s, (struct event){ .time = p->stop, .kind = STOP });
}

static void read_outcome(struct sim *s)
{
	struct sim_outcome *o = s->o;
	const unsigned char *path = NULL;
	double rates = 0;
	bool complete;

	if (!s->engine[0].c)
		return;
	cluster_totals(s->engine[0].c, o->counts.of, &complete);
	o->complete = complete;
	o->has_value = cluster_best(s->engine[0].c, &o->value, &path, &o->path_size);
	if (o->has_value && o->path_size)
		memcpy(o->path, path, o->path_size);
	for (int i = 0; i < s->plan->ranks; i++) {
		o->given += cluster_stats(s->engine[i].c)->units_given;
		o->received += cluster_stats(s->engine[i].c)->units_received;
		rates += s->engine[i].rate;
	}
	o->efficiency = (double)o->counts.of[0] / (rates * o->time);
}

static void destroy(struct sim *s)
{
	while (s->events) {
		struct event x = next_event(s);

		free(x.bytes);
	}
	for (int i = 0; i < s->plan->ranks; i++) {
		if (s->engine[i].work)
			pile_free(NULL, s->engine[i].work);
		cluster_destroy(s->engine[i].c);
	}
	free(s->engine);
	free(s->heap);
}

void sim_run(const struct sim_plan *p, struct sim_outcome *o)
{
	struct sim s = { .plan = p, .o = o, .rng = rng_seeded(p->seed) };

	memset(o, 0, sizeof(*o));
	s.engine = reallocarray(NULL, (size_t)p->ranks, sizeof(*s.engine));
	assert_non_null(s.engine);
	memset(s.engine, 0, (size_t)p->ranks * sizeof(*s.engine));
	s.delay = exp(-5 + 6 * rng_unit(&s.rng));
	create(&s);
	while (s.events && !o->error.code && !o->stuck && !(all_done(&s) && !s.mails)) {
		struct event x = next_event(&s);

		happen(&s, &x);
		o->stuck = s.now > s.progress + STUCK_AFTER;
	}
	o->time = s.now;
	o->ended = !o->error.code && all_done(&s) && !s.mails;
	read_outcome(&s);
	destroy(&s);
}

void sim_free(struct sim_outcome *o)
{
	for (int i = 0; i < o->cuts; i++) {
		if (o->cut[i].work)
			pile_free(NULL, o->cut[i].work);
		free(o->cut[i].solution);
	}
}
