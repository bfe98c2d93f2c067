/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/gmys-ivm/explorers/ivm_device.h"

#include <stdlib.h>
#include <string.h>

#include "algorithms/gmys-ivm/explorers/ivm_tuner.h"
#include "algorithms/tree-search/flowshop/fsp_tables.h"
#include "harness/base/checked.h"
#include "harness/base/clock.h"
#include "harness/base/arena.h"
#include "harness/device/device.h"
#include "kernels/gmys-ivm/published.h"

/* SEARCH_SHORT_STEPS, SEARCH_ONE_LAUNCH: a call of ivm_device_next is short enough that requests of
 * other workers are answered soon, and long enough that the time on the host does not matter. */
static const double CALL_SECONDS = 2e-3;
static const int MOST_BATCH = 16;
static const int MOST_STEPS = 1 << 16;
/* Without SEARCH_SHORT_STEPS. An expansion of so many steps takes longer than half an hour. */
static const int NO_LIMIT = INT32_MAX;
static const int SIM_BOUND_BLOCKS = 2; /* the simulator gains nothing from more blocks */
static const size_t PARCEL_BYTES = (size_t)32 << 20; /* limit, except that one record always fits */
static const int WARP = 32;

/* Points in the stream where events are recorded to measure the phases. */
enum ivm_mark { MARK_BEGIN, MARK_BOUND, MARK_BOUNDED, MARK_EXPANDED, MARK_END, MARKS };

/* The work of one call, adapted for each mode. */
struct ivm_pace {
	int batch; /* expansions per call: 1 without SEARCH_ONE_LAUNCH */
	int steps; /* limit of one expansion (PTE): NO_LIMIT without SEARCH_SHORT_STEPS */
};

/* A sum of the control block, which may wrap around, reduced modulo IVM_FACTORADIC_MODULUS. */
struct ivm_tally {
	struct ivm_length seen;
	uint64_t sum;
};

struct ivm_device {
	struct dev *dev;
	struct dev_stream *stream;
	struct dev_event *mark[MARKS];
	const struct ivm_published_kernels *kernels;
	const struct ivm_problem *problem;
	struct ivm_fleet fleet;
	unsigned forms; /* of the request */
	struct ivm_victim_rule victims;
	struct ivm_victim_window window; /* without SEARCH_ONE_LAUNCH */
	struct ivm_parcel parcel;        /* on the device, to move IVMs and intervals */
	int parcels;                     /* its capacity */
	void *block;                     /* device memory: all of the above */
	struct ivm_control *seen;        /* pinned: the control after the last call */

	struct ivm_tuner tuner;
	struct ivm_pace pace[2]; /* of PTE+PEB, PTE */
	int bound_blocks;
	bool table, staged, all_staged; /* see struct ivm_published_kernels */

	/* lengths of intervals, modulo IVM_FACTORADIC_MODULUS, counted on the host */
	struct balance lengths;
	struct ivm_tally covered, parted, accepted; /* counted in the control block */
	struct balance at_hand; /* of the current intervals, as of ivm_device_intervals */

	int32_t best; /* as of the last call */
	double seconds, seconds_expand, seconds_bound, seconds_inside;
};

/* ---- memory ---- */

/* Data that the kernels only read. */
struct tables {
	const void *problem;
	size_t problem_bytes;
	struct fsp_step *step; /* NULL: none */
	size_t step_bytes;
};

/* Whether all times in a bound are below 2^15. A path through the schedule has jobs + machines - 1
 * operations. */
static bool is_narrow(const struct ivm_problem *p)
{
	const struct fsp_tables *t = &p->tables;
	int32_t longest = 0;

	if (p->kind != IVM_FLOWSHOP || !t->pairs || t->jobs > 32)
		return false;
	for (int i = 0; i < t->jobs * t->machines; i++)
		longest = t->time[i] > longest ? t->time[i] : longest;
	return (int64_t)longest * (t->jobs + t->machines) < INT16_MAX;
}

static int make_tables(struct tables *x, const struct ivm_problem *p, bool packed, struct err *e)
{
	*x = (struct tables){ .step = NULL };
	x->problem = ivm_problem_block(p, &x->problem_bytes);
	if (!packed || !is_narrow(p))
		return 0;
	x->step = fsp_steps_make(&p->tables, &x->step_bytes);
	if (!x->step)
		return err_set(e, ERR_MEMORY, "no memory for the steps of LB2");
	for (size_t i = 0; i < x->step_bytes / sizeof(*x->step); i++)
		x->step[i].job = (int32_t)(UINT32_C(1) << x->step[i].job);
	return 0;
}

