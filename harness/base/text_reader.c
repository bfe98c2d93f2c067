/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/base/text_reader.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

int text_open(struct text_reader *r, const char *path, char *buffer, size_t size, struct err *e)
{
	*r = (struct text_reader){ .path = path, .text = buffer, .size = size };
	r->file = fopen(path, "r");
	return r->file ? 0 : err_set(e, ERR_INPUT, "%s: %m", path);
}

void text_close(struct text_reader *r)
{
	fclose(r->file);
	r->file = NULL;
}

int text_bad(const struct text_reader *r, struct err *e, const char *format, ...)
{
	char what[256];
	va_list ap;

	va_start(ap, format);
	vsnprintf(what, sizeof(what), format, ap);
	va_end(ap);
	return err_set(e, ERR_INPUT, "%s:%" PRId64 ": %s", r->path, r->line, what);
}

/* Reads any line, without its line end. It reads byte by byte to detect a NUL in the last line. */
static int any_line(struct text_reader *r, struct err *e)
{
	size_t length = 0;
	int c;

	r->line++;
	while ((c = getc_unlocked(r->file)) != EOF && c != '\n') {
		if (c == '\0')
			return text_bad(r, e, "a NUL byte: not text");
		if (length + 1 >= r->size)
			return text_bad(r, e, "line too long");
		r->text[length++] = (char)c;
	}
	r->text[length] = '\0';
	if (c == EOF && ferror(r->file))
		return err_set(e, ERR_INPUT, "%s: cannot be read: %m", r->path);
	r->ended = c == EOF && length == 0;
	return 0;
}

int text_next_line(struct text_reader *r, struct err *e)
{
	int status;

	do {
		status = any_line(r, e);
	} while (!status && !r->ended && text_at_end(r->text));
	return status;
}

int text_number(const struct text_reader *r, const char **s, int64_t *value, const char *name,
		struct err *e)
{
	const char *p = *s + strspn(*s, " \t");

	*value = 0;
	if (*p == '-' && isdigit((unsigned char)p[1]))
		return text_bad(r, e, "%s is negative", name);
	if (text_at_end(p))
		return text_bad(r, e, "%s is missing", name);
	if (!isdigit((unsigned char)*p))
		return text_bad(r, e, "%s is not an integer", name);
	for (; isdigit((unsigned char)*p); p++)
		if (__builtin_mul_overflow(*value, 10, value) ||
		    __builtin_add_overflow(*value, *p - '0', value))
			return text_bad(r, e, "%s does not fit in 64 bits", name);
	if (!strchr(" \t\r", *p))
		return text_bad(r, e, "%s is not an integer", name);
	*s = p;
	return 0;
}

bool text_at_end(const char *s)
{
	return s[strspn(s, " \t\r")] == '\0';
}

const char *text_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}
