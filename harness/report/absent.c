#include "harness/report/absent.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/report/pattern.h"

/* More reasons of one column than these are not told: the skips themselves are listed elsewhere. */
enum { REASONS = 3 };

/* The machine as if everything had been run: what was skipped is there, without a time. Row sets
 * that are read off the measurements then have the rows that should have been measured. */
struct ghost {
	struct result_set set;
	struct pred_world *w;
};

static double no_time[] = { NAN };

static void ghost_destroy(struct ghost *g)
{
	pred_world_destroy(g->w);
	free(g->set.bench);
}

static int ghost_create(struct ghost *g, const struct result_set *set,
			const struct pred_papers *papers, struct err *e)
{
	*g = (struct ghost){ .set = *set };
	g->set.bench = calloc(set->benches + set->skips + 1, sizeof(*g->set.bench));
	if (!g->set.bench)
		return err_set(e, ERR_MEMORY, "out of memory");
	for (size_t i = 0; i < set->benches; i++)
		g->set.bench[i] = set->bench[i];
	for (size_t i = 0; i < set->skips; i++)
		g->set.bench[g->set.benches++] = (struct result_bench){ .name = set->skip[i].name,
									.runs = 1,
									.seconds = no_time };
	int status = pred_world_create(&g->w, &g->set, papers, e);
	if (status)
		ghost_destroy(g);
	return status;
}

/* ---- one column ---- */

struct search {
	const struct result_set *set;
	struct ghost *ghost;
	const struct pred *expression;
	size_t reasons;
	char reason[REASONS][256];
};

static void add_reason(struct search *s, const char *reason)
{
	for (size_t i = 0; i < s->reasons; i++)
		if (!strcmp(s->reason[i], reason))
			return;
	if (s->reasons < REASONS)
		snprintf(s->reason[s->reasons++], sizeof(s->reason[0]), "%s", reason);
}

/* Leaves out the numbers that differ from case to case, so that such cases share one reason. */
static void add_skip(struct search *s, const struct result_skip *skip)
{
	const struct skip *why = &skip->why;
	char reason[sizeof(s->reason[0])];
	if (!skip->failed && why->reason == SKIP_TOO_LONG)
		snprintf(reason, sizeof(reason), "longer than the %g s of --copra_longest",
			 why->available);
	else if (!skip->failed && why->reason == SKIP_NEEDS_GPUS && why->available > 0)
		snprintf(reason, sizeof(reason), "needs %g GPUs", why->needed);
	else
		snprintf(reason, sizeof(reason), "%s", skip->message);
	add_reason(s, reason);
}

/* Of what a pattern selects, everything that was skipped tells its reason; rows that were measured
 * lack the counter. */
static void reasons_of(struct search *s, const char *pattern)
{
	for (size_t i = 0; i < s->set->benches; i++)
		if (pattern_match(pattern, s->set->bench[i].name, NULL))
			add_reason(s, "not recorded");
	for (size_t i = 0; i < s->set->skips && s->reasons < REASONS; i++)
		if (pattern_match(pattern, s->set->skip[i].name, NULL))
			add_skip(s, &s->set->skip[i]);
}

/* Lines of a trace: "pattern" or "pattern : counter". */
static int search_lines(struct search *s, const char *missing, struct err *e)
{
	int status = 0;
	while (*missing && !status) {
		struct text pattern = { 0 };
		size_t length = strcspn(missing, "\n");
		text_add_n(&pattern, missing, length);
		if (!(status = text_ok(&pattern, e)) && pattern.length) {
			char *counter = strstr(pattern.data, " : ");
			if (counter)
				*counter = '\0';
			reasons_of(s, pattern.data);
		}
		text_free(&pattern);
		missing += length + (missing[length] == '\n');
	}
	return status;
}

