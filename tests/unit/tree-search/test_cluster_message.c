/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Messages between ranks (message.h) that were cut, damaged or made up: each is refused, or all its
 * parts lie in its bytes. Every message is a block of its own size, so that a sanitizer sees reads
 * behind it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "algorithms/tree-search/cluster/message.h"
#include "harness/base/rng.h"

enum { HEAD = sizeof(struct cluster_head), PART_MOST = 40 };

static unsigned char *copy_of(const unsigned char *bytes, size_t size)
{
	unsigned char *copy = malloc(size ? size : 1);

	assert_non_null(copy);
	if (size)
		memcpy(copy, bytes, size);
	return copy;
}

/* Reads `size` bytes from `at`, which must lie in the message. */
static uint64_t sum_of(const unsigned char *at, uint64_t size, const unsigned char *bytes,
		       size_t all)
{
	uint64_t sum = 0;

	assert_true(at >= bytes && at <= bytes + all && size <= (size_t)(bytes + all - at));
	for (uint64_t i = 0; i < size; i++)
		sum += at[i];
	return sum;
}

/* Unpacks a copy that ends where its block ends. Returns whether the message was accepted. */
static bool is_accepted(const unsigned char *bytes, size_t size)
{
	unsigned char *own = copy_of(bytes, size);
	struct cluster_message m;
	struct err e = { 0 };
	int status = cluster_message_unpack(own, size, &m, &e);
	uint64_t sum;

	if (status) {
		assert_int_equal(status, ERR_INPUT);
		assert_int_not_equal(e.text[0], 0);
		free(own);
		return false;
	}
	sum = sum_of(m.counters, (uint64_t)m.head.counters * sizeof(uint64_t), own, size);
	sum += sum_of(m.solution, m.head.solution_size, own, size);
	sum += sum_of(m.work, m.head.work_size, own, size);
	assert_true(HEAD + 8 * (uint64_t)m.head.counters + m.head.solution_size +
			    m.head.work_size ==
		    size);
	assert_true(sum <= 255 * (uint64_t)size);
	assert_true(m.head.kind < CLUSTER_KINDS && m.head.rate >= 0 && isfinite(m.head.rate));
	free(own);
	return true;
}

static void fill(struct rng *r, unsigned char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		bytes[i] = (unsigned char)rng_below(r, 256);
}

/* A valid message of random parts. */
static unsigned char *valid(struct rng *r, size_t *size, struct cluster_message *m)
{
	static unsigned char parts[3][8 * PART_MOST];
	unsigned char *bytes = NULL;

	for (int i = 0; i < 3; i++)
		fill(r, parts[i], sizeof(parts[i]));
	*m = (struct cluster_message){ .head = { .identity = rng_below(r, UINT64_MAX),
						 .from = (uint32_t)rng_below(r, 9),
						 .kind = (uint32_t)rng_below(r, CLUSTER_KINDS),
						 .rate = (double)rng_below(r, 1000),
						 .flags = (uint32_t)rng_below(r, CLUSTER_FLAGS + 1),
						 .counters = (uint32_t)rng_below(r, PART_MOST),
						 .solution_size = rng_below(r, PART_MOST),
						 .work_size = rng_below(r, PART_MOST) },
				       .counters = parts[0],
				       .solution = parts[1],
				       .work = parts[2] };
	assert_int_equal(cluster_message_pack(m, &bytes, size, NULL), 0);
	return bytes;
}

static void what_was_packed_is_unpacked(void **state)
{
	struct rng r = rng_seeded(1);

	(void)state;
	for (int i = 0; i < 500; i++) {
		struct cluster_message m, back;
		size_t size;
		unsigned char *bytes = valid(&r, &size, &m);

		assert_int_equal(cluster_message_unpack(bytes, size, &back, NULL), 0);
		assert_memory_equal(back.counters, m.counters, 8 * m.head.counters);
		assert_memory_equal(back.solution, m.solution, m.head.solution_size);
		assert_memory_equal(back.work, m.work, m.head.work_size);
		assert_true(back.head.identity == m.head.identity);
		assert_true(is_accepted(bytes, size));
		free(bytes);
	}
}

