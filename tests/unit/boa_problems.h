/* Every variant and engine on a problem: one run, bit by bit, and fitness by the oracle. Include
 * after <cmocka.h>. */
#ifndef COPRA_TEST_BOA_PROBLEMS_H
#define COPRA_TEST_BOA_PROBLEMS_H

#include "boa_replay.h"

struct boa_problem_case {
	const char *problem, *instance;
	int32_t population, generations;
};

/* What the runs say of their last populations is what the oracle says. */
static inline void check_fitness(const struct landscape *l, const struct kept_runs *k)
{
	size_t row = (size_t)k->population / 32;
	uint8_t *bits = malloc((size_t)l->n);

	for (int r = 0; r < k->count; r++) {
		const struct boa_run *run = &k->run[r];

		for (int32_t i = 0; i < k->population; i++) {
			for (int32_t v = 0; v < l->n; v++)
				bits[v] = run->words[(size_t)v * row + (size_t)i / 32] >> i % 32 & 1;
			if (run->fitness[i] != landscape_evaluate(l, bits))
				fail_msg("%s: individual %d of run %d has %d, not %d", l->name, i, r,
					 run->fitness[i], (int)landscape_evaluate(l, bits));
		}
		assert_int_equal(run->best, landscape_evaluate(l, run->bits));
	}
	free(bits);
}

static inline void same_on(struct boa_setup s, enum solve_variant variant, int engine,
			   const struct kept_runs *first)
{
	struct kept_runs k;

	s.variant = variant;
	s.engine = engine;
	k = keep_good_runs(&s, first->count);
	assert_same_runs(first, &k, s.landscape->n);
	free_runs(&k);
}

static inline void same_everywhere(const struct boa_problem_case *c, const struct dev_set *devices,
				   enum solve_variant reference)
{
	struct landscape l;
	struct err e = { 0 };
	struct boa_options o;
	struct boa_setup s = { .landscape = &l, .options = &o, .variant = reference,
			       .threads = 2, .devices = devices };
	struct kept_runs first;

	if (landscape_load(&l, c->problem, c->instance, &e))
		fail_msg("%s", e.text);
	boa_defaults(&o);
	o.population = c->population;
	o.selected = c->population / 2;
	o.generations = c->generations;
	first = keep_good_runs(&s, 2);
	check_fitness(&l, &first);
	same_on(s, SOLVE_CPU, BOA_AUTO, &first);
	same_on(s, SOLVE_PUBLISHED, BOA_AUTO, &first);
	for (int engine = BOA_GRID; engine <= BOA_LARGE; engine++)
		same_on(s, SOLVE_TUNED, engine, &first);
	free_runs(&first);
	landscape_free(&l);
}

#endif
