/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The flowshop domain of an instance, and iterative beam search over it. */
#include "algorithms/koester-recovery/problems/search.h"

#include <stdlib.h>
#include <string.h>

#include "algorithms/tree-search/flowshop/fsp_greedy.h"
#include "algorithms/tree-search/flowshop/fsp_tables.h"
#include "datasets/flowshop/flowshop.h"
#include "harness/base/clock.h"
#include "harness/base/host.h"
#include "harness/base/team.h"

extern const struct track_ops track_pfsp_ops_sim;
#if COPRA_HAVE_CUDA
extern const struct track_ops track_pfsp_ops_cuda;
#endif
#if COPRA_HAVE_HIP
extern const struct track_ops track_pfsp_ops_hip;
#endif

_Static_assert((int)TRACK_PFSP_BY_BOUND == TRACK_PFSP_BOUND &&
		       (int)TRACK_PFSP_BY_IDLE == TRACK_PFSP_IDLE &&
		       (int)TRACK_PFSP_BY_BOUND_AND_IDLE == TRACK_PFSP_BOUND_AND_IDLE &&
		       (int)TRACK_PFSP_BY_GAP == TRACK_PFSP_GAP,
	       "kernels know the guides by number");

/* ==== operations on the host ==== */

/* Children are rated from their parent without being made. All children of a parent are rated
 * together, machine by machine, in loops over jobs that the compiler vectorises. */

enum { MOST_JOBS = FLOWSHOP_MAX_JOBS, MOST_MACHINES = FLOWSHOP_MAX_MACHINES };

/* Values of a parent on one machine that rating its children needs. Machines are in the order of
 * the side that the job is added to. */
struct machine_row {
	int32_t front;
	int32_t rest; /* time left on the machine and after it */
	uint32_t by_wait, by_time;
	const int32_t *time; /* of all jobs */
};

struct parent {
	int32_t placed, side;
	uint32_t idle;  /* idle time of all machines and sides, minus the sum of fronts */
	uint32_t share; /* w, minus the terms that the rows multiply */
	int32_t jobs;   /* left */
	uint16_t job[MOST_JOBS];
	struct machine_row row[MOST_MACHINES];
};

static void read_jobs(const struct track_pfsp *d, struct track_state s, struct parent *a)
{
	int32_t set = track_pfsp_row(d, TRACK_PFSP_ROWS) + TRACK_PFSP_SET;

	a->jobs = 0;
	for (int32_t i = 0; i < d->words; i++)
		for (uint32_t bits = *track_pfsp_word(s, set + i); bits; bits &= bits - 1)
			a->job[a->jobs++] = (uint16_t)(i * 32 + __builtin_ctz(bits));
}

/* Reads machine k, the i-th from the start of the side. */
static void read_row(const struct track_pfsp *d, struct track_state s, int32_t i, int32_t k,
		     struct parent *a)
{
	int32_t x[TRACK_PFSP_ROWS];
	struct track_pfsp_slope w;

	for (int32_t u = 0; u < TRACK_PFSP_ROWS; u++)
		x[u] = track_pfsp_get(s, track_pfsp_row(d, u) + k);
	a->row[i].time = d->time + k * d->jobs;
	a->row[i].front = x[a->side];
	a->row[i].rest = x[1 - a->side] +
			 track_pfsp_remaining(d, k, x[TRACK_PFSP_FRONT], x[TRACK_PFSP_BACK],
					      x[TRACK_PFSP_FRONT_IDLE], x[TRACK_PFSP_BACK_IDLE]);
	w = track_pfsp_slope_of(d, i, x[a->side], x[TRACK_PFSP_FRONT_IDLE + a->side]);
	a->row[i].by_wait = w.by_wait;
	a->row[i].by_time = w.by_time;
	a->share += w.share - w.by_wait * (uint32_t)x[a->side] - w.by_time * (uint32_t)d->mean;
	a->idle += (uint32_t)x[TRACK_PFSP_FRONT_IDLE] + (uint32_t)x[TRACK_PFSP_BACK_IDLE] -
		   (uint32_t)x[a->side];
}

static void read_parent(const struct track_pfsp *d, struct track_state s, struct parent *a)
{
	read_jobs(d, s, a);
	a->placed = d->jobs - a->jobs;
	a->side = track_pfsp_side(d, a->placed);
	a->idle = 0;
	a->share = *track_pfsp_word(s, track_pfsp_row(d, TRACK_PFSP_ROWS) + TRACK_PFSP_FRONT_SHARE +
					       1 - a->side);
	for (int32_t i = 0; i < d->machines; i++)
		read_row(d, s, i, a->side ? d->machines - 1 - i : i, a);
}

