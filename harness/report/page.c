#include "page.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../ceilings.h"
#include "emit.h"
#include "format.h"
#include "markdown.h"
#include "svg.h"

static const char *const verdict_marks[VERDICTS] = { "good", "bad", "unsure", "open" };

static void escaped(struct text *t, const char *s)
{
	text_add_escaped(t, s, TEXT_HTML);
}

static void origin_tag(const struct result_set *set, struct text *t)
{
	struct text origin = { 0 };
	machine_origin(set, &origin);
	machine_gpus(set, (text_add(&origin, " · "), &origin));
	if (!strcmp(text_get(&origin) + origin.length - strlen(" · "), " · "))
		text_add(&origin, "no GPU");
	text_add(t, "<div class=\"origin %s\">", set->recorded ? "recorded" : "here");
	escaped(t, text_get(&origin));
	text_add(t, "</div>\n");
	text_free(&origin);
}

/* ---- the first page ---- */

static const char *fact_of(const struct result_set *set, const char *name)
{
	const char *value = NULL;
	for (size_t i = 0; i < set->files && !value; i++)
		value = result_fact(&set->file[i], name);
	return value ? value : "";
}

static size_t count_verdicts(const struct study *s, const struct study_machine *m, enum verdict v)
{
	size_t count = 0;
	for (size_t i = 0; i < s->claims.count; i++)
		count += m->judgement[i].verdict == v;
	return count;
}

static void card_runs(const struct result_set *set, struct text *t)
{
	size_t runs = 0, failed = 0;
	for (size_t i = 0; i < set->benches; i++)
		runs += set->bench[i].runs;
	for (size_t i = 0; i < set->skips; i++)
		failed += set->skip[i].failed;
	text_add(t, "<p>%zu benchmarks, %zu runs; %zu skipped", set->benches, runs,
		 set->skips - failed);
	if (failed)
		text_add(t, "; <strong class=\"bad\">%zu failed</strong>", failed);
	text_add(t, "</p>");
	for (size_t i = 0; i < set->files; i++) {
		text_add(t, "<p class=\"note\">");
		escaped(t, set->file[i].scale);
		text_add(t, ", ");
		escaped(t, set->file[i].date);
		text_add(t, "</p>");
	}
}

static void card(const struct study *s, const struct study_machine *m, struct text *t)
{
	static const char *const words[VERDICTS] = { "confirmed", "refuted", "ambiguous",
						     "not tested" };
	struct text gpus = { 0 };
	machine_gpus(m->set, &gpus);
	text_add(t, "<div class=\"card %s\"><p class=\"big\">",
		 m->set->recorded ? "recorded" : "here");
	text_add(t, m->set->recorded ? "Recorded on " : "Measured here, on ");
	escaped(t, m->set->machine);
	text_add(t, "</p><p>");
	escaped(t, gpus.length ? text_get(&gpus) : "no GPU");
	text_add(t, "</p><p>");
	escaped(t, fact_of(m->set, "cpu_model"));
	text_add(t, "</p>");
	card_runs(m->set, t);
	text_add(t, "<p>Claims: ");
	for (int v = 0; v < VERDICTS; v++)
		text_add(t, "<span class=\"%s\">%zu %s</span>%s", verdict_marks[v],
			 count_verdicts(s, m, (enum verdict)v), words[v],
			 v + 1 < VERDICTS ? ", " : "");
	text_add(t, "</p></div>\n");
	text_free(&gpus);
}

/* The machine that decided most claims: what the summary speaks of first. */
static const struct study_machine *best_machine(const struct study *s)
{
	const struct study_machine *best = NULL;
	for (size_t i = 0; i < s->machines; i++)
		if (!best || count_verdicts(s, &s->machine[i], VERDICT_NOT_TESTED) <
				     count_verdicts(s, best, VERDICT_NOT_TESTED))
			best = &s->machine[i];
	return best;
}

static void claim_list(const struct study *s, const struct study_machine *m, enum verdict v,
		       const char *heading, struct text *t)
{
	if (!count_verdicts(s, m, v))
		return;
	text_add(t, "<h4 class=\"%s\">%s</h4>\n<ul>\n", verdict_marks[v], heading);
	for (size_t i = 0; i < s->claims.count; i++) {
		const struct claim *c = &s->claims.claim[i];
		if (m->judgement[i].verdict != v)
			continue;
		text_add(t, "<li><a href=\"#claim-%s-", s->target);
		escaped(t, c->id);
		text_add(t, "\">");
		escaped(t, c->id);
		text_add(t, "</a> (%s) ", c->class);
		escaped(t, c->text);
		const struct text *gist = v == VERDICT_REFUTED ? &m->judgement[i].trace.first_failed
							       : &m->judgement[i].trace.last_held;
		if (v != VERDICT_NOT_TESTED && gist->length) {
			text_add(t, " <span class=\"soft\">(");
			escaped(t, text_get(gist));
			text_add(t, ")</span>");
		}
		text_add(t, "</li>\n");
	}
	text_add(t, "</ul>\n");
}

