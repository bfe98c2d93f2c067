/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Evaluates expressions over the results of a machine, as measured or for a bootstrap replicate,
 * and records the evidence. */
#include "harness/report/expression/tree.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/hash.h"
#include "harness/base/rng.h"
#include "harness/base/stats.h"
#include "harness/report/data/results.h"

/* ---- statistics over the benchmarks that a pattern selects ---- */

/* A selected benchmark among those that differ from it only in the seed, itself included. */
struct place {
	size_t first, count; /* in the selection's families */
	size_t rank;         /* among them, from 0 */
	uint64_t seeds;      /* hash of their seeds */
};

/* The benchmarks that a pattern selects, looked up once. */
struct selection {
	char *pattern;
	uint64_t key; /* hash of the pattern, because most of the time is spent on finding
			 selections */
	size_t count;
	size_t *bench;
	struct place *place; /* one per selected benchmark */
	size_t *family;      /* the benchmarks again, those of a family side by side */
};

struct expr_world {
	const struct result_set *set;
	const struct expr_printed *printed;
	size_t selections;
	struct selection *selection;
	double *scratch; /* one value per benchmark, then room for the runs of one benchmark */
};

struct draw {
	unsigned replicate; /* 0: the measurements themselves */
	bool benchmarks;    /* resample benchmarks that were not repeated */
	bool seeds;         /* draw seeds */
};

struct found {
	double value;            /* NaN if no benchmark has one */
	size_t benchmarks, runs; /* how many of each the value was computed from */
};

int expr_world_create(struct expr_world **out, const struct result_set *set,
		      const struct expr_printed *printed, struct err *e)
{
	size_t most = set->benches;
	for (size_t i = 0; i < set->benches; i++)
		most = set->bench[i].runs > most ? set->bench[i].runs : most;
	struct expr_world *w = calloc(1, sizeof(*w));
	double *scratch = calloc(2 * most + 1, sizeof(double));
	if (!w || !scratch) {
		free(w);
		free(scratch);
		return err_set(e, ERR_MEMORY, "out of memory");
	}
	*w = (struct expr_world){ .set = set, .printed = printed, .scratch = scratch };
	*out = w;
	return 0;
}

void expr_world_destroy(struct expr_world *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->selections; i++) {
		free(w->selection[i].pattern);
		free(w->selection[i].bench);
		free(w->selection[i].place);
		free(w->selection[i].family);
	}
	free(w->selection);
	free(w->scratch);
	free(w);
}

/* Puts the family of the benchmark selected at `from` at the end of the families. */
static void group_family(const struct result_set *set, struct selection *s, size_t from,
			 size_t *used)
{
	const char *name = set->bench[s->bench[from]].name;
	struct place family = { .first = *used, .seeds = HASH_INIT };
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = from; i < s->count; i++) {
			const char *other = set->bench[s->bench[i]].name;
			if (!name_same_family(name, other))
				continue;
			if (pass == 0) {
				s->place[i].rank = family.count++;
				family.seeds = hash_u64(family.seeds, (uint64_t)name_seed(other));
				s->family[(*used)++] = s->bench[i];
				continue;
			}
			family.rank = s->place[i].rank;
			s->place[i] = family;
		}
}

static int group_families(const struct result_set *set, struct selection *s, struct err *e)
{
	size_t used = 0;
	s->place = calloc(s->count + 1, sizeof(*s->place));
	s->family = calloc(s->count + 1, sizeof(*s->family));
	if (!s->place || !s->family)
		return err_set(e, ERR_MEMORY, "out of memory");
	for (size_t i = 0; i < s->count; i++)
		if (!s->place[i].count)
			group_family(set, s, i, &used);
	return 0;
}

static int find_selection(struct expr_world *w, const char *pattern, size_t *index, struct err *e)
{
	uint64_t key = hash_text(HASH_INIT, pattern);
	for (size_t i = 0; i < w->selections; i++)
		if (w->selection[i].key == key && !strcmp(w->selection[i].pattern, pattern)) {
			*index = i;
			return 0;
		}
	int status = array_grow((void **)&w->selection, w->selections, sizeof(*w->selection), e);
	if (status)
		return status;
	struct selection *s = &w->selection[w->selections];
	*s = (struct selection){ .key = key };
	if ((status = text_copy(&s->pattern, pattern, e)))
		return status;
	*index = w->selections++;
	for (size_t i = 0; i < w->set->benches; i++) {
		if (!name_match(pattern, w->set->bench[i].name, NULL))
			continue;
		if ((status = array_grow((void **)&s->bench, s->count, sizeof(size_t), e)))
			return status;
		s->bench[s->count++] = i;
	}
	return group_families(w->set, s, e);
}

