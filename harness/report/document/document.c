#include "harness/report/document/document.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DOC_DEPTH = 12 };

struct doc_level {
	enum doc_block block;
	enum doc_tone tone;
};

struct doc {
	const struct doc_ops *ops;
	const char *folder;
	char page[NAME_MAX];
	struct text out;
	struct err error; /* the first error of writing a file */
	size_t depth;
	struct doc_level level[DOC_DEPTH];
	bool summary; /* inside the summary of DOC_DETAILS */
	size_t spans;
	enum doc_span span[DOC_DEPTH];
	enum doc_tone span_tone[DOC_DEPTH];
};

struct doc_ops {
	enum text_kind kind;
	bool file_a_page;
	void (*begin)(struct doc *d);
	void (*finish)(struct doc *d);
	void (*page)(struct doc *d, const char *name, const char *title);
	void (*heading)(struct doc *d, int level, const char *anchor, const char *text);
	void (*open)(struct doc *d, const struct doc_level *l);
	void (*summary_end)(struct doc *d);
	void (*close)(struct doc *d, const struct doc_level *l);
	void (*text)(struct doc *d, const char *s);
	void (*span_open)(struct doc *d, enum doc_span span, enum doc_tone tone);
	void (*span_close)(struct doc *d, enum doc_span span, enum doc_tone tone);
	void (*sheet)(struct doc *d, const struct sheet *s);
	void (*pre)(struct doc *d, const char *s);
	int (*figure)(struct doc *d, const char *path, const char *prefix, const char *caption,
		      struct err *e);
};

static const char *const tones[TONES] = { "",       "note", "good", "bad",
					  "unsure", "open", "here", "recorded" };

/* The number of lists that contain the current block. */
static size_t lists_around(const struct doc *d)
{
	size_t lists = 0;
	for (size_t i = 0; i < d->depth; i++)
		lists += d->level[i].block == DOC_LIST;
	return lists;
}

static bool in_code(const struct doc *d)
{
	return d->spans && d->span[d->spans - 1] == DOC_CODE;
}

/* ---- HTML: one self-contained page, well-formed XML with style and drawings inside ---- */

static void html_escaped(struct doc *d, const char *s)
{
	text_add_escaped(&d->out, s, TEXT_HTML);
}

static void html_begin(struct doc *d)
{
	text_add(&d->out,
		 "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n"
		 "<head>\n<meta charset=\"utf-8\"/>\n<meta name=\"viewport\" "
		 "content=\"width=device-width, initial-scale=1\"/>\n<title>copra report</title>\n"
		 "<style>\n%s</style>\n</head>\n<body>\n",
		 doc_style);
}

static void html_finish(struct doc *d)
{
	text_add(&d->out, "</body>\n</html>\n");
}

static void html_page(struct doc *d, const char *name, const char *title)
{
	text_add(&d->out, "<h1 id=\"%s\">", name);
	html_escaped(d, title);
	text_add(&d->out, "</h1>\n");
}

static void html_heading(struct doc *d, int level, const char *anchor, const char *text)
{
	text_add(&d->out, "<h%d", level);
	if (anchor)
		text_add(&d->out, " id=\"%s\"", anchor);
	text_add(&d->out, ">");
	html_escaped(d, text);
	text_add(&d->out, "</h%d>\n", level);
}

static void html_block_open(struct doc *d, const struct doc_level *l)
{
	static const char *const tags[DOC_BLOCKS] = { "p", "ul", "li", "details" };
	text_add(&d->out, "<%s", tags[l->block]);
	if (l->tone == TONE_HERE || l->tone == TONE_RECORDED)
		text_add(&d->out, " class=\"origin %s\"", tones[l->tone]);
	else if (l->tone)
		text_add(&d->out, " class=\"%s\"", tones[l->tone]);
	text_add(&d->out, l->block == DOC_DETAILS ? "><summary>" : ">");
}

static void html_summary_end(struct doc *d)
{
	text_add(&d->out, "</summary>\n");
}

static void html_block_close(struct doc *d, const struct doc_level *l)
{
	static const char *const ends[DOC_BLOCKS] = { "</p>\n", "</ul>\n", "</li>\n",
						      "</details>\n" };
	text_add(&d->out, "%s", ends[l->block]);
}

