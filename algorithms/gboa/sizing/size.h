/* The command `size`: finds the population that a problem needs by bisection. */
#ifndef COPRA_GBOA_SIZING_SIZE_H
#define COPRA_GBOA_SIZING_SIZE_H

/* Returns the exit code. */
int boa_size_main(int argc, char **argv);

#endif
