/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/machine/perf.h"

#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "harness/base/host.h"

#define CACHE_READ_MISS(cache)                                                                     \
	((cache) | PERF_COUNT_HW_CACHE_OP_READ << 8 | PERF_COUNT_HW_CACHE_RESULT_MISS << 16)

static const struct event {
	const char *name, *counter;
	uint32_t type;
	uint64_t config;
} events[] = {
	{ "cycles", "perf_cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "instructions", "perf_instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	{ "llc-references", "perf_llc_references", PERF_TYPE_HARDWARE,
	  PERF_COUNT_HW_CACHE_REFERENCES },
	{ "llc-misses", "perf_llc_misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES },
	{ "l1d-misses", "perf_l1d_misses", PERF_TYPE_HW_CACHE,
	  CACHE_READ_MISS(PERF_COUNT_HW_CACHE_L1D) },
	{ "dtlb-misses", "perf_dtlb_misses", PERF_TYPE_HW_CACHE,
	  CACHE_READ_MISS(PERF_COUNT_HW_CACHE_DTLB) },
	{ "branches", "perf_branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-misses", "perf_branch_misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES },
	{ "page-faults", "perf_page_faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "context-switches", "perf_context_switches", PERF_TYPE_SOFTWARE,
	  PERF_COUNT_SW_CONTEXT_SWITCHES },
};
enum { KNOWN = sizeof(events) / sizeof(events[0]) };

/* ---- names ---- */

static int unknown(const char *name, struct err *e)
{
	char all[256] = "";
	size_t used = 0;

	for (int i = 0; i < KNOWN && used < sizeof(all); i++)
		used += (size_t)snprintf(all + used, sizeof(all) - used, "%s%s", i ? ", " : "",
					 events[i].name);
	return err_set(e, ERR_USAGE, "'%s' is not one of %s", name, all);
}

static int add_event(struct perf_choice *c, const char *name, struct err *e)
{
	int number = 0;

	while (number < KNOWN && strcmp(events[number].name, name) != 0)
		number++;
	if (number == KNOWN)
		return unknown(name, e);
	for (int i = 0; i < c->count; i++)
		if (c->event[i] == number)
			return err_set(e, ERR_USAGE, "'%s' is given twice", name);
	c->event[c->count++] = number;
	return 0;
}

int perf_parse(void *choice, const char *text, struct err *e)
{
	struct perf_choice *c = choice;
	char copy[512], *rest = copy;
	int status = 0;

	*c = (struct perf_choice){ .count = 0 };
	if (strlen(text) >= sizeof(copy))
		return err_set(e, ERR_USAGE, "the list is too long");
	strcpy(copy, text);
	for (char *one; status == 0 && (one = strsep(&rest, ",")) != NULL;)
		status = add_event(c, one, e);
	return status;
}

const char *perf_name(const struct perf_choice *c, int i)
{
	return events[c->event[i]].name;
}

const char *perf_counter(const struct perf_choice *c, int i)
{
	return events[c->event[i]].counter;
}

/* ---- counters ---- */

/* A counter of one thread and the threads that it will create. Without the kernel's own work, which
 * unprivileged users may not count. */
static int open_counter(uint32_t type, uint64_t config, int thread)
{
	struct perf_event_attr a;

	memset(&a, 0, sizeof(a));
	a.size = sizeof(a);
	a.type = type;
	a.config = config;
	a.inherit = 1;
	/* the kernel switches contexts, in its own mode */
	a.exclude_kernel =
		!(type == PERF_TYPE_SOFTWARE && config == PERF_COUNT_SW_CONTEXT_SWITCHES);
	a.exclude_hv = 1;
	a.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	return (int)syscall(SYS_perf_event_open, &a, thread, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static int open_event(const struct perf_choice *c, int i, perf_opener *opener, int thread)
{
	const struct event *x = &events[c->event[i]];

	return (opener ? opener : open_counter)(x->type, x->config, thread);
}

static const char *reason_of(int error)
{
	if (error == EACCES || error == EPERM)
		return "not permitted (see /proc/sys/kernel/perf_event_paranoid)";
	if (error == ENOENT || error == EOPNOTSUPP || error == ENODEV)
		return "not present on this processor or virtual machine";
	return error == ENOSYS ? "not supported by this kernel" : strerror(error);
}

void perf_probe(struct perf_choice *c, perf_opener *opener, char *why, size_t size)
{
	const char *reason = "";
	size_t used = 0;
	int kept = 0;

	why[0] = '\0';
	for (int i = 0; i < c->count; i++) {
		int file = open_event(c, i, opener, 0);

		if (file < 0) {
			reason = reason_of(errno);
			if (used < size)
				used += (size_t)snprintf(why + used, size - used, "%s%s",
							 used ? ", " : "", perf_name(c, i));
			continue;
		}
		close(file);
		c->event[kept++] = c->event[i];
	}
	c->count = kept;
	if (used && used < size)
		snprintf(why + used, size - used, ": %s; the run goes on without", reason);
}

/* ---- a region ---- */

struct reading {
	uint64_t count, enabled, running;
};

struct counter {
	int event, file; /* event: its index in the choice */
	struct reading begin;
};

struct perf_meter {
	int events, count;
	struct counter counter[]; /* of each event and thread */
};

static bool read_counter(int file, struct reading *r)
{
	return read(file, r, sizeof(*r)) == (ssize_t)sizeof(*r);
}

/* Threads that have ended meanwhile are left out. */
static void open_thread(struct perf_meter *m, const struct perf_choice *c, perf_opener *opener,
			int thread)
{
	for (int i = 0; i < c->count; i++) {
		struct counter *x = &m->counter[m->count];

		x->event = i;
		x->file = open_event(c, i, opener, thread);
		if (x->file < 0)
			continue;
		if (read_counter(x->file, &x->begin))
			m->count++;
		else
			close(x->file);
	}
}

int perf_begin(struct perf_meter **out, const struct perf_choice *c, perf_opener *opener,
	       struct err *e)
{
	struct dirent **threads;
	int count = scandir("/proc/self/task", &threads, host_visible, NULL);
	struct perf_meter *m;

	*out = NULL;
	if (count < 0)
		return err_set(e, ERR_UNSUPPORTED, "cannot list the threads of the process: %s",
			       strerror(errno));
	m = calloc(1, sizeof(*m) + (size_t)count * (size_t)c->count * sizeof(m->counter[0]));
	for (int i = 0; i < count; i++) {
		if (m)
			open_thread(m, c, opener, atoi(threads[i]->d_name));
		free(threads[i]);
	}
	free(threads);
	if (!m)
		return err_set(e, ERR_MEMORY, "no memory for the counters of %d threads", count);
	m->events = c->count;
	*out = m;
	return 0;
}

void perf_end(struct perf_meter *m, double counts[PERF_EVENTS])
{
	for (int i = 0; i < PERF_EVENTS; i++)
		counts[i] = -1;
	for (int i = 0; i < m->count; i++) {
		const struct counter *x = &m->counter[i];
		struct reading end;
		double share;

		if (read_counter(x->file, &end) && end.running > x->begin.running) {
			share = (double)(end.enabled - x->begin.enabled) /
				(double)(end.running - x->begin.running);
			counts[x->event] = (counts[x->event] < 0 ? 0 : counts[x->event]) +
					   share * (double)(end.count - x->begin.count);
		}
		close(x->file);
	}
	free(m);
}
