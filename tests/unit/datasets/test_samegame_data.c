/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* SameGame boards: reader, generator, and the rules by the plain oracle on boards worked out by
 * hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "datasets/samegame/samegame.h"
#include "tests/unit/datasets/instance_files.h"
#include "tests/unit/base/temporary_folder.h"

static struct samegame loaded(const char *name)
{
	struct samegame g;
	struct err e = { 0 };

	if (samegame_load(&g, name, &e))
		fail_msg("%s", e.text);
	return g;
}

/* Makes a board from its rows, top first, separated by blanks. */
static struct samegame board_of(const char *rows)
{
	struct samegame g = { .rows = 1 };
	int cells = 0;

	for (const char *s = rows; *s; s++) {
		if (*s == ' ') {
			g.rows++;
			continue;
		}
		g.cell[cells++] = (uint8_t)(*s - '0');
	}
	g.columns = cells / g.rows;
	return g;
}

static void good_files_of_all_layouts_are_equal(void **state)
{
	static const char *const files[] = { "samegame_plain.txt",
					     "samegame_blanks_crlf_no_newline.txt" };
	struct samegame same = board_of("0020 1122 1212");

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct samegame g = loaded(data(files[i]));

		assert_int_equal(g.rows, 3);
		assert_int_equal(g.columns, 4);
		assert_int_equal(g.colours, 2);
		assert_memory_equal(g.cell, same.cell, sizeof(g.cell));
		assert_string_equal(g.name, files[i]);
	}
}

static int load_and_drop(const char *name, struct err *e)
{
	struct samegame g;
	int status = samegame_load(&g, name, e);

	if (status)
		assert_int_equal(g.rows, 0);
	return status;
}

static const struct bad_file bad_files[] = {
	{ "empty.txt", 0, "no board" },
	{ "only_comments.txt", 0, "no board" },
	{ "letter.txt", 3, "column 2: expected a colour from 0 to 6" },
	{ "minus.txt", 2, "column 1: expected a colour" },
	{ "colour_7.txt", 2, "column 2: expected a colour" },
	{ "columns_differ.txt", 2, "2 columns, but the first row has 3" },
	{ "columns_more.txt", 3, "3 columns, but the first row has 2" },
	{ "columns_21.txt", 1, "more than 20 columns" },
	{ "rows_21.txt", 21, "more than 20 rows" },
	{ "floating.txt", 3, "column 2: empty cell below a stone" },
	{ "gap.txt", 2, "column 2 is empty but the next one is not" },
	{ "gap_first.txt", 1, "column 1 is empty" },
	{ "long_line.txt", 2, "line too long" },
	{ "nul_byte.txt", 2, "not text" },
	{ "does_not_exist.txt", 0, "No such file" },
};

static void bad_files_are_refused_with_their_line(void **state)
{
	(void)state;
	check_bad_files("bad_samegames", bad_files, sizeof(bad_files) / sizeof(bad_files[0]),
			load_and_drop);
}

static void bad_names_are_refused(void **state)
{
	static const char *const names[] = {
		"random:",           "random:15x15:5",      "random:15x15:5:",
		"random:15:5:1",     "random:0x15:5:1",     "random:21x15:5:1",
		"random:15x21:5:1",  "random:15x15:7:1",    "random:15x15:0:1",
		"random:-15x15:5:1", "random:15x15:5: 1",   "random:15x15:5:1:1",
		"random:15x15:5:1x", "random:99999x15:5:1", "."
	};

	(void)state;
	check_bad_names(names, sizeof(names) / sizeof(names[0]), load_and_drop);
}

/* These boards must never change: recorded results depend on them. */
static void generated_boards_never_change(void **state)
{
	struct samegame g = loaded("random:3x4:5:1"), h = loaded("random:15x15:5:1");
	struct samegame same = board_of("1511 2414 1131");
	int seen[SAMEGAME_MAX_COLOURS + 1] = { 0 };

	(void)state;
	assert_memory_equal(g.cell, same.cell, sizeof(g.cell));
	assert_string_equal(h.name, "samegame-15x15-c5-s1");
	assert_int_equal(h.colours, 5);
	for (int i = 0; i < 225; i++)
		seen[h.cell[i]]++;
	assert_int_equal(seen[0] + seen[6], 0);
	for (int colour = 1; colour <= 5; colour++)
		assert_in_range(seen[colour], 25, 65);
	assert_true(samegame_is_name("random:3x4:5:1") && !samegame_is_name("board.txt"));
}

static void write_board(const struct samegame *g, const char *path)
{
	FILE *out = fopen(path, "w");

	assert_non_null(out);
	for (int i = 0; i < g->rows * g->columns; i++)
		fprintf(out, "%d%s", g->cell[i], (i + 1) % g->columns ? "" : "\n");
	assert_int_equal(fclose(out), 0);
}

