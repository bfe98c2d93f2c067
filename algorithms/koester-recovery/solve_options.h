/* The flags of `solve`, and the runs of the three problems. */
#ifndef COPRA_KOESTER_RECOVERY_SOLVE_OPTIONS_H
#define COPRA_KOESTER_RECOVERY_SOLVE_OPTIONS_H

#include "algorithms/koester-recovery/problem_search.h"
#include "algorithms/koester-recovery/solve.h"
#include "algorithms/koester-recovery/solve_places.h"

struct track_share { /* 0 to 1 */
	double value;
	bool given;
};

/* Numbers, 0: not given; texts, NULL: not given. */
struct track_solve_options {
	struct solve_options common;
	int64_t beam;
	uint64_t memory; /* bytes */
	const char *recovery, *cache;
	int64_t distance, adapt;
	uint64_t budget[TIERS]; /* bytes; 0: not given */
	struct track_share fill_rate;
	int64_t look_ahead;
	/* pfsp and samegame */
	int64_t rounds;
	const char *guide, *branching, *format;
	/* synthetic */
	int64_t states, load, state_bytes, iterations;
	struct track_share break_probability;
	const char *schedule;
};

/* --recovery, --cache, --distance, --adapt and the budgets. */
int track_solve_archive(const struct track_solve_options *o, struct archive_options *a,
			struct err *e);
/* The places of the variant; with --recovery peer, and with a budget for a peer, the last device
 * given keeps states. */
int track_solve_places(const struct track_solve_options *o, enum track_recovery recovery,
		       uint64_t limit, struct track_places *p, struct err *e);
void track_solve_figures(const struct track_figures *f, struct solve_result *r);

/* solve_problem.c, solve_model.c */
int track_solve_pfsp(const struct track_solve_options *o, struct solve_result *r, struct err *e);
int track_solve_samegame(const struct track_solve_options *o, struct solve_result *r,
			 struct err *e);
int track_solve_synthetic(const struct track_solve_options *o, struct solve_result *r,
			  struct err *e);

#endif
