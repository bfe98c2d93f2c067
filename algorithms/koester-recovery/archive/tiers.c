/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Memory of the tiers and copies of layers. Saves to tiers other than device memory run in the
 * stream place->copies. A save waits for the work that was queued before the layer was offered
 * (event `work`). Work queued after track_tiers_settle, or that uses a kept layer, waits for the
 * save (event `copied`). */
#include "algorithms/koester-recovery/archive/tiers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/host.h"
#include "harness/device/device.h"

static const size_t staging_bytes = (size_t)16 << 20;

const char *track_tier_name(enum track_tier t)
{
	static const char *const names[TRACK_TIERS] = { "device", "peer", "pinned", "pageable" };

	return (unsigned)t < TRACK_TIERS ? names[t] : NULL;
}

/* ==== synchronisation of the two streams ==== */

int track_tiers_quiet(struct track_tiers *a, struct err *e)
{
	int status;

	if (!a->p->device)
		return 0;
	if ((status = dev_stream_sync(a->p->copies, e)) ||
	    (status = dev_stream_sync(a->p->stream, e)))
		return status;
	if (a->peer && a->peer->device)
		return dev_stream_sync(a->peer->copies, e);
	return 0;
}

static int begin_copies(struct track_tiers *a, struct err *e)
{
	int status = dev_event_record(a->work, a->p->stream, e);

	return status ? status : dev_stream_wait(a->p->copies, a->work, e);
}

static int end_copies(struct track_tiers *a, struct err *e)
{
	a->copying = true;
	return dev_event_record(a->copied, a->p->copies, e);
}

int track_tiers_settle(struct track_tiers *a, struct err *e)
{
	if (!a->copying)
		return 0;
	a->copying = false;
	return dev_stream_wait(a->p->stream, a->copied, e);
}

/* ==== memory ==== */

/* The place that allocates the memory of a tier; NULL for host memory of a device. */
static struct track_place *tier_place(const struct track_tiers *a, enum track_tier t)
{
	if (t == TRACK_TIER_PEER && a->peer)
		return a->peer;
	return a->p->device && (t == TRACK_TIER_PINNED || t == TRACK_TIER_PAGEABLE) ? NULL : a->p;
}

static int pinned(struct track_tiers *a, void **out, size_t bytes, struct err *e)
{
	int status = host_memory_check((double)bytes, "pinned memory for states", e);

	return status ? status : dev_host_alloc(a->p->device, out, bytes, e);
}

static int pageable(void **out, size_t bytes, struct err *e)
{
	int status = host_memory_check((double)bytes, "host memory for states", e);

	if (status)
		return status;
	*out = malloc(bytes);
	return *out ? 0 : err_set(e, ERR_MEMORY, "no host memory for %zu bytes of states", bytes);
}

static void release(struct track_tiers *a, enum track_tier t, struct track_block *b)
{
	struct track_place *p = tier_place(a, t);

	if (!b->memory)
		return;
	if (p)
		track_free(p, b->memory, b->bytes);
	else if (t == TRACK_TIER_PINNED)
		dev_host_free(a->p->device, b->memory);
	else
		free(b->memory);
	a->bytes[t] -= b->bytes;
	*b = (struct track_block){ 0 };
}

/* Waits first, because pending work may still use the spare block. */
static void drop_spare(struct track_tiers *a, enum track_tier t)
{
	if (!a->spare[t].memory)
		return;
	(void)track_tiers_quiet(a, NULL);
	release(a, t, &a->spare[t]);
}

static void drop_spares(struct track_tiers *a)
{
	for (int t = 0; t < TRACK_TIERS; t++)
		drop_spare(a, t);
}

static int from_system(struct track_tiers *a, enum track_tier t, void **out, size_t bytes,
		       struct err *e)
{
	struct track_place *p = tier_place(a, t);

