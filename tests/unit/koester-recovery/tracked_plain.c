/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/koester-recovery/tracked_plain.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/base/plain_philox.h"

/* ---- random numbers ---- */

/* ---- the domain ---- */

struct plain_at {
	uint64_t seed;
	uint32_t iteration, source, successor, step;
};

static bool plain_over(const struct plain_domain *d, const struct plain_state *s)
{
	return d->last_step != 0 && s->w[1] >= d->last_step;
}

static void plain_stir(const struct plain_domain *d, struct plain_state *s,
		       const struct plain_at *at, uint32_t assigning, uint32_t block)
{
	uint32_t counter[4] = { at->iteration, at->source, at->successor,
				at->step * 131072u + assigning * 65536u + block };
	uint32_t r[4], last = s->w[d->words - 1];

	plain_philox(10, counter, at->seed, r);
	for (uint32_t i = 0; i < d->words; i++) {
		if (i == 1)
			continue;
		s->w[i] = (s->w[i] ^ r[i % 4]) * 2654435761u + (last * 128u + last / 33554432u);
		last = s->w[i];
	}
}

static bool plain_run(const struct plain_domain *d, struct plain_state *s,
		      const struct plain_at *at)
{
	if (plain_over(d, s))
		return true;
	plain_stir(d, s, at, 1, 0);
	s->w[1]++;
	return s->w[0] / 268435456u < d->wait || plain_over(d, s);
}

static void plain_set(const struct plain_domain *d, struct plain_state *s,
		      const struct plain_at *at)
{
	if (plain_over(d, s))
		return;
	s->w[2] += at->successor * 2654435761u + at->step;
	plain_stir(d, s, at, 0, 1 + at->step % 2);
}

static uint32_t plain_worth(const struct plain_domain *d, const struct plain_state *s)
{
	if (d->dropped && s->w[2] % d->dropped == 0)
		return 4294967295u;
	return s->w[0] % d->ratings;
}

/* ---- Algorithm 2 ---- */

struct plain_child {
	struct plain_state s;
	struct plain_at at;
	uint32_t rating;
	bool waits;
};

static void plain_set_all(struct plain *p, struct plain_child *c, uint32_t n, uint32_t step,
			  bool only_waiting)
{
	for (uint32_t i = 0; i < n; i++)
		if (!only_waiting || c[i].waits) {
			c[i].at.step = step;
			plain_set(&p->d, &c[i].s, &c[i].at);
			p->assignments++;
		}
}

static void plain_algorithm2(struct plain *p, struct plain_child *c, uint32_t n)
{
	uint32_t i = 0, waiting;
	bool leave;

	p->breaks = 0;
	if (p->o.first)
		plain_set_all(p, c, n, 0, false);
	do {
		for (uint32_t k = 0; k < n; k++)
			c[k].waits = false;
		do {
			for (uint32_t k = 0; k < n; k++)
				if (!c[k].waits || p->o.schedule == PLAIN_FIXED) {
					c[k].at.step = i;
					c[k].waits = plain_run(&p->d, &c[k].s, &c[k].at);
					p->executions++;
				}
			i++;
			waiting = 0;
			for (uint32_t k = 0; k < n; k++)
				waiting += c[k].waits;
			if (p->o.schedule == PLAIN_FIXED)
				leave = (p->o.breaks & (uint32_t)(1ull << (i - 1))) != 0;
			else if (p->o.schedule == PLAIN_EACH)
				leave = waiting != 0;
			else
				leave = (double)waiting / (double)n > p->o.fill;
		} while (!leave && i < p->o.look_ahead);
		plain_set_all(p, c, n, i, p->o.schedule != PLAIN_FIXED);
		p->breaks++;
	} while (i < p->o.look_ahead);
}

/* Makes one state of the new layer. */
static void plain_forward(struct plain *p, struct plain_state *s, struct plain_at at)
{
	at.step = 0;
	if (p->o.first) {
		plain_set(&p->d, s, &at);
		p->forward_assignments++;
	}
	for (uint32_t i = 0; i < p->o.forward; i++) {
		bool waits;

		at.step = i;
		waits = plain_run(&p->d, s, &at);
		p->forward_executions++;
		at.step = i + 1;
		if (waits || (p->o.schedule == PLAIN_FIXED && i + 1 == p->o.forward)) {
			plain_set(&p->d, s, &at);
			p->forward_assignments++;
		}
	}
}

/* ---- Algorithm 1 ---- */

static struct plain_layer *plain_add(struct plain *p, uint32_t count, bool jump)
{
	struct plain_layer *l = &p->layer[++p->top];

