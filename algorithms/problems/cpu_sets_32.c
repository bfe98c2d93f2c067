#define CELL uint32_t
#define KERNEL sets_kernel_32
#include "cpu_sets_body.h"