/* Assigns the device memory at `base`. With base NULL it only computes the size. */
static size_t lay_out(struct ivm_device *d, const struct tables *x, void *base)
{
	struct ivm_fleet *f = &d->fleet;
	struct arena l = { base, 0 };
	size_t t = (size_t)f->ivms, n = (size_t)f->n;
	void *problem;

	f->memory = arena_take(&l, t * f->bytes);
	f->scratch = arena_take(&l, t * f->scratch_bytes);
	f->state = arena_take(&l, t * sizeof(*f->state));
	f->children = arena_take(&l, t * sizeof(*f->children));
	f->entry = arena_take(&l, t * n * sizeof(*f->entry));
	f->length = arena_take(&l, t * sizeof(*f->length));
	f->begin = arena_take(&l, t * sizeof(*f->begin));
	f->victim = arena_take(&l, t * sizeof(*f->victim));
	f->thief = arena_take(&l, t * sizeof(*f->thief));
	f->flag = arena_take(&l, t * sizeof(*f->flag));
	f->offset = arena_take(&l, t * sizeof(*f->offset));
	f->partial =
		arena_take(&l, (t + IVM_REDUCE_BLOCK - 1) / IVM_REDUCE_BLOCK * sizeof(*f->partial));
	f->leaf_value = arena_take(&l, t * sizeof(*f->leaf_value));
	f->leaf_order = arena_take(&l, t * n * sizeof(*f->leaf_order));
	f->control = arena_take(&l, sizeof(*f->control));
	f->left = arena_take(&l, x->step ? t * sizeof(*f->left) : 0);
	f->step = arena_take(&l, x->step_bytes);
	problem = arena_take(&l, x->problem_bytes);
	d->parcel.memory = arena_take(&l, (size_t)d->parcels * f->bytes);
	d->parcel.full = arena_take(&l, (size_t)d->parcels * sizeof(*d->parcel.full));
	if (base)
		f->problem = ivm_problem_moved(d->problem, problem);
	if (!x->step)
		f->step = NULL;
	return l.used;
}

/* The bytes for `ivms` IVMs. Returns false if the sizes or indices would overflow. */
static bool bytes_for(struct ivm_device *d, const struct tables *x, int ivms, size_t *bytes)
{
	size_t each = 2 * d->fleet.bytes + d->fleet.scratch_bytes + 64 * (size_t)d->fleet.n, all;

	if (!checked_mul_size(each, (size_t)ivms, &all) ||
	    (int64_t)ivms * d->fleet.n * 2 > INT32_MAX)
		return false;
	d->fleet.ivms = ivms;
	d->parcels = (int)(PARCEL_BYTES / d->fleet.bytes);
	d->parcels = d->parcels < 1 ? 1 : d->parcels > ivms ? ivms : d->parcels;
	*bytes = lay_out(d, x, NULL);
	return true;
}

static int choose_ivms(struct ivm_device *d, const struct tables *x, const struct ivm_request *r,
		       size_t *bytes, struct err *e)
{
	struct dev_info info;
	int status = dev_get_info(d->dev, &info, e);
	int ivms = r->ivms ? r->ivms : IVM_PAPER_T;
	int64_t limit, asked = r->common.memory;

	if (status)
		return status;
	limit = (int64_t)(info.memory_free / 10 * 9);
	limit = asked && asked < limit ? asked : limit;
	if (ivms < 1 || (ivms & (ivms - 1)))
		return err_set(e, ERR_USAGE, "%d IVMs: the number must be a power of two", ivms);
	while (!bytes_for(d, x, ivms, bytes) || (int64_t)*bytes > limit) {
		if (r->ivms || ivms == WARP)
			return err_set(e, ERR_MEMORY,
				       "%d IVMs of %zu bytes do not fit in %lld bytes", ivms,
				       d->fleet.bytes + d->fleet.scratch_bytes, (long long)limit);
		ivms /= 2;
	}
	return 0;
}

static int copy_tables(struct ivm_device *d, const struct tables *x, struct err *e)
{
	struct ivm_fleet *f = &d->fleet;
	size_t t = (size_t)f->ivms;
	const void *problem;
	int status = dev_fill(d->stream, f->state, 0, t * sizeof(*f->state), e);

	if (!status)
		status = dev_fill(d->stream, f->begin, 0xff, t * sizeof(*f->begin), e);
	if (!status) /* IVM_LEAF_NONE */
		status = dev_fill(d->stream, f->leaf_value, 0x7f, t * sizeof(*f->leaf_value), e);
	if (!status && x->problem_bytes) {
		size_t unused;

		problem = ivm_problem_block(&f->problem, &unused);
		status = dev_copy_to(d->stream, (void *)(uintptr_t)problem, x->problem,
				     x->problem_bytes, e);
	}
	if (!status && x->step)
		status = dev_copy_to(d->stream, (void *)(uintptr_t)f->step, x->step, x->step_bytes,
				     e);
	return dev_drain(d->stream, status, e);
}

