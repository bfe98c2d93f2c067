#include "algorithms/koester-recovery/problems/search.h"

#include <stdlib.h>

void track_outcome_free(struct track_outcome *o)
{
	free(o->solution);
	o->solution = NULL;
	o->length = 0;
}
