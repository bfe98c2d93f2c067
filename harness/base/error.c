/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int err_set(struct err *e, int code, const char *format, ...)
{
	if (e) {
		va_list args;
		e->code = code;
		va_start(args, format);
		vsnprintf(e->text, sizeof(e->text), format, args);
		va_end(args);
	}
	return code;
}

int err_prefix(struct err *e, const char *format, ...)
{
	char old[sizeof(e->text)];
	va_list args;
	int used;

	if (!e)
		return ERR_FAILED;
	memcpy(old, e->text, sizeof(old));
	va_start(args, format);
	used = vsnprintf(e->text, sizeof(e->text), format, args);
	va_end(args);
	if (used >= 0 && used < (int)sizeof(e->text) - 3)
		snprintf(e->text + used, sizeof(e->text) - (size_t)used, ": %.*s",
			 (int)sizeof(e->text) - used - 3, old);
	return e->code;
}

int err_merge(int status, int other, const struct err *text, struct err *e)
{
	if (other == 0 || (status != 0 && (status != ERR_LIMIT || other == ERR_LIMIT)))
		return status;
	return err_set(e, other, "%s", text->text);
}

int err_exit_code(int code)
{
	switch (code) {
	case ERR_OK:
		return 0;
	case ERR_USAGE:
	case ERR_INPUT:
		return 2;
	case ERR_LIMIT:
		return 3;
	case ERR_DEVICE:
	case ERR_UNSUPPORTED:
		return 4;
	default:
		return 1;
	}
}
