/* The chosen items: from decision bits where they fit the budget, else by halving the items
 * (D. S. Hirschberg, "A linear space algorithm for computing maximal common subsequences", CACM 18,
 * 1975): f of the first half and f of the second meet in the best split of the capacity. */
#include <string.h>

#include "harness/base/clock.h"
#include "harness/device/device.h"
#include "kernels/dp-knapsack/wide.h"
#include "algorithms/dp-knapsack/minmax.h"
#include "algorithms/dp-knapsack/wide_run.h"

struct items {
	struct wide_solve *solve;
	struct wide_session session;
	void *second; /* like memory.cells; NULL where all bits fit */
	uint32_t *bits;
	int64_t bits_words;   /* room for decision bits */
	int64_t *best;        /* device: KP_WIDE_BEST_BLOCKS values, then as many capacities */
	uint8_t *taken;       /* of the plan's items */
	double begin, search; /* of the first passes, which give... */
	int64_t value;        /* ...f(C); negative before */
};

static void found(struct items *x, int64_t value)
{
	if (x->value >= 0)
		return;
	x->value = value;
	x->search = clock_wall() - x->begin;
}

static int by_bits(struct items *x, const struct wide_passes *p, int64_t capacity, struct err *e)
{
	struct wide_memory m = x->session.memory;
	void *f;
	m.bits = x->bits;
	int status = wide_passes_run(p, x->solve, &m, &x->session.pace, &f, e);
	int64_t value;
	if (!status)
		status = wide_value(x->solve, x->session.stream, f, capacity, &value, e);
	if (status)
		return status;
	found(x, value);
	return wide_passes_trace(p, x->solve, &m, x->session.stream, capacity, x->taken, e);
}

/* f of one half, in `cells` for certain. */
static int half(struct items *x, const struct wide_problem *q, void *cells, struct err *e)
{
	struct wide_memory m = x->session.memory;
	struct wide_passes p;
	void *f = NULL;
	m.cells = cells;
	m.bits = NULL;
	int status = wide_passes_create(&p, x->solve, q, e);
	if (status)
		return status;
	status = wide_passes_run(&p, x->solve, &m, &x->session.pace, &f, e);
	if (!status && f != cells) {
		int64_t top = p.pass[p.count - 1].hi;
		status = dev_copy_on(x->session.stream, cells, f,
				     (size_t)(top + 1) * x->solve->cell, e);
	}
	wide_passes_destroy(&p);
	return status;
}

static int best_split(struct items *x, int64_t capacity, int64_t lo, int64_t hi, int64_t *at,
		      struct err *e)
{
	int64_t host[2 * KP_WIDE_BEST_BLOCKS];
	struct kp_wide_best b = { .cells_64 = x->solve->cell == sizeof(int64_t),
				  .a = x->session.memory.cells,
				  .b = x->second,
				  .capacity = capacity,
				  .lo = lo,
				  .hi = hi,
				  .value = x->best,
				  .at = x->best + KP_WIDE_BEST_BLOCKS };
	struct dev_stream *s = x->session.stream;
	int blocks;
	int status = kp_wide_kernels_for(x->session.device)->best(s, &b, &blocks, e);
	if (!status)
		status = dev_copy_from(s, host, x->best, sizeof(host), e);
	status = dev_drain(s, status, e);
	if (status)
		return status;
	int best = 0;
	for (int i = 1; i < blocks; i++)
		if (host[i] > host[best])
			best = i;
	*at = host[KP_WIDE_BEST_BLOCKS + best];
	found(x, host[best]);
	return 0;
}

/* One or two items of which not all fit, each of them does. */
static void by_hand(struct items *x, int64_t first, int64_t count)
{
	const int64_t *profit = x->solve->plan.profit;
	int64_t best = count == 2 && profit[first + 1] > profit[first] ? first + 1 : first;
	x->taken[best] = 1;
	found(x, profit[best]);
}

static int choose(struct items *x, int64_t first, int64_t count, int64_t capacity, struct err *e);

static int by_halves(struct items *x, int64_t first, int64_t count, int64_t capacity, struct err *e)
{
	const int64_t *sum = x->solve->plan.sum_weight;
	int64_t middle = first + count / 2, end = first + count, at;
	int64_t light = sum[middle] - sum[first], heavy = sum[end] - sum[middle];
	/* more than all of the other half's weight is never left to it */
	int64_t lo = max64(0, capacity - heavy), hi = min64(capacity, light);
	struct wide_problem a = { first, middle - first, capacity, lo };
	struct wide_problem b = { middle, end - middle, capacity, capacity - hi };
	int status = half(x, &a, x->session.memory.cells, e);
	if (!status)
		status = half(x, &b, x->second, e);
	if (!status)
		status = best_split(x, capacity, lo, hi, &at, e);
	if (!status)
		status = choose(x, first, middle - first, at, e);
	if (!status)
		status = choose(x, middle, end - middle, capacity - at, e);
	return status;
}

