/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The published algorithm on simulated devices: victim selection, counts against the serial
 * explorer (which test_ivm.c checks against a plain search), and intervals moved into, out of and
 * between devices. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "algorithms/gmys-ivm/explorers/explorer.h"
#include "algorithms/gmys-ivm/explorers/ivm_device.h"
#include "harness/base/arena.h"
#include "harness/base/rng.h"
#include "kernels/gmys-ivm/published.h"
#include "tests/unit/base/sanitized.h"
#include "tests/unit/device/simulated_devices.h"
#include "tests/unit/tree-search/small_atsps.h"
#include "tests/unit/tree-search/small_flowshops.h"

enum { ITEMS_MAX = 40, RULES = IVM_RING + 1 };

static const char *const schedules[] = { "random", "order", "reverse" };

/* ---- victims ---- */

static void hypercube_has_the_victims_of_the_paper(void **state)
{
	const struct {
		int ivms, dimensions, length[9];
	} cases[] = {
		{ 1, 0, { 0 } },
		{ 2, 1, { 2 } },
		{ 4, 1, { 4 } },
		{ 8, 1, { 8 } },
		{ 32, 2, { 4, 8 } },
		{ 512, 4, { 4, 4, 4, 8 } },
		{ 16384, 7, { 4, 4, 4, 4, 4, 4, 4 } },
		{ 32768, 7, { 4, 4, 4, 4, 4, 4, 8 } },
	};

	(void)state;
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		struct ivm_victim_rule v = ivm_victims_make(IVM_HYPERCUBE, cases[c].ivms);
		int weight = 1;

		assert_int_equal(v.dimensions, cases[c].dimensions);
		for (int i = 0; i < v.dimensions; i++) {
			assert_int_equal(v.length[i], cases[c].length[i]);
			assert_int_equal(v.weight[i], weight);
			weight *= v.length[i];
		}
		assert_int_equal(weight, cases[c].ivms);
	}
}

/* Each round is a permutation of the IVMs, and no IVM tries the same neighbour twice in a phase. */
static void victims_of_a_round_are_one_to_one(void **state)
{
	(void)state;
	for (int rule = 0; rule < RULES; rule++) {
		for (int ivms = 2; ivms <= 512; ivms *= 2) {
			struct ivm_victim_rule v = ivm_victims_make((enum ivm_victims)rule, ivms);
			struct ivm_victim_window w = { 0, 1 };

			for (int phase = 0; phase < 20; phase++) {
				static bool met[512][512];
				int rounds;

				ivm_victims_move(&v, &w, phase % 3 ? ivms / 2 : 0);
				rounds = ivm_victims_rounds(&v, &w);
				assert_in_range(rounds, 1, ivms);
				memset(met, 0, sizeof(met));
				for (int round = 0; round < rounds; round++) {
					bool taken[512] = { false };

					for (int t = 0; t < ivms; t++) {
						int from = ivm_victims_try(&v, &w, round, t);

						assert_in_range(from, 0, ivms - 1);
						assert_false(taken[from] || met[t][from]);
						taken[from] = met[t][from] = true;
					}
				}
			}
		}
	}
}

/* The window of Algorithm 6 by hand: T = 16. */
static void adapt_moves_its_window_as_in_algorithm_6(void **state)
{
	const struct {
		int empty, begin, size;
	} steps[] = {
		{ 8, 1, 2 }, { 8, 3, 4 },  { 2, 7, 8 },  { 2, 15, 16 }, { 8, 15, 8 },
		{ 1, 7, 4 }, { 0, 11, 2 }, { 0, 13, 1 }, { 0, 14, 1 },  { 2, 15, 2 },
	};
	struct ivm_victim_rule v = ivm_victims_make(IVM_ADAPT, 16);
	struct ivm_victim_window w = { 0, 1 };

	(void)state;
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		ivm_victims_move(&v, &w, steps[i].empty);
		assert_int_equal(w.begin, steps[i].begin);
		assert_int_equal(w.size, steps[i].size);
	}
}

/* The buffers of the kernels that select victims. */
struct mapping {
	struct dev_stream *stream;
	void *block;
	struct ivm_fleet fleet;
	int32_t *state;
	int32_t *victim, *reference; /* by thief; -1: none */
	double *length, mean;
	struct ivm_victim_window window; /* of the phase */
	uint64_t rounds;                 /* executed so far */
};

static size_t mapping_layout(struct mapping *m, void *base)
{
	struct arena l = { base, 0 };
	size_t t = (size_t)m->fleet.ivms;

	m->fleet.state = arena_take(&l, t * sizeof(int32_t));
	m->fleet.length = arena_take(&l, t * sizeof(double));
	m->fleet.victim = arena_take(&l, t * sizeof(int32_t));
	m->fleet.thief = arena_take(&l, t * sizeof(int32_t));
	m->fleet.flag = arena_take(&l, t * sizeof(int32_t));
	m->fleet.leaf_value = arena_take(&l, t * sizeof(int32_t));
	m->fleet.partial = arena_take(&l, t * sizeof(struct ivm_partial));
	m->fleet.control = arena_take(&l, sizeof(struct ivm_control));
	return l.used;
}

