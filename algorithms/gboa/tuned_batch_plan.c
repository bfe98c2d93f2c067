#include "algorithms/gboa/tuned_batch_plan.h"

#include "algorithms/gboa/data.h"

int batch_plan_check(const struct landscape *l, const struct boa_options *o, struct err *e)
{
	(void)l;
	if (o->max_parents > BATCH_PARENTS_MAX)
		return err_set(e, ERR_UNSUPPORTED, "batched runs have at most %d parents, not %d",
			       BATCH_PARENTS_MAX, o->max_parents);
	if (o->selected > BATCH_SELECTED_MAX || o->population > BATCH_POPULATION_MAX)
		return err_set(e, ERR_UNSUPPORTED,
			       "batched runs have at most %d selected of %d, not %d of %d",
			       BATCH_SELECTED_MAX, BATCH_POPULATION_MAX, o->selected,
			       o->population);
	return 0;
}

static int planes_of(const struct landscape *l)
{
	uint32_t range = (uint32_t)l->greatest - (uint32_t)l->least;
	int planes = 0;

	for (; range; range >>= 1)
		planes++;
	return planes;
}

static int32_t least_of(int32_t a, int32_t b)
{
	return a < b ? a : b;
}

static int32_t greatest_of(int32_t a, int32_t b)
{
	return a > b ? a : b;
}

static int32_t parts(int32_t whole, int32_t part)
{
	return (whole + part - 1) / part;
}

/* Rows of a multiple of 16 words whose neighbours begin 16 banks apart. */
static int32_t learned_stride(int32_t steps)
{
	return (steps | 1) * BATCH_STEP;
}

static void set_sizes(struct batch_plan *p, const struct landscape *l, const struct boa_options *o,
		      int cluster)
{
	*p = (struct batch_plan){
		.fitness = fitness_view_of(l, NULL),
		.n = l->n,
		.k = o->max_parents,
		.generations = o->generations,
		.optimum = l->optimum,
		.stop_at_optimum = o->stop_at_optimum && l->optimum_known,
		.stop_converged = o->stop_converged,
		.laplace = o->smoothing == BOA_SMOOTH_LAPLACE,
		.planes = planes_of(l),
		.population = o->population / 32,
		.selected = o->selected / 32,
		.offspring = boa_offspring(o) / 32,
		.individuals = o->selected,
		.cluster = cluster,
	};
	p->kept = o->replacement == BOA_REPLACE_ALL ? 0 : p->selected;
	p->steps = parts(p->selected, BATCH_STEP);
	p->selected_stride = learned_stride(p->steps);
	p->offspring_stride = p->offspring | 1;
	while (1 << p->cluster_log < cluster)
		p->cluster_log++;
	p->rows = parts(p->n, cluster);
	p->slots = parts(parts(p->n, BATCH_GROUP), cluster) * BATCH_GROUP;
	if (cluster > 1) {
		p->slice = parts(p->offspring, cluster);
		p->slice_stride = p->slice | 1;
	}
}

/* A warp samples 8 words at a time; where that leaves most of a block idle, a thread takes an item.
 */
static void choose_threads(struct batch_plan *p, int *threads)
{
	const int32_t most_warps = 10;
	int32_t tasks = parts(p->cluster > 1 ? p->slice : p->offspring, 8), warps;

	p->by_items = p->cluster > 1 && tasks < 4;
	if (!*threads) {
		warps = p->by_items ? least_of(parts(p->n * p->slice, 32), 32) :
				      parts(tasks, parts(tasks, p->cluster > 1 ? 32 : most_warps));
		*threads = 32 * greatest_of(warps, p->cluster > 1 ? 8 : 2);
	}
	*threads = greatest_of(*threads, parts(p->population, 32 * BATCH_WORDS) * 32);
}

/* Words from the end so far on, which are made a multiple of 4. */
static int32_t place(size_t *end, int64_t words)
{
	size_t at = *end;

	*end = (at + (size_t)words + 3) / 4 * 4;
	return (int32_t)at;
}

static void set_places(struct batch_plan *p)
{
	int64_t n = p->n, items = p->cluster > 1 ? n * p->slice : 0;
	int64_t slots = 15 * (int64_t)p->slots, masks = BATCH_MASKS * (int64_t)p->population;
	int64_t records = 8 * n, splits = 3 * (int64_t)p->population;
	size_t end = (size_t)(n * p->selected_stride);

	p->at_offspring = place(&end, (int64_t)p->rows * p->offspring_stride);
	p->at_slice = place(&end, p->cluster > 1 ? n * p->slice_stride : 0);
	p->at_coins = place(&end, p->by_items ? items << BATCH_PARENTS_MAX : 0);
	p->at_planes = place(&end, (int64_t)p->planes * p->population);
	p->at_order = place(&end, (n + 1) / 2);
	p->at_keys = place(&end, n);
	p->at_slots = place(&end, slots > masks ? slots : masks);
	p->at_records = place(&end, records > splits ? records : splits);
	p->at_control = place(&end, BATCH_CONTROL + BATCH_SUMS + (p->population + 31) / 32);
	p->at_table = place(&end, ((int64_t)p->individuals + 2) << p->copies_log);
	p->shared_bytes = end * sizeof(uint32_t);
}

bool batch_plan_make(struct batch_plan *p, const struct landscape *l, const struct boa_options *o,
		     int cluster, int *threads, size_t shared)
{
	const int most_copies_log = 4;

	set_sizes(p, l, o, cluster);
	choose_threads(p, threads);
	set_places(p);
	if (p->by_items && p->shared_bytes > shared) {
		p->by_items = false;
		set_places(p);
	}
	if (p->shared_bytes > shared)
		return false;
	/* A block that has a multiprocessor to itself anyhow spreads its table over the banks. */
	while (cluster > 1 && p->copies_log < most_copies_log && p->shared_bytes <= shared) {
		p->copies_log++;
		set_places(p);
	}
	if (p->shared_bytes > shared) {
		p->copies_log--;
		set_places(p);
	}
	return true;
}
