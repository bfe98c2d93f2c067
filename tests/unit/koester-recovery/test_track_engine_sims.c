/* The tracker's engines on several simulated devices: the same bytes, entries and counts as the
 * plain run has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/koester-recovery/tracked_runs.h"

static void three_devices(void **state)
{
	(void)state;
	run_all_ways(3, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(three_devices),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
