/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* copra-check-proof: checks a proof file of `copra prove` (docs/PROOFS.md).
 *
 * This program shares no code with the search: it includes the C library and jansson only, and can
 * be compiled alone: cc -std=c11 -O3 flowshop_proof.c -ljansson -lm. It reads or generates the
 * instance, evaluates the schedule, enumerates the first levels of the tree, compares their sizes
 * and the sums, and counts the nodes of parts that are drawn at random.
 *
 * The tree. A node is a prefix of jobs, a suffix of jobs and the set U of the other jobs.
 *   front[k]  time at which machine k has finished the prefix; if it is empty, the least sum of the
 *             times before machine k, over all jobs
 *   back[k]   the same for the suffix, from the end backwards
 *   rest[k]   sum of the times of U on machine k
 * The bound of a node is the maximum over k of front[k] + rest[k] + back[k]. A node has one child
 * for each job of U, either after the prefix or, for all jobs alike, before the suffix: where more
 * of these bounds are at least C, the bound of the proof; if equally many are, where the sum of the
 * bounds is larger; if the sums are equal, after the prefix. Children with a bound of at least C
 * are pruned. The order of the others is that of the numbers of their jobs. The root always counts.
 * The bound of a child that has no job left is its makespan: if one is not pruned, there is a
 * schedule shorter than C. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <time.h>

#define FORMAT "copra-flowshop-proof-1"
#ifndef CHECKER_VERSION
#define CHECKER_VERSION "of its own"
#endif
enum { MAX_JOBS = 1000, MAX_MACHINES = 100, ACCEPTED = 0, REJECTED = 1, BAD_INPUT = 2 };

__attribute__((format(printf, 2, 3), noreturn)) static void leave(int code, const char *format, ...)
{
	va_list ap;

	fflush(stdout);
	fputs(code == REJECTED ? "rejected: " : "copra-check-proof: ", stderr);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(code);
}

static void *need(size_t count, size_t size)
{
	void *p = calloc(count + 1, size);

	if (!p)
		leave(BAD_INPUT, "no memory for %zu x %zu bytes", count, size);
	return p;
}

static double seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- the instance ---- */

static struct {
	int n, m;      /* jobs, machines */
	int32_t *time; /* [machine * n + job] */
} shop;

static void set_size(const char *where, int64_t jobs, int64_t machines)
{
	if (jobs < 1 || jobs > MAX_JOBS || machines < 1 || machines > MAX_MACHINES)
		leave(BAD_INPUT, "%s: %" PRId64 " jobs on %" PRId64 " machines are out of range",
		      where, jobs, machines);
	shop.n = (int)jobs;
	shop.m = (int)machines;
	shop.time = need((size_t)(jobs * machines), sizeof(*shop.time));
}

/* No sum of times may overflow. */
static void check_sum(const char *where)
{
	int64_t sum = 0;

	for (int i = 0; i < shop.n * shop.m; i++)
		sum += shop.time[i];
	if (sum > INT32_MAX)
		leave(BAD_INPUT, "%s: the sum of the times does not fit in 31 bits", where);
}

/* Taillard 1993: x = 16807 x mod (2^31 - 1), times 1 + floor(99 x / (2^31 - 1)), by machines. */
static void generate(const char *name, int jobs, int machines, int64_t seed)
{
	const int64_t m = 2147483647;

	if (seed < 1 || seed >= m)
		leave(BAD_INPUT, "%s: the seed is out of range", name);
	set_size(name, jobs, machines);
	for (int i = 0; i < jobs * machines; i++) {
		seed = seed * 16807 % m;
		shop.time[i] = (int32_t)(1 + seed * 99 / m);
	}
}