static void mapping_open(struct mapping *m, struct dev *dev, int ivms, struct rng *r)
{
	struct ivm_control begin = { .window = { 0, 1 } };
	struct err e = { 0 };
	size_t t = (size_t)ivms;
	int share = (int)rng_between(r, 0, 10);

	*m = (struct mapping){ .fleet = { .ivms = ivms },
			       .stream = dev_default_stream(dev),
			       .window = { 0, 1 } };
	assert_int_equal(dev_alloc(dev, &m->block, mapping_layout(m, NULL), &e), 0);
	mapping_layout(m, m->block);
	m->state = malloc(t * sizeof(int32_t));
	m->victim = malloc(t * sizeof(int32_t));
	m->reference = malloc(t * sizeof(int32_t));
	m->length = malloc(t * sizeof(double));
	for (int i = 0; i < ivms; i++) {
		m->state[i] = (int)rng_below(r, 10) < share ? IVM_EXPLORING : IVM_EMPTY;
		m->length[i] = m->state[i] == IVM_EXPLORING ? (double)rng_below(r, 1000) : -1;
	}
	assert_int_equal(dev_copy_to(m->stream, m->fleet.state, m->state, t * sizeof(int32_t), &e),
			 0);
	assert_int_equal(dev_copy_to(m->stream, m->fleet.length, m->length, t * sizeof(double), &e),
			 0);
	assert_int_equal(dev_fill(m->stream, m->fleet.leaf_value, 0x7f, t * sizeof(int32_t), &e),
			 0);
	assert_int_equal(dev_copy_to(m->stream, m->fleet.control, &begin, sizeof(begin), &e), 0);
	assert_int_equal(dev_stream_sync(m->stream, &e), 0);
}

static void mapping_close(struct mapping *m, struct dev *dev)
{
	dev_free(dev, m->block);
	free(m->state);
	free(m->victim);
	free(m->reference);
	free(m->length);
}

/* Every victim explores, is taken once, and is longer than the mean if the rule demands it. A thief
 * is left without a victim only if all its neighbours are taken or not eligible. */
static void check_mapping(const struct mapping *m, const struct ivm_victim_rule *v,
			  const struct ivm_victim_window *w)
{
	int ivms = m->fleet.ivms, rounds = ivm_victims_rounds(v, w);
	bool *taken = calloc((size_t)ivms, sizeof(*taken));
	double mean = 0;

	for (int t = 0; t < ivms; t++)
		mean += m->length[t] > 0 ? m->length[t] / ivms : 0;
	for (int t = 0; t < ivms; t++) {
		int from = m->victim[t];

		if (from < 0)
			continue;
		assert_int_equal(m->state[t], IVM_EMPTY);
		assert_int_equal(m->state[from], IVM_EXPLORING);
		assert_false(taken[from]);
		taken[from] = true;
		if (ivm_victims_by_length(v))
			assert_true(m->length[from] > mean * (1 - 1e-9));
	}
	for (int t = 0; t < ivms; t++) {
		for (int i = 0; i < rounds && m->state[t] == IVM_EMPTY && m->victim[t] < 0; i++) {
			int from = ivm_victims_try(v, w, i, t);

			assert_true(
				taken[from] || m->state[from] == IVM_EMPTY ||
				(ivm_victims_by_length(v) && m->length[from] < mean * (1 + 1e-9)));
		}
	}
	free(taken);
}

/* SEARCH_ONE_LAUNCH */
static void map_and_check(struct mapping *m, struct dev *dev, const struct ivm_victim_rule *v)
{
	const struct ivm_published_kernels *k = ivm_published_kernels_for(dev);
	struct ivm_control seen;
	struct err e = { 0 };
	size_t t = (size_t)m->fleet.ivms;
	int active = 0, thief[4096], victim[4096];

	assert_int_equal(k->victims(m->stream, &m->fleet, v, &e), 0);
	assert_int_equal(dev_copy_from(m->stream, &seen, m->fleet.control, sizeof(seen), &e), 0);
	assert_int_equal(dev_copy_from(m->stream, thief, m->fleet.thief, t * sizeof(*thief), &e),
			 0);
	assert_int_equal(dev_copy_from(m->stream, victim, m->fleet.victim, t * sizeof(*victim), &e),
			 0);
	if (dev_stream_sync(m->stream, &e))
		fail_msg("%s", e.text);
	for (int i = 0; i < m->fleet.ivms; i++)
		m->victim[i] = -1;
	for (int i = 0; i < seen.thieves; i++) {
		assert_int_equal(m->state[thief[i]], IVM_EMPTY);
		m->victim[thief[i]] = victim[i];
	}
	for (int i = 0; i < m->fleet.ivms; i++)
		active += m->state[i] == IVM_EXPLORING;
	assert_int_equal(seen.active, active);
	assert_int_equal(seen.thieves, m->fleet.ivms - active);
	check_mapping(m, v, &seen.window);
	m->window = seen.window;
}

