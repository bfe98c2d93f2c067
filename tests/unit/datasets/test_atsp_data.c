/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* ATSP instances: reader, generators, writer, oracles. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/datasets/instance_files.h"
#include "tests/unit/tree-search/small_atsps.h"
#include "tests/unit/base/temporary_folder.h"

static void good_files_of_all_layouts_are_equal(void **state)
{
	static const struct {
		const char *file, *name;
	} files[] = { { "atsp_plain.txt", "three" },
		      { "atsp_any_order.txt", "three" },
		      { "atsp_crlf_no_name.txt", "atsp_crlf_no_name.txt" } };
	static const int32_t costs[] = { 0, 1, 2, 3, 0, 4, 5, 6, 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct atsp a = loaded_atsp(data(files[i].file));

		assert_int_equal(a.cities, 3);
		assert_memory_equal(a.cost, costs, sizeof(costs));
		assert_string_equal(a.name, files[i].name);
		atsp_free(&a);
		assert_null(a.cost);
	}
}

static int load_and_drop(const char *name, struct err *e)
{
	struct atsp a;
	int status = atsp_load(&a, name, e);

	if (status)
		assert_null(a.cost);
	atsp_free(&a);
	return status;
}

static const struct bad_file bad_files[] = {
	{ "empty.txt", 0, "ends before EDGE_WEIGHT_SECTION" },
	{ "only_blanks.txt", 0, "ends before EDGE_WEIGHT_SECTION" },
	{ "no_section.txt", 6, "ends before EDGE_WEIGHT_SECTION" },
	{ "no_matrix.txt", 7, "ends before the cost from 0 to 0" },
	{ "no_dimension.txt", 5, "DIMENSION is missing" },
	{ "no_type.txt", 5, ": TYPE is missing" },
	{ "no_weight_type.txt", 5, "EDGE_WEIGHT_TYPE is missing" },
	{ "no_format.txt", 5, "EDGE_WEIGHT_FORMAT is missing" },
	{ "other_type.txt", 2, "TYPE is 'CVRP': only ATSP or TSP is supported" },
	{ "longer_type.txt", 2, "TYPE is 'ATSPX'" },
	{ "coordinates.txt", 4, "EDGE_WEIGHT_TYPE is 'EUC_2D': only EXPLICIT is supported" },
	{ "upper_row.txt", 5, "EDGE_WEIGHT_FORMAT is 'UPPER_ROW'" },
	{ "unknown_keyword.txt", 2, "'FIXED_EDGES_SECTION' is not a keyword" },
	{ "keyword_longer.txt", 3, "'DIMENSIONS' is not a keyword" },
	{ "no_colon.txt", 3, "expected a colon after DIMENSION" },
	{ "dimension_twice.txt", 6, "DIMENSION is repeated" },
	{ "dimension_empty.txt", 3, "DIMENSION is missing" },
	{ "dimension_negative.txt", 3, "DIMENSION is negative" },
	{ "dimension_text.txt", 3, "DIMENSION is not an integer" },
	{ "dimension_two_numbers.txt", 3, "unexpected text after the number of cities" },
	{ "one_city.txt", 6, "number of cities 1 is not in 2..500" },
	{ "many_cities.txt", 6, "number of cities 501 is not in 2..500" },
	{ "gigantic_count.txt", 3, "DIMENSION does not fit" },
	{ "behind_section.txt", 6, "unexpected text after EDGE_WEIGHT_SECTION" },
	{ "cost_negative.txt", 8, "cost from 1 to 2 is negative" },
	{ "cost_text.txt", 8, "cost from 1 to 2 is not an integer" },
	{ "cost_fraction.txt", 8, "cost from 1 to 2 is not an integer" },
	{ "cost_hexadecimal.txt", 8, "cost from 1 to 2 is not an integer" },
	{ "cost_too_high.txt", 8, "cost from 1 to 2 is too high" },
	{ "cost_overflows_64.txt", 8, "cost from 1 to 2 does not fit in 64 bits" },
	{ "diagonal_text.txt", 8, "cost from 1 to 1 is not an integer" },
	{ "cost_missing.txt", 10, "ends before the cost from 2 to 1" },
	{ "cost_missing_eof.txt", 10, "cost from 2 to 1 is not an integer" },
	{ "cost_too_many.txt", 9, "unexpected text after the 3 x 3 costs" },
	{ "line_too_many.txt", 10, "unexpected text after the instance" },
	{ "behind_eof.txt", 11, "unexpected text after EOF" },
	{ "eof_longer.txt", 10, "unexpected text after the instance" },
	{ "two_instances.txt", 10, "unexpected text after the instance" },
	{ "nul_byte.txt", 8, "not text" },
	{ "long_line.txt", 8, "line too long" },
	{ "not_text_at_all.txt", 1, "'12' is not a keyword" },
	{ "does_not_exist.txt", 0, "No such file" },
};

