#include "algorithms/koester-recovery/samegame_line.h"

#include <stdlib.h>

/* A game in the making. */
struct game {
	const struct samegame_domain *d;
	const struct samegame *g;
	struct samegame_state state;
	struct track_step at;
	struct samegame_line *line;
};

static bool over(struct game *game)
{
	return samegame_head_of(samegame_state_of(&game->state))->column == SAMEGAME_OVER;
}

/* An assignment and the execution of what it chose, as the search makes them. */
static void make_move(struct game *game)
{
	struct track_state s = samegame_state_of(&game->state);
	const struct samegame_head *h = samegame_head_of(s);

	if (over(game))
		return;
	game->at.phase = TRACK_ASSIGN;
	samegame_rules_assign(&game->d->rules, s, &game->at);
	game->line->move[game->line->moves++] = samegame_cell(game->g, h->column, h->row);
	game->at.phase = TRACK_EXECUTE;
	samegame_rules_execute(&game->d->rules, s, &game->at);
}

/* Jumps change nothing: their states are copies. */
static void make_moves(struct game *game, const struct history *h, const struct history_node *path,
		       uint32_t nodes, uint32_t look_ahead)
{
	struct samegame_line *l = game->line;

	for (uint32_t i = 0; i < nodes; i++) {
		uint32_t rating;

		if (path[i].layer == 0 || h->layer[path[i].layer].jump)
			continue;
		history_get(h, path[i], &game->at.source, &game->at.successor, &rating);
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
	l->score = samegame_head_of(samegame_state_of(&game->state))->score;
}

int samegame_line_of(struct samegame_line *l, const struct samegame_domain *d,
		     const struct samegame *g, const struct history *h, struct history_node node,
		     uint32_t look_ahead, uint64_t seed, struct err *e)
{
	struct game game = { .d = d, .g = g, .state = samegame_input(d, g), .line = l };
	uint32_t room = node.layer + 1;
	struct history_node *path = malloc(room * sizeof(*path));

	*l = (struct samegame_line){
		.move = malloc(SAMEGAME_MAX_CELLS * sizeof(*l->move)),
		.after = malloc(room * sizeof(*l->after)),
	};
	if (!path || !l->move || !l->after) {
		free(path);
		samegame_line_free(l);
		return err_set(e, ERR_MEMORY, "no memory for a game of %u layers", room);
	}
	game.at.seed = seed;
	make_moves(&game, h, path, history_trace(h, node, 0, path, room), look_ahead);
	free(path);
	return 0;
}

void samegame_line_free(struct samegame_line *l)
{
	free(l->move);
	free(l->after);
	*l = (struct samegame_line){ 0 };
}
