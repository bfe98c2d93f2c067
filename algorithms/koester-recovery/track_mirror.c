#include "track_mirror.h"

#include <inttypes.h>
#include <stdlib.h>

#include "../../harness/checked.h"
#include "../../kernels/koester-recovery/trace.h"

/* Memory of the device. */
struct memory {
	void *at;
	size_t bytes;
};

struct track_mirror {
	struct track_place *p;
	uint32_t layers;                /* copied: 1 .. layers */
	uint32_t allocated;             /* of the tables */
	uint64_t *entry_at, *from_at;   /* the host's: [layers + 2], [layers + 1] as in trace.h */
	uint64_t from_count;
	struct memory entries, from, entry_table, from_table;
	struct memory target, paths, steps;
};

int track_mirror_create(struct track_mirror **out, struct track_place *p, struct err *e)
{
	*out = calloc(1, sizeof(**out));
	if (!*out)
		return err_set(e, ERR_MEMORY, "no memory for a mirror of the history");
	(*out)->p = p;
	return 0;
}

void track_mirror_destroy(struct track_mirror *m)
{
	struct memory *all[] = { &m->entries, &m->from, &m->entry_table, &m->from_table,
				 &m->target, &m->paths, &m->steps };

	if (!m)
		return;
	(void)track_sync(m->p, NULL);
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		track_free(m->p, all[i]->at, all[i]->bytes);
	free(m->entry_at);
	free(m->from_at);
	free(m);
}

/* Room for `bytes`; the first `used` of what is there stay. Grows by half at least. */
static int need(struct track_mirror *m, struct memory *a, size_t used, size_t bytes, struct err *e)
{
	struct memory more = { NULL, bytes };
	int rc;

	if (a->at && bytes <= a->bytes)
		return 0;
	if (a->at && more.bytes < a->bytes + a->bytes / 2)
		more.bytes = a->bytes + a->bytes / 2;
	/* what is queued may still use the old memory */
	if ((rc = track_sync(m->p, e)) || (rc = track_alloc(m->p, &more.at, more.bytes, e)))
		return rc;
	if (used)
		rc = dev_copy_on(m->p->stream, more.at, a->at, used, e);
	if (!rc)
		rc = track_sync(m->p, e);
	if (rc) {
		track_free(m->p, more.at, more.bytes);
		return rc;
	}
	track_free(m->p, a->at, a->bytes);
	*a = more;
	return 0;
}

static size_t entry_bytes(const struct history *h)
{
	return h->wide ? sizeof(struct history_wide_entry) : sizeof(struct history_entry);
}

static int grow_tables(struct track_mirror *m, uint32_t layers, struct err *e)
{
	size_t allocated = (size_t)layers + layers / 2 + 64;
	uint64_t *entry_at, *from_at;

	if (layers < m->allocated)
		return 0;
	entry_at = realloc(m->entry_at, (allocated + 2) * sizeof(*entry_at));
	if (entry_at)
		m->entry_at = entry_at;
	from_at = realloc(m->from_at, (allocated + 2) * sizeof(*from_at));
	if (from_at)
		m->from_at = from_at;
	if (!entry_at || !from_at)
		return err_set(e, ERR_MEMORY, "no memory for a mirror of %" PRIu32 " layers", layers);
	if (m->allocated == 0) {
		entry_at[0] = entry_at[1] = 0; /* layer 0 has no entries */
		from_at[0] = TRACK_TRACE_STEP;
	}
	m->allocated = allocated < UINT32_MAX ? (uint32_t)allocated : UINT32_MAX;
	return 0;
}

static int add_layer(struct track_mirror *m, const struct history *h, uint32_t number,
		     struct err *e)
{
	const struct history_layer *l = &h->layer[number];
	size_t each = entry_bytes(h), at = (size_t)m->entry_at[number] * each;
	size_t from_at = (size_t)m->from_count * sizeof(uint32_t);
	size_t from_bytes = l->jump ? l->count * sizeof(uint32_t) : 0;
	int rc;

