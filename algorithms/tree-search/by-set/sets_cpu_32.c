#define VEC_CELL uint32_t
#define KERNEL sets_cpu_kernel_32
#include "algorithms/tree-search/by-set/sets_cpu_lanes.h"
