/* Iterative beam search for the makespan, over the tracker. */
#include <stdlib.h>
#include <string.h>

#include "harness/base/clock.h"
#include "algorithms/tree-search/flowshop/fsp_tables.h"
#include "algorithms/tree-search/flowshop/fsp_start.h"
#include "algorithms/koester-recovery/pfsp_domain.h"
#include "algorithms/koester-recovery/pfsp_width.h"

enum { FIRST_WIDTH = 1024, GROWTH = 4 };

struct search {
	const struct flowshop *f;
	const struct track_request *r;
	struct track_outcome *o;
	struct pfsp_problem *problem;
	enum pfsp_guide guide;
	double start;
	int32_t best, bound; /* no schedule is shorter than bound */
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

/* Successors on the way to a node, in order; returns how many. */
static int successors_of(const struct history *h, struct history_node n, uint32_t *successor,
			 int room)
{
	int count = 0;

	for (; n.layer > 0; n = history_parent(h, n)) {
		uint32_t source, rating;

		if (h->layer[n.layer].jump)
			continue;
		if (count == room)
			return 0;
		history_get(h, n, &source, &successor[count++], &rating);
	}
	for (int i = 0; i < count / 2; i++) {
		uint32_t other = successor[i];

		successor[i] = successor[count - 1 - i];
		successor[count - 1 - i] = other;
	}
	return count;
}

/* The job order that successors stand for: each is the k-th of the jobs left. */
static void read_order(const struct pfsp *d, const uint32_t *successor, int64_t *order)
{
	int32_t left[FLOWSHOP_MAX_JOBS], front = 0, back = d->jobs;

	for (int32_t j = 0; j < d->jobs; j++)
		left[j] = j;
	for (int32_t placed = 0; placed < d->jobs; placed++) {
		int32_t k = (int32_t)successor[placed], rest = d->jobs - placed - 1;

		order[pfsp_side(d, placed) ? --back : front++] = left[k];
		memmove(left + k, left + k + 1, (size_t)(rest - k) * sizeof(*left));
	}
}

/* The best of the complete schedules that are the current layer: all are better than the one so
 * far, since pruning drops others. */
static int take_best(struct search *s, const struct tracker *t, struct err *e)
{
	const struct history *h = track_history(t);
	struct history_node n = { track_layer(t), 0 }, at = n;
	uint32_t successor[FLOWSHOP_MAX_JOBS], source, choice, rating, least = UINT32_MAX;

	for (uint32_t i = 0; i < track_count(t); i++) {
		n.slot = i;
		history_get(h, n, &source, &choice, &rating);
		if (rating < least) {
			least = rating;
			at = n;
		}
	}
	if (successors_of(h, at, successor, s->f->jobs) != s->f->jobs)
		return err_set(e, ERR_FAILED, "a complete schedule has not %d steps", s->f->jobs);
	read_order(&s->problem->parameters, successor, s->o->solution);
	s->best = (int32_t)least;
	return 0;
}

/* ---- runs ---- */

static struct track_options options_of(const struct search *s, uint32_t width)
{
	struct track_options o = track_options_default();

