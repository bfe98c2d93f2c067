/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
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

const char doc_style[] =
	":root{color-scheme:light dark;--ink:#1c2024;--soft:#5c6670;--line:#d9dee3;--page:#fff;"
	"--panel:#f5f7f9;--good:#0f7a3d;--bad:#b3261e;--unsure:#8a5a00;--open:#5c6670;"
	"--here:#0b5fa5;--recorded:#8a4b00;--paper:#6b4fa0}\n"
	"@media(prefers-color-scheme:dark){:root{--ink:#e6e9ec;--soft:#9aa4ae;--line:#353c43;"
	"--page:#14171a;--panel:#1d2226;--good:#5fd38d;--bad:#ff8a80;--unsure:#f0c05a;"
	"--open:#9aa4ae;--here:#6cb6ff;--recorded:#f2a65a;--paper:#b9a3e3}}\n"
	"*{box-sizing:border-box}\n"
	"html{background:var(--page);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"
	"'Segoe UI',Roboto,'Noto Sans',sans-serif}\n"
	"body{max-width:96rem;margin:0 auto;padding:1.5rem 1.25rem 4rem}\n"
	"h1{font-size:1.9rem;line-height:1.2;margin:4rem 0 "
	".2rem}h1:first-of-type{margin-top:.2rem}\n"
	"h2{font-size:1.45rem;margin:2.6rem 0 .8rem;padding-top:.8rem;"
	"border-top:2px solid var(--line)}\n"
	"h3{font-size:1.13rem;margin:2rem 0 .5rem}h4{font-size:1rem;margin:1.2rem 0 .3rem}\n"
	"p{margin:.45rem 0;max-width:52rem}li{max-width:50rem;margin:.3rem 0}\n"
	".soft,.note{color:var(--soft)}.note{font-size:.92rem}\n"
	"code{font:.88em ui-monospace,'DejaVu Sans Mono',monospace;overflow-wrap:anywhere}\n"
	"a{color:var(--here)}\n"
	/* A shadow on the right shows that a table continues. A background that scrolls with the
	   table covers it at the end. */
	".scroll{margin:.5rem 0 1rem}\n"
	".scroll,.plot{overflow-x:auto;background:"
	"linear-gradient(to left,var(--page) 50%,transparent) right/3rem 100% no-repeat local,"
	"linear-gradient(to left,var(--line),transparent) right/.6rem 100% no-repeat scroll}\n"
	"table{border-collapse:collapse;font-size:.92rem;font-variant-numeric:tabular-nums}\n"
	"th,td{padding:.3rem .7rem;text-align:right;border-bottom:1px solid var(--line);"
	"white-space:nowrap;vertical-align:top}\n"
	"th{font-weight:600;vertical-align:bottom;white-space:normal;min-width:4.8rem}\n"
	".scroll tr>:first-child{position:sticky;left:0;background:var(--page)}\n"
	".scroll tbody tr:hover>:first-child{background:var(--panel)}\n"
	"thead th{border-bottom:2px solid var(--soft)}\n"
	"td.l,th.l{text-align:left}td.l{white-space:normal}\n"
	"tbody tr:hover{background:var(--panel)}\n"
	"td.paper{color:var(--paper);font-style:italic}td.simulated{color:var(--open)}\n"
	".good{color:var(--good)}.bad{color:var(--bad)}.unsure{color:var(--unsure)}"
	".open{color:var(--open)}\n"
	"td.l.tight{white-space:nowrap;min-width:0}\n"
	"td.good,td.bad,td.unsure,td.open{font-weight:600;white-space:nowrap}\n"
	"td.l.open{white-space:normal;min-width:6.6rem}\n"
	".origin{display:inline-block;font-size:.86rem;font-weight:600;margin:.9rem 0 0;"
	"padding:.12rem .55rem;border-left:4px solid;background:var(--panel)}\n"
	".here{color:var(--here)}.recorded{color:var(--recorded)}\n"
	".plot{margin:.6rem 0 1.4rem;max-width:54rem}\n"
	".plot svg{width:100%;min-width:30rem;height:auto;display:block}\n"
	".plot svg text{fill:var(--ink)}\n"
	".plot svg [color=black],.plot svg [color=gray]{color:var(--soft)}\n"
	".plot svg defs>*{stroke-width:.3}" /* hollow marks */
	".plot svg [stroke=black]{stroke:var(--soft)}.plot svg [fill=black]{fill:var(--ink)}\n"
	"details{margin:.4rem 0;border:1px solid var(--line);padding:.35rem .7rem}\n"
	"summary{cursor:pointer}\n"
	"pre{font:.82rem/1.4 ui-monospace,'DejaVu Sans Mono',monospace;white-space:pre-wrap;"
	"overflow-wrap:anywhere;margin:.4rem 0;color:var(--soft)}\n"
	"@media(max-width:40rem){html{font-size:15px}body{padding:1rem .8rem 3rem}"
	"th,td{padding:.25rem .45rem}td.l{min-width:5.4rem}.scroll "
	"tr>:first-child{white-space:normal;min-width:5.4rem;max-width:9.5rem;overflow-wrap:break-"
	"word}td.l.long{min-width:12rem}.plot svg{min-width:42rem}}\n"
	"@media print{body{max-width:none}details{break-inside:avoid}}\n";

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
	(void)caption; /* the heading and the line above the table say the same */
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
	if (l->block == DOC_LIST && lists > 1)
		text_add(&d->out, "\n");
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
	/* an item that ends with a list has ended its line */
	if (l->block == DOC_ITEM && (!d->out.length || d->out.data[d->out.length - 1] != '\n'))
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

