/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The published algorithm on simulated devices: its tree equals that of the serial search for any
 * number of devices and locales, any m and M, with and without stealing, and under any schedule.
 * Also unit tests of its deque, termination detection, tuner and choice of victims. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "algorithms/helbecque-pool/published.h"
#include "algorithms/helbecque-pool/sync.h"
#include "harness/base/team.h"
#include "tests/unit/tree-search/noisy_rates.h"
#include "tests/unit/device/simulated_devices.h"
#include "tests/unit/tree-search/small_searches.h"

/* ---- whole searches ---- */

static void check_counts(const struct search_outcome *o, const struct search_outcome *want)
{
	uint64_t of_workers = 0;

	assert_true(o->complete);
	assert_int_equal(o->explored, want->explored);
	assert_int_equal(o->decomposed, want->decomposed);
	assert_int_equal(o->leaves, want->leaves);
	assert_int_equal(o->solutions, want->solutions);
	assert_int_equal(o->best, want->best);
	for (int i = 0; i < o->workers; i++)
		of_workers += o->worker_explored[i];
	assert_true(of_workers <= o->explored);
}

/* Returns the number of chunks offloaded. */
static uint64_t check_published(const struct search_request *r, int locales,
				const struct search_outcome *want)
{
	struct search_outcome o;
	struct err e = { 0 };

	if (pool_search_published(r, locales, &o, &e))
		fail_msg("%s", e.text);
	check_counts(&o, want);
	search_outcome_free(&o);
	return o.offloads;
}

/* What the rungs of the ladder add to the paper's algorithm, one after the other. */
enum {
	OVERLAP = SEARCH_PINNED | SEARCH_TWO_CHUNKS,
	BIT_MASKS = OVERLAP | SEARCH_LB1_FIRST | SEARCH_BIT_MASKS,
};
static const unsigned forms[] = { 0,
				  SEARCH_PINNED,
				  OVERLAP,
				  OVERLAP | SEARCH_LB1_FIRST,
				  BIT_MASKS,
				  BIT_MASKS | SEARCH_STEPS,
				  BIT_MASKS | SEARCH_STEPS | SEARCH_PACKED };
enum { FORMS = sizeof(forms) / sizeof(*forms) };

static void random_sizes(struct search_request *r, struct rng *rng, int trial)
{
	r->forms = forms[rng_below(rng, FORMS)];
	r->m = rng_between(rng, 1, trial % 2 ? 6 : 40);
	r->M = r->m + rng_between(rng, trial % 4 ? 30 : 0, 1000);
	r->no_stealing = trial % 3 == 2;
	r->private_incumbent = trial % 2;
	r->seed = (uint64_t)trial;
}

static void queens_match_published_counts(void **state)
{
	struct rng rng = rng_seeded(1);
	struct dev_set set;

	(void)state;
	open_devices(&set, 4, "random", 1);
	for (int trial = 0; trial < 8; trial++) {
		struct search_request r = { .queens = trial < 6 ? 8 + (trial + 1) % 2 : trial - 5,
					    .devices = &set,
					    .gpus = 1 + trial % 4 };
		struct search_outcome want;

		random_sizes(&r, &rng, trial);
		assert_int_equal(pool_search_serial(&r, &want, NULL), 0);
		check_published(&r, 1, &want);
	}
	dev_set_close(&set);
}

static void ten_queens_use_the_given_m_and_M(void **state)
{
	struct dev_set set;

	(void)state;
	open_devices(&set, 2, "random", 7);
	struct search_request r = { .queens = 10, .m = 50, .M = 4000, .devices = &set };
	struct search_outcome o;

	assert_int_equal(pool_search(SOLVE_PUBLISHED)(&r, &o, NULL), 0);
	assert_int_equal(o.explored, 35538);
	assert_int_equal(o.solutions, 724);
	assert_true(o.offloads > 0);
	assert_int_equal(o.workers, 2);
	assert_int_equal(o.m, 50);
	assert_true(o.memory_peak >= 50 * 16);
	dev_set_close(&set);
}

/* With the optimum as bound, the tree does not depend on the order of the search. */
static void flowshop_trees(int devices, const char *schedule, int seed, int trials)
{
	struct rng rng = rng_seeded((uint64_t)seed);
	struct dev_set set;
	uint64_t offloads = 0;

	open_devices(&set, devices, schedule, seed);
	for (int trial = 0; trial < trials; trial++) {
		struct flowshop f;
		struct search_outcome want;

		small_flowshop(&f, 8 + trial % 2, 4 + (int)rng_below(&rng, 12), 99,
			       10 * seed + trial);
		struct search_request r = { .flowshop = &f,
					    .bound = trial % 2 ? FSP_LB1 : FSP_LB2,
					    .devices = &set };

		assert_int_equal(flowshop_brute_force(&f, &r.ub, NULL, NULL), 0);
		random_sizes(&r, &rng, trial);
		assert_int_equal(pool_search_serial(&r, &want, NULL), 0);
		offloads += check_published(&r, devices % 2 ? 1 : 2, &want);
		flowshop_free(&f);
	}
	assert_true(offloads > 10);
	dev_set_close(&set);
}