static struct rng random_of(const char *name, unsigned replicate)
{
	return rng_seeded(hash_u64(hash_text(HASH_INIT, name), replicate));
}

/* The median of the values of the runs, which a replicate resamples; NaN if no run has a value.
 * Different names have independent resamples. */
static double reduce_runs(struct expr_world *w, unsigned replicate, const struct result_bench *b,
			  const double *values, const char *name)
{
	double *scratch = w->scratch + w->set->benches;
	size_t count = 0;
	struct rng random = random_of(name, replicate);
	for (size_t i = 0; i < b->runs; i++) {
		size_t pick = replicate ? (size_t)rng_below(&random, b->runs) : i;
		if (!isnan(values[pick]))
			scratch[count++] = values[pick];
	}
	return stat_median(scratch, count);
}

static double combine(const double *values, size_t count, enum expr_statistic which)
{
	return which == STAT_MEAN   ? stat_mean(values, count) :
	       which == STAT_MEDIAN ? stat_median(values, count) :
	       which == STAT_MIN    ? stat_min(values, count) :
	       which == STAT_MAX    ? stat_max(values, count) :
				      stat_mean(values, count) * (double)count;
}

/* Resamples the values in the scratch array with replacement. */
static void draw_values(struct expr_world *w, struct rng *random, size_t count)
{
	double *drawn = w->scratch + w->set->benches;
	for (size_t i = 0; i < count; i++)
		drawn[i] = w->scratch[rng_below(random, count)];
	memcpy(w->scratch, drawn, count * sizeof(*drawn));
}

/* The value of a selected benchmark; NaN if it has none. */
static double own_value(struct expr_world *w, const struct result_bench *b, const char *counter,
			unsigned replicate, const char *name)
{
	const double *values = result_values(b, counter);
	return values ? reduce_runs(w, replicate, b, values, name) : NAN;
}

/* The value of the benchmark selected at `index`, or, if seeds are drawn, of one of its family. A
 * benchmark without a value is not drawn: that at `index` stays. */
static double value_of(struct expr_world *w, const struct selection *s, size_t index,
		       const char *counter, const struct draw *draw)
{
	const struct result_bench *b = &w->set->bench[s->bench[index]];
	const struct place *place = &s->place[index];
	double value = own_value(w, b, counter, draw->replicate, b->name);
	if (!draw->replicate || !draw->seeds || place->count < 2 || isnan(value))
		return value;
	uint64_t key = hash_u64(hash_u64(place->seeds, draw->replicate), place->rank);
	struct rng random = rng_seeded(key);
	size_t pick = s->family[place->first + (size_t)rng_below(&random, place->count)];
	double other = own_value(w, &w->set->bench[pick], counter, draw->replicate, b->name);
	return isnan(other) ? value : other;
}

/* Writes the values of the benchmarks to the scratch array, and returns their number. */
static size_t gather(struct expr_world *w, const struct selection *s, const char *counter,
		     const struct draw *draw, size_t *runs)
{
	unsigned replicate = draw->replicate;
	const struct result_set *set = w->set;
	size_t count = 0;
	bool repeated = s->count == 1;
	struct rng random = random_of(s->pattern, replicate);
	for (size_t i = 0; i < s->count; i++) {
		const struct result_bench *b = &set->bench[s->bench[i]];
		double value = value_of(w, s, i, counter, draw);
		if (set->used && !isnan(value))
			set->used[s->bench[i]] = true;
		repeated = repeated || b->runs > 1;
		*runs += b->runs;
		if (!isnan(value))
			w->scratch[count++] = value;
	}
	if (replicate && draw->benchmarks && !repeated && count)
		draw_values(w, &random, count);
	return count;
}

/* Computes a statistic of a counter ("": the time, in seconds) over the benchmarks that the pattern
 * selects. Fails only if memory runs out. */
static int statistic_of(struct expr_world *w, const char *pattern, const char *counter,
			enum expr_statistic which, const struct draw *draw, struct found *out,
			struct err *e)
{
	size_t index;
	int status = find_selection(w, pattern, &index, e);
	if (status)
		return status;
	*out = (struct found){ 0 };
	out->benchmarks = gather(w, &w->selection[index], counter, draw, &out->runs);
	if (which == STAT_COUNT)
		out->value = (double)out->benchmarks;
	else
		out->value = out->benchmarks ? combine(w->scratch, out->benchmarks, which) : NAN;
	return 0;
}

