/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "harness/report/data/csv.h"
#include "tests/fuzz/fuzz.h"

FUZZ_READER(csv)
{
	struct csv c;
	struct err e = { 0 };

	if (!fuzz_status(csv_read(&c, fuzz_file(data, size), &e), &e)) {
		FUZZ_CHECK(!c.cells && !c.lines && !c.path);
		return;
	}
	FUZZ_CHECK(c.columns >= 1 && c.count == (c.rows + 1) * c.columns);
	for (size_t i = 0; i < c.columns; i++)
		FUZZ_CHECK(csv_column(&c, c.cells[i]) == (int)i);
	for (size_t row = 0; row < c.rows; row++) {
		FUZZ_CHECK(c.lines[row + 1] >= 1);
		for (size_t i = 0; i < c.columns; i++)
			FUZZ_CHECK(strlen(csv_cell(&c, row, (int)i)) <= size);
	}
	csv_free(&c);
}
