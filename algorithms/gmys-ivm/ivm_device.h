/* A device explorer: T IVMs in the memory of one device, Algorithm 3 of Gmys et al. 2017. One host
 * thread owns it at a time. */
#ifndef COPRA_GMYS_IVM_IVM_DEVICE_H
#define COPRA_GMYS_IVM_IVM_DEVICE_H

#include "algorithms/tree-search/balance.h"
#include "algorithms/gmys-ivm/ivm_problem.h"
#include "algorithms/gmys-ivm/ivm_request.h"

struct ivm_device;

/* After every ivm_device_next. */
struct ivm_device_status {
	int64_t best;             /* least leaf known to this device */
	bool improved;            /* since the call before */
	int active, empty;        /* IVMs, after stealing inside; active = 0: intervals-empty */
	struct ivm_counts counts; /* so far */
};

/* Allocates; ERR_MEMORY where not even one warp of IVMs fits. `ivms` 0: the paper's T, or what
 * fits. */
int ivm_device_open(struct ivm_device **d, struct dev *dev, const struct ivm_problem *p,
		    const struct ivm_request *r, struct err *e);
void ivm_device_close(struct ivm_device *d);
int ivm_device_ivms(const struct ivm_device *d);

/* Lines 4 and 5: an expansion (a step, or until the trigger), then stealing inside. `best`: what
 * all workers know. */
int ivm_device_next(struct ivm_device *d, int64_t best, struct ivm_device_status *s, struct err *e);

/* Gives intervals to empty IVMs, from IVM 0 on, by the initialisation of [10]. [count][2][n]
 * digits. */
int ivm_device_put(struct ivm_device *d, const uint16_t *intervals, int count, struct err *e);
/* D2H: the whole interval of IVM `index`, which becomes empty; *got false where it is empty.
 * *again: nodes in the device's counts (which stay) that the taker counts again
 * (ivm_again_counted). */
int ivm_device_take(struct ivm_device *d, int index, uint16_t *interval, int *again, bool *got,
		    struct err *e);
/* Takes, as ivm_device_take, `count` (>= 1) intervals at most: the longest of those that were not
 * above the mean length when stealing inside last began, so that the device hardly misses them.
 * intervals: room for [count][2][n]. After ivm_device_next. */
int ivm_device_take_some(struct ivm_device *d, int count, uint16_t *intervals, int *got,
			 uint64_t *again, struct err *e);
/* IVMs that are empty now. */
int ivm_device_room(struct ivm_device *d, int *empty, struct err *e);
/* D2D: thief's IVM i takes the right half of victim's IVM i. Called by the victim's thread while
 * the thief's waits. */
int ivm_device_share(struct ivm_device *victim, struct ivm_device *thief, int *moved,
		     struct err *e);
/* All open intervals, malloc'ed [*count][2][n], in order of the IVMs; the device keeps them.
 * *again: the nodes in the device's counts that who explores these intervals counts again (the sum
 * of those of ivm_device_take). */
int ivm_device_intervals(struct ivm_device *d, uint16_t **intervals, uint64_t *count,
			 uint64_t *again, struct err *e);
/* Adds the lengths of intervals, modulo FACTORADIC_MODULUS: received by put and share; popped: what
 * its IVMs have gone through; given by take, take_some and share. After ivm_device_intervals also
 * what of the intervals at hand is done and left; else only when all IVMs are empty are the sums
 * even. As of the last ivm_device_next or ivm_device_intervals. */
void ivm_device_balance(const struct ivm_device *d, struct balance *b);
/* The order of the best leaf this device met ([n] items); *found false without. */
int ivm_device_best(struct ivm_device *d, uint16_t *order, int64_t *value, bool *found,
		    struct err *e);
/* Mode, trigger and IVMs as used; adds seconds by phase, stealing, and the busy share, which the
 * caller divides by the number of devices, to the outcome. */
void ivm_device_report(const struct ivm_device *d, struct ivm_outcome *o);

#endif
