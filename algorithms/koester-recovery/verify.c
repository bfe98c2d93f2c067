#include "algorithms/koester-recovery/verify.h"

#include <inttypes.h>
#include <string.h>

#include "datasets/samegame/samegame.h"

int track_verify_pfsp(const struct flowshop *f, const struct track_outcome *o, struct err *e)
{
	const struct flowshop_known *known = flowshop_known_of(f);
	char why[256];
	int64_t makespan;

	if (!o->found || !o->solution)
		return err_set(e, ERR_FAILED, "%s: no schedule was found", f->name);
	if (o->length != (size_t)f->jobs)
		return err_set(e, ERR_FAILED, "%s: a schedule of %zu jobs, there are %d", f->name,
			       o->length, f->jobs);
	makespan = flowshop_makespan(f, o->solution);
	if (makespan < 0)
		return err_set(e, ERR_FAILED, "%s: the schedule is no permutation", f->name);
	if (makespan != o->objective)
		return err_set(e, ERR_FAILED,
			       "%s: the schedule has makespan %" PRId64
			       ", the answer says %" PRId64,
			       f->name, makespan, o->objective);
	if (known &&
	    flowshop_compare(known, makespan, 0, why, sizeof(why)) == FLOWSHOP_CONTRADICTS_PROOF)
		return err_set(e, ERR_FAILED, "%s", why);
	return 0;
}

int track_verify_samegame(const struct samegame *g, const struct track_outcome *o, struct err *e)
{
	int64_t score = 0;

	if (!o->found || (!o->solution && o->length))
		return err_set(e, ERR_FAILED, "%s: no game was found", g->name);
	if (samegame_score(g, o->solution, o->length, &score, e)) {
		err_prefix(e, "%s: not a game", g->name);
		return ERR_FAILED;
	}
	if (score != o->objective)
		return err_set(e, ERR_FAILED,
			       "%s: the game scores %" PRId64 ", the answer says %" PRId64, g->name,
			       score, o->objective);
	return 0;
}

int track_verify_states(const void *recovered, const void *recorded, uint32_t count, size_t bytes,
			const struct history_node *targets, struct err *e)
{
	const unsigned char *a = recovered, *b = recorded;

	for (uint32_t i = 0; i < count; i++, a += bytes, b += bytes) {
		size_t at = 0;

		if (memcmp(a, b, bytes) == 0)
			continue;
		while (a[at] == b[at])
			at++;
		return err_set(e, ERR_FAILED,
			       "state %" PRIu32 " of layer %" PRIu32
			       " was recovered wrongly, from byte %zu on",
			       targets[i].slot, targets[i].layer, at);
	}
	return 0;
}
