/* How readers and generators build a struct flowshop. Private to datasets/. */
#ifndef COPRA_DATASETS_FLOWSHOP_FLOWSHOP_MAKE_H
#define COPRA_DATASETS_FLOWSHOP_FLOWSHOP_MAKE_H

#include "datasets/flowshop/flowshop.h"

/* All times 0. ERR_INPUT where jobs or machines are beyond the limits. `format` makes the name. */
int flowshop_alloc(struct flowshop *f, int64_t jobs, int64_t machines, struct err *e,
		   const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Adds a time to *sum; ERR_INPUT (without a place) when either would not fit 31 bits. */
int flowshop_add_time(int64_t time, int64_t *sum, struct err *e);

/* Sets a time and adds it to *sum; ERR_INPUT (without a place) when either would not fit 31
 * bits. */
int flowshop_put(struct flowshop *f, int machine, int job, int64_t time, int64_t *sum,
		 struct err *e);

/* "JOBSxMACHINES:SEED" and "JOBSxMACHINES:MAXTIME[:SEED]". */
int flowshop_taillard_named(struct flowshop *f, const char *parameters, struct err *e);
int flowshop_random(struct flowshop *f, const char *parameters, struct err *e);
#endif
