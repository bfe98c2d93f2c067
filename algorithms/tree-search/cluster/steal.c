/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>

#include "algorithms/tree-search/cluster/state.h"

enum { PATIENCE_MAX = 64 };

/* ---- giving work ---- */

static double rate_of(const struct cluster *c)
{
	double rate = c->seconds > 0 ? (double)c->nodes / c->seconds : 0;

	return isfinite(rate) ? rate : 0;
}

/* The share of the i-th ask, of what is left after the asks before. An unknown rate counts as that
 * of the victim. */
static double share_of(const struct cluster *c, int i)
{
	double own = rate_of(c), mine = 0, all = 1, share;

	if (c->rules.victims == CLUSTER_PERMUTED)
		return 0.5;
	for (int j = i; j < c->asks; j++) {
		double rate = own > 0 && c->queue[j].rate > 0 ? c->queue[j].rate / own : 1;

		mine = j == i ? rate : mine;
		all += rate;
	}
	share = mine / all;
	return isfinite(share) && share > 0x1p-20 ? fmin(share, 1 - 0x1p-20) : 0x1p-20;
}

/* Takes the part of a gift off the estimate of the held work. */
static void move_left(struct cluster *c, double part, struct cluster_head *h)
{
	double moved = c->held_left * part;

	if (isnan(moved)) {
		c->blind++;
		return;
	}
	h->flags |= CLUSTER_FLAG_LEFT;
	h->left = moved;
	c->held_left -= moved;
	c->given_left += moved;
}

/* `share`: that of `work` in what was held, about. */
static int send_work(struct cluster *c, int to, enum cluster_gift gift, void *work, double share,
		     struct err *e)
{
	struct cluster_message m = { .head = { .kind = CLUSTER_WORK, .detail = gift } };
	unsigned char *bytes = NULL;
	size_t size = 0;
	int status = 0;

	if (work) {
		m.head.amount = c->ops->amount(c->context, work);
		status = c->ops->pack(c->context, work, &bytes, &size, e);
	}
	m.head.work_size = size;
	m.work = bytes;
	if (!status) {
		if (work)
			move_left(c, share, &m.head);
		c->work_sent++;
		c->stats.gifts += work != NULL;
		c->stats.units_given += m.head.amount;
		status = cluster_send(c, to, &m, e);
	}
	free(bytes);
	if (work)
		c->ops->free(c->context, work);
	return status;
}

static int refuse(struct cluster *c, const struct ask *a, struct err *e)
{
	struct cluster_message m = { .head = { .kind = CLUSTER_NONE, .detail = CLUSTER_TRY } };

	return cluster_send(c, a->rank, &m, e);
}

/* Answers an ask from the held work, or refuses it. *gave: it got work. */
static int answer(struct cluster *c, int i, bool *gave, struct err *e)
{
	const struct ask *a = &c->queue[i];
	double share = share_of(c, i);
	void *part = NULL;
	int status = 0;

	if (c->held && c->ops->amount(c->context, c->held) > c->rules.least)
		status = c->ops->split(c->context, c->held, share, &part, e);
	*gave = part != NULL;
	if (status)
		return status;
	if (part)
		return send_work(c, a->rank, a->lifeline ? CLUSTER_SERVED : CLUSTER_ANSWER, part,
				 share, e);
	return a->lifeline ? 0 : refuse(c, a, e);
}

int cluster_serve(struct cluster *c, struct err *e)
{
	int kept = 0, given = 0, status = 0;
	bool asked = c->asks > 0;

	for (int i = 0; i < c->asks && !status; i++) {
		struct ask a = c->queue[i];
		bool gave;

		status = answer(c, i, &gave, e);
		given += gave;
		if (!gave && a.lifeline)
			c->queue[kept++] = a;
	}
	c->asks = kept;
	if (!asked || given) {
		c->patience = 1;
	} else {
		c->patience = c->patience < PATIENCE_MAX ? 2 * c->patience : PATIENCE_MAX;
		c->stats.pauses_in_vain++;
	}
	return status;
}

int cluster_refuse_asks(struct cluster *c, struct err *e)
{
	bool search = c->order == CLUSTER_SEARCH;
	int kept = 0, status = 0;

	if (search && (c->running ? c->patience == 1 : c->held != NULL))
		return 0;
	for (int i = 0; i < c->asks && !status; i++) {
		struct ask a = c->queue[i];

		if (!a.lifeline)
			status = refuse(c, &a, e);
		else if (search)
			c->queue[kept++] = a;
	}
	c->asks = kept;
	return status;
}

