/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Counting and choosing give the same results with portable vectors as with the widest vectors of
 * this machine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/gboa/boa_naive.h"

#define BOA_PORTABLE_VECTORS 1
#define boa_pack_count portable_count
#define boa_pack_choose portable_choose
#include "algorithms/gboa/boa/learn_counts.c"
#undef boa_pack_count
#undef boa_pack_choose

void boa_pack_count(const struct boa_pack *p, int32_t candidates, const struct boa_pack_job *job,
		    int jobs);
struct boa_pack_choice boa_pack_choose(const struct boa_k2_table *ln, const uint32_t *variable,
				       int parents, int32_t candidates, uint32_t *const *counts,
				       const uint32_t *total, uint32_t score);

static void portable_counts_match(void **state)
{
	struct rng r = rng_seeded(3);

	(void)state;
	for (int i = 0; i < 60; i++) {
		int words = (int)rng_between(&r, 1, 2 * BOA_PACK_WORDS + 9),
		    jobs = (int)rng_below(&r, 9);
		int tiles = (int)rng_between(&r, 1, 4), room = tiles * BOA_PACK_TILE;
		int candidates = (int)rng_between(&r, 0, room);
		uint32_t *bits = malloc(sizeof(*bits) * (size_t)(words * (room + 8)));
		uint32_t *counts = calloc((size_t)room * 16, sizeof(*counts));
		struct boa_pack p = { (size_t)words, bits };
		struct boa_pack_job job[2][8];

		for (int w = 0; w < words * (room + 8); w++)
			bits[w] = (uint32_t)rng_next(&r) & (uint32_t)rng_next(&r);
		for (int j = 0; j < 16; j++)
			job[j / 8][j % 8] = (struct boa_pack_job){ bits + words * (room + j % 8),
								   counts + room * j };
		boa_pack_count(&p, candidates, job[0], jobs);
		portable_count(&p, candidates, job[1], jobs);
		for (int j = 0; j < jobs; j++)
			for (int c = 0; c < candidates; c++) {
				uint32_t naive = 0;

				for (int w = 0; w < words; w++)
					for (int b = 0; b < 32; b++)
						naive += bits[(c / BOA_PACK_TILE * words + w) *
								      BOA_PACK_TILE +
							      c % BOA_PACK_TILE] &
									 job[0][j].set[w] &
									 1u << b ?
								 1 :
								 0;
				assert_int_equal(job[0][j].counts[c], naive);
				assert_int_equal(job[1][j].counts[c], naive);
			}
		free(bits);
		free(counts);
	}
}

/* Counts of sets of a family with each of `room` candidates. */
static void count_sets_of(const struct sample *s, const int32_t *member, int members,
			  uint32_t *const *counts, uint32_t *total, int room)
{
	for (int set = 0; set < 1 << members; set++) {
		memset(counts[set], 0, (size_t)room * sizeof(**counts));
		total[set] = 0;
		for (int i = 0; i < s->count; i++) {
			bool in = true;

			for (int m = 0; m < members; m++)
				in = in && (!(set >> m & 1) || *sample_at(s, i, member[m]));
			total[set] += in;
			for (int c = 0; c < s->n; c++)
				counts[set][c] += in && *sample_at(s, i, c);
		}
	}
}

static void portable_choices_match(void **state)
{
	enum { ROOM = BOA_PACK_TILE, FAMILIES = 1 << BOA_PARENTS_MAX };
	uint32_t buffer[FAMILIES][ROOM], *counts[FAMILIES], total[FAMILIES], variable[ROOM];
	struct rng r = rng_seeded(5);
	int gains = 0;

	(void)state;
	for (int s = 0; s < FAMILIES; s++)
		counts[s] = buffer[s];
	for (uint64_t i = 0; i < 90; i++) {
		int n = (int)rng_between(&r, 8, 40), parents = (int)(i % BOA_PARENTS_MAX);
		struct sample s = sample_mixed(n, (int)rng_between(&r, 1, 200), i);
		int32_t member[BOA_PARENTS_MAX] = { n - 1 };
		struct boa_k2_table table;
		struct boa_pack_choice here, portable;
		uint32_t before;

		assert_int_equal(boa_k2_table_create(&table, s.count, NULL), 0);
		for (int c = 0; c < ROOM; c++)
			variable[c] = (uint32_t)((c * 17 + 5) % ROOM);
		for (int p = 1; p <= parents; p++)
			member[p] = p;
		count_sets_of(&s, member, parents + 1, counts, total, ROOM);
		boa_pack_configurations(total, parents + 1);
		before = naive_score(&s, n - 1, member + 1, parents, table.scale);
		here = boa_pack_choose(&table, variable, parents, n - 1, counts, total, before);
		portable = portable_choose(&table, variable, parents, n - 1, counts, total, before);
		assert_int_equal(here.gain, portable.gain);
		if (here.gain)
			assert_int_equal(here.candidate, portable.candidate);
		gains += here.gain > 0;
		boa_k2_table_destroy(&table);
		sample_destroy(&s);
	}
	assert_true(gains > 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(portable_counts_match),
		cmocka_unit_test(portable_choices_match),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
