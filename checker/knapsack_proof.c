/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* copra-check-knapsack: checks a proof file of `copra prove` for a knapsack (docs/PROOFS.md).
 *
 * This program shares no code with the solvers: it includes the C library and jansson only, and can
 * be compiled alone: cc -std=c11 -O3 knapsack_proof.c -ljansson. It reads the instance, sums the
 * chosen items, and shows that no choice is worth more than their profit z.
 *
 * The proof. Let p/w be the ratio of the break item, the first one that does not fit if items are
 * taken in the order of falling ratios, P the profit of those before it and R the capacity that
 * they leave. For any choice, with e_j = w p_j - p w_j,
 *     w (profit - P) <= p (R - unused capacity) - (the |e_j| of items on the wrong side).
 * So a choice worth more than z leaves at most s = R + floor((P - z - 1) w / p) unused. If s is
 * negative, there is none. Otherwise the items are taken one by one, the heaviest first, and the
 * program lists all pairs (weight c, greatest profit v) of choices among the items so far, without
 * those that cannot lead to a choice worth more than z:
 *   - no sum t of the weights of the remaining items has C - s <= c + t <= C. The sums are known
 *     as intervals, which may hold more than the sums;
 *   - w (v - z) + p (C - c) + (the positive e_j of the remaining items) <= 0.
 * After the last item the list must be empty of profits above z. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FORMAT "copra-knapsack-proof-1"
#ifndef CHECKER_VERSION
#define CHECKER_VERSION "of its own"
#endif
enum { ACCEPTED = 0, REJECTED = 1, BAD_INPUT = 2 };
typedef __int128 wide;

__attribute__((format(printf, 2, 3), noreturn)) static void leave(int code, const char *format, ...)
{
	va_list ap;

	fflush(stdout);
	fputs(code == REJECTED ? "rejected: " : "copra-check-knapsack: ", stderr);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(code);
}

static void *need(size_t count, size_t size)
{
	void *p = malloc((count + 1) * size);

	if (!p)
		leave(BAD_INPUT, "no memory for %zu x %zu bytes", count, size);
	return p;
}

/* ---- the instance ---- */

struct item {
	int64_t profit, weight, number; /* number: its position in the file */
};

static struct {
	struct item *item;
	int64_t n, capacity;
} sack;

static int64_t *read_numbers(const char *path, size_t *count)
{
	FILE *f = fopen(path, "r");
	size_t room = 1024;
	int64_t *list = need(room, sizeof(*list));
	char word[32];

	if (!f)
		leave(BAD_INPUT, "%s: %s", path, strerror(errno));
	for (*count = 0; fscanf(f, "%31s", word) == 1; ++*count) {
		char *end;

		if (*count == room) {
			room *= 2;
			list = realloc(list, (room + 1) * sizeof(*list));
			if (!list)
				leave(BAD_INPUT, "no memory for %zu numbers", room);
		}
		errno = 0;
		list[*count] = strtoll(word, &end, 10);
		if (*end || errno || list[*count] < 0)
			leave(BAD_INPUT, "%s: '%s' is not a whole number", path, word);
	}
	fclose(f);
	return list;
}

/* n, n times (index, profit, weight), C; or n, C, n times (profit, weight). */
static void read_instance(const char *path)
{
	size_t count, n;
	int64_t *number = read_numbers(path, &count);
	wide profits = 0, weights = 0;

	n = count ? (size_t)number[0] : 0;
	if (n < 1 || n > 100000000 || (count != 3 * n + 2 && count != 2 * n + 2))
		leave(BAD_INPUT, "%s: not a knapsack: %zu numbers, the first is %zu", path, count,
		      n);
	sack.n = (int64_t)n;
	sack.item = need(n, sizeof(*sack.item));
	sack.capacity = count == 3 * n + 2 ? number[count - 1] : number[1];
	for (size_t i = 0; i < n; i++) {
		const int64_t *pair = count == 3 * n + 2 ? &number[3 * i + 2] : &number[2 * i + 2];

		sack.item[i] = (struct item){ pair[0], pair[1], (int64_t)i };
		profits += pair[0];
		weights += pair[1];
	}
	if (profits > INT64_MAX || weights > INT64_MAX)
		leave(BAD_INPUT, "%s: the sums do not fit in 63 bits", path);
	free(number);
}

/* ---- the proof ---- */

static struct {
	const char *path;
	json_t *json;
	int64_t profit;
} proof;

static int64_t stated(const char *name)
{
	const json_t *value = json_object_get(proof.json, name);

	if (!json_is_integer(value) || json_integer_value(value) < 0)
		leave(BAD_INPUT, "%s: %s is not a whole number", proof.path, name);
	return json_integer_value(value);
}

