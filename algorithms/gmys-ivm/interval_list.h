/* A growing list of intervals of factoradics: [count][2][n] digits, first and last, as the device
 * explorers and checkpoints take them. */
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
/* Interval i: its first, followed by its last. */
uint16_t *ivm_interval_list_at(const struct ivm_interval_list *l, uint64_t i);
/* Appends; false: no memory, the list is as it was. */
bool ivm_interval_list_add(struct ivm_interval_list *l, const uint16_t *digits, uint64_t count);
/* Moves the last min(count, most) of `from` to the end of `to`; how many. 0 also without memory. */
uint64_t ivm_interval_list_move(struct ivm_interval_list *to, struct ivm_interval_list *from,
				uint64_t most);
/* Their lengths together, modulo FACTORADIC_MODULUS. */
uint64_t ivm_interval_list_length(const struct ivm_interval_list *l);
/* By their first numbers. */
void ivm_interval_list_sort(struct ivm_interval_list *l);

#endif
