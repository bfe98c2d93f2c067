/* Restricted tournaments. Their definition is one offspring after the other, since each sees the
 * replacements of those before it. Threads therefore look for the nearest of some offspring at the same
 * time, as if none of them replaced anybody, and one goes over them in order: what slots taken in
 * between have changed is corrected. */
#include <stdlib.h>
#include <string.h>

#include "hboa.h"

enum { AT_ONCE = 256 }; /* offspring looked at before replacing: few slots change meanwhile */

struct nearest {
	int32_t distance, draw; /* the one with the lower draw of equal ones */
};

struct hboa_tournaments {
	int32_t window, population, offspring;
	bool plain;
	struct workers *workers;
	uint32_t *slot;          /* AT_ONCE x window: what each draws */
	struct nearest *nearest; /* AT_ONCE */
	uint64_t *taken;         /* population: the last look after which the slot was taken */
	uint64_t looks;
	/* of the call */
	uint64_t seed;
	uint32_t generation;
	const struct hboa_rows *rows, *from;
	int32_t first;
};

int hboa_tournaments_create(struct hboa_tournaments **out, int32_t n, const struct boa_options *o,
			    bool plain, struct workers *w, struct err *e)
{
	struct hboa_tournaments *t = calloc(1, sizeof(*t));
	int32_t window = hboa_window(o, n);

	*out = t;
	if (t)
		*t = (struct hboa_tournaments){
			.window = window, .population = o->population,
			.offspring = boa_offspring(o), .plain = plain, .workers = w,
			.slot = malloc((size_t)window * AT_ONCE * sizeof(uint32_t)),
			.nearest = malloc(AT_ONCE * sizeof(struct nearest)),
			.taken = calloc((size_t)o->population, sizeof(uint64_t)),
		};
	if (t && t->slot && t->nearest && t->taken)
		return 0;
	hboa_tournaments_destroy(t);
	*out = NULL;
	return err_set(e, ERR_MEMORY, "no memory for tournaments of %d", window);
}

void hboa_tournaments_destroy(struct hboa_tournaments *t)
{
	if (!t)
		return;
	free(t->slot);
	free(t->nearest);
	free(t->taken);
	free(t);
}

static const uint64_t *row_of(const struct hboa_rows *r, int64_t i)
{
	return r->words + (size_t)i * r->stride;
}

static int32_t distance_of(const uint64_t *a, const uint64_t *b, size_t words)
{
	int64_t differ = 0;

	for (size_t w = 0; w < words; w++)
		differ += __builtin_popcountll(a[w] ^ b[w]);
	return (int32_t)differ;
}

/* Since the threads looked. */
static bool is_taken(const struct hboa_tournaments *t, uint32_t slot)
{
	return t->taken[slot] == t->looks;
}

/* The nearest to an offspring among its draws, or among those of them that were taken. */
static struct nearest find_nearest(const struct hboa_tournaments *t, const uint64_t *offspring,
				   const uint32_t *slot, bool taken_alone)
{
	struct nearest best = { INT32_MAX, 0 };

	for (int32_t d = 0; d < t->window; d++) {
		if (taken_alone && !is_taken(t, slot[d]))
			continue;
		int32_t distance = distance_of(offspring, row_of(t->rows, slot[d]), t->rows->stride);

		if (distance < best.distance)
			best = (struct nearest){ distance, d };
	}
	return best;
}

static void draw_slots(const struct hboa_tournaments *t, int32_t offspring, uint32_t *slot)
{
	for (int32_t d = 0; d < t->window; d += 4) {
		struct philox4 r = hboa_window_draws(t->seed, t->generation, (uint32_t)offspring,
						     (uint32_t)d / 4);

		for (int32_t i = 0; i < 4 && d + i < t->window; i++)
			slot[d + i] = hboa_below(r.word[i], (uint32_t)t->population);
	}
}

static void look(void *context, uint64_t from, uint64_t to, int thread)
{
	struct hboa_tournaments *t = context;

	(void)thread;
	for (uint64_t i = from; i < to; i++) {
		uint32_t *slot = t->slot + i * (uint64_t)t->window;
		int32_t offspring = t->first + (int32_t)i;

		draw_slots(t, offspring, slot);
		t->nearest[i] = find_nearest(t, row_of(t->from, offspring), slot, false);
	}
}

/* What offspring number i of those looked at together comes to, with the slots as they are now. */
static uint32_t nearest_now(const struct hboa_tournaments *t, int32_t i)
{
	const uint32_t *slot = t->slot + (size_t)i * (size_t)t->window;
	const uint64_t *offspring = row_of(t->from, t->first + i);
	struct nearest seen = t->nearest[i];
	/* gone: then all are looked at again. Else those that came since may be nearer */
	bool gone = is_taken(t, slot[seen.draw]);
	struct nearest new = find_nearest(t, offspring, slot, !gone);

	if (gone || new.distance < seen.distance ||
	    (new.distance == seen.distance && new.draw < seen.draw))
		seen = new;
	return slot[seen.draw];
}

static void settle(struct hboa_tournaments *t, struct hboa_rows *rows, int32_t *fitness,
		   const int32_t *offspring_fitness, int32_t count)
{
	for (int32_t i = 0; i < count; i++) {
		uint32_t slot = nearest_now(t, i);

		if (offspring_fitness[t->first + i] <= fitness[slot])
			continue;
		fitness[slot] = offspring_fitness[t->first + i];
		memcpy(rows->words + (size_t)slot * rows->stride, row_of(t->from, t->first + i),
		       rows->stride * sizeof(uint64_t));
		t->taken[slot] = t->looks;
	}
}

void hboa_replace(struct hboa_tournaments *t, uint64_t seed, uint32_t generation,
		  struct hboa_rows *population, int32_t *fitness,
		  const struct hboa_rows *offspring, const int32_t *offspring_fitness)
{
	/* one at a time, nothing changes meanwhile */
	int32_t at_once = t->plain ? 1 : AT_ONCE;

	t->seed = seed;
	t->generation = generation;
	t->rows = population;
	t->from = offspring;
	for (t->first = 0; t->first < t->offspring; t->first += at_once) {
		int32_t left = t->offspring - t->first, count = left < at_once ? left : at_once;

		t->looks++;
		if (t->plain)
			look(t, 0, 1, 0);
		else
			workers_run(t->workers, (uint64_t)count, 4, look, t);
		settle(t, population, fitness, offspring_fitness, count);
	}
}
