/* A device's memory and launches for runs of the grid engine. */
#include <string.h>

#include "harness/base/checked.h"
#include "harness/device/settle.h"
#include "algorithms/gboa/k2.h"
#include "algorithms/gboa/tuned_grid.h"

/* Tables in shared memory: so many copies at most, so that lanes rarely ask one bank. */
enum { GRID_COPIES = 16 };

/* ---- memory: one allocation, parts one after the other ---- */

struct carving {
	unsigned char *base; /* NULL: only counted */
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

static void carve_cleared(struct grid_place *p, struct carving *c)
{
	struct grid_arguments *a = &p->arguments;
	size_t ranks = (size_t)a->groups * GRID_GROUP;

	a->counters = part(c, 1, sizeof(*a->counters));
	a->arrived = part(c, (size_t)a->groups, sizeof(*a->arrived));
	p->counters = c->used;
	a->state = part(c, 1, sizeof(*a->state));
	a->ranked = part(c, ranks, (size_t)a->row * sizeof(uint32_t));
	a->variable = part(c, ranks, sizeof(int32_t));
	a->ones = part(c, ranks, sizeof(int32_t));
	p->cleared = c->used;
}

static void carve(struct grid_place *p, struct carving *c, size_t fitness_count,
		  bool last_population)
{
	struct grid_arguments *a = &p->arguments;
	size_t n = (size_t)a->n, ranks = (size_t)a->groups * GRID_GROUP;
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
	a->best = part(c, ranks * GRID_PARENTS, sizeof(*a->best));
	for (int r = 0; r < a->parents; r++) {
		size_t cells = (size_t)(2 << r) * sizeof(uint32_t);

		a->cells[r] = part(c, r + 1 < a->parents ? pairs : 0, cells);
		a->thresholds[r] = part(c, pairs, cells);
	}
	a->counts = part(c, (size_t)a->tasks * 3 * GRID_BLOCK, 4 * sizeof(uint32_t));
	a->best_bits = part(c, n, 1);
	a->out_words =
		part(c, last_population ? n : 0, (size_t)a->population_words * sizeof(uint32_t));
	a->out_fitness = part(c, last_population ? population : 0, sizeof(int32_t));
	if (!last_population) {
		a->out_words = NULL;
		a->out_fitness = NULL;
	}
}

static int allocate(struct grid_place *p, const struct landscape *l, bool last_population,
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

	while (digits * GRID_DIGIT < 32 && most >> (digits * GRID_DIGIT))
		digits++;
	return digits;
}

static void set_options(struct grid_arguments *a, const struct boa_setup *s)
{
	const struct boa_options *o = s->options;
	const struct landscape *l = s->landscape;

	a->fitness = fitness_view_of(l, NULL);
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
			       "%s has no cooperative launches, which the engine "
			       "grid needs",
			       info->name);
	if (o->max_parents > GRID_PARENTS)
		return err_set(e, ERR_UNSUPPORTED,
			       "the engine grid gives a variable %d parents at most, "
			       "not %d",
			       GRID_PARENTS, o->max_parents);
	if (s->landscape->n > GRID_VARIABLES_MAX || o->selected > GRID_SELECTED_MAX)
		return err_set(e, ERR_UNSUPPORTED,
			       "the engine grid has at most %d variables and %d "
			       "selected individuals, not %d and %d",
			       GRID_VARIABLES_MAX, GRID_SELECTED_MAX, s->landscape->n, o->selected);
	return 0;
}

/* As many copies of the table as fit, and one block on every multiprocessor. */
static int set_blocks(struct grid_place *p, const struct dev_info *info, struct err *e)
{
	struct grid_arguments *a = &p->arguments;
	int copies = GRID_COPIES, resident, status;

	a->rows = (a->n + info->sm_count - 1) / info->sm_count;
	for (;; copies /= 2) {
		if (copies == 0)
			return err_set(e, ERR_UNSUPPORTED,
				       "the engine grid has no room for %d variables "
				       "and %d individuals in %zu bytes of shared memory",
				       a->n, a->population, info->shared_per_block);
		a->region = GRID_TABLE + ((uint32_t)a->selected + 2) * (uint32_t)copies * 4;
		a->region = (a->region + 127) / 128 * 128;
		p->shared_bytes = a->region + p->kernels->region_bytes(a);
		if (p->shared_bytes <= info->shared_per_block)
			break;
	}
	a->shift = __builtin_ctz((unsigned)copies * 4);
	if ((status = p->kernels->blocks(p->stream, p->shared_bytes, &resident, e)))
		return status;
	p->blocks = resident < info->sm_count ? resident : info->sm_count;
	if (p->blocks < 1)
		return err_set(e, ERR_UNSUPPORTED, "no block of the engine grid fits on %s",
			       info->name);
	a->rows = (a->n + p->blocks - 1) / p->blocks;
	p->shared_bytes = a->region + p->kernels->region_bytes(a);
	return 0;
}

