/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Recognises the format of an instance file from its content.
 *
 * The result is a guess, used for error messages and for choosing a reader. Only the structure of
 * the first RECOGNISE_BYTES bytes is examined, no values are checked. A file may fit several
 * formats, for example "3 10" followed by three lines of two numbers; all of them are reported. */
#ifndef COPRA_DATASETS_RECOGNISE_H
#define COPRA_DATASETS_RECOGNISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/base/error.h"

enum { RECOGNISE_BYTES = 4 << 20 };

enum file_form {
	FORM_TAILLARD, /* flowshop: header, numbers, "processing times", one row per machine */
	FORM_VFR,      /* flowshop: "jobs machines", one row per job of "machine time" pairs */
	FORM_KNAPSACK_INDEXED, /* n, n lines "index profit weight", the capacity */
	FORM_KNAPSACK_PAIRS,   /* "n C", n lines "profit weight" */
	FORM_ATSP,             /* TSPLIB with a matrix of costs */
	FORM_CNF,              /* DIMACS cnf */
	FORM_WCNF,             /* DIMACS wcnf, of 2022 or before */
	FORM_SAMEGAME,         /* a board: rows of the digits 0 to 6 */
	FORM_MATRIX,           /* rows of non-negative integers, all of the same length */
	FORM_SIZED_MATRIX,     /* the same below a line with the numbers of rows and columns */
	FORMS
};

/* The set of formats of each problem. */
enum {
	FORMS_FLOWSHOP = 1 << FORM_TAILLARD | 1 << FORM_VFR,
	FORMS_KNAPSACK = 1 << FORM_KNAPSACK_INDEXED | 1 << FORM_KNAPSACK_PAIRS,
	FORMS_ATSP = 1 << FORM_ATSP,
	FORMS_MAXSAT = 1 << FORM_CNF | 1 << FORM_WCNF,
	FORMS_SAMEGAME = 1 << FORM_SAMEGAME,
	FORMS_MATRIX = 1 << FORM_MATRIX | 1 << FORM_SIZED_MATRIX,
};

struct recognised {
	unsigned forms; /* a set of 1 << enum file_form; 0: nothing was recognised */
	struct recognised_size {
		int64_t rows, columns;
	} matrix, sized; /* size of FORM_MATRIX; of FORM_SIZED_MATRIX without its first line */
	bool reverse;    /* FORM_SIZED_MATRIX: the first line states columns, then rows */
	struct {
		char what[64]; /* "a TSPLIB ATSP file" */
		char why[80];  /* "has the line TYPE: ATSP" */
	} form[FORMS];         /* for the formats in the set; empty for the others */
};

/* Examines a file. Binary files are recognised as nothing. ERR_INPUT (with the file's name) if it
 * cannot be read or is not a regular file; ERR_MEMORY. */
int recognise(struct recognised *r, const char *path, struct err *e);

/* ---- texts for messages ---- */

/* A message under construction; starts as { .used = 0 }. */
struct recognise_message {
	char text[sizeof(((struct err *)NULL)->text)];
	size_t used;
	bool full; /* something did not fit */
};
/* Appends to the message; sets `full` if the text does not fit. */
void recognise_add(struct recognise_message *m, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Adds all possibilities: "a knapsack file or a plain matrix of 4 x 2 times". `unit` names the
 * elements of a matrix. Adds nothing if nothing was recognised. */
void recognise_describe(struct recognise_message *m, const struct recognised *r, const char *unit);

/* Adds how a matrix (one of FORMS_MATRIX) can be read as a flowshop: `call` ("add", or a command)
 * and the values of --format that the limits of a flowshop allow; or that it is too large. */
void recognise_advise(struct recognise_message *m, const struct recognised *r, const char *call);

/* Says what a square matrix lacks as an ATSP file; NULL if the file is not a square matrix. */
const char *recognise_atsp_advice(const struct recognised *r);

/* Call this after a reader refused `file` with the text in *e. Most often the file was given to the
 * wrong program, or without the flag that names its format. `own` is the set of formats that the
 * reader accepts, and `program` the target that is running. If the file looks like something else,
 * appends what that is and the command that accepts it:
 *
 *   a.atsp:1: number of jobs is not an integer; a.atsp looks like a TSPLIB ATSP file; use gmys-ivm
 *   solve --problem atsp --instance a.atsp
 *
 * If the reader accepts ATSP files and the file is a square matrix, it first names the missing
 * header. Returns whether it appended anything. */
bool recognise_hint(const char *program, const char *file, unsigned own, struct err *e);

#endif
