/* Algorithm 1: start and iterations, with pruning, the states of the new layer and its entries in
 * the history. */
#include "algorithms/koester-recovery/tracking/engine.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/clock.h"
#include "harness/base/team.h"

/* ---- pruning on the places ---- */

/* Selects the best `keep` of the ratings: q->index, and their number in q->kept. */
static int select_best(struct track_engine_place *q, const struct track_engine_array *rating,
		       uint32_t count, uint32_t keep, struct err *e)
{
	const struct track_common *c = q->common;
	int status;

	if ((status = track_engine_need_words(q, &q->index, keep, e)) ||
	    (status = track_engine_need_words(q, &q->kept, 1, e)) ||
	    (status = track_engine_need(q, &q->scratch, c->select_scratch(q->p, count) + 1, 1, e)))
		return status;
	if ((status = c->select(q->p, rating->at, count, keep, q->index.at, q->kept.at,
				q->scratch.at, e)))
		return status;
	return track_from(q->p, &q->reported->kept, q->kept.at, sizeof(q->reported->kept), e);
}

/* to[to_first + i] = from[index[i]], or from[i]. */
static int gather_words(struct track_engine_place *q, const struct track_engine_array *from,
			struct track_engine_array *to, uint32_t to_first, const uint32_t *index,
			uint32_t count, struct err *e)
{
	struct track_gather g = {
		.layout = { 1, sizeof(uint32_t) },
		.to = (uint32_t *)to->at + to_first,
		.to_slots = count,
		.count = count,
		.from = { from->at },
		.from_slots = { (uint32_t)(from->bytes / sizeof(uint32_t)) },
		.sources = 1,
		.from_slot = index,
	};

	return count ? q->common->gather(q->p, &g, e) : 0;
}

/* Copies three arrays to entries `to`: all elements, or those at `index`. */
static int gather_entries(struct track_engine_place *q, const struct track_engine_array *source,
			  const struct track_engine_array *successor,
			  const struct track_engine_array *rating, struct track_engine_entries *to,
			  uint32_t to_first, const uint32_t *index, uint32_t count, struct err *e)
{
	int status;

	if ((status = gather_words(q, source, &to->source, to_first, index, count, e)) ||
	    (status = gather_words(q, successor, &to->successor, to_first, index, count, e)))
		return status;
	return gather_words(q, rating, &to->rating, to_first, index, count, e);
}

static void swap_entries(struct track_engine_place *q)
{
	struct track_engine_entries other = q->entries;

	q->entries = q->spare;
	q->spare = other;
}

/* Makes room for `more` entries; existing ones stay. */
static int entries_room(struct track_engine_place *q, uint32_t more, struct err *e)
{
	struct track_engine_entries *a = &q->entries, *b = &q->spare;
	uint64_t count = (uint64_t)q->entry_count + more;
	int status;

	if (q->entry_count == 0)
		return track_engine_need_entries(q, a, count, e);
	if (a->rating.bytes >= count * sizeof(uint32_t))
		return 0;
	if ((status = track_engine_need_entries(q, b, count, e)) ||
	    (status = gather_entries(q, &a->source, &a->successor, &a->rating, b, 0, NULL,
				     q->entry_count, e)))
		return status;
	swap_entries(q);
	return 0;
}

static uint32_t at_most_beam(const struct tracker *t, uint32_t count)
{
	return count < t->o.beam ? count : t->o.beam;
}

/* Starts to select the best of `count` rated children on the place, and adds them to its entries.
 * Between start and end, nothing else may use the place. */
static int track_engine_begin_keep(struct tracker *t, struct track_engine_place *q, uint32_t count,
				   struct err *e)
{
	uint32_t keep = at_most_beam(t, count);
	int status = entries_room(q, keep, e);

	return status ? status : select_best(q, &q->child_rating, count, keep, e);
}

/* Reduces more entries than the beam to the best. */
static int cut_entries(struct tracker *t, struct track_engine_place *q, struct err *e)
{
	struct track_engine_entries *a = &q->entries, *b = &q->spare;
	int status;

	if (q->entry_count <= t->o.beam)
		return 0;
	if ((status = select_best(q, &a->rating, q->entry_count, t->o.beam, e)) ||
	    (status = track_engine_need_entries(q, b, t->o.beam, e)) ||
	    (status = gather_entries(q, &a->source, &a->successor, &a->rating, b, 0, q->index.at,
				     t->o.beam, e)) ||
	    (status = track_sync(q->p, e)))
		return status;
	swap_entries(q);
	q->entry_count = t->o.beam;
	return 0;
}

