/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Every device has a host thread. A device without nodes (a hungry one) asks the device that has
 * the most nodes and waits for its reply. The device that is asked ends its round (the halt flag in
 * the mail), gives nodes or refuses, and continues. A device that joins later (joining.h) begins
 * hungry. When all devices are hungry, no open node is left. Only devices that wait for no reply
 * react to a stop, so that no node is in transit when the open nodes are surveyed. */
#include "algorithms/tree-search/depth-first/dfs_search.h"

#include <pthread.h>
#include <stdlib.h>

#include "algorithms/tree-search/checkpoint.h"
#include "algorithms/tree-search/depth-first/dfs_checkpoint.h"
#include "algorithms/tree-search/depth-first/dfs_levels.h"
#include "algorithms/tree-search/exchange.h"
#include "algorithms/tree-search/flowshop/fsp_tables.h"
#include "algorithms/tree-search/joining.h"
#include "algorithms/tree-search/search.h"
#include "harness/base/clock.h"
#include "harness/base/team.h"

/* ---- the devices ---- */

struct dfs {
	const struct search_request *request;
	struct dfs_device device[DEV_MAX];
	struct dfs_mail *mail; /* pinned */
	int count;             /* devices that may search */
	int joined;            /* that do */
	struct joining joining;
	struct interrupt interrupt;

	pthread_mutex_t lock;
	pthread_cond_t changed;
	int32_t best;
	bool stopped; /* stopped by a limit or signal */
	bool done;    /* no open node is left anywhere, or an error occurred */
	int status;
	struct err error;
	int hungry_count;
	struct dfs_reserve reserve; /* for hungry devices, before they ask others */
	struct balance host;        /* of the reserve */
	struct dfs_saver saver;
	int64_t exchanged[FLOWSHOP_MAX_JOBS]; /* the order of saver.base, if it was taken from the
						 exchange */
	bool saving; /* Each device copies its stacks when its round has ended. Until all have done
		      * so, no device asks another one for nodes. */
	int saved_count;
	struct {
		bool saved;
		bool hungry;
		int asked_by;     /* device that waits for nodes of this one, -1: none */
		int64_t received; /* nodes sent by the device asked; -1: no reply yet */
		int64_t entries;
		int feeds;     /* how often it received nodes from the reserve */
		double shown;  /* when its nodes were last counted; clock_wall() */
		double gauged; /* the same for its open nodes by depth */
	} state[DEV_MAX];
	struct dfs_gauge gauge;
	uint64_t steals_tried, steals_done, nodes_stolen, rounds;
};

/* Between two counts of a device's nodes; with a node limit. */
#define SHOW_SECONDS 0.5
#define LIMITED_SECONDS 0.01

struct worker {
	struct dfs *team;
	int self;
};

static void set_halt(struct dfs *t, int device, int32_t value)
{
	__atomic_store_n(&t->mail[device].halt, value, __ATOMIC_RELEASE);
}

/* ---- with the lock held ---- */

static void fail(struct dfs *t, int status, const struct err *e)
{
	if (!t->status) {
		t->status = status;
		t->error = *e;
	}
	t->done = true;
	pthread_cond_broadcast(&t->changed);
}

/* Fewer nodes are not worth a copy. */
static int64_t least_share(const struct dfs *t, int device)
{
	return t->device[device].world.warps;
}

static int choose_victim(const struct dfs *t, int self)
{
	int victim = -1;
	int64_t most = 0;

	if (t->saving || (t->request->no_stealing && t->state[self].feeds))
		return -1;
	for (int d = 0; d < t->count; d++) {
		if (d == self || t->state[d].hungry || t->state[d].asked_by >= 0)
			continue;
		if (t->state[d].entries >= least_share(t, d) && t->state[d].entries > most) {
			most = t->state[d].entries;
			victim = d;
		}
	}
	return victim;
}

static void wait_some_time(struct dfs *t)
{
	clock_cond_wait(&t->changed, &t->lock, 2e-4);
}

