#include <inttypes.h>

#include "algorithms/koester-recovery/tracker.h"

enum { MOST_STEPS = 1024, MOST_FIXED_STEPS = 32 };

struct track_options track_options_default(void)
{
	struct track_options o = {
		.engine = TRACK_TUNED,
		.slots = 16384,
		.beam = 1024,
		.look_ahead = 8,
		.forward = 1,
		.assign_first = true,
		.schedule = TRACK_TOGETHER,
		.expansion = TRACK_REGULAR,
		.fill_rate = 2.0 / 3,
		.archive = { .recovery = RECOVERY_REPLAY,
			     .cache = true,
			     .distance = 8,
			     .adapt = 2 },
	};
	return o;
}

static int check_sizes(const struct track_options *o, struct err *e)
{
	if (o->slots < 1 || o->slots > INT32_MAX || o->beam < 1 || o->beam > o->slots)
		return err_set(e, ERR_USAGE,
			       "a beam of %" PRIu32 " in buffers of %" PRIu32 " states: 1 <= beam "
			       "<= slots < 2^31 is needed",
			       o->beam, o->slots);
	if (o->look_ahead < 1 || o->look_ahead > MOST_STEPS || o->forward < 1 ||
	    o->forward > MOST_STEPS)
		return err_set(e, ERR_USAGE,
			       "%" PRIu32 " steps of looking ahead and %" PRIu32 " forward: each "
			       "is 1 to %d",
			       o->look_ahead, o->forward, MOST_STEPS);
	if (o->schedule == TRACK_FIXED && o->look_ahead > MOST_FIXED_STEPS)
		return err_set(e, ERR_USAGE,
			       "%" PRIu32 " steps of looking ahead at fixed breaks: at most %d",
			       o->look_ahead, MOST_FIXED_STEPS);
	if (!o->wide_history && o->beam > (uint32_t)UINT16_MAX + 1)
		return err_set(e, ERR_USAGE,
			       "a beam of %" PRIu32 " states: more than 65536 need the wide "
			       "history",
			       o->beam);
	if (!(o->fill_rate >= 0 && o->fill_rate <= 1))
		return err_set(e, ERR_USAGE, "a fill rate of %g: it is 0 to 1", o->fill_rate);
	return 0;
}

static int check_places(struct track_place *const *places, int place_count, struct err *e)
{
	if (place_count < 1 || place_count > DEV_MAX)
		return err_set(e, ERR_USAGE, "%d places: 1 to %d can be used", place_count,
			       DEV_MAX);
	for (int k = 0; place_count > 1 && k < place_count; k++)
		if (!places[k]->device ||
		    dev_backend_of(places[k]->device) != dev_backend_of(places[0]->device))
			return err_set(e, ERR_USAGE,
				       "several places must be devices of one backend");
	return 0;
}

int tracker_check_options(const struct track_domain *d, const struct track_options *o,
			  struct track_place *const *places, int place_count, struct err *e)
{
	int rc;

	if ((rc = check_sizes(o, e)) || (rc = check_places(places, place_count, e)))
		return rc;
	if (d->layout.units < 1 || d->layout.unit_bytes < 1)
		return err_set(e, ERR_USAGE,
			       "%s: a state has %" PRIu32 " units of %" PRIu32 " bytes", d->name,
			       d->layout.units, d->layout.unit_bytes);
	if (o->engine == TRACK_TUNED && !o->prune_on_host && d->compare)
		return err_set(e, ERR_USAGE,
			       "%s orders states by a comparison of its own, which only pruning on "
			       "the host can do",
			       d->name);
	for (int k = 0; k < place_count; k++)
		if (!track_ops_of(d, places[k]))
			return err_set(e, ERR_UNSUPPORTED, "%s cannot run on this kind of place",
				       d->name);
	return 0;
}

uint32_t tracker_share(const struct tracker *t, uint32_t count, int k)
{
	return (uint32_t)((uint64_t)count * (uint32_t)k / (uint32_t)t->places);
}

uint32_t tracker_slots(const struct tracker *t)
{
	uint32_t states = t->fused ? t->o.beam : t->o.slots, places = (uint32_t)t->places;

	return (states - 1) / places + 1;
}
