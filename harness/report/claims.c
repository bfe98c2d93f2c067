/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/report/claims.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/report/data/blocks.h"
#include "harness/report/data/results.h"

enum { SAMPLES = 1000, LISTED = 20 };

const char *const verdict_marks[VERDICTS] = { "good", "bad",    "unsure", "good",
					      "bad",  "unsure", "open" };
const char *const verdict_names[VERDICTS] = { "REPRODUCED",          "NOT REPRODUCED",
					      "DOES NOT CARRY OVER", "PAPER CONSISTENT",
					      "PAPER INCONSISTENT",  "INCONCLUSIVE",
					      "NOT TESTED" };
const char *const verdict_meanings[VERDICTS] = {
	"The sentence holds in our measurements, and in at least 95 % of 1000 bootstrap samples of "
	"them.",
	"Our measurements, on a machine that has what the claim needs, contradict the sentence.",
	"The sentence is about the paper's hardware. It does not hold on ours, for a reason that "
	"was measured.",
	"The numbers printed in the paper agree with the sentence.",
	"The numbers printed in the paper contradict the sentence.",
	"The measurements vary too much: fewer than 95 % of the bootstrap samples agree, or a "
	"condition that the claim states is not met.",
	"No machine that meets the claim's needs has measured its rows often enough. Counts must "
	"be measured once and times five times; runs of random instances of one class are added "
	"up. The evidence of the claim lists what is missing.",
};
const char *const claim_kind_names[CLAIM_KINDS] = { "measured", "arithmetic", "ours" };
const char *const claim_decided_names[] = { "counts", "times" };
static const char *const need_names[CLAIM_NEEDS] = { "gpus", "cores", "nodes" };
static const char *const need_words[CLAIM_NEEDS] = { "GPU", "core", "node" };

/* ---- claims.txt ---- */

enum {
	C_CLAIM,
	C_WHERE,
	C_SAYS,
	C_KIND,
	C_DECIDED,
	C_NEEDS,
	C_TOLERANCE,
	C_TEST,
	C_RELIABLE,
	C_HARDWARE,
	C_REASON,
	C_NOTE
};
static const char *const keys[] = { "claim",   "where",      "says", "kind",      "?decided",
				    "?needs",  "?tolerance", "test", "?reliable", "?hardware",
				    "?reason", "?note",      NULL };
static const struct expr_param tolerance_param[] = { { "tolerance", EXPR_NUMBER } };

struct reader {
	struct claims *all;
	const struct expr_terms *terms;
};

/* The index of the field's value among the names, or -1. */
static int index_of(const char *value, const char *const *names, int count)
{
	for (int i = 0; i < count; i++)
		if (!strcmp(value, names[i]))
			return i;
	return -1;
}

static int read_kind(struct claim *c, const struct block *b, struct err *e)
{
	int kind = index_of(block_get(b, C_KIND), claim_kind_names, CLAIM_KINDS);
	int decided = index_of(block_get(b, C_DECIDED), claim_decided_names, DECIDED_NOTHING);
	if (kind < 0)
		return block_fail(b, C_KIND, 0, e, "unknown kind (measured, arithmetic or ours)");
	c->kind = (enum claim_kind)kind;
	c->decided = DECIDED_NOTHING;
	if (c->kind == CLAIM_ARITHMETIC)
		return *block_get(b, C_DECIDED) ?
			       block_fail(b, C_DECIDED, 0, e, "arithmetic is decided by no rows") :
			       0;
	if (decided < 0)
		return block_fail(b, C_DECIDED, 0, e,
				  "a claim is decided by 'counts' or by 'times'");
	c->decided = (enum claim_decided)decided;
	return 0;
}