/* Values of the children in columns 0 .. count - 1. */
struct columns {
	int32_t end[MOST_JOBS]; /* of the job, on the previous machine */
	int32_t bound[MOST_JOBS];
	uint32_t idle[MOST_JOBS], share[MOST_JOBS];
	int32_t time[MOST_JOBS]; /* times of the jobs left, gathered if they are few */
};

static void pass_row(const struct machine_row *r, const int32_t *restrict time, struct columns *c,
		     int32_t count)
{
	for (int32_t j = 0; j < count; j++) {
		int32_t start = c->end[j] > r->front ? c->end[j] : r->front;
		int32_t bound = start + r->rest;

		c->bound[j] = bound > c->bound[j] ? bound : c->bound[j];
		c->idle[j] += (uint32_t)start;
		c->share[j] += r->by_wait * (uint32_t)start + r->by_time * (uint32_t)time[j];
		c->end[j] = start + time[j];
	}
}

static void rate_parent(const struct track_pfsp *d, const struct parent *a, struct columns *c,
			uint32_t *rating)
{
	bool sparse = a->jobs < d->jobs / 2;
	int32_t count = sparse ? a->jobs : d->jobs;

	for (int32_t j = 0; j < count; j++) {
		c->end[j] = c->bound[j] = 0;
		c->idle[j] = a->idle;
		c->share[j] = a->share;
	}
	for (int32_t i = 0; i < d->machines; i++) {
		const struct machine_row *r = &a->row[i];

		for (int32_t j = 0; sparse && j < count; j++)
			c->time[j] = r->time[a->job[j]];
		pass_row(r, sparse ? c->time : r->time, c, count);
	}
	for (int32_t k = 0; k < a->jobs; k++) {
		int32_t j = sparse ? k : a->job[k];

		rating[k] = track_pfsp_rating(d, d->guidance, a->placed + 1, c->bound[j],
					      c->idle[j], c->share[j]);
	}
}

struct work {
	const struct track_pfsp *d;
	const struct track_batch *parents;
	const struct track_children *children;
	uint32_t *rating;
};

static void rate_part(void *context, uint64_t from, uint64_t to, int thread)
{
	const struct work *w = context;
	const struct track_batch *b = w->parents;
	struct columns c;
	struct parent a;

	(void)thread;
	for (uint64_t i = from; i < to; i++) {
		uint32_t slot = b->slot ? b->slot[i] : (uint32_t)i;

		read_parent(w->d, track_state_at(b->states, b->slots, b->layout, slot), &a);
		rate_parent(w->d, &a, &c, w->rating + w->children->first[i]);
	}
}

/* A child always adds exactly one job, so `steps` and the schedule do not matter. */
static int track_pfsp_rate_children_host(struct track_place *p, const void *parameters,
					 const struct track_batch *parents,
					 const struct track_children *children,
					 const uint32_t *successor, uint32_t steps, uint32_t flags,
					 uint32_t breaks, uint32_t *rating, struct err *e)
{
	struct work w = { parameters, parents, children, rating };

	(void)successor;
	(void)breaks;
	if (!(flags & TRACK_ASSIGN_FIRST) || steps < 1)
		return err_set(e, ERR_USAGE,
			       "pfsp: a child needs an assignment and at least one step");
	team_for(p->pool, parents->count, 16, rate_part, &w);
	return 0;
}

#define TRACK_DOMAIN track_pfsp
#define TRACK_DOMAIN_SUCCESSORS NULL
#define TRACK_DOMAIN_RATE_CHILDREN track_pfsp_rate_children_host
#include "algorithms/koester-recovery/states/domain_host.h"

/* ==== the domain ==== */

/* ---- tables ---- */

static int32_t bits_of(uint32_t x)
{
	return x ? 32 - __builtin_clz(x) : 0;
}

static uint32_t positive(int32_t x)
{
	return x > 0 ? (uint32_t)x : 0;
}

enum { MOST_RECIPROCALS = 1 << 16 };

