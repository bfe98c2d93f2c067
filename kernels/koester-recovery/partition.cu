#include "algorithms/koester-recovery/partition.h"
#include "kernels/koester-recovery/domain.cuh"
TRACK_SMALL_DOMAIN_KERNELS(partition)
