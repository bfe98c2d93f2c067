/* The archive: its list of kept layers and its rules. */
#include "algorithms/koester-recovery/archive/archive.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/koester-recovery/archive/policy.h"
#include "algorithms/koester-recovery/archive/tiers.h"
#include "harness/base/checked.h"
#include "harness/base/clock.h"

#define NONE UINT32_MAX

/* The load that is being timed. */
struct archive_timer {
	struct dev_event *start, *stop;
	bool open;
	enum track_tier tier;
	uint64_t states;
};

struct archive {
	struct archive_options o;
	struct archive_tiers tiers;
	struct archive_layer *layer; /* [layers], ascending */
	uint32_t layers, allocated;
	uint32_t last;     /* highest layer offered; UINT32_MAX before the first */
	uint32_t distance; /* d of checkpoints, as it is now */
	uint64_t loads;
	struct archive_timer timer;
	struct archive_policy policy;
	bool load_known[TIERS], step_known; /* of its costs: measured, not guessed */
};

const char *const track_recovery_words[RECOVERIES + 1] = { "replay",   "gpu",        "pinned",
							   "host",     "peer",       "checkpoint",
							   "adaptive", "multistage", NULL };

const char *track_tier_name(enum track_tier t)
{
	static const char *const names[TIERS] = { "device", "peer", "pinned", "pageable" };

	return (unsigned)t < TIERS ? names[t] : NULL;
}

/* ---- the list ---- */

static uint32_t archive_find(const struct archive *a, uint32_t layer)
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