/* ---- units ---- */

static bool ends_in(const char *name, const char *word)
{
	size_t length = strlen(name), tail = strlen(word);
	if (length < tail || strcmp(name + length - tail, word) != 0)
		return false;
	return length == tail || name[length - tail - 1] == '_';
}

/* The unit of a counter, from its name: seconds or ..._seconds, joules or ..._joules, bytes,
 * ..._bytes, ..._bytes_... and memory_..., ..._per_second and ..._a_second. Any other counter is a
 * plain number. "": the time. */
static struct expr_unit unit_of_counter(const char *counter)
{
	struct expr_unit u = { .known = true };
	u.seconds = !*counter || ends_in(counter, "seconds");
	u.joules = ends_in(counter, "joules");
	u.bytes = ends_in(counter, "bytes") || strstr(counter, "_bytes_") ||
		  !strncmp(counter, "memory_", strlen("memory_"));
	if (ends_in(counter, "per_second") || ends_in(counter, "a_second"))
		u.seconds = -1;
	return u;
}

/* The unit of a product (sign 1) or a quotient (sign -1). */
static struct expr_unit unit_product(struct expr_unit a, struct expr_unit b, int sign)
{
	if (!a.known || !b.known)
		return (struct expr_unit){ 0 };
	return (struct expr_unit){ .known = true,
				   .seconds = (signed char)(a.seconds + sign * b.seconds),
				   .joules = (signed char)(a.joules + sign * b.joules),
				   .bytes = (signed char)(a.bytes + sign * b.bytes) };
}

static bool same(struct expr_unit a, struct expr_unit b)
{
	return a.seconds == b.seconds && a.joules == b.joules && a.bytes == b.bytes;
}

/* The common unit of numbers that are added or compared; unknown if their units differ. */
static struct expr_unit unit_common(struct expr_unit a, struct expr_unit b)
{
	if (!a.known || !b.known)
		return a.known ? a : b;
	return same(a, b) ? a : (struct expr_unit){ 0 };
}

/* The unit as written after a number: " s", " /s", " B/s"; "" for a plain number and for an unknown
 * unit. */
static const char *unit_text(struct expr_unit u)
{
	static const struct {
		struct expr_unit unit;
		const char *text;
	} units[] = {
		{ { true, 1, 0, 0 }, " s" },    { { true, -1, 0, 0 }, " /s" },
		{ { true, 0, 1, 0 }, " J" },    { { true, -1, 1, 0 }, " W" },
		{ { true, 0, -1, 0 }, " /J" },  { { true, 0, 0, 1 }, " B" },
		{ { true, -1, 0, 1 }, " B/s" },
	};
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]) && u.known; i++)
		if (same(u, units[i].unit))
			return units[i].text;
	return "";
}

/* ---- evidence; these functions do nothing if the trace is NULL ---- */

static void add_once(struct text *t, const struct text *line)
{
	if (!strstr(text_get(t), text_get(line)))
		text_add(t, "%s", text_get(line));
}

static struct expr_unit unit_of_statistic(const struct expr_node *n, const char *counter)
{
	return n->slot == STAT_COUNT ? (struct expr_unit){ .known = true } :
				       unit_of_counter(counter);
}

static void trace_statistic(struct expr_trace *t, const struct expr_node *n, const char *pattern,
			    const char *counter, const struct found *result)
{
	size_t count = result->benchmarks, runs = result->runs;
	struct expr_unit unit = unit_of_statistic(n, counter);
	struct text line = { 0 };
	if (!t)
		return;
	text_add(&line, "%s %s%s of %s = %.6g%s (%zu benchmark%s, %zu run%s)\n",
		 expr_statistic_names[n->slot], *counter ? "of counter " : "time", counter, pattern,
		 result->value, unit_text(unit), count, count == 1 ? "" : "s", runs,
		 runs == 1 ? "" : "s");
	add_once(&t->values, &line);
	line.length = 0;
	text_add(&line, "%c%s\t%s\n", unit.seconds || unit.joules ? '~' : '|', counter, pattern);
	add_once(&t->reads, &line);
	text_free(&line);
}

static void trace_missing(struct expr_trace *t, const char *pattern, const char *counter)
{
	struct text line = { 0 };
	if (!t)
		return;
	text_add(&line, "%s%s%s\n", pattern, *counter ? " : " : "", counter);
	add_once(&t->missing, &line);
	text_free(&line);
}

