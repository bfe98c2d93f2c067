/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Searches on several ranks (cluster.h) with simulated delays and speeds: every node is searched
 * once, cuts and stops lose nothing and can be continued on any number of ranks, and lost,
 * duplicated and damaged messages are found.
 *
 * COPRA_TEST_SEEDS is the number of random searches (COPRA_TEST_EXTENDED=1, make test-extended:
 * 10,000), and COPRA_TEST_SEED the first seed. */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "harness/base/rng.h"
#include "tests/unit/base/sanitized.h"
#include "tests/unit/tree-search/cluster_sim.h"

enum { RANKS_MOST = 64 };

static uint64_t number_of(const char *variable, uint64_t otherwise)
{
	const char *text = getenv(variable);

	return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

static uint64_t seeds(uint64_t share)
{
	uint64_t usual = number_of("COPRA_TEST_EXTENDED", 0) ? 10000 : SANITIZED ? 200 : 600;
	uint64_t all = number_of("COPRA_TEST_SEEDS", usual);

	return all / share ? all / share : 1;
}

static uint64_t seed_at(uint64_t i)
{
	return number_of("COPRA_TEST_SEED", 1) + i;
}

/* ---- what a search must find ---- */

/* COUNT: the whole tree. PROVE: from the optimum, so that the counts do not depend on the order.
 * OPTIMISE: without a bound; only the optimum is known. */
enum aim { COUNT, PROVE, OPTIMISE, AIMS };

struct truth {
	enum aim aim;
	int64_t optimum, bound;
	struct tree_counts counts;
};

static struct truth truth_of(const struct tree *t, enum aim aim)
{
	struct truth r = { .aim = aim, .bound = TREE_NO_BOUND };
	struct tree_node root = tree_root(t);

	r.optimum = tree_enumerate(t, &root, TREE_NO_BOUND, &r.counts);
	if (aim == PROVE) {
		r.bound = r.optimum;
		r.counts = (struct tree_counts){ { 0 } };
		tree_enumerate(t, &root, r.bound, &r.counts);
	}
	return r;
}

/* What went wrong in an outcome; NULL: nothing. */
static const char *fault_of(const struct sim_plan *p, const struct truth *r,
			    const struct sim_outcome *o)
{
	bool found = r->aim != COUNT && r->optimum != TREE_NO_BOUND;

	if (!o->ended)
		return o->error.code ? o->error.text : "it did not end";
	if (!o->complete)
		return "it is not complete";
	if (r->aim != OPTIMISE && memcmp(&o->counts, &r->counts, sizeof(r->counts)) != 0)
		return "wrong counts";
	if (o->has_value != found || (found && o->value != r->optimum))
		return "wrong optimum";
	if (r->aim == OPTIMISE && found && tree_cost_of(p->tree, o->path, o->path_size) != o->value)
		return "the solution has not this value";
	return o->given == o->received ? NULL : "work was lost in transit";
}

/* The counts of a state and of what is open in it are those of the tree. */
static const char *fault_of_cut(const struct sim_plan *p, const struct truth *r,
				const struct cluster_state *cut)
{
	const struct pile *open = cut->work;
	struct tree_counts sum;
	int64_t best = cut->has_value ? cut->value : TREE_NO_BOUND;

	memcpy(&sum, cut->counts, sizeof(sum));
	for (size_t i = 0; open && i < open->count; i++) {
		int64_t value = tree_enumerate(p->tree, &open->node[i], r->bound, &sum);

		best = value < best ? value : best;
	}
	if (r->aim != OPTIMISE && memcmp(&sum, &r->counts, sizeof(sum)) != 0)
		return "a cut has wrong counts";
	if (r->aim == OPTIMISE && best != r->optimum)
		return "a cut has lost the optimum";
	if (cut->solution_size &&
	    tree_cost_of(p->tree, cut->solution, cut->solution_size) != cut->value)
		return "the solution of a cut has not its value";
	return NULL;
}

static void must_be_right(const struct sim_plan *p, const char *fault)
{
	if (fault)
		fail_msg("seed %" PRIu64 ", %d ranks: %s", p->seed, p->ranks, fault);
}

static struct sim_plan random_plan(struct tree *t, struct rng *r, uint64_t seed, int ranks_most)
{
	static const int few[] = { 1, 2, 3, 4, 5, 7, 8, 16, 33, 64 };
	int ranks = few[rng_below(r, 10)];
	bool is_static;

	*t = (struct tree){ .seed = rng_next(r), .depth = 5 + (int)rng_below(r, 5) };
	ranks = ranks <= ranks_most ? ranks : 2 + (int)rng_below(r, (uint64_t)ranks_most - 1);
	is_static = rng_below(r, 8) == 0;
	return (struct sim_plan){ .tree = t,
				  .seed = seed,
				  .ranks = ranks,
				  .victims = is_static       ? CLUSTER_STATIC :
					     rng_below(r, 3) ? CLUSTER_LIFELINES :
							       CLUSTER_PERMUTED,
				  .least = rng_below(r, 2) ? 0 : rng_below(r, 10),
				  .deal = rng_below(r, 2),
				  .bound = TREE_NO_BOUND };
}

static struct truth aim_at(struct sim_plan *p, enum aim aim)
{
	struct truth r = truth_of(p->tree, aim);

	p->incumbents = aim != COUNT;
	p->bound = r.bound;
	return r;
}

/* ---- random searches ---- */

static void searches_on_any_ranks_count_every_node_once(void **state)
{
	uint64_t shared = 0;

	(void)state;
	for (uint64_t i = 0; i < seeds(1); i++) {
		struct rng r = rng_seeded(seed_at(i));
		struct sim_outcome o;
		struct tree t;
		struct sim_plan p = random_plan(&t, &r, seed_at(i), RANKS_MOST);
		struct truth truth = aim_at(&p, (enum aim)(i % AIMS));

		sim_run(&p, &o);
		must_be_right(&p, fault_of(&p, &truth, &o));
		shared += o.given;
		sim_free(&o);
	}
	assert_true(shared > seeds(1)); /* else nothing was tested */
}

/* Work in transit is neither missed nor counted twice: with exact estimates the only error is that
 * of the part of a gift, which lasts until giver and receiver have ended a slice. */
static void the_nodes_left_on_all_ranks_are_added_up(void **state)
{
	double missing = 0;

	(void)state;
	for (uint64_t i = 0; i < seeds(4); i++) {
		struct rng r = rng_seeded(seed_at(i) ^ 0xe);
		struct sim_outcome o;
		struct tree t;
		struct sim_plan p = random_plan(&t, &r, seed_at(i), RANKS_MOST);
		struct truth truth = aim_at(&p, COUNT);

		p.estimate = truth.counts.of[0];
		sim_run(&p, &o);
		must_be_right(&p, fault_of(&p, &truth, &o));
		assert_true(o.known && fabs(o.last_missing) < 1e-9);
		missing += o.missing;
		sim_free(&o);
	}
	assert_true(missing < 0.1 * (double)seeds(4));
}

/* Continues a state on other ranks. */
static void resume(const struct sim_plan *first, const struct truth *truth,
		   const struct cluster_state *from, struct rng *r)
{
	struct sim_plan p = *first;
	struct sim_outcome o;

	p.resume = from;
	p.ranks = 1 + (int)rng_below(r, RANKS_MOST / 2);
	p.seed++;
	p.deal = rng_below(r, 2);
	p.spread = !p.deal;
	p.stop = 0;
	memset(p.cut, 0, sizeof(p.cut));
	sim_run(&p, &o);
	must_be_right(&p, fault_of(&p, truth, &o));
	sim_free(&o);
}

static void cuts_are_consistent_and_resume_on_other_ranks(void **state)
{
	uint64_t taken = 0, open = 0;

	(void)state;
	for (uint64_t i = 0; i < seeds(2); i++) {
		struct rng r = rng_seeded(seed_at(i) ^ 0xc);
		struct sim_outcome o;
		struct tree t;
		struct sim_plan p = random_plan(&t, &r, seed_at(i), RANKS_MOST);
		struct truth truth = aim_at(&p, (enum aim)(i % AIMS));
		double time = 5 * rng_unit(&r);

		for (int j = 0; j < SIM_CUTS; j++, time *= 1 + 2 * rng_unit(&r))
			p.cut[j] = time;
		sim_run(&p, &o);
		must_be_right(&p, fault_of(&p, &truth, &o));
		for (int j = 0; j < o.cuts; j++) {
			must_be_right(&p, fault_of_cut(&p, &truth, &o.cut[j]));
			assert_false(o.cut[j].last);
			open += o.cut[j].work != NULL;
		}
		if (o.cuts)
			resume(&p, &truth, &o.cut[rng_below(&r, (uint64_t)o.cuts)], &r);
		taken += (uint64_t)o.cuts;
		sim_free(&o);
	}
	assert_true(taken > seeds(2) && open > seeds(2) / 2);
}

static void stops_keep_exact_counts_and_all_open_work(void **state)
{
	uint64_t stopped = 0;

	(void)state;
	for (uint64_t i = 0; i < seeds(2); i++) {
		struct rng r = rng_seeded(seed_at(i) ^ 0x5);
		struct sim_outcome o;
		struct tree t;
		struct sim_plan p = random_plan(&t, &r, seed_at(i), RANKS_MOST);
		struct truth truth = aim_at(&p, (enum aim)(i % AIMS));

		p.stop = 40 * rng_unit(&r) * rng_unit(&r);
		p.cut[0] = rng_below(&r, 2) ? p.stop * rng_unit(&r) : 0;
		sim_run(&p, &o);
		if (o.complete && !(o.cuts && o.cut[o.cuts - 1].last)) {
			must_be_right(&p, fault_of(&p, &truth, &o)); /* it ended before */
		} else {
			struct cluster_state *last = &o.cut[o.cuts ? o.cuts - 1 : 0];

			must_be_right(&p, o.ended && o.cuts ? NULL : o.error.text);
			must_be_right(&p, fault_of_cut(&p, &truth, last));
			assert_int_equal(o.complete, last->work == NULL);
			assert_memory_equal(&o.counts, last->counts, sizeof(o.counts));
			stopped += last->work != NULL;
			resume(&p, &truth, last, &r);
		}
		sim_free(&o);
	}
	assert_true(stopped > seeds(2) / 4);
}

static void stealing_keeps_engines_busy(void **state)
{
	static const double least[] = {
		[CLUSTER_LIFELINES] = 0.5, [CLUSTER_PERMUTED] = 0.4, [CLUSTER_STATIC] = 0
	};
	struct tree t = { .seed = 3, .depth = 12 };
	double mean[3] = { 0 };

	(void)state;
	for (int i = 0; i < 30; i++) {
		struct sim_outcome o;
		struct sim_plan p = { .tree = &t,
				      .seed = (uint64_t)i,
				      .ranks = 16,
				      .victims = (enum cluster_victims)(i % 3),
				      .deal = true };
		struct truth truth = aim_at(&p, COUNT);

		sim_run(&p, &o);
		must_be_right(&p, fault_of(&p, &truth, &o));
		mean[i % 3] += o.efficiency / 10;
		sim_free(&o);
	}
	for (int i = 0; i < 3; i++)
		assert_true(mean[i] >= least[i]);
	assert_true(mean[CLUSTER_STATIC] < 0.2); /* the root is indivisible */
}

/* ---- faults ---- */

/* Allocations of the state machines until one fails; 0: none fails. The linker directs their calls
 * here. */
static uint64_t until_failure;

static bool allocation_fails(void)
{
	return until_failure && --until_failure == 0;
}

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_malloc(size_t size)
{
	return allocation_fails() ? NULL : __real_malloc(size);
}

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size)
{
	return allocation_fails() ? NULL : __real_calloc(count, size);
}

