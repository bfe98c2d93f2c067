/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The children of a layer: expansion, rating and pruning (Algorithm 1, lines 4 to 8). */
#include "algorithms/koester-recovery/tracking/engine.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/clock.h"

static uint32_t at_most(uint32_t count, uint32_t most)
{
	return count < most ? count : most;
}

/* ---- expansion: the number of children ---- */

/* The number of children of the parents from .. to - 1. */
static uint64_t children_of(const struct tracker *t, uint32_t from, uint32_t to)
{
	uint64_t sum = 0;

	for (uint32_t i = from; i < to; i++)
		sum += t->number[i];
	return sum;
}

/* Regular expansion: ceil(slots / states) children of every state, `slots` in total (section
 * III-A). */
static int expand_regularly(struct tracker *t, struct err *e)
{
	uint32_t each = (t->o.slots - 1) / t->count + 1, left = t->o.slots;
	int status = 0;

	t->children = t->o.slots;
	t->numbers_known = true;
	if (t->regular_for == t->count)
		return 0;
	for (uint32_t i = 0; i < t->count; i++) {
		t->number[i] = each < left ? each : left;
		left -= t->number[i];
	}
	for (int k = 0; !status && k < t->places; k++) {
		struct track_engine_place *q = &t->place[k];
		uint32_t from = track_engine_share(t, t->count, k);
		uint32_t to = track_engine_share(t, t->count, k + 1);

		q->reported->children = children_of(t, from, to);
		q->scanned = false;
		status = track_engine_put(q, &q->number, t->number + from, to - from, e);
	}
	if (!status)
		status = track_engine_wait(t, e);
	t->regular_for = status ? 0 : t->count;
	return status;
}

/* The number of children of every state by regular expansion; 0 if they differ. */
static uint32_t regular_each(const struct tracker *t)
{
	return t->regular_for && t->children % t->count == 0 ? (uint32_t)(t->children / t->count) :
							       0;
}

static int scan_numbers(struct track_engine_place *q, uint32_t from, uint32_t count, struct err *e)
{
	const struct track_common *c = q->p->common;
	int status;

	if ((status = track_engine_need_words(q, &q->first, count, e)) ||
	    (status = track_engine_need(q, &q->total, 1, sizeof(uint64_t), e)) ||
	    (status = track_engine_need(q, &q->scratch, c->scan_scratch(q->p, count) + 1, 1, e)))
		return status;
	return c->scan(q->p, (const uint32_t *)q->number.at + from, q->first.at, q->total.at, count,
		       q->scratch.at, e);
}

/* Queues the count of children of states on the place and the copy of their sum to the host. */
static int expand_place(struct tracker *t, struct track_engine_place *q, void *states,
			uint32_t count, uint32_t layer, struct err *e)
{
	struct track_batch b = track_engine_batch(t, q, states, count, layer);
	int status;

	q->scanned = false;
	if (count == 0) {
		q->reported->children = 0;
		return 0;
	}
	if ((status = track_engine_need_words(q, &q->number, count, e)) ||
	    (status = q->ops->expand(q->p, q->parameters, &b, q->number.at, e)) ||
	    (status = scan_numbers(q, 0, count, e)))
		return status;
	q->scanned = true;
	return track_from(q->p, &q->reported->children, q->total.at, sizeof(q->reported->children),
			  e);
}

static int read_numbers(struct tracker *t, struct err *e)
{
	int status = 0;

	for (int k = 0; !status && k < t->places; k++) {
		uint32_t from = track_engine_share(t, t->count, k);
		uint32_t to = track_engine_share(t, t->count, k + 1);

		status = track_from(t->place[k].p, t->number + from, t->place[k].number.at,
				    (to - from) * sizeof(*t->number), e);
	}
	t->numbers_known = true;
	return status ? status : track_engine_wait(t, e);
}

/* With track_options.even: sets the number of children of every state. */
static int divide_evenly(struct tracker *t, struct err *e)
{
	bool even = t->children % t->count == 0 && t->children / t->count <= t->o.slots;

	t->each = even ? (uint32_t)(t->children / t->count) : 0;
	for (int k = 0; even && k < t->places; k++)
		even = t->place[k].reported->children ==
		       (uint64_t)t->each * (track_engine_share(t, t->count, k + 1) -
					    track_engine_share(t, t->count, k));
	return even ? 0 :
		      err_set(e, ERR_USAGE,
			      "%" PRIu32 " states of layer %" PRIu32 " have %" PRIu64
			      " children: not equally many, or more than the %" PRIu32 " slots",
			      t->count, t->layer, t->children, t->o.slots);
}