static void boards_of_all_sizes_can_be_read(void **state)
{
	static const char *const names[] = { "random:1x1:1:1", "random:20x20:6:2",
					     "random:15x15:5:3", "random:1x20:2:4",
					     "random:20x1:2:5" };
	char path[80];

	(void)state;
	snprintf(path, sizeof(path), "%s/board.txt", folder);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct samegame g = loaded(names[i]), back;

		write_board(&g, path);
		back = loaded(path);
		assert_int_equal(back.rows, g.rows);
		assert_int_equal(back.columns, g.columns);
		assert_int_equal(back.colours, g.colours);
		assert_memory_equal(back.cell, g.cell, sizeof(g.cell));
	}
}

/* The reader must handle any bytes: a good file with random bytes changed or cut. */
static void damaged_files_are_read_or_refused(void **state)
{
	static const char good[] = "# a board\n1 0 0 2\n1 2 0 1\n6 1 4 2\n";
	static const char bytes[] = "0123456789 -#:x\n\r\t\0\xff";
	char path[80];

	(void)state;
	snprintf(path, sizeof(path), "%s/damaged.txt", folder);
	assert_in_range(check_damaged_files(path, good, bytes, sizeof(bytes) - 1, 5, load_and_drop),
			20, 1900);
}

static void a_move_removes_the_group_and_stones_fall(void **state)
{
	/* the 2s: three on the right and one above, which joins them */
	struct samegame g = board_of("0020 1122 1212");
	struct samegame after = board_of("0000 1100 1210");
	struct samegame end = board_of("0000 0000 2100");
	const int64_t moves[] = { 7, 4 };
	int64_t points;
	bool over;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(samegame_groups(&g, NULL), 2);
	assert_int_equal(samegame_play(&g, moves, 1, &points, &e), 0);
	assert_int_equal(points, 4);
	assert_memory_equal(g.cell, after.cell, sizeof(g.cell));
	assert_int_equal(samegame_play(&g, moves + 1, 1, &points, &e), 0);
	assert_int_equal(points, 1);
	assert_memory_equal(g.cell, end.cell, sizeof(g.cell));
	assert_int_equal(samegame_end_points(&g, &over), -2);
	assert_true(over);
	g = board_of("0020 1122 1212");
	assert_int_equal(samegame_score(&g, moves, 2, &points, &e), 0);
	assert_int_equal(points, 4 + 1 - 1 - 1);
}

static void empty_columns_close(void **state)
{
	struct samegame g = board_of("2130 2113 2113 2113");
	struct samegame after = board_of("2000 2030 2030 2330");
	const int64_t move = 1;
	int64_t points;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(samegame_play(&g, &move, 1, &points, &e), 0);
	assert_int_equal(points, (7 - 2) * (7 - 2));
	assert_memory_equal(g.cell, after.cell, sizeof(g.cell));
}

static void an_empty_board_gives_1000(void **state)
{
	struct samegame g = board_of("121 121");
	const int64_t moves[] = { 4, 0 };
	int64_t score;
	bool over;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(samegame_score(&g, moves, 2, &score, &e), 0);
	assert_int_equal(score, 0 + 4 + 1000);
	assert_int_equal(samegame_end_points(&g, &over), -4 - 0);
	assert_false(over);
}

static void stones_left_at_the_end_cost_points(void **state)
{
	/* five, three and one of a colour */
	struct samegame g = board_of("121 213 121");
	bool over;

	(void)state;
	assert_int_equal(samegame_end_points(&g, &over), -9 - 1 - 1);
	assert_true(over);
}

static void wrong_moves_are_refused(void **state)
{
	static const struct {
		int64_t moves[2];
		size_t count;
		const char *words;
	} wrong[] = {
		{ { -1 }, 1, "move 1: no stone at cell -1" },
		{ { 12 }, 1, "move 1: no stone at cell 12" },
		{ { 0 }, 1, "move 1: no stone at cell 0" },
		{ { 9 }, 1, "move 1: the stone has no neighbour of its colour at cell 9" },
		{ { 7, 7 }, 2, "move 2: no stone at cell 7" },
		{ { 7 }, 1, "moves are still possible after the last one, move 1" },
	};
	struct samegame g = board_of("0020 1122 1212");

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		int64_t score;
		struct err e = { 0 };

		assert_int_equal(samegame_score(&g, wrong[i].moves, wrong[i].count, &score, &e),
				 ERR_INPUT);
		assert_string_equal(e.text, wrong[i].words);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_files_of_all_layouts_are_equal),
		cmocka_unit_test(bad_files_are_refused_with_their_line),
		cmocka_unit_test(bad_names_are_refused),
		cmocka_unit_test(generated_boards_never_change),
		cmocka_unit_test(boards_of_all_sizes_can_be_read),
		cmocka_unit_test(damaged_files_are_read_or_refused),
		cmocka_unit_test(a_move_removes_the_group_and_stones_fall),
		cmocka_unit_test(empty_columns_close),
		cmocka_unit_test(an_empty_board_gives_1000),
		cmocka_unit_test(stones_left_at_the_end_cost_points),
		cmocka_unit_test(wrong_moves_are_refused),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
