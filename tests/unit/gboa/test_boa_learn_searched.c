/* sBOA against a naive search over all edges. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/gboa/boa_naive.h"

static struct boa_options options_of(int k)
{
	struct boa_options o;

	memset(&o, 0, sizeof(o));
	o.model = BOA_SEARCHED;
	o.max_parents = k;
	return o;
}

/* The order is topological, and each variable the lowest of those that might have come there. */
static void check_topological(const struct boa_network *b)
{
	check_order(b);
	for (int v = 0; v < b->n; v++)
		for (int u = 0; u < v; u++) {
			bool ready = b->rank[u] > b->rank[v];

			for (int p = 0; ready && p < b->parent_count[u]; p++)
				ready = b->rank[b->parents[u * b->k + p]] < b->rank[v];
			assert_false(ready);
		}
}

static void test_as_naive(void **state)
{
	struct rng r = rng_seeded(2);

	(void)state;
	for (uint64_t i = 0; i < 60; i++) {
		int n = (int)rng_between(&r, 1, 9), k = (int)rng_between(&r, 0, 4);
		struct sample s = sample_mixed(n, (int)rng_between(&r, 1, 90), i);
		struct boa_options o = options_of(k);
		struct boa_network b = network_of(n, k);
		struct naive_network naive;

		learn_by(&s, &o, true, 1, &b);
		naive_searched(&s, k, &naive);
		check_parents(&b, &naive);
		check_topological(&b);
		check_thresholds(&s, &b, BOA_SMOOTH_NONE);
		boa_network_destroy(&b);
		sample_destroy(&s);
	}
}

/* A ring of copies: all its edges but one, which would close a cycle. */
static void test_ring(void **state)
{
	enum { N = 24, M = 640 };
	struct sample s = sample_of_zeros(N, M);
	struct boa_options o = options_of(1);
	struct boa_network b = network_of(N, 1);
	struct rng r = rng_seeded(4);
	int edges = 0;

	(void)state;
	for (int i = 0; i < M; i++) {
		int at = (int)rng_below(&r, N);

		for (int v = 0; v < N; v++)
			*sample_at(&s, i, v) = (v + at) % N < N / 2;
	}
	sample_pack(&s, 0);
	learn_by(&s, &o, true, 1, &b);
	check_topological(&b);
	for (int v = 0; v < N; v++)
		edges += b.parent_count[v];
	assert_int_equal(edges, N - 1);
	boa_network_destroy(&b);
	sample_destroy(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_as_naive),
		cmocka_unit_test(test_ring),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
