/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* A test bed for the archive on any place. It offers layers of known bytes and compares the bytes
 * that are loaded. */
#ifndef COPRA_TESTS_UNIT_KOESTER_RECOVERY_ARCHIVE_BED_H
#define COPRA_TESTS_UNIT_KOESTER_RECOVERY_ARCHIVE_BED_H

#include "algorithms/koester-recovery/archive/archive.h"
#include "harness/base/team.h"

extern uint64_t bed_random_state; /* of bed_random */

enum { BED_SLOTS = 48, BED_LAYERS = 40 };

struct bed {
	struct team *pool;
	struct track_place place, peer;
	struct track_layout layout;
	struct track_archive *archive;
	void *buffer; /* BED_SLOTS states */
	size_t buffer_bytes;
	unsigned char *host; /* the same on the host */
	struct track_archive_options o;
	uint32_t count[BED_LAYERS + 1]; /* states of the layers offered so far */
};

/* A random number below n. */
uint32_t bed_random(uint32_t n);

/* The known value of byte b of the state in slot s of a layer. Bytes are counted unit by unit. */
unsigned char bed_byte(uint32_t layer, uint32_t slot, uint32_t b);

/* Offset of a byte of a state in a buffer of `slots` slots. */
size_t bed_offset(const struct bed *b, uint32_t slots, uint32_t slot, uint32_t byte);

/* Opens a bed on device d (NULL: the host). `peer` stores layers; it may be d. */
void bed_open(struct bed *b, struct dev *d, struct dev *peer, struct track_layout layout);

void bed_close(struct bed *b);

/* Replaces the archive by a new one. */
void bed_make(struct bed *b, struct track_archive_options o);

/* Offer a layer of known bytes, or all layers first .. end with random numbers of states. */
int bed_offer(struct bed *b, uint32_t layer, uint32_t count, struct err *e);

void bed_offer_all(struct bed *b, uint32_t first, uint32_t end);

struct track_archive_options bed_options(enum track_recovery r);

/* Compares the kept layers with a string that has a 'k' for each kept layer. */
void bed_check_kept(const struct bed *b, const char *kept);

/* Check rules with a single tier, rules that keep some layers, and the multistage rule. */
void bed_check_one_tier(struct dev *d, struct dev *peer, struct track_layout layout);

/* Checks copies with staging buffers that are smaller than a layer: in many pieces, and with pieces
 * that are larger than a buffer. */
void bed_check_pieces(struct dev *d, struct dev *peer);

void bed_check_some_layers(struct dev *d);

void bed_check_multistage(struct dev *d, struct dev *peer);

#endif