/* The seeds of Taillard's instances, in ten for each size. */
static const struct {
	int jobs, machines;
	int32_t seed[10];
} taillard[] = {
	{ 20,
	  5,
	  { 873654221, 379008056, 1866992158, 216771124, 495070989, 402959317, 1369363414,
	    2021925980, 573109518, 88325120 } },
	{ 20,
	  10,
	  { 587595453, 1401007982, 873136276, 268827376, 1634173168, 691823909, 73807235,
	    1273398721, 2065119309, 1672900551 } },
	{ 20,
	  20,
	  { 479340445, 268827376, 1958948863, 918272953, 555010963, 2010851491, 1519833303,
	    1748670931, 1923497586, 1829909967 } },
	{ 50,
	  5,
	  { 1328042058, 200382020, 496319842, 1203030903, 1730708564, 450926852, 1303135678,
	    1273398721, 587288402, 248421594 } },
	{ 50,
	  10,
	  { 1958948863, 575633267, 655816003, 1977864101, 93805469, 1803345551, 49612559,
	    1899802599, 2013025619, 578962478 } },
	{ 50,
	  20,
	  { 1539989115, 691823909, 655816003, 1315102446, 1949668355, 1923497586, 1805594913,
	    1861070898, 715643788, 464843328 } },
	{ 100,
	  5,
	  { 896678084, 1179439976, 1122278347, 416756875, 267829958, 1835213917, 1328833962,
	    1418570761, 161033112, 304212574 } },
	{ 100,
	  10,
	  { 1539989115, 655816003, 960914243, 1915696806, 2013025619, 1168140026, 1923497586,
	    167698528, 1528387973, 993794175 } },
	{ 100,
	  20,
	  { 450926852, 1462772409, 1021685265, 83696007, 508154254, 1861070898, 26482542, 444956424,
	    2115448041, 118254244 } },
	{ 200,
	  10,
	  { 471503978, 1215892992, 135346136, 1602504050, 160037322, 551454346, 519485142,
	    383947510, 1968171878, 540872513 } },
	{ 200,
	  20,
	  { 2013025619, 475051709, 914834335, 810642687, 1019331795, 2056065863, 1342855162,
	    1325809384, 1988803007, 765656702 } },
	{ 500,
	  20,
	  { 1368624604, 450181436, 1927888393, 1759567256, 606425239, 19268348, 1298201670,
	    2041736264, 379756761, 28837162 } },
};

static bool generate_known(const char *name)
{
	int number = 0, jobs, machines, used = 0;
	int64_t seed;

	if (sscanf(name, "taillard:%4dx%3d:%12" SCNd64 "%n", &jobs, &machines, &seed, &used) == 3 &&
	    !name[used]) {
		generate(name, jobs, machines, seed);
		return true;
	}
	if (strlen(name) != 5 || sscanf(name, "ta%3d%n", &number, &used) != 1 || used != 5 ||
	    number < 1 || number > 120)
		return false;
	number--;
	generate(name, taillard[number / 10].jobs, taillard[number / 10].machines,
		 taillard[number / 10].seed[number % 10]);
	return true;
}

/* ---- files of instances: numbers and words ---- */

struct text {
	const char *path;
	char *all, *at;
	int line;
};

static void read_text(struct text *t, const char *path)
{
	FILE *f = fopen(path, "r");
	size_t length = 0, room = 1 << 16, got;

	*t = (struct text){ .path = path, .line = 1 };
	if (!f)
		leave(BAD_INPUT, "%s: %s", path, strerror(errno));
	t->all = need(room, 1);
	while ((got = fread(t->all + length, 1, room - length, f)) > 0) {
		length += got;
		if (length == room)
			t->all = realloc(t->all, (room *= 2) + 1);
		if (!t->all || room > 1u << 28)
			leave(BAD_INPUT, "%s: the file is too large", path);
	}
	if (ferror(f))
		leave(BAD_INPUT, "%s: %s", path, strerror(errno));
	fclose(f);
	t->all[length] = '\0';
	if (strlen(t->all) != length)
		leave(BAD_INPUT, "%s: a NUL byte: not text", path);
	t->at = t->all;
}

/* Passes blanks, and line ends if `lines`. Returns whether something follows (on this line). */
static bool more(struct text *t, bool lines)
{
	for (; *t->at && strchr(lines ? " \t\r\n" : " \t\r", *t->at); t->at++)
		t->line += *t->at == '\n';
	return *t->at && *t->at != '\n';
}

static int64_t number(struct text *t, bool lines, const char *what)
{
	char *end;
	long long value;

	more(t, lines);
	errno = 0;
	value = strtoll(t->at, &end, 10);
	if (end == t->at || errno || value < 0 || value > INT32_MAX ||
	    (*end && !strchr(" \t\r\n", *end)))
		leave(BAD_INPUT, "%s:%d: the %s is not a number of 31 bits", t->path, t->line,
		      what);
	t->at = end;
	return value;
}

static void end_line(struct text *t)
{
	if (more(t, false))
		leave(BAD_INPUT, "%s:%d: unexpected text at the end of the line", t->path, t->line);
	if (*t->at)
		t->at++;
	t->line++;
}

static void end_text(struct text *t)
{
	if (more(t, true))
		leave(BAD_INPUT, "%s:%d: unexpected text after the times", t->path, t->line);
}