static void bad_files_are_refused_with_their_line(void **state)
{
	(void)state;
	check_bad_files("bad_atsps", bad_files, sizeof(bad_files) / sizeof(bad_files[0]),
			load_and_drop);
}

static void bad_names_are_refused(void **state)
{
	static const char *const names[] = { "crane:",
					     "crane:10",
					     "crane:10:",
					     "crane:10:1:1",
					     "crane:1:1",
					     "crane:501:1",
					     "crane:-10:1",
					     "crane:+10:1",
					     "crane: 10:1",
					     "crane:10x:1",
					     "tsmat:",
					     "tsmat:10",
					     "tsmat:1:1",
					     "tsmat:501:1",
					     "tsmat:10:1:2",
					     "random:",
					     "random:5",
					     "random:5:",
					     "random:5:9:",
					     "random:5:9:1:2",
					     "random:5:429496730",
					     "random:1:9",
					     "." };

	(void)state;
	check_bad_names(names, sizeof(names) / sizeof(names[0]), load_and_drop);
}

static void a_tsmat_is_a_symmetric_metric(void **state)
{
	static const char *const names[] = { "tsmat:2:1", "tsmat:17:1", "tsmat:17:2",
					     "tsmat:60:3" };

	(void)state;
	for (size_t t = 0; t < sizeof(names) / sizeof(names[0]); t++) {
		struct atsp a = loaded_atsp(names[t]);
		int n = a.cities;

		for (int i = 0; i < n; i++) {
			assert_int_equal(a.cost[i * n + i], 0);
			for (int j = 0; j < n; j++) {
				assert_in_range(a.cost[i * n + j], 0, 1000000);
				assert_int_equal(a.cost[i * n + j], a.cost[j * n + i]);
				for (int k = 0; k < n; k++)
					assert_true(a.cost[i * n + j] <=
						    a.cost[i * n + k] + a.cost[k * n + j]);
			}
		}
		atsp_free(&a);
	}
}

/* In the plane the direct move from a destination to a source is no longer than the detour through
 * another source and another destination, except for rounding. */
static void a_crane_moves_from_destinations_to_sources(void **state)
{
	struct atsp a = loaded_atsp("crane:40:7");
	int n = a.cities, asymmetric = 0;

	(void)state;
	for (int i = 0; i < n; i++) {
		assert_int_equal(a.cost[i * n + i], 0);
		for (int j = 0; j < n; j++) {
			assert_in_range(a.cost[i * n + j], 0, 2000000);
			asymmetric += a.cost[i * n + j] != a.cost[j * n + i];
			for (int k = 0; k < n; k++)
				for (int l = 0; l < n; l++)
					if (i != l && k != l && i != j && k != j)
						assert_true(a.cost[i * n + l] <=
							    a.cost[i * n + j] + a.cost[k * n + j] +
								    a.cost[k * n + l] + 2);
		}
	}
	assert_true(asymmetric > n * (n - 1) * 9 / 10);
	atsp_free(&a);
}

