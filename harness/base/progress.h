/* Progress with time left, on a terminal as one line drawn again and again, in a pipe as plain
 * lines: one when ten seconds or 10 % have passed. Quiet when `stream` is NULL.
 *
 * The unit is the caller's: predicted seconds give the best time left, counts work too. */
#ifndef COPRA_BASE_PROGRESS_H
#define COPRA_BASE_PROGRESS_H

#include <stdio.h>

#include "harness/base/error.h"

struct progress;

int progress_create(struct progress **out, FILE *stream, const char *title, double total,
		    struct err *e);
/* `done` of `total` so far; never goes back. `what` is shown behind it (what runs now). */
void progress_update(struct progress *p, double done, const char *what);
/* This is a part of longer work, of which `done` was done before in `spent` seconds: its speed
 * guides the time left, and the last line is left to whoever reports on the whole. */
void progress_continue(struct progress *p, double done, double spent);
/* Removes the drawn line so that other text can be printed; the next update draws it again. */
void progress_clear(struct progress *p);
/* Last line ("title: done in 1 m 12 s", or "ended at 40 % after ...") and free; NULL allowed. */
void progress_destroy(struct progress *p);

/* 0.8 s, 45 s, 3 m 05 s, 2 h 07 m, 3 d 04 h */
void progress_duration(double seconds, char *text, size_t size);

#endif
