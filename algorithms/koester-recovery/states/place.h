/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Places: the cores of the host, or one device. The tracker holds states and runs work through this
 * interface only. Work on a device is asynchronous, in the order of the place's stream. Work on the
 * host is finished when the call returns. */
#ifndef COPRA_KOESTER_RECOVERY_STATES_PLACE_H
#define COPRA_KOESTER_RECOVERY_STATES_PLACE_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/koester-recovery/ops.h"
#include "harness/base/error.h"
#include "harness/base/team.h"
#include "harness/device/device.h"

/* Opens a place on device d, or on the host if d is NULL. The caller owns the thread team. At most
 * `limit` bytes may be allocated at any time; 0: no limit. */
int track_place_open(struct track_place *p, struct dev *d, struct team *pool, uint64_t limit,
		     struct err *e);
void track_place_close(struct track_place *p);

/* Allocates memory of the place, aligned to 256 bytes, and counts it in `used` and `peak`.
 * ERR_MEMORY if this exceeds the limit or the free memory; the message has both numbers. Pass the
 * requested size to track_free. */
int track_alloc(struct track_place *p, void **out, size_t bytes, struct err *e);
void track_free(struct track_place *p, void *memory, size_t bytes);

/* Allocates host memory that the device of the place copies from and to; malloc'ed memory if the
 * place is the host. track_host_free frees it (NULL: no effect). ERR_MEMORY. */
int track_host_alloc(struct track_place *p, void **out, size_t bytes, struct err *e);
void track_host_free(struct track_place *p, void *memory);

/* Allocates `bytes` of a device, and `pinned` bytes for track_host_alloc, at once. Allocations then
 * take from this memory while it lasts: the driver's take far longer. It is not counted in `used`.
 * Nothing may be allocated when it is released. ERR_MEMORY: there is none. No effect on the
 * host. */
int track_place_reserve(struct track_place *p, uint64_t bytes, uint64_t pinned, struct err *e);
void track_place_release(struct track_place *p);

/* Queue a copy to the place, a copy from it, or a fill (memcpy and memset on the host). They run in
 * order with other work of the place. track_sync waits for all of it. */
int track_to(struct track_place *p, void *there, const void *host, size_t bytes, struct err *e);
int track_from(struct track_place *p, void *host, const void *there, size_t bytes, struct err *e);
int track_fill(struct track_place *p, void *there, int byte, size_t bytes, struct err *e);
int track_sync(struct track_place *p, struct err *e);

/* Sets *bytes to the number of bytes that a search may allocate on the place: `wanted`, or half of
 * the free memory if `wanted` is 0, but at most the limit of the place. */
int track_place_budget(const struct track_place *p, uint64_t wanted, uint64_t *bytes,
		       struct err *e);

/* ---- the places of a run ---- */

/* The places of a run, as --variant, --device, --gpus and --threads select them. */
struct track_places {
	struct team *pool;
	struct track_place place[DEV_MAX];
	struct track_place *at[DEV_MAX]; /* the places that run work */
	int count;                       /* number of `at` */
	int opened;                      /* number of `place` */
	struct track_place *peer;        /* one more device that only stores states; NULL: none */
};

/* Opens the first `gpus` devices of the set (0: the host, with `threads` threads), each with at
 * most `limit` bytes (0: no limit). With `peer`, the next device of the set is opened too.
 * ERR_UNSUPPORTED if the set has fewer devices. */
int track_places_open(struct track_places *p, const struct dev_set *devices, int gpus, bool peer,
		      int threads, uint64_t limit, struct err *e);
void track_places_close(struct track_places *p);

/* The maximum of the places' peaks, in bytes. */
uint64_t track_places_peak(const struct track_places *p);

#endif
