/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "front/instance.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "datasets/atsp/atsp.h"
#include "datasets/flowshop/flowshop.h"
#include "datasets/knapsack/knapsack.h"
#include "datasets/landscape/landscape.h"
#include "datasets/recognise.h"
#include "datasets/samegame/samegame.h"
#include "harness/base/nearest.h"
#include "harness/base/flags.h"
#include "harness/base/text_reader.h"

/* ---- the problems ---- */

/* How the size of an instance is read: from a file or a known name, which the reader checks. */
typedef int size_reader(struct instance *x, const char *format, struct err *e);
static size_reader size_flowshop, size_knapsack, size_atsp, size_maxsat, size_samegame, size_queens,
	size_landscape;

static const struct problem {
	const char *word, *alias; /* values of --problem */
	const char *noun;         /* "a knapsack" */
	unsigned forms;           /* of its files */
	size_reader *size;
} problems[INSTANCE_PROBLEMS] = {
	[INSTANCE_FLOWSHOP] = { "flowshop", "pfsp", "a flowshop", FORMS_FLOWSHOP, size_flowshop },
	[INSTANCE_KNAPSACK] = { "knapsack", NULL, "a knapsack", FORMS_KNAPSACK, size_knapsack },
	[INSTANCE_ATSP] = { "atsp", "tsp", "an ATSP", FORMS_ATSP, size_atsp },
	[INSTANCE_MAXSAT] = { "maxsat", "sat", "a MAXSAT instance", FORMS_MAXSAT, size_maxsat },
	[INSTANCE_SAMEGAME] = { "samegame", NULL, "a SameGame board", FORMS_SAMEGAME,
				size_samegame },
	[INSTANCE_NQUEENS] = { "nqueens", "queens", "N-Queens", 0, size_queens },
	[INSTANCE_LANDSCAPE] = { "landscape", NULL, "a landscape", 0, size_landscape },
};

const char *instance_problem_words(void)
{
	return "flowshop, knapsack, atsp, maxsat, samegame, nqueens";
}

/* Sets the problem of a value of --problem. */
static int take_problem(struct instance *x, const char *word, struct err *e)
{
	struct nearest n = { .wanted = word };
	int status;

	for (int i = 0; i < INSTANCE_LANDSCAPE; i++) {
		if (strcmp(word, problems[i].word) == 0 ||
		    (problems[i].alias && strcmp(word, problems[i].alias) == 0)) {
			x->problem = (enum instance_problem)i;
			snprintf(x->word, sizeof(x->word), "%s", problems[i].word);
			return 0;
		}
		nearest_offer(&n, problems[i].word);
	}
	if (landscape_is_problem(word)) {
		x->problem = INSTANCE_LANDSCAPE;
		snprintf(x->word, sizeof(x->word), "%s", word);
		return 0;
	}
	status = err_set(e, ERR_USAGE,
			 "--problem: '%s' is not one of %s, or a landscape (gboa list)", word,
			 instance_problem_words());
	if (e)
		nearest_say(&n, e->text, sizeof(e->text));
	return status;
}

static void set(struct instance *x, enum instance_problem problem)
{
	x->problem = problem;
	snprintf(x->word, sizeof(x->word), "%s", problems[problem].word);
}

/* ---- known names ---- */

static bool is_number(const char *s, size_t length)
{
	return length > 0 && strspn(s, "0123456789") >= length;
}

static bool begins(const char *s, const char *prefix)
{
	return strncmp(s, prefix, strlen(prefix)) == 0;
}

/* The problems that a known name may belong to, as a set. "random:" names instances of four
 * problems: those of flowshops and boards have ROWSxCOLUMNS, the others a number. */
static unsigned named_problems(const char *s)
{
	size_t length = strlen(s);
	const char *rest = s + strlen("random:");

	if (length > 1 && (s[length - 1] == 'Q' || s[length - 1] == 'q') &&
	    is_number(s, length - 1))
		return 1 << INSTANCE_NQUEENS;
	if (is_number(s, length))
		return 1 << INSTANCE_NQUEENS | 1 << INSTANCE_LANDSCAPE;
	if (begins(s, "random:"))
		return rest[strspn(rest, "0123456789")] == 'x' ?
			       1 << INSTANCE_FLOWSHOP | 1 << INSTANCE_SAMEGAME :
			       1 << INSTANCE_ATSP | 1 << INSTANCE_MAXSAT;
	if (flowshop_is_name(s))
		return 1 << INSTANCE_FLOWSHOP;
	if (atsp_is_name(s))
		return 1 << INSTANCE_ATSP;
	if (begins(s, "boyer:") || begins(s, "hard:") || begins(s, "correlation:"))
		return 1 << INSTANCE_KNAPSACK;
	return begins(s, "planted:") ? 1 << INSTANCE_MAXSAT : 0;
}

