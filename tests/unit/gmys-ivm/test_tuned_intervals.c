/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* N-Queens and ATSP by intervals on simulated devices: exact counts against published values and a
 * plain recursion, from any partition into intervals, on several devices, and after any number of
 * stops. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "kernels/gmys-ivm/factoradic.h"
#include "algorithms/gmys-ivm/ivm_search.h"
#include "algorithms/tree-search/checkpoint.h"
#include "kernels/tree-search/queens.h"
#include "datasets/atsp/atsp.h"
#include "harness/base/rng.h"
#include "tests/unit/device/simulated_devices.h"
#include "tests/unit/tree-search/small_searches.h"

struct counts {
	uint64_t decomposed, leaves, solutions;
};

/* ---- the plain recursions ---- */

static void plain_queens(int n, const int *column, int row, struct counts *c)
{
	int board[16];

	for (int i = 0; i < row; i++)
		board[i] = column[i];
	for (int x = 0; x < (row ? n : (n + 1) / 2); x++) {
		bool safe = true;

		for (int i = 0; i < row; i++)
			safe &= board[i] != x && abs(board[i] - x) != row - i;
		if (!safe)
			continue;
		board[row] = x;
		if (row + 1 < n) {
			c->decomposed++;
			plain_queens(n, board, row + 1, c);
		} else {
			c->leaves++;
			c->solutions += 2 * board[0] == n - 1 ? 1 : 2;
		}
	}
}

static void plain_atsp(const struct atsp *a, int64_t ub, const int *path, int length, int64_t cost,
		       struct counts *c)
{
	int longer[16];

	memcpy(longer, path, (size_t)length * sizeof(*longer));
	if (cost > ub)
		return;
	if (length == a->cities) {
		c->leaves += cost + a->cost[path[length - 1] * a->cities] <= ub;
		return;
	}
	for (int x = 1; x < a->cities; x++) {
		bool seen = false;

		for (int i = 0; i < length; i++)
			seen |= path[i] == x;
		longer[length] = x;
		if (!seen)
			plain_atsp(a, ub, longer, length + 1,
				   cost + a->cost[path[length - 1] * a->cities + x], c);
	}
	c->decomposed++;
}

/* ---- one search ---- */

static struct search_outcome search(struct search_request r, int devices, const char *schedule,
				    int seed, int expected)
{
	struct dev_set set;
	struct search_outcome o;
	struct err e = { 0 };
	int status;

	open_devices(&set, devices, schedule, seed);
	r.devices = &set;
	status = ivm_tuned_intervals(&r, &o, &e);
	if (status != expected)
		fail_msg("status %d: %s", status, e.text);
	dev_set_close(&set);
	return o;
}

static void assert_counts(const struct search_outcome *o, const struct counts *c)
{
	assert_int_equal(o->decomposed, c->decomposed);
	assert_int_equal(o->solutions, c->solutions);
	if (!c->solutions) /* the serial search of N-Queens does not count leaves */
		assert_int_equal(o->leaves, c->leaves);
}

static void check_queens(int n, int devices, const char *schedule, int seed, unsigned forms)
{
	struct search_request r = { .queens = n, .half_board = true, .forms = forms };
	struct search_outcome o = search(r, devices, schedule, seed, 0);
	struct counts c = { 0 };

	plain_queens(n, NULL, 0, &c);
	assert_true(o.complete);
	assert_counts(&o, &c);
}

static void all_small_boards_match_published_counts(void **state)
{
	(void)state;
	for (int n = 1; n <= 10; n++)
		check_queens(n, 1, "random", n, 0);
	check_queens(SANITIZED ? 9 : 12, 1, "order", 1, 0);
}

static void boards_match_on_several_devices(void **state)
{
	(void)state;
	for (int n = 7; n <= 11 - SANITIZED; n++)
		check_queens(n, 2 + n % 3, n % 2 ? "random" : "reverse", n, 0);
}

/* A random instance and its optimum. */
static void small_atsp(struct atsp *a, int cities, int most, int seed, int64_t *optimum)
{
	char name[64];
	struct err e = { 0 };

	snprintf(name, sizeof(name), "random:%d:%d:%d", cities, most, seed);
	if (atsp_load(a, name, &e) || atsp_held_karp(a, NULL, optimum, NULL, &e))
		fail_msg("%s", e.text);
}

