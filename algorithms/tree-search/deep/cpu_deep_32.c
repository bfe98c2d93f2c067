#define CELL uint32_t
#define KERNEL deep_kernel_32
#include "algorithms/tree-search/deep/cpu_deep_body.h"
