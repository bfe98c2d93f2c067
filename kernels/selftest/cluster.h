/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Clusters of blocks (kernels/common/cluster.cuh), for tests. */
#ifndef COPRA_KERNELS_SELFTEST_CLUSTER_H
#define COPRA_KERNELS_SELFTEST_CLUSTER_H

#include <stdint.h>

#include "harness/device/device.h"

struct selftest_cluster {
	int (*resident)(struct dev_stream *s, int cluster, int threads, int *clusters,
			struct err *e);
	/* Every thread passes a number round the ring of blocks of its cluster. The number starts
	 * as cluster * 1000 + thread. In each of `turns` turns it moves to the next block, which
	 * adds its rank. out[(cluster * ranks + rank) * threads + thread] is the number that
	 * arrived last. */
	int (*ring)(struct dev_stream *s, int cluster, int clusters, int threads, int turns,
		    uint32_t *out, struct err *e);
	/* cluster_sync() in a launch without clusters: an error on sim. */
	int (*barrier_alone)(struct dev_stream *s, struct err *e);
};

DEV_KERNELS(struct selftest_cluster, selftest_cluster);

#endif