/* Formats a value with four digits; values from 1e4 to 1e9 as whole numbers. */
static void figure(char *out, size_t size, double value, const char *unit)
{
	bool large = fabs(value) >= 1e4 && fabs(value) < 1e9;
	snprintf(out, size, large ? "%.0f%s" : "%.4g%s", value, unit);
}

/* Records a comparison and the values of the variables in scope, which `slot` holds. */
static void trace_comparison(struct expr_trace *t, const struct expr *p,
			     const struct expr_value *slot, const struct expr_node *n,
			     const struct expr_value *left, const struct expr_value *right,
			     bool truth)
{
	struct text where = { 0 };
	const char *unit = unit_text(unit_common(left->unit, right->unit));
	if (!t)
		return;
	for (size_t i = p->params; i < p->variables; i++) {
		const struct expr_value *v = &slot[i];
		if (v->type == EXPR_TEXT && *v->text)
			text_add(&where, "%s = %s: ", p->variable[i], v->text);
		else if (v->type == EXPR_NUMBER && v->number != 0)
			text_add(&where, "%s = %.15g: ", p->variable[i], v->number);
	}
	char a[40], b[40];
	figure(a, sizeof(a), left->number, unit);
	figure(b, sizeof(b), right->number, unit);
	text_add(&t->comparisons, "%s%.*s: %s against %s: %s\n", text_get(&where),
		 n->end - n->begin, p->source + n->begin, a, b, truth ? "holds" : "does not hold");
	struct text *summary = truth ? &t->last_held : &t->first_failed;
	if (truth)
		summary->length = 0;
	if (!summary->length)
		text_add(summary, "%s%s against %s", text_get(&where), a, b);
	text_free(&where);
}

void expr_trace_free(struct expr_trace *t)
{
	text_free(&t->values);
	text_free(&t->comparisons);
	text_free(&t->missing);
	text_free(&t->reads);
	text_free(&t->first_failed);
	text_free(&t->last_held);
}

/* ---- what was read ---- */

const char *expr_read_first(const struct expr_trace *t)
{
	return text_get(&t->reads);
}

bool expr_read_next(const char **at, struct expr_read *read)
{
	const char *tab = strchr(*at, '\t'), *end = tab ? strchr(tab, '\n') : NULL;
	if (!end)
		return false;
	read->times = **at == '~';
	snprintf(read->counter, sizeof(read->counter), "%.*s", (int)(tab - *at - 1), *at + 1);
	snprintf(read->pattern, sizeof(read->pattern), "%.*s", (int)(end - tab - 1), tab + 1);
	*at = end + 1;
	return true;
}

static enum expr_reads reads_of_node(const struct expr *p, const struct expr_node *n)
{
	if (n->op == OP_TERM)
		return expr_reads(p->terms->term[n->slot].body);
	if (n->op == OP_AXIS || n->op == OP_NAMES)
		return EXPR_READS_COUNTS;
	if (n->op != OP_STATISTIC)
		return EXPR_READS_NOTHING;
	struct expr_unit unit = n->text ? unit_of_statistic(n, n->text) : (struct expr_unit){ 0 };
	return unit.seconds || unit.joules ? EXPR_READS_TIMES : EXPR_READS_COUNTS;
}

enum expr_reads expr_reads(const struct expr *p)
{
	enum expr_reads most = EXPR_READS_NOTHING;
	for (size_t i = 0; i < p->nodes; i++) {
		enum expr_reads reads = reads_of_node(p, &p->node[i]);
		most = reads > most ? reads : most;
	}
	return most;
}

bool expr_reads_simulated(const struct expr *p)
{
	for (size_t i = 0; i < p->nodes; i++) {
		const struct expr_node *n = &p->node[i];
		if (n->op == OP_SIMULATED ||
		    (n->op == OP_TERM && expr_reads_simulated(p->terms->term[n->slot].body)))
			return true;
	}
	return false;
}

/* ---- evaluation ---- */

enum { REPLICATES = 200 };

/* The settings of one evaluation. */
struct run {
	struct expr_world *w;
	struct draw draw;
	struct expr_trace *trace;
	struct err *e;
};

/* An expression or term that is being evaluated, with the values of its variables. */
struct frame {
	const struct expr *p;
	struct expr_value slot[EXPR_SLOTS];
};

static int eval(struct run *r, struct frame *f, int node, struct expr_value *out);

