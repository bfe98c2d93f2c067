/* What expressions see of the results: selections of benchmarks and statistics over them, as
 * measured or as a bootstrap sample. Between predicate_world.c and predicate_eval.c. */
#ifndef COPRA_REPORT_PREDICATE_WORLD_H
#define COPRA_REPORT_PREDICATE_WORLD_H

#include <stdint.h>

#include "harness/report/predicate_private.h"

/* The benchmarks that a pattern selects, found once. */
struct selection {
	char *pattern;
	uint64_t key; /* hash of the pattern: most of the time goes into looking selections up */
	size_t count;
	size_t *bench;
};

struct pred_world {
	const struct result_set *set;
	const struct pred_papers *papers;
	size_t selections;
	struct selection *selection;
	double *scratch; /* room for one value a benchmark, then for the runs of one */
};

struct world_draw {
	unsigned replicate; /* 0: as measured */
	bool assume_noise;  /* of times that were measured once */
};

struct world_result {
	double value;            /* NaN where no benchmark has one */
	size_t benchmarks, runs; /* that went in */
};

/* A statistic of a counter ("" = the time) over what the pattern selects. */
int world_statistic(struct pred_world *w, const char *pattern, const char *counter,
		    enum pred_statistic which, const struct world_draw *draw,
		    struct world_result *out, struct err *e);

#endif
