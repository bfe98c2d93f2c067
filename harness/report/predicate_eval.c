#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../hash.h"
#include "../rng.h"
#include "../stats.h"
#include "pattern.h"
#include "predicate_private.h"

enum { REPLICATES = 200 };

/* Relative, to either side; predicate.h says so. */
static const double ASSUMED_NOISE = 0.05;

/* The benchmarks that a pattern selects, found once. */
struct selection {
	char *pattern;
	size_t count;
	size_t *bench;
};

struct pred_world {
	const struct result_set *set;
	const struct pred_papers *papers;
	size_t selections;
	struct selection *selection;
	double *scratch; /* room for the runs of a benchmark, or one value a benchmark */
};

/* One evaluation. */
struct run {
	struct pred_world *w;
	unsigned replicate;
	struct pred_trace *trace;
	struct err *e;
	bool assume_noise; /* of times that were measured once */
};

/* One expression or term with the values of its variables. */
struct frame {
	const struct pred *p;
	struct pred_value slot[PRED_SLOTS];
};

static int eval(struct run *r, struct frame *f, int node, struct pred_value *out);

/* ---- the world ---- */

int pred_world_create(struct pred_world **out, const struct result_set *set,
		      const struct pred_papers *papers, struct err *e)
{
	size_t most = set->benches;
	for (size_t i = 0; i < set->benches; i++)
		most = set->bench[i].runs > most ? set->bench[i].runs : most;
	struct pred_world *w = calloc(1, sizeof(*w));
	double *scratch = calloc(2 * most + 1, sizeof(double));
	if (!w || !scratch) {
		free(w);
		free(scratch);
		return err_set(e, ERR_MEMORY, "out of memory");
	}
	*w = (struct pred_world){ .set = set, .papers = papers, .scratch = scratch };
	*out = w;
	return 0;
}

void pred_world_destroy(struct pred_world *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->selections; i++) {
		free(w->selection[i].pattern);
		free(w->selection[i].bench);
	}
	free(w->selection);
	free(w->scratch);
	free(w);
}

static int find_selection(struct pred_world *w, const char *pattern, size_t *index, struct err *e)
{
	for (size_t i = 0; i < w->selections; i++)
		if (!strcmp(w->selection[i].pattern, pattern)) {
			*index = i;
			return 0;
		}
	int status = array_grow((void **)&w->selection, w->selections, sizeof(*w->selection), e);
	if (status)
		return status;
	struct selection *s = &w->selection[w->selections];
	*s = (struct selection){ 0 };
	if ((status = text_copy(&s->pattern, pattern, e)))
		return status;
	*index = w->selections++;
	for (size_t i = 0; i < w->set->benches; i++) {
		if (!pattern_match(pattern, w->set->bench[i].name, NULL))
			continue;
		if ((status = array_grow((void **)&s->bench, s->count, sizeof(size_t), e)))
			return status;
		s->bench[s->count++] = i;
	}
	return 0;
}

/* ---- statistics ---- */

static struct rng random_of(const char *name, unsigned replicate)
{
	return rng_seeded(hash_u64(hash_text(HASH_INIT, name), replicate));
}

/* The median over the runs that have the value, drawn anew in a replicate; NaN where none has. */
static double reduce_runs(struct run *r, const struct result_bench *b, const double *values)
{
	double *scratch = r->w->scratch + r->w->set->benches;
	size_t count = 0;
	struct rng random = random_of(b->name, r->replicate);
	for (size_t i = 0; i < b->runs; i++) {
		size_t pick = r->replicate ? (size_t)rng_below(&random, b->runs) : i;
		if (!isnan(values[pick]))
			scratch[count++] = values[pick];
	}
	return stat_median(scratch, count);
}

static double combine(const double *values, size_t count, enum pred_statistic which)
{
	return which == STAT_MEAN     ? stat_mean(values, count)
	       : which == STAT_MEDIAN ? stat_median(values, count)
	       : which == STAT_MIN    ? stat_min(values, count)
	       : which == STAT_MAX    ? stat_max(values, count)
				      : stat_mean(values, count) * (double)count;
}

