/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/tree-search/depth-first/dfs_checkpoint.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/clock.h"
#include "harness/device/device.h"

/* The fields of a record before its jobs. */
enum { PREFIX, SUFFIX, OPEN, SIDE, JOBS };

static size_t stride_of(const struct dfs_job *j)
{
	return checkpoint_stride(CHECKPOINT_NODES, j->tables.jobs);
}

/* ---- copies of stacks ---- */

void dfs_part_free(struct dfs_part *p)
{
	free(p->found.order);
	free(p->row_count);
	free(p->entry_count);
	free(p->entry_first);
	free(p->rows);
	free(p->entries);
	*p = (struct dfs_part){ .warps = 0 };
}

static int copy_counts(struct dfs_device *d, struct dfs_part *p, struct err *e)
{
	size_t bytes = (size_t)d->world.warps * sizeof(int32_t);
	int status;

	p->warps = d->world.warps;
	p->row_count = malloc(bytes);
	p->entry_count = malloc(bytes);
	p->entry_first = malloc(bytes);
	if (!p->row_count || !p->entry_count || !p->entry_first)
		return err_set(e, ERR_MEMORY, "no memory for the counts of %d stacks", p->warps);
	status = dev_copy_from(d->stream, p->row_count, d->world.row_count, bytes, e);
	if (!status)
		status = dev_copy_from(d->stream, p->entry_count, d->world.entry_count, bytes, e);
	if (!status)
		status = dev_copy_from(d->stream, p->entry_first, d->world.entry_first, bytes, e);
	return dev_drain(d->stream, status, e);
}

static int copy_stacks(struct dfs_device *d, struct dfs_part *p, struct err *e)
{
	const struct dfs_world *w = &d->world;
	size_t words = (size_t)w->row_words, rows = 0, entries = 0;
	int status = 0;

	for (int i = 0; i < p->warps; i++) {
		rows += (size_t)p->row_count[i];
		entries += (size_t)p->entry_count[i];
	}
	p->rows = malloc(rows * words * sizeof(*p->rows) + 1);
	p->entries = malloc(entries * sizeof(*p->entries) + 1);
	if (!p->rows || !p->entries)
		return err_set(e, ERR_MEMORY, "no memory for a copy of %zu open nodes", entries);
	rows = entries = 0;
	for (size_t i = 0; !status && i < (size_t)p->warps; i++) {
		size_t here = (size_t)p->row_count[i], open = (size_t)p->entry_count[i];

		if (!open)
			continue;
		status = dev_copy_from(d->stream, p->rows + rows * words,
				       w->rows + i * (size_t)w->row_capacity * words,
				       here * words * sizeof(*p->rows), e);
		if (!status)
			status = dev_copy_from(d->stream, p->entries + entries,
					       w->entries + i * (size_t)w->entry_capacity +
						       p->entry_first[i],
					       open * sizeof(*p->entries), e);
		rows += here;
		entries += open;
	}
	return dev_drain(d->stream, status, e);
}

int dfs_device_copy(struct dfs_device *d, struct dfs_part *p, struct err *e)
{
	double begin = clock_wall();
	int status;

	*p = (struct dfs_part){ .warps = 0 };
	status = copy_counts(d, p, e);
	if (!status)
		status = copy_stacks(d, p, e);
	if (!status)
		status = dfs_device_findings(d, &p->found, e);
	p->seconds = clock_wall() - begin;
	return status;
}

/* ---- stacks to records ---- */

static int entry_row(uint64_t e)
{
	return (int)((uint32_t)e >> DFS_ROW_SHIFT);
}

static int entry_job(uint64_t e)
{
	return (int)e & DFS_NO_JOB;
}

static bool has(const uint32_t *set, int job)
{
	return set[job / 32] >> job % 32 & 1;
}