/* "trap5:60" names a landscape and its instance, "knapsack:my.txt" another problem and its. */
static bool take_pair(struct instance *x, const char *given)
{
	const char *colon = strchr(given, ':');
	char word[sizeof(x->word)];

	if (!colon || (size_t)(colon - given) >= sizeof(word))
		return false;
	snprintf(word, sizeof(word), "%.*s", (int)(colon - given), given);
	if (!landscape_is_problem(word) || take_problem(x, word, NULL))
		return false;
	snprintf(x->name, sizeof(x->name), "%s", colon + 1);
	return true;
}

/* "trap5:60" with --problem trap5 is the instance 60, as answers name it. */
static void drop_problem(struct instance *x)
{
	size_t length = strlen(x->word);

	if (strncmp(x->name, x->word, length) == 0 && x->name[length] == ':')
		memmove(x->name, x->name + length + 1, strlen(x->name + length));
}

/* Adds "a flowshop (--problem flowshop) or ..." for a set of problems. */
static void say_problems(struct recognise_message *m, unsigned set_of)
{
	const char *between = "";

	for (int i = 0; i < INSTANCE_PROBLEMS; i++) {
		if (!(set_of >> i & 1))
			continue;
		recognise_add(m, "%s%s (--problem %s)", between, problems[i].noun,
			      i == INSTANCE_LANDSCAPE ? "onemax, trap5, ..." : problems[i].word);
		between = " or ";
	}
}

static enum instance_problem only(unsigned set_of)
{
	return (enum instance_problem)__builtin_ctz(set_of);
}

static int take_name(struct instance *x, unsigned set_of, struct err *e)
{
	struct recognise_message m = { .used = 0 };

	if (!(set_of & (set_of - 1))) {
		set(x, only(set_of));
		return 0;
	}
	recognise_add(&m, "'%s' may be ", x->given);
	say_problems(&m, set_of);
	if (set_of >> INSTANCE_NQUEENS & 1)
		recognise_add(&m, "; %sQ is N-Queens", x->given);
	return err_set(e, ERR_USAGE, "%s", m.text);
}

/* ---- files ---- */

/* Offers the files in the folder of a path that does not exist, and known names. */
static void offer_files(struct nearest *n, const char *given)
{
	const char *slash = strrchr(given, '/');
	int prefix = slash ? (int)(slash + 1 - given) : 0;
	char path[1024];
	struct dirent *entry;
	DIR *folder;

	snprintf(path, sizeof(path), "%.*s", prefix, given);
	folder = opendir(prefix ? path : ".");
	while (folder && (entry = readdir(folder))) {
		if (entry->d_name[0] == '.' || snprintf(path, sizeof(path), "%.*s%s", prefix, given,
							entry->d_name) >= (int)sizeof(path))
			continue;
		nearest_offer(n, path);
	}
	if (folder)
		closedir(folder);
}

/* The beginnings of names, with an example of each. */
static const struct {
	const char *word, *example;
} beginnings[] = {
	{ "boyer", "boyer:1000" },
	{ "hard", "hard:10:1000:2:0.5:0.1:1" },
	{ "correlation", "correlation:strong:100" },
	{ "taillard", "taillard:50x20:1" },
	{ "random", "random:8x5:99 with --problem flowshop" },
	{ "crane", "crane:15:1" },
	{ "tsmat", "tsmat:15:1" },
	{ "planted", "planted:60:240" },
	{ "onemax", "onemax:60" },
	{ "nk", "nk:60:3" },
	{ "ising", "ising:8" },
	{ "htrap", "htrap:27" },
	{ "trap5", "trap5:60" },
	{ "overlap5", "overlap5:61" },
	{ "maxsat", "maxsat:my.cnf" },
	{ "knapsack", "knapsack:my.txt" },
};
enum { BEGINNINGS = sizeof(beginnings) / sizeof(beginnings[0]) };

