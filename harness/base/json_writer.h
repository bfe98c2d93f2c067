/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* JSON output, streamed to a FILE or into a growing buffer.
 *
 * The project reads JSON with jansson (json_file.h), but writes result files and journals with this
 * module: it writes rows as they are made, replaces invalid UTF-8, prints the shortest decimal that
 * reads back to the same value, and names the member that has an invalid number.
 *
 *     struct json_writer w;
 *     jw_to_file(&w, stream, JSON_INDENTED);
 *     jw_begin_object(&w, NULL);
 *     jw_int(&w, "iterations", 12);
 *     jw_begin_array(&w, "caches");
 *     jw_string(&w, NULL, "L1");
 *     jw_end_array(&w);
 *     jw_end_object(&w);
 *     status = jw_finish(&w, e);
 *
 * `key` is the member's name inside an object and NULL inside an array or at the top. The first
 * error (a number that is NaN or infinite, a missing or superfluous key, an unbalanced end, a
 * failed write, no memory) is kept and names the key; later calls do nothing, and jw_finish()
 * returns it. So a document is either complete and valid, or an error is reported.
 *
 * Strings may hold any bytes: control characters are escaped and each byte that is not part of
 * well-formed UTF-8 becomes U+FFFD. Doubles are the shortest decimal that reads back to the same
 * value, always with a '.' or an exponent, whatever the locale. Indentation is Google Benchmark's
 * (two spaces a level); JSON_ONE_LINE has no line ends inside, for journals. (The prefix is
 * jw_, because jansson owns json_.) */
#ifndef COPRA_BASE_JSON_WRITER_H
#define COPRA_BASE_JSON_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "harness/base/error.h"

enum { JSON_DEPTH = 32 };
enum json_style { JSON_INDENTED, JSON_ONE_LINE };

struct json_writer {
	FILE *file; /* NULL: the buffer below */
	char *data; /* the text so far, NUL-terminated; NULL when empty */
	size_t length, capacity;
	enum json_style style;
	int depth;
	bool in_object[JSON_DEPTH];
	bool has_members[JSON_DEPTH];
	bool complete; /* the top value has been written */
	struct err error;
};

void jw_to_file(struct json_writer *w, FILE *file, enum json_style style);
void jw_to_buffer(struct json_writer *w, enum json_style style);

void jw_begin_object(struct json_writer *w, const char *key);
void jw_end_object(struct json_writer *w);
void jw_begin_array(struct json_writer *w, const char *key);
void jw_end_array(struct json_writer *w);

void jw_string(struct json_writer *w, const char *key, const char *text); /* NULL: null */
void jw_bytes(struct json_writer *w, const char *key, const char *bytes, size_t length);
void jw_int(struct json_writer *w, const char *key, int64_t value);
void jw_uint(struct json_writer *w, const char *key, uint64_t value);
void jw_double(struct json_writer *w, const char *key, double value);
void jw_bool(struct json_writer *w, const char *key, bool value);
void jw_null(struct json_writer *w, const char *key);

/* Ends the document: a final line end, a flush of the FILE. Returns the first error of all calls;
 * ERR_FAILED for a wrong value or nesting, ERR_IO, ERR_MEMORY. */
int jw_finish(struct json_writer *w, struct err *e);
/* Frees the buffer; allowed at any time and twice. */
void jw_destroy(struct json_writer *w);

/* Shortest decimal form of a finite double into `text` (at least 32 bytes): 0.1, 3.0, 1e+300. */
void jw_format_double(char *text, size_t size, double value);

#endif