static void html_span_open(struct doc *d, enum doc_span span, enum doc_tone tone)
{
	static const char *const tags[DOC_SPANS] = { "strong", "em", "code" };
	text_add(&d->out, "<%s", tags[span]);
	if (tone)
		text_add(&d->out, " class=\"%s\"", tones[tone]);
	text_add(&d->out, ">");
}

static void html_span_close(struct doc *d, enum doc_span span, enum doc_tone tone)
{
	static const char *const ends[DOC_SPANS] = { "</strong>", "</em>", "</code>" };
	(void)tone;
	text_add(&d->out, "%s", ends[span]);
}

static void html_sheet(struct doc *d, const struct sheet *s)
{
	sheet_write(s, &d->out, TEXT_HTML);
}

static void html_pre(struct doc *d, const char *s)
{
	text_add(&d->out, "<pre>");
	html_escaped(d, s);
	text_add(&d->out, "</pre>\n");
}

/* If s starts with the text before an id or before a reference to one (id=", url(#), the length of
 * that text; otherwise 0. */
static size_t name_follows(const char *s)
{
	static const char *const before[] = { " id=\"", " id='", "href=\"#", "href='#", "url(#" };
	for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++)
		if (!strncmp(s, before[i], strlen(before[i])))
			return strlen(before[i]);
	return 0;
}

static int svg_inline(const char *path, const char *prefix, struct text *out, struct err *e)
{
	struct text file;
	int status = text_load(&file, path, e);
	if (status)
		return status;
	const char *at = strstr(text_get(&file), "<svg");
	const char *end = at ? strstr(at, "</svg>") : NULL;
	if (!end)
		status = err_set(e, ERR_INPUT, "%s: no <svg> element", path);
	else
		end += strlen("</svg>");
	while (!status && at < end) {
		size_t skip = name_follows(at);
		text_add_n(out, at, skip ? skip : 1);
		at += skip ? skip : 1;
		if (skip)
			text_add(out, "%s-", prefix);
	}
	text_add(out, "\n");
	text_free(&file);
	return status;
}

static int html_figure(struct doc *d, const char *path, const char *prefix, const char *caption,
		       struct err *e)
{
	char file[PATH_MAX];
	int status = text_path(file, e, "%s/%s.svg", d->folder, path);
	(void)caption; /* the drawing has a title of its own */
	if (status)
		return status;
	if (access(file, F_OK) != 0) {
		doc_paragraph(d, TONE_NOTE,
			      "The plot is missing because gnuplot was not found or failed. Its "
			      "data are in %s.dat.",
			      path);
		return 0;
	}
	text_add(&d->out, "<div class=\"plot\">");
	status = svg_inline(file, prefix, &d->out, e);
	text_add(&d->out, "</div>\n");
	return status;
}

static const struct doc_ops html_ops = {
	.kind = TEXT_HTML,
	.begin = html_begin,
	.finish = html_finish,
	.page = html_page,
	.heading = html_heading,
	.open = html_block_open,
	.summary_end = html_summary_end,
	.close = html_block_close,
	.text = html_escaped,
	.span_open = html_span_open,
	.span_close = html_span_close,
	.sheet = html_sheet,
	.pre = html_pre,
	.figure = html_figure,
};

/* ---- Markdown as GitHub and GitLab show it, a file per page ----
 *
 * Anchors and details are the few HTML tags that both let through. */

static void markdown_begin(struct doc *d)
{
	(void)d;
}

static void markdown_page(struct doc *d, const char *name, const char *title)
{
	text_add(&d->out, "<a id=\"%s\"></a>\n# ", name);
	text_add_escaped(&d->out, title, TEXT_MARKDOWN);
	text_add(&d->out, "\n\n");
}

static void markdown_heading(struct doc *d, int level, const char *anchor, const char *text)
{
	if (anchor)
		text_add(&d->out, "<a id=\"%s\"></a>\n\n", anchor);
	text_add(&d->out, "%.*s ", level, "####");
	text_add_escaped(&d->out, text, TEXT_MARKDOWN);
	text_add(&d->out, "\n\n");
}

static void markdown_block_open(struct doc *d, const struct doc_level *l)
{
	size_t lists = lists_around(d);
	if (l->block == DOC_DETAILS)
		text_add(&d->out, "<details><summary>");
	if (l->block == DOC_ITEM)
		text_add(&d->out, "%*s- ", lists ? (int)(2 * (lists - 1)) : 0, "");
	if (l->tone == TONE_HERE || l->tone == TONE_RECORDED)
		text_add(&d->out, "**");
}

