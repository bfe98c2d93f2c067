/* Bencher Metric Format: https://bencher.dev/docs/reference/bencher-metric-format/
 * { name: { measure: { value, lower_value, upper_value } } }, latency in nanoseconds. */
#include <stdlib.h>

#include "harness/bench/reporter.h"
#include "harness/base/stats.h"

static int write_case(struct json_writer *w, const struct bench_case *c, struct err *e)
{
	size_t n = (size_t)c->row_count;
	double *x = malloc((n ? n : 1) * sizeof(*x));

	if (!x)
		return err_set(e, ERR_MEMORY, "no memory for the rows of %s", c->name);
	for (size_t i = 0; i < n; i++)
		x[i] = 1e9 * c->rows[i].real_seconds;
	jw_begin_object(w, c->name);
	jw_begin_object(w, "latency");
	jw_double(w, "value", stat_median(x, n));
	jw_double(w, "lower_value", stat_min(x, n));
	jw_double(w, "upper_value", stat_max(x, n));
	jw_end_object(w);
	jw_end_object(w);
	free(x);
	return 0;
}

int reporter_bmf(FILE *out, const struct reporter_view *v, struct err *e)
{
	struct json_writer w;
	int status = 0, finished;

	jw_to_file(&w, out, JSON_INDENTED);
	jw_begin_object(&w, NULL);
	for (int i = 0; i < v->plan->count && status == 0; i++)
		if (v->plan->cases[i].outcome == BENCH_DONE)
			status = write_case(&w, &v->plan->cases[i], e);
	jw_end_object(&w);
	finished = jw_finish(&w, status ? NULL : e);
	return status ? status : finished;
}