static void check_atsp(int cities, int most, int seed, int devices, unsigned forms)
{
	struct atsp a;
	struct search_request r = { .atsp = &a, .forms = forms };
	struct search_outcome o;
	struct counts c = { 0 };
	int start = 0;

	small_atsp(&a, cities, most, seed, &r.ub);
	r.ub += seed % 3 == 0 ? most / 4 : 0;
	plain_atsp(&a, r.ub, &start, 1, 0, &c);
	/* tours below `ub` lower the bound; the counts are those of `ub` only if there is none */
	o = search(r, devices, "random", seed, 0);
	assert_true(o.complete);
	if (seed % 3)
		assert_counts(&o, &c);
	else
		assert_int_equal(atsp_tour_cost(&a, o.order), o.best);
	assert_in_range(o.best, 0, r.ub);
	search_outcome_free(&o);
	atsp_free(&a);
}

static void random_atsp_trees_match_a_plain_count(void **state)
{
	(void)state;
	for (int i = 0; i < (SANITIZED ? 40 : 200); i++)
		check_atsp(2 + i % 9, i % 4 ? 1000 : 10, i + 1, 1 + i % 7 / 6, 0);
}

/* Lanes that wait for each other, or that share no nodes at the end. */
static void every_form_gives_the_same_counts(void **state)
{
	static const unsigned form[] = { SEARCH_NO_REFILL, SEARCH_NO_SHARING,
					 SEARCH_NO_REFILL | SEARCH_NO_SHARING };

	(void)state;
	for (int i = 0; i < 3; i++)
		for (int n = 7; n <= 10; n++) {
			check_queens(n, 1 + n % 2, "random", n, form[i]);
			check_atsp(n, 1000, n, 1 + n % 2, form[i]);
		}
}

/* Finds the optimum and its tour without a bound and from one that is too high, on one and on three
 * devices. */
static void atsp_optimum_is_found_without_a_bound(void **state)
{
	(void)state;
	for (int i = 0; i < (SANITIZED ? 6 : 24); i++) {
		struct atsp a;
		int64_t optimum;
		struct search_request r = { .atsp = &a };
		struct search_outcome o;

		small_atsp(&a, 5 + i % 6, 300, 1000 + i, &optimum);
		r.ub = i % 2 ? SEARCH_NO_UB : optimum + 150;
		o = search(r, 1 + 2 * (i % 3 / 2), "random", i, 0);
		assert_int_equal(o.best, optimum);
		assert_int_equal(o.lower_bound, optimum);
		assert_int_equal(atsp_tour_cost(&a, o.order), optimum);
		search_outcome_free(&o);
		atsp_free(&a);
	}
}

/* ---- intervals ---- */

struct folder {
	char path[64];
	char file[96];
};

static void make_folder(struct folder *f)
{
	strcpy(f->path, "/tmp/copra-intervals-XXXXXX");
	assert_non_null(mkdtemp(f->path));
	snprintf(f->file, sizeof(f->file), "%s/state", f->path);
}

static void remove_folder(const struct folder *f)
{
	unlink(f->file);
	assert_int_equal(rmdir(f->path), 0);
}

static int by_number(const void *a, const void *b)
{
	return ivm_factoradic_compare(a, b, 16);
}

