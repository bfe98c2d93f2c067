/* What a comparison is asked to do: the command line of copra-compare, completed by the baseline.
 */
#ifndef COPRA_COMPARE_SETTINGS_H
#define COPRA_COMPARE_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "harness/machine/environment.h"
#include "harness/base/flags.h"
#include "harness/compare/launch.h"
#include "harness/compare/verdict.h"

struct settings {
	const char *bin;      /* the new build's programs */
	const char *old;      /* the old build's programs, or a result file; NULL: the baseline */
	const char *new_file; /* files: the new result file */
	const char *name;     /* of the baseline */
	const char *papers;   /* results/papers: which targets there are, and their families */
	const char *targets;  /* parted by blanks or commas; NULL or "": all */
	const char *filter;   /* instead of the families */
	const char *out;      /* folder of a comparison's files; NULL: beside the baselines */
	struct launch_parameters launch;
	int64_t launches; /* of each arm, at most */
	double floor_percent, detect_percent;
	int64_t threads, repetitions;
	uint64_t seed;
	bool rows; /* against the baseline's rows, though its programs are there */
	bool quiet;
	/* study */
	int64_t trials;
	const char
		*program; /* a program whose work can be made more by a setting; NULL: simulate */
};

extern const struct flag settings_common[], settings_compare[], settings_baseline[],
	settings_files[], settings_study[];

/* Texts not given are NULL and counts 0: settings_complete gives these their defaults, for what no
 * baseline had settled before. */
int settings_parse(struct settings *s, const struct flag *own, int argc, char **argv, bool *help,
		   struct err *e);
void settings_complete(struct settings *s);
int settings_check(const struct settings *s, struct gate_rule *rule, struct err *e);

/* <results>/<machine>/gate */
int settings_folder(char *path, const struct environment *env, struct err *e);
/* Two of them at once would disturb each other's times, and replace each other's programs. */
int settings_lock(const struct environment *env, struct err *e);

#endif
