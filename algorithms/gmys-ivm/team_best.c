/* update-best-solution (section 3.4). */
#include <stdlib.h>
#include <string.h>

#include "team.h"

/* The start's schedule or tour as a permutation of items. */
static void begin_with(struct best *b, const struct ivm_problem *p, const int64_t *start)
{
	int shift = p->kind == IVM_ATSP;

	for (int i = 0; start && i < p->n; i++)
		b->order[i] = (uint16_t)(start[i + shift] - shift);
	b->known = start;
}

int best_open(struct best *b, const struct ivm_problem *p, const struct search_request *r,
	      struct err *e)
{
	int64_t *start = NULL, ub = IVM_NONE;
	int status = 0;

	pthread_mutex_init(&b->lock, NULL);
	b->order = calloc((size_t)p->n, sizeof(*b->order));
	if (!b->order)
		return err_set(e, ERR_MEMORY, "no memory for an order of %d items", p->n);
	if (p->kind == IVM_FLOWSHOP)
		status = search_start(r, &ub, &start, e);
	else if (p->kind == IVM_ATSP)
		ub = r->ub < IVM_NONE ? r->ub : IVM_NONE;
	atomic_init(&b->value, (int32_t)ub);
	begin_with(b, p, p->kind == IVM_ATSP ? r->start : start);
	free(start);
	return status;
}

void best_close(struct best *b)
{
	pthread_mutex_destroy(&b->lock);
	free(b->order);
}

void best_offer(struct best *b, int32_t value, const uint16_t *order, int n)
{
	int32_t known;

	pthread_mutex_lock(&b->lock);
	known = best_value(b);
	if (value < known || (value == known && !b->known)) {
		memcpy(b->order, order, (size_t)n * sizeof(*b->order));
		b->known = true;
		atomic_store_explicit(&b->value, value, memory_order_relaxed);
	}
	pthread_mutex_unlock(&b->lock);
}
