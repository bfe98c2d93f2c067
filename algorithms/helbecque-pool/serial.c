/* Algorithm 1 (section 2.1) on one core: counts, times and the answer's frame; the searches are in
 * serial_flowshop.c and serial_queens.c. */
#include <string.h>

#include "algorithms/tree-search/interrupt.h"
#include "algorithms/helbecque-pool/serial_parts.h"

int pool_search_serial(const struct search_request *r, struct search_outcome *o, struct err *e)
{
	static const struct balance_name name = { "helbecque-pool serial", NULL, -1, NULL };
	double begin = clock_wall();
	struct balance b = { 0 };

	memset(o, 0, sizeof(*o));
	int status = r->flowshop ? serial_flowshop(r, o, &b, e) : serial_queens(r, o, &b, e);

	if ((!status || status == ERR_LIMIT) && balance_check(&b, &name, o->complete, e)) {
		status = ERR_FAILED;
		o->complete = false;
	}

	o->workers = 1;
	o->worker_explored[0] = o->explored;
	o->seconds_total = clock_wall() - begin;
	o->seconds_search = o->seconds_total - o->seconds_setup;
	return status;
}
