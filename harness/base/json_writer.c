/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/base/json_writer.h"

#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/checked.h"

static void start(struct json_writer *w, FILE *file, enum json_style style)
{
	memset(w, 0, sizeof(*w));
	w->file = file;
	w->style = style;
}

void jw_to_file(struct json_writer *w, FILE *file, enum json_style style)
{
	start(w, file, style);
}

void jw_to_buffer(struct json_writer *w, enum json_style style)
{
	start(w, NULL, style);
}

static bool failed(const struct json_writer *w)
{
	return w->error.code != ERR_OK;
}

static void grow(struct json_writer *w, size_t extra)
{
	size_t needed, capacity;
	char *data;

	if (!checked_add_size(w->length, extra, &needed) || !checked_add_size(needed, 1, &needed) ||
	    !checked_mul_size(needed, 2, &capacity)) {
		err_set(&w->error, ERR_MEMORY, "JSON text too long");
		return;
	}
	if (needed <= w->capacity)
		return;
	data = realloc(w->data, capacity);
	if (!data) {
		err_set(&w->error, ERR_MEMORY, "no memory for %zu bytes of JSON", capacity);
		return;
	}
	w->data = data;
	w->capacity = capacity;
}

static void put(struct json_writer *w, const char *text, size_t length)
{
	if (failed(w))
		return;
	if (w->file) {
		if (length && fwrite(text, 1, length, w->file) != length)
			err_set(&w->error, ERR_IO, "cannot write JSON: %s", strerror(errno));
		return;
	}
	grow(w, length);
	if (failed(w))
		return;
	memcpy(w->data + w->length, text, length);
	w->length += length;
	w->data[w->length] = '\0';
}

static void put_text(struct json_writer *w, const char *text)
{
	put(w, text, strlen(text));
}

static void line(struct json_writer *w)
{
	if (w->style == JSON_ONE_LINE)
		return;
	put_text(w, "\n");
	for (int i = 0; i < w->depth; i++)
		put_text(w, "  ");
}

/* Length of the well-formed UTF-8 sequence at p (Unicode, table 3-7), or 0. */
static size_t utf8_length(const unsigned char *p, size_t left)
{
	unsigned char low = 0x80, high = 0xbf;
	size_t length;

	if (p[0] < 0x80)
		return 1;
	if (p[0] < 0xc2 || p[0] > 0xf4)
		return 0;
	length = p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
	if (left < length)
		return 0;
	if (p[0] == 0xe0)
		low = 0xa0; /* shorter forms exist */
	else if (p[0] == 0xed)
		high = 0x9f; /* surrogates */
	else if (p[0] == 0xf0)
		low = 0x90;
	else if (p[0] == 0xf4)
		high = 0x8f; /* above U+10FFFF */
	if (p[1] < low || p[1] > high)
		return 0;
	for (size_t i = 2; i < length; i++)
		if (p[i] < 0x80 || p[i] > 0xbf)
			return 0;
	return length;
}

