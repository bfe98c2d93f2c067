#include "algorithms/gmys-ivm/factoradic.h"

#include <string.h>

bool factoradic_next(uint16_t *x, int n)
{
	int i = n - 1;

	while (i >= 0 && x[i] == n - 1 - i)
		i--;
	if (i < 0)
		return false;
	x[i]++;
	memset(x + i + 1, 0, (size_t)(n - 1 - i) * sizeof(*x));
	return true;
}

bool factoradic_previous(uint16_t *x, int n)
{
	int i = n - 1;

	while (i >= 0 && x[i] == 0)
		i--;
	if (i < 0)
		return false;
	x[i]--;
	factoradic_last(x + i + 1, n - 1 - i);
	return true;
}

/* q = a - b, a >= b. */
static void subtract(const uint16_t *a, const uint16_t *b, int n, uint16_t *q)
{
	int borrow = 0;

	for (int i = n - 1; i >= 0; i--) {
		int digit = a[i] - b[i] - borrow;

		borrow = digit < 0;
		q[i] = (uint16_t)(borrow ? digit + n - i : digit);
	}
}

/* x = floor(x / parts); the remainder is returned. */
static uint32_t divide(uint16_t *x, int n, uint32_t parts)
{
	uint32_t rest = 0;

	for (int i = 0; i < n; i++) {
		uint32_t value = rest * (uint32_t)(n - i) + x[i];

		x[i] = (uint16_t)(value / parts);
		rest = value % parts;
	}
	return rest;
}

/* x = base + x * factor + more, which is below n!. */
static void multiply_add(uint16_t *x, int n, uint32_t factor, uint32_t more, const uint16_t *base)
{
	uint32_t carry = more;

	for (int i = n - 1; i >= 0; i--) {
		uint32_t value = x[i] * factor + base[i] + carry;

		x[i] = (uint16_t)(value % (uint32_t)(n - i));
		carry = value / (uint32_t)(n - i);
	}
}

bool factoradic_split(const uint16_t *first, const uint16_t *last, int n, int kept, int parts,
		      uint16_t *owner_last, uint16_t *thief_first)
{
	uint32_t factor = (uint32_t)kept, rest;

	if (factoradic_compare(first, last, n) >= 0)
		return false;
	/* with last - first = q * parts + rest: floor(kept * (last - first) / parts) is
	 * kept * q + floor(kept * rest / parts), and nothing outgrows n digits */
	subtract(last, first, n, owner_last);
	rest = divide(owner_last, n, (uint32_t)parts);
	multiply_add(owner_last, n, factor, factor * rest / (uint32_t)parts, first);
	memmove(thief_first, owner_last, (size_t)n * sizeof(*thief_first));
	return factoradic_next(thief_first, n);
}
