/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Clusters: blocks of a launch that run near each other (from sm_90 on), share a barrier and can
 * access each other's shared memory. Like gpu.cuh, for CUDA and sim.
 *
 * Launches:
 *
 * - LAUNCH_CLUSTERS(e, kernel, cluster, clusters, block, shared_bytes, stream, args...) is LAUNCH
 *   with a grid of clusters * cluster blocks. The 1 to 16 blocks of a cluster are resident at once.
 *   Blocks of different clusters must not wait for each other.
 * - GPU_CLUSTERS(e, &clusters, kernel, cluster, block, shared_bytes, stream) gives the number of
 *   clusters that are resident at once on the whole device; 0 if it supports none of that size.
 *
 * In the kernel:
 *
 * - cluster_rank() is the index of the block in its cluster: blockIdx.x modulo the cluster size.
 * - cluster_sync() is a barrier of all threads of the cluster. All writes before it, to any memory,
 *   are visible to all of them after it.
 * - cluster_shared(p, rank) maps p, a pointer into the block's own shared memory, to the same
 *   offset in another block's, for ordinary reads and writes. Call cluster_sync() before the first
 *   use (the other block may not have started) and after the last (it may have ended). */
#ifndef COPRA_KERNELS_COMMON_CLUSTER_CUH
#define COPRA_KERNELS_COMMON_CLUSTER_CUH

#include "kernels/common/gpu.cuh"

