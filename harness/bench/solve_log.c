/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/bench/solve_log.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "harness/base/build.h"
#include "harness/base/clock.h"
#include "harness/base/json_writer.h"
#include "harness/base/outfile.h"
#include "harness/base/progress.h"
#include "harness/base/stop.h"
#include "harness/base/time_left.h"

#define PIPE_SECONDS 10.0
#define TERMINAL_SECONDS 1.0
#define LONGEST 3600.0    /* one wait; more overflows no clock */
#define NOTE_SECONDS 0.05 /* at least, between two notes for the time left */

/* The counts at the last report, for nodes per second. */
struct mark {
	double at;
	uint64_t nodes;
};

struct solve_log {
	const struct solve_options *o;
	struct watch *watch;
	double begin;
	FILE *file; /* --log; NULL: none, or it could not be written */
	bool terminal;
	double show_every, write_every; /* 0: never */
	double show_at, write_at;
	struct mark shown, written;
	struct time_left history;
	bool drawn;
	pthread_t thread;
	bool started;
};

int solve_progress_parse(void *value, const char *text, struct err *e)
{
	struct solve_progress *p = value;
	int status;

	p->given = true;
	p->seconds = PIPE_SECONDS;
	if (!*text)
		return 0;
	status = flag_parse_real(&p->seconds, text, e);
	if (!status && (p->seconds < 0 || (p->seconds > 0 && p->seconds < 0.01)))
		return err_set(e, ERR_USAGE, "%s is not 0 or at least 0.01 seconds", text);
	return status;
}

static bool on_terminal(const struct solve_options *o)
{
	return isatty(STDERR_FILENO) && !(o->progress.given && o->progress.seconds == 0);
}

static bool is_reported(const struct solve_options *o)
{
	return o->log || (o->progress.given && o->progress.seconds > 0) || on_terminal(o);
}

bool solve_log_wanted(const struct solve_options *o)
{
	return o->node_limit > 0 || is_reported(o);
}

/* ---- the file ---- */

/* Ends the line and writes it. A file that cannot be written is closed. */
static void write_line(struct solve_log *l, struct json_writer *w)
{
	struct err e = { 0 };
	bool bad;

	jw_end_object(w);
	bad = jw_finish(w, &e) != 0;
	if (!bad && (fwrite(w->data, 1, w->length, l->file) != w->length ||
		     fputc('\n', l->file) == EOF || fflush(l->file))) {
		bad = true;
		err_set(&e, ERR_IO, "%s", strerror(errno));
	}
	jw_destroy(w);
	if (!bad)
		return;
	fprintf(stderr, "%s%s: cannot write --log %s: %s; the solve goes on without it\n",
		l->drawn ? "\r\033[K" : "", l->o->target, l->o->log, e.text);
	l->drawn = false;
	fclose(l->file);
	l->file = NULL;
}

/* A time of the solve in seconds, to the microsecond. */
static void write_seconds(struct json_writer *w, const struct solve_log *l, const char *key,
			  double at)
{
	jw_double(w, key, round(1e6 * fmax(0, at - l->begin)) / 1e6);
}

static void begin_line(const struct solve_log *l, struct json_writer *w, const char *event,
		       double at)
{
	jw_to_buffer(w, JSON_ONE_LINE);
	jw_begin_object(w, NULL);
	jw_string(w, "event", event);
	write_seconds(w, l, "seconds", at);
}

static void write_start(struct solve_log *l)
{
	const struct solve_options *o = l->o;
	time_t now = time(NULL);
	struct json_writer w;
	char date[32] = "";
	struct tm utc;

	if (!l->file)
		return;
	if (gmtime_r(&now, &utc))
		strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", &utc);
	begin_line(l, &w, "start", l->begin);
	jw_string(&w, "date", date);
	jw_string(&w, "target", o->target);
	jw_string(&w, "version", build_info()->version);
	jw_string(&w, "problem", o->problem);
	jw_string(&w, "instance", o->instance);
	jw_string(&w, "variant", o->variant_name);
	if (o->rung)
		jw_string(&w, "rung", o->rung->name);
	jw_int(&w, "devices", o->opening ? o->likely_devices : o->devices.count);
	jw_int(&w, "threads", o->variant == SOLVE_SERIAL ? 1 : o->threads);
	jw_uint(&w, "seed", o->seed);
	if (o->time_limit > 0)
		jw_double(&w, "time_limit", o->time_limit);
	if (o->node_limit > 0)
		jw_int(&w, "node_limit", o->node_limit);
	if (o->resume)
		jw_string(&w, "resume", o->resume);
	write_line(l, &w);
}

static void write_event(struct solve_log *l, const struct watch_event *event)
{
	struct json_writer w;

	if (!l->file)
		return;
	if (event->kind == WATCH_INCUMBENT) {
		begin_line(l, &w, "incumbent", event->at);
		jw_int(&w, "value", event->value);
		if (event->source)
			jw_string(&w, "source", event->source);
	} else {
		begin_line(l, &w, "checkpoint", event->at);
		jw_string(&w, "file", event->file);
	}
	write_line(l, &w);
}

