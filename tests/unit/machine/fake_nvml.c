/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* A fake of NVIDIA's management library, built as a shared object by test_energy.c: two GPUs joined
 * by 18 NVLinks through a switch. The environment variable FAKE_NVML selects missing features. The
 * signatures are those of the NVML reference manual. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define EXPORT __attribute__((visibility("default")))

enum { SUCCESS = 0, NOT_SUPPORTED = 3, NO_DRIVER = 9 };

struct memory {
	unsigned long long total, free, used;
};

static int gpus[2];

static int lacks(const char *what)
{
	const char *list = getenv("FAKE_NVML");

	return list && strstr(list, what) != NULL;
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

EXPORT int nvmlInit_v2(void);
int nvmlInit_v2(void)
{
	return lacks("driver") ? NO_DRIVER : SUCCESS;
}

EXPORT int nvmlShutdown(void);
int nvmlShutdown(void)
{
	return SUCCESS;
}

EXPORT const char *nvmlErrorString(int code);
const char *nvmlErrorString(int code)
{
	return code == NO_DRIVER ? "Driver Not Loaded" : "Not Supported";
}

EXPORT int nvmlDeviceGetCount_v2(unsigned *count);
int nvmlDeviceGetCount_v2(unsigned *count)
{
	*count = 2;
	return SUCCESS;
}

EXPORT int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **gpu);
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **gpu)
{
	if (index > 1)
		return NOT_SUPPORTED;
	*gpu = &gpus[index];
	return SUCCESS;
}

EXPORT int nvmlDeviceGetName(void *gpu, char *text, unsigned size);
int nvmlDeviceGetName(void *gpu, char *text, unsigned size)
{
	(void)gpu;
	snprintf(text, size, "NVIDIA Fake 9000");
	return SUCCESS;
}

EXPORT int nvmlDeviceGetMemoryInfo(void *gpu, struct memory *m);
int nvmlDeviceGetMemoryInfo(void *gpu, struct memory *m)
{
	(void)gpu;
	m->total = 1ull << 37;
	return SUCCESS;
}

/* exactly 400 W on both GPUs */
EXPORT int nvmlDeviceGetPowerUsage(void *gpu, unsigned *milliwatt);
int nvmlDeviceGetPowerUsage(void *gpu, unsigned *milliwatt)
{
	(void)gpu;
	*milliwatt = 400000;
	return SUCCESS;
}

EXPORT int nvmlDeviceGetTotalEnergyConsumption(void *gpu, unsigned long long *millijoule);
int nvmlDeviceGetTotalEnergyConsumption(void *gpu, unsigned long long *millijoule)
{
	(void)gpu;
	if (lacks("energy"))
		return NOT_SUPPORTED;
	*millijoule = (unsigned long long)(seconds() * 400000);
	return SUCCESS;
}

EXPORT int nvmlDeviceGetClockInfo(void *gpu, int kind, unsigned *mhz);
int nvmlDeviceGetClockInfo(void *gpu, int kind, unsigned *mhz)
{
	*mhz = kind != 1 ? 2600 : gpu == &gpus[1] ? 1200 : 1980;
	return SUCCESS;
}

EXPORT int nvmlDeviceGetMaxClockInfo(void *gpu, int kind, unsigned *mhz);
int nvmlDeviceGetMaxClockInfo(void *gpu, int kind, unsigned *mhz)
{
	(void)gpu;
	*mhz = kind == 1 ? 1980 : 3200;
	return SUCCESS;
}

/* idle and power cap */
EXPORT int nvmlDeviceGetCurrentClocksThrottleReasons(void *gpu, unsigned long long *reasons);
int nvmlDeviceGetCurrentClocksThrottleReasons(void *gpu, unsigned long long *reasons)
{
	(void)gpu;
	*reasons = 5;
	return SUCCESS;
}

EXPORT int nvmlDeviceGetTopologyCommonAncestor(void *a, void *b, int *level);
int nvmlDeviceGetTopologyCommonAncestor(void *a, void *b, int *level)
{
	(void)a;
	(void)b;
	*level = 40;
	return SUCCESS;
}

EXPORT int nvmlDeviceGetP2PStatus(void *a, void *b, int kind, int *status);
int nvmlDeviceGetP2PStatus(void *a, void *b, int kind, int *status)
{
	(void)a;
	(void)b;
	(void)kind;
	*status = lacks("nvlink");
	return SUCCESS;
}

EXPORT int nvmlDeviceGetPciInfo_v3(void *gpu, char *info);
int nvmlDeviceGetPciInfo_v3(void *gpu, char *info)
{
	(void)gpu;
	memset(info, 0, 68);
	return SUCCESS;
}

EXPORT int nvmlDeviceGetNvLinkState(void *gpu, unsigned link, unsigned *active);
int nvmlDeviceGetNvLinkState(void *gpu, unsigned link, unsigned *active)
{
	(void)gpu;
	*active = link < 18;
	return SUCCESS;
}

EXPORT int nvmlDeviceGetNvLinkRemoteDeviceType(void *gpu, unsigned link, int *type);
int nvmlDeviceGetNvLinkRemoteDeviceType(void *gpu, unsigned link, int *type)
{
	(void)gpu;
	(void)link;
	*type = 2; /* a switch */
	return SUCCESS;
}

EXPORT int nvmlDeviceGetNvLinkRemotePciInfo_v2(void *gpu, unsigned link, char *info);
int nvmlDeviceGetNvLinkRemotePciInfo_v2(void *gpu, unsigned link, char *info)
{
	(void)link;
	return nvmlDeviceGetPciInfo_v3(gpu, info);
}
