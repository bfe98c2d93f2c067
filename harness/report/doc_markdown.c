/* Markdown as GitHub and GitLab show it, a file a page. Anchors and details are the few HTML tags
 * that both let through. */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "harness/report/doc_private.h"

static void begin(struct doc *d)
{
	(void)d;
}

static void page(struct doc *d, const char *name, const char *title)
{
	text_add(&d->out, "<a id=\"%s\"></a>\n# ", name);
	text_add_escaped(&d->out, title, TEXT_MARKDOWN);
	text_add(&d->out, "\n\n");
}

static void heading(struct doc *d, int level, const char *anchor, const char *text)
{
	if (anchor)
		text_add(&d->out, "<a id=\"%s\"></a>\n\n", anchor);
	text_add(&d->out, "%.*s ", level, "####");
	text_add_escaped(&d->out, text, TEXT_MARKDOWN);
	text_add(&d->out, "\n\n");
}

static void block_open(struct doc *d, const struct doc_level *l)
{
	size_t lists = doc_lists(d);
	if (l->block == DOC_DETAILS)
		text_add(&d->out, "<details><summary>");
	if (l->block == DOC_ITEM)
		text_add(&d->out, "%*s- ", lists ? (int)(2 * (lists - 1)) : 0, "");
	if (l->tone == TONE_HERE || l->tone == TONE_RECORDED)
		text_add(&d->out, "**");
}

static void summary_end(struct doc *d)
{
	text_add(&d->out, "</summary>\n\n");
}

static void block_close(struct doc *d, const struct doc_level *l)
{
	if (l->tone == TONE_HERE || l->tone == TONE_RECORDED)
		text_add(&d->out, "**");
	if (l->block == DOC_DETAILS)
		text_add(&d->out, "</details>\n\n");
	if (l->block == DOC_ITEM)
		text_add(&d->out, "\n");
	if (l->block == DOC_PARAGRAPH)
		text_add(&d->out, "\n\n");
	if (l->block == DOC_LIST && !doc_lists(d))
		text_add(&d->out, "\n");
}

/* Inside `code` nothing has a meaning; a summary is HTML. */
static void text(struct doc *d, const char *s)
{
	if (doc_in_code(d) && !d->summary)
		text_add(&d->out, "%s", s);
	else if (d->summary)
		text_add_escaped(&d->out, s, TEXT_HTML);
	else
		text_add_escaped(&d->out, s, TEXT_MARKDOWN);
}

static void span_open(struct doc *d, enum doc_span span, enum doc_tone tone)
{
	static const char *const marks[DOC_SPANS] = { "**", "*", "`" };
	static const char *const tags[DOC_SPANS] = { "<strong>", "<em>", "<code>" };
	(void)tone;
	text_add(&d->out, "%s", d->summary ? tags[span] : marks[span]);
}

static void span_close(struct doc *d, enum doc_span span, enum doc_tone tone)
{
	static const char *const ends[DOC_SPANS] = { "</strong>", "</em>", "</code>" };
	if (d->summary)
		text_add(&d->out, "%s", ends[span]);
	else
		span_open(d, span, tone);
}

static void sheet(struct doc *d, const struct sheet *s)
{
	sheet_write(s, &d->out, TEXT_MARKDOWN);
	text_add(&d->out, "\n");
}

static void pre(struct doc *d, const char *s)
{
	size_t length = strlen(s);
	text_add(&d->out, "~~~~\n%s%s~~~~\n\n", s, length && s[length - 1] == '\n' ? "" : "\n");
}

static int figure(struct doc *d, const char *path, const char *prefix, const char *caption,
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

const struct doc_ops doc_markdown = {
	.kind = TEXT_MARKDOWN,
	.file_a_page = true,
	.begin = begin,
	.finish = begin,
	.page = page,
	.heading = heading,
	.open = block_open,
	.summary_end = summary_end,
	.close = block_close,
	.text = text,
	.span_open = span_open,
	.span_close = span_close,
	.sheet = sheet,
	.pre = pre,
	.figure = figure,
};
