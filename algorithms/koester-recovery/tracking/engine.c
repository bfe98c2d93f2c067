/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Memory, options, creation, reading and figures of the tracker. */
#include "algorithms/koester-recovery/tracking/engine.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/clock.h"

/* Approximate bytes of the staging buffer for states that move between the host and a place. */
static const size_t staging_bytes = (size_t)4 << 20;

/* ---- memory of a place ---- */

void track_engine_drop(struct track_engine_place *q, struct track_engine_array *a)
{
	track_free(q->p, a->at, a->bytes);
	a->at = NULL;
	a->bytes = 0;
}

int track_engine_need(struct track_engine_place *q, struct track_engine_array *a, uint64_t count,
		      size_t each, struct err *e)
{
	size_t bytes;
	int status;

	if (count > SIZE_MAX || !checked_mul_size((size_t)count, each, &bytes))
		return err_set(e, ERR_MEMORY, "%" PRIu64 " elements of %zu bytes are too many",
			       count, each);
	if (bytes <= a->bytes && a->at)
		return 0;
	/* pending work may still read the old memory */
	if (a->at && (status = track_sync(q->p, e)))
		return status;
	track_engine_drop(q, a);
	if ((status = track_alloc(q->p, &a->at, bytes, e)))
		return status;
	a->bytes = bytes;
	return 0;
}

int track_engine_need_words(struct track_engine_place *q, struct track_engine_array *a,
			    uint64_t count, struct err *e)
{
	return track_engine_need(q, a, count ? count : 1, sizeof(uint32_t), e);
}

static void drop_entries(struct track_engine_place *q, struct track_engine_entries *s)
{
	track_engine_drop(q, &s->source);
	track_engine_drop(q, &s->successor);
	track_engine_drop(q, &s->rating);
}

static void drop_all(struct track_engine_place *q)
{
	struct track_engine_array *all[] = {
		&q->number,          &q->first,           &q->total,          &q->iota,
		&q->child_source,    &q->child_successor, &q->child_rating,   &q->waiting,
		&q->waiting_count,   &q->index,           &q->kept,           &q->scratch,
		&q->all_ratings,     &q->step_slot,       &q->step_source,    &q->step_successor,
		&q->load_from,       &q->load_to,         &q->staging,        &q->mirror.entries,
		&q->mirror.entry_at, &q->mirror.from,     &q->mirror.from_at, &q->paths.target,
		&q->paths.start,     &q->paths.iteration, &q->paths.source,   &q->paths.successor,
		&q->paths.steps,     &q->cached,
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		track_engine_drop(q, all[i]);
	drop_entries(q, &q->entries);
	drop_entries(q, &q->spare);
	drop_entries(q, &q->share);
}

int track_engine_put(struct track_engine_place *q, struct track_engine_array *a,
		     const uint32_t *words, uint64_t count, struct err *e)
{
	int status = track_engine_need_words(q, a, count, e);

	return status ? status : track_to(q->p, a->at, words, (size_t)count * sizeof(*words), e);
}

int track_engine_need_iota(struct track_engine_place *q, struct err *e)
{
	uint32_t *words;
	int status;

	if (q->iota.at)
		return 0;
	words = malloc(q->slots * sizeof(*words));
	if (!words)
		return err_set(e, ERR_MEMORY, "no memory for %" PRIu32 " numbers", q->slots);
	for (uint32_t i = 0; i < q->slots; i++)
		words[i] = i;
	status = track_engine_put(q, &q->iota, words, q->slots, e);
	if (track_sync(q->p, status ? NULL : e) && !status)
		status = ERR_DEVICE;
	free(words);
	return status;
}

/* ---- candidates on the host, where devices copy to ---- */

int track_engine_host_alloc(struct tracker *t, void **out, size_t bytes, struct err *e)
{
	return track_host_alloc(t->place[0].p, out, bytes, e);
}

void track_engine_host_free(struct tracker *t, void *memory)
{
	track_host_free(t->place[0].p, memory);
}

static int grow(struct tracker *t, void **words, size_t old_bytes, size_t bytes, struct err *e)
{
	void *more;
	int status = track_engine_host_alloc(t, &more, bytes, e);

	if (status)
		return status;
	if (*words)
		memcpy(more, *words, old_bytes);
	track_engine_host_free(t, *words);
	*words = more;
	return 0;
}

/* Pinning memory takes long. Layers of a search become as wide as the beam within a few layers, or
 * stay narrow. */
static uint64_t room_of_layers(const struct tracker *t, uint64_t room)
{
	uint32_t most = room <= TRACK_ENGINE_NARROW ? TRACK_ENGINE_NARROW : t->o.beam;

	most = most < t->o.beam ? most : t->o.beam;
	return t->on_places && most > room ? most : room;
}

int track_engine_list_room(struct tracker *t, uint64_t room, struct err *e)
{
	struct track_engine_list *l = &t->list;
	size_t words, old = l->count * sizeof(uint32_t);
	int status;

	if (room <= l->room)
		return 0;
	room = room_of_layers(t, room);
	words = (size_t)room * sizeof(uint32_t);
	if (room > UINT32_MAX)
		return err_set(e, ERR_MEMORY, "%" PRIu64 " candidates are too many", room);
	/* copies to the old memory may be pending */
	if ((status = track_engine_wait(t, e)) ||
	    (status = grow(t, (void **)&l->source, old, words, e)) ||
	    (status = grow(t, (void **)&l->successor, old, words, e)) ||
	    (status = grow(t, (void **)&l->rating, old, words, e)) ||
	    (!t->on_places && (status = grow(t, (void **)&l->child, 2 * old, 2 * words, e))))
		return status;
	l->room = (uint32_t)room;
	return 0;
}

static void list_free(struct tracker *t)
{
	track_engine_host_free(t, t->list.source);
	track_engine_host_free(t, t->list.successor);
	track_engine_host_free(t, t->list.rating);
	track_engine_host_free(t, t->list.child);
	t->list = (struct track_engine_list){ 0 };
}

/* ---- states to and from the host ---- */

static uint32_t staged_states(const struct tracker *t, uint32_t count)
{
	size_t room = staging_bytes / t->state_bytes;

	return room < 1 ? 1 : room < count ? (uint32_t)room : count;
}

/* Converts between the layout of a buffer of `slots` states and consecutive states. Units of one
 * word have a separate loop, in which the compiler knows their size. */
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
	struct track_engine_place *q;
	uint32_t *slot;       /* [states] of the buffer */
	unsigned char *bytes; /* the host's copy of the staging memory */
	uint32_t states;
};

