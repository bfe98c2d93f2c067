/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The SameGame domain of a board, and beam search over it. */
#include "algorithms/koester-recovery/problems/search.h"

#include <inttypes.h>
#include <stdlib.h>

#include "kernels/koester-recovery/ops.h"
#include "harness/base/clock.h"

extern const struct track_ops track_samegame_rules_ops_host, track_samegame_rules_ops_sim;
#if COPRA_HAVE_CUDA
extern const struct track_ops track_samegame_rules_ops_cuda;
#endif
#if COPRA_HAVE_HIP
extern const struct track_ops track_samegame_rules_ops_hip;
#endif

static uint64_t column_of(const struct samegame *g, int column)
{
	uint64_t w = 0;

	for (int row = 0; row < g->rows; row++) {
		uint64_t colour = g->cell[(g->rows - 1 - row) * g->columns + column];

		for (int plane = 0; plane < 3; plane++)
			w |= (colour >> plane & 1) << ((int)TRACK_SAMEGAME_PLANE * plane + row);
	}
	return w;
}

/* Makes the state of a board. */
static struct track_samegame_state state_of(const struct track_samegame_rules *rules,
					    const struct samegame *g)
{
	struct track_samegame_state s = { { 0 } };
	struct track_samegame_head *h = track_samegame_head_of(track_samegame_state_of(&s));

	for (int column = 0; column < g->columns; column++) {
		s.unit[column + 1] = column_of(g, column);
		if (s.unit[column + 1])
			h->width = (uint8_t)(column + 1);
	}
	track_samegame_settle(rules, track_samegame_state_of(&s));
	return s;
}

void track_samegame_domain_init(struct track_samegame_domain *d, const struct samegame *g)
{
	d->rules = (struct track_samegame_rules){ .columns = (uint32_t)g->columns,
						  .colours = (uint32_t)g->colours };
	d->domain = (struct track_domain)
	{
		.name = "samegame",
		.layout = { .units = (uint32_t)g->columns + 1, .unit_bytes = sizeof(uint64_t) },
		.parameters = &d->rules, .parameter_bytes = sizeof(d->rules),
		.host = &track_samegame_rules_ops_host, .sim = &track_samegame_rules_ops_sim,
#if COPRA_HAVE_CUDA
		.cuda = &track_samegame_rules_ops_cuda,
#endif
#if COPRA_HAVE_HIP
		.hip = &track_samegame_rules_ops_hip,
#endif
	};
	d->input = state_of(&d->rules, g);
}

/* The number of a cell: row * columns + column, counted from the top left. The argument `row`
 * counts from the ground. */
static int64_t cell_of(const struct samegame *g, uint32_t column, uint32_t row)
{
	return (int64_t)(g->rows - 1 - (int)row) * g->columns + (int64_t)column;
}

/* ==== operations on the host ==== */

/* Declared before domain_host.h, which uses it. */
static int track_samegame_successors_host(struct track_place *p, const void *parameters,
					  const struct track_batch *parents,
					  const struct track_children *c, uint32_t *successor,
					  struct err *e);

#define TRACK_DOMAIN track_samegame_rules
#define TRACK_DOMAIN_SUCCESSORS track_samegame_successors_host
#include "algorithms/koester-recovery/states/domain_host.h"

/* Lists all groups of a state at once, because finding the k-th group means finding all groups
 * before it. */
static void successors_part(void *context, uint64_t from, uint64_t to, int thread)
{
	const struct domain_loop *l = context;

	(void)thread;
	for (uint64_t i = from; i < to; i++) {
		struct track_state s = domain_state(l->b, i);
		struct track_samegame_copy copy;

		if (l->children->number[i])
			track_samegame_list(track_samegame_copy_board(l->d, s, &copy),
					    track_samegame_head_of(s)->width,
					    l->out + l->children->first[i], UINT32_MAX, NULL);
	}
}

static int track_samegame_successors_host(struct track_place *p, const void *parameters,
					  const struct track_batch *parents,
					  const struct track_children *c, uint32_t *successor,
					  struct err *e)
{
	struct domain_loop l = { .d = parameters, .b = parents, .children = c, .out = successor };

	(void)e;
	team_for(p->pool, parents->count, DOMAIN_GRAIN, successors_part, &l);
	return 0;
}

/* ==== the moves that lead to a state ==== */

struct track_samegame_line {
	int64_t *move; /* [moves] cells, malloc'ed */
	size_t moves;
	int64_t score;
	bool over;
	struct track_node *after; /* [steps] the node after each move of the search, malloc'ed */
	uint32_t steps; /* moves of the search; the moves after them were made by the evaluation */
};