static double rate_since(const struct mark *m, double now, const struct watch_view *v)
{
	double seconds = now - m->at;

	return seconds > 0 && v->nodes > m->nodes ? (double)(v->nodes - m->nodes) / seconds : 0;
}

static bool has_gap(const struct watch_view *v)
{
	return v->has_best && v->has_bound;
}

static void write_state(struct json_writer *w, const struct solve_log *l,
			const struct watch_view *v)
{
	struct time_left_range left;

	if (v->nodes)
		jw_uint(w, "nodes", v->nodes);
	if (v->has_best) {
		jw_int(w, "incumbent", v->best);
		write_seconds(w, l, "incumbent_seconds", v->best_at);
	}
	if (v->has_bound)
		jw_int(w, "bound", v->bound);
	if (has_gap(v))
		jw_int(w, "gap", v->best > v->bound ? v->best - v->bound : v->bound - v->best);
	if (v->share >= 0)
		jw_double(w, "share", v->share);
	if (time_left_estimate(&l->history, &left)) {
		jw_double(w, "seconds_left", left.seconds);
		jw_double(w, "seconds_left_low", left.low);
		jw_double(w, "seconds_left_high", left.high);
	}
}

static void write_progress(struct solve_log *l, double now, const struct watch_view *v)
{
	struct json_writer w;

	if (!l->file)
		return;
	begin_line(l, &w, "progress", now);
	write_state(&w, l, v);
	if (v->nodes)
		jw_double(&w, "nodes_per_second", round(rate_since(&l->written, now, v)));
	if (v->devices) {
		jw_int(&w, "devices_busy", v->busy);
		jw_int(&w, "devices", v->devices);
	}
	write_line(l, &w);
	l->written = (struct mark){ now, v->nodes };
}

static void write_end(struct solve_log *l, const struct solve_result *r, int status,
		      const struct err *e)
{
	bool answered = status == 0 || status == ERR_LIMIT;
	struct watch_view v;
	struct json_writer w;

	if (!l->file)
		return;
	watch_view(l->watch, &v);
	begin_line(l, &w, "end", clock_wall());
	jw_string(&w, "status", answered ? solve_status_name(r->status) : "error");
	if (status)
		jw_string(&w, "reason", e->text);
	if (answered && r->has_objective)
		jw_int(&w, "objective", r->objective);
	if (answered && r->has_bound)
		jw_int(&w, "bound", r->bound);
	if (answered)
		jw_bool(&w, "verified", r->verified);
	if (answered && v.share >= 0)
		jw_double(&w, "share", v.share);
	if (answered) {
		jw_begin_object(&w, "counts");
		for (int i = 0; i < r->node_count; i++)
			solve_write_figure(&w, &r->nodes[i]);
		jw_end_object(&w);
	}
	write_line(l, &w);
}

/* ---- the line on stderr ---- */

struct text {
	char data[256];
	size_t used;
};

