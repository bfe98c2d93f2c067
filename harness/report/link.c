#include "harness/report/link.h"

#include <string.h>

static bool outside(const char *link)
{
	return strstr(link, "://");
}

/* The name of the place in a document of one file: the anchor, or the page. */
static const char *place(const char *link)
{
	const char *anchor = strchr(link, '#');
	return anchor ? anchor + 1 : link;
}

void link_open(struct text *out, const char *link, enum text_kind kind)
{
	if (kind == TEXT_HTML) {
		text_add(out, outside(link) ? "<a href=\"" : "<a href=\"#");
		text_add_escaped(out, outside(link) ? link : place(link), kind);
		text_add(out, "\">");
	} else if (kind == TEXT_MARKDOWN) {
		text_add(out, "[");
	}
}

void link_close(struct text *out, const char *link, enum text_kind kind)
{
	if (kind == TEXT_HTML)
		text_add(out, "</a>");
	else if (kind == TEXT_MARKDOWN && outside(link))
		text_add(out, "](%s)", link);
	else if (kind == TEXT_MARKDOWN)
		text_add(out, "](%.*s.md%s)", (int)strcspn(link, "#"), link,
			 link + strcspn(link, "#"));
}
