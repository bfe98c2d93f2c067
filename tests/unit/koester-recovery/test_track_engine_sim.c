/* The tracker's engines on a simulated device: the same bytes, entries and counts as the plain run
 * has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/koester-recovery/tracked_runs.h"

static void one_device(void **state)
{
	(void)state;
	run_all_ways(1, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
