/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "datasets/knapsack/knapsack.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/rng.h"
#include "harness/base/text_reader.h"

enum { MAX_ITEMS = 1 << 30 };

/* Allocates n items with sums 0. `format` makes the name. */
__attribute__((format(printf, 4, 5))) static int make(struct knapsack *k, int64_t n, struct err *e,
						      const char *format, ...)
{
	va_list ap;

	*k = (struct knapsack){ .n = n };
	if (n < 1 || n > MAX_ITEMS)
		return err_set(e, ERR_INPUT, "number of items %" PRId64 " is not in 1..%d", n,
			       MAX_ITEMS);
	va_start(ap, format);
	vsnprintf(k->name, sizeof(k->name), format, ap);
	va_end(ap);
	k->profit = calloc((size_t)n, sizeof(*k->profit));
	k->weight = calloc((size_t)n, sizeof(*k->weight));
	if (!k->profit || !k->weight) {
		knapsack_free(k);
		return err_set(e, ERR_MEMORY, "no memory for %" PRId64 " items", n);
	}
	return 0;
}

/* Sets item i and adds it to the sums. ERR_INPUT (without file and line) if a sum overflows. */
static int put_item(struct knapsack *k, int64_t i, int64_t profit, int64_t weight, struct err *e)
{
	k->profit[i] = profit;
	k->weight[i] = weight;
	if (__builtin_add_overflow(k->sum_profit, profit, &k->sum_profit))
		return err_set(e, ERR_INPUT, "the sum of the profits overflows 64 bits");
	if (__builtin_add_overflow(k->sum_weight, weight, &k->sum_weight))
		return err_set(e, ERR_INPUT, "the sum of the weights overflows 64 bits");
	return 0;
}

void knapsack_free(struct knapsack *k)
{
	free(k->profit);
	free(k->weight);
	*k = (struct knapsack){ .n = 0 };
}

void knapsack_evaluate(const struct knapsack *k, const uint8_t *taken, int64_t *value,
		       int64_t *weight)
{
	*value = 0;
	*weight = 0;
	for (int64_t i = 0; i < k->n; i++) {
		if (!taken[i])
			continue;
		*value += k->profit[i];
		*weight += k->weight[i];
	}
}

/* ---- generators ---- */

/* Uniform in 1..range. */
static int64_t draw(struct rng *r, int64_t range)
{
	__extension__ unsigned __int128 wide = rng_next(r);

	return 1 + (int64_t)(wide * (uint64_t)range >> 64);
}

/* The generator of Boyer et al.: w = 1 + floor(u * 1000 / 2^64) with u from splitmix64, seeded with
 * seed * 1000003 + n; p = w + 50; C = floor(sum w / 2). */
static int generate_boyer(struct knapsack *k, int64_t n, uint64_t seed, struct err *e)
{
	struct rng r = rng_seeded(seed * 1000003u + (uint64_t)n);
	int status = make(k, n, e, "boyer-n%" PRId64 "-s%" PRIu64, n, seed);

	for (int64_t i = 0; i < n && !status; i++) {
		int64_t w = draw(&r, 1000);

		status = put_item(k, i, w + 50, w, e);
	}
	if (status)
		return status;
	k->capacity = k->sum_weight / 2;
	return 0;
}

/* The classes of Martello and Toth, with Boyer's weights. */
static const char *const class_name[] = { "strong", "weak", "uncorrelated", "inverse",
					  "subset-sum" };
enum class { STRONG, WEAK, UNCORRELATED, INVERSE, SUBSET_SUM, CLASSES };

static int64_t class_profit(int class, int64_t w, struct rng *r)
{
	int64_t p;

	switch (class) {
	case WEAK:
		p = w - 51 + draw(r, 101);
		break;
	case UNCORRELATED:
		return draw(r, 1000);
	case INVERSE:
		p = w - 50;
		break;
	case SUBSET_SUM:
		return w;
	default:
		return w + 50;
	}
	return p > 1 ? p : 1;
}

static int make_correlated(struct knapsack *k, const char *parameters, struct err *e)
{
	char name[32];
	int64_t n;
	uint64_t seed = 1;
	struct rng r;
	int class = 0, used = 0, status;

	if (sscanf(parameters, "%31[a-z-]:%9" SCNd64 "%n:%19" SCNu64 "%n", name, &n, &used, &seed,
		   &used) < 2 ||
	    used != (int)strlen(parameters) || n < 1)
		return err_set(e, ERR_INPUT,
			       "correlation:%s: expected correlation:CLASS:N[:SEED] with N >= 1",
			       parameters);
	while (class < CLASSES && strcmp(name, class_name[class]) != 0)
		class ++;
	if (class == CLASSES)
		return err_set(e, ERR_INPUT,
			       "correlation:%s: the classes are strong, weak, "
			       "uncorrelated, inverse, subset-sum",
			       parameters);
	if ((status = generate_boyer(k, n, seed, e)))
		return status;
	snprintf(k->name, sizeof(k->name), "%s-n%" PRId64 "-s%" PRIu64, name, n, seed);
	r = rng_seeded(~(seed * 1000003u + (uint64_t)n));
	k->sum_profit = 0;
	for (int64_t i = 0; i < n; i++) {
		k->profit[i] = class_profit(class, k->weight[i], &r);
		k->sum_profit += k->profit[i];
	}
	return 0;
}

