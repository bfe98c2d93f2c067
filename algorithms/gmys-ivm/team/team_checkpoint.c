/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Consistent cuts, checkpoints, and the check that no part of the tree was lost. */
#include "algorithms/gmys-ivm/team/team_state.h"

#include <string.h>
#include "algorithms/gmys-ivm/team/team.h"
#include "harness/base/clock.h"

enum { WRITE_SHARE = 20 }; /* a checkpoint that took s seconds is followed by 20 s without one */

/* The epoch of the last deposit of a worker. */
#define CUT_LAST UINT64_MAX

/* ---- deposits ---- */

/* The lengths of the intervals that a worker received, explored and gave away. With `waiting` the
 * intervals in `received` are included. Called by its own thread between two steps; without
 * `waiting`, by any thread that holds its lock while it is idle. */
static struct balance balance_of(const struct ivm_worker *x, bool waiting)
{
	struct balance b = ivm_worker_kind(x)->balance(x), more = { 0 };

	if (waiting)
		more.received = more.left = ivm_interval_list_length(&x->received);
	balance_add(&b, &more);
	return b;
}

/* Copies the open intervals of x to x->fresh. */
static int survey(struct ivm_worker *x, uint64_t *again)
{
	x->fresh.count = 0;
	if (x->received.count == 0)
		return ivm_worker_kind(x)->rest(x, &x->fresh, again);
	if (ivm_interval_list_add(&x->fresh, x->received.digits, x->received.count))
		return 0;
	return err_set(&x->error, ERR_MEMORY, "no memory for a checkpoint");
}

int ivm_cut_deposit(struct ivm_worker *x)
{
	uint64_t epoch = atomic_load(&x->team->epoch), again = 0;
	struct ivm_interval_list old;
	int status = survey(x, &again);

	if (status)
		return status;
	pthread_mutex_lock(&x->lock);
	old = x->deposit.list;
	x->deposit.list = x->fresh;
	x->deposit.counts = x->counts;
	x->deposit.counts.decomposed -= again;
	x->deposit.balance = balance_of(x, true);
	x->epoch = epoch;
	pthread_mutex_unlock(&x->lock);
	x->fresh = old;
	return 0;
}

void ivm_cut_deposit_empty(struct ivm_worker *x, uint64_t epoch)
{
	x->deposit.list.count = 0;
	x->deposit.counts = x->counts;
	x->deposit.balance = balance_of(x, false);
	x->epoch = epoch;
}

/* Waits while the main thread gathers deposits, because changing one would make the cut
 * inconsistent.
 */
void ivm_cut_deposit_last(struct ivm_worker *x)
{
	struct ivm_team *t = x->team;

	pthread_mutex_lock(&t->gathering);
	if (atomic_load(&x->open))
		x->status = ivm_cut_deposit(x);
	pthread_mutex_lock(&x->lock);
	if (!atomic_load(&x->open))
		ivm_cut_deposit_empty(x, CUT_LAST);
	x->epoch = CUT_LAST;
	pthread_mutex_unlock(&x->lock);
	pthread_mutex_unlock(&t->gathering);
}

/* ---- cuts ---- */

/* Starts a cut. The bag makes its deposit before any worker sees the new epoch. */
static int cut_start(struct ivm_team *t, struct err *e)
{
	struct ivm_bag *b = &t->bag;
	bool room;

	pthread_mutex_lock(&b->lock);
	b->deposit.count = 0;
	room = ivm_interval_list_add(&b->deposit, b->list.digits, b->list.count);
	b->epoch = atomic_fetch_add(&t->epoch, 1) + 1;
	pthread_mutex_unlock(&b->lock);
	ivm_team_call(t);
	return room ? 0 : err_set(e, ERR_MEMORY, "no memory for a checkpoint");
}

/* Makes the missing deposits of idle workers. Returns whether all workers have deposited. */
static bool cut_complete(struct ivm_team *t)
{
	uint64_t epoch = atomic_load(&t->epoch);
	bool all = true;

	for (int i = 0; i < t->workers && all; i++) {
		struct ivm_worker *x = &t->worker[i];

		pthread_mutex_lock(&x->lock);
		if (x->epoch < epoch && !atomic_load(&x->open))
			ivm_cut_deposit_empty(x, epoch);
		all = x->epoch >= epoch;
		pthread_mutex_unlock(&x->lock);
	}
	return all;
}

/* Adds up all deposits. */
static int cut_gather(struct ivm_team *t, struct ivm_deposit *sum, struct err *e)
{
	bool room;

	ivm_interval_list_open(&sum->list, t->problem.n);
	sum->counts = (struct ivm_counts){ 0 };
	sum->balance = (struct balance){ .modulus = IVM_FACTORADIC_MODULUS };
	room = ivm_interval_list_add(&sum->list, t->bag.deposit.digits, t->bag.deposit.count);
	for (int i = 0; i < t->workers; i++) {
		const struct ivm_deposit *d = &t->worker[i].deposit;

		room = room && ivm_interval_list_add(&sum->list, d->list.digits, d->list.count);
		ivm_counts_add(&sum->counts, &d->counts);
		balance_add(&sum->balance, &d->balance);
	}
	if (!room) {
		ivm_interval_list_close(&sum->list);
		return err_set(e, ERR_MEMORY, "no memory for a checkpoint");
	}
	ivm_interval_list_sort(&sum->list);
	return 0;
}

