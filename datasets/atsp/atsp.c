#include "datasets/atsp/atsp.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/hash.h"
#include "harness/base/outfile.h"
#include "datasets/atsp/atsp_make.h"

int atsp_alloc(struct atsp *a, int64_t cities, struct err *e, const char *format, ...)
{
	va_list ap;

	*a = (struct atsp){ .cities = 0 };
	if (cities < 2 || cities > ATSP_MAX_CITIES)
		return err_set(e, ERR_INPUT, "number of cities %" PRId64 " is not in 2..%d", cities,
			       ATSP_MAX_CITIES);
	a->cost = calloc((size_t)(cities * cities), sizeof(*a->cost));
	if (!a->cost)
		return err_set(e, ERR_MEMORY, "no memory for the costs of %" PRId64 " cities",
			       cities);
	a->cities = (int)cities;
	va_start(ap, format);
	vsnprintf(a->name, sizeof(a->name), format, ap);
	va_end(ap);
	return 0;
}

int atsp_put(struct atsp *a, int from, int to, int64_t cost, struct err *e)
{
	if (cost > INT32_MAX / a->cities)
		return err_set(e, ERR_INPUT,
			       "cost from %d to %d is too high: a tour of %d such "
			       "arcs does not fit in 31 bits",
			       from, to, a->cities);
	a->cost[from * a->cities + to] = (int32_t)cost;
	return 0;
}

void atsp_free(struct atsp *a)
{
	free(a->cost);
	*a = (struct atsp){ .cities = 0 };
}

uint64_t atsp_hash(const struct atsp *a)
{
	size_t count = (size_t)a->cities * (size_t)a->cities;

	return hash_bytes(hash_u64(HASH_INIT, (uint64_t)a->cities), a->cost,
			  count * sizeof(*a->cost));
}

static const struct {
	const char *prefix;
	int (*make)(struct atsp *a, const char *parameters, struct err *e);
} generators[] = {
	{ "crane:", atsp_crane },
	{ "tsmat:", atsp_tsmat },
	{ "random:", atsp_random },
};
enum { GENERATORS = sizeof(generators) / sizeof(generators[0]) };

/* Index of the generator that a name asks for, or GENERATORS. */
static size_t generator_of(const char *name)
{
	size_t i = 0;

	while (i < GENERATORS &&
	       strncmp(name, generators[i].prefix, strlen(generators[i].prefix)) != 0)
		i++;
	return i;
}

bool atsp_is_name(const char *name)
{
	return generator_of(name) < GENERATORS;
}

int atsp_load(struct atsp *a, const char *name_or_file, struct err *e)
{
	size_t i = generator_of(name_or_file);
	int status;

	*a = (struct atsp){ .cities = 0 };
	if (i == GENERATORS)
		return atsp_read(a, name_or_file, e);
	status = generators[i].make(a, name_or_file + strlen(generators[i].prefix), e);
	if (status)
		atsp_free(a);
	return status ? err_prefix(e, "%s", name_or_file) : 0;
}

void atsp_print(const struct atsp *a, FILE *s)
{
	fprintf(s,
		"NAME: %s\nTYPE: ATSP\nDIMENSION: %d\nEDGE_WEIGHT_TYPE: EXPLICIT\n"
		"EDGE_WEIGHT_FORMAT: FULL_MATRIX\nEDGE_WEIGHT_SECTION\n",
		a->name, a->cities);
	for (int i = 0; i < a->cities; i++)
		for (int j = 0; j < a->cities; j++)
			fprintf(s, "%" PRId32 "%c", a->cost[i * a->cities + j],
				j + 1 < a->cities ? ' ' : '\n');
	fputs("EOF\n", s);
}

int atsp_write(const struct atsp *a, const char *path, struct err *e)
{
	struct outfile *out;
	int status = outfile_open(&out, path, e);

	if (status)
		return status;
	atsp_print(a, outfile_stream(out));
	return outfile_commit(out, e);
}
