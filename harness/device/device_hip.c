/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The backend hip of the device layer, through the C interface of the HIP runtime. */
#include <hip/hip_runtime_api.h>
#include <stdio.h>
#include <string.h>

#define GPU(name) hip##name
#define GPU_PREFIX "hip"
#define GPU_BACKEND DEV_HIP
#include "harness/device/device_runtime.h"

/* Bytes of shared memory that __syncthreads_or and the like take in some kernels. */
enum { SHARED_FOR_VOTES = 256 };

int hip_count(const char **reason)
{
	int count = 0;
	hipError_t status = hipGetDeviceCount(&count);
	*reason = NULL;
	if (status == hipSuccess && count > 0)
		return count;
	(void)hipGetLastError();
	if (status == hipSuccess || status == hipErrorNoDevice)
		*reason = "no GPU found";
	else
		*reason = hipGetErrorString(status);
	return 0;
}

int hip_open(struct dev **out, const int *ordinals, int count, struct err *e)
{
	return open_devices(out, ordinals, count, 1, e);
}

/* "AMD Instinct MI250X (gfx90a)"; some runtimes know only the part in parentheses. */
static void format_name(char *out, size_t size, const hipDeviceProp_t *p)
{
	int length = (int)strcspn(p->gcnArchName, ":");

	if (p->name[0])
		snprintf(out, size, "%.80s (%.*s)", p->name, length < 32 ? length : 32,
			 p->gcnArchName);
	else
		snprintf(out, size, "AMD %.*s", length < 64 ? length : 64, p->gcnArchName);
}

/* The compute capability stays 0.0: it is NVIDIA's, and HIP's numbers mean something else. */
static int get_info(struct dev *d, struct dev_info *info, struct err *e)
{
	hipDeviceProp_t p;
	hipUUID uuid;
	size_t available, total;
	int status = use(d, e);
	if (!status)
		status = GPU_CALL(GetDeviceProperties, e, &p, d->ordinal);
	if (!status)
		status = GPU_CALL(MemGetInfo, e, &available, &total);
	if (status)
		return status;
	*info = (struct dev_info){ .backend = DEV_HIP,
				   .ordinal = d->ordinal,
				   .sm_count = p.multiProcessorCount,
				   .warp_size = 32,
				   .max_threads_per_block = p.maxThreadsPerBlock,
				   .shared_per_block = p.sharedMemPerBlock - SHARED_FOR_VOTES,
				   .shared_per_sm = p.maxSharedMemoryPerMultiProcessor,
				   .l2_bytes = (size_t)p.l2CacheSize,
				   .memory_total = total,
				   .clock_khz = p.clockRate,
				   .cooperative = p.cooperativeLaunch != 0 };
	format_name(info->name, sizeof(info->name), &p);
	/* the bytes are the digits of a number in hexadecimal, as text */
	if (hipDeviceGetUuid(&uuid, d->ordinal) == hipSuccess)
		snprintf(info->uuid, sizeof(info->uuid), "GPU-%.16s", uuid.bytes);
	else
		(void)hipGetLastError();
	return 0;
}

/* A kernel may see what another device writes only after that device's kernel has ended, unless the
 * memory is of a slower, fine-grained kind. copra's kernels wait for each other's flags. */
static int enable_peer(struct dev *d, struct dev *peer, struct err *e)
{
	return err_set(e, ERR_UNSUPPORTED,
		       "hip:%d and hip:%d: kernels that share memory: not on HIP", d->ordinal,
		       peer->ordinal);
}

static int host_allocate(void **out, size_t bytes, struct err *e)
{
	return GPU_CALL(HostMalloc, e, out, bytes, hipHostMallocPortable | hipHostMallocCoherent);
}

static void host_release(void *p)
{
	(void)hipHostFree(p);
}
