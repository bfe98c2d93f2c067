/* A run of the paper's synthetic model (synthetic.h): what solve and the experiments of Tables I to
 * IV set up, make iterations of, and check. */
#ifndef COPRA_KOESTER_RECOVERY_SOLVE_SYNTHETIC_H
#define COPRA_KOESTER_RECOVERY_SOLVE_SYNTHETIC_H

#include "algorithms/koester-recovery/solve_places.h"
#include "algorithms/koester-recovery/synthetic.h"
#include "algorithms/koester-recovery/track.h"

/* How the assignments of an evaluation are scheduled:
 *   printed   after the steps that the printed times imply (8, 2, 1, 1 assignments of all states
 *             for F = 0, 30, 60, 100 %), without the assignment of line 1 of Algorithm 2
 *   together  Algorithm 2 as it is written
 *   each      every state is assigned as soon as it waits */
enum synthetic_schedule {
	SYNTHETIC_PRINTED,
	SYNTHETIC_TOGETHER,
	SYNTHETIC_EACH,
	SYNTHETIC_SCHEDULES
};
const char *synthetic_schedule_name(enum synthetic_schedule s);

struct synthetic_setup {
	struct synthetic_options model;
	uint32_t states, beam; /* S, and how many of them a layer keeps */
	uint32_t inputs;       /* states of layer 0, 1 .. beam; 0: as many as the beam */
	enum synthetic_schedule schedule;
	double fill_rate;    /* 0 to 1 */
	uint32_t look_ahead; /* 8 in the paper */
	enum track_engine engine;
	struct archive_options archive;
	uint64_t seed;
	const volatile sig_atomic_t *stop;
};
/* The paper's: 16 x 16 matrices, states of one matrix, 8 steps of look-ahead, one forward, the
 * cache on. */
struct synthetic_setup synthetic_setup_default(void);
/* Of `printed`: as track_options' breaks. */
uint32_t synthetic_breaks(const struct synthetic_setup *s);

struct synthetic_run {
	struct synthetic_setup setup;
	struct track_domain *domain;
	struct tracker *tracker;
	uint64_t iterations; /* made so far */
};

/* Made ready at layer 0. */
int synthetic_run_open(struct synthetic_run *r, const struct synthetic_setup *s,
		       const struct track_places *places, struct err *e);
int synthetic_run_iterate(struct synthetic_run *r, uint32_t iterations, struct err *e);
void synthetic_run_close(struct synthetic_run *r);

#endif
