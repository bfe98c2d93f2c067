/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The archive: the list of kept layers, and the rules that decide what is kept. */
#include "algorithms/koester-recovery/archive/archive.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/koester-recovery/archive/policy.h"
#include "algorithms/koester-recovery/archive/tiers.h"
#include "harness/base/checked.h"
#include "harness/base/clock.h"

#define NONE UINT32_MAX

/* The load being timed. */
struct track_archive_timer {
	struct dev_event *start, *stop;
	bool open;
	enum track_tier tier;
	uint64_t states;
};

struct track_archive {
	struct track_archive_options o;
	struct track_tiers tiers;
	struct track_kept_layer *layer; /* [layers], ascending */
	uint32_t layers, allocated;
	uint32_t last;     /* highest layer offered; UINT32_MAX before the first */
	uint32_t distance; /* current d of checkpoints */
	uint64_t loads;
	uint32_t last_loaded; /* layer of the last load */
	struct track_archive_timer timer;
	struct track_policy policy;
	bool load_known[TRACK_TIERS], step_known; /* costs were measured, not estimated */
};

const char *const track_recovery_words[TRACK_RECOVERIES + 1] = {
	"replay", "gpu", "pinned", "host", "peer", "checkpoint", "adaptive", "multistage", NULL
};

/* ---- the list ---- */

static uint32_t find_layer(const struct track_archive *a, uint32_t layer)
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

static struct track_kept_layer *kept(const struct track_archive *a, uint32_t layer)
{
	uint32_t i = find_layer(a, layer);

	return i < a->layers && a->layer[i].layer == layer ? &a->layer[i] : NULL;
}

bool track_archive_has(const struct track_archive *a, uint32_t layer)
{
	return kept(a, layer);
}

static void remove_layer(struct track_archive *a, uint32_t index)
{
	struct track_kept_layer *l = &a->layer[index];

	track_tiers_give(&a->tiers, l->tier, &l->block);
	a->layers--;
	memmove(l, l + 1, (a->layers - index) * sizeof(*l));
}

