/* LB2 as a lookup by set of unscheduled jobs, in forward branching.
 *
 * With back = tail for the whole search, every set U folds to m numbers
 *     E[U][u] = max( rem_u + tail_u, max over v > u of C_uv(U) + tail_v ),
 *     C_uv(U) = max_k ( sum_{i<=k} p_iu + lag_k + sum_{i>=k} p_iv ),
 *               i over U in Johnson's order of (u, v),
 * and LB2(node) = max_u front[u] + E[U][u] for U not empty, front[m-1] for U empty. It equals
 * fsp_lb2 with all pairs exactly (tests compare them). E needs no early exit, pre-filter or order
 * of pairs. */
#ifndef COPRA_TREE_SEARCH_FLOWSHOP_FLOWSHOP_SETS_H
#define COPRA_TREE_SEARCH_FLOWSHOP_FLOWSHOP_SETS_H

#include <stdint.h>

#include "algorithms/tree-search/flowshop/flowshop.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One row by definition: `left` is the set, bit j for job j; jobs <= 64; `row` gets `machines`
 * values. An empty set gives row[u] = 0 for u = m-1 and INT32_MIN / 2 elsewhere. */
HD void fsp_set_row(const struct fsp_tables *t, uint64_t left, int32_t *row)
{
	int m = t->machines;

	for (int u = 0; u < m; u++) {
		int32_t rem = 0;

		for (int j = 0; j < t->jobs; j++)
			rem += (left >> j & 1) ? t->time[j * m + u] : 0;
		row[u] = left ? rem + t->tail[u] : (u == m - 1 ? 0 : INT32_MIN / 2);
	}
	for (int pair = 0; left && pair < t->pairs; pair++) {
		int u = t->pair_u[pair], v = t->pair_v[pair];
		int32_t t0 = 0, t1 = 0, x;

		for (int i = 0; i < t->jobs; i++) {
			int j = t->johnson[pair * t->jobs + i];

			if (!(left >> j & 1))
				continue;
			t0 += t->time[j * m + u];
			x = t0 + t->lag[pair * t->jobs + j];
			t1 = (x > t1 ? x : t1) + t->time[j * m + v];
		}
		x = t1 + t->tail[v];
		row[u] = x > row[u] ? x : row[u];
	}
}

#ifdef __cplusplus
}
#endif
#endif
