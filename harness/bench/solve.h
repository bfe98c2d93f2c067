/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* `solve`: the sub-command that every target has.
 *
 * solve_main() parses the flags, opens the devices, installs the signal handlers, calls the
 * target's run() and prints its result: a short summary and, with --json, one JSON object. The
 * target loads the instance, solves it, verifies the answer and fills a struct solve_result.
 *
 * The variants serial and cpu use no device. published and tuned run kernels on --device; some
 * targets run published on the CPU as well, with --device=cpu. The default variant is tuned if a
 * GPU is usable or a device was named, otherwise cpu. */
#ifndef COPRA_BENCH_SOLVE_H
#define COPRA_BENCH_SOLVE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/base/error.h"
#include "harness/base/flags.h"
#include "harness/base/watch.h"
#include "harness/device/device.h"

enum solve_variant { SOLVE_SERIAL, SOLVE_CPU, SOLVE_PUBLISHED, SOLVE_TUNED };
const char *solve_variant_name(enum solve_variant v);
/* Returns false and leaves *v unchanged if no variant has this name. */
bool solve_variant_from(const char *name, enum solve_variant *v);

/* A rung of a ladder: one form of a target's algorithm between the paper's and ours. A ladder
 * begins with the rung "literal", which is the variant published, and ends with the variant tuned.
 * Each rung adds one idea to the rung before it and does the same work. */
struct solve_rung {
	const char *name;    /* of --rung and of the axis `rung`: [a-z0-9-]+ */
	const char *problem; /* whose ladder it belongs to; NULL: the target has one ladder */
	enum solve_variant variant; /* whose code runs it; the same for all rungs of that name */
	const char *idea;           /* what it adds to the rung before it, one line */
};
/* The first rung of that name in a table that ends with a NULL name. With `problem`, only that
 * ladder is searched. NULL if there is none; `rungs` may be NULL. */
const struct solve_rung *solve_rung_find(const struct solve_rung *rungs, const char *problem,
					 const char *name);
/* Prints the ladders, for `list`: each rung and its idea. */
void solve_rungs_print(const struct solve_rung *rungs);

struct solve_progress {
	bool given;
	double seconds; /* between two lines; 0: none are shown, not even on a terminal */
};

/* A target with additional flags embeds this as the first member of its options; see
 * struct solve_spec. */
struct solve_options {
	const char *target;   /* the program's name */
	const char *problem;  /* --problem, or the target's default */
	const char *instance; /* --instance; mandatory, never NULL in run() */
	const char *variant_name;
	const char *rung_name; /* --rung NAME or NULL */
	const char *device;
	int64_t threads;                /* --threads, or all usable cores; >= 1 in run() */
	int64_t gpus;                   /* --gpus; 0: all devices of --device, or as_pays */
	const char *ub;                 /* --ub opt|none|VALUE, NULL when not given */
	uint64_t seed;                  /* --seed, default 1 */
	double time_limit;              /* --time-limit in seconds, 0 = none */
	const char *checkpoint;         /* --checkpoint FILE or NULL */
	const char *resume;             /* --resume FILE or NULL */
	const char *json;               /* --json FILE|- or NULL */
	const char *log;                /* --log FILE or NULL */
	struct solve_progress progress; /* --progress[=S] */
	int64_t node_limit;             /* --node-limit, 0 = none */
	const char *plot;               /* --plot FILE or NULL */