static void choose_scales(struct track_pfsp *d, const struct flowshop *f, int32_t best)
{
	int32_t bits = bits_of((uint32_t)best), jobs = bits_of((uint32_t)f->jobs);
	int64_t sum = 0, most;

	for (int i = 0; i < f->jobs * f->machines; i++)
		sum += f->time[i];
	d->mean = (int32_t)(sum / f->jobs / f->machines);
	d->mean = d->mean > 1 ? d->mean : 1;
	/* largest value of a front, or of the expected start of a job, plus one operation */
	most = 2 * (int64_t)best + d->mean;
	while (most >> d->coarse >= MOST_RECIPROCALS)
		d->coarse++;
	d->reciprocals = (uint32_t)(most >> d->coarse) + 1;
	/* 14 bits of fraction, w up to 32 */
	d->shift = positive(bits + jobs + 14 + 5 - 32);
	d->gap_shift = positive(2 * bits - 24);
}

static size_t table_words(const struct track_pfsp *d)
{
	return (size_t)d->jobs * (size_t)d->machines + (size_t)d->machines + d->reciprocals;
}

/* Points the parameters to tables at another address. */
static void place_tables(struct track_pfsp *d, const int32_t *tables)
{
	d->time = tables;
	d->total = d->time + (size_t)d->jobs * (size_t)d->machines;
	d->reciprocal = d->total + d->machines;
}

static void fill_tables(const struct track_pfsp *d, int32_t *tables, const struct flowshop *f)
{
	size_t operations = (size_t)d->jobs * (size_t)d->machines;
	int32_t *total = tables + operations, *reciprocal = total + d->machines;

	memcpy(tables, f->time, operations * sizeof(*tables));
	for (int k = 0; k < d->machines; k++) {
		total[k] = 0;
		for (int j = 0; j < d->jobs; j++)
			total[k] += f->time[k * d->jobs + j];
	}
	for (uint32_t i = 0; i < d->reciprocals; i++) {
		uint64_t value = (uint64_t)i << d->coarse;

		reciprocal[i] = (int32_t)((1 << TRACK_PFSP_FRACTION) / (value ? value : 1));
	}
}

/* ---- on devices ---- */

struct track_pfsp_copy {
	struct track_pfsp_copies *all;
	struct track_place *place;
	void *memory; /* guidance, then tables */
	size_t bytes;
	struct track_pfsp_copy *next;
};

struct track_pfsp_copies {
	struct track_pfsp_copy *first;
};

enum { TABLES_AT = 64 };

static void leave(const struct track_domain *domain, struct track_place *p, void *held)
{
	struct track_pfsp_copy *c = held, **at;

	(void)domain;
	if (!c)
		return;
	for (at = &c->all->first; *at != c; at = &(*at)->next)
		;
	*at = c->next;
	track_free(p, c->memory, c->bytes);
	free(c);
}

static int enter(const struct track_domain *domain, struct track_place *p, void *parameters,
		 void **held, struct err *e)
{
	const struct track_pfsp_problem *q = (const struct track_pfsp_problem *)domain;
	struct track_pfsp_copy *c = calloc(1, sizeof(*c));
	struct track_pfsp *d = parameters;
	size_t table_bytes = table_words(&q->parameters) * sizeof(int32_t);
	int status;

	if (!c)
		return err_set(e, ERR_MEMORY, "no memory to copy tables of %zu bytes", table_bytes);
	c->all = q->copies;
	c->place = p;
	c->bytes = TABLES_AT + table_bytes;
	if ((status = track_alloc(p, &c->memory, c->bytes, e))) {
		free(c);
		return status;
	}
	c->next = q->copies->first;
	q->copies->first = c;
	*held = c;
	place_tables(d, (const int32_t *)((char *)c->memory + TABLES_AT));
	d->guidance = c->memory;
	if ((status = track_to(p, c->memory, &q->guidance, sizeof(q->guidance), e)) ||
	    (status = track_to(p, (char *)c->memory + TABLES_AT, q->tables, table_bytes, e)))
		leave(domain, p, c);
	return status;
}

/* Changes the guidance, beginning with the next layer, on the host and on all devices that have
 * entered the domain. `best` may only decrease. Waits for the devices. */
static int set_guidance(struct track_pfsp_problem *q, const struct track_pfsp_guidance *g,
			struct err *e)
{
	int status = 0;

	q->guidance = *g;
	for (struct track_pfsp_copy *c = q->copies->first; !status && c; c = c->next)
		if (!(status = track_to(c->place, c->memory, &q->guidance, sizeof(q->guidance), e)))
			status = track_sync(c->place, e);
	return status;
}

/* ---- the problem ---- */

