#include <stdlib.h>

#include "algorithms/gboa/hboa.h"
#include "algorithms/gboa/learn.h"

int hboa_model_create(struct hboa_model *m, int32_t n, struct err *e)
{
	*m = (struct hboa_model){
		.n = n,
		.rank = calloc((size_t)n, sizeof(*m->rank)),
		.order = calloc((size_t)n, sizeof(*m->order)),
		.graph = calloc((size_t)n, sizeof(*m->graph)),
	};
	if (m->rank && m->order && m->graph)
		return 0;
	hboa_model_destroy(m);
	return err_set(e, ERR_MEMORY, "no memory for %d decision graphs", n);
}

void hboa_model_destroy(struct hboa_model *m)
{
	free(m->rank);
	free(m->order);
	free(m->graph);
	*m = (struct hboa_model){ 0 };
}

int hboa_set_order(struct hboa_model *m, uint64_t seed, uint32_t generation, struct err *e)
{
	int status = boa_permutation(seed, generation, m->n, m->rank, e);

	for (int32_t v = 0; !status && v < m->n; v++)
		m->order[m->rank[v]] = v;
	return status;
}

static bool asked_before(const struct hboa_graph *g, int32_t split)
{
	for (int32_t s = 0; s < split; s++)
		if (g->split[s].variable == g->split[split].variable)
			return true;
	return false;
}

int64_t hboa_edges(const struct hboa_model *m)
{
	int64_t edges = 0;

	for (int32_t v = 0; v < m->n; v++)
		for (int32_t s = 0; s < m->graph[v].splits; s++)
			edges += !asked_before(&m->graph[v], s);
	return edges;
}
