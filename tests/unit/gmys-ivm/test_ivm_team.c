/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Algorithm 7: any number of hosts and devices, sharing work in any way, decomposes the same nodes
 * as one explorer, and terminates. A search that was stopped or killed at any moment resumes from
 * its checkpoint with a different number of workers and reaches the same counts. Most devices are
 * made of explorers on the host (fake_ivm_device.h); some are simulated. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "algorithms/gmys-ivm/team/farmer.h"
#include "algorithms/gmys-ivm/interval_list.h"
#include "algorithms/gmys-ivm/ivm_search.h"
#include "algorithms/tree-search/checkpoint.h"
#include "datasets/atsp/atsp.h"
#include "harness/base/clock.h"
#include "tests/unit/gmys-ivm/fake_ivm_device.h"
#include "tests/unit/base/sanitized.h"
#include "tests/unit/device/simulated_devices.h"
#include "tests/unit/tree-search/small_flowshops.h"
#include "tests/unit/base/temporary_folder.h"

enum {
	TRIALS = SANITIZED ? 60 : 400,
	STOPS = SANITIZED ? 30 : 120,
	KILLS = SANITIZED ? 8 : 100,
	SIMULATED = SANITIZED ? 8 : 40,
	QUEENS = 11,
	CITIES_MAX = 9
};

/* ---- a random instance, its optimum as ub, and what one explorer counts ---- */

struct small {
	struct search_request r;
	struct flowshop flowshop;
	struct atsp atsp;
	int32_t cost[CITIES_MAX * CITIES_MAX];
	struct ivm_counts want;
	int32_t optimum;
};

static struct ivm_counts explore_alone(const struct search_request *r, int32_t ub, int32_t *best)
{
	struct ivm_problem p;
	struct ivm_explorer x;
	struct ivm_counts counts;
	uint16_t first[64], last[64];

	assert_int_equal(ivm_problem_make(&p, r, NULL), 0);
	assert_int_equal(ivm_explorer_open(&x, &p, NULL), 0);
	ivm_problem_interval(&p, first, last);
	x.best = ub;
	ivm_explorer_start(&x, first, last);
	while (x.exploring)
		ivm_explorer_step(&x);
	counts = x.counts;
	*best = x.best;
	ivm_explorer_close(&x);
	ivm_problem_free(&p);
	return counts;
}

static void make_cities(struct small *s, struct rng *rng, int cities)
{
	s->atsp.cities = cities;
	s->atsp.cost = s->cost;
	strcpy(s->atsp.name, "small");
	for (int i = 0; i < cities * cities; i++)
		s->cost[i] = i % (cities + 1) ? (int32_t)rng_between(rng, 1, 99) : 0;
	s->r.atsp = &s->atsp;
}

static void small_make(struct small *s, struct rng *rng, int size)
{
	memset(s, 0, sizeof(*s));
	s->r.ub = SEARCH_NO_UB;
	switch (rng_below(rng, 4)) {
	case 0:
		s->r.queens = (int)rng_between(rng, 1, size + 1);
		s->r.half_board = true;
		break;
	case 1:
		make_cities(s, rng,
			    (int)rng_between(rng, 2, size < CITIES_MAX ? size : CITIES_MAX));
		break;
	default:
		s->flowshop = random_flowshop((int)rng_between(rng, 1, size),
					      (int)rng_between(rng, 1, 10), 99,
					      (int)rng_between(rng, 1, 1 << 20));
		s->r.flowshop = &s->flowshop;
		s->r.bound = rng_below(rng, 2) ? FSP_LB2 : FSP_LB1;
		s->r.branching = (enum fsp_branching)rng_below(rng, 3);
	}
	explore_alone(&s->r, IVM_NONE, &s->optimum);
	if (s->optimum != IVM_NONE)
		s->r.ub = s->optimum;
	s->want = explore_alone(&s->r, s->optimum, &s->optimum);
}

static void small_free(struct small *s)
{
	if (s->r.flowshop)
		flowshop_free(&s->flowshop);
}

/* ---- a search ---- */

struct workers {
	int devices, hosts;
};