static void describe(struct track_pfsp_problem *q)
{
	q->domain.name = "pfsp";
	q->domain.layout.units = (uint32_t)track_pfsp_units(&q->parameters);
	q->domain.layout.unit_bytes = sizeof(uint32_t);
	q->domain.parameters = &q->parameters;
	q->domain.parameter_bytes = sizeof(q->parameters);
	q->domain.enter = enter;
	q->domain.leave = leave;
	q->domain.host = &track_pfsp_ops_host;
	q->domain.sim = &track_pfsp_ops_sim;
#if COPRA_HAVE_CUDA
	q->domain.cuda = &track_pfsp_ops_cuda;
#endif
#if COPRA_HAVE_HIP
	q->domain.hip = &track_pfsp_ops_hip;
#endif
}

/* The least time after machine k over all jobs that could be last. */
static int32_t tail(const struct track_pfsp *d, int32_t k)
{
	int32_t least = INT32_MAX;

	for (int32_t j = 0; j < d->jobs; j++) {
		int32_t sum = 0;

		for (int32_t i = k + 1; i < d->machines; i++)
			sum += d->time[i * d->jobs + j];
		least = sum < least ? sum : least;
	}
	return least;
}

/* Fills in the state without jobs, which is zero. */
static void fill_root(const struct track_pfsp *d, uint32_t *state)
{
	uint32_t *set = state + track_pfsp_row(d, TRACK_PFSP_ROWS) + TRACK_PFSP_SET;

	for (int32_t j = 0; j < d->jobs; j++)
		set[j / 32] |= (uint32_t)1 << j % 32;
	/* without a suffix, the least tail counts as idle time */
	for (int32_t k = 0; k < d->machines && !d->both_ends; k++) {
		state[track_pfsp_row(d, TRACK_PFSP_BACK) + k] = (uint32_t)tail(d, k);
		state[track_pfsp_row(d, TRACK_PFSP_BACK_IDLE) + k] = (uint32_t)tail(d, k);
	}
}

int track_pfsp_problem_create(struct track_pfsp_problem **out, const struct flowshop *f,
			      const struct track_pfsp_options *o, int32_t best, struct err *e)
{
	struct track_pfsp_problem *q = calloc(1, sizeof(*q));
	struct track_pfsp *d;

	*out = NULL;
	if (!q)
		return err_set(e, ERR_MEMORY, "no memory for a flowshop domain");
	d = &q->parameters;
	d->jobs = f->jobs;
	d->machines = f->machines;
	d->words = (f->jobs + 31) / 32;
	d->both_ends = o->branching == TRACK_PFSP_BOTH_ENDS;
	choose_scales(d, f, best);
	q->guidance =
		(struct track_pfsp_guidance){ best, (uint32_t)o->guide, TRACK_PFSP_USUAL_SCALE };
	q->tables = malloc(table_words(d) * sizeof(*q->tables));
	q->copies = calloc(1, sizeof(*q->copies));
	q->root = calloc((size_t)track_pfsp_units(d), sizeof(*q->root));
	if (!q->tables || !q->copies || !q->root) {
		err_set(e, ERR_MEMORY, "no memory for %zu words of tables", table_words(d));
		track_pfsp_problem_destroy(q);
		return ERR_MEMORY;
	}
	fill_tables(d, q->tables, f);
	place_tables(d, q->tables);
	d->guidance = &q->guidance;
	fill_root(d, q->root);
	describe(q);
	*out = q;
	return 0;
}

void track_pfsp_problem_destroy(struct track_pfsp_problem *q)
{
	if (!q)
		return;
	free(q->tables);
	free(q->copies);
	free(q->root);
	free(q);
}

/* ==== the widest beam that fits in memory ==== */

enum {
	CHILDREN = 1 << 24, /* children rated at once in wide beams; enough to occupy a device */
	MOST_WIDTH = 1 << 30,
	STORED_CHILDREN = 8, /* per state, if children are stored */
	WORDS_A_STATE = 20,  /* numbers, entries twice, indices, scratch */
	WORDS_A_CHILD = 2,   /* ratings, scratch */
	HISTORY_BYTES = 12,
	PINNED = 1 << 20, /* for entries of narrow layers, and reports */
};

/* The number of children that are rated at once for a beam of this width: all children of a layer,
 * up to CHILDREN. */
