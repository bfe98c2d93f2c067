#define CELL uint16_t
#define KERNEL deep_kernel_16
#include "cpu_deep_body.h"
