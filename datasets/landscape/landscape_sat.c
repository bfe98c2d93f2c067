/* Two searches for an assignment that satisfies clauses: a random walk, and a refutation. */
#include "datasets/landscape/landscape_clauses.h"

#include <stdlib.h>

#include "harness/base/rng.h"

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