static int search(const struct ivm_request *r, struct workers c, struct ivm_outcome *o,
		  struct err *e)
{
	struct dev *none[DEV_MAX] = { NULL };
	struct ivm_team_setup s = {
		.request = r, .ops = &fake_ops, .dev = none, .devices = c.devices, .hosts = c.hosts
	};

	return ivm_team_search(&s, o, e);
}

static struct workers random_workers(struct rng *rng)
{
	struct workers c = { .devices = (int)rng_below(rng, 4), .hosts = (int)rng_below(rng, 5) };

	c.hosts += c.devices + c.hosts == 0;
	return c;
}

static void random_sharing(struct ivm_request *r, struct rng *rng)
{
	r->hybrid = rng_below(rng, 2) ? IVM_FARMER : IVM_STEAL;
	r->steal_parts = rng_below(rng, 2) ? 0 : (int)rng_between(rng, 2, 200);
	r->common.no_stealing = rng_below(rng, 8) == 0;
	r->common.seed = rng_next(rng);
	r->trace = rng_below(rng, 4) == 0;
}

static void check_counts(const struct small *s, const struct ivm_outcome *o)
{
	assert_true(o->common.complete);
	assert_int_equal(o->common.decomposed, s->want.decomposed);
	assert_int_equal(o->common.leaves, s->want.leaves);
	assert_int_equal(o->common.solutions, s->want.solutions);
	if (s->r.flowshop || s->r.atsp) {
		assert_int_equal(o->common.best, s->optimum);
		assert_int_equal(o->common.lower_bound, s->optimum);
	}
}

static void check_sums(const struct ivm_outcome *o)
{
	uint64_t of_workers = 0, done = 0;

	for (int i = 0; i < o->common.workers; i++)
		of_workers += o->common.worker_explored[i];
	for (int kind = 0; kind < IVM_STEALS; kind++)
		done += o->steal_done[kind];
	assert_int_equal(of_workers, o->common.decomposed);
	assert_int_equal(o->device_decomposed + o->host_decomposed, o->common.decomposed);
	assert_int_equal(done, o->common.steals_done);
}

static void counts_do_not_depend_on_the_workers(void **state)
{
	struct rng rng = rng_seeded(1);

	(void)state;
	for (int trial = 0; trial < TRIALS; trial++) {
		struct small s;
		struct ivm_outcome o;
		struct err e = { 0 };

		small_make(&s, &rng, trial % 16 ? 8 : 10);
		struct ivm_request r = { .common = s.r };

		random_sharing(&r, &rng);
		if (search(&r, random_workers(&rng), &o, &e))
			fail_msg("%s", e.text);
		check_counts(&s, &o);
		check_sums(&o);
		ivm_outcome_free(&o);
		small_free(&s);
	}
}

static void optimum_is_found_without_an_incumbent(void **state)
{
	struct rng rng = rng_seeded(2);

	(void)state;
	for (int trial = 0; trial < TRIALS / 4; trial++) {
		struct small s;
		struct ivm_outcome o;

		do {
			small_make(&s, &rng, 8);
		} while (!s.r.flowshop && !s.r.atsp);
		s.r.ub = SEARCH_NO_UB;
		struct ivm_request r = { .common = s.r };

		random_sharing(&r, &rng);
		assert_int_equal(search(&r, random_workers(&rng), &o, NULL), 0);
		assert_int_equal(o.common.best, s.optimum);
		assert_non_null(o.common.order);
		assert_int_equal(s.r.flowshop ? flowshop_makespan(&s.flowshop, o.common.order) :
						atsp_tour_cost(&s.atsp, o.common.order),
				 s.optimum);
		ivm_outcome_free(&o);
		small_free(&s);
	}
}

/* ---- each kind of steal ---- */

static struct ivm_request queens_request(int queens)
{
	struct ivm_request r = { .common = { .queens = queens, .half_board = true } };

	return r;
}

