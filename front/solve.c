/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "front/solve.h"

#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "front/instance.h"
#include "front/policy.h"
#include "front/programs.h"
#include "harness/base/flags.h"
#include "harness/base/host.h"
#include "harness/base/stop.h"
#include "harness/device/device.h"

static const char beam_program[] = "koester-recovery";

/* ---- command lines ---- */

enum { WORDS = 512, TEXT = 16384 };
struct line {
	char *word[WORDS + 1]; /* ends with NULL */
	int count;
	char text[TEXT]; /* of words that were made here */
	size_t used;
	bool full;
};

static void add(struct line *l, char *word)
{
	l->full = l->full || l->count == WORDS;
	if (l->count < WORDS)
		l->word[l->count++] = word;
	l->word[l->count] = NULL;
}

__attribute__((format(printf, 2, 3))) static void add_made(struct line *l, const char *format, ...)
{
	va_list ap;
	int length;

	va_start(ap, format);
	length = vsnprintf(l->text + l->used, TEXT - l->used, format, ap);
	va_end(ap);
	if (length < 0 || (size_t)length >= TEXT - l->used) {
		l->full = true;
		return;
	}
	add(l, l->text + l->used);
	l->used += (size_t)length + 1;
}

/* The length of the first word of a text. */
static size_t word_length(const char *text)
{
	return strcspn(text, " ");
}

/* Adds the flags of a rule, "--name value --switch", without those that the user gave. Returns
 * whether it left any out. */
static bool add_rule_flags(struct line *l, const char *flags, const struct policy_flags *user)
{
	bool keep = true, replaced = false;

	for (; *flags; flags += word_length(flags), flags += strspn(flags, " ")) {
		char name[64];

		if (strncmp(flags, "--", 2) == 0) {
			snprintf(name, sizeof(name), "%.*s", (int)word_length(flags) - 2,
				 flags + 2);
			keep = !policy_given(user, name);
			replaced = replaced || !keep;
		}
		if (keep)
			add_made(l, "%.*s", (int)word_length(flags), flags);
	}
	return replaced;
}

/* ---- the request ---- */

struct request {
	const char *given, *problem, *format, *target; /* NULL: not given */
	struct line rest;                              /* the flags for the target */
	struct policy_flags flags;                     /* the same */
	struct instance x;
	int gpus; /* that the run may use */
	bool help;
	double time_limit; /* 0: none */
	const struct policy_rule *rule;
};

/* Takes an own flag of copra: returns how many words it has, or 0 if it is another flag. */
static int own_flag(struct request *r, int left, char **word, struct err *e)
{
	const struct {
		const char *name, **value;
	} own[] = { { "--instance", &r->given },
		    { "--problem", &r->problem },
		    { "--target", &r->target } };

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
		size_t length = strlen(own[i].name);

		if (strncmp(word[0], own[i].name, length) != 0 ||
		    (word[0][length] && word[0][length] != '='))
			continue;
		if (own[i].value == &r->given && r->given)
			return err_set(e, ERR_USAGE, "two instances: %s and %s", r->given, word[0]);
		if (!word[0][length] && left < 2)
			return err_set(e, ERR_USAGE, "%s needs a value", own[i].name);
		*own[i].value = word[0][length] ? word[0] + length + 1 : word[1];
		return word[0][length] ? 1 : 2;
	}
	return 0;
}

static int read_arguments(struct request *r, int argc, char **argv, struct err *e)
{
	int i = 0;

	if (argc > 0 && argv[0][0] != '-')
		r->given = argv[i++];
	while (i < argc) {
		int words = own_flag(r, argc - i, argv + i, e);

		if (words < 0)
			return words;
		if (words == 0) {
			r->help = r->help || strcmp(argv[i], "--help") == 0 ||
				  strcmp(argv[i], "-h") == 0;
			add(&r->rest, argv[i]);
		}
		i += words ? words : 1;
	}
	if (r->rest.full)
		return err_set(e, ERR_USAGE, "more than %d arguments", WORDS);
	if (!r->given)
		return err_set(e, ERR_USAGE,
			       "the instance must come first: copra solve FILE|NAME [flags]");
	r->flags = (struct policy_flags){ r->rest.count, r->rest.word };
	r->format = policy_value(&r->flags, "format");
	return 0;
}

/* --device or COPRA_DEVICE; NULL if neither is given. */
static const char *device_of(const struct request *r)
{
	const char *device = policy_value(&r->flags, "device");

	return device ? device : getenv("COPRA_DEVICE");
}

