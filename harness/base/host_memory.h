/* Memory of the host: what is there, and a refusal in time. Linux hands out more than it has and
 * kills later. */
#ifndef COPRA_BASE_HOST_MEMORY_H
#define COPRA_BASE_HOST_MEMORY_H

#include <stdint.h>

#include "harness/base/error.h"

/* Bytes that can be used without swapping. */
int64_t host_memory_available(void);

/* Bytes of the data cache of that level (1 to 3), of one core; `otherwise` where the system does
 * not tell. */
int64_t host_cache_bytes(int level, int64_t otherwise);

/* ERR_MEMORY, naming both figures, when `bytes` (a double: it may not fit in 64 bits) are more. */
int host_memory_check(double bytes, const char *what, struct err *e);

#endif