static int choose(struct items *x, int64_t first, int64_t count, int64_t capacity, struct err *e)
{
	const struct kp_plan *plan = &x->solve->plan;
	while (count > 0 && plan->weight[first + count - 1] > capacity)
		count--;
	if (plan->sum_weight[first + count] - plan->sum_weight[first] <= capacity) {
		memset(x->taken + first, 1, (size_t)count);
		return 0;
	}
	if (count <= 2) {
		by_hand(x, first, count);
		return 0;
	}
	struct wide_problem q = { first, count, capacity, capacity };
	struct wide_passes p;
	int status = wide_passes_create(&p, x->solve, &q, e);
	if (status)
		return status;
	bool fits = p.bits_words <= x->bits_words;
	if (fits)
		status = by_bits(x, &p, capacity, e);
	wide_passes_destroy(&p);
	return fits ? status : by_halves(x, first, count, capacity, e);
}

/* What the budget allows: all bits, or a second array and as many bits as remain. */
static int allocate(struct items *x, const struct wide_passes *p, struct err *e)
{
	struct wide_solve *w = x->solve;
	struct wide_memory *m = &x->session.memory;
	struct dev_info info;
	int status = dev_get_info(x->session.device, &info, e);
	if (status)
		return status;
	int64_t array = (w->plan.capacity + 1) * (int64_t)w->cell;
	int64_t spare = max64(p->spare_needed, 0) * (int64_t)w->cell;
	int64_t free = (int64_t)info.memory_free, rest = free - array - spare;
	int64_t budget = w->request->memory_budget > 0 ? w->request->memory_budget : rest / 2;
	int64_t bits = p->bits_words * (int64_t)sizeof(uint32_t);
	bool halves = bits > budget;
	int64_t wanted = halves ? array : bits;
	if (wanted > budget || wanted > rest)
		return err_set(
			e, ERR_MEMORY,
			"the items for C = %lld need %lld bytes besides the %lld of f: %s has "
			"%zu free, the budget is %lld",
			(long long)w->plan.capacity, (long long)min64(bits, array),
			(long long)(array + spare), info.name, info.memory_free,
			(long long)max64(budget, 0));
	if (halves)
		bits = (min64(budget, rest) - array) / 2;
	/* the spare array is a matter of speed beyond what is needed */
	int64_t left = free - free / 16 - array - wanted - (halves ? bits : 0);
	spare = max64(spare, min64(left, p->spare_wanted * (int64_t)w->cell));
	m->spare_cells = spare / (int64_t)w->cell;
	x->bits_words = bits / (int64_t)sizeof(uint32_t);
	struct dev *d = x->session.device;
	status = wide_alloc(w, d, &m->cells, array, e);
	if (!status && spare > 0)
		status = wide_alloc(w, d, &m->spare, spare, e);
	if (!status && halves)
		status = wide_alloc(w, d, &x->second, array, e);
	if (!status && x->bits_words > 0)
		status = wide_alloc(w, d, (void **)&x->bits, bits, e);
	if (!status)
		status = wide_alloc(w, d, (void **)&x->best,
				    2 * KP_WIDE_BEST_BLOCKS * (int64_t)sizeof(int64_t), e);
	return status;
}

static int check_value(const struct items *x, struct err *e)
{
	const struct kp_plan *plan = &x->solve->plan;
	int64_t value = 0;
	for (int64_t i = 0; i < plan->n; i++)
		value += x->taken[i] ? plan->profit[i] : 0;
	if (value == x->value)
		return 0;
	return err_set(e, ERR_FAILED, "the items chosen are worth %lld, but f(C) = %lld",
		       (long long)value, (long long)x->value);
}

static int run(struct items *x, struct kp_answer *a, struct err *e)
{
	const struct kp_plan *plan = &x->solve->plan;
	struct wide_problem all = { 0, plan->n, plan->capacity, plan->capacity };
	struct wide_passes p;
	int status = wide_passes_create(&p, x->solve, &all, e);
	if (status)
		return status;
	status = allocate(x, &p, e);
	wide_passes_destroy(&p);
	x->value = -1;
	x->begin = clock_wall();
	if (!status)
		status = choose(x, 0, plan->n, plan->capacity, e);
	if (status)
		return status;
	a->seconds_search = x->search;
	a->seconds_items = clock_wall() - x->begin - x->search;
	a->value = x->value;
	return check_value(x, e);
}

int wide_with_items(struct wide_solve *w, struct kp_answer *a, uint8_t *taken, struct err *e)
{
	struct items x = { .solve = w, .taken = taken };
	int status = wide_session_open(&x.session, w->request->devices->dev[0], e);
	if (!status)
		status = run(&x, a, e);
	if (x.session.stream)
		(void)dev_stream_sync(x.session.stream, NULL);
	dev_free(x.session.device, x.second);
	dev_free(x.session.device, x.bits);
	dev_free(x.session.device, x.best);
	wide_session_close(&x.session);
	return status;
}