static int track_engine_end_keep(struct tracker *t, struct track_engine_place *q,
				 const struct track_children *c, uint32_t parents,
				 const uint32_t *successor, struct err *e)
{
	struct track_engine_entries *to = &q->entries;
	uint32_t n = q->entry_count;
	int status = track_sync(q->p, e);

	if (status || q->reported->kept == 0)
		return status;
	if ((status = q->common->children(
		     q->p, c, parents, successor, q->child_rating.at, q->index.at,
		     q->reported->kept, (uint32_t *)to->source.at + n,
		     (uint32_t *)to->successor.at + n, (uint32_t *)to->rating.at + n, e)))
		return status;
	q->entry_count += q->reported->kept;
	return cut_entries(t, q, e);
}

/* Start and end for stored children, whose sources and successors are on the place. */
static int track_engine_keep_stored(struct tracker *t, struct track_engine_place *q, uint32_t count,
				    struct err *e)
{
	int status;

	if (count == 0)
		return 0;
	if ((status = track_engine_begin_keep(t, q, count, e)) || (status = track_sync(q->p, e)) ||
	    (status = gather_entries(q, &q->child_source, &q->child_successor, &q->child_rating,
				     &q->entries, q->entry_count, q->index.at, q->reported->kept,
				     e)))
		return status;
	q->entry_count += q->reported->kept;
	return cut_entries(t, q, e);
}

/* ---- pruning on the host ---- */

/* Moves all places' entries to the host's list, in the order of places. */
static int track_engine_collect(struct tracker *t, struct err *e)
{
	struct track_engine_list *l = &t->list;
	uint64_t room = l->count;
	int status;

	for (int k = 0; k < t->places; k++)
		room += t->place[k].entry_count;
	status = track_engine_list_room(t, room, e);
	for (int k = 0; !status && k < t->places; k++) {
		struct track_engine_place *q = &t->place[k];
		struct track_engine_entries *s = &q->entries;
		size_t bytes = q->entry_count * sizeof(uint32_t);

		if ((status = track_from(q->p, l->source + l->count, s->source.at, bytes, e)) ||
		    (status = track_from(q->p, l->successor + l->count, s->successor.at, bytes,
					 e)) ||
		    (status = track_from(q->p, l->rating + l->count, s->rating.at, bytes, e)))
			return status;
		l->count += q->entry_count;
		q->entry_count = 0;
	}
	return status ? status : track_engine_wait(t, e);
}

/* The number of children of the part that place k has rated: its share of stored ones, or its own.
 */
static uint32_t rated_by(const struct tracker *t, int k, const struct track_engine_part *part)
{
	uint32_t from = track_engine_share(t, t->count, k),
		 to = track_engine_share(t, t->count, k + 1);

	if (!t->fused)
		return track_engine_share(t, part->count, k + 1) -
		       track_engine_share(t, part->count, k);
	from = from > part->from ? from : part->from;
	to = to < part->to ? to : part->to;
	return from < to ? (uint32_t)track_engine_children_of(t, from, to) : 0;
}

/* Adds the children of a part to the host's list: their names, and ratings from the places. */
static int track_engine_collect_part(struct tracker *t, const struct track_engine_part *part,
				     struct err *e)
{
	struct track_engine_list *l = &t->list;
	uint32_t at = l->count;
	int status = track_engine_list_room(t, (uint64_t)l->count + part->count, e);

	if (status)
		return status;
	for (int k = 0; !status && k < t->places; k++) {
		uint32_t n = rated_by(t, k, part);

		status = track_from(t->place[k].p, l->rating + at, t->place[k].child_rating.at,
				    n * sizeof(uint32_t), e);
		at += n;
	}
	if (status || (status = track_engine_wait(t, e)))
		return status;
	memcpy(l->source + l->count, t->child_source, part->count * sizeof(uint32_t));
	memcpy(l->successor + l->count, t->child_successor, part->count * sizeof(uint32_t));
	for (uint32_t i = 0; i < part->count; i++)
		l->child[l->count + i] = part->first + i;
	l->count += part->count;
	return 0;
}

struct ranked {
	struct track_candidate candidate;
	uint32_t index;
};

struct order {
	const struct track_domain *d;
};

static int by_domain(const void *a, const void *b, void *context)
{
	const struct ranked *x = a, *y = b;
	const struct order *o = context;
	int sign = o->d->compare(o->d->parameters, &x->candidate, &y->candidate);

	return sign ? sign : (x->index > y->index) - (x->index < y->index);
}