/* A line of words, "jobs machines seed upper lower", "processing times :", a row per machine. */
static void read_taillard(struct text *t)
{
	int64_t jobs, machines;

	t->at += strcspn(t->at, "\n");
	jobs = number(t, true, "number of jobs");
	machines = number(t, false, "number of machines");
	set_size(t->path, jobs, machines);
	t->at += strcspn(t->at, "\n");
	more(t, true);
	if (strncasecmp(t->at, "processing times", 16) != 0)
		leave(BAD_INPUT, "%s:%d: expected the line \"processing times :\"", t->path,
		      t->line);
	t->at += strcspn(t->at, "\n");
	more(t, true);
	for (int k = 0; k < shop.m; k++) {
		for (int j = 0; j < shop.n; j++)
			shop.time[k * shop.n + j] = (int32_t)number(t, j == 0, "time");
		end_line(t);
	}
}

/* "jobs machines", then a row per job of pairs "machine time". */
static void read_vfr(struct text *t)
{
	int64_t jobs = number(t, false, "number of jobs");

	set_size(t->path, jobs, number(t, false, "number of machines"));
	end_line(t);
	for (int j = 0; j < shop.n; j++) {
		for (int k = 0; k < shop.m; k++) {
			if (number(t, k == 0, "machine") != k)
				leave(BAD_INPUT, "%s:%d: machines are out of order", t->path,
				      t->line);
			shop.time[k * shop.n + j] = (int32_t)number(t, false, "time");
		}
		end_line(t);
	}
}

/* A plain matrix without header: rows of equal length, blanks or commas, '#' begins a comment. */
static void read_matrix(struct text *t, bool rows_are_jobs)
{
	int32_t *cell = need((size_t)MAX_JOBS * MAX_MACHINES, sizeof(*cell));
	int rows = 0, columns = 0, count = 0;

	for (char *c = t->all; *c; c++) {
		if (*c == '#')
			while (*c && *c != '\n')
				*c++ = ' ';
		if (*c == ',')
			*c = ' ';
		if (!*c)
			break;
	}
	while (more(t, true)) {
		int first = count;

		while (more(t, false)) {
			if (count == MAX_JOBS * MAX_MACHINES)
				leave(BAD_INPUT, "%s:%d: too many numbers", t->path, t->line);
			cell[count++] = (int32_t)number(t, false, "time");
		}
		if (rows++ == 0)
			columns = count;
		if (count - first != columns && rows == 2 && columns == 2 &&
		    cell[1] == count - first) { /* the first line is a header: rows, columns */
			columns = count - first;
			memmove(cell, cell + 2, (size_t)columns * sizeof(*cell));
			count = columns;
			rows = 1;
		} else if (count - first != columns) {
			leave(BAD_INPUT, "%s:%d: %d numbers, but the first row has %d", t->path,
			      t->line, count - first, columns);
		}
	}
	set_size(t->path, rows_are_jobs ? rows : columns, rows_are_jobs ? columns : rows);
	for (int r = 0; r < rows; r++)
		for (int c = 0; c < columns; c++)
			shop.time[rows_are_jobs ? c * shop.n + r : r * shop.n + c] =
				cell[r * columns + c];
	free(cell);
}

static void load(const char *name, const char *format)
{
	struct text t;

	if (!format && generate_known(name))
		return;
	read_text(&t, name);
	if (format && strcmp(format, "auto") != 0) {
		if (strcmp(format, "jobs-by-machines") && strcmp(format, "machines-by-jobs"))
			leave(BAD_INPUT, "--format is auto, jobs-by-machines or machines-by-jobs");
		read_matrix(&t, format[0] == 'j');
	} else {
		more(&t, true);
		if (*t.at >= '0' && *t.at <= '9')
			read_vfr(&t);
		else
			read_taillard(&t);
	}
	end_text(&t);
	check_sum(name);
	free(t.all);
}

/* FNV-1a of 64 bits over "jobs machines\n" and a line of times for each machine, with one blank
 * between two numbers. */
static uint64_t hash_text(uint64_t hash, const char *s)
{
	for (; *s; s++)
		hash = (hash ^ (unsigned char)*s) * UINT64_C(1099511628211);
	return hash;
}