static int stage_open(struct stage *s, struct tracker *t, struct track_engine_place *q,
		      uint32_t count, struct err *e)
{
	*s = (struct stage){ .t = t, .q = q, .states = staged_states(t, count) };
	s->slot = malloc(s->states * sizeof(*s->slot));
	s->bytes = malloc(s->states * t->state_bytes);
	if (!s->slot || !s->bytes)
		return err_set(e, ERR_MEMORY, "no memory to stage %" PRIu32 " states", s->states);
	return track_engine_need(q, &q->staging, s->states, t->state_bytes, e);
}

static void stage_close(struct stage *s)
{
	(void)track_sync(s->q->p, NULL); /* after an error, copies may still be queued */
	free(s->slot);
	free(s->bytes);
	track_engine_drop(s->q, &s->q->staging);
}

/* Copies the states of slots first .. first + n - 1 of the buffer, in either direction. */
static int stage_move(struct stage *s, void *buffer, uint32_t first, uint32_t n, bool to_buffer,
		      struct err *e)
{
	struct track_engine_place *q = s->q;
	struct track_gather g = { .layout = s->t->domain->layout, .count = n, .sources = 1 };
	size_t bytes = n * s->t->state_bytes;
	int status;

	for (uint32_t i = 0; i < n; i++)
		s->slot[i] = first + i;
	if ((status = track_engine_put(q, &q->load_from, s->slot, n, e)))
		return status;
	if (to_buffer) {
		g.to = buffer;
		g.to_slots = q->slots;
		g.to_slot = q->load_from.at;
		g.from[0] = q->staging.at;
		g.from_slots[0] = n;
		if ((status = track_to(q->p, q->staging.at, s->bytes, bytes, e)) ||
		    (status = q->p->common->gather(q->p, &g, e)))
			return status;
	} else {
		g.to = q->staging.at;
		g.to_slots = n;
		g.from[0] = buffer;
		g.from_slots[0] = q->slots;
		g.from_slot = q->load_from.at;
		if ((status = q->p->common->gather(q->p, &g, e)) ||
		    (status = track_from(q->p, s->bytes, q->staging.at, bytes, e)))
			return status;
	}
	return track_sync(q->p, e);
}

