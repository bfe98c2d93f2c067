/* Generators of knapsack instances: Boyer's and Jooken's. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "datasets/knapsack/knapsack_make.h"

uint64_t knapsack_random(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* Uniform in 1..range. */
static int64_t draw(uint64_t *state, int64_t range)
{
	__extension__ unsigned __int128 wide = knapsack_random(state);

	return 1 + (int64_t)(wide * (uint64_t)range >> 64);
}

int knapsack_boyer(struct knapsack *k, int64_t n, uint64_t seed, struct err *e)
{
	uint64_t state = seed * 1000003u + (uint64_t)n;
	int status = knapsack_alloc(k, n, e, "boyer-n%" PRId64 "-s%" PRIu64, n, seed);

	for (int64_t i = 0; i < n && !status; i++) {
		int64_t w = draw(&state, 1000);

		status = knapsack_put(k, i, w + 50, w, e);
	}
	if (status)
		return status;
	k->capacity = k->sum_weight / 2;
	return 0;
}

/* The classes of Martello and Toth, at Boyer's weights. */
static const char *const class_name[] = { "strong", "weak", "uncorrelated", "inverse",
					  "subset-sum" };
enum class { STRONG, WEAK, UNCORRELATED, INVERSE, SUBSET_SUM, CLASSES };

static int64_t class_profit(int class, int64_t w, uint64_t *state)
{
	int64_t p;

	switch (class) {
	case WEAK:
		p = w - 51 + draw(state, 101);
		break;
	case UNCORRELATED:
		return draw(state, 1000);
	case INVERSE:
		p = w - 50;
		break;
	case SUBSET_SUM:
		return w;
	default:
		return w + 50;
	}
	return p > 1 ? p : 1;
}

int knapsack_correlated(struct knapsack *k, const char *parameters, struct err *e)
{
	char name[32];
	int64_t n;
	uint64_t seed = 1, state;
	int class = 0, used = 0, status;

	if (sscanf(parameters, "%31[a-z-]:%9" SCNd64 "%n:%19" SCNu64 "%n", name, &n, &used, &seed,
		   &used) < 2 ||
	    used != (int)strlen(parameters) || n < 1)
		return err_set(e, ERR_INPUT,
			       "correlation:%s: expected correlation:CLASS:N[:SEED] with N >= 1",
			       parameters);
	while (class < CLASSES && strcmp(name, class_name[class]) != 0)
		class ++;
	if (class == CLASSES)
		return err_set(e, ERR_INPUT,
			       "correlation:%s: the classes are strong, weak, "
			       "uncorrelated, inverse, subset-sum",
			       parameters);
	if ((status = knapsack_boyer(k, n, seed, e)))
		return status;
	snprintf(k->name, sizeof(k->name), "%s-n%" PRId64 "-s%" PRIu64, name, n, seed);
	state = ~(seed * 1000003u + (uint64_t)n);
	k->sum_profit = 0;
	for (int64_t i = 0; i < n; i++) {
		k->profit[i] = class_profit(class, k->weight[i], &state);
		k->sum_profit += k->profit[i];
	}
	return 0;
}

struct hard {
	int64_t n, capacity, groups, small; /* n, C, g, s */
	double fraction, eps;               /* f, eps */
	uint64_t seed;
};

static int parse_hard(struct hard *h, const char *text, struct err *e)
{
	int used = 0;

	h->seed = 1;
	if (sscanf(text,
		   "%9" SCNd64 ":%18" SCNd64 ":%9" SCNd64 ":%lf:%lf:%18" SCNd64 "%n:%19" SCNu64
		   "%n",
		   &h->n, &h->capacity, &h->groups, &h->fraction, &h->eps, &h->small, &used,
		   &h->seed, &used) < 6 ||
	    used != (int)strlen(text))
		return err_set(e, ERR_INPUT, "hard:%s: expected hard:N:C:G:F:EPS:S[:SEED]", text);
	if (h->n < 1 || h->capacity < 0 || h->groups < 2 || h->small < 1 ||
	    !(h->fraction >= 0 && h->fraction <= 1) || !(h->eps >= 0 && h->eps <= 1))
		return err_set(
			e, ERR_INPUT,
			"hard:%s: needs N >= 1, C >= 0, G >= 2, 0 <= F <= 1, 0 <= EPS <= 1, S >= 1",
			text);
	return 0;
}

/* Jooken, Leyman, De Causmaecker 2022, section 3: the items fall into g groups. Group j < g has
 * floor((n - floor(f n)) / (g - 1)) items whose profit and weight are (1/2^j + eps) C plus a noise
 * uniform in 1..s, drawn separately; the last group has the rest, profit and weight in 1..s. */
int knapsack_hard(struct knapsack *k, const char *parameters, struct err *e)
{
	struct hard h;
	int64_t per_group;
	uint64_t state;
	int status = parse_hard(&h, parameters, e);

	if (!status)
		status = knapsack_alloc(k, h.n, e,
					"hard-n%" PRId64 "-c%" PRId64 "-g%" PRId64
					"-f%g-eps%g-s%" PRId64 "-seed%" PRIu64,
					h.n, h.capacity, h.groups, h.fraction, h.eps, h.small,
					h.seed);
	if (status)
		return status;
	k->capacity = h.capacity;
	state = h.seed * 1000003u + (uint64_t)h.n;
	per_group = (h.n - (int64_t)(h.fraction * (double)h.n)) / (h.groups - 1);
	for (int64_t i = 0; i < h.n && !status; i++) {
		int64_t group = per_group ? i / per_group + 1 : h.groups;
		int64_t base = 0, p, w;

		if (group < h.groups)
			base = (int64_t)((ldexp(1, -(int)group) + h.eps) * (double)h.capacity);
		p = base + draw(&state, h.small);
		w = base + draw(&state, h.small);
		status = knapsack_put(k, i, p, w, e);
	}
	if (status)
		knapsack_free(k);
	return status;
}