/* What was decided on a machine; what was not, only for the machine that decided most. */
static void machine_claims(const struct study *s, const struct study_machine *m, bool best,
			   struct text *t)
{
	if (!s->claims.count ||
	    (!best && count_verdicts(s, m, VERDICT_NOT_TESTED) == s->claims.count))
		return;
	origin_tag(m->set, t);
	claim_list(s, m, VERDICT_CONFIRMED, "Reproduced", t);
	claim_list(s, m, VERDICT_REFUTED, "Not reproduced", t);
	claim_list(s, m, VERDICT_AMBIGUOUS, "Too noisy to tell: counts as not reproduced", t);
	if (best)
		claim_list(s, m, VERDICT_NOT_TESTED, "Not tested: counts as not reproduced", t);
}

static void summary(const struct study *s, struct text *t)
{
	const struct study_machine *best = best_machine(s);
	text_add(t, "<h2 id=\"%s\">%s: what was reproduced</h2>\n", s->target, s->target);
	if (!best) {
		text_add(t, "<p>Nothing has been measured yet.</p>\n");
		return;
	}
	text_add(t, "<div class=\"cards\">\n");
	for (size_t i = 0; i < s->machines; i++)
		card(s, &s->machine[i], t);
	text_add(t, "</div>\n");
	if (s->claims.count)
		text_add(t, "<h3>The paper's claims</h3>\n");
	for (size_t i = 0; i < s->machines; i++)
		machine_claims(s, &s->machine[i], &s->machine[i] == best, t);
	if (s->findings.length) {
		text_add(t, "<h3>Findings</h3>\n");
		markdown_html(text_get(&s->findings), t);
	}
}

/* ---- tables ---- */

static void notes(const struct table *table, struct text *t)
{
	const char *at = table->notes ? table->notes : "";
	while (*at) {
		size_t length = strcspn(at, "\n");
		struct text one = { 0 };
		text_add_n(&one, at, length);
		text_add(t, "<div class=\"note\">");
		markdown_html(text_get(&one), t);
		text_add(t, "</div>\n");
		text_free(&one);
		at += length + (at[length] == '\n');
	}
}

static int drawing(const struct study *s, size_t machine, const struct table *table,
		   const char *out, struct text *t, struct err *e)
{
	char path[PATH_MAX], prefix[64];
	int status = emit_svg_path(path, out, s, table, s->machine[machine].set, e);
	if (status)
		return status;
	if (access(path, F_OK) != 0) {
		text_add(t,
			 "<p class=\"note\">The plot is missing: gnuplot was not found, or failed, "
			 "when this report was made. Its data are in <code>");
		escaped(t, path);
		text_add(t, "</code> (.dat, .gp).</p>\n");
		return 0;
	}
	snprintf(prefix, sizeof(prefix), "%.40s-%zu", table->id, machine);
	text_add(t, "<div class=\"plot\">");
	status = svg_inline(path, prefix, t, e);
	text_add(t, "</div>\n");
	return status;
}

static int table_on(const struct study *s, size_t machine, size_t index, const char *out,
		    struct text *t, struct err *e)
{
	const struct grid *g = &s->machine[machine].grid[index];
	struct sheet sheet;
	struct text absent = { 0 };
	if (!g->measured)
		return 0;
	int status = grid_sheet(g, &sheet, &absent, e);
	if (status)
		return status;
	origin_tag(s->machine[machine].set, t);
	sheet_write(&sheet, t, TEXT_HTML);
	if (absent.length) {
		text_add(t, "<p class=\"note\">Not measured on this machine: ");
		escaped(t, text_get(&absent));
		text_add(t, ".</p>\n");
	}
	if (grid_has_plot(g))
		status = drawing(s, machine, g->table, out, t, e);
	sheet_free(&sheet);
	text_free(&absent);
	return status;
}

static int tables(const struct study *s, const char *out, struct text *t, struct err *e)
{
	int status = 0;
	if (!s->tables.count)
		return 0;
	text_add(t, "<h2 id=\"%s-tables\">%s: tables and figures</h2>\n", s->target, s->target);
	text_add(t, "<p class=\"note\">Every ratio is between measurements of one machine. The "
		    "paper's own figures are <span class=\"paper\">in italics</span>. Point at a "
		    "figure for its 95 %% interval.</p>\n");
	for (size_t i = 0; i < s->tables.count && !status; i++) {
		const struct table *table = &s->tables.table[i];
		bool any = false;
		text_add(t, "<h3 id=\"%s-%s\">", s->target, table->id);
		escaped(t, table->title);
		text_add(t, "</h3>\n");
		notes(table, t);
		for (size_t m = 0; m < s->machines && !status; m++) {
			any = any || s->machine[m].grid[i].measured;
			status = table_on(s, m, i, out, t, e);
		}
		if (!any)
			text_add(t, "<p class=\"note\">Not measured on any machine yet.</p>\n");
	}
	return status;
}

