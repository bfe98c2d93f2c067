/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The names that a mistyped one may have meant. */
#ifndef COPRA_BASE_NEAREST_H
#define COPRA_BASE_NEAREST_H

#include <stddef.h>

/* The number of insertions, deletions, replacements and exchanges of neighbours that turn `a` into
 * `b`, without regard to upper and lower case (the optimal string alignment distance of Damerau,
 * Communications of the ACM 7, 1964). Longer texts than NEAREST_LENGTH are cut. */
enum { NEAREST_LENGTH = 255 };
int nearest_distance(const char *a, const char *b);

/* The best candidates so far, the nearest first, ties in the order in which they were offered. */
enum { NEAREST_MOST = 3 };
struct nearest {
	const char *wanted; /* borrowed */
	int count;
	struct {
		char name[NEAREST_LENGTH + 1];
		int distance;
	} best[NEAREST_MOST];
};

/* Offers a name. It is a candidate if its distance is at most max(1, (length of the wanted name
 * + 1) / 3), or if it begins with the wanted name and the wanted name has at least 3 characters. */
void nearest_offer(struct nearest *n, const char *name);

/* Appends "; did you mean A, B or C?" to a text of `size` bytes; nothing if there is no
 * candidate or no room. A candidate that differs only in upper and lower case is named alone. */
void nearest_say(const struct nearest *n, char *text, size_t size);

#endif
