/* The multistage rule: archive_policy.h decides, this carries it out. */
#include <stdlib.h>

#include "algorithms/koester-recovery/archive_parts.h"

/* Before anything is measured: bytes a second of a load by tier, and of a step, which is taken to
 * go eight times over its state at the speed of the device's memory. */
static const double load_rates[TIERS] = { 1e12, 2e11, 4e10, 1e10 };
static const double step_rate = 1.25e11;
/* Share of a new measurement in the mean. */
static const double freshness = 0.25;

void archive_multistage_open(struct archive *a)
{
	struct archive_policy *p = &a->policy;

	p->step = (double)a->state_bytes / step_rate;
	p->keep_last = a->o.cache;
	for (int t = 0; t < TIERS; t++) {
		p->load[t] = (double)a->state_bytes / load_rates[t];
		p->available[t] = t != TIER_PEER || a->o.peer;
		p->budget[t] = a->budget[t];
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
		rc = archive_move(a, k, (enum track_tier)tier, e);
		if (rc == ERR_MEMORY) {
			a->policy.budget[tier] = a->bytes[tier];
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
	size_t bytes = count * a->state_bytes;
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
	a->policy.budget[l[at].tier] = a->bytes[l[at].tier];
	*full = true;
	return 0;
}

int archive_multistage_offer(struct archive *a, uint32_t layer, const void *states, uint32_t slots,
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

bool archive_multistage_wants(const struct archive *a, uint32_t from_layer, uint32_t half_way)
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
