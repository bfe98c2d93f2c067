/* What the files of landscape*.c share: how a kind of function is made, and what its oracle is.
 *
 * `source` of a landscape begins with a struct landscape_source; the rest is the kind's own.
 * Oracles evaluate from that, never from `data`. */
#ifndef COPRA_DATASETS_LANDSCAPE_LANDSCAPE_PARTS_H
#define COPRA_DATASETS_LANDSCAPE_LANDSCAPE_PARTS_H

#include "datasets/landscape/landscape.h"

enum { LANDSCAPE_VARIABLES_MAX = 65536 };

struct landscape_oracle {
	int64_t (*evaluate)(const struct landscape *l, const uint8_t *bits);
	int32_t (*solved_terms)(const struct landscape *l, const uint8_t *bits);
	void (*release)(void *source); /* what `source` points to; NULL: nothing */
	/* maxsat; NULL for other kinds */
	void (*count_clauses)(const struct landscape *l, const uint8_t *bits,
			      struct landscape_clauses *c);
};

struct landscape_source {
	const struct landscape_oracle *oracle;
};

/* Makes a landscape of one problem. `order` is the number behind the problem's name (trap5: 5), 0
 * where it has none. l is empty but for its name "problem:instance"; after an error landscape_load
 * frees what is there. A message that does not begin with the instance (a file's name) gets
 * "problem:instance" put before it. */
typedef int landscape_loader(struct landscape *l, int32_t order, const char *instance,
			     struct err *e);

landscape_loader landscape_trap, landscape_onemax, landscape_overlap, landscape_htrap, landscape_nk,
	landscape_ising, landscape_maxsat, landscape_knapsack;

/* l->source: `size` bytes, zeroed. */
int landscape_new_source(struct landscape *l, size_t size, const struct landscape_oracle *oracle,
			 struct err *e);

/* l->data: `count` values, zeroed; at most 2^28 of them. */
int landscape_new_data(struct landscape *l, int64_t count, struct err *e);

/* l->least and l->greatest, or ERR_INPUT where they do not fit 32 bits. */
int landscape_set_bounds(struct landscape *l, int64_t least, int64_t greatest, struct err *e);

/* `by` is static text. */
void landscape_set_optimum(struct landscape *l, int64_t optimum, const char *by);

/* Reads the numbers of "12:3:1", nothing but digits between the colons, each below 10^18. Returns
 * how many, or -1 where the text is something else or holds more than `most`. */
int landscape_numbers(const char *text, int64_t *values, int most);

/* What follows the prefix, or NULL where the text does not begin with it. */
const char *landscape_after(const char *text, const char *prefix);

/* 1 .. LANDSCAPE_VARIABLES_MAX, or ERR_INPUT. */
int landscape_check_variables(int64_t n, struct err *e);

#endif
