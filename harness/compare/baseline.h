/* A build that later ones are compared with: copies of its programs, and the times they took.
 *
 *   <results>/<machine>/gate/<name>/baseline.json     what it is of, and the parameters
 *                                  /bin/<target>       the programs
 *                                  /<target>.rows.json the rows, Google Benchmark's JSON
 *
 * The programs are what counts: a comparison runs them again beside the new ones. */
#ifndef COPRA_COMPARE_BASELINE_H
#define COPRA_COMPARE_BASELINE_H

#include <limits.h>
#include <signal.h>

#include "harness/compare/settings.h"

struct baseline {
	char folder[PATH_MAX];
	json_t *json;
};

/* Measures and keeps. An interrupted one (ERR_LIMIT) leaves what was there before, and its own
 * samples in <name>.partial. */
int baseline_make(const struct settings *s, const struct environment *env,
		  const volatile sig_atomic_t *stop, struct err *e);

/* ERR_USAGE where there is none, or it is of another machine. */
int baseline_load(struct baseline *b, const struct settings *s, const struct environment *env,
		  struct err *e);
void baseline_free(struct baseline *b);
/* Takes the baseline's parameters for those not given; ERR_USAGE where one that was given differs.
 */
int baseline_complete(const struct baseline *b, struct settings *s, struct err *e);
/* The filter that its rows of a target were taken with: NULL, all. False: it has not that target.
 */
bool baseline_family(const struct baseline *b, const char *target, const char **filter);

#endif
