/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "datasets/recognise.h"

#include <ctype.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "datasets/flowshop/flowshop.h"
#include "datasets/samegame/samegame.h"
#include "harness/base/text_reader.h"

/* ---- lines of the text, and numbers in them ---- */

/* The lines of the text. Each ends with NUL instead of a newline. */
struct lines {
	const char *at, *end;
	bool cut; /* the file is longer than what was read */
};

static const char blanks[] = " \t\r";

/* The next line that is not blank, without leading blanks; NULL at the end. */
static const char *next_line(struct lines *l)
{
	while (l->at < l->end) {
		const char *line = l->at + strspn(l->at, blanks);

		l->at += strlen(l->at) + 1;
		if (*line)
			return line;
	}
	return NULL;
}

/* Returns the number of non-negative integers on a line, or -1 if there is anything else. Stores
 * the first `most` of them; one that exceeds 64 bits becomes INT64_MAX. Characters in `end` end the
 * line, those in `more` separate numbers like blanks. */
static int numbers_until(const char *s, const char *end, const char *more, int64_t *value, int most)
{
	int count = 0;

	for (;;) {
		int64_t n = 0;

		while (*s && (strchr(blanks, *s) || strchr(more, *s)))
			s++;
		if (!*s || strchr(end, *s))
			return count;
		if (!isdigit((unsigned char)*s))
			return -1;
		for (; isdigit((unsigned char)*s); s++)
			if (__builtin_mul_overflow(n, 10, &n) ||
			    __builtin_add_overflow(n, *s - '0', &n))
				n = INT64_MAX;
		if (*s && !strchr(blanks, *s) && !strchr(more, *s) && !strchr(end, *s))
			return -1;
		if (count < most)
			value[count] = n;
		count++;
	}
}

static int numbers(const char *s, int64_t *value, int most)
{
	return numbers_until(s, "", "", value, most);
}

/* Skips the word if *s begins with it and a blank, a character of `behind` or the end of the line
 * follows. */
static bool skip_word(const char **s, const char *word, const char *behind)
{
	size_t length = strlen(word);
	const char *p = *s + length;

	if (strncmp(*s, word, length) != 0 || (*p && !strchr(blanks, *p) && !strchr(behind, *p)))
		return false;
	*s = p + strspn(p, blanks);
	return true;
}

__attribute__((format(printf, 4, 5))) static bool is(struct recognised *r, enum file_form form,
						     const char *why, const char *what, ...)
{
	va_list ap;

	r->forms |= 1u << form;
	snprintf(r->form[form].why, sizeof(r->form[form].why), "%s", why);
	va_start(ap, what);
	vsnprintf(r->form[form].what, sizeof(r->form[form].what), what, ap);
	va_end(ap);
	return true;
}

/* ---- the formats; each function starts at the first line ---- */

static bool taillard(struct recognised *r, struct lines l)
{
	static const char head[] = "number of jobs", title[] = "processing times";
	const char *line;

	for (int i = 0; i < 3 && (line = next_line(&l)); i++) {
		if (i == 0 && strncasecmp(line, head, sizeof(head) - 1) == 0)
			return is(r, FORM_TAILLARD, "begins with \"number of jobs\"",
				  "a Taillard flowshop file");
		if (i > 0 && strncasecmp(line, title, sizeof(title) - 1) == 0)
			return is(r, FORM_TAILLARD, "has the line \"processing times\"",
				  "a Taillard flowshop file");
	}
	return false;
}

static bool vfr(struct recognised *r, struct lines l)
{
	int64_t size[2], pair[2 * FLOWSHOP_MAX_MACHINES];
	const char *first = next_line(&l), *row = next_line(&l);

	if (!row || numbers(first, size, 2) != 2 || size[1] < 1 ||
	    size[1] > FLOWSHOP_MAX_MACHINES ||
	    numbers(row, pair, 2 * FLOWSHOP_MAX_MACHINES) != 2 * size[1])
		return false;
	for (int k = 0; k < size[1]; k++)
		if (pair[2 * k] != k)
			return false;
	return is(r, FORM_VFR, "jobs and machines, then pairs of a machine and a time",
		  "a VFR flowshop file");
}