	if (p)
		return track_alloc(p, out, bytes, e);
	return t == TRACK_TIER_PINNED ? pinned(a, out, bytes, e) : pageable(out, bytes, e);
}

int track_tiers_take(struct track_tiers *a, enum track_tier t, struct track_block *b, size_t bytes,
		     struct err *e)
{
	int status;

	*b = (struct track_block){ 0 };
	if (bytes == 0)
		return 0;
	if (a->spare[t].memory && a->spare[t].bytes == bytes) {
		*b = a->spare[t];
		a->spare[t] = (struct track_block){ 0 };
		return 0;
	}
	drop_spare(a, t);
	if (bytes > a->budget[t] || a->bytes[t] > a->budget[t] - bytes)
		return err_set(e, ERR_MEMORY,
			       "a layer of %zu bytes, with %" PRIu64 " bytes kept in the tier %s, "
			       "is above its budget of %" PRIu64,
			       bytes, a->bytes[t], track_tier_name(t), a->budget[t]);
	status = from_system(a, t, &b->memory, bytes, NULL);
	if (status) {
		drop_spares(a); /* spares of other tiers may be in the same memory */
		status = from_system(a, t, &b->memory, bytes, e);
	}
	if (status)
		return status;
	b->bytes = bytes;
	a->bytes[t] += bytes;
	if (a->peak[t] < a->bytes[t])
		a->peak[t] = a->bytes[t];
	return 0;
}

void track_tiers_give(struct track_tiers *a, enum track_tier t, struct track_block *b)
{
	if (!b->memory)
		return;
	drop_spare(a, t);
	a->spare[t] = *b;
	*b = (struct track_block){ 0 };
}

/* ==== layers in pieces ==== */

/* States whose many small units are scattered over a buffer are not a contiguous range; copying
 * them unit by unit would cost a call for every few bytes. To save such states, the device gathers
 * groups of units into a staging buffer, which is copied. To load them, the host gathers groups of
 * states into pinned memory, which is copied, and the device scatters them. There are two halves,
 * so that one is filled while the other is copied. */

/* ---- slots ---- */

static void free_indices(struct track_tiers *a)
{
	struct track_indices *x = &a->indices;

	if (x->host)
		dev_host_free(a->p->device, x->host);
	track_free(a->p, x->device, x->allocated * sizeof(*x->device));
	*x = (struct track_indices){ 0 };
}

static int reserve_slots(struct track_tiers *a, size_t words, struct err *e)
{
	struct track_indices *x = &a->indices;
	void *host, *device;
	int status;

	if (x->allocated - x->used >= words)
		return 0;
	if ((status = track_sync(a->p, e)))
		return status;
	x->used = 0;
	if (words <= x->allocated)
		return 0;
	free_indices(a);
	words = 4 * words < 4096 ? 4096 : 4 * words;
	if ((status = pinned(a, &host, words * sizeof(*x->host), e)))
		return status;
	if ((status = track_alloc(a->p, &device, words * sizeof(*x->device), e))) {
		dev_host_free(a->p->device, host);
		return status;
	}
	*x = (struct track_indices){ host, device, 0, words };
	return 0;
}

static int put_slots(struct track_tiers *a, const uint32_t **out, const uint32_t *slot,
		     uint32_t count, struct err *e)
{
	struct track_indices *x = &a->indices;
	size_t at = x->used;

	memcpy(x->host + at, slot, count * sizeof(*slot));
	*out = x->device + at;
	x->used += count;
	return track_to(a->p, x->device + at, x->host + at, count * sizeof(*slot), e);
}

/* ---- halves ---- */

static void free_staging(struct track_tiers *a)
{
	struct track_staging *s = &a->staging;

	for (int h = 0; h < 2; h++) {
		if (s->host[h])
			dev_host_free(a->p->device, s->host[h]);
		track_free(a->p, s->device[h], s->bytes);
		if (s->done[h])
			dev_event_destroy(s->done[h]);
	}
	*s = (struct track_staging){ .most = s->most };
}