static uint32_t track_pfsp_children_at_once(uint32_t width, int32_t jobs, enum track_engine engine)
{
	uint64_t all = (uint64_t)width * (uint32_t)jobs, most = CHILDREN;

	if (engine == TRACK_PUBLISHED)
		most = (uint64_t)width * STORED_CHILDREN;
	all = all < most ? all : most;
	all = all > width ? all : width;
	return (uint32_t)(all > (uint32_t)jobs ? all : (uint32_t)jobs);
}

/* The number of layers of a search and its rounds. Rounds start halfway on average. */
static uint64_t layers_of(const struct track_request *r, int32_t jobs)
{
	return (uint64_t)jobs + (uint64_t)r->rounds * ((uint64_t)jobs / 2 + 2);
}

/* The number of layers stored on the place in addition to the two buffers. */
static uint64_t kept_layers(const struct track_request *r, uint64_t layers)
{
	const struct track_archive_options *a = &r->archive;
	uint64_t distance = a->distance ? a->distance : 1, cache = a->cache ? 1 : 0;

	switch (a->recovery) {
	case TRACK_RECOVERY_GPU:
		return layers + 1;
	case TRACK_RECOVERY_PINNED:
	case TRACK_RECOVERY_HOST:
	case TRACK_RECOVERY_PEER:
		return r->places[0]->device ? cache : layers + 1;
	case TRACK_RECOVERY_CHECKPOINT:
		return layers / distance + 1 + cache;
	case TRACK_RECOVERY_ADAPTIVE:
		return 2 * (layers / distance) + 1 + cache;
	default:
		return cache;
	}
}

static uint64_t bytes_of(const struct track_request *r, uint64_t state_bytes, int32_t jobs,
			 uint32_t width)
{
	uint32_t at_once = track_pfsp_children_at_once(width, jobs, r->engine);
	uint64_t states = r->engine == TRACK_PUBLISHED ? at_once : width;
	uint64_t share = (states + (uint32_t)r->place_count - 1) / (uint32_t)r->place_count;
	uint64_t kept =
		kept_layers(r, layers_of(r, jobs)) * ((width - 1) / (uint32_t)r->place_count + 1);

	return (2 * share + kept) * state_bytes + (uint64_t)width * WORDS_A_STATE * 4 +
	       (uint64_t)at_once * WORDS_A_CHILD * 4;
}

static uint64_t half_of_host(void)
{
	int64_t bytes = host_memory_available();

	return bytes > 0 ? (uint64_t)bytes / 2 : 0;
}

static bool fits(const struct track_request *r, uint64_t memory, uint64_t state_bytes, int32_t jobs,
		 uint32_t width)
{
	uint64_t history = width * layers_of(r, jobs) * HISTORY_BYTES;
	uint64_t host = r->memory ? r->memory : half_of_host(), room = memory;

	if (r->archive.recovery == TRACK_RECOVERY_MULTISTAGE) {
		uint64_t budget = r->archive.budget[TRACK_TIER_DEVICE];

		room -= budget && budget < memory ? budget : memory / 3;
	}
	if (!r->places[0]->device)
		return history <= room && bytes_of(r, state_bytes, jobs, width) <= room - history;
	return history <= host && bytes_of(r, state_bytes, jobs, width) <= room;
}

/* The widest beam, at least 1, whose buffers, kept layers and working arrays fit in the memory of
 * each place, with the recovery and rounds of the request. The layers kept on the place are:
 *
 *     gpu         every layer
 *     checkpoint  every distance-th layer
 *     adaptive    the same, and as many again for copies half-way
 *     multistage  its budget for the device; 0: a third of the memory
 *     others      none; every layer if the place is the host, where all memory is the same
 *
 * and one for the cache, if used. The history, 12 bytes per state and layer, must fit in the same
 * number of bytes on the host. *memory: the memory of a place. */
static int track_pfsp_widest(const struct track_request *r, size_t state_bytes, int32_t jobs,
			     uint32_t *width, uint64_t *memory, struct err *e)
{
	int status = track_place_budget(r->places[0], r->memory, memory, e);

	*width = 1;
	for (uint32_t bit = MOST_WIDTH; !status && bit > 0; bit /= 2) {
		uint32_t wider = *width == 1 ? bit : *width + bit;

		if (wider < MOST_WIDTH && fits(r, *memory, state_bytes, jobs, wider))
			*width = wider;
	}
	return status;
}

/* ---- the devices that pay ---- */

static const double paying_layer = 1 << 28, paying_search = 1LL << 37;