/* ---- the serial reference of Algorithms 5 and 6 ---- */

static double mean_length(const struct mapping *m)
{
	double sum = 0;

	for (int t = 0; t < m->fleet.ivms; t++)
		sum += m->state[t] == IVM_EXPLORING ? m->length[t] : 0;
	return sum / m->fleet.ivms;
}

static void refer(struct mapping *m, bool *flag, int ivm, int from, bool by_length)
{
	if (m->state[ivm] != IVM_EMPTY || m->reference[ivm] >= 0)
		return;
	if (m->state[from] == IVM_EXPLORING && !flag[from] &&
	    (!by_length || m->length[from] > m->mean)) {
		m->reference[ivm] = from;
		flag[from] = true;
	}
}

/* Algorithm 5 with the coordinates of the paper: T = L_m ... L_1. */
static int refer_hypercube(struct mapping *m, bool *flag)
{
	int length[16], dimensions = 0, rounds = 0, ivms = m->fleet.ivms;

	for (int rest = ivms; rest > 1; rest /= length[dimensions++])
		length[dimensions] = rest == 8 || rest == 2 ? rest : 4;
	for (int i = 0; i < dimensions; i++) {
		for (int j = 1; j <= length[i] - 1; j++, rounds++) {
			for (int ivm = 0; ivm < ivms; ivm++) {
				int alpha[16], from = 0;

				for (int d = 0, rest = ivm; d < dimensions; rest /= length[d++])
					alpha[d] = rest % length[d];
				alpha[i] = (alpha[i] - j + length[i]) % length[i];
				for (int d = dimensions - 1; d >= 0; d--)
					from = from * length[d] + alpha[d];
				refer(m, flag, ivm, from, true);
			}
		}
	}
	return rounds;
}

/* Lines 8 to 10 of Algorithm 6, and the other rules as rings. */
static int refer_ring(struct mapping *m, bool *flag, enum ivm_victims rule)
{
	int ivms = m->fleet.ivms, first, rounds;

	if (rule == IVM_ADAPT || rule == IVM_RING) {
		first = m->window.begin;
		rounds = rule == IVM_RING ? 1 : m->window.size;
	} else {
		first = 1;
		rounds = ivms / 32 > 32 ? ivms / 32 : 32;
		rounds = rounds < ivms ? rounds : ivms - 1;
	}
	for (int k = first; k < first + rounds; k++) {
		for (int ivm = 0; ivm < ivms; ivm++)
			refer(m, flag, ivm, ((ivm - k) % ivms + ivms) % ivms,
			      rule == IVM_ADAPT || rule == IVM_LARGE);
	}
	return rounds;
}

/* Sets m->reference. Returns the number of rounds. */
static int reference_map(struct mapping *m, enum ivm_victims rule)
{
	bool *flag = calloc((size_t)m->fleet.ivms, sizeof(*flag));
	int rounds;

	m->mean = mean_length(m);
	for (int t = 0; t < m->fleet.ivms; t++)
		m->reference[t] = -1;
	rounds = rule == IVM_HYPERCUBE ? refer_hypercube(m, flag) : refer_ring(m, flag, rule);
	free(flag);
	return rounds;
}

/* The paper's launches, without those that compute the lengths. */
static void launch_rounds(struct mapping *m, struct dev *dev, const struct ivm_victim_rule *v)
{
	const struct ivm_published_kernels *k = ivm_published_kernels_for(dev);
	size_t bytes = (size_t)m->fleet.ivms * sizeof(int32_t);
	struct err e = { 0 };
	int rounds = ivm_victims_rounds(v, &m->window), status = 0;

	status |= dev_fill(m->stream, m->fleet.flag, 0, bytes, &e);
	status |= dev_fill(m->stream, m->fleet.victim, 0xff, bytes, &e);
	status |= k->reduce_states(m->stream, &m->fleet, &e);
	status |= k->reduce_lengths(m->stream, &m->fleet, &e);
	for (int i = 0; v->rule == IVM_HYPERCUBE && i < v->dimensions; i++) {
		for (int j = 1; j < v->length[i]; j++)
			status |= k->select_hyper(m->stream, &m->fleet, v, i, j, &e);
	}
	for (int round = 0; v->rule != IVM_HYPERCUBE && round < rounds; round++)
		status |= k->try_select(m->stream, &m->fleet, v,
					ivm_victims_back(v, &m->window, round), &e);
	status |= dev_copy_from(m->stream, m->victim, m->fleet.victim, bytes, &e);
	if (status || dev_stream_sync(m->stream, &e))
		fail_msg("%s", e.text);
}

static struct ivm_control control_of(const struct mapping *m)
{
	struct ivm_control seen;
	struct err e = { 0 };

	assert_int_equal(dev_copy_from(m->stream, &seen, m->fleet.control, sizeof(seen), &e), 0);
	assert_int_equal(dev_stream_sync(m->stream, &e), 0);
	return seen;
}

/* One launch, a launch for each round, and the serial reference give the same map. All rounds are
 * launched. */
