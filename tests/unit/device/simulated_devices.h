/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Simulated devices with a chosen schedule. Include after <cmocka.h>. */
#ifndef COPRA_TESTS_UNIT_DEVICE_SIMULATED_DEVICES_H
#define COPRA_TESTS_UNIT_DEVICE_SIMULATED_DEVICES_H

#include <stdio.h>
#include <stdlib.h>

#include "harness/device/device.h"

/* schedule: order, reverse or random; see harness/device/sim.h. */
static inline void open_devices(struct dev_set *set, int count, const char *schedule, int seed)
{
	char text[16];
	struct err e = { 0 };

	snprintf(text, sizeof(text), "%d", seed);
	assert_int_equal(setenv("COPRA_SIM_SCHEDULE", schedule, 1), 0);
	assert_int_equal(setenv("COPRA_SIM_SEED", text, 1), 0);
	if (dev_set_open(set, "sim", count, &e))
		fail_msg("%s", e.text);
}

#endif
