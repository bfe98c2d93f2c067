/* Hierarchical BOA: decision graphs as local structures, and restricted tournament replacement that
 * keeps niches apart. The model BOA_TREES of boa.h.
 *
 * Pelikan, Goldberg, "Escaping hierarchical traps with competent genetic algorithms", GECCO 2001;
 * Pelikan, "Hierarchical Bayesian Optimization Algorithm", Springer 2005. Where these leave a
 * choice:
 *
 *   population 0 as for all models (random.h), every individual in a slot 0 .. N - 1 of its own.
 *   Then, per generation g = 0, 1, ...
 *   1. stop, where a rule says so
 *   2. `selected` tournaments, tournament j between the slots hboa_contestant(j, 0), (j, 1), ...
 *      (drawn with replacement): the fittest wins, of equal ones the first drawn
 *   3. stop, where it is a rule, if all that are selected are alike
 *   4. a decision graph for each variable v, whose splits ask for variables of lower rank in the
 *      permutation of g (random.h): Pelikan and Laury ("Order or not", MEDAL 2006005) found that a
 *      random order costs hardly anything. So variables are learned independently
 *   5. boa_offspring() offspring, from the same random numbers as all models use, and their fitness
 *   6. for i = 0, 1, ...: offspring i looks at the slots hboa_window_slot(i, 0) .. (i, W - 1)
 * (drawn with replacement) for the individual with the fewest differing bits, of equal ones the
 * first drawn, and takes its slot if it is fitter than that one. Those before it are there already.
 *
 * `replacement` of the options says how many offspring there are and nothing else; max_parents is
 * not looked at. W is the option `window`, or hboa_window().
 *
 * The graph of v: greedily, from one leaf that holds all individuals. The operator of the greatest
 * gain is applied, of equal ones splits before merges, then the lowest leaf, then the lowest
 * variable (split) or second leaf (merge); while the gain is above 0 and there are not
 * HBOA_SPLITS_MAX splits. split  leaf l by u: l keeps the individuals with u = 0, a new leaf with
 * the next number gets the others. Gain: K2 of the two less K2 of the one (k2.h), less half of
 * ln(selected): each leaf has one parameter more to be stored (Friedman, Goldszmidt 1996) merge
 * leaves l < m: l gets all of them, the last leaf gets the number of m. Gain: K2 of the one less K2
 * of the two, plus half of ln(selected). Only where the option `merges` is set: with it trap5 of 60
 * variables was solved less often (11 of 30 runs with N = 1600, without it 23), since what the
 * early splits of a group have in common is merged before the later ones tell it apart Every leaf
 * holds an individual: a split without effect has a gain below 0. */
#ifndef COPRA_GBOA_HBOA_H
#define COPRA_GBOA_HBOA_H

#include "harness/base/team.h"
#include "algorithms/gboa/boa.h"
#include "algorithms/gboa/data.h"
#include "algorithms/gboa/k2.h"
#include "algorithms/gboa/network.h"
#include "algorithms/gboa/random.h"

enum { HBOA_LEAVES_MAX = 128, HBOA_SPLITS_MAX = HBOA_LEAVES_MAX - 1 };

/* child[x]: where to go if the variable is x: the number of a later split, or -1 - number of a
 * leaf. */
struct hboa_split {
	int32_t variable;
	int16_t child[2];
};

/* Of one variable. Split 0 is the root; without splits leaf 0 is all there is. Splits follow those
 * that lead to them. */
struct hboa_graph {
	int32_t splits, leaves;
	struct hboa_split split[HBOA_SPLITS_MAX];
	uint32_t threshold[HBOA_LEAVES_MAX]; /* of a leaf: random.h */
};

struct hboa_model {
	int32_t n;
	int32_t *rank, *order;    /* n: the permutation of the generation; variables by rank */
	struct hboa_graph *graph; /* n */
};

int hboa_model_create(struct hboa_model *m, int32_t n, struct err *e);
void hboa_model_destroy(struct hboa_model *m); /* of zeros too */
/* rank and order of a generation. ERR_MEMORY. */
int hboa_set_order(struct hboa_model *m, uint64_t seed, uint32_t generation, struct err *e);
/* Pairs of a variable and another one that its graph asks for. */
int64_t hboa_edges(const struct hboa_model *m);