static void put_escaped_byte(struct json_writer *w, unsigned char byte)
{
	static const char named[] = {
		['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r'
	};
	char text[8];

	if (byte == '"' || byte == '\\')
		snprintf(text, sizeof(text), "\\%c", byte);
	else if (byte < sizeof(named) && named[byte])
		snprintf(text, sizeof(text), "\\%c", named[byte]);
	else
		snprintf(text, sizeof(text), "\\u%04x", byte);
	put_text(w, text);
}

static void put_string(struct json_writer *w, const char *bytes, size_t length)
{
	const unsigned char *p = (const unsigned char *)bytes;
	size_t plain = 0; /* bytes before i not yet written */

	put_text(w, "\"");
	for (size_t i = 0; i < length;) {
		size_t sequence = utf8_length(p + i, length - i);
		bool escape = sequence == 1 &&
			      (p[i] < 0x20 || p[i] == 0x7f || p[i] == '"' || p[i] == '\\');

		if (sequence && !escape) {
			i += sequence;
			continue;
		}
		put(w, bytes + plain, i - plain);
		if (escape)
			put_escaped_byte(w, p[i]);
		else
			put_text(w, "\\ufffd");
		plain = ++i;
	}
	put(w, bytes + plain, length - plain);
	put_text(w, "\"");
}

/* Comma, line end and name before a value. False when a value may not stand here. */
static bool before_value(struct json_writer *w, const char *key)
{
	bool in_object = w->depth > 0 && w->in_object[w->depth - 1];

	if (failed(w))
		return false;
	if (w->depth == 0 && w->complete)
		err_set(&w->error, ERR_FAILED, "JSON: a second value at the top");
	else if (in_object && !key)
		err_set(&w->error, ERR_FAILED, "JSON: a member without a name");
	else if (!in_object && key)
		err_set(&w->error, ERR_FAILED, "JSON: \"%s\" named outside an object", key);
	if (failed(w))
		return false;
	if (w->depth > 0) {
		if (w->has_members[w->depth - 1])
			put_text(w, w->style == JSON_ONE_LINE ? ", " : ",");
		w->has_members[w->depth - 1] = true;
		line(w);
	}
	if (key) {
		put_string(w, key, strlen(key));
		put_text(w, ": ");
	}
	if (w->depth == 0)
		w->complete = true;
	return !failed(w);
}

static void begin(struct json_writer *w, const char *key, bool object)
{
	if (!failed(w) && w->depth == JSON_DEPTH)
		err_set(&w->error, ERR_FAILED, "JSON: nested more than %d deep", JSON_DEPTH);
	if (!before_value(w, key))
		return;
	put_text(w, object ? "{" : "[");
	w->in_object[w->depth] = object;
	w->has_members[w->depth] = false;
	w->depth++;
}

static void end(struct json_writer *w, bool object)
{
	bool had_members;

	if (failed(w))
		return;
	if (w->depth == 0 || w->in_object[w->depth - 1] != object) {
		err_set(&w->error, ERR_FAILED, "JSON: end of %s that is not open",
			object ? "an object" : "an array");
		return;
	}
	w->depth--;
	had_members = w->has_members[w->depth];
	if (had_members)
		line(w);
	put_text(w, object ? "}" : "]");
}

void jw_begin_object(struct json_writer *w, const char *key)
{
	begin(w, key, true);
}

void jw_end_object(struct json_writer *w)
{
	end(w, true);
}

void jw_begin_array(struct json_writer *w, const char *key)
{
	begin(w, key, false);
}

void jw_end_array(struct json_writer *w)
{
	end(w, false);
}

void jw_bytes(struct json_writer *w, const char *key, const char *bytes, size_t length)
{
	if (before_value(w, key))
		put_string(w, bytes, length);
}

void jw_string(struct json_writer *w, const char *key, const char *text)
{
	if (text)
		jw_bytes(w, key, text, strlen(text));
	else
		jw_null(w, key);
}

static void scalar(struct json_writer *w, const char *key, const char *text)
{
	if (before_value(w, key))
		put_text(w, text);
}

void jw_int(struct json_writer *w, const char *key, int64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRId64, value);
	scalar(w, key, text);
}

void jw_uint(struct json_writer *w, const char *key, uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	scalar(w, key, text);
}

void jw_bool(struct json_writer *w, const char *key, bool value)
{
	scalar(w, key, value ? "true" : "false");
}

void jw_null(struct json_writer *w, const char *key)
{
	scalar(w, key, "null");
}

void jw_double(struct json_writer *w, const char *key, double value)
{
	char text[40];

	if (failed(w))
		return;
	if (!isfinite(value)) {
		err_set(&w->error, ERR_FAILED, "JSON: %s is %s, which JSON cannot hold",
			key ? key : "a value", isnan(value) ? "not a number" : "infinite");
		return;
	}
	jw_format_double(text, sizeof(text), value);
	scalar(w, key, text);
}

void jw_format_double(char *text, size_t size, double value)
{
	const char *point = localeconv()->decimal_point;
	char *at;

	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, size, "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	at = *point ? strstr(text, point) : NULL;
	if (at) { /* a locale's decimal comma, perhaps of several bytes */
		*at = '.';
		memmove(at + 1, at + strlen(point), strlen(at + strlen(point)) + 1);
	} else if (!strpbrk(text, "e")) {
		strncat(text, ".0", size - strlen(text) - 1);
	}
}

int jw_finish(struct json_writer *w, struct err *e)
{
	if (!failed(w) && (w->depth != 0 || !w->complete))
		err_set(&w->error, ERR_FAILED, "JSON: %s",
			w->depth ? "an object or array was not ended" : "nothing was written");
	if (w->style == JSON_INDENTED)
		put_text(w, "\n");
	if (!failed(w) && w->file && fflush(w->file) != 0)
		err_set(&w->error, ERR_IO, "cannot write JSON: %s", strerror(errno));
	if (failed(w))
		return err_set(e, w->error.code, "%s", w->error.text);
	return 0;
}

void jw_destroy(struct json_writer *w)
{
	free(w->data);
	w->data = NULL;
	w->length = w->capacity = 0;
}