/* Operations of a job on a machine for the children of a layer without jobs, the most of all. */
static double operations(const struct flowshop *f, uint32_t width)
{
	return (double)width * f->jobs * f->machines;
}

int track_pfsp_pays(const struct flowshop *f, const struct track_request *r, bool *pays,
		    struct err *e)
{
	struct track_pfsp d = { .jobs = f->jobs,
				.machines = f->machines,
				.words = (f->jobs + 31) / 32 };
	uint32_t width = r->beam;
	uint64_t memory;
	int status = 0;

	if (!width)
		status = track_pfsp_widest(r, (size_t)track_pfsp_units(&d) * sizeof(uint32_t),
					   f->jobs, &width, &memory, e);
	*pays = !status &&
		operations(f, width) * f->jobs / 2 * (1 + r->rounds / 2.0) >= paying_search;
	return status;
}

/* ==== iterative beam search ==== */

enum { FIRST_WIDTH = 1024, GROWTH = 4 };

struct search {
	const struct flowshop *f;
	const struct track_request *r;
	struct track_outcome *o;
	struct track_pfsp_problem *problem;
	enum track_pfsp_guide guide;
	double start;
	int32_t best, bound; /* no schedule can be shorter than its bound */
	uint64_t memory;
};

static bool stops(struct search *s)
{
	if ((s->r->stop && *s->r->stop) ||
	    (s->r->time_limit > 0 && clock_wall() - s->start >= s->r->time_limit))
		s->o->stopped = true;
	return s->o->stopped;
}

/* ---- schedules ---- */

/* Lists the successors on the path to a node in order. Returns their number. */
static int successors_of(const struct track_history *h, struct track_node n, uint32_t *successor,
			 int room)
{
	int count = 0;

	for (; n.layer > 0; n = track_history_parent(h, n)) {
		uint32_t source, rating;

		if (h->layer[n.layer].jump)
			continue;
		if (count == room)
			return 0;
		track_history_get(h, n, &source, &successor[count++], &rating);
	}
	for (int i = 0; i < count / 2; i++) {
		uint32_t other = successor[i];

		successor[i] = successor[count - 1 - i];
		successor[count - 1 - i] = other;
	}
	return count;
}

/* Computes the job order. Each successor k stands for the k-th of the jobs left. */
static void read_order(const struct track_pfsp *d, const uint32_t *successor, int64_t *order)
{
	int32_t left[FLOWSHOP_MAX_JOBS], front = 0, back = d->jobs;

	for (int32_t j = 0; j < d->jobs; j++)
		left[j] = j;
	for (int32_t placed = 0; placed < d->jobs; placed++) {
		int32_t k = (int32_t)successor[placed], rest = d->jobs - placed - 1;

		order[track_pfsp_side(d, placed) ? --back : front++] = left[k];
		memmove(left + k, left + k + 1, (size_t)(rest - k) * sizeof(*left));
	}
}

/* Reads the best complete schedule of the current layer. Every schedule in the layer is better than
 * the previous best, since pruning drops all others. */
static int take_best(struct search *s, struct tracker *t, struct err *e)
{
	const struct track_history *h = track_history(t);
	struct track_node n = { track_layer(t), 0 }, at = n;
	uint32_t successor[FLOWSHOP_MAX_JOBS], source, choice, rating, least = UINT32_MAX;

	for (uint32_t i = 0; i < track_count(t); i++) {
		n.slot = i;
		track_history_get(h, n, &source, &choice, &rating);
		if (rating < least) {
			least = rating;
			at = n;
		}
	}
	if (successors_of(h, at, successor, s->f->jobs) != s->f->jobs)
		return err_set(e, ERR_FAILED, "a complete schedule does not have %d steps",
			       s->f->jobs);
	read_order(&s->problem->parameters, successor, s->o->solution);
	s->best = (int32_t)least;
	watch_incumbent(s->r->watch, least);
	return 0;
}

/* ---- runs ---- */

static struct track_options options_of(const struct search *s, uint32_t width)
{
	struct track_options o = track_options_default();

	o.engine = s->r->serial ? TRACK_PUBLISHED : s->r->engine;
	o.beam = width;
	o.slots = track_pfsp_children_at_once(width, s->f->jobs, o.engine);
	o.look_ahead = s->r->look_ahead ? s->r->look_ahead : 1;
	o.forward = 1;
	o.assign_first = true;
	o.schedule = TRACK_EACH;
	o.expansion = TRACK_IRREGULAR;
	o.fill_rate = s->r->fill_rate;
	o.even = true; /* one for each job left */
	o.wide_history = width > UINT16_MAX;
	o.archive = s->r->archive;
	/* rounds start far below the last layer, which would be copied in vain in every layer */
	o.archive.cache = false;
	o.seed = s->r->seed;
	o.stop = s->r->stop;
	return o;
}