/* Cuts [0, n!) into intervals at `cuts` random numbers. */
static void write_partition(const struct search_request *r, int cuts, uint64_t seed,
			    const char *file)
{
	struct checkpoint c = { .form = CHECKPOINT_INTERVALS, .best = r->atsp ? r->ub : 0 };
	uint16_t begin[20][16] = { { 0 } };
	struct rng random = rng_seeded(seed);
	struct err e = { 0 };
	int n, count = 0;

	checkpoint_key_of(r, r->atsp ? r->ub : 0, &c.key);
	n = c.key.items;
	for (int i = 1; i <= cuts; i++)
		for (int k = 0; k < n; k++)
			begin[i][k] = (uint16_t)rng_below(&random, (uint64_t)(n - k));
	qsort(begin, (size_t)cuts + 1, sizeof(begin[0]), by_number);
	c.work = calloc((size_t)cuts + 1, 4 * 16);
	assert_non_null(c.work);
	for (int i = 0; i <= cuts; i++) {
		uint16_t *work = c.work + count * 2 * n;

		if (i < cuts && !by_number(begin[i], begin[i + 1]))
			continue;
		memcpy(work, begin[i], (size_t)n * sizeof(*work));
		ivm_factoradic_last(work + n, n);
		if (i < cuts) {
			memcpy(work + n, begin[i + 1], (size_t)n * sizeof(*work));
			ivm_factoradic_previous(work + n, n);
		}
		count++;
	}
	c.count = (uint64_t)count;
	if (checkpoint_write(&c, file, &e))
		fail_msg("%s", e.text);
	checkpoint_free(&c);
}

static void check_partition(struct search_request r, const struct counts *c, int cuts, int seed)
{
	struct folder f;
	struct checkpoint_plan plan = { .resume = f.file };
	struct search_outcome o;

	make_folder(&f);
	write_partition(&r, cuts, (uint64_t)seed, f.file);
	r.checkpoint = &plan;
	o = search(r, 1 + seed % 2, "random", seed, 0);
	assert_true(o.complete);
	assert_counts(&o, c);
	search_outcome_free(&o);
	remove_folder(&f);
}

static void any_partition_of_a_board_gives_the_same_counts(void **state)
{
	(void)state;
	for (int n = 1; n <= 9; n++) {
		struct counts c = { 0 };

		plain_queens(n, NULL, 0, &c);
		for (int k = 0; k < (SANITIZED ? 2 : 8); k++)
			check_partition((struct search_request){ .queens = n, .half_board = true },
					&c, k * 2, 100 * n + k);
	}
}

static void any_partition_of_an_atsp_gives_the_same_counts(void **state)
{
	(void)state;
	for (int i = 0; i < (SANITIZED ? 10 : 60); i++) {
		struct atsp a;
		struct search_request r = { .atsp = &a };
		struct counts c = { 0 };
		int start = 0;

		small_atsp(&a, 3 + i % 7, 400, 5000 + i, &r.ub);
		plain_atsp(&a, r.ub, &start, 1, 0, &c);
		check_partition(r, &c, i % 17, 7000 + i);
		atsp_free(&a);
	}
}

/* Runs the search by intervals on devices or, at random, one IVM on the host. Each resumes from the
 * checkpoint of the other. */
static int search_a_while(const struct search_request *r, bool serial, struct search_outcome *o,
			  struct err *e)
{
	struct ivm_request request = { .common = *r };
	struct ivm_outcome outcome;
	int status;

	if (!serial)
		return ivm_tuned_intervals(r, o, e);
	status = ivm_search(SOLVE_SERIAL, &request, &outcome, e);
	*o = outcome.common;
	return status;
}

/* Stops a search after short random times and resumes it on a different number of devices until it
 * is complete. The counts do not change. */
static int stop_and_resume(struct search_request r, const struct counts *c, struct rng *random)
{
	struct folder f;
	struct checkpoint_plan plan = { 0 };
	int stops = 0;

	make_folder(&f);
	plan.write = f.file;
	plan.period = 1e-3;
	for (bool done = false; !done; stops += !done) {
		struct dev_set set;
		struct search_outcome o;
		struct err e = { 0 };
		int status;

		open_devices(&set, 1 + (int)rng_below(random, 3), "random", stops);
		r.devices = &set;
		r.checkpoint = &plan;
		/* grows, so that slow machines finish, too */
		r.time_limit = 1e-3 * (1 + stops / 10) * (double)(1 + rng_below(random, 20));
		status = search_a_while(&r, rng_below(random, 4) == 0, &o, &e);
		if (status && status != ERR_LIMIT)
			fail_msg("%s", e.text);
		plan.resume = f.file;
		done = !status;
		assert_int_equal(o.complete, done);
		if (done)
			assert_counts(&o, c);
		search_outcome_free(&o);
		dev_set_close(&set);
	}
	remove_folder(&f);
	return stops;
}

