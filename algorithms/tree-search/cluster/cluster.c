/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/tree-search/cluster/cluster.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/tree-search/cluster/state.h"
#include "harness/base/checked.h"
#include "harness/base/hash.h"

/* ---- small parts ---- */

int cluster_send(struct cluster *c, int to, struct cluster_message *m, struct err *e)
{
	struct letter *letter = malloc(sizeof(*letter));
	int status;

	if (!letter)
		return err_set(e, ERR_MEMORY, "no memory for a message between ranks");
	m->head.from = (uint32_t)c->rules.rank;
	m->head.identity = c->identity;
	/* work has the epoch of its sender's state, orders that of the search */
	m->head.epoch = m->head.kind == CLUSTER_WORK ? c->epoch : c->newest;
	status = cluster_message_pack(m, &letter->mail.bytes, &letter->mail.size, e);
	if (status) {
		free(letter);
		return status;
	}
	letter->next = NULL;
	letter->mail.to = to;
	*c->end = letter;
	c->end = &letter->next;
	c->stats.messages++;
	c->stats.bytes += letter->mail.size;
	return 0;
}

bool cluster_idle(const struct cluster *c)
{
	return !c->running && (c->order != CLUSTER_SEARCH || !c->held);
}

bool cluster_answered(const struct cluster *c)
{
	for (int link = 0; link < LINKS_MAX; link++) {
		if (c->unanswered[link])
			return false;
	}
	return c->asked == NOBODY;
}

int cluster_merge(struct cluster *c, void **into, void *from, struct err *e)
{
	int status;

	if (!from)
		return 0;
	if (!*into) {
		*into = from;
		return 0;
	}
	status = c->ops->merge(c->context, *into, from, e);
	if (status)
		c->ops->free(c->context, from);
	return status;
}

/* A solution is better than a bound of the same value. */
bool incumbent_improves(const struct incumbent *old, bool known, int64_t value, size_t size)
{
	return known &&
	       (!old->known || value < old->value || (value == old->value && size && !old->size));
}

int incumbent_set(struct incumbent *old, int64_t value, const unsigned char *solution, size_t size,
		  struct err *e)
{
	unsigned char *copy = size ? malloc(size) : NULL;

	if (size && !copy)
		return err_set(e, ERR_MEMORY, "no memory for a solution");
	if (size)
		memcpy(copy, solution, size);
	free(old->solution);
	*old = (struct incumbent){ true, value, copy, size };
	return 0;
}

int cluster_add_counters(uint64_t *total, const struct cluster_message *m, struct err *e)
{
	uint64_t sum[CLUSTER_COUNTERS_MAX], one;

	for (uint32_t i = 0; i < m->head.counters; i++) {
		memcpy(&one, m->counters + i * sizeof(one), sizeof(one));
		if (!checked_add_u64(total[i], one, &sum[i]))
			return err_set(e, ERR_INPUT, "counter %u exceeds 64 bits", i);
	}
	memcpy(total, sum, m->head.counters * sizeof(*sum));
	return 0;
}

/* ---- incumbents ---- */

/* Takes a solution if it is better, and passes it on along the tree, but not to `source`. */
static int adopt(struct cluster *c, bool known, int64_t value, const unsigned char *solution,
		 size_t size, int source, struct err *e)
{
	struct cluster_message m = { .head = { .kind = CLUSTER_BEST,
					       .flags = CLUSTER_FLAG_VALUE,
					       .value = value,
					       .solution_size = size },
				     .solution = solution };
	int parent = c->rules.rank ? tree_parent(c->rules.rank) : NOBODY, status;

	if (!incumbent_improves(&c->best, known, value, size))
		return 0;
	status = incumbent_set(&c->best, value, solution, size, e);
	for (int link = -1; !status && link < LINKS_MAX; link++) {
		int to = link < 0 ? parent : tree_child(c, link);

		if (to == NOBODY || to == source)
			continue;
		c->best_sent++;
		status = cluster_send(c, to, &m, e);
	}
	return status;
}

static int on_best(struct cluster *c, const struct cluster_message *m, struct err *e)
{
	const struct cluster_head *h = &m->head;

	if (!(h->flags & CLUSTER_FLAG_VALUE) || h->solution_size > c->rules.solution_most)
		return err_set(e, ERR_INPUT, "a solution of %" PRIu64 " bytes, at most %zu",
			       h->solution_size, c->rules.solution_most);
	c->best_received++;
	return adopt(c, true, h->value, m->solution, (size_t)h->solution_size, (int)h->from, e);
}

