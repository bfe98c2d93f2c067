/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "datasets/landscape/landscape_clauses.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "datasets/landscape/landscape_make.h"
#include "harness/base/rng.h"
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

/* Appends a literal to the clause that is being built. */
static int add_literal(struct clauses *c, int32_t literal, struct err *e)
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

static int end_clause(struct clauses *c, int32_t weight, struct err *e)
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

int clauses_add(struct clauses *c, const int32_t *literal, int32_t count, int32_t weight,
		struct err *e)
{
	int status = 0;

	for (int32_t i = 0; i < count && !status; i++)
		status = add_literal(c, literal[i], e);
	return status ? status : end_clause(c, weight, e);
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
		return at_line(d, end_clause(d->c, d->weight, e), e);
	}
	if (d->format == WCNF_2022 && variable > d->c->n)
		d->c->n = (int32_t)variable;
	return at_line(d, add_literal(d->c, (int32_t)(negated ? -variable : variable), e), e);
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

/* ---- random walk ---- */

/* WalkSAT: draws an unsatisfied clause and flips one of its variables: one that breaks no other
 * clause if there is one; else, with some probability, a random one; else one that breaks the
 * fewest clauses. */

enum { WALK_VISITS = 3000000, NOISE_PERCENT = 50 };

struct walk {
	const struct clauses *c;
	struct rng r;
	uint8_t *bit;
	int32_t *true_literals; /* number of true literals of each clause */
	int32_t *broken;        /* unsatisfied clauses, in any order */
	int32_t *place;         /* index of a clause in `broken`, or -1 */
	int32_t count;          /* of broken clauses */
	int32_t *first;         /* 2 n + 1 indices into `user`, by clauses_column */
	int32_t *user;          /* clauses by literal */
};

static bool is_true(const struct walk *w, int32_t literal)
{
	return literal > 0 ? w->bit[literal - 1] : !w->bit[-literal - 1];
}

static void break_clause(struct walk *w, int32_t clause)
{
	w->place[clause] = w->count;
	w->broken[w->count++] = clause;
}

static void fix_clause(struct walk *w, int32_t clause)
{
	int32_t last = w->broken[--w->count];

	w->broken[w->place[clause]] = last;
	w->place[last] = w->place[clause];
	w->place[clause] = -1;
}

/* Lists the clauses of each literal, by counting sort. A clause that contains a literal twice is
 * listed twice. */
static void index_literals(struct walk *w)
{
	const struct clauses *c = w->c;

	for (int32_t i = 0; i < c->literals; i++)
		w->first[clauses_column(c->literal[i]) + 1]++;
	for (int32_t i = 0; i < 2 * c->n; i++)
		w->first[i + 1] += w->first[i];
	for (int32_t t = c->count - 1; t >= 0; t--)
		for (int32_t i = c->start[t]; i < c->start[t + 1]; i++)
			w->user[--w->first[clauses_column(c->literal[i]) + 1]] = t;
	/* the start of each list is now stored one place too far right */
	for (int32_t i = 0; i < 2 * c->n; i++)
		w->first[i] = w->first[i + 1];
	w->first[2 * c->n] = c->literals;
}

static void begin_walk(struct walk *w)
{
	const struct clauses *c = w->c;

	for (int32_t v = 0; v < c->n; v++)
		w->bit[v] = (uint8_t)rng_below(&w->r, 2);
	for (int32_t t = 0; t < c->count; t++) {
		w->place[t] = -1;
		for (int32_t i = c->start[t]; i < c->start[t + 1]; i++)
			w->true_literals[t] += is_true(w, c->literal[i]);
		if (w->true_literals[t] == 0)
			break_clause(w, t);
	}
}

/* The number of clauses that break when this literal, now false, becomes true: its negation is
 * their only true literal. */
static int32_t would_break(const struct walk *w, int32_t literal)
{
	int32_t column = clauses_column(-literal), sum = 0;

	for (int32_t i = w->first[column]; i < w->first[column + 1]; i++)
		sum += w->true_literals[w->user[i]] == 1;
	return sum;
}

/* Makes a false literal true. Returns the number of clauses visited. */
static int64_t flip(struct walk *w, int32_t literal)
{
	int32_t gains = clauses_column(literal), loses = clauses_column(-literal);

	w->bit[abs(literal) - 1] ^= 1;
	for (int32_t i = w->first[gains]; i < w->first[gains + 1]; i++)
		if (w->true_literals[w->user[i]]++ == 0)
			fix_clause(w, w->user[i]);
	for (int32_t i = w->first[loses]; i < w->first[loses + 1]; i++)
		if (--w->true_literals[w->user[i]] == 0)
			break_clause(w, w->user[i]);
	return w->first[gains + 1] - w->first[gains] + w->first[loses + 1] - w->first[loses];
}

