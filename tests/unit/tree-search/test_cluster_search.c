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
#include <stdio.h>
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

/* ---- single ranks ---- */

static const struct tree small = { .seed = 7, .depth = 6 };

static struct cluster_rules rules_of(int rank, int ranks)
{
	return (struct cluster_rules){ .rank = rank,
				       .ranks = ranks,
				       .identity = 1,
				       .victims = CLUSTER_LIFELINES,
				       .tries = 1,
				       .slice = 1,
				       .period = 100,
				       .counters = TREE_COUNTERS,
				       .solution_most = TREE_DEPTH_MAX };
}

/* A pile of `count` nodes, which differ in their first digits. */
static struct pile *pile_of_children(int count)
{
	struct tree_node root = tree_root(&small);
	struct pile *p = calloc(1, sizeof(*p));

	assert_non_null(p);
	for (int i = 0; i < count; i++) {
		struct tree_node child = tree_child_of(&root, i % 6);

		pile_push(p, &child);
	}
	return p;
}

static struct cluster *create(const struct cluster_rules *rules, struct pile *work)
{
	struct cluster_slice start = { .work = work };
	struct cluster *c;
	struct err e = { 0 };

	if (cluster_create(&c, rules, &pile_ops, (void *)&small, &start, 0, &e))
		fail_msg("%s", e.text);
	return c;
}

/* The next message of a kind; others are dropped. */
static struct cluster_mail mail_of(struct cluster *c, enum cluster_kind kind)
{
	struct cluster_mail m;
	struct cluster_head head;

	while (cluster_next(c, &m)) {
		memcpy(&head, m.bytes, sizeof(head));
		if (head.kind == kind)
			return m;
		free(m.bytes);
	}
	return (struct cluster_mail){ .to = -1 };
}

static struct pile *take(struct cluster *c, double now)
{
	enum cluster_action action;
	struct err e = { 0 };
	void *work;

	assert_int_equal(cluster_act(c, now, &action, &e), 0);
	assert_int_equal(action, CLUSTER_RUN);
	assert_int_equal(cluster_take(c, now, &work, &e), 0);
	return work;
}

static enum cluster_action action_at(struct cluster *c, double now)
{
	enum cluster_action action;
	struct err e = { 0 };

	assert_int_equal(cluster_act(c, now, &action, &e), 0);
	return action;
}

/* The search of a slice from 0 to 10 s with 100 nodes, an ask of a rank with `rate`, and how many
 * of 40 nodes it receives. */
static uint64_t units_given(enum cluster_victims victims, uint64_t least, double rate)
{
	struct cluster_rules rules = rules_of(0, 2);
	struct cluster *victim, *thief;
	struct cluster_slice slice = { .counts = (uint64_t[]){ 100, 0, 0 } };
	struct cluster_mail ask;
	struct err e = { 0 };
	uint64_t given;

	rules.victims = victims;
	rules.least = least;
	victim = create(&rules, pile_of_children(40));
	rules.rank = 1;
	thief = create(&rules, NULL);
	ask = mail_of(thief, CLUSTER_ASK);
	assert_int_equal(ask.to, 0);
	memcpy(ask.bytes + offsetof(struct cluster_head, rate), &rate, sizeof(rate));
	cluster_message_seal(ask.bytes, ask.size);
	slice.work = take(victim, 0);
	assert_int_equal(cluster_receive(victim, 1, ask.bytes, ask.size, 0.5, &e), 0);
	assert_int_equal(action_at(victim, 0.5), CLUSTER_WAIT); /* the slice is too short */
	assert_true(cluster_wake(victim) == 1);
	assert_int_equal(action_at(victim, 1), CLUSTER_PAUSE);
	assert_int_equal(cluster_return(victim, &slice, 10, &e), 0);
	pile_free(NULL, take(victim, 10));
	given = cluster_stats(victim)->units_given;
	free(ask.bytes);
	cluster_destroy(victim);
	cluster_destroy(thief);
	return given;
}