/* Reads "gpus 8, cores 16". */
static int read_needs(struct claim *c, const struct block *b, struct err *e)
{
	static const char expected[] =
		"expected gpus, cores or nodes with a number, as in: gpus 8, cores 16";
	const char *value = block_get(b, C_NEEDS), *at = value;
	while (*at) {
		char name[8];
		int length = 0, need;
		long number = 0;
		size_t offset = (size_t)(at - value);
		if (sscanf(at, "%7[a-z] %ld %n", name, &number, &length) < 2 || !length ||
		    number < 1 || number > 1000000)
			return block_fail(b, C_NEEDS, offset, e, expected);
		need = index_of(name, need_names, CLAIM_NEEDS);
		if (need < 0 || c->needs[need])
			return block_fail(b, C_NEEDS, offset, e, expected);
		c->needs[need] = number;
		at += length;
		if (*at && (*at != ',' || !*(at += 1 + strspn(at + 1, " \t"))))
			return block_fail(b, C_NEEDS, (size_t)(at - value), e, expected);
	}
	return 0;
}

/* Reads "0.05: the reason", or the number alone. */
static int read_tolerance(struct claim *c, const struct block *b, struct err *e)
{
	const char *value = block_get(b, C_TOLERANCE);
	char *end;
	c->tolerance = NAN;
	if (!*value)
		return text_copy(&c->tolerance_reason, "", e);
	c->tolerance = strtod(value, &end);
	if (end == value || (*end && *end != ':') || !isfinite(c->tolerance) || c->tolerance < 0)
		return block_fail(b, C_TOLERANCE, 0, e, "the tolerance is not a number >= 0");
	end += *end == ':';
	return text_copy(&c->tolerance_reason, end + strspn(end, " \t"), e);
}

static int parse(struct expr **out, const struct claim *c, const struct reader *r,
		 const char *source, enum expr_type type, struct err *e)
{
	int status = expr_parse(out, source, r->terms, tolerance_param,
				isnan(c->tolerance) ? 0u : 1u, type, e);
	return status || !expr_reads_simulated(*out) ?
		       status :
		       err_set(e, ERR_INPUT, "column 1: simulated values decide no claim");
}

/* Checks that an expression reads what it may read. */
static int check_reads(const struct claim *c, const struct expr *p, const struct block *b,
		       size_t field, struct err *e)
{
	enum expr_reads reads = expr_reads(p);
	if (c->kind == CLAIM_ARITHMETIC && reads != EXPR_READS_NOTHING)
		return block_fail(b, field, 0, e, "arithmetic reads no rows, but this does");
	if (c->decided == DECIDED_COUNTS && reads == EXPR_READS_TIMES)
		return block_fail(b, field, 0, e, "decided by counts, but this reads times");
	return 0;
}

/* Reads the expression of a field, which may be missing, and its text. */
static int read_expression(struct claim *c, const struct block *b, const struct reader *r,
			   size_t field, char **source, struct expr **out, struct err *e)
{
	int status = text_copy(source, block_get(b, field), e);
	if (status || !**source)
		return status;
	if (field != C_TEST && c->kind == CLAIM_ARITHMETIC)
		return block_fail(b, field, 0, e, "arithmetic does not depend on measurements");
	if (parse(out, c, r, *source, EXPR_TRUTH, e))
		return block_fail_expression(b, field, 0, e);
	return check_reads(c, *out, b, field, e);
}

static int read_expressions(struct claim *c, const struct block *b, const struct reader *r,
			    struct err *e)
{
	int status = read_expression(c, b, r, C_TEST, &c->source, &c->test, e);
	if (!status)
		status = read_expression(c, b, r, C_RELIABLE, &c->reliable_source, &c->reliable, e);
	if (!status)
		status = read_expression(c, b, r, C_HARDWARE, &c->hardware_source, &c->hardware, e);
	return status;
}

/* The length of an expression in braces, which may have braces itself; 0 if it is not closed. */
static size_t braces(const char *at)
{
	int depth = 0;
	for (size_t i = 0; at[i]; i++) {
		depth += (at[i] == '{') - (at[i] == '}');
		if (!depth)
			return i + 1;
	}
	return 0;
}

