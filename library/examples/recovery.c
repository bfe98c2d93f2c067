/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* A domain for the recovery engine: split numbers into two heaps whose sums differ as little as
 * possible. A layer places one number; a state has two successors, heap 0 and heap 1. */
#include <copra.h>
#include <stdio.h>
#include <stdlib.h>

struct heaps {              /* a state */
	int32_t placed;     /* numbers placed so far */
	int32_t difference; /* sum of heap 0 minus sum of heap 1 */
	int32_t sign;       /* the choice for the next number: 1 heap 0, -1 heap 1 */
};

enum { COUNT = 12 };
static const int32_t number[COUNT] = { 771, 121, 281, 854, 885, 734, 486, 1003, 83, 62, 342, 511 };

/* Puts the next number on the chosen heap; the state then waits for a new choice. */
static int execute(void *context, void *state, const copra_step *at)
{
	struct heaps *h = state;

	(void)context, (void)at;
	if (h->placed < COUNT)
		h->difference += h->sign * number[h->placed++];
	return 1;
}

/* At step 0 the choice is that of the successor; looking ahead, the smaller heap. */
static void assign(void *context, void *state, const copra_step *at)
{
	struct heaps *h = state;

	(void)context;
	h->sign = (at->step == 0 ? at->successor == 1 : h->difference > 0) ? -1 : 1;
}

static uint32_t rate(void *context, const void *state)
{
	return (void)context, (uint32_t)abs(((const struct heaps *)state)->difference);
}

static uint32_t expand(void *context, const void *state)
{
	return (void)context, ((const struct heaps *)state)->placed < COUNT ? 2 : 0;
}

/* The best state of the last layer. */
static copra_node best_of(const copra_tracker *t)
{
	copra_node n = { copra_tracker_layer(t), 0 }, best = n;
	uint32_t least = UINT32_MAX, rating;

	for (; n.slot < copra_tracker_layer_count(t, n.layer); n.slot++) {
		copra_tracker_history(t, n, NULL, NULL, &rating, NULL);
		if (rating < least) {
			least = rating;
			best = n;
		}
	}
	return best;
}

/* Prints the difference of the rebuilt state and the heap of each number, the last one first. */
static int show(copra_tracker *t, copra_error *error)
{
	copra_node node = best_of(t);
	struct heaps state;
	uint32_t heap;
	int status = copra_tracker_recover(t, &node, 1, &state, error);

	if (status)
		return status;
	printf("difference %d:", abs((int)state.difference));
	while (!status && node.layer) {
		status = copra_tracker_history(t, node, &node, &heap, NULL, error);
		printf(" %u", heap);
	}
	putchar('\n');
	return status;
}

int main(void)
{
	const copra_domain domain = { .state_bytes = sizeof(struct heaps),
				      .execute = execute,
				      .assign = assign,
				      .rate = rate,
				      .expand = expand };
	const struct heaps empty = { 0, 0, 1 };
	copra_error error = { 0 };
	copra_settings *settings = NULL;
	copra_tracker *t = NULL;
	int status = copra_settings_create(&settings, &error);

	if (!status)
		status = copra_settings_set(settings, "beam", "64", &error);
	if (!status)
		status = copra_settings_set(settings, "slots", "128", &error);
	if (!status)
		status = copra_tracker_create(&t, &domain, settings, &error);
	if (!status)
		status = copra_tracker_begin(t, &empty, 1, &error);
	while (!status && copra_tracker_count(t)) /* until no state has successors */
		status = copra_tracker_iterate(t, &error);
	if (!status)
		status = show(t, &error);
	if (status)
		fprintf(stderr, "%s\n", error.text);
	copra_tracker_destroy(t);
	copra_settings_destroy(settings);
	return status ? 1 : 0;
}
