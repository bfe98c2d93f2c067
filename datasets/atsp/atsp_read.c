/* The reader of TSPLIB files (Reinelt 1991) with a full matrix of costs. What says nothing of the
 * costs is skipped, by name; a keyword that is not known is refused, since it might. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "datasets/atsp/atsp_make.h"
#include "harness/base/text_reader.h"

/* Room for a row of 500 costs with any usual alignment; the matrix may be broken anywhere. */
enum { LINE_BYTES = 32768 };

enum keyword {
	NAME,
	TYPE,
	COMMENT,
	DIMENSION,
	EDGE_WEIGHT_TYPE,
	EDGE_WEIGHT_FORMAT,
	DISPLAY_DATA_TYPE,
	NODE_COORD_TYPE,
	EDGE_WEIGHT_SECTION,
	KEYWORDS
};
static const char *const keywords[KEYWORDS] = {
	"NAME",
	"TYPE",
	"COMMENT",
	"DIMENSION",
	"EDGE_WEIGHT_TYPE",
	"EDGE_WEIGHT_FORMAT",
	"DISPLAY_DATA_TYPE",
	"NODE_COORD_TYPE",
	"EDGE_WEIGHT_SECTION",
};

struct specification {
	bool seen[KEYWORDS];
	int64_t cities;
	char name[sizeof(((struct atsp *)NULL)->name)];
};

/* The keyword of the line; *value is moved to what follows it and its colon. */
static int read_keyword(struct text_reader *r, enum keyword *found, const char **value,
			struct err *e)
{
	const char *s = r->text + strspn(r->text, " \t");
	size_t length = strcspn(s, " \t\r:");

	for (int k = 0; k < KEYWORDS; k++) {
		if (strlen(keywords[k]) != length || strncmp(s, keywords[k], length) != 0)
			continue;
		*found = (enum keyword)k;
		s += length;
		s += strspn(s, " \t");
		if (*s == ':')
			s++;
		else if (k != EDGE_WEIGHT_SECTION)
			return text_bad(r, e, "expected a colon behind %s", keywords[k]);
		*value = s + strspn(s, " \t");
		return 0;
	}
	return text_bad(r, e, "'%.*s' is not a keyword of an ATSP with a matrix of costs",
			length < 40 ? (int)length : 40, s);
}

/* The value must be `word`, or `other` where there is one. */
static int one_of(struct text_reader *r, enum keyword k, const char *value, const char *word,
		  const char *other, struct err *e)
{
	size_t length = strcspn(value, " \t\r");
	bool same = strlen(word) == length && strncmp(value, word, length) == 0;

	if (!same && other)
		same = strlen(other) == length && strncmp(value, other, length) == 0;
	if (!same)
		return text_bad(r, e, "%s is '%.*s': only %s%s%s is read", keywords[k],
				length < 40 ? (int)length : 40, value, word, other ? " or " : "",
				other ? other : "");
	return 0;
}

static int whole_number(struct text_reader *r, const char *value, int64_t *number, struct err *e)
{
	int status = text_number(r, &value, number, "DIMENSION", e);

	if (!status && !text_at_end(value))
		status = text_bad(r, e, "more on the line than the number of cities");
	return status;
}

static void keep_name(struct specification *s, const char *value)
{
	size_t length = strlen(value);

	while (length && strchr(" \t\r", value[length - 1]))
		length--;
	snprintf(s->name, sizeof(s->name), "%.*s", (int)length, value);
}

static int read_value(struct text_reader *r, struct specification *s, enum keyword k,
		      const char *value, struct err *e)
{
	switch (k) {
	case NAME:
		keep_name(s, value);
		return 0;
	case TYPE: /* some files have the author behind it */
		return one_of(r, k, value, "ATSP", "TSP", e);
	case DIMENSION:
		return whole_number(r, value, &s->cities, e);
	case EDGE_WEIGHT_TYPE:
		return one_of(r, k, value, "EXPLICIT", NULL, e);
	case EDGE_WEIGHT_FORMAT:
		return one_of(r, k, value, "FULL_MATRIX", NULL, e);
	default:
		return 0;
	}
}

