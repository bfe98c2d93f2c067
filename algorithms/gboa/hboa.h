/* Hierarchical BOA (Pelikan, Goldberg 2001; Pelikan, Sastry, Goldberg): decision graphs as local
 * structures and restricted tournament replacement. The model BOA_TREES of boa.h. */
#ifndef COPRA_HBOA_H
#define COPRA_HBOA_H

#include "boa.h"

#endif