static int by_index(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Selects by the domain's own order: index[*kept]. */
static int choose_by_domain(struct tracker *t, uint32_t *index, uint32_t *kept, struct err *e)
{
	const struct track_engine_list *l = &t->list;
	struct order o = { t->domain };
	struct ranked *all = malloc(l->count * sizeof(*all));
	uint32_t n = 0;

	if (!all)
		return err_set(e, ERR_MEMORY, "no memory to sort %" PRIu32 " candidates", l->count);
	for (uint32_t i = 0; i < l->count; i++)
		if (l->rating[i] != TRACK_DROPPED)
			all[n++] = (struct ranked){
				{ l->child[i], l->source[i], l->successor[i], l->rating[i] }, i
			};
	qsort_r(all, n, sizeof(*all), by_domain, &o);
	*kept = at_most_beam(t, n);
	for (uint32_t i = 0; i < *kept; i++)
		index[i] = all[i].index;
	qsort(index, *kept, sizeof(*index), by_index);
	free(all);
	return 0;
}

/* For up to this many candidates, selection by one thread is faster. */
enum { FEW = 1 << 17 };

static int choose_by_rating(struct tracker *t, uint32_t *index, uint32_t *kept, struct err *e)
{
	struct track_place here = { .pool = t->list.count > FEW ? t->host.pool : NULL };
	const struct track_common *c = &track_common_host;
	void *scratch = malloc(c->select_scratch(&here, t->list.count) + 1);
	int status;

	if (!scratch)
		return err_set(e, ERR_MEMORY, "no memory to choose from %" PRIu32 " candidates",
			       t->list.count);
	status =
		c->select(&here, t->list.rating, t->list.count, t->o.beam, index, kept, scratch, e);
	free(scratch);
	return status;
}

static bool all_are_kept(const struct tracker *t)
{
	const struct track_engine_list *l = &t->list;
	uint32_t dropped = 0;

	for (uint32_t i = 0; i < l->count; i++)
		dropped += l->rating[i] == TRACK_DROPPED;
	return l->count <= t->o.beam && dropped == 0;
}

/* Reduces the host's list to the `beam` best. */
static int track_engine_choose(struct tracker *t, struct err *e)
{
	struct track_engine_list *l = &t->list;
	uint32_t kept = 0, *index;
	int status;

	if (all_are_kept(t))
		return 0;
	index = malloc(at_most_beam(t, l->count) * sizeof(*index));
	if (!index)
		return err_set(e, ERR_MEMORY, "no memory to choose %" PRIu32 " states", t->o.beam);
	status = t->domain->compare ? choose_by_domain(t, index, &kept, e) :
				      choose_by_rating(t, index, &kept, e);
	/* indices ascend: nothing is overwritten before it is read */
	for (uint32_t i = 0; !status && i < kept; i++) {
		l->source[i] = l->source[index[i]];
		l->successor[i] = l->successor[index[i]];
		l->rating[i] = l->rating[index[i]];
		l->child[i] = l->child[index[i]];
	}
	l->count = status ? l->count : kept;
	free(index);
	return status;
}

/* ---- the states of the new layer ---- */

/* A single place has the entries itself. */
static int forward_on_place(struct tracker *t, uint32_t count, struct err *e)
{
	struct track_engine_place *q = &t->place[0];
	struct track_gather g = track_engine_from_current(t, q, count);
	struct track_batch b = track_engine_batch(t, q, q->next, count, t->layer + 1);
	int status;

	g.from_slot = b.source = q->entries.source.at;
	b.successor = q->entries.successor.at;
	status = q->common->gather(q->p, &g, e);
	return status ? status : track_engine_step(t, q, &b, e);
}

/* Algorithm 1, lines 11 to 20: recovers the parents from the archive, or from the inputs. */
static int parents_recovered(struct tracker *t, uint32_t count, struct err *e)
{
	struct track_node *parent = malloc(count * sizeof(*parent));
	int status;

	if (!parent)
		return err_set(e, ERR_MEMORY, "no memory for %" PRIu32 " states to recover", count);
	for (uint32_t i = 0; i < count; i++)
		parent[i] = (struct track_node){ t->layer, t->list.source[i] };
	status = track_engine_rebuild(t, parent, count, false, e);
	free(parent);
	return status;
}

static int parents_from_current(struct tracker *t, uint32_t count, struct err *e)
{
	int status = track_engine_meet(t, e);

	for (int k = 0; !status && k < t->places; k++) {
		struct track_engine_place *q = &t->place[k];
		uint32_t from = track_engine_share(t, count, k);
		uint32_t n = track_engine_share(t, count, k + 1) - from;
		struct track_gather g = track_engine_from_current(t, q, n);

		if (n == 0)
			continue;
		if ((status = track_engine_put(q, &q->step_source, t->list.source + from, n, e)))
			return status;
		g.from_slot = q->step_source.at;
		status = q->common->gather(q->p, &g, e);
	}
	return status;
}

/* Makes the states of the layer from their parents, in `next`. The entries are in t->list, or with
 * on_place on the single place. */
static int track_engine_forward(struct tracker *t, uint32_t count, bool on_place, struct err *e)
{
	int status;

	if (on_place)
		return forward_on_place(t, count, e);
	status = t->o.engine == TRACK_PUBLISHED ? parents_recovered(t, count, e) :
						  parents_from_current(t, count, e);
	for (int k = 0; !status && k < t->places; k++) {
		struct track_engine_place *q = &t->place[k];
		uint32_t from = track_engine_share(t, count, k);
		uint32_t n = track_engine_share(t, count, k + 1) - from;
		struct track_batch b = track_engine_batch(t, q, q->next, n, t->layer + 1);

		if ((status = track_engine_put(q, &q->step_source, t->list.source + from, n, e)) ||
		    (status = track_engine_put(q, &q->step_successor, t->list.successor + from, n,
					       e)))
			return status;
		b.source = q->step_source.at;
		b.successor = q->step_successor.at;
		status = track_engine_step(t, q, &b, e);
	}
	return status ? status : track_engine_meet(t, e);
}

/* ---- the new layer's entries ---- */

/* track_history_add checks every entry. Here the sources are known to be right, and only successors
 * may be too large, which one OR over all of them finds. Below this many entries, one thread is
 * faster. */
enum { GRAIN = 1 << 17 };

struct packing {
	const struct track_engine_list *list;
	void *entries;
	bool wide;
	uint32_t bits; /* OR of all successors, set by any thread */
};

static uint32_t pack_narrow(const struct track_engine_list *l, struct track_entry *to,
			    uint64_t from, uint64_t end)
{
	uint32_t bits = 0;

	for (uint64_t i = from; i < end; i++) {
		to[i] = (struct track_entry){ (uint16_t)l->source[i], (uint16_t)l->successor[i],
					      l->rating[i] };
		bits |= l->successor[i];
	}
	return bits;
}

static uint32_t pack_wide(const struct track_engine_list *l, struct track_wide_entry *to,
			  uint64_t from, uint64_t end)
{
	uint32_t none = 0;

	for (uint64_t i = from; i < end; i++) {
		to[i] = (struct track_wide_entry){ l->source[i], l->successor[i], l->rating[i] };
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

static uint32_t highest_successor(const struct track_engine_list *l, uint32_t count)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < count; i++)
		most = l->successor[i] > most ? l->successor[i] : most;
	return most;
}

/* Adds the layer in t->list to the history. */
static int track_engine_add_history(struct tracker *t, uint32_t count, struct err *e)
{
	struct track_history *h = t->history;
	struct packing w = { .list = &t->list, .wide = h->wide };
	int status = track_history_reserve(h, count, &w.entries, e);

	if (status)
		return status;
	team_for(t->host.pool, count, GRAIN, pack, &w);
	if (w.wide ? !w.bits : w.bits <= UINT16_MAX)
		return 0;
	track_history_cut(h, h->layers - 1);
	return err_set(e, ERR_FAILED,
		       "history: a successor %" PRIu32 " of layer %" PRIu32 " does not fit%s",
		       highest_successor(&t->list, count), t->layer + 1,
		       w.wide ? "" : " in 16 bits: the wide history is needed");
}

/* ---- an iteration: children that are stored, or that the host prunes ---- */

static int stopped(const struct tracker *t, struct err *e)
{
	if (!t->o.stop || !*t->o.stop)
		return 0;
	return err_set(e, ERR_LIMIT, "stopped in layer %" PRIu32, t->layer);
}

static int evaluate_own(struct tracker *t, const struct track_engine_part *part, struct err *e)
{
	int status = 0;

	for (int k = 0; !status && k < t->places; k++) {
		uint32_t begin = track_engine_share(t, t->count, k);
		uint32_t end = track_engine_share(t, t->count, k + 1);
		struct track_engine_part own = { .from = part->from > begin ? part->from : begin,
						 .to = part->to < end ? part->to : end };
		struct track_batch parents;
		struct track_children c;
		uint32_t *successor;

		if (own.from >= own.to)
			continue;
		own.count = (uint32_t)track_engine_children_of(t, own.from, own.to);
		if (own.count == 0)
			continue;
		if (!(status = track_engine_number_own(t, k, &own, &parents, &c, &successor, e)))
			status = track_engine_evaluate_fused(t, k, &parents, &c, successor, e);
	}
	return status;
}

static int keep_stored(struct tracker *t, const struct track_engine_part *part, struct err *e)
{
	int status = 0;

	for (int k = 0; !status && k < t->places; k++)
		status = track_engine_keep_stored(t, &t->place[k],
						  track_engine_share(t, part->count, k + 1) -
							  track_engine_share(t, part->count, k),
						  e);
	/* the shares of the places in several parts alternate in the order of children */
	if (!status && t->places > 1 && !(status = track_engine_collect(t, e)))
		status = track_engine_choose(t, e);
	return status;
}

static int one_part(struct tracker *t, const struct track_engine_part *part, struct err *e)
{
	double start = clock_wall(), evaluated;
	int status = 0;

	if (!t->fused || t->on_host)
		status = track_engine_name_children(t, part, e);
	if (!status && t->fused)
		status = evaluate_own(t, part, e);
	else if (!status && !(status = track_engine_clone(t, part, e)))
		status = track_engine_evaluate_stored(t, part, e);
	evaluated = clock_wall();
	t->figures.evaluate_seconds += evaluated - start;
	if (!status && t->on_host && !(status = track_engine_collect_part(t, part, e)))
		status = track_engine_choose(t, e);
	else if (!status && !t->on_host)
		status = keep_stored(t, part, e);
	t->figures.prune_seconds += clock_wall() - evaluated;
	return status;
}

static int all_parts(struct tracker *t, struct err *e)
{
	struct track_engine_part part = { 0 };
	bool more;
	int status;

	while (!(status = track_engine_next_part(t, &part, &more, e)) && more)
		if ((status = stopped(t, e)) || (part.count && (status = one_part(t, &part, e))))
			return status;
	return status;
}

/* ---- children that every place rates and prunes itself ---- */

struct own {
	struct track_engine_part part;
	bool more;
	struct track_batch parents;
	struct track_children c;
	uint32_t *successor;
};

static int begin_own(struct tracker *t, int k, struct own *w, struct err *e)
{
	int status = track_engine_next_own_part(t, k, &w->part, &w->more, e);

	if (status || !w->more || w->part.count == 0)
		return status;
	if ((status = track_engine_number_own(t, k, &w->part, &w->parents, &w->c, &w->successor,
					      e)) ||
	    (status = track_engine_evaluate_fused(t, k, &w->parents, &w->c, w->successor, e)))
		return status;
	return track_engine_begin_keep(t, &t->place[k], w->part.count, e);
}

/* One part on every place, at the same time. */
static int one_part_each(struct tracker *t, struct own *own, bool *more, struct err *e)
{
	double start = clock_wall(), begun;
	int status = 0;

	*more = false;
	for (int k = 0; !status && k < t->places; k++) {
		status = begin_own(t, k, &own[k], e);
		*more = *more || own[k].more;
	}
	begun = clock_wall();
	t->figures.evaluate_seconds += begun - start;
	for (int k = 0; !status && k < t->places; k++)
		if (own[k].more && own[k].part.count)
			status = track_engine_end_keep(t, &t->place[k], &own[k].c,
						       own[k].parents.count, own[k].successor, e);
	t->figures.prune_seconds += clock_wall() - begun;
	return status;
}

static int all_own_parts(struct tracker *t, struct err *e)
{
	struct own own[DEV_MAX] = { 0 };
	bool more = true;
	int status = 0;

	while (!status && more && !(status = stopped(t, e)))
		status = one_part_each(t, own, &more, e);
	if (status || t->places == 1)
		return status;
	status = track_engine_collect(t, e);
	return status ? status : track_engine_choose(t, e);
}

/* ---- the new layer ---- */

/* Copies the entries of the place to the host while it makes the states. */
static int fetch_entries(struct tracker *t, struct track_engine_place *q, uint32_t count,
			 struct err *e)
{
	struct track_engine_list *l = &t->list;
	size_t bytes = count * sizeof(uint32_t);
	struct dev_stream *s = q->p->copies;
	int status = track_engine_list_room(t, count, e);

	if (status)
		return status;
	l->count = count;
	if (!q->p->device) {
		if ((status = track_from(q->p, l->source, q->entries.source.at, bytes, e)) ||
		    (status = track_from(q->p, l->successor, q->entries.successor.at, bytes, e)))
			return status;
		return track_from(q->p, l->rating, q->entries.rating.at, bytes, e);
	}
	if ((status = dev_event_record(q->chosen, q->p->stream, e)) ||
	    (status = dev_stream_wait(s, q->chosen, e)) ||
	    (status = dev_copy_from(s, l->source, q->entries.source.at, bytes, e)) ||
	    (status = dev_copy_from(s, l->successor, q->entries.successor.at, bytes, e)))
		return status;
	return dev_copy_from(s, l->rating, q->entries.rating.at, bytes, e);
}

static int make_layer(struct tracker *t, bool on_place, struct err *e)
{
	struct track_engine_place *q = &t->place[0];
	uint32_t count = on_place ? q->entry_count : t->list.count;
	double start = clock_wall();
	int status = 0;

	if (on_place)
		status = fetch_entries(t, q, count, e);
	if (!status)
		status = track_engine_forward(t, count, on_place, e);
	if (on_place && q->p->device) {
		int sync = dev_stream_sync(q->p->copies, status ? NULL : e);

		status = status ? status : sync;
	}
	if (!status)
		status = track_engine_add_history(t, count, e);
	if (status)
		return status;
	t->figures.forward_seconds += clock_wall() - start;
	track_engine_take(t, t->history->layers, count);
	return 0;
}

static int iterate(struct tracker *t, struct err *e)
{
	bool stored = !t->fused || t->on_host, on_place = t->places == 1 && !t->on_host;
	int status;

	if (track_count(t) == 0)
		return err_set(e, ERR_USAGE, "there are no states to continue from");
	if ((status = stopped(t, e)) || (status = track_engine_settle(t, e)) ||
	    (status = track_engine_offer(t, e)))
		return status;
	t->recovered = 0;
	t->figures.breaks = 0;
	t->list.count = 0;
	for (int k = 0; k < t->places; k++)
		t->place[k].entry_count = 0;
	if ((status = track_engine_expand(t, e)))
		return status;
	if (t->children && (status = stored ? all_parts(t, e) : all_own_parts(t, e)))
		return status;
	t->figures.children += t->children;
	t->ended = (on_place ? t->place[0].entry_count : t->list.count) == 0;
	return t->ended ? 0 : make_layer(t, on_place, e);
}

int track_iterate(struct tracker *t, struct err *e)
{
	int status;

	for (int k = 0; k < t->places; k++)
		t->place[k].p->stop = t->o.stop;
	status = iterate(t, e);
	for (int k = 0; k < t->places; k++)
		t->place[k].p->stop = NULL;
	return status;
}

/* ---- the beginning ---- */

static int write_inputs(struct tracker *t, const unsigned char *inputs, struct err *e)
{
	int status = 0;

	for (int k = 0; !status && k < t->places; k++) {
		uint32_t from = track_engine_share(t, t->count, k);

		status = track_engine_write_states(t, &t->place[k], t->place[k].current, 0,
						   track_engine_share(t, t->count, k + 1) - from,
						   inputs + from * t->state_bytes, e);
	}
	return status;
}

int track_begin(struct tracker *t, const void *inputs, uint32_t count, struct err *e)
{
	int status;

	if (t->history)
		return err_set(e, ERR_USAGE, "the search has already begun");
	if (count < 1 || count > t->o.beam)
		return err_set(e, ERR_USAGE, "%" PRIu32 " inputs: must be between 1 and %" PRIu32,
			       count, t->o.beam);
	if ((status = track_history_create(&t->history, count, t->o.wide_history,
					   t->o.history_limit, e)))
		return status;
	t->count = count;
	if ((status = write_inputs(t, inputs, e)) || (status = track_engine_offer(t, e))) {
		/* otherwise the next track_begin would find these inputs kept */
		for (int k = 0; k < t->places; k++)
			track_archive_clear(t->place[k].archive);
		track_history_destroy(t->history);
		t->history = NULL;
		t->count = 0;
	}
	return status;
}

int track_wait(struct tracker *t, struct err *e)
{
	int status = track_engine_wait(t, e);

	return status ? status : track_engine_settle(t, e);
}
