/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Searches whose simulated devices are cancelled in the middle of a launch, without a request to
 * stop: they end with ERR_LIMIT and report only results obtained before. They run at the same time,
 * because each waits half a second for the cancellation. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "algorithms/dp-knapsack/dp.h"
#include "algorithms/gboa/runs.h"
#include "algorithms/gmys-ivm/ivm_search.h"
#include "algorithms/helbecque-pool/pool_search.h"
#include "algorithms/tree-search/checkpoint.h"
#include "datasets/atsp/atsp.h"
#include "harness/base/team.h"
#include "tests/unit/base/temporary_folder.h"

static const volatile sig_atomic_t raised = 1;

struct searched {
	const char *name;
	search_fn *search;
	struct search_request request;
	const char *instance; /* flowshop or ATSP; NULL: queens */
	int64_t optimum;      /* flowshop: known */
	bool keeps;           /* its open work, in `left` */
	/* result of the search */
	struct checkpoint left;
	int status;
	struct err error;
	struct search_outcome outcome;
	struct flowshop flowshop;
	struct atsp atsp;
};

static int ivm_published(const struct search_request *r, struct search_outcome *o, struct err *e)
{
	const struct ivm_request q = { .common = *r, .ivms = 1024, .mode = IVM_PTE };
	struct ivm_outcome all;
	int status = ivm_search(SOLVE_PUBLISHED, &q, &all, e);

	*o = all.common;
	all.common.order = NULL;
	ivm_outcome_free(&all);
	return status;
}

static int ivm_tuned(const struct search_request *r, struct search_outcome *o, struct err *e)
{
	const struct ivm_request q = { .common = *r };
	struct ivm_outcome all;
	int status = ivm_search(SOLVE_TUNED, &q, &all, e);

	*o = all.common;
	all.common.order = NULL;
	ivm_outcome_free(&all);
	return status;
}

static void run(void *of)
{
	struct searched *s = of;
	struct search_request q = s->request;
	struct checkpoint_plan keep = { .left = &s->left };
	struct dev_set devices;

	s->status = dev_set_open(&devices, "sim:0,1", 0, &s->error);
	if (s->status)
		return;
	dev_set_cancel_on(&devices, &raised);
	q.devices = &devices;
	if (s->keeps)
		q.checkpoint = &keep;
	q.flowshop = s->optimum ? &s->flowshop : NULL;
	q.atsp = s->instance && !s->optimum ? &s->atsp : NULL;
	q.ub = SEARCH_NO_UB;
	s->status = s->search(&q, &s->outcome, &s->error);
	dev_set_close(&devices);
}

static void load(struct searched *s)
{
	struct err e = { 0 };

	if (s->optimum)
		assert_int_equal(flowshop_load(&s->flowshop, s->instance, &e), 0);
	else if (s->instance)
		assert_int_equal(atsp_load(&s->atsp, s->instance, &e), 0);
}

static void check(struct searched *s)
{
	const struct search_outcome *o = &s->outcome;

	if (s->status != ERR_LIMIT || o->complete)
		fail_msg("%s: status %d, %s; %s", s->name, s->status, s->error.text,
			 o->complete ? "complete" : "not complete");
	if (s->optimum && (o->lower_bound < 1 || o->lower_bound > s->optimum))
		fail_msg("%s: a lower bound of %lld", s->name, (long long)o->lower_bound);
	if (s->optimum && o->order && flowshop_makespan(&s->flowshop, o->order) != o->best)
		fail_msg("%s: the schedule does not have the cost %lld", s->name,
			 (long long)o->best);
	if (s->instance && !s->optimum && o->lower_bound > o->best)
		fail_msg("%s: the bound %lld is above the cost %lld", s->name,
			 (long long)o->lower_bound, (long long)o->best);
	/* what was on the devices is open */
	if (s->keeps && (!s->left.count || s->left.explored != o->explored ||
			 s->left.solutions != o->solutions))
		fail_msg("%s: %llu units of open work, %llu explored, not %llu", s->name,
			 (unsigned long long)s->left.count, (unsigned long long)s->left.explored,
			 (unsigned long long)o->explored);
	checkpoint_free(&s->left);
	search_outcome_free(&s->outcome);
	if (s->optimum)
		flowshop_free(&s->flowshop);
	else if (s->instance)
		atsp_free(&s->atsp);
}

