/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* copra-prove: writes a proof that the schedule of an answer is optimal (docs/PROOFS.md). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "algorithms/tree-search/checkpoint.h"
#include "algorithms/tree-search/proof/proof.h"
#include "datasets/evaluate.h"
#include "datasets/knapsack/proof.h"
#include "harness/base/build.h"
#include "harness/base/clock.h"
#include "harness/base/flags.h"
#include "harness/base/host.h"
#include "harness/base/json_file.h"
#include "harness/base/stop.h"
#include "harness/base/team.h"
#include "harness/base/text_reader.h"
#include "harness/machine/environment.h"

struct options {
	const char *answer, *instance; /* instance NULL: that of the answer */
	const char *out, *device, *format;
	int64_t threads, parts;
	double time_limit;
};

static const struct flag flags[] = {
	FLAG("out", FLAG_TEXT, struct options, out, "FILE",
	     "the proof; FILE.partial keeps what is counted until it is complete"),
	FLAG_ENV("device", FLAG_TEXT, struct options, device,
		 "auto|cpu|sim[:0,1]|cuda[:0,1]|hip[:0,1]",
		 "what counts large parts (default: GPUs if there are any)", "COPRA_DEVICE"),
	FLAG_ENV("threads", FLAG_COUNT, struct options, threads, "N",
		 "threads on the host (default: all usable cores)", "COPRA_THREADS"),
	FLAG("parts", FLAG_COUNT, struct options, parts, "N",
	     "least number of parts, at most 50000 (default 1000, more for large trees)"),
	FLAG("time-limit", FLAG_REAL, struct options, time_limit, "S",
	     "stop after S seconds; the same command continues"),
	FLAG("format", FLAG_TEXT, struct options, format, "auto|jobs-by-machines|machines-by-jobs",
	     "the instance is a plain matrix, with one row per job or machine"),
	FLAG_END,
};

static void print_help(void)
{
	puts("usage: copra prove ANSWER [FILE|NAME] --out FILE [flags]\n"
	     "       copra-prove --version\n"
	     "Counts the tree of a flowshop below the makespan of an answer (the JSON object of\n"
	     "solve --json) in parts, and writes the counts to a file that copra verify checks: a\n"
	     "proof that no schedule is shorter. The instance is that of the answer, or the one\n"
	     "named. An answer of status proved has no schedule; its bound is proved. If a "
	     "shorter\n"
	     "schedule is found, it is written to FILE.better.json.\n"
	     "Of the answer of a knapsack only --out is used: the items are summed and written, "
	     "and\n"
	     "copra verify then shows that no choice is worth more.");
	flags_print(stdout, flags);
	puts("exit codes: 0 proof written; 1 failed, or a shorter schedule was found; 2 bad usage "
	     "or\n"
	     "input; 3 stopped, to be continued by the same command; 4 device not available");
}

/* ---- lists in answers ---- */

/* Reads the whole numbers of a solution. The caller frees *out, also after an error. */
static int read_solution(const json_t *list, int64_t **out, size_t *length, struct err *e)
{
	*length = json_array_size(list);
	*out = calloc(*length + 1, sizeof(**out));
	if (!*out)
		return err_set(e, ERR_MEMORY, "no memory for a solution of %zu values", *length);
	for (size_t i = 0; i < *length; i++) {
		if (!json_is_integer(json_array_get(list, i)))
			return err_set(e, ERR_INPUT, "value %zu of the solution is not an integer",
				       i);
		(*out)[i] = json_integer_value(json_array_get(list, i));
	}
	return 0;
}

/* ---- knapsacks ---- */

static json_t *knapsack_run(const json_t *answer)
{
	const struct build_info *build = build_info();
	struct environment *env = calloc(1, sizeof(*env));
	char date[ENV_DATE];
	json_t *run = NULL;

	if (env) {
		env_capture(env);
		env_date(date);
		run = json_pack("{s:s, s:b, s:s, s:s, s:s, s:O?, s:O?, s:O?}", "revision",
				build->revision, "dirty", (int)build->dirty, "machine",
				env->machine, "cpu", env->cpu_model, "date", date, "seconds",
				json_object_get(json_object_get(answer, "seconds"), "total"),
				"threads", json_object_get(answer, "threads"), "devices",
				json_object_get(answer, "devices"));
	}
	free(env);
	return run;
}

