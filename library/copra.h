/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* copra.h: the public interface of libcopra.
 *
 * Solvers for the 0-1 knapsack, the permutation flowshop, N-Queens, the asymmetric travelling
 * salesman and functions of bit strings; readers of their instance files; and the recovery
 * engine of Köster, Groß, Krüger 2019, a parallel beam search over your own states.
 *
 *     copra_error error;
 *     copra_instance *instance;
 *     copra_result *result = NULL;
 *
 *     if (copra_instance_load(&instance, "flowshop", "ta001", &error) ||
 *         copra_solve(&result, instance, NULL, &error))
 *             fprintf(stderr, "%s\n", error.text);
 *     else
 *             printf("makespan %lld\n", (long long)copra_result_objective(result));
 *     copra_result_destroy(result);
 *     copra_instance_destroy(instance);
 *
 * Compile with `pkg-config --cflags --libs copra`.
 *
 * Errors. A function that returns int returns 0 or a negative code of enum copra_code, and then
 * leaves one line of text in *error. The pointer may be NULL. Other pointers that are read, such as
 * names, arrays and objects, give COPRA_USAGE if they are NULL, unless NULL has a meaning. Nothing
 * is printed and the process is never ended.
 *
 * Ownership. The caller owns what it passes in and destroys what a _create, _load or _solve
 * made. Every _destroy accepts NULL. Arrays that are passed in are copied.
 *
 * Threads. There is no global state, except that simulated devices (device "sim", for tests)
 * install a handler of SIGSEGV. Different objects may be used by different threads at the
 * same time; one object by one thread at a time, except that a const instance may be shared.
 *
 * Versions. The shared library is libcopra.so.2. Within version 2, functions are only added, and
 * the layout of the public structures does not change. */
#ifndef COPRA_H
#define COPRA_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define COPRA_VERSION_MAJOR 2

/* Exported from the shared library, in which all other symbols are hidden. */
#if defined(__GNUC__)
#define COPRA_API __attribute__((visibility("default")))
#else
#define COPRA_API
#endif

/* The version of the library that is linked, for example "2.0.0"; static text. */
COPRA_API const char *copra_version(void);

/* ---- errors ---- */

enum copra_code {
	COPRA_OK = 0,
	COPRA_FAILED = -1, /* the work failed, or verification found the answer wrong */
	COPRA_USAGE = -2,  /* an impossible argument, key or value */
	COPRA_INPUT = -3,  /* a malformed or unreadable file, or malformed data */
	COPRA_LIMIT = -4,  /* stopped at a limit or by the stop flag; results so far are valid */
	COPRA_DEVICE = -5, /* the requested device is not available */
	COPRA_MEMORY = -6, /* not enough memory on the host or a device */
	COPRA_IO = -7,     /* a file could not be written */
	COPRA_UNSUPPORTED = -8, /* this machine or build lacks what is needed */
};

typedef struct copra_error {
	int code;       /* of enum copra_code; 0 if there is no error */
	char text[512]; /* one line, without a final newline; "" if there is no error */
} copra_error;

/* ---- instances ---- */

typedef struct copra_instance copra_instance;

/* Loads a known instance or a file. `problem` is one of
 *   "knapsack"  "boyer:N[:SEED]", "correlation:CLASS:N[:SEED]", or a file: n, then n lines "index
 *               profit weight", then the capacity; or "n C", then n lines "profit weight"
 *   "flowshop"  "ta001" to "ta120", "random:JOBSxMACHINES:MAX[:SEED]", or a file in Taillard's or
 *               VFR's format
 *   "atsp"      "crane:CITIES:SEED", "tsmat:CITIES:SEED", or a TSPLIB file with a full matrix
 *   "nqueens"   the number of queens, 1 to 26
 *   a landscape: "trap2" to "trap8", "onemax", "htrap", "nk", "ising", "maxsat" (a DIMACS file)
 *               and others; `gboa list` describes their instances
 * or NULL: the problem is recognised by the content of the file. A file that fits several
 * problems is COPRA_USAGE and the text names them. COPRA_INPUT names file and line of the first
 * error. */
