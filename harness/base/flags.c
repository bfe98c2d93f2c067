/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/base/flags.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "harness/base/checked.h"
#include "harness/base/nearest.h"

int flag_parse_int(int64_t *out, const char *text, struct err *e)
{
	char *end;
	long long value;

	errno = 0;
	value = strtoll(text, &end, 10);
	if (end == text || *end != '\0' || text[0] == ' ')
		return err_set(e, ERR_USAGE, "'%s' is not an integer", text);
	if (errno == ERANGE)
		return err_set(e, ERR_USAGE, "%s does not fit in 64 bits", text);
	*out = value;
	return 0;
}

int flag_parse_real(double *out, const char *text, struct err *e)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end != '\0' || text[0] == ' ' || !isfinite(value))
		return err_set(e, ERR_USAGE, "'%s' is not a number", text);
	*out = value;
	return 0;
}

int flag_parse_bool(bool *out, const char *text, struct err *e)
{
	static const char *const yes[] = { "", "1", "t", "y", "on", "yes", "true" };
	static const char *const no[] = { "0", "f", "n", "off", "no", "false" };

	for (size_t i = 0; i < sizeof(yes) / sizeof(*yes); i++)
		if (strcasecmp(text, yes[i]) == 0) {
			*out = true;
			return 0;
		}
	for (size_t i = 0; i < sizeof(no) / sizeof(*no); i++)
		if (strcasecmp(text, no[i]) == 0) {
			*out = false;
			return 0;
		}
	return err_set(e, ERR_USAGE, "'%s' is neither true nor false", text);
}

static int parse_bytes(int64_t *value, const char *text, struct err *e)
{
	static const char suffixes[] = "KMGT";
	char number[32];
	size_t length = strlen(text);
	const char *suffix = length ? strchr(suffixes, text[length - 1]) : NULL;
	uint64_t unit = suffix ? UINT64_C(1) << 10 * (suffix - suffixes + 1) : 1, bytes;
	int64_t n = 0;

	length -= suffix != NULL;
	if (length < sizeof(number))
		snprintf(number, sizeof(number), "%.*s", (int)length, text);
	if (length >= sizeof(number) || flag_parse_int(&n, number, NULL) || n < 1)
		return err_set(e, ERR_USAGE, "'%s' is not a valid size (examples: 4096, 512M, 24G)",
			       text);
	if (!checked_mul_u64((uint64_t)n, unit, &bytes) || bytes > INT64_MAX)
		return err_set(e, ERR_USAGE, "size '%s' does not fit in 64 bits", text);
	*value = (int64_t)bytes;
	return 0;
}

static int parse_u64(uint64_t *out, const char *text, struct err *e)
{
	char *end;
	unsigned long long value;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end != '\0')
		return err_set(e, ERR_USAGE, "'%s' is not an unsigned integer", text);
	if (errno == ERANGE)
		return err_set(e, ERR_USAGE, "%s does not fit in 64 bits", text);
	*out = value;
	return 0;
}

static int parse_count(int64_t *out, const char *text, struct err *e)
{
	int status = flag_parse_int(out, text, e);

	if (status == 0 && *out < 0)
		return err_set(e, ERR_USAGE, "%s is negative", text);
	return status;
}

static int parse_positive_real(double *out, const char *text, struct err *e)
{
	int status = flag_parse_real(out, text, e);

	if (status == 0 && *out < 0)
		return err_set(e, ERR_USAGE, "%s is negative", text);
	return status;
}

static int list_append(struct flag_list *list, const char *text, struct err *e)
{
	if (list->count == FLAG_LIST_MAX)
		return err_set(e, ERR_USAGE, "given more than %d times", FLAG_LIST_MAX);
	list->values[list->count++] = text;
	return 0;
}

int flag_store(const struct flag *f, void *base, const char *text, struct err *e)
{
	void *where = (char *)base + f->offset;

	switch (f->type) {
	case FLAG_BOOL:
		return flag_parse_bool(where, text, e);
	case FLAG_INT:
		return flag_parse_int(where, text, e);
	case FLAG_COUNT:
		return parse_count(where, text, e);
	case FLAG_BYTES:
		return parse_bytes(where, text, e);
	case FLAG_U64:
		return parse_u64(where, text, e);
	case FLAG_REAL:
		return parse_positive_real(where, text, e);
	case FLAG_TEXT:
		*(const char **)where = text;
		return 0;
	case FLAG_LIST:
		return list_append(where, text, e);
	case FLAG_PARSED:
	case FLAG_OPTIONAL:
		return f->parse(where, text, e);
	}
	return err_set(e, ERR_USAGE, "unknown type of flag");
}

