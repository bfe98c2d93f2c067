/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Tests of the archive on the host and on simulated devices: every rule keeps the expected layers
 * in the expected tiers, loads return the bytes that were offered, budgets are kept, and the
 * multistage rule is compared with the best of all placements. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "algorithms/koester-recovery/archive/policy.h"
#include "tests/unit/koester-recovery/archive_bed.h"
#include "tests/unit/device/simulated_devices.h"

static void tiers_and_rules_hold_on_the_host(void **state)
{
	(void)state;
	bed_check_one_tier(NULL, NULL, (struct track_layout){ 5, 4 });
	bed_check_one_tier(NULL, NULL, (struct track_layout){ 1, 160 });
	bed_check_some_layers(NULL);
	bed_check_multistage(NULL, NULL);
}

static void tiers_and_rules_hold_on_devices(void **state)
{
	struct dev_set set;
	struct dev *const *d = set.dev;

	(void)state;
	open_devices(&set, 2, "random", 5);
	/* layouts with one unit, few units, and many small units (copied in pieces) */
	bed_check_one_tier(d[0], d[1], (struct track_layout){ 1, 160 });
	bed_check_one_tier(d[0], d[1], (struct track_layout){ 5, 4 });
	bed_check_one_tier(d[0], d[1], (struct track_layout){ 100, 4 });
	bed_check_pieces(d[0], d[1]);
	bed_check_some_layers(d[0]);
	bed_check_multistage(d[0], d[1]);
	dev_set_close(&set);
}

static void multistage_wants_copies_halfway_after_many_recoveries(void **state)
{
	struct track_archive_options o = bed_options(TRACK_RECOVERY_MULTISTAGE);
	uint32_t half;
	struct bed b;

	(void)state;
	bed_open(&b, NULL, NULL, (struct track_layout){ 2, 8 });
	o.budget[TRACK_TIER_DEVICE] = track_state_bytes(b.layout) * BED_SLOTS * 3;
	o.budget[TRACK_TIER_PINNED] = o.budget[TRACK_TIER_PAGEABLE] = 1;
	bed_make(&b, o);
	track_archive_learn_step(b.archive, 1, 1);
	bed_offer_all(&b, 0, 0);
	/* the layers in between were not offered */
	bed_offer_all(&b, 20, 20);
	assert_false(track_archive_wants(b.archive, 0, 19,
					 &half)); /* one recovery does not justify a copy */
	for (int i = 0; i < 50; i++)
		track_archive_learn_demand(b.archive, 15);
	assert_true(track_archive_wants(b.archive, 0, 19, &half));
	assert_int_equal(half, 9);
	bed_close(&b);
}

/* ---- the policy against all placements ---- */

/* Expected cost, recomputed layer by layer from its definition. */
static double plain_cost(const struct track_policy *p, const int *tier, uint32_t last)
{
	double cost = 0, all = 4, weight[16];
	uint32_t from = 0;

	for (uint32_t d = 0, c = 0; d <= last; c++) {
		uint32_t first = d, size;

		all += p->demand[c];
		for (; d <= last && d < first + (1u << c); d++)
			;
		size = d - first;
		for (uint32_t k = first; k < d; k++)
			weight[k] = 4.0 / (last + 1) + p->demand[c] / size;
	}
	for (uint32_t t = 0; t <= last; t++) {
		if (tier[t] != TRACK_POLICY_DROPPED)
			from = t;
		cost += weight[last - t] / all * (p->load[tier[from]] + (t - from) * p->step);
	}
	return cost;
}

static double best_cost(const struct track_policy *p, uint32_t last)
{
	double best = 1e300;
	int tier[16] = { 0 };

	while (true) {
		uint64_t used[TRACK_TIERS + 1] = { 0 };
		bool fits = tier[0] != TRACK_POLICY_DROPPED;
		uint32_t i = 0;

		for (uint32_t t = 0; t <= last; t++)
			used[tier[t]]++;
		for (int t = 0; t < TRACK_TIERS; t++)
			fits = fits && used[t] <= (p->available[t] ? p->budget[t] : 0);
		if (fits) {
			double cost = plain_cost(p, tier, last);

			best = cost < best ? cost : best;
		}
		for (; i <= last && ++tier[i] > TRACK_TIERS; i++)
			tier[i] = 0;
		if (i > last)
			return best;
	}
}

/* Writes the tier of each layer of a placement. */
static void spread(const struct track_policy_layer *kept, uint32_t count, int *tier, uint32_t last)
{
	for (uint32_t l = 0; l <= last; l++)
		tier[l] = TRACK_POLICY_DROPPED;
	for (uint32_t i = 0; i < count; i++)
		tier[kept[i].layer] = kept[i].tier;
}

