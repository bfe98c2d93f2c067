/* Weak stand-ins for what is not written yet. */
#include "problem_search.h"
#include "recovery.h"
#include "track_pool.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"
#define WEAK __attribute__((weak))

WEAK void track_outcome_free(struct track_outcome *o) { }
