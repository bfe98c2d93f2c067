/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Instances: readers, arrays and the evaluation of solutions. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "datasets/evaluate.h"
#include "datasets/recognise.h"
#include "harness/base/flags.h"
#include "kernels/tree-search/queens.h"
#include "library/internal.h"

static const char *const problem_names[] = {
	[LIBRARY_KNAPSACK] = "knapsack",
	[LIBRARY_FLOWSHOP] = "flowshop",
	[LIBRARY_ATSP] = "atsp",
	[LIBRARY_QUEENS] = "nqueens",
};

static int create(copra_instance **out, enum library_problem problem, struct err *e)
{
	*out = calloc(1, sizeof(**out));
	if (!*out)
		return err_set(e, ERR_MEMORY, "no memory for an instance");
	(*out)->problem = problem;
	if (problem != LIBRARY_LANDSCAPE)
		snprintf((*out)->problem_name, sizeof((*out)->problem_name), "%s",
			 problem_names[problem]);
	return 0;
}

/* Ends a function that made *out: destroys it after an error. */
static int finish(copra_instance **out, int status, const struct err *e, copra_error *error)
{
	if (status) {
		copra_instance_destroy(*out);
		*out = NULL;
	}
	return library_error(error, status, e);
}

/* ---- the problem of an instance ---- */

static const struct family {
	const char *problem;
	unsigned forms;
} families[] = {
	{ "knapsack", FORMS_KNAPSACK },
	{ "flowshop", FORMS_FLOWSHOP },
	{ "atsp", FORMS_ATSP },
	{ "maxsat", FORMS_MAXSAT },
};

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* "trap5:60" -> "trap5" */
static bool landscape_of(const char *name, char *problem, size_t size)
{
	const char *colon = strchr(name, ':');

	if (!colon || (size_t)(colon - name) >= size)
		return false;
	memcpy(problem, name, (size_t)(colon - name));
	problem[colon - name] = '\0';
	return landscape_is_problem(problem);
}

/* The problem of a file, by its content. */
static int recognise_file(const char *path, const char **problem, struct err *e)
{
	struct recognised r;
	const char *also = NULL;
	int status = recognise(&r, path, e);

	*problem = NULL;
	if (status)
		return status;
	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
		if (!(r.forms & families[i].forms))
			continue;
		also = *problem ? *problem : also;
		*problem = families[i].problem;
	}
	if (!*problem)
		return err_set(
			e, ERR_INPUT,
			"%s: not a knapsack, flowshop, ATSP or DIMACS file: name the problem",
			path);
	if (also)
		return err_set(e, ERR_USAGE, "%s could be a %s or a %s file: name the problem",
			       path, also, *problem);
	return 0;
}

static int problem_of(const char *name_or_file, const char **problem, char *landscape, size_t size,
		      struct err *e)
{
	*problem = NULL;
	if (flowshop_is_name(name_or_file))
		*problem = "flowshop";
	else if (atsp_is_name(name_or_file))
		*problem = "atsp";
	else if (begins(name_or_file, "boyer:") || begins(name_or_file, "hard:") ||
		 begins(name_or_file, "correlation:"))
		*problem = "knapsack";
	else if (landscape_of(name_or_file, landscape, size))
		*problem = landscape;
	return *problem ? 0 : recognise_file(name_or_file, problem, e);
}

/* ---- loading ---- */

static int load_queens(copra_instance *i, const char *text, struct err *e)
{
	int64_t n;

	if (flag_parse_int(&n, text, NULL) || n < 1 || n > QUEENS_MAX_COUNTED)
		return err_set(e, ERR_USAGE, "'%s' is not a number of queens from 1 to %d", text,
			       QUEENS_MAX_COUNTED);
	i->queens = (int)n;
	snprintf(i->name, sizeof(i->name), "%d", i->queens);
	return 0;
}

static int load_landscape(copra_instance *i, const char *problem, const char *text, struct err *e)
{
	size_t length = strlen(problem);
	int status;

	if (!landscape_is_problem(problem))
		return err_set(e, ERR_USAGE,
			       "'%s' is not a problem: knapsack, flowshop, atsp, nqueens or a "
			       "landscape",
			       problem);
	if (strncmp(text, problem, length) == 0 && text[length] == ':')
		text += length + 1;
	status = landscape_load(&i->landscape, problem, text, e);
	if (status)
		return status;
	snprintf(i->problem_name, sizeof(i->problem_name), "%s", problem);
	snprintf(i->name, sizeof(i->name), "%s", i->landscape.name);
	i->landscape_instance = strdup(text);
	return i->landscape_instance ? 0 : err_set(e, ERR_MEMORY, "no memory for an instance");
}

static enum library_problem library_problem_of(const char *problem)
{
	for (int p = 0; p < LIBRARY_LANDSCAPE; p++)
		if (strcmp(problem, problem_names[p]) == 0)
			return (enum library_problem)p;
	return LIBRARY_LANDSCAPE;
}