static bool knapsack_indexed(struct recognised *r, struct lines l)
{
	int64_t n, item[3], next[3];
	const char *line = next_line(&l);

	if (!line || numbers(line, &n, 1) != 1 || n < 1)
		return false;
	line = next_line(&l);
	if (!line || numbers(line, item, 3) != 3 || item[0] > 1)
		return false;
	line = next_line(&l);
	if (n > 1 && line && (numbers(line, next, 3) != 3 || next[0] != item[0] + 1))
		return false;
	return is(r, FORM_KNAPSACK_INDEXED,
		  "a number of items, then lines of index, profit, weight", "a knapsack file");
}

static bool knapsack_pairs(struct recognised *r, struct lines l)
{
	int64_t size[2], item[2], count = 0;
	const char *line = next_line(&l);

	if (!line || numbers(line, size, 2) != 2 || size[0] < 1)
		return false;
	while ((line = next_line(&l))) {
		/* the last line may be incomplete */
		if (numbers(line, item, 2) != 2 && !(l.cut && l.at >= l.end))
			return false;
		count++;
	}
	if (l.cut ? count > size[0] : count != size[0])
		return false;
	return is(r, FORM_KNAPSACK_PAIRS, "a number of items and a capacity, then that many pairs",
		  "a knapsack file");
}

/* A TSPLIB specification: lines "KEYWORD: value". */
static bool atsp(struct recognised *r, struct lines l)
{
	static const char *const keywords[] = { "NAME", "COMMENT", "DIMENSION", "EDGE_WEIGHT_TYPE",
						"EDGE_WEIGHT_FORMAT" };
	int known = 0;
	const char *line;

	while ((line = next_line(&l))) {
		if (skip_word(&line, "TYPE", ":")) {
			line += *line == ':';
			line += strspn(line, blanks);
			if (!skip_word(&line, "ATSP", "") && !skip_word(&line, "TSP", ""))
				return false;
			return is(r, FORM_ATSP, "has the line TYPE: ATSP or TSP",
				  "a TSPLIB ATSP file");
		}
		for (size_t k = 0; k < sizeof(keywords) / sizeof(keywords[0]); k++)
			known += skip_word(&line, keywords[k], ":") && *line == ':';
		if (skip_word(&line, "EDGE_WEIGHT_SECTION", ":"))
			break;
	}
	return known >= 2 &&
	       is(r, FORM_ATSP,
		  "has lines like DIMENSION: and EDGE_WEIGHT_FORMAT:", "a TSPLIB ATSP file");
}

/* Whether it is a clause of the 2022 format: "h" or a weight, literals, 0. Sets *marked if it has
 * an h or a minus. */
static bool is_clause(const char *s, bool *marked)
{
	const char *last = NULL;

	if (skip_word(&s, "h", ""))
		*marked = true;
	while (*s) {
		last = s;
		if (*s == '-') {
			*marked = true;
			s++;
		}
		if (!isdigit((unsigned char)*s))
			return false;
		s += strspn(s, "0123456789");
		if (*s && !strchr(blanks, *s))
			return false;
		s += strspn(s, blanks);
	}
	return last && *last == '0' && (!last[1] || strchr(blanks, last[1]));
}

static bool dimacs(struct recognised *r, struct lines l)
{
	enum { MOST = 1000 };
	const char *line = next_line(&l);
	bool marked = false;

	while (line && *line == 'c')
		line = next_line(&l);
	if (!line)
		return false;
	if (skip_word(&line, "p", "")) {
		if (skip_word(&line, "cnf", ""))
			return is(r, FORM_CNF, "has the line p cnf", "a DIMACS cnf file");
		return skip_word(&line, "wcnf", "") &&
		       is(r, FORM_WCNF, "has the line p wcnf", "a DIMACS wcnf file");
	}
	for (int i = 0; i < MOST && line; i++) {
		bool last = l.cut && l.at >= l.end;

		if (*line != 'c' && !is_clause(line, &marked) && !last)
			return false;
		line = next_line(&l);
	}
	return marked &&
	       is(r, FORM_WCNF, "has lines of a weight or h, literals and 0", "a DIMACS wcnf file");
}

/* Whether the cells of a board are written together ("1223") or apart ("1 2 2 3"). */
struct spacing {
	bool together, apart;
};

