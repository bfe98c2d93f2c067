/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/base/json_file.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/outfile.h"

int json_file_read(json_t **out, const char *path, struct err *e)
{
	enum { LARGEST = 256 << 20 };
	json_error_t error;
	size_t length;
	char *text;
	int status = outfile_read(path, LARGEST, &text, &length, e);

	*out = NULL;
	if (status)
		return status;
	*out = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
	free(text);
	if (!*out)
		return err_set(e, ERR_INPUT, "%s:%d:%d: %s", path, error.line, error.column,
			       error.text);
	return 0;
}

int json_file_save(const json_t *value, const char *path, struct err *e)
{
	char *text = value ? json_dumps(value, JSON_INDENT(2) | JSON_REAL_PRECISION(15)) : NULL;
	int status;

	if (!text)
		return err_set(e, ERR_MEMORY, "no memory for %s", path);
	status = outfile_write(path, text, strlen(text), e);
	free(text);
	return status;
}

int json_file_write(const json_t *value, const char *path, struct err *e)
{
	if (strcmp(path, "-") != 0)
		return json_file_save(value, path, e);
	if (!value)
		return err_set(e, ERR_MEMORY, "no memory for the JSON on standard output");
	if (json_dumpf(value, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(15)) || puts("") < 0)
		return err_set(e, ERR_IO, "cannot write to standard output");
	return 0;
}

const char *json_text(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}
