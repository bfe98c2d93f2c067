/* Flags that were given and that the run would ignore: refused, not passed over. */
#ifndef COPRA_BASE_REFUSE_H
#define COPRA_BASE_REFUSE_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/base/error.h"

struct refusal {
	bool refused; /* this was given, and has no meaning here */
	const char *flag, *why;
};

/* ERR_USAGE "--flag: why" of the first refused. */
int refuse_list(const struct refusal *list, size_t count, struct err *e);

#define REFUSE(list, e) refuse_list(list, sizeof(list) / sizeof((list)[0]), e)

#endif
