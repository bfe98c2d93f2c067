#include "algorithms/gboa/boa/learn_plain.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/checked.h"

/* ---- counting ---- */

int boa_plain_create(struct boa_plain *l, int32_t n, int32_t count, struct err *e)
{
	size_t bytes;

	*l = (struct boa_plain){ .n = n, .count = count };
	if (checked_mul_size((size_t)n, (size_t)count, &bytes))
		l->value = malloc(bytes);
	if (!l->value)
		return err_set(e, ERR_MEMORY, "no memory for %d variables of %d individuals", n,
			       count);
	return boa_k2_table_create(&l->table, count, e);
}

void boa_plain_destroy(struct boa_plain *l)
{
	free(l->value);
	boa_k2_table_destroy(&l->table);
}

void boa_plain_unpack(struct boa_plain *l, const struct boa_data *d)
{
	for (int32_t i = 0; i < d->count; i++)
		for (int32_t v = 0; v < d->n; v++)
			l->value[(size_t)i * (size_t)d->n + (size_t)v] = (uint8_t)boa_bit(d, v, i);
}

/* Inlined with a constant number of parents, so that the inner loop disappears. */
__attribute__((always_inline)) static inline void count_family(const struct boa_plain *l, int32_t v,
							       const int32_t *parent,
							       int32_t parents,
							       uint32_t (*number)[2])
{
	for (int32_t i = 0; i < l->count; i++) {
		const uint8_t *individual = l->value + (size_t)i * (size_t)l->n;
		uint32_t a = 0;

		for (int32_t r = 0; r < parents; r++)
			a |= (uint32_t)individual[parent[r]] << r;
		number[a][individual[v]]++;
	}
}

uint32_t boa_plain_score(const struct boa_plain *l, int32_t v, const int32_t *parent,
			 int32_t parents)
{
	uint32_t number[1 << BOA_PARENTS_MAX][2], score = 0;

	memset(number, 0, sizeof(number[0]) << parents);
	switch (parents) {
	case 1:
		count_family(l, v, parent, 1, number);
		break;
	case 2:
		count_family(l, v, parent, 2, number);
		break;
	case 3:
		count_family(l, v, parent, 3, number);
		break;
	default:
		count_family(l, v, parent, parents, number);
	}
	for (int32_t a = 0; a < 1 << parents; a++)
		score += boa_k2_cell(l->table.at, number[a][0], number[a][1]);
	return score;
}

/* ---- pBOA: parents of lower rank ---- */

/* Returns the variable of order[0 .. rank - 1] with the greatest gain; *gain is 0 if no variable
 * gains. */
static int32_t best_parent(const struct boa_plain *l, const int32_t *order, int32_t rank,
			   const int32_t *parent, int32_t parents, int32_t *gain)
{
	int32_t family[BOA_PARENTS_MAX], best = -1, v = order[rank];
	uint32_t before = boa_plain_score(l, v, parent, parents);

	*gain = 0;
	for (int32_t r = 0; r < parents; r++)
		family[r] = parent[r];
	for (int32_t c = 0; c < rank; c++) {
		int32_t u = order[c], g;

		/* for a variable that is already a parent, the gain is at most 0 */
		family[parents] = u;
		g = (int32_t)(boa_plain_score(l, v, family, parents + 1) - before);
		if (g > *gain || (g == *gain && g > 0 && u < best)) {
			*gain = g;
			best = u;
		}
	}
	return best;
}

