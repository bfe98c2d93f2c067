/* A host explorer: cpu-next is a step of Algorithm 2. */
#include "algorithms/gmys-ivm/team.h"

enum { REPORT_NODES = 1000 };

int host_open(struct worker *x, struct err *e)
{
	return ivm_explorer_open(&x->host, &x->team->problem, e);
}

void host_close(struct worker *x)
{
	ivm_explorer_close(&x->host);
}

static void tell(struct worker *x)
{
	if (x->host.found)
		best_offer(&x->team->best, x->host.found_value, x->host.order, x->team->problem.n);
	x->host.found = false;
}

int host_start(struct worker *x)
{
	const uint16_t *first = interval_list_at(&x->received, 0);

	x->host.best = best_value(&x->team->best);
	ivm_explorer_start(&x->host, first, first + x->team->problem.n);
	x->counts = x->host.counts;
	x->received.count = 0;
	tell(x);
	return 0;
}

/* To the farmer. */
static void report(struct worker *x)
{
	uint64_t nodes = x->host.counts.decomposed;

	atomic_fetch_add(&x->team->host_nodes, nodes - x->reported);
	x->reported = nodes;
}

int host_run(struct worker *x, bool *empty)
{
	struct best *best = &x->team->best;

	while (!atomic_load_explicit(&x->attention, memory_order_relaxed) && x->host.exploring) {
		x->host.best = best_value(best);
		ivm_explorer_step(&x->host);
		if (x->host.found)
			tell(x);
		if (x->team->farmer && x->host.counts.decomposed - x->reported >= REPORT_NODES)
			report(x);
	}
	report(x);
	x->counts = x->host.counts;
	*empty = !x->host.exploring;
	return 0;
}

static int append(struct worker *x, struct interval_list *l)
{
	if (interval_list_add(l, x->room, 1))
		return 0;
	return err_set(&x->error, ERR_MEMORY, "no memory for an interval");
}

int host_rest(struct worker *x, struct interval_list *l, uint64_t *again)
{
	*again = 0;
	if (!ivm_explorer_interval(&x->host, x->room, x->room + x->team->problem.n, again))
		return 0;
	return append(x, l);
}

int host_give_all(struct worker *x, struct interval_list *l)
{
	if (!ivm_explorer_take(&x->host, x->room, x->room + x->team->problem.n))
		return 0;
	x->counts = x->host.counts;
	return append(x, l);
}

int host_give(struct worker *x, int parts, struct interval_list *l, bool *got)
{
	*got = ivm_explorer_split(&x->host, 1, parts, x->room, x->room + x->team->problem.n);
	return *got ? append(x, l) : 0;
}
