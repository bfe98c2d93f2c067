/* The Bayesian Optimization Algorithm: what is run, and what comes out.
 *
 * Munawar, Wahib, Munetomo, Akama, "Theoretical and Empirical Analysis of a GPU based Parallel
 * Bayesian Optimization Algorithm", PDCAT 2009; the algorithm is Pelikan, Goldberg, Cantu-Paz,
 * "BOA: the Bayesian Optimization Algorithm", GECCO 1999, and Ocenasek's parallel construction of
 * the network (permutation order).
 *
 * A run is a fixed function of the fitness, the options and the seed. Every variant computes the
 * same one bit by bit (hBOA and sBOA apart, which are other models), on any number of threads and
 * devices:
 *
 *   population 0: population_word() of random.h; all are evaluated. Then, per generation g = 0, 1,
 * ...
 *   1. stop, where a rule says so (boa_stop)
 *   2. select the `selected` best, the fittest first, of equal ones the lowest index
 *   3. stop, where it is a rule, if every variable has one value in all that are selected
 *   4. learn a network from them (learn.h) in the order of the permutation of g (random.h)
 *   5. conditional tables from their counts (network.h)
 *   6. sample the offspring (random.h) and evaluate them
 *   7. REPLACE_WORST: the selected keep their order and come first, the population - selected
 *      offspring after them. REPLACE_ALL: the `population` offspring are the next population.
 *
 * Sizes: population a multiple of 64, selected of 32, so that no word of 32 individuals is broken.
 */
#ifndef COPRA_GBOA_BOA_H
#define COPRA_GBOA_BOA_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "datasets/landscape/landscape.h"
#include "harness/device/device.h"
#include "harness/bench/solve.h"

enum boa_model {
	BOA_PERMUTED, /* pBOA, gBOA: edges go from lower to higher ranks of a random permutation */
	BOA_SEARCHED, /* sBOA: any edge that closes no cycle; the best of all edges first */
	BOA_TREES,    /* hierarchical BOA: decision graphs and restricted tournaments (hboa.h) */
};

enum boa_replacement { BOA_REPLACE_WORST, BOA_REPLACE_ALL };
enum boa_smoothing {
	BOA_SMOOTH_NONE,    /* N_a1 / N_a, one half where N_a = 0 */
	BOA_SMOOTH_LAPLACE, /* (N_a1 + 1) / (N_a + 2) */
};

enum { BOA_PARENTS_MAX = 6, BOA_VARIABLES_MAX = 65536, BOA_POPULATION_MAX = 1 << 20 };

struct boa_options {
	enum boa_model model;
	int32_t population; /* N, 64 .. BOA_POPULATION_MAX, a multiple of 64 */
	int32_t selected; /* 32 .. N - 32 (REPLACE_ALL: N), a multiple of 32; the paper's: N / 2 */
	int32_t max_parents; /* k, 0 .. BOA_PARENTS_MAX */
	int32_t generations; /* at most so many */
	enum boa_replacement replacement;
	enum boa_smoothing smoothing;
	bool stop_at_optimum; /* as soon as an individual has the known optimum */
	bool stop_converged;  /* as soon as the selected are all alike */
	int32_t tournament; /* BOA_TREES (hboa.h): size of the tournaments of selection, 1 .. 64 */
	int32_t window; /* BOA_TREES: individuals that an offspring compares itself with, 1 .. N;
			   0: the least of n and N / 20 */
	bool merges;    /* BOA_TREES: leaves may be merged: decision graphs, not only trees */
	uint64_t seed;  /* run r of a batch has seed + r */
};

/* N = 4800, half selected, k = 3, 200 generations, the worst replaced, no smoothing, no early stop;
 * hBOA: tournaments of two, no merges. */
void boa_defaults(struct boa_options *o);
/* ERR_USAGE names the first option that cannot be, for a problem of n variables. */
int boa_check_options(const struct boa_options *o, int32_t n, struct err *e);

static inline int32_t boa_offspring(const struct boa_options *o)
{
	return o->replacement == BOA_REPLACE_ALL ? o->population : o->population - o->selected;
}

