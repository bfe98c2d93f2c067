/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "datasets/samegame/samegame.h"
#include "tests/fuzz/fuzz.h"

static void check_board(const struct samegame *g)
{
	FUZZ_CHECK(g->rows >= 1 && g->rows <= SAMEGAME_MAX_ROWS);
	FUZZ_CHECK(g->columns >= 1 && g->columns <= SAMEGAME_MAX_COLUMNS);
	FUZZ_CHECK(g->colours <= SAMEGAME_MAX_COLOURS);
	for (int i = 0; i < g->rows * g->columns; i++) {
		FUZZ_CHECK(g->cell[i] <= g->colours);
		if (i >= g->columns && g->cell[i - g->columns])
			FUZZ_CHECK(g->cell[i] != 0);
	}
}

/* A board that was read can be played to its end. */
static void play(struct samegame *g)
{
	int first[SAMEGAME_MAX_CELLS];
	struct err e = { 0 };

	while (samegame_groups(g, first) > 0) {
		int64_t move = first[0], points;

		FUZZ_CHECK(samegame_play(g, &move, 1, &points, &e) == 0);
	}
}

FUZZ_READER(samegame)
{
	struct samegame g;
	struct err e = { 0 };

	if (!fuzz_status(samegame_load(&g, fuzz_file(data, size), &e), &e)) {
		FUZZ_CHECK(g.rows == 0);
		return;
	}
	check_board(&g);
	play(&g);
}