/* "boyer": a name without its size. */
static int lacks_size(const char *given, struct err *e)
{
	for (int i = 0; i < BEGINNINGS; i++)
		if (strcasecmp(given, beginnings[i].word) == 0)
			return err_set(e, ERR_INPUT, "'%s' needs a size, for example %s", given,
				       beginnings[i].example);
	return landscape_is_problem(given) ?
		       err_set(e, ERR_INPUT, "'%s' needs a size: %s:N", given, given) :
		       0;
}

/* "Q12", "12queens", "20 queens": other ways to write a number of queens. */
static int miswritten_queens(const char *given, struct err *e)
{
	bool q_first = given[0] == 'Q' || given[0] == 'q';
	const char *digits = given + q_first;
	size_t length = strspn(digits, "0123456789");
	const char *rest = digits + length + strspn(digits + length, " -_");

	if (length < 1 || length > 4 || (q_first ? *rest : strncasecmp(rest, "queen", 5)))
		return 0;
	return err_set(e, ERR_INPUT, "%s: no known instance has this name; did you mean %.*sQ?",
		       given, (int)length, digits);
}

/* "boyr:100": offers the beginnings of names that are near, followed by the rest. */
static void offer_beginnings(struct nearest *n, const char *given)
{
	const char *colon = strchr(given, ':');
	char word[64], name[1024];
	struct nearest near = { .wanted = word };

	if (!colon || (size_t)(colon - given) >= sizeof(word))
		return;
	snprintf(word, sizeof(word), "%.*s", (int)(colon - given), given);
	for (int i = 0; i < BEGINNINGS; i++)
		nearest_offer(&near, beginnings[i].word);
	for (int i = 0; i < near.count; i++) {
		snprintf(name, sizeof(name), "%s%s", near.best[i].name, colon);
		nearest_offer(n, name);
	}
}

static int no_such_instance(const char *given, int error, struct err *e)
{
	struct nearest n = { .wanted = given };
	int count, status;
	const struct flowshop_known *known = flowshop_known_all(&count);

	status = lacks_size(given, e);
	if (!status)
		status = miswritten_queens(given, e);
	if (status)
		return status;
	status = err_set(e, ERR_INPUT, "%s: no known instance has this name, and as a file: %s",
			 given, strerror(error));
	offer_files(&n, given);
	for (int i = 0; i < count; i++)
		nearest_offer(&n, known[i].name);
	offer_beginnings(&n, given);
	if (e)
		nearest_say(&n, e->text, sizeof(e->text));
	return status;
}

/* Whether the file may well be a plain matrix of times: its other reading is a board of small
 * numbers, or the numbers in its first line are those of its rows and columns. What is a
 * knapsack "n C" is also a matrix of n + 1 rows, but its first line would then be a coincidence. */
static bool may_be_matrix(const struct recognised *r)
{
	bool plain = r->forms >> FORM_MATRIX & 1, sized = r->forms >> FORM_SIZED_MATRIX & 1;

	if (r->forms & FORMS_FLOWSHOP)
		return false;
	if (r->forms & FORMS_SAMEGAME)
		return plain;
	return r->forms & FORMS_KNAPSACK ? sized && !r->reverse : plain || sized;
}

static unsigned file_problems(const struct recognised *r)
{
	unsigned set_of = 0;

	for (int i = 0; i < INSTANCE_PROBLEMS; i++)
		if (r->forms & problems[i].forms)
			set_of |= 1u << i;
	return set_of;
}

/* Adds "a VFR flowshop file (why) or a knapsack file (why)". */
static void say_forms(struct recognise_message *m, const struct recognised *r, bool matrix)
{
	const char *between = "";

	for (int i = 0; i < FORMS; i++) {
		unsigned form = 1u << i;

		if (!(r->forms & form) || (form & FORMS_MATRIX && !matrix))
			continue;
		recognise_add(m, "%s%s (%s)", between, r->form[i].what, r->form[i].why);
		between = " or ";
	}
}

/* Names the readings of a file, and the flags that choose between them. */
static int ambiguous(const char *given, const struct recognised *r, unsigned set_of, bool matrix,
		     struct err *e)
{
	struct recognise_message m = { .used = 0 };
	const char *between = "; add ";