static uint64_t hash_of_shop(void)
{
	char word[32];
	uint64_t hash;

	snprintf(word, sizeof(word), "%d %d\n", shop.n, shop.m);
	hash = hash_text(UINT64_C(14695981039346656037), word);
	for (int i = 0; i < shop.n * shop.m; i++) {
		snprintf(word, sizeof(word), "%d%c", (int)shop.time[i],
			 (i + 1) % shop.n ? ' ' : '\n');
		hash = hash_text(hash, word);
	}
	return hash;
}

/* ---- the proof ---- */

static struct {
	const char *path;
	json_t *json;
	const char *instance;
	int64_t bound;
	bool has_schedule;
	int64_t *schedule;
	size_t schedule_length;
	int depth; /* of the parts */
	uint64_t *level, *part;
	size_t levels, parts;
	uint64_t total;
} proof;

static const json_t *member(const json_t *object, const char *key, json_type type)
{
	const json_t *value = json_object_get(object, key);

	if (!value || json_typeof(value) != type)
		leave(BAD_INPUT, "%s: not a proof: no valid \"%s\"", proof.path, key);
	return value;
}

static int64_t whole(const json_t *value, const char *key)
{
	if (!json_is_integer(value) || json_integer_value(value) < 0)
		leave(BAD_INPUT, "%s: \"%s\" has a value that is not a count%s", proof.path, key,
		      json_is_null(value) ? "; the proof is not complete" : "");
	return json_integer_value(value);
}

static void *whole_list(const char *key, size_t *length)
{
	const json_t *list = member(proof.json, key, JSON_ARRAY);
	int64_t *value;

	*length = json_array_size(list);
	value = need(*length, sizeof(*value));
	for (size_t i = 0; i < *length; i++)
		value[i] = whole(json_array_get(list, i), key);
	return value;
}

static void read_proof(const char *path)
{
	json_error_t error;
	const json_t *x;

	proof.path = path;
	proof.json = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
	if (!proof.json && error.line > 0)
		leave(BAD_INPUT, "%s:%d: %s", path, error.line, error.text);
	if (!proof.json)
		leave(BAD_INPUT, "%s: %s", path, errno ? strerror(errno) : error.text);
	if (!json_is_object(proof.json))
		leave(BAD_INPUT, "%s: not a proof: not an object", path);
	x = member(proof.json, "format", JSON_STRING);
	if (strcmp(json_string_value(x), FORMAT) != 0)
		leave(BAD_INPUT, "%s: the format \"%s\" is not known", path, json_string_value(x));
	x = member(proof.json, "rule", JSON_STRING);
	if (strcmp(json_string_value(x), "lb1-minbranch") != 0)
		leave(BAD_INPUT, "%s: the rule \"%s\" is not known", path, json_string_value(x));
	proof.instance = json_string_value(member(proof.json, "instance", JSON_STRING));
	proof.bound = whole(member(proof.json, "bound", JSON_INTEGER), "bound");
	proof.has_schedule = !json_is_null(json_object_get(proof.json, "schedule"));
	if (proof.has_schedule)
		proof.schedule = whole_list("schedule", &proof.schedule_length);
	proof.level = whole_list("levels", &proof.levels);
	proof.part = whole_list("parts", &proof.parts);
	proof.total = (uint64_t)whole(member(proof.json, "nodes", JSON_INTEGER), "nodes");
}

static void check_instance(void)
{
	const json_t *hash = member(proof.json, "hash", JSON_STRING);
	int64_t jobs = whole(member(proof.json, "jobs", JSON_INTEGER), "jobs");
	int64_t machines = whole(member(proof.json, "machines", JSON_INTEGER), "machines");
	char text[32];

	if (jobs != shop.n || machines != shop.m)
		leave(REJECTED,
		      "the instance has %d jobs on %d machines, the proof states %" PRId64
		      " on %" PRId64,
		      shop.n, shop.m, jobs, machines);
	snprintf(text, sizeof(text), "fnv1a:%016" PRIx64, hash_of_shop());
	if (strcmp(text, json_string_value(hash)) != 0)
		leave(REJECTED, "the instance has hash %s, the proof states %s", text,
		      json_string_value(hash));
	printf("instance: %s, %d jobs on %d machines, %s\n", proof.instance, shop.n, shop.m, text);
}

