/* Searches by every rule of recovery, beside the plain run, which stores everything: random
 * backtracks and random targets of random layers, byte by byte. Include after <cmocka.h>. */
#ifndef COPRA_TESTS_UNIT_KOESTER_RECOVERY_TRACKED_SEARCHES_H
#define COPRA_TESTS_UNIT_KOESTER_RECOVERY_TRACKED_SEARCHES_H

#include "tests/unit/koester-recovery/tracked_runs.h"

static const struct tracked usual = {
	.words = 8, .unit_words = 2, .wait = 5, .children = 6, .ratings = 90
};

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
	if (rule == TRACK_RECOVERY_MULTISTAGE)
		for (int i = 0; i < TRACK_TIERS; i++)
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

static inline void on_devices(int devices, int moves)
{
	for (int rule = 0; rule < TRACK_RECOVERIES; rule++)
		for (int engine = 0; engine < 2; engine++) {
			struct track_options o =
				options((enum track_recovery)rule, (enum track_engine)engine,
					(uint64_t)(engine + rule + 1));
			struct places w;

			places_open(&w, devices + (rule == TRACK_RECOVERY_PEER), 2);
			/* the last one only lends its memory */
			if (rule == TRACK_RECOVERY_PEER)
				o.archive.peer = &w.place[--w.count];
			search(&w, &o, moves);
			w.count += rule == TRACK_RECOVERY_PEER;
			places_close(&w);
		}
}

#endif
