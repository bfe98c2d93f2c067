/* What could not be read of files that are many: told at the end, the rest is used all the same. */
#ifndef COPRA_REPORT_PROBLEMS_H
#define COPRA_REPORT_PROBLEMS_H

#include <stddef.h>

#include "harness/base/error.h"

struct problems {
	char **line;
	size_t count;
};

int problems_add(struct problems *p, const char *line, struct err *e);
void problems_free(struct problems *p);
/* To stderr, each behind the program's name. ERR_INPUT where there is one: "3 lines left out". */
int problems_tell(const struct problems *p, const char *program, const char *what, struct err *e);

#endif