static void read_proof(const char *path)
{
	json_error_t why;
	const char *format;

	proof.path = path;
	proof.json = json_load_file(path, JSON_REJECT_DUPLICATES, &why);
	if (!proof.json)
		leave(BAD_INPUT, "%s:%d: %s", path, why.line, why.text);
	format = json_string_value(json_object_get(proof.json, "format"));
	if (!format || strcmp(format, FORMAT) != 0)
		leave(BAD_INPUT, "%s: not a proof of the format %s", path, FORMAT);
	proof.profit = stated("profit");
}

static uint64_t hash_line(uint64_t hash, int64_t a, int64_t b)
{
	char line[64];
	int length = snprintf(line, sizeof(line), "%" PRId64 " %" PRId64 "\n", a, b);

	for (int i = 0; i < length; i++) {
		hash ^= (unsigned char)line[i];
		hash *= UINT64_C(1099511628211);
	}
	return hash;
}

/* FNV-1a over the lines "n C" and "profit weight" of each item. */
static uint64_t hash_of_instance(void)
{
	uint64_t hash = hash_line(UINT64_C(14695981039346656037), sack.n, sack.capacity);

	for (int64_t i = 0; i < sack.n; i++)
		hash = hash_line(hash, sack.item[i].profit, sack.item[i].weight);
	return hash;
}

static void check_instance(void)
{
	const char *hash = json_string_value(json_object_get(proof.json, "hash"));
	char text[40];

	if (stated("items") != sack.n || stated("capacity") != sack.capacity)
		leave(REJECTED, "the proof is of another instance, of %" PRId64 " items",
		      stated("items"));
	snprintf(text, sizeof(text), "fnv1a:%016" PRIx64, hash_of_instance());
	if (!hash || strcmp(hash, text) != 0)
		leave(REJECTED, "the proof is of another instance: its hash is %s, not %s",
		      hash ? hash : "missing", text);
	printf("instance: %" PRId64 " items, capacity %" PRId64 "\n", sack.n, sack.capacity);
}

static void check_choice(void)
{
	const json_t *list = json_object_get(proof.json, "chosen");
	bool *taken = calloc((size_t)sack.n, sizeof(*taken));
	int64_t profit = 0, weight = 0;

	if (!taken)
		leave(BAD_INPUT, "no memory for %" PRId64 " items", sack.n);
	if (!json_is_array(list))
		leave(BAD_INPUT, "%s: chosen is not a list", proof.path);
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *value = json_array_get(list, i);
		int64_t number = json_is_integer(value) ? json_integer_value(value) : -1;

		if (number < 0 || number >= sack.n)
			leave(REJECTED, "chosen item %zu is not an item of the instance", i);
		if (taken[number])
			leave(REJECTED, "item %" PRId64 " is chosen twice", number);
		taken[number] = true;
		profit += sack.item[number].profit;
		weight += sack.item[number].weight;
	}
	free(taken);
	if (profit != proof.profit)
		leave(REJECTED, "the chosen items have profit %" PRId64 ", not %" PRId64, profit,
		      proof.profit);
	if (weight != stated("weight"))
		leave(REJECTED, "the chosen items have weight %" PRId64 ", not %" PRId64, weight,
		      stated("weight"));
	if (weight > sack.capacity)
		leave(REJECTED, "the chosen items have weight %" PRId64 ", above the capacity",
		      weight);
	printf("choice:   %zu items, profit %" PRId64 ", weight %" PRId64 "\n",
	       json_array_size(list), profit, weight);
}

/* ---- the bound ---- */

static struct {
	int64_t profit, weight; /* p and w of the break item; 0: all items fit */
	int64_t before, rest;   /* P and R */
	int64_t slack;
} bound;

static int by_ratio(const void *left, const void *right)
{
	const struct item *a = left, *b = right;
	wide x = (wide)a->profit * b->weight, y = (wide)b->profit * a->weight;

	return x > y ? -1 : x < y;
}

static int by_weight(const void *left, const void *right)
{
	const struct item *a = left, *b = right;

	return a->weight > b->weight ? -1 : a->weight < b->weight;
}

/* Drops items that are never or always taken, and capacity that no choice uses. Returns the profit
 * of the items always taken. */
static int64_t reduce(void)
{
	int64_t kept = 0, always = 0, weights = 0;

	for (int64_t i = 0; i < sack.n; i++) {
		struct item x = sack.item[i];

		if (x.weight == 0)
			always += x.profit;
		else if (x.profit > 0 && x.weight <= sack.capacity)
			sack.item[kept++] = x;
		weights += x.weight;
	}
	if (sack.capacity > weights)
		sack.capacity = weights;
	sack.n = kept;
	return always;
}