static void work_is_divided_by_measured_rates(void **state)
{
	(void)state;
	/* the victim searches 10 nodes/s */
	assert_int_equal(units_given(CLUSTER_LIFELINES, 0, 10), 20);
	assert_int_equal(units_given(CLUSTER_LIFELINES, 0, 30), 30);
	assert_int_equal(units_given(CLUSTER_LIFELINES, 0, 2.5), 8);
	assert_int_equal(units_given(CLUSTER_LIFELINES, 0, 0), 20);
}

/* Sends `m` from rank `from` to `c`. `like` is any message of the same search. */
static int try_send(struct cluster *c, const struct cluster_mail *like, int from,
		    struct cluster_message m, struct err *e)
{
	struct cluster_head head;
	unsigned char *bytes;
	size_t size;
	int status;

	memcpy(&head, like->bytes, sizeof(head));
	m.head.identity = head.identity;
	m.head.from = (uint32_t)from;
	assert_int_equal(cluster_message_pack(&m, &bytes, &size, e), 0);
	status = cluster_receive(c, from, bytes, size, 0, e);
	free(bytes);
	return status;
}

static void send(struct cluster *c, const struct cluster_mail *like, int from,
		 struct cluster_message m)
{
	struct err e = { 0 };

	if (try_send(c, like, from, m, &e))
		fail_msg("%s", e.text);
}

/* A message of a search under these rules, from the first rank. */
static struct cluster_mail any_mail(struct cluster_rules rules)
{
	struct cluster *zero;
	struct cluster_mail m;

	rules.rank = 0;
	zero = create(&rules, NULL);
	m = mail_of(zero, CLUSTER_WAVE);
	assert_true(m.to > 0);
	cluster_destroy(zero);
	return m;
}

static void thieves_that_ask_together_share_by_their_rates(void **state)
{
	static const double rate[] = { 0, 10, 30 };
	static const uint64_t part[] = { 10, 10, 30 };
	struct cluster_rules rules = rules_of(0, 3);
	struct cluster_mail like = any_mail(rules), gift;
	struct cluster *victim = create(&rules, pile_of_children(50));
	struct cluster_slice slice = { .work = take(victim, 0),
				       .counts = (uint64_t[]){ 100, 0, 0 } };
	struct pile *rest;
	struct err e = { 0 };

	(void)state;
	for (int i = 1; i <= 2; i++)
		send(victim, &like, i,
		     (struct cluster_message){ .head = { .kind = CLUSTER_ASK, .rate = rate[i] } });
	assert_int_equal(cluster_return(victim, &slice, 10, &e), 0);
	rest = take(victim, 10);
	assert_int_equal(rest->count, part[0]);
	for (int i = 1; i <= 2; i++) {
		struct cluster_head head;

		gift = mail_of(victim, CLUSTER_WORK);
		memcpy(&head, gift.bytes, sizeof(head));
		assert_int_equal(gift.to, i);
		assert_int_equal(head.amount, part[i]);
		free(gift.bytes);
	}
	pile_free(NULL, rest);
	free(like.bytes);
	cluster_destroy(victim);
}

static struct cluster_message best_of(int64_t value, size_t size)
{
	return (struct cluster_message){
		.head = { .kind = CLUSTER_BEST,
			  .flags = CLUSTER_FLAG_VALUE,
			  .value = value,
			  .solution_size = size },
		.solution = (const unsigned char *)"solution",
	};
}

static void only_better_incumbents_are_passed_on(void **state)
{
	static const struct {
		int64_t value;
		size_t size;
		bool better;
	} next[] = { { 20, 3, true },  { 20, 4, false }, { 21, 3, false }, { 19, 0, true },
		     { 19, 0, false }, { 19, 3, true },  { 19, 0, false } };
	struct cluster_rules rules = rules_of(2, 8); /* parent 0, child 3 */
	struct cluster_mail like = any_mail(rules);
	struct cluster *c = create(&rules, NULL);

	(void)state;
	for (size_t i = 0; i < sizeof(next) / sizeof(*next); i++) {
		struct cluster_mail m;

		send(c, &like, 0, best_of(next[i].value, next[i].size));
		m = mail_of(c, CLUSTER_BEST);
		assert_int_equal(m.to, next[i].better ? 3 : -1);
		if (next[i].better) {
			free(m.bytes);
			assert_int_equal(mail_of(c, CLUSTER_BEST).to, -1);
		}
	}
	free(like.bytes);
	cluster_destroy(c);
}

