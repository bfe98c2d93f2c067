/* A device explorer: gpu-next and steal-intra-gpu are ivm_device_next. */
#include <stdlib.h>

#include "harness/base/clock.h"
#include "algorithms/gmys-ivm/team.h"

const struct device_ops team_device_ops = {
	.open = ivm_device_open,
	.close = ivm_device_close,
	.ivms = ivm_device_ivms,
	.next = ivm_device_next,
	.put = ivm_device_put,
	.take = ivm_device_take,
	.take_some = ivm_device_take_some,
	.room = ivm_device_room,
	.share = ivm_device_share,
	.intervals = ivm_device_intervals,
	.balance = ivm_device_balance,
	.best = ivm_device_best,
	.report = ivm_device_report,
};

static const struct device_ops *ops_of(const struct worker *x)
{
	return x->team->setup->ops;
}

int device_open(struct worker *x, struct err *e)
{
	struct team *t = x->team;

	farmer_open(&x->ration, t->setup->patience);
	if (t->request->trace) {
		x->sample_room = IVM_TRACE_MAX / t->setup->devices;
		x->sample = malloc((size_t)x->sample_room * sizeof(*x->sample));
		if (!x->sample)
			return err_set(e, ERR_MEMORY, "no memory for a trace");
	}
	return ops_of(x)->open(&x->own, t->setup->dev[x->id], &t->problem, t->request, e);
}

void device_close(struct worker *x)
{
	if (x->own)
		ops_of(x)->close(x->own);
	free(x->sample);
}

int device_start(struct worker *x)
{
	int count = (int)x->received.count;

	x->received.count = 0;
	return ops_of(x)->put(x->own, x->received.digits, count, &x->error);
}

/* ---- the trace of Figure 5 ---- */

/* A full trace loses every other sample, and samples come half as often from then on. */
static void thin_out(struct worker *x)
{
	int kept = 0;

	for (int i = 0; i < x->samples; i += 2)
		x->sample[kept++] = x->sample[i];
	x->sample_gap = 2 * (x->sample[kept - 1].seconds - x->sample[0].seconds) / kept;
	x->samples = kept;
}

static void sample(struct worker *x, int active)
{
	double now = clock_wall() - x->team->origin.begin;

	if (!x->sample ||
	    (x->samples && now - x->sample[x->samples - 1].seconds < x->sample_gap && active))
		return;
	if (x->samples == x->sample_room)
		thin_out(x);
	x->sample[x->samples++] =
		(struct ivm_sample){ .seconds = now, .device = x->id, .active = active };
}

/* ---- farmer, see farmer.h ---- */

static int hungry_hosts(struct team *t)
{
	int hungry = 0;

	for (int i = t->setup->devices; i < t->workers; i++)
		hungry += !atomic_load(&t->worker[i].open);
	return hungry - (int)atomic_load(&t->bag.count);
}

static int donate(struct worker *x)
{
	struct team *t = x->team;
	double begin = clock_wall(), elapsed = begin - t->origin.begin;
	int most = farmer_may_give(&x->ration, elapsed, hungry_hosts(t)), given = 0, status;

	if (most < 1)
		return 0;
	status = bag_donate(x, most, &given);
	farmer_gave(&x->ration, given, clock_wall() - begin);
	farmer_review(&x->ration, atomic_load(&t->host_nodes) / (uint64_t)t->setup->devices,
		      elapsed > 0 ? (double)x->counts.decomposed / elapsed : 0);
	return status;
}

/* Takes from the bag what it has empty IVMs for. */
static int top_up(struct worker *x)
{
	int empty = 0, status;

	if (atomic_load(&x->team->bag.count) == 0)
		return 0;
	status = ops_of(x)->room(x->own, &empty, &x->error);
	if (!status)
		status = bag_top_up(x, empty);
	if (status || x->received.count == 0)
		return status;
	x->active += (int)x->received.count;
	return device_start(x);
}

static int help_from_hosts(struct worker *x)
{
	struct team *t = x->team;
	int ivms = ops_of(x)->ivms(x->own);
	bool busy = farmer_busy(x->load, x->active, ivms);

	if (farmer_starving(x->load, x->active, ivms))
		team_recall(t);
	else if (busy && atomic_load(&t->recall))
		atomic_store(&t->recall, false);
	x->load = farmer_load(x->load, x->active);
	if (atomic_load(&t->recall))
		return top_up(x);
	return busy ? donate(x) : 0;
}

/* Of a checkpoint: more than all workers could take at the beginning. */
static bool bag_is_full(struct team *t)
{
	return atomic_load(&t->bag.count) > (t->farmer ? (uint64_t)t->setup->hosts : 0);
}

/* ---- a turn ---- */

static int learn(struct worker *x)
{
	bool found = false;
	int64_t value = 0;
	int status = ops_of(x)->best(x->own, x->room, &value, &found, &x->error);

	if (!status && found)
		best_offer(&x->team->best, (int32_t)value, x->room, x->team->problem.n);
	return status;
}

int device_run(struct worker *x, bool *empty)
{
	struct ivm_device_status s;
	int status = ops_of(x)->next(x->own, best_value(&x->team->best), &s, &x->error);

	if (status)
		return status;
	x->counts = s.counts;
	x->counts.decomposed -= x->again;
	x->active = s.active;
	sample(x, s.active);
	if (s.improved)
		status = learn(x);
	if (!status && bag_is_full(x->team) && 2 * x->active < ops_of(x)->ivms(x->own))
		status = top_up(x);
	if (!status && x->team->farmer)
		status = help_from_hosts(x);
	*empty = x->active == 0;
	return status;
}

int device_rest(struct worker *x, struct interval_list *l, uint64_t *again)
{
	uint16_t *digits = NULL;
	uint64_t count = 0;
	int status = ops_of(x)->intervals(x->own, &digits, &count, again, &x->error);

	if (!status && !interval_list_add(l, digits, count))
		status = err_set(&x->error, ERR_MEMORY, "no memory for %llu intervals",
				 (unsigned long long)count);
	free(digits);
	return status;
}

/* `count` intervals in x->room, taken from the device. */
static int given(struct worker *x, int count, uint64_t again, struct interval_list *l)
{
	x->again += again;
	x->counts.decomposed -= again;
	if (interval_list_add(l, x->room, (uint64_t)count))
		return 0;
	return err_set(&x->error, ERR_MEMORY, "no memory for %d intervals", count);
}

int device_give(struct worker *x, struct interval_list *l, bool *got)
{
	int index = (int)rng_below(&x->rng, (uint64_t)ops_of(x)->ivms(x->own)), again = 0;
	int status = ops_of(x)->take(x->own, index, x->room, &again, got, &x->error);

	return status || !*got ? status : given(x, 1, (uint64_t)again, l);
}

int device_give_some(struct worker *x, int most, struct interval_list *l)
{
	uint64_t again = 0;
	int got = 0, status;

	most = most < FARMER_AT_ONCE ? most : FARMER_AT_ONCE;
	status = ops_of(x)->take_some(x->own, most, x->room, &got, &again, &x->error);
	return status || !got ? status : given(x, got, again, l);
}