static void every_failed_allocation_is_an_error(void **state)
{
	struct tree t = { .seed = 3, .depth = 5 };
	struct sim_plan p = { .tree = &t, .seed = 1, .ranks = 3, .deal = true, .cut = { 2 } };
	uint64_t at = 0;
	bool failed = true;

	(void)state;
	aim_at(&p, OPTIMISE);
	while (failed) {
		struct sim_outcome o;

		until_failure = ++at;
		sim_run(&p, &o);
		failed = !until_failure;
		until_failure = 0;
		assert_int_equal(o.ended, !failed);
		assert_int_equal(o.error.code, failed ? ERR_MEMORY : 0);
		if (!failed)
			assert_true(o.cuts > 0 && o.bests > 0 && o.given > 0);
		sim_free(&o);
	}
	assert_true(at > 100);
}

static void sums_that_disagree_are_found(void **state)
{
	static const char *const why[] = {
		[SIM_LIE_RECEIVED] = "work was duplicated",
		[SIM_LIE_VALUE] = "rank 0 does not have the best solution",
		[SIM_LIE_COUNT] = "not those of the last cut",
	};
	struct tree t = { .seed = 3, .depth = 9 };

	(void)state;
	for (int i = 0; i < 30; i++) {
		struct sim_outcome o;
		struct sim_plan p = { .tree = &t,
				      .seed = seed_at((uint64_t)i),
				      .ranks = 2 + i,
				      .fault = SIM_LIE,
				      .lie = (enum sim_lie)(i % 3) };

		aim_at(&p, OPTIMISE);
		p.stop = p.lie == SIM_LIE_COUNT;
		sim_run(&p, &o);
		assert_int_equal(o.error.code, ERR_FAILED);
		if (!strstr(o.error.text, why[p.lie]))
			fail_msg("\"%s\" does not contain \"%s\"", o.error.text, why[p.lie]);
		sim_free(&o);
	}
}

