/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "algorithms/gboa/boa/engines.h"
#include "algorithms/gboa/boa/network.h"
#include "algorithms/gboa/boa/steps.h"
#include "harness/base/checked.h"
#include "harness/base/clock.h"
#include "harness/device/device.h"
#include "kernels/gboa/grid.h"

/* ---- the plan of learning ---- */

/* With the variables in the order of their ranks, group g (16 ranks) has the candidates of groups 0
 * .. g. That makes g + 1 pieces. A piece is the work of a warp: 16 variables with 16 candidates.
 * Two neighbouring groups are cut into tasks of `most` pieces, candidates ascending. The remainders
 * of two such pairs share a task if they fit. */

struct planner {
	struct boa_grid_task *task; /* NULL: only count the tasks */
	int count, most, groups;
	int spare[BOA_GRID_WARPS + 1]; /* [p]: a task with p pieces and room for more, or -1 */
};

static void clear_task(struct boa_grid_task *t)
{
	for (int i = 0; i < BOA_GRID_TASK_GROUPS; i++)
		t->group[i] = -1;
	for (int i = 0; i < BOA_GRID_WARPS; i++)
		t->slot[i] = t->against[i] = -1;
}

static int begin_task(struct planner *p)
{
	if (p->task)
		clear_task(&p->task[p->count]);
	return p->count++;
}

/* Adds pieces first .. last - 1 of a pair of groups to a task, from its piece `at` on. */
static void put(struct planner *p, int number, int at, int pair, int first, int last)
{
	int slots = at ? 2 : 0, groups[2] = { 2 * pair, 2 * pair + 1 };

	if (!p->task)
		return;
	struct boa_grid_task *t = &p->task[number];

	for (int piece = first; piece < last; piece++) {
		/* the candidates are those of groups 0, 0, 1, 1, ..., first for the lower group of
		 * the pair, then for the higher; the last piece is the higher group with itself */
		bool both = groups[1] < p->groups;
		int against = both ? piece / 2 : piece;
		int of = both && (piece % 2 || against > groups[0]) ? 1 : 0;

		t->group[slots + of] = (int16_t)groups[of];
		t->slot[at + piece - first] = (int16_t)(slots + of);
		t->against[at + piece - first] = (int16_t)against;
	}
}

static void put_rest(struct planner *p, int pair, int first, int last)
{
	int pieces = last - first;

	for (int used = p->most - pieces; used > 0; used--)
		if (p->spare[used] >= 0) {
			put(p, p->spare[used], used, pair, first, last);
			p->spare[used] = -1;
			return;
		}
	int number = begin_task(p);

	put(p, number, 0, pair, first, last);
	if (p->spare[pieces] < 0)
		p->spare[pieces] = number;
}

static void make_tasks(struct planner *p)
{
	p->count = 0;
	for (int i = 0; i <= BOA_GRID_WARPS; i++)
		p->spare[i] = -1;
	for (int pair = (p->groups + 1) / 2 - 1; pair >= 0; pair--) {
		bool both = 2 * pair + 1 < p->groups;
		int pieces = both ? 4 * pair + 3 : 2 * pair + 1, at = 0;

		for (; at + p->most <= pieces; at += p->most)
			put(p, begin_task(p), 0, pair, at, at + p->most);
		if (at < pieces)
			put_rest(p, pair, at, pieces);
	}
}

static int count_tasks(int groups, int most)
{
	struct planner p = { .groups = groups, .most = most };

	make_tasks(&p);
	return p.count;
}

/* The division of learning over the blocks of a grid. */
struct grid_plan {
	struct boa_grid_task *task;
	int tasks, groups;
};

/* A plan for n >= 1 variables on `blocks` >= 1 blocks. ERR_MEMORY. */
static int grid_plan_create(struct grid_plan *g, int32_t n, int blocks, struct err *e)
{
	int groups = (n + BOA_GRID_GROUP - 1) / BOA_GRID_GROUP, most = 1;

	while (most < BOA_GRID_WARPS && count_tasks(groups, most) > blocks)
		most++;
	struct planner p = { .groups = groups, .most = most };

	*g = (struct grid_plan){ .tasks = count_tasks(groups, most), .groups = groups };
	g->task = malloc((size_t)g->tasks * sizeof(*g->task));
	if (!g->task)
		return err_set(e, ERR_MEMORY, "no memory for a plan of %d groups", groups);
	p.task = g->task;
	make_tasks(&p);
	return 0;
}

static void grid_plan_destroy(struct grid_plan *g)
{
	free(g->task);
	*g = (struct grid_plan){ 0 };
}

/* ---- a device ---- */

