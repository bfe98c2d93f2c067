/* States in memory, and what a domain's functions are told: shared by host code and kernels.
 *
 * A state is `units` units of `unit_bytes` bytes. A buffer of `slots` states is a structure of
 * arrays of units: unit u of the state in slot s lies at
 *     buffer + (u * slots + s) * unit_bytes.
 * Units of 4 bytes give neighbouring threads neighbouring words (a thread a state, section IV of
 * the paper); one unit as large as the state gives an array of structures, which suits a warp or a
 * block a state. Buffers are aligned to 256 bytes and units to the largest power of two, at most
 * 16, that divides unit_bytes. */
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
	size_t stride;        /* bytes from one of its units to the next */
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

/* Where in the search a function is called. All that a domain may draw on besides the state itself
 * and its parameters, so that a replay gives the same bytes in any order on any device: never the
 * slot, the thread or the time. */
struct track_step {
	uint64_t seed;      /* of the run */
	uint32_t iteration; /* the layer that the state will belong to; the inputs are layer 0 */
	uint32_t source;    /* slot of its parent in its parent's layer */
	uint32_t successor; /* which of the parent's successors: a choice, or a seed */
	uint32_t step;      /* assign: executions before it since the parent; execute: the same, so
			       that the first of each is 0 */
	uint32_t phase;     /* TRACK_ASSIGN or TRACK_EXECUTE; keeps their random numbers apart */
};

enum { TRACK_ASSIGN = 0, TRACK_EXECUTE = 1 };

/* ---- random numbers by counter ---- */

/* Four of the step's random words; `block` 0 .. 65535 numbers them. step < 32,768. */
HD struct philox4 track_random_block(const struct track_step *at, uint32_t block)
{
	return philox_10(at->iteration, at->source, at->successor,
			 at->step << 17 | at->phase << 16 | block, at->seed);
}

/* One word; words of one block cost as much as the block, so draw blocks where several are needed.
 * */
HD uint32_t track_random(const struct track_step *at, uint32_t draw)
{
	return track_random_block(at, draw / 4).word[draw % 4];
}

/* 0 .. below - 1, below >= 1; the bias is below / 2^32. */
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