/* Adds a part of the reason: `text` characters of `at`, and the expression in the braces after
 * them, if any. */
static int add_part(struct claim *c, const struct reader *r, const char *at, size_t text,
		    size_t value, struct err *e)
{
	struct text copy = { 0 };
	int status = array_grow((void **)&c->part, c->parts, sizeof(*c->part), e);
	if (status)
		return status;
	struct claim_part *part = &c->part[c->parts++];
	*part = (struct claim_part){ 0 };
	text_add_n(&copy, at, text);
	status = text_copy(&part->text, text_get(&copy), e);
	copy.length = 0;
	text_add(&copy, "%.*s", value ? (int)value - 2 : 0, at + text + !!value);
	if (!status && value)
		status = parse(&part->value, c, r, text_get(&copy), EXPR_NUMBER, e);
	text_free(&copy);
	return status;
}

static int read_reason(struct claim *c, const struct block *b, const struct reader *r,
		       struct err *e)
{
	const char *value = block_get(b, C_REASON), *at = value;
	if (*value && !c->hardware)
		return block_fail(b, C_REASON, 0, e, "a reason needs the field 'hardware'");
	while (*at) {
		size_t text = strcspn(at, "{"), length = at[text] ? braces(at + text) : 0;
		size_t offset = (size_t)(at - value) + text;
		if (at[text] && !length)
			return block_fail(b, C_REASON, offset, e, "no closing brace");
		if (add_part(c, r, at, text, length, e))
			return block_fail_expression(b, C_REASON, offset + 1, e);
		at += text + length;
	}
	return 0;
}

static void free_claim(struct claim *c)
{
	char *const texts[] = { c->id,
				c->where,
				c->says,
				c->note,
				c->source,
				c->reliable_source,
				c->hardware_source,
				c->tolerance_reason };
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		free(texts[i]);
	for (size_t i = 0; i < c->parts; i++) {
		free(c->part[i].text);
		expr_destroy(c->part[i].value);
	}
	free(c->part);
	expr_destroy(c->test);
	expr_destroy(c->reliable);
	expr_destroy(c->hardware);
}

static int fill_claim(struct claim *c, const struct block *b, const struct reader *r, struct err *e)
{
	int status;
	if ((status = text_copy(&c->id, block_get(b, C_CLAIM), e)) ||
	    (status = text_copy(&c->where, block_get(b, C_WHERE), e)) ||
	    (status = text_copy(&c->says, block_get(b, C_SAYS), e)) ||
	    (status = text_copy(&c->note, block_get(b, C_NOTE), e)) ||
	    (status = read_kind(c, b, e)) || (status = read_needs(c, b, e)) ||
	    (status = read_tolerance(c, b, e)) || (status = read_expressions(c, b, r, e)))
		return status;
	return read_reason(c, b, r, e);
}

static int add_claim(void *ctx, const struct block *b, struct err *e)
{
	struct reader *r = ctx;
	struct claims *all = r->all;
	struct claim claim = { 0 };
	for (size_t i = 0; i < all->count; i++)
		if (!strcmp(all->claim[i].id, block_get(b, C_CLAIM)))
			return block_fail(b, C_CLAIM, 0, e, "a second claim '%s'",
					  all->claim[i].id);
	int status = fill_claim(&claim, b, r, e);
	if (!status)
		status = array_grow((void **)&all->claim, all->count, sizeof(claim), e);
	if (status)
		free_claim(&claim);
	else
		all->claim[all->count++] = claim;
	return status;
}

int claims_read(struct claims *all, const char *path, const struct expr_terms *terms, struct err *e)
{
	struct reader r = { all, terms };
	*all = (struct claims){ 0 };
	int status = blocks_read(path, keys, add_claim, &r, e);
	if (status)
		claims_free(all);
	return status;
}

