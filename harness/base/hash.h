/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* 64-bit hashes. Not cryptographic: they detect a wrong output or a changed file, not a forgery.
 *
 *     uint64_t h = HASH_INIT;
 *     h = hash_u64(h, n);
 *     h = hash_bytes(h, array, bytes);
 *
 * hash_text() is FNV-1a (Fowler, Noll, Vo). hash_bytes() is for large arrays: it mixes
 * eight bytes per step by multiplication and shifts. Its value depends on the byte order of the
 * machine (all supported ones are little-endian) and on how a sequence is split into calls. */
#ifndef COPRA_BASE_HASH_H
#define COPRA_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HASH_INIT UINT64_C(0xcbf29ce484222325)

static inline uint64_t hash_text(uint64_t h, const char *text)
{
	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return h;
}

static inline uint64_t hash_u64(uint64_t h, uint64_t value)
{
	h = (h ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	h ^= h >> 32;
	h *= UINT64_C(0xd6e8feb86659fd93);
	return h ^ (h >> 32);
}

static inline uint64_t hash_bytes(uint64_t h, const void *data, size_t length)
{
	const unsigned char *p = (const unsigned char *)data;
	size_t left = length;
	uint64_t word;

	for (; left >= sizeof(word); left -= sizeof(word), p += sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		h = hash_u64(h, word);
	}
	if (left) {
		word = 0;
		memcpy(&word, p, left);
		h = hash_u64(h, word);
	}
	return hash_u64(h, length);
}

#endif