static void cancelled_searches_claim_no_result(void **state)
{
	char path[128];
	struct checkpoint_plan plan = { .write = path, .period = 1000 };
	struct searched all[] = {
		{ .name = "pool tuned LB1",
		  .search = pool_search(SOLVE_TUNED),
		  .instance = "ta056",
		  .optimum = 3679,
		  .request = { .bound = FSP_LB1 } },
		{ .name = "pool tuned LB2",
		  .search = pool_search(SOLVE_TUNED),
		  .instance = "ta023",
		  .optimum = 2326,
		  .request = { .bound = FSP_LB2 } },
		{ .name = "pool published",
		  .keeps = true,
		  .search = pool_search(SOLVE_PUBLISHED),
		  .instance = "ta023",
		  .optimum = 2326,
		  .request = { .bound = FSP_LB2 } },
		{ .name = "pool queens",
		  .keeps = true,
		  .search = pool_search(SOLVE_TUNED),
		  .request = { .queens = 19 } },
		{ .name = "ivm published",
		  .search = ivm_published,
		  .instance = "ta023",
		  .optimum = 2326,
		  .request = { .bound = FSP_LB2, .branching = FSP_MAXSUM } },
		{ .name = "ivm tuned",
		  .search = ivm_tuned,
		  .instance = "ta056",
		  .optimum = 3679,
		  .request = { .bound = FSP_LB1,
			       .branching = FSP_MINBRANCH,
			       .checkpoint = &plan } },
		{ .name = "ivm queens",
		  .search = ivm_tuned,
		  .request = { .queens = 19, .half_board = true } },
		{ .name = "ivm ATSP", .search = ivm_tuned, .instance = "random:25:1000:1" },
	};
	int count = sizeof(all) / sizeof(*all);
	struct err e = { 0 };

	(void)state;
	snprintf(path, sizeof(path), "%s/state", folder);
	for (int i = 0; i < count; i++)
		load(&all[i]);
	assert_int_equal(team_run_all(run, all, sizeof(*all), count, &e), 0);
	for (int i = 0; i < count; i++)
		check(&all[i]);
	assert_int_not_equal(access(path, F_OK), 0); /* no result exists yet */
}

/* ---- dynamic programming ---- */

struct programmed {
	int (*solve)(const struct dp_request *r, struct dp_answer *a, struct err *e);
	int status;
	struct err error;
};

static void program(void *of)
{
	struct programmed *p = of;
	struct dev_set devices;
	struct knapsack k;
	struct dp_request r = {
		.instance = &k, .form = DP_FUSED, .threads = 1, .devices = &devices
	};
	struct dp_answer a;

	p->status = knapsack_load(&k, "boyer:20000:1", &p->error);
	if (!p->status)
		p->status = dev_set_open(&devices, "sim:0,1", 0, &p->error);
	if (p->status)
		return;
	dev_set_cancel_on(&devices, &raised);
	p->status = p->solve(&r, &a, &p->error);
	dp_answer_free(&a);
	dev_set_close(&devices);
	knapsack_free(&k);
}

static void cancelled_dynamic_programming_ends(void **state)
{
	struct programmed all[] = { { .solve = dp_solve_published }, { .solve = dp_solve_tuned } };
	struct err e = { 0 };

	(void)state;
	assert_int_equal(team_run_all(program, all, sizeof(*all), 2, &e), 0);
	for (int i = 0; i < 2; i++)
		if (all[i].status != ERR_LIMIT)
			fail_msg("%d: status %d, %s", i, all[i].status, all[i].error.text);
}

/* ---- evolution ---- */

struct evolved {
	const char *name;
	enum solve_variant variant;
	enum boa_engine engine;
	enum boa_model model;
	int status, wrong;
	struct err error;
};

static void evolve(void *of)
{
	struct evolved *v = of;
	struct landscape l;
	struct dev_set devices;
	struct boa_options o;
	struct boa_trials trials;
	struct boa_setup s = { .landscape = &l,
			       .options = &o,
			       .variant = v->variant,
			       .threads = 1,
			       .devices = &devices,
			       .gpus = v->variant == SOLVE_PUBLISHED,
			       .engine = v->engine };

	boa_defaults(&o);
	o.model = v->model;
	o.population = 9600;
	o.selected = 4800;
	v->status = landscape_load(&l, "ising", "16", &v->error);
	if (!v->status)
		v->status = dev_set_open(&devices, "sim:0,1", 0, &v->error);
	if (!v->status)
		v->status = boa_trials_create(&trials, l.n, 3, &v->error);
	if (v->status)
		return;
	dev_set_cancel_on(&devices, &raised);
	v->status = boa_trials_run(&trials, &s, &v->error);
	v->wrong = boa_trials_verify(&trials, &l, v->status == ERR_LIMIT ? &v->error : NULL);
	boa_trials_destroy(&trials);
	dev_set_close(&devices);
	landscape_free(&l);
}

static void cancelled_runs_report_what_they_did(void **state)
{
	struct evolved all[] = {
		{ .name = "published", .variant = SOLVE_PUBLISHED },
		{ .name = "grid", .variant = SOLVE_TUNED, .engine = BOA_GRID },
		{ .name = "large", .variant = SOLVE_TUNED, .engine = BOA_LARGE },
		{ .name = "graphs", .variant = SOLVE_TUNED, .model = BOA_TREES },
	};
	int count = sizeof(all) / sizeof(*all);
	struct err e = { 0 };

	(void)state;
	assert_int_equal(team_run_all(evolve, all, sizeof(*all), count, &e), 0);
	for (int i = 0; i < count; i++)
		if (all[i].status != ERR_LIMIT || all[i].wrong)
			fail_msg("%s: status %d, %s", all[i].name, all[i].status,
				 all[i].error.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(cancelled_searches_claim_no_result, make_folder,
						remove_folder),
		cmocka_unit_test(cancelled_dynamic_programming_ends),
		cmocka_unit_test(cancelled_runs_report_what_they_did),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
