#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/koester-recovery/tracker.h"

/* States on their way between the host and a place are staged in about so many bytes. */
static const size_t staging_bytes = (size_t)4 << 20;

/* ---- memory of a place ---- */

void tracker_drop(struct tracker_place *q, struct tracker_array *a)
{
	track_free(q->p, a->at, a->bytes);
	a->at = NULL;
	a->bytes = 0;
}

int tracker_need(struct tracker_place *q, struct tracker_array *a, uint64_t count, size_t each,
		 struct err *e)
{
	size_t bytes;
	int rc;

	if (count > SIZE_MAX || !checked_mul_size((size_t)count, each, &bytes))
		return err_set(e, ERR_MEMORY, "%" PRIu64 " things of %zu bytes are too many", count,
			       each);
	if (bytes <= a->bytes && a->at)
		return 0;
	/* what is queued may still read the old memory */
	if (a->at && (rc = track_sync(q->p, e)))
		return rc;
	tracker_drop(q, a);
	if ((rc = track_alloc(q->p, &a->at, bytes, e)))
		return rc;
	a->bytes = bytes;
	return 0;
}

int tracker_need_words(struct tracker_place *q, struct tracker_array *a, uint64_t count,
		       struct err *e)
{
	return tracker_need(q, a, count ? count : 1, sizeof(uint32_t), e);
}

int tracker_need_entries(struct tracker_place *q, struct tracker_entries *s, uint64_t count,
			 struct err *e)
{
	int rc;

	if ((rc = tracker_need_words(q, &s->source, count, e)) ||
	    (rc = tracker_need_words(q, &s->successor, count, e)))
		return rc;
	return tracker_need_words(q, &s->rating, count, e);
}

static void drop_entries(struct tracker_place *q, struct tracker_entries *s)
{
	tracker_drop(q, &s->source);
	tracker_drop(q, &s->successor);
	tracker_drop(q, &s->rating);
}

