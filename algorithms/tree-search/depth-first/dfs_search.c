#include "algorithms/tree-search/depth-first/dfs_search.h"

#include <stdlib.h>

#include "harness/base/clock.h"
#include "algorithms/tree-search/checkpoint_key.h"
#include "algorithms/tree-search/depth-first/dfs_device.h"
#include "algorithms/tree-search/flowshop/fsp_tables.h"

/* Could a schedule better than ub turn up? A list alone does not rule it out. The answer decides
 * only whether orders are kept: a search that meets one all the same is repeated with them. */
static bool may_improve(const struct search_request *r)
{
	const struct flowshop_known *known = flowshop_known_of(r->flowshop);

	return !known || !flowshop_is_proved(known) || r->ub > known->upper;
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
				(void)dev_enable_peer(set->dev[a], set->dev[b], NULL);
		}
	}
}

static int open_team(struct dfs_team *t, const struct dfs_job *job, struct err *e)
{
	const struct dev_set *set = t->request->devices;
	size_t bytes = (size_t)t->count * sizeof(*t->mail);
	int status = dev_host_alloc(set->dev[0], (void **)&t->mail, bytes, e);

	for (int d = 0; !status && d < t->count; d++)
		t->mail[d] = (struct dfs_mail){ .best = INT32_MAX };
	open_peers(set, t->count);
	for (int d = 0; !status && d < t->count; d++)
		status = dfs_device_open(&t->device[d], set->dev[d], job, t->mail, t->count, d, e);
	for (int a = 0; !status && a < t->count; a++) {
		for (int b = 0; !status && b < t->count; b++) {
			if (a != b)
				status = dfs_device_meet(&t->device[a], &t->device[b], e);
		}
	}
	return status;
}

static void close_team(struct dfs_team *t)
{
	for (int d = 0; d < t->count; d++)
		dfs_device_close(&t->device[d]);
	dev_host_free(t->request->devices->dev[0], t->mail);
}

/* ---- earlier runs ---- */

/* What a run begins with: the root and nothing known, or a checkpoint. */
struct past {
	struct checkpoint state;
	bool resumed;
};

/* The root as a record: no child listed, the node itself is open. */
static int root_only(const struct search_request *r, struct checkpoint *c, struct err *e)
{
	int jobs = r->flowshop->jobs;
	size_t stride = checkpoint_stride(CHECKPOINT_NODES, jobs);

	*c = (struct checkpoint){ .form = CHECKPOINT_NODES, .count = 1 };
	c->work = calloc(stride, sizeof(*c->work));
	if (!c->work)
		return err_set(e, ERR_MEMORY, "no memory for the root");
	for (int i = 0; i < jobs; i++)
		c->work[stride - (size_t)jobs + (size_t)i] = (uint16_t)i;
	return 0;
}

static int read_past(const struct search_request *r, struct past *p, struct err *e)
{
	const char *path = r->checkpoint ? r->checkpoint->resume : NULL;
	struct checkpoint_key key;
	int status;

	*p = (struct past){ .resumed = path };
	if (!path)
		return root_only(r, &p->state, e);
	status = r->checkpoint->read ? r->checkpoint->read(&p->state, r, e) :
				       checkpoint_read(&p->state, path, e);
	if (status)
		return status;
	checkpoint_key_of(r, p->state.key.first_ub, &key);
	status = checkpoint_matches(&p->state, &key, e);
	if (!status && p->state.form != CHECKPOINT_NODES)
		status = err_set(e, ERR_UNSUPPORTED,
				 "%s holds intervals; this search goes on from open nodes", path);
	return status;
}

/* The better of the request's start and what the past has found. */
static void start_from(struct search_request *r, const struct past *p)
{
	if (!p->resumed || r->ub < p->state.best)
		return;
	r->ub = p->state.best;
	r->start = p->state.order;
}

static void begin_saver(struct dfs_team *t, const struct dfs_job *job, const struct past *p,
			const struct search_outcome *o)
{
	const struct checkpoint_plan *plan = t->request->checkpoint;
	struct dfs_saver *s = &t->saver;

	s->job = job;
	s->begin = clock_wall();
	if (!plan || !plan->write)
		return;
	s->path = plan->write;
	s->period = plan->period > 0 ? plan->period : CHECKPOINT_PERIOD;
	s->next = s->begin + s->period;
	s->base = p->state;
	checkpoint_key_of(t->request, job->first_ub, &s->base.key);
	s->base.best = o->best;
	s->base.order = o->order;
	s->base.work = NULL;
}

/* The state at the end: what is left, if anything. */
static int save_end(struct dfs_team *t, struct err *e)
{
	struct dfs_saver *s = &t->saver;
	int status = 0;

	if (!s->path)
		return 0;
	s->reserve = t->reserve;
	for (s->parts = 0; !status && s->parts < t->count; s->parts++)
		status = dfs_device_copy(&t->device[s->parts], &s->part[s->parts], e);
	return status ? status : dfs_saver_write(s, e);
}

/* ---- outcome ---- */

/* The better of what is known and one device's findings; its balance but for what is left. */
static int add_findings(struct dfs_team *t, int d, struct search_outcome *o, struct balance *b,
			struct err *e)
{
	int jobs = t->request->flowshop->jobs;
	struct dfs_findings f;
	int status = dfs_device_findings(&t->device[d], &f, e);

