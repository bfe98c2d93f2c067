/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/tree-search/proof/proof.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "algorithms/tree-search/checkpoint.h"
#include "algorithms/tree-search/depth-first/dfs_search.h"
#include "algorithms/tree-search/proof/proof_device.h"
#include "harness/base/clock.h"
#include "harness/base/team.h"

/* ---- the walk ---- */

int proof_walk_open(struct proof_walk *w, const struct proof *p, struct err *e)
{
	size_t n = (size_t)p->tables.jobs;

	*w = (struct proof_walk){ .p = p, .kernel = dfs_cpu_kernel_of(p->flowshop), .depth = -1 };
	w->tables = task_team_alloc(w->kernel->tables_bytes(&p->tables));
	w->scratch = task_team_alloc(w->kernel->scratch_bytes(&p->tables));
	w->level = calloc(n, sizeof(*w->level));
	w->jobs = malloc(n * n * sizeof(*w->jobs));
	w->order = calloc(n, sizeof(*w->order));
	if (!w->tables || !w->scratch || !w->level || !w->jobs || !w->order)
		return err_set(e, ERR_MEMORY, "no memory for a path of %zu jobs", n);
	w->kernel->tables_make(&p->tables, w->tables);
	w->kernel->scratch_make(&p->tables, w->scratch);
	for (size_t i = 0; i < n; i++)
		w->level[i].job = w->jobs + i * n;
	return 0;
}

void proof_walk_close(struct proof_walk *w)
{
	free(w->tables);
	free(w->scratch);
	free(w->level);
	free(w->jobs);
	free(w->order);
}

/* Bounds the children of the node at w->depth and keeps those that are not pruned. */
static void open_node(struct proof_walk *w)
{
	const struct dfs_cpu_bounds *b = &w->bounds;
	struct proof_level *l = &w->level[w->depth];
	const int32_t *bound;

	w->nodes++;
	w->kernel->bound(&w->p->tables, w->tables, w->scratch, &l->node, FSP_LB1, true, INT32_MAX,
			 &w->bounds);
	l->at_end = dfs_cpu_at_end(FSP_MINBRANCH, w->p->bound, b);
	bound = l->at_end ? b->end : b->begin;
	l->at = l->count = 0;
	if (l->node.left == 1) {
		if (b->begin[0] < w->p->bound) {
			w->order[l->node.prefix] = b->job[0];
			w->shorter = b->begin[0];
		}
		return;
	}
	for (int i = 0; i < b->count; i++)
		if (bound[i] < w->p->bound)
			l->job[l->count++] = b->job[i];
}

static void place(struct proof_walk *w, bool at_end, int job)
{
	const struct dfs_cpu_node *from = &w->level[w->depth].node;

	w->order[at_end ? w->p->tables.jobs - 1 - from->suffix : from->prefix] = (uint16_t)job;
	dfs_cpu_place(&w->p->tables, from, at_end, job, &w->level[w->depth + 1].node);
	w->depth++;
}

void proof_walk_start(struct proof_walk *w, const uint16_t *record)
{
	const uint16_t *job = record + RECORD_ITEMS;
	int n = w->p->tables.jobs;

	dfs_cpu_root(&w->p->tables, &w->level[0].node);
	w->depth = 0;
	w->nodes = 0;
	w->shorter = 0;
	for (int i = 0; i < record[RECORD_PREFIX]; i++)
		place(w, false, job[i]);
	for (int i = n - 1; i >= n - record[RECORD_SUFFIX]; i--)
		place(w, true, job[i]);
	w->base = w->depth;
	open_node(w);
}

bool proof_walk_on(struct proof_walk *w, uint64_t most)
{
	uint64_t end = w->nodes + most;

	while (w->depth >= w->base && !w->shorter) {
		struct proof_level *l = &w->level[w->depth];

		if (l->at == l->count) {
			w->depth--;
			continue;
		}
		if (w->nodes >= end)
			return true;
		place(w, l->at_end, l->job[l->at++]);
		open_node(w);
	}
	return false;
}

