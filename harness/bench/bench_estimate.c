/* What a run would take: time from the benchmarks' own predictions, disk from the number of rows.
 */
#include <math.h>

#include "harness/bench/bench_session.h"
#include "harness/base/build.h"
#include "harness/base/json_writer.h"
#include "harness/base/progress.h"

struct estimate {
	double seconds, bytes;
	int cases, to_run, measured;
	int impossible, unknown; /* impossible: not to be run here; unknown: without a prediction */
	int too_long;            /* for --copra_longest */
};

static void add(struct estimate *t, const struct bench_session *s, const struct bench_case *c)
{
	double predicted = bench_predict(&s->runner, c);
	double repetitions = (double)bench_repetitions(&s->runner, c);

	t->cases++;
	if (c->outcome == BENCH_DONE) {
		t->measured++;
		return;
	}
	if (c->left_out) {
		t->too_long++;
		return;
	}
	if (predicted == 0) {
		t->impossible++;
	} else {
		t->to_run++;
		t->unknown += predicted < 0;
	}
	/* what an earlier run measured of its repetitions is not measured again */
	t->seconds += fmax(predicted, 0) * fmax(0, 1 - c->row_count / repetitions);
	/* a row takes about 1 KB in the results and as much in the journal */
	t->bytes += 2048 * repetitions;
}

static const char *why_impossible(const struct bench_session *s)
{
	return s->setting.no_device ? s->setting.no_device : "more GPUs are needed";
}

static int print_json(const struct bench_session *s, const struct estimate *t, struct err *e)
{
	struct json_writer w;
	int status;

	jw_to_file(&w, stdout, JSON_ONE_LINE);
	jw_begin_object(&w, NULL);
	jw_string(&w, "target", s->target);
	jw_int(&w, "cases", t->cases);
	jw_int(&w, "to_run", t->to_run);
	jw_int(&w, "measured", t->measured);
	jw_int(&w, "impossible", t->impossible);
	jw_int(&w, "unknown", t->unknown);
	jw_int(&w, "too_long", t->too_long);
	jw_double(&w, "seconds", t->seconds);
	jw_int(&w, "bytes", (int64_t)t->bytes);
	jw_string(&w, "revision", build_info()->revision);
	jw_int(&w, "dirty", build_info()->dirty);
	jw_string(&w, "no_device", t->impossible ? why_impossible(s) : "");
	jw_end_object(&w);
	status = jw_finish(&w, e);
	jw_destroy(&w);
	return status;
}

static void print_text(const struct bench_session *s, const struct estimate *t)
{
	char time[64];

	progress_duration(t->seconds, time, sizeof(time));
	printf("%s: %d cases, %d to run, about %s, %.0f KB on disk", s->target, t->cases, t->to_run,
	       time, ceil(t->bytes / 1024));
	if (t->measured)
		printf(", %d measured already", t->measured);
	if (t->impossible)
		printf(", %d not possible here (%s)", t->impossible, why_impossible(s));
	if (t->too_long)
		printf(", %d too long", t->too_long);
	if (t->unknown)
		printf(", %d without an estimate", t->unknown);
}

int bench_estimate_print(const struct bench_session *s, struct err *e)
{
	struct estimate t = { 0 };
	int status = 0;

	for (int i = 0; i < s->plan.count; i++)
		add(&t, s, &s->plan.cases[i]);
	if (s->options.format == REPORTER_JSON)
		status = print_json(s, &t, e);
	else
		print_text(s, &t);
	putchar('\n');
	if (status == 0 && (fflush(stdout) || ferror(stdout)))
		status = err_set(e, ERR_IO, "cannot write to standard output");
	return status;
}
