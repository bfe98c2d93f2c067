/* Intervals into a device, out of it, and from one to another (section 3.5). */
#include <stdlib.h>
#include <string.h>

#include "harness/device/device.h"
#include "algorithms/gmys-ivm/ivm_device_parts.h"

/* ---- into it ---- */

/* The first `count` empty IVMs. */
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

/* Rows to be made for the deepest of the intervals' beginnings. */
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

/* At most as many intervals as there are parcels, whose memory they use: an IVM is larger than an
 * interval. */
static int put_some(struct ivm_device *d, const uint16_t *intervals, const int32_t *target,
		    int count, struct err *e)
{
	const struct ivm_published_kernels *k = d->kernels;
	struct ivm_fleet *f = &d->fleet;
	size_t bytes = (size_t)count * 2 * (size_t)f->n * sizeof(*intervals);
	uint16_t *there = (uint16_t *)d->parcel.memory;
	int rows = rows_of(intervals, count, f->n);
	int status = dev_copy_to(d->stream, there, intervals, bytes, e);

	if (!status)
		status = dev_copy_to(d->stream, d->parcel.full, target,
				     (size_t)count * sizeof(*target), e);
	if (!status)
		status = k->start(d->stream, f, there, d->parcel.full, count, e);
	for (int row = 0; !status && row < rows; row++) {
		status = k->map(d->stream, f, e);
		if (!status)
			status = k->bound(d->stream, f, d->table, d->bound_blocks, e);
		if (!status)
			status = k->start_row(d->stream, f, there, e);
	}
	return dev_drain(d->stream, status, e);
}

static void count_put(struct ivm_device *d, const uint16_t *intervals, int count)
{
	size_t n = (size_t)d->fleet.n;

	for (int i = 0; i < count; i++, intervals += 2 * n) {
		const struct balance more = { .received = factoradic_length(
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

/* ---- out of it ---- */

bool ivm_device_rest(const struct ivm_device *d, const struct ivm *v, uint16_t *interval,
		     uint64_t *again, struct balance *lengths)
{
	uint64_t before = factoradic_reached(v->position, v->end, v->n);
	bool more;
	int rows;

	more = ivm_interval(v, interval, interval + v->n, &rows);
	/* pruned cells that the device had not passed over yet */
	lengths->popped =
		factoradic_distance(before, factoradic_reached(v->position, v->end, v->n));
	if (!more)
		return false;
	lengths->left = factoradic_length(interval, interval + v->n, v->n);
	*again = ivm_again_counted(d->problem, v, rows);
	return true;
}

bool ivm_device_take_rest(struct ivm_device *d, const struct ivm *v, uint16_t *interval,
			  uint64_t *again)
{
	struct balance lengths = { 0 };
	bool more = ivm_device_rest(d, v, interval, again, &lengths);

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

		*got = ivm_device_take_rest(d, &v, interval, &counted);
		*again = (int)counted;
		status = dev_copy_to(d->stream, f->state + index, &empty, sizeof(empty), e);
		status = dev_drain(d->stream, status, e);
	}
	free(copy);
	return status;
}

/* As many IVMs at a time as there are parcels. */
struct dump {
	int32_t *state;
	unsigned char *copy;
	uint64_t *begin;
	uint16_t *intervals;
	uint64_t count, again;
};

static void dump_ivm(struct ivm_device *d, struct dump *x, const struct ivm *v, uint64_t begin,
		     uint16_t *interval)
{
	const struct balance done = {
		.popped = factoradic_distance(begin, factoradic_reached(v->position, v->end, v->n))
	};
	struct balance rest = { 0 };
	uint64_t again;

	balance_add(&d->at_hand, &done);
	if (ivm_device_rest(d, v, interval, &again, &rest)) {
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

		if (x->state[first + i] == IVM_EXPLORING)
			dump_ivm(d, x, &v, x->begin[first + i], interval);
	}
	return status;
}

static int dump_all(struct ivm_device *d, struct dump *x, struct err *e)
{
	int ivms = d->fleet.ivms, status;

	d->at_hand = (struct balance){ .modulus = FACTORADIC_MODULUS };
	status = ivm_device_read(d, e);
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

/* ---- from one to another ---- */

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
	int status = ivm_device_read(thief, e), before = thief->seen->moved;

	*moved = 0;
	if (!status && thief->seen->working)
		status = err_set(e, ERR_USAGE, "a device with %d IVMs that explore steals nothing",
				 thief->seen->working);
	for (int first = 0; !status && first < ivms; first += parcels)
		status = share_some(victim, thief, first,
				    ivms - first < parcels ? ivms - first : parcels, e);
	if (!status)
		status = ivm_device_read(thief, e);
	if (!status)
		*moved = thief->seen->moved - before;
	return status;
}
