/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Makes the host operations of a domain from its functions (see domain.h).
 *
 *     #include "mine.h"
 *     #define TRACK_DOMAIN mine
 *     #include "algorithms/koester-recovery/states/domain_host.h"
 *                                           // defines const struct track_ops mine_ops_host
 *
 * This file is a template without an include guard: include it once, in one C file per domain. The
 * loops over states run on the threads of the place. To replace an operation by a function of the
 * domain (with the signature in struct track_ops), define its name before the include:
 *
 *     #define TRACK_DOMAIN_ADVANCE mine_advance_host
 *
 * The same works with EXECUTE, ASSIGN, RATE, EXPAND, SUCCESSORS, REPLAY and RATE_CHILDREN.
 * SUCCESSORS may be NULL if successor k is always the k-th. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/team.h"
#include "algorithms/koester-recovery/states/domain.h"

#ifndef TRACK_DOMAIN
#error "define TRACK_DOMAIN as the domain's name first"
#endif

#define DOMAIN_PASTE2(a, b) a##b
#define DOMAIN_PASTE(a, b) DOMAIN_PASTE2(a, b)
#define DOMAIN_CALL(name) DOMAIN_PASTE(TRACK_DOMAIN, name)
typedef struct TRACK_DOMAIN domain_parameters;

/* States per task of a thread. Loops that set waiting bits need whole words of 32 bits; others need
 * enough states to outweigh the overhead. */
enum { DOMAIN_GRAIN_BITS = 32, DOMAIN_GRAIN = 8 };

/* Arguments of a loop over the states of a batch. */
struct domain_loop {
	const domain_parameters *d;
	const struct track_batch *b;
	const struct track_path *path;
	const struct track_children *children;
	const uint32_t *successor;
	uint32_t steps, flags, breaks;
	uint32_t *out;                     /* ratings, numbers or successors */
	int no_memory;                     /* set by any thread */
	const volatile sig_atomic_t *stop; /* of the place; NULL: none */
};

static inline bool domain_stops(const struct domain_loop *l)
{
	return l->stop && *l->stop;
}

/* ERR_LIMIT if the loop ended early because of the stop flag. */
static inline int domain_ended(const struct domain_loop *l, struct err *e)
{
	return domain_stops(l) ? err_set(e, ERR_LIMIT, "stopped within a layer") : 0;
}

static inline uint32_t domain_slot(const struct track_batch *b, uint64_t i)
{
	return b->slot ? b->slot[i] : (uint32_t)i;
}

static inline struct track_state domain_state(const struct track_batch *b, uint64_t i)
{
	return track_state_at(b->states, b->slots, b->layout, domain_slot(b, i));
}

static inline struct track_step domain_step(const struct track_batch *b, uint64_t i)
{
	struct track_step at = { 0 };

	at.seed = b->seed;
	at.iteration = b->iteration;
	at.source = b->source ? b->source[i] : 0;
	at.successor = b->successor ? b->successor[i] : 0;
	at.step = b->step;
	return at;
}

static inline bool domain_waits(const struct track_batch *b, uint64_t i)
{
	return b->waiting[i / 32] >> i % 32 & 1;
}

/* ---- one line of Algorithm 2 for many states ---- */

static inline void domain_execute_part(void *context, uint64_t from, uint64_t to, int thread)
{
	const struct domain_loop *l = (const struct domain_loop *)context;
	const struct track_batch *b = l->b;
	uint32_t new_waiting = 0;

	(void)thread;
	for (uint64_t i = from; i < to && !domain_stops(l); i++) {
		struct track_step at = domain_step(b, i);

		if (b->waiting && domain_waits(b, i))
			continue;
		at.phase = TRACK_EXECUTE;
		if (DOMAIN_CALL(_execute)(l->d, domain_state(b, i), &at) && b->waiting) {
			b->waiting[i / 32] |= (uint32_t)1 << i % 32;
			new_waiting++;
		}
	}
	if (new_waiting)
		__atomic_fetch_add(b->waiting_count, new_waiting, __ATOMIC_RELAXED);
}

static inline int domain_execute(struct track_place *p, const void *parameters,
				 const struct track_batch *b, struct err *e)
{
	struct domain_loop l = { .d = (const domain_parameters *)parameters,
				 .b = b,
				 .stop = p->stop };

	team_for(p->pool, b->count, DOMAIN_GRAIN_BITS, domain_execute_part, &l);
	return domain_ended(&l, e);
}

static inline void domain_assign_part(void *context, uint64_t from, uint64_t to, int thread)
{
	const struct domain_loop *l = (const struct domain_loop *)context;

	(void)thread;
	for (uint64_t i = from; i < to && !domain_stops(l); i++) {
		struct track_step at = domain_step(l->b, i);

		if (l->b->waiting && !domain_waits(l->b, i))
			continue;
		at.phase = TRACK_ASSIGN;
		DOMAIN_CALL(_assign)(l->d, domain_state(l->b, i), &at);
	}
}