static int expand_irregularly(struct tracker *t, struct err *e)
{
	bool fits = true;
	int status = 0;

	t->regular_for = 0;
	t->numbers_known = false;
	t->each = 0;
	t->children = 0;
	for (int k = 0; !status && !t->expanded && k < t->places; k++)
		status = expand_place(t, &t->place[k], t->place[k].current,
				      track_engine_share(t, t->count, k + 1) -
					      track_engine_share(t, t->count, k),
				      t->layer, e);
	t->expanded = false;
	if (!status)
		status = track_engine_wait(t, e);
	for (int k = 0; !status && k < t->places; k++) {
		t->children += t->place[k].reported->children;
		fits = fits && t->place[k].reported->children <= t->o.slots;
	}
	if (status || t->children == 0 || (t->fused && !t->on_host && fits))
		return status;
	return t->o.even && t->fused && !t->on_host ? divide_evenly(t, e) : read_numbers(t, e);
}

int track_engine_expand_next(struct tracker *t, uint32_t count, bool *expanded, struct err *e)
{
	int status = 0;

	*expanded = t->o.expansion == TRACK_IRREGULAR && t->fused && t->on_places &&
		    t->place[0].p->device;
	for (int k = 0; !status && *expanded && k < t->places; k++)
		status = expand_place(t, &t->place[k], t->place[k].next,
				      track_engine_share(t, count, k + 1) -
					      track_engine_share(t, count, k),
				      t->history->layers + 1, e);
	return status;
}

/* Counts the children of all states: t->children. */
static int expand(struct tracker *t, struct err *e)
{
	double start = clock_wall();
	int status =
		t->o.expansion == TRACK_REGULAR ? expand_regularly(t, e) : expand_irregularly(t, e);

	t->figures.expand_seconds += clock_wall() - start;
	return status;
}

/* ---- parts ---- */

/* Makes the next part of parents from part->to to at most `end`, with at most `slots` children in
 * all. */
static int take_parents(const struct tracker *t, struct track_engine_part *part, uint32_t end,
			bool *more, struct err *e)
{
	part->first += part->count;
	part->from = part->to;
	part->count = 0;
	*more = part->from < end;
	while (part->to < end && t->number[part->to] <= t->o.slots - part->count)
		part->count += t->number[part->to++];
	if (*more && part->to == part->from)
		return err_set(e, ERR_USAGE,
			       "state %" PRIu32 " of layer %" PRIu32 " has %" PRIu32 " children, "
			       "more than the %" PRIu32 " slots",
			       part->from, t->layer, t->number[part->from], t->o.slots);
	return 0;
}

/* Sets *part to the next part, which begins at part->to; *more is false if there is none. Before
 * the first call, *part is zero. ERR_USAGE if a state has more children than a part may have. */
static int next_part(const struct tracker *t, struct track_engine_part *part, bool *more,
		     struct err *e)
{
	return take_parents(t, part, t->count, more, e);
}

/* The same for the parents on place k. */
static int next_own_part(const struct tracker *t, int k, struct track_engine_part *part, bool *more,
			 struct err *e)
{
	uint32_t first = track_engine_share(t, t->count, k),
		 end = track_engine_share(t, t->count, k + 1);

	if (part->to < first)
		part->to = first;
	if (t->numbers_known)
		return take_parents(t, part, end, more, e);
	*more = part->to < end;
	part->from = part->to;
	if (t->each) {
		part->to += at_most(t->o.slots / t->each, end - part->from);
		part->count = (part->to - part->from) * t->each;
		return 0;
	}
	part->to = end;
	part->count = (uint32_t)t->place[k].reported->children;
	return 0;
}

/* ---- sources and successors of children, clones ---- */

/* Numbers the children of some parents on place k. Fills in `parents` and `c` for the operations
 * that need them, and *successor: NULL if child k is successor k. */
static int number_own(struct tracker *t, int k, const struct track_engine_part *part,
		      struct track_batch *parents, struct track_children *c, uint32_t **successor,
		      struct err *e)
{
	struct track_engine_place *q = &t->place[k];
	uint32_t begin = track_engine_share(t, t->count, k),
		 end = track_engine_share(t, t->count, k + 1);
	uint32_t from = part->from - begin, count = part->to - part->from;
	bool all = part->from == begin && part->to == end;
	int status = 0;

