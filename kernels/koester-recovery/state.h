/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Layout of states in memory, arguments of a domain's functions, and entries of the history: shared
 * by host code and kernels.
 *
 * A state consists of `units` units of `unit_bytes` bytes. A buffer of `slots` states is a
 * structure of arrays of units. Unit u of the state in slot s is at buffer + (u * slots + s) *
 * unit_bytes. With units of 4 bytes, neighbouring threads read neighbouring words (one thread per
 * state, section IV of the paper). One unit as large as the state gives an array of structures, for
 * one warp or block per state. Buffers are aligned to 256 bytes, units to the largest power of two,
 * at most 16, that divides unit_bytes. */
#ifndef COPRA_KERNELS_KOESTER_RECOVERY_STATE_H
#define COPRA_KERNELS_KOESTER_RECOVERY_STATE_H

#include <stddef.h>
#include <stdint.h>

#include "harness/base/hd.h"
#include "harness/base/philox.h"

struct track_layout {
	uint32_t units, unit_bytes;
};

/* One state in a buffer. */
struct track_state {
	unsigned char *first; /* its unit 0 */
	size_t stride;        /* bytes between its consecutive units */
};

HD size_t track_state_bytes(struct track_layout l)
{
	return (size_t)l.units * l.unit_bytes;
}

HD struct track_state track_state_at(void *buffer, uint32_t slots, struct track_layout l,
				     uint32_t slot)
{
	struct track_state s;

	s.first = (unsigned char *)buffer + (size_t)slot * l.unit_bytes;
	s.stride = (size_t)slots * l.unit_bytes;
	return s;
}

HD void *track_unit(struct track_state s, uint32_t unit)
{
	return s.first + unit * s.stride;
}

/* The point of the search at which a domain's function is called. A domain may only use this, the
 * state and its parameters, and in particular not the slot, the thread or the time. A replay then
 * produces the same bytes in any order on any device. */
struct track_step {
	uint64_t seed;      /* of the run */
	uint32_t iteration; /* layer that the state will belong to; the inputs are layer 0 */
	uint32_t source;    /* slot of its parent in its parent's layer */
	uint32_t successor; /* number of the successor of its parent: a choice, or a seed */
	uint32_t step;      /* number of executions since the parent, not counting this one */
	uint32_t phase;     /* TRACK_ASSIGN or TRACK_EXECUTE: separates their random numbers */
};

enum { TRACK_ASSIGN = 0, TRACK_EXECUTE = 1 };

/* ---- counter-based random numbers (Philox) ---- */

/* Returns block `block` (0 .. 65535) of four random words of the step. at->step < 32,768. */
HD struct philox4 track_random_block(const struct track_step *at, uint32_t block)
{
	return philox_10(at->iteration, at->source, at->successor,
			 at->step << 17 | at->phase << 16 | block, at->seed);
}

/* Returns one random word. It costs as much as a block, so draw a block if you need several
 * words. */
HD uint32_t track_random(const struct track_step *at, uint32_t draw)
{
	return track_random_block(at, draw / 4).word[draw % 4];
}

/* Maps a random word to 0 .. below - 1; below >= 1. The bias is below / 2^32. */
HD uint32_t track_random_below(uint32_t word, uint32_t below)
{
	return (uint32_t)((uint64_t)word * below >> 32);
}

/* ---- the history (algorithms/koester-recovery/recovery/history.h) ---- */

struct track_entry { /* 8 bytes */
	uint16_t source, successor;
	uint32_t rating;
};
struct track_wide_entry { /* 12 bytes */
	uint32_t source, successor, rating;
};

struct track_node {
	uint32_t layer, slot;
};

#endif
