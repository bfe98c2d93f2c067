/* The search by sets as a whole: what it takes, its team of devices, the outcome. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/clock.h"
#include "algorithms/tree-search/by-set/sets_search.h"

enum { HALF_MAX = 32767, DEAL_JOBS = 5 };

/* Greatest sum of a job's times, and the makespan of jobs in the order of their numbers, which no
 * optimum and no row of bounds exceeds. */
static void measure(const struct flowshop *f, int64_t *job_sum, int64_t *makespan)
{
	int64_t order[SETS_JOBS];

	*job_sum = 0;
	for (int j = 0; j < f->jobs; j++) {
		int64_t sum = 0;

		for (int k = 0; k < f->machines; k++)
			sum += f->time[k * f->jobs + j];
		*job_sum = sum > *job_sum ? sum : *job_sum;
		order[j] = j;
	}
	*makespan = flowshop_makespan(f, order);
}

/* Values of a search below `ub` fit 16-bit halves with a sign: a front, a job and a row of bounds;
 * in two-sided branching the row and the back are together below the parent's bound. */
static bool values_fit(const struct flowshop *f, int64_t ub, bool two_sided)
{
	int64_t job_sum, makespan, most;

	measure(f, &job_sum, &makespan);
	most = ub < SEARCH_NO_UB ? ub : makespan;
	return most + job_sum + (two_sided && most > makespan ? most : makespan) <= HALF_MAX;
}

bool sets_search_takes(const struct search_request *r, bool two_sided)
{
	const struct flowshop *f = r->flowshop;

	return f && r->bound == FSP_LB2 && two_sided == (r->branching != FSP_FORWARD) &&
	       f->jobs >= 2 && f->jobs <= (two_sided ? TWOSIDED_JOBS : SETS_JOBS) &&
	       f->machines <= SETS_MACHINES && r->ub > 0 && !r->checkpoint &&
	       values_fit(f, r->ub, two_sided);
}

static int keep_order(struct search_outcome *o, const int64_t *order, int jobs, struct err *e)
{
	o->order = malloc((size_t)jobs * sizeof(*o->order));
	if (!o->order)
		return err_set(e, ERR_MEMORY, "no memory for a schedule");
	memcpy(o->order, order, (size_t)jobs * sizeof(*order));
	return 0;
}

static int open_team(struct sets_team *t, const struct search_request *r,
		     const struct sets_tables *tables, struct err *e)
{
	int rc = 0,
	    count = r->gpus > 0 && r->gpus < r->devices->count ? r->gpus : r->devices->count;

	if (tables->jobs < DEAL_JOBS)
		count = 1;
	for (int i = 0; !rc && i < count; i++) {
		rc = sets_device_open(&t->device[i], r->devices->dev[i], tables, r->memory, count,
				      e);
		t->count += !rc;
	}
	return rc;
}

static void close_team(struct sets_team *t)
{
	for (int i = 0; i < t->count; i++)
		sets_device_close(&t->device[i]);
}

static int start_team(struct sets_team *t, const struct sets_tables *tables, int64_t ub,
		      struct err *e)
{
	int rc = 0;

	t->ub = ub;
	for (int i = 0; !rc && i < t->count; i++)
		for (int j = 0; !rc && j < t->count; j++)
			rc = i == j ? 0 : sets_device_meet(&t->device[i], &t->device[j], e);
	for (int i = 0; !rc && i < t->count; i++)
		rc = sets_device_start(&t->device[i], tables, ub, i, t->count, e);
	return rc;
}

/* The share of the bound table in the time of all warps. */
static double seconds_of_tables(const struct sets_device *d)
{
	double warps = (double)d->blocks * d->threads / 32;

	return d->clock_hz > 0 ? (double)d->state->build_clocks / (d->clock_hz * warps) : 0;
}

/* Every node was expanded, or is still open. */
static int check_balance(struct sets_team *t, bool complete, struct err *e)
{
	static const struct balance_name name = { .engine = "search by sets", .part = "device" };
	struct balance devices[DEV_MAX];
	int rc = 0;

	for (int i = 0; !rc && i < t->count; i++)
		rc = sets_device_balance(&t->device[i], &devices[i], e);
	return rc ? rc : balance_check_all(devices, t->count, NULL, &name, complete, e);
}

