#include "algorithms/gmys-ivm/intervals/tuned_tree.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/rng.h"
#include "kernels/tree-search/atsp.h"
#include "kernels/tree-search/queens.h"

static uint32_t all_items(int n)
{
	return UINT32_MAX >> (32 - n);
}

struct ivm_interval_node ivm_tree_root(const struct ivm_tree *t)
{
	if (t->atsp)
		return (struct ivm_interval_node){ all_items(t->n), IVM_INTERVAL_START, 0, 0 };
	return (struct ivm_interval_node){ ~all_items(t->n), 0, 0, 0 };
}

uint32_t ivm_tree_open(const struct ivm_tree *t, const struct ivm_interval_node *node)
{
	return t->atsp ? node->a : ~node->a;
}

static int city_of(int item)
{
	return item == IVM_INTERVAL_START ? 0 : item + 1;
}

static bool path_child(const struct ivm_tree *t, int64_t best, const struct ivm_interval_node *node,
		       int item, struct ivm_interval_node *child)
{
	int32_t cost =
		atsp_child(t->atsp->cost, t->atsp->cities, (int32_t)node->c, city_of((int)node->b),
			   city_of(item), __builtin_popcount(node->a));

	*child = (struct ivm_interval_node){ node->a & ~(UINT32_C(1) << item), (uint32_t)item,
					     (uint32_t)cost, node->d };
	return cost <= best;
}

bool ivm_tree_child(const struct ivm_tree *t, int64_t best, const struct ivm_interval_node *node,
		    int item, struct ivm_interval_node *child)
{
	uint32_t bit = UINT32_C(1) << item;
	struct queens_masks q = { node->a, node->b, node->c };

	if (t->atsp)
		return path_child(t, best, node, item, child);
	if (!(queens_open_columns(q, all_items(t->n)) & bit))
		return false;
	q = queens_put(q, bit);
	*child = (struct ivm_interval_node){ q.columns, q.up, q.down, 0 };
	return true;
}

/* ---- the kernel's table ---- */

struct successor {
	int64_t cost;
	int column; /* of the pair of masks: 0 the arc is affordable, 1 with one more arc */
	int item;
};

static int by_cost(const void *a, const void *b)
{
	int64_t x = ((const struct successor *)a)->cost, y = ((const struct successor *)b)->cost;

	return (x > y) - (x < y);
}

/* The cost of the cheapest arc from `item` to another item or back to city 0. */
static int64_t cheapest(const struct ivm_tree *t, int item)
{
	int64_t least = INT64_MAX;

	for (int to = 0; to < t->atsp->cities; to++) {
		int64_t cost = t->atsp->cost[(item + 1) * t->atsp->cities + to];

		if (to != item + 1 && cost < least)
			least = cost;
	}
	return least;
}

static void fill_row(const struct ivm_tree *t, int item, int32_t *threshold, uint32_t (*mask)[2])
{
	struct successor s[2 * IVM_INTERVAL_ITEMS];
	int count = 0, ranks = 0;

	for (int to = 0; to < t->n; to++) {
		int64_t cost = t->atsp->cost[(item + 1) * t->atsp->cities + to + 1];

		if (to == item)
			continue;
		s[count++] = (struct successor){ cost, 0, to };
		s[count++] = (struct successor){ cost + cheapest(t, to), 1, to };
	}
	qsort(s, (size_t)count, sizeof(s[0]), by_cost);
	for (int i = 0; i < count; i++) {
		if (i == 0 || s[i].cost != s[i - 1].cost) {
			memcpy(mask[ranks + 1], mask[ranks], sizeof(mask[0]));
			threshold[ranks++] = s[i].cost < INT32_MAX ? (int32_t)s[i].cost : INT32_MAX;
		}
		mask[ranks][s[i].column] |= UINT32_C(1) << s[i].item;
	}
}

uint32_t *ivm_tree_table(const struct ivm_tree *t)
{
	struct atsp_shape shape = atsp_shape_of(t->n);
	uint32_t *words = calloc((size_t)shape.words, sizeof(*words));
	int cities = t->atsp->cities;

	if (!words)
		return NULL;
	for (int i = 0; i < t->n; i++) {
		for (int to = 0; to < t->n; to++)
			words[i * ATSP_COLUMNS + to] =
				(uint32_t)t->atsp->cost[(i + 1) * cities + to + 1];
		words[i * ATSP_COLUMNS + IVM_INTERVAL_ITEMS] =
			(uint32_t)t->atsp->cost[(i + 1) * cities];
	}
	for (int i = 0; i < shape.rows; i++) {
		int row = i * ATSP_RANKS;
		int32_t *threshold = (int32_t *)words + shape.threshold + row;

		for (int k = 0; k < ATSP_RANKS; k++)
			threshold[k] = INT32_MAX;
		if (i < t->n)
			fill_row(t, i, threshold, (uint32_t(*)[2])(words + shape.mask) + row);
	}
	return words;
}

/* ---- sizes ---- */

static void one_descent(const struct ivm_tree *t, int64_t best, struct rng *random, double *nodes)
{
	struct ivm_interval_node node = ivm_tree_root(t);
	double weight = 1;

	for (int depth = 0; depth < t->n; depth++) {
		struct ivm_interval_node kept[IVM_INTERVAL_ITEMS];
		uint64_t count = 0;
		int columns = depth || t->atsp ? t->n : (t->n + 1) / 2;

		nodes[depth] += weight;
		for (int item = 0; item < columns; item++)
			if (ivm_tree_open(t, &node) >> item & 1)
				count += ivm_tree_child(t, best, &node, item, &kept[count]);
		if (!count)
			return;
		weight *= (double)count;
		node = kept[rng_below(random, count)];
	}
	nodes[t->n] += weight;
}

void ivm_tree_estimate(const struct ivm_tree *t, int64_t best, double nodes[IVM_INTERVAL_ITEMS + 1])
{
	enum { DESCENTS = 1024 };
	struct rng random = rng_seeded(1);

	for (int i = 0; i <= t->n; i++)
		nodes[i] = 0;
	for (int i = 0; i < DESCENTS; i++)
		one_descent(t, best, &random, nodes);
	for (int i = 0; i <= t->n; i++)
		nodes[i] /= DESCENTS;
}

/* ---- tours ---- */

static int32_t arc(const struct ivm_tree *t, int from, int to)
{
	return t->atsp->cost[city_of(from) * t->atsp->cities + city_of(to)];
}

static bool extend(const struct ivm_tree *t, struct ivm_interval_node node, int to, int64_t cost,
		   uint8_t *path)
{
	if (!node.a) {
		node.c += to < 0 ? (uint32_t)arc(t, (int)node.b, IVM_INTERVAL_START) : 0;
		return (int64_t)node.c == cost;
	}
	for (uint32_t open = node.a; open; open &= open - 1) {
		int item = __builtin_ctz(open);
		uint32_t left = node.a & ~(UINT32_C(1) << item);
		int64_t sum = (int64_t)node.c + arc(t, (int)node.b, item);

		if (sum > cost || (item == to && left))
			continue;
		*path = (uint8_t)item;
		if (extend(t, (struct ivm_interval_node){ left, (uint32_t)item, (uint32_t)sum, 0 },
			   to, cost, path + 1))
			return true;
	}
	return false;
}

bool ivm_tree_path(const struct ivm_tree *t, int from, uint32_t items, int to, int64_t cost,
		   uint8_t *path)
{
	return extend(t, (struct ivm_interval_node){ items, (uint32_t)from, 0, 0 }, to, cost, path);
}
