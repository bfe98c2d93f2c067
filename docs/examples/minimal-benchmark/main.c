/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* A minimal benchmark: two ways to count the set bits of an array.
 *
 *     make cli-binaries
 *     build/bin/example-minimal-benchmark
 *     build/bin/example-minimal-benchmark --copra_axis=words=1000,100000 --benchmark_repetitions=5
 */
#include <stdlib.h>

#include "harness/bench/bench.h"

struct popcount {
	int64_t words;
	uint64_t *word;
	int64_t bits; /* the result: number of set bits */
};

static void teardown(struct bench_case *c)
{
	struct popcount *p = bench_data(c);

	free(p->word);
	free(p);
}

/* Called before the timed region. Word i has i % 65 set bits. */
static int setup(struct bench_case *c, struct err *e)
{
	struct popcount *p = bench_new_data(c, sizeof(*p), e);

	if (!p)
		return ERR_MEMORY;
	p->words = bench_int(c, "words");
	p->word = calloc((size_t)p->words, sizeof(*p->word));
	if (!p->word) {
		teardown(c);
		return err_set(e, ERR_MEMORY, "out of memory");
	}
	for (int64_t i = 0; i < p->words; i++)
		p->word[i] = i % 65 ? UINT64_MAX >> (64 - i % 65) : 0;
	return 0;
}

static int64_t bit_by_bit(uint64_t word)
{
	int64_t bits = 0;

	for (; word; word &= word - 1)
		bits++;
	return bits;
}

/* One timed iteration. */
static int run(struct bench_case *c, struct err *e)
{
	struct popcount *p = bench_data(c);
	bool serial = bench_variant(c) == SOLVE_SERIAL;

	(void)e;
	p->bits = 0;
	for (int64_t i = 0; i < p->words; i++)
		p->bits += serial ? bit_by_bit(p->word[i]) : __builtin_popcountll(p->word[i]);
	bench_work(c, (double)p->words, "words"); /* adds the rate words_per_second */
	return 0;
}

/* The oracle, called after the timed region. A wrong answer is an error and leaves no row. */
static int check(struct bench_case *c, struct err *e)
{
	const struct popcount *p = bench_data(c);
	int64_t rest = p->words % 65, right = p->words / 65 * 2080 + rest * (rest - 1) / 2;

	if (p->bits == right)
		return 0;
	return err_set(e, ERR_FAILED, "counted %lld bits instead of %lld", (long long)p->bits,
		       (long long)right);
}

/* The cases: every combination of these values, at the scales smoke, quick and paper. */
static const struct bench_axis axes[] = {
	BENCH_VARIANTS("serial", "tuned"),
	BENCH_AXIS_INT("words", BENCH_INTS(1000), BENCH_INTS(100000), BENCH_INTS(100000, 10000000)),
	BENCH_AXIS_END,
};

BENCHMARK(popcount) = {
	.name = "minimal-benchmark/popcount",
	.summary = "count the set bits of an array",
	.axes = axes,
	.setup = setup,
	.run = run,
	.check = check,
	.teardown = teardown,
};

int main(int argc, char **argv)
{
	static const struct target target = { .name = "minimal-benchmark",
					      .summary = "an example of one benchmark" };

	return copra_main(argc, argv, &target);
}