/* Writes the jobs of a row's `placed` moves to an order; returns the length of the prefix. */
static int order_of(const struct dfs_job *j, const uint32_t *row, int placed, uint16_t *order)
{
	const void *moves = row + j->moves_at;
	int front = 0, end = j->tables.jobs;

	for (int i = 0; i < placed; i++) {
		int move = j->move_bytes == 1 ? ((const uint8_t *)moves)[i] :
						((const uint16_t *)moves)[i];
		int side = j->move_bytes == 1 ? DFS_BYTE_SIDE : 1 << DFS_JOB_BITS;

		order[move & side ? --end : front++] = (uint16_t)(move & (side - 1));
	}
	return front;
}

static void put_move(const struct dfs_job *j, uint32_t *row, int i, int job, bool at_end)
{
	void *moves = row + j->moves_at;

	if (j->move_bytes == 1)
		((uint8_t *)moves)[i] = (uint8_t)(job | (at_end ? DFS_BYTE_SIDE : 0));
	else
		((uint16_t *)moves)[i] = (uint16_t)(job | at_end << DFS_JOB_BITS);
}

/* Writes the record of a row and `count` of its entries. */
static void put_record(const struct dfs_job *j, const uint32_t *row, const uint64_t *entry,
		       size_t count, uint16_t *to)
{
	int n = j->tables.jobs, placed = n, at;
	uint32_t open[FLOWSHOP_MAX_JOBS / 32 + 1] = { 0 };

	for (int job = 0; job < n; job++)
		placed -= has(row, job);
	at = order_of(j, row, placed, to + JOBS);
	to[PREFIX] = (uint16_t)at;
	to[SUFFIX] = (uint16_t)(placed - at);
	to[OPEN] = entry_job(*entry) == DFS_NO_JOB ? 0 : (uint16_t)count;
	to[SIDE] = to[OPEN] ? *entry >> DFS_JOB_BITS & 1 : 0;
	to += JOBS;
	for (size_t i = 0; i < count && entry_job(*entry) != DFS_NO_JOB; i++) {
		int job = entry_job(entry[i]);

		open[job / 32] |= UINT32_C(1) << job % 32;
		to[at++] = (uint16_t)job;
	}
	for (int job = 0; job < n; job++) {
		if (has(row, job) && !has(open, job))
			to[at++] = (uint16_t)job;
	}
}

/* The records (checkpoint.h) of a part: returns their number, and writes them unless `work` is
 * NULL. */
static uint64_t part_records(const struct dfs_job *j, const struct dfs_part *p, uint16_t *work)
{
	const uint32_t *rows = p->rows;
	const uint64_t *entry = p->entries;
	uint64_t records = 0;

	for (int i = 0; i < p->warps; i++) {
		size_t open = (size_t)p->entry_count[i], count;

		for (size_t k = 0; k < open; k += count) {
			int row = entry_row(entry[k]);

			count = 1;
			while (k + count < open && entry_row(entry[k + count]) == row)
				count++;
			if (work)
				put_record(j, rows + (size_t)row * (size_t)j->row_words, entry + k,
					   count, work + records * stride_of(j));
			records++;
		}
		entry += open;
		rows += open ? (size_t)p->row_count[i] * (size_t)j->row_words : 0;
	}
	return records;
}

/* ---- records to packets ---- */

static int children_of(const uint16_t *record)
{
	return record[OPEN] ? record[OPEN] : 1; /* the node itself */
}

/* Makes the row of a record's node; returns its LB1. */
static int32_t make_row(const struct dfs_job *j, const uint16_t *record, uint32_t *row)
{
	const struct fsp_tables *t = &j->tables;
	int n = t->jobs, m = t->machines, prefix = record[PREFIX], end = n - record[SUFFIX];
	const uint16_t *jobs = record + JOBS;
	int32_t front[FLOWSHOP_MAX_MACHINES] = { 0 }, back[FLOWSHOP_MAX_MACHINES] = { 0 };
	int32_t rem[FLOWSHOP_MAX_MACHINES] = { 0 };

	memset(row, 0, (size_t)j->row_words * sizeof(*row));
	for (int i = 0; i < prefix; i++) {
		fsp_append(t->time + jobs[i] * m, front, front, m);
		if (j->orders)
			put_move(j, row, i, jobs[i], false);
	}
	for (int i = n - 1; i >= end; i--) {
		fsp_prepend(t->time + jobs[i] * m, back, back, m);
		if (j->orders)
			put_move(j, row, prefix + n - 1 - i, jobs[i], true);
	}
	for (int i = prefix; i < end; i++) {
		row[jobs[i] / 32] |= UINT32_C(1) << jobs[i] % 32;
		for (int k = 0; k < m; k++)
			rem[k] += t->time[jobs[i] * m + k];
	}
	if (!prefix)
		memcpy(front, t->head, (size_t)m * sizeof(*front));
	if (end == n)
		memcpy(back, t->tail, (size_t)m * sizeof(*back));
	dfs_job_row(j, row, front, back, rem);
	return fsp_lb1(front, rem, back, m);
}

