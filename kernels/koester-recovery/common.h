/* Copies of states, scans and the choice of the best, on devices: the tables behind
 * track_common_of (algorithms/koester-recovery/track_ops.h is the manual). Everything is launched
 * on the place's stream and waits for nothing.
 *
 *   gather    one launch. The largest power of two, at most 16 bytes, that units and buffers allow
 *             is copied at a time: rows of small units by neighbouring threads, large units by a
 *             warp
 *   scan      one cooperative launch, two reads; scratch 8 KB
 *   select    one cooperative launch: the keep-th smallest rating by histograms of 11, 11 and 10
 *             bits, then an ordered compaction; four reads of the ratings, at most 2^31 of them;
 *             scratch 32 KB
 *   children  one launch, a thread a chosen child */
#ifndef COPRA_KERNELS_KOESTER_RECOVERY_COMMON_H
#define COPRA_KERNELS_KOESTER_RECOVERY_COMMON_H

#include "algorithms/koester-recovery/track_ops.h"

#ifdef __cplusplus
extern "C" {
#endif
extern const struct track_common track_common_sim;
#if COPRA_HAVE_CUDA
extern const struct track_common track_common_cuda;
#endif
#ifdef __cplusplus
}
#endif

#endif
