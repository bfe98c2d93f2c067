/* Helpers that all experiments share: variants, machine checks, places and time estimates. */
#include "algorithms/koester-recovery/case.h"

#include <stdlib.h>
#include <string.h>

#include "algorithms/koester-recovery/measures.h"
#include "algorithms/koester-recovery/problems/verify.h"
#include "harness/base/clock.h"
#include "harness/base/hash.h"
#include "harness/base/host.h"

enum track_engine track_case_engine(const struct bench_case *c)
{
	enum solve_variant v = bench_variant(c);

	return v == SOLVE_SERIAL || v == SOLVE_PUBLISHED ? TRACK_PUBLISHED : TRACK_TUNED;
}

enum track_recovery track_case_recovery(const struct bench_case *c)
{
	int rule = TRACK_RECOVERY_REPLAY;

	flag_choose(&rule, "recovery", bench_text(c, "recovery"), track_recovery_words, NULL);
	return (enum track_recovery)rule;
}

/* Skips the case if `bytes` exceed the free memory of the devices, each holding an equal share, or
 * of the host. */
static int check_memory(struct bench_case *c, double bytes, struct err *e)
{
	int gpus = (int)bench_int(c, "gpus");
	struct dev_info info;

	for (int i = 0; i < gpus; i++) {
		int status = dev_get_info(bench_setting(c)->devices.dev[i], &info, e);

		if (status)
			return status;
		if (bytes / gpus > (double)info.memory_free)
			return bench_skip(c,
					  (struct skip){ SKIP_NEEDS_MEMORY, bytes / gpus,
							 (double)info.memory_free },
					  e, "needs %.1f GiB on each of %d devices, %.1f are free",
					  bytes / gpus / (1 << 30), gpus,
					  (double)info.memory_free / (1 << 30));
	}
	double free_bytes = (double)host_memory_available();
	if (gpus == 0 && bytes > free_bytes)
		return bench_skip(c, (struct skip){ SKIP_NEEDS_MEMORY, bytes, free_bytes }, e,
				  "needs %.1f GiB, %.1f are free", bytes / (1 << 30),
				  free_bytes / (1 << 30));
	return 0;
}

int track_case_check_machine(struct bench_case *c, double work, double bytes, bool peer,
			     struct err *e)
{
	const double most_work = 2e8, most_bytes = 64 << 20;
	int64_t gpus = bench_int(c, "gpus");
	int status = bench_need_machine(c, gpus + (peer && gpus > 0),
					work > most_work || bytes > most_bytes, e);

	return status ? status : check_memory(c, bytes, e);
}

int track_case_places(const struct bench_case *c, bool peer, uint64_t limit, struct track_places *p,
		      struct err *e)
{
	int threads = bench_variant(c) == SOLVE_SERIAL ? 1 : bench_setting(c)->threads;

	return track_places_open(p, &bench_setting(c)->devices, (int)bench_int(c, "gpus"), peer,
				 threads, limit, e);
}

double track_case_seconds(const struct bench_case *c, double work, double bytes)
{
	static const double rates[][2] = {
		/* multiply-adds/s and bytes/s of one core or GPU */
		[SOLVE_SERIAL] = { 1e9, 2e9 },
		[SOLVE_CPU] = { 1e10, 2e9 },
		[SOLVE_PUBLISHED] = { 5e11, 1e12 },
		[SOLVE_TUNED] = { 5e12, 1e12 },
	};
	enum solve_variant v = bench_variant(c);
	double many = v == SOLVE_SERIAL ? 1 :
		      v == SOLVE_CPU    ? bench_setting(c)->threads :
					  (double)bench_int(c, "gpus");

	return 0.05 + (work / rates[v][0] + bytes / rates[v][1]) / many;
}