static void find_break(void)
{
	qsort(sack.item, (size_t)sack.n, sizeof(*sack.item), by_ratio);
	bound.rest = sack.capacity;
	for (int64_t i = 0; i < sack.n; i++) {
		if (sack.item[i].weight > bound.rest) {
			bound.profit = sack.item[i].profit;
			bound.weight = sack.item[i].weight;
			return;
		}
		bound.rest -= sack.item[i].weight;
		bound.before += sack.item[i].profit;
	}
}

/* Whether the bound alone shows that nothing is worth more than z. */
static bool bound_suffices(int64_t z)
{
	wide more, slack;

	if (!bound.profit)
		return bound.before <= z;
	more = (wide)(bound.before - z - 1) * bound.weight;
	slack = more / bound.profit - (more % bound.profit < 0) + bound.rest;
	bound.slack = slack > sack.capacity ? sack.capacity : (int64_t)slack;
	return slack < 0;
}

/* ---- sums of the remaining weights ---- */

struct interval {
	int64_t lo, hi;
};

struct sums {
	struct interval *at;
	size_t count;
};

static void add_interval(struct sums *s, struct interval x, int64_t gap)
{
	if (x.lo > sack.capacity)
		return;
	if (s->count && x.lo - s->at[s->count - 1].hi <= gap) {
		if (x.hi > s->at[s->count - 1].hi)
			s->at[s->count - 1].hi = x.hi;
		return;
	}
	s->at[s->count++] = x;
}

/* The sums with one more weight. Intervals that are close become one; how close, so that there are
 * not too many. */
static struct sums with_weight(const struct sums *old, int64_t weight)
{
	enum { MOST = 1 << 15 };
	struct sums s = { need(2 * old->count, sizeof(*s.at)), 0 };
	int64_t gap = 16;

	do {
		size_t a = 0, b = 0;

		s.count = 0;
		while (a < old->count || b < old->count) {
			if (b == old->count ||
			    (a < old->count && old->at[a].lo <= old->at[b].lo + weight)) {
				add_interval(&s, old->at[a++], gap);
			} else {
				add_interval(&s,
					     (struct interval){ old->at[b].lo + weight,
								old->at[b].hi + weight },
					     gap);
				b++;
			}
		}
		gap *= 4;
	} while (s.count > MOST);
	s.at = realloc(s.at, (s.count + 1) * sizeof(*s.at));
	if (!s.at)
		leave(BAD_INPUT, "no memory for the sums of weights");
	return s;
}

/* ---- the list ---- */

struct pair {
	int64_t weight, profit;
};

struct list {
	struct pair *pair;
	size_t count, room;
};

static void make_room(struct list *l, size_t count)
{
	if (count <= l->room)
		return;
	free(l->pair);
	l->room = count + count / 4;
	l->pair = need(l->room, sizeof(*l->pair));
}

/* What decides whether a pair stays in the list after an item. */
struct test {
	const struct sums *sums; /* of the remaining weights */
	size_t at;               /* all sums from here on are too large for the present weight */
	wide gain;               /* the positive e_j of the remaining items */
	int64_t z;
};

/* Pairs come in the order of rising weight, so the sums that fit fall. */
static bool stays(struct test *t, struct pair x)
{
	int64_t room = sack.capacity - x.weight;

	while (t->at > 0 && t->sums->at[t->at - 1].lo > room)
		t->at--;
	if (t->at == 0 || t->sums->at[t->at - 1].hi < room - bound.slack)
		return false;
	return (wide)bound.weight * (x.profit - t->z) + (wide)bound.profit * room + t->gain > 0;
}

static void put(struct list *l, struct test *t, struct pair x)
{
	if (stays(t, x))
		l->pair[l->count++] = x;
}

/* Makes `to` the list after the item. */
static void take_item(const struct list *from, struct list *to, const struct item *x,
		      struct test *t)
{
	size_t a = 0, b = 0;

	make_room(to, 2 * from->count);
	to->count = 0;
	while (a < from->count || b < from->count) {
		struct pair without = { INT64_MAX, 0 }, with = { INT64_MAX, 0 };

		if (a < from->count)
			without = from->pair[a];
		if (b < from->count)
			with = (struct pair){ from->pair[b].weight + x->weight,
					      from->pair[b].profit + x->profit };
		if (with.weight > sack.capacity)
			with.weight = INT64_MAX;
		if (with.weight == INT64_MAX && without.weight == INT64_MAX)
			return;
		a += without.weight <= with.weight;
		b += with.weight <= without.weight;
		if (without.weight == with.weight)
			without.profit =
				without.profit > with.profit ? without.profit : with.profit;
		put(to, t, without.weight <= with.weight ? without : with);
	}
}

