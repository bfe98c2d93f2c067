#define VEC_CELL uint16_t
#define KERNEL sets_cpu_kernel_16
#include "algorithms/tree-search/by-set/sets_cpu_lanes.h"
