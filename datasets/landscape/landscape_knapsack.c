/* The 0-1 knapsack problem as a function of bit strings: the profit of the items taken where they
 * fit, else minus the weight above the capacity. So every string that fits beats every one that
 * does not, those nearer to fitting are better, and nothing is repaired: the bits are the
 * solution. */
#include <inttypes.h>
#include <stdio.h>

#include "datasets/knapsack/knapsack.h"
#include "datasets/knapsack/knapsack_oracle.h"
#include "datasets/landscape/landscape_data.h"
#include "datasets/landscape/landscape_parts.h"

/* States the exact method may need at once; no limit of time, so that it is the same everywhere. */
enum { STATES = 100000, ITEMS_EXACT = 20000 };

struct source {
	struct landscape_source base;
	struct knapsack k;
};

static void release(void *source)
{
	knapsack_free(&((struct source *)source)->k);
}

static int64_t evaluate(const struct landscape *l, const uint8_t *bits)
{
	const struct source *s = l->source;
	int64_t profit, weight;

	knapsack_evaluate(&s->k, bits, &profit, &weight);
	return weight <= s->k.capacity ? profit : s->k.capacity - weight;
}

/* The items taken. */
static int32_t solved_terms(const struct landscape *l, const uint8_t *bits)
{
	int32_t taken = 0;

	for (int32_t i = 0; i < l->n; i++)
		taken += bits[i];
	return taken;
}

static const struct landscape_oracle oracle = { evaluate, solved_terms, release, NULL };

static int fill(struct landscape *l, const struct knapsack *k, struct err *e)
{
	int64_t capacity = k->capacity < k->sum_weight ? k->capacity : k->sum_weight;
	int status;

	if (k->sum_weight > INT32_MAX)
		return err_set(e, ERR_INPUT, "weights of %" PRId64 " together do not fit 32 bits",
			       k->sum_weight);
	if ((status = landscape_set_bounds(l, capacity - k->sum_weight, k->sum_profit, e)) ||
	    (status = landscape_new_data(l, (int64_t)landscape_knapsack_item(l->n), e)))
		return status;
	l->data[0] = (int32_t)capacity;
	for (int32_t i = 0; i < l->n; i++) {
		int32_t *item = l->data + landscape_knapsack_item(i);

		item[0] = (int32_t)k->profit[i];
		item[1] = (int32_t)k->weight[i];
	}
	return 0;
}

/* Worked out here, not taken from the table of knapsack_known_optimum: see landscape.h. */
static int find_optimum(struct landscape *l, const struct knapsack *k, struct err *e)
{
	struct err own = { 0 };
	int64_t optimum;
	int status;

	if (k->n > ITEMS_EXACT)
		return 0;
	status = knapsack_oracle(k, STATES, 0, &optimum, &own);
	if (status && status != ERR_LIMIT)
		return err_set(e, status, "%s", own.text);
	if (!status)
		landscape_set_optimum(l, optimum, "sparse dynamic programming");
	return 0;
}

int landscape_knapsack(struct landscape *l, int32_t order, const char *instance, struct err *e)
{
	struct source *s;
	int status;

	(void)order;
	l->kind = LANDSCAPE_KNAPSACK;
	if ((status = landscape_new_source(l, sizeof(*s), &oracle, e)))
		return status;
	s = l->source;
	if ((status = knapsack_load(&s->k, instance, e)))
		return status;
	if ((status = landscape_check_variables(s->k.n, e)))
		return status;
	snprintf(l->name, sizeof(l->name), "knapsack:%.100s", s->k.name);
	l->n = l->terms = (int32_t)s->k.n;
	status = fill(l, &s->k, e);
	return status ? status : find_optimum(l, &s->k, e);
}