static int move_states(struct tracker *t, struct track_engine_place *q, void *buffer,
		       uint32_t first, uint32_t count, unsigned char *states, bool to_buffer,
		       struct err *e)
{
	struct stage s;
	int status = count ? stage_open(&s, t, q, count, e) : 0;

	if (count == 0)
		return 0;
	for (uint32_t i = 0; !status && i < count; i += s.states) {
		uint32_t n = count - i < s.states ? count - i : s.states;
		unsigned char *here = states + i * t->state_bytes;

		if (to_buffer)
			turn(t->domain->layout, s.bytes, n, here, true);
		status = stage_move(&s, buffer, first + i, n, to_buffer, e);
		if (!status && !to_buffer)
			turn(t->domain->layout, s.bytes, n, here, false);
	}
	stage_close(&s);
	return status;
}

/* Copies slots first .. first + count - 1 of a buffer to consecutive states on the host. */
static int read_states(struct tracker *t, struct track_engine_place *q, const void *buffer,
		       uint32_t first, uint32_t count, void *states, struct err *e)
{
	return move_states(t, q, (void *)(uintptr_t)buffer, first, count, states, false, e);
}

int track_engine_write_states(struct tracker *t, struct track_engine_place *q, void *buffer,
			      uint32_t first, uint32_t count, const void *states, struct err *e)
{
	return move_states(t, q, buffer, first, count, (void *)(uintptr_t)states, true, e);
}

/* ---- shares, waits and batches ---- */

int track_engine_wait(struct tracker *t, struct err *e)
{
	int status = 0;

	for (int k = 0; !status && k < t->places; k++)
		status = track_sync(t->place[k].p, e);
	return status;
}

int track_engine_meet(struct tracker *t, struct err *e)
{
	return t->places > 1 ? track_engine_wait(t, e) : 0;
}

struct track_batch track_engine_batch(const struct tracker *t, const struct track_engine_place *q,
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

struct track_gather track_engine_from_current(const struct tracker *t,
					      const struct track_engine_place *q, uint32_t count)
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
		g.first[k] = track_engine_share(t, t->count, k);
	}
	return g;
}

/* ---- options ---- */

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
		.archive = { .recovery = TRACK_RECOVERY_REPLAY,
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
			       "a beam of %" PRIu32 " in buffers of %" PRIu32
			       " states: required: 1 <= beam <= slots < 2^31",
			       o->beam, o->slots);
	if (o->look_ahead < 1 || o->look_ahead > MOST_STEPS || o->forward < 1 ||
	    o->forward > MOST_STEPS)
		return err_set(e, ERR_USAGE,
			       "%" PRIu32 " steps of looking ahead and %" PRIu32
			       " forward: each must be between 1 and %d",
			       o->look_ahead, o->forward, MOST_STEPS);
	if (o->schedule == TRACK_FIXED && o->look_ahead > MOST_FIXED_STEPS)
		return err_set(e, ERR_USAGE,
			       "%" PRIu32 " steps of looking ahead at fixed breaks: at most %d",
			       o->look_ahead, MOST_FIXED_STEPS);
	if (!o->wide_history && o->beam > (uint32_t)UINT16_MAX + 1)
		return err_set(e, ERR_USAGE,
			       "a beam of %" PRIu32
			       " states: more than 65536 need the wide history",
			       o->beam);
	if (!(o->fill_rate >= 0 && o->fill_rate <= 1))
		return err_set(e, ERR_USAGE, "a fill rate of %g: must be between 0 and 1",
			       o->fill_rate);
	return 0;
}

