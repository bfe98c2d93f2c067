/* WalkSAT: a clause that is not satisfied is drawn, and one of its variables turned: one that
 * breaks no other clause if there is, else with a probability any of them, else one that breaks the
 * fewest. */
#include <stdlib.h>

#include "harness/base/rng.h"
#include "datasets/landscape/landscape_clauses.h"

enum { LITERAL_TURNS = 3000000, NOISE_PERCENT = 50 };

struct walk {
	const struct clauses *c;
	struct rng r;
	uint8_t *bit;
	int32_t *true_literals; /* of each clause */
	int32_t *broken;        /* clauses without one, in no order */
	int32_t *place;         /* of a clause in `broken`, or -1 */
	int32_t count;          /* broken ones */
	int32_t *first;         /* 2 n + 1 places in `user`: variable v as it is, then negated */
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

static void mend_clause(struct walk *w, int32_t clause)
{
	int32_t last = w->broken[--w->count];

	w->broken[w->place[clause]] = last;
	w->place[last] = w->place[clause];
	w->place[clause] = -1;
}

/* Clauses by literal, by counting; a literal twice in a clause is there twice. */
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
	/* the end of each list has become its begin, one place too far right */
	for (int32_t i = 0; i < 2 * c->n; i++)
		w->first[i] = w->first[i + 1];
	w->first[2 * c->n] = c->literals;
}

static void begin(struct walk *w)
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

/* Clauses that break when this literal, false now, becomes true: only the opposite holds them up.
 */
static int32_t would_break(const struct walk *w, int32_t literal)
{
	int32_t column = clauses_column(-literal), sum = 0;

	for (int32_t i = w->first[column]; i < w->first[column + 1]; i++)
		sum += w->true_literals[w->user[i]] == 1;
	return sum;
}

static int64_t turn(struct walk *w, int32_t literal)
{
	int32_t gains = clauses_column(literal), loses = clauses_column(-literal);

	w->bit[abs(literal) - 1] ^= 1;
	for (int32_t i = w->first[gains]; i < w->first[gains + 1]; i++)
		if (w->true_literals[w->user[i]]++ == 0)
			mend_clause(w, w->user[i]);
	for (int32_t i = w->first[loses]; i < w->first[loses + 1]; i++)
		if (--w->true_literals[w->user[i]] == 0)
			break_clause(w, w->user[i]);
	return w->first[gains + 1] - w->first[gains] + w->first[loses + 1] - w->first[loses];
}

static int32_t choose(struct walk *w, int32_t clause)
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

/* Without the counts of the walk. */
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

static bool run(struct walk *w)
{
	const struct clauses *c = w->c;
	int64_t left = LITERAL_TURNS;

	for (int32_t t = 0; t < c->count; t++)
		if (c->start[t] == c->start[t + 1])
			return false; /* an empty clause */
	index_literals(w);
	begin(w);
	while (w->count && left > 0) {
		int32_t clause = w->broken[rng_below(&w->r, (uint64_t)w->count)];

		left -= c->start[clause + 1] - c->start[clause] + turn(w, choose(w, clause));
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
		*found = run(&w);
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
