/* Ceilings: the most this machine was seen to do of each kind of work, and the least time that
 * follows for an amount of work (the floor).
 *
 *     const struct ceilings_demand demand[] = {
 *         { CEILING_GPU_ADD_MAX, cells }, { CEILING_GPU_COPY, bytes_read_and_written } };
 *     double floor = ceilings_floor(c, demand, 2, &limit);
 *     bench_floor(bc, floor, ceilings_name(limit));
 *
 * Measured by copra-ceilings (`make ceilings`), kept in <results>/<machine>/ceilings.json or the
 * file that COPRA_CEILINGS names; used again only by the same machine, driver, compiler and
 * flags. Never measured on sim. The result of each measuring kernel is checked before its time
 * counts. */
#ifndef COPRA_MACHINE_CEILINGS_H
#define COPRA_MACHINE_CEILINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "harness/device/device.h"
#include "harness/machine/environment.h"
#include "harness/base/error.h"

/* id, name in files and reports, unit, what it is.
 * Bytes of a copy count what is read and what is written. Rates of one whole GPU (the first of
 * the set); for work spread evenly over g GPUs divide the amount by g. An add-max is max(a + b, c)
 * on one value: two for a 16-bit pair. */
#define CEILINGS_LIST(X)                                                                           \
	X(CEILING_CPU_COPY_1, "cpu_copy_1", "B/s", "memory copy, one core, read + written")        \
	X(CEILING_CPU_COPY, "cpu_copy", "B/s", "memory copy, all cores, read + written")           \
	X(CEILING_CPU_L1_COPY_1, "cpu_l1_copy_1", "B/s", "copy within L1, one core")               \
	X(CEILING_CPU_L2_COPY_1, "cpu_l2_copy_1", "B/s", "copy within L2, one core")               \
	X(CEILING_CPU_L2_COPY, "cpu_l2_copy", "B/s", "copy within L2, all cores")                  \
	X(CEILING_CPU_ADD_MAX_1, "cpu_add_max_1", "op/s", "32-bit add-max, one core")              \
	X(CEILING_CPU_ADD_MAX, "cpu_add_max", "op/s", "32-bit add-max, all cores")                 \
	X(CEILING_CPU_POPCOUNT_1, "cpu_popcount_1", "op/s", "popcount + add of 64 bits, one core") \
	X(CEILING_CPU_POPCOUNT, "cpu_popcount", "op/s", "popcount + add of 64 bits, all cores")    \
	X(CEILING_CPU_FMA_1, "cpu_fma_1", "op/s", "fp32 fused multiply-add, one core")             \
	X(CEILING_CPU_FMA, "cpu_fma", "op/s", "fp32 fused multiply-add, all cores")                \
	X(CEILING_GPU_COPY, "gpu_copy", "B/s", "device memory copy, read + written")               \
	X(CEILING_GPU_L2_COPY, "gpu_l2_copy", "B/s", "copy within L2, read + written")             \
	X(CEILING_GPU_SHARED_READ, "gpu_shared_read", "B/s", "shared memory read")                 \
	X(CEILING_GPU_SHARED_WRITE, "gpu_shared_write", "B/s", "shared memory written")            \
	X(CEILING_GPU_ADD_MAX, "gpu_add_max", "op/s", "32-bit add-max")                            \
	X(CEILING_GPU_ADD_MAX_16, "gpu_add_max_16", "op/s", "16-bit add-max, in pairs")            \
	X(CEILING_GPU_POPCOUNT, "gpu_popcount", "op/s", "popcount + add of 32 bits")               \
	X(CEILING_GPU_FMA, "gpu_fma", "op/s", "fp32 fused multiply-add")                           \
	X(CEILING_GPU_LAUNCH, "gpu_launch", "s", "one kernel launch in a stream of launches")      \
	X(CEILING_PINNED_TO, "pinned_to_gpu", "B/s", "pinned host memory to device")               \
	X(CEILING_PINNED_FROM, "pinned_from_gpu", "B/s", "device to pinned host memory")           \
	X(CEILING_PAGEABLE_TO, "pageable_to_gpu", "B/s", "pageable host memory to device")         \
	X(CEILING_PAGEABLE_FROM, "pageable_from_gpu", "B/s", "device to pageable host memory")     \
	X(CEILING_PEER, "peer_copy", "B/s", "copy to a peer GPU, one way")                         \
	X(CEILING_PEER_LATENCY, "peer_latency", "s", "4 KiB copy to a peer GPU, each waited for")

enum ceiling {
#define CEILINGS_ID(id, name, unit, text) id,
	CEILINGS_LIST(CEILINGS_ID)
#undef CEILINGS_ID
		CEILINGS
};

struct ceilings {
	char machine[64];       /* slug */
	char key[24];           /* hash of what they depend on: machine, driver, build */
	char date[40];          /* when measured, RFC 3339 */
	double value[CEILINGS]; /* in its unit; 0: not known */
};

const char *ceilings_name(enum ceiling id);
enum ceiling ceilings_named(const char *name); /* CEILINGS: none of that name */
const char *ceilings_unit(enum ceiling id);
const char *ceilings_text(enum ceiling id);
bool ceilings_known(const struct ceilings *c, enum ceiling id); /* c may be NULL */

struct ceilings_demand {
	enum ceiling what;
	double amount; /* operations or bytes; for latencies the number of times */
};
/* Least seconds for the demands when they overlap perfectly: the largest of amount / ceiling.
 * *limit (may be NULL) names the one that decides. 0 when none is known (or c is NULL), with *limit
 * = CEILINGS; unknown ones are left out, which keeps the result a lower bound. */
double ceilings_floor(const struct ceilings *c, const struct ceilings_demand *demand, size_t count,
		      enum ceiling *limit);

/* Where this machine's ceilings are kept. */
void ceilings_path(const struct environment *env, char *path, size_t size);
/* Reads them. ERR_UNSUPPORTED with the reason when they were not measured yet, or for another
 * machine, driver or build; ERR_INPUT on a damaged file, naming file and line. */
int ceilings_load(struct ceilings *c, const struct environment *env, struct err *e);
int ceilings_load_file(struct ceilings *c, const char *path, const struct environment *env,
		       struct err *e);
int ceilings_save(const struct ceilings *c, const char *path, struct err *e);

/* Measures everything that can be measured with the devices of the set (DEV_CPU: processor only;
 * ERR_UNSUPPORTED on sim) and `threads` cores. Takes < 15 s for the processor, < 20 s a GPU.
 * `log` (may be NULL) gets a line a ceiling as it is measured. */
int ceilings_measure(struct ceilings *c, const struct environment *env,
		     const struct dev_set *devices, int threads, FILE *log, struct err *e);

/* Table for people: name, value with unit, what it is. */
void ceilings_print(const struct ceilings *c, FILE *out);

#endif
