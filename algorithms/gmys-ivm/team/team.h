/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The published algorithm: Algorithm 7 of Gmys et al. 2017 (sections 3.4 and 3.5). Each explorer
 * searches its intervals, and steals from others when it has none.
 *
 *   device explorer   worker 0 .. devices - 1: a host thread that drives the IVMs of one device
 *   host explorer     the following workers: one IVM each, Algorithm 2
 *
 * Stealing. An idle worker (the thief) appends its id to the request queue of a randomly chosen
 * victim and waits for a reply. A busy victim answers its queue in order, between two search steps.
 * A worker that becomes idle first rejects all pending requests, so two idle workers never wait for
 * each other.
 *
 * Termination. `work` is the number of busy workers plus the number of intervals in the shared bag.
 * A victim increments it for the thief before it gives work away. When it reaches 0, no work exists
 * and none is in transit. (This is the paper's detect-end with the counter inverted.)
 *
 * Checkpoints. A checkpoint is a consistent cut, for which no worker stops. The main thread
 * increments `epoch`. Every worker deposits its open intervals and its counts at its next pause
 * between two steps and continues. Work moves only between two workers that have both deposited in
 * this epoch, or that both have not. Otherwise the one that has not deposited yet does so first.
 * The deposit of an idle worker (no interval, only counts) is made under the worker's lock by the
 * first thread that needs it.
 *
 * Sources: team.c starts and ends the search; team_steal.c moves work between workers;
 * team_checkpoint.c makes cuts and checks that no part of the tree was lost; team_work.c holds the
 * turns of host and device explorers. farmer.h explains how host explorers help devices without
 * slowing them down. */
#ifndef COPRA_GMYS_IVM_TEAM_TEAM_H
#define COPRA_GMYS_IVM_TEAM_TEAM_H

#include "algorithms/gmys-ivm/explorers/ivm_device.h"
#include "algorithms/gmys-ivm/ivm_problem.h"
#include "algorithms/gmys-ivm/ivm_search.h"

/* The functions of ivm_device.h as a table, so that tests can replace the device. */
struct ivm_device_ops {
	int (*open)(struct ivm_device **d, struct dev *dev, const struct ivm_problem *p,
		    const struct ivm_request *r, struct err *e);
	void (*close)(struct ivm_device *d);
	int (*ivms)(const struct ivm_device *d);
	int (*next)(struct ivm_device *d, int64_t best, struct ivm_device_status *s, struct err *e);
	int (*put)(struct ivm_device *d, const uint16_t *intervals, int count, struct err *e);
	int (*take)(struct ivm_device *d, int index, uint16_t *interval, int *again, bool *got,
		    struct err *e);
	int (*take_some)(struct ivm_device *d, int count, uint16_t *intervals, int *got,
			 uint64_t *again, struct err *e);
	int (*room)(struct ivm_device *d, int *empty, struct err *e);
	int (*share)(struct ivm_device *victim, struct ivm_device *thief, int *moved,
		     struct err *e);
	int (*intervals)(struct ivm_device *d, uint16_t **intervals, uint64_t *count,
			 uint64_t *again, struct err *e);
	void (*balance)(const struct ivm_device *d, struct balance *b);
	int (*best)(struct ivm_device *d, uint16_t *order, int64_t *value, bool *found,
		    struct err *e);
	void (*report)(const struct ivm_device *d, struct ivm_outcome *o);
};
extern const struct ivm_device_ops ivm_team_device_ops;

struct ivm_team_setup {
	const struct ivm_request *request;
	const struct ivm_device_ops *ops;
	struct dev *const *dev; /* [devices] */
	int devices, hosts;     /* workers of each kind; 1 .. SEARCH_WORKERS_MAX in total */
	double patience;        /* farmer: seconds before devices give work to hosts */
};

/* Runs the whole search. Errors: those of ivm_problem_make, ivm_origin_open and the devices;
 * ERR_LIMIT if it was stopped; ERR_FAILED if a part of the tree was lost (balance.h). */
int ivm_team_search(const struct ivm_team_setup *s, struct ivm_outcome *o, struct err *e);

#endif