	recognise_add(&m, "%s could be ", text_base_name(given));
	say_forms(&m, r, matrix);
	for (int i = 0; i < INSTANCE_PROBLEMS; i++)
		if (set_of >> i & 1) {
			recognise_add(&m, "%s--problem %s", between, problems[i].word);
			between = " or ";
		}
	if (matrix)
		recognise_advise(&m, r, set_of ? ", or for a flowshop" : "; for a flowshop add");
	return err_set(e, ERR_USAGE, "%s", m.text);
}

static int only_a_matrix(const char *given, const struct recognised *r, struct err *e)
{
	struct recognise_message m = { .used = 0 };
	const char *lacks = recognise_atsp_advice(r);

	recognise_add(&m, "%s looks like ", text_base_name(given));
	recognise_describe(&m, r, "numbers");
	if (lacks)
		recognise_add(&m, "; %s", lacks);
	recognise_advise(&m, r, "; for a flowshop add");
	return err_set(e, ERR_USAGE, "%s", m.text);
}

static int take_file(struct instance *x, struct err *e)
{
	struct recognised r;
	struct stat st;
	unsigned set_of;
	bool matrix;
	int status;

	if (stat(x->given, &st) != 0)
		return no_such_instance(x->given, errno, e);
	status = recognise(&r, x->given, e);
	if (status)
		return status;
	if (!r.forms)
		return err_set(e, ERR_INPUT,
			       "%s has none of the formats that copra solve knows (docs/SOLVE.md); "
			       "with --problem, its reader names the first fault",
			       x->given);
	set_of = file_problems(&r);
	matrix = may_be_matrix(&r);
	if (!set_of)
		return only_a_matrix(x->given, &r, e);
	if (matrix || set_of & (set_of - 1))
		return ambiguous(x->given, &r, set_of, matrix, e);
	set(x, only(set_of));
	return 0;
}

/* ---- sizes ---- */

static int size_flowshop(struct instance *x, const char *format, struct err *e)
{
	struct flowshop f;
	int form, status = flag_choose(&form, "format", format, flowshop_format_words, e);

	if (!status)
		status = flowshop_load_as(&f, x->name, (enum flowshop_format)form, e);
	if (status)
		return status;
	x->size = f.jobs;
	x->second = f.machines;
	snprintf(x->what, sizeof(x->what), "flowshop of %d job%s on %d machine%s", f.jobs,
		 f.jobs == 1 ? "" : "s", f.machines, f.machines == 1 ? "" : "s");
	flowshop_free(&f);
	return 0;
}

static int size_knapsack(struct instance *x, const char *format, struct err *e)
{
	struct knapsack k;
	int status = knapsack_load(&k, x->name, e);

	(void)format;
	if (status)
		return status;
	x->size = k.n;
	x->second = k.capacity;
	snprintf(x->what, sizeof(x->what), "knapsack of %" PRId64 " item%s, capacity %" PRId64, k.n,
		 k.n == 1 ? "" : "s", k.capacity);
	knapsack_free(&k);
	return 0;
}

static int size_atsp(struct instance *x, const char *format, struct err *e)
{
	struct atsp a;
	int status = atsp_load(&a, x->name, e);

	(void)format;
	if (status)
		return status;
	x->size = a.cities;
	snprintf(x->what, sizeof(x->what), "ATSP of %d cities", a.cities);
	atsp_free(&a);
	return 0;
}

static int size_samegame(struct instance *x, const char *format, struct err *e)
{
	struct samegame g;
	int status = samegame_load(&g, x->name, e);

	(void)format;
	if (status)
		return status;
	x->size = g.rows * g.columns;
	snprintf(x->what, sizeof(x->what), "SameGame board of %d x %d cells", g.rows, g.columns);
	return 0;
}

/* The number of variables in the line "p cnf V C" of a file; 0 if there is none: the files of 2022
 * have no such line. gboa checks the file. */
static int64_t dimacs_variables(const char *path)
{
	FILE *file = fopen(path, "r");
	char line[4096];
	long long variables = 0;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, " p cnf %lld", &variables) == 1 ||
		    sscanf(line, " p wcnf %lld", &variables) == 1 || !strchr("c\n", line[0]))
			break;
	if (file)
		fclose(file);
	return variables > 0 ? variables : 0;
}

/* The first number of a name such as "planted:60:240" or "ring:60:4"; 0 if there is none. */
static int64_t first_number(const char *name)
{
	return strtoll(name + strcspn(name, "0123456789"), NULL, 10);
}

