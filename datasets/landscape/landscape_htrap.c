/* Hierarchical traps of order 3 (Pelikan, Goldberg, "Escaping hierarchical traps with competent
 * genetic algorithms", GECCO 2001; Pelikan, "Hierarchical Bayesian Optimization Algorithm", 2005).
 *
 * n = 3^l variables, l levels. On level 1 blocks are three bits; a block 000 is the symbol 0 of the
 * next level, 111 is 1, all others are "-", and blocks of the next level are three symbols. A block
 * with u ones and no "-" is worth high if u = 3, else low (1 - u / 2); one with a "-" nothing.
 * Blocks of level i count 3^i times, so that all levels weigh the same. At the top low = 0.9 and
 * high = 1. Below,
 *   htrap (or htrap1)  low = high = 1: nothing but the top tells zeros from ones
 *   htrap2             low = 1 + 0.1 / l: every level but the top prefers zeros
 * and all ones are the only optimum, l 3^l. Everything is multiplied here by 20 (htrap2: 20 l),
 * which makes integers of it. */
#include <inttypes.h>
#include <stdlib.h>

#include "datasets/landscape/landscape_data.h"
#include "datasets/landscape/landscape_parts.h"

enum { LEVELS_MAX = 10, NO_SYMBOL = 2 };

struct source {
	struct landscape_source base;
	int64_t scale, low, top_low; /* times scale */
};

/* What a block is worth, and what it is to the next level. */
static int64_t block_value(const uint8_t *block, int64_t low, int64_t high, uint8_t *symbol)
{
	int ones = block[0] + block[1] + block[2];

	*symbol = NO_SYMBOL;
	for (int i = 0; i < 3; i++)
		if (block[i] == NO_SYMBOL)
			return 0;
	if (ones == 0)
		*symbol = 0;
	if (ones == 3)
		*symbol = 1;
	return ones == 3 ? high : low - low * ones / 2;
}

/* `level` holds `count` symbols; those of the next level replace them. */
static int64_t level_value(const struct source *s, uint8_t *level, int32_t count, int32_t *solved)
{
	int64_t low = count == 3 ? s->top_low : s->low, sum = 0;

	for (int32_t b = 0; b < count / 3; b++) {
		uint8_t symbol;

		sum += block_value(level + 3 * b, low, s->scale, &symbol);
		level[b] = symbol;
		*solved += symbol == 1;
	}
	return sum;
}

static int64_t climb(const struct landscape *l, const uint8_t *bits, int32_t *solved)
{
	static const int32_t powers[] = { 3, 9, 27, 81, 243, 729, 2187, 6561, 19683, 59049 };
	uint8_t level[59049];
	int64_t sum = 0;

	*solved = 0;
	for (int32_t v = 0; v < l->n; v++)
		level[v] = bits[v];
	for (int32_t i = 0; i < l->parameter; i++)
		sum += powers[i] *
		       level_value(l->source, level, powers[l->parameter - 1 - i], solved);
	return sum;
}

static int64_t evaluate(const struct landscape *l, const uint8_t *bits)
{
	int32_t solved;

	return climb(l, bits, &solved);
}

static int32_t solved_terms(const struct landscape *l, const uint8_t *bits)
{
	int32_t solved;

	climb(l, bits, &solved);
	return solved;
}

static const struct landscape_oracle oracle = { evaluate, solved_terms, NULL, NULL };

static int fill(struct landscape *l, struct err *e)
{
	const struct source *s = l->source;
	int status = landscape_new_data(l, 2 * LANDSCAPE_HTRAP_VALUES, e);

	for (int i = 0; i < 2 && !status; i++) {
		int64_t low = i ? s->top_low : s->low;
		int32_t *values = l->data + i * LANDSCAPE_HTRAP_VALUES;

		values[0] = (int32_t)low;
		values[1] = (int32_t)(low / 2);
		values[3] = (int32_t)s->scale;
	}
	return status;
}

int landscape_htrap(struct landscape *l, int32_t order, const char *instance, struct err *e)
{
	int64_t n, size = 1;
	struct source *s;
	int status;

	if (order > 2)
		return err_set(e, ERR_USAGE, "there are htrap, htrap1 and htrap2");
	if (landscape_numbers(instance, &n, 1) != 1)
		return err_set(e, ERR_INPUT, "expected a number of variables");
	while (size < n && l->parameter < LEVELS_MAX) {
		size *= 3;
		l->parameter++;
	}
	if (size != n || n < 3)
		return err_set(e, ERR_INPUT, "%" PRId64 " variables are not 3, 9, 27, ... 59049",
			       n);
	l->kind = LANDSCAPE_HTRAP;
	l->n = (int32_t)n;
	l->terms = (l->n - 1) / 2;
	if ((status = landscape_new_source(l, sizeof(*s), &oracle, e)))
		return status;
	s = l->source;
	s->scale = order == 2 ? 20 * l->parameter : 20;
	s->low = s->scale + (order == 2 ? 2 : 0);
	s->top_low = s->scale * 9 / 10;
	landscape_set_optimum(l, s->scale * l->parameter * n, "definition");
	l->greatest = l->optimum;
	return fill(l, e);
}
