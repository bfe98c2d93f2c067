/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* A growing list of intervals of factoradic numbers: [count][2][n] digits, first and last, the form
 * that device explorers and checkpoints use. */
#ifndef COPRA_GMYS_IVM_INTERVAL_LIST_H
#define COPRA_GMYS_IVM_INTERVAL_LIST_H

#include <stdbool.h>
#include <stdint.h>

struct ivm_interval_list {
	int n;
	uint64_t count, room;
	uint16_t *digits; /* NULL while room is 0 */
};

void ivm_interval_list_open(struct ivm_interval_list *l, int n);
void ivm_interval_list_close(struct ivm_interval_list *l);
/* Interval i: its first number, followed by its last. */
uint16_t *ivm_interval_list_at(const struct ivm_interval_list *l, uint64_t i);
/* Appends intervals. Returns false if there is no memory; the list is unchanged then. */
bool ivm_interval_list_add(struct ivm_interval_list *l, const uint16_t *digits, uint64_t count);
/* Moves the last min(count, most) intervals of `from` to the end of `to` and returns their number.
 * It is 0 if there is no memory. */
uint64_t ivm_interval_list_move(struct ivm_interval_list *to, struct ivm_interval_list *from,
				uint64_t most);
/* The sum of their lengths, modulo IVM_FACTORADIC_MODULUS. */
uint64_t ivm_interval_list_length(const struct ivm_interval_list *l);
/* Sorts by first number. */
void ivm_interval_list_sort(struct ivm_interval_list *l);

#endif
