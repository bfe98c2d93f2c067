/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The command `size`: finds the population that a problem needs by bisection. */
#ifndef COPRA_GBOA_SIZING_SIZE_H
#define COPRA_GBOA_SIZING_SIZE_H

/* Returns the exit code. */
int boa_size_main(int argc, char **argv);

#endif
