/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Clusters of blocks on the simulated device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/device/cluster_rings.h"
#include "tests/unit/device/simulated_devices.h"

static void blocks_of_a_cluster_exchange_shared_memory(void **state)
{
	static const char *const schedule[] = { "order", "reverse", "random" };

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct dev_set set;

		open_devices(&set, 1, schedule[i], 3);
		check_rings(&selftest_cluster_sim, set.dev[0]);
		dev_set_close(&set);
	}
}

static void too_large_clusters_are_refused(void **state)
{
	struct dev_set set;
	struct err e = { 0 };
	int clusters = 1;

	(void)state;
	open_devices(&set, 1, "order", 1);
	struct dev_stream *s = dev_default_stream(set.dev[0]);

	assert_int_equal(selftest_cluster_sim.resident(s, 32, 32, &clusters, &e), 0);
	assert_int_equal(clusters, 0);
	assert_int_not_equal(selftest_cluster_sim.ring(s, 32, 1, 32, 1, NULL, &e), 0);
	assert_non_null(strstr(e.text, "at most 16"));
	dev_set_close(&set);
}

static void cluster_barrier_without_a_cluster_fails(void **state)
{
	struct dev_set set;
	struct err e = { 0 };

	(void)state;
	open_devices(&set, 1, "order", 1);
	struct dev_stream *s = dev_default_stream(set.dev[0]);

	assert_int_equal(selftest_cluster_sim.barrier_alone(s, &e), 0);
	assert_int_not_equal(dev_stream_sync(s, &e), 0);
	assert_non_null(strstr(e.text, "cluster_sync needs LAUNCH_CLUSTERS"));
	dev_set_close(&set);
}

int main(void)
{
	unsetenv("COPRA_SIM_CLUSTER");
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_of_a_cluster_exchange_shared_memory),
		cmocka_unit_test(too_large_clusters_are_refused),
		cmocka_unit_test(cluster_barrier_without_a_cluster_fails)
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
