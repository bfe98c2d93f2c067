/* The grid engine on simulated devices: the serial run, bit by bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "grid_checks.h"
#include "simulated_devices.h"

static void check(const struct grid_case *t, int devices, int runs, const char *schedule, int seed)
{
	struct dev_set set;

	open_devices(&set, devices, schedule, seed);
	grid_check(t, &set, runs, SOLVE_SERIAL);
	dev_set_close(&set);
}

static void runs_are_the_serial_ones(void **state)
{
	static const struct grid_case cases[] = {
		{ "trap5", "30", 256, 128, 3, 4, BOA_REPLACE_WORST, BOA_SMOOTH_NONE, false, false },
		{ "trap5", "40", 192, 64, 2, 3, BOA_REPLACE_ALL, BOA_SMOOTH_LAPLACE, false, false },
		{ "onemax", "17", 128, 96, 1, 3, BOA_REPLACE_WORST, BOA_SMOOTH_NONE, false, false },
		{ "trap4", "20", 64, 32, 0, 3, BOA_REPLACE_ALL, BOA_SMOOTH_NONE, false, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		check(&cases[i], 1, 1, "random", (int)i + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_are_the_serial_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
