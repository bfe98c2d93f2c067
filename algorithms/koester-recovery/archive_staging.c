/* Layers in pieces. A buffer whose states are many small units apart, only some of them wanted, is
 * no contiguous range; copied unit by unit it would cost a call for every few bytes. So the device
 * gathers groups of units into a staging buffer and these are copied; and the host gathers groups
 * of states into pinned memory, these are copied, and the device spreads them. Two halves, so that
 * one is filled while the other is on its way. */
#include <string.h>

#include "harness/device/device_event.h"
#include "algorithms/koester-recovery/archive_parts.h"

/* ---- slots ---- */

static void free_indices(struct archive *a)
{
	struct archive_indices *x = &a->indices;

	if (x->host)
		dev_host_free(a->p->device, x->host);
	track_free(a->p, x->device, x->allocated * sizeof(*x->device));
	*x = (struct archive_indices){ 0 };
}

int archive_reserve_slots(struct archive *a, size_t words, struct err *e)
{
	struct archive_indices *x = &a->indices;
	void *host, *device;
	int rc;

	if (x->allocated - x->used >= words)
		return 0;
	if ((rc = track_sync(a->p, e)))
		return rc;
	x->used = 0;
	if (words <= x->allocated)
		return 0;
	free_indices(a);
	words = 4 * words < 4096 ? 4096 : 4 * words;
	if ((rc = archive_pinned(a, &host, words * sizeof(*x->host), e)))
		return rc;
	if ((rc = track_alloc(a->p, &device, words * sizeof(*x->device), e))) {
		dev_host_free(a->p->device, host);
		return rc;
	}
	*x = (struct archive_indices){ host, device, 0, words };
	return 0;
}

int archive_put_slots(struct archive *a, const uint32_t **out, const uint32_t *slot, uint32_t count,
		      struct err *e)
{
	struct archive_indices *x = &a->indices;
	size_t at = x->used;

	memcpy(x->host + at, slot, count * sizeof(*slot));
	*out = x->device + at;
	x->used += count;
	return track_to(a->p, x->device + at, x->host + at, count * sizeof(*slot), e);
}

/* ---- halves ---- */

static void free_staging(struct archive *a)
{
	struct archive_staging *s = &a->staging;

	for (int h = 0; h < 2; h++) {
		if (s->host[h])
			dev_host_free(a->p->device, s->host[h]);
		track_free(a->p, s->device[h], s->bytes);
		if (s->done[h])
			dev_event_destroy(s->done[h]);
	}
	*s = (struct archive_staging){ .most = s->most };
}

void archive_staging_close(struct archive *a)
{
	if (!a->p->device)
		return;
	free_indices(a);
	free_staging(a);
}

static int open_staging(struct archive *a, size_t bytes, struct err *e)
{
	struct archive_staging *s = &a->staging;
	int rc = 0;

	if (bytes <= s->bytes)
		return 0;
	if ((rc = archive_quiet(a, e)))
		return rc;
	free_staging(a);
	s->bytes = bytes;
	for (int h = 0; !rc && h < 2; h++)
		if (!(rc = dev_event_create(a->p->device, &s->done[h], e)) &&
		    !(rc = track_alloc(a->p, &s->device[h], bytes, e)))
			rc = archive_pinned(a, &s->host[h], bytes, e);
	if (rc)
		free_staging(a);
	return rc;
}

/* Pieces of the whole that fit in a half, at least one; the halves are made as large as that. */
static int pieces(struct archive *a, size_t piece, uint32_t count, uint32_t *out, struct err *e)
{
	size_t most = a->staging.most / piece;

	if (most == 0)
		most = 1;
	*out = most < count ? (uint32_t)most : count;
	return open_staging(a, *out * piece, e);
}

/* The half whose turn it is; what was in it has been read. */
static int next_half(struct archive *a, int *out, struct err *e)
{
	struct archive_staging *s = &a->staging;
	int h = s->turn;

	s->turn = !h;
	*out = h;
	if (!s->busy[h])
		return 0;
	s->busy[h] = false;
	return dev_event_sync(s->done[h], e);
}

