/* pBOA as in Figure 4 of the paper: a variable after the other, its parents of lower rank. */
#include "algorithms/gboa/learn_parts.h"

/* The best of the variables order[0 .. rank - 1] that are no parents yet; *gain 0 where none has
 * one. */
static int32_t best_parent(const struct learn_bytes *l, const int32_t *order, int32_t rank,
			   const int32_t *parent, int32_t parents, int32_t *gain)
{
	int32_t family[BOA_PARENTS_MAX], best = -1, v = order[rank];
	uint32_t before = learn_bytes_score(l, v, parent, parents);

	*gain = 0;
	for (int32_t r = 0; r < parents; r++)
		family[r] = parent[r];
	for (int32_t c = 0; c < rank; c++) {
		int32_t u = order[c], g;

		/* one that is a parent already splits nothing: its gain is no more than 0 */
		family[parents] = u;
		g = (int32_t)(learn_bytes_score(l, v, family, parents + 1) - before);
		if (g > *gain || (g == *gain && g > 0 && u < best)) {
			*gain = g;
			best = u;
		}
	}
	return best;
}

int learn_permuted(const struct learn_bytes *l, const int32_t *order, struct boa_network *b,
		   int32_t first, int32_t last, struct err *e)
{
	for (int32_t rank = first; rank < last; rank++) {
		int32_t v = order[rank], *count = &b->parent_count[v], gain;
		int32_t *parent = b->parents + (size_t)v * (size_t)b->k;

		for (*count = 0; *count < b->k; ++*count) {
			int status = learn_look(l->limit, e);

			if (status)
				return status;
			int32_t best = best_parent(l, order, rank, parent, *count, &gain);

			if (gain <= 0)
				break;
			parent[*count] = best;
		}
	}
	return 0;
}
