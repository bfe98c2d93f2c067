/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/tree-search/cluster/state.h"
#include "harness/base/checked.h"

/* ---- deposits: what a rank adds to a cut ---- */

static int collect_best(struct cluster_state *cut, const struct cluster_message *m, struct err *e)
{
	struct incumbent best = { cut->has_value, cut->value, cut->solution, cut->solution_size };
	size_t size = (size_t)m->head.solution_size;
	int status;

	if (!incumbent_improves(&best, m->head.flags & CLUSTER_FLAG_VALUE, m->head.value, size))
		return 0;
	status = incumbent_set(&best, m->head.value, m->solution, size, e);
	cut->has_value = best.known;
	cut->value = best.value;
	cut->solution = best.solution;
	cut->solution_size = best.size;
	return status;
}

/* Adds a deposit to the cut, at rank 0. Changes nothing if it is refused. */
static int collect(struct cluster *c, const struct cluster_message *m, struct err *e)
{
	const struct cluster_head *h = &m->head;
	struct lead *l = c->lead;
	void *work = NULL;
	int status = 0;

	if (h->work_size)
		status = c->ops->unpack(c->context, m->work, (size_t)h->work_size, &work, e);
	if (!status && (work ? c->ops->amount(c->context, work) : 0) != h->amount)
		status = err_set(e, ERR_INPUT, "a deposit has not the amount that it states");
	if (!status && h->detail == CLUSTER_STATE)
		status = cluster_add_counters(l->cut.counts, m, e);
	if (status) {
		if (work)
			c->ops->free(c->context, work);
		return status;
	}
	if (h->detail == CLUSTER_SUPPLEMENT) {
		l->supplements++;
	} else {
		l->deposited[h->from] = true;
		l->deposits++;
		l->sent += h->sent;
		l->received += h->received;
	}
	status = cluster_merge(c, &l->cut.work, work, e);
	if (!status && h->detail == CLUSTER_STATE)
		status = collect_best(&l->cut, m, e);
	/* not ERR_INPUT, because the state has changed */
	return status == ERR_INPUT ? err_set(e, ERR_FAILED, "deposits cannot be merged") : status;
}

int cluster_on_deposit(struct cluster *c, const struct cluster_message *m, struct err *e)
{
	const struct cluster_head *h = &m->head;
	bool state = h->detail == CLUSTER_STATE;

	if (!c->lead || !c->lead->collecting || h->epoch != c->newest)
		return err_set(e, ERR_INPUT, "a deposit, but no cut %u is under way", h->epoch);
	if (h->counters != (state ? (uint32_t)c->rules.counters : 0) ||
	    h->solution_size > c->rules.solution_most)
		return err_set(e, ERR_INPUT,
			       "a deposit with %u counters and a solution of %" PRIu64 " bytes",
			       h->counters, h->solution_size);
	if (state && c->lead->deposited[h->from])
		return err_set(e, ERR_INPUT, "a second deposit in one cut");
	return collect(c, m, e);
}

static int deliver_deposit(struct cluster *c, struct cluster_message *m, struct err *e)
{
	if (!c->lead)
		return cluster_send(c, 0, m, e);
	m->head.from = 0;
	return collect(c, m, e);
}

int cluster_supplement(struct cluster *c, const struct cluster_message *work, struct err *e)
{
	struct cluster_message m = {
		.head = { .kind = CLUSTER_DEPOSIT,
			  .detail = CLUSTER_SUPPLEMENT,
			  .amount = work->head.amount,
			  .work_size = work->head.work_size },
		.work = work->work,
	};

	return deliver_deposit(c, &m, e);
}