/* Answers all asks that wait to be sent with a refusal; returns the sum of 2^rank of those who
 * were asked. */
static unsigned refuse_all(struct cluster *c, const struct cluster_mail *like, uint32_t detail)
{
	unsigned asked = 0;
	struct cluster_mail m;

	while ((m = mail_of(c, CLUSTER_ASK)).to >= 0) {
		struct cluster_head head;

		memcpy(&head, m.bytes, sizeof(head));
		assert_int_equal(head.detail, detail);
		asked |= 1u << m.to;
		free(m.bytes);
		send(c, like, m.to,
		     (struct cluster_message){
			     .head = { .kind = CLUSTER_NONE, .detail = detail } });
	}
	return asked;
}

static void idle_ranks_register_at_each_lifeline_once(void **state)
{
	struct cluster_rules rules = rules_of(5, 7); /* neighbours 4 and 1, and 7, which is none */
	struct cluster_mail like = any_mail(rules);
	struct cluster *c;
	struct err e = { 0 };

	(void)state;
	rules.tries = 0;
	c = create(&rules, NULL);
	assert_int_equal(refuse_all(c, &like, CLUSTER_LIFELINE), 1u << 4 | 1u << 1);
	assert_int_equal(refuse_all(c, &like, CLUSTER_LIFELINE), 0);
	for (int i = 0; i < 3; i++) {
		struct cluster_slice slice = { 0 };

		send(c, &like, 4,
		     (struct cluster_message){ .head = { .kind = CLUSTER_WORK,
							 .detail = CLUSTER_SERVED,
							 .amount = 1,
							 .work_size = 2 },
					       .work = (const unsigned char *)"\1" });
		pile_free(NULL, take(c, i));
		assert_int_equal(cluster_return(c, &slice, i, &e), 0);
		assert_int_equal(refuse_all(c, &like, CLUSTER_LIFELINE), 1u << 4);
	}
	free(like.bytes);
	cluster_destroy(c);
}

static void permuted_victims_give_half_if_they_have_more_than_least(void **state)
{
	(void)state;
	assert_int_equal(units_given(CLUSTER_PERMUTED, 39, 30), 20);
	assert_int_equal(units_given(CLUSTER_PERMUTED, 40, 30), 0);
}

static void victims_are_asked_in_random_permutations(void **state)
{
	struct cluster_rules rules = rules_of(2, 5);
	struct cluster *c;
	struct err e = { 0 };
	int asked[2][5] = { { 0 } };

	(void)state;
	rules.victims = CLUSTER_PERMUTED;
	c = create(&rules, NULL);
	for (int i = 0; i < 8; i++) {
		struct cluster_mail ask = mail_of(c, CLUSTER_ASK);
		uint32_t from = (uint32_t)ask.to, kind = CLUSTER_NONE;

		assert_in_range(ask.to, 0, 4);
		asked[i / 4][ask.to]++;
		/* the ask, turned into its answer */
		memcpy(ask.bytes + offsetof(struct cluster_head, from), &from, sizeof(from));
		memcpy(ask.bytes + offsetof(struct cluster_head, kind), &kind, sizeof(kind));
		cluster_message_seal(ask.bytes, ask.size);
		assert_int_equal(cluster_receive(c, ask.to, ask.bytes, ask.size, i, &e), 0);
		free(ask.bytes);
		if (i % 4 < 3)
			continue;
		/* all refused: the next permutation begins after the period */
		assert_int_equal(mail_of(c, CLUSTER_ASK).to, -1);
		assert_true(cluster_wake(c) == i + rules.period);
		assert_int_equal(action_at(c, i + rules.period), CLUSTER_WAIT);
	}
	for (int rank = 0; rank < 5; rank++) {
		assert_int_equal(asked[0][rank], rank != 2);
		assert_int_equal(asked[1][rank], rank != 2);
	}
	cluster_destroy(c);
}

