/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Simulated devices with a chosen schedule. Include after <cmocka.h>. */
#ifndef COPRA_TESTS_UNIT_DEVICE_SIMULATED_DEVICES_H
#define COPRA_TESTS_UNIT_DEVICE_SIMULATED_DEVICES_H

#include <stdio.h>
#include <stdlib.h>

#include "harness/device/device.h"

/* schedule: order, reverse or random; see harness/device/sim.h. COPRA_TEST_SCHEDULE overrides it.
 * */
static inline void open_devices(struct dev_set *set, int count, const char *schedule, int seed)
{
	char text[16];
	struct err e = { 0 };

	if (getenv("COPRA_TEST_SCHEDULE"))
		schedule = getenv("COPRA_TEST_SCHEDULE");
	snprintf(text, sizeof(text), "%d", seed);
	assert_int_equal(setenv("COPRA_SIM_SCHEDULE", schedule, 1), 0);
	assert_int_equal(setenv("COPRA_SIM_SEED", text, 1), 0);
	if (dev_set_open(set, "sim", count, &e))
		fail_msg("%s", e.text);
}

/* Devices that are opened before shared_memory_end() have this much shared memory for a block. */
static char shared_memory_before[32];
static inline void shared_memory_begin(const char *bytes)
{
	const char *before = getenv("COPRA_SIM_SHARED");

	snprintf(shared_memory_before, sizeof(shared_memory_before), "%s", before ? before : "");
	assert_int_equal(setenv("COPRA_SIM_SHARED", bytes, 1), 0);
}
static inline void shared_memory_end(void)
{
	assert_int_equal(setenv("COPRA_SIM_SHARED", shared_memory_before, 1), 0);
}

#endif
