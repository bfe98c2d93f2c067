/* The synthetic model's operations on the host. */
#ifndef COPRA_KOESTER_RECOVERY_SYNTHETIC_HOST_H
#define COPRA_KOESTER_RECOVERY_SYNTHETIC_HOST_H

#include "algorithms/koester-recovery/track_ops.h"

extern const struct track_ops synthetic_ops_host;        /* plain loops */
extern const struct track_ops synthetic_vector_ops_host; /* vectors where the processor has fused
							    multiply-adds of them; same bytes */

#endif