static void names_and_seeds_give_different_instances(void **state)
{
	struct atsp a = loaded_atsp("crane:15:1"), b = loaded_atsp("crane:15:2");
	struct atsp c = loaded_atsp("tsmat:14:1"), d = loaded_atsp("tsmat:14:1");
	struct atsp r = loaded_atsp("random:30:3");
	int seen[4] = { 0 };

	(void)state;
	assert_string_equal(a.name, "crane-15-s1");
	assert_string_equal(c.name, "tsmat-14-s1");
	assert_string_equal(r.name, "random-30-max3-s1");
	assert_int_not_equal(atsp_hash(&a), atsp_hash(&b));
	assert_int_equal(atsp_hash(&c), atsp_hash(&d));
	d.cost[1]++;
	assert_int_not_equal(atsp_hash(&c), atsp_hash(&d));
	for (int i = 0; i < 900; i++)
		seen[r.cost[i]]++;
	assert_true(seen[0] > 200 && seen[1] > 150 && seen[2] > 150 && seen[3] > 150);
	assert_true(atsp_is_name("crane:15:1") && atsp_is_name("tsmat:1"));
	assert_true(atsp_is_name("random:") && !atsp_is_name("crane15"));
	assert_true(!atsp_is_name("br17.atsp") && !atsp_is_name("ta001"));
	atsp_free(&a);
	atsp_free(&b);
	atsp_free(&c);
	atsp_free(&d);
	atsp_free(&r);
}

/* These instances must never change: recorded results depend on them. */
static void generated_instances_never_change(void **state)
{
	static const int32_t crane[] = {
		0,      401239, 681046, 480677, 89624,  0,       560805, 441098,
		296877, 459512, 0,      152164, 964930, 1068113, 454492, 0,
	};
	static const int32_t tsmat[] = {
		0,      735602, 223473, 223386, 735602, 0,      512129, 512216,
		223473, 512129, 0,      87,     223386, 512216, 87,     0,
	};
	struct atsp a = loaded_atsp("crane:4:1"), b = loaded_atsp("tsmat:4:1");

	(void)state;
	assert_memory_equal(a.cost, crane, sizeof(crane));
	assert_memory_equal(b.cost, tsmat, sizeof(tsmat));
	atsp_free(&a);
	atsp_free(&b);
}

static void written_files_can_be_read_back(void **state)
{
	static const char *const names[] = { "crane:500:1", "tsmat:100:3", "random:2:5",
					     "random:500:4294967" };
	struct err e = { 0 };
	char path[80];

	(void)state;
	snprintf(path, sizeof(path), "%s/instance.txt", folder);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct atsp a = loaded_atsp(names[i]), back;

		assert_int_equal(atsp_write(&a, path, &e), 0);
		back = loaded_atsp(path);
		assert_string_equal(back.name, a.name);
		assert_int_equal(atsp_hash(&back), atsp_hash(&a));
		atsp_free(&back);
		assert_int_equal(atsp_write(&a, "/dev/full", &e), ERR_IO);
		atsp_free(&a);
	}
}

/* The reader must handle any bytes: a good file with random bytes changed or cut. */
static void damaged_files_are_read_or_refused(void **state)
{
	static const char good[] = "NAME: x\nTYPE: ATSP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: EXPLICIT\n"
				   "EDGE_WEIGHT_FORMAT: FULL_MATRIX\nEDGE_WEIGHT_SECTION\n"
				   "9999 1 2\n3 9999 4\n5 6 9999\nEOF\n";
	static const char bytes[] = "0123456789 -.:x\n\r\t\0\xff";
	char path[80];

	(void)state;
	snprintf(path, sizeof(path), "%s/damaged.txt", folder);
	assert_in_range(
		check_damaged_files(path, good, bytes, sizeof(bytes) - 1, 12, load_and_drop), 20,
		1900);
}

