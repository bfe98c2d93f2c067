/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The files that programs read at run time: the papers' cells and claims, recorded results, plot
 * scripts, sample instances. */
#ifndef COPRA_BASE_DATA_H
#define COPRA_BASE_DATA_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/base/error.h"

/* Writes the path of a file or folder of copra's data, for example "results/papers". It is looked
 * for in one folder:
 *   1. the folder that the environment variable COPRA_DATA names, if it is set;
 *   2. else the data folder of an installed copra (build_info()->data, relative to the folder of
 *      the program), if it exists;
 *   3. else the current folder, which is then the root of a checkout.
 * Whether `name` exists in that folder is not checked. ERR_USAGE if the path is too long. */
int data_path(char *path, size_t size, const char *name, struct err *e);

/* Whether the program is installed, that is, whether case 2 applies without COPRA_DATA. `folder`
 * then receives the folder of the program. */
bool data_installed(char *folder, size_t size);

#endif
