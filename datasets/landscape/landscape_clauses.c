#include "datasets/landscape/landscape_clauses.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "datasets/landscape/landscape_make.h"
#include "harness/base/text_reader.h"

enum { MOST = 1 << 28 }; /* clauses or literals: positions in the flat form have 32 bits */

void clauses_free(struct clauses *c)
{
	free(c->weight);
	free(c->start);
	free(c->literal);
	*c = (struct clauses){ .n = 0 };
}

/* Returns `values` with room for more than `count` entries; NULL when out of memory. */
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

/* ---- DIMACS files ---- */

/* Counts are not trusted: the arrays grow with the clauses that are read. */

enum { LINE_BYTES = 1 << 20 };
enum format { CNF, WCNF, WCNF_2022 };

struct dimacs {
	struct text_reader r;
	struct clauses *c;
	enum format format;
	bool known;         /* the format is known */
	int64_t promised;   /* clauses in the header; -1: none */
	int64_t top;        /* clauses with this weight or more are hard */
	int64_t soft, hard; /* sum of the soft weights, number of hard clauses so far */
	bool inside;        /* within a clause */
	bool finished;      /* a line "%" was read */
	int32_t weight;     /* of the current clause */
};

static int at_line(const struct dimacs *d, int status, struct err *e)
{
	if (status)
		err_prefix(e, "%s:%" PRId64, d->r.path, d->r.line);
	return status;
}

/* If the text begins with the word, skips it and returns true. */
static bool skip_word(const char **text, const char *word)
{
	const char *p = *text + strspn(*text, " \t");
	size_t length = strlen(word);

	if (strncmp(p, word, length) != 0 || !strchr(" \t\r", p[length]))
		return false;
	*text = p + length;
	return true;
}

static int read_header(struct dimacs *d, const char *s, struct err *e)
{
	int64_t n;
	int status;

	if (d->known)
		return text_bad(&d->r, e, "a second header, or a header after clauses");
	d->known = true;
	if (skip_word(&s, "cnf"))
		d->format = CNF;
	else if (skip_word(&s, "wcnf"))
		d->format = WCNF;
	else
		return text_bad(&d->r, e, "expected p cnf or p wcnf");
	if ((status = text_number(&d->r, &s, &n, "number of variables", e)) ||
	    (status = text_number(&d->r, &s, &d->promised, "number of clauses", e)))
		return status;
	if ((status = at_line(d, landscape_check_variables(n, e), e)))
		return status;
	d->c->n = (int32_t)n;
	if (d->format == WCNF && !text_at_end(s))
		status = text_number(&d->r, &s, &d->top, "top weight", e);
	if (status)
		return status;
	if (d->top == 0)
		return text_bad(&d->r, e, "top weight 0 makes every clause hard");
	return text_at_end(s) ? 0 : text_bad(&d->r, e, "unexpected text after the header");
}

static int read_weight(struct dimacs *d, const char **s, struct err *e)
{
	int64_t weight;
	int status;

	d->weight = CLAUSE_HARD;
	if (d->format == WCNF_2022 && skip_word(s, "h"))
		return 0;
	if ((status = text_number(&d->r, s, &weight, "weight", e)))
		return status;
	if (d->format == WCNF && weight >= d->top)
		return 0;
	if (weight < 1 || weight > INT32_MAX)
		return text_bad(&d->r, e, "weight %" PRId64 " is not in 1..%d", weight, INT32_MAX);
	d->weight = (int32_t)weight;
	return 0;
}

/* The total weight of all clauses must fit in 32 bits. It is checked after each clause, so the sum
 * cannot overflow 64 bits. */
static int check_weights(struct dimacs *d, struct err *e)
{
	int64_t all;

	if (d->weight == CLAUSE_HARD)
		d->hard++;
	d->soft += d->weight;
	all = d->soft + (d->hard ? d->hard * (d->soft + 1) : 0);
	if (all <= INT32_MAX)
		return 0;
	return text_bad(&d->r, e, "the clauses up to here weigh %" PRId64 ", more than %d%s", all,
			INT32_MAX, d->hard ? " (a hard one: 1 + the sum of the soft weights)" : "");
}

/* Reads a literal; 0 ends the clause. */
static int read_literal(struct dimacs *d, const char **s, struct err *e)
{
	int32_t most = d->format == WCNF_2022 ? LANDSCAPE_VARIABLES_MAX : d->c->n;
	int64_t variable;
	bool negated;
	int status;

	*s += strspn(*s, " \t");
	negated = **s == '-';
	*s += negated;
	if (negated && (**s < '1' || **s > '9'))
		return text_bad(&d->r, e, "a minus without a variable");
	if ((status = text_number(&d->r, s, &variable, "literal", e)))
		return status;
	if (variable > most)
		return text_bad(&d->r, e, "variable %" PRId64 " is above %d", variable, most);
	if (variable == 0) {
		d->inside = false;
		if ((status = check_weights(d, e)))
			return status;
		return at_line(d, clauses_end(d->c, d->weight, e), e);
	}
	if (d->format == WCNF_2022 && variable > d->c->n)
		d->c->n = (int32_t)variable;
	return at_line(d, clauses_literal(d->c, (int32_t)(negated ? -variable : variable), e), e);
}

static int begin_clause(struct dimacs *d, const char **s, struct err *e)
{
	if (d->c->count == d->promised)
		return text_bad(&d->r, e, "more clauses than the %" PRId64 " of the header",
				d->promised);
	d->inside = true;
	d->weight = 1;
	return d->format == CNF ? 0 : read_weight(d, s, e);
}

static int read_clauses(struct dimacs *d, struct err *e)
{
	const char *s = d->r.text;
	int status = 0;

	while (!status && !text_at_end(s))
		status = d->inside ? read_literal(d, &s, e) : begin_clause(d, &s, e);
	return status;
}

static int read_line(struct dimacs *d, struct err *e)
{
	const char *s = d->r.text;

	if (s[strspn(s, " \t")] == 'c')
		return 0;
	if (skip_word(&s, "p"))
		return read_header(d, s, e);
	if (d->known && d->format == CNF && skip_word(&s, "%") && text_at_end(s)) {
		d->finished = true;
		return 0;
	}
	if (!d->known)
		d->format = WCNF_2022;
	d->known = true;
	return read_clauses(d, e);
}

static int read_file(struct dimacs *d, struct err *e)
{
	int status = 0;

	while (!status && !d->finished && !d->r.ended) {
		status = text_next_line(&d->r, e);
		if (!status && !d->r.ended)
			status = read_line(d, e);
	}
	if (status)
		return status;
	if (d->inside)
		return text_bad(&d->r, e, "the file ends within a clause");
	if (d->c->count < d->promised)
		return text_bad(&d->r, e, "the file ends after %d of %" PRId64 " clauses",
				d->c->count, d->promised);
	if (d->c->count == 0 || d->c->n == 0)
		return text_bad(&d->r, e, "the file has no clauses");
	return 0;
}

int clauses_read(struct clauses *c, const char *path, struct err *e)
{
	struct dimacs d = { .c = c, .promised = -1, .top = INT64_MAX };
	char *line = malloc(LINE_BYTES);
	int status;

	*c = (struct clauses){ .n = 0 };
	if (!line)
		return err_set(e, ERR_MEMORY, "no memory to read %s", path);
	status = text_open(&d.r, path, line, LINE_BYTES, e);
	if (!status) {
		status = read_file(&d, e);
		text_close(&d.r);
	}
	free(line);
	if (status)
		clauses_free(c);
	return status;
}