static void check_schedule(void)
{
	int64_t end[MAX_MACHINES] = { 0 };
	bool seen[MAX_JOBS] = { false };

	if (!proof.has_schedule) {
		printf("schedule: none; the proof is of a lower bound of %" PRId64 "\n",
		       proof.bound);
		return;
	}
	if (proof.schedule_length != (size_t)shop.n)
		leave(REJECTED, "the schedule has %zu jobs, not %d", proof.schedule_length, shop.n);
	for (int i = 0; i < shop.n; i++) {
		int64_t job = proof.schedule[i], before = 0;

		if (job >= shop.n || seen[job])
			leave(REJECTED, "the schedule is not an order of the jobs 0 to %d",
			      shop.n - 1);
		seen[job] = true;
		for (int k = 0; k < shop.m; k++) {
			before = end[k] > before ? end[k] : before;
			before += shop.time[k * shop.n + job];
			end[k] = before;
		}
	}
	if (end[shop.m - 1] != proof.bound)
		leave(REJECTED, "the schedule has makespan %" PRId64 ", the proof states %" PRId64,
		      end[shop.m - 1], proof.bound);
	printf("schedule: makespan %" PRId64 ", as stated\n", proof.bound);
}

static void check_sums(void)
{
	uint64_t sum = 0, limit = UINT64_C(1) << 62;

	if (proof.levels < 1 || proof.levels > (size_t)shop.n)
		leave(REJECTED, "there are %zu levels, not 1 to %d", proof.levels, shop.n);
	proof.depth = (int)proof.levels - 1;
	if (proof.parts != proof.level[proof.depth])
		leave(REJECTED, "there are %zu parts, but %" PRIu64 " nodes in the last level",
		      proof.parts, proof.level[proof.depth]);
	for (int d = 0; d < proof.depth; d++)
		sum = sum < limit ? sum + proof.level[d] : sum;
	for (size_t i = 0; i < proof.parts; i++)
		sum = sum < limit && proof.part[i] < limit ? sum + proof.part[i] : limit;
	if (sum != proof.total)
		leave(REJECTED,
		      "the levels and parts have %" PRIu64 " nodes, the proof states %" PRIu64, sum,
		      proof.total);
}

/* ---- the tree ---- */

struct node {
	int prefix, suffix;
	bool used[MAX_JOBS];
	int32_t front[MAX_MACHINES], back[MAX_MACHINES], rest[MAX_MACHINES];
};

/* The children of a node that are not pruned. */
struct family {
	bool at_end; /* before the suffix */
	int count, job[MAX_JOBS];
	int32_t shortest; /* their least bound */
};

static struct node *path;     /* [n], by depth */
static struct family *family; /* [n] */

static void make_root(void)
{
	struct node *r = &path[0];

	memset(r, 0, sizeof(*r));
	for (int k = 0; k < shop.m; k++) {
		r->front[k] = r->back[k] = INT32_MAX;
		for (int j = 0; j < shop.n; j++) {
			int32_t before = 0, after = 0;

			for (int i = 0; i < k; i++)
				before += shop.time[i * shop.n + j];
			for (int i = k + 1; i < shop.m; i++)
				after += shop.time[i * shop.n + j];
			r->front[k] = before < r->front[k] ? before : r->front[k];
			r->back[k] = after < r->back[k] ? after : r->back[k];
			r->rest[k] += shop.time[k * shop.n + j];
		}
	}
}

static int32_t larger(int32_t a, int32_t b)
{
	return a > b ? a : b;
}

/* Not on the stack of a recursion that may be 1000 nodes deep. */
static int32_t bound[2][MAX_JOBS], end_time[MAX_JOBS];

/* The bounds of the children of all jobs at one end, also of those that are placed. */
static void bound_end(const struct node *x, bool at_end)
{
	const int32_t *mine = at_end ? x->back : x->front, *other = at_end ? x->front : x->back;
	bool empty = at_end ? !x->suffix : !x->prefix;
	int32_t *to = bound[at_end];

	for (int j = 0; j < shop.n; j++)
		end_time[j] = to[j] = 0;
	for (int i = 0; i < shop.m; i++) {
		int k = at_end ? shop.m - 1 - i : i;
		int32_t from = empty ? 0 : mine[k], more_time = x->rest[k] + other[k];
		const int32_t *time = shop.time + k * shop.n;

		for (int j = 0; j < shop.n; j++) {
			end_time[j] = larger(end_time[j], from) + time[j];
			to[j] = larger(to[j], end_time[j] - time[j] + more_time);
		}
	}
}

