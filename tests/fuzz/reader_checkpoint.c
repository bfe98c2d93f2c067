/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Checkpoints end with a hash of their lines. The bytes are read as they are, and again with the
 * correct hash, to reach the code behind that check. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/tree-search/checkpoint.h"
#include "tests/fuzz/fuzz.h"

static void check_work(const struct checkpoint *c)
{
	size_t stride = checkpoint_stride(c->form, c->key.items);

	FUZZ_CHECK(c->key.items >= 1 && c->key.items <= CHECKPOINT_MAX_ITEMS);
	for (int i = 0; c->order && i < c->key.items; i++)
		FUZZ_CHECK(c->order[i] >= 0 && c->order[i] < c->key.items);
	for (size_t i = 0; i < c->count * stride; i++)
		FUZZ_CHECK(c->work[i] <= c->key.items);
}

static bool same(const struct checkpoint *a, const struct checkpoint *b)
{
	size_t units = a->count * checkpoint_stride(a->form, a->key.items);

	return a->count == b->count && a->form == b->form && a->best == b->best &&
	       a->explored == b->explored && a->seconds == b->seconds && !a->order == !b->order &&
	       a->key.hash == b->key.hash &&
	       (!units || memcmp(a->work, b->work, units * sizeof(*a->work)) == 0);
}

static void read_one(const char *path)
{
	struct checkpoint c, again;
	struct err e = { 0 };

	if (!fuzz_status(checkpoint_read(&c, path, &e), &e)) {
		FUZZ_CHECK(!c.order && !c.work);
		return;
	}
	check_work(&c);
	FUZZ_CHECK(checkpoint_write(&c, fuzz_scratch(), &e) == 0);
	FUZZ_CHECK(checkpoint_read(&again, fuzz_scratch(), &e) == 0);
	FUZZ_CHECK(same(&c, &again));
	checkpoint_free(&c);
	checkpoint_free(&again);
}

/* The length of all lines before the last one that begins with "end ". */
static size_t before_end(const uint8_t *data, size_t size)
{
	for (size_t at = size; at-- > 0;)
		if ((at == 0 || data[at - 1] == '\n') && size - at >= 4 &&
		    memcmp(data + at, "end ", 4) == 0)
			return at;
	return size;
}

static uint64_t hash_lines(const uint8_t *data, size_t size)
{
	uint64_t hash = CHECKPOINT_HASH_BEGIN;

	while (size > 0) {
		const uint8_t *end = memchr(data, '\n', size);
		size_t length = end ? (size_t)(end - data) : size;

		hash = checkpoint_hash_line(hash, (const char *)data, length);
		data += end ? length + 1 : length;
		size -= end ? length + 1 : length;
	}
	return hash;
}

FUZZ_READER(checkpoint)
{
	enum { END = 22 };
	size_t kept = before_end(data, size);
	uint8_t *fixed = malloc(kept + END);

	read_one(fuzz_file(data, size));
	FUZZ_CHECK(fixed != NULL);
	memcpy(fixed, data, kept);
	snprintf((char *)fixed + kept, END, "end %016" PRIx64 "\n", hash_lines(data, kept));
	read_one(fuzz_file(fixed, kept + END - 1));
	free(fixed);
}
