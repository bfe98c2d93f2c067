#include "algorithms/tree-search/device_shares.h"

#include "harness/base/team.h"

struct task {
	int (*work)(void *share);
	struct device_share *share;
};

static void do_task(void *task)
{
	const struct task *t = task;
	int status = t->work(t->share);

	t->share->status = status;
	if (status && status != ERR_LIMIT)
		atomic_store(t->share->failed, true);
}

int device_shares_run(int (*work)(void *share), void *shares, size_t size, int count, struct err *e)
{
	struct task task[DEV_MAX];
	int status = 0;

	for (int i = 0; i < count; i++)
		task[i] = (struct task){ work, (void *)((char *)shares + (size_t)i * size) };
	for (int i = team_run(do_task, task, sizeof(*task), count, NULL, NULL); i < count; i++)
		do_task(&task[i]);
	for (int i = 0; i < count; i++) {
		const struct device_share *s = task[i].share;

		status = err_merge(status, s->status, &s->error, e);
	}
	return status;
}

int device_share_stopped(struct device_share *s)
{
	if (atomic_load_explicit(s->failed, memory_order_relaxed))
		return err_set(&s->error, ERR_LIMIT, "another device failed");
	return interrupt_due(s->interrupt) ? interrupt_status(s->interrupt, &s->error) : 0;
}
