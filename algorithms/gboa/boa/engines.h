/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* The engines of BOA. boa_run (runs.h) chooses one by the variant, and for `tuned` by the engine.
 * boa_runs_function in boa.h has the contract; the comments here add the errors of each engine. */
#ifndef COPRA_GBOA_BOA_ENGINES_H
#define COPRA_GBOA_BOA_ENGINES_H

#include "algorithms/gboa/boa.h"

/* serial and cpu: BOA_PERMUTED and (serial only) BOA_SEARCHED, by the steps of steps.h. */
boa_runs_function boa_host_runs;

/* published: the host selects, samples and evaluates in one thread, and the kernel of Figure 6
 * builds the network (kernels/gboa/published.h). In each generation the selected individuals go to
 * the device, one byte per bit, with the permutation, and the parents come back. The members of
 * setup->form add ideas of the ladder. */
boa_runs_function boa_published_runs;

/* tuned, engine grid: each run uses a whole device, one run after another on each device
 * (kernels/gboa/grid.h). ERR_UNSUPPORTED: the options exceed the kernel's limits. */
boa_runs_function boa_grid_runs;
/* Whether boa_grid_runs() takes runs of this setup on its first device, by their sizes: 0,
 * ERR_UNSUPPORTED, or an error of the device. */
int boa_grid_fits(const struct boa_setup *s, struct err *e);

/* tuned, engine batch: many concurrent runs on all devices, each by a block or by a cluster of
 * blocks (kernels/gboa/batch.h). ERR_UNSUPPORTED: a run does not fit into shared memory, or the
 * options exceed the kernels' limits. */
boa_runs_function boa_batch_runs;

/* tuned, engine large: one run of many variables and individuals on all devices, by a few launches
 * for each step of a generation (kernels/gboa/large.h; large_device.h describes how the work is
 * divided). ERR_MEMORY: the devices have too little memory. */
boa_runs_function boa_large_runs;

#endif