/* ---- the team ---- */

enum {
	POLL = 1024,          /* nodes between two looks at the flags */
	DEVICE_NODES = 20000, /* a part with more nodes is counted by the devices */
	SHARED_NODES = 200000 /* the least nodes of a part before it is divided among threads */
};
static const double SAVE_SECONDS = 10;
static const double ALONE_SECONDS = 5;

struct team_of_parts {
	struct proof *p;
	struct proof_counting *c;
	pthread_mutex_t lock;          /* of the fields below, and of p->count and the files */
	pthread_mutex_t engine;        /* held by the thread that runs a search */
	struct proof_devices *devices; /* NULL: on cores */
	uint64_t next;                 /* part that nobody has taken */
	_Atomic int waiting;           /* threads that found no part to take */
	_Atomic bool ended;            /* by a stop, an error or a shorter schedule */
	uint64_t left;                 /* parts to be counted */
	int status;
	struct err error;
	double save_at;
	struct checkpoint *open; /* [threads] of parts that are to be divided among all threads */
	uint64_t *open_part;
	int open_count;
};

struct member {
	struct team_of_parts *t;
	struct proof_walk walk;
};

static bool stops(const struct team_of_parts *t)
{
	return atomic_load(&t->ended) || (t->c->stop && *t->c->stop);
}

static void end_with(struct team_of_parts *t, int status, const struct err *e)
{
	pthread_mutex_lock(&t->lock);
	t->status = err_merge(t->status, status, e, &t->error);
	pthread_mutex_unlock(&t->lock);
	atomic_store(&t->ended, true);
}

static void open_path(const struct team_of_parts *t, uint64_t part, char *path, size_t size)
{
	snprintf(path, size, "%s.%" PRIu64, t->c->partial, part);
}

static void set_count(struct team_of_parts *t, uint64_t part, uint64_t nodes)
{
	char path[4096];
	struct err e = { 0 };
	int status = 0;

	open_path(t, part, path, sizeof(path));
	pthread_mutex_lock(&t->lock);
	t->p->count[part] = nodes;
	t->left--;
	if (t->c->progress)
		progress_update(t->c->progress, (double)(t->p->parts - t->left), "");
	if (clock_wall() >= t->save_at) {
		status = proof_save(t->p, t->c->partial, &e);
		t->save_at = clock_wall() + SAVE_SECONDS;
	}
	pthread_mutex_unlock(&t->lock);
	unlink(path);
	if (status)
		end_with(t, status, &e);
}

static void set_shorter(struct team_of_parts *t, int64_t makespan, const int64_t *order)
{
	pthread_mutex_lock(&t->lock);
	if (!t->c->shorter || makespan < t->c->shorter) {
		t->c->shorter = makespan;
		memcpy(t->c->order, order, (size_t)t->p->tables.jobs * sizeof(*order));
	}
	pthread_mutex_unlock(&t->lock);
	atomic_store(&t->ended, true);
}

/* ---- open nodes of a part ---- */

static void begin_state(const struct proof *p, struct checkpoint *c)
{
	struct search_request r = { .flowshop = p->flowshop,
				    .bound = FSP_LB1,
				    .branching = FSP_MINBRANCH,
				    .ub = p->bound };

	*c = (struct checkpoint){ .form = CHECKPOINT_NODES, .best = p->bound };
	checkpoint_key_of(&r, p->bound, &c->key);
}

