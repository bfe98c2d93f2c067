/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Tests of flowshop beam search: states and ratings match their definition, children rated from
 * their parent match made ones, and searches find good schedules within their limits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <string.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/base/sanitized.h"
#include "tests/unit/device/simulated_devices.h"
#include "tests/unit/koester-recovery/pfsp_checks.h"
#include "algorithms/tree-search/flowshop/fsp_greedy.h"

static const char *const instances[] = {
	"ta001",
	"ta041",
	"random:1x1:5:1",
	"random:2x3:9:1",
	"random:5x1:9:1",
	"random:33x2:50:3",
	"random:64x7:99:4",
	"random:65x5:1:5",
	"random:8x5:3000000:6",
	"random:40x13:1:1",
};
enum { INSTANCES = sizeof(instances) / sizeof(instances[0]) };

static struct track_place host_place(struct team *pool)
{
	struct track_place p;

	OK(track_place_open(&p, NULL, pool, 0, &e));
	return p;
}

/* ---- ratings ---- */

static void check_rating(const struct flowshop *f, const struct pfsp_sample *x, uint32_t i,
			 uint32_t rating)
{
	const struct track_pfsp *d = &x->q->parameters;
	struct pfsp_meaning m =
		pfsp_define(f, x->order + i * (uint32_t)f->jobs, x->depth[i], d->both_ends);
	double a = (double)x->depth[i] / f->jobs, scaled;

	if (m.bound >= x->q->guidance.best) {
		assert_int_equal(rating, TRACK_DROPPED);
		return;
	}
	if (x->depth[i] == (uint32_t)f->jobs || x->q->guidance.kind == TRACK_PFSP_BY_BOUND) {
		assert_int_equal(rating, m.bound);
		return;
	}
	if (x->q->guidance.kind == TRACK_PFSP_BY_IDLE) {
		assert_int_equal(rating, (uint32_t)m.idle);
		return;
	}
	if (m.share < 0)
		m.share = 0;
	scaled = (a + (1 - a) * TRACK_PFSP_USUAL_SCALE / 16 * m.share) * (double)m.bound * f->jobs;
	scaled = ldexp(scaled, 14 - (int)d->shift);
	if (scaled < 4e9 && fabs(scaled - rating) > 0.01 * scaled + 2)
		fail_msg("state %u of %s: %u, expected %.0f", i, f->name, rating, scaled);
}

static void check_ratings(const char *name, enum track_pfsp_guide guide,
			  enum track_pfsp_branching branching)
{
	enum { COUNT = 40 };
	struct flowshop f = pfsp_loaded(name);
	int64_t order[FLOWSHOP_MAX_JOBS], best = fsp_neh(&f, order, NULL);
	struct track_pfsp_problem *q =
		pfsp_problem_of(&f, guide, branching, (int32_t)(best + best / 4));
	struct track_place host = host_place(NULL);
	struct pfsp_sample x = pfsp_sample_make(q, COUNT, &host, 11);
	struct track_batch b = pfsp_sample_batch(&x, x.states);
	uint32_t rating[COUNT];

	OK(track_pfsp_ops_host.rate(&host, &q->parameters, &b, rating, &e));
	for (uint32_t i = 0; i < COUNT; i++)
		check_rating(&f, &x, i, rating[i]);
	pfsp_sample_free(&x);
	track_pfsp_problem_destroy(q);
	flowshop_free(&f);
	track_place_close(&host);
}

static void ratings_match_their_definition(void **state)
{
	(void)state;
	for (int i = 0; i < INSTANCES - 2; i++)
		for (int b = TRACK_PFSP_FORWARD; b <= TRACK_PFSP_BOTH_ENDS; b++) {
			check_ratings(instances[i], TRACK_PFSP_BOUND, (enum track_pfsp_branching)b);
			check_ratings(instances[i], TRACK_PFSP_IDLE, (enum track_pfsp_branching)b);
			check_ratings(instances[i], TRACK_PFSP_BOUND_AND_IDLE,
				      (enum track_pfsp_branching)b);
		}
}

/* With equal bounds, less idle time is better. If the gaps differ much, the smaller bound is
 * better. */
