/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* JSON files as jansson values. (json_writer.h writes documents that are streamed or whose text
 * must be exact.) */
#ifndef COPRA_BASE_JSON_FILE_H
#define COPRA_BASE_JSON_FILE_H

#include <jansson.h>

#include "harness/base/error.h"

/* Reads a file of at most 256 MiB. Names that occur twice in an object are refused. The caller
 * releases *out with json_decref. Errors: ERR_IO, ERR_MEMORY; ERR_INPUT names file, line and
 * column. */
int json_file_read(json_t **out, const char *path, struct err *e);

/* Writes a value atomically, with numbers of 15 digits. Takes no reference; value NULL (no memory
 * to make it) gives ERR_MEMORY. */
int json_file_save(const json_t *value, const char *path, struct err *e);

/* The same, or to standard output if the path is "-". ERR_IO if that fails; the caller flushes. */
int json_file_write(const json_t *value, const char *path, struct err *e);

/* The string member of an object; "" if it has none of that name. */
const char *json_text(const json_t *object, const char *key);

#endif
