/* Host operations of the flowshop domain. Children are rated from their parent without being made.
 * All children of a parent are rated together, machine by machine, in loops over jobs that the
 * compiler vectorises. */
#include <stdlib.h>

#include "harness/base/team.h"
#include "algorithms/koester-recovery/problems/pfsp.h"

enum { MOST_JOBS = FLOWSHOP_MAX_JOBS, MOST_MACHINES = FLOWSHOP_MAX_MACHINES };

/* Values of a parent on one machine that rating its children needs. Machines are in the order of
 * the side that the job is added to. */
struct row {
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
	struct row row[MOST_MACHINES];
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

static void pass_row(const struct row *r, const int32_t *restrict time, struct columns *c,
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
		const struct row *r = &a->row[i];

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
