/* Decision graphs counted individual by individual, from bytes: what serial does. */
#include <stdlib.h>
#include <string.h>

#include "algorithms/gboa/hboa_learn.h"

struct hboa_plain {
	int32_t n, count;
	struct hboa_rules rules;
	uint8_t *value;   /* count x n */
	int16_t *leaf;    /* count: of the graph that grows */
	int32_t *members; /* count: those of one leaf */
	int32_t variable;
	const int32_t *rank;
	const struct boa_limit *limit; /* NULL: none */
};

int hboa_plain_create(struct hboa_plain **out, int32_t n, int32_t count,
		      const struct hboa_rules *rules, struct err *e)
{
	struct hboa_plain *p = calloc(1, sizeof(*p));
	size_t individuals = (size_t)count;

	*out = p;
	if (p)
		*p = (struct hboa_plain){ .n = n,
					  .count = count,
					  .rules = *rules,
					  .value = malloc(individuals * (size_t)n),
					  .leaf = malloc(individuals * sizeof(int16_t)),
					  .members = malloc(individuals * sizeof(int32_t)) };
	if (p && p->value && p->leaf && p->members)
		return 0;
	hboa_plain_destroy(p);
	*out = NULL;
	return err_set(e, ERR_MEMORY, "no memory to learn from %d individuals", count);
}

void hboa_plain_destroy(struct hboa_plain *p)
{
	if (!p)
		return;
	free(p->value);
	free(p->leaf);
	free(p->members);
	free(p);
}

void hboa_plain_limit(struct hboa_plain *p, const struct boa_limit *limit)
{
	p->limit = limit;
}

static bool is_over(const struct hboa_plain *p)
{
	return p->limit && boa_limit_reached(p->limit);
}

/* Without a look at the clock: cheap enough for an inner loop. */
static bool is_stopped(const struct hboa_plain *p)
{
	return p->limit && p->limit->stop && *p->limit->stop;
}

static uint8_t value_of(const struct hboa_plain *p, int32_t individual, int32_t variable)
{
	return p->value[(size_t)individual * (size_t)p->n + (size_t)variable];
}

static int32_t find_members(struct hboa_plain *p, int32_t leaf)
{
	int32_t found = 0;

	for (int32_t i = 0; i < p->count; i++)
		if (p->leaf[i] == leaf)
			p->members[found++] = i;
	return found;
}

static uint64_t best_split(void *keeper, int32_t leaf, struct hboa_counts here)
{
	struct hboa_plain *p = keeper;
	int32_t members = find_members(p, leaf);
	uint64_t best = 0;

	for (int32_t u = 0; u < p->n && !is_stopped(p); u++) {
		uint32_t count[2][2] = { 0 };

		if (p->rank[u] >= p->rank[p->variable])
			continue;
		for (int32_t i = 0; i < members; i++)
			count[value_of(p, p->members[i], u)]
			     [value_of(p, p->members[i], p->variable)]++;
		uint64_t op =
			hboa_operator(hboa_split_gain(p->rules.ln_factorial, here.zeros, here.ones,
						      count[1][0], count[1][1], p->rules.penalty),
				      0, (uint32_t)leaf, (uint32_t)u);
		best = op > best ? op : best;
	}
	return best;
}

static struct hboa_counts split(void *keeper, int32_t leaf, int32_t u, int32_t there)
{
	struct hboa_plain *p = keeper;
	uint32_t count[2] = { 0 };

	for (int32_t i = 0; i < p->count; i++)
		if (p->leaf[i] == leaf && value_of(p, i, u)) {
			p->leaf[i] = (int16_t)there;
			count[value_of(p, i, p->variable)]++;
		}
	return (struct hboa_counts){ count[0], count[1] };
}

static void merge(void *keeper, int32_t leaf, int32_t other, int32_t last)
{
	struct hboa_plain *p = keeper;

	for (int32_t i = 0; i < p->count; i++)
		if (p->leaf[i] == other)
			p->leaf[i] = (int16_t)leaf;
		else if (p->leaf[i] == last)
			p->leaf[i] = (int16_t)other;
}

static void grow(struct hboa_plain *p, struct hboa_graph *g)
{
	struct hboa_leaves leaves = { p, best_split, split, merge };
	struct hboa_counts all = { 0, 0 };

	memset(p->leaf, 0, (size_t)p->count * sizeof(*p->leaf));
	for (int32_t i = 0; i < p->count; i++)
		all.ones += value_of(p, i, p->variable);
	all.zeros = (uint32_t)p->count - all.ones;
	hboa_grow(g, &p->rules, &leaves, all);
}

void hboa_plain_learn(struct hboa_plain *p, const struct boa_data *d, struct hboa_model *m)
{
	for (int32_t i = 0; i < p->count && !is_over(p); i++)
		for (int32_t v = 0; v < p->n; v++)
			p->value[(size_t)i * (size_t)p->n + (size_t)v] = (uint8_t)boa_bit(d, v, i);
	p->rank = m->rank;
	for (p->variable = 0; p->variable < p->n && !is_over(p); p->variable++)
		grow(p, &m->graph[p->variable]);
}
