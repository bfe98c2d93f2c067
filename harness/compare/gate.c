/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/compare/gate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/rng.h"
#include "harness/base/stats.h"
#include "harness/report/text.h"

/* A result is settled only if it would hold in a family of this many benchmarks. */
enum { FAMILY = 1000 };

const char *const gate_verdict_names[GATE_VERDICTS] = { "SAME", "FASTER", "SLOWER", "AMBIGUOUS" };

int gate_rule_check(const struct gate_rule *r, struct err *e)
{
	if (!(r->floor >= 0.001 && r->floor <= 1))
		return err_set(e, ERR_USAGE, "the floor must be between 0.1 and 100 %%, not %g %%",
			       100 * r->floor);
	if (!(r->detect > r->floor && r->detect <= 10))
		return err_set(e, ERR_USAGE,
			       "the change to detect, %g %%, must exceed the floor, %g %%",
			       100 * r->detect, 100 * r->floor);
	if (!(r->level > 0.5 && r->level < 1 && r->rate > 0 && r->rate < 0.5))
		return err_set(e, ERR_USAGE,
			       "the level must be in (0.5, 1) and the rate in (0, 0.5)");
	return 0;
}

int gate_samples_add(struct gate_samples *s, struct gate_value v, struct err *e)
{
	int status = array_grow((void **)&s->value, s->count, sizeof(*s->value), e);

	if (status == 0)
		s->value[s->count++] = v;
	return status;
}

void gate_samples_free(struct gate_samples *s)
{
	free(s->value);
	*s = (struct gate_samples){ 0 };
}

/* Copies the values of both sides to `v`. `olds` and `news` are bit sets of builds. */
static size_t pick(const struct gate_samples *s, unsigned olds, unsigned news, struct rank_value *v)
{
	size_t n = 0;

	for (size_t i = 0; i < s->count; i++) {
		unsigned build = 1u << s->value[i].build;

		if (build & (olds | news))
			v[n++] = (struct rank_value){ .seconds = s->value[i].seconds,
						      .block = s->value[i].block,
						      .of_new = (build & news) != 0 };
	}
	return n;
}

/* Computes both tests of one benchmark. */
static int test(const struct gate_samples *s, enum gate_control control, const struct gate_rule *r,
		struct gate_judgement *out, struct err *e)
{
	enum { OLD = 1 << GATE_OLD, AGAIN = 1 << GATE_AGAIN, NEW = 1 << GATE_NEW };
	bool of_old = control == GATE_OLD_AGAIN;
	struct rank_value *v = malloc((s->count + 1) * sizeof(*v));
	size_t n;
	int status;

	*out = (struct gate_judgement)GATE_UNTESTED;
	if (!v)
		return err_set(e, ERR_MEMORY, "no memory to compare %zu samples", s->count);
	n = of_old ? pick(s, OLD | AGAIN, NEW, v) : pick(s, OLD, NEW | AGAIN, v);
	status = rank_compare(v, n, r->level, &out->test, e);
	n = of_old ? pick(s, OLD, AGAIN, v) : pick(s, NEW, AGAIN, v);
	if (status == 0)
		status = rank_compare(v, n, r->level, &out->control, e);
	free(v);
	return status;
}

static bool beyond(double ratio, double change)
{
	return fabs(log(ratio)) >= log1p(change);
}

/* Whether the interval is narrow enough to distinguish a change of `floor` from one of `detect`. */
static bool precise(const struct rank_result *t, const struct gate_rule *r)
{
	return t->low > 0 && log(t->high / t->low) <= 2 * (log1p(r->detect) - log1p(r->floor));
}

/* Whether the result is settled, so that further launches would change little. The interval must be
 * as narrow as `detect` requires or lie entirely beyond the floor, and a difference must be
 * significant enough for a large family. */
static bool is_settled(const struct gate_judgement *j, const struct gate_rule *r)
{
	const struct rank_result *t = &j->test;

	if (beyond(t->ratio, r->floor) && t->p > r->rate / FAMILY)
		return false;
	return precise(t, r) || t->low >= 1 + r->floor || t->high <= 1 / (1 + r->floor);
}

size_t gate_samples_needed(const struct gate_rule *r)
{
	size_t n = 1;

	while (stat_least_p(n, n) > r->rate)
		n++;
	return n;
}

bool gate_enough_samples(const struct rank_result *t, const struct gate_rule *r)
{
	return stat_least_p(t->olds, t->news) <= r->rate;
}

static void decide(struct gate_judgement *j, const struct gate_rule *r)
{
	const struct rank_result *t = &j->test, *c = &j->control;
	bool differs = beyond(t->ratio, r->floor);

	j->verdict = GATE_AMBIGUOUS;
	j->reason[0] = '\0';
	j->control_failed = beyond(c->ratio, r->floor) && c->p <= 1 - r->level;
	if (j->control_failed)
		snprintf(j->reason, sizeof(j->reason),
			 "A/A control failed: the same binary differed from itself by %+.1f %%",
			 100 * (c->ratio - 1));
	else if (!gate_enough_samples(t, r))
		snprintf(j->reason, sizeof(j->reason),
			 "too few samples: %zu old, %zu new; %zu of each are needed", t->olds,
			 t->news, gate_samples_needed(r));
	else if (differs && j->q <= r->rate)
		j->verdict = t->ratio > 1 ? GATE_SLOWER : GATE_FASTER;
	else if (!differs && t->high < 1 + r->detect && t->low > 1 / (1 + r->detect))
		j->verdict = GATE_SAME;
	else if (isinf(t->high))
		snprintf(j->reason, sizeof(j->reason), "too few samples: %zu old, %zu new", t->olds,
			 t->news);
	else if (precise(t, r))
		snprintf(j->reason, sizeof(j->reason),
			 "more samples are needed to be sure of %+.1f %%", 100 * (t->ratio - 1));
	else
		snprintf(j->reason, sizeof(j->reason), "too noisy");
}