static void gap_orders_by_bound(void **state)
{
	struct flowshop f = pfsp_loaded("ta021");
	struct track_pfsp_problem *q =
		pfsp_problem_of(&f, TRACK_PFSP_GAP, TRACK_PFSP_BOTH_ENDS, 2400);
	const struct track_pfsp *d = &q->parameters;
	uint32_t last = 0;

	(void)state;
	for (int32_t bound = 1; bound < 2400; bound++) {
		uint32_t low = track_pfsp_rating(d, &q->guidance, 3, bound, 0, 0);
		uint32_t high =
			track_pfsp_rating(d, &q->guidance, 3, bound, 0, 20u << TRACK_PFSP_FRACTION);

		assert_true(low >= last && high >= low);
		last = low;
	}
	assert_int_equal(track_pfsp_rating(d, &q->guidance, 3, 2400, 0, 0), TRACK_DROPPED);
	track_pfsp_problem_destroy(q);
	flowshop_free(&f);
}

/* ---- children ---- */

static void children_rated_on_the_host_match_made_ones(void **state)
{
	struct team *pool;
	struct track_place host;

	(void)state;
	OK(team_create(&pool, 3, &e));
	host = host_place(pool);
	for (int i = 0; i < INSTANCES; i++)
		for (int g = TRACK_PFSP_BOUND; g <= TRACK_PFSP_GAP; g++) {
			pfsp_check_children_of(instances[i], (enum track_pfsp_guide)g,
					       TRACK_PFSP_FORWARD, 29, &host, &host);
			pfsp_check_children_of(instances[i], (enum track_pfsp_guide)g,
					       TRACK_PFSP_BOTH_ENDS, 75, &host, &host);
		}
	track_place_close(&host);
	team_destroy(pool);
}

static void children_rated_on_devices_match_made_ones(void **state)
{
	struct track_place host = host_place(NULL), p;
	struct dev_set set;

	(void)state;
	open_devices(&set, 1, "random", 5);
	OK(track_place_open(&p, set.dev[0], NULL, 0, &e));
	for (int i = 0; i < INSTANCES; i++) {
		pfsp_check_children_of(instances[i], (enum track_pfsp_guide)(i % 4),
				       TRACK_PFSP_FORWARD, 35, &p, &host);
		pfsp_check_children_of(instances[i], (enum track_pfsp_guide)((i + 2) % 4),
				       TRACK_PFSP_BOTH_ENDS, 50, &p, &host);
	}
	assert_int_equal(p.used, 0);
	track_place_close(&p);
	dev_set_close(&set);
	track_place_close(&host);
}

/* ---- searches ---- */

static const char *const small = UNDER_TSAN ? "random:10x5:99:3" : "random:12x5:99:3";

struct machine {
	struct dev_set set;
	struct team *pool;
	struct track_place place[4], *pointer[4];
	int count;
};

static void machine_open(struct machine *m, int devices)
{
	memset(m, 0, sizeof(*m));
	OK(team_create(&m->pool, 2, &e));
	if (devices)
		open_devices(&m->set, devices, "random", 3);
	m->count = devices ? devices : 1;
	for (int k = 0; k < m->count; k++) {
		OK(track_place_open(&m->place[k], devices ? m->set.dev[k] : NULL, m->pool, 0, &e));
		m->pointer[k] = &m->place[k];
	}
}

static void machine_close(struct machine *m)
{
	for (int k = 0; k < m->count; k++) {
		assert_int_equal(m->place[k].used, 0);
		track_place_close(&m->place[k]);
	}
	if (m->set.count)
		dev_set_close(&m->set);
	team_destroy(m->pool);
}

static struct track_request request_of(struct machine *m, uint32_t beam)
{
	struct track_request r = { .engine = TRACK_TUNED,
				   .places = m->pointer,
				   .place_count = m->count,
				   .beam = beam,
				   .fill_rate = 0.5,
				   .archive = { .cache = true, .distance = 4, .adapt = 2 } };

	return r;
}

/* Searches and checks the schedule; returns its makespan. */
static int64_t searched(const struct flowshop *f, enum track_pfsp_branching branching,
			const struct track_request *r)
{
	struct track_pfsp_options p = { TRACK_PFSP_BOUND_AND_IDLE, branching };
	struct track_outcome o;
	int64_t makespan;

	OK(track_pfsp_search(f, &p, r, &o, &e));
	assert_true(o.found);
	assert_int_equal(o.length, f->jobs);
	makespan = flowshop_makespan(f, o.solution);
	assert_int_equal(makespan, o.objective);
	free(o.solution);
	return makespan;
}

