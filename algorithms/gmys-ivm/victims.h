/* Whom an empty IVM tries to steal from (Gmys et al. 2017, section 3.3, Algorithms 5 and 6), for
 * host and device. A phase has rounds, one after the other; in a round every empty IVM tries one
 * other, and no two the same: the rounds are one-to-one by construction, and a flag keeps a victim
 * from being taken in two of them.
 *
 *   Ring       one round, k steps back on the ring of IVMs; k moves on by 1 each phase
 *   Search     the neighbours 1, 2, ... s steps back; the paper does not tell s, here it is T / 32,
 * and 32 at least Large      the same, of IVMs longer than the mean only Adapt      Algorithm 6: a
 * window [B, B + S) that moves and grows; longer than the mean only Hypercube  Algorithm 5: who
 * differs in one digit of the number of the IVM; longer than the mean
 *
 * All but Ring steal the right half of the victim's interval. Of Ring the paper says only that it
 * does not; here the victim keeps the least part that it can, the thief takes the rest. */
#ifndef COPRA_GMYS_IVM_VICTIMS_H
#define COPRA_GMYS_IVM_VICTIMS_H

#include "algorithms/gmys-ivm/ivm_search.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
	VICTIMS_WINDOW = 32,
	VICTIMS_WINDOWS = 32,
	VICTIMS_DIMENSIONS = 16,
	VICTIMS_PARTS = 2,
	VICTIMS_RING_PARTS = 32767
};

struct victims {
	enum ivm_victims rule;
	int ivms;       /* T, a power of two */
	int dimensions; /* of the hypercube: L_1 and w_1 first */
	int length[VICTIMS_DIMENSIONS], weight[VICTIMS_DIMENSIONS];
};

/* What changes from phase to phase, in device memory. Begin: 0 and 1. */
struct victims_window {
	int32_t begin, size; /* B, S */
};

/* T = L_m ... L_1 with as many 4s as possible and, from 8 on, no 2: 512 = 8 x 4 x 4 x 4. */
struct victims victims_make(enum ivm_victims rule, int ivms);

/* The window of the next phase, lines 2 to 7 of Algorithm 6. */
HD void victims_move(const struct victims *v, struct victims_window *w, int empty)
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

HD int victims_rounds(const struct victims *v, const struct victims_window *w)
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

/* The integer form of Algorithm 5's line 12: digit i of `ivm`, less j. */
HD int victims_hyper(const struct victims *v, int i, int j, int ivm)
{
	int w = v->weight[i], digit = ivm / w % v->length[i];

	return digit >= j ? ivm - j * w : ivm - j * w + v->length[i] * w;
}

HD int victims_try(const struct victims *v, const struct victims_window *w, int round, int ivm)
{
	int i = 0, back;

	if (v->rule == IVM_HYPERCUBE) {
		while (round >= v->length[i] - 1)
			round -= v->length[i++] - 1;
		return victims_hyper(v, i, round + 1, ivm);
	}
	if (v->rule == IVM_RING)
		back = w->begin;
	else
		back = v->rule == IVM_ADAPT ? (w->begin + round) % v->ivms : round + 1;
	return ivm >= back ? ivm - back : ivm - back + v->ivms;
}

HD bool victims_by_length(const struct victims *v)
{
	return v->rule != IVM_RING && v->rule != IVM_SEARCH;
}

/* The victim keeps 1 of so many parts. */
HD int victims_parts(const struct victims *v)
{
	return v->rule == IVM_RING ? VICTIMS_RING_PARTS : VICTIMS_PARTS;
}

#ifdef __cplusplus
}
#endif
#endif
