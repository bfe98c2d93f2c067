/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/tree-search/nqueens/queens_solve.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "datasets/recognise.h"
#include "kernels/tree-search/queens.h"
#include "algorithms/tree-search/nqueens/queens_verify.h"

static void compare_with_list(const struct search_request *q, const struct search_outcome *o,
			      struct solve_result *r)
{
	const struct queens_known *k = queens_known(q->queens);

	if (k && !queens_agrees(k, o->complete, o->solutions))
		solve_note_line(r,
				"the list OEIS A000170 gives %" PRIu64 " solutions for %d queens",
				k->solutions, k->n);
}

static int present(const struct search_request *q, const struct search_outcome *o,
		   const struct search_target *t, struct solve_result *r, struct err *e)
{
	int status = search_verify(q, o, &r->verified, e);

	r->status = o->complete ? SOLVE_COUNTED : SOLVE_LIMIT;
	r->has_objective = true;
	r->objective = (int64_t)o->solutions;
	solve_note_line(r, "%d queen%s%s%s", q->queens, q->queens == 1 ? "" : "s",
			q->half_board     ? "; nodes of half the board" :
			q->solutions_only ? ", symmetry used: nodes not counted" :
					    "",
			o->complete ? "" : "; stopped: there are at least this many solutions");
	compare_with_list(q, o, r);
	t->figures(t->context, q, o, r);
	return status;
}

int queens_solve(const struct solve_options *o, const struct search_request *q,
		 const struct search_target *t, struct solve_result *r, struct err *e)
{
	struct search_request mine = *q;
	struct search_outcome out = { 0 };
	int64_t n;
	int most, status, wrong;

	if (flag_parse_int(&n, o->instance, NULL) || n < 1 || n > QUEENS_MAX) {
		err_set(e, ERR_USAGE, "--instance: '%s' is not a number of queens from 1 to %d",
			o->instance, QUEENS_MAX);
		recognise_hint(o->target, o->instance, 0, e);
		return ERR_USAGE;
	}
	snprintf(r->instance, sizeof(r->instance), "%" PRId64, n);
	most = o->variant == SOLVE_CPU || o->variant == SOLVE_TUNED ? QUEENS_MAX_COUNTED :
								      QUEENS_MAX;
	if (n > most)
		return err_set(e, ERR_USAGE, "--instance: %s takes at most %d queens",
			       solve_variant_name(o->variant), most);
	mine.queens = (int)n;
	status = t->refuse(t->context, &mine, e);
	if (!status)
		status = search_target_run(t, &mine, &out, r, e);
	if (status == 0 || status == ERR_LIMIT) {
		wrong = present(&mine, &out, t, r, e);
		status = wrong ? wrong : status;
	}
	search_outcome_free(&out);
	return status;
}
