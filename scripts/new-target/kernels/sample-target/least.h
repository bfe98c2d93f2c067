/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The kernels of sample-target. */
#ifndef COPRA_SCRIPTS_NEW_TARGET_KERNELS_SAMPLE_TARGET_LEAST_H
#define COPRA_SCRIPTS_NEW_TARGET_KERNELS_SAMPLE_TARGET_LEAST_H

#include "kernels/sample-target/assignment.h"
#include "harness/device/device.h"

struct sample_target_kernels {
	/* Sets *best to the minimum of itself and the keys of assignments from .. to - 1; each
	 * thread tries per_thread of them. Asynchronous; `best` is device memory. */
	int (*least)(struct dev_stream *s, const struct sample_target_numbers *numbers,
		     uint64_t from, uint64_t to, uint64_t per_thread, uint64_t *best,
		     struct err *e);
};

DEV_KERNELS(struct sample_target_kernels, sample_target_kernels);

#endif
