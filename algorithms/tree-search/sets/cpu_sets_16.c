#define CELL uint16_t
#define KERNEL sets_kernel_16
#include "algorithms/tree-search/sets/cpu_sets_body.h"