/* One value a benchmark into the scratch; returns how many have one. */
static size_t gather(struct run *r, const struct selection *s, const char *counter, size_t *runs)
{
	const struct result_set *set = r->w->set;
	size_t count = 0;
	bool repeated = s->count == 1;
	for (size_t i = 0; i < s->count; i++)
		repeated = repeated || set->bench[s->bench[i]].runs > 1;
	struct rng random = random_of(s->pattern, r->replicate);
	for (size_t i = 0; i < s->count; i++) {
		size_t pick = r->replicate && !repeated ? (size_t)rng_below(&random, s->count) : i;
		const struct result_bench *b = &set->bench[s->bench[pick]];
		const double *values = result_values(b, counter);
		double value = values ? reduce_runs(r, b, values) : NAN;
		if (r->replicate && r->assume_noise && s->count == 1 && b->runs == 1 && !*counter)
			value *= 1 + ASSUMED_NOISE * (2 * rng_unit(&random) - 1);
		*runs += b->runs;
		if (!isnan(value))
			r->w->scratch[count++] = value;
	}
	return count;
}

static void trace_statistic(struct run *r, const struct pred_node *n, const char *pattern,
			    double value, size_t count, size_t runs)
{
	struct text line = { 0 };
	if (!r->trace)
		return;
	text_add(&line, "%s %s%s of %s = %.6g%s (%zu benchmark%s, %zu run%s)\n",
		 pred_statistic_names[n->slot], *n->text ? "of counter " : "time", n->text, pattern,
		 value, *n->text ? "" : " s", count, count == 1 ? "" : "s", runs,
		 runs == 1 ? "" : "s");
	if (!strstr(text_get(&r->trace->values), text_get(&line)))
		text_add(&r->trace->values, "%s", text_get(&line));
	text_free(&line);
}

static void trace_missing(struct run *r, const char *pattern, const char *counter)
{
	struct text line = { 0 };
	if (!r->trace)
		return;
	text_add(&line, "%s%s%s\n", pattern, *counter ? " : " : "", counter);
	if (!strstr(text_get(&r->trace->missing), text_get(&line)))
		text_add(&r->trace->missing, "%s", text_get(&line));
	text_free(&line);
}

static int eval_statistic(struct run *r, struct frame *f, const struct pred_node *n,
			  struct pred_value *out)
{
	struct pred_value pattern;
	size_t index, runs = 0;
	int status = eval(r, f, n->child, &pattern);
	if (!status)
		status = find_selection(r->w, pattern.text, &index, r->e);
	if (status)
		return status;
	size_t count = gather(r, &r->w->selection[index], n->text, &runs);
	if (n->slot == STAT_COUNT) {
		out->number = (double)count;
	} else if (!count) {
		out->missing = true;
		trace_missing(r, pattern.text, n->text);
		return 0;
	} else {
		out->number = combine(r->w->scratch, count, (enum pred_statistic)n->slot);
	}
	trace_statistic(r, n, pattern.text, out->number, count, runs);
	return 0;
}

/* ---- texts, the paper, terms ---- */

static int eval_pattern(struct run *r, struct frame *f, const struct pred_node *n,
			struct pred_value *out)
{
	size_t length = 0;
	for (int i = n->child; i != NO_NODE; i = f->p->node[i].next) {
		const struct pred_node *part = &f->p->node[i];
		const struct pred_value *v = &f->slot[part->slot];
		char number[32];
		const char *text = part->op == OP_LITERAL ? part->text : v->text;
		if (part->op == OP_VARIABLE && v->type == PRED_NUMBER) {
			snprintf(number, sizeof(number), "%.15g", v->number);
			text = number;
		}
		int more = snprintf(out->text + length, sizeof(out->text) - length, "%s", text);
		length += (size_t)more;
		if (length >= sizeof(out->text))
			return err_set(r->e, ERR_INPUT, "a text longer than %zu characters",
				       sizeof(out->text) - 1);
	}
	return 0;
}

