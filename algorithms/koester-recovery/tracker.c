#include "algorithms/koester-recovery/tracker.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- making ---- */

static int enter(struct tracker *t, struct tracker_place *q, struct err *e)
{
	const struct track_domain *d = t->domain;
	int rc = 0;

	q->parameters = malloc(d->parameter_bytes ? d->parameter_bytes : 1);
	if (!q->parameters)
		return err_set(e, ERR_MEMORY, "no memory for %zu bytes of parameters",
			       d->parameter_bytes);
	memcpy(q->parameters, d->parameters, d->parameter_bytes);
	if (q->p->device && d->enter) {
		rc = d->enter(d, q->p, q->parameters, &q->held, e);
		q->entered = !rc;
	}
	return rc;
}

static int open_place(struct tracker *t, struct tracker_place *q, struct track_place *p,
		      struct err *e)
{
	int rc;

	q->p = p;
	q->ops = track_ops_of(t->domain, p);
	q->common = track_common_of(p);
	q->slots = tracker_slots(t);
	if (!checked_mul_size(q->slots, t->state_bytes, &q->buffer_bytes))
		return err_set(e, ERR_MEMORY, "%" PRIu32 " states of %zu bytes are too many",
			       q->slots, t->state_bytes);
	if ((rc = tracker_host_alloc(t, (void **)&q->told, sizeof(*q->told), e)))
		return rc;
	*q->told = (struct tracker_told){ 0 };
	if ((rc = enter(t, q, e)) || (rc = track_alloc(p, &q->current, q->buffer_bytes, e)) ||
	    (rc = track_alloc(p, &q->next, q->buffer_bytes, e)) ||
	    (rc = archive_create(&q->archive, &t->o.archive, p, t->domain->layout, e)))
		return rc;
	return p->device ? dev_event_create(p->device, &q->chosen, e) : 0;
}

static void close_place(struct tracker *t, struct tracker_place *q)
{
	if (!q->p)
		return;
	if (q->chosen)
		dev_event_destroy(q->chosen);
	archive_destroy(q->archive);
	tracker_drop_all(q);
	track_free(q->p, q->current, q->buffer_bytes);
	track_free(q->p, q->next, q->buffer_bytes);
	if (q->entered && t->domain->leave)
		t->domain->leave(t->domain, q->p, q->held);
	free(q->parameters);
	tracker_host_free(t, q->told);
}

/* Every device reads the states of the others. */
static int enable_peers(struct tracker *t, struct err *e)
{
	int rc = 0;

	for (int a = 0; a < t->places; a++)
		for (int b = 0; !rc && b < t->places; b++)
			if (t->place[a].p->device != t->place[b].p->device)
				rc = dev_enable_peer(t->place[a].p->device, t->place[b].p->device,
						     e);
	return rc;
}

/* Nothing depends on how many states wait. */
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

int track_create(struct tracker **out, const struct track_domain *d, const struct track_options *o,
		 struct track_place *const *places, int place_count, struct err *e)
{
	struct tracker *t;
	int rc = tracker_check_options(d, o, places, place_count, e);

	*out = NULL;
	if (rc)
		return rc;
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
	t->flags = (o->assign_first ? TRACK_ASSIGN_FIRST : 0u) |
		   (o->schedule == TRACK_FIXED ? TRACK_ASSIGN_LAST : 0u);
	t->state_bytes = track_state_bytes(d->layout);
	for (int k = 0; !rc && k < place_count; k++)
		rc = open_place(t, &t->place[k], places[k], e);
	if (rc || (rc = host_arrays(t, e)) || (rc = enable_peers(t, e))) {
		track_destroy(t);
		return rc;
	}
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
			(void)archive_settle(t->place[k].archive, NULL);
	}
	tracker_list_free(t);
	for (int k = 0; k < t->places; k++)
		close_place(t, &t->place[k]);
	history_destroy(t->history);
	free(t->number);
	free(t->child_source);
	free(t->child_successor);
	free(t);
}

