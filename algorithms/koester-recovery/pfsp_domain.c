#include "algorithms/koester-recovery/pfsp_domain.h"

#include <stdlib.h>
#include <string.h>

#include "datasets/flowshop/flowshop.h"

_Static_assert((int)PFSP_BY_BOUND == PFSP_BOUND && (int)PFSP_BY_IDLE == PFSP_IDLE &&
		       (int)PFSP_BY_BOUND_AND_IDLE == PFSP_BOUND_AND_IDLE &&
		       (int)PFSP_BY_GAP == PFSP_GAP,
	       "kernels know the guides by number");

/* ---- tables ---- */

static int32_t bits_of(uint32_t x)
{
	return x ? 32 - __builtin_clz(x) : 0;
}

static uint32_t positive(int32_t x)
{
	return x > 0 ? (uint32_t)x : 0;
}

enum { MOST_RECIPROCALS = 1 << 16 };

static void choose_scales(struct pfsp *d, const struct flowshop *f, int32_t best)
{
	int32_t bits = bits_of((uint32_t)best), jobs = bits_of((uint32_t)f->jobs);
	int64_t sum = 0, most;

	for (int i = 0; i < f->jobs * f->machines; i++)
		sum += f->time[i];
	d->mean = (int32_t)(sum / f->jobs / f->machines);
	d->mean = d->mean > 1 ? d->mean : 1;
	/* a front, or where the first job is expected, and one more operation */
	most = 2 * (int64_t)best + d->mean;
	while (most >> d->coarse >= MOST_RECIPROCALS)
		d->coarse++;
	d->reciprocals = (uint32_t)(most >> d->coarse) + 1;
	/* 14 bits of fraction, w up to 32 */
	d->shift = positive(bits + jobs + 14 + 5 - 32);
	d->gap_shift = positive(2 * bits - 24);
}

static size_t table_words(const struct pfsp *d)
{
	return (size_t)d->jobs * (size_t)d->machines + (size_t)d->machines + d->reciprocals;
}

/* The same parameters with tables elsewhere. */
static void place_tables(struct pfsp *d, const int32_t *tables)
{
	d->time = tables;
	d->total = d->time + (size_t)d->jobs * (size_t)d->machines;
	d->reciprocal = d->total + d->machines;
}

static void fill_tables(const struct pfsp *d, int32_t *tables, const struct flowshop *f)
{
	size_t operations = (size_t)d->jobs * (size_t)d->machines;
	int32_t *total = tables + operations, *reciprocal = total + d->machines;

	memcpy(tables, f->time, operations * sizeof(*tables));
	for (int k = 0; k < d->machines; k++) {
		total[k] = 0;
		for (int j = 0; j < d->jobs; j++)
			total[k] += f->time[k * d->jobs + j];
	}
	for (uint32_t i = 0; i < d->reciprocals; i++) {
		uint64_t value = (uint64_t)i << d->coarse;

		reciprocal[i] = (int32_t)((1 << PFSP_FRACTION) / (value ? value : 1));
	}
}

/* ---- on devices ---- */

struct pfsp_copy {
	struct pfsp_copies *all;
	struct track_place *place;
	void *memory; /* guidance, then tables */
	size_t bytes;
	struct pfsp_copy *next;
};

struct pfsp_copies {
	struct pfsp_copy *first;
};

enum { TABLES_AT = 64 };

static void leave(const struct track_domain *domain, struct track_place *p, void *held)
{
	struct pfsp_copy *c = held, **at;

	(void)domain;
	if (!c)
		return;
	for (at = &c->all->first; *at != c; at = &(*at)->next)
		;
	*at = c->next;
	track_free(p, c->memory, c->bytes);
	free(c);
}

static int enter(const struct track_domain *domain, struct track_place *p, void *parameters,
		 void **held, struct err *e)
{
	const struct pfsp_problem *q = (const struct pfsp_problem *)domain;
	struct pfsp_copy *c = calloc(1, sizeof(*c));
	struct pfsp *d = parameters;
	size_t table_bytes = table_words(&q->parameters) * sizeof(int32_t);
	int rc;

	if (!c)
		return err_set(e, ERR_MEMORY, "no memory to copy tables of %zu bytes", table_bytes);
	c->all = q->copies;
	c->place = p;
	c->bytes = TABLES_AT + table_bytes;
	if ((rc = track_alloc(p, &c->memory, c->bytes, e))) {
		free(c);
		return rc;
	}
	c->next = q->copies->first;
	q->copies->first = c;
	*held = c;
	place_tables(d, (const int32_t *)((char *)c->memory + TABLES_AT));
	d->guidance = c->memory;
	if ((rc = track_to(p, c->memory, &q->guidance, sizeof(q->guidance), e)) ||
	    (rc = track_to(p, (char *)c->memory + TABLES_AT, q->tables, table_bytes, e)))
		leave(domain, p, c);
	return rc;
}

