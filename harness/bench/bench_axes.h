/* Axes as most experiments have them: the same values at every scale; variants; GPUs. */
#ifndef COPRA_BENCH_BENCH_AXES_H
#define COPRA_BENCH_BENCH_AXES_H

#include "harness/bench/bench.h"

/* An integer shown as name:value; a text shown as value; a text shown as name:value. */
#define BENCH_FIXED_INT(axis_name, ...)                                                            \
	BENCH_AXIS_INT(axis_name, BENCH_INTS(__VA_ARGS__), BENCH_SAME, BENCH_SAME)
#define BENCH_FIXED_TEXT(axis_name, ...)                                                           \
	BENCH_AXIS_TEXT(axis_name, BENCH_TEXTS(__VA_ARGS__), BENCH_SAME, BENCH_SAME)
#define BENCH_FIXED_NAMED(axis_name, ...)                                                          \
	BENCH_AXIS_NAMED(axis_name, BENCH_TEXTS(__VA_ARGS__), BENCH_SAME, BENCH_SAME)

#define BENCH_VARIANTS(...) BENCH_FIXED_TEXT("variant", __VA_ARGS__)
#define BENCH_ALL_VARIANTS BENCH_VARIANTS("serial", "cpu", "published", "tuned")
/* gpus:0 is a case that needs none. */
#define BENCH_GPUS(...) BENCH_FIXED_INT("gpus", __VA_ARGS__)

#endif
