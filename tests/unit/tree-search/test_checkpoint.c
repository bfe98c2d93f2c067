/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Checkpoints: written ones are read back, and everything else is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "algorithms/tree-search/checkpoint.h"
#include "harness/base/outfile.h"
#include "harness/base/rng.h"
#include "tests/unit/datasets/instance_files.h"
#include "tests/unit/base/temporary_folder.h"

/* ---- random checkpoints ---- */

static void random_permutation(struct rng *r, uint16_t *out, int items)
{
	for (int i = 0; i < items; i++) {
		uint64_t j = rng_below(r, (uint64_t)i + 1);

		out[i] = out[j];
		out[j] = (uint16_t)i;
	}
}

static void random_node(struct rng *r, uint16_t *node, int items)
{
	int prefix = (int)rng_below(r, (uint64_t)items);
	int suffix = (int)rng_below(r, (uint64_t)(items - prefix));

	node[0] = (uint16_t)prefix;
	node[1] = (uint16_t)suffix;
	node[2] = (uint16_t)rng_between(r, 0, items - prefix - suffix);
	node[3] = (uint16_t)rng_below(r, 2);
	random_permutation(r, node + 4, items);
}

/* Interval `index` of those whose first digits are index and index + 1; count < items. */
static void random_interval(struct rng *r, uint16_t *work, int items, uint64_t index)
{
	for (int i = 0; i < items; i++) {
		work[i] = (uint16_t)rng_below(r, (uint64_t)(items - i));
		work[items + i] = (uint16_t)(items - 1 - i);
	}
	work[0] = work[items] = (uint16_t)index;
}

static struct checkpoint random_checkpoint(struct rng *r, int items, enum checkpoint_form form)
{
	size_t stride = checkpoint_stride(form, items);
	struct checkpoint c = { .form = form,
				.best = rng_between(r, 0, INT64_MAX),
				.solutions = rng_next(r) >> 1,
				.explored = rng_next(r) >> 1,
				.decomposed = rng_next(r) >> 1,
				.leaves = rng_below(r, 5),
				.evaluated = rng_next(r) >> 1,
				.seconds = 1e6 * rng_unit(r),
				.count = rng_below(r, (uint64_t)items + 1) };

	snprintf(c.key.problem, sizeof(c.key.problem), "flowshop");
	snprintf(c.key.instance, sizeof(c.key.instance), "some file's name.txt");
	snprintf(c.key.rule, sizeof(c.key.rule), "lb1-minbranch");
	c.key.hash = rng_next(r);
	c.key.items = items;
	c.key.first_ub = rng_between(r, 0, INT32_MAX);
	c.work = calloc(stride * (size_t)(c.count + 1), sizeof(*c.work));
	assert_non_null(c.work);
	for (uint64_t i = 0; i < c.count; i++) {
		if (form == CHECKPOINT_NODES)
			random_node(r, c.work + i * stride, items);
		else
			random_interval(r, c.work + i * stride, items, i);
	}
	if (rng_below(r, 4)) {
		uint16_t order[CHECKPOINT_MAX_ITEMS];

		random_permutation(r, order, items);
		c.order = malloc((size_t)items * sizeof(*c.order));
		assert_non_null(c.order);
		for (int i = 0; i < items; i++)
			c.order[i] = order[i];
	}
	return c;
}

static bool same(const struct checkpoint *a, const struct checkpoint *b)
{
	size_t items = (size_t)a->key.items, stride = checkpoint_stride(a->form, a->key.items);

	return !memcmp(&a->key, &b->key, sizeof(a->key)) && a->form == b->form &&
	       a->best == b->best && !a->order == !b->order &&
	       (!a->order || !memcmp(a->order, b->order, items * sizeof(*a->order))) &&
	       a->solutions == b->solutions && a->explored == b->explored &&
	       a->decomposed == b->decomposed && a->leaves == b->leaves &&
	       a->evaluated == b->evaluated && a->seconds == b->seconds && a->count == b->count &&
	       (!a->count || !memcmp(a->work, b->work, a->count * stride * sizeof(*a->work)));
}

