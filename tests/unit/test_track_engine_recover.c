/* Every rule of recovery: random backtracks and random targets of random layers, byte by byte as in
 * a run that stored everything; on the host and on simulated devices. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tracked_runs.h"

static const struct tracked usual = { .words = 8, .unit_words = 2, .wait = 5, .children = 6,
				      .ratings = 90 };

static struct track_options options(enum track_recovery rule, enum track_engine engine,
				    uint64_t seed)
{
	struct track_options o = track_options_default();

	o.engine = engine;
	o.slots = 31;
	o.beam = 9;
	o.look_ahead = 2;
	o.forward = 1 + seed % 2;
	o.schedule = seed % 3 ? TRACK_EACH : TRACK_TOGETHER;
	o.expansion = seed % 5 < 3 ? TRACK_REGULAR : TRACK_IRREGULAR;
	o.assign_first = seed % 7 != 3;
	o.wide_history = seed % 4 == 1;
	o.seed = seed;
	o.archive.recovery = rule;
	o.archive.cache = seed & 1;
	o.archive.distance = 1 + (uint32_t)seed % 4;
	o.archive.adapt = 2;
	/* the multistage rule has to choose: some states of 32 bytes in each tier */
	if (rule == RECOVERY_MULTISTAGE)
		for (int i = 0; i < TIERS; i++)
			o.archive.budget[i] = 2400;
	return o;
}

static void search(struct places *w, const struct track_options *o, int moves)
{
	static struct run r;

	run_begin(&r, w, &usual, o, o->seed % 6 != 2, 1 + (uint32_t)o->seed % 3);
	for (int i = 0; i < moves; i++) {
		uint32_t what = run_random(&r, 8);

		if (what < 5 && track_count(r.t))
			run_iterate(&r, false);
		else if (what < 7)
			run_recover(&r, 1 + run_random(&r, 40));
		else
			run_backtrack(&r, 1 + run_random(&r, 9));
	}
	run_end(&r);
}

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

static void on_devices(int devices, uint64_t seeds, int moves)
{
	for (int rule = 0; rule < RECOVERIES; rule++)
		for (uint64_t seed = 1; seed <= seeds; seed++) {
			struct track_options o = options((enum track_recovery)rule,
							 seed == 1 ? TRACK_PUBLISHED : TRACK_TUNED,
							 seed + (uint64_t)rule);
			struct places w;

			places_open(&w, devices + (rule == RECOVERY_PEER), 2);
			/* the last one only lends its memory */
			if (rule == RECOVERY_PEER)
				o.archive.peer = &w.place[--w.count];
			search(&w, &o, moves);
			w.count += rule == RECOVERY_PEER;
			places_close(&w);
		}
}

static void on_a_device(void **state)
{
	(void)state;
	on_devices(1, 4, 14);
}

static void on_two_devices(void **state)
{
	(void)state;
	on_devices(2, 2, 12);
}

/* Deep enough that the device's copy of the history grows several times. */
static void far_back(void **state)
{
	struct track_options o = options(RECOVERY_REPLAY, TRACK_TUNED, 5);
	static struct run r;
	struct places w;

	(void)state;
	places_open(&w, 1, 1);
	run_begin(&r, &w, &usual, &o, true, 2);
	for (int i = 0; i < 24; i++) {
		run_iterate(&r, false);
		if (i % 5 == 4)
			run_recover(&r, 40);
	}
	run_backtrack(&r, 7);
	run_iterate(&r, false);
	run_recover(&r, 40);
	run_end(&r);
	places_close(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(on_host),
		cmocka_unit_test(on_a_device),
		cmocka_unit_test(on_two_devices),
		cmocka_unit_test(far_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
