/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The Bayesian Optimization Algorithm (BOA): the algorithm, and the request and result of runs.
 *
 * Munawar, Wahib, Munetomo, Akama, "Theoretical and Empirical Analysis of a GPU based Parallel
 * Bayesian Optimization Algorithm", PDCAT 2009. The algorithm is Pelikan, Goldberg, Cantu-Paz,
 * "BOA: the Bayesian Optimization Algorithm", GECCO 1999, with Ocenasek's parallel construction of
 * the network (permutation order).
 *
 * A run is a fixed function of the fitness, the options and the seed. Every variant computes the
 * same run bit by bit, on any number of threads and devices. (The models hBOA and sBOA give
 * different runs.)
 *
 *   Population 0 consists of the words boa_initial_word() (kernels/gboa/arithmetic.h). All
 *   individuals are evaluated. Then, for each generation g = 0, 1, ...
 *   1. Stop if a stopping rule applies.
 *   2. Select the `selected` fittest individuals; ties: the lowest index. They keep their order.
 *      Comments call them the selected.
 *   3. Stop if all selected individuals are alike and `stop_converged` is set.
 *   4. Learn a network from the selected (boa/learn.h), in the order of the permutation of g.
 *   5. Compute conditional tables from their counts (boa_threshold).
 *   6. Sample the offspring (boa_digits) and evaluate them.
 *   7. REPLACE_WORST: the next population consists of the selected, followed by
 *      population - selected offspring. REPLACE_ALL: it consists of `population` offspring.
 *
 * `population` is a multiple of 64 and `selected` a multiple of 32, so that words of 32 individuals
 * stay whole.
 *
 * runs.h runs it. The rooms: boa/ (the paper's BOA), hboa/ (hierarchical BOA), sizing/ (the
 * population that a problem needs), solve/ (the command `solve`). */
#ifndef COPRA_GBOA_BOA_H
#define COPRA_GBOA_BOA_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "datasets/landscape/landscape.h"
#include "harness/base/clock.h"
#include "harness/bench/solve.h"
#include "harness/device/device.h"
#include "kernels/gboa/arithmetic.h"

/* ---- individuals ---- */

/* Individuals packed by variable: a word holds one variable of 32 individuals, and the words of a
 * variable are consecutive. Bit b of words[v * stride + w] is variable v of individual 32 w + b.
 * Bits beyond the last individual are 0 and are never counted. Host and device use the same
 * layout. */
struct boa_data {
	int32_t n;     /* variables */
	int32_t count; /* individuals, >= 1 */
	size_t stride; /* words from one variable to the next, >= boa_words(count) */
	const uint32_t *words;
};

/* The number of words of a variable. */
static inline size_t boa_words(int64_t individuals)
{
	return (size_t)((individuals + 31) / 32);
}

static inline int boa_bit(const struct boa_data *d, int32_t variable, int32_t individual)
{
	return d->words[(size_t)variable * d->stride + (size_t)individual / 32] >>
		       (individual % 32) &
	       1;
}

/* ---- options ---- */

enum boa_model {
	BOA_PERMUTED, /* pBOA, gBOA: edges go from lower to higher ranks of a random permutation */
	BOA_SEARCHED, /* sBOA: any edge that closes no cycle; the best of all edges first */
	BOA_TREES,    /* hierarchical BOA: decision graphs, restricted tournaments (hboa/hboa.h) */
};

enum boa_replacement { BOA_REPLACE_WORST, BOA_REPLACE_ALL };

