/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Hyperfine's export, and the result file to which its times are added; both are untrusted. The
 * first line is the export, the rest the file. */
#include <string.h>

#include "harness/base/outfile.h"
#include "harness/report/data/comparator.h"
#include "tests/fuzz/fuzz.h"

FUZZ_READER(hyperfine)
{
	const uint8_t *line = size ? memchr(data, '\n', size) : NULL;
	size_t length = line ? (size_t)(line - data) : size;
	const char *out = fuzz_scratch();
	struct err e = { 0 };

	remove(out);
	if (line)
		FUZZ_CHECK(outfile_write(out, line + 1, size - length - 1, &e) == 0);
	struct comparator first = { .out = out, .benchmark = "t/process/a", .label = "label" };
	struct comparator second = { .out = out, .benchmark = "t/process/b", .label = "label" };

	if (fuzz_status(comparator_add(&first, fuzz_file(data, length), &e), &e))
		/* it reads what it wrote */
		FUZZ_CHECK(comparator_add(&second, fuzz_file(data, length), &e) == 0);
}