/* Larger runs need another engine. */
enum { BOA_GRID_VARIABLES_MAX = 4096, BOA_GRID_SELECTED_MAX = 65504 };

/* The result of a launch, in pinned memory. */
struct grid_outcome {
	struct boa_grid_state state;
	uint8_t bits[BOA_GRID_VARIABLES_MAX];
};

/* A device with all memory that runs of one shape need. It makes one run at a time. */
struct grid_device {
	struct dev *device;
	struct dev_stream *stream;
	const struct boa_grid_kernels *kernels;
	struct boa_grid_arguments arguments;
	size_t shared_bytes;
	int blocks;
	void *memory;
	size_t counters, cleared; /* numbers of leading bytes that must be 0 before a launch, and
				     before a run */
	struct grid_outcome *outcome;
	int32_t chunk;       /* generations of a launch */
	struct boa_run *run; /* NULL: idle */
};

/* Maximum number of copies of the table in shared memory; copies avoid bank conflicts between
 * lanes. */
enum { BOA_GRID_COPIES = 16 };

/* ---- memory: consecutive parts of one allocation ---- */

struct carving {
	unsigned char *base; /* NULL: only count */
	size_t used;
	bool fits;
};

static void *part(struct carving *c, size_t count, size_t bytes)
{
	size_t at = c->used, all, padded;

	if (!checked_mul_size(count, bytes, &all) || !checked_add_size(all, 255, &padded) ||
	    !checked_add_size(at, padded & ~(size_t)255, &c->used)) {
		c->fits = false;
		return NULL;
	}
	return c->base ? c->base + at : NULL;
}

static void carve_cleared(struct grid_device *p, struct carving *c)
{
	struct boa_grid_arguments *a = &p->arguments;
	size_t ranks = (size_t)a->groups * BOA_GRID_GROUP;

	a->counters = part(c, 1, sizeof(*a->counters));
	a->arrived = part(c, (size_t)a->groups, sizeof(*a->arrived));
	p->counters = c->used;
	a->state = part(c, 1, sizeof(*a->state));
	a->ranked = part(c, ranks, (size_t)a->row * sizeof(uint32_t));
	a->places = part(c, ranks, sizeof(uint32_t));
	p->cleared = c->used;
}

static void carve(struct grid_device *p, struct carving *c, size_t fitness_count,
		  bool last_population)
{
	struct boa_grid_arguments *a = &p->arguments;
	size_t n = (size_t)a->n, ranks = (size_t)a->groups * BOA_GRID_GROUP;
	size_t population = (size_t)a->population, selected = (size_t)a->selected;
	size_t pairs = ranks * (size_t)a->groups;

	carve_cleared(p, c);
	a->task = part(c, (size_t)a->tasks, sizeof(*a->task));
	a->factorial = part(c, selected + 2, sizeof(*a->factorial));
	a->fitness.data = part(c, fitness_count, sizeof(int32_t));
	for (int i = 0; i < 2; i++) {
		a->rows_of[i] = part(c, n, (size_t)a->selected_words * sizeof(uint32_t));
		a->kept_fitness[i] = part(c, selected, sizeof(int32_t));
	}
	a->columns = part(c, (size_t)a->population_words, (size_t)a->column * sizeof(uint32_t));
	a->column_fitness = part(c, population, sizeof(int32_t));
	a->best = part(c, ranks * BOA_GRID_PARENTS, sizeof(*a->best));
	for (int r = 0; r < a->parents; r++) {
		size_t cells = (size_t)(2 << r) * sizeof(uint32_t);

		a->cells[r] = part(c, r + 1 < a->parents ? pairs : 0, cells);
		a->thresholds[r] = part(c, pairs, cells);
	}
	a->counts = part(c, (size_t)a->tasks * 3 * BOA_GRID_BLOCK, 4 * sizeof(uint32_t));
	a->best_bits = part(c, n, 1);
	a->out_words =
		part(c, last_population ? n : 0, (size_t)a->population_words * sizeof(uint32_t));
	a->out_fitness = part(c, last_population ? population : 0, sizeof(int32_t));
	if (!last_population) {
		a->out_words = NULL;
		a->out_fitness = NULL;
	}
}

static int allocate(struct grid_device *p, const struct landscape *l, bool last_population,
		    struct err *e)
{
	struct carving count = { NULL, 0, true };
	int status;

	carve(p, &count, l->data_count, last_population);
	if (!count.fits)
		return err_set(e, ERR_MEMORY,
			       "a run of %d variables and %d individuals is too large",
			       p->arguments.n, p->arguments.population);
	if ((status = dev_alloc(p->device, &p->memory, count.used, e)) ||
	    (status = dev_host_alloc(p->device, (void **)&p->outcome, sizeof(*p->outcome), e)))
		return status;
	struct carving all = { p->memory, 0, true };

