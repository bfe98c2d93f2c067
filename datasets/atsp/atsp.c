/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "datasets/atsp/atsp.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/hash.h"
#include "harness/base/outfile.h"
#include "harness/base/rng.h"
#include "harness/base/text_reader.h"

/* Allocates an instance with all costs 0. `format` makes its name. */
__attribute__((format(printf, 4, 5))) static int make(struct atsp *a, int64_t cities, struct err *e,
						      const char *format, ...)
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

/* Sets a cost >= 0 off the diagonal. ERR_INPUT (without file and line) if tours of such arcs would
 * not fit in 31 bits. */
static int put_cost(struct atsp *a, int from, int to, int64_t cost, struct err *e)
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

/* ---- generators ---- */

/* Two classes of Cirasella, Johnson, McGeoch, Zhang, "The asymmetric traveling salesman problem:
 * algorithms, instance generators, and tests" (ALENEX 2001), from their definitions, and a plain
 * class for tests. The random numbers are our own (harness/base/rng.h), so an instance belongs to
 * the class but differs from that of the authors' program with the same seed. */

enum { SIDE = 1000000 }; /* side of the square, and the largest cost of a matrix */

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

/* Rounded to the nearest integer. Integer arithmetic gives the same result on every machine. */
static int64_t distance(struct point a, struct point b)
{
	int64_t x = a.x - b.x, y = a.y - b.y, squared = x * x + y * y, root = root_of(squared);

	return squared - root * root > root ? root + 1 : root;
}

/* Whether there are only digits and colons: sscanf would also accept signs and spaces. */
static bool plain(const char *parameters)
{
	return parameters[strspn(parameters, "0123456789:")] == '\0';
}

/* Parses "CITIES:SEED" and allocates the matrix. */
static int sized(struct atsp *a, const char *class, const char *parameters, uint64_t *seed,
		 struct err *e)
{
	int cities, used = 0;

	if (!plain(parameters) ||
	    sscanf(parameters, "%9d:%19" SCNu64 "%n", &cities, seed, &used) < 2 ||
	    used != (int)strlen(parameters))
		return err_set(e, ERR_INPUT, "expected %s:CITIES:SEED", class);
	return make(a, cities, e, "%s-%d-s%" PRIu64, class, cities, *seed);
}

/* A city is a load to be carried. Its source is uniform in the square of side 10^6; its destination
 * differs from it by two integers, uniform in -10^6/u .. 10^6/u. From city i to city j the empty
 * crane moves from the destination of i to the source of j. With u = sqrt(cities) a load passes
 * about the same number of sources for any number of cities. */
static int make_crane(struct atsp *a, const char *parameters, struct err *e)
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
				status = put_cost(a, i, j, distance(destination[i], source[j]), e);
	return status;
}

/* Replaces every cost by that of the cheapest path (Floyd, Warshall). */
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

/* A symmetric matrix, uniform in 0..10^6, closed under shortest paths, so the triangle inequality
 * holds. */
static int make_tsmat(struct atsp *a, const char *parameters, struct err *e)
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

			if (!(status = put_cost(a, i, j, cost, e)))
				status = put_cost(a, j, i, cost, e);
		}
	if (!status)
		close_under_shortest_paths(a);
	return status;
}

static int make_random(struct atsp *a, const char *parameters, struct err *e)
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
	status = make(a, cities, e, "random-%d-max%" PRId64 "-s%" PRIu64, cities, max, seed);
	if (!status) /* refuse a MAX that is too high, even if the costs drawn are not */
		status = put_cost(a, 0, 1, max, e);
	r = rng_seeded(seed);
	for (int i = 0; i < a->cities && !status; i++)
		for (int j = 0; j < a->cities && !status; j++)
			if (i != j)
				status = put_cost(a, i, j, rng_between(&r, 0, max), e);
	return status;
}

/* ---- TSPLIB files ---- */

/* TSPLIB (Reinelt 1991) with a full matrix of costs. Keywords that do not affect the costs are
 * skipped by name; unknown keywords are refused, because they might. */

/* Enough for a row of 500 costs with any usual alignment. Lines may end anywhere in the matrix. */
enum { LINE_BYTES = 32768 };

