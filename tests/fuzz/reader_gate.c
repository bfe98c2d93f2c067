/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The page of the gate in the report: the same bytes are read as the last comparison and as a
 * study. */
#include <limits.h>
#include <stdio.h>

#include "harness/base/outfile.h"
#include "harness/report/document/document.h"
#include "harness/report/page/page.h"
#include "tests/fuzz/fuzz.h"

FUZZ_READER(gate)
{
	char folder[PATH_MAX - 64], local[PATH_MAX], path[PATH_MAX];
	const struct page p = { .folder = folder, .local = local, .here = true };
	struct err e = { 0 };
	struct doc *d;

	/* the scratch path is used as a file by other readers */
	snprintf(folder, sizeof(folder), "%s.gate", fuzz_scratch());
	snprintf(local, sizeof(local), "%s/local", folder);
	snprintf(path, sizeof(path), "%s/local/m/gate/compare/compare.json", folder);
	FUZZ_CHECK(outfile_write(path, data, size, &e) == 0);
	snprintf(path, sizeof(path), "%s/studies/study.json", folder);
	FUZZ_CHECK(outfile_write(path, data, size, &e) == 0);
	FUZZ_CHECK(doc_create(&d, TEXT_MARKDOWN, folder, &e) == 0);
	/* unreadable files are reported in the page */
	fuzz_status(doc_finish(d, page_gate(&p, d, &e), &e), &e);
}
