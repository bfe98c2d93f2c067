/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The history of each benchmark: comparable runs, in order, and the changes between them.
 *
 * Runs of one benchmark belong to the same series if machine, scale, devices, threads, kind of
 * sample and flags are equal. Commit, build flags, compiler, driver and host may differ: they are
 * possible causes of a change. Each run is one point, the median of its samples, because samples of
 * one run are not independent of each other, but runs are. */
#ifndef COPRA_COMPARE_HISTORY_SERIES_H
#define COPRA_COMPARE_HISTORY_SERIES_H

#include "harness/compare/history/changes.h"
#include "harness/compare/history/entries.h"

enum { SERIES_MOST_POINTS = 400 }; /* older points are left out: the search is quadratic */

/* The commits, oldest first. */
struct commits {
	char **id;
	size_t count;
};
/* Reads lines that start with the 40 hex digits of a commit, oldest first, as git log --reverse
 * writes them. */
int commits_load(struct commits *c, const char *path, struct err *e);
void commits_free(struct commits *c);

struct point {
	const struct entry *entry;
	size_t rank; /* orders the runs by commit; 0 if there are no commits. Runs of equal rank
			are ordered by date */
	double low, median, high; /* quartiles of the samples, in seconds */
};

/* A change of the median by at least series_setting.floor. */
struct shift {
	size_t at; /* first point after the change */
	double p;
	double before, after; /* medians up to the neighbouring changes, in seconds */
};

struct series {
	struct point *point;
	size_t points, older; /* older: points left out beyond SERIES_MOST_POINTS */
	struct shift *shift;
	size_t shifts;
};

struct series_setting {
	const char *filter; /* extended regular expression for names; NULL: all */
	bool dirty;         /* include runs of builds with uncommitted changes */
	const struct commits
		*commits; /* the order; runs of other commits are left out. NULL: by date */
	double floor;     /* smallest change of a median that is shown: 0.03 */
	struct change_test test;
};

struct series_list {
	struct series *series; /* ordered by name, then by machine, scale, ... */
	size_t count;
	size_t strangers; /* runs left out because their commit is not in setting.commits */
	size_t dirty;     /* runs left out because their build had uncommitted changes */
	size_t needed;    /* fewest runs of a series in which a change can be found */
};

/* Builds the series from the entries, which must outlive them, and finds their changes. ERR_USAGE
 * if the filter is not a regular expression. */
int series_build(struct series_list *list, const struct entries *all,
		 const struct series_setting *setting, struct err *e);
void series_free(struct series_list *list);

/* The ratio of after to before: 1.05 is 5 % slower. */
double shift_ratio(const struct shift *s);
/* Lists what differs between two runs besides the commit, for example "compiler, driver"; "" if
 * nothing differs. */
void point_differences(char *out, size_t size, const struct point *a, const struct point *b);

#endif
