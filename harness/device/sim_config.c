/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/device/sim_config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/device/device_backend.h"
#include "harness/device/sim_engine.h"

#define KIB ((uint64_t)1024)

static int read_seconds(const char *name, double *out, struct err *e)
{
	const char *text = getenv(name);
	if (!text || !*text)
		return 0;
	char *end;
	double v = strtod(text, &end);
	if (*end || !(v >= 0.1 && v <= 86400))
		return err_set(e, ERR_USAGE, "%s='%s': expected seconds from 0.1 to 86400", name,
			       text);
	*out = v;
	return 0;
}

static int read_schedule(enum sim_schedule *out, struct err *e)
{
	static const char *const names[] = {
		[SIM_RANDOM] = "random", [SIM_ORDER] = "order", [SIM_REVERSE] = "reverse"
	};
	const char *text = getenv("COPRA_SIM_SCHEDULE");
	*out = SIM_RANDOM;
	if (!text || !*text)
		return 0;
	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(text, names[i])) {
			*out = (enum sim_schedule)i;
			return 0;
		}
	return err_set(e, ERR_USAGE, "COPRA_SIM_SCHEDULE='%s': expected random, order or reverse",
		       text);
}

static int read_wave(unsigned *out, struct err *e)
{
	const char *text = getenv("COPRA_SIM_WAVE");
	*out = 1;
	if (!text || !*text || !strcmp(text, "1"))
		return 0;
	if (strcmp(text, "32") && strcmp(text, "64"))
		return err_set(e, ERR_USAGE, "COPRA_SIM_WAVE='%s': expected 1, 32 or 64", text);
	*out = (unsigned)strtoul(text, NULL, 10);
	return 0;
}

int sim_config_read(struct sim_config *c, struct err *e)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	uint64_t seed = 1, sms = 4, memory = KIB << 20, shared = 227 * KIB;
	uint64_t workers = cores < 2 ? 2 : cores > 8 ? 8 : (uint64_t)cores;
	uint64_t stack = (SIM_ASAN || SIM_TSAN ? 256 : 64) * KIB;
	uint64_t sm_threads = SIM_SM_THREADS, sm_blocks = SIM_SM_BLOCKS, cluster = SIM_CLUSTER_MAX;
	uint64_t starts = DEV_MAX, peers = DEV_MAX;
	c->timeout = 20;
	if (read_schedule(&c->schedule, e) || read_wave(&c->wave, e) ||
	    device_read_number("COPRA_SIM_SEED", 0, UINT64_MAX, &seed, e) ||
	    device_read_number("COPRA_SIM_WORKERS", 1, 64, &workers, e) ||
	    device_read_number("COPRA_SIM_SMS", 1, 1024, &sms, e) ||
	    device_read_number("COPRA_SIM_SM_THREADS", SIM_BLOCK_THREADS, SIM_SM_THREADS,
			       &sm_threads, e) ||
	    device_read_number("COPRA_SIM_SM_BLOCKS", 1, SIM_SM_BLOCKS, &sm_blocks, e) ||
	    device_read_number("COPRA_SIM_CLUSTER", 0, SIM_CLUSTER_MAX, &cluster, e) ||
	    device_read_number("COPRA_SIM_STARTS", 0, DEV_MAX, &starts, e) ||
	    device_read_number("COPRA_SIM_PEERS", 0, DEV_MAX, &peers, e) ||
	    device_read_number("COPRA_SIM_MEMORY", 4 * KIB, KIB << 30, &memory, e) ||
	    device_read_number("COPRA_SIM_SHARED", KIB, KIB << 10, &shared, e) ||
	    device_read_number("COPRA_SIM_STACK", 16 * KIB, KIB << 10, &stack, e) ||
	    read_seconds("COPRA_SIM_TIMEOUT", &c->timeout, e))
		return ERR_USAGE;
	c->seed = seed;
	c->workers = (unsigned)workers;
	c->sms = (unsigned)sms;
	c->sm_threads = (unsigned)sm_threads;
	c->sm_blocks = (unsigned)sm_blocks;
	c->cluster = (unsigned)cluster;
	c->starts = (int)starts;
	c->peers = (int)peers;
	c->memory = memory;
	c->shared = shared;
	c->stack = (stack + 4095) & ~(uint64_t)4095;
	return 0;
}
