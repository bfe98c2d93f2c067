/* The `bench` sub-command. */
#ifndef COPRA_BENCH_BENCH_MAIN_H
#define COPRA_BENCH_BENCH_MAIN_H

#include <stdio.h>

/* argv[0] is the first flag. `executable` goes into the context. Returns the exit code: 0; 1 when a
 * case failed or an output could not be written; 2 bad usage; 3 interrupted, with what was finished
 * written; 4 the device asked for is not there. */
int bench_main(const char *target, const char *executable, int argc, char **argv);

void bench_print_flags(FILE *out);

#endif