static void make_family(const struct node *x, struct family *f)
{
	int64_t sum[2] = { 0 };
	int pruned[2] = { 0 };

	f->count = 0;
	f->shortest = INT32_MAX;
	for (int end = 0; end < 2; end++) {
		bound_end(x, end);
		for (int j = 0; j < shop.n; j++) {
			sum[end] += x->used[j] ? 0 : bound[end][j];
			pruned[end] += !x->used[j] && bound[end][j] >= proof.bound;
		}
	}
	f->at_end = pruned[1] != pruned[0] ? pruned[1] > pruned[0] : sum[1] > sum[0];
	for (int j = 0; j < shop.n; j++) {
		if (x->used[j] || bound[f->at_end][j] >= proof.bound)
			continue;
		f->job[f->count++] = j;
		f->shortest = bound[f->at_end][j] < f->shortest ? bound[f->at_end][j] : f->shortest;
	}
}

static void make_child(const struct node *x, int job, bool at_end, struct node *child)
{
	int32_t end = 0;

	memcpy(child->used, x->used, (size_t)shop.n * sizeof(*x->used));
	child->prefix = x->prefix + !at_end;
	child->suffix = x->suffix + at_end;
	child->used[job] = true;
	for (int i = 0; i < shop.m; i++) {
		int k = at_end ? shop.m - 1 - i : i;
		int32_t time = shop.time[k * shop.n + job],
			from = at_end ? x->back[k] : x->front[k];

		if (at_end ? !x->suffix : !x->prefix)
			from = 0;
		end = larger(end, from) + time;
		child->front[k] = at_end ? x->front[k] : end;
		child->back[k] = at_end ? end : x->back[k];
		child->rest[k] = x->rest[k] - time;
	}
}

static void check_leaf(const struct family *f)
{
	if (f->count)
		leave(REJECTED, "there is a schedule of makespan %d, shorter than %" PRId64,
		      (int)f->shortest, proof.bound);
}

/* Adds the nodes of the subtree of path[depth] to *count, unless they become more than `most`. */
static void count_nodes(int depth, uint64_t *count, uint64_t most)
{
	struct family *f = &family[depth];

	if (++*count > most)
		return;
	make_family(&path[depth], f);
	if (depth == shop.n - 1) {
		check_leaf(f);
		return;
	}
	for (int i = 0; i < f->count && *count <= most; i++) {
		make_child(&path[depth], f->job[i], f->at_end, &path[depth + 1]);
		count_nodes(depth + 1, count, most);
	}
}

/* ---- the first levels ---- */

static uint64_t *seen_level; /* [depth + 1] */
static uint16_t *place;      /* [part][depth]: the jobs on the way; 1 << 15: before the suffix */
static uint16_t way[MAX_JOBS];

/* Counts the nodes of each level, and notes the way to each part. */
static void enumerate(int depth)
{
	struct family *f = &family[depth];
	uint64_t number_here = seen_level[depth]++;

	if (seen_level[depth] > proof.level[depth])
		leave(REJECTED, "level %d has more than the stated %" PRIu64 " nodes", depth,
		      proof.level[depth]);
	if (depth == proof.depth) {
		memcpy(place + number_here * (size_t)depth, way, (size_t)depth * sizeof(*way));
		return;
	}
	make_family(&path[depth], f);
	for (int i = 0; i < f->count; i++) {
		way[depth] = (uint16_t)(f->job[i] | f->at_end << 15);
		make_child(&path[depth], f->job[i], f->at_end, &path[depth + 1]);
		enumerate(depth + 1);
	}
}

static void check_levels(void)
{
	path = need((size_t)shop.n, sizeof(*path));
	family = need((size_t)shop.n, sizeof(*family));
	seen_level = need(proof.levels, sizeof(*seen_level));
	if (proof.parts > (size_t)100000000 / (proof.levels + 1))
		leave(BAD_INPUT, "%s: there are too many parts", proof.path);
	place = need(proof.parts * proof.levels, sizeof(*place));
	make_root();
	enumerate(0);
	for (int d = 0; d <= proof.depth; d++)
		if (seen_level[d] != proof.level[d])
			leave(REJECTED, "level %d has %" PRIu64 " nodes, the proof states %" PRIu64,
			      d, seen_level[d], proof.level[d]);
	printf("tree:     levels of");
	for (int d = 0; d <= proof.depth; d++)
		printf(" %" PRIu64, seen_level[d]);
	printf(" nodes, as counted; %zu parts at depth %d; %" PRIu64 " nodes in all\n", proof.parts,
	       proof.depth, proof.total);
}

/* ---- the sample ---- */

struct options {
	const char *proof, *instance, *format;
	int64_t sample, most; /* sample 0: as many as `seconds` allow */
	double seconds;
	uint64_t seed;
	bool all;
};

