/* The CPU threads of Algorithm 2: Synchronize(), and one decision for all whether to go on. */
#ifndef COPRA_DP_KNAPSACK_PUBLISHED_TEAM_H
#define COPRA_DP_KNAPSACK_PUBLISHED_TEAM_H

#include <stdatomic.h>

struct kp_team {
	int size;
	atomic_int waiting;
	atomic_uint generation;
	atomic_int worst;  /* of those that have arrived */
	atomic_int agreed; /* of the last generation; written by its last arrival alone */
};

void kp_team_init(struct kp_team *t, int size);
/* Waits for all `size` threads. Returns to all of them the same value: 0 where each came with
 * status 0, else a status that one of them came with (an error before ERR_LIMIT). Memory written
 * before by any is seen after by all. */
int kp_team_sync(struct kp_team *t, int status);

#endif