static int guide_by(struct search *s, uint32_t kind, uint32_t scale, struct err *e)
{
	struct track_pfsp_guidance g = { s->best, kind, scale };

	return set_guidance(s->problem, &g, e);
}

/* Iterates until the schedules are complete or no child can be better than the best one known. */
static int to_the_end(struct search *s, struct tracker *t, int32_t placed, struct err *e)
{
	int status = 0;

	for (; !status && placed < s->f->jobs && track_count(t) > 0; placed++) {
		if (stops(s))
			return 0;
		status = track_iterate(t, e);
		if (status == ERR_LIMIT) {
			s->o->stopped = true;
			return 0;
		}
	}
	if (status || track_count(t) == 0)
		return status;
	return take_best(s, t, e);
}

/* Recovers all states of a layer of the first run and continues from there. */
static int go_back(struct search *s, struct tracker *t, uint32_t layer, struct err *e)
{
	uint32_t count = track_history_count(track_history(t), layer);
	struct track_node *all;
	int status = track_history_nodes(track_history(t), layer, &all, e);

	if (status)
		return status;
	status = track_backtrack(t, all, count, e);
	free(all);
	if (status)
		return status;
	s->o->recovered += count;
	return to_the_end(s, t, (int32_t)layer, e);
}

/* Makes the further rounds. They start in turn at a half, three quarters and a quarter of the
 * layers. Each has a different weight of idle time. */
static int rounds(struct search *s, struct tracker *t, uint32_t layers, struct err *e)
{
	static const uint32_t scale[] = { 8, 2, 6, 3, 12, 1, 5, 16 };
	uint32_t scales = sizeof(scale) / sizeof(*scale);
	int status = 0;

	for (uint32_t i = 0; !status && i < s->r->rounds && !stops(s) && s->best > s->bound; i++) {
		uint32_t layer = (uint32_t)s->f->jobs * (1 + (i + 1) % 3) / 4;

		if (layer < 1 || layer > layers)
			continue;
		if (!(status = guide_by(s, (uint32_t)s->guide, scale[i % scales], e)))
			status = go_back(s, t, layer, e);
	}
	return status;
}

static void add_figures(struct search *s, const struct tracker *t)
{
	struct track_figures *sum = &s->o->figures, now, old = *sum;

	track_figures(t, &now);
	*sum = now;
	sum->children += old.children;
	sum->executions += old.executions;
	sum->assignments += old.assignments;
	sum->replayed += old.replayed;
	sum->loaded += old.loaded;
	sum->expand_seconds += old.expand_seconds;
	sum->evaluate_seconds += old.evaluate_seconds;
	sum->prune_seconds += old.prune_seconds;
	sum->forward_seconds += old.forward_seconds;
	sum->recover_seconds += old.recover_seconds;
	sum->history_seconds += old.history_seconds;
	sum->memory_seconds += old.memory_seconds;
	sum->peer_seconds += old.peer_seconds;
}

/* Makes one beam search from the empty schedule on the first `places`. The last and widest one is
 * followed by the rounds. */
static int run(struct search *s, uint32_t width, int places, bool last, struct err *e)
{
	struct track_options o = options_of(s, width);
	struct tracker *t = NULL;
	double start;
	int status = guide_by(s, (uint32_t)s->guide, TRACK_PFSP_USUAL_SCALE, e);

	if (!status)
		status = track_create(&t, &s->problem->domain, &o, s->r->places, places, e);
	if (!status)
		status = track_begin(t, s->problem->root, 1, e);
	if (!status && !(status = to_the_end(s, t, 0, e)) && last)
		status = rounds(s, t, track_layer(t), e);
	if (t) {
		s->o->beam = width;
		s->o->layers = track_layer(t);
		add_figures(s, t);
	}
	start = clock_wall();
	track_destroy(t);
	s->o->figures.memory_seconds += clock_wall() - start;
	return status;
}

/* Runs the widest beam. The memory estimate may be slightly low: the beam is reduced by an eighth
 * until the search fits. */
