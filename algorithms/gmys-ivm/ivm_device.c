#include "algorithms/gmys-ivm/ivm_device.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/clock.h"
#include "harness/device/device.h"
#include "algorithms/gmys-ivm/ivm_device_parts.h"

/* A call is kept short enough for other workers' requests to be answered soon, and long enough for
 * the host's part in it not to count. */
static const double CALL_SECONDS = 2e-3;
static const int MOST_BATCH = 16;
static const int MOST_STEPS = 1 << 16;
static const int32_t LEAF_NONE = 0x7f7f7f7f; /* as ivm_device_allocate fills it */
static const int SIM_BOUND_BLOCKS = 2;       /* more would only be slower */

/* ---- open and close ---- */

static int make_stream(struct ivm_device *d, struct err *e)
{
	int status = dev_stream_create(d->dev, &d->stream, e);

	for (int i = 0; !status && i < MARKS; i++)
		status = dev_event_create(d->dev, &d->mark[i], e);
	if (!status)
		status = dev_host_alloc(d->dev, (void **)&d->seen, sizeof(*d->seen), e);
	return status;
}

static int choose_launches(struct ivm_device *d, struct err *e)
{
	struct dev_info info;
	int64_t most = ((int64_t)d->fleet.ivms * d->fleet.n + 31) / 32; /* a warp a block */
	int status = dev_get_info(d->dev, &info, e);

	if (!status)
		status = d->kernels->bound_blocks(d->stream, &d->fleet, info.shared_per_block,
						  &d->table, &d->bound_blocks, e);
	if (!status)
		status = d->kernels->staged(d->stream, &d->fleet, info.sm_count,
					    info.shared_per_block, &d->staged, &d->all_staged, e);
	if (status)
		return status;
	d->bound_blocks *= info.sm_count;
	if (info.backend == DEV_SIM)
		d->bound_blocks = SIM_BOUND_BLOCKS;
	if (d->bound_blocks > most)
		d->bound_blocks = (int)most;
	return 0;
}

static int clear_control(struct ivm_device *d, int64_t ub, struct err *e)
{
	d->best = (int32_t)(ub < IVM_NONE ? ub : IVM_NONE);
	*d->seen = (struct ivm_control){ .best = d->best, .window = { 0, 1 } };
	int status = dev_copy_to(d->stream, d->fleet.control, d->seen, sizeof(*d->seen), e);

	return dev_drain(d->stream, status, e);
}

int ivm_device_open(struct ivm_device **out, struct dev *dev, const struct ivm_problem *p,
		    const struct ivm_request *r, struct err *e)
{
	struct ivm_device *d = calloc(1, sizeof(*d));
	int status;

	*out = NULL;
	if (!d)
		return err_set(e, ERR_MEMORY, "no memory for a device explorer");
	d->dev = dev;
	d->problem = p;
	d->kernels = ivm_published_kernels_for(dev);
	status = make_stream(d, e);
	if (!status)
		status = ivm_device_allocate(d, r, e);
	if (!status)
		status = choose_launches(d, e);
	if (!status)
		status = clear_control(d, r->common.ub, e);
	if (status) {
		ivm_device_close(d);
		return status;
	}
	d->lengths.modulus = d->at_hand.modulus = FACTORADIC_MODULUS;
	d->victims = victims_make(r->victims, d->fleet.ivms);
	d->pace[0] = d->pace[1] = (struct ivm_pace){ 1, 1 };
	ivm_tuner_begin(&d->tuner, r, d->fleet.ivms);
	*out = d;
	return 0;
}

void ivm_device_close(struct ivm_device *d)
{
	if (!d)
		return;
	if (d->stream)
		(void)dev_stream_sync(d->stream, NULL);
	for (int i = 0; i < MARKS; i++) {
		if (d->mark[i])
			dev_event_destroy(d->mark[i]);
	}
	dev_free(d->dev, d->block);
	dev_host_free(d->dev, d->seen);
	if (d->stream)
		dev_stream_destroy(d->stream);
	free(d);
}

int ivm_device_ivms(const struct ivm_device *d)
{
	return d->fleet.ivms;
}

/* ---- Algorithm 3 ---- */

/* Where `timed`. */
static int mark(struct ivm_device *d, enum ivm_mark at, bool timed, struct err *e)
{
	return timed ? dev_event_record(d->mark[at], d->stream, e) : 0;
}