static void same_maps(struct mapping *m, struct dev *dev, const struct ivm_victim_rule *v)
{
	size_t bytes = (size_t)m->fleet.ivms * sizeof(int32_t);
	uint64_t before;
	int rounds;

	map_and_check(m, dev, v);
	rounds = reference_map(m, v->rule);
	assert_memory_equal(m->victim, m->reference, bytes);
	before = control_of(m).rounds;
	launch_rounds(m, dev, v);
	assert_memory_equal(m->victim, m->reference, bytes);
	assert_int_equal(control_of(m).rounds - before, rounds);
	assert_true(control_of(m).mean == m->mean);
	check_mapping(m, v, &m->window);
}

static void kernels_assign_the_victims_of_the_reference(void **state)
{
	struct rng r = rng_seeded(1);
	struct dev_set set;

	(void)state;
	for (int rule = 0; rule < RULES; rule++) {
		for (int ivms = 1; ivms <= (SANITIZED ? 512 : 4096); ivms *= 2) {
			struct ivm_victim_rule v = ivm_victims_make((enum ivm_victims)rule, ivms);
			struct mapping m;

			open_devices(&set, 1, schedules[ivms % 3], rule + 1);
			mapping_open(&m, set.dev[0], ivms, &r);
			for (int phase = 0; phase < (SANITIZED ? 2 : 5); phase++)
				same_maps(&m, set.dev[0], &v);
			mapping_close(&m, set.dev[0]);
			dev_set_close(&set);
		}
	}
}

/* ---- searches ---- */

struct instance {
	struct flowshop flowshop;
	struct atsp atsp;
	struct ivm_request r;
	struct ivm_problem p;
};

static void instance_flowshop(struct instance *x, int jobs, int machines, int most, int seed,
			      enum fsp_bound bound, enum fsp_branching branching)
{
	*x = (struct instance){ .flowshop = random_flowshop(jobs, machines, most, seed) };
	x->r.common = (struct search_request){ .flowshop = &x->flowshop,
					       .bound = bound,
					       .branching = branching };
}

static void instance_queens(struct instance *x, int n)
{
	*x = (struct instance){ .r.common = { .queens = n, .half_board = true } };
}

static void instance_atsp(struct instance *x, int cities, int seed)
{
	*x = (struct instance){ .atsp = random_atsp(cities, 50, seed) };
	x->r.common = (struct search_request){ .atsp = &x->atsp };
}

static void instance_close(struct instance *x)
{
	ivm_problem_free(&x->p);
	if (x->r.common.flowshop)
		flowshop_free(&x->flowshop);
	if (x->r.common.atsp)
		atsp_free(&x->atsp);
}

/* An interval on one explorer, from `best` on. */
static struct ivm_counts serial_counts(const struct ivm_problem *p, const uint16_t *interval,
				       int64_t *best)
{
	struct ivm_explorer x;
	struct ivm_counts counts;
	struct err e = { 0 };

	assert_int_equal(ivm_explorer_open(&x, p, &e), 0);
	x.best = (int32_t)*best;
	ivm_explorer_start(&x, interval, interval + p->n);
	while (x.exploring)
		ivm_explorer_step(&x);
	*best = x.best;
	counts = x.counts;
	ivm_explorer_close(&x);
	return counts;
}

/* Finds the optimum, then the counts of a search from ub = optimum, which do not depend on the
 * order of the search. */
static struct ivm_counts instance_make(struct instance *x)
{
	uint16_t whole[2 * ITEMS_MAX];
	struct err e = { 0 };
	int64_t best = IVM_NONE, unused;

	x->r.common.ub = SEARCH_NO_UB;
	assert_int_equal(ivm_problem_make(&x->p, &x->r.common, &e), 0);
	ivm_problem_interval(&x->p, whole, whole + x->p.n);
	serial_counts(&x->p, whole, &best);
	x->r.common.ub = best;
	ivm_problem_free(&x->p);
	assert_int_equal(ivm_problem_make(&x->p, &x->r.common, &e), 0);
	unused = x->r.common.ub;
	return serial_counts(&x->p, whole, &unused);
}

static struct ivm_device *device_open(const struct instance *x, struct dev *dev)
{
	struct ivm_device *d;
	struct err e = { 0 };

	if (ivm_device_open(&d, dev, &x->p, &x->r, &e))
		fail_msg("%s", e.text);
	return d;
}

static void device_next(struct ivm_device *d, int64_t best, struct ivm_device_status *s)
{
	struct err e = { 0 };

	if (ivm_device_next(d, best, s, &e))
		fail_msg("%s", e.text);
	assert_int_equal(s->active + s->empty, ivm_device_ivms(d));
}

static void device_put(struct ivm_device *d, const uint16_t *intervals, int count)
{
	struct err e = { 0 };

	if (ivm_device_put(d, intervals, count, &e))
		fail_msg("%s", e.text);
}

static void device_finish(struct ivm_device *d, int64_t best, struct ivm_device_status *s)
{
	do
		device_next(d, best, s);
	while (s->active);
}