	if ((rc = need(m, &m->entries, at, at + l->count * each, e)) ||
	    (rc = track_to(m->p, (unsigned char *)m->entries.at + at, l->entries, l->count * each,
			   e)))
		return rc;
	if (l->jump && ((rc = need(m, &m->from, from_at, from_at + from_bytes, e)) ||
			(rc = track_to(m->p, (unsigned char *)m->from.at + from_at, l->from,
				       from_bytes, e))))
		return rc;
	m->entry_at[number + 1] = m->entry_at[number] + l->count;
	m->from_at[number] = l->jump ? m->from_count : TRACK_TRACE_STEP;
	m->from_count += l->jump ? l->count : 0;
	m->layers = number;
	return 0;
}

/* Copies the layers that have come to be since. */
static int update(struct track_mirror *m, const struct history *h, struct err *e)
{
	size_t bytes = ((size_t)h->layers + 1) * sizeof(uint64_t);
	bool more = m->layers < h->layers;
	int rc = grow_tables(m, h->layers, e);

	while (!rc && m->layers < h->layers)
		rc = add_layer(m, h, m->layers + 1, e);
	if (rc || (!more && m->entry_table.at))
		return rc;
	if ((rc = need(m, &m->entry_table, 0, bytes, e)) ||
	    (rc = need(m, &m->from_table, 0, bytes, e)) ||
	    (rc = track_to(m->p, m->entry_table.at, m->entry_at, bytes, e)))
		return rc;
	return track_to(m->p, m->from_table.at, m->from_at, bytes, e);
}

bool track_mirror_reaches(const struct history *h, uint32_t top, uint32_t down_to)
{
	for (uint32_t l = down_to + 1; l <= top && l > down_to; l++)
		for (uint32_t i = 0; h->layer[l].jump && i < h->layer[l].count; i++)
			if (h->layer[l].from[i] < down_to)
				return false;
	return true;
}

/* Where the results lie: iteration, start_slot, source, successor. */
static int lay_out(struct track_mirror *m, struct track_trace *t, struct err *e)
{
	size_t rounds = t->top - t->down_to, words;
	uint32_t *at;
	int rc;

	if (!checked_mul_size(rounds, 2 * (size_t)t->count, &words) ||
	    !checked_add_size(words, rounds + t->count, &words) ||
	    !checked_mul_size(words, sizeof(uint32_t), &words))
		return err_set(e, ERR_MEMORY, "paths of %" PRIu32 " states through %zu layers are "
			       "too many", t->count, rounds);
	if ((rc = need(m, &m->paths, 0, words, e)) ||
	    (rc = need(m, &m->steps, 0, sizeof(uint64_t), e)))
		return rc;
	at = m->paths.at;
	t->iteration = at;
	t->start_slot = t->iteration + rounds;
	t->source = t->start_slot + t->count;
	t->successor = t->source + rounds * t->count;
	t->steps = m->steps.at;
	return 0;
}

int track_mirror_trace(struct track_mirror *m, const struct history *h,
		       const struct history_node *targets, uint32_t count, uint32_t down_to,
		       struct track_path *path, const uint32_t **start_slot, uint64_t *steps,
		       struct err *e)
{
	struct track_trace t = { .wide = h->wide, .count = count, .down_to = down_to,
				 .top = down_to };
	size_t target_bytes = count * sizeof(*targets);
	int rc;

	for (uint32_t i = 0; i < count; i++)
		t.top = targets[i].layer > t.top ? targets[i].layer : t.top;
	if (!track_mirror_reaches(h, t.top, down_to))
		return err_set(e, ERR_UNSUPPORTED, "paths to layer %" PRIu32 " pass layer %" PRIu32,
			       t.top, down_to);
	if ((rc = update(m, h, e)) || (rc = need(m, &m->target, 0, target_bytes, e)) ||
	    (rc = lay_out(m, &t, e)) ||
	    (rc = track_to(m->p, m->target.at, targets, target_bytes, e)) ||
	    (rc = track_fill(m->p, t.steps, 0, sizeof(*t.steps), e)))
		return rc;
	t.entries = m->entries.at;
	t.entry_at = m->entry_table.at;
	t.from = m->from.at;
	t.from_at = m->from_table.at;
	t.target = m->target.at;
	*path = (struct track_path){ t.top - down_to, count, t.iteration, t.source, t.successor };
	*start_slot = t.start_slot;
	if ((rc = track_trace_kernels_for(m->p->device)->trace(m->p->stream, &t, e)) ||
	    (rc = track_from(m->p, steps, t.steps, sizeof(*steps), e)))
		return rc;
	return track_sync(m->p, e);
}