/* The items and their sums. There is nothing to count: the checker searches by itself. */
static int prove_knapsack(const struct options *o, const json_t *answer, struct err *e)
{
	const char *name = o->instance ? o->instance : json_text(answer, "instance");
	const json_t *list = json_object_get(answer, "solution");
	int64_t *chosen = NULL;
	struct knapsack k;
	size_t length;
	int status;

	if (strcmp(json_text(answer, "status"), "optimal") != 0)
		return err_set(e, ERR_INPUT, "its status is not optimal");
	status = knapsack_load(&k, name, e);
	if (status)
		return o->instance ? status : err_prefix(e, "name the instance after the answer");
	if (json_is_array(list))
		status = read_solution(list, &chosen, &length, e);
	else
		status = err_set(e, ERR_INPUT, "it has no items: solve without --value-only");
	if (!status)
		status = knapsack_proof_write(&k, k.name, chosen, length, knapsack_run(answer),
					      o->out, e);
	if (!status)
		printf("%s: %zu of %" PRId64 " items\n", k.name, length, k.n);
	free(chosen);
	knapsack_free(&k);
	return status;
}

/* ---- the answer ---- */

struct task {
	const struct options *o;
	struct flowshop f;
	const char *name; /* of the instance, in the proof */
	int64_t bound;
	int64_t *order; /* NULL: none */
	char partial[4096], better[4096];
	const volatile sig_atomic_t *stop;
	struct dev_set devices;
};

static int read_order(struct task *t, const json_t *list, struct err *e)
{
	size_t length;
	int status = read_solution(list, &t->order, &length, e);

	return status ? status : evaluate_flowshop(&t->f, t->order, length, &t->bound, e);
}

static int read_bound(struct task *t, const json_t *answer, struct err *e)
{
	const json_t *list = json_object_get(answer, "solution");
	const json_t *stated = json_object_get(answer, "objective");
	const json_t *bound = json_object_get(answer, "bound");
	int status;

	if (json_is_array(list)) {
		status = read_order(t, list, e);
		if (!status && json_is_integer(stated) && json_integer_value(stated) != t->bound)
			status = err_set(e, ERR_FAILED,
					 "the schedule has makespan %" PRId64
					 ", the answer states %" JSON_INTEGER_FORMAT,
					 t->bound, json_integer_value(stated));
		return status;
	}
	if (strcmp(json_text(answer, "status"), "proved") != 0 || !json_is_integer(bound))
		return err_set(e, ERR_INPUT, "it has neither a solution nor a proved bound");
	t->bound = json_integer_value(bound);
	return t->bound > 0 && t->bound <= INT32_MAX ?
		       0 :
		       err_set(e, ERR_INPUT, "the bound %" PRId64 " is out of range", t->bound);
}

static int read_answer(struct task *t, const json_t *answer, struct err *e)
{
	const char *problem = json_text(answer, "problem");
	const char *name = t->o->instance ? t->o->instance : json_text(answer, "instance");
	int format, status;

	if (*problem && strcmp(problem, "flowshop") != 0 && strcmp(problem, "pfsp") != 0)
		return err_set(e, ERR_USAGE,
			       "an answer of problem %s; only flowshops and knapsacks are proved",
			       problem);
	if (!*name)
		return err_set(e, ERR_INPUT, "not an answer: it has no instance");
	status = flag_choose(&format, "format", t->o->format, flowshop_format_words, e);
	if (!status)
		status = flowshop_load_as(&t->f, name, (enum flowshop_format)format, e);
	if (status && !t->o->instance)
		return err_prefix(e, "name the instance after the answer");
	if (status)
		return status;
	t->name = flowshop_is_name(name) ? name : text_base_name(name);
	return read_bound(t, answer, e);
}

/* ---- the run ---- */

static json_t *devices_used(const struct task *t)
{
	json_t *list = json_array();

	for (int i = 0; i < t->devices.count; i++) {
		struct dev_info info;

		json_array_append_new(
			list,
			json_string(dev_get_info(t->devices.dev[i], &info, NULL) == 0 ? info.name :
											"unknown"));
	}
	return list;
}

