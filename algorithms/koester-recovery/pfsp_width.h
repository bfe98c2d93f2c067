/* How wide a beam the memory allows. */
#ifndef COPRA_KOESTER_RECOVERY_PFSP_WIDTH_H
#define COPRA_KOESTER_RECOVERY_PFSP_WIDTH_H

#include "algorithms/koester-recovery/problem_search.h"

/* Children that are rated at once, for a beam of this width: all of a layer where they are few. */
uint32_t pfsp_children_at_once(uint32_t width, int32_t jobs, enum track_engine engine);

/* The widest beam, at least 1, whose buffers, kept layers and working arrays fit `r->memory` bytes
 * on each place (0: half of what is free now) with the recovery and rounds of the request. Kept on
 * the place are
 *     gpu         every layer
 *     checkpoint  every distance-th
 *     adaptive    the same, and as many again for copies half way
 *     multistage  what its budget for the device says; 0: a third of the memory
 *     all others  none; every layer where the place is the host, whose memory is all one
 * and one for the cache, where it is asked for. The history's 12 bytes a state and layer must fit
 * as many bytes of the host. *memory: what the place's part was. */
int pfsp_widest(const struct track_request *r, size_t state_bytes, int32_t jobs, uint32_t *width,
		uint64_t *memory, struct err *e);

#endif