/* ---- random numbers; purposes BOA_OTHER and the next ---- */

HD uint32_t hboa_below(uint32_t random, uint32_t count)
{
	return (uint32_t)((uint64_t)random * count >> 32);
}

HD struct philox4 hboa_contestants(uint64_t seed, uint32_t generation, uint32_t tournament,
				   uint32_t quarter)
{
	return philox_7(tournament, quarter, generation, BOA_OTHER, seed);
}

/* Slot of contestant d of tournament j. */
HD uint32_t hboa_contestant(uint64_t seed, uint32_t generation, uint32_t j, uint32_t d,
			    uint32_t population)
{
	return hboa_below(hboa_contestants(seed, generation, j, d >> 2).word[d & 3], population);
}

HD struct philox4 hboa_window_draws(uint64_t seed, uint32_t generation, uint32_t offspring,
				    uint32_t quarter)
{
	return philox_7(offspring, quarter, generation, (uint32_t)BOA_OTHER + 1, seed);
}

/* Slot that offspring i draws as number d. */
HD uint32_t hboa_window_slot(uint64_t seed, uint32_t generation, uint32_t i, uint32_t d,
			     uint32_t population)
{
	return hboa_below(hboa_window_draws(seed, generation, i, d >> 2).word[d & 3], population);
}

/* Slots that an offspring looks at: the least of n and a twentieth of the population (Pelikan). */
HD int32_t hboa_window(const struct boa_options *o, int32_t n)
{
	int32_t twentieth = o->population / 20;

	return o->window ? o->window : n < twentieth ? n : twentieth;
}

/* ---- gains ---- */

/* Half of ln `count`, in the units of the table of `count` individuals. */
HD uint32_t hboa_penalty(const uint32_t *ln_factorial, int32_t count)
{
	return (ln_factorial[count] - ln_factorial[count - 1]) / 2;
}

/* Of a leaf with `zeros` and `ones`, of which `zeros_there` and `ones_there` go to the new leaf. */
HD int32_t hboa_split_gain(const uint32_t *ln_factorial, uint32_t zeros, uint32_t ones,
			   uint32_t zeros_there, uint32_t ones_there, uint32_t penalty)
{
	return (int32_t)(k2_cell(ln_factorial, zeros - zeros_there, ones - ones_there) +
			 k2_cell(ln_factorial, zeros_there, ones_there) -
			 k2_cell(ln_factorial, zeros, ones) - penalty);
}

/* Can a split of this leaf gain anything? ln of the beta function is convex, so that no split gains
 * more than the one that parts zeros and ones, or none at all; 4: what rounding of the table may
 * add. */
HD bool hboa_worth_a_split(const uint32_t *ln_factorial, uint32_t zeros, uint32_t ones,
			   uint32_t penalty)
{
	return hboa_split_gain(ln_factorial, zeros, ones, 0, ones, penalty) > -4;
}

/* An operator as one number, the best one the greatest; 0: none that gains. Below a gain of 0
 * nothing is an operator. */
HD uint64_t hboa_operator(int32_t gain, uint32_t merge, uint32_t leaf, uint32_t other)
{
	return gain <= 0 ? 0 : (uint64_t)(uint32_t)gain << 32 | ~(merge << 31 | leaf << 16 | other);
}

HD int32_t hboa_operator_gain(uint64_t op)
{
	return (int32_t)(op >> 32);
}

HD bool hboa_operator_merges(uint64_t op)
{
	return ~(uint32_t)op >> 31;
}

HD uint32_t hboa_operator_leaf(uint64_t op)
{
	return ~(uint32_t)op >> 16 & 0x7fff;
}

/* Variable of a split, second leaf of a merge. */
HD uint32_t hboa_operator_other(uint64_t op)
{
	return ~(uint32_t)op & 0xffff;
}