static void flowshop_trees_on_one_to_four_devices(void **state)
{
	(void)state;
	flowshop_trees(1, "random", 1, 8);
	flowshop_trees(1, "order", 2, 4);
	flowshop_trees(2, "random", 3, 8);
	flowshop_trees(3, "reverse", 4, 6);
	flowshop_trees(4, "random", 5, 8);
	flowshop_trees(4, "random", 6, 6);
}

static void optimum_is_found_without_an_incumbent(void **state)
{
	struct rng rng = rng_seeded(9);
	struct dev_set set;

	(void)state;
	open_devices(&set, 4, "random", 8);
	for (int trial = 0; trial < 10; trial++) {
		struct flowshop f;
		int64_t optimum;

		small_flowshop(&f, 1 + trial % 8, 1 + trial % 5, 99, trial);
		struct search_request r = { .flowshop = &f,
					    .bound = trial % 2 ? FSP_LB1 : FSP_LB2,
					    .ub = SEARCH_NO_UB,
					    .devices = &set };
		struct search_outcome o;

		random_sizes(&r, &rng, trial);
		assert_int_equal(flowshop_brute_force(&f, &optimum, NULL, NULL), 0);
		assert_int_equal(pool_search_published(&r, 1 + trial % 2, &o, NULL), 0);
		assert_int_equal(o.best, optimum);
		assert_int_equal(o.lower_bound, optimum);
		assert_true(o.leaves > 0);
		check_schedule(&f, &o);
		search_outcome_free(&o);
		flowshop_free(&f);
	}
	dev_set_close(&set);
}

/* The paper's kernel returns bounds: exact below ub, otherwise any value of at least ub. The host's
 * bounds are computed in another way. */
static void check_bounds(struct pool_evaluator *v, const unsigned char *node, const int32_t *bounds,
			 int32_t ub)
{
	uint32_t mask[32];

	pool_evaluator_children(v, node, ub, mask); /* replays the prefix */
	for (int i = 0; i < v->format.n; i++) {
		int32_t want = INT32_MAX;

		if (i >= pool_node_depth(node))
			want = pool_bounder_append(&v->bounder, pool_node_id(&v->format, node, i),
						   v->front, v->rem, v->bounder.tables.tail,
						   INT32_MAX);
		assert_int_equal(bounds[i] < ub ? bounds[i] : ub, want < ub ? want : ub);
	}
}

static void shuffle(const struct pool_node_format *f, unsigned char *node, struct rng *rng)
{
	size_t size = (size_t)f->id_bytes;

	for (int k = f->n - 1; k > 0; k--) {
		size_t j = rng_below(rng, (uint64_t)k + 1);
		unsigned char *a = node + f->ids + (size_t)k * size, t[4];
		unsigned char *b = node + f->ids + j * size;

		memcpy(t, a, size);
		memmove(a, b, size);
		memcpy(b, t, size);
	}
}

/* Nodes with more jobs than fit a 32-bit mask or an 8-bit id, and 60 machines: the children that
 * survive on a device must be those that survive on the host. */
static void nodes_bound_as_on_the_host(int jobs, int machines, enum fsp_bound bound, unsigned form)
{
	struct flowshop f;
	struct pool_evaluator v;
	struct pool_offload o;
	struct dev_set set;
	struct rng rng = rng_seeded((uint64_t)jobs);
	uint32_t mask[32];

	small_flowshop(&f, jobs, machines, 1000, 4);
	struct search_request r = { .flowshop = &f, .bound = bound, .forms = form };

	open_devices(&set, 1, "random", 3);
	assert_int_equal(pool_evaluator_open(&v, &r, NULL), 0);
	assert_int_equal(pool_offload_open(&o, set.dev[0], &v, 64, NULL), 0);
	const size_t nodes = 6, bytes = v.format.bytes;
	struct pool_offload_chunk *c = &o.chunk[0];

	for (size_t i = 0; i < nodes; i++) {
		unsigned char *node = c->nodes + i * bytes;
		uint16_t depth = (uint16_t)(i == 0 ? 0 :
					    i == 1 ? (uint64_t)jobs - 1 :
						     rng_below(&rng, (uint64_t)jobs));

		pool_node_root(&v.format, node);
		memcpy(node, &depth, sizeof(depth));
		shuffle(&v.format, node, &rng);
	}
	/* A bound between those of the children of the third node. */
	pool_evaluator_children(&v, c->nodes + 2 * bytes, INT32_MAX, mask);
	int32_t ub = pool_bounder_append(&v.bounder,
					 pool_node_id(&v.format, c->nodes + 2 * bytes, jobs - 1),
					 v.front, v.rem, v.bounder.tables.tail, INT32_MAX);
	assert_int_equal(pool_offload_start(&o, c, nodes, ub, NULL), 0);
	assert_int_equal(pool_offload_wait(c, NULL), 0);
	const uint32_t *masks = pool_offload_masks(&o, c, 0, nodes, ub);

	for (size_t i = 0; i < nodes; i++) {
		pool_evaluator_children(&v, c->nodes + i * bytes, ub, mask);
		assert_memory_equal(mask, masks + i * (size_t)v.format.words,
				    (size_t)v.format.words * sizeof(*mask));
		if (!(form & SEARCH_BIT_MASKS))
			check_bounds(&v, c->nodes + i * bytes,
				     (const int32_t *)c->results + i * (size_t)jobs, ub);
	}
	pool_offload_close(&o);
	pool_evaluator_close(&v);
	dev_set_close(&set);
	flowshop_free(&f);
}