static int eval_statistic(struct run *r, struct frame *f, const struct expr_node *n,
			  struct expr_value *out)
{
	struct expr_value pattern, counter;
	struct found result;
	const char *of = n->text;
	int status = eval(r, f, n->child, &pattern);
	if (!status && !of) {
		status = eval(r, f, f->p->node[n->child].next, &counter);
		of = counter.text;
	}
	if (!status)
		status = statistic_of(r->w, pattern.text, of, (enum expr_statistic)n->slot,
				      &r->draw, &result, r->e);
	if (status)
		return status;
	out->number = result.value;
	out->missing = isnan(result.value);
	if (r->trace)
		out->unit = unit_of_statistic(n, of);
	if (out->missing)
		trace_missing(r->trace, pattern.text, of);
	else
		trace_statistic(r->trace, n, pattern.text, of, &result);
	return 0;
}

/* ---- texts, the paper, terms ---- */

/* Formats a number for a name. Whole numbers, the usual case, have a fast path, because a bootstrap
 * formats millions of them. */
static void number_text(char *out, size_t size, double value)
{
	char digits[24];
	size_t at = sizeof(digits) - 1;
	if (!(value >= 0 && value < 1e15 && value == floor(value))) {
		snprintf(out, size, "%.15g", value);
		return;
	}
	uint64_t left = (uint64_t)value;
	digits[at] = '\0';
	do
		digits[--at] = (char)('0' + left % 10);
	while (left /= 10);
	memcpy(out, digits + at, sizeof(digits) - at);
}

static int eval_pattern(struct run *r, struct frame *f, const struct expr_node *n,
			struct expr_value *out)
{
	size_t length = 0;
	for (int i = n->child; i != NO_NODE; i = f->p->node[i].next) {
		const struct expr_node *part = &f->p->node[i];
		const struct expr_value *v = &f->slot[part->slot];
		char number[32];
		const char *text = part->op == OP_LITERAL ? part->text : v->text;
		if (part->op == OP_VARIABLE && v->type == EXPR_NUMBER) {
			number_text(number, sizeof(number), v->number);
			text = number;
		}
		int more = snprintf(out->text + length, sizeof(out->text) - length, "%s", text);
		length += (size_t)more;
		if (length >= sizeof(out->text))
			return err_set(r->e, ERR_INPUT, "a text has more than %zu characters",
				       sizeof(out->text) - 1);
	}
	return 0;
}

static bool is_key(const char *cell, const struct expr_value *key)
{
	char *end;
	if (key->type == EXPR_TEXT)
		return !strcmp(cell, key->text);
	double number = strtod(cell, &end);
	return *cell && !*end && number == key->number;
}

/* The cell of one of `count` tables, or NULL if there is none. */
static const char *table_cell(const struct expr_printed_table *tables, size_t count,
			      const char *table, const char *column, const struct expr_value *key)
{
	for (size_t i = 0; i < count; i++) {
		const struct csv *c = &tables[i].csv;
		int at = strcmp(tables[i].name, table) ? -1 : csv_column(c, column);
		for (size_t row = 0; at >= 0 && row < c->rows; row++)
			if (is_key(csv_cell(c, row, 0), key))
				return csv_cell(c, row, at);
	}
	return NULL;
}

/* A cell of a table of the paper, or of a simulated one. */
static int eval_cell(struct run *r, struct frame *f, const struct expr_node *n,
		     struct expr_value *out)
{
	static const struct expr_printed nothing = { 0 };
	const struct expr_printed *p = r->w->printed ? r->w->printed : &nothing;
	bool simulated = n->op == OP_SIMULATED;
	struct expr_value part[3];
	int child = n->child, status = 0;
	for (int i = 0; i < 3 && !status; i++, child = f->p->node[child].next)
		status = eval(r, f, child, &part[i]);
	if (status)
		return status;
	const char *cell = part[2].missing ? NULL :
					     table_cell(simulated ? p->simulation : p->table,
							simulated ? p->simulations : p->count,
							part[0].text, part[1].text, &part[2]);
	char *end = NULL;
	out->number = cell ? strtod(cell, &end) : 0;
	out->missing = !cell || !*cell || *end || !isfinite(out->number);
	if (out->missing)
		trace_missing(r->trace, simulated ? "the simulated table " : "the paper's table ",
			      part[0].text);
	return 0;
}

