/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/tree-search/flowshop/fsp_start.h"

#include <inttypes.h>
#include <math.h>

#include "algorithms/tree-search/flowshop/fsp_greedy.h"
#include "algorithms/tree-search/flowshop/fsp_improve.h"
#include "algorithms/tree-search/flowshop/fsp_tables.h"
#include "harness/base/json_file.h"

/* ---- the start of a search ---- */

/* LB1 of the root: a schedule of this makespan is optimal. */
static int root_bound(const struct flowshop *f, int64_t *bound, struct err *e)
{
	struct fsp_tables t;
	int status = fsp_tables_make(&t, f, FSP_ADJACENT_PAIRS, e);

	if (status)
		return status;
	*bound = fsp_root_bound(&t, FSP_LB1);
	fsp_tables_free(&t);
	return 0;
}

double fsp_start_seconds(const struct flowshop *f, int threads)
{
	double size = (double)f->jobs * f->machines / 400;

	return fmin(size, 1) / sqrt(threads);
}

int64_t fsp_start_improve(const struct flowshop *f, const struct fsp_start_effort *x,
			  int64_t target, int64_t *order, struct err *e)
{
	int most = x->threads < FSP_IMPROVE_THREADS_MAX ? x->threads : FSP_IMPROVE_THREADS_MAX;
	int threads = most < 1 ? 1 : most;
	struct fsp_improve_plan plan = {
		.flowshop = f, .threads = threads, .share = 1, .target = target, .seed = x->seed
	};
	double seconds = x->seconds > 0 ? x->seconds : fsp_start_seconds(f, threads);

	if (x->most > 0)
		seconds = fmin(seconds, x->most);
	return fsp_improve(&plan, order, seconds, x->seconds <= 0, x->stop, e);
}

int fsp_start(enum fsp_start kind, const struct flowshop *f, const struct fsp_start_effort *x,
	      int64_t *order, int64_t *makespan, struct err *e)
{
	int64_t bound = 0, value = fsp_neh(f, order, e);
	int status = value < 0 ? (int)value : 0;

	if (!status && kind == FSP_START_IG)
		status = root_bound(f, &bound, e);
	if (!status && kind == FSP_START_IG && value > bound) {
		value = fsp_start_improve(f, x, bound, order, e);
		status = value < 0 ? (int)value : 0;
	}
	*makespan = value;
	return status;
}

/* ---- a schedule from a file ---- */

/* Copies the jobs of an array to `order`; -1 stands for what is not an integer. */
static int read_jobs(const json_t *solution, const struct flowshop *f, int64_t *order,
		     const char *path, struct err *e)
{
	if (!json_is_array(solution))
		return err_set(e, ERR_INPUT, "%s: it has no array \"solution\"", path);
	if (json_array_size(solution) != (size_t)f->jobs)
		return err_set(e, ERR_INPUT, "%s: its solution has %zu numbers, but %s has %d jobs",
			       path, json_array_size(solution), f->name, f->jobs);
	for (int i = 0; i < f->jobs; i++) {
		const json_t *job = json_array_get(solution, (size_t)i);

		order[i] = json_is_integer(job) ? json_integer_value(job) : -1;
	}
	return 0;
}

int fsp_start_read(const char *path, const struct flowshop *f, int64_t *order, int64_t *makespan,
		   struct err *e)
{
	const json_t *objective;
	json_t *answer;
	int status = json_file_read(&answer, path, e);

	if (status)
		return status;
	status = read_jobs(json_object_get(answer, "solution"), f, order, path, e);
	objective = json_object_get(answer, "objective");
	*makespan = status ? -1 : flowshop_makespan(f, order);
	if (!status && *makespan < 0)
		status = err_set(e, ERR_INPUT, "%s: its solution is not an order of the %d jobs",
				 path, f->jobs);
	else if (!status && json_is_integer(objective) &&
		 json_integer_value(objective) != *makespan)
		status = err_set(e, ERR_INPUT,
				 "%s: its schedule has makespan %" PRId64
				 " on %s, not %" JSON_INTEGER_FORMAT ": it is of another instance",
				 path, *makespan, f->name, json_integer_value(objective));
	json_decref(answer);
	return status;
}