static bool is_key(const char *cell, const struct pred_value *key)
{
	char *end;
	if (key->type == PRED_TEXT)
		return !strcmp(cell, key->text);
	double number = strtod(cell, &end);
	return *cell && !*end && number == key->number;
}

/* The cell, or NULL where the paper has none. */
static const char *paper_cell(const struct pred_papers *papers, const char *table,
			      const char *column, const struct pred_value *key)
{
	for (size_t i = 0; papers && i < papers->count; i++) {
		const struct csv *c = &papers->paper[i].csv;
		int at = strcmp(papers->paper[i].name, table) ? -1 : csv_column(c, column);
		for (size_t row = 0; at >= 0 && row < c->rows; row++)
			if (is_key(csv_cell(c, row, 0), key))
				return csv_cell(c, row, at);
	}
	return NULL;
}

static int eval_paper(struct run *r, struct frame *f, const struct pred_node *n,
		      struct pred_value *out)
{
	struct pred_value part[3];
	int child = n->child, status = 0;
	for (int i = 0; i < 3 && !status; i++, child = f->p->node[child].next)
		status = eval(r, f, child, &part[i]);
	if (status)
		return status;
	const char *cell = part[2].missing ? NULL
					   : paper_cell(r->w->papers, part[0].text, part[1].text,
							&part[2]);
	char *end = NULL;
	out->number = cell ? strtod(cell, &end) : 0;
	out->missing = !cell || !*cell || *end || !isfinite(out->number);
	if (out->missing)
		trace_missing(r, "the paper's table ", part[0].text);
	return 0;
}

static int eval_term(struct run *r, struct frame *f, const struct pred_node *n,
		     struct pred_value *out)
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

/* Four digits, without a power of ten where the number is large. */
static void figure(char *out, size_t size, double value)
{
	bool large = fabs(value) >= 1e4 && fabs(value) < 1e9;
	snprintf(out, size, large ? "%.0f" : "%.4g", value);
}

static void trace_comparison(struct run *r, const struct frame *f, const struct pred_node *n,
			     double left, double right, bool truth)
{
	struct text where = { 0 };
	if (!r->trace)
		return;
	for (size_t i = f->p->params; i < f->p->variables; i++) {
		const struct pred_value *v = &f->slot[i];
		if (v->type == PRED_TEXT && *v->text)
			text_add(&where, "%s = %s: ", f->p->variable[i], v->text);
		else if (v->type == PRED_NUMBER && v->number != 0)
			text_add(&where, "%s = %.15g: ", f->p->variable[i], v->number);
	}
	char a[32], b[32];
	figure(a, sizeof(a), left);
	figure(b, sizeof(b), right);
	text_add(&r->trace->comparisons, "%s%.*s: %s against %s: %s\n", text_get(&where),
		 n->end - n->begin, f->p->source + n->begin, a, b,
		 truth ? "holds" : "does not hold");
	struct text *gist = truth ? &r->trace->last_held : &r->trace->first_failed;
	if (truth)
		gist->length = 0;
	if (!gist->length)
		text_add(gist, "%s%s against %s", text_get(&where), a, b);
	text_free(&where);
}

static bool compare(enum pred_op op, double a, double b)
{
	return op == OP_LESS            ? a < b
	       : op == OP_LESS_EQUAL    ? a <= b
	       : op == OP_GREATER       ? a > b
	       : op == OP_GREATER_EQUAL ? a >= b
	       : op == OP_EQUAL         ? a == b
					: a != b;
}

