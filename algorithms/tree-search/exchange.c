/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/tree-search/exchange.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/clock.h"

const char *exchange_source_name(enum exchange_source s)
{
	static const char *const names[] = { "start", "checkpoint", "improvement", "search" };

	return names[s];
}

int exchange_create(struct exchange **out, int items, struct watch *watch, struct err *e)
{
	struct exchange *x = calloc(1, sizeof(*x));

	*out = NULL;
	if (x)
		x->order = calloc((size_t)items, sizeof(*x->order));
	if (!x || !x->order) {
		free(x);
		return err_set(e, ERR_MEMORY, "no memory for a solution of %d items", items);
	}
	atomic_init(&x->value, INT64_MAX);
	pthread_mutex_init(&x->lock, NULL);
	x->items = items;
	x->watch = watch;
	*out = x;
	return 0;
}

void exchange_destroy(struct exchange *x)
{
	if (!x)
		return;
	pthread_mutex_destroy(&x->lock);
	free(x->order);
	free(x);
}

bool exchange_offer(struct exchange *x, enum exchange_source source, int64_t value,
		    const int64_t *order)
{
	bool better;

	if (value >= exchange_value(x) || !x)
		return false;
	pthread_mutex_lock(&x->lock);
	better = value < exchange_value(x);
	if (better) {
		memcpy(x->order, order, (size_t)x->items * sizeof(*order));
		x->source = source;
		x->at = clock_wall();
		atomic_store(&x->value, value);
		if (source != EXCHANGE_SEARCH) /* which tells its watch itself */
			watch_incumbent_from(x->watch, value, exchange_source_name(source));
	}
	pthread_mutex_unlock(&x->lock);
	return better;
}

int64_t exchange_take(struct exchange *x, int64_t below, int64_t *order)
{
	int64_t value;

	if (exchange_value(x) >= below)
		return below;
	pthread_mutex_lock(&x->lock);
	value = exchange_value(x);
	memcpy(order, x->order, (size_t)x->items * sizeof(*order));
	pthread_mutex_unlock(&x->lock);
	return value;
}
