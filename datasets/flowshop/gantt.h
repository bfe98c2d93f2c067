/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* A flowshop schedule as a Gantt chart: a self-contained SVG drawing with one row per machine and
 * one box per operation, a time axis, the makespan, and a title. Each job has a colour of its own.
 * Jobs and machines are numbered from 0. Browsers show job, machine and times of a box under the
 * pointer. */
#ifndef COPRA_DATASETS_FLOWSHOP_GANTT_H
#define COPRA_DATASETS_FLOWSHOP_GANTT_H

#include "datasets/flowshop/flowshop.h"

/* Writes the schedule of `order` (a permutation of the jobs) to a file, whose folders are created.
 * ERR_FAILED if it is not a permutation, ERR_MEMORY, ERR_IO. */
int gantt_write(const struct flowshop *f, const int64_t *order, const char *title, const char *path,
		struct err *e);

#endif