static void put_level(const struct proof_walk *w, const struct proof_level *l, uint16_t *to)
{
	int n = w->p->tables.jobs, at = l->node.prefix, open = l->count - l->at;
	uint64_t rest[DFS_CPU_WORDS];

	to[RECORD_PREFIX] = (uint16_t)l->node.prefix;
	to[RECORD_SUFFIX] = (uint16_t)l->node.suffix;
	to[RECORD_OPEN] = (uint16_t)open;
	to[RECORD_SIDE] = l->at_end;
	to += RECORD_ITEMS;
	memcpy(to, w->order, (size_t)n * sizeof(*to));
	memcpy(rest, l->node.set, sizeof(rest));
	for (int i = l->at; i < l->count; i++) {
		rest[l->job[i] / 64] &= ~(UINT64_C(1) << l->job[i] % 64);
		to[at++] = l->job[i];
	}
	for (int word = 0; word < DFS_CPU_WORDS; word++)
		for (uint64_t bits = rest[word]; bits; bits &= bits - 1)
			to[at++] = (uint16_t)(word * 64 + __builtin_ctzll(bits));
}

/* The state of a walk that has nodes left. */
static int walk_state(const struct proof_walk *w, struct checkpoint *c, struct err *e)
{
	size_t room = 0;

	begin_state(w->p, c);
	c->decomposed = w->nodes;
	for (int d = w->base; d <= w->depth; d++) {
		uint16_t *to;

		if (w->level[d].at == w->level[d].count)
			continue;
		to = checkpoint_add(c, &room, e);
		if (!to) {
			checkpoint_free(c);
			return ERR_MEMORY;
		}
		put_level(w, &w->level[d], to);
	}
	return 0;
}

/* Keeps the state of a part in its file when the search was stopped. After an error or a shorter
 * schedule nothing is kept, nor is a small part, which is soon counted again. */
static int keep_state(struct team_of_parts *t, uint64_t part, const struct checkpoint *c,
		      struct err *e)
{
	char path[4096];

	if (atomic_load(&t->ended) || c->decomposed < SHARED_NODES)
		return 0;
	open_path(t, part, path, sizeof(path));
	return checkpoint_write(c, path, e);
}

/* ---- the engines ---- */

/* Counts what is open in `from` with all threads or devices. If it is stopped, the state is kept in
 * a file. */
static int run_engine(struct team_of_parts *t, uint64_t part, const struct checkpoint *from,
		      struct err *e)
{
	struct checkpoint left = { .count = 0 };
	struct checkpoint_plan plan = { .from = from, .left = &left };
	const struct dev_set *devices = t->c->devices;
	struct search_request r = { .flowshop = t->p->flowshop,
				    .bound = FSP_LB1,
				    .branching = FSP_MINBRANCH,
				    .ub = t->p->bound,
				    .threads = t->c->threads,
				    .devices = devices,
				    .stop = t->c->stop,
				    .seed = 1,
				    .checkpoint = &plan };
	struct search_outcome o = { .order = NULL };
	int status = devices && devices->count ? dfs_search(&r, &o, e) : dfs_cpu(&r, &o, e);

	if ((!status || status == ERR_LIMIT) && o.order && o.best < t->p->bound)
		set_shorter(t, o.best, o.order);
	else if (!status)
		set_count(t, part, o.decomposed);
	if (status == ERR_LIMIT && left.count)
		status = keep_state(t, part, &left, e);
	checkpoint_free(&left);
	search_outcome_free(&o);
	return status == ERR_LIMIT ? 0 : status;
}

/* One search at a time, on all threads or devices. */
static int run_exclusively(struct team_of_parts *t, uint64_t part, const struct checkpoint *from,
			   struct err *e)
{
	int status = 0;

	pthread_mutex_lock(&t->engine);
	if (t->devices)
		proof_devices_hold(t->devices);
	if (stops(t))
		status = keep_state(t, part, from, e);
	else
		status = run_engine(t, part, from, e);
	if (t->devices)
		proof_devices_release(t->devices);
	pthread_mutex_unlock(&t->engine);
	return status;
}

static bool device_stops(void *context)
{
	return stops(context);
}

/* Counts what is open in `from` on one of the devices; if this takes long, on all. */
static int run_device(struct team_of_parts *t, uint64_t part, const struct checkpoint *from,
		      struct err *e)
{
	int64_t order[FLOWSHOP_MAX_JOBS];
	struct proof_device_count c = { .order = order };
	double seconds = t->c->alone_seconds > 0 ? t->c->alone_seconds : ALONE_SECONDS;
	int status = proof_devices_count(t->devices, from, seconds, device_stops, t, &c, e);