/* The lines up to and with EDGE_WEIGHT_SECTION; comments may be many. */
static int read_specification(struct text_reader *r, struct specification *s, struct err *e)
{
	static const enum keyword needed[] = { TYPE, DIMENSION, EDGE_WEIGHT_TYPE,
					       EDGE_WEIGHT_FORMAT };
	enum keyword k = NAME;
	const char *value = "";
	int status = 0;

	while (!status && k != EDGE_WEIGHT_SECTION) {
		if ((status = text_next_line(r, e)))
			break;
		if (r->ended)
			return text_bad(r, e, "the file ends before EDGE_WEIGHT_SECTION");
		if ((status = read_keyword(r, &k, &value, e)))
			break;
		if (s->seen[k] && k != COMMENT)
			return text_bad(r, e, "%s is there twice", keywords[k]);
		s->seen[k] = true;
		status = read_value(r, s, k, value, e);
	}
	if (!status && !text_at_end(value))
		return text_bad(r, e, "more on the line than EDGE_WEIGHT_SECTION");
	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]) && !status; i++)
		if (!s->seen[needed[i]])
			status = text_bad(r, e, "%s is missing before EDGE_WEIGHT_SECTION",
					  keywords[needed[i]]);
	return status;
}

/* Moves *s to the next number, on a later line where this one is done. */
static int find_number(struct text_reader *r, const char **s, int from, int to, struct err *e)
{
	int status = 0;

	while (!status && text_at_end(*s)) {
		status = text_next_line(r, e);
		if (!status && r->ended)
			return text_bad(r, e, "the file ends before the cost from %d to %d", from,
					to);
		*s = r->text;
	}
	return status;
}

/* The diagonal means nothing: any number, also a negative one, stands there. */
static int read_cost(struct text_reader *r, const char **s, struct atsp *a, int from, int to,
		     struct err *e)
{
	char name[48];
	int64_t cost;
	int status = find_number(r, s, from, to, e);

	if (status)
		return status;
	snprintf(name, sizeof(name), "cost from %d to %d", from, to);
	*s += strspn(*s, " \t");
	if (from == to && **s == '-' && isdigit((unsigned char)(*s)[1]))
		++*s;
	status = text_number(r, s, &cost, name, e);
	if (!status && from != to && (status = atsp_put(a, from, to, cost, e)))
		status = err_prefix(e, "%s:%" PRId64, r->path, r->line);
	return status;
}

static int read_matrix(struct text_reader *r, struct atsp *a, struct err *e)
{
	const char *s = "";
	int status = 0;

	for (int i = 0; i < a->cities && !status; i++)
		for (int j = 0; j < a->cities && !status; j++)
			status = read_cost(r, &s, a, i, j, e);
	if (!status && !text_at_end(s))
		status =
			text_bad(r, e, "more on the line than %d x %d costs", a->cities, a->cities);
	return status;
}

/* EOF may be missing; nothing else may follow. */
static int read_end(struct text_reader *r, struct err *e)
{
	const char *s;
	int status = text_next_line(r, e);

	if (status || r->ended)
		return status;
	s = r->text + strspn(r->text, " \t");
	if (strncmp(s, "EOF", 3) != 0 || !text_at_end(s + 3))
		return text_bad(r, e, "more in the file than one instance");
	status = text_next_line(r, e);
	if (!status && !r->ended)
		status = text_bad(r, e, "more in the file behind EOF");
	return status;
}

static int read_all(struct text_reader *r, struct atsp *a, struct err *e)
{
	struct specification s = { .cities = 0 };
	int status = read_specification(r, &s, e);

	if (status)
		return status;
	status = atsp_alloc(a, s.cities, e, "%s", *s.name ? s.name : text_base_name(r->path));
	if (status)
		return err_prefix(e, "%s:%" PRId64, r->path, r->line);
	if (!(status = read_matrix(r, a, e)))
		status = read_end(r, e);
	return status;
}

int atsp_read(struct atsp *a, const char *path, struct err *e)
{
	char buffer[LINE_BYTES];
	struct text_reader r;
	int status;

	*a = (struct atsp){ .cities = 0 };
	if ((status = text_open(&r, path, buffer, sizeof(buffer), e)))
		return status;
	status = read_all(&r, a, e);
	text_close(&r);
	if (status)
		atsp_free(a);
	return status;
}