/* Counts of all devices, and the best schedule of any. */
static int collect(const struct sets_team *t, struct search_outcome *o, int jobs, struct err *e)
{
	int64_t order[SETS_JOBS];
	bool found = false;

	o->workers = t->count;
	for (int i = 0; i < t->count; i++) {
		const struct sets_device *d = &t->device[i];
		uint64_t bytes =
			d->state->control.row_peak * (uint64_t)sets_row_bytes(d->search.row_words);

		o->worker_explored[i] = d->state->control.explored;
		o->explored += d->state->control.explored;
		o->decomposed += d->state->control.decomposed;
		o->evaluated +=
			d->state->control.evaluated * (d->search.rule == FSP_FORWARD ? 1 : 2);
		o->leaves += d->state->leaves;
		o->offloads += d->launches;
		o->seconds_tables = fmax(o->seconds_tables, seconds_of_tables(d));
		o->memory_peak = bytes > o->memory_peak ? bytes : o->memory_peak;
		if (!d->state->control.improved || (int64_t)(d->state->best >> 32) >= o->best)
			continue;
		found = true;
		o->best = (int64_t)(d->state->best >> 32);
		for (int j = 0; j < jobs; j++)
			order[j] = d->state->order[j];
	}
	o->steals_tried = t->steals_tried;
	o->steals_done = t->steals_done;
	o->nodes_stolen = t->nodes_stolen;
	if (!found)
		return 0;
	free(o->order);
	return keep_order(o, order, jobs, e);
}

static int search_with(struct sets_team *t, const struct search_request *r,
		       struct search_outcome *o, struct err *e)
{
	struct sets_tables tables;
	double searched;
	int rc = sets_tables_make(&tables, r->flowshop, r->branching, o->best, e), kept;

	if (rc)
		return rc;
	rc = open_team(t, r, &tables, e);
	if (!rc)
		rc = start_team(t, &tables, o->best, e);
	o->seconds_setup = clock_wall() - t->interrupt.begin;
	if (!rc) {
		t->request = r;
		searched = clock_wall();
		rc = sets_team_run(t, e);
		o->seconds_search = clock_wall() - searched;
	}
	if (!rc || rc == ERR_LIMIT) {
		kept = collect(t, o, tables.jobs, e);
		/* a cancelled device has lost what it held, and may not even have begun */
		if (!kept && !dev_set_cancelled(r->devices))
			kept = check_balance(t, !rc, e);
		rc = kept ? kept : rc;
		o->complete = !rc;
		o->lower_bound =
			o->complete || tables.root_bound > o->best ? o->best : tables.root_bound;
	}
	close_team(t);
	sets_tables_free(&tables);
	return rc;
}

int sets_search(const struct search_request *r, bool two_sided, struct search_outcome *o,
		struct err *e)
{
	struct sets_team *t = calloc(1, sizeof(*t));
	double begun = clock_wall();
	int rc = 0;

	memset(o, 0, sizeof(*o));
	if (!t)
		return err_set(e, ERR_MEMORY, "no memory for a search");
	t->interrupt = interrupt_from(r);
	if (!sets_search_takes(r, two_sided))
		rc = err_set(e, ERR_UNSUPPORTED,
			     "the search by sets takes LB2, %s, up to %d jobs, %d machines",
			     two_sided ? "two-sided" : "forward",
			     two_sided ? TWOSIDED_JOBS : SETS_JOBS, SETS_MACHINES);
	else if (!r->devices || r->devices->count < 1)
		rc = err_set(e, ERR_UNSUPPORTED, "the search by sets needs a device");
	if (!rc)
		rc = search_start(r, &o->best, &o->order, e);
	if (!rc && !values_fit(r->flowshop, o->best, two_sided))
		rc = err_set(e, ERR_UNSUPPORTED, "times are too large for the search by sets");
	if (!rc)
		rc = search_with(t, r, o, e);
	o->seconds_total = clock_wall() - begun;
	free(t);
	return rc;
}
