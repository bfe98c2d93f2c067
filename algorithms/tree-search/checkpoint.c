/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/tree-search/checkpoint.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "datasets/atsp/atsp.h"
#include "harness/base/checked.h"
#include "harness/base/outfile.h"
#include "harness/base/text_reader.h"

#define CHECKPOINT_NAME "copra-checkpoint "
#define CHECKPOINT_FORMAT "1" /* since 1.0.0 */
#define CHECKPOINT_TITLE CHECKPOINT_NAME CHECKPOINT_FORMAT
/* Longest line: 2000 numbers of up to 3 digits with a space each, and some room. */
enum { CHECKPOINT_LINE = 16384 };

/* ---- the key of a search ---- */

#define PAIRS "-pairs" /* in the rule of a search that may use machine pairs */

static void of_flowshop(const struct search_request *r, struct checkpoint_key *key)
{
	static const char *const bound[] = { [FSP_LB1] = "lb1", [FSP_LB2] = "lb2" };
	static const char *const branching[] = {
		[FSP_FORWARD] = "forward", [FSP_MAXSUM] = "maxsum", [FSP_MINBRANCH] = "minbranch"
	};

	strcpy(key->problem, "flowshop");
	snprintf(key->instance, sizeof(key->instance), "%s", r->flowshop->name);
	snprintf(key->rule, sizeof(key->rule), "%s%s-%s", bound[r->bound], r->pairs ? PAIRS : "",
		 branching[r->branching]);
	key->hash = flowshop_hash(r->flowshop);
	key->items = r->flowshop->jobs;
}

static void of_atsp(const struct atsp *a, struct checkpoint_key *key)
{
	strcpy(key->problem, "atsp");
	snprintf(key->instance, sizeof(key->instance), "%s", a->name);
	strcpy(key->rule, "path");
	key->hash = atsp_hash(a);
	key->items = a->cities - 1;
}

static void of_queens(const struct search_request *r, struct checkpoint_key *key)
{
	strcpy(key->problem, "nqueens");
	snprintf(key->instance, sizeof(key->instance), "%d", r->queens);
	strcpy(key->rule, r->half_board ? "half-board" : "board");
	key->hash = (uint64_t)r->queens;
	key->items = r->queens;
}

void checkpoint_key_of(const struct search_request *r, int64_t first_ub, struct checkpoint_key *key)
{
	memset(key, 0, sizeof(*key));
	if (r->flowshop)
		of_flowshop(r, key);
	else if (r->atsp)
		of_atsp(r->atsp, key);
	else
		of_queens(r, key);
	key->first_ub = first_ub;
}

void checkpoint_free(struct checkpoint *c)
{
	free(c->order);
	free(c->work);
	c->order = NULL;
	c->work = NULL;
	c->count = 0;
}

/* ---- open work in memory ---- */

/* Makes room for one more unit of work; doubles the array when it is full. */
static int make_room(struct checkpoint *c, uint64_t used, size_t *room, struct err *e)
{
	size_t bytes, unit = checkpoint_stride(c->form, c->key.items) * sizeof(*c->work);
	size_t wanted = *room ? 2 * *room : 16;
	uint16_t *larger;

	if (used < *room)
		return 0;
	if (!checked_mul_size(wanted, unit, &bytes) || !(larger = realloc(c->work, bytes)))
		return err_set(e, ERR_MEMORY, "no memory for %zu units of work", wanted);
	c->work = larger;
	*room = wanted;
	return 0;
}

uint16_t *checkpoint_add(struct checkpoint *c, size_t *room, struct err *e)
{
	size_t stride = checkpoint_stride(c->form, c->key.items);

	return make_room(c, c->count, room, e) ? NULL : c->work + stride * c->count++;
}

/* A malloc'ed copy of `bytes` bytes; NULL if there is no memory. */
static void *copy_of(const void *from, size_t bytes)
{
	void *to = malloc(bytes + 1);

	if (to && bytes)
		memcpy(to, from, bytes);
	return to;
}

