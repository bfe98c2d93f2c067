/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/tree-search/search_target.h"

#include <inttypes.h>

#include "algorithms/tree-search/atsp/atsp_verify.h"
#include "algorithms/tree-search/cluster/cluster_search.h"
#include "algorithms/tree-search/cluster/world.h"
#include "algorithms/tree-search/flowshop/fsp_verify.h"
#include "algorithms/tree-search/nqueens/queens_verify.h"
#include "harness/device/device.h"

int search_verify(const struct search_request *q, const struct search_outcome *o, bool *verified,
		  struct err *e)
{
	*verified = false;
	if (q->flowshop)
		return fsp_verify(q, o, flowshop_known_of(q->flowshop), verified, e);
	return q->atsp ? atsp_verify(q, o, verified, e) : queens_verify(q, o, verified, e);
}

int search_target_run(const struct search_target *t, const struct search_request *q,
		      struct search_outcome *o, struct solve_result *r, struct err *e)
{
	int status = q->devices ? dev_set_await(q->devices, e) : 0;

	if (status)
		return status;
	status = world_place() ? cluster_search(t, q, o, e) : t->search(t->context, q, o, e);
	world_size(&r->ranks, &r->machines);
	r->seconds_total += o->seconds_total;
	r->seconds_search = o->seconds_search;
	r->devices_used = world_place() ? 0 : o->devices_used;
	if (status == ERR_MEMORY)
		err_prefix(e, "after %" PRIu64 " nodes", o->explored ? o->explored : o->decomposed);
	return status;
}
