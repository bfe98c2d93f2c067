/* The two halves of pool_search_serial. */
#ifndef COPRA_HELBECQUE_SERIAL_PARTS_H
#define COPRA_HELBECQUE_SERIAL_PARTS_H

#include "../problems/balance.h"
#include "pool.h"

/* Both leave the balance of their nodes in *b. */
int serial_flowshop(const struct search_request *r, struct search_outcome *o, struct balance *b,
		    struct err *e);
int serial_queens(const struct search_request *r, struct search_outcome *o, struct balance *b,
		  struct err *e);

#endif
