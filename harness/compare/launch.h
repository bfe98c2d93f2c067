/* One launch of a target's benchmarks: the sample of the gate. */
#ifndef COPRA_COMPARE_LAUNCH_H
#define COPRA_COMPARE_LAUNCH_H

#include <jansson.h>
#include <signal.h>
#include <stdbool.h>

#include "harness/base/error.h"

/* How benchmarks are run: what must be the same on both sides of a comparison. */
struct launch_parameters {
	const char *scale, *device;
	long long threads;     /* 0: all */
	const char *min_time;  /* of a repetition, as --benchmark_min_time takes it */
	long long repetitions; /* in one launch; it counts with the fastest of them */
	const char *arguments; /* further flags, parted by blanks; "" for none */
};

struct launch {
	const char *program;
	const char *filter; /* --benchmark_filter; NULL: all */
	const struct launch_parameters *parameters;
	const char *setting; /* NAME=VALUE for its environment, or NULL */
	const volatile sig_atomic_t *stop;
};

/* Runs it to its end and reads what it wrote. Cases that failed or were skipped have no rows;
 * *failed says whether a case failed, and `message` (512 bytes) then holds the program's last line
 * on stderr. ERR_LIMIT when stopped, ERR_FAILED when the program could not be run or died,
 * ERR_USAGE or ERR_DEVICE where it says so itself. */
int launch_run(const struct launch *l, json_t **document, bool *failed, char *message,
	       struct err *e);
/* Does the filter name a benchmark of the program? Runs none. */
int launch_matches(const struct launch *l, bool *any, struct err *e);

#endif