COPRA_API int copra_instance_load(copra_instance **out, const char *problem,
				  const char *name_or_file, copra_error *error);

/* Make instances of arrays. COPRA_INPUT names the first bad value. */
/* Maximise the profit of items whose weights sum to at most `capacity`: n >= 1, all values >= 0,
 * the sums of profits and of weights fit in 63 bits. */
COPRA_API int copra_knapsack_create(copra_instance **out, int64_t n, const int64_t *profit,
				    const int64_t *weight, int64_t capacity, copra_error *error);
/* Minimise the makespan of jobs that visit machines 0, 1, ... in this order, all machines
 * processing the jobs in the same order. time[machine * jobs + job] >= 0; 1 to 1,000 jobs, 1 to
 * 100 machines; the sum of all times fits in 31 bits. */
COPRA_API int copra_flowshop_create(copra_instance **out, int jobs, int machines,
				    const int32_t *time, copra_error *error);
/* Minimise the cost of a closed tour through 2 to 500 cities. cost[from * cities + to] >= 0; the
 * diagonal is not used; cities times the largest cost fits in 31 bits. */
COPRA_API int copra_atsp_create(copra_instance **out, int cities, const int32_t *cost,
				copra_error *error);
/* Count the placements of n queens on a board of n x n that do not attack each other; n is 1 to
 * 26. */
COPRA_API int copra_queens_create(copra_instance **out, int n, copra_error *error);
COPRA_API void copra_instance_destroy(copra_instance *instance);

/* "flowshop" and "ta001", for example. The texts live as long as the instance. */
COPRA_API const char *copra_instance_problem(const copra_instance *instance);
COPRA_API const char *copra_instance_name(const copra_instance *instance);
/* The length of a solution: items, jobs, cities or variables; the number of queens. */
COPRA_API int64_t copra_instance_size(const copra_instance *instance);

/* The value of a solution, by plain code that no solver uses. *objective receives the profit,
 * the makespan, the cost or the value f. knapsack: positions of the chosen items; flowshop: an
 * order of all jobs; atsp: an order of all cities; landscapes: one value 0 or 1 for each
 * variable. COPRA_INPUT if `solution` is not a solution; COPRA_UNSUPPORTED for N-Queens. */
COPRA_API int copra_evaluate(const copra_instance *instance, const int64_t *solution, size_t length,
			     int64_t *objective, copra_error *error);

/* ---- settings ---- */

/* Settings of solvers and trackers: keys with values. Without a key the default applies.
 *
 *   key          value                      default and meaning
 *   device       auto|cpu|cuda[:0,1]|sim    auto: all CUDA devices, or the cores if there are none;
 *                                           trackers run on the cores
 *   gpus         N                          all of `device`; with auto, as many as pay
 *   threads      N                          all usable cores
 *   seed         N                          1
 *   time-limit   SECONDS                    none; not for trackers
 *   memory       BYTES (512M)               most of the free memory
 *   ub           VALUE                      none; flowshop: search for makespans below VALUE;
 *                                           atsp: search for costs of at most VALUE
 *   bound        lb1|lb1-pairs|lb2          lb2; flowshop: the lower bound
 *   branching    forward|maxsum|minbranch   maxsum; flowshop: at which ends jobs are placed
 *   population   N                          4800; landscapes: a multiple of 64
 *   generations  N                          200; landscapes
 *   runs         N                          1; landscapes: independent runs
 *   beam         N                          1024; trackers: states of a layer
 *   slots        N                          16384; trackers: children that are made at once
 *   look-ahead   N                          8; trackers: steps of an evaluation, 1 to 1024
 *   recovery     replay|host|checkpoint|adaptive
 *                                           replay; trackers: which layers keep their states
 *   distance     N                          8; trackers: layers between checkpoints */
typedef struct copra_settings copra_settings;

