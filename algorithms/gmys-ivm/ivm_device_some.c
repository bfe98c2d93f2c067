/* What a farmer asks of a device: some intervals at once, and how many IVMs are empty. */
#include <stdlib.h>
#include <string.h>

#include "harness/device/device.h"
#include "algorithms/gmys-ivm/ivm_device_parts.h"

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

/* ---- some intervals ---- */

/* Keeps index[0 .. *found - 1] in order of falling lengths. */
static void insert(int *index, int *found, int count, const double *length, int t)
{
	int at = *found < count ? (*found)++ : count - 1;

	for (; at > 0 && length[index[at - 1]] < length[t]; at--)
		index[at] = index[at - 1];
	index[at] = t;
}

/* Of those that are not longer than the mean. */
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

/* Copies of the IVMs, which are empty on the device then. They had work: nothing since the lengths
 * were measured made one empty. */
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

		if (!ivm_device_take_rest(d, &v, intervals + (size_t)*got * 2 * n, &counted))
			continue;
		*again += counted;
		++*got;
	}
	free(copies);
	free(index);
	return status;
}
