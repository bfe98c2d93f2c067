#include "deep_search.h"

#include <stdlib.h>

#include "../../harness/clock.h"
#include "deep_parts.h"

/* Could a schedule better than ub turn up, as far as the literature knows? */
static bool may_improve(const struct search_request *r)
{
	const struct flowshop_known *known = flowshop_known_of(r->flowshop);

	return !known || !known->proved || r->ub > known->upper;
}

static int check(const struct search_request *r, struct err *e)
{
	if (!r->flowshop)
		return err_set(e, ERR_USAGE, "the deep search is for flowshop");
	if (!r->devices || r->devices->count < 1)
		return err_set(e, ERR_DEVICE, "the tuned search needs a device");
	if (r->gpus < 0 || r->gpus > r->devices->count)
		return err_set(e, ERR_USAGE, "%d devices asked for, %d are open", r->gpus,
			       r->devices->count);
	if (r->ub < 0 || r->ub > INT32_MAX)
		return err_set(e, ERR_USAGE, "an upper bound of %lld is not possible",
			       (long long)r->ub);
	return 0;
}

static void open_peers(const struct dev_set *set, int count)
{
	/* copies work without; it is only a matter of speed */
	for (int a = 0; a < count; a++) {
		for (int b = 0; b < count; b++) {
			if (a != b)
				dev_enable_peer(set->dev[a], set->dev[b], NULL);
		}
	}
}

static int open_team(struct deep_team *t, const struct deep_job *job, struct err *e)
{
	const struct dev_set *set = t->request->devices;
	size_t bytes = (size_t)t->count * sizeof(*t->mail);
	int status = dev_host_alloc(set->dev[0], (void **)&t->mail, bytes, e);

	for (int d = 0; !status && d < t->count; d++)
		t->mail[d] = (struct deep_mail){ .best = INT32_MAX };
	open_peers(set, t->count);
	for (int d = 0; !status && d < t->count; d++)
		status = deep_device_open(&t->device[d], set->dev[d], job, t->mail, t->count, d, e);
	return status ? status : deep_device_root(&t->device[0], e);
}

static void close_team(struct deep_team *t)
{
	for (int d = 0; d < t->count; d++)
		deep_device_close(&t->device[d]);
	dev_host_free(t->request->devices->dev[0], t->mail);
}

/* The better of what is known and one device's findings. */
static int add_findings(struct deep_team *t, int d, struct search_outcome *o, struct err *e)
{
	int jobs = t->request->flowshop->jobs;
	struct deep_findings f;
	int status = deep_device_findings(&t->device[d], &f, e);

	o->explored += f.tally.explored;
	o->decomposed += f.tally.decomposed;
	o->leaves += f.tally.leaves;
	o->evaluated += f.tally.evaluated;
	o->worker_explored[d] = f.tally.explored;
	if (t->device[d].memory_peak > o->memory_peak)
		o->memory_peak = t->device[d].memory_peak;
	if (!status && f.best < o->best) {
		o->best = f.best;
		if (f.order && !o->order)
			o->order = malloc((size_t)jobs * sizeof(*o->order));
		if (f.order && !o->order)
			status = err_set(e, ERR_MEMORY, "no memory for an order of %d jobs", jobs);
		for (int i = 0; o->order && f.order && i < jobs; i++)
			o->order[i] = f.order[i];
	}
	free(f.order);
	return status;
}

/* Counts and schedule of all devices; the bound of what is left where the search was stopped. */
static int collect(struct deep_team *t, struct search_outcome *o, struct err *e)
{
	int64_t open = INT64_MAX;
	int status = 0;

	for (int d = 0; !status && d < t->count; d++) {
		int32_t bound = INT32_MAX;

		if (t->stopped)
			status = deep_device_survey(&t->device[d], &bound, e);
		open = bound < INT32_MAX && bound < open ? bound : open;
		if (!status)
			status = add_findings(t, d, o, e);
	}
	o->complete = !status && open >= o->best;
	o->lower_bound = open < o->best ? open : o->best;
	o->steals_tried = t->steals_tried;
	o->steals_done = t->steals_done;
	o->nodes_stolen = t->nodes_stolen;
	o->offloads = t->rounds;
	if (!status && !o->complete)
		status = interrupt_status(&t->interrupt, e);
	return status;
}

static int run(const struct search_request *r, bool orders, struct search_outcome *o, struct err *e)
{
	double begin = clock_wall(), opened;
	struct deep_job job;
	struct deep_team *t = calloc(1, sizeof(*t));
	int status;

	*o = (struct search_outcome){ .lower_bound = 0 };
	if (!t)
		return err_set(e, ERR_MEMORY, "no memory for the devices of a search");
	t->request = r;
	t->count = r->gpus ? r->gpus : r->devices->count;
	t->interrupt = interrupt_from(r);
	status = deep_job_make(&job, r, orders, e);
	o->best = job.ub;
	o->order = job.start;
	job.start = NULL;
	o->workers = t->count;
	t->best = (int32_t)job.ub;
	if (!status)
		status = open_team(t, &job, e);
	opened = clock_wall();
	if (!status)
		status = deep_team_run(t, e);
	if (!status)
		status = collect(t, o, e);
	o->seconds_setup = opened - begin;
	o->seconds_search = clock_wall() - opened;
	close_team(t);
	deep_job_free(&job);
	free(t);
	o->seconds_total = clock_wall() - begin;
	return status;
}

int deep_search(const struct search_request *r, struct search_outcome *o, struct err *e)
{
	int status = check(r, e);

	if (status)
		return status;
	status = run(r, may_improve(r), o, e);
	if (o->best < r->ub && !o->order && status == ERR_LIMIT) {
		/* the literature was wrong, but no schedule is at hand to show it */
		o->best = r->ub;
	} else if (o->best < r->ub && !o->order && !status) {
		search_outcome_free(o);
		status = run(r, true, o, e);
	}
	return status;
}
