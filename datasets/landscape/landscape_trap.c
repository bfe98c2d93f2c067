/* Concatenated deceptive traps (Deb, Goldberg, "Analyzing deception in trap functions", FOGA 2,
 * 1993), and the number of ones. */
#include <inttypes.h>

#include "datasets/landscape/landscape_parts.h"

/* A block of k bits, u of them 1, is worth k where all are, else k - 1 - u: all ones win, but every
 * step downwards from anywhere else leads to all zeros, worth k - 1. */
static int32_t block_value(const uint8_t *bits, int32_t k)
{
	int32_t ones = 0;

	for (int32_t i = 0; i < k; i++)
		ones += bits[i];
	return ones == k ? k : k - 1 - ones;
}

static int64_t evaluate(const struct landscape *l, const uint8_t *bits)
{
	int64_t sum = 0;

	for (int32_t b = 0; b < l->terms; b++)
		sum += block_value(bits + (size_t)b * (size_t)l->parameter, l->parameter);
	return sum;
}

static int32_t solved_terms(const struct landscape *l, const uint8_t *bits)
{
	int32_t solved = 0;

	for (int32_t b = 0; b < l->terms; b++)
		solved += block_value(bits + (size_t)b * (size_t)l->parameter, l->parameter) ==
			  l->parameter;
	return solved;
}

static const struct landscape_oracle oracle = { evaluate, solved_terms, NULL, NULL };

static int make(struct landscape *l, int32_t k, const char *instance, struct err *e)
{
	int64_t n;
	int status;

	if (landscape_numbers(instance, &n, 1) != 1)
		return err_set(e, ERR_INPUT, "expected a number of variables");
	if ((status = landscape_check_variables(n, e)))
		return status;
	if (n % k)
		return err_set(e, ERR_INPUT, "%" PRId64 " variables are not a multiple of %d", n,
			       k);
	l->kind = LANDSCAPE_TRAP;
	l->n = (int32_t)n;
	l->parameter = k;
	l->terms = l->n / k;
	l->greatest = l->n; /* least: 0, k - 1 ones in each block */
	landscape_set_optimum(l, l->n, "definition");
	return landscape_new_source(l, sizeof(struct landscape_source), &oracle, e);
}

int landscape_trap(struct landscape *l, int32_t order, const char *instance, struct err *e)
{
	if (order < 2 || order > 8)
		return err_set(e, ERR_USAGE, "traps have 2 to 8 bits");
	return make(l, order, instance, e);
}

/* A trap of one bit is worth that bit: whatever evaluates traps fast counts ones too. */
int landscape_onemax(struct landscape *l, int32_t order, const char *instance, struct err *e)
{
	(void)order;
	return make(l, 1, instance, e);
}
