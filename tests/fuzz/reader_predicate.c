#include <stdlib.h>

#include "harness/report/predicate.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/world.h"

static void evaluate(const struct pred *p)
{
	struct pred_world *w;
	struct pred_trace trace = { 0 };
	struct pred_value argument = { .type = PRED_NUMBER, .number = 0.1 }, value;
	struct err e = { 0 };

	FUZZ_CHECK(pred_world_create(&w, small_results(), NULL, &e) == 0);
	for (unsigned replicate = 0; replicate < 3; replicate++)
		if (fuzz_status(pred_eval(p, w, &argument, replicate, replicate ? NULL : &trace,
					  &value, &e),
				&e))
			FUZZ_CHECK(value.type == PRED_TRUTH || value.type == PRED_NUMBER);
	pred_trace_free(&trace);
	pred_world_destroy(w);
}

static void read_as(const char *text, enum pred_type type)
{
	static const struct pred_param parameter[] = { { "tolerance", PRED_NUMBER } };
	struct pred *p;
	struct err e = { 0 };

	if (!fuzz_status(pred_parse(&p, text, small_terms(), parameter, 1, type, &e), &e)) {
		FUZZ_CHECK(p == NULL);
		return;
	}
	if (type != PRED_SET && small_expression(p))
		evaluate(p);
	pred_destroy(p);
}

FUZZ_READER(predicate)
{
	char *text = fuzz_text(data, size);

	read_as(text, PRED_TRUTH);
	read_as(text, PRED_NUMBER);
	read_as(text, PRED_SET);
	free(text);
}