static inline int domain_assign(struct track_place *p, const void *parameters,
				const struct track_batch *b, struct err *e)
{
	struct domain_loop l = { .d = (const domain_parameters *)parameters,
				 .b = b,
				 .stop = p->stop };

	team_for(p->pool, b->count, DOMAIN_GRAIN_BITS, domain_assign_part, &l);
	return domain_ended(&l, e);
}

static inline void domain_rate_part(void *context, uint64_t from, uint64_t to, int thread)
{
	const struct domain_loop *l = (const struct domain_loop *)context;

	(void)thread;
	for (uint64_t i = from; i < to; i++)
		l->out[i] = DOMAIN_CALL(_rate)(l->d, domain_state(l->b, i));
}

static inline int domain_rate(struct track_place *p, const void *parameters,
			      const struct track_batch *b, uint32_t *rating, struct err *e)
{
	struct domain_loop l = { .d = (const domain_parameters *)parameters,
				 .b = b,
				 .out = rating };

	(void)e;
	team_for(p->pool, b->count, DOMAIN_GRAIN, domain_rate_part, &l);
	return 0;
}

static inline void domain_expand_part(void *context, uint64_t from, uint64_t to, int thread)
{
	const struct domain_loop *l = (const struct domain_loop *)context;

	(void)thread;
	for (uint64_t i = from; i < to; i++)
		l->out[i] = DOMAIN_CALL(_expand)(l->d, domain_state(l->b, i));
}

static inline int domain_expand(struct track_place *p, const void *parameters,
				const struct track_batch *b, uint32_t *number, struct err *e)
{
	struct domain_loop l = { .d = (const domain_parameters *)parameters,
				 .b = b,
				 .out = number };

	(void)e;
	team_for(p->pool, b->count, DOMAIN_GRAIN, domain_expand_part, &l);
	return 0;
}

static inline void domain_successors_part(void *context, uint64_t from, uint64_t to, int thread)
{
	const struct domain_loop *l = (const struct domain_loop *)context;

	(void)thread;
	for (uint64_t i = from; i < to; i++) {
		struct track_state s = domain_state(l->b, i);

		for (uint32_t k = 0; k < l->children->number[i]; k++)
			l->out[l->children->first[i] + k] = DOMAIN_CALL(_successor)(l->d, s, k);
	}
}

static inline int domain_successors(struct track_place *p, const void *parameters,
				    const struct track_batch *parents,
				    const struct track_children *c, uint32_t *successor,
				    struct err *e)
{
	struct domain_loop l = { .d = (const domain_parameters *)parameters,
				 .b = parents,
				 .children = c,
				 .out = successor };

	(void)e;
	team_for(p->pool, parents->count, DOMAIN_GRAIN, domain_successors_part, &l);
	return 0;
}

/* ---- several steps of one state ---- */

static inline void domain_advance_state(const struct domain_loop *l, struct track_state s,
					struct track_step at)
{
	if (l->flags & TRACK_ASSIGN_FIRST) {
		at.step = 0;
		at.phase = TRACK_ASSIGN;
		DOMAIN_CALL(_assign)(l->d, s, &at);
	}
	for (uint32_t i = 0; i < l->steps; i++) {
		bool last = l->flags & TRACK_ASSIGN_LAST && i + 1 == l->steps, waits;

		at.step = i;
		at.phase = TRACK_EXECUTE;
		waits = DOMAIN_CALL(_execute)(l->d, s, &at);
		if (l->flags & TRACK_ASSIGN_FIXED)
			waits = l->breaks >> i & 1;
		if (waits || last) {
			at.step = i + 1;
			at.phase = TRACK_ASSIGN;
			DOMAIN_CALL(_assign)(l->d, s, &at);
		}
	}
}

static inline void domain_advance_part(void *context, uint64_t from, uint64_t to, int thread)
{
	const struct domain_loop *l = (const struct domain_loop *)context;

	(void)thread;
	for (uint64_t i = from; i < to; i++)
		domain_advance_state(l, domain_state(l->b, i), domain_step(l->b, i));
}

static inline int domain_advance(struct track_place *p, const void *parameters,
				 const struct track_batch *b, uint32_t steps, uint32_t flags,
				 struct err *e)
{
	struct domain_loop l = { .d = (const domain_parameters *)parameters,
				 .b = b,
				 .stop = p->stop,
				 .steps = steps,
				 .flags = flags };

	team_for(p->pool, b->count, DOMAIN_GRAIN, domain_advance_part, &l);
	return domain_ended(&l, e);
}

static inline void domain_replay_part(void *context, uint64_t from, uint64_t to, int thread)
{
	const struct domain_loop *l = (const struct domain_loop *)context;
	const struct track_path *path = l->path;

	(void)thread;
	for (uint64_t i = from; i < to && !domain_stops(l); i++) {
		struct track_state s = domain_state(l->b, i);
		struct track_step at = domain_step(l->b, i);

		for (uint32_t r = 0; r < path->rounds; r++) {
			size_t k = (size_t)r * path->count + i;

			if (path->successor[k] == TRACK_NO_STEP)
				continue;
			at.iteration = path->iteration[r];
			at.source = path->source[k];
			at.successor = path->successor[k];
			domain_advance_state(l, s, at);
		}
	}
}

