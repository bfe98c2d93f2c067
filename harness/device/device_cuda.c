/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The backend cuda of the device layer, through the C interface of the CUDA runtime. */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <string.h>

#define GPU(name) cuda##name
#define GPU_PREFIX "cuda"
#define GPU_BACKEND DEV_CUDA
#include "harness/device/device_runtime.h"

/* COPRA_CUDA_PARTS (device.h); a value out of range is an error of cuda_open(). */
static int read_parts(int *parts, struct err *e)
{
	uint64_t v = 1;
	int status = device_read_number("COPRA_CUDA_PARTS", 1, DEV_MAX, &v, e);

	*parts = (int)v;
	return status;
}

int cuda_count(const char **reason)
{
	int count = 0, driver = 0, parts;
	cudaError_t status = cudaGetDeviceCount(&count);
	*reason = NULL;
	if (status == cudaSuccess && count > 0) {
		(void)read_parts(&parts, NULL);
		return count * parts < DEV_MAX ? count * parts : DEV_MAX;
	}
	(void)cudaGetLastError();
	if (status == cudaSuccess || status == cudaErrorNoDevice)
		*reason = "no GPU found";
	else if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0)
		*reason = "no NVIDIA driver";
	else if (status == cudaErrorInsufficientDriver)
		*reason = "the NVIDIA driver is older than this build's CUDA toolkit";
	else
		*reason = cudaGetErrorString(status);
	return 0;
}

int cuda_open(struct dev **out, const int *ordinals, int count, struct err *e)
{
	int parts, status = read_parts(&parts, e);

	return status ? status : open_devices(out, ordinals, count, parts, e);
}

static void format_uuid(char *out, size_t size, const unsigned char *u)
{
	snprintf(out, size,
		 "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", u[0],
		 u[1], u[2], u[3], u[4], u[5], u[6], u[7], u[8], u[9], u[10], u[11], u[12], u[13],
		 u[14], u[15]);
}

static int get_info(struct dev *d, struct dev_info *info, struct err *e)
{
	struct cudaDeviceProp p;
	unsigned char uuid[16];
	int clock_khz = 0;
	size_t available, total;
	int status = use(d, e);
	if (!status)
		status = GPU_CALL(GetDeviceProperties, e, &p, gpu_of(d));
	if (!status)
		status = GPU_CALL(MemGetInfo, e, &available, &total);
	if (status)
		return status;
	if (cudaDeviceGetAttribute(&clock_khz, cudaDevAttrClockRate, gpu_of(d)) != cudaSuccess)
		(void)cudaGetLastError();
	*info = (struct dev_info){ .backend = DEV_CUDA,
				   .ordinal = d->ordinal,
				   .compute_major = p.major,
				   .compute_minor = p.minor,
				   .sm_count = p.multiProcessorCount / d->parts,
				   .warp_size = p.warpSize,
				   .max_threads_per_block = p.maxThreadsPerBlock,
				   .shared_per_block = p.sharedMemPerBlockOptin,
				   .shared_per_sm = p.sharedMemPerMultiprocessor,
				   .l2_bytes = (size_t)p.l2CacheSize,
				   .memory_total = total / (size_t)d->parts,
				   .clock_khz = clock_khz,
				   .cooperative = p.cooperativeLaunch != 0 };
	snprintf(info->name, sizeof(info->name), "%.*s", (int)sizeof(info->name) - 1, p.name);
	memcpy(uuid, &p.uuid, sizeof(uuid));
	format_uuid(info->uuid, sizeof(info->uuid), uuid);
	return 0;
}

static int enable_peer(struct dev *d, struct dev *peer, struct err *e)
{
	int possible = 0;
	int status = use(d, e);
	if (status || gpu_of(d) == gpu_of(peer))
		return status;
	status = GPU_CALL(DeviceCanAccessPeer, e, &possible, gpu_of(d), gpu_of(peer));
	if (status)
		return status;
	if (!possible)
		return err_set(e, ERR_UNSUPPORTED, "cuda:%d cannot access memory of cuda:%d",
			       d->ordinal, peer->ordinal);
	cudaError_t crc = cudaDeviceEnablePeerAccess(gpu_of(peer), 0);
	if (crc == cudaErrorPeerAccessAlreadyEnabled) {
		(void)cudaGetLastError();
		return 0;
	}
	return fail(crc, "cudaDeviceEnablePeerAccess", e);
}

static int host_allocate(void **out, size_t bytes, struct err *e)
{
	return GPU_CALL(HostAlloc, e, out, bytes, cudaHostAllocPortable);
}

static void host_release(void *p)
{
	(void)cudaFreeHost(p);
}