static void markdown_summary_end(struct doc *d)
{
	text_add(&d->out, "</summary>\n\n");
}

static void markdown_block_close(struct doc *d, const struct doc_level *l)
{
	if (l->tone == TONE_HERE || l->tone == TONE_RECORDED)
		text_add(&d->out, "**");
	if (l->block == DOC_DETAILS)
		text_add(&d->out, "</details>\n\n");
	if (l->block == DOC_ITEM)
		text_add(&d->out, "\n");
	if (l->block == DOC_PARAGRAPH)
		text_add(&d->out, "\n\n");
	if (l->block == DOC_LIST && !lists_around(d))
		text_add(&d->out, "\n");
}

/* Escapes text as Markdown, except in code spans, and as HTML in a summary. */
static void markdown_text(struct doc *d, const char *s)
{
	if (in_code(d) && !d->summary)
		text_add(&d->out, "%s", s);
	else if (d->summary)
		text_add_escaped(&d->out, s, TEXT_HTML);
	else
		text_add_escaped(&d->out, s, TEXT_MARKDOWN);
}

static void markdown_span_open(struct doc *d, enum doc_span span, enum doc_tone tone)
{
	static const char *const marks[DOC_SPANS] = { "**", "*", "`" };
	static const char *const tags[DOC_SPANS] = { "<strong>", "<em>", "<code>" };
	(void)tone;
	text_add(&d->out, "%s", d->summary ? tags[span] : marks[span]);
}

static void markdown_span_close(struct doc *d, enum doc_span span, enum doc_tone tone)
{
	static const char *const ends[DOC_SPANS] = { "</strong>", "</em>", "</code>" };
	if (d->summary)
		text_add(&d->out, "%s", ends[span]);
	else
		markdown_span_open(d, span, tone);
}

static void markdown_sheet(struct doc *d, const struct sheet *s)
{
	sheet_write(s, &d->out, TEXT_MARKDOWN);
	text_add(&d->out, "\n");
}

static void markdown_pre(struct doc *d, const char *s)
{
	size_t length = strlen(s);
	text_add(&d->out, "~~~~\n%s%s~~~~\n\n", s, length && s[length - 1] == '\n' ? "" : "\n");
}

static int markdown_figure(struct doc *d, const char *path, const char *prefix, const char *caption,
			   struct err *e)
{
	char file[PATH_MAX];
	int status = text_path(file, e, "%s/%s.svg", d->folder, path);
	(void)prefix;
	if (status)
		return status;
	if (access(file, F_OK) != 0) {
		doc_paragraph(d, TONE_NOTE, "The plot is missing; its data are in %s.dat.", path);
		return 0;
	}
	text_add(&d->out, "![");
	text_add_escaped(&d->out, caption, TEXT_MARKDOWN);
	text_add(&d->out, "](%s.svg)\n\n", path);
	return 0;
}

static const struct doc_ops markdown_ops = {
	.kind = TEXT_MARKDOWN,
	.file_a_page = true,
	.begin = markdown_begin,
	.finish = markdown_begin,
	.page = markdown_page,
	.heading = markdown_heading,
	.open = markdown_block_open,
	.summary_end = markdown_summary_end,
	.close = markdown_block_close,
	.text = markdown_text,
	.span_open = markdown_span_open,
	.span_close = markdown_span_close,
	.sheet = markdown_sheet,
	.pre = markdown_pre,
	.figure = markdown_figure,
};

