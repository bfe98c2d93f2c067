/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/machine/peaks.h"
#include "harness/machine/peaks_measure.h"
#include "tests/fuzz/fuzz.h"

/* A machine of a fixed name and key, as the corpus has it. */
static const struct environment *machine(void)
{
	static struct environment env;

	snprintf(env.machine, sizeof(env.machine), "fuzz");
	return &env;
}

FUZZ_READER(ceilings)
{
	struct peaks c, again;
	struct err e = { 0 };
	int status = peaks_load_file(&c, fuzz_file(data, size), machine(), &e);

	if (status == ERR_UNSUPPORTED) /* complete, but from another machine or build */
		status = 0;
	if (!fuzz_status(status, &e))
		return;
	FUZZ_CHECK(strlen(c.machine) < sizeof(c.machine) && strlen(c.key) < sizeof(c.key));
	for (enum peak id = 0; id < PEAKS; id++)
		FUZZ_CHECK(isfinite(c.value[id]) && c.value[id] >= 0);
	FUZZ_CHECK(peaks_save(&c, fuzz_scratch(), &e) == 0);
	peaks_load_file(&again, fuzz_scratch(), machine(), &e);
	FUZZ_CHECK(memcmp(&c, &again, sizeof(c)) == 0);
}
