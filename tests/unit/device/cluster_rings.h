/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Numbers that are passed round clusters of blocks. Include after <cmocka.h>. */
#ifndef COPRA_TESTS_UNIT_DEVICE_CLUSTER_RINGS_H
#define COPRA_TESTS_UNIT_DEVICE_CLUSTER_RINGS_H

#include <stdlib.h>

#include "harness/device/device.h"
#include "kernels/selftest/cluster.h"

/* After `turns` turns, a block has the number with which the block `turns` ranks before it
 * started. */
static inline uint32_t ring_value(unsigned cluster, unsigned size, unsigned rank, unsigned thread,
				  unsigned turns)
{
	uint32_t value = cluster * 1000 + thread;

	for (unsigned i = 1; i <= turns; i++)
		value += (rank + size * turns - i) % size;
	return value;
}

static inline void check_ring(const struct selftest_cluster *k, struct dev *d, int size,
			      int clusters, int threads, int turns)
{
	size_t count = (size_t)size * (size_t)clusters * (size_t)threads;
	uint32_t *out = malloc(count * sizeof(*out));
	void *device;
	struct err e = { 0 };
	struct dev_stream *s = dev_default_stream(d);

	assert_non_null(out);
	assert_int_equal(dev_alloc(d, &device, count * sizeof(*out), &e), 0);
	if (k->ring(s, size, clusters, threads, turns, device, &e) ||
	    dev_copy_from(s, out, device, count * sizeof(*out), &e) || dev_stream_sync(s, &e))
		fail_msg("%s", e.text);
	for (size_t i = 0; i < count; i++) {
		unsigned block = (unsigned)(i / (size_t)threads), ranks = (unsigned)size;

		assert_int_equal(out[i],
				 ring_value(block / ranks, ranks, block % ranks,
					    (unsigned)(i % (size_t)threads), (unsigned)turns));
	}
	dev_free(d, device);
	free(out);
}

static inline void check_rings(const struct selftest_cluster *k, struct dev *d)
{
	for (int size = 1; size <= 16; size *= 2) {
		int clusters = 0;
		struct err e = { 0 };

		if (k->resident(dev_default_stream(d), size, 64, &clusters, &e))
			fail_msg("%s", e.text);
		if (clusters)
			check_ring(k, d, size, clusters < 3 ? clusters : 3, 64, 5);
	}
}

#endif