int doc_create(struct doc **out, enum text_kind kind, const char *folder, struct err *e)
{
	struct doc *d = calloc(1, sizeof(*d));
	if (!d)
		return err_set(e, ERR_MEMORY, "out of memory");
	d->ops = kind == TEXT_HTML ? &html_ops : &markdown_ops;
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

/* ---- text ---- */

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

static void begin_span(struct doc *d, enum doc_span span, enum doc_tone tone)
{
	d->span[d->spans] = span;
	d->span_tone[d->spans++] = tone;
	d->ops->span_open(d, span, tone);
}

static void end_span(struct doc *d)
{
	d->spans--;
	d->ops->span_close(d, d->span[d->spans], d->span_tone[d->spans]);
}

void doc_span(struct doc *d, enum doc_span span, enum doc_tone tone, const char *s)
{
	begin_span(d, span, tone);
	doc_text(d, s);
	end_span(d);
}

void doc_link(struct doc *d, const char *link, const char *s)
{
	text_link_open(&d->out, link, d->ops->kind);
	doc_text(d, s);
	text_link_close(&d->out, link, d->ops->kind);
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

/* ---- tables, code, figures ---- */

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

/* ---- a subset of Markdown as input ---- */

static const struct {
	const char *mark;
	enum doc_span span;
} spans[] = { { "`", DOC_CODE }, { "**", DOC_STRONG }, { "*", DOC_EMPHASIS } };
enum { MARKS = sizeof(spans) / sizeof(spans[0]) };

/* Copies text unchanged. */
static void add_plain(struct doc *d, const char *from, size_t length)
{
	if (length)
		doc_print(d, "%.*s", (int)length, from);
}

/* The closing mark of the span that begins at s with mark i, or NULL. */
static const char *closing_mark(const char *s, const char *end, size_t i)
{
	size_t width = strlen(spans[i].mark);
	if (strncmp(s, spans[i].mark, width) != 0)
		return NULL;
	const char *close = strstr(s + width, spans[i].mark);
	return close && close < end && close > s + width ? close : NULL;
}

void doc_markdown_spans(struct doc *d, const char *source, size_t length)
{
	const char *end = source + length, *s = source, *begun = source;
	while (s < end) {
		const char *close = NULL;
		size_t i = 0;
		while (i < MARKS && !(close = closing_mark(s, end, i)))
			i++;
		if (!close) {
			s++;
			continue;
		}
		size_t width = strlen(spans[i].mark);
		add_plain(d, begun, (size_t)(s - begun));
		begin_span(d, spans[i].span, TONE_PLAIN);
		if (spans[i].span == DOC_CODE)
			add_plain(d, s + width, (size_t)(close - s) - width);
		else
			doc_markdown_spans(d, s + width, (size_t)(close - s) - width);
		end_span(d);
		begun = s = close + width;
	}
	add_plain(d, begun, (size_t)(end - begun));
}

/* Closes the block `now` and opens the block `to` (-1: none). Items get a list around them. */
static void switch_block(struct doc *d, int *now, int to)
{
	if (*now >= 0)
		doc_close(d);
	if (*now == DOC_ITEM && to != DOC_ITEM)
		doc_close(d);
	if (to == DOC_ITEM && *now != DOC_ITEM)
		doc_open(d, DOC_LIST, TONE_PLAIN);
	if (to >= 0)
		doc_open(d, (enum doc_block)to, TONE_PLAIN);
	*now = to;
}

/* Joins the lines of one block, because a span may continue on the next line. Returns its end. */
static const char *gather(const char *source, struct text *block)
{
	const char *at = source;
	do {
		size_t length = strcspn(at, "\n"), indent = strspn(at, " \t");
		if (block->length)
			text_add(block, " ");
		text_add_n(block, at + indent, length - indent);
		at += length + (at[length] == '\n');
	} while (*at && at[strspn(at, " \t")] != '\n' && strncmp(at, "- ", 2) != 0 && *at != '#' &&
		 at[strspn(at, " \t")]);
	return at;
}

void doc_markdown(struct doc *d, const char *source)
{
	int now = -1;
	while (*source) {
		size_t length = strcspn(source, "\n");
		if (strspn(source, " \t") >= length) {
			switch_block(d, &now, -1);
			source += length + (source[length] == '\n');
		} else if (*source == '#') {
			struct text heading = { 0 };
			size_t marks = strspn(source, "# ");
			switch_block(d, &now, -1);
			text_add_n(&heading, source + marks, length - marks);
			doc_heading(d, 4, NULL, text_get(&heading));
			text_free(&heading);
			source += length + (source[length] == '\n');
		} else {
			struct text block = { 0 };
			bool item = !strncmp(source, "- ", 2);
			switch_block(d, &now, item ? DOC_ITEM : DOC_PARAGRAPH);
			source = gather(item ? source + 2 : source, &block);
			doc_markdown_spans(d, text_get(&block), block.length);
			text_free(&block);
		}
	}
	switch_block(d, &now, -1);
}
