/* Functions that both beam searches use. */
#include "algorithms/koester-recovery/problems/search.h"

#include <stdlib.h>

#include "harness/base/host.h"

int track_request_memory(const struct track_request *r, uint64_t *bytes, struct err *e)
{
	const struct track_place *p = r->places[0];
	struct dev_info info;
	int status;

	*bytes = r->memory;
	if (!*bytes && !p->device) {
		int64_t host = host_memory_available();

		*bytes = host > 0 ? (uint64_t)host / 2 : 0;
	}
	if (!*bytes && p->device) {
		if ((status = dev_get_info(p->device, &info, e)))
			return status;
		*bytes = info.memory_free / 2;
	}
	if (p->limit && p->limit < *bytes)
		*bytes = p->limit;
	return 0;
}

void track_outcome_free(struct track_outcome *o)
{
	free(o->solution);
	o->solution = NULL;
	o->length = 0;
}
