/* Algorithm 7 of Gmys et al. 2017 (sections 3.4 and 3.5): explorers, each a host thread, that
 * search intervals of their own and steal from one another.
 *
 *   device explorer   numbers 0 .. devices - 1: a host thread that drives one device's IVMs
 *   host explorer     the next: one IVM, Algorithm 2
 *
 * The parts: team.c opens, starts, watches and gathers; team_worker.c is the loop of a thread;
 * team_steal.c the requests between explorers; team_bag.c the intervals that nobody owns;
 * team_cut.c the consistent cut that a checkpoint is made of, team_checkpoint.c its way to and from
 * the file, team_watch.c when; team_best.c the best solution; worker_host.c and worker_device.c do
 * the work; farmer.h says how cores help devices without slowing them.
 *
 * Requests. Who is empty (not `open`) pushes its number into the queue of a random other explorer
 * and waits. Who is open answers between two steps, in the order of the queue; who becomes empty
 * answers all that still wait with nothing. So two empty ones never wait for each other.
 *
 * The end. `work` counts the open explorers and the intervals in the bag. Who hands work over
 * counts the receiver before it stops counting itself; when it falls to 0 there is no work
 * anywhere, and none under way: the paper's detect-end with the counter turned round.
 *
 * A cut, without stopping anybody: main raises `epoch`; every explorer deposits its intervals and
 * counts when it next looks up, between two steps, and goes on. Work moves only between two that
 * have both deposited, or both not yet: an explorer that lags behind the other deposits first. An
 * empty explorer's deposit (no interval, its counts) is made by whoever needs it, under its
 * lock. */
#ifndef COPRA_GMYS_IVM_TEAM_H
#define COPRA_GMYS_IVM_TEAM_H

#include <pthread.h>
#include <stdatomic.h>

#include "harness/base/rng.h"
#include "algorithms/tree-search/checkpoint.h"
#include "algorithms/tree-search/interrupt.h"
#include "algorithms/gmys-ivm/explorer.h"
#include "algorithms/gmys-ivm/farmer.h"
#include "algorithms/gmys-ivm/interval_list.h"
#include "algorithms/gmys-ivm/ivm_device.h"
#include "algorithms/gmys-ivm/ivm_problem.h"
#include "algorithms/gmys-ivm/ivm_search.h"
#include "algorithms/gmys-ivm/origin.h"

/* What a device explorer is made of: ivm_device.h's functions; tests put others in their place. */
struct device_ops {
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
extern const struct device_ops team_device_ops;

struct team_setup {
	const struct ivm_request *request;
	const struct device_ops *ops;
	struct dev *const *dev; /* [devices] */
	int devices, hosts;     /* explorers; one at least, SEARCH_WORKERS_MAX at most */
	double patience;        /* farmer: seconds before devices give work to hosts */
};

/* What an explorer, or the bag, had to do and had counted at a cut. */
struct deposit {
	struct interval_list list;
	struct ivm_counts counts;
	struct balance balance; /* of the lengths of intervals, modulo FACTORADIC_MODULUS */
};

enum answer { ANSWER_NONE, ANSWER_NOTHING, ANSWER_WORK };

struct team;

struct worker {
	_Alignas(64) struct team *team;
	int id;
	bool device, started;
	pthread_t thread;

	/* its own thread's; counts and received also others' while it is not open */
	struct ivm_counts counts; /* of what it has done and not given away */
	uint64_t again;           /* device: decomposed, and given away to be decomposed again */
	struct interval_list received; /* to be started with */
	struct interval_list fresh;    /* the deposit in the making */
	uint16_t *room;                /* [FARMER_AT_ONCE][2][n]: intervals, an order */
	struct ivm_device *own;        /* device explorer */
	int active;                    /* IVMs that explored after the last expansion */
	struct farmer_ration ration;
	double load; /* farmer_load */
	struct ivm_sample *sample;
	int samples, sample_room;
	double sample_gap;        /* least seconds between two */
	struct ivm_explorer host; /* host explorer */
	struct rng rng;
	uint64_t tried[IVM_STEALS], done[IVM_STEALS];
	double seconds_wait;
	uint64_t reported; /* host: nodes that are in host_nodes */
	int status;
	struct err error;