static int deposit(struct cluster *c, struct err *e)
{
	struct cluster_message m = {
		.head = { .kind = CLUSTER_DEPOSIT,
			  .detail = CLUSTER_STATE,
			  .flags = c->best.known ? CLUSTER_FLAG_VALUE : 0,
			  .value = c->best.value,
			  .solution_size = c->best.size,
			  .sent = c->work_sent,
			  .received = c->work_received - c->newer_messages,
			  .counters = (uint32_t)c->rules.counters },
		.counters = (const unsigned char *)c->counts,
		.solution = c->best.solution,
	};
	unsigned char *bytes = NULL;
	size_t size = 0;
	int status = 0;

	c->epoch = c->newest;
	if (c->held) {
		m.head.amount = c->ops->amount(c->context, c->held);
		status = c->ops->pack(c->context, c->held, &bytes, &size, e);
	}
	m.head.work_size = size;
	m.work = bytes;
	if (!status)
		status = deliver_deposit(c, &m, e);
	free(bytes);
	if (!status) {
		status = cluster_merge(c, &c->held, c->newer, e);
		c->newer = NULL;
		c->newer_messages = 0;
	}
	return status;
}

/* ---- waves ---- */

static int pass_on(struct cluster *c, struct err *e)
{
	for (int link = LINKS_MAX - 1; link >= 0; link--) {
		struct cluster_message m = { .head = { .kind = CLUSTER_WAVE,
						       .detail = c->order,
						       .number = c->wave,
						       .flags = c->estimate ? CLUSTER_FLAG_LEFT :
									      0 } };
		int child = tree_child(c, link);
		int status = child == NOBODY ? 0 : cluster_send(c, child, &m, e);

		if (status)
			return status;
	}
	return 0;
}

static int open_wave(struct cluster *c, enum cluster_order order, struct err *e)
{
	c->order = order;
	c->wave++;
	c->wave_open = order != CLUSTER_BYE;
	c->done = order == CLUSTER_BYE;
	c->replies = 0;
	memset(c->replied, 0, sizeof(c->replied));
	c->sums = (struct sums){ .idle = true };
	return pass_on(c, e);
}

int cluster_on_wave(struct cluster *c, const struct cluster_message *m, struct err *e)
{
	const struct cluster_head *h = &m->head;

	if (c->lead || (int)h->from != tree_parent(c->rules.rank))
		return err_set(e, ERR_INPUT, "a wave, but not from the parent");
	if (c->wave_open || h->number != c->wave + 1 || h->detail < c->order)
		return err_set(e, ERR_INPUT, "wave %" PRIu64 " after wave %" PRIu64, h->number,
			       c->wave);
	c->estimate = h->flags & CLUSTER_FLAG_LEFT;
	return open_wave(c, (enum cluster_order)h->detail, e);
}

static void least(struct incumbent *best, bool known, int64_t value)
{
	if (known && (!best->known || value < best->value))
		*best = (struct incumbent){ .known = true, .value = value };
}

int cluster_on_report(struct cluster *c, const struct cluster_message *m, struct err *e)
{
	const struct cluster_head *h = &m->head;
	int link = __builtin_ctz(h->from ^ (uint32_t)c->rules.rank);
	int status;

	if (tree_child(c, link) != (int)h->from || !c->wave_open || h->number != c->wave ||
	    c->replied[link])
		return err_set(e, ERR_INPUT, "a report of wave %" PRIu64 " that is not awaited",
			       h->number);
	if (h->counters != (uint32_t)c->rules.counters)
		return err_set(e, ERR_INPUT, "a report with %u counters", h->counters);
	status = cluster_add_counters(c->sums.counts, m, e);
	if (status)
		return status;
	c->replied[link] = true;
	c->replies++;
	c->sums.idle = c->sums.idle && (h->flags & CLUSTER_FLAG_IDLE);
	c->sums.sent += h->sent;
	c->sums.received += h->received;
	c->sums.left += h->flags & CLUSTER_FLAG_LEFT ? h->left : NAN;
	c->sums.blind += h->amount;
	least(&c->sums.best, h->flags & CLUSTER_FLAG_VALUE, h->value);
	return 0;
}

/* Adds this rank to the sums of its subtree. */
static int add_own(struct cluster *c, struct err *e)
{
	struct cluster_message own = { .head = { .counters = (uint32_t)c->rules.counters },
				       .counters = (const unsigned char *)c->counts };

	c->sums.idle = c->sums.idle && cluster_idle(c);
	c->sums.sent += c->work_sent + c->best_sent;
	c->sums.received += c->work_received + c->best_received;
	c->sums.left += c->held_left + c->taken_left + c->given_left;
	c->sums.blind += c->blind;
	least(&c->sums.best, c->best.known, c->best.value);
	return cluster_add_counters(c->sums.counts, &own, e) ?
		       err_set(e, ERR_FAILED, "the counts of all ranks exceed 64 bits") :
		       0;
}