/* Adds a layer as the archive does; returns the number of kept layers. */
static uint32_t arrive(const struct track_policy *p, struct track_policy_layer *kept,
		       uint32_t count, uint32_t layer)
{
	uint32_t n = 0;

	kept[count++] = (struct track_policy_layer){ layer, track_policy_fastest(p), 1 };
	track_policy_settle(p, kept, count, layer);
	for (uint32_t i = 0; i < count; i++)
		if (kept[i].tier != TRACK_POLICY_DROPPED)
			kept[n++] = kept[i];
	return n;
}

/* Returns C of a search of `last` layers, summed over all iterations, divided by the minimum. */
static double search_ratio(const struct track_policy *p, uint32_t last)
{
	struct track_policy_layer kept[32];
	double sum = 0, best = 0;
	uint32_t count = 0;
	int tier[32];

	for (uint32_t l = 0; l <= last; l++) {
		count = arrive(p, kept, count, l);
		spread(kept, count, tier, l);
		double cost = plain_cost(p, tier, l), least = best_cost(p, l);

		assert_true(track_policy_cost(p, kept, count, l) <= cost * (1 + 1e-9));
		assert_true(track_policy_cost(p, kept, count, l) >= cost * (1 - 1e-9));
		assert_true(cost >= least * (1 - 1e-9));
		sum += cost;
		best += least;
	}
	return sum / best;
}

/* Makes a policy whose step costs 1 to 100 times as much as a load from the device. */
static struct track_policy random_policy(uint32_t last)
{
	static const double steps[] = { 0.5, 2, 10, 50, 100 };
	struct track_policy p = { .step = steps[bed_random(5)] };
	double load = 1;

	for (int t = 0; t < TRACK_TIERS; t++) {
		p.load[t] = load;
		load *= 1 + bed_random(100) / 10.0;
		p.budget[t] = t == 0 ? 1 + bed_random(3) : bed_random(3);
		p.available[t] = t != TRACK_TIER_PEER || bed_random(2);
	}
	for (uint32_t d = bed_random(12); d > 0; d--)
		track_policy_learn(&p, bed_random(last + 1));
	return p;
}

static void policy_cost_is_close_to_the_best_placement(void **state)
{
	enum { CASES = 24 };
	double worst = 1, sum = 0;

	(void)state;
	bed_random_state = 12;
	for (int i = 0; i < CASES; i++) {
		uint32_t last = 4 + bed_random(2);
		struct track_policy p = random_policy(last);
		double ratio = search_ratio(&p, last);

		worst = ratio > worst ? ratio : worst;
		sum += ratio;
	}
	print_message("multistage against the best placement: mean %.3f, worst %.3f\n", sum / CASES,
		      worst);
	assert_true(sum / CASES <= 1.1);
	assert_true(worst <= 2);
}

/* With equally large and equally likely layers and one tier, kept layers are spread over the whole
 * search. */
static void policy_spreads_kept_layers_evenly(void **state)
{
	struct track_policy p = {
		.step = 1, .load = { 1, 1, 1, 1 }, .budget = { 16, 0, 0, 0 }, .available = { true }
	};
	struct track_policy_layer kept[32];
	uint32_t count = 0, widest = 0;

	(void)state;
	for (uint32_t l = 0; l <= 255; l++) {
		count = arrive(&p, kept, count, l);
		assert_int_equal(count, l < 16 ? l + 1 : 16);
	}
	for (uint32_t i = 0; i < count; i++) {
		uint32_t gap = (i + 1 < count ? kept[i + 1].layer : 256) - kept[i].layer;

		widest = gap > widest ? gap : widest;
	}
	/* even spacing has gaps of 16 */
	assert_true(widest <= 24);
	/* demand near the end moves the kept layers there */
	for (int i = 0; i < 1000; i++)
		track_policy_learn(&p, bed_random(8));
	for (uint32_t l = 256; l <= 511; l++)
		count = arrive(&p, kept, count, l);
	assert_true(kept[count / 2].layer > 480);
}