struct hard {
	int64_t n, capacity, groups, small; /* n, C, g, s */
	double fraction, eps;               /* f, eps */
	uint64_t seed;
};

static int parse_hard(struct hard *h, const char *text, struct err *e)
{
	int used = 0;

	h->seed = 1;
	if (sscanf(text,
		   "%9" SCNd64 ":%18" SCNd64 ":%9" SCNd64 ":%lf:%lf:%18" SCNd64 "%n:%19" SCNu64
		   "%n",
		   &h->n, &h->capacity, &h->groups, &h->fraction, &h->eps, &h->small, &used,
		   &h->seed, &used) < 6 ||
	    used != (int)strlen(text))
		return err_set(e, ERR_INPUT, "hard:%s: expected hard:N:C:G:F:EPS:S[:SEED]", text);
	if (h->n < 1 || h->capacity < 0 || h->groups < 2 || h->small < 1 ||
	    !(h->fraction >= 0 && h->fraction <= 1) || !(h->eps >= 0 && h->eps <= 1))
		return err_set(
			e, ERR_INPUT,
			"hard:%s: needs N >= 1, C >= 0, G >= 2, 0 <= F <= 1, 0 <= EPS <= 1, S >= 1",
			text);
	return 0;
}

/* Jooken, Leyman, De Causmaecker 2022, section 3. There are g groups of items. Group j < g has
 * floor((n - floor(f n)) / (g - 1)) items; their profit and weight are (1/2^j + eps) C plus
 * separate noise, uniform in 1..s. The last group has the remaining items, with profit and weight
 * uniform in 1..s. */
static int make_hard(struct knapsack *k, const char *parameters, struct err *e)
{
	struct hard h;
	int64_t per_group;
	struct rng r;
	int status = parse_hard(&h, parameters, e);

	if (!status)
		status = make(k, h.n, e,
			      "hard-n%" PRId64 "-c%" PRId64 "-g%" PRId64 "-f%g-eps%g-s%" PRId64
			      "-seed%" PRIu64,
			      h.n, h.capacity, h.groups, h.fraction, h.eps, h.small, h.seed);
	if (status)
		return status;
	k->capacity = h.capacity;
	r = rng_seeded(h.seed * 1000003u + (uint64_t)h.n);
	per_group = (h.n - (int64_t)(h.fraction * (double)h.n)) / (h.groups - 1);
	for (int64_t i = 0; i < h.n && !status; i++) {
		int64_t group = per_group ? i / per_group + 1 : h.groups;
		int64_t base = 0, p, w;

		if (group < h.groups)
			base = (int64_t)((ldexp(1, -(int)group) + h.eps) * (double)h.capacity);
		p = base + draw(&r, h.small);
		w = base + draw(&r, h.small);
		status = put_item(k, i, p, w, e);
	}
	if (status)
		knapsack_free(k);
	return status;
}

/* ---- files ---- */

/* Counts are not trusted: the arrays grow with the lines that are read. */

enum { LINE_BYTES = 256 };

/* Makes room for item `i` in both arrays. */
static int grow(struct knapsack *k, int64_t i, int64_t *room, struct err *e)
{
	int64_t *more;

	if (i < *room)
		return 0;
	*room = *room ? 2 * *room : 256;
	more = realloc(k->profit, (size_t)*room * sizeof(*more));
	if (more)
		k->profit = more;
	if (more && (more = realloc(k->weight, (size_t)*room * sizeof(*more))))
		k->weight = more;
	return more ? 0 : err_set(e, ERR_MEMORY, "no memory for %" PRId64 " items", *room);
}

static int read_item(struct text_reader *r, struct knapsack *k, int64_t i, bool indexed,
		     int64_t *base, struct err *e)
{
	const char *s = r->text;
	int64_t index = i, p, w;
	int status = 0;

	if (indexed)
		status = text_number(r, &s, &index, "item index", e);
	if (!status && indexed) {
		if (i == 0 && index <= 1)
			*base = index;
		if (index - *base != i)
			return text_bad(r, e, "item index is out of order");
	}
	if (!status)
		status = text_number(r, &s, &p, "profit", e);
	if (!status)
		status = text_number(r, &s, &w, "weight", e);
	if (status)
		return status;
	if (!text_at_end(s))
		return text_bad(r, e, "unexpected text after the item");
	status = put_item(k, i, p, w, e);
	return status ? err_prefix(e, "%s:%" PRId64, r->path, r->line) : 0;
}

static int read_items(struct text_reader *r, struct knapsack *k, bool indexed, struct err *e)
{
	int64_t room = 0, base = 0;

	for (int64_t i = 0; i < k->n; i++) {
		int status = text_next_line(r, e);

		if (status)
			return status;
		if (r->ended)
			return text_bad(r, e,
					"the file ends after %" PRId64 " of %" PRId64 " items", i,
					k->n);
		if ((status = grow(k, i, &room, e)) ||
		    (status = read_item(r, k, i, indexed, &base, e)))
			return status;
	}
	return 0;
}