/* Waits for the victim's reply. Returns the number of nodes received. */
static int64_t ask(struct dfs *t, int self, int victim)
{
	t->state[self].received = -1;
	t->state[victim].asked_by = self;
	t->steals_tried++;
	set_halt(t, victim, 1);
	while (t->state[self].received < 0 && !t->status)
		pthread_cond_wait(&t->changed, &t->lock);
	if (t->state[self].received <= 0)
		return 0;
	t->steals_done++;
	t->nodes_stolen += (uint64_t)t->state[self].received;
	t->state[self].feeds++;
	return t->state[self].received;
}

/* ---- checkpoints ---- */

/* A checkpoint has the solution of each bound that its stacks were pruned with. Called when all
 * stacks have been copied and no checkpoint is being written. */
static void save_exchanged(struct dfs *t)
{
	struct checkpoint *base = &t->saver.base;
	int64_t value = exchange_take(t->request->exchange, base->best, t->exchanged);

	if (value >= base->best)
		return;
	base->best = value;
	base->order = t->exchanged;
}

/* Starts writing. All devices have copied their stacks or have none. */
static void end_saving(struct dfs *t)
{
	struct err e = { 0 };
	int status;

	save_exchanged(t);
	status = dfs_saver_start(&t->saver, &e);
	t->saving = false;
	if (status)
		fail(t, status, &e);
	pthread_cond_broadcast(&t->changed);
}

/* Waits for the previous checkpoint and asks all devices for their parts. The search ends if the
 * previous checkpoint failed. */
static void begin_saving(struct dfs *t)
{
	struct err e = { 0 };
	int status = dfs_saver_finish(&t->saver, &e);

	if (status) {
		fail(t, status, &e);
		return;
	}
	t->saving = true;
	t->saved_count = 0;
	t->saver.parts = t->count;
	t->saver.reserve = t->reserve;
	for (int d = 0; d < t->count; d++) {
		t->state[d].saved = false;
		t->saver.part[d] = (struct dfs_part){ .warps = 0 };
		set_halt(t, d, 1);
	}
	pthread_cond_broadcast(&t->changed);
}

/* Copies this device's part if a checkpoint needs it and it has not been copied yet. No node is in
 * transit from or to this device. The lock is released during the copy. */
static void save_part(struct dfs *t, int self)
{
	struct err e = { 0 };
	int status;

	if (!t->saving && !t->status && dfs_saver_due(&t->saver))
		begin_saving(t);
	if (!t->saving || t->state[self].saved)
		return;
	set_halt(t, self, 0);
	t->state[self].saved = true;
	pthread_mutex_unlock(&t->lock);
	status = dfs_device_copy(&t->device[self], &t->saver.part[self], &e);
	pthread_mutex_lock(&t->lock);
	if (status)
		fail(t, status, &e);
	if (++t->saved_count == t->count)
		end_saving(t);
}

/* ---- the reserve ---- */

static int put_packets(struct dfs *t, int self, uint32_t *packets, int32_t amount, struct err *e)
{
	int status;

	pthread_mutex_unlock(&t->lock);
	status = dfs_device_put(&t->device[self], packets, amount, e);
	pthread_mutex_lock(&t->lock);
	return status;
}

/* Moves nodes from the reserve to this device, whose stacks are empty: an equal share, or half of
 * that if the device received nodes from the reserve before. */