static int open_staging(struct track_tiers *a, size_t bytes, struct err *e)
{
	struct track_staging *s = &a->staging;
	int status = 0;

	if (bytes <= s->bytes)
		return 0;
	if ((status = track_tiers_quiet(a, e)))
		return status;
	free_staging(a);
	s->bytes = bytes;
	for (int h = 0; !status && h < 2; h++)
		if (!(status = dev_event_create(a->p->device, &s->done[h], e)) &&
		    !(status = track_alloc(a->p, &s->device[h], bytes, e)))
			status = pinned(a, &s->host[h], bytes, e);
	if (status)
		free_staging(a);
	return status;
}

/* The number of pieces that fit in a half, at least one. Enlarges the halves if needed. */
static int pieces(struct track_tiers *a, size_t piece, uint32_t count, uint32_t *out, struct err *e)
{
	size_t most = a->staging.most / piece;

	if (most == 0)
		most = 1;
	*out = most < count ? (uint32_t)most : count;
	return open_staging(a, *out * piece, e);
}

/* Returns the next half, after its contents have been read. */
static int next_half(struct track_tiers *a, int *out, struct err *e)
{
	struct track_staging *s = &a->staging;
	int h = s->turn;

	s->turn = !h;
	*out = h;
	if (!s->busy[h])
		return 0;
	s->busy[h] = false;
	return dev_event_sync(s->done[h], e);
}

static int read_by(struct track_tiers *a, int half, struct dev_stream *s, struct err *e)
{
	a->staging.busy[half] = true;
	return dev_event_record(a->staging.done[half], s, e);
}

/* ---- saves ---- */

static int copy_out(struct track_tiers *a, enum track_tier t, void *to, const void *from,
		    size_t bytes, struct err *e)
{
	if (t == TRACK_TIER_PEER)
		return dev_copy_peer(a->p->copies, a->peer->device, to, a->p->device, from, bytes,
				     e);
	return dev_copy_from(a->p->copies, to, from, bytes, e);
}

/* Saves units first .. first + n - 1 of all states of the layer. */
static int save_units(struct track_tiers *a, struct track_kept_layer *to, const void *states,
		      uint32_t slots, uint32_t first, uint32_t n, struct err *e)
{
	size_t unit = a->layout.unit_bytes, row = unit * to->count;
	struct track_gather g = { .layout = { n, a->layout.unit_bytes },
				  .to_slots = to->count,
				  .count = to->count,
				  .from_slots = { slots },
				  .sources = 1 };
	int half, status;

	if ((status = next_half(a, &half, e)))
		return status;
	g.to = a->staging.device[half];
	g.from[0] = (const unsigned char *)states + (size_t)first * slots * unit;
	if ((status = a->p->common->gather(a->p, &g, e)) ||
	    (status = dev_event_record(a->work, a->p->stream, e)) ||
	    (status = dev_stream_wait(a->p->copies, a->work, e)) ||
	    (status = copy_out(a, to->tier, (unsigned char *)to->block.memory + first * row, g.to,
			       n * row, e)))
		return status;
	return read_by(a, half, a->p->copies, e);
}

static int save_staged(struct track_tiers *a, struct track_kept_layer *to, const void *states,
		       uint32_t slots, struct err *e)
{
	uint32_t units = a->layout.units, group;
	int status = pieces(a, (size_t)a->layout.unit_bytes * to->count, units, &group, e);

	for (uint32_t u = 0; !status && u < units; u += group)
		status = save_units(a, to, states, slots, u, units - u < group ? units - u : group,
				    e);
	return status;
}

/* ---- loads ---- */

