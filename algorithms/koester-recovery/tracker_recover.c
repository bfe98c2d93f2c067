/* Recovery: plans of every place for its share of the targets, executed in its `next`. */
#include <inttypes.h>
#include <stdlib.h>

#include "harness/base/clock.h"
#include "algorithms/koester-recovery/tracker.h"

/* ---- which layers can be loaded ---- */

struct kept {
	const struct tracker *t;
	bool with_current;
};

static bool is_kept(const void *context, uint32_t layer)
{
	const struct kept *w = context;
	const struct tracker *t = w->t;

	if (w->with_current && layer == t->layer)
		return true;
	for (int k = 0; k < t->places; k++)
		if (!archive_has(t->place[k].archive, layer))
			return false;
	return true;
}

int tracker_offer(struct tracker *t, struct err *e)
{
	int rc = 0;

	if (t->offered)
		return 0;
	for (int k = 0; !rc && k < t->places; k++) {
		struct tracker_place *q = &t->place[k];
		uint32_t count = tracker_share(t, t->count, k + 1) - tracker_share(t, t->count, k);

		rc = archive_offer(q->archive, t->layer, q->current, q->slots, count, e);
	}
	t->offered = !rc;
	return rc;
}

int tracker_settle(struct tracker *t, struct err *e)
{
	int rc = 0;

	for (int k = 0; !rc && k < t->places; k++)
		rc = archive_settle(t->place[k].archive, e);
	return rc;
}

/* ---- loads ---- */

/* States of a layer that place r keeps, by its own slots, to slots of `next` of another place q:
 * directly where r has them in its memory, else by way of it. */
static int load_from_other(struct tracker *t, struct tracker_place *q, struct tracker_place *r,
			   uint32_t layer, const uint32_t *slot, const uint32_t *to_slot,
			   uint32_t count, struct err *e)
{
	uint32_t slots;
	const void *states = archive_states(r->archive, layer, &slots);
	struct track_gather g = { .layout = t->domain->layout,
				  .to = q->next,
				  .to_slots = q->slots,
				  .count = count,
				  .sources = 1 };
	int rc;

	if ((rc = tracker_put(q, &q->load_to, to_slot, count, e)))
		return rc;
	g.to_slot = q->load_to.at;
	if (states) {
		if ((rc = tracker_put(q, &q->load_from, slot, count, e)))
			return rc;
		g.from_slot = q->load_from.at;
	} else {
		if ((rc = tracker_need(r, &r->staging, count, t->state_bytes, e)) ||
		    (rc = archive_load(r->archive, layer, slot, count, r->staging.at, count, NULL,
				       e)))
			return rc;
		states = r->staging.at;
		slots = count;
	}
	g.from[0] = states;
	g.from_slots[0] = slots;
	if ((rc = track_sync(r->p, e)) || (rc = q->common->gather(q->p, &g, e)) ||
	    (rc = track_sync(q->p, e)))
		return rc;
	tracker_drop(r, &r->staging);
	return 0;
}

/* The states of the load that place k keeps; slot and to_slot have room for all. */
static int load_from_place(struct tracker *t, struct tracker_place *q, int k,
			   const struct recovery_load *l, uint32_t *slot, uint32_t *to_slot,
			   struct err *e)
{
	uint32_t states = history_count(t->history, l->layer), n = 0;
	uint32_t from = tracker_share(t, states, k), to = tracker_share(t, states, k + 1);
	struct tracker_place *r = &t->place[k];

	for (uint32_t i = 0; i < l->count; i++)
		if (l->from_slot[i] >= from && l->from_slot[i] < to) {
			slot[n] = l->from_slot[i] - from;
			to_slot[n++] = l->to_slot[i];
		}
	if (n == 0)
		return 0;
	if (q != r)
		return load_from_other(t, q, r, l->layer, slot, to_slot, n, e);
	return archive_load(q->archive, l->layer, slot, n, q->next, q->slots, to_slot, e);
}

static int load_from_all(struct tracker *t, struct tracker_place *q, const struct recovery_load *l,
			 struct err *e)
{
	uint32_t *slot = malloc(2 * (size_t)l->count * sizeof(*slot));
	int rc = 0;

	if (!slot)
		return err_set(e, ERR_MEMORY, "no memory to load %" PRIu32 " states", l->count);
	for (int k = 0; !rc && k < t->places; k++)
		rc = load_from_place(t, q, k, l, slot, slot + l->count, e);
	if (track_sync(q->p, rc ? NULL : e) && !rc)
		rc = ERR_DEVICE;
	free(slot);
	return rc;
}

