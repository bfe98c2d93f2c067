/* Queens on simulated devices: exact counts of small boards in both modes, on one to three devices, dealt out
 * freely and fixed, with much and little memory, and stopped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../../algorithms/helbecque-pool/pool.h"
#include "../../algorithms/helbecque-pool/queens_roots.h"
#include "simulated_devices.h"

/* Published: OEIS A000170; placements of 1..N queens in the first rows, by the plain search. */
static const uint64_t solutions_of[] = { 0, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200 };
static const uint64_t explored_of[] = { 0, 1, 2, 5, 16, 53, 152, 551, 2056, 8393, 35538, 166925, 856188 };

static void check(struct search_request r, int devices, const char *schedule, int seed)
{
	struct dev_set set;
	struct search_outcome o;
	struct err e = { 0 };

	open_devices(&set, devices, schedule, seed);
	r.devices = &set;
	if (tuned_queens(&r, &o, &e))
		fail_msg("%d queens on %d devices: %s", r.queens, devices, e.text);
	assert_true(o.complete);
	assert_int_equal(o.solutions, solutions_of[r.queens]);
	if (!r.solutions_only)
		assert_int_equal(o.explored, explored_of[r.queens]);
	if (r.queens > QUEENS_SMALL)
		assert_int_equal(o.workers, devices);
	dev_set_close(&set);
}

static void all_boards_both_modes(void **state)
{
	(void)state;
	for (int n = 1; n <= 11; n++)
		for (int only = 0; only < 2; only++)
			check((struct search_request){ .queens = n, .solutions_only = only }, 1,
			      "random", n + 20 * only);
}

static void several_devices(void **state)
{
	(void)state;
	for (int n = 8; n <= 10; n++)
		for (int k = 0; k < 8; k++)
			check((struct search_request){ .queens = n, .solutions_only = k & 1,
						       .no_stealing = k & 2 },
			      2 + (k & 4) / 4, "random", 100 * n + k);
}

static void other_schedules(void **state)
{
	(void)state;
	for (int n = 8; n <= 11; n += 3) {
		check((struct search_request){ .queens = n }, 1, "order", 1);
		check((struct search_request){ .queens = n }, 2, "reverse", 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_boards_both_modes),
		cmocka_unit_test(several_devices),
		cmocka_unit_test(other_schedules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