enum keyword {
	NAME,
	TYPE,
	COMMENT,
	DIMENSION,
	EDGE_WEIGHT_TYPE,
	EDGE_WEIGHT_FORMAT,
	DISPLAY_DATA_TYPE,
	NODE_COORD_TYPE,
	EDGE_WEIGHT_SECTION,
	KEYWORDS
};
static const char *const keywords[KEYWORDS] = {
	"NAME",
	"TYPE",
	"COMMENT",
	"DIMENSION",
	"EDGE_WEIGHT_TYPE",
	"EDGE_WEIGHT_FORMAT",
	"DISPLAY_DATA_TYPE",
	"NODE_COORD_TYPE",
	"EDGE_WEIGHT_SECTION",
};

struct specification {
	bool seen[KEYWORDS];
	int64_t cities;
	char name[sizeof(((struct atsp *)NULL)->name)];
};

/* Finds the keyword of the line. *value is set to the text after the keyword and its colon. */
static int read_keyword(struct text_reader *r, enum keyword *found, const char **value,
			struct err *e)
{
	const char *s = r->text + strspn(r->text, " \t");
	size_t length = strcspn(s, " \t\r:");

	for (int k = 0; k < KEYWORDS; k++) {
		if (strlen(keywords[k]) != length || strncmp(s, keywords[k], length) != 0)
			continue;
		*found = (enum keyword)k;
		s += length;
		s += strspn(s, " \t");
		if (*s == ':')
			s++;
		else if (k != EDGE_WEIGHT_SECTION)
			return text_bad(r, e, "expected a colon after %s", keywords[k]);
		*value = s + strspn(s, " \t");
		return 0;
	}
	return text_bad(r, e, "'%.*s' is not a keyword of an ATSP file with a full matrix",
			length < 40 ? (int)length : 40, s);
}

/* Checks that the value is `word`, or `other` unless that is NULL. */
static int one_of(struct text_reader *r, enum keyword k, const char *value, const char *word,
		  const char *other, struct err *e)
{
	size_t length = strcspn(value, " \t\r");
	bool same = strlen(word) == length && strncmp(value, word, length) == 0;

	if (!same && other)
		same = strlen(other) == length && strncmp(value, other, length) == 0;
	if (!same)
		return text_bad(r, e, "%s is '%.*s': only %s%s%s is supported", keywords[k],
				length < 40 ? (int)length : 40, value, word, other ? " or " : "",
				other ? other : "");
	return 0;
}

static int whole_number(struct text_reader *r, const char *value, int64_t *number, struct err *e)
{
	int status = text_number(r, &value, number, "DIMENSION", e);

	if (!status && !text_at_end(value))
		status = text_bad(r, e, "unexpected text after the number of cities");
	return status;
}

static void keep_name(struct specification *s, const char *value)
{
	size_t length = strlen(value);

	while (length && strchr(" \t\r", value[length - 1]))
		length--;
	snprintf(s->name, sizeof(s->name), "%.*s", (int)length, value);
}

static int read_value(struct text_reader *r, struct specification *s, enum keyword k,
		      const char *value, struct err *e)
{
	switch (k) {
	case NAME:
		keep_name(s, value);
		return 0;
	case TYPE: /* in some files the author's name follows */
		return one_of(r, k, value, "ATSP", "TSP", e);
	case DIMENSION:
		return whole_number(r, value, &s->cities, e);
	case EDGE_WEIGHT_TYPE:
		return one_of(r, k, value, "EXPLICIT", NULL, e);
	case EDGE_WEIGHT_FORMAT:
		return one_of(r, k, value, "FULL_MATRIX", NULL, e);
	default:
		return 0;
	}
}

/* Reads the lines up to and including EDGE_WEIGHT_SECTION. Only COMMENT may be repeated. */
static int read_specification(struct text_reader *r, struct specification *s, struct err *e)
{
	static const enum keyword needed[] = { TYPE, DIMENSION, EDGE_WEIGHT_TYPE,
					       EDGE_WEIGHT_FORMAT };
	enum keyword k = NAME;
	const char *value = "";
	int status = 0;

	while (!status && k != EDGE_WEIGHT_SECTION) {
		if ((status = text_next_line(r, e)))
			break;
		if (r->ended)
			return text_bad(r, e, "the file ends before EDGE_WEIGHT_SECTION");
		if ((status = read_keyword(r, &k, &value, e)))
			break;
		if (s->seen[k] && k != COMMENT)
			return text_bad(r, e, "%s is repeated", keywords[k]);
		s->seen[k] = true;
		status = read_value(r, s, k, value, e);
	}
	if (!status && !text_at_end(value))
		return text_bad(r, e, "unexpected text after EDGE_WEIGHT_SECTION");
	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]) && !status; i++)
		if (!s->seen[needed[i]])
			status = text_bad(r, e, "%s is missing before EDGE_WEIGHT_SECTION",
					  keywords[needed[i]]);
	return status;
}