static int fetch_states(struct track_tiers *a, const struct track_kept_layer *from,
			const uint32_t *slot, uint32_t n, void *to, uint32_t to_slots,
			const uint32_t *to_slot, struct err *e)
{
	struct track_place host = { .pool = a->p->pool };
	struct track_gather g = { .layout = a->layout,
				  .to_slots = n,
				  .count = n,
				  .from = { from->block.memory },
				  .from_slots = { from->count },
				  .sources = 1,
				  .from_slot = slot };
	int half, status;

	if ((status = next_half(a, &half, e)))
		return status;
	g.to = a->staging.host[half];
	if ((status = track_common_host.gather(&host, &g, e)) ||
	    (status = track_to(a->p, a->staging.device[half], g.to, n * a->state_bytes, e)))
		return status;
	g = (struct track_gather){ .layout = a->layout,
				   .to = to,
				   .to_slots = to_slots,
				   .count = n,
				   .from = { a->staging.device[half] },
				   .from_slots = { n },
				   .sources = 1 };
	if ((status = reserve_slots(a, n, e)) ||
	    (status = put_slots(a, &g.to_slot, to_slot, n, e)) ||
	    (status = a->p->common->gather(a->p, &g, e)))
		return status;
	return read_by(a, half, a->p->stream, e);
}

static int fetch_staged(struct track_tiers *a, const struct track_kept_layer *from,
			const uint32_t *slot, uint32_t count, void *to, uint32_t to_slots,
			const uint32_t *to_slot, struct err *e)
{
	uint32_t group;
	/* the host reads the layer now: wait for pending copies to it */
	int status = dev_stream_sync(a->p->copies, e);

	if (!status)
		status = pieces(a, a->state_bytes, count, &group, e);
	for (uint32_t i = 0; !status && i < count; i += group)
		status = fetch_states(a, from, slot + i, count - i < group ? count - i : group, to,
				      to_slots, to_slot + i, e);
	return status;
}

/* ==== copies ==== */

/* A row is one unit of all states. Rows are copied one by one if they are few or long. */
enum { FEW_ROWS = 64, LONG_ROW = 1 << 18 };

/* ---- one contiguous range ---- */

/* Copies from device memory of the place to the tier. */
static int out_of_device(struct track_tiers *a, enum track_tier t, void *to, const void *from,
			 size_t bytes, struct err *e)
{
	if (t == TRACK_TIER_DEVICE)
		return dev_copy_on(a->p->stream, to, from, bytes, e);
	if (t == TRACK_TIER_PEER)
		return dev_copy_peer(a->p->copies, a->peer->device, to, a->p->device, from, bytes,
				     e);
	return dev_copy_from(a->p->copies, to, from, bytes, e);
}

/* Copies from the tier to the place's device, in the work stream. */
static int into_device(struct track_tiers *a, enum track_tier t, void *to, const void *from,
		       size_t bytes, struct err *e)
{
	if (t == TRACK_TIER_DEVICE)
		return dev_copy_on(a->p->stream, to, from, bytes, e);
	if (t == TRACK_TIER_PEER)
		return dev_copy_peer(a->p->stream, a->p->device, to, a->peer->device, from, bytes,
				     e);
	return dev_copy_to(a->p->stream, to, from, bytes, e);
}

static bool rows_suit(const struct track_tiers *a, uint32_t count)
{
	return a->layout.units <= FEW_ROWS || (size_t)a->layout.unit_bytes * count >= LONG_ROW;
}

/* ---- saves ---- */

static int gather_save(struct track_tiers *a, struct track_kept_layer *to, const void *states,
		       uint32_t slots, struct err *e)
{
	struct track_gather g = { .layout = a->layout,
				  .to = to->block.memory,
				  .to_slots = to->count,
				  .count = to->count,
				  .from = { states },
				  .from_slots = { slots },
				  .sources = 1 };

	return a->p->common->gather(a->p, &g, e);
}

