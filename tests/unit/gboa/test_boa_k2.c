/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The K2 metric: scores and networks agree with exact rational scores of 156 families. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <string.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/gboa/boa_naive.h"
#include "tests/unit/datasets/instance_files.h"

/* Includes the source in order to test the scores of the plain learner. */
#define boa_learner_create create_here
#define boa_learner_destroy destroy_here
#define boa_learn learn_here
void boa_learner_destroy(struct boa_learner *l);
#include "algorithms/gboa/boa/learn.c"
#undef boa_learner_create
#undef boa_learner_destroy
#undef boa_learn

enum { N = 6, M = 24, FAMILIES = 156 };

/* A variable and its parents: as a set of bits, and in ascending order in `parent`. */
struct family {
	int v, parents;
	int32_t parent[N];
	unsigned set;
	double score;
};

static struct family family[FAMILIES];
static struct sample golden;

static void read_family(const char *line, struct family *f)
{
	unsigned long long numerator, denominator;
	int used;

	*f = (struct family){ .v = line[0] - '0' };
	for (line += 2; *line != ','; line++) {
		if (*line == ' ')
			continue;
		f->parent[f->parents++] = *line - '0';
		f->set |= 1u << (*line - '0');
	}
	assert_int_equal(
		sscanf(line, ",%llu,%llu,%lf%n", &numerator, &denominator, &f->score, &used), 3);
	assert_true(fabs((double)(logl(numerator) - logl(denominator)) - f->score) < 1e-12);
}

static int read_golden(void **state)
{
	FILE *values = fopen(data("k2_golden.txt"), "r"),
	     *scores = fopen(data("k2_golden.csv"), "r");
	char line[160];

	(void)state;
	if (!values || !scores)
		return -1;
	golden = sample_of_zeros(N, M);
	for (int i = 0; i < N * M; i++)
		if (fscanf(values, "%hhu", &golden.value[i]) != 1)
			return -1;
	sample_pack(&golden, 0);
	if (!fgets(line, sizeof(line), scores))
		return -1;
	for (int i = 0; i < FAMILIES; i++) {
		if (!fgets(line, sizeof(line), scores))
			return -1;
		read_family(line, &family[i]);
	}
	fclose(values);
	fclose(scores);
	return 0;
}

static int drop_golden(void **state)
{
	(void)state;
	sample_destroy(&golden);
	return 0;
}

static double score_in_double(const struct family *f)
{
	double score = 0;

	for (int a = 0; a < 1 << f->parents; a++) {
		double zeros = naive_count(&golden, f->v, 0, f->parent, f->parents, a);
		double ones = naive_count(&golden, f->v, 1, f->parent, f->parents, a);

		score += lgamma(zeros + 1) + lgamma(ones + 1) - lgamma(zeros + ones + 2);
	}
	return score;
}

/* Both the scores of the naive learner and those of the plain learner agree with the exact ones. */
static void scores_match_exact_rationals(void **state)
{
	struct plain l;

	(void)state;
	assert_int_equal(plain_create(&l, N, M, NULL), 0);
	plain_unpack(&l, &golden.data);
	for (int i = 0; i < FAMILIES; i++) {
		const struct family *f = &family[i];
		uint32_t score = plain_score(&l, f->v, f->parent, f->parents);

		assert_true(fabs(score_in_double(f) - f->score) < 1e-12);
		assert_true(fabs(ldexp((int32_t)score, -l.table.scale) - f->score) < 1e-5);
	}
	plain_destroy(&l);
}

static void the_table_of_factorials_is_exact(void **state)
{
	static const int counts[] = { 1, 2, 24, 100, 2400, 4800, 100000, 1 << 20 };

	(void)state;
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		struct boa_k2_table t;
		int step = counts[i] > 10000 ? 97 : 1;

		assert_int_equal(boa_k2_table_create(&t, counts[i], NULL), 0);
		assert_int_equal(t.count, counts[i]);
		assert_int_equal(t.scale, naive_scale(counts[i]));
		assert_true(counts[i] * log(2) * pow(2, t.scale) < 0x1p31);
		for (int m = 0; m <= counts[i] + 1; m += step)
			assert_in_range(t.at[m] - naive_ln_factorial((uint32_t)m, t.scale) + 1, 0,
					2);
		boa_k2_table_destroy(&t);
		assert_null(t.at);
	}
}

static double score_of_set(int v, unsigned set)
{
	for (int i = 0; i < FAMILIES; i++)
		if (family[i].v == v && family[i].set == set)
			return family[i].score;
	fail_msg("no score of variable %d and parents %x", v, set);
	return 0;
}

/* Greedy by the exact scores; false if two are too close to tell which is chosen. */
static bool follow_scores(const int32_t *rank, int v, int *parents, int32_t *parent)
{
	unsigned set = 0;

	for (*parents = 0; *parents < 3; ++*parents) {
		double before = score_of_set(v, set), best = 0, second = 0;

		for (int u = 0; u < N; u++) {
			double gain = rank[u] < rank[v] && !(set >> u & 1) ?
					      score_of_set(v, set | 1u << u) - before :
					      0;

			if (gain > best) {
				second = best;
				best = gain;
				parent[*parents] = u;
			} else if (gain > second) {
				second = gain;
			}
		}
		if (best == 0)
			return true;
		if (best - second < 1e-5)
			return false;
		set |= 1u << parent[*parents];
	}
	return true;
}

static int check_order_of_golden(const int32_t *rank)
{
	struct boa_options o = { .max_parents = 3, .population = 64, .selected = 32 };
	struct boa_network b[2] = { network_of(N, 3), network_of(N, 3) };
	int checked = 0, parents;
	int32_t parent[3];

	for (int way = 0; way < 2; way++) {
		memcpy(b[way].rank, rank, N * sizeof(*rank));
		learn_by(&golden, &o, way == 0, 1, &b[way]);
		for (int v = 0; v < N; v++) {
			if (!follow_scores(rank, v, &parents, parent))
				continue;
			assert_int_equal(b[way].parent_count[v], parents);
			assert_memory_equal(b[way].parents + v * 3, parent,
					    (size_t)parents * sizeof(*parent));
			checked++;
		}
	}
	check_same(&b[0], &b[1]);
	boa_network_destroy(&b[0]);
	boa_network_destroy(&b[1]);
	return checked;
}

/* For all 720 orders of the variables, the networks follow from the exact scores. */
static void networks_follow_from_exact_scores(void **state)
{
	int checked = 0;

	(void)state;
	for (int code = 0; code < 720; code++) {
		int32_t rank[N];
		bool used[N] = { false };

		for (int v = 0, rest = code; v < N; v++) {
			int skip = rest % (N - v), r = -1;

			rest /= N - v;
			do
				r++;
			while (used[r] || skip-- > 0);
			used[r] = true;
			rank[v] = r;
		}
		checked += check_order_of_golden(rank);
	}
	assert_true(checked > 720 * N); /* of 2 x 720 x N: most choices are not ties */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scores_match_exact_rationals),
		cmocka_unit_test(the_table_of_factorials_is_exact),
		cmocka_unit_test(networks_follow_from_exact_scores),
	};

	return cmocka_run_group_tests(tests, read_golden, drop_golden);
}
