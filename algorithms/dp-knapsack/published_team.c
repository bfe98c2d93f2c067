#include "algorithms/dp-knapsack/published_team.h"

#include <sched.h>

#include "harness/base/clock.h"
#include "harness/base/error.h"

/* Steps last microseconds: a sleeping barrier would cost more than the exchange that it orders. But
 * where threads outnumber cores, whoever waits long must get out of the way. */
enum { SPINS_BEFORE_YIELD = 2000, SPINS_BEFORE_SLEEP = 2200 };

void kp_team_init(struct kp_team *t, int size)
{
	t->size = size;
	atomic_init(&t->waiting, 0);
	atomic_init(&t->generation, 0);
	atomic_init(&t->worst, 0);
	atomic_init(&t->agreed, 0);
}

static void report(struct kp_team *t, int status)
{
	int seen = atomic_load(&t->worst);
	while (seen == 0 || seen == ERR_LIMIT)
		if (atomic_compare_exchange_weak(&t->worst, &seen, status))
			return;
}

int kp_team_sync(struct kp_team *t, int status)
{
	if (t->size == 1)
		return status;
	if (status)
		report(t, status);
	unsigned generation = atomic_load(&t->generation);
	if (atomic_fetch_add(&t->waiting, 1) == t->size - 1) {
		/* No other thread can arrive again before the generation changes, nor read `agreed`
		 * late: the next to write it needs everybody here first. */
		atomic_store(&t->agreed, atomic_exchange(&t->worst, 0));
		atomic_store(&t->waiting, 0);
		atomic_fetch_add(&t->generation, 1);
		return atomic_load(&t->agreed);
	}
	for (int spin = 0; atomic_load(&t->generation) == generation; spin++)
		if (spin >= SPINS_BEFORE_SLEEP)
			clock_sleep(20e-6);
		else if (spin >= SPINS_BEFORE_YIELD)
			sched_yield();
	return atomic_load(&t->agreed);
}