static int save_rows(struct track_tiers *a, struct track_kept_layer *to, const void *states,
		     uint32_t slots, struct err *e)
{
	size_t row = (size_t)a->layout.unit_bytes * to->count;
	size_t stride = (size_t)a->layout.unit_bytes * slots;
	int status = 0;

	for (uint32_t u = 0; !status && u < a->layout.units; u++)
		status = out_of_device(a, to->tier, (unsigned char *)to->block.memory + u * row,
				       (const unsigned char *)states + u * stride, row, e);
	return status;
}

int track_tiers_save(struct track_tiers *a, struct track_kept_layer *to, const void *states,
		     uint32_t slots, struct err *e)
{
	bool whole = to->count == slots || a->layout.units == 1;
	int status;

	if (!a->p->device)
		return gather_save(a, to, states, slots, e);
	if (to->tier == TRACK_TIER_DEVICE) {
		if ((status = track_tiers_settle(a, e)))
			return status;
		return whole ? out_of_device(a, to->tier, to->block.memory, states, to->block.bytes,
					     e) :
			       gather_save(a, to, states, slots, e);
	}
	if ((status = begin_copies(a, e)))
		return status;
	if (whole)
		status = out_of_device(a, to->tier, to->block.memory, states, to->block.bytes, e);
	else if (rows_suit(a, to->count))
		status = save_rows(a, to, states, slots, e);
	else
		status = save_staged(a, to, states, slots, e);
	return status ? status : end_copies(a, e);
}

/* ---- loads ---- */

/* True if the slots are consecutive. */
static bool is_run(const uint32_t *slot, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++)
		if (slot[i] != slot[0] + i)
			return false;
	return true;
}

static int fetch_rows(struct track_tiers *a, const struct track_kept_layer *from, uint32_t slot,
		      uint32_t count, void *to, uint32_t to_slots, uint32_t to_slot, struct err *e)
{
	size_t bytes = a->layout.unit_bytes;
	int status = 0;

	if (count == from->count && count == to_slots)
		return into_device(a, from->tier, to, from->block.memory, from->block.bytes, e);
	for (uint32_t u = 0; !status && u < a->layout.units; u++) {
		const unsigned char *row = from->block.memory;
		unsigned char *to_row = to;

		row += ((size_t)u * from->count + slot) * bytes;
		to_row += ((size_t)u * to_slots + to_slot) * bytes;
		status = into_device(a, from->tier, to_row, row, count * bytes, e);
	}
	return status;
}

static int fetch_gather(struct track_tiers *a, const struct track_kept_layer *from,
			const uint32_t *slot, uint32_t count, void *to, uint32_t to_slots,
			const uint32_t *to_slot, struct err *e)
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
	int status;

	if (a->p->device && ((status = reserve_slots(a, 2 * (size_t)count, e)) ||
			     (status = put_slots(a, &g.from_slot, slot, count, e)) ||
			     (status = put_slots(a, &g.to_slot, to_slot, count, e))))
		return status;
	return a->p->common->gather(a->p, &g, e);
}

/* True if kernels can read the layer at a reasonable rate in any order. */
static bool device_reads(const struct track_tiers *a, const struct track_kept_layer *l)
{
	return l->tier == TRACK_TIER_DEVICE || l->tier == TRACK_TIER_PEER ||
	       (l->tier == TRACK_TIER_PINNED && a->layout.unit_bytes >= 128);
}

int track_tiers_fetch(struct track_tiers *a, const struct track_kept_layer *from,
		      const uint32_t *slot, uint32_t count, void *to, uint32_t to_slots,
		      const uint32_t *to_slot, struct err *e)
{
	int status;

	if (!a->p->device)
		return fetch_gather(a, from, slot, count, to, to_slots, to_slot, e);
	if ((status = track_tiers_settle(a, e)))
		return status;
	if (is_run(slot, count) && is_run(to_slot, count) &&
	    (rows_suit(a, count) || (count == from->count && count == to_slots)))
		return fetch_rows(a, from, slot[0], count, to, to_slots, to_slot[0], e);
	if (device_reads(a, from))
		return fetch_gather(a, from, slot, count, to, to_slots, to_slot, e);
	return fetch_staged(a, from, slot, count, to, to_slots, to_slot, e);
}

