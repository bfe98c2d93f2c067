/* Memory, copies and streams of a place; the places of a run. */
#include "algorithms/koester-recovery/states/place.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/checked.h"
#include "harness/base/host.h"
#include "kernels/koester-recovery/common.h"

enum { ALIGN = 256 };

int track_place_open(struct track_place *p, struct dev *d, struct team *pool, uint64_t limit,
		     struct err *e)
{
	int status = 0;

	*p = (struct track_place){ .device = d, .pool = pool, .limit = limit };
	if (!d)
		return 0;
	if ((status = dev_stream_create(d, &p->stream, e)) ||
	    (status = dev_stream_create(d, &p->copies, e)))
		track_place_close(p);
	return status;
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
	int status = host_memory_check((double)bytes, "a buffer of states", e);

	if (status)
		return status;
	*out = aligned_alloc(ALIGN, bytes);
	return *out ? 0 : err_set(e, ERR_MEMORY, "no memory for a buffer of %zu bytes", bytes);
}

int track_alloc(struct track_place *p, void **out, size_t bytes, struct err *e)
{
	uint64_t used;
	size_t padded;
	int status;

	*out = NULL;
	if (!checked_add_u64(p->used, bytes, &used) || (p->limit && used > p->limit))
		return err_set(e, ERR_MEMORY,
			       "%zu more bytes exceed the limit of %" PRIu64 ": %" PRIu64
			       " are allocated",
			       bytes, p->limit, p->used);
	if (!checked_add_size(bytes, bytes ? (ALIGN - bytes % ALIGN) % ALIGN : ALIGN, &padded))
		return err_set(e, ERR_MEMORY, "a buffer of %zu bytes is too large", bytes);
	status = p->device ? dev_alloc(p->device, out, padded, e) : host_alloc(out, padded, e);
	if (status)
		return status;
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

const struct track_common *track_common_of(const struct track_place *p)
{
	return p->device ? track_common_for(p->device) : &track_common_host;
}

/* ---- the places of a run ---- */

static int open_one(struct track_places *p, struct dev *d, uint64_t limit, struct err *e)
{
	int status = track_place_open(&p->place[p->opened], d, p->pool, limit, e);

	if (!status)
		p->opened++;
	return status;
}

static int open_all(struct track_places *p, const struct dev_set *devices, int gpus, bool peer,
		    uint64_t limit, struct err *e)
{
	int all = gpus + (peer && gpus > 0), status = 0;

	for (int i = 0; !status && i < (gpus > 0 ? all : 1); i++)
		status = open_one(p, gpus > 0 ? devices->dev[i] : NULL, limit, e);
	if (status)
		return status;
	p->count = gpus > 0 ? gpus : 1;
	for (int i = 0; i < p->count; i++)
		p->at[i] = &p->place[i];
	p->peer = all > gpus ? &p->place[gpus] : NULL;
	return 0;
}

int track_places_open(struct track_places *p, const struct dev_set *devices, int gpus, bool peer,
		      int threads, uint64_t limit, struct err *e)
{
	int need = gpus + (peer && gpus > 0), given = devices ? devices->count : 0, status;

	*p = (struct track_places){ 0 };
	if (need > given)
		return err_set(e, ERR_UNSUPPORTED, "needs %d devices%s, %d given", need,
			       peer ? ", one of them to store states" : "", given);
	status = team_create(&p->pool, threads, e);
	if (status)
		return status;
	status = open_all(p, devices, gpus, peer, limit, e);
	if (status)
		track_places_close(p);
	return status;
}

void track_places_close(struct track_places *p)
{
	for (int i = 0; i < p->opened; i++)
		track_place_close(&p->place[i]);
	if (p->pool)
		team_destroy(p->pool);
	*p = (struct track_places){ 0 };
}

int track_places_free(const struct track_places *p, uint64_t *bytes, struct err *e)
{
	struct dev_info info;
	int status = 0;

	*bytes = 0;
	if (!p->place[0].device)
		*bytes = (uint64_t)host_memory_available();
	for (int i = 0; !status && p->place[0].device && i < p->opened; i++) {
		status = dev_get_info(p->place[i].device, &info, e);
		*bytes += status ? 0 : info.memory_free;
	}
	return status;
}

uint64_t track_places_peak(const struct track_places *p)
{
	uint64_t most = 0;

	for (int i = 0; i < p->opened; i++) {
		if (p->place[i].peak > most)
			most = p->place[i].peak;
	}
	return most;
}
