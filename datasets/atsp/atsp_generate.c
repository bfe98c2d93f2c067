/* Generators of ATSP instances: two classes of Cirasella, Johnson, McGeoch, Zhang, "The asymmetric
 * traveling salesman problem: algorithms, instance generators, and tests" (ALENEX 2001), by their
 * definitions, and a plain one for tests. Random numbers are our own (harness/base/rng.h):
 * instances are of the class, not those of the authors' programs with the same seed. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "harness/base/rng.h"
#include "datasets/atsp/atsp_make.h"

enum { SIDE = 1000000 }; /* of the square, and the greatest cost of a matrix */

struct point {
	int64_t x, y;
};

/* floor(sqrt(x)). */
static int64_t root_of(int64_t x)
{
	int64_t root = 0;

	for (int64_t bit = INT64_C(1) << 30; bit; bit /= 2)
		if ((root + bit) * (root + bit) <= x)
			root += bit;
	return root;
}

/* Rounded to the nearest integer; whole numbers, so that it is the same everywhere. */
static int64_t distance(struct point a, struct point b)
{
	int64_t x = a.x - b.x, y = a.y - b.y, squared = x * x + y * y, root = root_of(squared);

	return squared - root * root > root ? root + 1 : root;
}

/* Nothing but numbers: no sign, no blank, which sscanf would let pass. */
static bool plain(const char *parameters)
{
	return parameters[strspn(parameters, "0123456789:")] == '\0';
}

/* CITIES:SEED */
static int sized(struct atsp *a, const char *class, const char *parameters, uint64_t *seed,
		 struct err *e)
{
	int cities, used = 0;

	if (!plain(parameters) ||
	    sscanf(parameters, "%9d:%19" SCNu64 "%n", &cities, seed, &used) < 2 ||
	    used != (int)strlen(parameters))
		return err_set(e, ERR_INPUT, "expected %s:CITIES:SEED", class);
	return atsp_alloc(a, cities, e, "%s-%d-s%" PRIu64, class, cities, *seed);
}

/* A city is a load to be carried: its source is uniform in the square of side 10^6, its destination
 * off by two integers uniform in -10^6/u .. 10^6/u. From city i to city j the empty crane goes from
 * the destination of i to the source of j. u = sqrt(cities): a load passes over about as many
 * sources whatever their number. */
int atsp_crane(struct atsp *a, const char *parameters, struct err *e)
{
	struct point source[ATSP_MAX_CITIES], destination[ATSP_MAX_CITIES];
	int64_t reach;
	struct rng r;
	uint64_t seed;
	int status = sized(a, "crane", parameters, &seed, e);

	if (status)
		return status;
	r = rng_seeded(seed);
	reach = root_of((int64_t)SIDE * SIDE / a->cities);
	for (int i = 0; i < a->cities; i++) {
		source[i].x = rng_between(&r, 0, SIDE - 1);
		source[i].y = rng_between(&r, 0, SIDE - 1);
		destination[i].x = source[i].x + rng_between(&r, -reach, reach);
		destination[i].y = source[i].y + rng_between(&r, -reach, reach);
	}
	for (int i = 0; i < a->cities && !status; i++)
		for (int j = 0; j < a->cities && !status; j++)
			if (i != j)
				status = atsp_put(a, i, j, distance(destination[i], source[j]), e);
	return status;
}

/* Every cost becomes that of the cheapest way (Floyd, Warshall). */
static void close_under_shortest_paths(struct atsp *a)
{
	int n = a->cities;

	for (int k = 0; k < n; k++)
		for (int i = 0; i < n; i++)
			for (int j = 0; j < n; j++) {
				int32_t via = a->cost[i * n + k] + a->cost[k * n + j];

				if (via < a->cost[i * n + j])
					a->cost[i * n + j] = via;
			}
}

/* A symmetric matrix, uniform in 0..10^6, closed under shortest paths: the triangle inequality
 * holds. */
int atsp_tsmat(struct atsp *a, const char *parameters, struct err *e)
{
	struct rng r;
	uint64_t seed;
	int status = sized(a, "tsmat", parameters, &seed, e);

	if (status)
		return status;
	r = rng_seeded(seed);
	for (int i = 0; i < a->cities && !status; i++)
		for (int j = 0; j < i && !status; j++) {
			int64_t cost = rng_between(&r, 0, SIDE);

			if (!(status = atsp_put(a, i, j, cost, e)))
				status = atsp_put(a, j, i, cost, e);
		}
	if (!status)
		close_under_shortest_paths(a);
	return status;
}

int atsp_random(struct atsp *a, const char *parameters, struct err *e)
{
	int cities, used = 0, status;
	uint64_t seed = 1;
	int64_t max = 0;
	struct rng r;

	if (!plain(parameters) ||
	    sscanf(parameters, "%9d:%18" SCNd64 "%n:%19" SCNu64 "%n", &cities, &max, &used, &seed,
		   &used) < 2 ||
	    used != (int)strlen(parameters))
		return err_set(e, ERR_INPUT, "expected random:CITIES:MAX[:SEED]");
	status = atsp_alloc(a, cities, e, "random-%d-max%" PRId64 "-s%" PRIu64, cities, max, seed);
	if (!status) /* refused or not whatever is drawn */
		status = atsp_put(a, 0, 1, max, e);
	r = rng_seeded(seed);
	for (int i = 0; i < a->cities && !status; i++)
		for (int j = 0; j < a->cities && !status; j++)
			if (i != j)
				status = atsp_put(a, i, j, rng_between(&r, 0, max), e);
	return status;
}
