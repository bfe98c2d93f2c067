/* Memory of the tiers, within their budgets. */
#include <inttypes.h>
#include <stdlib.h>

#include "harness/base/host_memory.h"
#include "algorithms/koester-recovery/archive_parts.h"

/* The place that a tier's memory is counted in; NULL: host memory of a device's place. */
static struct track_place *tier_place(const struct archive *a, enum track_tier t)
{
	if (t == TIER_PEER && a->o.peer)
		return a->o.peer;
	return a->p->device && (t == TIER_PINNED || t == TIER_PAGEABLE) ? NULL : a->p;
}

int archive_pinned(struct archive *a, void **out, size_t bytes, struct err *e)
{
	int rc = host_memory_check((double)bytes, "pinned memory for states", e);

	return rc ? rc : dev_host_alloc(a->p->device, out, bytes, e);
}

static int pageable(void **out, size_t bytes, struct err *e)
{
	int rc = host_memory_check((double)bytes, "host memory for states", e);

	if (rc)
		return rc;
	*out = malloc(bytes);
	return *out ? 0 : err_set(e, ERR_MEMORY, "no host memory for %zu bytes of states", bytes);
}

static void release(struct archive *a, enum track_tier t, struct archive_block *b)
{
	struct track_place *p = tier_place(a, t);

	if (!b->memory)
		return;
	if (p)
		track_free(p, b->memory, b->bytes);
	else if (t == TIER_PINNED)
		dev_host_free(a->p->device, b->memory);
	else
		free(b->memory);
	a->bytes[t] -= b->bytes;
	*b = (struct archive_block){ 0 };
}

/* Nothing that is queued uses a spare after archive_quiet. */
static void drop_spare(struct archive *a, enum track_tier t)
{
	if (!a->spare[t].memory)
		return;
	(void)archive_quiet(a, NULL);
	release(a, t, &a->spare[t]);
}

void archive_drop_spares(struct archive *a)
{
	for (int t = 0; t < TIERS; t++)
		drop_spare(a, t);
}

static int from_system(struct archive *a, enum track_tier t, void **out, size_t bytes,
		       struct err *e)
{
	struct track_place *p = tier_place(a, t);

	if (p)
		return track_alloc(p, out, bytes, e);
	return t == TIER_PINNED ? archive_pinned(a, out, bytes, e) : pageable(out, bytes, e);
}

int archive_take(struct archive *a, enum track_tier t, struct archive_block *b, size_t bytes,
		 struct err *e)
{
	int rc;

	*b = (struct archive_block){ 0 };
	if (bytes == 0)
		return 0;
	if (a->spare[t].memory && a->spare[t].bytes == bytes) {
		*b = a->spare[t];
		a->spare[t] = (struct archive_block){ 0 };
		return 0;
	}
	drop_spare(a, t);
	if (bytes > a->budget[t] || a->bytes[t] > a->budget[t] - bytes)
		return err_set(e, ERR_MEMORY,
			       "a layer of %zu bytes, with %" PRIu64 " bytes kept in the tier %s, "
			       "is above its budget of %" PRIu64,
			       bytes, a->bytes[t], track_tier_name(t), a->budget[t]);
	rc = from_system(a, t, &b->memory, bytes, NULL);
	if (rc) {
		archive_drop_spares(a); /* of other tiers in the same memory */
		rc = from_system(a, t, &b->memory, bytes, e);
	}
	if (rc)
		return rc;
	b->bytes = bytes;
	a->bytes[t] += bytes;
	if (a->peak[t] < a->bytes[t])
		a->peak[t] = a->bytes[t];
	return 0;
}

void archive_give(struct archive *a, enum track_tier t, struct archive_block *b)
{
	if (!b->memory)
		return;
	drop_spare(a, t);
	a->spare[t] = *b;
	*b = (struct archive_block){ 0 };
}
