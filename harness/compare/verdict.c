#include "harness/compare/verdict.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness/report/text.h"
#include "harness/base/stats.h"

enum { FAMILY = 1000 };

const char *const gate_verdict_names[GATE_VERDICTS] = { "SAME", "FASTER", "SLOWER", "AMBIGUOUS" };

int gate_rule_check(const struct gate_rule *r, struct err *e)
{
	if (!(r->floor >= 0.001 && r->floor <= 1))
		return err_set(e, ERR_USAGE, "the floor is from 0.1 to 100 %%, not %g %%",
			       100 * r->floor);
	if (!(r->detect > r->floor && r->detect <= 10))
		return err_set(e, ERR_USAGE,
			       "the change to detect, %g %%, must exceed the floor, %g %%",
			       100 * r->detect, 100 * r->floor);
	if (!(r->level > 0.5 && r->level < 1 && r->rate > 0 && r->rate < 0.5))
		return err_set(e, ERR_USAGE, "impossible level or rate");
	return 0;
}

int gate_samples_add(struct gate_samples *s, struct gate_value v, struct err *e)
{
	int status = array_grow((void **)&s->value, s->count, sizeof(*s->value), e);

	if (status == 0)
		s->value[s->count++] = v;
	return status;
}

void gate_samples_free(struct gate_samples *s)
{
	free(s->value);
	*s = (struct gate_samples){ 0 };
}

/* Copies the values of two sides to `v`: those of the arms in `news`, and in `olds`, as sets of
 * bits. */
static size_t pick(const struct gate_samples *s, unsigned olds, unsigned news, struct rank_value *v)
{
	size_t n = 0;

	for (size_t i = 0; i < s->count; i++) {
		unsigned arm = 1u << s->value[i].arm;

		if (arm & (olds | news))
			v[n++] = (struct rank_value){ .seconds = s->value[i].seconds,
						      .block = s->value[i].block,
						      .of_new = (arm & news) != 0 };
	}
	return n;
}

int gate_test(const struct gate_samples *s, enum gate_control control, const struct gate_rule *r,
	      struct gate_judgement *out, struct err *e)
{
	enum { OLD = 1 << GATE_OLD, AGAIN = 1 << GATE_AGAIN, NEW = 1 << GATE_NEW };
	bool of_old = control == GATE_OLD_AGAIN;
	struct rank_value *v = malloc((s->count + 1) * sizeof(*v));
	size_t n;
	int status;

	*out = (struct gate_judgement)GATE_UNTESTED;
	if (!v)
		return err_set(e, ERR_MEMORY, "no memory to compare %zu samples", s->count);
	n = of_old ? pick(s, OLD | AGAIN, NEW, v) : pick(s, OLD, NEW | AGAIN, v);
	status = rank_compare(v, n, r->level, &out->test, e);
	n = of_old ? pick(s, OLD, AGAIN, v) : pick(s, NEW, AGAIN, v);
	if (status == 0)
		status = rank_compare(v, n, r->level, &out->control, e);
	free(v);
	return status;
}

static bool beyond(double ratio, double change)
{
	return fabs(log(ratio)) >= log1p(change);
}

/* As narrow as to tell a change of the floor from one of `detect`. */
static bool precise(const struct rank_result *t, const struct gate_rule *r)
{
	return t->low > 0 && log(t->high / t->low) <= 2 * (log1p(r->detect) - log1p(r->floor));
}

bool gate_settled(const struct gate_judgement *j, const struct gate_rule *r)
{
	const struct rank_result *t = &j->test;

	if (beyond(t->ratio, r->floor) && t->p > r->rate / FAMILY)
		return false;
	return precise(t, r) || t->low >= 1 + r->floor || t->high <= 1 / (1 + r->floor);
}

size_t gate_samples_needed(const struct gate_rule *r)
{
	size_t n = 1;

	while (stat_least_p(n, n) > r->rate)
		n++;
	return n;
}

bool gate_enough_samples(const struct rank_result *t, const struct gate_rule *r)
{
	return stat_least_p(t->olds, t->news) <= r->rate;
}

static void decide(struct gate_judgement *j, const struct gate_rule *r)
{
	const struct rank_result *t = &j->test, *c = &j->control;
	bool differs = beyond(t->ratio, r->floor);

	j->verdict = GATE_AMBIGUOUS;
	j->reason[0] = '\0';
	j->control_dirty = beyond(c->ratio, r->floor) && c->p <= 1 - r->level;
	if (j->control_dirty)
		snprintf(j->reason, sizeof(j->reason),
			 "A/A control failed: the same binary differed from itself by %+.1f %%",
			 100 * (c->ratio - 1));
	else if (!gate_enough_samples(t, r))
		snprintf(j->reason, sizeof(j->reason),
			 "too few samples: %zu old, %zu new; %zu of each are needed", t->olds,
			 t->news, gate_samples_needed(r));
	else if (differs && j->q <= r->rate)
		j->verdict = t->ratio > 1 ? GATE_SLOWER : GATE_FASTER;
	else if (!differs && t->high < 1 + r->detect && t->low > 1 / (1 + r->detect))
		j->verdict = GATE_SAME;
	else if (isinf(t->high))
		snprintf(j->reason, sizeof(j->reason), "too few samples: %zu old, %zu new", t->olds,
			 t->news);
	else if (precise(t, r))
		snprintf(j->reason, sizeof(j->reason),
			 "more samples are needed to be sure of %+.1f %%", 100 * (t->ratio - 1));
	else
		snprintf(j->reason, sizeof(j->reason), "too noisy");
}

int gate_judge(struct gate_judgement *family, size_t count, const struct gate_rule *r,
	       struct err *e)
{
	double *p = malloc((count + 1) * sizeof(*p));
	int status;

	if (!p)
		return err_set(e, ERR_MEMORY, "no memory for a family of %zu", count);
	for (size_t i = 0; i < count; i++)
		p[i] = family[i].test.p;
	status = rank_adjust(p, count, e);
	for (size_t i = 0; i < count && status == 0; i++) {
		family[i].q = p[i];
		decide(&family[i], r);
	}
	free(p);
	return status;
}
