/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* `copra reproduce`: runs scripts/reproduce.sh of the data folder (harness/base/data.h) with the
 * programs beside this one. Relative folders are those of the current folder, so an installed
 * copra writes to results/local there, or to COPRA_RESULTS. */
#ifndef COPRA_FRONT_REPRODUCE_H
#define COPRA_FRONT_REPRODUCE_H

/* Replaces this process. Returns only if that fails, with an exit code. */
int front_reproduce(int argc, char **argv);

#endif
