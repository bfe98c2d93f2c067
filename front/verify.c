/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "front/verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "datasets/evaluate.h"
#include "datasets/samegame/samegame.h"
#include "front/instance.h"
#include "front/programs.h"
#include "harness/base/flags.h"
#include "harness/base/json_file.h"

struct options {
	const char *format;
};

static const struct flag flags[] = {
	FLAG("format", FLAG_TEXT, struct options, format, "jobs-by-machines|machines-by-jobs",
	     "flowshop: the file is a plain matrix of times, with one row per job or machine"),
	FLAG_END,
};

struct answer {
	const char *file;
	json_t *json;
	struct instance x;
	const char *format;
	int64_t *solution; /* [length], NULL: none */
	size_t length;
};

/* ---- evaluation by problem: the value of the solution, or the number of placements ---- */

static int value_flowshop(const struct answer *a, int64_t *value, struct err *e)
{
	struct flowshop f;
	int form, status = flag_choose(&form, "format", a->format, flowshop_format_words, e);

	if (!status)
		status = flowshop_load_as(&f, a->x.name, (enum flowshop_format)form, e);
	if (status)
		return status;
	status = evaluate_flowshop(&f, a->solution, a->length, value, e);
	flowshop_free(&f);
	return status;
}

static int value_knapsack(const struct answer *a, int64_t *value, struct err *e)
{
	struct knapsack k;
	int status = knapsack_load(&k, a->x.name, e);

	if (status)
		return status;
	status = evaluate_knapsack(&k, a->solution, a->length, value, e);
	knapsack_free(&k);
	return status;
}

static int value_atsp(const struct answer *a, int64_t *value, struct err *e)
{
	struct atsp t;
	int status = atsp_load(&t, a->x.name, e);

	if (status)
		return status;
	status = evaluate_atsp(&t, a->solution, a->length, value, e);
	atsp_free(&t);
	return status;
}

static int value_samegame(const struct answer *a, int64_t *value, struct err *e)
{
	struct samegame g;
	int status = samegame_load(&g, a->x.name, e);

	return status ? status : samegame_score(&g, a->solution, a->length, value, e);
}

static int value_landscape(const struct answer *a, int64_t *value, struct err *e)
{
	struct landscape l;
	int status = landscape_load(&l, a->x.word, a->x.name, e);

	if (status)
		return status;
	status = evaluate_landscape(&l, a->solution, a->length, value, e);
	landscape_free(&l);
	return status;
}

/* Counts the placements of queens in the rows from `row` on. column[r]: of the queen in row r. */
static int64_t count_queens(int n, int row, int *column)
{
	int64_t count = 0;

	if (row == n)
		return 1;
	for (int c = 0; c < n; c++) {
		bool free = true;

		for (int r = 0; r < row && free; r++)
			free = column[r] != c && abs(column[r] - c) != row - r;
		column[row] = c;
		count += free ? count_queens(n, row + 1, column) : 0;
	}
	return count;
}

static int value_queens(const struct answer *a, int64_t *value, struct err *e)
{
	int column[VERIFY_QUEENS];

	if (strcmp(json_text(a->json, "status"), "counted") != 0)
		return err_set(e, ERR_USAGE, "the placements are not completely counted");
	if (a->x.size > VERIFY_QUEENS)
		return err_set(e, ERR_USAGE,
			       "the placements of more than %d queens are not counted again",
			       VERIFY_QUEENS);
	*value = count_queens((int)a->x.size, 0, column);
	return 0;
}

static const struct problem {
	int (*value)(const struct answer *a, int64_t *value, struct err *e);
	const char *before, *after; /* the value in a sentence */
	bool maximise;
} problems[INSTANCE_PROBLEMS] = {
	[INSTANCE_FLOWSHOP] = { value_flowshop, "the schedule has makespan ", "", false },
	[INSTANCE_KNAPSACK] = { value_knapsack, "the items have profit ", "", true },
	[INSTANCE_ATSP] = { value_atsp, "the tour has cost ", "", false },
	[INSTANCE_MAXSAT] = { value_landscape, "the assignment has value ", "", true },
	[INSTANCE_SAMEGAME] = { value_samegame, "the game has score ", "", true },
	[INSTANCE_NQUEENS] = { value_queens, "there are ", " placements", true },
	[INSTANCE_LANDSCAPE] = { value_landscape, "the string has value ", "", true },
};