/* Returns the number of steals of this kind in some searches, whose counts are checked. */
static uint64_t steals(struct workers c, enum ivm_hybrid hybrid, enum ivm_steal kind)
{
	struct ivm_request r = queens_request(QUEENS);
	struct ivm_outcome o;
	uint64_t done = 0, want = 0;
	int32_t best;

	want = explore_alone(&r.common, IVM_NONE, &best).decomposed;
	r.hybrid = hybrid;
	for (int seed = 0; seed < 40 && !done; seed++) {
		r.common.seed = (uint64_t)seed;
		assert_int_equal(search(&r, c, &o, NULL), 0);
		assert_int_equal(o.common.decomposed, want);
		assert_true(o.steal_tried[kind] >= o.steal_done[kind] || hybrid == IVM_FARMER);
		done = o.steal_done[kind];
		ivm_outcome_free(&o);
	}
	return done;
}

static void every_kind_of_steal_happens(void **state)
{
	(void)state;
	assert_true(steals((struct workers){ 0, 4 }, IVM_STEAL, IVM_H2H) > 0);
	assert_true(steals((struct workers){ 2, 0 }, IVM_STEAL, IVM_D2D) > 0);
	assert_true(steals((struct workers){ 1, 3 }, IVM_STEAL, IVM_D2H) > 0);
	assert_true(steals((struct workers){ 1, 3 }, IVM_STEAL, IVM_H2D) > 0);
	assert_true(steals((struct workers){ 2, 2 }, IVM_FARMER, IVM_D2H) > 0);
	assert_true(steals((struct workers){ 1, 2 }, IVM_FARMER, IVM_H2D) > 0);
	assert_int_equal(steals((struct workers){ 2, 2 }, IVM_FARMER, IVM_H2H), 0);
}

static void termination_is_detected_hundreds_of_times(void **state)
{
	struct rng rng = rng_seeded(3);
	struct ivm_request r = queens_request(6);
	struct ivm_outcome o;

	(void)state;
	for (int trial = 0; trial < 3 * TRIALS; trial++) {
		random_sharing(&r, &rng);
		assert_int_equal(search(&r, random_workers(&rng), &o, NULL), 0);
		assert_int_equal(o.common.solutions, 4);
		ivm_outcome_free(&o);
	}
}

static void traces_record_all_devices(void **state)
{
	struct ivm_request r = queens_request(QUEENS);
	struct ivm_outcome o;

	(void)state;
	r.trace = true;
	assert_int_equal(search(&r, (struct workers){ 2, 0 }, &o, NULL), 0);
	assert_in_range(o.samples, 10, IVM_TRACE_MAX);
	for (int i = 0; i < o.samples; i++) {
		const struct ivm_sample *x = &o.sample[i], *next = x + 1;
		bool last = i + 1 == o.samples || next->device != x->device;

		assert_in_range(x->device, 0, 1);
		assert_in_range(x->active, 0, FAKE_IVMS);
		assert_true(!last || x->active == 0);
		assert_true(last || next->seconds >= x->seconds);
		assert_true(i + 1 == o.samples || next->device >= x->device);
	}
	ivm_outcome_free(&o);
}

static void invalid_requests_are_refused(void **state)
{
	struct ivm_request r = queens_request(8);
	struct checkpoint_plan plan = { .write = "/dev/null/at/all" };
	struct ivm_outcome o;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(ivm_search(SOLVE_PUBLISHED, &r, &o, NULL), ERR_USAGE);
	r.common.threads = 2;
	r.common.gpus = 1;
	assert_int_equal(ivm_search(SOLVE_PUBLISHED, &r, &o, NULL), ERR_DEVICE);
	r.common.gpus = 0;
	r.steal_parts = 1;
	assert_int_equal(ivm_search(SOLVE_PUBLISHED, &r, &o, NULL), ERR_USAGE);
	r.steal_parts = 0;
	r.common.half_board = false;
	assert_int_equal(ivm_search(SOLVE_PUBLISHED, &r, &o, NULL), ERR_UNSUPPORTED);
	r.common.half_board = true;
	r.common.checkpoint = &plan;
	assert_int_equal(ivm_search(SOLVE_PUBLISHED, &r, &o, &e), ERR_IO);
	r.common.checkpoint = NULL;
	assert_int_equal(ivm_search(SOLVE_PUBLISHED, &r, &o, NULL), 0);
	assert_int_equal(o.common.solutions, 92);
	assert_int_equal(o.common.workers, 2);
}

