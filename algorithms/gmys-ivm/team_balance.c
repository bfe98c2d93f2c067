/* No part of the tree is lost between explorers: see ../problems/balance.h. Amounts are the lengths
 * of intervals, modulo FACTORADIC_MODULUS. */
#include "algorithms/gmys-ivm/team.h"

static const char ENGINE[] = "gmys-ivm published", UNIT[] = "lengths of intervals";

struct balance team_balance(const struct worker *x, bool waiting)
{
	struct balance b = { .modulus = FACTORADIC_MODULUS }, more = { 0 };

	if (x->device)
		x->team->setup->ops->balance(x->own, &b);
	else
		b = ivm_explorer_balance(&x->host);
	if (waiting)
		more.received = more.left = interval_list_length(&x->received);
	balance_add(&b, &more);
	return b;
}

/* A worker that made its last deposit at a stop has its balance there. */
static struct balance at_end(const struct worker *x)
{
	return x->epoch == CUT_LAST ? x->deposit.balance : team_balance(x, true);
}

/* What passes between workers, the bag included: it gives what they receive. */
static struct balance between(const struct team *t, const struct balance *workers)
{
	return (struct balance){ .modulus = FACTORADIC_MODULUS,
				 .initial = t->bag.initial,
				 .received = workers->given,
				 .given = workers->received,
				 .left = interval_list_length(&t->bag.list) };
}

int team_check_balance(const struct team *t, bool complete, struct err *e)
{
	struct balance_name name = { ENGINE, NULL, 0, UNIT };
	struct balance sum = { .modulus = FACTORADIC_MODULUS }, way;

	for (int i = 0; i < t->workers; i++) {
		const struct worker *x = &t->worker[i];
		struct balance b = at_end(x);
		int status;

		name.part = x->device ? "device" : "thread";
		name.number = x->device ? i : i - t->setup->devices;
		status = balance_check(&b, &name, complete, e);
		if (status)
			return status;
		balance_add(&sum, &b);
	}
	name.part = "bag and steals";
	name.number = -1;
	way = between(t, &sum);
	return balance_check(&way, &name, complete, e);
}

int team_check_cut(const struct team *t, const struct deposit *sum, struct err *e)
{
	static const struct balance_name name = { ENGINE, "checkpoint", -1, UNIT };
	const struct balance b = { .modulus = FACTORADIC_MODULUS,
				   .initial = t->bag.initial,
				   .popped = sum->balance.popped,
				   .left = interval_list_length(&sum->list) };

	return balance_check(&b, &name, false, e);
}
