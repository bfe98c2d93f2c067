/* The product of the axes, named and filtered. */
#include <inttypes.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/bench/bench_run.h"

enum { PLAN_CASES_MOST = 1000000 };

/* Google Benchmark's filter: a POSIX extended regular expression found anywhere in the name; a
 * leading '-' selects what does not match; empty and "all" select everything. */
struct filter {
	bool everything, negated;
	regex_t regex;
};

static int filter_create(struct filter *f, const char *text, struct err *e)
{
	char reason[160];
	int code;

	*f = (struct filter){ 0 };
	if (!text || !*text || strcmp(text, "all") == 0) {
		f->everything = true;
		return 0;
	}
	if (*text == '-') {
		f->negated = true;
		text++;
	}
	code = regcomp(&f->regex, text, REG_EXTENDED | REG_NOSUB);
	if (code == 0)
		return 0;
	regerror(code, &f->regex, reason, sizeof(reason));
	return err_set(e, ERR_USAGE, "--benchmark_filter: '%s': %s", text, reason);
}

static bool filter_selects(const struct filter *f, const char *name)
{
	return f->everything || (regexec(&f->regex, name, 0, NULL, 0) == 0) != f->negated;
}

static void filter_destroy(struct filter *f)
{
	if (!f->everything)
		regfree(&f->regex);
}

static int append(struct bench_case *c, size_t *used, const char *separator, const char *text,
		  struct err *e)
{
	int n = snprintf(c->name + *used, sizeof(c->name) - *used, "%s%s", separator, text);

	if (n < 0 || (size_t)n >= sizeof(c->name) - *used)
		return err_set(e, ERR_USAGE, "the name of a case of %s is longer than %d bytes",
			       c->bench->name, BENCH_NAME - 1);
	*used += (size_t)n;
	return 0;
}

static int make_name(struct bench_case *c, struct err *e)
{
	size_t used = 0;
	int status = append(c, &used, "", c->bench->name, e);

	for (int i = 0; i < c->axis_count && status == 0; i++) {
		const struct bench_axis *a = &c->bench->axes[i];
		char number[32];
		const char *text = c->parameters[i].text;

		if (a->type == BENCH_INT) {
			snprintf(number, sizeof(number), "%" PRId64, c->parameters[i].number);
			text = number;
		}
		if (!a->bare) {
			status = append(c, &used, "/", a->name, e);
			if (status == 0)
				status = append(c, &used, ":", text, e);
		} else {
			status = append(c, &used, "/", text, e);
		}
	}
	if (status == 0 && c->manual)
		status = append(c, &used, "/manual_time", "", e);
	return status;
}

static struct bench_case *grow(struct bench_plan *p, struct err *e)
{
	if (p->count == PLAN_CASES_MOST) {
		err_set(e, ERR_USAGE, "more than %d cases", PLAN_CASES_MOST);
		return NULL;
	}
	if (p->count == p->capacity) {
		int capacity = p->capacity ? 2 * p->capacity : 64;
		struct bench_case *cases = realloc(p->cases, (size_t)capacity * sizeof(*cases));

		if (!cases) {
			err_set(e, ERR_MEMORY, "no memory for %d cases", capacity);
			return NULL;
		}
		p->cases = cases;
		p->capacity = capacity;
	}
	return &p->cases[p->count];
}

struct expansion {
	const struct bench *bench;
	int family_index, instance_index;
	int axis_count;
	struct bench_axis_values values[BENCH_AXES];
	const struct bench_selection *selection;
	const struct bench_setting *setting;
	const struct filter *filter;
};

/* Adds the case of one point of the product if it exists and is selected. */
static int add_point(struct bench_plan *p, struct expansion *x, const int *index, struct err *e)
{
	const struct bench *b = x->bench;
	struct bench_case *c = grow(p, e);

	if (!c)
		return e->code;
	*c = (struct bench_case){ .bench = b,
				  .setting = x->setting,
				  .axis_count = x->axis_count,
				  .family_index = x->family_index };
	for (int i = 0; i < x->axis_count; i++)
		c->parameters[i] = x->values[i].at[index[i]];
	if (b->exists && !b->exists(c))
		return 0;
	c->manual = b->is_manual ? b->is_manual(c) : b->manual_time;
	c->instance_index = x->instance_index++;
	if (x->selection->unit_given)
		c->unit = x->selection->unit;
	else if (b->unit && bench_unit_parse(&c->unit, b->unit, e))
		return err_set(e, ERR_FAILED, "benchmark %s: unit '%s'", b->name, b->unit);
	if (make_name(c, e))
		return e->code;
	if (filter_selects(x->filter, c->name))
		p->count++;
	return 0;
}