static const char *const kind_name[CLUSTER_KINDS] = { "ask",  "none",   "work",   "best",
						      "wave", "report", "deposit" };

static void every_lost_or_duplicated_message_is_found(void **state)
{
	(void)state;
	for (int test = 0; test < 2 * CLUSTER_KINDS; test++) {
		enum cluster_kind kind = (enum cluster_kind)(test / 2);
		uint64_t faults = 0;

		/* not every search has a message to break */
		for (uint64_t i = 0; faults < 1 + seeds(40); i++) {
			struct rng r = rng_seeded(seed_at(i) ^ (uint64_t)(test << 8));
			struct sim_outcome o;
			struct tree t;
			struct sim_plan p = random_plan(&t, &r, seed_at(i), 8);

			if (p.ranks == 1)
				p.ranks = 2;
			aim_at(&p, OPTIMISE);
			p.victims = CLUSTER_LIFELINES;
			p.cut[0] = 1 + 10 * rng_unit(&r);
			p.fault = test % 2 ? SIM_DUPLICATE : SIM_DROP;
			p.kind = kind;
			p.victim = (int)rng_below(&r, 6);
			sim_run(&p, &o);
			if (o.faulty && o.ended)
				fail_msg("seed %" PRIu64 ": %s %d was %s, but the search ended",
					 p.seed, kind_name[kind], p.victim,
					 test % 2 ? "duplicated" : "lost");
			faults += o.faulty;
			sim_free(&o);
			assert_true(i < 100 * seeds(40));
		}
	}
}

