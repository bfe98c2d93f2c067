/* What goes along with a run: the journal that survives a kill, progress, and a file that names the
 * case that runs. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "harness/bench/bench_output.h"
#include "harness/bench/bench_session.h"
#include "harness/base/clock.h"
#include "harness/base/journal.h"
#include "harness/base/progress.h"

/* Rows are forced to the disk when a case ends, and between its repetitions when this much time has
 * passed: a kill costs no more than that. */
#define STORE_SECONDS 2.0

int bench_follow_open(struct bench_session *s, struct err *e)
{
	const struct bench_options *o = &s->options;
	char path[4096], parameters[512];
	int status;

	if (!o->out || !bench_output_is_file(o->out))
		return 0;
	status = bench_output_beside(path, sizeof(path), o->out, ".journal.jsonl", e);
	if (status == 0)
		status = bench_output_beside(s->running_path, sizeof(s->running_path), o->out,
					     ".running", e);
	if (status)
		return status;
	bench_options_parameters(o, &s->setting, &s->environment, parameters, sizeof(parameters));
	status = bench_identity(s->identity, s->environment.machine, parameters, e);
	if (status == 0)
		status = journal_open(&s->journal, path, o->resume, e);
	if (status == 0)
		status = bench_journal_load(s->journal, s->identity, &s->plan, e);
	return status;
}

/* Cases that ended the process of an earlier call are failures, and not tried again. */
static int mark_died(struct bench_session *s, struct err *e)
{
	for (int k = 0; k < s->options.died.count; k++) {
		const char *name = s->options.died.values[k];
		struct bench_case *c = NULL;

		for (int i = 0; i < s->plan.count && !c; i++)
			if (strcmp(s->plan.cases[i].name, name) == 0)
				c = &s->plan.cases[i];
		if (!c)
			return err_set(e, ERR_USAGE, "--copra_died=%s: no such case", name);
		c->outcome = BENCH_FAILED;
		c->left_out = false;
		c->row_count = 0;
		snprintf(c->message, sizeof(c->message),
			 "the process ended in the middle of this case");
	}
	return 0;
}

/* For who looks after the process; nothing depends on it, so that it may fail on a full disk. */
static void name_running(struct bench_session *s, const struct bench_case *c)
{
	FILE *f;

	if (s->running == c || !s->running_path[0])
		return;
	s->running = c;
	f = fopen(s->running_path, "we");
	if (f) {
		fprintf(f, "%s\n", c->name);
		fclose(f);
	}
}

static double predicted(const struct bench_session *s, const struct bench_case *c)
{
	return c->left_out ? 0 : fmax(bench_predict(&s->runner, c), 1e-3);
}

static double share_done(const struct bench_session *s, const struct bench_case *c)
{
	return fmin(1, c->row_count / (double)bench_repetitions(&s->runner, c));
}

static void on_starting(void *ctx, const struct bench_case *c)
{
	struct bench_session *s = ctx;

	name_running(s, c);
	progress_update(s->progress, s->predicted_done + predicted(s, c) * share_done(s, c),
			c->name);
}

static int store(struct bench_session *s, struct bench_case *c, struct err *e)
{
	s->stored_at = clock_wall();
	return bench_journal_store(s->journal, s->identity, c, e);
}

static int on_measured(void *ctx, struct bench_case *c, struct err *e)
{
	struct bench_session *s = ctx;

	if (!s->journal || clock_wall() - s->stored_at < STORE_SECONDS)
		return 0;
	return store(s, c, e);
}

static int on_finished(void *ctx, struct bench_case *c, struct err *e)
{
	struct bench_session *s = ctx;
	int status = 0;

	s->failed += c->outcome == BENCH_FAILED;
	/* rows of what is left out this time stay for another */
	if (s->journal && !c->from_journal && !c->left_out)
		status = store(s, c, e);
	progress_clear(s->progress);
	if (s->options.format == REPORTER_CONSOLE)
		reporter_console_case(&s->console, c);
	if (!c->from_journal)
		s->predicted_done += predicted(s, c); /* shown when the next case starts */
	return status;
}

/* Progress counts what is to be done, not what an earlier run did. */
static int start_progress(struct bench_session *s, struct err *e)
{
	const struct bench_part *part = &s->options.part;
	int status;

	if (!s->options.progress)
		return 0;
	s->predicted_total = part->before + part->after;
	s->predicted_done = part->before;
	for (int i = 0; i < s->plan.count; i++)
		if (!s->plan.cases[i].from_journal)
			s->predicted_total += predicted(s, &s->plan.cases[i]);
	status = progress_create(&s->progress, stderr, part->given ? "all" : s->target,
				 s->predicted_total, e);
	if (status == 0 && part->given)
		progress_continue(s->progress, part->before, part->spent);
	return status;
}

int bench_follow_start(struct bench_session *s, struct err *e)
{
	int status = mark_died(s, e);

	s->stored_at = clock_wall();
	s->runner.starting = on_starting;
	s->runner.measured = on_measured;
	s->runner.finished = on_finished;
	s->runner.ctx = s;
	return status ? status : start_progress(s, e);
}

int bench_follow_end(struct bench_session *s, struct err *e)
{
	int status = 0;

	for (int i = 0; s->journal && i < s->plan.count && status == 0; i++)
		if (s->plan.cases[i].outcome == BENCH_PENDING)
			status = bench_journal_store(s->journal, s->identity, &s->plan.cases[i], e);
	progress_update(s->progress, s->predicted_done, NULL);
	progress_destroy(s->progress);
	s->progress = NULL;
	if (s->running)
		unlink(s->running_path);
	return status;
}

void bench_follow_close(struct bench_session *s)
{
	progress_destroy(s->progress);
	journal_close(s->journal);
}