/* A launch takes about half a second at most, after which a stop is noticed. */
static int32_t generations_of_launch(const struct grid_arguments *a)
{
	double n = a->n, seconds = 3e-5 + n * n * a->selected * 1e-14;

	return seconds < 0.5 ? (int32_t)(0.5 / seconds) : 1;
}

static int copy_tables(struct grid_place *p, const struct landscape *l, const struct grid_plan *g,
		       struct err *e)
{
	const struct grid_arguments *a = &p->arguments;
	struct k2_table t;
	int status = k2_table_create(&t, a->selected, e);

	if (!status)
		status = dev_copy_to(p->stream, (void *)a->factorial, t.at,
				     ((size_t)a->selected + 2) * sizeof(uint32_t), e);
	if (!status)
		status = dev_copy_to(p->stream, (void *)a->task, g->task,
				     (size_t)g->tasks * sizeof(*g->task), e);
	if (!status && l->data_count)
		status = dev_copy_to(p->stream, (void *)a->fitness.data, l->data,
				     l->data_count * sizeof(int32_t), e);
	status = dev_settle(p->stream, status, e);
	k2_table_destroy(&t);
	return status;
}

int grid_place_open(struct grid_place *p, const struct boa_setup *s, struct dev *d,
		    bool last_population, struct err *e)
{
	struct dev_info info;
	struct grid_plan plan = { 0 };
	int status;

	*p = (struct grid_place){ .device = d };
	p->kernels = &grid_kernels_sim;
#if COPRA_HAVE_CUDA
	if (dev_backend_of(d) == DEV_CUDA)
		p->kernels = &grid_kernels_cuda;
#endif
	set_options(&p->arguments, s);
	status = dev_get_info(d, &info, e);
	if (!status)
		status = check_size(s, &info, e);
	if (!status)
		status = dev_stream_create(d, &p->stream, e);
	if (!status)
		status = set_blocks(p, &info, e);
	if (!status)
		status = grid_plan_create(&plan, p->arguments.n, p->blocks, e);
	p->arguments.groups = plan.groups;
	p->arguments.tasks = plan.tasks;
	p->chunk = generations_of_launch(&p->arguments);
	if (!status)
		status = allocate(p, s->landscape, last_population, e);
	if (!status)
		status = copy_tables(p, s->landscape, &plan, e);
	grid_plan_destroy(&plan);
	if (status)
		grid_place_close(p);
	return status;
}

void grid_place_close(struct grid_place *p)
{
	if (!p->device)
		return;
	if (p->stream)
		dev_stream_destroy(p->stream);
	dev_free(p->device, p->memory);
	dev_host_free(p->device, p->outcome);
	*p = (struct grid_place){ 0 };
}

/* ---- runs ---- */

int grid_place_begin(struct grid_place *p, struct boa_run *run, uint64_t seed, struct err *e)
{
	struct grid_arguments *a = &p->arguments;
	int status = dev_fill(p->stream, p->memory, 0, p->cleared, e);

	p->run = run;
	a->seed = seed;
	a->last = 0;
	p->outcome->state = (struct grid_state){ .best = INT32_MIN };
	if (!status)
		status = dev_copy_to(p->stream, a->state, &p->outcome->state, sizeof(*a->state), e);
	return status;
}

int grid_place_launch(struct grid_place *p, struct err *e)
{
	struct grid_arguments *a = &p->arguments;
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

int grid_place_finish(struct grid_place *p, bool *done, struct err *e)
{
	const struct grid_arguments *a = &p->arguments;
	const struct grid_state *s = &p->outcome->state;
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