static int read_capacity(struct text_reader *r, struct knapsack *k, struct err *e)
{
	const char *s = r->text;
	int status = text_next_line(r, e);

	if (status)
		return status;
	if (r->ended)
		return text_bad(r, e, "the file ends before the capacity");
	if ((status = text_number(r, &s, &k->capacity, "capacity", e)))
		return status;
	return text_at_end(s) ? 0 : text_bad(r, e, "unexpected text after the capacity");
}

static int read_all(struct text_reader *r, struct knapsack *k, struct err *e)
{
	const char *s = r->text;
	bool indexed;
	int status = text_next_line(r, e);

	if (status)
		return status;
	if (r->ended)
		return err_set(e, ERR_INPUT, "%s: the file is empty", r->path);
	if ((status = text_number(r, &s, &k->n, "number of items", e)))
		return status;
	if (k->n < 1 || k->n > MAX_ITEMS)
		return text_bad(r, e, "number of items is not in 1..1073741824");
	indexed = text_at_end(s);
	if (!indexed && (status = text_number(r, &s, &k->capacity, "capacity", e)))
		return status;
	if (!text_at_end(s))
		return text_bad(r, e, "unexpected text after the number of items and the capacity");
	if ((status = read_items(r, k, indexed, e)) ||
	    (indexed && (status = read_capacity(r, k, e))) || (status = text_next_line(r, e)))
		return status;
	return r->ended ? 0 : text_bad(r, e, "unexpected text after the instance");
}

static int read_file(struct knapsack *k, const char *path, struct err *e)
{
	char buffer[LINE_BYTES];
	struct text_reader r;
	int status;

	*k = (struct knapsack){ .n = 0 };
	snprintf(k->name, sizeof(k->name), "%s", text_base_name(path));
	if ((status = text_open(&r, path, buffer, sizeof(buffer), e)))
		return status;
	status = read_all(&r, k, e);
	text_close(&r);
	if (status)
		knapsack_free(k);
	return status;
}

/* ---- known names and files ---- */

/* "N[:SEED]" */
static int load_boyer(struct knapsack *k, const char *parameters, struct err *e)
{
	int64_t n;
	uint64_t seed = 1;
	int used = 0, end = (int)strlen(parameters);

	if (sscanf(parameters, "%9" SCNd64 "%n:%19" SCNu64 "%n", &n, &used, &seed, &used) < 1 ||
	    used != end || strchr(parameters, '-') || n < 1)
		return err_set(e, ERR_INPUT,
			       "boyer:%s: expected boyer:N[:SEED] with 1 <= N < 1000000000",
			       parameters);
	return generate_boyer(k, n, seed, e);
}

int knapsack_load(struct knapsack *k, const char *name_or_file, struct err *e)
{
	*k = (struct knapsack){ .n = 0 };
	if (strncmp(name_or_file, "boyer:", 6) == 0)
		return load_boyer(k, name_or_file + 6, e);
	if (strncmp(name_or_file, "hard:", 5) == 0)
		return make_hard(k, name_or_file + 5, e);
	if (strncmp(name_or_file, "correlation:", 12) == 0)
		return make_correlated(k, name_or_file + 12, e);
	return read_file(k, name_or_file, e);
}

int knapsack_make(struct knapsack *k, const char *name, int64_t n, const int64_t *profit,
		  const int64_t *weight, int64_t capacity, struct err *e)
{
	int status;

	*k = (struct knapsack){ .n = 0 };
	if (n < 1 || capacity < 0)
		return err_set(e, ERR_INPUT,
			       "%" PRId64 " items, capacity %" PRId64
			       ": at least one item and no negative capacity",
			       n, capacity);
	status = make(k, n, e, "%s", name);
	for (int64_t i = 0; i < n && !status; i++)
		status = profit[i] < 0 || weight[i] < 0 ?
				 err_set(e, ERR_INPUT, "item %" PRId64 " has a negative value", i) :
				 put_item(k, i, profit[i], weight[i], e);
	k->capacity = capacity;
	if (status)
		knapsack_free(k);
	return status;
}

void knapsack_print(const struct knapsack *k, FILE *s)
{
	fprintf(s, "%" PRId64 "\n", k->n);
	for (int64_t i = 0; i < k->n; i++)
		fprintf(s, "%" PRId64 " %" PRId64 " %" PRId64 "\n", i, k->profit[i], k->weight[i]);
	fprintf(s, "%" PRId64 "\n", k->capacity);
}

int knapsack_write(const struct knapsack *k, const char *path, struct err *e)
{
	FILE *f = fopen(path, "w");
	int bad;

	if (!f)
		return err_set(e, ERR_IO, "%s: %m", path);
	knapsack_print(k, f);
	bad = fflush(f) | ferror(f);
	if (fclose(f) || bad)
		return err_set(e, ERR_IO, "%s: cannot be written: %m", path);
	return 0;
}
