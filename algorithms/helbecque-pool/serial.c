/* Algorithm 1 (section 2.1) on one core: counts, times and the answer's frame; the searches are in
 * serial_flowshop.c and serial_queens.c. */
#include <string.h>

#include "../problems/interrupt.h"
#include "serial_parts.h"

int pool_search_serial(const struct search_request *r, struct search_outcome *o, struct err *e)
{
	double begin = clock_wall();

	memset(o, 0, sizeof(*o));
	int status = r->flowshop ? serial_flowshop(r, o, e) : serial_queens(r, o, e);

	o->workers = 1;
	o->worker_explored[0] = o->explored;
	o->seconds_total = clock_wall() - begin;
	o->seconds_search = o->seconds_total - o->seconds_setup;
	return status;
}
