/* Command lines of the targets, each run in a process of its own with one failure made on purpose.
 */
#ifndef COPRA_TESTS_FAULTS_COMMAND_H
#define COPRA_TESTS_FAULTS_COMMAND_H

#include "harness/bench/solve.h"
#include "tests/faults/inject.h"

struct fault_command {
	const char *target;
	const struct solve_spec *spec; /* NULL: bench */
	const char *arguments;         /* separated by blanks; "@" stands for a file of its own */
};

/* What became of it. */
struct fault_outcome {
	int code; /* of the process; -1: a signal, see `signal` */
	int signal;
	int64_t calls[FAULT_KINDS];
	int64_t leaked;      /* blocks not freed at its end */
	int64_t torn;        /* blocks freed while a copy to or from them was under way */
	char torn_place[96]; /* where that copy was asked for */
	int lines;           /* on stderr */
	char text[2048];     /* the beginning of these */
};

/* In a process of its own; `plan` says what fails. */
void fault_run(const struct fault_command *c, const struct fault_plan *plan,
	       struct fault_outcome *out);

#endif
