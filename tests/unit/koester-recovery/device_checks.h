/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Compares the tracker's kernels with plain loops and with the host's operations, on simulated
 * devices (test_track_device.c) and on CUDA (gpu/test_track_gpu.c). */
#ifndef COPRA_TESTS_UNIT_KOESTER_RECOVERY_DEVICE_CHECKS_H
#define COPRA_TESTS_UNIT_KOESTER_RECOVERY_DEVICE_CHECKS_H

#include "algorithms/koester-recovery/recovery/history.h"
#include "algorithms/koester-recovery/states/place.h"
#include "harness/base/rng.h"
#include "kernels/koester-recovery/ops.h"
#include "kernels/selftest/tracked.h"
#include "tests/unit/koester-recovery/track_ok.h"

/* A copy of the history on the place, as struct track_trace needs it. */
struct check_mirror {
	void *entries, *entry_at, *from, *from_at;
	size_t bytes, from_bytes, table_bytes;
};

struct track_place check_place(struct dev *d);

void *check_alloc(size_t bytes);

/* Copies `bytes` bytes to new memory of the place; NULL stays NULL. */
void *check_put(struct track_place *p, const void *from, size_t bytes);

/* Frees memory from check_put. Copies it to `to` first unless that is NULL. */
void check_take(struct track_place *p, void *there, void *to, size_t bytes);

uint32_t check_random(struct rng *r, uint32_t least, uint32_t most);

/* Uses layouts that cover each way of copying with each word size. */
void check_gathers(struct track_place *place, int places, int trials, uint32_t most_slots,
		   struct rng *r);

void check_scan(struct track_place *p, uint32_t count, uint32_t most, struct rng *r);

void check_select(struct track_place *p, const uint32_t *rating, uint32_t count, uint32_t keep);

/* Fills in random ratings of a kind: any, few different values, all equal, different only in the
 * last or first digit, mostly dropped, sorted. */
void check_ratings(struct rng *r, uint32_t *rating, uint32_t count, int kind);

void check_selects(struct track_place *p, int trials, uint32_t most, struct rng *r);

void check_children(struct track_place *p, uint32_t parents, uint32_t first_source, bool listed,
		    struct rng *r);

/* Runs the operations one after another on the same states, with their waiting bits. */
void check_walk(struct track_place *device, const struct track_ops *ops, struct track_place *host,
		uint32_t most_slots, struct rng *r);

struct check_mirror check_mirror_make(struct track_place *p, const struct track_history *h);

void check_mirror_free(struct track_place *p, struct check_mirror *m);

void check_traces(struct track_place *p, uint32_t layers, uint32_t most, bool wide, bool jumps,
		  struct rng *r);

#endif
