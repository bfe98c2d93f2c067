/* One build's samples of one target: rows as Google Benchmark writes them, one a launch. */
#ifndef COPRA_COMPARE_ARM_H
#define COPRA_COMPARE_ARM_H

#include <jansson.h>
#include <stdbool.h>

#include "harness/report/text.h"
#include "harness/compare/launch.h"

struct arm {
	json_t *context, *rows;
	size_t launches;
};
void arm_free(struct arm *a);

/* A launch whose rows are added as samples in `block`, and told to found() (may be NULL). Cases
 * that failed leave *failed and the program's message (512 bytes). */
struct arm_launch {
	struct launch launch;
	int block;
	void (*found)(void *ctx, const char *name, double seconds);
	void *ctx;
	bool failed;
	char message[512];
};
int arm_sample(struct arm *a, struct arm_launch *l, struct err *e);

/* Names that the rows have, in their order; an array of texts that belong to the rows. */
int arm_names(const struct arm *a, const char ***names, size_t *count, struct err *e);

/* <folder>/<target>.<what>.json; nothing where the arm has no rows. */
int arm_save(const struct arm *a, const char *folder, const char *target, const char *what,
	     struct err *e);
int arm_load(struct arm *a, const char *path, struct err *e);

/* To the history: one line a benchmark. */
int arm_remember(const struct arm *a, const char *source, const struct launch_parameters *p,
		 struct err *e);

#endif