static void check_counts(struct ivm_counts is, struct ivm_counts should, bool leaves)
{
	assert_int_equal(is.decomposed, should.decomposed);
	assert_int_equal(is.solutions, should.solutions);
	if (leaves)
		assert_int_equal(is.leaves, should.leaves);
}

/* Without SEARCH_ONE_LAUNCH every expansion is followed by all rounds. */
static void check_rounds(const struct instance *x, const struct ivm_outcome *o)
{
	struct ivm_victim_rule v = ivm_victims_make(x->r.victims, o->ivms);
	struct ivm_victim_window w = { 0, 1 };
	uint64_t all = o->ivms > 1 ? (uint64_t)ivm_victims_rounds(&v, &w) * o->expansions : 0;

	assert_true(o->expansions > 0);
	if (x->r.victims == IVM_ADAPT) /* its window grows */
		assert_true(o->ivms == 1 || x->r.common.forms & SEARCH_ONE_LAUNCH ||
			    o->inside_rounds >= all);
	else if (x->r.common.forms & SEARCH_ONE_LAUNCH)
		assert_true(o->inside_rounds <= all);
	else
		assert_int_equal(o->inside_rounds, all);
}

static void run_whole(const struct instance *x, struct dev *dev, struct ivm_counts should)
{
	struct ivm_device *d = device_open(x, dev);
	struct ivm_device_status s;
	struct ivm_outcome o = { .common = { .complete = true } };
	uint16_t whole[2 * ITEMS_MAX];

	ivm_problem_interval(&x->p, whole, whole + x->p.n);
	device_put(d, whole, 1);
	device_finish(d, x->r.common.ub, &s);
	check_counts(s.counts, should, true);
	ivm_device_report(d, &o);
	assert_int_equal(o.device_decomposed, should.decomposed);
	assert_true(o.busy >= 0 && o.busy <= 1);
	check_rounds(x, &o);
	/* with a trigger that is never reached, one expansion does it all */
	if (o.ivms > 1 && should.decomposed >= 50 && o.expansions > 1)
		assert_true(o.inside_steals > 0);
	ivm_device_close(d);
}

/* All settings of T, mode, rule and trigger on one instance. */
static void run_settings(struct instance *x, int first, int step)
{
	static const int ivms[] = { 1, 2, 8, 32, 64, 128 }, triggers[] = { -1, 0, 1, 4, 1000 };
	struct ivm_counts should = instance_make(x);
	struct dev_set set;

	for (int i = first, k = 0; i < 6 * 5 * RULES * 2; i += step, k++) {
		x->r.common.forms = (k + k / 6) % 2 ? IVM_FAST_FORMS : 0;
		x->r.ivms = ivms[i % 6];
		x->r.trigger = triggers[i / 6 % 5];
		x->r.victims = (enum ivm_victims)(i / 30 % RULES);
		x->r.mode = i / (30 * RULES) ? IVM_PTE : IVM_PTE_PEB;
		open_devices(&set, 1, schedules[i % 3], i + 1);
		run_whole(x, set.dev[0], should);
		dev_set_close(&set);
	}
}

enum {
	STEP = SANITIZED ? 61 : 13,
	MOST_QUEENS = UNDER_TSAN ? 7 : 8,
	MOST_CITIES = UNDER_TSAN ? 8 : 9
};

/* Under ThreadSanitizer, an instance gets half of the settings, and others get the other half. */
static void run_few_settings(struct instance *x, int number, int step)
{
	if (UNDER_TSAN)
		run_settings(x, number + number / 2 % 2 * STEP, 2 * STEP);
	else
		run_settings(x, number, step);
}

static void queens_counts_match_the_serial_explorer(void **state)
{
	(void)state;
	for (int n = 1; n <= MOST_QUEENS; n++) {
		struct instance x;

		instance_queens(&x, n);
		run_few_settings(&x, n, n < 6 ? 61 : STEP);
		instance_close(&x);
	}
}

static void atsp_counts_match_the_serial_explorer(void **state)
{
	(void)state;
	for (int cities = 2; cities <= MOST_CITIES; cities++) {
		struct instance x;

		instance_atsp(&x, cities, cities);
		run_few_settings(&x, cities, cities < 7 ? 61 : 2 * STEP);
		instance_close(&x);
	}
}

static void flowshop_counts_match_the_serial_explorer(void **state)
{
	(void)state;
	for (int i = 0; i < 12; i++) {
		struct instance x;

		instance_flowshop(&x, i < 2 ? i + 1 : 8, i % 4 ? 2 + i % 5 : 1, i % 3 ? 99 : 5,
				  i + 1, i % 2 ? FSP_LB2 : FSP_LB1, (enum fsp_branching)(i % 3));
		run_settings(&x, i, 3 * STEP);
		instance_close(&x);
	}
}

/* Each faster form alone and all together, with all rules, in both modes. Under
 * ThreadSanitizer, three instances share these settings. part: 0 to 2. */
