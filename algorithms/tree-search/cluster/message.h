/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The messages that the ranks of a search exchange (cluster.h), as bytes.
 *
 * All kinds have one format: a head of fixed size, then counters (8 bytes each), the solution and
 * the packed work, each of which may be empty. Numbers are little-endian, as on all supported
 * machines. The head holds a hash of everything behind it and the identity of the search, so a
 * damaged message, or one of another search, is refused before any field is used. */
#ifndef COPRA_TREE_SEARCH_CLUSTER_MESSAGE_H
#define COPRA_TREE_SEARCH_CLUSTER_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/base/error.h"

#define CLUSTER_MAGIC UINT32_C(0x6c637063) /* "cpcl" */
#define CLUSTER_VERSION UINT32_C(2)

enum cluster_kind {
	CLUSTER_ASK,     /* detail: enum cluster_ask; rate: nodes/s of the sender, 0: unknown */
	CLUSTER_NONE,    /* no work for an ask; detail: that of the ask */
	CLUSTER_WORK,    /* detail: enum cluster_gift; amount, left, work; the epoch is the color of
			    the work */
	CLUSTER_BEST,    /* value, solution (may be empty) */
	CLUSTER_WAVE,    /* detail: enum cluster_order; number of the wave, whether to estimate */
	CLUSTER_REPORT,  /* sums of a subtree: number, idle, sent, received, least value, counters,
			    left; amount: gifts with an unknown estimate, sent minus received */
	CLUSTER_DEPOSIT, /* detail: enum cluster_deposit; to rank 0 */
	CLUSTER_KINDS,
};
enum cluster_ask { CLUSTER_TRY, CLUSTER_LIFELINE, CLUSTER_ASKS };
enum cluster_gift { CLUSTER_ANSWER, CLUSTER_SERVED, CLUSTER_DEALT, CLUSTER_GIFTS };
enum cluster_order { CLUSTER_SEARCH, CLUSTER_STOP, CLUSTER_FINISH, CLUSTER_BYE, CLUSTER_ORDERS };
enum cluster_deposit {
	CLUSTER_STATE,      /* work, counters, value, solution; work messages sent and received */
	CLUSTER_SUPPLEMENT, /* work that was in transit */
	CLUSTER_DEPOSITS,
};

/* The head as it is sent. There is no padding. */
struct cluster_head {
	uint32_t magic, version;
	uint64_t hash;     /* of all bytes behind this field */
	uint64_t identity; /* of the search: equal on all ranks */
	uint32_t from, kind, detail, epoch;
	uint64_t number, amount, sent, received;
	int64_t value;
	double rate;
	double left; /* estimated nodes, with CLUSTER_FLAG_LEFT */
	uint32_t flags, counters;
	uint64_t solution_size, work_size; /* bytes */
};
enum {
	CLUSTER_FLAG_IDLE = 1,
	CLUSTER_FLAG_VALUE = 2,
	CLUSTER_FLAG_LEFT = 4, /* `left` is known; of a wave: estimates are wanted */
	CLUSTER_FLAGS = 7
};

/* A message in memory. */
struct cluster_message {
	struct cluster_head head;      /* magic, version and hash are set by cluster_message_pack */
	const unsigned char *counters; /* uint64_t[head.counters], not aligned */
	const unsigned char *solution;
	const unsigned char *work;
};

/* *bytes: allocated, freed by the caller. ERR_MEMORY. */
int cluster_message_pack(const struct cluster_message *m, unsigned char **bytes, size_t *size,
			 struct err *e);
/* The pointers of *m refer to `bytes`, which need no alignment. ERR_INPUT: of another version,
 * damaged, sizes that do not add up, kind, detail or flags out of range, a rate that is not a
 * finite number >= 0. The caller checks the identity and what depends on the state of a rank. */
int cluster_message_unpack(const unsigned char *bytes, size_t size, struct cluster_message *m,
			   struct err *e);
/* Sets the hash of a packed message of at least sizeof(struct cluster_head) bytes. */
void cluster_message_seal(unsigned char *bytes, size_t size);

#endif