static void nodes_of_many_jobs_give_the_same_tree(void **state)
{
	static const struct {
		int jobs, machines;
		enum fsp_bound bound;
	} size[] = { { 20, 20, FSP_LB2 },  { 20, 20, FSP_LB1 }, { 12, 1, FSP_LB2 },
		     { 32, 6, FSP_LB2 },   { 33, 6, FSP_LB2 },  { 100, 60, FSP_LB1 },
		     { 200, 10, FSP_LB2 }, { 256, 5, FSP_LB2 }, { 257, 4, FSP_LB2 },
		     { 500, 60, FSP_LB1 } };

	(void)state;
	for (size_t i = 0; i < sizeof(size) / sizeof(*size); i++)
		for (int form = 0; form < FORMS; form++)
			nodes_bound_as_on_the_host(size[i].jobs, size[i].machines, size[i].bound,
						   forms[form]);
}

static void stealing_happens(void **state)
{
	struct dev_set set;
	struct search_outcome o;
	uint64_t done = 0;

	(void)state;
	open_devices(&set, 4, "random", 11);
	struct search_request r = { .queens = 9, .m = 1, .M = 20, .devices = &set };
	struct search_outcome want;

	assert_int_equal(pool_search_serial(&r, &want, NULL), 0);
	for (int seed = 0; seed < 20 && !done; seed++) {
		r.seed = (uint64_t)seed;
		assert_int_equal(pool_search_published(&r, 2, &o, NULL), 0);
		assert_int_equal(o.explored, want.explored);
		assert_true(o.nodes_stolen >= o.steals_done && o.steals_tried >= o.steals_done);
		done = o.steals_done;
	}
	assert_true(done > 0);
	r.no_stealing = true;
	assert_int_equal(pool_search(SOLVE_PUBLISHED)(&r, &o, NULL), 0);
	assert_int_equal(o.steals_tried, 0);
	dev_set_close(&set);
}

static void a_stopped_search_reports_its_partial_counts(void **state)
{
	volatile sig_atomic_t stop = 1;
	struct dev_set set;
	struct search_outcome o;
	struct err e = { 0 };

	(void)state;
	open_devices(&set, 2, "random", 5);
	struct search_request r = {
		.queens = 14, .m = 50, .M = 2000, .devices = &set, .stop = &stop
	};

	assert_int_equal(pool_search(SOLVE_PUBLISHED)(&r, &o, &e), ERR_LIMIT);
	assert_true(!o.complete && o.explored == 0);
	r.stop = NULL;
	stopped_by_time(pool_search(SOLVE_PUBLISHED), &r, &o, &e);
	assert_true(o.explored > 0 && o.explored < 27358552);
	r.time_limit = 0;
	r.memory = 40000;
	assert_int_equal(pool_search(SOLVE_PUBLISHED)(&r, &o, &e), ERR_MEMORY);
	assert_non_null(strstr(e.text, "40000"));
	assert_true(!o.complete && o.explored > 0);
	dev_set_close(&set);
}

static void a_stopped_flowshop_search_keeps_a_valid_bound(void **state)
{
	struct flowshop f;
	struct dev_set set;
	struct search_outcome o;

	(void)state;
	open_devices(&set, 1, "random", 5);
	small_flowshop(&f, 200, 20, 99, 1);
	struct search_request r = { .flowshop = &f,
				    .ub = SEARCH_NO_UB,
				    .m = 10,
				    .M = 20,
				    .devices = &set,
				    .time_limit = 0.3 };

	assert_int_equal(pool_search(SOLVE_PUBLISHED)(&r, &o, NULL), ERR_LIMIT);
	assert_true(o.lower_bound > 0 && o.lower_bound <= o.best);
	search_outcome_free(&o);
	flowshop_free(&f);
	dev_set_close(&set);
}