	*successor = NULL;
	if (!(all && q->scanned))
		status = scan_numbers(q, from, count, e);
	q->scanned = all && !status;
	*parents = track_engine_batch(t, q, q->current, count, t->layer + 1);
	if (!status && from > 0) {
		status = track_engine_need_iota(q, e);
		parents->slot = (const uint32_t *)q->iota.at + from;
	}
	c->first = q->first.at;
	c->number = (const uint32_t *)q->number.at + from;
	c->total = part->count;
	c->first_source = part->from;
	c->each = regular_each(t) ? regular_each(t) : t->each;
	if (status || !q->ops->successors)
		return status;
	if ((status = track_engine_need_words(q, &q->child_successor, part->count, e)))
		return status;
	*successor = q->child_successor.at;
	return q->ops->successors(q->p, q->parameters, parents, c, *successor, e);
}

/* Lists the successors of the parents of the part that are on place k. */
static int name_own(struct tracker *t, int k, const struct track_engine_part *part, uint32_t *done,
		    struct err *e)
{
	uint32_t begin = track_engine_share(t, t->count, k),
		 end = track_engine_share(t, t->count, k + 1);
	struct track_engine_part own = { .from = part->from > begin ? part->from : begin,
					 .to = part->to < end ? part->to : end };
	struct track_batch parents;
	struct track_children c;
	uint32_t *successor;
	int status;

	if (own.from >= own.to)
		return 0;
	own.count = (uint32_t)children_of(t, own.from, own.to);
	if (own.count == 0)
		return 0;
	status = number_own(t, k, &own, &parents, &c, &successor, e);
	if (!status)
		status = track_from(t->place[k].p, t->child_successor + *done, successor,
				    own.count * sizeof(uint32_t), e);
	*done += own.count;
	return status;
}

/* Lists source and successor of all children of a part on the host: t->child_source,
 * t->child_successor. */
static int name_children(struct tracker *t, const struct track_engine_part *part, struct err *e)
{
	bool counted = !t->place[0].ops->successors;
	bool regular = counted && t->o.expansion == TRACK_REGULAR;
	uint32_t n = 0, done = 0;
	int status = 0;

	if (regular && t->named_for == t->count)
		return 0;
	t->named_for = regular ? t->count : 0;
	t->clones_named = false;
	for (uint32_t i = part->from; i < part->to; i++)
		for (uint32_t k = 0; k < t->number[i]; k++, n++) {
			t->child_source[n] = i;
			if (counted)
				t->child_successor[n] = k;
		}
	if (counted)
		return 0;
	for (int k = 0; !status && k < t->places; k++)
		status = name_own(t, k, part, &done, e);
	return status ? status : track_engine_wait(t, e);
}

/* Copies the sources and successors of children from .. from + count - 1 to the place. */
static int put_names(struct tracker *t, struct track_engine_place *q, uint32_t from, uint32_t count,
		     struct err *e)
{
	int status = track_engine_put(q, &q->child_source, t->child_source + from, count, e);

	if (status)
		return status;
	return track_engine_put(q, &q->child_successor, t->child_successor + from, count, e);
}

/* Clones the parents of a part into `next` of all places, and copies the sources and successors of
 * the clones there. With track_engine_is_together, it only sets *clones. */
static int clone_parents(struct tracker *t, const struct track_engine_part *part,
			 struct track_gather *clones, struct err *e)
{
	int status = track_engine_meet(t, e);

	for (int k = 0; !status && k < t->places; k++) {
		struct track_engine_place *q = &t->place[k];
		uint32_t from = track_engine_share(t, part->count, k);
		uint32_t count = track_engine_share(t, part->count, k + 1) - from;
		struct track_gather g = track_engine_from_current(t, q, count);

		if (count == 0)
			continue;
		if (!t->clones_named && (status = put_names(t, q, from, count, e)))
			return status;
		g.from_slot = q->child_source.at;
		*clones = g;
		if (!track_engine_is_together(t))
			status = q->p->common->gather(q->p, &g, e);
	}
	t->clones_named = t->named_for && !status;
	return status;
}

/* ---- pruning on the places ---- */

