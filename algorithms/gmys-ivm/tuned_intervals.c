/* N-Queens and ATSP by intervals: a farm on the host, devices that take pieces from it. See
 * tuned_intervals_farm.h and tuned_intervals_device.h. */
#include <stdlib.h>
#include <string.h>

#include "harness/base/clock.h"
#include "algorithms/tree-search/atsp/atsp_start.h"
#include "kernels/tree-search/queens.h"
#include "algorithms/gmys-ivm/ivm_search.h"
#include "algorithms/gmys-ivm/tuned_intervals_device.h"

#define ENGINE "gmys-ivm tuned"

struct search {
	const struct search_request *request;
	struct interval_tree tree;
	struct interval_farm farm;
	uint32_t *table;
	int devices;
	struct interval_device device[DEV_MAX];
	struct interrupt interrupt;
	atomic_bool failed;
};

static int check(const struct search_request *r, struct err *e)
{
	if (!r->devices || r->devices->count < 1)
		return err_set(e, ERR_DEVICE, "the search by intervals needs a device");
	if (r->flowshop)
		return err_set(e, ERR_USAGE, "the search by intervals is for N-Queens and ATSP");
	if (r->atsp)
		return 0;
	if (!r->half_board)
		return err_set(e, ERR_USAGE, "the search by intervals is of the half board");
	if (r->queens < 1)
		return err_set(e, ERR_INPUT, "%d queens: at least 1", r->queens);
	if (r->queens > QUEENS_MAX_COUNTED)
		return err_set(e, ERR_UNSUPPORTED,
			       "%d queens: placements of more than %d do not fit 64-bit counts",
			       r->queens, QUEENS_MAX_COUNTED);
	return 0;
}

/* More items than a word has bits: IVMs hold any number. */
static int by_ivms(const struct search_request *r, struct search_outcome *o, struct err *e)
{
	struct ivm_request request = { .common = *r };
	struct ivm_outcome outcome;
	int status;

	memset(&outcome, 0, sizeof(outcome));
	request.common.threads = 0;
	status = ivm_search_published(&request, &outcome, e);
	*o = outcome.common;
	memset(&outcome.common, 0, sizeof(outcome.common));
	ivm_outcome_free(&outcome);
	return status;
}

/* ---- devices ---- */

static int open_search(struct search *s, int64_t best, const int64_t *tour, struct err *e)
{
	const struct search_request *r = s->request;
	struct interval_farm *f = &s->farm;
	int status = interval_farm_open(f, &s->tree, r, best, tour, s->devices * INTERVAL_SLOTS, e);

	interval_piece_sizes(r->devices->backend, r->atsp, s->devices, &f->piece_most,
			     &f->piece_least);
	if (!status && r->atsp) {
		s->table = interval_table(&s->tree);
		status = s->table ? 0 : err_set(e, ERR_MEMORY, "no memory for a table of costs");
	}
	for (int i = 0; i < s->devices; i++)
		s->device[i] = (struct interval_device){
			.share = { .device = r->devices->dev[i],
				   .interrupt = &s->interrupt,
				   .failed = &s->failed },
			.farm = f,
			.table = s->table,
		};
	return status;
}

/* ---- what was found ---- */

/* Setting up: until the slowest device was ready, and giving memory back. */
static void collect(const struct search *s, struct search_outcome *o, double begin)
{
	double ready = begin, done = begin, end = clock_wall();

	o->complete = !s->farm.opened && !s->farm.under_way;
	o->workers = s->devices;
	for (int i = 0; i < s->devices; i++) {
		const struct interval_device *d = &s->device[i];

		o->worker_explored[i] = d->nodes;
		o->offloads += d->pieces;
		ready = d->share.ready > ready ? d->share.ready : ready;
		done = d->done > done ? d->done : done;
		if (d->share.memory_peak > o->memory_peak)
			o->memory_peak = d->share.memory_peak;
	}
	o->seconds_setup = ready - begin + end - done;
}

/* The farm gives pieces to devices, and what devices put on their lists is searched. Devices finish
 * what they have taken. */