static int report(struct cluster *c, struct err *e)
{
	struct cluster_message m = {
		.head = { .kind = CLUSTER_REPORT,
			  .number = c->wave,
			  .amount = c->sums.blind,
			  .flags = (c->sums.idle ? CLUSTER_FLAG_IDLE : 0u) |
				   (c->sums.best.known ? CLUSTER_FLAG_VALUE : 0u) |
				   (isfinite(c->sums.left) ? CLUSTER_FLAG_LEFT : 0u),
			  .value = c->sums.best.value,
			  .sent = c->sums.sent,
			  .received = c->sums.received,
			  .left = isfinite(c->sums.left) ? c->sums.left : 0,
			  .counters = (uint32_t)c->rules.counters },
		.counters = (const unsigned char *)c->sums.counts,
	};

	return cluster_send(c, tree_parent(c->rules.rank), &m, e);
}

static int children(const struct cluster *c)
{
	int count = 0;

	for (int link = 0; link < LINKS_MAX; link++)
		count += tree_child(c, link) != NOBODY;
	return count;
}

/* Whether all children replied and this rank can. */
static bool can_reply(const struct cluster *c)
{
	return c->wave_open && c->replies == children(c) &&
	       (c->order != CLUSTER_FINISH || cluster_answered(c));
}

/* ---- rank 0: what the waves say ---- */

static bool same_counts(const struct cluster *c, const uint64_t *a, const uint64_t *b)
{
	return memcmp(a, b, (size_t)c->rules.counters * sizeof(*a)) == 0;
}

/* The sums of all ranks when all have ended must agree. */
static int check_end(struct cluster *c, const struct sums *s, struct err *e)
{
	struct lead *l = c->lead;

	if (s->sent != s->received || !s->idle)
		return err_set(e, ERR_FAILED,
			       "the ranks ended with %" PRIu64 " messages sent and %" PRIu64
			       " received; please report this",
			       s->sent, s->received);
	if (s->best.known != c->best.known || (s->best.known && s->best.value != c->best.value))
		return err_set(e, ERR_FAILED,
			       "rank 0 does not have the best solution; please report this");
	if (l->stopped && !same_counts(c, s->counts, l->stopped_counts))
		return err_set(e, ERR_FAILED,
			       "the counts of the ranks are not those of the last cut; please "
			       "report this");
	l->complete = !l->stopped || !l->stopped_open;
	return 0;
}

/* A wave has returned. The next one follows at once if it can confirm that the search ended. */
static int judge_wave(struct cluster *c, double now, struct err *e)
{
	const struct sums s = c->sums;
	struct lead *l = c->lead;
	bool same =
		s.idle && l->last.idle && s.sent == l->last.sent && s.received == l->last.received;
	bool even = s.idle && s.sent == s.received;

	l->last = s;
	l->due = even && !same ? now : now + c->rules.period;
	if (c->order == CLUSTER_FINISH)
		return check_end(c, &s, e);
	if (same && s.received > s.sent)
		return err_set(e, ERR_FAILED,
			       "%" PRIu64 " messages were received, but %" PRIu64
			       " sent: work was duplicated",
			       s.received, s.sent);
	l->ended = same && even;
	return 0;
}

static void free_cut(struct cluster *c)
{
	struct cluster_state *cut = &c->lead->cut;

	if (cut->work)
		c->ops->free(c->context, cut->work);
	free(cut->solution);
	*cut = (struct cluster_state){ 0 };
}

static int begin_cut(struct cluster *c, struct err *e)
{
	struct lead *l = c->lead;

	if (c->newest == UINT32_MAX)
		return err_set(e, ERR_FAILED, "too many cuts");
	free_cut(c);
	memset(l->deposited, 0, (size_t)c->rules.ranks * sizeof(*l->deposited));
	l->deposits = 0;
	l->sent = l->received = l->supplements = 0;
	l->collecting = true;
	l->collected = false;
	l->stopped = l->cut.last = l->want_stop;
	l->want_cut = l->want_stop = false;
	c->newest++;
	return open_wave(c, l->stopped ? CLUSTER_STOP : c->order, e);
}

