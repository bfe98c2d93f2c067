/* A SameGame board as the tracker's input, and its moves read from a search. */
#ifndef COPRA_KOESTER_RECOVERY_PROBLEMS_SAMEGAME_H
#define COPRA_KOESTER_RECOVERY_PROBLEMS_SAMEGAME_H

#include "algorithms/koester-recovery/states/domain.h"
#include "algorithms/koester-recovery/recovery/history.h"
#include "algorithms/koester-recovery/problems/search.h"
#include "kernels/koester-recovery/samegame.h"
#include "datasets/samegame/samegame.h"

enum { SAMEGAME_UNITS = SAMEGAME_MAX_COLUMNS + 1 };

/* A state in memory of the caller's. */
struct samegame_state {
	uint64_t unit[SAMEGAME_UNITS];
};

struct samegame_domain {
	struct track_domain domain;
	struct samegame_rules rules;
};

/* Neither may be moved or freed while a tracker uses it. */
void samegame_domain_init(struct samegame_domain *d, const struct samegame *g);

/* The board as a state: the first samegame_domain.domain.layout.units units. */
struct samegame_state samegame_input(const struct samegame_domain *d, const struct samegame *g);
struct track_state samegame_state_of(struct samegame_state *s);

/* The cell, row * columns + column from the top left, of a column and a row from the ground. */
int64_t samegame_cell(const struct samegame *g, uint32_t column, uint32_t row);

#endif