/* Selects the best `keep` of the ratings. Their indices are in q->index, their number in
 * q->kept. */
static int select_best(struct track_engine_place *q, const struct track_engine_array *rating,
		       uint32_t count, uint32_t keep, struct err *e)
{
	const struct track_common *c = q->p->common;
	int status;

	if ((status = track_engine_need_words(q, &q->index, keep, e)) ||
	    (status = track_engine_need_words(q, &q->kept, 1, e)) ||
	    (status = track_engine_need(q, &q->scratch, c->select_scratch(q->p, count) + 1, 1, e)))
		return status;
	return c->select(q->p, rating->at, count, keep, q->index.at, q->kept.at, q->scratch.at, e);
}

/* Sets to[to_first + i] = from[index[i]], or from[i] if index is NULL. */
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

	return count ? q->p->common->gather(q->p, &g, e) : 0;
}

static int report_kept(struct track_engine_place *q, struct err *e)
{
	return track_from(q->p, &q->reported->kept, q->kept.at, sizeof(q->reported->kept), e);
}

/* Copies three arrays to the entries `to`: the elements at `index`, or all if it is NULL. */
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

static int need_entries(struct track_engine_place *q, struct track_engine_entries *s,
			uint64_t count, struct err *e)
{
	int status;

	if ((status = track_engine_need_words(q, &s->source, count, e)) ||
	    (status = track_engine_need_words(q, &s->successor, count, e)))
		return status;
	return track_engine_need_words(q, &s->rating, count, e);
}

/* Makes room for `more` entries; existing ones stay. */
static int entries_room(struct track_engine_place *q, uint32_t more, struct err *e)
{
	struct track_engine_entries *a = &q->entries, *b = &q->spare;
	uint64_t count = (uint64_t)q->entry_count + more;
	int status;

	if (q->entry_count == 0)
		return need_entries(q, a, count, e);
	if (a->rating.bytes >= count * sizeof(uint32_t))
		return 0;
	if ((status = need_entries(q, b, count, e)) ||
	    (status = gather_entries(q, &a->source, &a->successor, &a->rating, b, 0, NULL,
				     q->entry_count, e)))
		return status;
	swap_entries(q);
	return 0;
}

static uint32_t at_most_beam(const struct tracker *t, uint32_t count)
{
	return at_most(count, t->o.beam);
}

/* ---- stored children ---- */

/* Reduces the entries to the best `beam` if there are more. */
static int cut_entries(struct tracker *t, struct track_engine_place *q, struct err *e)
{
	struct track_engine_entries *a = &q->entries, *b = &q->spare;
	int status;

	if (q->entry_count <= t->o.beam)
		return 0;
	if ((status = select_best(q, &a->rating, q->entry_count, t->o.beam, e)) ||
	    (status = need_entries(q, b, t->o.beam, e)) ||
	    (status = gather_entries(q, &a->source, &a->successor, &a->rating, b, 0, q->index.at,
				     t->o.beam, e)) ||
	    (status = track_sync(q->p, e)))
		return status;
	swap_entries(q);
	q->entry_count = t->o.beam;
	return 0;
}

/* Whether the last entries of the layer, those of `part`, may be made without waiting for their
 * number (tracker.bounded). */
static bool may_be_bounded(const struct tracker *t, const struct track_engine_part *part)
{
	return t->places == 1 && t->place[0].p->device && part->to == t->count && !t->drops;
}

/* Makes the entries of a layer whose children are one part, equally many of each state, without
 * waiting for their number. */
static int keep_even_layer(struct tracker *t, const struct track_engine_part *part, struct err *e)
{
	struct track_engine_place *q = &t->place[0];
	struct track_engine_entries *to = &q->entries;
	struct track_children c = { .total = part->count, .each = regular_each(t) };
	uint32_t keep = at_most_beam(t, part->count);
	int status;

	t->bounded = true;
	if ((status = need_entries(q, to, keep, e)) ||
	    (status = select_best(q, &q->child_rating, part->count, keep, e)) ||
	    (status =
		     q->p->common->children(q->p, &c, t->count, q->child_successor.at,
					    q->child_rating.at, NULL, q->index.at, q->kept.at, keep,
					    to->source.at, to->successor.at, to->rating.at, e)))
		return status;
	q->entry_count = keep;
	return 0;
}

/* Selects the best of `count` rated children, whose sources and successors are on the place, and
 * adds them to its entries. */