static int take_reserve(struct dfs *t, int self, struct err *e)
{
	struct dfs_device *d = &t->device[self];
	int64_t share = (int64_t)(dfs_reserve_left(&t->reserve, d->job) /
				  (uint64_t)(t->joined * (t->state[self].feeds ? 2 : 1))) +
			1;
	int32_t most = d->world.packet_capacity / 2 > 1 ? d->world.packet_capacity / 2 : 1;
	uint32_t *packets = malloc((size_t)most * ((size_t)d->world.row_words + 4) * 4);
	int status = packets ? 0 : err_set(e, ERR_MEMORY, "no memory for %d nodes", most);

	share = share < d->room ? share : d->room;
	/* if a checkpoint begins meanwhile, the rest stays in the reserve */
	while (!status && t->state[self].entries < share && (!t->saving || t->state[self].saved)) {
		int64_t rest = share - t->state[self].entries;
		int32_t got = dfs_reserve_take(&t->reserve, d->job, packets,
					       (int32_t)(rest < most ? rest : most));

		if (!got)
			break;
		t->state[self].entries += got;
		t->host.given += (uint64_t)got;
		status = put_packets(t, self, packets, got, e);
	}
	t->state[self].feeds++;
	free(packets);
	return status;
}

static bool reserve_is_empty(const struct dfs *t)
{
	return t->reserve.at == t->reserve.count;
}

/* The lock is released during the copies. No device asks this one, because it is still marked
 * hungry. No device concludes that the search is over, because this one is not counted as hungry.
 */
static bool feed_from_reserve(struct dfs *t, int self)
{
	struct err e = { 0 };
	int status;

	t->hungry_count--;
	status = take_reserve(t, self, &e);
	watch_left(t->request->watch, self, -1);
	t->hungry_count++;
	if (status)
		fail(t, status, &e);
	return !status;
}

/* Waits for work. Returns false if the search is over. */
static bool feed(struct dfs *t, int self)
{
	bool fed = false;

	t->state[self].hungry = true;
	t->hungry_count++;
	watch_left(t->request->watch, self, 0);
	while (!t->done && !t->stopped && !fed) {
		int victim;

		save_part(t, self);
		victim = choose_victim(t, self);
		if (t->done || t->stopped)
			break;
		if (!reserve_is_empty(t)) {
			fed = feed_from_reserve(t, self);
		} else if (t->hungry_count == t->joined) {
			t->done = true;
			pthread_cond_broadcast(&t->changed);
		} else if (victim >= 0) {
			fed = ask(t, self, victim) > 0;
		} else {
			t->stopped = t->stopped || interrupt_due(&t->interrupt);
			wait_some_time(t);
		}
	}
	if (fed) {
		t->state[self].hungry = false;
		t->hungry_count--;
	}
	return fed;
}

/* Replies to the device that asked this one, if any. The lock is released while nodes are
 * copied. */
static void answer(struct dfs *t, int self)
{
	int asker = t->state[self].asked_by;
	int64_t entries = t->state[self].entries, moved = 0;
	struct err e = { 0 };
	int status = 0;

	if (asker < 0)
		return;
	set_halt(t, self, 0);
	if (entries >= least_share(t, self) && !t->status) {
		int64_t amount = entries / (t->hungry_count + 1);

		pthread_mutex_unlock(&t->lock);
		status = dfs_device_give(&t->device[self], &t->device[asker], amount, &moved, &e);
		pthread_mutex_lock(&t->lock);
		if (status)
			fail(t, status, &e);
		watch_left_moved(t->request->watch, self, asker, (double)moved / (double)entries);
		t->state[self].entries -= moved;
		t->state[asker].entries = moved;
	}
	t->state[self].asked_by = -1;
	t->state[asker].received = moved;
	pthread_cond_broadcast(&t->changed);
}

/* Tells the estimated nodes below the open ones of this device, and below the reserve. Called
 * without the lock. */
static int show_left(struct dfs *t, int self, struct err *e)
{
	const struct dfs_levels *l =
		dfs_gauge_levels_with(&t->gauge, t->device[self].seen->best, t->device[self].pairs);
	uint32_t open[FLOWSHOP_MAX_JOBS];
	int status;

	if (!l)
		return 0;
	status = dfs_device_depths(&t->device[self], open, e);
	if (status)
		return status;
	pthread_mutex_lock(&t->lock);
	watch_left(t->request->watch, self, dfs_levels_open(l, open));
	watch_left(t->request->watch, WATCH_HOST,
		   dfs_levels_records(l, t->reserve.work, t->reserve.at, t->reserve.count));
	pthread_mutex_unlock(&t->lock);
	return 0;
}