HD uint64_t hboa_merge_operator(const uint32_t *ln_factorial, const uint32_t *zeros,
				const uint32_t *ones, uint32_t l, uint32_t m, uint32_t penalty)
{
	uint32_t gain = k2_cell(ln_factorial, zeros[l] + zeros[m], ones[l] + ones[m]) -
			k2_cell(ln_factorial, zeros[l], ones[l]) -
			k2_cell(ln_factorial, zeros[m], ones[m]) + penalty;

	return hboa_operator((int32_t)gain, 1, l, m);
}

/* ---- changes of a graph ---- */

HD void hboa_redirect(struct hboa_graph *g, int32_t from, int32_t to)
{
	for (int32_t s = 0; s < g->splits; s++)
		for (int x = 0; x < 2; x++)
			if (g->split[s].child[x] == from)
				g->split[s].child[x] = (int16_t)to;
}

HD void hboa_graph_split(struct hboa_graph *g, int32_t leaf, int32_t variable)
{
	hboa_redirect(g, -1 - leaf, g->splits);
	g->split[g->splits].variable = variable;
	g->split[g->splits].child[0] = (int16_t)(-1 - leaf);
	g->split[g->splits].child[1] = (int16_t)(-1 - g->leaves);
	g->splits++;
	g->leaves++;
}

HD void hboa_graph_merge(struct hboa_graph *g, int32_t leaf, int32_t other)
{
	hboa_redirect(g, -1 - other, -1 - leaf);
	g->leaves--;
	hboa_redirect(g, -1 - g->leaves, -1 - other);
}

/* ---- steps on the host ---- */

/* As serial does them: an individual after the other; otherwise in words, by the threads of `w`
 * (NULL: the caller alone). Both give the same. */

struct hboa_learner;
struct boa_limit; /* limit.h */

/* Of data of n variables and `count` individuals. */
int hboa_learner_create(struct hboa_learner **l, int32_t n, int32_t count,
			const struct boa_options *o, bool plain, struct team *w, struct err *e);
void hboa_learner_destroy(struct hboa_learner *l);
/* Reads rank and order, fills the graphs. */
void hboa_learn(struct hboa_learner *l, const struct boa_data *d, struct hboa_model *m);
/* From now on hboa_learn() returns early where the limit (borrowed; NULL: none) is reached: the
 * model is then of no use. */
void hboa_learner_limit(struct hboa_learner *l, const struct boa_limit *limit);

/* `count` offspring, a multiple of 32, rows `stride` apart. */
void hboa_sample(const struct hboa_model *m, uint64_t seed, uint32_t generation, int32_t count,
		 uint32_t *words, size_t stride, bool plain, struct team *w);

/* The winners' slots, `selected` of them. */
void hboa_select(const struct boa_options *o, uint64_t seed, uint32_t generation,
		 const int32_t *fitness, int32_t *slots, struct team *w);

/* Individuals row by row: 64 variables in a word. Variable v of individual i is bit v % 64 of
 * words[i * stride + v / 64]; bits beyond are 0. */
struct hboa_rows {
	int32_t n, count;
	size_t stride; /* (n + 63) / 64 */
	uint64_t *words;
};

int hboa_rows_create(struct hboa_rows *r, int32_t n, int32_t count, struct err *e);
void hboa_rows_destroy(struct hboa_rows *r);
void hboa_rows_from(struct hboa_rows *r, const uint32_t *words, size_t stride, struct team *w);
/* Rows `slots`, a multiple of 32 of them (NULL: 0, 1, ...), by variable. */
void hboa_rows_to(const struct hboa_rows *r, const int32_t *slots, int32_t count, uint32_t *words,
		  size_t stride, struct team *w);

/* Restricted tournaments of a generation. What replacing needs is kept between them. */
struct hboa_tournaments;
int hboa_tournaments_create(struct hboa_tournaments **t, int32_t n, const struct boa_options *o,
			    bool plain, struct team *w, struct err *e);
void hboa_tournaments_destroy(struct hboa_tournaments *t);
void hboa_replace(struct hboa_tournaments *t, uint64_t seed, uint32_t generation,
		  struct hboa_rows *population, int32_t *fitness, const struct hboa_rows *offspring,
		  const int32_t *offspring_fitness);

/* ---- variants ---- */

boa_runs_function hboa_host_runs;  /* serial, cpu */
boa_runs_function hboa_tuned_runs; /* the devices' */

#endif
