/* Beam search on SameGame: every child of every state of a layer is rated by a game at random to
 * its end, and the best of all games seen is kept. Further rounds go back to states of the best
 * game so far. */
#include <inttypes.h>
#include <stdlib.h>

#include "harness/base/clock.h"
#include "algorithms/koester-recovery/problem_search.h"
#include "algorithms/koester-recovery/samegame_beam.h"
#include "algorithms/koester-recovery/samegame_line.h"

struct search {
	const struct samegame *g;
	const struct track_request *r;
	struct track_outcome *out;
	struct samegame_domain d;
	struct track_options o;
	struct tracker *t;
	double start;
	uint32_t best_rating;     /* of a game that was seen to its end; odd */
	struct history_node best; /* its node */
};

static bool in_time(const struct search *s)
{
	return s->r->time_limit <= 0 || clock_wall() - s->start < s->r->time_limit;
}

/* Is there a better game in the new layer? A layer holds the best of all that were rated for it. */
static void look_for_better(struct search *s)
{
	const struct history *h = track_history(s->t);
	struct history_node n = { track_layer(s->t), 0 };

	for (; n.slot < history_count(h, n.layer); n.slot++) {
		uint32_t source, successor, rating;

		history_get(h, n, &source, &successor, &rating);
		if (rating & 1 && rating < s->best_rating) {
			s->best_rating = rating;
			s->best = n;
		}
	}
}

/* Layers until no state has a child. */
static int run_layers(struct search *s, struct err *e)
{
	int rc = 0;

	while (!rc && track_count(s->t)) {
		if (!in_time(s))
			return err_set(e, ERR_LIMIT, "time limit of %g s in layer %" PRIu32,
				       s->r->time_limit, track_layer(s->t));
		rc = track_iterate(s->t, e);
		if (!rc && track_count(s->t))
			look_for_better(s);
	}
	return rc;
}

static int line_of_best(const struct search *s, struct samegame_line *l, struct err *e)
{
	return samegame_line_of(l, &s->d, s->g, track_history(s->t), s->best, s->o.look_ahead,
				s->o.seed, e);
}

/* Where the k-th further round begins, of `steps` places: halves, quarters, eighths of the game. */
static uint32_t place_of_round(uint32_t k, uint32_t steps)
{
	uint32_t numerator = 0, denominator = 1;

	for (; k; k /= 2) {
		numerator = 2 * numerator + k % 2;
		denominator *= 2;
	}
	return (uint32_t)((uint64_t)steps * numerator / denominator);
}

/* Searches on from a state of the best game, the whole beam for what can come of it. */
static int further_round(struct search *s, uint32_t k, struct err *e)
{
	struct samegame_line l;
	int rc = line_of_best(s, &l, e);

	if (!rc && l.steps) {
		rc = track_backtrack(s->t, &l.after[place_of_round(k, l.steps)], 1, e);
		s->out->recovered += !rc;
	}
	samegame_line_free(&l);
	return rc ? rc : run_layers(s, e);
}

static int all_rounds(struct search *s, struct err *e)
{
	struct samegame_state input = samegame_input(&s->d, s->g);
	int rc = track_begin(s->t, &input, 1, e);

	if (!rc)
		rc = run_layers(s, e);
	for (uint32_t k = 1; !rc && k <= s->r->rounds && s->best_rating != UINT32_MAX; k++)
		rc = further_round(s, k, e);
	return rc;
}

/* The best game, or none at all where the board has no moves. */
static int present(struct search *s, struct err *e)
{
	struct track_outcome *o = s->out;
	struct samegame_line l = { 0 };
	int rc;

	if (s->best_rating == UINT32_MAX) {
		struct samegame_state input = samegame_input(&s->d, s->g);
		const struct samegame_head *h = samegame_head_of(samegame_state_of(&input));

		o->found = h->column == SAMEGAME_OVER;
		o->objective = h->score;
		return 0;
	}
	if ((rc = line_of_best(s, &l, e)))
		return rc;
	if (!l.over || l.score != samegame_rated_score(s->best_rating)) {
		samegame_line_free(&l);
		return err_set(e, ERR_FAILED,
			       "the game rated %" PRId32 " is worth %" PRId64 " when played again",
			       samegame_rated_score(s->best_rating), l.score);
	}
	o->found = true;
	o->objective = l.score;
	o->solution = l.move;
	o->length = l.moves;
	l.move = NULL;
	samegame_line_free(&l);
	return 0;
}

static void set_options(struct search *s)
{
	const struct track_request *r = s->r;

	s->o = track_options_default();
	s->o.engine = r->engine;
	s->o.look_ahead =
		r->look_ahead ? r->look_ahead : (uint32_t)(s->g->rows * s->g->columns) / 2 + 1;
	s->o.schedule = TRACK_EACH; /* a game waits after every move */
	s->o.expansion = TRACK_IRREGULAR;
	s->o.fill_rate = r->fill_rate;
	s->o.archive = r->archive;
	s->o.seed = r->seed;
	s->o.stop = r->stop;
}

static int run(struct search *s, struct err *e)
{
	int rc, shown;

	set_options(s);
	if ((rc = samegame_choose_beam(s->g, s->r, &s->d.domain, &s->o, e)) ||
	    (rc = track_create(&s->t, &s->d.domain, &s->o, s->r->places, s->r->place_count, e)))
		return rc;
	rc = all_rounds(s, e);
	s->out->beam = s->o.beam;
	s->out->layers = track_history(s->t) ? track_history(s->t)->layers : 0;
	s->out->stopped = rc == ERR_LIMIT;
	s->out->seconds_search = clock_wall() - s->start;
	track_figures(s->t, &s->out->figures);
	if ((rc && rc != ERR_LIMIT) || !track_history(s->t))
		return rc;
	shown = present(s, e);
	return shown ? shown : rc;
}

int samegame_search(const struct samegame *g, const struct track_request *r,
		    struct track_outcome *o, struct err *e)
{
	struct search s = {
		.g = g, .r = r, .out = o, .start = clock_wall(), .best_rating = UINT32_MAX
	};
	int rc;

	*o = (struct track_outcome){ 0 };
	samegame_domain_init(&s.d, g);
	rc = run(&s, e);
	for (int k = 0; k < r->place_count; k++)
		if (o->memory_peak < r->places[k]->peak)
			o->memory_peak = r->places[k]->peak;
	track_destroy(s.t);
	o->seconds_total = clock_wall() - s.start;
	return rc;
}
