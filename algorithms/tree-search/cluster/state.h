/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The state of one rank, for the sources of cluster.h: cluster.c (the engine, messages,
 * incumbents), steal.c (asks and their answers) and control.c (waves, cuts, the end). */
#ifndef COPRA_TREE_SEARCH_CLUSTER_STATE_H
#define COPRA_TREE_SEARCH_CLUSTER_STATE_H

#include "algorithms/tree-search/cluster/cluster.h"
#include "algorithms/tree-search/cluster/message.h"
#include "harness/base/rng.h"

enum { LINKS_MAX = 17, NOBODY = -1 }; /* edges of a rank in the hypercube, and in the tree */

struct incumbent {
	bool known;
	int64_t value;
	unsigned char *solution; /* NULL if size is 0 */
	size_t size;
};

/* An ask that was not yet answered, or a registration at this rank. */
struct ask {
	int rank;
	bool lifeline;
	double rate;
};

/* What a wave adds up. */
struct sums {
	bool idle;
	uint64_t sent, received; /* messages with work or incumbents */
	struct incumbent best;   /* without solution */
	uint64_t counts[CLUSTER_COUNTERS_MAX];
	double left;    /* estimated nodes; NAN: not known */
	uint64_t blind; /* gifts with an unknown estimate, sent minus received, modulo 2^64 */
};

struct letter {
	struct letter *next;
	struct cluster_mail mail;
};

/* Rank 0 only. */
struct lead {
	bool want_cut, want_stop;
	bool ended;       /* two waves agreed: the search has ended */
	struct sums last; /* of the last wave */
	double due;       /* time of the next wave */
	bool complete;    /* the whole tree was searched; valid at the end */

	/* the cut under way, or the complete one that was not yet taken */
	bool collecting, collected;
	struct cluster_state cut;
	bool *deposited; /* [ranks] */
	int deposits;
	uint64_t sent, received, supplements; /* work messages */
	/* of the last cut of a stop, for the check at the end */
	bool stopped, stopped_open;
	uint64_t stopped_counts[CLUSTER_COUNTERS_MAX];
};

struct cluster {
	struct cluster_rules rules;
	const struct cluster_work_ops *ops;
	void *context;
	uint64_t identity; /* of the search and of the rules that all ranks share */
	struct err failure;
	struct letter *first, **end; /* to be sent */
	struct cluster_stats stats;

	/* work */
	void *held;  /* while no engine has it */
	void *newer; /* from ranks that deposited, while this one did not yet */
	uint64_t newer_messages;
	/* Estimated nodes; NAN: not known. Of `held` and `newer`, and of the work that the engine
	 * has, when it took it. given_left: sent minus received with work, known ones only. */
	double held_left, taken_left, given_left;
	uint64_t blind; /* as in struct sums */
	bool estimate;  /* rank 0 wants to know */
	bool running, pausing;
	double since;   /* the slice began */
	double seconds; /* of all slices before */
	uint64_t nodes; /* of these slices */
	uint64_t counts[CLUSTER_COUNTERS_MAX];
	struct incumbent best;

	/* asks of others */
	struct ask *queue;  /* [2 * ranks] */
	int asks, patience; /* patience: 1, 2, .. 64 slices until the next pause */

	/* asks of this rank */
	struct rng rng;
	bool dealt;                     /* the first distribution has arrived, if there is one */
	int asked;                      /* rank whose answer is awaited, or NOBODY */
	int tries_left;                 /* LIFELINES */
	int *victims;                   /* PERMUTED: [ranks - 1] */
	int victim;                     /* the next one; ranks - 1: all were asked */
	double retry;                   /* then: time of the next permutation */
	bool registered[LINKS_MAX];     /* at the lifeline along this dimension */
	uint32_t unanswered[LINKS_MAX]; /* registrations that were not yet acknowledged */

	/* waves */
	enum cluster_order order;
	uint64_t wave; /* number of the last one */
	bool wave_open, replied[LINKS_MAX];
	int replies;
	struct sums sums;
	uint64_t work_sent, work_received, best_sent, best_received;
	bool done;

	/* cuts: a deposit is due if newest > epoch */
	uint32_t epoch, newest;
	struct lead *lead; /* NULL on other ranks */
};

/* ---- the binomial tree: the parent of r is r without its lowest bit ---- */

static inline int tree_parent(int rank)
{
	return rank & (rank - 1);
}

/* The child of `rank` along dimension `link`, or NOBODY. */
static inline int tree_child(const struct cluster *c, int link)
{
	int rank = c->rules.rank, bit = 1 << link;

	return (rank & (2 * bit - 1)) || rank + bit >= c->rules.ranks ? NOBODY : rank + bit;
}

/* The neighbour in the hypercube, or NOBODY. */
static inline int lifeline(const struct cluster *c, int link)
{
	int other = c->rules.rank ^ (1 << link);

	return other < c->rules.ranks ? other : NOBODY;
}

/* The dimension along which two ranks are neighbours in the hypercube, or NOBODY. */
static inline int link_between(int a, int b)
{
	uint32_t dimension = (uint32_t)(a ^ b);

	return dimension & (dimension - 1) ? NOBODY : __builtin_ctz(dimension);
}

/* ---- cluster.c ---- */

/* Fills in the sender and queues the message. */
int cluster_send(struct cluster *c, int to, struct cluster_message *m, struct err *e);
/* No engine runs, and none will unless work arrives. (If a deposit is due, an engine runs.) */
bool cluster_idle(const struct cluster *c);
/* All asks of this rank were answered. */
bool cluster_answered(const struct cluster *c);
int cluster_merge(struct cluster *c, void **into, void *from, struct err *e);
bool incumbent_improves(const struct incumbent *old, bool known, int64_t value, size_t size);
int incumbent_set(struct incumbent *old, int64_t value, const unsigned char *solution, size_t size,
		  struct err *e);
/* total[i] += the i-th counter of the message; ERR_INPUT without a change if one overflows. */
int cluster_add_counters(uint64_t *total, const struct cluster_message *m, struct err *e);

/* ---- steal.c ---- */

int cluster_on_ask(struct cluster *c, const struct cluster_message *m, struct err *e);
int cluster_on_none(struct cluster *c, const struct cluster_message *m, struct err *e);
/* Rank 0 divides its first work: the k-th rank from the end receives the part 1/k of what is left.
 */
int cluster_deal(struct cluster *c, struct err *e);
/* Divides the held work among all who asked. Registrations stay until they are served. */
int cluster_serve(struct cluster *c, struct err *e);
/* Refuses asks that will not be served soon. Registrations end only with the search. */
int cluster_refuse_asks(struct cluster *c, struct err *e);
/* Asks for work if this rank has none. */
int cluster_ask_if_idle(struct cluster *c, double now, struct err *e);
/* The next time without work, asks begin anew. */
void cluster_renew_asks(struct cluster *c);

/* ---- control.c ---- */

int cluster_on_wave(struct cluster *c, const struct cluster_message *m, struct err *e);
int cluster_on_report(struct cluster *c, const struct cluster_message *m, struct err *e);
int cluster_on_deposit(struct cluster *c, const struct cluster_message *m, struct err *e);
/* Work that an older epoch sent arrived: part of the cut. */
int cluster_supplement(struct cluster *c, const struct cluster_message *work, struct err *e);
/* Deposits, replies to a wave and begins one, as far as they are due. */
int cluster_control(struct cluster *c, double now, struct err *e);

#endif