int gate_judge(struct gate_judgement *family, size_t count, const struct gate_rule *r,
	       struct err *e)
{
	double *p = malloc((count + 1) * sizeof(*p));
	int status;

	if (!p)
		return err_set(e, ERR_MEMORY, "no memory for a family of %zu", count);
	for (size_t i = 0; i < count; i++)
		p[i] = family[i].test.p;
	status = rank_adjust(p, count, e);
	for (size_t i = 0; i < count && status == 0; i++) {
		family[i].q = p[i];
		decide(&family[i], r);
	}
	free(p);
	return status;
}

/* ---- sessions ---- */

enum { MOST_PLACES = 2 * GATE_BUILDS };

/* Draws the order of the launches in a block. Returns their number. */
static int draw_order(struct rng *rng, enum gate_control control, enum gate_build *order)
{
	enum gate_build builds[GATE_BUILDS] = { GATE_OLD, GATE_AGAIN, GATE_NEW };
	int count = GATE_BUILDS;

	if (control == GATE_NEW_AGAIN) {
		builds[0] = GATE_NEW;
		count = 2;
	}
	for (int i = count - 1; i > 0; i--) {
		int j = (int)rng_below(rng, (uint64_t)i + 1);
		enum gate_build swapped = builds[i];

		builds[i] = builds[j];
		builds[j] = swapped;
	}
	for (int i = 0; i < count; i++)
		order[i] = order[2 * count - 1 - i] = builds[i];
	return 2 * count;
}

static bool all_settled(const struct gate_session *s)
{
	for (size_t i = 0; i < s->count; i++)
		if (!s->bench[i].settled)
			return false;
	return true;
}

static int launch(struct gate_session *s, enum gate_build build, int block, double *seconds,
		  struct err *e)
{
	/* recorded rows have no blocks */
	int shared = s->control == GATE_NEW_AGAIN ? 0 : block;
	int status;

	if (s->stop && *s->stop)
		return err_set(e, ERR_LIMIT, "interrupted");
	for (size_t i = 0; i < s->count; i++)
		seconds[i] = NAN;
	status = s->sample(s->ctx, s, build, block, seconds, e);
	for (size_t i = 0; i < s->count && status == 0; i++)
		if (!s->bench[i].settled && isfinite(seconds[i]))
			status = gate_samples_add(&s->bench[i].samples,
						  (struct gate_value){ seconds[i], shared, build },
						  e);
	return status;
}

/* Counts the samples of a benchmark that cannot be tested. */
static void count_samples(struct gate_bench *b, enum gate_control control)
{
	size_t news = 0;

	for (size_t i = 0; i < b->samples.count; i++) {
		enum gate_build build = b->samples.value[i].build;

		news += build == GATE_NEW || (build == GATE_AGAIN && control == GATE_NEW_AGAIN);
	}
	b->now.test.news = news;
	b->now.test.olds = b->samples.count - news;
}

static bool has_both(const struct gate_samples *s, enum gate_control control)
{
	unsigned builds = 0;

	for (size_t i = 0; i < s->count; i++)
		builds |= 1u << s->value[i].build;
	return builds == (1u << GATE_BUILDS) - 1 && (control == GATE_OLD_AGAIN || s->count > 2);
}

int gate_session_test(struct gate_session *s, struct err *e)
{
	int status = 0;

	for (size_t i = 0; i < s->count && status == 0; i++) {
		struct gate_bench *b = &s->bench[i];
		struct err none = { 0 };

		if (b->settled)
			continue;
		if (has_both(&b->samples, s->control))
			status = test(&b->samples, s->control, &s->rule, &b->now, &none);
		else
			count_samples(b, s->control);
		if (status == ERR_USAGE) /* no complete block yet */
			status = 0;
		else if (status && e)
			*e = none;
	}
	return status;
}

static int run_block(struct gate_session *s, struct rng *rng, double *seconds, struct err *e)
{
	enum gate_build order[MOST_PLACES];
	int places = draw_order(rng, s->control, order), status = 0;

	for (int i = 0; i < places && status == 0; i++)
		status = launch(s, order[i], s->blocks, seconds, e);
	return status;
}

static void settle(struct gate_session *s)
{
	for (size_t i = 0; i < s->count; i++) {
		struct gate_bench *b = &s->bench[i];

		b->settled = b->settled || !has_both(&b->samples, s->control) ||
			     is_settled(&b->now, &s->rule);
	}
}

int gate_session_run(struct gate_session *s, struct err *e)
{
	struct rng rng = rng_seeded(s->seed);
	double *seconds = malloc((s->count + 1) * sizeof(*seconds));
	int status = 0;

	if (!seconds)
		return err_set(e, ERR_MEMORY, "no memory for %zu benchmarks", s->count);
	s->blocks = 0;
	while (status == 0 && s->blocks < s->most && !all_settled(s)) {
		status = run_block(s, &rng, seconds, e);
		s->blocks += status == 0;
		if (status == 0)
			status = gate_session_test(s, e);
		if (status == 0 && s->blocks >= s->least)
			settle(s);
		if (status == 0 && s->after_block)
			s->after_block(s->ctx, s, s->blocks);
	}
	free(seconds);
	if (status == ERR_LIMIT) {
		struct err later;

		gate_session_test(s, &later);
	}
	return status;
}