static int allocate(struct ivm_device *d, const struct ivm_request *r, struct err *e)
{
	struct tables x;
	size_t bytes = 0;
	int status = make_tables(&x, d->problem, d->forms & SEARCH_PACKED_LB2, e);

	d->fleet.problem = *d->problem;
	d->fleet.n = d->problem->n;
	d->fleet.bytes = ivm_bytes(d->problem->n);
	d->fleet.scratch_bytes = ivm_scratch_bytes(d->problem);
	if (!status)
		status = choose_ivms(d, &x, r, &bytes, e);
	if (!status)
		status = dev_alloc(d->dev, &d->block, bytes, e);
	if (!status) {
		lay_out(d, &x, d->block);
		status = copy_tables(d, &x, e);
	}
	free(x.step);
	return status;
}

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
	int64_t most = ((int64_t)d->fleet.ivms * d->fleet.n + 31) / 32; /* one warp per block */
	int status = dev_get_info(d->dev, &info, e);

	if (!status)
		status = d->kernels->bound_blocks(d->stream, &d->fleet, info.shared_per_block,
						  &d->table, &d->bound_blocks, e);
	if (!status && d->forms & SEARCH_STAGED)
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
	d->forms = r->common.forms;
	status = make_stream(d, e);
	if (!status)
		status = allocate(d, r, e);
	if (!status)
		status = choose_launches(d, e);
	if (!status)
		status = clear_control(d, r->common.ub, e);
	if (status) {
		ivm_device_close(d);
		return status;
	}
	d->lengths.modulus = d->at_hand.modulus = IVM_FACTORADIC_MODULUS;
	d->victims = ivm_victims_make(r->victims, d->fleet.ivms);
	d->window = (struct ivm_victim_window){ 0, 1 };
	d->pace[0] = (struct ivm_pace){ 1, 1 };
	d->pace[1] = (struct ivm_pace){ 1, d->forms & SEARCH_SHORT_STEPS ? 1 : NO_LIMIT };
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

/* ---- the control block ---- */

/* Adds what the control block has counted since the last call. */
static void tally(struct ivm_tally *t, const struct ivm_length *now)
{
	uint64_t low = (now->low - t->seen.low) % IVM_FACTORADIC_MODULUS;
	uint64_t high = (now->high - t->seen.high) % IVM_FACTORADIC_MODULUS;

	for (int bit = 0; bit < IVM_LENGTH_BITS; bit++)
		high = 2 * high % IVM_FACTORADIC_MODULUS;
	t->sum = (t->sum + low + high) % IVM_FACTORADIC_MODULUS;
	t->seen = *now;
}

/* Waits for the device and copies its control block to d->seen. */
static int read_control(struct ivm_device *d, struct err *e)
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

/* ---- Algorithm 3 ---- */

/* Records an event if `timed`. */
static int mark(struct ivm_device *d, enum ivm_mark at, bool timed, struct err *e)
{
	return timed ? dev_event_record(d->mark[at], d->stream, e) : 0;
}

static struct ivm_pace *pace_of(struct ivm_device *d)
{
	return &d->pace[d->tuner.choice.mode == IVM_PTE];
}

/* buildMapping. */
static int map(struct ivm_device *d, struct err *e)
{
	return d->forms & SEARCH_ONE_LAUNCH ? d->kernels->map(d->stream, &d->fleet, e) :
					      d->kernels->map_scan(d->stream, &d->fleet, e);
}

/* The paper's reduce(end). `victims` of SEARCH_ONE_LAUNCH counts the empty IVMs itself. */
static int reduce_states(struct ivm_device *d, struct err *e)
{
	return d->forms & SEARCH_ONE_LAUNCH ? 0 :
					      d->kernels->reduce_states(d->stream, &d->fleet, e);
}

/* The host reads the results of the reductions: for Algorithm 6 it has to know the number of empty
 * IVMs, and for the kernel `bound` the number of children. */
static int read_reduction(struct ivm_device *d, struct err *e)
{
	bool needed = !(d->forms & SEARCH_ONE_LAUNCH) ||
		      (d->tuner.choice.mode == IVM_PTE_PEB && !(d->forms & SEARCH_PACKED_LB2));

	return needed ? read_control(d, e) : 0;
}

