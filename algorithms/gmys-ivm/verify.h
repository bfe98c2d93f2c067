/* Is an outcome right? Everything that can be told without the code that searched: tours and
 * schedules are evaluated from the instance, counts and optima compared with what is known. */
#ifndef COPRA_GMYS_IVM_VERIFY_H
#define COPRA_GMYS_IVM_VERIFY_H

#include "algorithms/tree-search/search.h"

/* As fsp_verify (flowshop_verify.h), for the three problems. */
int ivm_verify(const struct search_request *r, const struct search_outcome *o, bool *verified,
	       struct err *e);

#endif
