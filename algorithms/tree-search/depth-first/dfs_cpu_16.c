#define VEC_CELL uint16_t
#define KERNEL dfs_cpu_kernel_16
#include "algorithms/tree-search/depth-first/dfs_cpu_lanes.h"