/* Tells the watch the nodes of this device, without the lock. The counts of the warps are copied
 * for that, so this happens only from time to time. */
static int show_nodes(struct dfs *t, int self, struct err *e)
{
	struct watch *watch = t->request->watch;
	double now = clock_wall();
	uint64_t nodes;
	int status;

	if (!watch ||
	    now < t->state[self].shown + (watch->node_limit ? LIMITED_SECONDS : SHOW_SECONDS))
		return 0;
	status = dfs_device_decomposed(&t->device[self], &nodes, e);
	if (!status)
		watch_count(watch, self, nodes);
	t->state[self].shown = now;
	if (!status && now >= t->state[self].gauged + SHOW_SECONDS) {
		t->state[self].gauged = now;
		status = show_left(t, self, e);
	}
	return status;
}

/* Offers a better schedule of this device to the heuristics beside the search. Without the lock. */
static int offer(struct dfs *t, int self, struct err *e)
{
	struct exchange *x = t->request->exchange;
	int64_t order[FLOWSHOP_MAX_JOBS];
	struct dfs_findings f;
	int status;

	if (!x || t->device[self].seen->best >= exchange_value(x))
		return 0;
	status = dfs_device_findings(&t->device[self], &f, e);
	if (status)
		return status;
	for (int i = 0; f.order && i < t->request->flowshop->jobs; i++)
		order[i] = f.order[i];
	if (f.order)
		exchange_offer(x, EXCHANGE_SEARCH, f.best, order);
	free(f.order);
	return 0;
}

/* The bound of the next round: that of all devices and of the exchange. */
static int32_t bound_of_round(struct dfs *t)
{
	int64_t value = exchange_value(t->request->exchange);

	if (value < t->best && !t->request->private_incumbent)
		t->best = (int32_t)value;
	return t->best;
}

static void learn(struct dfs *t, int self)
{
	const struct dfs_control *seen = t->device[self].seen;

	t->state[self].entries = (int64_t)seen->entries;
	t->rounds++;
	if (seen->best < t->best) {
		watch_incumbent(t->request->watch, seen->best);
		t->best = t->request->private_incumbent ? t->best : seen->best;
	}
	watch_devices(t->request->watch, t->joined - t->hungry_count, t->count);
	t->stopped = t->stopped || interrupt_due(&t->interrupt);
}

static int open_device(struct dfs *t, int self, struct err *e)
{
	return dfs_device_open(&t->device[self], t->request->devices->dev[self], t->saver.job,
			       t->mail, t->count, self, e);
}

/* Joins the search without nodes. Returns false if the search does not need this device, or if it
 * cannot be opened: the others go on without it. */
static bool join(struct dfs *t, int self)
{
	if (!joining_wait(&t->joining, self))
		return false;
	if (open_device(t, self, NULL) ||
	    joining_connect(&t->joining, self, t->device[self].stream, NULL)) {
		joining_refuse(&t->joining, self);
		dfs_device_close(&t->device[self]);
		return false;
	}
	pthread_mutex_lock(&t->lock);
	t->joined++;
	return true;
}

static void work(void *argument)
{
	struct worker *w = argument;
	struct dfs *t = w->team;
	int self = w->self;

	if (self < joining_first(&t->joining, t->count))
		pthread_mutex_lock(&t->lock);
	else if (!join(t, self))
		return;
	while (!t->status) {
		struct err e = { 0 };
		int32_t best = bound_of_round(t);
		int status;

		if (!t->state[self].entries) {
			answer(t, self);
			if (!feed(t, self))
				break;
		}
		if (t->stopped)
			break;
		pthread_mutex_unlock(&t->lock);
		status = dfs_device_round(&t->device[self], best, &e);
		if (!status)
			status = dfs_device_choose_pairs(&t->device[self], &e);
		if (!status)
			status = show_nodes(t, self, &e);
		if (!status)
			status = offer(t, self, &e);
		pthread_mutex_lock(&t->lock);
		if (status)
			fail(t, status, &e);
		else
			learn(t, self);
		answer(t, self);
		save_part(t, self);
	}
	t->state[self].hungry = true; /* no device asks one that has left */
	answer(t, self);
	pthread_cond_broadcast(&t->changed);
	pthread_mutex_unlock(&t->lock);
	joining_end(&t->joining);
}