static int read_by(struct archive *a, int half, struct dev_stream *s, struct err *e)
{
	a->staging.busy[half] = true;
	return dev_event_record(a->staging.done[half], s, e);
}

/* ---- saves ---- */

static int copy_out(struct archive *a, enum track_tier t, void *to, const void *from, size_t bytes,
		    struct err *e)
{
	if (t == TIER_PEER)
		return dev_copy_peer(a->p->copies, a->o.peer->device, to, a->p->device, from, bytes,
				     e);
	return dev_copy_from(a->p->copies, to, from, bytes, e);
}

/* Units first .. first + n - 1 of all states of the layer. */
static int save_units(struct archive *a, struct archive_layer *to, const void *states,
		      uint32_t slots, uint32_t first, uint32_t n, struct err *e)
{
	size_t unit = a->layout.unit_bytes, row = unit * to->count;
	struct track_gather g = { .layout = { n, a->layout.unit_bytes },
				  .to_slots = to->count,
				  .count = to->count,
				  .from_slots = { slots },
				  .sources = 1 };
	int half, rc;

	if ((rc = next_half(a, &half, e)))
		return rc;
	g.to = a->staging.device[half];
	g.from[0] = (const unsigned char *)states + (size_t)first * slots * unit;
	if ((rc = a->common->gather(a->p, &g, e)) ||
	    (rc = dev_event_record(a->work, a->p->stream, e)) ||
	    (rc = dev_stream_wait(a->p->copies, a->work, e)) ||
	    (rc = copy_out(a, to->tier, (unsigned char *)to->block.memory + first * row, g.to,
			   n * row, e)))
		return rc;
	return read_by(a, half, a->p->copies, e);
}

int archive_save_staged(struct archive *a, struct archive_layer *to, const void *states,
			uint32_t slots, struct err *e)
{
	uint32_t units = a->layout.units, group;
	int rc = pieces(a, (size_t)a->layout.unit_bytes * to->count, units, &group, e);

	for (uint32_t u = 0; !rc && u < units; u += group)
		rc = save_units(a, to, states, slots, u, units - u < group ? units - u : group, e);
	return rc;
}

/* ---- loads ---- */

static int fetch_states(struct archive *a, const struct archive_layer *from, const uint32_t *slot,
			uint32_t n, void *to, uint32_t to_slots, const uint32_t *to_slot,
			struct err *e)
{
	struct track_place host = { .pool = a->p->pool };
	struct track_gather g = { .layout = a->layout,
				  .to_slots = n,
				  .count = n,
				  .from = { from->block.memory },
				  .from_slots = { from->count },
				  .sources = 1,
				  .from_slot = slot };
	int half, rc;

	if ((rc = next_half(a, &half, e)))
		return rc;
	g.to = a->staging.host[half];
	if ((rc = track_common_host.gather(&host, &g, e)) ||
	    (rc = track_to(a->p, a->staging.device[half], g.to, n * a->state_bytes, e)))
		return rc;
	g = (struct track_gather){ .layout = a->layout,
				   .to = to,
				   .to_slots = to_slots,
				   .count = n,
				   .from = { a->staging.device[half] },
				   .from_slots = { n },
				   .sources = 1 };
	if ((rc = archive_reserve_slots(a, n, e)) ||
	    (rc = archive_put_slots(a, &g.to_slot, to_slot, n, e)) ||
	    (rc = a->common->gather(a->p, &g, e)))
		return rc;
	return read_by(a, half, a->p->stream, e);
}

int archive_fetch_staged(struct archive *a, const struct archive_layer *from, const uint32_t *slot,
			 uint32_t count, void *to, uint32_t to_slots, const uint32_t *to_slot,
			 struct err *e)
{
	uint32_t group;
	/* the host reads the layer now: copies to it must have come to their end */
	int rc = dev_stream_sync(a->p->copies, e);

	if (!rc)
		rc = pieces(a, a->state_bytes, count, &group, e);
	for (uint32_t i = 0; !rc && i < count; i += group)
		rc = fetch_states(a, from, slot + i, count - i < group ? count - i : group, to,
				  to_slots, to_slot + i, e);
	return rc;
}
