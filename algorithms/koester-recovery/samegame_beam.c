#include "algorithms/koester-recovery/samegame_beam.h"

#include <inttypes.h>

#include "harness/base/host_memory.h"

/* Words of the tracker's arrays: for a child at once (successor, source, rating, two for the choice
 * of the best), and for a state (numbers, entries twice, what steps and loads take). */
enum { CHILD_WORDS = 5, STATE_WORDS = 24 };
/* Children at once, at least: more states of a layer that fill a device, fewer in memory. */
enum { CHILDREN_AT_ONCE = 1 << 20, CHILDREN_STORED = 16 };

static uint32_t most_children(const struct samegame *g)
{
	return (uint32_t)(g->rows * g->columns) / 2 + 1;
}

/* Games rarely last longer than one move for three stones: the rest is room for the exceptions. */
static uint64_t most_layers(const struct samegame *g, const struct track_request *r)
{
	return (uint64_t)(g->rows * g->columns * 2 / 5 + 2) * (r->rounds + 1);
}

/* Layers whose states are in memory at the end, as far as the place's own memory goes. */
static uint64_t kept_layers(const struct samegame *g, const struct track_request *r)
{
	const struct archive_options *a = &r->archive;
	uint64_t layers = most_layers(g, r), cache = a->cache;

	switch (a->recovery) {
	case RECOVERY_REPLAY:
		return cache;
	case RECOVERY_CHECKPOINT:
	case RECOVERY_ADAPTIVE:
		return cache + layers / (a->distance ? a->distance : 1) + 1 +
		       (a->recovery == RECOVERY_ADAPTIVE ? r->rounds : 0);
	case RECOVERY_MULTISTAGE:
		return cache + (a->budget[TIER_DEVICE] ? 0 : layers);
	default:
		return layers;
	}
}

static uint32_t slots_of(const struct samegame *g, const struct track_request *r, uint32_t beam)
{
	uint64_t slots =
		r->engine == TRACK_TUNED ? CHILDREN_AT_ONCE : (uint64_t)beam * CHILDREN_STORED;
	uint64_t all = (uint64_t)beam * most_children(g);

	slots = slots > all ? all : slots;
	slots = slots < beam ? beam : slots;
	slots = slots < most_children(g) ? most_children(g) : slots;
	return slots > INT32_MAX ? INT32_MAX : (uint32_t)slots;
}

/* Bytes of a place for a beam, the history counted too. */
static double bytes_of(const struct samegame *g, const struct track_request *r,
		       const struct track_domain *d, uint32_t beam)
{
	double slots = slots_of(g, r, beam), state = (double)track_state_bytes(d->layout);
	double states = r->engine == TRACK_TUNED ? beam : slots;
	double children = r->engine == TRACK_TUNED && slots < (double)beam * most_children(g) ?
				  slots :
				  (double)beam * most_children(g);
	double entry = beam > 65536 ? 12 : 8;

	/* a single place counts its children in one go where they fit */
	children = children > slots ? slots : children;
	return state * (2 * states + (double)kept_layers(g, r) * beam) +
	       4.0 * (CHILD_WORDS * children + STATE_WORDS * (double)beam) +
	       entry * (double)most_layers(g, r) * beam;
}

static int memory_of(const struct track_request *r, double *bytes, struct err *e)
{
	struct dev_info info;
	int rc;

	*bytes = (double)r->memory;
	if (r->memory)
		return 0;
	*bytes = (double)host_memory_available() / 2;
	if (!r->places[0]->device)
		return 0;
	rc = dev_get_info(r->places[0]->device, &info, e);
	*bytes = (double)info.memory_free / 2;
	return rc;
}

static uint32_t most_beam(const struct track_request *r)
{
	const struct dev *d = r->places[0]->device;

	if (r->memory)
		return UINT32_C(1) << 30;
	if (!d)
		return SAMEGAME_BEAM_HOST;
	return dev_backend_of(d) == DEV_CUDA ? SAMEGAME_BEAM : SAMEGAME_BEAM_SIMULATED;
}

static int widest(const struct samegame *g, const struct track_request *r,
		  const struct track_domain *d, uint32_t *beam, struct err *e)
{
	uint32_t low = 0, high = most_beam(r);
	double memory;
	int rc = memory_of(r, &memory, e);

	if (rc)
		return rc;
	while (low < high) {
		uint32_t middle = low + (high - low + 1) / 2;

		if (bytes_of(g, r, d, middle) <= memory)
			low = middle;
		else
			high = middle - 1;
	}
	if (low == 0)
		return err_set(e, ERR_MEMORY,
			       "%s: one state a layer needs %.0f bytes, %.0f are "
			       "allowed",
			       g->name, bytes_of(g, r, d, 1), memory);
	*beam = low;
	return 0;
}

int samegame_choose_beam(const struct samegame *g, const struct track_request *r,
			 const struct track_domain *d, struct track_options *o, struct err *e)
{
	int rc = 0;

	o->beam = r->beam;
	if (!r->beam)
		rc = widest(g, r, d, &o->beam, e);
	o->slots = slots_of(g, r, o->beam);
	o->wide_history = o->beam > (uint32_t)UINT16_MAX + 1;
	return rc;
}
