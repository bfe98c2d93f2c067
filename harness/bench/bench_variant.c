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
		return err_set(e, ERR_UNSUPPORTED, "too large to simulate");
	return 0;
}

int bench_need_time(double seconds, struct err *e)
{
	const double hour = 3600;

	if (seconds <= 2 * hour)
		return 0;
	return err_set(e, ERR_UNSUPPORTED, "would take some %.0f hours here", seconds / hour);
}
