/* How reader and generators build a struct atsp. Private to datasets/. */
#ifndef COPRA_DATASETS_ATSP_ATSP_MAKE_H
#define COPRA_DATASETS_ATSP_ATSP_MAKE_H

#include "datasets/atsp/atsp.h"

/* All costs 0. ERR_INPUT where the number of cities is beyond the limits. `format` makes the
 * name. */
int atsp_alloc(struct atsp *a, int64_t cities, struct err *e, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Sets a cost >= 0 off the diagonal; ERR_INPUT (without a place) where tours of such arcs would not
 * fit 31 bits. */
int atsp_put(struct atsp *a, int from, int to, int64_t cost, struct err *e);

/* "CITIES:SEED" twice, and "CITIES:MAX[:SEED]". */
int atsp_crane(struct atsp *a, const char *parameters, struct err *e);
int atsp_tsmat(struct atsp *a, const char *parameters, struct err *e);
int atsp_random(struct atsp *a, const char *parameters, struct err *e);
#endif
