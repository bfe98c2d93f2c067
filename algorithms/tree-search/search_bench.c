#include "algorithms/tree-search/search_bench.h"

#include <math.h>

#include "harness/machine/peaks.h"
#include "harness/base/clock.h"
#include "algorithms/tree-search/flowshop/fsp_start.h"

int scratch_start(struct scratch *s, struct search_request *r, struct err *e)
{
	double begin = clock_wall(), seconds = fmin(fsp_start_seconds(r->flowshop), s->limit / 4);
	int status = fsp_start(FSP_START_IG, r->flowshop, seconds, r->seed, r->stop, s->start,
			       &s->makespan, e);

	s->start_seconds = clock_wall() - begin;
	r->ub = s->makespan;
	r->start = s->start;
	r->time_limit = fmax(s->limit - s->start_seconds, 1e-3);
	return status;
}

void scratch_report(struct bench_case *c, const struct scratch *s, const struct search_outcome *o)
{
	bench_counter(c, "proved", o->complete, BENCH_COUNT);
	bench_counter(c, "best", (double)o->best, BENCH_COUNT);
	bench_counter(c, "lower_bound", (double)o->lower_bound, BENCH_COUNT);
	bench_counter(c, "start_makespan", (double)s->makespan, BENCH_COUNT);
	bench_counter(c, "start_seconds", s->start_seconds, BENCH_MEAN);
}

void search_floor(struct bench_case *c, double operations, const struct search_request *r,
		  const struct search_outcome *o, enum solve_variant v)
{
	struct peak_demand demand;
	enum peak limit;
	double floor;

	if ((v != SOLVE_CPU && v != SOLVE_TUNED) || o->workers < 1)
		return;
	if (v == SOLVE_TUNED) {
		demand.what = PEAK_GPU_ADD_MAX_16;
		demand.amount = operations / o->workers;
	} else { /* measured on 32-bit lanes, half as many */
		demand.what = r->threads == 1 ? PEAK_CPU_ADD_MAX_1 : PEAK_CPU_ADD_MAX;
		demand.amount = operations / 2;
	}
	floor = peaks_lower_bound(bench_peaks(c), &demand, 1, &limit);
	if (floor > 0)
		bench_lower_bound(c, floor, peaks_name(limit));
}