	assert_true(p->top < PLAIN_LAYERS);
	l->count = count;
	l->jump = jump;
	l->state = calloc(count + 1, sizeof(*l->state));
	l->entry = calloc(count + 1, sizeof(*l->entry));
	assert_non_null(l->state);
	assert_non_null(l->entry);
	return l;
}

void plain_begin(struct plain *p, const struct plain_domain *d, const struct plain_options *o,
		 const struct plain_state *inputs, uint32_t count)
{
	memset(p, 0, sizeof(*p));
	p->d = *d;
	p->o = *o;
	p->layer[0].count = count;
	p->layer[0].state = calloc(count, sizeof(*inputs));
	assert_non_null(p->layer[0].state);
	memcpy(p->layer[0].state, inputs, count * sizeof(*inputs));
}

void plain_end(struct plain *p)
{
	for (uint32_t i = 0; i <= p->top; i++) {
		free(p->layer[i].state);
		free(p->layer[i].entry);
	}
}

static uint32_t plain_children_of(const struct plain *p, const struct plain_layer *l, uint32_t i)
{
	uint32_t each = (p->o.slots + l->count - 1) / l->count;

	if (!p->o.regular)
		return plain_over(&p->d, &l->state[i]) ? 0 : l->state[i].w[3] % (p->d.children + 1);
	if (i * each >= p->o.slots)
		return 0;
	return p->o.slots - i * each < each ? p->o.slots - i * each : each;
}

/* Makes and evaluates all children in parts of whole parents, with at most `slots` children
 * each. */
static struct plain_child *plain_evaluate(struct plain *p, uint32_t *count)
{
	const struct plain_layer *l = &p->layer[p->top];
	struct plain_child *all = NULL;
	uint32_t n = 0, part = 0;

	for (uint32_t i = 0; i < l->count; i++) {
		uint32_t k = plain_children_of(p, l, i);

		if (n + k - part > p->o.slots) {
			plain_algorithm2(p, all + part, n - part);
			part = n;
		}
		all = realloc(all, (n + k + 1) * sizeof(*all));
		assert_non_null(all);
		for (uint32_t j = 0; j < k; j++, n++) {
			memset(&all[n], 0, sizeof(all[n]));
			all[n].s = l->state[i];
			all[n].at = (struct plain_at){ p->o.seed, p->top + 1, i,
						       3 * j + l->state[i].w[0] % 5, 0 };
		}
	}
	if (n > part)
		plain_algorithm2(p, all + part, n - part);
	for (uint32_t i = 0; i < n; i++)
		all[i].rating = plain_worth(&p->d, &all[i].s);
	*count = n;
	return all;
}

void plain_iterate(struct plain *p)
{
	const struct plain_layer *old = &p->layer[p->top];
	struct plain_child *all;
	struct plain_layer *l;
	uint32_t n, kept = 0;
	bool *chosen;

	p->breaks = p->executions = p->assignments = 0;
	p->forward_executions = p->forward_assignments = 0;
	all = plain_evaluate(p, &n);
	p->children = n;
	chosen = calloc(n + 1, sizeof(*chosen));
	assert_non_null(chosen);
	while (kept < p->o.beam) {
		uint32_t best = n;

		for (uint32_t i = 0; i < n; i++)
			if (!chosen[i] && all[i].rating != 4294967295u &&
			    (best == n || all[i].rating < all[best].rating))
				best = i;
		if (best == n)
			break;
		chosen[best] = true;
		kept++;
	}
	p->ended = kept == 0;
	if (kept) {
		l = plain_add(p, kept, false);
		kept = 0;
		for (uint32_t i = 0; i < n; i++) {
			if (!chosen[i])
				continue;
			l->entry[kept] = (struct plain_entry){ { p->top - 1, all[i].at.source },
							       all[i].at.successor,
							       all[i].rating };
			l->state[kept] = old->state[all[i].at.source];
			plain_forward(p, &l->state[kept++], all[i].at);
		}
	}
	free(chosen);
	free(all);
}

void plain_jump(struct plain *p, const struct plain_node *from, uint32_t count)
{
	struct plain_layer *l = plain_add(p, count, true);

	p->ended = false;
	for (uint32_t i = 0; i < count; i++) {
		l->entry[i].from = from[i];
		if (from[i].layer)
			l->entry[i].rating = p->layer[from[i].layer].entry[from[i].slot].rating;
		l->state[i] = p->layer[from[i].layer].state[from[i].slot];
	}
}
