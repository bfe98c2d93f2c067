/* Are hard clauses satisfiable? Unit propagation with two watched literals in each clause, and
 * chronological backtracking: no learning, no restarts. It shares no code with the elimination of
 * variables, so that each checks the other. */
#include <stdlib.h>

#include "datasets/landscape/landscape_clauses.h"

enum { LITERAL_VISITS = 4000000 };
enum { NOBODY = -1, UNSET = 2 };

struct decision {
	int32_t place;  /* on the trail */
	int32_t clause; /* the first hard clause that was not satisfied yet */
	bool flipped;   /* the other value was tried */
};

struct refutation {
	const struct clauses *c;
	int64_t left;              /* visits of literals before the search is cut off */
	uint8_t *value;            /* of each variable: 0, 1, UNSET */
	int32_t *trail;            /* literals made true, in order */
	int32_t set;               /* literals on the trail */
	int32_t propagated;        /* of them, those whose clauses were visited */
	struct decision *decision; /* the open ones */
	int32_t decisions;
	int32_t *first;   /* watch by literal column: the first, or NOBODY */
	int32_t *next;    /* watches 2 c and 2 c + 1 are those of clause c */
	int32_t *watched; /* the literal of each watch */
};

/* 0 false, 1 true, UNSET */
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

/* A literal of the clause of watch w that is not false and not watched; 0: there is none. */
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

/* A literal has become false: its clauses watch another one, or are down to their last literal.
 * False where that one is false too. */
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

/* Gives up the decisions whose two values both failed, and flips the last one of the others; false:
 * there is none. */
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

/* A free literal of a clause that no literal satisfies; 0: the clause is satisfied. */
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

/* Decides for a literal of the first hard clause that is not satisfied; false: all are. */
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

/* Watches two literals of each hard clause, and makes the literals of unit clauses true. False if
 * that alone is a contradiction. */
static bool begin(struct refutation *x)
{
	const struct clauses *c = x->c;

	for (int32_t i = 0; i < 2 * c->n; i++)
		x->first[i] = NOBODY;
	for (int32_t v = 0; v < c->n; v++)
		x->value[v] = UNSET;
	for (int32_t t = 0; t < c->count; t++) {
		const int32_t *literal = c->literal + c->start[t];
		int32_t size = c->start[t + 1] - c->start[t];

		if (c->weight[t] != CLAUSE_HARD)
			continue;
		if (size == 0)
			return false;
		if (size == 1 && value_of(x, *literal) == 0)
			return false;
		if (size == 1 && value_of(x, *literal) == UNSET)
			make_true(x, *literal);
		for (int32_t i = 0; i < 2 && size > 1; i++)
			watch(x, 2 * t + i, literal[i]);
	}
	return true;
}

static enum clauses_verdict run(struct refutation *x)
{
	if (!begin(x))
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
	struct refutation x = { .c = c, .left = LITERAL_VISITS };
	int status = 0;

	x.value = malloc(n);
	x.trail = malloc(n * sizeof(*x.trail));
	x.decision = malloc(n * sizeof(*x.decision));
	x.first = malloc(2 * n * sizeof(*x.first));
	x.next = malloc(2 * clauses * sizeof(*x.next));
	x.watched = malloc(2 * clauses * sizeof(*x.watched));
	if (x.value && x.trail && x.decision && x.first && x.next && x.watched)
		*verdict = run(&x);
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
