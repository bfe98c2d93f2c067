/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/gmys-ivm/interval_list.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/checked.h"
#include "kernels/gmys-ivm/factoradic.h"

static size_t stride(const struct ivm_interval_list *l)
{
	return 2 * (size_t)l->n * sizeof(*l->digits);
}

void ivm_interval_list_open(struct ivm_interval_list *l, int n)
{
	*l = (struct ivm_interval_list){ .n = n };
}

void ivm_interval_list_close(struct ivm_interval_list *l)
{
	free(l->digits);
	ivm_interval_list_open(l, l->n);
}

uint16_t *ivm_interval_list_at(const struct ivm_interval_list *l, uint64_t i)
{
	return l->digits + i * 2 * (uint64_t)l->n;
}

static bool make_room(struct ivm_interval_list *l, uint64_t count)
{
	uint64_t room = l->room ? l->room : 4;
	uint16_t *digits;
	size_t bytes;

	while (room < count) {
		if (!checked_mul_u64(room, 2, &room))
			return false;
	}
	if (room == l->room)
		return true;
	if (!checked_mul_size(room, stride(l), &bytes))
		return false;
	digits = realloc(l->digits, bytes);
	if (!digits)
		return false;
	l->digits = digits;
	l->room = room;
	return true;
}

bool ivm_interval_list_add(struct ivm_interval_list *l, const uint16_t *digits, uint64_t count)
{
	uint64_t sum;

	if (count == 0)
		return true;
	if (!checked_add_u64(l->count, count, &sum) || !make_room(l, sum))
		return false;
	memcpy(ivm_interval_list_at(l, l->count), digits, count * stride(l));
	l->count = sum;
	return true;
}

uint64_t ivm_interval_list_move(struct ivm_interval_list *to, struct ivm_interval_list *from,
				uint64_t most)
{
	uint64_t moved = from->count < most ? from->count : most;

	if (moved == 0 ||
	    !ivm_interval_list_add(to, ivm_interval_list_at(from, from->count - moved), moved))
		return 0;
	from->count -= moved;
	return moved;
}

static int by_first(const void *a, const void *b, void *n)
{
	return ivm_factoradic_compare(a, b, *(const int *)n);
}

uint64_t ivm_interval_list_length(const struct ivm_interval_list *l)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < l->count; i++) {
		const uint16_t *first = ivm_interval_list_at(l, i);

		sum = (sum + ivm_factoradic_length(first, first + l->n, l->n)) %
		      IVM_FACTORADIC_MODULUS;
	}
	return sum;
}

void ivm_interval_list_sort(struct ivm_interval_list *l)
{
	if (l->count)
		qsort_r(l->digits, l->count, stride(l), by_first, &l->n);
}
