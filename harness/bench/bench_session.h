/* One call of bench_main() and the parts it is made of: what follows a run while it goes on
 * (journal, progress, the case it is at), and the estimate before it. */
#ifndef COPRA_BENCH_BENCH_SESSION_H
#define COPRA_BENCH_BENCH_SESSION_H

#include "harness/bench/bench_options.h"
#include "harness/bench/bench_run.h"
#include "harness/machine/peaks.h"
#include "harness/machine/environment.h"
#include "harness/bench/reporter.h"

struct journal;
struct progress;

/* Made by bench_main(), which hands it to the functions below. */
struct bench_session {
	const char *target;
	struct bench_options options;
	struct environment environment;
	struct bench_setting setting;
	struct peaks peaks;
	struct bench_plan plan;
	struct bench_runner runner;
	struct reporter_view view;
	struct reporter_console console;
	double device_seconds; /* that opening the devices took */
	char no_device[512];
	int failed; /* cases */
	/* bench_follow.c */
	struct journal *journal;
	char identity[20];
	double stored_at; /* when the journal last got rows */
	struct progress *progress;
	double predicted_done, predicted_total;
	char running_path[4096]; /* "": none is kept */
	const struct bench_case *running;
};

/* Opens the journal beside --benchmark_out, and takes what it has where the run is to be resumed.
 */
int bench_follow_open(struct bench_session *s, struct err *e);
/* Hooks into the runner. From here on the file *.running beside --benchmark_out names the case that
 * runs, so that who finds the process dead knows where it died. */
int bench_follow_start(struct bench_session *s, struct err *e);
/* After the run: the journal has all rows, the progress line and *.running are gone. */
int bench_follow_end(struct bench_session *s, struct err *e);
void bench_follow_close(struct bench_session *s);

/* --copra_estimate: one line of text, or with --benchmark_format=json one object. */
int bench_estimate_print(const struct bench_session *s, struct err *e);

#endif
