/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/base/progress.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "harness/base/clock.h"

#define REDRAW_SECONDS 0.1
#define PLAIN_SECONDS 10.0
#define PLAIN_SHARE 0.1

struct progress {
	FILE *stream;
	char title[64];
	char what[160];
	double total, done;
	double first; /* done at the first update: kept from an earlier run, not used for the speed
		       */
	double started, shown_at, shown_share;
	bool terminal;
	bool part;  /* part of longer work: prints no last line */
	bool drawn; /* an unfinished line is on the terminal */
};

void progress_duration(double seconds, char *text, size_t size)
{
	long s = (long)(seconds + 0.5);

	if (!(seconds >= 0) || seconds > 1e9)
		snprintf(text, size, "?");
	else if (seconds < 9.95)
		snprintf(text, size, "%.1f s", seconds);
	else if (s < 60)
		snprintf(text, size, "%ld s", s);
	else if (s < 3600)
		snprintf(text, size, "%ld m %02ld s", s / 60, s % 60);
	else if (s < 86400)
		snprintf(text, size, "%ld h %02ld m", s / 3600, s % 3600 / 60);
	else
		snprintf(text, size, "%ld d %02ld h", s / 86400, s % 86400 / 3600);
}

int progress_create(struct progress **out, FILE *stream, const char *title, double total,
		    struct err *e)
{
	struct progress *p = calloc(1, sizeof(*p));

	*out = NULL;
	if (!p)
		return err_set(e, ERR_MEMORY, "no memory for a progress display");
	p->stream = stream;
	p->total = total;
	p->first = -1;
	p->terminal = stream && isatty(fileno(stream));
	p->started = clock_wall();
	p->shown_at = p->started - PLAIN_SECONDS;
	p->shown_share = -1;
	snprintf(p->title, sizeof(p->title), "%s", title);
	*out = p;
	return 0;
}

static int columns(const struct progress *p)
{
	struct winsize w;

	if (ioctl(fileno(p->stream), TIOCGWINSZ, &w) == 0 && w.ws_col >= 20)
		return w.ws_col - 1;
	return 79;
}

static double share_of(const struct progress *p)
{
	double share = p->total > 0 ? p->done / p->total : 0;

	return fmin(fmax(share, 0), 1);
}

static void compose(const struct progress *p, double now, char *line, size_t size)
{
	double share = share_of(p), spent = now - p->started;
	char left[32] = "";

	if (p->done > p->first && spent > 0.5) {
		double rate = (p->done - p->first) / spent;
		char time_left[24];

		progress_duration(fmax(0, p->total - p->done) / rate, time_left, sizeof(time_left));
		snprintf(left, sizeof(left), ", %s left", time_left);
	}
	snprintf(line, size, "%s: %3.0f %%%s%s%s", p->title, floor(100 * share), left,
		 p->what[0] ? ", " : "", p->what);
}

static void show(struct progress *p, double now)
{
	char line[320];

	compose(p, now, line, sizeof(line));
	if (p->terminal)
		fprintf(p->stream, "\r\033[K%.*s", columns(p), line);
	else
		fprintf(p->stream, "%s\n", line);
	fflush(p->stream);
	p->drawn = p->terminal;
	p->shown_at = now;
	p->shown_share = share_of(p);
}

void progress_update(struct progress *p, double done, const char *what)
{
	double now;

	if (!p || !p->stream)
		return;
	now = clock_wall();
	if (done > p->done)
		p->done = done;
	if (p->first < 0)
		p->first = p->done;
	snprintf(p->what, sizeof(p->what), "%s", what ? what : "");
	if (p->terminal ? now - p->shown_at >= REDRAW_SECONDS || !p->drawn :
			  now - p->shown_at >= PLAIN_SECONDS ||
				  share_of(p) - p->shown_share >= PLAIN_SHARE)
		show(p, now);
}

void progress_continue(struct progress *p, double done, double spent)
{
	if (!p)
		return;
	p->part = true;
	p->done = done;
	p->first = 0;
	p->started -= spent;
}

void progress_clear(struct progress *p)
{
	if (!p || !p->drawn)
		return;
	fputs("\r\033[K", p->stream);
	fflush(p->stream);
	p->drawn = false;
}

static void last_line(const struct progress *p)
{
	char spent[32];

	progress_duration(clock_wall() - p->started, spent, sizeof(spent));
	if (share_of(p) >= 1)
		fprintf(p->stream, "%s: done in %s\n", p->title, spent);
	else
		fprintf(p->stream, "%s: ended at %.0f %% after %s\n", p->title,
			floor(100 * share_of(p)), spent);
	fflush(p->stream);
}

void progress_destroy(struct progress *p)
{
	if (!p)
		return;
	if (p->stream) {
		progress_clear(p);
		if (!p->part)
			last_line(p);
	}
	free(p);
}
