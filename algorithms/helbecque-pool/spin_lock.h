/* The spin lock of section 3.1.2.3. Its sections are short; where threads outnumber cores, whoever
 * has spun for long gives way to the holder. */
#ifndef COPRA_HELBECQUE_POOL_SPIN_LOCK_H
#define COPRA_HELBECQUE_POOL_SPIN_LOCK_H

#include <sched.h>
#include <stdatomic.h>

enum { SPIN_LOCK_SPINS = 1000 };

struct spin_lock {
	atomic_int held;
};

static inline void spin_lock(struct spin_lock *l)
{
	for (int spins = 0; atomic_exchange_explicit(&l->held, 1, memory_order_acquire);) {
		while (atomic_load_explicit(&l->held, memory_order_relaxed)) {
			if (++spins > SPIN_LOCK_SPINS)
				sched_yield();
		}
	}
}

static inline void spin_unlock(struct spin_lock *l)
{
	atomic_store_explicit(&l->held, 0, memory_order_release);
}

#endif
