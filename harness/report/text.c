/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/report/text.h"

#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/outfile.h"

enum { LARGEST_FILE = 256 << 20 };

static bool reserve(struct text *t, size_t more)
{
	if (t->failed || more > SIZE_MAX / 2 - t->length - 1) {
		t->failed = true;
		return false;
	}
	size_t need = t->length + more + 1;
	if (need <= t->capacity)
		return true;
	size_t capacity = need < 256 ? 256 : need * 2;
	char *data = realloc(t->data, capacity);
	if (!data) {
		t->failed = true;
		return false;
	}
	t->data = data;
	t->capacity = capacity;
	return true;
}

void text_add(struct text *t, const char *format, ...)
{
	va_list args, again;
	va_start(args, format);
	va_copy(again, args);
	int length = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (length < 0)
		t->failed = true;
	else if (reserve(t, (size_t)length)) {
		vsnprintf(t->data + t->length, (size_t)length + 1, format, again);
		t->length += (size_t)length;
	}
	va_end(again);
}

void text_add_n(struct text *t, const char *s, size_t length)
{
	if (!reserve(t, length))
		return;
	memcpy(t->data + t->length, s, length);
	t->length += length;
	t->data[t->length] = '\0';
}

/* The escape sequence of a character, or NULL if it needs none. */
static const char *escape(char c, enum text_kind kind)
{
	static const struct {
		char c;
		const char *html, *markdown, *latex;
	} table[] = {
		{ '&', "&amp;", NULL, "\\&" },
		{ '<', "&lt;", "&lt;", "\\textless{}" },
		{ '>', "&gt;", NULL, "\\textgreater{}" },
		{ '"', "&quot;", NULL, NULL },
		{ '|', NULL, "\\|", "\\textbar{}" },
		{ '*', NULL, "\\*", NULL },
		{ '_', NULL, "\\_", "\\_" },
		{ '%', NULL, NULL, "\\%" },
		{ '#', NULL, NULL, "\\#" },
		{ '$', NULL, NULL, "\\$" },
		{ '{', NULL, NULL, "\\{" },
		{ '}', NULL, NULL, "\\}" },
		{ '~', NULL, NULL, "\\textasciitilde{}" },
		{ '^', NULL, NULL, "\\textasciicircum{}" },
		{ '\\', NULL, "\\\\", "\\textbackslash{}" },
		{ '[', NULL, NULL,
		  "{[}" }, /* otherwise it would start an option of a preceding \\ or \item */
		{ '\n', NULL, " ", NULL },
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (table[i].c == c)
			return kind == TEXT_HTML     ? table[i].html :
			       kind == TEXT_MARKDOWN ? table[i].markdown :
			       kind == TEXT_LATEX    ? table[i].latex :
						       NULL;
	return NULL;
}

static void add_csv(struct text *t, const char *s)
{
	if (!s[strcspn(s, ",\"\n\r")]) {
		text_add(t, "%s", s);
		return;
	}
	text_add_n(t, "\"", 1);
	for (; *s; s++)
		text_add(t, "%s%c", *s == '"' ? "\"" : "", *s);
	text_add_n(t, "\"", 1);
}

void text_add_escaped(struct text *t, const char *s, enum text_kind kind)
{
	if (kind == TEXT_CSV) {
		add_csv(t, s);
		return;
	}
	for (; *s; s++) {
		const char *instead = escape(*s, kind);
		bool control = (unsigned char)*s < 32 && *s != '\n' && *s != '\t';
		control = control || (kind == TEXT_GNUPLOT && strchr("\n\"\\`", *s));
		if (instead)
			text_add(t, "%s", instead);
		else if (!control) /* control characters are not allowed in XML at all */
			text_add_n(t, s, 1);
	}
}

int text_ok(const struct text *t, struct err *e)
{
	return t->failed ? err_set(e, ERR_MEMORY, "out of memory while writing the report") : 0;
}

void text_free(struct text *t)
{
	free(t->data);
	*t = (struct text){ 0 };
}

int text_save(const struct text *t, const char *path, struct err *e)
{
	int status = text_ok(t, e);
	return status ? status : outfile_write(path, text_get(t), t->length, e);
}

int text_load(struct text *t, const char *path, struct err *e)
{
	*t = (struct text){ 0 };
	int status = outfile_read(path, LARGEST_FILE, &t->data, &t->length, e);
	if (status)
		return status;
	t->capacity = t->length + 1;
	if (strlen(t->data) != t->length) {
		text_free(t);
		return err_set(e, ERR_INPUT, "%s: not a text file: it contains a NUL byte", path);
	}
	return 0;
}

int text_copy(char **out, const char *s, struct err *e)
{
	*out = strdup(s);
	return *out ? 0 : err_set(e, ERR_MEMORY, "out of memory");
}

int text_path(char *out, struct err *e, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	int length = vsnprintf(out, PATH_MAX, format, args);
	va_end(args);
	return length >= 0 && length < PATH_MAX ? 0 : err_set(e, ERR_IO, "the path is too long");
}

int array_grow(void **array, size_t count, size_t size, struct err *e)
{
	/* the capacity is not stored: it doubles whenever the count is a power of two */
	if (count & (count - 1))
		return 0;
	size_t room = count ? count * 2 : 1;
	if (room > SIZE_MAX / size)
		return err_set(e, ERR_MEMORY, "out of memory");
	void *grown = realloc(*array, room * size);
	if (!grown)
		return err_set(e, ERR_MEMORY, "out of memory");
	*array = grown;
	return 0;
}

/* ---- links ---- */

static bool outside(const char *link)
{
	return strstr(link, "://");
}

/* The id to link to in a document of one file: the anchor, or the page if there is none. */
static const char *place(const char *link)
{
	const char *anchor = strchr(link, '#');
	return anchor ? anchor + 1 : link;
}

void text_add_link(struct text *out, const char *link, const char *s, enum text_kind kind)
{
	if (kind == TEXT_HTML) {
		text_add(out, outside(link) ? "<a href=\"" : "<a href=\"#");
		text_add_escaped(out, outside(link) ? link : place(link), kind);
		text_add(out, "\">");
	} else if (kind == TEXT_MARKDOWN) {
		text_add(out, "[");
	}
	text_add_escaped(out, s, kind);
	if (kind == TEXT_HTML)
		text_add(out, "</a>");
	else if (kind == TEXT_MARKDOWN && outside(link))
		text_add(out, "](%s)", link);
	else if (kind == TEXT_MARKDOWN)
		text_add(out, "](%.*s.md%s)", (int)strcspn(link, "#"), link,
			 link + strcspn(link, "#"));
}

/* ---- problems ---- */

void text_add_problem(struct text *problems, const char *message)
{
	for (; *message; message++)
		text_add_n(problems, *message == '\n' ? " " : message, 1);
	text_add_n(problems, "\n", 1);
}

int text_print_problems(const struct text *problems, const char *program, const char *what,
			struct err *e)
{
	size_t count = 0;
	for (const char *at = text_get(problems), *end; (end = strchr(at, '\n')); at = end + 1) {
		fprintf(stderr, "%s: %.*s\n", program, (int)(end - at), at);
		count++;
	}
	return count ? err_set(e, ERR_INPUT, "%zu %s%s left out", count, what,
			       count == 1 ? "" : "s") :
		       0;
}
