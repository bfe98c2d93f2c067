/* NEH: Nawaz, Enscore, Ham, "A heuristic algorithm for the m-machine, n-job flow-shop sequencing
 * problem", Omega 11 (1983). */
#include <stdlib.h>

#include "algorithms/tree-search/flowshop/flowshop_insertion.h"

struct load {
	int64_t work;
	int job;
};

/* Most work first; ties by number, so that the result is the same everywhere. */
static int compare_loads(const void *a, const void *b)
{
	const struct load *x = a, *y = b;

	if (x->work != y->work)
		return x->work > y->work ? -1 : 1;
	return (x->job > y->job) - (x->job < y->job);
}

static void sort_by_load(const struct insertion *s, struct load *loads)
{
	for (int j = 0; j < s->jobs; j++) {
		loads[j] = (struct load){ .work = 0, .job = j };
		for (int k = 0; k < s->machines; k++)
			loads[j].work += s->time[j * s->machines + k];
	}
	qsort(loads, (size_t)s->jobs, sizeof(*loads), compare_loads);
}

static int64_t build(struct insertion *s, const struct load *loads, int *order)
{
	int32_t makespan = 0;
	int place;

	for (int i = 0; i < s->jobs; i++) {
		makespan = insertion_best(s, order, i, loads[i].job, &place);
		insertion_put(order, i, place, loads[i].job);
	}
	return makespan;
}

int64_t fsp_neh(const struct flowshop *f, int64_t *order, struct err *e)
{
	int now[FLOWSHOP_MAX_JOBS] = { 0 };
	struct load loads[FLOWSHOP_MAX_JOBS];
	struct insertion s;
	int64_t makespan;
	int status = insertion_make(&s, f, e);

	if (status)
		return status;
	sort_by_load(&s, loads);
	makespan = build(&s, loads, now);
	for (int i = 0; i < f->jobs; i++)
		order[i] = now[i];
	insertion_free(&s);
	return makespan;
}
