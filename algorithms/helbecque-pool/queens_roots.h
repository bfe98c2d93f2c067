/* N-Queens for devices: where the search starts, and who gets what.
 *
 * Roots are nodes of kernels/helbecque-pool/queens.h: one of each orbit of placements of the middle rows
 * under the reflections in both axes, followed by all placements of a few more rows. They are kept apart by
 * weight (the size of the orbit: 1, 2 or 4) and handed out in parts. */
#ifndef COPRA_QUEENS_ROOTS_H
#define COPRA_QUEENS_ROOTS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "../../harness/error.h"
#include "../../kernels/helbecque-pool/queens.h"

enum { QUEENS_WEIGHTS = 3, QUEENS_SMALL = 7 };

struct queens_roots {
	int queens, depth; /* rows that are placed */
	bool solutions_only;
	uint64_t explored; /* placements of fewer rows than the first nodes' */
	uint64_t halves, solutions; /* found on the way, as in struct queens_counts */
	struct queens_node *node[QUEENS_WEIGHTS]; /* of weight 1 << index */
	int64_t count[QUEENS_WEIGHTS];
};

/* Roots of depth `depth` at most, and no deeper than gives `enough` of them; `queens` > QUEENS_SMALL.
 * ERR_MEMORY. */
int queens_roots_make(struct queens_roots *r, int queens, bool solutions_only, int depth, int64_t enough,
		      struct err *e);
void queens_roots_free(struct queens_roots *r);

/* The whole search for boards of up to QUEENS_SMALL queens. */
void queens_small(int queens, uint64_t *explored, uint64_t *solutions);

/* Puts the roots into `shares` shares: of each weight, share i has those whose number is i modulo `shares`,
 * and they follow each other. ERR_MEMORY. */
int queens_roots_share(struct queens_roots *r, int shares, struct err *e);

/* Hands out the roots of one share, the large parts first. */
struct queens_dealer {
	pthread_mutex_t lock;
	const struct queens_roots *roots;
	int64_t next[QUEENS_WEIGHTS], end[QUEENS_WEIGHTS];
	int takers;
};

struct queens_part {
	int weight_index;
	int64_t first, count; /* of the roots of that weight */
	bool last;            /* little is left after it */
};

/* Share `share` of `shares`; 0 of 1 is all. */
void queens_dealer_open(struct queens_dealer *d, const struct queens_roots *r, int share, int shares,
			int takers);
void queens_dealer_close(struct queens_dealer *d);
/* At most `most` roots, which is at least 1; false when none is left. */
bool queens_deal(struct queens_dealer *d, int64_t most, struct queens_part *p);

#endif
