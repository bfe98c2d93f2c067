/* Another program, run to its end with both its outputs kept in memory. */
#ifndef COPRA_COMPARE_CAPTURE_H
#define COPRA_COMPARE_CAPTURE_H

#include <signal.h>

#include "harness/base/error.h"
#include "harness/report/text.h"

struct capture {
	struct text out, err;
	int exit; /* its exit code; 128 + number where a signal ended it */
};

/* `setting`: NAME=VALUE added to the environment, or NULL. When *stop becomes non-zero, or after
 * `limit` seconds, the program gets SIGTERM, later SIGKILL: ERR_LIMIT, ERR_FAILED. Output beyond
 * 256 MiB is ERR_FAILED. Free with capture_free in any case. */
int capture_run(struct capture *c, char *const *arguments, const char *setting, double limit,
		const volatile sig_atomic_t *stop, struct err *e);
void capture_free(struct capture *c);

#endif
