/* The consistent cut, see team.h. */
#include <string.h>

#include "algorithms/gmys-ivm/team.h"

/* All that x has to do, to x->fresh. */
static int survey(struct worker *x, uint64_t *again)
{
	x->fresh.count = 0;
	if (x->received.count == 0)
		return x->device ? device_rest(x, &x->fresh, again) :
				   host_rest(x, &x->fresh, again);
	if (interval_list_add(&x->fresh, x->received.digits, x->received.count))
		return 0;
	return err_set(&x->error, ERR_MEMORY, "no memory for a checkpoint");
}

int cut_deposit(struct worker *x)
{
	uint64_t epoch = atomic_load(&x->team->epoch), again = 0;
	struct interval_list old;
	int status = survey(x, &again);

	if (status)
		return status;
	pthread_mutex_lock(&x->lock);
	old = x->deposit.list;
	x->deposit.list = x->fresh;
	x->deposit.counts = x->counts;
	x->deposit.counts.decomposed -= again;
	x->deposit.balance = team_balance(x, true);
	x->epoch = epoch;
	pthread_mutex_unlock(&x->lock);
	x->fresh = old;
	return 0;
}

void cut_deposit_empty(struct worker *x, uint64_t epoch)
{
	x->deposit.list.count = 0;
	x->deposit.counts = x->counts;
	x->deposit.balance = team_balance(x, false);
	x->epoch = epoch;
}

/* The bag deposits first, while nobody has seen the new epoch. */
int cut_start(struct team *t, struct err *e)
{
	struct bag *b = &t->bag;
	bool room;

	pthread_mutex_lock(&b->lock);
	b->deposit.count = 0;
	room = interval_list_add(&b->deposit, b->list.digits, b->list.count);
	b->epoch = atomic_fetch_add(&t->epoch, 1) + 1;
	pthread_mutex_unlock(&b->lock);
	team_call(t);
	return room ? 0 : err_set(e, ERR_MEMORY, "no memory for a checkpoint");
}

bool cut_complete(struct team *t)
{
	uint64_t epoch = atomic_load(&t->epoch);
	bool all = true;

	for (int i = 0; i < t->workers && all; i++) {
		struct worker *x = &t->worker[i];

		pthread_mutex_lock(&x->lock);
		if (x->epoch < epoch && !atomic_load(&x->open))
			cut_deposit_empty(x, epoch);
		all = x->epoch >= epoch;
		pthread_mutex_unlock(&x->lock);
	}
	return all;
}

int cut_gather(struct team *t, struct deposit *sum, struct err *e)
{
	bool room;

	interval_list_open(&sum->list, t->problem.n);
	sum->counts = (struct ivm_counts){ 0 };
	sum->balance = (struct balance){ .modulus = FACTORADIC_MODULUS };
	room = interval_list_add(&sum->list, t->bag.deposit.digits, t->bag.deposit.count);
	for (int i = 0; i < t->workers; i++) {
		const struct deposit *d = &t->worker[i].deposit;

		room = room && interval_list_add(&sum->list, d->list.digits, d->list.count);
		ivm_counts_add(&sum->counts, &d->counts);
		balance_add(&sum->balance, &d->balance);
	}
	if (!room) {
		interval_list_close(&sum->list);
		return err_set(e, ERR_MEMORY, "no memory for a checkpoint");
	}
	interval_list_sort(&sum->list);
	return 0;
}