static void every_form_counts_the_same(struct instance *x, int part)
{
	static const unsigned forms[] = { 0,
					  SEARCH_ONE_LAUNCH,
					  SEARCH_SHORT_STEPS,
					  SEARCH_PACKED_LB2,
					  SEARCH_STAGED,
					  SEARCH_ONE_PASS,
					  IVM_FAST_FORMS };
	enum { FORMS = sizeof(forms) / sizeof(forms[0]) };
	struct ivm_counts should = instance_make(x);
	struct dev_set set;

	x->r.ivms = 32;
	x->r.trigger = 0;
	for (int i = UNDER_TSAN ? part : 0; i < FORMS * RULES * 2; i += UNDER_TSAN ? 3 : 1) {
		x->r.common.forms = forms[i % FORMS];
		x->r.victims = (enum ivm_victims)(i / FORMS % RULES);
		x->r.mode = i / (FORMS * RULES) ? IVM_PTE : IVM_PTE_PEB;
		open_devices(&set, 1, schedules[i % 3], i + 1);
		run_whole(x, set.dev[0], should);
		dev_set_close(&set);
	}
	instance_close(x);
}

static void every_form_counts_the_same_trees(void **state)
{
	struct instance x;

	(void)state;
	instance_flowshop(&x, SANITIZED ? 6 : 7, 5, 99, 4, FSP_LB2, FSP_MAXSUM);
	every_form_counts_the_same(&x, 0);
	instance_queens(&x, SANITIZED ? 6 : 7);
	every_form_counts_the_same(&x, 1);
	instance_atsp(&x, 7, 4);
	every_form_counts_the_same(&x, 2);
}

/* All IVMs but one are empty from the beginning, and the trigger is T: the expansion lasts until
 * the one IVM has searched the whole tree. SEARCH_SHORT_STEPS cuts it. */
static void only_the_trigger_ends_an_expansion(void **state)
{
	(void)state;
	for (int cut = 0; cut < 2; cut++) {
		uint16_t whole[2 * ITEMS_MAX];
		struct ivm_counts should;
		struct ivm_device_status s;
		struct ivm_device *d;
		struct dev_set set;
		struct instance x;

		instance_queens(&x, 8);
		should = instance_make(&x);
		x.r.ivms = 32;
		x.r.trigger = 32;
		x.r.mode = IVM_PTE;
		x.r.common.forms = cut ? SEARCH_SHORT_STEPS : 0;
		open_devices(&set, 1, "random", 1);
		d = device_open(&x, set.dev[0]);
		ivm_problem_interval(&x.p, whole, whole + x.p.n);
		device_put(d, whole, 1);
		device_next(d, x.r.common.ub, &s);
		if (cut) {
			assert_true(s.active > 0);
			device_finish(d, x.r.common.ub, &s);
		}
		assert_int_equal(s.active, 0);
		check_counts(s.counts, should, true);
		ivm_device_close(d);
		dev_set_close(&set);
		instance_close(&x);
	}
}

/* Instances whose times or numbers of jobs are too large for the packed bounds. */
static void wide_flowshop_counts_match_the_serial_explorer(void **state)
{
	static const struct {
		int jobs, most;
	} cases[] = { { 7, 9000 }, { 34, 2 } };

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct instance x;

		instance_flowshop(&x, cases[i].jobs, 3, cases[i].most, 1, FSP_LB2, FSP_MAXSUM);
		if (i == 0) {
			run_settings(&x, 3, 10 * STEP);
		} else { /* solved at the root or soon after it: checks only that it runs */
			struct err e = { 0 };
			struct ivm_device_status s;
			struct ivm_device *d;
			struct dev_set set;
			uint16_t whole[2 * ITEMS_MAX];

			x.r.common.ub = SEARCH_NO_UB;
			x.r.ivms = 32;
			assert_int_equal(ivm_problem_make(&x.p, &x.r.common, &e), 0);
			open_devices(&set, 1, "random", 1);
			d = device_open(&x, set.dev[0]);
			ivm_problem_interval(&x.p, whole, whole + x.p.n);
			device_put(d, whole, 1);
			for (int step = 0; step < 40; step++)
				device_next(d, IVM_NONE, &s);
			assert_true(s.counts.decomposed >= 34);
			ivm_device_close(d);
			dev_set_close(&set);
		}
		instance_close(&x);
	}
}