static int eval_term(struct run *r, struct frame *f, const struct expr_node *n,
		     struct expr_value *out)
{
	struct frame *inner = calloc(1, sizeof(*inner));
	int status = 0, i = 0;
	if (!inner)
		return err_set(r->e, ERR_MEMORY, "out of memory");
	inner->p = f->p->terms->term[n->slot].body;
	for (int child = n->child; child != NO_NODE && !status; child = f->p->node[child].next)
		status = eval(r, f, child, &inner->slot[i++]);
	if (!status)
		status = eval(r, inner, inner->p->root, out);
	free(inner);
	return status;
}

/* ---- operators ---- */

static bool compare(enum expr_op op, double a, double b)
{
	return op == OP_LESS          ? a < b :
	       op == OP_LESS_EQUAL    ? a <= b :
	       op == OP_GREATER       ? a > b :
	       op == OP_GREATER_EQUAL ? a >= b :
	       op == OP_EQUAL         ? a == b :
					a != b;
}

static int eval_binary(struct run *r, struct frame *f, const struct expr_node *n,
		       struct expr_value *out)
{
	struct expr_value a, b;
	int status = eval(r, f, n->child, &a);
	if (!status)
		status = eval(r, f, f->p->node[n->child].next, &b);
	if (status)
		return status;
	out->missing = a.missing || b.missing || (n->op == OP_DIVIDE && b.number == 0);
	if (out->missing)
		return 0;
	if (n->type == EXPR_TRUTH) {
		out->truth = compare(n->op, a.number, b.number);
		trace_comparison(r->trace, f->p, f->slot, n, &a, &b, out->truth);
	} else {
		out->unit = n->op == OP_MULTIPLY || n->op == OP_DIVIDE ?
				    unit_product(a.unit, b.unit, n->op == OP_DIVIDE ? -1 : 1) :
				    unit_common(a.unit, b.unit);
		out->number = n->op == OP_ADD      ? a.number + b.number :
			      n->op == OP_SUBTRACT ? a.number - b.number :
			      n->op == OP_MULTIPLY ? a.number * b.number :
						     a.number / b.number;
	}
	return 0;
}

/* Both sides are always evaluated, so that the trace lists everything that is missing. */
static int eval_logic(struct run *r, struct frame *f, const struct expr_node *n,
		      struct expr_value *out)
{
	struct expr_value a, b;
	bool decisive = n->op == OP_OR;
	int status = eval(r, f, n->child, &a);
	if (!status)
		status = eval(r, f, f->p->node[n->child].next, &b);
	if (status)
		return status;
	bool decided = (!a.missing && a.truth == decisive) || (!b.missing && b.truth == decisive);
	out->missing = !decided && (a.missing || b.missing);
	out->truth = decided ? decisive : !decisive;
	return 0;
}

static int eval_within(struct run *r, struct frame *f, const struct expr_node *n,
		       struct expr_value *out)
{
	struct expr_value v[3];
	int child = n->child, status = 0;
	for (int i = 0; i < 3 && !status; i++, child = f->p->node[child].next)
		status = eval(r, f, child, &v[i]);
	if (status)
		return status;
	out->missing = v[0].missing || v[1].missing || v[2].missing;
	if (out->missing)
		return 0;
	out->truth = fabs(v[0].number - v[1].number) <= v[2].number * fabs(v[1].number);
	trace_comparison(r->trace, f->p, f->slot, n, &v[0], &v[1], out->truth);
	return 0;
}

static int eval_log(struct run *r, struct frame *f, const struct expr_node *n,
		    struct expr_value *out)
{
	int status = eval(r, f, n->child, out);
	out->missing = out->missing || !(out->number > 0);
	out->number = out->missing ? 0 : log(out->number);
	out->unit = (struct expr_unit){ 0 };
	return status;
}

static int eval_if(struct run *r, struct frame *f, const struct expr_node *n,
		   struct expr_value *out)
{
	struct expr_value holds;
	int status = eval(r, f, n->child, &holds);
	if (!status)
		status = eval(r, f, f->p->node[n->child].next, out);
	out->missing = out->missing || holds.missing || !holds.truth;
	return status;
}

static int eval_first(struct run *r, struct frame *f, const struct expr_node *n,
		      struct expr_value *out)
{
	/* Records only the alternative that has a value. If none has a value, records what the
	 * first alternative lacks. */
	struct expr_trace *trace = r->trace;
	struct text gap = { 0 };
	bool all = r->w->set->alternatives;
	int status = 0;
	out->missing = true;
	for (int i = n->child; i != NO_NODE && (out->missing || all) && !status;
	     i = f->p->node[i].next) {
		struct expr_trace own = { 0 };
		r->trace = trace ? &own : NULL;
		status = eval(r, f, i, out);
		r->trace = trace;
		if (trace && (!out->missing || i == n->child)) {
			text_add(&trace->values, "%s", text_get(&own.values));
			text_add(&trace->reads, "%s", text_get(&own.reads));
			if (out->missing)
				text_add(&gap, "%s", text_get(&own.missing));
		}
		expr_trace_free(&own);
	}
	if (trace && out->missing)
		text_add(&trace->missing, "%s", text_get(&gap));
	text_free(&gap);
	return status;
}

