/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Tests of the example domain: it gives the right answers on the host and on a simulated device, it
 * stays short, and docs/targets/koester-recovery.md quotes it literally. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "docs/examples/recovery-domain/partition.h"
#include "algorithms/koester-recovery/states/place.h"
#include "harness/base/team.h"
#include "tests/unit/device/simulated_devices.h"

static struct partition numbers(uint32_t seed, int32_t count)
{
	struct partition d = { .count = count };

	for (int32_t i = 0; i < count; i++) {
		seed = seed * 1664525u + 1013904223u;
		d.number[i] = (int32_t)(seed >> 12);
	}
	return d;
}

static uint32_t least_difference(const struct partition *d)
{
	uint32_t least = UINT32_MAX;

	for (uint32_t heaps = 0; heaps < 1u << d->count; heaps++) {
		int32_t sum = 0;

		for (int32_t i = 0; i < d->count; i++)
			sum += heaps >> i & 1 ? -d->number[i] : d->number[i];
		least = (uint32_t)abs(sum) < least ? (uint32_t)abs(sum) : least;
	}
	return least;
}

static uint32_t search(const struct partition *d, struct track_place *p, uint32_t beam)
{
	uint32_t difference, heap[64];
	int32_t sum = 0;
	struct err e;

	if (partition_search(d, p, beam, &difference, heap, &e))
		fail_msg("%s", e.text);
	for (int32_t i = 0; i < d->count; i++)
		sum += heap[i] ? -d->number[i] : d->number[i];
	assert_int_equal(abs(sum), difference);
	return difference;
}

/* A beam that holds all states finds the optimum. */
static void wide_beam_finds_the_least_difference(void **state)
{
	struct track_place host, device;
	struct team *pool;
	struct dev_set set;
	struct err e;

	(void)state;
	assert_int_equal(team_create(&pool, 2, &e), 0);
	open_devices(&set, 1, "random", 3);
	assert_int_equal(track_place_open(&host, NULL, pool, 0, &e), 0);
	assert_int_equal(track_place_open(&device, set.dev[0], pool, 0, &e), 0);
	for (uint32_t seed = 1; seed < 3; seed++) {
		struct partition d = numbers(seed, 8);

		assert_int_equal(search(&d, &host, 256), least_difference(&d));
		assert_int_equal(search(&d, &device, 256), least_difference(&d));
		d = numbers(seed, 14);
		assert_int_equal(search(&d, &host, 20), search(&d, &device, 20));
	}
	track_place_close(&device);
	track_place_close(&host);
	dev_set_close(&set);
	team_destroy(pool);
}

static char *whole_file(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = calloc(1, 1 << 20);
	size_t n = f && text ? fread(text, 1, (1 << 20) - 1, f) : 0;

	if (n == 0)
		fail_msg("%s cannot be read", path);
	fclose(f);
	return text;
}

static const char *const parts[] = { "docs/examples/recovery-domain/partition.h",
				     "docs/examples/recovery-domain/partition.c",
				     "docs/examples/recovery-domain/partition.cu" };

/* The text below the comment with holder and licence. */
static const char *below_licence(const char *text)
{
	const char *mark = strstr(text, "SPDX-License-Identifier"), *end = mark;

	if (!mark)
		return text;
	end = strchr(mark, '\n');
	return end ? end + 1 : mark;
}

static void example_has_at_most_120_lines(void **state)
{
	int lines = 0;

	(void)state;
	for (int i = 0; i < 3; i++) {
		char *text = whole_file(parts[i]);

		for (const char *c = below_licence(text); (c = strchr(c, '\n')); c++)
			lines++;
		free(text);
	}
	assert_in_range(lines, 50, 120);
}

static void page_quotes_the_example_literally(void **state)
{
	char *page = whole_file("docs/targets/koester-recovery.md");

	(void)state;
	for (int i = 0; i < 3; i++) {
		char *text = whole_file(parts[i]);

		if (!strstr(page, below_licence(text)))
			fail_msg("the target's page does not quote %s as it is", parts[i]);
		free(text);
	}
	free(page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wide_beam_finds_the_least_difference),
		cmocka_unit_test(example_has_at_most_120_lines),
		cmocka_unit_test(page_quotes_the_example_literally),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