/* ---- the answer ---- */

static int read_solution(struct answer *a, struct err *e)
{
	const json_t *list = json_object_get(a->json, "solution");

	if (!json_is_array(list))
		return 0;
	a->length = json_array_size(list);
	a->solution = malloc((a->length + 1) * sizeof(*a->solution));
	if (!a->solution)
		return err_set(e, ERR_MEMORY, "no memory for a solution of %zu values", a->length);
	for (size_t i = 0; i < a->length; i++) {
		const json_t *value = json_array_get(list, i);

		if (!json_is_integer(value))
			return err_set(e, ERR_INPUT, "value %zu of the solution is not an integer",
				       i);
		a->solution[i] = json_integer_value(value);
	}
	return 0;
}

/* The instance that the user names, or that of the answer. The instance of an answer about a file
 * is the base name of the file. */
static int find_instance(struct answer *a, const char *given, struct err *e)
{
	const char *problem = json_text(a->json, "problem");
	int status;

	if (!*problem || !*json_text(a->json, "instance"))
		return err_set(e, ERR_INPUT, "not an answer: it has no problem or no instance");
	status = instance_identify(&a->x, given ? given : json_text(a->json, "instance"), problem,
				   a->format, e);
	if (status && !given) {
		status = err_set(e, ERR_INPUT,
				 "'%s' is not a known name or a file here; name the instance: "
				 "copra verify %s FILE|NAME",
				 json_text(a->json, "instance"), a->file);
	}
	return status;
}

/* ---- checks ---- */

static int compare(const struct answer *a, const struct problem *p, int64_t value, struct err *e)
{
	const json_t *stated = json_object_get(a->json, "objective");
	const json_t *bound = json_object_get(a->json, "bound");
	bool optimal = strcmp(json_text(a->json, "status"), "optimal") == 0;
	int64_t limit = json_integer_value(bound);

	if (!json_is_integer(stated))
		return err_set(e, ERR_INPUT, "the answer has no objective");
	if (json_integer_value(stated) != value)
		return err_set(e, ERR_FAILED,
			       "%s%" PRId64 "%s, the answer states %" JSON_INTEGER_FORMAT,
			       p->before, value, p->after, json_integer_value(stated));
	if (!json_is_integer(bound))
		return optimal ? err_set(e, ERR_FAILED,
					 "the status is optimal, but the answer has no bound") :
				 0;
	if (p->maximise ? value > limit : value < limit)
		return err_set(e, ERR_FAILED,
			       "%s%" PRId64 "%s, better than the stated bound of %" PRId64,
			       p->before, value, p->after, limit);
	if (optimal && value != limit)
		return err_set(e, ERR_FAILED,
			       "%s%" PRId64
			       "%s, which is not optimal by the stated bound of %" PRId64,
			       p->before, value, p->after, limit);
	return 0;
}

static int verify(const struct answer *a, struct err *e)
{
	const struct problem *p = &problems[a->x.problem];
	bool optimal = strcmp(json_text(a->json, "status"), "optimal") == 0;
	int64_t value;
	int status;

	if (!a->solution && a->x.problem != INSTANCE_NQUEENS)
		return err_set(e, ERR_USAGE, "it has no solution to evaluate");
	status = p->value(a, &value, e);
	if (status == ERR_INPUT) /* of the solution: the instance has been read before */
		status = e->code = ERR_FAILED;
	if (!status)
		status = compare(a, p, value, e);
	if (status)
		return status;
	printf("%s: %s: %s%" PRId64 "%s, as stated%s\n", a->file, a->x.what, p->before, value,
	       p->after, optimal ? "; that it is optimal was not checked" : "");
	return 0;
}