/* The kernel `bound`, as large as the load demands (section 4.4). With SEARCH_PACKED_LB2 it is as
 * large as the device, and its threads look for the load. */
static int bound(struct ivm_device *d, bool timed, struct err *e)
{
	const struct ivm_published_kernels *k = d->kernels;
	int blocks = d->forms & SEARCH_PACKED_LB2 ?
			     d->bound_blocks :
			     k->blocks_for_units(&d->fleet, d->seen->children);
	int status = mark(d, MARK_BOUND, timed, e);

	if (!status)
		status = k->bound(d->stream, &d->fleet, d->table, blocks, e);
	return status ? status : mark(d, MARK_BOUNDED, timed, e);
}

/* gpu-next in mode PTE+PEB. */
static int expand_once(struct ivm_device *d, int32_t best, bool timed, struct err *e)
{
	const struct ivm_published_kernels *k = d->kernels;
	int status = k->select(d->stream, &d->fleet, best, d->staged, e);

	if (!status)
		status = reduce_states(d, e);
	if (!status)
		status = map(d, e);
	if (!status)
		status = read_reduction(d, e);
	if (!status)
		status = bound(d, timed, e);
	return status ? status : k->prune(d->stream, &d->fleet, e);
}

/* gpu-next in mode PTE. */
static int expand_steps(struct ivm_device *d, int32_t best, struct err *e)
{
	int trigger = d->tuner.choice.trigger;
	bool one_step = trigger < 0 || d->tuner.one_step;
	const struct ivm_stepping limit = { .trigger = trigger < 0 ? 1 : trigger,
					    .most = one_step ? 1 : pace_of(d)->steps,
					    .one_pass = d->forms & SEARCH_ONE_PASS };
	int32_t *count = &d->fleet.control->trigger;
	int status = 0;

	if (!(d->forms & SEARCH_ONE_LAUNCH)) /* `victims` clears it */
		status = dev_fill(d->stream, count, 0, sizeof(*count), e);
	if (!status)
		status = d->kernels->steps(d->stream, &d->fleet, best, limit, d->all_staged, e);
	if (!status)
		status = reduce_states(d, e);
	return status ? status : read_reduction(d, e);
}

/* All rounds of Algorithm 5. */
static int select_hypercube(struct ivm_device *d, struct err *e)
{
	const struct ivm_victim_rule *v = &d->victims;
	int status = 0;

	for (int i = 0; i < v->dimensions; i++) {
		for (int j = 1; !status && j < v->length[i]; j++)
			status = d->kernels->select_hyper(d->stream, &d->fleet, v, i, j, e);
	}
	return status;
}

/* All rounds of Algorithm 6 and of the other rules on the ring. */
static int select_on_ring(struct ivm_device *d, struct err *e)
{
	const struct ivm_victim_rule *v = &d->victims;
	int rounds = ivm_victims_rounds(v, &d->window), status = 0;

	for (int round = 0; !status && round < rounds; round++)
		status = d->kernels->try_select(d->stream, &d->fleet, v,
						ivm_victims_back(v, &d->window, round), e);
	return status;
}

/* selectVictim. All rounds are launched, even if no thief or no victim is left. */
static int select_victims(struct ivm_device *d, struct err *e)
{
	int status = d->kernels->reduce_lengths(d->stream, &d->fleet, e);

	if (status || d->fleet.ivms < 2)
		return status;
	ivm_victims_move(&d->victims, &d->window, d->seen->thieves);
	return d->victims.rule == IVM_HYPERCUBE ? select_hypercube(d, e) : select_on_ring(d, e);
}

