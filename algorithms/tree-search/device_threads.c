/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/tree-search/device_threads.h"

#include "harness/base/team.h"

struct task {
	int (*work)(void *thread);
	struct device_thread *thread;
};

static void do_task(void *task)
{
	const struct task *t = task;
	struct device_thread *s = t->thread;
	struct watch *watch = s->interrupt->request->watch;
	bool joins = s->joining->on && s->number > 0;
	int status;

	if (joins && !joining_wait(s->joining, s->number))
		return;
	if (joins)
		watch_device_began(watch);
	s->worked = true;
	status = t->work(s);
	joining_end(s->joining);
	s->status = status;
	watch_device_ended(watch);
	if (status && status != ERR_LIMIT)
		atomic_store(s->failed, true);
}

int device_threads_run(int (*work)(void *thread), void *threads, size_t size, int count,
		       struct err *e)
{
	const struct device_thread *first = threads;
	struct task task[DEV_MAX];
	int status = 0;

	watch_devices(first->interrupt->request->watch, joining_first(first->joining, count),
		      count);
	for (int i = 0; i < count; i++)
		task[i] = (struct task){ work, (void *)((char *)threads + (size_t)i * size) };
	for (int i = team_run(do_task, task, sizeof(*task), count, NULL, NULL); i < count; i++)
		do_task(&task[i]);
	for (int i = 0; i < count; i++) {
		const struct device_thread *s = task[i].thread;

		status = err_merge(status, s->status, &s->error, e);
	}
	return status;
}

void device_thread_ready(struct device_thread *s, double begin)
{
	s->ready = clock_wall();
	if (s->number == 0)
		joining_begin(s->joining, s->ready - begin);
}

int device_thread_stopped(struct device_thread *s)
{
	if (atomic_load_explicit(s->failed, memory_order_relaxed))
		return err_set(&s->error, ERR_LIMIT, "another device failed");
	return interrupt_due(s->interrupt) ? interrupt_status(s->interrupt, &s->error) : 0;
}
