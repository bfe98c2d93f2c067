/* Claims and their predicates: the bytes before a line "----" are claims.csv, those after it
 * predicates.txt. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/base/outfile.h"
#include "harness/report/claims.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/world.h"

FUZZ_READER(claims)
{
	static const char between[] = "\n----\n";
	const uint8_t *cut = memmem(data, size, between, strlen(between));
	size_t first = cut ? (size_t)(cut - data) + 1 : size;
	size_t second = cut ? first + strlen(between) - 1 : size;
	char predicates[PATH_MAX];
	struct claims all;
	struct err e = { 0 };

	/* other readers use the scratch path as a file */
	snprintf(predicates, sizeof(predicates), "%s.predicates", fuzz_scratch());
	FUZZ_CHECK(outfile_write(predicates, data + second, size - second, &e) == 0);
	if (!fuzz_status(claims_read(&all, fuzz_file(data, first), predicates, small_terms(), &e),
			 &e)) {
		FUZZ_CHECK(!all.claim && all.count == 0);
		return;
	}
	for (size_t i = 0; i < all.count; i++) {
		FUZZ_CHECK(all.claim[i].id[0] && all.claim[i].predicate);
		FUZZ_CHECK(isnan(all.claim[i].tolerance) || all.claim[i].tolerance >= 0);
	}
	claims_free(&all);
}
