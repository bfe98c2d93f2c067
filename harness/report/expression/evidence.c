/* The evidence that an evaluation leaves, and the units of its numbers. */
#include "harness/report/expression/tree.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool ends_in(const char *name, const char *word)
{
	size_t length = strlen(name), tail = strlen(word);
	if (length < tail || strcmp(name + length - tail, word) != 0)
		return false;
	return length == tail || name[length - tail - 1] == '_';
}

struct expr_unit expr_unit_of_counter(const char *counter)
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

struct expr_unit expr_unit_product(struct expr_unit a, struct expr_unit b, int sign)
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

struct expr_unit expr_unit_common(struct expr_unit a, struct expr_unit b)
{
	if (!a.known || !b.known)
		return a.known ? a : b;
	return same(a, b) ? a : (struct expr_unit){ 0 };
}

const char *expr_unit_text(struct expr_unit u)
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

static void add_once(struct text *t, const struct text *line)
{
	if (!strstr(text_get(t), text_get(line)))
		text_add(t, "%s", text_get(line));
}

struct expr_unit expr_unit_of_statistic(const struct expr_node *n, const char *counter)
{
	return n->slot == STAT_COUNT ? (struct expr_unit){ .known = true } :
				       expr_unit_of_counter(counter);
}

void expr_trace_statistic(struct expr_trace *t, const struct expr_node *n, const char *pattern,
			  const char *counter, const struct expr_result *result)
{
	size_t count = result->benchmarks, runs = result->runs;
	struct text line = { 0 };
	if (!t)
		return;
	text_add(&line, "%s %s%s of %s = %.6g%s (%zu benchmark%s, %zu run%s)\n",
		 expr_statistic_names[n->slot], *counter ? "of counter " : "time", counter, pattern,
		 result->value, expr_unit_text(expr_unit_of_statistic(n, counter)), count,
		 count == 1 ? "" : "s", runs, runs == 1 ? "" : "s");
	add_once(&t->values, &line);
	line.length = 0;
	text_add(&line, "|%s\t%s\n", counter, pattern);
	add_once(&t->reads, &line);
	text_free(&line);
}

void expr_trace_missing(struct expr_trace *t, const char *pattern, const char *counter)
{
	struct text line = { 0 };
	if (!t)
		return;
	text_add(&line, "%s%s%s\n", pattern, *counter ? " : " : "", counter);
	add_once(&t->missing, &line);
	text_free(&line);
}

/* Four digits; large numbers without a power of ten. */
static void figure(char *out, size_t size, double value, const char *unit)
{
	bool large = fabs(value) >= 1e4 && fabs(value) < 1e9;
	snprintf(out, size, large ? "%.0f%s" : "%.4g%s", value, unit);
}

void expr_trace_comparison(struct expr_trace *t, const struct expr *p,
			   const struct expr_value *slot, const struct expr_node *n,
			   const struct expr_value *left, const struct expr_value *right,
			   bool truth)
{
	struct text where = { 0 };
	const char *unit = expr_unit_text(expr_unit_common(left->unit, right->unit));
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
	struct text *gist = truth ? &t->last_held : &t->first_failed;
	if (truth)
		gist->length = 0;
	if (!gist->length)
		text_add(gist, "%s%s against %s", text_get(&where), a, b);
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