static int check_places(struct track_place *const *places, int place_count, struct err *e)
{
	if (place_count < 1 || place_count > DEV_MAX)
		return err_set(e, ERR_USAGE, "%d places: must be between 1 and %d", place_count,
			       DEV_MAX);
	for (int k = 0; place_count > 1 && k < place_count; k++)
		if (!places[k]->device ||
		    dev_backend_of(places[k]->device) != dev_backend_of(places[0]->device))
			return err_set(e, ERR_USAGE,
				       "several places must be devices of one backend");
	return 0;
}

static int check_options(const struct track_domain *d, const struct track_options *o,
			 struct track_place *const *places, int place_count, struct err *e)
{
	int status;

	if ((status = check_sizes(o, e)) || (status = check_places(places, place_count, e)))
		return status;
	if (d->layout.units < 1 || d->layout.unit_bytes < 1)
		return err_set(e, ERR_USAGE,
			       "%s: a state cannot have %" PRIu32 " units of %" PRIu32 " bytes",
			       d->name, d->layout.units, d->layout.unit_bytes);
	if (o->engine == TRACK_TUNED && !o->prune_on_host && d->compare)
		return err_set(e, ERR_USAGE,
			       "%s has its own order of states, which requires pruning on the host",
			       d->name);
	for (int k = 0; k < place_count; k++)
		if (!track_ops_of(d, places[k]))
			return err_set(e, ERR_UNSUPPORTED, "%s cannot run on this kind of place",
				       d->name);
	return 0;
}

uint32_t track_engine_share(const struct tracker *t, uint32_t count, int k)
{
	return (uint32_t)((uint64_t)count * (uint32_t)k / (uint32_t)t->places);
}

/* The number of states in the buffers of each place. */
static uint32_t slots_of_place(const struct tracker *t)
{
	uint32_t states = t->fused ? t->o.beam : t->o.slots, places = (uint32_t)t->places;

	return (states - 1) / places + 1;
}

/* ---- creation ---- */

static int enter(struct tracker *t, struct track_engine_place *q, struct err *e)
{
	const struct track_domain *d = t->domain;
	int status = 0;

	q->parameters = malloc(d->parameter_bytes ? d->parameter_bytes : 1);
	if (!q->parameters)
		return err_set(e, ERR_MEMORY, "no memory for %zu bytes of parameters",
			       d->parameter_bytes);
	memcpy(q->parameters, d->parameters, d->parameter_bytes);
	if (q->p->device && d->enter) {
		status = d->enter(d, q->p, q->parameters, &q->held, e);
		q->entered = !status;
	}
	return status;
}

static int open_place(struct tracker *t, struct track_engine_place *q, struct track_place *p,
		      struct err *e)
{
	int status;

	q->p = p;
	q->ops = track_ops_of(t->domain, p);
	q->slots = slots_of_place(t);
	if (!checked_mul_size(q->slots, t->state_bytes, &q->buffer_bytes))
		return err_set(e, ERR_MEMORY, "%" PRIu32 " states of %zu bytes are too many",
			       q->slots, t->state_bytes);
	if ((status = track_engine_host_alloc(t, (void **)&q->reported, sizeof(*q->reported), e)))
		return status;
	*q->reported = (struct track_engine_reports){ 0 };
	if ((status = enter(t, q, e)) ||
	    (status = track_alloc(p, &q->current, q->buffer_bytes, e)) ||
	    (status = track_alloc(p, &q->next, q->buffer_bytes, e)) ||
	    (status = track_archive_create(&q->archive, &t->o.archive, p, t->domain->layout, e)))
		return status;
	if (!p->device || (status = dev_event_create(p->device, &q->listed, e)))
		return status;
	return dev_event_create(p->device, &q->chosen, e);
}

static void close_place(struct tracker *t, struct track_engine_place *q)
{
	if (!q->p)
		return;
	if (q->listed)
		dev_event_destroy(q->listed);
	if (q->chosen)
		dev_event_destroy(q->chosen);
	track_archive_destroy(q->archive);
	drop_all(q);
	track_free(q->p, q->current, q->buffer_bytes);
	track_free(q->p, q->next, q->buffer_bytes);
	if (q->entered && t->domain->leave)
		t->domain->leave(t->domain, q->p, q->held);
	free(q->parameters);
	track_engine_host_free(t, q->reported);
}