static int load_from_current(struct tracker *t, struct tracker_place *q,
			     const struct recovery_load *l, struct err *e)
{
	struct track_gather g = tracker_from_current(t, q, l->count);
	int rc;

	if ((rc = tracker_put(q, &q->load_from, l->from_slot, l->count, e)) ||
	    (rc = tracker_put(q, &q->load_to, l->to_slot, l->count, e)))
		return rc;
	g.from_slot = q->load_from.at;
	g.to_slot = q->load_to.at;
	return q->common->gather(q->p, &g, e);
}

static int load(struct tracker *t, struct tracker_place *q, const struct recovery_load *l,
		bool with_current, struct err *e)
{
	t->figures.loaded += l->count;
	if (with_current && l->layer == t->layer)
		return load_from_current(t, q, l, e);
	if (t->places > 1)
		return load_from_all(t, q, l, e);
	return archive_load(q->archive, l->layer, l->from_slot, l->count, q->next, q->slots,
			    l->to_slot, e);
}

/* ---- rounds ---- */

static int step_round(struct tracker *t, struct tracker_place *q, const struct recovery_round *r,
		      struct err *e)
{
	struct track_batch b = tracker_batch(t, q, q->next, r->count, r->layer);
	int rc;

	if (r->count == 0 || t->history->layer[r->layer].jump)
		return 0;
	if ((rc = tracker_put(q, &q->step_slot, r->slot, r->count, e)) ||
	    (rc = tracker_put(q, &q->step_source, r->source, r->count, e)) ||
	    (rc = tracker_put(q, &q->step_successor, r->successor, r->count, e)))
		return rc;
	b.slot = q->step_slot.at;
	b.source = q->step_source.at;
	b.successor = q->step_successor.at;
	t->figures.replayed += (uint64_t)r->count * t->o.forward;
	return tracker_step(t, q, &b, e);
}

static int copy_round(struct tracker *t, struct tracker_place *q, const struct recovery_round *r,
		      struct err *e)
{
	struct track_gather g = { .layout = t->domain->layout,
				  .to = q->next,
				  .to_slots = q->slots,
				  .count = r->copies,
				  .from = { q->next },
				  .from_slots = { q->slots },
				  .sources = 1 };
	int rc;

	if (r->copies == 0)
		return 0;
	if ((rc = tracker_put(q, &q->load_from, r->copy_from, r->copies, e)) ||
	    (rc = tracker_put(q, &q->load_to, r->copy_to, r->copies, e)))
		return rc;
	g.from_slot = q->load_from.at;
	g.to_slot = q->load_to.at;
	return q->common->gather(q->p, &g, e);
}

static int execute_plan(struct tracker *t, struct tracker_place *q,
			const struct recovery_plan *plan, bool with_current, struct err *e)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < plan->loads; i++)
		rc = load(t, q, &plan->load[i], with_current, e);
	for (uint32_t i = 0; !rc && i < plan->rounds; i++) {
		rc = step_round(t, q, &plan->round[i], e);
		if (!rc)
			rc = copy_round(t, q, &plan->round[i], e);
	}
	return rc;
}

static int rebuild_share(struct tracker *t, struct tracker_place *q,
			 const struct history_node *targets, uint32_t count,
			 const struct kept *kept, struct err *e)
{
	struct recovery_plan plan = { 0 };
	bool done;
	int rc;

	if (count == 0)
		return 0;
	rc = tracker_replay(t, q, targets, count, kept->with_current, &done, e);
	if (rc || done)
		return rc;
	rc = recovery_plan_make(&plan, t->history, targets, count, t->o.engine == TRACK_TUNED,
				is_kept, kept, e);
	if (rc)
		return rc;
	rc = execute_plan(t, q, &plan, kept->with_current, e);
	/* the plan's arrays may be on their way to the place */
	if (track_sync(q->p, rc ? NULL : e) && !rc)
		rc = ERR_DEVICE;
	recovery_plan_free(&plan);
	return rc;
}

static int rebuild(struct tracker *t, const struct history_node *targets, uint32_t count,
		   const struct kept *kept, struct err *e)
{
	int rc = tracker_meet(t, e);

	for (int k = 0; !rc && k < t->places; k++) {
		uint32_t from = tracker_share(t, count, k), to = tracker_share(t, count, k + 1);

		rc = rebuild_share(t, &t->place[k], targets + from, to - from, kept, e);
	}
	for (int k = 0; k < t->places; k++) {
		int status = tracker_replayed(t, &t->place[k], rc ? NULL : e);

		rc = rc ? rc : status;
	}
	return rc;
}

/* ---- copies half way (adaptive, multistage) ---- */

