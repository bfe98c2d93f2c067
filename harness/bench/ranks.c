/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "harness/bench/ranks.h"

#include <string.h>

#include "harness/bench/plan.h"

static void tear_down(struct bench_case *c)
{
	if (c->ready && c->bench->teardown)
		c->bench->teardown(c);
	c->ready = false;
	c->data = NULL;
}

/* What an order means for one rank. */
static int obey(struct bench_case *c, enum bench_order order, struct err *e)
{
	int status = 0;

	if (order == BENCH_SET_UP) {
		status = c->bench->setup ? c->bench->setup(c, e) : 0;
		c->ready = status == 0;
	} else if (order == BENCH_RUN) {
		status = c->bench->run(c, e);
	} else {
		tear_down(c);
	}
	return status;
}

/* ---- rank 0 ---- */

static int order_and_obey(struct bench_case *c, enum bench_order order, struct err *e)
{
	const struct bench_ranks *r = c->setting->ranks;
	struct err later;
	int status = r->order(order, c->name, e), answer, abandoned;

	if (status)
		return status;
	status = obey(c, order, e);
	abandoned = status && order == BENCH_RUN ? r->abandon(&later) : 0;
	answer = abandoned ? abandoned : r->answers(status ? &later : e);
	return status ? status : answer;
}

int bench_on_ranks(struct bench_case *c, enum bench_order order, struct err *e)
{
	struct err ignored;
	int status;

	if (!c->setting->ranks)
		return obey(c, order, e);
	status = order_and_obey(c, order, e);
	if (status && order == BENCH_SET_UP)
		order_and_obey(c, BENCH_TEAR_DOWN, &ignored);
	return status;
}

/* ---- the other ranks ---- */

static struct bench_case *find(struct bench_plan *plan, const char *name, struct err *e)
{
	for (int i = 0; i < plan->count; i++)
		if (strcmp(plan->cases[i].name, name) == 0)
			return &plan->cases[i];
	err_set(e, ERR_FAILED, "%s: this rank has no such case: other flags or another build",
		name);
	return NULL;
}

int bench_follow(struct bench_plan *plan, const struct bench_ranks *ranks, struct err *e)
{
	char name[BENCH_ORDER_NAME];
	enum bench_order order;
	struct bench_case *c = NULL;
	int status;

	while ((status = ranks->next(&order, name, e)) == 0 && order != BENCH_END) {
		struct err problem = { 0 };
		int result = 0;

		if (order == BENCH_SET_UP)
			c = find(plan, name, &problem);
		result = c ? obey(c, order, &problem) : problem.code;
		status = ranks->answer(result, &problem, e);
		if (status)
			break;
	}
	if (c)
		tear_down(c);
	return status;
}
