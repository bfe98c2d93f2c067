/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The operations and bytes of the tree searches are those of the nodes that a plain search finds,
 * times the operations and bytes of each node written out by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "algorithms/gmys-ivm/ladder.h"
#include "algorithms/helbecque-pool/ladder.h"
#include "algorithms/tree-search/flowshop/fsp_cpu.h"
#include "algorithms/tree-search/flowshop/fsp_tables.h"
#include "algorithms/tree-search/nqueens/queens_cpu.h"
#include "algorithms/tree-search/search_work.h"
#include "tests/unit/device/simulated_devices.h"
#include "tests/unit/tree-search/plain_flowshop_tree.h"
#include "tests/unit/tree-search/small_searches.h"

static void assert_amount(const char *what, double got, double expected)
{
	if (!(expected > 0) || fabs(got - expected) > 1e-9 * expected)
		fail_msg("%s: %.17g operations, %.17g expected", what, got, expected);
}

/* ---- N-Queens: placements by permutations of columns ---- */

struct boards {
	int n, firsts;
	int column[12];
	double placements[13];
	double comparisons; /* of the published kernel of helbecque-pool */
	double by_paths;    /* operations of mode PTE, which replays each path */
	double by_rows;     /* the same with the parent's diagonals kept */
	double cells;       /* of the rows of its matrices */
	double living
		[13]; /* placements whose next row on one side, or on both, has a free column */
};

static bool is_attacked(const struct boards *b, int depth, int column)
{
	for (int i = 0; i < depth; i++)
		if (b->column[i] == column || abs(b->column[i] - column) == depth - i)
			return true;
	return false;
}

/* Whether the row before the queens has a free column, or the row after them. */
static bool is_open(const struct boards *b, int depth, bool before)
{
	for (int column = 0; column < b->n; column++) {
		bool free = true;

		for (int i = 0; i < depth; i++) {
			int rows = before ? i + 1 : depth - i;

			if (b->column[i] == column || abs(b->column[i] - column) == rows)
				free = false;
		}
		if (free)
			return true;
	}
	return false;
}

static void place(struct boards *b, int depth)
{
	bool both = (b->n - depth) % 2 == 0;

	b->placements[depth]++;
	b->living[depth] += is_open(b, depth, false) && (!both || is_open(b, depth, true));
	b->cells += depth > 0 ? b->n - depth : 0;
	/* each unused column is compared with both diagonals of each queen */
	b->comparisons += 2.0 * depth * (b->n - depth);
	if (depth > 0 && depth < b->n) {
		b->by_paths += 5 * depth + 3 * (b->n - depth);
		b->by_rows += 5 + 3 * (b->n - depth);
	}
	for (int column = 0; depth < b->n && column < (depth ? b->n : b->firsts); column++)
		if (!is_attacked(b, depth, column)) {
			b->column[depth] = column;
			place(b, depth + 1);
		}
}

static void placements_are_those_of_a_plain_search(void **state)
{
	(void)state;
	for (int n = 2; n <= 8; n++)
		for (int half = 0; half <= 1; half++) {
			struct boards b = { .n = n, .firsts = half ? (n + 1) / 2 : n };
			uint64_t placements[SEARCH_PROFILE + 1] = { 0 };

			place(&b, 0);
			search_work_placements(n, half, NULL, placements);
			for (int d = 0; d <= n; d++)
				assert_true((double)placements[d] == b.placements[d]);
			if (b.by_paths <= 0)
				continue;
			assert_amount("PTE", search_work_ivm_queens(n, placements, false),
				      b.by_paths);
			assert_amount("one pass", search_work_ivm_queens(n, placements, true),
				      b.by_rows);
			/* a cell of two bytes is written, and one is read */
			assert_amount("rows", search_work_ivm_queens_bytes(n, placements),
				      4 * b.cells);
		}
}