	if (status)
		return status;
	if (c.shorter)
		set_shorter(t, c.shorter, order);
	else if (c.complete)
		set_count(t, part, from->decomposed + c.nodes);
	else
		status = run_exclusively(t, part, from, e);
	return status;
}

/* Keeps a part for run_open. */
static void leave_open(struct team_of_parts *t, uint64_t part, const struct checkpoint *c)
{
	pthread_mutex_lock(&t->lock);
	t->open[t->open_count] = *c;
	t->open_part[t->open_count++] = part;
	pthread_mutex_unlock(&t->lock);
}

/* Whether the walk hands its part over: to the devices, or to all threads. */
static bool hands_over(const struct team_of_parts *t, const struct proof_walk *w)
{
	if (t->devices)
		return w->nodes >= (t->c->device_nodes ? t->c->device_nodes : DEVICE_NODES);
	return w->nodes >= SHARED_NODES && atomic_load(&t->waiting) > 0;
}

static int hand_over(struct team_of_parts *t, uint64_t part, const struct proof_walk *w,
		     struct err *e)
{
	bool stopped = stops(t);
	struct checkpoint c;
	int status = walk_state(w, &c, e);

	if (status)
		return status;
	if (!t->devices && !stopped) {
		leave_open(t, part, &c);
		return 0;
	}
	status = stopped ? keep_state(t, part, &c, e) : run_device(t, part, &c, e);
	checkpoint_free(&c);
	return status;
}

/* Whether all nodes of the state are at or below the root of the part. */
static bool is_of_part(const struct checkpoint *c, const struct proof *p, uint64_t part)
{
	size_t stride = checkpoint_stride(CHECKPOINT_NODES, p->tables.jobs);
	const uint16_t *root = p->record + part * stride, *jobs = root + RECORD_ITEMS;

	if (c->form != CHECKPOINT_NODES || c->key.items != p->tables.jobs)
		return false;
	for (uint64_t i = 0; i < c->count; i++) {
		const uint16_t *x = c->work + i * stride;
		size_t prefix = root[RECORD_PREFIX], suffix = root[RECORD_SUFFIX];

		if (x[RECORD_PREFIX] < prefix || x[RECORD_SUFFIX] < suffix ||
		    memcmp(x + RECORD_ITEMS, jobs, prefix * sizeof(*x)) != 0 ||
		    memcmp(x + stride - suffix, root + stride - suffix, suffix * sizeof(*x)) != 0)
			return false;
	}
	return true;
}

/* Continues a part from the file of an earlier run, if there is one. A file of another tree is
 * ignored. */
static int continue_part(struct team_of_parts *t, uint64_t part, bool *continued, struct err *e)
{
	struct checkpoint c, mine;
	char path[4096];
	int status;

	*continued = false;
	open_path(t, part, path, sizeof(path));
	if (access(path, R_OK) != 0)
		return 0;
	status = checkpoint_read(&c, path, e);
	if (status)
		return status;
	begin_state(t->p, &mine);
	*continued = is_of_part(&c, t->p, part) && !checkpoint_matches(&c, &mine.key, NULL);
	if (*continued)
		status = run_exclusively(t, part, &c, e);
	checkpoint_free(&c);
	return status;
}

static int count_part(struct member *m, uint64_t part, struct err *e)
{
	struct team_of_parts *t = m->t;
	struct proof_walk *w = &m->walk;
	uint64_t poll = t->c->device_nodes && t->c->device_nodes < POLL ? t->c->device_nodes : POLL;
	bool more, continued;
	int status = continue_part(t, part, &continued, e);

	if (status || continued)
		return status;
	proof_walk_start(w, t->p->record +
				    part * checkpoint_stride(CHECKPOINT_NODES, t->p->tables.jobs));
	while ((more = proof_walk_on(w, poll)) && !stops(t) && !hands_over(t, w))
		;
	if (w->shorter) {
		int64_t order[FLOWSHOP_MAX_JOBS];

		for (int i = 0; i < t->p->tables.jobs; i++)
			order[i] = w->order[i];
		set_shorter(t, w->shorter, order);
		return 0;
	}
	if (more)
		return hand_over(t, part, w, e);
	set_count(t, part, w->nodes);
	return 0;
}

