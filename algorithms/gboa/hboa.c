#include "algorithms/gboa/hboa.h"

int hboa_runs(const struct boa_setup *s, struct boa_run *runs, int count, struct boa_times *times,
	      struct err *e)
{
	switch (s->variant) {
	case SOLVE_SERIAL:
	case SOLVE_CPU:
		return hboa_host_runs(s, runs, count, times, e);
	case SOLVE_TUNED:
		if (!s->devices || !s->devices->count)
			return err_set(e, ERR_UNSUPPORTED, "tuned hierarchical BOA needs a device");
		return hboa_tuned_runs(s, runs, count, times, e);
	default:
		return err_set(e, ERR_UNSUPPORTED,
			       "the paper has no hierarchical BOA: it runs as "
			       "--variant serial, cpu or tuned");
	}
}