static void unsupported_requests_are_refused(void **state)
{
	struct flowshop f;
	struct dev_set set;
	struct search_outcome o;

	(void)state;
	open_devices(&set, 1, "random", 1);
	small_flowshop(&f, 5, 3, 9, 1);
	struct search_request r = {
		.flowshop = &f, .ub = 100, .branching = FSP_MAXSUM, .devices = &set
	};

	assert_int_equal(pool_search(SOLVE_PUBLISHED)(&r, &o, NULL), ERR_UNSUPPORTED);
	r.branching = FSP_FORWARD;
	r.gpus = 2;
	assert_int_equal(pool_search(SOLVE_PUBLISHED)(&r, &o, NULL), ERR_DEVICE);
	assert_int_equal(
		pool_search(SOLVE_PUBLISHED)(&(struct search_request){ .queens = 8 }, &o, NULL),
		ERR_DEVICE);
	assert_int_equal(
		pool_search(SOLVE_PUBLISHED)(
			&(struct search_request){ .queens = 33, .devices = &set }, &o, NULL),
		ERR_UNSUPPORTED);
	flowshop_free(&f);
	dev_set_close(&set);
}

/* ---- the pool ---- */

static void number(const struct pool_node_format *f, unsigned char *node, uint32_t x)
{
	memset(node, 0, f->bytes);
	memcpy(node + POOL_NODE_IDS, &x, sizeof(x));
}

static uint32_t number_of(const unsigned char *node)
{
	uint32_t x;

	memcpy(&x, node + POOL_NODE_IDS, sizeof(x));
	return x;
}

static void check_balance(struct pool_deque *p, struct balance want)
{
	static const struct balance_name name = { "test", "pool", -1, NULL };
	struct balance b = pool_deque_balance(p);

	assert_memory_equal(&b, &want, sizeof(b));
	assert_int_equal(balance_check(&b, &name, false, NULL), 0);
}

static void deque_pops_at_both_ends_in_order(void **state)
{
	struct pool_budget budget = { .limit = 1 << 20 };
	struct pool_node_format f = pool_node_format_of(10, 10, false);
	struct pool_deque p, q;
	unsigned char node[16 * 64];
	bool moved;

	(void)state;
	assert_int_equal(f.bytes, 16);
	pool_deque_open(&p, &f, &budget);
	pool_deque_open(&q, &f, &budget);
	for (uint32_t x = 0; x < 3000; x++) {
		number(&f, node, x);
		assert_int_equal(pool_deque_push(&p, node, 1, NULL), 0);
	}
	assert_int_equal(pool_deque_pop_back(&p, 3001, 5, node), 0);
	assert_int_equal(pool_deque_pop_back(&p, 3000, 5, node), 5);
	assert_int_equal(number_of(node), 2995);
	assert_int_equal(number_of(node + 4 * f.bytes), 2999);
	assert_int_equal(pool_deque_pop_front(&p, node), 1);
	assert_int_equal(number_of(node), 0);
	assert_int_equal(pool_deque_steal(&q, &p, 2995), 0);
	assert_int_equal(pool_deque_steal(&q, &p, 2994), 1497);
	assert_int_equal(pool_deque_size(&p), 1497);
	for (uint32_t x = 1; x <= 1497; x++) {
		assert_int_equal(pool_deque_pop_front(&q, node), 1);
		assert_int_equal(number_of(node), x);
	}
	assert_int_equal(pool_deque_pop_front(&q, node), 0);
	assert_int_equal(pool_deque_pop_front(&p, node), 1);
	assert_int_equal(number_of(node), 1498);
	assert_int_equal(p.peak, 3000);
	assert_int_equal(pool_deque_give(&p, &q, &moved, NULL), 0);
	assert_true(moved);
	assert_int_equal(pool_deque_pop_back(&q, 1, 1, node), 1);
	assert_int_equal(number_of(node), 1499);
	check_balance(&p,
		      (struct balance){ .pushed = 3000, .popped = 7, .given = 1498, .left = 1495 });
	check_balance(&q, (struct balance){ .received = 1498, .popped = 1498 });
	assert_int_equal(pool_deque_give(&q, &p, &moved, NULL), 0);
	assert_false(moved);
	pool_deque_close(&p);
	pool_deque_close(&q);
	assert_int_equal(atomic_load(&budget.taken), 0);
}

