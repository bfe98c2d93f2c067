/* Ways through the tracker's engines on devices, beside the plain run. Include after
 * <cmocka.h>. */
#ifndef COPRA_TESTS_UNIT_KOESTER_RECOVERY_TRACKED_WAYS_H
#define COPRA_TESTS_UNIT_KOESTER_RECOVERY_TRACKED_WAYS_H

#include "tests/unit/koester-recovery/tracked_runs.h"

static const struct tracked usual = {
	.words = 6, .unit_words = 1, .wait = 5, .children = 7, .ratings = 50, .dropped = 9
};

struct way {
	enum track_engine engine;
	enum track_schedule schedule;
	enum track_expansion expansion;
	double fill_rate;
	uint32_t look_ahead, forward;
	bool rate_children, prune_on_host;
};

static const struct way ways[] = {
	{ TRACK_PUBLISHED, TRACK_TOGETHER, TRACK_REGULAR, 0.6, 5, 1, true, false },
	{ TRACK_PUBLISHED, TRACK_TOGETHER, TRACK_IRREGULAR, 0.3, 4, 2, true, false },
	{ TRACK_PUBLISHED, TRACK_FIXED, TRACK_IRREGULAR, 0, 4, 1, true, false },
	{ TRACK_TUNED, TRACK_TOGETHER, TRACK_REGULAR, 0.6, 5, 1, true, false },
	{ TRACK_TUNED, TRACK_TOGETHER, TRACK_IRREGULAR, 0.3, 4, 1, true, true },
	{ TRACK_TUNED, TRACK_EACH, TRACK_REGULAR, 0, 5, 1, true, false },
	{ TRACK_TUNED, TRACK_EACH, TRACK_IRREGULAR, 0, 3, 2, true, true },
	{ TRACK_TUNED, TRACK_EACH, TRACK_IRREGULAR, 0, 3, 1, false, false },
	{ TRACK_TUNED, TRACK_FIXED, TRACK_REGULAR, 0, 5, 1, true, false },
	{ TRACK_TUNED, TRACK_FIXED, TRACK_REGULAR, 0, 5, 1, false, false },
	{ TRACK_TUNED, TRACK_TOGETHER, TRACK_IRREGULAR, 0.5, 1, 1, true, false },
};

static void all_ways(int devices, int iterations)
{
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		const struct way *v = &ways[i];
		struct track_options o = track_options_default();
		bool counts = v->engine == TRACK_PUBLISHED || v->schedule == TRACK_FIXED;
		static struct run r;
		struct places w;

		o.engine = v->engine;
		o.schedule = v->schedule;
		o.expansion = v->expansion;
		o.fill_rate = v->fill_rate;
		o.look_ahead = v->look_ahead;
		o.forward = v->forward;
		o.prune_on_host = v->prune_on_host;
		o.breaks = 5;
		o.slots = 37;
		o.beam = 11;
		o.seed = i + 1;
		places_open(&w, devices, 2);
		run_begin(&r, &w, &usual, &o, v->rate_children, 2);
		for (int k = 0; k < iterations && track_count(r.t); k++)
			run_iterate(&r, counts);
		run_backtrack(&r, 9);
		run_iterate(&r, false);
		run_recover(&r, 30);
		run_end(&r);
		places_close(&w);
	}
}

#endif
