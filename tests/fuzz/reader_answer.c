/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Answers of `solve --json` as the start of a flowshop search, for a fixed instance of 5 jobs. */
#include "algorithms/tree-search/flowshop/fsp_start.h"
#include "tests/fuzz/fuzz.h"

FUZZ_READER(answer)
{
	int64_t order[5], makespan;
	struct flowshop f;
	struct err e = { 0 };

	FUZZ_CHECK(flowshop_load(&f, "random:5x3:9", &e) == 0);
	if (fuzz_status(fsp_start_read(fuzz_file(data, size), &f, order, &makespan, &e), &e))
		FUZZ_CHECK(makespan > 0 && flowshop_makespan(&f, order) == makespan);
	flowshop_free(&f);
}
