/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The report of `solve` on a flowshop search: the status depends only on this run, never on a list
 * of known values. The search is scripted; its outcome is verified as usual. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "algorithms/tree-search/flowshop/fsp_solve.h"
#include "algorithms/tree-search/flowshop/fsp_start.h"
#include "tests/unit/tree-search/small_flowshops.h"

/* What the scripted search returns; the rest follows from the request. */
struct script {
	int64_t best;  /* the bound at its end, 0: that of the request */
	bool finds;    /* it holds a schedule of `best` */
	bool stops;    /* stops at a limit, having proved half of the bound */
	int64_t asked; /* the request's bound */
};

static int refuse_nothing(void *context, const struct search_request *q, struct err *e)
{
	(void)context, (void)q, (void)e;
	return 0;
}

static int play(void *context, const struct search_request *q, struct search_outcome *o,
		struct err *e)
{
	struct script *s = context;
	size_t bytes = (size_t)q->flowshop->jobs * sizeof(*o->order);
	int64_t neh;

	s->asked = q->ub;
	*o = (struct search_outcome){ .best = s->best ? s->best : q->ub, .complete = !s->stops };
	o->lower_bound = s->stops ? o->best / 2 : o->best;
	if (s->finds || q->start) {
		o->order = malloc(bytes);
		assert_non_null(o->order);
	}
	if (s->finds) {
		assert_int_equal(fsp_start(FSP_START_NEH, q->flowshop, NULL, o->order, &neh, e), 0);
		o->best = neh;
		o->lower_bound = s->stops ? neh / 2 : neh;
	} else if (q->start) {
		memcpy(o->order, q->start, bytes);
	}
	return s->stops ? err_set(e, ERR_LIMIT, "stopped") : 0;
}

static void no_figures(void *context, const struct search_request *q,
		       const struct search_outcome *o, struct solve_result *r)
{
	(void)context, (void)q, (void)o, (void)r;
}

static int solved(struct script *s, const char *instance, const char *ub, const char *start,
		  struct solve_result *r, struct err *e)
{
	const struct solve_options o = { .instance = instance, .ub = ub, .seed = 1 };
	/* forward with LB1: no tree has a known count */
	const struct search_flags flags = { .start = start, .bound = "lb1" };
	const struct search_request q = { .ub = SEARCH_NO_UB };
	const struct search_target target = {
		.context = s, .refuse = refuse_nothing, .search = play, .figures = no_figures
	};

	*r = (struct solve_result){ .status = SOLVE_FEASIBLE };
	*e = (struct err){ 0 };
	return fsp_solve(&o, &flags, &q, &target, r, e);
}

static void is_proved(const struct solve_result *r, int64_t bound)
{
	assert_int_equal(r->status, SOLVE_PROVED);
	assert_false(r->has_objective);
	assert_null(r->solution);
	assert_true(r->has_bound);
	assert_int_equal(r->bound, bound);
	assert_false(r->verified);
}

static void holds(const struct solve_result *r, enum solve_status status, int64_t objective,
		  int64_t bound)
{
	assert_int_equal(r->status, status);
	assert_true(r->has_objective && r->has_bound && r->verified);
	assert_int_equal(r->objective, objective);
	assert_int_equal(r->bound, bound);
	assert_non_null(r->solution);
}

static int64_t neh_of(const char *instance)
{
	struct flowshop f = loaded_flowshop(instance);
	int64_t order[FLOWSHOP_MAX_JOBS], neh;
	struct err e;

	assert_int_equal(fsp_start(FSP_START_NEH, &f, NULL, order, &neh, &e), 0);
	flowshop_free(&f);
	return neh;
}

/* The optimum in a table is not a schedule of this run, whatever its basis. */
static void a_given_optimum_is_proved_but_not_found(void **state)
{
	static const char *const names[] = { "ta029", "ta058", "ta082", "ta081" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct script s = { .best = 0 };
		struct solve_result r;
		struct err e;

		assert_int_equal(solved(&s, names[i], "opt", NULL, &r, &e), 0);
		assert_int_equal(s.asked, flowshop_known(names[i])->upper);
		is_proved(&r, flowshop_known(names[i])->upper);
		assert_non_null(strstr(r.note, "no schedule is shorter than"));
		free(r.solution);
	}
}

/* ta056 from 3679 used to end as "feasible", with the makespan of NEH's schedule. */
static void a_bound_below_the_start_is_proved(void **state)
{
	struct script s = { .best = 0 };
	struct solve_result r;
	struct err e;
	char ub[16];
	int64_t neh = neh_of("random:9x5:99:3");

	(void)state;
	assert_int_equal(solved(&s, "ta056", "3679", NULL, &r, &e), 0);
	is_proved(&r, 3679);
	free(r.solution);
	snprintf(ub, sizeof(ub), "%d", (int)neh - 1);
	assert_int_equal(solved(&s, "random:9x5:99:3", ub, NULL, &r, &e), 0);
	assert_int_equal(s.asked, neh - 1);
	is_proved(&r, neh - 1);
	free(r.solution);
}

static void a_bound_equal_to_the_start_is_optimal(void **state)
{
	int64_t neh = neh_of("random:9x5:99:3");

	(void)state;
	for (int above = 0; above < 2; above++) {
		struct script s = { .best = 0 };
		struct solve_result r;
		struct err e;
		char ub[16];

		snprintf(ub, sizeof(ub), "%d", (int)neh + above);
		assert_int_equal(solved(&s, "random:9x5:99:3", ub, "neh", &r, &e), 0);
		assert_int_equal(s.asked, neh);
		holds(&r, SOLVE_OPTIMAL, neh, neh);
		assert_string_equal(r.note, "");
		free(r.solution);
	}
}