static struct ivm_pace *pace_of(struct ivm_device *d)
{
	return &d->pace[d->tuner.choice.mode == IVM_PTE];
}

/* gpu-next, PTE+PEB. */
static int expand_once(struct ivm_device *d, int32_t best, bool timed, struct err *e)
{
	const struct ivm_published_kernels *k = d->kernels;
	int status = k->select(d->stream, &d->fleet, best, d->staged, e);

	if (!status)
		status = k->map(d->stream, &d->fleet, e);
	if (!status)
		status = mark(d, MARK_BOUND, timed, e);
	if (!status)
		status = k->bound(d->stream, &d->fleet, d->table, d->bound_blocks, e);
	if (!status)
		status = mark(d, MARK_BOUNDED, timed, e);
	return status ? status : k->prune(d->stream, &d->fleet, e);
}

/* gpu-next, PTE. */
static int expand_steps(struct ivm_device *d, int32_t best, struct err *e)
{
	int trigger = d->tuner.choice.trigger;
	bool alone = trigger < 0;

	return d->kernels->steps(d->stream, &d->fleet, best, alone ? 1 : trigger,
				 alone ? 1 : pace_of(d)->steps, d->all_staged, e);
}

/* steal-intra-gpu; `victims` also counts who is empty, the paper's reduce(end). */
static int steal_inside(struct ivm_device *d, struct err *e)
{
	const struct ivm_published_kernels *k = d->kernels;
	int status = k->lengths(d->stream, &d->fleet, e);

	if (!status)
		status = k->victims(d->stream, &d->fleet, &d->victims, e);
	if (!status && d->fleet.ivms > 1)
		status = k->steal(d->stream, &d->fleet, victims_parts(&d->victims), e);
	return status;
}

static int expand_and_steal(struct ivm_device *d, int32_t best, bool timed, struct err *e)
{
	int status = mark(d, MARK_BEGIN, timed, e);

	if (!status)
		status = d->tuner.choice.mode == IVM_PTE ? expand_steps(d, best, e) :
							   expand_once(d, best, timed, e);
	if (!status)
		status = mark(d, MARK_EXPANDED, timed, e);
	if (!status)
		status = steal_inside(d, e);
	return status ? status : mark(d, MARK_END, timed, e);
}

/* The last of a call's expansions is timed and stands for all. */
static int take_times(struct ivm_device *d, int expansions, struct err *e)
{
	double expand = 0, bound = 0, inside = 0;
	int status = dev_event_elapsed(d->mark[MARK_BEGIN], d->mark[MARK_EXPANDED], &expand, e);

	if (!status && d->tuner.choice.mode == IVM_PTE_PEB)
		status = dev_event_elapsed(d->mark[MARK_BOUND], d->mark[MARK_BOUNDED], &bound, e);
	if (!status)
		status = dev_event_elapsed(d->mark[MARK_EXPANDED], d->mark[MARK_END], &inside, e);
	d->seconds_expand += (expand - bound) * expansions;
	d->seconds_bound += bound * expansions;
	d->seconds_inside += inside * expansions;
	return status;
}

/* Expansions a call, and steps an expansion, that make a call about CALL_SECONDS long: steps first,
 * so that it is the trigger that ends an expansion wherever time allows. */
static void adapt(struct ivm_device *d, double seconds)
{
	struct ivm_pace *p = pace_of(d);
	bool cut = d->tuner.choice.mode == IVM_PTE && d->seen->thieves < d->tuner.choice.trigger;

	if (seconds > 1.5 * CALL_SECONDS && p->batch > 1)
		p->batch /= 2;
	else if (seconds > 2 * CALL_SECONDS && p->steps > 1)
		p->steps /= 2;
	else if (seconds < CALL_SECONDS && cut && p->steps < MOST_STEPS)
		p->steps *= 2;
	else if (seconds < CALL_SECONDS / 2 && p->batch < MOST_BATCH)
		p->batch *= 2;
}

static void tell(struct ivm_device *d, struct ivm_device_status *s)
{
	const struct ivm_control *c = d->seen;

	*s = (struct ivm_device_status){
		.best = c->best,
		.improved = c->best < d->best,
		.active = c->working,
		.empty = d->fleet.ivms - c->working,
		.counts = { c->decomposed, c->leaves, c->solutions },
	};
	d->best = c->best;
}

