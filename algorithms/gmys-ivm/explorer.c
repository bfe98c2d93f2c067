#include "algorithms/gmys-ivm/explorer.h"

#include <stdlib.h>
#include <string.h>

int ivm_explorer_open(struct ivm_explorer *x, const struct ivm_problem *p, struct err *e)
{
	size_t ivm = ivm_bytes(p->n), scratch = ivm_scratch_bytes(p);
	char *memory = calloc(1, ivm + scratch + (size_t)p->n * sizeof(*x->order));

	memset(x, 0, sizeof(*x));
	if (!memory)
		return err_set(e, ERR_MEMORY, "no memory for an explorer of %d items", p->n);
	x->problem = *p;
	x->memory = memory;
	x->v = ivm_at(p->n, memory);
	x->scratch = ivm_scratch_at(p, memory + ivm);
	x->order = (uint16_t *)(memory + ivm + scratch);
	x->best = IVM_NONE;
	x->lengths.modulus = FACTORADIC_MODULUS;
	return p->tables.pairs ? pair_bound_open(&x->pairs, p, e) : 0;
}

void ivm_explorer_close(struct ivm_explorer *x)
{
	pair_bound_close(&x->pairs);
	free(x->memory);
	memset(x, 0, sizeof(*x));
}

int32_t ivm_explorer_bound(struct ivm_explorer *x, int32_t best, struct ivm_counts *counts)
{
	return x->problem.tables.pairs ?
		       pair_bound_row(&x->pairs, &x->problem, &x->v, &x->scratch, best, counts) :
		       ivm_bound_row(&x->problem, &x->v, &x->scratch, best, counts);
}

static void note(struct ivm_explorer *x, int32_t value)
{
	if (value == IVM_NONE)
		return;
	ivm_order(&x->v, x->order);
	x->best = x->found_value = value;
	x->found = true;
}

/* ---- lengths ---- */

static void count_received(struct ivm_explorer *x, const uint16_t *first, const uint16_t *last)
{
	const struct balance more = { .received = factoradic_length(first, last, x->v.n) };

	balance_add(&x->lengths, &more);
	x->begin = factoradic_residue(first, x->v.n);
}

static void count_given(struct ivm_explorer *x, uint64_t length)
{
	const struct balance more = { .given = length };

	balance_add(&x->lengths, &more);
}

/* What it has gone through of the interval at hand. */
static uint64_t explored(const struct ivm_explorer *x)
{
	return factoradic_distance(x->begin, factoradic_reached(x->v.position, x->v.end, x->v.n));
}

/* EMPTY. */
static void count_explored(struct ivm_explorer *x)
{
	const struct balance more = { .popped = explored(x) };

	balance_add(&x->lengths, &more);
}

struct balance ivm_explorer_balance(const struct ivm_explorer *x)
{
	struct balance b = x->lengths, at_hand = { .popped = explored(x) };
	uint64_t behind = factoradic_residue(x->v.end, x->v.n) + 1;

	if (!x->exploring)
		return b;
	at_hand.left =
		factoradic_distance(factoradic_reached(x->v.position, x->v.end, x->v.n), behind);
	balance_add(&b, &at_hand);
	return b;
}

/* ---- exploring ---- */

void ivm_explorer_start(struct ivm_explorer *x, const uint16_t *first, const uint16_t *last)
{
	struct ivm_counts uncounted = { 0, 0, 0 };
	int deepest = ivm_place(&x->v, first, last);

	count_received(x, first, last);
	note(x, ivm_explorer_bound(x, x->best, deepest < 0 ? &x->counts : &uncounted));
	while (ivm_descend(&x->v, first, deepest))
		ivm_explorer_bound(x, x->best, &uncounted);
	x->exploring = true;
}

void ivm_explorer_step(struct ivm_explorer *x)
{
	if (!x->exploring)
		return;
	x->exploring = ivm_select_and_branch(&x->v);
	if (x->exploring)
		note(x, ivm_explorer_bound(x, x->best, &x->counts));
	else
		count_explored(x);
}

bool ivm_explorer_interval(struct ivm_explorer *x, uint16_t *first, uint16_t *last, uint64_t *again)
{
	int nodes;

	if (!x->exploring)
		return false;
	x->exploring = ivm_interval(&x->v, first, last, &nodes);
	if (!x->exploring) {
		count_explored(x);
		return false;
	}
	*again = ivm_again_counted(&x->problem, &x->v, nodes);
	return true;
}

bool ivm_explorer_take(struct ivm_explorer *x, uint16_t *first, uint16_t *last)
{
	uint64_t again;

	if (!ivm_explorer_interval(x, first, last, &again))
		return false;
	x->counts.decomposed -= again;
	x->exploring = false;
	count_explored(x);
	count_given(x, factoradic_length(first, last, x->v.n));
	return true;
}

bool ivm_explorer_split(struct ivm_explorer *x, int kept, int parts, uint16_t *first,
			uint16_t *last)
{
	uint64_t again;

	if (!ivm_explorer_interval(x, first, last, &again))
		return false;
	if (!factoradic_split(first, last, x->v.n, kept, parts, x->v.end, first))
		return false;
	count_given(x, factoradic_length(first, last, x->v.n));
	return true;
}

bool ivm_explorer_share(struct ivm_explorer *victim, struct ivm_explorer *thief, int kept,
			int parts)
{
	uint64_t end = factoradic_residue(victim->v.end, victim->v.n);

	thief->exploring = victim->exploring && ivm_share(&victim->v, &thief->v, kept, parts);
	if (!thief->exploring)
		return false;
	count_given(victim,
		    factoradic_distance(factoradic_residue(victim->v.end, victim->v.n), end));
	count_received(thief, thief->v.position, thief->v.end);
	return true;
}
