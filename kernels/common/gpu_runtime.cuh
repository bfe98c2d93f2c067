/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Launches on CUDA and HIP, whose runtimes have the same functions with another prefix. Include
 * gpu.cuh, not this. A back end defines before:
 *   GPU(name)            the runtime's own name, as cudaLaunchKernel for GPU(LaunchKernel)
 *   GPU_MULTIPROCESSORS  the attribute of a device that counts them
 * and gpu_max_shared(), which lets a kernel use that much dynamic shared memory. */
#ifndef COPRA_KERNELS_COMMON_GPU_RUNTIME_CUH
#define COPRA_KERNELS_COMMON_GPU_RUNTIME_CUH

enum { GPU_SHARED_WITHOUT_OPT_IN = 48 * 1024 };

static inline int gpu_fail(const gpu_site &at, const char *call, GPU(Error_t) status)
{
	(void)GPU(GetLastError)(); /* clears the error: the next launch must not report it again */
	return err_set(at.e, ERR_FAILED, "%s:%d: kernel %s: %s: %s (%s)", at.file, at.line,
		       at.kernel, call, GPU(GetErrorString)(status), GPU(GetErrorName)(status));
}

static inline GPU(Error_t) gpu_max_shared(const void *kernel, size_t bytes);

static inline int gpu_launch_raw(const gpu_site &at, const void *kernel, dim3 grid, dim3 block,
				 size_t shared, struct dev_stream *s, bool cooperative, void **args)
{
	void *native;
	int status = dev_launch_begin_at(s, &native, at.e, at.file, at.line);
	if (status)
		return status;
	if (shared > GPU_SHARED_WITHOUT_OPT_IN) {
		GPU(Error_t) crc = gpu_max_shared(kernel, shared);
		if (crc != GPU(Success))
			return gpu_fail(at, "shared memory opt-in", crc);
	}
	auto stream = (GPU(Stream_t))native;
	auto crc = cooperative ?
			   GPU(LaunchCooperativeKernel)(kernel, grid, block, args, shared, stream) :
			   GPU(LaunchKernel)(kernel, grid, block, args, shared, stream);
	if (crc != GPU(Success))
		return gpu_fail(at, cooperative ? "cooperative launch" : "launch", crc);
	return dev_launch_end_at(s, at.kernel, at.e, at.file, at.line);
}

template <class... P>
static inline int gpu_launch(const gpu_site &at, void (*kernel)(P...), dim3 grid, dim3 block,
			     size_t shared, struct dev_stream *s, bool cooperative,
			     typename gpu_same<P>::type... args)
{
	void *list[sizeof...(P) + 1] = { const_cast<void *>((const void *)&args)... };
	return gpu_launch_raw(at, (const void *)kernel, grid, block, shared, s, cooperative, list);
}

template <class... P>
static inline int gpu_occupancy(const gpu_site &at, int *blocks_per_sm, void (*kernel)(P...),
				int block, size_t shared, struct dev_stream *s)
{
	void *native;
	int status = dev_launch_begin_at(s, &native, at.e, at.file, at.line);
	if (status)
		return status;
	GPU(Error_t) crc = GPU(Success);
	if (shared > GPU_SHARED_WITHOUT_OPT_IN)
		crc = gpu_max_shared((const void *)kernel, shared);
	if (crc == GPU(Success))
		crc = GPU(OccupancyMaxActiveBlocksPerMultiprocessor)(
			blocks_per_sm, (const void *)kernel, block, shared);
	if (crc == GPU(ErrorInvalidValue) && shared > GPU_SHARED_WITHOUT_OPT_IN) {
		(void)GPU(GetLastError)(); /* more than a block can have */
		*blocks_per_sm = 0;
		return 0;
	}
	return crc == GPU(Success) ? 0 : gpu_fail(at, "occupancy", crc);
}

template <class... P>
static inline int gpu_resident(const gpu_site &at, int *blocks, void (*kernel)(P...), int block,
			       size_t shared, struct dev_stream *s)
{
	int device, processors;
	int status = gpu_occupancy(at, blocks, kernel, block, shared, s);
	if (status)
		return status;
	GPU(Error_t) crc = GPU(GetDevice)(&device);
	if (crc == GPU(Success))
		crc = GPU(DeviceGetAttribute)(&processors, GPU_MULTIPROCESSORS, device);
	if (crc != GPU(Success))
		return gpu_fail(at, "multiprocessors", crc);
	*blocks *= processors;
	return 0;
}

#endif
