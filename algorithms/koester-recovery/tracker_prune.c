#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/koester-recovery/tracker.h"

/* ---- on the places ---- */

/* index: the best `keep` of the ratings; the place's word `kept` says how many. */
static int select_best(struct tracker_place *q, const struct tracker_array *rating, uint32_t count,
		       uint32_t keep, struct err *e)
{
	const struct track_common *c = q->common;
	int rc;

	if ((rc = tracker_need_words(q, &q->index, keep, e)) ||
	    (rc = tracker_need_words(q, &q->kept, 1, e)) ||
	    (rc = tracker_need(q, &q->scratch, c->select_scratch(q->p, count) + 1, 1, e)))
		return rc;
	if ((rc = c->select(q->p, rating->at, count, keep, q->index.at, q->kept.at, q->scratch.at,
			    e)))
		return rc;
	return track_from(q->p, &q->told->kept, q->kept.at, sizeof(q->told->kept), e);
}

/* to[to_first + i] = from[index[i]], or from[i]. */
static int gather_words(struct tracker_place *q, const struct tracker_array *from,
			struct tracker_array *to, uint32_t to_first, const uint32_t *index,
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

/* entries `to` from what lies in three arrays, at `index` of each or all. */
static int gather_entries(struct tracker_place *q, const struct tracker_array *source,
			  const struct tracker_array *successor, const struct tracker_array *rating,
			  struct tracker_entries *to, uint32_t to_first, const uint32_t *index,
			  uint32_t count, struct err *e)
{
	int rc;

	if ((rc = gather_words(q, source, &to->source, to_first, index, count, e)) ||
	    (rc = gather_words(q, successor, &to->successor, to_first, index, count, e)))
		return rc;
	return gather_words(q, rating, &to->rating, to_first, index, count, e);
}

static void swap_entries(struct tracker_place *q)
{
	struct tracker_entries other = q->entries;

	q->entries = q->spare;
	q->spare = other;
}

/* Room for `more` entries; those that are there stay. */
static int entries_room(struct tracker_place *q, uint32_t more, struct err *e)
{
	struct tracker_entries *a = &q->entries, *b = &q->spare;
	uint64_t count = (uint64_t)q->entry_count + more;
	int rc;

	if (q->entry_count == 0)
		return tracker_need_entries(q, a, count, e);
	if (a->rating.bytes >= count * sizeof(uint32_t))
		return 0;
	if ((rc = tracker_need_entries(q, b, count, e)) ||
	    (rc = gather_entries(q, &a->source, &a->successor, &a->rating, b, 0, NULL,
				 q->entry_count, e)))
		return rc;
	swap_entries(q);
	return 0;
}

static uint32_t at_most_beam(const struct tracker *t, uint32_t count)
{
	return count < t->o.beam ? count : t->o.beam;
}

int tracker_begin_keep(struct tracker *t, struct tracker_place *q, uint32_t count, struct err *e)
{
	uint32_t keep = at_most_beam(t, count);
	int rc = entries_room(q, keep, e);

	return rc ? rc : select_best(q, &q->child_rating, count, keep, e);
}

/* Of more entries than the beam the best. */
static int cut_entries(struct tracker *t, struct tracker_place *q, struct err *e)
{
	struct tracker_entries *a = &q->entries, *b = &q->spare;
	int rc;

	if (q->entry_count <= t->o.beam)
		return 0;
	if ((rc = select_best(q, &a->rating, q->entry_count, t->o.beam, e)) ||
	    (rc = tracker_need_entries(q, b, t->o.beam, e)) ||
	    (rc = gather_entries(q, &a->source, &a->successor, &a->rating, b, 0, q->index.at,
				 t->o.beam, e)) ||
	    (rc = track_sync(q->p, e)))
		return rc;
	swap_entries(q);
	q->entry_count = t->o.beam;
	return 0;
}

int tracker_end_keep(struct tracker *t, struct tracker_place *q, const struct track_children *c,
		     uint32_t parents, const uint32_t *successor, struct err *e)
{
	struct tracker_entries *to = &q->entries;
	uint32_t n = q->entry_count;
	int rc = track_sync(q->p, e);

	if (rc || q->told->kept == 0)
		return rc;
	if ((rc = q->common->children(q->p, c, parents, successor, q->child_rating.at, q->index.at,
				      q->told->kept, (uint32_t *)to->source.at + n,
				      (uint32_t *)to->successor.at + n,
				      (uint32_t *)to->rating.at + n, e)))
		return rc;
	q->entry_count += q->told->kept;
	return cut_entries(t, q, e);
}

int tracker_keep_stored(struct tracker *t, struct tracker_place *q, uint32_t count, struct err *e)
{
	int rc;

	if (count == 0)
		return 0;
	if ((rc = tracker_begin_keep(t, q, count, e)) || (rc = track_sync(q->p, e)) ||
	    (rc = gather_entries(q, &q->child_source, &q->child_successor, &q->child_rating,
				 &q->entries, q->entry_count, q->index.at, q->told->kept, e)))
		return rc;
	q->entry_count += q->told->kept;
	return cut_entries(t, q, e);
}

/* ---- on the host ---- */

int tracker_collect(struct tracker *t, struct err *e)
{
	struct tracker_list *l = &t->list;
	uint64_t room = l->count;
	int rc;

	for (int k = 0; k < t->places; k++)
		room += t->place[k].entry_count;
	rc = tracker_list_room(t, room, e);
	for (int k = 0; !rc && k < t->places; k++) {
		struct tracker_place *q = &t->place[k];
		struct tracker_entries *s = &q->entries;
		size_t bytes = q->entry_count * sizeof(uint32_t);

		if ((rc = track_from(q->p, l->source + l->count, s->source.at, bytes, e)) ||
		    (rc = track_from(q->p, l->successor + l->count, s->successor.at, bytes, e)) ||
		    (rc = track_from(q->p, l->rating + l->count, s->rating.at, bytes, e)))
			return rc;
		l->count += q->entry_count;
		q->entry_count = 0;
	}
	return rc ? rc : tracker_wait(t, e);
}

/* How many children of the part place k has rated: the share of those stored, or its own. */
static uint32_t rated_by(const struct tracker *t, int k, const struct tracker_part *part)
{
	uint32_t from = tracker_share(t, t->count, k), to = tracker_share(t, t->count, k + 1);

	if (!t->fused)
		return tracker_share(t, part->count, k + 1) - tracker_share(t, part->count, k);
	from = from > part->from ? from : part->from;
	to = to < part->to ? to : part->to;
	return from < to ? (uint32_t)tracker_children_of(t, from, to) : 0;
}

int tracker_collect_part(struct tracker *t, const struct tracker_part *part, struct err *e)
{
	struct tracker_list *l = &t->list;
	uint32_t at = l->count;
	int rc = tracker_list_room(t, (uint64_t)l->count + part->count, e);

	if (rc)
		return rc;
	for (int k = 0; !rc && k < t->places; k++) {
		uint32_t n = rated_by(t, k, part);

		rc = track_from(t->place[k].p, l->rating + at, t->place[k].child_rating.at,
				n * sizeof(uint32_t), e);
		at += n;
	}
	if (rc || (rc = tracker_wait(t, e)))
		return rc;
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

/* index[*kept]: the best by the domain's own order. */
static int choose_by_domain(struct tracker *t, uint32_t *index, uint32_t *kept, struct err *e)
{
	const struct tracker_list *l = &t->list;
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

/* Up to so many candidates are chosen from sooner than threads are woken. */
enum { FEW = 1 << 17 };

static int choose_by_rating(struct tracker *t, uint32_t *index, uint32_t *kept, struct err *e)
{
	struct track_place here = { .pool = t->list.count > FEW ? t->host.pool : NULL };
	const struct track_common *c = &track_common_host;
	void *scratch = malloc(c->select_scratch(&here, t->list.count) + 1);
	int rc;

	if (!scratch)
		return err_set(e, ERR_MEMORY, "no memory to choose from %" PRIu32 " candidates",
			       t->list.count);
	rc = c->select(&here, t->list.rating, t->list.count, t->o.beam, index, kept, scratch, e);
	free(scratch);
	return rc;
}

static bool all_are_kept(const struct tracker *t)
{
	const struct tracker_list *l = &t->list;
	uint32_t dropped = 0;

	for (uint32_t i = 0; i < l->count; i++)
		dropped += l->rating[i] == TRACK_DROPPED;
	return l->count <= t->o.beam && dropped == 0;
}

int tracker_choose(struct tracker *t, struct err *e)
{
	struct tracker_list *l = &t->list;
	uint32_t kept = 0, *index;
	int rc;

	if (all_are_kept(t))
		return 0;
	index = malloc(at_most_beam(t, l->count) * sizeof(*index));
	if (!index)
		return err_set(e, ERR_MEMORY, "no memory to choose %" PRIu32 " states", t->o.beam);
	rc = t->domain->compare ? choose_by_domain(t, index, &kept, e) :
				  choose_by_rating(t, index, &kept, e);
	/* indices ascend: nothing is overwritten before it is read */
	for (uint32_t i = 0; !rc && i < kept; i++) {
		l->source[i] = l->source[index[i]];
		l->successor[i] = l->successor[index[i]];
		l->rating[i] = l->rating[index[i]];
		l->child[i] = l->child[index[i]];
	}
	l->count = rc ? l->count : kept;
	free(index);
	return rc;
}
