#include "harness/report/doc_private.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/report/link.h"

const char *const doc_tones[TONES] = { "",       "note", "good", "bad",
				       "unsure", "open", "here", "recorded" };

int doc_create(struct doc **out, enum text_kind kind, const char *folder, struct err *e)
{
	struct doc *d = calloc(1, sizeof(*d));
	if (!d)
		return err_set(e, ERR_MEMORY, "out of memory");
	d->ops = kind == TEXT_HTML ? &doc_html : &doc_markdown;
	d->folder = folder;
	d->ops->begin(d);
	*out = d;
	return 0;
}

void doc_destroy(struct doc *d)
{
	if (!d)
		return;
	text_free(&d->out);
	free(d);
}

enum text_kind doc_kind(const struct doc *d)
{
	return d->ops->kind;
}

/* ---- files ---- */

static void save(struct doc *d)
{
	char path[PATH_MAX];
	struct err e = { 0 };
	int status = d->ops->kind == TEXT_MARKDOWN ?
			     text_path(path, &e, "%s/%s.md", d->folder, d->page) :
			     text_path(path, &e, "%s/report.html", d->folder);
	if (!status)
		status = text_save(&d->out, path, &e);
	if (status && !d->error.code)
		d->error = e;
	d->out.length = 0;
}

void doc_page(struct doc *d, const char *name, const char *title)
{
	if (d->ops->file_a_page && *d->page)
		save(d);
	snprintf(d->page, sizeof(d->page), "%s", name);
	d->ops->page(d, name, title);
}

int doc_save(struct doc *d, struct err *e)
{
	d->ops->finish(d);
	save(d);
	if (d->error.code)
		*e = d->error;
	return d->error.code;
}

/* ---- blocks ---- */

void doc_heading(struct doc *d, int level, const char *anchor, const char *text)
{
	d->ops->heading(d, level, anchor, text);
}

void doc_open(struct doc *d, enum doc_block block, enum doc_tone tone)
{
	struct doc_level *l = &d->level[d->depth++];
	*l = (struct doc_level){ block, tone };
	d->summary = block == DOC_DETAILS;
	d->ops->open(d, l);
}

void doc_summary_end(struct doc *d)
{
	d->ops->summary_end(d);
	d->summary = false;
}

void doc_close(struct doc *d)
{
	d->ops->close(d, &d->level[--d->depth]);
}

size_t doc_lists(const struct doc *d)
{
	size_t lists = 0;
	for (size_t i = 0; i < d->depth; i++)
		lists += d->level[i].block == DOC_LIST;
	return lists;
}

/* ---- text ---- */

bool doc_in_code(const struct doc *d)
{
	return d->spans && d->span[d->spans - 1] == DOC_CODE;
}

void doc_text(struct doc *d, const char *s)
{
	d->ops->text(d, s);
}

static void print(struct doc *d, const char *format, va_list args)
{
	va_list again;
	va_copy(again, args);
	int length = vsnprintf(NULL, 0, format, args);
	char *s = length < 0 ? NULL : malloc((size_t)length + 1);
	if (s) {
		vsnprintf(s, (size_t)length + 1, format, again);
		doc_text(d, s);
	} else {
		d->out.failed = true;
	}
	va_end(again);
	free(s);
}

void doc_print(struct doc *d, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	print(d, format, args);
	va_end(args);
}

void doc_begin(struct doc *d, enum doc_span span, enum doc_tone tone)
{
	d->span[d->spans] = span;
	d->span_tone[d->spans++] = tone;
	d->ops->span_open(d, span, tone);
}

void doc_end(struct doc *d)
{
	d->spans--;
	d->ops->span_close(d, d->span[d->spans], d->span_tone[d->spans]);
}

void doc_span(struct doc *d, enum doc_span span, enum doc_tone tone, const char *s)
{
	doc_begin(d, span, tone);
	doc_text(d, s);
	doc_end(d);
}

void doc_link(struct doc *d, const char *link, const char *s)
{
	link_open(&d->out, link, d->ops->kind);
	doc_text(d, s);
	link_close(&d->out, link, d->ops->kind);
}

void doc_paragraph(struct doc *d, enum doc_tone tone, const char *format, ...)
{
	va_list args;
	doc_open(d, DOC_PARAGRAPH, tone);
	va_start(args, format);
	print(d, format, args);
	va_end(args);
	doc_close(d);
}

/* ---- larger things ---- */

void doc_sheet(struct doc *d, const struct sheet *s)
{
	d->ops->sheet(d, s);
}

void doc_pre(struct doc *d, const char *s)
{
	d->ops->pre(d, s);
}

int doc_figure(struct doc *d, const char *path, const char *prefix, const char *caption,
	       struct err *e)
{
	return d->ops->figure(d, path, prefix, caption, e);
}