	carve(p, &all, l->data_count, last_population);
	return 0;
}

/* ---- shapes ---- */

static int digits_of(const struct landscape *l)
{
	uint32_t most = (uint32_t)l->greatest - (uint32_t)l->least;
	int digits = 1;

	while (digits * BOA_GRID_DIGIT < 32 && most >> (digits * BOA_GRID_DIGIT))
		digits++;
	return digits;
}

static void set_options(struct boa_grid_arguments *a, const struct boa_setup *s)
{
	const struct boa_options *o = s->options;
	const struct landscape *l = s->landscape;

	a->fitness = boa_landscape_fitness(l, NULL);
	a->optimum_known = l->optimum_known;
	a->optimum = l->optimum;
	a->n = l->n;
	a->population = o->population;
	a->selected = o->selected;
	a->offspring = boa_offspring(o);
	a->parents = o->max_parents;
	a->generations = o->generations;
	a->replace_all = o->replacement == BOA_REPLACE_ALL;
	a->laplace = o->smoothing == BOA_SMOOTH_LAPLACE;
	a->stop_at_optimum = o->stop_at_optimum;
	a->stop_converged = o->stop_converged;
	a->population_words = a->population / 32;
	a->selected_words = a->selected / 32;
	a->offspring_words = a->offspring / 32;
	a->column = (a->n + 7) / 8 * 8;
	a->row = (a->selected_words + 15) / 16 * 16;
	a->digits = digits_of(l);
}

static int check_size(const struct boa_setup *s, const struct dev_info *info, struct err *e)
{
	const struct boa_options *o = s->options;

	if (!info->cooperative)
		return err_set(e, ERR_UNSUPPORTED,
			       "%s has no cooperative launches, which the grid "
			       "engine needs",
			       info->name);
	if (o->max_parents > BOA_GRID_PARENTS)
		return err_set(e, ERR_UNSUPPORTED,
			       "the grid engine supports at most %d parents, "
			       "not %d",
			       BOA_GRID_PARENTS, o->max_parents);
	if (s->landscape->n > BOA_GRID_VARIABLES_MAX || o->selected > BOA_GRID_SELECTED_MAX)
		return err_set(e, ERR_UNSUPPORTED,
			       "the grid engine supports at most %d variables and %d "
			       "selected individuals, not %d and %d",
			       BOA_GRID_VARIABLES_MAX, BOA_GRID_SELECTED_MAX, s->landscape->n,
			       o->selected);
	return 0;
}

/* Chooses the largest number of copies of the table that fits. */
static int set_table(struct grid_device *p, const struct dev_info *info, struct err *e)
{
	struct boa_grid_arguments *a = &p->arguments;
	int copies = BOA_GRID_COPIES;

	a->rows = (a->n + info->sm_count - 1) / info->sm_count;
	for (;; copies /= 2) {
		if (copies == 0)
			return err_set(e, ERR_UNSUPPORTED,
				       "the grid engine has no room for %d variables "
				       "and %d individuals in %zu bytes of shared memory",
				       a->n, a->population, info->shared_per_block);
		a->region = BOA_GRID_TABLE + ((uint32_t)a->selected + 2) * (uint32_t)copies * 4;
		a->region = (a->region + 127) / 128 * 128;
		p->shared_bytes = a->region + p->kernels->region_bytes(a);
		if (p->shared_bytes <= info->shared_per_block)
			break;
	}
	a->shift = __builtin_ctz((unsigned)copies * 4);
	return 0;
}

/* Every multiprocessor gets one block. */
static int set_blocks(struct grid_device *p, const struct dev_info *info, struct err *e)
{
	struct boa_grid_arguments *a = &p->arguments;
	int resident, status;

	if ((status = p->kernels->blocks(p->stream, p->shared_bytes, &resident, e)))
		return status;
	p->blocks = resident < info->sm_count ? resident : info->sm_count;
	if (p->blocks < 1)
		return err_set(e, ERR_UNSUPPORTED, "no block of the grid engine fits on %s",
			       info->name);
	a->rows = (a->n + p->blocks - 1) / p->blocks;
	p->shared_bytes = a->region + p->kernels->region_bytes(a);
	return 0;
}

/* Limits a launch to about half a second, so that a stop takes effect in time. */
static int32_t generations_of_launch(const struct boa_grid_arguments *a)
{
	double n = a->n, seconds = 3e-5 + n * n * a->selected * 1e-14;

	return seconds < 0.5 ? (int32_t)(0.5 / seconds) : 1;
}