int checkpoint_copy(struct checkpoint *to, const struct checkpoint *from, bool work, struct err *e)
{
	size_t items = (size_t)from->key.items;
	size_t stride = checkpoint_stride(from->form, from->key.items) * sizeof(*from->work);

	*to = *from;
	to->work = NULL;
	to->order = from->order ? copy_of(from->order, items * sizeof(*from->order)) : NULL;
	if (!work) {
		to->form = CHECKPOINT_INTERVALS;
		to->count = 0;
	} else {
		to->work = copy_of(from->work, (size_t)from->count * stride);
	}
	if ((!from->order || to->order) && (!work || to->work))
		return 0;
	checkpoint_free(to);
	return err_set(e, ERR_MEMORY, "no memory for a copy of %" PRIu64 " units of open work",
		       from->count);
}

int checkpoint_load(struct checkpoint *c, const struct checkpoint_plan *plan, struct err *e)
{
	return plan->from ? checkpoint_copy(c, plan->from, true, e) :
			    checkpoint_read(c, plan->resume, e);
}

int checkpoint_past_open(struct checkpoint_past *p, const struct search_request *r,
			 enum checkpoint_form form, struct err *e)
{
	struct checkpoint_key key;

	checkpoint_key_of(r, 0, &key);
	return checkpoint_past_open_as(p, r, &key, form, e);
}

int checkpoint_past_open_as(struct checkpoint_past *p, const struct search_request *r,
			    const struct checkpoint_key *wanted, enum checkpoint_form form,
			    struct err *e)
{
	const struct checkpoint_plan *plan = r->checkpoint;
	struct checkpoint_key key = *wanted;
	int status = 0;

	*p = (struct checkpoint_past){ .resumed = checkpoint_resumes(plan) };
	if (plan && plan->left)
		*plan->left = (struct checkpoint){ .count = 0 };
	if (!p->resumed)
		return 0;
	p->borrowed = plan->from && plan->from->form == form;
	if (p->borrowed)
		p->state = *plan->from;
	else
		status = plan->read ? plan->read(&p->state, r, e) :
				      checkpoint_load(&p->state, plan, e);
	if (status) {
		p->state = (struct checkpoint){ .count = 0 };
		return status;
	}
	key.first_ub = p->state.key.first_ub;
	status = checkpoint_matches(&p->state, &key, e);
	if (status || p->state.form == form)
		return status;
	return err_set(e, ERR_UNSUPPORTED, "%s holds %s, but this search resumes from %s",
		       plan->resume ? plan->resume : "the open work",
		       form == CHECKPOINT_NODES ? "intervals" : "open nodes",
		       form == CHECKPOINT_NODES ? "open nodes" : "intervals");
}

void checkpoint_past_close(struct checkpoint_past *p)
{
	if (!p->borrowed)
		checkpoint_free(&p->state);
	*p = (struct checkpoint_past){ .resumed = false };
}

int checkpoint_end(struct checkpoint *c, const struct search_request *r, struct err *e)
{
	const struct checkpoint_plan *plan = r->checkpoint;
	int status = plan->write ? checkpoint_store_last(c, r, e) : 0;

	if (!status && plan->left) {
		*plan->left = *c;
		*c = (struct checkpoint){ .count = 0 };
	}
	checkpoint_free(c);
	return status;
}

/* A search that may use machine pairs also continues one without. */
static bool rules_match(const char *file, const char *rule)
{
	static const char lb1[] = "lb1", pairs[] = "lb1" PAIRS;
	size_t short_name = sizeof(lb1) - 1, long_name = sizeof(pairs) - 1;

	if (strcmp(file, rule) == 0)
		return true;
	return strncmp(rule, pairs, long_name) == 0 && strncmp(file, lb1, short_name) == 0 &&
	       strcmp(rule + long_name, file + short_name) == 0;
}

int checkpoint_matches(const struct checkpoint *c, const struct checkpoint_key *key, struct err *e)
{
	const struct checkpoint_key *file = &c->key;

	if (strcmp(file->problem, key->problem) != 0)
		return err_set(e, ERR_INPUT, "the checkpoint is of %s, not of %s", file->problem,
			       key->problem);
	if (file->items != key->items)
		return err_set(e, ERR_INPUT, "the checkpoint has %d items, not %d", file->items,
			       key->items);
	if (file->hash != key->hash)
		return err_set(e, ERR_INPUT,
			       "the checkpoint is of another instance: %s (hash %016" PRIx64
			       "), not %s (%016" PRIx64 ")",
			       file->instance, file->hash, key->instance, key->hash);
	if (!rules_match(file->rule, key->rule))
		return err_set(e, ERR_INPUT, "the checkpoint's tree is %s, not %s", file->rule,
			       key->rule);
	if (file->first_ub != key->first_ub && strstr(key->rule, "minbranch"))
		return err_set(e, ERR_INPUT,
			       "the checkpoint's tree branches by the bound %" PRId64
			       ", not %" PRId64,
			       file->first_ub, key->first_ub);
	return 0;
}

