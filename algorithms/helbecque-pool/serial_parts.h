/* The two halves of pool_search_serial. */
#ifndef COPRA_HELBECQUE_POOL_SERIAL_PARTS_H
#define COPRA_HELBECQUE_POOL_SERIAL_PARTS_H

#include "algorithms/tree-search/balance.h"
#include "algorithms/helbecque-pool/pool.h"

/* Both leave the balance of their nodes in *b. */
int serial_flowshop(const struct search_request *r, struct search_outcome *o, struct balance *b,
		    struct err *e);
int serial_queens(const struct search_request *r, struct search_outcome *o, struct balance *b,
		  struct err *e);

#endif