int pfsp_guide_by(struct pfsp_problem *q, const struct pfsp_guidance *g, struct err *e)
{
	int rc = 0;

	q->guidance = *g;
	for (struct pfsp_copy *c = q->copies->first; !rc && c; c = c->next)
		if (!(rc = track_to(c->place, c->memory, &q->guidance, sizeof(q->guidance), e)))
			rc = track_sync(c->place, e);
	return rc;
}

/* ---- the problem ---- */

static void describe(struct pfsp_problem *q)
{
	q->domain.name = "pfsp";
	q->domain.layout.units = (uint32_t)pfsp_units(&q->parameters);
	q->domain.layout.unit_bytes = sizeof(uint32_t);
	q->domain.parameters = &q->parameters;
	q->domain.parameter_bytes = sizeof(q->parameters);
	q->domain.enter = enter;
	q->domain.leave = leave;
	q->domain.host = &pfsp_ops_host;
	q->domain.sim = &pfsp_ops_sim;
#if COPRA_HAVE_CUDA
	q->domain.cuda = &pfsp_ops_cuda;
#endif
}

int pfsp_problem_create(struct pfsp_problem **out, const struct flowshop *f,
			const struct pfsp_options *o, int32_t best, struct err *e)
{
	struct pfsp_problem *q = calloc(1, sizeof(*q));
	struct pfsp *d;

	*out = NULL;
	if (!q)
		return err_set(e, ERR_MEMORY, "no memory for a flowshop domain");
	d = &q->parameters;
	d->jobs = f->jobs;
	d->machines = f->machines;
	d->words = (f->jobs + 31) / 32;
	d->both_ends = o->branching == PFSP_BOTH_ENDS;
	choose_scales(d, f, best);
	q->guidance = (struct pfsp_guidance){ best, (uint32_t)o->guide, PFSP_USUAL_SCALE };
	q->tables = malloc(table_words(d) * sizeof(*q->tables));
	q->copies = calloc(1, sizeof(*q->copies));
	if (!q->tables || !q->copies) {
		err_set(e, ERR_MEMORY, "no memory for %zu words of tables", table_words(d));
		pfsp_problem_destroy(q);
		return ERR_MEMORY;
	}
	fill_tables(d, q->tables, f);
	place_tables(d, q->tables);
	d->guidance = &q->guidance;
	describe(q);
	*out = q;
	return 0;
}

void pfsp_problem_destroy(struct pfsp_problem *q)
{
	if (!q)
		return;
	free(q->tables);
	free(q->copies);
	free(q);
}

/* What is behind machine k at least, whatever job is last. */
static int32_t tail(const struct pfsp *d, int32_t k)
{
	int32_t least = INT32_MAX;

	for (int32_t j = 0; j < d->jobs; j++) {
		int32_t sum = 0;

		for (int32_t i = k + 1; i < d->machines; i++)
			sum += d->time[i * d->jobs + j];
		least = sum < least ? sum : least;
	}
	return least;
}

void pfsp_root(const struct pfsp_problem *q, uint32_t *state)
{
	const struct pfsp *d = &q->parameters;
	uint32_t *set = state + pfsp_row(d, PFSP_ROWS) + PFSP_SET;

	memset(state, 0, (size_t)pfsp_units(d) * sizeof(*state));
	for (int32_t j = 0; j < d->jobs; j++)
		set[j / 32] |= (uint32_t)1 << j % 32;
	/* a suffix that never comes is idle time */
	for (int32_t k = 0; k < d->machines && !d->both_ends; k++) {
		state[pfsp_row(d, PFSP_BACK) + k] = (uint32_t)tail(d, k);
		state[pfsp_row(d, PFSP_BACK_IDLE) + k] = (uint32_t)tail(d, k);
	}
}