static int run(const char *file, const char *given, const struct options *o, struct err *e)
{
	struct answer a = { .file = file, .format = o->format };
	int status = json_file_read(&a.json, file, e);

	if (status)
		return status;
	status = find_instance(&a, given, e);
	if (!status)
		status = read_solution(&a, e);
	if (!status)
		status = verify(&a, e);
	json_decref(a.json);
	free(a.solution);
	return status ? err_prefix(e, file) : 0;
}

/* ---- proofs ---- */

/* The program that checks the proof in this file; NULL if it is none. A pipe is no proof: it can be
 * read only once. */
static const char *checker_of(const char *path)
{
	static const char *const formats[] = { "copra-flowshop-proof-", "copra-knapsack-proof-" };
	static const char *const checkers[] = { "copra-check-proof", "copra-check-knapsack" };
	const char *checker = NULL;
	struct stat st;
	json_t *json;

	if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) || json_file_read(&json, path, NULL))
		return NULL;
	for (int i = 0; i < 2; i++)
		if (strncmp(json_text(json, "format"), formats[i], strlen(formats[i])) == 0)
			checker = checkers[i];
	json_decref(json);
	return checker;
}

/* Becomes the checker, with all arguments. Returns only after an error. */
static int check_proof(const char *checker, int argc, char **argv, struct err *e)
{
	char **words = calloc((size_t)argc + 2, sizeof(*words));
	int status;

	if (!words)
		return err_set(e, ERR_MEMORY, "out of memory");
	words[0] = (char *)checker;
	memcpy(words + 1, argv, (size_t)argc * sizeof(*argv));
	status = programs_run(words, e);
	free(words);
	return status;
}

void front_verify_help(void)
{
	printf("usage: copra verify ANSWER|PROOF [FILE|NAME] [flags]\n"
	       "Evaluates the solution in an answer (the JSON object of solve --json, from any\n"
	       "program) from the instance, and compares it with the objective and the bound that\n"
	       "the answer states. The instance is that of the answer, or the one named.\n"
	       "Placements of up to %d queens are counted again. That a solution is optimal is "
	       "not\n"
	       "checked: this needs a new search, or a proof of copra prove. A proof of a flowshop "
	       "is\n"
	       "checked by copra-check-proof, which takes more flags (copra-check-proof --help):\n"
	       "--sample N or --all, the parts of the tree to be recounted. That of a knapsack is\n"
	       "checked by copra-check-knapsack.\n",
	       VERIFY_QUEENS);
	flags_print(stdout, flags);
	puts("exit codes: 0 right; 1 wrong; 2 bad usage or input, or nothing to verify");
}

int front_verify(int argc, char **argv)
{
	const struct flag *const tables[] = { flags, NULL };
	const char *word[2] = { NULL, NULL };
	struct options o = { 0 };
	struct err e = { 0 };
	const char *checker;
	bool help = false;
	int words = 0, status;

	checker = argc > 0 ? checker_of(argv[0]) : NULL;
	if (checker) {
		status = check_proof(checker, argc, argv, &e);
		fprintf(stderr, "copra: %s\n", e.text);
		return err_exit_code(status);
	}
	while (words < 2 && words < argc && argv[words][0] != '-') {
		word[words] = argv[words];
		words++;
	}
	status = flags_parse(tables, &o, argc - words, argv + words, &help, &e);
	if (!status && help) {
		front_verify_help();
		return 0;
	}
	if (!status && !word[0])
		status = err_set(&e, ERR_USAGE,
				 "name the answer first: copra verify ANSWER [FILE|NAME]");
	if (!status)
		status = run(word[0], word[1], &o, &e);
	if (!status && (fflush(stdout) || ferror(stdout)))
		status = err_set(&e, ERR_IO, "cannot write to standard output");
	if (status)
		fprintf(stderr, "copra: %s\n", e.text);
	return err_exit_code(status);
}
