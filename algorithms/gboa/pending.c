/* Stand-ins for what is being written. */
#include <stdio.h>
#include "boa.h"
#include "learn.h"
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
RUNS(boa_host_runs)
RUNS(boa_published_runs)
RUNS(boa_grid_runs)
RUNS(boa_batch_runs)
RUNS(boa_large_runs)
RUNS(hboa_runs)

WEAK int boa_learner_create(struct boa_learner **l, int32_t n, int32_t count,
			    const struct boa_options *o, bool serial, int threads, struct err *e)
{
	(void)l, (void)n, (void)count, (void)o, (void)serial, (void)threads;
	return missing("boa_learner_create", e);
}
WEAK void boa_learner_destroy(struct boa_learner *l)
{
	(void)l;
}
WEAK int boa_learn(struct boa_learner *l, const struct boa_data *d, struct boa_network *b,
		   struct err *e)
{
	(void)l, (void)d, (void)b;
	return missing("boa_learn", e);
}
WEAK int boa_learn_some(struct boa_learner *l, const struct boa_data *d, struct boa_network *b,
			int32_t first, int32_t last, struct err *e)
{
	(void)l, (void)d, (void)b, (void)first, (void)last;
	return missing("boa_learn_some", e);
}
WEAK void boa_fill_thresholds(const struct boa_data *d, enum boa_smoothing s, struct boa_network *b)
{
	(void)d, (void)s, (void)b;
}
