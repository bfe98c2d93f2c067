#include "algorithms/tree-search/flowshop/flowshop_start.h"

#include "algorithms/tree-search/flowshop/flowshop.h"

/* LB1 of the root: a schedule that meets it is optimal. */
static int root_bound(const struct flowshop *f, int64_t *bound, struct err *e)
{
	struct fsp_tables t;
	int status = fsp_tables_make(&t, f, FSP_ADJACENT_PAIRS, e);

	if (status)
		return status;
	*bound = fsp_root_bound(&t, FSP_LB1);
	fsp_tables_free(&t);
	return 0;
}

int fsp_start(enum fsp_start kind, const struct flowshop *f, double seconds, uint64_t seed,
	      const volatile int *stop, int64_t *order, int64_t *makespan, struct err *e)
{
	int64_t bound = 0, value = fsp_neh(f, order, e);
	int status = value < 0 ? (int)value : 0;

	if (!status && kind == FSP_START_IG)
		status = root_bound(f, &bound, e);
	if (!status && kind == FSP_START_IG && value > bound) {
		value = fsp_iterated_greedy(f, order, seconds, bound, seed, stop, e);
		status = value < 0 ? (int)value : 0;
	}
	*makespan = value;
	return status;
}

double fsp_start_seconds(const struct flowshop *f)
{
	double size = (double)f->jobs * f->machines / 400;

	return size < 1 ? size : 1;
}
