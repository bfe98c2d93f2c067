#include "kernels/selftest/track_walk.h"

#include "kernels/koester-recovery/domain.cuh"

TRACK_SMALL_DOMAIN_KERNELS(track_walk)
