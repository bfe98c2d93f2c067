/* Between the files of ceilings, and for their tests. */
#ifndef COPRA_MACHINE_CEILINGS_PARTS_H
#define COPRA_MACHINE_CEILINGS_PARTS_H

#include "harness/machine/ceilings.h"

/* 16 hex digits over all that the values depend on. */
void ceilings_key(const struct environment *env, char *key, size_t size);

void ceilings_format(enum ceiling id, double value, char *text, size_t size);
void ceilings_print_one(const struct ceilings *c, enum ceiling id, FILE *out);
/* Stores a measured value and logs it; ERR_FAILED when it is no positive number. */
int ceilings_set(struct ceilings *c, enum ceiling id, double value, FILE *log, struct err *e);

int ceilings_measure_cpu(struct ceilings *c, const struct environment *env, int threads, FILE *log,
			 struct err *e);
int ceilings_measure_gpu(struct ceilings *c, const struct dev_set *devices, FILE *log,
			 struct err *e);

#endif
