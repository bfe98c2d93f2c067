/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* One rank of a search on several (cluster.h): whom it asks and how much it gives, which incumbents
 * it passes on, how long its slices are, and which messages it refuses, with the reason. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "algorithms/tree-search/cluster/message.h"
#include "tests/unit/tree-search/hashed_tree.h"

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
		{ FIELD(version), 1, "version 1 of the protocol, this rank has 2" },
		{ FIELD(from), 3, "it calls itself rank 3" },
		{ FIELD(kind), 7, "unknown kind 7" },
		{ FIELD(detail), 2, "kind 0 has no detail 2" },
		{ FIELD(rate), nan, "the rate is not a number" },
		{ FIELD(left), nan, "what is left is not a number" },
		{ FIELD(flags), 8, "unknown flags 8" },
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
