/* The synthetic model's operations on the host. */
#ifndef COPRA_TRACK_SYNTHETIC_HOST_H
#define COPRA_TRACK_SYNTHETIC_HOST_H

#include "track_ops.h"

extern const struct track_ops synthetic_ops_host;        /* plain loops */
extern const struct track_ops synthetic_vector_ops_host; /* vectors where the processor has fused
							    multiply-adds of them; same bytes */

#endif