int doc_finish(struct doc *d, int status, struct err *e)
{
	if (!status) {
		d->ops->finish(d);
		save(d);
		if (d->error.code)
			*e = d->error;
		status = d->error.code;
	}
	text_free(&d->out);
	free(d);
	return status;
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

static void print(struct doc *d, const char *format, va_list args)
{
	va_list again;
	va_copy(again, args);
	int length = vsnprintf(NULL, 0, format, args);
	char *s = length < 0 ? NULL : malloc((size_t)length + 1);
	if (s) {
		vsnprintf(s, (size_t)length + 1, format, again);
		d->ops->text(d, s);
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
	d->ops->text(d, s);
	end_span(d);
}

void doc_link(struct doc *d, const char *link, const char *s)
{
	text_add_link(&d->out, link, s, d->ops->kind);
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

static void markdown_spans(struct doc *d, const char *source, size_t length)
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
			markdown_spans(d, s + width, (size_t)(close - s) - width);
		end_span(d);
		begun = s = close + width;
	}
	add_plain(d, begun, (size_t)(end - begun));
}

/* Closes the block `now` and opens the block `to` (-1: none). Items get a list around them. */
static void switch_block(struct doc *d, int *now, int to, enum doc_tone tone)
{
	if (*now >= 0)
		doc_close(d);
	if (*now == DOC_ITEM && to != DOC_ITEM)
		doc_close(d);
	if (to == DOC_ITEM && *now != DOC_ITEM)
		doc_open(d, DOC_LIST, TONE_PLAIN);
	if (to >= 0)
		doc_open(d, (enum doc_block)to, tone);
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

void doc_markdown(struct doc *d, enum doc_tone tone, const char *source)
{
	int now = -1;
	while (*source) {
		size_t length = strcspn(source, "\n");
		if (strspn(source, " \t") >= length) {
			switch_block(d, &now, -1, tone);
			source += length + (source[length] == '\n');
		} else if (*source == '#') {
			struct text heading = { 0 };
			size_t marks = strspn(source, "# ");
			switch_block(d, &now, -1, tone);
			text_add_n(&heading, source + marks, length - marks);
			doc_heading(d, 4, NULL, text_get(&heading));
			text_free(&heading);
			source += length + (source[length] == '\n');
		} else {
			struct text block = { 0 };
			bool item = !strncmp(source, "- ", 2);
			switch_block(d, &now, item ? DOC_ITEM : DOC_PARAGRAPH, tone);
			source = gather(item ? source + 2 : source, &block);
			markdown_spans(d, text_get(&block), block.length);
			text_free(&block);
		}
	}
	switch_block(d, &now, -1, tone);
}