COPRA_API int copra_settings_create(copra_settings **out, copra_error *error);
/* Sets a key. COPRA_USAGE names an unknown key or a bad value. */
COPRA_API int copra_settings_set(copra_settings *settings, const char *key, const char *value,
				 copra_error *error);
/* Searches end soon, with COPRA_LIMIT and a valid partial result, after *stop has become
 * non-zero. A signal handler or another thread may set it. NULL: none. The flag must outlive its
 * uses. */
COPRA_API void copra_settings_stop(copra_settings *settings, const volatile sig_atomic_t *stop);
COPRA_API void copra_settings_destroy(copra_settings *settings);

/* ---- solving ---- */

typedef struct copra_result copra_result;

enum copra_status {
	COPRA_STATUS_OPTIMAL = 0,    /* a solution, and the proof that none is better */
	COPRA_STATUS_FEASIBLE = 1,   /* a valid solution without a proof */
	COPRA_STATUS_COUNTED = 2,    /* N-Queens: all placements were counted */
	COPRA_STATUS_LIMIT = 3,      /* stopped: the partial result is valid */
	COPRA_STATUS_PROVED = 4,     /* with `ub`: no solution is better than the bound */
	COPRA_STATUS_INFEASIBLE = 5, /* proved: there is no solution */
};

/* Solves an instance. `settings` may be NULL. Each solution is evaluated again by code that the
 * search does not use; COPRA_FAILED if the values differ. Landscapes: the Bayesian optimization
 * algorithm, a heuristic; all other solvers are exact. After COPRA_LIMIT, *out is the partial
 * result, or NULL if there is none. After other errors *out is NULL. */
COPRA_API int copra_solve(copra_result **out, const copra_instance *instance,
			  const copra_settings *settings, copra_error *error);
COPRA_API void copra_result_destroy(copra_result *result);

COPRA_API enum copra_status copra_result_status(const copra_result *result);
/* "optimal", "feasible", "counted", "limit", "proved", "infeasible"; static text. */
COPRA_API const char *copra_status_name(enum copra_status status);
/* Whether the result has an objective, and its value: the profit, makespan, cost or value f;
 * N-Queens: the number of placements. 0 if there is none. */
COPRA_API int copra_result_has_objective(const copra_result *result);
COPRA_API int64_t copra_result_objective(const copra_result *result);
/* Whether the run proved a bound, and its value: no solution is better. */
COPRA_API int copra_result_has_bound(const copra_result *result);
COPRA_API int64_t copra_result_bound(const copra_result *result);
/* The solution, in the form that copra_evaluate describes, and its length; NULL and 0 if there is
 * none. It lives as long as the result. */
COPRA_API const int64_t *copra_result_solution(const copra_result *result, size_t *length);
/* Whether the answer was confirmed by code that the search does not use. */
COPRA_API int copra_result_verified(const copra_result *result);
/* Wall-clock seconds of the whole call. */
COPRA_API double copra_result_seconds(const copra_result *result);
/* A number of the run by its name, as in the JSON of `solve`: "explored", "decomposed", "leaves",
 * "cells", "evaluations", ... -1 if the run has no such number. */
COPRA_API double copra_result_number(const copra_result *result, const char *name);

/* ---- the recovery engine ---- */

/* A parallel beam search over states of your own. States of earlier layers are not stored: they
 * are rebuilt, by replay, from a history of 8 bytes for each state. You can therefore continue
 * from any state of any layer of a long search. Köster, Groß, Krüger, "Parallel Tracking and
 * Reconstruction of States in Heuristic Optimization Systems on GPUs", 2019. The library runs it
 * on the cores.
 *
 * A child is made from its parent by assigning it a choice and then executing it. Several threads
 * call the functions at the same time, each for a different state. They may depend only on the
 * context, the state and the step, and must give the same bytes each time: a rebuilt state is made
 * by calling them again. */

