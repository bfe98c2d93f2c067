/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Plain matrices of times: both orders accept the same files, within their limits, and give
 * transposed instances, which can be written in Taillard's format. */
#include "tests/fuzz/fuzz_flowshop.h"

static void check_transposed(const struct flowshop *f, const struct flowshop *g)
{
	FUZZ_CHECK(f->jobs == g->machines && f->machines == g->jobs);
	for (int machine = 0; machine < f->machines; machine++)
		for (int job = 0; job < f->jobs; job++)
			FUZZ_CHECK(f->time[machine * f->jobs + job] ==
				   g->time[job * g->jobs + machine]);
}

FUZZ_READER(matrix)
{
	struct flowshop f, other;
	struct err e = { 0 }, e2 = { 0 };
	const char *path = fuzz_file(data, size);

	if (!fuzz_status(flowshop_load_as(&f, path, FLOWSHOP_JOBS_BY_MACHINES, &e), &e)) {
		FUZZ_CHECK(f.time == NULL);
		return;
	}
	fuzz_flowshop_times(&f);
	if (flowshop_load_as(&other, path, FLOWSHOP_MACHINES_BY_JOBS, &e2) == 0)
		check_transposed(&f, &other);
	else
		FUZZ_CHECK(f.jobs > FLOWSHOP_MAX_MACHINES && other.time == NULL);
	flowshop_free(&other);
	fuzz_flowshop_written(&f);
	flowshop_free(&f);
}
