/* No node is lost, see ../problems/balance.h. */
#include "algorithms/helbecque-pool/published_run.h"

static const char ENGINE[] = "helbecque-pool published";

/* Under way at a stop: taken from the pool, not returned. */
static uint64_t under_way(const struct published_worker *w)
{
	uint64_t nodes = 0;

	for (int i = 0; i < OFFLOAD_CHUNKS; i++)
		nodes += w->offload.chunk[i].count;
	return nodes;
}

/* Every node taken from the pool comes back. */
static int check_returned(const struct balance_name *name, const struct balance *pool,
			  uint64_t returned, uint64_t left, struct err *e)
{
	return balance_equal(name, "taken from the pool", pool->popped, "returned or under way",
			     returned + left, e);
}

static uint64_t explored(const struct published_run *run)
{
	uint64_t nodes = run->counts.explored;

	for (int i = 0; i < run->workers; i++)
		nodes += run->worker[i].counts.explored;
	return nodes;
}

int published_check_balance(struct published_run *run, bool complete, struct err *e)
{
	static const struct balance_name host = { ENGINE, "host", -1, NULL };
	static const struct balance_name all = { ENGINE, NULL, -1, NULL };
	struct balance_name name = { ENGINE, "device", 0, NULL };
	struct balance b[SEARCH_WORKERS_MAX];
	uint64_t pushed = run->initial.pushed;
	int status = check_returned(&host, &run->initial, run->initial_returned, 0, e);

	if (run->request->devices && dev_set_cancelled(run->request->devices))
		return status; /* the result claims nothing of what was on the devices */
	for (int i = 0; i < run->workers && !status; i++) {
		struct published_worker *w = &run->worker[i];
		uint64_t left = under_way(w);

		b[i] = node_pool_balance(&w->pool);
		pushed += b[i].pushed;
		name.number = i;
		status = check_returned(&name, &b[i], w->returned, left, e);
		if (!status && complete)
			status = balance_equal(&name, "under way", left,
					       "expected in a complete search", 0, e);
	}
	if (!status)
		status = balance_check_all(b, run->workers, &run->initial, &name, complete, e);
	/* the root is pushed and not counted */
	if (status)
		return status;
	return balance_equal(&all, "counted as children, and the root", explored(run) + 1, "pushed",
			     pushed, e);
}
