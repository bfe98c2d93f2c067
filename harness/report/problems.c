#include "harness/report/problems.h"

#include <stdio.h>
#include <stdlib.h>

#include "harness/report/text.h"

int problems_add(struct problems *p, const char *line, struct err *e)
{
	int status = array_grow((void **)&p->line, p->count, sizeof(*p->line), e);
	if (!status)
		status = text_copy(&p->line[p->count], line, e);
	if (!status)
		p->count++;
	return status;
}

void problems_free(struct problems *p)
{
	for (size_t i = 0; i < p->count; i++)
		free(p->line[i]);
	free(p->line);
	*p = (struct problems){ 0 };
}

int problems_tell(const struct problems *p, const char *program, const char *what, struct err *e)
{
	for (size_t i = 0; i < p->count; i++)
		fprintf(stderr, "%s: %s\n", program, p->line[i]);
	return p->count ? err_set(e, ERR_INPUT, "%zu %s%s left out", p->count, what,
				  p->count == 1 ? "" : "s") :
			  0;
}