static int run_devices(struct dfs *t, struct err *e)
{
	struct worker workers[DEV_MAX];
	int status, saved;

	pthread_mutex_init(&t->lock, NULL);
	clock_cond_init(&t->changed);
	for (int d = 0; d < t->count; d++) {
		t->state[d].asked_by = -1;
		t->state[d].hungry = true; /* until it has nodes */
		workers[d] = (struct worker){ .team = t, .self = d };
	}
	status = team_run_all(work, workers, sizeof(*workers), t->count, e);
	pthread_cond_destroy(&t->changed);
	pthread_mutex_destroy(&t->lock);
	if (!status && t->status) {
		status = t->status;
		if (e)
			*e = t->error;
	}
	saved = dfs_saver_finish(&t->saver, status ? NULL : e);
	return status ? status : saved;
}

/* ---- the search as a whole ---- */

/* Whether a schedule better than ub can exist: unless ub is proved to be optimal (a value that is
 * merely listed is no proof). This decides only whether moves are kept: a search that finds such a
 * schedule without its order is repeated. */
static bool may_improve(const struct search_request *r)
{
	const struct flowshop_known *known = flowshop_known_of(r->flowshop);

	return !known || !flowshop_is_proved(known) || r->ub > known->upper;
}

static int check(const struct search_request *r, struct err *e)
{
	if (!r->flowshop)
		return err_set(e, ERR_USAGE, "the depth-first search supports only flowshop");
	if (!r->devices || r->devices->count < 1)
		return err_set(e, ERR_DEVICE, "the tuned search needs a device");
	if (r->gpus < 0 || r->gpus > r->devices->count)
		return err_set(e, ERR_USAGE, "%d devices were requested, but %d are open", r->gpus,
			       r->devices->count);
	if (r->ub < 0 || r->ub > INT32_MAX)
		return err_set(e, ERR_USAGE, "the upper bound %lld is out of range",
			       (long long)r->ub);
	return 0;
}

static int open_devices(struct dfs *t, struct err *e)
{
	size_t bytes = (size_t)t->count * sizeof(*t->mail);
	int status = dev_host_alloc(t->request->devices->dev[0], (void **)&t->mail, bytes, e);

	for (int d = 0; !status && d < t->count; d++)
		t->mail[d] = (struct dfs_mail){ .best = INT32_MAX };
	for (int d = 0; !status && d < t->joined; d++)
		status = open_device(t, d, e);
	for (int d = 1; !status && d < t->joined; d++)
		status = joining_connect(&t->joining, d, t->device[d].stream, e);
	return status;
}

static void close_devices(struct dfs *t)
{
	for (int d = 0; d < t->count; d++)
		dfs_device_close(&t->device[d]);
	joining_close(&t->joining);
	dev_host_free(t->request->devices->dev[0], t->mail);
}

/* ---- earlier runs ---- */

/* The root as a record: no child is listed, so the node itself is open. */
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

/* Opens the start of a run: the root, or earlier work. */
static int open_past(const struct search_request *r, struct checkpoint_past *p, struct err *e)
{
	int status = checkpoint_past_open(p, r, CHECKPOINT_NODES, e);

	return status || p->resumed ? status : root_only(r, &p->state, e);
}

/* Starts from the better of the request's start and the earlier runs' solution. */
static void start_from(struct search_request *r, const struct checkpoint_past *p)
{
	if (!p->resumed || r->ub < p->state.best)
		return;
	r->ub = p->state.best;
	r->start = p->state.order;
}