/* ---- stopped and resumed ---- */

/* Large enough to be stopped in the middle. */
static void long_make(struct small *s, struct rng *rng)
{
	small_make(s, rng, 10);
	while (s->want.decomposed < 3000) {
		small_free(s);
		small_make(s, rng, 10);
	}
}

/* Returns true if the search ended before the limit. */
static bool run_a_while(const struct ivm_request *r, struct workers c, struct ivm_outcome *o)
{
	struct err e = { 0 };
	int status = search(r, c, o, &e);

	if (status && status != ERR_LIMIT)
		fail_msg("%s", e.text);
	assert_int_equal(o->common.complete, status == 0);
	assert_true(o->common.lower_bound <= o->common.best);
	return status == 0;
}

static void stopped_searches_resume_to_the_same_counts(void **state)
{
	struct rng rng = rng_seeded(4);
	char path[128];
	int stops = 0;

	(void)state;
	snprintf(path, sizeof(path), "%s/stopped", folder);
	while (stops < STOPS) {
		struct checkpoint_plan plan = { .write = path, .period = 0.0005 };
		struct small s;
		struct ivm_outcome o;
		bool complete = false;
		int runs = 0;

		long_make(&s, &rng);
		struct ivm_request r = { .common = s.r };

		r.common.checkpoint = &plan;
		while (!complete) {
			random_sharing(&r, &rng);
			/* grows, so that slow machines finish, too */
			r.common.time_limit =
				(1 + runs++ / 10) *
				(0.0005 + rng_unit(&rng) * (SANITIZED ? 0.05 : 0.005));
			complete = run_a_while(&r, random_workers(&rng), &o);
			if (!complete)
				ivm_outcome_free(&o);
			stops += !complete;
			plan.resume = path;
		}
		check_counts(&s, &o);
		ivm_outcome_free(&o);
		small_free(&s);
	}
}

/* ---- killed and resumed ---- */

static void search_until_killed(const struct ivm_request *r, struct workers c)
{
	struct ivm_outcome o;
	struct err e = { 0 };

	if (search(r, c, &o, &e))
		fprintf(stderr, "%s\n", e.text);
	_exit(e.code ? 1 : 0);
}

/* Returns true if the search was killed before its end. */
static bool run_and_kill(const struct ivm_request *r, struct workers c, double seconds)
{
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (child == 0)
		search_until_killed(r, c);
	clock_sleep(seconds);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, &status, 0), child);
	if (WIFSIGNALED(status))
		assert_int_equal(WTERMSIG(status), SIGKILL);
	else
		assert_int_equal(WEXITSTATUS(status), 0);
	return WIFSIGNALED(status);
}

static void killed_searches_resume_to_the_same_counts(void **state)
{
	struct rng rng = rng_seeded(5);
	char path[128];
	int kills = 0;

	(void)state;
	snprintf(path, sizeof(path), "%s/killed", folder);
	while (kills < KILLS) {
		struct checkpoint_plan plan = { .write = path, .period = 0.001 };
		struct small s;
		struct ivm_outcome o;
		bool killed = true;

		long_make(&s, &rng);
		struct ivm_request r = { .common = s.r };

		r.common.checkpoint = &plan;
		unlink(path);
		for (double seconds = 0.02; killed; seconds *= 1.3) {
			random_sharing(&r, &rng);
			killed = run_and_kill(&r, random_workers(&rng), rng_unit(&rng) * seconds);
			kills += killed;
			plan.resume = access(path, R_OK) == 0 ? path : NULL;
		}
		assert_int_equal(search(&r, random_workers(&rng), &o, NULL), 0);
		check_counts(&s, &o);
		ivm_outcome_free(&o);
		small_free(&s);
	}
}