static void wide_beam_finds_the_optimum(void **state)
{
	struct machine m;

	(void)state;
	machine_open(&m, 0);
	for (int seed = 1; seed <= 6; seed++) {
		struct track_request r = request_of(&m, 8 * 7 * 6 * 5 * 4 * 3 * 2);
		struct flowshop f;
		char name[64];
		int64_t optimum;

		snprintf(name, sizeof(name), "random:%dx4:99:%d", seed % 2 ? 8 : 7, seed);
		f = pfsp_loaded(name);
		OK(flowshop_brute_force(&f, &optimum, NULL, &e));
		assert_int_equal(searched(&f, TRACK_PFSP_FORWARD, &r), optimum);
		assert_int_equal(searched(&f, TRACK_PFSP_BOTH_ENDS, &r), optimum);
		flowshop_free(&f);
	}
	machine_close(&m);
}

static void searches_agree_on_all_places_and_engines(void **state)
{
	static const int devices[] = { 0, 1, 2 };
	struct flowshop f = pfsp_loaded(UNDER_TSAN ? "random:8x5:99:3" : small);
	int64_t expected = 0;

	(void)state;
	for (int k = 0; k < 3; k++) {
		struct machine m;

		machine_open(&m, devices[k]);
		for (int rule = TRACK_RECOVERY_REPLAY; rule <= TRACK_RECOVERY_CHECKPOINT; rule++) {
			struct track_request r = request_of(&m, 30);
			int64_t makespan;

			if (rule == TRACK_RECOVERY_PEER ||
			    (rule != TRACK_RECOVERY_REPLAY && k == 2) ||
			    (rule == TRACK_RECOVERY_HOST && k == 1))
				continue;
			r.archive.recovery = (enum track_recovery)rule;
			r.rounds = 1;
			makespan = searched(&f, TRACK_PFSP_BOTH_ENDS, &r);
			expected = expected ? expected : makespan;
			assert_int_equal(makespan, expected);
			r.engine = TRACK_PUBLISHED;
			if (rule == TRACK_RECOVERY_REPLAY)
				assert_int_equal(searched(&f, TRACK_PFSP_BOTH_ENDS, &r), expected);
		}
		machine_close(&m);
	}
	flowshop_free(&f);
}

/* ---- entries that are filled in later ---- */

enum { NARROW_BEAM = 40, WIDE_BEAM = 1200 }; /* a thread fills in the entries of wide ones */

/* Starts a search that drops nothing. */
static struct tracker *tracked(struct machine *m, const struct track_pfsp_problem *q, uint32_t beam,
			       bool wide)
{
	struct track_options o = track_options_default();
	struct tracker *t;

	o.beam = beam;
	o.slots = 3 * beam; /* several parts, on two devices as well */
	o.look_ahead = 1;
	o.schedule = TRACK_EACH;
	o.expansion = TRACK_IRREGULAR;
	o.even = o.wide_history = wide; /* the others count */
	OK(track_create(&t, &q->domain, &o, m->pointer, m->count, &e));
	OK(track_begin(t, q->root, 1, &e));
	return t;
}

/* Reads the history only after several layers, as a search does. */
static void move_on(struct tracker *t, int layers, uint32_t back_to)
{
	uint32_t count;
	struct track_node *back;

	for (int i = 0; i < layers; i++)
		OK(track_iterate(t, &e));
	if (!back_to)
		return;
	OK(track_history_nodes(track_history(t), back_to, &back, &e));
	count = track_history_count(track_history(t), back_to);
	for (uint32_t i = 0; i < count; i++)
		back[i].slot = count - 1 - i;
	OK(track_backtrack(t, back, count, &e));
	free(back);
}

static void assert_same_entries(struct tracker *x, struct tracker *y)
{
	const struct track_history *a = track_history(x), *b = track_history(y);

	assert_int_equal(a->layers, b->layers);
	for (uint32_t l = 1; l <= a->layers; l++)
		for (uint32_t i = 0; i < track_history_count(a, l); i++) {
			struct track_node n = { l, i };
			uint32_t one[3] = { 0 }, other[3] = { 0 };

			assert_int_equal(track_history_count(b, l), track_history_count(a, l));
			track_history_get(a, n, &one[0], &one[1], &one[2]);
			track_history_get(b, n, &other[0], &other[1], &other[2]);
			assert_memory_equal(one, other, sizeof(one));
		}
}