/* ---- receiving work ---- */

static bool work_is_awaited(const struct cluster *c, const struct cluster_head *h)
{
	int from = (int)h->from, link = link_between(c->rules.rank, from);

	switch (h->detail) {
	case CLUSTER_ANSWER:
		return c->asked == from;
	case CLUSTER_SERVED:
		return link >= 0 && c->registered[link];
	default:
		return from == 0 && !c->dealt;
	}
}

/* Only rank 0 begins an epoch, and the one before has no work in transit then. */
static bool epoch_is_possible(const struct cluster *c, uint32_t epoch)
{
	if (epoch == c->epoch)
		return true;
	if (epoch < c->epoch)
		return epoch + 1 == c->epoch && (!c->lead || c->lead->collecting);
	return epoch - 1 == c->epoch && (!c->lead || epoch == c->newest);
}

static int unpack_work(struct cluster *c, const struct cluster_message *m, void **work,
		       struct err *e)
{
	const struct cluster_head *h = &m->head;
	int status;

	*work = NULL;
	if (!h->work_size && !h->amount && h->detail == CLUSTER_DEALT)
		return 0;
	status = c->ops->unpack(c->context, m->work, (size_t)h->work_size, work, e);
	if (!status && (!h->amount || c->ops->amount(c->context, *work) != h->amount)) {
		c->ops->free(c->context, *work);
		return err_set(e, ERR_INPUT, "the work has not the amount that it states");
	}
	return status;
}

/* The estimate of a gift. */
static void receive_left(struct cluster *c, const struct cluster_head *h)
{
	bool known = h->flags & CLUSTER_FLAG_LEFT;

	c->held_left += known ? h->left : NAN;
	c->given_left -= known ? h->left : 0;
	c->blind -= !known;
}

static int on_work(struct cluster *c, const struct cluster_message *m, struct err *e)
{
	const struct cluster_head *h = &m->head;
	int status = 0;
	void *work;

	if (!work_is_awaited(c, h))
		return err_set(e, ERR_INPUT, "work that was not asked for");
	if (!epoch_is_possible(c, h->epoch))
		return err_set(e, ERR_INPUT, "work of epoch %u in epoch %u", h->epoch, c->epoch);
	status = unpack_work(c, m, &work, e);
	if (status)
		return status;
	c->work_received++;
	if (work)
		receive_left(c, h);
	c->stats.units_received += h->amount;
	if (h->detail == CLUSTER_ANSWER)
		c->asked = NOBODY;
	else if (h->detail == CLUSTER_SERVED)
		c->registered[link_between(c->rules.rank, (int)h->from)] = false;
	else
		c->dealt = true;
	if (h->epoch > c->epoch) {
		c->newest = h->epoch;
		c->newer_messages++;
		return cluster_merge(c, &c->newer, work, e);
	}
	if (h->epoch < c->epoch)
		status = cluster_supplement(c, m, e);
	if (status == 0)
		return cluster_merge(c, &c->held, work, e);
	if (work)
		c->ops->free(c->context, work);
	return status == ERR_INPUT ? err_set(e, ERR_FAILED, "work cannot be read twice") : status;
}

static int on_wave(struct cluster *c, const struct cluster_message *m, struct err *e)
{
	uint32_t before = c->newest;
	int status;

	if (m->head.epoch != before && (m->head.epoch != before + 1 || before > c->epoch))
		return err_set(e, ERR_INPUT, "a wave of epoch %u in epoch %u", m->head.epoch,
			       c->epoch);
	c->newest = m->head.epoch; /* passed on with the wave */
	status = cluster_on_wave(c, m, e);
	if (status == ERR_INPUT)
		c->newest = before;
	return status;
}

/* ---- a message arrives ---- */