/* ---- sets, and functions over their members ---- */

static int by_value(const void *a, const void *b)
{
	const struct expr_value *x = a, *y = b;
	if (x->type == EXPR_TEXT)
		return strcmp(x->text, y->text);
	return (x->number > y->number) - (x->number < y->number);
}

static bool capture_value(const struct name_capture *c, enum expr_type type, struct expr_value *v)
{
	char *end;
	*v = (struct expr_value){ .type = type };
	if (c->length >= sizeof(v->text))
		return false;
	memcpy(v->text, c->at, c->length);
	if (type == EXPR_TEXT)
		return true;
	v->number = strtod(v->text, &end);
	return !*end;
}

static int add_member(struct run *r, struct expr_value **members, size_t *count,
		      const struct expr_value *v)
{
	int status = array_grow((void **)members, *count, sizeof(*v), r->e);
	if (!status)
		(*members)[(*count)++] = *v;
	return status;
}

static int measured_members(struct run *r, struct frame *f, const struct expr_node *n,
			    struct expr_value **members, size_t *count)
{
	struct expr_value pattern;
	int status = eval(r, f, n->child, &pattern);
	for (size_t i = 0; i < r->w->set->benches && !status; i++) {
		struct name_capture c;
		struct expr_value v;
		if (name_match(pattern.text, r->w->set->bench[i].name, &c) &&
		    capture_value(&c, n->member, &v))
			status = add_member(r, members, count, &v);
	}
	if (!status && !*count)
		trace_missing(r->trace, pattern.text, "");
	return status;
}

static size_t sort_once(struct expr_value *members, size_t count)
{
	size_t kept = 0;
	if (count)
		qsort(members, count, sizeof(*members), by_value);
	for (size_t i = 0; i < count; i++)
		if (!kept || by_value(&members[kept - 1], &members[i]) != 0)
			members[kept++] = members[i];
	return kept;
}

/* Appends the members of the set. The caller frees the array, also after an error. */
static int members_of(struct run *r, struct frame *f, int node, struct expr_value **members,
		      size_t *count)
{
	const struct expr_node *n = &f->p->node[node];
	int status = 0;
	if (n->op == OP_LIST) {
		for (int i = n->child; i != NO_NODE && !status; i = f->p->node[i].next) {
			struct expr_value v;
			status = eval(r, f, i, &v);
			if (!status && !v.missing)
				status = add_member(r, members, count, &v);
		}
		return status;
	}
	if (n->op == OP_UNION) {
		status = members_of(r, f, n->child, members, count);
		if (!status)
			status = members_of(r, f, f->p->node[n->child].next, members, count);
	} else {
		status = measured_members(r, f, n, members, count);
	}
	*count = sort_once(*members, *count);
	return status;
}

static void fold(enum expr_op op, const struct expr_value *v, struct expr_value *out)
{
	bool truth = op == OP_ALL || op == OP_ANY, decisive = op == OP_ANY;
	if (truth) {
		/* a decisive member decides the result; until then, a missing one makes it
		 * missing */
		if (!v->missing && v->truth == decisive) {
			out->truth = decisive;
			out->missing = false;
		} else if (out->truth != decisive && v->missing) {
			out->missing = true;
		}
		return;
	}
	if (v->missing)
		return;
	out->unit = out->missing ? v->unit : unit_common(out->unit, v->unit);
	if (out->missing || (op == OP_LARGEST ? v->number > out->number : v->number < out->number))
		out->number = v->number;
	out->missing = false;
}

static void fold_monotone(struct run *r, const struct frame *f, const struct expr_node *n,
			  const struct expr_value *before, const struct expr_value *v,
			  double tolerance, struct expr_value *out)
{
	if (v->missing || before->missing) {
		out->missing = out->missing || out->truth;
		return;
	}
	bool rises = v->number >= before->number - tolerance * fabs(before->number);
	trace_comparison(r->trace, f->p, f->slot, n, before, v, rises);
	if (!rises) {
		out->truth = false;
		out->missing = false;
	}
}