static int search_row(void *ctx, const struct pred_value *key, struct err *e)
{
	struct search *s = ctx;
	struct pred_trace trace = { 0 };
	struct pred_value v;
	if (s->reasons == REASONS)
		return 0;
	int status = pred_eval(s->expression, s->ghost->w, key, 0, &trace, &v, e);
	if (!status)
		status = search_lines(s, text_get(&trace.missing), e);
	pred_trace_free(&trace);
	return status;
}

static int explain_column(struct grid *g, size_t column, struct search *s, struct err *e)
{
	struct text all = { 0 };
	s->expression = g->table->column[column].expression;
	s->reasons = 0;
	int status = grid_each_row(g->table, s->ghost->w, search_row, s, e);
	for (size_t i = 0; i < s->reasons; i++)
		text_add(&all, "%s%s", i ? " / " : "", s->reason[i]);
	if (!s->reasons)
		text_add(&all, "no part of these runs");
	if (!status)
		status = text_ok(&all, e);
	if (!status)
		g->absent[column] = all.data;
	else
		text_free(&all);
	return status;
}

static int explain_grid(struct grid *g, struct search *s, struct err *e)
{
	const struct table *t = g->table;
	int status = 0;
	g->absent = calloc(t->columns, sizeof(*g->absent));
	if (!g->absent)
		return err_set(e, ERR_MEMORY, "out of memory");
	for (size_t i = 0; i < t->columns && !status; i++) {
		if (t->column[i].paper || !grid_column_is_empty(g, i))
			continue;
		status = t->never ? text_copy(&g->absent[i], t->never, e) :
				    explain_column(g, i, s, e);
	}
	return status;
}

int absent_explain(struct grid *grids, size_t count, const struct result_set *set,
		   const struct pred_papers *papers, struct err *e)
{
	struct ghost ghost;
	int status = ghost_create(&ghost, set, papers, e);
	if (status)
		return status;
	struct search s = { .set = set, .ghost = &ghost };
	for (size_t i = 0; i < count && !status; i++)
		status = explain_grid(&grids[i], &s, e);
	ghost_destroy(&ghost);
	return status;
}

/* ---- as a line ---- */

static bool is_first_of_its_reason(const struct grid *g, size_t column)
{
	for (size_t i = 0; i < column; i++)
		if (g->absent[i] && !strcmp(g->absent[i], g->absent[column]))
			return false;
	return true;
}

static void add_headings(const struct grid *g, const char *reason, struct text *out)
{
	const char *between = " (";
	for (size_t i = 0; i < g->table->columns; i++) {
		if (!g->absent[i] || strcmp(g->absent[i], reason) != 0)
			continue;
		text_add(out, "%s%s", between, g->table->column[i].heading);
		between = " · ";
	}
	text_add(out, ")");
}

/* Is it one of the parts, which `between` separates? */
static bool has_part(const char *list, const char *part, size_t length, const char *between)
{
	while (*list) {
		const char *end = strstr(list, between);
		size_t n = end ? (size_t)(end - list) : strlen(list);
		if (n == length && !strncmp(list, part, n))
			return true;
		list += end ? n + strlen(between) : n;
	}
	return false;
}

/* Where nothing was measured each single reason counts once, whatever columns it holds for. */
static void add_single(const char *reasons, struct text *out)
{
	while (*reasons) {
		const char *end = strstr(reasons, " / ");
		size_t n = end ? (size_t)(end - reasons) : strlen(reasons);
		if (!has_part(text_get(out), reasons, n, "; ")) {
			text_add(out, "%s", out->length ? "; " : "");
			text_add_n(out, reasons, n);
		}
		reasons += end ? n + 3 : n;
	}
}

void grid_untested(const struct grid *g, struct text *out)
{
	for (size_t i = 0; g->absent && i < g->table->columns; i++) {
		if (!g->absent[i])
			continue;
		if (!g->measured) {
			add_single(g->absent[i], out);
		} else if (is_first_of_its_reason(g, i)) {
			text_add(out, "%s%s", out->length ? "; " : "", g->absent[i]);
			add_headings(g, g->absent[i], out);
		}
	}
}