/* Enables every device to read the states of the others. */
static int enable_peers(struct tracker *t, struct err *e)
{
	double start = clock_wall();
	int status = 0;

	for (int a = 0; a < t->places; a++)
		for (int b = 0; !status && b < t->places; b++)
			if (t->place[a].p->device != t->place[b].p->device)
				status = dev_enable_peer(t->place[a].p->device,
							 t->place[b].p->device, e);
	t->figures.peer_seconds += clock_wall() - start;
	return status;
}

/* True if states advance independently: nothing depends on the number of waiting states. */
static bool is_independent(const struct track_options *o)
{
	return o->engine == TRACK_TUNED && (o->schedule != TRACK_TOGETHER || o->look_ahead == 1);
}

static int host_arrays(struct tracker *t, struct err *e)
{
	t->number = malloc(t->o.beam * sizeof(*t->number));
	t->child_source = malloc(t->o.slots * sizeof(*t->child_source));
	t->child_successor = malloc(t->o.slots * sizeof(*t->child_successor));
	if (!t->number || !t->child_source || !t->child_successor)
		return err_set(e, ERR_MEMORY, "no memory for the numbers of %" PRIu32 " children",
			       t->o.slots);
	return 0;
}

static int room_for_entries(struct track_engine_place *q, struct track_engine_entries *s,
			    uint32_t count, struct err *e)
{
	int status;

	if ((status = track_engine_need_words(q, &s->source, count, e)) ||
	    (status = track_engine_need_words(q, &s->successor, count, e)))
		return status;
	return track_engine_need_words(q, &s->rating, count, e);
}

static int room_on_place(struct tracker *t, struct track_engine_place *q, struct err *e)
{
	const struct track_common *c = q->p->common;
	uint32_t beam = t->o.beam;
	int status;

	if ((status = track_engine_need_words(q, &q->number, q->slots, e)) ||
	    (status = track_engine_need_words(q, &q->first, q->slots, e)) ||
	    (status = track_engine_need(q, &q->total, 1, sizeof(uint64_t), e)) ||
	    (status = track_engine_need_words(q, &q->index, beam, e)) ||
	    (status = track_engine_need_words(q, &q->kept, 1, e)) ||
	    (status = track_engine_need(q, &q->scratch,
					c->select_scratch(q->p, t->o.slots) +
						c->scan_scratch(q->p, q->slots) + 1,
					1, e)) ||
	    (status = room_for_entries(q, &q->entries, beam, e)) ||
	    (status = room_for_entries(q, &q->spare, beam, e)))
		return status;
	if (t->places == 1)
		return 0;
	if ((status = room_for_entries(q, &q->share, q->slots, e)))
		return status;
	return track_engine_need_words(q, &q->all_ratings, (uint64_t)beam * (uint32_t)t->places, e);
}

/* Allocates at once what the layers of a beam need. It would otherwise grow with the first
 * layers, with waits for devices and their drivers. */
static int room_for_layers(struct tracker *t, struct err *e)
{
	int status = 0;

	if (!t->on_places || !t->fused || !t->place[0].p->device)
		return 0;
	for (int k = 0; !status && k < t->places; k++)
		status = room_on_place(t, &t->place[k], e);
	return status;
}

int track_create(struct tracker **out, const struct track_domain *d, const struct track_options *o,
		 struct track_place *const *places, int place_count, struct err *e)
{
	struct tracker *t;
	double start = clock_wall();
	int status = check_options(d, o, places, place_count, e);

	*out = NULL;
	if (status)
		return status;
	t = calloc(1, sizeof(*t));
	if (!t)
		return err_set(e, ERR_MEMORY, "no memory for a tracker");
	t->domain = d;
	t->o = *o;
	t->places = place_count;
	t->host.pool = places[0]->pool;
	t->fused = is_independent(o) && track_ops_of(d, places[0])->rate_children;
	t->by_itself = is_independent(o) && o->schedule != TRACK_FIXED;
	t->on_host = o->prune_on_host || o->engine == TRACK_PUBLISHED;
	t->on_places = !t->on_host && (t->fused || place_count == 1);
	t->flags = (o->assign_first ? TRACK_ASSIGN_FIRST : 0u) |
		   (o->schedule == TRACK_FIXED ? TRACK_ASSIGN_LAST : 0u);
	t->state_bytes = track_state_bytes(d->layout);
	for (int k = 0; !status && k < place_count; k++)
		status = open_place(t, &t->place[k], places[k], e);
	if (status || (status = host_arrays(t, e)) || (status = enable_peers(t, e)) ||
	    (status = room_for_layers(t, e))) {
		track_destroy(t);
		return status;
	}
	track_engine_filler_start(t);
	t->figures.memory_seconds = clock_wall() - start - t->figures.peer_seconds;
	*out = t;
	return 0;
}