/* A game that is being replayed. */
struct game {
	const struct track_samegame_domain *d;
	const struct samegame *g;
	struct track_samegame_state state;
	struct track_step at;
	struct track_samegame_line *line;
};

static bool over(struct game *game)
{
	return track_samegame_head_of(track_samegame_state_of(&game->state))->column ==
	       TRACK_SAMEGAME_OVER;
}

/* Makes an assignment and the execution of its choice, as the search does. */
static void make_move(struct game *game)
{
	struct track_state s = track_samegame_state_of(&game->state);
	const struct track_samegame_head *h = track_samegame_head_of(s);

	if (over(game))
		return;
	game->at.phase = TRACK_ASSIGN;
	track_samegame_rules_assign(&game->d->rules, s, &game->at);
	game->line->move[game->line->moves++] = cell_of(game->g, h->column, h->row);
	game->at.phase = TRACK_EXECUTE;
	track_samegame_rules_execute(&game->d->rules, s, &game->at);
}

/* Jump layers are skipped: their states are copies. */
static void make_moves(struct game *game, const struct track_history *h,
		       const struct track_node *path, uint32_t nodes, uint32_t look_ahead)
{
	struct track_samegame_line *l = game->line;

	for (uint32_t i = 0; i < nodes; i++) {
		uint32_t rating;

		if (path[i].layer == 0 || h->layer[path[i].layer].jump)
			continue;
		track_history_get(h, path[i], &game->at.source, &game->at.successor, &rating);
		game->at.iteration = path[i].layer;
		game->at.step = 0;
		make_move(game);
		l->after[l->steps++] = path[i];
	}
	for (uint32_t step = 1; step < look_ahead && l->steps; step++) {
		game->at.step = step;
		make_move(game);
	}
	l->over = over(game);
	l->score = track_samegame_head_of(track_samegame_state_of(&game->state))->score;
}

static void track_samegame_line_free(struct track_samegame_line *l)
{
	free(l->move);
	free(l->after);
	*l = (struct track_samegame_line){ 0 };
}

/* Lists the moves on the path to `node`, then those that its evaluation played in `look_ahead`
 * steps. `node` was made by a step, in a search with this seed. */
static int track_samegame_line_of(struct track_samegame_line *l,
				  const struct track_samegame_domain *d, const struct samegame *g,
				  const struct track_history *h, struct track_node node,
				  uint32_t look_ahead, uint64_t seed, struct err *e)
{
	struct game game = { .d = d, .g = g, .state = d->input, .line = l };
	uint32_t room = node.layer + 1;
	struct track_node *path = malloc(room * sizeof(*path));

	*l = (struct track_samegame_line){
		.move = malloc(SAMEGAME_MAX_CELLS * sizeof(*l->move)),
		.after = malloc(room * sizeof(*l->after)),
	};
	if (!path || !l->move || !l->after) {
		free(path);
		track_samegame_line_free(l);
		return err_set(e, ERR_MEMORY, "no memory for a game of %u layers", room);
	}
	game.at.seed = seed;
	make_moves(&game, h, path, track_history_trace(h, node, 0, path, room), look_ahead);
	free(path);
	return 0;
}

/* ==== the widest beam that fits in memory ==== */

/* Widest beam if neither a beam nor a memory size is given: on CUDA devices (wider beams need the
 * wide history), on the host, and on simulated devices. A board then takes seconds. */
enum {
	TRACK_SAMEGAME_BEAM = 65536,
	TRACK_SAMEGAME_BEAM_HOST = 1024,
	TRACK_SAMEGAME_BEAM_SIMULATED = 64
};

/* Words of the tracker's arrays. Per child rated at once: successor, source, rating, and two for
 * selection. Per state: numbers, entries twice, and arrays of steps and loads. */
enum { CHILD_WORDS = 5, STATE_WORDS = 24 };
/* Minimum number of children rated at once, enough to occupy a device; and, if children are stored,
 * minimum number per state. */
enum { CHILDREN_AT_ONCE = 1 << 20, CHILDREN_STORED = 16 };

static uint32_t most_children(const struct samegame *g)
{
	return (uint32_t)(g->rows * g->columns) / 2 + 1;
}

/* An upper estimate of the layers. Games rarely have more than one move per three stones. */
static uint64_t most_layers(const struct samegame *g, const struct track_request *r)
{
	return (uint64_t)(g->rows * g->columns * 2 / 5 + 2) * (r->rounds + 1);
}