static int eval_over(struct run *r, struct frame *f, const struct expr_node *n,
		     struct expr_value *out)
{
	struct expr_value *members = NULL, v, before = { 0 }, tolerance = { 0 };
	size_t count = 0;
	int body = f->p->node[n->child].next, status = members_of(r, f, n->child, &members, &count);
	if (!status && n->op == OP_MONOTONE)
		status = eval(r, f, f->p->node[body].next, &tolerance);
	out->truth = n->op == OP_ALL || n->op == OP_MONOTONE;
	out->missing = n->op == OP_LARGEST || n->op == OP_SMALLEST || !count || tolerance.missing;
	for (size_t i = 0; i < count && !status; i++) {
		f->slot[n->slot] = members[i];
		status = eval(r, f, body, &v);
		if (n->op != OP_MONOTONE)
			fold(n->op, &v, out);
		else if (i > 0)
			fold_monotone(r, f, n, &before, &v, tolerance.number, out);
		before = v;
	}
	f->slot[n->slot] = (struct expr_value){ 0 };
	free(members);
	return status;
}

/* ---- all nodes ---- */

static int eval(struct run *r, struct frame *f, int node, struct expr_value *out)
{
	const struct expr_node *n = &f->p->node[node];
	int status;
	*out = (struct expr_value){ .type = n->type };
	switch (n->op) {
	case OP_NUMBER:
		out->number = n->number;
		return 0;
	case OP_VARIABLE:
		*out = f->slot[n->slot];
		return 0;
	case OP_PATTERN:
		return eval_pattern(r, f, n, out);
	case OP_STATISTIC:
		return eval_statistic(r, f, n, out);
	case OP_PAPER:
	case OP_SIMULATED:
		return eval_cell(r, f, n, out);
	case OP_TERM:
		return eval_term(r, f, n, out);
	case OP_WITHIN:
		return eval_within(r, f, n, out);
	case OP_FIRST:
		return eval_first(r, f, n, out);
	case OP_IF:
		return eval_if(r, f, n, out);
	case OP_LOG:
		return eval_log(r, f, n, out);
	case OP_AND:
	case OP_OR:
		return eval_logic(r, f, n, out);
	case OP_NEGATE:
	case OP_NOT:
		status = eval(r, f, n->child, out);
		out->number = -out->number;
		out->truth = !out->truth;
		return status;
	case OP_ALL:
	case OP_ANY:
	case OP_MONOTONE:
	case OP_LARGEST:
	case OP_SMALLEST:
		return eval_over(r, f, n, out);
	default:
		return eval_binary(r, f, n, out);
	}
}

static void set_arguments(struct frame *f, const struct expr *p, const struct expr_value *args,
			  size_t count)
{
	*f = (struct frame){ .p = p };
	for (size_t i = 0; args && i < count; i++)
		f->slot[i] = args[i];
}

int expr_eval(const struct expr *p, struct expr_world *w, const struct expr_value *args,
	      const struct expr_sample *sample, struct expr_trace *trace, struct expr_value *out,
	      struct err *e)
{
	struct frame f;
	struct run r = { .w = w, .trace = trace, .e = e };
	if (sample)
		r.draw = (struct draw){ .replicate = sample->replicate, .seeds = sample->seeds };
	set_arguments(&f, p, args, p->params);
	return eval(&r, &f, p->root, out);
}

int expr_eval_set(const struct expr *p, struct expr_world *w, const struct expr_value *args,
		  struct expr_value **members, size_t *count, struct err *e)
{
	struct frame f;
	struct run r = { .w = w, .e = e };
	set_arguments(&f, p, args, p->params);
	*members = NULL;
	*count = 0;
	int status = members_of(&r, &f, p->root, members, count);
	if (status) {
		free(*members);
		*members = NULL;
	}
	return status;
}

bool expr_interval(const struct expr *p, struct expr_world *w, const struct expr_value *args,
		   double *low, double *high)
{
	double values[REPLICATES];
	struct frame f;
	set_arguments(&f, p, args, p->params);
	for (unsigned i = 0; i < REPLICATES; i++) {
		struct run r = { .w = w, .draw = { .replicate = i + 1, .benchmarks = true } };
		struct expr_value v;
		if (eval(&r, &f, p->root, &v) || v.missing)
			return false;
		values[i] = v.number;
	}
	*low = stat_quantile(values, REPLICATES, 0.025);
	*high = stat_quantile(values, REPLICATES, 0.975);
	return *high > *low;
}