/* The number of cells in a row of a board; -1 if it is not a row. */
static int cells(const char *s, struct spacing *p)
{
	int count = 0;

	for (; *s && *s != '#'; s++) {
		if (strchr(blanks, *s))
			continue;
		if (!isdigit((unsigned char)*s) || *s - '0' > SAMEGAME_MAX_COLOURS ||
		    ++count > SAMEGAME_MAX_COLUMNS)
			return -1;
		p->together = p->together || isdigit((unsigned char)s[1]);
		p->apart = p->apart || (count > 1 && strchr(blanks, s[-1]));
	}
	return count;
}

/* A board whose cells are written together is not reported as a matrix of one column too. */
static bool samegame(struct recognised *r, struct lines l, bool *together)
{
	struct spacing p = { false, false };
	int rows = 0, columns = 0;
	const char *line;

	while ((line = next_line(&l))) {
		int count = *line == '#' ? 0 : cells(line, &p);

		if (*line == '#')
			continue;
		if (rows == 0)
			columns = count;
		if (count < 1 || count != columns || ++rows > SAMEGAME_MAX_ROWS)
			return false;
	}
	if (rows * columns < 2 || l.cut || (p.together && p.apart))
		return false;
	*together = p.together;
	return is(r, FORM_SAMEGAME, "all rows have the same number of digits from 0 to 6",
		  "a SameGame board of %d x %d cells", rows, columns);
}

static const char *next_row(struct lines *l)
{
	const char *line;

	do
		line = next_line(l);
	while (line && *line == '#');
	return line;
}

/* Measures rows of equal length, to the end of the text. */
static bool measure(struct lines l, struct recognised_size *size)
{
	int64_t value;
	const char *row;

	*size = (struct recognised_size){ 0, 0 };
	while ((row = next_row(&l))) {
		int count = numbers_until(row, "#", ",", &value, 1);

		if (size->rows == 0)
			size->columns = count;
		if (count < 1 || count != size->columns)
			return false;
		size->rows++;
	}
	return size->rows > 0;
}

static bool matrix(struct recognised *r, struct lines l)
{
	struct recognised_size size;

	if (l.cut || !measure(l, &size) || size.rows * size.columns < 2)
		return false;
	r->matrix = size;
	return is(r, FORM_MATRIX, "all rows have the same number of non-negative integers",
		  "a plain matrix");
}

/* Two lines of two numbers are treated as a matrix without a header. */
static bool sized_matrix(struct recognised *r, struct lines l)
{
	struct recognised_size size;
	int64_t head[2];
	const char *first = next_row(&l);
	bool exact, reverse;

	if (l.cut || !first || numbers_until(first, "#", ",", head, 2) != 2 || !measure(l, &size))
		return false;
	exact = head[0] == size.rows && head[1] == size.columns;
	reverse = head[0] == size.columns && head[1] == size.rows;
	if ((!exact && !reverse) || (size.rows == 1 && size.columns == 2))
		return false;
	r->sized = size;
	r->reverse = !exact;
	return is(r, FORM_SIZED_MATRIX, "the first line has the numbers of rows and columns",
		  "a plain matrix with its size in the first line");
}

/* ---- reading ---- */

/* Reads at most `size` bytes of a regular file. A pipe is not opened at all: closing it would end
 * its writer before the actual reader opens it. */
static int read_start(const char *path, char *text, size_t size, size_t *length, struct err *e)
{
	struct stat st;
	ssize_t got = 0;
	int fd;

	*length = 0;
	if (stat(path, &st) != 0)
		return err_set(e, ERR_INPUT, "%s: %m", path);
	if (!S_ISREG(st.st_mode))
		return err_set(e, ERR_INPUT, "%s: not a regular file", path);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return err_set(e, ERR_INPUT, "%s: %m", path);
	while (*length < size && (got = read(fd, text + *length, size - *length)) > 0)
		*length += (size_t)got;
	close(fd);
	return got < 0 ? err_set(e, ERR_INPUT, "%s: cannot be read: %m", path) : 0;
}

static void judge(struct recognised *r, struct lines l)
{
	bool together = false;

	taillard(r, l);
	vfr(r, l);
	knapsack_indexed(r, l);
	knapsack_pairs(r, l);
	atsp(r, l);
	dimacs(r, l);
	samegame(r, l, &together);
	if (!together) {
		matrix(r, l);
		sized_matrix(r, l);
	}
}

