/* Every rule of recovery on the host. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tracked_searches.h"

static void on_host(void **state)
{
	struct places w;

	(void)state;
	places_open(&w, 0, 2);
	for (int rule = 0; rule < RECOVERIES; rule++)
		for (uint64_t seed = 1; seed <= 12; seed++)
			for (int engine = 0; engine < 2 && rule != RECOVERY_PEER; engine++) {
				struct track_options o = options((enum track_recovery)rule,
								 (enum track_engine)engine, seed);

				search(&w, &o, 20);
			}
	places_close(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(on_host),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