void claims_free(struct claims *all)
{
	for (size_t i = 0; i < all->count; i++)
		free_claim(&all->claim[i]);
	free(all->claim);
	*all = (struct claims){ 0 };
}

void claim_needs_text(const struct claim *c, struct text *out)
{
	const char *between = "";
	for (int i = 0; i < CLAIM_NEEDS; i++)
		if (c->needs[i]) {
			text_add(out, "%s%ld %s%s", between, c->needs[i], need_words[i],
				 c->needs[i] == 1 ? "" : "s");
			between = ", ";
		}
}

/* ---- what is missing ---- */

static void add_once(struct text *t, const char *line)
{
	if (!strstr(text_get(t), line))
		text_add(t, "%s", line);
}

/* Notes a gap; the one that is hardest to fill counts. */
static void add_gap(struct judgement *j, enum claim_gap gap)
{
	j->gap = gap > j->gap ? gap : j->gap;
}

/* Explains a missing "pattern" or "pattern : counter": a matching benchmark was skipped, or the
 * machine has fewer GPUs than the gpus: parameter in the pattern. */
static void explain(const char *missing, const struct result_set *set, struct text *needs)
{
	struct text line = { 0 }, pattern = { 0 };
	const char *counter = strstr(missing, " : ");
	int gpus = 0;
	text_add_n(&pattern, missing, counter ? (size_t)(counter - missing) : strlen(missing));
	for (size_t i = 0; i < set->skips && !line.length; i++)
		if (name_match(text_get(&pattern), set->skip[i].name, NULL))
			text_add(&line, "%s\n", set->skip[i].message);
	const char *asked = strstr(missing, "gpus:");
	if (!line.length && asked && sscanf(asked, "gpus:%d", &gpus) == 1 &&
	    gpus > results_gpus(set))
		text_add(&line, "needs %d CUDA device%s\n", gpus, gpus == 1 ? "" : "s");
	if (line.length)
		add_once(needs, text_get(&line));
	line.length = 0;
	text_add(&line, "no row: %s\n", missing);
	add_once(needs, text_get(&line));
	text_free(&line);
	text_free(&pattern);
}

static void explain_missing(struct judgement *j, const struct result_set *set)
{
	const char *at = text_get(&j->trace.missing);
	while (*at) {
		size_t length = strcspn(at, "\n");
		char missing[EXPR_TEXT_MAX * 2];
		snprintf(missing, sizeof(missing), "%.*s", (int)length, at);
		explain(missing, set, &j->needs);
		at += length + (at[length] == '\n');
	}
	add_gap(j, GAP_ROWS);
}

static void check_machine(const struct claim *c, const struct result_set *set, struct judgement *j)
{
	const long has[CLAIM_NEEDS] = { results_gpus(set), results_cores(set), results_nodes(set) };
	for (int i = 0; i < CLAIM_NEEDS; i++) {
		if (c->needs[i] <= has[i])
			continue;
		text_add(&j->needs, "needs %ld %s%s; this machine has %ld\n", c->needs[i],
			 need_words[i], c->needs[i] == 1 ? "" : "s", has[i]);
		add_gap(j, GAP_NEEDS);
	}
}

/* ---- the rows that were read ---- */

/* Whether the trace has a time. */
static bool reads_times(const struct expr_trace *t)
{
	struct expr_read read;
	for (const char *at = expr_read_first(t); expr_read_next(&at, &read);)
		if (read.times)
			return true;
	return false;
}

struct claim_pool claim_pool(const struct result_set *set, const struct expr_read *read,
			     size_t bench)
{
	const char *name = set->bench[bench].name;
	struct claim_pool pool = { 0 };
	for (size_t i = 0; i < set->benches; i++) {
		const struct result_bench *b = &set->bench[i];
		if (!name_same_family(name, b->name) || !result_values(b, read->counter) ||
		    !name_match(read->pattern, b->name, NULL))
			continue;
		pool.seeds++;
		pool.runs += b->runs;
		pool.before += name_seed(b->name) < name_seed(name);
	}
	return pool;
}

