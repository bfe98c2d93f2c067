/* The domain of a SameGame board. */
#ifndef COPRA_KOESTER_RECOVERY_PROBLEMS_SAMEGAME_H
#define COPRA_KOESTER_RECOVERY_PROBLEMS_SAMEGAME_H

#include "algorithms/koester-recovery/states/domain.h"
#include "algorithms/koester-recovery/recovery/history.h"
#include "algorithms/koester-recovery/problems/search.h"
#include "kernels/koester-recovery/samegame.h"
#include "datasets/samegame/samegame.h"

enum { TRACK_SAMEGAME_UNITS = SAMEGAME_MAX_COLUMNS + 1 };

/* Memory for one state. */
struct track_samegame_state {
	uint64_t unit[TRACK_SAMEGAME_UNITS];
};

struct track_samegame_domain {
	struct track_domain domain;
	struct track_samegame_rules rules;
};

/* The domain and the board may not be moved or freed while a tracker uses them. */
void track_samegame_domain_init(struct track_samegame_domain *d, const struct samegame *g);

/* The board as a state: the first track_samegame_domain.domain.layout.units units. */
struct track_samegame_state track_samegame_input(const struct track_samegame_domain *d,
						 const struct samegame *g);
static inline struct track_state track_samegame_state_of(struct track_samegame_state *s)
{
	return (struct track_state){ (unsigned char *)s->unit, sizeof(s->unit[0]) };
}

/* The number of a cell: row * columns + column, counted from the top left. The argument `row`
 * counts from the ground. */
int64_t track_samegame_cell(const struct samegame *g, uint32_t column, uint32_t row);

#endif