static int load(copra_instance *i, const char *problem, const char *text, struct err *e)
{
	int status;

	switch (i->problem) {
	case LIBRARY_KNAPSACK:
		status = knapsack_load(&i->knapsack, text, e);
		memcpy(i->name, i->knapsack.name, sizeof(i->name));
		return status;
	case LIBRARY_FLOWSHOP:
		status = flowshop_load(&i->flowshop, text, e);
		memcpy(i->name, i->flowshop.name, sizeof(i->name));
		return status;
	case LIBRARY_ATSP:
		status = atsp_load(&i->atsp, text, e);
		memcpy(i->name, i->atsp.name, sizeof(i->name));
		return status;
	case LIBRARY_QUEENS:
		return load_queens(i, text, e);
	case LIBRARY_LANDSCAPE:
		return load_landscape(i, problem, text, e);
	}
	return err_set(e, ERR_USAGE, "unknown problem");
}

int copra_instance_load(copra_instance **out, const char *problem, const char *name_or_file,
			copra_error *error)
{
	struct err e = { 0 };
	char landscape[32];
	int status = library_given(name_or_file, "name_or_file", &e);

	*out = NULL;
	if (!status && !problem)
		status = problem_of(name_or_file, &problem, landscape, sizeof(landscape), &e);
	if (!status)
		status = create(out, library_problem_of(problem), &e);
	if (!status)
		status = load(*out, problem, name_or_file, &e);
	return finish(out, status, &e, error);
}

/* ---- arrays ---- */

int copra_knapsack_create(copra_instance **out, int64_t n, const int64_t *profit,
			  const int64_t *weight, int64_t capacity, copra_error *error)
{
	struct err e = { 0 };
	int status = create(out, LIBRARY_KNAPSACK, &e);

	if (!status)
		status = library_given(profit, "profit", &e);
	if (!status)
		status = library_given(weight, "weight", &e);
	if (!status)
		status = knapsack_make(&(*out)->knapsack, "knapsack", n, profit, weight, capacity,
				       &e);
	if (!status)
		snprintf((*out)->name, sizeof((*out)->name), "knapsack");
	return finish(out, status, &e, error);
}

int copra_flowshop_create(copra_instance **out, int jobs, int machines, const int32_t *time,
			  copra_error *error)
{
	struct err e = { 0 };
	int status = create(out, LIBRARY_FLOWSHOP, &e);

	if (!status)
		status = library_given(time, "time", &e);
	if (!status)
		status = flowshop_make(&(*out)->flowshop, "flowshop", jobs, machines, time, &e);
	if (!status)
		snprintf((*out)->name, sizeof((*out)->name), "flowshop");
	return finish(out, status, &e, error);
}

int copra_atsp_create(copra_instance **out, int cities, const int32_t *cost, copra_error *error)
{
	struct err e = { 0 };
	int status = create(out, LIBRARY_ATSP, &e);

	if (!status)
		status = library_given(cost, "cost", &e);
	if (!status)
		status = atsp_make(&(*out)->atsp, "atsp", cities, cost, &e);
	if (!status)
		snprintf((*out)->name, sizeof((*out)->name), "atsp");
	return finish(out, status, &e, error);
}

int copra_queens_create(copra_instance **out, int n, copra_error *error)
{
	struct err e = { 0 };
	char text[16];
	int status = create(out, LIBRARY_QUEENS, &e);

	snprintf(text, sizeof(text), "%d", n);
	if (!status)
		status = load_queens(*out, text, &e);
	return finish(out, status, &e, error);
}

void copra_instance_destroy(copra_instance *instance)
{
	if (!instance)
		return;
	knapsack_free(&instance->knapsack);
	flowshop_free(&instance->flowshop);
	atsp_free(&instance->atsp);
	landscape_free(&instance->landscape);
	free(instance->landscape_instance);
	free(instance);
}

const char *copra_instance_problem(const copra_instance *instance)
{
	return instance->problem_name;
}

const char *copra_instance_name(const copra_instance *instance)
{
	return instance->name;
}

int64_t copra_instance_size(const copra_instance *instance)
{
	const int64_t sizes[] = {
		[LIBRARY_KNAPSACK] = instance->knapsack.n,
		[LIBRARY_FLOWSHOP] = instance->flowshop.jobs,
		[LIBRARY_ATSP] = instance->atsp.cities,
		[LIBRARY_QUEENS] = instance->queens,
		[LIBRARY_LANDSCAPE] = instance->landscape.n,
	};

	return sizes[instance->problem];
}

/* ---- evaluation ---- */

static int evaluate(const copra_instance *i, const int64_t *solution, size_t length,
		    int64_t *objective, struct err *e)
{
	switch (i->problem) {
	case LIBRARY_KNAPSACK:
		return evaluate_knapsack(&i->knapsack, solution, length, objective, e);
	case LIBRARY_FLOWSHOP:
		return evaluate_flowshop(&i->flowshop, solution, length, objective, e);
	case LIBRARY_ATSP:
		return evaluate_atsp(&i->atsp, solution, length, objective, e);
	case LIBRARY_LANDSCAPE:
		return evaluate_landscape(&i->landscape, solution, length, objective, e);
	case LIBRARY_QUEENS:
		break;
	}
	return err_set(e, ERR_UNSUPPORTED, "N-Queens has no objective");
}

int copra_evaluate(const copra_instance *instance, const int64_t *solution, size_t length,
		   int64_t *objective, copra_error *error)
{
	struct err e = { 0 };
	int status = library_given(instance, "instance", &e);

	if (!status && length > 0)
		status = library_given(solution, "solution", &e);
	if (!status)
		status = evaluate(instance, solution, length, objective, &e);
	return library_error(error, status, &e);
}
