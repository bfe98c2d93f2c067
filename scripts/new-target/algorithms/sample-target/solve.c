/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/sample-target/solve.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/sample-target/search.h"

/* Evaluates the heaps from the instance and, if the oracle can, computes the optimum by another
 * method. */
static int verify(const struct sample_target_instance *s, const struct sample_target_answer *a,
		  struct solve_result *r, struct err *e)
{
	int64_t again = sample_target_evaluate(s, a->heap), optimum;

	if (again != a->difference)
		return err_set(e, ERR_FAILED,
			       "the heaps differ by %" PRId64 ", but the answer says %" PRId64,
			       again, a->difference);
	if (a->complete && sample_target_oracle(s, &optimum, NULL) == 0 && optimum != again)
		return err_set(e, ERR_FAILED,
			       "the answer is %" PRId64 ", but the optimum is %" PRId64, again,
			       optimum);
	r->verified = true;
	return 0;
}

static int present(const struct sample_target_instance *s, const struct sample_target_answer *a,
		   struct solve_result *r, struct err *e)
{
	snprintf(r->instance, sizeof(r->instance), "%s", s->name);
	r->status = a->complete ? SOLVE_OPTIMAL : SOLVE_LIMIT;
	r->has_objective = true;
	r->objective = a->difference;
	r->seconds_total = r->seconds_search = a->seconds;
	solve_node_figure(r, "tried", a->tried);
	r->solution = malloc((size_t)s->n * sizeof(*r->solution));
	if (!r->solution)
		return err_set(e, ERR_MEMORY, "out of memory for the solution");
	memcpy(r->solution, a->heap, (size_t)s->n * sizeof(*r->solution));
	r->solution_length = (size_t)s->n;
	return verify(s, a, r, e);
}

static int run(const struct solve_options *o, struct solve_result *r, struct err *e)
{
	struct sample_target_instance s;
	struct sample_target_answer a = { .difference = 0 };
	struct sample_target_request q = {
		.instance = &s,
		.variant = o->variant,
		.threads = (int)o->threads,
		.devices = &o->devices,
		.gpus = (int)o->gpus,
		.time_limit = o->time_limit,
		.stop = o->stop,
	};
	int status, shown;

	if (strcmp(o->problem, "partition") != 0)
		return err_set(e, ERR_USAGE, "problem '%s' is not partition", o->problem);
	status = sample_target_load(&s, o->instance, e);
	if (status)
		return status;
	status = sample_target_search(&q, &a, e);
	if (status && status != ERR_LIMIT)
		return status;
	shown = present(&s, &a, r, e);
	return shown ? shown : status;
}

const struct solve_spec sample_target_solve_spec = {
	.problem = "partition",
	.instances = "random:N:SEED, or a file with the count, then one number per line",
	.run = run,
};

int sample_target_list(struct err *e)
{
	(void)e;
	puts("instances:\n"
	     "  random:N:SEED  N numbers from 1 to 1,000,000, N from 2 to 28\n"
	     "  FILE           the count, then one number per line\n"
	     "variants:\n"
	     "  serial     one core\n"
	     "  cpu        all cores\n"
	     "  published  GPUs, one assignment per thread\n"
	     "  tuned      GPUs, 256 assignments per thread");
	return 0;
}