static void work_that_is_searched_twice_changes_the_counts(void **state)
{
	int found = 0;

	(void)state;
	for (uint64_t i = 0; i < 10; i++) {
		struct rng r = rng_seeded(seed_at(i));
		struct sim_outcome o;
		struct tree t;
		struct sim_plan p = random_plan(&t, &r, seed_at(i), 8);
		struct truth truth = aim_at(&p, COUNT);

		t.split_leaks = true;
		sim_run(&p, &o);
		found += o.given > 0;
		assert_int_equal(o.given > 0, fault_of(&p, &truth, &o) != NULL);
		sim_free(&o);
	}
	assert_true(found > 0);
}

static void damaged_messages_are_refused_and_change_nothing(void **state)
{
	int refused = 0;

	(void)state;
	for (uint64_t i = 0; i < seeds(10); i++) {
		struct rng r = rng_seeded(seed_at(i) ^ 0xd);
		struct sim_outcome o;
		struct tree t;
		struct sim_plan p = random_plan(&t, &r, seed_at(i), 16);
		struct truth truth = aim_at(&p, (enum aim)(i % AIMS));

		p.fault = SIM_CORRUPT;
		p.cut[0] = 1 + 10 * rng_unit(&r);
		sim_run(&p, &o);
		must_be_right(&p, fault_of(&p, &truth, &o));
		refused += o.refused;
		sim_free(&o);
	}
	assert_true(refused > 1000);
}

/* Copies with other fields and a right hash: most are refused; none breaks the memory. */
static void forged_messages_do_no_harm_to_memory(void **state)
{
	int refused = 0;

	(void)state;
	for (uint64_t i = 0; i < seeds(2); i++) {
		struct rng r = rng_seeded(seed_at(i) ^ 0xf);
		struct sim_outcome o;
		struct tree t;
		struct sim_plan p = random_plan(&t, &r, seed_at(i), 16);

		aim_at(&p, OPTIMISE);
		p.fault = SIM_FORGE;
		p.cut[0] = 1 + 10 * rng_unit(&r);
		p.stop = 10 + 10 * rng_unit(&r);
		sim_run(&p, &o);
		refused += o.refused;
		sim_free(&o);
	}
	assert_true(refused > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(searches_on_any_ranks_count_every_node_once),
		cmocka_unit_test(cuts_are_consistent_and_resume_on_other_ranks),
		cmocka_unit_test(stops_keep_exact_counts_and_all_open_work),
		cmocka_unit_test(the_nodes_left_on_all_ranks_are_added_up),
		cmocka_unit_test(stealing_keeps_engines_busy),
		cmocka_unit_test(every_failed_allocation_is_an_error),
		cmocka_unit_test(sums_that_disagree_are_found),
		cmocka_unit_test(every_lost_or_duplicated_message_is_found),
		cmocka_unit_test(work_that_is_searched_twice_changes_the_counts),
		cmocka_unit_test(damaged_messages_are_refused_and_change_nothing),
		cmocka_unit_test(forged_messages_do_no_harm_to_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