/* One run. The caller provides `bits` and, if it wants them, `words` and `fitness`. */
struct boa_run {
	uint8_t *bits;       /* n values 0 or 1: the best ever found; of equal ones the first */
	int32_t best;        /* its fitness */
	bool optimum;        /* it is the known optimum */
	int32_t generations; /* that were sampled */
	int64_t edges;       /* of all networks learned */
	/* The last population, or NULL: n x population / 32 words, variable by variable, as in
	 * data.h, and the population's fitness. Only where all runs of a call want it. */
	uint32_t *words;
	int32_t *fitness;
};

/* Seconds of all runs of a call together: of runs at the same time the steps add up to more than
 * `total`. A variant that cannot tell its steps apart (one launch a
 * run) leaves these at 0; `total` it always gives: wall time, memory and data in place, devices
 * waited for. */
struct boa_times {
	double total;
	double select, learn, sample, evaluate; /* tables: learn; published: sample */
	double transfer; /* of populations and networks between host and device */
	double set_up;   /* not in total: memory, tables, the fitness on the device */
};

struct boa_generation;

void boa_times_add(struct boa_times *sum, const struct boa_times *t);

struct boa_setup {
	const struct landscape *landscape;
	const struct boa_options *options;
	enum solve_variant variant;
	int threads; /* cpu: >= 1; serial: 1; published, tuned: of the host's share */
	const struct dev_set *devices;     /* published, tuned */
	int gpus;                          /* the first so many of them; 0 = all */
	const volatile sig_atomic_t *stop; /* may be NULL */
	double time_limit;                 /* seconds, 0 = none */
	/* Of the tuned engine: which; a name of boa_engine_words. */
	int engine;
	/* Share of the variables (published) or runs (tuned) that the host's threads take, 0 .. 1.
	 */
	double host_share;
	/* published: threads a block, 32 .. 1024; 0 = 480, the paper's */
	int block_threads;
	/* Called by the host engines after step 6 of each generation of each run, for tests and
	 * plots, from any thread but one at a time; NULL for nothing. The pointers are valid during
	 * the call. */
	void (*watch)(void *context, const struct boa_generation *g);
	void *watch_context;
};

struct boa_data;
struct boa_network;
struct boa_generation {
	int run, generation;
	const struct boa_data *selected;   /* data.h */
	const struct boa_network *network; /* network.h; NULL for BOA_TREES */
	const struct boa_data *offspring;
	const int32_t *fitness; /* of the offspring */
	int32_t best;           /* of the population so far */
};

/* Engines of tuned. AUTO chooses by sizes, number of runs and devices. */
enum boa_engine { BOA_AUTO, BOA_GRID, BOA_BATCH, BOA_LARGE };
extern const char *const boa_engine_words[]; /* "auto", "grid", "batch", "large", NULL */

/* `count` independent runs, count >= 1; run r has the seed options->seed + r. ERR_LIMIT: the stop
 * flag or the time limit ended it; all runs hold what they had reached, generations tell how far; a
 * run that had not begun has best INT32_MIN, no generation and the string of zeros.
 * ERR_UNSUPPORTED: the variant has not this model, or the size does not fit, and why. */
int boa_run(const struct boa_setup *s, struct boa_run *runs, int count, struct boa_times *times,
	    struct err *e);

/* What a run is that a limit kept from beginning. */
void boa_not_begun(const struct landscape *l, struct boa_run *run);

/* ---- the variants, each checked and called by boa_run ---- */

typedef int boa_runs_function(const struct boa_setup *s, struct boa_run *runs, int count,
			      struct boa_times *times, struct err *e);

boa_runs_function boa_host_runs; /* serial and cpu, BOA_PERMUTED and BOA_SEARCHED (serial) */
boa_runs_function
	boa_published_runs;       /* gBOA: the host's steps, learning by the kernel of Figure 6 */
boa_runs_function boa_grid_runs;  /* tuned: a run after the other, each on one whole device */
boa_runs_function boa_batch_runs; /* tuned: a block or a cluster a run, on all devices */
boa_runs_function boa_large_runs; /* tuned: many variables and individuals, on all devices */
boa_runs_function hboa_runs;      /* BOA_TREES, every variant that has it */

#endif
