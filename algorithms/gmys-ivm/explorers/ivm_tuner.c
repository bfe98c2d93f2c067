/* SPDX-FileCopyrightText: 2026 The copra authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/gmys-ivm/explorers/ivm_tuner.h"

static const double WINDOW_SECONDS = 4e-3;
static const int WINDOW_CALLS = 3; /* the first is not counted: the choice has just changed */
static const double CLEAR = 0.08, HOPELESS = 0.5, HOPELESS_AT_ONCE = 0.2;
static const double LOSS = 0.02, CREDIT_SECONDS = 0.5;
static const double REST_SECONDS = 0.5;
static const int PAPER_TRIGGER_PARTS = 5;
/* In this order: the best triggers measured so far were above the paper's. */
enum { HIGHER = 1, LOWER = 2, OTHER_MODE = 3, CANDIDATES = 4 };

void ivm_tuner_begin(struct ivm_tuner *t, const struct ivm_request *r, int ivms)
{
	bool flowshop = r->common.flowshop != NULL;
	int paper = ivms / PAPER_TRIGGER_PARTS > 1 ? ivms / PAPER_TRIGGER_PARTS : 1;

	*t = (struct ivm_tuner){ .modes = r->mode == IVM_AUTO,
				 .triggers = r->trigger == IVM_TRIGGER_AUTO ||
					     (r->mode == IVM_AUTO && r->trigger == 0),
				 .ivms = ivms,
				 .rested = REST_SECONDS };
	t->choice.mode = r->mode;
	if (r->mode == IVM_AUTO || r->mode == IVM_PAPER_MODE)
		t->choice.mode = flowshop ? IVM_PTE_PEB : IVM_PTE;
	t->choice.trigger = t->triggers || r->trigger == 0 ?
				    paper :
				    (int)(r->trigger < ivms ? r->trigger : ivms);
	t->kept = t->choice;
}

/* Sets *x to candidate `c`. Returns false if there is no such candidate. */
static bool candidate(const struct ivm_tuner *t, int c, struct ivm_choice *x)
{
	int trigger = t->kept.trigger;

	*x = t->kept;
	if (c == OTHER_MODE) {
		x->mode = t->kept.mode == IVM_PTE ? IVM_PTE_PEB : IVM_PTE;
		return t->modes && !t->fine;
	}
	if (!t->triggers || t->kept.mode != IVM_PTE)
		return false;
	if (t->fine)
		x->trigger = c == LOWER ? trigger * 4 / 5 : trigger * 5 / 4;
	else
		x->trigger = c == LOWER ? trigger / 2 : trigger * 2;
	return x->trigger >= 1 && x->trigger < t->ivms && x->trigger != trigger;
}

static void open_window(struct ivm_tuner *t)
{
	t->nodes = t->seconds = 0;
	t->calls = 0;
}

/* Whether a window of a rival may cost `seconds` more. */
static bool may_lose(const struct ivm_tuner *t, double seconds)
{
	return t->lost + seconds <= LOSS * (t->total + CREDIT_SECONDS);
}

/* Starts a comparison with the next candidate, or ends the round. */
static void move_on(struct ivm_tuner *t)
{
	t->duel = (struct duel){ .pairs = 0 };
	while (++t->candidate < CANDIDATES && may_lose(t, 0)) {
		t->rival = candidate(t, t->candidate, &t->choice);
		if (t->rival)
			return;
	}
	t->candidate = 0;
	t->choice = t->kept;
	if (t->fine)
		t->rested = 0;
	t->fine = !t->fine;
}

/* The candidate becomes the current choice, and another round starts. */
static void win(struct ivm_tuner *t)
{
	struct ivm_choice x;

	(void)candidate(t, t->candidate, &x);
	t->kept = t->choice = x;
	t->kept_rate = t->rival_rate;
	t->candidate = 0;
	move_on(t);
}

/* Handles the end of a window of the candidate: once more the current choice, unless it is
 * hopeless. */
static void close_rival(struct ivm_tuner *t, double rate)
{
	t->rival_rate = rate;
	t->rival = false;
	t->choice = t->kept;
	if (rate < HOPELESS * t->kept_rate)
		move_on(t);
}

static void close_window(struct ivm_tuner *t, double rate)
{
	enum duel_verdict v = DUEL_LOST;

	open_window(t);
	if (t->rival) {
		close_rival(t, rate);
		return;
	}
	if (t->candidate)
		v = duel_pair(&t->duel, t->kept_rate, t->rival_rate, rate, CLEAR);
	t->kept_rate = rate;
	if (v == DUEL_WON) {
		win(t);
	} else if (v == DUEL_LOST) {
		move_on(t);
	} else {
		t->rival = true;
		(void)candidate(t, t->candidate, &t->choice);
	}
}

static void take_call(struct ivm_tuner *t, double nodes, double seconds, bool steady)
{
	double rate;

	t->total += seconds;
	t->rested += seconds;
	if (!steady || !(t->modes || t->triggers))
		return;
	if (t->candidate == 0 && (t->rested < REST_SECONDS || !may_lose(t, WINDOW_SECONDS)))
		return;
	if (t->rival && nodes < t->kept_rate * seconds)
		t->lost += seconds - nodes / t->kept_rate;
	if (t->calls++ == 0 && !(t->rival && nodes < HOPELESS_AT_ONCE * t->kept_rate * seconds))
		return;
	t->nodes += nodes;
	t->seconds += seconds;
	rate = t->seconds > 0 ? t->nodes / t->seconds : 0;
	if ((t->calls >= WINDOW_CALLS && t->seconds >= WINDOW_SECONDS) ||
	    (t->rival && rate < HOPELESS * t->kept_rate))
		close_window(t, rate);
}

void ivm_tuner_saw(struct ivm_tuner *t, double nodes, double seconds, bool steady)
{
	take_call(t, nodes, seconds, steady);
	t->one_step = t->rival && t->calls == 0 && t->choice.mode == IVM_PTE &&
		      t->kept.mode == IVM_PTE_PEB;
}
