#include "algorithms/gboa/experiment_searched.h"

#include <math.h>

#include "algorithms/gboa/data.h"
#include "algorithms/gboa/network.h"
#include "algorithms/gboa/trials.h"

/* What is said of the one network of a run. */
struct opinion {
	int64_t edges;
	double score;  /* the sum of ln K2 of all variables */
	int32_t wrong; /* variable with too many parents, or one of no lower rank; -1: none */
};

/* ln of N_0! N_1! / (N_0 + N_1 + 1)! over the configurations of the parents. */
static double score_of(const struct boa_data *d, const struct boa_network *b, int32_t v)
{
	int32_t ones[1 << BOA_PARENTS_MAX] = { 0 }, all[1 << BOA_PARENTS_MAX] = { 0 };
	const int32_t *parents = b->parents + (size_t)v * (size_t)b->k;
	double score = 0;

	for (int32_t i = 0; i < d->count; i++) {
		int a = 0;

		for (int32_t r = 0; r < b->parent_count[v]; r++)
			a |= boa_bit(d, parents[r], i) << r;
		all[a]++;
		ones[a] += boa_bit(d, v, i);
	}
	for (int a = 0; a < 1 << b->parent_count[v]; a++)
		score += lgamma(ones[a] + 1.0) + lgamma(all[a] - ones[a] + 1.0) -
			 lgamma(all[a] + 2.0);
	return score;
}

/* Ranks that all differ and rise along each edge: no cycle. */
static bool is_wrong(const struct boa_network *b, int32_t v)
{
	if (b->parent_count[v] < 0 || b->parent_count[v] > b->k)
		return true;
	for (int32_t r = 0; r < b->parent_count[v]; r++) {
		int32_t u = b->parents[(size_t)v * (size_t)b->k + (size_t)r];

		if (u < 0 || u >= b->n || b->rank[u] >= b->rank[v])
			return true;
	}
	return false;
}

static void look(void *context, const struct boa_generation *g)
{
	struct opinion *o = context;

	*o = (struct opinion){ .wrong = -1 };
	for (int32_t v = 0; v < g->network->n; v++) {
		if (is_wrong(g->network, v)) {
			o->wrong = v;
			return;
		}
		o->edges += g->network->parent_count[v];
		o->score += score_of(g->selected, g->network, v);
	}
}

static int learn_once(const struct boa_setup *s, enum boa_model model, struct opinion *opinion,
		      struct err *e)
{
	struct boa_options o = *s->options;
	struct boa_setup setup = { .landscape = s->landscape,
				   .options = &o,
				   .threads = 1,
				   .variant = SOLVE_SERIAL,
				   .stop = s->stop,
				   .watch = look,
				   .watch_context = opinion };
	struct boa_trials trials;
	int status = boa_trials_create(&trials, s->landscape->n, 1, e);

	o.model = model;
	o.generations = 1;
	if (!status)
		status = boa_trials_run(&trials, &setup, e);
	if (!status && trials.runs[0].generations != 1)
		status = err_set(e, ERR_FAILED, "%s: no generation", s->landscape->name);
	boa_trials_destroy(&trials);
	return status;
}

static int compare(const struct boa_setup *s, struct err *e)
{
	const char *name = s->landscape->name;
	struct opinion searched = { .wrong = 0 }, permuted = { .wrong = 0 };
	int status = learn_once(s, BOA_SEARCHED, &searched, e);

	if (!status)
		status = learn_once(s, BOA_PERMUTED, &permuted, e);
	if (status)
		return status;
	if (searched.wrong >= 0)
		return err_set(e, ERR_FAILED, "%s: sBOA: the parents of variable %d cannot be",
			       name, searched.wrong);
	if (searched.edges == 0)
		return err_set(e, ERR_FAILED, "%s: sBOA: a network without edges", name);
	if (searched.score < permuted.score)
		return err_set(e, ERR_FAILED, "%s: sBOA: a score of %.3f, that of pBOA is %.3f",
			       name, searched.score, permuted.score);
	return 0;
}

int boa_check_searched(const struct boa_setup *s, struct err *e)
{
	struct landscape small = { .n = 0 };
	struct boa_setup setup = *s;
	int status = 0;

	if (s->landscape->n > 50) {
		status = landscape_load(&small, "trap5", "50", e);
		setup.landscape = &small;
	}
	if (!status)
		status = compare(&setup, e);
	landscape_free(&small);
	return status;
}
