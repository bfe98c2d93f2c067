/* The history of single benchmarks: runs that may be compared, in order, with the changes between
 * them.
 *
 * Runs of one benchmark belong to one series when machine, scale, devices, threads, what a sample
 * is and the flags are the same. Commit, build flags, compiler, driver and host may differ: they
 * are what a change is put down to. Each run is one point, the median of its samples: samples of
 * one run are not independent of each other, runs are. */
#ifndef COPRA_COMPARE_HISTORY_SERIES_H
#define COPRA_COMPARE_HISTORY_SERIES_H

#include "harness/compare/history/changes.h"
#include "harness/compare/history/entries.h"

enum { SERIES_MOST_POINTS = 400 }; /* the latest; the search for changes is quadratic */

/* The commits, oldest first. */
struct commits {
	char **id;
	size_t count;
};
/* Lines that start with a commit's 40 hex digits, oldest first, as git log --reverse writes. */
int commits_load(struct commits *c, const char *path, struct err *e);
void commits_free(struct commits *c);

struct point {
	const struct entry *entry;
	size_t rank;              /* of its commit, then come dates; 0 where there are no commits */
	double low, median, high; /* quartiles of the samples */
};

/* A change of at least the floor. */
struct shift {
	size_t at; /* first point after it */
	double p;
	double before, after; /* medians of the points up to the next shift on each side */
};

struct series {
	struct point *point;
	size_t points, older; /* older: left out, being more than SERIES_MOST_POINTS */
	struct shift *shift;
	size_t shifts;
};

struct series_setting {
	const char *filter;            /* of names: an extended regular expression; NULL: all */
	bool dirty;                    /* also runs of builds with uncommitted changes */
	const struct commits *commits; /* NULL: by date, else others' runs are left out */
	double floor;                  /* least change of a median that is shown: 0.03 */
	struct change_test test;
};

struct series_list {
	struct series *series; /* by name, then by what else tells them apart */
	size_t count;
	size_t strangers; /* runs on commits that are not among the setting's */
	size_t dirty;     /* runs left out, being of builds with uncommitted changes */
	size_t needed;    /* runs of a series that a change takes at least */
};

int series_build(struct series_list *list, const struct entries *all,
		 const struct series_setting *setting, struct err *e);
void series_free(struct series_list *list);

/* After over before: the change of a shift, 1.05 is 5 % slower. */
double shift_ratio(const struct shift *s);
/* What else than the commit differs between two runs: "compiler, driver"; "" for nothing. */
void point_differences(char *out, size_t size, const struct point *a, const struct point *b);

#endif
