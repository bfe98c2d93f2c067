/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/report/data/sources.h"

#include <stdlib.h>
#include <string.h>

static bool same_revision(const struct result_source *a, const struct result_source *b)
{
	return a->changed == b->changed && !strcmp(a->revision, b->revision);
}

static bool same_source(const struct result_source *a, const struct result_source *b)
{
	return same_revision(a, b) && !strcmp(a->host, b->host) && !strcmp(a->date, b->date);
}

static int by_rows(const void *a, const void *b)
{
	const struct source_rows *x = a, *y = b;
	int order = strcmp(y->from.date, x->from.date);
	if (x->rows != y->rows)
		return x->rows < y->rows ? 1 : -1;
	order = order ? order : strcmp(x->from.revision, y->from.revision);
	order = order ? order : strcmp(x->from.host, y->from.host);
	return order ? order : (int)x->from.changed - (int)y->from.changed;
}

static int count_row(struct sources *s, const struct result_source *from, struct err *e)
{
	size_t i = 0;
	while (i < s->count && !same_source(&s->at[i].from, from))
		i++;
	if (i == s->count) {
		int status = array_grow((void **)&s->at, s->count, sizeof(*s->at), e);
		if (status)
			return status;
		s->at[s->count++] = (struct source_rows){ .from = *from };
	}
	s->at[i].rows++;
	return 0;
}

static bool is_first(const struct result_bench *b, size_t run)
{
	for (size_t i = 0; i < run; i++)
		if (same_source(&b->source[i], &b->source[run]))
			return false;
	return true;
}

int sources_add_bench(struct sources *s, const struct result_bench *b, struct err *e)
{
	static const struct result_source unknown = { 0 };
	int status = b->source ? 0 : count_row(s, &unknown, e);
	for (size_t i = 0; b->source && i < b->runs && !status; i++)
		if (is_first(b, i))
			status = count_row(s, &b->source[i], e);
	if (s->count)
		qsort(s->at, s->count, sizeof(*s->at), by_rows);
	return status;
}

int sources_add(struct sources *s, const struct result_set *set, const bool *read, struct err *e)
{
	int status = 0;
	for (size_t i = 0; i < set->benches && !status; i++)
		if (!read || read[i])
			status = sources_add_bench(s, &set->bench[i], e);
	return status;
}

void sources_free(struct sources *s)
{
	free(s->at);
	*s = (struct sources){ 0 };
}

static void add_revision(const struct result_source *from, struct text *out)
{
	text_add(out, "%s%s", *from->revision ? from->revision : "unknown",
		 from->changed ? " + changes" : "");
}

void sources_text(const struct sources *s, struct text *out)
{
	for (size_t i = 0; i < s->count; i++) {
		const struct source_rows *one = &s->at[i];
		if (s->count > 1)
			text_add(out, "%s%zu row%s: ", i ? "; " : "", one->rows,
				 one->rows == 1 ? "" : "s");
		text_add(out, "revision ");
		add_revision(&one->from, out);
		if (*one->from.date)
			text_add(out, ", %s", one->from.date);
		if (*one->from.host)
			text_add(out, ", host %s", one->from.host);
	}
}

void sources_revisions(const struct sources *s, struct text *out)
{
	for (size_t i = 0; i < s->count; i++) {
		bool known = !*s->at[i].from.revision;
		for (size_t k = 0; k < i; k++)
			known = known || same_revision(&s->at[k].from, &s->at[i].from);
		if (known)
			continue;
		text_add(out, "%s", out->length ? ", " : "");
		add_revision(&s->at[i].from, out);
	}
}

int sources_origin(const struct result_set *set, const bool *read, struct text *out, struct err *e)
{
	struct sources s = { 0 };
	int status = sources_add(&s, set, read, e);
	results_machine(set, out);
	if (!status && s.count) {
		text_add(out, " · ");
		sources_text(&s, out);
	}
	sources_free(&s);
	return status;
}