static void wide_histories_have_the_entries_of_narrow_ones(void **state)
{
	struct track_pfsp_options p = { TRACK_PFSP_BOUND_AND_IDLE, TRACK_PFSP_BOTH_ENDS };
	struct flowshop f = pfsp_loaded(small);
	struct track_pfsp_problem *q;
	struct machine host;

	(void)state;
	OK(track_pfsp_problem_create(&q, &f, &p, 12 * 5 * 99, &e));
	machine_open(&host, 0);
	for (int devices = 0; devices <= 2; devices++) {
		struct tracker *narrow = tracked(&host, q, WIDE_BEAM, false), *wide;
		struct machine m;

		machine_open(&m, devices);
		wide = tracked(&m, q, WIDE_BEAM, true);
		move_on(narrow, 5, 4);
		move_on(wide, 5, 4);
		move_on(narrow, 3, 0);
		move_on(wide, 3, 0);
		assert_same_entries(narrow, wide);
		move_on(narrow, 1, 9);
		move_on(wide, 1, 9);
		assert_same_entries(narrow, wide);
		track_destroy(wide);
		track_destroy(narrow);
		machine_close(&m);
	}
	machine_close(&host);
	track_pfsp_problem_destroy(q);
	flowshop_free(&f);
}

/* ---- a device that is later than the other ---- */

enum { SLOW_BYTES = UNDER_TSAN ? 4 << 20 : 64 << 20 };
static void *slow_memory;
static const struct track_common *quick;

static int delay(struct track_place *p, struct err *error)
{
	return dev_fill(p->stream, slow_memory, 0, SLOW_BYTES, error);
}

static int slow_gather(struct track_place *p, const struct track_gather *g, struct err *error)
{
	int status = delay(p, error);

	return status ? status : quick->gather(p, g, error);
}

static int slow_children(struct track_place *p, const struct track_children *c, uint32_t parents,
			 const uint32_t *child_successor, const uint32_t *child_rating,
			 const struct track_selected *before, const uint32_t *child,
			 const uint32_t *kept, uint32_t count, uint32_t *source,
			 uint32_t *successor, uint32_t *rating, struct err *error)
{
	int status = delay(p, error);

	return status ? status :
			quick->children(p, c, parents, child_successor, child_rating, before, child,
					kept, count, source, successor, rating, error);
}

static void assert_same_states(struct tracker *x, struct tracker *y, size_t bytes)
{
	uint32_t count = track_count(x);
	unsigned char *a = malloc(count * bytes), *b = malloc(count * bytes);

	assert_non_null(a);
	assert_non_null(b);
	assert_int_equal(track_count(y), count);
	OK(track_read(x, 0, count, a, &e));
	OK(track_read(y, 0, count, b, &e));
	assert_memory_equal(a, b, count * bytes);
	free(a);
	free(b);
}

static void devices_wait_for_a_slow_one(void **state)
{
	struct track_pfsp_options p = { TRACK_PFSP_BOUND_AND_IDLE, TRACK_PFSP_BOTH_ENDS };
	struct flowshop f = pfsp_loaded(small);
	struct track_pfsp_problem *q;
	struct machine host;

	(void)state;
	OK(track_pfsp_problem_create(&q, &f, &p, 12 * 5 * 99, &e));
	machine_open(&host, 0);
	for (int slow = 0; slow < 2; slow++) {
		struct tracker *expected = tracked(&host, q, NARROW_BEAM, false), *got;
		struct track_common ops;
		struct machine m;

		machine_open(&m, 2);
		OK(dev_alloc(m.set.dev[slow], &slow_memory, SLOW_BYTES, &e));
		quick = m.place[slow].common;
		ops = *quick;
		ops.gather = slow_gather;
		ops.children = slow_children;
		m.place[slow].common = &ops;
		got = tracked(&m, q, NARROW_BEAM, false);
		move_on(expected, 8, 0);
		move_on(got, 8, 0);
		assert_same_entries(expected, got);
		assert_same_states(expected, got, track_state_bytes(q->domain.layout));
		track_destroy(got);
		track_destroy(expected);
		dev_free(m.set.dev[slow], slow_memory);
		machine_close(&m);
	}
	machine_close(&host);
	track_pfsp_problem_destroy(q);
	flowshop_free(&f);
}

static void long_searches_pay_for_more_devices(void **state)
{
	static const uint32_t widths[][2] = { { 0, 5497559 }, { 2, 2748780 }, { 4, 1832520 } };
	struct flowshop f = pfsp_loaded("ta051");
	struct machine m;
	bool pays;

	(void)state;
	machine_open(&m, 0);
	for (size_t i = 0; i < 3; i++) {
		struct track_request r = request_of(&m, widths[i][1]);

		r.rounds = widths[i][0];
		OK(track_pfsp_pays(&f, &r, &pays, &e));
		assert_true(pays);
		r.beam--;
		OK(track_pfsp_pays(&f, &r, &pays, &e));
		assert_false(pays);
	}
	for (int large = 0; large < 2; large++) {
		struct track_request r = request_of(&m, 0);

		r.memory = (uint64_t)1 << (large ? 40 : 28);
		OK(track_pfsp_pays(&f, &r, &pays, &e));
		assert_int_equal(pays, large);
	}
	machine_close(&m);
	flowshop_free(&f);
}