static int check_balance(struct search *s, bool complete, struct err *e)
{
	static const struct balance_name farm = { ENGINE, "farm", -1, "lengths of intervals" };
	static const struct balance_name all = { ENGINE, NULL, -1, "lengths of pieces" };
	struct balance_name name = { ENGINE, "device", 0, "lengths of pieces" };
	struct balance_name node = { ENGINE, "device", 0, NULL };
	struct balance b = interval_farm_balance(&s->farm), sum = { .modulus = b.modulus };
	int status = balance_check(&b, &farm, complete, e);

	if (dev_set_cancelled(s->request->devices))
		return status; /* the farm still has what was on the devices */
	for (int i = 0; i < s->devices && !status; i++) {
		const struct interval_device *d = &s->device[i];

		name.number = node.number = i;
		status = balance_check(&d->balance, &name, complete, e);
		if (!status)
			status = balance_equal(&node, "listed", d->listed, "searched", d->fetched,
					       e);
		balance_add(&sum, &d->balance);
	}
	return status ? status :
			balance_equal(&all, "finished", sum.popped, "entered at the farm", b.popped,
				      e);
}

/* The last checkpoint, of what is left; one that could not be written before is told. */
static int write_last(struct search *s, struct err *e)
{
	const struct checkpoint_plan *plan = s->request->checkpoint;

	if (s->farm.status)
		return err_set(e, s->farm.status, "%s", s->farm.error.text);
	return plan && plan->write ? interval_farm_write(&s->farm, e) : 0;
}

static int search(struct search *s, int64_t best, const int64_t *tour, struct search_outcome *o,
		  struct err *e)
{
	struct interval_farm *f = &s->farm;
	double begin = clock_wall();
	int status = open_search(s, best, tour, e), failed = 0;

	if (!status) {
		status = device_threads_run(interval_device_run, s->device, sizeof(s->device[0]),
					    s->devices, e);
		collect(s, o, begin);
		if (status == ERR_LIMIT && o->complete) /* by what was under way when it struck */
			status = 0;
		if (!status || status == ERR_LIMIT)
			failed = check_balance(s, !status, e);
		if (!failed && (!status || status == ERR_LIMIT))
			failed = write_last(s, e);
		o->complete = o->complete && !failed;
		if (!failed)
			failed = ivm_origin_answer(&f->origin, &f->problem, f->counts, o->complete,
						   o, e);
	}
	free(s->table);
	interval_farm_close(f);
	return failed ? failed : status;
}

/* Where there is no bound, from a tour of its own. */
static int begin_atsp(struct search *s, struct search_outcome *o, struct err *e)
{
	const struct search_request *r = s->request;
	int64_t *tour, best;
	int status;

	if (r->ub != SEARCH_NO_UB)
		return search(s, 0, NULL, o, e);
	tour = malloc((size_t)r->atsp->cities * sizeof(*tour));
	if (!tour)
		return err_set(e, ERR_MEMORY, "no memory for a tour of %d cities", r->atsp->cities);
	status = atsp_start(r->atsp, &s->interrupt, tour, &best, e);
	if (!status)
		status = search(s, best, tour, o, e);
	free(tour);
	return status;
}

int tuned_intervals(const struct search_request *r, struct search_outcome *o, struct err *e)
{
	double begin = clock_wall();
	struct search s = { .request = r, .interrupt = interrupt_from(r) };
	int status = check(r, e);

	memset(o, 0, sizeof(*o));
	if (status)
		return status;
	s.devices = r->gpus > 0 && r->gpus < r->devices->count ? r->gpus : r->devices->count;
	s.tree = (struct interval_tree){ r->atsp, r->atsp ? r->atsp->cities - 1 : r->queens };
	if (s.tree.n > INTERVAL_ITEMS)
		return by_ivms(r, o, e);
	status = r->atsp ? begin_atsp(&s, o, e) : search(&s, 0, NULL, o, e);
	o->seconds_total = clock_wall() - begin;
	o->seconds_search = o->seconds_total - o->seconds_setup;
	return status;
}
