/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Peak rates: the highest rates this machine was measured to reach for each kind of work, and the
 * lower bound on time that follows for an amount of work (the roofline model).
 *
 *     const struct peak_demand demand[] = {
 *         { PEAK_GPU_ADD_MAX, cells }, { PEAK_GPU_COPY, bytes_read_and_written } };
 *     bench_demands(bc, demand, 2); // in a benchmark: counters, label and lower bound of the row
 *     double bound = peaks_lower_bound(p, demand, 2, &limit);
 *
 * copra-peaks (`make peaks`) measures them and stores them in <results>/<machine>/ceilings.json, or
 * in the file that COPRA_CEILINGS names. They are only used again on the same machine with the same
 * driver, compiler and flags. They are never measured on sim. The result of every measuring kernel
 * is checked before its time counts. */
#ifndef COPRA_MACHINE_PEAKS_H
#define COPRA_MACHINE_PEAKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "harness/base/error.h"
#include "harness/device/device.h"
#include "harness/machine/environment.h"

/* Id, name in files and reports, unit, description.
 *
 * The bytes of a copy are those read plus those written. GPU rates are those of one whole GPU (the
 * first of the set); for work spread evenly over g GPUs, divide the amount by g. An add-max is
 * max(a + b, c) on one value: a 16-bit pair counts as two. A binary product is that of tensor cores
 * (kernels/common/mma_b1.cuh), or of what replaces them on devices without them; 1024 operations
 * each. */
#define PEAKS_LIST(X)                                                                              \
	X(PEAK_CPU_COPY_1, "cpu_copy_1", "B/s", "memory copy, one core, read + written")           \
	X(PEAK_CPU_COPY, "cpu_copy", "B/s", "memory copy, all cores, read + written")              \
	X(PEAK_CPU_L1_COPY_1, "cpu_l1_copy_1", "B/s", "copy within L1, one core")                  \
	X(PEAK_CPU_L2_COPY_1, "cpu_l2_copy_1", "B/s", "copy within L2, one core")                  \
	X(PEAK_CPU_L2_COPY, "cpu_l2_copy", "B/s", "copy within L2, all cores")                     \
	X(PEAK_CPU_ADD_MAX_1, "cpu_add_max_1", "op/s", "32-bit add-max, one core")                 \
	X(PEAK_CPU_ADD_MAX, "cpu_add_max", "op/s", "32-bit add-max, all cores")                    \
	X(PEAK_CPU_POPCOUNT_1, "cpu_popcount_1", "op/s", "popcount + add of 64 bits, one core")    \
	X(PEAK_CPU_POPCOUNT, "cpu_popcount", "op/s", "popcount + add of 64 bits, all cores")       \
	X(PEAK_CPU_FMA_1, "cpu_fma_1", "op/s", "fp32 fused multiply-add, one core")                \
	X(PEAK_CPU_FMA, "cpu_fma", "op/s", "fp32 fused multiply-add, all cores")                   \
	X(PEAK_GPU_COPY, "gpu_copy", "B/s", "device memory copy, read + written")                  \
	X(PEAK_GPU_L2_COPY, "gpu_l2_copy", "B/s", "copy within L2, read + written")                \
	X(PEAK_GPU_SHARED_READ, "gpu_shared_read", "B/s", "shared memory read")                    \
	X(PEAK_GPU_SHARED_WRITE, "gpu_shared_write", "B/s", "shared memory written")               \
	X(PEAK_GPU_ADD_MAX, "gpu_add_max", "op/s", "32-bit add-max")                               \
	X(PEAK_GPU_ADD_MAX_16, "gpu_add_max_16", "op/s", "16-bit add-max, in pairs")               \
	X(PEAK_GPU_POPCOUNT, "gpu_popcount", "op/s", "popcount + add of 32 bits")                  \
	X(PEAK_GPU_BINARY, "gpu_binary", "op/s", "binary product, 32 bits: and, popcount, add")    \
	X(PEAK_GPU_FMA, "gpu_fma", "op/s", "fp32 fused multiply-add")                              \
	X(PEAK_GPU_LAUNCH, "gpu_launch", "s", "one kernel launch in a stream of launches")         \
	X(PEAK_PINNED_TO, "pinned_to_gpu", "B/s", "pinned host memory to device")                  \
	X(PEAK_PINNED_FROM, "pinned_from_gpu", "B/s", "device to pinned host memory")              \
	X(PEAK_PAGEABLE_TO, "pageable_to_gpu", "B/s", "pageable host memory to device")            \
	X(PEAK_PAGEABLE_FROM, "pageable_from_gpu", "B/s", "device to pageable host memory")        \
	X(PEAK_PEER, "peer_copy", "B/s", "copy to a peer GPU, one way")                            \
	X(PEAK_PEER_LATENCY, "peer_latency", "s", "4 KiB copy to a peer GPU, each waited for")

enum peak {
#define PEAKS_ID(id, name, unit, text) id,
	PEAKS_LIST(PEAKS_ID)
#undef PEAKS_ID
		PEAKS
};

struct peaks {
	char machine[64];    /* slug */
	char key[24];        /* hash of machine, driver and build, on which the rates depend */
	char date[40];       /* when measured, RFC 3339 */
	double value[PEAKS]; /* in its unit; 0: not known */
};

const char *peaks_name(enum peak id);
enum peak peaks_named(const char *name); /* returns PEAKS if the name is unknown */
const char *peaks_unit(enum peak id);
const char *peaks_text(enum peak id);
bool peaks_known(const struct peaks *p, enum peak id); /* p may be NULL */

struct peak_demand {
	enum peak what;
	double amount; /* number of operations or bytes; for latencies, number of occurrences */
};

/* The least number of seconds for the demands if they overlap perfectly: the largest of
 * amount / rate. *limit (may be NULL) gets the rate that decides. Returns 0 with *limit = PEAKS if
 * none of the rates is known (or p is NULL); demands for unknown rates are left out, which keeps
 * the result a lower bound. */
double peaks_lower_bound(const struct peaks *p, const struct peak_demand *demand, size_t count,
			 enum peak *limit);

/* The file of this machine's peak rates. */
void peaks_path(const struct environment *env, char *path, size_t size);

/* 16 hex digits: a hash of machine, driver and build. */
void peaks_key(const struct environment *env, char *key, size_t size);

/* Reads that file. ERR_UNSUPPORTED with the reason if the rates were not measured yet, or for
 * another machine, driver or build; ERR_INPUT for a damaged file. */
int peaks_load(struct peaks *p, const struct environment *env, struct err *e);
int peaks_load_file(struct peaks *p, const char *path, const struct environment *env,
		    struct err *e);
int peaks_save(const struct peaks *p, const char *path, struct err *e);

/* Measures everything that the devices of the set allow (DEV_CPU: only the processor;
 * ERR_UNSUPPORTED on sim), using `threads` cores. Takes less than 15 s for the processor and less
 * than 20 s per GPU. `log` (may be NULL) gets a line for each rate as it is measured. */
int peaks_measure(struct peaks *p, const struct environment *env, const struct dev_set *devices,
		  int threads, FILE *log, struct err *e);

/* A value with three digits and a decimal prefix: "3.97 TB/s", "2.80 us". */
void peaks_format(enum peak id, double value, char *text, size_t size);

/* Prints a table of names, values with units, and descriptions. */
void peaks_print(const struct peaks *p, FILE *out);

#endif