static void begin_saver(struct dfs *t, const struct dfs_job *job, const struct checkpoint_past *p,
			const struct search_outcome *o)
{
	const struct checkpoint_plan *plan = t->request->checkpoint;
	struct dfs_saver *s = &t->saver;

	s->job = job;
	s->begin = clock_wall();
	if (!checkpoint_is_kept(plan))
		return;
	s->request = plan->write ? t->request : NULL;
	s->period = checkpoint_period(plan);
	s->next = s->begin + s->period;
	s->base = p->state;
	checkpoint_key_of(t->request, job->first_ub, &s->base.key);
	s->base.best = o->best;
	s->base.order = o->order;
	s->base.work = NULL;
}

/* Writes and keeps the state at the end, with the open nodes if there are any. */
static int save_end(struct dfs *t, struct err *e)
{
	struct dfs_saver *s = &t->saver;
	int status = 0;

	if (!checkpoint_is_kept(t->request->checkpoint))
		return 0;
	save_exchanged(t);
	s->reserve = t->reserve;
	for (s->parts = 0; !status && s->parts < t->count; s->parts++)
		status = dfs_device_copy(&t->device[s->parts], &s->part[s->parts], e);
	return status ? status : dfs_saver_end(s, t->request, e);
}

/* Keeps the state from which this run started: the devices were cancelled, so their nodes are lost.
 * Returns ERR_LIMIT or ERR_MEMORY. */
static int keep_start(struct dfs *t, const struct checkpoint_past *p, struct err *e)
{
	const struct checkpoint_plan *plan = t->request->checkpoint;
	struct checkpoint c = t->saver.base;
	int status;

	if (!plan || !plan->left)
		return ERR_LIMIT;
	c.form = CHECKPOINT_NODES;
	c.count = p->state.count;
	c.work = p->state.work;
	status = checkpoint_copy(plan->left, &c, true, e);
	return status ? status : ERR_LIMIT;
}

/* ---- outcome ---- */

/* Takes over one device's best schedule if it is better, and makes the device's balance, without
 * the open nodes. */
static int add_findings(struct dfs *t, int d, struct search_outcome *o, struct balance *b,
			struct err *e)
{
	int jobs = t->request->flowshop->jobs;
	struct dfs_findings f;
	int status = dfs_device_findings(&t->device[d], &f, e);

