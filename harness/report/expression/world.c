/* Statistics over the benchmarks that a pattern selects, for the measurements or a bootstrap
 * replicate. */
#include "harness/report/expression/tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/hash.h"
#include "harness/base/rng.h"
#include "harness/base/stats.h"
#include "harness/report/data/names.h"

/* The relative change, in either direction, of a time that was measured once (expression.h). */
static const double ASSUMED_NOISE = 0.05;

int expr_world_create(struct expr_world **out, const struct result_set *set,
		      const struct expr_printed *printed, struct err *e)
{
	size_t most = set->benches;
	for (size_t i = 0; i < set->benches; i++)
		most = set->bench[i].runs > most ? set->bench[i].runs : most;
	struct expr_world *w = calloc(1, sizeof(*w));
	double *scratch = calloc(2 * most + 1, sizeof(double));
	if (!w || !scratch) {
		free(w);
		free(scratch);
		return err_set(e, ERR_MEMORY, "out of memory");
	}
	*w = (struct expr_world){ .set = set, .printed = printed, .scratch = scratch };
	*out = w;
	return 0;
}

void expr_world_destroy(struct expr_world *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->selections; i++) {
		free(w->selection[i].pattern);
		free(w->selection[i].bench);
	}
	free(w->selection);
	free(w->scratch);
	free(w);
}

static int find_selection(struct expr_world *w, const char *pattern, size_t *index, struct err *e)
{
	uint64_t key = hash_text(HASH_INIT, pattern);
	for (size_t i = 0; i < w->selections; i++)
		if (w->selection[i].key == key && !strcmp(w->selection[i].pattern, pattern)) {
			*index = i;
			return 0;
		}
	int status = array_grow((void **)&w->selection, w->selections, sizeof(*w->selection), e);
	if (status)
		return status;
	struct expr_selection *s = &w->selection[w->selections];
	*s = (struct expr_selection){ .key = key };
	if ((status = text_copy(&s->pattern, pattern, e)))
		return status;
	*index = w->selections++;
	for (size_t i = 0; i < w->set->benches; i++) {
		if (!name_match(pattern, w->set->bench[i].name, NULL))
			continue;
		if ((status = array_grow((void **)&s->bench, s->count, sizeof(size_t), e)))
			return status;
		s->bench[s->count++] = i;
	}
	return 0;
}

/* ---- statistics ---- */

static struct rng random_of(const char *name, unsigned replicate)
{
	return rng_seeded(hash_u64(hash_text(HASH_INIT, name), replicate));
}

/* The median of the values of the runs, which a replicate resamples; NaN if no run has a value. */
static double reduce_runs(struct expr_world *w, unsigned replicate, const struct result_bench *b,
			  const double *values)
{
	double *scratch = w->scratch + w->set->benches;
	size_t count = 0;
	struct rng random = random_of(b->name, replicate);
	for (size_t i = 0; i < b->runs; i++) {
		size_t pick = replicate ? (size_t)rng_below(&random, b->runs) : i;
		if (!isnan(values[pick]))
			scratch[count++] = values[pick];
	}
	return stat_median(scratch, count);
}

static double combine(const double *values, size_t count, enum expr_statistic which)
{
	return which == STAT_MEAN   ? stat_mean(values, count) :
	       which == STAT_MEDIAN ? stat_median(values, count) :
	       which == STAT_MIN    ? stat_min(values, count) :
	       which == STAT_MAX    ? stat_max(values, count) :
				      stat_mean(values, count) * (double)count;
}

/* Resamples the values in the scratch array with replacement. */
static void draw_values(struct expr_world *w, struct rng *random, size_t count)
{
	double *drawn = w->scratch + w->set->benches;
	for (size_t i = 0; i < count; i++)
		drawn[i] = w->scratch[rng_below(random, count)];
	memcpy(w->scratch, drawn, count * sizeof(*drawn));
}

/* Writes the values of the benchmarks to the scratch array, and returns their number. */
static size_t gather(struct expr_world *w, const struct expr_selection *s, const char *counter,
		     const struct expr_draw *draw, size_t *runs)
{
	const struct result_set *set = w->set;
	unsigned replicate = draw->replicate;
	size_t count = 0;
	bool repeated = s->count == 1;
	struct rng random = random_of(s->pattern, replicate);
	for (size_t i = 0; i < s->count; i++) {
		const struct result_bench *b = &set->bench[s->bench[i]];
		const double *values = result_values(b, counter);
		double value = values ? reduce_runs(w, replicate, b, values) : NAN;
		if (replicate && draw->assume_noise && s->count == 1 && b->runs == 1 && !*counter)
			value *= 1 + ASSUMED_NOISE * (2 * rng_unit(&random) - 1);
		repeated = repeated || b->runs > 1;
		*runs += b->runs;
		if (!isnan(value))
			w->scratch[count++] = value;
	}
	if (replicate && !repeated && count)
		draw_values(w, &random, count);
	return count;
}

int expr_world_statistic(struct expr_world *w, const char *pattern, const char *counter,
			 enum expr_statistic which, const struct expr_draw *draw,
			 struct expr_result *out, struct err *e)
{
	size_t index;
	int status = find_selection(w, pattern, &index, e);
	if (status)
		return status;
	*out = (struct expr_result){ 0 };
	out->benchmarks = gather(w, &w->selection[index], counter, draw, &out->runs);
	if (which == STAT_COUNT)
		out->value = (double)out->benchmarks;
	else
		out->value = out->benchmarks ? combine(w->scratch, out->benchmarks, which) : NAN;
	return 0;
}