	o->explored += f.tally.explored;
	o->decomposed += f.tally.decomposed;
	o->leaves += f.tally.leaves;
	o->evaluated += f.tally.evaluated;
	o->worker_explored[d] = f.tally.explored;
	b->received = t->device[d].received;
	b->pushed = f.tally.explored;
	b->popped = f.tally.decomposed;
	b->dropped = f.tally.cut;
	b->given = t->device[d].given;
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

/* Every node that was on a stack or in the reserve was searched, or is still there. */
static int check_balance(struct dfs_team *t, const struct balance *devices, struct err *e)
{
	static const struct balance_name name = { .engine = "depth-first search",
						  .part = "device" };

	t->host.left = dfs_reserve_left(&t->reserve, t->saver.job);
	return balance_check_all(devices, t->count, &t->host, &name, !t->stopped, e);
}

/* Counts and schedule of all devices and of the past; the bound of what is left where the search
 * was stopped. */
static int collect(struct dfs_team *t, const struct past *p, struct search_outcome *o,
		   struct err *e)
{
	int64_t open = INT64_MAX;
	int32_t bound = dfs_reserve_bound(&t->reserve, t->saver.job);
	struct balance devices[DEV_MAX] = { { 0 } };
	int status = 0;

	o->explored = p->state.explored;
	o->decomposed = p->state.decomposed;
	o->leaves = p->state.leaves;
	o->evaluated = p->state.evaluated;
	for (int d = 0; !status && d < t->count; d++) {
		open = bound < INT32_MAX && bound < open ? bound : open;
		bound = INT32_MAX;
		if (t->stopped)
			status = dfs_device_left(&t->device[d], &devices[d].left, e);
		if (!status && t->stopped)
			status = dfs_device_survey(&t->device[d], &bound, e);
		if (!status)
			status = add_findings(t, d, o, &devices[d], e);
	}
	if (!status)
		status = check_balance(t, devices, e);
	if (dfs_counts_in_part(&p->state))
		o->explored = o->evaluated = 0;
	open = bound < INT32_MAX && bound < open ? bound : open;
	o->complete = !status && open >= o->best;
	/* nodes from a file are known by LB1 alone: the root's own bound may be more */
	bound = fsp_root_bound(&t->saver.job->tables, t->request->bound);
	/* after an error it is not known what is open */
	open = status || bound > open ? bound : open;
	o->lower_bound = open < o->best ? open : o->best;
	o->steals_tried = t->steals_tried;
	o->steals_done = t->steals_done;
	o->nodes_stolen = t->nodes_stolen;
	o->offloads = t->rounds;
	if (!status && !o->complete)
		status = interrupt_status(&t->interrupt, e);
	return status;
}

static void know_the_root(const struct dfs_team *t, const struct past *p, struct search_outcome *o)
{
	int32_t bound = fsp_root_bound(&t->saver.job->tables, t->request->bound);

	o->lower_bound = bound < o->best ? bound : o->best;
	o->explored = p->state.explored;
	o->decomposed = p->state.decomposed;
	o->leaves = p->state.leaves;
	o->evaluated = p->state.evaluated;
}

static int search_from(struct dfs_team *t, const struct past *p, struct dfs_job *job, bool orders,
		       struct search_outcome *o, struct err *e)
{
	double begin = clock_wall(), opened;
	int status = dfs_job_make(job, t->request, p->state.key.first_ub, orders, e);

	o->best = job->ub;
	o->order = job->start;
	job->start = NULL;
	t->best = (int32_t)job->ub;
	t->reserve = (struct dfs_reserve){ .work = p->state.work, .count = p->state.count };
	if (!status)
		status = open_team(t, job, e);
	t->host.initial = dfs_reserve_left(&t->reserve, job);
	opened = clock_wall();
	o->seconds_setup = opened - begin;
	begin_saver(t, job, p, o);
	/* what stands where devices are cancelled: the root's bound, and the counts of the past */
	if (!status || status == ERR_LIMIT)
		know_the_root(t, p, o);
	if (!status)
		status = dfs_team_run(t, e);
	if (!status)
		status = save_end(t, e);
	if (!status)
		status = collect(t, p, o, e);
	o->seconds_search = clock_wall() - opened;
	return status;
}

static int run(const struct search_request *r, bool orders, struct search_outcome *o, struct err *e)
{
	double begin = clock_wall();
	struct search_request mine = *r;
	struct dfs_team *t = calloc(1, sizeof(*t));
	struct dfs_job job = { .request = NULL };
	struct past past;
	int status;

	*o = (struct search_outcome){ .lower_bound = 0 };
	if (!t)
		return err_set(e, ERR_MEMORY, "no memory for the devices of a search");
	t->request = &mine;
	o->workers = t->count = r->gpus ? r->gpus : r->devices->count;
	t->interrupt = interrupt_from(r);
	status = read_past(r, &past, e);
	if (!status) {
		start_from(&mine, &past);
		status = search_from(t, &past, &job, orders, o, e);
	}
	close_team(t);
	dfs_job_free(&job);
	checkpoint_free(&past.state);
	free(t);
	o->seconds_total = clock_wall() - begin;
	return status;
}

int dfs_search(const struct search_request *r, struct search_outcome *o, struct err *e)
{
	int status = check(r, e);

	if (status)
		return status;
	status = run(r, r->checkpoint || may_improve(r), o, e);
	if (o->best < r->ub && !o->order && status == ERR_LIMIT) {
		/* the proof was wrong, but no schedule is at hand to show it */
		o->best = r->ub;
	} else if (o->best < r->ub && !o->order && !status) {
		search_outcome_free(o);
		status = run(r, true, o, e);
	}
	return status;
}