/* ---- the search's ends ---- */

void tracker_take(struct tracker *t, uint32_t layer, uint32_t count)
{
	for (int k = 0; k < t->places; k++) {
		void *old = t->place[k].current;

		t->place[k].current = t->place[k].next;
		t->place[k].next = old;
	}
	t->layer = layer;
	t->count = count;
	t->ended = t->offered = false;
	t->regular_for = t->regular_for == count ? count : 0;
}

static int write_inputs(struct tracker *t, const unsigned char *inputs, struct err *e)
{
	int rc = 0;

	for (int k = 0; !rc && k < t->places; k++) {
		uint32_t from = tracker_share(t, t->count, k);

		rc = tracker_write_states(t, &t->place[k], t->place[k].current, 0,
					  tracker_share(t, t->count, k + 1) - from,
					  inputs + from * t->state_bytes, e);
	}
	return rc;
}

int track_begin(struct tracker *t, const void *inputs, uint32_t count, struct err *e)
{
	int rc;

	if (t->history)
		return err_set(e, ERR_USAGE, "the search has begun already");
	if (count < 1 || count > t->o.beam)
		return err_set(e, ERR_USAGE, "%" PRIu32 " inputs: 1 to %" PRIu32 " can be", count,
			       t->o.beam);
	if ((rc = history_create(&t->history, count, t->o.wide_history, t->o.history_limit, e)))
		return rc;
	t->count = count;
	if ((rc = write_inputs(t, inputs, e)) || (rc = tracker_offer(t, e))) {
		/* else the next beginning finds these inputs kept already */
		for (int k = 0; k < t->places; k++)
			archive_clear(t->place[k].archive);
		history_destroy(t->history);
		t->history = NULL;
		t->count = 0;
	}
	return rc;
}

uint32_t track_count(const struct tracker *t)
{
	return t->ended ? 0 : t->count;
}

uint32_t track_layer(const struct tracker *t)
{
	return t->layer;
}

const struct history *track_history(const struct tracker *t)
{
	return t->history;
}

int track_wait(struct tracker *t, struct err *e)
{
	int rc = tracker_wait(t, e);

	return rc ? rc : tracker_settle(t, e);
}

/* States first .. of `total` that are shared among the places, of their buffers. */
static int read_shared(struct tracker *t, uint32_t total, uint32_t first, uint32_t count,
		       bool from_next, unsigned char *states, struct err *e)
{
	int rc = 0;

	if (first > total || count > total - first)
		return err_set(e, ERR_USAGE,
			       "states %" PRIu32 " to %" PRIu64 " of %" PRIu32 " do not exist",
			       first, (uint64_t)first + count, total);
	for (int k = 0; !rc && k < t->places; k++) {
		struct tracker_place *q = &t->place[k];
		uint32_t begin = tracker_share(t, total, k), end = tracker_share(t, total, k + 1);
		uint32_t from = first > begin ? first : begin;
		uint32_t to = first + count < end ? first + count : end;

		if (from < to)
			rc = tracker_read_states(t, q, from_next ? q->next : q->current,
						 from - begin, to - from,
						 states + (from - first) * t->state_bytes, e);
	}
	return rc;
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

static void add_archive(struct archive_figures *sum, const struct archive *a)
{
	struct archive_figures f;

	archive_figures(a, &f);
	for (int i = 0; i < TIERS; i++) {
		if (sum->layers[i] < f.layers[i])
			sum->layers[i] = f.layers[i];
		sum->bytes[i] += f.bytes[i];
		sum->peak[i] += f.peak[i];
	}
}

void track_figures(const struct tracker *t, struct track_figures *f)
{
	*f = t->figures;
	for (int k = 0; k < t->places; k++) {
		f->state_bytes += 2 * (uint64_t)t->place[k].buffer_bytes;
		add_archive(&f->archive, t->place[k].archive);
	}
	f->state_bytes += f->archive.bytes[TIER_DEVICE];
	f->history_bytes = t->history ? t->history->bytes : 0;
}