/* A thief whose pool may not grow takes as many nodes as fit, and the victim keeps the rest. */
static void a_thief_steals_only_what_fits_its_budget(void **state)
{
	struct pool_node_format f = pool_node_format_of(10, 10, false);
	struct pool_budget budget = { .limit = 5 * 1024 * 16 };
	struct pool_deque p, q;
	unsigned char node[16 * 64];

	(void)state;
	pool_deque_open(&p, &f, &budget);
	pool_deque_open(&q, &f, &budget);
	for (uint32_t x = 0; x < 4000; x++) {
		number(&f, node, x);
		assert_int_equal(pool_deque_push(&p, node, 1, NULL), 0);
	}
	number(&f, node, 5000);
	assert_int_equal(pool_deque_push(&q, node, 1, NULL), 0);
	assert_int_equal(pool_deque_steal(&q, &p, 100), 1023);
	assert_int_equal(pool_deque_size(&p), 4000 - 1023);
	assert_int_equal(pool_deque_steal(&q, &p, 100), 0);
	for (uint32_t x = 0; x < 1024; x++) {
		assert_int_equal(pool_deque_pop_front(&q, node), 1);
		assert_int_equal(number_of(node), x ? x - 1 : 5000);
	}
	pool_deque_close(&p);
	pool_deque_close(&q);
	assert_int_equal(atomic_load(&budget.taken), 0);
}

/* A stop waits for the chunks in flight, so those of a simulated device are small even if the pool
 * holds many nodes. The search is ended by its memory limit, because times mean little on the
 * simulator. */
static void simulated_devices_choose_small_chunks(void **state)
{
	enum {
		LIMIT = 1000
	}; /* see tuner_limits_chunks_of_large_nodes; a real device takes 500,000 */
	struct flowshop f;
	struct dev_set set;
	struct search_outcome o;

	(void)state;
	open_devices(&set, 2, "random", 5);
	small_flowshop(&f, 20, 10, 99, 1);
	struct search_request r = { .flowshop = &f,
				    .ub = SEARCH_NO_UB,
				    .devices = &set,
				    .memory = SANITIZED ? 500000 : 2000000 };

	assert_int_equal(pool_search(SOLVE_PUBLISHED)(&r, &o, NULL), ERR_MEMORY);
	assert_true(o.offloads > 2 && (SANITIZED || o.decomposed > 2 * LIMIT));
	assert_true(o.decomposed <=
		    (o.offloads + 2) *
			    LIMIT); /* + 2: the host searches before and after the devices */
	search_outcome_free(&o);
	flowshop_free(&f);
	dev_set_close(&set);
}

/* Random operations compared with an array. The pool reaches its budget and remains usable. */
static void deque_matches_an_array(void **state)
{
	enum { MOST = 6000 };
	struct pool_budget budget = { .limit = 1500 * 16 };
	struct pool_node_format f = pool_node_format_of(10, 10, false);
	struct pool_deque p;
	struct rng rng = rng_seeded(3);
	static unsigned char some[MOST * 16];
	static uint32_t want[MOST * 40]; /* the pool holds [from, to) */
	size_t from = 0, to = 0, refused = 0;

	(void)state;
	pool_deque_open(&p, &f, &budget);
	for (int step = 0; step < 3000; step++) {
		size_t n = rng_below(&rng, 60) + 1, got;

		if (rng_below(&rng, 8) < (step % 1000 < 500 ? 6 : 2)) {
			for (size_t i = 0; i < n; i++)
				number(&f, some + i * 16, want[to + i] = (uint32_t)rng_next(&rng));
			if (pool_deque_push(&p, some, n, NULL))
				refused++;
			else
				to += n;
		} else if (rng_below(&rng, 2)) {
			got = pool_deque_pop_back(&p, 1, n, some);
			assert_int_equal(got, n < to - from ? n : to - from);
			for (size_t i = 0; i < got; i++)
				assert_int_equal(number_of(some + i * 16), want[to - got + i]);
			to -= got;
		} else {
			for (size_t i = 0; i < n && pool_deque_pop_front(&p, some); i++)
				assert_int_equal(number_of(some), want[from++]);
		}
		assert_int_equal(pool_deque_size(&p), to - from);
	}
	assert_true(refused > 0);
	pool_deque_close(&p);
}