/* Adds this run to those of the proof. */
static int note_run(const struct task *t, struct proof *p, uint64_t parts, double seconds,
		    struct err *e)
{
	const struct build_info *build = build_info();
	struct environment *env = calloc(1, sizeof(*env));
	char date[ENV_DATE];
	json_t *run = NULL;

	if (env) {
		env_capture(env);
		env_date(date);
		run = json_pack("{s:s, s:b, s:s, s:s, s:I, s:o, s:I, s:f, s:s}", "revision",
				build->revision, "dirty", (int)build->dirty, "machine",
				env->machine, "cpu", env->cpu_model, "threads",
				(json_int_t)t->o->threads, "devices", devices_used(t), "parts",
				(json_int_t)parts, "seconds", seconds, "date", date);
	}
	free(env);
	return json_array_append_new(p->runs, run) ?
		       err_set(e, ERR_MEMORY, "no memory for the record of a run") :
		       0;
}

static int write_better(const struct task *t, const struct proof_counting *c, struct err *e)
{
	json_t *order = json_array(), *answer;
	int status;

	for (int i = 0; i < t->f.jobs; i++)
		json_array_append_new(order, json_integer(c->order[i]));
	answer = json_pack("{s:s, s:s, s:s, s:s, s:I, s:n, s:o}", "target", "copra-prove",
			   "problem", "flowshop", "instance", t->name, "status", "feasible",
			   "objective", (json_int_t)c->shorter, "bound", "solution", order);
	status = json_file_save(answer, t->better, e);
	json_decref(answer);
	return status;
}

static int make(struct task *t, struct proof *p, struct err *e)
{
	bool resumes = access(t->partial, F_OK) == 0;
	struct proof key = { .flowshop = &t->f, .bound = t->bound };
	int depth = -1, status = 0;

	*p = (struct proof){ .depth = 0 };
	if (resumes)
		status = proof_depth(&key, t->partial, &depth, e);
	if (!status)
		status = proof_make(p, &t->f, t->name, t->bound, t->order, t->o->parts, depth, e);
	return status || !resumes ? status : proof_resume(p, t->partial, e);
}

static void say(const struct task *t, const struct proof *p, double seconds)
{
	printf("%s: %" PRIu64 " of %" PRIu64 " parts, %" PRIu64 " nodes below %" PRId64
	       ", %.1f s\n",
	       t->name, p->parts - proof_open(p), p->parts, proof_nodes(p), t->bound, seconds);
}

/* The counts so far, or the proof. */
static int save(const struct task *t, struct proof *p, bool complete, struct err *e)
{
	int status = proof_save(p, complete ? t->o->out : t->partial, e);

	if (!status && complete)
		unlink(t->partial);
	return status;
}

static int count(struct task *t, struct proof *p, struct err *e)
{
	struct proof_counting c = { .threads = (int)t->o->threads,
				    .devices = &t->devices,
				    .stop = t->stop,
				    .partial = t->partial };
	double begin = clock_wall(), seconds;
	uint64_t open = proof_open(p);
	int status, noted;

	c.order = calloc((size_t)t->f.jobs, sizeof(*c.order));
	if (!c.order)
		return err_set(e, ERR_MEMORY, "no memory for a schedule");
	status = progress_create(&c.progress, isatty(STDERR_FILENO) ? stderr : NULL, t->name,
				 (double)p->parts, e);
	if (!status)
		status = proof_count(p, &c, e);
	progress_destroy(c.progress);
	seconds = clock_wall() - begin;
	if (c.shorter && !write_better(t, &c, NULL))
		err_set(e, ERR_FAILED,
			"there is a schedule of makespan %" PRId64 ", shorter than %" PRId64 ": %s",
			c.shorter, t->bound, t->better);
	free(c.order);
	if (status && status != ERR_LIMIT)
		return status;
	noted = note_run(t, p, open - proof_open(p), seconds, e);
	if (!noted)
		noted = save(t, p, !status, e);
	say(t, p, seconds);
	return noted ? noted : status;
}