	o.engine = s->r->serial ? TRACK_PUBLISHED : s->r->engine;
	o.beam = width;
	o.slots = pfsp_children_at_once(width, s->f->jobs, o.engine);
	o.look_ahead = s->r->look_ahead ? s->r->look_ahead : 1;
	o.forward = 1;
	o.assign_first = true;
	o.schedule = TRACK_EACH;
	o.expansion = TRACK_IRREGULAR;
	o.fill_rate = s->r->fill_rate;
	o.wide_history = width > UINT16_MAX;
	o.archive = s->r->archive;
	o.seed = s->r->seed;
	o.stop = s->r->stop;
	return o;
}

static int guide_by(struct search *s, uint32_t kind, uint32_t scale, struct err *e)
{
	struct pfsp_guidance g = { s->best, kind, scale };

	return pfsp_guide_by(s->problem, &g, e);
}

/* Layers until the schedules have all jobs, or none is left that may become better. */
static int to_the_end(struct search *s, struct tracker *t, int32_t placed, struct err *e)
{
	int rc = 0;

	for (; !rc && placed < s->f->jobs && track_count(t) > 0; placed++) {
		if (stops(s))
			return 0;
		rc = track_iterate(t, e);
		if (rc == ERR_LIMIT) {
			s->o->stopped = true;
			return 0;
		}
	}
	if (rc || track_count(t) == 0)
		return rc;
	return take_best(s, t, e);
}

/* All states of a layer of the first run again, and on from there. */
static int go_back(struct search *s, struct tracker *t, uint32_t layer, struct err *e)
{
	uint32_t count = history_count(track_history(t), layer);
	struct history_node *all;
	int rc = history_nodes(track_history(t), layer, &all, e);

	if (rc)
		return rc;
	rc = track_backtrack(t, all, count, e);
	free(all);
	if (rc)
		return rc;
	s->o->recovered += count;
	return to_the_end(s, t, (int32_t)layer, e);
}

/* Further rounds, from a half, three quarters and a quarter of the way in turn, each time with
 * another weight of idle time. */
static int rounds(struct search *s, struct tracker *t, uint32_t layers, struct err *e)
{
	static const uint32_t scale[] = { 8, 2, 6, 3, 12, 1, 5, 16 };
	uint32_t scales = sizeof(scale) / sizeof(*scale);
	int rc = 0;

	for (uint32_t i = 0; !rc && i < s->r->rounds && !stops(s) && s->best > s->bound; i++) {
		uint32_t layer = (uint32_t)s->f->jobs * (1 + (i + 1) % 3) / 4;

		if (layer < 1 || layer > layers)
			continue;
		if (!(rc = guide_by(s, (uint32_t)s->guide, scale[i % scales], e)))
			rc = go_back(s, t, layer, e);
	}
	return rc;
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
	sum->evaluate_seconds += old.evaluate_seconds;
	sum->prune_seconds += old.prune_seconds;
	sum->forward_seconds += old.forward_seconds;
	sum->recover_seconds += old.recover_seconds;
}

/* One beam search from the empty schedule; the last one has the rounds. */
static int run(struct search *s, uint32_t width, bool last, struct err *e)
{
	struct track_options o = options_of(s, width);
	uint32_t *root = malloc(track_state_bytes(s->problem->domain.layout));
	struct tracker *t = NULL;
	int rc = root ? 0 : err_set(e, ERR_MEMORY, "no memory for a state");

	if (!rc && !(rc = guide_by(s, (uint32_t)s->guide, PFSP_USUAL_SCALE, e)))
		rc = track_create(&t, &s->problem->domain, &o, s->r->places, s->r->place_count, e);
	if (!rc) {
		pfsp_root(s->problem, root);
		rc = track_begin(t, root, 1, e);
	}
	if (!rc && !(rc = to_the_end(s, t, 0, e)) && last)
		rc = rounds(s, t, track_layer(t), e);
	if (t) {
		s->o->beam = width;
		s->o->layers = track_layer(t);
		add_figures(s, t);
	}
	track_destroy(t);
	free(root);
	return rc;
}

/* The estimate of what fits may be a little high: an eighth less until it does. */
static int run_widest(struct search *s, uint32_t width, struct err *e)
{
	int rc;

	while ((rc = run(s, width, true, e)) == ERR_MEMORY && s->r->beam == 0 && width >= 16)
		width -= width / 8;
	return rc;
}

static int all_widths(struct search *s, uint32_t widest, struct err *e)
{
	int rc = 0;

	for (uint64_t w = FIRST_WIDTH; !rc && w * 2 <= widest; w *= GROWTH) {
		if (!stops(s) && s->best > s->bound)
			rc = run(s, (uint32_t)w, false, e);
		if (rc == ERR_MEMORY && s->r->beam == 0) {
			widest = (uint32_t)w;
			rc = 0;
		}
	}
	if (!rc && !stops(s) && s->best > s->bound)
		rc = run_widest(s, widest, e);
	return rc;
}

/* ---- the whole ---- */

static int begin(struct search *s, const struct pfsp_options *p, struct err *e)
{
	struct fsp_tables tables;
	int64_t makespan;
	int rc;

	s->o->length = (size_t)s->f->jobs;
	s->o->solution = malloc(s->o->length * sizeof(*s->o->solution));
	if (!s->o->solution)
		return err_set(e, ERR_MEMORY, "no memory for a schedule");
	if ((rc = fsp_tables_make(&tables, s->f, FSP_ADJACENT_PAIRS, e)))
		return rc;
	s->bound = fsp_root_bound(&tables, FSP_LB1);
	fsp_tables_free(&tables);
	makespan = fsp_neh(s->f, s->o->solution, e);
	if (makespan < 0)
		return (int)makespan;
	s->best = (int32_t)makespan;
	s->guide = p->guide;
	return pfsp_problem_create(&s->problem, s->f, p, s->best, e);
}

static uint64_t peak_of(const struct track_request *r)
{
	uint64_t most = 0;

	for (int k = 0; k < r->place_count; k++)
		most = r->places[k]->peak > most ? r->places[k]->peak : most;
	return most;
}

int pfsp_search(const struct flowshop *f, const struct pfsp_options *p,
		const struct track_request *r, struct track_outcome *o, struct err *e)
{
	struct search s = { .f = f, .r = r, .o = o, .start = clock_wall() };
	uint32_t width = r->beam;
	double searched;
	int rc;

	memset(o, 0, sizeof(*o));
	rc = begin(&s, p, e);
	if (!rc && width == 0)
		rc = pfsp_widest(r, track_state_bytes(s.problem->domain.layout), f->jobs, &width,
				 &s.memory, e);
	searched = clock_wall();
	if (!rc)
		rc = all_widths(&s, width, e);
	if (rc == ERR_LIMIT) { /* a device gave up in its work: the best schedule so far stands */
		o->stopped = true;
		rc = 0;
	}
	o->seconds_search = clock_wall() - searched;
	o->memory_peak = peak_of(r);
	pfsp_problem_destroy(s.problem);
	o->found = !rc;
	o->objective = s.best;
	o->seconds_total = clock_wall() - s.start;
	if (rc)
		track_outcome_free(o);
	return rc;
}