static void tally(struct ivm_tally *t, const struct ivm_length *now)
{
	uint64_t low = (now->low - t->seen.low) % FACTORADIC_MODULUS;
	uint64_t high = (now->high - t->seen.high) % FACTORADIC_MODULUS;

	for (int bit = 0; bit < IVM_LENGTH_BITS; bit++)
		high = 2 * high % FACTORADIC_MODULUS;
	t->sum = (t->sum + low + high) % FACTORADIC_MODULUS;
	t->seen = *now;
}

int ivm_device_read(struct ivm_device *d, struct err *e)
{
	int status = dev_copy_from(d->stream, d->seen, d->fleet.control, sizeof(*d->seen), e);

	status = dev_drain(d->stream, status, e);
	if (status)
		return status;
	tally(&d->covered, &d->seen->covered);
	tally(&d->parted, &d->seen->parted);
	tally(&d->accepted, &d->seen->accepted);
	return 0;
}

int ivm_device_next(struct ivm_device *d, int64_t best, struct ivm_device_status *s, struct err *e)
{
	int32_t known = (int32_t)(best < IVM_NONE ? best : IVM_NONE);
	double begin = clock_wall(), seconds;
	uint64_t decomposed = d->seen->decomposed;
	int batch = pace_of(d)->batch, status = 0;

	if (known < d->best)
		d->best = known;
	d->at_hand = (struct balance){ .modulus = FACTORADIC_MODULUS };
	for (int i = 0; !status && i < batch; i++)
		status = expand_and_steal(d, known, i == batch - 1, e);
	if (!status)
		status = ivm_device_read(d, e);
	if (!status)
		status = take_times(d, batch, e);
	if (status)
		return status;
	seconds = clock_wall() - begin;
	d->seconds += seconds;
	adapt(d, seconds);
	ivm_tuner_saw(&d->tuner, (double)(d->seen->decomposed - decomposed), seconds,
		      d->seen->active > d->fleet.ivms / 2);
	tell(d, s);
	return 0;
}

/* ---- what it has done ---- */

void ivm_device_balance(const struct ivm_device *d, struct balance *b)
{
	const struct balance device = { .received = d->accepted.sum,
					.popped = d->covered.sum,
					.given = d->parted.sum };

	balance_add(b, &d->lengths);
	balance_add(b, &device);
	balance_add(b, &d->at_hand);
}

/* ---- what it found ---- */

int ivm_device_best(struct ivm_device *d, uint16_t *order, int64_t *value, bool *found,
		    struct err *e)
{
	size_t n = (size_t)d->fleet.n, bytes = (size_t)d->fleet.ivms * sizeof(int32_t);
	int32_t *leaves = malloc(bytes);
	int at = 0, status;

	*found = false;
	if (!leaves)
		return err_set(e, ERR_MEMORY, "no memory for the values of %d IVMs", d->fleet.ivms);
	status = dev_copy_from(d->stream, leaves, d->fleet.leaf_value, bytes, e);
	status = dev_drain(d->stream, status, e);
	for (int t = 1; !status && t < d->fleet.ivms; t++)
		at = leaves[t] < leaves[at] ? t : at;
	if (!status && leaves[at] < LEAF_NONE) {
		*found = true;
		*value = leaves[at];
		status = dev_copy_from(d->stream, order, d->fleet.leaf_order + (size_t)at * n,
				       n * sizeof(*order), e);
		status = dev_drain(d->stream, status, e);
	}
	free(leaves);
	return status;
}

void ivm_device_report(const struct ivm_device *d, struct ivm_outcome *o)
{
	const struct ivm_control *c = d->seen;
	double inside = d->seconds_expand + d->seconds_bound + d->seconds_inside;
	double slots = (double)d->fleet.ivms * (double)c->expansions;

	o->mode = d->tuner.kept.mode;
	o->trigger = d->tuner.kept.trigger;
	o->ivms = d->fleet.ivms;
	o->inside_phases += c->phases;
	o->inside_steals += c->steals;
	o->busy += slots > 0 ? (double)c->busy / slots : 0;
	o->seconds_expand += d->seconds_expand;
	o->seconds_bound += d->seconds_bound;
	o->seconds_inside += d->seconds_inside;
	o->seconds_other += d->seconds > inside ? d->seconds - inside : 0;
	o->device_decomposed += c->decomposed;
}
