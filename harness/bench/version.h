/* --version, for every program. */
#ifndef COPRA_BENCH_VERSION_H
#define COPRA_BENCH_VERSION_H

#include <stdbool.h>

/* Whether the first argument is --version. */
bool version_asked(int argc, char **argv);

/* Prints "PROGRAM VERSION (revision REVISION, COMPILER, CUDA VERSION)" as one line and returns the
 * exit code. The version is that of CITATION.cff, recorded when the program was built. */
int version_print(const char *program);

#endif
