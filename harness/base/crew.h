/* Threads for as long as one piece of work takes, that begin together.
 *
 * A system may grant fewer threads than asked for. Nobody works before it is known how many there
 * are: a barrier made for all of them would hold those that came for ever. */
#ifndef COPRA_BASE_CREW_H
#define COPRA_BASE_CREW_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/base/error.h"

/* work(item) for the first of `count` >= 1 items of `size` bytes each, every one in a thread of its
 * own, the first in the caller's; returns when all are back, and says how many there were: at least
 * one. begin(context, number) is called before any of them works; may be NULL. */
int crew_run(void (*work)(void *item), void *items, size_t size, int count,
	     void (*begin)(void *context, int number), void *context);

/* The same for all items, or none: ERR_FAILED says how many threads were to be had. */
int crew_run_all(void (*work)(void *item), void *items, size_t size, int count, struct err *e);

#endif