/* ---- balance (balance.h): amounts are lengths of intervals, modulo IVM_FACTORADIC_MODULUS ---- */

static const char ENGINE[] = "gmys-ivm published", UNIT[] = "lengths of intervals";

/* The balance of a worker after its thread has ended: after a stop, that of its last deposit. */
static struct balance at_end(const struct ivm_worker *x)
{
	return x->epoch == CUT_LAST ? x->deposit.balance : balance_of(x, true);
}

/* The balance of the intervals in transit between the workers, including the bag. Intervals that
 * workers receive count as given here. */
static struct balance between(const struct ivm_team *t, const struct balance *workers)
{
	return (struct balance){ .modulus = IVM_FACTORADIC_MODULUS,
				 .initial = t->bag.initial,
				 .received = workers->given,
				 .given = workers->received,
				 .left = ivm_interval_list_length(&t->bag.list) };
}

int ivm_team_check_balance(const struct ivm_team *t, bool complete, struct err *e)
{
	struct balance_name name = { ENGINE, NULL, 0, UNIT };
	struct balance sum = { .modulus = IVM_FACTORADIC_MODULUS }, way;

	for (int i = 0; i < t->workers; i++) {
		const struct ivm_worker *x = &t->worker[i];
		struct balance b = at_end(x);
		int status;

		name.part = x->device ? "device" : "thread";
		name.number = x->device ? i : i - t->setup->devices;
		status = balance_check(&b, &name, complete, e);
		if (status)
			return status;
		balance_add(&sum, &b);
	}
	name.part = "bag and steals";
	name.number = -1;
	way = between(t, &sum);
	return balance_check(&way, &name, complete, e);
}

/* Checks that the intervals of a cut and the part explored before make up the whole tree. */
static int check_cut(const struct ivm_team *t, const struct ivm_deposit *sum, struct err *e)
{
	static const struct balance_name name = { ENGINE, "checkpoint", -1, UNIT };
	const struct balance b = { .modulus = IVM_FACTORADIC_MODULUS,
				   .initial = t->bag.initial,
				   .popped = sum->balance.popped,
				   .left = ivm_interval_list_length(&sum->list) };

	return balance_check(&b, &name, false, e);
}

/* ---- checkpoints ---- */

/* NULL if no checkpoints are to be written. */
static const struct checkpoint_plan *plan_of(const struct ivm_team *t)
{
	const struct checkpoint_plan *p = t->request->common.checkpoint;

	return p && p->write ? p : NULL;
}

/* Writes a gathered cut to the file of the plan, and frees it. `ends`: the search ends with it. */
static int write_cut(struct ivm_team *t, struct ivm_deposit *sum, bool ends, struct err *e)
{
	int status = check_cut(t, sum, e);

	ivm_best_copy(&t->best, &t->origin);
	if (!status)
		status = (ends ? ivm_origin_end : ivm_origin_write)(&t->origin, &t->request->common,
								    sum->counts, sum->list.digits,
								    sum->list.count, e);
	ivm_interval_list_close(&sum->list);
	return status;
}

/* Gathers the cut if it is complete. Returns false if it is not, or if the search is over. */
static bool gather_cut(struct ivm_team *t, struct ivm_deposit *sum)
{
	bool whole;

	pthread_mutex_lock(&t->gathering);
	whole = !ivm_team_over(t) && cut_complete(t) && cut_gather(t, sum, NULL) == 0;
	pthread_mutex_unlock(&t->gathering);
	return whole;
}

void ivm_checkpoints_open(struct ivm_checkpoints *c, struct ivm_team *t)
{
	*c = (struct ivm_checkpoints){ .team = t, .plan = plan_of(t) };
	c->next = c->plan ? clock_wall() + checkpoint_period(c->plan) : 0;
}

/* The workers continue while the file is written. */
void ivm_checkpoints_step(struct ivm_checkpoints *c)
{
	double now = clock_wall(), took;
	struct ivm_deposit sum;
	int status;

	if (!c->plan)
		return;
	if (!c->cutting && now >= c->next) {
		c->cutting = cut_start(c->team, NULL) == 0;
		c->next = now + checkpoint_period(c->plan);
	}
	if (!c->cutting || !gather_cut(c->team, &sum))
		return;
	c->cutting = false;
	now = clock_wall();
	status = write_cut(c->team, &sum, false, &c->team->unbalanced_error);
	took = clock_wall() - now;
	if (c->next < now + WRITE_SHARE * took)
		c->next = now + WRITE_SHARE * took;
	if (status) { /* a part of the tree was lost */
		c->team->unbalanced = status;
		ivm_team_stop(c->team);
	}
}

int ivm_checkpoint_last(struct ivm_team *t, struct err *e)
{
	struct ivm_deposit sum;
	int status;

	if (!checkpoint_is_kept(t->request->common.checkpoint))
		return 0;
	status = cut_start(t, e);
	if (status)
		return status;
	cut_complete(t);
	status = cut_gather(t, &sum, e);
	return status ? status : write_cut(t, &sum, true, e);
}