#define LAUNCH_CLUSTERS(e, kernel, cluster, clusters, block, shared_bytes, stream, ...)            \
	gpu_launch_clusters(gpu_site(e, #kernel, __FILE__, __LINE__), kernel, (unsigned)(cluster), \
			    (unsigned)(clusters), dim3(block), (size_t)(shared_bytes), stream,     \
			    ##__VA_ARGS__)
#define GPU_CLUSTERS(e, clusters, kernel, cluster, block, shared_bytes, stream)                    \
	gpu_clusters(gpu_site(e, #kernel, __FILE__, __LINE__), clusters, kernel,                   \
		     (unsigned)(cluster), block, (size_t)(shared_bytes), stream)

#if defined(COPRA_SIM)
#include "harness/device/sim.h"

static inline void cluster_sync(SIM_HERE)
{
	sim_cluster_barrier(SIM_PLACE);
}
static inline unsigned cluster_rank()
{
	return sim_cluster_rank();
}
template <class T> static inline T *cluster_shared(T *p, unsigned rank, SIM_HERE)
{
	return static_cast<T *>(sim_cluster_shared((void *)p, rank, SIM_PLACE));
}

template <class F>
static inline int gpu_launch_cluster_body(const gpu_site &at, const F &f, unsigned cluster,
					  unsigned clusters, dim3 block, size_t shared,
					  struct dev_stream *s)
{
	static_assert(__is_trivially_copyable(F), "kernel arguments are copied byte by byte");
	const sim_kernel k = { at.kernel,
			       gpu_body<F>,
			       &f,
			       sizeof(f),
			       { cluster * clusters, 1, 1 },
			       { block.x, block.y, block.z },
			       shared,
			       true };
	return sim_launch_clusters(s, &k, cluster, at.e, at.file, at.line);
}

template <class... P>
static inline int gpu_launch_clusters(const gpu_site &at, void (*kernel)(P...), unsigned cluster,
				      unsigned clusters, dim3 block, size_t shared,
				      struct dev_stream *s, typename gpu_same<P>::type... args)
{
	int index = 0, status = 0;
	(void)((status = gpu_check(at, s, index++, args), status == 0) && ... && true);
	if (status) {
		err_prefix(at.e, "%s:%d", at.file, at.line);
		return status;
	}
	return gpu_launch_cluster_body(
		at, [kernel, args...]() { kernel(args...); }, cluster, clusters, block, shared, s);
}

template <class... P>
static inline int gpu_clusters(const gpu_site &at, int *clusters, void (*kernel)(P...),
			       unsigned cluster, int block, size_t shared, struct dev_stream *s)
{
	int blocks = 0, status = gpu_resident(at, &blocks, kernel, block, shared, s);
	*clusters = status || cluster > sim_cluster_max(s) ? 0 : blocks / (int)cluster;
	return status;
}

#elif defined(__HIP__)
/* AMD's GPUs have no clusters: GPU_CLUSTERS finds none. */
template <class... P>
static inline int gpu_launch_clusters(const gpu_site &at, void (*)(P...), unsigned, unsigned, dim3,
				      size_t, struct dev_stream *, typename gpu_same<P>::type...)
{
	return err_set(at.e, ERR_UNSUPPORTED, "%s:%d: kernel %s: clusters of blocks: not on HIP",
		       at.file, at.line, at.kernel);
}

template <class... P>
static inline int gpu_clusters(const gpu_site &, int *clusters, void (*)(P...), unsigned, int,
			       size_t, struct dev_stream *)
{
	*clusters = 0;
	return 0;
}
#else

/* `attribute` must outlive the configuration. */
static inline cudaLaunchConfig_t gpu_cluster_config(unsigned cluster, unsigned clusters, dim3 block,
						    size_t shared, void *native,
						    cudaLaunchAttribute *attribute)
{
	cudaLaunchConfig_t c = {};
	attribute->id = cudaLaunchAttributeClusterDimension;
	attribute->val.clusterDim.x = cluster;
	attribute->val.clusterDim.y = attribute->val.clusterDim.z = 1;
	c.gridDim = dim3(cluster * clusters);
	c.blockDim = block;
	c.dynamicSmemBytes = shared;
	c.stream = (cudaStream_t)native;
	c.attrs = attribute;
	c.numAttrs = 1;
	return c;
}

/* Clusters of more than 8 blocks are not supported by every chip and require an opt-in. */
static inline cudaError_t gpu_cluster_prepare(const void *kernel, size_t shared)
{
	cudaError_t crc =
		cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
	if (crc == cudaSuccess && shared > GPU_SHARED_WITHOUT_OPT_IN)
		crc = gpu_max_shared(kernel, shared);
	return crc;
}

template <class... P>
static inline int gpu_launch_clusters(const gpu_site &at, void (*kernel)(P...), unsigned cluster,
				      unsigned clusters, dim3 block, size_t shared,
				      struct dev_stream *s, typename gpu_same<P>::type... args)
{
	void *list[sizeof...(P) + 1] = { const_cast<void *>((const void *)&args)... };
	void *native;
	cudaLaunchAttribute attribute;
	int status = dev_launch_begin_at(s, &native, at.e, at.file, at.line);
	if (status)
		return status;
	cudaError_t crc = gpu_cluster_prepare((const void *)kernel, shared);
	if (crc != cudaSuccess)
		return gpu_fail(at, "cluster attributes", crc);
	cudaLaunchConfig_t c =
		gpu_cluster_config(cluster, clusters, block, shared, native, &attribute);
	crc = cudaLaunchKernelExC(&c, (const void *)kernel, list);
	if (crc != cudaSuccess)
		return gpu_fail(at, "cluster launch", crc);
	return dev_launch_end_at(s, at.kernel, at.e, at.file, at.line);
}

template <class... P>
static inline int gpu_clusters(const gpu_site &at, int *clusters, void (*kernel)(P...),
			       unsigned cluster, int block, size_t shared, struct dev_stream *s)
{
	void *native;
	int device, major = 0;
	cudaLaunchAttribute attribute;
	int status = dev_launch_begin_at(s, &native, at.e, at.file, at.line);
	if (status)
		return status;
	*clusters = 0;
	cudaError_t crc = cudaGetDevice(&device);
	if (crc == cudaSuccess)
		crc = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
	if (crc != cudaSuccess)
		return gpu_fail(at, "compute capability", crc);
	if (major < 9)
		return 0;
	crc = gpu_cluster_prepare((const void *)kernel, shared);
	cudaLaunchConfig_t c =
		gpu_cluster_config(cluster, 1, dim3((unsigned)block), shared, native, &attribute);
	if (crc == cudaSuccess)
		crc = cudaOccupancyMaxActiveClusters(clusters, (const void *)kernel, &c);
	if (crc == cudaErrorInvalidClusterSize) { /* larger than this chip supports */
		(void)cudaGetLastError();
		return 0;
	}
	return crc == cudaSuccess ? 0 : gpu_fail(at, "clusters", crc);
}

#endif

#if !defined(COPRA_SIM)
#if defined(__CUDACC__) && (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900)
static __device__ __forceinline__ void cluster_sync(void)
{
	cooperative_groups::this_cluster().sync();
}
static __device__ __forceinline__ unsigned cluster_rank(void)
{
	return cooperative_groups::this_cluster().block_rank();
}
template <class T> static __device__ __forceinline__ T *cluster_shared(T *p, unsigned rank)
{
	return cooperative_groups::this_cluster().map_shared_rank(p, rank);
}
#else /* never launched on these GPUs */
static __device__ __forceinline__ void cluster_sync(void)
{
	__trap();
}
static __device__ __forceinline__ unsigned cluster_rank(void)
{
	__trap();
	return 0;
}
template <class T> static __device__ __forceinline__ T *cluster_shared(T *p, unsigned)
{
	__trap();
	return p;
}
#endif

#endif

#endif
