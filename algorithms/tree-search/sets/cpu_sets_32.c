#define CELL uint32_t
#define KERNEL sets_kernel_32
#include "algorithms/tree-search/sets/cpu_sets_body.h"