/* One of two mirror images of each placement of 2 .. n - 1 queens: 11 instructions, two for an
 * add-max, on 16-bit lanes. The solutions are counted in the row before. */
static void queens_on_cores_count_their_steps(void **state)
{
	(void)state;
	for (int n = 6; n <= 11; n++) {
		struct boards b = { .n = n, .firsts = n };
		struct search_request r = { .queens = n, .threads = 2 };
		struct search_outcome whole, half;
		double placements = 0;

		place(&b, 0);
		for (int d = 2; d < n; d++)
			placements += b.placements[d];
		assert_int_equal(queens_cpu(&r, &whole, NULL), 0);
		r.half_board = true;
		assert_int_equal(queens_cpu_half(&r, &half, NULL), 0);
		assert_amount("whole board", whole.operations, placements / 2 * 11 / 2 / 2);
		assert_amount("half board", half.operations, whole.operations);
	}
	assert_amount("32-bit lanes", search_work_cores_queens(17, 4), 22);
}

static void open_sim_queens(struct dev_set *set, struct search_request *r, int n)
{
	open_devices(set, 1, "random", 4);
	*r = (struct search_request){ .queens = n, .devices = set };
}

/* Every living placement from the roots to the searched list, of 28 bytes. */
static void tuned_queens_count_the_nodes_of_their_lists(void **state)
{
	enum { ROOTS = 4096, LIST = 7 }; /* 6 rows at least, as odd as the board */
	struct boards b = { .n = 11, .firsts = 11 };
	struct dev_set set;
	struct search_request r;
	struct search_outcome all, some;
	double listed = 0;
	int depth = 0;

	(void)state;
	place(&b, 0);
	while (b.living[depth] < ROOTS)
		depth++;
	assert_true(depth < LIST);
	for (; depth <= LIST; depth++)
		listed += b.living[depth];
	open_sim_queens(&set, &r, 11);
	assert_int_equal(pool_search(SOLVE_TUNED)(&r, &some, NULL), 0);
	r.forms = SEARCH_NO_SYMMETRY;
	assert_int_equal(pool_search(SOLVE_TUNED)(&r, &all, NULL), 0);
	dev_set_close(&set);
	assert_amount("lists", all.bytes, 2 * 28 * listed);
	/* one of at most four, from other roots */
	assert_true(some.bytes > 0 && some.bytes < all.bytes);
	search_outcome_free(&all);
	search_outcome_free(&some);
}

/* The lists of gmys-ivm hold some of the placements of the half board, of 16 bytes. */
static void intervals_count_the_nodes_of_their_lists(void **state)
{
	struct boards b = { .n = 10, .firsts = 5 };
	struct dev_set set;
	struct ivm_request q = { 0 };
	struct ivm_outcome o;
	double placements = 0;

	(void)state;
	place(&b, 0);
	for (int d = 0; d <= 10; d++)
		placements += b.placements[d];
	open_sim_queens(&set, &q.common, 10);
	q.common.half_board = true;
	assert_int_equal(ivm_search(SOLVE_TUNED, &q, &o, NULL), 0);
	dev_set_close(&set);
	assert_true(o.common.bytes > 0 && o.common.bytes <= 2 * 16 * placements);
	assert_true(fmod(o.common.bytes, 2 * 16) == 0);
	ivm_outcome_free(&o);
}

/* m = 1: the devices bound all nodes. */
static void published_queens_count_their_comparisons(void **state)
{
	static const char *const rungs[] = { "literal", "pinned", "two-chunks", "bit-masks" };
	struct boards b = { .n = 8, .firsts = 8 };
	struct dev_set set;

	(void)state;
	place(&b, 0);
	open_devices(&set, 1, "random", 1);
	for (int i = 0; i < 4; i++) {
		struct search_request r = { .queens = 8, .devices = &set, .m = 1, .M = 100 };
		struct search_outcome o;

		assert_int_equal(pool_rung_request(rungs[i], &r, NULL), 0);
		assert_int_equal(pool_search(SOLVE_PUBLISHED)(&r, &o, NULL), 0);
		assert_amount(rungs[i], o.operations, b.comparisons);
		assert_true(o.bytes > (double)o.explored * 8);
		search_outcome_free(&o);
	}
	dev_set_close(&set);
}

