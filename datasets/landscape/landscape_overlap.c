/* Overlapping traps: block b is the bits (k - 1) b .. (k - 1) b + k - 1, so that neighbours share
 * one. All ones are still the best of every block. */
#include <inttypes.h>

#include "datasets/landscape/landscape_data.h"
#include "datasets/landscape/landscape_parts.h"

static int32_t value_of(int32_t ones, int32_t k)
{
	return ones == k ? k : k - 1 - ones;
}

static int32_t block_ones(const struct landscape *l, const uint8_t *bits, int32_t block)
{
	int32_t ones = 0;

	for (int32_t i = 0; i < l->parameter; i++)
		ones += bits[block * (l->parameter - 1) + i];
	return ones;
}

static int64_t evaluate(const struct landscape *l, const uint8_t *bits)
{
	int64_t sum = 0;

	for (int32_t b = 0; b < l->terms; b++)
		sum += value_of(block_ones(l, bits, b), l->parameter);
	return sum;
}

static int32_t solved_terms(const struct landscape *l, const uint8_t *bits)
{
	int32_t solved = 0;

	for (int32_t b = 0; b < l->terms; b++)
		solved += block_ones(l, bits, b) == l->parameter;
	return solved;
}

static const struct landscape_oracle oracle = { evaluate, solved_terms, NULL, NULL };

/* One table for all blocks. */
static int fill(struct landscape *l, struct err *e)
{
	int32_t k = l->parameter;
	size_t table = landscape_additive_term(k, l->terms);
	int status = landscape_new_data(l, (int64_t)table + (1 << k), e);

	if (status)
		return status;
	for (int32_t b = 0; b < l->terms; b++) {
		int32_t *term = l->data + landscape_additive_term(k, b);

		term[0] = (int32_t)table;
		for (int32_t i = 0; i < k; i++)
			term[1 + i] = b * (k - 1) + i;
	}
	for (int32_t row = 0; row < 1 << k; row++)
		l->data[table + (size_t)row] = value_of(__builtin_popcount((unsigned)row), k);
	return 0;
}

int landscape_overlap(struct landscape *l, int32_t order, const char *instance, struct err *e)
{
	int64_t n;
	int status;

	if (order < 2 || order > 8)
		return err_set(e, ERR_USAGE, "traps have 2 to 8 bits");
	if (landscape_numbers(instance, &n, 1) != 1)
		return err_set(e, ERR_INPUT, "expected a number of variables");
	if ((status = landscape_check_variables(n, e)))
		return status;
	if (n < order || (n - 1) % (order - 1))
		return err_set(e, ERR_INPUT,
			       "%" PRId64 " variables are not %d times a number of "
			       "blocks, plus 1",
			       n, order - 1);
	l->kind = LANDSCAPE_ADDITIVE;
	l->n = (int32_t)n;
	l->parameter = order;
	l->terms = (l->n - 1) / (order - 1);
	l->greatest = l->terms * order;
	landscape_set_optimum(l, l->greatest, "definition");
	status = fill(l, e);
	return status ? status :
			landscape_new_source(l, sizeof(struct landscape_source), &oracle, e);
}