static int grow(struct track_archive *a, struct err *e)
{
	uint32_t more = a->allocated ? 2 * a->allocated : 32;
	struct track_kept_layer *layer;

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

static int keep_layer(struct track_archive *a, enum track_tier t, uint32_t layer,
		      const void *states, uint32_t slots, uint32_t count,
		      struct track_kept_layer **out, struct err *e)
{
	struct track_kept_layer l = { .layer = layer, .count = count, .tier = t };
	uint32_t i = find_layer(a, layer);
	size_t bytes;
	int status;

	if (!checked_mul_size(a->tiers.state_bytes, count, &bytes))
		return err_set(e, ERR_MEMORY, "a layer of %" PRIu32 " states is too large", count);
	if ((status = grow(a, e)) || (status = track_tiers_take(&a->tiers, t, &l.block, bytes, e)))
		return status;
	status = count ? track_tiers_save(&a->tiers, &l, states, slots, e) : 0;
	if (status) {
		track_tiers_give(&a->tiers, t, &l.block);
		return status;
	}
	memmove(&a->layer[i + 1], &a->layer[i], (a->layers - i) * sizeof(l));
	a->layer[i] = l;
	a->layers++;
	if (out)
		*out = &a->layer[i];
	return 0;
}

void track_archive_clear(struct track_archive *a)
{
	(void)track_tiers_quiet(&a->tiers, NULL);
	while (a->layers)
		remove_layer(a, a->layers - 1);
	a->last = NONE;
	a->distance = a->o.distance;
}

/* ==== the multistage rule: policy.h chooses the moves, this section makes them ==== */

/* Rates in bytes/s that are assumed until there are measurements: of a load from each tier, and of
 * a step, which is assumed to read its state eight times from device memory. */
static const double load_rates[TRACK_TIERS] = { 1e12, 2e11, 4e10, 1e10 };
static const double step_rate = 1.25e11;
/* Weight of a new measurement in the moving average. */
static const double freshness = 0.25;

static void open_multistage(struct track_archive *a)
{
	struct track_policy *p = &a->policy;

	p->step = (double)a->tiers.state_bytes / step_rate;
	p->keep_last = a->o.cache;
	for (int t = 0; t < TRACK_TIERS; t++) {
		p->load[t] = (double)a->tiers.state_bytes / load_rates[t];
		p->available[t] = t != TRACK_TIER_PEER || a->o.peer;
		p->budget[t] = a->tiers.budget[t];
	}
}

static void learn(double *mean, bool *known, double seconds, uint64_t states)
{
	if (states == 0 || !(seconds > 0))
		return;
	seconds /= (double)states;
	*mean = *known ? *mean + freshness * (seconds - *mean) : seconds;
	*known = true;
}

static void learn_copy(struct track_archive *a, enum track_tier t, double seconds, uint64_t states)
{
	learn(&a->policy.load[t], &a->load_known[t], seconds, states);
}

void track_archive_learn_step(struct track_archive *a, double seconds, uint64_t states)
{
	learn(&a->policy.step, &a->step_known, seconds, states);
}

void track_archive_learn_demand(struct track_archive *a, uint32_t layer)
{
	if (a->last != UINT32_MAX && layer <= a->last)
		track_policy_learn(&a->policy, a->last - layer);
}

/* Lists the kept layers and the new layer. Returns the index of the new layer. */
static uint32_t list(const struct track_archive *a, struct track_policy_layer *l, uint32_t layer,
		     size_t bytes)
{
	uint32_t at = find_layer(a, layer);

	for (uint32_t i = 0; i < a->layers; i++)
		l[i + (i >= at)] = (struct track_policy_layer){ a->layer[i].layer, a->layer[i].tier,
								a->layer[i].block.bytes };
	l[at] = (struct track_policy_layer){ layer, track_policy_fastest(&a->policy), bytes };
	return at;
}

static void drop(struct track_archive *a, const struct track_policy_layer *l, uint32_t layers,
		 uint32_t at)
{
	for (uint32_t i = layers; i-- > 0;)
		if (i != at && l[i].tier == TRACK_POLICY_DROPPED)
			remove_layer(a, find_layer(a, l[i].layer));
}

/* Makes all moves to one tier. If the tier has less memory than its budget, the budget is reduced
 * to the memory that it has, and *full is set. */
static int move_to(struct track_archive *a, const struct track_policy_layer *l, uint32_t layers,
		   uint32_t at, int tier, bool *full, struct err *e)
{
	for (uint32_t i = 0; i < layers; i++) {
		struct track_kept_layer *k = &a->layer[find_layer(a, l[i].layer)];
		int status;

		if (i == at || l[i].tier != tier || k->tier == (enum track_tier)tier)
			continue;
		status = track_tiers_move(&a->tiers, k, (enum track_tier)tier, e);
		if (status == ERR_MEMORY) {
			a->policy.budget[tier] = a->tiers.bytes[tier];
			*full = true;
			return 0;
		}
		if (status)
			return status;
	}
	return 0;
}

/* Makes all moves, to the slowest tiers first, since a layer that leaves a tier makes room for
 * others. */
static int move_all(struct track_archive *a, const struct track_policy_layer *l, uint32_t layers,
		    uint32_t at, bool *full, struct err *e)
{
	bool done[TRACK_TIERS] = { false };

	for (int n = 0; n < TRACK_TIERS; n++) {
		int next = -1, status;

		for (int t = 0; t < TRACK_TIERS; t++)
			if (!done[t] && (next < 0 || a->policy.load[t] >= a->policy.load[next]))
				next = t;
		done[next] = true;
		status = move_to(a, l, layers, at, next, full, e);
		if (status || *full)
			return status;
	}
	return 0;
}

/* Tries one placement. If a tier was full, *full is set and the caller must repeat it with the
 * reduced budget. */
static int place(struct track_archive *a, struct track_policy_layer *l, uint32_t layer,
		 const void *states, uint32_t slots, uint32_t count, bool *full, struct err *e)
{
	size_t bytes = count * a->tiers.state_bytes;
	uint32_t layers = a->layers + 1, at = list(a, l, layer, bytes);
	uint32_t last = a->last != UINT32_MAX && a->last > layer ? a->last : layer;
	int status;

	track_policy_settle(&a->policy, l, layers, last);
	drop(a, l, layers, at);
	/* indices stay valid: dropped layers are skipped */
	status = move_all(a, l, layers, at, full, e);
	if (status || *full || l[at].tier == TRACK_POLICY_DROPPED)
		return status;
	status = keep_layer(a, (enum track_tier)l[at].tier, layer, states, slots, count, NULL, e);
	if (status != ERR_MEMORY || (layer == 0 && a->policy.budget[l[at].tier] < l[at].bytes))
		return status;
	a->policy.budget[l[at].tier] = a->tiers.bytes[l[at].tier];
	*full = true;
	return 0;
}

static int offer_multistage(struct track_archive *a, uint32_t layer, const void *states,
			    uint32_t slots, uint32_t count, struct err *e)
{
	struct track_policy_layer *l = malloc((a->layers + 1) * sizeof(*l));
	bool full = true;
	int status = 0;

	if (!l)
		return err_set(e, ERR_MEMORY, "no memory to place %u layers", a->layers + 1);
	while (!status && full) {
		full = false;
		status = place(a, l, layer, states, slots, count, &full, e);
	}
	free(l);
	return status;
}

static bool wants_multistage(const struct track_archive *a, uint32_t from_layer, uint32_t half_way)
{
	const struct track_policy *p = &a->policy;
	uint32_t near = find_layer(a, from_layer), at;
	struct track_policy_layer *l = malloc((a->layers + 1) * sizeof(*l));
	double recoveries = 1, gain = 0;

	if (l && near < a->layers) {
		for (int c = 0; c < TRACK_POLICY_CLASSES; c++)
			recoveries += p->demand[c];
		at = list(a, l, half_way, a->layer[near].block.bytes);
		l[at].tier = TRACK_POLICY_DROPPED;
		gain = track_policy_cost(p, l, a->layers + 1, a->last);
		l[at].tier = track_policy_fastest(p);
		track_policy_settle(p, l, a->layers + 1, a->last);
		gain = l[at].tier == TRACK_POLICY_DROPPED ?
			       0 :
			       gain - track_policy_cost(p, l, a->layers + 1, a->last);
	}
	free(l);
	return gain * recoveries > p->step * (double)(half_way - from_layer);
}

/* ==== the other rules ==== */

static enum track_tier main_tier(const struct track_archive *a)
{
	switch (a->o.recovery) {
	case TRACK_RECOVERY_PINNED:
		return TRACK_TIER_PINNED;
	case TRACK_RECOVERY_HOST:
		return TRACK_TIER_PAGEABLE;
	case TRACK_RECOVERY_PEER:
		return TRACK_TIER_PEER;
	default:
		return TRACK_TIER_DEVICE;
	}
}

/* The least recently loaded copy halfway; a->layers if there is none. */
static uint32_t oldest_half_way(const struct track_archive *a)
{
	uint32_t oldest = a->layers;

	for (uint32_t i = 0; i < a->layers; i++)
		if (a->layer[i].half_way &&
		    (oldest == a->layers || a->layer[i].loaded_at < a->layer[oldest].loaded_at))
			oldest = i;
	return oldest;
}

/* Drops every second checkpoint. Returns false if there was none to drop. */
static bool thin(struct track_archive *a)
{
	bool any = false;

	for (uint32_t i = 0; i < a->layers; i++)
		any = any || (a->layer[i].layer != 0 && !a->layer[i].cached);
	if (!any || a->distance > UINT32_MAX / 2)
		return false;
	a->distance *= 2;
	for (uint32_t i = a->layers; i-- > 1;)
		if (!a->layer[i].cached && a->layer[i].layer % a->distance != 0)
			remove_layer(a, i);
	return true;
}

/* Drops a layer that is worth less than the new one. Returns false if there is none. */
static bool make_room(struct track_archive *a, bool half_way)
{
	uint32_t oldest = oldest_half_way(a);

	if (oldest < a->layers) {
		remove_layer(a, oldest);
		return true;
	}
	return !half_way && thin(a);
}

/* Keeps checkpoints and copies halfway. A layer that does not fit is not kept, since it can be
 * replayed. */
static int keep_some(struct track_archive *a, uint32_t layer, bool half_way, const void *states,
		     uint32_t slots, uint32_t count, struct err *e)
{
	struct track_kept_layer *l;
	struct err why;
	int status;

	while (half_way || layer % a->distance == 0) {
		status = keep_layer(a, TRACK_TIER_DEVICE, layer, states, slots, count, &l, &why);
		if (!status) {
			l->half_way = half_way;
			l->loaded_at = a->loads;
			return 0;
		}
		if (status != ERR_MEMORY)
			return err_set(e, status, "%s", why.text);
		if (!make_room(a, half_way))
			return 0;
	}
	return 0;
}

static int offer_by_rule(struct track_archive *a, uint32_t layer, bool half_way, const void *states,
			 uint32_t slots, uint32_t count, struct err *e)
{
	switch (a->o.recovery) {
	case TRACK_RECOVERY_MULTISTAGE:
		return offer_multistage(a, layer, states, slots, count, e);
	case TRACK_RECOVERY_GPU:
	case TRACK_RECOVERY_PINNED:
	case TRACK_RECOVERY_HOST:
	case TRACK_RECOVERY_PEER:
		return keep_layer(a, main_tier(a), layer, states, slots, count, NULL, e);
	case TRACK_RECOVERY_CHECKPOINT:
		return half_way ? 0 : keep_some(a, layer, false, states, slots, count, e);
	case TRACK_RECOVERY_ADAPTIVE:
		return keep_some(a, layer, half_way, states, slots, count, e);
	default:
		return 0;
	}
}

static bool has_cache(const struct track_archive *a)
{
	return a->o.cache && (a->o.recovery == TRACK_RECOVERY_REPLAY ||
			      a->o.recovery == TRACK_RECOVERY_CHECKPOINT ||
			      a->o.recovery == TRACK_RECOVERY_ADAPTIVE);
}

static void drop_cached(struct track_archive *a)
{
	for (uint32_t i = a->layers; i-- > 0;)
		if (a->layer[i].cached)
			remove_layer(a, i);
}

/* Drops checkpoints until the last layer fits. If it still does not fit, it is not kept. */
static int keep_cached(struct track_archive *a, uint32_t layer, const void *states, uint32_t slots,
		       uint32_t count, struct err *e)
{
	struct track_kept_layer *l;
	struct err why;
	int status;

	do {
		status = keep_layer(a, TRACK_TIER_DEVICE, layer, states, slots, count, &l, &why);
	} while (status == ERR_MEMORY && make_room(a, false));
	if (!status)
		l->cached = true;
	return status && status != ERR_MEMORY ? err_set(e, status, "%s", why.text) : 0;
}

int track_archive_offer(struct track_archive *a, uint32_t layer, const void *states, uint32_t slots,
			uint32_t count, struct err *e)
{
	bool news = a->last == NONE || layer > a->last;
	int status;

	if (track_archive_has(a, layer))
		return 0;
	if (layer == 0 && a->o.recovery != TRACK_RECOVERY_MULTISTAGE) {
		status = keep_layer(a, main_tier(a), 0, states, slots, count, NULL, e);
		if (!status && a->last == NONE)
			a->last = 0;
		return status;
	}
	if (news && has_cache(a))
		drop_cached(a);
	status = offer_by_rule(a, layer, !news, states, slots, count, e);
	if (!status && news && has_cache(a) && !track_archive_has(a, layer))
		status = keep_cached(a, layer, states, slots, count, e);
	if (!status && news)
		a->last = layer;
	return status;
}

/* ---- loads ---- */

bool track_archive_wants(const struct track_archive *a, uint32_t from_layer, uint32_t layer,
			 uint32_t *half_way)
{
	uint32_t rounds = layer > from_layer ? layer - from_layer : 0;

	*half_way = from_layer + rounds / 2;
	if (rounds < 2 || track_archive_has(a, *half_way))
		return false;
	if (a->o.recovery == TRACK_RECOVERY_MULTISTAGE)
		return wants_multistage(a, from_layer, *half_way);
	return a->o.recovery == TRACK_RECOVERY_ADAPTIVE && rounds > a->o.adapt;
}

static int start_timer(struct track_archive *a, const struct track_kept_layer *l, uint32_t count,
		       struct err *e)
{
	struct track_archive_timer *t = &a->timer;
	double seconds;
	int status;

	if (t->open) {
		t->open = false;
		if ((status = dev_event_elapsed(t->start, t->stop, &seconds, e)))
			return status;
		learn_copy(a, t->tier, seconds, t->states);
	}
	t->tier = l->tier;
	t->states = count;
	return dev_event_record(t->start, a->tiers.p->stream, e);
}

static int stop_timer(struct track_archive *a, struct err *e)
{
	a->timer.open = true;
	return dev_event_record(a->timer.stop, a->tiers.p->stream, e);
}

static void count_load(struct track_archive *a, struct track_kept_layer *l)
{
	l->loaded_at = ++a->loads;
	a->last_loaded = l->layer;
}

static int load(struct track_archive *a, struct track_kept_layer *l, const uint32_t *slot,
		uint32_t count, void *to, uint32_t to_slots, const uint32_t *to_slot, struct err *e)
{
	bool timed = a->o.recovery == TRACK_RECOVERY_MULTISTAGE;
	double start = clock_wall();
	int status;

	count_load(a, l);
	if (timed && a->tiers.p->device && (status = start_timer(a, l, count, e)))
		return status;
	status = track_tiers_fetch(&a->tiers, l, slot, count, to, to_slots, to_slot, e);
	if (status || !timed)
		return status;
	if (a->tiers.p->device)
		return stop_timer(a, e);
	learn_copy(a, l->tier, clock_wall() - start, count);
	return 0;
}

int track_archive_load(struct track_archive *a, uint32_t layer, const uint32_t *slot,
		       uint32_t count, void *to, uint32_t to_slots, const uint32_t *to_slot,
		       struct err *e)
{
	struct track_kept_layer *l = kept(a, layer);
	uint32_t *numbers = NULL;
	int status;

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
	status = load(a, l, slot ? slot : numbers, count, to, to_slots, to_slot ? to_slot : numbers,
		      e);
	free(numbers);
	return status;
}

void track_archive_used(struct track_archive *a, uint32_t layer)
{
	struct track_kept_layer *l = kept(a, layer);

	if (l)
		count_load(a, l);
}

const void *track_archive_states(const struct track_archive *a, uint32_t layer, uint32_t *slots)
{
	const struct track_kept_layer *l = kept(a, layer);

	if (!l || l->tier != TRACK_TIER_DEVICE)
		return NULL;
	*slots = l->count;
	return l->block.memory;
}

void track_archive_figures(const struct track_archive *a, struct track_archive_figures *f)
{
	*f = (struct track_archive_figures){ .loads = a->loads, .last_loaded = a->last_loaded };
	for (uint32_t i = 0; i < a->layers; i++)
		f->layers[a->layer[i].tier]++;
	for (int t = 0; t < TRACK_TIERS; t++) {
		f->bytes[t] = a->tiers.bytes[t];
		f->peak[t] = a->tiers.peak[t];
	}
}

/* ==== create and destroy ==== */

static int check_options(const struct track_archive_options *o, const struct track_place *p,
			 struct err *e)
{
	bool steps =
		o->recovery == TRACK_RECOVERY_CHECKPOINT || o->recovery == TRACK_RECOVERY_ADAPTIVE;

	if ((unsigned)o->recovery >= TRACK_RECOVERIES)
		return err_set(e, ERR_USAGE, "%d is not a way of recovery", (int)o->recovery);
	if (steps && o->distance == 0)
		return err_set(e, ERR_USAGE,
			       "recovery %s: the distance of checkpoints must be at least 1",
			       track_recovery_words[o->recovery]);
	if (o->recovery == TRACK_RECOVERY_ADAPTIVE && o->adapt == 0)
		return err_set(e, ERR_USAGE,
			       "recovery adaptive: the distance of copies must be at least 1");
	if (o->recovery == TRACK_RECOVERY_PEER && p->device && !o->peer)
		return err_set(e, ERR_USAGE, "recovery peer needs another device");
	if (o->peer && !o->peer->device != !p->device)
		return err_set(e, ERR_USAGE, "the peer must be of the same kind as the place");
	return 0;
}

static int open_timer(struct track_archive *a, struct err *e)
{
	struct dev *d = a->tiers.p->device;
	int status;

	if (!d)
		return 0;
	status = dev_event_create(d, &a->timer.start, e);
	return status ? status : dev_event_create(d, &a->timer.stop, e);
}

int track_archive_create(struct track_archive **out, const struct track_archive_options *o,
			 struct track_place *p, struct track_layout layout, struct err *e)
{
	struct track_archive *a;
	int status = check_options(o, p, e);

	*out = NULL;
	if (status)
		return status;
	a = calloc(1, sizeof(*a));
	if (!a)
		return err_set(e, ERR_MEMORY, "no memory for an archive");
	a->o = *o;
	a->last = NONE;
	a->distance = o->distance;
	if ((status = track_tiers_open(&a->tiers, p, o->peer, layout, o->budget, o->staging, e)) ||
	    (status = open_timer(a, e))) {
		track_archive_destroy(a);
		return status;
	}
	open_multistage(a);
	*out = a;
	return 0;
}

void track_archive_destroy(struct track_archive *a)
{
	if (!a)
		return;
	track_archive_clear(a);
	track_tiers_close(&a->tiers);
	if (a->timer.start)
		dev_event_destroy(a->timer.start);
	if (a->timer.stop)
		dev_event_destroy(a->timer.stop);
	free(a->layer);
	free(a);
}

int track_archive_settle(struct track_archive *a, struct err *e)
{
	return track_tiers_settle(&a->tiers, e);
}