static void engines_with_indivisible_work_are_paused_less_and_less(void **state)
{
	struct cluster_rules rules = rules_of(0, 2);
	struct cluster *victim, *thief;
	struct cluster_slice slice = { 0 };
	struct cluster_mail ask;
	struct err e = { 0 };
	double now = 0;

	(void)state;
	rules.tries = 0;
	victim = create(&rules, pile_of_children(1));
	rules.rank = 1;
	thief = create(&rules, NULL);
	ask = mail_of(thief, CLUSTER_ASK);
	slice.work = take(victim, now);
	assert_int_equal(cluster_receive(victim, 1, ask.bytes, ask.size, now, &e), 0);
	for (int slices = 1; slices <= 256; slices *= 2) {
		int bounded = slices < 64 ? slices : 64;

		assert_int_equal(action_at(victim, now + bounded - 0.5), CLUSTER_WAIT);
		now += bounded;
		assert_int_equal(action_at(victim, now), CLUSTER_PAUSE);
		assert_int_equal(cluster_return(victim, &slice, now, &e), 0);
		slice.work = take(victim, now);
	}
	pile_free(NULL, slice.work);
	free(ask.bytes);
	cluster_destroy(victim);
	cluster_destroy(thief);
}

static void first_work_is_dealt_in_turn(void **state)
{
	enum { RANKS = 5, UNITS = 23 };
	struct cluster_rules rules = rules_of(0, RANKS);
	struct pile *all = pile_of_children(UNITS), *own;
	struct cluster *c;
	struct cluster_mail m;
	int dealt = 0;

	(void)state;
	for (int i = 0; i < UNITS; i++)
		all->node[i].hash = (uint64_t)i;
	rules.victims = CLUSTER_STATIC;
	rules.deal = true;
	c = create(&rules, all);
	while ((m = mail_of(c, CLUSTER_WORK)).to >= 0) {
		struct cluster_message got;

		assert_int_equal(cluster_message_unpack(m.bytes, m.size, &got, NULL), 0);
		assert_int_equal(got.head.amount, UNITS / RANKS + (m.to < UNITS % RANKS));
		for (uint64_t i = 0; i < got.head.amount; i++) /* depth and first child */
			assert_int_equal(got.work[2 * i + 1], (m.to + (int)i * RANKS) % UNITS % 6);
		dealt++;
		free(m.bytes);
	}
	assert_int_equal(dealt, RANKS - 1);
	own = take(c, 0);
	for (size_t i = 0; i < own->count; i++)
		assert_int_equal(own->node[i].hash, i * RANKS);
	assert_int_equal(own->count, UNITS / RANKS + 1);
	pile_free(NULL, own);
	cluster_destroy(c);
}

/* ---- refusals ---- */

static void refused(struct cluster *c, int from, const unsigned char *bytes, size_t size,
		    const char *why)
{
	struct err e = { 0 };

	assert_int_equal(cluster_receive(c, from, bytes, size, 0, &e), ERR_INPUT);
	if (!strstr(e.text, why))
		fail_msg("\"%s\" does not contain \"%s\"", e.text, why);
}

static void other_searches_are_refused_by_rank(void **state)
{
	struct cluster_rules rules = rules_of(0, 4);
	struct cluster *zero = create(&rules, pile_of_children(3)), *two;
	struct cluster_mail m;

	(void)state;
	rules.rank = 2;
	rules.identity = 99;
	two = create(&rules, NULL);
	m = mail_of(two, CLUSTER_ASK);
	refused(zero, 2, m.bytes, m.size, "rank 2: it has another instance, other flags");
	free(m.bytes);
	m = mail_of(zero, CLUSTER_WAVE);
	refused(two, 0, m.bytes, m.size, "rank 0: it has another instance, other flags");
	free(m.bytes);
	cluster_destroy(two);
	rules.identity = 1;
	rules.victims = CLUSTER_PERMUTED;
	two = create(&rules, NULL);
	m = mail_of(two, CLUSTER_ASK);
	refused(zero, 2, m.bytes, m.size, "rank 2: it has another instance, other flags");
	free(m.bytes);
	cluster_destroy(two);
	cluster_destroy(zero);
}

