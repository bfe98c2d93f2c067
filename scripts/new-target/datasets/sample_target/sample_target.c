/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "datasets/sample_target/sample_target.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/rng.h"
#include "harness/base/text_reader.h"

static int one_number(struct text_reader *r, int64_t *value, const char *name, struct err *e)
{
	const char *s;
	int status = text_next_line(r, e);

	if (status)
		return status;
	if (r->ended)
		return text_bad(r, e, "the file ends before %s", name);
	s = r->text;
	status = text_number(r, &s, value, name, e);
	return status || text_at_end(s) ? status : text_bad(r, e, "unexpected text after %s", name);
}

static int read_numbers(struct sample_target_instance *s, struct text_reader *r, struct err *e)
{
	int64_t n;
	int status = one_number(r, &n, "the count", e);

	if (!status && (n < 2 || n > SAMPLE_TARGET_MAX))
		status = text_bad(r, e, "the count is %" PRId64 ", but must be between 2 and %d", n,
				  SAMPLE_TARGET_MAX);
	for (int i = 0; !status && i < n; i++) {
		status = one_number(r, &s->number[i], "a number", e);
		if (!status && (s->number[i] < 1 || s->number[i] > INT32_MAX))
			status = text_bad(r, e, "%" PRId64 " is not between 1 and %d", s->number[i],
					  INT32_MAX);
	}
	if (!status)
		status = text_next_line(r, e);
	if (!status && !r->ended)
		status = text_bad(r, e, "more than %" PRId64 " numbers", n);
	if (!status)
		s->n = (int)n;
	return status;
}

static int from_file(struct sample_target_instance *s, const char *path, struct err *e)
{
	char line[256];
	struct text_reader r;
	int status = text_open(&r, path, line, sizeof(line), e);

	if (status)
		return status;
	status = read_numbers(s, &r, e);
	text_close(&r);
	snprintf(s->name, sizeof(s->name), "%s", text_base_name(path));
	return status;
}

/* N:SEED. Only digits are allowed, although sscanf accepts signs and spaces. */
static int from_name(struct sample_target_instance *s, const char *parameters, struct err *e)
{
	int n, used = 0;
	uint64_t seed;
	struct rng r;

	if (parameters[strspn(parameters, "0123456789:")] != '\0' ||
	    sscanf(parameters, "%4d:%19" SCNu64 "%n", &n, &seed, &used) < 2 ||
	    used != (int)strlen(parameters))
		return err_set(e, ERR_INPUT, "expected random:N:SEED");
	if (n < 2 || n > SAMPLE_TARGET_MAX)
		return err_set(e, ERR_INPUT, "N is %d, but must be between 2 and %d", n,
			       SAMPLE_TARGET_MAX);
	r = rng_seeded(seed);
	s->n = n;
	snprintf(s->name, sizeof(s->name), "random-n%d-s%" PRIu64, n, seed);
	for (int i = 0; i < n; i++)
		s->number[i] = rng_between(&r, 1, 1000000);
	return 0;
}

int sample_target_load(struct sample_target_instance *s, const char *name_or_file, struct err *e)
{
	static const char prefix[] = "random:";

	*s = (struct sample_target_instance){ .n = 0 };
	if (strncmp(name_or_file, prefix, strlen(prefix)) != 0)
		return from_file(s, name_or_file, e);
	return from_name(s, name_or_file + strlen(prefix), e) ? err_prefix(e, "%s", name_or_file) :
								0;
}

int64_t sample_target_evaluate(const struct sample_target_instance *s, const int64_t *heap)
{
	int64_t sum[2] = { 0, 0 };

	for (int i = 0; i < s->n; i++)
		sum[heap[i]] += s->number[i];
	return sum[0] > sum[1] ? sum[0] - sum[1] : sum[1] - sum[0];
}

/* reached[t]: whether a subset of the numbers has the sum t. */
static int64_t least_difference(const struct sample_target_instance *s, uint8_t *reached,
				int64_t total)
{
	int64_t t = total / 2;

	reached[0] = 1;
	for (int i = 0; i < s->n; i++)
		for (int64_t sum = total / 2; sum >= s->number[i]; sum--)
			reached[sum] |= reached[sum - s->number[i]];
	while (!reached[t])
		t--;
	return total - 2 * t;
}

int sample_target_oracle(const struct sample_target_instance *s, int64_t *difference, struct err *e)
{
	enum { MOST = 1 << 26 };
	int64_t total = 0;
	uint8_t *reached;

	for (int i = 0; i < s->n; i++)
		total += s->number[i];
	if (total > MOST)
		return err_set(e, ERR_UNSUPPORTED,
			       "the numbers sum to %" PRId64 ", too large for the oracle", total);
	reached = calloc((size_t)(total / 2 + 1), 1);
	if (!reached)
		return err_set(e, ERR_MEMORY, "out of memory");
	*difference = least_difference(s, reached, total);
	free(reached);
	return 0;
}
