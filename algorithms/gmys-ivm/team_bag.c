/* The bag: intervals that nobody owns, from a checkpoint, a static distribution or (farmer) on
 * their way between devices and hosts. Who takes from it or puts into it deposits first, where a
 * cut has begun. */
#include <string.h>

#include "algorithms/gmys-ivm/team.h"

void bag_open(struct bag *b, int n)
{
	memset(b, 0, sizeof(*b));
	pthread_mutex_init(&b->lock, NULL);
	interval_list_open(&b->list, n);
	interval_list_open(&b->deposit, n);
}

void bag_close(struct bag *b)
{
	pthread_mutex_destroy(&b->lock);
	interval_list_close(&b->list);
	interval_list_close(&b->deposit);
}

static void leave(struct bag *b)
{
	atomic_store(&b->count, b->list.count);
	pthread_mutex_unlock(&b->lock);
}

/* Locks the bag for an open worker, which has deposited at the bag's epoch. */
static int enter(struct worker *x)
{
	struct bag *b = &x->team->bag;
	int status = 0;

	pthread_mutex_lock(&b->lock);
	while (!status && x->epoch < b->epoch) {
		pthread_mutex_unlock(&b->lock);
		status = cut_deposit(x);
		pthread_mutex_lock(&b->lock);
	}
	if (status)
		pthread_mutex_unlock(&b->lock);
	return status;
}

/* Into x->received; the lock is held. */
static int take(struct worker *x, int most, int *taken)
{
	struct bag *b = &x->team->bag;

	x->received.count = 0;
	*taken = (int)interval_list_move(&x->received, &b->list, (uint64_t)most);
	if (*taken == 0 && most > 0 && b->list.count > 0)
		return err_set(&x->error, ERR_MEMORY, "no memory for %d intervals", most);
	return 0;
}

int bag_feed(struct worker *x, int most, bool *got)
{
	struct bag *b = &x->team->bag;
	int taken = 0, status;

	*got = false;
	if (most < 1 || atomic_load(&b->count) == 0)
		return 0;
	pthread_mutex_lock(&b->lock);
	status = take(x, most, &taken);
	*got = taken > 0;
	if (*got) {
		pthread_mutex_lock(&x->lock);
		if (x->epoch < b->epoch)
			cut_deposit_empty(x, b->epoch);
		atomic_store(&x->open, true);
		pthread_mutex_unlock(&x->lock);
		team_less_work(x->team, taken - 1);
	}
	leave(b);
	return status;
}

int bag_top_up(struct worker *x, int most)
{
	struct bag *b = &x->team->bag;
	int taken = 0, status;

	if (most < 1 || atomic_load(&b->count) == 0)
		return 0;
	status = enter(x);
	if (status)
		return status;
	status = take(x, most, &taken);
	team_less_work(x->team, taken);
	leave(b);
	return status;
}

/* Puts into the bag are counted as they come; the lock is held. */
static void put_end(struct worker *x, uint64_t before)
{
	struct bag *b = &x->team->bag;

	atomic_fetch_add(&x->team->work, (int)(b->list.count - before));
	leave(b);
}

int bag_return(struct worker *x)
{
	struct bag *b = &x->team->bag;
	int status = enter(x);
	uint64_t before;

	if (status)
		return status;
	before = b->list.count;
	status = host_give_all(x, &b->list);
	x->tried[IVM_H2D]++;
	x->done[IVM_H2D] += b->list.count - before;
	put_end(x, before);
	return status;
}

int bag_donate(struct worker *x, int most, int *given)
{
	struct bag *b = &x->team->bag;
	int status = enter(x);
	uint64_t before;

	*given = 0;
	if (status)
		return status;
	before = b->list.count;
	status = device_give_some(x, most, &b->list);
	x->tried[IVM_D2H] += (uint64_t)most;
	*given = (int)(b->list.count - before);
	x->done[IVM_D2H] += (uint64_t)*given;
	put_end(x, before);
	return status;
}
