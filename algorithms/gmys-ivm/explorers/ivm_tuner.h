/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
/* Chooses between the modes PTE+PEB and PTE, and the trigger of PTE, from the rates measured during
 * the search, if the request asks for it. (The paper calibrated both by hand: sections 4.3 and 5.)
 *
 * From time to time, while most IVMs explore, it compares the current choice with each neighbour:
 * the other mode, half the trigger, twice the trigger. Windows of both alternate (duel.h). A
 * neighbour that wins becomes the current choice and its neighbours are tried at once. When none
 * wins, triggers a factor of 1.25 away are tried, then the tuner rests. The time lost with slower
 * neighbours stays below the share LOSS of all time and of CREDIT_SECONDS, which lets a short
 * search find its settings at its beginning.
 *
 * The first call of PTE beside PTE+PEB is one step long: with LB2 a step of PTE takes ten times as
 * long, and a whole call would cost several times that share. */
#ifndef COPRA_GMYS_IVM_EXPLORERS_IVM_TUNER_H
#define COPRA_GMYS_IVM_EXPLORERS_IVM_TUNER_H

#include "algorithms/gmys-ivm/ivm_search.h"
#include "algorithms/tree-search/duel.h"

struct ivm_choice {
	enum ivm_mode mode; /* IVM_PTE_PEB, IVM_PTE */
	int trigger;        /* of PTE: IVMs, -1: none */
};

struct ivm_tuner {
	bool modes, triggers; /* what the tuner may choose */
	int ivms;
	struct ivm_choice choice; /* to be used in the next call */
	bool one_step;            /* the next call is one step of PTE long */
	/* private */
	struct ivm_choice kept;
	double kept_rate;  /* in its last window */
	double rival_rate; /* in the window after that; 0: not measured yet */
	struct duel duel;
	int candidate;              /* compared with the current choice; 0: none */
	bool rival;                 /* the window is the candidate's */
	bool fine;                  /* triggers are tried a factor of 1.25 away, not 2 */
	double nodes, seconds;      /* of the window */
	int calls;                  /* of the window, including those not counted */
	double total, lost, rested; /* seconds */
};

/* Starts with PTE+PEB for flowshop and PTE otherwise, and with the paper's trigger of 20 %, or with
 * what the request names. Only what the request leaves to the tuner (IVM_AUTO, IVM_TRIGGER_AUTO)
 * changes afterwards. */
void ivm_tuner_begin(struct ivm_tuner *t, const struct ivm_request *r, int ivms);
/* Reports a call that decomposed `nodes` in `seconds`. `steady`: most IVMs were exploring. */
void ivm_tuner_saw(struct ivm_tuner *t, double nodes, double seconds, bool steady);

#endif
