/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The settings of sim (environment variables: sim.h). */
#ifndef COPRA_DEVICE_SIM_CONFIG_H
#define COPRA_DEVICE_SIM_CONFIG_H

#include <stddef.h>
#include <stdint.h>

#include "harness/base/error.h"

enum sim_schedule { SIM_RANDOM, SIM_ORDER, SIM_REVERSE };

struct sim_config {
	enum sim_schedule schedule;
	uint64_t seed;
	unsigned workers;
	unsigned sms, sm_threads, sm_blocks;
	unsigned cluster; /* blocks of the largest cluster; 0: no clusters */
	unsigned wave;    /* lanes that share a program counter; 1: none do */
	size_t memory, shared, stack;
	int starts, peers; /* devices of a set that start, and that may access others */
	double timeout;    /* seconds */
};

/* Reads the environment variables. ERR_USAGE names a variable with an invalid value. */
int sim_config_read(struct sim_config *c, struct err *e);

#endif
