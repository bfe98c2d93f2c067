/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/tree-search/search_solve.h"

#include <stdio.h>
#include <string.h>

#include "algorithms/tree-search/atsp/atsp_solve.h"
#include "algorithms/tree-search/cluster/world.h"
#include "algorithms/tree-search/nqueens/queens_solve.h"
#include "harness/base/flags.h"
#include "kernels/tree-search/queens.h"

struct search_request search_solve_request(const struct solve_options *o)
{
	return (struct search_request){
		.ub = SEARCH_NO_UB,
		.threads = (int)o->threads,
		.devices = &o->devices,
		.opening = o->opening,
		.gpus = (int)o->gpus,
		.as_pays = o->as_pays && !world_place(),
		.time_limit = solve_time_left(o),
		.stop = o->stop,
		.seed = o->seed,
		.watch = o->watch,
	};
}

/* Refuses flags that have no meaning for the problem. */
static int refuse_foreign(const struct solve_options *o, const struct search_flags *f, bool queens,
			  bool atsp, struct err *e)
{
	bool other = queens || atsp;
	const char *flowshop = "is only for --problem flowshop",
		   *costs = "has no meaning for --problem nqueens";
	const struct flag_refusal flags[] = {
		{ other && f->bound, "bound", flowshop },
		{ other && f->branching, "branching", flowshop },
		{ other && f->start_seconds > 0, "start-seconds", flowshop },
		{ other && f->start_command, "start-command", flowshop },
		{ other && f->improve, "improve", flowshop },
		{ other && f->format, "format", flowshop },
		{ other && o->plot, "plot", flowshop },
		{ queens && f->start, "start", costs },
		{ f->gpus_per_rank > 0, "gpus-per-rank", "needs mpirun (docs/CLUSTER.md)" },
		{ queens && o->ub, "ub", costs },
	};

	return FLAGS_REFUSE(flags, e);
}

static bool is_flowshop(const char *problem)
{
	return strcmp(problem, "pfsp") == 0 || strcmp(problem, "flowshop") == 0;
}

int search_solve(const struct solve_options *o, const struct search_flags *flags,
		 const struct search_request *q, const struct search_target *t,
		 struct solve_result *r, struct err *e)
{
	bool queens = strcmp(o->problem, "nqueens") == 0;
	bool atsp = t->supports_atsp && strcmp(o->problem, "atsp") == 0;
	int status;

	if (!queens && !atsp && !is_flowshop(o->problem))
		return err_set(e, ERR_USAGE,
			       "--problem: '%s' is not one of pfsp, flowshop, nqueens%s",
			       o->problem, t->supports_atsp ? ", atsp" : "");
	status = refuse_foreign(o, flags, queens, atsp, e);
	if (status)
		return status;
	if (queens)
		return queens_solve(o, q, t, r, e);
	return atsp ? atsp_solve(o, flags->start, q, t, r, e) : fsp_solve(o, flags, q, t, r, e);
}

void search_list_instances(const char *paper, bool atsp)
{
	puts("problems and instances:\n"
	     "  --problem pfsp (the default; flowshop is the same)");
	fsp_list_instances(paper);
	puts("  --problem nqueens\n"
	     "    N                                  1 .. 26, serial and published 1 .. 32;\n"
	     "                                       nodes known to 20, solutions to 27 (21 to 25\n"
	     "                                       only in OEIS A000170)");
	if (atsp)
		puts("  --problem atsp\n"
		     "    crane:CITIES:SEED                  moves of a stacker crane\n"
		     "    tsmat:CITIES:SEED                  symmetric, triangle inequality holds\n"
		     "    random:CITIES:MAX[:SEED]           uniform costs\n"
		     "    FILE                               TSPLIB, full matrix");
}
