#define CELL uint16_t
#define KERNEL deep_kernel_16
#include "algorithms/tree-search/deep/cpu_deep_body.h"