static void a_stopped_search_reports_its_best_schedule_and_bound(void **state)
{
	struct script s = { .best = 500, .stops = true };
	int64_t neh = neh_of("random:9x5:99:3");
	struct solve_result r;
	struct err e;

	(void)state;
	assert_int_equal(solved(&s, "random:9x5:99:3", "500", "none", &r, &e), ERR_LIMIT);
	holds(&r, SOLVE_LIMIT, neh, 250);
	free(r.solution);
	s.best = 0;
	assert_int_equal(solved(&s, "ta081", "opt", NULL, &r, &e), ERR_LIMIT);
	holds(&r, SOLVE_LIMIT, neh_of("ta081"), 6173 / 2);
	free(r.solution);
}

/* A search from the list's value + 1 finds nothing below it. */
static void is_refuted(const char *instance, int value)
{
	struct script s = { .best = 0 };
	struct solve_result r;
	struct err e;
	char ub[16], note[192];

	snprintf(ub, sizeof(ub), "%d", value + 1);
	snprintf(note, sizeof(note),
		 "the list Timefold (zenodo 17028980) gives %d as an upper bound "
		 "for %s; this run proves that no schedule is shorter than %s",
		 value, instance, ub);
	assert_int_equal(solved(&s, instance, ub, "none", &r, &e), 0);
	is_proved(&r, value + 1);
	assert_non_null(strstr(r.note, note));
	free(r.solution);
}

static void a_list_value_that_is_too_low_is_reported_without_error(void **state)
{
	struct script s = { .best = 0 };
	struct solve_result r;
	struct err e;

	(void)state;
	is_refuted("ta085", 6270);
	is_refuted("ta081", 6134); /* here the known value is that of a newer list */
	s.finds = true;            /* with a schedule: optimal, and still reported */
	assert_int_equal(solved(&s, "ta082", NULL, "none", &r, &e), 0);
	holds(&r, SOLVE_OPTIMAL, neh_of("ta082"), neh_of("ta082"));
	assert_non_null(strstr(r.note, "the list P3D-DFS (zenodo 4542886) gives 6183 as the "
				       "optimum of ta082"));
	free(r.solution);
}

static void a_contradicted_proof_is_an_error(void **state)
{
	static const struct {
		const char *instance, *source;
	} proved[] = { { "ta056", "results/recorded/h200-x2" },
		       { "ta058", "Gmys" },
		       { "ta001", "results/proofs/taillard.csv" } };

	(void)state;
	for (size_t i = 0; i < sizeof(proved) / sizeof(proved[0]); i++) {
		struct script s = { .finds = true };
		struct solve_result r;
		struct err e;

		assert_int_equal(solved(&s, proved[i].instance, NULL, "none", &r, &e), ERR_FAILED);
		assert_non_null(strstr(e.text, proved[i].source));
		free(r.solution);
	}
}

/* The test brings its own records of known values. */
static void a_schedule_shorter_than_a_list_value_is_reported(void **state)
{
	struct flowshop_known k = { .name = "ta900", .lower = 90, .upper = 100, .source = "L" };
	char why[256];

	(void)state;
	k.basis = FLOWSHOP_LIST;
	assert_int_equal(flowshop_compare(&k, 100, 100, why, sizeof(why)), FLOWSHOP_AGREES);
	assert_int_equal(flowshop_compare(&k, INT64_MAX, 95, why, sizeof(why)), FLOWSHOP_AGREES);
	assert_string_equal(why, "");
	assert_int_equal(flowshop_compare(&k, 99, 99, why, sizeof(why)),
			 FLOWSHOP_DIFFERS_FROM_LIST);
	assert_string_equal(why, "the list L gives 100 as the optimum of ta900; this run holds a "
				 "schedule of 99");
	assert_int_equal(flowshop_compare(&k, 89, 50, why, sizeof(why)),
			 FLOWSHOP_CONTRADICTS_PROOF);
	k.basis = FLOWSHOP_OPEN;
	assert_int_equal(flowshop_compare(&k, 110, 101, why, sizeof(why)),
			 FLOWSHOP_DIFFERS_FROM_LIST);
	assert_string_equal(why, "the list L gives 100 as an upper bound for ta900; this run "
				 "proves that no schedule is shorter than 101");
	k.lower = k.upper;
	for (int i = 0; i < 2; i++) {
		k.basis = i ? FLOWSHOP_PROVED_HERE : FLOWSHOP_PROVED_CITED;
		assert_int_equal(flowshop_compare(&k, 100, 100, why, sizeof(why)), FLOWSHOP_AGREES);
		assert_int_equal(flowshop_compare(&k, 99, 50, why, sizeof(why)),
				 FLOWSHOP_CONTRADICTS_PROOF);
		assert_int_equal(flowshop_compare(&k, INT64_MAX, 101, why, sizeof(why)),
				 FLOWSHOP_CONTRADICTS_PROOF);
		assert_non_null(strstr(why, "(proved "));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_given_optimum_is_proved_but_not_found),
		cmocka_unit_test(a_bound_below_the_start_is_proved),
		cmocka_unit_test(a_bound_equal_to_the_start_is_optimal),
		cmocka_unit_test(a_stopped_search_reports_its_best_schedule_and_bound),
		cmocka_unit_test(a_list_value_that_is_too_low_is_reported_without_error),
		cmocka_unit_test(a_contradicted_proof_is_an_error),
		cmocka_unit_test(a_schedule_shorter_than_a_list_value_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