/* The last layer is only dropped if no other layer can be dropped. */
static void policy_keeps_the_last_layer_if_it_can(void **state)
{
	struct track_policy p = { .step = 0.001,
				  .load = { 1, 5, 5, 5 },
				  .keep_last = true,
				  .budget = { 2, 0, 0, 0 },
				  .available = { true } };
	struct track_policy_layer kept[4];
	uint32_t count = 0;

	(void)state;
	for (uint32_t l = 0; l <= 9; l++) {
		count = arrive(&p, kept, count, l);
		assert_int_equal(kept[count - 1].layer, l);
		assert_int_equal(count, l ? 2 : 1);
	}
	p.budget[0] = 1;
	count = arrive(&p, kept, count, 10);
	assert_int_equal(count, 1);
	assert_int_equal(kept[0].layer, 0);
}

/* A place may have no states of a layer. A slot list of NULL means the first slots in order. */
static void empty_layers_and_missing_slot_lists_are_accepted(void **state)
{
	struct track_archive_options o = bed_options(TRACK_RECOVERY_PINNED);
	struct err e = { 0 };
	struct dev_set set;
	struct bed b;

	(void)state;
	open_devices(&set, 1, "random", 5);
	bed_open(&b, set.dev[0], set.dev[0], (struct track_layout){ 100, 4 });
	bed_make(&b, o);
	assert_int_equal(bed_offer(&b, 0, 0, &e), 0);
	assert_int_equal(bed_offer(&b, 1, 0, &e), 0);
	assert_int_equal(bed_offer(&b, 2, 7, &e), 0);
	bed_check_kept(&b, "kkk-");
	assert_int_equal(track_archive_load(b.archive, 1, NULL, 0, b.buffer, BED_SLOTS, NULL, &e),
			 0);
	assert_int_equal(track_archive_load(b.archive, 2, NULL, 5, b.buffer, BED_SLOTS, NULL, &e),
			 0);
	assert_int_equal(track_from(&b.place, b.host, b.buffer, b.buffer_bytes, &e), 0);
	assert_int_equal(track_sync(&b.place, &e), 0);
	for (uint32_t s = 0; s < 5; s++)
		for (uint32_t i = 0; i < 400; i++)
			assert_int_equal(b.host[bed_offset(&b, BED_SLOTS, s, i)],
					 bed_byte(2, s, i));
	bed_close(&b);
	dev_set_close(&set);
}

static void invalid_options_are_refused(void **state)
{
	struct track_archive_options o = bed_options(TRACK_RECOVERY_CHECKPOINT);
	struct track_archive *a;
	struct err e = { 0 };
	struct dev_set set;
	struct bed b;
	uint32_t slot = 0;

	(void)state;
	open_devices(&set, 1, "random", 5);
	bed_open(&b, set.dev[0], set.dev[0], (struct track_layout){ 1, 4 });
	o.distance = 0;
	assert_int_equal(track_archive_create(&a, &o, &b.place, b.layout, &e), ERR_USAGE);
	assert_null(a);
	o = bed_options(TRACK_RECOVERY_ADAPTIVE);
	o.adapt = 0;
	assert_int_equal(track_archive_create(&a, &o, &b.place, b.layout, &e), ERR_USAGE);
	o = bed_options(TRACK_RECOVERY_PEER);
	assert_int_equal(track_archive_create(&a, &o, &b.place, b.layout, &e), ERR_USAGE);
	o = bed_options(TRACK_RECOVERIES);
	assert_int_equal(track_archive_create(&a, &o, &b.place, b.layout, &e), ERR_USAGE);
	struct track_place host = { .limit = 0 };
	o = bed_options(TRACK_RECOVERY_GPU);
	o.peer = &host;
	assert_int_equal(track_archive_create(&a, &o, &b.place, b.layout, &e), ERR_USAGE);
	bed_make(&b, bed_options(TRACK_RECOVERY_REPLAY));
	assert_int_equal(track_archive_load(b.archive, 0, &slot, 1, b.buffer, BED_SLOTS, &slot, &e),
			 ERR_FAILED);
	for (int r = 0; r < TRACK_RECOVERIES; r++)
		assert_non_null(track_recovery_words[r]);
	assert_null(track_recovery_words[TRACK_RECOVERIES]);
	assert_null(track_tier_name(TRACK_TIERS));
	bed_close(&b);
	dev_set_close(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tiers_and_rules_hold_on_the_host),
		cmocka_unit_test(tiers_and_rules_hold_on_devices),
		cmocka_unit_test(multistage_wants_copies_halfway_after_many_recoveries),
		cmocka_unit_test(policy_cost_is_close_to_the_best_placement),
		cmocka_unit_test(policy_spreads_kept_layers_evenly),
		cmocka_unit_test(policy_keeps_the_last_layer_if_it_can),
		cmocka_unit_test(empty_layers_and_missing_slot_lists_are_accepted),
		cmocka_unit_test(invalid_options_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