static void archive_remove(struct archive *a, uint32_t index)
{
	struct archive_layer *l = &a->layer[index];

	archive_give(&a->tiers, l->tier, &l->block);
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

static int archive_keep(struct archive *a, enum track_tier t, uint32_t layer, const void *states,
			uint32_t slots, uint32_t count, struct archive_layer **out, struct err *e)
{
	struct archive_layer l = { .layer = layer, .count = count, .tier = t };
	uint32_t i = archive_find(a, layer);
	size_t bytes;
	int rc;

	if (!checked_mul_size(a->tiers.state_bytes, count, &bytes))
		return err_set(e, ERR_MEMORY, "a layer of %" PRIu32 " states is too large", count);
	if ((rc = grow(a, e)) || (rc = archive_take(&a->tiers, t, &l.block, bytes, e)))
		return rc;
	rc = count ? archive_save(&a->tiers, &l, states, slots, e) : 0;
	if (rc) {
		archive_give(&a->tiers, t, &l.block);
		return rc;
	}
	memmove(&a->layer[i + 1], &a->layer[i], (a->layers - i) * sizeof(l));
	a->layer[i] = l;
	a->layers++;
	if (out)
		*out = &a->layer[i];
	return 0;
}

void archive_clear(struct archive *a)
{
	(void)archive_quiet(&a->tiers, NULL);
	while (a->layers)
		archive_remove(a, a->layers - 1);
	a->last = NONE;
	a->distance = a->o.distance;
}

/* ==== the multistage rule: policy.h decides, this carries it out ==== */

/* Before anything is measured: bytes a second of a load by tier, and of a step, which is taken to
 * go eight times over its state at the speed of the device's memory. */
static const double load_rates[TIERS] = { 1e12, 2e11, 4e10, 1e10 };
static const double step_rate = 1.25e11;
/* Share of a new measurement in the mean. */
static const double freshness = 0.25;

static void open_multistage(struct archive *a)
{
	struct archive_policy *p = &a->policy;

	p->step = (double)a->tiers.state_bytes / step_rate;
	p->keep_last = a->o.cache;
	for (int t = 0; t < TIERS; t++) {
		p->load[t] = (double)a->tiers.state_bytes / load_rates[t];
		p->available[t] = t != TIER_PEER || a->o.peer;
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

void archive_learn_step(struct archive *a, double seconds, uint64_t states)
{
	learn(&a->policy.step, &a->step_known, seconds, states);
}

void archive_learn_copy(struct archive *a, enum track_tier t, double seconds, uint64_t states)
{
	learn(&a->policy.load[t], &a->load_known[t], seconds, states);
}

void archive_learn_demand(struct archive *a, uint32_t layer)
{
	if (a->last != UINT32_MAX && layer <= a->last)
		policy_learn(&a->policy, a->last - layer);
}

/* The kept layers and the new one, whose index is returned. */
static uint32_t list(const struct archive *a, struct policy_layer *l, uint32_t layer, size_t bytes)
{
	uint32_t at = archive_find(a, layer);

	for (uint32_t i = 0; i < a->layers; i++)
		l[i + (i >= at)] = (struct policy_layer){ a->layer[i].layer, a->layer[i].tier,
							  a->layer[i].block.bytes };
	l[at] = (struct policy_layer){ layer, policy_fastest(&a->policy), bytes };
	return at;
}

static void drop(struct archive *a, const struct policy_layer *l, uint32_t layers, uint32_t at)
{
	for (uint32_t i = layers; i-- > 0;)
		if (i != at && l[i].tier == POLICY_DROPPED)
			archive_remove(a, archive_find(a, l[i].layer));
}

/* Moves to one tier. A tier that turns out to have less memory than its budget gets that as its
 * budget: *full is set. */
static int move_to(struct archive *a, const struct policy_layer *l, uint32_t layers, uint32_t at,
		   int tier, bool *full, struct err *e)
{
	for (uint32_t i = 0; i < layers; i++) {
		struct archive_layer *k = &a->layer[archive_find(a, l[i].layer)];
		int rc;

		if (i == at || l[i].tier != tier || k->tier == (enum track_tier)tier)
			continue;
		rc = archive_move(&a->tiers, k, (enum track_tier)tier, e);
		if (rc == ERR_MEMORY) {
			a->policy.budget[tier] = a->tiers.bytes[tier];
			*full = true;
			return 0;
		}
		if (rc)
			return rc;
	}
	return 0;
}

/* Slowest tiers first: what leaves a tier makes room for what comes to it. */
static int move_all(struct archive *a, const struct policy_layer *l, uint32_t layers, uint32_t at,
		    bool *full, struct err *e)
{
	bool done[TIERS] = { false };

	for (int n = 0; n < TIERS; n++) {
		int next = -1, rc;

		for (int t = 0; t < TIERS; t++)
			if (!done[t] && (next < 0 || a->policy.load[t] >= a->policy.load[next]))
				next = t;
		done[next] = true;
		rc = move_to(a, l, layers, at, next, full, e);
		if (rc || *full)
			return rc;
	}
	return 0;
}

/* One placement; *full: it has to be made again, with a smaller budget. */
static int place(struct archive *a, struct policy_layer *l, uint32_t layer, const void *states,
		 uint32_t slots, uint32_t count, bool *full, struct err *e)
{
	size_t bytes = count * a->tiers.state_bytes;
	uint32_t layers = a->layers + 1, at = list(a, l, layer, bytes);
	uint32_t last = a->last != UINT32_MAX && a->last > layer ? a->last : layer;
	int rc;

	policy_settle(&a->policy, l, layers, last);
	drop(a, l, layers, at);
	/* `at` and what follows stay: dropped ones are passed over */
	rc = move_all(a, l, layers, at, full, e);
	if (rc || *full || l[at].tier == POLICY_DROPPED)
		return rc;
	rc = archive_keep(a, (enum track_tier)l[at].tier, layer, states, slots, count, NULL, e);
	if (rc != ERR_MEMORY || (layer == 0 && a->policy.budget[l[at].tier] < l[at].bytes))
		return rc;
	a->policy.budget[l[at].tier] = a->tiers.bytes[l[at].tier];
	*full = true;
	return 0;
}

static int offer_multistage(struct archive *a, uint32_t layer, const void *states, uint32_t slots,
			    uint32_t count, struct err *e)
{
	struct policy_layer *l = malloc((a->layers + 1) * sizeof(*l));
	bool full = true;
	int rc = 0;

	if (!l)
		return err_set(e, ERR_MEMORY, "no memory to place %u layers", a->layers + 1);
	while (!rc && full) {
		full = false;
		rc = place(a, l, layer, states, slots, count, &full, e);
	}
	free(l);
	return rc;
}

static bool wants_multistage(const struct archive *a, uint32_t from_layer, uint32_t half_way)
{
	const struct archive_policy *p = &a->policy;
	uint32_t near = archive_find(a, from_layer), at;
	struct policy_layer *l = malloc((a->layers + 1) * sizeof(*l));
	double recoveries = 1, gain = 0;

	if (l && near < a->layers) {
		for (int c = 0; c < POLICY_CLASSES; c++)
			recoveries += p->demand[c];
		at = list(a, l, half_way, a->layer[near].block.bytes);
		l[at].tier = POLICY_DROPPED;
		gain = policy_cost(p, l, a->layers + 1, a->last);
		l[at].tier = policy_fastest(p);
		policy_settle(p, l, a->layers + 1, a->last);
		gain = l[at].tier == POLICY_DROPPED ?
			       0 :
			       gain - policy_cost(p, l, a->layers + 1, a->last);
	}
	free(l);
	return gain * recoveries > p->step * (double)(half_way - from_layer);
}

/* ==== the other rules ==== */

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
		return offer_multistage(a, layer, states, slots, count, e);
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
		return wants_multistage(a, from_layer, *half_way);
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
	return dev_event_record(t->start, a->tiers.p->stream, e);
}

static int stop_timer(struct archive *a, struct err *e)
{
	a->timer.open = true;
	return dev_event_record(a->timer.stop, a->tiers.p->stream, e);
}

static int load(struct archive *a, struct archive_layer *l, const uint32_t *slot, uint32_t count,
		void *to, uint32_t to_slots, const uint32_t *to_slot, struct err *e)
{
	bool timed = a->o.recovery == RECOVERY_MULTISTAGE;
	double start = clock_wall();
	int rc;

	l->loaded_at = ++a->loads;
	if (timed && a->tiers.p->device && (rc = start_timer(a, l, count, e)))
		return rc;
	rc = archive_fetch(&a->tiers, l, slot, count, to, to_slots, to_slot, e);
	if (rc || !timed)
		return rc;
	if (a->tiers.p->device)
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
	*f = (struct archive_figures){ .loads = a->loads };
	for (uint32_t i = 0; i < a->layers; i++)
		f->layers[a->layer[i].tier]++;
	for (int t = 0; t < TIERS; t++) {
		f->bytes[t] = a->tiers.bytes[t];
		f->peak[t] = a->tiers.peak[t];
	}
}

/* ==== create and destroy ==== */

static int check_options(const struct archive_options *o, const struct track_place *p,
			 struct err *e)
{
	bool steps = o->recovery == RECOVERY_CHECKPOINT || o->recovery == RECOVERY_ADAPTIVE;

	if ((unsigned)o->recovery >= RECOVERIES)
		return err_set(e, ERR_USAGE, "there is no recovery number %d", (int)o->recovery);
	if (steps && o->distance == 0)
		return err_set(e, ERR_USAGE, "recovery %s: the distance of checkpoints is 0",
			       track_recovery_words[o->recovery]);
	if (o->recovery == RECOVERY_ADAPTIVE && o->adapt == 0)
		return err_set(e, ERR_USAGE, "recovery adaptive: the distance of copies is 0");
	if (o->recovery == RECOVERY_PEER && p->device && !o->peer)
		return err_set(e, ERR_USAGE, "recovery peer: there is no other device");
	if (o->peer && !o->peer->device != !p->device)
		return err_set(e, ERR_USAGE, "the peer must be of the same kind as the place");
	return 0;
}

static int open_timer(struct archive *a, struct err *e)
{
	struct dev *d = a->tiers.p->device;
	int status;

	if (!d)
		return 0;
	status = dev_event_create(d, &a->timer.start, e);
	return status ? status : dev_event_create(d, &a->timer.stop, e);
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
	a->last = NONE;
	a->distance = o->distance;
	if ((rc = archive_tiers_open(&a->tiers, p, layout, o, e)) || (rc = open_timer(a, e))) {
		archive_destroy(a);
		return rc;
	}
	open_multistage(a);
	*out = a;
	return 0;
}

void archive_destroy(struct archive *a)
{
	if (!a)
		return;
	archive_clear(a);
	archive_tiers_close(&a->tiers);
	if (a->timer.start)
		dev_event_destroy(a->timer.start);
	if (a->timer.stop)
		dev_event_destroy(a->timer.stop);
	free(a->layer);
	free(a);
}

int archive_settle(struct archive *a, struct err *e)
{
	return archive_tiers_settle(&a->tiers, e);
}