static void malformed_messages_are_refused_with_the_reason(void **state)
{
#define FIELD(field) offsetof(struct cluster_head, field), sizeof(((struct cluster_head *)0)->field)
	static const uint64_t huge = UINT64_C(1) << 62, nan = UINT64_C(0x7ff8000000000000);
	static const struct {
		size_t offset, size;
		uint64_t value;
		const char *why;
	} bad[] = {
		{ FIELD(magic), 1, "not a message of a search" },
		{ FIELD(version), 2, "version 2 of the protocol, this rank has 1" },
		{ FIELD(from), 3, "it calls itself rank 3" },
		{ FIELD(kind), 7, "unknown kind 7" },
		{ FIELD(detail), 2, "kind 0 has no detail 2" },
		{ FIELD(rate), nan, "the rate is not a number" },
		{ FIELD(flags), 4, "unknown flags 4" },
		{ FIELD(counters), 1, "not the size in its head" },
		{ FIELD(solution_size), huge, "not the size in its head" },
		{ FIELD(work_size), UINT64_MAX, "not the size in its head" },
		{ FIELD(kind), CLUSTER_NONE, "an answer to no ask" },
		{ FIELD(kind), CLUSTER_WORK, "work that was not asked for" },
		{ FIELD(kind), CLUSTER_WAVE, "a wave, but not from the parent" },
		{ FIELD(kind), CLUSTER_REPORT, "0 counters" },
		{ FIELD(kind), CLUSTER_DEPOSIT, "no cut 0 is under way" },
	};
#undef FIELD
	struct cluster_rules rules = rules_of(0, 2);
	struct cluster *zero = create(&rules, pile_of_children(3)), *one;
	struct cluster_mail ask;
	struct err e = { 0 };

	(void)state;
	rules.rank = 1;
	one = create(&rules, NULL);
	ask = mail_of(one, CLUSTER_ASK);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		unsigned char *copy = malloc(ask.size);
		uint64_t number = 1;

		assert_non_null(copy);
		memcpy(copy, ask.bytes, ask.size);
		memcpy(copy + offsetof(struct cluster_head, number), &number, sizeof(number));
		memcpy(copy + bad[i].offset, &bad[i].value, bad[i].size);
		cluster_message_seal(copy, ask.size);
		refused(zero, 1, copy, ask.size, bad[i].why);
		free(copy);
	}
	for (size_t size = 0; size < ask.size; size++)
		refused(zero, 1, ask.bytes, size,
			size < sizeof(struct cluster_head) ? "less than a head" : "not the size");
	refused(zero, 2, ask.bytes, ask.size, "rank 2: there is no such rank");
	refused(zero, -1, ask.bytes, ask.size, "rank -1: there is no such rank");
	refused(zero, 0, ask.bytes, ask.size, "rank 0: there is no such rank");
	assert_int_equal(cluster_receive(zero, 1, ask.bytes, ask.size, 0, &e), 0);
	refused(zero, 1, ask.bytes, ask.size, "a second ask before the first was answered");
	free(ask.bytes);
	cluster_destroy(zero);
	cluster_destroy(one);
}

static void not_sent(struct cluster *c, const struct cluster_mail *like, int from,
		     struct cluster_message m, const char *why)
{
	struct err e = { 0 };

	assert_int_equal(try_send(c, like, from, m, &e), ERR_INPUT);
	if (!strstr(e.text, why))
		fail_msg("\"%s\" does not contain \"%s\"", e.text, why);
}

static struct cluster_message work_of(const char *bytes, uint64_t amount)
{
	return (struct cluster_message){
		.head = { .kind = CLUSTER_WORK,
			  .detail = CLUSTER_DEALT,
			  .amount = amount,
			  .work_size = 2 },
		.work = (const unsigned char *)bytes,
	};
}