/* The point of the search at which a function is called. */
typedef struct copra_step {
	uint64_t seed;      /* the setting `seed` */
	uint32_t layer;     /* that the state will belong to; the inputs are layer 0 */
	uint32_t source;    /* slot of its parent in the parent's layer */
	uint32_t successor; /* number of the successor of its parent: the choice */
	uint32_t step;      /* number of executions since the parent, not counting this one */
	uint32_t phase;     /* 0 in assign, 1 in execute */
} copra_step;

/* A random word for the step: the same for the same step and draw (0 .. 262143). */
COPRA_API uint32_t copra_random(const copra_step *at, uint32_t draw);

/* A rating of states that are never kept. */
#define COPRA_DROPPED UINT32_MAX

typedef struct copra_domain {
	size_t state_bytes; /* 1 to 65536; a state is plain data without pointers into itself */
	void *context;      /* passed to every function */
	/* Makes a step. Returns 1 if the state then waits for an assignment, else 0. */
	int (*execute)(void *context, void *state, const copra_step *at);
	/* Makes a choice. At step 0 it is at->successor. At later steps of an evaluation it is up
	 * to the domain: by a heuristic, or at random with copra_random. */
	void (*assign)(void *context, void *state, const copra_step *at);
	/* Rates a state; smaller is better. COPRA_DROPPED: never kept. */
	uint32_t (*rate)(void *context, const void *state);
	/* The number of successors that are worth making; 0: none, the state is final. At most the
	 * setting `slots`. */
	uint32_t (*expand)(void *context, const void *state);
	/* The number of the k-th of them; NULL: k. */
	uint32_t (*successor)(void *context, const void *state, uint32_t k);
} copra_domain;

typedef struct copra_tracker copra_tracker;

/* A state of a layer of the search. */
typedef struct copra_node {
	uint32_t layer, slot;
} copra_node;

/* Creates a tracker for a domain, which is copied; its context must outlive the tracker.
 * `settings` may be NULL. COPRA_USAGE, COPRA_MEMORY. */
COPRA_API int copra_tracker_create(copra_tracker **out, const copra_domain *domain,
				   const copra_settings *settings, copra_error *error);
COPRA_API void copra_tracker_destroy(copra_tracker *t);

/* Starts the search with `count` states, 1 to `beam`, stored one after another. */
COPRA_API int copra_tracker_begin(copra_tracker *t, const void *states, uint32_t count,
				  copra_error *error);
/* Makes a layer: expands the current states, rates their children after `look-ahead` steps, and
 * keeps the `beam` best. If there are no children, copra_tracker_count returns 0 from then on.
 * COPRA_LIMIT if stopped; the tracker is then unchanged. */
COPRA_API int copra_tracker_iterate(copra_tracker *t, copra_error *error);
/* The number of the current layer and of its states. */
COPRA_API uint32_t copra_tracker_layer(const copra_tracker *t);
COPRA_API uint32_t copra_tracker_count(const copra_tracker *t);
/* The number of states of any layer. */
COPRA_API uint32_t copra_tracker_layer_count(const copra_tracker *t, uint32_t layer);
/* The entry of a node in the history; each pointer may be NULL. *parent is the node itself in
 * layer 0, which has no successor and no rating (both 0). COPRA_USAGE if there is no such node. */
COPRA_API int copra_tracker_history(const copra_tracker *t, copra_node node, copra_node *parent,
				    uint32_t *successor, uint32_t *rating, copra_error *error);
/* Rebuilds `count` states of any layers, stored one after another in `states`. The current layer
 * does not change. `count` is not limited by `beam`. COPRA_USAGE if a node does not exist. */
COPRA_API int copra_tracker_recover(copra_tracker *t, const copra_node *nodes, uint32_t count,
				    void *states, copra_error *error);
/* Continues from any states of any layers: they become the current layer. count: 1 to `beam`. */
COPRA_API int copra_tracker_backtrack(copra_tracker *t, const copra_node *nodes, uint32_t count,
				      copra_error *error);

#ifdef __cplusplus
}
#endif

#endif
