/* Stand-ins for what is being written. */
#include <stdio.h>
#include "boa.h"
#include "solve.h"
#include "steps.h"

#define WEAK __attribute__((weak))
static int missing(const char *what, struct err *e)
{
	return err_set(e, ERR_UNSUPPORTED, "%s is not there yet", what);
}
#define RUNS(name)                                                                               \
	WEAK int name(const struct boa_setup *s, struct boa_run *runs, int count,                \
		      struct boa_times *times, struct err *e)                                    \
	{                                                                                        \
		(void)s, (void)runs, (void)count, (void)times;                                   \
		return missing(#name, e);                                                        \
	}
RUNS(boa_batch_runs)
