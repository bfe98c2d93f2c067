/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/compare/history/series.h"

#include <math.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/report/text.h"
#include "harness/base/stats.h"

enum { COMMIT_DIGITS = 40 };

int commits_load(struct commits *c, const char *path, struct err *e)
{
	struct text all = { 0 };
	int status = text_load(&all, path, e);
	char *rest = all.data;

	*c = (struct commits){ 0 };
	for (char *line; status == 0 && (line = strsep(&rest, "\n")) != NULL;) {
		if (strspn(line, "0123456789abcdef") != COMMIT_DIGITS)
			continue;
		line[COMMIT_DIGITS] = '\0';
		status = array_grow((void **)&c->id, c->count, sizeof(*c->id), e);
		if (status == 0)
			status = text_copy(&c->id[c->count], line, e);
		c->count += status == 0;
	}
	text_free(&all);
	return status;
}

void commits_free(struct commits *c)
{
	for (size_t i = 0; i < c->count; i++)
		free(c->id[i]);
	free(c->id);
	*c = (struct commits){ 0 };
}

/* The position of the commit, or c->count. Searches from the end, because most look-ups are of
 * recent commits. */
static size_t commit_index(const struct commits *c, const char *id)
{
	for (size_t i = c->count; i-- > 0;)
		if (strcmp(c->id[i], id) == 0)
			return i;
	return c->count;
}

static int compare_series(const struct entry *x, const struct entry *y)
{
#define COMPARE(name)                                                                              \
	{                                                                                          \
		int order = strcmp(x->name, y->name);                                              \
		if (order)                                                                         \
			return order;                                                              \
	}
	COMPARE(name)
	COMPARE(machine)
	COMPARE(scale)
	COMPARE(device)
	COMPARE(sampling)
	COMPARE(parameters)
#undef COMPARE
	return (x->threads > y->threads) - (x->threads < y->threads);
}

static int by_series_then_order(const void *a, const void *b)
{
	const struct point *x = a, *y = b;
	int order = compare_series(x->entry, y->entry);

	if (!order)
		order = (x->rank > y->rank) - (x->rank < y->rank);
	if (!order)
		order = (x->entry->time > y->entry->time) - (x->entry->time < y->entry->time);
	/* entries are elements of one array, in the order of the file */
	return order ? order : (x->entry > y->entry) - (x->entry < y->entry);
}

static int choose(struct point **points, size_t *count, struct series_list *list,
		  const struct entries *all, const struct series_setting *setting,
		  const regex_t *wanted, struct err *e)
{
	const char *last = NULL;
	size_t index = 0;

	*points = calloc(all->count + 1, sizeof(**points));
	*count = 0;
	if (!*points)
		return err_set(e, ERR_MEMORY, "out of memory");
	for (size_t i = 0; i < all->count; i++) {
		const struct entry *x = &all->entry[i];
		struct point p = { .entry = x };

		if (wanted && regexec(wanted, x->name, 0, NULL, 0) != 0)
			continue;
		if (x->dirty && !setting->dirty) {
			list->dirty++;
			continue;
		}
		if (setting->commits) {
			/* consecutive lines often have the same commit */
			if (!last || strcmp(last, x->commit) != 0)
				index = commit_index(setting->commits, x->commit);
			last = x->commit;
			/* a modified tree comes after the commit that it is based on */
			p.rank = 2 * index + x->dirty;
			if (index == setting->commits->count) {
				list->strangers++;
				continue;
			}
		}
		p.low = stat_quantile(x->seconds, x->samples, 0.25);
		p.median = stat_quantile(x->seconds, x->samples, 0.5);
		p.high = stat_quantile(x->seconds, x->samples, 0.75);
		if (isnan(p.low + p.median + p.high))
			return err_set(e, ERR_MEMORY, "out of memory");
		(*points)[(*count)++] = p;
	}
	if (*count)
		qsort(*points, *count, sizeof(**points), by_series_then_order);
	return 0;
}

double shift_ratio(const struct shift *s)
{
	return s->after / s->before;
}

/* Medians on both sides of each change. */
static void fill_shifts(struct series *s, const double *medians)
{
	for (size_t i = 0; i < s->shifts; i++) {
		size_t from = i ? s->shift[i - 1].at : 0, at = s->shift[i].at;
		size_t to = i + 1 < s->shifts ? s->shift[i + 1].at : s->points;

		s->shift[i].before = stat_median(medians + from, at - from);
		s->shift[i].after = stat_median(medians + at, to - at);
	}
}

/* Removes changes below the floor, the smallest one first. The segments on both sides of a removed
 * change become one, so the medians are computed again. */
