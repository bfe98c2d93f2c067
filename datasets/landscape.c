#include "landscape.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "landscape_parts.h"

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
	char name[sizeof(l->name)];
	int32_t order;
	const struct problem *p = find_problem(problem, &order);
	int status;

	*l = (struct landscape){ .n = 0 };
	if (!p)
		return err_set(e, ERR_USAGE, "%s is not a problem: see `list`", problem);
	snprintf(l->name, sizeof(l->name), "%s:%s", problem, instance);
	memcpy(name, l->name, sizeof(name));
	status = p->load(l, order, instance, e);
	if (status && strcmp(name, l->name) == 0)
		err_prefix(e, "%s", name);
	if (status)
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

int64_t landscape_exhaustive(const struct landscape *l, uint8_t *bits)
{
	uint8_t x[24] = { 0 };
	uint32_t best_string = 0;
	int64_t best = INT64_MIN;

	for (uint32_t s = 0; s < UINT32_C(1) << l->n; s++) {
		int64_t f;

		for (int32_t v = 0; v < l->n; v++)
			x[v] = s >> v & 1;
		f = landscape_evaluate(l, x);
		if (f > best) {
			best = f;
			best_string = s;
		}
	}
	for (int32_t v = 0; bits && v < l->n; v++)
		bits[v] = best_string >> v & 1;
	return best;
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

int landscape_new_source(struct landscape *l, size_t size, const struct landscape_oracle *oracle,
			 struct err *e)
{
	struct landscape_source *s = calloc(1, size);

	if (!s)
		return err_set(e, ERR_MEMORY, "no memory");
	s->oracle = oracle;
	l->source = s;
	return 0;
}

int landscape_numbers(const char *text, int64_t *values, int most)
{
	for (int count = 0; count < most; text++) {
		size_t digits = strspn(text, "0123456789");

		if (digits < 1 || digits > 18)
			return -1;
		values[count++] = strtoll(text, NULL, 10);
		text += digits;
		if (*text == '\0')
			return count;
		if (*text != ':')
			return -1;
	}
	return -1;
}

int landscape_check_variables(int64_t n, struct err *e)
{
	if (n < 1 || n > LANDSCAPE_VARIABLES_MAX)
		return err_set(e, ERR_INPUT, "%" PRId64 " variables are not in 1..%d", n,
			       LANDSCAPE_VARIABLES_MAX);
	return 0;
}