/* The shortest of all tours that permute the entries from `fixed` on. */
static int64_t least_tour(const struct atsp *a, int64_t *tour, int fixed)
{
	int64_t best = INT64_MAX;

	if (fixed == a->cities)
		return atsp_tour_cost(a, tour);
	for (int i = fixed; i < a->cities; i++) {
		int64_t here = tour[fixed], there = tour[i], cost;

		tour[fixed] = there;
		tour[i] = here;
		cost = least_tour(a, tour, fixed + 1);
		best = cost < best ? cost : best;
		tour[fixed] = here;
		tour[i] = there;
	}
	return best;
}

static void held_karp_finds_the_shortest_of_all_tours(void **state)
{
	struct err e = { 0 };

	(void)state;
	for (int t = 0; t < 60; t++) {
		struct atsp a = random_atsp(2 + t % 7, t % 2 ? 5 : 1000, t + 1);
		int64_t tour[8], all[8], optimum, same;

		for (int i = 0; i < a.cities; i++)
			all[i] = i;
		assert_int_equal(atsp_held_karp(&a, NULL, &optimum, tour, &e), 0);
		assert_int_equal(tour[0], 0);
		assert_int_equal(atsp_tour_cost(&a, tour), optimum);
		assert_int_equal(least_tour(&a, all, 1), optimum);
		assert_int_equal(atsp_held_karp(&a, NULL, &same, NULL, &e), 0);
		assert_int_equal(same, optimum);
		atsp_free(&a);
	}
}

static void held_karp_can_be_stopped(void **state)
{
	static const volatile sig_atomic_t stop = 1;
	struct atsp a = random_atsp(12, 100, 1);
	int64_t optimum;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(atsp_held_karp(&a, &stop, &optimum, NULL, &e), ERR_LIMIT);
	atsp_free(&a);
}

static void the_oracle_is_right_on_small_cases(void **state)
{
	struct atsp a = loaded_atsp(data("atsp_plain.txt"));
	struct atsp large = random_atsp(ATSP_HELD_KARP_MAX + 1, 9, 1);
	const int64_t forth[] = { 0, 1, 2 }, back[] = { 0, 2, 1 }, turned[] = { 1, 2, 0 };
	const int64_t twice[] = { 0, 1, 1 }, beyond[] = { 0, 1, 3 }, below[] = { 0, 1, -1 };
	int64_t optimum;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(atsp_tour_cost(&a, forth), 1 + 4 + 5);
	assert_int_equal(atsp_tour_cost(&a, back), 2 + 6 + 3);
	assert_int_equal(atsp_tour_cost(&a, turned), 10);
	assert_int_equal(atsp_tour_cost(&a, twice), -1);
	assert_int_equal(atsp_tour_cost(&a, beyond), -1);
	assert_int_equal(atsp_tour_cost(&a, below), -1);
	assert_int_equal(atsp_held_karp(&a, NULL, &optimum, NULL, &e), 0);
	assert_int_equal(optimum, 10);
	assert_int_equal(atsp_held_karp(&large, NULL, &optimum, NULL, &e), ERR_USAGE);
	atsp_free(&a);
	atsp_free(&large);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_files_of_all_layouts_are_equal),
		cmocka_unit_test(bad_files_are_refused_with_their_line),
		cmocka_unit_test(bad_names_are_refused),
		cmocka_unit_test(a_tsmat_is_a_symmetric_metric),
		cmocka_unit_test(a_crane_moves_from_destinations_to_sources),
		cmocka_unit_test(names_and_seeds_give_different_instances),
		cmocka_unit_test(generated_instances_never_change),
		cmocka_unit_test(written_files_can_be_read_back),
		cmocka_unit_test(damaged_files_are_read_or_refused),
		cmocka_unit_test(held_karp_finds_the_shortest_of_all_tours),
		cmocka_unit_test(held_karp_can_be_stopped),
		cmocka_unit_test(the_oracle_is_right_on_small_cases),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