/* The less a rung does, the fewer operations it counts. */
static void rungs_of_queens_have_less_and_less_work(void **state)
{
	struct boards b = { .n = 10, .firsts = 10 }, half = { .n = 10, .firsts = 5 };
	uint64_t placements[SEARCH_PROFILE + 1] = { 0 };
	double pairs = 0, lists = 0;

	(void)state;
	place(&b, 0);
	place(&half, 0);
	search_work_placements(10, false, NULL, placements);
	for (int d = 2; d <= 10; d += 2)
		pairs += 32 * b.placements[d];
	for (int d = 7; d <= 9; d++)
		lists += 2 * 19 * b.placements[d];
	assert_amount("lists",
		      search_work_pairs(10, placements, SEARCH_BY_LISTS | SEARCH_NO_SYMMETRY),
		      lists);
	assert_amount("depth first", search_work_pairs(10, placements, SEARCH_NO_SYMMETRY), pairs);
	assert_amount("symmetry", search_work_pairs(10, placements, 0), pairs / 4);
	/* a lane of gmys-ivm visits each placement of 1 .. n queens on the half board once */
	struct search_outcome o = { .solutions = (uint64_t)b.placements[10] };
	double visited = 0;

	for (int d = 1; d <= 10; d++) {
		visited += half.placements[d];
		o.decomposed += d < 10 ? (uint64_t)half.placements[d] : 0;
	}
	assert_amount("lanes", search_work_lanes(&o), 9 * visited);
}

/* ---- flowshop: a plain search with LB2 ---- */

struct shop {
	const struct flowshop *f;
	struct fsp_tables t;
	bool two_sided;
	int32_t ub;
	/* what each engine does for the nodes of this tree */
	double literal, lb1_first, steps, packed; /* helbecque-pool */
	double ivm, ivm_packed, deep;             /* gmys-ivm */
	double nodes, children;
};

/* LB2 of a child, and in *pairs how many pairs are tried until a value is at least `stop`. */
static int32_t lb2(const struct shop *s, const struct plain_node *x, int job, bool at_end,
		   int32_t stop, int *pairs)
{
	struct plain_node c;
	uint8_t left[FLOWSHOP_MAX_JOBS];
	int32_t lb = 0;

	plain_child(s->f, x, job, at_end, &c);
	for (int j = 0; j < s->f->jobs; j++)
		left[j] = c.left[j];
	for (*pairs = 0; *pairs < s->t.pairs && lb < stop; ++*pairs) {
		int32_t v = fsp_lb2_pair(&s->t, *pairs, c.front, c.back, left);

		lb = v > lb ? v : lb;
	}
	return lb;
}

/* Forward branching: the operations of each rung for one child. */
static void count_forward(struct shop *s, const struct plain_node *x, int job, int depth)
{
	double m = s->f->machines, rest = s->f->jobs - depth - 1, pass = 3 * rest + 2;
	bool open = plain_child_bound(s->f, x, job, false) < s->ub;
	int late, early; /* pairs tried until one exceeds or reaches the bound */

	lb2(s, x, job, false, s->ub + 1, &late);
	lb2(s, x, job, false, s->ub, &early);
	s->literal += (depth + 1) * m + late * pass;
	s->lb1_first += (depth + 1) * m + rest * m + 2 * m + (open ? late * pass : 0);
	s->steps += (depth + 1) * m + rest * m + 2 * m + (open ? early * pass : 0);
	s->packed += 4 * m + (open ? m + early * pass : 0);
}

