/* The comparison of one target: its three arms, launched and sampled. */
#ifndef COPRA_COMPARE_TARGET_H
#define COPRA_COMPARE_TARGET_H

#include <limits.h>

#include "harness/compare/arm.h"
#include "harness/compare/session.h"

/* A benchmark that is not compared, and why. */
struct left_out {
	char *name, *reason;
	bool failed; /* it worked in the old build and does not in the new one */
};

struct gate_target {
	const char *name;
	const char *filter; /* NULL: all */
	char program[GATE_ARMS][PATH_MAX];
	const struct launch_parameters *parameters;
	const char *folder;        /* where the rows are saved after each block */
	struct arm arm[GATE_ARMS]; /* GATE_OLD's rows may be there already: weaker */
	struct gate_session session;
	struct left_out *left;
	size_t lefts;
	void (*told)(void *ctx, const struct gate_target *t);
	void *ctx;
};

/* Finds the benchmarks that both builds have, then samples them until they are settled. After an
 * error the samples so far stay, tested. session.control, rule, least, most, seed and stop are set
 * before. */
int target_compare(struct gate_target *t, struct err *e);
/* The benchmarks that the rows of both arms, old and new, have; only those that `filter` (an
 * extended regular expression; NULL: all) matches. */
int target_match(struct gate_target *t, const char *filter, struct err *e);
/* Removes the rows that an earlier comparison of the target left in a folder. */
int target_remove(const char *folder, const char *name, struct err *e);
void target_free(struct gate_target *t);

#endif