static void stopped_searches_resume_to_the_same_counts(void **state)
{
	struct rng random = rng_seeded(11);
	struct counts c = { 0 };
	int stops = 0, wanted = SANITIZED ? 10 : 100;

	(void)state;
	plain_queens(11, NULL, 0, &c);
	for (int i = 0; stops < wanted; i++) {
		struct atsp a;
		struct search_request r = { .queens = 11, .half_board = true };
		struct counts tours = { 0 };
		int start = 0;

		if (i % 2) {
			small_atsp(&a, 10, 60, i, &r.ub);
			r.atsp = &a;
			plain_atsp(&a, r.ub, &start, 1, 0, &tours);
		}
		stops += stop_and_resume(r, i % 2 ? &tours : &c, &random);
		if (i % 2)
			atsp_free(&a);
	}
}

/* ---- the rest ---- */

/* Searches of all boards whose counts fit 64 bits start, and stop at the time limit. */
static void large_boards_stop_at_the_time_limit(void **state)
{
	(void)state;
	for (int n = 17; n <= QUEENS_MAX_COUNTED; n += 9) {
		struct search_request r = { .queens = n, .half_board = true };
		struct search_outcome o = { 0 };

		/* a busy machine may need longer to begin */
		for (r.time_limit = 0.5; o.decomposed <= 1000 && r.time_limit < 60;
		     r.time_limit *= 4)
			o = search(r, 1, "order", 1, ERR_LIMIT);
		assert_false(o.complete);
		assert_true(o.decomposed > 1000);
	}
}

/* A 32-bit word holds the items of at most 33 cities. */
static void more_cities_than_bits_are_searched_by_ivms(void **state)
{
	struct atsp a;
	struct ivm_request r = { .common.atsp = &a };
	struct ivm_outcome o;
	struct dev_set set;
	struct err e = { 0 };

	(void)state;
	open_devices(&set, 1, "random", 1);
	r.common.devices = &set;
	assert_int_equal(atsp_load(&a, "random:33:1000:1", &e), 0);
	for (int i = 0; i < a.cities;
	     i++) /* a ring of arcs of cost 0; almost all other nodes are pruned */
		a.cost[i * a.cities + (i + 1) % a.cities] = 0;
	r.common.ub = 0;
	assert_int_equal(ivm_search(SOLVE_TUNED, &r, &o, &e), 0);
	assert_true(o.common.complete);
	assert_true(o.common.leaves >= 1);
	ivm_outcome_free(&o);
	atsp_free(&a);
	dev_set_close(&set);
}

static void invalid_requests_are_refused(void **state)
{
	struct dev_set set;
	struct search_request r = { .queens = 8, .half_board = true };
	struct search_outcome o;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(ivm_tuned_intervals(&r, &o, &e), ERR_DEVICE);
	open_devices(&set, 1, "order", 1);
	r.devices = &set;
	r.half_board = false;
	assert_int_equal(ivm_tuned_intervals(&r, &o, &e), ERR_USAGE);
	r.half_board = true;
	r.queens = 0;
	assert_int_equal(ivm_tuned_intervals(&r, &o, &e), ERR_INPUT);
	r.queens = QUEENS_MAX_COUNTED + 1;
	assert_int_equal(ivm_tuned_intervals(&r, &o, &e), ERR_UNSUPPORTED);
	dev_set_close(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_small_boards_match_published_counts),
		cmocka_unit_test(boards_match_on_several_devices),
		cmocka_unit_test(random_atsp_trees_match_a_plain_count),
		cmocka_unit_test(every_form_gives_the_same_counts),
		cmocka_unit_test(atsp_optimum_is_found_without_a_bound),
		cmocka_unit_test(any_partition_of_a_board_gives_the_same_counts),
		cmocka_unit_test(any_partition_of_an_atsp_gives_the_same_counts),
		cmocka_unit_test(stopped_searches_resume_to_the_same_counts),
		cmocka_unit_test(large_boards_stop_at_the_time_limit),
		cmocka_unit_test(more_cities_than_bits_are_searched_by_ivms),
		cmocka_unit_test(invalid_requests_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
