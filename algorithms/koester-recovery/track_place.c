#include "algorithms/koester-recovery/track_place.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/checked.h"
#include "harness/base/host_memory.h"

enum { ALIGN = 256 };

int track_place_open(struct track_place *p, struct dev *d, struct team *pool, uint64_t limit,
		     struct err *e)
{
	int rc = 0;

	*p = (struct track_place){ .device = d, .pool = pool, .limit = limit };
	if (!d)
		return 0;
	if ((rc = dev_stream_create(d, &p->stream, e)) ||
	    (rc = dev_stream_create(d, &p->copies, e)))
		track_place_close(p);
	return rc;
}

void track_place_close(struct track_place *p)
{
	if (p->copies)
		dev_stream_destroy(p->copies);
	if (p->stream)
		dev_stream_destroy(p->stream);
	*p = (struct track_place){ 0 };
}

static int host_alloc(void **out, size_t bytes, struct err *e)
{
	int rc = host_memory_check((double)bytes, "a buffer of states", e);

	if (rc)
		return rc;
	*out = aligned_alloc(ALIGN, bytes);
	return *out ? 0 : err_set(e, ERR_MEMORY, "no memory for a buffer of %zu bytes", bytes);
}

int track_alloc(struct track_place *p, void **out, size_t bytes, struct err *e)
{
	uint64_t used;
	size_t padded;
	int rc;

	*out = NULL;
	if (!checked_add_u64(p->used, bytes, &used) || (p->limit && used > p->limit))
		return err_set(e, ERR_MEMORY,
			       "%zu bytes more than the %" PRIu64 " held are above the limit of "
			       "%" PRIu64,
			       bytes, p->used, p->limit);
	if (!checked_add_size(bytes, bytes ? (ALIGN - bytes % ALIGN) % ALIGN : ALIGN, &padded))
		return err_set(e, ERR_MEMORY, "a buffer of %zu bytes is too large", bytes);
	rc = p->device ? dev_alloc(p->device, out, padded, e) : host_alloc(out, padded, e);
	if (rc)
		return rc;
	p->used = used;
	if (p->peak < used)
		p->peak = used;
	return 0;
}

void track_free(struct track_place *p, void *memory, size_t bytes)
{
	if (!memory)
		return;
	if (p->device)
		dev_free(p->device, memory);
	else
		free(memory);
	p->used -= bytes;
}

int track_to(struct track_place *p, void *there, const void *host, size_t bytes, struct err *e)
{
	if (bytes == 0)
		return 0;
	if (p->device)
		return dev_copy_to(p->stream, there, host, bytes, e);
	memcpy(there, host, bytes);
	return 0;
}

int track_from(struct track_place *p, void *host, const void *there, size_t bytes, struct err *e)
{
	if (bytes == 0)
		return 0;
	if (p->device)
		return dev_copy_from(p->stream, host, there, bytes, e);
	memcpy(host, there, bytes);
	return 0;
}

int track_fill(struct track_place *p, void *there, int byte, size_t bytes, struct err *e)
{
	if (bytes == 0)
		return 0;
	if (p->device)
		return dev_fill(p->stream, there, byte, bytes, e);
	memset(there, byte, bytes);
	return 0;
}

int track_sync(struct track_place *p, struct err *e)
{
	return p->device ? dev_stream_sync(p->stream, e) : 0;
}
