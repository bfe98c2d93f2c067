/* Generators of flowshop instances: Taillard's, and a plain one for tests. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "harness/base/rng.h"
#include "datasets/flowshop/flowshop_make.h"

/* Taillard prints 1 + floor(99 s / m) with s / m in floating point; the quotient never comes closer
 * than 1/m to an integer from below, so whole numbers give the same. */
static int32_t taillard_time(int64_t *seed)
{
	const int64_t m = 2147483647, a = 16807, b = 127773, c = 2836;
	int64_t k = *seed / b;

	*seed = a * (*seed % b) - k * c;
	if (*seed < 0)
		*seed += m;
	return (int32_t)(1 + *seed * 99 / m);
}

int flowshop_taillard(struct flowshop *f, int jobs, int machines, int64_t seed, struct err *e)
{
	int64_t state = seed, sum = 0;
	int status = flowshop_alloc(f, jobs, machines, e, "taillard-%dx%d-s%" PRId64, jobs,
				    machines, seed);

	if (status)
		return status;
	if (seed < 1 || seed > INT32_MAX - 1) {
		flowshop_free(f);
		return err_set(e, ERR_INPUT, "seed %" PRId64 " is not in 1..2147483646", seed);
	}
	for (int k = 0; k < machines && !status; k++)
		for (int j = 0; j < jobs && !status; j++)
			status = flowshop_put(f, k, j, taillard_time(&state), &sum, e);
	if (status)
		flowshop_free(f);
	return status;
}

/* Nothing but sizes and numbers: no sign, no blank, which sscanf would let pass. */
static bool plain(const char *parameters)
{
	return parameters[strspn(parameters, "0123456789x:")] == '\0';
}

int flowshop_taillard_named(struct flowshop *f, const char *parameters, struct err *e)
{
	int jobs, machines, used = 0;
	int64_t seed;

	if (!plain(parameters) ||
	    sscanf(parameters, "%9dx%9d:%18" SCNd64 "%n", &jobs, &machines, &seed, &used) < 3 ||
	    used != (int)strlen(parameters))
		return err_set(e, ERR_INPUT, "taillard:%s: expected taillard:JOBSxMACHINES:SEED",
			       parameters);
	if (flowshop_taillard(f, jobs, machines, seed, e))
		return err_prefix(e, "taillard:%s", parameters);
	return 0;
}

static int fill_random(struct flowshop *f, int64_t max, uint64_t seed, struct err *e)
{
	struct rng r = rng_seeded(seed);
	int64_t sum = 0;
	int status = 0;

	for (int k = 0; k < f->machines && !status; k++)
		for (int j = 0; j < f->jobs && !status; j++)
			status = flowshop_put(f, k, j, rng_between(&r, 1, max), &sum, e);
	if (status)
		flowshop_free(f);
	return status;
}

int flowshop_random(struct flowshop *f, const char *parameters, struct err *e)
{
	int jobs, machines, used = 0, status;
	uint64_t seed = 1;
	int64_t max = 0;

	if (!plain(parameters) ||
	    sscanf(parameters, "%9dx%9d:%18" SCNd64 "%n:%19" SCNu64 "%n", &jobs, &machines, &max,
		   &used, &seed, &used) < 3 ||
	    used != (int)strlen(parameters) || max < 1)
		return err_set(e, ERR_INPUT,
			       "random:%s: expected random:JOBSxMACHINES:MAXTIME"
			       "[:SEED] with MAXTIME >= 1",
			       parameters);
	status = flowshop_alloc(f, jobs, machines, e, "random-%dx%d-max%" PRId64 "-s%" PRIu64, jobs,
				machines, max, seed);
	if (!status)
		status = fill_random(f, max, seed, e);
	return status ? err_prefix(e, "random:%s", parameters) : 0;
}