	_Alignas(64) atomic_bool attention; /* look up: a request, a cut, the end, a recall */

	_Alignas(64) pthread_mutex_t lock; /* of what follows */
	pthread_cond_t changed;
	atomic_bool open;                             /* has work; written under the lock */
	int queue[SEARCH_WORKERS_MAX], first, queued; /* a ring of who asks */
	enum answer answer;                           /* to the request that this explorer made */
	uint64_t epoch;                               /* of its deposit */
	struct deposit deposit;
};

struct bag {
	pthread_mutex_t lock;
	struct interval_list list;
	struct interval_list deposit;
	uint64_t epoch;
	uint64_t initial;           /* length of all intervals that the search began with */
	atomic_uint_fast64_t count; /* list.count, to be read without the lock */
};

struct best {
	atomic_int value;     /* IVM_NONE: none */
	pthread_mutex_t lock; /* of what follows */
	bool known;           /* an order of that value, found or given */
	uint16_t *order;      /* [n] items */
};

struct team {
	const struct team_setup *setup;
	const struct ivm_request *request;
	struct ivm_problem problem;
	struct interrupt interrupt;
	struct ivm_origin origin; /* its best: as last told, by main */
	struct best best;
	struct bag bag;
	int workers;
	struct worker *worker;
	atomic_int work;
	atomic_bool done, stopped; /* no work is left; a limit, a signal, an error */
	atomic_bool recall;        /* farmer: hosts give their intervals back */
	atomic_uint_fast64_t epoch;
	bool farmer;
	int unbalanced; /* of a checkpoint, by main: ERR_FAILED */
	struct err unbalanced_error;
	atomic_uint_fast64_t host_nodes; /* farmer: decomposed by hosts */

