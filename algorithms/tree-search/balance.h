/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Conservation of work in tree searches. Every search counts the nodes that enter and leave each of
 * its parts (a thread, a device) and checks the sums when it ends, in production and in tests. A
 * difference means an error in the program or the machine: part of the tree was lost or searched
 * twice, and the answer cannot be trusted.
 *
 * The equation of a part:
 *
 *     initial + pushed + received = popped + dropped + given + left
 *
 * The sums over all parts satisfy the same equation, and in addition received = given. If the
 * search is complete, left = 0. */
#ifndef COPRA_TREE_SEARCH_BALANCE_H
#define COPRA_TREE_SEARCH_BALANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "harness/base/error.h"

struct balance {
	/* 0: the amounts are counts. Otherwise they are known only modulo this number (at most
	 * 2^63), such as the lengths of intervals in large trees. */
	uint64_t modulus;
	/* in */
	uint64_t initial;  /* at the beginning: the root, a share of the roots, or a checkpoint */
	uint64_t pushed;   /* made by this part */
	uint64_t received; /* from other parts */
	/* out */
	uint64_t popped;  /* searched by this part */
	uint64_t dropped; /* discarded unsearched, because the incumbent improved */
	uint64_t given;   /* to other parts */
	uint64_t left;    /* still open at a stop */
};

/* The part that a message names. */
struct balance_name {
	const char *engine; /* such as "helbecque-pool published" */
	const char *part;   /* "device", "thread"; NULL: all parts together */
	int number;         /* number of the part; negative: there is only one */
	const char *unit;   /* NULL: "nodes" */
};

/* Adds `b` to the sum, whose modulus must be set. Sums of counts may wrap around, since both sides
 * of the equation do. */
void balance_add(struct balance *sum, const struct balance *b);

/* Checks the equation; if part == NULL also received = given, and if `complete` also left = 0.
 * ERR_FAILED with one line that names the part and the figures. */
int balance_check(const struct balance *b, const struct balance_name *name, bool complete,
		  struct err *e);

/* Checks each of the parts b[0 .. count - 1] (called name->part, numbered from 0), the part `host`
 * (called "host"; NULL: none), and all of them together. */
int balance_check_all(const struct balance *b, int count, const struct balance *host,
		      const struct balance_name *name, bool complete, struct err *e);

/* Checks that two counts are equal. `in` and `out` name them, as in "handed out", "returned".
 * ERR_FAILED as above. */
int balance_equal(const struct balance_name *name, const char *in, uint64_t in_count,
		  const char *out, uint64_t out_count, struct err *e);

#endif