static const char *path_of(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static struct checkpoint read_back(const char *path)
{
	struct checkpoint c;
	struct err e = { 0 };

	if (checkpoint_read(&c, path, &e))
		fail_msg("%s", e.text);
	return c;
}

/* ---- tests ---- */

static void written_checkpoints_are_read_back(void **state)
{
	struct rng r = rng_seeded(1);

	(void)state;
	for (int trial = 0; trial < 60; trial++) {
		int items = (int)rng_between(&r, 1, trial % 20 ? 60 : CHECKPOINT_MAX_ITEMS);
		struct checkpoint c =
			random_checkpoint(&r, items, (enum checkpoint_form)(trial & 1));

		assert_int_equal(checkpoint_write(&c, path_of("c.txt"), NULL), 0);
		struct checkpoint back = read_back(path_of("c.txt"));

		assert_true(same(&c, &back));
		assert_int_equal(checkpoint_matches(&back, &c.key, NULL), 0);
		checkpoint_free(&back);
		checkpoint_free(&c);
	}
}

/* Threads and devices deliver them in any order. */
static void intervals_are_sorted_before_writing(void **state)
{
	struct rng r = rng_seeded(2);
	struct checkpoint c = random_checkpoint(&r, 9, CHECKPOINT_INTERVALS);
	size_t bytes = 18 * sizeof(*c.work);
	uint16_t *sorted;

	(void)state;
	free(c.work);
	c.count = 9;
	c.work = malloc(9 * bytes);
	sorted = malloc(9 * bytes);
	assert_true(c.work && sorted);
	for (uint64_t i = 0; i < 9; i++) {
		random_interval(&r, sorted + 18 * i, 9, i);
		memcpy(c.work + 18 * (i * 4 % 9), sorted + 18 * i, bytes);
	}
	assert_int_equal(checkpoint_write(&c, path_of("c.txt"), NULL), 0);
	struct checkpoint back = read_back(path_of("c.txt"));

	assert_memory_equal(back.work, sorted, 9 * bytes);
	checkpoint_free(&back);
	free(sorted);
	checkpoint_free(&c);
}

static void overlapping_intervals_are_not_written(void **state)
{
	struct rng r = rng_seeded(3);
	struct checkpoint c = random_checkpoint(&r, 9, CHECKPOINT_INTERVALS);
	struct err e = { 0 };
	struct stat st;

	(void)state;
	free(c.work);
	c.count = 2;
	c.work = calloc(2 * 18, sizeof(*c.work));
	assert_non_null(c.work);
	random_interval(&r, c.work, 9, 4);
	memcpy(c.work + 18, c.work, 18 * sizeof(*c.work));
	memcpy(c.work + 18, c.work + 9,
	       9 * sizeof(*c.work)); /* begins with the last number of the other */
	assert_int_equal(checkpoint_write(&c, path_of("none.txt"), &e), ERR_FAILED);
	assert_non_null(strstr(e.text, "overlap"));
	assert_int_equal(stat(path_of("none.txt"), &st), -1);
	checkpoint_free(&c);
}

static void failed_writes_keep_the_old_file(void **state)
{
	struct rng r = rng_seeded(4);
	struct checkpoint c = random_checkpoint(&r, 5, CHECKPOINT_NODES);
	struct err e = { 0 };

	(void)state;
	assert_int_equal(checkpoint_write(&c, path_of("file"), NULL), 0);
	assert_int_equal(checkpoint_write(&c, path_of("file/below"), &e), ERR_IO);
	struct checkpoint back = read_back(path_of("file"));

	assert_true(same(&c, &back));
	checkpoint_free(&back);
	checkpoint_free(&c);
}

static void only_a_stopped_search_ends_without_its_file(void **state)
{
	struct rng g = rng_seeded(8);
	struct checkpoint c = random_checkpoint(&g, 5, CHECKPOINT_NODES);
	struct checkpoint_plan plan = { .period = 1 };
	const struct search_request r = { .checkpoint = &plan };
	struct err e = { 0 };

	(void)state;
	assert_int_equal(checkpoint_write(&c, path_of("file"), NULL), 0);
	c.count = 1;
	plan.write = path_of("file/below");
	assert_int_equal(checkpoint_store(&c, &r, &e), 0);
	assert_true(plan.failing);
	assert_string_equal(e.text, "");
	assert_int_equal(checkpoint_store_last(&c, &r, &e), ERR_IO);
	assert_non_null(strstr(e.text, "file/below"));
	c.count = 0;
	assert_int_equal(checkpoint_store_last(&c, &r, &e), 0);
	plan.write = path_of("file");
	assert_int_equal(checkpoint_store(&c, &r, &e), 0);
	assert_false(plan.failing);
	assert_int_equal(checkpoint_missed(&r, ERR_FAILED, &e), ERR_FAILED);
	assert_false(plan.failing);
	checkpoint_free(&c);
}

static void instance_names_may_hold_any_characters(void **state)
{
	struct rng r = rng_seeded(5);
	struct checkpoint c = random_checkpoint(&r, 5, CHECKPOINT_NODES);

	(void)state;
	snprintf(c.key.instance, sizeof(c.key.instance), "a\nend b\t");
	assert_int_equal(checkpoint_write(&c, path_of("c.txt"), NULL), 0);
	struct checkpoint back = read_back(path_of("c.txt"));

	assert_string_equal(back.key.instance, "a?end b?");
	checkpoint_free(&back);
	c.key.instance[0] = '\0';
	assert_int_equal(checkpoint_write(&c, path_of("c.txt"), NULL), 0);
	back = read_back(path_of("c.txt"));
	assert_string_equal(back.key.instance, "-");
	checkpoint_free(&back);
	checkpoint_free(&c);
}

/* Truncated anywhere or with one changed byte: refused, or read as the same. */
static void truncated_and_changed_files_are_refused(void **state)
{
	static const char *const good[] = { "checkpoint_intervals.txt", "checkpoint_nodes.txt",
					    "checkpoint_boards.txt" };
	struct rng r = rng_seeded(6);

	(void)state;
	for (int g = 0; g < 3; g++) {
		struct checkpoint whole = read_back(data(good[g])), c;
		size_t length;
		char *text;

		assert_int_equal(outfile_read(data(good[g]), 10000, &text, &length, NULL), 0);
		for (size_t i = 0; i < 2 * length; i++) {
			size_t at = i % length;
			char old = text[at];

			text[at] = i < length ? old : (char)rng_below(&r, 256);
			FILE *f = fopen(path_of("damaged"), "w");

			assert_non_null(f);
			fwrite(text, 1, i < length ? i : length, f);
			fclose(f);
			if (checkpoint_read(&c, path_of("damaged"), NULL) == 0) {
				assert_true(same(&c, &whole));
				checkpoint_free(&c);
			}
			text[at] = old;
		}
		free(text);
		checkpoint_free(&whole);
	}
}

static int read_and_drop(const char *path, struct err *e)
{
	struct checkpoint c;
	int status = checkpoint_read(&c, path, e);

	if (status) {
		assert_null(c.work);
		assert_null(c.order);
	}
	checkpoint_free(&c);
	return status;
}

static const struct bad_file bad_files[] = {
	{ "empty.txt", 1, "before its title" },
	{ "other_file.txt", 1,
	  "not a checkpoint of a tree search: expected \"copra-checkpoint 1\"" },
	{ "other_version.txt", 1, "format 2, this copra reads format 1: resume it with" },
	{ "title_alone.txt", 2, "before problem" },
	{ "problem_unknown.txt", 2, "unknown problem: knapsack" },
	{ "problem_long.txt", 2, "problem has 16 characters, not 1 to 15" },
	{ "line_long.txt", 3, "line too long" },
	{ "field_order.txt", 4, "expected \"hash ...\"" },
	{ "hash_short.txt", 4, "not a hash" },
	{ "hash_letters.txt", 4, "not a hash" },
	{ "items_zero.txt", 5, "items is 0" },
	{ "items_many.txt", 5, "items is more than 1000" },
	{ "items_negative.txt", 5, "items is negative" },
	{ "items_more.txt", 5, "unexpected text at the end of the line" },
	{ "rule_empty.txt", 6, "rule has 0 characters" },
	{ "best_text.txt", 8, "best is not an integer" },
	{ "nul_byte.txt", 9, "not text" },
	{ "order_short.txt", 9, "a number of the line is missing" },
	{ "order_long.txt", 9, "unexpected text at the end of the line" },
	{ "order_twice.txt", 9, "item 0 occurs twice" },
	{ "order_range.txt", 9, "item 4 is not below 4" },
	{ "count_overflow.txt", 12, "decomposed does not fit" },
	{ "seconds_nan.txt", 15, "is not a number >= 0" },
	{ "seconds_negative.txt", 15, "is not a number >= 0" },
	{ "form_unknown.txt", 16, "expected \"intervals ...\" or \"nodes ...\"" },
	{ "nodes_of_queens.txt", 16, "nodes are for flowshop and whole boards only" },
	{ "digit_range.txt", 17, "digit 1 is 3, more than 2" },
	{ "digit_missing.txt", 17, "a number of the line is missing" },
	{ "digit_more.txt", 17, "unexpected text at the end of the line" },
	{ "digit_text.txt", 17, "not an integer" },
	{ "interval_backwards.txt", 17, "ends before it begins" },
	{ "intervals_overlap.txt", 18, "does not follow the previous one" },
	{ "node_sizes.txt", 17, "more than 4 jobs" },
	{ "node_complete.txt", 17, "a complete schedule" },
	{ "node_place.txt", 17, "place of the children is 2" },
	{ "node_twice.txt", 17, "item 1 occurs twice" },
	{ "node_range.txt", 17, "item 4 is not below 4" },
	{ "board_attacked.txt", 17, "queens in columns 0 and 1 attack each other" },
	{ "board_child_attacked.txt", 17, "queens in columns 2 and 3 attack each other" },
	{ "board_suffix.txt", 17, "a node of N-Queens has no suffix" },
	{ "board_complete.txt", 17, "a complete board is not an open node" },
	{ "board_from_middle.txt", 17, "queens in columns 2 and 3 attack each other" },
	{ "work_missing.txt", 19, "not an integer" },
	{ "work_gigantic.txt", 19, "not an integer" },
	{ "work_too_many.txt", 18, "expected \"end ...\"" },
	{ "end_missing.txt", 19, "before end" },
	{ "hash_wrong.txt", 19, "does not match the lines before" },
	{ "changed_digit.txt", 19, "does not match the lines before" },
	{ "more_behind.txt", 20, "the file continues" },
	{ "carriage_return.txt", 1,
	  "not a checkpoint of a tree search: expected \"copra-checkpoint 1\"" },
};

static void bad_files_are_refused_with_their_line(void **state)
{
	struct err e = { 0 };

	(void)state;
	check_bad_files("bad_checkpoints", bad_files, sizeof(bad_files) / sizeof(bad_files[0]),
			read_and_drop);
	assert_int_equal(read_and_drop(path_of("not there"), &e), ERR_INPUT);
	assert_non_null(strstr(e.text, "not there"));
}

static void checkpoints_of_other_searches_are_refused(void **state)
{
	struct checkpoint c = read_back(data("checkpoint_intervals.txt"));
	struct checkpoint_key key = c.key;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(checkpoint_matches(&c, &key, &e), 0);
	strcpy(key.instance, "the same under another name");
	assert_int_equal(checkpoint_matches(&c, &key, &e), 0);
	key.first_ub++;
	assert_int_equal(checkpoint_matches(&c, &key, &e), ERR_INPUT);
	assert_non_null(strstr(e.text, "by the bound 30, not 31"));
	strcpy(key.rule, "lb1-maxsum");
	assert_int_equal(checkpoint_matches(&c, &key, &e), ERR_INPUT);
	assert_non_null(strstr(e.text, "lb1-minbranch, not lb1-maxsum"));
	strcpy(c.key.rule, key.rule); /* trees of MaxSum do not depend on the first bound */
	assert_int_equal(checkpoint_matches(&c, &key, &e), 0);
	key.hash++;
	assert_int_equal(checkpoint_matches(&c, &key, &e), ERR_INPUT);
	assert_non_null(strstr(e.text, "another instance"));
	key.items++;
	assert_int_equal(checkpoint_matches(&c, &key, &e), ERR_INPUT);
	assert_non_null(strstr(e.text, "4 items, not 5"));
	strcpy(key.problem, "atsp");
	assert_int_equal(checkpoint_matches(&c, &key, &e), ERR_INPUT);
	assert_non_null(strstr(e.text, "of flowshop, not of atsp"));
	checkpoint_free(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(written_checkpoints_are_read_back),
		cmocka_unit_test(intervals_are_sorted_before_writing),
		cmocka_unit_test(overlapping_intervals_are_not_written),
		cmocka_unit_test(failed_writes_keep_the_old_file),
		cmocka_unit_test(only_a_stopped_search_ends_without_its_file),
		cmocka_unit_test(instance_names_may_hold_any_characters),
		cmocka_unit_test(truncated_and_changed_files_are_refused),
		cmocka_unit_test(bad_files_are_refused_with_their_line),
		cmocka_unit_test(checkpoints_of_other_searches_are_refused),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
