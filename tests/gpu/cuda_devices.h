/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The CUDA devices that a group of tests shares: eight at most, opened before the first. */
#ifndef COPRA_TESTS_GPU_CUDA_DEVICES_H
#define COPRA_TESTS_GPU_CUDA_DEVICES_H

#include "harness/device/device.h"

static struct dev_set devices;

static int open_devices(void **state)
{
	struct err e;

	(void)state;
	return dev_set_open(&devices, "cuda", dev_cuda_count() < 8 ? dev_cuda_count() : 8, &e);
}

static int close_devices(void **state)
{
	(void)state;
	dev_set_close(&devices);
	return 0;
}

#endif
