/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Tests of the archive on CUDA devices: loads return the bytes that were offered, and budgets are
 * kept. The peer is the second device, or the first if there is only one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/koester-recovery/archive_bed.h"
#include "tests/gpu/cuda_devices.h"

static struct dev *first(void)
{
	return devices.dev[0];
}

static struct dev *peer(void)
{
	return devices.dev[devices.count > 1];
}

static void single_tiers_return_what_was_offered(void **state)
{
	(void)state;
	bed_check_one_tier(first(), peer(), (struct track_layout){ 1, 160 });
	bed_check_one_tier(first(), peer(), (struct track_layout){ 5, 4 });
	bed_check_one_tier(first(), peer(), (struct track_layout){ 100, 4 });
	bed_check_one_tier(first(), peer(), (struct track_layout){ 3000, 16 });
	bed_check_pieces(first(), peer());
}

static void rules_keep_the_right_layers(void **state)
{
	(void)state;
	bed_check_some_layers(first());
}

static void multistage_keeps_its_budgets(void **state)
{
	(void)state;
	bed_check_multistage(first(), peer());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(single_tiers_return_what_was_offered),
		cmocka_unit_test(rules_keep_the_right_layers),
		cmocka_unit_test(multistage_keeps_its_budgets),
	};

	return cmocka_run_group_tests(tests, open_devices, close_devices);
}