struct boa_options {
	enum boa_model model;
	int32_t population;  /* N, 64 .. BOA_POPULATION_MAX, a multiple of 64 */
	int32_t selected;    /* 32 .. N - 32 (REPLACE_ALL: N), a multiple of 32; paper: N / 2 */
	int32_t max_parents; /* k, 0 .. BOA_PARENTS_MAX */
	int32_t generations; /* limit, >= 0 */
	enum boa_replacement replacement;
	enum boa_smoothing smoothing;
	bool stop_at_optimum; /* stop as soon as an individual reaches the known optimum */
	bool stop_converged;  /* stop as soon as all selected individuals are alike */
	int32_t tournament;   /* BOA_TREES: size of the selection tournaments, 1 .. 64 */
	int32_t window; /* BOA_TREES: number of slots that an offspring is compared with, 1 .. N; 0:
			   the smaller of n and N / 20 */
	bool merges;    /* BOA_TREES: leaves may be merged (decision graphs, not only trees) */
	uint64_t seed;  /* run r of a call uses seed + r */
};

/* N = 4800, half selected, k = 3, 200 generations, the worst replaced, no smoothing, no early stop;
 * hBOA: tournaments of two, no merges. */
void boa_defaults(struct boa_options *o);

/* Checks the options for a problem of n variables. ERR_USAGE names the first invalid option. */
int boa_check_options(const struct boa_options *o, int32_t n, struct err *e);

static inline int32_t boa_offspring(const struct boa_options *o)
{
	return o->replacement == BOA_REPLACE_ALL ? o->population : o->population - o->selected;
}

/* ---- results ---- */

/* One run. The caller provides `bits` and, optionally, `words` and `fitness`. */
struct boa_run {
	uint8_t *bits;       /* n values 0 or 1: the best individual found; ties: the first */
	int32_t best;        /* its fitness */
	bool optimum;        /* true if it is the known optimum */
	int32_t generations; /* number of generations sampled */
	int64_t edges;       /* sum over all networks learned */
	/* The last population, or NULL: n x population / 32 words, packed as in struct boa_data,
	 * and its fitness. They are set in all runs of a call or in none. */
	uint32_t *words;
	int32_t *fitness;
};

/* Seconds, summed over all runs of a call. Steps of concurrent runs add up to more than `total`.
 * A variant that cannot measure its steps separately (one launch a run) leaves them at 0. */
struct boa_times {
	double total; /* wall time with memory and data in place; includes waiting for devices */
	double select, learn, sample, evaluate; /* tables: in learn; published: in sample */
	double transfer;         /* transfers of populations and networks between host and device */
	double count, gain, max; /* published: the parts of `learn` in steps 3 to 5 of the kernel */
	double set_up;           /* memory, tables, the fitness on the device; not part of total */
};

/* Adds every member of *t to that of *sum. */
void boa_times_add(struct boa_times *sum, const struct boa_times *t);

/* Sets the result of a run that never started because a limit was reached. */
void boa_not_begun(const struct landscape *l, struct boa_run *run);

/* ---- requests ---- */

/* Engines of `tuned`. AUTO chooses by sizes, number of runs and devices. */
enum boa_engine { BOA_AUTO, BOA_GRID, BOA_BATCH, BOA_LARGE };
extern const char *const boa_engine_words[]; /* "auto", "grid", "batch", "large", NULL */

struct boa_network; /* boa/network.h */

/* The report of the host engines after step 6 of each generation. */
struct boa_generation {
	int run, generation;
	const struct boa_data *selected;
	const struct boa_network *network; /* NULL for BOA_TREES */
	const struct boa_data *offspring;
	const int32_t *fitness; /* of the offspring */
	int32_t best;           /* of the population so far */
};

/* The division of a run over blocks by the batch engine; 0: chosen by the sizes. */
struct boa_batch_shape {
	int cluster; /* blocks of a run: 1, 2, 4, 8 or 16 */
	int threads; /* threads of a block: a multiple of 32, 64 .. 1024 */
	/* BOA_BATCH_PHASES sums of clock ticks (kernels/gboa/batch.h) are added here, unless NULL.
	 */
	unsigned long long *clocks;
};

/* The ideas of the ladder (rungs.h): what a rung adds to published or takes away from tuned. Zeros:
 * the variant as it is. */