	/* Set before run() is called. */
	enum solve_variant variant;
	const struct solve_rung *rung; /* of --rung, or NULL: the variant as it is. Its problem
					      is that of the first ladder with this rung */
	struct dev_set devices;        /* count 0 for serial and cpu, and while they open */
	struct dev_opening *opening;   /* tuned by default (spec->begins_on_cores): `devices` open
					      while run() works; NULL: they are open */
	int likely_devices;            /* with `opening`: how many are likely to open; else 0 */
	bool as_pays;        /* as many of the devices as pay (spec->begins_on_one): --gpus auto, or
			 neither --gpus nor a list of devices was given. Only the first of
			 `devices` is started */
	double seconds_open; /* from the start of the command until the devices are open, or with
				as_pays until the first begins to start; without seconds_await */
	double deadline;     /* clock_wall() at which time_limit ends; 0: none */
	const volatile sig_atomic_t *stop; /* becomes non-zero on SIGINT, on SIGTERM and at the
					      deadline */
	struct watch *watch; /* what the search tells to --progress and --log, and the node limit;
				NULL: none of them was asked for */
};

/* The seconds left of --time-limit, which counts from the start of the command: at least 1e-3, or 0
 * without a limit. For searches that take a time limit themselves. */
double solve_time_left(const struct solve_options *o);
/* Replaces the text of an ERR_LIMIT by its cause: "stopped by --time-limit 5", "stopped by
 * SIGTERM". Another cause, such as a limit that only the target has, leaves the text unchanged. */
void solve_name_limit(const struct solve_options *o, struct err *e);

/* A status rests only on this run, including a checkpoint that it resumes, and never on a table of
 * known values. */
enum solve_status {
	SOLVE_OPTIMAL,    /* the run found a solution whose value equals the bound that it proved,
			     or (dp-knapsack without items) computed the value exactly */
	SOLVE_FEASIBLE,   /* a valid solution without a proof */
	SOLVE_COUNTED,    /* all solutions were counted */
	SOLVE_LIMIT,      /* stopped at a limit or by a signal; the partial result is valid */
	SOLVE_PROVED,     /* a search from a bound found nothing better: `bound`, no objective */
	SOLVE_INFEASIBLE, /* proved: there is no solution */
};

const char *solve_status_name(enum solve_status s);

enum { SOLVE_FIGURES = 32 };
struct solve_figure {
	const char *name; /* [a-z0-9_]+, static text */
	double value;
};

/* A metric of a run other than its time, written to rows of `bench` and to results of `solve`. */
struct measure {
	const char *name; /* [a-z0-9_]+, static text */
	double value;
	bool seconds; /* a time: a row has the mean over its iterations */
};

struct solve_result {
	char instance[128]; /* its name, from the reader */
	char problem[32];   /* if the instance's name determines it; empty: that of --problem */
	enum solve_status status;
	bool has_objective;
	int64_t objective;
	bool has_bound;
	int64_t bound;     /* proved by this run: no solution is better */
	int64_t *solution; /* job order, items, tour or bits (docs/SOLVE.md), malloc'ed; or NULL;
			      freed by solve_main() */
	size_t solution_length;
	const char *solution_unit; /* static text: "jobs" or "items", numbered from 0; "bits", 0 or
				      1; NULL: plain numbers */
	struct solve_figure nodes[SOLVE_FIGURES]; /* JSON "nodes": explored, decomposed, cells... */
	struct solve_figure extras[SOLVE_FIGURES]; /* further numbers of the JSON object */
	int node_count, extra_count;
	uint32_t devices_used; /* bit i: device i of the set worked; 0: all did */
	bool on_cores;         /* the variant cpu gave the answer: before a device was open, or
				  because none could be opened */
	int ranks,
		machines;   /* processes that worked together, on how many machines; 0: one alone */
	const char *source; /* what found the solution, static text; NULL: not told */
	const char *nodes_meaning; /* what `nodes` counts, for the summary; static text or NULL */
	double seconds_total, seconds_search;
	double seconds_await; /* by solve_await_devices(), not in seconds_total */
	bool verified;     /* re-evaluated from the instance by code that the search does not use.
			   SOLVE_PROVED has no solution to evaluate: it is verified if its node
			   count equals a published or recounted one */
	char note[512];    /* further lines of the summary; may be empty */
	struct err output; /* an output beside the result that could not be written (code 0: none):
			      the result is shown, then the command fails with this error */
};
/* Waits until the first device has started, which as_pays lets start beside the reading of the
 * instance: the errors of dev_set_await(). */