/* ---- claims ---- */

static void lines(const char *heading, const struct text *body, struct text *t)
{
	if (!body->length)
		return;
	text_add(t, "<p class=\"note\">%s</p><pre>", heading);
	escaped(t, text_get(body));
	text_add(t, "</pre>\n");
}

static void evidence(const struct study_machine *m, size_t claim, struct text *t)
{
	const struct judgement *j = &m->judgement[claim];
	struct text origin = { 0 };
	machine_origin(m->set, &origin);
	text_add(t, "<details><summary><strong class=\"%s\">%s</strong> ",
		 verdict_marks[j->verdict], verdict_names[j->verdict]);
	escaped(t, text_get(&origin));
	if (j->verdict != VERDICT_NOT_TESTED)
		text_add(t, " <span class=\"soft\">(%.0f %% of bootstrap samples agree)</span>",
			 j->agreement * 100);
	text_add(t, "</summary>\n");
	lines("Missing:", &j->needs, t);
	lines("Comparisons:", &j->trace.comparisons, t);
	lines("Measured:", &j->trace.values, t);
	text_add(t, "</details>\n");
	text_free(&origin);
}

static void one_claim(const struct study *s, size_t index, struct text *t)
{
	const struct claim *c = &s->claims.claim[index];
	text_add(t, "<h4 id=\"claim-%s-", s->target);
	escaped(t, c->id);
	text_add(t, "\">");
	escaped(t, c->id);
	text_add(t, " · ");
	escaped(t, c->text);
	text_add(t, "</h4>\n<p class=\"note\">");
	escaped(t, c->section);
	text_add(t, "; class %s", c->class);
	if (!isnan(c->tolerance))
		text_add(t, "; tolerance %g", c->tolerance);
	text_add(t, "; predicate <code>");
	escaped(t, c->source);
	text_add(t, "</code></p>\n");
	if (*c->remark) {
		text_add(t, "<p class=\"note\">");
		escaped(t, c->remark);
		text_add(t, "</p>\n");
	}
	for (size_t m = 0; m < s->machines; m++)
		evidence(&s->machine[m], index, t);
}

static int claims(const struct study *s, struct text *t, struct err *e)
{
	struct sheet sheet;
	if (!s->claims.count)
		return 0;
	text_add(t, "<h2 id=\"%s-claims\">%s: claims</h2>\n", s->target, s->target);
	text_add(
	    t, "<p class=\"note\">A claim is CONFIRMED or REFUTED when at least 95 %% of 1000 "
	       "bootstrap samples of the repetitions agree, else AMBIGUOUS; it is NOT TESTED when "
	       "a measurement is missing: smaller scales leave out the instances that take longest, "
	       "and claims about these need SCALE=paper. A time measured once counts as known to "
	       "5 %%. AMBIGUOUS and NOT TESTED never count as reproduced. A claim of class "
	       "<em>absolute</em> is a figure of the paper's own hardware: REFUTED there means "
	       "that this machine differs, not that the paper was wrong.</p>\n");
	int status = emit_claims_sheet(s, &sheet, e);
	if (status)
		return status;
	sheet_write(&sheet, t, TEXT_HTML);
	sheet_free(&sheet);
	text_add(t, "<h3>Evidence</h3>\n");
	for (size_t i = 0; i < s->claims.count; i++)
		one_claim(s, i, t);
	if (s->terms->count) {
		text_add(t,
			 "<details><summary>Terms used in predicates and tables</summary>\n<pre>");
		for (size_t i = 0; i < s->terms->count; i++) {
			const struct pred_term *term = &s->terms->term[i];
			text_add(t, "%s: ", term->name);
			escaped(t, term->meaning);
			text_add(t, "\n    ");
			escaped(t, term->source);
			text_add(t, "\n");
		}
		text_add(t, "</pre></details>\n");
	}
	return 0;
}

/* ---- environment, what was skipped ---- */

static void facts(const struct result_file *f, struct text *t)
{
	text_add(t, "<details><summary>");
	escaped(t, f->scale);
	text_add(t, ", ");
	escaped(t, f->date);
	text_add(t, " <code>");
	escaped(t, f->path);
	text_add(t, "</code></summary>\n<div class=\"scroll\"><table class=\"env\"><tbody>\n");
	for (size_t i = 0; i < f->facts; i++) {
		text_add(t, "<tr><td class=\"l\">");
		escaped(t, f->fact[i].name);
		text_add(t, "</td><td class=\"l\">");
		escaped(t, f->fact[i].value);
		text_add(t, "</td></tr>\n");
	}
	text_add(t, "</tbody></table></div></details>\n");
}

