/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The counts of proofs: equal on any number of threads and devices, and to those of a plain
 * counter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "algorithms/tree-search/checkpoint.h"
#include "algorithms/tree-search/proof/proof.h"
#include "tests/unit/base/temporary_folder.h"
#include "tests/unit/device/simulated_devices.h"
#include "tests/unit/tree-search/plain_flowshop_tree.h"
#include "tests/unit/tree-search/small_flowshops.h"

static const char *counts_file(void)
{
	static char path[80];

	snprintf(path, sizeof(path), "%s/counts", folder);
	return path;
}

/* The node of a record, for the plain counter. */
static struct plain_node plain_of(const struct flowshop *f, const uint16_t *record)
{
	const uint16_t *job = record + RECORD_ITEMS;
	struct plain_node x, child;

	plain_root(f, &x);
	for (int i = 0; i < record[RECORD_PREFIX]; i++, x = child)
		plain_child(f, &x, job[i], false, &child);
	for (int i = f->jobs - 1; i >= f->jobs - record[RECORD_SUFFIX]; i--, x = child)
		plain_child(f, &x, job[i], true, &child);
	return x;
}

static uint64_t plain_count(const struct proof *p, const struct plain_node *x)
{
	struct plain_tree t = { .f = p->flowshop, .branching = FSP_MINBRANCH, .ub = p->bound };

	plain_tree_count(&t, x);
	assert_int_equal(t.leaves, 0);
	return t.decomposed;
}

static struct proof made(const struct flowshop *f, int64_t bound, int64_t parts)
{
	struct err e = { 0 };
	struct proof p;

	if (proof_make(&p, f, f->name, bound, NULL, parts, -1, &e))
		fail_msg("%s", e.text);
	return p;
}

static int64_t optimum_of(const struct flowshop *f)
{
	int64_t optimum;

	assert_int_equal(flowshop_brute_force(f, &optimum, NULL, NULL), 0);
	return optimum;
}

/* Counts all parts again: on cores, or on simulated devices. */
static void count(struct proof *p, int threads, int devices)
{
	struct proof_counting c = { .threads = threads,
				    .device_nodes = 1,
				    .partial = counts_file() };
	struct dev_set set;
	struct err e = { 0 };

	for (uint64_t i = 0; i < p->parts; i++)
		p->count[i] = PROOF_UNCOUNTED;
	open_devices(&set, devices ? devices : 1, "random", 1);
	c.devices = devices ? &set : NULL;
	if (proof_count(p, &c, &e))
		fail_msg("%s", e.text);
	dev_set_close(&set);
	assert_int_equal(proof_open(p), 0);
}

static void counts_match_plain_counter(void **state)
{
	(void)state;
	for (int seed = 1; seed <= 12; seed++) {
		struct flowshop f = random_flowshop(6 + seed % 4, 2 + seed % 3, 30, seed);
		struct proof p = made(&f, optimum_of(&f), 1 + seed);
		struct plain_node root;

		plain_root(&f, &root);
		for (int run = 0; run < 4; run++) {
			count(&p, run == 1 ? 3 : 1, run > 1 ? run - 1 : 0);
			assert_int_equal(proof_nodes(&p), plain_count(&p, &root));
			for (uint64_t i = 0; i < p.parts; i++) {
				size_t stride = checkpoint_stride(CHECKPOINT_NODES, f.jobs);
				struct plain_node x = plain_of(&f, p.record + i * stride);

				assert_int_equal(p.count[i], plain_count(&p, &x));
			}
		}
		proof_free(&p);
		flowshop_free(&f);
	}
}

/* Large enough that idle threads share its only part. */
static void one_part_is_divided_among_threads(void **state)
{
	struct flowshop f = loaded_flowshop("ta017");
	struct proof p = made(&f, 1460, 1);
	uint64_t nodes;

	(void)state;
	assert_int_equal(p.parts, 1);
	count(&p, 1, 0);
	nodes = proof_nodes(&p);
	assert_in_range(nodes, 400000, 8000000);
	count(&p, 3, 0);
	assert_int_equal(proof_nodes(&p), nodes);
	proof_free(&p);
	flowshop_free(&f);
}

/* A part that takes a device too long is counted by all devices, from its start. */
static void long_parts_are_searched_by_all_devices(void **state)
{
	struct flowshop f = loaded_flowshop("ta014");
	struct proof p = made(&f, 1377, 5);
	struct proof_counting c = {
		.threads = 1, .device_nodes = 50, .alone_seconds = 1e-9, .partial = counts_file()
	};
	struct dev_set set;
	struct err e = { 0 };

	(void)state;
	open_devices(&set, 2, "random", 1);
	c.devices = &set;
	if (proof_count(&p, &c, &e))
		fail_msg("%s", e.text);
	assert_int_equal(proof_nodes(&p), 19301);
	dev_set_close(&set);
	proof_free(&p);
	flowshop_free(&f);
}

/* The bound is above the optimum: whatever counts the parts finds a shorter schedule. */
static void shorter_schedules_are_found(void **state)
{
	(void)state;
	for (int run = 0; run < 3; run++) {
		struct flowshop f = random_flowshop(8, 3, 50, 7);
		int64_t optimum = optimum_of(&f), order[8];
		struct proof p = made(&f, optimum + 1, 4);
		struct proof_counting c = { .threads = 1 + run,
					    .device_nodes = 1,
					    .partial = counts_file(),
					    .order = order };
		struct dev_set set;
		struct err e = { 0 };

		open_devices(&set, 1, "random", 1);
		c.devices = run == 2 ? &set : NULL;
		assert_int_equal(proof_count(&p, &c, &e), ERR_FAILED);
		assert_int_equal(c.shorter, optimum);
		assert_int_equal(flowshop_makespan(&f, order), optimum);
		dev_set_close(&set);
		proof_free(&p);
		flowshop_free(&f);
	}
}

/* A stopped count, from its file, also if each part was stopped in the middle. */
static void stopped_counts_continue(void **state)
{
	volatile sig_atomic_t stop = 1;
	struct flowshop f = loaded_flowshop("ta014");
	struct proof p = made(&f, 1377, 100), q = made(&f, 1377, 100);
	struct proof_counting c = { .threads = 2, .stop = &stop, .partial = counts_file() };
	struct err e = { 0 };

	(void)state;
	assert_int_equal(proof_count(&p, &c, &e), ERR_LIMIT);
	count(&p, 2, 0);
	for (uint64_t i = 0; i < p.parts; i += 3)
		p.count[i] = PROOF_UNCOUNTED;
	assert_int_equal(proof_save(&p, counts_file(), &e), 0);
	assert_int_equal(proof_resume(&q, counts_file(), &e), 0);
	assert_int_equal(proof_open(&q), (p.parts + 2) / 3);
	c.stop = NULL;
	assert_int_equal(proof_count(&q, &c, &e), 0);
	assert_int_equal(proof_nodes(&q), 19301);
	proof_free(&q);
	q = made(&f, 1377, 50);
	assert_int_equal(proof_resume(&q, counts_file(), &e), ERR_INPUT);
	proof_free(&q);
	proof_free(&p);
	flowshop_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_match_plain_counter),
		cmocka_unit_test(one_part_is_divided_among_threads),
		cmocka_unit_test(long_parts_are_searched_by_all_devices),
		cmocka_unit_test(shorter_schedules_are_found),
		cmocka_unit_test(stopped_counts_continue),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