static int eval_binary(struct run *r, struct frame *f, const struct pred_node *n,
		       struct pred_value *out)
{
	struct pred_value a, b;
	int status = eval(r, f, n->child, &a);
	if (!status)
		status = eval(r, f, f->p->node[n->child].next, &b);
	if (status)
		return status;
	out->missing = a.missing || b.missing || (n->op == OP_DIVIDE && b.number == 0);
	if (out->missing)
		return 0;
	if (n->type == PRED_TRUTH) {
		out->truth = compare(n->op, a.number, b.number);
		trace_comparison(r, f, n, a.number, b.number, out->truth);
	} else {
		out->number = n->op == OP_ADD        ? a.number + b.number
			      : n->op == OP_SUBTRACT ? a.number - b.number
			      : n->op == OP_MULTIPLY ? a.number * b.number
						     : a.number / b.number;
	}
	return 0;
}

/* Both sides are always evaluated, so that the trace names all that is missing. */
static int eval_logic(struct run *r, struct frame *f, const struct pred_node *n,
		      struct pred_value *out)
{
	struct pred_value a, b;
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

static int eval_within(struct run *r, struct frame *f, const struct pred_node *n,
		       struct pred_value *out)
{
	struct pred_value v[3];
	int child = n->child, status = 0;
	for (int i = 0; i < 3 && !status; i++, child = f->p->node[child].next)
		status = eval(r, f, child, &v[i]);
	if (status)
		return status;
	out->missing = v[0].missing || v[1].missing || v[2].missing;
	if (out->missing)
		return 0;
	out->truth = fabs(v[0].number - v[1].number) <= v[2].number * fabs(v[1].number);
	trace_comparison(r, f, n, v[0].number, v[1].number, out->truth);
	return 0;
}

static int eval_first(struct run *r, struct frame *f, const struct pred_node *n,
		      struct pred_value *out)
{
	/* an alternative that is missing is no gap when another is there */
	struct pred_trace *trace = r->trace;
	int status = 0;
	out->missing = true;
	for (int i = n->child; i != NO_NODE && out->missing && !status; i = f->p->node[i].next) {
		struct pred_trace own = { 0 };
		r->trace = trace ? &own : NULL;
		status = eval(r, f, i, out);
		r->trace = trace;
		if (trace && (!out->missing || i == n->child)) {
			text_add(&trace->values, "%s", text_get(&own.values));
			if (out->missing)
				text_add(&trace->missing, "%s", text_get(&own.missing));
		}
		pred_trace_free(&own);
	}
	return status;
}

/* ---- over a set ---- */

static int by_value(const void *a, const void *b)
{
	const struct pred_value *x = a, *y = b;
	if (x->type == PRED_TEXT)
		return strcmp(x->text, y->text);
	return (x->number > y->number) - (x->number < y->number);
}

static bool capture_value(const struct pattern_capture *c, enum pred_type type,
			  struct pred_value *v)
{
	char *end;
	*v = (struct pred_value){ .type = type };
	if (c->length >= sizeof(v->text))
		return false;
	memcpy(v->text, c->at, c->length);
	if (type == PRED_TEXT)
		return true;
	v->number = strtod(v->text, &end);
	return !*end;
}

static int add_member(struct run *r, struct pred_value **members, size_t *count,
		      const struct pred_value *v)
{
	int status = array_grow((void **)members, *count, sizeof(*v), r->e);
	if (!status)
		(*members)[(*count)++] = *v;
	return status;
}

static int measured_members(struct run *r, struct frame *f, const struct pred_node *n,
			    struct pred_value **members, size_t *count)
{
	struct pred_value pattern;
	int status = eval(r, f, n->child, &pattern);
	for (size_t i = 0; i < r->w->set->benches && !status; i++) {
		struct pattern_capture c;
		struct pred_value v;
		if (pattern_match(pattern.text, r->w->set->bench[i].name, &c) &&
		    capture_value(&c, n->member, &v))
			status = add_member(r, members, count, &v);
	}
	if (!status && !*count)
		trace_missing(r, pattern.text, "");
	return status;
}

static size_t sort_once(struct pred_value *members, size_t count)
{
	size_t kept = 0;
	if (count)
		qsort(members, count, sizeof(*members), by_value);
	for (size_t i = 0; i < count; i++)
		if (!kept || by_value(&members[kept - 1], &members[i]) != 0)
			members[kept++] = members[i];
	return kept;
}

/* Appends the members; the caller frees them also on failure. */
static int members_of(struct run *r, struct frame *f, int node, struct pred_value **members,
		      size_t *count)
{
	const struct pred_node *n = &f->p->node[node];
	int status = 0;
	if (n->op == OP_LIST) {
		for (int i = n->child; i != NO_NODE && !status; i = f->p->node[i].next) {
			struct pred_value v;
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

static void fold(enum pred_op op, const struct pred_value *v, struct pred_value *out)
{
	bool truth = op == OP_ALL || op == OP_ANY, decisive = op == OP_ANY;
	if (truth) {
		/* decided values stay; a missing one leaves it open */
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
	if (out->missing || (op == OP_LARGEST ? v->number > out->number : v->number < out->number))
		out->number = v->number;
	out->missing = false;
}

static void fold_monotone(struct run *r, const struct frame *f, const struct pred_node *n,
			  const struct pred_value *before, const struct pred_value *v,
			  double tolerance, struct pred_value *out)
{
	if (v->missing || before->missing) {
		out->missing = out->missing || out->truth;
		return;
	}
	bool rises = v->number >= before->number - tolerance * fabs(before->number);
	trace_comparison(r, f, n, before->number, v->number, rises);
	if (!rises) {
		out->truth = false;
		out->missing = false;
	}
}

static int eval_over(struct run *r, struct frame *f, const struct pred_node *n,
		     struct pred_value *out)
{
	struct pred_value *members = NULL, v, before = { 0 }, tolerance = { 0 };
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
	f->slot[n->slot] = (struct pred_value){ 0 };
	free(members);
	return status;
}

/* ---- */

static int eval(struct run *r, struct frame *f, int node, struct pred_value *out)
{
	const struct pred_node *n = &f->p->node[node];
	int status;
	*out = (struct pred_value){ .type = n->type };
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
		return eval_paper(r, f, n, out);
	case OP_TERM:
		return eval_term(r, f, n, out);
	case OP_WITHIN:
		return eval_within(r, f, n, out);
	case OP_FIRST:
		return eval_first(r, f, n, out);
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

static void set_arguments(struct frame *f, const struct pred *p, const struct pred_value *args,
			  size_t count)
{
	*f = (struct frame){ .p = p };
	for (size_t i = 0; args && i < count; i++)
		f->slot[i] = args[i];
}

int pred_eval(const struct pred *p, struct pred_world *w, const struct pred_value *args,
	      unsigned replicate, struct pred_trace *trace, struct pred_value *out, struct err *e)
{
	struct frame f;
	struct run r = { w, replicate, trace, e, true };
	set_arguments(&f, p, args, p->params);
	return eval(&r, &f, p->root, out);
}

int pred_eval_set(const struct pred *p, struct pred_world *w, const struct pred_value *args,
		  struct pred_value **members, size_t *count, struct err *e)
{
	struct frame f;
	struct run r = { w, 0, NULL, e, false };
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

bool pred_interval(const struct pred *p, struct pred_world *w, const struct pred_value *args,
		   double *low, double *high)
{
	double values[REPLICATES];
	struct frame f;
	set_arguments(&f, p, args, p->params);
	for (unsigned i = 0; i < REPLICATES; i++) {
		struct run r = { w, i + 1, NULL, NULL, false };
		struct pred_value v;
		if (eval(&r, &f, p->root, &v) || v.missing)
			return false;
		values[i] = v.number;
	}
	*low = stat_quantile(values, REPLICATES, 0.025);
	*high = stat_quantile(values, REPLICATES, 0.975);
	return *high > *low;
}

void pred_trace_free(struct pred_trace *t)
{
	text_free(&t->values);
	text_free(&t->comparisons);
	text_free(&t->missing);
	text_free(&t->first_failed);
	text_free(&t->last_held);
}
