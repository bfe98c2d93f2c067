/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/gboa/boa_problems.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <stdlib.h>

#include <cmocka.h>

/* Fails unless the fitness of the last populations equals that of the oracle. */
static void check_fitness(const struct landscape *l, const struct kept_runs *k)
{
	size_t row = (size_t)k->population / 32;
	uint8_t *bits = malloc((size_t)l->n);

	for (int r = 0; r < k->count; r++) {
		const struct boa_run *run = &k->run[r];

		for (int32_t i = 0; i < k->population; i++) {
			for (int32_t v = 0; v < l->n; v++)
				bits[v] =
					run->words[(size_t)v * row + (size_t)i / 32] >> i % 32 & 1;
			if (run->fitness[i] != landscape_evaluate(l, bits))
				fail_msg("%s: individual %d of run %d has %d, not %d", l->name, i,
					 r, run->fitness[i], (int)landscape_evaluate(l, bits));
		}
		assert_int_equal(run->best, landscape_evaluate(l, run->bits));
	}
	free(bits);
}

static bool same_run(const struct boa_run *a, const struct boa_run *b, const struct kept_runs *k)
{
	return a->edges == b->edges && a->best == b->best && a->generations == b->generations &&
	       memcmp(a->words, b->words, k->words * sizeof(*a->words)) == 0 &&
	       memcmp(a->fitness, b->fitness, (size_t)k->population * sizeof(*a->fitness)) == 0;
}

/* Prints how the variant differs, and continues, so that all differences are shown. */
static int differences(struct boa_setup s, enum solve_variant variant, int engine,
		       const struct kept_runs *first)
{
	struct kept_runs k;
	int different = 0;

	s.variant = variant;
	s.engine = engine;
	k = keep_good_runs(&s, first->count);
	for (int r = 0; r < k.count; r++) {
		const struct boa_run *a = &first->run[r], *b = &k.run[r];

		if (same_run(a, b, first))
			continue;
		different++;
		printf("%s, variant %d, engine %s, run %d: %d generations, %d edges, best %d; "
		       "not %d, %d, %d\n",
		       s.landscape->name, variant, boa_engine_words[engine], r, b->generations,
		       (int)b->edges, b->best, a->generations, (int)a->edges, a->best);
	}
	free_runs(&k);
	return different;
}

int differ_anywhere(const struct boa_problem_case *c, const struct dev_set *devices,
		    enum solve_variant reference)
{
	struct landscape l;
	struct err e = { 0 };
	struct boa_options o;
	struct boa_setup s = { .landscape = &l,
			       .options = &o,
			       .variant = reference,
			       .threads = 2,
			       .devices = devices };
	struct kept_runs first;
	int different;

	if (landscape_load(&l, c->problem, c->instance, &e))
		fail_msg("%s", e.text);
	boa_defaults(&o);
	o.population = c->population;
	o.selected = c->population / 2;
	o.generations = c->generations;
	first = keep_good_runs(&s, 2);
	check_fitness(&l, &first);
	different = differences(s, SOLVE_CPU, BOA_AUTO, &first) +
		    differences(s, SOLVE_PUBLISHED, BOA_AUTO, &first);
	for (int engine = BOA_GRID; engine <= BOA_LARGE; engine++)
		different += differences(s, SOLVE_TUNED, engine, &first);
	free_runs(&first);
	landscape_free(&l);
	return different;
}