	o->explored += f.tally.explored;
	o->decomposed += f.tally.decomposed;
	o->leaves += f.tally.leaves;
	o->evaluated += f.tally.evaluated;
	o->cut += f.tally.pruned;
	o->worker_explored[d] = f.tally.explored;
	b->received = t->device[d].received;
	b->pushed = f.tally.explored;
	b->popped = f.tally.decomposed + f.tally.pruned;
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

/* Takes over a better schedule of the exchange. Called after those of the devices. */
static int add_exchanged(struct dfs *t, struct search_outcome *o, struct err *e)
{
	struct exchange *x = t->request->exchange;

	if (exchange_value(x) >= o->best)
		return 0;
	if (!o->order)
		o->order = malloc((size_t)t->request->flowshop->jobs * sizeof(*o->order));
	if (!o->order)
		return err_set(e, ERR_MEMORY, "no memory for a schedule");
	o->best = exchange_take(x, o->best, o->order);
	return 0;
}

/* Checks that every node that was on a stack or in the reserve was searched or is still there. */
static int check_balance(struct dfs *t, const struct balance *devices, struct err *e)
{
	static const struct balance_name name = { .engine = "depth-first search",
						  .part = "device" };

	t->host.left = dfs_reserve_left(&t->reserve, t->saver.job);
	return balance_check_all(devices, t->count, &t->host, &name, !t->stopped, e);
}

/* Counts and schedule of all devices and earlier runs. If the search was stopped, also the bound of
 * the open nodes. */
static int collect(struct dfs *t, const struct checkpoint_past *p, struct search_outcome *o,
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
		if (!t->device[d].job)
			continue;
		o->workers = d + 1;
		o->devices_used |= (uint32_t)(t->state[d].feeds > 0) << d;
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
		status = add_exchanged(t, o, e);
	if (!status)
		status = check_balance(t, devices, e);
	if (dfs_counts_are_partial(&p->state))
		o->explored = o->evaluated = 0;
	open = bound < INT32_MAX && bound < open ? bound : open;
	o->complete = !status && open >= o->best;
	/* only LB1 of nodes from a file is known: the root's own bound may be larger */
	bound = fsp_root_bound(&t->saver.job->tables, t->request->bound);
	/* after an error the open nodes are not known */
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

static void report_root_bound(const struct dfs *t, const struct checkpoint_past *p,
			      struct search_outcome *o)
{
	int32_t bound = fsp_root_bound(&t->saver.job->tables, t->request->bound);

	o->lower_bound = bound < o->best ? bound : o->best;
	o->explored = p->state.explored;
	o->decomposed = p->state.decomposed;
	o->leaves = p->state.leaves;
	o->evaluated = p->state.evaluated;
}

static int search_from(struct dfs *t, const struct checkpoint_past *p, struct dfs_job *job,
		       bool orders, struct search_outcome *o, struct err *e)
{
	double begin = clock_wall(), opened;
	int status = dfs_job_make(job, t->request, p->state.key.first_ub, orders, e);

	o->best = job->ub;
	o->order = job->start;
	job->start = NULL;
	t->best = (int32_t)job->ub;
	t->reserve = (struct dfs_reserve){ .work = p->state.work, .count = p->state.count };
	t->saver.job = job;
	if (!status)
		status = open_devices(t, e);
	t->host.initial = dfs_reserve_left(&t->reserve, job);
	opened = clock_wall();
	o->seconds_setup = opened - begin;
	begin_saver(t, job, p, o);
	dfs_gauge_open(&t->gauge, t->request, job->first_ub, t->count, p->state.decomposed);
	for (int d = t->joined; d < t->count; d++) /* those that may join have nothing yet */
		watch_left(t->request->watch, d, 0);
	/* the outcome if devices are cancelled: the root's bound, and the counts of earlier runs */
	if (!status || status == ERR_LIMIT)
		report_root_bound(t, p, o);
	joining_begin(&t->joining, o->seconds_setup);
	if (!status)
		status = run_devices(t, e);
	if (status == ERR_LIMIT)
		status = keep_start(t, p, e);
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
	struct dfs *t = calloc(1, sizeof(*t));
	struct dfs_job job = { .request = NULL };
	struct checkpoint_past past;
	int status;

	*o = (struct search_outcome){ .lower_bound = 0 };
	if (!t)
		return err_set(e, ERR_MEMORY, "no memory for the devices of a search");
	t->request = &mine;
	o->workers = t->count = r->gpus ? r->gpus : r->devices->count;
	joining_open(&t->joining, r, t->count);
	t->joined = joining_first(&t->joining, t->count);
	t->interrupt = interrupt_from(r);
	status = open_past(r, &past, e);
	if (!status) {
		start_from(&mine, &past);
		status = search_from(t, &past, &job, orders, o, e);
	}
	close_devices(t);
	dfs_job_free(&job);
	checkpoint_past_close(&past);
	dfs_gauge_close(&t->gauge);
	free(t);
	o->seconds_total = clock_wall() - begin;
	return status;
}

int dfs_search(const struct search_request *r, struct search_outcome *o, struct err *e)
{
	int status = check(r, e);

	if (status)
		return status;
	status = run(r, r->checkpoint || r->exchange || may_improve(r), o, e);
	if (o->best < r->ub && !o->order && status == ERR_LIMIT) {
		/* the known optimum is wrong, but the better schedule was not kept */
		o->best = r->ub;
	} else if (o->best < r->ub && !o->order && !status) {
		search_outcome_free(o);
		status = run(r, true, o, e);
	}
	return status;
}