size_t claim_runs_each(size_t runs, size_t seeds)
{
	return (runs + seeds - 1) / seeds;
}

size_t claim_runs(const struct claim *c, const struct expr_trace *t, const struct expr_read *read)
{
	return c->decided == DECIDED_TIMES && (read->times || !reads_times(t)) ? CLAIM_RUNS : 1;
}

/* "needs 5 runs, has 1: t/e/cpu/n:1", "needs 5 runs, has 3 of 3 seeds: t/e/cpu/n:1/seed:*". */
static void add_few_runs(const char *name, const struct claim_pool *pool, size_t needed,
			 struct text *out)
{
	const char *seed = strstr(name, "/seed:");
	text_add(out, "needs %zu runs, has %zu", needed, pool->runs);
	if (pool->seeds < 2 || !seed) {
		text_add(out, ": %s\n", name);
		return;
	}
	text_add(out, " of %zu seeds: %.*s/seed:*%s\n", pool->seeds, (int)(seed - name), name,
		 seed + 1 + strcspn(seed + 1, "/"));
}

/* Adds what is wrong with a row, if it is, to `rows` or `runs`. */
static void check_row(const struct result_set *set, const struct expr_read *read, size_t bench,
		      size_t needed, struct text *rows, struct text *runs)
{
	struct text line = { 0 };
	const struct result_bench *b = &set->bench[bench];
	const char *why = result_decides_nothing(set, b);
	if (why) {
		text_add(&line, "%s: %s\n", why, b->name);
	} else if (b->runs < needed) {
		struct claim_pool pool = claim_pool(set, read, bench);
		if (pool.runs < needed)
			add_few_runs(b->name, &pool, needed, &line);
	}
	if (line.length)
		add_once(why ? rows : runs, text_get(&line));
	text_free(&line);
}

/* Appends the lines, of which a long list is cut. */
static void add_lines(struct text *out, const struct text *lines)
{
	const char *at = text_get(lines);
	size_t count = 0, more = 0;
	for (const char *end; (end = strchr(at, '\n')); at = end + 1)
		if (count++ < LISTED)
			text_add_n(out, at, (size_t)(end - at) + 1);
		else
			more++;
	if (more)
		text_add(out, "and %zu more rows\n", more);
}

static void check_rows(const struct claim *c, const struct result_set *set, struct judgement *j)
{
	struct text rows = { 0 }, runs = { 0 };
	struct expr_read read;
	for (const char *at = expr_read_first(&j->trace); expr_read_next(&at, &read);) {
		size_t needed = claim_runs(c, &j->trace, &read);
		for (size_t i = 0; i < set->benches; i++)
			if (result_values(&set->bench[i], read.counter) &&
			    name_match(read.pattern, set->bench[i].name, NULL))
				check_row(set, &read, i, needed, &rows, &runs);
	}
	if (rows.length)
		add_gap(j, GAP_ROWS);
	if (runs.length)
		add_gap(j, GAP_RUNS);
	add_lines(&j->needs, &rows);
	add_lines(&j->needs, &runs);
	text_free(&rows);
	text_free(&runs);
}

/* ---- judging ---- */

/* The verdict of the measurements, or of a bootstrap sample unless it is NULL. NOT TESTED if
 * something is missing. */
static int outcome(const struct claim *c, struct expr_world *w, const struct expr_sample *sample,
		   struct expr_trace *trace, enum verdict *verdict, struct err *e)
{
	struct expr_value tolerance = { .type = EXPR_NUMBER, .number = c->tolerance };
	struct expr_value test, hardware = { 0 };
	int status = expr_eval(c->test, w, &tolerance, sample, trace, &test, e);
	bool failed = !status && !test.missing && !test.truth;
	if (failed && c->hardware)
		status = expr_eval(c->hardware, w, &tolerance, sample, trace, &hardware, e);
	*verdict =
		test.missing || (failed && hardware.missing) ? VERDICT_NOT_TESTED :
		c->kind == CLAIM_ARITHMETIC ? (failed ? VERDICT_INCONSISTENT : VERDICT_CONSISTENT) :
		!failed                     ? VERDICT_REPRODUCED :
		hardware.truth              ? VERDICT_NOT_CARRIED_OVER :
					      VERDICT_NOT_REPRODUCED;
	return status;
}