/* Sebastiano Vigna's splitmix64. */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static double *draw_key; /* of the parts */

static int compare_keys(const void *a, const void *b)
{
	double x = draw_key[*(const size_t *)a], y = draw_key[*(const size_t *)b];

	return (x > y) - (x < y);
}

/* All parts in random order. The next one is drawn from those left with equal probabilities or, if
 * `by_nodes`, with probabilities proportional to their nodes (Efraimidis and Spirakis 2006). */
static size_t *shuffled(uint64_t *state, bool by_nodes)
{
	size_t *order = need(proof.parts, sizeof(*order));

	draw_key = need(proof.parts, sizeof(*draw_key));
	for (size_t i = 0; i < proof.parts; i++) {
		double random = ((double)(next_random(state) >> 11) + 1) * 0x1p-53;

		order[i] = i;
		draw_key[i] = -log(random) / (by_nodes ? (double)proof.part[i] + 1e-9 : 1);
	}
	qsort(order, proof.parts, sizeof(*order), compare_keys);
	free(draw_key);
	return order;
}

/* The numbers of all parts in the order in which they are drawn: by turns, with equal
 * probabilities, so that no part is safe, and by nodes, so that most of the tree is looked at. */
static size_t *draw(const struct options *o)
{
	size_t *order = need(proof.parts, sizeof(*order)), *from[2], at[2] = { 0 };
	bool *drawn = need(proof.parts, sizeof(*drawn));
	uint64_t state = o->seed;

	from[0] = shuffled(&state, false);
	from[1] = shuffled(&state, true);
	for (size_t i = 0; i < proof.parts; i++) {
		size_t *next = &at[i % 2];

		while (drawn[from[i % 2][*next]])
			++*next;
		order[i] = o->all ? i : from[i % 2][*next];
		drawn[from[i % 2][*next]] = true;
	}
	free(from[0]);
	free(from[1]);
	free(drawn);
	return order;
}

static void recount(size_t part)
{
	const uint16_t *jobs = place + part * (size_t)proof.depth;
	uint64_t count = 0;

	make_root();
	for (int d = 0; d < proof.depth; d++)
		make_child(&path[d], jobs[d] & 0x7fff, jobs[d] >> 15, &path[d + 1]);
	count_nodes(proof.depth, &count, proof.part[part]);
	if (count > proof.part[part])
		leave(REJECTED, "part %zu has more than the stated %" PRIu64 " nodes", part,
		      proof.part[part]);
	if (count < proof.part[part])
		leave(REJECTED, "part %zu has %" PRIu64 " nodes, the proof states %" PRIu64, part,
		      count, proof.part[part]);
}

/* Returns whether all parts were counted. */
static bool check_parts(const struct options *o)
{
	size_t *order = draw(o), counted = 0, skipped = 0, i;
	double begin = seconds_now();
	uint64_t nodes = 0;

	for (i = 0; i < proof.parts; i++) {
		uint64_t stated = proof.part[order[i]];

		if (!o->all && o->sample && i >= (size_t)o->sample)
			break;
		if (!o->all && !o->sample && counted && seconds_now() - begin > o->seconds)
			break;
		if (stated > (uint64_t)o->most) {
			printf("part %zu: not recounted, its %" PRIu64
			       " nodes exceed --most %" PRId64 "\n",
			       order[i], stated, o->most);
			skipped++;
			continue;
		}
		recount(order[i]);
		nodes += stated;
		counted++;
	}
	printf("recount:  %zu of %zu parts, ", counted, proof.parts);
	if (skipped)
		printf("%zu drawn but too large, ", skipped);
	printf("%" PRIu64 " of %" PRIu64 " nodes (%.3g %%), in %.1f s", nodes, proof.total,
	       proof.total ? 100 * (double)nodes / (double)proof.total : 0, seconds_now() - begin);
	if (!o->all && counted + skipped < proof.parts)
		printf("; --seed %" PRIu64, o->seed);
	printf("\n");
	if (proof.parts && !counted)
		leave(BAD_INPUT, "%s: no part was recounted; raise --most", proof.path);
	free(order);
	return counted == proof.parts;
}

/* ---- the command line ---- */