int32_t dfs_reserve_take(struct dfs_reserve *v, const struct dfs_job *j, uint32_t *packets,
			 int32_t most)
{
	size_t words = (size_t)j->row_words + 4;
	int32_t taken = 0;

	while (taken < most && v->at < v->count) {
		const uint16_t *record = v->work + v->at * stride_of(j);
		uint32_t *first = packets + (size_t)taken * words, *packet = first;
		uint32_t bound = (uint32_t)make_row(j, record, first);

		for (; taken < most && v->child < children_of(record); v->child++, taken++) {
			if (packet != first)
				memcpy(packet, first, (size_t)j->row_words * sizeof(*packet));
			packet[j->row_words] =
				record[OPEN] ? record[JOBS + record[PREFIX] + v->child] |
						       (uint32_t)record[SIDE] << DFS_JOB_BITS :
					       DFS_NO_JOB;
			packet[j->row_words + 1] = bound;
			packet[j->row_words + 2] = packet[j->row_words + 3] = 0;
			packet += words;
		}
		if (v->child == children_of(record)) {
			v->at++;
			v->child = 0;
		}
	}
	return taken;
}

uint64_t dfs_reserve_left(const struct dfs_reserve *v, const struct dfs_job *j)
{
	uint64_t left = 0;

	for (uint64_t i = v->at; i < v->count; i++)
		left += (uint64_t)children_of(v->work + i * stride_of(j));
	return left - (uint64_t)v->child;
}

/* Converts the rest of the reserve to records: returns their number, and writes them unless `work`
 * is NULL. */
static uint64_t reserve_records(const struct dfs_reserve *v, const struct dfs_job *j,
				uint16_t *work)
{
	uint64_t left = v->count - v->at;
	uint16_t *jobs;

	if (!work || !left)
		return left;
	memcpy(work, v->work + v->at * stride_of(j), left * stride_of(j) * sizeof(*work));
	/* the children that were taken move behind the others */
	jobs = work + JOBS + work[PREFIX];
	for (int i = 0; i < v->child; i++) {
		uint16_t job = jobs[0];

		memmove(jobs, jobs + 1, (size_t)(work[OPEN] - 1) * sizeof(*jobs));
		jobs[work[OPEN] - 1] = job;
	}
	work[OPEN] = (uint16_t)(work[OPEN] - v->child);
	return left;
}

int32_t dfs_reserve_bound(const struct dfs_reserve *v, const struct dfs_job *j)
{
	uint32_t *row = calloc((size_t)j->row_words, sizeof(*row));
	int32_t least = v->at < v->count ? j->root_bound : INT32_MAX;

	for (uint64_t i = v->at; row && i < v->count; i++) {
		int32_t bound = make_row(j, v->work + i * stride_of(j), row);

		least = i == v->at || bound < least ? bound : least;
	}
	free(row);
	return least;
}

/* ---- checkpoints ---- */

/* Devices are idle while their stacks are copied. Copies may take at most this share of the time.
 */
static const double MOST_COPYING = 0.02;

static void free_parts(struct dfs_saver *s)
{
	for (int i = 0; i < s->parts; i++)
		dfs_part_free(&s->part[i]);
}

