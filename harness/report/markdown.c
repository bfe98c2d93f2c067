#include "harness/report/markdown.h"

#include <string.h>

static const struct {
	const char *mark;
	enum doc_span span;
} spans[] = { { "`", DOC_CODE }, { "**", DOC_STRONG }, { "*", DOC_EMPHASIS } };
enum { MARKS = sizeof(spans) / sizeof(spans[0]) };

/* A stretch of text as it stands. */
static void plain(struct doc *d, const char *from, size_t length)
{
	if (length)
		doc_print(d, "%.*s", (int)length, from);
}

/* The end of the span that begins at s with mark i, or NULL. */
static const char *span_end(const char *s, const char *end, size_t i)
{
	size_t width = strlen(spans[i].mark);
	if (strncmp(s, spans[i].mark, width) != 0)
		return NULL;
	const char *close = strstr(s + width, spans[i].mark);
	return close && close < end && close > s + width ? close : NULL;
}

void markdown_spans(struct doc *d, const char *source, size_t length)
{
	const char *end = source + length, *s = source, *begun = source;
	while (s < end) {
		const char *close = NULL;
		size_t i = 0;
		while (i < MARKS && !(close = span_end(s, end, i)))
			i++;
		if (!close) {
			s++;
			continue;
		}
		size_t width = strlen(spans[i].mark);
		plain(d, begun, (size_t)(s - begun));
		doc_begin(d, spans[i].span, TONE_PLAIN);
		if (spans[i].span == DOC_CODE)
			plain(d, s + width, (size_t)(close - s) - width);
		else
			markdown_spans(d, s + width, (size_t)(close - s) - width);
		doc_end(d);
		begun = s = close + width;
	}
	plain(d, begun, (size_t)(end - begun));
}

/* Closes what is open and opens what comes; lines of one block follow one another. */
static void change(struct doc *d, int *now, int to)
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

/* One block's text, its lines joined: a span may go over the end of a line. */
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

void markdown_write(struct doc *d, const char *source)
{
	int now = -1;
	while (*source) {
		size_t length = strcspn(source, "\n");
		if (strspn(source, " \t") >= length) {
			change(d, &now, -1);
			source += length + (source[length] == '\n');
		} else if (*source == '#') {
			struct text heading = { 0 };
			size_t marks = strspn(source, "# ");
			change(d, &now, -1);
			text_add_n(&heading, source + marks, length - marks);
			doc_heading(d, 4, NULL, text_get(&heading));
			text_free(&heading);
			source += length + (source[length] == '\n');
		} else {
			struct text block = { 0 };
			bool item = !strncmp(source, "- ", 2);
			change(d, &now, item ? DOC_ITEM : DOC_PARAGRAPH);
			source = gather(item ? source + 2 : source, &block);
			markdown_spans(d, text_get(&block), block.length);
			text_free(&block);
		}
	}
	change(d, &now, -1);
}