struct boa_form {
	/* published: */
	bool groups;     /* counts candidates in groups (kernels/gboa/published.h) */
	bool words;      /* counts words of 32 individuals; with `groups` */
	bool host_words; /* the host selects, samples and evaluates words, not individuals */
	bool cores;      /* it does so on all its threads; with `host_words` */
	/* tuned: */
	bool popcounts; /* engine large: counts by population counts, not by tensor cores */
	int32_t launch; /* engine grid: generations per launch; 0: as many as 0.5 s allow */
};

/* Runs that the host makes beside devices. take() returns the number of a run, or a negative number
 * if the host shall make no more; finished() is called after each run that was not stopped. */
struct boa_host_queue {
	int (*take)(void *context);
	void (*finished)(void *context, int run);
	void *context;
};

struct boa_setup {
	const struct landscape *landscape;
	const struct boa_options *options;
	enum solve_variant variant;
	int threads; /* cpu: >= 1; serial: 1; published, tuned: for the host's share */
	const struct dev_set *devices;     /* published, tuned */
	int gpus;                          /* number of devices to use; 0 = all */
	const volatile sig_atomic_t *stop; /* stop flag, may be NULL */
	double time_limit;                 /* seconds, 0 = none */
	int engine;                        /* enum boa_engine, for tuned */
	/* Share of the variables (published), or greatest share of the runs (tuned), for the host's
	 * threads, 0 .. 1. */
	double host_share;
	int block_threads; /* published: threads per block, 32 .. 1024; 0 = 480, as in the paper */
	size_t block_shared; /* published: bytes of shared memory per block that it may use; 0: all
				that the device has (the C1060 of the paper had 16 KB) */
	struct boa_form form;
	/* published: the numbers of candidates that the kernel counts in each round, one more
	 * parent per round, are added here ([BOA_PARENTS_MAX]), unless NULL. */
	uint64_t *candidates;
	/* For the engine batch; NULL otherwise. boa_host_runs() then takes at most `count` runs. */
	const struct boa_host_queue *queue;
	/* For tests and measurements; zeros otherwise. */
	struct boa_batch_shape batch; /* engine batch */
	size_t panel_bytes; /* engine large: bytes for the products of a panel; 0: no limit */
	int count_shares;   /* engine large: shares of the individuals in counts, 1: not divided;
			       0: chosen by the sizes */
	bool gather_all;    /* engine large: every device gathers all variables, as without peer
			       access */
	/* Called by the host engines after step 6 of each generation of each run, by one thread at
	 * a time. For tests and plots; may be NULL. The pointers are valid during the call. */
	void (*watch)(void *context, const struct boa_generation *g);
	void *watch_context;
};

/* Makes `count` >= 1 independent runs; run r has the seed options->seed + r. boa_run and all
 * engines have this type. *times must be zero on entry. Errors:
 *
 *   ERR_LIMIT        The stop flag or the time limit ended the call. Each run holds the best
 *                    individual that it had found. A run that had not begun has best INT32_MIN, no
 *                    generations and a string of zeros.
 *   ERR_UNSUPPORTED  The variant does not have this model, or the size does not fit. */
typedef int boa_runs_function(const struct boa_setup *s, struct boa_run *runs, int count,
			      struct boa_times *times, struct err *e);

/* ---- limits ---- */

/* The stop flag and the time limit of a call. */
struct boa_limit {
	const volatile sig_atomic_t *stop; /* may be NULL */
	double deadline;                   /* clock_wall; 0 = none */
};

/* The limit of a call. `begin`: clock_wall() at which the time limit starts. */
static inline struct boa_limit boa_limit_from(const struct boa_setup *s, double begin)
{
	return (struct boa_limit){ s->stop, s->time_limit > 0 ? begin + s->time_limit : 0 };
}

static inline bool boa_limit_reached(const struct boa_limit *l)
{
	return (l->stop && __atomic_load_n(l->stop, __ATOMIC_RELAXED)) ||
	       (l->deadline > 0 && clock_wall() >= l->deadline);
}

#endif