static int keep_on_place(struct tracker *t, struct track_engine_place *q, uint32_t count,
			 struct err *e)
{
	uint32_t keep = at_most_beam(t, count);
	int status;

	if (count == 0)
		return 0;
	if ((status = entries_room(q, keep, e)) ||
	    (status = select_best(q, &q->child_rating, count, keep, e)) ||
	    (status = report_kept(q, e)) || (status = track_sync(q->p, e)) ||
	    (status = gather_entries(q, &q->child_source, &q->child_successor, &q->child_rating,
				     &q->entries, q->entry_count, q->index.at, q->reported->kept,
				     e)))
		return status;
	t->drops = q->reported->kept < keep;
	q->entry_count += q->reported->kept;
	return cut_entries(t, q, e);
}

/* ---- children that are only rated ---- */

/* The ratings of the entries precede those of the children, so that one selection reduces both to
 * the best `beam`. */

/* Starts the selection. end_keep makes the new entries. Nothing else may use the place in
 * between. */
static int begin_keep(struct tracker *t, struct track_engine_place *q, uint32_t children,
		      struct err *e)
{
	uint32_t all = q->entry_count + children;
	int status =
		gather_words(q, &q->entries.rating, &q->child_rating, 0, NULL, q->entry_count, e);

	if (status || (status = select_best(q, &q->child_rating, all, at_most_beam(t, all), e)))
		return status;
	return t->bounded ? 0 : report_kept(q, e);
}

/* Waits for the number of entries that are kept, or assumes as many as possible. */
static int count_kept(struct tracker *t, struct track_engine_place *q, uint32_t children,
		      uint32_t *count, struct err *e)
{
	uint32_t most = at_most_beam(t, q->entry_count + children);
	int status = 0;

	if (!t->bounded && !(status = track_sync(q->p, e)))
		t->drops = q->reported->kept < most;
	*count = t->bounded ? most : q->reported->kept;
	return status;
}

static int end_keep(struct tracker *t, struct track_engine_place *q, const struct track_children *c,
		    uint32_t parents, const uint32_t *successor, struct err *e)
{
	struct track_engine_entries *old = &q->entries, *to = &q->spare;
	struct track_selected before = { q->entry_count, old->source.at, old->successor.at,
					 old->rating.at };
	uint32_t count;
	int status = count_kept(t, q, (uint32_t)c->total, &count, e);

	if (status || (status = need_entries(q, to, count, e)) ||
	    (status = q->p->common->children(q->p, c, parents, successor,
					     (const uint32_t *)q->child_rating.at + before.count,
					     &before, q->index.at, t->bounded ? q->kept.at : NULL,
					     count, to->source.at, to->successor.at, to->rating.at,
					     e)))
		return status;
	q->entry_count = count;
	swap_entries(q);
	return 0;
}

/* ---- the choice among the entries of several places ---- */

/* Every place chooses by itself from the ratings of all entries, so all make the same choice, and
 * the host knows its size without waiting: no entry is TRACK_DROPPED. Entries are numbered through
 * all places, which is the order of their children. */

/* A gather of words of the entries of all places; the caller sets `from`. */
static struct track_gather from_entries(const struct tracker *t)
{
	struct track_gather g = { .layout = { 1, sizeof(uint32_t) }, .sources = t->places };
	uint32_t first = 0;

	for (int k = 0; k < t->places; k++) {
		g.first[k] = first;
		g.from_slots[k] = t->place[k].entry_count;
		first += t->place[k].entry_count;
	}
	return g;
}

/* Copies the words of one kind, which begins at `kind` bytes in struct track_engine_entries. */
static int gather_kind(struct tracker *t, struct track_engine_place *q, size_t kind,
		       const struct track_engine_array *to, const uint32_t *index, uint32_t count,
		       struct err *e)
{
	struct track_gather g = from_entries(t);

	for (int k = 0; k < t->places; k++) {
		const char *entries = (const char *)&t->place[k].entries;

		g.from[k] = ((const struct track_engine_array *)(entries + kind))->at;
	}
	g.to = to->at;
	g.to_slots = g.count = count;
	g.from_slot = index;
	return count ? q->p->common->gather(q->p, &g, e) : 0;
}

