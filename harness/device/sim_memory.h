/* Memory of one simulated device: an arena of addresses in which nothing outside allocations is
 * ever accessible, and the rest only while the device has work. Guards around each allocation are
 * poisoned under ASan and checked otherwise. Not locked: the caller does. */
#ifndef COPRA_DEVICE_SIM_MEMORY_H
#define COPRA_DEVICE_SIM_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/base/error.h"

struct sim_block_of_memory {
	size_t start;     /* offset of the guard before it */
	size_t span;      /* with both guards */
	size_t bytes;     /* what was asked for */
	const char *file; /* by whom */
	int line;
};

struct sim_memory {
	unsigned char *base;
	size_t reserved; /* addresses */
	size_t quota;    /* bytes that may be allocated */
	size_t used;
	size_t high; /* end of the part that was ever used */
	bool open;
	int fresh_byte;                   /* what fresh memory is filled with */
	struct sim_block_of_memory *list; /* by start */
	size_t count, capacity;
};

int sim_memory_create(struct sim_memory *m, size_t quota, int fresh_byte, struct err *e);
void sim_memory_destroy(struct sim_memory *m);

int sim_memory_alloc(struct sim_memory *m, void **out, size_t bytes, const char *file, int line,
		     struct err *e);
/* False if `p` is no allocation. */
bool sim_memory_free(struct sim_memory *m, void *p);

/* Accessible or not. */
int sim_memory_open(struct sim_memory *m, struct err *e);
void sim_memory_close(struct sim_memory *m);

bool sim_memory_has(const struct sim_memory *m, const void *p); /* is the address in the arena? */
/* The allocation that holds all of p[0..bytes), or NULL. */
const struct sim_block_of_memory *sim_memory_find(const struct sim_memory *m, const void *p,
						  size_t bytes);
/* The first allocation whose guards were written to, or NULL. The memory must be open. */
const struct sim_block_of_memory *sim_memory_damaged(const struct sim_memory *m);

#endif