static inline int domain_replay(struct track_place *p, const void *parameters,
				const struct track_batch *b, const struct track_path *path,
				uint32_t steps, uint32_t flags, struct err *e)
{
	struct domain_loop l = { .d = (const domain_parameters *)parameters,
				 .b = b,
				 .path = path,
				 .stop = p->stop,
				 .steps = steps,
				 .flags = flags };

	team_for(p->pool, b->count, DOMAIN_GRAIN, domain_replay_part, &l);
	return domain_ended(&l, e);
}

/* ---- children rated without being stored ---- */

static inline void domain_clone(struct track_layout l, struct track_state to,
				struct track_state from)
{
	for (uint32_t u = 0; u < l.units; u++)
		memcpy(track_unit(to, u), track_unit(from, u), l.unit_bytes);
}

static inline void domain_rate_children_part(void *context, uint64_t from, uint64_t to, int thread)
{
	struct domain_loop *l = (struct domain_loop *)context;
	const struct track_children *c = l->children;
	void *memory = malloc(track_state_bytes(l->b->layout));
	struct track_state child = { (unsigned char *)memory, l->b->layout.unit_bytes };

	(void)thread;
	if (!memory) {
		__atomic_store_n(&l->no_memory, 1, __ATOMIC_RELAXED);
		return;
	}
	for (uint64_t i = from; i < to && !domain_stops(l); i++) {
		struct track_step at = domain_step(l->b, i);

		at.source = c->first_source + (uint32_t)i;
		for (uint32_t k = 0; k < c->number[i] && !domain_stops(l); k++) {
			uint32_t number = c->first[i] + k;

			domain_clone(l->b->layout, child, domain_state(l->b, i));
			at.successor = l->successor ? l->successor[number] : k;
			domain_advance_state(l, child, at);
			l->out[number] = DOMAIN_CALL(_rate)(l->d, child);
		}
	}
	free(memory);
}

static inline int domain_rate_children(struct track_place *p, const void *parameters,
				       const struct track_batch *parents,
				       const struct track_children *c, const uint32_t *successor,
				       uint32_t steps, uint32_t flags, uint32_t breaks,
				       uint32_t *rating, struct err *e)
{
	struct domain_loop l = { .d = (const domain_parameters *)parameters,
				 .b = parents,
				 .children = c,
				 .successor = successor,
				 .steps = steps,
				 .flags = flags,
				 .breaks = breaks,
				 .out = rating,
				 .stop = p->stop };
	struct track_batch by_number = *parents;

	/* the source of a child is the index of its parent, not the parent's own source */
	by_number.source = by_number.successor = NULL;
	l.b = &by_number;
	team_for(p->pool, parents->count, 1, domain_rate_children_part, &l);
	if (l.no_memory)
		return err_set(e, ERR_MEMORY, "no memory for a state of %zu bytes per thread",
			       track_state_bytes(parents->layout));
	return domain_ended(&l, e);
}

#ifndef TRACK_DOMAIN_EXECUTE
#define TRACK_DOMAIN_EXECUTE domain_execute
#endif
#ifndef TRACK_DOMAIN_ASSIGN
#define TRACK_DOMAIN_ASSIGN domain_assign
#endif
#ifndef TRACK_DOMAIN_RATE
#define TRACK_DOMAIN_RATE domain_rate
#endif
#ifndef TRACK_DOMAIN_EXPAND
#define TRACK_DOMAIN_EXPAND domain_expand
#endif
#ifndef TRACK_DOMAIN_SUCCESSORS
#define TRACK_DOMAIN_SUCCESSORS domain_successors
#endif
#ifndef TRACK_DOMAIN_ADVANCE
#define TRACK_DOMAIN_ADVANCE domain_advance
#endif
#ifndef TRACK_DOMAIN_REPLAY
#define TRACK_DOMAIN_REPLAY domain_replay
#endif
#ifndef TRACK_DOMAIN_RATE_CHILDREN
#define TRACK_DOMAIN_RATE_CHILDREN domain_rate_children
#endif

extern const struct track_ops DOMAIN_CALL(_ops_host);
const struct track_ops DOMAIN_CALL(_ops_host) = {
	.execute = TRACK_DOMAIN_EXECUTE,
	.assign = TRACK_DOMAIN_ASSIGN,
	.rate = TRACK_DOMAIN_RATE,
	.expand = TRACK_DOMAIN_EXPAND,
	.successors = TRACK_DOMAIN_SUCCESSORS,
	.advance = TRACK_DOMAIN_ADVANCE,
	.replay = TRACK_DOMAIN_REPLAY,
	.rate_children = TRACK_DOMAIN_RATE_CHILDREN,
};
