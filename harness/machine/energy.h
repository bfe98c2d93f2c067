/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Energy, clocks and throttling of a region of the program.
 *
 *     energy_create(&m, devices, e);          once; device set may be NULL or empty
 *     energy_begin(m, ENERGY_ALL); ...work, synchronised...; energy_end(m, &reading);
 *
 * GPUs: the energy counter of NVML, or where a GPU has none, power samples that a thread takes and
 * integrates. Processor: the RAPL package counters in /sys/class/powercap, if this user may read
 * them. The thread also samples SM clocks and throttle reasons. It runs only between begin and end,
 * and only if CUDA devices are metered, at 50 samples/s. NVML updates its counter about every 20 to
 * 100 ms, so the energy of regions shorter than ENERGY_SHORTEST is reported as unknown. */
#ifndef COPRA_MACHINE_ENERGY_H
#define COPRA_MACHINE_ENERGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/device/device.h"
#include "harness/base/error.h"

#define ENERGY_SHORTEST 0.2 /* seconds */
#define ENERGY_ALL DEV_MAX  /* GPUs */

struct energy_meter;

struct energy_reading {
	double seconds;            /* wall time of the region */
	bool gpu_known, cpu_known; /* whether the joules below are known */
	bool gpu_sampled;          /* from sampled power, not from the counter */
	double gpu_joules;         /* of the devices that the region uses */
	double cpu_joules;         /* of all packages */
	bool clock_known;
	double sm_clock_mhz;     /* mean over the samples, of the slowest device */
	double sm_clock_max_mhz; /* maximum clock of that device */
	uint64_t throttle;       /* NVML's reason bits seen in any sample, without idle */
};

/* Works even if nothing can be metered; the readings are then unknown. Errors: ERR_MEMORY. */
int energy_create(struct energy_meter **out, const struct dev_set *devices, struct err *e);
/* Like energy_create, with parts that the caller opened: a library (NULL: no GPUs), which the meter
 * closes, the handles of its GPUs, and the folder of the powercap zones. After an error the library
 * stays open. */
struct nvml;
int energy_create_from(struct energy_meter **out, struct nvml *nvml, void *const *gpus, int count,
		       const char *powercap, struct err *e);
void energy_destroy(struct energy_meter *m);

/* The region uses the first `gpus` (>= 0) devices; power and clocks of the others are ignored. */
void energy_begin(struct energy_meter *m, int gpus);
void energy_end(struct energy_meter *m, struct energy_reading *r);

/* "power cap, hardware slowdown"; "none" for 0. */
void energy_throttle_text(uint64_t reasons, char *text, size_t size);
/* Whether the clock was below 75 % of the highest; such samples are flagged. */
bool energy_clock_low(const struct energy_reading *r);

#endif
