/* The memory of a device explorer. */
#include <stdlib.h>
#include <string.h>

#include "harness/base/checked.h"
#include "harness/base/layout.h"
#include "harness/device/device.h"
#include "algorithms/gmys-ivm/ivm_device_parts.h"
#include "algorithms/tree-search/flowshop/fsp_tables.h"

static const size_t PARCEL_BYTES = (size_t)32 << 20; /* most, but for one record */
static const int WARP = 32;

/* What the kernels read and never write. */
struct tables {
	const void *problem;
	size_t problem_bytes;
	struct fsp_step *step; /* NULL: none */
	size_t step_bytes;
};

/* Whether all times that a bound meets stay below 2^15: a way through the schedule passes
 * jobs + machines - 1 operations. */
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

static int make_tables(struct tables *x, const struct ivm_problem *p, struct err *e)
{
	*x = (struct tables){ .step = NULL };
	x->problem = ivm_problem_block(p, &x->problem_bytes);
	if (!is_narrow(p))
		return 0;
	x->step = fsp_steps_make(&p->tables, &x->step_bytes);
	if (!x->step)
		return err_set(e, ERR_MEMORY, "no memory for the steps of LB2");
	for (size_t i = 0; i < x->step_bytes / sizeof(*x->step); i++)
		x->step[i].job = (int32_t)(UINT32_C(1) << x->step[i].job);
	return 0;
}

/* Lays out with base NULL for the size alone. */
static size_t lay_out(struct ivm_device *d, const struct tables *x, void *base)
{
	struct ivm_fleet *f = &d->fleet;
	struct layout l = { base, 0 };
	size_t t = (size_t)f->ivms, n = (size_t)f->n;
	void *problem;

	f->memory = layout_take(&l, t * f->bytes);
	f->scratch = layout_take(&l, t * f->scratch_bytes);
	f->state = layout_take(&l, t * sizeof(*f->state));
	f->children = layout_take(&l, t * sizeof(*f->children));
	f->entry = layout_take(&l, t * n * sizeof(*f->entry));
	f->length = layout_take(&l, t * sizeof(*f->length));
	f->begin = layout_take(&l, t * sizeof(*f->begin));
	f->victim = layout_take(&l, t * sizeof(*f->victim));
	f->thief = layout_take(&l, t * sizeof(*f->thief));
	f->leaf_value = layout_take(&l, t * sizeof(*f->leaf_value));
	f->leaf_order = layout_take(&l, t * n * sizeof(*f->leaf_order));
	f->control = layout_take(&l, sizeof(*f->control));
	f->left = layout_take(&l, x->step ? t * sizeof(*f->left) : 0);
	f->step = layout_take(&l, x->step_bytes);
	problem = layout_take(&l, x->problem_bytes);
	d->parcel.memory = layout_take(&l, (size_t)d->parcels * f->bytes);
	d->parcel.full = layout_take(&l, (size_t)d->parcels * sizeof(*d->parcel.full));
	if (base)
		f->problem = ivm_problem_moved(d->problem, problem);
	if (!x->step)
		f->step = NULL;
	return l.used;
}

/* Bytes with `ivms` IVMs; false where they are beyond what can be counted, or numbered. */
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
		return err_set(e, ERR_USAGE, "%d IVMs: a power of two is needed", ivms);
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
	if (!status) /* greater than all values */
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

int ivm_device_allocate(struct ivm_device *d, const struct ivm_request *r, struct err *e)
{
	struct tables x;
	size_t bytes = 0;
	int status = make_tables(&x, d->problem, e);

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