static void impossible_asks_and_solutions_are_refused(void **state)
{
	struct cluster_message ask = { .head = { .kind = CLUSTER_ASK,
						 .detail = CLUSTER_LIFELINE } };
	struct cluster_rules rules = rules_of(0, 4);
	struct cluster_mail like = any_mail(rules);
	struct cluster *c = create(&rules, pile_of_children(1));
	struct cluster_message best = best_of(1, 8);

	(void)state;
	not_sent(c, &like, 3, ask, "an ask that the rule for victims does not know");
	send(c, &like, 2, ask);
	not_sent(c, &like, 2, ask, "a second ask");
	best.head.flags = 0;
	not_sent(c, &like, 3, best, "parts that it must not have");
	best.head.solution_size = 0;
	not_sent(c, &like, 3, best, "a solution of 0 bytes");
	best.solution = (const unsigned char *)"too long for a solution";
	best.head.flags = CLUSTER_FLAG_VALUE;
	best.head.solution_size = TREE_DEPTH_MAX + 1;
	not_sent(c, &like, 3, best, "a solution of 13 bytes, at most 12");
	cluster_destroy(c);
	free(like.bytes);
	rules.victims = CLUSTER_STATIC;
	like = any_mail(rules);
	c = create(&rules, NULL);
	ask.head.detail = CLUSTER_TRY;
	not_sent(c, &like, 3, ask, "an ask that the rule for victims does not know");
	free(like.bytes);
	cluster_destroy(c);
}

static void impossible_work_and_waves_are_refused(void **state)
{
	struct cluster_rules rules = rules_of(2, 4);
	struct cluster_message good = work_of("\1", 1), later = good;
	struct cluster_message wave = { .head = { .kind = CLUSTER_WAVE, .number = 2 } };
	struct cluster_mail like;
	struct cluster *c;

	(void)state;
	rules.deal = true;
	like = any_mail(rules);
	c = create(&rules, NULL);
	not_sent(c, &like, 1, good, "work that was not asked for");
	not_sent(c, &like, 0, work_of("\1", 2), "not the amount that it states");
	not_sent(c, &like, 0, work_of("\1", 0), "not the amount that it states");
	not_sent(c, &like, 0, work_of("\1\6", 1), "not a node of the tree");
	not_sent(c, &like, 0, work_of("\2", 1), "not a node of the tree");
	later.head.epoch = 2;
	not_sent(c, &like, 0, later, "work of epoch 2 in epoch 0");
	not_sent(c, &like, 0, wave, "wave 2 after wave 0");
	wave.head.number = 1;
	not_sent(c, &like, 3, wave, "not from the parent");
	wave.head.epoch = 2;
	not_sent(c, &like, 0, wave, "a wave of epoch 2 in epoch 0");
	wave.head.epoch = 1;
	send(c, &like, 0, wave);
	not_sent(c, &like, 0, wave, "wave 1 after wave 1");
	send(c, &like, 0, good); /* sent before the cut, but not too late */
	not_sent(c, &like, 0, good, "work that was not asked for");
	free(like.bytes);
	cluster_destroy(c);
}

static void impossible_deposits_and_reports_are_refused(void **state)
{
	uint64_t counts[TREE_COUNTERS] = { 0 };
	struct cluster_rules rules = rules_of(0, 2);
	struct cluster_mail like = any_mail(rules);
	struct cluster_slice start = { .work = pile_of_children(1),
				       .counts = (uint64_t[]){ 0, 0, 1 } };
	struct cluster_message m = { .head = { .kind = CLUSTER_REPORT, .number = 1 },
				     .counters = (const unsigned char *)counts };
	struct cluster *c;
	struct cluster_state cut;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(cluster_create(&c, &rules, &pile_ops, (void *)&small, &start, 0, &e), 0);
	not_sent(c, &like, 1, m, "a report with 0 counters");
	m.head.counters = TREE_COUNTERS;
	send(c, &like, 1, m);
	not_sent(c, &like, 1, m, "a report of wave 1 that is not awaited");
	m.head = (struct cluster_head){ .kind = CLUSTER_DEPOSIT, .epoch = 1 };
	not_sent(c, &like, 1, m, "no cut 1 is under way");
	assert_int_equal(cluster_cut(c, 0, &e), 0);
	assert_int_equal(action_at(c, 0), CLUSTER_RUN);
	not_sent(c, &like, 1, m, "a deposit with 0 counters");
	m.head.counters = TREE_COUNTERS;
	counts[2] = UINT64_MAX;
	not_sent(c, &like, 1, m, "counter 2 exceeds 64 bits");
	counts[2] = 5;
	m.head.amount = 1;
	not_sent(c, &like, 1, m, "not the amount that it states");
	m.head.amount = 0;
	m.head.sent = 1;
	send(c, &like, 1, m);
	not_sent(c, &like, 1, m, "a second deposit in one cut");
	assert_false(cluster_take_cut(c, &cut)); /* work is in transit */
	m = work_of("\1", 1);
	m.head.kind = CLUSTER_DEPOSIT;
	m.head.detail = CLUSTER_SUPPLEMENT;
	m.head.epoch = 1;
	send(c, &like, 1, m);
	assert_true(cluster_take_cut(c, &cut));
	assert_int_equal(((struct pile *)cut.work)->count, 2);
	assert_int_equal(cut.counts[2], 6);
	pile_free(NULL, cut.work);
	free(like.bytes);
	cluster_destroy(c);
}

