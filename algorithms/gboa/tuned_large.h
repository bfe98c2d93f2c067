/* One large run on all devices: what its files share. kernels/gboa/large.h says how individuals and
 * counts lie on a device.
 *
 * Every device has the whole population, selects from it and permutes the variables for itself.
 * Ranks are divided, so that each device learns the parents of its own, contiguous ones; those of
 * later devices need the counts of pairs of the earlier. Then all hand their rows of the model to
 * all. Each device samples and evaluates columns of the offspring of its own and hands them to all.
 */
#ifndef COPRA_GBOA_TUNED_LARGE_H
#define COPRA_GBOA_TUNED_LARGE_H

#include "kernels/gboa/large.h"
#include "algorithms/gboa/boa.h"
#include "algorithms/gboa/limit.h"
#include "algorithms/gboa/k2.h"

/* Times of a generation are taken between these, on the first device. */
enum large_mark {
	LARGE_BEGIN,
	LARGE_SELECTED,
	LARGE_LEARNED,
	LARGE_SAMPLED,
	LARGE_EVALUATED,
	LARGE_MARKS
};

struct large_device {
	struct dev *dev;
	struct dev_stream *stream;
	struct dev_event *sent; /* behind what this device handed to others last */
	const struct large_select_kernels *select;
	const struct large_learn_kernels *learn;
	const struct large_sample_kernels *sample;
	int32_t first_tile, last_tile; /* tile rows whose parents it learns */
	int32_t panel;                 /* tile rows that it learns at a time */
	int32_t processors;
	struct fitness_view fitness;
	/* Memory of the device; of pairs, the present generation is one and the next the other. */
	int32_t *landscape;
	uint32_t *ln_factorial;
	uint32_t *x[2], *rating[2];
	int32_t *rank[2], *order;
	uint32_t *position;
	void *choice;
	struct large_part part[DEV_MAX];
	int32_t *pairs, *counts;
	size_t counts_step, y_step;
	uint32_t *y, *totals, *records;
	int32_t *parent_count, *parents, *place;
	int64_t *where;
	struct large_layout *layout;
	struct large_levels levels;
	struct large_status *status;
	uint8_t *bits;
};

struct large {
	const struct boa_setup *setup;
	int32_t n, kept; /* variables; individuals that stay in the population */
	int32_t offspring;
	int32_t tile_rows;
	size_t stride;      /* words of a row of selected individuals */
	size_t panel_bytes; /* at most so many for the products of a panel; 0: what is free */
	struct k2_table table;
	int devices;
	struct large_device device[DEV_MAX];
	struct large_status *status; /* pinned: of the first device */
	/* Of this generation and of the one before. */
	struct dev_event *mark[2][LARGE_MARKS];
	int now; /* which of the pairs is the present one */
	uint64_t seed;
	struct boa_limit limit;
};

/* Devices, their shares and memory. After an error nothing is left to be destroyed. */
int large_create(struct large *l, const struct boa_setup *s, size_t panel_bytes, struct err *e);
void large_destroy(struct large *l);

/* Shares of `tile_rows` rows of a triangle for `devices`, as equal as can be: share d is first[d]
 * .. first[d + 1] - 1, maybe none. */
void large_share_rows(int32_t tile_rows, int devices, int32_t *first);

/* Steps of a generation on all devices, asynchronous. */
/* Population 0, judged; numbers: 0 .. n - 1. Waits. */
int large_begin(struct large *l, const int32_t *numbers, struct err *e);
int large_select(struct large *l, uint32_t generation, struct err *e);
int large_learn(struct large *l, struct err *e);
int large_sample(struct large *l, uint32_t generation, struct err *e);
int large_evaluate(struct large *l, struct err *e); /* and judge */
/* Until nothing is under way. */
int large_wait(struct large *l, struct err *e);

/* boa_large_runs with panels of at most so many bytes, for tests; 0: what is free. */
int large_runs_within(const struct boa_setup *s, struct boa_run *runs, int count,
		      struct boa_times *times, size_t panel_bytes, struct err *e);

#endif
