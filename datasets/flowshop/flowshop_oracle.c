/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The makespan and the optimum, from the definition. */
#include <inttypes.h>
#include <stdbool.h>

#include "datasets/flowshop/flowshop.h"

enum { MOST_JOBS = 10 };

static bool is_permutation(const int64_t *order, int n)
{
	bool seen[FLOWSHOP_MAX_JOBS] = { false };

	for (int i = 0; i < n; i++) {
		if (order[i] < 0 || order[i] >= n || seen[order[i]])
			return false;
		seen[order[i]] = true;
	}
	return true;
}

int64_t flowshop_makespan(const struct flowshop *f, const int64_t *order)
{
	int64_t done[FLOWSHOP_MAX_MACHINES] = { 0 }; /* time at which the machine is free again */

	if (!is_permutation(order, f->jobs))
		return -1;
	for (int i = 0; i < f->jobs; i++) {
		int64_t ready = 0; /* time at which the job leaves the previous machine */

		for (int k = 0; k < f->machines; k++) {
			if (done[k] < ready)
				done[k] = ready;
			done[k] += f->time[k * f->jobs + order[i]];
			ready = done[k];
		}
	}
	return done[f->machines - 1];
}

struct enumeration {
	const struct flowshop *f;
	int64_t now[MOST_JOBS], best_order[MOST_JOBS], best;
};

/* Tries all orders of the entries from `fixed` on. */
static void enumerate(struct enumeration *s, int fixed)
{
	if (fixed == s->f->jobs) {
		int64_t makespan = flowshop_makespan(s->f, s->now);

		if (s->best >= 0 && makespan >= s->best)
			return;
		s->best = makespan;
		for (int i = 0; i < s->f->jobs; i++)
			s->best_order[i] = s->now[i];
		return;
	}
	for (int i = fixed; i < s->f->jobs; i++) {
		int64_t here = s->now[fixed], there = s->now[i];

		s->now[fixed] = there;
		s->now[i] = here;
		enumerate(s, fixed + 1);
		s->now[fixed] = here;
		s->now[i] = there;
	}
}

int flowshop_brute_force(const struct flowshop *f, int64_t *optimum, int64_t *order, struct err *e)
{
	struct enumeration s = { .f = f, .best = -1 };

	if (f->jobs > MOST_JOBS)
		return err_set(e, ERR_USAGE,
			       "%d jobs are too many to try all orders; the limit is %d", f->jobs,
			       MOST_JOBS);
	for (int i = 0; i < f->jobs; i++)
		s.now[i] = i;
	enumerate(&s, 0);
	*optimum = s.best;
	for (int i = 0; order && i < f->jobs; i++)
		order[i] = s.best_order[i];
	return 0;
}