/* Waits in the stream of the place for the entries of all others. */
static int await_entries(struct tracker *t, struct track_engine_place *q, struct err *e)
{
	int status = 0;

	for (int k = 0; !status && k < t->places; k++)
		if (&t->place[k] != q)
			status = dev_stream_wait(q->p->stream, t->place[k].listed, e);
	return status;
}

/* Queues the choice from `count` entries on place k, and the copy of its share to q->share. */
static int choose_on_place(struct tracker *t, int k, uint32_t count, struct err *e)
{
	struct track_engine_place *q = &t->place[k];
	uint32_t from = track_engine_share(t, t->chosen, k);
	uint32_t n = track_engine_share(t, t->chosen, k + 1) - from;
	struct track_engine_entries *s = &q->share;
	const uint32_t *index;
	int status;

	if (n == 0)
		return 0;
	if ((status = track_engine_need_words(q, &q->all_ratings, count, e)) ||
	    (status = need_entries(q, s, n, e)) || (status = await_entries(t, q, e)) ||
	    (status = gather_kind(t, q, offsetof(struct track_engine_entries, rating),
				  &q->all_ratings, NULL, count, e)) ||
	    (status = select_best(q, &q->all_ratings, count, t->chosen, e)))
		return status;
	index = (const uint32_t *)q->index.at + from;
	if ((status = gather_kind(t, q, offsetof(struct track_engine_entries, source), &s->source,
				  index, n, e)) ||
	    (status = gather_kind(t, q, offsetof(struct track_engine_entries, successor),
				  &s->successor, index, n, e)))
		return status;
	return gather_words(q, &q->all_ratings, &s->rating, 0, index, n, e);
}

static int choose_on_places(struct tracker *t, struct err *e)
{
	uint64_t count = 0;
	int status = 0;

	for (int k = 0; k < t->places; k++)
		count += t->place[k].entry_count;
	if (count > UINT32_MAX)
		return err_set(e, ERR_MEMORY, "%" PRIu64 " candidates are too many", count);
	t->chosen = at_most_beam(t, (uint32_t)count);
	for (int k = 0; !status && k < t->places; k++)
		status = dev_event_record(t->place[k].listed, t->place[k].p->stream, e);
	for (int k = 0; !status && k < t->places; k++)
		status = choose_on_place(t, k, (uint32_t)count, e);
	/* other places may still read entries that the next iteration replaces */
	if (status)
		(void)track_engine_wait(t, NULL);
	return status;
}

const struct track_engine_entries *track_engine_chosen(const struct tracker *t,
						       const struct track_engine_place *q)
{
	return t->places > 1 ? &q->share : &q->entries;
}

/* ---- pruning on the host ---- */

/* Moves all places' entries to the host's list, in the order of places. */
static int collect_entries(struct tracker *t, struct err *e)
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

/* The number of children of the part that place k has rated: its share of stored children, or the
 * children of its own parents. */
static uint32_t rated_by(const struct tracker *t, int k, const struct track_engine_part *part)
{
	uint32_t from = track_engine_share(t, t->count, k),
		 to = track_engine_share(t, t->count, k + 1);

	if (!t->fused)
		return track_engine_share(t, part->count, k + 1) -
		       track_engine_share(t, part->count, k);
	from = from > part->from ? from : part->from;
	to = to < part->to ? to : part->to;
	return from < to ? (uint32_t)children_of(t, from, to) : 0;
}

/* Adds the children of a part to the host's list, with the ratings from the places. */
static int collect_part(struct tracker *t, const struct track_engine_part *part, struct err *e)
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

/* Selects by the domain's own order. Writes *kept indices to `index`. */
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
static int choose_best(struct tracker *t, struct err *e)
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

/* ---- children that are stored, or that the host prunes ---- */

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
		own.count = (uint32_t)children_of(t, own.from, own.to);
		if (own.count == 0)
			continue;
		if (!(status = number_own(t, k, &own, &parents, &c, &successor, e)))
			status = track_engine_evaluate_fused(t, k, &parents, &c, successor, e);
	}
	return status;
}

static int keep_stored(struct tracker *t, const struct track_engine_part *part, struct err *e)
{
	int status = 0;

	if (part->from == 0 && regular_each(t) && may_be_bounded(t, part))
		return keep_even_layer(t, part, e);
	for (int k = 0; !status && k < t->places; k++)
		status = keep_on_place(t, &t->place[k],
				       track_engine_share(t, part->count, k + 1) -
					       track_engine_share(t, part->count, k),
				       e);
	/* every place has children of every part: merge after each part to keep their order */
	if (!status && t->places > 1 && !(status = collect_entries(t, e)))
		status = choose_best(t, e);
	return status;
}

