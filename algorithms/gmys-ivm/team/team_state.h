/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The state that the sources of the team (team.h) share. Other modules do not include this. */
#ifndef COPRA_GMYS_IVM_TEAM_TEAM_STATE_H
#define COPRA_GMYS_IVM_TEAM_TEAM_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "algorithms/gmys-ivm/explorers/explorer.h"
#include "algorithms/gmys-ivm/team/farmer.h"
#include "algorithms/gmys-ivm/interval_list.h"
#include "algorithms/gmys-ivm/origin.h"
#include "algorithms/gmys-ivm/explorers/ivm_device.h"
#include "algorithms/tree-search/checkpoint.h"
#include "algorithms/tree-search/depth-first/dfs_levels.h"
#include "algorithms/tree-search/search.h"
#include "harness/base/rng.h"

/* The open intervals and the counts of a worker at a cut. */
struct ivm_deposit {
	struct ivm_interval_list list;
	struct ivm_counts counts;
	struct balance balance; /* of the lengths of intervals, modulo IVM_FACTORADIC_MODULUS */
};

enum ivm_answer { IVM_ANSWER_NONE, IVM_ANSWER_NOTHING, IVM_ANSWER_WORK };

struct ivm_team;
struct ivm_team_setup; /* team.h */

struct ivm_worker {
	_Alignas(64) struct ivm_team *team;
	int id;
	bool device, started;
	pthread_t thread;

	/* Used by its own thread. Others may use counts and received while it is idle. */
	struct ivm_counts counts; /* nodes decomposed and not given away */
	uint64_t again;           /* device: decomposed, then given away to be decomposed again */
	struct ivm_interval_list received; /* intervals to start with */
	struct ivm_interval_list fresh;    /* the deposit under construction */
	uint16_t *room;         /* [IVM_FARMER_AT_ONCE][2][n]: scratch for intervals, an order */
	struct ivm_device *own; /* device explorer */
	int active;             /* IVMs that explored after the last expansion */
	struct ivm_farmer_ration ration;
	double load; /* ivm_farmer_load */
	struct ivm_sample *sample;
	int samples, sample_room;
	double sample_gap;        /* least seconds between two samples */
	struct ivm_explorer host; /* host explorer */
	struct rng rng;
	uint64_t tried[IVM_STEALS], done[IVM_STEALS];
	double seconds_wait;
	uint64_t reported;             /* host: nodes already added to host_nodes */
	double show_next;              /* what is left is told at this time; clock_wall */
	struct ivm_interval_list seen; /* for that: a copy of the open intervals */
	int status;
	struct err error;

	/* Set to make the worker check for a request, a cut, the end or a recall. */
	_Alignas(64) atomic_bool attention;

	_Alignas(64) pthread_mutex_t lock; /* protects the following fields */
	pthread_cond_t changed;
	atomic_bool open;                             /* busy; written under the lock */
	int queue[SEARCH_WORKERS_MAX], first, queued; /* ring of the ids of waiting thieves */
	enum ivm_answer answer;                       /* to the request that this worker made */
	uint64_t epoch;                               /* of its deposit */
	struct ivm_deposit deposit;
};

/* Intervals without an owner: from a checkpoint, from a static distribution, or (farmer) on their
 * way between devices and hosts. A worker that takes from or adds to the bag after a cut has begun
 * makes its deposit first. */
struct ivm_bag {
	pthread_mutex_t lock;
	struct ivm_interval_list list;
	struct ivm_interval_list deposit;
	uint64_t epoch;
	uint64_t initial;           /* total length of the intervals that the search began with */
	atomic_uint_fast64_t count; /* list.count, readable without the lock */
};

/* The best solution known (update-best-solution, section 3.4). */
struct ivm_best {
	atomic_int value;     /* IVM_NONE: none */
	pthread_mutex_t lock; /* protects the following fields */
	bool known;           /* `order` has this value */
	uint16_t *order;      /* [n] items */
};

struct ivm_team {
	const struct ivm_team_setup *setup;
	const struct ivm_request *request;
	struct ivm_problem problem;
	struct interrupt interrupt;
	struct ivm_origin origin; /* its best is updated by the main thread only */
	struct ivm_best best;
	struct ivm_bag bag;
	int workers;
	struct ivm_worker *worker;
	atomic_int work;
	atomic_bool done, stopped; /* no work is left; a limit, a signal or an error */
	atomic_bool recall;        /* farmer: hosts return their intervals */
	atomic_uint_fast64_t epoch;
	bool farmer;
	int unbalanced; /* status of the check of a checkpoint, set by the main thread */
	struct err unbalanced_error;
	struct dfs_gauge gauge;          /* of what is left, if progress is shown */
	double bag_next;                 /* the same of the bag, by the main thread */
	uint64_t bag_shown;              /* intervals in the bag then */
	atomic_uint_fast64_t host_nodes; /* farmer: nodes decomposed by hosts */

	pthread_mutex_t gathering; /* held while deposits are read */
	pthread_mutex_t lock;      /* protects `running` */
	pthread_cond_t changed;
	int running; /* threads */
};

static inline bool ivm_team_over(struct ivm_team *t)
{
	return atomic_load(&t->done) || atomic_load(&t->stopped);
}

static inline int32_t ivm_best_value(struct ivm_best *b)
{
	return atomic_load_explicit(&b->value, memory_order_relaxed);
}

/* The functions of a worker leave their error text in x->error. */

