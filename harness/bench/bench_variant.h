/* The axes `variant` and `gpus`, which the experiments of all targets have, and whether this
 * machine can run a case. */
#ifndef COPRA_BENCH_BENCH_VARIANT_H
#define COPRA_BENCH_BENCH_VARIANT_H

#include "harness/bench/bench.h"
#include "harness/bench/solve.h"

/* By its word; one that is no variant's names an algorithm in serial. */
enum solve_variant bench_variant(const struct bench_case *c);
/* published and tuned run kernels. */
bool bench_uses_device(const struct bench_case *c);
/* A variant runs on devices exactly where gpus > 0. */
bool bench_gpus_fit(const struct bench_case *c);

/* So many devices are there, and the case is not too large for them where they are simulated.
 * ERR_UNSUPPORTED, which skips the case, says why. */
int bench_need_machine(struct bench_case *c, int64_t gpus, bool too_large_to_simulate,
		       struct err *e);
/* Skips a case that would take more than two hours. */
int bench_need_time(struct bench_case *c, double seconds, struct err *e);

#endif