static int copy_tables(struct grid_device *p, const struct landscape *l, const struct grid_plan *g,
		       struct err *e)
{
	const struct boa_grid_arguments *a = &p->arguments;
	struct boa_k2_table t;
	int status = boa_k2_table_create(&t, a->selected, e);

	if (!status)
		status = dev_copy_to(p->stream, (void *)a->factorial, t.at,
				     ((size_t)a->selected + 2) * sizeof(uint32_t), e);
	if (!status)
		status = dev_copy_to(p->stream, (void *)a->task, g->task,
				     (size_t)g->tasks * sizeof(*g->task), e);
	if (!status && l->data_count)
		status = dev_copy_to(p->stream, (void *)a->fitness.data, l->data,
				     l->data_count * sizeof(int32_t), e);
	status = dev_drain(p->stream, status, e);
	boa_k2_table_destroy(&t);
	return status;
}

static void close_device(struct grid_device *p)
{
	if (!p->device)
		return;
	if (p->stream)
		dev_stream_destroy(p->stream);
	dev_free(p->device, p->memory);
	dev_host_free(p->device, p->outcome);
	*p = (struct grid_device){ 0 };
}

/* Sets what depends on the sizes of the runs and of the device. */
static int set_sizes(struct grid_device *p, const struct boa_setup *s, struct dev *d,
		     struct dev_info *info, struct err *e)
{
	int status = dev_get_info(d, info, e);

	*p = (struct grid_device){ .device = d, .kernels = boa_grid_kernels_for(d) };
	set_options(&p->arguments, s);
	if (!status)
		status = check_size(s, info, e);
	return status ? status : set_table(p, info, e);
}

int boa_grid_fits(const struct boa_setup *s, struct err *e)
{
	struct grid_device p;
	struct dev_info info;

	return set_sizes(&p, s, s->devices->dev[0], &info, e);
}

static int open_device(struct grid_device *p, const struct boa_setup *s, struct dev *d,
		       bool last_population, struct err *e)
{
	struct dev_info info;
	struct grid_plan plan = { 0 };
	int status = set_sizes(p, s, d, &info, e);

	if (!status)
		status = dev_stream_create(d, &p->stream, e);
	if (!status)
		status = set_blocks(p, &info, e);
	if (!status)
		status = grid_plan_create(&plan, p->arguments.n, p->blocks, e);
	p->arguments.groups = plan.groups;
	p->arguments.tasks = plan.tasks;
	p->chunk = s->form.launch > 0 ? s->form.launch : generations_of_launch(&p->arguments);
	if (!status)
		status = allocate(p, s->landscape, last_population, e);
	if (!status)
		status = copy_tables(p, s->landscape, &plan, e);
	grid_plan_destroy(&plan);
	if (status)
		close_device(p);
	return status;
}

/* ---- runs ---- */

static int begin_run(struct grid_device *p, struct boa_run *run, uint64_t seed, struct err *e)
{
	struct boa_grid_arguments *a = &p->arguments;
	int status = dev_fill(p->stream, p->memory, 0, p->cleared, e);

	p->run = run;
	a->seed = seed;
	a->last = 0;
	p->outcome->state = (struct boa_grid_state){ .best = INT32_MIN };
	if (!status)
		status = dev_copy_to(p->stream, a->state, &p->outcome->state, sizeof(*a->state), e);
	return status;
}

static int launch_run(struct grid_device *p, struct err *e)
{
	struct boa_grid_arguments *a = &p->arguments;
	struct boa_run *run = p->run;
	int status = 0;

	a->last = a->generations - a->last > p->chunk ? a->last + p->chunk : a->generations;
	if (a->last > p->chunk)
		status = dev_fill(p->stream, p->memory, 0, p->counters, e);
	if (!status)
		status = p->kernels->run(p->stream, p->blocks, p->shared_bytes, a, e);
	if (!status)
		status = dev_copy_from(p->stream, &p->outcome->state, a->state, sizeof(*a->state),
				       e);
	if (!status)
		status = dev_copy_from(p->stream, p->outcome->bits, a->best_bits, (size_t)a->n, e);
	if (!status && run->words)
		status = dev_copy_from(
			p->stream, run->words, a->out_words,
			(size_t)a->n * (size_t)a->population_words * sizeof(uint32_t), e);
	if (!status && run->fitness)
		status = dev_copy_from(p->stream, run->fitness, a->out_fitness,
				       (size_t)a->population * sizeof(int32_t), e);
	return status;
}

