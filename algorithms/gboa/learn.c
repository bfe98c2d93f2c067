#include "algorithms/gboa/learn.h"

#include <stdlib.h>

#include "algorithms/gboa/learn_packed.h"

struct boa_learner {
	struct boa_options options;
	int32_t *order;
	bool packed; /* and which of the two is there */
	struct learn_bytes bytes;
	struct learn_packed words;
};

void boa_order_of(const int32_t *rank, int32_t n, int32_t *order)
{
	for (int32_t v = 0; v < n; v++)
		order[rank[v]] = v;
}

int boa_learner_create(struct boa_learner **l, int32_t n, int32_t count,
		       const struct boa_options *o, bool serial, struct team *w, struct err *e)
{
	struct boa_learner *made = calloc(1, sizeof(*made));
	int status;

	*l = NULL;
	if (!made)
		return err_set(e, ERR_MEMORY, "no memory for a learner");
	made->options = *o;
	made->packed = !serial && o->model == BOA_PERMUTED;
	made->order = malloc((size_t)n * sizeof(*made->order));
	if (!made->order)
		status = err_set(e, ERR_MEMORY, "no memory for an order of %d variables", n);
	else if (made->packed)
		status = learn_packed_create(&made->words, n, count, o, w, e);
	else
		status = learn_bytes_create(&made->bytes, n, count, e);
	if (status) {
		boa_learner_destroy(made);
		return status;
	}
	*l = made;
	return 0;
}

void boa_learner_destroy(struct boa_learner *l)
{
	if (!l)
		return;
	if (l->packed)
		learn_packed_destroy(&l->words);
	else
		learn_bytes_destroy(&l->bytes);
	free(l->order);
	free(l);
}

void boa_learner_limit(struct boa_learner *l, const struct boa_limit *limit)
{
	if (l->packed)
		l->words.limit = limit;
	else
		l->bytes.limit = limit;
}

int learn_look(const struct boa_limit *limit, struct err *e)
{
	return limit && boa_limit_reached(limit) ?
		       err_set(e, ERR_LIMIT, "stopped while a network was learned") :
		       0;
}

int boa_learn_some(struct boa_learner *l, const struct boa_data *d, struct boa_network *b,
		   int32_t first, int32_t last, struct err *e)
{
	int status;

	boa_order_of(b->rank, b->n, l->order);
	if (l->packed)
		return learn_packed_some(&l->words, d, l->order, b, first, last, e);
	learn_bytes_unpack(&l->bytes, d);
	status = learn_permuted(&l->bytes, l->order, b, first, last, e);
	for (int32_t r = first; !status && r < last; r++)
		boa_fill_row(d, l->options.smoothing, b, l->order[r]);
	return status;
}

int boa_learn(struct boa_learner *l, const struct boa_data *d, struct boa_network *b, struct err *e)
{
	int status;

	if (l->options.model == BOA_PERMUTED)
		return boa_learn_some(l, d, b, 0, b->n, e);
	learn_bytes_unpack(&l->bytes, d);
	status = learn_searched(&l->bytes, b, e);
	if (!status)
		boa_fill_thresholds(d, l->options.smoothing, b);
	return status;
}