static void cut_and_longer_messages_are_refused(void **state)
{
	struct rng r = rng_seeded(2);

	(void)state;
	for (int i = 0; i < 30; i++) {
		struct cluster_message m;
		size_t size;
		unsigned char *bytes = valid(&r, &size, &m), *longer = malloc(size + 16);

		assert_non_null(longer);
		memcpy(longer, bytes, size);
		fill(&r, longer + size, 16);
		for (size_t s = 0; s < size + 16; s++) {
			if (s == size)
				continue;
			assert_false(is_accepted(longer, s));
			if (s < HEAD)
				continue;
			cluster_message_seal(longer, s); /* so that only its sizes are wrong */
			assert_false(is_accepted(longer, s));
			memcpy(longer, bytes, size);
		}
		free(longer);
		free(bytes);
	}
}

static void each_changed_bit_is_refused(void **state)
{
	struct rng r = rng_seeded(3);

	(void)state;
	for (int i = 0; i < 20; i++) {
		struct cluster_message m;
		size_t size;
		unsigned char *bytes = valid(&r, &size, &m);

		for (size_t bit = 0; bit < 8 * size; bit++) {
			bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
			assert_false(is_accepted(bytes, size));
			bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
		}
		assert_true(is_accepted(bytes, size));
		free(bytes);
	}
}

static void random_bytes_are_refused(void **state)
{
	struct rng r = rng_seeded(4);
	unsigned char bytes[4 * HEAD];

	(void)state;
	for (int i = 0; i < 20000; i++) {
		size_t size = rng_below(&r, sizeof(bytes) + 1);

		fill(&r, bytes, size);
		assert_false(is_accepted(bytes, size));
	}
}

/* Sizes that wrap around or are nearly right. */
static uint64_t odd_size(struct rng *r)
{
	static const uint64_t odd[] = { 0,
					1,
					8,
					UINT64_MAX,
					UINT64_MAX - 7,
					UINT64_MAX / 2 + 1,
					UINT32_MAX,
					UINT64_MAX / 8,
					(uint64_t)1 << 61 };
	uint64_t near = rng_below(r, 2 * HEAD), i = rng_below(r, 2 * sizeof(odd) / sizeof(*odd));

	return i < sizeof(odd) / sizeof(*odd) ? odd[i] - rng_below(r, 2) * near : near;
}

/* Made with the hash that fits, as by a faulty rank: the checks behind the hash decide. */
static void sealed_nonsense_stays_in_its_bytes(void **state)
{
	struct rng r = rng_seeded(5);
	unsigned char bytes[4 * HEAD];
	int accepted = 0;

	(void)state;
	for (int i = 0; i < 200000; i++) {
		size_t size = HEAD + rng_below(&r, sizeof(bytes) - HEAD + 1);
		struct cluster_head h;

		fill(&r, bytes, size);
		memcpy(&h, bytes, sizeof(h));
		h.magic = CLUSTER_MAGIC;
		h.version = CLUSTER_VERSION;
		h.kind = (uint32_t)rng_below(&r, CLUSTER_KINDS + 1);
		h.detail = (uint32_t)rng_below(&r, 3);
		h.flags = (uint32_t)rng_below(&r, CLUSTER_FLAGS + 2);
		h.rate = rng_below(&r, 8) ? 1 : rng_below(&r, 2) ? -1 : (double)NAN;
		h.counters =
			rng_below(&r, 4) ? (uint32_t)rng_below(&r, 12) : (uint32_t)odd_size(&r);
		h.solution_size = odd_size(&r);
		/* often the size that fits, also modulo 2^64 */
		h.work_size = rng_below(&r, 4) ?
				      size - HEAD - 8 * (uint64_t)h.counters - h.solution_size :
				      odd_size(&r);
		memcpy(bytes, &h, sizeof(h));
		cluster_message_seal(bytes, size);
		accepted += is_accepted(bytes, size);
	}
	assert_in_range(accepted, 1000, 150000); /* both happen often */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_packed_is_unpacked),
		cmocka_unit_test(cut_and_longer_messages_are_refused),
		cmocka_unit_test(each_changed_bit_is_refused),
		cmocka_unit_test(random_bytes_are_refused),
		cmocka_unit_test(sealed_nonsense_stays_in_its_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
