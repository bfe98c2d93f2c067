/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/selftest/cluster.h"

#include "kernels/common/cluster.cuh"

static __global__ void send_round(int cluster, int turns, uint32_t *out)
{
	SHARED_MEMORY(uint32_t, box);
	unsigned rank = cluster_rank(), size = (unsigned)cluster, thread = threadIdx.x;
	uint32_t value = blockIdx.x / size * 1000 + thread, *next;

	cluster_sync();
	next = cluster_shared(box, (rank + 1) % size);
	for (int i = 0; i < turns; i++) {
		next[(unsigned)(i % 2) * blockDim.x + thread] = value + rank;
		cluster_sync();
		value = box[(unsigned)(i % 2) * blockDim.x + thread];
	}
	out[blockIdx.x * blockDim.x + thread] = value;
	cluster_sync();
}

static __global__ void wait_without_cluster(void)
{
	cluster_sync();
}

static int resident(struct dev_stream *s, int cluster, int threads, int *clusters, struct err *e)
{
	return GPU_CLUSTERS(e, clusters, send_round, cluster, threads,
			    2 * sizeof(uint32_t) * (size_t)threads, s);
}

static int ring(struct dev_stream *s, int cluster, int clusters, int threads, int turns,
		uint32_t *out, struct err *e)
{
	return LAUNCH_CLUSTERS(e, send_round, cluster, clusters, threads,
			       2 * sizeof(uint32_t) * (size_t)threads, s, cluster, turns, out);
}

static int barrier_alone(struct dev_stream *s, struct err *e)
{
	return LAUNCH(e, wait_without_cluster, 1, 32, 0, s);
}

extern "C" const struct selftest_cluster BACKEND_SYMBOL(selftest_cluster) = { resident, ring,
									      barrier_alone };
