/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* One tree search on several ranks (nodes of a cluster, or GPUs): the protocol of one rank, as a
 * state machine without input or output, threads or clock.
 *
 * A rank has a driver and an engine. The engine searches open work in slices, on all processors of
 * the rank. The driver carries messages, passes the time, and starts and pauses the engine as the
 * state machine asks:
 *
 *     cluster_create(&c, &rules, &ops, context, &start, now, e);
 *     do {
 *             for each message that arrived: cluster_receive(c, from, bytes, size, now, e);
 *             cluster_act(c, now, &action, e);
 *             CLUSTER_RUN:   cluster_take(c, now, &work, e), start the engine with `work` and the
 *                            value of cluster_best();
 *             CLUSTER_PAUSE: stop the engine soon, cluster_return(c, &slice, now, e);
 *             while (cluster_next(c, &m)): send m.bytes to rank m.to, then free them;
 *             the engine ended: cluster_return(c, &slice, now, e) without work;
 *             sleep until a message arrives, the engine ends, or the time is cluster_wake(c);
 *     } while (action != CLUSTER_DONE);
 *
 * Messages may be delayed without limit and arrive in any order, also between the same two ranks.
 * They must not be lost or duplicated: a lost one keeps the search from ending, a duplicated one
 * is an error.
 *
 * Stealing. A rank without work sends an ask to one rank at a time. A rank that searches pauses
 * its engine for the asks that it received, but not before its slice has lasted `rules.slice`
 * seconds, and divides its open work. If it could give nothing, the next pause comes after twice
 * the time, up to 64 times, and asks are refused until then. Work is moved, never copied, so every
 * node is searched once. Which ranks are asked: enum cluster_victims.
 *
 * Incumbents travel along the edges of a binomial tree of the ranks; each rank passes on only what
 * is better than all it knew. At the end all ranks have the best one. The driver may pass a new
 * cluster_best() to an engine that runs; the state machine pauses no engine for it.
 *
 * Control. Rank 0 sends waves down the binomial tree, one at a time, and each rank replies with
 * the sums of its subtree. The first wave begins at once and compares each rank with its parent.
 * The search has ended when two waves in succession found every rank idle and the same numbers of
 * messages sent and received, with as many received as sent (four counters: Mattern, "Algorithms
 * for distributed termination detection", Distributed Computing 2, 1987). Counted are messages with
 * work or incumbents. Then a wave orders the ranks to finish. A rank replies to it when its asks
 * were answered; the sums of its counters are exact. A last wave, without replies, ends the search,
 * so no message is left when a rank is done.
 *
 * Estimates. If rank 0 wants them, slices return the estimated nodes below what they leave open.
 * A gift carries its part of the estimate, and reports add up, over all ranks, what is left plus
 * what was sent minus what was received. This sum does not change when work moves, so that work in
 * transit is neither missed nor counted twice, although the ranks do not report at the same time.
 *
 * Cuts (checkpoints of a search that goes on) follow Lai and Yang, "On distributed snapshots",
 * Information Processing Letters 25, 1987. Waves and messages with work carry an epoch. A rank that
 * sees a new epoch pauses its engine and deposits its open work, counters and incumbent at rank 0.
 * Work that it receives before, from a rank which has already deposited, waits until then. Work
 * that was sent before the sender's deposit and arrives after the receiver's is deposited, too, as
 * a supplement. The deposits contain the numbers of work messages sent and received; their
 * difference is the number of supplements. A stop is a cut after which no rank searches.
 *
 * Functions with `struct err *` return 0, or
 *   ERR_INPUT   a message was refused: malformed, of another search (the text names the rank), or
 *               impossible in this state. The state did not change, but the message is lost, so
 *               the search cannot end;
 *   ERR_MEMORY, ERR_FAILED (the counts of the ranks do not agree, or the driver called a function
 *               when it must not), and errors of cluster_work_ops. The state is not usable.
 * The driver ends all ranks after any error. */
#ifndef COPRA_TREE_SEARCH_CLUSTER_CLUSTER_H
#define COPRA_TREE_SEARCH_CLUSTER_CLUSTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/base/error.h"

enum { CLUSTER_RANKS_MAX = 1 << 16, CLUSTER_COUNTERS_MAX = 64 };

struct cluster;

/* Open work of a search: a set of units (nodes, intervals). The state machine represents empty
 * work by NULL and never passes NULL to these functions. `context` is that of cluster_create().
 * They return 0 or an error. */
struct cluster_work_ops {
	/* Moves about `fraction` (0 < fraction < 1) of the work to *part; *part = NULL if the work
	 * is indivisible. Something must remain in `work`. For a pool of n nodes and a fraction
	 * 1/k, this should be every k-th node, from the k-th on: then the first distribution
	 * (cluster_rules.deal) is cyclic. */
	int (*split)(void *context, void *work, double fraction, void **part, struct err *e);
	/* Moves all of `from` into `into` and frees `from`. On error both keep their contents. */
	int (*merge)(void *context, void *into, void *from, struct err *e);
	/* Number of units, 0: empty. Compared with cluster_rules.least, and checked in transit. */
	uint64_t (*amount)(void *context, const void *work);
	/* *bytes: allocated by malloc, freed by the caller. */
	int (*pack)(void *context, const void *work, unsigned char **bytes, size_t *size,
		    struct err *e);
	/* Trusts nothing: ERR_INPUT if the bytes are not what pack() writes. */
	int (*unpack)(void *context, const unsigned char *bytes, size_t size, void **work,
		      struct err *e);
	void (*free)(void *context, void *work);
};

enum cluster_victims {
	/* `tries` random ranks, then the lifelines: the rank registers at its neighbours in a
	 * hypercube and sleeps. A neighbour keeps the registration until it has work to give
	 * (Saraswat et al., "Lifeline-based global load balancing", PPoPP 2011; Zhang et al.,
	 * "GLB: lifeline-based global load balancing library in X10", arXiv 1312.5691). For any
	 * number of ranks: neighbours whose number is too large do not exist; the others connect
	 * all ranks, because clearing bits leads to rank 0. The thief receives its share by the
	 * measured rates of the thieves that ask at the same time and of the victim. */
	CLUSTER_LIFELINES,
	/* The rule between compute nodes of Helbecque et al. 2025, section 3.1.2. Victims: "If all
	 * WS attempts fail, the initiator then searches from another compute node, also selected
	 * randomly" (3.1.2.1), in the order of a random permutation of all nodes (Algorithm 2).
	 * Amount: "the initiator thread steals half of the subproblems available in the victim's
	 * pool, but only if the victim holds more than 2 x m" (3.1.2.2): rules.least = 2 m. After
	 * a permutation without success, a new one begins after `period` seconds while any rank
	 * is busy ("If at least one thread is busy, [...] the initiator continues", 3.1.3).
	 * Differences from the paper: asks and answers are messages, not accesses to locked
	 * remote memory; half of all pools of the rank is given, not half of one thread's pool. */
	CLUSTER_PERMUTED,
	/* Only the first distribution: Table 8 of the same paper, work stealing between compute
	 * nodes disabled. */
	CLUSTER_STATIC,
};

struct cluster_rules {
	int rank, ranks;   /* 0 <= rank < ranks <= CLUSTER_RANKS_MAX */
	uint64_t identity; /* hash of instance, flags and build. A rank with another one, or with
			      other rules, is refused */
	enum cluster_victims victims;
	int tries;      /* LIFELINES: random asks before the lifelines; >= 0, usually 2 */
	uint64_t least; /* a rank gives work only if it has more than this many units */
	/* Rank 0 divides its first work evenly among all ranks, and the others wait for it:
	 * "two cyclic distributions occur successively. The first one distributes all the workload
	 * evenly among all the available compute nodes" (Helbecque et al. 2025, section 3.1.1). */
	bool deal;
	uint64_t seed;        /* for the choice of victims */
	double slice;         /* least seconds of a slice that is ended by asks; >= 0 */
	double period;        /* seconds between two waves, > 0. The end of the search is found
				 about this late */
	bool estimate;        /* rank 0: cluster_left() is wanted */
	int counters;         /* 1 .. CLUSTER_COUNTERS_MAX. Counter 0 is the number of nodes, from
				 which the rates are measured */
	size_t solution_most; /* bytes of a solution at most */
};

/* What a search begins with, and what a slice ended with. The state machine owns `work` after the
 * call, also if it fails, and copies the rest. */
struct cluster_slice {
	void *work;             /* open; NULL: none */
	double left;            /* estimated nodes below it; 0: not known */
	const uint64_t *counts; /* [counters] of this slice. At the start: counts of an earlier run
				   that is continued; each is given on one rank only. NULL: all 0 */
	bool has_value;         /* whether there is an incumbent; less is better */
	int64_t value;
	const unsigned char *solution; /* may be empty: a bound without a solution */
	size_t solution_size;
};

/* ERR_USAGE: rules out of range. `ops` and `context` must stay valid. */
int cluster_create(struct cluster **out, const struct cluster_rules *rules,
		   const struct cluster_work_ops *ops, void *context,
		   const struct cluster_slice *start, double now, struct err *e);
void cluster_destroy(struct cluster *c);

/* ---- messages ---- */

/* A message of rank `from` arrived. `bytes` stay the caller's. `now`: seconds, never decreasing. */
int cluster_receive(struct cluster *c, int from, const unsigned char *bytes, size_t size,
		    double now, struct err *e);

struct cluster_mail {
	int to;
	unsigned char *bytes; /* freed by the caller */
	size_t size;
};
/* Takes the next message to be sent; false: none. */
bool cluster_next(struct cluster *c, struct cluster_mail *out);

/* ---- the engine ---- */

enum cluster_action {
	CLUSTER_WAIT,  /* nothing to do: an engine that runs goes on */
	CLUSTER_RUN,   /* call cluster_take() and start the engine */
	CLUSTER_PAUSE, /* the engine shall end its slice; repeated until it has */
	CLUSTER_DONE,  /* the search has ended and no message will arrive. Messages may still have
			  to be sent */
};
int cluster_act(struct cluster *c, double now, enum cluster_action *out, struct err *e);
/* The time at which cluster_act() shall be called again if nothing else happens before; INFINITY:
 * never. */
double cluster_wake(const struct cluster *c);

/* Takes the open work for a slice, after asks were served from it. The caller owns *work until it
 * returns what is left. ERR_FAILED unless the action is CLUSTER_RUN. */
int cluster_take(struct cluster *c, double now, void **work, struct err *e);
/* The engine ended its slice: work that is left (NULL: none), counts since cluster_take() and the
 * best solution that it found or knew. */
int cluster_return(struct cluster *c, const struct cluster_slice *slice, double now, struct err *e);
/* The engine found a better solution in a slice that goes on. */
int cluster_found(struct cluster *c, int64_t value, const unsigned char *solution, size_t size,
		  double now, struct err *e);

/* The best value and solution that this rank knows, valid until the next call; false: none. */
bool cluster_best(const struct cluster *c, int64_t *value, const unsigned char **solution,
		  size_t *size);

/* ---- rank 0 ---- */

/* Asks for a cut; ignored while one is under way or not taken, and after a stop. ERR_USAGE on
 * other ranks, here and below. */
int cluster_cut(struct cluster *c, double now, struct err *e);
/* Asks all ranks to stop: their engines are paused, and a last cut holds what is open. */
int cluster_stop(struct cluster *c, double now, struct err *e);

/* A consistent state of the whole search: the counts of what was searched, and what is open. */
struct cluster_state {
	void *work; /* the caller's, once taken; NULL: none */
	uint64_t counts[CLUSTER_COUNTERS_MAX];
	bool has_value;
	int64_t value;
	unsigned char *solution; /* allocated, freed by the caller; NULL if empty */
	size_t solution_size;
	bool last; /* by cluster_stop() */
};
/* Takes a complete cut; false: there is none. A cut that is not taken is freed at the end. */
bool cluster_take_cut(struct cluster *c, struct cluster_state *out);

/* Sums over all ranks, as of the last wave. After CLUSTER_DONE they are exact, and *complete tells
 * whether the whole tree was searched (false: stopped with open work). */
void cluster_totals(const struct cluster *c, uint64_t *counts, bool *complete);

/* The estimated nodes that were left on all ranks at the last wave; negative: not known. Add it to
 * counts of nodes of the same wave (cluster_totals). Work that moves is in the sum once, also
 * while it is in transit. */
double cluster_left(const struct cluster *c);
/* Whether rank 0 wants that: slices that return shall have `left`. On every rank. */
bool cluster_estimates(const struct cluster *c);

/* ---- what one rank did ---- */

struct cluster_stats {
	uint64_t asks, refusals; /* sent; answered without work */
	uint64_t gifts, units_given, units_received;
	uint64_t pauses_in_vain;  /* for asks that could not be served */
	uint64_t messages, bytes; /* sent */
};
const struct cluster_stats *cluster_stats(const struct cluster *c);

#endif
