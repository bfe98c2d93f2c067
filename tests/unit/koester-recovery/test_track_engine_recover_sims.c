/* Every rule of recovery on two simulated devices. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/koester-recovery/tracked_runs.h"

static void on_two_devices(void **state)
{
	(void)state;
	run_every_recovery(2, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(on_two_devices),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