int boa_plain_permuted(const struct boa_plain *l, const int32_t *order, struct boa_network *b,
		       int32_t first, int32_t last, struct err *e)
{
	for (int32_t rank = first; rank < last; rank++) {
		int32_t v = order[rank], *count = &b->parent_count[v], gain;
		int32_t *parent = b->parents + (size_t)v * (size_t)b->k;

		for (*count = 0; *count < b->k; ++*count) {
			int status = boa_limit_check(l->limit, e);

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

/* ---- sBOA: the best of all edges ---- */

struct searched {
	const struct boa_plain *l;
	struct boa_network *b;
	int32_t *gain;  /* of edge (u, v) at v n + u; 0: must not be added */
	int32_t *best;  /* [v]: the lowest u with the greatest gain */
	int32_t *stack; /* n */
	uint8_t *seen;  /* n */
};

static int32_t *gains_of(const struct searched *s, int32_t v)
{
	return s->gain + (size_t)v * (size_t)s->b->n;
}

static int32_t *parents_of(const struct boa_network *b, int32_t v)
{
	return b->parents + (size_t)v * (size_t)b->k;
}

static void find_best(struct searched *s, int32_t v)
{
	const int32_t *gain = gains_of(s, v);

	s->best[v] = 0;
	for (int32_t u = 1; u < s->b->n; u++)
		if (gain[u] > gain[s->best[v]])
			s->best[v] = u;
}

/* Computes the gains of all edges into v that have not been removed. */
static void compute_gains(struct searched *s, int32_t v, bool first)
{
	int32_t family[BOA_PARENTS_MAX], count = s->b->parent_count[v], *gain = gains_of(s, v);
	uint32_t before;

	if (count == s->b->k) {
		memset(gain, 0, (size_t)s->b->n * sizeof(*gain));
		return;
	}
	memcpy(family, parents_of(s->b, v), (size_t)count * sizeof(*family));
	before = boa_plain_score(s->l, v, family, count);
	for (int32_t u = 0; u < s->b->n; u++) {
		/* an edge without a gain may gain after another parent was added, so only INT32_MIN
		 * is final */
		if (first ? u == v : gain[u] == INT32_MIN) {
			gain[u] = INT32_MIN;
			continue;
		}
		family[count] = u;
		gain[u] = (int32_t)(boa_plain_score(s->l, v, family, count + 1) - before);
	}
}

/* True if v is u or an ancestor of u: then u -> v closes a cycle. */
static bool closes_cycle(struct searched *s, int32_t u, int32_t v)
{
	int32_t depth = 0;

	memset(s->seen, 0, (size_t)s->b->n);
	s->stack[depth++] = u;
	s->seen[u] = 1;
	while (depth > 0) {
		int32_t w = s->stack[--depth];

		if (w == v)
			return true;
		for (int32_t r = 0; r < s->b->parent_count[w]; r++) {
			int32_t p = parents_of(s->b, w)[r];

			if (!s->seen[p])
				s->stack[depth++] = p;
			s->seen[p] = 1;
		}
	}
	return false;
}

static int add_edges(struct searched *s, struct err *e)
{
	int32_t n = s->b->n;

	for (;;) {
		int32_t v = 0, u;
		int status = boa_limit_check(s->l->limit, e);

		if (status)
			return status;

		for (int32_t w = 1; w < n; w++)
			if (gains_of(s, w)[s->best[w]] > gains_of(s, v)[s->best[v]])
				v = w;
		u = s->best[v];
		if (gains_of(s, v)[u] <= 0)
			return 0;
		if (closes_cycle(s, u, v)) {
			gains_of(s, v)[u] = INT32_MIN;
		} else {
			parents_of(s->b, v)[s->b->parent_count[v]++] = u;
			compute_gains(s, v, false);
		}
		find_best(s, v);
	}
}

/* Assigns each rank to the lowest variable whose parents all have one. */
static void order_topologically(struct searched *s)
{
	struct boa_network *b = s->b;

	memset(s->seen, 0, (size_t)b->n);
	for (int32_t rank = 0, v = 0; rank < b->n; v++) {
		bool ready = !s->seen[v];

		for (int32_t r = 0; ready && r < b->parent_count[v]; r++)
			ready = s->seen[parents_of(b, v)[r]];
		if (!ready)
			continue;
		s->seen[v] = 1;
		b->rank[v] = rank++;
		v = -1;
	}
}

static void release(struct searched *s)
{
	free(s->gain);
	free(s->best);
	free(s->stack);
	free(s->seen);
}

int boa_plain_searched(const struct boa_plain *l, struct boa_network *b, struct err *e)
{
	size_t n = (size_t)b->n, edges;
	struct searched s = { .l = l, .b = b };

	memset(b->parent_count, 0, n * sizeof(*b->parent_count));
	if (checked_mul_size(n * n, sizeof(*s.gain), &edges))
		s.gain = malloc(edges);
	s.best = malloc(n * sizeof(*s.best));
	s.stack = malloc(n * sizeof(*s.stack));
	s.seen = malloc(n);
	if (!s.gain || !s.best || !s.stack || !s.seen) {
		release(&s);
		return err_set(e, ERR_MEMORY,
			       "no memory for the gains of all edges of %d variables", b->n);
	}
	int status = 0;

	for (int32_t v = 0; !status && v < b->n; v++) {
		compute_gains(&s, v, true);
		find_best(&s, v);
		status = boa_limit_check(l->limit, e);
	}
	if (!status)
		status = add_edges(&s, e);
	if (!status)
		order_topologically(&s);
	release(&s);
	return status;
}