/* ---- team.c ---- */

void ivm_team_stop(struct ivm_team *t);
/* Makes all workers check for requests, a cut, the end or a recall. */
void ivm_team_call(struct ivm_team *t);
/* Subtracts `count` from the amount of work. At 0 the search ends. */
void ivm_team_less_work(struct ivm_team *t, int count);
/* Offers the leaf `order` ([n] items) with the value `value`. It becomes the best solution if it is
 * better than the best known, or equal and no order is known. */
void ivm_best_offer(struct ivm_best *b, int32_t value, const uint16_t *order, int n);
/* Copies the best solution to the origin, which writes checkpoints and the outcome. */
void ivm_best_copy(struct ivm_best *b, struct ivm_origin *o);

/* ---- team_steal.c ---- */

/* Gets work for an idle worker. Waits until it gets some or the search is over. Returns true if the
 * worker is busy now. */
bool ivm_team_acquire(struct ivm_worker *x);
/* Answers the pending requests of a busy worker. */
int ivm_team_answer(struct ivm_worker *x);
/* Makes a worker idle: it accepts no further requests and rejects the pending ones. */
void ivm_team_close(struct ivm_worker *x);

void ivm_bag_open(struct ivm_bag *b, int n);
void ivm_bag_close(struct ivm_bag *b);
/* A busy device explorer takes up to `most` intervals into `received`. */
int ivm_bag_top_up(struct ivm_worker *x, int most);
/* A busy host explorer moves all its work to the bag. The caller then makes it idle. */
int ivm_bag_return(struct ivm_worker *x);
/* A busy device explorer moves up to `most` intervals to the bag. */
int ivm_bag_donate(struct ivm_worker *x, int most, int *given);
/* Farmer: requests the hosts to return their intervals. */
void ivm_team_recall(struct ivm_team *t);

/* ---- team_checkpoint.c ---- */

/* Makes the deposit of a busy worker for the current epoch. Called by its own thread between two
 * steps. */
int ivm_cut_deposit(struct ivm_worker *x);
/* Makes the deposit of an idle worker. The caller holds its lock. */
void ivm_cut_deposit_empty(struct ivm_worker *x, uint64_t epoch);
/* Makes the last deposit of a worker whose search was stopped. */
void ivm_cut_deposit_last(struct ivm_worker *x);

/* The checkpoints of the main thread while the workers run. */
struct ivm_checkpoints {
	struct ivm_team *team;
	const struct checkpoint_plan *plan; /* NULL: nothing is written */
	double next;                        /* time of the next checkpoint; clock_wall */
	bool cutting;
};
void ivm_checkpoints_open(struct ivm_checkpoints *c, struct ivm_team *t);
/* Starts a cut when one is due and writes it when all workers have deposited. */
void ivm_checkpoints_step(struct ivm_checkpoints *c);
/* Writes and keeps the last checkpoint, as the plan says. No worker runs. */
int ivm_checkpoint_last(struct ivm_team *t, struct err *e);

/* Checks, after the last thread has ended, that no part of the tree was lost. ERR_FAILED. */
int ivm_team_check_balance(const struct ivm_team *t, bool complete, struct err *e);

/* ---- team_work.c ---- */

/* The operations of a worker, for host explorers and for device explorers. */
struct ivm_worker_kind {
	int (*open)(struct ivm_worker *x, struct err *e);
	void (*close)(struct ivm_worker *x);
	/* Starts with the intervals in `received`. */
	int (*start)(struct ivm_worker *x);
	/* Searches until the worker has no work left (*empty) or its `attention` is set. */
	int (*run)(struct ivm_worker *x, bool *empty);
	/* Appends the open intervals to `l`. *again: nodes in the counts that the next owner of the
	 * intervals counts again. */
	int (*rest)(struct ivm_worker *x, struct ivm_interval_list *l, uint64_t *again);
	/* Gives a part of the work to a thief: appends it to `l` and takes it off the counts. A
	 * host explorer keeps 1 / parts of its interval and gives the right part. A device explorer
	 * gives the whole interval of a random IVM. *got is false if there is nothing to share. */
	int (*give)(struct ivm_worker *x, int parts, struct ivm_interval_list *l, bool *got);
	struct balance (*balance)(const struct ivm_worker *x);
};
extern const struct ivm_worker_kind ivm_host_worker, ivm_device_worker;

static inline const struct ivm_worker_kind *ivm_worker_kind(const struct ivm_worker *x)
{
	return x->device ? &ivm_device_worker : &ivm_host_worker;
}

/* Tells the watch the estimated nodes below the intervals of a busy worker, when it is due. Only
 * reads. Called by its own thread between two steps. */
int ivm_worker_show_left(struct ivm_worker *x);
/* The same of the bag, by the main thread. */
void ivm_bag_show_left(struct ivm_team *t);
/* A worker has got work: nothing is known until it tells. */
static inline void ivm_worker_left_unknown(struct ivm_worker *x)
{
	watch_left(x->team->request->common.watch, x->id, -1);
}

/* Moves all work of a host explorer to the end of `l`, and subtracts it from its counts. */
int ivm_host_worker_give_all(struct ivm_worker *x, struct ivm_interval_list *l);
/* Appends up to `most` intervals of a device explorer, IVM_FARMER_AT_ONCE at most. */
int ivm_device_worker_give_some(struct ivm_worker *x, int most, struct ivm_interval_list *l);

#endif