int recognise(struct recognised *r, const char *path, struct err *e)
{
	size_t size = RECOGNISE_BYTES, length;
	char *text = malloc(size + 2), *line;
	int status;

	*r = (struct recognised){ .forms = 0 };
	if (!text)
		return err_set(e, ERR_MEMORY, "no memory to read %s", path);
	status = read_start(path, text, size + 1, &length, e);
	if (!status && !memchr(text, '\0', length)) {
		struct lines l = { text, text + length, length > size };

		text[length] = '\0';
		for (line = text; (line = memchr(line, '\n', (size_t)(l.end - line)));)
			*line++ = '\0';
		judge(r, l);
	}
	free(text);
	return status;
}

/* ---- messages ---- */

void recognise_add(struct recognise_message *m, const char *format, ...)
{
	size_t room = sizeof(m->text) - m->used;
	va_list ap;
	int length;

	va_start(ap, format);
	length = vsnprintf(m->text + m->used, room, format, ap);
	va_end(ap);
	if (length < 0 || (size_t)length >= room)
		m->full = true;
	else
		m->used += (size_t)length;
}

static bool has(const struct recognised *r, enum file_form form)
{
	return r->forms >> form & 1;
}

static void describe_sized(struct recognise_message *m, const struct recognised *r,
			   const char *unit)
{
	if (has(r, FORM_MATRIX))
		recognise_add(m, "one of %" PRId64 " x %" PRId64, r->sized.rows, r->sized.columns);
	else
		recognise_add(m, "a plain matrix of %" PRId64 " x %" PRId64 " %s", r->sized.rows,
			      r->sized.columns, unit);
	recognise_add(m, " with its size in %sthe first line",
		      r->reverse ? "reverse order in " : "");
}

void recognise_describe(struct recognise_message *m, const struct recognised *r, const char *unit)
{
	const char *last = "";

	for (int i = 0; i < FORMS; i++) {
		if (!has(r, (enum file_form)i) || strcmp(r->form[i].what, last) == 0)
			continue;
		if (*last)
			recognise_add(m, " or ");
		last = r->form[i].what;
		if (i == FORM_SIZED_MATRIX)
			describe_sized(m, r, unit);
		else
			recognise_add(m, "%s", last);
		if (i == FORM_MATRIX)
			recognise_add(m, " of %" PRId64 " x %" PRId64 " %s", r->matrix.rows,
				      r->matrix.columns, unit);
	}
}

static bool fits(int64_t jobs, int64_t machines)
{
	return jobs <= FLOWSHOP_MAX_JOBS && machines <= FLOWSHOP_MAX_MACHINES;
}

void recognise_advise(struct recognise_message *m, const struct recognised *r, const char *call)
{
	bool sized = has(r, FORM_SIZED_MATRIX), plain = has(r, FORM_MATRIX);
	struct recognised_size size = sized ? r->sized : r->matrix;
	bool by_job = fits(size.rows, size.columns), by_machine = fits(size.columns, size.rows);

	if (!by_job && !by_machine) {
		recognise_add(m, "it is too large for a flowshop");
		return;
	}
	recognise_add(m, "%s --format %s", call,
		      flowshop_format_words[by_job ? FLOWSHOP_JOBS_BY_MACHINES :
						     FLOWSHOP_MACHINES_BY_JOBS]);
	if (by_job && by_machine)
		recognise_add(m, " or --format %s",
			      flowshop_format_words[FLOWSHOP_MACHINES_BY_JOBS]);
	if (sized && plain && !r->reverse)
		recognise_add(m, ", which reads the first line as the size");
	else if (sized && !plain && r->reverse)
		recognise_add(m, " after correcting the first line");
}

static bool is_square(const struct recognised *r, enum file_form form, struct recognised_size size)
{
	return has(r, form) && size.rows == size.columns;
}

const char *recognise_atsp_advice(const struct recognised *r)
{
	if (is_square(r, FORM_SIZED_MATRIX, r->sized))
		return "an ATSP file needs the TSPLIB header instead of the first line (see "
		       "docs/SOLVE.md)";
	if (is_square(r, FORM_MATRIX, r->matrix))
		return "an ATSP file needs the TSPLIB header above the matrix (see docs/SOLVE.md)";
	return NULL;
}