static bool same_file(const char *a, const char *b)
{
	struct stat x, y;

	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

int checkpoint_spares(const struct checkpoint *c, const struct checkpoint_plan *plan, int64_t ub,
		      struct err *e)
{
	if (!c->order || ub >= c->best || !plan->write || !same_file(plan->write, plan->resume))
		return 0;
	return err_set(e, ERR_USAGE,
		       "--ub %" PRId64 " is below %" PRId64 ", the best of %s, whose "
		       "solution would be lost; give --checkpoint another file",
		       ub, c->best, plan->resume);
}

/* ---- writing ---- */

struct lines {
	FILE *file;
	uint64_t hash;
	size_t length;
	char text[CHECKPOINT_LINE];
};

static void end_line(struct lines *l)
{
	l->hash = checkpoint_hash_line(l->hash, l->text, l->length);
	l->text[l->length] = '\n';
	fwrite(l->text, 1, l->length + 1, l->file);
	l->length = 0;
}

static __attribute__((format(printf, 2, 3))) void line(struct lines *l, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	l->length = (size_t)vsnprintf(l->text, sizeof(l->text), format, ap);
	va_end(ap);
	end_line(l);
}

/* A number and a blank, at most 6 characters. */
static void put_number(struct lines *l, uint16_t number)
{
	char figure[5];
	int count = 0;

	do {
		figure[count++] = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	if (l->length)
		l->text[l->length++] = ' ';
	while (count)
		l->text[l->length++] = figure[--count];
}

/* A file name may contain any characters. */
static void put_instance(struct lines *l, const char *name)
{
	l->length = (size_t)sprintf(l->text, "instance %s", *name ? name : "-");
	for (size_t i = 0; i < l->length; i++) {
		if ((unsigned char)l->text[i] < ' ')
			l->text[i] = '?';
	}
	end_line(l);
}

static void put_key(struct lines *l, const struct checkpoint_key *k)
{
	line(l, CHECKPOINT_TITLE);
	line(l, "problem %s", k->problem);
	put_instance(l, k->instance);
	line(l, "hash %016" PRIx64, k->hash);
	line(l, "items %d", k->items);
	line(l, "rule %s", k->rule);
	line(l, "first-ub %" PRId64, k->first_ub);
}

static void put_state(struct lines *l, const struct checkpoint *c)
{
	line(l, "best %" PRId64, c->best);
	l->length = (size_t)sprintf(l->text, "order%s", c->order ? "" : " none");
	for (int i = 0; c->order && i < c->key.items; i++)
		put_number(l, (uint16_t)c->order[i]);
	end_line(l);
	line(l, "solutions %" PRIu64, c->solutions);
	line(l, "explored %" PRIu64, c->explored);
	line(l, "decomposed %" PRIu64, c->decomposed);
	line(l, "leaves %" PRIu64, c->leaves);
	line(l, "evaluated %" PRIu64, c->evaluated);
	line(l, "seconds %.17g", c->seconds);
	line(l, "%s %" PRIu64, c->form == CHECKPOINT_INTERVALS ? "intervals" : "nodes", c->count);
}

static int compare_digits(const uint16_t *a, const uint16_t *b, int items)
{
	for (int i = 0; i < items; i++) {
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	}
	return 0;
}

/* ---- what every unit of work and every solution must satisfy ---- */

static int check_permutation(const uint16_t *item, int items, struct err *e)
{
	bool seen[CHECKPOINT_MAX_ITEMS] = { false };

	for (int i = 0; i < items; i++) {
		if (item[i] >= items)
			return err_set(e, ERR_INPUT, "item %d is not below %d", item[i], items);
		if (seen[item[i]])
			return err_set(e, ERR_INPUT, "item %d occurs twice", item[i]);
		seen[item[i]] = true;
	}
	return 0;
}

static int check_interval(const uint16_t *first, int items, struct err *e)
{
	for (int i = 0; i < 2 * items; i++) {
		if (first[i] > items - 1 - i % items)
			return err_set(e, ERR_INPUT, "digit %d is %d, more than %d", i % items,
				       first[i], items - 1 - i % items);
	}
	if (compare_digits(first, first + items, items) > 0)
		return err_set(e, ERR_INPUT, "the interval ends before it begins");
	return 0;
}

/* The number of the row of queen i of a node; one of the first rows may be negative. */
static int row_of(const struct checkpoint_key *k, int i)
{
	if (strncmp(k->rule, CHECKPOINT_FROM_MIDDLE, strlen(CHECKPOINT_FROM_MIDDLE)) != 0)
		return i;
	return i % 2 ? -(i + 1) / 2 : i / 2;
}

/* The columns are a permutation. */
static int check_queens(const struct checkpoint_key *k, const uint16_t *node, struct err *e)
{
	int placed = node[0], last = placed + node[2];

	bool kinds = strcmp(k->rule, CHECKPOINT_EVEN_SOLUTIONS) == 0;

	if (node[1] || node[3] > kinds)
		return err_set(e, ERR_INPUT, "a node of N-Queens has no suffix");
	for (int i = 1; i < last; i++) {
		int row = row_of(k, i < placed ? i : placed);

		for (int j = 0; j < i && j < placed; j++) {
			if (abs(node[4 + i] - node[4 + j]) == abs(row - row_of(k, j)))
				return err_set(e, ERR_INPUT,
					       "queens in columns %d and %d attack each "
					       "other",
					       node[4 + j], node[4 + i]);
		}
	}
	return 0;
}

static int check_node(const struct checkpoint_key *k, const uint16_t *node, struct err *e)
{
	bool queens = strcmp(k->problem, "nqueens") == 0;
	int items = k->items, status;

	if (node[0] + node[1] + node[2] > items)
		return err_set(e, ERR_INPUT, "prefix, suffix and children are more than %d %s",
			       items, queens ? "queens" : "jobs");
	if (node[3] > 1)
		return err_set(e, ERR_INPUT, "the place of the children is %d, not 0 or 1",
			       node[3]);
	if (node[2] == 0 && node[0] + node[1] == items)
		return err_set(e, ERR_INPUT, "a complete %s is not an open node",
			       queens ? "board" : "schedule");
	status = check_permutation(node + 4, items, e);
	return status || !queens ? status : check_queens(k, node, e);
}

int checkpoint_check_unit(const struct checkpoint_key *key, enum checkpoint_form form,
			  const uint16_t *unit, struct err *e)
{
	return form == CHECKPOINT_INTERVALS ? check_interval(unit, key->items, e) :
					      check_node(key, unit, e);
}

static int by_digits(const void *a, const void *b, void *items)
{
	return compare_digits(*(const uint16_t *const *)a, *(const uint16_t *const *)b,
			      *(const int *)items);
}

/* Pointers to the units of work, intervals sorted. An overlap is an error of the search; then no
 * file is written, because it would be wrong. */
static int ordered_work(const struct checkpoint *c, const uint16_t ***out, struct err *e)
{
	size_t stride = checkpoint_stride(c->form, c->key.items);
	const uint16_t **unit = malloc((size_t)(c->count + 1) * sizeof(*unit));
	int items = c->key.items;

	*out = unit;
	if (!unit)
		return err_set(e, ERR_MEMORY, "no memory to sort a checkpoint");
	for (uint64_t i = 0; i < c->count; i++)
		unit[i] = c->work + i * stride;
	if (c->form != CHECKPOINT_INTERVALS)
		return 0;
	qsort_r(unit, c->count, sizeof(*unit), by_digits, &items);
	for (uint64_t i = 1; i < c->count; i++) {
		if (compare_digits(unit[i - 1] + items, unit[i], items) >= 0)
			return err_set(e, ERR_FAILED, "open intervals overlap: no checkpoint");
	}
	return 0;
}

int checkpoint_write(const struct checkpoint *c, const char *path, struct err *e)
{
	size_t stride = checkpoint_stride(c->form, c->key.items);
	struct lines *l = malloc(sizeof(*l));
	const uint16_t **unit = NULL;
	struct outfile *out;
	int status = l ? ordered_work(c, &unit, e) : err_set(e, ERR_MEMORY, "no memory for a line");

	if (!status)
		status = outfile_open(&out, path, e);
	if (!status) {
		*l = (struct lines){ .file = outfile_stream(out), .hash = CHECKPOINT_HASH_BEGIN };
		put_key(l, &c->key);
		put_state(l, c);
		for (uint64_t i = 0; i < c->count; i++) {
			for (size_t j = 0; j < stride; j++)
				put_number(l, unit[i][j]);
			end_line(l);
		}
		fprintf(l->file, "end %016" PRIx64 "\n", l->hash);
		status = outfile_commit(out, e);
	}
	free(unit);
	free(l);
	return status;
}

static int store(const struct checkpoint *c, const struct search_request *r, struct err *e)
{
	struct checkpoint_plan *plan = r->checkpoint;
	int status = checkpoint_write(c, plan->write, e);

	if (status)
		return status;
	watch_checkpoint(r->watch, plan->write);
	if (plan->failing)
		fprintf(stderr, "checkpoint: %s is written again\n", plan->write);
	plan->failing = false;
	return 0;
}

int checkpoint_missed(const struct search_request *r, int status, const struct err *e)
{
	if (status != ERR_IO && status != ERR_MEMORY)
		return status;
	if (!r->checkpoint->failing)
		fprintf(stderr, "checkpoint: %s; the search goes on and tries again\n", e->text);
	r->checkpoint->failing = true;
	return 0;
}

int checkpoint_store(const struct checkpoint *c, const struct search_request *r, struct err *e)
{
	struct err reason = { 0 };
	int status = store(c, r, &reason);

	if (status)
		status = checkpoint_missed(r, status, &reason);
	if (status && e)
		*e = reason;
	return status;
}

int checkpoint_store_last(const struct checkpoint *c, const struct search_request *r, struct err *e)
{
	struct err reason = { 0 };
	int status = store(c, r, &reason);

	if (status && c->count == 0) {
		fprintf(stderr, "checkpoint: %s; the search is complete\n", reason.text);
		status = 0;
	}
	if (status && e)
		*e = reason;
	return status;
}

int checkpoint_probe(const char *path, struct err *e)
{
	struct outfile *file;
	int status = path ? outfile_open(&file, path, e) : 0;

	if (path && !status)
		outfile_abort(file);
	return status;
}

/* ---- reading ----
 *
 * Memory is never allocated because of a number in the file: the work grows with the lines read. */

struct source {
	struct text_reader r;
	uint64_t hash;
	const char *at; /* in the line: what is not yet read */
	char buffer[CHECKPOINT_LINE];
};

static int next_line(struct source *s, const char *what, struct err *e)
{
	int status = text_next_line(&s->r, e);

	if (!status && s->r.ended)
		status = text_bad(&s->r, e, "the file ends before %s", what);
	s->at = s->buffer;
	return status;
}

/* The next line, which begins with the word `name`; s->at is behind it. */
static int field(struct source *s, const char *name, struct err *e)
{
	size_t length = strlen(name);
	int status = next_line(s, name, e);

	if (status)
		return status;
	if (strncmp(s->at, name, length) != 0 || s->at[length] != ' ')
		return text_bad(&s->r, e, "expected \"%s ...\"", name);
	s->hash = checkpoint_hash_line(s->hash, s->buffer, strlen(s->buffer));
	s->at += length + 1;
	return 0;
}

static int line_ends(struct source *s, struct err *e)
{
	return *s->at ? text_bad(&s->r, e, "unexpected text at the end of the line") : 0;
}

static int number_field(struct source *s, const char *name, int64_t most, int64_t *value,
			struct err *e)
{
	int status = field(s, name, e);

	if (!status)
		status = text_number(&s->r, &s->at, value, name, e);
	if (!status && *value > most)
		status = text_bad(&s->r, e, "%s is more than %" PRId64, name, most);
	return status ? status : line_ends(s, e);
}

static int count_field(struct source *s, const char *name, uint64_t *count, struct err *e)
{
	int64_t value = 0;
	int status = number_field(s, name, INT64_MAX, &value, e);

	*count = (uint64_t)value;
	return status;
}

static int word_field(struct source *s, const char *name, char *out, size_t size, struct err *e)
{
	int status = field(s, name, e);
	size_t length = status ? 0 : strlen(s->at);

	if (status)
		return status;
	if (length == 0 || length >= size)
		return text_bad(&s->r, e, "%s has %zu characters, not 1 to %zu", name, length,
				size - 1);
	memcpy(out, s->at, length + 1);
	return 0;
}

/* 16 figures, 0-9a-f, to the end of the line. */
static int hash_value(struct source *s, uint64_t *value, struct err *e)
{
	char *end;

	if (strlen(s->at) != 16 || strspn(s->at, "0123456789abcdef") != 16)
		return text_bad(&s->r, e, "not a hash of 16 hexadecimal digits");
	*value = strtoull(s->at, &end, 16);
	return 0;
}

static int read_key(struct source *s, struct checkpoint_key *k, struct err *e)
{
	int64_t items = 0;
	int status = word_field(s, "problem", k->problem, sizeof(k->problem), e);

	if (!status && strcmp(k->problem, "flowshop") != 0 && strcmp(k->problem, "nqueens") != 0 &&
	    strcmp(k->problem, "atsp") != 0)
		status = text_bad(&s->r, e, "unknown problem: %s", k->problem);
	if (!status)
		status = word_field(s, "instance", k->instance, sizeof(k->instance), e);
	if (!status && !(status = field(s, "hash", e)))
		status = hash_value(s, &k->hash, e);
	if (!status)
		status = number_field(s, "items", CHECKPOINT_MAX_ITEMS, &items, e);
	if (!status && items == 0)
		status = text_bad(&s->r, e, "items is 0");
	k->items = (int)items;
	if (!status)
		status = word_field(s, "rule", k->rule, sizeof(k->rule), e);
	return status ? status : number_field(s, "first-ub", INT64_MAX, &k->first_ub, e);
}

/* Numbers of the rest of the line, `count` of them, each at most `most`; the line ends with them.
 */
static int numbers(struct source *s, uint16_t *out, size_t count, int64_t most, struct err *e)
{
	for (size_t i = 0; i < count; i++) {
		int64_t value;
		int status = text_number(&s->r, &s->at, &value, "a number of the line", e);

		if (status)
			return status;
		if (value > most)
			return text_bad(&s->r, e, "%" PRId64 " is more than %" PRId64, value, most);
		out[i] = (uint16_t)value;
	}
	return line_ends(s, e);
}

static int read_order(struct source *s, struct checkpoint *c, struct err *e)
{
	uint16_t item[CHECKPOINT_MAX_ITEMS];
	struct err bad;
	int items = c->key.items, status = field(s, "order", e);

	if (status || strcmp(s->at, "none") == 0)
		return status;
	status = numbers(s, item, (size_t)items, CHECKPOINT_MAX_ITEMS, e);
	if (!status)
		status = check_permutation(item, items, &bad) ? text_bad(&s->r, e, "%s", bad.text) :
								0;
	if (status)
		return status;
	c->order = malloc((size_t)items * sizeof(*c->order));
	if (!c->order)
		return err_set(e, ERR_MEMORY, "no memory for an order");
	for (int i = 0; i < items; i++)
		c->order[i] = item[i];
	return 0;
}

static int read_seconds(struct source *s, double *seconds, struct err *e)
{
	char *end;
	int status = field(s, "seconds", e);

	if (status)
		return status;
	*seconds = strtod(s->at, &end);
	if (end == s->at || *end || !(*seconds >= 0) || isinf(*seconds))
		return text_bad(&s->r, e, "seconds is not a number >= 0");
	return 0;
}

static int read_counts(struct source *s, struct checkpoint *c, struct err *e)
{
	int status = number_field(s, "best", INT64_MAX, &c->best, e);

	if (!status)
		status = read_order(s, c, e);
	if (!status)
		status = count_field(s, "solutions", &c->solutions, e);
	if (!status)
		status = count_field(s, "explored", &c->explored, e);
	if (!status)
		status = count_field(s, "decomposed", &c->decomposed, e);
	if (!status)
		status = count_field(s, "leaves", &c->leaves, e);
	if (!status)
		status = count_field(s, "evaluated", &c->evaluated, e);
	return status ? status : read_seconds(s, &c->seconds, e);
}

static int read_unit(struct source *s, struct checkpoint *c, uint64_t index, struct err *e)
{
	size_t stride = checkpoint_stride(c->form, c->key.items);
	uint16_t *unit = c->work + index * stride;
	struct err bad;
	int items = c->key.items, status = next_line(s, "all that is open", e);

	if (!status) {
		s->hash = checkpoint_hash_line(s->hash, s->buffer, strlen(s->buffer));
		status = numbers(s, unit, stride, CHECKPOINT_MAX_ITEMS, e);
	}
	if (status)
		return status;
	if (checkpoint_check_unit(&c->key, c->form, unit, &bad))
		return text_bad(&s->r, e, "%s", bad.text);
	if (c->form == CHECKPOINT_INTERVALS && index > 0 &&
	    compare_digits(unit - items, unit, items) >= 0)
		return text_bad(&s->r, e, "the interval does not follow the previous one");
	return 0;
}

static bool has_nodes(const struct checkpoint_key *k)
{
	return strcmp(k->problem, "flowshop") == 0 ||
	       (strcmp(k->problem, "nqueens") == 0 && strncmp(k->rule, "board", 5) == 0);
}

static int read_work(struct source *s, struct checkpoint *c, struct err *e)
{
	uint64_t count = 0;
	size_t room = 0;
	int status = next_line(s, "intervals or nodes", e);

	if (status)
		return status;
	c->form = strncmp(s->at, "nodes ", 6) == 0 ? CHECKPOINT_NODES : CHECKPOINT_INTERVALS;
	if (c->form == CHECKPOINT_INTERVALS && strncmp(s->at, "intervals ", 10) != 0)
		return text_bad(&s->r, e, "expected \"intervals ...\" or \"nodes ...\"");
	if (c->form == CHECKPOINT_NODES && !has_nodes(&c->key))
		return text_bad(&s->r, e, "nodes are for flowshop and whole boards only");
	s->hash = checkpoint_hash_line(s->hash, s->buffer, strlen(s->buffer));
	s->at = strchr(s->at, ' ');
	status = text_number(&s->r, &s->at, (int64_t *)&count, "their number", e);
	if (!status)
		status = line_ends(s, e);
	for (c->count = 0; !status && c->count < count; c->count++) {
		status = make_room(c, c->count, &room, e);
		if (!status)
			status = read_unit(s, c, c->count, e);
	}
	return status;
}

static int read_end(struct source *s, struct err *e)
{
	uint64_t hash = s->hash, stored = 0;
	int status = field(s, "end", e);

	if (!status)
		status = hash_value(s, &stored, e);
	if (!status && stored != hash)
		status = text_bad(&s->r, e, "the hash does not match the lines before");
	if (!status)
		status = text_next_line(&s->r, e);
	if (!status && !s->r.ended)
		status = text_bad(&s->r, e, "the file continues after the checkpoint");
	return status;
}

/* The first line is not that of our format. */
static int bad_title(struct source *s, struct err *e)
{
	const char *format = s->at + strlen(CHECKPOINT_NAME);

	if (strncmp(s->at, CHECKPOINT_NAME, strlen(CHECKPOINT_NAME)) != 0 || !*format ||
	    strspn(format, "0123456789") != strlen(format))
		return text_bad(&s->r, e,
				"not a checkpoint of a tree search: expected \"%s\" on this line",
				CHECKPOINT_TITLE);
	return text_bad(&s->r, e,
			"a checkpoint of format %.9s, this copra reads format %s: resume it with "
			"the copra that wrote it, or start without --resume",
			format, CHECKPOINT_FORMAT);
}

static int read_all(struct source *s, struct checkpoint *c, struct err *e)
{
	int status = next_line(s, "its title", e);

	if (!status && strcmp(s->at, CHECKPOINT_TITLE) != 0)
		status = bad_title(s, e);
	s->hash = checkpoint_hash_line(CHECKPOINT_HASH_BEGIN, s->buffer, strlen(s->buffer));
	if (!status)
		status = read_key(s, &c->key, e);
	if (!status)
		status = read_counts(s, c, e);
	if (!status)
		status = read_work(s, c, e);
	return status ? status : read_end(s, e);
}

int checkpoint_read(struct checkpoint *c, const char *path, struct err *e)
{
	struct source *s = malloc(sizeof(*s));
	int status;

	memset(c, 0, sizeof(*c));
	if (!s)
		return err_set(e, ERR_MEMORY, "no memory to read %s", path);
	status = text_open(&s->r, path, s->buffer, sizeof(s->buffer), e);
	if (!status) {
		status = read_all(s, c, e);
		text_close(&s->r);
	}
	free(s);
	if (status)
		checkpoint_free(c);
	return status;
}