static int32_t choose_literal(struct walk *w, int32_t clause)
{
	const int32_t *literal = w->c->literal + w->c->start[clause];
	int32_t size = w->c->start[clause + 1] - w->c->start[clause];
	int32_t best = literal[0], fewest = INT32_MAX;

	for (int32_t i = 0; i < size; i++) {
		int32_t broken = would_break(w, literal[i]);

		if (broken < fewest) {
			fewest = broken;
			best = literal[i];
		}
	}
	if (fewest > 0 && rng_below(&w->r, 100) < NOISE_PERCENT)
		return literal[rng_below(&w->r, (uint64_t)size)];
	return best;
}

/* Checks all clauses without the counts of the walk. */
static bool all_hold(const struct walk *w)
{
	const struct clauses *c = w->c;

	for (int32_t t = 0; t < c->count; t++) {
		bool holds = false;

		for (int32_t i = c->start[t]; i < c->start[t + 1]; i++)
			holds |= is_true(w, c->literal[i]);
		if (!holds)
			return false;
	}
	return true;
}

static bool run_walk(struct walk *w)
{
	const struct clauses *c = w->c;
	int64_t left = WALK_VISITS;

	for (int32_t t = 0; t < c->count; t++)
		if (c->start[t] == c->start[t + 1])
			return false; /* an empty clause */
	index_literals(w);
	begin_walk(w);
	while (w->count && left > 0) {
		int32_t clause = w->broken[rng_below(&w->r, (uint64_t)w->count)];

		left -= c->start[clause + 1] - c->start[clause] +
			flip(w, choose_literal(w, clause));
	}
	return all_hold(w);
}

int clauses_walk(const struct clauses *c, bool *found, struct err *e)
{
	size_t clauses = (size_t)c->count;
	struct walk w = { .c = c, .r = rng_seeded(1) };
	int status = 0;

	*found = false;
	w.bit = malloc((size_t)c->n);
	w.true_literals = calloc(clauses, sizeof(*w.true_literals));
	w.broken = malloc(clauses * sizeof(*w.broken));
	w.place = malloc(clauses * sizeof(*w.place));
	w.first = calloc(2 * (size_t)c->n + 1, sizeof(*w.first));
	w.user = malloc(((size_t)c->literals + 1) * sizeof(*w.user));
	if (w.bit && w.true_literals && w.broken && w.place && w.first && w.user)
		*found = run_walk(&w);
	else
		status = err_set(e, ERR_MEMORY, "no memory to search for an assignment");
	free(w.bit);
	free(w.true_literals);
	free(w.broken);
	free(w.place);
	free(w.first);
	free(w.user);
	return status;
}

/* ---- refutation ---- */

/* Decides whether the hard clauses are satisfiable, by unit propagation with two watched literals
 * per clause and chronological backtracking, without learning or restarts. */

enum { REFUTATION_VISITS = 4000000 };
enum { NOBODY = -1, UNSET = 2 };

struct decision {
	int32_t place;  /* index on the trail */
	int32_t clause; /* the first hard clause that was not yet satisfied */
	bool flipped;   /* the other value was tried */
};

struct refutation {
	const struct clauses *c;
	int64_t left;              /* visits of literals until the search gives up */
	uint8_t *value;            /* of each variable: 0, 1, UNSET */
	int32_t *trail;            /* literals made true, in order */
	int32_t set;               /* literals on the trail */
	int32_t propagated;        /* how many of them have been propagated */
	struct decision *decision; /* the current decisions */
	int32_t decisions;
	int32_t *first;   /* by clauses_column: the first watch, or NOBODY */
	int32_t *next;    /* the next watch; clause c has watches 2 c and 2 c + 1 */
	int32_t *watched; /* the literal of each watch */
};

/* 0: false, 1: true, or UNSET */
static uint8_t value_of(const struct refutation *x, int32_t literal)
{
	uint8_t value = x->value[abs(literal) - 1];

	return value == UNSET || literal > 0 ? value : !value;
}

static void make_true(struct refutation *x, int32_t literal)
{
	x->value[abs(literal) - 1] = literal > 0;
	x->trail[x->set++] = literal;
}

static void watch(struct refutation *x, int32_t w, int32_t literal)
{
	int32_t *first = &x->first[clauses_column(literal)];

	x->watched[w] = literal;
	x->next[w] = *first;
	*first = w;
}

/* A literal of the clause of watch w that is neither false nor watched; 0 if there is none. */
static int32_t other_literal(struct refutation *x, int32_t w)
{
	const struct clauses *c = x->c;

	for (int32_t i = c->start[w / 2]; i < c->start[w / 2 + 1]; i++) {
		x->left--;
		if (c->literal[i] != x->watched[w ^ 1] && value_of(x, c->literal[i]) != 0)
			return c->literal[i];
	}
	return 0;
}

/* A literal has become false: each of its clauses watches another literal, or makes its last one
 * true. Returns false if that one is false too. */
