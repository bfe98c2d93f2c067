/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/report/data/blocks.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct reader {
	struct block block;
	bool begun; /* a block has begun */
	int line;
	struct block_field *last; /* the field that an indented line continues */
	block_entry *entry;
	void *ctx;
};

static const char blanks[] = " \t\r";

static int fail(const struct reader *r, size_t column, const char *what, struct err *e)
{
	return err_set(e, ERR_INPUT, "%s:%d:%zu: %s", r->block.path, r->line, column, what);
}

static const char *name_of(const char *key)
{
	return key + (*key == '?');
}

/* Appends a part of a value that begins at the offset `at` of the line. */
static int add_part(struct reader *r, const char *line, size_t at, size_t end, struct err *e)
{
	struct block_field *f = r->last;
	while (end > at && strchr(blanks, line[end - 1]))
		end--;
	if (at >= end)
		return 0;
	int status = array_grow((void **)&f->part, f->parts, sizeof(*f->part), e);
	if (status)
		return status;
	text_add(&f->value, "%s", f->value.length ? " " : "");
	f->part[f->parts++] = (struct block_part){ f->value.length, r->line, (int)at + 1 };
	text_add_n(&f->value, line + at, end - at);
	return text_ok(&f->value, e);
}

static void clear(struct reader *r)
{
	for (size_t i = 0; i < BLOCK_FIELDS; i++) {
		text_free(&r->block.field[i].value);
		free(r->block.field[i].part);
		r->block.field[i] = (struct block_field){ 0 };
	}
	r->last = NULL;
}

/* Checks the block that ends here and passes it on. */
static int end_block(struct reader *r, struct err *e)
{
	const struct block *b = &r->block;
	int status = 0;
	if (!r->begun)
		return 0;
	for (size_t i = 0; b->keys[i] && !status; i++)
		if (b->keys[i][0] != '?' && !b->field[i].value.length)
			status = block_fail(b, 0, 0, e, "%s '%s' has no field '%s'", b->keys[0],
					    block_get(b, 0), b->keys[i]);
	if (!status)
		status = r->entry(r->ctx, b, e);
	clear(r);
	return status;
}

static int unknown_key(const struct reader *r, const char *key, size_t length, struct err *e)
{
	struct text what = { 0 };
	text_add(&what, "unknown field '%.*s' (", (int)(length < 40 ? length : 40), key);
	for (size_t i = 0; r->block.keys[i]; i++)
		text_add(&what, "%s%s", i ? ", " : "", name_of(r->block.keys[i]));
	text_add(&what, ")");
	int status = text_ok(&what, e);
	if (!status)
		status = fail(r, 1, text_get(&what), e);
	text_free(&what);
	return status;
}

/* A line that begins with a key. */
static int read_field(struct reader *r, const char *line, size_t length, struct err *e)
{
	size_t key = 0, i = 0;
	while (key < length && !strchr(blanks, line[key]))
		key++;
	while (r->block.keys[i] && (strlen(name_of(r->block.keys[i])) != key ||
				    strncmp(name_of(r->block.keys[i]), line, key) != 0))
		i++;
	if (!r->block.keys[i])
		return unknown_key(r, line, key, e);
	if (i == 0) {
		int status = end_block(r, e);
		if (status)
			return status;
		r->begun = true;
	} else if (!r->begun) {
		return fail(r, 1, "a field before the first block", e);
	}
	r->last = &r->block.field[i];
	if (r->last->value.length)
		return fail(r, 1, "this field is given twice", e);
	size_t at = key;
	while (at < length && strchr(blanks, line[at]))
		at++;
	return at < length ? add_part(r, line, at, length, e) :
			     fail(r, key + 1, "the field has no value", e);
}

static int read_line(struct reader *r, const char *line, size_t length, struct err *e)
{
	size_t indent = 0;
	while (indent < length && strchr(blanks, line[indent]))
		indent++;
	if (indent == length || *line == '#')
		return 0;
	if (!indent)
		return read_field(r, line, length, e);
	return r->last ? add_part(r, line, indent, length, e) :
			 fail(r, indent + 1, "an indented line before the first field", e);
}

int blocks_read(const char *path, const char *const *keys, block_entry *entry, void *ctx,
		struct err *e)
{
	struct reader r = { .block = { .path = path, .keys = keys }, .entry = entry, .ctx = ctx };
	struct text all;
	if (access(path, F_OK) != 0)
		return 0;
	int status = text_load(&all, path, e);
	const char *at = status ? "" : text_get(&all);
	for (r.line = 1; *at && !status; r.line++) {
		size_t length = strcspn(at, "\n");
		status = read_line(&r, at, length, e);
		at += length + (at[length] == '\n');
	}
	if (!status)
		status = end_block(&r, e);
	clear(&r);
	text_free(&all);
	return status;
}

/* ---- errors ---- */

static int fail_at(const struct block *b, size_t field, size_t offset, int code, const char *what,
		   struct err *e)
{
	const struct block_field *f = b->field[field].parts ? &b->field[field] : &b->field[0];
	int line = 1, column = 1;
	for (size_t i = 0; i < f->parts && (i == 0 || f->part[i].offset <= offset); i++) {
		line = f->part[i].line;
		column = f->part[i].column + (int)(offset - f->part[i].offset);
	}
	return err_set(e, code, "%s:%d:%d: %s", b->path, line, column, what);
}

int block_fail(const struct block *b, size_t field, size_t offset, struct err *e,
	       const char *format, ...)
{
	char what[400];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(what, sizeof(what), format, arguments);
	va_end(arguments);
	return fail_at(b, field, offset, ERR_INPUT, what, e);
}

int block_fail_expression(const struct block *b, size_t field, size_t offset, struct err *e)
{
	int column = 1, length = 0;
	char what[400];
	if (!e)
		return ERR_INPUT;
	if (e->code != ERR_INPUT)
		return e->code;
	if (sscanf(e->text, "column %d: %n", &column, &length) < 1 || column < 1)
		column = 1;
	snprintf(what, sizeof(what), "%.399s", e->text + length);
	return fail_at(b, field, offset + (size_t)column - 1, ERR_INPUT, what, e);
}