static int run_widest(struct search *s, uint32_t width, struct err *e)
{
	int status;

	while ((status = run(s, width, s->r->place_count, true, e)) == ERR_MEMORY &&
	       s->r->beam == 0 && width >= 16)
		width -= width / 8;
	return status;
}

/* The places of a beam before the widest. One alone must not need more memory than its share of the
 * widest. */
static int places_for(const struct search *s, uint64_t width, uint32_t widest)
{
	bool alone = operations(s->f, (uint32_t)width) < paying_layer &&
		     width * (uint32_t)s->r->place_count <= widest;

	return alone ? 1 : s->r->place_count;
}

static int all_widths(struct search *s, uint32_t widest, struct err *e)
{
	int status = 0;

	for (uint64_t w = FIRST_WIDTH; !status && w * 2 <= widest; w *= GROWTH) {
		if (!stops(s) && s->best > s->bound)
			status = run(s, (uint32_t)w, places_for(s, w, widest), false, e);
		if (status == ERR_MEMORY && s->r->beam == 0) {
			widest = (uint32_t)w;
			status = 0;
		}
	}
	if (!status && !stops(s) && s->best > s->bound)
		status = run_widest(s, widest, e);
	return status;
}

/* ---- all searches ---- */

static int begin(struct search *s, const struct track_pfsp_options *p, struct err *e)
{
	struct fsp_tables tables;
	int64_t makespan;
	int status;

	s->o->length = (size_t)s->f->jobs;
	s->o->solution = malloc(s->o->length * sizeof(*s->o->solution));
	if (!s->o->solution)
		return err_set(e, ERR_MEMORY, "no memory for a schedule");
	if ((status = fsp_tables_make(&tables, s->f, FSP_ADJACENT_PAIRS, e)))
		return status;
	s->bound = fsp_root_bound(&tables, FSP_LB1);
	fsp_tables_free(&tables);
	makespan = fsp_neh(s->f, s->o->solution, e);
	if (makespan < 0)
		return (int)makespan;
	s->best = (int32_t)makespan;
	watch_incumbent(s->r->watch, makespan);
	watch_bound(s->r->watch, s->bound);
	s->guide = p->guide;
	return track_pfsp_problem_create(&s->problem, s->f, p, s->best, e);
}

/* Reserves memory on all places for the widest beam. Without it, the search allocates as it
 * goes. */
static void reserve(struct search *s, uint32_t width)
{
	const struct track_request *r = s->r;
	uint64_t bytes =
		bytes_of(r, track_state_bytes(s->problem->domain.layout), s->f->jobs, width);
	double start = clock_wall();

	for (int k = 0; k < r->place_count; k++)
		(void)track_place_reserve(r->places[k], bytes, k ? 0 : PINNED, NULL);
	s->o->figures.memory_seconds += clock_wall() - start;
}

static void release(struct search *s)
{
	double start = clock_wall();

	for (int k = 0; k < s->r->place_count; k++)
		track_place_release(s->r->places[k]);
	s->o->figures.memory_seconds += clock_wall() - start;
}

static uint64_t peak_of(const struct track_request *r)
{
	uint64_t most = 0;

	for (int k = 0; k < r->place_count; k++)
		most = r->places[k]->peak > most ? r->places[k]->peak : most;
	return most;
}

int track_pfsp_search(const struct flowshop *f, const struct track_pfsp_options *p,
		      const struct track_request *r, struct track_outcome *o, struct err *e)
{
	struct search s = { .f = f, .r = r, .o = o, .start = clock_wall() };
	uint32_t width = r->beam;
	double searched;
	int status;

	memset(o, 0, sizeof(*o));
	status = begin(&s, p, e);
	if (!status && width == 0)
		status = track_pfsp_widest(r, track_state_bytes(s.problem->domain.layout), f->jobs,
					   &width, &s.memory, e);
	searched = clock_wall();
	if (!status) {
		reserve(&s, width);
		status = all_widths(&s, width, e);
		release(&s);
	}
	if (status ==
	    ERR_LIMIT) { /* a device was stopped during its work: the best schedule so far stands */
		o->stopped = true;
		status = 0;
	}
	o->seconds_search = clock_wall() - searched;
	o->memory_peak = peak_of(r);
	track_pfsp_problem_destroy(s.problem);
	o->found = !status;
	o->objective = s.best;
	o->seconds_total = clock_wall() - s.start;
	if (status) {
		free(o->solution);
		o->solution = NULL;
		o->length = 0;
	}
	return status;
}
