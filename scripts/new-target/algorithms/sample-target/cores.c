/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The variants serial (one thread) and cpu: a thread team tries parts of the assignments. */
#include <stdlib.h>

#include "harness/base/team.h"
#include "algorithms/sample-target/search.h"

/* The best key of a thread, in a separate cache line. */
struct own {
	uint64_t best;
	char padding[56];
};

struct part {
	const struct sample_target_numbers *numbers;
	uint64_t first;
	struct own *own;
};

static void try_all(void *context, uint64_t from, uint64_t to, int thread)
{
	struct part *p = context;
	uint64_t key = sample_target_least(p->numbers, p->first + from, p->first + to);

	if (key < p->own[thread].best)
		p->own[thread].best = key;
}

int sample_target_on_cores(struct sample_target_work *w, int threads, uint64_t *best, struct err *e)
{
	enum {
		GRAIN = 1 << 14,
		PART = 1 << 22
	}; /* a part takes milliseconds, so the search stops quickly */
	struct part p = { .numbers = &w->numbers };
	struct team *team = NULL;
	uint64_t to;
	int status = 0;

	p.own = malloc((size_t)threads * sizeof(*p.own));
	if (!p.own)
		return err_set(e, ERR_MEMORY, "out of memory for %d threads", threads);
	for (int t = 0; t < threads; t++)
		p.own[t].best = *best;
	if (threads > 1)
		status = team_create(&team, threads, e);
	while (!status && sample_target_take(w, PART, &p.first, &to))
		team_for(team, to - p.first, GRAIN, try_all, &p);
	for (int t = 0; t < threads; t++)
		*best = p.own[t].best < *best ? p.own[t].best : *best;
	if (team)
		team_destroy(team);
	free(p.own);
	return status;
}
