/* The reader of both knapsack file formats. Counts are never trusted: arrays grow with the lines that
 * are really there. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "knapsack_make.h"

enum { LINE_BYTES = 256 };

struct reader {
	FILE *file;
	const char *path;
	int64_t line;  /* number of the line in text */
	char text[LINE_BYTES];
	bool ended;
};

static int bad(const struct reader *r, struct err *e, const char *what)
{
	return err_set(e, ERR_INPUT, "%s:%" PRId64 ": %s", r->path, r->line, what);
}

/* The next line that is not blank; `ended` is set at the end of the file. */
static int next_line(struct reader *r, struct err *e)
{
	do {
		size_t length;

		r->line++;
		if (!fgets(r->text, LINE_BYTES, r->file)) {
			if (ferror(r->file))
				return err_set(e, ERR_INPUT, "%s: cannot be read: %m", r->path);
			r->ended = true;
			return 0;
		}
		length = strlen(r->text);
		if ((length == 0 || r->text[length - 1] != '\n') && !feof(r->file))
			return bad(r, e, "line too long or not text");
	} while (r->text[strspn(r->text, " \t\r\n")] == '\0');
	return 0;
}

/* One number >= 0 from *s. */
static int number(const struct reader *r, const char **s, int64_t *value, const char *name,
		  struct err *e)
{
	const char *p = *s + strspn(*s, " \t");
	char what[96];

	*value = 0;
	if (*p == '-' && isdigit((unsigned char)p[1])) {
		snprintf(what, sizeof(what), "%s is negative", name);
		return bad(r, e, what);
	}
	if (!isdigit((unsigned char)*p)) {
		snprintf(what, sizeof(what), strchr("\r\n", *p) ? "%s is missing" :
			 "%s is not an integer", name);
		return bad(r, e, what);
	}
	for (; isdigit((unsigned char)*p); p++) {
		if (__builtin_mul_overflow(*value, 10, value) ||
		    __builtin_add_overflow(*value, *p - '0', value)) {
			snprintf(what, sizeof(what), "%s does not fit in 64 bits", name);
			return bad(r, e, what);
		}
	}
	if (!strchr(" \t\r\n", *p)) {
		snprintf(what, sizeof(what), "%s is not an integer", name);
		return bad(r, e, what);
	}
	*s = p;
	return 0;
}

static bool at_end(const char *s)
{
	return s[strspn(s, " \t\r\n")] == '\0';
}

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

static int read_item(struct reader *r, struct knapsack *k, int64_t i, bool indexed, int64_t *base,
		     struct err *e)
{
	const char *s = r->text;
	int64_t index = i, p, w;
	int status = 0;

	if (indexed)
		status = number(r, &s, &index, "item index", e);
	if (!status && indexed) {
		if (i == 0 && index <= 1)
			*base = index;
		if (index - *base != i)
			return bad(r, e, "item index out of order");
	}
	if (!status)
		status = number(r, &s, &p, "profit", e);
	if (!status)
		status = number(r, &s, &w, "weight", e);
	if (status)
		return status;
	if (!at_end(s))
		return bad(r, e, "more on the line than an item has");
	status = knapsack_put(k, i, p, w, e);
	return status ? err_prefix(e, "%s:%" PRId64, r->path, r->line) : 0;
}

static int read_items(struct reader *r, struct knapsack *k, bool indexed, struct err *e)
{
	int64_t room = 0, base = 0;

	for (int64_t i = 0; i < k->n; i++) {
		int status = next_line(r, e);

		if (status)
			return status;
		if (r->ended)
			return err_set(e, ERR_INPUT, "%s:%" PRId64 ": the file ends after %" PRId64
				       " of %" PRId64 " items", r->path, r->line, i, k->n);
		if ((status = grow(k, i, &room, e)) ||
		    (status = read_item(r, k, i, indexed, &base, e)))
			return status;
	}
	return 0;
}

static int read_capacity(struct reader *r, struct knapsack *k, struct err *e)
{
	const char *s = r->text;
	int status = next_line(r, e);

	if (status)
		return status;
	if (r->ended)
		return bad(r, e, "the file ends before the capacity");
	if ((status = number(r, &s, &k->capacity, "capacity", e)))
		return status;
	return at_end(s) ? 0 : bad(r, e, "more on the line than the capacity");
}

static int read_all(struct reader *r, struct knapsack *k, struct err *e)
{
	const char *s = r->text;
	bool indexed;
	int status = next_line(r, e);

	if (status)
		return status;
	if (r->ended)
		return err_set(e, ERR_INPUT, "%s: the file is empty", r->path);
	if ((status = number(r, &s, &k->n, "number of items", e)))
		return status;
	if (k->n < 1 || k->n > KNAPSACK_MAX_ITEMS)
		return bad(r, e, "number of items is not in 1..1073741824");
	indexed = at_end(s);
	if (!indexed && (status = number(r, &s, &k->capacity, "capacity", e)))
		return status;
	if (!at_end(s))
		return bad(r, e, "more on the first line than n, or n and C");
	if ((status = read_items(r, k, indexed, e)) ||
	    (indexed && (status = read_capacity(r, k, e))) || (status = next_line(r, e)))
		return status;
	return r->ended ? 0 : bad(r, e, "more in the file than the instance");
}

int knapsack_read(struct knapsack *k, const char *path, struct err *e)
{
	struct reader r = { .path = path };
	const char *slash = strrchr(path, '/');
	int status;

	*k = (struct knapsack){ .n = 0 };
	snprintf(k->name, sizeof(k->name), "%s", slash ? slash + 1 : path);
	r.file = fopen(path, "r");
	if (!r.file)
		return err_set(e, ERR_INPUT, "%s: %m", path);
	status = read_all(&r, k, e);
	fclose(r.file);
	if (status)
		knapsack_free(k);
	return status;
}