/* Moves *s to the next number, which may be on a later line. */
static int find_number(struct text_reader *r, const char **s, int from, int to, struct err *e)
{
	int status = 0;

	while (!status && text_at_end(*s)) {
		status = text_next_line(r, e);
		if (!status && r->ended)
			return text_bad(r, e, "the file ends before the cost from %d to %d", from,
					to);
		*s = r->text;
	}
	return status;
}

/* On the diagonal any number is accepted, even a negative one: it is not used. */
static int read_cost(struct text_reader *r, const char **s, struct atsp *a, int from, int to,
		     struct err *e)
{
	char name[48];
	int64_t cost;
	int status = find_number(r, s, from, to, e);

	if (status)
		return status;
	snprintf(name, sizeof(name), "cost from %d to %d", from, to);
	*s += strspn(*s, " \t");
	if (from == to && **s == '-' && isdigit((unsigned char)(*s)[1]))
		++*s;
	status = text_number(r, s, &cost, name, e);
	if (!status && from != to && (status = put_cost(a, from, to, cost, e)))
		status = err_prefix(e, "%s:%" PRId64, r->path, r->line);
	return status;
}

static int read_matrix(struct text_reader *r, struct atsp *a, struct err *e)
{
	const char *s = "";
	int status = 0;

	for (int i = 0; i < a->cities && !status; i++)
		for (int j = 0; j < a->cities && !status; j++)
			status = read_cost(r, &s, a, i, j, e);
	if (!status && !text_at_end(s))
		status = text_bad(r, e, "unexpected text after the %d x %d costs", a->cities,
				  a->cities);
	return status;
}

/* The line EOF may be missing. Nothing else may follow. */
static int read_end(struct text_reader *r, struct err *e)
{
	const char *s;
	int status = text_next_line(r, e);

	if (status || r->ended)
		return status;
	s = r->text + strspn(r->text, " \t");
	if (strncmp(s, "EOF", 3) != 0 || !text_at_end(s + 3))
		return text_bad(r, e, "unexpected text after the instance");
	status = text_next_line(r, e);
	if (!status && !r->ended)
		status = text_bad(r, e, "unexpected text after EOF");
	return status;
}

static int read_all(struct text_reader *r, struct atsp *a, struct err *e)
{
	struct specification s = { .cities = 0 };
	int status = read_specification(r, &s, e);

	if (status)
		return status;
	status = make(a, s.cities, e, "%s", *s.name ? s.name : text_base_name(r->path));
	if (status)
		return err_prefix(e, "%s:%" PRId64, r->path, r->line);
	if (!(status = read_matrix(r, a, e)))
		status = read_end(r, e);
	return status;
}

static int read_file(struct atsp *a, const char *path, struct err *e)
{
	char buffer[LINE_BYTES];
	struct text_reader r;
	int status;

	*a = (struct atsp){ .cities = 0 };
	if ((status = text_open(&r, path, buffer, sizeof(buffer), e)))
		return status;
	status = read_all(&r, a, e);
	text_close(&r);
	if (status)
		atsp_free(a);
	return status;
}

/* ---- known names and files ---- */

static const struct {
	const char *prefix;
	int (*make)(struct atsp *a, const char *parameters, struct err *e);
} generators[] = {
	{ "crane:", make_crane },
	{ "tsmat:", make_tsmat },
	{ "random:", make_random },
};
enum { GENERATORS = sizeof(generators) / sizeof(generators[0]) };

/* The index of the generator that a name selects, or GENERATORS. */
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
		return read_file(a, name_or_file, e);
	status = generators[i].make(a, name_or_file + strlen(generators[i].prefix), e);
	if (status)
		atsp_free(a);
	return status ? err_prefix(e, "%s", name_or_file) : 0;
}

int atsp_make(struct atsp *a, const char *name, int cities, const int32_t *cost, struct err *e)
{
	int status;

	*a = (struct atsp){ .cities = 0 };
	status = make(a, cities, e, "%s", name);
	for (int i = 0; !status && i < cities * cities; i++) {
		int from = i / cities, to = i % cities;

		if (from == to)
			continue;
		status = cost[i] < 0 ? err_set(e, ERR_INPUT, "the cost from %d to %d is negative",
					       from, to) :
				       put_cost(a, from, to, cost[i], e);
	}
	if (status)
		atsp_free(a);
	return status;
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