static int check_sender(const struct cluster *c, int from, const struct cluster_head *h,
			struct err *e)
{
	if (from < 0 || from >= c->rules.ranks || from == c->rules.rank)
		return err_set(e, ERR_INPUT, "there is no such rank");
	if (h->identity != c->identity)
		return err_set(e, ERR_INPUT,
			       "it has another instance, other flags or another build (%016" PRIx64
			       ", this rank %d has %016" PRIx64 ")",
			       h->identity, c->rules.rank, c->identity);
	if (h->from != (uint32_t)from)
		return err_set(e, ERR_INPUT, "it calls itself rank %u", h->from);
	/* rank 0 orders the end when all work and all incumbents have arrived */
	if (c->done ||
	    (c->order == CLUSTER_FINISH && (h->kind == CLUSTER_WORK || h->kind == CLUSTER_BEST)))
		return err_set(e, ERR_INPUT, "a message after the end of the search");
	return 0;
}

/* Kinds have only the parts that they need. */
static int check_parts(const struct cluster_head *h, struct err *e)
{
	bool counters = h->kind == CLUSTER_REPORT || h->kind == CLUSTER_DEPOSIT;
	bool solution = h->kind == CLUSTER_BEST || h->kind == CLUSTER_DEPOSIT;
	bool work = h->kind == CLUSTER_WORK || h->kind == CLUSTER_DEPOSIT;

	if ((!counters && h->counters) || (!solution && h->solution_size) ||
	    (!work && h->work_size) || (!(h->flags & CLUSTER_FLAG_VALUE) && h->solution_size))
		return err_set(e, ERR_INPUT, "kind %u has parts that it must not have", h->kind);
	return 0;
}

static int dispatch(struct cluster *c, const struct cluster_message *m, struct err *e)
{
	static int (*const on[CLUSTER_KINDS])(struct cluster *, const struct cluster_message *,
					      struct err *) = {
		[CLUSTER_ASK] = cluster_on_ask,
		[CLUSTER_NONE] = cluster_on_none,
		[CLUSTER_WORK] = on_work,
		[CLUSTER_BEST] = on_best,
		[CLUSTER_WAVE] = on_wave,
		[CLUSTER_REPORT] = cluster_on_report,
		[CLUSTER_DEPOSIT] = cluster_on_deposit,
	};

	return on[m->head.kind](c, m, e);
}

/* Everything that is due after an event. */
static int step(struct cluster *c, double now, struct err *e)
{
	int status = cluster_control(c, now, e);

	if (!status)
		status = cluster_refuse_asks(c, e);
	return status ? status : cluster_ask_if_idle(c, now, e);
}

static int failed(const struct cluster *c, struct err *e)
{
	return err_set(e, c->failure.code, "%s", c->failure.text);
}

/* Remembers an error after which the state is not usable. */
static int settle(struct cluster *c, int status, const struct err *text, struct err *e)
{
	if (!status)
		return 0;
	c->failure = *text;
	c->failure.code = status;
	return failed(c, e);
}

int cluster_receive(struct cluster *c, int from, const unsigned char *bytes, size_t size,
		    double now, struct err *e)
{
	struct cluster_message m;
	struct err text = { 0 };
	int status;

	if (c->failure.code)
		return failed(c, e);
	status = cluster_message_unpack(bytes, size, &m, &text);
	if (!status)
		status = check_sender(c, from, &m.head, &text);
	if (!status)
		status = check_parts(&m.head, &text);
	if (!status)
		status = dispatch(c, &m, &text);
	if (status)
		err_prefix(&text, "message from rank %d", from);
	if (status == ERR_INPUT)
		return err_set(e, status, "%s", text.text);
	if (!status)
		status = step(c, now, &text);
	return settle(c, status, &text, e);
}

bool cluster_next(struct cluster *c, struct cluster_mail *out)
{
	struct letter *letter = c->first;

	if (!letter)
		return false;
	c->first = letter->next;
	if (!c->first)
		c->end = &c->first;
	*out = letter->mail;
	free(letter);
	return true;
}

/* ---- the engine ---- */

static double pause_due(const struct cluster *c)
{
	return c->since + c->rules.slice * c->patience;
}

int cluster_act(struct cluster *c, double now, enum cluster_action *out, struct err *e)
{
	struct err text = { 0 };
	int status = c->failure.code ? failed(c, e) : settle(c, step(c, now, &text), &text, e);

	*out = CLUSTER_WAIT;
	if (status)
		return status;
	if (c->done)
		*out = CLUSTER_DONE;
	else if (c->running && (c->order != CLUSTER_SEARCH || c->newest > c->epoch ||
				(c->asks > 0 && now >= pause_due(c))))
		*out = CLUSTER_PAUSE;
	else if (!c->running && c->order == CLUSTER_SEARCH && c->held)
		*out = CLUSTER_RUN;
	c->pausing = *out == CLUSTER_PAUSE;
	return 0;
}