int solve_await_devices(const struct dev_set *devices, struct solve_result *r, struct err *e);
/* Add one figure to `nodes`, one to `extras`, or `count` to `extras`. Figures beyond SOLVE_FIGURES
 * are dropped. */
void solve_node_figure(struct solve_result *r, const char *name, double value);
void solve_extra_figure(struct solve_result *r, const char *name, double value);
void solve_measures(struct solve_result *r, const struct measure *m, int count);
/* Writes a member with the figure, an integer if it is whole. */
struct json_writer;
void solve_write_figure(struct json_writer *w, const struct solve_figure *f);
/* Appends a line to the note, or leaves the note unchanged if the line does not fit. */
__attribute__((format(printf, 2, 3))) void solve_note_line(struct solve_result *r,
							   const char *format, ...);

/* Flags of struct solve_options that only some targets support. A target that supports one puts it
 * into its table of flags; `options` is its struct, whose member `common` is the struct
 * solve_options. Other targets refuse the flag by name, and their --help does not show it. */
#define SOLVE_FLAG_UB(options, help)                                                               \
	FLAG("ub", FLAG_TEXT, options, common.ub, "opt|none|VALUE", help)
#define SOLVE_FLAG_CHECKPOINT(options, help)                                                       \
	FLAG("checkpoint", FLAG_TEXT, options, common.checkpoint, "FILE", help)
#define SOLVE_FLAG_NODE_LIMIT(options, help)                                                       \
	FLAG("node-limit", FLAG_COUNT, options, common.node_limit, "N", help)
#define SOLVE_FLAG_PLOT(options, help) FLAG("plot", FLAG_TEXT, options, common.plot, "FILE", help)
#define SOLVE_FLAG_RESUME(options, help)                                                           \
	FLAG("resume", FLAG_TEXT, options, common.resume, "FILE", help)

/* The solver of a target. `flags` are its own, with offsets in a struct of `options_size` bytes
 * whose first member is a struct solve_options. Both may be 0. */
struct solve_spec {
	const char *problem;   /* the default of --problem, e.g. "knapsack" */
	const char *instances; /* what --instance accepts, one line for --help */
	const struct flag *flags;
	size_t options_size;
	void (*defaults)(void *options); /* sets the defaults of `flags`; may be NULL */
	bool begins_on_one;    /* tuned uses more than the first device only where they pay */
	bool begins_on_cores;  /* without --variant, --rung, a list of devices, --gpus,
				  --checkpoint, --resume and --node-limit, run() gets devices that
				  are still opening (`opening`) and may do without them */
	bool published_on_cpu; /* with --device=cpu, published runs on --threads cores */
	const struct solve_rung *rungs; /* the ladders, ended by a NULL name; NULL: no --rung */
	int threads_max;                /* the maximum of --threads and of its default; 0: 4096 */
	/* Returns 0 with `r` filled, or ERR_LIMIT with a valid partial result or without one (`r`
	 * unchanged), or another error if there is no result. ERR_FAILED if the verification finds
	 * the answer wrong. */
	int (*run)(const struct solve_options *o, struct solve_result *r, struct err *e);
};

/* The sub-command: argv[0] is the first argument after "solve". Returns the exit code. `leave`: of
 * struct target; may be NULL. */
int solve_main(const char *target, const struct solve_spec *spec, void (*leave)(int code), int argc,
	       char **argv);

/* The part of solve_main() before and after run(), for other sub-commands of a target that take the
 * same flags. Parses the flags and opens the devices. A non-NULL *o must be closed, also after an
 * error. *help: --help was given and printed, and there is nothing more to do. */
int solve_open(const char *target, const char *command, const struct solve_spec *spec, int argc,
	       char **argv, struct solve_options **o, bool *help, struct err *e);
void solve_close(struct solve_options *o);

#endif