static void drop_small(struct series *s, const double *medians, double floor)
{
	for (;;) {
		size_t least = s->shifts;
		double size = log1p(floor);

		fill_shifts(s, medians);
		for (size_t i = 0; i < s->shifts; i++)
			if (fabs(log(shift_ratio(&s->shift[i]))) < size) {
				size = fabs(log(shift_ratio(&s->shift[i])));
				least = i;
			}
		if (least == s->shifts)
			return;
		s->shifts--;
		memmove(&s->shift[least], &s->shift[least + 1],
			(s->shifts - least) * sizeof(*s->shift));
	}
}

static int find_shifts(struct series *s, const struct series_setting *setting, struct err *e)
{
	double *medians = calloc(s->points, sizeof(*medians));
	struct change *change = calloc(s->points, sizeof(*change));
	size_t changes = 0;
	int status = medians && change ? 0 : err_set(e, ERR_MEMORY, "out of memory");

	for (size_t i = 0; i < s->points && status == 0; i++)
		medians[i] = s->point[i].median;
	if (status == 0)
		status = change_points(medians, s->points, &setting->test, change, &changes, e);
	if (status == 0 && changes) {
		s->shift = calloc(changes, sizeof(*s->shift));
		if (!s->shift)
			status = err_set(e, ERR_MEMORY, "out of memory");
	}
	if (status == 0 && changes) {
		s->shifts = changes;
		for (size_t i = 0; i < changes; i++)
			s->shift[i] = (struct shift){ .at = change[i].at, .p = change[i].p };
		drop_small(s, medians, setting->floor);
	}
	free(medians);
	free(change);
	return status;
}

static int add_series(struct series_list *list, const struct point *points, size_t count,
		      const struct series_setting *setting, struct err *e)
{
	int status = array_grow((void **)&list->series, list->count, sizeof(*list->series), e);
	struct series s = { .points = count };

	if (status)
		return status;
	if (count > SERIES_MOST_POINTS) {
		s.older = count - SERIES_MOST_POINTS;
		s.points = SERIES_MOST_POINTS;
	}
	s.point = calloc(s.points, sizeof(*s.point));
	if (!s.point)
		return err_set(e, ERR_MEMORY, "out of memory");
	memcpy(s.point, points + s.older, s.points * sizeof(*s.point));
	status = find_shifts(&s, setting, e);
	list->series[list->count++] = s;
	return status;
}

static int cut_into_series(struct series_list *list, const struct point *points, size_t count,
			   const struct series_setting *setting, struct err *e)
{
	int status = 0;

	for (size_t first = 0, end; first < count && status == 0; first = end) {
		end = first + 1;
		while (end < count && compare_series(points[first].entry, points[end].entry) == 0)
			end++;
		status = add_series(list, points + first, end - first, setting, e);
	}
	return status;
}

int series_build(struct series_list *list, const struct entries *all,
		 const struct series_setting *setting, struct err *e)
{
	struct point *points = NULL;
	size_t count = 0;
	regex_t wanted;
	int status;

	*list = (struct series_list){ .needed = change_points_needed(&setting->test) };
	if (setting->filter && regcomp(&wanted, setting->filter, REG_EXTENDED | REG_NOSUB))
		return err_set(e, ERR_USAGE, "'%s' is not a valid regular expression (--filter)",
			       setting->filter);
	status = choose(&points, &count, list, all, setting, setting->filter ? &wanted : NULL, e);
	if (status == 0)
		status = cut_into_series(list, points, count, setting, e);
	free(points);
	if (setting->filter)
		regfree(&wanted);
	if (status)
		series_free(list);
	return status;
}

void series_free(struct series_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->series[i].point);
		free(list->series[i].shift);
	}
	free(list->series);
	*list = (struct series_list){ 0 };
}

void point_differences(char *out, size_t size, const struct point *a, const struct point *b)
{
	size_t used = 0;

	out[0] = '\0';
#define DIFFERENCE(member, word)                                                                   \
	if (strcmp(a->entry->member, b->entry->member) != 0 && used < size)                        \
		used += (size_t)snprintf(out + used, size - used, "%s%s", used ? ", " : "", word);
	DIFFERENCE(compiler, "compiler")
	DIFFERENCE(driver, "driver")
	DIFFERENCE(host, "host")
	/* the build includes the compiler, so it is named only if the compilers are equal */
	if (strcmp(a->entry->compiler, b->entry->compiler) == 0)
		DIFFERENCE(build, "build flags")
#undef DIFFERENCE
}
