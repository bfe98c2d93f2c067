/* Counting as the paper does it. */
#include <stdlib.h>
#include <string.h>

#include "harness/base/checked.h"
#include "algorithms/gboa/learn_parts.h"

int learn_bytes_create(struct learn_bytes *l, int32_t n, int32_t count, struct err *e)
{
	size_t bytes;

	*l = (struct learn_bytes){ .n = n, .count = count };
	if (checked_mul_size((size_t)n, (size_t)count, &bytes))
		l->value = malloc(bytes);
	if (!l->value)
		return err_set(e, ERR_MEMORY, "no memory for %d variables of %d individuals", n,
			       count);
	return k2_table_create(&l->table, count, e);
}

void learn_bytes_destroy(struct learn_bytes *l)
{
	free(l->value);
	k2_table_destroy(&l->table);
}

void learn_bytes_unpack(struct learn_bytes *l, const struct boa_data *d)
{
	for (int32_t i = 0; i < d->count; i++)
		for (int32_t v = 0; v < d->n; v++)
			l->value[(size_t)i * (size_t)d->n + (size_t)v] = (uint8_t)boa_bit(d, v, i);
}

/* Inlined with a number of parents that the compiler knows, so that the walk has no inner loop. */
__attribute__((always_inline)) static inline void count_family(const struct learn_bytes *l,
							       int32_t v, const int32_t *parent,
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

uint32_t learn_bytes_score(const struct learn_bytes *l, int32_t v, const int32_t *parent,
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
		score += k2_cell(l->table.at, number[a][0], number[a][1]);
	return score;
}