double cluster_wake(const struct cluster *c)
{
	double wake = INFINITY;

	if (c->done)
		return wake;
	if (c->running && c->asks > 0 && !c->pausing)
		wake = pause_due(c);
	if (c->lead && !c->wave_open)
		wake = fmin(wake, c->lead->due);
	if (c->rules.victims == CLUSTER_PERMUTED && c->order == CLUSTER_SEARCH && cluster_idle(c))
		wake = fmin(wake, c->retry);
	return wake;
}

int cluster_take(struct cluster *c, double now, void **work, struct err *e)
{
	struct err text = { 0 };
	int status;

	*work = NULL;
	if (c->failure.code)
		return failed(c, e);
	if (c->running || !c->held || c->order != CLUSTER_SEARCH)
		return err_set(e, ERR_FAILED, "work was taken without the action CLUSTER_RUN");
	status = cluster_serve(c, &text);
	if (status)
		return settle(c, status, &text, e);
	*work = c->held;
	c->taken_left = c->held_left;
	c->held = NULL;
	c->held_left = 0;
	c->running = true;
	c->since = now;
	cluster_renew_asks(c);
	return 0;
}

static int add_slice(struct cluster *c, const struct cluster_slice *s, bool start, struct err *e)
{
	void *work = s->work;

	if (work && !c->ops->amount(c->context, work)) {
		c->ops->free(c->context, work);
		work = NULL;
	}
	for (int i = 0; s->counts && i < c->rules.counters; i++) {
		if (!checked_add_u64(c->counts[i], s->counts[i], &c->counts[i])) {
			if (work)
				c->ops->free(c->context, work);
			return err_set(e, ERR_FAILED, "counter %d exceeds 64 bits", i);
		}
	}
	if (s->counts && !start)
		c->nodes += s->counts[0];
	c->taken_left = 0;
	if (work)
		c->held_left += s->left > 0 ? s->left : NAN;
	return cluster_merge(c, &c->held, work, e);
}

static int check_solution(const struct cluster *c, bool has_value, size_t size, struct err *e)
{
	if (size > c->rules.solution_most || (size && !has_value))
		return err_set(e, ERR_FAILED, "a solution of %zu bytes, at most %zu", size,
			       c->rules.solution_most);
	return 0;
}

int cluster_return(struct cluster *c, const struct cluster_slice *slice, double now, struct err *e)
{
	struct err text = { 0 };
	int status;

	if (c->failure.code || !c->running) {
		if (slice->work)
			c->ops->free(c->context, slice->work);
		return c->failure.code ? failed(c, e) :
					 err_set(e, ERR_FAILED, "no slice is under way");
	}
	c->running = false;
	c->seconds += now - c->since;
	status = add_slice(c, slice, false, &text);
	if (!status)
		status = check_solution(c, slice->has_value, slice->solution_size, &text);
	if (!status)
		status = adopt(c, slice->has_value, slice->value, slice->solution,
			       slice->solution_size, NOBODY, &text);
	if (!status)
		status = step(c, now, &text);
	return settle(c, status, &text, e);
}

int cluster_found(struct cluster *c, int64_t value, const unsigned char *solution, size_t size,
		  double now, struct err *e)
{
	struct err text = { 0 };
	int status;

	if (c->failure.code)
		return failed(c, e);
	if (!c->running)
		return err_set(e, ERR_FAILED, "no slice is under way");
	status = check_solution(c, true, size, &text);
	if (!status)
		status = adopt(c, true, value, solution, size, NOBODY, &text);
	if (!status)
		status = step(c, now, &text);
	return settle(c, status, &text, e);
}

bool cluster_best(const struct cluster *c, int64_t *value, const unsigned char **solution,
		  size_t *size)
{
	if (c->best.known) {
		*value = c->best.value;
		*solution = c->best.solution;
		*size = c->best.size;
	}
	return c->best.known;
}

bool cluster_estimates(const struct cluster *c)
{
	return c->estimate;
}

const struct cluster_stats *cluster_stats(const struct cluster *c)
{
	return &c->stats;
}

/* ---- the beginning and the end ---- */