static void branching_makes_the_children_of_the_mask(void **state)
{
	static const int sizes[] = { 6, 14, 20, 30, 40, 300 };
	enum { SIZES = sizeof(sizes) / sizeof(sizes[0]) };

	(void)state;
	for (size_t k = 0; k < 2 * SIZES; k++) {
		int n = sizes[k / 2];
		struct pool_node_format f = pool_node_format_of(n, n, k % 2);
		unsigned char parent[1400], child[3 * 1400];
		uint32_t masks[32] = { 0 };
		int second = n - 1;

		pool_node_root(&f, parent);
		parent[0] = 1;
		masks[0] = 2; /* itself: no exchange */
		masks[second / 32] |= UINT32_C(1) << second % 32;
		masks[2 / 32] |= 4;
		assert_int_equal(pool_node_children(&f, masks, 1), 3);
		assert_int_equal(pool_node_branch(&f, parent, masks, 1, child), 3);
		for (int c = 0; c < 3; c++) {
			const unsigned char *x = child + (size_t)c * f.bytes;
			int entry = c == 2 ? second : c + 1;

			assert_int_equal(pool_node_depth(x), 2);
			for (int i = 0; i < f.n; i++)
				assert_int_equal(pool_node_id(&f, x, i), i == 1     ? entry :
									 i == entry ? 1 :
										      i);
		}
	}
}

/* ---- threads on pools and states ---- */

/* Nodes are numbers, and large numbers have children. Threads pop, branch and steal as in the
 * search, but without devices, and stop by termination detection. */
struct thieves {
	struct pool_run run;
	atomic_uint_fast64_t sum;
	bool stopped_with_work[8];
};

static void thief_thread(void *arg)
{
	struct pool_worker *w = arg;
	struct thieves *thieves = (struct thieves *)(void *)w->run;
	const struct pool_node_format *f = &w->pool.format;
	unsigned char nodes[64 * 8];
	int status = 0;

	do {
		size_t count;

		while ((count = pool_deque_pop_back(&w->pool, w->m, w->tuner.M, nodes)) > 0) {
			for (size_t i = 0; i < count; i++) {
				uint32_t x = number_of(nodes + i * f->bytes);
				unsigned char child[8];

				atomic_fetch_add(&thieves->sum, 1);
				for (uint32_t c = 1; c <= 3 && x > c * 3; c++) {
					number(f, child, x - c * 3);
					assert_int_equal(pool_deque_push(&w->pool, child, 1, NULL),
							 0);
				}
			}
		}
	} while (pool_acquire(w, &status));
	w->status = status;
	thieves->stopped_with_work[w->id] = pool_deque_size(&w->pool) >= w->m;
	pool_termination_idle(&w->run->termination, w->id);
}

static uint64_t number_of_nodes(uint32_t x)
{
	uint64_t nodes = 1;

	for (uint32_t c = 1; c <= 3 && x > c * 3; c++)
		nodes += number_of_nodes(x - c * 3);
	return nodes;
}

static void threads_steal(int locales, int threads, uint64_t seed)
{
	enum { ROOT = 54 };
	struct search_request r = { .seed = seed };
	struct pool_worker worker[8];
	struct thieves thieves = { .run = { .request = &r, .workers = threads, .worker = worker } };
	struct pool_node_format f = pool_node_format_of(4, 4, false);
	unsigned char node[8];

	thieves.run.interrupt = interrupt_from(&r);
	thieves.run.budget.limit = 1 << 24;
	pool_termination_open(&thieves.run.termination, locales, threads / locales);
	memset(worker, 0, sizeof(worker));
	for (int i = 0; i < threads; i++) {
		worker[i].run = &thieves.run;
		worker[i].id = i;
		worker[i].m = 1;
		worker[i].tuner.M = 1 + seed % 8;
		worker[i].rng = rng_seeded(seed + (uint64_t)i);
		pool_deque_open(&worker[i].pool, &f, &thieves.run.budget);
	}
	number(&f, node, ROOT);
	assert_int_equal(pool_deque_push(&worker[seed % (uint64_t)threads].pool, node, 1, NULL), 0);
	assert_int_equal(team_run_all(thief_thread, worker, sizeof(*worker), threads, NULL), 0);
	assert_int_equal(atomic_load(&thieves.sum), number_of_nodes(ROOT));
	for (int i = 0; i < threads; i++) {
		assert_int_equal(worker[i].status, 0);
		assert_false(thieves.stopped_with_work[i]);
		pool_deque_close(&worker[i].pool);
	}
}

static void threads_steal_until_all_work_is_done(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 30; seed++) {
		threads_steal(1, 2, seed);
		threads_steal(2, 4, seed);
		threads_steal(1, 3, seed);
		threads_steal(4, 8, seed);
	}
}

static void termination_needs_all_to_be_idle(void **state)
{
	struct pool_termination t;

	(void)state;
	pool_termination_open(&t, 2, 2);
	for (int i = 0; i < 3; i++) {
		pool_termination_idle(&t, i);
		assert_false(pool_termination_reached(&t, i));
	}
	pool_termination_wake(&t, 0);
	pool_termination_idle(&t, 3);
	assert_false(pool_termination_reached(&t, 3));
	pool_termination_idle(&t, 0);
	/* The locale counts as BUSY until one of its own threads checks it. */
	assert_false(pool_termination_reached(&t, 3));
	assert_true(pool_termination_reached(&t, 0));
	assert_true(pool_termination_reached(&t, 3));
}