/* The number of layers in the memory of the place at the end of the search. */
static uint64_t kept_layers(const struct samegame *g, const struct track_request *r)
{
	const struct track_archive_options *a = &r->archive;
	uint64_t layers = most_layers(g, r), cache = a->cache;

	switch (a->recovery) {
	case TRACK_RECOVERY_REPLAY:
		return cache;
	case TRACK_RECOVERY_CHECKPOINT:
	case TRACK_RECOVERY_ADAPTIVE:
		return cache + layers / (a->distance ? a->distance : 1) + 1 +
		       (a->recovery == TRACK_RECOVERY_ADAPTIVE ? r->rounds : 0);
	case TRACK_RECOVERY_MULTISTAGE:
		return cache + (a->budget[TRACK_TIER_DEVICE] ? 0 : layers);
	default:
		return layers;
	}
}

static uint32_t slots_of(const struct samegame *g, const struct track_request *r, uint32_t beam)
{
	uint64_t slots =
		r->engine == TRACK_TUNED ? CHILDREN_AT_ONCE : (uint64_t)beam * CHILDREN_STORED;
	uint64_t all = (uint64_t)beam * most_children(g);

	slots = slots > all ? all : slots;
	slots = slots < beam ? beam : slots;
	slots = slots < most_children(g) ? most_children(g) : slots;
	return slots > INT32_MAX ? INT32_MAX : (uint32_t)slots;
}

/* Bytes on a place for a beam, including the history. */
static double bytes_of(const struct samegame *g, const struct track_request *r,
		       const struct track_domain *d, uint32_t beam)
{
	double slots = slots_of(g, r, beam), state = (double)track_state_bytes(d->layout);
	double states = r->engine == TRACK_TUNED ? beam : slots;
	double children = r->engine == TRACK_TUNED && slots < (double)beam * most_children(g) ?
				  slots :
				  (double)beam * most_children(g);
	double entry = beam > 65536 ? 12 : 8;

	/* a single place rates all its children at once if they fit */
	children = children > slots ? slots : children;
	return state * (2 * states + (double)kept_layers(g, r) * beam) +
	       4.0 * (CHILD_WORDS * children + STATE_WORDS * (double)beam) +
	       entry * (double)most_layers(g, r) * beam;
}

static uint32_t most_beam(const struct track_request *r)
{
	const struct dev *d = r->places[0]->device;

	if (r->memory)
		return UINT32_C(1) << 30;
	if (!d)
		return TRACK_SAMEGAME_BEAM_HOST;
	return dev_backend_is_gpu(dev_backend_of(d)) ? TRACK_SAMEGAME_BEAM :
						       TRACK_SAMEGAME_BEAM_SIMULATED;
}

static int widest(const struct samegame *g, const struct track_request *r,
		  const struct track_domain *d, uint32_t *beam, struct err *e)
{
	uint32_t low = 0, high = most_beam(r);
	uint64_t memory;
	int status = track_place_budget(r->places[0], r->memory, &memory, e);

	if (status)
		return status;
	while (low < high) {
		uint32_t middle = low + (high - low + 1) / 2;

		if (bytes_of(g, r, d, middle) <= (double)memory)
			low = middle;
		else
			high = middle - 1;
	}
	if (low == 0)
		return err_set(e, ERR_MEMORY,
			       "%s: one state per layer needs %.0f bytes; %.0f are allowed",
			       g->name, bytes_of(g, r, d, 1), (double)memory);
	*beam = low;
	return 0;
}

/* Sets beam, slots and the form of the history. A beam of 0 becomes as wide as the request's memory
 * allows on each place: buffers, arrays of children, layers that the recovery keeps, and the
 * history. ERR_MEMORY if not even one state fits. */
static int track_samegame_choose_beam(const struct samegame *g, const struct track_request *r,
				      const struct track_domain *d, struct track_options *o,
				      struct err *e)
{
	int status = 0;

	o->beam = r->beam;
	if (!r->beam)
		status = widest(g, r, d, &o->beam, e);
	o->slots = slots_of(g, r, o->beam);
	o->wide_history = o->beam > (uint32_t)UINT16_MAX + 1;
	return status;
}

/* ==== beam search ==== */

/* Every child is rated by playing its game to the end at random. The search returns the best game
 * of all. Further rounds start from states of the best game found before. */

struct search {
	const struct samegame *g;
	const struct track_request *r;
	struct track_outcome *out;
	struct track_samegame_domain d;
	struct track_options o;
	struct tracker *t;
	double start;
	uint32_t best_rating;   /* of a complete game; odd */
	struct track_node best; /* its node */
};

static bool in_time(const struct search *s)
{
	return s->r->time_limit <= 0 || clock_wall() - s->start < s->r->time_limit;
}

/* Looks for a better game in the new layer, which contains the best of all children rated for
 * it. */
