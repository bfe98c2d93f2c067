/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "datasets/knapsack/proof.h"

#include <inttypes.h>
#include <stdio.h>

#include "datasets/evaluate.h"
#include "harness/base/json_file.h"

/* FNV-1a, continued by the line "a b". */
static uint64_t hash_line(uint64_t hash, int64_t a, int64_t b)
{
	char line[64];
	int length = snprintf(line, sizeof(line), "%" PRId64 " %" PRId64 "\n", a, b);

	for (int i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)line[i]) * UINT64_C(1099511628211);
	return hash;
}

static uint64_t hash_of(const struct knapsack *k)
{
	uint64_t hash = hash_line(UINT64_C(14695981039346656037), k->n, k->capacity);

	for (int64_t i = 0; i < k->n; i++)
		hash = hash_line(hash, k->profit[i], k->weight[i]);
	return hash;
}

int knapsack_proof_write(const struct knapsack *k, const char *name, const int64_t *chosen,
			 size_t length, json_t *run, const char *path, struct err *e)
{
	json_t *list = json_array(), *proof;
	int64_t profit, weight = 0;
	char hash[32];
	int status = evaluate_knapsack(k, chosen, length, &profit, e);

	for (size_t i = 0; !status && i < length; i++) {
		weight += k->weight[chosen[i]];
		json_array_append_new(list, json_integer(chosen[i]));
	}
	if (status) {
		json_decref(list);
		json_decref(run);
		return status;
	}
	snprintf(hash, sizeof(hash), "fnv1a:%016" PRIx64, hash_of(k));
	proof = json_pack("{s:s, s:s, s:I, s:I, s:s, s:I, s:I, s:o, s:o*}", "format",
			  "copra-knapsack-proof-1", "instance", name, "items", (json_int_t)k->n,
			  "capacity", (json_int_t)k->capacity, "hash", hash, "profit",
			  (json_int_t)profit, "weight", (json_int_t)weight, "chosen", list, "run",
			  run);
	status = json_file_save(proof, path, e);
	json_decref(proof);
	return status;
}