static int check_rules(const struct cluster_rules *r, struct err *e)
{
	if (r->ranks < 1 || r->ranks > CLUSTER_RANKS_MAX || r->rank < 0 || r->rank >= r->ranks)
		return err_set(e, ERR_USAGE, "rank %d of %d ranks", r->rank, r->ranks);
	if (r->counters < 1 || r->counters > CLUSTER_COUNTERS_MAX)
		return err_set(e, ERR_USAGE, "%d counters", r->counters);
	if (r->tries < 0 || !isfinite(r->slice) || r->slice < 0 || !isfinite(r->period) ||
	    !(r->period > 0))
		return err_set(e, ERR_USAGE, "tries, slice or period out of range");
	return 0;
}

/* Of all that must be equal on all ranks. */
static uint64_t identity_of(const struct cluster_rules *r)
{
	uint64_t h = hash_u64(HASH_INIT, r->identity);

	h = hash_u64(h, (uint64_t)r->ranks);
	h = hash_u64(h, (uint64_t)r->victims);
	h = hash_u64(h, r->deal);
	h = hash_u64(h, (uint64_t)r->counters);
	return hash_u64(h, r->solution_most);
}

static int begin(struct cluster *c, const struct cluster_slice *start, double now, struct err *e)
{
	int status = add_slice(c, start, true, e);

	if (!status)
		status = check_solution(c, start->has_value, start->solution_size, e);
	if (!status)
		status = adopt(c, start->has_value, start->value, start->solution,
			       start->solution_size, NOBODY, e);
	if (!status && c->rules.deal && c->lead)
		status = cluster_deal(c, e);
	if (c->lead) {
		c->lead->due = now;
		c->lead->last.left = NAN;
	}
	if (!status)
		cluster_renew_asks(c);
	return status ? status : step(c, now, e);
}

static int allocate(struct cluster *c, struct err *e)
{
	size_t ranks = (size_t)c->rules.ranks;

	c->queue = calloc(2 * ranks, sizeof(*c->queue));
	c->victims = calloc(ranks, sizeof(*c->victims));
	if (c->rules.rank == 0)
		c->lead = calloc(1, sizeof(*c->lead));
	if (c->lead)
		c->lead->deposited = calloc(ranks, sizeof(*c->lead->deposited));
	if (!c->queue || !c->victims || (c->rules.rank == 0 && (!c->lead || !c->lead->deposited)))
		return err_set(e, ERR_MEMORY, "no memory for %d ranks", c->rules.ranks);
	return 0;
}

int cluster_create(struct cluster **out, const struct cluster_rules *rules,
		   const struct cluster_work_ops *ops, void *context,
		   const struct cluster_slice *start, double now, struct err *e)
{
	int status = check_rules(rules, e);
	struct cluster *c = status ? NULL : calloc(1, sizeof(*c));

	*out = NULL;
	if (!c) {
		if (start->work)
			ops->free(context, start->work);
		return status ? status : err_set(e, ERR_MEMORY, "no memory for a rank");
	}
	c->rules = *rules;
	c->ops = ops;
	c->context = context;
	c->identity = identity_of(rules);
	c->estimate = rules->rank == 0 && rules->estimate;
	c->end = &c->first;
	c->patience = 1;
	c->asked = NOBODY;
	c->dealt = !rules->deal || rules->rank == 0;
	c->rng = rng_seeded(rng_at(rules->seed, (uint64_t)rules->rank));
	status = allocate(c, e);
	if (!status)
		status = begin(c, start, now, e);
	else if (start->work)
		ops->free(context, start->work);
	if (status)
		cluster_destroy(c);
	else
		*out = c;
	return status;
}

void cluster_destroy(struct cluster *c)
{
	struct cluster_mail mail;
	struct cluster_state cut;

	if (!c)
		return;
	while (cluster_next(c, &mail))
		free(mail.bytes);
	if (c->held)
		c->ops->free(c->context, c->held);
	if (c->newer)
		c->ops->free(c->context, c->newer);
	if (c->lead) {
		c->lead->collected = true;
		cluster_take_cut(c, &cut);
		if (cut.work)
			c->ops->free(c->context, cut.work);
		free(cut.solution);
		free(c->lead->deposited);
	}
	free(c->lead);
	free(c->best.solution);
	free(c->queue);
	free(c->victims);
	free(c);
}
