/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Proof files of knapsacks (docs/PROOFS.md): a choice of items and what identifies the instance.
 * copra-check-knapsack (checker/) shows from them that no choice is worth more. */
#ifndef COPRA_DATASETS_KNAPSACK_PROOF_H
#define COPRA_DATASETS_KNAPSACK_PROOF_H

#include <jansson.h>

#include "datasets/knapsack/knapsack.h"

/* Writes the proof of the `length` chosen items. `name` is that of the instance; `run`, for people,
 * may be NULL and is released. Errors: ERR_FAILED if the choice is not possible, ERR_MEMORY,
 * ERR_IO. */
int knapsack_proof_write(const struct knapsack *k, const char *name, const int64_t *chosen,
			 size_t length, json_t *run, const char *path, struct err *e);

#endif
