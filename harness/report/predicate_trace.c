#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/report/predicate_trace.h"
#include "harness/report/predicate_unit.h"

static void add_once(struct text *t, const struct text *line)
{
	if (!strstr(text_get(t), text_get(line)))
		text_add(t, "%s", text_get(line));
}

struct pred_unit statistic_unit(const struct pred_node *n, const char *counter)
{
	return n->slot == STAT_COUNT ? (struct pred_unit){ .known = true } :
				       unit_of_counter(counter);
}

void trace_statistic(struct pred_trace *t, const struct pred_node *n, const char *pattern,
		     const char *counter, const struct world_result *result)
{
	size_t count = result->benchmarks, runs = result->runs;
	struct text line = { 0 };
	if (!t)
		return;
	text_add(&line, "%s %s%s of %s = %.6g%s (%zu benchmark%s, %zu run%s)\n",
		 pred_statistic_names[n->slot], *counter ? "of counter " : "time", counter, pattern,
		 result->value, unit_text(statistic_unit(n, counter)), count, count == 1 ? "" : "s",
		 runs, runs == 1 ? "" : "s");
	add_once(&t->values, &line);
	line.length = 0;
	text_add(&line, "|%s\t%s\n", counter, pattern);
	add_once(&t->reads, &line);
	text_free(&line);
}

void trace_missing(struct pred_trace *t, const char *pattern, const char *counter)
{
	struct text line = { 0 };
	if (!t)
		return;
	text_add(&line, "%s%s%s\n", pattern, *counter ? " : " : "", counter);
	add_once(&t->missing, &line);
	text_free(&line);
}

/* Four digits, without a power of ten where the number is large. */
static void figure(char *out, size_t size, double value, const char *unit)
{
	bool large = fabs(value) >= 1e4 && fabs(value) < 1e9;
	snprintf(out, size, large ? "%.0f%s" : "%.4g%s", value, unit);
}

void trace_comparison(struct pred_trace *t, const struct pred *p, const struct pred_value *slot,
		      const struct pred_node *n, const struct pred_value *left,
		      const struct pred_value *right, bool truth)
{
	struct text where = { 0 };
	const char *unit = unit_text(unit_common(left->unit, right->unit));
	if (!t)
		return;
	for (size_t i = p->params; i < p->variables; i++) {
		const struct pred_value *v = &slot[i];
		if (v->type == PRED_TEXT && *v->text)
			text_add(&where, "%s = %s: ", p->variable[i], v->text);
		else if (v->type == PRED_NUMBER && v->number != 0)
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

void pred_trace_free(struct pred_trace *t)
{
	text_free(&t->values);
	text_free(&t->comparisons);
	text_free(&t->missing);
	text_free(&t->reads);
	text_free(&t->first_failed);
	text_free(&t->last_held);
}
