/* Values of an axis: those of the scale, or those given with --copra_axis. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/bench/bench_run.h"

enum { AXIS_VALUES_MOST = 4096 };

/* The text after "name=" of the last --copra_axis for this axis, or NULL. */
static const char *replacement(const struct bench_selection *s, const char *axis)
{
	size_t length = strlen(axis);

	for (int i = s->axes.count - 1; i >= 0; i--) {
		const char *text = s->axes.values[i];

		if (strncmp(text, axis, length) == 0 && text[length] == '=')
			return text + length + 1;
	}
	return NULL;
}

static int add(struct bench_axis_values *v, struct bench_parameter value, struct err *e)
{
	struct bench_parameter *at;

	if (v->count == AXIS_VALUES_MOST)
		return err_set(e, ERR_USAGE, "more than %d values", AXIS_VALUES_MOST);
	at = realloc(v->at, (size_t)(v->count + 1) * sizeof(*at));
	if (!at)
		return err_set(e, ERR_MEMORY, "no memory for the values of an axis");
	v->at = at;
	v->at[v->count++] = value;
	return 0;
}

static int add_range(struct bench_axis_values *v, char *text, struct err *e)
{
	int64_t part[3] = { 0, 0, 1 };
	int parts = 0;

	for (char *rest = text, *one; (one = strsep(&rest, ":")) != NULL; parts++) {
		if (parts == 3)
			return err_set(e, ERR_USAGE, "a range is first:last or first:last:step");
		if (flag_parse_int(&part[parts], one, e))
			return ERR_USAGE;
	}
	if (part[2] <= 0 || part[0] > part[1])
		return err_set(e, ERR_USAGE, "empty range %lld:%lld:%lld", (long long)part[0],
			       (long long)part[1], (long long)part[2]);
	for (int64_t x = part[0];;) {
		int status = add(v, (struct bench_parameter){ .number = x }, e);

		if (status)
			return status;
		if (__builtin_add_overflow(x, part[2], &x) || x > part[1])
			return 0;
	}
}

static int add_number(struct bench_axis_values *v, char *text, struct err *e)
{
	struct bench_parameter value = { 0 };

	if (strchr(text, ':'))
		return add_range(v, text, e);
	if (flag_parse_int(&value.number, text, e))
		return ERR_USAGE;
	return add(v, value, e);
}

/* Keeps a copy of the text for as long as the plan lives: cases point into it. */
static char *keep(struct bench_plan *owner, const char *text)
{
	char **texts = realloc(owner->texts, (size_t)(owner->text_count + 1) * sizeof(*texts));
	char *copy = strdup(text);

	if (texts)
		owner->texts = texts;
	if (!texts || !copy) {
		free(copy);
		return NULL;
	}
	return owner->texts[owner->text_count++] = copy;
}

static int parse_list(struct bench_axis_values *v, const struct bench_axis *axis, const char *list,
		      struct bench_plan *owner, struct err *e)
{
	char *rest = keep(owner, list);

	if (!rest)
		return err_set(e, ERR_MEMORY, "no memory for --copra_axis");
	for (char *one; (one = strsep(&rest, ",")) != NULL;) {
		int status;

		if (*one == '\0')
			status = err_set(e, ERR_USAGE, "an empty value");
		else if (axis->type == BENCH_INT)
			status = add_number(v, one, e);
		else
			status = add(v, (struct bench_parameter){ .text = one }, e);
		if (status) {
			err_prefix(e, "--copra_axis=%s=%s", axis->name, list);
			return status;
		}
	}
	return 0;
}

static int values_of_scale(struct bench_axis_values *v, const struct bench_axis *axis,
			   enum bench_scale scale, struct err *e)
{
	int level = (int)scale;
	const struct bench_values *values = &axis->values[level];

	while (values->count == 0 && level > 0)
		values = &axis->values[--level];
	for (int i = 0; i < values->count; i++) {
		struct bench_parameter value = { 0 };
		int status;

		if (axis->type == BENCH_INT)
			value.number = values->ints[i];
		else
			value.text = values->texts[i];
		status = add(v, value, e);
		if (status)
			return status;
	}
	if (v->count == 0)
		return err_set(e, ERR_FAILED, "axis '%s' has no values", axis->name);
	return 0;
}

int bench_axis_values(struct bench_axis_values *v, const struct bench_axis *axis,
		      const struct bench_selection *s, struct bench_plan *owner, struct err *e)
{
	const char *list = replacement(s, axis->name);

	*v = (struct bench_axis_values){ 0 };
	return list ? parse_list(v, axis, list, owner, e) : values_of_scale(v, axis, s->scale, e);
}

static bool any_has_axis(const struct bench *const *benches, int count, const char *name,
			 size_t length)
{
	for (int i = 0; i < count; i++)
		for (const struct bench_axis *a = benches[i]->axes; a && a->name; a++)
			if (strlen(a->name) == length && memcmp(a->name, name, length) == 0)
				return true;
	return false;
}

int bench_axes_check(const struct bench_selection *s, const struct bench *const *benches, int count,
		     struct err *e)
{
	for (int i = 0; i < s->axes.count; i++) {
		const char *text = s->axes.values[i], *equals = strchr(text, '=');

		if (!equals || equals == text)
			return err_set(
				e, ERR_USAGE,
				"--copra_axis=%s: expected name=v1,v2 or name=first:last:step",
				text);
		if (!any_has_axis(benches, count, text, (size_t)(equals - text)))
			return err_set(e, ERR_USAGE, "--copra_axis=%s: no benchmark has this axis",
				       text);
	}
	return 0;
}