/* The number of GPUs that the flags allow, as CUDA counts them if `sure`, else as is likely.
 * Simulated devices do not count: they are for checks. */
static int usable_gpus(const struct request *r, bool sure)
{
	const char *device = device_of(r), *variant = policy_value(&r->flags, "variant");
	const char *asked = policy_value(&r->flags, "gpus"), *list;
	bool automatic = !device || strcmp(device, "auto") == 0;
	int count, named = 1;
	int64_t most;

	if (variant && (strcmp(variant, "cpu") == 0 || strcmp(variant, "serial") == 0))
		return 0;
	if (!automatic && strncmp(device, "cuda", 4) != 0 && strncmp(device, "hip", 3) != 0)
		return 0;
	count = automatic ? (sure ? dev_gpu_count() : dev_gpu_likely()) :
			    dev_backend_count(*device == 'h' ? DEV_HIP : DEV_CUDA);
	if (asked && flag_parse_int(&most, asked, NULL) == 0 && most > 0)
		return most < count ? (int)most : count;
	for (list = automatic ? "" : device; *list; list++)
		named += *list == ',';
	return automatic || count < named ? count : named;
}

static int read_limit(struct request *r, struct err *e)
{
	const char *limit = policy_value(&r->flags, "time-limit");
	int status = limit ? flag_parse_real(&r->time_limit, limit, e) : 0;

	return status ? err_prefix(e, "--time-limit") : 0;
}

/* Refuses a target that does not solve the problem. */
static int check_target(const struct request *r, struct err *e)
{
	static const struct {
		const char *target;
		unsigned problems; /* 1 << enum instance_problem */
	} solves[] = {
		{ "dp-knapsack", 1 << INSTANCE_KNAPSACK },
		{ "gboa", 1 << INSTANCE_MAXSAT | 1 << INSTANCE_LANDSCAPE | 1 << INSTANCE_KNAPSACK },
		{ "gmys-ivm", 1 << INSTANCE_FLOWSHOP | 1 << INSTANCE_ATSP | 1 << INSTANCE_NQUEENS },
		{ "helbecque-pool", 1 << INSTANCE_FLOWSHOP | 1 << INSTANCE_NQUEENS },
		{ "koester-recovery", 1 << INSTANCE_FLOWSHOP | 1 << INSTANCE_SAMEGAME },
	};
	char able[128] = "";
	bool refused = false;

	for (size_t i = 0; i < sizeof(solves) / sizeof(solves[0]); i++) {
		bool does = solves[i].problems >> r->x.problem & 1;
		size_t used = strlen(able);

		refused = refused || (!does && strcmp(r->target, solves[i].target) == 0);
		if (does)
			snprintf(able + used, sizeof(able) - used, "%s%s", used ? ", " : "",
				 solves[i].target);
	}
	return refused ? err_set(e, ERR_USAGE, "%s: %s does not solve %s; these targets do: %s",
				 r->x.what, r->target, r->x.word, able) :
			 0;
}

static int choose(struct request *r, struct err *e)
{
	static const struct policy_rule own_choice = {
		.flags = "",
		.reason = "named by --target, with its own defaults",
	};
	int status = 0;

	if (r->target && !programs_is_target(r->target))
		return programs_unknown_target(r->target, e);
	status = instance_identify(&r->x, r->given, r->problem, r->format, e);
	if (!status && r->target)
		status = check_target(r, e);
	if (status)
		return status;
	r->gpus = usable_gpus(r, false);
	r->rule = policy_choose(&r->x, &r->flags, r->gpus, r->target);
	/* other searches go on without GPUs, these do not */
	if (r->gpus > 0 && r->rule && (r->rule->gpus > 0 || r->rule->machine == POLICY_GPUS)) {
		r->gpus = usable_gpus(r, true);
		r->rule = policy_choose(&r->x, &r->flags, r->gpus, r->target);
	}
	if (!r->rule && r->target)
		r->rule = &own_choice;
	if (!r->rule || (!r->rule->target && !r->target))
		return err_set(e, ERR_USAGE, "%s: %s", r->x.what,
			       r->rule ? r->rule->reason : "no target solves it");
	if (!r->target)
		r->target = r->rule->target;
	return read_limit(r, e);
}

/* ---- what is run ---- */

