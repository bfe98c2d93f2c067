#include "datasets/knapsack/knapsack.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "datasets/knapsack/knapsack_make.h"

int knapsack_alloc(struct knapsack *k, int64_t n, struct err *e, const char *format, ...)
{
	va_list ap;

	*k = (struct knapsack){ .n = n };
	if (n < 1 || n > KNAPSACK_MAX_ITEMS)
		return err_set(e, ERR_INPUT, "number of items %" PRId64 " is not in 1..%d", n,
			       KNAPSACK_MAX_ITEMS);
	va_start(ap, format);
	vsnprintf(k->name, sizeof(k->name), format, ap);
	va_end(ap);
	k->profit = calloc((size_t)n, sizeof(*k->profit));
	k->weight = calloc((size_t)n, sizeof(*k->weight));
	if (!k->profit || !k->weight) {
		knapsack_free(k);
		return err_set(e, ERR_MEMORY, "no memory for %" PRId64 " items", n);
	}
	return 0;
}

int knapsack_put(struct knapsack *k, int64_t i, int64_t profit, int64_t weight, struct err *e)
{
	k->profit[i] = profit;
	k->weight[i] = weight;
	if (__builtin_add_overflow(k->sum_profit, profit, &k->sum_profit))
		return err_set(e, ERR_INPUT, "the sum of the profits overflows 64 bits");
	if (__builtin_add_overflow(k->sum_weight, weight, &k->sum_weight))
		return err_set(e, ERR_INPUT, "the sum of the weights overflows 64 bits");
	return 0;
}

void knapsack_free(struct knapsack *k)
{
	free(k->profit);
	free(k->weight);
	*k = (struct knapsack){ .n = 0 };
}

void knapsack_evaluate(const struct knapsack *k, const uint8_t *taken, int64_t *value,
		       int64_t *weight)
{
	*value = 0;
	*weight = 0;
	for (int64_t i = 0; i < k->n; i++) {
		if (!taken[i])
			continue;
		*value += k->profit[i];
		*weight += k->weight[i];
	}
}

/* "N[:SEED]" */
static int load_boyer(struct knapsack *k, const char *parameters, struct err *e)
{
	int64_t n;
	uint64_t seed = 1;
	int used = 0, end = (int)strlen(parameters);

	if (sscanf(parameters, "%9" SCNd64 "%n:%19" SCNu64 "%n", &n, &used, &seed, &used) < 1 ||
	    used != end || strchr(parameters, '-') || n < 1)
		return err_set(e, ERR_INPUT,
			       "boyer:%s: expected boyer:N[:SEED] with 1 <= N < 1000000000",
			       parameters);
	return knapsack_boyer(k, n, seed, e);
}

int knapsack_load(struct knapsack *k, const char *name_or_file, struct err *e)
{
	*k = (struct knapsack){ .n = 0 };
	if (strncmp(name_or_file, "boyer:", 6) == 0)
		return load_boyer(k, name_or_file + 6, e);
	if (strncmp(name_or_file, "hard:", 5) == 0)
		return knapsack_hard(k, name_or_file + 5, e);
	if (strncmp(name_or_file, "correlation:", 12) == 0)
		return knapsack_correlated(k, name_or_file + 12, e);
	return knapsack_read(k, name_or_file, e);
}

void knapsack_print(const struct knapsack *k, FILE *s)
{
	fprintf(s, "%" PRId64 "\n", k->n);
	for (int64_t i = 0; i < k->n; i++)
		fprintf(s, "%" PRId64 " %" PRId64 " %" PRId64 "\n", i, k->profit[i], k->weight[i]);
	fprintf(s, "%" PRId64 "\n", k->capacity);
}

int knapsack_write(const struct knapsack *k, const char *path, struct err *e)
{
	FILE *f = fopen(path, "w");
	int bad;

	if (!f)
		return err_set(e, ERR_IO, "%s: %m", path);
	knapsack_print(k, f);
	bad = fflush(f) | ferror(f);
	if (fclose(f) || bad)
		return err_set(e, ERR_IO, "%s: could not be written: %m", path);
	return 0;
}
