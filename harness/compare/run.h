/* A whole comparison: two builds, or two result files. */
#ifndef COPRA_COMPARE_RUN_H
#define COPRA_COMPARE_RUN_H

#include "harness/compare/settings.h"
#include "harness/compare/target.h"

/* What stands on one side. */
struct gate_side {
	char what[160];    /* "baseline 'default' of 2026-11-22" */
	char revision[64]; /* 12 digits, "with changes" behind it */
};

struct gate_result {
	const char *machine, *host, *cpu;
	const struct launch_parameters *parameters; /* NULL: of files */
	struct gate_rule rule;
	struct gate_side old, new;
	enum gate_control control;
	char weaker[256]; /* why this says less than two builds run side by side would; or empty */
	char remark[320]; /* what else should be known; or empty */
	bool complete;    /* neither interrupted nor failed */
	struct gate_target *target;
	size_t targets;
	size_t verdicts[GATE_VERDICTS];
	size_t compared, failed; /* benchmarks; failed: worked in the old build only */
};

/* Both print the table and write the files; 0, or ERR_FAILED when something is slower or fails in
 * the new build, with a line that says so. */
int run_builds(struct settings *s, const struct environment *env, const volatile sig_atomic_t *stop,
	       struct err *e);
int run_files(struct settings *s, struct err *e);

#endif