static void begin(struct line *l, const struct request *r, const char *program)
{
	bool pfsp = r->x.problem == INSTANCE_FLOWSHOP && strcmp(program, beam_program) == 0;

	add_made(l, "%s", program);
	add_made(l, "solve");
	add_made(l, "--problem=%s", pfsp ? "pfsp" : r->x.word);
	add_made(l, "--instance=%s", r->x.name);
}

/* Whether the rule takes fewer GPUs than there are, and the user named none. */
static bool takes_fewer(const struct request *r)
{
	return r->rule->gpus > 0 && r->gpus > r->rule->gpus && !device_of(r) &&
	       !policy_given(&r->flags, "gpus");
}

/* Whether the target decides itself how many of the GPUs pay: it runs tuned, not on a SameGame
 * board, and the user named no GPUs (choose_gpus() of harness/bench/solve.c). */
static bool takes_as_pays(const struct request *r)
{
	const char *variant = policy_value(&r->flags, "variant"), *device = device_of(r);
	const char *gpus = policy_value(&r->flags, "gpus");

	if (policy_value(&r->flags, "checkpoint") || policy_value(&r->flags, "resume"))
		return false;
	if (gpus)
		return strcmp(gpus, "auto") == 0;
	if (policy_value(&r->flags, "rung")) /* only the target knows its variant */
		return false;
	return r->x.problem != INSTANCE_SAMEGAME && (!variant || strcmp(variant, "tuned") == 0) &&
	       (!device || strcmp(device, "auto") == 0);
}

/* The rule's flags, and --gpus where more do not pay. Returns whether the user replaced any. */
static bool add_choice(struct line *l, const struct request *r)
{
	bool replaced = add_rule_flags(l, r->rule->flags, &r->flags);

	if (takes_fewer(r))
		add_made(l, "--gpus=%d", r->rule->gpus);
	return replaced;
}

static double beam_seconds(const struct request *r)
{
	double part = r->time_limit / 4;

	return part > 0 && part < BEAM_SECONDS ? part : BEAM_SECONDS;
}

/* One line: the instance, the command, where it runs, and why. */
static void explain(const struct request *r)
{
	struct line l = { .count = 0 };
	bool replaced = add_choice(&l, r);
	int gpus = takes_fewer(r) ? r->rule->gpus : r->gpus;

	fprintf(stderr, "copra: %s: %s", r->x.what, r->target);
	for (int i = 0; i < l.count; i++)
		fprintf(stderr, " %s", l.word[i]);
	if (gpus > 0)
		fprintf(stderr, " on %s%d GPU%s%s", gpus > 1 && takes_as_pays(r) ? "up to " : "",
			gpus, gpus > 1 ? "s" : "",
			gpus > 1 && takes_as_pays(r) ? ", as many as pay" : "");
	if (r->rule->beam)
		fprintf(stderr, ", after at most %g s of %s %s", beam_seconds(r), beam_program,
			r->rule->beam);
	fprintf(stderr, "; %s\n",
		replaced ? "your flags replace others that copra would choose" : r->rule->reason);
}

/* ---- the beam search ---- */

static void beam_line(struct line *l, const struct request *r)
{
	static const char *const shared[] = { "format", "seed", "threads" };
	const char *device = device_of(r), *value;

	begin(l, r, beam_program);
	add_rule_flags(l, r->rule->beam, &(struct policy_flags){ .count = 0 });
	for (size_t i = 0; i < sizeof(shared) / sizeof(shared[0]); i++)
		if ((value = policy_value(&r->flags, shared[i])))
			add_made(l, "--%s=%s", shared[i], value);
	if (r->gpus > 0 && device) /* the first one: more do not pay for a search this short */
		add_made(l, "--device=%.*s", (int)strcspn(device, ","), device);
	add_made(l, "--time-limit=%g", beam_seconds(r));
	add_made(l, "--json=-");
}

/* Writes a word so that a shell reads it unchanged. */
static void write_quoted(FILE *out, const char *word)
{
	fputs(" '", out);
	for (; *word; word++)
		fputs(*word == '\'' ? "'\\''" : (char[]){ *word, '\0' }, out);
	fputs("'", out);
}

/* Adds --start-command with the beam search. It begins with exec, because a shell would not pass
 * signals on. */
