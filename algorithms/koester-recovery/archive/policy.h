/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The multistage rule: which layers are kept, and in which tier.
 *
 * Expected cost of a recovery. With probability w(t), states of layer t are requested. They are
 * loaded from the nearest kept layer k <= t, in tier j, and replayed:
 *
 *     C = sum over t of w(t) * (load[j(k(t))] + (t - k(t)) * step)
 *
 * load and step are measured seconds per state. Saving and moving are ignored, since they overlap
 * with other work. w is the share of past recoveries by distance from the last layer, in classes of
 * doubling size (0, 1-2, 3-6, 7-14, ...), smoothed by a few recoveries spread evenly over all
 * layers. Without past recoveries, all layers are equally likely.
 *
 * Rule. A new layer enters the fastest tier. While a tier is above its budget, the rule moves one
 * of its layers to a slower tier (where it may push out another) or drops one: it chooses what
 * increases C least. A layer whose removal reduces C is dropped. If a faster tier has room, the
 * layer that reduces C most moves there. track_archive_wants asks for a copy halfway of a replay if
 * two conditions hold: the copy would be kept, and over as many recoveries as there were so far it
 * would save more than the replay that makes it costs.
 *
 * The rule is greedy, because dropped layers cannot come back. It compares the mean of two values
 * of C: now, and after as many more layers as lie between two kept layers. With only the present C,
 * every new layer would serve only recoveries of itself, and would be dropped immediately. With
 * equally large and equally likely layers, kept layers are at most 1.5 times as far apart as with
 * even spacing. Over searches of up to 6 layers, C sums to 1.1 times that of the best placements on
 * average, and to twice at worst (test_track_archive.c).
 *
 * With several places, each decides by its own measurements. */
#ifndef COPRA_KOESTER_RECOVERY_ARCHIVE_POLICY_H
#define COPRA_KOESTER_RECOVERY_ARCHIVE_POLICY_H

#include "algorithms/koester-recovery/archive/tiers.h"

enum { TRACK_POLICY_CLASSES = 32, TRACK_POLICY_DROPPED = TRACK_TIERS };

struct track_policy {
	double step, load[TRACK_TIERS]; /* seconds per state */
	uint64_t budget[TRACK_TIERS];   /* bytes */
	bool available[TRACK_TIERS];
	bool keep_last;                      /* drop the last layer only if nothing else can be */
	double demand[TRACK_POLICY_CLASSES]; /* number of past recoveries by class of distance */
};

struct track_policy_layer {
	uint32_t layer;
	int tier; /* a track_tier, or TRACK_POLICY_DROPPED */
	uint64_t bytes;
};

void track_policy_learn(struct track_policy *p, uint32_t distance);

/* C for `count` kept layers in ascending order, of which the first is layer 0, in a search whose
 * last layer is `last`. */
double track_policy_cost(const struct track_policy *p, const struct track_policy_layer *kept,
			 uint32_t count, uint32_t last);
int track_policy_fastest(const struct track_policy *p);

/* Applies the rule until every tier is within its budget. Layer 0 is never dropped: if it fits
 * nowhere, it stays in a tier above its budget. */
void track_policy_settle(const struct track_policy *p, struct track_policy_layer *kept,
			 uint32_t count, uint32_t last);

#endif