static const struct flag *find(const struct flag *const *tables, const char *name, size_t length)
{
	for (; *tables; tables++)
		for (const struct flag *f = *tables; f->name; f++)
			if (strlen(f->name) == length && memcmp(f->name, name, length) == 0)
				return f;
	return NULL;
}

/* Offers the nearest flags that --help shows. */
static int unknown_flag(const struct flag *const *tables, const char *name, size_t length,
			struct err *e)
{
	char wanted[NEAREST_LENGTH + 1], listed[NEAREST_LENGTH + 1];
	struct nearest n = { .wanted = wanted };
	int status = err_set(e, ERR_USAGE, "unknown flag --%.*s (see --help)", (int)length, name);

	snprintf(wanted, sizeof(wanted), "--%.*s", (int)length, name);
	for (; *tables; tables++)
		for (const struct flag *f = *tables; f->name; f++) {
			snprintf(listed, sizeof(listed), "--%s", f->name);
			if (f->help && *f->help)
				nearest_offer(&n, listed);
		}
	if (e)
		nearest_say(&n, e->text, sizeof(e->text));
	return status;
}

static int apply_environment(const struct flag *const *tables, void *base, struct err *e)
{
	for (; *tables; tables++)
		for (const struct flag *f = *tables; f->name; f++) {
			const char *text = f->environment ? getenv(f->environment) : NULL;

			if (text && flag_store(f, base, text, e)) {
				err_prefix(e, "environment variable %s", f->environment);
				return ERR_USAGE;
			}
		}
	return 0;
}

/* One argument; *used is 2 when the value was the next argument. */
static int apply_argument(const struct flag *const *tables, void *base, int argc, char **argv,
			  int *used, struct err *e)
{
	const char *name, *text;
	const struct flag *f;
	size_t length;

	*used = 1;
	if (strncmp(argv[0], "--", 2) != 0)
		return err_set(e, ERR_USAGE, "unexpected argument '%s' (see --help)", argv[0]);
	name = argv[0] + 2;
	text = strchr(name, '=');
	length = text ? (size_t)(text - name) : strlen(name);
	f = find(tables, name, length);
	if (!f)
		return unknown_flag(tables, name, length, e);
	if (text) {
		text++;
	} else if (f->type == FLAG_BOOL || f->type == FLAG_OPTIONAL) {
		text = "";
	} else if (argc > 1) {
		text = argv[1];
		*used = 2;
	} else {
		return err_set(e, ERR_USAGE, "--%s needs a value (%s)", f->name,
			       f->argument ? f->argument : "text");
	}
	if (flag_store(f, base, text, e)) {
		err_prefix(e, "--%s", f->name);
		return ERR_USAGE;
	}
	return 0;
}

int flags_parse(const struct flag *const *tables, void *base, int argc, char **argv, bool *help,
		struct err *e)
{
	*help = false;
	for (int i = 0; i < argc; i++)
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
			*help = true;
			return 0;
		}
	if (apply_environment(tables, base, e))
		return ERR_USAGE;
	for (int i = 0, used = 0; i < argc; i += used)
		if (apply_argument(tables, base, argc - i, argv + i, &used, e))
			return ERR_USAGE;
	return 0;
}

int flag_choose(int *choice, const char *flag, const char *text, const char *const *words,
		struct err *e)
{
	char all[80] = "";
	size_t used = 0;

	*choice = 0;
	for (int i = 0; words[i]; i++) {
		if (!text || strcmp(text, words[i]) == 0) {
			*choice = i;
			return 0;
		}
		if (used < sizeof(all))
			used += (size_t)snprintf(all + used, sizeof(all) - used, "%s%s",
						 i ? ", " : "", words[i]);
	}
	return err_set(e, ERR_USAGE, "--%s: '%s' is not one of %s", flag, text, all);
}

void flags_print(FILE *out, const struct flag *table)
{
	enum { LEFT_WIDTH = 44 };

	for (const struct flag *f = table; f->name; f++) {
		char left[96];

		if (f->type == FLAG_OPTIONAL)
			snprintf(left, sizeof(left), "--%s[=%s]", f->name, f->argument);
		else
			snprintf(left, sizeof(left), "--%s%s%s", f->name, f->argument ? "=" : "",
				 f->argument ? f->argument : "");
		if (strlen(left) > LEFT_WIDTH)
			fprintf(out, "  %s\n  %-*s %s", left, LEFT_WIDTH, "", f->help);
		else
			fprintf(out, "  %-*s %s", LEFT_WIDTH, left, f->help);
		if (f->environment)
			fprintf(out, " [%s]", f->environment);
		fputc('\n', out);
	}
}

int flags_refuse(const struct flag_refusal *list, size_t count, struct err *e)
{
	for (size_t i = 0; i < count; i++) {
		if (list[i].refused)
			return err_set(e, ERR_USAGE, "--%s: %s", list[i].flag, list[i].why);
	}
	return 0;
}