static int rebuild_layer(struct tracker *t, uint32_t layer, const struct kept *kept, struct err *e)
{
	uint32_t count = history_count(t->history, layer);
	struct history_node *all;
	int rc = history_nodes(t->history, layer, &all, e);

	if (rc)
		return rc;
	rc = rebuild(t, all, count, kept, e);
	free(all);
	for (int k = 0; !rc && k < t->places; k++) {
		struct tracker_place *q = &t->place[k];
		uint32_t share = tracker_share(t, count, k + 1) - tracker_share(t, count, k);

		rc = archive_offer(q->archive, layer, q->next, q->slots, share, e);
	}
	return rc ? rc : tracker_settle(t, e);
}

static int leave_half_way(struct tracker *t, const struct history_node *targets, uint32_t count,
			  const struct kept *kept, struct err *e)
{
	uint32_t deepest = 0, below, half_way;

	for (uint32_t i = 0; i < count; i++)
		deepest = targets[i].layer > deepest ? targets[i].layer : deepest;
	for (below = deepest; below > 0 && !is_kept(kept, below); below--)
		;
	if (below == deepest || !archive_wants(t->place[0].archive, below, deepest, &half_way) ||
	    is_kept(kept, half_way))
		return 0;
	return rebuild_layer(t, half_way, kept, e);
}

int tracker_rebuild(struct tracker *t, const struct history_node *targets, uint32_t count,
		    bool with_current, struct err *e)
{
	struct kept kept = { t, with_current };
	int rc = leave_half_way(t, targets, count, &kept, e);

	return rc ? rc : rebuild(t, targets, count, &kept, e);
}

/* ---- track.h ---- */

static int check_targets(const struct tracker *t, const struct history_node *targets,
			 uint32_t count, uint64_t most, struct err *e)
{
	if (!t->history)
		return err_set(e, ERR_USAGE, "the search has not begun");
	if (count < 1 || count > most)
		return err_set(e, ERR_USAGE,
			       "%" PRIu32 " states to recover: 1 to %" PRIu64 " can be at once",
			       count, most);
	for (uint32_t i = 0; i < count; i++)
		if (targets[i].layer > t->history->layers ||
		    targets[i].slot >= history_count(t->history, targets[i].layer))
			return err_set(e, ERR_USAGE,
				       "there is no state %" PRIu32 " of layer %" PRIu32,
				       targets[i].slot, targets[i].layer);
	return 0;
}

static uint64_t room(const struct tracker *t)
{
	return (uint64_t)t->place[0].slots * (uint32_t)t->places;
}

/* What the multistage rule goes by. */
static void learn_demand(struct tracker *t, const struct history_node *targets, uint32_t count)
{
	if (t->o.archive.recovery != RECOVERY_MULTISTAGE)
		return;
	for (uint32_t i = 0; i < count; i++)
		for (int k = 0; k < t->places; k++)
			if (i == 0 || targets[i].layer != targets[i - 1].layer)
				archive_learn_demand(t->place[k].archive, targets[i].layer);
}

static int recover(struct tracker *t, const struct history_node *targets, uint32_t count,
		   struct err *e)
{
	double start = clock_wall();
	int rc;

	t->recovered = 0;
	learn_demand(t, targets, count);
	if ((rc = tracker_settle(t, e)) || (rc = tracker_rebuild(t, targets, count, true, e)) ||
	    (rc = tracker_wait(t, e)))
		return rc;
	t->recovered = count;
	t->figures.recover_seconds += clock_wall() - start;
	return 0;
}

int track_recover_there(struct tracker *t, const struct history_node *targets, uint32_t count,
			struct err *e)
{
	int rc = check_targets(t, targets, count, room(t), e);

	return rc ? rc : recover(t, targets, count, e);
}

int track_recover(struct tracker *t, const struct history_node *targets, uint32_t count,
		  void *states, struct err *e)
{
	uint32_t most = room(t) < UINT32_MAX ? (uint32_t)room(t) : UINT32_MAX;
	int rc = check_targets(t, targets, count, UINT32_MAX, e);

	for (uint32_t i = 0; !rc && i < count; i += most < count - i ? most : count - i) {
		uint32_t n = most < count - i ? most : count - i;

		if (!(rc = recover(t, targets + i, n, e)))
			rc = track_read_recovered(t, 0, n,
						  (unsigned char *)states + i * t->state_bytes, e);
	}
	return rc;
}

int track_backtrack(struct tracker *t, const struct history_node *targets, uint32_t count,
		    struct err *e)
{
	int rc = check_targets(t, targets, count, t->o.beam, e);

	if (rc || (rc = recover(t, targets, count, e)))
		return rc;
	t->recovered = 0;
	/* after the recovery: the cache may just hold what it needs */
	if ((rc = tracker_offer(t, e)) || (rc = history_jump(t->history, count, targets, e)))
		return rc;
	tracker_take(t, t->history->layers, count);
	return 0;
}