/* Without an incumbent, the search finds the optimum and an order with this value. */
static void best_order_has_the_best_value(void **state)
{
	(void)state;
	for (int i = 0; i < 6; i++) {
		struct instance x;
		struct ivm_device_status s;
		struct ivm_device *d;
		struct dev_set set;
		struct err e = { 0 };
		uint16_t whole[2 * ITEMS_MAX], items[ITEMS_MAX];
		int64_t order[ITEMS_MAX + 1], value, optimum;
		bool found;

		if (i % 2)
			instance_flowshop(&x, 7, 4, 99, i, FSP_LB1, FSP_MINBRANCH);
		else
			instance_atsp(&x, 8, i);
		instance_make(&x);
		optimum = x.r.common.ub;
		ivm_problem_free(&x.p);
		x.r.common.ub = SEARCH_NO_UB;
		x.r.ivms = 32;
		x.r.mode = i < 3 ? IVM_PTE : IVM_PTE_PEB;
		assert_int_equal(ivm_problem_make(&x.p, &x.r.common, &e), 0);
		open_devices(&set, 1, "random", i + 1);
		d = device_open(&x, set.dev[0]);
		assert_int_equal(ivm_device_best(d, items, &value, &found, &e), 0);
		assert_false(found);
		ivm_problem_interval(&x.p, whole, whole + x.p.n);
		device_put(d, whole, 1);
		device_finish(d, IVM_NONE, &s);
		assert_int_equal(s.best, optimum);
		assert_int_equal(ivm_device_best(d, items, &value, &found, &e), 0);
		assert_true(found);
		assert_int_equal(value, optimum);
		ivm_problem_solution(&x.p, items, order);
		if (i % 2)
			assert_int_equal(flowshop_makespan(&x.flowshop, order), optimum);
		else
			assert_int_equal(atsp_tour_cost(&x.atsp, order), optimum);
		ivm_device_close(d);
		dev_set_close(&set);
		instance_close(&x);
	}
}

/* ---- intervals ---- */

static void random_instance(struct instance *x, int i)
{
	if (i % 3 == 0)
		instance_queens(x, 8);
	else if (i % 3 == 1)
		instance_atsp(x, 8, i);
	else
		instance_flowshop(x, 8, 5, 99, i, FSP_LB2, FSP_MAXSUM);
}

enum { PIECES = 24 };

/* The whole tree, cut at random numbers into [PIECES][2][n] intervals. */
static void cut_at_random(const struct ivm_problem *p, struct rng *r, uint16_t *pieces)
{
	int n = p->n;

	ivm_problem_interval(p, pieces, pieces + n);
	for (int count = 1; count < PIECES;) {
		uint16_t *owner = pieces + 2 * n * (int)rng_below(r, (uint64_t)count);
		uint16_t *thief = pieces + 2 * n * count;

		memcpy(thief + n, owner + n, (size_t)n * sizeof(*thief));
		count += ivm_factoradic_split(owner, owner + n, n, 1, (int)rng_between(r, 2, 9),
					      owner + n, thief);
	}
}

static void any_partition_counts_every_node_once(void **state)
{
	struct rng r = rng_seeded(7);

	(void)state;
	for (int i = 0; i < (SANITIZED ? 3 : 12); i++) {
		uint16_t pieces[PIECES * 2 * ITEMS_MAX];
		struct ivm_counts should;
		struct ivm_device_status s;
		struct ivm_device *d;
		struct dev_set set;
		struct instance x;

		random_instance(&x, i);
		should = instance_make(&x);
		x.r.ivms = 32;
		x.r.mode = i % 2 ? IVM_PTE : IVM_PTE_PEB;
		x.r.common.forms = i / 2 % 2 ? IVM_FAST_FORMS : 0;
		cut_at_random(&x.p, &r, pieces);
		open_devices(&set, 1, "random", i + 1);
		d = device_open(&x, set.dev[0]);
		device_put(d, pieces, PIECES / 2);
		device_put(d, pieces + PIECES * x.p.n, PIECES / 2);
		device_finish(d, x.r.common.ub, &s);
		check_counts(s.counts, should, true);
		ivm_device_close(d);
		dev_set_close(&set);
		instance_close(&x);
	}
}

static void more_intervals_or_ivms_than_fit_are_refused(void **state)
{
	uint16_t whole[3 * 2 * 8];
	struct instance x;
	struct ivm_device *d;
	struct dev_set set;
	struct err e = { 0 };

	(void)state;
	instance_queens(&x, 8);
	instance_make(&x);
	x.r.ivms = 2;
	open_devices(&set, 1, "order", 1);
	d = device_open(&x, set.dev[0]);
	for (int i = 0; i < 3; i++)
		ivm_problem_interval(&x.p, whole + 16 * i, whole + 16 * i + 8);
	assert_int_equal(ivm_device_put(d, whole, 3, &e), ERR_USAGE);
	ivm_device_close(d);
	x.r.ivms = 3;
	assert_int_equal(ivm_device_open(&d, set.dev[0], &x.p, &x.r, &e), ERR_USAGE);
	assert_null(d);
	x.r.ivms = 32;
	x.r.common.memory = 1000;
	assert_int_equal(ivm_device_open(&d, set.dev[0], &x.p, &x.r, &e), ERR_MEMORY);
	dev_set_close(&set);
	instance_close(&x);
}

/* Two devices and a host, the intervals that move between them, and the sum of their counts. */
struct moving {
	struct instance x;
	struct dev_set set;
	struct ivm_device *d[2];
	struct ivm_device_status s[2];
	struct ivm_counts host;
	uint64_t again, taken, shared, restarts;
};

static void move_to_host(struct moving *m, int from, int index)
{
	uint16_t interval[2 * ITEMS_MAX];
	struct ivm_counts counts;
	int64_t best = m->x.r.common.ub;
	struct err e = { 0 };
	int again = 0;
	bool got;

	assert_int_equal(ivm_device_take(m->d[from], index, interval, &again, &got, &e), 0);
	if (!got)
		return;
	m->taken++;
	m->again += (uint64_t)again;
	counts = serial_counts(&m->x.p, interval, &best);
	ivm_counts_add(&m->host, &counts);
	assert_int_equal(ivm_device_take(m->d[from], index, interval, &again, &got, &e), 0);
	assert_false(got);
}