static int limit_error(const struct task *t, struct err *e)
{
	int reason = stop_reason();

	if (reason == SIGALRM)
		return err_set(e, ERR_LIMIT,
			       "stopped by --time-limit %g; the same command continues",
			       t->o->time_limit);
	return err_set(e, ERR_LIMIT, "stopped by %s; the same command continues",
		       reason ? stop_signal_name(reason) : "a limit");
}

static int open_devices(struct task *t, struct err *e)
{
	const char *text = t->o->device ? t->o->device : "auto";
	int status;

	if (strcmp(text, "cpu") == 0 || (strcmp(text, "auto") == 0 && dev_gpu_unavailable()))
		return 0;
	status = dev_set_open(&t->devices, text, 0, e);
	dev_set_cancel_on(&t->devices, t->stop);
	return status;
}

static int prove(struct task *t, struct err *e)
{
	json_t *answer;
	struct proof p;
	int status = json_file_read(&answer, t->o->answer, e);

	if (status)
		return status;
	if (strcmp(json_text(answer, "problem"), "knapsack") == 0) {
		status = prove_knapsack(t->o, answer, e);
		json_decref(answer);
		return status ? err_prefix(e, "%s", t->o->answer) : 0;
	}
	status = read_answer(t, answer, e);
	if (status)
		err_prefix(e, "%s", t->o->answer);
	if (!status)
		status = checkpoint_probe(t->o->out, e);
	if (!status)
		status = open_devices(t, e);
	if (!status) {
		status = make(t, &p, e);
		if (!status)
			status = count(t, &p, e);
		proof_free(&p);
	}
	if (status == ERR_LIMIT)
		limit_error(t, e);
	dev_set_close(&t->devices);
	flowshop_free(&t->f);
	free(t->order);
	json_decref(answer);
	return status;
}

/* ---- the command line ---- */

static int check(const struct options *o, struct err *e)
{
	if (!o->answer)
		return err_set(e, ERR_USAGE,
			       "name the answer first: copra prove ANSWER [FILE|NAME] --out FILE");
	if (!o->out)
		return err_set(e, ERR_USAGE, "--out is missing: the file of the proof");
	if (strlen(o->out) > 3000)
		return err_set(e, ERR_USAGE, "--out: the name is too long");
	if (o->parts > PROOF_PARTS_MOST)
		return err_set(e, ERR_USAGE, "--parts=%" PRId64 ": at most %d", o->parts,
			       PROOF_PARTS_MOST);
	if (o->threads > SEARCH_WORKERS_MAX)
		return err_set(e, ERR_USAGE, "--threads=%" PRId64 ": at most %d", o->threads,
			       SEARCH_WORKERS_MAX);
	return 0;
}

static int run(struct options *o, int argc, char **argv, struct err *e)
{
	const struct flag *const tables[] = { flags, NULL };
	const char **word[] = { &o->answer, &o->instance };
	struct task t = { .o = o };
	bool help = false;
	int words = 0, status;

	for (; words < 2 && words < argc && argv[words][0] != '-'; words++)
		*word[words] = argv[words];
	status = flags_parse(tables, o, argc - words, argv + words, &help, e);
	if (!status && help) {
		print_help();
		return 0;
	}
	if (!status)
		status = check(o, e);
	if (status)
		return status;
	if (!o->threads)
		o->threads = team_cores() < SEARCH_WORKERS_MAX ? team_cores() : SEARCH_WORKERS_MAX;
	snprintf(t.partial, sizeof(t.partial), "%s.partial", o->out);
	snprintf(t.better, sizeof(t.better), "%s.better.json", o->out);
	status = stop_install(&t.stop, e);
	if (!status && o->time_limit > 0)
		status = stop_after(o->time_limit, e);
	return status ? status : prove(&t, e);
}

int main(int argc, char **argv)
{
	struct options o = { 0 };
	struct err e = { 0 };
	int status;

	host_streams_guard();
	if (build_version_asked(argc, argv))
		return build_version_print("copra-prove");
	status = run(&o, argc - 1, argv + 1, &e);
	if (!status && (fflush(stdout) || ferror(stdout)))
		status = err_set(&e, ERR_IO, "cannot write to standard output");
	if (status)
		fprintf(stderr, "copra-prove: %s\n", e.text);
	return err_exit_code(status);
}