static int one_part(struct tracker *t, const struct track_engine_part *part, struct err *e)
{
	double start = clock_wall(), evaluated;
	struct track_gather clones = { 0 };
	int status = 0;

	if (!t->fused || t->on_host)
		status = name_children(t, part, e);
	if (!status && t->fused)
		status = evaluate_own(t, part, e);
	else if (!status && !(status = clone_parents(t, part, &clones, e)))
		status = track_engine_evaluate_stored(t, part, &clones, e);
	evaluated = clock_wall();
	t->figures.evaluate_seconds += evaluated - start;
	if (!status && t->on_host && !(status = collect_part(t, part, e)))
		status = choose_best(t, e);
	else if (!status && !t->on_host)
		status = keep_stored(t, part, e);
	if (!status && !t->bounded)
		track_engine_end_together(t);
	t->figures.prune_seconds += clock_wall() - evaluated;
	return status;
}

static int all_parts(struct tracker *t, struct err *e)
{
	struct track_engine_part part = { 0 };
	bool more;
	int status;

	while (!(status = next_part(t, &part, &more, e)) && more)
		if ((status = track_engine_check_stop(t, e)) ||
		    (part.count && (status = one_part(t, &part, e))))
			return status;
	return status;
}

/* ---- children that each place rates and prunes by itself ---- */

struct own {
	struct track_engine_part part;
	bool more;
	struct track_batch parents;
	struct track_children c;
	uint32_t *successor;
};

static int begin_own(struct tracker *t, int k, struct own *w, struct err *e)
{
	int status = next_own_part(t, k, &w->part, &w->more, e);

	if (status || !w->more || w->part.count == 0)
		return status;
	t->bounded = may_be_bounded(t, &w->part);
	if ((status = number_own(t, k, &w->part, &w->parents, &w->c, &w->successor, e)) ||
	    (status = track_engine_evaluate_fused(t, k, &w->parents, &w->c, w->successor, e)))
		return status;
	return begin_keep(t, &t->place[k], w->part.count, e);
}

/* Processes one part on every place at the same time. */
static int one_part_each(struct tracker *t, struct own *own, bool *more, struct err *e)
{
	double start = clock_wall(), begun;
	int status = 0;

	*more = false;
	for (int k = 0; !status && k < t->places; k++) {
		status = begin_own(t, k, &own[k], e);
		*more = *more || own[k].more;
	}
	t->figures.evaluate_seconds += clock_wall() - start;
	track_engine_fill_meanwhile(t);
	begun = clock_wall();
	/* before entries are replaced that another place may still read */
	if (!status && *more)
		status = track_engine_meet(t, e);
	for (int k = 0; !status && k < t->places; k++)
		if (own[k].more && own[k].part.count)
			status = end_keep(t, &t->place[k], &own[k].c, own[k].parents.count,
					  own[k].successor, e);
	t->figures.prune_seconds += clock_wall() - begun;
	return status;
}

static int all_own_parts(struct tracker *t, struct err *e)
{
	struct own own[DEV_MAX] = { 0 };
	bool more = true;
	double start;
	int status = 0;

	while (!status && more && !(status = track_engine_check_stop(t, e)))
		status = one_part_each(t, own, &more, e);
	if (status || t->places == 1)
		return status;
	start = clock_wall();
	status = choose_on_places(t, e);
	t->figures.prune_seconds += clock_wall() - start;
	return status;
}

/* ---- all children ---- */

int track_engine_best_children(struct tracker *t, struct err *e)
{
	bool listed = !t->fused || t->on_host;
	int status;

	t->figures.breaks = 0;
	t->list.count = t->chosen = 0;
	t->bounded = t->together = false;
	for (int k = 0; k < t->places; k++)
		t->place[k].entry_count = 0;
	if ((status = expand(t, e)))
		return status;
	if (t->children && (status = listed ? all_parts(t, e) : all_own_parts(t, e)))
		return status;
	if (!t->on_places)
		t->chosen = t->list.count;
	else if (t->places == 1)
		t->chosen = t->place[0].entry_count;
	t->figures.children += t->children;
	return 0;
}