static void look_for_better(struct search *s)
{
	const struct track_history *h = track_history(s->t);
	struct track_node n = { track_layer(s->t), 0 };

	for (; n.slot < track_history_count(h, n.layer); n.slot++) {
		uint32_t source, successor, rating;

		track_history_get(h, n, &source, &successor, &rating);
		if (rating & 1 && rating < s->best_rating) {
			s->best_rating = rating;
			s->best = n;
		}
	}
}

/* Makes layers until no state has a child. */
static int run_layers(struct search *s, struct err *e)
{
	int status = 0;

	while (!status && track_count(s->t)) {
		if (!in_time(s))
			return err_set(e, ERR_LIMIT, "time limit of %g s in layer %" PRIu32,
				       s->r->time_limit, track_layer(s->t));
		status = track_iterate(s->t, e);
		if (!status && track_count(s->t))
			look_for_better(s);
	}
	return status;
}

static int line_of_best(const struct search *s, struct track_samegame_line *l, struct err *e)
{
	return track_samegame_line_of(l, &s->d, s->g, track_history(s->t), s->best, s->o.look_ahead,
				      s->o.seed, e);
}

/* The move after which further round k starts: at halves, then quarters, then eighths of the
 * game. */
static uint32_t place_of_round(uint32_t k, uint32_t steps)
{
	uint32_t numerator = 0, denominator = 1;

	for (; k; k /= 2) {
		numerator = 2 * numerator + k % 2;
		denominator *= 2;
	}
	return (uint32_t)((uint64_t)steps * numerator / denominator);
}

/* Continues from one state of the best game. Its descendants get the whole beam. */
static int further_round(struct search *s, uint32_t k, struct err *e)
{
	struct track_samegame_line l;
	int status = line_of_best(s, &l, e);

	if (!status && l.steps) {
		status = track_backtrack(s->t, &l.after[place_of_round(k, l.steps)], 1, e);
		s->out->recovered += !status;
	}
	track_samegame_line_free(&l);
	return status ? status : run_layers(s, e);
}

static int all_rounds(struct search *s, struct err *e)
{
	int status = track_begin(s->t, &s->d.input, 1, e);

	if (!status)
		status = run_layers(s, e);
	for (uint32_t k = 1; !status && k <= s->r->rounds && s->best_rating != UINT32_MAX; k++)
		status = further_round(s, k, e);
	return status;
}

/* Reports the best game, or no game if the board has no moves. */
static int present(struct search *s, struct err *e)
{
	struct track_outcome *o = s->out;
	struct track_samegame_line l = { 0 };
	int status;

	if (s->best_rating == UINT32_MAX) {
		const struct track_samegame_head *h =
			track_samegame_head_of(track_samegame_state_of(&s->d.input));

		o->found = h->column == TRACK_SAMEGAME_OVER;
		o->objective = h->score;
		return 0;
	}
	if ((status = line_of_best(s, &l, e)))
		return status;
	if (!l.over || l.score != track_samegame_rated_score(s->best_rating)) {
		track_samegame_line_free(&l);
		return err_set(e, ERR_FAILED,
			       "the game rated %" PRId32 " scores %" PRId64 " when played again",
			       track_samegame_rated_score(s->best_rating), l.score);
	}
	o->found = true;
	o->objective = l.score;
	o->solution = l.move;
	o->length = l.moves;
	l.move = NULL;
	track_samegame_line_free(&l);
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
	int status, shown;

	set_options(s);
	if ((status = track_samegame_choose_beam(s->g, s->r, &s->d.domain, &s->o, e)) ||
	    (status = track_create(&s->t, &s->d.domain, &s->o, s->r->places, s->r->place_count, e)))
		return status;
	status = all_rounds(s, e);
	s->out->beam = s->o.beam;
	s->out->layers = track_history(s->t) ? track_history(s->t)->layers : 0;
	s->out->stopped = status == ERR_LIMIT;
	s->out->seconds_search = clock_wall() - s->start;
	track_figures(s->t, &s->out->figures);
	if ((status && status != ERR_LIMIT) || !track_history(s->t))
		return status;
	shown = present(s, e);
	return shown ? shown : status;
}

int track_samegame_search(const struct samegame *g, const struct track_request *r,
			  struct track_outcome *o, struct err *e)
{
	struct search s = {
		.g = g, .r = r, .out = o, .start = clock_wall(), .best_rating = UINT32_MAX
	};
	int status;

	*o = (struct track_outcome){ 0 };
	track_samegame_domain_init(&s.d, g);
	status = run(&s, e);
	for (int k = 0; k < r->place_count; k++)
		if (o->memory_peak < r->places[k]->peak)
			o->memory_peak = r->places[k]->peak;
	track_destroy(s.t);
	o->seconds_total = clock_wall() - s.start;
	return status;
}
