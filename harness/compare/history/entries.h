/* The lines of the history (harness/bench/history.h), read back. */
#ifndef COPRA_COMPARE_HISTORY_ENTRIES_H
#define COPRA_COMPARE_HISTORY_ENTRIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/base/error.h"
#include "harness/report/text.h"

/* The texts of a line, by the names of its members. */
#define HISTORY_TEXTS(X)                                                                           \
	X(id)                                                                                      \
	X(source)                                                                                  \
	X(date)                                                                                    \
	X(commit)                                                                                  \
	X(machine)                                                                                 \
	X(host) X(build) X(compiler) X(driver) X(scale) X(device) X(sampling) X(parameters) X(name)

struct entry {
#define HISTORY_FIELD(name) char *name;
	HISTORY_TEXTS(HISTORY_FIELD)
#undef HISTORY_FIELD
	int64_t time; /* the date, in seconds since 1970 */
	bool dirty;
	int threads;
	double *seconds; /* the samples */
	size_t samples;
};

struct entries {
	struct entry *entry; /* as in the file */
	size_t count;
	struct problems problems; /* lines that were left out, and why */
};

/* A file that is not there is an empty history. A line that cannot be read becomes a problem and
 * the others are kept. Fails where the file cannot be read, or for want of memory. */
int entries_load(struct entries *all, const char *path, struct err *e);
void entries_free(struct entries *all);

/* Seconds since 1970 of an ISO 8601 date and time: 2026-11-22T10:00:00 followed by Z, +01:00 or
 * nothing, which is taken for UTC. ERR_INPUT. */
int entry_time(int64_t *seconds, const char *date, struct err *e);

#endif