	pthread_mutex_t gathering; /* held while deposits are read */
	pthread_mutex_t lock;      /* of `running` */
	pthread_cond_t changed;
	int running; /* threads */
};

/* The whole search. */
int team_search(const struct team_setup *s, struct ivm_outcome *o, struct err *e);

static inline bool team_over(struct team *t)
{
	return atomic_load(&t->done) || atomic_load(&t->stopped);
}

/* Functions of a worker leave the text of an error in x->error. */

/* ---- team.c ---- */

void team_stop(struct team *t);
/* Makes all workers look up. */
void team_call(struct team *t);
/* `count` less holders of work; the last one ends the search. */
void team_less_work(struct team *t, int count);

/* ---- team_worker.c ---- */

void *worker_main(void *x);
/* An open worker, between two steps: deposits, answers, gives back (*empty), where it has
 * to. */
int worker_attend(struct worker *x, bool *empty);

/* ---- team_steal.c ---- */

/* Gets work for an empty worker, as long as there may be some; true: it is open. */
bool team_acquire(struct worker *x);
/* Farmer: hosts are to give back what they have. */
void team_recall(struct team *t);
/* Answers the requests that are there; `willing` false: with nothing. */
int team_answer(struct worker *x, bool willing);
/* No requests from now on. */
void team_close(struct worker *x);
/* An open worker has become empty. */
void team_rest(struct worker *x);

/* ---- team_bag.c ---- */

void bag_open(struct bag *b, int n);
void bag_close(struct bag *b);
/* An empty worker takes up to `most` intervals, to be started with; *got: it is open. */
int bag_feed(struct worker *x, int most, bool *got);
/* An open device explorer takes up to `most` intervals into `received`. */
int bag_top_up(struct worker *x, int most);
/* An open host explorer puts all it has there. It is to rest then. */
int bag_return(struct worker *x);
/* An open device explorer puts some intervals there, up to `most`. */
int bag_donate(struct worker *x, int most, int *given);

/* ---- team_cut.c ---- */

/* An open worker's deposit at the present epoch, by its own thread between two steps. */
int cut_deposit(struct worker *x);
/* The deposit of a worker that is not open; its lock is held. */
void cut_deposit_empty(struct worker *x, uint64_t epoch);
/* The epoch of a deposit that no other follows. */
#define CUT_LAST UINT64_MAX
/* Main: starts a cut; whether all have deposited; all deposits as one, for team_write. */
int cut_start(struct team *t, struct err *e);
bool cut_complete(struct team *t);
int cut_gather(struct team *t, struct deposit *sum, struct err *e);

/* ---- team_checkpoint.c ---- */

/* The intervals that the search starts with, those of its origin, into the bag. */
int team_begin(struct team *t, struct err *e);
/* Gives them to the workers: all to worker 0 where there is but one, else one to each host and the
 * rest evenly to the devices, or to each what there is. */
int team_deal(struct team *t, struct err *e);
/* What cut_gather made of the deposits, to the file of the plan; closes it. */
int team_write(struct team *t, struct deposit *sum, struct err *e);

/* ---- team_watch.c ---- */

/* Main, while workers run: limit, signal, checkpoints. */
void team_watch(struct team *t);
/* Before they run and after their end; an error where it cannot be written. */
int team_checkpoint(struct team *t, struct err *e);

/* ---- team_balance.c ---- */

/* The lengths of the intervals that a worker received, has gone through and gave away; where
 * `waiting`, what it has received and not started with is left too. By its own thread between two
 * steps; without `waiting` by any that holds its lock, while it is not open. */
struct balance team_balance(const struct worker *x, bool waiting);
/* After the last thread has ended: of each worker, and of all with the bag. ERR_FAILED. */
int team_check_balance(const struct team *t, bool complete, struct err *e);
/* What cut_gather made: the intervals and what was gone through before are all of the tree. */
int team_check_cut(const struct team *t, const struct deposit *sum, struct err *e);

/* ---- team_best.c ---- */

/* What the search begins with. */
int best_open(struct best *b, const struct ivm_origin *o, struct err *e);
void best_close(struct best *b);
static inline int32_t best_value(struct best *b)
{
	return atomic_load_explicit(&b->value, memory_order_relaxed);
}
/* The leaf `order` ([n] items) of value `value`, where it is better than the best known, or as good
 * and no order is known. */
void best_offer(struct best *b, int32_t value, const uint16_t *order, int n);
/* Into the origin that a file or the outcome is made from. */
void best_tell(struct best *b, struct ivm_origin *o);

/* ---- worker_host.c, worker_device.c ---- */

int host_open(struct worker *x, struct err *e);
void host_close(struct worker *x);
/* Begins what was received. */
int host_start(struct worker *x);
/* Searches until it is empty, or has to look up. */
int host_run(struct worker *x, bool *empty);
/* Appends what is left to `l`; *again: nodes in the counts that will be counted again. */
int host_rest(struct worker *x, struct interval_list *l, uint64_t *again);
/* Appends all that is left to `l`, off the counts: it is empty. */
int host_give_all(struct worker *x, struct interval_list *l);
/* Appends the right part, all but 1 / parts, to `l`; *got false: there is nothing to share. */
int host_give(struct worker *x, int parts, struct interval_list *l, bool *got);

int device_open(struct worker *x, struct err *e);
void device_close(struct worker *x);
int device_start(struct worker *x);
int device_run(struct worker *x, bool *empty);
int device_rest(struct worker *x, struct interval_list *l, uint64_t *again);
/* Appends the whole interval of a random IVM to `l`, off the counts; *got false: it has none. */
int device_give(struct worker *x, struct interval_list *l, bool *got);
/* Appends some intervals, up to `most`, FARMER_AT_ONCE at most. */
int device_give_some(struct worker *x, int most, struct interval_list *l);

#endif
