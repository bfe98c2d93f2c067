/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Internal to the device layer: the sizes of a device's allocations, which dev_free() does not
 * know, and the largest sum since a given moment. Threads may use one concurrently. */
#ifndef COPRA_DEVICE_DEVICE_MEMORY_H
#define COPRA_DEVICE_DEVICE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct device_memory;

/* limit: the largest sum of allocations, in bytes. NULL if there is no memory. */
struct device_memory *device_memory_create(uint64_t limit);
void device_memory_destroy(struct device_memory *m);

/* The limit, and the bytes that may still be allocated below it. Threads that allocate at the same
 * moment may exceed it. */
uint64_t device_memory_limit(const struct device_memory *m);
uint64_t device_memory_left(struct device_memory *m);

/* Notes an allocation. Returns false if there is no memory to note it. */
bool device_memory_add(struct device_memory *m, const void *ptr, size_t bytes);
/* Forgets it. */
void device_memory_remove(struct device_memory *m, const void *ptr);

/* The largest number of bytes held at once since the last restart. */
uint64_t device_memory_peak(struct device_memory *m);
/* From now on the peak is at least what is held now. */
void device_memory_restart(struct device_memory *m);

#endif
