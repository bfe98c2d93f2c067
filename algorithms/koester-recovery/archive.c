/* The archive's rules but multistage (archive_multistage.c), and its list of kept layers. */
#include "algorithms/koester-recovery/archive.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/checked.h"
#include "harness/base/clock.h"
#include "algorithms/koester-recovery/archive_parts.h"

#define NONE UINT32_MAX

static const size_t staging_bytes = (size_t)16 << 20;

const char *track_recovery_name(enum track_recovery r)
{
	static const char *const names[RECOVERIES] = { "replay",   "gpu",       "pinned",
						       "host",     "peer",      "checkpoint",
						       "adaptive", "multistage" };

	return (unsigned)r < RECOVERIES ? names[r] : NULL;
}

const char *track_tier_name(enum track_tier t)
{
	static const char *const names[TIERS] = { "device", "peer", "pinned", "pageable" };

	return (unsigned)t < TIERS ? names[t] : NULL;
}

/* ---- create ---- */

static int check_options(const struct archive_options *o, const struct track_place *p,
			 struct err *e)
{
	bool steps = o->recovery == RECOVERY_CHECKPOINT || o->recovery == RECOVERY_ADAPTIVE;

	if ((unsigned)o->recovery >= RECOVERIES)
		return err_set(e, ERR_USAGE, "there is no recovery number %d", (int)o->recovery);
	if (steps && o->distance == 0)
		return err_set(e, ERR_USAGE, "recovery %s: the distance of checkpoints is 0",
			       track_recovery_name(o->recovery));
	if (o->recovery == RECOVERY_ADAPTIVE && o->adapt == 0)
		return err_set(e, ERR_USAGE, "recovery adaptive: the distance of copies is 0");
	if (o->recovery == RECOVERY_PEER && p->device && !o->peer)
		return err_set(e, ERR_USAGE, "recovery peer: there is no other device");
	if (o->peer && !o->peer->device != !p->device)
		return err_set(e, ERR_USAGE, "the peer must be of the same kind as the place");
	return 0;
}

static int open_peer(struct archive *a, struct err *e)
{
	struct track_place *peer = a->o.peer;

	if (!a->p->device || !peer || peer->device == a->p->device)
		return 0;
	return dev_enable_peer(a->p->device, peer->device, e);
}

int archive_create(struct archive **out, const struct archive_options *o, struct track_place *p,
		   struct track_layout layout, struct err *e)
{
	struct archive *a;
	int rc = check_options(o, p, e);

	*out = NULL;
	if (rc)
		return rc;
	a = calloc(1, sizeof(*a));
	if (!a)
		return err_set(e, ERR_MEMORY, "no memory for an archive");
	a->o = *o;
	a->p = p;
	a->layout = layout;
	a->state_bytes = track_state_bytes(layout);
	a->common = p->device ? track_common_of(p) : &track_common_host;
	a->last = NONE;
	a->staging.most = staging_bytes;
	a->distance = o->distance;
	for (int t = 0; t < TIERS; t++)
		a->budget[t] = o->budget[t] ? o->budget[t] : UINT64_MAX;
	if (!a->common)
		rc = err_set(e, ERR_UNSUPPORTED, "no copies of states for this device");
	if (rc || (rc = open_peer(a, e)) || (rc = archive_copy_open(a, e))) {
		archive_destroy(a);
		return rc;
	}
	archive_multistage_open(a);
	*out = a;
	return 0;
}

void archive_destroy(struct archive *a)
{
	if (!a)
		return;
	archive_clear(a);
	archive_drop_spares(a);
	archive_staging_close(a);
	archive_copy_close(a);
	free(a->layer);
	free(a);
}

/* ---- the list ---- */

