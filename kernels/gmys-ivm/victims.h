/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Victim selection inside a device, for host and device (Gmys et al. 2017, section 3.3, Algorithms
 * 5 and 6).
 *
 * A phase consists of rounds, executed one after the other. In a round every empty IVM tries one
 * other IVM, and no two empty IVMs try the same one. The rounds are therefore one-to-one by
 * construction, and a flag prevents a victim from being taken in two rounds.
 *
 *   Ring       one round, k steps back on the ring of IVMs; k grows by 1 each phase
 *   Search     the neighbours 1, 2, ... s steps back. The paper does not give s; here it is T / 32,
 *              and at least 32
 *   Large      as Search, but only IVMs whose interval is longer than the mean
 *   Adapt      Algorithm 6: a window [B, B + S) that moves and grows; longer than the mean only
 *   Hypercube  Algorithm 5: IVMs whose number differs in one digit; longer than the mean only
 *
 * All strategies except Ring steal the right half of the victim's interval. The paper says only
 * that Ring does not. Here the victim keeps as little as possible and the thief takes the rest. */
#ifndef COPRA_KERNELS_GMYS_IVM_VICTIMS_H
#define COPRA_KERNELS_GMYS_IVM_VICTIMS_H

#include <stdbool.h>
#include <stdint.h>

#include "harness/base/hd.h"

#ifdef __cplusplus
extern "C" {
#endif

enum ivm_victims { IVM_HYPERCUBE, IVM_ADAPT, IVM_LARGE, IVM_SEARCH, IVM_RING };

enum {
	VICTIMS_WINDOW = 32,
	VICTIMS_WINDOWS = 32,
	VICTIMS_DIMENSIONS = 16,
	VICTIMS_PARTS = 2,
	VICTIMS_RING_PARTS = 32767
};

struct ivm_victim_rule {
	enum ivm_victims rule;
	int ivms;       /* T, a power of two */
	int dimensions; /* of the hypercube; L_1 and w_1 come first */
	int length[VICTIMS_DIMENSIONS], weight[VICTIMS_DIMENSIONS];
};

/* The window of the current phase. Initially begin = 0 and size = 1. */
struct ivm_victim_window {
	int32_t begin, size; /* B, S */
};

/* T = L_m ... L_1 with as many factors 4 as possible and, from T = 8 on, no factor 2:
 * 512 = 8 x 4 x 4 x 4. */
HD struct ivm_victim_rule ivm_victims_make(enum ivm_victims rule, int ivms)
{
	struct ivm_victim_rule v;

	v.rule = rule;
	v.ivms = ivms;
	v.dimensions = 0;
	for (int i = 0; i < VICTIMS_DIMENSIONS; i++)
		v.length[i] = v.weight[i] = 0;
	for (int weight = 1; weight < ivms;) {
		int rest = ivms / weight, length = rest == 8 || rest == 2 ? rest : 4;

		v.length[v.dimensions] = length;
		v.weight[v.dimensions++] = weight;
		weight *= length;
	}
	return v;
}

/* Advances the window to the next phase: lines 2 to 7 of Algorithm 6. */
HD void ivm_victims_move(const struct ivm_victim_rule *v, struct ivm_victim_window *w, int empty)
{
	if (v->rule == IVM_RING) {
		w->begin = w->begin % (v->ivms - 1) + 1;
		return;
	}
	if (v->rule != IVM_ADAPT)
		return;
	w->begin = (w->begin + w->size) % v->ivms;
	if (empty > v->ivms / 10 && w->size <= v->ivms / 2)
		w->size *= 2;
	else if (w->size > 1)
		w->size /= 2;
}

/* The number of rounds of a phase. */
HD int ivm_victims_rounds(const struct ivm_victim_rule *v, const struct ivm_victim_window *w)
{
	int rounds = v->ivms / VICTIMS_WINDOWS;

	if (v->rule == IVM_RING)
		return 1;
	if (v->rule == IVM_ADAPT)
		return w->size;
	if (v->rule != IVM_HYPERCUBE) {
		rounds = rounds > VICTIMS_WINDOW ? rounds : VICTIMS_WINDOW;
		return rounds < v->ivms ? rounds : v->ivms - 1;
	}
	rounds = 0;
	for (int i = 0; i < v->dimensions; i++)
		rounds += v->length[i] - 1;
	return rounds;
}

/* Line 12 of Algorithm 5 in integers: the digit of `ivm` with this weight and length, minus j. */
HD int ivm_victims_hyper(int weight, int length, int j, int ivm)
{
	int digit = ivm / weight % length;

	return digit >= j ? ivm - j * weight : ivm - j * weight + length * weight;
}

/* All rules except Hypercube: how many steps back on the ring the victims of a round are, less than
 * T. */
HD int ivm_victims_back(const struct ivm_victim_rule *v, const struct ivm_victim_window *w,
			int round)
{
	if (v->rule == IVM_RING)
		return w->begin;
	return v->rule == IVM_ADAPT ? (w->begin + round) % v->ivms : round + 1;
}

/* Line 15 of Algorithm 6. */
HD int ivm_victims_ring(int ivms, int back, int ivm)
{
	return ivm >= back ? ivm - back : ivm - back + ivms;
}

/* The IVM that the empty IVM `ivm` tries in a round. */
HD int ivm_victims_try(const struct ivm_victim_rule *v, const struct ivm_victim_window *w,
		       int round, int ivm)
{
	int i = 0;

	if (v->rule != IVM_HYPERCUBE)
		return ivm_victims_ring(v->ivms, ivm_victims_back(v, w, round), ivm);
	while (round >= v->length[i] - 1)
		round -= v->length[i++] - 1;
	return ivm_victims_hyper(v->weight[i], v->length[i], round + 1, ivm);
}

/* Whether only IVMs with intervals longer than the mean are victims. */
HD bool ivm_victims_by_length(const struct ivm_victim_rule *v)
{
	return v->rule != IVM_RING && v->rule != IVM_SEARCH;
}

/* The number of parts into which a victim's interval is cut; the victim keeps one of them. */
HD int ivm_victims_parts(const struct ivm_victim_rule *v)
{
	return v->rule == IVM_RING ? VICTIMS_RING_PARTS : VICTIMS_PARTS;
}

#ifdef __cplusplus
}
#endif
#endif