static void checkpoints_of_other_searches_are_refused(void **state)
{
	struct ivm_request r = queens_request(8);
	struct ivm_outcome o;
	struct err e = { 0 };
	char path[128];
	struct checkpoint_plan plan = { .write = path };

	(void)state;
	snprintf(path, sizeof(path), "%s/foreign", folder);
	r.common.checkpoint = &plan;
	assert_int_equal(search(&r, (struct workers){ 0, 1 }, &o, NULL), 0);
	plan = (struct checkpoint_plan){ .resume = path };
	assert_int_equal(search(&r, (struct workers){ 0, 1 }, &o, NULL), 0);
	assert_int_equal(o.common.solutions, 92);
	r.common.queens = 9;
	assert_int_equal(search(&r, (struct workers){ 0, 1 }, &o, &e), ERR_INPUT);
	assert_non_null(strstr(e.text, path));
}

/* ---- real device explorers, simulated ---- */

static void random_ivms(struct ivm_request *r, struct rng *rng)
{
	static const enum ivm_mode modes[] = { IVM_PAPER_MODE, IVM_AUTO, IVM_PTE, IVM_PTE_PEB };

	r->mode = modes[rng_below(rng, 4)];
	r->common.forms = rng_below(rng, 2) ? 0 : (unsigned)rng_next(rng) & IVM_FAST_FORMS;
	r->ivms = 32;
	r->victims = (enum ivm_victims)rng_below(rng, 5);
	r->trigger = rng_between(rng, -2, 16);
	r->hybrid = rng_below(rng, 2) ? IVM_FARMER : IVM_STEAL;
	r->common.gpus = (int)rng_between(rng, 1, 3);
	r->common.threads = (int)rng_below(rng, 3);
	r->common.seed = rng_next(rng);
}

static void simulated_devices_give_the_same_counts(void **state)
{
	struct rng rng = rng_seeded(6);
	struct checkpoint_plan plan = { .period = 0.001 };
	struct dev_set set;
	char path[128];
	int stops = 0;

	(void)state;
	snprintf(path, sizeof(path), "%s/simulated", folder);
	open_devices(&set, 3, "random", 1);
	for (int trial = 0; trial < SIMULATED; trial++) {
		struct small s;
		struct ivm_outcome o;
		int status = ERR_LIMIT;
		double limit = 0.001; /* grows, because opening the devices may take longer */

		small_make(&s, &rng, SANITIZED ? 7 : 8);
		struct ivm_request r = { .common = s.r };

		plan.write = path;
		plan.resume = NULL;
		r.common.devices = &set;
		r.common.checkpoint = trial % 2 ? &plan : NULL;
		while (status == ERR_LIMIT) {
			struct err e = { 0 };

			random_ivms(&r, &rng);
			limit *= 1 + 2 * rng_unit(&rng);
			r.common.time_limit = trial % 2 ? limit : 0;
			status = ivm_search(SOLVE_PUBLISHED, &r, &o, &e);
			if (status && status != ERR_LIMIT)
				fail_msg("%s", e.text);
			if (status)
				ivm_outcome_free(&o);
			plan.resume = path;
			stops += status != 0;
		}
		check_counts(&s, &o);
		ivm_outcome_free(&o);
		small_free(&s);
	}
	assert_true(stops > 0 || SANITIZED);
	dev_set_close(&set);
}

/* ---- parts on their own ---- */

static void interval_lists_grow_move_and_sort(void **state)
{
	static const uint16_t digits[] = { 2, 0, 0, 2, 1, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0 };
	struct ivm_interval_list l, m;

	(void)state;
	ivm_interval_list_open(&l, 3);
	ivm_interval_list_open(&m, 3);
	assert_true(ivm_interval_list_add(&l, digits, 3));
	assert_int_equal(ivm_interval_list_move(&m, &l, 2), 2);
	assert_int_equal(l.count, 1);
	assert_memory_equal(m.digits, digits + 6, 12 * sizeof(*digits));
	for (int i = 0; i < 100; i++)
		assert_int_equal(ivm_interval_list_move(&l, &m, 9), i ? 0 : 2);
	ivm_interval_list_sort(&l);
	assert_memory_equal(ivm_interval_list_at(&l, 0), digits + 6, 12 * sizeof(*digits));
	assert_memory_equal(ivm_interval_list_at(&l, 2), digits, 6 * sizeof(*digits));
	for (int i = 0; i < 1000; i++)
		assert_true(ivm_interval_list_add(&m, digits, 1));
	assert_int_equal(m.count, 1000);
	ivm_interval_list_close(&l);
	ivm_interval_list_close(&m);
}