static void print_help(void)
{
	puts("usage: copra-check-proof PROOF [FILE|NAME] [flags]\n"
	     "       copra-check-proof --version\n"
	     "Checks a proof that no schedule of a flowshop is shorter than a bound, as copra "
	     "prove\n"
	     "writes it: evaluates the schedule, enumerates the first levels of the tree, and "
	     "counts\n"
	     "the nodes of parts that are drawn at random, by turns with equal probabilities and "
	     "with\n"
	     "probabilities proportional to their nodes. It shares no code with the search. The\n"
	     "instance is a file, or taNNN or taillard:JxM:SEED, which it generates; by default "
	     "the\n"
	     "one that the proof names.\n"
	     "  --sample=N     number of parts (default: what --seconds allows, at least one)\n"
	     "  --seconds=S    without --sample: draw parts for about S seconds (default 10)\n"
	     "  --seed=N       of the draw (default: at random; printed)\n"
	     "  --all          recount all parts\n"
	     "  --most=NODES   leave out parts of more nodes, and say so (default 50000000)\n"
	     "  --format=auto|jobs-by-machines|machines-by-jobs\n"
	     "                 the file is a plain matrix, with one row per job or machine\n"
	     "exit codes: 0 accepted; 1 rejected; 2 bad usage or input, or nothing recounted");
}

/* The value of --name=VALUE or --name VALUE, or NULL if the argument is another flag. */
static const char *value_of(const char *name, int argc, char **argv, int *i)
{
	const char *a = argv[*i] + 2;
	size_t length = strlen(name);

	if (strncmp(a, name, length) != 0 || (a[length] && a[length] != '='))
		return NULL;
	if (a[length] == '=')
		return a + length + 1;
	if (*i + 1 >= argc)
		leave(BAD_INPUT, "--%s needs a value", name);
	return argv[++*i];
}

static uint64_t whole_value(const char *name, const char *text, uint64_t least)
{
	char *end;
	unsigned long long value;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno || value < least)
		leave(BAD_INPUT, "--%s=%s is not a number of at least %" PRIu64, name, text, least);
	return value;
}

static void parse_flag(struct options *o, int argc, char **argv, int *i)
{
	const char *value;
	char *end;

	if (strcmp(argv[*i], "--all") == 0) {
		o->all = true;
	} else if ((value = value_of("sample", argc, argv, i))) {
		o->sample = (int64_t)(whole_value("sample", value, 1) & INT64_MAX);
	} else if ((value = value_of("seconds", argc, argv, i))) {
		o->seconds = strtod(value, &end);
		if (end == value || *end || !(o->seconds >= 0))
			leave(BAD_INPUT, "--seconds=%s is not a number of seconds", value);
	} else if ((value = value_of("seed", argc, argv, i))) {
		o->seed = whole_value("seed", value, 0);
	} else if ((value = value_of("most", argc, argv, i))) {
		o->most = (int64_t)(whole_value("most", value, 1) & INT64_MAX);
	} else if ((value = value_of("format", argc, argv, i))) {
		o->format = value;
	} else {
		leave(BAD_INPUT, "unknown flag %s; --help lists them", argv[*i]);
	}
}

static struct options parse(int argc, char **argv)
{
	struct options o = { .most = 50000000, .seconds = 10 };

	if (getrandom(&o.seed, sizeof(o.seed), 0) != sizeof(o.seed))
		o.seed = (uint64_t)time(NULL);
	o.seed %= 1000000000;
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
			print_help();
			exit(ACCEPTED);
		}
		if (strncmp(argv[i], "--", 2) == 0)
			parse_flag(&o, argc, argv, &i);
		else if (!o.proof)
			o.proof = argv[i];
		else if (!o.instance)
			o.instance = argv[i];
		else
			leave(BAD_INPUT, "unexpected argument \"%s\"", argv[i]);
	}
	if (!o.proof)
		leave(BAD_INPUT, "name the proof: copra-check-proof PROOF [FILE|NAME]");
	return o;
}

int main(int argc, char **argv)
{
	struct options o;
	bool complete;

	if (argc == 2 && strcmp(argv[1], "--version") == 0) {
		printf("copra-check-proof %s (format %s)\n", CHECKER_VERSION, FORMAT);
		return fflush(stdout) ? REJECTED : ACCEPTED;
	}
	o = parse(argc, argv);
	read_proof(o.proof);
	load(o.instance ? o.instance : proof.instance, o.format);
	check_instance();
	check_schedule();
	check_sums();
	check_levels();
	complete = check_parts(&o);
	printf("accepted: no schedule is shorter than %" PRId64 "%s\n", proof.bound,
	       complete ? "" : ", as far as was recounted");
	if (fflush(stdout) || ferror(stdout))
		leave(BAD_INPUT, "cannot write to standard output");
	return ACCEPTED;
}