/* Adds a device's counts, and its schedule if it is better. */
static int add_found(struct checkpoint *c, const struct dfs_findings *f, struct err *e)
{
	int n = c->key.items;

	c->explored += f->tally.explored;
	c->decomposed += f->tally.decomposed;
	c->leaves += f->tally.leaves;
	c->evaluated += f->tally.evaluated;
	if (f->best >= c->best || !f->order)
		return 0;
	c->best = f->best;
	if (!c->order)
		c->order = malloc((size_t)n * sizeof(*c->order));
	if (!c->order)
		return err_set(e, ERR_MEMORY, "no memory for an order of %d jobs", n);
	for (int i = 0; i < n; i++)
		c->order[i] = f->order[i];
	return 0;
}

static int copy_order(struct checkpoint *c, const int64_t *order, struct err *e)
{
	size_t bytes = (size_t)c->key.items * sizeof(*order);

	c->order = order ? malloc(bytes) : NULL;
	if (order && !c->order)
		return err_set(e, ERR_MEMORY, "no memory for an order of %d jobs", c->key.items);
	if (order)
		memcpy(c->order, order, bytes);
	return 0;
}

static int gather(const struct dfs_saver *s, struct checkpoint *c, struct err *e)
{
	size_t stride = checkpoint_stride(CHECKPOINT_NODES, c->key.items);
	int status = copy_order(c, s->base.order, e);

	c->form = CHECKPOINT_NODES;
	c->seconds += clock_wall() - s->begin;
	c->count = reserve_records(&s->reserve, s->job, NULL);
	for (int i = 0; !status && i < s->parts; i++) {
		c->count += part_records(s->job, &s->part[i], NULL);
		status = add_found(c, &s->part[i].found, e);
	}
	if (status)
		return status;
	if (dfs_counts_are_partial(&s->base))
		c->explored = c->evaluated = 0;
	c->work = malloc((size_t)c->count * stride * sizeof(*c->work) + 1);
	if (!c->work)
		return err_set(e, ERR_MEMORY, "no memory for a checkpoint of %llu nodes",
			       (unsigned long long)c->count);
	c->count = reserve_records(&s->reserve, s->job, c->work);
	for (int i = 0; i < s->parts; i++)
		c->count += part_records(s->job, &s->part[i], c->work + c->count * stride);
	return 0;
}

/* The state of all parts, which are freed. The caller frees *c, also after an error. */
static int gather_all(struct dfs_saver *s, struct checkpoint *c, struct err *e)
{
	int status;

	*c = s->base;
	c->order = NULL;
	status = gather(s, c, e);
	free_parts(s);
	return status;
}

static int write_file(struct dfs_saver *s, struct err *e)
{
	struct checkpoint c;
	int status = gather_all(s, &c, e);

	status = status ? checkpoint_missed(s->request, status, e) :
			  checkpoint_store(&c, s->request, e);
	checkpoint_free(&c);
	return status;
}

int dfs_saver_end(struct dfs_saver *s, const struct search_request *r, struct err *e)
{
	struct checkpoint c;
	int status = gather_all(s, &c, e);

	if (!status)
		return checkpoint_end(&c, r, e);
	checkpoint_free(&c);
	return status;
}

static void *write_aside(void *argument)
{
	struct dfs_saver *s = argument;

	s->status = write_file(s, &s->error);
	__atomic_store_n(&s->written, true, __ATOMIC_RELEASE);
	return NULL;
}

bool dfs_saver_due(struct dfs_saver *s)
{
	return s->request && clock_wall() >= s->next &&
	       (!s->writing || __atomic_load_n(&s->written, __ATOMIC_ACQUIRE));
}

int dfs_saver_start(struct dfs_saver *s, struct err *e)
{
	double copying = 0;

	for (int i = 0; i < s->parts; i++)
		copying = fmax(copying, s->part[i].seconds);
	s->next = clock_wall() + fmax(s->period, copying / MOST_COPYING);
	s->written = false;
	if (pthread_create(&s->writer, NULL, write_aside, s))
		return err_set(e, ERR_FAILED, "cannot start a thread for a checkpoint");
	s->writing = true;
	return 0;
}

int dfs_saver_finish(struct dfs_saver *s, struct err *e)
{
	if (s->writing)
		pthread_join(s->writer, NULL);
	else
		free_parts(s);
	s->writing = false;
	if (s->status && e)
		*e = s->error;
	return s->status;
}
