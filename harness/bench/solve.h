/* `solve`: what the sub-command of every target shares.
 *
 * copra_main() parses the flags, opens the devices, installs the signal handlers, calls the
 * target's run() and prints its result: a short summary for people and, with --json, one object.
 * The target loads the instance, solves, verifies and fills a struct solve_result.
 *
 * Variants: serial and cpu use no device; published and tuned run kernels on --device (published of
 * some targets on cores too, with --device=cpu). Where no variant is given, tuned is taken when a
 * GPU is usable or a device was named, else cpu. */
#ifndef COPRA_BENCH_SOLVE_H
#define COPRA_BENCH_SOLVE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/device/device.h"
#include "harness/base/error.h"
#include "harness/base/flags.h"

enum solve_variant { SOLVE_SERIAL, SOLVE_CPU, SOLVE_PUBLISHED, SOLVE_TUNED };
const char *solve_variant_name(enum solve_variant v);
/* The other way; false, and *v as it was, where no variant is called so. */
bool solve_variant_from(const char *name, enum solve_variant *v);

/* A target with flags of its own puts this first in its own struct, see solve_spec. */
struct solve_options {
	const char *target;   /* the program's name */
	const char *problem;  /* --problem; the target's default when not given */
	const char *instance; /* --instance; mandatory, never NULL in solve() */
	const char *variant_name;
	const char *device;
	int64_t threads;        /* --threads; all usable cores when not given: >= 1 in solve() */
	int64_t gpus;           /* --gpus; 0 = all of the set */
	const char *ub;         /* --ub opt|none|VALUE, NULL when not given */
	uint64_t seed;          /* --seed, default 1 */
	double time_limit;      /* --time-limit in seconds, 0 = none */
	const char *checkpoint; /* --checkpoint FILE or NULL */
	const char *resume;     /* --resume FILE or NULL */
	const char *json;       /* --json FILE|- or NULL */

	/* Worked out before solve() is called. */
	enum solve_variant variant;
	struct dev_set devices;            /* count 0 for serial and cpu */
	double deadline;                   /* clock_wall at which time_limit ends; 0 = none */
	const volatile sig_atomic_t *stop; /* becomes non-zero on SIGINT or SIGTERM, and at the
					      deadline: who polls it heeds both */
};

/* Seconds that are left of --time-limit, which runs from the start of the command: at least 1e-3; 0
 * without a limit. For searches with a limit of their own. */
double solve_time_left(const struct solve_options *o);
/* Replaces the text of an ERR_LIMIT by what stopped the command: "stopped by --time-limit 5",
 * "stopped by SIGTERM". Where neither did, as with a limit of the target's own, the text stays. */
void solve_name_limit(const struct solve_options *o, struct err *e);

/* A status rests on this run alone (a checkpoint that it resumes included), never on a table of
 * known values. */
enum solve_status {
	SOLVE_OPTIMAL,    /* the run holds a solution whose value equals the bound that it proved,
			     or (dp-knapsack without items) computed the value exactly */
	SOLVE_FEASIBLE,   /* a valid solution without a proof */
	SOLVE_COUNTED,    /* all solutions were counted */
	SOLVE_LIMIT,      /* stopped at a limit or by a signal; what is there is valid */
	SOLVE_PROVED,     /* a search from a bound found nothing better: `bound`, no objective */
	SOLVE_INFEASIBLE, /* proved: there is no solution */
};

enum { SOLVE_FIGURES = 32 };
struct solve_figure {
	const char *name; /* [a-z0-9_]+, static text */
	double value;
};

struct solve_result {
	char instance[128]; /* its name, as the reader gave it */
	char problem[32];   /* where the instance's name says which; empty: that of --problem */
	enum solve_status status;
	bool has_objective;
	int64_t objective;
	bool has_bound;
	int64_t bound;     /* proved by this run: no solution is better */
	int64_t *solution; /* in the meaning of DESIGN's table; malloc'ed, or NULL when there is
			      none; freed by solve_result_free */
	size_t solution_length;
	const char *solution_unit; /* what its numbers are, static text: "jobs", "items", counted
				      from 0; "bits", 0 or 1; NULL: plain numbers */
	struct solve_figure nodes[SOLVE_FIGURES]; /* JSON "nodes": explored, decomposed, cells... */
	struct solve_figure extras[SOLVE_FIGURES]; /* further flat numbers of the JSON object */
	int node_count, extra_count;
	const char *nodes_meaning; /* what `nodes` count, for the summary; static text or NULL */
	double seconds_total, seconds_search;
	bool verified;  /* re-evaluated from the instance by code the search does not use.
			   SOLVE_PROVED leaves nothing to evaluate: its count of nodes
			   equals one that was published or counted before */
	char note[512]; /* further lines of the summary; may be empty */
};
void solve_node_figure(struct solve_result *r, const char *name, double value);
void solve_extra_figure(struct solve_result *r, const char *name, double value);
/* Appends a line to the note; leaves the note as it is where the line does not fit. */
__attribute__((format(printf, 2, 3))) void solve_note_line(struct solve_result *r,
							   const char *format, ...);
void solve_result_free(struct solve_result *r);

/* Flags of struct solve_options that only some targets take, for their tables; `options` is the
 * target's struct, whose member `common` is the struct solve_options. A target whose table lacks
 * one refuses it by name, and its --help does not show it. */
#define SOLVE_FLAG_UB(options, help)                                                               \
	FLAG("ub", FLAG_TEXT, options, common.ub, "opt|none|VALUE", help)
#define SOLVE_FLAG_CHECKPOINT(options, help)                                                       \
	FLAG("checkpoint", FLAG_TEXT, options, common.checkpoint, "FILE", help)
#define SOLVE_FLAG_RESUME(options, help)                                                           \
	FLAG("resume", FLAG_TEXT, options, common.resume, "FILE", help)

/* What a target offers. `flags` are its own, with offsets in a struct whose first member is a
 * struct solve_options and whose size is `options_size`; flags and options_size may be 0. */
struct solve_spec {
	const char *problem;   /* the default of --problem, e.g. "knapsack" */
	const char *instances; /* what --instance takes, one line for --help */
	const struct flag *flags;
	size_t options_size;
	void (*defaults)(void *options); /* of its own flags, may be NULL */
	const char *no_checkpoint; /* without --checkpoint: what to use instead, for the refusal; or
				      NULL */
	bool published_on_cpu;     /* with --device=cpu published runs on --threads cores */
	int threads_max; /* of --threads, and of its default on larger machines; 0: 4096 */
	/* Returns 0 with `r` filled; ERR_LIMIT with a valid partial result in it, or with none (`r`
	 * as it was); another error when there is nothing to show. An answer found wrong by the
	 * verification is ERR_FAILED. */
	int (*run)(const struct solve_options *o, struct solve_result *r, struct err *e);
};

/* The sub-command: argv[0] is the first argument after "solve". Returns the exit code. */
int solve_main(const char *target, const struct solve_spec *spec, int argc, char **argv);

/* What solve_main does before and after run(), for a target's other sub-commands that take the same
 * flags. Parses them and opens the devices; *o is to be closed where it is not NULL, also after an
 * error. *help: --help was asked for and printed, there is nothing more to do. */
int solve_open(const char *target, const char *command, const struct solve_spec *spec, int argc,
	       char **argv, struct solve_options **o, bool *help, struct err *e);
void solve_close(struct solve_options *o);

/* The summary on stdout, and the object of --json: to a file atomically, or for "-" alone on
 * stdout, the summary then on stderr. */
int solve_show(const char *target, const struct solve_options *o, const struct solve_result *r,
	       struct err *e);

#endif
