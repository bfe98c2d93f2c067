/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Beam search over the domain of partition.h, on the host or on a device. */
#include "docs/examples/recovery-domain/partition.h"
#define TRACK_DOMAIN partition
#include "algorithms/koester-recovery/states/domain_host.h" /* defines partition_ops_host */
#include "algorithms/koester-recovery/tracking/track.h"
extern const struct track_ops partition_ops_sim, partition_ops_cuda,
	partition_ops_hip; /* partition.cu */

int partition_search(const struct partition *d, struct track_place *p, uint32_t beam,
		     uint32_t *difference, uint32_t heap[], struct err *e)
{
	struct track_domain domain = { .name = "partition",
				       .layout = { 1, sizeof(struct heaps) },
				       .parameters = d,
				       .parameter_bytes = sizeof(*d),
				       .host = &partition_ops_host,
				       .sim = &partition_ops_sim,
				       .cuda = COPRA_HAVE_CUDA ? &partition_ops_cuda : NULL,
				       .hip = COPRA_HAVE_HIP ? &partition_ops_hip : NULL };
	struct track_options o = track_options_default();
	struct track_node n = { 0, 0 }, best = n;
	const struct track_history *h;
	struct tracker *t;
	uint32_t rating;
	int status;

	o.beam = beam;
	o.slots = 2 * beam;                /* the children of a layer */
	o.look_ahead = (uint32_t)d->count; /* rates a state when all numbers are placed */
	o.schedule = TRACK_EACH;
	o.expansion = TRACK_IRREGULAR;
	if ((status = track_create(&t, &domain, &o, &p, 1, e)))
		return status;
	status = track_begin(t, &(struct heaps){ 0, 0, 1 }, 1, e);
	while (!status && track_count(t)) /* until no state has successors */
		status = track_iterate(t, e);
	h = track_history(t);
	/* find the best state of the last layer, then list its choices, the last one first */
	*difference = UINT32_MAX;
	for (n.layer = track_layer(t); !status && n.slot < track_history_count(h, n.layer);
	     n.slot++) {
		track_history_get(h, n, NULL, NULL, &rating);
		if (rating < *difference) {
			*difference = rating;
			best = n;
		}
	}
	for (; best.layer; best = track_history_parent(h, best))
		track_history_get(h, best, NULL, &heap[best.layer - 1], NULL);
	track_destroy(t);
	return status;
}
