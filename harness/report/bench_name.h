/* The parts of a benchmark's name: <target>/<experiment>/<instance>/<variant>/<parameter>... */
#ifndef COPRA_REPORT_BENCH_NAME_H
#define COPRA_REPORT_BENCH_NAME_H

#include <stddef.h>

enum variant {
	VARIANT_SERIAL,
	VARIANT_CPU,
	VARIANT_PUBLISHED,
	VARIANT_TUNED,
	VARIANT_OTHER,
	VARIANTS
};
extern const char *const variant_names[VARIANTS];

/* The first part that is a variant's name; *at (may be NULL) is where it stands. */
enum variant row_variant(const char *name, size_t *at);
/* Copies the second part; cut where it does not fit. */
void bench_experiment(const char *name, char *out, size_t size);

/* Without the target. */
const char *bench_short_name(const char *name);

#endif