void tracker_drop_all(struct tracker_place *q)
{
	struct tracker_array *all[] = {
		&q->number,
		&q->first,
		&q->total,
		&q->iota,
		&q->child_source,
		&q->child_successor,
		&q->child_rating,
		&q->waiting,
		&q->waiting_count,
		&q->index,
		&q->kept,
		&q->scratch,
		&q->step_slot,
		&q->step_source,
		&q->step_successor,
		&q->load_from,
		&q->load_to,
		&q->staging,
		&q->mirror.entries,
		&q->mirror.entry_at,
		&q->mirror.from,
		&q->mirror.from_at,
		&q->paths.target,
		&q->paths.start,
		&q->paths.iteration,
		&q->paths.source,
		&q->paths.successor,
		&q->paths.steps,
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		tracker_drop(q, all[i]);
	drop_entries(q, &q->entries);
	drop_entries(q, &q->spare);
}

int tracker_put(struct tracker_place *q, struct tracker_array *a, const uint32_t *words,
		uint64_t count, struct err *e)
{
	int rc = tracker_need_words(q, a, count, e);

	return rc ? rc : track_to(q->p, a->at, words, (size_t)count * sizeof(*words), e);
}

/* ---- candidates on the host, where devices copy to ---- */

int tracker_host_alloc(struct tracker *t, void **out, size_t bytes, struct err *e)
{
	struct dev *d = t->place[0].p->device;

	if (d)
		return dev_host_alloc(d, out, bytes, e);
	*out = malloc(bytes);
	return *out ? 0 : err_set(e, ERR_MEMORY, "no memory for %zu bytes on the host", bytes);
}

void tracker_host_free(struct tracker *t, void *memory)
{
	struct dev *d = t->place[0].p->device;

	if (d && memory)
		dev_host_free(d, memory);
	else
		free(memory);
}

static int grow(struct tracker *t, void **words, size_t old_bytes, size_t bytes, struct err *e)
{
	void *more;
	int rc = tracker_host_alloc(t, &more, bytes, e);

	if (rc)
		return rc;
	if (*words)
		memcpy(more, *words, old_bytes);
	tracker_host_free(t, *words);
	*words = more;
	return 0;
}

int tracker_list_room(struct tracker *t, uint64_t room, struct err *e)
{
	struct tracker_list *l = &t->list;
	size_t words = (size_t)room * sizeof(uint32_t), old = l->count * sizeof(uint32_t);
	int rc;

	if (room <= l->room)
		return 0;
	if (room > UINT32_MAX)
		return err_set(e, ERR_MEMORY, "%" PRIu64 " candidates are too many", room);
	/* copies to the old memory may be under way */
	if ((rc = tracker_wait(t, e)) || (rc = grow(t, (void **)&l->source, old, words, e)) ||
	    (rc = grow(t, (void **)&l->successor, old, words, e)) ||
	    (rc = grow(t, (void **)&l->rating, old, words, e)) ||
	    (rc = grow(t, (void **)&l->child, 2 * old, 2 * words, e)))
		return rc;
	l->room = (uint32_t)room;
	return 0;
}

void tracker_list_free(struct tracker *t)
{
	tracker_host_free(t, t->list.source);
	tracker_host_free(t, t->list.successor);
	tracker_host_free(t, t->list.rating);
	tracker_host_free(t, t->list.child);
	t->list = (struct tracker_list){ 0 };
}

/* ---- states to and from the host ---- */

static uint32_t staged_states(const struct tracker *t, uint32_t count)
{
	size_t room = staging_bytes / t->state_bytes;

	return room < 1 ? 1 : room < count ? (uint32_t)room : count;
}

/* Between the order of a buffer of `slots` states and that of states one after another; words are
 * turned by themselves, which the compiler cannot know from their size. */
static void turn_words(uint32_t units, uint32_t *buffer, uint32_t slots, uint32_t *states,
		       bool to_buffer)
{
	for (uint32_t u = 0; u < units; u++)
		for (uint32_t s = 0; s < slots; s++) {
			uint32_t *a = buffer + (size_t)u * slots + s;
			uint32_t *b = states + (size_t)s * units + u;

			*(to_buffer ? a : b) = to_buffer ? *b : *a;
		}
}

static void turn(struct track_layout l, unsigned char *buffer, uint32_t slots,
		 unsigned char *states, bool to_buffer)
{
	if (l.unit_bytes == sizeof(uint32_t) && (uintptr_t)states % sizeof(uint32_t) == 0) {
		turn_words(l.units, (uint32_t *)(void *)buffer, slots, (uint32_t *)(void *)states,
			   to_buffer);
		return;
	}
	for (uint32_t u = 0; u < l.units; u++)
		for (uint32_t s = 0; s < slots; s++) {
			unsigned char *a = buffer + ((size_t)u * slots + s) * l.unit_bytes;
			unsigned char *b = states + ((size_t)s * l.units + u) * l.unit_bytes;

			if (to_buffer)
				memcpy(a, b, l.unit_bytes);
			else
				memcpy(b, a, l.unit_bytes);
		}
}

struct stage {
	struct tracker *t;
	struct tracker_place *q;
	uint32_t *slot;       /* [states] of the buffer */
	unsigned char *bytes; /* the host's copy of the staging memory */
	uint32_t states;
};

static int stage_open(struct stage *s, struct tracker *t, struct tracker_place *q, uint32_t count,
		      struct err *e)
{
	*s = (struct stage){ .t = t, .q = q, .states = staged_states(t, count) };
	s->slot = malloc(s->states * sizeof(*s->slot));
	s->bytes = malloc(s->states * t->state_bytes);
	if (!s->slot || !s->bytes)
		return err_set(e, ERR_MEMORY, "no memory to stage %" PRIu32 " states", s->states);
	return tracker_need(q, &q->staging, s->states, t->state_bytes, e);
}

static void stage_close(struct stage *s)
{
	(void)track_sync(s->q->p, NULL); /* after an error, copies may still be queued */
	free(s->slot);
	free(s->bytes);
	tracker_drop(s->q, &s->q->staging);
}

/* One way or the other, `n` states from slot `first` of the buffer on. */
static int stage_move(struct stage *s, void *buffer, uint32_t first, uint32_t n, bool to_buffer,
		      struct err *e)
{
	struct tracker_place *q = s->q;
	struct track_gather g = { .layout = s->t->domain->layout, .count = n, .sources = 1 };
	size_t bytes = n * s->t->state_bytes;
	int rc;

	for (uint32_t i = 0; i < n; i++)
		s->slot[i] = first + i;
	if ((rc = tracker_put(q, &q->load_from, s->slot, n, e)))
		return rc;
	if (to_buffer) {
		g.to = buffer;
		g.to_slots = q->slots;
		g.to_slot = q->load_from.at;
		g.from[0] = q->staging.at;
		g.from_slots[0] = n;
		if ((rc = track_to(q->p, q->staging.at, s->bytes, bytes, e)) ||
		    (rc = q->common->gather(q->p, &g, e)))
			return rc;
	} else {
		g.to = q->staging.at;
		g.to_slots = n;
		g.from[0] = buffer;
		g.from_slots[0] = q->slots;
		g.from_slot = q->load_from.at;
		if ((rc = q->common->gather(q->p, &g, e)) ||
		    (rc = track_from(q->p, s->bytes, q->staging.at, bytes, e)))
			return rc;
	}
	return track_sync(q->p, e);
}

static int move_states(struct tracker *t, struct tracker_place *q, void *buffer, uint32_t first,
		       uint32_t count, unsigned char *states, bool to_buffer, struct err *e)
{
	struct stage s;
	int rc = count ? stage_open(&s, t, q, count, e) : 0;

	if (count == 0)
		return 0;
	for (uint32_t i = 0; !rc && i < count; i += s.states) {
		uint32_t n = count - i < s.states ? count - i : s.states;
		unsigned char *here = states + i * t->state_bytes;

		if (to_buffer)
			turn(t->domain->layout, s.bytes, n, here, true);
		rc = stage_move(&s, buffer, first + i, n, to_buffer, e);
		if (!rc && !to_buffer)
			turn(t->domain->layout, s.bytes, n, here, false);
	}
	stage_close(&s);
	return rc;
}

int tracker_read_states(struct tracker *t, struct tracker_place *q, const void *buffer,
			uint32_t first, uint32_t count, void *states, struct err *e)
{
	return move_states(t, q, (void *)(uintptr_t)buffer, first, count, states, false, e);
}

int tracker_write_states(struct tracker *t, struct tracker_place *q, void *buffer, uint32_t first,
			 uint32_t count, const void *states, struct err *e)
{
	return move_states(t, q, buffer, first, count, (void *)(uintptr_t)states, true, e);
}

/* ---- small things ---- */

int tracker_wait(struct tracker *t, struct err *e)
{
	int rc = 0;

	for (int k = 0; !rc && k < t->places; k++)
		rc = track_sync(t->place[k].p, e);
	return rc;
}

int tracker_meet(struct tracker *t, struct err *e)
{
	return t->places > 1 ? tracker_wait(t, e) : 0;
}

struct track_batch tracker_batch(const struct tracker *t, const struct tracker_place *q,
				 void *states, uint32_t count, uint32_t iteration)
{
	struct track_batch b = {
		.layout = t->domain->layout,
		.states = states,
		.slots = q->slots,
		.count = count,
		.seed = t->o.seed,
		.iteration = iteration,
	};
	return b;
}

struct track_gather tracker_from_current(const struct tracker *t, const struct tracker_place *q,
					 uint32_t count)
{
	struct track_gather g = {
		.layout = t->domain->layout,
		.to = q->next,
		.to_slots = q->slots,
		.count = count,
		.sources = t->places,
	};

	for (int k = 0; k < t->places; k++) {
		g.from[k] = t->place[k].current;
		g.from_slots[k] = t->place[k].slots;
		g.first[k] = tracker_share(t, t->count, k);
	}
	return g;
}