/* Saves the intervals and counts of the device as a checkpoint does, and continues on a new device.
 */
static void restart(struct moving *m, int which)
{
	uint16_t *intervals;
	uint64_t count, again;
	static const struct balance_name name = { "test", "device", 0, NULL };
	struct balance b = { .modulus = IVM_FACTORADIC_MODULUS };
	struct err e = { 0 };

	assert_int_equal(ivm_device_intervals(m->d[which], &intervals, &count, &again, &e), 0);
	ivm_device_balance(m->d[which], &b);
	if (balance_check(&b, &name, false, &e))
		fail_msg("%s", e.text);
	assert_true(count <= (uint64_t)ivm_device_ivms(m->d[which]));
	ivm_counts_add(&m->host, &m->s[which].counts);
	m->again += again;
	m->restarts++;
	ivm_device_close(m->d[which]);
	m->d[which] = device_open(&m->x, m->set.dev[which]);
	device_put(m->d[which], intervals, (int)count);
	m->s[which].counts = (struct ivm_counts){ 0, 0, 0 };
	m->s[which].active = (int)count;
	free(intervals);
}

static void move_between(struct moving *m, int thief)
{
	struct err e = { 0 };
	int moved;

	if (ivm_device_share(m->d[!thief], m->d[thief], &moved, &e))
		fail_msg("%s", e.text);
	m->shared += (uint64_t)moved;
	m->s[thief].active = moved;
}

static void move_until_done(struct moving *m, struct rng *r)
{
	uint16_t whole[2 * ITEMS_MAX];
	int64_t ub = m->x.r.common.ub;

	ivm_problem_interval(&m->x.p, whole, whole + m->x.p.n);
	device_put(m->d[0], whole, 1);
	device_next(m->d[0], ub, &m->s[0]);
	while (m->s[0].active || m->s[1].active) {
		int which = m->s[0].active ? m->s[1].active ? (int)rng_below(r, 2) : 0 : 1;

		if (!m->s[!which].active)
			move_between(m, !which);
		if (rng_below(r, 3) == 0)
			move_to_host(m, which, (int)rng_below(r, (uint64_t)m->x.r.ivms));
		if (rng_below(r, 8) == 0)
			restart(m, which);
		device_next(m->d[which], ub, &m->s[which]);
	}
	for (int i = 0; i < 2; i++)
		ivm_counts_add(&m->host, &m->s[i].counts);
}

static void moved_intervals_count_once_and_lose_no_length(void **state)
{
	struct rng r = rng_seeded(11);
	uint64_t taken = 0, shared = 0, restarts = 0;

	(void)state;
	for (int i = 0; i < (SANITIZED ? 3 : 12); i++) {
		struct moving m = { .again = 0 };
		struct ivm_counts should;

		random_instance(&m.x, i);
		should = instance_make(&m.x);
		m.x.r.ivms = 32;
		m.x.r.mode = i % 2 ? IVM_PTE : IVM_PTE_PEB;
		m.x.r.victims = (enum ivm_victims)(i % RULES);
		m.x.r.common.forms = i / 2 % 2 ? IVM_FAST_FORMS : 0;
		open_devices(&m.set, 2, schedules[i % 3], i + 1);
		for (int k = 0; k < 2; k++)
			m.d[k] = device_open(&m.x, m.set.dev[k]);
		move_until_done(&m, &r);
		m.host.decomposed -= m.again;
		check_counts(m.host, should, true);
		for (int k = 0; k < 2; k++)
			ivm_device_close(m.d[k]);
		dev_set_close(&m.set);
		instance_close(&m.x);
		taken += m.taken;
		shared += m.shared;
		restarts += m.restarts;
	}
	assert_true(taken && shared && restarts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hypercube_has_the_victims_of_the_paper),
		cmocka_unit_test(victims_of_a_round_are_one_to_one),
		cmocka_unit_test(adapt_moves_its_window_as_in_algorithm_6),
		cmocka_unit_test(kernels_assign_the_victims_of_the_reference),
		cmocka_unit_test(queens_counts_match_the_serial_explorer),
		cmocka_unit_test(atsp_counts_match_the_serial_explorer),
		cmocka_unit_test(flowshop_counts_match_the_serial_explorer),
		cmocka_unit_test(every_form_counts_the_same_trees),
		cmocka_unit_test(only_the_trigger_ends_an_expansion),
		cmocka_unit_test(wide_flowshop_counts_match_the_serial_explorer),
		cmocka_unit_test(best_order_has_the_best_value),
		cmocka_unit_test(any_partition_counts_every_node_once),
		cmocka_unit_test(more_intervals_or_ivms_than_fit_are_refused),
		cmocka_unit_test(moved_intervals_count_once_and_lose_no_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