static bool leave_literal(struct refutation *x, int32_t literal)
{
	int32_t *link = &x->first[clauses_column(literal)];

	while (*link != NOBODY) {
		int32_t w = *link, last = x->watched[w ^ 1], other;

		x->left--;
		other = value_of(x, last) == 1 ? 0 : other_literal(x, w);
		if (other) {
			*link = x->next[w];
			watch(x, w, other);
			continue;
		}
		if (value_of(x, last) == 0)
			return false;
		if (value_of(x, last) == UNSET)
			make_true(x, last);
		link = &x->next[w];
	}
	return true;
}

static bool propagate(struct refutation *x)
{
	while (x->propagated < x->set)
		if (!leave_literal(x, -x->trail[x->propagated++]))
			return false;
	return true;
}

/* Undoes the decisions for which both values failed and flips the last of the others. Returns false
 * if there is none. */
static bool backtrack(struct refutation *x)
{
	while (x->decisions > 0) {
		struct decision *d = &x->decision[x->decisions - 1];
		int32_t literal = x->trail[d->place];

		while (x->set > d->place)
			x->value[abs(x->trail[--x->set]) - 1] = UNSET;
		x->propagated = x->set;
		if (!d->flipped) {
			d->flipped = true;
			make_true(x, -literal);
			return true;
		}
		x->decisions--;
	}
	return false;
}

/* An unset literal of a clause; 0 if the clause is satisfied. */
static int32_t open_literal(struct refutation *x, int32_t clause)
{
	const struct clauses *c = x->c;
	int32_t open = 0;

	for (int32_t i = c->start[clause]; i < c->start[clause + 1]; i++) {
		uint8_t value = value_of(x, c->literal[i]);

		x->left--;
		if (value == 1)
			return 0;
		if (value == UNSET)
			open = c->literal[i];
	}
	return open;
}

/* Decides on a literal of the first hard clause that is not satisfied. Returns false if all are. */
static bool decide(struct refutation *x)
{
	const struct clauses *c = x->c;
	int32_t t = x->decisions > 0 ? x->decision[x->decisions - 1].clause : 0;

	for (; t < c->count && x->left > 0; t++) {
		int32_t literal = c->weight[t] == CLAUSE_HARD ? open_literal(x, t) : 0;

		x->left--;
		if (!literal)
			continue;
		x->decision[x->decisions++] = (struct decision){ .place = x->set, .clause = t };
		make_true(x, literal);
		return true;
	}
	return false;
}

/* Watches two literals of each hard clause and makes the literals of unit clauses true. Returns
 * false if that is already a contradiction. */
static bool begin_refutation(struct refutation *x)
{
	const struct clauses *c = x->c;

	for (int32_t i = 0; i < 2 * c->n; i++)
		x->first[i] = NOBODY;
	for (int32_t v = 0; v < c->n; v++)
		x->value[v] = UNSET;
	for (int32_t t = 0; t < c->count; t++) {
		const int32_t *literal;
		int32_t size = c->start[t + 1] - c->start[t];

		if (c->weight[t] != CLAUSE_HARD)
			continue;
		if (size == 0)
			return false;
		literal = c->literal + c->start[t];
		if (size == 1 && value_of(x, *literal) == 0)
			return false;
		if (size == 1 && value_of(x, *literal) == UNSET)
			make_true(x, *literal);
		for (int32_t i = 0; i < 2 && size > 1; i++)
			watch(x, 2 * t + i, literal[i]);
	}
	return true;
}

static enum clauses_verdict run_refutation(struct refutation *x)
{
	if (!begin_refutation(x))
		return CLAUSES_REFUTED;
	while (x->left > 0) {
		if (!propagate(x)) {
			if (!backtrack(x))
				return CLAUSES_REFUTED;
		} else if (!decide(x)) {
			break;
		}
	}
	return x->left > 0 ? CLAUSES_SATISFIABLE : CLAUSES_UNDECIDED;
}

int clauses_refute(const struct clauses *c, enum clauses_verdict *verdict, struct err *e)
{
	size_t n = (size_t)c->n, clauses = (size_t)c->count;
	struct refutation x = { .c = c, .left = REFUTATION_VISITS };
	int status = 0;

	x.value = malloc(n);
	x.trail = malloc(n * sizeof(*x.trail));
	x.decision = malloc(n * sizeof(*x.decision));
	x.first = malloc(2 * n * sizeof(*x.first));
	x.next = malloc(2 * clauses * sizeof(*x.next));
	x.watched = malloc(2 * clauses * sizeof(*x.watched));
	if (x.value && x.trail && x.decision && x.first && x.next && x.watched)
		*verdict = run_refutation(&x);
	else
		status = err_set(e, ERR_MEMORY, "no memory to refute the hard clauses");
	free(x.value);
	free(x.trail);
	free(x.decision);
	free(x.first);
	free(x.next);
	free(x.watched);
	return status;
}