/* ---- moves ---- */

static bool on_host(enum track_tier t)
{
	return t == TRACK_TIER_PINNED || t == TRACK_TIER_PAGEABLE;
}

static int move_on_host(struct track_tiers *a, void *to, const void *from, size_t bytes,
			struct err *e)
{
	int status = track_tiers_quiet(a, e);

	if (!status)
		memcpy(to, from, bytes);
	return status;
}

/* Copies between the peer and the host in the peer's stream. The copy is finished on return. */
static int move_at_peer(struct track_tiers *a, enum track_tier to_tier, void *to, const void *from,
			size_t bytes, struct err *e)
{
	struct dev_stream *s = a->peer->copies;
	int status = track_tiers_quiet(a, e);

	if (!status)
		status = to_tier == TRACK_TIER_PEER ? dev_copy_to(s, to, from, bytes, e) :
						      dev_copy_from(s, to, from, bytes, e);
	return status ? status : dev_stream_sync(s, e);
}

static int move_bytes(struct track_tiers *a, enum track_tier to_tier, void *to,
		      enum track_tier from_tier, const void *from, size_t bytes, struct err *e)
{
	int status;

	if (!a->p->device || (on_host(to_tier) && on_host(from_tier)))
		return move_on_host(a, to, from, bytes, e);
	if ((to_tier == TRACK_TIER_PEER && on_host(from_tier)) ||
	    (from_tier == TRACK_TIER_PEER && on_host(to_tier)))
		return move_at_peer(a, to_tier, to, from, bytes, e);
	if (to_tier == TRACK_TIER_DEVICE) {
		status = track_tiers_settle(a, e);
		return status ? status : into_device(a, from_tier, to, from, bytes, e);
	}
	if ((status = begin_copies(a, e)) ||
	    (status = out_of_device(a, to_tier, to, from, bytes, e)))
		return status;
	return end_copies(a, e);
}

int track_tiers_move(struct track_tiers *a, struct track_kept_layer *l, enum track_tier t,
		     struct err *e)
{
	struct track_block b;
	int status = track_tiers_take(a, t, &b, l->block.bytes, e);

	if (status)
		return status;
	status = b.bytes ? move_bytes(a, t, b.memory, l->tier, l->block.memory, b.bytes, e) : 0;
	if (status) {
		track_tiers_give(a, t, &b);
		return status;
	}
	track_tiers_give(a, l->tier, &l->block);
	l->block = b;
	l->tier = t;
	return 0;
}

/* ==== open and close ==== */

int track_tiers_open(struct track_tiers *a, struct track_place *p, struct track_place *peer,
		     struct track_layout layout, const uint64_t budget[TRACK_TIERS], size_t staging,
		     struct err *e)
{
	struct dev *d = p->device;
	int status;

	*a = (struct track_tiers){ .p = p, .peer = peer, .layout = layout };
	a->state_bytes = track_state_bytes(layout);
	a->staging.most = staging ? staging : staging_bytes;
	for (int t = 0; t < TRACK_TIERS; t++)
		a->budget[t] = budget[t] ? budget[t] : UINT64_MAX;
	if (!d)
		return 0;
	if (peer && peer->device != d && (status = dev_enable_peer(d, peer->device, e)))
		return status;
	status = dev_event_create(d, &a->work, e);
	return status ? status : dev_event_create(d, &a->copied, e);
}

void track_tiers_close(struct track_tiers *a)
{
	drop_spares(a);
	if (a->p && a->p->device) {
		free_indices(a);
		free_staging(a);
	}
	if (a->work)
		dev_event_destroy(a->work);
	if (a->copied)
		dev_event_destroy(a->copied);
}
