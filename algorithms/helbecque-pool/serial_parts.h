/* The two halves of pool_search_serial. */
#ifndef COPRA_HELBECQUE_SERIAL_PARTS_H
#define COPRA_HELBECQUE_SERIAL_PARTS_H

#include "pool.h"

int serial_flowshop(const struct search_request *r, struct search_outcome *o, struct err *e);
int serial_queens(const struct search_request *r, struct search_outcome *o, struct err *e);

#endif