static void count_two_sided(struct shop *s, int depth)
{
	double m = s->f->machines, k = s->f->jobs - depth, pairs = m * (m - 1) / 2;
	double pass = 3 * (k - 1) + 2;

	s->ivm += 2 * m * depth + 2 * k * (4 * m + pairs * pass);
	s->ivm_packed += 2 * m * depth + 2 * k * (m + pairs * pass);
	s->deep += 2 * m + 2 * k * 3 * m;
	if (k > 4)
		s->deep += pairs * (10 * k + 6 * k);
	else if (k > 1)
		s->deep += pairs * k * (3 * (k - 1) + 6);
}

static void search_shop(struct shop *s, const struct plain_node *x)
{
	int depth = x->prefix + x->suffix, n = s->f->jobs, all;
	int32_t bound[2][FLOWSHOP_MAX_JOBS];
	int64_t difference = 0;

	s->nodes++;
	s->children += n - depth;
	if (s->two_sided)
		count_two_sided(s, depth);
	else
		s->packed += 2.0 * depth * s->f->machines;
	for (int j = 0; j < n; j++) {
		if (!x->left[j])
			continue;
		if (!s->two_sided)
			count_forward(s, x, j, depth);
		bound[0][j] = lb2(s, x, j, false, INT32_MAX, &all);
		bound[1][j] = s->two_sided ? lb2(s, x, j, true, INT32_MAX, &all) : INT32_MAX;
		difference += (int64_t)bound[0][j] - bound[1][j];
	}
	bool at_end = s->two_sided && difference <= 0;

	for (int j = 0; j < n && depth < n - 1; j++) {
		struct plain_node child;

		if (!x->left[j] || bound[at_end][j] >= s->ub)
			continue;
		plain_child(s->f, x, j, at_end, &child);
		search_shop(s, &child);
	}
}

static void open_shop(struct shop *s, struct flowshop *f, bool two_sided, int64_t *ub)
{
	struct plain_node root;

	small_flowshop(f, 9, 6, 99, 4);
	assert_int_equal(flowshop_brute_force(f, ub, NULL, NULL), 0);
	*s = (struct shop){ .f = f, .two_sided = two_sided, .ub = (int32_t)*ub };
	assert_int_equal(fsp_tables_make(&s->t, f, FSP_ALL_PAIRS, NULL), 0);
	plain_root(f, &root);
	search_shop(s, &root);
	assert_true(s->nodes > 20);
}

static void close_shop(struct shop *s, struct flowshop *f)
{
	fsp_tables_free(&s->t);
	flowshop_free(f);
}

static void published_flowshop_counts_the_pairs_that_it_tries(void **state)
{
	struct flowshop f;
	struct shop s;
	struct dev_set set;
	int64_t ub;

	(void)state;
	open_shop(&s, &f, false, &ub);
	assert_true(s.lb1_first != s.literal && s.packed < s.literal);
	const struct {
		const char *rung;
		double operations;
	} want[] = {
		{ "literal", s.literal },     { "pinned", s.literal },
		{ "two-chunks", s.literal },  { "lb1-first", s.lb1_first },
		{ "bit-masks", s.lb1_first }, { "steps", s.steps },
		{ "packed", s.packed },
	};
	open_devices(&set, 1, "random", 2);
	for (size_t i = 0; i < sizeof(want) / sizeof(*want); i++) {
		struct search_request r = {
			.flowshop = &f, .bound = FSP_LB2, .ub = ub, .devices = &set, .m = 1, .M = 40
		};
		struct search_outcome o;

		r.count_operations = true;
		assert_int_equal(pool_rung_request(want[i].rung, &r, NULL), 0);
		assert_int_equal(pool_search(SOLVE_PUBLISHED)(&r, &o, NULL), 0);
		assert_true((double)o.decomposed == s.nodes);
		assert_amount(want[i].rung, o.operations, want[i].operations);
		search_outcome_free(&o);
		r.count_operations = false;
		assert_int_equal(pool_search(SOLVE_PUBLISHED)(&r, &o, NULL), 0);
		assert_true(o.operations == 0 && o.bytes > 0);
		search_outcome_free(&o);
	}
	dev_set_close(&set);
	close_shop(&s, &f);
}

