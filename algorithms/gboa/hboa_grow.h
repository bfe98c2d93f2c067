/* The greedy construction of one decision graph (hboa.h), whatever way its leaves keep their
 * individuals. */
#ifndef COPRA_GBOA_HBOA_GROW_H
#define COPRA_GBOA_HBOA_GROW_H

#include "algorithms/gboa/hboa.h"

/* How many individuals of a leaf have v = 0 and v = 1. */
struct hboa_counts {
	uint32_t zeros, ones;
};

struct hboa_leaves {
	void *keeper;
	/* The best split of the leaf, hboa_operator(), or 0. */
	uint64_t (*best_split)(void *keeper, int32_t leaf, struct hboa_counts here);
	/* Individuals of the leaf with u = 1 go to leaf `there`, a new one; how many. */
	struct hboa_counts (*split)(void *keeper, int32_t leaf, int32_t u, int32_t there);
	/* Those of `other` go to `leaf`, then those of `last` to `other`, if it is another one. */
	void (*merge)(void *keeper, int32_t leaf, int32_t other, int32_t last);
};

struct hboa_rules {
	const uint32_t *ln_factorial;
	uint32_t penalty;
	bool merges;
	enum boa_smoothing smoothing;
};

/* `all`: those of the first leaf, which holds all individuals. */
void hboa_grow(struct hboa_graph *g, const struct hboa_rules *r, const struct hboa_leaves *l,
	       struct hboa_counts all);

#endif
