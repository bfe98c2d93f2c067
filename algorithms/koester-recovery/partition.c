#include "algorithms/koester-recovery/partition.h"
#define TRACK_DOMAIN partition
#include "algorithms/koester-recovery/domain_host.h" /* makes partition_ops_host */

extern const struct track_ops partition_ops_sim, partition_ops_cuda; /* partition.cu */
int partition_search(const struct partition *d, struct track_place *p, uint32_t beam,
		     uint32_t *difference, uint32_t heap[], struct err *e)
{
	struct track_domain domain = { .name = "partition",
				       .layout = { 1, sizeof(struct heaps) },
				       .parameters = d,
				       .parameter_bytes = sizeof(*d),
				       .host = &partition_ops_host,
				       .sim = &partition_ops_sim,
				       .cuda = COPRA_HAVE_CUDA ? &partition_ops_cuda : NULL };
	struct track_options o = track_options_default();
	struct history_node n = { 0, 0 }, best = n;
	struct tracker *t;
	uint32_t rating;
	int rc;

	o.beam = beam;
	o.slots = 2 * beam;
	o.look_ahead = (uint32_t)d->count;
	o.schedule = TRACK_EACH;
	o.expansion = TRACK_IRREGULAR;
	if ((rc = track_create(&t, &domain, &o, &p, 1, e)))
		return rc;
	rc = track_begin(t, &(struct heaps){ 0, 0, 1 }, 1, e);
	while (!rc && track_count(t)) /* some have children */
		rc = track_iterate(t, e);
	*difference = UINT32_MAX;
	n.layer = track_layer(t);
	for (; !rc && n.slot < history_count(track_history(t), n.layer); n.slot++) {
		history_get(track_history(t), n, NULL, NULL, &rating);
		best = rating < *difference ? n : best;
		*difference = rating < *difference ? rating : *difference;
	}
	for (; best.layer; best = history_parent(track_history(t), best))
		history_get(track_history(t), best, NULL, &heap[best.layer - 1], NULL);
	track_destroy(t);
	return rc;
}
