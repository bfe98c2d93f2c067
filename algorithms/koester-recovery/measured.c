#include "measured.h"

#include <string.h>

#include "../../harness/ceilings.h"

int track_measures(const struct track_figures *f, struct measure out[TRACK_MEASURED])
{
	const struct archive_figures *a = &f->archive;
	const struct measure all[] = {
		{ "children", (double)f->children, false },
		{ "executions", (double)f->executions, false },
		{ "assignments", (double)f->assignments, false },
		{ "breaks", (double)f->breaks, false },
		{ "replayed", (double)f->replayed, false },
		{ "loaded", (double)f->loaded, false },
		{ "state_bytes", (double)f->state_bytes, false },
		{ "history_bytes", (double)f->history_bytes, false },
		{ "device_layers", a->layers[TIER_DEVICE], false },
		{ "peer_layers", a->layers[TIER_PEER], false },
		{ "pinned_layers", a->layers[TIER_PINNED], false },
		{ "pageable_layers", a->layers[TIER_PAGEABLE], false },
		{ "device_bytes", (double)a->peak[TIER_DEVICE], false },
		{ "peer_bytes", (double)a->peak[TIER_PEER], false },
		{ "pinned_bytes", (double)a->peak[TIER_PINNED], false },
		{ "pageable_bytes", (double)a->peak[TIER_PAGEABLE], false },
		{ "evaluate_seconds", f->evaluate_seconds, true },
		{ "prune_seconds", f->prune_seconds, true },
		{ "forward_seconds", f->forward_seconds, true },
		{ "recover_seconds", f->recover_seconds, true },
	};

	_Static_assert(sizeof(all) <= TRACK_MEASURED * sizeof(*out), "room for all measures");
	memcpy(out, all, sizeof(all));
	return sizeof(all) / sizeof(all[0]);
}

void track_counters(struct bench_case *c, const struct track_figures *f)
{
	struct measure all[TRACK_MEASURED];
	int count = track_measures(f, all);

	bench_measures(c, all, count);
}

void track_floor(struct bench_case *c, enum solve_variant v, int gpus, double products,
		 double bytes)
{
	bool device = v >= SOLVE_PUBLISHED, one = v == SOLVE_SERIAL;
	double shares = device && gpus > 1 ? gpus : 1;
	const struct ceilings_demand demand[] = {
		{ device ? CEILING_GPU_FMA : one ? CEILING_CPU_FMA_1 : CEILING_CPU_FMA,
		  products / shares },
		{ device ? CEILING_GPU_COPY : one ? CEILING_CPU_COPY_1 : CEILING_CPU_COPY,
		  bytes / shares },
	};
	enum ceiling limit;
	double floor = ceilings_floor(bench_ceilings(c), demand, 2, &limit);

	if (floor > 0)
		bench_floor(c, floor, ceilings_name(limit));
}
