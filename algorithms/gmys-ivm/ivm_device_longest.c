#include <stdlib.h>

#include "ivm_device_parts.h"

/* Keeps index[0 .. *found - 1] in order of falling lengths. */
static void insert(int *index, int *found, int count, const double *length, int t)
{
	int at = *found < count ? (*found)++ : count - 1;

	for (; at > 0 && length[index[at - 1]] < length[t]; at--)
		index[at] = index[at - 1];
	index[at] = t;
}

int ivm_device_longest(struct ivm_device *d, int *index, int count, int *found, struct err *e)
{
	size_t bytes = (size_t)d->fleet.ivms * sizeof(double);
	double *length = malloc(bytes);
	int status;

	*found = 0;
	if (!length)
		return err_set(e, ERR_MEMORY, "no memory for the lengths of %d intervals",
			       d->fleet.ivms);
	status = dev_copy_from(d->stream, length, d->fleet.length, bytes, e);
	if (!status)
		status = dev_stream_sync(d->stream, e);
	for (int t = 0; !status && t < d->fleet.ivms; t++) {
		if (length[t] > 0 && (*found < count || length[t] > length[index[count - 1]]))
			insert(index, found, count, length, t);
	}
	free(length);
	return status;
}
