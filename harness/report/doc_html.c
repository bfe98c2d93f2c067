/* One self-contained page: well-formed XML, style and drawings inside, no script, no network. */
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "harness/report/doc_private.h"
#include "harness/report/page.h"
#include "harness/report/svg.h"

static void escaped(struct doc *d, const char *s)
{
	text_add_escaped(&d->out, s, TEXT_HTML);
}

static void begin(struct doc *d)
{
	text_add(&d->out,
		 "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n"
		 "<head>\n<meta charset=\"utf-8\"/>\n<meta name=\"viewport\" "
		 "content=\"width=device-width, initial-scale=1\"/>\n<title>copra report</title>\n"
		 "<style>\n%s</style>\n</head>\n<body>\n",
		 page_style);
}

static void finish(struct doc *d)
{
	text_add(&d->out, "</body>\n</html>\n");
}

static void page(struct doc *d, const char *name, const char *title)
{
	text_add(&d->out, "<h1 id=\"%s\">", name);
	escaped(d, title);
	text_add(&d->out, "</h1>\n");
}

static void heading(struct doc *d, int level, const char *anchor, const char *text)
{
	text_add(&d->out, "<h%d", level);
	if (anchor)
		text_add(&d->out, " id=\"%s\"", anchor);
	text_add(&d->out, ">");
	escaped(d, text);
	text_add(&d->out, "</h%d>\n", level);
}

static void block_open(struct doc *d, const struct doc_level *l)
{
	static const char *const tags[DOC_BLOCKS] = { "p", "ul", "li", "details" };
	text_add(&d->out, "<%s", tags[l->block]);
	if (l->tone == TONE_HERE || l->tone == TONE_RECORDED)
		text_add(&d->out, " class=\"origin %s\"", doc_tones[l->tone]);
	else if (l->tone)
		text_add(&d->out, " class=\"%s\"", doc_tones[l->tone]);
	text_add(&d->out, l->block == DOC_DETAILS ? "><summary>" : ">");
}

static void summary_end(struct doc *d)
{
	text_add(&d->out, "</summary>\n");
}

static void block_close(struct doc *d, const struct doc_level *l)
{
	static const char *const ends[DOC_BLOCKS] = { "</p>\n", "</ul>\n", "</li>\n",
						      "</details>\n" };
	text_add(&d->out, "%s", ends[l->block]);
}

static void span_open(struct doc *d, enum doc_span span, enum doc_tone tone)
{
	static const char *const tags[DOC_SPANS] = { "strong", "em", "code" };
	text_add(&d->out, "<%s", tags[span]);
	if (tone)
		text_add(&d->out, " class=\"%s\"", doc_tones[tone]);
	text_add(&d->out, ">");
}

static void span_close(struct doc *d, enum doc_span span, enum doc_tone tone)
{
	static const char *const ends[DOC_SPANS] = { "</strong>", "</em>", "</code>" };
	(void)tone;
	text_add(&d->out, "%s", ends[span]);
}

static void sheet(struct doc *d, const struct sheet *s)
{
	sheet_write(s, &d->out, TEXT_HTML);
}

static void pre(struct doc *d, const char *s)
{
	text_add(&d->out, "<pre>");
	escaped(d, s);
	text_add(&d->out, "</pre>\n");
}

static int figure(struct doc *d, const char *path, const char *prefix, const char *caption,
		  struct err *e)
{
	char file[PATH_MAX];
	int status = text_path(file, e, "%s/%s.svg", d->folder, path);
	(void)caption; /* the drawing has a title of its own */
	if (status)
		return status;
	if (access(file, F_OK) != 0) {
		doc_paragraph(d, TONE_NOTE,
			      "The plot is missing: gnuplot was not found, or failed, when this "
			      "report was made. Its data are in %s.dat.",
			      path);
		return 0;
	}
	text_add(&d->out, "<div class=\"plot\">");
	status = svg_inline(file, prefix, &d->out, e);
	text_add(&d->out, "</div>\n");
	return status;
}

const struct doc_ops doc_html = {
	.kind = TEXT_HTML,
	.begin = begin,
	.finish = finish,
	.page = page,
	.heading = heading,
	.open = block_open,
	.summary_end = summary_end,
	.close = block_close,
	.text = escaped,
	.span_open = span_open,
	.span_close = span_close,
	.sheet = sheet,
	.pre = pre,
	.figure = figure,
};