/* ---- the command for a file that was refused ---- */

/* The commands that accept a format; the best one for it first. */
static const struct command {
	unsigned forms;
	const char *target, *flags;
} commands[] = {
	{ FORMS_FLOWSHOP, "gmys-ivm", "" },
	{ FORMS_FLOWSHOP, "helbecque-pool", "" },
	{ FORMS_FLOWSHOP, "koester-recovery", "" },
	{ FORMS_ATSP, "gmys-ivm", "--problem atsp " },
	{ FORMS_KNAPSACK, "dp-knapsack", "" },
	{ FORMS_KNAPSACK, "gboa", "--problem knapsack " },
	{ FORMS_MAXSAT, "gboa", "--problem maxsat " },
	{ FORMS_SAMEGAME, "koester-recovery", "--problem samegame " },
};
enum { COMMANDS = sizeof(commands) / sizeof(commands[0]) };

/* The running target if it accepts the format, else the first one that does. */
static const struct command *command_for(unsigned form, const char *target)
{
	const struct command *first = NULL;

	for (int i = 0; i < COMMANDS; i++) {
		if (!(commands[i].forms & form))
			continue;
		if (strcmp(commands[i].target, target) == 0)
			return &commands[i];
		first = first ? first : &commands[i];
	}
	return first;
}

static void use_matrix(struct recognise_message *m, const struct recognised *r,
		       const struct command *command, bool own_reader, const char *file)
{
	char call[320] = "add";

	if (!own_reader)
		snprintf(call, sizeof(call), "for a flowshop use %s solve --instance %s",
			 command->target, file);
	recognise_advise(m, r, call);
}

static void use_all(struct recognise_message *m, const struct recognised *r, const char *program,
		    unsigned own, const char *file)
{
	const char *between = "; ", *lacks = own & FORMS_ATSP ? recognise_atsp_advice(r) : NULL;
	const struct command *said = NULL;

	if (lacks) {
		recognise_add(m, "; %s", lacks);
		between = ", or ";
	}
	for (int i = 0; i < FORMS; i++) {
		unsigned form = 1u << i;
		const struct command *command;

		if (!(r->forms & form))
			continue;
		command = command_for(form & FORMS_MATRIX ? FORMS_FLOWSHOP : form, program);
		if (form & FORMS_MATRIX) {
			recognise_add(m, "%s", between);
			use_matrix(m, r, command, own & FORMS_FLOWSHOP, file);
			break; /* the last formats; one advice covers both */
		}
		if (command != said) {
			recognise_add(m, "%suse %s solve %s--instance %s", between, command->target,
				      command->flags, file);
			said = command;
		}
		between = ", or ";
	}
}

static void describe(struct recognise_message *m, const struct recognised *r, unsigned own,
		     const char *file)
{
	recognise_add(m, "; %s looks like ", text_base_name(file));
	recognise_describe(m, r, own & FORMS_FLOWSHOP ? "times" : "numbers");
}

/* Quotes a file name for a shell, or writes FILE if that is not possible. */
static void quote(char *out, size_t size, const char *file)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				    "0123456789_./+-=:,@%";
	const char *mark = file[strspn(file, plain)] ? "'" : "";

	if (strlen(file) + 3 > size || strpbrk(file, "'\n"))
		snprintf(out, size, "FILE");
	else
		snprintf(out, size, "%s%s%s", mark, file, mark);
}

bool recognise_hint(const char *program, const char *file, unsigned own, struct err *e)
{
	struct recognised r;
	struct recognise_message m;
	char quoted[256];

	if (!e || recognise(&r, file, NULL) || !r.forms || (r.forms & own))
		return false;
	quote(quoted, sizeof(quoted), file);
	for (int attempt = 0; attempt < 2; attempt++) {
		m = (struct recognise_message){ .used = 0 };
		recognise_add(&m, "%s", e->text);
		describe(&m, &r, own, file);
		use_all(&m, &r, program, own, attempt ? "FILE" : quoted);
		if (!m.full) {
			snprintf(e->text, sizeof(e->text), "%s", m.text);
			return true;
		}
	}
	return false;
}