/* ---- the choice of M ---- */

/* Models a device whose rate is greatest at `best` nodes per chunk and is multiplied by `slope` for
 * each factor of 2 away from it. Chunks have the size that the tuner chooses, but at most `pool`
 * nodes. Returns the final M. */
static size_t tune(size_t best, double slope, double noise, size_t pool, int chunks)
{
	struct rng rng = rng_seeded(best);
	struct pool_tuner t;
	double now = 100;

	pool_tuner_open(&t, 0, POOL_TUNER_START, 1 << 20);
	for (int i = 0; i < chunks; i++) {
		size_t count = t.M < pool ? t.M : pool;
		double rate = 1e8, x = (double)count / (double)best;

		for (x = x < 1 ? 1 / x : x; x > 1.01; x /= 2)
			rate *= slope;
		now += 2.0 * (double)count / (rate * (1 + noise * (rng_unit(&rng) - 0.5)));
		pool_tuner_chunk(&t, count, 2 * count, now);
		assert_in_range(t.M, 1, 1 << 20);
	}
	return t.present;
}

/* What a search of `seconds` that takes at most `rate` nodes per second loses to one with chunks of
 * `best` nodes. */
static double noisy_loss(double rate, size_t best, double slope, double seconds, uint64_t seed)
{
	struct noisy_rates n = noisy_rates(seed);
	struct pool_tuner t;
	double at = 0, got = 0, could = 0;

	pool_tuner_open(&t, 0, POOL_TUNER_START, 1 << 20);
	while (at < seconds) {
		double all = 2 * rate * noisy_drift(&n, at), work = 2 * (double)t.M, used;

		used = work / (all * noisy_factor(&n) *
			       pow(slope, fabs(log2((double)t.M / (double)best))));
		got += work;
		could += all * used;
		at += used;
		pool_tuner_chunk(&t, t.M, 2 * t.M, at);
	}
	return 1 - got / could;
}

/* The start is within a factor of 4 of the best size measured. */
static void tuner_loses_five_percent_at_most(void **state)
{
	static const double seconds[] = { 0.5, 2, 2 }, slope[] = { 0.9, 0.9, 0.75 };

	(void)state;
	for (int i = 0; i < 3; i++) {
		for (size_t best = POOL_TUNER_START / 2; best <= 4 * POOL_TUNER_START; best *= 2) {
			int within = 0;

			for (uint64_t seed = 1; seed <= NOISY_SEEDS; seed++)
				within += noisy_loss(5e7, best, slope[i], seconds[i], seed) < 0.05;
			assert_true(within >= 0.95 * NOISY_SEEDS);
		}
	}
}

/* With LB2 a window takes a tenth of a second, so that a search has only a few. */
static void tuner_hardly_probes_in_searches_of_few_windows(void **state)
{
	int within = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= NOISY_SEEDS; seed++)
		within += noisy_loss(1.4e6, POOL_TUNER_START, 0.8, 1.3, seed) < 0.025;
	assert_true(within >= 0.95 * NOISY_SEEDS);
}

static void tuner_finds_the_best_chunk_size(void **state)
{
	(void)state;
	for (int power = 11; power <= 19; power++) {
		size_t best = (size_t)1 << power;

		assert_int_equal(tune(best, 0.9, 0, SIZE_MAX, 20000), best);
		size_t found = tune(best, 0.9, 0.1, SIZE_MAX, 20000);

		assert_in_range(found, best / 2, best * 2);
	}
	/* A pool that never fills a chunk does not change M, nor does one that fills only chunks of
	 * the current size. */
	assert_int_equal(tune(1 << 18, 0.9, 0, 1000, 5000), POOL_TUNER_START);
	assert_int_equal(tune(1 << 18, 0.9, 0, 40000, 5000), POOL_TUNER_START);
}

/* M is not limited for 20 x 20, but it is for large nodes. */
static void tuner_limits_chunks_of_large_nodes(void **state)
{
	static const struct {
		int jobs, machines;
		size_t least, most;
	} want[] = { { 20, 20, 1 << 19, 1 << 20 },
		     { 200, 20, 4000, 1 << 16 },
		     { 400, 30, 64, 2000 } };

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct flowshop f;
		struct pool_evaluator v;

		small_flowshop(&f, want[i].jobs, want[i].machines, 99, 1);
		struct search_request r = { .flowshop = &f, .bound = FSP_LB2 };

		assert_int_equal(pool_evaluator_open(&v, &r, NULL), 0);
		assert_in_range(pool_tuner_limit(&v, DEV_CUDA), want[i].least, want[i].most);
		assert_in_range(pool_tuner_limit(&v, DEV_SIM), 1, 1000);
		pool_evaluator_close(&v);
		flowshop_free(&f);
	}
}