/* Whether the cut has all deposits and all work that was in transit. */
static int finish_cut(struct cluster *c, struct err *e)
{
	struct lead *l = c->lead;

	if (!l->collecting || l->deposits < c->rules.ranks)
		return 0;
	if (l->sent < l->received || l->supplements > l->sent - l->received)
		return err_set(e, ERR_FAILED,
			       "a cut has %" PRIu64 " messages with work sent, %" PRIu64
			       " received and %" PRIu64 " in transit: work was duplicated",
			       l->sent, l->received, l->supplements);
	if (l->supplements < l->sent - l->received)
		return 0;
	l->collecting = false;
	l->collected = true;
	if (l->stopped) {
		l->stopped_open = l->cut.work != NULL;
		memcpy(l->stopped_counts, l->cut.counts, sizeof(l->stopped_counts));
	}
	return 0;
}

/* Begins the next wave if it is due. */
static int lead(struct cluster *c, double now, struct err *e)
{
	struct lead *l = c->lead;
	bool may_cut = !l->collecting && !l->ended && c->order == CLUSTER_SEARCH;

	if (c->order == CLUSTER_FINISH)
		return open_wave(c, CLUSTER_BYE, e);
	if (may_cut && (l->want_stop || (l->want_cut && !l->collected)))
		return begin_cut(c, e);
	if (l->ended && !l->collecting)
		return open_wave(c, CLUSTER_FINISH, e);
	return now >= l->due ? open_wave(c, c->order, e) : 0;
}

int cluster_control(struct cluster *c, double now, struct err *e)
{
	int status = 0;
	bool moved = true;

	while (!status && moved && !c->done) {
		uint64_t wave = c->wave;

		moved = false;
		if (c->newest > c->epoch && !c->running)
			status = deposit(c, e);
		if (!status && c->lead)
			status = finish_cut(c, e);
		if (!status && can_reply(c)) {
			c->wave_open = false;
			status = add_own(c, e);
			if (!status)
				status = c->lead ? judge_wave(c, now, e) : report(c, e);
		}
		if (!status && c->lead && !c->wave_open) {
			status = lead(c, now, e);
			moved = c->wave != wave;
		}
	}
	return status;
}

/* ---- for the driver of rank 0 ---- */

static int need_lead(struct cluster *c, struct err *e)
{
	return c->lead ? 0 : err_set(e, ERR_USAGE, "only rank 0 begins cuts and stops");
}

int cluster_cut(struct cluster *c, double now, struct err *e)
{
	int status = need_lead(c, e);

	if (status)
		return status;
	if (!c->lead->collecting && !c->lead->collected && c->order == CLUSTER_SEARCH) {
		c->lead->want_cut = true;
		c->lead->due = now;
	}
	return 0;
}

int cluster_stop(struct cluster *c, double now, struct err *e)
{
	int status = need_lead(c, e);

	if (status)
		return status;
	if (c->order == CLUSTER_SEARCH) {
		c->lead->want_stop = true;
		c->lead->due = now;
	}
	return 0;
}

bool cluster_take_cut(struct cluster *c, struct cluster_state *out)
{
	if (!c->lead || !c->lead->collected)
		return false;
	*out = c->lead->cut;
	c->lead->cut = (struct cluster_state){ 0 };
	c->lead->collected = false;
	return true;
}

double cluster_left(const struct cluster *c)
{
	const struct sums *s = c->lead ? &c->lead->last : NULL;
	double left = s && c->estimate && !s->blind ? s->left : NAN;

	return isfinite(left) ? fmax(left, 0) : -1;
}

void cluster_totals(const struct cluster *c, uint64_t *counts, bool *complete)
{
	*complete = c->lead && c->done && c->lead->complete;
	memset(counts, 0, (size_t)c->rules.counters * sizeof(*counts));
	if (c->lead)
		memcpy(counts, c->lead->last.counts, (size_t)c->rules.counters * sizeof(*counts));
}
