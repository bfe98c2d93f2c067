#include "algorithms/tree-search/checkpoint_key.h"

#include <stdio.h>
#include <string.h>

#include "datasets/atsp/atsp.h"

static void of_flowshop(const struct search_request *r, struct checkpoint_key *key)
{
	static const char *const bound[] = { [FSP_LB1] = "lb1", [FSP_LB2] = "lb2" };
	static const char *const branching[] = {
		[FSP_FORWARD] = "forward", [FSP_MAXSUM] = "maxsum", [FSP_MINBRANCH] = "minbranch"
	};

	strcpy(key->problem, "flowshop");
	snprintf(key->instance, sizeof(key->instance), "%s", r->flowshop->name);
	snprintf(key->rule, sizeof(key->rule), "%s-%s", bound[r->bound], branching[r->branching]);
	key->hash = flowshop_hash(r->flowshop);
	key->items = r->flowshop->jobs;
}

static void of_atsp(const struct atsp *a, struct checkpoint_key *key)
{
	strcpy(key->problem, "atsp");
	snprintf(key->instance, sizeof(key->instance), "%s", a->name);
	strcpy(key->rule, "path");
	key->hash = atsp_hash(a);
	key->items = a->cities - 1;
}

static void of_queens(const struct search_request *r, struct checkpoint_key *key)
{
	strcpy(key->problem, "nqueens");
	snprintf(key->instance, sizeof(key->instance), "%d", r->queens);
	strcpy(key->rule, r->half_board ? "half-board" : "board");
	key->hash = (uint64_t)r->queens;
	key->items = r->queens;
}

void checkpoint_key_of(const struct search_request *r, int64_t first_ub, struct checkpoint_key *key)
{
	memset(key, 0, sizeof(*key));
	if (r->flowshop)
		of_flowshop(r, key);
	else if (r->atsp)
		of_atsp(r->atsp, key);
	else
		of_queens(r, key);
	key->first_ub = first_ub;
}
