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
	int status = t->work(t->thread);

	t->thread->status = status;
	watch_device_ended(t->thread->interrupt->request->watch);
	if (status && status != ERR_LIMIT)
		atomic_store(t->thread->failed, true);
}

int device_threads_run(int (*work)(void *thread), void *threads, size_t size, int count,
		       struct err *e)
{
	struct task task[DEV_MAX];
	int status = 0;

	watch_devices(((struct device_thread *)threads)->interrupt->request->watch, count, count);
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

int device_thread_stopped(struct device_thread *s)
{
	if (atomic_load_explicit(s->failed, memory_order_relaxed))
		return err_set(&s->error, ERR_LIMIT, "another device failed");
	return interrupt_due(s->interrupt) ? interrupt_status(s->interrupt, &s->error) : 0;
}