/* Returns the widest beam for this memory. Checks that the limit is kept and that most of the
 * memory is used. */
static uint32_t width_for(struct machine *m, const struct flowshop *f, enum track_recovery rule,
			  uint64_t memory)
{
	struct track_pfsp_options p = { TRACK_PFSP_BOUND_AND_IDLE, TRACK_PFSP_BOTH_ENDS };
	struct track_request r = request_of(m, 0);
	struct track_outcome o;
	uint32_t width;

	r.memory = m->place[0].limit = memory;
	r.archive.recovery = rule;
	r.rounds = 2;
	m->place[0].peak = 0;
	OK(track_pfsp_search(f, &p, &r, &o, &e));
	assert_true(o.memory_peak <= memory && o.memory_peak >= memory / 4);
	assert_int_equal(flowshop_makespan(f, o.solution), o.objective);
	width = o.beam;
	free(o.solution);
	return width;
}

static void memory_sets_the_width(void **state)
{
	uint64_t bytes = 1 << 19;
	struct machine m;
	uint32_t replay, all;
	struct flowshop f = pfsp_loaded("ta001");

	(void)state;
	machine_open(&m, 0);
	replay = width_for(&m, &f, TRACK_RECOVERY_REPLAY, bytes);
	all = width_for(&m, &f, TRACK_RECOVERY_GPU, bytes);
	assert_true(all < replay && all > 20);
	assert_true(width_for(&m, &f, TRACK_RECOVERY_HOST, bytes) <= all);
	assert_true(width_for(&m, &f, TRACK_RECOVERY_CHECKPOINT, bytes) < replay);
	assert_true(width_for(&m, &f, TRACK_RECOVERY_REPLAY, 2 * bytes) > replay);
	machine_close(&m);
	flowshop_free(&f);
}

/* Beams before the widest keep the limit of each device, on which the widest has a fourth of its
 * states. If they did not, the widest would be narrower. */
static void narrow_beams_keep_the_limit_of_each_device(void **state)
{
	struct track_pfsp_options p = { TRACK_PFSP_BOUND_AND_IDLE, TRACK_PFSP_BOTH_ENDS };
	struct flowshop f = pfsp_loaded(UNDER_TSAN ? "random:12x10:99:1" : "ta011");
	struct track_request r;
	struct track_outcome o;
	struct machine m;

	(void)state;
	machine_open(&m, 4);
	r = request_of(&m, 0);
	r.memory = UNDER_TSAN ? 7 << 18 : 5 << 19;
	r.archive.recovery = TRACK_RECOVERY_GPU;
	for (int k = 0; k < 4; k++)
		m.place[k].limit = r.memory;
	OK(track_pfsp_search(&f, &p, &r, &o, &e));
	assert_true(o.beam >= 2048); /* a beam of 1024 goes before */
	free(o.solution);
	machine_close(&m);
	flowshop_free(&f);
}

static void limits_stop_a_search(void **state)
{
	struct flowshop f = pfsp_loaded("ta041");
	struct track_pfsp_options p = { TRACK_PFSP_BOUND_AND_IDLE, TRACK_PFSP_BOTH_ENDS };
	volatile sig_atomic_t stop = 1;
	struct machine m;
	struct track_request r;
	struct track_outcome o;

	(void)state;
	machine_open(&m, 0);
	r = request_of(&m, 64);
	r.stop = &stop;
	OK(track_pfsp_search(&f, &p, &r, &o, &e));
	assert_true(o.stopped);
	assert_int_equal(flowshop_makespan(&f, o.solution), o.objective);
	free(o.solution);
	machine_close(&m);
	flowshop_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ratings_match_their_definition),
		cmocka_unit_test(gap_orders_by_bound),
		cmocka_unit_test(children_rated_on_the_host_match_made_ones),
		cmocka_unit_test(children_rated_on_devices_match_made_ones),
		cmocka_unit_test(wide_beam_finds_the_optimum),
		cmocka_unit_test(searches_agree_on_all_places_and_engines),
		cmocka_unit_test(wide_histories_have_the_entries_of_narrow_ones),
		cmocka_unit_test(devices_wait_for_a_slow_one),
		cmocka_unit_test(long_searches_pay_for_more_devices),
		cmocka_unit_test(memory_sets_the_width),
		cmocka_unit_test(narrow_beams_keep_the_limit_of_each_device),
		cmocka_unit_test(limits_stop_a_search),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
