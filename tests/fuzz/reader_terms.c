#include "harness/report/predicate.h"
#include "tests/fuzz/fuzz.h"

FUZZ_READER(terms)
{
	struct pred_terms t;
	struct err e = { 0 };

	if (!fuzz_status(pred_terms_read(&t, fuzz_file(data, size), &e), &e))
		return;
	for (size_t i = 0; i < t.count; i++)
		FUZZ_CHECK(t.term[i].body && t.term[i].params <= PRED_PARAMS);
	pred_terms_free(&t);
}
