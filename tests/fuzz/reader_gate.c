/* The gate's page in the report: the last comparison and the studies, from the same bytes. */
#include <limits.h>
#include <stdio.h>

#include "harness/base/outfile.h"
#include "harness/report/document/document.h"
#include "harness/report/page/page.h"
#include "tests/fuzz/fuzz.h"

FUZZ_READER(gate)
{
	char folder[PATH_MAX - 64], path[PATH_MAX];
	const struct page p = { .folder = folder, .here = true };
	struct err e = { 0 };
	struct doc *d;

	/* other readers use the scratch path as a file */
	snprintf(folder, sizeof(folder), "%s.gate", fuzz_scratch());
	snprintf(path, sizeof(path), "%s/local/m/gate/compare/compare.json", folder);
	FUZZ_CHECK(outfile_write(path, data, size, &e) == 0);
	snprintf(path, sizeof(path), "%s/studies/study.json", folder);
	FUZZ_CHECK(outfile_write(path, data, size, &e) == 0);
	FUZZ_CHECK(doc_create(&d, TEXT_MARKDOWN, folder, &e) == 0);
	fuzz_status(page_gate(&p, d, &e),
		    &e); /* files that cannot be read are reported in the page */
	doc_destroy(d);
}
