/* The `bench` sub-command. */
#ifndef COPRA_BENCH_BENCH_MAIN_H
#define COPRA_BENCH_BENCH_MAIN_H

#include <stdio.h>

/* argv[0] is the first flag. `executable` goes into the context. Returns the exit code: 0 done; 1 a
 * case failed or an output could not be written; 2 bad usage; 3 interrupted, with the finished
 * cases written; 4 the requested device is not available. */
int bench_main(const char *target, const char *executable, int argc, char **argv);

/* Prints the flags of `bench` with their help. */
void bench_print_flags(FILE *out);

#endif