/* Returns false if no part is left. */
static bool take_part(struct team_of_parts *t, uint64_t *part)
{
	pthread_mutex_lock(&t->lock);
	while (t->next < t->p->parts && t->p->count[t->next] != PROOF_UNCOUNTED)
		t->next++;
	*part = t->next++;
	pthread_mutex_unlock(&t->lock);
	return *part < t->p->parts;
}

static void work(void *item)
{
	struct member *m = item;
	uint64_t part;

	while (!stops(m->t) && take_part(m->t, &part)) {
		struct err e = { 0 };
		int status = count_part(m, part, &e);

		if (status)
			end_with(m->t, status, &e);
	}
	atomic_fetch_add(&m->t->waiting, 1);
}

/* Counts the parts that were left open, each with all threads. */
static int run_open(struct team_of_parts *t, struct err *e)
{
	int status = 0;

	for (int i = 0; i < t->open_count; i++) {
		if (!status)
			status = run_exclusively(t, t->open_part[i], &t->open[i], e);
		checkpoint_free(&t->open[i]);
	}
	return status;
}

static int run_members(struct team_of_parts *t, struct member *member, int threads, struct err *e)
{
	int status = 0, opened = 0;

	for (; !status && opened < threads; opened++) {
		member[opened].t = t;
		status = proof_walk_open(&member[opened].walk, t->p, e);
	}
	if (!status)
		team_run(work, member, sizeof(*member), opened, NULL, NULL);
	for (int i = 0; i < opened; i++)
		proof_walk_close(&member[i].walk);
	return status;
}

/* Two threads for each device: one walks while the other waits for the device. */
static int members_of(const struct proof_counting *c)
{
	int devices = c->devices ? c->devices->count : 0;

	return c->threads > 2 * devices ? c->threads : 2 * devices;
}

static int count_all(struct team_of_parts *t, struct err *e)
{
	size_t threads = (size_t)members_of(t->c);
	struct member *member = calloc(threads, sizeof(*member));
	int status = 0;

	t->open = calloc(threads, sizeof(*t->open));
	t->open_part = calloc(threads, sizeof(*t->open_part));
	if (!member || !t->open || !t->open_part)
		status = err_set(e, ERR_MEMORY, "no memory for %zu threads", threads);
	if (!status && t->c->devices && t->c->devices->count && t->left)
		status = proof_devices_open(&t->devices, t->p, t->c->devices, e);
	if (!status)
		status = run_members(t, member, (int)threads, e);
	if (!status)
		status = run_open(t, e);
	if (!status && t->status) {
		*e = t->error;
		status = t->status;
	}
	proof_devices_close(t->devices);
	free(member);
	free(t->open);
	free(t->open_part);
	if (!status && t->c->shorter)
		return err_set(e, ERR_FAILED,
			       "there is a schedule of makespan %" PRId64 ", shorter than %" PRId64,
			       t->c->shorter, t->p->bound);
	return status || !t->left ? status : err_set(e, ERR_LIMIT, "stopped");
}

int proof_count(struct proof *p, struct proof_counting *c, struct err *e)
{
	struct team_of_parts t = { .p = p, .c = c, .left = proof_open(p) };
	int status;

	t.save_at = clock_wall() + SAVE_SECONDS;
	pthread_mutex_init(&t.lock, NULL);
	pthread_mutex_init(&t.engine, NULL);
	status = count_all(&t, e);
	pthread_mutex_destroy(&t.lock);
	pthread_mutex_destroy(&t.engine);
	return status;
}