static int finish_launch(struct grid_device *p, bool *done, struct err *e)
{
	const struct boa_grid_arguments *a = &p->arguments;
	const struct boa_grid_state *s = &p->outcome->state;
	struct boa_run *run = p->run;
	int status = dev_stream_sync(p->stream, e);

	if (status)
		return status;
	memcpy(run->bits, p->outcome->bits, (size_t)a->n);
	run->best = s->best;
	run->optimum = s->optimum;
	run->generations = s->generation;
	run->edges = s->edges;
	*done = s->converged || s->generation >= a->generations ||
		(a->stop_at_optimum && s->optimum);
	return 0;
}

/* ---- all runs ---- */

/* All runs of a call. */
struct grid_runs {
	struct grid_device device[DEV_MAX];
	int devices, next;
	struct boa_limit limit;
	double ticks[BOA_GRID_STEPS];
};

static int open_devices(struct grid_runs *c, const struct boa_setup *s, const struct boa_run *runs,
			int count, struct err *e)
{
	int status = 0, devices = s->devices->count;

	if (s->gpus > 0 && s->gpus < devices)
		devices = s->gpus;
	if (count < devices)
		devices = count;
	for (; !status && c->devices < devices; c->devices += !status)
		status = open_device(&c->device[c->devices], s, s->devices->dev[c->devices],
				     runs->words || runs->fitness, e);
	return status;
}

static void close_devices(struct grid_runs *c)
{
	for (int i = 0; i < c->devices; i++)
		close_device(&c->device[i]);
}

/* Starts the next run on every idle device, and a launch on all devices. */
static int launch_all(struct grid_runs *c, const struct boa_setup *s, struct boa_run *runs,
		      int count, bool *any, struct err *e)
{
	int status = 0;

	*any = false;
	for (int i = 0; !status && i < c->devices; i++) {
		struct grid_device *p = &c->device[i];

		if (!p->run && c->next < count) {
			status = begin_run(p, &runs[c->next], s->options->seed + (uint64_t)c->next,
					   e);
			c->next++;
		}
		if (!status && p->run) {
			status = launch_run(p, e);
			*any = true;
		}
	}
	return status;
}

static void end_run(struct grid_runs *c, struct grid_device *p)
{
	for (int i = 0; i < BOA_GRID_STEPS; i++)
		c->ticks[i] += (double)p->outcome->state.ticks[i];
	p->run = NULL;
}

static int finish_all(struct grid_runs *c, struct err *e)
{
	int status = 0;

	for (int i = 0; i < c->devices; i++) {
		struct grid_device *p = &c->device[i];
		bool done = false;

		if (!p->run)
			continue;
		int now = finish_launch(p, &done, status ? NULL : e);

		status = status ? status : now;
		if (done || now)
			end_run(c, p);
	}
	return status;
}

static int stop_early(struct grid_runs *c, const struct boa_setup *s, struct boa_run *runs,
		      int count, struct err *e)
{
	int ended = c->next;

	for (int i = 0; i < c->devices; i++)
		ended -= c->device[i].run != NULL;
	for (int r = c->next; r < count; r++)
		boa_not_begun(s->landscape, &runs[r]);
	return err_set(e, ERR_LIMIT, "stopped when %d of %d runs had ended", ended, count);
}

/* Divides the total time among the steps in proportion to their clock ticks. */
static void share_times(const struct grid_runs *c, struct boa_times *times)
{
	double all = 0;

	for (int i = 0; i < BOA_GRID_STEPS; i++)
		all += c->ticks[i];
	if (all <= 0)
		return;
	times->select = times->total * c->ticks[BOA_GRID_SELECT] / all;
	times->learn = times->total * c->ticks[BOA_GRID_LEARN] / all;
	times->sample = times->total * c->ticks[BOA_GRID_SAMPLE] / all;
	times->evaluate = times->total * c->ticks[BOA_GRID_EVALUATE] / all;
}

int boa_grid_runs(const struct boa_setup *s, struct boa_run *runs, int count,
		  struct boa_times *times, struct err *e)
{
	struct grid_runs c = { .devices = 0 };
	double begin = clock_wall();
	bool any = true;
	int status = open_devices(&c, s, runs, count, e);

	times->set_up = clock_wall() - begin;
	begin = clock_wall();
	c.limit = boa_limit_from(s, begin);
	while (!status && any) {
		if (boa_limit_reached(&c.limit)) {
			status = stop_early(&c, s, runs, count, e);
			break;
		}
		status = launch_all(&c, s, runs, count, &any, e);
		if (!status)
			status = finish_all(&c, e);
	}
	times->total = clock_wall() - begin;
	share_times(&c, times);
	close_devices(&c);
	return status;
}