/* Lists all choices that matter. Returns the number of pairs made. */
static double search(int64_t z)
{
	struct sums *sums = need((size_t)sack.n, sizeof(*sums));
	wide *gain = need((size_t)sack.n, sizeof(*gain));
	struct list list[2] = { { NULL, 0, 0 }, { NULL, 0, 0 } };
	double pairs = 0;

	qsort(sack.item, (size_t)sack.n, sizeof(*sack.item), by_weight);
	sums[sack.n] = (struct sums){ need(1, sizeof(struct interval)), 1 };
	sums[sack.n].at[0] = (struct interval){ 0, 0 };
	gain[sack.n] = 0;
	for (int64_t k = sack.n - 1; k >= 0; k--) {
		wide e = (wide)bound.weight * sack.item[k].profit -
			 (wide)bound.profit * sack.item[k].weight;

		sums[k] = with_weight(&sums[k + 1], sack.item[k].weight);
		gain[k] = gain[k + 1] + (e > 0 ? e : 0);
	}
	make_room(&list[0], 1);
	list[0].pair[list[0].count++] = (struct pair){ 0, 0 };
	for (int64_t k = 0; k < sack.n; k++) {
		struct test t = { &sums[k + 1], sums[k + 1].count, gain[k + 1], z };

		take_item(&list[k % 2], &list[(k + 1) % 2], &sack.item[k], &t);
		pairs += (double)list[(k + 1) % 2].count;
		free(sums[k].at);
	}
	for (size_t i = 0; i < list[sack.n % 2].count; i++)
		if (list[sack.n % 2].pair[i].profit > z)
			leave(REJECTED, "a choice of weight %" PRId64 " has profit %" PRId64,
			      list[sack.n % 2].pair[i].weight, list[sack.n % 2].pair[i].profit);
	free(list[0].pair);
	free(list[1].pair);
	free(sums[sack.n].at);
	free(sums);
	free(gain);
	return pairs;
}

static void check_optimal(void)
{
	int64_t z = proof.profit - reduce();
	struct timespec begin, end;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	find_break();
	if (bound_suffices(z)) {
		puts("bound:    the linear relaxation shows that no choice is worth more");
		return;
	}
	if (!bound.profit)
		leave(REJECTED, "all items fit, and are worth %" PRId64 " more", bound.before - z);
	printf("bound:    a better choice leaves at most %" PRId64 " of the capacity unused\n",
	       bound.slack);
	fflush(stdout);
	double pairs = search(z);
	clock_gettime(CLOCK_MONOTONIC, &end);
	printf("search:   %.3g pairs of weight and profit, %.1f s\n", pairs,
	       (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec));
}

/* ---- the command line ---- */

static void print_help(void)
{
	puts("usage: copra-check-knapsack PROOF FILE [--sums]\n"
	     "       copra-check-knapsack --version\n"
	     "Checks a proof that a choice of items is optimal, as copra prove writes it: sums "
	     "the\n"
	     "items, and searches for a choice that is worth more. It shares no code with the\n"
	     "solvers. FILE is the instance. Hard instances take minutes and up to 32 bytes for\n"
	     "each of 1e8 pairs.\n"
	     "  --sums         only sum the items\n"
	     "exit codes: 0 accepted; 1 rejected; 2 bad usage or input");
}

int main(int argc, char **argv)
{
	const char *word[2] = { NULL, NULL };
	int words = 0;
	bool sums = false;

	if (argc == 2 && strcmp(argv[1], "--version") == 0) {
		printf("copra-check-knapsack %s (format %s)\n", CHECKER_VERSION, FORMAT);
		return fflush(stdout) ? REJECTED : ACCEPTED;
	}
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
			print_help();
			return ACCEPTED;
		}
		if (strcmp(argv[i], "--sums") == 0)
			sums = true;
		else if (strncmp(argv[i], "--", 2) == 0)
			leave(BAD_INPUT, "unknown flag %s; --help lists them", argv[i]);
		else if (words < 2)
			word[words++] = argv[i];
		else
			leave(BAD_INPUT, "unexpected argument \"%s\"", argv[i]);
	}
	if (words < 2)
		leave(BAD_INPUT,
		      "name the proof and the instance: copra-check-knapsack PROOF FILE");
	read_proof(word[0]);
	read_instance(word[1]);
	check_instance();
	check_choice();
	if (!sums)
		check_optimal();
	printf("accepted: %s %" PRId64 "\n",
	       sums ? "the items are worth" : "no choice is worth more than", proof.profit);
	json_decref(proof.json);
	if (fflush(stdout) || ferror(stdout))
		leave(BAD_INPUT, "cannot write to standard output");
	return ACCEPTED;
}
