#include "datasets/landscape/landscape_clauses.h"

#include <stdlib.h>

enum { MOST = 1 << 28 }; /* clauses, and literals: their flat form still has places of 32 bits */

void clauses_free(struct clauses *c)
{
	free(c->weight);
	free(c->start);
	free(c->literal);
	*c = (struct clauses){ .n = 0 };
}

/* `values` with room for one more than `count`; NULL where there is no memory. */
static int32_t *grown(int32_t *values, size_t *room, size_t count)
{
	int32_t *more;

	if (count < *room)
		return values;
	more = realloc(values, 2 * (*room + 32) * sizeof(*more));
	if (more)
		*room = 2 * (*room + 32);
	return more;
}

static int no_memory(struct err *e)
{
	return err_set(e, ERR_MEMORY, "no memory for the clauses");
}

int clauses_literal(struct clauses *c, int32_t literal, struct err *e)
{
	int32_t *more = grown(c->literal, &c->literal_room, (size_t)c->literals);

	if (!more)
		return no_memory(e);
	c->literal = more;
	if (c->literals == MOST)
		return err_set(e, ERR_INPUT, "more than %d literals", MOST);
	c->literal[c->literals++] = literal;
	return 0;
}

int clauses_end(struct clauses *c, int32_t weight, struct err *e)
{
	size_t room = c->clause_room;
	int32_t *more = grown(c->weight, &room, (size_t)c->count + 1);

	if (!more)
		return no_memory(e);
	c->weight = more;
	more = grown(c->start, &c->clause_room, (size_t)c->count + 1);
	if (!more)
		return no_memory(e);
	c->start = more;
	if (c->count == MOST)
		return err_set(e, ERR_INPUT, "more than %d clauses", MOST);
	if (c->count == 0)
		c->start[0] = 0;
	c->weight[c->count++] = weight;
	c->start[c->count] = c->literals;
	return 0;
}
