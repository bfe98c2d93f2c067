/* Copies of whole layers between buffers of the place and the tiers.
 *
 * Saves to other tiers than the device's own run in place->copies: after what the work stream had
 * in its queue when the layer was offered (event `work`), and before anything later in the work
 * stream that asked archive_settle or uses a kept layer (event `copied`). */
#include <string.h>

#include "algorithms/koester-recovery/archive_parts.h"

/* Rows (one unit of all states) are copied one by one where they are few or long. */
enum { FEW_ROWS = 64, LONG_ROW = 1 << 18 };

int archive_copy_open(struct archive *a, struct err *e)
{
	struct dev *d = a->p->device;
	int rc;

	if (!d)
		return 0;
	if ((rc = dev_event_create(d, &a->work, e)) || (rc = dev_event_create(d, &a->copied, e)) ||
	    (rc = dev_event_create(d, &a->timer.start, e)) ||
	    (rc = dev_event_create(d, &a->timer.stop, e)))
		return rc;
	return 0;
}

void archive_copy_close(struct archive *a)
{
	struct dev_event *all[] = { a->work, a->copied, a->timer.start, a->timer.stop };

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (all[i])
			dev_event_destroy(all[i]);
}

int archive_quiet(struct archive *a, struct err *e)
{
	int rc;

	if (!a->p->device)
		return 0;
	if ((rc = dev_stream_sync(a->p->copies, e)) || (rc = dev_stream_sync(a->p->stream, e)))
		return rc;
	if (a->o.peer && a->o.peer->device)
		return dev_stream_sync(a->o.peer->copies, e);
	return 0;
}

/* ---- order of the two streams ---- */

static int begin_copies(struct archive *a, struct err *e)
{
	int rc = dev_event_record(a->work, a->p->stream, e);

	return rc ? rc : dev_stream_wait(a->p->copies, a->work, e);
}

static int end_copies(struct archive *a, struct err *e)
{
	a->copying = true;
	return dev_event_record(a->copied, a->p->copies, e);
}

int archive_settle(struct archive *a, struct err *e)
{
	if (!a->copying)
		return 0;
	a->copying = false;
	return dev_stream_wait(a->p->stream, a->copied, e);
}

/* ---- one contiguous range ---- */

/* From memory of the place's device to the tier's. */
static int out_of_device(struct archive *a, enum track_tier t, void *to, const void *from,
			 size_t bytes, struct err *e)
{
	if (t == TIER_DEVICE)
		return dev_copy_on(a->p->stream, to, from, bytes, e);
	if (t == TIER_PEER)
		return dev_copy_peer(a->p->copies, a->o.peer->device, to, a->p->device, from, bytes,
				     e);
	return dev_copy_from(a->p->copies, to, from, bytes, e);
}

/* From the tier's memory to the place's device, in the work stream. */
static int into_device(struct archive *a, enum track_tier t, void *to, const void *from,
		       size_t bytes, struct err *e)
{
	if (t == TIER_DEVICE)
		return dev_copy_on(a->p->stream, to, from, bytes, e);
	if (t == TIER_PEER)
		return dev_copy_peer(a->p->stream, a->p->device, to, a->o.peer->device, from, bytes,
				     e);
	return dev_copy_to(a->p->stream, to, from, bytes, e);
}

static bool rows_suit(const struct archive *a, uint32_t count)
{
	return a->layout.units <= FEW_ROWS || (size_t)a->layout.unit_bytes * count >= LONG_ROW;
}

/* ---- saves ---- */

static int gather_save(struct archive *a, struct archive_layer *to, const void *states,
		       uint32_t slots, struct err *e)
{
	struct track_gather g = { .layout = a->layout,
				  .to = to->block.memory,
				  .to_slots = to->count,
				  .count = to->count,
				  .from = { states },
				  .from_slots = { slots },
				  .sources = 1 };

	return a->common->gather(a->p, &g, e);
}

static int save_rows(struct archive *a, struct archive_layer *to, const void *states,
		     uint32_t slots, struct err *e)
{
	size_t row = (size_t)a->layout.unit_bytes * to->count;
	size_t stride = (size_t)a->layout.unit_bytes * slots;
	int rc = 0;

	for (uint32_t u = 0; !rc && u < a->layout.units; u++)
		rc = out_of_device(a, to->tier, (unsigned char *)to->block.memory + u * row,
				   (const unsigned char *)states + u * stride, row, e);
	return rc;
}

int archive_save(struct archive *a, struct archive_layer *to, const void *states, uint32_t slots,
		 struct err *e)
{
	bool whole = to->count == slots || a->layout.units == 1;
	int rc;

	if (!a->p->device)
		return gather_save(a, to, states, slots, e);
	if (to->tier == TIER_DEVICE) {
		if ((rc = archive_settle(a, e)))
			return rc;
		return whole ? out_of_device(a, to->tier, to->block.memory, states, to->block.bytes,
					     e) :
			       gather_save(a, to, states, slots, e);
	}
	if ((rc = begin_copies(a, e)))
		return rc;
	if (whole)
		rc = out_of_device(a, to->tier, to->block.memory, states, to->block.bytes, e);
	else if (rows_suit(a, to->count))
		rc = save_rows(a, to, states, slots, e);
	else
		rc = archive_save_staged(a, to, states, slots, e);
	return rc ? rc : end_copies(a, e);
}

