/* Which layers the multistage rule keeps, and where.
 *
 * Expected cost of a recovery. States of layer t are asked for with probability w(t). They are
 * loaded from the nearest kept layer k <= t, in tier j, and replayed:
 *
 *     C = sum over t of w(t) * (load[j(k(t))] + (t - k(t)) * step)
 *
 * load and step are seconds a state, measured; saving and moving are left out, since they run
 * beside the work. w is the share of past recoveries by distance from the last layer, in classes
 * that double (0, 1-2, 3-6, 7-14, ...), smoothed by a few that are spread evenly over all layers;
 * without past recoveries all layers are equally likely.
 *
 * Rule. A new layer enters the fastest tier. While a tier is above its budget, one of its layers
 * moves to a slower tier (which may push out another) or goes: the one that adds least to C. A
 * layer whose absence makes C smaller goes. Where a faster tier has room, the layer gains it that
 * lowers C most. track_archive_wants asks for a copy half way of a replay where it would be kept,
 * and what it takes from C in as many recoveries as there were so far is more than the replay that
 * makes it.
 *
 * What is dropped cannot come back, so the rule is greedy. It compares in the mean of C now and C
 * when as many layers more have come as lie between two kept ones; by C now alone, every new layer
 * would seem to serve only itself and go at once. Of equal layers, equally likely, kept ones lie at
 * most one and a half times as far apart as at even spacing. Over searches of up to 6 layers C sums
 * to 1.1 times the best placements in the mean, to twice at worst (test_track_archive.c).
 *
 * Each place of several decides by its own measurements. */
#ifndef COPRA_KOESTER_RECOVERY_ARCHIVE_POLICY_H
#define COPRA_KOESTER_RECOVERY_ARCHIVE_POLICY_H

#include "algorithms/koester-recovery/archive/archive.h"

enum { TRACK_POLICY_CLASSES = 32, TRACK_POLICY_DROPPED = TRACK_TIERS };

struct track_policy {
	double step, load[TRACK_TIERS]; /* seconds a state */
	uint64_t budget[TRACK_TIERS];   /* bytes */
	bool available[TRACK_TIERS];
	bool keep_last;                      /* the last layer goes only when nothing else can */
	double demand[TRACK_POLICY_CLASSES]; /* recoveries by class of distance */
};

struct track_policy_layer {
	uint32_t layer;
	int tier; /* a track_tier, or TRACK_POLICY_DROPPED */
	uint64_t bytes;
};

void track_policy_learn(struct track_policy *p, uint32_t distance);

/* C for `count` kept layers in ascending order, the first of them layer 0. */
double track_policy_cost(const struct track_policy *p, const struct track_policy_layer *kept,
			 uint32_t count, uint32_t last);
int track_policy_fastest(const struct track_policy *p);

/* Moves and drops layers until every tier is within its budget, as above. Layer 0 is never dropped:
 * where it fits nowhere, it stays in a tier above its budget. */
void track_policy_settle(const struct track_policy *p, struct track_policy_layer *kept,
			 uint32_t count, uint32_t last);

#endif
