/* Where a block of batch.h keeps what. */
#ifndef COPRA_GBOA_TUNED_BATCH_PLAN_H
#define COPRA_GBOA_TUNED_BATCH_PLAN_H

#include "kernels/gboa/batch.h"
#include "algorithms/gboa/boa.h"

/* A plan of runs by clusters of `cluster` blocks that have up to `shared` bytes, and its threads a
 * block where *threads is 0. The landscape's data on the device and the runs are the caller's.
 * False: it does not fit; p->shared_bytes says what it would need. The options are within the
 * kernels' limits. */
bool batch_plan_make(struct batch_plan *p, const struct landscape *l, const struct boa_options *o,
		     int cluster, int *threads, size_t shared);
/* ERR_UNSUPPORTED where no plan can have such options. */
int batch_plan_check(const struct landscape *l, const struct boa_options *o, struct err *e);

#endif