static void ceilings(const struct result_file *f, struct text *t)
{
	if (!f->path)
		return;
	text_add(t, "<details><summary>Ceilings, measured ");
	escaped(t, f->date);
	text_add(t, ": what floors are computed from</summary>\n<div class=\"scroll\">"
		    "<table class=\"env\"><tbody>\n");
	for (enum ceiling c = 0; c < CEILINGS; c++) {
		const char *value = result_fact(f, ceilings_name(c));
		char shown[64];
		if (!value)
			continue;
		format_unit(shown, sizeof(shown), strtod(value, NULL), ceilings_unit(c));
		text_add(t, "<tr><td class=\"l\">");
		escaped(t, ceilings_text(c));
		text_add(t, "</td><td>%s</td></tr>\n", shown);
	}
	text_add(t, "</tbody></table></div></details>\n");
}

static bool reason_is_new(const struct result_set *set, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (!strcmp(set->skip[i].reason, set->skip[index].reason))
			return false;
	return true;
}

/* What was skipped, gathered by reason. */
static void skipped(const struct result_set *set, struct text *t)
{
	for (size_t i = 0; i < set->skips; i++) {
		size_t count = 0;
		if (!reason_is_new(set, i))
			continue;
		for (size_t k = i; k < set->skips; k++)
			count += !strcmp(set->skip[k].reason, set->skip[i].reason);
		text_add(t, "<details><summary>%zu %s: ", count,
			 set->skip[i].failed ? "FAILED" : "skipped");
		escaped(t, set->skip[i].reason);
		text_add(t, "</summary>\n<pre>");
		for (size_t k = i; k < set->skips; k++) {
			if (strcmp(set->skip[k].reason, set->skip[i].reason) != 0)
				continue;
			escaped(t, set->skip[k].name);
			text_add(t, "\n");
		}
		text_add(t, "</pre></details>\n");
	}
}

static void environment(const struct study *s, struct text *t)
{
	text_add(t, "<h2 id=\"%s-environment\">%s: environment, and what was skipped</h2>\n",
		 s->target, s->target);
	for (size_t m = 0; m < s->machines; m++) {
		const struct result_set *set = s->machine[m].set;
		origin_tag(set, t);
		for (size_t i = 0; i < set->files; i++)
			facts(&set->file[i], t);
		ceilings(&set->ceilings, t);
		skipped(set, t);
		if (!set->skips)
			text_add(t, "<p class=\"note\">Nothing was skipped.</p>\n");
	}
}

/* ---- the page ---- */

static void head(const struct study *studies, size_t count, const struct results *r, struct text *t)
{
	char when[64] = "";
	time_t now = time(NULL);
	struct tm utc;
	if (gmtime_r(&now, &utc))
		strftime(when, sizeof(when), "%Y-%m-%d %H:%M UTC", &utc);
	text_add(
	    t,
	    "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n"
	    "<meta charset=\"utf-8\"/>\n"
	    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
	    "<title>copra report</title>\n<style>\n%s</style>\n</head>\n<body>\n",
	    page_style);
	text_add(t, "<h1>copra report</h1>\n<p class=\"soft\">Combinatorial Optimisation Papers, "
		    "Reproduced and Accelerated. Written %s.</p>\n<nav>\n",
		 when);
	for (size_t i = 0; i < count; i++)
		text_add(t,
			 "<a href=\"#%s\">%s</a><a href=\"#%s-tables\">tables</a>"
			 "<a href=\"#%s-claims\">claims</a><a "
			 "href=\"#%s-environment\">environment</a>\n",
			 studies[i].target, studies[i].target, studies[i].target, studies[i].target,
			 studies[i].target);
	text_add(t, "</nav>\n");
	for (size_t i = 0; i < r->problems; i++) {
		text_add(t, "<p class=\"bad\">Could not be read, and is left out: ");
		escaped(t, r->problem[i]);
		text_add(t, "</p>\n");
	}
}

int page_write(const struct study *studies, size_t count, const struct results *r, const char *out,
	       struct err *e)
{
	char path[PATH_MAX];
	struct text t = { 0 };
	int status = text_path(path, e, "%s/report.html", out);
	head(studies, count, r, &t);
	for (size_t i = 0; i < count && !status; i++) {
		summary(&studies[i], &t);
		status = tables(&studies[i], out, &t, e);
		if (!status)
			status = claims(&studies[i], &t, e);
		environment(&studies[i], &t);
	}
	text_add(&t, "</body>\n</html>\n");
	if (!status)
		status = text_save(&t, path, e);
	text_free(&t);
	return status;
}
