#include "kernels/selftest/tracked.h"

#include "kernels/koester-recovery/domain.cuh"

TRACK_SMALL_DOMAIN_KERNELS(tracked)