/* Models 100 s of a device that decomposes `rate` nodes/s. Giving an interval away costs it `cost`
 * seconds, and hosts decompose `yield` nodes of the interval. Returns the nodes that the device
 * loses by giving, and those that the hosts gain. */
static void farm(double rate, double cost, double yield, double *lost, double *gained)
{
	struct ivm_farmer_ration f;
	double gain = 0;

	ivm_farmer_open(&f, 1);
	for (double now = 0; now < 100; now += 0.01) {
		int count = ivm_farmer_may_give(&f, now, 15);

		assert_true(now >= 1 || !count);
		if (!count)
			continue;
		ivm_farmer_gave(&f, count, cost * count);
		gain += yield * count;
		ivm_farmer_review(&f, (uint64_t)gain, rate);
	}
	*lost = f.given_seconds * rate;
	*gained = gain;
}

static void farmer_rations_giving_by_its_gain(void **state)
{
	double lost, gained;

	(void)state;
	farm(1e8, 50e-6, 1e6, &lost, &gained); /* gives: a loss of 5,000 nodes per million gained */
	assert_true(gained > 50 * lost && gained > 1e10);
	farm(1e8, 50e-6, 5e3, &lost, &gained); /* rarely gives: the loss equals the gain */
	assert_true(lost < 1e8 * 100 * 2e-4);
	farm(1e8, 10e-3, 10, &lost, &gained); /* never gives for long: the loss exceeds the gain */
	assert_true(lost < 1e8 * 100 * 5e-3);
	assert_int_equal(ivm_farmer_hosts(16, 1, 16), 15);
	assert_int_equal(ivm_farmer_hosts(16, 4, 64), 16);
	assert_int_equal(ivm_farmer_hosts(3, 4, 2), 0);
}

/* A device fills up, works, and loses IVMs at the end. It feeds hosts only while it works. */
static void farmer_feeds_hosts_only_while_a_device_is_busy(void **state)
{
	double load = 0;
	int active = 1;

	(void)state;
	for (; active < 500; active *= 2) {
		assert_false(ivm_farmer_busy(load, active, 1000));
		assert_true(ivm_farmer_starving(load, active, 1000) == (active < 250));
		load = ivm_farmer_load(load, active);
	}
	for (int i = 0; i < 200; i++) {
		active = 780 + i % 41;
		assert_true(ivm_farmer_busy(load, active, 1000));
		assert_false(ivm_farmer_starving(load, active, 1000));
		load = ivm_farmer_load(load, active);
	}
	assert_true(load > 780 && load < 820);
	for (active = 770; active > 580; active -= 40)
		load = ivm_farmer_load(load, active);
	assert_true(ivm_farmer_starving(load, active, 1000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(interval_lists_grow_move_and_sort),
		cmocka_unit_test(farmer_rations_giving_by_its_gain),
		cmocka_unit_test(farmer_feeds_hosts_only_while_a_device_is_busy),
		cmocka_unit_test(invalid_requests_are_refused),
		cmocka_unit_test(counts_do_not_depend_on_the_workers),
		cmocka_unit_test(optimum_is_found_without_an_incumbent),
		cmocka_unit_test(every_kind_of_steal_happens),
		cmocka_unit_test(termination_is_detected_hundreds_of_times),
		cmocka_unit_test(traces_record_all_devices),
		cmocka_unit_test(stopped_searches_resume_to_the_same_counts),
		cmocka_unit_test(killed_searches_resume_to_the_same_counts),
		cmocka_unit_test(checkpoints_of_other_searches_are_refused),
		cmocka_unit_test(simulated_devices_give_the_same_counts),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
