/* update-best-solution (section 3.4). */
#include <stdlib.h>
#include <string.h>

#include "algorithms/gmys-ivm/team.h"

int best_open(struct best *b, const struct ivm_origin *o, struct err *e)
{
	size_t bytes = (size_t)o->n * sizeof(*b->order);

	pthread_mutex_init(&b->lock, NULL);
	atomic_init(&b->value, o->best);
	b->known = o->known;
	b->order = malloc(bytes);
	if (!b->order)
		return err_set(e, ERR_MEMORY, "no memory for an order of %d items", o->n);
	memcpy(b->order, o->order, bytes);
	return 0;
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

void best_tell(struct best *b, struct ivm_origin *o)
{
	pthread_mutex_lock(&b->lock);
	o->best = best_value(b);
	o->known = b->known;
	memcpy(o->order, b->order, (size_t)o->n * sizeof(*o->order));
	pthread_mutex_unlock(&b->lock);
}
