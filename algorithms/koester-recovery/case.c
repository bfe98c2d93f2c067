/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Variants, machine checks, places, time estimates, metrics and demands. */
#include "algorithms/koester-recovery/case.h"

#include <math.h>
#include <string.h>

#include "harness/base/host.h"

enum track_engine track_case_engine(const struct bench_case *c)
{
	enum solve_variant v = bench_variant(c);

	return v == SOLVE_SERIAL || v == SOLVE_PUBLISHED ? TRACK_PUBLISHED : TRACK_TUNED;
}

enum track_recovery track_case_recovery(const struct bench_case *c)
{
	int rule = TRACK_RECOVERY_REPLAY;

	flag_choose(&rule, "recovery", bench_text(c, "recovery"), track_recovery_words, NULL);
	return (enum track_recovery)rule;
}

/* Skips the case if `bytes` exceed the free memory of the devices, each holding an equal share, or
 * of the host. */
static int check_memory(struct bench_case *c, double bytes, struct err *e)
{
	int gpus = (int)bench_int(c, "gpus");
	struct dev_info info;

	for (int i = 0; i < gpus; i++) {
		int status = dev_get_info(bench_setting(c)->devices.dev[i], &info, e);

		if (status)
			return status;
		if (bytes / gpus > (double)info.memory_free)
			return bench_skip(c,
					  (struct skip){ SKIP_NEEDS_MEMORY, bytes / gpus,
							 (double)info.memory_free },
					  e, "needs %.1f GiB on each of %d devices, %.1f are free",
					  bytes / gpus / (1 << 30), gpus,
					  (double)info.memory_free / (1 << 30));
	}
	double free_bytes = (double)host_memory_available();
	if (gpus == 0 && bytes > free_bytes)
		return bench_skip(c, (struct skip){ SKIP_NEEDS_MEMORY, bytes, free_bytes }, e,
				  "needs %.1f GiB, %.1f are free", bytes / (1 << 30),
				  free_bytes / (1 << 30));
	return 0;
}

int track_case_check_machine(struct bench_case *c, double work, double bytes, bool peer,
			     struct err *e)
{
	const double most_work = 2e8, most_bytes = 64 << 20;
	int64_t gpus = bench_int(c, "gpus");
	int status = bench_need_machine(c, gpus + (peer && gpus > 0),
					work > most_work || bytes > most_bytes, e);

	return status ? status : check_memory(c, bytes, e);
}

int track_case_places(const struct bench_case *c, bool peer, uint64_t limit, struct track_places *p,
		      struct err *e)
{
	int threads = bench_variant(c) == SOLVE_SERIAL ? 1 : bench_setting(c)->threads;

	return track_places_open(p, &bench_setting(c)->devices, (int)bench_int(c, "gpus"), peer,
				 threads, limit, e);
}

double track_case_seconds(const struct bench_case *c, double work, double bytes)
{
	static const double rates[][2] = {
		/* multiply-adds/s and bytes/s of one core or GPU */
		[SOLVE_SERIAL] = { 1e9, 2e9 },
		[SOLVE_CPU] = { 1e10, 2e9 },
		[SOLVE_PUBLISHED] = { 5e11, 1e12 },
		[SOLVE_TUNED] = { 5e12, 1e12 },
	};
	enum solve_variant v = bench_variant(c);
	double many = v == SOLVE_SERIAL ? 1 :
		      v == SOLVE_CPU    ? bench_setting(c)->threads :
					  (double)bench_int(c, "gpus");

	return 0.05 + (work / rates[v][0] + bytes / rates[v][1]) / many;
}

/* ---- metrics and demands ---- */

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
		{ "expand_seconds", f->expand_seconds, true },
		{ "evaluate_seconds", f->evaluate_seconds, true },
		{ "prune_seconds", f->prune_seconds, true },
		{ "forward_seconds", f->forward_seconds, true },
		{ "recover_seconds", f->recover_seconds, true },
		{ "history_seconds", f->history_seconds, true },
		{ "memory_seconds", f->memory_seconds, true },
		{ "peer_seconds", f->peer_seconds, true },
	};

	_Static_assert(sizeof(all) <= TRACK_MEASURED * sizeof(*out), "room for all measures");
	memcpy(out, all, sizeof(all));
	return sizeof(all) / sizeof(all[0]);
}

/* The bytes that must go through memory when a run reads and writes `bytes` in total, with a cache
 * of `cache` bytes. Data that the cache holds before the run need not be read from memory, and data
 * that it holds afterwards need not be written to memory. */
static double through_memory(double bytes, double cache)
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

void track_demands(struct dev *device, bool one_core, double products, double bytes,
		   struct peak_demand demand[TRACK_DEMANDS])
{
	demand[0] = (struct peak_demand){ device   ? PEAK_GPU_FMA :
					  one_core ? PEAK_CPU_FMA_1 :
						     PEAK_CPU_FMA,
					  products };
	demand[1] = (struct peak_demand){ device   ? PEAK_GPU_L2_COPY :
					  one_core ? PEAK_CPU_L2_COPY_1 :
						     PEAK_CPU_L2_COPY,
					  bytes };
	demand[2] = (struct peak_demand){ device   ? PEAK_GPU_COPY :
					  one_core ? PEAK_CPU_COPY_1 :
						     PEAK_CPU_COPY,
					  through_memory(bytes, cache_of(device)) };
}

void track_report_demands(struct bench_case *c, enum solve_variant v, const struct track_places *p,
			  double products, double bytes)
{
	struct dev *device = p->place[0].device;
	double shares = device && p->count > 1 ? p->count : 1;
	struct peak_demand demand[TRACK_DEMANDS];

	track_demands(device, v == SOLVE_SERIAL, products / shares, bytes / shares, demand);
	bench_demands(c, demand, TRACK_DEMANDS);
}
