#include "algorithms/koester-recovery/samegame_rules.h"
#include "algorithms/koester-recovery/track_ops.h"

/* Declared before what names it. */
static int samegame_successors_host(struct track_place *p, const void *parameters,
				    const struct track_batch *parents,
				    const struct track_children *c, uint32_t *successor,
				    struct err *e);

#define TRACK_DOMAIN samegame_rules
#define TRACK_DOMAIN_SUCCESSORS samegame_successors_host
#include "algorithms/koester-recovery/domain_host.h"

/* All of a state's groups at once: one by one each would go through those before it. */
static void successors_part(void *context, uint64_t from, uint64_t to, int thread)
{
	const struct domain_loop *l = context;

	(void)thread;
	for (uint64_t i = from; i < to; i++) {
		struct track_state s = domain_state(l->b, i);
		struct samegame_copy copy;

		if (l->children->number[i])
			samegame_list(samegame_copy_board(l->d, s, &copy),
				      samegame_head_of(s)->width, l->out + l->children->first[i],
				      UINT32_MAX, NULL);
	}
}

static int samegame_successors_host(struct track_place *p, const void *parameters,
				    const struct track_batch *parents,
				    const struct track_children *c, uint32_t *successor,
				    struct err *e)
{
	struct domain_loop l = { .d = parameters, .b = parents, .children = c, .out = successor };

	(void)e;
	team_for(p->pool, parents->count, DOMAIN_GRAIN, successors_part, &l);
	return 0;
}
