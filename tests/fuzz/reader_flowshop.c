#include <string.h>

#include "../../datasets/flowshop.h"
#include "fuzz.h"

/* Sums of times fit 31 bits, so that no makespan overflows. */
static void check_times(const struct flowshop *f)
{
	int64_t sum = 0;

	FUZZ_CHECK(f->jobs >= 1 && f->jobs <= FLOWSHOP_MAX_JOBS);
	FUZZ_CHECK(f->machines >= 1 && f->machines <= FLOWSHOP_MAX_MACHINES);
	for (int i = 0; i < f->jobs * f->machines; i++) {
		FUZZ_CHECK(f->time[i] >= 0);
		sum += f->time[i];
	}
	FUZZ_CHECK(sum <= INT32_MAX);
}

FUZZ_READER(flowshop)
{
	struct flowshop f, again;
	struct err e = { 0 };

	if (!fuzz_status(flowshop_read(&f, fuzz_file(data, size), &e), &e)) {
		FUZZ_CHECK(f.time == NULL);
		return;
	}
	check_times(&f);
	FUZZ_CHECK(flowshop_write(&f, fuzz_scratch(), &e) == 0);
	FUZZ_CHECK(flowshop_read(&again, fuzz_scratch(), &e) == 0);
	FUZZ_CHECK(flowshop_hash(&f) == flowshop_hash(&again));
	flowshop_free(&f);
	flowshop_free(&again);
}
