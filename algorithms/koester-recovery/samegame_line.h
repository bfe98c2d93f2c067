/* From a state of a search to the game that it stands for. */
#ifndef COPRA_KOESTER_RECOVERY_SAMEGAME_LINE_H
#define COPRA_KOESTER_RECOVERY_SAMEGAME_LINE_H

#include "algorithms/koester-recovery/history.h"
#include "algorithms/koester-recovery/samegame_domain.h"

struct samegame_line {
	int64_t *move; /* [moves] cells, malloc'ed */
	size_t moves;
	int64_t score;
	bool over;
	struct history_node *after; /* [steps] the search's states after its moves, malloc'ed */
	uint32_t steps;             /* moves of the search; those behind them were looked ahead */
};

/* The moves on the path to `node`, which a step made, and those of its evaluation by `look_ahead`
 * steps in a search with this seed. */
int samegame_line_of(struct samegame_line *l, const struct samegame_domain *d,
		     const struct samegame *g, const struct history *h, struct history_node node,
		     uint32_t look_ahead, uint64_t seed, struct err *e);
void samegame_line_free(struct samegame_line *l);

#endif
