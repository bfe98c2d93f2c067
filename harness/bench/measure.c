#include "harness/bench/measure.h"

void bench_measures(struct bench_case *c, const struct measure *m, int count)
{
	for (int i = 0; i < count; i++)
		bench_counter(c, m[i].name, m[i].value, m[i].seconds ? BENCH_MEAN : BENCH_COUNT);
}

void solve_measures(struct solve_result *r, const struct measure *m, int count)
{
	for (int i = 0; i < count; i++)
		solve_extra_figure(r, m[i].name, m[i].value);
}
