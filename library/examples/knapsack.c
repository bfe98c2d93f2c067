/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Solves a small knapsack given as arrays. */
#include <copra.h>
#include <inttypes.h>
#include <stdio.h>

int main(void)
{
	static const int64_t profit[] = { 60, 100, 120, 30 }, weight[] = { 10, 20, 30, 5 };
	copra_error error;
	copra_instance *items = NULL;
	copra_result *result = NULL;
	const int64_t *chosen;
	size_t count;
	int failed = copra_knapsack_create(&items, 4, profit, weight, 50, &error) ||
		     copra_solve(&result, items, NULL, &error);

	if (failed) {
		fprintf(stderr, "%s\n", error.text);
	} else {
		chosen = copra_result_solution(result, &count);
		printf("%s: profit %" PRId64 ", items",
		       copra_status_name(copra_result_status(result)),
		       copra_result_objective(result));
		for (size_t i = 0; i < count; i++)
			printf(" %" PRId64, chosen[i]);
		putchar('\n');
	}
	copra_result_destroy(result);
	copra_instance_destroy(items);
	return failed;
}
