#include "datasets/landscape/landscape.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "datasets/landscape/landscape_make.h"

/* In the order of `list`. */
static const struct problem {
	const char *name;
	bool ordered; /* a digit follows the name */
	landscape_loader *load;
	const char *instance, *what;
} problems[] = {
	{ "trap", true, landscape_trap, "N",
	  "deceptive traps of K = 2..8 successive bits; N a multiple of K" },
	{ "onemax", false, landscape_onemax, "N", "number of ones" },
	{ "overlap", true, landscape_overlap, "N",
	  "traps that share their last bit with the next one; N = (K - 1) blocks + 1" },
	{ "htrap", false, landscape_htrap, "27, 81, 243...", "hierarchical trap of order 3" },
	{ "htrap", true, landscape_htrap, "27, 81, 243...",
	  "the same; in htrap2 the lower levels prefer zeros too" },
	{ "nk", false, landscape_nk, "N:K[:SEED]", "NK landscape, random neighbours" },
	{ "nk", false, landscape_nk, "ring:N:K[:SEED]", "the same, the neighbours are the next K" },
	{ "ising", false, landscape_ising, "SIDE[:SEED]",
	  "spin glass on a torus, couplings +-1: number of satisfied ones" },
	{ "maxsat", false, landscape_maxsat, "FILE, random:V:C[:SEED]",
	  "DIMACS cnf or wcnf: weight of satisfied clauses; hard ones must hold" },
	{ "maxsat", false, landscape_maxsat, "planted:V:C[:SEED]",
	  "random 3-clauses that one assignment satisfies" },
	{ "knapsack", false, landscape_knapsack, "FILE, boyer:N[:SEED]...",
	  "profit, or minus the weight above the capacity" },
};

enum { PROBLEMS = sizeof(problems) / sizeof(problems[0]) };

static const struct problem *find_problem(const char *name, int32_t *order)
{
	for (size_t i = 0; i < PROBLEMS; i++) {
		const struct problem *p = &problems[i];
		size_t length = strlen(p->name);

		*order = 0;
		if (strncmp(name, p->name, length) != 0)
			continue;
		if (p->ordered && isdigit((unsigned char)name[length]))
			*order = name[length++] - '0';
		if (name[length] == '\0' && p->ordered == (*order != 0))
			return p;
	}
	return NULL;
}

bool landscape_is_problem(const char *name)
{
	int32_t order;

	return find_problem(name, &order) != NULL;
}

int landscape_load(struct landscape *l, const char *problem, const char *instance, struct err *e)
{
	int32_t order;
	const struct problem *p = find_problem(problem, &order);
	int status;

	*l = (struct landscape){ .n = 0 };
	if (!p)
		return err_set(e, ERR_USAGE, "%s is not a known problem; see `list`", problem);
	snprintf(l->name, sizeof(l->name), "%s:%s", problem, instance);
	status = p->load(l, order, instance, e);
	if (!status)
		return 0;
	if (e && (!*instance || strncmp(e->text, instance, strlen(instance)) != 0))
		err_prefix(e, "%s:%s", problem, instance);
	landscape_free(l);
	return status;
}

void landscape_free(struct landscape *l)
{
	struct landscape_source *s = l->source;

	if (s && s->oracle->release)
		s->oracle->release(s);
	free(s);
	free(l->data);
	*l = (struct landscape){ .n = 0 };
}

static const struct landscape_oracle *oracle_of(const struct landscape *l)
{
	return ((const struct landscape_source *)l->source)->oracle;
}

int64_t landscape_evaluate(const struct landscape *l, const uint8_t *bits)
{
	return oracle_of(l)->evaluate(l, bits);
}

int32_t landscape_solved_terms(const struct landscape *l, const uint8_t *bits)
{
	return oracle_of(l)->solved_terms(l, bits);
}

bool landscape_count_clauses(const struct landscape *l, const uint8_t *bits,
			     struct landscape_clauses *c)
{
	const struct landscape_oracle *oracle = oracle_of(l);

	*c = (struct landscape_clauses){ .hard_violated = 0 };
	if (oracle->count_clauses)
		oracle->count_clauses(l, bits, c);
	return oracle->count_clauses != NULL;
}

bool landscape_feasible(const struct landscape *l, const uint8_t *bits)
{
	struct landscape_clauses c;

	if (landscape_count_clauses(l, bits, &c))
		return c.hard_violated == 0;
	return l->kind != LANDSCAPE_KNAPSACK || landscape_evaluate(l, bits) >= 0;
}

void landscape_print_problems(void)
{
	for (size_t i = 0; i < PROBLEMS; i++) {
		const struct problem *p = &problems[i];
		char name[32];

		snprintf(name, sizeof(name), "%s%s", p->name, p->ordered ? "K" : "");
		printf("  %-10s %-28s %s\n", name, p->instance, p->what);
	}
}