void track_destroy(struct tracker *t)
{
	if (!t)
		return;
	for (int k = 0; k < t->places && t->place[k].p; k++) {
		(void)track_sync(t->place[k].p, NULL);
		if (t->place[k].archive)
			(void)track_archive_settle(t->place[k].archive, NULL);
	}
	track_engine_filler_end(t);
	list_free(t);
	track_engine_host_free(t, t->entries);
	for (int k = 0; k < t->places; k++)
		close_place(t, &t->place[k]);
	track_history_destroy(t->history);
	free(t->number);
	free(t->child_source);
	free(t->child_successor);
	free(t);
}

/* ---- the current layer ---- */

void track_engine_take(struct tracker *t, uint32_t layer, uint32_t count)
{
	for (int k = 0; k < t->places; k++) {
		void *old = t->place[k].current;

		t->place[k].current = t->place[k].next;
		t->place[k].next = old;
	}
	t->layer = layer;
	t->count = count;
	t->ended = t->offered = t->cached = t->expanded = false;
	t->regular_for = t->regular_for == count ? count : 0;
}

uint32_t track_count(const struct tracker *t)
{
	return t->ended ? 0 : t->count;
}

uint32_t track_layer(const struct tracker *t)
{
	return t->layer;
}

/* Reads states first .. first + count - 1 of `total` states that are divided among the places. */
static int read_shared(struct tracker *t, uint32_t total, uint32_t first, uint32_t count,
		       bool from_next, unsigned char *states, struct err *e)
{
	int status = 0;

	if (first > total || count > total - first)
		return err_set(e, ERR_USAGE,
			       "states %" PRIu32 " to %" PRIu64 " of %" PRIu32 " do not exist",
			       first, (uint64_t)first + count, total);
	for (int k = 0; !status && k < t->places; k++) {
		struct track_engine_place *q = &t->place[k];
		uint32_t begin = track_engine_share(t, total, k),
			 end = track_engine_share(t, total, k + 1);
		uint32_t from = first > begin ? first : begin;
		uint32_t to = first + count < end ? first + count : end;

		if (from < to)
			status =
				read_states(t, q, from_next ? q->next : q->current, from - begin,
					    to - from, states + (from - first) * t->state_bytes, e);
	}
	return status;
}

int track_read(struct tracker *t, uint32_t first, uint32_t count, void *states, struct err *e)
{
	return read_shared(t, track_count(t), first, count, false, states, e);
}

int track_read_recovered(struct tracker *t, uint32_t first, uint32_t count, void *states,
			 struct err *e)
{
	return read_shared(t, t->recovered, first, count, true, states, e);
}

/* ---- figures ---- */

static void add_archive(struct track_archive_figures *sum, const struct track_archive *a)
{
	struct track_archive_figures f;

	track_archive_figures(a, &f);
	for (int i = 0; i < TRACK_TIERS; i++) {
		if (sum->layers[i] < f.layers[i])
			sum->layers[i] = f.layers[i];
		sum->bytes[i] += f.bytes[i];
		sum->peak[i] += f.peak[i];
	}
	sum->loads += f.loads;
	if (f.loads)
		sum->last_loaded = f.last_loaded;
}

void track_figures(const struct tracker *t, struct track_figures *f)
{
	*f = t->figures;
	for (int k = 0; k < t->places; k++) {
		f->state_bytes += 2 * (uint64_t)t->place[k].buffer_bytes + t->place[k].cached.bytes;
		add_archive(&f->archive, t->place[k].archive);
	}
	f->state_bytes += f->archive.bytes[TRACK_TIER_DEVICE];
	f->history_bytes = t->history ? t->history->bytes : 0;
}
