/* Variants serial (one thread) and cpu: parts of the assignments to threads that stay. */
#include <stdlib.h>

#include "harness/base/team.h"
#include "algorithms/sample-target/search.h"

/* Each thread keeps its best on a line of the cache of its own. */
struct own {
	uint64_t best;
	char apart[56];
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
	enum { GRAIN = 1 << 14, PART = 1 << 22 }; /* a part takes some ms: so soon it stops */
	struct part p = { .numbers = &w->numbers };
	struct team *pool = NULL;
	uint64_t to;
	int status = 0;

	p.own = malloc((size_t)threads * sizeof(*p.own));
	if (!p.own)
		return err_set(e, ERR_MEMORY, "no memory for %d threads", threads);
	for (int t = 0; t < threads; t++)
		p.own[t].best = *best;
	if (threads > 1)
		status = team_create(&pool, threads, e);
	while (!status && sample_target_take(w, PART, &p.first, &to))
		team_for(pool, to - p.first, GRAIN, try_all, &p);
	for (int t = 0; t < threads; t++)
		*best = p.own[t].best < *best ? p.own[t].best : *best;
	if (pool)
		team_destroy(pool);
	free(p.own);
	return status;
}