int cluster_on_ask(struct cluster *c, const struct cluster_message *m, struct err *e)
{
	struct ask a = { (int)m->head.from, m->head.detail == CLUSTER_LIFELINE, m->head.rate };
	struct cluster_message none = { .head = { .kind = CLUSTER_NONE,
						  .detail = CLUSTER_LIFELINE } };

	if (c->rules.victims == CLUSTER_STATIC ||
	    (a.lifeline &&
	     (c->rules.victims != CLUSTER_LIFELINES || link_between(c->rules.rank, a.rank) < 0)))
		return err_set(e, ERR_INPUT, "an ask that the rule for victims does not know");
	for (int i = 0; i < c->asks; i++) {
		if (c->queue[i].rank == a.rank && c->queue[i].lifeline == a.lifeline)
			return err_set(e, ERR_INPUT, "a second ask before the first was answered");
	}
	if (!a.lifeline || c->order == CLUSTER_SEARCH)
		c->queue[c->asks++] = a;
	return a.lifeline ? cluster_send(c, a.rank, &none, e) : 0;
}

/* ---- asking for work ---- */

static void shuffle(struct cluster *c)
{
	int count = 0;

	for (int rank = 0; rank < c->rules.ranks; rank++) {
		if (rank != c->rules.rank)
			c->victims[count++] = rank;
	}
	for (int i = count - 1; i > 0; i--) {
		int j = (int)rng_below(&c->rng, (uint64_t)i + 1), other = c->victims[j];

		c->victims[j] = c->victims[i];
		c->victims[i] = other;
	}
	c->victim = 0;
	c->retry = INFINITY;
}

void cluster_renew_asks(struct cluster *c)
{
	c->tries_left = c->rules.tries;
	if (c->rules.victims == CLUSTER_PERMUTED)
		shuffle(c);
}

static int ask(struct cluster *c, int victim, enum cluster_ask detail, struct err *e)
{
	struct cluster_message m = {
		.head = { .kind = CLUSTER_ASK, .detail = detail, .rate = rate_of(c) }
	};

	if (detail == CLUSTER_TRY)
		c->asked = victim;
	c->stats.asks++;
	return cluster_send(c, victim, &m, e);
}

static int ask_by_lifelines(struct cluster *c, struct err *e)
{
	int status = 0;

	if (c->tries_left > 0) {
		uint64_t other = rng_below(&c->rng, (uint64_t)c->rules.ranks - 1);

		c->tries_left--;
		return ask(c, (int)other + ((int)other >= c->rules.rank), CLUSTER_TRY, e);
	}
	for (int link = 0; link < LINKS_MAX && !status; link++) {
		if (lifeline(c, link) == NOBODY || c->registered[link])
			continue;
		c->registered[link] = true;
		c->unanswered[link]++;
		status = ask(c, lifeline(c, link), CLUSTER_LIFELINE, e);
	}
	return status;
}

static int ask_by_permutation(struct cluster *c, double now, struct err *e)
{
	int others = c->rules.ranks - 1;

	if (c->victim == others && isinf(c->retry))
		c->retry = now + c->rules.period;
	if (c->victim == others && now >= c->retry)
		shuffle(c);
	return c->victim < others ? ask(c, c->victims[c->victim++], CLUSTER_TRY, e) : 0;
}

int cluster_ask_if_idle(struct cluster *c, double now, struct err *e)
{
	if (!cluster_idle(c) || c->order != CLUSTER_SEARCH || !c->dealt || c->asked != NOBODY ||
	    c->rules.ranks == 1)
		return 0;
	switch (c->rules.victims) {
	case CLUSTER_LIFELINES:
		return ask_by_lifelines(c, e);
	case CLUSTER_PERMUTED:
		return ask_by_permutation(c, now, e);
	default:
		return 0;
	}
}

int cluster_on_none(struct cluster *c, const struct cluster_message *m, struct err *e)
{
	int from = (int)m->head.from, link = link_between(c->rules.rank, from);

	if (m->head.detail == CLUSTER_TRY ? c->asked != from : link < 0 || !c->unanswered[link])
		return err_set(e, ERR_INPUT, "an answer to no ask");
	if (m->head.detail == CLUSTER_TRY) {
		c->asked = NOBODY;
		c->stats.refusals++;
	} else {
		c->unanswered[link]--;
	}
	return 0;
}

int cluster_deal(struct cluster *c, struct err *e)
{
	int status = 0;

	for (int rank = c->rules.ranks - 1; rank > 0 && !status; rank--) {
		void *part = NULL;

		if (c->held)
			status = c->ops->split(c->context, c->held, 1.0 / (rank + 1), &part, e);
		if (!status)
			status = send_work(c, rank, CLUSTER_DEALT, part, 1.0 / (rank + 1), e);
	}
	return status;
}