/* steal-intra-gpu. */
static int steal_inside(struct ivm_device *d, struct err *e)
{
	const struct ivm_published_kernels *k = d->kernels;
	bool at_once = d->forms & SEARCH_ONE_LAUNCH;
	int parts = ivm_victims_parts(&d->victims);
	int status = k->lengths(d->stream, &d->fleet, !at_once, e);

	if (!status)
		status = at_once ? k->victims(d->stream, &d->fleet, &d->victims, e) :
				   select_victims(d, e);
	if (status || d->fleet.ivms < 2)
		return status;
	return at_once ? k->steal(d->stream, &d->fleet, parts, e) :
			 k->steal_each(d->stream, &d->fleet, parts, e);
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

/* Only the last expansion of a call is timed; the others are assumed to take as long. */
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

/* Adapts the expansions per call and the steps per expansion, as far as the forms allow, so that a
 * call takes about CALL_SECONDS. Steps grow first, so that the trigger ends an expansion wherever
 * time allows. */
static void adapt(struct ivm_device *d, double seconds)
{
	struct ivm_pace *p = pace_of(d);
	bool cut = d->tuner.choice.mode == IVM_PTE && d->seen->thieves < d->tuner.choice.trigger;
	bool short_steps = d->forms & SEARCH_SHORT_STEPS;
	bool many = d->forms & SEARCH_ONE_LAUNCH;

	if (seconds > 1.5 * CALL_SECONDS && p->batch > 1)
		p->batch /= 2;
	else if (seconds > 2 * CALL_SECONDS && short_steps && p->steps > 1)
		p->steps /= 2;
	else if (seconds < CALL_SECONDS && short_steps && cut && p->steps < MOST_STEPS)
		p->steps *= 2;
	else if (seconds < CALL_SECONDS / 2 && many && p->batch < MOST_BATCH)
		p->batch *= 2;
}

static void set_status(struct ivm_device *d, struct ivm_device_status *s)
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

int ivm_device_next(struct ivm_device *d, int64_t best, struct ivm_device_status *s, struct err *e)
{
	int32_t known = (int32_t)(best < IVM_NONE ? best : IVM_NONE);
	double begin = clock_wall(), seconds;
	uint64_t decomposed = d->seen->decomposed;
	int batch = pace_of(d)->batch, status = 0;

	if (known < d->best)
		d->best = known;
	d->at_hand = (struct balance){ .modulus = IVM_FACTORADIC_MODULUS };
	for (int i = 0; !status && i < batch; i++)
		status = expand_and_steal(d, known, i == batch - 1, e);
	if (!status)
		status = read_control(d, e);
	if (!status)
		status = take_times(d, batch, e);
	if (status)
		return status;
	seconds = clock_wall() - begin;
	d->seconds += seconds;
	if (!d->tuner.one_step)
		adapt(d, seconds);
	ivm_tuner_saw(&d->tuner, (double)(d->seen->decomposed - decomposed), seconds,
		      d->seen->active > d->fleet.ivms / 2);
	set_status(d, s);
	return 0;
}

/* ---- results ---- */

void ivm_device_balance(const struct ivm_device *d, struct balance *b)
{
	const struct balance device = { .received = d->accepted.sum,
					.popped = d->covered.sum,
					.given = d->parted.sum };

	balance_add(b, &d->lengths);
	balance_add(b, &device);
	balance_add(b, &d->at_hand);
}

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
	if (!status && leaves[at] < IVM_LEAF_NONE) {
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
	o->inside_rounds += c->rounds;
	o->expansions += c->expansions;
	o->busy += slots > 0 ? (double)c->busy / slots : 0;
	o->seconds_expand += d->seconds_expand;
	o->seconds_bound += d->seconds_bound;
	o->seconds_inside += d->seconds_inside;
	o->seconds_other += d->seconds > inside ? d->seconds - inside : 0;
	o->device_decomposed += c->decomposed;
}

/* ---- intervals into a device ---- */

/* Finds the first `count` empty IVMs. */
static int find_empty(struct ivm_device *d, int count, int32_t *target, struct err *e)
{
	size_t bytes = (size_t)d->fleet.ivms * sizeof(int32_t);
	int32_t *state = malloc(bytes);
	int found = 0, status;

	if (!state)
		return err_set(e, ERR_MEMORY, "no memory for the states of %d IVMs", d->fleet.ivms);
	status = dev_copy_from(d->stream, state, d->fleet.state, bytes, e);
	status = dev_drain(d->stream, status, e);
	for (int t = 0; !status && t < d->fleet.ivms && found < count; t++) {
		if (state[t] == IVM_EMPTY)
			target[found++] = t;
	}
	free(state);
	if (!status && found < count)
		return err_set(e, ERR_USAGE, "%d intervals for %d empty IVMs", count, found);
	return status;
}

/* The number of rows to construct for the deepest first number of the intervals. */
static int rows_of(const uint16_t *intervals, int count, int n)
{
	int rows = 1;

	for (int i = 0; i < count; i++) {
		const uint16_t *first = intervals + (size_t)2 * (size_t)i * (size_t)n;

		for (int d = n - 1; d >= rows; d--) {
			if (first[d])
				rows = d + 1;
		}
	}
	return rows;
}

/* Puts up to d->parcels intervals. They are copied to the memory of the parcels: an IVM is larger
 * than an interval. */
static int put_some(struct ivm_device *d, const uint16_t *intervals, const int32_t *target,
		    int count, struct err *e)
{
	const struct ivm_published_kernels *k = d->kernels;
	struct ivm_fleet *f = &d->fleet;
	size_t bytes = (size_t)count * 2 * (size_t)f->n * sizeof(*intervals);
	uint16_t *copies = (uint16_t *)d->parcel.memory;
	int rows = rows_of(intervals, count, f->n);
	int status = dev_copy_to(d->stream, copies, intervals, bytes, e);

	if (!status)
		status = dev_copy_to(d->stream, d->parcel.full, target,
				     (size_t)count * sizeof(*target), e);
	if (!status)
		status = k->start(d->stream, f, copies, d->parcel.full, count, e);
	for (int row = 0; !status && row < rows; row++) {
		status = map(d, e);
		if (!status)
			status = k->bound(d->stream, f, d->table, d->bound_blocks, e);
		if (!status)
			status = k->start_row(d->stream, f, copies, e);
	}
	return dev_drain(d->stream, status, e);
}

static void count_put(struct ivm_device *d, const uint16_t *intervals, int count)
{
	size_t n = (size_t)d->fleet.n;

	for (int i = 0; i < count; i++, intervals += 2 * n) {
		const struct balance more = { .received = ivm_factoradic_length(
						      intervals, intervals + n, (int)n) };

		balance_add(&d->lengths, &more);
	}
}

int ivm_device_put(struct ivm_device *d, const uint16_t *intervals, int count, struct err *e)
{
	int32_t *target;
	int status;

	if (count < 1)
		return 0;
	target = malloc((size_t)count * sizeof(*target));
	if (!target)
		return err_set(e, ERR_MEMORY, "no memory to put %d intervals", count);
	status = find_empty(d, count, target, e);
	for (int done = 0; !status && done < count;) {
		int some = count - done < d->parcels ? count - done : d->parcels;

		status = put_some(d, intervals + (size_t)2 * (size_t)done * (size_t)d->fleet.n,
				  target + done, some, e);
		done += some;
	}
	free(target);
	if (!status)
		count_put(d, intervals, count);
	return status;
}

int ivm_device_room(struct ivm_device *d, int *empty, struct err *e)
{
	size_t bytes = (size_t)d->fleet.ivms * sizeof(int32_t);
	int32_t *state = malloc(bytes);
	int status;

	*empty = 0;
	if (!state)
		return err_set(e, ERR_MEMORY, "no memory for the states of %d IVMs", d->fleet.ivms);
	status = dev_copy_from(d->stream, state, d->fleet.state, bytes, e);
	status = dev_drain(d->stream, status, e);
	for (int t = 0; !status && t < d->fleet.ivms; t++)
		*empty += state[t] == IVM_EMPTY;
	free(state);
	return status;
}

/* ---- intervals out of a device ---- */

/* The open interval of the IVM `v` in host memory. Returns false if it has none. *again as in
 * ivm_device_take. Sets the lengths: popped, of the pruned cells that are skipped, and left. */
static bool rest_of(const struct ivm_device *d, const struct ivm *v, uint16_t *interval,
		    uint64_t *again, struct balance *lengths)
{
	uint64_t before = ivm_factoradic_reached(v->position, v->end, v->n);
	bool more;
	int rows;

	more = ivm_interval(v, interval, interval + v->n, &rows);
	/* pruned cells that the device had not skipped yet */
	lengths->popped =
		ivm_factoradic_distance(before, ivm_factoradic_reached(v->position, v->end, v->n));
	if (!more)
		return false;
	lengths->left = ivm_factoradic_length(interval, interval + v->n, v->n);
	*again = ivm_again_counted(d->problem, v, rows);
	return true;
}

/* As above for an IVM that becomes empty on the device: its interval counts as given. */
static bool take_rest(struct ivm_device *d, const struct ivm *v, uint16_t *interval,
		      uint64_t *again)
{
	struct balance lengths = { 0 };
	bool more = rest_of(d, v, interval, again, &lengths);

	lengths.given = lengths.left;
	lengths.left = 0;
	balance_add(&d->lengths, &lengths);
	return more;
}

int ivm_device_take(struct ivm_device *d, int index, uint16_t *interval, int *again, bool *got,
		    struct err *e)
{
	struct ivm_fleet *f = &d->fleet;
	void *copy = malloc(f->bytes);
	int32_t state = IVM_EMPTY, empty = IVM_EMPTY;
	uint64_t counted = 0;
	int status;

	*got = false;
	if (!copy)
		return err_set(e, ERR_MEMORY, "no memory for an IVM");
	status = dev_copy_from(d->stream, &state, f->state + index, sizeof(state), e);
	if (!status)
		status = dev_copy_from(d->stream, copy, f->memory + (size_t)index * f->bytes,
				       f->bytes, e);
	status = dev_drain(d->stream, status, e);
	if (!status && state == IVM_EXPLORING) {
		struct ivm v = ivm_at(f->n, copy);

		*got = take_rest(d, &v, interval, &counted);
		*again = (int)counted;
		status = dev_copy_to(d->stream, f->state + index, &empty, sizeof(empty), e);
		status = dev_drain(d->stream, status, e);
	}
	free(copy);
	return status;
}

/* A copy of all open intervals, made from up to d->parcels IVMs at a time. */
struct dump {
	int32_t *state;
	unsigned char *copy;
	uint64_t *begin;
	uint16_t *intervals;
	uint64_t count, again;
};

/* An IVM whose interval was taken since the last expansion is empty, but the part that it explored
 * is not in the control block yet. */
static void dump_ivm(struct ivm_device *d, struct dump *x, const struct ivm *v, int t,
		     uint16_t *interval)
{
	uint64_t begin = x->begin[t];
	const struct balance done = { .popped = ivm_factoradic_distance(
					      begin,
					      ivm_factoradic_reached(v->position, v->end, v->n)) };
	struct balance rest = { 0 };
	uint64_t again;

	balance_add(&d->at_hand, &done);
	if (x->state[t] != IVM_EXPLORING)
		return;
	if (rest_of(d, v, interval, &again, &rest)) {
		x->count++;
		x->again += again;
	}
	balance_add(&d->at_hand, &rest);
}

static int dump_some(struct ivm_device *d, struct dump *x, int first, int some, struct err *e)
{
	struct ivm_fleet *f = &d->fleet;
	int status = dev_copy_from(d->stream, x->copy, f->memory + (size_t)first * f->bytes,
				   (size_t)some * f->bytes, e);

	status = dev_drain(d->stream, status, e);
	for (int i = 0; !status && i < some; i++) {
		struct ivm v = ivm_at(f->n, x->copy + (size_t)i * f->bytes);
		uint16_t *interval = x->intervals + x->count * 2 * (size_t)f->n;

		if (x->begin[first + i] != IVM_NO_BEGIN)
			dump_ivm(d, x, &v, first + i, interval);
	}
	return status;
}

static int dump_all(struct ivm_device *d, struct dump *x, struct err *e)
{
	int ivms = d->fleet.ivms, status;

	d->at_hand = (struct balance){ .modulus = IVM_FACTORADIC_MODULUS };
	status = read_control(d, e);
	if (!status)
		status = dev_copy_from(d->stream, x->state, d->fleet.state,
				       (size_t)ivms * sizeof(*x->state), e);
	if (!status)
		status = dev_copy_from(d->stream, x->begin, d->fleet.begin,
				       (size_t)ivms * sizeof(*x->begin), e);
	for (int first = 0; !status && first < ivms; first += d->parcels)
		status = dump_some(d, x, first,
				   ivms - first < d->parcels ? ivms - first : d->parcels, e);
	return status;
}

int ivm_device_intervals(struct ivm_device *d, uint16_t **intervals, uint64_t *count,
			 uint64_t *again, struct err *e)
{
	size_t ivms = (size_t)d->fleet.ivms;
	struct dump x = { .count = 0 };
	int status;

	x.state = malloc(ivms * sizeof(*x.state));
	x.copy = malloc((size_t)d->parcels * d->fleet.bytes);
	x.begin = malloc(ivms * sizeof(*x.begin));
	x.intervals = malloc(ivms * 2 * (size_t)d->fleet.n * sizeof(*x.intervals));
	if (x.state && x.copy && x.begin && x.intervals)
		status = dump_all(d, &x, e);
	else
		status = err_set(e, ERR_MEMORY, "no memory for the intervals of %zu IVMs", ivms);
	free(x.state);
	free(x.copy);
	free(x.begin);
	if (status) {
		free(x.intervals);
		return status;
	}
	*intervals = x.intervals;
	*count = x.count;
	*again = x.again;
	return 0;
}

/* ---- some intervals for hosts (farmer protocol) ---- */

/* Inserts t into index[0 .. *found - 1], which is sorted by decreasing length. */
static void insert(int *index, int *found, int count, const double *length, int t)
{
	int at = *found < count ? (*found)++ : count - 1;

	for (; at > 0 && length[index[at - 1]] < length[t]; at--)
		index[at] = index[at - 1];
	index[at] = t;
}

/* The longest intervals among those not longer than the mean. */
static int find_long(const double *length, int ivms, int *index, int count)
{
	double sum = 0;
	int exploring = 0, found = 0;

	for (int t = 0; t < ivms; t++) {
		exploring += length[t] > 0;
		sum += length[t];
	}
	for (int t = 0; t < ivms; t++) {
		if (length[t] > 0 && length[t] * exploring <= sum &&
		    (found < count || length[t] > length[index[count - 1]]))
			insert(index, &found, count, length, t);
	}
	return found;
}

static int choose(struct ivm_device *d, int *index, int count, int *found, struct err *e)
{
	size_t bytes = (size_t)d->fleet.ivms * sizeof(double);
	double *length = malloc(bytes);
	int status;

	*found = 0;
	if (!length)
		return err_set(e, ERR_MEMORY, "no memory for the lengths of %d intervals",
			       d->fleet.ivms);
	status = dev_copy_from(d->stream, length, d->fleet.length, bytes, e);
	status = dev_drain(d->stream, status, e);
	if (!status)
		*found = find_long(length, d->fleet.ivms, index, count);
	free(length);
	return status;
}

/* Copies the chosen IVMs to the host and makes them empty on the device. All of them have work:
 * nothing has made one empty since the lengths were measured. */
static int take_copies(struct ivm_device *d, const int *index, int count, unsigned char *copies,
		       struct err *e)
{
	const struct ivm_fleet *f = &d->fleet;
	static const int32_t empty = IVM_EMPTY;
	int status = 0;

	for (int i = 0; i < count && !status; i++) {
		status = dev_copy_from(d->stream, copies + (size_t)i * f->bytes,
				       f->memory + (size_t)index[i] * f->bytes, f->bytes, e);
		if (!status)
			status = dev_copy_to(d->stream, f->state + index[i], &empty, sizeof(empty),
					     e);
	}
	return dev_drain(d->stream, status, e);
}

int ivm_device_take_some(struct ivm_device *d, int count, uint16_t *intervals, int *got,
			 uint64_t *again, struct err *e)
{
	const size_t n = (size_t)d->fleet.n, bytes = d->fleet.bytes;
	unsigned char *copies = malloc((size_t)count * bytes);
	int *index = malloc((size_t)count * sizeof(*index)), found = 0, status;

	*got = 0;
	*again = 0;
	status = copies && index ? choose(d, index, count, &found, e) :
				   err_set(e, ERR_MEMORY, "no memory for %d IVMs", count);
	if (!status)
		status = take_copies(d, index, found, copies, e);
	for (int i = 0; i < found && !status; i++) {
		struct ivm v = ivm_at(d->fleet.n, copies + (size_t)i * bytes);
		uint64_t counted;

		if (!take_rest(d, &v, intervals + (size_t)*got * 2 * n, &counted))
			continue;
		*again += counted;
		++*got;
	}
	free(copies);
	free(index);
	return status;
}

/* ---- from one device to another (section 3.5) ---- */

static int share_some(struct ivm_device *victim, struct ivm_device *thief, int first, int some,
		      struct err *e)
{
	struct ivm_parcel from = victim->parcel, to = thief->parcel;
	size_t bytes = (size_t)some * victim->fleet.bytes;
	size_t flags = (size_t)some * sizeof(*from.full);
	int status = victim->kernels->split(victim->stream, &victim->fleet, from, first, some, e);

	if (!status)
		status = dev_copy_peer(victim->stream, thief->dev, to.memory, victim->dev,
				       from.memory, bytes, e);
	if (!status)
		status = dev_copy_peer(victim->stream, thief->dev, to.full, victim->dev, from.full,
				       flags, e);
	if (!status)
		status = dev_stream_sync(victim->stream, e);
	if (!status)
		status = thief->kernels->accept(thief->stream, &thief->fleet, to, first, some, e);
	return status ? status : dev_stream_sync(thief->stream, e);
}

int ivm_device_share(struct ivm_device *victim, struct ivm_device *thief, int *moved, struct err *e)
{
	int ivms = victim->fleet.ivms < thief->fleet.ivms ? victim->fleet.ivms : thief->fleet.ivms;
	int parcels = victim->parcels < thief->parcels ? victim->parcels : thief->parcels;
	int status = read_control(thief, e), before = thief->seen->moved;

	*moved = 0;
	if (!status && thief->seen->working)
		status = err_set(e, ERR_USAGE, "a device with %d active IVMs cannot steal",
				 thief->seen->working);
	for (int first = 0; !status && first < ivms; first += parcels)
		status = share_some(victim, thief, first,
				    ivms - first < parcels ? ivms - first : parcels, e);
	if (!status)
		status = read_control(thief, e);
	if (!status)
		*moved = thief->seen->moved - before;
	return status;
}