uint32_t archive_find(const struct archive *a, uint32_t layer)
{
	uint32_t low = 0, high = a->layers;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (a->layer[middle].layer < layer)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct archive_layer *kept(const struct archive *a, uint32_t layer)
{
	uint32_t i = archive_find(a, layer);

	return i < a->layers && a->layer[i].layer == layer ? &a->layer[i] : NULL;
}

bool archive_has(const struct archive *a, uint32_t layer)
{
	return kept(a, layer);
}

void archive_remove(struct archive *a, uint32_t index)
{
	struct archive_layer *l = &a->layer[index];

	archive_give(a, l->tier, &l->block);
	a->layers--;
	memmove(l, l + 1, (a->layers - index) * sizeof(*l));
}

static int grow(struct archive *a, struct err *e)
{
	uint32_t more = a->allocated ? 2 * a->allocated : 32;
	struct archive_layer *layer;

	if (a->layers < a->allocated)
		return 0;
	layer = realloc(a->layer, more * sizeof(*layer));
	if (!layer)
		return err_set(e, ERR_MEMORY, "no memory for the list of %" PRIu32 " kept layers",
			       more);
	a->layer = layer;
	a->allocated = more;
	return 0;
}

int archive_keep(struct archive *a, enum track_tier t, uint32_t layer, const void *states,
		 uint32_t slots, uint32_t count, struct archive_layer **out, struct err *e)
{
	struct archive_layer l = { .layer = layer, .count = count, .tier = t };
	uint32_t i = archive_find(a, layer);
	size_t bytes;
	int rc;

	if (!checked_mul_size(a->state_bytes, count, &bytes))
		return err_set(e, ERR_MEMORY, "a layer of %" PRIu32 " states is too large", count);
	if ((rc = grow(a, e)) || (rc = archive_take(a, t, &l.block, bytes, e)))
		return rc;
	rc = count ? archive_save(a, &l, states, slots, e) : 0;
	if (rc) {
		archive_give(a, t, &l.block);
		return rc;
	}
	memmove(&a->layer[i + 1], &a->layer[i], (a->layers - i) * sizeof(l));
	a->layer[i] = l;
	a->layers++;
	if (out)
		*out = &a->layer[i];
	return 0;
}

void archive_cut(struct archive *a, uint32_t layer)
{
	while (a->layers && a->layer[a->layers - 1].layer > layer)
		archive_remove(a, a->layers - 1);
	if (a->last != NONE && a->last > layer)
		a->last = layer;
}

void archive_clear(struct archive *a)
{
	(void)archive_quiet(a, NULL);
	while (a->layers)
		archive_remove(a, a->layers - 1);
	a->last = NONE;
	a->distance = a->o.distance;
}

/* ---- rules ---- */

static enum track_tier main_tier(const struct archive *a)
{
	switch (a->o.recovery) {
	case RECOVERY_PINNED:
		return TIER_PINNED;
	case RECOVERY_HOST:
		return TIER_PAGEABLE;
	case RECOVERY_PEER:
		return TIER_PEER;
	default:
		return TIER_DEVICE;
	}
}

/* The least recently loaded copy half way; a->layers where there is none. */
static uint32_t oldest_half_way(const struct archive *a)
{
	uint32_t oldest = a->layers;

	for (uint32_t i = 0; i < a->layers; i++)
		if (a->layer[i].half_way &&
		    (oldest == a->layers || a->layer[i].loaded_at < a->layer[oldest].loaded_at))
			oldest = i;
	return oldest;
}

/* Every second checkpoint goes. false: there is none. */
static bool thin(struct archive *a)
{
	bool any = false;

	for (uint32_t i = 0; i < a->layers; i++)
		any = any || (a->layer[i].layer != 0 && !a->layer[i].cached);
	if (!any || a->distance > UINT32_MAX / 2)
		return false;
	a->distance *= 2;
	for (uint32_t i = a->layers; i-- > 1;)
		if (!a->layer[i].cached && a->layer[i].layer % a->distance != 0)
			archive_remove(a, i);
	return true;
}

/* Something of less worth goes. false: there is nothing. */
static bool make_room(struct archive *a, bool half_way)
{
	uint32_t oldest = oldest_half_way(a);

	if (oldest < a->layers) {
		archive_remove(a, oldest);
		return true;
	}
	return !half_way && thin(a);
}

/* Checkpoints, and copies half way. What does not fit is not kept: it can be replayed. */
static int keep_some(struct archive *a, uint32_t layer, bool half_way, const void *states,
		     uint32_t slots, uint32_t count, struct err *e)
{
	struct archive_layer *l;
	struct err why;
	int rc;

	while (half_way || layer % a->distance == 0) {
		rc = archive_keep(a, TIER_DEVICE, layer, states, slots, count, &l, &why);
		if (!rc) {
			l->half_way = half_way;
			l->loaded_at = a->loads;
			return 0;
		}
		if (rc != ERR_MEMORY)
			return err_set(e, rc, "%s", why.text);
		if (!make_room(a, half_way))
			return 0;
	}
	return 0;
}

static int offer_by_rule(struct archive *a, uint32_t layer, bool half_way, const void *states,
			 uint32_t slots, uint32_t count, struct err *e)
{
	switch (a->o.recovery) {
	case RECOVERY_MULTISTAGE:
		return archive_multistage_offer(a, layer, states, slots, count, e);
	case RECOVERY_GPU:
	case RECOVERY_PINNED:
	case RECOVERY_HOST:
	case RECOVERY_PEER:
		return archive_keep(a, main_tier(a), layer, states, slots, count, NULL, e);
	case RECOVERY_CHECKPOINT:
		return half_way ? 0 : keep_some(a, layer, false, states, slots, count, e);
	case RECOVERY_ADAPTIVE:
		return keep_some(a, layer, half_way, states, slots, count, e);
	default:
		return 0;
	}
}

static bool has_cache(const struct archive *a)
{
	return a->o.cache &&
	       (a->o.recovery == RECOVERY_REPLAY || a->o.recovery == RECOVERY_CHECKPOINT ||
		a->o.recovery == RECOVERY_ADAPTIVE);
}

static void drop_cached(struct archive *a)
{
	for (uint32_t i = a->layers; i-- > 0;)
		if (a->layer[i].cached)
			archive_remove(a, i);
}

/* The last layer is worth more than checkpoints; what does not fit without them is not kept. */
static int keep_cached(struct archive *a, uint32_t layer, const void *states, uint32_t slots,
		       uint32_t count, struct err *e)
{
	struct archive_layer *l;
	struct err why;
	int rc;

	do {
		rc = archive_keep(a, TIER_DEVICE, layer, states, slots, count, &l, &why);
	} while (rc == ERR_MEMORY && make_room(a, false));
	if (!rc)
		l->cached = true;
	return rc && rc != ERR_MEMORY ? err_set(e, rc, "%s", why.text) : 0;
}

int archive_offer(struct archive *a, uint32_t layer, const void *states, uint32_t slots,
		  uint32_t count, struct err *e)
{
	bool news = a->last == NONE || layer > a->last;
	int rc;

	if (archive_has(a, layer))
		return 0;
	if (layer == 0 && a->o.recovery != RECOVERY_MULTISTAGE) {
		rc = archive_keep(a, main_tier(a), 0, states, slots, count, NULL, e);
		if (!rc && a->last == NONE)
			a->last = 0;
		return rc;
	}
	if (news && has_cache(a))
		drop_cached(a);
	rc = offer_by_rule(a, layer, !news, states, slots, count, e);
	if (!rc && news && has_cache(a) && !archive_has(a, layer))
		rc = keep_cached(a, layer, states, slots, count, e);
	if (!rc && news)
		a->last = layer;
	return rc;
}

/* ---- loads ---- */

bool archive_wants(const struct archive *a, uint32_t from_layer, uint32_t layer, uint32_t *half_way)
{
	uint32_t rounds = layer > from_layer ? layer - from_layer : 0;

	*half_way = from_layer + rounds / 2;
	if (rounds < 2 || archive_has(a, *half_way))
		return false;
	if (a->o.recovery == RECOVERY_MULTISTAGE)
		return archive_multistage_wants(a, from_layer, *half_way);
	return a->o.recovery == RECOVERY_ADAPTIVE && rounds > a->o.adapt;
}

static int start_timer(struct archive *a, const struct archive_layer *l, uint32_t count,
		       struct err *e)
{
	struct archive_timer *t = &a->timer;
	double seconds;
	int rc;

	if (t->open) {
		t->open = false;
		if ((rc = dev_event_elapsed(t->start, t->stop, &seconds, e)))
			return rc;
		archive_learn_copy(a, t->tier, seconds, t->states);
	}
	t->tier = l->tier;
	t->states = count;
	return dev_event_record(t->start, a->p->stream, e);
}

static int stop_timer(struct archive *a, struct err *e)
{
	a->timer.open = true;
	return dev_event_record(a->timer.stop, a->p->stream, e);
}

static int load(struct archive *a, struct archive_layer *l, const uint32_t *slot, uint32_t count,
		void *to, uint32_t to_slots, const uint32_t *to_slot, struct err *e)
{
	bool timed = a->o.recovery == RECOVERY_MULTISTAGE;
	double start = clock_wall();
	int rc;

	l->loaded_at = ++a->loads;
	if (timed && a->p->device && (rc = start_timer(a, l, count, e)))
		return rc;
	rc = archive_fetch(a, l, slot, count, to, to_slots, to_slot, e);
	if (rc || !timed)
		return rc;
	if (a->p->device)
		return stop_timer(a, e);
	archive_learn_copy(a, l->tier, clock_wall() - start, count);
	return 0;
}

int archive_load(struct archive *a, uint32_t layer, const uint32_t *slot, uint32_t count, void *to,
		 uint32_t to_slots, const uint32_t *to_slot, struct err *e)
{
	struct archive_layer *l = kept(a, layer);
	uint32_t *numbers = NULL;
	int rc;

	if (!l)
		return err_set(e, ERR_FAILED, "layer %" PRIu32 " is not kept", layer);
	if (count == 0)
		return 0;
	if (!slot || !to_slot) {
		numbers = malloc(count * sizeof(*numbers));
		if (!numbers)
			return err_set(e, ERR_MEMORY, "no memory to load %" PRIu32 " states",
				       count);
		for (uint32_t i = 0; i < count; i++)
			numbers[i] = i;
	}
	rc = load(a, l, slot ? slot : numbers, count, to, to_slots, to_slot ? to_slot : numbers, e);
	free(numbers);
	return rc;
}

void archive_used(struct archive *a, uint32_t layer)
{
	struct archive_layer *l = kept(a, layer);

	if (l)
		l->loaded_at = ++a->loads;
}

const void *archive_states(const struct archive *a, uint32_t layer, uint32_t *slots)
{
	const struct archive_layer *l = kept(a, layer);

	if (!l || l->tier != TIER_DEVICE)
		return NULL;
	*slots = l->count;
	return l->block.memory;
}

void archive_figures(const struct archive *a, struct archive_figures *f)
{
	*f = (struct archive_figures){ 0 };
	for (uint32_t i = 0; i < a->layers; i++)
		f->layers[a->layer[i].tier]++;
	for (int t = 0; t < TIERS; t++) {
		f->bytes[t] = a->bytes[t];
		f->peak[t] = a->peak[t];
	}
}
