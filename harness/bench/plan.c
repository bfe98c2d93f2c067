/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/bench/plan.h"

#include <inttypes.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/text_reader.h"
#include "harness/bench/ranks.h"

/* ---- registry ---- */

enum { REGISTRY_CAPACITY = 256 };

/* The only global state: filled by constructors before main(), read-only afterwards. */
static struct {
	const struct bench *at[REGISTRY_CAPACITY + 1];
	int count;
} registry;

void bench_register(const struct bench *b)
{
	/* main() has not started, so an overflow is reported by the plan: it leaves a NULL entry */
	if (registry.count < REGISTRY_CAPACITY)
		registry.at[registry.count++] = b;
	else
		registry.count = REGISTRY_CAPACITY + 1;
}

const struct bench *const *bench_registered(int *count)
{
	*count = registry.count;
	return registry.at;
}

/* ---- axes ---- */

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
		return err_set(e, ERR_MEMORY, "out of memory");
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
			return err_set(e, ERR_USAGE,
				       "a range must be first:last or first:last:step");
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

/* Returns a copy that lives as long as the plan, because cases point into it. */
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
		return err_set(e, ERR_MEMORY, "out of memory");
	for (char *one; (one = strsep(&rest, ",")) != NULL;) {
		int status;

		if (*one == '\0')
			status = err_set(e, ERR_USAGE, "a value is empty");
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

/* Refuses malformed --copra_axis texts and names that no benchmark has. */
static int check_axes(const struct bench_selection *s, const struct bench *const *benches,
		      int count, struct err *e)
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

/* ---- cases ---- */

enum { PLAN_CASES_MOST = 1000000 };

/* Google Benchmark's filter: a POSIX extended regular expression that may match anywhere in the
 * name. A leading '-' selects the names that do not match. Empty and "all" select everything. */
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
	if (status == 0 && c->setting && c->setting->ranks) {
		char ranks[64];

		snprintf(ranks, sizeof(ranks), "/nodes:%d/ranks:%d", c->setting->ranks->nodes,
			 c->setting->ranks->ranks);
		status = append(c, &used, ranks, "", e);
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
			err_set(e, ERR_MEMORY, "out of memory for %d cases", capacity);
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

/* Adds the case of one point of the product, if it exists and is selected. */
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

/* Adds all points; the last axis varies fastest. */
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
			return err_set(e, ERR_FAILED, "benchmark %s has no %s", b->name,
				       b->run ? "check(), its oracle" : "run()");
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

/* Programs that read the results cannot distinguish two rows with the same name. */
static int check_names(const struct bench_plan *p, struct err *e)
{
	const char **names = malloc((size_t)p->count * sizeof(*names));
	int status = 0;

	if (!names)
		return p->count ? err_set(e, ERR_MEMORY, "out of memory for %d names", p->count) :
				  0;
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
		status = check_axes(s, benches, count, e);
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

/* ---- --copra_rows ---- */

struct wanted {
	int64_t rank, repetitions;
	const char *name; /* points into the line */
};

static int parse_wanted(struct wanted *w, const struct text_reader *r, struct err *e)
{
	const char *at = r->text;
	int status = text_number(r, &at, &w->rank, "rank", e);

	if (status == 0)
		status = text_number(r, &at, &w->repetitions, "repetitions", e);
	if (status)
		return status;
	while (*at == ' ')
		at++;
	w->name = at;
	if (w->rank < 1 || w->rank > 9 || w->repetitions > 1000 || !*at)
		return text_bad(r, e, "expected RANK (1 to 9) REPETITIONS (0 to 1000) NAME");
	return 0;
}

static int by_name(const void *name, const void *c)
{
	return strcmp(name, (*(struct bench_case *const *)c)->name);
}

static int order_by_name(const void *a, const void *b)
{
	return by_name((*(struct bench_case *const *)a)->name, b);
}

/* Copies the cases that the file names from `index`, sorted by name, to `kept`. */
static int keep_named(struct text_reader *r, struct bench_case **index, int count,
		      struct bench_case *kept, int *found, struct err *e)
{
	int status;

	while ((status = text_next_line(r, e)) == 0 && !r->ended) {
		struct wanted w;
		struct bench_case **c;

		if (*r->text == '#')
			continue;
		status = parse_wanted(&w, r, e);
		if (status)
			return status;
		c = bsearch(w.name, index, (size_t)count, sizeof(struct bench_case *), by_name);
		if (!c)
			continue;
		if ((*c)->rank)
			return text_bad(r, e, "'%s' is named twice", w.name);
		(*c)->rank = (int)w.rank;
		(*c)->repetitions = (int)w.repetitions;
		kept[(*found)++] = **c;
	}
	return status;
}

int bench_plan_keep(struct bench_plan *p, const char *path, struct err *e)
{
	char line[BENCH_NAME + 64];
	struct text_reader r;
	struct bench_case **index = malloc(((size_t)p->count + 1) * sizeof(struct bench_case *));
	struct bench_case *kept = malloc(((size_t)p->count + 1) * sizeof(*kept));
	int found = 0, status = text_open(&r, path, line, sizeof(line), e);

	if (status == 0) {
		if (!index || !kept)
			status = err_set(e, ERR_MEMORY, "out of memory");
		for (int i = 0; i < p->count && status == 0; i++)
			index[i] = &p->cases[i];
		if (status == 0) {
			qsort(index, (size_t)p->count, sizeof(struct bench_case *), order_by_name);
			status = keep_named(&r, index, p->count, kept, &found, e);
		}
		text_close(&r);
	}
	if (status == 0) { /* no case has rows yet */
		free(p->cases);
		p->cases = kept;
		p->capacity = p->count + 1;
		p->count = found;
		kept = NULL;
	}
	free(kept);
	free(index);
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