/* The search on cores counts the nodes by their children; all rungs search the same tree. */
static void two_sided_searches_count_all_pairs(void **state)
{
	struct flowshop f;
	struct shop s;
	struct search_outcome o = { 0 };
	int64_t ub;

	(void)state;
	open_shop(&s, &f, true, &ub);
	struct search_request r = {
		.flowshop = &f, .bound = FSP_LB2, .branching = FSP_MAXSUM, .ub = ub, .threads = 2
	};

	assert_int_equal(fsp_cpu(&r, &o, NULL), 0);
	assert_true((double)o.decomposed == s.nodes);
	assert_true((double)o.evaluated == 2 * s.children);
	assert_amount("literal", search_work_ivm(&f, o.by_children, false), s.ivm);
	assert_amount("packed-lb2", search_work_ivm(&f, o.by_children, true), s.ivm_packed);
	assert_amount("device-tree", search_work_deep(&f, o.by_children), s.deep);
	/* a cell, an entry of the mapping and two bounds of each child, written and read */
	assert_amount("IVMs", search_work_ivm_bytes(&f, o.by_children),
		      s.children * 2 * (2 + 4 + 2 * 4));
	/* 9 jobs on 6 machines, and an order of 9 */
	assert_amount("cores", search_work_cores_bytes(&r), 4 * (9 * 6 + 9));
	search_outcome_free(&o);
	close_shop(&s, &f);
}

/* Padded to 20 machines: 20 operations for a child of a known set, or all pairs and 40; and 20 for
 * the row of a survivor. */
static void searches_by_set_count_table_lookups(void **state)
{
	(void)state;
	for (int two_sided = 0; two_sided <= 1; two_sided++) {
		struct flowshop f;
		struct shop s;
		struct dev_set set;
		struct search_outcome o;
		int64_t ub;
		enum fsp_branching branching = two_sided ? FSP_MAXSUM : FSP_FORWARD;

		open_shop(&s, &f, two_sided, &ub);
		open_devices(&set, 1, "random", 3);
		struct search_request r = { .flowshop = &f,
					    .bound = FSP_LB2,
					    .ub = ub,
					    .branching = branching,
					    .devices = &set };

		if (two_sided) {
			struct ivm_request q = { .common = r };
			struct ivm_outcome own;

			assert_int_equal(ivm_search(SOLVE_TUNED, &q, &own, NULL), 0);
			o = own.common;
			free(own.sample);
		} else {
			assert_int_equal(pool_search(SOLVE_TUNED)(&r, &o, NULL), 0);
		}
		double rows = 20 * (s.nodes - 1);

		assert_amount("by set", search_work_sets(branching, &o),
			      two_sided ? 2 * s.children * (190 + 40) + rows :
					  s.children * 20 + rows);
		assert_amount("bytes", search_work_sets_bytes(branching, &o),
			      (2 * s.nodes - 1) * (two_sided ? 80 : 32));
		search_outcome_free(&o);
		dev_set_close(&set);
		close_shop(&s, &f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(placements_are_those_of_a_plain_search),
		cmocka_unit_test(queens_on_cores_count_their_steps),
		cmocka_unit_test(tuned_queens_count_the_nodes_of_their_lists),
		cmocka_unit_test(intervals_count_the_nodes_of_their_lists),
		cmocka_unit_test(published_queens_count_their_comparisons),
		cmocka_unit_test(rungs_of_queens_have_less_and_less_work),
		cmocka_unit_test(published_flowshop_counts_the_pairs_that_it_tries),
		cmocka_unit_test(two_sided_searches_count_all_pairs),
		cmocka_unit_test(searches_by_set_count_table_lookups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