static int size_maxsat(struct instance *x, const char *format, struct err *e)
{
	bool generated = begins(x->name, "random:") || begins(x->name, "planted:");
	struct stat st;

	(void)format;
	if (!generated && stat(x->name, &st) != 0)
		return no_such_instance(x->given, errno, e);
	x->size = generated ? first_number(x->name) : dimacs_variables(x->name);
	snprintf(x->what, sizeof(x->what), "MAXSAT instance");
	if (x->size)
		snprintf(x->what, sizeof(x->what), "MAXSAT instance of %" PRId64 " variables",
			 x->size);
	return 0;
}

static int size_queens(struct instance *x, const char *format, struct err *e)
{
	size_t digits = strspn(x->given, "0123456789");

	(void)format;
	if (digits == 0 || digits > 4 || strspn(x->given + digits, "Qq") > 1 ||
	    x->given[digits + strspn(x->given + digits, "Qq")])
		return err_set(e, ERR_INPUT, "'%s' is not a number of queens, such as 12 or 12Q",
			       x->given);
	x->size = first_number(x->given);
	if (x->size < 1)
		return err_set(e, ERR_INPUT, "'%s': at least one queen is needed", x->given);
	snprintf(x->name, sizeof(x->name), "%" PRId64, x->size);
	snprintf(x->what, sizeof(x->what), "%" PRId64 " queen%s", x->size, x->size == 1 ? "" : "s");
	return 0;
}

/* Reads the name. That of an NK landscape or a torus (side n: n^2 variables) is left to gboa,
 * because loading these may take seconds: their optimum is searched for. */
static int size_landscape(struct instance *x, const char *format, struct err *e)
{
	int64_t number = first_number(x->name);
	bool slow = strcmp(x->word, "nk") == 0 || strcmp(x->word, "ising") == 0;
	struct landscape l;
	int status = slow ? 0 : landscape_load(&l, x->word, x->name, e);

	(void)format;
	if (status)
		return status;
	if (!slow)
		landscape_free(&l);
	x->size = strcmp(x->word, "ising") == 0 && number < 65536 ? number * number : number;
	snprintf(x->what, sizeof(x->what), "%s of %" PRId64 " variables", x->word, x->size);
	return 0;
}

/* ---- the whole ---- */

/* After a reader refused a file of --problem: says what it looks like. */
static void hint(const struct instance *x, struct err *e)
{
	struct recognise_message m = { .used = 0 };
	struct recognised r;

	if (!e || recognise(&r, x->given, NULL) || !r.forms || r.forms & problems[x->problem].forms)
		return;
	recognise_add(&m, "%s; %s looks like ", e->text, text_base_name(x->given));
	recognise_describe(&m, &r, "numbers");
	if (r.forms & ~(unsigned)FORMS_MATRIX)
		recognise_add(&m, "; leave out --problem");
	else
		recognise_advise(&m, &r, "; for a flowshop add");
	if (!m.full)
		memcpy(e->text, m.text, m.used + 1);
}

int instance_identify(struct instance *x, const char *given, const char *problem,
		      const char *format, struct err *e)
{
	unsigned named = named_problems(given);
	bool matrix = format && strcmp(format, "auto") != 0;
	struct stat st;
	int status = 0;

	*x = (struct instance){ .given = given };
	if (snprintf(x->name, sizeof(x->name), "%s", given) >= (int)sizeof(x->name))
		return err_set(e, ERR_USAGE, "the name of the instance is too long");
	if (!named && stat(given, &st) == 0 && !S_ISREG(st.st_mode))
		return err_set(e, ERR_INPUT,
			       "%s is not a regular file; copra solve reads an instance twice, so "
			       "save it, or use TARGET solve --instance",
			       given);
	if (problem)
		status = take_problem(x, problem, e);
	else if (matrix)
		set(x, INSTANCE_FLOWSHOP);
	else if (named)
		status = take_name(x, named, e);
	else if (!take_pair(x, given))
		status = take_file(x, e);
	if (status)
		return status;
	drop_problem(x);
	if (format && x->problem != INSTANCE_FLOWSHOP)
		return err_set(e, ERR_USAGE, "--format is only for --problem flowshop");
	status = problems[x->problem].size(x, format, e);
	if (status && problem)
		hint(x, e);
	return status;
}