/* ---- loads ---- */

/* Are the slots first, first + 1, ...? */
static bool is_run(const uint32_t *slot, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++)
		if (slot[i] != slot[0] + i)
			return false;
	return true;
}

static int fetch_rows(struct archive *a, const struct archive_layer *from, uint32_t slot,
		      uint32_t count, void *to, uint32_t to_slots, uint32_t to_slot, struct err *e)
{
	size_t bytes = a->layout.unit_bytes;
	int rc = 0;

	if (count == from->count && count == to_slots)
		return into_device(a, from->tier, to, from->block.memory, from->block.bytes, e);
	for (uint32_t u = 0; !rc && u < a->layout.units; u++) {
		const unsigned char *row = from->block.memory;
		unsigned char *to_row = to;

		row += ((size_t)u * from->count + slot) * bytes;
		to_row += ((size_t)u * to_slots + to_slot) * bytes;
		rc = into_device(a, from->tier, to_row, row, count * bytes, e);
	}
	return rc;
}

static int fetch_gather(struct archive *a, const struct archive_layer *from, const uint32_t *slot,
			uint32_t count, void *to, uint32_t to_slots, const uint32_t *to_slot,
			struct err *e)
{
	struct track_gather g = { .layout = a->layout,
				  .to = to,
				  .to_slots = to_slots,
				  .count = count,
				  .from = { from->block.memory },
				  .from_slots = { from->count },
				  .sources = 1,
				  .from_slot = slot,
				  .to_slot = to_slot };
	int rc;

	if (a->p->device && ((rc = archive_reserve_slots(a, 2 * (size_t)count, e)) ||
			     (rc = archive_put_slots(a, &g.from_slot, slot, count, e)) ||
			     (rc = archive_put_slots(a, &g.to_slot, to_slot, count, e))))
		return rc;
	return a->common->gather(a->p, &g, e);
}

/* Can the device's kernels read the layer, at a fair rate in any order? */
static bool device_reads(const struct archive *a, const struct archive_layer *l)
{
	return l->tier == TIER_DEVICE || l->tier == TIER_PEER ||
	       (l->tier == TIER_PINNED && a->layout.unit_bytes >= 128);
}

int archive_fetch(struct archive *a, const struct archive_layer *from, const uint32_t *slot,
		  uint32_t count, void *to, uint32_t to_slots, const uint32_t *to_slot,
		  struct err *e)
{
	int rc;

	if (!a->p->device)
		return fetch_gather(a, from, slot, count, to, to_slots, to_slot, e);
	if ((rc = archive_settle(a, e)))
		return rc;
	if (is_run(slot, count) && is_run(to_slot, count) &&
	    (rows_suit(a, count) || (count == from->count && count == to_slots)))
		return fetch_rows(a, from, slot[0], count, to, to_slots, to_slot[0], e);
	if (device_reads(a, from))
		return fetch_gather(a, from, slot, count, to, to_slots, to_slot, e);
	return archive_fetch_staged(a, from, slot, count, to, to_slots, to_slot, e);
}

/* ---- moves ---- */

static bool on_host(enum track_tier t)
{
	return t == TIER_PINNED || t == TIER_PAGEABLE;
}

static int move_on_host(struct archive *a, void *to, const void *from, size_t bytes, struct err *e)
{
	int rc = archive_quiet(a, e);

	if (!rc)
		memcpy(to, from, bytes);
	return rc;
}

/* Between the peer and the host: by the peer's streams, and finished here. */
static int move_at_peer(struct archive *a, enum track_tier to_tier, void *to, const void *from,
			size_t bytes, struct err *e)
{
	struct dev_stream *s = a->o.peer->copies;
	int rc = archive_quiet(a, e);

	if (!rc)
		rc = to_tier == TIER_PEER ? dev_copy_to(s, to, from, bytes, e) :
					    dev_copy_from(s, to, from, bytes, e);
	return rc ? rc : dev_stream_sync(s, e);
}

static int move_bytes(struct archive *a, enum track_tier to_tier, void *to,
		      enum track_tier from_tier, const void *from, size_t bytes, struct err *e)
{
	int rc;

	if (!a->p->device || (on_host(to_tier) && on_host(from_tier)))
		return move_on_host(a, to, from, bytes, e);
	if ((to_tier == TIER_PEER && on_host(from_tier)) ||
	    (from_tier == TIER_PEER && on_host(to_tier)))
		return move_at_peer(a, to_tier, to, from, bytes, e);
	if (to_tier == TIER_DEVICE) {
		rc = archive_settle(a, e);
		return rc ? rc : into_device(a, from_tier, to, from, bytes, e);
	}
	if ((rc = begin_copies(a, e)) || (rc = out_of_device(a, to_tier, to, from, bytes, e)))
		return rc;
	return end_copies(a, e);
}

int archive_move(struct archive *a, struct archive_layer *l, enum track_tier t, struct err *e)
{
	struct archive_block b;
	int rc = archive_take(a, t, &b, l->block.bytes, e);

	if (rc)
		return rc;
	rc = b.bytes ? move_bytes(a, t, b.memory, l->tier, l->block.memory, b.bytes, e) : 0;
	if (rc) {
		archive_give(a, t, &b);
		return rc;
	}
	archive_give(a, l->tier, &l->block);
	l->block = b;
	l->tier = t;
	return 0;
}