static void rules_out_of_range_are_refused(void **state)
{
	struct cluster_slice start = { 0 };
	struct cluster_rules good = rules_of(0, 4), bad[8];
	struct cluster *c;
	struct err e = { 0 };

	(void)state;
	for (int i = 0; i < 8; i++)
		bad[i] = good;
	bad[0].rank = 4;
	bad[1].rank = -1;
	bad[2].ranks = CLUSTER_RANKS_MAX + 1;
	bad[3].counters = 0;
	bad[4].counters = CLUSTER_COUNTERS_MAX + 1;
	bad[5].period = 0;
	bad[6].slice = NAN;
	bad[7].tries = -1;
	for (int i = 0; i < 8; i++) {
		start.work = pile_of_children(1);
		assert_int_equal(
			cluster_create(&c, &bad[i], &pile_ops, (void *)&small, &start, 0, &e),
			ERR_USAGE);
		assert_null(c);
	}
}

static void wrong_calls_of_a_driver_fail(void **state)
{
	struct cluster_rules rules = rules_of(1, 2);
	struct cluster *c = create(&rules, NULL);
	struct cluster_slice slice = { .work = pile_of_children(1) };
	struct err e = { 0 };
	void *work;

	(void)state;
	assert_int_equal(cluster_cut(c, 0, &e), ERR_USAGE);
	assert_int_equal(cluster_stop(c, 0, &e), ERR_USAGE);
	assert_int_equal(cluster_take(c, 0, &work, &e), ERR_FAILED);
	assert_int_equal(cluster_return(c, &slice, 0, &e), ERR_FAILED);
	assert_int_equal(cluster_found(c, 1, NULL, 0, 0, &e), ERR_FAILED);
	cluster_destroy(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(searches_on_any_ranks_count_every_node_once),
		cmocka_unit_test(cuts_are_consistent_and_resume_on_other_ranks),
		cmocka_unit_test(stops_keep_exact_counts_and_all_open_work),
		cmocka_unit_test(stealing_keeps_engines_busy),
		cmocka_unit_test(every_failed_allocation_is_an_error),
		cmocka_unit_test(sums_that_disagree_are_found),
		cmocka_unit_test(every_lost_or_duplicated_message_is_found),
		cmocka_unit_test(work_that_is_searched_twice_changes_the_counts),
		cmocka_unit_test(damaged_messages_are_refused_and_change_nothing),
		cmocka_unit_test(forged_messages_do_no_harm_to_memory),
		cmocka_unit_test(work_is_divided_by_measured_rates),
		cmocka_unit_test(thieves_that_ask_together_share_by_their_rates),
		cmocka_unit_test(only_better_incumbents_are_passed_on),
		cmocka_unit_test(idle_ranks_register_at_each_lifeline_once),
		cmocka_unit_test(permuted_victims_give_half_if_they_have_more_than_least),
		cmocka_unit_test(victims_are_asked_in_random_permutations),
		cmocka_unit_test(engines_with_indivisible_work_are_paused_less_and_less),
		cmocka_unit_test(first_work_is_dealt_in_turn),
		cmocka_unit_test(other_searches_are_refused_by_rank),
		cmocka_unit_test(malformed_messages_are_refused_with_the_reason),
		cmocka_unit_test(impossible_asks_and_solutions_are_refused),
		cmocka_unit_test(impossible_work_and_waves_are_refused),
		cmocka_unit_test(impossible_deposits_and_reports_are_refused),
		cmocka_unit_test(rules_out_of_range_are_refused),
		cmocka_unit_test(wrong_calls_of_a_driver_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
