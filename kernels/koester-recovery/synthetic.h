/* Kernels of the synthetic model (algorithms/koester-recovery/synthetic.h): */
#ifndef COPRA_KERNELS_KOESTER_RECOVERY_SYNTHETIC_H
#define COPRA_KERNELS_KOESTER_RECOVERY_SYNTHETIC_H

#include "algorithms/koester-recovery/track_ops.h"

#ifdef __cplusplus
extern "C" {
#endif
/* plain: a thread a state, the state in memory */
extern const struct track_ops synthetic_ops_sim;
/* rows in registers over all steps; for 8, 12, 16, 24 and 32 columns, else ERR_UNSUPPORTED */
extern const struct track_ops synthetic_rows_ops_sim;
#if COPRA_HAVE_CUDA
extern const struct track_ops synthetic_ops_cuda;
extern const struct track_ops synthetic_rows_ops_cuda;
#endif
#ifdef __cplusplus
}
#endif

#endif
