/* Which instance formats a file could have, judged by its content.
 *
 * The judgement is a guess for messages and for choosing a reader: it looks at the structure of the
 * first RECOGNISE_BYTES bytes and checks no values. A file may fit several formats, for example
 * "3 10" and three lines of two numbers: then all of them are in the set. */
#ifndef COPRA_DATASETS_RECOGNISE_H
#define COPRA_DATASETS_RECOGNISE_H

#include <stdbool.h>
#include <stdint.h>

#include "harness/base/error.h"

enum { RECOGNISE_BYTES = 4 << 20 };

enum file_form {
	FORM_TAILLARD,         /* flowshop: header, numbers, "processing times", a row a machine */
	FORM_VFR,              /* flowshop: "jobs machines", a row a job of "machine time" pairs */
	FORM_KNAPSACK_INDEXED, /* n, n lines "index profit weight", the capacity */
	FORM_KNAPSACK_PAIRS,   /* "n C", n lines "profit weight" */
	FORM_ATSP,             /* TSPLIB with a matrix of costs */
	FORM_CNF,              /* DIMACS cnf */
	FORM_WCNF,             /* DIMACS wcnf, of 2022 or before */
	FORM_SAMEGAME,         /* a board: rows of the digits 0 to 6 */
	FORM_MATRIX,           /* rows of non-negative integers, all of one length */
	FORM_SIZED_MATRIX,     /* the same below a line with the numbers of rows and columns */
	FORMS
};

/* Sets of formats: those of one problem. */
enum {
	FORMS_FLOWSHOP = 1 << FORM_TAILLARD | 1 << FORM_VFR,
	FORMS_KNAPSACK = 1 << FORM_KNAPSACK_INDEXED | 1 << FORM_KNAPSACK_PAIRS,
	FORMS_ATSP = 1 << FORM_ATSP,
	FORMS_MAXSAT = 1 << FORM_CNF | 1 << FORM_WCNF,
	FORMS_SAMEGAME = 1 << FORM_SAMEGAME,
	FORMS_MATRIX = 1 << FORM_MATRIX | 1 << FORM_SIZED_MATRIX,
};

struct recognised {
	unsigned forms; /* the set, 1 << enum file_form; 0: none of them */
	struct recognised_size {
		int64_t rows, columns;
	} matrix, sized; /* of FORM_MATRIX; of FORM_SIZED_MATRIX, without the first line */
	bool reverse;    /* FORM_SIZED_MATRIX: the first line has columns, then rows */
	struct {
		char what[64]; /* "a TSPLIB ATSP file" */
		char why[80];  /* "has the line TYPE: ATSP" */
	} form[FORMS];         /* of those in the set; empty for others */
};

/* The word of --problem: "flowshop", "knapsack", "atsp", "maxsat", "samegame". A matrix has none by
 * itself: "". */
const char *recognise_problem(enum file_form form);

/* ERR_INPUT, naming the file, where it cannot be read or is no regular file; ERR_MEMORY. What is no
 * text is recognised as nothing. */
int recognise(struct recognised *r, const char *path, struct err *e);

/* ---- words for messages ---- */

enum { RECOGNISE_TEXT = 512 };

/* What the file looks like, all possibilities: "a knapsack file or a plain matrix of 4 x 2 times".
 * `unit` is what a matrix contains. "" where nothing was recognised. */
void recognise_describe(const struct recognised *r, const char *unit, char text[RECOGNISE_TEXT]);

/* How a matrix (one of FORMS_MATRIX) is read as a flowshop: `call` ("add", or a command) and the
 * values of --format that the limits of a flowshop allow; or that it is too large. */
void recognise_advise(const struct recognised *r, const char *call, char text[RECOGNISE_TEXT]);

/* What a square matrix lacks as an ATSP file; NULL where the file looks like no square matrix. */
const char *recognise_atsp_advice(const struct recognised *r);

#endif
