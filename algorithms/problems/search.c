#include "search.h"

#include <stdlib.h>

void search_outcome_free(struct search_outcome *o)
{
	free(o->order);
	o->order = NULL;
}
