#include <math.h>

#include "harness/report/claims.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/world.h"

FUZZ_READER(claims)
{
	struct claims all;
	struct err e = { 0 };

	if (!fuzz_status(claims_read(&all, fuzz_file(data, size), small_terms(), &e), &e)) {
		FUZZ_CHECK(!all.claim && all.count == 0);
		return;
	}
	for (size_t i = 0; i < all.count; i++) {
		FUZZ_CHECK(all.claim[i].id[0] && all.claim[i].predicate);
		FUZZ_CHECK(isnan(all.claim[i].tolerance) || all.claim[i].tolerance >= 0);
	}
	claims_free(&all);
}
