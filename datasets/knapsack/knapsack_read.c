/* The reader of both knapsack file formats. Counts are never trusted: arrays grow with the lines
 * that are really there. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "datasets/knapsack/knapsack_make.h"
#include "harness/base/text_reader.h"

enum { LINE_BYTES = 256 };

/* Room for item `i` in both arrays, without trusting n. */
static int grow(struct knapsack *k, int64_t i, int64_t *room, struct err *e)
{
	int64_t *more;

	if (i < *room)
		return 0;
	*room = *room ? 2 * *room : 256;
	more = realloc(k->profit, (size_t)*room * sizeof(*more));
	if (more)
		k->profit = more;
	if (more && (more = realloc(k->weight, (size_t)*room * sizeof(*more))))
		k->weight = more;
	return more ? 0 : err_set(e, ERR_MEMORY, "no memory for %" PRId64 " items", *room);
}

static int read_item(struct text_reader *r, struct knapsack *k, int64_t i, bool indexed,
		     int64_t *base, struct err *e)
{
	const char *s = r->text;
	int64_t index = i, p, w;
	int status = 0;

	if (indexed)
		status = text_number(r, &s, &index, "item index", e);
	if (!status && indexed) {
		if (i == 0 && index <= 1)
			*base = index;
		if (index - *base != i)
			return text_bad(r, e, "item index out of order");
	}
	if (!status)
		status = text_number(r, &s, &p, "profit", e);
	if (!status)
		status = text_number(r, &s, &w, "weight", e);
	if (status)
		return status;
	if (!text_at_end(s))
		return text_bad(r, e, "more on the line than an item has");
	status = knapsack_put(k, i, p, w, e);
	return status ? err_prefix(e, "%s:%" PRId64, r->path, r->line) : 0;
}

static int read_items(struct text_reader *r, struct knapsack *k, bool indexed, struct err *e)
{
	int64_t room = 0, base = 0;

	for (int64_t i = 0; i < k->n; i++) {
		int status = text_next_line(r, e);

		if (status)
			return status;
		if (r->ended)
			return text_bad(r, e,
					"the file ends after %" PRId64 " of %" PRId64 " items", i,
					k->n);
		if ((status = grow(k, i, &room, e)) ||
		    (status = read_item(r, k, i, indexed, &base, e)))
			return status;
	}
	return 0;
}

static int read_capacity(struct text_reader *r, struct knapsack *k, struct err *e)
{
	const char *s = r->text;
	int status = text_next_line(r, e);

	if (status)
		return status;
	if (r->ended)
		return text_bad(r, e, "the file ends before the capacity");
	if ((status = text_number(r, &s, &k->capacity, "capacity", e)))
		return status;
	return text_at_end(s) ? 0 : text_bad(r, e, "more on the line than the capacity");
}

static int read_all(struct text_reader *r, struct knapsack *k, struct err *e)
{
	const char *s = r->text;
	bool indexed;
	int status = text_next_line(r, e);

	if (status)
		return status;
	if (r->ended)
		return err_set(e, ERR_INPUT, "%s: the file is empty", r->path);
	if ((status = text_number(r, &s, &k->n, "number of items", e)))
		return status;
	if (k->n < 1 || k->n > KNAPSACK_MAX_ITEMS)
		return text_bad(r, e, "number of items is not in 1..1073741824");
	indexed = text_at_end(s);
	if (!indexed && (status = text_number(r, &s, &k->capacity, "capacity", e)))
		return status;
	if (!text_at_end(s))
		return text_bad(r, e, "more on the first line than n, or n and C");
	if ((status = read_items(r, k, indexed, e)) ||
	    (indexed && (status = read_capacity(r, k, e))) || (status = text_next_line(r, e)))
		return status;
	return r->ended ? 0 : text_bad(r, e, "more in the file than the instance");
}

int knapsack_read(struct knapsack *k, const char *path, struct err *e)
{
	char buffer[LINE_BYTES];
	struct text_reader r;
	int status;

	*k = (struct knapsack){ .n = 0 };
	snprintf(k->name, sizeof(k->name), "%s", text_base_name(path));
	if ((status = text_open(&r, path, buffer, sizeof(buffer), e)))
		return status;
	status = read_all(&r, k, e);
	text_close(&r);
	if (status)
		knapsack_free(k);
	return status;
}
