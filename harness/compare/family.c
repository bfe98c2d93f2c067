/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/compare/family.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/host.h"
#include "harness/report/text.h"

static const char separators[] = " ,\t\n";

/* Whether the word is in the list. NULL or an empty list contains every word. */
static int is_wanted(const char *list, const char *word)
{
	size_t length = strlen(word);

	if (!list || !list[strspn(list, separators)])
		return 1;
	for (const char *at = list; *at; at += strcspn(at, separators)) {
		at += strspn(at, separators);
		if (strcspn(at, separators) == length && strncmp(at, word, length) == 0 && length)
			return 1;
	}
	return 0;
}

/* Joins the lines of gate.txt to one expression; NULL if there is no such file. */
static int read_filter(char **out, const char *papers, const char *target, struct err *e)
{
	char path[PATH_MAX];
	struct text file = { 0 }, filter = { 0 };
	int status = text_path(path, e, "%s/%s/gate.txt", papers, target);

	*out = NULL;
	if (status || access(path, F_OK) != 0)
		return status;
	status = text_load(&file, path, e);
	for (const char *at = text_get(&file); status == 0 && *at;) {
		size_t length = strcspn(at, "\n"), used = strcspn(at, "#\n");

		while (used && strchr(" \t\r", at[used - 1]))
			used--;
		if (used) {
			text_add(&filter, "%s(", filter.length ? "|" : "");
			text_add_n(&filter, at, used);
			text_add(&filter, ")");
		}
		at += length + (at[length] == '\n');
	}
	if (status == 0)
		status = text_ok(&filter, e);
	if (status == 0 && filter.length == 0)
		status = err_set(e, ERR_INPUT, "%s: names no benchmark", path);
	text_free(&file);
	if (status)
		text_free(&filter);
	*out = filter.data;
	return status;
}

static int add(struct family **all, size_t *count, const char *papers, const char *target,
	       const char *filter, struct err *e)
{
	struct family f = { 0 };
	int status = array_grow((void **)all, *count, sizeof(**all), e);

	if (status == 0)
		status = text_copy(&f.target, target, e);
	if (status == 0)
		status = filter && *filter ? text_copy(&f.filter, filter, e) :
					     read_filter(&f.filter, papers, target, e);
	if (status) {
		free(f.target);
		return status;
	}
	(*all)[(*count)++] = f;
	return 0;
}

static int all_found(const struct family *f, size_t count, const char *wanted, const char *bin,
		     struct err *e)
{
	for (const char *at = wanted ? wanted : ""; *at; at += strcspn(at, separators)) {
		size_t length, i = 0;

		at += strspn(at, separators);
		length = strcspn(at, separators);
		while (i < count && (strncmp(f[i].target, at, length) || f[i].target[length]))
			i++;
		if (length && i == count)
			return err_set(e, ERR_USAGE, "no target '%.*s' with a program in %s",
				       (int)(length < 99 ? length : 99), at, bin);
	}
	return count ? 0 : err_set(e, ERR_USAGE, "no target has a program in %s", bin);
}

int family_find(struct family **out, size_t *count, const char *papers, const char *bin,
		const char *wanted, const char *filter, struct err *e)
{
	struct dirent **found;
	int status = 0, n = scandir(papers, &found, host_visible, alphasort);

	*out = NULL;
	*count = 0;
	if (n < 0)
		return err_set(e, ERR_USAGE, "%s: no such folder", papers);
	for (int i = 0; i < n; i++) {
		char program[PATH_MAX];

		if (status == 0)
			status = text_path(program, e, "%s/%s", bin, found[i]->d_name);
		if (status == 0 && is_wanted(wanted, found[i]->d_name) &&
		    access(program, X_OK) == 0)
			status = add(out, count, papers, found[i]->d_name, filter, e);
		free(found[i]);
	}
	free(found);
	if (status == 0)
		status = all_found(*out, *count, wanted, bin, e);
	if (status) {
		family_free(*out, *count);
		*out = NULL;
		*count = 0;
	}
	return status;
}

static int matches(const struct family *f, bool *any, const char *bin,
		   const struct launch_parameters *p, const volatile sig_atomic_t *stop,
		   struct err *e)
{
	char program[PATH_MAX];
	struct launch l = {
		.program = program, .filter = f->filter, .parameters = p, .stop = stop
	};
	int status = text_path(program, e, "%s/%s", bin, f->target);

	return status ? status : launch_matches(&l, any, e);
}

int family_match(struct family *all, size_t *remaining, const char *bin,
		 const struct launch_parameters *p, const volatile sig_atomic_t *stop,
		 struct err *e)
{
	size_t kept = 0, count = *remaining;
	int status = 0;

	for (size_t i = 0; i < count; i++) {
		struct family f = all[i];
		bool any = true;

		if (status == 0)
			status = matches(&f, &any, bin, p, stop, e);
		if (any) {
			all[kept++] = f;
			continue;
		}
		fprintf(stderr, "%s: left out, its family has no benchmark at scale %s\n", f.target,
			p->scale);
		free(f.target);
		free(f.filter);
	}
	*remaining = kept;
	if (status)
		return status;
	return kept ? 0 : err_set(e, ERR_USAGE, "no benchmark matches at scale %s", p->scale);
}

void family_free(struct family *f, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(f[i].target);
		free(f[i].filter);
	}
	free(f);
}
