#include "harness/bench/bench_variant.h"

enum solve_variant bench_variant(const struct bench_case *c)
{
	enum solve_variant v = SOLVE_SERIAL;

	solve_variant_from(bench_text(c, "variant"), &v);
	return v;
}

bool bench_uses_device(const struct bench_case *c)
{
	return bench_variant(c) >= SOLVE_PUBLISHED;
}

bool bench_gpus_fit(const struct bench_case *c)
{
	return (bench_int(c, "gpus") > 0) == bench_uses_device(c);
}

int bench_need_machine(struct bench_case *c, int64_t gpus, bool too_large_to_simulate,
		       struct err *e)
{
	int status = bench_need_gpus(c, gpus, e);

	if (status)
		return status;
	if (gpus > 0 && too_large_to_simulate && bench_devices(c)->backend == DEV_SIM)
		return bench_skip(c, (struct skip){ .reason = SKIP_TOO_LARGE_TO_SIMULATE }, e,
				  "too large to simulate");
	return 0;
}

int bench_need_time(struct bench_case *c, double seconds, struct err *e)
{
	const double hour = 3600, most = 2 * hour;

	if (seconds <= most)
		return 0;
	return bench_skip(c, (struct skip){ SKIP_TAKES_HOURS, seconds, most }, e,
			  "would take some %.0f hours here", seconds / hour);
}
