/* How wide a beam on SameGame can be. */
#ifndef COPRA_KOESTER_RECOVERY_SAMEGAME_BEAM_H
#define COPRA_KOESTER_RECOVERY_SAMEGAME_BEAM_H

#include "datasets/samegame/samegame.h"
#include "algorithms/koester-recovery/problem_search.h"

/* Widest beam where neither a beam nor a memory is given, for a board in seconds: on CUDA devices
 * (more take the wide history), on the host, on simulated devices. */
enum { SAMEGAME_BEAM = 65536, SAMEGAME_BEAM_HOST = 1024, SAMEGAME_BEAM_SIMULATED = 64 };

/* Sets beam, slots, history's form and limit. A beam of 0 becomes as wide as the request's memory
 * allows on each place: buffers, arrays of children, the layers that the recovery keeps, and the
 * history. ERR_MEMORY where not even one state fits. */
int samegame_choose_beam(const struct samegame *g, const struct track_request *r,
			 const struct track_domain *d, struct track_options *o, struct err *e);

#endif