static void tuner_keeps_fixed_sizes(void **state)
{
	struct pool_tuner t;

	(void)state;
	pool_tuner_open(&t, 50000, POOL_TUNER_START, 1 << 20);
	for (int i = 0; i < 1000; i++)
		pool_tuner_chunk(&t, 50000, 1, i);
	assert_int_equal(t.M, 50000);
	pool_tuner_open(&t, 50000, POOL_TUNER_START, 777);
	assert_int_equal(t.M, 777);
	pool_tuner_open(&t, 0, POOL_TUNER_START, 100);
	assert_int_equal(t.M, 100);
}

static void search_chooses_m_and_M(void **state)
{
	struct dev_set set;
	struct search_outcome want;

	(void)state;
	open_devices(&set, 2, "random", 5);
	struct search_request r = { .queens = 9, .devices = &set };
	struct search_outcome o;

	assert_int_equal(pool_search_serial(&r, &want, NULL), 0);
	for (int fixed = 0; fixed < 3; fixed++) {
		r.m = fixed == 1 ? 3 : SEARCH_MEASURED;
		r.M = fixed == 2 ? 5000 : SEARCH_MEASURED;
		assert_int_equal(pool_search(SOLVE_PUBLISHED)(&r, &o, NULL), 0);
		check_counts(&o, &want);
		assert_in_range(o.m, r.m > 0 ? 3 : POOL_TUNER_LEAST,
				r.m > 0 ? 3 : POOL_TUNER_LEAST_MOST);
		assert_true(r.M > 0 ? o.M == 5000 : o.M > 0);
	}
	r.m = r.M = 0;
	assert_int_equal(pool_search(SOLVE_PUBLISHED)(&r, &o, NULL), 0);
	check_counts(&o, &want);
	assert_int_equal(o.m, POOL_PAPER_M);
	assert_int_equal(o.M, POOL_TUNER_START); /* less than the paper's on sim */
	dev_set_close(&set);
}

static void victims_are_a_permutation_of_the_others(void **state)
{
	struct rng rng = rng_seeded(2);
	int first[5] = { 0 };

	(void)state;
	for (int trial = 0; trial < 4000; trial++) {
		int order[SEARCH_WORKERS_MAX], seen[5] = { 0 };

		assert_int_equal(pool_permute_victims(&rng, 2, 5, order), 4);
		for (int i = 0; i < 4; i++)
			seen[order[i]]++;
		first[order[0]]++;
		for (int i = 0; i < 5; i++)
			assert_int_equal(seen[i], i != 2);
		assert_int_equal(pool_permute_victims(&rng, -3, 5, order), 5);
		assert_int_equal(pool_permute_victims(&rng, 0, 1, order), 0);
	}
	for (int i = 0; i < 5; i++)
		assert_true(i == 2 ? first[i] == 0 : first[i] > 850 && first[i] < 1150);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(queens_match_published_counts),
		cmocka_unit_test(ten_queens_use_the_given_m_and_M),
		cmocka_unit_test(flowshop_trees_on_one_to_four_devices),
		cmocka_unit_test(optimum_is_found_without_an_incumbent),
		cmocka_unit_test(nodes_of_many_jobs_give_the_same_tree),
		cmocka_unit_test(stealing_happens),
		cmocka_unit_test(a_stopped_search_reports_its_partial_counts),
		cmocka_unit_test(a_stopped_flowshop_search_keeps_a_valid_bound),
		cmocka_unit_test(unsupported_requests_are_refused),
		cmocka_unit_test(deque_pops_at_both_ends_in_order),
		cmocka_unit_test(a_thief_steals_only_what_fits_its_budget),
		cmocka_unit_test(simulated_devices_choose_small_chunks),
		cmocka_unit_test(deque_matches_an_array),
		cmocka_unit_test(branching_makes_the_children_of_the_mask),
		cmocka_unit_test(threads_steal_until_all_work_is_done),
		cmocka_unit_test(tuner_hardly_probes_in_searches_of_few_windows),
		cmocka_unit_test(tuner_finds_the_best_chunk_size),
		cmocka_unit_test(tuner_loses_five_percent_at_most),
		cmocka_unit_test(tuner_limits_chunks_of_large_nodes),
		cmocka_unit_test(tuner_keeps_fixed_sizes),
		cmocka_unit_test(search_chooses_m_and_M),
		cmocka_unit_test(termination_needs_all_to_be_idle),
		cmocka_unit_test(victims_are_a_permutation_of_the_others),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
