#include "algorithms/koester-recovery/measures.h"

#include <math.h>
#include <string.h>

#include "harness/base/host.h"

int track_measures(const struct track_figures *f, struct measure out[TRACK_MEASURED])
{
	const struct track_archive_figures *a = &f->archive;
	const struct measure all[] = {
		{ "children", (double)f->children, false },
		{ "executions", (double)f->executions, false },
		{ "assignments", (double)f->assignments, false },
		{ "breaks", (double)f->breaks, false },
		{ "replayed", (double)f->replayed, false },
		{ "loaded", (double)f->loaded, false },
		{ "state_bytes", (double)f->state_bytes, false },
		{ "history_bytes", (double)f->history_bytes, false },
		{ "device_layers", a->layers[TRACK_TIER_DEVICE], false },
		{ "peer_layers", a->layers[TRACK_TIER_PEER], false },
		{ "pinned_layers", a->layers[TRACK_TIER_PINNED], false },
		{ "pageable_layers", a->layers[TRACK_TIER_PAGEABLE], false },
		{ "device_bytes", (double)a->peak[TRACK_TIER_DEVICE], false },
		{ "peer_bytes", (double)a->peak[TRACK_TIER_PEER], false },
		{ "pinned_bytes", (double)a->peak[TRACK_TIER_PINNED], false },
		{ "pageable_bytes", (double)a->peak[TRACK_TIER_PAGEABLE], false },
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

double track_through_memory(double bytes, double cache)
{
	return bytes > 2 * cache ? bytes - 2 * cache : 0;
}

/* Bytes of the device's cache, or of the host's last-level cache. A cache of unknown size is
 * assumed to hold everything. */
static double cache_of(struct dev *device)
{
	struct dev_info info;
	int64_t bytes = host_cache_bytes(3, 0);

	if (device)
		return dev_get_info(device, &info, NULL) == 0 ? (double)info.l2_bytes : INFINITY;
	return bytes > 0 ? (double)bytes : INFINITY;
}

double track_lower_bound(const struct peaks *c, struct dev *device, bool one_core, double products,
			 double bytes, enum peak *limit)
{
	double memory = track_through_memory(bytes, cache_of(device));
	const struct peak_demand demand[] = {
		{ device   ? PEAK_GPU_FMA :
		  one_core ? PEAK_CPU_FMA_1 :
			     PEAK_CPU_FMA,
		  products },
		{ device   ? PEAK_GPU_L2_COPY :
		  one_core ? PEAK_CPU_L2_COPY_1 :
			     PEAK_CPU_L2_COPY,
		  bytes },
		{ device   ? PEAK_GPU_COPY :
		  one_core ? PEAK_CPU_COPY_1 :
			     PEAK_CPU_COPY,
		  memory },
	};

	return peaks_lower_bound(c, demand, sizeof(demand) / sizeof(demand[0]), limit);
}

void track_report_lower_bound(struct bench_case *c, enum solve_variant v,
			      const struct track_places *p, double products, double bytes)
{
	struct dev *device = p->place[0].device;
	double shares = device && p->count > 1 ? p->count : 1;
	enum peak limit;
	double floor = track_lower_bound(bench_setting(c)->peaks, device, v == SOLVE_SERIAL,
					 products / shares, bytes / shares, &limit);

	if (floor > 0)
		bench_lower_bound(c, floor, peaks_name(limit));
}
