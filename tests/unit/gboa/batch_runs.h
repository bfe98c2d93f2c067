/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Compares batched runs with serial ones. */
#ifndef COPRA_TESTS_UNIT_GBOA_BATCH_RUNS_H
#define COPRA_TESTS_UNIT_GBOA_BATCH_RUNS_H

#include "algorithms/gboa/runs.h"

/* Makes `count` batched runs, a share of them on the host. Fails unless they equal the runs of the
 * serial variant. */
void check_batch_shared(const struct dev_set *devices, const char *problem, const char *instance,
			const struct boa_options *o, struct boa_batch_shape shape, int count,
			double host_share);

/* The same without a share of the host. */
void check_batch(const struct dev_set *devices, const char *problem, const char *instance,
		 const struct boa_options *o, struct boa_batch_shape shape, int count);

/* Fails unless the options are refused with ERR_UNSUPPORTED and a message that contains `why`. */
void refuse_batch(const struct dev_set *devices, const char *problem, const char *instance,
		  const struct boa_options *o, const char *why);

/* Checks runs that a limit ends: the stop flag is set before they begin, and the time limit is
 * reached while they run. */
void stop_batch(const struct dev_set *devices);

#endif