/* Compares the verdict of the measurements with those of the bootstrap samples. */
static int sample(const struct claim *c, struct expr_world *w, struct judgement *j, struct err *e)
{
	unsigned agree = 0;
	int status = 0;
	for (unsigned i = 1; i <= SAMPLES && !status; i++) {
		/* counts are the same in every run, and are judged on the instances measured */
		const struct expr_sample one = { i, c->decided == DECIDED_TIMES };
		enum verdict verdict;
		status = outcome(c, w, &one, NULL, &verdict, e);
		agree += verdict == j->verdict;
	}
	j->agreement = (double)agree / SAMPLES;
	if (j->agreement < 0.95)
		j->verdict = VERDICT_INCONCLUSIVE;
	return status;
}

/* Judges the condition of a claim on the measurements themselves. The rows that it reads need no
 * runs of their own: those of the test are enough. */
static int check_reliable(const struct claim *c, struct expr_world *w, struct judgement *j,
			  struct err *e)
{
	struct expr_value tolerance = { .type = EXPR_NUMBER, .number = c->tolerance }, value;
	int status = expr_eval(c->reliable, w, &tolerance, NULL, &j->trace, &value, e);
	if (status)
		return status;
	j->unreliable = !value.missing && !value.truth;
	if (value.missing)
		j->verdict = VERDICT_NOT_TESTED;
	else if (j->unreliable)
		j->verdict = VERDICT_INCONCLUSIVE;
	return 0;
}

/* Fills the values into the text of the reason. */
static int explain_hardware(const struct claim *c, struct expr_world *w, struct text *out,
			    struct err *e)
{
	struct expr_value tolerance = { .type = EXPR_NUMBER, .number = c->tolerance }, value;
	int status = 0;
	for (size_t i = 0; i < c->parts && !status; i++) {
		text_add(out, "%s", c->part[i].text);
		if (!c->part[i].value)
			continue;
		status = expr_eval(c->part[i].value, w, &tolerance, NULL, NULL, &value, e);
		if (!status && value.missing)
			text_add(out, "(not measured)");
		else if (!status)
			text_add(out, fabs(value.number) >= 1000 ? "%.0f" : "%.3g", value.number);
	}
	return status;
}

int claim_judge(const struct claim *c, struct expr_world *w, const struct result_set *set,
		struct judgement *j, struct err *e)
{
	*j = (struct judgement){ 0 };
	int status = outcome(c, w, NULL, &j->trace, &j->verdict, e);
	if (!status && c->kind != CLAIM_ARITHMETIC) {
		check_machine(c, set, j);
		check_rows(c, set, j);
	}
	if (!status && c->reliable && j->gap == GAP_NONE && j->verdict != VERDICT_NOT_TESTED)
		status = check_reliable(c, w, j, e);
	if (!status && j->verdict == VERDICT_NOT_TESTED)
		explain_missing(j, set);
	if (j->gap != GAP_NONE)
		j->verdict = VERDICT_NOT_TESTED;
	else if (!status && c->kind != CLAIM_ARITHMETIC && !j->unreliable)
		status = sample(c, w, j, e);
	if (!status && j->verdict == VERDICT_NOT_CARRIED_OVER)
		status = explain_hardware(c, w, &j->reason, e);
	if (status)
		judgement_free(j);
	return status;
}

void judgement_free(struct judgement *j)
{
	expr_trace_free(&j->trace);
	text_free(&j->needs);
	text_free(&j->reason);
}
