/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/fuzz_flowshop.h"

FUZZ_READER(flowshop)
{
	struct flowshop f;
	struct err e = { 0 };

	if (!fuzz_status(flowshop_load(&f, fuzz_file(data, size), &e), &e)) {
		FUZZ_CHECK(f.time == NULL);
		return;
	}
	fuzz_flowshop_times(&f);
	fuzz_flowshop_written(&f);
	flowshop_free(&f);
}
