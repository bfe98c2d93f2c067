#include "markdown.h"

#include <string.h>

/* Escapes a stretch of text. */
static void plain(const char *from, size_t length, struct text *out)
{
	struct text copy = { 0 };
	text_add_n(&copy, from, length);
	text_add_escaped(out, text_get(&copy), TEXT_HTML);
	out->failed = out->failed || copy.failed;
	text_free(&copy);
}

static void inline_html(const char *s, size_t length, struct text *out)
{
	static const struct {
		const char *mark, *tag;
	} spans[] = { { "`", "code" }, { "**", "strong" }, { "*", "em" } };
	const char *end = s + length;
	while (s < end) {
		size_t i = 0, n = sizeof(spans) / sizeof(spans[0]), width = 0;
		const char *close = NULL;
		for (; i < n && !close; i++) {
			width = strlen(spans[i].mark);
			if (strncmp(s, spans[i].mark, width) != 0)
				continue;
			close = strstr(s + width, spans[i].mark);
			if (!close || close >= end || close == s + width)
				close = NULL;
			else
				break;
		}
		if (!close) {
			plain(s++, 1, out);
			continue;
		}
		text_add(out, "<%s>", spans[i].tag);
		if (*spans[i].mark == '`')
			plain(s + 1, (size_t)(close - s - 1), out);
		else
			inline_html(s + width, (size_t)(close - s) - width, out);
		text_add(out, "</%s>", spans[i].tag);
		s = close + width;
	}
}

enum block { NONE, PARAGRAPH, ITEM };

static void change(enum block *now, enum block to, struct text *out)
{
	if (*now == PARAGRAPH)
		text_add(out, "</p>\n");
	if (*now == ITEM)
		text_add(out, to == ITEM ? "</li>\n" : "</li>\n</ul>\n");
	if (to == PARAGRAPH)
		text_add(out, "<p>");
	if (to == ITEM)
		text_add(out, *now == ITEM ? "<li>" : "<ul>\n<li>");
	*now = to;
}

void markdown_html(const char *source, struct text *out)
{
	enum block now = NONE;
	while (*source) {
		size_t length = strcspn(source, "\n"), indent = strspn(source, " \t");
		if (indent >= length) {
			change(&now, NONE, out);
		} else if (*source == '#') {
			size_t marks = strspn(source, "# ");
			change(&now, NONE, out);
			text_add(out, "<h4>");
			inline_html(source + marks, length - marks, out);
			text_add(out, "</h4>\n");
		} else {
			bool item = !strncmp(source, "- ", 2);
			if (item || now == NONE)
				change(&now, item ? ITEM : PARAGRAPH, out);
			else
				text_add(out, "\n");
			size_t skip = item ? 2 : indent;
			inline_html(source + skip, length - skip, out);
		}
		source += length + (source[length] == '\n');
	}
	change(&now, NONE, out);
}
