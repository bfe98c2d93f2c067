#include "algorithms/gboa/hboa_grow.h"

struct growth {
	const struct hboa_rules *rules;
	const struct hboa_leaves *leaves;
	struct hboa_graph *graph;
	uint32_t zeros[HBOA_LEAVES_MAX], ones[HBOA_LEAVES_MAX];
	uint64_t split[HBOA_LEAVES_MAX]; /* the best one of each leaf */
};

static void set_leaf(struct growth *w, int32_t leaf, uint32_t zeros, uint32_t ones)
{
	const struct hboa_rules *r = w->rules;

	w->zeros[leaf] = zeros;
	w->ones[leaf] = ones;
	w->split[leaf] = 0;
	if (hboa_worth_a_split(r->ln_factorial, zeros, ones, r->penalty))
		w->split[leaf] = w->leaves->best_split(w->leaves->keeper, leaf,
						       (struct hboa_counts){ zeros, ones });
}

static uint64_t best_merge(const struct growth *w)
{
	const struct hboa_rules *r = w->rules;
	uint64_t best = 0;

	for (int32_t l = 0; l < w->graph->leaves; l++)
		for (int32_t m = l + 1; m < w->graph->leaves; m++) {
			uint64_t op = hboa_merge_operator(r->ln_factorial, w->zeros, w->ones,
							  (uint32_t)l, (uint32_t)m, r->penalty);

			best = op > best ? op : best;
		}
	return best;
}

static uint64_t best_operator(const struct growth *w)
{
	uint64_t best = w->rules->merges ? best_merge(w) : 0;

	for (int32_t l = 0; l < w->graph->leaves; l++)
		best = w->split[l] > best ? w->split[l] : best;
	return best;
}

static void apply_split(struct growth *w, int32_t leaf, int32_t u)
{
	int32_t there = w->graph->leaves;
	struct hboa_counts gone = w->leaves->split(w->leaves->keeper, leaf, u, there);

	hboa_graph_split(w->graph, leaf, u);
	set_leaf(w, leaf, w->zeros[leaf] - gone.zeros, w->ones[leaf] - gone.ones);
	set_leaf(w, there, gone.zeros, gone.ones);
}

static void apply_merge(struct growth *w, int32_t leaf, int32_t other)
{
	int32_t last = w->graph->leaves - 1;
	uint32_t zeros = w->zeros[leaf] + w->zeros[other], ones = w->ones[leaf] + w->ones[other];
	uint64_t moved = w->split[last];

	w->leaves->merge(w->leaves->keeper, leaf, other, last);
	hboa_graph_merge(w->graph, leaf, other);
	w->zeros[other] = w->zeros[last];
	w->ones[other] = w->ones[last];
	w->split[other] = hboa_operator(hboa_operator_gain(moved), 0, (uint32_t)other,
					hboa_operator_other(moved));
	set_leaf(w, leaf, zeros, ones);
}

void hboa_grow(struct hboa_graph *g, const struct hboa_rules *r, const struct hboa_leaves *l,
	       struct hboa_counts all)
{
	struct growth w = { .rules = r, .leaves = l, .graph = g };
	uint64_t op;

	g->splits = 0;
	g->leaves = 1;
	set_leaf(&w, 0, all.zeros, all.ones);
	while (g->splits < HBOA_SPLITS_MAX && (op = best_operator(&w))) {
		int32_t leaf = (int32_t)hboa_operator_leaf(op);
		int32_t other = (int32_t)hboa_operator_other(op);

		if (hboa_operator_merges(op))
			apply_merge(&w, leaf, other);
		else
			apply_split(&w, leaf, other);
	}
	for (int32_t leaf = 0; leaf < g->leaves; leaf++)
		g->threshold[leaf] =
			boa_threshold(w.ones[leaf], w.zeros[leaf] + w.ones[leaf], r->smoothing);
}
