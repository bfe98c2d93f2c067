/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The construction of landscapes: the interface between landscape.c, which contains most kinds, and
 * landscape_maxsat.c, and the functions that all kinds share. Internal to this folder.
 *
 * `source` of a landscape begins with a struct landscape_source; the rest is private to the kind.
 * Oracles evaluate from it, never from `data`. */
#ifndef COPRA_DATASETS_LANDSCAPE_LANDSCAPE_MAKE_H
#define COPRA_DATASETS_LANDSCAPE_LANDSCAPE_MAKE_H

#include <string.h>

#include "datasets/landscape/landscape.h"

enum { LANDSCAPE_VARIABLES_MAX = 65536 };

struct landscape_oracle {
	int64_t (*evaluate)(const struct landscape *l, const uint8_t *bits);
	int32_t (*solved_terms)(const struct landscape *l, const uint8_t *bits);
	void (*release)(void *source); /* frees what `source` owns; NULL: nothing */
	/* maxsat; NULL for other kinds */
	void (*count_clauses)(const struct landscape *l, const uint8_t *bits,
			      struct landscape_clauses *c);
};

struct landscape_source {
	const struct landscape_oracle *oracle;
};

/* Makes a landscape of one problem. `order` is the number in the problem's name (trap5: 5), or 0.
 * On entry l is empty except for its name "problem:instance". After an error, landscape_load frees
 * it. An error message that does not begin with the instance (a file name) is prefixed with
 * "problem:instance". */
typedef int landscape_loader(struct landscape *l, int32_t order, const char *instance,
			     struct err *e);

landscape_loader landscape_maxsat;

/* Allocates l->source: `size` bytes, zeroed. */
int landscape_new_source(struct landscape *l, size_t size, const struct landscape_oracle *oracle,
			 struct err *e);

/* Allocates l->data: `count` values, zeroed; at most 2^28. */
int landscape_new_data(struct landscape *l, int64_t count, struct err *e);

/* Sets l->least and l->greatest. ERR_INPUT if they do not fit in 32 bits. */
int landscape_set_bounds(struct landscape *l, int64_t least, int64_t greatest, struct err *e);

/* Sets the optimum, which fits in 32 bits, and the method that certifies it (static text). */
static inline void landscape_set_optimum(struct landscape *l, int64_t optimum, const char *by)
{
	l->optimum_known = true;
	l->optimum = (int32_t)optimum;
	l->optimum_by = by;
}

/* Reads the numbers of a text like "12:3:1": digits and colons only, each number below 10^18.
 * Returns their count, or -1 if the text is something else or has more than `most` numbers. */
int landscape_numbers(const char *text, int64_t *values, int most);

/* The text after the prefix, or NULL if the text does not begin with it. */
static inline const char *landscape_after(const char *text, const char *prefix)
{
	size_t length = strlen(prefix);

	return strncmp(text, prefix, length) == 0 ? text + length : NULL;
}

/* ERR_INPUT unless n is in 1 .. LANDSCAPE_VARIABLES_MAX. */
int landscape_check_variables(int64_t n, struct err *e);

#endif
