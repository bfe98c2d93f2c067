/* The thread of a worker: Algorithm 7. */
#include "algorithms/gmys-ivm/team.h"

static bool wants_back(const struct worker *x)
{
	return !x->device && x->team->farmer && atomic_load(&x->team->recall);
}

int worker_attend(struct worker *x, bool *empty)
{
	struct team *t = x->team;
	int status = 0;

	/* cleared first: what is asked from now on is seen the next time */
	if (!atomic_exchange(&x->attention, false))
		return 0;
	if (x->epoch < atomic_load(&t->epoch))
		status = cut_deposit(x);
	if (!status && !atomic_load(&t->stopped))
		status = team_answer(x, true);
	if (!status && wants_back(x)) {
		status = bag_return(x);
		*empty = true;
	}
	return status;
}

/* An open worker's turn: starts what it received, searches, answers. */
static int turn(struct worker *x, bool *empty)
{
	int status = 0;

	*empty = false;
	if (x->received.count)
		status = x->device ? device_start(x) : host_start(x);
	if (!status)
		status = x->device ? device_run(x, empty) : host_run(x, empty);
	return status || *empty ? status : worker_attend(x, empty);
}

/* The last deposit: what is left where the search is stopped. Not while main gathers: its cut would
 * be torn. */
static void deposit_last(struct worker *x)
{
	struct team *t = x->team;

	pthread_mutex_lock(&t->gathering);
	if (atomic_load(&x->open))
		x->status = cut_deposit(x);
	pthread_mutex_lock(&x->lock);
	if (!atomic_load(&x->open))
		cut_deposit_empty(x, CUT_LAST);
	x->epoch = CUT_LAST;
	pthread_mutex_unlock(&x->lock);
	pthread_mutex_unlock(&t->gathering);
}

void *worker_main(void *argument)
{
	struct worker *x = argument;
	struct team *t = x->team;
	bool empty;

	while (!x->status && !team_over(t)) {
		if (!atomic_load(&x->open) && !team_acquire(x))
			break;
		x->status = turn(x, &empty);
		if (!x->status && empty)
			team_rest(x);
	}
	if (x->status)
		team_stop(t);
	else if (team_over(t))
		deposit_last(x);
	team_close(x);
	pthread_mutex_lock(&t->lock);
	t->running--;
	pthread_cond_signal(&t->changed);
	pthread_mutex_unlock(&t->lock);
	return NULL;
}
