/* The new layer's entries. history_add checks every one; here it is known whose children they are,
 * and only the successors may be too large, which a loop over many at once finds. */
#include <inttypes.h>

#include "harness/base/team.h"
#include "algorithms/koester-recovery/tracker.h"

/* Below so many, threads are not woken. */
enum { GRAIN = 1 << 17 };

struct packing {
	const struct tracker_list *list;
	void *entries;
	bool wide;
	uint32_t bits; /* of all successors; any thread sets some */
};

static uint32_t pack_narrow(const struct tracker_list *l, struct history_entry *to, uint64_t from,
			    uint64_t end)
{
	uint32_t bits = 0;

	for (uint64_t i = from; i < end; i++) {
		to[i] = (struct history_entry){ (uint16_t)l->source[i], (uint16_t)l->successor[i],
						l->rating[i] };
		bits |= l->successor[i];
	}
	return bits;
}

static uint32_t pack_wide(const struct tracker_list *l, struct history_wide_entry *to,
			  uint64_t from, uint64_t end)
{
	uint32_t none = 0;

	for (uint64_t i = from; i < end; i++) {
		to[i] = (struct history_wide_entry){ l->source[i], l->successor[i], l->rating[i] };
		none |= l->successor[i] == TRACK_NO_STEP;
	}
	return none;
}

static void pack(void *context, uint64_t from, uint64_t to, int thread)
{
	struct packing *w = context;
	uint32_t bits = w->wide ? pack_wide(w->list, w->entries, from, to) :
				  pack_narrow(w->list, w->entries, from, to);

	(void)thread;
	__atomic_fetch_or(&w->bits, bits, __ATOMIC_RELAXED);
}

static uint32_t highest_successor(const struct tracker_list *l, uint32_t count)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < count; i++)
		most = l->successor[i] > most ? l->successor[i] : most;
	return most;
}

int tracker_add_history(struct tracker *t, uint32_t count, struct err *e)
{
	struct history *h = t->history;
	struct packing w = { .list = &t->list, .wide = h->wide };
	int rc = history_reserve(h, count, &w.entries, e);

	if (rc)
		return rc;
	team_for(t->host.pool, count, GRAIN, pack, &w);
	if (w.wide ? !w.bits : w.bits <= UINT16_MAX)
		return 0;
	history_cut(h, h->layers - 1);
	return err_set(e, ERR_FAILED,
		       "history: a successor %" PRIu32 " of layer %" PRIu32 " does not fit%s",
		       highest_successor(&t->list, count), t->layer + 1,
		       w.wide ? "" : " in 16 bits: the wide history is needed");
}
