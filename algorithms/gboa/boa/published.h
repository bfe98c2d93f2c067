/* gBOA as published: the host selects, samples and evaluates, and the kernel of Figure 6 builds the
 * network. In each generation the selected individuals go to the device, one byte a bit as in the
 * paper, and the parents come back. */
#ifndef COPRA_GBOA_BOA_PUBLISHED_H
#define COPRA_GBOA_BOA_PUBLISHED_H

#include "algorithms/gboa/boa.h"

boa_runs_function boa_published_runs;

#endif