static void add(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(struct text *t, const char *format, ...)
{
	size_t room = sizeof(t->data) - t->used;
	va_list ap;
	int size;

	va_start(ap, format);
	size = vsnprintf(t->data + t->used, room, format, ap);
	va_end(ap);
	if (size > 0)
		t->used += (size_t)size < room ? (size_t)size : room - 1;
}

/* 123, 45.6 k, 1.23 G */
static void add_scaled(struct text *t, double value)
{
	static const char *const units[] = { "", " k", " M", " G", " T" };
	int unit = 0;

	for (; value >= 999.5 && unit < 4; unit++)
		value /= 1000;
	add(t, "%.*f%s", unit && value < 99.95 ? 1 : 0, value, units[unit]);
}

static void add_time_left(const struct solve_log *l, struct text *t)
{
	struct time_left_range left;
	char about[32], low[32], high[32];

	if (!time_left_estimate(&l->history, &left)) {
		add(t, ", time left not known yet");
		return;
	}
	progress_duration(left.seconds, about, sizeof(about));
	progress_duration(left.low, low, sizeof(low));
	progress_duration(left.high, high, sizeof(high));
	add(t, ", %s left (%s to %s)", about, low, high);
}

static void compose(const struct solve_log *l, double now, const struct watch_view *v,
		    struct text *t)
{
	char spent[32];

	progress_duration(now - l->begin, spent, sizeof(spent));
	add(t, "%s: %s", l->o->target, spent);
	if (v->nodes) {
		add(t, ", ");
		add_scaled(t, rate_since(&l->shown, now, v));
		add(t, " nodes/s");
	}
	if (v->has_best) {
		progress_duration(v->best_at - l->begin, spent, sizeof(spent));
		add(t, ", best %lld (at %s%s%s)", (long long)v->best, spent,
		    v->best_source ? ", by the " : "", v->best_source ? v->best_source : "");
	}
	if (v->has_bound)
		add(t, ", bound %lld", (long long)v->bound);
	if (has_gap(v) && v->best)
		add(t, ", gap %.2f %%", 100 * fabs((double)(v->best - v->bound) / (double)v->best));
	if (v->share >= 0) {
		add(t, ", about %.1f %% of the tree", floor(1000 * v->share) / 10);
		add_time_left(l, t);
	}
	if (v->devices)
		add(t, ", %d of %d devices busy", v->busy, v->devices);
}

static int columns(void)
{
	struct winsize w;

	return ioctl(STDERR_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col >= 20 ? w.ws_col - 1 : 79;
}

static void show(struct solve_log *l, double now, const struct watch_view *v)
{
	struct text t = { .used = 0 };

	compose(l, now, v, &t);
	if (l->terminal)
		fprintf(stderr, "\r\033[K%.*s", columns(), t.data);
	else
		fprintf(stderr, "%s\n", t.data);
	fflush(stderr);
	l->drawn = l->terminal;
	l->shown = (struct mark){ now, v->nodes };
}

/* ---- the thread ---- */

static double next_time(double at, double every, double now)
{
	return at + every * (floor((now - at) / every) + 1);
}

static void *report(void *log)
{
	struct solve_log *l = log;
	struct watch_event event[16];
	bool closed = false;

	while (!closed) {
		double note = clock_wall() + fmax(l->history.apart, NOTE_SECONDS);
		double until = fmin(fmin(l->show_at, l->write_at),
				    fmin(note, clock_wall() + LONGEST)),
		       now;
		int count = watch_wait(l->watch, until, event, 16, &closed);
		struct watch_view v;

		for (int i = 0; i < count; i++)
			write_event(l, &event[i]);
		now = clock_wall();
		watch_view(l->watch, &v);
		time_left_note(&l->history, now, v.share);
		if (!closed && now >= l->show_at) {
			show(l, now, &v);
			l->show_at = next_time(l->show_at, l->show_every, now);
		}
		if (!closed && now >= l->write_at) {
			write_progress(l, now, &v);
			l->write_at = next_time(l->write_at, l->write_every, now);
		}
	}
	return NULL;
}

/* The thread takes no signals: the search's own threads are to be interrupted. */
static void start_thread(struct solve_log *l)
{
	l->started = stop_masked_thread(&l->thread, report, l);
	if (!l->started)
		fprintf(stderr, "%s: no thread for the progress of the search; it is not shown\n",
			l->o->target);
}

static int open_file(struct solve_log *l, struct err *e)
{
	const char *path = l->o->log;
	int status = outfile_make_parent(path, e);

	if (status)
		return status;
	l->file = fopen(path, "ae");
	if (!l->file)
		return err_set(e, ERR_IO, "--log: cannot open %s: %s", path, strerror(errno));
	return 0;
}

static void plan(struct solve_log *l)
{
	const struct solve_progress *p = &l->o->progress;
	double asked = p->given ? p->seconds : 0;

	l->terminal = on_terminal(l->o);
	l->show_every = l->terminal && !(asked > 0) ? TERMINAL_SECONDS : asked;
	l->write_every = !l->file ? 0 : asked > 0 ? asked : PIPE_SECONDS;
	l->show_at = l->show_every > 0 ? l->begin + l->show_every : INFINITY;
	l->write_at = l->write_every > 0 ? l->begin + l->write_every : INFINITY;
	l->shown = l->written = (struct mark){ l->begin, 0 };
}

int solve_log_open(struct solve_log **out, const struct solve_options *o, struct err *e)
{
	struct solve_log *l;
	int status;

	*out = NULL;
	if (!is_reported(o))
		return 0;
	l = calloc(1, sizeof(*l));
	if (!l)
		return err_set(e, ERR_MEMORY, "no memory for the progress of the search");
	l->o = o;
	l->watch = o->watch;
	l->begin = clock_wall();
	status = o->log ? open_file(l, e) : 0;
	if (status) {
		free(l);
		return status;
	}
	plan(l);
	write_start(l);
	start_thread(l);
	*out = l;
	return 0;
}

void solve_log_close(struct solve_log *l, const struct solve_result *r, int status,
		     const struct err *e)
{
	struct watch_view v;

	if (!l)
		return;
	watch_view(l->watch, &v);
	if (status == 0 && v.share >= 0)
		watch_share(l->watch, 1);
	/* also the only solution of a target that does not report them as they are found */
	if ((status == 0 || status == ERR_LIMIT) && r->solution && r->has_objective)
		watch_incumbent(l->watch, r->objective);
	if (l->started) {
		watch_close(l->watch);
		pthread_join(l->thread, NULL);
	}
	if (l->drawn)
		fputs("\r\033[K", stderr);
	write_end(l, r, status, e);
	if (l->file)
		fclose(l->file);
	free(l);
}
