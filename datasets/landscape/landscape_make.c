/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "datasets/landscape/landscape_make.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { DATA_MAX = 1 << 28 };

int landscape_new_source(struct landscape *l, size_t size, const struct landscape_oracle *oracle,
			 struct err *e)
{
	struct landscape_source *s = calloc(1, size);

	if (!s)
		return err_set(e, ERR_MEMORY, "no memory");
	s->oracle = oracle;
	l->source = s;
	return 0;
}

int landscape_new_data(struct landscape *l, int64_t count, struct err *e)
{
	if (count > DATA_MAX)
		return err_set(e, ERR_INPUT,
			       "%" PRId64 " table values are more than the limit of %d", count,
			       DATA_MAX);
	l->data_count = (size_t)count;
	l->data = calloc(l->data_count, sizeof(*l->data));
	return l->data ? 0 : err_set(e, ERR_MEMORY, "no memory for %" PRId64 " values", count);
}

int landscape_set_bounds(struct landscape *l, int64_t least, int64_t greatest, struct err *e)
{
	if (least < INT32_MIN || greatest > INT32_MAX)
		return err_set(e, ERR_INPUT,
			       "values from %" PRId64 " to %" PRId64 " do not fit in 32 bits",
			       least, greatest);
	l->least = (int32_t)least;
	l->greatest = (int32_t)greatest;
	return 0;
}

int landscape_numbers(const char *text, int64_t *values, int most)
{
	for (int count = 0; count < most; text++) {
		size_t digits = strspn(text, "0123456789");

		if (digits < 1 || digits > 18)
			return -1;
		values[count++] = strtoll(text, NULL, 10);
		text += digits;
		if (*text == '\0')
			return count;
		if (*text != ':')
			return -1;
	}
	return -1;
}

int landscape_check_variables(int64_t n, struct err *e)
{
	if (n < 1 || n > LANDSCAPE_VARIABLES_MAX)
		return err_set(e, ERR_INPUT, "%" PRId64 " variables are not in 1..%d", n,
			       LANDSCAPE_VARIABLES_MAX);
	return 0;
}
