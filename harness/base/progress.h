/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Progress with the time left: on a terminal one line that is redrawn, in a pipe a plain line every
 * ten seconds or 10 %. Nothing is printed if `stream` is NULL.
 *
 * The unit of `done` and `total` is up to the caller. Predicted seconds give the best estimate of
 * the time left; counts work too. */
#ifndef COPRA_BASE_PROGRESS_H
#define COPRA_BASE_PROGRESS_H

#include <stdio.h>

#include "harness/base/error.h"

struct progress;

int progress_create(struct progress **out, FILE *stream, const char *title, double total,
		    struct err *e);
/* Reports `done` of `total`; `done` never decreases. `what` describes the current work. */
void progress_update(struct progress *p, double done, const char *what);
/* This is part of longer work, of which `done` was completed before in `spent` seconds. That speed
 * is used for the time left, and no last line is printed. */
void progress_continue(struct progress *p, double done, double spent);
/* Removes the drawn line so that other text can be printed; the next update draws it again. */
void progress_clear(struct progress *p);
/* Last line ("title: done in 1 m 12 s", or "ended at 40 % after ...") and frees p; NULL is allowed.
 */
void progress_destroy(struct progress *p);

/* 0.8 s, 45 s, 3 m 05 s, 2 h 07 m, 3 d 04 h */
void progress_duration(double seconds, char *text, size_t size);

#endif