static int add_beam(struct line *l, const struct request *r, struct err *e)
{
	struct line beam = { .count = 0 };
	char path[PATH_MAX], *text = NULL;
	size_t size;
	FILE *out;
	int status = programs_path(path, beam_program, e);

	if (status)
		return status;
	beam_line(&beam, r);
	out = open_memstream(&text, &size);
	if (!out)
		return err_set(e, ERR_MEMORY, "out of memory");
	fputs("exec", out);
	write_quoted(out, path);
	for (int i = 1; i < beam.count; i++)
		write_quoted(out, beam.word[i]);
	fclose(out);
	add_made(l, "--start-command=%s", text);
	free(text);
	return 0;
}

/* Replaces this process by the target; returns only with an error. The user's flags are last: then
 * the target says what the last one lacks. */
static int run(const struct request *r, struct err *e)
{
	struct line l = { .count = 0 };
	int status = 0;

	begin(&l, r, r->target);
	add_choice(&l, r);
	if (r->rule->beam && !r->help)
		status = add_beam(&l, r, e);
	for (int i = 0; i < r->rest.count; i++)
		add(&l, r->rest.word[i]);
	if (!status && l.full)
		status = err_set(e, ERR_USAGE, "the command line is too long");
	return status ? status : programs_run(l.word, e);
}

static const char own_flags[] =
	"flags of copra:\n"
	"  --problem=P            flowshop (pfsp), knapsack, atsp (tsp), maxsat (sat), samegame,\n"
	"                         nqueens (queens) or a landscape: needed if a file fits two\n"
	"                         problems\n"
	"  --target=NAME          the target to use, with its own defaults\n";

void front_solve_help(void)
{
	printf("usage: copra solve FILE|NAME [flags]\n"
	       "Recognises the instance, chooses target, flags and number of GPUs, says what it "
	       "chose\n"
	       "and why, and runs it. Flags of the target replace what was chosen.\n"
	       "  FILE: flowshop (Taillard, VFR, or a plain matrix with --format), knapsack, "
	       "TSPLIB\n"
	       "        ATSP, DIMACS cnf or wcnf, or a SameGame board\n"
	       "  NAME: ta001..ta120, boyer:1000, crane:15:1, trap5:60, 12Q (queens)...; see "
	       "copra list\n"
	       "%s"
	       "flags of all targets (copra solve FILE --help lists those of the target):\n"
	       "  --variant=NAME         serial, cpu, published or tuned\n"
	       "  --device=DEVICES       auto, cpu, sim[:0,1], cuda[:0,1], hip[:0,1]\n"
	       "  --gpus=N|auto          how many to use; auto: as many as pay (default: auto for "
	       "tuned\n"
	       "                         with --device=auto, else all)\n"
	       "  --threads=N            how many processor cores to use (default: all)\n"
	       "  --seed=N               seed of the random numbers\n"
	       "  --time-limit=S         stop after S seconds with the best result so far\n"
	       "  --json=FILE|-          write the result as one JSON object\n"
	       "  --progress[=S]         print progress every S seconds\n"
	       "  --log=FILE             append events and progress to FILE, as JSON lines\n"
	       "flags of some targets:\n"
	       "  --node-limit=N         tree searches: stop after about N nodes\n"
	       "  --plot=FILE            flowshop: draw the schedule as a Gantt chart (SVG)\n"
	       "  --checkpoint=FILE      gmys-ivm: write checkpoints to this file\n"
	       "  --resume=FILE          gmys-ivm: continue from a checkpoint\n"
	       "exit codes: 0 finished and verified; 1 failed or wrong answer; 2 bad usage or "
	       "input;\n"
	       "3 stopped at a limit with a valid partial result; 4 requested device not "
	       "available\n",
	       own_flags);
}

int front_solve(int argc, char **argv)
{
	struct request *r = calloc(1, sizeof(*r));
	struct err e = { 0 };
	int status = r ? 0 : err_set(&e, ERR_MEMORY, "out of memory");

	if (!status)
		status = read_arguments(r, argc, argv, &e);
	if (!status)
		status = choose(r, &e);
	if (!status) {
		stop_hold(); /* until the target takes signals, and can write its checkpoint */
		if (r->help)
			printf("usage: copra solve FILE|NAME [flags]\n%sflags of %s (%s):\n",
			       own_flags, r->target, r->x.what);
		else if (host_rank() == 0) /* under mpirun every rank is here */
			explain(r);
		status = run(r, &e);
	}
	free(r);
	fprintf(stderr, "copra: %s\n", e.text);
	return err_exit_code(status);
}
