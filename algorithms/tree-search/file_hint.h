/* What to do with a file that a reader refused: most often it was given to the wrong program, or
 * without the flag that says what it is. */
#ifndef COPRA_TREE_SEARCH_FILE_HINT_H
#define COPRA_TREE_SEARCH_FILE_HINT_H

#include "harness/bench/solve.h"

/* Call where a reader refused o->instance with the text in *e. `own` is the set of formats that it
 * reads (FORMS_... of datasets/recognise.h). Where the file looks like something else, appends what
 * that is and the command that takes it:
 *
 *   a.atsp:1: number of jobs is not an integer; a.atsp looks like a TSPLIB ATSP file; use gmys-ivm
 *   solve --problem atsp --instance a.atsp
 *
 * Where the caller reads ATSP files and this is a square matrix, it first names the header that is
 * missing. Returns whether it appended anything. */
bool file_hint(const struct solve_options *o, unsigned own, struct err *e);

#endif