/* All points, the last axis fastest. */
static int add_product(struct bench_plan *p, struct expansion *x, struct err *e)
{
	int index[BENCH_AXES] = { 0 };

	for (;;) {
		int i, status = add_point(p, x, index, e);

		if (status)
			return status;
		for (i = x->axis_count - 1; i >= 0 && ++index[i] == x->values[i].count; i--)
			index[i] = 0;
		if (i < 0)
			return 0;
	}
}

static int expand(struct bench_plan *p, struct expansion *x, struct err *e)
{
	int status = 0;

	x->axis_count = 0;
	x->instance_index = 0;
	for (const struct bench_axis *a = x->bench->axes; a && a->name && status == 0; a++) {
		if (x->axis_count == BENCH_AXES)
			status = err_set(e, ERR_FAILED, "benchmark %s has more than %d axes",
					 x->bench->name, BENCH_AXES);
		else
			status = bench_axis_values(&x->values[x->axis_count++], a, x->selection, p,
						   e);
	}
	if (status == 0)
		status = add_product(p, x, e);
	for (int i = 0; i < x->axis_count; i++)
		free(x->values[i].at);
	return status;
}

static int check_registry(const struct bench *const *benches, int count, struct err *e)
{
	for (int i = 0; i < count; i++) {
		const struct bench *b = benches[i];

		if (!b)
			return err_set(e, ERR_FAILED, "too many benchmarks are registered");
		if (!b->name || !*b->name)
			return err_set(e, ERR_FAILED, "a benchmark has no name");
		if (!b->run || !b->check)
			return err_set(e, ERR_FAILED,
				       "benchmark %s has no %s: no oracle, no number", b->name,
				       b->run ? "check()" : "run()");
		for (int j = 0; j < i; j++)
			if (strcmp(benches[j]->name, b->name) == 0)
				return err_set(e, ERR_FAILED, "two benchmarks are named %s",
					       b->name);
	}
	return 0;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Two rows of one name cannot be told apart by any reader of the results. */
static int check_names(const struct bench_plan *p, struct err *e)
{
	const char **names = malloc((size_t)p->count * sizeof(*names));
	int status = 0;

	if (!names)
		return p->count ? err_set(e, ERR_MEMORY, "no memory for %d names", p->count) : 0;
	for (int i = 0; i < p->count; i++)
		names[i] = p->cases[i].name;
	qsort(names, (size_t)p->count, sizeof(*names), compare_names);
	for (int i = 1; i < p->count && status == 0; i++)
		if (strcmp(names[i - 1], names[i]) == 0)
			status = err_set(e, ERR_USAGE, "two cases are named %s", names[i]);
	free(names);
	return status;
}

int bench_plan_create(struct bench_plan *p, const struct bench *const *benches, int count,
		      const struct bench_selection *s, const struct bench_setting *setting,
		      struct err *e)
{
	struct err ignored;
	struct filter filter;
	int status;

	*p = (struct bench_plan){ 0 };
	e = e ? e : &ignored;
	status = check_registry(benches, count, e);
	if (status == 0)
		status = bench_axes_check(s, benches, count, e);
	if (status == 0)
		status = filter_create(&filter, s->filter, e);
	if (status)
		return status;
	for (int i = 0; i < count && status == 0; i++) {
		struct expansion x = { .bench = benches[i],
				       .family_index = i,
				       .selection = s,
				       .setting = setting,
				       .filter = &filter };

		status = expand(p, &x, e);
	}
	if (status == 0)
		status = check_names(p, e);
	filter_destroy(&filter);
	if (status)
		bench_plan_destroy(p);
	return status;
}

void bench_plan_destroy(struct bench_plan *p)
{
	for (int i = 0; i < p->count; i++)
		free(p->cases[i].rows);
	for (int i = 0; i < p->text_count; i++)
		free(p->texts[i]);
	free(p->texts);
	free(p->cases);
	*p = (struct bench_plan){ 0 };
}
